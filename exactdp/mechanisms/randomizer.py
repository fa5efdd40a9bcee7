"""Randomizers as tables: for every input the law of the messages that a user with this input sends.

A shuffled view is the multiset of all messages; the order is uniformly random and independent of the data, so it
carries nothing. Inside claims and engines, inputs and messages are indices; their labels are for people.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import factorial, prod
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

from exactdp.errors import InvalidRandomizerError, TooLargeError
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_fraction, common_denominator, is_plain
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import about, short
from exactdp.numbers.frozen import set_fields

if TYPE_CHECKING:
    from pathlib import Path

    from exactdp.mechanisms.linear_estimate import LinearEstimate

from exactdp.numbers.interval import Interval


@dataclass(frozen=True, slots=True)
class Communication:
    """What one user sends in one round.

    Args:
        messages: the expected number of messages, for the input that asks for most of them.
        most: the largest number of messages that can occur; None if there is none.
        symbols: how many different messages there are.

    >>> Communication(messages=Fraction(3, 2), most=2, symbols=1000).bits
    10
    """

    messages: Fraction | Interval
    most: int | None
    symbols: int

    @property
    def bits(self) -> int:
        """The bits of one message, at least 1: what tells the symbols apart in a code of one length."""
        return max(1, (self.symbols - 1).bit_length())


Row: TypeAlias = tuple[tuple[tuple[int, ...], Fraction], ...]
"""The law of one input: (indices of the messages sent, probability > 0), in the order given."""

MAX_ORDERINGS: Final = 100_000
"""Most orderings of one user's messages that ``preshuffle`` lists."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Randomizer:
    """A finite randomizer: input -> law over the tuple of messages that a user sends.

    Args:
        table: input -> (tuple of messages -> probability). Inputs and messages are any hashable values; tuples may
            have any length, and () means no message. Probabilities are exact, non-negative and sum to 1 in each row.

    ``inputs`` and ``alphabet`` list the inputs and the messages in the order of first appearance.

    Raises:
        InvalidRandomizerError: for an empty table, an empty row, a negative probability or a wrong sum; it names the
        row.

    >>> flip = Randomizer({0: {(0,): "3/4", (1,): "1/4"}, 1: {(0,): "1/4", (1,): "3/4"}})
    >>> flip.alphabet, flip.local_epsilon()
    ((0, 1), LogRational('3'))
    """

    inputs: tuple[Any, ...]
    alphabet: tuple[Any, ...]
    rows: tuple[Row, ...]

    family: ClassVar[None] = None
    """A table does not know of which family it is."""
    pairs_by: ClassVar[str] = "table"
    """What amplification compares two inputs by."""
    is_rational: ClassVar[bool] = True
    """Whether all probabilities are rational, as those of a family need not be."""
    least_is_exact: ClassVar[bool] = True
    """Whether the least probabilities of its messages are exact."""

    def __init__(self, table: Mapping[Any, Mapping[tuple[Any, ...], Exact]]) -> None:
        if not isinstance(table, Mapping) or not table:
            raise InvalidRandomizerError("the table is empty. Give at least one row: input -> {messages: probability}.")
        index: dict[Any, int] = {}
        rows = tuple(_read_row(value, row, index) for value, row in table.items())
        set_fields(self, inputs=tuple(table), alphabet=tuple(index), rows=rows)

    @property
    def density(self) -> None:
        """The family, where it sends real numbers: none of a table."""

    @property
    def dummy_inputs(self) -> tuple[Any, ...]:
        """The inputs of which a dummy may be a message."""
        return self.inputs

    @classmethod
    def from_file(cls, path: str | Path) -> Randomizer:
        """Read a randomizer from a TOML or JSON file; the format is described in docs/randomizer-files.md."""
        from exactdp.mechanisms.randomizer_files import read_randomizer_table

        table = read_randomizer_table(path)
        try:
            return cls(table)
        except InvalidRandomizerError as error:
            raise InvalidRandomizerError(f"{path}: {error}") from None

    def table(self) -> dict[Any, dict[tuple[Any, ...], Fraction]]:
        """Return the table with labels, as given to the constructor, without the outcomes of probability 0."""
        return {
            value: {tuple(self.alphabet[m] for m in send): exact_answer(p) for send, p in row}
            for value, row in zip(self.inputs, self.rows, strict=True)
        }

    @property
    def tabulated(self) -> Randomizer:
        """The table itself."""
        return self

    def listed(self, users: int = 1) -> Randomizer:
        """Return the table itself, for any number of users."""
        return self

    def at_least(self, bits: int = 53) -> Randomizer:
        """Return the table itself, whose numbers are rational."""
        return self

    def at_most(self, bits: int = 53) -> Randomizer:
        """Return the table itself, whose numbers are rational."""
        return self

    @property
    def input_space(self) -> str:
        """How many inputs there are, in words."""
        return str(len(self.inputs))

    @property
    def message_space(self) -> tuple[str, int]:
        """How many different messages there are: in words, and as a number."""
        return about(len(self.alphabet)), len(self.alphabet)

    def local_epsilon(self) -> LogRational:
        """Return the least eps for which the randomizer alone, without a shuffler, is eps-DP; infinite if none is.

        Definition: ln of the largest ratio P[R(x) = m] / P[R(x') = m] over inputs x, x' and message tuples m; exact.
        Cost: O(inputs times outcomes).

        Source: KasiviswanathanLeeNissimRaskhodnikovaSmith2011, Definition 2.2.
        """
        laws = [dict(row) for row in self.rows]
        largest = Fraction(1)
        for law in laws:
            for send, probability in law.items():
                least = min(other.get(send, Fraction(0)) for other in laws)
                if least == 0:
                    return LogRational(None)
                largest = max(largest, probability / least)
        return LogRational(largest)

    def linear_estimates(self) -> tuple[LinearEstimate, ...]:
        """Return the unbiased estimates of how many users hold each input, by least squares."""
        from exactdp.mechanisms.linear_estimate import least_squares

        return least_squares(self.inputs, self.alphabet, self.rows)

    def communication(self) -> Communication:
        """Return what one user sends: messages of the input that asks for most of them on average, and different ones.

        >>> Randomizer({0: {(): "1/4", ("a",): "3/4"}, 1: {("a",): "1/4", ("a", "b"): "3/4"}}).communication()
        Communication(messages=Fraction(7, 4), most=2, symbols=2)
        """
        means = [sum((p * len(send) for send, p in row), Fraction(0)) for row in self.rows]
        most = max(len(send) for row in self.rows for send, _ in row)
        return Communication(exact_answer(max(means)), most, len(self.alphabet))

    def preshuffle(self) -> Randomizer:
        """Return the randomizer whose users put their own messages in uniformly random order before sending them."""
        table: dict[Any, dict[tuple[Any, ...], Exact]] = {}
        for value, row in zip(self.inputs, self.rows, strict=True):
            shuffled: dict[tuple[Any, ...], Exact] = {}
            for send, probability in row:
                orderings = _orderings(send)
                for order in orderings:
                    labels = tuple(self.alphabet[m] for m in order)
                    shuffled[labels] = as_fraction(shuffled.get(labels, 0), name="p") + probability / len(orderings)
            table[value] = shuffled
        return Randomizer(table)

    def local(self) -> Randomizer:
        """Return the randomizer as an observer without a shuffler sees it: each tuple is one message, order included.

        One user of ``local()`` shows exactly what one user of the randomizer sends, so every statement about the
        randomizer itself is a statement about the shuffle protocol of ``local()`` with n = 1.
        """
        return Randomizer({value: {(send,): p for send, p in law.items()} for value, law in self.table().items()})

    def __hash__(self) -> int:
        """Of the labels and one row: answers are kept by randomizer, and are looked up more often than two collide."""
        return hash((self.inputs, self.alphabet, self.rows[0]))

    def __repr__(self) -> str:
        return f"Randomizer({len(self.inputs)} inputs, {len(self.alphabet)} messages)"


def _read_row(value: Any, row: object, index: dict[Any, int]) -> Row:
    """Return one row by message indices, adding new messages to ``index``."""
    if not isinstance(row, Mapping) or not row:
        raise InvalidRandomizerError(
            f"row {value!r} is empty. Give its messages: {{('m',): 1}}, or {{(): 1}} for none."
        )
    read: list[tuple[tuple[int, ...], Fraction]] = []
    for send, probability in row.items():
        if not isinstance(send, tuple):
            raise InvalidRandomizerError(
                f"row {value!r} has the messages {send!r}, which are not a tuple. Write ({send!r},) for one message."
            )
        p = probability if is_plain(probability) else as_fraction(probability, name=_of_row(send, value))
        if p < 0:
            raise InvalidRandomizerError(
                f"row {value!r} gives the messages {send!r} the probability {short(p)}, below 0. "
                "Give probabilities of at least 0."
            )
        indices = tuple(index.setdefault(message, len(index)) for message in send)
        if p:
            read.append((indices, p))
    common = common_denominator((p for _, p in read), name=f"the probabilities of row {value!r}")
    total = Fraction(sum(p.numerator * (common // p.denominator) for _, p in read), common)
    if total != 1:
        labels = {index_: message for message, index_ in index.items()}
        shown = ", ".join(f"{short(repr(tuple(labels[m] for m in send)))}: {short(p)}" for send, p in read[:4])
        shown += ", ..." if len(read) > 4 else ""
        raise InvalidRandomizerError(
            f"row {value!r} of the randomizer sums to {short(total)}, not 1 (messages {shown}). Make it sum to 1."
        )
    return tuple(read)


def _of_row(send: tuple[Any, ...], value: Any) -> str:
    return f"probability of {send!r} in row {value!r}"


def _orderings(send: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the distinct orderings of ``send``."""
    count = factorial(len(send)) // prod(factorial(send.count(m)) for m in set(send))
    if count > MAX_ORDERINGS:
        raise TooLargeError(
            f"{len(send)} messages of one user have {about(count)} orderings, the limit is {MAX_ORDERINGS}. "
            "The shuffled view does not need preshuffle()."
        )
    return list(_arrange(send))


def _arrange(send: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if not send:
        yield ()
    for first in sorted(set(send)):
        position = send.index(first)
        for rest in _arrange(send[:position] + send[position + 1 :]):
            yield (first, *rest)
