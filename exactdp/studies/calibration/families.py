"""Families of protocols with one parameter, and what is proved about privacy as it grows.

*Monotone.* delta falls, or stays, as the parameter grows, if the larger noise is the smaller noise processed further.
NB(r, p) in r: NB(r + s, p) is NB(r, p) plus independent noise NB(s, p), added to one count or to two at once. Sample
and threshold in the threshold: of what is released more is dropped. In the rate: to pass from q to q' < q keep each
report that is released with probability q'/q, and drop again what is then below the threshold; what was dropped before
is below it too. Randomized response in the flip probability: to pass from f < f' <= 1/2, flip every message again with
probability (f' - f) / (1 - 2f), which acts on the multiset.

*Not monotone.* zsum in gamma (:mod:`exactdp.studies.calibration.zsum_safety`), and discrete Gaussian noise in sigma^2.
With x = e^(-1/(2 sigma^2)), E = 20 and 1/20 <= x <= 20^(-1/3), delta = P[Y >= 1] - 20 P[Y >= 2], which is
(S_1 - 20 S_2) / (1 + 2 S_1) with S_i = x^(i^2) + x^((i+1)^2) + ...: it rises from x = 1/20 on, before it falls.

Source: CanonneKamathSteinke2020, section 1 (of the discrete Gaussian law).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from exactdp.errors import InvalidValueError
from exactdp.laws.discrete_gaussian import DiscreteGaussian
from exactdp.laws.finite import Law
from exactdp.laws.negative_binomial import NegativeBinomial
from exactdp.mechanisms.family import FamilyRandomizer
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.epsilon import LogRational, PrivacyLevel
from exactdp.numbers.exact import Exact, as_fraction
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.real import Real
from exactdp.protocols.almost_central.almost_central_protocol import AlmostCentralSum, almost_central_sum
from exactdp.protocols.counting.correlated_counting_protocol import CorrelatedCounting, correlated_counting
from exactdp.protocols.interface import Protocol
from exactdp.protocols.k_ary_protocol import k_ary, randomized_response
from exactdp.protocols.protocol import AdditiveProtocol, ShuffleProtocol
from exactdp.protocols.thresholded.sample_and_threshold_protocol import SampleAndThreshold, sample_and_threshold
from exactdp.protocols.zsum_and_histogram.zsum_protocol import zsum

Built = Protocol | Randomizer | FamilyRandomizer
"""What a family builds: of a randomizer, n users run it."""


@dataclass(frozen=True, slots=True, init=False)
class Family:
    """Protocols with one parameter: more of it is meant to be more noise, or with ``weakens`` less.

    Args:
        build: (value of the parameter, n) -> AdditiveProtocol, ShuffleProtocol, or the randomizer of one; n is None
            where ``calibrate`` is called without it. Claims are about one bin: of several there is no certificate.
        parameter: what the parameter is called.
        domain: its least and its largest value; None for no largest one.
        monotone: whether it is proved that delta never rises with the noise; you vouch for it.
        weakens: whether more of the parameter is less noise, as of e^eps0.

    >>> from exactdp.laws import Poisson
    >>> Family(lambda mu, n: AdditiveProtocol(Poisson(mu)), "mu", domain=(1, None), monotone=True).domain
    (Fraction(1, 1), None)
    """

    build: Callable[[Fraction, int | None], Built]
    parameter: str
    domain: tuple[Fraction, Fraction | None]
    monotone: bool
    weakens: bool

    def __init__(
        self,
        build: Callable[[Fraction, int | None], Built],
        parameter: str,
        domain: tuple[Exact, Exact | None],
        monotone: bool,
        *,
        weakens: bool = False,
    ) -> None:
        if not callable(build):
            raise InvalidValueError(
                f"build has the type {type(build).__name__}. Pass a function of the parameter and n that returns a "
                "protocol."
            )
        if not isinstance(parameter, str) or not isinstance(monotone, bool) or not isinstance(weakens, bool):
            raise InvalidValueError(
                "parameter is a name, monotone and weakens are bools. Pass Family(build, 'mu', domain, True)."
            )
        if not isinstance(domain, tuple) or len(domain) != 2:
            raise InvalidValueError("domain is no pair. Pass (least, largest), with None for no largest value.")
        least = as_fraction(domain[0], name="the least value")
        largest = None if domain[1] is None else as_fraction(domain[1], name="the largest value")
        if least < 0 or (largest is not None and largest <= least):
            shown = "None" if largest is None else short(largest)
            raise InvalidValueError(
                f"domain=({short(least)}, {shown}) is empty or begins below 0. Pass 0 <= least < largest."
            )
        ends = (least, largest)
        set_fields(self, build=build, parameter=parameter, domain=ends, monotone=monotone, weakens=weakens)

    def protocol(self, value: Fraction, n: int | None) -> Protocol:
        """Return the protocol at a value."""
        built = self.build(value, n)
        if isinstance(built, Randomizer | FamilyRandomizer):
            if n is None:
                raise InvalidValueError("the family builds a randomizer: it needs n, the number of users. Pass n=1000.")
            return ShuffleProtocol(built, n)
        if isinstance(built, Protocol) and built.is_profiled:
            return built
        raise InvalidValueError(
            f"the family builds a {type(built).__name__}, which is no protocol that is calibrated. Build a "
            "ShuffleProtocol or its randomizer, or an AdditiveProtocol."
        )


def _zsum(gamma: Fraction, n: int | None) -> AdditiveProtocol:
    assert n is not None
    return zsum(n, gamma=gamma)


def _response(flip: Fraction, n: int | None) -> ShuffleProtocol:
    assert n is not None
    if 2 * flip == 1:  # no information, so no estimate
        return ShuffleProtocol(randomized_response(2, gamma=1), n)
    return k_ary(n, 2, gamma=2 * flip)


def _gaussian(sigma_squared: Fraction, n: int | None) -> AdditiveProtocol:
    return AdditiveProtocol(DiscreteGaussian(sigma_squared) if sigma_squared else _NOTHING)


@dataclass(frozen=True, slots=True)
class _Counting:
    """NB(r, e^(-eps/5)), as the published mechanism with its r free."""

    level: PrivacyLevel

    def __call__(self, r: Fraction, n: int | None) -> AdditiveProtocol:
        ratio = Real.exp(-Real.log(self.level.real) / 5)
        return AdditiveProtocol(NegativeBinomial(r, ratio) if r else _NOTHING)


SAMPLED: Final = "sample-and-threshold"
"""The family whose parameter is chosen: its threshold at a rate, or its rate at a threshold."""


def thresholded_family(name: object, options: Mapping[str, Any]) -> Family | None:
    """Return sample and threshold of one symbol with the parameter that is not given; None for other families.

    Args:
        name: a family as ``calibrate`` takes it: its name, or the function that makes its protocols.
        options: ``rate`` or ``threshold``.
    """
    if name not in (SAMPLED, sample_and_threshold):
        return None
    given = {option: value for option, value in options.items() if value is not None}
    if given.keys() not in ({"rate"}, {"threshold"}):
        raise InvalidValueError(
            f"{SAMPLED} needs rate or threshold, and not both: the other one is calibrated. Pass rate='1/8'."
        )
    sample_and_threshold(1, **{"rate": 1, "threshold": 1, **given})  # refuses a bad number at once

    def built(value: Fraction, n: int | None) -> SampleAndThreshold:
        assert n is not None
        chosen: dict[str, Any] = {"threshold" if "rate" in given else "rate": value}
        return sample_and_threshold(n, **given, **chosen)

    if "rate" in given:
        return Family(built, "threshold", (1, None), True)
    return Family(built, "rate", (0, 1), True, weakens=True)


@dataclass(frozen=True, slots=True)
class _CorrelatedCounting:
    """Correlated counting with the theorem's p1 = e^(-(1 - share) eps) and p2 = e^(-share eps / 5), and its r free."""

    level: PrivacyLevel
    share: Fraction

    def __call__(self, r: Fraction, n: int | None) -> CorrelatedCounting:
        assert n is not None
        eps = Real.log(self.level.real)
        return correlated_counting(n, p1=Real.exp((self.share - 1) * eps), p2=Real.exp(-self.share * eps / 5), r=r)


@dataclass(frozen=True, slots=True)
class _AlmostCentral:
    """Sums of bits in almost one message with the theorem's ratios, and one shape r of both parts."""

    level: PrivacyLevel

    def __call__(self, r: Fraction, n: int | None) -> AlmostCentralSum:
        assert n is not None
        eps = self.level.eps if self.level.exp_eps is None else LogRational(self.level.exp_eps)
        assert eps is not None
        return almost_central_sum(n, bound=1, eps=eps, delta=1, r=r)


_NOTHING: Final = Law({0: 1})

CORRELATED: Final = "correlated-counting"

EVEN_SHARE: Final = Fraction(1, 2)
"""The share of eps that is left for the noise of both counts unless another one is asked for."""


def correlated_family(level: PrivacyLevel, share: Exact = EVEN_SHARE) -> Family:
    """Return correlated counting by r, from r = 0 on, with a share of eps in (0, 1) for the noise of both counts."""
    part = as_fraction(share, name="share")
    if not 0 < part < 1:
        raise InvalidValueError(f"share={short(part)} is not between 0 and 1. Pass the share of eps, such as 1/4.")
    if level.exp_eps == 1:
        raise InvalidValueError("eps=0 leaves p1=1, which is no ratio of a noise. Pass eps above 0.")
    return Family(_CorrelatedCounting(level, part), "r", (0, None), True)


ZSUM: Final = Family(_zsum, "gamma", (0, "1/2"), False)
RESPONSE_OF_A_BIT: Final = Family(_response, "flip", (0, "1/2"), True)
_GAUSSIAN: Final = Family(_gaussian, "sigma_squared", (0, None), False)

FAMILIES: Final[dict[str, Callable[..., Family]]] = {
    "zsum": lambda level: ZSUM,
    "randomized-response": lambda level: RESPONSE_OF_A_BIT,
    "counting": lambda level: Family(_Counting(level), "r", (0, None), True),
    CORRELATED: correlated_family,
    "almost-central": lambda level: Family(_AlmostCentral(level), "r", (1, None), True),
    "discrete-gaussian": lambda level: _GAUSSIAN,
}
"""Name -> the family at a level of privacy, on which ratios of noise depend; CORRELATED also takes a share."""

NEEDS_USERS: Final = {
    "zsum": True,
    "randomized-response": True,
    "counting": False,
    CORRELATED: True,
    "almost-central": True,
    "discrete-gaussian": False,
}

BUILDERS: Final[dict[Callable[..., object], str]] = {
    zsum: "zsum",
    k_ary: "randomized-response",
    randomized_response: "randomized-response",
    NegativeBinomial: "counting",
    correlated_counting: CORRELATED,
    almost_central_sum: "almost-central",
    DiscreteGaussian: "discrete-gaussian",
}
"""What a user may pass in the place of a name."""
