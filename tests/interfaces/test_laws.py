"""Every registered noise law on the integers keeps what its interface says, by sums of its weights over a window.

The weights themselves are compared with other libraries in ``tests/unit/laws/test_laws.py``.
"""

from fractions import Fraction
from typing import Any

import pytest

import exactdp as xdp
from exactdp.claims.encoding import read_noise, write_noise
from exactdp.errors import ExactDPError
from exactdp.laws.lattice import LatticeLaw
from exactdp.laws.registry import FAMILIES
from exactdp.numbers.balls import compare_reals
from exactdp.numbers.real import Real
from exactdp.protocols.named_protocols import LAWS
from exactdp.protocols.naming.targets import read_target
from exactdp.sampling import sample
from exactdp.testing import assert_samples_match
from tests.interfaces.members import Interface, changed, refuses, small_name
from tests.together import together

BITS = 200
TAIL = Fraction(1, 2**160)
"""What a window may leave out at each end."""
LEVELS = [Fraction(1, 50), Fraction(1, 2), Fraction(9, 10)]

MEMBERS: dict[str, Any] = {name: read_target(small_name(LAWS[name])).law for name in FAMILIES}  # type: ignore[union-attr]
INTERFACE = Interface()


def window(law: Any) -> range:
    """All outcomes but those of the two tails."""
    low = law.quantile(TAIL) if law.low is None else law.low
    return range(low, (law.quantile(1 - TAIL) if law.high is None else law.high) + 1)


def weights(law: Any) -> dict[int, Fraction]:
    """Outcome -> its probability, to about 200 bits."""
    return {k: law.pmf(k, relative_bits=BITS).lo for k in window(law)}


def near(found: Any, value: Fraction, slack: Fraction = TAIL * 2**20) -> bool:
    """Whether a number, or what an Interval encloses, is a value up to what a window leaves out."""
    low, high = (found, found) if isinstance(found, Fraction | int) else (found.lo, found.hi)
    return low - slack <= value <= high + slack


@INTERFACE.keeps
def probabilities_add_up(law: Any) -> None:
    listed = weights(law)
    assert near(sum(listed.values()), Fraction(1))
    below = Fraction(0)
    for k, weight in listed.items():
        below += weight
        if weight > TAIL:
            assert near(law.cdf(k), below)
            assert near(law.sf(k), 1 - below)
    for k in (min(listed) - 1, max(listed) + 1):
        assert law.holds(k) == (law.pmf(k) > 0)


@INTERFACE.keeps
def exact_values_are_in_the_enclosures(law: Any) -> None:
    if not law.is_rational:
        for exact in (law.exact_pmf, law.exact_cdf, law.exact_sf):
            with pytest.raises(ExactDPError, match="irrational"):
                exact(law.mode)
        return
    assert law.is_exact
    for k in list(window(law))[:30]:
        for name in ("pmf", "cdf", "sf"):
            assert near(getattr(law, name)(k), getattr(law, f"exact_{name}")(k), Fraction(0))
        assert law.exact_cdf(k) + law.exact_sf(k) == 1


@INTERFACE.keeps
def the_moments_are_those_of_the_weights(law: Any) -> None:
    listed = weights(law)
    mean = sum(k * weight for k, weight in listed.items())
    assert near(law.mean, mean)
    assert near(law.variance, sum((k - mean) ** 2 * weight for k, weight in listed.items()))
    assert law.mode in listed
    assert near(listed[law.mode], max(listed.values()))


@INTERFACE.keeps
def shapes_are_those_of_the_weights(law: Any) -> None:
    listed = weights(law)
    values = list(listed.values())
    if law.is_log_concave:
        assert all(b * b * (1 + TAIL) >= a * c for a, b, c in zip(values, values[1:], values[2:], strict=False))
    if law.is_symmetric:
        twice = 2 * law.mode if law.low is None or law.high is None else law.low + law.high
        assert all(near(weight, listed.get(twice - k, Fraction(0))) for k, weight in listed.items())
    if law.is_uniform:
        assert near(min(values), max(values))
    if law.has_constant_ratios:
        steps = {compare_reals(law.ratio(k, k + 1), law.tail_ratio) for k in listed if k >= 0 and k + 1 in listed}
        assert steps == {0}
    assert law.lattice is law


@INTERFACE.keeps
def ratios_are_those_of_the_weights(law: Any) -> None:
    places = list(window(law))[:: max(1, len(window(law)) // 6)]
    for t in places:
        for u in places:
            value = law.pmf(t, relative_bits=BITS).lo / law.pmf(u, relative_bits=BITS).lo
            for factor, sign in ((Fraction(99, 100), 1), (Fraction(101, 100), -1)):
                assert law.compare_ratio(t, u, Real(value * factor)) == sign
                assert compare_reals(law.ratio(t, u), Real(value * factor)) == sign


@INTERFACE.keeps
def far_ratios_approach_the_tail_ratio(law: Any) -> None:
    if law.high is not None:
        assert law.tail_ratio is None
        return
    start = max(law.mode, 0) + 1
    near_by, far, farther = (law.ratio(k, k + 1) for k in (start, start + 2000, start + 4000))
    if law.tail_ratio is None:
        assert compare_reals(farther, far) > 0 < compare_reals(far, 2 * near_by)
    else:
        assert compare_reals(far, law.tail_ratio * Fraction(99, 100)) > 0
        assert compare_reals(far, law.tail_ratio * Fraction(101, 100)) < 0


@INTERFACE.keeps
def quantiles_are_the_least(law: Any) -> None:
    for q in LEVELS:
        k = law.quantile(q)
        assert law.cdf(k).hi >= q > law.cdf(k - 1).lo


@INTERFACE.keeps
def what_is_known_of_neighbours_is_true(law: Any) -> None:
    listed = weights(law)
    if (pure := law.pure_exp_eps) is not None:
        inside = [k for k in listed if listed[k] > TAIL]
        ratios = [law.ratio(*pair) for k in inside for pair in ((k, k + 1), (k + 1, k)) if k + 1 in listed]
        signs = {compare_reals(ratio, pure) for ratio in ratios}
        assert max(signs) == 0
    if (biased := law.size_biased) is not None:
        mean = sum(k * weight for k, weight in listed.items())
        assert all(near(biased.pmf(k - 1), k * weight / mean) for k, weight in listed.items() if k)
    if (scale := law.loss_scale) is not None:
        for t, s in ((1, 1), (0, 2), (5, -3)):
            assert compare_reals(law.ratio(t, t - s), Real.exp(Fraction(s * s - 2 * s * t) / (2 * scale))) == 0


@INTERFACE.keeps
def the_formula_is_that_of_the_weights(law: Any) -> None:
    if refuses(law.to_sympy, law.mode):
        return
    for k in (law.mode, law.mode + 1):
        formula = Fraction(str(law.to_sympy(k).evalf(40)))
        assert near(law.pmf(k), formula, Fraction(1, 10**30))
    if law.low is not None:
        assert law.to_sympy(law.low - 1) == 0


@INTERFACE.keeps
def a_finite_law_is_its_list(law: Any) -> None:
    if law.low is None or law.high is None or not law.is_exact:
        with pytest.raises(ExactDPError):
            law.law()
        return
    assert dict(law.law().items()) == {k: law.exact_pmf(k) for k in window(law)}
    assert law.listed(law.high - law.low) == law.law()
    assert law.low == law.high or law.listed(law.high - law.low - 1) is None


@INTERFACE.keeps
def as_noise_it_gives_away_what_its_weights_do(law: Any) -> None:
    listed = weights(law)
    for shift in (1, 2):
        for exp_eps in (Fraction(1), Fraction(3, 2), Fraction(4)):
            orders = ((shift, 0), (0, shift))
            deltas = [
                sum(
                    max(Fraction(0), listed.get(k - a, Fraction(0)) - exp_eps * listed.get(k - b, Fraction(0)))
                    for k in range(min(listed), max(listed) + shift + 1)
                )
                for a, b in orders
            ]
            profile = xdp.shift_profile(law, shift=shift)
            assert near(profile.delta(exp_eps=exp_eps, relative_bits=60), max(deltas))


@INTERFACE.keeps
def draws_follow_it(law: Any) -> None:
    protocol = xdp.AdditiveProtocol(law)

    def draws(size: int, rng: Any) -> Any:
        return sample(protocol, [], size=size, rng=rng, nearest=True)

    assert_samples_match(draws, law, size=10_000, seed=1)


@INTERFACE.keeps
def claims_of_it_are_certified(law: Any) -> None:
    assert repr(read_noise(write_noise(law))) == repr(law)
    delta = xdp.shift_profile(law).delta(exp_eps="3/2", relative_bits=30)
    upper = delta if isinstance(delta, Fraction) else delta.hi
    verdicts = []
    for claimed in (min(upper * Fraction(11, 10), Fraction(1)), upper * Fraction(9, 10)):
        certificate = xdp.certify(xdp.Claim.shift_dp(law, exp_eps="3/2", delta=claimed))
        assert certificate.level == "enclosure" or xdp.verify(certificate) is certificate.verdict
        verdicts.append(certificate.verdict)
    assert verdicts == [xdp.Verdict.PROVED, xdp.Verdict.REFUTED]


@pytest.mark.parametrize("check", INTERFACE)
@together("name", MEMBERS)
def test_every_law(check: str, name: str) -> None:
    INTERFACE[check](MEMBERS[name])


BINOMIAL, GEOMETRIC, GAUSSIAN = (MEMBERS[name] for name in ("binomial", "geometric", "discrete-gaussian"))


@pytest.mark.parametrize(
    ("law", "changes", "check"),
    [
        (BINOMIAL, {"cdf": BINOMIAL.sf}, probabilities_add_up),
        (BINOMIAL, {"exact_pmf": lambda k: BINOMIAL.exact_pmf(k + 1)}, exact_values_are_in_the_enclosures),
        (BINOMIAL, {"mean": BINOMIAL.mean + Fraction(1, 10**9)}, the_moments_are_those_of_the_weights),
        (BINOMIAL, {"variance": BINOMIAL.variance + Fraction(1, 10**9)}, the_moments_are_those_of_the_weights),
        (BINOMIAL, {"mode": BINOMIAL.mode + 1}, the_moments_are_those_of_the_weights),
        (BINOMIAL, {"is_symmetric": True}, shapes_are_those_of_the_weights),
        (BINOMIAL, {"is_uniform": True}, shapes_are_those_of_the_weights),
        (BINOMIAL, {"ratio": lambda t, u: BINOMIAL.ratio(u, t)}, ratios_are_those_of_the_weights),
        (GEOMETRIC, {"tail_ratio": None}, far_ratios_approach_the_tail_ratio),
        (GEOMETRIC, {"tail_ratio": GEOMETRIC.tail_ratio * Fraction(3, 2)}, far_ratios_approach_the_tail_ratio),
        (BINOMIAL, {"quantile": lambda q: BINOMIAL.quantile(q) + 1}, quantiles_are_the_least),
        (GAUSSIAN, {"loss_scale": GAUSSIAN.loss_scale + 1}, what_is_known_of_neighbours_is_true),
        (GAUSSIAN, {"pure_exp_eps": Real(2)}, what_is_known_of_neighbours_is_true),
        (BINOMIAL, {"to_sympy": lambda k: BINOMIAL.to_sympy(k + 1)}, the_formula_is_that_of_the_weights),
        (BINOMIAL, {"law": xdp.Binomial(7, "1/4").law}, a_finite_law_is_its_list),
        (GAUSSIAN, {"pmf": xdp.DiscreteGaussian(3).pmf}, as_noise_it_gives_away_what_its_weights_do),
        (BINOMIAL, {"drawn": xdp.Binomial(8, "1/3").drawn}, draws_follow_it),
        (BINOMIAL, {"drawn": xdp.Binomial(7, "3/8").drawn}, draws_follow_it),
        (BINOMIAL, {"enclosed": xdp.Binomial(7, "1/2").enclosed, "is_rational": False}, claims_of_it_are_certified),
    ],
)
def test_a_law_that_breaks_it_is_seen(law: LatticeLaw, changes: dict[str, Any], check: Any) -> None:
    check(law)
    with pytest.raises(AssertionError):
        check(changed(law, changes))
