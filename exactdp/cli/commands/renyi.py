"""``renyi``: Rényi divergences and zCDP, of one run or of many. The JSON is described in docs/json.md."""

from __future__ import annotations

from typing import Any, Final

import click

from exactdp.cli.options import answer_options, options, subject_arguments
from exactdp.cli.output import Fact, Report, answer, count, exact_fact, number_cells
from exactdp.cli.progress_bars import working
from exactdp.cli.subjects import read_subject
from exactdp.numbers.epsilon import eps_json, eps_text
from exactdp.numbers.exact import as_fraction, as_integer

_ASKED: Final = (
    click.option("--order", metavar="A", help="Order of the divergence, above 1; without it the least rho of zCDP."),
    click.option("--times", metavar="K", help="Number of runs; default 1."),
    click.option("--relative-width", metavar="W", help="Width of the interval over its upper end; default 1/100."),
)
_ENCLOSED: Final = "enclosure: both ends are proved and enclosed by the engine, not re-checked"


@click.command("renyi")
@options(subject_arguments, _ASKED, answer_options)
def renyi_command(**typed: Any) -> Report:
    """The largest Rényi divergence of an order, or the least rho of zero-concentrated DP, between two proved ends.

    Over all neighbouring data sets in both orders, and of K runs together, whose divergences add up. Infinite where
    delta does not fall to 0.
    """
    subject = read_subject(typed)
    times = as_integer("1" if typed["times"] is None else typed["times"], name="times", at_least=1)
    width = None if typed["relative_width"] is None else as_fraction(typed["relative_width"], name="relative_width")
    order = None if typed["order"] is None else as_fraction(typed["order"], name="order")
    runs = subject.profile.compose(times) if times > 1 else subject.profile
    with working(f"Rényi divergence of {subject.work}"):
        if order is None:
            value, name, label = runs.zcdp(relative_width=width), "rho", "rho of zCDP"
            asked = []
        else:
            value, name, label = runs.renyi(order, relative_width=width), "divergence", "divergence"
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
