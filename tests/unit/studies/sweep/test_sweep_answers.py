"""Answers and certificates of a sweep, against brute force over all data sets and the checker as a stranger runs it."""

import json
from collections.abc import Callable
from fractions import Fraction

import pytest

from exactdp.certificates.verify import main as verify_files
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.interval import Interval
from exactdp.studies.sweep.sweep_answers import LONGEST, answered_row, certified, read_value
from exactdp.studies.sweep.sweep_question import Question
from exactdp.studies.sweep.sweep_spec import read_sweep
from tests.oracles.brute_force import hockey_stick, neighbouring_pairs, pair_exp_epsilon, shuffled_law

GAMMA, USERS = Fraction(1, 4), 4
TABLE = {x: {(y,): GAMMA / 2 + (1 - GAMMA) * (x == y) for y in (0, 1)} for x in (0, 1)}


def ask(asked: str, at: str, **more: object) -> Question:
    return Question("protocol", "@randomized-response", (("--gamma", "1/4"),), str(USERS), asked, at, **more)  # type: ignore[arg-type]


def laws() -> list[tuple[dict[object, Fraction], dict[object, Fraction]]]:
    pairs = neighbouring_pairs((0, 1), USERS, "replace-one")
    return [(shuffled_law(TABLE, first), shuffled_law(TABLE, second)) for first, second in pairs]


def test_delta_is_the_largest_over_all_pairs_of_data_sets() -> None:
    expected = max(hockey_stick(p, q, Fraction(3, 2)) for p, q in laws())
    row = answered_row(ask("exp_eps", "3/2"), certify=False)
    assert row.answer.lower == row.answer.upper == str(expected)
    assert (row.answer.level, row.answer.error, row.certificates) == ("exact", None, None)
    assert row.cost.microseconds > 0


def test_eps_is_the_least_at_which_no_pair_is_above_delta() -> None:
    expected = max(pair_exp_epsilon(p, q, Fraction(1, 100)) or 0 for p, q in laws())
    row = answered_row(ask("delta", "1/100"), certify=False)
    assert row.answer.lower == row.answer.upper == f"ln({expected})"


def test_an_irrational_exp_eps_is_enclosed_between_its_neighbours() -> None:
    """e^(1/2) is between 1.6487 and 1.6488, and delta falls."""
    row = answered_row(ask("eps", "1/2"), certify=False)
    assert row.answer.lower is not None
    value = read_value("delta", row.answer.lower, row.answer.upper or "")
    assert isinstance(value, Interval)
    high, low = (max(hockey_stick(p, q, e) for p, q in laws()) for e in (Fraction("1.6487"), Fraction("1.6488")))
    assert low < value.lo <= value.hi < high
    assert Fraction(row.answer.lo or "") <= value.lo <= value.hi <= Fraction(row.answer.hi or "")
    assert row.answer.level == "enclosure"


def test_what_has_no_answer_says_why() -> None:
    histogram = (("--gamma", "1/8"), ("--bins", "40"))
    asked = Question("protocol", "@histogram", histogram, "1000", "eps", "1", neighbors="add-or-remove-one")
    row = answered_row(asked, certify=True)
    assert (row.answer.level, row.answer.lower, row.answer.engine, row.certificates) == ("none", None, None, ())
    assert "Error: " in (row.answer.error or "")


def test_long_fractions_are_enclosed() -> None:
    asked = Question("protocol", "@randomized-response", (("--gamma", "1/3"),), "2000", "exp_eps", "3/2")
    row = answered_row(asked, certify=False)
    assert row.answer.level == "enclosure"
    assert len(row.answer.lower or "") + len(row.answer.upper or "") < LONGEST // 16


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        (ask("eps", "1/2"), ["holds", "fails"]),
        (ask("delta", "1/100"), ["holds", "fails"]),
        (ask("exp_eps", "1000"), ["holds"]),
        (ask("delta", "0"), ["holds", "fails"]),
        (Question("noise", "@poisson:mu=10", (), None, "eps", "1", None, "2"), ["holds", "fails"]),
        (Question("protocol", "@zsum", (("--gamma", "1/2"),), "5", "delta", "0"), []),
    ],
)
def test_certificates_are_on_either_side_of_the_answer(
    question: Question, sides: list[str], tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    row = answered_row(question, certify=True)
    assert row.certificates is not None
    assert [one.side for one in row.certificates] == sides
    files = []
    for one in row.certificates:
        assert (one.verdict, one.level) == ({"holds": "PROVED", "fails": "REFUTED"}[one.side], "certificate")
        files.append(tmp_path_factory.mktemp("certificates") / f"{one.side}.json")
        files[-1].write_text(one.document or "")
        claim = json.loads(one.document or "")["claim"]
        assert claim[question.answer] == one.at
        assert claim[question.asked] == question.at
        beyond: Callable[[Fraction, Fraction], bool] = Fraction.__ge__ if one.side == "holds" else Fraction.__lt__
        for end in (row.answer.lo, row.answer.hi):
            assert beyond(Fraction(one.at) * (1 + Fraction(1, 10**15) * (one.side == "holds")), Fraction(end or ""))
    if files:
        assert verify_files(list(map(str, files))) == 0
        assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["PROVED", "REFUTED"][: len(files)]


@pytest.mark.parametrize("wrong", [Fraction(5, 32), Fraction(1, 10)])
def test_a_wrong_answer_is_refuted_by_its_own_certificate(wrong: Fraction) -> None:
    asked = Question("protocol", "@zsum", (("--gamma", "1/2"),), "5", "exp_eps", "2")  # its delta is 1/8
    with pytest.raises(AssertionError, match="an answer is refuted by its own certificate"):
        certified(asked, wrong, is_closed=True)


def test_what_no_claim_states_is_told_beside_the_answer() -> None:
    asked = Question("protocol", "@gap", (), "@binomial:n=5,p=1/2", "exp_eps", "2")
    row = answered_row(asked, certify=True)
    assert row.answer.level == "enclosure"
    assert row.certificates is not None
    assert {(one.verdict, one.level, one.document) for one in row.certificates} == {("UNDECIDED", "none", None)}
    assert "n is random" in row.certificates[0].reason


@pytest.mark.parametrize("value", [LogRational(None), LogRational(1), LogRational("3/2")])
def test_an_eps_is_read_from_its_text(value: LogRational) -> None:
    text = "infinity" if value.is_infinite else "0" if value.argument == 1 else f"ln({value.argument})"
    assert read_value("eps", text, text) == value


def test_runs_are_composed() -> None:
    """Two runs of one user's bit: all pairs of answers, against the square of the table."""
    asked = Question("protocol", "@randomized-response", (("--gamma", "1/2"),), "1", "exp_eps", "2", runs=2)
    row = answered_row(asked, certify=False)
    one = {0: Fraction(3, 4), 1: Fraction(1, 4)}
    two = {(a, b): one[a] * one[b] for a in one for b in one}
    other = {(a, b): one[1 - a] * one[1 - b] for a in one for b in one}
    assert row.answer.lower == row.answer.upper == str(hockey_stick(two, other, Fraction(2)))  # type: ignore[arg-type]
    assert row.answer.engine == "composition"


@pytest.mark.parametrize("absence", ["counted", pytest.param("listed", marks=pytest.mark.slow)])
def test_users_who_may_be_away_are_certified_at_both_ends(absence: str) -> None:
    text = f'''[[randomizer]]
protocol = "@unary-encoding:inputs=1000,exp-eps0=7"
participation = "1/2"
absence = "{absence}"
[grid]
users = 100000
exp_eps = "51/50"'''
    (question,) = (Question.read(asked.text) for _, asked in read_sweep(text))
    certificates = answered_row(question, certify=True).certificates or ()
    assert [(one.side, one.verdict, one.level) for one in certificates] == [
        ("holds", "PROVED", "certificate"),
        ("fails", "REFUTED", "certificate"),
    ]
    assert all(f'"absence": "{absence}"' in (one.document or "") for one in certificates)
