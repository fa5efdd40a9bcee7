"""About how large a divergence is, in floats: what chooses which pairs are enclosed first, never what decides."""

from __future__ import annotations

from math import erfc, exp, inf, log, pi, sqrt

from exactdp.kernel.amplification.positive_part import Mixture

__all__ = ["log_divergence", "log_size"]

_FAR: float = 25.0
"""So many deviations out a normal tail is as its asymptotic series says, and erfc is near 0."""


def log_divergence(mixture: Mixture, copies: int, exp_eps: float) -> float:
    """Return about the logarithm of a divergence."""
    charged = sum(max(0.0, float(p) - exp_eps * float(q)) for p, q in mixture.charges)
    values = [(float(a.weight), (float(a.first) - exp_eps * float(a.second)) / float(a.weight)) for a in mixture.atoms]
    mean = sum(weight * value for weight, value in values)
    return log_size(charged, mean, sum(weight * value * value for weight, value in values) - mean * mean, copies)


def log_size(charged: float, mean: float, variance: float, copies: int) -> float:
    """Return about ln(charged + U_n(L)), the sum taken as normal; -inf for about 0."""
    if variance <= 0:
        return log(max(charged, mean)) if max(charged, mean) > 0 else -inf
    deviation = sqrt(copies * variance)
    far = -copies * mean / deviation
    if far > _FAR:
        size = log(deviation / copies) - far * far / 2 - log(sqrt(2 * pi) * far * far)
    else:
        part = exp(-far * far / 2) / sqrt(2 * pi) - far * erfc(far / sqrt(2)) / 2
        size = log(deviation / copies) + (log(part) if part > 0 else -far * far / 2)
    return max(size, log(charged)) if charged > 0 else size
