"""Families in which a message supports a set of inputs, and its likelihood tells only whether the own input is in it.

The row of an input x is R_x(m) = u(m) * (a if m supports x else b), with a law u on the messages and densities a >= b
(u, a and b depend on the family). k-ary response, unary encoding, subset selection, Hadamard response and local hashing
are of this form; the set is the symbol sent, the bits that are one, the subset, the signs that are plus, the inputs
that hash to the bucket sent.

*Classes.* A message is told apart, by two inputs x, x' and others v, only through which of these it supports. So the
classes are the patterns of these bits with their masses under u, and the least probability over all inputs is b u(m),
except on messages that support *every* input: a u(m). The mass of these is often a power with a million digits; where
it is long it is left out, so that b stands in its place, which is smaller and therefore safe. ``least_is_exact`` says
which.

*Exchangeable inputs.* If the mass of a pattern depends only on how many of its bits are one, all ordered pairs are
renamings of (0, 1) and all other inputs of 2.

*Frequencies.* The messages that support v are sent with probability p* = a u(supports v) by users who hold v, and with
one probability q* by all others. With n_v holders among n users the number of messages that support v is exactly
Bin(n_v, p*) + Bin(n - n_v, q*), and (count - n q*) / (p* - q*) estimates n_v without bias
(:mod:`exactdp.protocols.accuracy.frequencies`).

Source: WangBlockiLiJha2017, section 3 (such protocols, their estimator and its variance).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import perm
from typing import Any, Final, TypeAlias

from exactdp.mechanisms.family import UNIFORM, FamilyRandomizer, SupportChances
from exactdp.mechanisms.pair_table import PairTable
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.real import Real

Patterns: TypeAlias = Mapping[tuple[bool, ...], Fraction]
"""Which of some inputs a message supports -> the mass of these messages under u."""

_SHORT_BITS: Final = 1024
"""Powers up to here are written out, longer ones left out."""
_SMALL: Final = 16
"""Up to so many inputs the classes are exact where that is not absurdly long: the table can be listed there."""
_SMALL_BITS: Final = 2**14
"""With so few inputs, powers up to here."""
_MANY_INPUTS: Final = 16
"""A family of so many inputs is not listed for many users: it has as many messages, or more."""
MANY_USERS: Final = 32
"""With so many users 10^11 outcomes and more are left of so many messages: beyond every scan."""


class SupportFamily(FamilyRandomizer):
    """A family of supports: what its subclasses need not say for themselves."""

    __slots__ = ()

    d: int
    """How many inputs there are; k-ary response calls it k."""

    @property
    def inputs(self) -> range:
        return range(self.d)

    @property
    @abstractmethod
    def densities(self) -> tuple[Fraction, Fraction]:
        """a and b: a message has the probability a u(m) for inputs that it supports, b u(m) for others."""

    @property
    @abstractmethod
    def everyone(self) -> Fraction:
        """The mass under u of the messages that support every input; 0 also where it is too long."""

    @abstractmethod
    def patterns(self, labels: Sequence[int]) -> Patterns:
        """Return the masses under u of the patterns of some inputs, at most the first three of a kind of pair."""

    @property
    def message_law(self) -> Hashable:
        """What tells u from the laws of other families of supports."""
        return type(self), len(self.inputs), frozenset(self.patterns(range(min(3, len(self.inputs)))).items())

    @property
    def joint_kind(self) -> Hashable:
        return self.message_law

    def named(self) -> Iterable[tuple[int, ...]]:
        """Yield first, second and others of each kind of ordered pair."""
        yield tuple(range(min(3, len(self.inputs))))

    def pair_tables(self) -> tuple[PairTable, ...]:
        return tuple(self._pair(labels) for labels in self.named())

    def _pair(self, labels: tuple[int, ...]) -> PairTable:
        rows = (
            [weight * density for density in (*row[:2], least, *row)] for _, weight, least, row in self._classes(labels)
        )
        return PairTable.merged(labels[0], labels[1], labels, rows)

    def _classes(self, labels: Sequence[int]) -> Iterator[tuple[tuple[bool, ...], Fraction, Fraction, list[Fraction]]]:
        """Yield each class: its pattern, its mass under u, the least density and the density of each label."""
        (high, low), everyone = self.densities, self.everyone
        for bits, mass in self.patterns(labels).items():
            whole = everyone if all(bits) else Fraction(0)
            row = [high if bit else low for bit in bits]
            yield bits, mass - whole, low, row
            yield bits, whole, high, row

    def dummy_tables(self, dummy: Any, tells_more: bool | None) -> tuple[PairTable, ...]:
        if dummy == UNIFORM:
            return tuple(self._beside_uniform(labels, tells_more) for labels in self.named())
        return tuple(
            self._beside_input(labels, labels.index(own))
            for labels, own in self.named_beside(dummy[1], bool(tells_more))
        )

    def named_beside(self, held: int, may_be_no_inputs: bool) -> Iterable[tuple[tuple[int, ...], int]]:
        """Yield first, second and others of each kind of pair beside an input that stands out, and that input.

        With ``may_be_no_inputs`` labels, the input's too, may be others that are alike, or of no input: a kind of pair
        more, or a kind of other user, makes what bounds them all no smaller.
        """
        rest = [label for label in range(min(4, len(self.inputs))) if label != held][:3]
        yield (held, *rest[:2]), held
        yield (rest[0], held, *rest[1:2]), held
        if len(rest) > 1:
            yield (*rest[:2], held, *rest[2:]), held

    def _beside_input(self, labels: tuple[int, ...], own: int) -> PairTable:
        rows = (
            [weight * density for density in (*row[:2], least, *row, row[own])]
            for _, weight, least, row in self._classes(labels)
        )
        return PairTable.merged(labels[0], labels[1], (*labels, None), rows)

    def _beside_uniform(self, labels: tuple[int, ...], tells_more: bool | None) -> PairTable:
        """Return the classes beside the uniform law, which is u."""
        rows = (
            [weight * density for density in (*row[:2], least, *row, Fraction(1))]
            for _, weight, least, row in self._classes(labels)
        )
        return PairTable.merged(labels[0], labels[1], (*labels, None), rows)

    def local_epsilon(self) -> LogRational | Real:
        """Return ln(a/b), exactly, or 0 where all rows are equal."""
        high, low = self.densities
        if self.patterns((0, 1)).get((True, False), 0) == 0:
            return LogRational(1)
        return LogRational(high / low if low else None)

    def listed(self, users: int = 1) -> Randomizer | None:
        return None if len(self.inputs) >= _MANY_INPUTS and users >= MANY_USERS else super().listed(users)

    @property
    def support_chances(self) -> SupportChances:
        return SupportChances(*self.support_probabilities)

    @property
    def support_probabilities(self) -> tuple[Fraction, Fraction]:
        """p* and q*: how likely a user's message supports his own input, and an input that he does not hold."""
        (high, low), bits = self.densities, self.patterns((0, 1))
        both, one = bits.get((True, True), Fraction(0)), bits.get((True, False), Fraction(0))
        return high * (both + one), high * both + low * one


def is_short_power(base: Fraction, exponent: int) -> bool:
    """Return whether base**exponent is written out: a small exponent, or few bits."""
    return exponent * base.denominator.bit_length() <= (_SMALL_BITS if exponent <= _SMALL else _SHORT_BITS)


def independent_bits(chance: Fraction, size: int) -> Patterns:
    """Return the masses of patterns of independent bits that are one with this probability."""
    return {
        bits: chance ** sum(bits) * (1 - chance) ** (size - sum(bits)) for bits in product((True, False), repeat=size)
    }


def sampled_bits(population: int, chosen: int, size: int) -> Patterns:
    """Return the masses of patterns of ``size`` members, where a uniformly random subset is chosen."""
    total = perm(population, size)
    return {
        bits: Fraction(perm(chosen, sum(bits)) * perm(population - chosen, size - sum(bits)), total)
        for bits in product((True, False), repeat=size)
    }
