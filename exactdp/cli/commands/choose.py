"""``choose``: the families of randomizers at equal privacy by error, or at equal error by privacy.

The JSON is described in docs/json.md.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

import click

from exactdp.cli.options import answer_options, folder_option, option_of, options, privacy_level_options, target_option
from exactdp.cli.output import (
    HONEST_USERS,
    Fact,
    Report,
    answer,
    count,
    ends_text,
    exact_fact,
    number_fact,
    say_written,
    users_facts,
)
from exactdp.cli.progress_bars import Bar
from exactdp.cli.values import COUNT, EXACT, USERS, WHOLE, TypedLevel
from exactdp.errors import InvalidValueError
from exactdp.numbers.formats import decimal_text, exact_text, number_text

if TYPE_CHECKING:
    from fractions import Fraction

    from exactdp.numbers.interval import Interval
    from exactdp.studies.calibration.choice import Choice, Choices

_DIGITS: Final = 5
"""Of a number in the table: two families that agree to so many are the same to a reader."""
_MOST_JOBS: Final = 6
"""As many as there are families."""


@click.command("choose")
@options((target_option("--inputs", WHOLE),))
@option_of(USERS, "N", "-n", "--users", required=True, help="Number of users who follow the protocol.")
@options(privacy_level_options)
@option_of(EXACT, "D", "--delta", required=True, help="delta in (0, 1), of all releases together.")
@option_of(WHOLE, "T", "--times", default="1", show_default=True, help="Releases about the same users.")
@option_of(EXACT, "A", "--error", help="At equal error: of the number of holders of an input in one release.")
@option_of(EXACT, "B", "--beta", default="1/20", show_default=True, help="Probability of a larger error.")
@click.option("--simultaneous", is_flag=True, help="The largest error of all inputs, instead of that of one.")
@click.option("--only", metavar="NAME", multiple=True, help="A family, as 'subset selection'; may be given repeatedly.")
@option_of(COUNT, "J", "--jobs", help="Run so many processes; default one for each processor.")
@folder_option("--figures", help="Write the picture, as SVG and PNG, and its data into DIR.")
@options(answer_options)
def choose_command(
    users: int,
    inputs: int | None,
    eps: TypedLevel | None,
    exp_eps: TypedLevel | None,
    jobs: int | None,
    figures: str | None,
    **asked: Any,
) -> Report:
    """Which family of randomizers counts the holders of many inputs best.

    All families at equal privacy, in the order of the error that the worst data set exceeds with probability beta; or
    with --error at equal error, in the order of delta at eps. Errors and deltas are known between two proved ends, and
    an order that the ends leave open is said to be open: such families have several places.

    `exactdp choose --inputs 20 --users 300000 --eps 1/2 --delta 1e-7 --times 260` compares k-ary response, unary
    encoding (symmetric and optimized), subset selection, Hadamard response and local hashing. The clipped discrete
    Laplace, which is for sums, is compared where --only names it, and takes a minute.
    """
    from exactdp.report.experiments.experiment import usable_directory
    from exactdp.studies.calibration.choice import choose

    if inputs is None:
        raise InvalidValueError("choose needs --inputs, what a user can hold. Write --inputs 20.")
    if figures is not None:
        usable_directory(figures)
    level = TypedLevel.one_of(eps, exp_eps)
    processes = jobs or min(_MOST_JOBS, os.cpu_count() or 1)
    with Bar("choose", "families").kept_alive() as bar:
        found = choose(users, inputs, **level.keywords, **asked, jobs=processes, progress=bar)
    if figures is not None:
        from exactdp.report.experiments.experiment import write_picture
        from exactdp.report.figures.calibration_curves import choice_picture

        picture = choice_picture(found)
        say_written(write_picture(picture.table, picture, figures, "choose"))
    return _report(found, level)


def _report(found: Choices, level: TypedLevel) -> Report:
    question = found.question
    is_by_error = question.error is None
    every = f", of all {question.times} releases together" if question.times > 1 else ""
    one = "the largest of all inputs" if question.simultaneous else "of one input"
    most = "" if question.error is None else f"at most {number_text(question.error)} users, "
    asking = [f"  {line}" for line in _asking(found, level, "NAME").values()]
    names = [f"  {row.name}" for row in found.rows if row.name]
    reasons = [f"  {row.family}: {row.reason}" for row in found.rows if row.reason]
    return answer(
        *users_facts(question.n),
        Fact("inputs", count(question.inputs), "task", f"{question.inputs} inputs, n = {question.n}"),
        level.fact.said(""),
        Fact(label="privacy", text=f"{level.text}, delta = {number_text(question.delta)}{every}"),
        exact_fact("delta", question.delta).said(""),
        Fact("times", count(question.times)),
        Fact("beta", exact_text(question.beta)),
        Fact("error", None if question.error is None else exact_text(question.error)),
        Fact("simultaneous", question.simultaneous),
        Fact(
            label="error",
            text=f"{most}{one}, exceeded with probability {number_text(question.beta)} at most on every data set",
        ),
        Fact(
            "ordered_by",
            "error" if is_by_error else "delta",
            "order",
            "by error, at equal privacy" if is_by_error else "by delta at eps, at equal error",
        ),
        rows=[_row(found, level, row) for row in found.rows],
        notes=[
            "Several places: the proved ends leave the order open.",
            *(["To ask again:", *asking, "where NAME is", *names] if names else []),
            *(["No answer:", *reasons] if reasons else []),
            HONEST_USERS,
        ],
    )


def _row(found: Choices, level: TypedLevel, row: Choice) -> list[Fact]:
    from exactdp.protocols.saving import root

    first, last = found.places(row) or (None, None)
    place = "-" if first is None else str(first) if first == last else f"{first} to {last}"
    deviation = None if row.variance is None else root(row.variance)
    about = "-" if row.exp_eps0 is None else decimal_text(row.exp_eps0, _DIGITS, up=False)
    return [
        Fact("first_place", count(first), "place", place),
        Fact("last_place", count(last)),
        Fact("family", row.family, "family", row.family),
        number_fact("exp_eps0", row.exp_eps0, "e^eps0", about),
        number_fact("error", row.error, "error", _shown(row.error)),
        number_fact("standard_deviation", deviation, "standard deviation", _shown(deviation)),
        number_fact("delta_at_eps", row.delta, "delta at eps", _shown(row.delta), bits=24),
        Fact("bits", count(row.bits), "bits", "-" if row.bits is None else str(row.bits)),
        number_fact("least_error", row.least_error, ""),
        Fact("theorem", row.theorem or None),
        Fact("level", "enclosure" if row.name else "none"),
        Fact("randomizer", row.name or None),
        Fact("paste", _asking(found, level, row.name) if row.name else None, cells={}),
        Fact("reason", row.reason or None),
    ]


def _asking(found: Choices, level: TypedLevel, name: str) -> dict[str, str]:
    """Return the lines that ask for the error and the privacy of a randomizer again."""
    question = found.question
    together = " --simultaneous" if question.simultaneous else ""
    option = "eps" if level.eps is not None else "exp-eps"
    asked = "delta" if question.times == 1 else "compose"
    runs = "" if question.times == 1 else f" --times {question.times}"
    return {
        "error": f"exactdp accuracy {name} --users {question.n} --beta {exact_text(question.beta)}{together}",
        "privacy": f"exactdp {asked} {name} --users {question.n}{runs} --{option} {level.shown}",
    }


def _shown(value: Fraction | Interval | None) -> str:
    return ends_text(value, _DIGITS, "-")
