"""Real numbers as expressions: rationals, exp and log, and what + - * / make of them.

They are the parameters of noise laws (e^-eps, 3 + 3 ln(1/delta)) and their likelihood ratios: nothing is rounded
when they are written down, and the kernel encloses them at any precision.

Every Real is ``coefficient * e**exponent * rest`` with rational coefficient and exponent, where the rest is absent or
a sum, product, power or logarithm that does not fold. Without a rest the order of two of them is always decided:
c e^a = c' e^a' only if a = a' and c = c', because e^(a - a') is transcendental for rational a != a' (Lindemann).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal

from exactdp.errors import InvalidValueError
from exactdp.numbers.exact import Exact, as_fraction, function_call, is_plain
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.symbols import Reader, is_symbolic, sympy_rational

_ZERO: Final = Fraction(0)
_ONE: Final = Fraction(1)


@dataclass(frozen=True, slots=True)
class Operation:
    """A number that does not fold: sum or product of two, an integer power, or exp, log or 1/x of one."""

    name: Literal["sum", "product", "power", "exp", "log", "inverse"]
    terms: tuple[Real, ...]


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Real:
    """A real number, known exactly as an expression.

    Args:
        coefficient: rational.
        exponent: rational; the number is ``coefficient * e**exponent``.

    >>> Real.exp("1/5") / Real.exp("1/5"), 3 * (1 + Real.log(100)), 1 - Real.exp(-1)
    (Real[1], Real[3 (1 + ln(100))], Real[(1 + (-1 e^(-1)))])
    """

    coefficient: Fraction
    exponent: Fraction
    rest: Operation | None

    def __init__(self, coefficient: Exact, *, exponent: Exact = 0, rest: Operation | None = None) -> None:
        self._fold(as_fraction(coefficient, name="coefficient"), as_fraction(exponent, name="exponent"), rest)

    def _fold(self, coefficient: Fraction, exponent: Fraction, rest: Operation | None) -> None:
        """Set the fields; what is multiplied by 0 is dropped."""
        if not coefficient:
            exponent, rest = _ZERO, None
        set_fields(self, coefficient=coefficient, exponent=exponent, rest=rest)

    @classmethod
    def _of(cls, coefficient: Fraction, exponent: Fraction = _ZERO, rest: Operation | None = None) -> Real:
        """Return the number of fractions that have been read already."""
        value = object.__new__(cls)
        value._fold(coefficient, exponent, rest)
        return value

    @classmethod
    def exp(cls, exponent: Exact | Real) -> Real:
        """Return e**exponent."""
        power = as_real(exponent, name="exponent")
        if power.is_rational:
            return cls._of(_ONE, power.coefficient)
        return cls._of(_ONE, rest=Operation("exp", (power,)))

    @classmethod
    def log(cls, argument: Exact | Real) -> Real:
        """Return the natural logarithm of a number above 0."""
        value = as_real(argument, name="argument")
        if value.coefficient <= 0 and value.rest is None:
            raise InvalidValueError(f"argument={value} is not above 0, so it has no logarithm. Pass a positive number.")
        if value.rest is not None:
            return cls._of(_ONE, rest=Operation("log", (value,)))
        if value.coefficient == 1:
            return cls._of(value.exponent)
        return cls._of(_ONE, rest=Operation("log", (cls._of(value.coefficient),))) + value.exponent

    @property
    def is_monomial(self) -> bool:
        """Whether the number is rational times a power of e, so that its order with others like it is decided."""
        return self.rest is None

    @property
    def is_rational(self) -> bool:
        """Whether the number is written as a rational."""
        return self.exponent == 0 and self.rest is None

    def __add__(self, other: Exact | Real) -> Real:
        added = as_real(other, name="summand")
        if (self.exponent, self.rest) == (added.exponent, added.rest):
            return Real._of(self.coefficient + added.coefficient, self.exponent, self.rest)
        if not self.coefficient or not added.coefficient:
            return added if self.coefficient == 0 else self
        return Real._of(_ONE, rest=Operation("sum", (self, added)))

    def __sub__(self, other: Exact | Real) -> Real:
        return self + (-as_real(other, name="subtrahend"))

    def __neg__(self) -> Real:
        return Real._of(-self.coefficient, self.exponent, self.rest)

    def __mul__(self, other: Exact | Real) -> Real:
        factor = as_real(other, name="factor")
        rest = self.rest or factor.rest
        if self.rest is not None and factor.rest is not None:
            rest = Operation("product", (Real._of(_ONE, rest=self.rest), Real._of(_ONE, rest=factor.rest)))
        exponent = self.exponent + factor.exponent if factor.exponent else self.exponent
        return Real._of(self.coefficient * factor.coefficient, exponent, rest)

    def __truediv__(self, other: Exact | Real) -> Real:
        divisor = as_real(other, name="divisor")
        if divisor.coefficient == 0:
            raise InvalidValueError("the divisor is 0. Divide by another number.")
        if self.rest == divisor.rest:
            return Real._of(self.coefficient / divisor.coefficient, self.exponent - divisor.exponent)
        rest = None if divisor.rest is None else Operation("inverse", (Real._of(_ONE, rest=divisor.rest),))
        return self * Real._of(1 / divisor.coefficient, -divisor.exponent, rest)

    def __pow__(self, power: int) -> Real:
        if power < 0:
            return Real._of(_ONE) / self**-power
        rest = self.rest
        if rest is not None and power != 1:
            rest = Operation("power", (Real._of(_ONE, rest=rest), Real(power))) if power else None
        return Real(
            self.coefficient**power, exponent=self.exponent * power, rest=rest
        )  # which refuses what is too long

    def __radd__(self, other: Exact) -> Real:
        return as_real(other, name="summand") + self

    __rmul__ = __mul__

    def __rsub__(self, other: Exact) -> Real:
        return as_real(other, name="minuend") - self

    def __rtruediv__(self, other: Exact) -> Real:
        return as_real(other, name="dividend") / self

    def to_sympy(self) -> Any:
        """Return the same number as an expression of SymPy, exactly.

        >>> (3 * (1 + Real.log(100)) * Real.exp("-1/5")).to_sympy()
        3*(1 + log(100))*exp(-1/5)

        Reading it again gives the same number, though SymPy may write it otherwise. Cost: loads SymPy, 0.4 s once.
        """
        import sympy

        value = sympy_rational(self.coefficient) * sympy.exp(sympy_rational(self.exponent))
        return value if self.rest is None else value * _operation_to_sympy(self.rest)

    def __str__(self) -> str:
        parts = [short(self.coefficient)] if self.coefficient != 1 or self.is_rational else []
        if self.exponent:
            parts.append(f"e^({short(self.exponent)})")
        if self.rest is not None:
            parts.append(_text(self.rest))
        return " ".join(parts)

    def __repr__(self) -> str:
        return f"Real[{self}]"


def as_real(value: Exact | Real, *, name: str) -> Real:
    """Return a number as a Real; ``name`` says in messages which number it was.

    >>> from sympy import Rational, exp, log
    >>> as_real(exp(Rational(-1, 5)), name="p"), as_real(1 + log(2) / 3, name="r")
    (Real[e^(-1/5)], Real[(1 + 1/3 ln(2))])
    """
    if isinstance(value, Real):
        return value
    if is_plain(value):
        return Real._of(value)
    if is_symbolic(value):
        return Reader(name, Real, Real.exp, Real.log).read(value)
    return Real._of(as_fraction(value, name=name))


def read_parameter(value: Exact | Real, *, name: str) -> Fraction | Real:
    """Return a parameter of a law: a Fraction, or a Real where it is written as an irrational number.

    >>> read_parameter("1/4", name="mu"), read_parameter("exp(-1/5)", name="p"), read_parameter("ln(1)", name="mu")
    (Fraction(1, 4), Real[e^(-1/5)], Fraction(0, 1))
    """
    called = function_call(value) if isinstance(value, str) else None
    if called is None:
        number = as_real(value, name=name)
    elif called[0] == "exp":
        number = Real.exp(_argument(*called, name))
    elif (argument := _argument(*called, name)) > 0:
        number = Real.log(argument)
    else:
        raise InvalidValueError(f"{name}={short(str(value))} is no number: ln needs an argument above 0. Write ln(2).")
    return number.coefficient if number.is_rational else number


def _argument(function: str, text: str, name: str) -> Fraction:
    return as_fraction(text, name=f"the argument of {function} in {name}")


def _text(operation: Operation) -> str:
    first, *others = map(str, operation.terms)
    if operation.name == "sum":
        return f"({first} + {f'({others[0]})' if others[0].startswith('-') else others[0]})"
    if operation.name == "power":
        return f"({first})^{others[0]}"
    if operation.name == "product":
        return f"{first} {others[0]}"
    return {"exp": f"e^({first})", "log": f"ln({first})", "inverse": f"(1 / {first})"}[operation.name]


def _operation_to_sympy(operation: Operation) -> Any:
    """Return what does not fold as an expression of SymPy."""
    import sympy

    first, *others = (term.to_sympy() for term in operation.terms)
    if operation.name in ("exp", "log"):
        return getattr(sympy, operation.name)(first)
    if operation.name == "inverse":
        return 1 / first
    return {"sum": sympy.Add, "product": sympy.Mul, "power": sympy.Pow}[operation.name](first, others[0])
