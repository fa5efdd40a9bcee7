"""The sensitivity of a query: the largest change of its answer between neighbouring data sets, by trying them all.

For data sets x and y of users whose records are in a finite domain, the sensitivity of f in a norm is the maximum of
norm(f(x) - f(y)) over neighbours x and y. Every data set is asked once and every pair of neighbours is compared, so
the answer is exact, for this domain and this number of users, and for no other.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.mechanisms.dataset import Neighbors, read_neighbors
from exactdp.numbers.exact import as_fraction, as_integer, common_denominator
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import about, short

Norm: TypeAlias = Literal["l1", "linf"]
"""The sum of the absolute changes of all coordinates, or the largest of them."""

MAX_PAIRS: Final = 10**6
"""Most pairs of neighbouring data sets: some seconds, for a query that takes microseconds."""

_Records: TypeAlias = tuple[Any, ...]
_Places: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The largest change of a query, and two neighbouring data sets that attain it.

    ``first`` and ``second`` are tuples of records, as the query is asked; both are the empty tuple where there are no
    neighbours, and the sensitivity is then 0.
    """

    value: Fraction
    first: _Records
    second: _Records


def sensitivity(
    query: Callable[[_Records], Any],
    domain: Iterable[Any],
    n: int,
    *,
    neighbors: Neighbors = Neighbors.REPLACE_ONE,
    norm: Norm = "l1",
) -> Sensitivity:
    """Return the exact sensitivity of a query over all neighbouring data sets of records in a finite domain.

    Args:
        query: takes a data set as a tuple of records, in the order of the domain, and returns an exact number or a
            tuple of them, always of one length. It is asked once for each multiset of records: a query whose answer
            depends on which user holds a record is not covered.
        domain: what a user's record can be, all different.
        n: number of users, at least 1.
        neighbors: REPLACE_ONE compares data sets of n users that differ in one record; ADD_OR_REMOVE_ONE a data set of
            n users with the same without one of them, n - 1 users.
        norm: "l1", the sum of the changes of all coordinates, or "linf", the largest one.

    Returns:
        The sensitivity, exact, with a pair of data sets that attains it.

    Raises:
        TooLargeError: for more than 10^6 pairs of neighbouring data sets, before the query is asked.
        InvalidValueError: for answers that are no exact numbers, or of different lengths.

    >>> sensitivity(sum, range(-3, 6), 4)
    Sensitivity(value=Fraction(8, 1), first=(-3, -3, -3, -3), second=(-3, -3, -3, 5))
    >>> histogram = lambda records: (records.count("a"), records.count("b"))
    >>> sensitivity(histogram, "ab", 5).value, sensitivity(histogram, "ab", 5, norm="linf").value
    (Fraction(2, 1), Fraction(1, 1))

    Cost: one answer for each data set, and one comparison for each pair; 1.2 s for 2 * 10^5 pairs of three coordinates.

    Source: DworkRoth2014, Definition 3.1.
    """
    records, users = _domain(domain), as_integer(n, name="n", at_least=1)
    read_neighbors(neighbors)
    if norm not in get_args(Norm):
        raise InvalidValueError(f'norm={norm!r} is not known. Pass norm="l1" or norm="linf".')
    _check_size(len(records), users, neighbors)
    answers = _Answers(query, records)
    largest = Fraction(-1)
    attained: tuple[_Places, _Places] = ((), ())
    for first, second in _pairs(len(records), users, neighbors):
        if (change := _change(answers.both(first, second), norm)) > largest:
            largest, attained = change, (first, second)
    return Sensitivity(exact_answer(max(largest, Fraction(0))), *map(answers.labelled, attained))


class _Answer(NamedTuple):
    """The numbers that a query returns, over one denominator: integers are compared faster."""

    numerators: tuple[int, ...]
    denominator: int


class _Answers:
    """What the query answers, each data set being asked once; a data set is a sorted tuple of places in the domain."""

    def __init__(self, query: Callable[[_Records], Any], records: Sequence[Any]) -> None:
        self.query, self.records = query, records
        self.known: dict[_Places, _Answer] = {}

    def labelled(self, places: _Places) -> _Records:
        """Return a data set as the query takes it."""
        return tuple(self.records[place] for place in places)

    def answer(self, places: _Places) -> _Answer:
        """Return the answer, which is asked once."""
        known = self.known.get(places)
        if known is None:
            data_set = self.labelled(places)
            answer = self.query(data_set)
            values = answer if isinstance(answer, tuple | list) else (answer,)
            numbers = [as_fraction(value, name=f"the answer to {data_set!r}") for value in values]
            common = common_denominator(numbers, name=f"the answer to {data_set!r}")
            known = _Answer(tuple(int(number * common) for number in numbers), common)
            self.known[places] = known
        return known

    def both(self, first: _Places, second: _Places) -> tuple[_Answer, _Answer]:
        """Return the answers to two data sets, of one length."""
        one, other = self.answer(first), self.answer(second)
        if (length := len(one.numerators)) != (other_length := len(other.numerators)):
            raise InvalidValueError(
                f"the query answers {self.labelled(first)!r} with {length} numbers and {self.labelled(second)!r} with "
                f"{other_length}. Return tuples of one length."
            )
        return one, other


def _change(answers: tuple[_Answer, _Answer], norm: Norm) -> Fraction:
    (first, scale), (second, other_scale) = answers
    changes = [abs(mine * other_scale - theirs * scale) for mine, theirs in zip(first, second, strict=True)]
    return Fraction(sum(changes) if norm == "l1" else max(changes, default=0), scale * other_scale)


def _domain(domain: Iterable[Any]) -> Sequence[Any]:
    records = tuple(domain)
    if not records:
        raise InvalidValueError("the domain is empty. Give what a user's record can be.")
    if unhashable := [record for record in records if not isinstance(record, Hashable)]:
        raise InvalidValueError(f"the record {unhashable[0]!r} is not hashable. Use a tuple in place of a list.")
    if len(set(records)) < len(records):
        twice = next(record for record in records if records.count(record) > 1)
        raise InvalidValueError(f"the domain has the record {twice!r} twice. Name each once.")
    return records


def _check_size(records: int, users: int, neighbors: Neighbors) -> None:
    """Refuse too many pairs of neighbouring data sets."""
    others = comb(users + records - 2, min(records, users) - 1)
    pairs = others * (comb(records, 2) if neighbors is Neighbors.REPLACE_ONE else records)
    if pairs > MAX_PAIRS:
        raise TooLargeError(
            f"n={short(users)} users of {records} records make {about(pairs)} pairs of neighbouring data sets, more "
            f"than the limit of {MAX_PAIRS}. Use fewer users or records: of a sum or a histogram one user tells all."
        )


def _pairs(records: int, users: int, neighbors: Neighbors) -> Iterator[tuple[_Places, _Places]]:
    """Yield all pairs of neighbouring data sets, each in one order, as sorted places in the domain."""
    for others in combinations_with_replacement(range(records), users - 1):
        with_one = [tuple(sorted((*others, own))) for own in range(records)]
        if neighbors is Neighbors.REPLACE_ONE:
            yield from combinations(with_one, 2)
        else:
            yield from ((others, larger) for larger in with_one)
