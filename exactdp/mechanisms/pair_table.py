"""What amplification by shuffling depends on: for two inputs of one user, the classes of messages told apart.

*Bundles.* A user's bundle is the multiset of all messages that he sends; the shuffler hides the order. Write P and Q
for the laws of the bundle under the two inputs ``first`` and ``second`` of the user who differs, R_v under an input v
of another user, and c(m) = min over *all* inputs v of R_v(m), the rows that no data set is expected to use included.

*Classes.* Bundles m on which (P, Q, c, R_v for each v named) are proportional form one class, with the total
probabilities of the class. For the data sets whose other users hold named inputs nothing is lost: given its class, the
law of a bundle is the same under all rows named, so publishing classes is as informative as publishing bundles. Nor is
anything lost for the bound by the blanket, which reads the law of (P(m) - x Q(m)) / c(m) under c alone: equal ratios
are equal atoms.

*Different ratios are never merged.* A merged atom is the mean of its parts, and E[max(0, L_1 + ... + L_n)] is smaller
for the mean (Jensen): the bound would fall below what it bounds. A class whose total c is put smaller than it is stays
safe: with mu = P - x Q and c' <= c, the sum of max(0, mu) over c' = 0, plus U_n(mu / c'), is at least that of c.

*Twins.* Inputs with equal rows are one input: the first of them is named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import gcd
from typing import Any, Final

from exactdp.errors import InvalidDataSetError
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.exact import common_denominator
from exactdp.numbers.rationals import ratio as in_lowest_terms

_ALIKE: Final = 3
"""So many pairs with the same probabilities (P, Q, c) are looked at."""


@dataclass(frozen=True, slots=True)
class MessageClass:
    """Bundles on which all rows named are proportional, with the total probabilities of the class.

    ``first`` and ``second`` are P and Q; ``least`` is the sum over the class of the least probability over all rows
    that a user may send, or a smaller number; ``others`` has R_v for each v of ``PairTable.others``.
    """

    first: Fraction
    second: Fraction
    least: Fraction
    others: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class PairTable:
    """The classes of messages of two inputs of one user, and of named inputs of the others.

    ``first`` and ``second`` are the labels of the two inputs; ``others`` are labels of inputs that the other users may
    hold. ``classes`` are in decreasing order of the shares of (first, second, least, others) in their sum, each ratio
    once: tables of the same pair are equal where they state the same.

    >>> from exactdp import Randomizer
    >>> flip = Randomizer({0: {(0,): "3/4", (1,): "1/4"}, 1: {(0,): "1/4", (1,): "3/4"}})
    >>> [(str(c.first), str(c.second), str(c.least)) for c in pair_table(flip, 0, 1).classes]
    [('3/4', '1/4', '1/4'), ('1/4', '3/4', '1/4')]
    """

    first: Any
    second: Any
    others: tuple[Any, ...]
    classes: tuple[MessageClass, ...]

    @classmethod
    def merged(cls, first: Any, second: Any, others: Sequence[Any], rows: Iterable[Sequence[Fraction]]) -> PairTable:
        """Return the table of vectors (P, Q, c, R_v for v in others): equal ratios merged, zero vectors left out."""
        listed = [tuple(row) for row in rows]
        scale = common_denominator((p for row in listed for p in row), name="the probabilities of the classes")
        vectors = ([p.numerator * (scale // p.denominator) for p in row] for row in listed)
        return cls.of_integers(first, second, others, vectors, scale)

    @classmethod
    def of_integers(
        cls, first: Any, second: Any, others: Sequence[Any], vectors: Iterable[Sequence[int]], scale: int
    ) -> PairTable:
        """Return the table of vectors of integers over ``scale``."""
        multiples: Counter[tuple[int, ...]] = Counter()
        for vector in vectors:
            if factor := gcd(*vector):
                multiples[tuple(entry // factor for entry in vector)] += factor
        bits = 2 * max((sum(ratio).bit_length() for ratio in multiples), default=0)
        ordered = sorted(multiples.items(), key=lambda item: _shares(item[0], bits), reverse=True)
        classes = []
        for ratio, multiple in ordered:
            p, q, c, *rest = (in_lowest_terms(entry * multiple, scale) for entry in ratio)
            classes.append(MessageClass(p, q, c, tuple(rest)))
        return cls(first, second, tuple(others), tuple(classes))

    def beside(self, place: int | None) -> tuple[MessageClass, ...]:
        """Return the classes that are told apart beside others who all send by ``others[place]``, or by c, in the place
        of ``least``."""
        rows = ((c.first, c.second, c.least if place is None else c.others[place]) for c in self.classes)
        return PairTable.merged(self.first, self.second, (), rows).classes

    def swapped(self) -> PairTable:
        """Return the table of the same two inputs in the other order."""
        rows = [(c.second, c.first, c.least, *c.others) for c in self.classes]
        return PairTable.merged(self.second, self.first, self.others, rows)

    def among(self, others: Sequence[Any]) -> PairTable:
        """Return the table in which the other users hold only ``others``, inputs that are named here.

        Bundles that only the inputs left out tell apart are merged.
        """
        places = [self.others.index(label) for label in others]
        rows = [(c.first, c.second, c.least, *(c.others[place] for place in places)) for c in self.classes]
        return PairTable.merged(self.first, self.second, others, rows)


def _shares(vector: tuple[int, ...], bits: int) -> tuple[int, ...]:
    """Return the shares in units of 2^-bits, rounded down: of sums below 2^(bits/2) different ones stay different."""
    total = sum(vector)
    return tuple((entry << bits) // total for entry in vector)


def pair_table(randomizer: Randomizer, first: Any, second: Any, *, others: Sequence[Any] | None = None) -> PairTable:
    """Return the classes of bundles of two inputs of a table.

    Args:
        randomizer: any table; users may send any number of messages.
        first, second: two of its inputs.
        others: inputs that the other users may hold; by default ``first``, ``second`` and all others, of inputs with
            equal rows one. The least probabilities are over all inputs, whatever is named here.

    Raises:
        InvalidDataSetError: for labels that are no inputs.
        TooLargeError: for probabilities whose common denominator has more than 2^18 bits.

    >>> from exactdp import randomized_response
    >>> table = pair_table(randomized_response(4, gamma="1/2"), 0, 1)
    >>> table.others, [tuple(map(str, c.others)) for c in table.classes[:2]]
    ((0, 1, 2, 3), [('5/8', '1/8', '1/8', '1/8'), ('1/8', '1/8', '5/8', '1/8')])

    Cost: O(inputs times bundles); 2 ms for 32 inputs and 32 messages with ``others=()``, 9 ms without.
    """
    return Bundles.of(randomizer).pair(first, second, others)


def every_pair_table(randomizer: Randomizer, *, others: Sequence[Any] | None = None) -> Iterator[PairTable]:
    """Yield ``pair_table(randomizer, first, second, others=others)`` for every ordered pair of different inputs.

    Of inputs with equal rows only the first is a member of pairs: as others they are one input, and between the two of
    them every delta is 0.
    """
    bundles = Bundles.of(randomizer)
    distinct = bundles.distinct()
    for first in distinct:
        for second in distinct:
            if first != second:
                yield bundles.pair(randomizer.inputs[first], randomizer.inputs[second], others)


@dataclass(frozen=True, slots=True)
class Bundles:
    """The law of the bundle under each input, as integers over one denominator, and the least of each bundle."""

    inputs: tuple[Any, ...]
    rows: tuple[tuple[int, ...], ...]
    least: tuple[int, ...]
    scale: int

    @classmethod
    def of(cls, randomizer: Randomizer) -> Bundles:
        scale = common_denominator(
            (p for row in randomizer.rows for _, p in row), name="the probabilities of the table"
        )
        places: dict[tuple[int, ...], int] = {}
        laws: list[Counter[int]] = []
        for row in randomizer.rows:
            law: Counter[int] = Counter()
            for send, p in row:
                place = places.setdefault(tuple(sorted(send)), len(places))
                law[place] += p.numerator * (scale // p.denominator)
            laws.append(law)
        rows = tuple(tuple(law[place] for place in range(len(places))) for law in laws)
        return cls(randomizer.inputs, rows, tuple(map(min, zip(*rows, strict=True))), scale)

    def pair(self, first: Any, second: Any, others: Sequence[Any] | None) -> PairTable:
        places = [self.place(label) for label in (first, second)]
        if others is None:
            named = places + [
                place for place in self.distinct() if self.rows[place] not in map(self.rows.__getitem__, places)
            ]
        else:
            named = [self.place(label) for label in others]
        rows = [self.rows[place] for place in places]
        columns = zip(*rows, self.least, *(self.rows[place] for place in named), strict=True)
        return PairTable.of_integers(first, second, [self.inputs[place] for place in named], columns, self.scale)

    def representatives(self) -> Iterator[tuple[int, int]]:
        """Yield ordered pairs of inputs, as positions: the first few of those with the same (P, Q, c) up to an order.

        Their bounds by the blanket are equal; what other inputs make of them may differ.
        Cost: O(inputs^2 times ``pair_cost``); 1.5 s for 256 inputs and 256 messages, a tenth where rows have few
        values.
        """
        alike: Counter[frozenset[Any]] = Counter()
        kinds: dict[int, int] = {}  # long integers are compared once
        rows, least = (
            [[kinds.setdefault(p, len(kinds)) for p in row] for row in listed] for listed in (self.rows, [self.least])
        )
        masks = self._masks() if self.pair_cost < len(self.least) else {}
        for first, second in permutations(self.distinct(), 2):
            if masks:
                common = ((p, q, (one & other).bit_count()) for p, one in masks[first] for q, other in masks[second])
                key: frozenset[Any] = frozenset(kind for kind in common if kind[-1])
            else:
                key = frozenset(Counter(zip(rows[first], rows[second], *least, strict=True)).items())
            alike[key] += 1
            if alike[key] <= _ALIKE:
                yield first, second

    def kind(self, first: int, second: int) -> frozenset[Any]:
        """Return what two ordered pairs have in common that are alike but for the names of inputs and bundles: for each
        row of another user how often each (P, Q, c, R) occurs."""
        columns = list(zip(self.rows[first], self.rows[second], self.least, strict=True))
        rows = (Counter(zip(columns, self.rows[place], strict=True)) for place in self.distinct())
        return frozenset(frozenset(row.items()) for row in rows)

    @property
    def pair_cost(self) -> int:
        """Steps that a pair takes to be compared with others: few where rows have few values."""
        most = max(len(set(zip(row, self.least, strict=True))) for row in self.rows)
        return min(len(self.least), most**2)

    def _masks(self) -> dict[int, list[tuple[tuple[int, int], int]]]:
        """Input -> for each (probability, least) the bundles that have them, as the bits of a number."""
        masks: dict[int, list[tuple[tuple[int, int], int]]] = {}
        for place in self.distinct():
            bits: Counter[tuple[int, int]] = Counter()
            for bundle, kind in enumerate(zip(self.rows[place], self.least, strict=True)):
                bits[kind] |= 1 << bundle
            masks[place] = list(bits.items())
        return masks

    def place(self, label: Any) -> int:
        try:
            return self.inputs.index(label)
        except ValueError:
            known = ", ".join(map(repr, self.inputs[:8])) + (", ..." if len(self.inputs) > 8 else "")
            raise InvalidDataSetError(f"{label!r} is no input of the randomizer. The inputs are {known}.") from None

    def distinct(self) -> list[int]:
        """Return the first input of each group with equal rows."""
        seen: dict[tuple[int, ...], int] = {}
        for place, row in enumerate(self.rows):
            seen.setdefault(row, place)
        return list(seen.values())
