"""``slack``: what each step of a published theorem's proof gives away, at the theorem's noise and in noise.

The noise is mu = n gamma at the theorem's gamma, rounded up to a multiple of 2^-53. A row bounds delta: its value at
that noise, and an enclosure of a noise at which it passes from more than the target to at most the target. Of exact
rows the noise needed is local: with gamma at its upper end over n the row is at most the target, one step of gamma less
it is more; that it holds for every larger gamma is not claimed. The JSON is described in docs/json.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

import exactdp as xdp
from exactdp.cli.options import answer_options, options, privacy_level_options, relative_bits_option
from exactdp.cli.output import HONEST_USERS, Report, columns, counted_users, flat, number_data, records
from exactdp.cli.progress import working
from exactdp.cli.targets import one_of
from exactdp.cli.values import TypedLevel, read_bits
from exactdp.numbers.exact import as_fraction, as_integer
from exactdp.numbers.formats import exact_text, number_json, number_text

if TYPE_CHECKING:
    from exactdp.bounds.slack import SlackRow


_DIGITS: Final = 7
"""As many as in all text: enough to tell two rows apart."""
_HEADS: Final = ("bound", "delta at this noise", "noise needed", "theorem / needed")
"""Of the columns of text."""
_NOTES: Final = (
    "noise is mu = n gamma. A closed form holds at every noise above the one it needs. Of an exact row it is local:",
    "at the upper end the row holds, one step of gamma less it fails; nothing is claimed about more noise.",
)
"""What the text says of the noise that a row needs."""


@click.command("slack")
@click.argument("theorem", callback=one_of(("zsum",)), metavar="THEOREM")
@click.option("-n", "--users", metavar="N", required=True, help="Number of users who follow the protocol.")
@options(privacy_level_options)
@click.option("--delta", metavar="D", required=True, help="Target delta in (0, 1).")
@options(relative_bits_option, answer_options)
def slack_command(theorem: str, **typed: str | None) -> Report:
    """What each step of a published theorem's proof gives away. THEOREM is zsum.

    The table compares the published closed form, the closed form with the real constant, Lemma 3, the exact smoothness
    of the noise and its exact hockey-stick divergence. Each row has its delta at the theorem's noise, the noise it
    would need for the target delta, and how many times more the theorem takes. eps is in (0, 1].
    """
    from exactdp.bounds.slack import zsum_slack
    from exactdp.bounds.zsum_theorem import zsum_rounded_gamma

    privacy_level = TypedLevel.read(typed["eps"], typed["exp_eps"])
    level = privacy_level.for_theorems
    bits = read_bits(typed["relative_bits"])
    n, target = as_integer(typed["users"], name="n"), as_fraction(typed["delta"], name="delta")
    with working(f"slack of the {theorem} theorem for n = {n}"):
        rows = zsum_slack(n, eps=level, delta=target, relative_bits=bits)
        gamma = zsum_rounded_gamma(n, eps=level, delta=target)
    head = {
        "theorem": theorem,
        **counted_users(n),
        privacy_level.name: privacy_level.shown,
        "delta": exact_text(target),
        "gamma": exact_text(gamma),
        "noise": number_json(n * gamma),
    }
    lines = [
        ("theorem", f"{theorem}, n = {n}"),
        ("privacy", privacy_level.text),
        ("delta", number_text(target)),
        ("gamma", number_text(gamma)),
        ("noise", f"mu = n gamma = {number_text(n * gamma)}"),
    ]
    listed = [(row.name, *map(_ends, (row.delta, row.needed, row.ratio))) for row in rows]
    return Report(
        lambda: [*columns(lines), "", *columns([_HEADS, *listed]), "", *_NOTES, HONEST_USERS],
        lambda: {**head, "rows": [_data(row, bits) for row in rows], "level": "enclosure"},
        lambda: records(*(flat(head) | _cells(_data(row, bits)) for row in rows)),
    )


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
