"""What exact calibration saves against a published constant: the noise, its standard deviation, and the error.

Each quantity is given by the theorem's parameter and by the calibrated one, with the factor between the two. The
theorem's accuracy is its own alpha; the calibrated one is the optimal accuracy, which is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Final

from exactdp.errors import HypothesisError, UndecidedError
from exactdp.laws.lattice import LatticeLaw, as_number
from exactdp.laws.registry import FAMILIES, family_of
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact
from exactdp.numbers.interval import Interval, fraction_ends
from exactdp.protocols.accuracy.optimal import optimal_accuracy
from exactdp.protocols.almost_central.almost_central_protocol import AlmostCentralSum, almost_central_sum
from exactdp.protocols.counting.correlated_counting_protocol import CorrelatedCounting
from exactdp.protocols.counting.counting_theorem import correlated_counting_noise, negative_binomial_mechanism
from exactdp.protocols.flooded.flooding_protocol import Flooding
from exactdp.protocols.protocol import AdditiveProtocol, ShuffleProtocol
from exactdp.protocols.thresholded.sample_and_threshold_protocol import SampleAndThreshold
from exactdp.protocols.zsum_and_histogram.zsum_theorem import zsum_accuracy, zsum_rounded_gamma, zsum_theorem_accuracy
from exactdp.studies.calibration.calibrated import Calibration
from exactdp.studies.calibration.families import EVEN_SHARE, Protocol

Number = Fraction | Interval

_GUARD_BITS: Final = 8
"""A root is computed to a little more than it is shown to."""


@dataclass(frozen=True, slots=True)
class Saving:
    """One quantity: by the theorem, None where there is none, and as calibrated, None where it is not known."""

    name: str
    theorem: Number | None
    exact: Number | None

    @property
    def factor(self) -> Interval | None:
        """The theorem's value over the calibrated one."""
        return factor(self.theorem, self.exact)


@dataclass(frozen=True, slots=True)
class Savings:
    """All quantities, and where no theorem is compared why not."""

    rows: tuple[Saving, ...]
    note: str | None


def factor(published: Number | None, exact: Number | None) -> Interval | None:
    """Enclose the quotient of two positive numbers; None where one is missing, or may be 0."""
    if published is None or exact is None:
        return None
    (low, high), (least, most) = fraction_ends(published), fraction_ends(exact)
    return Interval.between(low / most, high / least, bits=DEFAULT_RELATIVE_BITS) if least > 0 else None


def _root(value: Number) -> Interval:
    """Enclose the square root of a number of at least 0."""
    low, high = fraction_ends(value)
    scale = 2**DEFAULT_RELATIVE_BITS * (max(1, (1 / high).__ceil__()) if high else 1)
    below, above = isqrt((low * scale**2).__floor__()), isqrt((high * scale**2).__ceil__()) + 1
    return Interval.between(Fraction(below, scale), Fraction(above, scale), bits=DEFAULT_RELATIVE_BITS + _GUARD_BITS)


def savings(
    calibration: Calibration,
    *,
    eps: Fraction | LogRational,
    delta: Fraction,
    beta: Fraction,
    share: Exact = EVEN_SHARE,
) -> Savings:
    """Return what a calibration saves, for zsum and the counting protocols; for others the calibrated values alone.

    Args:
        calibration: what holds, and what the parameter is.
        eps, delta: what it was asked for.
        beta: probability of an error above alpha.
        share: of correlated counting, the share of eps that it was asked for.
    """
    protocol = calibration.protocol
    if isinstance(protocol, Flooding) or calibration.name == "dummies" or getattr(protocol, "bins", 1) > 1:
        row = Saving(calibration.name, None, calibration.parameter)
        return Savings((row,), "no theorem gives constants for this noise at one (eps, delta).")
    if isinstance(protocol, ShuffleProtocol):
        return _response(calibration, protocol, beta)
    if isinstance(protocol, SampleAndThreshold):
        rows = (Saving(calibration.name, None, calibration.parameter), Saving("alpha", None, _optimal(protocol, beta)))
        return Savings(rows, "the published threshold belongs to the rate alpha (1 - e^-eps).")
    if isinstance(protocol, CorrelatedCounting):
        return _correlated(protocol, eps, delta, beta, share)
    if isinstance(protocol, AlmostCentralSum):
        return _almost_central(protocol, eps, delta, beta)
    is_binomial = family_of(protocol.noise) == FAMILIES["binomial"]
    if calibration.name == "gamma" and is_binomial and protocol.n is not None:
        return _zsum(calibration.parameter, protocol, protocol.n, eps, delta, beta)
    if protocol.noise.lattice is not None:
        return _noise(calibration, protocol.noise.lattice, eps, delta)
    row = Saving(calibration.name, None, calibration.parameter)
    return Savings((row,), "no theorem is compared for a finite noise law.")


def _zsum(
    exact: Fraction, protocol: AdditiveProtocol, n: int, eps: Fraction | LogRational, delta: Fraction, beta: Fraction
) -> Savings:
    note, gamma, alpha = None, None, None
    try:
        gamma = zsum_rounded_gamma(n, eps=eps, delta=delta)
        alpha = _theorem_alpha(n, gamma, eps, delta, beta)
    except HypothesisError as error:
        note = str(error)

    def both(name: str, value: Callable[[Fraction], Number]) -> Saving:
        return Saving(name, None if gamma is None else value(gamma), value(exact))

    rows = (
        both("gamma", lambda g: g),
        both("n gamma", lambda g: n * g),
        both("standard deviation", lambda g: _root(n * g * (1 - g))),
        Saving("alpha", alpha, _optimal(protocol, beta)),
    )
    return Savings(rows, note)


def _theorem_alpha(n: int, gamma: Fraction, eps: Fraction | LogRational, delta: Fraction, beta: Fraction) -> Number:
    """Return the theorem's alpha, or for a beta below delta^25 the one that holds for every beta."""
    try:
        return zsum_theorem_accuracy(n, eps=eps, delta=delta, beta=beta)
    except HypothesisError:
        return zsum_accuracy(n, gamma=gamma, beta=beta)


def _optimal(protocol: Protocol, beta: Fraction) -> Number | None:
    try:
        return optimal_accuracy(protocol, beta=beta)
    except UndecidedError:
        return None


def _response(calibration: Calibration, protocol: ShuffleProtocol, beta: Fraction) -> Savings:
    flip, n = calibration.parameter, protocol.n
    rows = [Saving(calibration.name, None, flip)]
    if calibration.name == "flip" and protocol.analyzer is not None:
        deviation = _root(n * flip * (1 - flip) / (1 - 2 * flip) ** 2)
        rows += [Saving("standard deviation", None, deviation), Saving("alpha", None, _optimal(protocol, beta))]
    return Savings(tuple(rows), "no theorem is compared for a shuffled randomizer.")


def _correlated(
    protocol: CorrelatedCounting, eps: Fraction | LogRational, delta: Fraction, beta: Fraction, share: Exact
) -> Savings:
    """The error is the same: both have the same p1."""
    note, published = None, None
    try:
        noise = correlated_counting_noise(eps=eps, delta=delta, share=share)
        published = CorrelatedCounting(protocol.n, p1=noise.p1, p2=noise.p2, r=noise.r)
    except HypothesisError as error:
        note = str(error)

    def both(name: str, value: Callable[[CorrelatedCounting], Number | None]) -> Saving:
        return Saving(name, None if published is None else value(published), value(protocol))

    rows = (
        both("r", lambda one: as_number(one.r)),
        both("noise messages of a user", lambda one: one.noise_messages),
        both("standard deviation", lambda one: _root(one.error.variance)),
        both("alpha", lambda one: _optimal(one, beta)),
    )
    return Savings(rows, note)


def _almost_central(
    protocol: AlmostCentralSum, eps: Fraction | LogRational, delta: Fraction, beta: Fraction
) -> Savings:
    """The error is the theorem's where p is; what falls is the number of messages."""
    note, published = None, None
    try:
        published = almost_central_sum(protocol.n, bound=protocol.bound, eps=eps, delta=delta)
    except HypothesisError as error:
        note = str(error)

    def both(name: str, value: Callable[[AlmostCentralSum], Number | None]) -> Saving:
        return Saving(name, None if published is None else value(published), value(protocol))

    rows = (
        both("r", lambda one: as_number(one.common[-1][0])),
        both("noise messages of a user", lambda one: one.noise_messages),
        both("standard deviation", lambda one: _root(one.error.variance)),
        both("alpha", lambda one: _optimal(one, beta)),
    )
    return Savings(rows, note)


def _noise(calibration: Calibration, law: LatticeLaw, eps: Fraction | LogRational, delta: Fraction) -> Savings:
    published, note = None, "no theorem is compared for this noise."
    if calibration.name == "r" and family_of(law) == FAMILIES["negative-binomial"]:
        try:
            published, note = negative_binomial_mechanism(eps=eps, delta=delta), ""
        except HypothesisError as error:
            note = str(error)
    rows = (
        Saving(calibration.name, None if published is None else as_number(published.r), calibration.parameter),
        Saving("mean", None if published is None else published.mean, law.mean),
        Saving("standard deviation", None if published is None else _root(published.variance), _root(law.variance)),
    )
    return Savings(rows, note or None)
