"""``sample``: draws of the shuffled view of one data set, or of a noise law.

CSV has a row for each draw: the count of each message, or ``k``, the noise. CSV and JSON are written block by block, so
that memory does not grow with the size. The same seed gives the same numbers for every number of jobs and every format.
The JSON is described in docs/json.md.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from itertools import chain
from secrets import randbits
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import click

from exactdp.cli.dataset_view import DataSetView
from exactdp.cli.failures import HOLDS
from exactdp.cli.options import (
    dataset_options,
    drawn_arguments,
    option_of,
    options,
    output_options,
    typed_classes,
    typed_target,
)
from exactdp.cli.output import columns, count, head, printable, write_out
from exactdp.cli.values import Typed, read_bounded, refuse
from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.files.spreadsheets import csv_lines
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import short
from exactdp.protocols.naming.typed_noise import NoiseLaw

if TYPE_CHECKING:
    from exactdp.laws.noise import Counts
    from exactdp.protocols.sampling.blocks import DrawnEstimates


Rows: TypeAlias = list[list[int]] | list[list[str]]
"""Counts, or estimates as decimals, of each draw."""

_MAX_TEXT: Final = 10_000
"""Most draws that are laid out as text."""
_MAX_JOBS: Final = 64
"""Each process holds a block of draws, and few machines have more cores."""
_MAX_SEED_BITS: Final = 128
"""NumPy takes any length; a seed of 128 bits already never repeats."""
_FRESH_BITS: Final = 64
"""A fresh seed of 64 bits can be typed again."""


def _read_seed(text: str, name: str) -> int:
    value = as_integer(text, name=name, at_least=0)
    if value.bit_length() > _MAX_SEED_BITS:
        raise InvalidValueError(f"seed has {value.bit_length()} bits, more than {_MAX_SEED_BITS}. Use a smaller seed.")
    return value


_SIZE: Final = Typed(as_integer, "size", at_least=1)
_SEED: Final = Typed(_read_seed)
_JOBS: Final = Typed(read_bounded, limit=_MAX_JOBS)


@click.command("sample")
@options(drawn_arguments, dataset_options)
@option_of(_SIZE, "SIZE", "--size", "draws", required=True, help="Number of draws; any number for csv and json.")
@option_of(_SEED, "SEED", "--seed", help="An integer of at least 0; by default a fresh one, which stderr says.")
@option_of(_JOBS, "J", "--jobs", help="Draw in so many processes; the numbers are the same. Default 1.")
@click.option("--nearest", is_flag=True, help="Take the nearest float of a noise parameter that is none.")
@click.option("--estimates", is_flag=True, help="The estimated number of holders of each input in place of the counts.")
@options(output_options)
def sample_command(nearest: bool, estimates: bool, form: str, output: str | None, **typed: Any) -> int:
    """Draws of the shuffled view of one data set, or of a noise law, at a cost that does not grow with n.

    `exactdp sample gap.toml --dataset 0=500,1=500 --size 1000 --seed 1 --format csv` prints the counts of each message,
    a row for each draw; of a family with too many messages, how many support each input. With --estimates it is the
    unbiased estimate of how many users hold each input, of which `exactdp accuracy` says how much it errs. They are
    drawn in floats: to look at, never the support of a claim.
    """
    subject, draws = _viewed(typed), typed["draws"]
    estimated = _estimates(subject) if estimates else None
    if form == "text" and draws > _MAX_TEXT:
        raise TooLargeError(
            f"size={short(draws)} draws are more than the limit of {_MAX_TEXT} for text. "
            "Write --format csv or json, which have none."
        )
    start = randbits(_FRESH_BITS) if typed["seed"] is None else typed["seed"]
    blocks = _progress(_blocks(subject, draws, start, typed["jobs"] or 1, nearest), draws, output)
    first = next(blocks)  # what cannot be drawn is refused before anything is written
    rows = (block.tolist() if estimated is None else estimated.rows(block) for block in chain([first], blocks))
    if estimated is not None:
        subject = subject.estimated
    write_out(_FORMS[form](subject, draws, start, rows), output)
    if typed["seed"] is None:
        print(f"seed={start}; --seed {start} draws the same numbers again.", file=sys.stderr)
    return HOLDS


def _viewed(typed: Mapping[str, Any]) -> DataSetView:
    """Return what is drawn."""
    if (classes := typed_classes(typed, rational=True)) is not None:
        return DataSetView.of_classes(classes, typed)
    target, dataset, users = typed_target(typed), typed["dataset"], typed["users"]
    if isinstance(target, NoiseLaw):
        refuse(target, {"--dataset": dataset, "-n": users})
        return DataSetView.of_noise(target)
    return DataSetView.read(target, dataset, users, typed)


def _estimates(subject: DataSetView) -> DrawnEstimates:
    """Return what estimates holders from the counts."""
    from exactdp.protocols.sampling.blocks import DrawnEstimates

    protocol: Any = subject.protocol
    if not protocol.is_shuffled_randomizer or protocol.may_be_away or protocol.analyzer is not None:
        raise InvalidValueError(
            "--estimates is of the holders of the inputs of a randomizer that all users run. Leave it out."
        )
    return DrawnEstimates.of(protocol.numeric_randomizer, subject.family, protocol.n)


def _blocks(subject: DataSetView, size: int, seed: int, jobs: int, nearest: bool) -> Iterator[Counts]:
    from concurrent.futures import ProcessPoolExecutor

    from exactdp.sampling import sample_blocks, seeded

    with nullcontext() if jobs == 1 else ProcessPoolExecutor(jobs) as executor:
        yield from sample_blocks(
            subject.protocol, subject.people, size=size, rng=seeded(seed), executor=executor, nearest=nearest
        )


def _progress(blocks: Iterator[Counts], size: int, output: str | None) -> Iterator[Counts]:
    """Pass the blocks on; after a second, where somebody looks at stderr and no draws run through it, count them."""
    shown = sys.stderr.isatty() and (output not in (None, "-") or not sys.stdout.isatty())
    began, done, has_spoken = monotonic(), 0, False
    for block in blocks:
        yield block
        done += len(block)
        if shown and monotonic() - began > 1:
            has_spoken = True
            print(f"\r{done} of {size} draws", end="", file=sys.stderr, flush=True)
    if has_spoken:
        print("\r" + " " * (2 * len(str(size)) + 12) + "\r", end="", file=sys.stderr, flush=True)


# --- The three forms, as parts of a text -----------------------------------------------------------------------------


def _as_csv(subject: DataSetView, size: int, seed: int, blocks: Iterator[Rows]) -> Iterator[str]:
    yield from csv_lines([subject.messages])
    for block in blocks:
        yield "".join(",".join(map(str, row)) + "\n" for row in block)


def _as_json(subject: DataSetView, size: int, seed: int, blocks: Iterator[Rows]) -> Iterator[str]:
    from importlib.metadata import version

    from exactdp.sampling import seeded

    about = {
        **head(),
        **subject.data,
        "messages": subject.messages,
        "size": count(size),
        "seed": str(seed),
        "bit_generator": type(seeded(seed).bit_generator).__name__,
        "numpy": version("numpy"),
        "level": "float",
    }
    yield json.dumps(about, indent=2, ensure_ascii=True).removesuffix("\n}") + ',\n  "draws": ['
    comma = ""
    for block in blocks:
        rows = ([one if isinstance(one, str) else count(one) for one in row] for row in block)
        yield comma + ",".join("\n    " + json.dumps(row) for row in rows)
        comma = ","
    yield "\n  ]\n}\n"


def _as_text(subject: DataSetView, size: int, seed: int, blocks: Iterator[Rows]) -> Iterator[str]:
    drawn = [tuple(map(str, row)) for block in blocks for row in block]
    table = columns([tuple(map(printable, subject.messages)), *drawn]) if subject.messages else []
    about = f"{size} draws with seed {seed}, in floats: to look at, never the support of a claim."
    yield "\n".join([subject.title, "", *table, "", about]) + "\n"


_FORMS: Final = {"csv": _as_csv, "json": _as_json, "text": _as_text}
"""Format -> the parts of its text."""
