"""eps(delta) of an exact engine by Newton's method on the envelope of its lines.

Source: Dinkelbach1967, section 3.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import LogRational
from exactdp.patience import told
from exactdp.privacy.engine import Engine

_STEP_BITS: Final = 64
"""Newton's steps are rounded to so many bits, which keeps their fractions short."""


def newton(engine: Engine, target: Fraction, low: Fraction) -> LogRational:
    """Return eps(target) of an engine whose delta at E = ``low`` is above the target.

    At E the worst line P - E Q meets the target at E' = (P - target) / Q >= E, and eps(target) is not below ln E'.
    Steps are rounded down to few bits until a line repeats; the last one is exact. Between them a bisection pulls
    E up, because Newton's steps are short where delta falls steeply.
    """
    high = None
    event = engine.worst(low)
    steps = 0
    while event.mass_second > 0:
        steps += 1
        told(steps)
        crossing = event.crossing(target)
        rounded = Dyadic.below(crossing, _STEP_BITS).fraction()
        step = rounded if rounded > low else crossing
        after = engine.worst(step)
        if step == crossing or (after.mass_first, after.mass_second) == (event.mass_first, event.mass_second):
            step, after = crossing, engine.worst(crossing)
            if after.delta(crossing) <= target:
                return LogRational(crossing)
        low, event = step, after
        trial = _between(engine, low, high)
        if low < trial:
            after = engine.worst(trial)
            if after.delta(trial) > target:
                low, event = trial, after
            else:
                high = trial
    return LogRational(None)


def _between(engine: Engine, low: Fraction, high: Fraction | None) -> Fraction:
    """Return an E of few bits between ``low`` and ``high`` (None: no bound yet), or ``low`` if there is none."""
    if high is None:
        return Fraction(min(2 * low.__ceil__() ** 2, 2 ** (engine.ratio_bits + 1)))
    middle = Dyadic.below((low + high) / 2, _STEP_BITS).fraction()
    return middle if low < middle < high else low
