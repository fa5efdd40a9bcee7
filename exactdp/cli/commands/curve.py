"""``curve``: delta on a grid of eps. The JSON is described in docs/json.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import click

from exactdp.cli.explanation import of_answers
from exactdp.cli.options import (
    answer_options,
    cross_check_option,
    exact_option,
    explain_option,
    options,
    subject_arguments,
    typed_target,
)
from exactdp.cli.output import Report, columns, records
from exactdp.cli.progress_bars import working
from exactdp.cli.question import CONFIRM_BUDGET, PrivacyAnswer, least_delta, worst_status
from exactdp.cli.subjects import NoisyQuery, Subject, read_subject
from exactdp.cli.values import TypedLevel, read_bounded
from exactdp.errors import InvalidValueError
from exactdp.numbers.exact import as_fraction
from exactdp.numbers.formats import exact_text, number_text

_MAX_POINTS: Final = 10_000
"""More points than a screen can show; at some milliseconds each they take a minute."""


@click.command("curve")
@options(subject_arguments)
@click.option("--eps-from", metavar="EPS", help="First eps of the grid; default 0.")
@click.option("--eps-to", metavar="EPS", help="Last eps of the grid.")
@click.option("--points", metavar="K", help="Number of points of the grid; default 11.")
@click.option("--exp-eps-grid", metavar="E,E,...", help="Values of e^eps instead, for exact answers: 1,3/2,2.")
@options(exact_option, cross_check_option, explain_option, answer_options)
def curve_command(exact: bool, cross_check: bool, explain: bool, **typed: str | None) -> Report:
    """delta on a grid of eps, or of e^eps, in both orders: over all neighbouring data sets, or for a noise law."""
    target = typed_target(typed)
    eps_from, eps_to, points, exp_eps_grid = map(typed.get, ("eps_from", "eps_to", "points", "exp_eps_grid"))
    if exp_eps_grid is not None and (eps_from, eps_to, points) == (None, None, None):
        privacy_levels = [TypedLevel.read(None, value.strip()) for value in exp_eps_grid.split(",")]
    elif exp_eps_grid is None and eps_to is not None:
        privacy_levels = _eps_grid("0" if eps_from is None else eps_from, eps_to, "11" if points is None else points)
    else:
        raise InvalidValueError("one grid is needed. Write --eps-to 2 --points 11, or --exp-eps-grid 1,3/2,2.")
    subject = read_subject(target, typed, exact=exact)
    with working(f"{subject.work}, at {len(privacy_levels)} points"):
        budget = CONFIRM_BUDGET // len(privacy_levels)
        answers = [least_delta(subject, level, exact=exact, budget=budget) for level in privacy_levels]
    answers = [answer.cross_checked(cross_check) for answer in answers]
    about = subject.cells if isinstance(subject, NoisyQuery) else {}
    report = Report(
        lambda: [
            *columns(_with_checks(_curve_rows(subject, privacy_levels, answers), answers)),
            "",
            *subject.lines([]),
        ],
        lambda: {**subject.data, "points": [answer.data() for answer in answers]},
        lambda: records(*({**about, **answer.cells} for answer in answers)),
        status=worst_status(answer.check for answer in answers),
    )
    if not explain:
        return report
    asked = f"the curve of the least delta at {len(answers)} points"
    return of_answers(subject, asked, [a.level for a in answers], [a.proof for a in answers]).on(report)


def _eps_grid(start: str, stop: str, points: str) -> list[TypedLevel]:
    """Return evenly spaced orders from one eps to another, both included."""
    first, last = (as_fraction(text, name=name) for text, name in ((start, "eps-from"), (stop, "eps-to")))
    count = read_bounded(points, "points", _MAX_POINTS)
    if not 0 <= first <= last:
        raise InvalidValueError(
            f"eps-from={exact_text(first)} and eps-to={exact_text(last)} are no grid. Give 0 <= eps-from <= eps-to."
        )
    step = (last - first) / max(1, count - 1)
    return [TypedLevel.read(exact_text(first + k * step), None) for k in range(count)]


def _curve_rows(
    subject: Subject, levels: Sequence[TypedLevel], answers: Sequence[PrivacyAnswer]
) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("e^eps" if levels[0].name == "exp_eps" else "eps", "delta", subject.label, "level")]
    if not subject.profile.is_tight:
        return _bracket_rows(levels, answers)
    for level, answer in zip(levels, answers, strict=True):
        worst = "none" if answer.worst is None else answer.worst_line[1]
        rows.append((level.shown, number_text(answer.least.value), worst, answer.level))
    return rows


def _bracket_rows(levels: Sequence[TypedLevel], answers: Sequence[PrivacyAnswer]) -> list[tuple[str, ...]]:
    """Return a row for each point: both ends, the factor between them, what attains the one and proves the other."""
    head = ("lower end", "upper end", "factor", "lower end attained by", "upper end proved by", "level")
    rows: list[tuple[str, ...]] = [("e^eps" if levels[0].name == "exp_eps" else "eps", *head)]
    for level, answer in zip(levels, answers, strict=True):
        assert answer.ends is not None
        rows.append((level.shown, *answer.ends.row, answer.level))
    return rows


def _with_checks(rows: Sequence[tuple[str, ...]], answers: Sequence[PrivacyAnswer]) -> list[tuple[str, ...]]:
    """Return the rows with a column of what the cross-checks say, where there are any."""
    said = [answer.check.check.verdict for answer in answers if answer.check is not None]
    if not said:
        return list(rows)
    return [(*row, cell) for row, cell in zip(rows, ["cross-check", *said], strict=True)]
