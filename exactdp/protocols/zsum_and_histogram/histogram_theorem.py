"""The histogram theorem: zsum in every bin, with an accuracy that does not depend on the number of bins.

A user with the record x runs zsum on 1[x = j] for every bin j, with independent dummies, and labels the copies with j.
The count of bin j is the number c_j of records there plus Bin(n, 1 - gamma), independently; estimates are frequencies,
with zsum's analyzer in each bin.

*Privacy.* A replaced record changes two bins, one up and one down by one, each of them (eps, delta)-DP: by basic
composition (2 eps, 2 delta)-DP, however many bins there are. The exact divergence of the two bins together is smaller
(``protocols.histogram(...).privacy_profile()``).

*Empty bins* are estimated as exactly 0: at most n messages carry the label, and the threshold is n.

*Accuracy in one bin* is zsum's: ``zsum_accuracy`` and ``zsum_theorem_accuracy`` apply as they are. *In all bins at
once:* only the bins that are not empty can err, at most n of them, and each of them errs by more than alpha(beta / n)
with probability at most beta / n. So for all bins zsum's bounds hold with L = ln(n/beta) / mu; and the alpha of the
constant form holds for beta >= n delta^25. (For beta > delta^25, as sometimes printed, no constant is enough: with n/K
bins of K users each, K so large that one silent user too many breaks alpha, some bin fails almost surely.)

*Messages.* At most d + 1 for each user, 1 + d (1 - gamma) on average.

Source: BalcerCheu2020, section 3.2.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from exactdp.errors import TooLargeError
from exactdp.evidence.theorems import relies_on
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_integer, as_relative_bits
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.privacy.hypotheses import NamedTheorem, PrivacyBound
from exactdp.protocols.zsum_and_histogram.zsum_theorem import (
    check_beta,
    chernoff_accuracy,
    read_beta,
    read_gamma,
    read_zsum_target,
    theorem_accuracy,
)

_THEOREM: Final = NamedTheorem("The histogram theorem")
_ACCURACY: Final = NamedTheorem("The simultaneous accuracy bound")
_COUNT: Final = NamedTheorem("The message count")
_MAX_ARGUMENT_BITS = 2**20


@relies_on("histogram_privacy_theorem.histogram_privacy_theorem")
def histogram_privacy_bound(n: int, *, eps: Exact | LogRational, delta: Exact) -> PrivacyBound:
    """Return (2 eps, 2 delta): the histogram protocol's privacy under replacement, for any number of bins.

    eps and delta are those of one bin, and the noise is zsum's for them: ``zsum_gamma`` or any larger gamma up to 1/2.

    Args:
        n: number of users who follow the protocol, at least ``zsum_least_n(eps=eps, delta=delta)``.
        eps: in (0, 1], a rational number or a LogRational.
        delta: in (0, 1], exact.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> histogram_privacy_bound(2000, eps=1, delta="1e-6")
    PrivacyBound(eps=Fraction(2, 1), delta=Fraction(1, 500000))

    Source: BalcerCheu2020, section 3.2; DworkRoth2014, Section 3.5.
    """
    _, target = read_zsum_target(_THEOREM, n, eps=eps, delta=delta)
    if not isinstance(target.given, LogRational):
        return PrivacyBound(2 * target.given, 2 * target.delta)
    argument = target.given.argument
    if 2 * argument.numerator.bit_length() > _MAX_ARGUMENT_BITS:
        raise TooLargeError(f"e^(2 eps) has more than the limit of {_MAX_ARGUMENT_BITS} bits. Use a shorter e^eps.")
    return PrivacyBound(LogRational(argument**2), 2 * target.delta)


@relies_on("histogram_accuracy_theorem.histogram_simultaneous_every_beta")
def histogram_accuracy(n: int, *, gamma: Exact, beta: Exact, relative_bits: int = DEFAULT_RELATIVE_BITS) -> Interval:
    """Enclose an alpha that some bin's error exceeds with probability at most beta, for any number of bins.

    alpha = gamma (1 + h) with h = (L + sqrt(L^2 + 8L)) / 2 and L = ln(n/beta) / (n gamma) (module docstring).

    Args:
        n: number of users, at least 1.
        gamma: probability of no dummy, exact, in (0, 1].
        beta: probability that some bin has a larger error, exact, in (0, 1).
        relative_bits: relative accuracy.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> histogram_accuracy(10**6, gamma="1/1000", beta="1/20")
    Interval[..., ...]

    Source: BalcerCheu2020, section 3.2 (the form, the constants are the module docstring's).
    """
    users = _ACCURACY.read_users(n)
    silent = read_gamma(_ACCURACY, gamma, Fraction(1))
    failure = read_beta(_ACCURACY, beta)
    return chernoff_accuracy(users, silent, failure / users, relative_bits=as_relative_bits(relative_bits))


@relies_on("histogram_accuracy_theorem.histogram_simultaneous_sharp")
def histogram_theorem_accuracy(
    n: int,
    *,
    eps: Exact | LogRational,
    delta: Exact,
    beta: Exact | None = None,
    relative_bits: int = DEFAULT_RELATIVE_BITS,
) -> Interval:
    """Enclose the theorem's alpha for all bins at once and every beta >= n delta^25: gamma' (1 + (1 + sqrt(17))/4 eps).

    Args:
        n: number of users who follow the protocol, at least ``zsum_least_n(eps=eps, delta=delta)``.
        eps: in (0, 1], a rational number or a LogRational.
        delta: in (0, 1), exact, so small that n delta^25 < 1.
        beta: probability that some bin has a larger error, exact, in [n delta^25, 1); only checked.
        relative_bits: relative accuracy.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> histogram_theorem_accuracy(10**6, eps=1, delta="1e-6", beta="1e-144")
    Interval[..., ...]

    Source: BalcerCheu2020, section 3.2 (the form, the constant is the module docstring's).
    """
    users, target = read_zsum_target(_THEOREM, n, eps=eps, delta=delta)
    check_beta(_THEOREM, target.delta, beta, users=users)
    return theorem_accuracy(users, target, relative_bits=as_relative_bits(relative_bits))


@relies_on("histogram_messages.histogram_messages")
def histogram_most_messages(d: int) -> int:
    """Return the most messages of one user over d >= 1 bins: d + 1.

    Source: BalcerCheu2020, section 3.2.
    """
    return _read_bins(d) + 1


def histogram_expected_messages(d: int, *, gamma: Exact) -> Fraction:
    """Return how many messages a user sends on average: 1 + d (1 - gamma), whatever the record.

    Args:
        d: number of bins, at least 1.
        gamma: probability of no dummy, exact, in (0, 1].

    >>> histogram_most_messages(10), histogram_expected_messages(10, gamma="1/4")
    (11, Fraction(17, 2))

    Source: BalcerCheu2020, section 3.2.
    """
    return exact_answer(1 + _read_bins(d) * (1 - read_gamma(_COUNT, gamma, Fraction(1))))


def _read_bins(d: object) -> int:
    bins = as_integer(d, name="d")
    _COUNT.require(bins >= 1, "d >= 1", f"d={short(bins)}", "Pass at least one bin.")
    return bins
