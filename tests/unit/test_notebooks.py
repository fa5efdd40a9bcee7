"""The notebooks in examples/: each runs by itself, prints what it says it prints, and is in the format it claims."""

import ast
import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

import pytest

from tests.thinned import thinned

ROOT = Path(__file__).resolve().parent.parent.parent
NOTEBOOKS = sorted((ROOT / "examples").glob("*.py"))
NAMES = [
    "choosing_the_least_noise.py",
    "first_steps.py",
    "proving_a_claim_for_all_parameters.py",
    "refuting_a_published_bound.py",
]
CPU_SECONDS = 20
STATED = "# -> "


def stated(source: str) -> list[str]:
    """Return the lines that the notebook says its cells print."""
    return [line.removeprefix(STATED) for line in source.splitlines() if line.startswith(STATED)]


def run(path: Path, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run a notebook in a fresh process, in an empty folder, with this checkout in front and warnings as errors."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-W", "error", str(path)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


def objections(path: Path, folder: Path) -> list[str]:
    """Say in what a notebook's run differs from what it states."""
    before = getrusage(RUSAGE_CHILDREN)
    done = run(path, folder)
    after = getrusage(RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    expected, printed = stated(path.read_text(encoding="utf-8")), done.stdout.splitlines()
    found = [f"exit status {done.returncode}: {done.stderr}"] if done.returncode or done.stderr else []
    found += [f"states {e!r}, prints {p!r}" for e, p in zip(expected, printed, strict=False) if e != p]
    found += [f"states {len(expected)} lines, prints {len(printed)}"] if len(expected) != len(printed) else []
    found += [f"writes {name}" for name in os.listdir(folder)]
    return found + ([f"takes {seconds:.0f} s"] if seconds > CPU_SECONDS else [])


def cells(source: str) -> list[tuple[str, str]]:
    """Return (head, text) of the cells; what is before the first one is the head of the file."""
    parts = re.split(r"(?m)^(# %%.*)\n", source)
    return [("", parts[0]), *zip(parts[1::2], parts[2::2], strict=True)]


def faults(source: str) -> list[str]:
    """Say what is wrong with the form of a notebook, in the percent format."""
    (_, top), *rest = cells(source)
    found = [] if "format_name: percent" in top and not ast.parse(top).body else ["no head, or code in it"]
    for number, (head, text) in enumerate(rest, start=1):
        lines = text.rstrip().splitlines()
        if head == "# %% [markdown]":
            found += [f"cell {number}: not a comment: {line}" for line in lines if not re.match(r"#( |$)", line)]
        elif head == "# %%":
            statements = ast.parse(text).body
            found += [] if statements else [f"cell {number}: no code"]
            bare = [s for s in statements if isinstance(s, ast.Expr) and not isinstance(s.value, ast.Call)]
            found += [f"cell {number}: only the last line of a cell is shown" for s in bare if s is not statements[-1]]
        else:
            found.append(f"cell {number}: the head {head}")
    if not rest or rest[0][0] != "# %% [markdown]" or not rest[0][1].startswith("# # "):
        found.append("no title")
    for node in ast.walk(ast.parse(source)):
        modules = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        allowed = {"exactdp", *sys.stdlib_module_names}
        found += [f"imports {name}" for name in modules if name.split(".")[0] not in allowed]
    return found if any(isinstance(n, ast.Assert) for n in ast.walk(ast.parse(source))) else [*found, "no assertion"]


def test_the_notebooks_are_the_listed_ones() -> None:
    assert [path.name for path in NOTEBOOKS] == NAMES
    listed = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    for name in NAMES:
        assert f"[{name}]({name})" in listed


@pytest.mark.parametrize("path", thinned(NOTEBOOKS, every=4), ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_says(path: Path, tmp_path: Path) -> None:
    assert len(stated(path.read_text(encoding="utf-8"))) >= 10
    assert objections(path, tmp_path) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_has_the_percent_format(path: Path) -> None:
    assert faults(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, marks=[] if p.stem == "first_steps" else [pytest.mark.slow], id=p.stem) for p in NOTEBOOKS],
)
def test_a_notebook_shows_values_that_have_a_table(path: Path) -> None:
    """The cells are run one by one, as a notebook runs them; what a cell ends in shows itself in HTML."""
    names: dict[str, object] = {}
    shown = []
    for head, text in cells(path.read_text(encoding="utf-8")):
        statements = ast.parse(text).body if head == "# %%" else []
        last = statements[-1] if statements else None
        with redirect_stdout(StringIO()):
            exec(compile(text if statements else "", path.name, "exec"), names)
        if isinstance(last, ast.Expr) and not isinstance(last.value, ast.Call):
            shown.append(eval(compile(ast.Expression(last.value), path.name, "eval"), names))
    assert len(shown) >= 1
    assert all(value._repr_html_().startswith(("<table>", "<div>")) for value in shown)


# --- The checks fail where they should ------------------------------------------------------------------------------

GOOD = "# format_name: percent\n\n# %% [markdown]\n# # A title\n#\n# Words.\n\n# %%\nassert True\nprint(1)\n# -> 1\n"


def test_a_good_notebook_passes(tmp_path: Path) -> None:
    path = tmp_path / "good.py"
    path.write_text(GOOD, encoding="utf-8")
    (tmp_path / "empty").mkdir()
    assert objections(path, tmp_path / "empty") == []
    assert faults(GOOD) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("# -> 1", "# -> 2", "states '2', prints '1'"),
        ("# -> 1", "# -> 1\n# -> 2", "states 2 lines, prints 1"),
        ("# -> 1", "print(2)", "states 0 lines, prints 2"),
        ("assert True", "assert False", "exit status 1"),
        ("assert True", "import warnings; warnings.warn('old', stacklevel=1)", "exit status 1"),
        ("assert True", "open('left', 'w').close()", "writes left"),
    ],
)
def test_a_wrong_notebook_is_caught(old: str, new: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(GOOD.replace(old, new), encoding="utf-8")
    (tmp_path / "empty").mkdir()
    assert said in "\n".join(objections(path, tmp_path / "empty"))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("# Words.", "words = 1", "cell 1: not a comment: words = 1"),
        ("# %%\n", "# %% [code]\n", "the head # %% [code]"),
        ("# # A title", "# A title", "no title"),
        ("assert True", "import numpy", "imports numpy"),
        ("assert True", "x = 1", "no assertion"),
        ("assert True", "assert True\nTrue", "only the last line"),
        ("assert True\nprint(1)", "# assert", "cell 2: no code"),
        ("format_name: percent", "", "no head"),
    ],
)
def test_a_fault_of_form_is_named(old: str, new: str, said: str) -> None:
    assert said in "\n".join(faults(GOOD.replace(old, new)))
