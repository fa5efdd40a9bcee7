"""What all noise laws on the integers share: enclosed weights, tails and quantiles at any size, and exact likelihoods.

A law gives its support, its mode, the ratios of its weights and itself in balls; everything here follows from these.
Relative accuracy is a promise: 53 bits unless more are asked for, from the middle of the law to tails of 1e-2000 and
less; 0 is returned outside the support, and only there.

What a law of noise is drawn from: any law that NumPy's generator has by name, and the few that need care
---------------------------------------------------------------------------------------------------------

A law says here how it is made of these (a discrete Laplace variable is the difference of two geometric ones); who draws
is for :mod:`exactdp.sampling` to say. Parameters are exact, and carry their names for messages.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import partial
from html import escape
from typing import Any, ClassVar, Final, NoReturn, Protocol, TypeVar

from exactdp.errors import InvalidValueError, TooLargeError, UndecidedError
from exactdp.laws.finite import Law
from exactdp.laws.law_balls import EnclosedLaw, compare_weights, enclose_pmf, enclose_tail
from exactdp.numbers.balls import compare_reals, enclose_real
from exactdp.numbers.bisection import bisect, gallop
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_integer, as_probability, as_relative_bits
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import about, short
from exactdp.numbers.interval import Interval
from exactdp.numbers.notebook import facts_html, fraction_html, label_text
from exactdp.numbers.rationals import line_value
from exactdp.numbers.real import Real, as_real
from exactdp.numbers.symbols import is_symbolic

Drawn = TypeVar("Drawn")
"""Draws of one law."""


class Primitives(Protocol[Drawn]):
    """A source of independent draws of some laws; equal calls give independent draws."""

    def binomial(self, n: int, p: Fraction, name: str = "p") -> Drawn:
        """Bin(n, p)."""
        ...

    def geometric(self, p: Fraction | Real, name: str = "p") -> Drawn:
        """P[t] = (1 - p) p^t for t >= 0."""
        ...

    def negative_binomial(self, r: Fraction | Real, p: Fraction | Real) -> Drawn:
        """NB(r, p) of :class:`exactdp.NegativeBinomial`."""
        ...

    def numpy(self, method: str, **parameters: int | Fraction | Real) -> Drawn:
        """What the method of that name of NumPy's generator draws with these parameters, in this order.

        Where the law of the noise has an end, or a mean, beyond what an integer of NumPy holds, it is refused.
        """
        ...

    def discrete_gaussian(self, sigma_squared: Fraction) -> Drawn:
        """Weights proportional to e^(-t^2 / (2 sigma_squared))."""
        ...

    def plus(self, first: Drawn, second: Drawn) -> Drawn:
        """The sum of independent draws."""
        ...

    def minus(self, first: Drawn, second: Drawn) -> Drawn:
        """The difference of independent draws, also of one law with itself."""
        ...


MAX_EXACT_BITS: Final = 2**23
"""Longest numerator or denominator of a probability that is built."""

MAX_HANDY_BITS: Final = 2**22
"""Longest probabilities that a law counts as exact: a search for eps handles some dozens of them."""

_QUANTILE_BITS: Final = (64, 256, 1024)
"""Accuracies one after another; the first decides most levels."""

RATIO_BITS: Final = (64, 256, 1024, 4096)
"""Accuracies one after another, each four times the one before."""

_MAX_LISTED: Final = 2000
"""Most outcomes that are listed one by one."""

_EXACT_FROM_BITS: Final = 500
"""From this accuracy on an exact value, where there is one, is faster than an enclosure."""

_NEAR: Final = 64
"""Ratios of weights so far apart are written out; others are enclosed first."""


@dataclass(frozen=True, slots=True, repr=False)
class LatticeLaw(ABC):
    """A law on the integers from ``low`` to ``high``; None stands for no end, and without a least outcome it is even.

    Every integer from ``low`` to ``high`` has a positive probability.
    """

    is_on_integers: ClassVar[bool] = True
    """Every outcome is an int."""

    largest_shift_is_worst: ClassVar[bool] = True
    """Of all shifts up to one, that one is worst (:mod:`exactdp.privacy.half_lines`)."""

    has_constant_ratios: ClassVar[bool] = False
    """Whether w(t) / w(t+1) is one number for all t >= 0, and its inverse below 0, if anything is there."""

    is_uniform: ClassVar[bool] = False
    """Whether all weights are equal, so that a probability is a number of outcomes over all of them."""

    @property
    @abstractmethod
    def low(self) -> int | None:
        """The least outcome."""

    @property
    @abstractmethod
    def high(self) -> int | None:
        """The greatest outcome."""

    @property
    @abstractmethod
    def mode(self) -> int:
        """A most likely outcome."""

    @property
    @abstractmethod
    def mean(self) -> Fraction | Interval:
        """E[Y], exact where it is rational."""

    @property
    @abstractmethod
    def variance(self) -> Fraction | Interval:
        """E[(Y - E[Y])^2], exact where it is rational."""

    @property
    @abstractmethod
    def is_log_concave(self) -> bool:
        """Whether w(t) / w(t-1) never rises in t; the proof is in the law's docstring."""

    @property
    @abstractmethod
    def tail_ratio(self) -> Real | None:
        """The limit of w(t) / w(t+1) as t grows; None where it is infinite or the support ends."""

    @property
    @abstractmethod
    def is_rational(self) -> bool:
        """Whether probabilities are rational, so that ``exact_pmf``, ``exact_cdf`` and ``exact_sf`` are there."""

    @property
    def is_exact(self) -> bool:
        """Whether probabilities are rational and short enough to be built."""
        return self.is_rational

    @property
    def is_symmetric(self) -> bool:
        """Whether a reflection maps the law to itself."""
        return False

    def is_shared_by(self, users: int) -> bool:
        """Whether it is known to be the law of a sum of so many equal independent shares, each on 0, 1, 2, ..."""
        return False

    @property
    def size_biased(self) -> LatticeLaw | None:
        """The law of Z - 1, where P[Z = k] is k P[Y = k] / E[Y], for Y >= 0; None where no law here is known to be."""
        return None

    @property
    def coins(self) -> tuple[int, Fraction, Fraction] | None:
        """N, q and s, where it is the law of a sum of N coins of chance q but for s in total variation; else None."""
        return None

    @property
    def pure_exp_eps(self) -> Real | None:
        """The largest w(t) / w(u) of neighbours t and u, for a law without ends of which it is known, else None.

        The law moved by s against the law is then pure DP at this number to the power s.
        """
        return None

    @property
    def loss_scale(self) -> Fraction | None:
        """The v with ln(w(t) / w(t-s)) = (s^2 - 2 s t) / (2 v) for all t and s; None where that is not linear in t."""
        return None

    @property
    def lists_fast(self) -> bool:
        """Whether plain Python lists all weights exactly in about a second."""
        return False

    @property
    def listing_products(self) -> int:
        """How many products of weights the list of all weights takes, where they are not closed forms."""
        return 0

    def exact_bits(self, k: int) -> int:
        """Return about how many bits the denominator of P[Y <= k] has; 1 where it is irrational.

        >>> from exactdp.laws import Binomial, Geometric
        >>> Binomial(100, "1/8").exact_bits(50), Geometric("1/3").exact_bits(9)
        (400, 20)
        """
        return 1

    @property
    def lattice(self) -> LatticeLaw:
        """The law itself; a finite :class:`Law` has None here."""
        return self

    @property
    @abstractmethod
    def enclosed(self) -> EnclosedLaw | None:
        """The law in balls; None where it has a single outcome."""

    @abstractmethod
    def ratio(self, t: int, u: int) -> Real:
        """w(t) / w(u), for t and u in the support."""

    def compare_ratio(self, t: int, u: int, bound: Real) -> int:
        """Return -1, 0 or 1 as w(t) / w(u) is below, at or above ``bound`` > 0, for t and u in the support."""
        if abs(t - u) > _NEAR and (sign := self._compare_enclosed(t, u, bound)) is not None:
            return sign
        return compare_reals(self.ratio(t, u), bound)

    def _compare_enclosed(self, t: int, u: int, bound: Real) -> int | None:
        """Return the same from weights in balls; None where they do not decide."""
        if self.enclosed is None:
            return None
        signs = (compare_weights(self.enclosed, t, u, bound, bits) for bits in RATIO_BITS)
        return next((sign for sign in signs if sign is not None), None)

    def pmf(self, k: int, *, relative_bits: int = DEFAULT_RELATIVE_BITS) -> Interval:
        """Enclose P[Y = k]."""
        k, bits = as_integer(k, name="k"), as_relative_bits(relative_bits)
        if not self.holds(k):
            return _exactly(0)
        return _exactly(1) if self.enclosed is None else enclose_pmf(self.enclosed, k, bits)

    def cdf(self, k: int, *, relative_bits: int = DEFAULT_RELATIVE_BITS) -> Interval:
        """Enclose P[Y <= k]."""
        return self._tail(as_integer(k, name="k"), relative_bits, upper=False)

    def sf(self, k: int, *, relative_bits: int = DEFAULT_RELATIVE_BITS) -> Interval:
        """Enclose P[Y > k]."""
        return self._tail(as_integer(k, name="k"), relative_bits, upper=True)

    def _tail(self, k: int, relative_bits: int, *, upper: bool) -> Interval:
        bits = as_relative_bits(relative_bits)
        if self.low is not None and k < self.low:
            return _exactly(upper)
        if self.high is not None and k >= self.high:
            return _exactly(not upper)
        assert self.enclosed is not None  # a single outcome is both ends
        if bits > _EXACT_FROM_BITS and self.is_exact:
            with suppress(TooLargeError):
                return Interval.around(self.exact_sf(k) if upper else self.exact_cdf(k), relative_bits=bits)
        return enclose_tail(self.enclosed, k, bits, upper=upper)

    def holds(self, k: int) -> bool:
        """Whether k is in the support."""
        return (self.low is None or k >= self.low) and (self.high is None or k <= self.high)

    def exact_pmf(self, k: int) -> Fraction:
        """Return P[Y = k]; InvalidValueError where it is irrational, TooLargeError where it is too long."""
        return exact_answer(self._exact_pmf(as_integer(k, name="k")))

    def exact_cdf(self, k: int) -> Fraction:
        """Return P[Y <= k]; InvalidValueError where it is irrational, TooLargeError where it is too long."""
        return exact_answer(self._exact_cdf(as_integer(k, name="k")))

    def exact_sf(self, k: int) -> Fraction:
        """Return P[Y > k]; InvalidValueError where it is irrational, TooLargeError where it is too long."""
        return exact_answer(self._exact_sf(as_integer(k, name="k")))

    def to_sympy(self, k: Any = None) -> Any:
        """Return P[Y = k] as an expression of SymPy, exactly: a Piecewise that is 0 outside the support.

        Args:
            k: an expression of SymPy, or an integer; the symbol k, an integer, where none is given.

        >>> from exactdp.laws import Binomial
        >>> from sympy import Symbol
        >>> formula = Binomial(3, "1/4").to_sympy()
        >>> formula.subs(Symbol("k", integer=True), 2), Binomial(3, "1/4").to_sympy(4)
        (9/64, 0)

        Cost: loads SymPy, 0.4 s once.
        """
        import sympy

        at = sympy.Symbol("k", integer=True) if k is None else k
        if not is_symbolic(at):
            at = sympy.Integer(as_integer(at, name="k"))
        low = sympy.true if self.low is None else at >= self.low
        high = sympy.true if self.high is None else at <= self.high
        return sympy.Piecewise((self._in_symbols(at), sympy.And(low, high)), (0, True))

    def _in_symbols(self, k: Any) -> Any:
        """P[Y = k] in SymPy, for k in the support; laws that are a formula define it."""
        raise InvalidValueError(f"{self!r} has no formula in symbols. Ask for a probability: pmf(3), exact_pmf(3).")

    def _exact_pmf(self, k: int) -> Fraction:
        """P[Y = k]; laws with rational probabilities define it."""
        return self._refuse_exact()

    def _exact_cdf(self, k: int) -> Fraction:
        """P[Y <= k]; laws with rational probabilities define it."""
        return self._refuse_exact()

    def _exact_sf(self, k: int) -> Fraction:
        """P[Y > k]."""
        return 1 - self._exact_cdf(k)

    def exact_masses(self, first: int | None, last: int | None, shift: int) -> tuple[Fraction, Fraction]:
        """Return P[first <= Y <= last] and P[first <= Y + shift <= last]; None stands for no end."""
        return self._exact_range(first, last, 0), self._exact_range(first, last, shift)

    def exact_excess(self, first: int | None, last: int | None, shift: int, exp_eps: Fraction) -> Fraction:
        """Return P - E Q of an event, where one of the two laws is the other one moved by ``shift``.

        For ``first`` None this is P[Y <= last] - E P[Y + shift <= last]; else it is the other order,
        P[first <= Y + shift <= last] - E P[first <= Y <= last], and ``last`` None stands for no end.
        """
        plain, moved = self.exact_masses(first, last, shift)
        return line_value(plain, moved, exp_eps) if first is None else line_value(moved, plain, exp_eps)

    def _exact_range(self, first: int | None, last: int | None, shift: int) -> Fraction:
        up_to_last = Fraction(1) if last is None else self.exact_cdf(last - shift)
        return up_to_last if first is None else up_to_last - self.exact_cdf(first - shift - 1)

    def _refuse_exact(self) -> NoReturn:
        raise InvalidValueError(
            f"the probabilities of {self!r} are irrational. Use pmf, cdf and sf, which enclose them to any accuracy."
        )

    def _repr_html_(self) -> str:
        """The law as a notebook shows it; the variance is left out, because it can take seconds."""
        low, high = ("no end" if end is None else label_text(end) for end in (self.low, self.high))
        mean = self.mean
        facts = {
            "least outcome": low,
            "greatest outcome": high,
            "mode": label_text(self.mode),
            "mean": fraction_html(mean) if isinstance(mean, Fraction) else mean._repr_html_(),
            "probabilities": "rational" if self.is_rational else "irrational: enclosed",
        }
        return facts_html(repr(self), {name: escape(fact) if name != "mean" else fact for name, fact in facts.items()})

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({', '.join(_parameter_text(getattr(self, field.name)) for field in fields(self))})"
        )

    def _check_bits(self, bits: int) -> None:
        if bits > MAX_EXACT_BITS:
            raise TooLargeError(
                f"an exact probability of {self!r} has {about(bits)} bits, the limit is {MAX_EXACT_BITS}. "
                "Use pmf, cdf and sf, which enclose it to any accuracy."
            )

    def drawn(self, source: Primitives[Drawn]) -> Drawn:
        """Return draws of the law, made of primitive ones."""
        raise InvalidValueError(f"{self!r} cannot be sampled. Use one of the laws of exactdp.laws.")

    def law(self) -> Law:
        """Return the same law as a finite :class:`Law`, where it is finite and exact."""
        if self.low is None or self.high is None:
            raise InvalidValueError(f"{self!r} has no last outcome, so it is no finite law. Ask for pmf, cdf and sf.")
        if self.high - self.low > _MAX_LISTED:
            raise TooLargeError(
                f"{self!r} has {about(self.high - self.low + 1)} outcomes, the limit is {_MAX_LISTED}. "
                "Ask for pmf, cdf and sf."
            )
        return Law({k: self.exact_pmf(k) for k in range(self.low, self.high + 1)})

    def listed(self, most: int) -> Law | None:
        """Return the same law as a finite one, where it is exact and its ends are at most ``most`` apart, else None."""
        if self.low is None or self.high is None:
            return None
        if self.low == self.high:
            return Law({self.low: 1})
        return self.law() if self.high - self.low <= most and self.is_exact else None

    def quantile(self, q: Exact) -> int:
        """Return the least k with P[Y <= k] >= q, for 0 < q < 1.

        Raises:
            UndecidedError: where P[Y <= k] and q agree to 1024 bits and no exact value decides.
        """
        level = as_probability(q, name="q")
        if not 0 < level < 1:
            raise InvalidValueError(f"q={short(level)} is not between 0 and 1. Pass a number inside (0, 1).")
        reaches = partial(self._reaches, level=level)
        low, high = gallop(self.mode, 1, reaches)
        if low == high:
            high, low = gallop(self.mode, -1, lambda k: not reaches(k))
        return bisect(low, high, reaches)

    def _reaches(self, k: int, level: Fraction) -> bool:
        """Decide P[Y <= k] >= level."""
        for bits in _QUANTILE_BITS:
            if (order := self.cdf(k, relative_bits=bits).compare(level)) is not None:
                return order >= 0
            if self.is_exact:
                with suppress(TooLargeError):
                    return self.exact_cdf(k) >= level
        raise UndecidedError(f"P[Y <= {k}] >= {short(level)} is not decided at {_QUANTILE_BITS[-1]} bits.")


def as_number(value: Fraction | Real) -> Fraction | Interval:
    """Return a number as a Fraction where it is one, else as an Interval of 53 bits."""
    if isinstance(value, Fraction):
        return exact_answer(value)
    return enclose_real(value, relative_bits=DEFAULT_RELATIVE_BITS)


def in_symbols(value: int | Fraction | Real) -> Any:
    """Return a parameter of a law in SymPy."""
    return as_real(value, name="a parameter").to_sympy()


def _parameter_text(value: int | Fraction | Real) -> str:
    """Return a parameter as the repr of a law shows it."""
    return short(value) if isinstance(value, int) else repr(value if isinstance(value, Real) else short(value))


def _exactly(value: int) -> Interval:
    return Interval.around(int(value), relative_bits=1)
