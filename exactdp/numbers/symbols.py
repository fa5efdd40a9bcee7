"""SymPy's numbers, read exactly and written back.

A constant expression of rationals, exp and log is read by its parts: sums, products, powers whose exponent is a whole
number or whose base is positive (b**a is exp(a log(b)), and so SymPy writes exp(log(2)/2) as sqrt(2)), exp and log.
Everything else is refused with the part that is refused. Nothing here loads SymPy for a value that is not its own, and
no text is ever parsed by it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Generic, TypeVar

from exactdp.errors import InexactNumberError, InvalidValueError, TooLargeError
from exactdp.numbers.formats import short

Number = TypeVar("Number")

_MAX_DEPTH: Final = 100
"""An expression nested more deeply is none that a person wrote."""
_MAX_POWER: Final = 10_000
"""The largest whole exponent of an expression that SymPy has not multiplied out."""
_MAX_POWER_BITS: Final = 2**22
"""Most bits of a rational that a power in an expression makes: a million digits."""
_READ: Final = "Rationals, exp, log and what +, -, *, / and powers make of them are read"


@dataclass(frozen=True, slots=True)
class Reader(Generic[Number]):
    """How the parts of an expression become numbers: ``name`` says in messages which number it was."""

    name: str
    rational: Callable[[Fraction], Number]
    exp: Callable[[Number], Number]
    log: Callable[[Number], Number]

    def read(self, value: Any) -> Number:
        """Return a constant expression of SymPy as the number that it is, or refuse it.

        Raises:
            InexactNumberError: for a Float anywhere in it.
            InvalidValueError: for free symbols, infinities, other functions, and log of what is not above 0.
            TooLargeError: for expressions nested more than 100 deep, and powers beyond 10^4 or a million digits.
        """
        import sympy

        if not isinstance(value, sympy.Expr):
            raise InexactNumberError(
                f"{self.name} has the type {type(value).__name__}, which is not a number. Pass an expression in exp "
                "and log, an int, a Fraction, a Decimal or a string."
            )
        if floats := value.atoms(sympy.Float):
            raise InexactNumberError(self._of_float(value, str(min(floats, key=str))))
        if symbols := value.free_symbols:
            first = min(map(str, symbols))
            raise InvalidValueError(
                f"{self.name}={short(str(value))} has the free symbol {short(first)}, and a number is needed. "
                f"Give it a value: .subs({short(first)}, Rational(1, 4))."
            )
        return self._part(value, value, 0)

    def _of_float(self, value: object, part: str) -> str:
        holds = "is a Float" if str(value) == part else f"holds the Float {part}"
        return (
            f"{self.name}={short(str(value))} {holds} and has been rounded already. "
            'Write Rational("0.1") for a decimal number, Rational(1, 10) for a ratio.'
        )

    def _part(self, part: Any, whole: Any, depth: int) -> Number:
        """Return a part of ``whole`` as a number."""
        import sympy

        if depth > _MAX_DEPTH:
            raise TooLargeError(f"{self.name} is nested more than {_MAX_DEPTH} deep. Simplify it: simplify(...).")
        if isinstance(part, sympy.Rational) and part.is_finite:
            return self.rational(Fraction(int(part.p), int(part.q)))
        if part is sympy.E:
            return self.exp(self.rational(Fraction(1)))
        if isinstance(part, sympy.Add | sympy.Mul):
            first, *others = (self._part(each, whole, depth + 1) for each in part.args)
            for other in others:
                first = first + other if isinstance(part, sympy.Add) else first * other  # type: ignore[operator]
            return first
        if isinstance(part, sympy.exp):
            return self.exp(self._part(part.args[0], whole, depth + 1))
        if isinstance(part, sympy.log) and len(part.args) == 1:
            return self.log(self._positive(part.args[0], f"the argument of {short(str(part))}", whole, depth))
        if isinstance(part, sympy.Pow):
            return self._power(part, whole, depth)
        if part.is_finite is False or part is sympy.nan:
            raise InvalidValueError(f"{self.name}={short(str(whole))} is not finite. Pass a finite number.")
        raise InvalidValueError(
            f"{self._holding(part, whole)}. {_READ}: pass a rational number near it, on the safe side."
        )

    def _holding(self, part: Any, whole: Any) -> str:
        shown = f"{self.name}={short(str(whole))}"
        return f"{shown} is not read" if part is whole else f"{shown} holds {short(str(part))}, which is not read"

    def _positive(self, part: Any, what: str, whole: Any, depth: int) -> Number:
        if part.is_positive is not True:
            raise InvalidValueError(
                f"{self.name}={short(str(whole))}: {what} is not known to be above 0. Pass a positive number."
            )
        return self._part(part, whole, depth + 1)

    def _power(self, part: Any, whole: Any, depth: int) -> Number:
        base, exponent = part.args
        if not exponent.is_Integer:
            logarithm = self.log(self._positive(base, f"the base of {short(str(part))}", whole, depth))
            return self.exp(self._part(exponent, whole, depth + 1) * logarithm)  # type: ignore[operator]
        number, power = self._part(base, whole, depth + 1), int(exponent)
        rational = getattr(number, "coefficient", number)
        assert isinstance(rational, Fraction)
        bits = max(rational.numerator.bit_length(), rational.denominator.bit_length())
        if abs(power) > _MAX_POWER or (abs(rational) != 1 and bits * abs(power) > _MAX_POWER_BITS):
            raise TooLargeError(
                f"{self.name} holds a power of {short(str(power))}, more than the limit of {_MAX_POWER}, or with more "
                f"than {_MAX_POWER_BITS} bits. Use a smaller one."
            )
        if not rational and power < 0:
            raise InvalidValueError(f"{self.name}={short(str(whole))} divides by 0. Pass a finite number.")
        return number**power  # type: ignore[operator, no-any-return]


def is_symbolic(value: object) -> bool:
    """Whether a value is an object of SymPy, which is then loaded; False for numbers of Python."""
    return _comes_from(value, "sympy")


def is_of_mpmath(value: object) -> bool:
    """Whether a value is an object of mpmath: a float of any precision, or an interval of them."""
    return _comes_from(value, "mpmath")


def _comes_from(value: object, library: str) -> bool:
    return any(each.__module__.partition(".")[0] == library for each in type(value).__mro__)


def sympy_rational(value: Fraction | int) -> Any:
    """Return a rational as SymPy's.

    >>> sympy_rational(Fraction(1, 4))
    1/4
    """
    import sympy

    return sympy.Rational(value.numerator, value.denominator)
