"""The grid of a sweep: what is asked, once and in one text, and what is refused with its place."""

from pathlib import Path

import pytest

from exactdp import ShuffleProtocol
from exactdp.errors import ExactDPError, InvalidFileError, TooLargeError
from exactdp.numbers.exact import as_fraction
from exactdp.randomizers import UnaryEncoding, product, randomized_response
from exactdp.studies.sweep.sweep_question import Question
from exactdp.studies.sweep.sweep_spec import read_sweep, read_sweep_file

ROOT = Path(__file__).resolve().parents[4]
ISSUE = (ROOT / "examples" / "sweeps" / "binary.toml").read_text("utf-8")
NOISE = """
[[noise]]
law = "@poisson"
mu = [10, 20]
shift = [1, 2]
[grid]
runs = [1, 5]
delta = ["1e-6"]
"""
FLAG = """
[[randomizer]]
protocol = "@unary-encoding"
inputs = 4
exp_eps0 = 3
optimized = [true, false]
[grid]
users = [3]
eps = [1]
"""
TABLE = '[[row]]\ninput = "a"\nmessages = [ {send = ["x"], prob = "1/2"}, {send = [], prob = "0.5"} ]\n'


def test_a_grid_is_the_product_of_its_axes() -> None:
    sweep = read_sweep(ISSUE)
    asked = [question for _, question in sweep]
    assert len(sweep) == len(asked) == len({question.key for question in asked}) == 48
    assert {(q.options, q.users, q.at) for q in asked} == {
        ((("--gamma", gamma),), users, eps)
        for gamma in ("1/10", "1/5", "1/2")
        for users in ("100", "200", "500", "1000")
        for eps in ("1/10", "1/4", "1/2", "1")
    }
    assert {name for name, _ in sweep} == {"binary"}


def test_noise_has_neither_users_nor_neighbours() -> None:
    asked = [question for _, question in read_sweep(NOISE)]
    assert [(q.subject, q.users, q.neighbors, q.shift, q.runs) for q in asked] == [
        (f"@poisson:mu={mu}", None, None, shift, runs) for mu in (10, 20) for shift in ("1", "2") for runs in (1, 5)
    ]
    assert {q.answer for q in asked} == {"eps"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('eps = ["1/10", "1/4", "1/2", "1"]', 'eps = ["0.1", "25e-2", "2/4", 1]'),
        ('gamma = ["1/10", "1/5", "1/2"]', 'gamma = ["10/100", " 0.2", "0.50"]'),
        ("users = [100, 200, 500, 1000]", 'users = ["100", 200, 500, "1_000"]'),
        ('gamma = ["1/10", "1/5", "1/2"]', 'inputs = 2\ngamma = ["1/10", "1/5", "1/2"]'),
    ],
)
def test_a_question_has_one_text_however_it_is_written(one: str, other: str) -> None:
    assert one in ISSUE
    first, second = ([q for _, q in read_sweep(text)] for text in (ISSUE, ISSUE.replace(one, other)))
    if "inputs" in other:  # an option that is written is a part of the question, also where it is the usual one
        assert {q.key for q in first}.isdisjoint(q.key for q in second)
    else:
        assert [q.text for q in first] == [q.text for q in second]


def test_a_question_is_read_from_its_text() -> None:
    for _, question in (*read_sweep(ISSUE), *read_sweep(NOISE)):
        assert Question.read(question.text) == question
    with pytest.raises(InvalidFileError, match="is no question of a sweep"):
        Question.read('{"kind": "protocol"}')
    text = next(iter(read_sweep(ISSUE)))[1].text
    for old, new in (('"at":"1/10"', '"at":1'), ('"asked":"eps"', '"asked":"alpha"'), ('"runs":"1"', '"runs":"x"')):
        assert old in text
        with pytest.raises(InvalidFileError, match="is no question of a sweep"):
            Question.read(text.replace(old, new))


def test_questions_are_ordered_by_the_size_of_numbers() -> None:
    order = sorted((question.order, question) for _, question in read_sweep(ISSUE))
    expected = sorted(
        (as_fraction(q.options[0][1], name="gamma"), int(q.users or ""), as_fraction(q.at, name="eps"))
        for _, q in read_sweep(ISSUE)
    )
    assert [
        (as_fraction(q.options[0][1], name="gamma"), int(q.users or ""), as_fraction(q.at, name="eps"))
        for _, q in order
    ] == expected


def test_a_file_of_a_randomizer_is_read_beside_the_spec_and_travels_with_the_question(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "own.toml").write_text(TABLE)
    spec = tmp_path / "deep" / "sweep.toml"
    spec.write_text('[[randomizer]]\nprotocol = "own.toml"\n[grid]\nusers = 3\nexp_eps = 2\n')
    ((name, question),) = read_sweep_file(spec)
    assert name == "own.toml"
    assert question.subject == '[{"input":"a","messages":[{"prob":"1/2","send":["x"]},{"prob":"1/2","send":[]}]}]'
    (tmp_path / "deep" / "own.toml").unlink()
    assert Question.read(question.text).profile().delta(exp_eps=2) == 0


def test_the_example_of_the_page_is_read() -> None:
    page = (ROOT / "exactdp" / "studies" / "sweep" / "sweep_spec.py").read_text("utf-8").split('"""')[1]
    lines = [line[4:] for line in page.splitlines() if line.startswith("    ")]
    sweep = read_sweep("\n".join(lines))
    assert sweep.certify
    assert len(sweep) == (3 * 3 + 2 * 2) * 2 * 3


GRID = "\n[grid]\nusers = [7, 'binomial:n=9,p=1/2']\neps = [1]\n"


@pytest.mark.parametrize(
    ("named", "spread"),
    [
        ("'randomized-response:gamma=(1/10; 1/5)'", "'@randomized-response'\ngamma = ['1/10', '1/5']"),
        ("'@krr:inputs=3,exp_eps0=(2; 3)'", "'@randomized-response'\ninputs = 3\nexp_eps0 = [2, 3]"),
        ("'oue:inputs=(3; 4),exp-eps0=3'", "'@unary-encoding'\ninputs = [3, 4]\nexp-eps0 = 3\noptimized = true"),
        ("'unary-encoding:inputs=3'\nexp_eps0 = [2, 3]", "'@unary-encoding'\ninputs = 3\nexp_eps0 = [2, 3]"),
    ],
)
def test_parameters_behind_a_name_ask_the_same(named: str, spread: str) -> None:
    one, other = (list(read_sweep(f"[[randomizer]]\nprotocol = {text}{GRID}")) for text in (named, spread))
    assert one == other
    assert {question.users for _, question in one} == {"7", "@binomial:n=9,p=1/2"}


def test_laws_and_nested_names_stand_in_files() -> None:
    laws = [
        f"[[noise]]\nlaw = {law}\n[grid]\neps = [1]\n" for law in ("'poisson:mu=(10; 20)'", "'@poisson'\nmu=[10, 20]")
    ]
    assert list(read_sweep(laws[0])) == list(read_sweep(laws[1]))
    nested = "repeat:times=(1; 2),of=(krr:inputs=3,eps0=1)"
    asked = [question for _, question in read_sweep(f"[[randomizer]]\nprotocol = '{nested}'{GRID}")]
    assert [question.options[0] for question in asked[::2]] == [("--times", "1"), ("--times", "2")]
    assert asked[0].target().name == "@repeat:times=1,of=(randomized-response:inputs=3,eps0=1)"
    assert Question.read(asked[0].text) == asked[0]


QUESTIONS = "(randomized-response:inputs=3,exp-eps0=4; unary-encoding:inputs=300,exp-eps0=2)"


def test_a_product_is_asked_as_it_is_elsewhere() -> None:
    spec = f'randomizer = [{{protocol = "@product:of={QUESTIONS}"}}]\ngrid = {{users = [100], eps = ["1/2"]}}'
    ((name, question),) = read_sweep(spec)
    made = product(randomized_response(3, exp_eps0=4), UnaryEncoding(300, exp_eps0=2))
    assert (name, question.options) == ("@product", (("--of", QUESTIONS),))
    assert Question.read(question.text).profile().delta(eps="1/2") == (
        ShuffleProtocol(made, 100).privacy_profile().delta(eps="1/2")
    )


@pytest.mark.parametrize(
    "of", ["(randomized-response:inputs=3,exp-eps0=4; own.toml)", "(repeat:times=2,of=(own.toml))"]
)
def test_a_file_within_a_name_is_refused(of: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text of the question would stay the same where the file does not."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.toml").write_text(TABLE + TABLE.replace('"a"', '"b"'))
    with pytest.raises(InvalidFileError, match=r"names the file 'own\.toml'"):
        read_sweep(f'randomizer = [{{protocol = "@product:of={of}"}}]\ngrid = {{users = [100], eps = ["1/2"]}}')


def test_lists_behind_a_name_are_counted_before_they_are_read() -> None:
    many = ISSUE.replace("@randomized-response", f"krr:gamma=({'1/2;' * 2000}),inputs=({'3;' * 500})")
    with pytest.raises(TooLargeError, match=r"questions, above the limit of 10\^7"):
        read_sweep(many)


def test_a_file_beside_the_sweep_comes_before_a_name(tmp_path: Path) -> None:
    (tmp_path / "gap").write_text(TABLE.replace("0.5", "1/2"))
    spec = "[[randomizer]]\nprotocol = 'gap'\n[grid]\nusers = [3]\neps = [1]\n"
    kinds = [next(iter(read_sweep(spec, folder=folder)))[1].kind for folder in (tmp_path, tmp_path / "absent")]
    assert kinds == ["table", "protocol"]


REFUSED = {
    "": "the file has no [[randomizer]] and no [[noise]]",
    "grid = 3\n" + ISSUE: "not valid TOML",
    ".".join("k" * 70) + " = 1\n" + ISSUE: "line 1 has a key of more than 64 parts",
    "grid = " + "[" * 2000: "not readable as TOML",
    "certify = 1\n" + ISSUE: "certify is 1. Repair: write certify = true",
    "seed = 1\n" + ISSUE: "the file has the unknown key 'seed'",
    ISSUE.replace("[grid]", "[gird]"): "did you mean grid",
    ISSUE.replace(
        "gamma", "gama"
    ): "[[randomizer]] 1 has 'gama', which @randomized-response does not take. Repair: did you mean gamma.",
    ISSUE.replace("protocol", "protocl"): "[[randomizer]] 1 lacks protocol. Repair: did you mean it by protocl.",
    ISSUE.replace("[[randomizer]]", "[randomizer]"): "randomizer is no list of tables",
    ISSUE.replace("@randomized-response", "@randomised-response"): "[[randomizer]] 1 protocol = '@randomised-response' "
    "names nothing. Repair: did you mean @randomized-response.",
    ISSUE.replace("@randomized-response", "krr:gamma=1/2"): "[[randomizer]] 1 has gamma in protocol and by itself",
    ISSUE.replace(
        "@randomized-response", "krr:gama=1/2"
    ): "[[randomizer]] 1: @krr has no parameter 'gama'. Did you mean",
    ISSUE.replace("@randomized-response", "krr:gamma=(1/2").replace("gamma =", "#"): "a parenthesis that is not closed",
    ISSUE.replace("@randomized-response", "krr:gamma=(1/2;1/2)").replace("gamma =", "#"): "gamma has '1/2' twice",
    NOISE.replace("@poisson", "poisson:mu=3"): "[[noise]] 1 has mu in law and by itself",
    ISSUE.replace("@randomized-response", "@poisson"): "did you mean @poisson, a [[noise]]",
    ISSUE.replace("@randomized-response", "absent.toml").replace("gamma", "#"): "[[randomizer]] 1: ",
    ISSUE.replace("@randomized-response", "absent.toml"): "has 'gamma' beside a file",
    '[[randomizer]]\nprotocol = "@gap"\ncertify = true\n': "Repair: it is for the whole sweep: write it above",
    ISSUE.replace("gamma", "gama"): "[[randomizer]] 1 has 'gama', which @randomized-response does not take. Repair: "
    "did you mean gamma.",
    ISSUE.replace('"1/10", "1/5"', '0.1, "1/5"'): "[[randomizer]] 1, gamma has the float 0.1. Repair: write it as text",
    ISSUE.replace('"1/5"', '"6/5"'): "[[randomizer]] 1, gamma = 6/5: ",
    ISSUE.replace('["1/10", "1/5", "1/2"]', "[]"): "[[randomizer]] 1, gamma is an empty list",
    ISSUE.replace('"1/5"', '"0.1"'): "[[randomizer]] 1, gamma has '1/10' twice",
    ISSUE.replace("users = [100, 200, 500, 1000]", ""): "[grid] lacks users",
    ISSUE.replace("users = [100,", 'users = ["many",'): "[grid], users: ",
    ISSUE.replace("users = [100,", "users = [0,"): "[grid], users: n=0",
    ISSUE.replace("users = [100,", 'users = ["@laplace:scale=1",'): "names no law",
    ISSUE.replace("eps =", "epsilon ="): "[grid] has the unknown key 'epsilon'",
    ISSUE.replace("eps =", "# ="): "[grid] has neither eps nor delta",
    ISSUE.replace('eps = ["1/10"', 'eps = ["-1"'): "[grid], eps: eps=-1 is below 0",
    ISSUE.replace('eps = ["1/10"', 'delta = ["3"'): "[grid], delta: delta=3",
    ISSUE + 'neighbors = ["any"]': "[grid], neighbors has 'any'",
    ISSUE + "runs = 0": "[grid], runs: runs=0",
    NOISE.replace("@poisson", "@poison"): "[[noise]] 1 law = '@poison' names no law. Repair: did you mean @poisson.",
    NOISE.replace("mu", "nu"): "[[noise]] 1: @poisson has no parameter 'nu'",
    NOISE.replace("shift = [1, 2]", 'shift = "1/2"'): "[[noise]] 1, shift: shift=1/2",
    ISSUE + ISSUE.split("[grid]")[0]: "binary asks the same questions twice",
    ISSUE.replace("users = [100,", "users = [true,"): "[grid], users has true. Repair: write numbers or text",
    ISSUE.replace('"1/10", "1/5"', 'false, "1/5"'): "[[randomizer]] 1, gamma has false. Repair: write numbers or text",
    FLAG.replace("[true, false]", "0"): "[[randomizer]] 1, optimized has 0. Repair: write true or false",
    FLAG.replace("[true, false]", "[]"): "[[randomizer]] 1, optimized has []. Repair: write true or false",
    FLAG.replace("[true, false]", "[true, true]"): "[[randomizer]] 1, optimized has True twice",
    ISSUE.replace("gamma", "g" * 10**5): "...(100002 characters), which @randomized-response does not take",
    FLAG.replace("@unary-encoding", "@correlated-counting")
    .replace("inputs = 4", 'p1 = "1/2"')
    .replace("exp_eps0 = 3", 'p2 = "1/2"')
    .replace("optimized = [true, false]", "r = 1")
    .replace("[grid]", '[[randomizer]]\nprotocol = "@gap"\n[grid]')
    .replace("[3]", '["@binomial:n=9,p=1/2"]'): "is random, but @correlated-counting",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_wrong_is_refused_with_its_place(text: str, tmp_path: Path) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text(text)
    with pytest.raises(InvalidFileError) as refused:
        read_sweep_file(path)
    assert str(refused.value).startswith(f"{path}: ")
    assert REFUSED[text] in str(refused.value)


def test_too_many_questions_are_refused() -> None:
    numbers = ", ".join(map(str, range(1, 2001)))
    with pytest.raises(TooLargeError, match="questions, above the limit of 10"):
        read_sweep(f"{NOISE.replace('[1, 5]', f'[{numbers}]')}".replace('["1e-6"]', f"[{numbers_below_one(2000)}]"))


@pytest.mark.parametrize(
    "text",
    [
        NOISE.replace('"@poisson"\nmu = [10, 20]', f'"@binomial"\nn = {list(range(9999))}\np = {list(range(9999))}'),
        FLAG.replace("= 4", f"= {list(range(999))}").replace("= 3", f"= {list(range(999))}\nsize = {list(range(999))}"),
        FLAG.partition("[grid]")[0].replace("= 4", f"= {list(range(9999))}")
        + "[grid]\n"
        + "".join(f"{axis} = {list(range(9999))}\n" for axis in ("eps", "delta", "runs", "users")),
    ],
    ids=["laws", "randomizers", "more than Python counts"],
)
def test_too_many_questions_are_refused_before_any_is_read(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the lengths of lists alone: to read 10^9 of anything takes hours, and len() refuses 2^63 of them."""
    monkeypatch.setattr("exactdp.studies.sweep.sweep_spec._text", None)
    with pytest.raises(TooLargeError, match=r"the grid has \d{8,} questions, above the limit of 10"):
        read_sweep(text)


def test_a_flag_is_true_or_false() -> None:
    assert [question.options[-1] for _, question in read_sweep(FLAG)] == [("--optimized", ""), ("--exp-eps0", "3")]


def numbers_below_one(count: int) -> str:
    return ", ".join(f'"1/{k + 2}"' for k in range(count))


AWAY = """
[[randomizer]]
protocol = "@randomized-response"
gamma = "1/2"
participation = ["9/10", "1/2"]
absence = "hidden"
dummy = ["uniform", "input:0"]
[grid]
users = [4]
exp_eps = ["3/2"]
"""


def test_users_of_a_sweep_may_be_away() -> None:
    asked = [question for _, question in read_sweep(AWAY)]
    assert [question.away for question in asked] == [
        {"participation": q, "absence": "hidden", "dummy": dummy}
        for q in ("9/10", "1/2")
        for dummy in ("uniform", "input:0")
    ]
    flip = randomized_response(2, gamma="1/2")
    for question, dummy in zip(asked, ("uniform", ("input", 0)) * 2, strict=True):
        assert Question.read(question.text) == question
        protocol = ShuffleProtocol(flip, 4, participation=question.away["participation"], absence="hidden", dummy=dummy)
        assert question.profile().delta(exp_eps="3/2") == protocol.privacy_profile().delta(exp_eps="3/2")
    plain = AWAY.replace('participation = ["9/10", "1/2"]\nabsence = "hidden"\ndummy = ["uniform", "input:0"]\n', "")
    (one,) = (question for _, question in read_sweep(plain))
    assert one.away == {}
    assert one.options == (("--gamma", "1/2"),)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('participation = "2"', "outside"),
        ('absence = "hidden"', "how likely a user takes part"),
        ('participation = "1/2"\nabsence = "hidden"', "Give a dummy"),
        ('participation = "1/2"\nabsence = "away"', "is unknown"),
    ],
)
def test_absence_that_is_none_is_refused_with_its_place(line: str, words: str) -> None:
    text = AWAY.replace('participation = ["9/10", "1/2"]\nabsence = "hidden"\ndummy = ["uniform", "input:0"]', line)
    with pytest.raises(ExactDPError, match=words) as refused:
        read_sweep(text)
    assert "[[randomizer]] 1" in str(refused.value)
