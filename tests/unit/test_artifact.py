"""tools/artifact: what it puts into the folder; .ci/run builds all of it, and follows its README without exactdp."""

import re
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

from exactdp.proofs import development, stored

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def artifact() -> ModuleType:
    """The tool, whose file has no suffix."""
    loader = SourceFileLoader("artifact", str(ROOT / "tools" / "artifact"))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    tool = module_from_spec(spec)
    loader.exec_module(tool)
    return tool


def test_every_row_of_the_page_has_a_certificate_there(artifact: ModuleType, tmp_path: Path) -> None:
    without_files = re.sub(r" -o \S+\.json", "", PAGE)
    rows = artifact.rows_and_files(without_files, tmp_path)
    assert rows == sorted(set(re.findall(r"^([a-z-]+): (?:PROVED|REFUTED), level", PAGE, re.MULTILINE)))
    assert set(rows) <= set(stored.certificates())


def test_the_sources_are_those_that_the_record_names_and_whatever_they_require(
    artifact: ModuleType, tmp_path: Path
) -> None:
    stated = artifact.write_coq(["gap-all-n", "gap-curve"], tmp_path)
    assert stated == {"gap-all-n": "rows.gap.row_gap_all_n_holds"}
    names = {path.stem for path in tmp_path.rglob("*.v")}
    required = re.findall(r"^From Exactdp Require (?:Import |Export )?([\w\s]+?)\.$", texts(tmp_path), re.MULTILINE)
    assert {name for line in required for name in line.split()} <= names
    project = (tmp_path / "_CoqProject").read_text("utf-8")
    assert set(re.findall(r"(\w+)\.v$", project, re.MULTILINE)) == names
    digests = (tmp_path / "SOURCES.expected").read_text("utf-8").splitlines()
    recorded = (development.FOLDER / "SOURCES.expected").read_text("utf-8").splitlines()
    assert len(digests) == len(list(tmp_path.rglob("*.v"))) + 1
    assert set(digests[1:]) <= set(recorded)
    axioms = (tmp_path / "AXIOMS.expected").read_text("utf-8")
    assert re.findall(r"^rows\.gap\.row_gap_all_n_holds: .*$", axioms, re.MULTILINE)
    assert len(re.findall(r"^\d = ", axioms, re.MULTILINE)) == 4


def texts(folder: Path) -> str:
    """All sources of a folder."""
    return "\n".join(path.read_text("utf-8") for path in folder.rglob("*.v"))


def test_what_the_proved_checker_and_its_rows_require_is_there(artifact: ModuleType, tmp_path: Path) -> None:
    computed = next(row for row, at in development.propositions().items() if development.is_computed(at.theorem))
    assert artifact.write_coq([computed], tmp_path) == {computed: development.propositions()[computed].theorem}
    required = re.findall(
        r"^From Exactdp Require (?:Import |Export )?([\w\s]+?)\.$", texts(development.CHECKER), re.MULTILINE
    )
    assert {name for line in required for name in line.split()} <= {path.stem for path in tmp_path.rglob("*.v")}
