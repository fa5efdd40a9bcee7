"""The tables on the pages of sums and counts by newer protocols; as in protocol_tables, each is computed."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final

import exactdp as xdp
from exactdp import bounds
from exactdp.mechanisms.dataset import write_dataset
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.numbers.formats import power_of_ten
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real, as_real
from exactdp.report.figures.almost_central_picture import almost_central_point, curator_error
from exactdp.report.page.cells import Row, Value, number_table
from exactdp.studies.calibration.equal_error import equal_error

_DELTA: Final = Fraction(1, 10**6)
"""A delta that is usual in deployments."""
_BETA: Final = Fraction(1, 20)
"""The usual 95 %."""
_LEVELS: Final = (Fraction(1), Fraction(1, 2), Fraction(1, 10))
"""From what is usual down to a tenth of it."""
_MANY: Final = 10**6
"""Users for whom messages are counted; privacy and error are the same at every number."""
_MODULUS: Final = 2**32
"""Sums of 32 bits."""
_SIGMA: Final = 40
"""Bits of security: views are told apart with a chance of 2 to minus these."""


@number_table(
    "Theorem’s and least noise for δ = 10⁻⁶; messages beside the bit for n = 10⁶ users, β = 1/20",
    ("ε", "theorem’s r", "least r", "theorem / least", "messages, theorem", "messages, least", "exact α of the sum"),
    "enclosure: r of the least noise is enough, and so is every larger one; one step of its grid less fails. The error "
    "is exact, on every data set",
)
def correlated_counting_noise() -> Iterator[Row]:
    """Return the theorem's and the least r of correlated counting, their messages, and the error that they share."""
    for eps in _LEVELS:
        published = xdp.protocols.correlated_counting_from_theorem(_MANY, eps=eps, delta=_DELTA)
        least: Any = xdp.calibrate("correlated-counting", n=_MANY, eps=eps, delta=_DELTA).protocol
        shapes = [_enclosed(protocol.r) for protocol in (published, least)]
        error = xdp.optimal_accuracy(published, beta=_BETA)
        yield (eps, *shapes, shapes[0].lo / shapes[1].hi, published.noise_messages, least.noise_messages, error)


def _enclosed(value: Fraction | Real) -> Interval:
    return enclose_real(as_real(value, name="r"), relative_bits=DEFAULT_RELATIVE_BITS)


@number_table(
    "Messages of a user modulo 2³² for 40 bits of security: for all inputs, and for uniform ones in the mean",
    ("n", "all inputs", "all inputs, published", "uniform inputs", "uniform inputs, published"),
    "enclosure: the least m whose bound is at most 2⁻⁴⁰; the published numbers as printed in secondary sources",
)
def split_and_mix_messages() -> Iterator[Row]:
    """Return how many messages are enough for 40 bits of security, and how many are published."""
    for n in (10**3, 10**4, 10**6, 10**9):
        counts: list[Value] = []
        for average in (False, True):
            counts += [
                least(n, modulus=_MODULUS, sigma=_SIGMA, average=average)
                for least in (bounds.split_and_mix_messages, bounds.published_split_and_mix_messages)
            ]
        yield n, *counts


@number_table(
    "The worst pair of views with the same sum, for few users",
    ("q", "m", "n", "exact distance", "bound by components", "one data set (input = users)", "the other"),
    "exact: fractions, over all pairs of data sets; the bound, enclosure",
)
def split_and_mix_distances() -> Iterator[Row]:
    """Return the exact distance of the worst pair of views, beside its bound."""
    for modulus, messages, n in ((2, 3, 10), (2, 3, 174), (2, 4, 174), (3, 3, 4), (5, 3, 3)):
        protocol = xdp.protocols.split_and_mix(n, modulus=modulus, messages=messages)
        worst = protocol.worst_pair()
        pair = write_dataset(worst.first), write_dataset(worst.second)
        yield modulus, messages, n, worst.distance, protocol.distance_bound(), *pair


@number_table(
    "Sums of bits with the theorem’s noise for δ = 10⁻⁶, and with the least shape; messages of all users, β = 1/20",
    ("ε", "exact δ", "noise messages, theorem", "least", "variance / curator’s", "exact α", "curator’s α"),
    "enclosure: the least shape is enough, and so is every larger one; one step of its grid less fails. The errors are "
    "exact, on every data set",
)
def almost_central_noise() -> Iterator[Row]:
    """Return what the theorem's constants give away, their messages and the least ones, and the error by a curator's.

    Cost: 0.5 s.
    """
    for eps in _LEVELS:
        point = almost_central_point(eps, _DELTA)
        error = xdp.optimal_accuracy(point.theorem, beta=_BETA)
        yield eps, point.exact, *point.messages, point.variance, error, curator_error(eps, _BETA)


@number_table(
    "Sums of numbers from 0 to Δ with the theorem’s noise for ε = 1 and δ = 10⁻⁶, n = 10⁶ users, β = 1/20",
    ("Δ", "noise messages of a user", "bits of a message", "variance / curator’s", "exact α", "α / Δ"),
    "enclosure; the error is exact, on every data set",
)
def almost_central_bounds() -> Iterator[Row]:
    """Return the messages and the error of almost central sums of larger numbers."""
    for bound in (1, 2, 10, 100):
        protocol = xdp.protocols.almost_central_sum(_MANY, bound=bound, eps=1, delta=_DELTA)
        error = xdp.optimal_accuracy(protocol, beta=_BETA)
        assert isinstance(error, Fraction)
        variance, bits = protocol.variance_over_central(eps=1), protocol.communication().bits
        yield bound, protocol.noise_messages, bits, variance, error, error / bound


@number_table(
    "Thresholds of one count at the rate α (1 − e^−ε), α = 1/4, rounded down; n = 10⁶ users",
    ("ε", "δ", "published threshold", "exact δ there", "exact ε there", "least threshold"),
    "enclosure: the least threshold is enough, and one less fails",
)
def sampling_thresholds() -> Iterator[Row]:
    """Return the published thresholds, what they give away, and the least ones.

    Cost: 0.5 s.
    """
    for eps, power in ((Fraction(1), 3), (Fraction(1), 6), (Fraction(1), 9), (Fraction(1, 2), 6), (Fraction(1, 10), 6)):
        delta = Fraction(1, 10**power)
        published = xdp.protocols.sample_and_threshold_from_theorem(_MANY, eps=eps, delta=delta)
        profile = published.privacy_profile()
        least: Any = xdp.calibrate("sample-and-threshold", n=_MANY, rate=published.rate, eps=eps, delta=delta,
                              certificates=False).protocol  # fmt: skip
        yield (
            eps,
            power_of_ten(-power),
            published.threshold,
            profile.delta(eps=eps),
            profile.epsilon(delta),
            least.threshold,
        )


@number_table(
    "40 users, both with as much noise as an error of 16 with probability 9/10 on every data set allows; the rate 1/2",
    ("e^ε", "δ, randomized response", "δ, sample and threshold"),
    "exact: fractions, or enclosure",
)
def sampling_at_equal_error() -> Iterator[Row]:
    """Return the curves of sample and threshold and of randomized response at one error."""
    both = equal_error(40, alpha=16, beta="1/10", rate="1/2")
    yield from both.curves([1, "11/10", "5/4", "3/2", 2, 3])
