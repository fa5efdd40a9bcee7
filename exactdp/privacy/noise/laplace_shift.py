"""A real query plus continuous Laplace noise: delta and eps in closed form, which :mod:`exactdp.laws.laplace` proves.

With c = s/b, the sensitivity over the scale, delta(E) is 0 for E >= e^c and 1 - sqrt(E) e^(-c/2) below. So the least E
at a delta is max(1, e^c (1 - delta)^2).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from exactdp.errors import TooLargeError
from exactdp.laws.law_balls import enclose_shift_delta
from exactdp.numbers.balls import compare_reals, enclose_real
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.engine import Enclosed, ExpEpsRange, both_orders

_LARGEST_EPS: Final = 10**5
"""e to this has 144,270 bits: an eps beyond protects nobody, and takes ever longer to write."""
_LARGEST_EXP_EPS: Final = Real.exp(_LARGEST_EPS)
_REFUSAL: Final = (
    "the probabilities of continuous Laplace noise are enclosed, not built. Ask for delta and epsilon, which "
    "enclose them to any accuracy."
)


def laplace_shift(ratio: Real, pure_exp_eps: Real) -> Enclosed:
    """Return the engine for Laplace noise against itself moved by the sensitivity.

    ``ratio`` is the sensitivity over the scale, and ``pure_exp_eps`` is e to this power.
    """

    def enclose(exp_eps: Real | None, relative_bits: int) -> tuple[Interval, int]:
        delta = Interval(Dyadic.of(0), Dyadic.of(0))
        if exp_eps is not None and compare_reals(exp_eps, pure_exp_eps) < 0:
            delta = enclose_shift_delta(ratio, exp_eps, relative_bits)
        return delta, 0

    def find_exp_eps(target: Fraction, relative_bits: int) -> ExpEpsRange:
        """Return e^c (1 - delta)^2 between two rational numbers, or 1 where it is not above."""
        least = pure_exp_eps * (1 - target) ** 2
        if target == 1 or compare_reals(least, Fraction(1)) <= 0:
            return ExpEpsRange(Fraction(1), Fraction(1))
        if least.is_rational:
            return ExpEpsRange(least.coefficient, least.coefficient)
        if compare_reals(least, _LARGEST_EXP_EPS) > 0:
            raise TooLargeError(
                f"eps is above {_LARGEST_EPS}, the limit, at delta={short(target)}. Use a larger scale."
            )
        above_one = enclose_real(least - 1, relative_bits=relative_bits)
        return ExpEpsRange(1 + above_one.lo, 1 + above_one.hi)

    method, pairs = "has a closed form for Laplace noise", both_orders((1, 0), (0, 1))
    return Enclosed("Laplace shift", method, enclose, pairs, __name__, _REFUSAL, find_exp_eps=find_exp_eps)
