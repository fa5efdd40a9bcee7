"""Local hashing: k-ary response of a hash of the input, under a hash function that each user draws for himself.

A function h from the d inputs to g buckets is drawn uniformly and sent; with it a bucket y, which is h(x) with
probability p = E / (E + g - 1) and each other bucket with probability q = 1 / (E + g - 1). By default
g = floor(E + 3/2), near the number with the least variance.

*Supports.* A message (h, y) supports the inputs that h sends to y. u is uniform on functions and buckets, under which
the bits h(v) = y are independent and one with probability 1/g; a = g p, b = g q. All inputs are supported with the mass
g^-d. The classes of two inputs need pairwise independent hash functions only, those with a third input 3-wise; the
least b is safe for each of them.

*Rounded e^eps0.* With E' <= E and one g, the bucket at E' is the bucket at E, replaced with a fixed probability by a
uniformly random one.

Source: BassilySmith2015, section 3 (g = 2); WangBlockiLiJha2017, section 4.4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    check_symbols,
    exact_eps0,
    rational_of,
    read_exp_eps0,
    read_inputs,
    small_table,
)
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.mechanisms.support_family import Patterns, SupportFamily, independent_bits, is_short_power
from exactdp.numbers.balls import floor_real
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_integer
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.real import Real


@dataclass(frozen=True, slots=True, init=False)
class LocalHashing(SupportFamily):
    """Local hashing as a family; the arguments are those of ``local_hashing``.

    >>> LocalHashing(10**6, exp_eps0=3).buckets
    4
    """

    name: ClassVar[str] = "local-hashing"
    claim_fields: ClassVar[Mapping[str, str]] = {"inputs": "d", "buckets": "buckets", "exp_eps0": "exp_eps0"}
    sends_tuples = True

    d: int
    exp_eps0: ExpEps0
    buckets: int

    def __init__(self, d: int, *, exp_eps0: Exact | Real, buckets: int | None = None) -> None:
        inputs, ratio = read_inputs(d, name="d"), read_exp_eps0(exp_eps0)
        default = buckets is None
        number = floor_real(ratio + Fraction(3, 2)) if default else as_integer(buckets, name="buckets", at_least=2)
        set_fields(self, d=inputs, exp_eps0=ratio, buckets=number)

    @property
    def message_space(self) -> tuple[str, int | None]:
        count = self.buckets ** (self.d + 1) if (self.d + 1) * self.buckets.bit_length() <= 128 else None
        return f"{self.buckets}^{self.d + 1}", count

    @property
    def symbols(self) -> int:
        check_symbols((self.d + 1) * self.buckets.bit_length(), self.message_space[0])
        return int(self.buckets ** (self.d + 1))

    @property
    def message_bits(self) -> int:
        return int(self.buckets ** (self.d + 1) - 1).bit_length()

    @property
    def densities(self) -> tuple[Fraction, Fraction]:
        self.need_rational("its law")
        ratio = rational_of(self.exp_eps0)
        least = self.buckets / (ratio + self.buckets - 1)
        return ratio * least, least

    @property
    def least_is_exact(self) -> bool:
        return is_short_power(Fraction(1, self.buckets), self.d)

    @property
    def everyone(self) -> Fraction:
        return Fraction(1, self.buckets**self.d) if self.least_is_exact else Fraction(0)

    @relies_on("hashing_classes.hashing_blanket", "hashing_classes.hashing_others")
    def patterns(self, labels: Sequence[int]) -> Patterns:
        return independent_bits(Fraction(1, self.buckets), len(labels))

    @property
    def published_beta(self) -> Fraction:
        high, low = self.densities
        return (high - low) / self.buckets

    def supports(self, message: Any, value: int) -> bool:
        function, bucket = message
        return bool(function[value] == bucket)

    def local_epsilon(self) -> LogRational | Real:
        return exact_eps0(self.exp_eps0)

    def drawn(self, source: SupportSource[Drawn]) -> Drawn:
        return source.independent(*self.support_probabilities)

    def _table(self) -> Randomizer:
        scale = self.buckets ** (self.d + 1)
        high, low = (density / scale for density in self.densities)
        buckets = range(self.buckets)
        messages = [(h, y) for h in product(buckets, repeat=self.d) for y in buckets]
        return Randomizer({x: {((h, y),): high if h[x] == y else low for h, y in messages} for x in self.inputs})


def local_hashing(d: int, *, exp_eps0: Exact | Real, buckets: int | None = None) -> Randomizer | FamilyRandomizer:
    """Return local hashing: a uniformly random function from inputs to buckets, and a response to the hashed input.

    Args:
        d: number of inputs 0, ..., d-1, from 2 to 10^9.
        exp_eps0: E = e^eps0, exact and at least 1, or irrational as "exp(1/2)".
        buckets: g, at least 2; by default floor(E + 3/2).

    Returns:
        A ``Randomizer`` whose message is the pair of the function, as the tuple of its values, and a bucket, where
        d g^(d+1) is at most 65,536; else the family ``LocalHashing``.

    >>> local_hashing(2, exp_eps0=3, buckets=2).table()[0][(((0, 1), 0),)]
    Fraction(3, 16)

    Source: BassilySmith2015, section 3; WangBlockiLiJha2017, section 4.4.
    """
    return small_table(LocalHashing(d, exp_eps0=exp_eps0, buckets=buckets))
