"""What the project ships: the eps of n shuffled answers, each eps0-private, by the closed form of 2021."""

import math


def amplified_epsilon(n: int, eps0: float, delta: float) -> float:
    """Return eps at delta: the closed form where its condition holds, else eps0, which needs no theorem."""
    if eps0 > math.log(n / (16 * math.log(2 / delta))):
        return eps0
    ratio = math.exp(eps0)
    gain = 8 * math.sqrt(ratio * math.log(4 / delta) / n) + 8 * ratio / n
    return min(eps0, math.log(1 + (ratio - 1) / (ratio + 1) * gain) * (1 + 1e-12))  # above what floats round away


def without_its_condition(n: int, eps0: float, delta: float) -> float:
    """The same as it is often copied."""
    ratio = math.exp(eps0)
    gain = 8 * math.sqrt(ratio * math.log(4 / delta) / n) + 8 * ratio / n
    return math.log(1 + (ratio - 1) / (ratio + 1) * gain)
