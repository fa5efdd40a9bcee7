"""``law``: the exact law of the view of one data set, or the probabilities of a noise law.

Probabilities of a noise law are exact where they are rational and of at most 4300 digits and --relative-bits is not
given. CSV has a row for each k; without --from and --to, one row of the rest. The JSON is described in docs/json.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

import exactdp as xdp
from exactdp.cli.dataset_view import DataSetView
from exactdp.cli.options import (
    answer_options,
    dataset_options,
    option_of,
    options,
    relative_bits_option,
    target_arguments,
    typed_classes,
    typed_target,
)
from exactdp.cli.output import HONEST_USERS, Report, columns, count, flat, number_data, printable, records
from exactdp.cli.progress_bars import working
from exactdp.cli.values import BITS, PROBABILITY, Typed, refuse
from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import DECIMAL_BITS, exact_text, is_written_out, number_json, number_text, short
from exactdp.protocols.naming.typed_noise import NoiseLaw

if TYPE_CHECKING:
    from exactdp.laws.laplace import Laplace
    from exactdp.laws.lattice import LatticeLaw


_MAX_ROWS: Final = 10_000
"""More rows than anybody reads; a program asks for the law itself."""
_MAX_WORK: Final = 10**8
"""Most rows times the square of relative bits, a minute or two."""


@click.command("law")
@options(target_arguments, dataset_options)
@option_of(
    Typed(as_integer, "from"), "K", "--from", "start", help="First k of a noise law; by default, its least outcome."
)
@option_of(
    Typed(as_integer, "to"), "K", "--to", "stop", help="Last k of a noise law; by default, its greatest outcome."
)
@option_of(PROBABILITY, "Q", "--quantile", help="Of a noise law: the least k with P[Y <= k] >= Q, for 0 < Q < 1.")
@options(relative_bits_option, answer_options)
def law_command(**typed: Any) -> Report:
    """The exact law of the shuffled view of one data set, or the probabilities of a noise law.

    `exactdp law gap.toml --dataset 0=3,1=2` lists the counts of each message with their probabilities.
    `exactdp law @poisson:mu=10 --from 0 --to 20` lists P[Y = k], P[Y <= k] and P[Y > k], exactly where they are
    rational and short, and as intervals otherwise.
    """
    of_noise = {"--from": typed["start"], "--to": typed["stop"], "--quantile": typed["quantile"]}
    if (classes := typed_classes(typed, rational=True)) is not None:
        refuse(classes, {**of_noise, "--relative-bits": typed["relative_bits"]})
        return _view_report(DataSetView.of_classes(classes, typed))
    target = typed_target(typed)
    if isinstance(target, NoiseLaw):
        refuse(target, {"--dataset": typed["dataset"], "-n": typed["users"]})
        bits = typed["relative_bits"]
        ks = _range(target, typed["start"], typed["stop"], bits or BITS)
        return _noise_report(target, ks, typed["quantile"], bits)
    refuse(target, {**of_noise, "--relative-bits": typed["relative_bits"]})
    return _view_report(DataSetView.read(target, typed["dataset"], typed["users"], typed))


# --- The view of one data set ---------------------------------------------------------------------------------------


def _view_report(view: DataSetView) -> Report:
    law_of: Any = getattr(view.protocol, "law", None)
    if law_of is None:
        raise InvalidValueError(
            f"the view of {view.data['randomizer']} has no largest counts, so that it is no finite law. "
            "Ask sample for draws of it, or delta and epsilon for its privacy."
        )
    with working(f"law of the view of {view.data['n']} users"):
        law = law_of(view.people)
    messages = view.messages
    return Report(
        lambda: [
            view.title,
            "",
            *columns([(*map(printable, messages), "probability"), *_view_rows(law, number_text)]),
            "",
            HONEST_USERS,
        ],
        lambda: {
            **view.data,
            "messages": messages,
            "law": [{"counts": list(map(count, _counts(view))), "prob": number_json(p)} for view, p in law.items()],
            "level": "exact",
        },
        lambda: [(*messages, "prob"), *_view_rows(law, exact_text)],
    )


def _counts(view: Any) -> tuple[int, ...]:
    """Return the counts of a view, of which one bin has only one."""
    return view if isinstance(view, tuple) else (view,)


def _view_rows(law: xdp.Law, show: Callable[[Fraction], str]) -> Iterator[tuple[str, ...]]:
    return ((*map(str, _counts(view)), show(p)) for view, p in law.items())


# --- A noise law ----------------------------------------------------------------------------------------------------


class _LawRow(NamedTuple):
    """P[Y = k], P[Y <= k] and P[Y > k]."""

    k: int
    pmf: Fraction | xdp.Interval
    cdf: Fraction | xdp.Interval
    sf: Fraction | xdp.Interval

    def data(self, bits: int) -> dict[str, Any]:
        """The row as JSON data."""
        return {"k": str(self.k), **{name: number_data(getattr(self, name), bits) for name in _NUMBERS}}


_NUMBERS: Final = ("pmf", "cdf", "sf")
"""The numbers of a row, as the JSON and CSV name them."""


def _noise_report(noise: NoiseLaw, ks: range, level: Fraction | None, relative_bits: int | None) -> Report:
    if level is not None and not 0 < level < 1:
        raise InvalidValueError(f"quantile={short(level)} is not between 0 and 1. Write --quantile 19/20.")
    bits = relative_bits or BITS
    with working(f"probabilities of {noise.title}"):
        rows = _rows(noise.on_integers, ks, relative_bits) if ks else []
        least = None if level is None else noise.law.quantile(level)
        about, lines = noise.facts | {"quantile": None}, noise.lines
    if level is not None and least is not None:
        shown, words = _quantile(least, number_text(level))
        about["quantile"] = {"q": exact_text(level), **shown}
        lines.append(("quantile", words))
    listed = [(str(k), *map(number_text, numbers)) for k, *numbers in rows]
    table = ["", *columns([("k", "P[Y = k]", "P[Y <= k]", "P[Y > k]"), *listed])] if listed else []

    def data() -> dict[str, Any]:
        return {**about, "rows": [row.data(bits) for row in rows], "level": _level(noise.law, rows, level)}

    return Report(lambda: [*columns(lines), *table], data, lambda: _noise_table(noise, data()))


def _quantile(least: int | xdp.Interval, level: str) -> tuple[dict[str, Any], str]:
    """Return a quantile as JSON data and for reading: k of a law on the integers, x of a continuous one."""
    if isinstance(least, xdp.Interval):
        return {"x": number_data(least, BITS)}, f"{number_text(least)}, the x with P[Y <= x] = {level}"
    return {"k": exact_text(least)}, f"{short(least)}, the least k with P[Y <= k] >= {level}"


def _level(law: LatticeLaw | Laplace, rows: Sequence[_LawRow], quantile: object) -> str:
    """Return "exact" where every number that is printed is a fraction."""
    if quantile is not None and not law.is_on_integers:
        return "enclosure"
    numbers = [law.mean, law.variance, *(number for _, *numbers in rows for number in numbers)]
    return "exact" if all(map(is_written_out, numbers)) else "enclosure"


def _noise_table(noise: NoiseLaw, data: dict[str, Any]) -> list[list[str]]:
    """Return the rows of CSV: one for each k, or one about the law where no k is asked for."""
    if data["rows"]:
        return records(*(noise.cells | flat(row, exact=_NUMBERS) for row in data["rows"]))
    ends = {f"support_{name}": end for name, end in data["support"].items()}
    about = flat({name: data[name] for name in ("mean", "variance", "mode")}, exact=("mean", "variance"))
    asked = data["quantile"] or {"q": "", "k": ""}
    quantile = {"quantile": asked["k"]} if "k" in asked else flat({"quantile": asked["x"]}, exact=("quantile",))
    return records({**noise.cells, **ends, **about, "q": asked["q"], **quantile})


def _range(noise: NoiseLaw, start: int | None, stop: int | None, bits: int) -> range:
    """Return the k that are asked for: none if neither end is given."""
    if start is None and stop is None:
        return range(0)
    law = noise.on_integers
    low = law.low if start is None else start
    high = law.high if stop is None else stop
    if low is None or high is None:
        option, end = ("--from", "least") if low is None else ("--to", "greatest")
        raise InvalidValueError(f"{noise.title} has no {end} outcome, so {option} is needed. Write {option} 10.")
    if low > high:
        raise InvalidValueError(f"from={short(low)} is above to={short(high)}, so there are no rows. Swap them.")
    count = high - low + 1
    if count > _MAX_ROWS:
        raise TooLargeError(
            f"from={short(low)} to={short(high)} are {short(count)} rows, more than the limit of {_MAX_ROWS}. "
            "Ask for fewer."
        )
    if count > (most := max(1, _MAX_WORK // bits**2)):
        raise TooLargeError(
            f"{count} rows are more than the limit of {most} at relative_bits={bits}. Ask for fewer of either."
        )
    return range(low, high + 1)


def _rows(law: LatticeLaw, ks: range, relative_bits: int | None) -> list[_LawRow]:
    """Return a row for each k, exact if the law is and the fractions are short."""
    rows = []
    for k in ks:
        if relative_bits is None and law.is_exact and law.exact_bits(k) <= DECIMAL_BITS:
            below = law.exact_cdf(k)
            rows.append(_LawRow(k, law.exact_pmf(k), below, 1 - below))
        else:
            bits = relative_bits or BITS
            tails = [tail(k, relative_bits=bits) for tail in (law.pmf, law.cdf, law.sf)]
            rows.append(_LawRow(k, *tails))
    return rows
