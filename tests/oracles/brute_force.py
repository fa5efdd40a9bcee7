"""Shuffle privacy by listing everything: all outputs of all users, all data sets, all ordered pairs.

Laws are plain dictionaries of Fractions; a randomizer is a plain table, input -> {tuple of messages: Fraction}.
Only the table is taken from the package's values.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import permutations, product
from math import factorial
from typing import Any

PlainLaw = dict[Any, Fraction]
Table = Mapping[Hashable, Mapping[tuple[Any, ...], Fraction]]
Pair = tuple[tuple[Any, ...], tuple[Any, ...]]

REPLACE, ADD_OR_REMOVE = "replace-one", "add-or-remove-one"


def shuffled_law(table: Table, dataset: Sequence[Hashable]) -> PlainLaw:
    """The law of the sorted tuple of all messages, from all k^n outputs of the users."""
    law: PlainLaw = {}
    for outputs in product(*(table[value].items() for value in dataset)):
        probability = Fraction(1)
        messages: list[Any] = []
        for send, p in outputs:
            probability *= p
            messages += send
        view = tuple(sorted(messages))
        law[view] = law.get(view, Fraction(0)) + probability
    return {view: p for view, p in law.items() if p}


def ordered_law(table: Table, dataset: Sequence[Hashable]) -> PlainLaw:
    """The law of the sequence that a shuffler shows: all messages in each of their orders with equal probability."""
    law: PlainLaw = {}
    for outputs in product(*(table[value].items() for value in dataset)):
        probability = Fraction(1)
        messages: list[Any] = []
        for send, p in outputs:
            probability *= p
            messages += send
        for order in permutations(messages):
            law[order] = law.get(order, Fraction(0)) + probability / factorial(len(messages))
    return {view: p for view, p in law.items() if p}


def counts_of(view: Sequence[Any], alphabet: Sequence[Any]) -> tuple[int, ...]:
    return tuple(sum(1 for message in view if message == letter) for letter in alphabet)


def hockey_stick(p: PlainLaw, q: PlainLaw, exp_eps: Fraction) -> Fraction:
    """sum_y max(0, P(y) - E Q(y))."""
    return sum((max(Fraction(0), mass - exp_eps * q.get(y, Fraction(0))) for y, mass in p.items()), Fraction(0))


def hockey_stick_by_events(p: PlainLaw, q: PlainLaw, exp_eps: Fraction) -> Fraction:
    """max over all 2^m events T of P(T) - E Q(T)."""
    outcomes = sorted(set(p) | set(q), key=repr)
    best = Fraction(0)
    for chosen in product((False, True), repeat=len(outcomes)):
        event = [y for y, inside in zip(outcomes, chosen, strict=True) if inside]
        mass = sum((p.get(y, Fraction(0)) for y in event), Fraction(0))
        best = max(best, mass - exp_eps * sum((q.get(y, Fraction(0)) for y in event), Fraction(0)))
    return best


def neighbouring_pairs(inputs: Sequence[Hashable], n: int, neighbors: str) -> Iterator[Pair]:
    """Every ordered pair of neighbouring data sets, as tuples over the users: no symmetry is used."""
    for common in product(inputs, repeat=n - 1):
        if neighbors == REPLACE:
            for a, b in product(inputs, repeat=2):
                if a != b:
                    yield (*common, a), (*common, b)
        else:
            for a in inputs:
                yield (*common, a), common
                yield common, (*common, a)


class Oracle:
    """The views of all data sets of n users, listed once; every question is answered from the list."""

    def __init__(self, table: Table, n: int, neighbors: str = REPLACE) -> None:
        self.table, self.n = table, n
        self._laws: dict[tuple[Any, ...], PlainLaw] = {}
        self.pairs = list(neighbouring_pairs(list(table), n, neighbors))

    def law(self, dataset: tuple[Any, ...]) -> PlainLaw:
        key = tuple(sorted(dataset, key=list(self.table).index))
        if key not in self._laws:
            self._laws[key] = shuffled_law(self.table, key)
        return self._laws[key]

    def delta(self, exp_eps: Fraction, pairs: Sequence[Pair] | None = None) -> Fraction:
        """sup over neighbouring pairs in both orders, or over the given ``pairs``."""
        values = [hockey_stick(self.law(a), self.law(b), exp_eps) for a, b in (self.pairs if pairs is None else pairs)]
        return max(values, default=Fraction(0))

    def limit(self) -> Fraction:
        """delta at e^eps = infinity: the largest probability of what the neighbour never shows."""
        return max(
            (sum((p for y, p in self.law(a).items() if y not in self.law(b)), Fraction(0)) for a, b in self.pairs),
            default=Fraction(0),
        )

    def largest_ratio(self) -> Fraction | None:
        """The largest likelihood ratio, at least 1; None for infinity."""
        largest = Fraction(1)
        for a, b in self.pairs:
            for y, p in self.law(a).items():
                if y not in self.law(b):
                    return None
                largest = max(largest, p / self.law(b)[y])
        return largest

    def exp_epsilon(self, delta: Fraction) -> Fraction | None:
        """The least e^eps >= 1 with delta(eps) <= ``delta``: the largest over pairs, each from its own breakpoints."""
        worst = Fraction(1)
        for a, b in self.pairs:
            own = pair_exp_epsilon(self.law(a), self.law(b), delta)
            if own is None:
                return None
            worst = max(worst, own)
        return worst

    def tradeoff(self, type_one: Fraction) -> Fraction:
        """The least type II error over all pairs, by Neyman and Pearson: randomized likelihood-ratio tests."""
        return min((neyman_pearson(self.law(b), self.law(a), type_one) for a, b in self.pairs), default=1 - type_one)


def pair_exp_epsilon(p: PlainLaw, q: PlainLaw, delta: Fraction) -> Fraction | None:
    """The least E >= 1 with H_E(P || Q) <= delta; H is linear between the likelihood ratios."""
    if hockey_stick(p, q, Fraction(1)) <= delta:
        return Fraction(1)
    ratios = sorted({p[y] / q[y] for y in p if y in q and p[y] > q[y]})
    low = Fraction(1)
    for high in ratios:
        if hockey_stick(p, q, high) <= delta:
            left, right = hockey_stick(p, q, low), hockey_stick(p, q, high)
            return high if left == right else low + (left - delta) * (high - low) / (left - right)
        low = high
    return None


def neyman_pearson(null: PlainLaw, alternative: PlainLaw, type_one: Fraction) -> Fraction:
    """The least type II error of a randomized test of ``null`` with this type I error."""
    outcomes = sorted(
        set(null) | set(alternative),
        key=lambda y: (y in null, -(alternative.get(y, Fraction(0)) / null[y]) if y in null else Fraction(0)),
    )
    left, missed = type_one, Fraction(1)
    for y in outcomes:
        own, other = null.get(y, Fraction(0)), alternative.get(y, Fraction(0))
        share = Fraction(1) if own <= left else left / own
        left -= share * own
        missed -= share * other
    return missed


def mismatch(
    engine: Callable[[Fraction], Fraction], oracle: Oracle, orders: Sequence[Fraction]
) -> tuple[Fraction, Fraction, Fraction] | None:
    """The first (E, the engine's delta, the oracle's delta) at which they differ, or None."""
    for exp_eps in orders:
        found, expected = engine(exp_eps), oracle.delta(exp_eps)
        if found != expected:
            return exp_eps, found, expected
    return None
