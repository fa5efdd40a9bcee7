"""Ordered pairs of laws, as composition needs them: their losses in balls, and exact weights where there are few.

**One pair dominates another** if its divergence is at least the other's at every E >= 0. Between two breakpoints of the
first one's divergence, which is linear there, the other's is convex: so it is enough to compare them at the
breakpoints. At E = 0 both are 1, and beyond the last breakpoint the first is constant and the second does not rise.

**Noise whose loss is linear** in the outcome, ln(w(t) / w(t-s)) = (s^2 - 2 s t) / (2 v), as discrete Gaussian noise
alone has it. The loss of k runs on one shift s is that of the sum T of their outcomes, (k s^2 - 2 s T) / (2 v). So they
give away what T against T + k s does: H_E is P[T <= t] - E P[T + k s <= t], where t is the largest integer with
k s^2 - 2 s t > 2 v ln E. Both tails are enclosed from the power of the generating function of one run
(:mod:`exactdp.laws.contour`), at any k. The other order is the mirror image.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm
from operator import itemgetter
from typing import Any, Final, Protocol

from exactdp.caching import cached_property
from exactdp.errors import TooLargeError
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.laws.law_balls import EnclosedDiscreteGaussian, enclose_half_line
from exactdp.numbers.balls import floor_real
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.composition.losses import LossPair, Window
from exactdp.privacy.composition.ratio_classes import ExactFactor

MAX_ATOMS: Final = 2**17
"""Most outcomes that are listed of a law."""

_WHOLE: Final = 2**12
"""Laws of so many outcomes are listed whole."""

_TAIL_ACCURACY: Final = 8
"""A tail is only asked for its magnitude."""


class Pair(Protocol):
    """An ordered pair of laws."""

    def losses(self, tail_bits: int) -> LossPair:
        """Return its losses; what is not listed has less than 2^-tail_bits of the mass."""
        ...


@dataclass(frozen=True, slots=True)
class FinitePair:
    """An ordered pair by weights (P, Q), both positive, of its classes, by rising ratio, and the weight with Q = 0.

    ``total`` is the total weight of either law.
    """

    classes: tuple[tuple[int, int], ...]
    infinite: int
    total: int

    @classmethod
    def of(cls, first: Law, second: Law) -> FinitePair:
        """Return a pair of finite laws."""
        total = lcm(first.total, second.total)
        return cls.of_weights(
            {
                t: (w * (total // first.total), second.weights.get(t, 0) * (total // second.total))
                for t, w in first.weights.items()
            },
            total,
        )

    @classmethod
    def of_weights(cls, weights: Mapping[Any, tuple[int, int]], total: int) -> FinitePair:
        """Return the pair with these weights, outcomes with one likelihood ratio together."""
        infinite, classes = 0, dict[Fraction, tuple[int, int]]()
        for p, q in weights.values():
            if p and q:
                ratio = Fraction(p, q)
                before = classes.get(ratio, (0, 0))
                classes[ratio] = before[0] + p, before[1] + q
            else:
                infinite += p
        return cls(tuple(classes[ratio] for ratio in sorted(classes)), infinite, total)

    def losses(self, tail_bits: int) -> LossPair:
        """Return its losses, all of them."""
        return _finite_losses(self)

    def exact(self, times: int) -> ExactFactor:
        """Return the pair as a factor of an exact product."""
        return ExactFactor(self.classes, self.infinite, self.total, times)

    def dominates(self, other: FinitePair) -> bool:
        """Whether H_E of this pair is at least the other's for every E >= 0 (module docstring)."""
        if self.infinite * other.total < other.infinite * self.total:
            return False
        own, others = self._scan(self.classes), other._scan(self.classes)
        return all(mine * other.total >= theirs * self.total for mine, theirs in zip(own, others, strict=True))

    def _scan(self, levels: Sequence[tuple[int, int]]) -> Iterator[int]:
        """Yield the weight times the denominator of H_E at E = p/q of each level, the last first: q P(T) - p Q(T)."""
        first, second, place = self.infinite, 0, len(self.classes) - 1
        for p, q in reversed(levels):
            while place >= 0 and self.classes[place][0] * q > p * self.classes[place][1]:
                first, second = first + self.classes[place][0], second + self.classes[place][1]
                place -= 1
            yield q * first - p * second

    @property
    def distance(self) -> Fraction:
        """H_1, the total variation distance."""
        return Fraction(self.infinite + sum(p - q for p, q in self.classes if p > q), self.total)


@lru_cache(maxsize=256)
def _finite_losses(pair: FinitePair) -> LossPair:
    masses = [(Fraction(p, pair.total), Fraction(q, pair.total)) for p, q in pair.classes]
    return LossPair.of([*masses, (Fraction(pair.infinite, pair.total), Fraction(0))])


@dataclass(frozen=True, eq=False)
class PolygonPair:
    """A pair by the masses (P, Q) of its outcomes; ``words`` name the real pair that it bounds from below, if any.

    It is equal to itself only: comparing hundreds of long fractions would cost as much as composing them.
    """

    masses: tuple[tuple[Fraction, Fraction], ...]
    words: str = ""

    def losses(self, tail_bits: int) -> LossPair:
        """Return its losses, all of them."""
        return self._losses

    @cached_property
    def _losses(self) -> LossPair:
        return LossPair.of(self.masses)


@dataclass(frozen=True, slots=True)
class WindowPair:
    """A noise law against the law shifted, or ``backward`` the shifted law against the law."""

    law: LatticeLaw
    shift: int
    backward: bool

    def losses(self, tail_bits: int) -> LossPair:
        """Return its losses in a window."""
        return _window_losses(self.law, self.shift, tail_bits)[self.backward]


@dataclass(frozen=True, slots=True)
class SummedRuns:
    """Runs of noise whose loss is linear, all on one shift (module docstring)."""

    scale: Fraction
    shift: int
    times: int

    @classmethod
    def of(cls, runs: Iterable[tuple[Pair, int]]) -> SummedRuns | None:
        """Return the runs, if all are of one such noise and one shift, else None."""
        pairs, times = zip(*runs, strict=True)
        kinds = {(pair.law.loss_scale, pair.shift) if isinstance(pair, WindowPair) else (None, 0) for pair in pairs}
        (scale, shift), *others = kinds
        return None if others or scale is None else cls(scale, shift, sum(times))

    def delta(self, exp_eps: Real, relative_bits: int) -> Interval:
        """Enclose the divergence of all runs together, of either order."""
        moved = self.times * self.shift
        last = -floor_real(Real.log(exp_eps) * (self.scale / self.shift) - Fraction(moved, 2)) - 1
        law = EnclosedDiscreteGaussian(self.scale, self.times)
        delta = enclose_half_line(law, last, moved, exp_eps, relative_bits)
        return Interval(delta.lower, min(delta.upper, Dyadic.of(1)))


@lru_cache(maxsize=8)
def _window_losses(law: LatticeLaw, shift: int, tail_bits: int) -> tuple[LossPair, LossPair]:
    first, last = _window(law, tail_bits)
    if last - first >= MAX_ATOMS:
        raise TooLargeError(
            f"composition: {law!r} has {last - first + 1} outcomes that matter, more than the limit of {MAX_ATOMS}. "
            "Use noise with a smaller variance."
        )
    assert law.enclosed is not None
    return Window(law.enclosed, first, last, law.tail_ratio, law.is_log_concave).pairs(shift)


def _window(law: LatticeLaw, tail_bits: int) -> tuple[int, int]:
    """Return the ends of the outcomes that matter."""
    if law.low is not None and law.high is not None and law.high - law.low < _WHOLE:
        return law.low, law.high
    first = _far(law, tail_bits, -1) if law.is_log_concave else law.low
    assert first is not None
    return first, _far(law, tail_bits, 1)


def _far(law: LatticeLaw, tail_bits: int, side: int) -> int:
    """Return an outcome on one side of the mode beyond which there is less than 2^-tail_bits of the mass."""
    end = law.high if side > 0 else law.low

    def is_far(t: int) -> bool:
        if end is not None and (end - t) * side <= 0:
            return True
        tail = law.sf(t, relative_bits=_TAIL_ACCURACY) if side > 0 else law.cdf(t - 1, relative_bits=_TAIL_ACCURACY)
        return tail.upper.magnitude < -tail_bits

    near, step = law.mode, 1
    while not is_far(law.mode + side * step):
        near, step = law.mode + side * step, 2 * step
    far = law.mode + side * step
    while abs(far - near) > 1 + abs(far - law.mode) // 16:
        middle = (near + far) // 2
        near, far = (near, middle) if is_far(middle) else (middle, far)
    return far if end is None or (end - far) * side > 0 else end


def undominated(pairs: Iterable[FinitePair], most: int | None = None) -> tuple[FinitePair, ...]:
    """Return pairs that dominate all, none of which dominates another; of more than ``most``, only some.

    A pair that dominates another is at least as far apart, so the farthest are looked at first.
    """
    listed = dict.fromkeys(pairs)
    kept: list[tuple[Fraction, FinitePair]] = []
    for distance, pair in sorted(((pair.distance, pair) for pair in listed), key=itemgetter(0), reverse=True):
        if most is not None and len(kept) > most and kept[most][0] > distance:
            break
        if not any(other.dominates(pair) for _, other in kept):
            kept = [(far, other) for far, other in kept if far > distance or not pair.dominates(other)]
            kept.append((distance, pair))
    among = {id(pair) for _, pair in kept}
    return tuple(pair for pair in listed if id(pair) in among) or (FinitePair(((1, 1),), 0, 1),)
