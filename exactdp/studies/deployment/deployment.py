"""What is deployed, as data: classes of people, who takes part, questions, and what is released how often.

Who belongs to which class is public. In a round each person tosses one coin for taking part, which all questions of the
round share; rounds are independent of each other. The same people are asked in every round, their answers may change,
and later rounds may depend on what was seen.

A question is a randomizer that each person runs, or a whole protocol with a view of its own.

``Deployment`` says nothing about privacy: :meth:`Deployment.audit` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import floor
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final

from exactdp.errors import InvalidValueError, TooLargeError, meant
from exactdp.mechanisms.absence_family import COUNTED, HIDDEN, LISTED, Absence
from exactdp.mechanisms.dataset import Neighbors
from exactdp.mechanisms.family import UserRandomizer
from exactdp.numbers.exact import Exact, as_fraction, as_integer, as_probability
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields

if TYPE_CHECKING:
    from exactdp.progress import Progress

ALWAYS: Final = "always"
MODELS: Final = (ALWAYS, COUNTED, LISTED, HIDDEN)
"""Who takes part: everybody, or by a coin of which something is seen."""

PERSON: Final = "person"
ROUND: Final = "round"
UNITS: Final = (PERSON, ROUND)
"""What is replaced: all that one person ever sends, or what he sends in one round."""

NEIGHBORS: Final = (Neighbors.REPLACE_ONE.value, Neighbors.REPLACE_BY_ZEROS.value)
"""What is put in its place: anything, or of sums zeros."""

SEPARATE: Final = "separate"
TOGETHER: Final = "together"
SUMS: Final = "sums"
SHUFFLINGS: Final = (SEPARATE, TOGETHER, SUMS)
"""Each question shuffled by itself, all in one message, or each as sums."""

_MOST_NAMED: Final = 64
"""Most classes, questions and releases."""
_MOST_LETTERS: Final = 100
"""Longest name."""
_MOST_ROUNDS: Final = 10**6
"""Most rounds of one release."""
_MOST_INPUTS: Final = 10**6
"""Most inputs that are compared one by one."""


@dataclass(frozen=True, slots=True)
class UserClass:
    """People who run the same client, and the share of them who follow the protocol.

    >>> UserClass("v1", 200_001, Fraction(19, 20)).users
    190000
    """

    name: str
    n: int
    honest: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        set_fields(
            self,
            name=_name(self.name, "a class"),
            n=as_integer(self.n, name="n", at_least=1),
            honest=as_probability(self.honest, name="honest"),
        )
        if self.users < 1:
            raise InvalidValueError(
                f"honest={short(self.honest)} of n={short(self.n)} is nobody to count on. Give more people, or a "
                "larger share."
            )

    @property
    def users(self) -> int:
        """How many people are counted on: n times honest, rounded down."""
        return floor(self.n * self.honest)


@dataclass(frozen=True, slots=True)
class Participation:
    """Who takes part in a round: always, or by a coin for each person and round, and what is seen of it."""

    model: str
    probability: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        _one_of(self.model, MODELS, "model")
        set_fields(self, probability=as_probability(self.probability, name="probability"))
        if not self.probability:
            raise InvalidValueError("probability=0 leaves nobody who takes part. Give a probability above 0.")
        if self.model == ALWAYS and self.probability < 1:
            raise InvalidValueError(
                f"probability={short(self.probability)} beside model={ALWAYS}, where everybody takes part. Leave it "
                f"out, or choose {COUNTED}, {LISTED} or {HIDDEN}."
            )


@dataclass(frozen=True, slots=True)
class WholeProtocol:
    """A named protocol of all people together, whose view is not that of a shuffled randomizer.

    >>> WholeProtocol("sample-and-threshold:rate=1/8,threshold=20").at(1000)
    SampleAndThreshold(n=1000, rate=Fraction(1, 8), threshold=20, symbols=1)
    """

    spec: str

    def __post_init__(self) -> None:
        if self.at(2).is_shuffled_randomizer:
            raise InvalidValueError(f"protocol={short(self.spec)} is a shuffled randomizer. Give it as randomizer.")

    def at(self, n: int) -> Any:
        """Return the protocol of so many people."""
        target = resolve_name("exactdp.protocols.naming.targets:read_target")(f"@{self.spec.removeprefix('@')}")
        if not hasattr(target, "build"):
            raise InvalidValueError(
                f"protocol={short(self.spec)} is a noise law, no protocol of people. Give one, as "
                "sample-and-threshold:rate=1/8,threshold=20."
            )
        return target.build(n)

    @property
    def inputs(self) -> Sequence[Any]:
        """What a person can hold."""
        records: Sequence[Any] = self.at(2).records
        return records


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and what the people of each class run for it, in the order of the classes.

    ``specs`` are the texts of the randomizers; ``dummy`` is what a hidden person sends, as of ``ShuffleProtocol``. In
    the place of a ``UserRandomizer`` for each class stands one ``WholeProtocol`` that all of them run.
    """

    name: str
    specs: tuple[str, ...]
    randomizers: tuple[Any, ...]
    dummy: Any = None

    def __post_init__(self) -> None:
        set_fields(
            self,
            name=_name(self.name, "a question"),
            specs=tuple(self.specs),
            randomizers=tuple(self.randomizers),
        )
        if not self.randomizers or len(self.specs) != len(self.randomizers):
            raise InvalidValueError(
                f"the question {self.name!r} has {len(self.randomizers)} randomizers and {len(self.specs)} texts of "
                "them. Give one of each for each class."
            )
        for one in self.randomizers:
            if not isinstance(one, UserRandomizer | WholeProtocol):
                raise InvalidValueError(
                    f"a randomizer of the question {self.name!r} has the type {type(one).__name__}. Give a Randomizer, "
                    "or a family of exactdp.randomizers."
                )
        if self.is_protocol and len(set(self.randomizers)) > 1:
            raise InvalidValueError(
                f"the question {self.name!r} is a protocol of all people. Give all classes the same."
            )
        for (spec, one), (other, next_one) in pairwise(zip(self.specs, self.randomizers, strict=True)):
            if not _same_inputs(one.inputs, next_one.inputs):
                raise InvalidValueError(
                    f"the question {self.name!r} has {_inputs(one.inputs)} by {short(spec)!r} and "
                    f"{_inputs(next_one.inputs)} by {short(other)!r}. Let all classes answer the same question."
                )

    @property
    def inputs(self) -> Sequence[Any]:
        """What a person can hold."""
        inputs: Sequence[Any] = self.randomizers[0].inputs
        return inputs

    @property
    def is_protocol(self) -> bool:
        """Whether all people run a protocol with a view of its own."""
        return any(isinstance(one, WholeProtocol) for one in self.randomizers)


@dataclass(frozen=True, slots=True)
class Release:
    """Questions that are asked in one round, how their messages are mixed, and how many rounds there are.

    ``eps`` is what is promised for this release: for all its rounds, or for one where what one round sends is replaced.
    """

    questions: tuple[str, ...]
    shuffling: str
    times: int = 1
    eps: Fraction | None = None

    def __post_init__(self) -> None:
        set_fields(
            self,
            questions=tuple(self.questions),
            times=as_integer(self.times, name="times", at_least=1),
            eps=None if self.eps is None else read_budget(self.eps),
        )
        _one_of(self.shuffling, SHUFFLINGS, "as")
        if not self.questions:
            raise InvalidValueError("a release has no question. Name at least one.")
        _distinct(self.questions, "question", where=" in one release")
        if self.times > _MOST_ROUNDS:
            raise TooLargeError(f"times={short(self.times)} is more than the limit of {_MOST_ROUNDS} rounds.")

    @property
    def name(self) -> str:
        """What it is called in tables."""
        how = "" if len(self.questions) == 1 and self.shuffling != SUMS else f", {self.shuffling}"
        return f"{' + '.join(self.questions)}{how}, {self.times} {'round' if self.times == 1 else 'rounds'}"


@dataclass(frozen=True, slots=True)
class Deployment:
    """What is deployed: ``exactdp.deployment.read`` makes it of a file.

    Args:
        name: its title.
        delta: of the whole, above 0.
        unit: "person", where all that one person ever sends is replaced, or "round".
        budget: the eps that is promised for the whole; None for none.
        classes: who.
        participation: who takes part.
        questions: what is asked.
        releases: what is released; several compose.
        source: where it says what is deployed and promised; empty for none.
        neighbors: replace-one, or replace-by-zeros, of sums alone: what is replaced are zeros in one of the data sets.
    """

    name: str
    delta: Fraction
    unit: str
    budget: Fraction | None
    classes: tuple[UserClass, ...]
    participation: Participation
    questions: tuple[Question, ...]
    releases: tuple[Release, ...]
    source: str = ""
    neighbors: Neighbors = Neighbors.REPLACE_ONE

    def __post_init__(self) -> None:
        set_fields(
            self,
            name=_name(self.name, "a deployment"),
            delta=read_delta(self.delta),
            budget=None if self.budget is None else read_budget(self.budget),
            classes=tuple(self.classes),
            questions=tuple(self.questions),
            releases=tuple(self.releases),
        )
        _one_of(self.unit, UNITS, "unit")
        _one_of(getattr(self.neighbors, "value", self.neighbors), NEIGHBORS, "neighbors")
        for kind, listed in (("class", self.classes), ("question", self.questions), ("release", self.releases)):
            if not listed:
                raise InvalidValueError(f"a deployment has no {kind}. Give at least one.")
            if len(listed) > _MOST_NAMED:
                raise TooLargeError(f"a deployment has {len(listed)} of [[{kind}]], above the limit of {_MOST_NAMED}.")
        _distinct([one.name for one in self.classes], "class")
        _distinct([one.name for one in self.questions], "question")
        for question in self.questions:
            self.check_question(question)
        for release in self.releases:
            self.check_release(release)
        asked = {name for release in self.releases for name in release.questions}
        if idle := [one.name for one in self.questions if one.name not in asked]:
            raise InvalidValueError(f"no release asks the question {idle[0]!r}. Name it in one, or leave it out.")

    def check_question(self, question: Question) -> None:
        """Refuse a question that these classes cannot answer, or who is away among them."""
        if len(question.randomizers) != len(self.classes):
            raise InvalidValueError(
                f"the question {question.name!r} has {len(question.randomizers)} randomizers for {len(self.classes)} "
                "classes. Give one for each."
            )
        try:
            check_absence(question, self.participation)
        except InvalidValueError as error:
            raise InvalidValueError(f"the question {question.name!r}: {error}") from None

    def check_release(self, release: Release) -> None:
        """Refuse a release of questions that are not there."""
        names = [one.name for one in self.questions]
        for name in release.questions:
            if name not in names:
                raise InvalidValueError(
                    f"a release asks {short(name)!r}, which is no question. {meant(name, names)}The questions are "
                    f"{', '.join(names)}."
                )
        check_mixing(release, self.questions)
        if self.by_zeros and (release.shuffling != SUMS or self.participation.probability < 1):
            raise InvalidValueError(
                f'neighbors={self.neighbors.value} is of sums of all people. Write as = "{SUMS}" and model = '
                f'"{ALWAYS}", or leave neighbors out.'
            )
        for one in (self.question(name) for name in release.questions if self.by_zeros):
            if not hasattr(_summed_of_one(one), "column"):
                raise InvalidValueError(
                    f"neighbors={self.neighbors.value} is of sums of vectors, and the sums of {short(one.specs[0])} of "
                    f"the question {one.name!r} are a histogram, where no input is zeros. Ask it by "
                    "rappor:inputs=...,eps0=..., or leave neighbors out."
                )

    @property
    def by_zeros(self) -> bool:
        """Whether a vector is replaced by zeros, not by another."""
        return self.neighbors is Neighbors.REPLACE_BY_ZEROS

    def question(self, name: str) -> Question:
        """Return the question of this name."""
        for one in self.questions:
            if one.name == name:
                return one
        names = [one.name for one in self.questions]
        raise InvalidValueError(
            f"{short(name)!r} is no question. {meant(name, names)}The questions are {', '.join(names)}."
        )

    def mixing(self, name: str) -> str:
        """Return how the messages of a question are mixed, where it is first released."""
        return next(one.shuffling for one in self.releases if name in one.questions)

    def audit(self, *, delta: Exact | None = None, progress: Progress | None = None) -> Any:
        """Return what the whole gives away, an ``Audit``.

        Args:
            delta: in the place of the one that it has.
            progress: is told how far the computation is; its parts are computed when they are read.
        """
        audit = resolve_name("exactdp.studies.deployment.audit:Audit")
        return audit(self, self.delta if delta is None else read_delta(delta), progress=progress)


def check_mixing(release: Release, questions: Sequence[Question]) -> None:
    """Refuse a release that mixes what has a view of its own."""
    for one in questions:
        if one.is_protocol and one.name in release.questions and release.shuffling != SEPARATE:
            raise InvalidValueError(
                f'the question {one.name!r} is a protocol with a view of its own. Release it as = "{SEPARATE}".'
            )
        if one.name in release.questions and release.shuffling == SUMS:
            if len(set(one.randomizers)) > 1:
                raise InvalidValueError(
                    f'the question {one.name!r} is released as "sums", and its classes run different randomizers, '
                    f'whose sums nothing is known of. Let all classes run the same, or release it as = "{SEPARATE}".'
                )
            _summed_of_one(one)


def _summed_of_one(question: Question) -> Any:
    """Return the protocol of one person's sums, or refuse."""
    return resolve_name("exactdp.protocols.aggregated.aggregate_protocol:aggregate")(question.randomizers[0], 1)


def check_absence(question: Question, participation: Participation) -> None:
    """Refuse a question beside which nobody can be away as is said."""
    if participation.model != ALWAYS and question.is_protocol:
        raise InvalidValueError(f'a protocol has its own view of who takes part. Write model = "{ALWAYS}".')
    if participation.model != ALWAYS:
        for one in question.randomizers:
            Absence.read(one, participation.probability, participation.model, question.dummy)
    elif question.dummy is not None:
        raise InvalidValueError("a dummy is given, and everybody takes part. Leave it out.")


def read_delta(value: Exact) -> Fraction:
    """Return the delta of a whole, above 0 and below 1."""
    delta = as_probability(value, name="delta")
    if not 0 < delta < 1:
        raise InvalidValueError(f'delta={short(delta)} is not between 0 and 1. Give delta = "1e-7".')
    return delta


def read_budget(value: Exact) -> Fraction:
    """Return the eps that is promised, above 0."""
    eps = as_fraction(value, name="eps")
    if eps <= 0:
        raise InvalidValueError(f'eps={short(eps)} is not above 0. Give eps = "1".')
    return eps


def _name(value: object, whose: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InvalidValueError(f"the name of {whose} is {short(repr(value))}. Give a text.")
    text = value.strip()
    if len(text) > _MOST_LETTERS or not text.isprintable():
        raise InvalidValueError(
            f"the name of {whose} is {short(repr(text))}. Give at most {_MOST_LETTERS} letters on one line."
        )
    return text


def _one_of(value: object, known: Sequence[str], name: str) -> None:
    if value not in known:
        near = meant(str(value), known)
        raise InvalidValueError(f"{name}={short(repr(value))} is unknown. {near}Give one of {', '.join(known)}.")


def _distinct(names: Iterable[str], kind: str, *, where: str = "") -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InvalidValueError(f"the {kind} {short(name)!r} is there twice{where}. Keep one.")
        seen.add(name)


def _same_inputs(first: Sequence[Any], second: Sequence[Any]) -> bool:
    if len(first) != len(second):
        return False
    if isinstance(first, range) and isinstance(second, range):
        return first == second
    return len(first) > _MOST_INPUTS or all(map(_equal, first, second))


def _equal(first: object, second: object) -> bool:
    return first == second


def _inputs(inputs: Sequence[Any]) -> str:
    count = len(inputs)
    return f"{short(count)} inputs" if count > 4 else f"the inputs {', '.join(map(repr, inputs))}"
