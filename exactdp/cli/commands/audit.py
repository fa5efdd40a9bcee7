"""``audit``: what the whole of a deployment gives away, from its file. The JSON is described in docs/json.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

import click

from exactdp.cli.options import answer_format, option_of, options, typed_command
from exactdp.cli.output import HONEST_USERS, Report, cell, columns, number_cells, printable, records
from exactdp.cli.progress_bars import Bar
from exactdp.cli.values import FILE, FOLDER, PROBABILITY, Typed
from exactdp.errors import InvalidValueError
from exactdp.numbers.epsilon import eps_text
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import exact_text, number_json, number_text
from exactdp.progress import progress_callback
from exactdp.studies.deployment.deployment import PERSON, Deployment
from exactdp.studies.deployment.deployment_files import read_deployment
from exactdp.studies.deployment.folder import answer_data, level_of, new_folder, save
from exactdp.studies.deployment.solving import Solved, Tried, solve

UNITS: Final = {PERSON: "all that one person ever sends is replaced", "round": "what one person sends in one round"}
"""What each unit means."""
_HOLDS: Final = {True: "yes, proved", False: "no, refuted", None: "open: it lies between the two proved ends"}
_LEVELS: Final = {
    "exact": "exact: by the engine, not re-checked",
    "enclosure": "enclosure: both ends are proved and enclosed by the engine, not re-checked",
}
_KINDS: Final = (("releases", "release"), ("questions", "question"), ("classes", "class"))
_MOST_POINTS: Final = 100
"""Most points of a curve."""
_OF_A_CLASS: Final = 10
"""The whole of a class costs about so much more than one round of a question."""
_PIECES: Final = 100
"""Of a stage, so many pieces of work are reported for its cost, about, before half of it is done."""
_PER_CENT: Final = 100


def _read_points(text: str, name: str) -> int:
    points = as_integer(text, name="curve", at_least=1)
    if points > _MOST_POINTS:
        raise InvalidValueError(f"curve={points} is more than {_MOST_POINTS} points. Ask for fewer.")
    return points


_CURVE: Final = Typed(_read_points)


@click.command("audit")
@click.argument("file", type=FILE)
@option_of(PROBABILITY, "D", "--delta", help="Of the whole, in the place of that of the file.")
@click.option(
    "--solve",
    "solved",
    metavar="WHAT",
    multiple=True,
    help="How much the budget allows: eps0, question.NAME.eps0, n or times; repeatable.",
)
@option_of(_CURVE, "K", "--curve", "points", help="Also eps of the whole at K deltas, each a tenth of the one before.")
@option_of(FOLDER, "FOLDER", "-o", "--output", "folder", help="Write certificates, the answer and a page to read.")
@options(answer_format)
def audit_command(
    file: str, delta: Fraction | None, solved: tuple[str, ...], points: int | None, folder: str | None
) -> Report:
    """What a deployment gives away: eps at delta of the whole, of each release, question and class.

    FILE says what is deployed; `exactdp init --deployment` writes one that shows every key. eps lies between two proved
    ends, with what attains the lower one and which theorems prove the upper one, and the budget holds where the upper
    end is within it. A question stands for itself, asked in one round; a release for all its rounds.

    --solve finds the largest factor, a multiple of 1/100, of all eps0, of one question's or of the people, or the
    largest number of rounds, that is safe, and the least that is refuted; of people the least that is safe.

    With -o, FOLDER has certificates of all that claims can state; `exactdp verify FOLDER` re-checks them.
    """
    deployment = read_deployment(file)
    if solved and deployment.budget is None:
        raise InvalidValueError(f'{printable(file)} has no budget to solve for. Add [budget] with eps = "1".')
    if folder is not None:
        new_folder(folder)
    audit = deployment.audit(delta=delta)
    parts = [audit, *audit.classes, *audit.releases, *audit.questions]
    cost = _OF_A_CLASS * len(audit.profile.profiles)
    costs = [cost, *[1] * (len(parts) - 1), cost * (points or 0), *[2 * cost for _ in solved], cost if folder else 0]
    with _Stages.shown(costs) as stages:
        for part in parts:
            with stages.next("the whole" if part is audit else printable(part.name)):
                _ = part.epsilon, part.theorem  # are kept
        with stages.next("the curve"):
            data = answer_data(audit, audit.curve(_deltas(audit.delta, points)) if points else ())
        answers = []
        for what in solved:
            with stages.next(f"solving for {what}"):
                answers.append(solve(deployment, what, delta=delta))
        if answers:
            data["solved"] = [_solved_data(one) for one in answers]
        remarks = []
        if folder is not None:
            with stages.next("the folder"):
                _write(audit, folder, data)
            remarks = [f"wrote {printable(folder)}", f"re-checked by: exactdp verify {printable(folder)}"]
    lines = _lines(deployment, audit, data)
    report = Report(lambda: [*lines, *_solved_lines(answers), "", HONEST_USERS], lambda: data, lambda: _table(data))
    return replace(report, remarks=remarks)


class _Stages:
    """One bar for all that is asked: stages with a cost each, about, of which the reported work fills a part."""

    def __init__(self, bar: Bar, costs: Sequence[int]) -> None:
        self.bar, self.costs, self.place, self.done = bar, costs, -1, 0

    @classmethod
    @contextmanager
    def shown(cls, costs: Sequence[int]) -> Iterator[_Stages]:
        """Say how far all of it is, with the time to go, until it is over."""
        with Bar("audit", "%").kept_alive() as bar:
            yield cls(bar, costs)

    @contextmanager
    def next(self, name: str) -> Iterator[None]:
        """Begin the next stage, and end it."""
        self.place, self.done = self.place + 1, 0
        self.bar.name = self.bar.line.name = f"audit, {name}"
        with progress_callback(self):
            yield

    def __call__(self, done: int, total: int | None) -> None:
        """Take note of a piece of work: how many there are is not known."""
        self.done += 1
        cost = self.costs[self.place]
        reached = sum(self.costs[: self.place]) + cost * Fraction(self.done, self.done + cost * _PIECES)
        self.bar(max(1, int(_PER_CENT * reached / sum(self.costs))), _PER_CENT)


def _deltas(delta: Fraction, points: int) -> list[Fraction]:
    """Return deltas, each a tenth of the one before: that of the whole is about in the middle."""
    first = delta
    for _ in range(points // 2):
        if first * 10 < 1:
            first *= 10
    return [first / 10**k for k in range(points)]


def _write(audit: Any, folder: str, data: dict[str, Any]) -> None:
    """Write the folder of an audit, and add its certificates to the answer."""
    from exactdp.report.page.deployment_page import deployment_page
    from exactdp.report.page.made import made_by

    made = made_by(typed_command("folder"))
    answer = save(audit, folder, page=lambda *found: deployment_page(*found, made=made), data=data)
    data |= {name: answer[name] for name in ("growth", "certificates", "not_certified")}


# --- For people -----------------------------------------------------------------------------------------------------


def _lines(deployment: Deployment, audit: Any, data: Mapping[str, Any]) -> list[str]:
    way = deployment.participation
    seen = way.model if way.probability == 1 else f"{way.model}, each person in each round with {way.probability}"
    lines = [
        ("deployment", printable(deployment.name)),
        ("replaced", f"{deployment.unit}: {UNITS[deployment.unit]}{', by zeros' * deployment.by_zeros}"),
        ("takes part", seen),
        *(
            (f"n of {one.name}", _people(one, users))
            for one, users in zip(deployment.classes, _users(audit), strict=True)
        ),
        ("delta", number_text(audit.delta)),
        ("eps", eps_text(audit.epsilon)),
        ("attained by", audit.attained_by),
        ("proved by", audit.theorem),
        ("evidence", _LEVELS[level_of(audit.epsilon)]),
    ]
    if deployment.budget is not None:
        lines.append(("budget", f"eps = {number_text(deployment.budget)}: {_HOLDS[audit.budget_holds]}"))
    if deployment.source:
        lines.append(("source", printable(deployment.source)))
    said = columns(lines)
    for field, kind in _KINDS:
        parts = getattr(audit, field)
        said += ["", f"{kind}:" if len(parts) == 1 else f"each {kind}:"]
        for place, part in enumerate(parts):
            said.append(f"  {printable(part.name)}")
            facts = [("eps", eps_text(part.epsilon)), ("attained by", part.attained_by), ("proved by", part.theorem)]
            if field == "releases" and (promised := deployment.releases[place].eps) is not None:
                facts.append(("promised", f"eps = {number_text(promised)}: {_HOLDS[audit.promises_hold[place]]}"))
            said += columns(facts, indent="    ")
    if data["curve"]:
        rows = [(one["delta"], _ends(one["eps"])) for one in data["curve"]]
        said += ["", *columns([("delta", "eps of the whole"), *rows])]
    if certificates := data.get("certificates"):
        said += ["", *(f"{one['verdict']} {one['file']}: {one['statement']}" for one in certificates)]
    said += [f"no certificate: {one['about']}: {one['reason']}" for one in data.get("not_certified", ())]
    return said


def _users(audit: Any) -> list[int]:
    return [one.users for one in audit.deployment.classes]


def _people(one: Any, users: int) -> str:
    return str(users) if one.honest == 1 else f"{users}: {one.honest} of {one.n}, rounded down, follow the protocol"


def _ends(eps: Mapping[str, Any]) -> str:
    return eps["exact"] or f"[{eps['lo']}, {eps['hi']}]"


def _solved_lines(answers: Sequence[Solved]) -> list[str]:
    lines = []
    for one in answers:
        lines += [
            "",
            f"{one.words}: of a budget of eps = {number_text(one.budget)}",
            *columns(
                [
                    ("  safe", _point(one.safe, "least" if one.more_is_safer else "largest")),
                    ("  refuted", _point(one.refuted, "largest" if one.more_is_safer else "least")),
                    ("  scope", one.scope),
                    ("  points", f"{len(one.tried)} tried"),
                    *(("  deployed", line) for line in one.changed if one.safe is not None),
                ]
            ),
        ]
    return lines


def _point(point: Tried | None, which: str) -> str:
    if point is None:
        return "none on the grid"
    return f"{exact_text(point.value)}, the {which}: delta at this eps {point.delta}"


# --- For programs ---------------------------------------------------------------------------------------------------


def _solved_data(one: Solved) -> dict[str, Any]:
    def point(found: Tried | None) -> dict[str, Any] | None:
        return None if found is None else {"value": exact_text(found.value), "delta": number_json(found.delta)}

    return {
        "what": one.what,
        "budget": exact_text(one.budget),
        "delta": exact_text(one.delta),
        "safe": point(one.safe),
        "refuted": point(one.refuted),
        "more_is_safer": one.more_is_safer,
        "monotone": one.is_monotone,
        "scope": one.scope,
        "tried": [point(found) for found in one.tried],
        "deployed": list(one.changed),
    }


def _table(data: Mapping[str, Any]) -> list[list[str]]:
    whole = {"kind": "whole", **data}
    parts = [{"kind": kind, **part} for field, kind in _KINDS for part in data[field]]
    rows = []
    for part in (whole, *parts):
        rows.append(
            {
                "kind": part["kind"],
                "name": part["name"],
                "n": part.get("users"),
                "delta": data["delta"],
                **number_cells("eps", part["eps"], exact=True),
                "level": part["level"],
                "attained_by": part["attained_by"],
                "theorem": part["theorem"],
                "budget": part.get("budget"),
                "budget_holds": cell(part.get("budget_holds")) if "budget" in part else "",
            }
        )
    return records(*rows)
