"""How a page was made: the commit of a checkout or of an installation, the day, and the command that was typed."""

import json
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from exactdp.cli.options import typed_command
from exactdp.errors import InvalidValueError
from exactdp.report.page import made
from exactdp.report.page.html import report_page
from exactdp.report.page.made import Made, commit_of_source, day

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize("text", ["-1", "1.5", "noon", "٣", "9" * 30, "1e9"])
def test_a_day_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InvalidValueError, match=r"SOURCE_DATE_EPOCH='.*' in the environment is no time\. Set it to"):
        day({"SOURCE_DATE_EPOCH": text})


def test_the_day_is_that_of_the_environment_or_today() -> None:
    assert day({"SOURCE_DATE_EPOCH": "0"}) == "1970-01-01"
    assert day({}) == day({"SOURCE_DATE_EPOCH": ""}) > "2026-11"


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_the_commit_is_that_of_the_checkout_and_changes_are_said(tmp_path: Path) -> None:
    def git(*words: str) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        done = subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    package = tmp_path / "exactdp"
    package.mkdir()
    (package / "a.py").write_text("1")
    (tmp_path / "notes.txt").write_text("1")
    git("init", "-q")
    assert commit_of_source(package) == ""  # nothing is committed yet
    git("add", ".")
    git("commit", "-qm", "first")
    assert commit_of_source(package) == git("rev-parse", "HEAD")
    (tmp_path / "notes.txt").write_text("2")
    assert commit_of_source(package) == git("rev-parse", "HEAD")  # of what is no part of the package
    (package / "a.py").write_text("2")
    assert commit_of_source(package) == f"{git('rev-parse', 'HEAD')}, with changes"


def test_without_git_the_commit_of_a_checkout_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("PATH", "")
    assert commit_of_source(tmp_path / "exactdp") == ""


@pytest.mark.parametrize(
    ("record", "elsewhere", "commit"),
    [
        (json.dumps({"url": "https://example.org/a.git", "vcs_info": {"vcs": "git", "commit_id": COMMIT}}), "", COMMIT),
        (json.dumps({"url": "https://example.org/a.git", "vcs_info": {"commit_id": COMMIT}}), "other", ""),
        (json.dumps({"url": "file:///a.whl", "archive_info": {}}), "", ""),
        (None, "", ""),
        ("{", "", ""),
    ],
)
def test_an_installation_says_its_commit_where_pip_wrote_it_down(
    record: str | None, elsewhere: str, commit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Installed:
        def locate_file(self, name: str) -> Path:
            return tmp_path / elsewhere / name

        def read_text(self, name: str) -> str | None:
            return record if name == "direct_url.json" else None

    monkeypatch.setattr(made, "distribution", lambda _: Installed())
    assert commit_of_source(tmp_path / "exactdp") == commit


def test_a_package_that_is_not_installed_has_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(made, "distribution", missing)
    assert commit_of_source(tmp_path / "exactdp") == ""


def test_the_foot_says_how_the_page_was_made() -> None:
    foot = {
        commit: page[page.index("<footer>") :]
        for commit in (COMMIT, "")
        if (page := report_page([], {}, [], made=Made(commit, "2026-11-23", "exactdp report -o '<b>.html'")))
    }
    assert f"<code>{COMMIT}</code>" in foot[COMMIT]
    assert "not known: made neither in a checkout nor" in foot[""]
    for text in foot.values():
        assert "<time>2026-11-23</time>" in text
        assert "<code>exactdp report -o &#39;&lt;b&gt;.html&#39;</code>" in text
    assert "<time>" not in report_page([], {}, [])


def test_the_command_is_what_was_typed_without_the_folders_of_what_is_written() -> None:
    said = []

    @click.command("draw")
    @click.argument("file")
    @click.option("--often", multiple=True)
    @click.option("--loud", is_flag=True)
    @click.option("-o", "--output")
    @click.option("--other", default="usual")
    def draw(**_: object) -> None:
        said.append(typed_command("output"))

    typed = ["-o", "/tmp/there/a b.html", "--loud", "in/x.toml", "--often", "1", "--often", "2"]
    assert CliRunner().invoke(draw, typed).exit_code == 0
    assert said == ["exactdp draw in/x.toml --often 1 --often 2 --loud --output 'a b.html'"]
