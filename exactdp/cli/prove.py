"""``prove``: run the proofs that ship with exactdp, and print their verdicts.

JSON: a list of {"id", "topic", "statement", "verdict": "PROVED", "REFUTED" or "UNDECIDED", "expected", "as_printed":
"true", "corrected", "false" or null, "level", "accepted_by": [...], "domain", "source", "reading", "notes": [...],
"steps", "seconds", "reason", "kernel"}. ``level`` and ``accepted_by`` are words of ``exactdp.levels``; ``steps`` is the
place of the proof on paper that a row of the level steps rests on, else null. A row of prose has no verdict: null, as
``expected`` is, and the level "prose". With --list the verdict, level, accepted_by, seconds and reason are null:
nothing was run. The formats markdown, notes and html are the pages of the ledger, without times.

"kernel" is null, or what Coq proves of the row: {"theorem", "proposition", "theorems": [...], "axioms": [...],
"rechecked": whether the development was rebuilt in this run, by --kernel}.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import click

from exactdp.cli.failures import HOLDS, REFUTED
from exactdp.cli.output import FORMATS, HONEST_USERS, Report, deliver
from exactdp.cli.progress import working
from exactdp.errors import InvalidValueError
from exactdp.numbers.exact import as_integer
from exactdp.whole_file import write_whole

if TYPE_CHECKING:
    from exactdp.proofs import Outcome, ProofRow

__all__ = ["chosen_rows", "outcomes_of", "prove_command"]

_WIDTH_OF_A_FILE: Final = 160
_PAGES: Final = ("markdown", "notes", "html")


@click.command("prove")
@click.argument("ids", nargs=-1, metavar="[IDS]...")
@click.option("--topic", metavar="TOPIC", help="Only the proofs of one topic.")
@click.option("--list", "only_list", is_flag=True, help="Name the proofs without running them.")
@click.option("--jobs", metavar="J", help="Run so many proofs at a time; default 1.")
@click.option("--certificates", "folder", metavar="DIR", help="Write each proof's certificate into DIR as ID.json.")
@click.option("--kernel", "rebuilds", is_flag=True, help="Rebuild the Coq development first (minutes; needs Coq).")
@click.option("--format", "form", type=click.Choice([*FORMATS, *_PAGES]), default="text", show_default=True)
@click.option("-o", "--output", metavar="FILE", help="Write the answer into FILE instead of stdout.")
def prove_command(
    ids: tuple[str, ...],
    topic: str | None,
    only_list: bool,
    jobs: str | None,
    folder: str | None,
    rebuilds: bool,
    form: str,
    output: str | None,
) -> int:
    """Run the proofs, all or those named, and print their verdicts.

    A verdict is the checker's, on the certificate of the row's claim, and the level says what stands behind it: kernel,
    a theorem of the Coq development states the row, and --kernel has Coq check all of it here; certificate, the claim
    is the statement; steps, the claim holds the steps of a proof on paper. Exit status: 0 if every verdict is the
    recorded one and the development, if it is rebuilt, is accepted; else 1, and stderr names what is not.
    """
    if only_list and form in _PAGES:
        raise InvalidValueError(f"--list with --format {form}: the page shows verdicts. Leave out --list.")
    if only_list and folder is not None:
        raise InvalidValueError("--list with --certificates: nothing is run, so there is none. Leave out --list.")
    if only_list and rebuilds:
        raise InvalidValueError("--list with --kernel: nothing is run. Leave out one of them.")
    chosen, workers = chosen_rows(ids, topic), as_integer("1" if jobs is None else jobs, name="jobs", at_least=1)
    broken = _rebuilt() if rebuilds else ""
    outcomes = [] if only_list else list(outcomes_of(chosen, workers))
    if folder is not None:
        _write(outcomes, folder)
    entries = (
        [_entry(row) for row in chosen]
        if only_list
        else [_decided(outcome, rebuilds and not broken) for outcome in outcomes]
    )
    report = Report(lambda: _text(entries, only_list), lambda: entries, lambda: _table(entries))
    if form in _PAGES:
        from exactdp.proofs import page

        draw = {"markdown": page.markdown_page, "notes": page.notes_page, "html": page.html_page}[form]
        report = Report(lambda: [draw(outcomes).rstrip("\n")], report.data, report.table)
    deliver(report, form=form, output=output)
    failures = [_failure(entry) for entry in entries if not only_list and entry["verdict"] != entry["expected"]]
    failures += [f"kernel: {broken}"] if broken else []
    for failure in failures:
        print(f"error: {' '.join(failure.split())}", file=sys.stderr)
    return REFUTED if failures else HOLDS


def _rebuilt() -> str:
    """Have Coq check the development; return why it is not accepted, "" if it is."""
    from exactdp.proofs.development import missing_programs, rebuild

    if missing := missing_programs():
        raise InvalidValueError(
            f"--kernel: {missing[0]} is not on this machine. Install Coq with Coquelicot (Debian: coq "
            "libcoq-coquelicot make), or leave out --kernel: the kernel rows are then not re-checked here."
        )
    with working("the Coq development"):
        return rebuild()


def outcomes_of(chosen: list[ProofRow], jobs: int) -> Iterator[Outcome]:
    """Yield the outcomes in the order of the rows."""
    if jobs == 1:
        for number, row in enumerate(chosen, start=1):
            with working(f"proof {row.id} ({number} of {len(chosen)})"):
                yield _checked(row.id)
        return
    with ProcessPoolExecutor(jobs) as executor:
        found = executor.map(_checked, [row.id for row in chosen])
        for number, row in enumerate(chosen, start=1):
            with working(f"proof {row.id} ({number} of {len(chosen)})"):
                yield next(found)


def _checked(name: str) -> Outcome:
    """Return the outcome of the row with this id; a check that breaks decides nothing, and says how it broke."""
    from exactdp import proofs
    from exactdp.certificates.certificate import Verdict

    row, began = proofs.row(name), monotonic()
    try:
        return proofs.check(row)
    except Exception as error:  # noqa: BLE001  one broken proof must not hide the verdicts of the others
        reason = f"{type(error).__name__}: {error}"
        return proofs.Outcome(row, Verdict.UNDECIDED, "none", "", (), reason, monotonic() - began)


def _write(outcomes: list[Outcome], folder: str) -> None:
    """Write the certificates into a folder, which is made where it is not there."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise InvalidValueError(f"certificates={folder!r} cannot be made: {error.strerror}. Name a folder.") from None
    for outcome in outcomes:
        if outcome.certificate is not None and outcome.certificate.level == "certificate":
            write_whole(os.path.join(folder, f"{outcome.row.id}.json"), outcome.certificate.to_json())


def _failure(entry: dict[str, Any]) -> str:
    reason = f": {entry['reason']}" if entry["reason"] else ""
    return f"proof {entry['id']} is {entry['verdict']}, but recorded as {entry['expected']}{reason}"


def chosen_rows(ids: Sequence[str], topic: str | None) -> list[ProofRow]:
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
        "expected": None if row.expected is None else row.expected.name,
        "as_printed": row.as_printed,
        "level": None,
        "accepted_by": None,
        "domain": row.domain,
        "source": row.source,
        "reading": row.reading or None,
        "notes": [int(entry) for entry in row.notes],
        "steps": None,
        "seconds": None,
        "reason": None,
        "kernel": None,
    }


def _decided(outcome: Outcome, rechecked: bool) -> dict[str, Any]:
    """Return the entry of a row that was run."""
    verdict = None if outcome.verdict is None else outcome.verdict.name
    found: dict[str, Any] = {
        "verdict": verdict,
        "level": outcome.level,
        "accepted_by": list(outcome.accepted_by),
        "steps": outcome.row.steps if outcome.level == "steps" else None,
        "reason": outcome.reason or None,
    }
    if (stated := outcome.proposition) is not None:
        found["kernel"] = {
            "theorem": stated.theorem,
            "proposition": stated.prop,
            "theorems": list(outcome.row.theorems),
            "axioms": list(outcome.axioms),
            "rechecked": rechecked,
        }
    return _entry(outcome.row) | found | {"seconds": f"{outcome.seconds:.3f}"}


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
    decided = [entry for entry in entries if entry["level"] != "prose"]
    kept = sum(entry["verdict"] == entry["expected"] for entry in decided)
    prose = f" {len(entries) - len(decided)} rows are prose." if len(decided) < len(entries) else ""
    said = f"{kept} of {len(decided)} verdicts are as recorded.{prose} {HONEST_USERS}"
    return [*lines, said, *_kernel_rows(entries)]


def _kernel_rows(entries: list[dict[str, Any]]) -> list[str]:
    """Say whether Coq has checked the rows of the level kernel here."""
    from exactdp.proofs.development import missing_programs

    kernel = [entry["kernel"] for entry in entries if entry["kernel"] is not None]
    if not kernel:
        return []
    said = f"{len(kernel)} rows are theorems of the Coq development"
    if kernel[0]["rechecked"]:
        return [f"{said}; it was rebuilt and compared with its recorded axioms."]
    lacking = " Coq, which this machine lacks, and" if missing_programs() else ""
    return [f"{said}; they were not re-checked here: that takes{lacking} `exactdp prove --kernel`."]


def _cell(entry: dict[str, Any], head: str) -> str:
    if head == "verdict" and entry["verdict"] != entry["expected"]:
        return f"{entry['verdict']} (recorded: {entry['expected']})"
    return "-" if entry[head] is None else str(entry[head])


def _table(entries: list[dict[str, Any]]) -> list[list[str]]:
    return [list(entries[0]), *([_flat(value) for value in entry.values()] for entry in entries)]


def _flat(value: Any) -> str:
    """Return a value of an entry as one cell."""
    if isinstance(value, dict):
        return "; ".join(value["theorems"])
    return "; ".join(map(str, value)) if isinstance(value, list) else str(value or "")
