"""Classes of users: each runs a randomizer of its own, and who belongs to which class is public.

A replaced user stays in his class. So delta is the largest over the classes of the user who differs, of which each has
its own pairs of inputs and the same others, less him (:mod:`exactdp.privacy.amplification.class_pairs`). Classes whose
randomizer is the same serve together; classes whose messages are of another kind show a part of the view that does not
depend on him.

*Rounded e^eps0.* Where a randomizer stands for a member beside it, whose rows lie within t_j of its own in total
variation, either view of n users lies within the sum of n_j t_j, and the divergence within (1 + E) times that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import itemgetter
from typing import Any, ClassVar, Final

from exactdp.errors import UndecidedError
from exactdp.mechanisms.dataset import labelled, write_dataset
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.amplification import Amplification
from exactdp.privacy.amplification.bounds_of_pairs import Bound
from exactdp.privacy.amplification.class_bounds import LeastBound
from exactdp.privacy.amplification.class_pairs import GroupsCandidate
from exactdp.privacy.amplification.input_pairs import Candidate
from exactdp.privacy.engine import DataSet, DeltaBounds, EnclosedEngine, Engine, ExpEpsRange

_LEVEL_BITS: Final = 64

_LARGE: Final = Fraction(5, 4)
"""An E at which it is asked which class is worst, about."""


@dataclass(frozen=True)
class OneClass(Amplification):
    """Both ends where a user of one class differs."""

    place: int = 0
    """The class."""
    sizes: tuple[int, ...] = ()
    """The users of each class."""
    groups: tuple[int | None, ...] = ()
    """Which of the randomizers of ``pairs`` each class runs; None for messages of another kind."""
    labels: tuple[Any, ...] = ()
    """The inputs that data sets name, the same for each class."""
    distance: Fraction = Fraction(0)  # type: ignore[misc]  # of the class above it is that of every instance
    """What the view may be off in total variation, because e^eps0 is rounded."""

    def upper_end(self, exp_eps: Real, relative_bits: int) -> tuple[Interval, list[Bound]]:
        """Enclose the largest bound over all pairs, and return what may attain it."""
        end, attained = Amplification.upper_end(self, exp_eps, relative_bits)
        return self._moved(end, exp_eps, 1), attained

    def lower_end(self, exp_eps: Real, relative_bits: int) -> tuple[Interval, Candidate]:
        """Enclose the largest probability gap of an event, and return the data set."""
        end, best = Amplification.lower_end(self, exp_eps, relative_bits)
        return self._moved(end, exp_eps, -1), best

    def upper_bound(self, exp_eps: Fraction, relative_bits: int) -> Dyadic:
        """Return a number at least delta."""
        return min(Dyadic.of(1), Amplification.upper_bound(self, exp_eps, relative_bits))

    def _moved(self, end: Interval, exp_eps: Real, sign: int) -> Interval:
        if not self.distance:
            return end
        most = sign * self.distance * (1 + enclose_real(exp_eps, relative_bits=_LEVEL_BITS).hi)
        low, high = max(Fraction(0), end.lo + most), max(Fraction(0), end.hi + most)
        return Interval.between(low, high, bits=2 * _LEVEL_BITS)

    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> DeltaBounds:
        """Return both ends, and say which classes serve."""
        known = Amplification.enclosed(self, exp_eps, relative_bits)
        if exp_eps is None or not known.upper.upper.mantissa:
            return known
        bound = self.upper_end(exp_eps, relative_bits)[1][0]
        served = bound.serving(exp_eps) if isinstance(bound, LeastBound) else (self.groups[self.place],)
        classes = [place for place, group in enumerate(self.groups) if group is not None and group in served]
        return replace(known, theorem=f"{known.theorem}, {_by_users_of(classes)}")

    def data_sets(self, candidate: Candidate) -> tuple[DataSet, DataSet]:
        """Return the pair of data sets, with the inputs of each class one after the other."""
        own_group = self.groups[self.place]
        is_mixed = isinstance(candidate, GroupsCandidate)
        held = dict(candidate.table.others) if is_mixed else {own_group: candidate.inputs[0]}
        both = []
        for own in (candidate.table.first, candidate.table.second):
            counts = list[int]()
            for place, (size, group) in enumerate(zip(self.sizes, self.groups, strict=True)):
                each = dict.fromkeys(self.labels, 0)
                each[held.get(group, self.labels[0])] += size - (place == self.place)
                each[own] += place == self.place
                counts += each.values()
            both.append(tuple(counts))
        return both[0], both[1]

    def in_words(self, candidate: Candidate) -> str:
        """Say which pair of data sets a candidate is, and what is seen of it."""
        words = []
        for side in self.data_sets(candidate):
            wide = len(self.labels)
            each = (labelled(side[place * wide : (place + 1) * wide], self.labels) for place in range(len(self.sizes)))
            words.append("; ".join(map(write_dataset, each)))
        way = f", {candidate.way}" if candidate.way else ""
        return f"the data sets {words[0]} and {words[1]} (of class 0; 1; ...){way}"


def _by_users_of(classes: Sequence[int]) -> str:
    if not classes:
        return "by no other user"
    named = " and ".join(map(str, classes))
    return f"by the other users of class{'es' if len(classes) > 1 else ''} {named}"


@dataclass(frozen=True)
class WorstClass(EnclosedEngine):
    """Both ends over the classes of the user who differs."""

    engines: tuple[tuple[int, Engine], ...]
    """By the class."""

    name: ClassVar[str] = "amplification by classes"
    method = "takes two proved ends for each class of the user who differs, and the larger ones"
    is_bracket = True

    @property
    def ratio_bits(self) -> int:
        """A b such that every finite likelihood ratio of one user's messages is below 2**b."""
        return max(engine.ratio_bits for _, engine in self.engines)

    @property
    def usual_bits(self) -> int:
        """As of one class."""
        return min(engine.usual_bits for _, engine in self.engines)

    @property
    def theorem(self) -> str:
        """What proves the upper ends of the classes, at every E."""
        return "; ".join(dict.fromkeys(engine.theorem for _, engine in self.engines))

    @property
    def refusal(self) -> str:
        """Why exact masses are out of reach, and what to ask for."""
        return "exact masses of several classes of users are out of reach: ask for delta, epsilon and bracket."

    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> DeltaBounds:
        """Return both ends; None stands for infinity."""
        each = [(place, engine.bracket(exp_eps, relative_bits)) for place, engine in self.engines]
        lower, upper = (max(each, key=lambda one: getattr(one[1], end).upper) for end in ("lower", "upper"))
        low, high = (_largest([getattr(one, end) for _, one in each]) for end in ("lower", "upper"))
        known = lower[1]
        return DeltaBounds(
            low,
            high,
            known.first,
            known.second,
            known.pair_delta,
            f"{upper[1].theorem}, where a user of class {upper[0]} differs",
            known.is_closed and len(self.engines) == 1,
            f"{known.among or 'the pair of data sets'}, where a user of class {lower[0]} differs",
        )

    def upper(self, exp_eps: Real, relative_bits: int) -> Interval:
        """Enclose the upper end alone."""
        return _largest([engine.upper(exp_eps, relative_bits) for _, engine in self.engines])

    def lower(self, exp_eps: Real, relative_bits: int) -> Interval:
        """Enclose the lower end alone."""
        return _largest([engine.lower(exp_eps, relative_bits) for _, engine in self.engines])

    def upper_bound(self, exp_eps: Fraction, relative_bits: int) -> Dyadic:
        """Return a number at least delta; classes that a rough bound rules out are not looked at."""
        rough = [(engine.rough_upper_bound(exp_eps), engine) for _, engine in self.engines]
        most = Dyadic.of(0)
        for bound, engine in sorted(rough, key=itemgetter(0), reverse=True):
            if bound > most:
                most = max(most, engine.upper_bound(exp_eps, relative_bits))
        return most

    def rough_upper_bound(self, exp_eps: Fraction) -> Dyadic:
        """Return a number at least delta, for what only chooses."""
        return max(engine.rough_upper_bound(exp_eps) for _, engine in self.engines)

    def exp_eps_range(self, target: Fraction, relative_bits: int | None = None) -> ExpEpsRange:
        """Return two numbers with e^eps at a target delta between them.

        Raises:
            UndecidedError: where only the upper end of a class is above the target at every E, and no lower end is.
        """
        ranges, undecided, bits = list[ExpEpsRange](), list[UndecidedError](), relative_bits or self.usual_bits
        for _, engine in sorted(self.engines, key=lambda one: one[1].rough_upper_bound(_LARGE), reverse=True):
            highest = max((one.high for one in ranges if one.high is not None), default=None)
            if highest is not None and target and engine.upper(Real(highest), bits).compare(target) in (-1, 0):
                continue  # of this class eps is not larger
            try:
                found = engine.exp_eps_range(target, relative_bits)
                assert found is not None
                ranges.append(found)
            except UndecidedError as error:
                undecided.append(error)
        if any(one.high is None for one in ranges):
            return ExpEpsRange(max(one.low for one in ranges), None)
        if undecided:
            raise undecided[0]
        return ExpEpsRange(max(one.low for one in ranges), max(one.high for one in ranges if one.high is not None))


def _largest(ends: Sequence[Interval]) -> Interval:
    return Interval(max(end.lower for end in ends), max(end.upper for end in ends))
