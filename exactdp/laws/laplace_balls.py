"""Closed forms of the continuous Laplace law in balls, without cancellation at any size.

Source: DworkRoth2014, Definition 3.2.
"""

from __future__ import annotations

from flint import arb

from exactdp.numbers.balls import enclosed, real_ball
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real


def enclose_outside(rate: Real, coordinates: int, relative_bits: int) -> Interval:
    """Enclose 1 - (1 - e^-rate)^coordinates for rate > 0."""

    def outside() -> arb:
        return -(coordinates * (-(-real_ball(rate)).exp()).log1p()).expm1()

    return enclosed(outside, relative_bits)


def enclose_radius(scale: Real, beta: Real, coordinates: int, relative_bits: int) -> Interval:
    """Enclose the r with 1 - (1 - e^(-r / scale))^coordinates = beta, for beta in (0, 1)."""

    def radius() -> arb:
        each = -((-real_ball(beta)).log1p() / coordinates).expm1()
        return -real_ball(scale) * each.log()

    return enclosed(radius, relative_bits)


def enclose_shift_delta(ratio: Real, exp_eps: Real, relative_bits: int) -> Interval:
    """Enclose 1 - exp((ln(exp_eps) - ratio) / 2) for ln(exp_eps) below ratio."""
    return enclosed(lambda: -((real_ball(exp_eps).log() - real_ball(ratio)) / 2).expm1(), relative_bits)
