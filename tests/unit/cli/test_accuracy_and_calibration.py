"""`accuracy` and `calibrate` on the command line: what is printed is what the library says, and what is refused."""

import csv
import io
import json
import re
import shlex
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import exactdp as xdp
from exactdp import bounds, protocols
from exactdp.cli.explanation import of_calibration
from exactdp.cli.main import cli
from exactdp.numbers.formats import number_text
from exactdp.proofs.development import theorems
from exactdp.protocols.accuracy.response import response_accuracy_bound
from tests.together import together

ACCURACY = "accuracy zsum -n 1000000 --eps 1 --delta 1e-6 --beta 1/20"
CALIBRATE = "calibrate zsum -n 20000 --eps 1 --delta 1e-6"


def run(command: str, *more: str) -> Result:
    return CliRunner().invoke(cli, [*command.split(), *more])


def lines(command: str) -> list[str]:
    result = run(command)
    assert result.exit_code == 0, result.stderr
    assert isinstance(result.stdout, str)
    return [" ".join(line.split()) for line in result.stdout.splitlines()]


def answer(command: str) -> Any:
    result = run(command, "--format", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def rows(command: str) -> list[dict[str, str]]:
    result = run(command, "--format", "csv")
    assert result.exit_code == 0, result.stderr
    return list(csv.DictReader(io.StringIO(result.stdout)))


def holds(number: dict[str, str], value: xdp.Interval | Fraction) -> bool:
    ends = (value.lo, value.hi) if isinstance(value, xdp.Interval) else (value, value)
    return Fraction(number["lo"]) <= ends[0] <= ends[1] <= Fraction(number["hi"])


# --- accuracy -------------------------------------------------------------------------------------------------------


def test_accuracy_of_zsum_with_the_noise_of_the_theorem():
    said = lines(ACCURACY)
    assert said[0] == "protocol zsum, n = 1000000"
    assert "alpha 77/100000 (0.00077), mean" in said
    assert "published [0.001654550212, 0.001654550213], the theorem's, for this eps" in said
    assert "evidence certificate: alpha is enough, and (1 - 2^-40) alpha is not" in said
    protocol = protocols.zsum_from_theorem(10**6, eps=1, delta="1e-6")
    data = answer(ACCURACY)
    assert (data["alpha"]["exact"], data["level"], data["unit"]) == ("77/100000", "certificate", "mean")
    assert xdp.optimal_accuracy(protocol, beta="1/20") == Fraction(77, 100000)
    assert holds(data["published"], bounds.zsum_theorem_accuracy(10**6, eps=1, delta="1e-6", beta="1/20"))
    assert Fraction(data["factor"]["lo"]) > 2


def test_accuracy_below_the_beta_of_the_theorem_is_compared_with_the_closed_form():
    data = answer("accuracy zsum -n 1000000 --eps 1 --delta 1e-1 --beta 1e-30")
    gamma = bounds.zsum_rounded_gamma(10**6, eps=1, delta="1e-1")
    assert holds(data["published"], bounds.zsum_accuracy(10**6, gamma=gamma, beta="1e-30"))


def test_accuracy_of_the_histogram():
    together = answer("accuracy histogram -n 1000000000 --bins 1000000000 --gamma 1e-6 --beta 1/20 --simultaneous")
    assert (together["alpha"]["exact"], together["level"]) == ("293/250000000", "exact")
    assert holds(together["published"], bounds.histogram_accuracy(10**9, gamma="1e-6", beta="1/20"))
    one = answer("accuracy histogram -n 1000 --bins 7 --gamma 1/10 --beta 1/20")
    alpha = xdp.optimal_accuracy(protocols.zsum(1000, gamma="1/10"), beta="1/20")
    assert (Fraction(one["alpha"]["exact"]), one["level"], one["bins"]) == (alpha, "certificate", 7)


@pytest.mark.parametrize(("n", "level"), [(20, "certificate"), (200, "exact"), (20000, "enclosure")])
def test_accuracy_of_randomized_response(n, level):
    command = f"accuracy randomized-response -n {n} --gamma 1/2 --beta 1/20"
    data, (row,) = answer(command), rows(command)
    alpha = xdp.optimal_accuracy(protocols.k_ary(n, 2, gamma="1/2"), beta="1/20")
    assert (data["level"], data["unit"], row["n"]) == (level, "sum", str(n))
    assert holds(data["alpha"], alpha)
    assert (row["alpha_lo"], row["alpha_hi"]) == (data["alpha"]["lo"], data["alpha"]["hi"])
    assert holds(data["published"], response_accuracy_bound(n, Fraction(1, 4), Fraction(1, 20)))


def test_accuracy_without_a_published_bound():
    data = answer("accuracy zsum -n 10 --gamma 1/2 --beta 1")
    assert (data["alpha"]["exact"], data["published"], data["factor"], data["level"]) == (
        "0",
        None,
        None,
        "certificate",
    )
    assert "published none: it is for beta and gamma between 0 and 1" in lines(
        "accuracy zsum -n 10 --gamma 1/2 --beta 1"
    )


# --- calibrate ------------------------------------------------------------------------------------------------------


def test_calibrate_prints_what_it_saves(tmp_path: Path):
    said = lines(CALIBRATE)
    assert "holds here, and every larger value up to 1/2; one step less is not" in said
    assert "evidence certificate" in said
    assert "n gamma [725.4328, 725.4329] [34.06803, 34.06804] [21.29365, 21.29366]" in said
    assert "alpha [0.08272751, 0.08272752] 0.0022 [37.60341, 37.60342]" in said
    found = xdp.calibrate("zsum", n=20000, eps=1, delta="1e-6")
    data, table = answer(CALIBRATE), rows(CALIBRATE)
    assert Fraction(data["parameter"]["exact"]) == found.parameter
    assert [row["name"] for row in data["rows"]] == ["gamma", "n gamma", "standard deviation", "alpha"]
    assert [row["name"] for row in table] == [row["name"] for row in data["rows"]]
    assert table[1]["exact_lo"] == data["rows"][1]["exact"]["lo"]
    variance = 20000 * found.parameter * (1 - found.parameter)
    deviation = data["rows"][2]["exact"]
    assert Fraction(deviation["lo"]) ** 2 <= variance <= Fraction(deviation["hi"]) ** 2
    assert holds(data["rows"][3]["theorem"], bounds.zsum_theorem_accuracy(20000, eps=1, delta="1e-6", beta="1/20"))


def test_calibrate_writes_one_certificate_of_both_verdicts(tmp_path: Path):
    file = tmp_path / "gamma.json"
    result = run(f"{CALIBRATE} --format json -o {file}")
    data = json.loads(result.stdout)
    assert data["file"] == str(file)
    certificate = xdp.Certificate.load(file)
    assert certificate.claim.digest() == data["claim_id"]
    assert xdp.verify(file) is xdp.Verdict.PROVED
    found = xdp.calibrate("zsum", n=20000, eps=1, delta="1e-6")
    assert found.fails is not None
    assert certificate.claim == xdp.Claim.conjunction(found.holds.claim, xdp.Claim.negation(found.fails.claim))


def test_calibrate_where_the_theorem_does_not_apply():
    said = lines("calibrate zsum -n 200 --eps 2 --delta 1e-3 --grid 1/1024")
    assert "No theorem is compared: The zsum theorem needs 0 < eps <= 1, but eps=2. Pass eps in (0, 1]." in said


@pytest.mark.parametrize(
    ("command", "names", "scope"),
    [
        ("counting --exp-eps 2 --delta 1e-3", ["r", "mean", "standard deviation"], "and every larger value"),
        ("discrete-gaussian --eps 1 --delta 1e-3", ["sigma_squared", "mean", "standard deviation"], "local"),
        (
            "randomized-response -n 20 --eps ln(2) --delta 1e-3 --grid 1/1024",
            ["flip", "standard deviation", "alpha"],
            "and every larger value up to 1/2",
        ),
        ("randomized-response -n 2 --eps 0 --delta 0 --grid 1/4", ["flip"], "and every larger value up to 1/2"),
    ],
)
def test_calibrate_the_other_families(command, names, scope):
    data = answer(f"calibrate {command}")
    assert [row["name"] for row in data["rows"]] == names
    assert (data["scope"], data["level"]) == (scope, "certificate")
    compared = [row["theorem"] is not None for row in data["rows"]]
    assert all(compared) is command.startswith("counting")
    assert lines(f"calibrate {command}")[0].startswith(f"family {command.split()[0]}")


@pytest.mark.slow
def test_calibrate_a_randomizer_by_its_local_eps():
    asked = "unary-encoding --inputs 300 -n 10000 --eps 1 --delta 1e-6 --grid 1/2"
    said, data = lines(f"calibrate {asked}"), answer(f"calibrate {asked}")
    found = xdp.calibrate("unary-encoding", inputs=300, n=10000, eps=1, delta="1e-6", grid="1/2")
    assert data["parameter"]["exact"] == str(found.parameter)
    assert (data["open_at"]["exact"], data["fails_at"]["exact"]) == (str(found.open_at), str(found.fails_at))
    assert data["eps0"]["exp_eps"] == str(found.local_epsilon.argument)
    assert said[0] == "family unary-encoding --inputs 300, n = 10000"
    assert "holds here, and every smaller value of the grid; one step more is not known to be enough" in said
    assert any(
        line.startswith("refuted ") and line.endswith(": here, and every larger value of the grid") for line in said
    )
    again = answer(data["paste"]["shell"].removeprefix("exactdp "))
    assert Fraction(again["bracket"]["upper"]["hi"]) <= Fraction(1, 10**6)
    assert eval(data["paste"]["python"]).hi <= Fraction(1, 10**6)


def test_a_calibration_beyond_the_checker_writes_nothing(tmp_path: Path):
    file = tmp_path / "c.json"
    result = run(f"calibrate discrete-gaussian --eps 100 --delta 1e-6 --grid 1/16 -o {file}")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "is at level='enclosure', which the checker cannot confirm" in result.stderr
    assert not file.exists()


NEEDS_GAMMA = "zsum needs --gamma, or --eps and --delta for the theorem's gamma, and not both. Write --gamma 1/8."
REFUSED = {
    "accuracy zsum -n 10 --beta 1/2": NEEDS_GAMMA,
    "accuracy zsum -n 10 --gamma 1/2 --eps 1 --delta 1/2 --beta 1/2": NEEDS_GAMMA,
    "accuracy zsum -n 10 --eps 1 --beta 1/2": "--eps needs --delta, for the theorem's gamma. Write --delta 1e-6.",
    "accuracy zsum -n 10 --delta 1/2 --beta 1/2": "one of --eps and --exp-eps is needed, and neither is given. "
    "Write --eps 1, or --exp-eps 2 for e^eps = 2.",
    "accuracy randomized-response -n 10 --eps 1 --delta 1/2 --beta 1/2": "randomized-response needs --gamma. "
    "Write --gamma 1/8.",
    "accuracy zsum -n 10 --gamma 1/2 --beta 2": "beta=2 is outside [0, 1]. Pass a probability.",
    "accuracy zsum -n 10 --gamma 1/2 --beta 1/2 --bins 3": "--bins has no meaning for zsum. "
    "Leave it out: it belongs to histogram.",
    "accuracy zsum -n 10 --gamma 1/2 --beta 1/2 --simultaneous": "--simultaneous has no meaning for zsum. "
    "Leave it out: it belongs to histogram.",
    "accuracy histogram -n 10 --gamma 1/2 --beta 1/2": "histogram needs --bins, the number of bins. Write --bins 100.",
    "accuracy histogram -n 10 --gamma 1/2 --beta 1/2 --bins 1": "bins=1 is below 2. Pass bins of at least 2.",
    "accuracy randomized-response -n 10 --gamma 1 --beta 1/2": "gamma=1 leaves no information about the inputs. "
    "Pass gamma below 1.",
    "calibrate zsum -n 5 --eps 1 --delta 1e-9": "no gamma up to 1/2 is known to be enough: at 1/2 delta is about "
    "0.1026. Use a larger n, eps or delta.",
    "calibrate unary-encoding -n 9 --eps 1 --delta 1/9": "unary-encoding needs inputs, the number of inputs of the "
    "randomizer. Pass inputs=10.",
    "calibrate clipped-discrete-laplace --inputs 3 -n 9 --eps 1 --delta 1/9": "clipped-discrete-laplace: inputs has no "
    "meaning. Give --top T to clipped-discrete-laplace, --inputs K to the other randomizers.",
    "calibrate clipped-discrete-laplace -n 9 --eps 1 --delta 1/9": "clipped-discrete-laplace: needs top. Give --top T "
    "to clipped-discrete-laplace, --inputs K to the other randomizers.",
    "calibrate zsum --top 3 -n 9 --eps 1 --delta 1/9": "zsum: top has no meaning. Give --top T to "
    "clipped-discrete-laplace, --inputs K to the other randomizers.",
    "calibrate mixed-dummies --inputs 999 -n 5 --eps 1 --delta 1/9 --grid 1 -o file": "the verdicts are by two proved "
    "ends of delta, of a randomizer that no certificate states. Leave out -o.",
    "calibrate zsum --eps 1 --delta 1e-9": "zsum needs n, the number of users who follow the protocol. Pass n=1000.",
    "calibrate counting -n 3 --eps 1 --delta 1e-9": "n=3 has no meaning for counting: its noise does not depend on n. "
    "Leave it out.",
    "calibrate zsum -n 5 --eps 1 --delta 1": "delta=1 holds without any noise. Pass delta below 1.",
    "calibrate zsum -n 5 --eps 1 --delta 1/2 --grid 1/3": "grid=1/3 does not divide the domain from 0 to 1/2. "
    "Pass a step such as 1/1024.",
    "calibrate zsum -n 5 --eps 1 --delta 1/2 --beta 1": "beta=1 is not between 0 and 1. Pass a number inside (0, 1).",
    "calibrate zsum -n 5 --eps 1 --delta 1/2 -o -": "output=- is stdout, where the answer goes. "
    "Name a file for the certificate.",
}


@together("command", REFUSED)
def test_the_message(command):
    result = run(command)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"error: {REFUSED[command]}\n"


# --- What is pasted back --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        "zsum -n 100 --exp-eps 2 --delta 1/10 --grid 1/64",
        "zsum -n 100 --eps 1/2 --delta 1/10 --grid 1/64",
        "randomized-response -n 20 --eps ln(2) --delta 1/100 --grid 1/1000",
        "counting --eps 1 --delta 1/100 --grid 1/4",
        "discrete-gaussian --exp-eps 3 --delta 1/100 --grid 1/4",
    ],
)
def test_the_lines_to_paste_back_say_that_the_parameter_holds(command: str) -> None:
    data = answer(f"calibrate {command}")
    shell, python = data["paste"]["shell"], data["paste"]["python"]
    target = Fraction(data["delta"])
    printed = json.loads(CliRunner().invoke(cli, [*shlex.split(shell)[1:], "--format", "json"]).stdout)
    assert Fraction(printed["delta"]["hi"]) <= target
    found = eval(python, {"xdp": xdp})
    upper = found if isinstance(found, Fraction) else found.hi
    assert Fraction(printed["delta"]["lo"]) <= upper <= Fraction(printed["delta"]["hi"]) <= target
    said = lines(f"calibrate {command}")
    assert shell in said
    assert python in said


def test_no_line_is_pasted_where_no_name_says_the_noise() -> None:
    assert answer("calibrate counting --exp-eps 3 --delta 1/10 --grid 1/2")["paste"] is None


def test_randomized_response_is_said_in_three_ways() -> None:
    data = answer("calibrate randomized-response -n 20 --eps 1 --delta 1/100 --grid 1/1000")
    flip = Fraction(data["parameter"]["exact"])
    assert Fraction(data["gamma"]) == 2 * flip
    assert Fraction(data["eps0"]["exp_eps"]) == (1 - flip) / flip
    local = xdp.randomized_response(2, gamma=data["gamma"]).local_epsilon()
    assert Fraction(data["eps0"]["exp_eps"]) == local.argument
    names = [line.partition(" ")[0] for line in lines("calibrate randomized-response -n 20 --eps 1 --delta 1/100")]
    assert [name for name in names if name in ("flip", "gamma", "eps0")][:3] == ["flip", "gamma", "eps0"]
    assert answer("calibrate zsum -n 100 --eps 1 --delta 1/10 --grid 1/16")["eps0"] is None


def test_the_checker_is_not_asked_to_walk_through_the_noise_of_many_users() -> None:
    done = CliRunner().invoke(cli, shlex.split("accuracy @zsum --gamma 1/8 -n 1e18 --beta 1e-4000"))
    assert done.exit_code == 0
    assert "exact: the checker, which walks through the noise, is asked up to 1000000000 users" in done.output


@pytest.mark.slow
def test_the_certificate_of_a_randomizer_says_what_is_safe_and_that_a_tenth_more_is_not(tmp_path: Path) -> None:
    file = tmp_path / "both.json"
    asked = "calibrate hadamard-response --inputs 300 -n 5000 --eps 1/2 --delta 1e-6"
    answer = json.loads(run(f"{asked} --format json -o {file}").stdout)
    certificate = xdp.Certificate.load(file)
    safe, failing = certificate.claim.data["claims"]
    assert (xdp.verify(certificate), answer["level"]) == (xdp.Verdict.PROVED, "certificate")
    assert safe["randomizer"]["exp_eps0"] == answer["holds_at"]["exact"]
    assert (failing["kind"], failing["claim"]["randomizer"]["exp_eps0"]) == ("not", answer["tenth_more"]["exact"])
    assert {one["delta"] for one in (safe, failing["claim"])} == {"1/1000000"}
    tenth = Fraction(answer["tenth_more"]["exact"]) ** 10 / Fraction(answer["parameter"]["exact"]) ** 11
    assert 1 <= tenth < 1 + Fraction(1, 10**8)
    assert file.stat().st_size < 2000


# --- --explain ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "confirmed", "proof_of_more_noise"),
    [
        ("zsum -n 200 --eps 1 --delta 1e-2", "is enough, and that one step with less noise is not", "zsum_safety"),
        (
            "counting --eps 1 --delta 1e-2 --grid 1/4",
            "is enough, and that one step with less noise is not",
            "one_parameter_families",
        ),
        (
            "discrete-gaussian --eps 1 --delta 1/10 --grid 1/4",
            "is enough, and that one step with less noise is not",
            "",
        ),
        ("histogram --inputs 3 -n 50 --eps 1 --delta 1e-1", "enclosures decided, and were not re-checked", ""),
        ("flooding --inputs 3 -n 20 --eps 1 --delta 1e-2 --grid 1/16", "were not re-checked", "frequency_families"),
        pytest.param(
            "any-randomizer -n 100 --eps 1 --delta 1e-3",
            "the standard-library checker has confirmed",
            "local_families",
            marks=pytest.mark.slow,
        ),
        ("randomized-response -n 4 --eps 1 --delta 1/10 --grid 1/16", "1/4 (0.25) is enough, and that one step", ""),
        (
            "sample-and-threshold -n 5 --rate 1/2 --eps 1 --delta 9/10",
            "confirmed that 1 is enough.",
            "one_parameter_families",
        ),
    ],
)
def test_a_calibration_says_what_proves_it(command: str, confirmed: str, proof_of_more_noise: str):
    found = answer(f"calibrate {command} --explain")
    said = found["explanation"]
    assert f"the value of {found['parameter']['name']} with the least noise" in said["computed"]
    assert confirmed in said["engine"]
    assert set(said["theorems"]) <= {theorem.partition("'")[0] for theorem in theorems()}
    assert all(theorem in said["rests_on"] for theorem in said["theorems"])
    more = re.findall(r"holds of more noise, too, is written in exactdp(?:\.\w+)+\.(\w+)", said["rests_on"])
    assert more == ([proof_of_more_noise] if proof_of_more_noise else [])
    assert (found["scope"] == "local") <= (not more)


@pytest.mark.slow
def test_between_two_ends_the_explanation_names_the_values_that_are_certified():
    found = answer("calibrate unary-encoding --inputs 1000 -n 100000 --eps 1/2 --delta 1e-8 --explain")
    said = found["explanation"]["engine"]
    for value, verdict in ((found["holds_at"], "is enough"), (found["tenth_more"], "is not")):
        assert f"{number_text(Fraction(value['exact']))} {verdict}" in said


@pytest.mark.slow
def test_where_a_tenth_more_was_certified_the_explanation_does_not_speak_of_one_step():
    """Also where the two ends are so near that the next value of the grid is refuted: it has no certificate."""
    asked = xdp.calibrate("unary-encoding", n=300, inputs=4, eps="1/2", delta="1e-6")
    assert asked.tenth_more is not None
    near = replace(asked, fails_at=asked.open_at)
    assert near.is_least
    said = of_calibration("private", near, None, xdp).engine
    assert f"that {number_text(asked.tenth_more)} is not" in said
    assert "one step" not in said
