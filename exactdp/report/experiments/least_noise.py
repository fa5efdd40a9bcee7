"""The noise of each model at (eps, delta): the least that a grid allows, found with the exact delta.

*Local:* a bit flipped with probability f is eps-DP alone iff f >= 1 / (1 + e^eps). *Shuffled:* the same bit after a
shuffler needs less; delta of n users falls as f grows, because a flip with f' > f is a flip with f and then another, so
the least f on a grid has one grid step less that fails. *zsum:* the least gamma on a grid with every larger one up to
1/2 (eps, delta)-DP as well, by :func:`exactdp.studies.calibration.grid_search.calibrate`.

All three are multiples of powers of two, so that a sampler's float is the number itself.

Source: Warner1965, section 2; BalcerCheu2020, section 3.1.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Final

import exactdp as xdp
from exactdp.errors import UndecidedError
from exactdp.laws.tails import DECIDING_BITS, least_integer
from exactdp.numbers.balls import floor_real

_LOCAL_GRID: Final = 2**20
"""A flip probability to six digits."""
_STEPS: Final = 64
"""The grid of a flip probability has at least so many steps up to the guess."""
_EXTRA_BITS: Final = 8
"""The grid of gamma has steps of at most 1/128 of a silent user."""


def local_flip(eps: Fraction) -> Fraction:
    """Return the least multiple of 2^-20 that is at least 1 / (1 + e^eps), for a rational eps above 0.

    >>> local_flip(Fraction(1))
    Fraction(141003, 524288)

    Source: Warner1965, section 2.
    """
    return Fraction(floor_real(_LOCAL_GRID / (xdp.Real(1) + xdp.Real.exp(eps))) + 1, _LOCAL_GRID)


@cache
def least_gamma(n: int, eps: Fraction, delta: Fraction) -> Fraction:
    """Return zsum's least safe gamma on a grid of at most 1/128 of a silent user, as a multiple of 2^-53.

    >>> least_gamma(10**4, Fraction(1), Fraction(1, 10**6)) * 10**4 // 1
    34

    Cost: 0.6 s.

    Source: BalcerCheu2020, section 3.1 (of the protocol).
    """
    grid = Fraction(1, 2 ** min(53, n.bit_length() + _EXTRA_BITS))
    return xdp.calibrate("zsum", n=n, eps=eps, delta=delta, grid=grid).parameter


@cache
def least_flip(n: int, eps: Fraction, delta: Fraction, *, guess: Fraction) -> tuple[Fraction, Fraction]:
    """Return the least flip probability on a grid with which n shuffled bits are (eps, delta)-DP, and the grid's step.

    Args:
        n: number of users; a delta of 10^5 of them takes 2 s.
        guess: about the answer, above 0; the step is a power of two of at most guess / 64.

    >>> flip, step = least_flip(100, Fraction(1), Fraction(1, 100), guess=Fraction(1, 10))
    >>> [flip_holds(100, f, Fraction(1), Fraction(1, 100)) for f in (flip - step, flip)]
    [False, True]

    Cost: some 5 deltas of binary randomized response; 0.4 s each at 10^4 users.

    Source: Warner1965, section 2 (of the protocol, while the monotonicity is shown above).
    """
    step = Fraction(1, 2 ** (_STEPS / guess).__ceil__().bit_length())
    top = int(Fraction(1, 2) / step)
    index = least_integer(lambda k: flip_holds(n, k * step, eps, delta), round(guess / step), above=0, high=top)
    return index * step, step


def flip_holds(n: int, flip: Fraction, eps: Fraction, delta: Fraction) -> bool:
    """Decide whether n shuffled bits, each flipped with probability ``flip``, are (eps, delta)-DP.

    >>> flip_holds(10, Fraction(1, 2), Fraction(1), Fraction(0))
    True

    Raises:
        UndecidedError: where the two deltas agree to 1024 bits.

    Source: Warner1965, section 2 (of the protocol).
    """
    if 2 * flip == 1:
        return True
    profile = xdp.protocols.k_ary(n, 2, gamma=2 * flip).privacy_profile()
    for bits in (20, *DECIDING_BITS):
        if (order := profile.delta(eps=eps, relative_bits=bits).compare(delta)) is not None:
            return order <= 0
    raise UndecidedError(
        f"delta at flip={flip} and delta={delta} agree to {DECIDING_BITS[-1]} bits. Use another delta."
    )
