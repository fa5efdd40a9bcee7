"""Optimal accuracy: the least error that the worst data set exceeds with probability at most beta, exactly.

*zsum.* Let W ~ Bin(n, gamma) be the number of silent users, mu = n gamma, and k the true sum. n times the error is
e_k = |mu - W| where W < k, else k. For every A >= 0

    sup_k P[e_k > A] = P[W < mu - A or W > A].

Proof. If k <= A, only {W < k, W < mu - A} fails, since W > mu + A >= k contradicts W < k. If k > A, what fails is
{W >= k}, {W < k, W < mu - A} and {mu + A < W < k}; each lies in {W < mu - A} or in {W > A}. So no k exceeds the right
side. For floor(A) < n the sum k = floor(A) + 1 attains it: {W >= k} = {W > A} fails, and where W <= A, which is W < k,
W < mu - A fails too; for larger A both sides are 0. In particular, if P[W >= ceil(mu)] > beta, no A < mu is enough,
and the least A is min {t : P[W > t] <= beta}: n times the optimal accuracy is an upper quantile of the noise.

*Histogram, one bin:* the same. *All d bins at once, at A >= mu:* let T = P[W > A], c = floor(A) + 1. A bin of at most A
users never errs by more than A; a bin of more does with probability at most T, and exactly T if it has c users. At
most m = min(d, floor(n/c)) bins have more, and the bins are independent: every histogram fails with probability at most
1 - (1-T)^m. Equality holds if floor(n/c) < d, with m bins of c users and the rest, fewer than c, in one other bin, and
if n = c d. Else d - 1 bins of c users, and all others in the last one, fail with probability at least 1 - (1-T)^(d-1).
The lower bounds hold at A < mu too, where a bin of c users fails with probability at least T.

Source: BalcerCheu2020, sections 3.1 and 3.2 (of the protocols, while the theorems and proofs are this page's).
"""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from typing import Any, Final

from exactdp.errors import InvalidValueError, TooLargeError, UndecidedError
from exactdp.laws.binomial import Binomial
from exactdp.laws.finite import Law
from exactdp.laws.laplace import Laplace
from exactdp.laws.lattice import LatticeLaw
from exactdp.laws.tails import (
    DECIDING_BITS,
    approximate_log,
    ends,
    least_integer,
    least_reach,
    newton_guess,
    outside_at_most,
    upper_quantile,
)
from exactdp.mechanisms.analyzer import Analyzer
from exactdp.numbers.balls import compare_reals
from exactdp.numbers.exact import Exact, as_integer, as_probability
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.progress import Progress, progress_callback
from exactdp.protocols.interface import Protocol, no_theorem

_INTERVAL_BITS: Final = 64
"""Ends are rounded outward to more digits than are shown."""
_SHORT_POWER_BITS: Final = 2**12
"""A power (1 - T)^m of so few bits is built at once."""
_EXACT_POWER_BITS: Final = 2**22
"""Longest power (1 - T)^m that is built to decide an equality."""


def optimal_accuracy(
    protocol: Protocol | Laplace,
    *,
    beta: Exact,
    simultaneous: bool = False,
    progress: Progress | None = None,
) -> Fraction | Interval:
    """Return the least alpha with sup over data sets of P[|error| > alpha] <= beta.

    Args:
        protocol: ``protocols.zsum`` or ``protocols.histogram`` of any size, another count plus lattice noise whose
            analyzer has no threshold, every other protocol that has ``.accuracy`` (of sums of reals over all of them in
            [0, 1], of sample and threshold of one symbol, whatever the others are), ``protocols.k_ary`` (randomized
            response), or a ``ShuffleProtocol`` of a family of :mod:`exactdp.randomizers` whose messages support inputs,
            or that adds dummies, or a repetition, without an analyzer: the number of holders of an input. Of a
            ``Product`` it is the largest of those of its questions, which ``protocol.parts`` have each. Of ``Laplace``
            noise the error is the noise, of an ``exponential_mechanism`` the best score less that of the answer.
        beta: probability of a larger error, exact, in [0, 1].
        simultaneous: for the histogram and flooding, the largest error of all bins rather than that of one.
        progress: a callback for finished data sets; see :mod:`exactdp.progress`.

    Returns:
        alpha in the unit of the estimate (the mean for zsum and the histogram, the sum for the others):
        exact, or an Interval that contains it, for bins together where their theorem leaves a gap, for counted messages
        of more than 2000 users, for random answers among dummies, and for sample and threshold where n q (1-q) is above
        10^4.

    Raises:
        InvalidValueError: for a protocol whose worst data set no theorem here gives; the message says which do.
        UndecidedError: where a probability and beta agree to 1024 bits.

    >>> from exactdp import protocols
    >>> optimal_accuracy(protocols.zsum(10**6, gamma="1/1000"), beta="1/20")
    Fraction(263, 250000)
    >>> optimal_accuracy(protocols.histogram(10**6, 100, gamma="1/1000"), beta="1/20", simultaneous=True)
    Fraction(221, 200000)

    Cost: 20 ms for zsum of 10^9 users, 0.1 s for the histogram, 1 s for randomized response of 2000 users.

    Source: BalcerCheu2020, sections 3.1 and 3.2 (the theorems are in the module docstring).
    """
    as_probability(beta, name="beta")
    if not isinstance(simultaneous, bool):
        raise InvalidValueError(f"simultaneous={simultaneous!r} is no bool. Pass True or False.")
    if simultaneous and not getattr(protocol, "estimates_several", False):
        raise InvalidValueError("simultaneous=True is about the bins of a histogram. Leave it out for this protocol.")
    accuracy: Any = getattr(protocol, "accuracy", None)
    if accuracy is None:  # what is passed may be anything
        raise no_theorem(protocol)
    with progress_callback(progress):
        alpha: Fraction | Interval = accuracy(beta, simultaneous=True) if simultaneous else accuracy(beta)
    return alpha


def noisy_count_accuracy(noise: Law | LatticeLaw, analyzer: Analyzer | None, beta: Fraction) -> Fraction:
    """Return the optimal accuracy of an estimate w (count + Y) + offset of w count: its error is |w Y + offset|."""
    weights = () if analyzer is None else analyzer.weights
    if analyzer is None or len(weights) != 1 or weights[0][0] != 0 or weights[0][1] <= 0:
        raise InvalidValueError(
            "the protocol has no analyzer with one positive weight, of the message 0. "
            "Pass AdditiveProtocol(..., analyzer=Analyzer({0: weight}, offset=...)), or protocols.zsum(...)."
        )
    if analyzer.zero_unless_above is not None or noise.lattice is None:
        raise InvalidValueError(
            "the worst data set of this analyzer is not known: it has a threshold and is not zsum's, or the noise is "
            "a finite Law. Pass protocols.zsum(...), protocols.histogram(...), or lattice noise without a threshold."
        )
    weight = weights[0][1]
    edge = -analyzer.offset / weight
    return weight * least_reach(noise.lattice, edge, edge, beta)


# --- zsum -----------------------------------------------------------------------------------------------------------


def zsum_optimum(n: int, gamma: Fraction, beta: Fraction) -> Fraction:
    """Return the optimal accuracy of zsum's mean: inf {A : P[W < mu - A or W > A] <= beta} / n, W ~ Bin(n, gamma).

    >>> zsum_optimum(10, Fraction(1, 4), Fraction(1, 20)), zsum_optimum(10, Fraction(1, 4), Fraction(9, 10))
    (Fraction(1, 2), Fraction(3, 20))

    Source: BalcerCheu2020, section 3.1 (the theorem is in the module docstring).
    """
    law = Binomial(n, gamma)
    middle = law.mean.__ceil__()
    if not outside_at_most(law, law.low, middle - 1, beta):
        return Fraction(upper_quantile(law, beta, above=middle - 1), n)
    return least_reach(law, law.mean, Fraction(0), beta) / n


# --- Histogram ------------------------------------------------------------------------------------------------------


def histogram_optimum(n: int, d: int, gamma: Fraction, beta: Fraction) -> Fraction | Interval:
    """Return the optimal accuracy of the histogram's d >= 2 frequencies together, exactly or enclosed.

    It takes any number of bins, also more than ``protocols.histogram`` builds.

    >>> histogram_optimum(10**9, 10**9, Fraction(1, 10**6), Fraction(1, 20))
    Fraction(293, 250000000)

    Source: BalcerCheu2020, section 3.2 (the theorem is in the module docstring).
    """
    bins = as_integer(d, name="d", at_least=2)
    if beta == 1 or gamma == 0:
        return Fraction(0)
    law = Binomial(n, gamma)
    middle = law.mean.__ceil__()
    if not _some_bin(law, bins, middle - 1, beta, upper=False):
        least, most = (_least(law, bins, beta, upper=upper, above=middle - 1) for upper in (False, True))
        return Fraction(least, n) if least == most else _between(Fraction(least), Fraction(most), n)
    # an A below mu may be enough, and there no upper bound is proved
    floor = law.mean.__floor__()
    reached = _some_bin(law, bins, floor, beta, upper=True)
    enough = law.mean if reached else Fraction(_least(law, bins, beta, upper=True, above=floor))
    if _some_bin(law, bins, 0, beta, upper=False):
        return _between(Fraction(0), enough, n)
    return _between(Fraction(_least(law, bins, beta, upper=False, above=0)), enough, n)


def _between(least: Fraction, most: Fraction, n: int) -> Interval:
    return Interval.between(least / n, most / n, bits=_INTERVAL_BITS)


def _least(law: Binomial, bins: int, beta: Fraction, *, upper: bool, above: int) -> int:
    """Return the least t > ``above`` that is enough, by the upper or the lower bound of the probability."""
    if beta == 0:
        return law.n
    first = max(above + 1, newton_guess(law, beta / max(1, _failing(law.n, bins, above + 1, upper=upper))))
    share = -approximate_log(1 - beta) / max(1, _failing(law.n, bins, first, upper=upper))
    guess = newton_guess(law, share) if 0 < share < 1 else first
    return least_integer(lambda t: _some_bin(law, bins, t, beta, upper=upper), guess, above=above, high=law.n)


def _failing(n: int, bins: int, t: int, *, upper: bool) -> int:
    """Return how many bins can have t + 1 users, at most (``upper``), or at least where the rest is put aside."""
    full = n // (t + 1)
    return min(bins, full) if upper or full < bins or n == bins * (t + 1) else bins - 1


def _some_bin(law: Binomial, bins: int, t: int, beta: Fraction, *, upper: bool) -> bool:
    """Decide 1 - (1 - P[W > t])^m <= beta for 0 <= beta < 1, for the m of the upper or the lower bound."""
    power = _failing(law.n, bins, t, upper=upper)
    if power == 0:
        return True
    for bits in DECIDING_BITS:
        low, high = ends(law.sf(t, relative_bits=bits))
        if power * high <= beta or (high < 1 and _union(high, power, beta) <= 0):
            return True
        if low > beta or (low > 0 and _union(low, power, beta) > 0):
            return False
        if law.is_exact:
            with suppress(TooLargeError):
                tail = law.exact_sf(t)
                if power * tail.denominator.bit_length() <= _EXACT_POWER_BITS:
                    return 1 - (1 - tail) ** power <= beta
    raise UndecidedError(
        f"the probability that one of {bins} bins errs by more than {short(t)} users and beta={short(beta)} agree to "
        f"{DECIDING_BITS[-1]} bits. Use another beta."
    )


def _union(tail: Fraction, power: int, beta: Fraction) -> int:
    """Return the sign of 1 - (1 - tail)^power - beta, for 0 < tail < 1."""
    if power * tail.denominator.bit_length() <= _SHORT_POWER_BITS:
        failing = 1 - (1 - tail) ** power
        return (failing > beta) - (failing < beta)
    first = power * tail
    if first < 1 and first - first**2 / 2 > beta:  # Bonferroni
        return 1
    return -compare_reals(power * Real.log(1 - tail), Real.log(1 - beta))
