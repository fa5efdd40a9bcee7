"""Shuffled views by adding one user at a time, and the worst pair by comparing all data sets.

A table is input -> {tuple of messages: probability}. A view is the number of each message, written as the digits of one
integer: adding a user is adding an integer. A data set is the number of users of each input, in the table's order.

Classes of users, by definition: all data sets of a few users with two messages, and means over sets of users
-------------------------------------------------------------------------------------------------------------

With two messages the view is how often the second occurs: a sum of independent coins, one for each user. So the worst
data set of classes of users is found by trying how many users of each class hold each of two inputs.

:func:`mean_over_sets` is the inner part of the swap bound before anything is bounded: the mean over all sets S of r of
the others of (1/r) E max(0, sum of L_i), with L = (P - E Q)/R under the row R.

The swap bound as it is printed: direct sums over nodes of complex exponentials, and the integral behind them
-------------------------------------------------------------------------------------------------------------

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

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise, permutations, product
from math import comb, lcm, prod
from typing import Any, Final, TypeAlias

import mpmath

from exactdp.reference.hockey_stick_sums import Event, Row, hockey_stick, number, worst
from exactdp.reference.summed_laws import Steps

Table: TypeAlias = Mapping[Hashable, Mapping[tuple[Any, ...], Any]]
View: TypeAlias = dict[int, Any]


def codes(table: Table, users: int) -> list[View]:
    """Return the law of one user's messages for each input, written as digits that ``users`` do not overflow."""
    sent = [messages for row in table.values() for messages in row]
    letters = {letter: place for place, letter in enumerate(dict.fromkeys(m for send in sent for m in send))}
    base = 1 + users * max(map(len, sent))
    rows = []
    for row in table.values():
        coded: View = {}
        for send, probability in row.items():
            code = sum(base ** letters[letter] for letter in send)
            coded[code] = coded.get(code, 0) + probability
        rows.append({code: probability for code, probability in coded.items() if probability})
    return rows


def one_more(view: View, row: View) -> View:
    """Return the law of the view with one more user."""
    larger: View = {}
    for counts, mass in view.items():
        for sent, probability in row.items():
            larger[counts + sent] = larger.get(counts + sent, 0) + mass * probability
    return larger


def view_law(rows: Sequence[View], dataset: Sequence[int], steps: Steps) -> View:
    """Return the law of the view of one data set."""
    view: View = {0: 1}
    for row, users in zip(rows, dataset, strict=True):
        for _ in range(users):
            steps.take(len(view) * len(row))
            view = one_more(view, row)
    return view


def all_views(rows: Sequence[View], users: int, steps: Steps) -> dict[tuple[int, ...], View]:
    """Return data set -> law of the view, for all data sets of so many users."""
    views: dict[tuple[int, ...], View] = {(0,) * len(rows): {0: 1}}
    for _ in range(users):
        larger: dict[tuple[int, ...], View] = {}
        for dataset, view in views.items():
            for place, row in enumerate(rows):
                added = (*dataset[:place], dataset[place] + 1, *dataset[place + 1 :])
                if added not in larger:
                    steps.take(len(view) * len(row))
                    larger[added] = one_more(view, row)
        views = larger
    return views


def neighbors_worst(table: Table, users: int, exp_eps: Any, steps: Steps, *, removes: bool = False) -> Event:
    """Return the event of the worst pair of neighbouring data sets, among all pairs in both orders.

    ``users`` is the size of the larger data set. Neighbours differ in one user's input, or with ``removes`` in whether
    one user is there.
    """
    steps.take(least_steps(table, users))
    rows = codes(table, users)
    return worst((hockey_stick(p, q, exp_eps) for p, q in _pairs(rows, users, steps, removes)), exp_eps)


def all_pairs(table: Table, users: int, steps: Steps, *, removes: bool = False) -> list[tuple[View, View]]:
    """Return the laws of all ordered pairs of neighbouring data sets."""
    steps.take(least_steps(table, users))
    return list(_pairs(codes(table, users), users, steps, removes))


def _pairs(rows: Sequence[View], users: int, steps: Steps, removes: bool) -> Iterator[tuple[View, View]]:
    for common in all_views(rows, users - 1, steps).values():
        with_each = [one_more(common, row) for row in rows]
        steps.take(len(common) * sum(map(len, rows)))
        if removes:
            for larger in with_each:
                yield larger, common
                yield common, larger
        else:
            steps.take(len(common) * len(rows) * (len(rows) - 1))
            yield from permutations(with_each, 2)


def least_steps(table: Table, users: int) -> int:
    """Return a number of steps that all data sets need at least: a refusal should not take long."""
    inputs = len(table)
    return comb(users - 1 + inputs - 1, inputs - 1) * users


def pair_worst(table: Table, datasets: Sequence[Sequence[int]], exp_eps: Any, steps: Steps) -> Event:
    """Return the event of the worse order of two data sets."""
    rows = codes(table, max(map(sum, datasets)))
    steps.take(sum(map(sum, datasets)) ** 2 // 2)
    first, second = (view_law(rows, dataset, steps) for dataset in datasets)
    return worst((hockey_stick(*pair, exp_eps) for pair in ((first, second), (second, first))), exp_eps)


def two_message_scan(first: Any, second: Any, users: int, exp_eps: Any, steps: Steps) -> Event:
    """Return the event of the worst pair where each user sends 0 or 1, the latter with one of two chances.

    Of the others j have the chance ``second``, for j = 0, ..., n - 1: their count is a sum of two binomial ones.

    Args:
        first, second: the chance of a 1, of a user with the one and with the other input.
    """
    steps.take(users**3 // 4)
    worst_events = []
    for j in range(users):
        one, other = _binomial(users - 1 - j, first), _binomial(j, second)
        count = [
            mpmath.fdot((one[k - i], other[i]) for i in range(max(0, k - len(one) + 1), min(k, j) + 1))
            for k in range(users)
        ]
        views = [one_more(dict(enumerate(count)), {0: 1 - chance, 1: chance}) for chance in (first, second)]
        worst_events += [hockey_stick(p, q, exp_eps) for p, q in permutations(views, 2)]
    return worst(worst_events, exp_eps)


def _binomial(n: int, p: Any) -> list[Any]:
    """Return the probabilities of 0, ..., n successes."""
    return [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


def sampled_worst(users: int, rate: Any, threshold: int, exp_eps: Any, steps: Steps) -> Event:
    """Return the event of the worst pair where holders of a symbol are sampled, and counts below a threshold dropped.

    c of the users hold the symbol, or c + 1: the view is a Bin(c, rate) count, or 0 where that is below the threshold.
    """
    steps.take(2 * users**2)
    views = []
    for holders in range(users + 1):
        view: View = {}
        for count, mass in enumerate(_binomial(holders, rate)):
            shown = count if count >= threshold else 0
            view[shown] = view.get(shown, 0) + mass
        views.append(view)
    pairs = [pair for both in pairwise(views) for pair in permutations(both)]
    return worst((hockey_stick(p, q, exp_eps) for p, q in pairs), exp_eps)


Coins: TypeAlias = tuple[Fraction, Fraction]
"""How likely the second message is under each of two inputs."""


def worst_delta(coins: Sequence[Coins], sizes: Sequence[int], own: int, exp_eps: Fraction) -> Fraction:
    """Return the largest divergence over data sets in which a user of one class differs, in both orders.

    >>> half, third = Fraction(1, 2), Fraction(1, 3)
    >>> worst_delta([(Fraction(0), Fraction(1)), (half, half)], [1, 1], 0, Fraction(1))
    Fraction(1, 2)
    """
    scale = lcm(*(chance.denominator for pair in coins for chance in pair))
    whole = [[int(chance * scale) for chance in pair] for pair in coins]
    others = [size - (place == own) for place, size in enumerate(sizes)]
    each = [
        [_flips(pair, count, held, scale) for held in range(count + 1)]
        for pair, count in zip(whole, others, strict=True)
    ]
    most = 0
    for laws in product(*each):
        rest = reduce(_sum_of, laws, [1])
        views = [_sum_of(rest, [scale - chance, chance]) for chance in whole[own]]
        for first, second in (views, views[::-1]):
            gained = (exp_eps.denominator * p - exp_eps.numerator * q for p, q in zip(first, second, strict=True))
            most = max(most, sum(gain for gain in gained if gain > 0))
    return Fraction(most, exp_eps.denominator * scale ** sum(sizes))


def _flips(pair: Sequence[int], count: int, held: int, scale: int) -> list[int]:
    """Return the law of the ones of ``count`` users, of whom so many hold the second input, over scale^count."""
    law = [1]
    for user in range(count):
        chance = pair[user < held]
        law = _sum_of(law, [scale - chance, chance])
    return law


def _sum_of(one: Sequence[int], other: Sequence[int]) -> list[int]:
    law = [0] * (len(one) + len(other) - 1)
    for (i, p), (j, q) in product(enumerate(one), enumerate(other)):
        law[i + j] += p * q
    return law


def mean_over_sets(
    first: Sequence[Fraction],
    second: Sequence[Fraction],
    rows: Sequence[tuple[int, Sequence[Fraction]]],
    exp_eps: Fraction,
    size: int,
) -> Fraction:
    """Return the mean over the sets of ``size`` others of (1/size) E max(0, sum of L_i), exactly.

    Args:
        first, second: P and Q, the probabilities of the messages.
        rows: how many others have which row, without zeros.

    >>> half = [Fraction(1, 2)] * 2
    >>> mean_over_sets([Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)], [(2, half)], Fraction(1), 1)
    Fraction(1, 1)
    """
    excess = [p - exp_eps * q for p, q in zip(first, second, strict=True)]
    laws = [[(mu / r, r) for mu, r in zip(excess, row, strict=True)] for _, row in rows]
    total = Fraction(0)
    for chosen in _compositions([count for count, _ in rows], size):
        weight = Fraction(prod(comb(count, k) for (count, _), k in zip(rows, chosen, strict=True)))
        sums = {Fraction(0): Fraction(1)}
        for law, k in zip(laws, chosen, strict=True):
            for _ in range(k):
                following = defaultdict[Fraction, Fraction](Fraction)
                for (value, p), (more, q) in product(sums.items(), law):
                    following[value + more] += p * q
                sums = following
        total += weight * sum((value * p for value, p in sums.items() if value > 0), Fraction(0))
    return total / comb(sum(count for count, _ in rows), size) / size


def _compositions(counts: Sequence[int], size: int) -> Iterator[tuple[int, ...]]:
    return (chosen for chosen in product(*(range(min(count, size) + 1) for count in counts)) if sum(chosen) == size)


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
