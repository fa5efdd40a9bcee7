"""Private counting with vanishing communication: messages +1 and -1, whose noise mostly cancels in the difference.

A user with the bit x sends x + z1 + w messages +1 and z2 + w messages -1, with z1 and z2 from NB(1/n, p1) and w from
NB(r/n, p2), all independent. The shares of n users add up to two geometric numbers of ratio p1 and one NB(r, p2), so
the view is U = sum + G1 + W and V = G2 + W; and U - V is the sum plus G1 - G2, discrete Laplace noise of e^eps = 1/p1.
The expected number of messages of a user is x + 2 (p1 / (1 - p1) + r p2 / (1 - p2)) / n, which tends to x as n grows.

What the view gives away is proved in :mod:`exactdp.protocols.counting.correlated_counts`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from exactdp.errors import InvalidValueError
from exactdp.laws.discrete_laplace import DiscreteLaplace
from exactdp.laws.lattice import as_number
from exactdp.laws.negative_binomial import Geometric, NegativeBinomial
from exactdp.mechanisms.analyzer import Analyzer
from exactdp.mechanisms.dataset import Neighbors
from exactdp.mechanisms.lattice_randomizer import LatticeRandomizer
from exactdp.mechanisms.randomizer import Communication
from exactdp.numbers.balls import compare_reals
from exactdp.numbers.epsilon import LogRational, PrivacyLevel
from exactdp.numbers.exact import Exact, as_fraction, as_integer
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real, as_real, read_parameter
from exactdp.privacy.profile import PrivacyProfile
from exactdp.privacy.shuffle.scan import DEFAULT_LIMIT
from exactdp.protocols.counting.correlated_counts import CorrelatedPairs
from exactdp.protocols.counting.counting_protocol import SharedNoiseSum, rounded_up
from exactdp.protocols.counting.counting_theorem import correlated_counting_noise
from exactdp.protocols.interface import Statement
from exactdp.protocols.one_parameter_families import Family
from exactdp.protocols.protocol import AdditiveProtocol
from exactdp.protocols.saving import Calibrated, Savings, least_error, root

MESSAGES: Final = (1, -1)
"""What users send, in the order of the counts."""


@dataclass(frozen=True, slots=True, init=False)
class CorrelatedCounting(SharedNoiseSum):
    """Private counting with correlated noise; made by :func:`correlated_counting`.

    >>> protocol = correlated_counting(1000, p1="1/2", p2="9/10", r=20)
    >>> protocol.privacy_profile().delta(exp_eps=3), protocol.estimate((700, 300))
    (Interval[2.227266862e-10, 2.227266863e-10], Fraction(400, 1))
    """

    n: int
    p1: Fraction | Real
    p2: Fraction | Real
    r: Fraction | Real

    def __init__(self, n: int, *, p1: Exact | Real, p2: Exact | Real, r: Exact | Real) -> None:
        shape = read_parameter(r, name="r")
        if compare_reals(shape, Fraction(0)) < 0:
            raise InvalidValueError(f"r={shape} is below 0. Pass the shape of the noise of both counts, 0 for none.")
        users = as_integer(n, name="n", at_least=1)
        set_fields(self, n=users, p1=_inside(p1, name="p1"), p2=_inside(p2, name="p2"), r=shape)

    @property
    def records(self) -> tuple[int, int]:
        """What a user's record can be."""
        return 0, 1

    @property
    def alphabet(self) -> tuple[int, int]:
        """The messages, in the order of their counts."""
        return MESSAGES

    @property
    def analyzer(self) -> Analyzer:
        """The number of messages +1 less that of messages -1."""
        return Analyzer({1: 1, -1: -1})

    @property
    def randomizer(self) -> LatticeRandomizer:
        """What each user runs: his bit, and his shares of G1, G2 and W."""
        own = NegativeBinomial(Fraction(1, self.n), self.p1)
        common = [(NegativeBinomial(self.r / self.n, self.p2), {1: 1, -1: 1})] if self.r else []
        return LatticeRandomizer({0: {}, 1: {1: 1}}, [(own, {1: 1}), (own, {-1: 1}), *common])

    @property
    def geometric(self) -> Geometric:
        """The law of G1 and G2: what is added to one of the two counts."""
        return Geometric(self.p1)

    @property
    def correlated(self) -> NegativeBinomial:
        """The law of W: what is added to both counts; for r = 0 that is 0."""
        return NegativeBinomial(self.r, self.p2) if self.r else NegativeBinomial(1, 0)

    @property
    def noise(self) -> tuple[tuple[Geometric | NegativeBinomial, dict[int, int]], ...]:
        """What all users together add: laws, and the messages that are sent for every unit of them."""
        return (self.geometric, {1: 1}), (self.geometric, {-1: 1}), (self.correlated, {1: 1, -1: 1})

    @property
    def error(self) -> DiscreteLaplace:
        """The law of the error of the estimate, on every data set: that of G1 - G2."""
        return DiscreteLaplace(1 / self.p1)

    @property
    def noise_messages(self) -> Fraction | Interval:
        """The expected number of messages that a user sends beside those of his bit."""
        return as_number(self._noise_messages)

    @property
    def _noise_messages(self) -> Fraction | Real:
        return 2 * (self.p1 / (1 - self.p1) + self.r * self.p2 / (1 - self.p2)) / self.n

    def communication(self) -> Communication:
        """Return what one user sends, for the bit 1: his bit, and his shares of the noise, which have no largest value.

        >>> correlated_counting(1000, p1="1/2", p2="9/10", r=20).communication()
        Communication(messages=Fraction(681, 500), most=None, symbols=2)
        """
        return Communication(as_number(1 + self._noise_messages), None, len(MESSAGES))

    def privacy_profile(
        self, *, neighbors: Neighbors = Neighbors.REPLACE_ONE, limit: int = DEFAULT_LIMIT
    ) -> PrivacyProfile:
        """Return the profile over all neighbouring data sets, both orders, enclosed.

        It is the same at every n, since the shares of all users add up to the same noise; so ADD_OR_REMOVE_ONE, where
        a user's share leaves with him, is refused. ``limit`` is of no use here: nothing is scanned. For r = 0 the count
        of -1 is noise alone, and the profile is that of the other count.

        Cost: 2 ms for one delta with the parameters of the theorem at eps = 1, 30 ms for one eps.
        """
        if neighbors is not Neighbors.REPLACE_ONE:
            raise InvalidValueError(
                f"neighbors={getattr(neighbors, 'value', neighbors)} is not defined here: the noise belongs to "
                f"n={self.n} users. Pass Neighbors.REPLACE_ONE."
            )
        as_integer(limit, name="limit", at_least=1)
        if not self.r:
            return AdditiveProtocol(self.geometric, n=self.n).privacy_profile()
        p1, p2, r = as_real(self.p1, name="p1"), as_real(self.p2, name="p2"), as_real(self.r, name="r")
        return PrivacyProfile(CorrelatedPairs(p1, p2, r, self.n))

    def savings(self, found: Calibrated) -> Savings:
        """Return what the calibrated r saves; the error is the theorem's, as both have the same p1."""

        def theorem() -> CorrelatedCounting:
            noise = correlated_counting_noise(eps=found.eps, delta=found.delta, share=found.share or EVEN_SHARE)
            return CorrelatedCounting(self.n, p1=noise.p1, p2=noise.p2, r=noise.r)

        return Savings.against(
            self,
            theorem,
            {
                "r": lambda one: as_number(one.r),
                "noise messages of a user": lambda one: one.noise_messages,
                "standard deviation": lambda one: root(one.error.variance),
                "alpha": lambda one: least_error(one, found.beta),
            },
        )

    @property
    def statement(self) -> Statement:
        """A claim states the laws of the noise; n is no part of it."""
        return Statement("counting_dp", {"p1": self.p1, "noise": (self.correlated,)})

    def estimate(self, counts: Sequence[int] | Mapping[Any, int]) -> Fraction:
        """Return the estimate of the sum from the counts of +1 and -1, in this order or as message -> count."""
        if not isinstance(counts, Mapping):
            values = list(counts)
            if len(values) != len(MESSAGES):
                raise InvalidValueError(f"counts has {len(values)} entries, for +1 and -1. Give one for each.")
            counts = dict(zip(MESSAGES, values, strict=True))
        if unknown := [message for message in counts if message not in MESSAGES]:
            raise InvalidValueError(f"counts names the unknown message {unknown[0]!r}. The messages are 1 and -1.")
        return self.analyzer.estimate(counts)


def correlated_counting(n: int, *, p1: Exact | Real, p2: Exact | Real, r: Exact | Real) -> CorrelatedCounting:
    """Return private counting of n users with two kinds of messages and correlated noise.

    Args:
        n: number of users who follow the protocol, at least 1.
        p1: ratio of the noise of each count, between 0 and 1: an exact number, or a Real such as ``Real.exp(-1)``.
        p2: ratio of the noise of both counts, likewise.
        r: shape of the noise of both counts, exact or a Real, at least 0.

    >>> correlated_counting(10**9, p1="exp(-1/2)", p2="exp(-1/10)", r=44).privacy_profile().epsilon("1e-6")
    Interval[0.5781475447, 0.5781475448]

    Source: GhaziKumarManurangsiPagh2020, section 3.
    """
    return CorrelatedCounting(n, p1=p1, p2=p2, r=r)


def correlated_counting_from_theorem(
    n: int, *, eps: Exact | LogRational, delta: Exact, share: Exact = "1/2"
) -> CorrelatedCounting:
    """Return correlated counting with the theorem's p1, p2 and r for (eps, delta)-DP, rounded up to floats.

    A larger r is post-processing, larger p1 and p2 are the theorem's for a smaller eps: rounding up keeps the promise.

    Args:
        n: number of users who follow the protocol.
        eps: above 0, a rational number or a LogRational; share * eps is at most 1.
        delta: in (0, 1], exact.
        share: of eps, what is left for the noise of both counts: more of it sends fewer messages, and errs more.

    Raises:
        HypothesisError: where the theorem does not apply, naming the hypothesis.

    >>> protocol = correlated_counting_from_theorem(10**9, eps=1, delta="1e-6")
    >>> protocol.privacy_profile().delta(eps=1), float(protocol.noise_messages) < 1e-6
    (Interval[1.899732888e-22, 1.899732889e-22], True)

    Source: GhaziKumarManurangsiPagh2020, section 3.
    """
    noise = correlated_counting_noise(eps=eps, delta=delta, share=share)
    p1, p2, r = map(rounded_up, (noise.p1, noise.p2, noise.r))
    return CorrelatedCounting(n, p1=p1, p2=p2, r=r)


def _inside(value: Exact | Real, *, name: str) -> Fraction | Real:
    ratio = read_parameter(value, name=name)
    if compare_reals(ratio, Fraction(0)) <= 0 or compare_reals(ratio, Fraction(1)) >= 0:
        raise InvalidValueError(f"{name}={ratio} is not between 0 and 1. Pass the ratio of a geometric noise.")
    return ratio


EVEN_SHARE: Final = Fraction(1, 2)
"""The share of eps that is left for the noise of both counts unless another one is asked for."""


def correlated_family(level: PrivacyLevel, share: Exact = EVEN_SHARE) -> Family:
    """Return correlated counting by r, from r = 0 on, with a share of eps in (0, 1) for the noise of both counts."""
    part = as_fraction(share, name="share")
    if not 0 < part < 1:
        raise InvalidValueError(f"share={short(part)} is not between 0 and 1. Pass the share of eps, such as 1/4.")
    if level.exp_eps == 1:
        raise InvalidValueError("eps=0 leaves p1=1, which is no ratio of a noise. Pass eps above 0.")
    return Family(_ByShape(level, part), "r", (0, None), True)


@dataclass(frozen=True, slots=True)
class _ByShape:
    """Correlated counting with the theorem's p1 = e^(-(1 - share) eps) and p2 = e^(-share eps / 5), and its r free."""

    level: PrivacyLevel
    share: Fraction

    def __call__(self, r: Fraction, n: int | None) -> CorrelatedCounting:
        assert n is not None
        eps = Real.log(self.level.real)
        return correlated_counting(n, p1=Real.exp((self.share - 1) * eps), p2=Real.exp(-self.share * eps / 5), r=r)
