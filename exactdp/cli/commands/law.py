"""``law``: the exact law of the view of one data set, or the probabilities of a noise law.

Probabilities of a noise law are exact where they are rational and of at most 4300 digits and --relative-bits is not
given. CSV has a row for each k; without --from and --to, one row of the rest. The JSON is described in docs/json.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, TypeAlias

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
from exactdp.cli.output import (
    HONEST_USERS,
    Fact,
    Report,
    answer,
    columns,
    count,
    number_cells,
    number_data,
    number_fact,
    printable,
)
from exactdp.cli.progress_bars import working
from exactdp.cli.subjects import noise_facts
from exactdp.cli.values import BITS, PROBABILITY, Typed, refuse
from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import DECIMAL_BITS, exact_text, is_written_out, number_json, number_text, short
from exactdp.protocols.naming.typed_noise import NoiseLaw

if TYPE_CHECKING:
    from exactdp.laws.laplace import Laplace
    from exactdp.laws.lattice import LatticeLaw

    Number: TypeAlias = Fraction | xdp.Interval


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


_Row: TypeAlias = "tuple[int, Number, Number, Number]"
"""k, P[Y = k], P[Y <= k] and P[Y > k]."""
_NUMBERS: Final = {"pmf": "P[Y = k]", "cdf": "P[Y <= k]", "sf": "P[Y > k]"}
"""The numbers of a row, as the JSON and CSV name them, and as people read them."""


def _noise_report(noise: NoiseLaw, ks: range, level: Fraction | None, relative_bits: int | None) -> Report:
    """Return what is known of a law; CSV has a row for each k, or one about the law where no k is asked for."""
    if level is not None and not 0 < level < 1:
        raise InvalidValueError(f"quantile={short(level)} is not between 0 and 1. Write --quantile 19/20.")
    with working(f"probabilities of {noise.title}"):
        rows = _rows(noise.on_integers, ks, relative_bits) if ks else []
        named, parameters, *further = [*noise_facts(noise), _quantile(noise, level)]
    return answer(
        named,
        parameters,
        *(replace(fact, cells={}) if rows else fact for fact in further),
        rows=[
            [
                Fact("k", str(k), "k", str(k)),
                *(
                    number_fact(name, number, label, bits=relative_bits or BITS, exact=True)
                    for (name, label), number in zip(_NUMBERS.items(), numbers, strict=True)
                ),
            ]
            for k, *numbers in rows
        ],
        listed="rows",
        after=[Fact("level", _level(noise.law, rows, level))],
    )


def _quantile(noise: NoiseLaw, level: Fraction | None) -> Fact:
    """Return a quantile: k of a law on the integers, x of a continuous one."""
    if level is None:
        return Fact("quantile", cells={"q": None, "quantile": None})
    least, shown = noise.law.quantile(level), number_text(level)
    data: dict[str, Any] = {"q": exact_text(level)}
    if isinstance(least, xdp.Interval):
        data["x"] = number_data(least, BITS)
        words, cells = f"the x with P[Y <= x] = {shown}", number_cells("quantile", data["x"], exact=True)
        return Fact("quantile", data, "quantile", f"{number_text(least)}, {words}", {"q": data["q"], **cells})
    data["k"] = exact_text(least)
    words = f"{short(least)}, the least k with P[Y <= k] >= {shown}"
    return Fact("quantile", data, "quantile", words, {"q": data["q"], "quantile": data["k"]})


def _level(law: LatticeLaw | Laplace, rows: Sequence[_Row], quantile: object) -> str:
    """Return "exact" where every number that is printed is a fraction."""
    if quantile is not None and not law.is_on_integers:
        return "enclosure"
    numbers = [law.mean, law.variance, *(number for _, *numbers in rows for number in numbers)]
    return "exact" if all(map(is_written_out, numbers)) else "enclosure"


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


def _rows(law: LatticeLaw, ks: range, relative_bits: int | None) -> list[_Row]:
    """Return a row for each k, exact if the law is and the fractions are short."""
    rows: list[Any] = []
    for k in ks:
        if relative_bits is None and law.is_exact and law.exact_bits(k) <= DECIMAL_BITS:
            below = law.exact_cdf(k)
            rows.append((k, law.exact_pmf(k), below, 1 - below))
        else:
            bits = relative_bits or BITS
            rows.append((k, *(tail(k, relative_bits=bits) for tail in (law.pmf, law.cdf, law.sf))))
    return rows
