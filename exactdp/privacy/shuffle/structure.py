"""A randomizer's table, reduced to what its shuffled view can depend on.

The view is a vector of message counts: a sum of independent vectors, one for each user. Four reductions, each with its
reason, make the search for the worst pair small:

* *Coordinates.* If the vectors of all users lie in a smaller affine space (every user sends four messages, say), some
  counts determine the others. Only those are kept, shifted to start at 0 and divided by their common step.
* *Mixtures.* A row that is a convex combination of other rows is never worse than they are, neither for the user who
  differs nor for a bystander: the pair of views is affine in each user's row, and the divergence is jointly convex.
* *Shifts.* Bystanders whose rows differ by a constant vector are interchangeable: they move both views alike.
* *Twins.* Inputs that a renaming of the messages can exchange (all inputs of randomized response) need to be tried in
  one order only.

Equal rows are mixtures of each other; one stays.

Inputs that a renaming of the messages can exchange: twins.

Two inputs are twins if swapping their rows is the same as renaming messages. Renaming changes no divergence, so data
sets that differ only by exchanging twins need not both be visited. The relation is an equivalence: swapping a and b,
then b and c, then a and b again swaps a and c.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, compress
from math import comb, gcd, isqrt, prod
from operator import itemgetter
from typing import Final, TypeAlias

from exactdp.caching import cached_property
from exactdp.errors import TooLargeError
from exactdp.evidence.theorems import relies_on
from exactdp.mechanisms.dataset import Neighbors
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.exact import common_denominator
from exactdp.numbers.packed import Term

Counts: TypeAlias = tuple[int, ...]
CountLaw: TypeAlias = Mapping[Counts, int]
"""Count vector -> integer weight over the common denominator."""

_TABLE_LIMIT: Final = 4 * 10**6
"""Most messages times outcomes of a table."""

_MIXTURE_LIMIT: Final = 600
"""Rows times distinct outcomes beyond which only equal rows are dropped, not mixtures."""


def count_laws(randomizer: Randomizer, places: Sequence[int] | None = None) -> tuple[list[CountLaw], int]:
    """Return the law of each input over count vectors, as integer weights, and their common denominator.

    ``places`` are positions of inputs; None stands for all.
    """
    rows = randomizer.rows if places is None else [randomizer.rows[place] for place in places]
    size = len(randomizer.alphabet) * sum(map(len, rows))
    if size > _TABLE_LIMIT:
        raise TooLargeError(
            f"the table has {size} counts (messages times outcomes), more than the limit of {_TABLE_LIMIT}. "
            "Use fewer inputs or messages."
        )
    denominator = common_denominator((p for row in rows for _, p in row), name="the probabilities of the table")
    laws: list[CountLaw] = []
    for row in rows:
        law: dict[Counts, int] = {}
        for send, p in row:
            counts = [0] * len(randomizer.alphabet)
            for message in send:
                counts[message] += 1
            key = tuple(counts)
            law[key] = law.get(key, 0) + p.numerator * (denominator // p.denominator)
        laws.append(law)
    return laws, denominator


def at_zero(law: CountLaw) -> CountLaw:
    """Return the law moved so that the least value of each count is 0."""
    low = [min(column) for column in zip(*law, strict=True)]
    return {tuple(x - y for x, y in zip(vector, low, strict=True)): weight for vector, weight in law.items()}


@dataclass(frozen=True, slots=True)
class Chart:
    """The coordinates that determine a count vector, and how.

    Counts of one user in coordinate ``pivots[i]`` are ``low[i] + step[i] * c`` with c >= 0. Every other count is
    affine in these: ``relations[j]`` gives its coefficients on the pivots and its constant for each user.
    """

    pivots: tuple[int, ...]
    low: tuple[int, ...]
    step: tuple[int, ...]
    relations: tuple[tuple[tuple[Fraction, ...], Fraction], ...]

    @classmethod
    def of(cls, vectors: Iterable[Counts]) -> Chart:
        """Return the chart of the affine space that ``vectors`` span."""
        points = sorted(set(vectors))
        size, origin = len(points[0]), points[0]
        ranges = [max(v[j] for v in points) - min(v[j] for v in points) for j in range(size)]
        by_range = sorted(range(size), key=lambda j: (ranges[j], j))
        reduced = _row_echelon([[Fraction(v[j] - origin[j]) for j in by_range] for v in points[1:]])
        pivots = tuple(by_range[next(i for i, entry in enumerate(row) if entry)] for row in reduced)
        relations = []
        for j in range(size):
            coefficients = tuple(row[by_range.index(j)] for row in reduced)
            constant = origin[j] - sum(c * origin[p] for c, p in zip(coefficients, pivots, strict=True))
            relations.append((coefficients, Fraction(constant)))
        low = tuple(min(v[p] for v in points) for p in pivots)
        step = tuple(gcd(*(v[p] - least for v in points)) for p, least in zip(pivots, low, strict=True))
        return cls(pivots, low, step, tuple(relations))

    def coordinates(self, counts: Counts) -> Counts:
        """Return the coordinates of one user's count vector."""
        return tuple((counts[p] - low) // step for p, low, step in zip(self.pivots, self.low, self.step, strict=True))

    def counts(self, coordinates: Counts, users: int) -> Counts:
        """Return the count vector of ``users`` users from the sum of their coordinates."""
        pivot = [users * low + step * c for low, step, c in zip(self.low, self.step, coordinates, strict=True)]
        return tuple(
            int(sum((c * x for c, x in zip(coefficients, pivot, strict=True)), users * constant))
            for coefficients, constant in self.relations
        )


def _row_echelon(matrix: list[list[Fraction]]) -> list[list[Fraction]]:
    """Return the reduced row echelon form, without zero rows."""
    rows: list[list[Fraction]] = []
    for row in matrix:
        for done in rows:
            lead = next(i for i, entry in enumerate(done) if entry)
            row = _minus(row, row[lead], done)
        if lead_entry := next((entry for entry in row if entry), None):
            row = [x / lead_entry for x in row]
            lead = row.index(Fraction(1))
            rows = [_minus(old, old[lead], row) for old in rows] + [row]
    return sorted(rows, key=lambda row: next(i for i, entry in enumerate(row) if entry))


def _minus(row: list[Fraction], factor: Fraction, other: list[Fraction]) -> list[Fraction]:
    return [x - factor * y if y else x for x, y in zip(row, other, strict=True)] if factor else row


@dataclass(frozen=True)
class Structure:
    """What is left of a randomizer for the search of the worst pair.

    ``differing`` and ``bystanders`` hold (input index, law over chart coordinates); with add-or-remove neighbours
    ``differing`` ends with the absent user, whose input is None. ``twins`` has one label for each of ``differing``,
    equal for twins.
    """

    denominator: int
    inputs: int
    differing: tuple[tuple[int | None, CountLaw], ...]
    bystanders: tuple[tuple[int, CountLaw], ...]
    twins: tuple[int, ...]

    @classmethod
    @relies_on(
        "mixture_rows.moved_mixtures_dropped",
        "mixture_rows.moved_mixtures_dropped_add_or_remove",
        "mixture_rows.dropped_one_at_a_time",
    )
    def of(cls, randomizer: Randomizer, neighbors: Neighbors) -> Structure:
        """Return the structure of ``randomizer`` with all four reductions."""
        laws, denominator = count_laws(randomizer)
        kept = _extreme(laws)
        absent = {(0,) * len(randomizer.alphabet): denominator}
        differing: list[tuple[int | None, CountLaw]] = [(i, laws[i]) for i in kept]
        if neighbors is Neighbors.ADD_OR_REMOVE_ONE:
            differing.append((None, absent))
        chart = Chart.of(vector for _, law in differing for vector in law)
        charted = [(i, {chart.coordinates(v): w for v, w in law.items()}) for i, law in differing]
        twins = (*twin_classes([laws[i] for i in kept]), -1)[: len(differing)]  # nobody is a twin of the absent user
        return cls(denominator, len(laws), tuple(charted), _bystanders(charted), twins)

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return len(next(iter(self.differing[0][1])))

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The ordered pairs of positions in ``differing`` that one pair of neighbours can show."""
        last = len(self.differing) - 1
        if self.differing[last][0] is None:
            return tuple(pair for i in range(last) for pair in ((i, last), (last, i)))
        return tuple((i, j) for i in range(last + 1) for j in range(last + 1) if i != j)

    def bystander_data_sets(self, users: int) -> int:
        """The number of bystander data sets to visit for a protocol of ``users`` users."""
        return non_increasing_count(users - 1, self.bystander_twins)

    @cached_property
    def bystander_twins(self) -> tuple[int, ...]:
        """The twin label of each of ``bystanders``."""
        label = {i: twin for (i, _), twin in zip(self.differing, self.twins, strict=True)}
        return tuple(label[i] for i, _ in self.bystanders)

    def pairs_among(self, bystanders: Counts) -> tuple[tuple[int, int], ...]:
        """The ordered pairs to try beside these bystanders: twins with equally many bystanders are interchangeable."""
        count: dict[int | None, int] = {i: number for (i, _), number in zip(self.bystanders, bystanders, strict=True)}
        keys = [(twin, count.get(i, -1)) for (i, _), twin in zip(self.differing, self.twins, strict=True)]
        positions: dict[tuple[int, int], list[int]] = {}
        for position, key in enumerate(keys):
            positions.setdefault(key, []).append(position)
        return tuple(
            (i, j)
            for i, j in self.pairs
            if positions[keys[i]][0] == i and j == next(p for p in positions[keys[j]] if p != i)
        )

    def pair_bound(self, users: int) -> int:
        """A bound of the number of pairs that ``pairs_among`` returns for ``users - 1`` bystanders."""
        different_counts = (1 + isqrt(8 * users + 1)) // 2 + 2
        kinds = sum(min(self.twins.count(twin), different_counts) for twin in set(self.twins))
        return min(len(self.pairs), kinds**2)

    @cached_property
    def most(self) -> tuple[tuple[int, int], ...]:
        """For each coordinate the largest value of a user who differs, and of a bystander."""
        own = [vector for _, law in self.differing for vector in law]
        common = [vector for _, law in self.bystanders for vector in law]
        return tuple(
            (max((v[j] for v in own), default=0), max((v[j] for v in common), default=0)) for j in range(self.dimension)
        )

    def extents(self, users: int) -> tuple[int, ...]:
        """The number of values of each coordinate of a view of ``users`` users."""
        return tuple(own + (users - 1) * common + 1 for own, common in self.most)

    def slots(self, users: int) -> int:
        """The number of slots of a packed view of ``users`` users: the box that holds all outcomes."""
        return prod(self.extents(users))

    def outcomes(self, users: int) -> int:
        """A bound of the number of outcomes: of the box, or of the ways in which users can have what they send."""
        common = {vector for _, law in self.bystanders for vector in law}
        own = {vector for _, law in self.differing for vector in law}
        return min(self.slots(users), comb(users - 1 + len(common) - 1, len(common) - 1) * len(own))


def slot_terms(law: CountLaw, extents: Sequence[int]) -> tuple[Term, ...]:
    """Return the terms (slot, weight) of a law over coordinates, for views with these extents."""
    return tuple(sorted((slot_of(vector, extents), weight) for vector, weight in law.items()))


def slot_of(vector: Counts, extents: Sequence[int]) -> int:
    """Return the slot of a coordinate vector: its digits in the mixed radix ``extents``, the first the lowest."""
    slot = 0
    for value, extent in zip(reversed(vector), reversed(extents), strict=True):
        slot = slot * extent + value
    return slot


def coordinates_of(slot: int, extents: Sequence[int]) -> Counts:
    """Return the coordinate vector of a slot."""
    vector = []
    for extent in extents:
        slot, value = divmod(slot, extent)
        vector.append(value)
    return tuple(vector)


def _extreme(laws: Sequence[CountLaw]) -> list[int]:
    """Return the positions of the laws that remain when mixtures of others are dropped, one at a time, last first."""
    kept = list(range(len(laws)))
    outcomes = sorted({vector for law in laws for vector in law})
    for i in reversed(range(len(laws))):
        others = [j for j in kept if j != i]
        if not others:
            break
        equal = any(laws[j] == laws[i] for j in others)
        if equal or (len(laws) * len(outcomes) <= _MIXTURE_LIMIT and _is_mixture(i, others, laws, outcomes)):
            kept = others
    return kept


def _is_mixture(i: int, others: Sequence[int], laws: Sequence[CountLaw], outcomes: Sequence[Counts]) -> bool:
    if any(weight > max(laws[j].get(v, 0) for j in others) for v, weight in laws[i].items()):
        return False
    from exactdp.symbolic.linear_programming import convex_weights

    candidates = [j for j in others if laws[j].keys() <= laws[i].keys()]
    vectors = [[Fraction(laws[j].get(v, 0)) for v in outcomes] for j in candidates]
    return bool(candidates) and convex_weights([Fraction(laws[i].get(v, 0)) for v in outcomes], vectors) is not None


def _bystanders(charted: Sequence[tuple[int | None, CountLaw]]) -> tuple[tuple[int, CountLaw], ...]:
    """Return one bystander for each class of rows up to a shift, without mixtures of other classes."""
    shifted = [(i, at_zero(law)) for i, law in charted if i is not None]
    kept = _extreme([law for _, law in shifted])
    return tuple(shifted[position] for position in kept)


_COUNTS_KEPT: Final = 64
"""Numbers of data sets that are kept: a search asks for the same one at every value of its parameter."""

Outcomes: TypeAlias = dict[int, list[tuple[int, ...]]]
"""The outcomes of a law that have each message."""

Marginal: TypeAlias = tuple[tuple[int, int], ...]
"""The law of one message's count: sorted pairs (count, weight)."""


def twin_classes(laws: Sequence[CountLaw]) -> tuple[int, ...]:
    """Return for each law the position of the first of its twins, from laws over full count vectors."""
    marginals = [[_marginal(law, message) for law in laws] for message in range(len(next(iter(laws[0]))))]
    kinds = [sorted(row[i] for row in marginals) for i in range(len(laws))]
    outcomes = [_by_message(law) for law in laws]
    classes = list(range(len(laws)))
    for j in range(len(laws)):
        for i in range(j):
            if classes[i] == i and kinds[i] == kinds[j] and _are_twins(laws, outcomes, marginals, i, j):
                classes[j] = i
                break
    return tuple(classes)


def _marginal(law: CountLaw, message: int) -> Marginal:
    """Return the law of one message's count, as sorted pairs."""
    weights: dict[int, int] = {}
    for vector, weight in law.items():
        weights[vector[message]] = weights.get(vector[message], 0) + weight
    return tuple(sorted(weights.items()))


def _by_message(law: CountLaw) -> Outcomes:
    """Return the outcomes of a law that have each message."""
    having: Outcomes = {}
    for vector in law:
        for message in compress(range(len(vector)), vector):
            having.setdefault(message, []).append(vector)
    return having


def _are_twins(
    laws: Sequence[CountLaw], outcomes: Sequence[Outcomes], marginals: Sequence[list[Marginal]], i: int, j: int
) -> bool:
    """Whether a renaming that the marginals suggest swaps laws i and j and leaves the others as they are."""
    moved = _renaming(marginals, i, j)
    if not moved:
        return moved is not None and laws[i] == laws[j]
    rename = itemgetter(*(moved.get(message, message) for message in range(len(marginals))))

    def renamed(law: CountLaw) -> CountLaw:
        return {rename(vector): weight for vector, weight in law.items()}

    def stays(law: CountLaw, having: Outcomes) -> bool:
        """A renaming is one to one, and moves only outcomes that have a message that is renamed."""
        touched = {vector for message in moved for vector in having.get(message, ())}
        return all(law.get(rename(vector)) == law[vector] for vector in touched)

    others = (k for k in range(len(laws)) if k not in (i, j))
    return (
        renamed(laws[i]) == laws[j] and renamed(laws[j]) == laws[i] and all(stays(laws[k], outcomes[k]) for k in others)
    )


def _renaming(marginals: Sequence[list[Marginal]], i: int, j: int) -> dict[int, int] | None:
    """Return message -> the message it takes the count of, where that is another one; None where none fits.

    A message whose marginals are the same after swapping i and j keeps its name.
    """
    swapped = [[*row] for row in marginals]
    for row in swapped:
        row[i], row[j] = row[j], row[i]
    changed = [message for message, row in enumerate(swapped) if row != marginals[message]]
    moved: dict[int, int] = {}
    free = list(changed)
    for message in changed:
        source = next((other for other in free if swapped[other] == marginals[message]), None)
        if source is None:
            return None
        free.remove(source)
        moved[message] = source
    return moved


def non_increasing_count(total: int, classes: Sequence[int]) -> int:
    """Return the number of ways to give ``total`` users to positions so that counts do not rise within a class.

    >>> non_increasing_count(4, [0, 0]), non_increasing_count(4, [0, 1])
    (3, 5)
    """
    return _non_increasing_count(total, tuple(classes))


@lru_cache(maxsize=_COUNTS_KEPT)
def _non_increasing_count(total: int, classes: tuple[int, ...]) -> int:
    if len(classes) == 1:
        return 1
    ways = [1] + [0] * total
    for label in dict.fromkeys(classes):
        # partitions into at most s parts: parts of sizes 1, ..., s, conjugated
        for part in range(1, sum(other == label for other in classes) + 1):
            for rest in range(min(part, total + 1)):
                ways[rest::part] = accumulate(ways[rest::part])
    return ways[total]
