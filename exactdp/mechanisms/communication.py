"""What users send: messages, and the bits that tell them apart."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

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
