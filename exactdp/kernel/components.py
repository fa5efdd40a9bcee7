"""How many components random permutations leave: g(n, q) = E[q^(C-1)], C the number of components.

*One generating function.* Positive weights s_0 = 1, s_1, s_2, ... say how likely it is that a random structure on n
points falls apart: the sum over all ways to cut the n points into labelled parts of sizes k_1, ..., k_j of the
probability that no component crosses a cut is s_(k_1) ... s_(k_j) / s_n. With q labels that is the mean number of
colourings with q colours which are constant on components, E[q^C]. So, with S(z) = sum s_k z^k,

    E[q^C] = [z^n] S(z)^q / s_n.

Write h_q(r) = [z^r] S^(q-1) / s_r = E_r[(q-1)^C] and rho_n(r) = s_r s_(n-r) / s_n. From n [z^n] S^q = q [z^n] (z S')
S^(q-1),

    g(n, q) = sum over 0 <= r < n of (1 - r/n) rho_n(r) h_q(r),    h_q(r) = (q-1) g(r, q-1) for r >= 1:             (1)

the colour of one point has n - r points, and q - 1 colours are left for the others. Every term is at least 0.

*A proved tail.* Let t_k = s_(k+1) / s_k be non-decreasing, and (l+1) t_(l-r) <= l t_l for 1 <= r <= l (both are shown
for each structure below). Then rho_l(r) falls in l for every r, rho_l(r) <= rho_l(M+1) for M+1 <= r <= l-M-1, and
l rho_l(M+1) falls in l. Let p = q - 1, and l >= 2M+2. In (1) for p colours g(r, p-1) <= g(r, p), so a bound G of
g(r, p) for M < r < l gives

    g(l, p) <= B(l) = A(l) + (p-1) G W(l),   A(l) = sum over r <= M of rho_l(r) h_p(r),
                                             W(l) = sum over 1 <= i <= M of (i/l) rho_l(i)  +  l rho_l(M+1),        (2)

by r = l - i at the far end. A and W fall in l, so where (p-1) W(L+1) < 1 the larger of the exact g(r, p), M < r <= L,
and A(L+1) / (1 - (p-1) W(L+1)) is such a bound for every r > M, by induction on l > L >= 2M+1. For n >= 2L+2 then

    g(n, q) - 1 = sum over 1 <= r <= L of (1 - r/n) rho_n(r) h_q(r)  +  T,   F = sum over 1 <= i <= L of (i/n) rho_n(i),
    p F b <= T <= p (F B(n-L) + n rho_n(L+1) G),    b = sum over r <= L of (1 - r/(n-L)) rho_n(r) h_p(r),

since b <= g(l, p) <= B(n-L) for n-L <= l < n. L is doubled until the ends are close enough; up to n = 2L+1 the value is
computed from all n coefficients.

*The structures.* For m permutations of n points, one of them the identity, s_k = (k!)^(m-2): a set of k points is kept
by m - 1 random ones with probability binom(n, k)^-(m-1), and there are binom(n, k) sets; t_k = (k+1)^(m-2). For n + n
points of two sides with m stubs each, the stubs of one side matched at random with those of the other,
s_k = (mk)! / (k!)^2; t_k = m (mk+1) ... (mk+m-1) / (k+1), and (mk+1) / (k+1) does not fall. Where the i-th points of
both sides are one point, s_k = (mk)! / k! and t_k = m (mk+1) ... (mk+m-1). The second condition: one factor of t that
grows from m(l-r)+j to ml+j, j <= 2, is enough, since (l+1) (m(l-r)+j) <= l (ml+j) is m l + j <= m r (l+1), which holds
for r >= 1 and j <= m. For (k+1)^a it is enough that a >= 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import prod
from typing import Final

from flint import arb, fmpz, fmpz_poly

from exactdp.errors import TooLargeError
from exactdp.kernel.balls import interval_of, precision
from exactdp.kernel.rationals import ratio
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval

_FIRST_LENGTH: Final = 32
"""Coefficients that are computed at first: at a million points the terms beyond are below 10^-150."""
_MAX_WORK: Final = 2**31
"""Most bits of all coefficients together, times those of q: a power of so many takes some five seconds."""
_MULTIPLICATIONS: Final = 8
"""Multiplications beside those of the power, which are about as many as q has bits."""
_WIDEST: Final = 2
"""Ends further apart than by this factor are no answer."""
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
    def falls_apart_less(self) -> bool:
        """Whether the second condition of the module's text holds."""
        return self.messages >= (2 if self.average else 3)

    def step(self, k: int) -> tuple[int, int]:
        """Return numerator and denominator of t_k."""
        m = self.messages
        if self.separate:
            return (k + 1) ** (m - 1 if self.average else m - 2), 1
        return prod(range(m * k + 1, m * k + m)) * m, 1 if self.average else k + 1

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
    _check_work(structure, n, q)
    weights = list(structure.weights(n))
    return ratio(int(fmpz_poly(weights).pow_trunc(q, n + 1)[n]), weights[n])


def least_excess(structure: Structure, n: int, q: int) -> Fraction:
    """Return a lower bound of E[q^(C-1)] - 1 at once: the term r = 1 of (1), for n of at least 2."""
    (first, first_down), (last, last_down) = structure.step(0), structure.step(n - 1)
    return Fraction((q - 1) * (n - 1) * first * last_down, n * first_down * last)


@dataclass(frozen=True, slots=True)
class Excess:
    """Proved ends of g(n, q) - 1; no upper end where it was enough that the lower one is large."""

    lower: arb
    upper: arb | None


def component_excess(structure: Structure, n: int, q: int, *, relative_bits: int, enough: int) -> Interval | None:
    """Enclose E[q^(C-1)] - 1, q >= 2; None where it is proved to be at least ``enough``.

    The relative width is 2^-relative_bits, or what is proved where the limit of work is reached before.

    Raises:
        TooLargeError: where no upper end is proved within the limit of work.
    """
    length, ends = _FIRST_LENGTH, None
    with precision(relative_bits + _GUARD_BITS):
        while True:
            try:
                if n <= 2 * length + 1:
                    return _exact_excess(structure, n, q, relative_bits, enough)
                _check_work(structure, length, q)
            except TooLargeError:
                if ends is None or ends.upper is None or not ends.upper < _WIDEST * ends.lower:
                    raise
                return interval_of(ends.lower.union(ends.upper), relative_bits + 2)
            ends = _ends(structure, n, q, length)
            if ends.lower >= enough:
                return None
            if ends.upper is not None and (ends.upper - ends.lower) * 2**relative_bits <= ends.lower:
                return interval_of(ends.lower.union(ends.upper), relative_bits + 2)
            length *= 2


def _exact_excess(structure: Structure, n: int, q: int, relative_bits: int, enough: int) -> Interval | None:
    excess = component_mean(structure, n, q) / q - 1
    return None if excess >= enough else Interval.around(excess, relative_bits=relative_bits)


def _ends(structure: Structure, n: int, q: int, length: int) -> Excess:
    """Return the ends for n >= 2 length + 2, at the precision that is set."""
    weights = list(structure.weights(length))
    series, others = fmpz_poly(weights), q - 1
    fewer = series.pow_trunc(others - 1, length + 1)
    left, left_of_others = (
        [arb(power[r]) / arb(fmpz(weights[r])) for r in range(length + 1)]
        for power in (fewer.mul_low(series, length + 1), fewer)
    )
    rho = _rho(structure, n, length + 1)
    near = _total((1 - arb(r) / n) * rho[r] * left[r] for r in range(1, length + 1))
    far = others * _total(arb(i) / n * rho[i] for i in range(1, length + 1))
    lower = near + far * _total((1 - arb(r) / (n - length)) * rho[r] * left_of_others[r] for r in range(length + 1))
    if not structure.falls_apart_less:
        return Excess(lower, None)
    middle = (length - 1) // 2
    first, slope = _recursion(structure, length + 1, middle, left_of_others)
    if not (others - 1) * slope < 1:
        return Excess(lower, None)
    bound = first / (1 - (others - 1) * slope)
    for r in range(middle + 1, length + 1):
        bound = bound.max(left[r] / others)
    first, slope = _recursion(structure, n - length, middle, left_of_others)
    at_the_end = first + (others - 1) * bound * slope
    return Excess(lower, near + far * at_the_end + others * n * rho[length + 1] * bound)


def _recursion(structure: Structure, size: int, middle: int, left: list[arb]) -> tuple[arb, arb]:
    """Return A and W of (2) at l = ``size``."""
    rho = _rho(structure, size, middle + 1)
    first = _total(rho[r] * left[r] for r in range(middle + 1))
    slope = _total(arb(i) / size * rho[i] for i in range(1, middle + 1)) + size * rho[middle + 1]
    return first, slope


def _rho(structure: Structure, size: int, last: int) -> list[arb]:
    """Return rho_size(r) for r = 0, ..., last."""
    factors = (_quotient(structure.step(r), structure.step(size - 1 - r)) for r in range(last))
    return list(accumulate(factors, arb.__mul__, initial=arb(1)))


def _quotient(first: tuple[int, int], second: tuple[int, int]) -> arb:
    return arb(fmpz(first[0] * second[1])) / arb(fmpz(first[1] * second[0]))


def _total(terms: Iterable[arb]) -> arb:
    return sum(terms, arb(0))


def _check_work(structure: Structure, length: int, q: int) -> None:
    """Refuse coefficients that are together longer than the limit: s_k has about m k log2 k bits."""
    powers = structure.messages + structure.average - (2 if structure.separate else 0)
    longest = powers * length * max(1, (structure.messages * length).bit_length())
    if longest * length * (q.bit_length() + _MULTIPLICATIONS) > _MAX_WORK:
        raise TooLargeError(
            f"the components of {length} points with messages={structure.messages} and modulus={short(q)} take more "
            f"than the limit of {_MAX_WORK} steps. Use more messages, a smaller modulus, or fewer users."
        )
