"""Lemma 3 as the notes print it: exact counterexamples, and how far the lemma itself can be stretched.

Statement. The theorem and its proof are in proofs/binomial_smoothness.py. Of what the notes print on the way,
these fail:

1. k <= alpha gamma / 2 in place of k <= alpha gamma n / 2;
2. G is a subset of the window [(1-alpha/2) mu, (1+alpha/2) mu], and a subset is missed less often;
3. the ratios: y^k' for gamma^k', y(y-1)...(y-k') for y(y-1)...(y-k'+1), e^(eps abs(k)) for e^(eps abs(k'));
4. on G the upward ratio is at most (1+alpha)^k'.

Each is claimed at the first counterexample of a search: first by n, k, k' and y, then by the sum of the numerators and
denominators of gamma and alpha. The space of each search stands beside it. Where a row says "the least", its claim
holds every earlier instance as well. Further: Lemma 3 holds in instances, by summing over all outcomes, and the largest
k for which its eps and delta hold is larger than alpha gamma n / 2 there.

Proof. The checker recomputes the masses on both sides; the polynomial steps fail at the points that it is shown. Lemma
3's delta = e^(-alpha^2 gamma n / 8) + e^(-alpha^2 gamma n / (8 + 2 alpha)) is in the claims as such: a rational d next
to it on a grid, and that d is on this or that side of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import reduce
from itertools import product
from math import comb, floor
from operator import mul
from typing import Final

from exactdp import Binomial, Claim, ExactDPError, Real
from exactdp.errors import InvalidValueError
from exactdp.numbers.balls import enclose_real
from exactdp.proofs.binomial_smoothness import exponents, good_set
from exactdp.proofs.least import refuted_at_least, searched_over
from exactdp.proofs.row_files import decides
from exactdp.proofs.steps import equal, implies, positive_on, variables
from exactdp.protocols.zsum_and_histogram.smooth_theorems import binomial_smoothness_bound
from exactdp.studies.counterexamples.search import Rationals

_GAMMAS: Final = Rationals(0, "1/2", 6, high_is_closed=True)
"""The gammas of the searches, up to 1/2 as in Lemma 3."""
_ALPHAS: Final = Rationals(0, 1, 6)
"""The alphas of the searches, inside (0, 1) as in Lemma 3."""
_FINE_GAMMAS: Final = Rationals("2/7", "1/2", 12, high_is_closed=True)
"""Where alpha gamma n >= 2 is possible with n <= 7: above 2/7."""
_FINE_ALPHAS: Final = Rationals("4/7", 1, 12)
"""Where alpha gamma n >= 2 is possible with n <= 7: above 4/7."""
_USERS: Final = (20, 100, 400)
"""The numbers of users of the instances."""
_INSTANCE_GAMMAS: Final = (Fraction(1, 8), Fraction(1, 3), Fraction(1, 2))
"""The gammas of the instances, the largest included."""
_INSTANCE_ALPHAS: Final = (Fraction(1, 3), Fraction(1, 2), Fraction(9, 10))
"""The alphas of the instances, one close to 1."""
REACHES: Final = (
    (100, Fraction(1, 2), Fraction(1, 2), 43),
    (400, Fraction(1, 2), Fraction(1, 2), 139),
    (400, Fraction(1, 8), Fraction(9, 10), 37),
)
"""(n, gamma, alpha) and the largest k for which Bin(n, gamma) is smooth with the eps and delta of Lemma 3."""
NUMBERS: Final = {
    "users": _USERS,
    "gammas": _INSTANCE_GAMMAS,
    "alphas": _INSTANCE_ALPHAS,
    "reaches": REACHES,
}
"""The numbers that the rows quote."""
_GRID: Final = Fraction(1, 2**64)
"""The step to which delta is rounded down."""
_BITS: Final = 128
"""Relative accuracy of delta, which is above 2^-24 in the rows."""


# --- The good set ---------------------------------------------------------------------------------------------------


@searched_over(n=range(1, 9), k=range(1, 3), gamma=_GAMMAS, alpha=_ALPHAS)
def _reach_search(n: int, k: int, gamma: Fraction, alpha: Fraction) -> bool:
    if 2 * k > alpha * gamma * n:
        raise InvalidValueError("k is out of reach.")
    return k <= alpha * gamma / 2


@decides("lemma3-reach-printed")
def _printed_reach() -> Claim:
    """The note uses k = 1 wherever alpha gamma n >= 2; the printed condition on k forbids it."""
    n, k, gamma, alpha = _reach_search().at("n", "k", "gamma", "alpha")
    (reach,) = variables("k")
    return implies(equal(reach, k), reach <= alpha * gamma * n / 2, then=reach <= alpha * gamma / 2)


def window_fails(n: int, k: int, y: int, gamma: Fraction, alpha: Fraction) -> bool:
    """Whether y lies in G but not in the window that G is printed to be a subset of; under Lemma 3's hypotheses.

    >>> window_fails(100, 1, 26, Fraction(1, 2), Fraction(1, 2))
    True
    """
    _check_in_g(n, k, y, gamma, alpha)
    mu = gamma * n
    return not (1 - alpha / 2) * mu <= y <= (1 + alpha / 2) * mu


@searched_over(n=range(1, 8), k=range(1, 2), y=range(8), gamma=_FINE_GAMMAS, alpha=_FINE_ALPHAS)
def _window_search(n: int, k: int, y: int, gamma: Fraction, alpha: Fraction) -> bool:
    """For n <= 7 alpha gamma n >= 2 needs gamma > 2/7 and alpha >= 4/7; alpha = 4/7 needs n = 7, and is left out."""
    return not window_fails(n, k, y, gamma, alpha)


@decides("lemma3-good-set-printed")
def _printed_window() -> Claim:
    """With t = 1 for the outcome that was found."""
    n, k, y, gamma, alpha = _window_search().at("n", "k", "y", "gamma", "alpha")
    low, high = good_set(n, gamma, alpha, k)
    mu, outcome = gamma * n, y * variables("t")[0]
    within = outcome >= (1 - alpha / 2) * mu, outcome <= (1 + alpha / 2) * mu
    return implies(outcome >= low, outcome <= high, then=within)


@searched_over(n=range(1, 3), **dict.fromkeys("abcd", range(3)), p=Rationals(0, 1, 3))
def _inference_search(n: int, a: int, b: int, c: int, d: int, p: Fraction) -> bool:
    """G = [a, b] inside I = [c, d], yet more lies outside G than outside I."""
    if not c <= a <= b <= d <= n:
        raise InvalidValueError("no interval inside another.")
    return _mass(n, p, a, b) >= _mass(n, p, c, d)


def _mass(n: int, p: Fraction, low: int, high: int) -> Fraction:
    return sum((_pmf(n, p, y) for y in range(low, high + 1)), Fraction(0))


@decides("lemma3-inference-printed")
def _printed_inference() -> Claim:
    return refuted_at_least(_inference_at, _inference_search)


def _inference_at(n: int, a: int, b: int, c: int, d: int, p: Fraction) -> Claim:
    if not c <= a <= b <= d <= n:
        raise InvalidValueError("no interval inside another.")
    law, mass = Binomial(n, p), _mass(n, p, c, d)
    return Claim.conjunction(
        Claim.tail(law, low=c, high=d, at_least=mass),
        Claim.tail(law, low=a, high=b, at_least=mass),
    )


# --- Printed ratios -------------------------------------------------------------------------------------------------


def _pmf(n: int, p: Fraction, y: int) -> Fraction:
    return comb(n, y) * p**y * (1 - p) ** (n - y) if 0 <= y <= n else Fraction(0)


def _ratio_is(n: int, p: Fraction, y: int, other: int, value: Fraction, *, at_most: bool = False) -> Claim:
    """D(y) = value D(other) for D = Bin(n, p), or at most this; what D(other) is is claimed as well."""
    law, mass = Binomial(n, p), _pmf(n, p, other)
    claims = [
        Claim.tail(law, low=other, high=other, at_least=mass),
        Claim.tail(law, low=other, high=other, at_most=mass),
        Claim.tail(law, low=y, high=y, at_most=min(Fraction(1), value * mass)),
    ]
    if not at_most:
        claims.append(Claim.tail(law, low=y, high=y, at_least=min(Fraction(1), value * mass)))
    return Claim.conjunction(*claims)


def _rising(y: int, steps: range) -> Fraction:
    return Fraction(_product(y + i for i in steps))


def _product(factors: Iterable[int]) -> int:
    return reduce(mul, factors, 1)


def _upward_printed(n: int, y: int, k: int, gamma: Fraction) -> Fraction:
    """((1-gamma)^k' / y^k') (y+1)...(y+k') / ((n-y)...(n-y-k'+1)), as printed for k' = k."""
    return ((1 - gamma) / y) ** k * _rising(y, range(1, k + 1)) / _rising(n - y - k, range(1, k + 1))


def _downward_printed(n: int, y: int, k: int, base: Fraction, gamma: Fraction) -> Fraction:
    """(base/(1-gamma))^k (n-y+1)...(n-y+k) / (y(y-1)...(y-k)), for k' = -k; printed with the base y."""
    return (base / (1 - gamma)) ** k * _rising(n - y, range(1, k + 1)) / _rising(y - k, range(k + 1))


_SMALL: Final = {"n": range(1, 6), "y": range(1, 6), "k": range(1, 3)}
"""The instances of the printed ratios; n and y begin at 1, or a factor is no number."""


@searched_over(**_SMALL, gamma=_GAMMAS)
def _upward_ratio_search(n: int, y: int, k: int, gamma: Fraction) -> bool:
    if y + k > n:
        raise InvalidValueError("y + k is no outcome.")
    return _upward_printed(n, y, k, gamma) * _pmf(n, gamma, y + k) == _pmf(n, gamma, y)


@searched_over(**_SMALL, gamma=_GAMMAS)
def _downward_ratio_search(n: int, y: int, k: int, gamma: Fraction, *, as_printed: bool) -> bool:
    """With the base y of the print, or with gamma in its place and the print's factor too many."""
    if y > n or y <= k:
        raise InvalidValueError("y is no outcome, or a denominator is 0.")
    value = _downward_printed(n, y, k, Fraction(y) if as_printed else gamma, gamma)
    return value * _pmf(n, gamma, y - k) == _pmf(n, gamma, y)


@decides("lemma3-ratio-up-printed")
def _printed_upward_ratio() -> Claim:
    n, y, k, gamma = _upward_ratio_search().at("n", "y", "k", "gamma")
    return _ratio_is(n, gamma, y, y + k, _upward_printed(n, y, k, gamma))


@decides("lemma3-ratio-down-printed")
def _printed_downward_ratio() -> Claim:
    n, y, k, gamma = _downward_ratio_search(as_printed=True).at("n", "y", "k", "gamma")
    return _ratio_is(n, gamma, y, y - k, _downward_printed(n, y, k, Fraction(y), gamma))


@decides("lemma3-ratio-down-factor")
def _printed_extra_factor() -> Claim:
    n, y, k, gamma = _downward_ratio_search(as_printed=False).at("n", "y", "k", "gamma")
    return _ratio_is(n, gamma, y, y - k, _downward_printed(n, y, k, gamma, gamma))


@searched_over(k=range(1, 5), step=range(1, 5), alpha=_ALPHAS)
def _exponent_search(k: int, step: int, alpha: Fraction) -> bool:
    """E^abs(k') = e^(eps abs(k)), where the definition has abs(k') on both sides."""
    if step > k:
        raise InvalidValueError("abs(k') is at most k.")
    order = (1 + alpha) / (1 - alpha)
    return order**step == order**k


@decides("lemma3-exponent-printed")
def _printed_exponent() -> Claim:
    k, step = _exponent_search().at("k", "step")
    (order,) = variables("E")
    return implies(order > 1, then=order**step >= order**k)


def step_up_fails(n: int, k: int, step: int, y: int, gamma: Fraction, alpha: Fraction) -> bool:
    """Whether D(y) / D(y + step) > (1 + alpha)^step, for y in G and step <= k; under Lemma 3's hypotheses.

    >>> step_up_fails(100, 1, 1, 59, Fraction(1, 2), Fraction(1, 5))
    True
    """
    _check_in_g(n, k, y, gamma, alpha)
    if step > k:
        raise InvalidValueError("k' is at most k.")
    return _pmf(n, gamma, y) > (1 + alpha) ** step * _pmf(n, gamma, y + step)


def _check_in_g(n: int, k: int, y: int, gamma: Fraction, alpha: Fraction) -> None:
    mu = gamma * n
    if 2 * k > alpha * mu or not max(Fraction(0), (1 - alpha) * mu + k) <= y <= min(Fraction(n), (1 + alpha) * mu - k):
        raise InvalidValueError("k is out of reach, or y is not in G.")


@searched_over(n=range(1, 9), k=range(1, 3), step=range(1, 3), y=range(9), gamma=_GAMMAS, alpha=_ALPHAS)
def _step_up_search(n: int, k: int, step: int, y: int, gamma: Fraction, alpha: Fraction) -> bool:
    return not step_up_fails(n, k, step, y, gamma, alpha)


@decides("lemma3-step-up-printed")
def _printed_step_up() -> Claim:
    return refuted_at_least(_step_up_at, _step_up_search)


def _step_up_at(n: int, k: int, step: int, y: int, gamma: Fraction, alpha: Fraction) -> Claim:
    """With k in reach and y in G, the ratio is at most (1+alpha)^k'."""
    _check_in_g(n, k, y, gamma, alpha)
    if step > k:
        raise InvalidValueError("k' is at most k.")
    (outcome,) = variables("y")
    low, high = good_set(n, gamma, alpha, k)
    return Claim.conjunction(
        implies(equal(outcome, y), then=(outcome >= low, outcome <= high)),
        _ratio_is(n, gamma, y, y + step, (1 + alpha) ** step, at_most=True),
    )


# --- Instances ------------------------------------------------------------------------------------------------------


def instances() -> list[tuple[int, Fraction, Fraction, int]]:
    """Return (n, gamma, alpha, k) with k = 1 and the largest k of Lemma 3, where its delta is below 1."""
    listed = []
    for n, gamma, alpha in product(_USERS, _INSTANCE_GAMMAS, _INSTANCE_ALPHAS):
        largest = floor(alpha * gamma * n / 2)
        if largest and _delta(n, gamma, alpha) < 1:
            listed += [(n, gamma, alpha, k) for k in sorted({1, largest})]
    return listed


def _delta(n: int, gamma: Fraction, alpha: Fraction) -> Fraction:
    """Lemma 3's delta, by its formula, rounded down to a grid; what exactdp.bounds says has to agree with it.

    Raises:
        ExactDPError: where it does not.
    """
    first, second = exponents(n, gamma, alpha)
    delta = enclose_real(Real.exp(first) + Real.exp(second), relative_bits=_BITS)
    bound = binomial_smoothness_bound(n, gamma=gamma, alpha=alpha, k=1, relative_bits=_BITS).delta
    if bound.hi < delta.lo or delta.hi < bound.lo:
        raise ExactDPError(
            f"Lemma 3's delta at n={n}, gamma={gamma}, alpha={alpha} is {delta} by its formula and {bound} by "
            "binomial_smoothness_bound."
        )
    return floor(delta.lo / _GRID) * _GRID


def _delta_is_next_to(n: int, gamma: Fraction, alpha: Fraction, delta: Fraction) -> tuple[Claim, Claim]:
    """Lemma 3's delta, by its formula, is at least this, and at most one step of the grid more."""
    (x,) = variables("x")
    below, above = (
        [(sign, e + 0 * x) for e in exponents(n, gamma, alpha)] + [(-sign * end, 0)]
        for sign, end in ((1, delta), (-1, delta + _GRID))
    )
    return positive_on({"x": (0, 1)}, *below), positive_on({"x": (0, 1)}, *above)


@decides("lemma3-instances")
def _instances() -> Iterator[Claim]:
    listed = instances()
    deltas = {at: _delta(*at) for at in dict.fromkeys(instance[:3] for instance in listed)}
    for at, delta in deltas.items():
        yield from _delta_is_next_to(*at, delta)
    for n, gamma, alpha, k in listed:
        order, delta = (1 + alpha) / (1 - alpha), deltas[n, gamma, alpha]
        yield Claim.smooth(Binomial(n, gamma), k=k, exp_eps=order, delta=delta)


@decides("lemma3-furthest-reach")
def _beyond() -> Iterator[Claim]:
    (x,) = variables("k")
    for n, gamma, alpha, k in REACHES:
        order, delta, law = (1 + alpha) / (1 - alpha), _delta(n, gamma, alpha), Binomial(n, gamma)
        yield implies(equal(x, k), then=x > alpha * gamma * n / 2)
        yield from _delta_is_next_to(n, gamma, alpha, delta)
        yield Claim.smooth(law, k=k, exp_eps=order, delta=delta)
        yield Claim.negation(Claim.smooth(law, k=k + 1, exp_eps=order, delta=delta + _GRID))
