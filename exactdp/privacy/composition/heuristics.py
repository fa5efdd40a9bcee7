"""Choices made in floats. They cost time when they are bad, and decide nothing: any choice gives valid bounds.

**Composition** of k runs at eps. With K(theta) the logarithm of the moment generating function of all losses together,
the saddle point theta minimizes K(theta) - theta eps, which is about ln delta; there the tilted law has its middle at
eps, and the standard deviation S = K''(theta)^(1/2). A lattice of step h for the sum of the losses costs about
h^2 theta (theta + 1) / 8 of delta. Starting with h over k^(1/2) and doubling the step whenever the polynomials grow
beyond one length, every level of squaring costs about the same, and adds about the same to the width.

**Points of a profile.** Chords over a step h of eps add to the variance of a run's loss about h^2/6 above, and take
away about 7 h^2/12 below (:mod:`exactdp.privacy.composition.profile_pairs`). Over k runs ln(delta) changes by
theta (theta + 1) k / 2 times that: together by 3/8 theta (theta + 1) k h^2. With half the step a quarter of it is left.
So what one halving brought says what all others would: when this is little beside the width asked for, or beside what
keeps the ends apart otherwise, the bracket is as good as it gets.

Rare large losses can dominate the moment generating function and not delta. Those are counted as infinite where that
costs e^-25 of what is left, or less.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NamedTuple

from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval

_MASS: Final = 2.0**-10
"""The unit of logarithms of masses in an outline."""

_LOSS: Final = 2.0**-48
"""The unit of losses in an outline."""

_FEW: Final = 100
"""So few atoms are looked at one by one."""

_CELLS: Final = 6
"""Atoms are looked at together within this part of a standard deviation."""

_LOWEST: Final = 4.0
"""And all together from so many standard deviations below the mean."""

_CAPS: Final = 20
"""Places that are tried for a cap, evenly spaced in the logarithm of what is above."""


_NEGLIGIBLE: Final = 25.0
"""A mass that is e to minus this of what is left costs nothing that shows when it is counted as infinite."""

_GAIN: Final = 3.0
"""A cap must gain a factor of e^3, about 20, to be taken."""

_WIDEST_TILT: Final = 1e5
"""No larger tilt is looked for."""

_CHORDS: Final = 3 / 8
"""What chords cost of ln(delta), over theta (theta + 1) k h^2."""

_LEAST_TILT: Final = 0.5
"""Below it the width of the law counts, not its tail."""

_LEFT: Final = 3
"""One halving brings three times what all later ones bring."""

_SMALL: Final = 8
"""A change is little where it is one part in so many."""

_TILT_BITS: Final = 4
"""Of a tilt."""

_SHORTEST: Final = 512
"""The least length at which the step doubles."""


class Losses(NamedTuple):
    """What one factor's losses look like: (1024 ln p, 2^48 x) of every atom, 1024 ln P[infinite], and its power."""

    atoms: Sequence[tuple[int, int]]
    infinite: int | None
    times: int


class Choice(NamedTuple):
    """A tilt, a cap for each factor, the first step, the length at which it doubles, and about log2(delta).

    ``is_rare`` says that a single loss that is infinite, or above its cap, probably makes up delta.
    """

    tilt: Fraction
    caps: tuple[Fraction | None, ...]
    step: Fraction
    length: int
    log_delta: int
    is_rare: bool = False


@dataclass(frozen=True)
class _LossAtoms:
    """Atoms (ln p, x) of one factor by falling x, near ones together."""

    atoms: list[tuple[float, float]]
    infinite: float
    times: int

    @classmethod
    def of(cls, losses: Losses) -> _LossAtoms:
        atoms = sorted(((p * _MASS, x * _LOSS) for p, x in losses.atoms), key=lambda a: -a[1])
        infinite = -math.inf if losses.infinite is None else losses.infinite * _MASS
        if len(atoms) <= _FEW:
            return cls(atoms, infinite, losses.times)
        weights = [math.exp(p) for p, _ in atoms]
        _, mean, square = _moments(weights, atoms)
        cells: dict[int, list[tuple[float, float]]] = {}
        for p, x in atoms:  # from large losses to small ones; the rare ones, far apart, stay alone
            place = (x - mean) / math.sqrt(square) if square else 0.0
            cells.setdefault(math.floor(max(place, -_LOWEST) * _CELLS), []).append((p, x))
        merged = []
        for cell in cells.values():
            mass = _log_sum([p for p, _ in cell])
            merged.append((mass, sum(math.exp(p - mass) * x for p, x in cell)))
        return cls(merged, infinite, losses.times)

    def moments(self, theta: float, start: int) -> tuple[float, float, float]:
        """Return K, K' and K'' of one run, from the atom ``start`` on."""
        terms = [p + theta * x for p, x in self.atoms[start:]]
        if not terms:
            return -math.inf, 0.0, 0.0
        most = max(terms)
        weights = [math.exp(t - most) for t in terms]
        total, mean, square = _moments(weights, self.atoms[start:])
        return most + math.log(total), mean, square


def _moments(weights: Sequence[float], atoms: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    """Return the total weight, and the mean and the variance of the losses x of the atoms."""
    total = math.fsum(weights)
    mean = math.fsum(w * x for w, (_, x) in zip(weights, atoms, strict=True)) / total
    return total, mean, math.fsum(w * (x - mean) ** 2 for w, (_, x) in zip(weights, atoms, strict=True)) / total


def composition_choice(factors: Sequence[Losses], eps: Fraction, relative_width: Fraction) -> Choice:
    """Return what to compute bounds of the composed delta at ``eps`` with."""
    all_atoms = [_LossAtoms.of(losses) for losses in factors]
    starts = [0] * len(all_atoms)
    level = float(eps)
    for i in range(len(all_atoms)):
        starts = _capped(all_atoms, starts, i, level)
    theta, value = _saddle(all_atoms, starts, level)
    infinite = _log_sum([math.log(c.times) + _infinite(c, s) for c, s in zip(all_atoms, starts, strict=True)])
    spread = math.sqrt(sum(c.times * c.moments(theta, s)[2] for c, s in zip(all_atoms, starts, strict=True)))
    step, length = _lattice(theta, spread, sum(c.times for c in all_atoms), float(relative_width))
    caps = tuple(_cap(c, s) for c, s in zip(all_atoms, starts, strict=True))
    log_delta = min(0.0, max(value, infinite)) / math.log(2)
    tilt, rare = _short(theta, _TILT_BITS), infinite > value - _GAIN
    return Choice(tilt, caps, step, length, math.floor(max(log_delta, -1e6)), rare)


def _lattice(theta: float, spread: float, times: int, width: float) -> tuple[Fraction, int]:
    """Return the first step, a power of two times a short number, and the length of polynomials."""
    levels = 1 + math.log2(times)
    last = math.sqrt(6 * width / (max(theta, 0.5) * (theta + 1) * levels))
    last = min(last, max(spread, 1e-6) / 8)
    length = max(_SHORTEST, math.ceil(_short(16 * spread / last, 3)))
    return _short(last / math.sqrt(times), 4), length


def _short(value: float, bits: int) -> Fraction:
    """Return a number of so many bits near ``value`` >= 0: what chooses is nearly the same at an eps nearby, and what
    it chooses the very same, so that its products are found again."""
    scale = Fraction(2) ** (math.frexp(value)[1] - bits)
    return round(value / scale) * scale


def _capped(all_atoms: Sequence[_LossAtoms], starts: list[int], i: int, eps: float) -> list[int]:
    """Return the starts with the best one for factor i: what is before it is counted as infinite."""
    losses = all_atoms[i]
    sums, running = [], -math.inf
    for p, _ in losses.atoms:
        running = _log_sum([running, p])
        sums.append(running)
    best, best_value = starts, _saddle(all_atoms, starts, eps)[1]
    if len(sums) < 2:
        return best
    low, high = max(sums[0], -1e4), min(sums[-1], -20.0)
    for k in range(_CAPS):
        start = bisect_left(sums, low + (high - low) * k / (_CAPS - 1))
        if not 0 < start < len(sums) or losses.atoms[start][1] <= 0:
            continue
        least = sums[start - 1] + math.log(losses.times) + _NEGLIGIBLE
        if least >= best_value - _GAIN:
            continue
        trial = [*starts[:i], start, *starts[i + 1 :]]
        value = max(_saddle(all_atoms, trial, eps)[1], least)
        if value < best_value - _GAIN:
            best, best_value = trial, value
    return best


def _cap(losses: _LossAtoms, start: int) -> Fraction | None:
    """Return a loss between the atom at ``start`` and the one before it."""
    if start == 0:
        return None
    return Fraction((losses.atoms[start - 1][1] + losses.atoms[start][1]) / 2)


def losses_between(atoms: Sequence[tuple[int, int]], cap: Fraction | None) -> Fraction:
    """Return how far the losses up to a cap are apart."""
    losses = [x for _, x in atoms if cap is None or x * _LOSS <= cap]
    return Fraction((max(losses) - min(losses)) * _LOSS) if losses else Fraction(0)


def cap_at_depth(atoms: Sequence[tuple[int, int]], depth: int, eps: Fraction) -> Fraction | None:
    """Return a loss above which counting all as infinite adds at most about 2^-depth; None where no loss is so rare.

    It adds e^(eps - loss) of each mass, at most.
    """
    above, capped = -math.inf, None
    for mass, loss in sorted(((p * _MASS, x * _LOSS) for p, x in atoms), key=lambda atom: -atom[1]):
        above = _log_sum([above, mass])
        if loss <= eps or above + float(eps) - loss > -depth * math.log(2):
            return capped
        capped = Fraction(loss)
    return capped


def _infinite(losses: _LossAtoms, start: int) -> float:
    return _log_sum([losses.infinite, *(p for p, _ in losses.atoms[:start])])


def _saddle(all_atoms: Sequence[_LossAtoms], starts: Sequence[int], eps: float) -> tuple[float, float]:
    """Return the saddle point theta >= 0 and K(theta) - theta eps there."""

    def at(theta: float) -> tuple[float, float, float]:
        moments = [(c.times, c.moments(theta, s)) for c, s in zip(all_atoms, starts, strict=True)]
        total, slope, curve = (math.fsum(k * m[i] for k, m in moments) for i in range(3))
        return total - theta * eps, slope - eps, curve

    value, slope, _ = at(0.0)
    if slope >= 0 or not math.isfinite(value):
        return 0.0, value
    low, high = 0.0, 1.0
    while at(high)[1] < 0 and high < _WIDEST_TILT:
        low, high = high, 4 * high
    theta = high
    for _ in range(30):
        value, slope, curve = at(theta)
        low, high = (theta, high) if slope < 0 else (low, theta)
        newton = theta - slope / curve if curve > 0 else low
        step = newton if low < newton < high else (low + high) / 2
        if abs(step - theta) < 1e-2 * (1 + theta):
            return step, value
        theta = step
    return theta, value


def _log_sum(values: Sequence[float]) -> float:
    most = max(values)
    return most if most == -math.inf else most + math.log(math.fsum(math.exp(v - most) for v in values))


# --- points of a profile ----------------------------------------------------------------------------------------------


def point_step(tilt: Fraction, times: int, error: Fraction) -> Fraction:
    """Return a power of 2: a step of points that costs about ``error`` of ln(delta)."""
    theta = max(float(tilt), _LEAST_TILT)
    return Fraction(2) ** math.floor(math.log2(float(error) / (_CHORDS * theta * (theta + 1) * times)) / 2)


def is_worth_more(before: Interval, after: Interval, width: Fraction) -> bool:
    """Whether what is still to be gained by more points, about, is a good part of the width asked for and of what is
    between the ends.

    The first lower end above 0 says nothing of the next one.
    """
    if before.lower.mantissa == 0 and after.lower.mantissa:
        return True
    moved, little = _log(before.upper) - _log(after.upper), float(width)
    if after.lower.mantissa:
        moved += _log(after.lower) - _log(before.lower)
        little = max(little, (_log(after.upper) - _log(after.lower)) / _SMALL)
    return moved / _LEFT > little / 2


def _log(value: Dyadic) -> float:
    """Return about the logarithm of a number, however small."""
    length = value.mantissa.bit_length()
    return math.log(value.mantissa / 2**length) + (length + value.exponent) * math.log(2) if length else -math.inf


# --- where delta is a target ------------------------------------------------------------------------------------------


def share_of_the_way(start: Dyadic, stop: Dyadic, target: Fraction) -> Fraction | None:
    """Return about how far from one place to another delta falls to a target; None where it is not seen to.

    (-ln delta)^(1/2) is taken for a line, as if all losses were a Gaussian.
    """
    first, goal, last = (
        math.sqrt(max(0.0, -_log(value))) for value in (start, Dyadic.below(target, _TARGET_BITS), stop)
    )
    return Fraction((goal - first) / (last - first)) if first < goal < last < math.inf else None


_TARGET_BITS: Final = 64
