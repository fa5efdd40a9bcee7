"""`certify --times`: a claim about many runs, its certificate, and what is refused."""

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import exactdp as xdp
from exactdp.cli.main import cli

TEN = "certify @binomial:n=1000,p=1/2 --times 10 --eps 1 --delta 1.8e-8"
RESPONSE = "certify examples/binary_randomized_response.toml -n 4 --times 2 --exp-eps 2"


def run(command: str, *more: str) -> Result:
    return CliRunner().invoke(cli, [*command.split(), *more])


@pytest.mark.slow
def test_noise_composed_ten_times(tmp_path: Path) -> None:
    path = tmp_path / "ten.json"
    result = run(TEN, "-o", str(path), "--format", "json")
    assert result.exit_code == 0, result.stderr
    said = json.loads(result.stdout)
    assert (said["times"], said["verdict"], said["level"], said["file"]) == (10, "PROVED", "certificate", str(path))
    assert xdp.verify(path) is xdp.Verdict.PROVED
    assert said["claim_id"] == xdp.Claim.composed((xdp.Binomial(1000, "1/2"), 10), eps=1, delta="1.8e-8").digest()


def test_a_protocol_composed_twice() -> None:
    refuted = run(RESPONSE, "--delta", "1/1000")
    assert refuted.exit_code == 1, refuted.stderr
    assert "claim        2 adaptive runs: " in refuted.stdout
    proved = run(RESPONSE, "--delta", "9/10", "--format", "csv")
    (row,) = csv.DictReader(io.StringIO(proved.stdout))
    assert (row["times"], row["verdict"], row["neighbors"]) == ("2", "PROVED", "replace-one")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--times", "0"), "times=0 is below 1."),
        (("--times", "ten"), "times='ten'"),
        (("--times", "2", "--all-n"), "--all-n and --times are given. Claim many runs at one number of users."),
    ],
)
def test_what_is_refused(more: tuple[str, ...], message: str) -> None:
    result = run("certify examples/binary_randomized_response.toml -n 4 --exp-eps 2 --delta 1/2", *more)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


def test_what_is_certified_in_place_of_the_claim_is_said_in_every_form(tmp_path: Path) -> None:
    asked = [
        "certify",
        "@randomized-response:inputs=3,exp-eps0=3",
        "-n",
        "2000000",
        "--eps",
        "1/100",
        "--delta",
        "1e-3",
    ]
    file = str(tmp_path / "claim.json")
    table = xdp.ShuffleProtocol(xdp.randomized_response(3, exp_eps0=3), 2 * 10**6)
    claim = xdp.Claim.shuffle_dp(table, eps="1/100", delta="1e-3")
    certificate = xdp.certify(claim)
    assert certificate.claim != claim
    assert "Certified is the equivalent claim shuffle_dp of the family k-ary, in place of" in certificate.reason
    said = CliRunner().invoke(cli, [*asked, "-o", file])
    assert said.exit_code == 0
    assert xdp.Certificate.load(file).claim == certificate.claim
    data = json.loads(CliRunner().invoke(cli, [*asked, "--format", "json"]).stdout)
    assert (data["claim_kind"], data["claim_id"]) == ("shuffle_dp", certificate.claim.digest())
    assert xdp.verify(file) is xdp.Verdict.PROVED
