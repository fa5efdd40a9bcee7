"""Products of finite pairs, exactly: the outcomes of many runs by what their likelihood ratio can be.

Outcomes with one likelihood ratio are one *class*. Where the ratios of a mechanism are r b^a for integers a (always for
two classes: binary randomized response, discrete Laplace noise), its runs are the powers of polynomials P(z), Q(z), and
outcomes with one exponent have one ratio. Otherwise they are listed by how often each class occurs. Of different
mechanisms all combinations are listed. With the classes s of the product

    H_E = 1 - prod(1 - pinf_i)^k_i + sum over s of (P_s - E Q_s)_+.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import comb, prod
from typing import Final, NamedTuple

from flint import fmpz, fmpz_poly

from exactdp.caching import cached_property
from exactdp.numbers.rationals import ratio

MAX_CLASSES: Final = 2**16
"""Most classes of a product."""

_MAX_BITS: Final = 2**30
"""Most bits of all its weights."""

_MAX_EXPONENT: Final = 64
"""Ratios that are higher powers of one step are not looked for."""


class ExactFactor(NamedTuple):
    """Weights (P, Q) of the classes with Q > 0 by rising ratio, the weight of infinite loss, their total, the power."""

    classes: Sequence[tuple[int, int]]
    infinite: int
    total: int
    times: int

    @property
    def size(self) -> int:
        """A bound of the number of classes of the power."""
        if (line := _on_a_line(self.classes)) is not None:
            return self.times * line[-1] + 1 if line else 1
        return comb(self.times + len(self.classes) - 1, self.times)

    def terms(self) -> list[tuple[fmpz, fmpz]]:
        """Return the weights (P, Q) of the classes of the power."""
        if (line := _on_a_line(self.classes)) is None:
            return self._listed()
        sides = []
        for side in (0, 1):
            values = [0] * (line[-1] + 1 if line else 1)
            for place, weights in zip(line, self.classes, strict=True):
                values[place] = weights[side]
            sides.append((fmpz_poly(values) ** self.times).coeffs())
        return list(zip(*sides, strict=True))

    def _listed(self) -> list[tuple[fmpz, fmpz]]:
        """The same, class by class: how many of the runs that are left fall into it."""
        states = [(fmpz(1), fmpz(1), self.times)]
        *others, last = self.classes
        for p, q in others:
            powers = [(fmpz(p) ** j, fmpz(q) ** j) for j in range(self.times + 1)]
            states = [
                (first * x * comb(left, j), second * y * comb(left, j), left - j)
                for first, second, left in states
                for j, (x, y) in zip(range(left + 1), powers, strict=False)
            ]
        p, q = last
        return [(first * fmpz(p) ** left, second * fmpz(q) ** left) for first, second, left in states]


@dataclass(frozen=True)
class ExactProduct:
    """The product of all factors, each to its power."""

    factors: tuple[ExactFactor, ...]

    @property
    def is_small(self) -> bool:
        """Whether it is built within the limits."""
        bits = sum(factor.times * factor.total.bit_length() for factor in self.factors)
        classes = prod(factor.size for factor in self.factors)
        return classes <= MAX_CLASSES and classes * bits <= _MAX_BITS

    @cached_property
    def _terms(self) -> list[tuple[fmpz, fmpz]]:
        terms = [(fmpz(1), fmpz(1))]
        for factor in self.factors:
            terms = [(p * x, q * y) for x, y in factor.terms() for p, q in terms]
        return terms

    def event(self, exp_eps: Fraction | None) -> tuple[Fraction, Fraction]:
        """Return P(T) and Q(T) for an event T with the largest P - E Q; ``exp_eps`` None stands for infinity."""
        total = prod(factor.total**factor.times for factor in self.factors)
        first = fmpz(total - prod((factor.total - factor.infinite) ** factor.times for factor in self.factors))
        second = fmpz(0)
        if exp_eps is not None:
            above, below = fmpz(exp_eps.numerator), fmpz(exp_eps.denominator)
            for p, q in self._terms:
                if below * p > above * q:
                    first += p
                    second += q
        return ratio(int(first), total), ratio(int(second), total)


def _on_a_line(classes: Sequence[tuple[int, int]]) -> list[int] | None:
    """Return a with ratios r b^a, if there are; classes are sorted by rising ratio."""
    if len(classes) < 2:
        return [0] * len(classes)
    steps = [Fraction(p * s, q * r) for (r, s), (p, q) in pairwise(classes)]
    base, places = min(steps), [0]
    for step in steps:
        exponent, power = 1, base
        while power < step and exponent < _MAX_EXPONENT:
            exponent, power = exponent + 1, power * base
        if power != step:
            return None
        places.append(places[-1] + exponent)
    return places
