"""Smooth laws: the probability that the likelihood ratio of a law and its shifts is large.

A law w on the integers is (eps, delta, k)-smooth if for every integer 1 <= abs(k') <= k

    P[Y : w(Y) / w(Y + k') >= e^(abs(k') eps)] <= delta,    a zero denominator counting as infinity.

k' = 0 is left out: the ratio is 1 there. One number decides: the largest of these probabilities. Which k' has it:

*Log-concave laws:* k' = k or k' = -k. Let r(y) = w(y) / w(y+1), which never falls. If r(y) ... r(y+j-1) >= E^j, then
r(y+j) is at least each factor, so at least E, and the product of j + 1 factors is at least E^(j+1): the event of k' = j
lies in that of j + 1, and likewise downwards.

*Log-convex laws that fall from 0 on* (negative binomial, r < 1): now r never rises, so r(y) ... r(y+j-1) >= E^j gives
r(y) >= E: the event of k' = j > 0 lies in that of 1. And for k' = -j the ratio is below 1 unless y < j, where the
denominator is 0: the largest is P[Y < k].

Source: GhaziGolowichKumarPaghVelingker2021, Definition 4.1.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, overload

from exactdp.errors import InvalidLawError, TooLargeError
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.laws.law_balls import check_searchable
from exactdp.numbers.balls import compare_reals
from exactdp.numbers.epsilon import LogRational, read_privacy_level
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_integer, as_relative_bits
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.half_lines import Event, lower_event, upper_event

_MAX_RATIOS: Final = 10**6
"""Most ratios of a finite law that are compared one by one."""


_MAX_REACH: Final = 10**6
"""Largest k of a lattice law, after k is cut to the length of the support."""

_POWER_BITS: Final = 2**21
"""Most bits of e^(k eps), and of the k-th power of the limit of likelihood ratios, where these are rational."""

_ZERO: Final = Interval.around(0, relative_bits=1)


@overload
def smoothness_delta(law: Law | LatticeLaw, *, k: int, exp_eps: Exact) -> Fraction | Interval: ...
@overload
def smoothness_delta(law: Law | LatticeLaw, *, k: int, exp_eps: Exact, relative_bits: int) -> Interval: ...
@overload
def smoothness_delta(
    law: Law | LatticeLaw, *, k: int, eps: Exact | LogRational, relative_bits: int | None = None
) -> Interval: ...


def smoothness_delta(
    law: Law | LatticeLaw,
    *,
    k: int,
    eps: Exact | LogRational | None = None,
    exp_eps: Exact | None = None,
    relative_bits: int | None = None,
) -> Fraction | Interval:
    """Return the least delta for which the law is (eps, delta, k)-smooth.

    The largest of P[Y : w(Y) / w(Y + k') >= e^(abs(k') eps)] over the integers 1 <= abs(k') <= k.

    Args:
        law: on integers: a finite Law or a lattice law of any size.
        k: at least 1.
        eps: at least 0, a rational number or a LogRational; the answer is an Interval.
        exp_eps: e^eps, a rational number of at least 1; the answer is a Fraction where the law's probabilities are
            rational and short enough, else an Interval.
        relative_bits: of an Interval's relative accuracy, default 53; with ``exp_eps``, asks for an Interval.

    >>> from exactdp.laws.binomial import Binomial
    >>> smoothness_delta(Binomial(6, "1/2"), k=1, exp_eps=2), smoothness_delta(Binomial(10**9, "1/2"), k=3, eps="1/100")
    (Fraction(11, 32), Interval[6.251722779e-5432, 6.251722780e-5432])

    Cost: two tails; a finite law of m outcomes takes O(m k) exact comparisons.

    Source: GhaziGolowichKumarPaghVelingker2021, Definition 4.1.
    """
    reach = as_integer(k, name="k", at_least=1)
    level = read_privacy_level(eps=eps, exp_eps=exp_eps).real
    bits = DEFAULT_RELATIVE_BITS if relative_bits is None else as_relative_bits(relative_bits)
    exactly = exp_eps is not None and relative_bits is None
    if not isinstance(law, Law | LatticeLaw):  # what is passed may be anything
        raise InvalidLawError(
            f"law has the type {type(law).__name__}. Pass a Law on integers, a Binomial, a Poisson..."
        )
    if law.lattice is None:
        value = _finite(law.law(), reach, level)
        return exact_answer(value) if exactly else Interval.around(value, relative_bits=bits)
    return _of_lattice(law.lattice, reach, level, bits, exactly=exactly)


def _of_lattice(law: LatticeLaw, reach: int, level: Real, bits: int, *, exactly: bool) -> Fraction | Interval:
    """Return the probability of the worst event of a lattice law, ``exactly`` where it is asked for and there."""
    check_searchable(law.enclosed)
    reach = _reach(law, reach, level)
    lower = lower_event(law, reach, level**reach, ties=True)
    wide = reach if law.is_log_concave else 1  # which k' > 0 is worst: module docstring
    upper = upper_event(law, wide, level**wide, ties=True)
    last = None if lower is None else lower.last
    if law.is_exact and exactly:
        exact = Fraction(0) if last is None else law.exact_cdf(last)
        return exact_answer(max(exact, _exact_upper(law, upper, wide)))
    below = _ZERO if last is None else law.cdf(last, relative_bits=bits)
    return Interval.maximum(below, _enclosed_upper(law, upper, wide, bits))


def _reach(law: LatticeLaw, reach: int, level: Real) -> int:
    """Return k, or the length of the support if it is less: beyond, every denominator is 0 for k as for the length."""
    if law.low is not None and law.high is not None:
        reach = min(reach, law.high - law.low + 1)
    powers = [level] if law.tail_ratio is None else [level, law.tail_ratio]
    bits = reach * max(_bits(number.coefficient) for number in powers)
    if reach > _MAX_REACH or bits > _POWER_BITS:
        raise TooLargeError(
            f"k={short(reach)} is more than the limit of {_MAX_REACH}, or e^(k eps) or another ratio of weights so far "
            f"apart has more than {_POWER_BITS} bits. Use a smaller k, or numbers with fewer digits."
        )
    return reach


def _bits(number: Fraction) -> int:
    return max(number.numerator.bit_length(), number.denominator.bit_length())


def _exact_upper(law: LatticeLaw, event: Event | None, shift: int) -> Fraction:
    """Return P[Y + shift in the event], which has no end: no law with rational probabilities has r < 1."""
    if event is None:
        return Fraction(0)
    assert event.first is not None
    assert event.last is None
    return law.exact_sf(event.first - shift - 1)


def _enclosed_upper(law: LatticeLaw, event: Event | None, shift: int, relative_bits: int) -> Interval:
    """Enclose P[Y + shift in the event], which is a half-line from above, or begins with the support."""
    if event is None:
        return _ZERO
    assert event.first is not None
    if event.last is None:
        return law.sf(event.first - shift - 1, relative_bits=relative_bits)
    return law.cdf(event.last - shift, relative_bits=relative_bits)


def _finite(law: Law, reach: int, level: Real) -> Fraction:
    """The definition, shift by shift and outcome by outcome."""
    if not all(type(outcome) is int for outcome in law):
        raise InvalidLawError("the law has outcomes that are not ints. Map it to ints: law.map(f).")
    reach = min(reach, max(law) - min(law) + 1)  # beyond, every denominator is 0
    if len(law) * reach > _MAX_RATIOS:
        raise TooLargeError(
            f"{len(law)} outcomes and k={short(reach)} make more than {_MAX_RATIOS} ratios, the limit. Use a smaller k."
        )
    worst, bound = 0, Real(1)
    for distance in range(1, reach + 1):
        bound = bound * level
        for shift in (-distance, distance):
            bad = sum(weight for y, weight in law.weights.items() if _is_bad(law, y, shift, bound))
            worst = max(worst, bad)
    return Fraction(worst, law.total)


def _is_bad(law: Law, y: int, shift: int, bound: Real) -> bool:
    other = law.weights.get(y + shift, 0)
    return other == 0 or compare_reals(Fraction(law.weights[y], other), bound) >= 0
