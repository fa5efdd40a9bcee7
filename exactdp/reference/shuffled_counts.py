"""Shuffled views by adding one user at a time, and the worst pair by comparing all data sets.

A table is input -> {tuple of messages: probability}. A view is the number of each message, written as the digits of one
integer: adding a user is adding an integer. A data set is the number of users of each input, in the table's order.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import pairwise, permutations
from math import comb
from typing import Any, TypeAlias

import mpmath

from exactdp.reference.hockey_stick_sums import Event, hockey_stick, worst
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
