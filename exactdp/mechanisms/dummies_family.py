"""Dummies: a user sends his own message, or that of k-ary response, and beside it uniformly random ones.

``BallsIntoBins`` sends the input itself and ``dummies`` uniform inputs: the counts of a million users are a histogram
plus a multinomial noise that nobody's input has touched (pureDUMP). ``MixedDummies`` sends k-ary response of the input
and uniform dummies (mixDUMP). The user shuffles what he sends: the message of the table is the sorted
bundle.

*Bundles.* Write s for the dummies, p and q for the probabilities of the own symbol and each other one (1 and 0 without
response), and u for the law of s + 1 uniform balls. A bundle with c_y messages y has the probability

    R_x = u(c) d (q + (p - q) c_x/(s + 1)),

because s balls that lack one m are s + 1 balls times c_m d/(s + 1), and the sum of p or q times c_m is
(s + 1) q + (p - q) c_x. So bundles are told apart by the counts of the symbols that matter. The least probability over
all inputs has the least of *all* counts in place of c_x, which is 0 unless every bin is hit; with more than three
inputs, and so many balls that they may all be hit, 0 stands in its place, which is smaller and therefore safe.

*Local eps.* All s + 1 messages may be the own symbol: the ratio p/q of the response is attained, infinite without one.

*Rounded e^eps0.* The channel that replaces a message, with a fixed probability, by a uniform one makes response at the
smaller e^eps0 from that at the larger (:mod:`exactdp.mechanisms.k_ary_family`), and leaves a uniform dummy uniform.

*Frequencies.* Of n users h hold v: the number of messages v is Bin(h, p) + Bin(n - h, q) + Bin(s n, 1/d), exactly
(:mod:`exactdp.protocols.accuracy.frequencies`).

Source: LiLiuFengHuangHuLiuRenQin2020, the protocols pureDUMP and mixDUMP.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, factorial, prod
from typing import ClassVar, Final

from exactdp.errors import TooLargeError
from exactdp.mechanisms.family import (
    MAX_ENTRIES,
    Drawn,
    ExpEps0,
    FamilyRandomizer,
    SupportChances,
    SupportSource,
    exact_eps0,
    rational_of,
    read_exp_eps0,
    read_inputs,
    small_table,
)
from exactdp.mechanisms.pair_table import PairTable
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_integer
from exactdp.numbers.formats import about, short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.real import Real

_MOST_DUMMIES: Final = 10**9
"""More messages than this are nobody's report."""

_MOST_MIXED: Final = 100
"""With more dummies than this beside a random answer the events of the lower end would have thousands of scores."""


class DummyFamily(FamilyRandomizer):
    """One message of k-ary response, or the input itself, and uniform dummies."""

    __slots__ = ()

    d: int
    dummies: int

    @property
    @abstractmethod
    def lie(self) -> Fraction:
        """q: the probability that the own message is a given other symbol."""

    @property
    def keep(self) -> Fraction:
        """p: the probability that the own message is the input."""
        return 1 - (self.d - 1) * self.lie

    @property
    def inputs(self) -> range:
        return range(self.d)

    @property
    def messages_per_user(self) -> int:
        return self.dummies + 1

    @property
    def message_space(self) -> tuple[str, int | None]:
        balls = self.dummies + 1  # C(d + s, s + 1) >= (1 + larger/less)^less
        less, larger = sorted((balls, self.d - 1))
        count = comb(self.d + self.dummies, balls) if less <= 4 or larger <= 128 else None
        return f"C({self.d + self.dummies}, {balls})", count

    @property
    def symbols(self) -> int:
        return self.d

    @property
    def least_is_exact(self) -> bool:
        return self.keep == self.lie or self.dummies + 1 < self.d or self.d <= 3

    @property
    def support_chances(self) -> SupportChances:
        return SupportChances(self.keep, self.lie, dummies=self.dummies, share=Fraction(1, self.d))

    @property
    def pairs_by(self) -> str:
        return "dummies"

    def own_classes(self, labels: Sequence[int]) -> Iterator[tuple[tuple[Fraction, ...], Fraction]]:
        """Yield, for each class of single messages, its probability as own message of some inputs, and as a dummy."""
        for symbol in labels:
            yield tuple(self.keep if symbol == label else self.lie for label in labels), Fraction(1, self.d)
        rest = self.d - len(labels)
        if rest:
            yield (rest * self.lie,) * len(labels), Fraction(rest, self.d)

    def pair_tables(self) -> tuple[PairTable, ...]:
        labels = tuple(range(min(3, self.d)))
        balls, rest = self.dummies + 1, self.d - len(labels)
        count = comb(balls + len(labels), len(labels))
        if count > MAX_ENTRIES:
            raise TooLargeError(
                f"dummies={self.dummies} makes {about(count)} classes of bundles, more than the limit of "
                f"{MAX_ENTRIES}. Use fewer dummies."
            )
        rows = []
        for counts in _counts(balls, len(labels)):
            left = balls - sum(counts)
            if left and not rest:
                continue
            orders = factorial(balls) // (factorial(left) * prod(map(factorial, counts)))
            mass = Fraction(orders * rest**left, self.d ** (balls - 1))
            least = 0 if rest else min(counts)
            row = [mass * (self.lie + (self.keep - self.lie) * Fraction(c, balls)) for c in (*counts, least)]
            rows.append((row[0], row[1], row[-1], *row[: len(labels)]))
        return (PairTable.merged(labels[0], labels[1], labels, rows),)

    def drawn(self, source: SupportSource[Drawn]) -> Drawn:
        return source.among_dummies(self.d * self.lie, self.dummies)

    def _table(self) -> Randomizer:
        table: dict[int, dict[tuple[int, ...], Fraction]] = {x: {} for x in self.inputs}
        balls, lie, keep = self.dummies + 1, self.lie, self.keep
        own = [lie + (keep - lie) * Fraction(count, balls) for count in range(balls + 1)]
        chances: dict[int, list[Fraction]] = {}  # orders of a bundle -> its probability, by how often it has the input
        for bundle in combinations_with_replacement(self.inputs, balls):
            counts = Counter(bundle)
            orders = factorial(balls) // prod(map(factorial, counts.values()))
            if orders not in chances:
                chances[orders] = [Fraction(orders, self.d**self.dummies) * share for share in own]
            listed = chances[orders]
            for x, law in table.items():
                if chance := listed[counts[x]]:
                    law[bundle] = chance
        return Randomizer(table)


def _counts(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways to hit some bins with at most so many balls."""
    if not parts:
        yield ()
        return
    for first in range(total + 1):
        for others in _counts(total - first, parts - 1):
            yield (first, *others)


@dataclass(frozen=True, slots=True, init=False)
class BallsIntoBins(DummyFamily):
    """The input and uniform dummies as a family; the arguments are those of ``balls_into_bins``.

    >>> BallsIntoBins(10**6, dummies=3).local_epsilon()
    LogRational(None)
    """

    name: ClassVar[str] = "balls-into-bins"

    d: int
    dummies: int

    def __init__(self, d: int, *, dummies: int) -> None:
        set_fields(self, d=read_inputs(d, name="d"), dummies=_read_dummies(dummies, _MOST_DUMMIES))

    @property
    def lie(self) -> Fraction:
        return Fraction(0)

    @property
    def is_rational(self) -> bool:
        return True

    def local_epsilon(self) -> LogRational:
        """Return infinity: a bundle of the own symbol alone is sent by no other input."""
        return LogRational(None)


@dataclass(frozen=True, slots=True, init=False)
class MixedDummies(DummyFamily):
    """k-ary response and uniform dummies as a family; the arguments are those of ``mixed_dummies``.

    >>> MixedDummies(1000, exp_eps0=7, dummies=2).local_epsilon()
    LogRational('7')
    """

    name: ClassVar[str] = "mixed-dummies"

    d: int
    exp_eps0: ExpEps0
    dummies: int

    def __init__(self, d: int, *, exp_eps0: Exact | Real, dummies: int) -> None:
        set_fields(
            self,
            d=read_inputs(d, name="d"),
            exp_eps0=read_exp_eps0(exp_eps0),
            dummies=_read_dummies(dummies, _MOST_MIXED),
        )

    @property
    def lie(self) -> Fraction:
        self.need_rational("its law")
        return 1 / (rational_of(self.exp_eps0) + self.d - 1)

    def local_epsilon(self) -> LogRational | Real:
        """Return eps0, exactly: all dummies may be the own symbol."""
        return exact_eps0(self.exp_eps0)


def _read_dummies(dummies: int, most: int) -> int:
    number = as_integer(dummies, name="dummies", at_least=1)
    if number > most:
        raise TooLargeError(f"dummies={short(number)} is more than the limit of {most}. Use fewer dummies.")
    return number


def balls_into_bins(d: int, *, dummies: int) -> Randomizer | FamilyRandomizer:
    """Return what users run who send their input and uniformly random ones: multinomial noise from all of them.

    Args:
        d: number of inputs 0, ..., d-1, from 2 to 10^9.
        dummies: uniform messages beside the own one, 1 to 10^9.

    Returns:
        A ``Randomizer`` of the sorted bundles where d times their number is at most 65,536; else the family
        ``BallsIntoBins``. Either way delta at any n is that of every data set: the answer is exact.

    >>> table = balls_into_bins(2, dummies=1).table()
    >>> table[0]
    {(0, 0): Fraction(1, 2), (0, 1): Fraction(1, 2)}

    Source: LiLiuFengHuangHuLiuRenQin2020, the protocol pureDUMP.
    """
    return small_table(BallsIntoBins(d, dummies=dummies))


def mixed_dummies(d: int, *, exp_eps0: Exact | Real, dummies: int) -> Randomizer | FamilyRandomizer:
    """Return what users run who send k-ary response of their input and uniformly random inputs.

    Args:
        d: number of inputs 0, ..., d-1, from 2 to 10^9.
        exp_eps0: e^eps0 of the response, exact and at least 1, or irrational as "exp(1/2)".
        dummies: uniform messages beside the own one, 1 to 100.

    Returns:
        A ``Randomizer`` of the sorted bundles where d times their number is at most 65,536; else, and where exp_eps0
        is irrational, the family ``MixedDummies``.

    >>> mixed_dummies(2, exp_eps0=3, dummies=1).table()[0]
    {(0, 0): Fraction(3, 8), (0, 1): Fraction(1, 2), (1, 1): Fraction(1, 8)}

    Source: LiLiuFengHuangHuLiuRenQin2020, the protocol mixDUMP.
    """
    return small_table(MixedDummies(d, exp_eps0=exp_eps0, dummies=dummies))
