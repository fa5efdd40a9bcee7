"""The histogram protocol: zsum in each of d bins, with an accuracy that does not depend on d.

A user with the record x in {0, ..., d-1} sends a message x and, for every bin j independently, a dummy message j with
probability 1 - gamma. The count of bin j is the number of records there plus Bin(n, 1 - gamma), independently of the
other bins. The estimates are frequencies, with zsum's analyzer in each bin, so that empty bins are estimated as exactly
0. Its theorem, :mod:`exactdp.protocols.zsum_and_histogram.histogram_theorem`, gives (2 eps, 2 delta)-DP under
   replacement by basic
composition; ``histogram(...).privacy_profile()`` is the exact divergence of the two bins that change.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Final

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.laws.binomial import Binomial
from exactdp.mechanisms.analyzer import Analyzer
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_integer, as_probability
from exactdp.numbers.formats import short
from exactdp.protocols.protocol import AdditiveProtocol
from exactdp.protocols.zsum_and_histogram.zsum_theorem import zsum_rounded_gamma

_MAX_TABLE_BINS: Final = 10
"""Most bins of a table: each row has 2^d entries."""


def histogram_randomizer(d: int, *, gamma: Exact) -> Randomizer:
    """Return one user of the histogram protocol, as a table of d rows with 2^d entries each.

    Args:
        d: number of bins, 2 to 10; inputs and messages are 0, ..., d-1.
        gamma: probability of no dummy in a bin, exact, in [0, 1].

    >>> histogram_randomizer(2, gamma="1/4").table()[1][(0, 1)]
    Fraction(3, 16)

    Source: BalcerCheu2020, section 3.2.
    """
    bins = _read_bins(d)
    if bins > _MAX_TABLE_BINS:
        raise TooLargeError(
            f"d={short(bins)} makes rows of 2^{short(bins)} entries, more than the limit of d={_MAX_TABLE_BINS}. "
            "Use histogram(n, d, gamma=...), which needs no table."
        )
    silent = as_probability(gamma, name="gamma")
    table: dict[int, dict[tuple[int, ...], Exact]] = {}
    for x in range(bins):
        row: dict[tuple[int, ...], Exact] = {}
        for dummies in product((0, 1), repeat=bins):
            sent = tuple(j for j in range(bins) for _ in range(dummies[j] + (j == x)))
            row[sent] = (1 - silent) ** sum(dummies) * silent ** (bins - sum(dummies))
        table[x] = row
    return Randomizer(table)


def histogram(n: int, d: int, *, gamma: Exact) -> AdditiveProtocol:
    """Return the histogram protocol of n users over d bins: the view is one noisy count for each bin.

    ``estimate`` takes the d counts and returns the d estimated frequencies.

    Args:
        n: number of users, at least 1.
        d: number of bins, 2 to 10^12; for one bin there is ``zsum``. What lists every bin ends at 10^6.
        gamma: probability that a user sends no dummy to a bin, exact, in [0, 1]; kept exactly.

    >>> histogram(4, 3, gamma="1/4").estimate([4, 3, 7])
    (Fraction(0, 1), Fraction(0, 1), Fraction(1, 1))

    Source: BalcerCheu2020, section 3.2.
    """
    users = as_integer(n, name="n", at_least=1)
    dummy = 1 - as_probability(gamma, name="gamma")
    analyzer = Analyzer({0: Fraction(1, users)}, offset=-dummy, zero_unless_above=1)
    return AdditiveProtocol(Binomial(users, dummy), bins=_read_bins(d), n=users, analyzer=analyzer)


def histogram_from_theorem(n: int, d: int, *, eps: Exact | LogRational, delta: Exact) -> AdditiveProtocol:
    """Return the histogram protocol with the theorem's gamma for (eps, delta) in each bin: (2 eps, 2 delta)-DP.

    gamma = 50 ln(2/delta) / (eps^2 n), rounded up to a multiple of 2^-53; it does not depend on d.

    Args:
        n: number of users who follow the protocol, at least 100 ln(2/delta) / eps^2.
        d: number of bins, 2 to 10^12.
        eps: of one bin, in (0, 1], a rational number or a LogRational.
        delta: of one bin, in (0, 1], exact.

    Raises:
        HypothesisError: where the theorem does not apply, naming the hypothesis.

    >>> histogram_from_theorem(10**6, 100, eps=1, delta="1e-6").noise.variance > 700
    True

    Source: BalcerCheu2020, section 3.2.
    """
    gamma = zsum_rounded_gamma(n, eps=eps, delta=delta)
    return histogram(n, d, gamma=gamma)


def _read_bins(d: object) -> int:
    bins = as_integer(d, name="d")
    if bins < 2:
        raise InvalidValueError(f"d={short(bins)} is below 2. Pass at least two bins; for one there is zsum.")
    return bins
