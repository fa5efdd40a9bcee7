"""Dummies: messages that users add to their own, by a law that does not depend on the data, read from a table.

A user with the input x sends one message of the law R_x and has k slots. Each slot, independently of everything else,
is a dummy m with probability v(m), and stays empty with the rest 1 - sum of v. The law of his bundle has the generating
function F_x(z) = R_x(z) (1 - |v| + v(z))^k with the linear forms R_x(z) = sum of R_x(m) z_m and v(z) = sum of v(m) z_m,
|v| = v(1).

*Reading.* Only one (R, v, k) can fit a table whose means differ. Let G = F_x - F_y for two inputs with different
means, and D the second factor. D(1) = 1, and R_x(1) - R_y(1) = 0, so the first derivatives of G at 1 are those of
R_x - R_y, the differences of the mean counts: write t_m. The second ones are G_ml = t_m D_l + t_l D_m, D_l = k v(l) the
derivatives of D: with t_m not 0, D_m = G_mm/(2 t_m) and D_l = (G_ml - t_l D_m)/t_m. One more than k is the largest
bundle. What is found so is compared with the whole table, bundle by bundle, in fractions: the answer is a fact about
the table, or None.

Source: LiLiuFengHuangHuLiuRenQin2020, the protocols pureDUMP and mixDUMP (the reading is this page's).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import factorial, prod
from typing import Final, TypeAlias

from exactdp.mechanisms.randomizer import Randomizer, Row

_MOST_ENTRIES: Final = 2**18
"""Larger tables are not read: a second."""

_MOST_SLOTS: Final = 1000
"""Longer bundles are not read: their probabilities are products of as many factors."""

BundleLaw: TypeAlias = Mapping[tuple[int, ...], Fraction]
"""Sorted messages of a bundle -> its probability."""


@dataclass(frozen=True, slots=True)
class Dummies:
    """One message of a law that depends on the input, and slots for dummies; messages are places in the alphabet."""

    own: tuple[tuple[Fraction, ...], ...]
    """The law of the one message, for each input."""
    chances: tuple[Fraction, ...]
    """How likely a slot holds each message as a dummy; with the rest of the probability it is empty."""
    slots: int
    """Slots of a user."""

    @classmethod
    def of(cls, randomizer: Randomizer) -> Dummies | None:
        """Return what a table is made of; None if it is not of this form.

        >>> hidden = {(x,): "1/2" for x in "ab"}
        >>> table = {x: {(x, y): "1/2" for y in "ab"} for x in "ab"}
        >>> read = Dummies.of(Randomizer(table))
        >>> read.slots, [str(chance) for chance in read.chances], [list(map(int, row)) for row in read.own]
        (1, ['1/2', '1/2'], [[1, 0], [0, 1]])
        >>> Dummies.of(Randomizer({x: hidden for x in "ab"})) is None
        True

        Cost: O(entries times the messages of a bundle); 0.2 s for 65,536 entries.
        """
        lengths = {len(send) for row in randomizer.rows for send, _ in row}
        entries = sum(map(len, randomizer.rows))
        if min(lengths) < 1 or not 2 <= max(lengths) <= _MOST_SLOTS + 1 or entries > _MOST_ENTRIES:
            return None
        size, slots = len(randomizer.alphabet), max(lengths) - 1
        laws = [_bundle_law(row) for row in randomizer.rows]
        means = [_means(law, size) for law in laws]
        different = next((place for place, (one, next_) in enumerate(pairwise(means)) if one != next_), None)
        if different is None:
            return None
        dummies = _mean_dummies(laws[different], laws[different + 1], means[different], means[different + 1])
        own = tuple(tuple(m - d for m, d in zip(mean, dummies, strict=True)) for mean in means)
        read = cls(own, tuple(mean / slots for mean in dummies), slots)
        return read if read._is_a_law() and read._explains(laws) else None

    @property
    def filled(self) -> Fraction:
        """How likely a slot holds a dummy."""
        return sum(self.chances, Fraction(0))

    def _is_a_law(self) -> bool:
        rows = (*self.own, self.chances)
        return all(p >= 0 for row in rows for p in row) and all(sum(row) == 1 for row in self.own) and self.filled <= 1

    def _explains(self, laws: list[BundleLaw]) -> bool:
        """Whether all probabilities are those of this form. They sum to 1, as those listed do: none is missing."""
        parts: dict[tuple[int, ...], dict[int, Fraction]] = {}
        for law, own in zip(laws, self.own, strict=True):
            for bundle, chance in law.items():
                if bundle not in parts:
                    parts[bundle] = {m: self._dummies_chance(bundle, m) for m in set(bundle)}
                if sum((own[m] * p for m, p in parts[bundle].items() if own[m]), Fraction(0)) != chance:
                    return False
        return True

    def _dummies_chance(self, bundle: tuple[int, ...], own: int) -> Fraction:
        """Return how likely the dummies are what a bundle holds beside one message."""
        counts = {m: bundle.count(m) - (m == own) for m in set(bundle)}
        empty = self.slots + 1 - len(bundle)
        orders = factorial(self.slots) // (factorial(empty) * prod(map(factorial, counts.values())))
        return orders * (1 - self.filled) ** empty * prod((self.chances[m] ** c for m, c in counts.items()), start=1)


def _bundle_law(row: Row) -> BundleLaw:
    law: dict[tuple[int, ...], Fraction] = {}
    for send, p in row:
        bundle = tuple(sorted(send))
        law[bundle] = law.get(bundle, Fraction(0)) + p
    return law


def _means(law: BundleLaw, size: int) -> list[Fraction]:
    """Return the mean number of each message in a bundle."""
    means = [Fraction(0)] * size
    for bundle, p in law.items():
        for message in bundle:
            means[message] += p
    return means


def _mean_dummies(first: BundleLaw, second: BundleLaw, means: list[Fraction], others: list[Fraction]) -> list[Fraction]:
    """Return the mean number of dummies of each kind, as the second derivatives of the difference tell it."""
    changes = [one - other for one, other in zip(means, others, strict=True)]
    pivot = next(m for m, change in enumerate(changes) if change)
    derivatives = [Fraction(0)] * len(means)
    for law, sign in ((first, 1), (second, -1)):
        for bundle, p in law.items():
            if times := bundle.count(pivot):
                for message in set(bundle):
                    derivatives[message] += sign * p * times * (bundle.count(message) - (message == pivot))
    base = derivatives[pivot] / (2 * changes[pivot])
    dummies = [(d - t * base) / changes[pivot] for d, t in zip(derivatives, changes, strict=True)]
    dummies[pivot] = base
    return dummies
