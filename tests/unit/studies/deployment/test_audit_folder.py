"""The folder of an audit: every certificate re-checks, the bare checker agrees, and a stranger is rejected."""

import json
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from exactdp import deployment
from exactdp.claims.bare_checker import bare_checker
from exactdp.cli.main import cli
from exactdp.studies.deployment import folder as folders
from exactdp.studies.deployment.folder import ANSWER, PAGE, save
from tests.thinned import thinned
from tests.together import together

TEXT = """\
name = "Tiny <b>& sums</b>"
delta = "1/100"
unit = "round"
[budget]
eps = "2"
[[class]]
name = "v1"
n = 60
[[class]]
name = "v2"
n = 21
honest = "19/20"
[participation]
model = "always"
[[question]]
name = "a"
randomizer = "krr:inputs=2,exp-eps0=3"
[[question]]
name = "b"
randomizer = "krr:inputs=2,exp-eps0=2"
[[release]]
questions = ["a"]
as = "separate"
times = 3
[[release]]
questions = ["b"]
as = "separate"
times = 1
"""


def exactdp(*words: object) -> Result:
    return CliRunner().invoke(cli, [*map(str, words)])


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("audit")
    (place / "tiny.toml").write_text(TEXT, encoding="utf-8")
    said = exactdp("audit", place / "tiny.toml", "-o", place / "folder", "--format", "json")
    assert said.exit_code == 0, said.output
    stored = json.loads((place / "folder" / ANSWER).read_text("utf-8"))
    assert stored == json.loads(said.stdout)
    return place / "folder"


@pytest.fixture
def copied(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "folder"))


def test_the_folder_is_re_checked(written: Path) -> None:
    said = exactdp("verify", written, "--format", "json")
    assert said.exit_code == 0, said.output
    listed = json.loads((written / ANSWER).read_text("utf-8"))["certificates"]
    assert len(listed) >= 4
    assert [(one["verdict"], one["claim_id"]) for one in json.loads(said.stdout)] == [
        (one["verdict"], one["claim_id"]) for one in listed
    ]


def test_the_bare_checker_re_checks_it(written: Path, tmp_path: Path) -> None:
    checker = tmp_path / "checker.py"
    checker.write_text(bare_checker(), encoding="utf-8")
    files = sorted((written / "certificates").iterdir())
    done = subprocess.run([sys.executable, "-I", checker, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("\n") == len(files)


@pytest.mark.slow
def test_a_certificate_of_another_audit_is_rejected(copied: Path, tmp_path: Path) -> None:
    other = deployment.read(copied_text(tmp_path, TEXT.replace("n = 60", "n = 61")))
    save(other.audit(), tmp_path / "other")
    stranger = min((tmp_path / "other" / "certificates").iterdir())
    shutil.copy(stranger, copied / "certificates" / "99-stranger.json")
    added = exactdp("verify", copied)
    assert added.exit_code == 1
    assert "99-stranger.json" in added.stdout
    assert "of another audit" in added.stdout
    (copied / "certificates" / "99-stranger.json").unlink()
    assert exactdp("verify", copied).exit_code == 0
    shutil.copy(stranger, copied / "certificates" / stranger.name)
    replaced = exactdp("verify", copied)
    assert replaced.exit_code == 1
    assert "of another audit" in replaced.stdout


def copied_text(place: Path, text: str) -> Path:
    (place / "other.toml").write_text(text, encoding="utf-8")
    return place / "other.toml"


def test_what_is_missing_or_reworded_is_not_verified(copied: Path) -> None:
    answer = copied / ANSWER
    said = json.loads(answer.read_text("utf-8"))
    said["certificates"][0]["statement"] = said["certificates"][0]["statement"].replace("eps = ", "eps = 0*")
    answer.write_text(json.dumps(said), encoding="utf-8")
    assert exactdp("verify", copied).exit_code == 1
    min((copied / "certificates").iterdir()).unlink()
    assert exactdp("verify", copied).exit_code == 2
    said["certificates"][0]["file"] = "../elsewhere.json"
    answer.write_text(json.dumps(said), encoding="utf-8")
    refused = exactdp("verify", copied)
    assert (refused.exit_code, "is no answer of an audit" in refused.stderr) == (2, True)
    answer.unlink()
    assert "without the answer of an audit" in exactdp("verify", copied).stderr


def test_ends_are_stated_outward(written: Path) -> None:
    """Of each claim the eps that is proved is not below the one that is refuted."""
    ends: dict[str, dict[str, Fraction]] = {}
    for one in json.loads((written / ANSWER).read_text("utf-8"))["certificates"]:
        assert (one["end"], one["verdict"]) in (("upper", "PROVED"), ("lower", "REFUTED"))
        ends.setdefault(one["about"], {})[one["end"]] = Fraction(one["eps"])
    assert all(
        both["lower"] < both["upper"] < both["lower"] * Fraction(11, 10) for both in ends.values() if len(both) == 2
    )


def test_the_page_says_it_in_words(written: Path) -> None:
    page = (written / PAGE).read_text("utf-8")
    assert "Whatever else is known" in page
    assert "Tiny &lt;b&gt;&amp; sums&lt;/b&gt;" in page
    assert "<b>&" not in page
    for words in ("What is assumed", "how to check", "19/20", "Upper end, proved by:"):
        assert words in page
    assert page.count("<svg") == 1


def test_only_a_new_folder_is_written(written: Path, tmp_path: Path) -> None:
    file = copied_text(tmp_path, TEXT)
    refused = exactdp("audit", file, "-o", written)
    assert (refused.exit_code, "is not empty" in refused.stderr) == (2, True)
    assert "is no folder" in exactdp("audit", file, "-o", file).stderr
    assert "does not exist" in exactdp("audit", file, "-o", tmp_path / "no" / "where").stderr


def test_a_failure_on_the_way_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise folders.InvalidFileError("no")

    made = deployment.read(copied_text(tmp_path, TEXT)).audit()
    for step in ("write_whole", "_certificates"):
        monkeypatch.setattr(folders, step, refuse)
        with pytest.raises(folders.InvalidFileError):
            save(made, tmp_path / "folder")
        assert [one.name for one in tmp_path.iterdir()] == ["other.toml"]


def test_numbers_are_rounded_outward() -> None:
    third = Fraction(1, 3)
    down, up = (folders._rounded(third, up=up) for up in (False, True))
    assert down < third < up
    assert up - down == Fraction(1, 10**5)
    assert folders._rounded(Fraction(1, 4), up=True) == Fraction(1, 4)


@pytest.mark.parametrize("spec", thinned(["krr:inputs=2,exp-eps0=3", "krr:inputs=40,eps0=1"], every=2))
def test_one_question_once_is_epsilon(tmp_path: Path, spec: str) -> None:
    """The same digits, exact and between ends, whatever the classes that run it are called."""
    text = TEXT.replace("krr:inputs=2,exp-eps0=3", spec).replace('[[question]]\nname = "b"', "")
    text = text.replace('randomizer = "krr:inputs=2,exp-eps0=2"', "").partition('[[release]]\nquestions = ["b"]')[0]
    said = json.loads(exactdp("audit", copied_text(tmp_path, text), "--format", "json").stdout)
    alone = json.loads(exactdp("epsilon", f"@{spec}", "-n", 79, "--delta", "1/100", "--format", "json").stdout)
    assert said["eps"] == alone["epsilon"]
    assert said["questions"][0]["eps"] == alone["epsilon"]


def test_what_is_printed(tmp_path: Path) -> None:
    file = copied_text(tmp_path, TEXT)
    said = exactdp("audit", file, "--solve", "n", "--curve", 3).stdout
    for words in ("19: 19/20 of 21, rounded down", "eps = 2: yes, proved", "evidence     exact", "monotone: who sees"):
        assert words in said
    assert said.count("proved by") == 7
    rows = exactdp("audit", file, "--format", "csv").stdout.splitlines()
    assert [row.partition(",")[0] for row in rows] == [
        *("kind", "whole", "release", "release", "question", "question", "class", "class")
    ]
    broken = copied_text(tmp_path, TEXT.replace('eps = "2"', 'eps = "1/1000"'))
    assert "no, refuted" in exactdp("audit", broken).stdout
    free = copied_text(tmp_path, TEXT.replace('[budget]\neps = "2"\n', ""))
    assert "budget" not in exactdp("audit", free).stdout
    refused = exactdp("audit", free, "--solve", "n")
    assert (refused.exit_code, "has no budget to solve for" in refused.stderr) == (2, True)
    assert "more than 100 points" in exactdp("audit", file, "--curve", 101).stderr


ONE = """\
name = "One class"
delta = "1/100"
unit = "person"
[[class]]
name = "all"
n = 20
[participation]
model = "always"
[[question]]
name = "a"
randomizer = "krr:inputs=100000,exp-eps0=3"
[[question]]
name = "b"
randomizer = "krr:inputs=3,exp-eps0=3"
[[release]]
questions = ["a", "b"]
as = "separate"
times = 4
[[release]]
questions = ["b"]
as = "separate"
times = 1
"""


@together(
    "changes, expected",
    [
        (
            {},
            ["a, once", "b, once", "a, b, one round", "a + b, separate, 4 rounds", "b, 1 round", "the whole"],
        ),
        ({'"person"': '"round"'}, ["a, once", "b, once", "a, b, one round", "b, 1 round"]),
        ({'"always"': '"counted"\nprobability = "1/2"'}, ["a, once", "b, once", "b, 1 round"]),
        (
            {'"always"': '"hidden"\nprobability = "1/2"\ndummy = "uniform"', '"separate"': '"together"'},
            ["a, once", "b, once", "a, b, one round", "b, 1 round"],
        ),
        ({'"separate"': '"sums"'}, ["a, once", "b, once"]),
    ],
)
def test_claims_state_rounds_that_share_no_coin(tmp_path: Path, changes: dict[str, str], expected: list[str]) -> None:
    text = ONE
    for old, new in changes.items():
        text = text.replace(old, new)
    found = list(folders._subjects(deployment.read(copied_text(tmp_path, text))))
    assert [one[0] if isinstance(one, tuple) else one.about for one in found] == expected


def test_what_no_claim_states_has_a_reason(tmp_path: Path) -> None:
    text = (
        ONE.replace("inputs=3", "inputs=100000").replace('"separate"', '"together"').replace("times = 4", "times = 1")
    )
    found = list(folders._subjects(deployment.read(copied_text(tmp_path, text))))
    assert [one[1] for one in found if isinstance(one, tuple)] == [
        "the product has 10000000000 inputs, more than the limit of 1000000000. Use fewer questions."
    ]
