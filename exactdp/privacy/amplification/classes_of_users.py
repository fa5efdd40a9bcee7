"""Classes of users: each runs a randomizer of its own, and who belongs to which class is public.

A replaced user stays in his class. So delta is the largest over the classes of the user who differs, of which each has
its own pairs of inputs and the same others, less him (below). Classes whose randomizer is the same serve together;
classes whose messages are of another kind show a part of the view that does not depend on him.

*Rounded e^eps0.* Where a randomizer stands for a member beside it, whose rows lie within t_j of its own in total
variation, either view of n users lies within the sum of n_j t_j, and the divergence within (1 + E) times that.

The pairs of inputs of a user whose class is public, where other classes of users run other randomizers
-------------------------------------------------------------------------------------------------------

*Upper ends*: :mod:`exactdp.privacy.amplification.class_bounds`.

*Lower ends.* The others of each class all hold one input, one for each class. Messages get integer scores, about in
proportion to (P - E Q)/R, R the mean of the rows of all others, and the event is that all scores add up to at least a
threshold: an event of the view, so that it is a lower end however the scores are chosen
(:mod:`exactdp.privacy.amplification.score_event`).

*What is seen.* Messages of another kind are nobody's of this class: such classes neither help nor tell. Where a family
is known by a coarser view only (unary encodings of different noise), upper ends are those of the own class alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from heapq import nlargest
from itertools import chain, product
from operator import itemgetter
from typing import Any, ClassVar, Final, TypeAlias

from exactdp.caching import cached_property
from exactdp.errors import UndecidedError
from exactdp.mechanisms.dataset import labelled, write_dataset
from exactdp.mechanisms.family import UserRandomizer
from exactdp.mechanisms.joint_classes import JointTable, joint_tables
from exactdp.mechanisms.pair_table import PairTable
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.balls import compare_reals, enclose_real
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.amplification import Amplification
from exactdp.privacy.amplification.bounds_of_pairs import Majorant, log_size
from exactdp.privacy.amplification.class_bounds import LeastBound, bounds_of_numbers, least_bound, lone_bounds
from exactdp.privacy.amplification.guesses import excess_scores, guess_threshold, message_scores, of_size
from exactdp.privacy.amplification.input_pairs import Candidate, InputPairs
from exactdp.privacy.amplification.positive_part import mixture_of
from exactdp.privacy.amplification.score_event import GroupsEvent, ScoreLaw, coarse_scores, law_of_scores
from exactdp.privacy.engine import Bound, DataSet, EnclosedEngine, Engine, ExpEpsRange, Level

_MOST_SCORE: Final = 64
"""The largest score: a finer one changes little, and each costs as much at each node."""

OwnScores: TypeAlias = tuple[tuple[int, Fraction, Fraction], ...]
"""Scores of the user who differs, with their probabilities under his two inputs."""

_FINER: Final = 16
"""Thresholds are chosen to a hundredth of a standard deviation: to a thousandth of a percent in eps."""

_CANDIDATES: Final = 4
"""So many data sets are enclosed to find the best."""

_MOST_RANKED: Final = 512
"""Of more choices of one input for each randomizer only those with one and the same are ranked."""


@dataclass(frozen=True, slots=True)
class GroupsCandidate(Candidate):
    """A pair of inputs beside others of whom all of a class hold one input.

    ``table`` has the rows of the randomizers at these inputs as ``others``; ``mixture`` is the divergence beside others
    who draw their class, which only chooses.
    """

    counts: tuple[int, ...]
    """How many others run each randomizer."""

    is_attained: ClassVar[bool] = False
    has_divergences: ClassVar[bool] = False
    way: ClassVar[str] = "by an event of a sum of message scores"

    @classmethod
    def holding(cls, table: PairTable, counts: Sequence[int]) -> GroupsCandidate:
        """Return the candidate of a table of the rows that the others have."""
        users = sum(counts)
        weights = tuple(Fraction(count, users) for count in counts)
        rows = ((c.first, c.second, _mean(c.others, weights)) for c in table.classes)
        merged = PairTable.merged(table.first, table.second, (), rows)
        mixture = mixture_of((c.first, c.second, c.least) for c in merged.classes)
        return cls(table, weights, mixture, tuple(counts))

    def at(self, users: int, exp_eps: Real) -> GroupsEvent:
        """Return the event that tells most, about, at an E."""
        classes = self.table.classes
        means = [_mean(c.others, self.weights) for c in classes]
        common = [place for place, mean in enumerate(means) if mean]
        found = excess_scores([(classes[m].first, classes[m].second, means[m]) for m in common], exp_eps, _MOST_SCORE)
        scores = dict(zip(common, found, strict=True))
        for place, c in enumerate(classes):  # what no other user sends tells most
            scores.setdefault(place, _MOST_SCORE if c.first > c.second else -_MOST_SCORE)
        scores = coarse_scores(scores, 1)
        laws = [
            law_of_scores((scores[m], c.others[group]) for m, c in enumerate(classes))
            for group in range(len(self.counts))
        ]
        first = law_of_scores((scores[m], c.first) for m, c in enumerate(classes))
        second = law_of_scores((scores[m], c.second) for m, c in enumerate(classes))
        return self._event(_own_scores(first, second), laws, exp_eps)

    def _event(self, own: OwnScores, laws: Sequence[ScoreLaw], exp_eps: Real) -> GroupsEvent:
        """Return the event of scores at about the best threshold."""
        mean = law_of_scores(
            (score, weight * p) for weight, law in zip(self.weights, laws, strict=True) for score, p in law.items()
        )
        threshold = guess_threshold(own, tuple(mean.items()), sum(self.counts) + 1, exp_eps, _FINER)
        groups = tuple((count, tuple(law.items())) for count, law in zip(self.counts, laws, strict=True) if count)
        return GroupsEvent(own, tuple(mean.items()), threshold, groups)

    def beside(self, pairs: InputPairs) -> GroupsCandidate | None:
        """Return the candidate with as many others of each as ``pairs`` says; None where these are others."""
        counts = pairs.others_of_each
        if counts is None or len(counts) != len(self.counts):
            return None
        return replace(self, weights=GroupsCandidate.holding(self.table, counts).weights, counts=counts)

    def swapped(self) -> GroupsCandidate:
        """Return the candidate with the two inputs of the user who differs exchanged."""
        return GroupsCandidate.holding(self.table.swapped(), self.counts)


@dataclass(frozen=True, slots=True)
class MessagesCandidate(GroupsCandidate):
    """The same where users send several messages, whose bundles are not seen: the scores are those of messages."""

    own: OwnScores
    laws: tuple[ScoreLaw, ...]
    """The score of a bundle of each randomizer of the others."""

    def at(self, users: int, exp_eps: Real) -> GroupsEvent:
        """Return the event that tells most, about, at an E."""
        return self._event(self.own, self.laws, exp_eps)

    def swapped(self) -> MessagesCandidate:
        """Return the candidate with the two inputs exchanged: what scores low tells, so scores change their sign."""
        plain = GroupsCandidate.holding(self.table.swapped(), self.counts)
        own = tuple((-score, q, p) for score, p, q in self.own)
        laws = tuple({-score: p for score, p in law.items()} for law in self.laws)
        return MessagesCandidate(plain.table, plain.weights, plain.mixture, plain.counts, own, laws)


def _own_scores(first: ScoreLaw, second: ScoreLaw) -> OwnScores:
    zero = Fraction(0)
    return tuple((score, first.get(score, zero), second.get(score, zero)) for score in sorted({*first, *second}))


def _mean(row: Sequence[Fraction], weights: Sequence[Fraction]) -> Fraction:
    return sum((weight * p for weight, p in zip(weights, row, strict=True)), Fraction(0))


def _labelled_row(table: Randomizer, label: Any) -> list[tuple[list[Any], Fraction]]:
    """Return the messages of each bundle by their labels, which tables may share, and its probability."""
    row = table.rows[table.inputs.index(label)]
    return [([table.alphabet[message] for message in send], p) for send, p in row]


def _mean_counts(row: Sequence[tuple[Sequence[Any], Fraction]]) -> defaultdict[Any, Fraction]:
    """Message -> its mean number in a bundle."""
    counts: defaultdict[Any, Fraction] = defaultdict(Fraction)
    for send, p in row:
        for message in send:
            counts[message] += p
    return counts


@dataclass(frozen=True)
class GroupPairs(InputPairs):
    """The pairs of a user of one of several randomizers, all with rational probabilities and of one kind."""

    randomizers: tuple[UserRandomizer, ...]
    own: int
    """Which of them the user who differs runs."""
    others: tuple[int, ...]
    """How many others run each."""

    reaches_local_epsilon = False

    @property
    def others_of_each(self) -> tuple[int, ...]:
        """How many others run each randomizer."""
        return self.others

    @cached_property
    def labels(self) -> tuple[Any, ...]:
        """The inputs named."""
        each = ((one.table.first, one.table.second, *one.inputs) for one in self._joint)
        return tuple(dict.fromkeys(chain(*each)))

    @cached_property
    def _joint(self) -> list[JointTable]:
        """A table of each kind of ordered pair."""
        return list({one.kind: one for one in reversed(joint_tables(self.randomizers, self.own))}.values())[::-1]

    @property
    def swap(self) -> str:
        """What proves the swap bounds."""
        return "the swap bounds of classes of users (proved in exactdp.privacy.amplification.class_bounds)"

    @property
    def apart(self) -> Fraction:
        """How far in total variation each row may be off."""
        return max(one.apart for one in self._joint)

    @cached_property
    def local_epsilons(self) -> tuple[LogRational, LogRational]:
        """The local eps of the own randomizer, twice."""
        eps = self.randomizers[self.own].at_least(_LEVEL_BITS).local_epsilon()
        assert isinstance(eps, LogRational)
        return eps, eps

    @cached_property
    def blankets(self) -> tuple[LeastBound, ...]:
        """What bounds the divergence of each ordered pair."""
        return self._bounds(Real(1))

    def bounds_at(self, users: int, exp_eps: Real) -> tuple[LeastBound, ...]:
        """Return what bounds them at E, where real numbers have other spreads at each."""
        return self._bounds(exp_eps) if self.randomizers[self.own].density else self.blankets

    def blankets_at(self, users: int, exp_eps: Real) -> tuple[LeastBound, ...]:
        """Return the same."""
        return self.bounds_at(users, exp_eps)

    def _bounds(self, exp_eps: Real) -> tuple[LeastBound, ...]:
        if not self._joint[0].is_whole:
            return bounds_of_numbers(self.randomizers, self.own, self.others, exp_eps) or lone_bounds(
                self.randomizers[self.own], self.own, self.others[self.own]
            )
        return tuple(dict.fromkeys(least_bound(one, self.own, self.others) for one in self._joint))

    @cached_property
    def _homogeneous(self) -> tuple[GroupsCandidate, ...]:
        return tuple(candidate for joint in self._joint for candidate in self._of_pair(joint))

    def _of_pair(self, joint: JointTable) -> Iterator[GroupsCandidate]:
        groups, places = range(len(self.randomizers)), range(len(joint.inputs))
        chosen: Any = product(places, repeat=len(groups))
        if len(places) ** len(groups) > _MOST_RANKED:
            chosen = ((place,) * len(groups) for place in places)
        for held in chosen:
            rows = (
                (c.first, c.second, Fraction(0), *(joint.row(c, group, held[group]) for group in groups))
                for c in joint.table.classes
            )
            names = [(group, joint.inputs[held[group]]) for group in groups]
            table = PairTable.merged(joint.table.first, joint.table.second, names, rows)
            seen = GroupsCandidate.holding(table, self.others)
            yield seen if self.shows_bundles else self._by_messages(seen)

    @cached_property
    def shows_bundles(self) -> bool:
        """Whether the view shows all bundles, because none has two messages."""
        return all(len(send) <= 1 for table in self._tables for row in table.rows for send, _ in row)

    @cached_property
    def _tables(self) -> list[Randomizer]:
        """The tables; none where one is too large, which is compared by single messages."""
        families = (one.family for one in self.randomizers)
        if any(family is not None and not family.has_small_table for family in families):
            return []
        return [one.tabulated for one in self.randomizers]

    def _by_messages(self, seen: GroupsCandidate) -> MessagesCandidate:
        """Return a candidate with scores of messages in place of those of bundles."""
        rows = [_labelled_row(self._tables[self.own], label) for label in (seen.table.first, seen.table.second)]
        others = [_labelled_row(self._tables[group], label) for group, label in seen.table.others]
        counts = [_mean_counts(row) for row in (*rows, *others)]
        messages = dict.fromkeys(chain(*counts))
        scores = message_scores(
            {m: (counts[0][m], counts[1][m], _mean([c[m] for c in counts[2:]], seen.weights)) for m in messages}
        )
        first, second, *laws = (
            law_of_scores((sum(scores[m] for m in send), p) for send, p in row) for row in (*rows, *others)
        )
        whole = seen.table, seen.weights, seen.mixture, seen.counts
        return MessagesCandidate(*whole, _own_scores(first, second), tuple(laws))

    def candidates(self, users: int, size: int) -> Sequence[GroupsCandidate]:
        """Return the data sets that floats like best."""
        level, copies = of_size(size), sum(self.others) + 1
        return nlargest(_CANDIDATES, self._homogeneous, lambda one: log_size(one.mixture, copies, level))


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

    def upper_end(self, exp_eps: Real, relative_bits: int) -> tuple[Interval, list[Majorant]]:
        """Enclose the largest bound over all pairs, and return what may attain it."""
        end, attained = Amplification.upper_end(self, exp_eps, relative_bits)
        if not end.hi:
            most = self.pairs.local_epsilons[1]
            if not most.is_infinite and compare_reals(exp_eps, most.argument) >= 0:
                return end, attained  # a member with a larger e^eps0 tells nothing at this E
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

    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> Bound[Interval]:
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
    refusal = "exact masses of several classes of users are out of reach: ask for delta, epsilon and bracket."
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

    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> Bound[Interval]:
        """Return both ends; None stands for infinity."""
        each = [(place, engine.bracket(exp_eps, relative_bits)) for place, engine in self.engines]
        lower, upper = (max(each, key=lambda one: getattr(one[1], end).upper) for end in ("lower", "upper"))
        low, high = (_largest([getattr(one, end) for _, one in each]) for end in ("lower", "upper"))
        known = lower[1]
        return Bound(
            low,
            high,
            known.pair,
            f"{upper[1].theorem}, where a user of class {upper[0]} differs",
            known.level if len(self.engines) == 1 else Level.TWO_ENDS,
            known.pair_delta,
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
