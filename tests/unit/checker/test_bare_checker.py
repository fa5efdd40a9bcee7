"""The bare checker: one file that is built from exactdp/checker/ and answers as the package does."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from exactdp.certificates import verify
from exactdp.claims.bare_checker import bare_checker, joined
from exactdp.cli.main import cli
from tests.certificates import bare, make_corpus

ROOT = Path(__file__).resolve().parents[3]
CORPUS = ROOT / "tests" / "certificates"
REFUSED = [path for version in make_corpus.VERSIONS for path in sorted((CORPUS / version / "incorrect").glob("*"))][
    ::10
]
"""Every tenth of the incorrect files; CI compares the answers to all of them, and to the others."""
MAIN = """
import sys

from .laws import HALF

if __name__ == "__main__":
    sys.stdout.write(f"{HALF}")
"""
LAWS = """
from fractions import Fraction

HALF = Fraction(1, 2)  # a law
"""
SOURCES = {"__init__": '"""A package."""', "laws": f'"""Laws."""\n{LAWS}', "__main__": f'"""Say it."""\n{MAIN}'}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bare file, as the command writes it."""
    path = tmp_path_factory.mktemp("bare") / "checker.py"
    result = CliRunner().invoke(cli, ["verify", "--write-checker", str(path)])
    assert (result.exit_code, result.stdout) == (0, "")
    return path


def run(file: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a file in an interpreter that sees neither this package nor any other."""
    command = [sys.executable, "-I", "-S", str(file), *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=file.parent, check=False)


def test_it_has_the_same_bytes_each_time(file: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.py"
    done = subprocess.run([sys.executable, str(ROOT / "tools" / "bundle"), str(again)], cwd=tmp_path, check=False)
    assert done.returncode == 0
    assert again.read_bytes() == file.read_bytes() == bare_checker().encode("ascii")


def test_it_is_python_3_9_and_imports_the_standard_library_only(file: Path) -> None:
    tree = ast.parse(file.read_bytes(), feature_version=(3, 9))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            assert {alias.name for alias in node.names} <= sys.stdlib_module_names
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            assert str(node.module).split(".")[0] in sys.stdlib_module_names


def unions_asked(source: str | bytes) -> list[int]:
    """The lines that ask isinstance for a union of types, which a parser for 3.9 reads and Python 3.9 refuses."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance"
        if any(isinstance(part, ast.BinOp) for part in ast.walk(node.args[1]))
    ]


def test_it_asks_for_no_union_of_types(file: Path) -> None:
    """The tuple that it needs instead is kept by tools/try-checker too, which a workflow runs with Python 3.9."""
    assert unions_asked("a = 1\nisinstance(a, (int, str))\nisinstance(a, int | str)") == [3]
    assert unions_asked(file.read_bytes()) == []


def test_it_keeps_every_statement_of_the_package(file: Path) -> None:
    kept = {ast.dump(node) for node in ast.parse(file.read_bytes()).body}
    for source in bare.SOURCES[1:]:
        for node in ast.parse(source.read_bytes()).body[1:]:
            assert isinstance(node, ast.Import | ast.ImportFrom) or ast.dump(node) in kept


def test_it_answers_as_the_package_does(file: Path) -> None:
    done = run(file, *map(str, REFUSED))
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines() == [verify.report(str(path))[1] for path in REFUSED]


def test_without_files_it_says_how_to_use_it(file: Path) -> None:
    done = run(file)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "usage: python verify.py FILE...\n")


def test_it_can_be_written_and_files_checked_in_one_run(tmp_path: Path) -> None:
    path = tmp_path / "checker.py"
    result = CliRunner().invoke(cli, ["verify", str(REFUSED[0]), "--write-checker", str(path)])
    assert (result.exit_code, result.stdout.split()[0]) == (1, "REJECTED")
    assert path.read_text(encoding="ascii") == bare_checker()


def test_verify_without_anything_to_do_is_refused() -> None:
    result = CliRunner().invoke(cli, ["verify"])
    assert result.exit_code == 2
    assert "Missing argument 'FILES...'" in result.stderr


def test_files_are_joined_in_the_order_of_their_imports(tmp_path: Path) -> None:
    text = joined(SOURCES)
    assert text.index("# --- laws") < text.index("HALF = Fraction(1, 2)  # a law") < text.index("# --- __main__")
    assert "from ." not in text
    file = tmp_path / "joined.py"
    file.write_text(text, encoding="ascii")
    assert run(file).stdout == "1/2"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"laws": "HALF = 1\nsys = 2"}, "The name 'sys' clashes: 'laws.py' and, in __main__.py, 'import sys'."),
        (
            {"more": "def show(): ...", "laws": f"from .more import show\n{LAWS}\nclass show: ..."},
            "The name 'show' clashes: 'more.py' and, in laws.py, 'laws.py'.",
        ),
        ({"laws": "from math import prod as HALF"}, "__main__.py imports HALF, which laws.py does not define."),
        ({"laws": "from .__main__ import sys\nHALF = 1"}, "in a circle: __main__ -> laws -> __main__."),
        ({"more": ""}, "more.py is imported by no file"),
        ({"laws": "from .more import x"}, "laws.py imports more.py, which is not there."),
        ({"laws": "from . import more"}, "laws.py: `from . import more` is not `from .name import a, b`."),
        ({"laws": "from .more import a as b", "more": ""}, "laws.py: `from .more import a as b` is not"),
    ],
)
def test_what_cannot_be_joined_is_refused(changes: dict[str, str], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        joined({**SOURCES, **changes})
