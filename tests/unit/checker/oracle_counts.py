"""The oracle's share of noisy and sampled counts: windows of 100 digits, and laws of few holders as exact fractions."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from itertools import pairwise
from math import comb
from typing import Any

from tests.unit.checker.oracle_laws import (
    CLOSE,
    MP,
    Bounds,
    Noise,
    NoLawError,
    TooLongError,
    above,
    exp_eps_bounds,
    inexact,
    noise,
    real,
)
from tests.unit.checker.oracle_views import number, whole

UNITS = 10**90
HOLDERS = 150
"""Most numbers of holders that are tried beside those below the threshold."""
MOST_BITS = 20_000
"""Of the denominator of a law of that many holders."""


def counting_dp(claim: Any) -> bool | None:
    """From the law of W plus a geometric part, listed one after the other; laws of one ratio are one law."""
    shapes: dict[str, Any] = {}
    for part in claim["noise"]:
        ratio = str(part["p"])
        shapes[ratio] = (part["p"], [*shapes.get(ratio, ("", []))[1], part["r"]])
    laws = [
        noise({"family": "negative-binomial", "r": {"sum": sizes} if len(sizes) > 1 else sizes[0], "p": p})
        for p, sizes in shapes.values()
    ]
    p1 = inexact(real(claim["p1"]))
    if not 0 < p1 < 1:
        raise NoLawError
    common = reduce(added, [listed(law) for law in laws])
    first, last = min(common), max(common) + int(150 * MP.log(10) / -MP.log(p1 * p1)) + 1
    if last - first > 30_000:
        raise TooLongError
    blurred, reached = [MP.mpf(0)], MP.mpf(0)
    for t in range(first, last):
        reached = reached * p1 * p1 + MP.mpf(common.get(t, 0)) / UNITS
        blurred.append(reached * (1 - p1 * p1))
    blurred.append(MP.mpf(0))

    def divergence(exp_eps: Fraction) -> Any:
        c, d = inexact(exp_eps) * p1, inexact(exp_eps) / p1
        pairs = list(pairwise(blurred))  # Y(t - 1) and Y(t)
        forward = MP.fsum(max(MP.mpf(0), at - c * before) for before, at in pairs)
        backward = MP.fsum(max(MP.mpf(0), before - d * at) for before, at in pairs)
        return max(forward, max(MP.mpf(0), 1 - c) + p1 * backward) / (1 + p1)

    low, high = exp_eps_bounds(claim)
    return above([(divergence(high) - CLOSE, divergence(low) + CLOSE)], number(claim["delta"]))


def listed(law: Noise) -> dict[int, int]:
    """The weights as integers."""
    return {t: int(inexact(weight) * UNITS) for t, weight in law.weights.items()}


def added(first: dict[int, int], second: dict[int, int]) -> dict[int, int]:
    """The law of the sum: what the divisions drop is far below CLOSE."""
    law: dict[int, int] = {}
    for s, p in first.items():
        for t, q in second.items():
            law[s + t] = law.get(s + t, 0) + p * q
    return {t: mass // UNITS for t, mass in law.items()}


def sample_threshold_dp(claim: Any) -> bool | None:
    """By the laws of few holders; None where there may be more of them, and all of these are private."""
    rate, tau, delta = number(claim["rate"]), whole(claim["threshold"]), number(claim["delta"])
    if not 0 < rate < 1:
        raise NoLawError
    low, high = exp_eps_bounds(claim)
    users = None if claim["users"] == "any" else whole(claim["users"])
    end = tau + HOLDERS if users is None else min(users, tau + HOLDERS)
    if end * rate.denominator.bit_length() > MOST_BITS or tau > HOLDERS:
        raise TooLongError
    bounds: list[Bounds] = []
    for holders in range(tau - 1, end):
        pair = released(rate, tau, holders + 1), released(rate, tau, holders)
        bounds += [(lost(*order, high), lost(*order, low)) for order in (pair, pair[::-1])]
    answer = above(bounds, delta)
    return None if answer and (users is None or users > end) else answer


def released(rate: Fraction, tau: int, holders: int) -> dict[int, int]:
    """The law of what is released, times the holders-th power of the denominator."""
    sent, kept = rate.numerator, rate.denominator - rate.numerator
    law = {t: comb(holders, t) * sent**t * kept ** (holders - t) for t in range(tau, holders + 1)}
    return {0: rate.denominator**holders - sum(law.values()), **law}


def lost(first: dict[int, int], second: dict[int, int], exp_eps: Fraction) -> Fraction:
    """H_E of two laws that are not scaled to 1."""
    one, two = sum(first.values()), sum(second.values())
    excess = (p * two * exp_eps.denominator - exp_eps.numerator * second.get(t, 0) * one for t, p in first.items())
    return Fraction(sum(max(0, part) for part in excess), one * two * exp_eps.denominator)
