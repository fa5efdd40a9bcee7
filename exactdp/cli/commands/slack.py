"""``slack``: what each step of a published theorem's proof gives away, at the theorem's noise and in noise.

Of zsum the noise is mu = n gamma at the theorem's gamma, rounded up to a multiple of 2^-53. A row bounds delta: its
value at that noise, and an enclosure of a noise at which it passes from more than the target to at most the target. Of
exact rows the noise needed is local: with gamma at its upper end over n the row is at most the target, one step of
gamma less it is more; that it holds for every larger gamma is not claimed. Of correlated counting the noise is r, of
which the least one is enclosed, whatever n. The JSON is described in docs/json.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import click

import exactdp as xdp
from exactdp.cli.options import (
    answer_options,
    one_of,
    option_of,
    options,
    privacy_level_options,
    relative_bits_option,
    with_parameters,
)
from exactdp.cli.output import HONEST_USERS, Fact, Report, answer, exact_fact, number_fact, users_facts
from exactdp.cli.progress_bars import working
from exactdp.cli.values import BITS, EXACT, Typed, TypedLevel, refuse_given
from exactdp.errors import InvalidValueError
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import exact_text, number_json, number_text
from exactdp.protocols.naming.populations import few_enough

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
_NAMED: Final = one_of((_ZSUM, _CORRELATED))


@click.command("slack")
@click.argument("theorem", type=_NAMED, metavar="THEOREM")
@option_of(
    Typed(as_integer, "n"), "N", "-n", "--users", help="Number of users who follow the protocol; needed for zsum."
)
@options(privacy_level_options)
@option_of(EXACT, "D", "--delta", required=True, help="Target delta in (0, 1).")
@option_of(EXACT, "S", "--share", help="Of correlated-counting: the share of eps for the noise of both counts.")
@options(relative_bits_option, answer_options)
def slack_command(theorem: str, **typed: Any) -> Report:
    """What each step of a published theorem's proof gives away. THEOREM is zsum or correlated-counting.

    Of zsum the table compares the published closed form, the closed form with the real constant, Lemma 3, the exact
    smoothness of the noise and its exact hockey-stick divergence; eps is in (0, 1]. Of correlated-counting it compares
    the theorem, Chernoff's bound, and the exact divergences of the noise of both counts and of the view; share * eps
    is at most 1. Each row has its delta at the theorem's noise, the noise it would need for the target delta, and how
    many times more the theorem takes.
    """
    theorem, typed = with_parameters(_NAMED, theorem, typed)
    level, bits = TypedLevel.one_of(typed["eps"], typed["exp_eps"]), typed["relative_bits"] or BITS
    with working(f"slack of the {theorem} theorem"):
        rows, facts, notes = _THEOREMS[theorem](typed["users"], typed["share"], level, typed["delta"], bits)
    return answer(
        *facts,
        rows=[_facts(row, bits) for row in rows],
        after=[Fact("level", "enclosure")],
        notes=[*notes, HONEST_USERS],
    )


_Answer: TypeAlias = "tuple[Sequence[SlackRow], list[Fact], tuple[str, ...]]"
"""The rows of a theorem, what is said before them, and the notes after them."""


def _zsum(n: int | None, share: Fraction | None, level: TypedLevel, delta: Fraction, bits: int) -> _Answer:
    from exactdp.protocols.zsum_and_histogram.slack import zsum_slack
    from exactdp.protocols.zsum_and_histogram.zsum_theorem import zsum_rounded_gamma

    refuse_given({"share": share}, f"for {_ZSUM}", f"Leave it out: it belongs to {_CORRELATED}.")
    if n is None:
        raise InvalidValueError(f"{_ZSUM} needs -n, the number of users who follow the protocol. Write -n 1000000.")
    rows = zsum_slack(n, eps=level.for_theorems, delta=delta, relative_bits=bits)
    gamma = zsum_rounded_gamma(n, eps=level.for_theorems, delta=delta)
    facts = [
        Fact("theorem", _ZSUM, "theorem", f"{_ZSUM}, n = {n}"),
        *users_facts(n),
        level.fact,
        exact_fact("delta", delta),
        exact_fact("gamma", gamma),
        Fact("noise", number_json(n * gamma), "noise", f"mu = n gamma = {number_text(n * gamma)}"),
    ]
    return rows, facts, _NOTES


def _counting(n: int | None, share: Fraction | None, level: TypedLevel, delta: Fraction, bits: int) -> _Answer:
    from exactdp.protocols.counting.counting_theorem import correlated_counting_noise, correlated_counting_slack

    share = Fraction(1, 2) if share is None else share
    rows = correlated_counting_slack(eps=level.for_theorems, delta=delta, share=share, relative_bits=bits)
    noise = correlated_counting_noise(eps=level.for_theorems, delta=delta, share=share)
    shape = enclose_real(noise.r, relative_bits=bits)
    noise_text = f"r = {noise.r} = {_ends(shape)}"
    facts = [
        Fact("theorem", _CORRELATED, "theorem", f"{_CORRELATED}, any number of users"),
        *users_facts(n if n is None else few_enough(n)),
        level.fact,
        exact_fact("delta", delta),
        exact_fact("share", share),
        number_fact("noise", shape, text=noise_text, bits=bits),
    ]
    return rows, facts, _COUNTING_NOTES


_THEOREMS: Final = {_ZSUM: _zsum, _CORRELATED: _counting}


def _facts(row: SlackRow, bits: int) -> list[Fact]:
    """Return a row, in whose cells of CSV the bound is not called delta, which is what was asked for."""
    return [
        Fact("name", row.name, _HEADS[0], row.name),
        number_fact("delta", row.delta, _HEADS[1], _ends(row.delta), bits=bits, column="bound"),
        number_fact("needed", row.needed, _HEADS[2], _ends(row.needed), bits=bits),
        number_fact("ratio", row.ratio, _HEADS[3], _ends(row.ratio)),
        Fact("step", None if row.step is None else exact_text(row.step)),
    ]


def _ends(value: xdp.Interval | None) -> str:
    return "beyond the grid" if value is None else "[{}, {}]".format(*value.decimals(_DIGITS))
