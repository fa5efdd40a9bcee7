"""``renyi``: Rényi divergences and zCDP, of one run or of many. The JSON is described in docs/json.md."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import click

from exactdp.cli.options import answer_options, option_of, options, subject_arguments, times_option, width_option
from exactdp.cli.output import Fact, Report, answer, count, exact_fact, number_cells
from exactdp.cli.progress_bars import working
from exactdp.cli.subjects import read_subject
from exactdp.cli.values import EXACT
from exactdp.numbers.epsilon import eps_json, eps_text

_ASKED: Final = (
    option_of(EXACT, "A", "--order", help="Order of the divergence, above 1; without it the least rho of zCDP."),
    times_option(help="Number of runs; default 1."),
    width_option(help="Width of the interval over its upper end; default 1/100."),
)
_ENCLOSED: Final = "enclosure: both ends are proved and enclosed by the engine, not re-checked"


@click.command("renyi")
@options(subject_arguments, _ASKED, answer_options)
def renyi_command(order: Fraction | None, times: int | None, relative_width: Fraction | None, **typed: Any) -> Report:
    """The largest Rényi divergence of an order, or the least rho of zero-concentrated DP, between two proved ends.

    Over all neighbouring data sets in both orders, and of K runs together, whose divergences add up. Infinite where
    delta does not fall to 0.
    """
    subject, times = read_subject(typed), times or 1
    runs = subject.profile.compose(times) if times > 1 else subject.profile
    with working(f"Rényi divergence of {subject.work}"):
        if order is None:
            value, name, label = runs.zcdp(relative_width=relative_width), "rho", "rho of zCDP"
            asked = []
        else:
            value, name, label = runs.renyi(order, relative_width=relative_width), "divergence", "divergence"
            asked = [exact_fact("order", order)]
    data = eps_json(value)
    found = {key: data[key] for key in ("exact", "lo", "hi")}
    return answer(
        *subject.facts,
        Fact("engine", subject.profile.engine, "engine", subject.work),
        Fact("times", count(times), "runs", str(times)),
        *asked,
        Fact(name, found, label, eps_text(value), number_cells(name, found)),
        Fact("level", "enclosure", "evidence", _ENCLOSED),
        notes=[subject.note],
    )
