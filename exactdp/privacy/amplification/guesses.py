"""What is tried first, in floats: about how large divergences are, and where an end, or delta, meets a target.

A guess chooses and never decides: a wrong one costs time or width.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import nsmallest
from math import erfc, exp, frexp, inf, log, log1p, log2, pi, sqrt

from exactdp.numbers.balls import enclose_real
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.positive_part import Mixture

_FAR_OUT = 25.0
"""So many deviations out a normal tail is as its asymptotic series says, and erfc is near 0."""

_LARGE = 1e300
"""Larger E are taken for this."""

_FLOAT_BITS = 53
"""What a float can hold."""

_SHORT_BITS = 64
"""Bits of a guess."""

_LEAST_SHARE = 1 / 64
"""A guess stays so far, as a share, from the two points that it lies between."""

_SCORES = 32
"""The largest score: coarse enough for short sums, fine enough to order the messages."""

_STEPS_PER_DEVIATION = 8
"""Thresholds tried for each standard deviation."""

_FARTHEST = 36
"""Deviations beyond which erfc is about 0."""

_MANY_MARKS = 2**20
"""More marks than there are."""

_FAR_EXCESS = 0.25
"""Ends whose logarithms differ by more are far from each other: a line between them is off by some hundredths."""

_MOST_NORMAL = 500
"""Larger eps are not guessed about."""

_HALVINGS = 60
"""Steps of a bisection between floats."""

Excess = float
"""ln(an end) - ln(target), about; -inf where the end is 0."""


def binary_size(exp_eps: Real) -> int:
    """Return the n with 2**(n - 1) <= E - 1 < 2**n, about; far below 0 for E = 1."""
    level = float(enclose_real(exp_eps, relative_bits=_FLOAT_BITS))
    return frexp(min(level, _LARGE) - 1)[1] if level > 1 else -_FLOAT_BITS


def of_size(size: int) -> float:
    """Return an E with about that ``binary_size``."""
    return 1 + 0.75 * 2.0**size


def log_divergence(mixture: Mixture, copies: int, exp_eps: float) -> float:
    """Return about the logarithm of a divergence."""
    excess = [_float(p) - exp_eps * _float(q) for p, q in mixture.charges]
    excess += [_float(atom.first) - exp_eps * _float(atom.second) for atom in mixture.atoms]
    return _log_row_size(excess, [0.0] * len(mixture.charges) + [_float(a.weight) for a in mixture.atoms], copies)


def as_floats(weights: Sequence[int], scale: int) -> list[float]:
    """Return probabilities in floats."""
    return [weight / scale for weight in weights]


def ranked(
    pairs: Iterable[tuple[int, int]], rows: Mapping[int, Sequence[float]], size: int, users: int, most: int
) -> list[tuple[int, int, int]]:
    """Return the pairs of inputs with one input of all others whose divergences are about the largest.

    Args:
        pairs: positions of inputs in ``rows``.
        rows: position -> probabilities of the bundles.
        size: the ``binary_size`` of E.
        most: how many are returned.
    """
    exp_eps, sizes = of_size(size), []
    for first, second in pairs:
        excess = [p - exp_eps * q for p, q in zip(rows[first], rows[second], strict=True)]
        sizes += [(-_log_row_size(excess, row, users), first, second, v) for v, row in rows.items()]
    return [(first, second, v) for _, first, second, v in nsmallest(most, sizes)]


def message_scores(
    counts: Mapping[int, tuple[Fraction, Fraction, Fraction]],
) -> dict[int, int]:
    """Return integer scores that tell two inputs apart: about in proportion to the change of a message's mean number.

    Args:
        counts: message -> its mean number under the two inputs and under that of the others.
    """
    changes = {m: float(p - q) / float(r) if r else (inf if p > q else -inf) for m, (p, q, r) in counts.items()}
    largest = max((abs(change) for change in changes.values() if abs(change) < inf), default=0.0) or 1.0
    return {m: round(max(-1.0, min(1.0, change / largest)) * _SCORES) for m, change in changes.items()}


def excess_scores(means: Sequence[tuple[Fraction, Fraction, Fraction]], exp_eps: Real, most: int) -> list[int]:
    """Return integer scores up to ``most`` in proportion to (P - E Q)/R, for (P, Q, R) of each message."""
    level = float(enclose_real(exp_eps, relative_bits=_FLOAT_BITS))
    excess = [(float(p) - level * float(q)) / float(r) for p, q, r in means]
    largest = max(map(abs, excess)) or 1.0
    return [round(one / largest * most) for one in excess]


def guess_threshold(
    bundles: Iterable[tuple[int, Fraction, Fraction]],
    others: Sequence[tuple[int, Fraction]],
    users: int,
    exp_eps: Real,
    refined: int = 1,
) -> int:
    """Return about the c at which an event of scores tells most, the sum of the others' scores taken as normal.

    Eighths of a standard deviation are tried, and beside the best of them ``refined`` times finer steps.
    """
    level = float(enclose_real(exp_eps, relative_bits=_FLOAT_BITS))
    gains = [(score, float(p) - level * float(q)) for score, p, q in bundles]
    mean = sum(float(p) * score for score, p in others)
    variance = sum(float(p) * (score - mean) ** 2 for score, p in others)
    deviation = sqrt((users - 1) * variance) or 1.0
    center = (users - 1) * sum((p * score for score, p in others), Fraction(0))

    def gained(place: Fraction | int) -> float:
        away = float(place) * deviation / _STEPS_PER_DEVIATION
        return sum(mu * erfc((away - score) / deviation / sqrt(2)) for score, mu in gains)

    best: Fraction | int = max(range(_FARTHEST * _STEPS_PER_DEVIATION), key=gained)
    if refined > 1:
        best = max((best + Fraction(step, refined) for step in range(-refined, refined + 1)), key=gained)
    return int(center + Fraction(float(best) * deviation / _STEPS_PER_DEVIATION)) + 1


def _log_row_size(excess: Sequence[float], row: Sequence[float], users: int) -> float:
    """Return about the logarithm of the divergence with others of this row, for P - E Q = ``excess``.

    Messages that probably none of the others sends count as if none could.
    """
    charged = sum(mu for mu, r in zip(excess, row, strict=True) if users * r < 1 and mu > 0)
    reached = [(mu, r) for mu, r in zip(excess, row, strict=True) if users * r >= 1]
    mean, gain = sum(mu for mu, _ in reached), sum(mu for mu, _ in reached if mu > 0)
    return _log_size(charged, gain, mean, sum(mu * mu / r for mu, r in reached) - mean * mean, users)


def _log_size(charged: float, gain: float, mean: float, variance: float, copies: int) -> float:
    """Return about ln(charged + U_n(L)), the sum taken as normal and U_n at most ``gain`` = E[max(0, L)]."""
    size, least = min(_log_float(gain), _log_normal(mean, variance, copies)), _log_float(charged)
    larger, smaller = max(size, least), min(size, least)
    return larger + log1p(exp(smaller - larger)) if smaller > -inf else larger


def _log_normal(mean: float, variance: float, copies: int) -> float:
    """Return about ln(U_n(L)) for a normal sum; -inf for about 0."""
    if not variance > 0:
        return _log_float(mean)
    deviation = sqrt(copies) * sqrt(variance)
    far = -copies * mean / deviation
    if far > _FAR_OUT:
        return log(deviation / copies) - far * far / 2 - log(sqrt(2 * pi) * far * far)
    part = exp(-far * far / 2) / sqrt(2 * pi) - far * erfc(far / sqrt(2)) / 2
    return log(deviation / copies) + (log(part) if part > 0 else -far * far / 2)


def _log_float(value: float) -> float:
    return log(value) if value > 0 else -inf


def _float(value: Fraction) -> float:
    """Return about the number, infinite where it is beyond floats."""
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def log_excess(end: Dyadic, target: Fraction) -> Excess:
    """Return about ln(end) - ln(target), for a target above 0."""
    return _log(end) - _log(Dyadic.below(target, _SHORT_BITS))


def log_ratio(value: Fraction, target: Fraction) -> Excess:
    """Return about ln(value / target), both above 0, and so also relatively where they are near each other."""
    apart = value / target - 1
    if 2 * abs(apart) < 1:
        return log1p(float(apart))
    return log_excess(Dyadic.below(value, _SHORT_BITS), target)


def is_of_zero(excess: Excess) -> bool:
    """Whether an excess is that of an end that is 0."""
    return excess == -inf


def is_far(above: Excess, below: Excess) -> bool:
    """Whether a line through two ends themselves, not their logarithms, says little about what is between them."""
    return above - below > _FAR_EXCESS


def _log(value: Dyadic) -> float:
    if value.mantissa <= 0:
        return -inf
    length = value.mantissa.bit_length()
    return log(value.mantissa / 2**length) + (length + value.exponent) * log(2)


def guess_between(low: Fraction, high: Fraction, above: Excess, below: Excess) -> Fraction:
    """Return a short w between two, where the line through ln(end) over w^2, about straight, is 0."""
    share = above / (above - below) if above > below else 0.5
    share = min(max(share, _LEAST_SHARE), 1 - _LEAST_SHARE)
    squared = float(low / high) ** 2 * (1 - share) + share  # over high^2, which may be beyond floats
    w = Dyadic.below(high * Fraction(sqrt(squared)), _SHORT_BITS).fraction()
    return w if low < w < high else Dyadic.below((low + high) / 2, _SHORT_BITS).fraction()


@dataclass(slots=True)
class Secant:
    """Where, as a share, the line through ln(end) - ln(target) at two points is 0: below 0 at the first, above after.

    A point that stays while the other one moves twice counts half, so that both come near.
    """

    first: Excess
    second: Excess
    moved: int | None = None
    """Which point has moved last, 0 or 1."""

    @property
    def share(self) -> Fraction:
        """The share, not too near either point; the middle where one is unknown."""
        if not -inf < self.first < 0 < self.second < inf:
            return Fraction(1, 2)
        share = self.first / (self.first - self.second)
        return Fraction(min(max(share, _LEAST_SHARE), 1 - _LEAST_SHARE))

    def move(self, point: int, excess: Excess) -> None:
        """Let a point move to where the excess is this."""
        again = 2 if self.moved == point else 1
        if point == 0:
            self.first, self.second = excess, self.second / again
        else:
            self.first, self.second = self.first / again, excess
        self.moved = point


UNKNOWN: Excess = inf
"""Of an end that was not asked for."""


def noise_factor(excess: Excess, target: Fraction) -> Fraction:
    """Return about by how much the noise may fall until an end meets a target; 1 where nothing is known.

    ln(end) is about in proportion to the noise: gamma of k-ary response, or the inverse of e^eps0 - 1.
    """
    size = _log(Dyadic.below(target, _SHORT_BITS)) if target else -inf
    factor = 1 + excess / size if -inf < size < 0 else 1.0
    return Fraction(factor) if 0 < factor < inf else Fraction(1)


def halvings(factor: Fraction) -> int:
    """Return about how many times a factor, or its inverse, can be halved."""
    return int(abs(log2(factor)))


def marks_ahead(excess: Excess, before: Excess, marks: int) -> int:
    """Return about how many more marks an end is from its target, if it goes on as over the last ``marks``; 0 where
    that is not known, and very many where it stays where it is.
    """
    moved = abs(excess - before)
    if not (abs(excess) < inf and moved < inf):
        return 0
    return int(min(abs(excess) * marks / moved, _MANY_MARKS)) if moved else _MANY_MARKS


def one_of_runs(eps: Fraction, delta: Fraction, times: int) -> tuple[Fraction, Fraction] | None:
    """Return about the eps and the delta of one of so many runs that have these together, as if losses were normal."""
    most, target = float(eps), float(delta)
    if not 0 < target < 1 / 2 or not most < _MOST_NORMAL:
        return None
    low, high = 0.0, 2.0**10
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _normal_delta(most, middle) <= target else (low, middle)
    one = low / sqrt(times)
    value = _normal_delta(one, one)
    return (Fraction(one), Fraction(value)) if value > 0 else None


def _normal_delta(eps: float, shift: float) -> float:
    """Return delta at eps of the standard normal law against itself moved."""
    if not shift:
        return 0.0

    def below(x: float) -> float:
        return erfc(-x / sqrt(2)) / 2

    return below(shift / 2 - eps / shift) - exp(eps) * below(-shift / 2 - eps / shift)
