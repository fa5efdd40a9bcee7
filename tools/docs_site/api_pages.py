"""The API reference: a page for every room that users call, each name with its docstring.

Nothing is listed by hand. A room hands names on by its ``__all__``; what a page or a notebook imports from deeper down
is described too, and every kind of error. A new name is on the site as soon as it is public, or used on a page.
"""

from __future__ import annotations

import ast
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import exactdp
from exactdp import errors
from tools.docs_site.stage import ROOT, Page, SiteError

_IMPORT: Final = re.compile(
    r"^ *(?:>>> )?from (?P<module>exactdp(?:\.\w+)+) import (?P<names>\w+(?:, \w+)*)$", re.MULTILINE
)
"""An import on a page, at the beginning of a line of code."""
_PAGES: Final = ("README.md", "docs/*.md", "docs/tutorials/*.md", "examples/*.py")
"""Where names are shown to users."""
_NOT_CALLED: Final = ("exactdp.cli",)
"""The command line: its pages call it only so that they can be tested."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A name of the reference: the room on whose page it is, the address it is imported from, and what it is."""

    room: str
    address: str
    value: Any

    @property
    def name(self) -> str:
        """The last part of the address."""
        return self.address.rpartition(".")[2]


def api_pages() -> list[Page]:
    """Return the pages, exactdp itself first."""
    found = entries()
    rooms = dict.fromkeys(entry.room for entry in found)
    return [_page(room, [entry for entry in found if entry.room == room], found) for room in rooms]


def entries() -> list[Entry]:
    """Return every name that has an entry, each object once: where it is handed on first."""
    handed = [*_handed_on("exactdp", exactdp)]
    handed += [entry for name in package_names() for entry in _handed_on(name, import_module(name))]
    handed += [
        Entry(errors.__name__, f"{errors.__name__}.{name}", kind)
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and kind.__module__ == errors.__name__
    ]
    found: list[Entry] = []
    for entry in [*handed, *_used_on_pages(ROOT)]:
        if not isinstance(entry.value, ModuleType) and not any(_is_same(entry, other) for other in found):
            found.append(entry)
    return sorted(found, key=lambda entry: entry.room)


def package_names() -> list[str]:
    """Return the packages right below exactdp."""
    return sorted(found.name for found in pkgutil.iter_modules(exactdp.__path__, "exactdp.") if found.ispkg)


def _handed_on(room: str, package: ModuleType) -> Iterator[Entry]:
    for name in getattr(package, "__all__", ()):
        yield Entry(room, f"{room}.{name}", getattr(package, name))


def _used_on_pages(root: Path) -> Iterator[Entry]:
    paths = [path for pattern in _PAGES for path in sorted(root.glob(pattern))]
    lines = {found.groups() for path in paths for found in _IMPORT.finditer(path.read_text("utf-8"))}
    for module, names in sorted(lines):
        room = ".".join(module.split(".")[:2])
        for name in () if room in _NOT_CALLED else names.split(", "):
            yield Entry(room, f"{module}.{name}", getattr(import_module(module), name))


def _is_same(entry: Entry, other: Entry) -> bool:
    return entry.value is other.value and entry.name == other.name


def _page(room: str, here: list[Entry], everywhere: list[Entry]) -> Page:
    lines = [room, "=" * len(room), "", f".. automodule:: {room}", "   :no-members:", ""]
    also = [f":py:obj:`{name} <{address}>`" for name, address in _from_elsewhere(room, everywhere)]
    if also:
        lines += [f"Also here, by the same names: {', '.join(also)}.", ""]
    lines += [f"- :py:obj:`{entry.name} <{entry.address}>`{first_sentence(entry.value)}" for entry in here]
    for entry in here:
        lines += ["", *_described(entry, everywhere)]
    about = re.sub(r":\w+:`[^`]*?([^`.]+)`|`+", r"\1", first_sentence(import_module(room))).replace(f": {room}: ", ": ")
    return Page(f"reference/{room}", room, "\n".join(lines) + "\n", suffix=".rst", about=about)


def _from_elsewhere(room: str, everywhere: list[Entry]) -> Iterator[tuple[str, str]]:
    """What a room hands on that has its entry on another page: name, address."""
    module = import_module(room)
    for name in getattr(module, "__all__", ()):
        value = getattr(module, name)
        if isinstance(value, ModuleType):
            yield name, value.__name__
        elif elsewhere := [entry for entry in everywhere if entry.value is value and entry.room != room]:
            yield name, elsewhere[0].address


def first_sentence(value: Any) -> str:
    """Return how a docstring begins, after a dash; nothing where there is none, or only what dataclasses write.

    >>> first_sentence(first_sentence)
    ': Return how a docstring begins, after a dash; nothing where there is none, or only what dataclasses write.'
    """
    if not (isinstance(value, (type, ModuleType)) or callable(value)) or not (text := inspect.getdoc(value)):
        return ""
    if text.startswith(f"{getattr(value, '__name__', '')}("):
        return ""
    return ": " + re.sub(r"\s+", " ", text.partition("\n\n")[0]).replace("|", r"\|")


def _described(entry: Entry, everywhere: list[Entry]) -> Iterator[str]:
    """What Sphinx makes the entry from; a class says which of its methods are those of another entry."""
    if isinstance(entry.value, type):
        yield from (f".. autoclass:: {entry.address}", "   :members:", "   :undoc-members:")
        for base in everywhere:
            if base.value in entry.value.__mro__[1:] and (shared := _shared(entry.value, base)):
                yield from ("", f"   As in :py:obj:`{base.name} <{base.address}>`: {', '.join(shared)}.")
        yield ""
    elif callable(entry.value) and hasattr(entry.value, "__name__"):
        yield from (f".. autofunction:: {entry.address}", "")
    else:
        yield from (f".. py:data:: {entry.address}", "", *(f"   {line}" for line in attribute_words(entry)), "")


def attribute_words(entry: Entry) -> list[str]:
    """Return the words below an attribute of a module, in whichever module of the package it is written.

    Raises:
        SiteError: if it has none: what Sphinx would show in their place are the words of its type.
    """
    for name in sorted(name for name in sys.modules if name.split(".")[0] == "exactdp"):
        if getattr(sys.modules[name], entry.name, None) is entry.value:
            for before, after in pairwise(ast.parse(inspect.getsource(sys.modules[name])).body):
                if _assigned(before) == entry.name and isinstance(after, ast.Expr):
                    return inspect.cleandoc(ast.literal_eval(after.value)).splitlines()
    raise SiteError(f"{entry.address} has an entry in the API reference and no words. Write a docstring below it.")


def _assigned(statement: ast.stmt) -> str:
    """The name that a statement gives to a value, if it gives one."""
    target = statement.target if isinstance(statement, ast.AnnAssign) else getattr(statement, "targets", [None])[0]
    return target.id if isinstance(target, ast.Name) else ""


def _shared(kind: type, base: Entry) -> list[str]:
    names = [name for name in vars(base.value) if name[0] != "_" and _owner(kind, name) is base.value]
    return [f":py:obj:`{name} <{base.address}.{name}>`" for name in names]


def _owner(kind: type, name: str) -> type:
    return next(owner for owner in kind.__mro__ if name in vars(owner))
