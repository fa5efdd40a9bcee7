"""Decisions about tails of noise: whether P[Y < low or Y > high] is at most a number, and the least reach for which.

Every decision is proved: by enclosures of rising accuracy, and by the exact probability where the two may be equal. The
guesses only save evaluations.

Source: Hoeffding1963, Theorem 3 (of ``bernstein_reach``).

Upper bounds of binomial tails, near them, come from one weight and the ratios of those beyond it. With r_j = (n - j) p
/ ((j + 1) (1 - p)), the ratio of the weights of j + 1 and j, which falls in j,

    P[Y >= k] = P[Y = k] (1 + r_k + r_k r_(k+1) + ...),

and what follows a term t at j is at most t r_j / (1 - r_j) where r_j < 1. Terms are integers, rounded up. So many are
needed as the tail is long, some standard deviations; a contour takes as long at any length.

How far a sum of independent numbers is from its mean: two theorems, and the one that says more
-----------------------------------------------------------------------------------------------

S is a sum of independent numbers of mean 0, each at most M in size, with E|X|^3 <= k E X^2 for each; its variance is
not known, but at most V. With L = ln(2 / beta):

*Bernstein's inequality.* P[|S| > a] <= 2 exp(-a^2 / (2 (v + M a/3))) for a variance v. So it is at most beta where
v <= s(a) = a^2 / (2 L) - M a/3.

*The Berry-Esseen theorem*, with Shevtsova's constant 0.56, which is cited and not proved here: the distribution
functions of S / sqrt(v) and of a normal Z differ by at most 0.56 sum E|X|^3 / v^(3/2) <= 0.56 k / sqrt(v). So

    P[|S| > a] <= P[|Z| > a / sqrt(V)] + 1.12 k / sqrt(v)    for v <= V.

*Both.* If the right side with v = s(a) > 0 is at most beta, then a is enough: where the variance is at most s(a) by the
first, and where it is between s(a) and V by the second, whose right side falls in v. If a is enough by it, so is every
larger a, because s(a) rises where it is positive.

*From below.* With a variance of exactly v, P[|S| > a] >= P[|Z| > a / sqrt(v)] - 1.12 k / sqrt(v).

Source: Hoeffding1963, Theorem 3 (Bennett's inequality, which implies Bernstein's); Shevtsova2010, Theorem 1.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from math import isqrt
from typing import Final, NamedTuple

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.laws.binomial import Binomial
from exactdp.laws.lattice import LatticeLaw
from exactdp.laws.law_balls import EnclosedBinomial, enclose_pmf
from exactdp.numbers.balls import enclose_with_root, log_interval, normal_tails
from exactdp.numbers.bisection import bisect
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real

DECIDING_BITS: Final = (64, 256, 1024)

_LOOK_BITS: Final = 24
"""What is tried first: tails of neighboring integers seldom agree to more, and it takes half the time."""

_TINY: Final = 10**5
"""Numbers below 2 to minus this are replaced by 0 and 2 to minus this."""

_LOG_TWO: Final = Fraction(693147, 10**6)
_NEWTON_STEPS: Final = 8
"""Most steps of a guess; what it misses is found by bisection."""


def ends(interval: Interval) -> tuple[Fraction, Fraction]:
    """Return two fractions that a probability lies between, never long ones."""
    if interval.upper.mantissa and interval.upper.magnitude < -_TINY:
        return Fraction(0), Fraction(1, 2**_TINY)
    return interval.lo, interval.hi


def root_above(value: Fraction, bits: int) -> Fraction:
    """Return an upper bound of the square root, relatively 2^-bits above it or less."""
    scale = 2**bits * (max(1, (1 / value).__ceil__()) if value else 1)
    return Fraction(isqrt((value * scale**2).__ceil__()) + 1, scale)


def outside_at_most(law: LatticeLaw, low: int, high: int, bound: Fraction) -> bool:
    """Decide P[Y < low or Y > high] <= bound; with low > high the event is certain.

    Raises:
        UndecidedError: where the two agree to 1024 bits and no exact value decides.
    """
    if low > high:
        return bound >= 1
    for bits in (_LOOK_BITS, *DECIDING_BITS):
        below, above = ends(law.cdf(low - 1, relative_bits=bits)), ends(law.sf(high, relative_bits=bits))
        if below[1] + above[1] <= bound:
            return True
        if below[0] + above[0] > bound:
            return False
        if law.is_exact and bits > _LOOK_BITS:
            with suppress(TooLargeError):
                return law.exact_cdf(low - 1) + law.exact_sf(high) <= bound
    raise UndecidedError(
        f"P[Y < {short(low)} or Y > {short(high)}] of {law!r} and {short(bound)} agree to {DECIDING_BITS[-1]} bits. "
        "Use another probability."
    )


def least_integer(holds: Callable[[int], bool], guess: int, *, above: int, high: int | None) -> int:
    """Return the least t > ``above`` with ``holds(t)``, a property that holds from there on, and at ``high`` if given.

    From a guess the search gallops to both sides and bisects: about two questions where the guess is right.
    """
    if high is not None and high <= above + 1:
        return above + 1
    low, t, step = above, max(guess, above + 1), 1
    if high is not None:
        t = min(t, high - 1)
    if holds(t):
        high = t
        while high - step > low:
            if not holds(high - step):
                low = high - step
                break
            high, step = high - step, 2 * step
    else:
        low = t
        while high is None or low + step < high:
            if holds(low + step):
                high = low + step
                break
            low, step = low + step, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def least_reach(law: LatticeLaw, low_edge: Fraction, high_edge: Fraction, beta: Fraction) -> Fraction:
    """Return the least A >= 0 with P[Y < low_edge - A or Y > high_edge + A] <= beta, for low_edge >= high_edge - 1.

    The probability is a step function of A, continuous from the right, which falls: it jumps where high_edge + A or
    low_edge - A is an integer, so the least A is 0 or one of these. The jumps of one kind are 1 apart, so between the
    least one of the first kind that is enough and the one before there is at most one of the second kind.

    Raises:
        TooLargeError: for beta = 0 and noise without an end.
    """
    if beta == 0 and (law.low is None or law.high is None):
        raise TooLargeError(
            f"beta=0 asks for an error that {law!r} never exceeds, and it has no end. Use beta above 0."
        )

    def holds(reach: Fraction) -> bool:
        return outside_at_most(law, (low_edge - reach).__ceil__(), (high_edge + reach).__floor__(), beta)

    if holds(Fraction(0)):
        return Fraction(0)
    first = high_edge.__ceil__() - 1
    top, guess = None, first + 1
    if law.low is not None and law.high is not None:
        top = max(law.high, (high_edge + low_edge - law.low).__ceil__(), first + 1)
        if law.low < law.high and beta:
            guess = newton_guess(law, beta / 2)
    t = least_integer(lambda t: holds(t - high_edge), guess, above=first, high=top)
    reach = t - high_edge
    other = low_edge - (low_edge - reach).__ceil__()
    return other if 0 < other < reach and holds(other) else reach


def upper_quantile(law: Binomial, beta: Fraction, *, above: int) -> int:
    """Return the least t > ``above`` with P[Y > t] <= beta, for an ``above`` with P[Y > above] > beta.

    Cost: 20 ms at 10^9 trials.
    """
    if beta == 0:
        return law.high
    guess = newton_guess(law, beta)
    return least_integer(lambda t: outside_at_most(law, law.low, t, beta), guess, above=above, high=law.high)


# --- Guesses --------------------------------------------------------------------------------------------------------


def bernstein_reach(variance: Fraction, most: Fraction, beta: Fraction, *, relative_bits: int) -> Interval:
    """Enclose an error that a sum of independent terms exceeds with probability at most beta, 0 < beta < 1.

    The terms are at most ``most`` from their means, and ``variance`` > 0 is at least that of their sum. Bernstein's
    inequality P[|S - E S| > a] <= 2 e^(-a^2 / (2 (V + M a/3))) makes a = M L/3 + sqrt((M L/3)^2 + 2 V L) enough, with
    L = ln(2/beta).

    Source: Hoeffding1963, Theorem 3 (Bennett's inequality, which implies Bernstein's).
    """
    tail = Real.log(2 / beta)
    third = most * tail / 3
    return enclose_with_root(third, Real(1), third * third + 2 * variance * tail, relative_bits=relative_bits)


def approximate_log(value: Fraction | Dyadic) -> Fraction:
    """Return about ln(value), for value > 0; nothing rests on it."""
    number = Dyadic.below(value, 32) if isinstance(value, Fraction) else value
    part = log_interval(Fraction(number.mantissa, 2 ** number.mantissa.bit_length()), relative_bits=24)
    return part.lo + number.magnitude * _LOG_TWO


def normal_guess(law: LatticeLaw, beta: Fraction) -> int:
    """Return about the t with P[Y > t] = beta, by Bernstein's inequality."""
    mean, variance = (value.lo if isinstance(value, Interval) else value for value in (law.mean, law.variance))
    exponent = max(Fraction(0), -approximate_log(beta))
    return (mean + isqrt((2 * variance * exponent).__floor__()) + exponent / 3).__floor__()


def newton_guess(law: LatticeLaw, beta: Fraction) -> int:
    """Return about the t with P[Y > t] = beta, for a law with two ends, by Newton's method on ln P[Y > t].

    The logarithm is concave where the law is log-concave.
    """
    t, target = normal_guess(law, beta), approximate_log(beta)
    assert law.low is not None
    assert law.high is not None
    for _ in range(_NEWTON_STEPS):
        t = min(max(t, law.low), law.high - 1)
        tail, weight = law.sf(t, relative_bits=32).upper, law.pmf(t + 1, relative_bits=32).upper
        exponent = tail.exponent - weight.exponent
        slope = Fraction(tail.mantissa, weight.mantissa) * Fraction(2) ** exponent
        step = ((approximate_log(tail) - target) * slope).__floor__()
        t += step
        if abs(step) <= 1:
            break
    return t


_UNIT_BITS: Final = 48
"""Terms are multiples of 2^-48 of the first one."""

_LEFT_BITS: Final = 28
"""What is bounded and not added up is at most 2^-28 of the sum."""

_WEIGHT_BITS: Final = 32


def binomial_tail_bound(n: int, p: Fraction, k: int) -> Fraction:
    """Return a number at least P[Bin(n, p) >= k], about 2^-28 of it above, for 0 < p < 1 and n p <= k <= n.

    >>> from exactdp.laws.binomial import Binomial
    >>> exact = Binomial(100, "1/3").exact_sf(39)
    >>> 1 <= binomial_tail_bound(100, Fraction(1, 3), 40) / exact < 1 + Fraction(1, 2**26)
    True

    Cost: 0.1 ms for a standard deviation of 50.
    """
    chance, other = p.numerator, p.denominator - p.numerator
    term, total, j = 1 << _UNIT_BITS, 0, k
    while term:
        total += term
        up, down = (n - j) * chance, (j + 1) * other
        if up < down and (left := -(-term * up // (down - up))) <= total >> _LEFT_BITS:
            total += left
            break
        term, j = -(-term * up // down), j + 1
    weight = enclose_pmf(EnclosedBinomial(n, p), k, _WEIGHT_BITS).hi
    return weight * Fraction(total, 1 << _UNIT_BITS)


BERNSTEIN: Final = "Bernstein's inequality"
BERRY_ESSEEN: Final = "the Berry-Esseen theorem"
CHEBYSHEV: Final = "Chebyshev's inequality"

_CONSTANT: Final = Fraction(112, 100)
"""Twice 0.56: at both ends."""
_BITS: Final = 64
"""Ends are rounded outward to more digits than are shown."""
_STEPS: Final = 2**32
"""An error is looked for on a grid of so many steps."""


class Reach(NamedTuple):
    """An error that is exceeded with probability at most beta, and the theorem that says so."""

    error: Fraction
    theorem: str


def enough_reach(variance: Fraction, most: Fraction | None, skew: Fraction, beta: Fraction) -> Reach:
    """Return an error that is enough for every sum whose variance is at most ``variance``, for 0 < beta < 1.

    Args:
        variance: V, above 0.
        most: M, the size of a term, or such that E|X|^k is at most k!/2 (M/3)^(k-2) E X^2, from which Bernstein's
            inequality follows; None where neither is known, and ``variance`` is that of the sum.
        skew: k, what E|X|^3 / E X^2 of a term is at most.
        beta: the probability of a larger error.

    >>> half, beta = Fraction(1, 2), Fraction(1, 20)
    >>> large, small = (enough_reach(n * half**2, half, half, beta) for n in (10**6, 99))
    >>> round(float(large.error), 2), large.theorem, round(float(small.error), 2), small.theorem
    (986.67, 'the Berry-Esseen theorem', 14.14, "Bernstein's inequality")
    """
    if not skew:  # the sum is normal, and beyond t deviations with probability at most e^(-t^2/2)
        reach, weakest = root_above(2 * variance * log_interval(1 / beta, relative_bits=_BITS).hi, _BITS), BERRY_ESSEEN
    elif most is None:
        reach, weakest = root_above(variance / beta, _BITS), CHEBYSHEV
    else:
        reach, weakest = bernstein_reach(variance, most, beta, relative_bits=_BITS).hi, BERNSTEIN
    tail = log_interval(2 / beta, relative_bits=_BITS).hi

    def is_enough(steps: int) -> bool:
        error = reach * steps / _STEPS
        left = variance if most is None else error**2 / (2 * tail) - most * error / 3
        if steps <= 0 or left <= 0:
            return False
        return normal_tails(error**2 / variance, relative_bits=_BITS).hi + _lyapunov(skew, left) <= beta

    steps = bisect(0, _STEPS, is_enough) if is_enough(_STEPS) else _STEPS
    return Reach(reach * steps / _STEPS, BERRY_ESSEEN if steps < _STEPS else weakest)


def reached(variance: Fraction, skew: Fraction, beta: Fraction) -> Fraction:
    """Return an error that a sum exceeds with probability above beta, or 0, for a variance that is known.

    >>> round(float(reached(Fraction(10**6, 4), Fraction(1, 2), Fraction(1, 20))), 2)
    975.24
    """
    if not variance:
        return Fraction(0)
    far = 2 * root_above(variance * log_interval(2 / beta, relative_bits=_BITS).hi, _BITS)
    wanted = beta + _lyapunov(skew, variance)

    def is_reached(steps: int) -> bool:
        return normal_tails((far * steps / _STEPS) ** 2 / variance, relative_bits=_BITS).lo > wanted

    return far * bisect(_STEPS, 0, is_reached) / _STEPS if is_reached(0) else Fraction(0)


def _lyapunov(skew: Fraction, variance: Fraction) -> Fraction:
    """Return 1.12 k / sqrt(v), rounded up."""
    if not skew:
        return skew
    return _CONSTANT * root_above(skew**2 / variance, _BITS)
