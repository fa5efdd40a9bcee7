"""Answers between two proved ends, and the randomizers that are asked for by name."""

from __future__ import annotations

import json
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

import exactdp as xdp
from exactdp.cli.main import cli
from exactdp.mechanisms.family import family_of

UNARY = "@unary-encoding --inputs 1000 --exp-eps0 7 --users 100000"
SWAP = "the swap bound, all others at their worst input (proved in exactdp.privacy.amplification.swap_bound)"


def run(typed: str) -> Result:
    return CliRunner().invoke(cli, typed.split())


def answered(typed: str) -> Any:
    """The JSON of a command that succeeds, which follows the schema."""
    result = run(f"{typed} --format json")
    assert result.exit_code == 0, result.stderr
    data = json.loads(result.stdout)
    schema = json.loads((files("exactdp.cli") / "output-1.schema.json").read_text(encoding="utf-8"))
    assert list(Draft202012Validator(schema).iter_errors(data)) == []
    return data


def profile(kind: str, n: int, **parameters: Any) -> xdp.PrivacyProfile:
    return xdp.ShuffleProtocol(family_of(kind, **parameters), n).privacy_profile()


def test_an_eps_between_two_ends() -> None:
    result = run(f"epsilon {UNARY} --delta 1e-8")
    assert result.exit_code == 0
    lines = dict(line.split("  ", 1) for line in result.stdout.splitlines() if "  " in line)
    pair = "0=1,2=99999 against 1=1,2=99999"
    assert lines["lower end"] == f"0.02790967340, attained by {pair}"
    assert lines["upper end"] == f"0.02791081867, by {SWAP}"
    assert lines["factor"].strip() == "at most 1.000042"
    assert lines["evidence"].strip().startswith("enclosure: both ends are proved")
    data = answered(f"epsilon {UNARY} --delta 1e-8")
    eps = profile("unary-encoding", 10**5, inputs=1000, exp_eps0=7).epsilon("1e-8")
    ends = data["bracket"]
    assert Fraction(ends["lower"]["lo"]) <= eps.lo <= eps.hi <= Fraction(ends["upper"]["hi"])
    assert (ends["lower"]["lo"], ends["upper"]["hi"]) == (data["epsilon"]["lo"], data["epsilon"]["hi"])
    assert (ends["attained_by"], ends["theorem"], ends["is_closed"]) == (data["worst_pair"], SWAP, False)


def test_who_takes_part_where_the_number_of_users_is_random() -> None:
    """Every form of an answer says that the user who differs does, for sure."""
    asked = "delta @gap --users @binomial:n=3,p=1/2 --exp-eps 3/2"
    sentence = "wherever n > 0 the user who differs takes part for sure, and the number of the others, n - 1, is random"
    said, explained = run(asked).stdout, answered(f"{asked} --explain")
    assert f"n counts the users who follow the protocol and take part: {sentence};" in said
    assert "attained by the inputs 0 and 1 of a user who takes part for sure, beside the worst other users" in said
    assert sentence in explained["n_counts"]
    assert "n = Binomial(3, 1/2) with the user who differs for sure," in explained["explanation"]["computed"]
    assert sentence in run("compose @gap --users @binomial:n=3,p=1/2 --exp-eps 3/2 --times 2").stdout
    assert sentence in run("sweep show tests/unit/cli/stores/sweep.sqlite").stdout
    assert "takes part for sure" not in run("delta @gap --users 3 --exp-eps 3/2").stdout
    assert "takes part for sure" not in run("sweep show tests/unit/cli/stores/sweep.sqlite --only n=5").stdout


def test_a_table_that_no_checker_lists_is_answered(tmp_path: Path) -> None:
    """2 rows of 1500 of 2000 messages are 6 million counts: no claim is priced, and the answer does not need one."""
    file = tmp_path / "wide.json"
    rows = [
        {"input": str(x), "messages": [{"send": [str(m)], "prob": "1/1500"} for m in range(500 * x, 500 * x + 1500)]}
        for x in (0, 1)
    ]
    file.write_text(json.dumps({"row": rows}), encoding="utf-8")
    asked = f"{file} -n 1000"
    found = run(f"epsilon {asked} --delta 1e-6")
    assert found.exit_code == 0, found.stderr
    assert "epsilon    infinity\n" in found.stdout
    said = {tuple(row["commands"]): row for row in answered(f"check {asked}")["questions"]}
    assert not said["certify",]["within_limit"]


def test_a_delta_between_two_ends() -> None:
    data = answered(f"delta {UNARY} --exp-eps 103/100")
    ends, bracket = data["bracket"], profile("unary-encoding", 10**5, inputs=1000, exp_eps0=7).bracket(exp_eps="1.03")
    for name, end in (("lower", bracket.lower), ("upper", bracket.upper)):
        assert Fraction(ends[name]["lo"]) <= end.lo <= end.hi <= Fraction(ends[name]["hi"])
    assert (data["delta"]["lo"], data["delta"]["hi"]) == (ends["lower"]["lo"], ends["upper"]["hi"])
    assert data["delta"]["exact"] is None
    assert (data["level"], ends["attained_by"]["first"]) == ("enclosure", {"0": 1, "2": 99999})


def test_ends_that_are_equal() -> None:
    closed = answered("delta @randomized-response --inputs 300 --exp-eps0 55 -n 10 --exp-eps 11/10")
    assert closed["bracket"]["is_closed"] is True
    assert (
        "1: the ends are proved equal"
        in run("delta @randomized-response --inputs 300 --exp-eps0 55 -n 10 --exp-eps 11/10").stdout
    )
    zero = answered(f"delta {UNARY} --exp-eps 100")["bracket"]
    assert (zero["lower"]["exact"], zero["upper"]["exact"], zero["attained_by"]) == ("0", "0", None)
    infinite = answered("epsilon @randomized-response --inputs 300 --gamma 0 -n 100000 --delta 1/8")["bracket"]
    assert (infinite["upper"]["exact"], infinite["theorem"], infinite["is_closed"]) == ("infinity", None, True)
    none = answered(f"epsilon {UNARY} --delta 1")["bracket"]
    assert (none["upper"]["exact"], none["attained_by"]) == ("0", None)


def test_delta_zero_asks_for_the_local_eps() -> None:
    ends = answered(f"epsilon {UNARY} --delta 0")["bracket"]
    assert ends["lower"]["lo"].startswith("1.94591")
    assert ends["attained_by"].startswith("data sets in which all other users hold one input")


def test_a_sentence_attains_a_lower_end(tmp_path: Any) -> None:
    """Random data sets of few users are worse than every homogeneous one here."""
    table = {"0": [1, 1, 2, 1], "1": [1, 1, 1, 1], "2": [1, 1, 8, 1]}
    rows = [
        {
            "input": x,
            "messages": [{"send": [str(m)], "prob": str(Fraction(w, sum(row)))} for m, w in enumerate(row)],
        }
        for x, row in table.items()
    ]
    path = tmp_path / "table.json"
    path.write_text(json.dumps({"row": rows}))
    typed = f"delta {path} -n 4 --limit 1 --exp-eps 101/100"
    ends = answered(typed)["bracket"]
    assert ends["attained_by"] == "some data set of n - 1 other users with inputs among '2', '1'"
    assert ends["attained_by"] in run(typed).stdout


def test_a_curve_of_two_ends() -> None:
    data = answered(f"curve {UNARY} --exp-eps-grid 1,11/10")
    assert [point["bracket"]["theorem"] for point in data["points"]] == [SWAP] * 2
    text = run(f"curve {UNARY} --exp-eps-grid 1,11/10").stdout
    assert text.startswith("e^eps  lower end")
    assert text.count(SWAP) == 2
    csv = run(f"curve {UNARY} --exp-eps-grid 1,11/10 --format csv").stdout.splitlines()
    assert csv[0].endswith("first,second,attained_by,theorem,is_closed,level")


def test_tight_answers_have_no_bracket() -> None:
    assert "bracket" not in answered("delta @randomized-response --gamma 1/4 -n 100 --exp-eps 2")


@pytest.mark.parametrize(
    ("typed", "kind", "parameters"),
    [
        ("@unary-encoding --inputs 40 --exp-eps0 3", "unary-encoding", {"inputs": 40}),
        (
            "unary-encoding --categories 40 --exp-eps0 3 --optimized",
            "unary-encoding",
            {"inputs": 40, "optimized": True},
        ),
        ("@subset-selection --inputs 40 --exp-eps0 3 --size 4", "subset-selection", {"inputs": 40, "size": 4}),
        ("@subset-selection --inputs 40 --exp-eps0 3", "subset-selection", {"inputs": 40}),
        pytest.param(
            "@hadamard-response --inputs 40 --exp-eps0 3",
            "hadamard-response",
            {"inputs": 40},
            marks=pytest.mark.slow,
        ),
        ("@local-hashing --inputs 40 --exp-eps0 3 --buckets 3", "local-hashing", {"inputs": 40, "buckets": 3}),
        ("@clipped-discrete-laplace --top 4 --exp-eps0 3", "clipped-discrete-laplace", {"inputs": 5}),
        pytest.param(
            "@randomized-response --inputs 40 --exp-eps0 3",
            "randomized-response",
            {"inputs": 40},
            marks=pytest.mark.slow,
        ),
    ],
)
def test_published_randomizers_by_name(typed: str, kind: str, parameters: dict[str, Any]) -> None:
    data = answered(f"delta {typed} -n 100000 --exp-eps 101/100")
    expected = profile(kind, 10**5, exp_eps0=3, **parameters).delta(exp_eps="101/100")
    assert Fraction(data["delta"]["lo"]) <= expected.lo <= expected.hi <= Fraction(data["delta"]["hi"])
    assert answered(f"check {typed}")["valid"] is True


def test_dummies_by_name() -> None:
    data = answered("delta @balls-into-bins --inputs 1000 --dummies 2 -n 1000000 --exp-eps 11/10")
    protocol = xdp.ShuffleProtocol(family_of("balls-into-bins", inputs=1000, dummies=2), 10**6)
    expected = protocol.privacy_profile().delta(exp_eps="11/10")
    assert Fraction(data["delta"]["lo"]) <= expected.lo <= expected.hi <= Fraction(data["delta"]["hi"])
    mixed = answered("delta @mixed-dummies --inputs 300 --exp-eps0 7 --dummies 1 -n 10000 --exp-eps 101/100")
    assert mixed["bracket"]["theorem"].startswith("the blanket of all dummies")
    assert answered("check @balls-into-bins --inputs 3 --dummies 2")["valid"] is True


@pytest.mark.slow
def test_an_irrational_eps0_and_a_family_of_all_randomizers() -> None:
    eps = answered("epsilon @any-randomizer --exp-eps0 3 -n 1000000 --delta 1e-8")
    assert eps["bracket"]["attained_by"].endswith("of randomized-response:inputs=3 with this eps0")
    local = answered("check @any-randomizer --exp-eps0 exp(1/2)")["local_epsilon"]
    assert (local["exact"], local["lo"]) == (None, "0.5")
    wide = answered("delta @unary-encoding --inputs 1000 --exp-eps0 exp(2) -n 100000 --exp-eps 103/100")
    assert wide["bracket"]["theorem"] == SWAP


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("delta @unary-encoding --exp-eps0 3 -n 9 --eps 1", "@unary-encoding needs --inputs. Write @unary-encoding"),
        ("delta @any-randomizer -n 9 --eps 1", "@any-randomizer needs exp-eps0. Write @any-randomizer:exp-eps0=E"),
        ("delta @any-randomizer --exp-eps0 1/2 -n 9 --eps 1", "exp_eps0=1/2 is below 1."),
        ("delta @zsum --gamma 1/8 --buckets 3 -n 9 --eps 1", "it belongs to @local-hashing."),
        ("delta @unary-encoding --inputs 5 --exp-eps0 3 --size 2 -n 9 --eps 1", "it belongs to @subset-selection."),
        ("delta @randomized-response --gamma 1/8 --exp-eps0 3 -n 9 --eps 1", "Leave out one of them."),
        ("delta @unary-encoding --inputs 1 --exp-eps0 3 -n 9 --eps 1", "inputs=1 is below 2"),
        ("delta @clipped-discrete-laplace --top 0 --exp-eps0 3 -n 9 --eps 1", "top=0 is below 1"),
        ("certify @any-randomizer --exp-eps0 exp(1) -n 9 --eps 1 --delta 0", "exp_eps0=e^(1) is irrational, and"),
        (
            "certify @unary-encoding --inputs 99 --optimized --exp-eps0 exp(1) -n 9 --eps 1 --delta 0",
            "exp_eps0=e^(1) is irrational, and a claim holds rational numbers.",
        ),
        (
            "certify @unary-encoding --inputs 99 --exp-eps0 3 -n 9 --eps 1 --delta 0 --neighbors add-or-remove-one",
            "has no table of at most 65536 entries",
        ),
        (
            "certify @gap --users @binomial:n=9,p=1/2 --eps 1 --delta 0",
            "users=@binomial:n=9,p=1/2: n is random, and no certificate speaks of that. Write -n 1000",
        ),
        ("law @any-randomizer --exp-eps0 3 --dataset 0=3", "it has no table"),
    ],
)
def test_what_is_refused(typed: str, said: str) -> None:
    result = run(typed)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.slow
def test_two_thousand_users_of_two_messages_are_certified_close_to_the_worst_delta(tmp_path: Path) -> None:
    """Where no blanket is that close, all data sets are compared."""
    file = tmp_path / "c.json"
    asked = "certify @randomized-response --inputs 2 --gamma 1/2 --users 2000 --exp-eps 11/10 --delta"
    for delta, verdict in (("1195/1000000000", "PROVED"), ("1194/1000000000", "REFUTED")):
        result = run(f"{asked} {delta} -o {file}")
        assert f"verdict      {verdict}" in result.stdout
        assert xdp.verify(file).value == verdict
    keys = []
    for delta in ("1195/1000000000", "1/2"):
        assert run(f"{asked} {delta} -o {file}").exit_code == 0
        keys += json.loads(file.read_text(encoding="ascii"))["witness"]
    assert keys == ["two_messages", "blanket"]


@pytest.mark.parametrize(("delta", "verdict", "code"), [("2e-8", "PROVED", 0), ("19/1000000000", "REFUTED", 1)])
def test_a_billion_users_of_a_family_are_certified(tmp_path: Path, delta: str, verdict: str, code: int) -> None:
    file = tmp_path / "certificate.json"
    asked = f"@randomized-response --inputs 16 --exp-eps0 55 -n 1e9 --exp-eps 1001/1000 --delta {delta}"
    result = run(f"certify {asked} -o {file}")
    assert (result.exit_code, f"verdict      {verdict}" in result.stdout) == (code, True)
    assert "evidence     certificate: verified by the standard-library checker" in result.stdout
    assert xdp.Certificate.load(file).claim.data["randomizer"] == {"family": "k-ary", "inputs": "16", "exp_eps0": "55"}
    verified = run(f"verify {file}")
    assert verified.exit_code == 0
    assert verified.stdout.startswith(f"{verdict} {file}: shuffled randomizer {{k-ary, inputs = 16, e^eps0 = 55}}")


def test_few_users_of_a_family_are_listed() -> None:
    """Where all views are compared a claim holds the table, and is exact."""
    result = run("certify @randomized-response --inputs 3 --exp-eps0 3 -n 8 --exp-eps 3/2 --delta 1/10 --format json")
    claim = xdp.Claim.shuffle_dp(
        xdp.ShuffleProtocol(xdp.randomized_response(3, exp_eps0=3), 8), exp_eps="3/2", delta="1/10"
    )
    assert json.loads(result.stdout)["claim_id"] == claim.digest()
