"""The swap bound as it is printed: direct sums over nodes of complex exponentials, and the integral behind them.

The user who differs sends by P or by Q, mu = P - E Q; c is at most the row of every other user, with the mass gamma.
For a row R, z = lam + iy, and r users that are left of n,

    M(z) = sum over R > 0 of R e^(z mu/R),      s = sum over R = 0 of max(0, mu),
    B_r = 1/(2 pi r) integral of abs(M(lam + iy))^r/(lam^2 + y^2) dy,

or, with a normal smoothing of deviation tau, nodes y = k h up to K, and Y = K h,

    B_r = e^((tau lam)^2/2)/(2 pi r) [h sum over abs(k) <= K of abs(M(lam + ikh))^r e^(-(tau k h)^2/2)/(lam^2 + (k h)^2)
                                      + 2 M(lam)^r e^(-(tau Y)^2/2)/Y].

Stage k ends when t_k users are given up: with t_0 = 0 and H the divergence of the two messages alone,

    H_E <= (1-gamma)^(t_K) H + max over R of sum over k of ((1-gamma)^(t_(k-1)) - (1-gamma)^(t_k)) (B_(n - t_k)(R) + s).

Where the user who differs keeps a slot, (1-gamma)^t becomes the product of j (1-gamma)/(j+gamma) over j = n-t .. n-1, r
becomes n - t_k + 1, and with X = B_r(R) + s and X_own the same of the row c/gamma, X becomes X + max(0, X_own - X)/r.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Final, TypeAlias

import mpmath

from exactdp.reference.hockey_stick_sums import Row, number

_DEGREE: Final = 5
"""Of Gauss-Legendre rules: at most 48 places in each piece."""

Beside: TypeAlias = Sequence[tuple[Fraction, Fraction, Fraction]]
"""(P, Q, R) of each message, for one row R of the others."""


@dataclass(frozen=True, slots=True)
class Nodes:
    """lam, tau, h and K."""

    tilt: Fraction
    smoothing: Fraction = Fraction(0)
    step: Fraction = Fraction(1)
    count: int = 1


@dataclass(frozen=True, slots=True)
class Swaps:
    """What is bounded: E, n, gamma, the divergence of the two messages alone, the t_k, and the row of an own slot."""

    exp_eps: Fraction
    users: int
    gamma: Fraction
    alone: Fraction
    stages: Sequence[int]
    own: Beside | None = None

    def bound(self, rows: Iterable[Beside], row_bound: Callable[[Beside, int], Any]) -> Any:
        """Return the bound from B of a row and a number of users, the largest over some rows.

        >>> swaps = Swaps(Fraction(1), 3, Fraction(1, 2), Fraction(1, 2), (1,))
        >>> print(swaps.bound([[]], lambda row, users: mpmath.mpf(1) / users))
        0.5
        """
        left, slots = self._left(), [self.users - lost + (self.own is not None) for lost in self.stages]
        own = [] if self.own is None else [self._height(self.own, row_bound, slot) for slot in slots]
        largest = mpmath.mpf(0)
        for row in rows:
            heights = [self._height(row, row_bound, slot) for slot in slots]
            if own:
                heights = [x + max(0, y - x) / slot for x, y, slot in zip(heights, own, slots, strict=True)]
            terms = ((w - x) * height for (w, x), height in zip(pairwise(left), heights, strict=True))
            largest = max(largest, mpmath.fsum(terms))
        return left[-1] * number(self.alone) + largest

    def _height(self, row: Beside, row_bound: Callable[[Beside, int], Any], slots: int) -> Any:
        """X."""
        return row_bound(row, slots) + number(charge(row, self.exp_eps))

    def _left(self) -> list[Any]:
        """What is left over before the first stage and at the end of each."""
        gamma = number(self.gamma)
        if self.own is None:
            return [(1 - gamma) ** lost for lost in (0, *self.stages)]
        factors = {
            lost: (self.users - lost) * (1 - gamma) / (self.users - lost + gamma) for lost in range(1, self.users)
        }
        return [mpmath.fprod(factors[j] for j in range(1, lost + 1)) for lost in (0, *self.stages)]


def alone(first: Row, second: Row, exp_eps: Fraction) -> Fraction:
    """Return the divergence of two rows: the sum of max(0, P - E Q)."""
    zero = Fraction(0)
    return sum((max(zero, first.get(m, zero) - exp_eps * second.get(m, zero)) for m in {**first, **second}), zero)


def beside(first: Row, second: Row, others: Row) -> Beside:
    """Return (P, Q, R) of each message of three rows."""
    zero = Fraction(0)
    messages = {**first, **second, **others}
    return [(first.get(m, zero), second.get(m, zero), others.get(m, zero)) for m in messages]


def charge(row: Beside, exp_eps: Fraction) -> Fraction:
    """Return s."""
    zero = Fraction(0)
    return sum((max(zero, p - exp_eps * q) for p, q, r in row if not r), zero)


def moment(row: Beside, exp_eps: Fraction, z: Any) -> Any:
    """Return M(z).

    >>> print(moment([(Fraction(1), Fraction(0), Fraction(1))], Fraction(1), 0))
    1.0
    """
    return mpmath.fsum(number(r) * mpmath.exp(z * number((p - exp_eps * q) / r)) for p, q, r in row if r)


def by_nodes(row: Beside, users: int, exp_eps: Fraction, nodes: Nodes) -> Any:
    """Return B_r by its nodes, for r = ``users``."""
    tilt, smoothing, step = number(nodes.tilt), number(nodes.smoothing), number(nodes.step)

    def fall(y: Any) -> Any:
        return mpmath.exp(-((smoothing * y) ** 2) / 2)

    heights = []
    for k in range(nodes.count + 1):
        y = k * step
        height = abs(moment(row, exp_eps, mpmath.mpc(tilt, y))) ** users * fall(y) / (tilt**2 + y**2)
        heights.append(height * (2 if k else 1))
    end = nodes.count * step
    rest = 2 * moment(row, exp_eps, tilt) ** users * fall(end) / end
    scale = mpmath.exp((smoothing * tilt) ** 2 / 2) / (2 * mpmath.pi * users)
    return scale * (step * mpmath.fsum(heights) + rest)


def by_integral(row: Beside, users: int, exp_eps: Fraction, nodes: Nodes, ends: Sequence[Any]) -> Any:
    """Return B_r by the integral, from the pieces between rising ``ends`` of y >= 0 alone: at most B_r.

    With tau > 0 that of the smoothed law, which the nodes never fall below; of ``nodes`` only lam and tau are read.

    >>> constant = [(Fraction(1), Fraction(1), Fraction(1))]
    >>> value = by_integral(constant, 4, Fraction(8, 5), Nodes(Fraction(1, 20)), [0, mpmath.inf])
    >>> mpmath.nprint(value, 5)
    2.2173
    """
    tilt, smoothing = number(nodes.tilt), number(nodes.smoothing)

    def height(y: Any) -> Any:
        fall = mpmath.exp(smoothing**2 * (tilt**2 - y**2) / 2)
        return abs(moment(row, exp_eps, mpmath.mpc(tilt, y))) ** users * fall / (tilt**2 + y**2)

    return mpmath.quad(height, ends, method="gauss-legendre", maxdegree=_DEGREE) / (mpmath.pi * users)


def table_bound(rows: Sequence[Row], users: int, exp_eps: Fraction, stages: Sequence[int], nodes: Nodes) -> Any:
    """Return the bound of all ordered pairs of rows of a table at one choice.

    >>> coin = [{0: Fraction(3, 4), 1: Fraction(1, 4)}, {0: Fraction(1, 4), 1: Fraction(3, 4)}]
    >>> nodes = Nodes(Fraction(1, 2), Fraction(1, 10), Fraction(1, 4), 100)
    >>> mpmath.nprint(table_bound(coin, 9, Fraction(1), (1, 3, 5), nodes), 5)
    0.25871
    """
    gamma = sum((min(row.get(m, Fraction(0)) for row in rows) for m in {m for row in rows for m in row}), Fraction(0))
    bounds = []
    for first in rows:
        for second in rows:
            swaps = Swaps(exp_eps, users, gamma, alone(first, second, exp_eps), stages)
            all_rows = [beside(first, second, others) for others in rows]
            bounds.append(swaps.bound(all_rows, lambda row, left: by_nodes(row, left, exp_eps, nodes)))
    return max(bounds)
