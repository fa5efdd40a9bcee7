"""The continuous Laplace law: density e^(-abs(t) / b) / (2 b) on the real line, b the scale.

**What it hides.** A real query of sensitivity s plus this noise has, at every eps >= 0, the least delta

    delta(eps) = max(0, 1 - e^((eps - s/b) / 2)),    so that    eps(delta) = max(0, s/b + 2 ln(1 - delta)).

*Proof.* Let p be the density of the noise, q that of the noise moved by v, 0 < v <= s, and E = e^eps. The logarithm
of p(t) / q(t) is (abs(t - v) - abs(t)) / b: v/b for t <= 0, (v - 2t) / b from 0 to v, -v/b from v on. It does not rise.
For eps >= v/b it is nowhere above eps, and the divergence is 0. For eps < v/b it is above eps where t < c with
c = (v - b eps) / 2, which lies in (0, v/2]. The noise is below c with probability 1 - e^(-c/b) / 2, and the noise moved
by v with probability e^(-(v - c)/b) / 2, where v - c = c + b eps. So the divergence is

    1 - e^(-c/b) / 2 - E e^(-c/b) e^-eps / 2 = 1 - e^(-c/b) = 1 - e^((eps - v/b) / 2),

which rises with v: the largest move is worst. The other order is its mirror image. QED.

For a query of k coordinates and l1 sensitivity s the noise is (s/b)-DP as well; delta at a smaller eps is proved here
for one coordinate only.

**How much it errs.** abs(Y) > r with probability e^(-r/b), and so does one of k independent coordinates with the
probability 1 - (1 - e^(-r/b))^k. At r = b ln(k/beta) this is 1 - (1 - beta/k)^k, at most beta by Bernoulli's
inequality, and less for k >= 2.

**What a computer draws.** These are statements about real numbers. A sampler that draws Laplace noise in floating
point, for example -b sign(u) ln(1 - 2 abs(u)), reaches only some floats, and from neighbouring data sets it reaches
different ones: some outputs tell the two apart, and the mechanism is eps-DP for no eps (Mironov 2012). So nothing here
draws from this law; :meth:`Laplace.on_grid` gives the noise to draw in its place, on the multiples of a step, with its
own proof.

Source: DworkRoth2014, Definition 3.2 and Theorems 3.6 and 3.8; Mironov2012.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import ClassVar, Final

from exactdp.errors import InvalidValueError
from exactdp.laws.discrete_laplace import DiscreteLaplace
from exactdp.laws.lattice import as_number
from exactdp.laws.law_balls import enclose_outside, enclose_radius
from exactdp.numbers.balls import compare_reals, enclose_real
from exactdp.numbers.exact import (
    DEFAULT_RELATIVE_BITS,
    Exact,
    as_fraction,
    as_integer,
    as_probability,
    as_relative_bits,
)
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval
from exactdp.numbers.notebook import facts_html
from exactdp.numbers.real import Real, as_real, read_parameter

_POWER_BITS: Final = 2**12
"""Longest power of a rational number that e^(r/b) is written as: a line or two of digits."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Laplace:
    """The law on the real line with the density e^(-abs(t) / scale) / (2 scale).

    Args:
        scale: above 0: an exact number, or a Real such as ``1 / Real.log(2)``, with which a query of sensitivity 1 is
            (ln 2)-DP.

    It is no law on integers: ``shift_profile(law, shift=s)`` gives the privacy of a real query of sensitivity s, and no
    protocol of counts takes it.

    >>> from exactdp import shift_profile
    >>> noise = Laplace(10)
    >>> noise.sf(50), noise.accuracy("1/20"), shift_profile(noise, shift=1).delta(eps="1/20")
    (Interval[0.003368973499, 0.003368973500], Interval[29.95732273, 29.95732274], Interval[0.0246900879..., 0.0...])
    """

    scale: Fraction | Real

    is_on_integers: ClassVar[bool] = False
    """Its outcomes are real numbers."""
    is_exact: ClassVar[bool] = False
    """Probabilities are enclosed."""
    is_rational: ClassVar[bool] = False
    """Probabilities are irrational, but for a few points."""
    is_log_concave: ClassVar[bool] = True
    """Its logarithm is -abs(t) / scale and a constant."""
    low: ClassVar[None] = None
    """There is no least outcome."""
    high: ClassVar[None] = None
    """There is no greatest outcome."""
    mode: ClassVar[int] = 0
    """The density is largest at 0."""

    def __init__(self, scale: Exact | Real) -> None:
        value = read_parameter(scale, name="scale")
        if compare_reals(value, Fraction(0)) <= 0:
            raise InvalidValueError(f"scale={value} is not above 0. Pass the sensitivity over eps.")
        set_fields(self, scale=value)

    @property
    def mean(self) -> Fraction:
        """E[Y] = 0."""
        return exact_answer(Fraction(0))

    @property
    def variance(self) -> Fraction | Interval:
        """2 scale^2, exact where it is rational."""
        return as_number(2 * self.scale * self.scale)

    def rate(self, distance: Exact | Real) -> Real:
        """Return distance / scale: the eps of a query that moves by this, and the exponent of a tail."""
        number, scale = as_real(distance, name="distance"), as_real(self.scale, name="scale")
        if scale.rest is not None and scale.rest.name == "inverse":  # of a logarithm, mostly: 1 / (1 / x) is x
            factor = Real(1 / scale.coefficient, exponent=-scale.exponent, rest=scale.rest.terms[0].rest)
            return number * factor
        return number / scale

    def exp_rate(self, distance: Exact | Real) -> Real:
        """Return e^(distance / scale); a rational number where that is known and short.

        >>> Laplace(1 / Real.log(2)).exp_rate(3), Laplace(2).exp_rate(1)
        (Real[8], Real[e^(1/2)])
        """
        rate = self.rate(distance)
        rest, times = rate.rest, rate.coefficient
        if rest is not None and rest.name == "log" and not rate.exponent and times.denominator == 1:
            base = rest.terms[0]
            bits = max(base.coefficient.numerator.bit_length(), base.coefficient.denominator.bit_length())
            if abs(times) * bits <= _POWER_BITS:
                return base**times.numerator
        return Real.exp(rate)

    def cdf(self, x: Exact, *, relative_bits: int = DEFAULT_RELATIVE_BITS) -> Interval:
        """Enclose P[Y <= x], for an exact x."""
        return self._tail(-as_fraction(x, name="x"), relative_bits)

    def sf(self, x: Exact, *, relative_bits: int = DEFAULT_RELATIVE_BITS) -> Interval:
        """Enclose P[Y > x], for an exact x."""
        return self._tail(as_fraction(x, name="x"), relative_bits)

    def _tail(self, x: Fraction, relative_bits: int) -> Interval:
        """Enclose P[Y > x], which is P[Y < -x]."""
        half = Real.exp(self.rate(-abs(x))) / 2
        return enclose_real(half if x >= 0 else 1 - half, relative_bits=as_relative_bits(relative_bits))

    def quantile(self, q: Exact, *, relative_bits: int = DEFAULT_RELATIVE_BITS) -> Interval:
        """Enclose the x with P[Y <= x] = q, for 0 < q < 1."""
        level = as_probability(q, name="q")
        if not 0 < level < 1:
            raise InvalidValueError(f"q={short(level)} is not between 0 and 1. Pass a number inside (0, 1).")
        logarithm = Real.log(2 * level) if 2 * level <= 1 else -Real.log(2 - 2 * level)
        return enclose_real(logarithm * self.scale, relative_bits=as_relative_bits(relative_bits))

    def outside(
        self, radius: Exact | Real, *, coordinates: int = 1, relative_bits: int = DEFAULT_RELATIVE_BITS
    ) -> Interval:
        """Enclose the probability that one of independent coordinates is further than ``radius`` >= 0 from 0.

        It is 1 - (1 - e^(-radius / scale))^coordinates, for any number of coordinates.

        >>> Laplace(1).outside(Real.log(200), coordinates=10)
        Interval[0.04888986953, 0.04888986954]
        """
        reach, count = read_parameter(radius, name="radius"), as_integer(coordinates, name="coordinates", at_least=1)
        bits = as_relative_bits(relative_bits)
        if (order := compare_reals(reach, Fraction(0))) < 0:
            raise InvalidValueError(f"radius={reach} is below 0. Pass a distance of at least 0.")
        return enclose_outside(self.rate(reach), count, bits) if order else Interval.around(1, relative_bits=1)

    def accuracy(self, beta: Exact, *, coordinates: int = 1, relative_bits: int = DEFAULT_RELATIVE_BITS) -> Interval:
        """Enclose the least r such that one of the coordinates is further than r from 0 with probability at most beta.

        It is -scale ln(1 - (1 - beta)^(1 / coordinates)).

        Args:
            beta: above 0 and at most 1, exact: the noise has no greatest value.
            coordinates: how many independent coordinates there are, at least 1.
            relative_bits: of the relative accuracy of the Interval.

        >>> Laplace(1).accuracy("1/20", coordinates=10**9), Laplace(1).accuracy_bound("1/20", coordinates=10**9)
        (Interval[23.69346..., 23.69346...], Interval[23.71899..., 23.71899...])
        """
        failure, count = _failure(beta), as_integer(coordinates, name="coordinates", at_least=1)
        bits = as_relative_bits(relative_bits)
        if failure == 1:
            return Interval.around(0, relative_bits=1)
        return enclose_radius(as_real(self.scale, name="scale"), Real(failure), count, bits)

    def accuracy_bound(
        self, beta: Exact, *, coordinates: int = 1, relative_bits: int = DEFAULT_RELATIVE_BITS
    ) -> Interval:
        """Enclose the published radius, scale ln(coordinates / beta), at least that of :meth:`accuracy`.

        It is exceeded with probability 1 - (1 - beta / k)^k, for k coordinates: at most beta, and less for k >= 2.

        Source: DworkRoth2014, Theorem 3.8.
        """
        failure, count = _failure(beta), as_integer(coordinates, name="coordinates", at_least=1)
        radius = Real.log(count / failure) * self.scale
        return enclose_real(radius, relative_bits=as_relative_bits(relative_bits))

    def on_grid(self, step: Exact) -> DiscreteLaplace:
        """Return the noise to draw in the place of this one, in multiples of ``step``: discrete Laplace noise.

        Round the query to a multiple of ``step``, and add ``step`` times a draw of the law. It is another mechanism
        than the one with continuous noise, with a proof of its own: a query that moves by j steps is
        (j step / scale)-DP. Rounding moves a query of sensitivity s by at most ceil(s / step) steps.

        >>> Laplace(10).on_grid("1/100")
        DiscreteLaplace(Real[e^(1/1000)])

        Source: GhoshRoughgardenSundararajan2012, section 2.
        """
        width = as_fraction(step, name="step")
        if width <= 0:
            raise InvalidValueError(f"step={short(width)} is not above 0. Pass the distance of two outputs.")
        return DiscreteLaplace(self.exp_rate(width))

    def _repr_html_(self) -> str:
        """The law as a notebook shows it."""
        facts = {"outcomes": "all real numbers", "mean": "0", "scale": escape(str(self.scale))}
        return facts_html(repr(self), facts)

    def __repr__(self) -> str:
        return f"Laplace({self.scale if isinstance(self.scale, Real) else short(self.scale)!r})"


def _failure(beta: Exact) -> Fraction:
    """Return a probability of a larger error, above 0."""
    failure = as_probability(beta, name="beta")
    if failure == 0:
        raise InvalidValueError("beta=0 is not above 0: Laplace noise has no greatest value. Pass beta above 0.")
    return failure
