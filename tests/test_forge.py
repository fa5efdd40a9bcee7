"""Workflows, hooks, forms and the scripts of a release: what they name is there, and what is wrong is refused."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import yaml

from exactdp.checker import limits
from tests import long_tests
from tools import releasing

ROOT = Path(__file__).resolve().parent.parent
FORGE = ROOT / ".github"
WORKFLOWS = sorted((FORGE / "workflows").glob("*.yml"))
PROJECT = releasing.project()
VERSION = PROJECT["version"]
RELEASE = "1.2.3"
"""The version of the tree that the tests of a release make."""
OWN = re.compile(r"(?:^|\s)((?:\.ci|tools)/[\w-]+)")
"""A script of this tree, in a command."""


def read(path: Path) -> dict[Any, Any]:
    return dict(yaml.safe_load(path.read_text(encoding="utf-8")))


def commands(workflow: dict[Any, Any]) -> list[str]:
    return [step["run"] for job in workflow["jobs"].values() for step in job.get("steps", []) if "run" in step]


NOT_IN_CI = {
    "tests/properties/test_tails.py": "half an hour, by hand, as its docstring says",
    "tests/unit/proofs/test_proofs.py": "`exactdp prove` decides the same rows, in a step of its own",
}
"""Slow tests that no step runs, and why."""


def left_out_of_ci(steps: str) -> set[str]:
    """Files with slow tests that no step with slow tests names, by themselves or by a folder."""
    logical = steps.replace("\\\n", " ").splitlines()
    named = {word for line in logical if "slow" in line for word in re.findall(r"tests/[\w/.*]+", line)}
    files = [path.relative_to(ROOT) for path in sorted((ROOT / "tests").rglob("test_*.py"))]
    slow = {path for path in files if re.search(r"mark\.slow|thinned\(", (ROOT / path).read_text(encoding="utf-8"))}
    slow |= {Path(name.partition("::")[0]) for name in long_tests.waiting()}
    return {
        path.as_posix() for path in slow if not any(path.is_relative_to(each) or path.match(each) for each in named)
    }


def test_every_slow_test_is_in_a_step_or_has_a_reason() -> None:
    steps = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert left_out_of_ci(steps) == set(NOT_IN_CI)
    assert "tests/unit/protocols/zsum_and_histogram/test_slack.py" in left_out_of_ci(
        steps.replace(" tests/unit/protocols", "")
    )


def steps_of_ci() -> set[str]:
    return set(re.findall(r"^ *step '([^']+)'", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE))


def faults(workflow: dict[Any, Any]) -> list[str]:
    """What a workflow names that is not there: scripts, steps of .ci/run, extras, jobs, entries of a matrix."""
    found = []
    for command in commands(workflow):
        scripts = OWN.findall(command)
        found += [script for script in scripts if not os.access(ROOT / script, os.X_OK)]
        if ".ci/run" in scripts:
            found += [step for step in _named_steps(command) if step not in steps_of_ci()]
        for extras in re.findall(r"\.\[([\w,]+)\]", command):
            found += [extra for extra in extras.split(",") if extra not in PROJECT["optional-dependencies"]]
        if not scripts and not re.fullmatch(r"python -m pip install '\.\[\w+\]'", command):
            found.append(command)
    for job in workflow["jobs"].values():
        needed = job.get("needs", [])
        found += [need for need in [needed] if isinstance(need, str) and need not in workflow["jobs"]]
        asked = set(re.findall(r"\$\{\{ matrix\.(\w+) \}\}", yaml.safe_dump(job, width=10**6)))
        found += sorted(asked ^ set(job.get("strategy", {}).get("matrix", {})))
    return found


def _named_steps(command: str) -> list[str]:
    """The words after .ci/run: those in quotes, and those without."""
    words = re.findall(r"'([^']*)'|(\S+)", command.split(".ci/run", 1)[1])
    return [quoted or bare for quoted, bare in words]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_whatever_a_workflow_names_is_there(path: Path) -> None:
    assert faults(read(path)) == []


@pytest.mark.parametrize(
    ("old", "new", "missing"),
    [
        ("tools/try-packages", "tools/try-package", "tools/try-package"),
        (".ci/run lint", ".ci/run lints", "lints"),
        ("'.[docs]'", "'.[doc]'", "doc"),
        ("needs: packages", "needs: package", "package"),
        ("matrix.python }}", "matrix.version }}", "version"),
    ],
)
def test_what_a_workflow_names_and_is_not_there_is_found(old: str, new: str, missing: str) -> None:
    text = (FORGE / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert old in text
    assert missing in faults(dict(yaml.safe_load(text.replace(old, new))))


def test_workflows_may_do_no_more_than_they_must() -> None:
    """Actions are pinned by commit, with the version beside it; only the job that makes a release may write."""
    for path in WORKFLOWS:
        text, workflow = path.read_text(encoding="utf-8"), read(path)
        for used in re.findall(r"uses: (.*)", text):
            assert re.match(r"\./|[\w-]+/[\w-]+@[0-9a-f]{40} # v[0-9.]+$", used), used
        assert workflow["permissions"] == {"contents": "read"}
        writing = [name for name, job in workflow["jobs"].items() if "write" in str(job.get("permissions", ""))]
        assert writing == (["publish"] if path.name == "release.yml" else [])


def test_each_python_that_is_named_is_tried() -> None:
    ci, versions = read(FORGE / "workflows" / "ci.yml")["jobs"], read(FORGE / "workflows" / "versions.yml")["jobs"]
    named = [entry.rpartition(" ")[2] for entry in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d+$", entry)]
    assert named == ["3.11", "3.12", "3.13", "3.14"]
    assert PROJECT["requires-python"] == f">={named[0]}"
    for job in ("tests", "tried"):
        assert ci[job]["strategy"]["matrix"]["python"] == named
    assert ci["checker"]["strategy"]["matrix"]["python"] == ["3.9", named[-1]]
    lowest = [step["with"]["python-version"] for step in versions["lowest"]["steps"] if "setup-python" in str(step)]
    assert lowest == named[:1]
    assert set(versions["newest"]["strategy"]["matrix"]["python"]) <= set(named)


def test_a_release_follows_all_of_ci() -> None:
    release = read(FORGE / "workflows" / "release.yml")
    assert release[True] == {"push": {"tags": ["v*"]}}  # YAML reads "on" as true
    assert release["jobs"]["ci"]["uses"] == "./.github/workflows/ci.yml"
    assert release["jobs"]["publish"]["needs"] == "ci"
    assert commands(release) == ['python tools/publish-release "$GITHUB_REF_NAME" dist']
    assert "workflow_call" in read(FORGE / "workflows" / "ci.yml")[True]


def test_the_forms_ask_for_what_the_pages_say() -> None:
    for path in sorted((FORGE / "ISSUE_TEMPLATE").glob("*.yml")):
        form = read(path)
        if path.name != "config.yml":
            ids = [part["id"] for part in form["body"]]
            assert len(ids) == len(set(ids)) >= 3
            assert form["name"]
            assert form["description"]
    assert "*A wrong answer*" in (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert read(FORGE / "ISSUE_TEMPLATE" / "wrong-answer.yml")["name"] == "A wrong answer"


def test_the_hooks_are_tools_of_the_extra_and_scripts_of_the_tree() -> None:
    (repository,) = read(ROOT / ".pre-commit-config.yaml")["repos"]
    assert repository["repo"] == "local"
    tools = {requirement.split(">=")[0] for requirement in PROJECT["optional-dependencies"]["lint"]}
    for hook in repository["hooks"]:
        word = hook["entry"].split()[0]
        assert word in tools or os.access(ROOT / word, os.X_OK), word
        assert hook["language"] == "system"


def test_every_script_in_python_is_linted() -> None:
    """Scripts whose names do not say what they are stand in a list for ruff; hooks know them by their first line."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]["extend-include"]
    scripts = [path for path in sorted((ROOT / "tools").iterdir()) if path.is_file() and not path.suffix]
    written = [f"tools/{path.name}" for path in scripts if "python3" in path.read_text(encoding="utf-8").split("\n")[0]]
    assert listed == written
    for path in scripts:
        assert os.access(path, os.X_OK)


def test_the_script_for_old_pythons_is_one_itself() -> None:
    source = (ROOT / "tools" / "try-checker").read_text(encoding="utf-8")
    tree = ast.parse(source, feature_version=(3, 9))
    assert {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names} == {
        "subprocess",
        "sys",
    }


# --- What a release is made of --------------------------------------------------------------------------------------


def test_the_notes_of_a_version_are_those_under_its_heading() -> None:
    text = "# Changelog\n\n## [Unreleased]\n\n## [1.10.0] - 2026-01-02\n\n### Added\n\n- A [page](docs/a.md).\n"
    text += "- [It](https://example.org).\n\n## [1.1.0] - 2025-01-02\n\n"
    assert releasing.notes("1.10.0", text) == "### Added\n\n- A [page](docs/a.md).\n- [It](https://example.org).\n"
    assert "[page](https://forge/docs/a.md)" in releasing.notes("1.10.0", text, "https://forge/")
    assert "[It](https://example.org)" in releasing.notes("1.10.0", text, "https://forge/")
    for version, said in {"1.1.0": "says nothing of 1.1.0", "1.10": "no heading", "1x10.0": "no heading"}.items():
        with pytest.raises(ValueError, match=said):
            releasing.notes(version, text)


def faults_of_version(version: str, changelog: str, citation: str, security: str) -> list[str]:
    """Where the pages do not agree about the last release, which is this version, or comes before one under way."""
    released, dated = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$", changelog, re.MULTILINE)[0]
    begun, _, number = version.partition(".dev")
    under_way = "\n## [Unreleased]\n" in changelog.partition(f"\n## [{released}] - ")[0]
    order = [tuple(map(int, each.split("."))) for each in (released, begun)]
    agreed = {
        f"{version} is not the release {released}": bool(number) or begun == released,
        f"{version} does not come after {released}, with a heading Unreleased": (
            not number or (number.isdecimal() and order[0] < order[1] and under_way)
        ),
        f"CITATION.cff does not cite {released}": f"\nversion: {released}\n" in citation,
        f"CITATION.cff does not say {dated}": f'\ndate-released: "{dated}"\n' in citation,
        f"SECURITY.md does not name the checker of {released}": (
            set(re.findall(r"exactdp-checker-([0-9.]+)\.py", security)) == {released}
        ),
    }
    return [fault for fault, holds in agreed.items() if not holds]


def test_the_pages_agree_about_the_last_release() -> None:
    """A version that is under way, such as 0.4.0.dev0, stands in the package alone."""
    pages = [(ROOT / name).read_text(encoding="utf-8") for name in ("CHANGELOG.md", "CITATION.cff", "SECURITY.md")]
    assert faults_of_version(VERSION, *pages) == []
    released = re.findall(r"^## \[([0-9.]+)\] - ", pages[0], re.MULTILINE)[0]
    assert 1000 < len(releasing.notes(released, pages[0])) < 120_000  # a forge takes 125,000 characters


UNDER_WAY, DONE = "# C\n\n## [Unreleased]\n\n## [1.2.3] - 2026-01-02\n", "# C\n\n## [1.2.3] - 2026-01-02\n"


@pytest.mark.parametrize(
    ("version", "changelog", "cited", "named", "said"),
    [
        ("1.2.3", DONE, "1.2.3", "1.2.3", ""),
        ("1.2.3", UNDER_WAY, "1.2.3", "1.2.3", ""),
        ("1.10.0.dev0", UNDER_WAY, "1.2.3", "1.2.3", ""),
        ("1.10.0.dev0", DONE, "1.2.3", "1.2.3", "with a heading Unreleased"),
        ("1.2.3.dev0", UNDER_WAY, "1.2.3", "1.2.3", "does not come after 1.2.3"),
        ("1.2.4", UNDER_WAY, "1.2.3", "1.2.3", "1.2.4 is not the release 1.2.3"),
        ("1.10.0.dev0", UNDER_WAY, "1.10.0.dev0", "1.2.3", "does not cite 1.2.3"),
        ("1.2.3", DONE, "1.2.3", "1.2.2", "does not name the checker of 1.2.3"),
        ("1.2.3", DONE.replace("-02", "-03"), "1.2.3", "1.2.3", "does not say 2026-01-03"),
    ],
)
def test_a_version_that_pages_do_not_agree_about_is_found(
    version: str, changelog: str, cited: str, named: str, said: str
) -> None:
    citation = f'\nversion: {cited}\ndate-released: "2026-01-02"\n'
    faults = faults_of_version(version, changelog, citation, f"exactdp-checker-{named}.py")
    assert len(faults) == bool(said)
    assert all(said in fault for fault in faults)


def test_floors_follow_extras_and_are_one_for_each_package() -> None:
    metadata: dict[str, Any] = {
        "name": "it",
        "dependencies": ["a>=1"],
        "optional-dependencies": {"x": ["it[y,z]", "b>=2"], "y": ["c>=3"], "z": ["a>=1", "it[y]"], "bad": ["a>=4"]},
    }
    assert releasing.floors(metadata, ["x"]) == {"a": "1", "b": "2", "c": "3"}
    assert releasing.floors(metadata, []) == {"a": "1"}
    with pytest.raises(ValueError, match="two floors of a, 1 and 4"):
        releasing.floors(metadata, ["bad"])
    assert releasing.floors(PROJECT, PROJECT["optional-dependencies"])["numpy"]


def test_what_an_extra_lacks_is_named() -> None:
    assert releasing.missing("testing") == []  # the extra that runs this
    bare = [sys.executable, "-I", "-S"]  # a Python without any package
    done = subprocess.run([*bare, str(ROOT / "tools" / "build-docs"), "site"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert re.fullmatch(
        r"error: .+ lacks .*furo, .*sphinx, .*\. Install the extra: .+ -m pip install '\.\[docs\]'", line
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with what the script of a release reads, a tag, packages, and a forge that notes what it hears."""
    tree = tmp_path / "tree"
    (tree / "tools").mkdir(parents=True)
    for name in ("tools/publish-release", "tools/releasing.py"):
        shutil.copy(ROOT / name, tree / name)
    pages = {
        "pyproject.toml": f'[project]\nname = "exactdp"\nversion = "{RELEASE}"\n',
        "CITATION.cff": f"version: {RELEASE}\n",
        "CHANGELOG.md": f"# Changelog\n\n## [Unreleased]\n\n## [{RELEASE}] - 2026-01-02\n\n- A [page](docs/a.md).\n",
    }
    for name, text in pages.items():
        (tree / name).write_text(text, encoding="utf-8")
    (tree / ".gitignore").write_text("__pycache__/\n/dist/\n", encoding="utf-8")
    dist = tree / "dist"
    dist.mkdir()
    names = [f"exactdp-{RELEASE}-py3-none-any.whl", f"exactdp-{RELEASE}.tar.gz", f"exactdp-checker-{RELEASE}.py"]
    for name in names:
        (dist / name).write_text(name, encoding="ascii")
    sums = "".join(f"{sha256(name.encode()).hexdigest()}  {name}\n" for name in names)
    (dist / "SHA256SUMS").write_text(sums, encoding="ascii")
    git(tree, "init", "-q")
    git(tree, "add", ".")
    git(tree, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "x")
    git(tree, "tag", f"v{RELEASE}")
    (tmp_path / "bin").mkdir()
    forge = tmp_path / "bin" / "gh"
    forge.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{tmp_path}/asked"\ncp "$8" "{tmp_path}/notes"\n')
    forge.chmod(0o755)
    return tree


def git(tree: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=tree, check=True, capture_output=True)


def publish(tree: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    path = f"{tree.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    command = [sys.executable, "-I", str(tree / "tools" / "publish-release"), *words]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")}
    return subprocess.run(command, cwd=tree, env=clean | {"PATH": path} | more, capture_output=True, text=True)


needs_forge = pytest.mark.skipif(
    os.name != "posix" or shutil.which("git") is None, reason="the forge is a script of a shell, and git makes the tag"
)


@needs_forge
def test_a_release_uploads_what_was_built_and_says_what_changed(tree: Path) -> None:
    forge = {"GITHUB_SERVER_URL": "https://forge.example", "GITHUB_REPOSITORY": "us/exactdp"}
    done = publish(tree, f"v{RELEASE}", "dist", **forge)
    assert done.returncode == 0, done.stderr
    asked = (tree.parent / "asked").read_text().splitlines()
    assert asked[:7] == [
        "release",
        "create",
        f"v{RELEASE}",
        "--verify-tag",
        "--title",
        f"exactdp {RELEASE}",
        "--notes-file",
    ]
    assert asked[8:] == [str(path) for path in sorted((tree / "dist").iterdir())]
    notes = (tree.parent / "notes").read_text(encoding="utf-8")
    assert f"(https://forge.example/us/exactdp/blob/v{RELEASE}/docs/a.md)" in notes


def _edit(name: str, old: str, new: str) -> Any:
    def edit(tree: Path) -> None:
        path = tree / name
        path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")

    return edit


def _commit(tree: Path) -> None:
    git(tree, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "--allow-empty", "-m", "later")


WHEEL = f"dist/exactdp-{RELEASE}-py3-none-any.whl"
WRONG = {
    "another tag": (f"v{RELEASE}.1", None, "Make them one."),
    "another citation": (f"v{RELEASE}", _edit("CITATION.cff", RELEASE, "9"), "CITATION.cff 9. Make them one."),
    "a version under way": (
        f"v{RELEASE}.dev0",
        _edit("pyproject.toml", RELEASE, f"{RELEASE}.dev0"),
        f"has {RELEASE}.dev0 and CITATION.cff {RELEASE}. Make them one.",
    ),
    "no date": (f"v{RELEASE}", _edit("CHANGELOG.md", f"[{RELEASE}] - ", f"[{RELEASE}] "), "with a date"),
    "a changed package": (f"v{RELEASE}", _edit(WHEEL, "w", "v"), "not those of SHA256SUMS"),
    "a package too many": (f"v{RELEASE}", lambda tree: (tree / "dist" / "old.whl").touch(), "has not just"),
    "a package is missing": (f"v{RELEASE}", lambda tree: (tree / WHEEL).unlink(), "has not just"),
    "a changed tree": (
        f"v{RELEASE}",
        _edit("pyproject.toml", "[project]", "# x\n[project]"),
        "not those of the commit",
    ),
    "a file that is not committed": (f"v{RELEASE}", lambda tree: (tree / "new").touch(), "not those of the commit"),
    "another commit": (f"v{RELEASE}", _commit, f"not that of the tag v{RELEASE}"),
}


@needs_forge
@pytest.mark.parametrize("name", WRONG)
def test_a_release_is_refused_where(name: str, tree: Path) -> None:
    tag, change, message = WRONG[name]
    if change:
        change(tree)
    done = publish(tree, tag, "dist")
    assert done.returncode == 1
    assert message in done.stderr
    assert not (tree.parent / "asked").exists()


@needs_forge
def test_a_dry_run_needs_no_tag_and_makes_nothing(tree: Path) -> None:
    git(tree, "tag", "-d", f"v{RELEASE}")
    done = publish(tree, "--dry-run", f"v{RELEASE}", "dist")
    assert done.returncode == 0, done.stderr
    assert f"release create v{RELEASE} --verify-tag" in done.stdout
    assert "nothing was made" in done.stdout
    assert not (tree.parent / "asked").exists()
    (tree / "new").touch()
    assert publish(tree, "--dry-run", f"v{RELEASE}", "dist").returncode == 1


# --- What is promised -----------------------------------------------------------------------------------------------


def test_the_numbers_of_the_promise_are_those_of_the_checker() -> None:
    page = " ".join((ROOT / "SECURITY.md").read_text(encoding="utf-8").split())
    assert f"files of more than {limits.MAX_FILE_BYTES // 2**20} MiB" in page
    assert f"hold themselves to {limits.MAX_SECONDS} s for each file and 10^9 bytes" in page
    assert limits.MAX_FILE_BYTES % 2**20 == 0
    assert limits.MAX_MEMORY == 10**9
    assert "within 120 s of processor time and 1 GB" in page
    assert limits.MAX_SECONDS < 120


def test_the_checker_opens_the_files_named_and_nothing_else(tmp_path: Path) -> None:
    """The interpreter tells of everything that is opened, started or sent; what it imports is its own affair."""
    code = """
import runpy, sys
told = []
checker = runpy.run_path(sys.argv[1])
sys.addaudithook(lambda event, words: told.append((event, words)))
status = checker["main"](sys.argv[2:])
quiet = ("object.", "code.", "compile", "exec", "import", "sys._getframe", "marshal.")
for event, words in [pair for pair in told if not pair[0].startswith(quiet)]:
    print(event, words[0], *(words[1:2] if event == "open" else ()), file=sys.stderr)
print(sum(event in ("compile", "exec", "import") for event, _ in told), file=sys.stderr)
sys.exit(status)
"""
    from exactdp.claims.bare_checker import bare_checker

    bare = tmp_path / "checker.py"
    bare.write_text(bare_checker(), encoding="ascii")
    files = [str(next((ROOT / "tests" / "certificates").glob(f"v{number}/{kind}/*")))
             for number in (1, 2, 3) for kind in ("correct", "incorrect", "malformed")]  # fmt: skip
    command = [sys.executable, "-I", "-S", "-c", code, str(bare), *files]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    assert len(done.stdout.splitlines()) == len(files)
    assert done.stdout.isascii()
    assert done.stdout.replace("\n", "").isprintable()
    *opened, compiled = done.stderr.splitlines()
    assert {line.split(" ")[0] for line in opened} == {"open"}
    assert [line.split(" ")[1] for line in opened] == files
    assert compiled == "0"
