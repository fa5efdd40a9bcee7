"""Square roots in the constants of published bounds."""

from __future__ import annotations

from exactdp.kernel.balls import enclosed, real_ball
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real

__all__ = ["enclose_with_root"]


def enclose_with_root(plain: Real, factor: Real, radicand: Real, *, relative_bits: int) -> Interval:
    """Enclose plain + factor * sqrt(radicand), other than 0, for radicand > 0."""
    return enclosed(lambda: real_ball(plain) + real_ball(factor) * real_ball(radicand).sqrt(), relative_bits)
