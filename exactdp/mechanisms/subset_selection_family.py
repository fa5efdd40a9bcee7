"""Subset selection: send a random subset of w inputs, which holds the own input more often than by chance.

Subsets of size w that hold the own input are E = e^eps0 times as likely as those that do not. By default w is
max(1, floor(d / (E + 1) + 1/2)), near the size with the least variance; w = 1 is k-ary randomized response.

*Supports.* A message supports its members. u is uniform on the subsets; b = d / (E w + d - w), a = E b. For w < d some
input is missing in every subset, so the least probability is that of an input outside. For w = d all rows are equal.

*Rounded e^eps0.* With E' <= E and one w, selection at E' is selection at E after each subset is replaced, with a fixed
probability, by a uniformly random one.

Source: YeBarg2018, section III.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any, ClassVar

from exactdp.errors import InvalidValueError
from exactdp.evidence.theorems import relies_on
from exactdp.mechanisms.family import (
    Drawn,
    ExpEps0,
    FamilyRandomizer,
    SupportSource,
    check_symbols,
    exact_eps0,
    rational_of,
    read_exp_eps0,
    read_inputs,
    small_table,
)
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.mechanisms.support_family import Patterns, SupportFamily, sampled_bits
from exactdp.numbers.balls import floor_real
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_integer
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.real import Real


@dataclass(frozen=True, slots=True, init=False)
class SubsetSelection(SupportFamily):
    """Subset selection as a family; the arguments are those of ``subset_selection``.

    >>> SubsetSelection(10**6, exp_eps0=3).size
    250000
    """

    name: ClassVar[str] = "subset-selection"
    claim_fields: ClassVar[Mapping[str, str]] = {"inputs": "d", "size": "size", "exp_eps0": "exp_eps0"}
    sends_tuples = True

    d: int
    exp_eps0: ExpEps0
    size: int

    def __init__(self, d: int, *, exp_eps0: Exact | Real, size: int | None = None) -> None:
        inputs, ratio = read_inputs(d, name="d"), read_exp_eps0(exp_eps0)
        if size is None:
            chosen = max(1, floor_real(inputs / (ratio + 1) + Fraction(1, 2)))
        elif (chosen := as_integer(size, name="size", at_least=1)) > inputs:
            raise InvalidValueError(f"size={short(chosen)} is more than d={inputs} inputs. Pass size from 1 to d.")
        set_fields(self, d=inputs, exp_eps0=ratio, size=chosen)

    @property
    def message_space(self) -> tuple[str, int | None]:
        less = min(self.size, self.d - self.size)  # C(d, w) >= (d / w)^w: beyond the small cases it is above 2^64
        count = comb(self.d, self.size) if self.d <= 128 or less <= 4 else None
        return f"C({self.d}, {self.size})", count

    @property
    def symbols(self) -> int:
        chosen = min(self.size, self.d - self.size)
        check_symbols(min(self.d, chosen * self.d.bit_length()), self.message_space[0])
        return comb(self.d, chosen)

    @property
    def densities(self) -> tuple[Fraction, Fraction]:
        self.need_rational("its law")
        ratio = rational_of(self.exp_eps0)
        least = self.d / (ratio * self.size + self.d - self.size)
        return ratio * least, least

    @property
    def everyone(self) -> Fraction:
        return Fraction(self.size == self.d)

    @relies_on("subset_classes.subset_blanket", "subset_classes.subset_others")
    def patterns(self, labels: Sequence[int]) -> Patterns:
        return sampled_bits(self.d, self.size, len(labels))

    @property
    def published_beta(self) -> Fraction:
        high, low = self.densities
        return (high - low) * Fraction(self.size * (self.d - self.size), self.d * (self.d - 1))

    def supports(self, message: Any, value: int) -> bool:
        return value in message

    def local_epsilon(self) -> LogRational | Real:
        return LogRational(1) if self.size == self.d else exact_eps0(self.exp_eps0)

    def drawn(self, source: SupportSource[Drawn]) -> Drawn:
        return source.subsets(self.size, self.densities[1])

    def _table(self) -> Randomizer:
        high, low = (density / comb(self.d, self.size) for density in self.densities)
        subsets = list(combinations(self.inputs, self.size))
        return Randomizer({x: {(subset,): high if x in subset else low for subset in subsets} for x in self.inputs})


def subset_selection(d: int, *, exp_eps0: Exact | Real, size: int | None = None) -> Randomizer | FamilyRandomizer:
    """Return subset selection: subsets of ``size`` inputs, E times as likely where they hold the own input.

    Args:
        d: number of inputs 0, ..., d-1, from 2 to 10^9.
        exp_eps0: E = e^eps0, exact and at least 1, or irrational as "exp(1/2)".
        size: members of a subset, 1 to d; by default max(1, floor(d / (E + 1) + 1/2)).

    Returns:
        A ``Randomizer`` whose message is the sorted tuple of the subset, where d times the number of subsets is at
        most 65,536; else the family ``SubsetSelection``.

    >>> subset_selection(4, exp_eps0=1).table()[0][((0, 1),)], subset_selection(4, exp_eps0=3).local_epsilon()
    (Fraction(1, 6), LogRational('3'))

    Source: YeBarg2018, section III.
    """
    return small_table(SubsetSelection(d, exp_eps0=exp_eps0, size=size))
