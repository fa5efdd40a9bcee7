"""How many components random permutations leave: g(n, q) = E[q^(C-1)], C the number of components.

*One generating function.* Positive weights s_0 = 1, s_1, s_2, ... say how likely it is that a random structure on n
points falls apart: the sum over all ways to cut the n points into labelled parts of sizes k_1, ..., k_j of the
probability that no component crosses a cut is s_(k_1) ... s_(k_j) / s_n. With q labels that is the mean number of
colourings with q colours which are constant on components, E[q^C]. So, with S(z) = sum s_k z^k,

    E[q^C] = [z^n] S(z)^q / s_n.

Write rho_n(r) = s_r s_(n-r) / s_n and h_q(r) = [z^r] S^(q-1) / s_r, the mean of (q-1)^C for r points. From
n [z^n] S^q = q [z^n] (z S') S^(q-1),

    g(n, q) = sum over 0 <= r < n of (1 - r/n) rho_n(r) h_q(r),                                                     (1)

the colour of one point has n - r points, and q - 1 colours are left for the others. Every term is at least 0.

*One large colour.* Let H = floor(n/2) and R = n - H - 1. Of the colourings, those with more than H points of one colour
have q choices of it, and all others have none. So

    g(n, q) = sum over 0 <= r <= R of rho_n(r) h_q(r)  +  B,    B = [z^n] S_H^q / (q s_n),    S_H = sum_(k<=H) s_k z^k.

*Proved ends.* Let t_k = s_(k+1) / s_k be non-decreasing. The first L terms are computed, and all others are at least 0.
For every x > 0 the coefficients of S^(q-1) up to R are at most those of S_R^(q-1), so that
[z^r] S^(q-1) <= S_R(x)^(q-1) x^-r, and

    sum over L < r <= R of rho_n(r) h_q(r) <= S_R(x)^(q-1) * sum over L < r <= R of v_r,     v_r = s_(n-r) x^-r / s_n,
    B <= S_H(x)^q x^-n / (q s_n),

with another x in the second line. v_(r+1) / v_r = 1 / (x t_(n-r-1)) does not fall in r, and neither does the quotient
x t_k of neighbouring terms of S_H(x): in both sums ln of the terms is convex. So each is below the chord between the
first and the last one, and if that falls the sum is below that of a geometric series. Good x are theta / t_(n-1) with
1 < theta < (2e)^a, where t_k grows like k^a, and for B with theta > e^a: then S_H(x) - 1 is about theta s_1 / t_(n-1),
v_r about theta^-r, and x^-n / s_n about (e^a / theta)^n. So the ends are near where the isolated points, about
(q-1) s_1 / t_(n-1) of them, are fewer than about n / e^a; beyond, B itself is large, which colourings show in which n
or n/2 points are alone in their colour: C is hardly ever so large, but q^C is.

*The structures.* For m permutations of n points, one of them the identity, s_k = (k!)^(m-2): a set of k points is kept
by m - 1 random ones with probability binom(n, k)^-(m-1), and there are binom(n, k) sets; t_k = (k+1)^(m-2). For n + n
points of two sides with m stubs each, the stubs of one side matched at random with those of the other,
s_k = (mk)! / (k!)^2; t_k = m (mk+1) ... (mk+m-1) / (k+1), and (mk+1) / (k+1) does not fall. Where the i-th points of
both sides are one point, s_k = (mk)! / k! and t_k = m (mk+1) ... (mk+m-1). All of
these t_k rise, but for m = 2 those of the n + n points stay below 4: then the series do not fall, and no upper end is
proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import prod
from typing import Final

from flint import arb, fmpz, fmpz_poly

from exactdp.errors import TooLargeError
from exactdp.numbers.balls import interval_of, precision, rational_ball
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.rationals import ratio

_FIRST_LENGTH: Final = 16
"""Coefficients that are computed at first: at a million points and few isolated ones the others are below 10^-50."""
_MOST_LENGTH: Final = 1024
"""Most coefficients that are computed: as balls they take a second."""
_MAX_WORK: Final = 2**31
"""Most bits of all coefficients together, times those of q: a power of so many takes some five seconds."""
_MULTIPLICATIONS: Final = 8
"""Multiplications beside those of the power, which are about as many as q has bits."""
_LISTED: Final = 24
"""Terms of S(x) that are added one by one, before the chord."""
_CHOICES: Final = 24
"""So many x are tried for each bound; twice as many make a bound smaller by less than a bit in some 10."""
_FARTHEST: Final = Fraction(17, 10)
"""Nearly ln(2e), beyond which the last term of S_H(x) is the largest."""
_GUARD_BITS: Final = 64
"""Bits beyond those asked for: some hundred sums and products of positive balls lose fewer than 20."""


@dataclass(frozen=True, slots=True)
class Structure:
    """A random structure by its weights: t_k = s_(k+1) / s_k is ``rising(k)`` over ``falling(k)``."""

    messages: int
    """m: permutations, or stubs of each point."""
    separate: bool
    """Whether there are m permutations, one for each message, or one for all stubs."""
    average: bool
    """Whether the i-th points of both sides are one point, as one more permutation joins them."""

    @property
    def growth(self) -> int:
        """The a with which t_k grows like k^a; 0 where components stay likely, and nothing is bounded."""
        return self.messages - (1 if self.average else 2)

    def step(self, k: int) -> tuple[int, int]:
        """Return numerator and denominator of t_k."""
        m = self.messages
        if self.separate:
            return (k + 1) ** (m - 1 if self.average else m - 2), 1
        return prod(range(m * k + 1, m * k + m)) * m, 1 if self.average else k + 1

    def log_weight(self, k: int) -> arb:
        """Return ln s_k."""
        own, all_stubs = arb(k + 1).lgamma(), arb(self.messages * k + 1).lgamma()
        return self.growth * own if self.separate else all_stubs - (1 if self.average else 2) * own

    def weights(self, length: int) -> Iterator[int]:
        """Yield s_0, ..., s_length, integers."""
        weight = 1
        yield weight
        for k in range(length):
            up, down = self.step(k)
            weight = weight * up // down
            yield weight


def component_mean(structure: Structure, n: int, q: int) -> Fraction:
    """Return E[q^C], exactly.

    >>> component_mean(Structure(messages=3, separate=True, average=False), 3, 2)
    Fraction(8, 3)
    """
    if _work(structure, n, q) > _MAX_WORK:
        raise TooLargeError(
            f"the components of {short(n)} points with messages={structure.messages} and modulus={short(q)} take more "
            f"than the limit of {_MAX_WORK} steps. Ask for the bound, which is enclosed at any size."
        )
    weights = list(structure.weights(n))
    return ratio(int(fmpz_poly(weights).pow_trunc(q, n + 1)[n]), weights[n])


def least_excess(structure: Structure, n: int, q: int) -> Fraction:
    """Return a lower bound of E[q^(C-1)] - 1 at once: the term r = 1 of (1), for n of at least 2."""
    (first, first_down), (last, last_down) = structure.step(0), structure.step(n - 1)
    return Fraction((q - 1) * (n - 1) * first * last_down, n * first_down * last)


@dataclass(frozen=True, slots=True)
class Excess:
    """Proved ends of g(n, q) - 1."""

    lower: arb
    upper: arb

    def interval(self, bits: int) -> Interval:
        """Return the two ends as an Interval, rounded outward to so many bits."""
        return Interval(interval_of(self.lower, bits).lower, interval_of(self.upper, bits).upper)


def component_excess(structure: Structure, n: int, q: int, *, relative_bits: int, enough: int) -> Interval | None:
    """Enclose E[q^(C-1)] - 1, q >= 2; None where it is proved to be at least ``enough``.

    The relative width is 2^-relative_bits, or what is proved where the limit of work is reached before.
    """
    length, bits = _FIRST_LENGTH, relative_bits + 2
    with precision(relative_bits + _GUARD_BITS + 2 * (n * structure.messages).bit_length()):
        while True:
            if n <= 2 * length + 1 and (excess := _exact_excess(structure, n, q, relative_bits)) is not None:
                return None if excess.lower.compare(Fraction(enough)) >= 0 else excess
            ends = _ends(structure, n, q, min(length, (n - 2) // 2))
            if ends.lower.max(_isolated(structure, n, q)) >= enough:
                return None
            is_last = length >= _MOST_LENGTH or n <= 2 * length + 1 or not _is_within_work(structure, 2 * length, q)
            if is_last or (ends.upper - ends.lower) * 2**relative_bits <= ends.lower:
                return ends.interval(bits)
            length *= 2


def _exact_excess(structure: Structure, n: int, q: int, relative_bits: int) -> Interval | None:
    """Return it from all coefficients, as balls where there are more colours than points; None beyond the limit."""
    if q < n:
        if not _is_within_work(structure, n, q):
            return None
        return Interval.around(component_mean(structure, n, q) / q - 1, relative_bits=relative_bits)
    if n == 1:
        return Interval.around(0, relative_bits=1)
    least = least_excess(structure, n, q)
    lost = max(0, least.denominator.bit_length() - least.numerator.bit_length())
    with precision(relative_bits + _GUARD_BITS + lost):
        weights = _ball_weights(structure, n)
        excess = _power(weights, q)[n] / weights[n] / q - 1
        return interval_of(excess, relative_bits + 2)


def _ends(structure: Structure, n: int, q: int, length: int) -> Excess:
    """Return the ends for n >= 2 length + 2, at the precision that is set."""
    half, rest = n // 2, n - n // 2 - 1
    lower, share = arb(0), arb(1)
    for r, power in enumerate(_coefficients(structure, length, q)):
        if r:
            share /= _quotient(structure.step(n - r), (1, 1))
            lower += share * power
    weight, last = structure.log_weight(n), _quotient(structure.step(n - 1), (1, 1)).log()

    def beyond(log_x: arb) -> arb:
        """ln of the bound of the terms of more than ``length`` points."""
        tail = _log_series(lambda r: structure.log_weight(n - r) - r * log_x - weight, length + 1, rest)
        return tail + (q - 1) * _log_sum(structure, log_x, rest)

    def without(log_x: arb) -> arb:
        """ln of the bound of B."""
        return q * _log_sum(structure, log_x, half) - n * log_x - weight - arb(q).log()

    choices = [rational_ball(structure.growth * _FARTHEST * i / _CHOICES) - last for i in range(1, _CHOICES + 1)]
    upper = lower
    for log_bound in (beyond, without) if length < rest else (without,):
        bounds = [bound.upper() for bound in map(log_bound, choices) if bound.is_finite()]
        upper += min(bounds, default=arb(q).log() * (n - 1)).exp()
    return Excess(lower, upper)


def _isolated(structure: Structure, n: int, q: int) -> arb:
    """Return what colourings with n, or with half as many, points that are alone in their colour contribute."""
    if q <= n:
        return arb(0)
    large = arb(0)
    for r in (n // 2 - 1, n):  # at least (q - r + 1)^r / r! choices of their colours
        choices = r * arb(fmpz(q - r + 1)).log() - arb(r + 1).lgamma() - arb(fmpz(q)).log()
        rest = structure.log_weight(n - r) - structure.log_weight(n)
        large = large.max((choices + r * structure.log_weight(1) + rest).exp().lower())
    return large


def _coefficients(structure: Structure, length: int, q: int) -> list[arb]:
    """Return the coefficients of S^(q-1) up to ``length``."""
    if q >= length:
        return _power(_ball_weights(structure, length), q - 1)
    series = fmpz_poly(list(structure.weights(length))).pow_trunc(q - 1, length + 1)
    return [arb(series[r]) for r in range(length + 1)]


def _ball_weights(structure: Structure, length: int) -> list[arb]:
    """Return s_0, ..., s_length as balls."""
    steps = (_quotient(structure.step(k), (1, 1)) for k in range(length))
    return list(accumulate(steps, arb.__mul__, initial=arb(1)))


def _power(weights: list[arb], power: int) -> list[arb]:
    """Return the coefficients of S^power, one from those before: n c_n = sum of ((power + 1) k - n) s_k c_(n-k).

    No summand is negative where ``power`` + 1 is at least n, so that little accuracy is lost.
    """
    coefficients = [arb(1)]
    for n in range(1, len(weights)):
        terms = (((power + 1) * k - n) * weights[k] * coefficients[n - k] for k in range(1, n + 1))
        coefficients.append(sum(terms, arb(0)) / n)
    return coefficients


def _log_sum(structure: Structure, log_x: arb, top: int) -> arb:
    """Return ln of an upper bound of S_top(x)."""
    listed = min(top, _LISTED)
    terms = [structure.log_weight(k) + k * log_x for k in range(1, listed + 1)]
    total = sum((term.exp() for term in terms), arb(0))
    if listed < top:
        total += _log_series(lambda k: structure.log_weight(k) + k * log_x, listed + 1, top).exp()
    return total.log1p()


def _log_series(log_term: Callable[[int], arb], first: int, last: int) -> arb:
    """Return ln of an upper bound of a sum of terms with a convex logarithm; nan where no chord falls."""
    start = log_term(first)
    if first == last:
        return start
    slope = (log_term(last) - start) / (last - first)
    return start - (1 - slope.exp()).log() if slope < 0 else arb.nan()


def _quotient(first: tuple[int, int], second: tuple[int, int]) -> arb:
    return arb(fmpz(first[0] * second[1])) / arb(fmpz(first[1] * second[0]))


def _is_within_work(structure: Structure, length: int, q: int) -> bool:
    """Whether the coefficients up to ``length`` are balls, or together short enough to be exact."""
    return q >= length or _work(structure, length, q) <= _MAX_WORK


def _work(structure: Structure, length: int, q: int) -> int:
    """Return the bits of all exact coefficients, times those of q: s_k has about m k log2 k bits."""
    powers = structure.messages + structure.average - (2 if structure.separate else 0)
    longest = powers * length * max(1, (structure.messages * length).bit_length())
    return longest * length * (q.bit_length() + _MULTIPLICATIONS)
