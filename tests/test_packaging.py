"""What is shipped: the archives, the metadata, and the files beside the code that people read."""

import configparser
import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.message import Message
from email.parser import Parser
from fractions import Fraction
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted(p for p in (ROOT / "examples").iterdir() if p.suffix in (".toml", ".json"))
FIRST_RUN = "python3 -m venv .venv && .venv/bin/python -m pip install . && .venv/bin/exactdp prove"
TEST_RUN = "python3 -m venv .venv && .venv/bin/python -m pip install '.[test]' && .venv/bin/python -m pytest"


def _files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, through links, by its path there; caches and outputs of Coq left out."""
    return {
        (Path(place) / file).relative_to(folder).as_posix(): (Path(place) / file).read_bytes()
        for place, _, files in os.walk(folder, followlinks=True)
        for file in files
        if not file.endswith((".pyc", ".vo", ".vok", ".vos", ".glob", ".aux", ".cache"))
    }


@pytest.fixture(scope="module")
def project() -> dict[str, object]:
    return dict(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"])


# --- The archives ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The sdist, and the wheels built from this checkout and from the sdist, unpacked."""
    base = tmp_path_factory.mktemp("shipped")
    folders = {name: base / name for name in ("sdist", "wheel", "wheel_from_sdist")}
    with tarfile.open(_build("sdist", ROOT, base / "a")) as archive:
        archive.extractall(base / "unpacked", filter="data")
    (base / "unpacked").joinpath(os.listdir(base / "unpacked")[0]).rename(folders["sdist"])
    for name, source in (("wheel", ROOT), ("wheel_from_sdist", folders["sdist"])):
        with zipfile.ZipFile(_build("wheel", source, base / f"archive-{name}")) as wheel:
            wheel.extractall(folders[name])
    return folders


def _build(kind: str, source: Path, target: Path) -> Path:
    target.mkdir()
    quick = "import functools, gzip; gzip.GzipFile = functools.partial(gzip.GzipFile, compresslevel=1)"
    code = f"{quick}\nimport hatchling.build, sys; hatchling.build.build_{kind}(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", code, str(target)], cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (archive,) = target.iterdir()
    return archive


def test_the_checkout_has_its_proofs_under_both_names() -> None:
    link = ROOT / "exactdp" / "proofs"
    if link.is_symlink():
        assert os.readlink(link) == "../proofs"
    assert _files(link) == _files(ROOT / "proofs")
    assert "__init__.py" in _files(link)


@pytest.mark.slow
def test_both_wheels_are_the_package_and_its_proofs_and_nothing_else(shipped: dict[str, Path]) -> None:
    for name in ("wheel", "wheel_from_sdist"):
        assert {p.name for p in shipped[name].iterdir() if not p.name.endswith(".dist-info")} == {"exactdp"}
        assert _files(shipped[name] / "exactdp") == _files(ROOT / "exactdp")
        assert _files(shipped[name] / "exactdp" / "proofs") == _files(ROOT / "proofs")


@pytest.mark.slow
def test_the_wheel_holds_what_is_read_at_run_time(shipped: dict[str, Path]) -> None:
    for path in (
        "py.typed",
        "references.bib",
        "cli/output-1.schema.json",
        "mechanisms/randomizer-1.schema.json",
        "certificates/claim-3.schema.json",
        "certificates/verify.py",
        "checker/__main__.py",
        "proofs/__init__.py",
    ):
        assert (shipped["wheel"] / "exactdp" / path).is_file(), path


@pytest.mark.slow
def test_the_sdist_is_a_whole_checkout(shipped: dict[str, Path]) -> None:
    for folder in ("exactdp", "proofs", "tests", "benchmarks", "docs", "examples", "tools", ".github"):
        assert _files(shipped["sdist"] / folder) == _files(ROOT / folder), folder
    assert not (shipped["sdist"] / "exactdp" / "proofs").is_symlink()
    pages = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CITATION.cff", "LICENSE")
    for file in (*pages, ".ci/run", ".pre-commit-config.yaml"):
        assert (shipped["sdist"] / file).read_bytes() == (ROOT / file).read_bytes(), file
    assert not list(shipped["sdist"].glob(".venv*"))


@pytest.mark.slow
@pytest.mark.slow
@pytest.mark.parametrize("name", ["sdist", "wheel", "wheel_from_sdist"])
def test_the_proofs_import_from_what_is_shipped(name: str, shipped: dict[str, Path], tmp_path: Path) -> None:
    code = f"import sys; sys.path.insert(0, {str(shipped[name])!r}); import exactdp.proofs as p; print(p.__file__)"
    done = subprocess.run([sys.executable, "-I", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()) == shipped[name] / "exactdp" / "proofs" / "__init__.py"


# --- The metadata ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def metadata(shipped: dict[str, Path]) -> Message:
    (info,) = shipped["wheel"].glob("*.dist-info")
    return Parser().parsestr((info / "METADATA").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_every_requirement_is_a_floor_without_a_cap(metadata: Message) -> None:
    requirements = [r.split(";")[0].strip() for r in metadata.get_all("Requires-Dist", [])]
    outside = [r for r in requirements if not r.startswith("exactdp[")]
    assert len(outside) >= 10
    for requirement in outside:
        assert re.fullmatch(r"[a-z0-9-]+>=[0-9.]+", requirement), requirement
    assert metadata["Requires-Python"] == ">=3.11"


@pytest.mark.slow
def test_the_extras_are_the_documented_ones(metadata: Message) -> None:
    assert set(metadata.get_all("Provides-Extra", [])) == {
        "testing",
        "test",
        "browser",
        "distributed",
        "docs",
        "peers",
        "lint",
        "dev",
    }


@pytest.mark.slow
def test_one_version_everywhere(project: dict[str, object], metadata: Message) -> None:
    import exactdp

    version = project["version"]
    assert metadata["Version"] == version
    assert exactdp.__version__ == version


@pytest.mark.slow
def test_one_license_everywhere(project: dict[str, object], metadata: Message) -> None:
    assert project["license"] == metadata["License-Expression"] == "MIT"
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License\n")
    assert "\nlicense: MIT\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_command_starts(shipped: dict[str, Path]) -> None:
    (info,) = shipped["wheel"].glob("*.dist-info")
    assert "exactdp = exactdp.cli.main:main" in (info / "entry_points.txt").read_text().splitlines()
    from exactdp.cli.main import main

    assert callable(main)


@pytest.mark.slow
def test_pytest_finds_the_plugin(shipped: dict[str, Path]) -> None:
    (info,) = shipped["wheel"].glob("*.dist-info")
    found = configparser.ConfigParser()
    found.read(info / "entry_points.txt")
    assert dict(found["pytest11"]) == {"exactdp": "exactdp.testing.plugin"}


# --- The files that people read -------------------------------------------------------------------------------------


def test_the_readme_and_ci_give_the_same_two_commands() -> None:
    for file in ("README.md", ".ci/run"):
        text = (ROOT / file).read_text(encoding="utf-8")
        assert FIRST_RUN in text, file
        assert TEST_RUN in text, file


def test_ci_can_be_run() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    subprocess.run(["bash", "-n", str(ROOT / ".ci" / "run")], check=True)


# e^(local epsilon) of each example, as its first lines say; None where it is infinite
LOCAL_EXP_EPSILON: dict[str, int | None] = {
    "asymmetric.json": 7,
    "binary_randomized_response.toml": 3,
    "complement.toml": None,
    "four_ary_randomized_response.toml": 5,
    "gap.toml": None,
    "three_messages.toml": 27,
    "zsum.toml": None,
}


def test_the_examples_are_the_listed_ones() -> None:
    assert [p.name for p in EXAMPLES] == sorted(LOCAL_EXP_EPSILON)
    listed = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    for example in EXAMPLES:
        assert f"[{example.name}]({example.name})" in listed


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_is_the_randomizer_it_says(path: Path) -> None:
    import exactdp as xdp

    text = path.read_text(encoding="utf-8")
    table = {
        row["input"]: {tuple(m["send"]): Fraction(m["prob"]) for m in row["messages"]}
        for row in (json.loads(text) if path.suffix == ".json" else tomllib.loads(text))["row"]
    }
    randomizer = xdp.Randomizer.from_file(path)
    assert randomizer == xdp.Randomizer(table)
    assert list(randomizer.inputs) == list(table)
    local = randomizer.local_epsilon()
    expected = LOCAL_EXP_EPSILON[path.name]
    assert local.is_infinite if expected is None else local.argument == expected
    if path.suffix == ".toml":
        assert f"\n# Local epsilon: {'infinite' if expected is None else f'log {expected}'}" in text


def test_the_documented_files_are_valid_and_are_the_same_randomizer(tmp_path: Path) -> None:
    import exactdp as xdp

    text = (ROOT / "docs" / "randomizer-files.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(toml|json)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    plain = [(suffix, block) for suffix, block in blocks if "row" in block and "[parameters]" not in block]
    assert [suffix for suffix, _ in plain] == ["toml", "json"]
    randomizers = set()
    for suffix, block in plain:
        path = tmp_path / f"mine.{suffix}"
        path.write_text(block, encoding="utf-8")
        randomizers.add(xdp.Randomizer.from_file(path))
    assert len(randomizers) == 1


def test_the_documented_file_with_parameters_is_the_example(tmp_path: Path) -> None:
    from exactdp.symbolic import SymbolicRandomizer

    text = (ROOT / "docs" / "randomizer-files.md").read_text(encoding="utf-8")
    (block,) = (b for b in re.findall(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL) if "[parameters]" in b)
    path = tmp_path / "mine.toml"
    path.write_text(block, encoding="utf-8")
    example = SymbolicRandomizer.from_file(ROOT / "examples" / "boxes" / "response_with_gamma.toml")
    assert SymbolicRandomizer.from_file(path).at(gamma="1/3", x=1) == example.at(gamma="1/3")
