"""Lemma 3 as the notes print it: the least exact counterexamples, and how far the lemma itself can be stretched.

Statement. The theorem and its proof are in proofs/lemma3.py. Of what the notes print on the way, these fail:

1. k <= alpha gamma / 2 in place of k <= alpha gamma n / 2;
2. G is a subset of the window [(1-alpha/2) mu, (1+alpha/2) mu], and a subset is missed less often;
3. the ratios: y^k' for gamma^k', y(y-1)...(y-k') for y(y-1)...(y-k'+1), e^(eps abs(k)) for e^(eps abs(k'));
4. on G the upward ratio is at most (1+alpha)^k'.

Each is claimed at its least counterexample: first by n, k, k' and y, then by the sum of the numerators and denominators
of gamma and alpha. The space of each search stands in its function. Further: Lemma 3 holds in instances, by summing
over all outcomes, and the largest k for which its eps and delta hold is larger than alpha gamma n / 2 there.

Proof. The checker recomputes the masses on both sides; the polynomial steps fail at the points that it is shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache, reduce
from itertools import product
from math import comb, floor
from operator import mul
from typing import Final

from exactdp.bounds.smooth_theorems import binomial_smoothness_bound
from exactdp.certificates.certificate import Verdict
from exactdp.certificates.claim import Claim
from exactdp.errors import ExactDPError, InvalidValueError
from exactdp.laws.binomial import Binomial
from exactdp.privacy.smoothness import smoothness_delta
from exactdp.proofs.algebra import equal, implies, variables
from exactdp.proofs.ledger import ProofRow
from exactdp.proofs.lemma3 import HIGH, LOW
from exactdp.proofs.smoothness import found
from exactdp.search import Rationals, Search, search

__all__ = ["ROWS", "furthest_reach", "instances", "step_up_fails", "window_fails"]

_SOURCE: Final = "GhaziGolowichKumarPaghVelingker2021, section 4"
_TOPIC: Final = "smoothness"

_GAMMAS: Final = Rationals(0, "1/2", 6, high_is_closed=True)
_ALPHAS: Final = Rationals(0, 1, 6)
_FINE_GAMMAS: Final = Rationals("2/7", "1/2", 12, high_is_closed=True)
_FINE_ALPHAS: Final = Rationals("4/7", 1, 12)
_USERS: Final = (20, 100, 400)
_INSTANCE_GAMMAS: Final = (Fraction(1, 8), Fraction(1, 3), Fraction(1, 2))
_INSTANCE_ALPHAS: Final = (Fraction(1, 3), Fraction(1, 2), Fraction(9, 10))
_REACHES: Final = (
    (100, Fraction(1, 2), Fraction(1, 2)),
    (400, Fraction(1, 2), Fraction(1, 2)),
    (400, Fraction(1, 8), Fraction(9, 10)),
)


def _listed(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))


# --- The good set ---------------------------------------------------------------------------------------------------


@cache
def _reach_search() -> Search:
    def holds(n: int, k: int, gamma: Fraction, alpha: Fraction) -> bool:
        if 2 * k > alpha * gamma * n:
            raise InvalidValueError("k is out of reach.")
        return k <= alpha * gamma / 2

    return search(holds, n=range(1, 9), k=range(1, 3), gamma=_GAMMAS, alpha=_ALPHAS)


def _printed_reach() -> Claim:
    """The note uses k = 1 wherever alpha gamma n >= 2; the printed condition on k forbids it."""
    n, k, gamma, alpha = found(_reach_search(), "n", "k", "gamma", "alpha")
    (reach,) = variables("k")
    return implies(*equal(reach, k), reach <= alpha * gamma * n / 2, then=reach <= alpha * gamma / 2)


def window_fails(n: int, k: int, y: int, gamma: Fraction, alpha: Fraction) -> bool:
    """Whether y lies in G but not in the window that G is printed to be a subset of; under Lemma 3's hypotheses.

    >>> window_fails(100, 1, 26, Fraction(1, 2), Fraction(1, 2))
    True
    """
    _check_in_g(n, k, y, gamma, alpha)
    mu = gamma * n
    return not (1 - alpha / 2) * mu <= y <= (1 + alpha / 2) * mu


@cache
def _window_search() -> Search:
    """For n <= 7 alpha gamma n >= 2 needs gamma > 2/7 and alpha >= 4/7; alpha = 4/7 needs n = 7, and is left out."""
    return search(
        lambda **at: not window_fails(**at),
        n=range(1, 8),
        k=range(1, 2),
        y=range(8),
        gamma=_FINE_GAMMAS,
        alpha=_FINE_ALPHAS,
    )


def _printed_window() -> Claim:
    """With t = 1 for the outcome that was found."""
    n, k, y, gamma, alpha = found(_window_search(), "n", "k", "y", "gamma", "alpha")
    low, high = (end.at(n=n, k=k, gamma=gamma, alpha=alpha) for end in (LOW, HIGH))
    mu, outcome = gamma * n, y * variables("t")[0]
    within = outcome >= (1 - alpha / 2) * mu, outcome <= (1 + alpha / 2) * mu
    return implies(outcome >= low, outcome <= high, then=within)


@cache
def _inference_search() -> Search:
    """G = [a, b] inside I = [c, d], yet more lies outside G than outside I."""

    def holds(n: int, a: int, b: int, c: int, d: int, p: Fraction) -> bool:
        if not c <= a <= b <= d <= n:
            raise InvalidValueError("no interval inside another.")
        return _mass(n, p, a, b) >= _mass(n, p, c, d)

    ends = range(3)
    return search(holds, n=range(1, 3), a=ends, b=ends, c=ends, d=ends, p=Rationals(0, 1, 3))


def _mass(n: int, p: Fraction, low: int, high: int) -> Fraction:
    return sum((_pmf(n, p, y) for y in range(low, high + 1)), Fraction(0))


def _printed_inference() -> Claim:
    n, a, b, c, d, p = found(_inference_search(), "n", "a", "b", "c", "d", "p")
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


@cache
def _upward_ratio_search() -> Search:
    def holds(n: int, y: int, k: int, gamma: Fraction) -> bool:
        if y + k > n:
            raise InvalidValueError("y + k is no outcome.")
        return _upward_printed(n, y, k, gamma) * _pmf(n, gamma, y + k) == _pmf(n, gamma, y)

    return search(holds, **_SMALL, gamma=_GAMMAS)


@cache
def _downward_ratio_search(*, as_printed: bool) -> Search:
    """With the base y of the print, or with gamma in its place and the print's factor too many."""

    def holds(n: int, y: int, k: int, gamma: Fraction) -> bool:
        if y > n or y <= k:
            raise InvalidValueError("y is no outcome, or a denominator is 0.")
        value = _downward_printed(n, y, k, Fraction(y) if as_printed else gamma, gamma)
        return value * _pmf(n, gamma, y - k) == _pmf(n, gamma, y)

    return search(holds, **_SMALL, gamma=_GAMMAS)


def _printed_upward_ratio() -> Claim:
    n, y, k, gamma = found(_upward_ratio_search(), "n", "y", "k", "gamma")
    return _ratio_is(n, gamma, y, y + k, _upward_printed(n, y, k, gamma))


def _printed_downward_ratio() -> Claim:
    n, y, k, gamma = found(_downward_ratio_search(as_printed=True), "n", "y", "k", "gamma")
    return _ratio_is(n, gamma, y, y - k, _downward_printed(n, y, k, Fraction(y), gamma))


def _printed_extra_factor() -> Claim:
    n, y, k, gamma = found(_downward_ratio_search(as_printed=False), "n", "y", "k", "gamma")
    return _ratio_is(n, gamma, y, y - k, _downward_printed(n, y, k, gamma, gamma))


@cache
def _exponent_search() -> Search:
    """E^abs(k') = e^(eps abs(k)), where the definition has abs(k') on both sides."""

    def holds(k: int, step: int, alpha: Fraction) -> bool:
        if step > k:
            raise InvalidValueError("abs(k') is at most k.")
        order = (1 + alpha) / (1 - alpha)
        return order**step == order**k

    return search(holds, k=range(1, 5), step=range(1, 5), alpha=_ALPHAS)


def _printed_exponent() -> Claim:
    k, step = found(_exponent_search(), "k", "step")
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


@cache
def _step_up_search() -> Search:
    return search(
        lambda **at: not step_up_fails(**at),
        n=range(1, 9),
        k=range(1, 3),
        step=range(1, 3),
        y=range(9),
        gamma=_GAMMAS,
        alpha=_ALPHAS,
    )


def _printed_step_up() -> Claim:
    """With k in reach and y in G, the ratio is above (1+alpha)^k'."""
    n, k, step, y, gamma, alpha = found(_step_up_search(), "n", "k", "step", "y", "gamma", "alpha")
    (outcome,) = variables("y")
    low, high = (end.at(n=n, k=k, gamma=gamma, alpha=alpha) for end in (LOW, HIGH))
    return Claim.conjunction(
        implies(*equal(outcome, y), then=(outcome >= low, outcome <= high)),
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
    """A lower bound of Lemma 3's delta, on a grid of 2^-64: what holds with it holds with delta."""
    delta = binomial_smoothness_bound(n, gamma=gamma, alpha=alpha, k=1).delta.lo
    return Fraction(floor(delta * 2**64), 2**64)


def _instances() -> Claim:
    return Claim.conjunction(
        *(
            Claim.smooth(Binomial(n, gamma), k=k, exp_eps=(1 + alpha) / (1 - alpha), delta=_delta(n, gamma, alpha))
            for n, gamma, alpha, k in instances()
        )
    )


@cache
def furthest_reach(n: int, gamma: Fraction, alpha: Fraction) -> int:
    """Return the largest k for which Bin(n, gamma) is smooth with the eps and (to 2^-64) the delta of Lemma 3.

    >>> furthest_reach(100, Fraction(1, 2), Fraction(1, 2))  # Lemma 3 allows 12
    43
    """
    order, delta, law = (1 + alpha) / (1 - alpha), _delta(n, gamma, alpha), Binomial(n, gamma)
    low, high = floor(alpha * gamma * n / 2), n + 1
    while high - low > 1:
        middle = (low + high) // 2
        holds = smoothness_delta(law, k=middle, exp_eps=order) <= delta
        low, high = (middle, high) if holds else (low, middle)
    return low


def _beyond() -> Claim:
    claims = []
    for n, gamma, alpha in _REACHES:
        k, order, delta = furthest_reach(n, gamma, alpha), (1 + alpha) / (1 - alpha), _delta(n, gamma, alpha)
        law = Binomial(n, gamma)
        if k <= alpha * gamma * n / 2:
            raise ExactDPError(f"nothing beyond Lemma 3 at n={n}, gamma={gamma}, alpha={alpha}.")
        claims += [
            Claim.smooth(law, k=k, exp_eps=order, delta=delta),
            Claim.negation(Claim.smooth(law, k=k + 1, exp_eps=order, delta=delta + Fraction(1, 2**64))),
        ]
    return Claim.conjunction(*claims)


ROWS: Final = (
    ProofRow(
        "lemma3-reach-printed",
        _TOPIC,
        "Every k <= alpha gamma n / 2 (k = 1 wherever alpha gamma n >= 2, as the privacy of zsum has it) satisfies the "
        "printed k <= alpha gamma / 2.",
        "the least n, k, gamma, alpha where it fails",
        _SOURCE,
        _printed_reach,
        notes=("17",),
        as_printed="false",
        expected=Verdict.REFUTED,
        theorems=("lemma3_needs.lemma3_reach_printed_fails",),
    ),
    ProofRow(
        "lemma3-good-set-printed",
        _TOPIC,
        "If k <= alpha mu/2, then G = [(1-alpha) mu + k, (1+alpha) mu - k] is a subset of [(1-alpha/2) mu, (1+alpha/2) "
        "mu].",
        "the least n, k, y, gamma, alpha with an integer y in G and outside the window",
        _SOURCE,
        _printed_window,
        notes=("19",),
        as_printed="false",
        expected=Verdict.REFUTED,
        theorems=("lemma3_printed.lemma3_good_set_printed_fails",),
    ),
    ProofRow(
        "lemma3-inference-printed",
        _TOPIC,
        "If G is a subset of I, then Y lies outside G at most as often as outside I.",
        "the least binomial law and intervals where it fails",
        _SOURCE,
        _printed_inference,
        notes=("20",),
        as_printed="false",
        expected=Verdict.REFUTED,
        theorems=("lemma3_printed.lemma3_inference_printed_fails",),
    ),
    ProofRow(
        "lemma3-ratio-up-printed",
        _TOPIC,
        "D(y) / D(y+k') = ((1-gamma)^k' / y^k') (y+1)...(y+k') / ((n-y)...(n-y-k'+1)).",
        "the least n, y, k', gamma where it fails, y >= 1",
        _SOURCE,
        _printed_upward_ratio,
        notes=("22",),
        as_printed="false",
        expected=Verdict.REFUTED,
        theorems=("lemma3_printed.lemma3_ratio_up_printed_fails",),
    ),
    ProofRow(
        "lemma3-ratio-down-printed",
        _TOPIC,
        "D(y) / D(y-k') = (y/(1-gamma))^k' (n-y+1)...(n-y+k') / (y(y-1)...(y-k')).",
        "the least n, y, k', gamma where it fails, y > k'",
        _SOURCE,
        _printed_downward_ratio,
        notes=("23",),
        as_printed="false",
        expected=Verdict.REFUTED,
        theorems=("lemma3_printed.lemma3_ratio_down_printed_fails",),
    ),
    ProofRow(
        "lemma3-ratio-down-factor",
        _TOPIC,
        "The same with gamma in place of y, and still k'+1 factors y(y-1)...(y-k').",
        "the least n, y, k', gamma where it fails, y > k'",
        _SOURCE,
        _printed_extra_factor,
        notes=("23",),
        as_printed="false",
        expected=Verdict.REFUTED,
        theorems=("lemma3_printed.lemma3_ratio_down_factor_fails",),
    ),
    ProofRow(
        "lemma3-exponent-printed",
        _TOPIC,
        "((1+alpha)/(1-alpha))^abs(k') = e^(eps abs(k)) for abs(k') <= k.",
        "the least k and k' where it fails; every alpha > 0",
        _SOURCE,
        _printed_exponent,
        notes=("23",),
        as_printed="false",
        expected=Verdict.REFUTED,
        theorems=("lemma3_printed.lemma3_exponent_printed_fails",),
    ),
    ProofRow(
        "lemma3-step-up-printed",
        _TOPIC,
        "For y in G and 1 <= k' <= k, D(y) / D(y+k') <= (1+alpha)^k'.",
        "the least n, k, k', y, gamma, alpha where it fails",
        _SOURCE,
        _printed_step_up,
        notes=("24",),
        as_printed="false",
        expected=Verdict.REFUTED,
        theorems=("lemma3_needs.lemma3_step_up_printed_fails",),
    ),
    ProofRow(
        "lemma3-instances",
        _TOPIC,
        "Lemma 3 holds, by summing over every outcome.",
        f"n = {_listed(_USERS)}; gamma = {_listed(_INSTANCE_GAMMAS)}; alpha = {_listed(_INSTANCE_ALPHAS)}, where delta "
        "< 1; k = 1 and floor(alpha gamma n / 2); delta rounded down to a multiple of 2^-64",
        _SOURCE,
        _instances,
    ),
    ProofRow(
        "lemma3-furthest-reach",
        _TOPIC,
        "k <= alpha gamma n / 2 is sufficient, not necessary: Bin(n, gamma) has the eps and delta of Lemma 3 up to "
        "a larger k, and not at the next.",
        "(n, gamma, alpha) = " + ", ".join(f"({', '.join(map(str, at))})" for at in _REACHES),
        "this package, proofs/lemma3_printed.py",
        _beyond,
    ),
)
