"""How many users no local protocol for a histogram can do with: a lower bound for every protocol, as a number.

*The bound.* Let an (eps, 0)-DP local protocol, whose users answer at once or in turns, estimate the counts of d bins,
and let E = e^eps and K = (E - 1)^2/E. Let theta be in [0, 1], m <= n, 2 t < m theta and

    c = m theta (1 - theta)/(m theta - 2 t)^2,    (1 + theta^2 K)^m b <= (d - 1) (1 - b - c)^2,    b + c <= 1,

where c bounds the probability that fewer than 2 t of m users hold a bin that each holds with probability theta. Then
for n users some data set has a bin that errs by t or more with probability b or more: m users can run a protocol of
more. This is ``local_histogram.local_histogram_error_of_more`` of the Coq development. With t = alpha n and b = beta,
and the inequality strict, some bin errs by more than alpha n with a probability above beta.

*All smaller numbers of users* are covered by ranges. With theta fixed and m = n, c falls and the left side grows as n
does: what holds for the last n of a range with the c of the first one holds for all n of it. With theta and m fixed, it
is the last n of a range that is the hardest, and the range begins at m.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, inf, log, log1p
from typing import Final

from exactdp.errors import InvalidValueError
from exactdp.evidence.theorems import relies_on
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.bisection import bisect, gallop
from exactdp.numbers.epsilon import LogRational, read_privacy_level
from exactdp.numbers.exact import Exact, as_fraction, as_integer, as_probability
from exactdp.numbers.real import Real

_BITS: Final = 64
_GRID: Final = 64
"""So many values of theta, and of m, are tried."""
_FINEST: Final = 10**6
"""theta is rounded to about this part of alpha."""
_LARGEST: Final = 2**1000
"""Floats take a larger K for this."""


@relies_on("local_histogram.local_histogram_error_of_more")
def local_histogram_users(
    bins: int, *, alpha: Exact, beta: Exact, eps: Exact | LogRational | None = None, exp_eps: Exact | None = None
) -> int:
    """Return a number of users too small for every eps-DP local protocol for a histogram, as is every smaller one.

    Args:
        bins: d, at least 2.
        alpha: the error of each bin, as a share of the users, exact, in (0, 1/2).
        beta: the probability with which some bin may err by more, exact, in (0, 1).
        eps, exp_eps: the privacy of a user's bin, one of the two, above 0.

    Returns:
        N such that for n = 1, ..., N users, whatever the protocol, on some data set some bin errs by more than alpha n
        users with a probability above beta. It is 0 where nothing is shown. Proved; not the greatest such number.

    >>> local_histogram_users(1024, eps=1, alpha="1/100", beta="1/10")
    15385
    >>> local_histogram_users(2**1000, eps=1, alpha="1/10", beta="1/10")
    15563

    Source: BassilySmith2015, lower bound on frequency estimation (the order, while the bound is the module's).
    """
    count = as_integer(bins, name="bins", at_least=2)
    share, risk = as_probability(alpha, name="alpha"), as_probability(beta, name="beta")
    if not 0 < share < Fraction(1, 2):
        raise InvalidValueError(f"alpha={share} is not in (0, 1/2). Pass the error that each bin may have, as 1/10.")
    if not 0 < risk < 1:
        raise InvalidValueError(f"beta={risk} is not in (0, 1). Pass the probability of a larger error, as 1/10.")
    power = read_privacy_level(eps=eps, exp_eps=exp_eps).enclose(_BITS).hi
    if power == 1:
        raise InvalidValueError("eps=0 shows nothing of anyone, whatever n is. Pass eps above 0.")
    chi_square = (power - 1) ** 2 / power
    log_ratio, near = log(count - 1) - log(risk.numerator) + log(risk.denominator), float(share)
    kept, finest = float(min(chi_square, Fraction(_LARGEST))), _FINEST * ceil(1 / share)

    def left(theta: Fraction, users: int, last: int) -> Fraction:
        """1 - b - c for m = ``users`` and n = ``last``; 0 where the theorem says nothing."""
        gap = users * theta - 2 * share * last
        return max(Fraction(0), 1 - risk - users * theta * (1 - theta) / gap**2) if gap > 0 else Fraction(0)

    def slack(theta: float, users: int, last: int) -> float:
        """By how much the theorem holds, in floats: theta and m are chosen by it."""
        gap = users * theta - 2 * near * last
        rest = 1 - float(risk) - users * theta * (1 - theta) / gap**2 if gap > 0 else 0
        return log_ratio + 2 * log(rest) - users * log1p(theta**2 * kept) if rest > 0 else -inf

    def holds(theta: Fraction, users: int, rest: Fraction) -> bool:
        if rest == 0:
            return False
        many = enclose_real(Real.log((count - 1) * rest**2 / risk), relative_bits=_BITS)
        return users * enclose_real(Real.log(1 + theta**2 * chi_square), relative_bits=_BITS).hi < many.lo

    def best(users: int, last: int) -> Fraction:
        least = 2 * near * last / users
        tried = (least + (1 - least) * (k / _GRID) ** 2 for k in range(1, _GRID + 1))
        return Fraction(min(1.0, max(tried, key=lambda theta: slack(theta, users, last)))).limit_denominator(finest)

    def before(last: int) -> int:
        """The number before the first of a range of users to ``last`` that is shown; ``last`` if none is."""
        theta = best(last, last)
        if holds(theta, last, left(theta, last, last)):
            return bisect(0, last, lambda first: holds(theta, last, left(theta, first, first))) - 1
        for users in sorted({-(-last * k // _GRID) for k in range(1, _GRID)}):
            if 2 * share * last < users and holds(theta := best(users, last), users, left(theta, users, last)):
                return users - 1
        return last

    def is_shown(users: int) -> bool:
        """Whether ranges cover 1, ..., ``users``."""
        while users and (rest := before(users)) < users:
            users = rest
        return users == 0

    shown, not_shown = gallop(0, 1, lambda users: not is_shown(users))
    return bisect(not_shown, shown, is_shown)


@relies_on("local_histogram_attained.local_histogram_attained")
def unary_encoding_users(bins: int, *, alpha: Exact, beta: Exact, eps: Exact) -> int:
    """Return a number of users for whom unary encoding is enough, as is every larger one.

    With F = e^(eps/2) some bin errs by (F + 1)/(F - 1) sqrt(n ln(2 d/beta)/2) or more with probability at most beta.

    >>> unary_encoding_users(1024, eps=1, alpha="1/100", beta="1/10")
    827472

    Source: ErlingssonPihurKorolova2014, section 2 (the randomizer, while the bound is the module's).
    """
    share, risk = as_probability(alpha, name="alpha"), as_probability(beta, name="beta")
    half = read_privacy_level(eps=as_fraction(eps, name="eps") / 2, exp_eps=None).enclose(_BITS).lo
    log_ratio = enclose_real(Real.log(2 * as_integer(bins, name="bins", at_least=1) / risk), relative_bits=_BITS).hi / 2
    return ceil(((half + 1) / (half - 1) / share) ** 2 * log_ratio)
