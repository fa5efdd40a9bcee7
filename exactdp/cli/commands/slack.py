"""``slack``: what each step of a published theorem's proof gives away, at the theorem's noise and in noise.

Of zsum the noise is mu = n gamma at the theorem's gamma, rounded up to a multiple of 2^-53. A row bounds delta: its
value at that noise, and an enclosure of a noise at which it passes from more than the target to at most the target. Of
exact rows the noise needed is local: with gamma at its upper end over n the row is at most the target, one step of
gamma less it is more; that it holds for every larger gamma is not claimed. Of correlated counting the noise is r, of
which the least one is enclosed, whatever n. The JSON is described in docs/json.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import click

import exactdp as xdp
from exactdp.cli.options import (
    answer_options,
    one_of,
    options,
    privacy_level_options,
    relative_bits_option,
    with_parameters,
)
from exactdp.cli.output import HONEST_USERS, Report, columns, counted_users, flat, number_data, records
from exactdp.cli.progress_bars import working
from exactdp.cli.values import TypedLevel, read_bits
from exactdp.errors import InvalidValueError
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.exact import as_fraction, as_integer
from exactdp.numbers.formats import exact_text, number_json, number_text
from exactdp.protocols.naming.populations import read_population

if TYPE_CHECKING:
    from exactdp.protocols.zsum_and_histogram.slack import SlackRow


_DIGITS: Final = 7
"""As many as in all text: enough to tell two rows apart."""
_HEADS: Final = ("bound", "delta at this noise", "noise needed", "theorem / needed")
"""Of the columns of text."""
_ZSUM: Final = "zsum"
_CORRELATED: Final = "correlated-counting"
_NOTES: Final = (
    "noise is mu = n gamma. A closed form holds at every noise above the one it needs. Of an exact row it is local:",
    "at the upper end the row holds, one step of gamma less it fails; nothing is claimed about more noise.",
)
"""What the text says of the noise that a row needs."""
_COUNTING_NOTES: Final = (
    "noise is r, the shape of the noise of both counts: each row holds at every r above the one it needs, and 0 stands",
    "for every r. p1 = e^(-(1 - share) eps) and p2 = e^(-share eps / 5) are the theorem's. No row depends on n.",
)
"""The same of correlated counting."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """The rows of a theorem, and what is said before them."""

    rows: tuple[SlackRow, ...]
    head: dict[str, Any]
    """JSON data."""
    lines: list[tuple[str, str]]
    notes: tuple[str, ...]
    enclosed: tuple[str, ...] = ()
    """What of the head is no exact number."""


_NAMED: Final = one_of((_ZSUM, _CORRELATED))


@click.command("slack")
@click.argument("theorem", callback=_NAMED, metavar="THEOREM")
@click.option("-n", "--users", metavar="N", help="Number of users who follow the protocol; needed for zsum.")
@options(privacy_level_options)
@click.option("--delta", metavar="D", required=True, help="Target delta in (0, 1).")
@click.option("--share", metavar="S", help="Of correlated-counting: the share of eps for the noise of both counts.")
@options(relative_bits_option, answer_options)
def slack_command(theorem: str, **typed: str | None) -> Report:
    """What each step of a published theorem's proof gives away. THEOREM is zsum or correlated-counting.

    Of zsum the table compares the published closed form, the closed form with the real constant, Lemma 3, the exact
    smoothness of the noise and its exact hockey-stick divergence; eps is in (0, 1]. Of correlated-counting it compares
    the theorem, Chernoff's bound, and the exact divergences of the noise of both counts and of the view; share * eps
    is at most 1. Each row has its delta at the theorem's noise, the noise it would need for the target delta, and how
    many times more the theorem takes.
    """
    theorem, typed = with_parameters(_NAMED, theorem, typed)
    level = TypedLevel.read(typed["eps"], typed["exp_eps"])
    bits, target = read_bits(typed["relative_bits"]), as_fraction(typed["delta"], name="delta")
    read = _zsum if theorem == _ZSUM else _counting
    with working(f"slack of the {theorem} theorem"):
        answer = read(typed, level, target, bits)
    listed = [(row.name, *map(_ends, (row.delta, row.needed, row.ratio))) for row in answer.rows]
    head = {"theorem": theorem, **answer.head}
    return Report(
        lambda: [*columns(answer.lines), "", *columns([_HEADS, *listed]), "", *answer.notes, HONEST_USERS],
        lambda: {**head, "rows": [_data(row, bits) for row in answer.rows], "level": "enclosure"},
        lambda: records(*(flat(head, ends=answer.enclosed) | _cells(_data(row, bits)) for row in answer.rows)),
    )


def _zsum(typed: Mapping[str, str | None], level: TypedLevel, delta: Fraction, bits: int) -> _Answer:
    from exactdp.protocols.zsum_and_histogram.slack import zsum_slack
    from exactdp.protocols.zsum_and_histogram.zsum_theorem import zsum_rounded_gamma

    if typed["share"] is not None:
        raise InvalidValueError(f"--share has no meaning for {_ZSUM}. Leave it out: it belongs to {_CORRELATED}.")
    if typed["users"] is None:
        raise InvalidValueError(f"{_ZSUM} needs -n, the number of users who follow the protocol. Write -n 1000000.")
    n = as_integer(typed["users"], name="n")
    rows = zsum_slack(n, eps=level.for_theorems, delta=delta, relative_bits=bits)
    gamma = zsum_rounded_gamma(n, eps=level.for_theorems, delta=delta)
    head = {
        **counted_users(n),
        level.name: level.shown,
        "delta": exact_text(delta),
        "gamma": exact_text(gamma),
        "noise": number_json(n * gamma),
    }
    lines = [
        ("theorem", f"{_ZSUM}, n = {n}"),
        ("privacy", level.text),
        ("delta", number_text(delta)),
        ("gamma", number_text(gamma)),
        ("noise", f"mu = n gamma = {number_text(n * gamma)}"),
    ]
    return _Answer(rows, head, lines, _NOTES)


def _counting(typed: Mapping[str, str | None], level: TypedLevel, delta: Fraction, bits: int) -> _Answer:
    from exactdp.protocols.counting.counting_slack import correlated_counting_slack
    from exactdp.protocols.counting.counting_theorem import correlated_counting_noise

    share, users = as_fraction(typed["share"] or "1/2", name="share"), typed["users"]
    counted = {"n": None, "n_counts": None} if users is None else counted_users(read_population(users))
    rows = correlated_counting_slack(eps=level.for_theorems, delta=delta, share=share, relative_bits=bits)
    noise = correlated_counting_noise(eps=level.for_theorems, delta=delta, share=share)
    shape = enclose_real(noise.r, relative_bits=bits)
    head = {
        **counted,
        level.name: level.shown,
        "delta": exact_text(delta),
        "share": exact_text(share),
        "noise": number_json(shape, relative_bits=bits),
    }
    lines = [
        ("theorem", f"{_CORRELATED}, any number of users"),
        ("privacy", level.text),
        ("delta", number_text(delta)),
        ("share", number_text(share)),
        ("noise", f"r = {noise.r} = {_ends(shape)}"),
    ]
    return _Answer(rows, head, lines, _COUNTING_NOTES, ("noise",))


def _data(row: SlackRow, bits: int) -> dict[str, Any]:
    return {
        "name": row.name,
        "delta": number_data(row.delta, bits),
        "needed": number_data(row.needed, bits),
        "ratio": number_data(row.ratio),
        "step": None if row.step is None else exact_text(row.step),
    }


def _ends(value: xdp.Interval | None) -> str:
    return "beyond the grid" if value is None else "[{}, {}]".format(*value.decimals(_DIGITS))


def _cells(data: dict[str, Any]) -> dict[str, Any]:
    """Return a row as cells of CSV, in which delta is what was asked for."""
    named = {"bound" if name == "delta" else name: value for name, value in data.items()}
    return flat(named, ends=("bound", "needed", "ratio"))
