"""Noise laws, large protocols and the slack table on the command line: what is printed is what the library says."""

import csv
import io
import json
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import exactdp as xdp
from exactdp import laws
from exactdp.bounds import zsum_slack
from exactdp.cli.main import cli
from exactdp.cli.question import LONG_BITS
from exactdp.laws.registry import FAMILIES
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.protocols.naming.targets import read_target
from exactdp.protocols.naming.typed_noise import NoiseLaw
from tests.expensive import one_in
from tests.thinned import thinned
from tests.together import together

LONG = "@binomial:n=1000000,p=1/1000"
LAWS = {
    LONG: laws.Binomial(10**6, "1/1000"),
    "@binomial:p=0.25,n=6": laws.Binomial(6, "1/4"),
    "@binomial-sum:n1=30,p1=3/4,n2=70,p2=1/4": laws.BinomialSum(30, "3/4", 70, "1/4"),
    "@negative-binomial:r=42,p=exp(-1/5)": laws.NegativeBinomial(42, Real.exp("-1/5")),
    "@negative-binomial:r=ln(100),p=1/2": laws.NegativeBinomial(Real.log(100), "1/2"),
    "@geometric:p=1/2": laws.Geometric("1/2"),
    "@discrete-laplace:exp_eps=exp(1/5)": laws.DiscreteLaplace(Real.exp("1/5")),
    "@discrete-laplace:exp_eps=2": laws.DiscreteLaplace(2),
    "@discrete-gaussian:sigma_squared=100": laws.DiscreteGaussian(100),
    "@poisson:mu=1000": laws.Poisson(1000),
}


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, args)


def lines(*args: str) -> list[str]:
    result = run(*args)
    assert result.exit_code == 0, result.stderr
    return result.stdout.splitlines()


def answer(*args: str) -> Any:
    result = run(*args, "--format", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def rows(*args: str) -> list[dict[str, str]]:
    result = run(*args, "--format", "csv")
    assert result.exit_code == 0, result.stderr
    return list(csv.DictReader(io.StringIO(result.stdout)))


def holds(number: dict[str, str | None], value: Fraction | Interval) -> bool:
    """Whether a printed number is the exact value, or contains the enclosure."""
    assert number["lo"] is not None
    assert number["hi"] is not None
    ends = Fraction(number["lo"]), Fraction(number["hi"])
    if isinstance(value, Fraction):
        return number["exact"] == str(Fraction(value.numerator, value.denominator)) and ends[0] <= value <= ends[1]
    if not value.is_point:
        assert number["exact"] is None
    return value.lower.compare(ends[0]) >= 0 >= value.upper.compare(ends[1])


# --- What is typed --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", LAWS)
def test_a_law_is_read(text: str) -> None:
    noise = read_target(text)
    assert isinstance(noise, NoiseLaw)
    assert noise.law == LAWS[text]
    again = f"{text.partition(':')[0]}:{noise.cells['parameters']}"
    assert read_target(again).law == LAWS[text]  # type: ignore[union-attr]


@pytest.mark.parametrize("name", FAMILIES)
def test_the_example_of_every_family_is_read(name: str) -> None:
    assert run("check", f"@{name}:{FAMILIES[name].example}").exit_code == 0


def test_an_expression_that_is_rational_is_exact() -> None:
    assert answer("check", "@binomial:n=3,p=exp(0)")["parameters"] == {"n": "3", "p": "1"}


@one_in(2)
@given(st.text(alphabet="@binomal:=,np0123456789/.()-expl", max_size=30))
def test_garbage_is_refused_in_a_sentence(text: str) -> None:
    result = run("delta", "@binomial:" + text, "--exp-eps", "2")
    assert result.exit_code in (0, 2)
    assert (result.exit_code == 0) == (result.stderr == "")


# --- delta, epsilon, curve ------------------------------------------------------------------------------------------


@together("shift", [1, 3])
@together("text", LAWS)
def test_delta_is_what_the_library_says(text: str, shift: int) -> None:
    profile = xdp.shift_profile(LAWS[text], shift=shift)
    data = answer("delta", text, "--exp-eps", "3/2", "--shift", str(shift))
    value = profile.delta(exp_eps="3/2")
    if text == LONG:
        value = profile.delta(exp_eps="3/2", relative_bits=53)  # exact, but too long to be printed
    assert holds(data["delta"], value)
    assert (data["law"], data["shift"], data["engine"]) == (type(LAWS[text]).__name__, str(shift), "shift")
    assert data.keys().isdisjoint({"randomizer", "n", "neighbors", "worst_pair"})
    enclosed = answer("delta", text, "--eps", "1/5", "--shift", str(shift))
    assert holds(enclosed["delta"], profile.delta(eps="1/5"))
    assert enclosed["level"] == ("enclosure" if enclosed["delta"]["exact"] is None else "exact")


def test_delta_of_noise_as_text() -> None:
    assert lines("delta", "@binomial:n=10,p=1/3", "--exp-eps", "2", "--shift", "2") == [
        "noise        Binomial(10, 1/3), shift 2, both orders",
        "privacy      e^eps = 2, eps = ln(2) (0.6931472)",
        "delta        256/729 (0.3511660)",
        "worse order  noise against noise + 2",
        "evidence     certificate: confirmed by the standard-library checker",
        "engine       shift",
        "shift is the most by which one person's data can change the query.",
    ]
    said = lines("delta", "@poisson:mu=ln(10)", "--eps", "1")
    assert "noise        Poisson(ln(10)), shift 1, both orders" in said
    unchecked = "an interval that contains the truth, not re-checked (`exactdp certify` asks the checker)"
    assert f"evidence     enclosure: {unchecked}" in said


def test_delta_of_noise_as_csv() -> None:
    (row,) = rows("delta", "@binomial:n=10,p=1/3", "--exp-eps", "2")
    assert (row["law"], row["parameters"], row["shift"], row["orders"]) == ("Binomial", "n=10,p=1/3", "1", "both")
    assert Fraction(row["delta"]) == xdp.shift_profile(laws.Binomial(10, "1/3")).delta(exp_eps=2)
    assert (row["first"], row["second"]) == ("noise", "noise + 1")


@pytest.mark.parametrize(("p", "first"), [("1/10", "noise"), ("9/10", "noise + 1")])
def test_the_worse_order(p: str, first: str) -> None:
    """The thin tail of Bin(n, 1/10) is on the left, where the noise lies below its shift; mirrored for 9/10."""
    for eps in (("--exp-eps", "3/2"), ("--eps", "1/2")):
        order = answer("delta", f"@binomial:n=100,p={p}", *eps)["worse_order"]
        assert order["first"] == first
        assert {order["first"], order["second"]} == {"noise", "noise + 1"}


def test_no_order_is_worse_where_delta_is_zero() -> None:
    for eps in (("--exp-eps", "2"), ("--exp-eps", "3"), ("--eps", "5")):
        data = answer("delta", "@discrete-laplace:exp_eps=2", *eps)
        assert (data["delta"]["exact"], data["worse_order"]) == ("0", None)
    assert "worse order  none: neither order is worse" in lines("delta", "@discrete-laplace:exp_eps=2", "--eps", "5")
    alone = answer("delta", "@geometric:p=0", "--eps", "0")  # one outcome: the two orders are alike
    assert (alone["delta"]["exact"], alone["worse_order"]["first"]) == ("1", "noise")


@pytest.mark.parametrize("shift", ["1", "3"])
@pytest.mark.parametrize(
    "text",
    [
        "@binomial:n=10,p=1/3",
        "@binomial-sum:n1=3,p1=3/4,n2=7,p2=1/4",
        "@negative-binomial:r=3/2,p=0",
        "@geometric:p=1/2",
        "@geometric:p=0",
        "@discrete-laplace:exp_eps=4/3",
        "@poisson:mu=0",
    ],
)
def test_a_short_exact_delta_is_certified(text: str, shift: str) -> None:
    assert answer("delta", text, "--exp-eps", "2", "--shift", shift)["level"] == "certificate"
    assert answer("epsilon", text, "--delta", "1", "--shift", shift)["level"] == "certificate"


@pytest.mark.parametrize(
    "command",
    [
        ("delta", "@binomial-sum:n1=999,p1=1/3,n2=999,p2=1/7", "--exp-eps", "2"),  # the checker takes seconds
        ("delta", "@geometric:p=999/1000", "--exp-eps", "2", "--shift", "1000"),
        ("delta", "@negative-binomial:r=5,p=2/7", "--exp-eps", "2"),  # the checker encloses it
        ("epsilon", "@geometric:p=1/2", "--delta", "0"),  # no claim says that no eps is enough
    ],
)
def test_an_exact_answer_that_the_checker_is_not_asked_about_is_exact(command: tuple[str, ...]) -> None:
    began = time.perf_counter()
    assert answer(*command)["level"] == "exact"
    assert time.perf_counter() - began < 3


def test_the_least_eps_of_discrete_laplace_noise_is_certified() -> None:
    data = answer("epsilon", "@discrete-laplace:exp_eps=2", "--delta", "0")
    assert (data["epsilon"]["exact"], data["level"]) == ("ln(2)", "certificate")


@pytest.mark.parametrize(
    ("text", "delta", "exact"),
    [
        ("@binomial:n=10,p=1/3", "1/10", "ln(39197/20480)"),
        ("@binomial:n=10,p=1/3", "0", "infinity"),
        ("@binomial:n=10,p=1/3", "1", "0"),
        ("@discrete-laplace:exp_eps=2", "0", "ln(2)"),
        ("@discrete-gaussian:sigma_squared=100", "0", "infinity"),
        ("@poisson:mu=10", "0", "infinity"),
        ("@poisson:mu=10", "1/2", "0"),
    ],
)
def test_an_epsilon_that_is_exact(text: str, delta: str, exact: str) -> None:
    data = answer("epsilon", text, "--delta", delta)
    assert (data["delta"], data["epsilon"]["exact"]) == (delta, exact)
    assert data["worse_order"] is None or exact != "0"


@pytest.mark.parametrize("text", ["@negative-binomial:r=42,p=exp(-1/5)", "@poisson:mu=1000"])
def test_an_epsilon_that_is_enclosed(text: str) -> None:
    data = answer("epsilon", text, "--delta", "1e-6")
    profile = xdp.shift_profile(LAWS[text])
    found = profile.epsilon("1e-6")
    assert isinstance(found, Interval)
    assert holds(data["epsilon"], found)
    assert (data["epsilon"]["exp_eps"], data["level"]) == (None, "enclosure")
    below = Fraction(data["epsilon"]["lo"]) * (1 - Fraction(1, 10**9))
    above = Fraction(data["epsilon"]["hi"]) * (1 + Fraction(1, 10**9))
    assert profile.delta(eps=below) > Fraction(1, 10**6) > profile.delta(eps=above)
    (row,) = rows("epsilon", text, "--delta", "1e-6")
    assert (row["exp_eps"], row["eps_lo"], row["eps_hi"]) == ("", data["epsilon"]["lo"], data["epsilon"]["hi"])
    shown = next(line for line in lines("epsilon", text, "--delta", "1e-6") if line.startswith("epsilon "))
    assert shown.split(maxsplit=1)[1].startswith("[")


def test_curve_of_noise() -> None:
    text = "@poisson:mu=1000"
    profile = xdp.shift_profile(LAWS[text])
    data = answer("curve", text, "--eps-to", "1/5", "--points", "3")
    assert [point["eps"] for point in data["points"]] == ["0", "1/10", "1/5"]
    assert all(holds(point["delta"], profile.delta(eps=point["eps"])) for point in data["points"])
    table = rows("curve", text, "--eps-to", "1/5", "--points", "3")
    assert [(row["law"], row["parameters"], row["eps"]) for row in table] == [
        ("Poisson", "mu=1000", eps) for eps in ("0", "1/10", "1/5")
    ]
    said = lines("curve", text, "--exp-eps-grid", "1,2")
    assert said[0].split() == ["e^eps", "delta", "worse", "order", "level"]
    assert "noise   Poisson(1000), shift 1, both orders" in said


# --- certify --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "level"),
    [
        (("--eps", "1/2"), {"eps": "1/2"}),
        (("--exp-eps", "7/5"), {"exp_eps": "7/5"}),
        (("--eps", "ln(4/3)"), {"eps": xdp.LogRational("4/3")}),
    ],
)
@pytest.mark.parametrize("text", thinned(LAWS, every=2))
def test_certify_on_both_sides_of_the_least_delta(
    text: str, option: tuple[str, str], level: dict[str, Any], tmp_path: Path
) -> None:
    law, target = LAWS[text], str(tmp_path / "claim.json")
    worst = xdp.shift_profile(law, shift=2).delta(**level, relative_bits=20)
    assert isinstance(worst, Interval)
    for delta in (min(2 * worst.hi, Fraction(1)), worst.lo / 2):
        verdict = "PROVED" if delta >= worst.hi else "REFUTED"
        command = ("certify", text, *option, "--delta", str(delta), "--shift", "2", "--format", "json", "-o", target)
        result = run(*command)
        data = json.loads(result.stdout)
        assert (result.exit_code, result.stderr) == (0 if verdict == "PROVED" else 1, "")
        assert (data["verdict"], data["level"], data["file"]) == (verdict, "certificate", target)
        claim = xdp.Claim.shift_dp(law, shift=2, delta=delta, **level)
        assert (data["claim_id"], xdp.Certificate.load(target).claim) == (claim.digest(), claim)
        assert xdp.verify(target).name == verdict


def test_certify_of_noise_as_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    command = ("certify", LONG, "--eps", "1", "--delta", "1e-6", "--shift", "1")
    claim = xdp.Claim.shift_dp(LAWS[LONG], eps=1, delta="1e-6")
    said = [
        "claim        a query of sensitivity 1 plus Binomial(1000000, 1/1000) is (eps, delta)-DP, both orders",
        "privacy      eps = 1",
        "delta        1/1000000 (0.000001)",
        "verdict      PROVED",
        "reason       The worst delta is [9.945673294e-120, 9.945673295e-120].",
        "evidence     certificate: verified by the standard-library checker",
        f"claim id     {claim.digest()}",
        "certificate  not written (-o FILE writes it)",
        "shift is the most by which one person's data can change the query.",
    ]
    assert lines(*command) == said
    assert list(tmp_path.iterdir()) == []
    assert lines(*command, "-o", "claim.json") == [*said[:-2], "certificate  claim.json", said[-1]]
    words = "PROVED claim.json: count + Bin(1000000, 1/1000), shift 1: (eps = 1, delta = 1/1000000)-DP, both orders "
    assert lines("verify", "claim.json")[0].startswith(words)


def test_certify_of_noise_as_json_and_csv() -> None:
    result = run("certify", "@binomial:n=2,p=1/2", "--exp-eps", "2", "--delta", "1/5", "--format", "json")
    claim = xdp.Claim.shift_dp(laws.Binomial(2, "1/2"), exp_eps=2, delta="1/5")
    assert result.exit_code == 1
    assert json.loads(result.stdout) == {
        "schema": "exactdp-output-1",
        "version": xdp.__version__,
        "command": "certify",
        "law": "Binomial",
        "parameters": {"n": "2", "p": "1/2"},
        "shift": "1",
        "orders": "both",
        "exp_eps": "2",
        "delta": "1/5",
        "verdict": "REFUTED",
        "level": "certificate",
        "claim_kind": "shift_dp",
        "claim_id": claim.digest(),
        "in_place_of": None,
        "reason": xdp.certify(claim).reason,
        "file": None,
    }
    (row,) = rows("certify", "@poisson:mu=10", "--eps", "1", "--delta", "1/2")
    assert (row["law"], row["parameters"], row["shift"], row["orders"]) == ("Poisson", "mu=10", "1", "both")
    assert (row["eps"], row["delta"], row["verdict"], row["file"]) == ("1", "1/2", "PROVED", "")


def test_a_claim_about_noise_beyond_the_checker() -> None:
    """The verdict is told, and is no success unless it is accepted without a certificate."""
    command = ("certify", "@poisson:mu=1000", "--eps", "100", "--delta", "1e-6")
    result = run(*command)
    assert result.exit_code == 3
    assert {"verdict      PROVED", "evidence     enclosure: decided by the engine, not certified"} <= set(
        result.stdout.splitlines()
    )
    assert "certificate  none: the checker has not confirmed this verdict" in result.stdout
    assert "PROVED by the engine alone: there is no certificate. --allow-enclosure accepts " in result.stderr
    assert lines(*command, "--allow-enclosure") == result.stdout.splitlines()
    refuted = ("certify", "@binomial:n=10000,p=1/2", "--eps", "1/10", "--delta", "1/2", "--shift", "2000")
    assert [run(*refuted, *more).exit_code for more in ((), ("--allow-enclosure",))] == [3, 1]


def test_an_undecided_claim_about_noise(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    undecided = xdp.Verdict.UNDECIDED
    monkeypatch.setattr(
        "exactdp.certify",
        lambda claim: xdp.Certificate(claim, undecided, "none", "too close"),
    )
    target = tmp_path / "claim.json"
    result = run("certify", "@poisson:mu=1", "--eps", "1", "--delta", "1/2", "-o", str(target))
    assert result.exit_code == 3
    assert {"verdict      UNDECIDED", "evidence     none"} <= set(result.stdout.splitlines())
    assert "certificate  none: there is no verdict to confirm" in result.stdout
    assert not target.exists()


# --- Protocols without exact masses ---------------------------------------------------------------------------------


def test_delta_of_two_million_users_is_enclosed() -> None:
    command = ("delta", "@zsum", "--gamma", "1/8", "-n", "2000000")
    profile = xdp.protocols.zsum(2 * 10**6, gamma="1/8").privacy_profile()
    data = answer(*command, "--exp-eps", "2")
    assert holds(data["delta"], profile.delta(exp_eps=2, relative_bits=53))
    assert (data["delta"]["exact"], data["level"]) == (None, "enclosure")
    pair = profile.worst_pair(exp_eps=2)
    for side, found in (("first", pair.first), ("second", pair.second)):
        assert data["worst_pair"][side] == {str(value): count for value, count in found.items()}
    assert data["worst_pair"]["exp_eps"] == "2"
    said = lines(*command, "--exp-eps", "2")
    assert next(line for line in said if line.startswith("delta ")).split(maxsplit=1)[1].startswith("[1.55166")
    (row,) = rows(*command, "--exp-eps", "2")
    assert (row["delta"], row["delta_lo"] < row["delta_hi"]) == ("", True)


@pytest.mark.parametrize("eps", ["1/10", "1000", "1e15", "1e30"])
def test_a_pair_is_found_at_every_eps(eps: str) -> None:
    data = answer("delta", "@zsum", "--gamma", "1/8", "-n", "2000000", "--eps", eps)
    assert data["worst_pair"]["first"] == {"0": 1999999, "1": 1}
    assert len(data["worst_pair"]["exp_eps"]) < 10_000


def test_epsilon_and_curve_of_many_users_are_enclosed() -> None:
    command = ("@zsum", "--gamma", "1/1000", "-n", "1000000000")
    profile = xdp.protocols.zsum(10**9, gamma="1/1000").privacy_profile()
    data = answer("epsilon", *command, "--delta", "1e-6")
    found = profile.epsilon("1e-6")
    assert isinstance(found, Interval)
    assert holds(data["epsilon"], found)
    assert (data["level"], data["worst_pair"]["second"]) == ("enclosure", {"0": 1000000000})
    point = answer("curve", *command, "--exp-eps-grid", "1001/1000")["points"][0]
    assert holds(point["delta"], profile.delta(exp_eps="1001/1000", relative_bits=53))


@pytest.mark.parametrize(("n", "is_exact"), [(LONG_BITS // 4, True), (LONG_BITS // 4 + 1, False)])
def test_exact_answers_end_where_nobody_reads_them(n: int, is_exact: bool) -> None:
    command = ("delta", "@zsum", "--gamma", "1/8", "-n", str(n), "--exp-eps", "2")
    assert (answer(*command)["delta"]["exact"] is not None) == is_exact
    assert answer(*command, "--exact")["delta"]["exact"] is not None


def test_a_long_epsilon_is_enclosed_in_no_time() -> None:
    began = time.perf_counter()
    data = answer("epsilon", "@zsum", "--gamma", "1/1000", "-n", "1000000", "--delta", "1e-6")
    assert data["epsilon"]["exact"] is None
    assert time.perf_counter() - began < 5


def test_check_of_many_users() -> None:
    data = answer("check", "@zsum", "--gamma", "1/8", "-n", "2000000")
    assert (data["within_limit"], data["largest_n"], data["outcomes"]) == (True, None, None)


@pytest.mark.parametrize(
    ("law", "k"),
    [
        (laws.Binomial(50, "1/7"), 20),
        (laws.BinomialSum(20, "1/7", 30, "2/3"), 20),
        (laws.NegativeBinomial(5, "2/7"), 20),
        (laws.Geometric("2/7"), 20),
        (laws.DiscreteLaplace("7/2"), 20),
        (laws.Poisson(0), 20),
    ],
)
def test_lengths_are_bounds(law: laws.LatticeLaw, k: int) -> None:
    bits = law.exact_cdf(k).denominator.bit_length()
    assert bits <= law.exact_bits(k) + 8 <= 2 * bits + 24


# --- law ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", LAWS)
def test_law_is_what_the_library_says(text: str) -> None:
    law = LAWS[text]
    data = answer("law", text, "--from", "-2", "--to", "5", "--quantile", "0.95")
    assert [row["k"] for row in data["rows"]] == [str(k) for k in range(-2, 6)]
    for row in data["rows"]:
        k = int(row["k"])
        exact = law.is_exact and text != LONG
        expected = (
            (law.exact_pmf(k), law.exact_cdf(k), law.exact_sf(k)) if exact else (law.pmf(k), law.cdf(k), law.sf(k))
        )
        assert all(holds(row[name], value) for name, value in zip(("pmf", "cdf", "sf"), expected, strict=True))
    assert holds(data["mean"], law.mean)
    assert holds(data["variance"], law.variance)
    assert (data["mode"], data["log_concave"]) == (str(law.mode), law.is_log_concave)
    assert data["quantile"] == {"q": "19/20", "k": str(law.quantile("19/20"))}


def test_law_of_noise_as_text() -> None:
    assert lines("law", "@binomial:n=2,p=1/2", "--to", "3", "--quantile", "1/4") == [
        "law          Binomial(2, 1/2)",
        "support      0 to 2",
        "log-concave  yes",
        "mean         1",
        "variance     1/2 (0.5)",
        "mode         1",
        "quantile     0, the least k with P[Y <= k] >= 1/4 (0.25)",
        "",
        "k  P[Y = k]    P[Y <= k]   P[Y > k]",
        "0  1/4 (0.25)  1/4 (0.25)  3/4 (0.75)",
        "1  1/2 (0.5)   3/4 (0.75)  1/4 (0.25)",
        "2  1/4 (0.25)  1           0",
        "3  0           1           0",
    ]
    said = lines("law", "@poisson:mu=10")
    assert len(said) == 6
    assert "support      0 and more" in said
    assert "support      all integers" in lines("law", "@discrete-gaussian:sigma_squared=4")
    assert "support      0 alone" in lines("law", "@poisson:mu=0")


def test_law_of_noise_as_csv() -> None:
    table = rows("law", "@binomial:n=2,p=1/2", "--from", "0")
    assert [(row["parameters"], row["k"], row["pmf"], row["cdf"], row["sf"]) for row in table] == [
        ("n=2,p=1/2", "0", "1/4", "1/4", "3/4"),
        ("n=2,p=1/2", "1", "1/2", "3/4", "1/4"),
        ("n=2,p=1/2", "2", "1/4", "1", "0"),
    ]
    (row,) = rows("law", "@poisson:mu=10", "--quantile", "0.95")
    assert (row["law"], row["support_low"], row["support_high"], row["mean"]) == ("Poisson", "0", "", "10")
    assert (row["q"], row["quantile"]) == ("19/20", "15")


def test_relative_bits_of_law() -> None:
    (row,) = answer("law", "@binomial:n=4,p=1/3", "--from", "1", "--to", "1", "--relative-bits", "200")["rows"]
    low, high = Fraction(row["pmf"]["lo"]), Fraction(row["pmf"]["hi"])
    assert low <= Fraction(32, 81) <= high <= low * (1 + Fraction(1, 2**195))
    assert row["pmf"]["exact"] is None


# --- check ----------------------------------------------------------------------------------------------------------


def test_check_of_noise() -> None:
    data = answer("check", "@negative-binomial:r=1/2,p=1/3")
    assert (data["valid"], data["log_concave"], data["exact"], data["mode"]) == (True, False, False, "0")
    assert data["support"] == {"low": "0", "high": None}
    assert data["mean"]["exact"] == "1/4"
    said = lines("check", "@binomial:n=1000,p=1/1000")
    assert said[0] == "law            Binomial(1000, 1/1000) is valid"
    assert "probabilities  rational, so answers are exact up to a length" in said
    said = lines("check", "@binomial:n=2000000,p=1/1000")
    assert "probabilities  rational but too long to be built: enclosed, to any accuracy" in said
    assert "probabilities  enclosed, to any accuracy" in lines("check", "@poisson:mu=10")
    (row,) = rows("check", "@poisson:mu=10")
    assert (row["law"], row["support"], row["exact"], row["mean"]) == ("Poisson", "0 none", "no", "10")


# --- slack ----------------------------------------------------------------------------------------------------------


def test_slack_is_what_the_library_says() -> None:
    data = answer("slack", "zsum", "--users", "1000000", "--eps", "1", "--delta", "1e-6")
    expected = zsum_slack(10**6, eps=1, delta="1e-6")
    assert (data["theorem"], data["n"], data["eps"], data["delta"]) == ("zsum", 1000000, "1", "1/1000000")
    assert [row["name"] for row in data["rows"]] == [row.name for row in expected]
    for printed, row in zip(data["rows"], expected, strict=True):
        assert row.ratio is not None
        assert holds(printed["delta"], row.delta)
        assert holds(printed["needed"], row.needed)
        assert holds(printed["ratio"], row.ratio)
        assert printed["step"] == (None if row.step is None else str(row.step))
    assert Fraction(data["noise"]["exact"]) == 10**6 * Fraction(data["gamma"])


@pytest.mark.slow
def test_slack_as_text_and_csv() -> None:
    command = ("slack", "zsum", "--users", "100000", "--eps", "ln(2)", "--delta", "1e-6")
    said = lines(*command)
    assert said[:3] == [
        "theorem  zsum, n = 100000",
        "privacy  e^eps = 2, eps = ln(2) (0.6931472)",
        "delta    1/1000000 (0.000001)",
    ]
    table = said[said.index("") + 1 :]
    assert table[0].split("  ")[0] == "bound"
    assert table[1].startswith("published closed form")
    assert table[5].startswith("exact hockey-stick")
    assert said[-1] == "n counts the users who follow the protocol; with fewer of them there is less privacy."
    listed = rows(*command)
    expected = zsum_slack(10**5, eps=xdp.LogRational(2), delta="1e-6")
    assert [(row["n"], row["eps"], row["delta"], row["name"]) for row in listed] == [
        ("100000", "ln(2)", "1/1000000", row.name) for row in expected
    ]
    for row, bound in zip(listed, expected, strict=True):
        assert Fraction(row["bound_lo"]) <= bound.delta.lo <= bound.delta.hi <= Fraction(row["bound_hi"])
        assert Fraction(row["needed_lo"]) <= bound.needed.lo <= bound.needed.hi <= Fraction(row["needed_hi"])


@pytest.mark.slow
def test_the_answer_about_noise_goes_into_a_file(tmp_path: Any) -> None:
    for command in (
        ("delta", "@poisson:mu=10", "--eps", "1"),
        ("law", "@poisson:mu=10", "--to", "3"),
        ("slack", "zsum", "-n", "10000", "--eps", "1", "--delta", "1/100"),
    ):
        for form in ("text", "json", "csv"):
            target = tmp_path / f"{command[0]}.{form}"
            result = run(*command, "--format", form, "-o", str(target))
            assert (result.exit_code, result.stdout) == (0, "")
            assert target.read_text() == run(*command, "--format", form).stdout


# --- The continuous Laplace law -------------------------------------------------------------------------------------

LAPLACE = "@laplace:scale=2"


def test_a_real_query_has_a_real_shift() -> None:
    told = answer("delta", LAPLACE, "--shift", "1/2", "--eps", "1/10")
    delta = xdp.shift_profile(laws.Laplace(2), shift="1/2").delta(eps="1/10")
    assert (told["shift"], told["parameters"], told["level"]) == ("1/2", {"scale": "2"}, "enclosure")
    assert Fraction(told["delta"]["lo"]) <= delta.lo <= delta.hi <= Fraction(told["delta"]["hi"])
    assert told["worse_order"]["second"] == "noise + 1/2"
    assert "no claim states continuous noise" in run("epsilon", LAPLACE, "--delta", "1e-6").stdout
    assert answer("epsilon", "@laplace:scale=exp(1)", "--delta", "1")["epsilon"]["exact"] == "0"


def test_the_facts_of_a_continuous_law() -> None:
    assert "support        all real numbers" in lines("check", LAPLACE)
    told = answer("law", LAPLACE, "--quantile", "19/20")
    assert told["level"] == "enclosure"
    assert abs(float(told["quantile"]["x"]["lo"]) - 4.605170185988091) < 1e-14  # 2 ln(10)
    (row,) = rows("law", LAPLACE, "--quantile", "1/2")
    assert (row["quantile"], row["quantile_lo"]) == ("0", "0")
    assert answer("law", LAPLACE)["level"] == "exact"


def test_runs_of_continuous_noise_are_composed() -> None:
    told = answer("compose", LAPLACE, "--shift", "1/2", "--times", "3", "--eps", "1/4")
    assert float(told["delta"]["lo"]) > 0
    assert told["level"] == "enclosure"
    assert answer("compose", "@poisson:mu=300", "--eps", "1/4", "--with", LAPLACE)["with"][0]["law"] == "Laplace"
    assert "certify" not in run("compose", LAPLACE, "--times", "3", "--eps", "1/4").stdout


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("law", LAPLACE, "--from", "0", "--to", "2"), "this question is about integers"),
        (("sample", LAPLACE, "--size", "1"), "@discrete-laplace"),
        (("certify", LAPLACE, "--eps", "1", "--delta", "0"), "this question is about integers"),
        (("delta", "@zsum", "--gamma", "1/8", "-n", LAPLACE, "--eps", "1"), "names no law"),
        (("delta", LAPLACE, "--shift", "0", "--eps", "1"), "shift=0 is not above 0"),
        (("delta", LAPLACE, "--eps", "1", "--exact"), "--exact has no answer here"),
        (("delta", "@laplace:scale=0", "--eps", "1"), "scale=0 is not above 0"),
        (("compose", "@poisson:mu=300", "--shift", "1/2", "--eps", "1"), "shift=1/2 is not an integer"),
    ],
)
def test_what_is_asked_of_integers_is_refused_for_a_continuous_law(args: tuple[str, ...], said: str) -> None:
    result = run(*args)
    assert result.exit_code == 2
    assert said in result.stderr
