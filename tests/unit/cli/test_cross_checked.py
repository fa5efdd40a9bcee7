"""--cross-check: answers agree, a wrong engine is found out, what is out of reach says so; each has its exit status."""

import json

import pytest
from click.testing import CliRunner

from exactdp.cli.failures import HOLDS, REFUTED, UNDECIDED
from exactdp.cli.main import cli
from exactdp.numbers.interval import Interval
from exactdp.privacy.attained import AttainedDelta
from exactdp.privacy.profile import PrivacyProfile

GAP = ("@gap", "-n", "3")


def asked(*words):
    done = CliRunner().invoke(cli, [*words, "--cross-check"], standalone_mode=False)
    return done.return_value, done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("delta", *GAP, "--eps", "1/4"),
        ("delta", *GAP, "--eps", "ln(3/2)"),
        ("epsilon", *GAP, "--delta", "1/100"),
        ("curve", *GAP, "--eps-to", "1", "--points", "3"),
        ("compose", "@geometric:p=1/2", "--times", "2", "--eps", "1/2"),
    ],
)
def test_answers_agree(words):
    status, shown = asked(*words)
    assert status == HOLDS
    assert "cross-check" in shown
    assert "inside" in shown


def test_a_wrong_engine_is_found_out(monkeypatch):
    right = PrivacyProfile.delta_with_pair

    def wrong(self, **question):
        found = right(self, **question)
        width = found.delta.hi - found.delta.lo
        return AttainedDelta(
            Interval.between(found.delta.lo + 2 * width, found.delta.hi + 2 * width, bits=80), found.pair
        )

    monkeypatch.setattr(PrivacyProfile, "delta_with_pair", wrong)
    status, shown = asked("delta", *GAP, "--eps", "1/4")
    assert status == REFUTED
    assert "cross-check  outside: 0.064233" in shown
    status, shown = asked("curve", *GAP, "--eps-from", "1/8", "--eps-to", "1/4", "--points", "2")
    assert (status, shown.count("outside")) == (REFUTED, 2)


def test_what_is_out_of_reach_says_so():
    status, shown = asked("delta", "@randomized-response", "--gamma", "1/2", "-n", "400", "--eps", "1/4")
    assert status == UNDECIDED
    assert "cross-check  not computed: the sums have more than 1000000 steps, the limit." in shown
    two = ("@correlated-counting", "--p1", "1/2", "--p2", "9/10", "--r", "3", "-n", "9")
    status, shown = asked("delta", *two, "--eps", "1", "--format", "json")
    assert status == UNDECIDED
    check = json.loads(shown)["cross_check"]
    assert check["verdict"] == "not computed"
    assert check["reason"] == (
        "no sums are written for two counts, with geometric noise of ratio 1/2 each and NB(3, 9/10) for both."
    )
    assert [check[key] for key in ("lower", "upper", "digits", "method")] == [None] * 4


def test_csv_has_the_verdict():
    _, shown = asked("epsilon", *GAP, "--delta", "1/100", "--format", "csv")
    header, row = shown.splitlines()
    assert (header.rpartition(",")[2], row.rpartition(",")[2]) == ("cross_check", "inside")
