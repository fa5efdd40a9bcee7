"""What a deployment gives away: every round a mechanism, all rounds composed, for each class of people.

A round of one question, or of all its questions answered in one message, is a shuffled randomizer, with its own
engine. Questions that are shuffled each by itself compose where everybody takes part; where people toss a coin, it is
the same for all of them (:mod:`exactdp.privacy.composition.rounds`). Rounds compose adaptively: later ones may depend
on what was seen. A person stays in his class, which is public; the whole is what is worst over the classes.

*Units.* Where all that one person ever sends is replaced, all rounds count. Where what he sends in one round is, that
round counts alone: what comes after is a function of it and of chance, and what comes before does not depend on it. So
the largest of one round of each release counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import prod
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

from exactdp.caching import cached_property
from exactdp.errors import InvalidValueError
from exactdp.mechanisms.absence_family import COUNTED, LISTED
from exactdp.mechanisms.dataset import Neighbors
from exactdp.mechanisms.family import UserRandomizer
from exactdp.mechanisms.product_family import product, product_of
from exactdp.numbers.epsilon import LogRational, PrivacyLevel
from exactdp.numbers.exact import Exact, as_probability
from exactdp.numbers.interval import Interval
from exactdp.privacy.attained import Bracket
from exactdp.privacy.composition.bracket import DEFAULT_RELATIVE_WIDTH
from exactdp.privacy.composition.composed import ComposedProfile, delta_beside, epsilon_beside
from exactdp.privacy.composition.rounds import Asked, Round, ShuffledQuestion
from exactdp.privacy.planner import Source
from exactdp.privacy.profile import PrivacyProfile
from exactdp.progress import Progress, progress_callback, report_progress
from exactdp.protocols.aggregated.aggregate_protocol import aggregate
from exactdp.protocols.protocol import ShuffleProtocol
from exactdp.studies.deployment.deployment import (
    ALWAYS,
    PERSON,
    SUMS,
    TOGETHER,
    Deployment,
    Question,
    Release,
    WholeProtocol,
)

_FOR_WORDS: Final = Fraction(1, 4)
"""So narrow a bracket of delta says what attains it."""
_SMALL_PRODUCT: Final = 2**10
"""Most entries of a table of all answers together beside which separate questions are looked at."""


Painter: TypeAlias = Callable[..., str]
"""Paints a page from an audit, its answer as data, and how eps grows with the rounds."""
Profile: TypeAlias = "PrivacyProfile | ComposedProfile | WorstProfile"


@dataclass(frozen=True, slots=True)
class WorstProfile:
    """The largest delta at every eps of several profiles: of the classes, or of the rounds of different releases.

    >>> from exactdp import ShuffleProtocol, randomized_response
    >>> few, many = (ShuffleProtocol(randomized_response(2, exp_eps0=3), n).privacy_profile() for n in (10, 100))
    >>> WorstProfile((few, many)).delta(exp_eps=2) == few.delta(exp_eps=2)
    True
    """

    profiles: tuple[Profile, ...]

    def delta(self, *, eps: Exact | LogRational | None = None, exp_eps: Exact | None = None) -> Fraction | Interval:
        """Return the least delta at an eps, as those of the profiles are: a Fraction, or two proved ends."""
        return _largest([one.delta(**_level(eps, exp_eps)) for one in self.profiles])

    def bracket(
        self,
        *,
        eps: Exact | LogRational | None = None,
        exp_eps: Exact | None = None,
        relative_width: Exact | None = None,
    ) -> Bracket:
        """Return both proved ends of delta at an eps: of the profile with the largest upper end.

        ``relative_width`` is that of runs whose delta is only bracketed.
        """
        level = _level(eps, exp_eps)
        found = [
            one.bracket(**level)
            if isinstance(one, PrivacyProfile)
            else one.bracket(**level, relative_width=relative_width)
            for one in self.profiles
        ]
        worst = max(found, key=lambda one: _ends(one.upper).upper)
        lower = max(found, key=lambda one: _ends(one.lower).lower)
        return Bracket(lower.lower, worst.upper, lower.attained_by, worst.theorem, worst.is_closed and lower is worst)

    def delta_beside(self, eps: Fraction, target: Fraction) -> Interval:
        """Return both ends of delta at an eps, as narrow as the order of delta to a target asks for."""
        level, ends = PrivacyLevel(None, eps), []
        for done, one in enumerate(self.profiles, start=1):
            if isinstance(one, ComposedProfile):
                ends.append(delta_beside(one, level, target, DEFAULT_RELATIVE_WIDTH))
            elif isinstance(one, WorstProfile):
                ends.append(one.delta_beside(eps, target))
            else:
                ends.append(_ends(one.delta(eps=eps)))
            if ends[-1].lower.compare(target) > 0:
                break  # what the others give away changes nothing
            report_progress(done, len(self.profiles))
        return reduce(Interval.maximum, ends)

    def epsilon(self, delta: Exact) -> LogRational | Interval:
        """Return the least eps at a delta: a LogRational, or two proved ends."""
        found = []
        for done, one in enumerate(self.profiles, start=1):
            found.append(one.epsilon(delta))
            report_progress(done, len(self.profiles))
        return _largest_eps(found)


@dataclass(frozen=True)
class Part:
    """What a part of a deployment gives away at a delta: a release, a question, or a class of people."""

    name: str
    profile: WorstProfile
    delta: Fraction
    progress: Progress | None = field(default=None, compare=False, repr=False)

    @cached_property
    def epsilon(self) -> LogRational | Interval:
        """The least eps at the delta."""
        with nullcontext() if self.progress is None else progress_callback(self.progress):
            return self.profile.epsilon(self.delta)

    def after(self, share: Fraction) -> LogRational | Interval:
        """Return the least eps at the delta after a share of the rounds, of one that is composed of them."""
        parts = [one for one in self.profile.profiles if isinstance(one, ComposedProfile)]
        with nullcontext() if self.progress is None else progress_callback(self.progress):
            return _largest_eps([epsilon_beside(one, self.delta, self.epsilon, share) for one in parts])

    @cached_property
    def _bracket(self) -> Bracket | None:
        level = self.epsilon.hi if isinstance(self.epsilon, Interval) else self.epsilon
        if isinstance(level, LogRational) and level.is_infinite:
            return None
        with nullcontext() if self.progress is None else progress_callback(self.progress):
            return self.profile.bracket(eps=level, relative_width=_FOR_WORDS)

    @property
    def attained_by(self) -> str:
        """Which data sets attain the lower end, in words."""
        attained = None if self._bracket is None else self._bracket.attained_by
        if attained is None:
            return ""
        return attained if isinstance(attained, str) else f"{attained.first} and {attained.second}"

    @property
    def theorem(self) -> str:
        """What proves the upper end."""
        return "" if self._bracket is None else self._bracket.theorem


@dataclass(frozen=True)
class Audit:
    """What the whole of a deployment gives away, and each of its parts, at a delta.

    Made by ``Deployment.audit``. Everything is computed when it is read.

    Args:
        deployment: what is deployed.
        delta: of the whole.
        progress: a callback for finished pieces of work.
    """

    deployment: Deployment
    delta: Fraction
    progress: Progress | None = field(default=None, compare=False, repr=False)

    @property
    def users(self) -> tuple[int, ...]:
        """How many people of each class are counted on."""
        return tuple(one.users for one in self.deployment.classes)

    @cached_property
    def whole(self) -> Part:
        """The whole, as a part."""
        profiles = [self._of_class(place) for place in self._places]
        return self._part(self.deployment.name, profiles)

    @property
    def profile(self) -> WorstProfile:
        """Both ends of delta at every eps, for the worst class."""
        return self.whole.profile

    @property
    def epsilon(self) -> LogRational | Interval:
        """The least eps of the whole at the delta."""
        return self.whole.epsilon

    @property
    def attained_by(self) -> str:
        """Which data sets attain the lower end, in words."""
        return self.whole.attained_by

    @property
    def theorem(self) -> str:
        """What proves the upper end."""
        return self.whole.theorem

    @property
    def budget_holds(self) -> bool | None:
        """Whether eps is within the budget; None where the ends leave it open, or there is none."""
        budget = self.deployment.budget
        return None if budget is None else is_within(self.epsilon, budget)

    @property
    def delta_at_budget(self) -> Interval:
        """Both ends of delta at the eps of the budget, as narrow as the order of that to the delta asks for."""
        if self.deployment.budget is None:
            raise InvalidValueError('the deployment has no budget. Add [budget] with eps = "1".')
        return self.profile.delta_beside(self.deployment.budget, self.delta)

    @cached_property
    def promises_hold(self) -> tuple[bool | None, ...]:
        """Of each release whether what is promised for it holds; None where it is open, or there is none."""
        made = [one.eps for one in self.deployment.releases]
        return tuple(
            None if eps is None else is_within(part.epsilon, eps) for part, eps in zip(self.releases, made, strict=True)
        )

    @cached_property
    def classes(self) -> tuple[Part, ...]:
        """What the whole gives away of people of each class."""
        parts = {place: self._part("", [self._of_class(place)]) for place in self._places}
        names = [one.name for one in self.deployment.classes]
        first = self._first_of_each
        return tuple(
            Part(name, parts[at].profile, self.delta, self.progress) for name, at in zip(names, first, strict=True)
        )

    @cached_property
    def releases(self) -> tuple[Part, ...]:
        """What all rounds of each release give away, or one where what one round sends is replaced."""
        return tuple(self._of_releases(one.name, [one]) for one in self.deployment.releases)

    @cached_property
    def questions(self) -> tuple[Part, ...]:
        """What one round of each question gives away by itself."""
        parts = []
        for one in self.deployment.questions:
            release = Release((one.name,), SUMS if self.deployment.mixing(one.name) == SUMS else "separate")
            parts.append(self._of_releases(one.name, [release]))
        return tuple(parts)

    def curve(self, deltas: Sequence[Exact]) -> list[tuple[Fraction, LogRational | Interval]]:
        """Return the least eps of the whole at each of some deltas."""
        found = []
        for done, one in enumerate(deltas, start=1):
            delta = as_probability(one, name="delta")
            found.append((delta, self.epsilon if delta == self.delta else self.profile.epsilon(delta)))
            report_progress(done, len(deltas))
        return found

    def save(
        self, folder: str | Path, *, page: Callable[..., str] | None = None, progress: Progress | None = None
    ) -> Any:
        """Write the certificates of everything that claims can state, the answer and a page into a new folder."""
        from exactdp.studies.deployment.folder import save

        return save(self, folder, page=page, progress=progress)

    # --- mechanisms ---------------------------------------------------------------------------------------------------

    @cached_property
    def _first_of_each(self) -> list[int]:
        """For each class the first that runs the same for all questions: what is known of one holds for the other."""
        runs = list(zip(*(one.randomizers for one in self.deployment.questions), strict=True))
        return [runs.index(one) for one in runs]

    @property
    def _places(self) -> list[int]:
        return sorted(set(self._first_of_each))

    def _part(self, name: str, profiles: Sequence[Profile]) -> Part:
        return Part(name, WorstProfile(tuple(dict.fromkeys(profiles))), self.delta, self.progress)

    def _of_releases(self, name: str, releases: Sequence[Release]) -> Part:
        return self._part(name, [self._profile(releases, place) for place in self._places])

    def _of_class(self, place: int) -> Profile:
        return self._profile(self.deployment.releases, place)

    def _profile(self, releases: Sequence[Release], place: int) -> Profile:
        """Return what releases give away of people of one class."""
        if self.deployment.unit != PERSON:
            rounds = [_composed([(source, 1) for source in self._sources(one, place)]) for one in releases]
            distinct = tuple(dict.fromkeys(rounds))
            return distinct[0] if len(distinct) == 1 else WorstProfile(distinct)
        return _composed([(source, one.times) for one in releases for source in self._sources(one, place)])

    def _sources(self, release: Release, place: int) -> list[Source]:
        """Return what is composed in one round of a release, where a person of one class differs."""
        questions = [self.deployment.question(name) for name in release.questions]
        way = self.deployment.participation
        is_certain = way.model == ALWAYS or way.probability == 1
        if release.shuffling == SUMS:
            summed = [SummedQuestion(one.randomizers[0], one.dummy) for one in questions]
            if is_certain:
                return [one.at(self.users, self.deployment.neighbors) for one in summed]
            return [self._round_of_sums(summed)]
        if release.shuffling == TOGETHER or len(questions) == 1:
            return [self._shuffled(_joined(questions), place)]
        if is_certain:
            return [self._shuffled(one, place) for one in questions]
        return [self._round(questions, place)]

    def _shuffled(self, question: Question, place: int) -> Source:
        """Return one shuffled question of one round."""
        if isinstance(whole := question.randomizers[place], WholeProtocol):
            source: Source = whole.at(sum(self.users)).privacy_profile().source
            return source
        way, classes = self.deployment.participation, self._classes(question.randomizers)
        at = [runs for runs, _ in classes].index(question.randomizers[place])
        if way.model == LISTED and way.probability < 1 and len(classes) > 1:
            return self._round([question], place)
        away: dict[str, Any] = {}
        if way.model != ALWAYS:
            away = {"participation": way.probability, "absence": way.model, "dummy": question.dummy}
        if len(classes) == 1:
            return ShuffleProtocol(*classes[0], **away).privacy_profile().source
        return ShuffleProtocol(classes, **away).privacy_profile(user_class=at).source

    def _round_of_sums(self, summed: Sequence[SummedQuestion]) -> Round:
        """Return a round of questions of which only sums are seen: from below, one column of each."""
        way, users = self.deployment.participation, sum(self.users)
        alone = []
        for one in summed:
            column = ShuffleProtocol(
                one.column, users, participation=way.probability, absence=way.model, dummy=one.dummy
            )
            alone.append(column.privacy_profile().source)
        return Round(tuple(summed), (users,), 0, way.probability, way.model, tuple(alone))

    def _classes(self, runs: Sequence[Any]) -> tuple[tuple[Any, int], ...]:
        """Return what people run, and how many run it."""
        users = dict.fromkeys(runs, 0)
        for one, n in zip(runs, self.users, strict=True):
            users[one] += n
        return tuple(users.items())

    def _round(self, questions: Sequence[Question], place: int) -> Round:
        """Return a round of questions, each shuffled by itself, whose people toss one coin."""
        way = self.deployment.participation
        runs = list(zip(*(one.randomizers for one in questions), strict=True))
        classes = self._classes(runs)
        at = [one for one, _ in classes].index(runs[place])
        asked = tuple(
            ShuffledQuestion(tuple(randomizers), at) for randomizers in zip(*(one for one, _ in classes), strict=True)
        )
        alone = () if way.model == LISTED else tuple(self._shuffled(one, place) for one in questions)
        together = self._shuffled(_joined(questions), place) if way.model == COUNTED and _is_small(questions) else None
        return Round(asked, tuple(n for _, n in classes), at, way.probability, way.model, alone, together)


@dataclass(frozen=True, slots=True)
class SummedQuestion(Asked):
    """A question of whose answers only the sums are seen, of people who all run the same."""

    randomizer: UserRandomizer
    dummy: Any = None

    has_homogeneous_pair = False
    tells_classes = False

    def at(self, users: tuple[int, ...], neighbors: Neighbors = Neighbors.REPLACE_ONE) -> Source:
        """Return the pairs of sums of so many users who take part."""
        return aggregate(self.randomizer, sum(users)).privacy_profile(neighbors=neighbors).source

    @property
    def column(self) -> UserRandomizer:
        """What one user sends of one column; all of it, where the sums are the histogram."""
        whole: Any = aggregate(self.randomizer, 1)
        return cast("UserRandomizer", getattr(whole, "column", whole).randomizer)


def is_within(epsilon: LogRational | Interval, budget: Fraction) -> bool | None:
    """Whether an eps is at most a budget; None where its ends leave that open."""
    if isinstance(epsilon, LogRational):
        if epsilon.is_infinite:
            return False
        epsilon = epsilon.enclose(relative_bits=128)
    return True if epsilon.hi <= budget else None if epsilon.lo <= budget else False


def _joined(questions: Sequence[Question]) -> Question:
    """Return questions answered in one message."""
    if len(questions) == 1:
        return questions[0]
    dummies = tuple(one.dummy for one in questions)
    make = product if None in dummies else lambda *factors: product_of(factors)
    joined = tuple(make(*each) for each in zip(*(one.randomizers for one in questions), strict=True))
    specs = tuple("product" for _ in joined)
    return Question(" and ".join(one.name for one in questions), specs, joined, None if None in dummies else dummies)


def _is_small(questions: Sequence[Question]) -> bool:
    """Whether the table of all answers together is small, in every class."""
    return all(
        prod(_entries(one) for one in each) <= _SMALL_PRODUCT
        for each in zip(*(one.randomizers for one in questions), strict=True)
    )


def _entries(randomizer: UserRandomizer) -> int:
    table = randomizer.listed()
    return _SMALL_PRODUCT + 1 if table is None else len(table.inputs) * len(table.alphabet)


def _composed(parts: Sequence[tuple[Source, int]]) -> PrivacyProfile | ComposedProfile:
    if len(parts) == 1 and parts[0][1] == 1 and not isinstance(parts[0][0], Round):
        return PrivacyProfile(parts[0][0])
    return ComposedProfile(tuple(parts))


def _level(eps: Any, exp_eps: Any) -> dict[str, Any]:
    return {name: value for name, value in (("eps", eps), ("exp_eps", exp_eps)) if value is not None}


def _ends(value: Fraction | Interval) -> Interval:
    return value if isinstance(value, Interval) else Interval.around(value, relative_bits=64)


def _largest(found: Sequence[Fraction | Interval]) -> Fraction | Interval:
    exact = [one for one in found if isinstance(one, Fraction)]
    if len(exact) == len(found):
        return max(exact)
    ends = [_ends(one) for one in found]
    return Interval(max(one.lower for one in ends), max(one.upper for one in ends))


def _largest_eps(found: Sequence[LogRational | Interval]) -> LogRational | Interval:
    known = [one for one in found if isinstance(one, LogRational)]
    if len(known) == len(found) or any(one.is_infinite for one in known):
        return max(known)
    intervals = [one.enclose(relative_bits=64) if isinstance(one, LogRational) else one for one in found]
    return Interval(max(one.lower for one in intervals), max(one.upper for one in intervals))
