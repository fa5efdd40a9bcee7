"""Families side by side: each row is what ``calibrate`` and ``accuracy`` say, and the order is what the ends prove."""

import json
from dataclasses import replace
from fractions import Fraction as F

import pytest
from click.testing import CliRunner

from exactdp import ShuffleProtocol, calibrate, optimal_accuracy
from exactdp.cli.main import cli
from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.numbers.interval import Interval, fraction_ends
from exactdp.protocols.accuracy.frequency_errors import enough_error, frequency_error, reached_error
from exactdp.protocols.naming.targets import read_target
from exactdp.report.figures.calibration_curves import choice_picture, choice_table
from exactdp.studies.calibration.choice import CATEGORIES, CHOICES, Choice, Choices, choose

ASKED = {"eps": 1, "delta": "1e-4"}
SOME = ["k-ary response", "subset selection", "unary encoding, optimized"]


@pytest.fixture(scope="module")
def every():
    return choose(5000, 6, only=SOME, **ASKED)


@pytest.fixture(scope="module")
def found():
    """Of those that are quickly compared."""
    return choose(5000, 6, only=SOME[:2], **ASKED)


def family_of(row):
    return read_target(row.name).family


@pytest.mark.slow
def test_each_row_is_what_calibrate_and_accuracy_say(every):
    kinds = {
        "k-ary response": ("randomized-response", {}),
        "subset selection": ("subset-selection", {}),
        "unary encoding, optimized": ("unary-encoding", {"optimized": True}),
    }
    assert {row.family for row in every.rows} == kinds.keys()
    for row in every.rows:
        kind, options = kinds[row.family]
        calibration = calibrate(kind, n=5000, inputs=6, certificates=False, **options, **ASKED)
        family = family_of(row)
        value = family.gamma if kind == "randomized-response" else family.parameters["exp_eps0"]
        assert value == calibration.parameter
        assert family.local_epsilon().argument == row.exp_eps0
        assert row.error == optimal_accuracy(ShuffleProtocol(family, 5000), beta="1/20")
        assert fraction_ends(row.delta)[1] <= F(1, 10**4)
        assert row.least_error <= fraction_ends(row.error)[0]
    check_reached(every)


@pytest.mark.slow
def test_the_shell_and_its_lines_say_the_same(every):
    asked = "choose --inputs 6 -n 5000 --eps 1 --delta 1e-4 --jobs 1 --format json"
    words = [*asked.split(), *(part for name in SOME for part in ("--only", name))]
    data = json.loads(CliRunner().invoke(cli, words).stdout)
    assert [row["randomizer"] for row in data["rows"]] == [row.name for row in every.rows]
    for row in data["rows"]:
        again = CliRunner().invoke(cli, [*row["paste"]["error"].split()[1:], "--format", "json"])
        alpha, deviation = (json.loads(again.stdout)[name] for name in ("alpha", "standard_deviation"))
        assert (alpha, deviation) == (row["error"], row["standard_deviation"])
        private = CliRunner().invoke(cli, [*row["paste"]["privacy"].split()[1:], "--format", "json"])
        assert F(json.loads(private.stdout)["delta"]["hi"]) <= F(1, 10**4)


def test_at_equal_error_each_has_the_most_noise_on_its_grid():
    found = choose(5000, 6, error=200, only=SOME, **ASKED)
    for row in found.rows:
        assert fraction_ends(row.error)[1] <= 200
        family = family_of(row)
        if row.family != "k-ary response":
            less = type(family)(**{**family.parameters, "exp_eps0": row.exp_eps0 - (row.exp_eps0 - 1) / 2**11})
            assert enough_error(less, 5000, F(1, 20)) > 200
    deltas = [fraction_ends(row.delta)[1] for row in found.rows]
    assert deltas == sorted(deltas)


@pytest.mark.slow
def test_several_releases_are_private_together_and_a_tenth_more_is_not():
    found = choose(5000, 6, times=10, only=["unary encoding, optimized"], **ASKED)
    row = found.rows[0]
    low, high = fraction_ends(row.delta)
    assert F(7, 10) * F(1, 10**4) <= high <= F(1, 10**4)
    family = family_of(row)
    more = type(family)(**{**family.parameters, "exp_eps0": row.exp_eps0 * F(12, 10)})
    refuted = ShuffleProtocol(more, 5000).privacy_profile().compose(10).delta(eps=1, relative_width="1/16")
    assert refuted.lo > F(1, 10**4) >= high >= low > 0


def row_of(name, low, high):
    error = Interval.between(F(low), F(high), bits=64)
    return Choice(name, f"@{name}", F(9), F(1, 10), error, "a theorem", F(1), 3, F(low))


def made(question, *ends):
    return Choices(question, tuple(row_of(name, low, high) for name, low, high in ends))


def test_an_order_is_open_where_the_ends_leave_it_open(found):
    question = found.question
    some = made(question, ("a", 1, 3), ("b", 2, 5), ("c", 4, 6), ("d", 7, 8))
    assert [some.places(row) for row in some.rows] == [(1, 2), (1, 3), (2, 3), (4, 4)]
    proved = made(question, ("a", 1, 2), ("b", 3, 4))
    assert [proved.places(row) for row in proved.rows] == [(1, 1), (2, 2)]
    touching = made(question, ("a", 1, 2), ("b", 2, 4))
    assert [touching.places(row) for row in touching.rows] == [(1, 2), (1, 2)]
    none = Choices(question, (row_of("a", 1, 2), Choice("b", reason="out of reach")))
    assert [none.places(row) for row in none.rows] == [(1, 1), None]
    by_delta = made(replace(question, error=F(9)), ("a", 1, 2), ("b", 3, 4))
    assert [by_delta.places(row) for row in by_delta.rows] == [(1, 2), (1, 2)]


def test_at_equal_error_composed_deltas_whose_order_is_open_are_known_better(monkeypatch):
    middles, asked = {"k-ary response": 10, "subset selection": 11, "Hadamard response": 30}, []

    def answered(one):
        question, family = one
        asked.append((family, question.width))
        low = F(middles[family], 100)
        return replace(row_of(family, 1, 2), delta=Interval.between(low, low / (1 - question.width), bits=64))

    monkeypatch.setattr("exactdp.studies.calibration.choice._answered", answered)
    found = choose(5000, 6, times=10, error=200, only=list(middles), **ASKED)
    finer = [family for family, width in asked if width == F(1, 32)]
    assert finer == ["k-ary response", "subset selection"]
    assert [found.places(row) for row in found.rows] == [(1, 1), (2, 2), (3, 3)]
    asked.clear()
    choose(5000, 6, times=10, only=list(middles), **ASKED)
    assert {width for _, width in asked} == {F(1, 8)}
    assert len(asked) == 3


def test_the_lower_end_of_privacy_opens_an_order(found):
    """What no value that is not refuted errs less than is what a family is ordered by, not its error alone."""
    first, second = row_of("a", 1, 2), replace(row_of("b", 3, 4), least_error=F(1))
    assert Choices(found.question, (first, second)).places(second) == (1, 2)


def test_what_is_out_of_reach_has_a_reason_and_comes_last():
    found = choose(3000, 6, error=F(1, 1000), only=["Hadamard response"], **ASKED)
    assert found.rows[0].reason == "no e^eps0 up to 2^64 errs by less. Use a larger error, beta or n."
    assert found.places(found.rows[0]) is None
    words = "choose --inputs 6 -n 3000 --eps 1 --delta 1e-4 --error 1/1000 --jobs 1 --only hadamard-response"
    answer = CliRunner().invoke(cli, words.split())
    assert "Hadamard response: no e^eps0 up to 2^64" in answer.stdout
    assert answer.exit_code == 0


def test_what_is_reached_is_a_lower_end_of_the_error(found):
    check_reached(found)


def check_reached(found):
    for row in found.rows:
        low, high = fraction_ends(row.error)
        assert F(9, 10) * low < reached_error(family_of(row), 5000, F(1, 20)) <= high


def test_all_inputs_together_err_more(found):
    together = choose(5000, 6, simultaneous=True, only=SOME[:1], **ASKED).rows[0]
    alone = next(row for row in found.rows if row.family == SOME[0])
    assert together.name == alone.name
    assert together.error == frequency_error(family_of(alone), 5000, "1/20", simultaneous=True).alpha
    assert together.error.hi > fraction_ends(alone.error)[1]


def test_names_and_refusals(tmp_path):
    assert CHOICES[:-1] == CATEGORIES
    for more, kind, words in (
        ({"only": ["nosuch"]}, InvalidValueError, "is no family"),
        ({"error": 0}, InvalidValueError, "no number of users"),
        ({"error": 10**4}, InvalidValueError, "no number of users"),
        ({"beta": 1}, InvalidValueError, "strictly between"),
        ({"delta": 0}, InvalidValueError, "strictly between"),
        ({"inputs": 10**6}, TooLargeError, "limit"),
        ({"eps": None}, InvalidValueError, "neither of eps and exp_eps"),
    ):
        with pytest.raises(kind, match=words):
            choose(100, **{"inputs": 6, **ASKED, **more})
    refused = CliRunner().invoke(cli, ["choose", "-n", "100", "--eps", "1", "--delta", "1e-4"])
    assert refused.stderr == "error: choose needs --inputs, what a user can hold. Write --inputs 20.\n"
    (tmp_path / "a").write_text("")
    words = f"choose --inputs 6 -n 100 --eps 1 --delta 1e-4 --figures {tmp_path / 'a'}"
    assert CliRunner().invoke(cli, words.split()).exit_code == 2


def test_the_picture_shows_the_ends_and_names_what_may_be_first(found, tmp_path):
    table = choice_table(found)
    assert table.column("family") == tuple(row.family for row in found.rows)
    assert table.column("error") == tuple(row.error for row in found.rows)
    picture = choice_picture(found)
    for row in found.rows:
        assert (row.family in picture.title) == (found.places(row)[0] == 1)
    assert "Where two bars overlap, the order is open." in picture.caption
    picture.draw(tmp_path / "choose.svg")
    assert (tmp_path / "choose.svg").read_text(encoding="utf-8").startswith("<?xml")
    assert choice_picture(replace(found, rows=())).title == "The least error: no family"
