"""What every bound shares: hypotheses that are checked, and named where they fail, and the values that bounds are.

A published theorem is a hypothesis and a conclusion. A function of this package returns the conclusion as numbers only
after every hypothesis has been decided by exact comparison; the first one that fails is named in a
:class:`HypothesisError`, with the values that break it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from exactdp.errors import HypothesisError
from exactdp.numbers.balls import compare_reals, enclose_real
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import LogRational, read_eps
from exactdp.numbers.exact import Exact, as_fraction, as_integer
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real

_SHOWN_BITS = 40


@dataclass(frozen=True, slots=True)
class PrivacyBound:
    """The conclusion "(eps, delta)-DP"; an Interval stands for the number that it contains."""

    eps: Fraction | LogRational
    delta: Fraction | Interval

    def __post_init__(self) -> None:
        set_fields(self, eps=exact_answer(self.eps), delta=exact_answer(self.delta))


@dataclass(frozen=True, slots=True)
class Target:
    """A privacy goal whose hypotheses have been checked: 0 < eps, and 0 < delta <= 1."""

    given: Fraction | LogRational
    delta: Fraction

    @property
    def eps(self) -> Real:
        """eps."""
        return Real.log(self.given.argument) if isinstance(self.given, LogRational) else Real(self.given)

    @property
    def exp_eps(self) -> Real:
        """e^eps."""
        return Real(self.given.argument) if isinstance(self.given, LogRational) else Real.exp(self.given)

    @property
    def alpha(self) -> Real:
        """tanh(eps/2) = (e^eps - 1) / (e^eps + 1), the alpha with eps = ln((1 + alpha) / (1 - alpha))."""
        return tanh_half(self.exp_eps)

    @property
    def log_two_over_delta(self) -> Real:
        """ln(2/delta)."""
        return Real.log(2 / self.delta)


@dataclass(frozen=True, slots=True)
class NamedTheorem:
    """A theorem by its name, and what it needs: where that does not hold, an error says which hypothesis fails."""

    name: str

    def require(self, holds: bool, needs: str, but: str, repair: str) -> None:
        """Raise a HypothesisError that names the hypothesis, unless it holds."""
        if not holds:
            raise HypothesisError(f"{self.name} needs {needs}, but {but}. {repair}")

    def read_users(self, n: object) -> int:
        """Read n of at least 1."""
        users = as_integer(n, name="n")
        self.require(users >= 1, "n >= 1", f"n={short(users)}", "Pass n of at least 1.")
        return users

    def read_eps(self, eps: Exact | LogRational, *, largest: int | None) -> Fraction | LogRational:
        """Read eps in (0, largest]; None stands for every finite eps."""
        eps = read_eps(eps)
        if isinstance(eps, LogRational):
            holds = not eps.is_infinite and eps.argument > 1
            holds = holds and (largest is None or compare_reals(Real.log(eps.argument), Fraction(largest)) <= 0)
        else:
            holds = eps > 0 and (largest is None or eps <= largest)
        self.require(
            holds,
            "0 < eps < infinity" if largest is None else f"0 < eps <= {largest}",
            f"eps={eps if isinstance(eps, LogRational) else short(eps)}",
            "Pass a positive number." if largest is None else f"Pass eps in (0, {largest}].",
        )
        return eps

    def read_target(
        self, *, eps: Exact | LogRational, delta: Exact, largest_eps: int | None = 1, strict_delta: bool = False
    ) -> Target:
        """Read eps in (0, largest_eps] and delta in (0, 1], or in (0, 1) if ``strict_delta``."""
        given, value = self.read_eps(eps, largest=largest_eps), as_fraction(delta, name="delta")
        holds = 0 < value < 1 or (value == 1 and not strict_delta)
        sign, end = ("<", ")") if strict_delta else ("<=", "]")
        self.require(holds, f"0 < delta {sign} 1", f"delta={short(value)}", f"Pass delta in (0, 1{end}.")
        return Target(given, value)


def tanh_half(exp_eps: Real) -> Real:
    """Return tanh(eps/2) = (e^eps - 1) / (e^eps + 1)."""
    return (exp_eps - 1) / (exp_eps + 1)


def shown(value: Fraction | Real) -> str:
    """Return a positive number for a message: exactly, or its first digits followed by dots."""
    if isinstance(value, Real) and not value.is_rational:
        return enclose_real(value, relative_bits=_SHOWN_BITS).decimals(8)[0] + "..."
    return short(value.coefficient if isinstance(value, Real) else value)


def scaled(interval: Interval, factor: int) -> Interval:
    """Return the interval of ``factor`` >= 0 times the number."""
    lower, upper = interval.lower, interval.upper
    return Interval(
        Dyadic.of(lower.mantissa * factor, lower.exponent), Dyadic.of(upper.mantissa * factor, upper.exponent)
    )
