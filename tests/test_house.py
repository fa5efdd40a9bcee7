"""What tools/measure-house prints of this checkout is no worse than what was reached."""

import sys
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent

REACHED = {
    "rooms of exactdp/": 26,
    "floors": 13,
    "arrows between rooms": 120,  # the last: `testing` asks `studies`, whose search `assert_amplification_bound` is
    "circles": 0,
    "arrows up": 0,
    "class questions on protocols and families, outside their packages": 9,
    "files that ask them": 7,
    "files of exactdp that name correlated counting, outside its package": 18,
    "modules that `delta` of a 2 x 2 table loads": 50,
}
"""The most of each; seconds and lines are left to the reader."""


@pytest.fixture(scope="module")
def measure() -> Iterator[ModuleType]:
    """The tool, which has no ending by which it could be imported."""
    loader = SourceFileLoader("measure_house", str(ROOT / "tools" / "measure-house"))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.dont_write_bytecode", True)
        patch.setitem(sys.modules, loader.name, module)
        loader.exec_module(module)
        yield module


@pytest.mark.slow
def test_the_house_is_cut_as_well_as_it_was(measure: ModuleType) -> None:
    found = {name: int(now) for name, _, now, _ in measure.measures(ROOT, processes=1) if name in REACHED}
    assert found.keys() == REACHED.keys()
    assert {name: now for name, now in found.items() if now > REACHED[name]} == {}


def test_unit_tests_have_the_folders_of_what_they_test() -> None:
    """But for those of tools/docs_site, and folders of data, in which there is no test."""
    folders = {file.parent.relative_to(ROOT / "tests/unit") for file in (ROOT / "tests/unit").rglob("test_*.py")}
    assert len(folders) > 30
    assert {str(one) for one in folders if not (ROOT / "exactdp" / one).is_dir()} == {"docs_site"}


def test_a_crooked_house_is_measured(measure: ModuleType, tmp_path: Path) -> None:
    for name, text in {
        "exactdp/__init__.py": "from exactdp.numbers import a",
        "exactdp/numbers/a.py": "def f():\n    from exactdp.laws import b",
        "exactdp/laws/b.py": "import exactdp.numbers.a",
        "exactdp/mechanisms/coin_family.py": "class Coin: ...",
        "exactdp/protocols/coin.py": "isinstance(x, Coin)\nmatch x:\n    case Coin():\n        ...",
        "proofs/c.py": "from exactdp.laws import b",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = measure.read_files(tmp_path)
    arrows = measure.arrows_of(files)
    assert arrows == {
        "": {"numbers"},
        "numbers": {"laws"},
        "laws": {"numbers"},
        "mechanisms": set(),
        "protocols": set(),
    }
    assert measure.circles(files) == [{"exactdp.numbers", "exactdp.laws"}]
    assert measure.class_questions(files) == [("exactdp/protocols/coin.py", 1), ("exactdp/protocols/coin.py", 3)]
