"""How a check ends early, and what it may spend: the two errors, and the budget of work and memory.

Trusted for: refusing what is too dear, before it is computed. No verdict depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NoReturn, TypeVar

from .limits import MAX_HELD_BITS, MAX_STEPS, MAX_WORK

Entry = TypeVar("Entry")
NOT_SHOWN = "the bound is not shown to be at most"
"""The beginning of what is said where an enclosure is too wide, or a claim is false."""


class CertificateRejectedError(Exception):
    """A well-formed certificate whose check failed."""


class MalformedCertificateError(Exception):
    """Not a certificate of this schema, or beyond a limit of this checker."""


class Work:
    """The budget of one document: each piece of work is paid for before it is done, and memory is asked for."""

    def __init__(self) -> None:
        self.left = MAX_WORK
        self.memory = MAX_HELD_BITS

    def spend(self, steps: int, bits: int, factor_bits: int = 64) -> None:
        """Pay for ``steps`` products of a number of ``bits`` and one of ``factor_bits``; a short one costs a unit."""
        self.left -= steps * (1 + bits * (512 + factor_bits) // 2**19)
        if self.left < 0 or steps > MAX_STEPS:
            malformed(f"the check is too large: beyond MAX_WORK = {MAX_WORK} or MAX_STEPS = {MAX_STEPS}")

    def expect(self, steps: int, bits: int) -> None:
        """Refuse at once where at least these steps are to come."""
        total = MAX_WORK - self.left + steps * (1 + bits * 576 // 2**19)
        if total > MAX_WORK:
            shown = str(total) if total < 10**12 else f"about 1e{total.bit_length() * 30103 // 100000}"
            malformed(f"the check is too large: {shown} units of work or more, beyond MAX_WORK = {MAX_WORK}")

    def power(self, base: Fraction, exponent: int) -> Fraction:
        """A power, paid for as by school multiplication."""
        self.spend(exponent, exponent * size(base), size(base))
        return base**exponent

    def hold(self, numbers: int, bits: int) -> None:
        """Ask for the memory of so many numbers of these bits, and 128 bytes for the place of each."""
        if numbers * (bits + 1024) > self.memory:
            malformed(f"the check is too large: {numbers} numbers of {bits} bits, beyond MAX_HELD_BITS = {self.memory}")

    def listed(self, entries: Iterable[Entry], bits: int) -> list[Entry]:
        """All entries, of these bits each, as long as there is memory."""
        reached: list[Entry] = []
        for entry in entries:
            reached.append(entry)
            if len(reached) % 1024 == 0:
                self.hold(len(reached), bits)
        return reached


def malformed(reason: str) -> NoReturn:
    raise MalformedCertificateError(reason)


def rejected(reason: str) -> NoReturn:
    raise CertificateRejectedError(reason)


def size(value: Fraction | None) -> int:
    """The bits of a number; the infinite e^eps costs as 1."""
    return 1 if value is None else max(value.numerator.bit_length(), value.denominator.bit_length())
