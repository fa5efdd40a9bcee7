"""Numbers of the form c e^a with rational c > 0 and a: the parameters and likelihood ratios of noise laws.

They are closed under division, and their order is always decided: c e^a = c' e^a' only if a = a' and c = c',
because e^(a - a') is transcendental for rational a != a' (Lindemann); any other order shows at some precision.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from exactdp.errors import InvalidValueError
from exactdp.numbers.exact import Exact, as_fraction, short

__all__ = ["Real"]


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Real:
    """The number ``coefficient * e**exponent``, both rational, the coefficient above 0.

    >>> Real(2, exponent="1/5") / Real(2, exponent="1/5")
    Real(1)
    """

    coefficient: Fraction
    exponent: Fraction

    def __init__(self, coefficient: Exact, *, exponent: Exact = 0) -> None:
        value = as_fraction(coefficient, name="coefficient")
        if value <= 0:
            raise InvalidValueError(f"coefficient={short(value)} is not above 0. Pass a positive number.")
        object.__setattr__(self, "coefficient", value)
        object.__setattr__(self, "exponent", as_fraction(exponent, name="exponent"))

    @property
    def is_rational(self) -> bool:
        """Whether the exponent is 0."""
        return self.exponent == 0

    def __truediv__(self, other: Real) -> Real:
        return Real(self.coefficient / other.coefficient, exponent=self.exponent - other.exponent)

    def __str__(self) -> str:
        if self.is_rational:
            return short(self.coefficient)
        power = f"e^({short(self.exponent)})"
        return power if self.coefficient == 1 else f"{short(self.coefficient)} {power}"

    def __repr__(self) -> str:
        rest = "" if self.is_rational else f", exponent='{short(self.exponent)}'"
        first = short(self.coefficient)
        return f"Real({first if self.coefficient.denominator == 1 else repr(first)}{rest})"
