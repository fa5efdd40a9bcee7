"""Sums of integers with the error of central noise, in almost one message a user; and of reals, after rounding.

A user with the number x in 0, ..., Delta sends x, if it is not 0, and shares of noise: NB(1/n, p) messages +1 and as
many -1; NB(r/n, q) pairs {1, -1} for each of two (r, q); and for 2 <= abs(i) <= Delta NB(r/n, q_i) multisets
{i, -floor(i/2), -ceil(i/2)}. The analyzer adds all messages. Pairs and multisets add up to 0, and so the error is
G1 - G2, geometric numbers of ratio p: discrete Laplace of e^eps = 1/p, on every data set and at every n.

What the view gives away is proved in :mod:`exactdp.protocols.almost_central.zero_sum_views`, and the constants in
:mod:`exactdp.protocols.almost_central.almost_central_theorem`.

**Reals.** A user rounds B x, for x in [0, 1], to one of the two integers next to it, so that its mean is B x, and runs
the protocol of integers up to B. The estimate is the sum of the messages over B. Its error is that of n independent
roundings, of variance f (1-f) / B^2 each, f the fractional part of B x, plus (G1 - G2) / B: without bias, and of the
variance

    sum over users of f (1-f) / B^2 + 2 p / ((1-p)^2 B^2),

at most n / (4 B^2) more than that of the noise, and so much more where all f are 1/2. What is rounded is processed by
the user alone: the privacy is that of the integers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from exactdp.errors import InvalidDataSetError, InvalidValueError, TooLargeError
from exactdp.laws.discrete_laplace import DiscreteLaplace
from exactdp.laws.lattice import as_number
from exactdp.laws.negative_binomial import NegativeBinomial
from exactdp.mechanisms.analyzer import Analyzer
from exactdp.mechanisms.dataset import Neighbors
from exactdp.mechanisms.lattice_randomizer import LatticeRandomizer
from exactdp.mechanisms.randomizer import Communication
from exactdp.numbers.balls import compare_reals, enclose_real
from exactdp.numbers.epsilon import LogRational, PrivacyLevel, read_privacy_level
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_fraction, as_integer
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real, as_real, read_parameter
from exactdp.privacy.profile import PrivacyProfile
from exactdp.privacy.shuffle.scan import DEFAULT_LIMIT
from exactdp.protocols.almost_central.almost_central_theorem import almost_central_noise
from exactdp.protocols.almost_central.zero_sum_views import zero_sum_multiset
from exactdp.protocols.counting.counting_protocol import SharedNoiseSum, rounded_up
from exactdp.protocols.interface import Statement
from exactdp.protocols.one_parameter_families import Family
from exactdp.protocols.saving import Calibrated, Savings, least_error, root

MAX_BOUND: Final = 2**12
"""Largest input: as many kinds of shares, twice, are listed for every user."""

Shape = tuple[Fraction | Real, Fraction | Real]
"""The shape r and the ratio of weights of a negative binomial number."""


@dataclass(frozen=True, slots=True, init=False)
class AlmostCentralSum(SharedNoiseSum):
    """A sum of integers in almost one message; made by :func:`almost_central_sum`.

    Args:
        n: number of users who follow the protocol, at least 1.
        bound: Delta, the largest input, from 1 to 4096.
        p: ratio of the noise of the messages +1, and of that of -1, between 0 and 1.
        common: (r, ratio) of each part of the number of pairs {1, -1}, r at least 1; of all users together.
        multisets: (r, ratio) of the multisets of i and of -i, for i = 2, ..., bound.

    >>> protocol = AlmostCentralSum(1000, bound=1, p="1/2", common=[(20, "9/10")])
    >>> protocol.privacy_profile().delta(exp_eps=3), protocol.estimate({1: 700, -1: 300})
    (Interval[2.227266862e-10, 2.227266863e-10], Fraction(400, 1))
    """

    n: int
    bound: int
    p: Fraction | Real
    common: tuple[Shape, ...]
    multisets: tuple[Shape, ...]

    def __init__(
        self,
        n: int,
        *,
        bound: int,
        p: Exact | Real,
        common: Sequence[tuple[Exact | Real, Exact | Real]],
        multisets: Sequence[tuple[Exact | Real, Exact | Real]] = (),
    ) -> None:
        users, most = as_integer(n, name="n", at_least=1), read_bound(bound)
        both = tuple(_shape(*one, name="common") for one in common)
        others = tuple(_shape(*one, name="multisets") for one in multisets)
        if not both:
            raise InvalidValueError("common is empty. Pass at least one (r, ratio) for the pairs {1, -1}.")
        if len(others) != most - 1:
            raise InvalidValueError(
                f"multisets has {len(others)} entries for bound={most}. Pass one (r, ratio) for each i = 2, ..., bound."
            )
        set_fields(self, n=users, bound=most, p=_inside(p, name="p"), common=both, multisets=others)

    @property
    def records(self) -> tuple[int, ...]:
        """What a user's record can be."""
        return tuple(range(self.bound + 1))

    @property
    def alphabet(self) -> tuple[int, ...]:
        """The messages, in the order of their counts: 1, ..., bound, -1, ..., -bound."""
        return (*range(1, self.bound + 1), *range(-1, -self.bound - 1, -1))

    @property
    def analyzer(self) -> Analyzer:
        """The sum of all messages."""
        return Analyzer({message: message for message in self.alphabet})

    @property
    def noise(self) -> tuple[tuple[NegativeBinomial, dict[int, int]], ...]:
        """What all users together add: laws, and the messages that are sent for every unit of them."""
        own = NegativeBinomial(1, self.p)
        pairs = tuple((NegativeBinomial(*shape), {1: 1, -1: 1}) for shape in self.common)
        multisets = tuple(
            (NegativeBinomial(*shape), zero_sum_multiset(side * i))
            for i, shape in enumerate(self.multisets, start=2)
            for side in (1, -1)
        )
        return (own, {1: 1}), (own, {-1: 1}), *pairs, *multisets

    @property
    def randomizer(self) -> LatticeRandomizer:
        """What each user runs: his number as a message, and his shares of the noise."""
        sent = {0: dict.fromkeys(self.alphabet, 0), **{x: {x: 1} for x in self.records[1:]}}
        return LatticeRandomizer(
            sent, [(NegativeBinomial(law.r / self.n, law.p), messages) for law, messages in self.noise]
        )

    @property
    def error(self) -> DiscreteLaplace:
        """The law of the error of the estimate, on every data set: that of G1 - G2."""
        return DiscreteLaplace(1 / self.p)

    def variance_over_central(self, *, eps: Exact | LogRational) -> Interval:
        """Return the variance of the error over that of the discrete Laplace noise that a trusted curator would add.

        The curator adds noise of e^(eps / bound), which is (eps, 0)-DP for a sum of numbers from 0 to bound.

        >>> almost_central_sum(10**6, bound=4, eps=1, delta="1e-6", share="1/10").variance_over_central(eps=1)
        Interval[1.23..., 1.23...]
        """
        ratio = 1 / Real.exp(Real.log(read_privacy_level(eps=eps, exp_eps=None).real) / self.bound)
        p = as_real(self.p, name="p")
        return enclose_real(p / (1 - p) ** 2 / (ratio / (1 - ratio) ** 2), relative_bits=DEFAULT_RELATIVE_BITS)

    @property
    def noise_messages(self) -> Fraction | Interval:
        """The expected number of messages that a user sends beside his number."""
        total: Fraction | Real = 2 * self.p / (1 - self.p)
        for (r, ratio), size in [*((s, 2) for s in self.common), *((s, 6) for s in self.multisets)]:
            total = total + size * r * ratio / (1 - ratio)
        return as_number(total / self.n)

    def communication(self) -> Communication:
        """Return what a user sends: one message and the noise, on average, and without a largest number.

        >>> protocol = almost_central_sum(10**9, bound=10, eps=1, delta="1e-6")
        >>> protocol.communication().bits, float(protocol.communication().messages) < 1.01
        (5, True)
        """
        noise = self.noise_messages
        messages = noise + 1 if isinstance(noise, Fraction) else Interval.between(noise.lo + 1, noise.hi + 1, bits=64)
        return Communication(messages, None, len(self.alphabet))

    def privacy_profile(
        self, *, neighbors: Neighbors = Neighbors.REPLACE_ONE, limit: int = DEFAULT_LIMIT
    ) -> PrivacyProfile:
        """Return the profile over all neighbouring data sets, both orders: the same at every n.

        It is enclosed to any accuracy for bound 1, and between two proved ends for bounds up to 4: each is an end of
        the exact divergence of a pair of data sets, and they are mostly some percent apart, more where delta is tiny.
        For larger bounds two ends are found at once: the upper one composes one event for each kind of noise, the lower
        one is that of the sum of all messages, and they may be far apart. ADD_OR_REMOVE_ONE, where a user's share
        leaves with him, is refused. ``limit`` is of no use here.

        Cost: 1 ms for one delta with bound 1; 1 s with bound 2, 5 s with 3, 30 s with 4; 1 s with bound 200.
        """
        if neighbors is not Neighbors.REPLACE_ONE:
            raise InvalidValueError(
                f"neighbors={getattr(neighbors, 'value', neighbors)} is not defined here: the noise belongs to "
                f"n={self.n} users. Pass Neighbors.REPLACE_ONE."
            )
        as_integer(limit, name="limit", at_least=1)
        common, multisets = (
            tuple((as_real(r, name="r"), as_real(ratio, name="ratio")) for r, ratio in shapes)
            for shapes in (self.common, self.multisets)
        )
        from exactdp.protocols.almost_central.zero_sum_views import ZeroSumNoise, ZeroSumPairs

        noise = ZeroSumNoise(as_real(self.p, name="p"), common, multisets)
        return PrivacyProfile(ZeroSumPairs(noise, self.bound, self.n))

    def savings(self, found: Calibrated) -> Savings:
        """Return what the calibrated r saves: messages; the error is the theorem's where p is."""
        return Savings.against(
            self,
            lambda: almost_central_sum(self.n, bound=self.bound, eps=found.eps, delta=found.delta),
            {
                "r": lambda one: as_number(one.common[-1][0]),
                "noise messages of a user": lambda one: one.noise_messages,
                "standard deviation": lambda one: root(one.error.variance),
                "alpha": lambda one: least_error(one, found.beta),
            },
        )

    @property
    def statement(self) -> Statement | None:
        """A claim states the noise of bits."""
        if self.bound > 1:
            return None
        return Statement("counting_dp", {"p1": self.p, "noise": [NegativeBinomial(*shape) for shape in self.common]})

    def estimate(self, counts: Sequence[int] | Mapping[Any, int]) -> Fraction:
        """Return the estimate of the sum from the counts of the messages, in their order or as message -> count."""
        if not isinstance(counts, Mapping):
            values = list(counts)
            if len(values) != len(self.alphabet):
                raise InvalidValueError(
                    f"counts has {len(values)} entries for {len(self.alphabet)} messages. Give one for each of "
                    "1, ..., bound, -1, ..., -bound."
                )
            counts = dict(zip(self.alphabet, values, strict=True))
        if unknown := [message for message in counts if message not in self.alphabet]:
            raise InvalidValueError(
                f"counts names the unknown message {unknown[0]!r}. The messages are 1 to {self.bound} and -1 to "
                f"-{self.bound}."
            )
        return self.analyzer.estimate(counts)


def almost_central_sum(
    n: int, *, bound: int, eps: Exact | LogRational, delta: Exact, share: Exact = "1/2", r: Exact | Real | None = None
) -> AlmostCentralSum:
    """Return the sum of integers from 0 to bound, with the theorem's constants for (eps, delta)-DP, rounded up.

    A larger shape is more independent noise, a larger ratio the theorem's for a smaller part of eps: rounding up to
    multiples of 2^-53 keeps the promise.

    Args:
        n: number of users who follow the protocol.
        bound: Delta, the largest input, from 1 to 4096.
        eps: above 0, a rational number or a LogRational.
        delta: in (0, 1], exact.
        share: of eps, what is left for the noise that cancels: more of it needs no more of that noise, and errs more.
        r: the shape of all noise that cancels, at least 1, in place of the theorem's: nothing is promised then.

    Raises:
        HypothesisError: where the theorem does not apply, naming the hypothesis.

    >>> protocol = almost_central_sum(10**6, bound=1, eps=1, delta="1e-6")
    >>> protocol.privacy_profile().delta(eps=1), float(protocol.noise_messages)
    (Interval[9.534559816e-77, 9.534559817e-77], 0.0054...)

    Source: GhaziKumarManurangsiPaghSinha2021, section 3.
    """
    noise = almost_central_noise(read_bound(bound), eps=eps, delta=delta, share=share)
    shape = None if r is None else read_parameter(r, name="r")

    def rounded(parts: Sequence[tuple[Real, Real]]) -> list[Shape]:
        return [(rounded_up(size) if shape is None else shape, rounded_up(ratio)) for size, ratio in parts]

    return AlmostCentralSum(
        n, bound=bound, p=rounded_up(noise.p), common=rounded(noise.common), multisets=rounded(noise.multisets)
    )


@dataclass(frozen=True, slots=True)
class AlmostCentralRealSum:
    """A sum of reals in [0, 1], each rounded at random to a multiple of 1/bound; by :func:`almost_central_real_sum`.

    >>> protocol = almost_central_real_sum(10**4, bound=4, eps=1, delta="1e-6")
    >>> protocol.variance(["1/8", "1/2", "1"]) - protocol.variance([0, 0, 0])
    Fraction(1, 64)
    """

    integers: AlmostCentralSum
    """What is run on the rounded values, as numbers of steps of 1/bound."""

    @property
    def levels(self) -> int:
        """The number of steps from 0 to 1."""
        return self.integers.bound

    def rounding(self, value: Exact) -> dict[int, Fraction]:
        """Return the law of a user's rounded value, in steps.

        >>> almost_central_real_sum(10, bound=4, eps=1, delta="1e-6").rounding("1/10")
        {0: Fraction(3, 5), 1: Fraction(2, 5)}
        """
        real = as_fraction(value, name="value")
        if not 0 <= real <= 1:
            raise InvalidDataSetError(f"value={short(real)} is outside [0, 1]. Scale values to [0, 1] first.")
        steps, part = divmod(real * self.levels, 1)
        law = {int(steps): 1 - part, int(steps) + 1: part}
        return {level: weight for level, weight in law.items() if weight}

    def estimate(self, counts: Sequence[int] | Mapping[Any, int]) -> Fraction:
        """Return the estimate of the sum of the reals from the counts of the messages."""
        return self.integers.estimate(counts) / self.levels

    def variance(self, values: Sequence[Exact]) -> Fraction | Interval:
        """Return the mean squared error on these values: of all roundings and of the noise, exact where p is rational.

        The estimate has no bias.
        """
        if len(values) > self.integers.n:
            raise InvalidDataSetError(f"{len(values)} values are given for n={self.integers.n} users. Give one each.")
        parts = [as_fraction(value, name="value") * self.levels % 1 for value in values if self.rounding(value)]
        return self._with_noise(sum((part * (1 - part) for part in parts), Fraction(0)))

    @property
    def largest_variance(self) -> Fraction | Interval:
        """The mean squared error on the worst values: all in the middle between two steps."""
        return self._with_noise(Fraction(self.integers.n, 4))

    def _with_noise(self, rounding: Fraction) -> Fraction | Interval:
        p = self.integers.p
        return as_number((rounding + 2 * p / ((1 - p) * (1 - p))) / self.levels**2)


def almost_central_real_sum(
    n: int, *, bound: int, eps: Exact | LogRational, delta: Exact, share: Exact = "1/2"
) -> AlmostCentralRealSum:
    """Return the sum of reals in [0, 1], rounded to multiples of 1/bound, (eps, delta)-DP by the theorem of integers.

    With bound about 2 eps sqrt(n) the roundings add less to the variance than the noise does.

    Args:
        n, bound, eps, delta, share: as of :func:`almost_central_sum`.

    Raises:
        HypothesisError: where the theorem does not apply, naming the hypothesis.

    >>> float(almost_central_real_sum(10**4, bound=200, eps=1, delta="1e-6").largest_variance)
    8.06...

    Source: GhaziKumarManurangsiPaghSinha2021, section 3.
    """
    return AlmostCentralRealSum(almost_central_sum(n, bound=bound, eps=eps, delta=delta, share=share))


def read_bound(value: int) -> int:
    """Return the largest input, or refuse."""
    bound = as_integer(value, name="bound", at_least=1)
    if bound > MAX_BOUND:
        raise TooLargeError(f"bound={short(bound)} is more than the limit of {MAX_BOUND}. Use coarser inputs.")
    return bound


def _shape(r: Exact | Real, ratio: Exact | Real, *, name: str) -> Shape:
    shape = read_parameter(r, name=f"r of {name}")
    if compare_reals(shape, Fraction(1)) < 0:
        raise InvalidValueError(
            f"r={shape} of {name} is below 1, where the noise is not log-concave and no worst event is proved. "
            "Pass r of at least 1."
        )
    return shape, _inside(ratio, name=f"ratio of {name}")


def _inside(value: Exact | Real, *, name: str) -> Fraction | Real:
    ratio = read_parameter(value, name=name)
    if compare_reals(ratio, Fraction(0)) <= 0 or compare_reals(ratio, Fraction(1)) >= 0:
        raise InvalidValueError(f"{name}={ratio} is not between 0 and 1. Pass the ratio of a geometric noise.")
    return ratio


def almost_central_family(level: PrivacyLevel) -> Family:
    """Return sums of bits by the one shape r of both parts of the noise."""
    return Family(_ByShape(level), "r", (1, None), True)


@dataclass(frozen=True, slots=True)
class _ByShape:
    """Sums of bits in almost one message with the theorem's ratios, and one shape r of both parts."""

    level: PrivacyLevel

    def __call__(self, r: Fraction, n: int | None) -> AlmostCentralSum:
        assert n is not None
        eps = self.level.eps if self.level.exp_eps is None else LogRational(self.level.exp_eps)
        assert eps is not None
        return almost_central_sum(n, bound=1, eps=eps, delta=1, r=r)
