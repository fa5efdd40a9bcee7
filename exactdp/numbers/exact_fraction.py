"""Exact answers: fractions that can always be shown, whatever their size.

Python writes out no integer of more than 4300 digits, and the exact delta of ten thousand users has more. An
:class:`ExactFraction` is a ``Fraction`` in everything that it computes: equality, hash, order, arithmetic (which gives
plain Fractions) and pickling. Only what is shown differs: text is never longer than a line, and a float that would be
0 where the number is not says so.
"""

from __future__ import annotations

import re
import warnings
from decimal import ROUND_05UP, Decimal
from fractions import Fraction
from typing import Any, Final, TypeVar, overload

from exactdp.errors import FloatUnderflowWarning, TooLargeError
from exactdp.numbers.dyadic import Dyadic, decimal_context
from exactdp.numbers.exact import coprime_fraction
from exactdp.numbers.formats import decimal_with_sizes, estimated_digits
from exactdp.numbers.symbols import sympy_rational

_LINE: Final = 80
"""Longest repr that is written out."""

_LINE_BITS: Final = 272
"""Fractions with a longer numerator or denominator are beyond a line."""

_FORMAT: Final = re.compile(
    r"(?P<text>(?:.?[<>^])?[0-9]*s?)|"
    r"(?:.?[<>=^])?[+\- ]?z?#?0?[0-9]*[,_]?(?:\.(?P<precision>[0-9]+))?(?P<kind>[eEfFgG%]?)",
    re.DOTALL,
)
"""The format specifications that a Fraction has in Python: of text, and of decimals."""
_GUARD_DIGITS: Final = 20
"""Digits beyond those that are shown, so that rounding to nearest is decided by them."""
_ENCLOSED_DIGITS: Final = 40
"""So many digits are taken from the leading bits of a long fraction; for more it is divided as it is."""

Other = TypeVar("Other")


class ExactFraction(Fraction):
    """A ``Fraction`` whose text is never longer than a line.

    >>> ExactFraction(1, 4), ExactFraction(3**600, 7**400)
    (Fraction(1, 4), 1.712131e-52 (287/339 digits))
    >>> print(ExactFraction(1, 4), ExactFraction(3**600, 7**400), f"{ExactFraction(3**600, 7**400):.3e}")
    1/4 1.712131e-52 (287/339 digits) 1.712e-52
    >>> type(ExactFraction(1, 4) + 1)
    <class 'fractions.Fraction'>

    The decimal is rounded up. ``float()`` of a number other than 0 that is below every float is 0.0, with a
    ``FloatUnderflowWarning``; of one above every float it raises ``TooLargeError``.
    """

    __slots__ = ()

    @classmethod
    def of(cls, value: Fraction) -> ExactFraction:
        """Return the same number; nothing is reduced again."""
        return value if isinstance(value, cls) else _coprime(value.numerator, value.denominator)

    def __repr__(self) -> str:
        return self._plain() if self._fits_a_line() else decimal_with_sizes(self)

    def __str__(self) -> str:
        return Fraction.__str__(self) if self._fits_a_line() else decimal_with_sizes(self)

    def _fits_a_line(self) -> bool:
        if max(self.numerator.bit_length(), self.denominator.bit_length()) > _LINE_BITS:
            return False
        return len(self._plain()) <= _LINE

    def _plain(self) -> str:
        """The repr of the same plain Fraction."""
        return f"Fraction({self.numerator}, {self.denominator})"

    def __format__(self, format_spec: str) -> str:
        """Return the text, aligned (``>30``), or a decimal rounded to nearest (``.3e``, ``.6f``, ``.2%``)."""
        match = _FORMAT.fullmatch(format_spec)
        if match is None:
            raise ValueError(
                f"Invalid format specifier {format_spec!r} for a Fraction. Write '', '>30', '.3e' or '.6f'."
            )
        if match["text"] is not None:
            return format(str(self), format_spec)
        digits = int(match["precision"] or 6) + _GUARD_DIGITS
        if match["kind"] in ("f", "F", "%"):
            digits += estimated_digits(max(0, self.numerator.bit_length() - self.denominator.bit_length()))
        return format(self._decimal(digits), format_spec)

    def _decimal(self, digits: int) -> Decimal:
        """Return the number to so many significant digits."""
        bits = max(self.numerator.bit_length(), self.denominator.bit_length())
        if bits > _LINE_BITS and digits <= _ENCLOSED_DIGITS:
            return Decimal(Dyadic.below(self, 4 * digits).decimal(digits, up=False))
        return decimal_context(digits, ROUND_05UP).divide(Decimal(self.numerator), Decimal(self.denominator))

    def __float__(self) -> float:
        """Return the nearest float, with a warning where that is 0 and the number is not."""
        try:
            value: float = self.numerator / self.denominator
        except OverflowError:
            raise TooLargeError(
                f"{self} is above every float. Keep the Fraction, or print it: str() shows its decimal."
            ) from None
        if value == 0 and self.numerator:
            warnings.warn(
                f"{self} is below every float, and float() returns 0.0. Keep the Fraction, or print it: str() shows "
                "its decimal.",
                FloatUnderflowWarning,
                stacklevel=2,
            )
        return value

    def to_sympy(self) -> Any:
        """Return the same number as SymPy's Rational. Cost: loads SymPy, 0.4 s once."""
        return sympy_rational(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _coprime, (self.numerator, self.denominator)

    def __copy__(self) -> ExactFraction:
        return self

    def __deepcopy__(self, memo: object) -> ExactFraction:
        return self


def _coprime(numerator: int, denominator: int) -> ExactFraction:
    """Return numerator/denominator, already in lowest terms with a positive denominator."""
    return coprime_fraction(numerator, denominator, kind=ExactFraction)


@overload
def exact_answer(value: Fraction) -> ExactFraction: ...
@overload
def exact_answer(value: Other) -> Other: ...


def exact_answer(value: object) -> object:
    """Return what a public function answers: a Fraction as an :class:`ExactFraction`, everything else as it is."""
    return ExactFraction.of(value) if isinstance(value, Fraction) else value
