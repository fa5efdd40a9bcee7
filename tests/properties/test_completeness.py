"""Whatever ``certify`` decides, the checker accepts: random claims of every kind, at gaps down to 1e-300.

A claim is made from a number that the engines enclose and a bound at a chosen distance on a chosen side. It has to be
decided, as that side says, with a certificate below 10 kB that verifies.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp import (
    AdditiveProtocol,
    Analyzer,
    Certificate,
    Claim,
    Interval,
    Law,
    LogRational,
    Randomizer,
    ShuffleProtocol,
    Verdict,
    certify,
    shift_profile,
    smoothness_delta,
    verify,
)
from exactdp.claims.claim import Condition, Span
from exactdp.laws import (
    Binomial,
    BinomialSum,
    DiscreteGaussian,
    DiscreteLaplace,
    DiscreteUniform,
    Geometric,
    NegativeBinomial,
    Poisson,
)
from exactdp.numbers.real import Real
from tests.expensive import one_in

GAPS = st.sampled_from([1, 5, 30, 100, 300])
SIDES = st.sampled_from([-1, 1])
BITS = 1200
FEW = settings(max_examples=10)

probabilities = st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20)
means = st.fractions(Fraction(1, 10), 30, max_denominator=10)


@st.composite
def laws(draw: st.DrawFn) -> Any:
    """Every law of the package, small and large, with rational and irrational parameters."""
    p, mu = draw(probabilities), draw(means)
    return draw(
        st.sampled_from(
            [
                Law({0: p, 3: (1 - p) / 2, 4: (1 - p) / 2}),
                Binomial(draw(st.integers(1, 40)), p),
                Binomial(draw(st.integers(1001, 10**5)), p),
                BinomialSum(draw(st.integers(1, 20)), p, draw(st.integers(1, 20)), 1 - p),
                BinomialSum(300, p, 400, 1 - p),
                NegativeBinomial(mu, p),
                NegativeBinomial(p, Real.exp(-mu)),
                Geometric(p),
                Geometric(Real.exp(-p)),
                DiscreteLaplace(1 + mu),
                DiscreteLaplace(Real.exp(mu)),
                DiscreteGaussian(mu),
                Poisson(mu),
                Poisson(mu * Real.log(3)),
                DiscreteUniform(-7, draw(st.integers(-7, 9))),
                DiscreteUniform(-(10**12), draw(st.integers(1, 10**30))),
            ]
        )
    )


def bound(value: Interval | Fraction, gap: int, side: int) -> Fraction:
    """A rational at the relative distance 10^-gap from the value, below it or above, within [0, 1]."""
    near = value if isinstance(value, Fraction) else (value.lo + value.hi) / 2
    moved = near * (1 + side * Fraction(1, 10**gap))
    # a denominator long enough to keep the side, and short enough for a certificate
    scale = 2 ** (4 * gap + 8 + max(0, near.denominator.bit_length() - near.numerator.bit_length()))
    return min(Fraction(round(moved * scale), scale), Fraction(1))


def expect(claim: Claim, verdict: Verdict) -> Certificate:
    certificate = certify(claim)
    assert certificate.verdict is verdict, certificate.reason
    assert certificate.level == "certificate", certificate.reason
    assert verify(certificate) is verdict
    assert len(certificate.to_json()) < 10_000
    return certificate


def both_sides(value: Interval | Fraction, gap: int, side: int, claim: Callable[[Fraction], Claim]) -> None:
    """The claim that the value is at most a bound, with the bound on that side of it."""
    if value == 0 or (isinstance(value, Interval) and value.compare(0) == 0):
        expect(claim(Fraction(1, 10**gap)), Verdict.PROVED)
        return
    limit = bound(value, gap, side)
    if limit == 1:
        return
    expect(claim(limit), Verdict.PROVED if side > 0 else Verdict.REFUTED)


@pytest.mark.slow
@FEW
@given(laws(), st.integers(1, 3), st.sampled_from(["1/10", "1/2", "2"]), GAPS, SIDES)
def test_shift_dp_at_a_rational_eps(law: Any, shift: int, eps: str, gap: int, side: int) -> None:
    value = shift_profile(law, shift=shift).delta(eps=eps, relative_bits=BITS)
    both_sides(value, gap, side, lambda delta: Claim.shift_dp(law, shift=shift, eps=eps, delta=delta))


@settings(max_examples=5)
@given(laws(), st.integers(1, 3), st.sampled_from(["1", "11/10", "4"]), GAPS, SIDES)
def test_shift_dp_at_a_rational_exp_eps(law: Any, shift: int, exp_eps: str, gap: int, side: int) -> None:
    value = shift_profile(law, shift=shift).delta(exp_eps=exp_eps, relative_bits=BITS)
    both_sides(value, gap, side, lambda delta: Claim.shift_dp(law, shift=shift, exp_eps=exp_eps, delta=delta))


@settings(max_examples=10)
@given(st.lists(probabilities, min_size=2, max_size=3, unique=True), st.integers(1, 30), GAPS, SIDES, st.booleans())
def test_two_message_dp(rates: list[Fraction], n: int, gap: int, side: int, is_eps: bool) -> None:
    protocol = ShuffleProtocol(Randomizer({x: {("a",): 1 - p, ("b",): p} for x, p in enumerate(rates)}), n)
    level: dict[str, Any] = {"eps": "1/10"} if is_eps else {"exp_eps": "11/10"}
    value = protocol.privacy_profile().delta(**level, relative_bits=BITS)
    both_sides(value, gap, side, lambda delta: Claim.two_message_dp(protocol, **level, delta=delta))


@FEW
@given(laws(), st.integers(1, 3), st.sampled_from(["1/10", "1/2"]), GAPS, SIDES)
def test_smooth(law: Any, k: int, eps: str, gap: int, side: int) -> None:
    value = smoothness_delta(law, k=k, eps=eps, relative_bits=BITS)
    both_sides(value, gap, side, lambda delta: Claim.smooth(law, k=k, eps=eps, delta=delta))


@FEW
@given(laws(), st.integers(-5, 30), GAPS, SIDES)
def test_tails(law: Any, steps: int, gap: int, side: int) -> None:
    if isinstance(law, Law):
        k, value = 2, law.prob(3) + law.prob(4)
    else:
        k = law.mode + steps
        value = law.sf(k, relative_bits=BITS)
    both_sides(value, gap, side, lambda beta: Claim.tail(law, low=k + 1, at_most=beta))
    if value != 0 and not (isinstance(value, Interval) and value.compare(0) == 0):
        at_least = Claim.tail(law, low=k + 1, at_least=bound(value, gap, -side))
        expect(at_least, Verdict.PROVED if side > 0 else Verdict.REFUTED)


@FEW
@given(st.integers(1, 2000), probabilities, st.integers(0, 30), st.integers(0, 3), GAPS, SIDES)
def test_accuracy_of_a_noisy_count(n: int, p: Fraction, alpha: int, threshold: int, gap: int, side: int) -> None:
    noise = Binomial(n, p)
    unless = n if threshold else None
    protocol = AdditiveProtocol(noise, n=n, analyzer=Analyzer({0: 1}, offset=-n * p, zero_unless_above=unless))
    worst = min(alpha + 1, n)
    wrong = [
        noise.exact_pmf(y)
        for y in range(n + 1)
        if (worst > alpha if unless is not None and worst + y <= unless else abs(y - n * p) > alpha)
    ]
    value = sum(wrong, Fraction(0))
    both_sides(value, gap, side, lambda beta: Claim.accuracy(protocol, alpha=alpha, beta=beta))


@FEW
@given(probabilities, st.integers(1, 6), st.integers(0, 4), GAPS, SIDES, st.booleans())
def test_accuracy_of_a_shuffled_view(p: Fraction, n: int, alpha: int, gap: int, side: int, is_one: bool) -> None:
    randomizer = Randomizer({0: {(0,): p, (1,): 1 - p}, 1: {(0,): 1 - p, (1,): p}, 2: {(): p, (1, 1): 1 - p}})
    protocol = ShuffleProtocol(randomizer, n, analyzer=Analyzer({1: 1, 0: "-1/2"}))
    values: dict[int, int | str] = {0: 0, 1: 1, 2: "1/2"}
    sets = [(a, b, n - a - b) for a in range(n + 1) for b in range(n + 1 - a)]
    if is_one:
        sets = sets[:1]
    errors = []
    for counts in sets:
        truth = counts[1] + Fraction(counts[2], 2)
        law = protocol.estimate_law(dict(zip((0, 1, 2), counts, strict=True)))
        errors.append(sum((q for e, q in law.items() if abs(e - truth) > alpha), Fraction(0)))
    dataset = dict(zip((0, 1, 2), sets[0], strict=True)) if is_one else None
    both_sides(
        max(errors),
        gap,
        side,
        lambda beta: Claim.accuracy(protocol, alpha=alpha, beta=beta, values=values, dataset=dataset),
    )


@FEW
@given(laws(), laws())
def test_equal_laws(first: Any, second: Any) -> None:
    expect(Claim.equal_laws(first, first), Verdict.PROVED)
    certificate = certify(Claim.equal_laws(first, second))
    assert certificate.level == "certificate"
    assert verify(certificate) is certificate.verdict


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Geometric("1/3"), NegativeBinomial(1, "1/3")),
        (BinomialSum(3, "1/3", 4, "1/3"), Binomial(7, "1/3")),
        (Binomial(1, "1/3"), Law({0: "2/3", 1: "1/3"})),
        (Poisson(0), Law({0: 1})),
        (Geometric(0), Poisson(0)),
    ],
)
def test_laws_with_two_names(first: Any, second: Any) -> None:
    expect(Claim.equal_laws(first, second), Verdict.PROVED)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Geometric("1/3"), Geometric(Fraction(1, 3) + Fraction(1, 10**300))),
        (Poisson(3), Poisson(3 * Real.log(3) / Real.log(3 + Fraction(1, 10**30)))),
        (DiscreteGaussian(3), Poisson(3)),
        (DiscreteUniform(0, 10**300), DiscreteUniform(0, 10**300 + 1)),
        (NegativeBinomial(2, "1/2"), Binomial(2, "1/2")),
    ],
)
def test_laws_that_differ_a_little(first: Any, second: Any) -> None:
    expect(Claim.equal_laws(first, second), Verdict.REFUTED)


@FEW
@given(st.integers(1, 60), probabilities, GAPS, SIDES)
def test_pure_and_approximate_privacy_of_a_randomizer(n: int, p: Fraction, gap: int, side: int) -> None:
    randomizer = Randomizer({0: {(0,): p, (1,): 1 - p}, 1: {(0,): 1 - p, (1,): p}})
    protocol = ShuffleProtocol(randomizer, n)
    value = protocol.privacy_profile().delta(exp_eps="6/5")
    both_sides(value, gap, side, lambda delta: Claim.shuffle_dp(protocol, exp_eps="6/5", delta=delta))
    whole = protocol.privacy_profile().epsilon(0)
    assert isinstance(whole, LogRational)
    if not whole.is_infinite:
        expect(Claim.pure_dp(protocol, eps=whole, all_n_from=n), Verdict.PROVED)


@one_in(2)
@given(st.fractions(-2, 2, max_denominator=9), GAPS)
def test_a_square_is_never_negative(root: Fraction, gap: int) -> None:
    square: dict[tuple[int, ...], Fraction | int] = {(2,): 1, (1,): -2 * root, (0,): root**2}
    variable = Condition({(1,): 1, (0,): -root})
    expect(Claim.inequality(["x"], hypotheses=[variable, variable], conclusion=square), Verdict.PROVED)
    lower = {**square, (0,): root**2 - Fraction(1, 10**gap)}
    certificate = certify(Claim.inequality(["x"], hypotheses=[], conclusion=lower))
    assert certificate.verdict is not Verdict.PROVED
    assert certificate.verdict is Verdict.UNDECIDED or verify(certificate) is Verdict.REFUTED


@FEW
@given(st.fractions(-2, 2, max_denominator=9), st.fractions(-3, 3, max_denominator=9), GAPS, SIDES)
def test_an_exponential_and_its_tangent(at: Fraction, slope: Fraction, gap: int, side: int) -> None:
    """e^(s x) is at least e^(s a) (1 + s (x - a)), with equality at a."""
    power = ({(0,): 1}, {(1,): slope})
    tangent = ({(0,): slope * at - 1, (1,): -slope}, {(0,): slope * at})
    moved = ({(0,): side * Fraction(1, 10**gap)}, {})
    expect(Claim.box_inequality({"x": (at - 1, at + 2)}, [power, tangent, moved]), _side(side))


@pytest.mark.slow
@settings(max_examples=15)
@given(st.integers(2, 12), GAPS, SIDES)
def test_the_square_of_a_distance_from_a_root(square: int, gap: int, side: int) -> None:
    """(x^2 - s)^2 is at least 0, with equality at the root of s."""
    terms = {(4,): 1, (2,): -2 * square, (0,): square**2 + side * Fraction(1, 10**gap)}
    expect(Claim.box_inequality({"x": (0, 4)}, [(terms, {})], strict=True), _side(side))


@FEW
@given(st.fractions(Fraction(1, 9), 2, max_denominator=9), GAPS, SIDES)
def test_two_variables(slope: Fraction, gap: int, side: int) -> None:
    """e^(s x y) is at least 1 + s x y, with equality on the axes."""
    power, tangent = ({(0, 0): 1}, {(1, 1): slope}), ({(0, 0): -1, (1, 1): -slope}, {})
    moved = ({(0, 0): side * Fraction(1, 10**gap)}, {})
    box = {"x": Span(0, 1, low_is_closed=False), "y": (0, 1)}
    expect(Claim.box_inequality(box, [power, tangent, moved]), _side(side))


def _side(side: int) -> Verdict:
    return Verdict.PROVED if side > 0 else Verdict.REFUTED


def test_a_conjunction_names_what_it_assumes() -> None:
    parts = [Claim.tail(Poisson(3), low=20, at_most="1e-6"), Claim.equal_laws(Poisson(3), Poisson(3))]
    claim = Claim.conjunction(*parts, assuming=["union", "markov"])
    assert claim.data["assuming"] == ["markov", "union"]
    expect(claim, Verdict.PROVED)
    expect(Claim.negation(claim), Verdict.REFUTED)
    false = Claim.conjunction(parts[1], Claim.tail(Poisson(3), low=20, at_most="1e-16"))
    expect(false, Verdict.REFUTED)
