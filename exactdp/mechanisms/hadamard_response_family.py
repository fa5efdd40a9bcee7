"""Hadamard response: a random column of Sylvester's matrix, which more often than not has a plus in the own row.

K is the least power of 2 above d. The input x = 0, ..., d-1 has the row v = x + 1 of Sylvester's matrix, whose entry in
column y is +1 if the bits that v and y share are even in number, else -1; the constant row 0 is never used. With
E = e^eps0, columns with +1 have the probability 2E / (K (E + 1)), the others 2 / (K (E + 1)).

*Supports.* A message supports the inputs with +1 in its column. u is uniform; a = 2E / (E + 1), b = 2 / (E + 1). The
signs of independent rows are independent under u, and the row v xor v' has the product of the signs of v and v'. So
there are two kinds of pairs: v xor v' is the row of an input or is not. Each other row is independent of the two, or it
is v xor v'. The rows 1, ..., d span everything, because d >= K/2: only column 0 supports every input, with mass 1/K.

*Rounded e^eps0.* With E' <= E, response at E' is response at E after each column is replaced, with a fixed probability,
by a uniformly random one.

Source: AcharyaSunZhang2019, section 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, ClassVar

from exactdp.evidence.theorems import relies_on
from exactdp.mechanisms.family import (
    Drawn,
    ExpEps0,
    FamilyRandomizer,
    SupportSource,
    exact_eps0,
    rational_of,
    read_exp_eps0,
    read_inputs,
    small_table,
)
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.mechanisms.support_family import Patterns, SupportFamily
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.real import Real


@dataclass(frozen=True, slots=True, init=False)
class HadamardResponse(SupportFamily):
    """Hadamard response as a family; the arguments are those of ``hadamard_response``.

    >>> family = HadamardResponse(10**6, exp_eps0=3)
    >>> family.columns, [(table.first, table.second) for table in family.pair_tables()]
    (1048576, [(0, 1), (475712, 524287)])
    """

    name: ClassVar[str] = "hadamard"
    sends_numbers = True
    claim_fields: ClassVar[Mapping[str, str]] = {"inputs": "d", "exp_eps0": "exp_eps0"}

    d: int
    exp_eps0: ExpEps0

    def __init__(self, d: int, *, exp_eps0: Exact | Real) -> None:
        set_fields(self, d=read_inputs(d, name="d"), exp_eps0=read_exp_eps0(exp_eps0))

    def word_of(self, other: int, first: int, second: int) -> str:
        """Return another word for the input whose row is the product of the two rows."""
        is_product = (first + 1) ^ (second + 1) == other + 1
        return "xor" if is_product else FamilyRandomizer.word_of(self, other, first, second)

    @property
    def columns(self) -> int:
        """K: the number of messages, the least power of 2 above d."""
        return int(2 ** self.d.bit_length())

    @property
    def message_space(self) -> tuple[str, int | None]:
        return str(self.columns), self.columns

    @property
    def densities(self) -> tuple[Fraction, Fraction]:
        self.need_rational("its law")
        least = 2 / (rational_of(self.exp_eps0) + 1)
        return 2 - least, least

    @property
    def everyone(self) -> Fraction:
        return Fraction(1, self.columns)

    def named(self) -> Iterable[tuple[int, ...]]:
        """Yield a pair whose xor is the row of an input, and one whose xor is not, where there are such."""
        if self.d >= 3:
            yield 0, 1, 2, *((3,) if self.d >= 4 else ())  # the rows 1, 2, 3 = 1 xor 2, and 4
        half = self.columns // 2
        if self.d + 1 < self.columns:
            first, second = sorted((half, self.d + 1 - half))  # rows with xor d + 1, which is no input's
            third = next((v for v in (1, 2, 3) if v not in (first, second) and v <= self.d), None)
            yield first - 1, second - 1, *(() if third is None else (third - 1,))

    @relies_on("hadamard_classes.hadamard_blanket", "hadamard_classes.hadamard_others")
    def patterns(self, labels: Sequence[int]) -> Patterns:
        """Return the masses of the patterns: each row is independent of those before it, or the xor of two of them."""
        makers: list[tuple[int, ...]] = []  # each sign as the product of independent ones, by their places
        spanned: dict[int, tuple[int, ...]] = {0: ()}  # row -> the places of the independent rows that it is the xor of
        free = 0
        for row in (label + 1 for label in labels):
            if row not in spanned:
                spanned |= {row ^ other: (*made, free) for other, made in spanned.items()}
                free += 1
            makers.append(spanned[row])
        return {
            tuple(sum(odd[i] for i in made) % 2 == 0 for made in makers): Fraction(1, 2**free)
            for odd in product((0, 1), repeat=free)
        }

    def named_beside(self, held: int, may_be_no_inputs: bool) -> Iterable[tuple[tuple[int, ...], int]]:
        """Yield pairs with the held row x as first, second and xor, and independent of it, beside all kinds of others.

        Up to a linear map x, and what is independent of it, are the rows 1, 2, 4 and 8.
        """
        x, last = (1, self.columns - 1) if may_be_no_inputs else (held + 1, self.d)
        span, others = [0, x], list[int]()
        for row in (1, 2, 4, 8):
            if row not in span and row <= last and len(others) < 3:
                span, others = span + [row ^ other for other in span], [*others, row]
        a, b, far = (*others, 0, 0, 0)[:3]
        kinds: list[tuple[int, ...]] = [(x, a, x ^ a, b), (a, x, x ^ a, b), (a, x ^ a, x, b)]
        if b:
            kinds.append((a, b, x, a ^ b, a ^ x, b ^ x, a ^ b ^ x, far))
        for first, second, *thirds in kinds:
            if max(first, second) <= last:
                rows = (first, second, *(row for row in dict.fromkeys(thirds) if 1 <= row <= last))
                yield tuple(row - 1 for row in rows), x - 1

    @property
    def published_beta(self) -> Fraction:
        high, low = self.densities
        return (high - low) / 4

    def supports(self, message: Any, value: int) -> bool:
        return int(message & (value + 1)).bit_count() % 2 == 0

    def local_epsilon(self) -> LogRational | Real:
        return exact_eps0(self.exp_eps0)

    def drawn(self, source: SupportSource[Drawn]) -> Drawn:
        return source.signs(self.columns, self.densities[1])

    def _table(self) -> Randomizer:
        high, low = (density / self.columns for density in self.densities)
        return Randomizer(
            {x: {(y,): high if self.supports(y, x) else low for y in range(self.columns)} for x in self.inputs}
        )


def hadamard_response(d: int, *, exp_eps0: Exact | Real) -> Randomizer | FamilyRandomizer:
    """Return Hadamard response: a column of Sylvester's matrix, E times as likely where the own row has a plus.

    Args:
        d: number of inputs 0, ..., d-1, from 2 to 10^9; the input x has the row x + 1, of length K, the least power of
            2 above d.
        exp_eps0: E = e^eps0, exact and at least 1, or irrational as "exp(1/2)".

    Returns:
        A ``Randomizer`` with the messages 0, ..., K-1, where d K is at most 65,536; else the family
        ``HadamardResponse``.

    >>> [str(p) for p in hadamard_response(3, exp_eps0=3).table()[0].values()]
    ['3/8', '1/8', '3/8', '1/8']

    Source: AcharyaSunZhang2019, section 3.
    """
    return small_table(HadamardResponse(d, exp_eps0=exp_eps0))
