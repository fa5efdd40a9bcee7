"""exactdp compose: answers in three forms, and pinned refusals."""

import csv
import io
import json
import re
from dataclasses import replace
from fractions import Fraction

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

import exactdp as xdp
from exactdp.cli.main import cli
from tests.unit.cli.checked_answers import SCHEMA


def run(*arguments):
    return CliRunner().invoke(cli, ["compose", *arguments])


def test_zsum_at_an_eps():
    done = run("@zsum", "--gamma", "1/2", "-n", "1000", "--times", "10", "--eps", "1")
    assert done.exit_code == 0
    lines = dict(line.split("  ", 1) for line in done.stdout.splitlines() if "  " in line)
    assert lines["runs"].strip() == "10"
    assert lines["notion"].strip().startswith("adaptive: each run's neighbouring data sets are chosen after")
    assert lines["delta"].strip().startswith("[1.78")
    assert (
        lines["evidence"].strip() == "enclosure: an interval that contains the truth; `certify --times` proves a bound"
    )
    assert done.stdout.splitlines()[-1].startswith("n counts the users who follow the protocol")


def test_json_of_an_exact_answer():
    done = run("@discrete-laplace:exp_eps=2", "--times", "3", "--exp-eps", "4", "--format", "json")
    found = json.loads(done.stdout)
    assert found["delta"] == {"exact": "4/27", "lo": "0.148148148148148148", "hi": "0.148148148148148149"}
    assert (found["times"], found["notion"], found["exact"], found["tight"]) == (3, "adaptive", True, True)
    assert (found["exp_eps"], found["relative_width"], found["level"]) == ("4", "1/1000", "exact")


def test_a_width_and_a_notion():
    command = ("@poisson:mu=30", "--times", "2", "--eps", "1", "--relative-width", "1e-5", "--format", "json")
    wide, narrow = (json.loads(run(*command, "--notion", notion).stdout) for notion in ("adaptive", "same-data"))
    assert (wide["tight"], narrow["tight"], narrow["notion"]) == (False, True, "same data")
    low, high = (Fraction(narrow["delta"][end]) for end in ("lo", "hi"))
    assert 0 < high - low <= high / 10**5
    assert Fraction(wide["delta"]["hi"]) >= low
    text = run(*command[:-2]).stdout
    assert "tight      no: the width may be a gap between the notion and the data sets that were tried" in text


def test_an_eps_at_a_delta():
    exact = json.loads(run("@discrete-laplace:exp_eps=2", "--times", "3", "--delta", "4/27", "--format", "json").stdout)
    assert exact["epsilon"]["exact"] == "ln(4)"


@pytest.mark.slow
def test_an_eps_that_is_enclosed():
    done = run("@binomial:n=1000,p=1/2", "--times", "10", "--delta", "1e-6", "--format", "json")
    found = json.loads(done.stdout)
    assert found["delta"] == "1/1000000"
    assert found["epsilon"]["exact"] is None
    assert Fraction("0.834") < Fraction(found["epsilon"]["lo"]) < Fraction(found["epsilon"]["hi"]) < Fraction("0.8355")


TWO_ENDS = ("@unary-encoding", "--inputs", "100", "--exp-eps0", "3", "-n", "10000", "--times", "2")


@pytest.mark.slow
def test_both_ends_of_runs_of_a_family():
    """The answer reaches from the lower end to the upper one, which say what attains and what proves them."""
    lines = dict(
        re.split("  +", line, maxsplit=1)
        for line in run(*TWO_ENDS, "--eps", "1/25").stdout.splitlines()
        if "  " in line
    )
    assert lines["lower end"].endswith("attained by the data sets 1=1,2=9999 and 0=1,2=9999 in all runs")
    assert lines["upper end"].endswith(
        "one run: the swap bound, all others at their worst input (proved in "
        "exactdp.privacy.amplification.swap_bound), or where that is smaller the blanket of all rows "
        "(BalleBellGasconNissim2019, Theorem 5.1; kernel: blanket.blanket_bound)"
    )
    assert lines["factor"].startswith("at most ")
    assert lines["evidence"] == "enclosure: both ends are proved and enclosed by the engine, not re-checked"
    for asked in (("--eps", "1/25"), ("--delta", "1e-4", "--relative-width", "1/4")):
        found = json.loads(run(*TWO_ENDS, *asked, "--format", "json").stdout)
        answer, ends = found["epsilon" if "epsilon" in found else "delta"], found["bracket"]
        assert (ends["lower"]["lo"], ends["upper"]["hi"]) == (answer["lo"], answer["hi"])
        assert 0 < Fraction(answer["lo"]) < Fraction(answer["hi"]) < 1
        assert (ends["lower"]["exact"], ends["is_closed"], found["tight"]) == (None, False, False)
        assert ends["attained_by"].endswith(" in all runs")


def test_different_mechanisms_and_csv():
    done = run("@discrete-laplace:exp_eps=2", "--with", "2*@discrete-laplace:exp_eps=3", "--exp-eps", "2",
               "--format", "csv")  # fmt: skip
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    first, second = (xdp.shift_profile(xdp.DiscreteLaplace(e)) for e in (2, 3))
    assert Fraction(row["delta"]) == xdp.compose(first, second.compose(2)).delta(exp_eps=2)
    assert (row["times"], row["with"]) == ("1", "2*@discrete-laplace:exp_eps=3")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--times", "0", "--eps", "1"), "error: times=0 is below 1. Pass times of at least 1.\n"),
        (("--times", "2"), "error: one of --eps, --exp-eps and --delta is needed. Write --eps 1, or --delta 1e-6.\n"),
        (
            ("--eps", "1", "--delta", "1e-6"),
            "error: --delta asks for an eps, and one is given too. Leave out --eps and --exp-eps.\n",
        ),
        (("--eps", "1", "--with", "zsum"), "error: --with 'zsum' is no noise law. Write --with 5*@poisson:mu=300.\n"),
        (
            ("--eps", "1", "--relative-width", "2"),
            "error: relative_width=2 is outside (0, 1). Pass 1/1000, say.\n",
        ),
        (
            ("--eps", "1", "--notion", "same-data", "--with", "@poisson:mu=10"),
            "error: notion='same data' is about one mechanism, and 2 are given. Pass 'non-adaptive'.\n",
        ),
        (
            ("--eps", "1", "--times", "1000000"),
            "error: composition: times=1000000 is more than the limit of 100000. Use fewer runs.\n",
        ),
    ],
)
def test_refusals_are_pinned(arguments, message):
    done = run("@poisson:mu=30", *arguments)
    assert (done.exit_code or done.return_value) == 2
    assert done.stdout == ""
    assert done.stderr == message


def test_the_certificate_of_an_answer(tmp_path):
    file = tmp_path / "runs.json"
    command = ("@binomial:n=100,p=1/2", "--times", "2", "--exp-eps", "2", "--certificate", str(file))
    found = json.loads(run(*command, "--format", "json").stdout)
    said = found["certificate"]
    assert (said["file"], said["verdict"], said["level"]) == (str(file), "PROVED", "certificate")
    assert (
        Fraction(found["delta"]["hi"]) < Fraction(said["delta"]) < Fraction(found["delta"]["hi"]) * Fraction(102, 100)
    )
    assert not list(Draft202012Validator(SCHEMA).iter_errors(found))
    claim = xdp.Claim.composed((xdp.Binomial(100, "1/2"), 2), exp_eps=2, delta=said["delta"])
    assert said["claim_id"] == claim.digest()
    assert xdp.verify(file) is xdp.Verdict.PROVED
    assert f"certificate  {file}: PROVED, exp_eps = 2 and delta = {said['delta']}" in run(*command).stdout


def test_the_certificate_of_an_eps_of_unlike_runs(tmp_path):
    file = tmp_path / "runs.json"
    command = ("@binomial:n=100,p=1/2", "--with", "2*@discrete-laplace:exp_eps=2", "--delta", "1/100")
    found = json.loads(run(*command, "--certificate", str(file), "--format", "json").stdout)
    runs = [(xdp.Binomial(100, "1/2"), 1), (xdp.DiscreteLaplace(2), 2)]
    assert (
        found["certificate"]["claim_id"]
        == xdp.Claim.composed(*runs, eps=found["certificate"]["eps"], delta="1/100").digest()
    )
    assert xdp.verify(file) is xdp.Verdict.PROVED


def test_where_nothing_is_certified_nothing_is_written(tmp_path, monkeypatch):
    file, certify = tmp_path / "runs.json", xdp.certify
    monkeypatch.setattr(xdp, "certify", lambda claim: replace(certify(claim), witness=None, level="enclosure"))
    command = ("@discrete-laplace:exp_eps=2", "--exp-eps", "1", "--certificate", str(file))
    done = run(*command)
    assert (done.exit_code, file.exists()) == (3, False)
    assert "delta        1/3" in done.stdout
    assert "certificate  not written: PROVED, exp_eps = 1 and delta = 43/125" in done.stdout
    assert f"there is no certificate, and {file} is not written: The composed delta is 1/3." in done.stderr
    assert json.loads(run(*command, "--format", "json").stdout)["certificate"]["file"] is None


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--notion", "same-data"), "--certificate states adaptive runs, and notion=same-data. Leave out one."),
        (("--certificate", "-"), "certificate=- is stdout, where the answer goes. Name a file."),
    ],
)
def test_certificates_that_are_refused(more, message, tmp_path):
    command = ("@binomial:n=100,p=1/2", "--eps", "1", "--certificate", str(tmp_path / "runs.json"), *more)
    done = run(*command)
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr


def test_a_random_n_and_classes_have_no_certificate_and_are_refused_at_once(tmp_path):
    file = ("--certificate", str(tmp_path / "runs.json"), "--times", "2", "--eps", "1")
    done = run("@zsum", "--gamma", "1/2", "-n", "@binomial:n=100,p=1/2", *file)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "n is random, and no certificate speaks of that." in done.stderr
