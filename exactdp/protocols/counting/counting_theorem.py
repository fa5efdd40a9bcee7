"""Noise that n users share for a count: the negative binomial and the Poisson mechanism.

An integer query of sensitivity Delta plus one of these laws is (eps, delta)-DP. Both laws are infinitely divisible, so
every user can draw a share of the noise and send it as messages of one symbol.

*Why they are enough.* Let s = eps/Delta, and D the masses of W. Where D(t+1) <= e^s D(t) for t + 1 >= a, at most
P[W < a + Delta - 1] is lost against W plus up to Delta; where D(t) <= e^s D(t+1) for t + 1 <= b, at most
P[W > b - Delta] in the other order.

*Negative binomial*, eps <= 1: r >= 3 and r >= 3 ln(1/delta), p = e^(-s/5), v = p / (1-p), E[W] = r v. For r >= 1 the
ratio D(t) / D(t+1) is at most 1/p < e^s, so nothing is lost in the other order. And a = p (r-1) / (e^s - p) <= r v / 6,
because e^s - p >= 6 (1-p); Delta - 1 <= r v / 12, because v >= 5 Delta - 1 and r >= 3. Chernoff's bound at a fourth of
the mean is e^(r f) with

    f = -ln 4 + (1 + v/4) ln(1 + x) <= -ln 4 + 39/40 <= -1/3,  x = 3 / (1 + v),  v >= 4,

so r f <= ln(delta). A larger r, or p < 1, does no harm: a larger p belongs to a smaller eps.

*Poisson*, every eps > 0: a = mu e^-s, b = mu e^s. With g = 1 - e^-s, mu >= 2 Delta / g and e^s >= 1 + g both tails
begin mu g / 2 off the mean, so Chernoff's bounds are e^(-mu g^2 / 8) and e^(-mu g^2 / 10), at most delta for
mu >= 10 ln(1/delta) / g^2.

*Correlated noise.* Split eps = e1 + e2 with e2 = g eps <= 1, 0 < g < 1, and take p1 = e^(-e1), p2 = e^(-e2/5) and the
same r. By the theorem of :mod:`exactdp.protocols.counting.correlated_counts`, at E = e^eps >= 1/p1 delta is the larger
one of H_F(Y || Y+1) / (1 + p1), F = e^e2, and p1 H_G(Y+1 || Y) / (1 + p1), G = e^(eps + e1), where Y is W ~ NB(r, p2)
plus independent noise: processing W further raises neither divergence. Of W they are at most delta, as shown above for
e2 in the place of eps and Delta = 1, and 0, since G >= F. So private counting with correlated noise is (eps, delta / (1
+ p1))-DP.

Source: GhaziKumarManurangsiPagh2020, section 3.

What each step of the theorem of correlated counting gives away, at the theorem's noise and in noise
----------------------------------------------------------------------------------------------------

The chain of *Correlated noise*, with e2 = share * eps and W ~ NB(r, p2): the target
delta bounds Chernoff's e^(r f), that bounds the exact divergence of W against W + 1 at e^e2, and that over 1 + p1
bounds the exact divergence of both counts at e^eps. Every link falls in r: the closed forms plainly, the exact ones
because a larger r is W plus independent noise. So the r that a link needs is the least one.

Source: GhaziKumarManurangsiPagh2020, section 3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from exactdp.errors import InvalidValueError, UndecidedError
from exactdp.evidence.theorems import relies_on
from exactdp.laws.lattice import as_number
from exactdp.laws.negative_binomial import NegativeBinomial
from exactdp.laws.poisson import Poisson
from exactdp.numbers.balls import compare_reals, enclose_real
from exactdp.numbers.bisection import bisect
from exactdp.numbers.epsilon import LogRational, read_privacy_level
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_fraction, as_integer, as_relative_bits
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval, fraction_ends
from exactdp.numbers.real import Real
from exactdp.privacy.hypotheses import NamedTheorem
from exactdp.privacy.planner import engine_of
from exactdp.protocols.counting.correlated_view import CorrelatedView
from exactdp.protocols.protocol import AdditiveProtocol, shift_profile
from exactdp.protocols.saving import Calibrated, Savings, root
from exactdp.protocols.zsum_and_histogram.slack import SlackRow


@dataclass(frozen=True, slots=True)
class CorrelatedNoise:
    """The parameters of private counting with correlated noise."""

    p1: Real
    """Ratio of the noise of each count."""
    p2: Real
    """Ratio of the noise of both counts."""
    r: Real
    """Shape of the noise of both counts."""


def correlated_counting_noise(*, eps: Exact | LogRational, delta: Exact, share: Exact = "1/2") -> CorrelatedNoise:
    """Return p1 = e^(-(1 - share) eps), p2 = e^(-share eps / 5) and r = 3 (1 + ln(1/delta)), for (eps, delta)-DP.

    Proved for every share with share * eps <= 1 (module docstring), at every number of users.

    Args:
        eps: above 0, a rational number or a LogRational; share * eps is at most 1.
        delta: in (0, 1], exact.
        share: of eps, what is left for the noise of both counts: more of it sends fewer messages, and errs more.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> correlated_counting_noise(eps=1, delta="1/100")
    CorrelatedNoise(p1=Real[e^(-1/2)], p2=Real[e^(-1/10)], r=Real[3 (1 + ln(100))])

    Source: GhaziKumarManurangsiPagh2020, section 3.
    """
    theorem = NamedTheorem("The theorem of correlated counting")
    target = theorem.read_target(eps=eps, delta=delta, largest_eps=None)
    part = as_fraction(share, name="share")
    theorem.require(0 < part < 1, "0 < share < 1", f"share={short(part)}", "Pass share between 0 and 1.")
    theorem.require(
        compare_reals(part * target.eps, Fraction(1)) <= 0,
        "share * eps <= 1",
        f"share={short(part)} and eps={target.given if isinstance(target.given, LogRational) else short(target.given)}",
        "Pass a smaller share or eps.",
    )
    return CorrelatedNoise(
        Real.exp(-(1 - part) * target.eps), Real.exp(-part * target.eps / 5), 3 * (1 + Real.log(1 / target.delta))
    )


@relies_on("negative_binomial_privacy.negative_binomial_private")
def negative_binomial_mechanism(*, eps: Exact | LogRational, delta: Exact, sensitivity: int = 1) -> NegativeBinomial:
    """Return NB(r, p) with r = 3 (1 + ln(1/delta)) and p = e^(-0.2 eps / Delta), for (eps, delta)-DP.

    Proved for every Delta; r = 3 max(1, ln(1/delta)) is enough as well (module docstring).

    Args:
        eps: in (0, 1], a rational number or a LogRational.
        delta: in (0, 1], exact.
        sensitivity: Delta, the largest change of the query, an integer of at least 1.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> negative_binomial_mechanism(eps=1, delta="1/100")
    NegativeBinomial(Real[3 (1 + ln(100))], Real[e^(-1/5)])

    Source: GhaziKumarManurangsiPagh2020, section 3.
    """
    target = NamedTheorem("The negative binomial mechanism").read_target(eps=eps, delta=delta)
    change = as_integer(sensitivity, name="sensitivity", at_least=1)
    return NegativeBinomial(3 * (1 + Real.log(1 / target.delta)), Real.exp(-target.eps / (5 * change)))


@relies_on("poisson_noise.poisson_mechanism")
def poisson_mechanism(*, eps: Exact | LogRational, delta: Exact, sensitivity: int = 1) -> Poisson:
    """Return the Poisson law of mean 16 ln(10/delta) / (1 - e^(-eps/Delta))^2 + 2 Delta / (1 - e^(-eps/Delta)).

    The mean is as printed in secondary sources; the source's own text was not at hand. That it is enough is proved
    here, with room: every mean of at least 10 ln(1/delta) / g^2 and 2 Delta / g is, with g = 1 - e^(-eps/Delta)
    (module docstring).

    Args:
        eps: above 0, a rational number or a LogRational.
        delta: in (0, 1], exact.
        sensitivity: Delta, the largest change of the query, an integer of at least 1.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> poisson_mechanism(eps=1, delta="1/100").mean
    Interval[..., ...]

    Source: GhaziKumarManurangsiPagh2020, section 3 (through secondary sources).
    """
    target = NamedTheorem("The Poisson mechanism").read_target(eps=eps, delta=delta, largest_eps=None)
    change = as_integer(sensitivity, name="sensitivity", at_least=1)
    gap = 1 - (1 / target.exp_eps if change == 1 else Real.exp(-target.eps / change))
    return Poisson(16 * Real.log(10 / target.delta) / gap**2 + 2 * change / gap)


def negative_binomial_savings(protocol: AdditiveProtocol, found: Calibrated) -> Savings:
    """Return what the calibrated r of negative binomial noise saves."""
    noise: Any = protocol.noise
    return Savings.against(
        noise,
        lambda: negative_binomial_mechanism(eps=found.eps, delta=found.delta),
        {
            found.name: lambda law: as_number(law.r),
            "mean": lambda law: law.mean,
            "standard deviation": lambda law: root(law.variance),
        },
    )


_STEP: Final = Fraction(1, 2**20)
"""The exact rows are bisected until a step of r is this small."""

_DECIDING_BITS: Final = (64, 256, 1024)
"""Accuracies at which a row is compared with the target, one after the other; the first decides nearly always."""

_NOTHING: Final = Real(0)
"""The r without noise of both counts."""

_OfShape = Callable[[Real, int], Interval]

_MEAN_SHARE: Final = Fraction(1, 6)
"""The worst event of W is below so much of its mean (proof in counting_theorem)."""


def correlated_counting_slack(
    *, eps: Exact | LogRational, delta: Exact, share: Exact = "1/2", relative_bits: int = DEFAULT_RELATIVE_BITS
) -> tuple[SlackRow, ...]:
    """Return what each step of the proof gives away, from r = 3 (1 + ln(1/delta)) to the exact divergence.

    The rows: (1) the theorem, e^(1 - r/3); (2) Chernoff's bound for W, e^(r f); (3) the exact divergence of W against
    W + 1 at e^(share * eps); (4) the exact divergence of both counts at e^eps. ``needed`` contains the least r with
    which the row is at most delta, to 2^-20; 0 stands for every r.

    Args:
        eps: above 0, a rational number or a LogRational; share * eps is at most 1.
        delta: in (0, 1), exact; delta = 1 needs no noise.
        share: of eps, what is left for the noise of both counts.
        relative_bits: relative accuracy of each ``delta``.

    Raises:
        HypothesisError: where the theorem does not apply, naming the hypothesis.

    >>> for row in correlated_counting_slack(eps=1, delta="1e-6"):
    ...     print(f"{row.name}: {float(row.delta):.3g} there, needs {float(row.needed):.2f}")
    theorem: 1e-06 there, needs 44.45
    Chernoff's bound: 6.8e-16 there, needs 17.58
    exact, of the noise of both counts: 3.25e-22 there, needs 9.28
    exact, of both counts: 1.9e-22 there, needs 8.79

    Cost: 0.05 s at eps = 1, delta = 1e-6.

    Source: GhaziKumarManurangsiPagh2020, section 3.
    """
    noise = correlated_counting_noise(eps=eps, delta=delta, share=share)
    target, bits = as_fraction(delta, name="delta"), as_relative_bits(relative_bits)
    if target == 1:
        raise InvalidValueError("delta=1 holds without noise of both counts. Pass delta below 1.")
    exp_eps = read_privacy_level(eps=eps, exp_eps=None).real
    left = Real.exp(Real.log(exp_eps) * as_fraction(share, name="share"))

    def of_one(r: Real, accuracy: int) -> Interval:
        if r == _NOTHING:
            return Interval.around(1, relative_bits=1)
        return engine_of(shift_profile(NegativeBinomial(r, noise.p2)).source).bracket(left, accuracy).delta

    def of_both(r: Real, accuracy: int) -> Interval:
        if r == _NOTHING:  # what G1 gives away at its least outcome
            return enclose_real(1 - noise.p1, relative_bits=accuracy)
        return CorrelatedView(noise.p1, noise.p2, r).enclose_delta(exp_eps, accuracy)[0]

    rate = _chernoff_rate(noise.p2)
    closed = (
        ("theorem", Real(target), noise.r),
        ("Chernoff's bound", Real.exp(noise.r * rate), Real.log(1 / target) / (0 - rate)),
    )
    exact = (("exact, of the noise of both counts", of_one), ("exact, of both counts", of_both))
    return tuple(
        _row(name, enclose_real(value, relative_bits=bits), noise.r, enclose_real(needed, relative_bits=bits))
        for name, value, needed in closed
    ) + tuple(_row(name, of(noise.r, bits), noise.r, _needed(of, noise.r, target)) for name, of in exact)


def _chernoff_rate(p: Real) -> Real:
    """Return f with P[W <= c E[W]] <= e^(r f), c = 1/6."""
    v = p / (1 - p)
    q = (1 + _MEAN_SHARE * v) / (1 + v)
    return Real.log(q) + _MEAN_SHARE * v * Real.log(q / _MEAN_SHARE)


def _needed(delta_of: _OfShape, theorem: Real, target: Fraction) -> Interval:
    """Bisect the least r that is enough, between 0 and the theorem's."""

    def holds(steps: int) -> bool:
        for bits in _DECIDING_BITS:
            if (order := delta_of(Real(steps * _STEP), bits).compare(target)) is not None:
                return order <= 0
        raise UndecidedError(f"a row and delta={short(target)} agree to {bits} bits. Use another delta.")

    if holds(0):
        return Interval.around(0, relative_bits=1)
    enough = bisect(0, (enclose_real(theorem, relative_bits=64).hi / _STEP).__ceil__(), holds)
    return Interval.between((enough - 1) * _STEP, enough * _STEP, bits=64)


def _row(name: str, delta: Interval, theorem: Real, needed: Interval) -> SlackRow:
    """Return a row, with how many times more the theorem takes; None where less than a step is needed."""
    shape, (least, most) = enclose_real(theorem, relative_bits=DEFAULT_RELATIVE_BITS), fraction_ends(needed)
    ratio = Interval.between(shape.lo / most, shape.hi / least, bits=64) if least else None
    return SlackRow(name, delta, needed, ratio)
