"""A sum of bits plus two-sided geometric noise, each side shared by n users as NB(1/n, p): a protocol to add in a test.

It has no table, an error of its own, and a claim kind that exists: the count is moved by 1 at most.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exactdp.errors import InvalidValueError
from exactdp.laws.discrete_laplace import DiscreteLaplace
from exactdp.laws.tails import least_reach
from exactdp.mechanisms.dataset import Neighbors
from exactdp.mechanisms.randomizer import Communication
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.epsilon import PrivacyLevel
from exactdp.numbers.exact import Exact, as_fraction, as_integer, as_probability
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.real import Real
from exactdp.privacy.profile import PrivacyProfile
from exactdp.privacy.shuffle.scan import DEFAULT_LIMIT
from exactdp.protocols.interface import Protocol, Statement
from exactdp.protocols.one_parameter_families import Family
from exactdp.protocols.protocol import AdditiveProtocol


@dataclass(frozen=True, slots=True)
class GeometricSum(Protocol):
    """n users' bits, of whose sum plus noise the view consists."""

    n: int
    p: Fraction

    records = (0, 1)
    alphabet = (0,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", as_integer(self.n, name="n", at_least=1))
        ratio = as_fraction(self.p, name="p")
        if not 0 < ratio < 1:
            raise InvalidValueError(f"p={ratio} is not between 0 and 1. Pass the ratio of the noise.")
        object.__setattr__(self, "p", exact_answer(ratio))

    @property
    def noise(self) -> DiscreteLaplace:
        """The law of what is added."""
        return DiscreteLaplace(1 / self.p)

    def privacy_profile(
        self, *, neighbors: Neighbors = Neighbors.REPLACE_ONE, limit: int = DEFAULT_LIMIT
    ) -> PrivacyProfile:
        """Return the profile of the noisy count."""
        return AdditiveProtocol(self.noise, n=self.n).privacy_profile(neighbors=neighbors, limit=limit)

    @property
    def statement(self) -> Statement:
        """A claim states the noise."""
        return Statement("shift_dp", {"law": self.noise, "shift": 1})

    def accuracy(self, beta: Exact, *, simultaneous: bool = False) -> Fraction:
        """Return the least error of the count that is exceeded with probability at most beta."""
        return exact_answer(least_reach(self.noise, Fraction(0), Fraction(0), as_probability(beta, name="beta")))

    def plan(self, dataset: Any, *, nearest: bool) -> Any:
        """Return what has to be drawn for one view."""
        from exactdp.protocols.sampling.views import NoisyCounts, total_of, user_counts

        return NoisyCounts.of(self.noise, total_of(user_counts(dataset, self.records, self.n)), nearest=nearest)

    def communication(self) -> Communication:
        """Return what one user sends: his bit, and his shares of both sides."""
        return Communication(1 + 2 * self.p / (1 - self.p) / self.n, None, 2)


def geometric_sum_from_theorem(n: int, *, eps: Exact, delta: Exact) -> GeometricSum:
    """Return the protocol with p = e^-eps, rounded up: it is (eps, 0)-DP."""
    ratio = enclose_real(Real.exp(-as_fraction(eps, name="eps")), relative_bits=60)
    return GeometricSum(n, Fraction((ratio.hi * 2**53).__ceil__(), 2**53))


def geometric_sum_family(level: PrivacyLevel) -> Family:
    """Return the protocol by its p: more of it is the noise of less, plus independent noise."""
    return Family(_by_ratio, "p", (Fraction(1, 2**20), 1 - Fraction(1, 2**20)), True)


def _by_ratio(p: Fraction, n: int | None) -> GeometricSum:
    assert n is not None
    return GeometricSum(n, p)
