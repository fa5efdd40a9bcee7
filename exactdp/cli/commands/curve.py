"""``curve``: delta on a grid of eps. The JSON is described in docs/json.md."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from exactdp.cli.options import exact_option, option_of
from exactdp.cli.progress_bars import working
from exactdp.cli.question import CONFIRM_BUDGET, Answer, least_delta, question
from exactdp.cli.subjects import Subject
from exactdp.cli.values import Typed, TypedLevel, read_bounded
from exactdp.errors import InvalidValueError
from exactdp.numbers.exact import as_fraction
from exactdp.numbers.formats import exact_text

_MAX_POINTS: Final = 10_000
"""More points than a screen can show; at some milliseconds each they take a minute."""
_POINTS: Final = Typed(read_bounded, limit=_MAX_POINTS)
_LEVELS: Final = Typed(lambda text, name: [TypedLevel.read(one.strip(), "exp_eps") for one in text.split(",")])
_GRID: Final = (
    option_of(Typed(as_fraction, "eps-from"), "EPS", "--eps-from", help="First eps of the grid; default 0."),
    option_of(Typed(as_fraction, "eps-to"), "EPS", "--eps-to", help="Last eps of the grid."),
    option_of(_POINTS, "K", "--points", help="Number of points of the grid; default 11."),
    option_of(_LEVELS, "E,E,...", "--exp-eps-grid", help="Values of e^eps instead, for exact answers: 1,3/2,2."),
)


@question("curve", _GRID, exact_option)
def curve_command(subject: Subject, typed: dict[str, Any]) -> list[Answer]:
    """delta on a grid of eps, or of e^eps, in both orders: over all neighbouring data sets, or for a noise law."""
    eps_from, eps_to, points, exp_eps_grid = map(typed.get, ("eps_from", "eps_to", "points", "exp_eps_grid"))
    if exp_eps_grid is not None and (eps_from, eps_to, points) == (None, None, None):
        levels = exp_eps_grid
    elif exp_eps_grid is None and eps_to is not None:
        levels = _eps_grid(eps_from or Fraction(0), eps_to, points or 11)
    else:
        raise InvalidValueError("one grid is needed. Write --eps-to 2 --points 11, or --exp-eps-grid 1,3/2,2.")
    with working(f"{subject.work}, at {len(levels)} points"):
        budget = CONFIRM_BUDGET // len(levels)
        return [least_delta(subject, level, exact=typed["exact"], budget=budget) for level in levels]


def _eps_grid(first: Fraction, last: Fraction, points: int) -> list[TypedLevel]:
    """Return evenly spaced orders from one eps to another, both included."""
    if not 0 <= first <= last:
        raise InvalidValueError(
            f"eps-from={exact_text(first)} and eps-to={exact_text(last)} are no grid. Give 0 <= eps-from <= eps-to."
        )
    step = (last - first) / max(1, points - 1)
    return [TypedLevel.read(exact_text(first + k * step), "eps") for k in range(points)]
