"""H_c of a sum of negative binomial numbers against the sum moved by 1, for all c > 0, to any accuracy.

With the weights w and rho(t) = w(t) / w(t-1), which fall in t to the largest p
(:mod:`exactdp.privacy.composition.shared_noise`):

    H_c(Y || Y+1) = sum of max(0, w(t) - c w(t-1)), over all t up to the last one with rho(t) > c, or 1 - c if there is
    none; and
    H_d(Y+1 || Y) = sum of max(0, w(t-1) - d w(t)), over all t from the first one on with rho(t) < 1/d, or 0 if there is
    none.

Where a t is not told from a tie its summand is the larger one of 0 and what its ball says. What is beyond a last t of
either sum is between 0 and the mass there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import flint
from flint import arb

from exactdp.privacy.composition.shared_noise import MAX_OUTCOMES, SharedNoise, beyond, too_wide

_CHECKED: Final = 64
"""The rest of a sum is looked at after so many summands each time."""


def moved_up(noise: SharedNoise, c: arb) -> arb:
    """Return H_c(Y || Y+1) at the precision that is set."""
    if c <= noise.largest_ratio():
        return 1 - c
    total = before = arb(0)
    tiny = arb(2) ** -int(flint.ctx.prec)
    for t, weight in enumerate(_weights(noise)):
        if t and weight <= c * before:
            return total
        total += arb(0).max(weight - c * before)
        if t % _CHECKED == _CHECKED - 1 and (rest := beyond([before, weight])) < tiny * total:
            return total + rest.union(arb(0))
        before = weight
    raise AssertionError("unreachable: the weights do not end")


def moved_down(noise: SharedNoise, d: arb) -> arb:
    """Return H_d(Y+1 || Y) at the precision that is set."""
    if d * noise.largest_ratio() >= 1:
        return arb(0)
    total, last, tiny = arb(0), [arb(0), arb(0)], arb(2) ** -int(flint.ctx.prec)
    for t, weight in enumerate(_weights(noise)):
        last = [last[1], weight]
        if t:
            total += arb(0).max(last[0] - d * weight)
        if t % _CHECKED == _CHECKED - 1 and (rest := beyond(last) + weight.upper()) < tiny * total:
            return total + rest.union(arb(0))
    raise AssertionError("unreachable: the weights do not end")


def _weights(noise: SharedNoise) -> Iterator[arb]:
    """Yield P[Y = t] for t = 0, 1, ...; refuse where they are too many."""
    for t, weight in enumerate(noise.each_weight()):
        if t > MAX_OUTCOMES:
            raise too_wide(MAX_OUTCOMES)
        yield weight
