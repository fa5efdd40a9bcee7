"""Is a number at most a bound: the number is enclosed, more and more closely until the order is proved.

The gap between the two says how many bits the checker will need.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Final

from exactdp.certificates import verify as checker
from exactdp.certificates.decide.decision import Value
from exactdp.laws.binomial import Binomial
from exactdp.laws.binomial_sum import BinomialSum
from exactdp.laws.discrete_laplace import DiscreteLaplace
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.laws.negative_binomial import Geometric

__all__ = ["compared", "is_listed", "precisions"]

_RELATIVE_BITS: Final = (53, 256, 1200, 4000)
"""Accuracies of the enclosures that are tried: that of floats decides most claims, and 4000 bits take a second."""
_EXTRA_BITS: Final = (48, 96, 192, 512)
"""Bits that the checker may need beyond those that tell the number from the bound: its roundings add up."""
_LISTED_TRIALS: Final = 1000
"""Most trials of a binomial law whose weights the checker lists faster than it encloses them."""
_LISTED_PRODUCTS: Final = 40_000
"""The same for the products of the weights of two binomial laws."""


def is_listed(law: Law | LatticeLaw, *, by_steps: bool) -> bool:
    """Whether the checker lists the weights exactly and fast; ``by_steps`` if it may merge constant ratios."""
    if isinstance(law, Geometric | DiscreteLaplace):
        return by_steps and law.is_rational
    if isinstance(law, Binomial):
        return law.is_rational and law.n <= _LISTED_TRIALS
    if isinstance(law, BinomialSum):
        return law.is_rational and law.n1 * law.n2 <= _LISTED_PRODUCTS
    return isinstance(law, Law)


def compared(enclose: Callable[[int], Value], bound: Fraction) -> tuple[int | None, Value]:
    """Return the sign of the number minus the bound, None if no accuracy decides it, and the last enclosure."""
    value: Value = Fraction(0)
    for bits in _RELATIVE_BITS:
        value = enclose(bits)
        if isinstance(value, Fraction):
            return (value > bound) - (value < bound), value
        if (sign := value.compare(bound)) is not None:
            return sign, value
    return None, value


def precisions(value: Value, bound: Fraction) -> list[str]:
    """Return precisions with which the checker may tell the value from the bound, the least first."""
    if isinstance(value, Fraction):
        gap = abs(bound - value)
    elif value.compare(bound / 2) == -1:  # the value may be too small to be written as a fraction
        gap = bound / 2
    else:
        gap = max(bound - value.hi, value.lo - bound)
    if gap <= 0:
        return []
    least = max(0, gap.denominator.bit_length() - gap.numerator.bit_length())
    return [str(least + extra) for extra in _EXTRA_BITS if least + extra <= checker.MAX_PRECISION]
