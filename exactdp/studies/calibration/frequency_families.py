"""Families of protocols that count the holders of many inputs: the histogram protocol and users who add messages.

*Histogram* in gamma: two bins move at once. delta is not monotone in gamma, as zsum's is not, and the scope is local.
The largest gamma is 1/2, or for many users a power of two of about 2^20/n: with more noise delta is far below any that
is asked for, and its terms are too many.

*Balls into bins* in the number of dummies: another dummy of every user is a channel on the multiset.

*Flooding* in the mean number of a user's noise messages. Of a Poisson number, mean + s is mean and an independent
number of mean s. Of Bin(k, p) with one k, let p < p': the shuffled messages tell how many of the n k slots are empty,
and each of these is filled with probability (p' - p)/(1 - p). Beside random answers nothing changes.

*Mixed flooding* in e^eps0: a message is replaced, with a fixed probability, by a uniform one; so are noise messages,
which stay uniform (:mod:`exactdp.studies.calibration.local_families`).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

from exactdp.errors import InvalidValueError
from exactdp.laws.binomial import Binomial
from exactdp.laws.counting_laws import Counting
from exactdp.laws.finite import Law
from exactdp.laws.poisson import Poisson
from exactdp.mechanisms.dummies_family import BallsIntoBins
from exactdp.numbers.exact import Exact, as_integer
from exactdp.protocols.flooded.flooding_protocol import Flooding
from exactdp.protocols.named_protocols import calibrated
from exactdp.protocols.one_parameter_families import Built, Family
from exactdp.protocols.protocol import AdditiveProtocol
from exactdp.protocols.zsum_and_histogram.histogram_protocol import histogram
from exactdp.studies.calibration.local_families import LocalFamily

FREQUENCY_NAMES: Final = calibrated("frequency_families")
"""What can be calibrated by its noise on the counts of many inputs."""

_TAKES: Final = {"histogram": (), "balls-into-bins": (), "flooding": ("slots",)}
"""Options beside ``inputs``."""

_VARIANCE_BITS: Final = 20
"""ld of the largest variance of a bin's noise: a standard deviation of a thousand users."""

_NOTHING: Final = Law({0: 1})


def frequency_family(name: str, n: int, options: Mapping[str, Any]) -> Family:
    """Return a family by its name; its grid is 1 for balls into bins.

    Args:
        name: one of ``FREQUENCY_NAMES``.
        n: number of users.
        options: ``inputs``, and of flooding ``slots``: a user sends Bin(slots, mean/slots) noise messages; by default
            a Poisson number.
    """
    given = {option: value for option, value in options.items() if value is not None}
    if strange := sorted(given.keys() - {"inputs", *_TAKES[name]}):
        raise InvalidValueError(f"{name} does not take {strange[0]}. Leave it out.")
    if "inputs" not in given:
        raise InvalidValueError(f"{name} needs inputs, the number of inputs. Pass inputs=10.")
    d = as_integer(given["inputs"], name="inputs", at_least=2)
    if name == "histogram":
        top = min(Fraction(1, 2), Fraction(2) ** (_VARIANCE_BITS - n.bit_length()))

        def built(gamma: Fraction, users: int | None) -> AdditiveProtocol:
            return histogram(n, d, gamma=gamma)

        return Family(built, "gamma", (0, top), False)
    if name == "balls-into-bins":
        return Family(lambda dummies, users: BallsIntoBins(d, dummies=int(dummies)), "dummies", (1, None), True)
    slots = given.get("slots")
    most = None if slots is None else as_integer(slots, name="slots", at_least=1)

    def flooded(mean: Fraction, users: int | None) -> Built:
        return Flooding(n, d, noise=_noise(mean, most)) if mean else AdditiveProtocol(_NOTHING)

    return Family(flooded, "mean", (0, most), True)


def mixed_flooding_family(n: int, d: int, noise: Counting) -> LocalFamily:
    """Return random answers of n users among noise messages of one law, by their e^eps0, which is above 1."""

    def answered(exp_eps0: Fraction, users: int | None) -> Built:
        return Flooding(n, d, noise=noise, exp_eps0=exp_eps0)

    return LocalFamily(Family(answered, "exp_eps0", (1 + Fraction(1, 2**20), None), True, weakens=True))


def _noise(mean: Exact, slots: int | None) -> Counting:
    return Poisson(mean) if slots is None else Binomial(slots, Fraction(mean) / slots)
