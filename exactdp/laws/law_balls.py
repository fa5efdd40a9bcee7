"""The laws of the package in balls: weights and tails at any size, at whatever precision is set.

Weights are closed forms. Tails come from the generating function (:mod:`exactdp.laws.contour`), except where a
closed form (geometric, discrete Laplace) or the incomplete beta function (a negative binomial law with few summands,
whose generating function has no peak) gives them in one evaluation.

Those of the continuous Laplace law are without cancellation at any size.

Source: Johansson2017, section 3; DworkRoth2014, Definition 3.2.

Noise laws on the integers at any size, to any relative accuracy: the way out of ball arithmetic
------------------------------------------------------------------------------------------------

A law in balls answers at whatever precision is set. These functions raise the
precision until the accuracy asked for is reached, and let nothing but Intervals out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final, Protocol

import flint
from flint import acb, arb

from exactdp.caching import cached_property
from exactdp.laws.contour import GeneratingFunction, LawInBalls, Tilt, contour_tail, contour_weight, dyadic
from exactdp.numbers.balls import (
    MAX_LOST_BITS_OF_A_VALUE,
    at_precision,
    check_lost_bits,
    enclose_real,
    enclosed,
    precision,
    proved_sign,
    rational_ball,
    real_ball,
)
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real

_CHOICE_BITS: Final = 192
"""Accuracy of what only chooses a tilt: three words."""

_FEW_SUMMANDS: Final = 48
"""With no more summands the generating function of a negative binomial law has no peak."""


class EnclosedLaw(LawInBalls, Protocol):
    """The probabilities of a law; ``pmf`` asks for k inside its ends."""

    def pmf(self, k: int) -> arb:
        """P[Y = k]."""
        ...

    def cdf(self, k: int) -> arb:
        """P[Y <= k]."""
        ...

    def sf(self, k: int) -> arb:
        """P[Y > k]."""
        ...


@dataclass(frozen=True)
class _ByContour(GeneratingFunction):
    """Tails from the generating function: the shorter one, or 1 less the shorter one."""

    def cdf(self, k: int) -> arb:
        return self._lower(k) if k <= self.mean else 1 - self._upper(k + 1)

    def sf(self, k: int) -> arb:
        return self._upper(k + 1) if k + 1 >= self.mean else 1 - self._lower(k)

    def _lower(self, k: int) -> arb:
        """P[Y <= k] for k at most the mean."""
        return arb(0) if self.low is not None and k < self.low else contour_tail(self, k, upper=False)

    def _upper(self, k: int) -> arb:
        """P[Y >= k] for k at least the mean."""
        return arb(0) if self.high is not None and k > self.high else contour_tail(self, k, upper=True)


@dataclass(frozen=True)
class EnclosedBinomial(_ByContour):
    """Bin(n, p) with 0 < p < 1; F(z) = (1 - p + p z)^n."""

    n: int
    p: Fraction

    low = 0

    @property
    def high(self) -> int:
        return self.n

    @property
    def lost_bits(self) -> int:
        return self.n.bit_length()

    @cached_property
    def mean(self) -> Fraction:
        return self.n * self.p

    def tilt(self, mean: Fraction) -> Tilt:
        chance = mean / self.n
        with precision(_CHOICE_BITS + 2 * self.lost_bits):
            log = dyadic(rational_ball(chance * (1 - self.p) / ((1 - chance) * self.p)).log())
        return Tilt.of(log, mean * (1 - chance))

    @at_precision
    def _chances(self) -> tuple[arb, arb]:
        return rational_ball(1 - self.p), rational_ball(self.p)

    def value(self, log_z: acb) -> acb:
        return _power(self._chances, self.n, log_z.exp())

    def pmf(self, k: int) -> arb:
        choose = arb(self.n + 1).lgamma() - arb(k + 1).lgamma() - arb(self.n - k + 1).lgamma()
        p = rational_ball(self.p)
        return (choose + k * p.log() + (self.n - k) * (-p).log1p()).exp()


@dataclass(frozen=True)
class EnclosedBinomialSum(_ByContour):
    """Bin(n1, p1) + Bin(n2, p2) with more than one outcome."""

    n1: int
    p1: Fraction
    n2: int
    p2: Fraction

    @property
    def low(self) -> int:
        return self.n1 * (self.p1 == 1) + self.n2 * (self.p2 == 1)

    @property
    def high(self) -> int:
        return self.n1 * (self.p1 > 0) + self.n2 * (self.p2 > 0)

    @property
    def lost_bits(self) -> int:
        return (self.n1 + self.n2).bit_length() + 2

    @cached_property
    def mean(self) -> Fraction:
        return self.n1 * self.p1 + self.n2 * self.p2

    def tilt(self, mean: Fraction) -> Tilt:
        """Solve n1 p1 r / (q1 + p1 r) + n2 p2 r / (q2 + p2 r) = mean, a quadratic equation in r."""
        q1, q2 = 1 - self.p1, 1 - self.p2
        square = (self.n1 + self.n2 - mean) * self.p1 * self.p2
        mixed = self.p1 * q2, self.p2 * q1
        linear = (self.n1 - mean) * mixed[0] + (self.n2 - mean) * mixed[1]
        constant = mean * q1 * q2
        with precision(_CHOICE_BITS + 2 * self.lost_bits):
            root = rational_ball(linear * linear + 4 * square * constant).sqrt()
            big = root + rational_ball(abs(linear))
            radius = big / rational_ball(2 * square) if linear < 0 else rational_ball(2 * constant) / big
            log, r = dyadic(radius.log()), dyadic(radius)
        variance = Fraction(0)
        for n, p in ((self.n1, self.p1), (self.n2, self.p2)):
            chance = p * r / (1 - p + p * r)
            variance += n * chance * (1 - chance)
        return Tilt.of(log, variance)

    @at_precision
    def _chances(self) -> tuple[tuple[arb, arb], tuple[arb, arb]]:
        first, second = ((rational_ball(1 - p), rational_ball(p)) for p in (self.p1, self.p2))
        return first, second

    def value(self, log_z: acb) -> acb:
        z, (first, second) = log_z.exp(), self._chances
        return _power(first, self.n1, z) * _power(second, self.n2, z)

    def pmf(self, k: int) -> arb:
        return contour_weight(self, k)


@dataclass(frozen=True)
class EnclosedPoisson(_ByContour):
    """Poisson(mu), mu > 0; F(z) = e^(mu (z - 1))."""

    mu: Real

    low = 0
    high = None

    @property
    def lost_bits(self) -> int:
        return 8 + self.mean.__ceil__().bit_length()

    @cached_property
    def mean(self) -> Fraction:
        return _near(self.mu)

    def tilt(self, mean: Fraction) -> Tilt:
        with precision(_CHOICE_BITS + 2 * self.lost_bits):
            return Tilt.of(dyadic(rational_ball(mean / self.mean).log()), mean)

    @at_precision
    def _mean(self) -> arb:
        return real_ball(self.mu)

    def value(self, log_z: acb) -> acb:
        return (self._mean * (log_z.exp() - 1)).exp()

    def pmf(self, k: int) -> arb:
        mu = real_ball(self.mu)
        return (k * mu.log() - mu - arb(k + 1).lgamma()).exp()


@dataclass(frozen=True)
class EnclosedNegativeBinomial(_ByContour):
    """NB(r, p), r > 0 and 0 < p < 1: weights C(r+t-1, t) (1-p)^r p^t; F(z) = ((1-p) / (1-pz))^r."""

    r: Real
    p: Real

    low = 0
    high = None

    @property
    def lost_bits(self) -> int:
        return 16 + self.mean.__ceil__().bit_length()

    @cached_property
    def _near(self) -> tuple[Fraction, Fraction]:
        """Numbers near r and p, the second not below p and below 1."""
        return _near(self.r), 1 - _near_below(1 - self.p)

    @cached_property
    def mean(self) -> Fraction:
        r, p = self._near
        return r * p / (1 - p)

    def tilt(self, mean: Fraction) -> Tilt:
        r, p = self._near
        tilted = mean / (r + mean)  # p times the radius
        with precision(_CHOICE_BITS + 2 * self.lost_bits):
            return Tilt.of(dyadic(rational_ball(tilted / p).log()), mean / (1 - tilted))

    @at_precision
    def _balls(self) -> tuple[arb, arb]:
        return real_ball(self.r), real_ball(self.p)

    def value(self, log_z: acb) -> acb:
        r, p = self._balls
        if not p * log_z.real.exp() < 1:
            return acb(arb.nan())  # at or beyond the pole, or not known to be inside
        return (((1 - p) / (1 - p * log_z.exp())).log() * r).exp()

    def pmf(self, k: int) -> arb:
        r, p = real_ball(self.r), real_ball(self.p)
        log_choose = (r + k).lgamma() - r.lgamma() - arb(k + 1).lgamma()
        return (log_choose + r * (-p).log1p() + k * p.log()).exp()

    def _lower(self, k: int) -> arb:
        if k < 0 or self._near[0] > _FEW_SUMMANDS:
            return _ByContour._lower(self, k)
        return (1 - real_ball(self.p)).beta_lower(real_ball(self.r), arb(k + 1), regularized=True)

    def _upper(self, k: int) -> arb:
        if k <= 0 or self._near[0] > _FEW_SUMMANDS:
            return _ByContour._upper(self, k) if k > 0 else arb(1)
        return real_ball(self.p).beta_lower(arb(k), real_ball(self.r), regularized=True)


@dataclass(frozen=True)
class EnclosedDiscreteGaussian(_ByContour):
    """Weights proportional to e^(-t^2 / (2 s)), s > 0: F is a theta function, a product of 1 + c z and 1 + c / z.

    With ``times`` it is the law of the sum of so many independent outcomes, and F its power.
    """

    sigma_squared: Fraction
    times: int = 1

    low = None
    high = None
    mean = Fraction(0)

    @property
    def lost_bits(self) -> int:
        return 7 + self.times.bit_length()

    def tilt(self, mean: Fraction) -> Tilt:
        return Tilt.of(mean / (self.times * self.sigma_squared), self.times * self.sigma_squared)

    @at_precision
    def _balls(self) -> tuple[arb, arb]:
        return rational_ball(self.sigma_squared), _gaussian_total(self.sigma_squared, flint.ctx.prec)

    def value(self, log_z: acb) -> acb:
        """Sum e^(-t^2/(2s)) z^t around its largest term, over the same at z = 1."""
        s, total = self._balls
        middle = (log_z.real * s).mid().floor().unique_fmpz() or 0
        shifted = log_z - arb(middle) / s
        front = log_z * middle - arb(middle * middle) / (2 * s)
        one = front.exp() * _gaussian_sum(self.sigma_squared, shifted) / total
        return one if self.times == 1 else one**self.times

    def pmf(self, k: int) -> arb:
        if self.times > 1:
            return contour_weight(self, k)
        total = _gaussian_total(self.sigma_squared, flint.ctx.prec)
        return (-arb(k * k) / (2 * rational_ball(self.sigma_squared))).exp() / total


@dataclass(frozen=True)
class EnclosedGeometric:
    """Weights (1 - p) p^t for t >= 0, 0 < p < 1."""

    p: Real

    low = 0
    high = None
    lost_bits = 16

    def pmf(self, k: int) -> arb:
        p = real_ball(self.p)
        return (1 - p) * p**k

    def cdf(self, k: int) -> arb:
        return arb(0) if k < 0 else -((k + 1) * real_ball(self.p).log()).expm1()

    def sf(self, k: int) -> arb:
        return arb(1) if k < 0 else real_ball(self.p) ** (k + 1)


@dataclass(frozen=True)
class EnclosedDiscreteUniform:
    """Equal weights on the integers from ``low`` to ``high``."""

    low: int
    high: int

    lost_bits = 8

    def pmf(self, k: int) -> arb:
        return self._share(1)

    def cdf(self, k: int) -> arb:
        return self._share(k - self.low + 1)

    def sf(self, k: int) -> arb:
        return self._share(self.high - k)

    def _share(self, outcomes: int) -> arb:
        """The probability of so many outcomes, of none or all where there are not so many."""
        size = self.high - self.low + 1
        return arb(min(max(outcomes, 0), size)) / size


@dataclass(frozen=True)
class EnclosedDiscreteLaplace:
    """Weights (1 - a) / (1 + a) a^abs(t), with a = 1 / exp_eps, 0 < a < 1."""

    exp_eps: Real

    low = None
    high = None
    lost_bits = 16

    def pmf(self, k: int) -> arb:
        a = 1 / real_ball(self.exp_eps)
        return (1 - a) / (1 + a) * a ** abs(k)

    def cdf(self, k: int) -> arb:
        return self.sf(-k - 1)

    def sf(self, k: int) -> arb:
        a = 1 / real_ball(self.exp_eps)
        return a ** (k + 1) / (1 + a) if k >= -1 else 1 - a**-k / (1 + a)


def _gaussian_sum(sigma_squared: Fraction, log_z: acb) -> acb:
    """The sum over all integers t of e^(-t^2 / (2 s)) z^t."""
    period = acb(0, 1) / (2 * arb.pi() * rational_ball(sigma_squared))
    return acb.modular_theta(log_z / acb(0, 2 * arb.pi()), period)[2]


def gaussian_variance(sigma_squared: Fraction) -> arb:
    """The variance of the discrete Gaussian law, by the sum of t^2 or, for s >= 1, by its Fourier dual.

    With D(s) the sum of e^(-2 pi^2 s m^2) over all integers m, Poisson summation gives the sum of e^(-t^2/(2s)) as
    sqrt(2 pi s) D(s); the variance is 2 s^2 times its logarithmic derivative, s + 2 s^2 D'(s) / D(s).
    """
    s = rational_ball(sigma_squared)
    dual = sigma_squared >= 1
    rate = 2 * arb.pi() ** 2 * s if dual else 1 / (2 * s)
    total, moment, t = arb(1), arb(0), 1
    while True:
        weight = 2 * (-rate * t * t).exp()
        total, moment = total + weight, moment + t * t * weight
        if weight.abs_upper() < arb(2) ** (-flint.ctx.prec - 64) * (moment.abs_lower() + 1):
            break
        t += 1
    rest = arb(0).union(weight * t * t)  # the weights t^2 e^(-rate t^2) fall by more than half from each t to the next
    moment += rest
    ratio = moment / (total + arb(0).union(weight))
    return s - 4 * arb.pi() ** 2 * s * s * ratio if dual else ratio


@lru_cache(maxsize=8)
def _gaussian_total(sigma_squared: Fraction, bits: int) -> arb:
    """The same at z = 1, at the precision ``bits`` that is set."""
    return _gaussian_sum(sigma_squared, acb(0)).real


def _power(chances: tuple[arb, arb], n: int, z: acb) -> acb:
    """(1 - p + p z)^n, of 1 - p and p."""
    rest, p = chances
    return ((z * p + rest).log() * n).exp()  # a complex number first: the other order takes five times as long


def _near(value: Real) -> Fraction:
    """Return a rational number near a positive real one."""
    if value.is_rational:
        return value.coefficient
    with precision(_CHOICE_BITS):
        return dyadic(real_ball(value))


def _near_below(value: Real) -> Fraction:
    """Return a positive rational number near a positive real one and not above it."""
    return value.coefficient if value.is_rational else enclose_real(value, relative_bits=_CHOICE_BITS).lo


def enclose_outside(rate: Real, coordinates: int, relative_bits: int) -> Interval:
    """Enclose 1 - (1 - e^-rate)^coordinates for rate > 0."""

    def outside() -> arb:
        return -(coordinates * (-(-real_ball(rate)).exp()).log1p()).expm1()

    return enclosed(outside, relative_bits)


def enclose_radius(scale: Real, beta: Real, coordinates: int, relative_bits: int) -> Interval:
    """Enclose the r with 1 - (1 - e^(-r / scale))^coordinates = beta, for beta in (0, 1)."""

    def radius() -> arb:
        each = -((-real_ball(beta)).log1p() / coordinates).expm1()
        return -real_ball(scale) * each.log()

    return enclosed(radius, relative_bits)


def enclose_shift_delta(ratio: Real, exp_eps: Real, relative_bits: int) -> Interval:
    """Enclose 1 - exp((ln(exp_eps) - ratio) / 2) for ln(exp_eps) below ratio."""
    return enclosed(lambda: -((real_ball(exp_eps).log() - real_ball(ratio)) / 2).expm1(), relative_bits)


_FEW_WEIGHTS: Final = 16
"""So many weights are added one by one rather than as a difference of tails."""


def enclose_pmf(law: EnclosedLaw, k: int, relative_bits: int) -> Interval:
    """Enclose P[Y = k] for k inside the support."""
    return enclosed(lambda: law.pmf(k), relative_bits, lost_bits=law.lost_bits, most=MAX_LOST_BITS_OF_A_VALUE)


def enclose_sum_of_products(terms: Sequence[Sequence[tuple[EnclosedLaw, int]]], relative_bits: int) -> Interval:
    """Enclose the sum of products of P[Y = k], for k inside the supports; there is at least one term."""
    laws = dict.fromkeys(law for factors in terms for law, _ in factors)

    def total() -> arb:
        weights: dict[tuple[EnclosedLaw, int], arb] = {}
        value = arb(0)
        for factors in terms:
            product = arb(1)
            for law, k in factors:
                if (law, k) not in weights:
                    weights[law, k] = law.pmf(k)
                product *= weights[law, k]
            value += product
        return value

    return enclosed(total, relative_bits, lost_bits=sum(law.lost_bits for law in laws), most=MAX_LOST_BITS_OF_A_VALUE)


def compare_weights(law: EnclosedLaw, t: int, u: int, bound: Real, bits: int) -> int | None:
    """Return the sign of P[Y = t] - bound P[Y = u], or None where ``bits`` of precision do not decide it."""
    check_lost_bits(law.lost_bits)
    with precision(bits + law.lost_bits):
        return proved_sign(law.pmf(t) - real_ball(bound) * law.pmf(u)) or None


def check_searchable(law: EnclosedLaw | None) -> None:
    """Refuse a law so wide that comparing many of its values would take minutes."""
    if law is not None:
        check_lost_bits(law.lost_bits)


def enclose_gaussian_variance(sigma_squared: Fraction, relative_bits: int) -> Interval:
    """Enclose the variance of the discrete Gaussian law."""
    return enclosed(lambda: gaussian_variance(sigma_squared), relative_bits)


def enclose_tail(law: EnclosedLaw, k: int, relative_bits: int, *, upper: bool) -> Interval:
    """Enclose P[Y > k] (``upper``) or P[Y <= k], where neither is 0."""
    return enclosed(
        lambda: law.sf(k) if upper else law.cdf(k),
        relative_bits,
        lost_bits=law.lost_bits,
        most=MAX_LOST_BITS_OF_A_VALUE,
    )


def enclose_half_line(
    law: EnclosedLaw, end: int, shift: int, exp_eps: Real, relative_bits: int, *, upper: bool = False
) -> Interval:
    """Enclose P[Y <= end] - E P[Y + shift <= end], or P[Y + shift >= end] - E P[Y >= end] (``upper``).

    The value must not be 0.
    """
    inner, steps = (end - shift, range(end - shift + 1, end + 1)) if not upper else (end - 1, range(end - shift, end))

    def difference() -> arb:
        level = real_ball(exp_eps)
        smaller = law.sf(inner) if upper else law.cdf(inner)
        if shift > _FEW_WEIGHTS:
            larger = law.sf(end - shift - 1) if upper else law.cdf(end)
            return larger - level * smaller
        return sum((_weight(law, t) for t in steps), arb(0)) + (1 - level) * smaller

    return enclosed(difference, relative_bits, lost_bits=law.lost_bits + 8)


def enclose_falling(law: EnclosedLaw, last: int | None, shift: int, exp_eps: Real, relative_bits: int) -> Interval:
    """Enclose P[shift <= Y + shift <= last] - E P[shift <= Y <= last] for Y >= 0; the value must not be 0.

    ``last`` None stands for no end.
    """

    def difference() -> arb:
        level, beyond = real_ball(exp_eps), law.sf(shift - 1)
        if last is None:
            return 1 - level * beyond
        return law.cdf(last - shift) - level * (beyond - law.sf(last))

    return enclosed(difference, relative_bits, lost_bits=law.lost_bits + 8)


def _weight(law: EnclosedLaw, k: int) -> arb:
    inside = (law.low is None or k >= law.low) and (law.high is None or k <= law.high)
    return law.pmf(k) if inside else arb(0)
