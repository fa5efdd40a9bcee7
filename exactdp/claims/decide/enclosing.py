"""Is a number at most a bound: the number is enclosed, more and more closely until the order is proved.

The gap between the two says how many bits the checker will need.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final

from exactdp.checker.limits import MAX_PRECISION
from exactdp.claims.decide.decision import Value
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw

_RELATIVE_BITS: Final = (53, 256, 1200, 4000)
"""Accuracies of the enclosures that are tried: that of floats decides most claims, and 4000 bits take a second."""
_EXTRA_BITS: Final = (48, 96, 192, 512)
"""Bits that the checker may need beyond those that tell the number from the bound: its roundings add up."""


def is_listed(law: Law | LatticeLaw, *, by_steps: bool) -> bool:
    """Whether the checker takes the law exactly and fast; ``by_steps`` if it may merge constant ratios."""
    if law.lattice is not None and law.lattice.has_constant_ratios:
        return by_steps and law.is_rational
    return law.lists_fast or (law.lattice is not None and law.lattice.is_uniform)


def compared(
    enclose: Callable[[Any], Value], bound: Fraction, *, accuracies: Sequence[Any] = _RELATIVE_BITS
) -> tuple[int | None, Value]:
    """Return the sign of the number minus the bound, None if no accuracy decides it, and the last enclosure."""
    value: Value = Fraction(0)
    for accuracy in accuracies:
        value = enclose(accuracy)
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
    return [str(least + extra) for extra in _EXTRA_BITS if least + extra <= MAX_PRECISION]
