"""One round of several questions, whose users take part by one coin each for the whole round.

Each user answers all questions of the round, or with probability 1 - q none. Each question is a view of its own, of the
users who take part; a replaced user changes all of his answers. Given who takes part, and that the user who differs
does, the views are a composition: let D_k bound the largest divergence of these, both orders, of k users who take part
(:mod:`exactdp.privacy.composition.composed`; a question may depend on the answers to those before). Because all
questions share the coin, what each gives away by itself with its own coin must not be composed.

**Listed** (it is public who takes part). Where the user who differs is away the views are equal, so the round is the
pair of equal laws with probability 1 - q, else D_k, k - 1 = how many others take part.

**Counted** (only the number k is seen, of the own class of n users). Given k, he takes part with probability r = k/n.
Write f and g for the views in which he does, with either of his inputs, h for those in which he does not, so that
F = r f + (1 - r) h and G = r g + (1 - r) h. With y = 1 + (x - 1)/r and b = x/y, for x >= 1 (BalleBartheGaboardi2018,
advanced joint convexity),

    F - x G = r (f - y (b g + (1 - b) h)),      H_x(F || G) <= r (b H_y(f || g) + (1 - b) H_y(f || h)) <= r D_k(y):

h is a mean of views of k users, of whom one is replaced in f: a uniform one, of the others who are there. The bound
rises with r, so that the largest r of a range serves all of it. From below, h <= z g + (h - z g)_+ for every z >= 1,
and for the event of H_x'(f || g),

    H_x(F || G) >= r H_x'(f || g) - (1 - r)(x - 1) D_k(z),      x' = x + (1/r - 1)(x - 1) z.

As a function of x this is a polygon, and the largest for several z is; that of a smaller r is less, because it mixes
more of h into both laws. Numbers of other classes are taken as seen above; below they are only where some question
tells the classes apart, else what one question gives away bounds the round from below.

**Hidden** (who is away sends a dummy for each question): a function of the listed round and of chance, which bounds it
from above; from below, one question.

Of all three, the bound of all answers in one message ("together") is one too: each question is a function of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any, ClassVar, Final, overload

from exactdp.mechanisms.absence_family import COUNTED, LISTED
from exactdp.mechanisms.dataset import Neighbors
from exactdp.mechanisms.family import UserRandomizer
from exactdp.mechanisms.joint_classes import joint_kinds
from exactdp.numbers.bisection import bisect
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.amplification import HomogeneousPair, best_homogeneous
from exactdp.privacy.composition.attendance import Attendance, Part
from exactdp.privacy.composition.composed import ComposedProfile
from exactdp.privacy.composition.law_pairs import Pair, PolygonPair
from exactdp.privacy.composition.losses import LossPair, Masses, product_above, product_below
from exactdp.privacy.composition.mechanisms import Mechanism, SourceOfMechanisms, mechanisms_of
from exactdp.privacy.composition.profile_pairs import (
    Fineness,
    Point,
    both_sides,
    grid,
    largest_polygon,
    level_near,
    masses_above,
    masses_of_polygons,
    polygon_of,
    value_above,
)
from exactdp.privacy.engine import Bound, EnclosedEngine, Engine, Level
from exactdp.privacy.planner import ShufflePairs, Source, engine_of
from exactdp.privacy.user_classes import UserClasses

_WIDEST_STEP: Final = Fraction(1, 2**6)
"""Losses of a round are spread no wider, whatever the questions ask for."""
_FINEST_STEP: Final = Fraction(1, 2**8)
"""Of questions that need no points."""
_PARTS: Final = 4
_PARTS_OF_LISTED: Final = 8
"""Into so many parts the step of a first look is cut: finer ones show less than what the bounds lose otherwise."""
_MOST_PARTS: Final = 2**6
"""And at a later look, where a loss that no run reaches is asked for."""
_MOST_POINTS: Final = 2**9
"""Most points of a curve."""
_HALVINGS: Final = 6
"""So many times less weight has a step of twice the length, as far as 2^_MOST_DOUBLINGS."""
_MOST_DOUBLINGS: Final = 2
_BITS: Final = 96
"""Of what is rounded, far finer than what is known of it."""
_FURTHER: Final = (Fraction(1), Fraction(5, 4), Fraction(3, 2), Fraction(2), Fraction(3))
"""What is tried for (z - 1)/(x - 1)."""
_LEVELS: Final = (Fraction(1, 2), Fraction(1), Fraction(2))
"""At so many times the loss of a run that matters most z is chosen from below."""


_NOTHING: Final = Interval(Dyadic.of(0), Dyadic.of(0))
_ALL: Final = Interval(Dyadic.of(1), Dyadic.of(1))


class Asked(ABC):
    """A question of a round, as it is put to any number of users."""

    __slots__ = ()

    @abstractmethod
    def at(self, users: tuple[int, ...]) -> Source:
        """Return the pairs of views of so many users of each class who take part."""

    has_homogeneous_pair: ClassVar[bool] = True
    """Whether the data sets are known whose other users all hold one answer."""

    @property
    @abstractmethod
    def tells_classes(self) -> bool:
        """Whether its messages tell of how many users of each class they are."""


@dataclass(frozen=True, slots=True)
class ShuffledQuestion(Asked):
    """A question whose answers are shuffled; ``place`` is the class of the user who differs."""

    randomizers: tuple[UserRandomizer, ...]
    place: int

    def at(self, users: tuple[int, ...]) -> Source:
        """Return the pairs of views of so many users of each class who take part."""
        there = [place for place, n in enumerate(users) if n]
        classes = tuple((self.randomizers[place], users[place]) for place in there)
        if len(classes) == 1:
            return ShufflePairs(*classes[0], Neighbors.REPLACE_ONE)
        return UserClasses(classes, there.index(self.place))

    @property
    def tells_classes(self) -> bool:
        """Whether all classes send messages of other kinds."""
        kinds = joint_kinds(self.randomizers)
        return len(set(kinds)) == len(kinds)


@dataclass(frozen=True, slots=True)
class Round(SourceOfMechanisms):
    """A round of questions to users of whom each takes part with probability ``share`` (module docstring).

    Args:
        questions: each, as it is put to those who take part.
        sizes: the users of each class.
        place: the class of the user who differs.
        share: q.
        absence: what is seen of who is away: "counted", "listed" or "hidden".
        alone: each question by itself, of users who may be away.
        together: all questions answered in one message, of users who may be away; None where it is not asked.
    """

    questions: tuple[Asked, ...]
    sizes: tuple[int, ...]
    place: int
    share: Fraction
    absence: str
    alone: tuple[Source, ...]
    together: Source | None = None

    @property
    def inputs(self) -> tuple[Any, ...]:
        """None: a data set has an answer of each user to each question."""
        return ()

    @property
    def subject(self) -> str:
        """What is run, in words."""
        return (
            f"a round of {len(self.questions)} questions to {', '.join(map(str, self.sizes))} users, each of whom "
            f"takes part with probability {short(self.share)} ({self.absence})"
        )

    @property
    def scope(self) -> str:
        """Which pairs of data sets the supremum is over, in words."""
        return f"all pairs of data sets that differ in all answers of one user of class {self.place}, both orders"

    @property
    def attendance(self) -> Attendance:
        """How many take part, as the bounds count them."""
        return Attendance(self.sizes, self.place, self.share, self.absence != COUNTED)

    @property
    def has_homogeneous_pair(self) -> bool:
        """Whether data sets are known that bound it from below, and the numbers of each class are seen of them."""
        if not all(one.has_homogeneous_pair for one in self.questions):
            return False
        is_seen = len(self.sizes) == 1 or any(one.tells_classes for one in self.questions)
        return self.absence == LISTED or (self.absence == COUNTED and is_seen)

    def mechanisms(self) -> tuple[Mechanism, ...]:
        """Return the round as what is run again and again."""
        return (RoundRuns(self),)

    def plan(self) -> Engine:
        """Return the engine of one round."""
        return RoundEngine(self)


@dataclass(frozen=True)
class RoundEngine(EnclosedEngine):
    """Both ends of delta of one round."""

    source: Round

    name: ClassVar[str] = "a round of questions"
    method = "composes the questions of a round among those who take part, and mixes over how many these are"
    refusal = "exact masses of a round of questions are out of reach: ask for delta, epsilon and bracket."
    is_bracket = True

    @property
    def theorem(self) -> str:
        """What proves the upper end."""
        source = self.source
        each = (engine_of(one.at(source.sizes)).theorem for one in source.questions)
        coin = "one coin for all questions of a round (proved in exactdp.privacy.composition.rounds)"
        return f"{coin}; of each question: {'; '.join(dict.fromkeys(each))}"

    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> Bound[Interval]:
        """Return both ends; at infinite E what is known of every delta."""
        if exp_eps is None:
            return Bound(_NOTHING, _ALL, ((), ()), self.theorem, Level.TWO_ENDS)
        runs = ComposedProfile(((self.source, 1),))
        if exp_eps.is_rational:
            found = runs.bracket(exp_eps=exp_eps.coefficient)
        else:
            found = runs.bracket(eps=exp_eps.exponent)
        ends = (found.lower, found.upper)
        lower, upper = (
            end if isinstance(end, Interval) else Interval.around(end, relative_bits=relative_bits) for end in ends
        )
        level = Level.ENCLOSED if found.is_closed else Level.TWO_ENDS
        return Bound(lower, upper, ((), ()), self.theorem, level, among=str(found.attained_by or ""))


@dataclass(frozen=True, slots=True)
class RoundRuns(Mechanism):
    """A round that is run again and again."""

    round: Round

    pairs = None

    @property
    def widest_step(self) -> Fraction:
        """That of the questions, of the fewest users."""
        steps = (one.widest_step for one in _mechanisms(self.round, self.round.sizes))
        return min([_WIDEST_STEP, *(step for step in steps if step is not None)])

    def attains(self, notion: str) -> bool:
        """Whether real pairs attain it: none is known to."""
        return False

    def dominating_pairs(self, fineness: Fineness | None) -> tuple[Pair, ...]:
        """Return one pair, of which the runs bound those of the round from above."""
        return (_dominating_pair(self.round, fineness and self._shared(fineness)),)

    def real_pairs(self, fineness: Fineness) -> tuple[Pair, ...]:
        """Return both orders of what one data set gives away, or of what each question by itself does."""
        if self.round.has_homogeneous_pair:
            return _homogeneous_pair(self.round, self._shared(fineness))
        return tuple(pair for one in self.round.alone for m in mechanisms_of(one) for pair in m.real_pairs(fineness))

    def _shared(self, fineness: Fineness) -> Fineness:
        """Return about the same fineness, one for many questions about a round, and no finer than shows."""
        little = min(_MOST_LITTLE, -(-fineness.little // _LITTLE_STEP) * _LITTLE_STEP)
        step = max(fineness.step, self.widest_step / _MOST_PARTS)
        return replace(fineness, step=step, little=little, losses=tuple(map(_power_of_two, fineness.losses)))

    def is_finest(self, fineness: Fineness) -> bool:
        """Whether the points are as many as there may be, or as many as show beside what is lost otherwise."""
        inner = _mechanisms(self.round, self.round.sizes)
        pointed = [one for one in inner if one.widest_step is not None]
        if not pointed:
            return fineness.step <= _FINEST_STEP
        parts = _PARTS_OF_LISTED if self.round.absence == LISTED else _PARTS
        return fineness.step <= self.widest_step / parts or all(one.is_finest(fineness) for one in pointed)


def _power_of_two(loss: Fraction) -> Fraction:
    return Fraction(2) ** (loss.numerator.bit_length() - loss.denominator.bit_length()) if loss else loss


@lru_cache(maxsize=1024)
def _mechanisms(source: Round, users: tuple[int, ...]) -> tuple[Mechanism, ...]:
    """Return what is run for all questions of so many users who take part."""
    return tuple(mechanism for one in source.questions for mechanism in mechanisms_of(one.at(users)))


# --- above ------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _dominating_pair(source: Round, fineness: Fineness | None) -> PolygonPair:
    little = _LITTLE if fineness is None else fineness.little
    attendance = source.attendance
    parts = attendance.above(little)
    if fineness is None:  # the fewest users stand for all
        fewest = tuple(map(min, zip(*(part.users for part in parts), strict=True)))
        size = source.sizes[source.place]
        parts = (Part(Fraction(1), fewest, size, size),)  # the largest share of all
    rest = attendance.left_out(little)
    masses: list[tuple[Fraction, Fraction]] = [(rest, Fraction(0))]
    weights: dict[tuple[int, ...], Fraction] = {}
    for part in parts:
        weights[part.users] = weights.get(part.users, Fraction(0)) + part.weight
    if source.absence != COUNTED:
        for users, weight in weights.items():
            masses += _scaled(_product(source, users, _coarser(fineness, weight)), source.share * weight)
        masses.append((1 - source.share, 1 - source.share))
    else:
        for part in parts:
            masses += _scaled(_counted_above(source, part, _coarser(fineness, weights[part.users])), part.weight)
        masses.append((max(Fraction(0), 1 - sum((part.weight for part in parts), Fraction(0))),) * 2)
    step, one = _step(source, fineness), LossPair.of(masses)
    masses = product_above([((one,), 1)], step, little)  # what the parts have in common is one outcome
    if source.together is not None and fineness is not None:
        curve, points = Curve(masses), []
        for level in grid(source.together, fineness).levels:
            high = min(curve(level), value_above(source.together, level, fineness.little))
            points.append(Point(level, Fraction(0), high))
        masses = list(masses_above(both_sides(points, points)))
    return PolygonPair(tuple(masses))


_LITTLE_STEP: Final = 48
_MOST_LITTLE: Final = _LITTLE_STEP * 2**6
"""No less than 2 to minus this is left out of them."""
_LITTLE: Final = 96
"""What a first look leaves out of the numbers of users is 2 to minus this."""


@lru_cache(maxsize=64)
def _product(source: Round, users: tuple[int, ...], fineness: Fineness | None) -> tuple[tuple[Fraction, Fraction], ...]:
    """Return a pair that dominates all questions together, of so many users who take part."""
    factors, each = Counter(_mechanisms(source, users)), _of_each(source, fineness)
    listed = [(tuple(pair.losses(_LITTLE) for pair in one.dominating_pairs(each)), n) for one, n in factors.items()]
    return tuple(product_above(listed, _step(source, fineness), _LITTLE if fineness is None else fineness.little))


@overload
def _of_each(source: Round, fineness: Fineness) -> Fineness: ...
@overload
def _of_each(source: Round, fineness: None) -> None: ...


def _of_each(source: Round, fineness: Fineness | None) -> Fineness | None:
    """Return what is asked of each question, whose losses are a share of those of the round."""
    share = len(source.questions)
    return fineness and replace(fineness, losses=tuple(loss / share for loss in fineness.losses))


def _step(source: Round, fineness: Fineness | None) -> Fraction:
    return RoundRuns(source).widest_step if fineness is None else fineness.step


def _coarser(fineness: Fineness | None, weight: Fraction) -> Fineness | None:
    """Return what is asked of a part of small weight, whose error counts by as much less."""
    halvings = weight.denominator.bit_length() - weight.numerator.bit_length()
    doublings = min(_MOST_DOUBLINGS, halvings // _HALVINGS)
    return fineness and replace(fineness, step=fineness.step * 2**doublings)


def _counted_above(source: Round, part: Part, fineness: Fineness | None) -> Masses:
    """Return a pair that dominates the round where as many of the own class take part as the part says."""
    curve = _curve(source, part.users, fineness)
    share = Fraction(part.most, source.sizes[source.place])
    levels = _levels(curve, _step(source, fineness), _LITTLE if fineness is None else fineness.little)
    values = (share * curve(1 + (level - 1) / share) for level in levels)
    points = [
        Point(level, Fraction(0), Dyadic.above(v, _BITS).fraction()) for level, v in zip(levels, values, strict=True)
    ]
    return list(masses_above(both_sides(points, points)))


@lru_cache(maxsize=64)
def _curve(source: Round, users: tuple[int, ...], fineness: Fineness | None) -> Curve:
    return Curve(_product(source, users, fineness))


def _levels(curve: Curve, step: Fraction, little: int) -> list[Fraction]:
    """Return points at which a curve is asked: to where it is at about its limit, or as many as there may be."""
    least = curve.limit * (1 + Fraction(1, 2**20)) + Fraction(1, 2**little)
    count = bisect(0, _MOST_POINTS, lambda i: curve(level_near(i * step)) <= least)
    return [level_near(i * step) for i in range(count + 1)]


class Curve:
    """The divergence of a pair by its masses, at every E."""

    def __init__(self, masses: Iterable[tuple[Fraction, Fraction]]) -> None:
        listed = list(masses)
        rising = sorted((p / q, p, q) for p, q in listed if q)
        self.limit = sum((p for p, q in listed if not q), Fraction(0))
        self._ratios = [ratio for ratio, _, _ in rising]
        first, second = self.limit, Fraction(0)
        sums = [(first, second)]
        for _, p, q in reversed(rising):
            first, second = first + p, second + q
            sums.append((first, second))
        self._sums = sums[::-1]

    def __call__(self, exp_eps: Fraction) -> Fraction:
        """Return the sum of max(0, P - E Q)."""
        first, second = self._sums[bisect_right(self._ratios, exp_eps)]
        return first - exp_eps * second

    @property
    def corners(self) -> list[Fraction]:
        """Where its slope changes."""
        return self._ratios


def _scaled(masses: Iterable[tuple[Fraction, Fraction]], weight: Fraction) -> Masses:
    return [(weight * p, weight * q) for p, q in masses]


# --- below ------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _homogeneous_pair(source: Round, fineness: Fineness) -> tuple[PolygonPair, ...]:
    """Return both orders of the views of one pair of data sets, whose other users all hold one answer per question."""
    parts = source.attendance.below(fineness.little)
    if not parts:
        return ()
    largest = max(parts, key=lambda part: part.users).users
    level = level_near(fineness.losses[0] / len(source.questions))
    chosen = [best_homogeneous(one.at(largest).amplifications(), level) for one in source.questions]
    words = f"of those who take part, {'; '.join(dict.fromkeys(one.words for one in chosen))}"
    masses: tuple[Masses, Masses] = ([], [])
    for part in parts:
        sides = tuple(_below(source, tuple(chosen), part.users, fineness, order) for order in (False, True))
        if not all(sides):
            continue
        if source.absence == COUNTED:
            both, weight = _counted_below(source, part, sides, fineness), part.weight  # type: ignore[arg-type]
        else:
            both, weight = sides, source.share * part.weight  # type: ignore[assignment]
        for order in (False, True):
            masses[order].extend(_scaled(both[order], weight))
    left = 1 - source.share if source.absence != COUNTED else Fraction(0)
    pairs = (LossPair.of([*own, (left, left)]) for own in masses)
    return tuple(PolygonPair(tuple(product_below([(one, 1)], fineness.step, fineness.little)), words) for one in pairs)


@lru_cache(maxsize=256)
def _below(
    source: Round, chosen: tuple[HomogeneousPair, ...], users: tuple[int, ...], fineness: Fineness, order: bool
) -> Masses | None:
    """Return a pair that the views of so many users of the stated data sets dominate; None where it is not known."""
    factors = Counter[tuple[Source, HomogeneousPair]]()
    for one, pair in zip(source.questions, chosen, strict=True):
        place = one.at(users)
        there = pair.beside(*place.amplifications())
        if there is None:
            return None
        factors[place, there.reversed() if order else there] += 1
    each = _of_each(source, fineness)
    listed = [(polygon_of(pair, grid(place, each)).losses(_LITTLE), times) for (place, pair), times in factors.items()]
    return product_below(listed, fineness.step, fineness.little)


def _counted_below(source: Round, part: Part, sides: tuple[Masses, Masses], fineness: Fineness) -> list[Masses]:
    """Return both orders of a pair that the round of the stated data sets dominates, with so many of the own class."""
    share = Fraction(part.least, source.sizes[source.place])
    attendance = source.attendance
    fewest = part.users if attendance.is_listed else attendance.joined(*attendance.least(fineness.little))
    above = _curve(source, fewest, replace(fineness, step=2 * fineness.step))
    largest = []
    for masses in sides:
        curve = Curve(masses)
        chosen = {_second_level(curve, above, share, level_near(z * fineness.losses[0])) for z in _LEVELS}
        largest.append(largest_polygon([_polygon(curve, share, y, (1 - share) * above(y)) for y in sorted(chosen)]))
    return [list(masses_of_polygons(*both)) for both in (largest, largest[::-1])]


def _second_level(curve: Curve, above: Curve, share: Fraction, level: Fraction) -> Fraction:
    """Return the y that gives about most at a level."""

    def value(y: Fraction) -> Fraction:
        excess = level - 1
        return share * curve(level + (1 / share - 1) * excess * y) - (1 - share) * excess * above(y)

    return max((1 + (level - 1) * further for further in _FURTHER), key=value)


def _polygon(curve: Curve, share: Fraction, y: Fraction, fall: Fraction) -> list[tuple[Fraction, Fraction]]:
    """Return corners of at most share H(x + (1/share - 1)(x - 1) y) - (x - 1) fall from x = 1 to where it is 0.

    Between two corners it is a line that falls, and beyond them it is above that: so a corner may be moved down, and to
    the left.
    """
    slope = (1 / share - 1) * y
    lowest: dict[Fraction, Fraction] = {}
    for ratio in (Fraction(1), *(ratio for ratio in curve.corners if ratio > 1)):
        x = (ratio + slope) / (1 + slope)
        value = share * curve(ratio) - (x - 1) * fall
        lowest[_below_it(x)] = _below_it(value) if value > 0 else value
    corners = list(lowest.items())
    for place, ((start, high), (stop, low)) in enumerate(pairwise(corners)):
        if low <= 0:
            end = stop if high == low else start + (stop - start) * high / (high - low)
            return [*corners[: place + 1], (end, Fraction(0))]
    last, value = corners[-1]
    return [*corners, (last + value / fall, Fraction(0))] if fall and value else corners


def _below_it(value: Fraction) -> Fraction:
    return Dyadic.below(value, _BITS).fraction()
