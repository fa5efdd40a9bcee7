"""The privacy parameter eps, in the three forms in which it is known.

The exact parameter of every computation is E = e^eps. A user states it directly (``exp_eps=2``), or as a
:class:`LogRational` (``eps=ln 2``), which is the same, or as a rational eps, and then e^eps is transcendental
(Lindemann) unless eps = 0, so that no likelihood ratio of a rational law can be equal to it: every comparison is
decided by refining the enclosure of e^eps.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering
from math import prod
from typing import Any, Final

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.numbers.balls import enclose_real, log_interval
from exactdp.numbers.exact import Exact, as_fraction
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import decimal_text, digit_counts, exact_text, is_short, number_json, short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval
from exactdp.numbers.notebook import ends_html, ends_latex, fraction_html, fraction_latex
from exactdp.numbers.real import Real, as_real
from exactdp.numbers.symbols import is_symbolic, sympy_rational

MAX_ARGUMENT_BITS: Final = 2**22
"""Most bits of e^eps where eps is given as whole multiples of logarithms: a million digits."""


@total_ordering
@dataclass(frozen=True, slots=True, init=False, eq=True, repr=False)
class LogRational:
    """An eps >= 0 whose e^eps is a rational number, or infinity.

    Args:
        argument: e^eps, exact, of at least 1; None for infinity.

    Ordered and hashable; comparisons are exact.

    >>> LogRational("3/2") < LogRational(2) < LogRational(None)
    True
    """

    _argument: Fraction | None

    def __init__(self, argument: Exact | None) -> None:
        value = None if argument is None else as_fraction(argument, name="argument")
        if value is not None and value < 1:
            raise InvalidValueError(f"argument={short(value)} is below 1, so its logarithm is no eps. Pass e^eps >= 1.")
        set_fields(self, _argument=value)

    @property
    def is_infinite(self) -> bool:
        """Whether eps is infinite."""
        return self._argument is None

    @property
    def argument(self) -> Fraction:
        """e^eps; raises InvalidValueError where eps is infinite."""
        if self._argument is None:
            raise InvalidValueError("eps is infinite, so e^eps is not a number. Ask .is_infinite first.")
        return exact_answer(self._argument)

    def enclose(self, relative_bits: int = 53) -> Interval:
        """Return an interval of relative width at most 2**-relative_bits around eps; exactly 0 where it is 0."""
        return log_interval(self.argument, relative_bits=relative_bits)

    def to_sympy(self) -> Any:
        """Return eps as an expression of SymPy, exactly: log(p/q), 0 or oo.

        >>> LogRational("3/2").to_sympy(), LogRational(None).to_sympy()
        (log(3/2), oo)

        Cost: loads SymPy, 0.4 s once.
        """
        import sympy

        return sympy.oo if self._argument is None else sympy.log(sympy_rational(self._argument))

    def __float__(self) -> float:
        """eps as a float, for display only."""
        return float("inf") if self.is_infinite else float(self.enclose())

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, LogRational):
            return NotImplemented
        if self._argument is None:
            return False
        return other._argument is None or self._argument < other._argument

    def __str__(self) -> str:
        return "infinity" if self._argument is None else f"ln({short(self._argument)})"

    def __repr__(self) -> str:
        return "LogRational(None)" if self._argument is None else f"LogRational('{short(self._argument)}')"

    def _repr_html_(self) -> str:
        """The eps as a notebook shows it: exactly, and enclosed to 10 digits."""
        if self._argument is None or self._argument == 1:
            return "∞" if self._argument is None else "0"
        return f"ln({fraction_html(self._argument)}) ∈ {ends_html(*self.enclose().decimals(10))}"

    def _repr_latex_(self) -> str:
        """The same in LaTeX."""
        if self._argument is None or self._argument == 1:
            return r"$\infty$" if self._argument is None else "$0$"
        exact = rf"\ln\left({fraction_latex(self._argument)}\right)"
        return rf"${exact} \in {ends_latex(*self.enclose().decimals(10))}$"


def eps_json(eps: LogRational | Interval) -> dict[str, str | None]:
    """Return an eps as JSON data: exact (0, ln(p/q) or infinity), exp_eps (e^eps), lo and hi.

    Of an enclosure the first two are null.
    """
    if isinstance(eps, Interval):
        exact, argument, enclosed = None, None, eps
    elif eps.is_infinite:
        return dict.fromkeys(("exact", "exp_eps", "lo", "hi"), "infinity")
    else:
        argument, enclosed = exact_text(eps.argument), eps.enclose()
        exact = "0" if eps.argument == 1 else f"ln({argument})"
    numbers = number_json(enclosed)
    return {"exact": exact, "exp_eps": argument, "lo": numbers["lo"], "hi": numbers["hi"]}


def eps_text(eps: LogRational | Interval) -> str:
    """Return an eps for reading.

    >>> eps_text(LogRational("5/2")), eps_text(LogRational(1)), eps_text(LogRational(None))
    ('ln(5/2) (0.9162908)', '0', 'infinity')
    """
    if isinstance(eps, Interval):
        return str(eps)
    if eps.is_infinite or eps.argument == 1:
        return "infinity" if eps.is_infinite else "0"
    shown = decimal_text(eps.enclose().upper, up=True)
    if is_short(eps.argument):
        return f"ln({exact_text(eps.argument)}) ({shown})"
    return f"{shown} (ln of a fraction of {digit_counts(eps.argument)} digits)"


@dataclass(frozen=True, slots=True)
class PrivacyLevel:
    """E = e^eps: exactly, if ``exp_eps`` is a Fraction, or through the rational ``eps`` != 0 it comes from."""

    exp_eps: Fraction | None
    eps: Fraction | None = None

    @property
    def keywords(self) -> dict[str, Any]:
        """The level as questions take it: ``exp_eps=`` if that is exact, else ``eps=``."""
        return {"exp_eps": self.exp_eps} if self.eps is None else {"eps": self.eps}

    @property
    def real(self) -> Real:
        """E as a Real."""
        return Real(1, exponent=self.eps) if self.eps is not None else Real(self.exp_eps or 1)

    def enclose(self, relative_bits: int) -> Interval:
        """Return an interval of relative width at most 2**-relative_bits around e^eps."""
        return enclose_real(self.real, relative_bits=relative_bits)


def read_privacy_level(*, eps: Exact | LogRational | None, exp_eps: Exact | None) -> PrivacyLevel:
    """Return the level from exactly one of ``eps`` >= 0 and ``exp_eps`` >= 1, or refuse."""
    if (eps is None) == (exp_eps is None):
        given = "neither" if eps is None else "both"
        raise InvalidValueError(f"{given} of eps and exp_eps given. Pass one: eps=..., or exp_eps=... for e^eps.")
    if exp_eps is not None:
        value = as_fraction(exp_eps, name="exp_eps")
        if value < 1:
            raise InvalidValueError(f"exp_eps={short(value)} is below 1. Pass e^eps, a number of at least 1.")
        return PrivacyLevel(value)
    level = read_eps(eps)
    if isinstance(level, LogRational):
        return PrivacyLevel(level.argument)
    if level < 0:
        raise InvalidValueError(f"eps={short(level)} is below 0. Pass an eps of at least 0.")
    return PrivacyLevel(Fraction(1)) if level == 0 else PrivacyLevel(None, level)


def read_eps(eps: Exact | LogRational | None) -> Fraction | LogRational:
    """Return an eps as the exact number that it is, of any sign; from SymPy also log(3/2), and sums of such."""
    if isinstance(eps, LogRational):
        return eps
    if not is_symbolic(eps):
        return as_fraction(eps, name="eps")
    value = as_real(eps, name="eps")  # type: ignore[arg-type]
    if value.is_rational:
        return value.coefficient
    argument = _argument_of_logarithms(value)
    if argument is None:
        raise InvalidValueError(
            f"eps={short(str(eps))} is neither rational nor the logarithm of a rational number. "
            "Pass an eps near it, on the safe side, or log(Rational(p, q))."
        )
    if argument < 1:
        raise InvalidValueError(f"eps={short(str(eps))} is below 0. Pass an eps of at least 0.")
    return LogRational(argument)


def _argument_of_logarithms(value: Real) -> Fraction | None:
    """Return q where a number is written as ln(q), or as a sum of whole multiples of such; else None."""
    if value.rest is None or value.exponent or value.coefficient.denominator != 1:
        return Fraction(1) if value.coefficient == 0 else None
    arguments: list[Fraction | None] = []
    if value.rest.name == "log" and value.rest.terms[0].is_rational:
        arguments = [value.rest.terms[0].coefficient]
    elif value.rest.name == "sum":
        arguments = [_argument_of_logarithms(term) for term in value.rest.terms]
    known = [each for each in arguments if each is not None]
    if not known or len(known) < len(arguments):
        return None
    argument, power = prod(known, start=Fraction(1)), value.coefficient.numerator
    if abs(power) * max(argument.numerator.bit_length(), argument.denominator.bit_length()) > MAX_ARGUMENT_BITS:
        raise TooLargeError(f"e^eps has more than {MAX_ARGUMENT_BITS} bits, the limit. Use a smaller eps.")
    return argument**power
