"""How much of one thing a budget allows: all eps0, the eps0 of one question, the number of people or of rounds.

A point is safe where the upper end of delta, at the eps of the budget, is within the delta of the whole, and refuted
where the lower end is above it; between the two lies what the proved ends leave open. Points lie on a grid. Of each
that is tried only the order of the two deltas is looked for, which one look decides far from the border; which to try
next is guessed in floats, which prove nothing: (-ln delta)^(1/2) is nearly a power of what is changed.

*Monotone.* Fewer rounds are a part of more. The view of fewer people is told more by: whoever sees it can add people
whose inputs he knows, and that is the view of more. With less eps0, k-ary response is that with more, of which each
message is replaced by a uniform one with some probability; and unary encoding is that with more, of which each bit goes
through a binary channel, the same for all bits: of both bits' laws the likelihood ratios are smaller. Uniform dummies
stay uniform, and those of an input become those of that input. Who sees the shuffled messages, or sums of bits, can do
this to each of them, so nothing more is told. He has to know which channel is for which message: so it is proved of a
question only where all classes run the same, or messages that are told apart by their kind. Elsewhere the answer is
local: about the points that were tried.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, exp, floor, log
from typing import Final, TypeAlias

from exactdp.errors import InvalidValueError, TooLargeError, meant
from exactdp.mechanisms.absence_family import HIDDEN
from exactdp.mechanisms.family import INPUT, UNIFORM
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.exact import Exact
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.privacy.composition.composed import MAX_TIMES
from exactdp.progress import Progress, progress_callback, report_progress
from exactdp.protocols.named_protocols import find
from exactdp.protocols.naming.free_numbers import scaled
from exactdp.protocols.naming.name_grammar import name_of
from exactdp.studies.deployment.deployment import ROUND, Deployment, Question, WholeProtocol, read_delta
from exactdp.studies.deployment.deployment_files import read_run

EPS0: Final = "eps0"
PEOPLE: Final = "n"
TIMES: Final = "times"

_STEPS: Final = 100
"""A factor is a multiple of one over this."""
_MOST_FACTOR: Final = 10**4
"""Largest factor."""
_MOST_TRIED: Final = 40
"""Most points of one answer: by then any grid is halved to a step."""
_MOST_STALLS: Final = 3
"""Guesses after which a bracket that they do not halve is halved."""
_BY_A_CHANNEL: Final = ("randomized-response", "unary-encoding")
"""Names of randomizers that a channel makes of themselves with more eps0."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A point, and both ends of the delta of the whole there, at the eps of the budget."""

    value: Fraction
    delta: Interval


@dataclass(frozen=True, slots=True)
class Solved:
    """How much is safe, and how much is refuted.

    Args:
        what: as it was asked.
        words: what is changed, for reading.
        more_is_safer: whether larger values are the safer ones, as of people.
        budget: the eps of the whole.
        delta: of the whole.
        safe: the last safe point of the grid; None where none is.
        refuted: the first refuted one; None where none is.
        is_monotone: whether all points on the safe side of ``safe`` are safe, and those beyond ``refuted`` refuted.
        scope: why, or that it is local.
        tried: all points that were audited, by their value.
        changed: what is deployed at the safe point, for reading.
    """

    what: str
    words: str
    more_is_safer: bool
    budget: Fraction
    delta: Fraction
    safe: Tried | None
    refuted: Tried | None
    is_monotone: bool
    scope: str
    tried: tuple[Tried, ...]
    changed: tuple[str, ...]


def solve(deployment: Deployment, what: str, *, delta: Exact | None = None, progress: Progress | None = None) -> Solved:
    """Return how much of something the budget allows.

    Args:
        deployment: has a budget.
        what: "eps0", all eps0 times one factor, a multiple of 1/100; "question.NAME.eps0", that of one question;
            "n", the number of people of all classes times one factor; "times", the number of rounds of its release.
        delta: in the place of that of the deployment.
        progress: is told how many points were tried.

    Cost: some 5 to 10 points, each a part of an audit.
    """
    if deployment.budget is None:
        raise InvalidValueError('the deployment has no budget. Add [budget] with eps = "1".')
    knob, target = _knob(deployment, what), deployment.delta if delta is None else read_delta(delta)
    with progress_callback(progress):
        return _Search(deployment, knob, target, deployment.budget).solved(what)


# --- What is changed ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Knob:
    """What is changed: its grid are the multiples of ``step``."""

    words: str
    step: Fraction
    now: int
    most: int
    more_is_safer: bool
    power: float
    """The eps of the whole is about this power of it."""
    at: Callable[[Fraction], Deployment]
    proof: str
    """Why it is monotone; empty where that is not proved."""
    changed: Callable[[Fraction], tuple[str, ...]]
    least: int = 1


def _knob(deployment: Deployment, what: str) -> _Knob:
    if what == EPS0:
        return _eps0(deployment, deployment.questions, "all eps0")
    if what == PEOPLE:
        return _people(deployment)
    if what == TIMES:
        return _times(deployment)
    if what.startswith("question.") and what.endswith(f".{EPS0}"):
        name = what.removeprefix("question.").removesuffix(f".{EPS0}")
        return _eps0(deployment, (deployment.question(name),), f"the eps0 of {name}")
    known = [EPS0, PEOPLE, TIMES, *(f"question.{one.name}.{EPS0}" for one in deployment.questions)]
    raise InvalidValueError(
        f"{short(what)!r} is nothing that can be solved for. {meant(what, known)}Ask for {', '.join(known[:3])} or "
        f"{short(known[3])}."
    )


def _eps0(deployment: Deployment, questions: tuple[Question, ...], words: str) -> _Knob:
    for one in questions:
        rescaled(one, Fraction(1))  # refuses what has no eps0
    names = [one.name for one in questions]

    def at(factor: Fraction) -> Deployment:
        return replace(
            deployment,
            questions=tuple(rescaled(one, factor) if one.name in names else one for one in deployment.questions),
        )

    def changed(factor: Fraction) -> tuple[str, ...]:
        lines = []
        for one in (rescaled(one, factor) for one in questions):
            same = len(set(one.specs)) == 1
            each = zip(deployment.classes, one.specs, strict=True)
            lines.append(f"{one.name}: " + (one.specs[0] if same else "; ".join(f"{c.name} {s}" for c, s in each)))
        return tuple(lines)

    proved = all(_is_by_a_channel(one, deployment.participation.model) for one in questions)
    proof = "with less eps0 a channel makes each message of one with more" if proved else ""
    most = _MOST_FACTOR * _STEPS
    return _Knob(f"{words}, times", Fraction(1, _STEPS), _STEPS, most, False, 1.3, at, proof, changed)


def _people(deployment: Deployment) -> _Knob:
    def at(factor: Fraction) -> Deployment:
        return replace(deployment, classes=tuple(replace(one, n=floor(one.n * factor)) for one in deployment.classes))

    def changed(factor: Fraction) -> tuple[str, ...]:
        return tuple(f"{one.name}: n = {one.n}" for one in at(factor).classes)

    proof = "who sees fewer people can add others whose inputs he knows"
    most = _MOST_FACTOR * _STEPS
    least = max(ceil(Fraction(ceil(1 / one.honest) * _STEPS, one.n)) for one in deployment.classes)
    step = Fraction(1, _STEPS)
    return _Knob("people of all classes, times", step, _STEPS, most, True, -0.5, at, proof, changed, least)


def _times(deployment: Deployment) -> _Knob:
    if len(deployment.releases) > 1:
        raise InvalidValueError(
            f"the deployment has {len(deployment.releases)} releases, of which each has its rounds. Ask about times of "
            "a file with one release."
        )
    if deployment.unit == ROUND:
        raise InvalidValueError(
            'unit="round" replaces what a person sends in one round, so that further rounds cost nothing. Ask about '
            'times with unit = "person".'
        )
    release = deployment.releases[0]

    def at(times: Fraction) -> Deployment:
        return replace(deployment, releases=(replace(release, times=int(times)),))

    def changed(times: Fraction) -> tuple[str, ...]:
        return (at(times).releases[0].name,)

    proof = "fewer rounds are a part of more"
    most = MAX_TIMES // len(release.questions)
    return _Knob("rounds", Fraction(1), release.times, most, False, 0.5, at, proof, changed)


def rescaled(question: Question, factor: Fraction) -> Question:
    """Return a question whose randomizers have their eps0 times a factor.

    >>> from exactdp.randomizers import randomized_response
    >>> q = Question("a", ("krr:inputs=4,eps0=3/2",), (randomized_response(4, exp_eps0="exp(3/2)"),))
    >>> rescaled(q, Fraction(1, 2)).specs
    ('krr:inputs=4,eps0=3/4',)
    """
    specs = tuple(_rescaled(spec, factor, question.name) for spec in question.specs)
    runs = [WholeProtocol(one) for one in specs] if question.is_protocol else read_run(specs)
    return replace(question, specs=specs, randomizers=tuple(runs))


def _rescaled(spec: str, factor: Fraction, name: str) -> str:
    found = scaled(spec, factor)
    if found is None:
        raise InvalidValueError(
            f"the randomizer {short(spec)!r} of the question {name!r} has no eps0. Write it as a name with eps0=..., "
            "or ask for question.NAME.eps0 of another."
        )
    return found


def _is_by_a_channel(question: Question, model: str) -> bool:
    """Whether less eps0 of a question tells less, by a channel that is known for each message."""
    if model == HIDDEN and not (question.dummy == UNIFORM or question.dummy[:1] == (INPUT,)):
        return False
    kinds: dict[str, str] = {}
    for spec in question.specs:
        entry, _ = find(name_of(spec)) or (None, "")
        if entry is None or entry.name not in _BY_A_CHANNEL or kinds.setdefault(entry.name, spec) != spec:
            return False
    return True


# --- The search -----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Search:
    """The points that were tried, by their place on the grid."""

    deployment: Deployment
    knob: _Knob
    delta: Fraction
    budget: Fraction
    tried: dict[int, Tried] = field(default_factory=dict)

    def solved(self, what: str) -> Solved:
        knob = self.knob
        self._try(knob.now)
        safe, _ = self._border(_upper)
        _, refuted = self._border(_lower)
        proof = knob.proof
        return Solved(
            what,
            knob.words,
            knob.more_is_safer,
            self.budget,
            self.delta,
            None if safe is None else self.tried[safe],
            None if refuted is None else self.tried[refuted],
            bool(proof),
            f"monotone: {proof}" if proof else "local: of the points that were tried",
            tuple(self.tried[place] for place in sorted(self.tried)),
            knob.changed(safe * knob.step) if safe is not None else (),
        )

    def _try(self, place: int) -> None:
        if place not in self.tried:
            if len(self.tried) >= _MOST_TRIED:
                raise TooLargeError(f"no border is found in {_MOST_TRIED} points. Change the file, and ask again.")
            value = place * self.knob.step
            self.tried[place] = Tried(value, self.knob.at(value).audit(delta=self.delta).delta_at_budget)
            report_progress(len(self.tried), None)

    def _is_within(self, place: int, end: _End) -> bool:
        return end(self.tried[place].delta).compare(self.delta) <= 0

    def _border(self, end: _End) -> tuple[int | None, int | None]:
        """Return the last place within the budget by this end, and the first beyond it, next to each other."""
        sign = -1 if self.knob.more_is_safer else 1
        bounds = self.knob.least, self.knob.most
        least, most = (sign * bound for bound in bounds[::sign])
        stalls = 0
        while True:
            beyond = min((sign * k for k in self.tried if not self._is_within(k, end)), default=None)
            within = max(
                (sign * k for k in self.tried if self._is_within(k, end) and (beyond is None or sign * k < beyond)),
                default=None,
            )
            if within is not None and beyond is not None and beyond - within == 1:
                return sign * within, sign * beyond
            if (within is None and beyond == least) or (beyond is None and within == most):
                return (None if within is None else sign * within), (None if beyond is None else sign * beyond)
            low = least if within is None else within + 1
            high = most if beyond is None else beyond - 1
            if within is not None and beyond is not None and stalls >= _MOST_STALLS:
                place, stalls = (low + high) // 2, 0
            else:
                place = sign * self._guess(end)
                if beyond is None and within is not None:  # a value that says nothing of the border is left behind
                    place = max(place, 2 * within if sign > 0 else -(-within // 2))
                place = max(low, min(high, place))
            width = high - low
            self._try(sign * place)
            stalls += 2 * max(high - place, place - low) > width

    def _guess(self, end: _End) -> int:
        """Return the place at which delta may be that of the whole, between or beside two points near it."""
        goal = _depth(self.delta)
        points = []
        for k, one in reversed(self.tried.items()):  # of equals the last
            value = end(one.delta)
            points.append((log(k), _depth((value if value.mantissa else one.delta.upper).fraction()) - goal))
        points.sort(key=lambda point: abs(point[1]))
        (x, gap), power = points[0], -self.knob.power
        for other, its_gap in points[1:]:
            if other != x and its_gap != gap:
                slope = (gap - its_gap) / (x - other)
                power = slope if slope * power > 0 else power
                break
        step = max(-2.5, min(2.5, -gap / power))
        return max(1, min(self.knob.most, floor(exp(x + step))))


_End: TypeAlias = Callable[[Interval], Dyadic]


def _depth(delta: Fraction) -> float:
    """Return about ln((-ln delta)^(1/2)), which falls as eps of the whole rises: as if all were a Gaussian."""
    bits = delta.denominator.bit_length() - delta.numerator.bit_length() if delta else 2**20
    exact = -log(delta) if 0 < bits < _FAR_BITS else bits * log(2)
    return log(max(exact, 1 / _FAR_BITS)) / 2


_FAR_BITS: Final = 1000
"""Logarithms of smaller numbers need only their length."""


def _upper(delta: Interval) -> Dyadic:
    return delta.upper


def _lower(delta: Interval) -> Dyadic:
    return delta.lower
