"""What each step of the theorem of correlated counting gives away, at the theorem's noise and in noise.

The chain of :mod:`exactdp.protocols.counting.counting_theorem`, with e2 = share * eps and W ~ NB(r, p2): the target
delta bounds Chernoff's e^(r f), that bounds the exact divergence of W against W + 1 at e^e2, and that over 1 + p1
bounds the exact divergence of both counts at e^eps. Every link falls in r: the closed forms plainly, the exact ones
because a larger r is W plus independent noise. So the r that a link needs is the least one.

Source: GhaziKumarManurangsiPagh2020, section 3.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Final

from exactdp.errors import InvalidValueError, UndecidedError
from exactdp.laws.negative_binomial import NegativeBinomial
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.bisection import bisect
from exactdp.numbers.epsilon import LogRational, read_privacy_level
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_fraction, as_relative_bits
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval, fraction_ends
from exactdp.numbers.real import Real
from exactdp.privacy.engine import Engine
from exactdp.privacy.planner import engine_of
from exactdp.protocols.counting.correlated_counts import CorrelatedCounts
from exactdp.protocols.counting.correlated_view import CorrelatedView
from exactdp.protocols.counting.counting_theorem import correlated_counting_noise
from exactdp.protocols.protocol import shift_profile
from exactdp.protocols.zsum_and_histogram.slack import SlackRow

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
        return _delta(engine_of(shift_profile(NegativeBinomial(r, noise.p2)).source), left, accuracy)

    def of_both(r: Real, accuracy: int) -> Interval:
        if r == _NOTHING:  # what G1 gives away at its least outcome
            return enclose_real(1 - noise.p1, relative_bits=accuracy)
        return _delta(CorrelatedCounts(CorrelatedView(noise.p1, noise.p2, r), (1, 0), (0, 1)), exp_eps, accuracy)

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


def _delta(engine: Engine, exp_eps: Real, relative_bits: int) -> Interval:
    return engine.bracket(exp_eps, relative_bits).delta


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
