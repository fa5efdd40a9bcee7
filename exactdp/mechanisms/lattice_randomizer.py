"""Randomizers whose messages have no largest number: fixed counts for each input, and independent shares of noise.

A share is a law on 0, 1, 2, ... and how many messages of each kind are sent for every unit that is drawn of it. The
number of messages of a user is random and unbounded, so there is no table, and nothing here cuts the laws off: a
probability is a finite sum, because the messages that are counted bound what was drawn of every share.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from exactdp.errors import InvalidDataSetError, InvalidRandomizerError, TooLargeError
from exactdp.laws.lattice import LatticeLaw
from exactdp.laws.law_balls import EnclosedLaw, enclose_sum_of_products
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, as_integer, as_relative_bits
from exactdp.numbers.formats import about, short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval

Vector: TypeAlias = tuple[int, ...]
"""A number for each message of the alphabet."""

_MAX_TERMS: Final = 10**4
"""Most terms of one probability: about a second."""


@dataclass(frozen=True, slots=True)
class Share:
    """A user's share of some noise: ``law`` is drawn, and every unit of it is sent as so many messages of each kind."""

    law: LatticeLaw
    messages: Vector


@dataclass(frozen=True, slots=True, init=False)
class LatticeRandomizer:
    """What a user with some input sends: fixed messages, and independent shares of noise as further ones.

    Args:
        sent: input -> message -> how many are sent for it.
        shares: the noise: a lattice law from 0 on, and message -> how many are sent for each unit of it.

    ``inputs`` and ``alphabet`` list the inputs and the messages in the order of first appearance.

    >>> from exactdp.laws import Geometric
    >>> noisy = LatticeRandomizer({0: {}, 1: {"+": 1}}, [(Geometric("1/2"), {"+": 1}), (Geometric("1/4"), {"-": 1})])
    >>> noisy.alphabet, noisy.probability(1, {"+": 2, "-": 1})
    (('+', '-'), Interval[0.046875, 0.046875])
    """

    inputs: tuple[Any, ...]
    alphabet: tuple[Any, ...]
    sent: tuple[Vector, ...]
    shares: tuple[Share, ...]

    def __init__(
        self, sent: Mapping[Any, Mapping[Any, int]], shares: Sequence[tuple[LatticeLaw, Mapping[Any, int]]]
    ) -> None:
        if not isinstance(sent, Mapping) or not sent:
            raise InvalidRandomizerError("sent is empty. Give at least one input: {0: {}, 1: {'+': 1}}.")
        alphabet = tuple(
            dict.fromkeys(message for row in (*sent.values(), *(unit for _, unit in shares)) for message in row)
        )

        def vector(row: Mapping[Any, int], what: str) -> Vector:
            return tuple(
                as_integer(row.get(message, 0), name=f"messages {message!r} of {what}", at_least=0)
                for message in alphabet
            )

        noise = tuple(Share(_share_law(law), vector(unit, "a share")) for law, unit in shares)
        if not all(any(share.messages) for share in noise):
            raise InvalidRandomizerError("a share is sent as no message. Leave it out, or give {message: 1}.")
        rows = tuple(vector(row, f"input {value!r}") for value, row in sent.items())
        set_fields(self, inputs=tuple(sent), alphabet=alphabet, sent=rows, shares=noise)

    def probability(
        self, value: Any, counts: Mapping[Any, int], *, relative_bits: int = DEFAULT_RELATIVE_BITS
    ) -> Interval:
        """Enclose the probability that a user with an input sends exactly these numbers of messages.

        Args:
            value: the input.
            counts: message -> number; what is not named is not sent.
            relative_bits: relative accuracy.

        Raises:
            TooLargeError: for a sum of more than 10^4 terms.
        """
        left = tuple(
            as_integer(counts.get(message, 0), name=f"the count of {message!r}", at_least=0) - fixed
            for message, fixed in zip(self.alphabet, self._fixed(value), strict=True)
        )
        if unknown := [message for message in counts if message not in self.alphabet]:
            raise InvalidRandomizerError(
                f"counts names the unknown message {unknown[0]!r}. The messages are {self.alphabet!r}."
            )
        bits, terms = as_relative_bits(relative_bits), list[tuple[tuple[EnclosedLaw, int], ...]]()
        for drawn in _draws(self._ordered, left):
            terms.append(drawn)
            if len(terms) > _MAX_TERMS:
                raise TooLargeError(
                    f"the probability of {short(repr(dict(counts)))} is a sum of more than {about(_MAX_TERMS)} terms, "
                    "the limit. Use fewer messages."
                )
        return enclose_sum_of_products(terms, bits) if terms else Interval.around(0, relative_bits=1)

    def _fixed(self, value: Any) -> Vector:
        if value not in self.inputs:
            raise InvalidDataSetError(f"{value!r} is no input of this randomizer. The inputs are {self.inputs!r}.")
        return self.sent[self.inputs.index(value)]

    @property
    def _ordered(self) -> tuple[Share, ...]:
        """Shares of many kinds of messages first: what is left then says what was drawn of the others."""
        return tuple(sorted(self.shares, key=lambda share: -sum(map(bool, share.messages))))


def _draws(shares: Sequence[Share], left: Vector) -> Iterator[tuple[tuple[EnclosedLaw, int], ...]]:
    """Yield what may have been drawn of some shares that send so many messages together."""
    if min(left, default=0) < 0 or (not shares and any(left)):
        return
    if not shares:
        yield ()
        return
    share, later = shares[0], shares[1:]
    most = min(have // unit for have, unit in zip(left, share.messages, strict=True) if unit)
    first = most if _is_last(share, later) else share.law.low or 0
    for units in range(first, most + 1):
        if share.law.holds(units):
            rest = tuple(have - units * unit for have, unit in zip(left, share.messages, strict=True))
            factor = () if share.law.enclosed is None else ((share.law.enclosed, units),)
            for others in _draws(later, rest):
                yield (*factor, *others)


def _share_law(law: object) -> LatticeLaw:
    if not isinstance(law, LatticeLaw) or law.low is None or law.low < 0:
        raise InvalidRandomizerError(
            f"the law of a share is {short(repr(law))}. Pass a lattice law from 0 on, such as Geometric, Poisson or "
            "NegativeBinomial."
        )
    return law


def _is_last(share: Share, later: Sequence[Share]) -> bool:
    """Whether no later share sends some kind of message that this one sends, so that it must send all that are left."""
    return any(unit and not any(other.messages[i] for other in later) for i, unit in enumerate(share.messages))
