"""``prove``: run the proofs that ship with exactdp, and print their verdicts.

JSON: a list of {"id", "topic", "statement", "verdict": "PROVED", "REFUTED" or "UNDECIDED", "expected", "as_printed":
"true", "corrected", "false" or null, "level", "domain", "source", "notes": [...], "seconds", "reason"}. With --list the
verdict, level, seconds and reason are null: nothing was run.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from exactdp.cli import arguments
from exactdp.cli.failures import HOLDS, REFUTED
from exactdp.cli.output import HONEST_USERS, Report, deliver
from exactdp.cli.progress import working
from exactdp.errors import InvalidValueError

if TYPE_CHECKING:
    from exactdp.proofs import ProofRow

__all__ = ["prove_command"]

_WIDTH_OF_A_FILE = 160


@click.command("prove")
@click.argument("ids", nargs=-1, metavar="[IDS]...")
@click.option("--topic", metavar="TOPIC", help="Only the proofs of one topic.")
@click.option("--list", "only_list", is_flag=True, help="Name the proofs without running them.")
@arguments.delivered
def prove_command(ids: tuple[str, ...], topic: str | None, only_list: bool, form: str, output: str | None) -> int:
    """Run the proofs, all or those named, and print their verdicts.

    Exit status: 0 if every verdict is the recorded one, else 1, and stderr names the proof that is not.
    """
    chosen = _chosen(ids, topic)
    entries, failures = [], []
    for number, row in enumerate(chosen, start=1):
        if only_list:
            entries.append(_entry(row))
            continue
        with working(f"proof {row.id} ({number} of {len(chosen)})"):
            entry = _decided(row)
        entries.append(entry)
        if entry["verdict"] != entry["expected"]:
            reason = f": {entry['reason']}" if entry["reason"] else ""
            failures.append(f"proof {row.id} is {entry['verdict']}, but recorded as {entry['expected']}{reason}")
    report = Report(lambda: _text(entries, only_list), lambda: entries, lambda: _table(entries))
    deliver(report, form=form, output=output)
    for failure in failures:
        print(f"error: {' '.join(failure.split())}", file=sys.stderr)
    return REFUTED if failures else HOLDS


def _chosen(ids: Sequence[str], topic: str | None) -> list[ProofRow]:
    """Return the rows that are asked for, in the order of the ledger."""
    from exactdp.proofs import rows

    ledger = rows()
    known, topics = [row.id for row in ledger], list(dict.fromkeys(row.topic for row in ledger))
    if unknown := [name for name in ids if name not in known]:
        raise InvalidValueError(f"there is no proof {unknown[0]!r}. `exactdp prove --list` names all {len(known)}.")
    if topic is not None and topic not in topics:
        raise InvalidValueError(f"there is no topic {topic!r}. The topics are {', '.join(topics)}.")
    chosen = [row for row in ledger if (not ids or row.id in ids) and topic in (None, row.topic)]
    if not chosen:
        raise InvalidValueError(f"none of the proofs {', '.join(ids)} has the topic {topic!r}. Leave out --topic.")
    return chosen


def _entry(row: ProofRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "topic": row.topic,
        "statement": row.statement,
        "verdict": None,
        "expected": row.expected.name,
        "as_printed": row.as_printed,
        "level": None,
        "domain": row.domain,
        "source": row.source,
        "notes": list(row.notes),
        "seconds": None,
        "reason": None,
    }


def _decided(row: ProofRow) -> dict[str, Any]:
    """Return the entry of a row that was run; a check that breaks decides nothing, and says how it broke."""
    from exactdp.proofs import check

    began = monotonic()
    try:
        outcome = check(row)
    except Exception as error:  # noqa: BLE001  one broken proof must not hide the verdicts of the others
        broken = {"verdict": "UNDECIDED", "level": "none", "reason": f"{type(error).__name__}: {error}"}
        return _entry(row) | broken | {"seconds": f"{monotonic() - began:.3f}"}
    found = {"verdict": outcome.verdict.name, "level": str(outcome.level), "reason": outcome.reason or None}
    return _entry(row) | found | {"seconds": f"{outcome.seconds:.3f}"}


def _text(entries: list[dict[str, Any]], only_list: bool) -> list[str]:
    """Return the table, drawn by rich, and a line that sums it up."""
    import io

    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    heads = ["id", "statement", "domain"] if only_list else ["id", "statement", "verdict", "level", "domain", "seconds"]
    table = Table(box=box.ASCII2, pad_edge=False, show_edge=False, show_lines=True)
    for head in heads:
        table.add_column(head, justify="right" if head == "seconds" else "left", no_wrap=head in ("id", "verdict"))
    for entry in entries:
        table.add_row(*(Text(_cell(entry, head)) for head in heads))
    width = max(80, shutil.get_terminal_size().columns) if sys.stdout.isatty() else _WIDTH_OF_A_FILE
    buffer = io.StringIO()
    Console(file=buffer, width=width, color_system=None, legacy_windows=False).print(table)
    lines = [line.rstrip() for line in buffer.getvalue().splitlines()]
    if only_list:
        return [*lines, f"{len(entries)} proofs; `exactdp prove` runs them."]
    kept = sum(entry["verdict"] == entry["expected"] for entry in entries)
    return [*lines, f"{kept} of {len(entries)} verdicts are as recorded. {HONEST_USERS}"]


def _cell(entry: dict[str, Any], head: str) -> str:
    if head == "verdict" and entry["verdict"] != entry["expected"]:
        return f"{entry['verdict']} (recorded: {entry['expected']})"
    return str(entry[head])


def _table(entries: list[dict[str, Any]]) -> list[list[str]]:
    cells = [["; ".join(c) if isinstance(c, list) else str(c or "") for c in entry.values()] for entry in entries]
    return [list(entries[0]), *cells]
