"""Classes of users from files: what Python answers in every form, and every wrong file and option refused."""

import csv
import io
import re
from fractions import Fraction
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from exactdp import Randomizer, ShuffleProtocol
from exactdp.errors import InvalidFileError
from exactdp.protocols.naming.targets import ProtocolTarget, read_classes, read_target
from exactdp.randomizers import KAryResponse
from exactdp.studies.sweep.sweep_answers import answered_row
from exactdp.studies.sweep.sweep_question import Question
from exactdp.studies.sweep.sweep_spec import read_sweep, read_sweep_file
from tests.together import together
from tests.unit.cli.checked_answers import answered, run

ROOT = Path(__file__).resolve().parents[3]
FLIP = {"0": {("0",): "3/4", ("1",): "1/4"}, "1": {("1",): "3/4", ("0",): "1/4"}}
FLIP_FILE = "\n".join(
    f'[[row]]\ninput = "{x}"\nmessages = [{{send = ["{x}"], prob = "3/4"}}, {{send = ["{1 - x}"], prob = "1/4"}}]'
    for x in (0, 1)
)
BOTH = """name = "both"
[[class]]
of = "inner/flip.toml"
users = 3
[[class]]
of = "krr:inputs=2,exp-eps0=2"
users = 2
participation = "9/10"
"""
NUMBERED = Randomizer({0: {(0,): "3/4", (1,): "1/4"}, 1: {(1,): "3/4", (0,): "1/4"}})
PROTOCOL = ShuffleProtocol(((NUMBERED, 3), (KAryResponse(2, exp_eps0=2), 2)), participation=(1, "9/10"))
ALIKE = '[[class]]\nof = "flip.toml"\nusers = 3\n[[class]]\nof = "flip.toml"\nusers = 2\n'


@pytest.fixture(autouse=True)
def in_a_folder_with_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inner").mkdir()
    for path in ("inner/flip.toml", "flip.toml"):
        (tmp_path / path).write_text(FLIP_FILE)
    (tmp_path / "both.toml").write_text(BOTH)
    (tmp_path / "alike.toml").write_text(ALIKE)


def refused(line: str) -> str:
    result = run(line)
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    return result.stderr


def test_a_file_is_what_python_makes_of_its_classes(tmp_path: Path) -> None:
    """Beside a published randomizer, whose labels are numbers, those of a file are numbers, too."""
    read = read_classes("both.toml")
    assert read is not None
    assert read.protocol == PROTOCOL
    alike = read_classes("alike.toml")
    assert alike is not None
    assert alike.protocol == ShuffleProtocol([(Randomizer(FLIP), 3), (Randomizer(FLIP), 2)])
    (tmp_path / "both.json").write_text(
        '{"class": [{"of": "flip.toml", "users": 3}, {"of": "krr:inputs=2,exp-eps0=2", "users": 2, '
        '"participation": "0.9"}]}'
    )
    as_json = read_classes("both.json")
    assert as_json is not None
    assert as_json.protocol == PROTOCOL
    assert read_classes("flip.toml") is None
    assert read_classes("@krr:inputs=2,exp-eps0=2") is None


@pytest.mark.parametrize(("typed", "user_class"), [("", None), (" --user-class 0", 0), (" --user-class 1", 1)])
def test_delta_in_every_form(typed: str, user_class: int | None) -> None:
    line = f"delta both.toml --exp-eps 3/2{typed}"
    found = PROTOCOL.privacy_profile(user_class=user_class).delta(exp_eps="3/2")
    assert not isinstance(found, Fraction)
    data = answered(line)
    low, high = (Fraction(data["delta"][end]) for end in ("lo", "hi"))
    assert low <= found.lo < found.hi <= high
    assert found.lo - low < Fraction(1, 10**12)
    assert high - found.hi < Fraction(1, 10**12)
    assert data["n"] == 5
    assert data["n_counts"].startswith("users who follow the protocol, of class 1, each of whom")
    assert data["classes"] == [
        {"of": "inner/flip.toml", "users": 3, "participation": "1"},
        {"of": "krr:inputs=2,exp-eps0=2", "users": 2, "participation": "9/10"},
    ]
    assert data["user_class"] == user_class
    pair = data["worst_pair"]
    differ = [first != second for first, second in zip(pair["first"], pair["second"], strict=True)]
    assert differ == [pair["user_class"] == 0, pair["user_class"] == 1]
    assert [sum(one.values()) for one in pair["first"]] == [3, 2]
    text = run(line).stdout
    assert "n = 5 in 2 classes" in text
    assert "class 1           2 users of krr:inputs=2,exp-eps0=2 who take part with 9/10\n" in text
    assert f"where a user of class {pair['user_class']} differs\n" in text
    (row,) = csv.DictReader(io.StringIO(run(f"{line} --format csv").stdout))
    assert row["worst_class"] == str(pair["user_class"])
    assert row["classes"].startswith("3 users of inner/flip.toml; 2 users of krr")
    assert row["user_class"] == ("" if user_class is None else str(user_class))


def test_classes_that_run_the_same_have_an_exact_answer() -> None:
    data = answered("delta alike.toml --exp-eps 3/2 --user-class 1")
    exact = ShuffleProtocol(Randomizer(FLIP), 5).privacy_profile().delta(exp_eps="3/2")
    assert Fraction(data["delta"]["exact"]) == exact
    assert data["level"] == "exact"
    assert data["worst_pair"]["user_class"] == 1
    assert "no claim states classes of users" in run("delta alike.toml --exp-eps 3/2").stdout


def test_eps_a_curve_and_runs() -> None:
    profile = PROTOCOL.privacy_profile()
    eps = answered("epsilon both.toml --delta 1/100 --explain")["epsilon"]
    found: Any = profile.epsilon("1/100")
    assert Fraction(eps["lo"]) <= found.lo < found.hi <= Fraction(eps["hi"])
    points = answered("curve both.toml --exp-eps-grid 1,3/2")["points"]
    assert points[1]["delta"] == answered("delta both.toml --exp-eps 3/2")["delta"]
    rows = list(csv.DictReader(io.StringIO(run("curve both.toml --exp-eps-grid 1,3/2 --format csv").stdout)))
    assert {row["n"] for row in rows} == {"5"}
    assert all(row["worst_class"] in ("0", "1") and row["classes"] for row in rows)
    assert "class 0   3 users" in run("curve both.toml --exp-eps-grid 1,3/2").stdout
    runs = answered("compose both.toml --times 2 --exp-eps 3/2")
    assert Fraction(runs["delta"]["hi"]) > Fraction(points[1]["delta"]["hi"])
    assert answered("compose alike.toml --times 2 --delta 1/10")["classes"][1]["users"] == 2


def test_check_lists_the_classes_with_their_local_eps() -> None:
    data = answered("check both.toml")
    assert [one["local_epsilon"]["exact"] for one in data["classes"]] == ["ln(3)", "ln(2)"]
    assert data["inputs"] == ["0", "1"]
    lines = run("check both.toml").stdout.splitlines()
    assert "1      2 users of krr:inputs=2,exp-eps0=2 who take part with 9/10  ln(2) (0.6931472)" in lines


def test_the_view_of_one_data_set_of_each_class() -> None:
    line = "law both.toml --dataset 0=2,1=1;1=2"
    data = answered(line)
    law = PROTOCOL.law(({0: 2, 1: 1}, {1: 2}))
    assert {tuple(one["counts"]): Fraction(one["prob"]["exact"]) for one in data["law"]} == dict(law.items())
    assert data["dataset"] == [{"0": 2, "1": 1}, {"1": 2}]
    assert "data sets 0=2,1=1; 1=2" in run(line).stdout
    drawn = answered("sample both.toml --dataset 0=2,1=1;1=2 --size 5 --seed 1")
    assert all(3 <= sum(counts) <= 5 for counts in drawn["draws"])


@pytest.mark.slow
def test_the_example_answers() -> None:
    data = answered(f"epsilon {ROOT}/examples/classes/two_versions.toml --delta 1e-6")
    assert data["worst_pair"]["user_class"] == 1
    low, high = (Fraction(data["epsilon"][end]) for end in ("lo", "hi"))
    assert Fraction("0.2411") < low < high < Fraction("0.2413")
    assert data["n"] == 7000


def test_the_documented_file_is_read(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "randomizer-files.md").read_text(encoding="utf-8")
    (block,) = (block for block in text.split("```") if "[[class]]\n" in block and block.startswith("toml\n"))
    (tmp_path / "mine.toml").write_text(block.removeprefix("toml\n"))
    third = '\n[[row]]\ninput = "2"\nmessages = [{send = ["2"], prob = "1"}]'
    (tmp_path / "own.toml").write_text(FLIP_FILE + third)
    read = read_classes("mine.toml")
    assert read is not None
    assert read.protocol.n == 7000
    below = Fraction(read.entries[0].of.rpartition("exp-eps0=")[2])
    assert 0 < Fraction("7.38905609893065022723") - below < Fraction(1, 2**53)
    assert read.protocol.randomizer[0][0] == KAryResponse(3, exp_eps0=below)


ONE = '[[class]]\nof = "flip.toml"\nusers = 3\n'
WRONG_FILES = [
    ("class = []", "class must be a list of at least one table. Repair: write [[class]] before each class of users"),
    ('[class]\nof = "gap"', "class must be a list of at least one table"),
    ("[[class]]\nusers = 3", "class 0 lacks the key 'of'. Repair: add of = ...."),
    ('[[class]]\nof = "gap"', "class 0 lacks the key 'users'. Repair: add users = ...."),
    (ONE + '[[class]]\nof = "gap"\nuser = 3', "class 1 has the unknown key 'user'. Repair: did you mean users."),
    ("[[class]]\nof = 3\nusers = 3", "class 0: of 3 is not a string. Repair: write it in quotes"),
    ('[[class]]\nof = "gap"\nusers = 0', "class 0 users = 0 is no whole number of at least 1. Repair: write users = "),
    ('[[class]]\nof = "gap"\nusers = "3"', "class 0 users = '3' is no whole number of at least 1"),
    ('[[class]]\nof = "gap"\nusers = true', "class 0 users = True is no whole number of at least 1"),
    ('[[class]]\nof = "gap"\nusers = 1.5', "class 0 users = '1.5' is no whole number"),
    (
        ONE + "participation = 0.5",
        "class 0 participation = 0.5 is a float. Repair: write it as a string: participation",
    ),
    (ONE + 'participation = "3/2"', "class 0: participation=3/2 is outside [0, 1]. Pass a probability."),
    (ONE + 'participation = "0"', "class: participation=0"),
    ("seed = 1\n" + ONE, "the file has the unknown key 'seed'"),
    (ONE + FLIP_FILE, "the file has row beside class. Repair: write the rows into a file of their own, and name it in"),
    (ONE.replace("class", "clas"), "the file has the unknown key 'clas'. Repair: did you mean class."),
    (ONE.replace("flip", "no"), "class 0: {}no.toml cannot be read: No such file"),
    (ONE.replace("flip", "wrong"), "class 0: wrong.toml is a file that names this one, and would hold itself."),
    (ONE.replace("flip", "both"), "class 0: {}both.toml: the file has classes of users, each with a randomizer of its"),
    (
        ONE.replace("flip", "back"),
        "class 0: {}back.toml: product: of entry 1: wrong.toml is a file that names this one",
    ),
    (ONE.replace("flip.toml", "@poisson:mu=3"), "class 0: of=(@poisson:mu=3) is no randomizer of one user."),
    (ONE.replace("flip.toml", "rapor:inputs=3"), "class 0: 'rapor' is no file and no name. Did you mean @rappor"),
    (ONE.replace("flip.toml", "any-randomizer:exp-eps0=2"), "class: class 0 runs AnyRandomizer("),
    (ONE + ONE.replace("flip.toml", "krr:inputs=3,eps0=1"), "class: class 1 reads other inputs than class 0."),
    (ONE * 17, "class: 17 classes of users are given. Pass 1 to 16."),
]


@together(("text", "said"), WRONG_FILES)
def test_a_wrong_file_is_refused_with_its_place(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    (tmp_path / "back.toml").write_text('[[product]]\nof = ["wrong.toml"]')
    with pytest.raises(InvalidFileError) as raised:
        _ = read_classes(str(path)) or read_target(str(path))
    assert str(raised.value).startswith(f"{path}: {said.format(f'{tmp_path}/')}")
    assert refused(f"delta {path} --eps 1").startswith(f"error: {path}: ")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "delta both.toml --eps 1 -n 5",
            "-n has no meaning for both.toml: its classes say how many users they have, 5",
        ),
        ("check both.toml -n 5", "-n has no meaning for both.toml"),
        ("law both.toml -n 5 --dataset 0=3;0=2", "-n has no meaning for both.toml"),
        ("delta both.toml --eps 1 --user-class 2", "user_class=2 is none of the 2 classes of users"),
        ("delta both.toml --eps 1 --user-class x", "user_class"),
        ("delta flip.toml -n 3 --eps 1 --user-class 0", "--user-class has no meaning for flip.toml. Leave it out"),
        ("delta @poisson:mu=3 --eps 1 --user-class 0", "--user-class has no meaning for @poisson"),
        (
            "delta both.toml --eps 1 --shift 2",
            "--shift has no meaning for both.toml. Leave it out: it belongs to noise",
        ),
        ("delta both.toml --eps 1 --participation 1/2", "--participation has no meaning for both.toml"),
        ("delta both.toml --eps 1 --absence hidden", "--absence has no meaning for both.toml"),
        ("delta both.toml --eps 1 --neighbors add-or-remove-one", "is not defined for classes of users"),
        ("delta both.toml --eps 1 --gamma 1/2", "--gamma has no meaning for both.toml"),
        ("law both.toml", "needs --dataset with the users per input of each of its 2 classes"),
        ("law both.toml --dataset 0=3", "needs --dataset with the users per input of each of its 2 classes"),
        ("law both.toml --dataset 0=3;0=1", "the data set has 1 users, but the protocol has n=2"),
        ("law both.toml --dataset 0=3;0=2 --from 1", "--from has no meaning for both.toml"),
        ("sample both.toml --dataset 0=3;7=2 --size 1", "unknown input '7'"),
        ("certify both.toml -n 5 --eps 1 --delta 1/10", "-n has no meaning for both.toml"),
        ("certify both.toml --times 5 --eps 1 --delta 1/10", "--times has no meaning for both.toml"),
        ("certify both.toml --all-n --eps 1 --delta 1/10", "--all-n has no meaning for both.toml"),
        ("certify both.toml --user-class 2 --eps 1 --delta 1/10", "user_class=2 is none of the 2 classes of users"),
        ("certify flip.toml -n 3 --user-class 0 --eps 1 --delta 1/10", "--user-class has no meaning for flip.toml."),
        ("certify both.toml --participation 1/2 --eps 1 --delta 1/10", "--participation has no meaning for both.toml"),
        (
            "report both.toml -n 5,7 -o page.html",
            "-n has no meaning for both.toml: its classes say how many users they",
        ),
        ("report both.toml --delta 2 -o page.html", "delta=2 is outside [0, 1]. Pass a probability."),
        ("report both.toml --gamma 1/2 -o page.html", "--gamma has no meaning for both.toml"),
        ("report both.toml", "the report needs a file. Write -o report.html."),
        ("report wrong.toml -o page.html", "wrong.toml: class 0 lacks the key 'users'"),
        ("delta @product:of=(both.toml) -n 5 --eps 1", "both.toml: the file has classes of users"),
        ("calibrate both.toml -n 5 --eps 1 --delta 1/10", "gives exp-eps0=2, of which no factor is looked for."),
        ("accuracy both.toml -n 5 --beta 1/10", "both.toml: the file has classes of users"),
    ],
)
def test_what_classes_cannot_be_asked_is_refused_in_a_sentence(line: str, said: str) -> None:
    Path("wrong.toml").write_text('[[class]]\nof = "flip.toml"\n')
    words = refused(line)
    assert not Path("page.html").exists()
    assert said in words
    assert words.count("\n") == 1
    assert "Traceback" not in words


def test_more_users_than_engines_count_are_refused(tmp_path: Path) -> None:
    (tmp_path / "many.toml").write_text(f'[[class]]\nof = "flip.toml"\nusers = 1{"0" * 30}\n')
    assert "more than the limit of 10^18 users" in refused("delta many.toml --eps 1")


@pytest.mark.slow
def test_the_report_of_classes_is_a_page_of_their_privacy() -> None:
    assert run("report both.toml --delta 1/100 -o page.html").exit_code == 0
    text = unescape(Path("page.html").read_text(encoding="utf-8"))
    for said in (
        "both.toml",
        "inner/flip.toml",
        "krr:inputs=2,exp-eps0=2",
        "the worst: class 0",
        "n = 5 counts the users",
    ):
        assert said in text
    digits = re.findall(r"<code>\[?([0-9.e-]+)(?:, [0-9.e-]+\])?</code>", text)
    asked = [
        answered(f"epsilon both.toml --delta 1/100{typed}") for typed in ("", " --user-class 0", " --user-class 1")
    ]
    for one in asked:
        assert one["bracket"]["lower"]["lo"] in digits
        assert one["bracket"]["upper"]["lo"] in digits
        assert one["bracket"]["theorem"] in text


SWEEP = """[[randomizer]]
protocol = "both.toml"
user_class = ["worst", 0, 1]
[grid]
eps = ["1/2"]
exp_eps = ["3/2"]
delta = ["1/100"]
"""


def swept(text: str, form: str = "json") -> Any:
    Path("sweep.toml").write_text(text)
    assert run("sweep sweep.toml -o store.sqlite").exit_code == 0
    line = "sweep show store.sqlite"
    return answered(line)["rows"] if form == "json" else run(f"{line} --format {form}").stdout


def test_a_sweep_of_classes_answers_as_the_questions_do() -> None:
    rows = swept(SWEEP)
    assert len(rows) == 9
    for row in rows:
        _, _, place = row["subject"].partition(" --user-class ")
        command, found = ("epsilon", "epsilon") if row["asked"] == "delta" else ("delta", "delta")
        option = row["asked"].replace("_", "-")
        typed = f" --user-class {place}" if place else ""
        asked = answered(f"{command} both.toml --{option} {row['at']}{typed}")
        assert row[found] == asked[found]
        assert (row["worst_class"], row["users"]) == (asked["worst_pair"]["user_class"], 5)
        assert row["worst_class"] == (int(place) if place else 0)
    table = list(csv.DictReader(io.StringIO(swept(SWEEP, "csv"))))
    assert [cells["worst_class"] for cells in table] == [str(row["worst_class"]) for row in rows]
    assert swept(SWEEP, "text").count(", of class 0  ") == 6
    assert len(answered("sweep show store.sqlite --only user_class=1")["rows"]) == 3


@pytest.mark.slow
def test_classes_stand_beside_randomizers_at_their_own_number_of_users() -> None:
    others = '[[randomizer]]\nname = "flip"\nprotocol = "flip.toml"\n[grid]\nusers = [2, 3]\nruns = [1, 2]\n'
    rows = swept(SWEEP.replace("[grid]\n", others).replace('["worst", 0, 1]', '"worst"'))
    assert [(row["name"], row["users"]) for row in rows if row["asked"] == "eps"] == [
        *[("both.toml", 5)] * 2,
        *[("flip", users) for _ in (1, 2) for users in (2, 3)],
    ]
    assert {row.get("worst_class", "none") for row in rows if row["name"] == "flip"} == {"none"}
    (twice,) = [row for row in rows if row["name"] == "both.toml" and row["runs"] == 2 and row["asked"] == "exp_eps"]
    assert twice["delta"] == answered("compose both.toml --times 2 --exp-eps 3/2")["delta"]
    assert twice["worst_class"] is None


def test_a_question_about_classes_is_another_one_where_a_file_is() -> None:
    """The file that a class names travels with the question, too, and certificates say that there are none."""

    def key() -> str:
        ((name, question),) = read_sweep_file("sweep.toml")
        read, again = read_classes("both.toml"), Question.read(question.text)
        assert read is not None
        assert name == "both.toml"
        assert isinstance(again.target(), ProtocolTarget)
        assert again.target().build(5) == read.protocol
        return again.key

    Path("sweep.toml").write_text('[[randomizer]]\nprotocol = "both.toml"\n[grid]\nexp_eps = ["3/2"]\n')
    keys = [key()]
    flip, both = Path("inner/flip.toml"), Path("both.toml")
    for path, old, new in (
        (flip, "3/4", "4/5"),
        (both, "users = 3", "users = 4"),
        (both, "exp-eps0=2", "exp-eps0=3"),
        (both, '"9/10"', '"8/10"'),
        (both, "inner/flip.toml", "repeat:times=2,of=(inner/flip.toml)"),
    ):
        path.write_text(path.read_text().replace(old, new).replace("1/4", "1/5" if path == flip else "1/4"))
        keys.append(key())
    assert len(set(keys)) == len(keys)
    both.write_text("# a remark\n" + both.read_text().replace('"8/10"', '"0.8"'))
    assert key() == keys[-1]
    both.write_text('[[class]]\nof = "repeat:times=1,of=(gap)"\nusers = 3\n')
    named, _ = read_classes("both.toml"), Path("gap").write_text(FLIP_FILE)
    held = read_classes("both.toml")
    assert named is not None
    assert held is not None
    assert (named.names, held.names) == (("@repeat:times=1,of=(gap)",), (None,))
    both.write_text(BOTH)
    both.rename("moved.toml")
    question = Question.read(
        next(iter(read_sweep('[[randomizer]]\nprotocol = "moved.toml"\n[grid]\neps = [1]')))[1].text
    )
    answer, certificates = (lambda row: (row.answer, row.certificates))(answered_row(question, certify=True))
    assert answer.level == "enclosure"
    assert [(one.side, one.verdict) for one in certificates or ()] == [("holds", "PROVED"), ("fails", "REFUTED")]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "[grid]",
            "[grid]\nusers = [5]",
            "[grid] has users, but both.toml says itself that they are 5. Repair: leave it",
        ),
        ('["worst", 0, 1]', "2", "[[randomizer]] 1, user_class: user_class=2 is none of the 2 classes of users"),
        ('["worst", 0, 1]', '"best"', "[[randomizer]] 1, user_class: user_class='best' is not a number"),
        ('["worst", 0, 1]', "[0, 0]", "[[randomizer]] 1, user_class has '0' twice"),
        (
            "user_class",
            "participation = '1/2'\nuser_class",
            "has participation beside a file with classes. Repair: parti",
        ),
        (
            "user_class",
            "gamma = '1/2'\nuser_class",
            "has 'gamma' beside a file. Repair: beside a file with classes there",
        ),
        ("both.toml", "flip.toml", "has 'user_class' beside a file. Repair: a file has no parameters: leave it out"),
        ("both.toml", "@gap", "has 'user_class', which @gap does not take"),
        ("both.toml", "wrong.toml", "[[randomizer]] 1: wrong.toml: class 0 lacks the key 'users'"),
        ("both.toml", "many.toml", "[[randomizer]] 1: n=10"),
        (
            "both.toml",
            "made.toml",
            "[[randomizer]] 1: made.toml: class 0 has of = 'questions.toml', which names files and is no table of",
        ),
    ],
)
def test_a_wrong_sweep_of_classes_is_refused_with_its_place(old: str, new: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "wrong.toml").write_text('[[class]]\nof = "flip.toml"\n')
    (tmp_path / "many.toml").write_text(f'[[class]]\nof = "flip.toml"\nusers = 1{"0" * 30}\n')
    (tmp_path / "made.toml").write_text('[[class]]\nof = "questions.toml"\nusers = 3\n')
    (tmp_path / "questions.toml").write_text('[[product]]\nof = ["flip.toml", "krr:inputs=2,exp-eps0=2"]\n')
    assert old in SWEEP
    (tmp_path / "sweep.toml").write_text(SWEEP.replace(old, new))
    words = refused("sweep sweep.toml -o store.sqlite")
    assert said in words
    assert words.count("\n") == 1
    assert not (tmp_path / "store.sqlite").exists()
