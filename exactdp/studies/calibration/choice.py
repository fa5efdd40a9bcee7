"""Which family of randomizers to run: all at equal privacy, in the order of their errors, or the other way round.

*At equal privacy* each family gets the least noise that is shown enough for (eps, delta): of one release that which
``calibrate`` finds. Of several releases the value is guessed and then proved: the guess is calibrated at an eps and
delta of one release at which normal loss would make the target of all, and moved by what the proved composed delta
misses; the value that is printed has a composed delta, given with both ends, that is not above the target.

*At equal error* each family gets the most noise with which the error is shown to be small enough, and delta at eps says
how private it is.

*The order.* Errors, and delta, lie between two proved ends. One row is before another where its upper end is below the
other's lower end; a row whose ends leave that open has several places. Of one release at equal privacy, the lower end
is that of the value that the lower end of delta refutes: no less noise of the family is enough, and so none errs less.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, TypeAlias

from exactdp.errors import ExactDPError, InvalidValueError, TooLargeError
from exactdp.mechanisms.family import FamilyRandomizer
from exactdp.numbers.balls import enclose_real, normal_tails
from exactdp.numbers.bisection import bisect, gallop
from exactdp.numbers.epsilon import PrivacyLevel, read_privacy_level
from exactdp.numbers.exact import Exact, as_fraction, as_integer, as_probability
from exactdp.numbers.formats import exact_text, short
from exactdp.numbers.interval import Interval, fraction_ends
from exactdp.numbers.real import Real
from exactdp.progress import Progress, progress_callback
from exactdp.protocols.accuracy.frequency_errors import (
    enough_error,
    frequency_error,
    reached_error,
    worst_variance,
)
from exactdp.protocols.protocol import ShuffleProtocol
from exactdp.studies.calibration.grid_search import calibrate
from exactdp.studies.calibration.local_families import LocalFamily, local_family
from exactdp.studies.calibration.two_ended_search import STEPS_OF_RUNS, TwoEndedSearch
from exactdp.studies.study_workers import Study

Number: TypeAlias = Fraction | Interval

_FAMILIES: Final[dict[str, tuple[str, tuple[tuple[str, str], ...]]]] = {
    "k-ary response": ("randomized-response", ()),
    "unary encoding": ("unary-encoding", ()),
    "unary encoding, optimized": ("unary-encoding", (("optimized", "true"),)),
    "subset selection": ("subset-selection", ()),
    "Hadamard response": ("hadamard-response", ()),
    "local hashing": ("local-hashing", ()),
    "clipped discrete Laplace": ("clipped-discrete-laplace", ()),
}
CHOICES: Final = tuple(_FAMILIES)
"""The families that can be compared."""
CATEGORIES: Final = CHOICES[:-1]
"""Those that are compared if none is named. The clipped Laplace is for sums: it tells neighbours apart worst."""

_MOST_INPUTS: Final = 10**5
_BITS: Final = 30
"""Accuracy of what only guides a guess."""
_DELTA_BITS: Final = 20
"""Accuracy of the privacy that is printed."""
_WIDTHS: Final = (Fraction(1, 8), Fraction(1, 32))
"""Relative widths of a composed delta, the second where the order at equal error is open: it costs twice as much."""
_CLOSE: Final = Fraction(7, 10)
"""A composed delta that is at least so much of the target is near enough: a hundredth of eps0 away."""
_TRIES: Final = 4
_AIM: Final = Fraction(9, 10)
"""The share of the target that is aimed at."""
_LIMIT: Final = 10**5
"""Most pairs times outcomes of an exact scan, a dozen times for each family."""
_STEPS: Final = 12
"""ld of the steps of e^eps0 between two powers of two, where an error is looked for."""
_MOST_EXP_EPS0: Final = 64
"""ld of the largest e^eps0 that is tried."""


@dataclass(frozen=True, slots=True)
class ChoiceQuestion:
    """What is asked of every family."""

    n: int
    inputs: int
    level: PrivacyLevel
    delta: Fraction
    times: int
    beta: Fraction
    error: Fraction | None
    simultaneous: bool
    width: Fraction = _WIDTHS[0]
    """Relative width of a composed delta."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A family with its parameter.

    Args:
        family: in words, as in ``CHOICES``.
        name: with its parameters, as commands read it; empty where there is no answer.
        exp_eps0: e^eps0 of one user's message.
        delta: at eps, of all releases: exact, or both ends.
        error: of the number of holders, as ``accuracy`` says it: exact, or both ends.
        theorem: what proves the error's upper end.
        variance: of the number of holders on the worst data set.
        bits: of a user's message.
        least_error: at equal privacy what no value of the family that is not refuted errs less than, else ``error``'s
            lower end.
        reason: why there is no answer, in one line.
    """

    family: str
    name: str = ""
    exp_eps0: Fraction | None = None
    delta: Number | None = None
    error: Number | None = None
    theorem: str = ""
    variance: Fraction | None = None
    bits: int | None = None
    least_error: Fraction | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Choices:
    """All families in order, those without an answer last."""

    question: ChoiceQuestion
    rows: tuple[Choice, ...]

    def ends(self, row: Choice) -> tuple[Fraction, Fraction] | None:
        """Return the ends of what a row is ordered by: its error, or at equal error its delta."""
        if row.error is None or row.delta is None or row.least_error is None:
            return None
        if self.question.error is not None:
            return fraction_ends(row.delta)
        return row.least_error, fraction_ends(row.error)[1]

    def places(self, row: Choice) -> tuple[int, int] | None:
        """Return the first and the last place, from 1, that the ends leave open."""
        own = self.ends(row)
        if own is None:
            return None
        known = [ends for other in self.rows if other is not row and (ends := self.ends(other)) is not None]
        return 1 + sum(high < own[0] for _, high in known), 1 + sum(low <= own[1] for low, _ in known)


def choose(
    n: int,
    inputs: int,
    *,
    eps: Exact | None = None,
    exp_eps: Exact | None = None,
    delta: Exact,
    times: int = 1,
    error: Exact | None = None,
    beta: Exact = "1/20",
    simultaneous: bool = False,
    only: Iterable[str] = (),
    jobs: int = 1,
    progress: Progress | None = None,
) -> Choices:
    """Return the families for frequencies of some inputs: at equal privacy by error, or at equal error by privacy.

    Args:
        n: number of users who follow the protocol, at least 1.
        inputs: what a user can hold, 2 to 10^5.
        eps, exp_eps: one of eps >= 0 and e^eps >= 1, of all releases together.
        delta: in (0, 1), of all releases together.
        times: releases about the same users, each with fresh randomness; at least 1.
        error: at equal error: of the number of holders in one release, above 0.
        beta: probability of a larger error on the worst data set, in (0, 1).
        simultaneous: the largest error of all inputs, rather than that of one.
        only: of ``CHOICES``; ``CATEGORIES`` for none.
        jobs: processes, at least 1.
        progress: a callback for finished families; see :mod:`exactdp.progress`.

    >>> found = choose(10**5, 20, eps=1, delta="1e-6", only=["k-ary response", "Hadamard response"])
    >>> [(row.family, found.places(row), round(float(row.exp_eps0))) for row in found.rows]
    [('k-ary response', (1, 1), 2369), ('Hadamard response', (2, 2), 5858)]

    Cost: 4 s for one release, 10 s for several, of one process.
    """
    level = read_privacy_level(eps=eps, exp_eps=exp_eps)
    question = ChoiceQuestion(
        as_integer(n, name="n", at_least=1),
        as_integer(inputs, name="inputs", at_least=2),
        level,
        _inside(delta, "delta"),
        as_integer(times, name="times", at_least=1),
        _inside(beta, "beta"),
        None if error is None else as_fraction(error, name="error"),
        simultaneous,
    )
    if question.inputs > _MOST_INPUTS:
        raise TooLargeError(f"inputs={short(question.inputs)} are more than the limit of {_MOST_INPUTS}. Use fewer.")
    if question.error is not None and not 0 < question.error < question.n:
        raise InvalidValueError(
            f"error={short(question.error)} is no number of users between 0 and n={question.n}. Pass a hundredth, say."
        )
    known = {_key_of(name): name for name in CHOICES}
    keys = list(map(_key_of, only))
    if unknown := [key for key in keys if key not in known]:
        raise InvalidValueError(f"only={short(unknown[0])!r} is no family. Pass one of {', '.join(CHOICES)}.")
    wanted = [known[key] for key in keys] or CATEGORIES
    rows: dict[tuple[ChoiceQuestion, str], Choice] = {}
    processes, asked = as_integer(jobs, name="jobs", at_least=1), [(question, name) for name in dict.fromkeys(wanted)]
    with progress_callback(progress):
        Study(asked, _answered).keep(rows.update, jobs=processes)
        found = Choices(question, tuple(rows[one] for one in asked))
        if question.error is not None and question.times > 1:
            finer = replace(question, width=_WIDTHS[1])
            still = [(finer, row.family) for row in found.rows if len(set(found.places(row) or ())) == 2]
            Study(still, _answered).keep(rows.update, jobs=processes)
            found = replace(found, rows=tuple(rows.get((finer, row.family), row) for row in found.rows))
    return replace(found, rows=tuple(sorted(found.rows, key=lambda row: _key(found, row))))


def _key_of(name: str) -> str:
    return "-".join(str(name).lower().replace(",", " ").split())


def _key(found: Choices, row: Choice) -> tuple[bool, Fraction, Fraction]:
    low, high = found.ends(row) or (Fraction(0), Fraction(0))
    return bool(row.reason), high, low


def _inside(value: Exact, name: str) -> Fraction:
    number = as_probability(value, name=name)
    if not 0 < number < 1:
        raise InvalidValueError(f"{name}={short(number)} is not strictly between 0 and 1. Pass such a {name}.")
    return number


def _answered(asked: tuple[ChoiceQuestion, str]) -> Choice:
    question, family = asked
    try:
        return _choice(question, family)
    except ExactDPError as error:
        return Choice(family, reason=" ".join(str(error).split()))


def _choice(question: ChoiceQuestion, family: str) -> Choice:
    kind, options = _FAMILIES[family]
    given: dict[str, Any] = {"inputs": question.inputs, **{name: True for name, _ in options}}
    known = local_family(kind, given)
    refuted = None
    if question.error is not None:
        value = _of_error(question, known)
    elif question.times > 1:
        value = _of_releases(question, known)
    else:
        found = calibrate(
            kind, n=question.n, **question.level.keywords, delta=question.delta, certificates=False, **given
        )
        value, refuted = found.parameter, found.fails_at
    randomizer = _stated(known, value)
    alpha, theorem = _error(question, randomizer)
    least = fraction_ends(alpha)[0]
    if refuted is not None:
        least = min(least, reached_error(_stated(known, refuted), question.n, question.beta))
    size = ("top", question.inputs - 1) if kind == "clipped-discrete-laplace" else ("inputs", question.inputs)
    typed = [f"{size[0]}={size[1]}", *(f"{name}={text}" for name, text in options)]
    typed.append(f"{known.family.parameter.replace('_', '-')}={exact_text(value)}")
    assert known.exp_eps0 is not None
    return Choice(
        family,
        f"@{kind}:{','.join(typed)}",
        known.exp_eps0(value),
        _delta(question, randomizer),
        alpha,
        theorem,
        worst_variance(randomizer, question.n),
        randomizer.message_bits,
        least,
    )


def _stated(known: LocalFamily, value: Fraction) -> FamilyRandomizer:
    assert known.stated is not None
    return known.stated(value)


def _error(question: ChoiceQuestion, randomizer: FamilyRandomizer) -> tuple[Number, str]:
    return frequency_error(randomizer, question.n, question.beta, simultaneous=question.simultaneous)


def _delta(question: ChoiceQuestion, randomizer: FamilyRandomizer) -> Number:
    """Return delta at eps of all releases."""
    profile = ShuffleProtocol(randomizer, question.n).privacy_profile(limit=_LIMIT)
    if question.times == 1:
        return profile.delta(**question.level.keywords, relative_bits=_DELTA_BITS)
    return profile.compose(question.times).delta(**question.level.keywords, relative_width=question.width)


# --- Equal error ----------------------------------------------------------------------------------------------------


def _of_error(question: ChoiceQuestion, known: LocalFamily) -> Fraction:
    """Return the value of the least e^eps0, on a grid, with which the error is shown to be small enough."""
    assert known.exp_eps0 is not None
    wanted, value_of = question.error, known.exp_eps0
    assert wanted is not None

    def is_enough(exp_eps0: Fraction) -> bool:
        randomizer = _stated(known, value_of(exp_eps0))
        return enough_error(randomizer, question.n, question.beta, simultaneous=question.simultaneous) <= wanted

    def doubled(place: int) -> Fraction:
        return 1 + Fraction(2) ** place

    def is_reached(place: int) -> bool:
        if place > _MOST_EXP_EPS0:
            raise InvalidValueError(f"no e^eps0 up to 2^{_MOST_EXP_EPS0} errs by less. Use a larger error, beta or n.")
        return is_enough(doubled(place))

    before, place = gallop(-10, 1, is_reached)
    place = bisect(before, place, is_reached)
    low, step = doubled(place - 1), Fraction(2) ** (place - 1 - _STEPS)
    steps = bisect(0, 2**_STEPS, lambda steps: is_enough(low + steps * step))
    return value_of(low + steps * step)


# --- Several releases -----------------------------------------------------------------------------------------------


def _of_releases(question: ChoiceQuestion, known: LocalFamily) -> Fraction:
    """Return a value with which the composed delta is at most the target, and near it if that is soon found."""
    eps = enclose_real(Real.log(question.level.real), relative_bits=_BITS).hi
    best: tuple[Fraction, Fraction] | None = None
    aim = question.delta * _AIM
    for _ in range(_TRIES):
        value = _guess(question, known, eps, aim)
        high = fraction_ends(_delta(question, _stated(known, value)))[1]
        if high <= question.delta and (best is None or high > best[0]):
            best = high, value
        if question.delta * _CLOSE <= high <= question.delta or not high:
            break
        aim *= question.delta * _AIM / high
    if best is None:
        raise InvalidValueError("no e^eps0 was shown to be enough. Use a larger eps or delta, or fewer releases.")
    return best[1]


def _guess(question: ChoiceQuestion, known: LocalFamily, eps: Fraction, delta: Fraction) -> Fraction:
    """Return the value with which one release is as private as one of normal loss, all of which make (eps, delta)."""
    mean = _normal_mean(eps, delta) / _root(question.times)
    level = read_privacy_level(eps=mean.limit_denominator(2**_BITS), exp_eps=None)
    share = _normal_delta(mean, mean)
    search = TwoEndedSearch(known, question.n, level, share, None, _LIMIT, certifies=False, steps=STEPS_OF_RUNS)
    return search.safe_value()


def _normal_mean(eps: Fraction, delta: Fraction) -> Fraction:
    """Return about the mu at which a normal number and one moved by mu standard deviations have delta at eps."""
    scale = 2**_BITS
    return Fraction(bisect(0, 64 * scale, lambda steps: _normal_delta(eps, Fraction(steps, scale)) >= delta), scale)


def _normal_delta(eps: Fraction, mean: Fraction) -> Fraction:
    near, far = (_normal_tail(eps / mean + sign * mean / 2) for sign in (-1, 1))
    return near - enclose_real(Real.exp(eps), relative_bits=_BITS).lo * far


def _normal_tail(x: Fraction) -> Fraction:
    tail = normal_tails(x * x, relative_bits=2 * _BITS).lo / 2
    return tail if x >= 0 else 1 - tail


def _root(times: int) -> Fraction:
    return enclose_real(Real.exp(Real.log(times) / 2), relative_bits=_BITS).lo
