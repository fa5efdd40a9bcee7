"""What the page of one subject shows: a randomizer against the number of users, or classes of users as they are.

A subject is a page of the report with its tables and pictures (:class:`SubjectPage`); whoever puts a page together asks
for no more, and never which subject it is.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from exactdp.errors import UndecidedError
from exactdp.mechanisms.dataset import write_dataset
from exactdp.mechanisms.family import FamilyRandomizer, UserRandomizer
from exactdp.mechanisms.randomizer_files import read_own_name
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_probability
from exactdp.numbers.interval import Interval
from exactdp.privacy.attained import AttainingPair
from exactdp.privacy.profile import PrivacyProfile
from exactdp.protocols.protocol import ShuffleProtocol
from exactdp.protocols.user_classes_protocol import UserClassesProtocol
from exactdp.report.figures.amplification_curves import (
    USUAL_USERS,
    AmplificationCurves,
    amplification_curves,
    amplification_picture,
)
from exactdp.report.figures.data import number_words
from exactdp.report.figures.picture import Picture
from exactdp.report.page.cells import NumberTable, Row, Value
from exactdp.report.page.protocols import AMPLIFICATION, AMPLIFICATION_SOURCES, ProtocolPage

_KEY: Final = "subject"
"""Of the only page."""
_ENCLOSED: Final = "enclosure: both ends proved, rounded outward"
_EXACT: Final = "exact: both ends are equal"


@dataclass(frozen=True, slots=True)
class SubjectPage:
    """One subject as its page presents it: its name, in words, tables and pictures."""

    title: str
    page: ProtocolPage
    tables: tuple[NumberTable, ...]
    pictures: tuple[Picture, ...] = ()


# --- A randomizer ---------------------------------------------------------------------------------------------------


def randomizer_page(
    randomizer: UserRandomizer, *, name: str, delta: Exact, users: Sequence[int] = USUAL_USERS
) -> SubjectPage:
    """Return the page of one randomizer: eps at a delta against the number of users.

    Args:
        randomizer: a table, or a family.
        name: what people call it.
        delta: in (0, 1).
        users: rising numbers of users who follow the protocol, at least two.

    Cost: that of :func:`exactdp.report.figures.amplification_curves.amplification_curves`.
    """
    curves = amplification_curves(randomizer, subject=name, delta=delta, users=users)
    words = f"{_sentence(curves)}\n\n{AMPLIFICATION}"
    page = ProtocolPage(_KEY, "What may be said of it", words, AMPLIFICATION_SOURCES)
    return SubjectPage(name, page, (_ends_table(curves),), (amplification_picture(curves),))


def title_in_words(name: str, family: FamilyRandomizer | None) -> str | None:
    """Return what people call a randomizer: the name that a file gives itself, or that of a family; None for none."""
    own = read_own_name(name) if os.path.isfile(name) else None
    return own or (None if family is None else family.title)


def _sentence(curves: AmplificationCurves) -> str:
    """Return the one sentence that can be quoted: of the most users for whom eps is known."""
    point = [point for point in curves.points if point.is_drawn][-1]
    assert point.least is not None
    assert point.most is not None
    low, high = number_words(point.least, 4, up=False), number_words(point.most, 4)
    known = f"is {low}" if low == high else f"lies between {low} and {high}"
    return (
        f"“Whatever the others send and whatever else is known, what a shuffler shows of {_grouped(point.n)} users of "
        f"{curves.subject} would have been as likely up to a factor of e^eps and a delta of "
        f"{number_words(curves.delta)} had one of them held another input; the least such eps {known}, proved.”"
    )


def _grouped(n: int) -> str:
    return f"{n:,}".replace(",", "\u202f")


def _ends_table(curves: AmplificationCurves) -> NumberTable:
    """Return the ends, the exact eps where it is had, and the published bounds, for each number of users."""
    heads = ("n", "lower end of ε", "upper end of ε", "exact ε", *(name for name, _ in curves.bounds))
    rows: list[tuple[Value, ...]] = []
    for k, point in enumerate(curves.points):
        ends = (None, None) if point.ends is None else (point.ends.lo, point.ends.hi)
        rows.append((point.n, *ends, point.exact, *(values[k] for _, values in curves.bounds)))
    wrong = [f"{name} is refuted at n = {', '.join(map(str, at))}" for name, at in curves.refuted().items() if at]
    return NumberTable(
        f"ε at δ = {number_words(curves.delta)}: between two proved ends, and as published bounds promise it",
        heads,
        tuple(rows),
        "; ".join([_ENCLOSED, *wrong]),
    )


# --- Classes of users -----------------------------------------------------------------------------------------------

_CLASSES: Final = (
    "Users are in classes, and those of each run a randomizer of their own. Who belongs to which class is public; a "
    "neighbour replaces the input of one user, who stays in his class. One shuffler shows all messages.\n\n"
    "At a delta, eps of a user lies between two proved ends: at every eps below the lower one a pair of neighbouring "
    "data sets has a larger delta, at the upper one none has. A message protects where somebody else may have sent it, "
    "and the proof of an upper end names the classes whose users serve. Beside the ends is what eps would be if his "
    "class had a shuffler of its own: what lies between is what the other classes do for him."
)
_CLASSES_SOURCES: Final = (
    "BalleBellGasconNissim2019, Theorem 5.1 (the blanket); which classes serve: proved in "
    "exactdp.privacy.amplification.class_bounds"
)


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of eps of a user who differs: its ends, what attains the lower and what proves the upper one."""

    lower: Value
    upper: Value
    attained: str
    proved: str
    user_class: int | None
    """His class in the worst pair known; None where there is none."""

    @classmethod
    def of(cls, profile: PrivacyProfile, delta: Fraction) -> _Known:
        try:
            eps, pair = profile.epsilon_with_pair(delta)
        except UndecidedError as error:
            return cls(None, None, "no pair that is known", str(error), None)
        lower: Value = eps
        upper: Value = eps
        if isinstance(eps, Interval):
            lower, upper = (Interval(end, end) for end in (eps.lower, eps.upper))
            proved = profile.bracket(eps=eps.hi).theorem
        else:
            proved = "no finite number is enough" if eps.is_infinite else profile.bracket(exp_eps=eps.argument).theorem
        return cls(lower, upper, _attained(pair), proved, None if pair is None else pair.user_class)


def _attained(pair: AttainingPair | None) -> str:
    """Return a pair of data sets of classes for reading."""
    if pair is None:
        return "nothing: it is the least there is"
    sides: tuple[Any, Any] = pair.first, pair.second
    return " against ".join("; ".join(map(write_dataset, side)) for side in sides)


def classes_page(protocol: UserClassesProtocol, *, name: str, run: Sequence[str], delta: Exact) -> SubjectPage:
    """Return the page of classes of users: eps at a delta of the worst class, and of a user of each.

    Args:
        protocol: the classes.
        name: what they are called.
        run: of each class what its users run, in words.
        delta: in [0, 1].

    Cost: three questions for each class, and one; 6 s for two of some thousand users.
    """
    target, shown = as_probability(delta, name="delta"), list[tuple[str, _Known, Value]]()
    worst = _Known.of(protocol.privacy_profile(), target)
    shown.append(("the worst" if worst.user_class is None else f"the worst: class {worst.user_class}", worst, None))
    for place, part in enumerate(protocol.parts):
        known = _Known.of(protocol.privacy_profile(user_class=place), target)
        shown.append((f"class {place}", known, _own_eps(part, target)))
    at, away = f"at δ = {number_words(target)}", f", {protocol.absence_words}" if protocol.may_be_away else ""
    meaning = (
        f"n = {protocol.n} counts the users who follow the protocol{away}. With fewer of them there is less privacy."
    )
    return SubjectPage(
        name,
        ProtocolPage(_KEY, "What may be said of them", f"{_CLASSES}\n\n{meaning}", _CLASSES_SOURCES),
        (
            NumberTable(
                "The classes",
                ("class", "users", "what each runs", "takes part with", "local ε₀"),
                tuple(_class_rows(protocol, run)),
                "local ε₀: of one user's messages alone",
            ),
            NumberTable(
                f"ε {at}, by the class of the user who differs",
                ("the user who differs", "lower end of ε", "upper end of ε", "ε with a shuffler of its own"),
                tuple((who, known.lower, known.upper, own) for who, known, own in shown),
                _ENCLOSED if any(isinstance(known.lower, Interval) for _, known, _ in shown) else _EXACT,
            ),
            NumberTable(
                f"What attains the lower ends and proves the upper ends of ε {at}",
                ("the user who differs", "the lower end is attained by", "the upper end is proved by"),
                tuple((who, known.attained, known.proved) for who, known, _ in shown),
                "data sets are written class by class, 0; 1; ..., as input=users",
            ),
        ),
    )


def _class_rows(protocol: UserClassesProtocol, run: Sequence[str]) -> list[Row]:
    rows: list[Row] = []
    each = zip(protocol.randomizer, run, protocol.participation, strict=True)
    for place, ((randomizer, users), words, participation) in enumerate(each):
        local = randomizer.local_epsilon()
        eps0 = local if isinstance(local, LogRational) else enclose_real(local, relative_bits=DEFAULT_RELATIVE_BITS)
        rows.append((str(place), users, words, participation, eps0))
    return rows


def _own_eps(part: ShuffleProtocol, delta: Fraction) -> Value:
    """Return eps of a class that is shuffled by itself; None where no finite upper end is known."""
    try:
        return part.privacy_profile().epsilon(delta)
    except UndecidedError:
        return None
