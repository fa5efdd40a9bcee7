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

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exactdp.errors import InvalidValueError
from exactdp.laws.finite import Law
from exactdp.mechanisms.family import FamilyRandomizer
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.epsilon import PrivacyLevel
from exactdp.numbers.exact import Exact, as_fraction
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.protocols.interface import Protocol
from exactdp.protocols.protocol import AdditiveProtocol, ShuffleProtocol

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
        if isinstance(built, Randomizer | FamilyRandomizer):  # what a user's function builds may be anything
            if n is None:
                raise InvalidValueError("the family builds a randomizer: it needs n, the number of users. Pass n=1000.")
            return ShuffleProtocol(built, n)
        if isinstance(built, Protocol) and built.is_profiled:
            return built
        raise InvalidValueError(
            f"the family builds a {type(built).__name__}, which is no protocol that is calibrated. Build a "
            "ShuffleProtocol or its randomizer, or an AdditiveProtocol."
        )


NOTHING: Final = Law({0: 1})
"""No noise."""


def gaussian_family(level: PrivacyLevel) -> Family:
    """Return discrete Gaussian noise on a count by its sigma^2."""
    return Family(_gaussian, "sigma_squared", (0, None), False)


def _gaussian(sigma_squared: Fraction, n: int | None) -> AdditiveProtocol:
    from exactdp.laws.discrete_gaussian import DiscreteGaussian

    return AdditiveProtocol(DiscreteGaussian(sigma_squared) if sigma_squared else NOTHING)
