"""What may be given for a function of the parameters, and how it is handed back to SymPy.

A function is a number, a SymPy expression, or text in the grammar of :mod:`exactdp.symbolic.grammar`, which SymPy
never reads. It becomes a quotient of two polynomials with rational coefficients, cancelled where SymPy is there to do
it. SymPy is imported only for those who bring it or ask for it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from exactdp.errors import InexactNumberError, InvalidValueError, TooLargeError
from exactdp.numbers.exact import Exact, as_fraction
from exactdp.numbers.formats import short
from exactdp.numbers.symbols import is_symbolic
from exactdp.symbolic.grammar import read_expression
from exactdp.symbolic.rational_functions import MAX_DEGREE, RationalFunction
from exactdp.symbolic.sums import Polynomial

if TYPE_CHECKING:
    import sympy

FunctionLike: TypeAlias = "Exact | RationalFunction | sympy.Expr"
"""What is read as a function of the parameters."""

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,31}")
_DIGITS: Final = "[0-9](?:_?[0-9])*"
_NUMBER: Final = re.compile(
    rf"[+-]?(?:{_DIGITS}/{_DIGITS}|(?:{_DIGITS}\.?(?:{_DIGITS})?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?)"
)
"""Text that is a number, which other text is not."""


def parameter_name(given: object) -> str:
    """Return the name of a parameter, given as text or as a SymPy symbol."""
    name = given if isinstance(given, str) else str(given) if getattr(given, "is_Symbol", False) else None
    if name is None or not _NAME.fullmatch(name):
        raise InvalidValueError(
            f"{short(repr(given))} is no parameter. Name parameters by letters, digits and _, at most 32, a letter "
            "first, or pass SymPy symbols of such names."
        )
    return name


def as_function(given: object, parameters: Sequence[str], *, name: str) -> RationalFunction:
    """Return the function of these parameters that is given.

    Args:
        given: an exact number, a SymPy expression, text in the grammar, or a function as this returns it.
        parameters: the names that may occur, in the order of the exponents of the result.
        name: what the caller calls it, for messages.

    Raises:
        InexactNumberError: for floats, also inside an expression, naming the part.
        InvalidValueError: for other names and for functions that are no quotients of polynomials.

    >>> as_function("gamma/2", ["gamma"], name="p").at(gamma=Fraction(1, 2))
    Fraction(1, 4)
    """
    if isinstance(given, RationalFunction):
        return _in_order(given, parameters, name)
    if isinstance(given, str) and not _NUMBER.fullmatch(given):
        return _in_order(read_expression(given, name=name), parameters, name)
    if is_symbolic(given):
        return _from_sympy(given, tuple(parameters), name)
    return RationalFunction.constant(as_fraction(given, name=name), tuple(parameters))


def _in_order(function: RationalFunction, parameters: Sequence[str], name: str) -> RationalFunction:
    _refuse_strangers(function.names, parameters, name)
    below = replace(function, numerator=function.denominator)
    return RationalFunction(tuple(parameters), function.polynomial(parameters), below.polynomial(parameters))


def _refuse_strangers(names: Sequence[str], parameters: Sequence[str], name: str) -> None:
    if strangers := [stranger for stranger in names if stranger not in parameters]:
        raise InvalidValueError(
            f"{name} contains {strangers[0]}, which has no interval in the box ({', '.join(parameters)}). "
            f"Add {strangers[0]} to the box, or put a number in its place."
        )


def _from_sympy(expression: Any, parameters: tuple[str, ...], name: str) -> RationalFunction:
    import sympy
    from sympy.polys.polyerrors import BasePolynomialError

    if floats := sorted(expression.atoms(sympy.Float), key=str):
        raise InexactNumberError(
            f"{name} contains the float {floats[0]}, which has been rounded already. Write an exact number in its "
            'place: sympy.Rational("0.1").'
        )
    if not isinstance(expression, sympy.Expr):
        raise InvalidValueError(f"{name}={short(str(expression))} is no expression. Pass a quotient of polynomials.")
    if any(power.exp.is_Integer and abs(power.exp) > MAX_DEGREE for power in expression.atoms(sympy.Pow)):
        raise TooLargeError(f"{name} has a power beyond the limit of {MAX_DEGREE}. Use smaller powers.")
    symbols = sorted(expression.free_symbols, key=str)
    _refuse_strangers([str(symbol) for symbol in symbols], parameters, name)
    plain = [sympy.Symbol(parameter) for parameter in parameters]
    expression = expression.xreplace({symbol: sympy.Symbol(str(symbol)) for symbol in symbols})
    parts = sympy.fraction(sympy.cancel(sympy.together(expression)))
    try:
        above, below = (sympy.Poly(part, *plain, domain=sympy.QQ) for part in parts)
    except BasePolynomialError:
        raise InvalidValueError(
            f"{name}={short(str(expression))} is no quotient of polynomials with rational coefficients. Use + - * / "
            "and whole powers of the parameters, and exact rational numbers."
        ) from None
    if below.is_zero:
        raise InvalidValueError(f"{name}={short(str(expression))} divides by 0. Divide by something else.")
    numerator, denominator = _terms(above), _terms(below)
    if not any(map(any, denominator)):
        (scale,) = denominator.values()
        numerator = {e: c / scale for e, c in numerator.items()}
        denominator = dict.fromkeys(denominator, Fraction(1))
    return RationalFunction(parameters, numerator, denominator)


def _terms(polynomial: Any) -> dict[tuple[int, ...], Fraction]:
    return {e: Fraction(int(c.p), int(c.q)) for e, c in polynomial.as_dict().items() if c}


def polynomial_to_sympy(polynomial: Polynomial, symbols: Sequence[Any]) -> Any:
    """Return a polynomial as a SymPy expression."""
    from sympy import Add, Mul, Rational

    return Add(
        *(
            Mul(Rational(c.numerator, c.denominator), *(x**power for x, power in zip(symbols, powers, strict=True)))
            for powers, c in polynomial.items()
        )
    )


def function_to_sympy(function: RationalFunction, symbols: Sequence[Any]) -> Any:
    """Return a function as a SymPy expression: one quotient in lowest terms."""
    import sympy

    above, below = (polynomial_to_sympy(p, symbols) for p in (function.numerator, function.denominator))
    return above if function.is_polynomial else sympy.cancel(above / below)


def shortest(expression: Any) -> Any:
    """Return the expression factored or multiplied out, whichever has fewer operations."""
    import sympy

    above, below = sympy.fraction(sympy.cancel(expression))
    forms = [sympy.factor(above), sympy.expand(above)]
    return min(forms, key=sympy.count_ops) / sympy.factor(below)


def read_values(values: Mapping[str, Exact], parameters: Sequence[str]) -> dict[str, Fraction]:
    """Return the value of each parameter, read exactly; every parameter needs one."""
    if unknown := [name for name in values if name not in parameters]:
        raise InvalidValueError(f"{unknown[0]} is no parameter. The parameters are {', '.join(parameters)}.")
    if missing := [name for name in parameters if name not in values]:
        raise InvalidValueError(f'the parameter {missing[0]} has no value. Pass {missing[0]}="1/4", say.')
    return {name: as_fraction(values[name], name=name) for name in parameters}
