"""The tables of exact numbers on the protocols' pages: each function computes one when it is called.

Every number is computed by the package, none is written down here but the parameters. Where a table names an enclosure,
its decimals contain the truth; ``level`` says what stands behind the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final

import exactdp as xdp
from exactdp import bounds
from exactdp.errors import HypothesisError
from exactdp.laws.lattice import LatticeLaw
from exactdp.mechanisms.dataset import write_dataset
from exactdp.mechanisms.k_ary_family import KAryResponse
from exactdp.mechanisms.unary_encoding_family import UnaryEncoding
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.numbers.formats import power_of_ten
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real, as_real
from exactdp.report.figures.almost_central_picture import almost_central_point, curator_error
from exactdp.report.page.cells import NumberTable, Row, Value, number_table
from exactdp.report.page.cells import number_table as _table
from exactdp.studies.calibration.equal_error import equal_error
from exactdp.studies.calibration.frequency_comparison import compare_frequencies
from exactdp.studies.calibration.savings import factor

_DELTA: Final = Fraction(1, 10**6)
"""A delta that is usual in deployments."""
_BETA: Final = Fraction(1, 20)
"""The usual 95 %."""
_ENCLOSED: Final = "enclosure: tails of the exact laws in ball arithmetic"
"""What stands behind tables of enclosures."""
_EXACT: Final = "exact: fractions, over all neighbouring data sets"
"""What stands behind tables of fractions."""
_SIZES: Final = (10**4, 10**5, 10**6, 10**9)
"""From a survey to a country and beyond."""


def zsum_noise() -> NumberTable:
    """Return the least noise of zsum beside the theorem's, and the eps that the theorem's noise really has."""
    rows: list[Row] = []
    levels = set()
    for n in _SIZES:
        published = xdp.protocols.zsum_from_theorem(n, eps=1, delta=_DELTA)
        least = xdp.calibrate("zsum", n=n, eps=1, delta=_DELTA)
        theorem, enough = n * bounds.zsum_rounded_gamma(n, eps=1, delta=_DELTA), n * least.parameter
        levels.add(f"{least.level}: one step of the grid less fails, {least.scope} holds")
        rows.append((n, theorem, enough, factor(theorem, enough), published.privacy_profile().epsilon(_DELTA)))
    return NumberTable(
        "Silent users nγ for ε = 1 and δ = 10⁻⁶: the theorem’s, and the least that are enough",
        ("n", "theorem", "least", "theorem / least", "exact ε of the theorem’s noise"),
        tuple(rows),
        f"least γ, {'; '.join(sorted(levels))}. Exact ε, enclosure",
    )


@_table(
    "Error of the mean that the worst data set exceeds with probability 1/20, ε = 1 and δ = 10⁻⁶",
    ("n", "theorem’s α", "exact α, theorem’s noise", "exact α, least noise"),
    "exact: the least multiple of 1/n that is enough, over all data sets; the theorem’s α, enclosure",
)
def zsum_accuracy() -> Iterator[Row]:
    """Return the error of zsum that the worst data set exceeds with probability 1/20."""
    for n in _SIZES:
        published = xdp.protocols.zsum_from_theorem(n, eps=1, delta=_DELTA)
        least = xdp.calibrate("zsum", n=n, eps=1, delta=_DELTA)
        proved = bounds.zsum_theorem_accuracy(n, eps=1, delta=_DELTA, beta=_BETA)
        errors = [xdp.optimal_accuracy(protocol, beta=_BETA) for protocol in (published, least.protocol)]
        yield n, proved, *errors


@_table(
    "What each step of the theorem’s proof gives away: n = 10⁶, ε = 1, δ = 10⁻⁶",
    ("bound", "its δ at the theorem’s noise", "noise nγ it needs", "theorem’s noise / that"),
    _ENCLOSED,
)
def zsum_slack() -> Iterator[Row]:
    """Return what each step of the theorem's proof gives away."""
    for row in bounds.zsum_slack(10**6, eps=1, delta=_DELTA):
        yield row.name, row.delta, row.needed, row.ratio


@_table(
    "Two bins change together: the theorem’s noise for ε = 1 and δ = 10⁻⁶, for any number of bins",
    ("n", "promised ε", "exact ε at δ = 10⁻⁶", "exact δ at ε = 1"),
    _ENCLOSED,
)
def histogram_privacy() -> Iterator[Row]:
    """Return the eps of the histogram with its theorem's noise."""
    for n in (10**5, 10**6, 10**9):
        protocol = xdp.protocols.histogram_from_theorem(n, 50, eps=Fraction(1, 2), delta=_DELTA / 2)
        profile = protocol.privacy_profile()
        yield n, Fraction(1), profile.epsilon(_DELTA), profile.delta(eps=1)


@_table(
    "The largest error of all bins does not grow with their number: ε = 1, δ = 10⁻⁶, β = 1/20",
    ("n", "bins", "theorem’s α", "exact α, one bin", "exact α, all bins"),
    "exact, or enclosure where a range is given: over all data sets",
)
def histogram_accuracy() -> Iterator[Row]:
    """Return the error of one bin and of all bins, as their number grows."""
    for n, d in ((10**6, 2), (10**6, 50), (10**6, 10**4), (10**6, 10**6), (10**9, 10**6)):
        protocol = xdp.protocols.histogram_from_theorem(n, d, eps=Fraction(1, 2), delta=_DELTA / 2)
        every = bounds.histogram_theorem_accuracy(n, eps=Fraction(1, 2), delta=_DELTA / 2, beta=_BETA)
        one, together = (xdp.optimal_accuracy(protocol, beta=_BETA, simultaneous=both) for both in (False, True))
        yield n, d, every, one, together


@_table(
    "Half of the users answer at random: δ at ε = ln 2, exact and by published bounds",
    ("n", "answers k", "ε₀ of one user", "exact δ", "stronger clones", "clones", "Bennett blanket"),
    f"{_EXACT}; Bennett’s bound, enclosure",
)
def response_amplification() -> Iterator[Row]:
    """Return the exact delta of shuffled randomized response beside published amplification bounds."""
    for n, k in ((10, 2), (100, 2), (1000, 2), (10, 3), (30, 3), (10, 4)):
        randomizer = KAryResponse(k, gamma=Fraction(1, 2)).table()
        local = randomizer.local_epsilon()
        ratio = local.argument
        exact = xdp.ShuffleProtocol(randomizer, n).privacy_profile().delta(exp_eps=2)
        published = [
            bounds.stronger_clones_delta(n, exp_eps0=ratio, exp_eps=2),
            bounds.clones_delta(n, exp_eps0=ratio, exp_eps=2),
            bounds.bennett_blanket_delta(n, exp_eps0=ratio, exp_eps=2, k=k),
        ]
        yield n, k, local, exact, *published


def response_noise() -> NumberTable:
    """Return the least chance of a random answer, on a grid, beside the theorem's."""
    rows: list[Row] = []
    scopes = set()
    for n in (100, 500, 1000):
        least = xdp.calibrate("randomized-response", n=n, eps=1, delta=_DELTA, grid=Fraction(1, 256))
        try:
            theorem: Value = bounds.response_gamma(n, 2, eps=1, delta=_DELTA)
        except HypothesisError:
            theorem = "none: it needs more users"
        error = xdp.optimal_accuracy(least.protocol, beta=_BETA)
        scopes.add(least.scope)
        rows.append((n, theorem, 2 * least.parameter, least.level, error))
    return NumberTable(
        "Chance γ of a random bit for ε = 1 and δ = 10⁻⁶, and the error of the sum it leaves (β = 1/20)",
        ("n", "theorem’s γ", "least γ", "evidence", "exact α of the sum"),
        tuple(rows),
        f"least γ, of the multiples of 1/128: one step less fails; γ/2, {'; '.join(sorted(scopes))}, holds",
    )


@_table(
    "One user’s messages in order, in a random order, and the shuffled messages of all",
    ("n", "ε of one user", "ε of one user, own messages shuffled", "δ of the shuffle at ε = 0"),
    _EXACT,
)
def complement_privacy() -> Iterator[Row]:
    """Return the privacy of (x, 1-x), alone, with its own messages shuffled, and among n users."""
    randomizer = xdp.protocols.complement_randomizer()
    alone, own = randomizer.local_epsilon(), randomizer.preshuffle().local_epsilon()
    for n in (1, 2, 10, 100):
        yield n, alone, own, xdp.protocols.complement(n).privacy_profile().delta(exp_eps=1)


@_table(
    "Pure ε of the shuffle, and the total variation distance of the worst pair of data sets",
    ("n", "ε of one user", "exact ε at δ = 0", "exact δ at ε = 0", "worst pair (input = users)"),
    _EXACT,
)
def gap_privacy() -> Iterator[Row]:
    """Return the exact pure eps of R^gap for each n, and where it is attained."""
    for n in (1, 2, 3, 4, 5, 10, 30):
        profile = xdp.protocols.gap(n).privacy_profile()
        worst = profile.worst_pair(exp_eps=1)
        pair = f"{write_dataset(worst.first)} against {write_dataset(worst.second)}"
        yield n, xdp.protocols.gap_randomizer().local_epsilon(), profile.epsilon(0), worst.delta, pair


@_table(
    "The theorem’s noise for ε = 1/2 and δ = 10⁻⁶, and what it really gives (β = 1/20)",
    ("n", "λ, rounded up", "δ by the proof in this package", "exact δ at ε = 1/2", "exact α of the sum"),
    "enclosure: the worst of all data sets",
)
def binary_sum_noise() -> Iterator[Row]:
    """Return the privacy and the error of binary sums with their theorem's noise."""
    for n in (10**4, 10**5, 10**6):
        theorem = bounds.binary_sum_lambda(n, eps=Fraction(1, 2), delta=_DELTA)
        noise = Fraction(theorem.hi.__ceil__())
        protocol = xdp.protocols.k_ary(n, 2, gamma=noise / n)
        proved = bounds.binary_sum_delta(n, lam=noise, eps=Fraction(1, 2))
        exact = protocol.privacy_profile().delta(eps=Fraction(1, 2))
        yield n, noise, proved, exact, xdp.optimal_accuracy(protocol, beta=_BETA)


@_table(
    "Noise for a count, by the published parameters for ε = 1 and δ = 10⁻⁶ where there are any",
    ("law", "mean", "variance", "exact δ at ε = 1", "exact ε at δ = 10⁻⁶"),
    _ENCLOSED,
)
def counting_laws() -> Iterator[Row]:
    """Return the published noise laws for a count, with the privacy that they really have."""
    negative_binomial = bounds.negative_binomial_mechanism(eps=1, delta=_DELTA)
    laws: dict[str, LatticeLaw] = {
        "negative binomial, r = 3 (1 + ln(1/δ)), p = e^(−ε/5)": negative_binomial,
        "Poisson, as published": bounds.poisson_mechanism(eps=1, delta=_DELTA),
        "Poisson, μ = 100": xdp.Poisson(100),
        "discrete Gaussian, σ² = 25": xdp.DiscreteGaussian(25),
    }
    for name, law in laws.items():
        profile = xdp.shift_profile(law)
        yield name, _number(law.mean), _number(law.variance), profile.delta(eps=1), profile.epsilon(_DELTA)


@_table(
    "Least noise for a count with ε = 1 and δ = 10⁻⁶",
    ("noise", "theorem", "least", "evidence", "where it is enough"),
    "the least is one of the grid: one step less fails",
)
def counting_calibration() -> Iterator[Row]:
    """Return the least noise for a count, of two families."""
    shape: Any = xdp.calibrate("counting", eps=1, delta=_DELTA)
    wide = xdp.calibrate("discrete-gaussian", eps=1, delta=_DELTA)
    published = bounds.negative_binomial_mechanism(eps=1, delta=_DELTA)
    theorem = _number(published.mean)
    yield "negative binomial, p = e^(−1/5): mean", theorem, _number(shape.protocol.noise.mean), shape.level, shape.scope
    yield "discrete Gaussian: σ²", None, wide.parameter, wide.level, wide.scope


def _number(value: object) -> Value:
    return value if isinstance(value, Fraction | xdp.Interval) else None


_SHOWN: Final = ("histogram protocol", "k-ary response", "mixed dummies", "balls into bins", "flooding")
"""Rows of the comparison that take a second or two."""
_CHOSEN: Final = {"least": "least", "enough": "enough by a proved upper end"}
"""How the noise was chosen, in words."""


@number_table(
    "Frequencies of 100 inputs among n = 10⁴ users with ε = 1 and δ = 10⁻⁶, β = 1/20",
    ("protocol", "its noise", "δ at ε = 1", "messages of a user", "bits of one", "error of one input, in users",
     "of all inputs together"),
    "enclosure: the noise is enough, and the least on a grid where it says so; the errors are those of the worst data "
    "set",
)  # fmt: skip
def flooding_comparison() -> Iterator[Row]:
    """Return the noise, messages and errors of five protocols for frequencies at one (eps, delta)."""
    for row in compare_frequencies(10**4, 100, eps=1, delta=Fraction(1, 10**6), only=_SHOWN):
        assert row.communication is not None
        yield (
            row.name,
            _CHOSEN[row.choice],
            row.delta,
            row.communication.messages,
            row.communication.bits,
            row.error,
            row.simultaneous,
        )


"""A delta that is usual in deployments."""
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
    "n = 10⁶ users, β = 1/20; the error in users, at any number of bins from n on",
    ("ε", "δ", "threshold T", "exact δ", "α of one bin", "α of all bins"),
    "exact: the error; enclosure: δ",
)
def central_histograms() -> Iterator[Row]:
    """Return the thresholds of the stability histogram, and its errors.

    Cost: 0.1 s.
    """
    for eps, power in ((Fraction(1), 6), (Fraction(1), 9), (Fraction(1, 2), 6), (Fraction(1, 10), 6)):
        protocol = xdp.protocols.stability_histogram(_MANY, _MANY, eps=eps, delta=Fraction(1, 10**power))
        errors = (protocol.accuracy("1/20", simultaneous=together) for together in (False, True))
        yield eps, power_of_ten(-power), protocol.threshold, protocol.privacy_profile().delta(eps=eps), *errors


@number_table(
    "100 columns, n = 10⁵ users, each bit flipped with probability 1/(e^ε₀ + 1), δ = 10⁻⁹",
    ("ε₀ of a bit", "ε, a vector becomes zeros", "ε, lower end, another vector", "ε, upper end"),
    "enclosure: of zeros delta itself, of another vector both ends",
)
def aggregated_bits() -> Iterator[Row]:
    """Return what the sums of flipped bits give away.

    Cost: 10 s.
    """
    for eps0 in (Fraction(5), Fraction(13, 2), Fraction(7)):
        vectors = UnaryEncoding(100, exp_eps0=Real.exp(2 * eps0))
        protocol: Any = xdp.protocols.aggregate(vectors, 10**5)
        zeros = protocol.privacy_profile(neighbors=xdp.Neighbors.REPLACE_BY_ZEROS)
        ends = protocol.privacy_profile().epsilon("1e-9")
        yield eps0, zeros.epsilon("1e-9", relative_bits=40), *(Interval(end, end) for end in (ends.lower, ends.upper))


@number_table(
    "40 users, both with as much noise as an error of 16 with probability 9/10 on every data set allows; the rate 1/2",
    ("e^ε", "δ, randomized response", "δ, sample and threshold"),
    "exact: fractions, or enclosure",
)
def sampling_at_equal_error() -> Iterator[Row]:
    """Return the curves of sample and threshold and of randomized response at one error."""
    both = equal_error(40, alpha=16, beta="1/10", rate="1/2")
    yield from both.curves([1, "11/10", "5/4", "3/2", 2, 3])
