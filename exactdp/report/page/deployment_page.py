"""The page of a deployment: what may be promised in one sentence, the numbers, one picture, and how to check them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import inf
from typing import Any, Final

from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.numbers.interval import Interval
from exactdp.report.figures.chart import Axis, Line, one_panel
from exactdp.report.figures.data import Cell, DataTable, float_ends, number_words
from exactdp.report.figures.picture import Picture
from exactdp.report.page.cells import NumberTable, Row
from exactdp.report.page.html import DrawnFigure, report_page
from exactdp.report.page.made import Made
from exactdp.report.page.protocols import ProtocolPage
from exactdp.studies.deployment.deployment import ALWAYS, PERSON, SEPARATE, SUMS, TOGETHER, Deployment

_PROMISE: Final = "promise"
_ASSUMED: Final = "assumed"
_CHECK: Final = "check"
_MOST_LINES: Final = 5
"""As many classes as have a look of their own: those that lose most."""
_LEVEL: Final = "both ends proved, enclosed by the engine; exact where a fraction or a logarithm"
_WHO: Final = {
    PERSON: "all that one person ever sends",
    "round": "all that one person sends in one round",
}
_SEEN: Final = {
    ALWAYS: "Everybody takes part in every round.",
    "counted": "In each round each person takes part with probability {q}, by a coin of his own that all questions of "
    "the round share and rounds do not. How many messages there are is seen, not whose are missing.",
    "listed": "In each round each person takes part with probability {q}, by a coin of his own that all questions of "
    "the round share and rounds do not. Who takes part is public.",
    "hidden": "In each round each person takes part with probability {q}, by a coin of his own that all questions of "
    "the round share and rounds do not. Who is away sends a dummy, which nobody tells from an answer.",
}
_MIXED: Final = {
    SEPARATE: "each question is shuffled by itself",
    TOGETHER: "all answers of a person are one message, and these are shuffled",
    SUMS: "of each question only the sums of the messages are seen",
}

Growth = Sequence[tuple[int, Sequence[LogRational | Interval]]]


def deployment_page(audit: Any, answer: Mapping[str, Any], grown: Growth, *, made: Made | None = None) -> str:
    """Return what an audit found as HTML that loads nothing.

    Args:
        audit: of a deployment.
        answer: the answer as data, with the certificates.
        grown: eps of each class after some of the rounds.
        made: what the foot of the page says.
    """
    deployment: Deployment = audit.deployment
    pages = (
        ProtocolPage(_PROMISE, "What may be promised", "\n\n".join([promise(audit), *_budget(audit), _READING]), ""),
        ProtocolPage(_ASSUMED, "What is assumed", _assumed(deployment), ""),
        ProtocolPage(_CHECK, "What proves it, and how to check", f"{_proofs(audit)}\n\n{_check(answer)}", ""),
    )
    tables = {
        _PROMISE: [_parts(audit), *_solved(answer)],
        _ASSUMED: [_people(deployment), _asked(deployment)],
        _CHECK: _certificates(answer),
    }
    figures = [DrawnFigure.of(growth_picture(deployment, grown), _PROMISE)] if grown else []
    return report_page([], tables, figures, pages=pages, title=deployment.name, made=made)


def promise(audit: Any) -> str:
    """Return the one sentence that can be quoted."""
    deployment: Deployment = audit.deployment
    low, high = _words(audit.epsilon, up=False), _words(audit.epsilon, up=True)
    who = _WHO[deployment.unit]
    other = f"with zeros in place of {who}" if deployment.by_zeros else f"whatever {who} had been instead"
    return (
        f"Whatever else is known, and {other}, what is seen of “{deployment.name}” would have been as likely up to a "
        f"factor of e^eps and a delta of {number_words(audit.delta)}, with the least such eps between {low} and "
        f"{high}, proved."
    )


def _budget(audit: Any) -> list[str]:
    """Return whether the budget holds, and what is promised for releases, where there is such; and the source."""
    deployment: Deployment = audit.deployment
    asked = [("The budget of", deployment.budget, audit.budget_holds)]
    for one, holds in zip(deployment.releases, audit.promises_hold, strict=True):
        asked.append((f"The promise for “{one.name}” of", one.eps, holds))
    verdicts = {
        True: "holds, proved: the upper end is within it",
        False: "does not hold, proved: the lower end is above it",
        None: "is open: it lies between the two ends",
    }
    said = [f"{what} eps = {number_words(eps, 4)} {verdicts[holds]}." for what, eps, holds in asked if eps is not None]
    return said + [f"Source: {deployment.source}"] * bool(deployment.source)


_READING: Final = (
    "The lower end is attained: there are two cases, which differ in this one person, that no smaller eps covers. The "
    "upper end is proved for all cases. At eps = 0 nothing would be told; at eps = 1 something seen can be at most "
    "2.72 times as likely, beside the delta."
)


def _assumed(deployment: Deployment) -> str:
    way = deployment.participation
    asked = "; ".join(f"in {_count(one.times, 'round')}, {_MIXED[one.shuffling]}" for one in deployment.releases)
    return (
        "Counted on are people who follow the protocol, with randomness of their own; the person who differs is one of "
        "them, and with fewer there is less privacy. Which class somebody is of is public. "
        f"{_SEEN[way.model].format(q=way.probability)}\n\n"
        f"What is seen: {asked}. Answers may change from round to round, and what is asked later may depend on what "
        "was seen. Who shuffles or sums shows nothing else."
    )


def _check(answer: Mapping[str, Any]) -> str:
    count = _count(len(answer.get("certificates", ())), "certificate")
    return (
        f"The folder of this page holds {count}. “exactdp verify FOLDER” re-checks all of them, and compares their "
        "claims with those that the answer lists. A checker that needs nothing but Python’s standard library is one "
        "file: “exactdp verify --write-checker checker.py”, then “python checker.py FOLDER/certificates/*.json”.\n\n"
        "What is in no certificate is proved by the theorems above, and computed by the engine; the command at the "
        "foot of the page computes it again. No claim states what a coin that several questions share makes of them, "
        "nor many rounds of people who may be away."
    )


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _words(epsilon: LogRational | Interval, *, up: bool) -> str:
    if isinstance(epsilon, LogRational):
        if epsilon.is_infinite:
            return "infinity"
        epsilon = epsilon.enclose()
    return number_words(epsilon, 4, up=up)


# --- Tables ---------------------------------------------------------------------------------------------------------


def _named_parts(audit: Any) -> list[tuple[str, str, Any]]:
    """Return the whole and its parts, each with its name and its kind."""
    kinds = (
        ("release, all rounds" if audit.deployment.unit == PERSON else "release, one round", audit.releases),
        ("question, once", audit.questions),
        ("class, all releases", audit.classes),
    )
    parts = [(part.name, kind, part) for kind, listed in kinds for part in listed]
    return [("the whole", "worst class", audit), *parts]


def _parts(audit: Any) -> NumberTable:
    """Return eps of the whole and of its parts."""
    rows = tuple((name, kind, *_ends(part.epsilon)) for name, kind, part in _named_parts(audit))
    heads = ("what", "which", "ε, at least", "ε, at most")
    return NumberTable(f"The least ε at δ = {number_words(audit.delta)}", heads, rows, _LEVEL)


def _proofs(audit: Any) -> str:
    """Return what stands behind both ends of the whole and of its parts, the same words once."""
    said: dict[tuple[str, str], list[str]] = {}
    for name, kind, part in _named_parts(audit):
        said.setdefault((part.attained_by, part.theorem), []).append(name if part is audit else f"{name} ({kind})")
    paragraphs = []
    for (attained_by, theorem), names in said.items():
        lower = f" Lower end, attained: {attained_by}." if attained_by else ""
        upper = f" Upper end, proved by: {theorem}." if theorem else ""
        paragraphs.append(f"{'; '.join(names)}.{lower}{upper}")
    return "\n\n".join(paragraphs)


def _ends(epsilon: LogRational | Interval) -> tuple[Fraction | str, Fraction | str]:
    if isinstance(epsilon, LogRational):
        if epsilon.is_infinite:
            return "infinity", "infinity"
        epsilon = epsilon.enclose()
    return epsilon.lo, epsilon.hi


def _people(deployment: Deployment) -> NumberTable:
    """Return who is counted on."""
    rows = tuple((one.name, one.n, one.honest, one.users) for one in deployment.classes)
    heads = ("class", "people", "follow the protocol", "counted on")
    return NumberTable("Who is counted on", heads, rows, "people times the share, rounded down")


def _asked(deployment: Deployment) -> NumberTable:
    """Return what is asked, and what each class runs."""
    names = [one.name for one in deployment.classes]
    rows: list[Row] = []
    for release in deployment.releases:
        for name in release.questions:
            question = deployment.question(name)
            rows.append((name, len(question.inputs), *question.specs, release.shuffling, release.times))
    heads = ("question", "inputs", *(f"run by {name}" for name in names), "mixed", "rounds")
    return NumberTable("What is asked", heads, tuple(rows), "as it was given")


def _solved(answer: Mapping[str, Any]) -> list[NumberTable]:
    """Return how much the budget allows, where that was asked."""
    if not (solved := answer.get("solved")):
        return []
    rows = [
        (
            one["what"],
            Fraction(one["safe"]["value"]) if one["safe"] else None,
            Fraction(one["refuted"]["value"]) if one["refuted"] else None,
            one["scope"],
        )
        for one in solved
    ]
    heads = ("changed", "last safe", "first refuted", "scope")
    return [NumberTable("How much the budget allows", heads, tuple(rows), "each an audit of its own, as above")]


def _certificates(answer: Mapping[str, Any]) -> list[NumberTable]:
    """Return what has a certificate, and what has none."""
    rows: list[Row] = [
        (one["about"], one["verdict"].lower(), Fraction(one["eps"]), one["file"].rpartition("/")[2])
        for one in answer.get("certificates", ())
    ]
    level = "certificate: re-checked by the standard-library checker when the folder was written"
    tables = [NumberTable("What has a certificate", ("claim", "verdict", "ε", "file"), tuple(rows), level)]
    if missing := tuple((one["about"], one["reason"]) for one in answer.get("not_certified", ())):
        tables.append(NumberTable("What has none", ("claim", "why"), missing, "enclosure, by the engine"))
    return tables


# --- The picture ----------------------------------------------------------------------------------------------------


def growth_picture(deployment: Deployment, grown: Growth) -> Picture:
    """Return the picture of eps against rounds, a line for each class."""
    order = sorted(range(len(deployment.classes)), key=lambda place: -_height(grown[-1][1][place]))[:_MOST_LINES]
    names = [deployment.classes[place].name for place in sorted(order)]
    places = sorted(order)
    rows: list[tuple[Cell, ...]] = [
        (n, name, *_ends(eps[place])) for n, eps in grown for name, place in zip(names, places, strict=True)
    ]
    rounds, classes = grown[-1]
    most = _words(max(classes, key=_height), up=True)
    less = "" if len(deployment.classes) <= _MOST_LINES else f" The {_MOST_LINES} classes that lose most are drawn."
    lines = []
    for color, (name, place) in enumerate(zip(names, places, strict=True)):
        shown = [(float(n), ends) for n, eps in grown if not isinstance((ends := _ends(eps[place]))[1], str)]
        known = [Interval.between(low, high, bits=DEFAULT_RELATIVE_BITS) for _, (low, high) in shown]  # type: ignore[arg-type]
        lines.append(Line([n for n, _ in shown], known, name, color))
    return Picture(
        "rounds",
        f"After {_count(rounds, 'round')}, ε is at most {most}",
        f"The least ε of the whole for a person of each class. Bands lie between the two proved ends.{less}",
        DataTable(("rounds", "class", "eps_lo", "eps_hi"), tuple(rows)),
        one_panel(*lines, x=Axis("rounds", low=0, ticks="whole"), y=Axis("ε of the whole", low=0), height=2.6),
    )


def _height(epsilon: LogRational | Interval) -> float:
    ends = _ends(epsilon)
    return inf if isinstance(ends[1], str) else float_ends(ends[1])[1]
