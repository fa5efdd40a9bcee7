"""The divergences of two counts with correlated noise, in balls.

:mod:`exactdp.protocols.counting.correlated_counts` proves them.

Sums of Y(t) - c Y(t-1) over intervals of t are read off weights and tails of Y. Where a level is tied, or nearly, a
summand that is not decided counts as the larger one of 0 and itself.

The losses of two counts with correlated noise, outcome by outcome: what its runs compose.

By :mod:`exactdp.protocols.counting.correlated_counts` the likelihood ratio of P_S and P_(S+1) is p1 where U - V > S,
and elsewhere Y(t) / (p1 Y(t-1)) for t = U - S: one outcome, and one for each t >= 0. Beyond a last t these ratios are
between their infimum and the larger one of the last ratio and of their limit: they fall, or fall and rise.

A negative binomial number plus a geometric one: weights, tails and the order of neighbouring weights, in balls
---------------------------------------------------------------------------------------------------------------

Let W ~ NB(r, p) with weights w and r > 0, G geometric with P[G = g] = (1-q) q^g, and Y = W + G. Everything is read off

    T(t) = sum over j <= t of w(j) q^(t-j),   T(t) = q T(t-1) + w(t):

P[Y = t] = (1-q) T(t), P[Y <= t] = P[W <= t] - q T(t), P[Y > t] = P[W > t] + q T(t).

*T(t) itself.* For q > p, with x = p / q: T(t) = q^t ((1-p) / (1-x))^r P[NB(r, x) <= t]. Else it is w(t) S(t), and S(t)
is one of two sums of positive terms: over i = 0, ..., t of (q/p)^i times the product over l < i of (t-l) / (r+t-1-l),
and, by Pfaff's transformation of 2F1(r, -t; r+1; 1 - p/q), with u = 1 - q/p,

    S(t) = (q/p)^(r+t) (r+t) * sum over i >= 0 of (r+t+1)_i u^i / (i! (r+i)).

The second has few terms where q is near p, and while abs(u) < 1 it holds for q > p too. In the second a term is at most
(r+t+i) abs(u) / i times the one before, in the first q (t-i) / (p (r+t-1-i)) times: these factors fall in i, the latter
for r >= 1, so that a geometric series bounds what is left out. For r < 1 the product in the first sum is a quotient of
weights a(t-i) / a(t), a(k) = (r)_k / k!, with a(t-i) <= 1 and a(t) >= r/t; so for x = q/p < 1 the terms from i on are
together at most (t/r) x^i / (1-x).

*The ratios* rho(t) = P[Y = t] / P[Y = t-1] = T(t) / T(t-1) = q + w(t) / T(t-1), for t >= 1 (rho(0) is infinite), tend
to max(p, q). As T(t) = q T(t-1) + w(t), rho(t+1) is the mediant of rho(t), T(t) over T(t-1), and of
s(t+1) = w(t+1) / w(t) = p (r+t) / (t+1): it lies between them, strictly where they differ.

For r >= 1 they fall: s does, so rho(t) > s(t+1) for all t >= 1, by induction from rho(1) = q + s(1), and
rho(t+1) < rho(t). Y is log-concave, strictly.

For r < 1 they fall down to a *valley*, and rise from there on. For s rises strictly to p: if rho(t) <= s(t+1), then
rho(t+1) <= s(t+1) < s(t+2) too, and rho(t+2) > rho(t+1) from there on; before, rho(t) > s(t+1) and rho(t+1) < rho(t).
Let v be the least t with rho(t) <= s(t+1). Then rho falls strictly on 1, ..., v, rises strictly on v+1, v+2, ..., and
rho(v) <= rho(v+1). If q >= p there is no such v, because rho(t) > q >= p > s(t+1). If q < p there is one: otherwise rho
would fall to its limit p and stay above it, so that T(t) / p^t would rise; but that is the sum of (w(j) / p^j)
(q/p)^(t-j), whose first factors tend to 0 for r < 1, and it tends to 0.

Source: Johansson2017, section 3 (ball arithmetic).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

import flint
from flint import arb

from exactdp.caching import cached_property
from exactdp.errors import TooLargeError, UndecidedError
from exactdp.laws.contour import dyadic
from exactdp.laws.law_balls import EnclosedNegativeBinomial
from exactdp.numbers.balls import check_lost_bits, compare_reals, enclosed, precision, proved_sign, real_ball
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.composition.law_pairs import MAX_ATOMS
from exactdp.privacy.composition.losses import WORKING_BITS, LossPair

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
    """Where rho is below a level: on one interval, which for r >= 1 has no end."""

    last: int
    """Up to here rho is above the level."""
    first_below: int
    """The least integer from which on rho is proved to be below, if there is one below."""
    last_below: int | None = None
    """The last integer at which it is proved to be below; None if it stays below."""
    again: int | None = None
    """The least integer from which on rho is proved to be above again; None if it stays below."""

    @property
    def open(self) -> tuple[int, ...]:
        """Integers where rho is as near to the level as could be told: between the others, and at most four."""
        second = () if self.again is None or self.last_below is None else range(self.last_below + 1, self.again)
        return (*range(self.last + 1, self.first_below), *second)


@dataclass(frozen=True)
class NegativeBinomialPlusGeometric:
    """NB(r, p) plus an independent geometric number of ratio q, for r > 0 and p, q in (0, 1)."""

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
        direct = t if t == 0 else min(t, self._direct_terms(t))
        transformed = 2 * int(abs(p - q) * (r + t + 1) / q) + int(flint.ctx.prec)
        if min(direct, transformed) > _MAX_TERMS:
            raise TooLargeError(
                f"a weight at {t} of the noise is a sum of {min(direct, transformed)} terms, more than the limit of "
                f"{_MAX_TERMS}. Ask for another eps, or use p1 and p2 with p1^2 further from p2."
            )
        return self._direct(t) if direct <= transformed else self._transformed(t)

    def _direct_terms(self, t: int) -> int:
        """Return about how many terms of the first sum are needed, where fewer than all are, for t >= 1."""
        r, p, q = self._near
        bits = int(flint.ctx.prec)
        if r >= 1:
            factor = q * t / (p * (r + t - 1))
            return t if factor >= 1 else int(bits / (1 - factor))
        return t if q >= p else int((bits + (t / r).__ceil__().bit_length()) / (1 - q / p))

    def _direct(self, t: int) -> arb:
        r, x = real_ball(self.r), real_ball(self.q) / real_ball(self.p)
        falls = self._near[0] >= 1
        tiny = arb(2) ** -(int(flint.ctx.prec) + _GUARD_BITS)
        total = term = arb(1)
        power = t / (r * (1 - x)) if x < 1 else arb.nan()
        for i in range(t):
            factor, power = x * (t - i) / (r + (t - 1 - i)), power * x
            rest = (term * factor / (1 - factor) if factor < 1 else arb.nan()) if falls else power
            if rest < tiny * total:
                return total + rest.union(arb(0))
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

    @cached_property
    def falls(self) -> bool:
        """Whether rho falls at every t."""
        return compare_reals(self.r, Fraction(1)) >= 0 or compare_reals(self.q, self.p) >= 0

    @cached_property
    def valley(self) -> int:
        """A v up to which rho falls, and from v + 1 on rises, where it does not fall at every t."""
        if self._sign(1, self._next_step(1)) <= 0:
            return 1
        return self._first(1, lambda t: -self._sign(t, self._next_step(t)))[0]

    def _next_step(self, t: int) -> Real:
        """s(t+1)."""
        return self.p * (self.r + t) / (t + 1)

    def least_ratio(self) -> arb:
        """Return a ball around the infimum of rho, or a little less than it."""
        if self.falls:
            return real_ball(self.p).max(real_ball(self.q))
        return self.ratio(self.valley).min(self.ratio(self.valley + 1))

    def turn(self, level: Real) -> Turn | None:
        """Return where rho is below ``level`` > 0; None where it is below nowhere."""
        if self.falls:
            if compare_reals(self.p, level) >= 0 or compare_reals(self.q, level) >= 0:
                return None
            return Turn(*self._fall(level))
        valley = self.valley
        last, first_below = self._fall(level, valley)
        if compare_reals(self.p, level) <= 0:  # the limit, which rho does not reach
            return Turn(last, first_below)
        last_below, again = self._rise(level, valley)
        if last == valley == again - 1:
            return None
        return Turn(last, first_below, last_below, again)

    def _fall(self, level: Real, end: int | None = None) -> tuple[int, int]:
        """Return the last t up to ``end`` at which rho is above, 0 if none is, and the next at which it is below."""
        if end is not None and (sign := self._sign(end, level)) >= 0:
            if sign == 0 and end > 1 and self._sign(end - 1, level) <= 0:
                raise self._undecided(end)
            return (end, end + 1) if sign else (end - 1, end + 1)
        first, is_decided = self._first(0, lambda t: -self._sign(t, level), end)
        return (first - 1, first) if is_decided else (first - 1, first + 1)

    def _rise(self, level: Real, valley: int) -> tuple[int, int]:
        """Return the last t at which rho is below, ``valley`` if none beyond it is, and the next at which it is not."""
        first, is_decided = self._first(valley, lambda t: self._sign(t, level))
        return (first - 1, first) if is_decided else (first - 1, first + 1)

    def _first(self, low: int, sign_at: Callable[[int], int], end: int | None = None) -> tuple[int, bool]:
        """Return the first t > ``low`` at which a sign that rises strictly is 1, and True; or not told from 0, False.

        ``end`` is a t at which it is 1, if one is known.
        """
        step, high = 1, low + 1 if end is None else end
        while (sign := sign_at(high)) < 0:
            low, step = high, 2 * step
            high = low + step
            if high > _MAX_OUTCOME:
                raise TooLargeError("the worst event ends beyond 2^256, the limit. Ask for another eps.")
        while sign and high - low > 1:
            middle = (low + high) // 2
            sign = sign_at(middle)
            if sign == 0:
                high = middle
            else:
                low, high, sign = (low, middle, 1) if sign > 0 else (middle, high, 1)
        if sign:
            return high, True
        # at most one t is a tie, and its neighbours are told apart
        if (high - 1 > low and sign_at(high - 1) >= 0) or sign_at(high + 1) <= 0:
            raise self._undecided(high)
        return high, False

    def _undecided(self, t: int) -> UndecidedError:
        return UndecidedError(f"ratios of neighbouring weights near {t} agree to {_SIGN_BITS[-1]} bits.")

    def _sign(self, t: int, level: Real) -> int:
        """Return the sign of rho(t) - ``level``, for t >= 1; 0 where it is not decided."""
        for bits in _SIGN_BITS:
            with precision(bits + self.lost_bits):
                if sign := proved_sign(self.ratio(t) - real_ball(level)):
                    return sign
        return 0


class WorseOrder(NamedTuple):
    """The larger one of the divergences of two orders."""

    delta: Interval
    is_backward: bool
    """Whether the second order, P_(S+1) against P_S, is proved to be worse."""


@dataclass(frozen=True)
class CorrelatedView:
    """The view of private counting with p1, p2 in (0, 1) and r > 0."""

    p1: Real
    p2: Real
    r: Real

    @cached_property
    def noise(self) -> NegativeBinomialPlusGeometric:
        """The law of Y."""
        return NegativeBinomialPlusGeometric(self.r, self.p2, self.p1 * self.p1)

    def enclose_delta(self, exp_eps: Real | None, relative_bits: int) -> WorseOrder:
        """Enclose delta at E >= 1; None stands for infinity."""
        is_backward = False

        def delta() -> arb:
            nonlocal is_backward
            if exp_eps is None:  # Y(t) > 0 = Y(t-1) for t = 0 alone
                return self.noise.pmf(0) / (1 + real_ball(self.p1))
            forward, backward = self.forward(exp_eps), self.backward(exp_eps)
            is_backward = proved_sign(backward - forward) > 0
            return forward.max(backward)

        interval = enclosed(delta, relative_bits, lost_bits=self.noise.lost_bits)
        return WorseOrder(interval, is_backward)

    def forward(self, exp_eps: Real) -> arb:
        """Return H_E(P_S || P_(S+1))."""
        level, noise = exp_eps * self.p1, self.noise
        turn, c = _turn(noise, level), real_ball(level)
        if turn is None:
            total = 1 - c
        else:
            total = noise.pmf(turn.last) + (1 - c) * noise.cdf(turn.last - 1)
            if turn.again is not None:
                total += (1 - c) * noise.sf(turn.again - 1) - c * noise.pmf(turn.again - 1)
            for t in turn.open:
                total += arb(0).max(noise.pmf(t) - c * noise.pmf(t - 1))
        return total / (1 + real_ball(self.p1))

    def backward(self, exp_eps: Real) -> arb:
        """Return H_E(P_(S+1) || P_S)."""
        noise, p1 = self.noise, real_ball(self.p1)
        turn, d = _turn(noise, self.p1 / exp_eps), real_ball(exp_eps) / p1
        total = arb(0)
        if turn is not None:
            total = _beyond(noise, turn.first_below, d)
            if turn.last_below is not None:
                total -= _beyond(noise, turn.last_below + 1, d)
            for t in turn.open:
                total += arb(0).max(noise.pmf(t - 1) - d * noise.pmf(t))
        return (arb(0).max(1 - real_ball(exp_eps) * p1) + p1 * total) / (1 + p1)


def _beyond(noise: NegativeBinomialPlusGeometric, first: int, d: arb) -> arb:
    """Return the sum of Y(t-1) - d Y(t) over t >= ``first``."""
    return noise.pmf(first - 1) + (1 - d) * noise.sf(first - 1)


@lru_cache(maxsize=256)
def _turn(noise: NegativeBinomialPlusGeometric, level: Real) -> Turn | None:
    """Where the ratios of weights are below a level, kept for the next precision."""
    return noise.turn(level)


@dataclass(frozen=True, slots=True)
class CorrelatedPair:
    """Two counts with correlated noise against the same with one user's bit changed; ``backward``: the converse."""

    view: CorrelatedView
    backward: bool

    def losses(self, tail_bits: int) -> LossPair:
        """Return its losses up to where Y has less than 2^-tail_bits of its mass."""
        return _correlated_losses(self.view, tail_bits)[self.backward]


@lru_cache(maxsize=8)
def _correlated_losses(view: CorrelatedView, tail_bits: int) -> tuple[LossPair, LossPair]:
    if (last := last_outcome(view, tail_bits)) >= MAX_ATOMS:
        raise TooLargeError(
            f"composition: the noise of both counts has {last} outcomes that matter, more than the limit of "
            f"{MAX_ATOMS}. Use a smaller p2 or r."
        )
    return correlated_losses(view, last)


def last_outcome(view: CorrelatedView, tail_bits: int) -> int:
    """Return a t >= 1, a power of two, beyond which Y has less than 2^-tail_bits of its mass."""
    last = 1
    with precision(view.noise.lost_bits + 64):
        while not view.noise.sf(last) < arb(2) ** -tail_bits:
            last *= 2
    return last


def correlated_losses(view: CorrelatedView, last: int) -> tuple[LossPair, LossPair]:
    """Return P_S against P_(S+1), and the converse, with the outcomes t up to ``last`` >= 1 listed."""
    with precision(WORKING_BITS + view.noise.lost_bits):
        p1, weights = real_ball(view.p1), view.noise.weights(last)
        first = [weight / (1 + p1) for weight in weights]
        second = [arb(0), *(p1 * weight for weight in first[:-1])]
        atoms = [(p1 / (1 + p1), 1 / (1 + p1), p1.log())]
        atoms += [(p, q, (p / q).log()) for p, q in zip(first[1:], second[1:], strict=True)]
        limit = ((p1 * p1).max(real_ball(view.p2)) / p1).log()
        forward = LossPair(atoms, first[0], [(view.noise.sf(last) / (1 + p1), atoms[-1][2].max(limit))])
        beyond, most = p1 * view.noise.sf(last - 1) / (1 + p1), (p1 / view.noise.least_ratio()).log()
        return forward, LossPair([(q, p, -x) for p, q, x in atoms], arb(0), [(beyond, most)])
