"""The checker as one file: the sources of exactdp/checker/, joined in the order of their imports.

A referee can read the file from the top: every name is defined above the line that uses it, except inside functions.
What is joined is text. Each file keeps its statements and comments, letter for letter; its docstring becomes a comment;
its imports from the standard library are gathered at the top, and those from its neighbours are left out, for which no
name may be defined in two files, or be imported under another name.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from exactdp import checker

_MAIN: Final = "__main__"
_WIDTH: Final = 120
"""Columns of a line, as in the sources."""
_HEADER: Final = '''#!/usr/bin/env python3
"""{summary}

This file is built from the folder exactdp/checker/ and stands alone: it runs on Python 3.9 or newer, with nothing else.
"""

from __future__ import annotations

'''


def bare_checker() -> str:
    """Return the checker as the source of one Python file, the same bytes each time.

    >>> bare_checker().splitlines()[0]
    '#!/usr/bin/env python3'

    Cost: the sources are parsed once, in 0.1 s.
    """
    folder = Path(checker.__path__[0])
    return joined({path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py"))})


def joined(sources: Mapping[str, str]) -> str:
    """Return one file that does what the package of these sources does when it is run.

    Raises:
        ValueError: if the files import each other in a circle, one is never imported, one imports a neighbour otherwise
            than as ``from .name import a, b`` at its top, or two give a meaning to one name.
    """
    files = {name: _File(name, source) for name, source in sources.items() if name != "__init__"}
    order = _order(files)
    _refuse_clashes(order)
    header = _HEADER.format(summary=files[_MAIN].docstring.rstrip())
    return header + _imports(order) + "".join(file.section for file in order)


class _File:
    """One file of the package: what it imports, what it defines, and its text without the two."""

    def __init__(self, name: str, source: str) -> None:
        self.name = name
        self.taken: dict[str, list[str]] = {}  # neighbour -> the names that are imported from it
        self.imported: dict[str, str] = {}  # name -> the statement that imports it from the standard library
        self.defined: set[str] = set()
        tree = ast.parse(source)
        self.docstring = ast.get_docstring(tree) or ""
        rest = source.splitlines(keepends=True)
        for statement in tree.body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                self._read_import(statement)
            elif statement is not tree.body[0] or not self.docstring:
                self.defined |= _bound(statement)
                continue
            first, last = statement.lineno - 1, statement.end_lineno or statement.lineno
            rest[first:last] = [""] * (last - first)
        self.body = "".join(rest).strip("\n")

    def _read_import(self, statement: ast.Import | ast.ImportFrom) -> None:
        module = getattr(statement, "module", None)
        if isinstance(statement, ast.ImportFrom) and statement.level:
            if statement.level > 1 or module is None or any(alias.asname for alias in statement.names):
                raise ValueError(f"{self.name}.py: `{ast.unparse(statement)}` is not `from .name import a, b`.")
            self.taken.setdefault(module, []).extend(alias.name for alias in statement.names)
        elif module != "__future__":
            for alias in statement.names:
                one = ast.Import([alias]) if module is None else ast.ImportFrom(module, [alias], 0)
                self.imported[alias.asname or alias.name.split(".")[0]] = ast.unparse(one)

    @property
    def section(self) -> str:
        """The text of this file under its name, its docstring as a comment."""
        title = f"# --- {self.name} "
        comment = "".join(f"# {line}".rstrip() + "\n" for line in self.docstring.splitlines())
        return f"\n\n{title.ljust(_WIDTH, '-')}\n#\n{comment}\n{self.body}\n"


def _bound(statement: ast.stmt) -> set[str]:
    """Return the names to which a statement at the top of a file gives a meaning."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _order(files: Mapping[str, _File]) -> list[_File]:
    """Return the files so that each stands after those from which it imports, the one that is run last."""
    order: list[_File] = []

    def visit(name: str, trail: list[str]) -> None:
        if name in trail:
            raise ValueError(f"The files import each other in a circle: {' -> '.join([*trail, name])}.")
        if name not in files:
            raise ValueError(f"{trail[-1]}.py imports {name}.py, which is not there.")
        if files[name] not in order:
            for neighbor in files[name].taken:
                visit(neighbor, [*trail, name])
            order.append(files[name])

    visit(_MAIN, [])
    unused = sorted(set(files) - {file.name for file in order})
    if unused:
        raise ValueError(f"{unused[0]}.py is imported by no file, so that it would be left out.")
    return order


def _refuse_clashes(files: list[_File]) -> None:
    """Refuse a name that means two things in the files, which would be one thing in the joined file."""
    meanings: dict[str, str] = {}
    for file in files:
        given = dict.fromkeys(file.defined, f"{file.name}.py") | file.imported
        for name, meaning in sorted(given.items()):
            if meanings.setdefault(name, meaning) != meaning:
                raise ValueError(f"The name {name!r} clashes: {meanings[name]!r} and, in {file.name}.py, {meaning!r}.")
        for neighbor, names in file.taken.items():
            for name in names:
                if meanings.get(name) != f"{neighbor}.py":
                    raise ValueError(f"{file.name}.py imports {name}, which {neighbor}.py does not define.")


def _imports(files: list[_File]) -> str:
    """Return every import from the standard library once: modules first, then names by their modules."""
    imported = {name: statement for file in files for name, statement in file.imported.items()}
    lines = sorted(statement for statement in imported.values() if statement.startswith("import "))
    names: dict[str, list[str]] = {}
    for _, statement in sorted(imported.items()):
        module, is_from, name = statement.partition(" import ")
        if is_from:
            names.setdefault(module, []).append(name)
    for module in sorted(names):
        line = f"{module} import {', '.join(names[module])}"
        if len(line) > _WIDTH:
            line = f"{module} import (\n" + "".join(f"    {name},\n" for name in names[module]) + ")"
        lines.append(line)
    return "\n".join(lines) + "\n"
