"""One-sided private counting: the sum of bits plus negative binomial noise of which every user draws a share.

A user with the bit x sends x + z copies of the one symbol, z from NB(r/n, p): the shares of n users add up to NB(r, p).
The view is the number of messages, and the estimate subtracts the mean of the noise, r p / (1 - p). Shares have no
largest value, so the protocol is the sum plus noise here, not a table.

Its theorem, :func:`exactdp.bounds.negative_binomial_mechanism`: (eps, delta)-DP under replacement. What all sums have
in common whose users draw independent shares of noise is :class:`SharedNoiseSum`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, Final

from exactdp.errors import InvalidValueError
from exactdp.evidence.theorems import relies_on
from exactdp.laws.negative_binomial import NegativeBinomial
from exactdp.laws.tails import least_reach
from exactdp.mechanisms.analyzer import Analyzer
from exactdp.mechanisms.lattice_randomizer import LatticeRandomizer
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.epsilon import LogRational, PrivacyLevel
from exactdp.numbers.exact import Exact, as_fraction, as_integer, as_probability
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.real import Real
from exactdp.protocols.counting.counting_theorem import negative_binomial_mechanism
from exactdp.protocols.interface import Protocol
from exactdp.protocols.one_parameter_families import NOTHING, Family
from exactdp.protocols.protocol import AdditiveProtocol

_FLOAT_BITS: Final = 53
"""r and p are rounded up to so many bits, and to multiples of 2^-53: a sampler's float is the number itself."""

_BITS: Final = 128
"""Accuracy at which they are enclosed before that."""


def one_sided_counting(n: int, *, r: Exact, p: Exact) -> AdditiveProtocol:
    """Return private counting of n users with noise NB(r, p), P(t) proportional to C(r+t-1, t) p^t.

    Args:
        n: number of users who follow the protocol, at least 1.
        r: shape of the noise, exact, above 0.
        p: ratio of the noise, exact, in [0, 1).

    >>> one_sided_counting(100, r=3, p="1/2").estimate(53)
    Fraction(50, 1)

    Source: GhaziKumarManurangsiPagh2020, section 3.
    """
    users, shape, ratio = as_integer(n, name="n", at_least=1), as_fraction(r, name="r"), as_probability(p, name="p")
    if shape <= 0 or ratio == 1:
        raise InvalidValueError(f"r={short(shape)} and p={short(ratio)} give no noise law. Pass r above 0, p below 1.")
    analyzer = Analyzer({0: 1}, offset=-shape * ratio / (1 - ratio))
    return AdditiveProtocol(NegativeBinomial(shape, ratio), n=users, analyzer=analyzer)


@relies_on("private_counting.counting_private")
def one_sided_counting_from_theorem(n: int, *, eps: Exact | LogRational, delta: Exact) -> AdditiveProtocol:
    """Return private counting with the theorem's r and p for (eps, delta)-DP, each rounded up to a float.

    The theorem has larger r and p too, so rounding up keeps the promise.

    Args:
        n: number of users who follow the protocol, at least 1.
        eps: in (0, 1], a rational number or a LogRational.
        delta: in (0, 1], exact.

    Raises:
        HypothesisError: where the theorem does not apply, naming the hypothesis.

    >>> one_sided_counting_from_theorem(1000, eps=1, delta="1e-6").privacy_profile().delta(eps=1) < Fraction(1, 10**6)
    True

    Source: GhaziKumarManurangsiPagh2020, section 3.
    """
    law = negative_binomial_mechanism(eps=eps, delta=delta)
    return one_sided_counting(n, r=rounded_up(law.r), p=rounded_up(law.p))


private_counting = one_sided_counting
"""The name before the variant with correlated noise was there; both are kept."""

private_counting_from_theorem = one_sided_counting_from_theorem
"""Likewise."""


def rounded_up(parameter: Fraction | Real) -> Fraction:
    """Return a positive parameter rounded up to 53 bits, and to a multiple of 2^-53."""
    number = Real(parameter) if isinstance(parameter, Fraction) else parameter
    end = enclose_real(number, relative_bits=_BITS).hi
    grid = Fraction(2) ** (max(0, int(end).bit_length()) - _FLOAT_BITS)
    return ceil(end / grid) * grid


def counting_family(level: PrivacyLevel) -> Family:
    """Return a count plus NB(r, e^(-eps/5)) by its r."""
    return Family(_ByShape(level), "r", (0, None), True)


@dataclass(frozen=True, slots=True)
class _ByShape:
    """NB(r, e^(-eps/5)), as the published mechanism with its r free."""

    level: PrivacyLevel

    def __call__(self, r: Fraction, n: int | None) -> AdditiveProtocol:
        ratio = Real.exp(-Real.log(self.level.real) / 5)
        return AdditiveProtocol(NegativeBinomial(r, ratio) if r else NOTHING)


class SharedNoiseSum(Protocol):
    """A sum of which all users' shares of noise add up to one draw of each law: by its error, noise and randomizer."""

    __slots__ = ()

    def accuracy(self: Any, beta: Exact, *, simultaneous: bool = False) -> Fraction:
        """Return the optimal accuracy of the sum: the error has one law, whatever the data set."""
        return exact_answer(least_reach(self.error, Fraction(0), Fraction(0), as_probability(beta, name="beta")))

    def plan(self: Any, dataset: Any, *, nearest: bool) -> Any:
        """Return what has to be drawn for one view: one number for each kind of noise."""
        from exactdp.protocols.sampling.views import CommonNoise, user_counts

        held = user_counts(dataset, self.records, self.n)
        return CommonNoise.of(held, self.randomizer.sent, self.alphabet, self.noise, nearest=nearest)

    def of_each_user(self: Any) -> tuple[LatticeRandomizer, int]:
        """Return what each user runs, and the number of users."""
        return self.randomizer, self.n
