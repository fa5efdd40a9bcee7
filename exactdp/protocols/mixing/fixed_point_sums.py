"""Optimal accuracy of sums in fixed point: the worst inputs, rounding and noise together.

The estimate errs by (Z + R) / L unless the noise leaves the modulus, with R anywhere in (-n/2, n/2] and Z symmetric,
falling from 0 on. It errs by more than t / L where Z is outside [-t - R, t - R]. Let R >= 0, as Z is symmetric. As R
grows an integer leaves the interval at its upper end, just after R = t - M, or enters at its lower end, at R = N - t,
and what leaves is at least as likely as what enters next, for it is no further from 0. So the worst R is n/2, or just
before the last entry. With M = floor(t - n/2) and N = floor(t + n/2) the integers left are -N, ..., M, or without -N
if there is an R between: where t - M - 1 < N - t. Both change at multiples of 1/2 alone, where they are continuous from
the right: the least t is such a multiple.

The noise leaves the modulus with probability at most w, so the least t is between those for beta + w and beta - w.

Source: BalleBellGasconNissim2020 (the protocol, the theorem is this page's).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from exactdp.errors import InvalidValueError
from exactdp.laws.tails import least_integer, normal_guess, outside_at_most
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.protocols.mixing.fixed_point_sum_protocol import FixedPointSum

_BITS: Final = 64
"""Ends are rounded outward to more digits than are shown."""


def fixed_point_accuracy(protocol: FixedPointSum, beta: Fraction, *, on_grid: bool = False) -> Fraction | Interval:
    """Return the least alpha that the error of the sum exceeds with probability at most ``beta``, for 0 < beta < 1.

    Args:
        protocol: the sum.
        beta: probability of a larger error.
        on_grid: for inputs that are multiples of 1/levels; else for all reals in [0, 1].

    Exact but where a larger error is as likely as beta to within the probability that the noise leaves the modulus.
    """
    wraps = protocol.wrap_probability.hi
    most = _least(protocol, beta - wraps, on_grid) if beta > wraps else None
    if most is None:
        raise InvalidValueError(
            f"beta={short(beta)} is below the probability that the noise leaves modulus={short(protocol.modulus)}. "
            "Pass a larger modulus or beta."
        )
    least = _least(protocol, min(Fraction(1), beta + wraps), on_grid)
    low, high = Fraction(least, 2 * protocol.levels), Fraction(most, 2 * protocol.levels)
    return low if low == high else Interval.between(low, high, bits=_BITS)


def _least(protocol: FixedPointSum, beta: Fraction, on_grid: bool) -> int:
    """Return the least 2 t, t a multiple of 1/2, that is enough."""
    noise, users = protocol.noise, 0 if on_grid else protocol.n

    def holds(twice: int) -> bool:
        above, below = (twice - users) // 2, (twice + users) // 2  # M and N
        return outside_at_most(noise, -(below - (below + above + 1 > twice and not on_grid)), above, beta)

    return least_integer(holds, 2 * normal_guess(noise, beta / 2) + users, above=-1, high=None)
