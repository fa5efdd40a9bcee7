"""Old import paths: the same objects, one warning for an import, none for unpickling."""

import pickle
import subprocess
import sys
import warnings
from importlib import import_module
from importlib.resources import files
from pathlib import Path

import pytest

import exactdp
from exactdp.moved import NOW, spec_of
from tests.contract.values import PICKLES

ROOT = Path(exactdp.__file__).parent


@pytest.fixture
def nothing_imported() -> object:
    """Old paths are those that nobody has imported in this process."""
    before = {name: sys.modules.pop(name) for name in list(sys.modules) if name.removeprefix("exactdp.") in NOW}
    yield
    sys.modules.update(before)


def said_by(code: str) -> list[str]:
    """The warnings of a fresh process, each without its place."""
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", code], cwd=ROOT.parent, capture_output=True, text=True, check=True
    )
    return [line.partition("FutureWarning: ")[2] for line in done.stderr.splitlines() if "FutureWarning: " in line]


@pytest.mark.parametrize("old", NOW)
def test_an_old_path_is_the_module_at_the_new_one(old: str, nothing_imported: object) -> None:
    new = import_module(f"exactdp.{NOW[old]}")
    with pytest.warns(FutureWarning, match=rf"^exactdp\.{old} is now exactdp\.{NOW[old]}\.$"):
        assert import_module(f"exactdp.{old}") is new
    assert new.__name__ == new.__spec__.name == f"exactdp.{NOW[old]}"


def test_no_old_path_is_a_file_and_every_new_one_is() -> None:
    for old, new in NOW.items():
        assert not (ROOT / old.replace(".", "/")).with_suffix(".py").exists()
        path = ROOT / new.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__init__.py").exists()


@pytest.mark.parametrize(
    "code",
    [
        "import exactdp.engines.planner\nimport exactdp.engines.planner",
        "from exactdp.engines import planner\nfrom exactdp.engines.planner import engine_of",
        "import importlib\nfor _ in range(2): importlib.import_module('exactdp.engines.planner')",
    ],
)
def test_an_import_warns_once(code: str) -> None:
    assert said_by(code) == ["exactdp.engines.planner is now exactdp.privacy.planner."]


def test_a_module_of_the_front_door_has_its_old_path() -> None:
    code = "from exactdp import profile; from exactdp.privacy.profile import PrivacyProfile as P"
    assert said_by(f"{code}; assert profile.PrivacyProfile is P") == ["exactdp.profile is now exactdp.privacy.profile."]


def test_unpickling_says_nothing() -> None:
    """In C, and in Python."""
    code = f"""
import pickle
from pathlib import Path
for path in sorted(Path({str(PICKLES)!r}).glob("*.pickle")):
    for load in pickle.load, pickle._load:
        with path.open("rb") as file:
            load(file)
import sys
assert "exactdp.profile" in sys.modules
"""
    assert said_by(code) == []


def test_a_value_is_pickled_under_its_new_path() -> None:
    with warnings.catch_warnings(action="error"):
        kept = pickle.loads((PICKLES / "PrivacyProfile.pickle").read_bytes())
    assert b"exactdp.privacy.profile" in pickle.dumps(kept)


@pytest.mark.parametrize("name", ["exactdp.nonsense", "exactdp.engines.nonsense", "exactdp.privacy.nonsense"])
def test_what_never_was_is_not_found(name: str) -> None:
    with pytest.raises(ModuleNotFoundError, match=f"No module named '{name}'"):
        import_module(name)


def test_public_packages_keep_their_names_without_a_word() -> None:
    names = ["bounds", "exchange", "protocols", "randomizers", "reference", "sampling", "symbolic", "testing"]
    assert said_by("\n".join(f"import exactdp.{name}; from exactdp import {name}" for name in names)) == []


def test_the_finder_costs_nothing_where_nothing_is_old() -> None:
    code = "import sys, exactdp; exactdp.randomized_response; print('exactdp.moved' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT.parent, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_the_schema_of_randomizer_files_is_found_where_it_was() -> None:
    """What ``importlib.resources.files("exactdp.models")`` asks, unless a checkout has a folder left of that name."""
    spec = spec_of("exactdp.models")
    assert spec is not None
    old = spec.loader.get_resource_reader("exactdp.models").files() / "randomizer-1.schema.json"
    assert old.read_text("utf-8") == (files("exactdp.mechanisms") / old.name).read_text("utf-8")
    assert spec_of("exactdp.engines").loader.get_resource_reader("exactdp.engines") is None
