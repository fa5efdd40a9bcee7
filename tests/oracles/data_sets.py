"""The divergence of every ordered pair of inputs, the largest over all data sets of the others: in integers.

A randomizer is a plain table, input -> {tuple of messages: Fraction}. Views are counts of messages. Nothing here
imports the package.
"""

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, permutations
from math import lcm
from typing import Any

Table = Mapping[Hashable, Mapping[tuple[Any, ...], Fraction]]
Law = dict[int, int]
"""Counts of messages, as the digits of one number -> weight."""


def worst_divergences(table: Table, users: int, exp_eps: Fraction) -> dict[tuple[Hashable, Hashable], Fraction]:
    """(x, x') -> the largest divergence of n users, one with x against x', over all data sets of the others."""
    scale, laws = _integer_laws(table, users)
    own = {pair: _signed(laws[pair[0]], laws[pair[1]], exp_eps) for pair in permutations(table, 2)}
    worst = dict.fromkeys(own, 0)
    views: dict[tuple[Hashable, ...], Law] = {(): {0: 1}}
    for size in range(1, users):
        views = {held: _sum(views[held[:-1]], laws[held[-1]]) for held in combinations_with_replacement(table, size)}
    for view in views.values():
        for pair, signed in own.items():
            gain = sum(mass for mass in _sum(view, signed).values() if mass > 0)
            worst[pair] = max(worst[pair], gain)
    whole = scale**users * exp_eps.denominator
    return {pair: Fraction(gain, whole) for pair, gain in worst.items()}


def _integer_laws(table: Table, users: int) -> tuple[int, dict[Hashable, Law]]:
    """A common denominator, and the law of each input over it."""
    scale = lcm(*(p.denominator for row in table.values() for p in row.values()))
    messages = dict.fromkeys(message for row in table.values() for sent in row for message in sent)
    base = users * max(len(sent) for row in table.values() for sent in row) + 1
    digit = {message: base**place for place, message in enumerate(messages)}
    laws: dict[Hashable, Law] = {}
    for held, row in table.items():
        law = laws.setdefault(held, {})
        for sent, p in row.items():
            view = sum(digit[message] for message in sent)
            law[view] = law.get(view, 0) + p.numerator * (scale // p.denominator)
    return scale, laws


def _signed(first: Law, second: Law, exp_eps: Fraction) -> Law:
    """P - E Q, over the denominator of E besides."""
    views = {**first, **second}
    return {y: exp_eps.denominator * first.get(y, 0) - exp_eps.numerator * second.get(y, 0) for y in views}


def _sum(one: Law, other: Law) -> Law:
    """The counts of both together."""
    together: Law = {}
    for y, mass in one.items():
        for z, factor in other.items():
            together[y + z] = together.get(y + z, 0) + mass * factor
    return together


def divergence_of(table: Table, pair: tuple[Hashable, Hashable], others: Sequence[Hashable], exp_eps: Fraction):
    """The divergence of a pair of inputs beside others who hold these."""
    users = len(others) + 1
    scale, laws = _integer_laws(table, users)
    view: Law = {0: 1}
    for held in others:
        view = _sum(view, laws[held])
    signed = _signed(laws[pair[0]], laws[pair[1]], exp_eps)
    gain = sum(mass for mass in _sum(view, signed).values() if mass > 0)
    return Fraction(gain, scale**users * exp_eps.denominator)
