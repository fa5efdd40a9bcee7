"""A negative binomial number plus a geometric one: weights, tails and the order of neighbouring weights, in balls.

Let W ~ NB(r, p) with weights w and r >= 1, G geometric with P[G = g] = (1-q) q^g, and Y = W + G. Everything is read off

    T(t) = sum over j <= t of w(j) q^(t-j),   T(t) = q T(t-1) + w(t):

P[Y = t] = (1-q) T(t), P[Y <= t] = P[W <= t] - q T(t), P[Y > t] = P[W > t] + q T(t).

*T(t) itself.* For q > p, with x = p / q: T(t) = q^t ((1-p) / (1-x))^r P[NB(r, x) <= t]. Else it is w(t) S(t), and S(t)
is one of two sums of positive terms: over i = 0, ..., t of (q/p)^i times the product over l < i of (t-l) / (r+t-1-l),
and, by Pfaff's transformation of 2F1(r, -t; r+1; 1 - p/q), with u = 1 - q/p,

    S(t) = (q/p)^(r+t) (r+t) * sum over i >= 0 of (r+t+1)_i u^i / (i! (r+i)).

The second has few terms where q is near p, and while abs(u) < 1 it holds for q > p too. In the first a term is
q (t-i) / (p (r+t-1-i)) times the one before, in the second at most (r+t+i) abs(u) / i times: these factors fall in i,
so that a geometric series bounds what is left out.

*The ratios* rho(t) = P[Y = t] / P[Y = t-1] = T(t) / T(t-1) = q + w(t) / T(t-1) fall in t >= 1 (rho(0) is infinite), and
their limit is max(p, q). As T(t) = q T(t-1) + w(t), rho(t+1) is the mediant of rho(t), T(t) over T(t-1), and of
s(t+1) = w(t+1) / w(t) = p (r+t) / (t+1): it lies between them. And s falls, because r >= 1. So rho(t) > s(t+1) for all
t >= 1, by induction from rho(1) = q + s(1), and rho(t+1) < rho(t): Y is log-concave, strictly.

Source: Johansson2017, section 3 (ball arithmetic).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NamedTuple

import flint
from flint import arb

from exactdp.caching import cached_property
from exactdp.errors import TooLargeError, UndecidedError
from exactdp.kernel.balls import check_lost_bits, compare_reals, precision, proved_sign, real_ball
from exactdp.kernel.contour import dyadic
from exactdp.kernel.law_balls import EnclosedNegativeBinomial
from exactdp.numbers.real import Real

_CHOICE_BITS: Final = 64
"""Accuracy of what only chooses between two sums; doubled until p and q are told from 0 and 1."""

_SIGN_BITS: Final = (64, 256, 1024)
"""Accuracies at which a ratio is compared, one after the other; what the last leaves open is a tie, or nearly one."""

_GUARD_BITS: Final = 8
"""By so many bits what is left out of a sum stays below its rounding."""

_APART: Final = 2**40
"""From q = (1 + 2^-40) p on, 1 - p/q loses no more than 40 bits, and the closed form is used."""

_MAX_TERMS: Final = 2 * 10**6
"""Terms of one sum: some seconds."""

_MAX_OUTCOME: Final = 2**256
"""Ends of events are looked for up to here, beyond every number of messages."""


class Turn(NamedTuple):
    """Where rho falls below a level: it is above up to ``last`` and below after the next, or next but one, integer."""

    last: int
    is_decided: bool
    """Whether rho is below from ``last`` + 1 on; else rho(``last`` + 1) is as near to the level as could be told."""

    @property
    def open(self) -> tuple[int, ...]:
        """The integer at which it is not decided, if any."""
        return () if self.is_decided else (self.last + 1,)

    @property
    def first_below(self) -> int:
        """The least integer from which on rho is proved to be below."""
        return self.last + (1 if self.is_decided else 2)


@dataclass(frozen=True)
class NegativeBinomialPlusGeometric:
    """NB(r, p) plus an independent geometric number of ratio q, for r >= 1 and p, q in (0, 1)."""

    r: Real
    p: Real
    q: Real

    @cached_property
    def first(self) -> EnclosedNegativeBinomial:
        """The law of W."""
        return EnclosedNegativeBinomial(self.r, self.p)

    @cached_property
    def lost_bits(self) -> int:
        """Bits of accuracy that large parameters cost, roughly."""
        lost = self.first.lost_bits + (1 / (1 - self._near[2])).__ceil__().bit_length()
        check_lost_bits(lost)
        return lost

    @cached_property
    def _near(self) -> tuple[Fraction, Fraction, Fraction]:
        """Numbers near r, p and q, for choices."""
        bits = _CHOICE_BITS
        while True:
            with precision(bits):
                r, p, q = (dyadic(real_ball(value)) for value in (self.r, self.p, self.q))
            if 0 < p < 1 and 0 < q < 1:
                return r, p, q
            bits *= 2

    @cached_property
    def _reduced(self) -> EnclosedNegativeBinomial | None:
        """NB(r, p/q), where q is so far above p that T is read off it."""
        _, p, q = self._near
        return EnclosedNegativeBinomial(self.r, self.p / self.q) if (q - p) * _APART > p else None

    def pmf(self, t: int) -> arb:
        """P[Y = t]."""
        return (1 - real_ball(self.q)) * self._convolved(t)

    def weights(self, last: int) -> list[arb]:
        """P[Y = t] for t = 0, ..., ``last``, one from the other."""
        r, p, q = real_ball(self.r), real_ball(self.p), real_ball(self.q)
        weight, total, listed = self.first.pmf(0), arb(0), list[arb]()
        for t in range(last + 1):
            total = q * total + weight
            listed.append((1 - q) * total)
            weight *= p * (r + t) / (t + 1)
        return listed

    def cdf(self, t: int) -> arb:
        """P[Y <= t]."""
        return arb(0) if t < 0 else self.first.cdf(t) - real_ball(self.q) * self._convolved(t)

    def sf(self, t: int) -> arb:
        """P[Y > t]."""
        return arb(1) if t < 0 else self.first.sf(t) + real_ball(self.q) * self._convolved(t)

    def ratio(self, t: int) -> arb:
        """rho(t) for t >= 1."""
        before = self._sum(t - 1) if self._reduced is None else self._convolved(t - 1) / self.first.pmf(t - 1)
        return real_ball(self.q) + real_ball(self.p) * (real_ball(self.r) + (t - 1)) / t / before

    def _convolved(self, t: int) -> arb:
        """T(t)."""
        if t < 0:
            return arb(0)
        if self._reduced is None:
            return self.first.pmf(t) * self._sum(t)
        p, q = real_ball(self.p), real_ball(self.q)
        return q**t * (((1 - p) / (1 - p / q)).log() * real_ball(self.r)).exp() * self._reduced.cdf(t)

    def _sum(self, t: int) -> arb:
        """S(t), where q is not far above p, by the shorter one of its two sums."""
        r, p, q = self._near
        bits = int(flint.ctx.prec)
        direct = t if t == 0 or q * t >= p * (r + t - 1) else min(t, int(bits / (1 - q * t / (p * (r + t - 1)))))
        transformed = 2 * int(abs(p - q) * (r + t + 1) / q) + bits
        if min(direct, transformed) > _MAX_TERMS:
            raise TooLargeError(
                f"a weight at {t} of the noise is a sum of {min(direct, transformed)} terms, more than the limit of "
                f"{_MAX_TERMS}. Ask for another eps, or use p1 and p2 with p1^2 further from p2."
            )
        return self._direct(t) if direct <= transformed else self._transformed(t)

    def _direct(self, t: int) -> arb:
        r, x = real_ball(self.r), real_ball(self.q) / real_ball(self.p)
        tiny = arb(2) ** -(int(flint.ctx.prec) + _GUARD_BITS)
        total = term = arb(1)
        for i in range(t):
            factor = x * (t - i) / (r + (t - 1 - i))
            if factor < 1 and term * factor < tiny * total * (1 - factor):
                return total + (term * factor / (1 - factor)).union(arb(0))
            term *= factor
            total += term
        return total

    def _transformed(self, t: int) -> arb:
        r, x = real_ball(self.r), real_ball(self.q) / real_ball(self.p)
        u, tiny = 1 - x, arb(2) ** -(int(flint.ctx.prec) + _GUARD_BITS)
        term = arb(1)
        total = term / r
        for i in range(1, 4 * _MAX_TERMS):
            factor = (r + t + i) * u / i
            size = abs(term) * abs(factor) / (r + i)
            if abs(factor) < 1 and size < tiny * abs(total) * (1 - abs(factor)):
                rest = size / (1 - abs(factor))
                return ((r + t) * x.log()).exp() * (r + t) * (total + rest.union(-rest))
            term *= factor
            total += term / (r + i)
        return arb.nan()  # the precision is too low to see that the terms fall

    def turn(self, level: Real) -> Turn | None:
        """Return where rho falls below ``level`` > 0; None where it never does."""
        if compare_reals(self.p, level) >= 0 or compare_reals(self.q, level) >= 0:
            return None
        above, below = 0, 1
        while (sign := self._sign(below, level)) > 0:
            above, below = below, 2 * below
            if below > _MAX_OUTCOME:
                raise TooLargeError("the worst event ends beyond 2^256, the limit. Ask for another eps.")
        if sign == 0:
            return self._near_tie(below, level)
        while below - above > 1:
            middle = (above + below) // 2
            sign = self._sign(middle, level)
            if sign == 0:
                return self._near_tie(middle, level)
            above, below = (middle, below) if sign > 0 else (above, middle)
        return Turn(above, True)

    def _near_tie(self, t: int, level: Real) -> Turn:
        """Return the turn at a t that is not decided: rho falls strictly, so its neighbours are."""
        if (t > 1 and self._sign(t - 1, level) <= 0) or self._sign(t + 1, level) >= 0:
            raise UndecidedError(f"neighbouring weights near {t} have the ratio {level}, to {_SIGN_BITS[-1]} bits.")
        return Turn(t - 1, False)

    def _sign(self, t: int, level: Real) -> int:
        """Return the sign of rho(t) - ``level``, for t >= 1; 0 where it is not decided."""
        for bits in _SIGN_BITS:
            with precision(bits + self.lost_bits):
                if sign := proved_sign(self.ratio(t) - real_ball(level)):
                    return sign
        return 0
