"""Repetition: every user runs one randomizer several times, independently, on his one input.

*Classes.* The bundle of a user is the multiset of his messages. Messages of one class of the single randomizer are
proportional under all rows named, so multisets of classes are classes of bundles, with products of the probabilities.
The least probability of a product is at least the product of the least ones, which stands in its place: smaller, so
safe for the bound by the blanket.

*Local eps.* The rows are products: the largest ratio is the power of the single one.

*Rounded e^eps0.* The channel of the single randomizer acts on each message on its own.

Source: KasiviswanathanLeeNissimRaskhodnikovaSmith2011, section 2 (several local randomizers on one record, while
the classes are this page's).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import comb, factorial, prod
from typing import Any, ClassVar, Final

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.mechanisms.family import (
    MAX_ENTRIES,
    DerivedFamily,
    Drawn,
    FamilyRandomizer,
    Parameter,
    SupportChances,
    SupportSource,
    UserRandomizer,
    small_table,
)
from exactdp.mechanisms.pair_table import PairTable
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import about, short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.real import Real

_MAX_TIMES: Final = 10_000
"""More messages than this are not one user's report; powers of probabilities would be megabytes long."""


@dataclass(frozen=True, slots=True, init=False)
class Repetition(DerivedFamily):
    """A family of which each user sends several independent messages; the arguments are those of ``repeat``."""

    name: ClassVar[str] = "repetition"

    base: FamilyRandomizer
    times: int

    def __init__(self, base: FamilyRandomizer, times: int) -> None:
        if base.messages_per_user != 1 or not base.inputs:
            lacks = "does not send one message per user" if base.inputs else "has no list of inputs"
            raise InvalidValueError(f"base={base!r} {lacks}. Pass a family with both.")
        set_fields(self, base=base, times=_read_times(times))

    @property
    def parameters(self) -> dict[str, Parameter]:
        return {**self.base.parameters, "times": self.times}

    @property
    def messages_per_user(self) -> int:
        return self.times

    @property
    def single(self) -> FamilyRandomizer:
        return self.base

    @property
    def support_chances(self) -> SupportChances | None:
        chances = self.base.support_chances
        return None if chances is None else chances._replace(own=self.times)

    @property
    def pairs_by(self) -> str:
        return "repetition" if self.times > 1 else "classes"

    @property
    def message_space(self) -> tuple[str, int | None]:
        words, count = self.base.message_space
        number = None if count is None or count.bit_length() * self.times > 128 else count**self.times
        return f"({words})^{self.times}", number

    @property
    def least_is_exact(self) -> bool:
        return self.times == 1 and self.base.least_is_exact

    def local_epsilon(self) -> LogRational | Real:
        once = self.base.local_epsilon()
        if isinstance(once, Real):
            return once * self.times
        return LogRational(None if once.is_infinite else once.argument**self.times)

    def pair_tables(self) -> tuple[PairTable, ...]:
        return tuple(self.power(table) for table in self.base.pair_tables())

    def power(self, table: PairTable) -> PairTable:
        """Return the classes of bundles of one table of the single randomizer.

        Raises:
            TooLargeError: for more than 65,536 classes.
        """
        count = comb(len(table.classes) + self.times - 1, self.times)
        if count > MAX_ENTRIES:
            raise TooLargeError(
                f"times={self.times} of {len(table.classes)} classes makes {about(count)} classes of bundles, more "
                f"than the limit of {MAX_ENTRIES}. Repeat less often."
            )
        vectors = [(c.first, c.second, c.least, *c.others) for c in table.classes]
        rows = []
        for places in combinations_with_replacement(range(len(vectors)), self.times):
            orders = factorial(self.times) // prod(factorial(places.count(place)) for place in set(places))
            columns = zip(*(vectors[place] for place in places), strict=True)
            rows.append([orders * prod(column) for column in columns])
        return PairTable.merged(table.first, table.second, table.others, rows)

    def dummy_tables(self, dummy: Any, tells_more: bool | None) -> tuple[PairTable, ...]:
        return self.base.dummy_tables(dummy, tells_more)  # asked where it is sent once

    def at_least(self, bits: int = 53) -> Repetition:
        return Repetition(self.base.at_least(bits), self.times)

    def at_most(self, bits: int = 53) -> Repetition:
        return Repetition(self.base.at_most(bits), self.times)

    def drawn(self, source: SupportSource[Drawn]) -> Drawn:
        return self.base.drawn(source.repeated(self.times))

    def _table(self) -> Randomizer:
        return _repeated(self.base.table(), self.times)

    def _with(self, exp_eps0: Fraction) -> Repetition:
        return Repetition(self.base._with(exp_eps0), self.times)


def repeat(randomizer: UserRandomizer, times: int) -> UserRandomizer:
    """Return the randomizer that a user runs ``times`` times, independently, on his one input.

    Args:
        randomizer: a table, or a family of one message per user.
        times: how often, from 1 to 10,000.

    Returns:
        A ``Randomizer`` over the tuples of all messages, in the order of the runs, where it has at most 65,536
        entries; else, of a family, the family ``Repetition``.

    Raises:
        TooLargeError: for a table whose repetition has more entries.

    >>> from exactdp.randomizers import randomized_response
    >>> repeat(randomized_response(2, exp_eps0=3), 2).table()[0]
    {(0, 0): Fraction(9, 16), (0, 1): Fraction(3, 16), (1, 0): Fraction(3, 16), (1, 1): Fraction(1, 16)}

    Source: KasiviswanathanLeeNissimRaskhodnikovaSmith2011, section 2.
    """
    often = _read_times(times)
    if isinstance(randomizer, FamilyRandomizer):
        return small_table(Repetition(randomizer, often))
    if not isinstance(randomizer, Randomizer):
        raise InvalidValueError(
            f"randomizer has the type {type(randomizer).__name__}. Pass a Randomizer or a family of randomizers."
        )
    widest = max(map(len, randomizer.rows))
    if widest.bit_length() * often > 64 + often or sum(len(row) ** often for row in randomizer.rows) > MAX_ENTRIES:
        raise TooLargeError(
            f"times={often} of a table with rows of {widest} outcomes has more entries than the limit of "
            f"{MAX_ENTRIES}. Repeat less often, or pass a family: exactdp.randomizers.KAryResponse(...)."
        )
    return _repeated(randomizer, often)


def _read_times(times: int) -> int:
    often = as_integer(times, name="times", at_least=1)
    if often > _MAX_TIMES:
        raise TooLargeError(f"times={short(often)} is more than the limit of {_MAX_TIMES}. Repeat less often.")
    return often


def _repeated(randomizer: Randomizer, times: int) -> Randomizer:
    """Return the table of the concatenated tuples."""
    table: dict[Any, dict[tuple[Any, ...], Fraction]] = {}
    for value, row in randomizer.table().items():
        law: dict[tuple[Any, ...], Fraction] = {}
        for runs in product(row.items(), repeat=times):
            sent = tuple(message for send, _ in runs for message in send)
            law[sent] = law.get(sent, Fraction(0)) + prod(p for _, p in runs)
        table[value] = law
    return Randomizer(table)
