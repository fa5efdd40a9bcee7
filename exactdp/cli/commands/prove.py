"""``prove``: run the proofs that ship with exactdp, and print their verdicts.

Text is one line a row, or with --show paragraphs of each (:mod:`exactdp.cli.ledger_rows`). The JSON is described in
docs/json.md; the formats markdown, notes and html are the pages of the ledger, without times.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import click

import exactdp as xdp
from exactdp.cli import ledger_rows
from exactdp.cli.completion import named, rows
from exactdp.cli.failures import HOLDS, REFUTED
from exactdp.cli.ledger_rows import chosen_rows, cores, failures, outcomes_from_scratch, outcomes_of
from exactdp.cli.options import OneOfFew, file_option, folder_option, option_of
from exactdp.cli.output import FORMATS, STDOUT, Report, deliver, records, write_certificates, write_out
from exactdp.cli.progress_bars import watched
from exactdp.cli.values import COUNT, TOPIC, Text
from exactdp.errors import InvalidValueError
from exactdp.files.atomic_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from exactdp.proofs import Outcome, ProofRow


_PAGES: Final = ("markdown", "notes", "html")
"""Formats that are pages of the ledger."""


@click.command("prove")
@click.argument("ids", nargs=-1, metavar="[IDS]...", type=Text(named(lambda: [name for name, _ in rows()])))
@option_of(TOPIC, "TOPIC", "--topic", help="Only the proofs of one topic.")
@click.option("--show", is_flag=True, help="Print statement, domain, source and assumptions of each.")
@click.option("--list", "only_list", is_flag=True, help="List the proofs, as recorded, without running them.")
@option_of(COUNT, "J", "--jobs", help="Check in so many processes; default: as many as there are cores.")
@click.option("--from-scratch", "anew", is_flag=True, help="Make the certificates anew and compare them.")
@folder_option("--certificates", "folder", help="Write each proof's certificate into DIR as ID.json.")
@click.option("--kernel", "rebuilds", is_flag=True, help="Have Coq check what the rows need (all: minutes).")
@click.option("--update-ledger", "updates", is_flag=True, help="From scratch; write what a checkout stores of it anew.")
@click.option("--format", "form", type=OneOfFew([*FORMATS, *_PAGES]), default="text", show_default=True)
@file_option("-o", "--output", help="Write the answer into FILE instead of stdout.")
def prove_command(
    ids: tuple[str, ...],
    show: bool,
    only_list: bool,
    anew: bool,
    rebuilds: bool,
    updates: bool,
    form: str,
    topic: str | None,
    jobs: int | None,
    folder: str | None,
    output: str | None,
) -> int:
    """Run the proofs, all or those named, and print their verdicts: all in ten seconds on two cores.

    IDS may hold * and ?: 'zsum-*'; rows are shown in the order in which they are named, and a renamed row answers to
    its old id until 0.4. A verdict is the checker's, on the certificate that is stored of the row's claim, and the
    level says what stands behind it: kernel, a theorem of the Coq development states the row, and --kernel has Coq
    check here what that needs; certificate, the claim is the statement; steps, the claim holds the steps of a proof on
    paper. Of a row whose Prop or sources have changed since Coq accepted them nothing is said: it is UNDECIDED.

    The stored certificates are those of the rows: their claims have the ids that the rows name, and the claims of the
    rows that IDS or --topic ask for are stated and compared. --from-scratch also finds all certificates anew, in about
    half a minute on two cores, and compares them byte for byte.

    Exit status: 0 if every verdict is the recorded one, nothing that is compared differs, and Coq, if it is asked,
    accepts the theorems; else 1, and stderr names what is not.
    """
    _refuse_together(show, only_list, folder, rebuilds, anew, form)
    stores = _stored_files(ids, topic, only_list) if updates else {}
    chosen, is_whole = chosen_rows(ids, topic), not ids and topic is None
    if only_list:
        return deliver(_listed(chosen, list(map(_entry, chosen))), form=form, output=output)
    broken = _rebuilt(chosen, all_of_them=is_whole) if rebuilds else ""
    decided = outcomes_from_scratch if anew or updates else partial(outcomes_of, is_whole=is_whole)
    coming = watched("proofs", decided(chosen, jobs or cores()), len(chosen))
    coming = (_refused(outcome) for outcome in coming) if broken else coming
    is_said = form == "text" and not show and output in (None, STDOUT)
    outcomes = list(_said(coming, chosen) if is_said else coming)
    if folder is not None:
        certified = (o for o in outcomes if o.certificate is not None and o.certificate.level == "certificate")
        write_certificates(folder, {o.row.id: o.certificate.to_json() for o in certified if o.certificate})
    remarks = failures(outcomes, compares=anew and not updates)
    remarks += [f"error: {' '.join(f'kernel: {broken}'.split())}"] if broken else []
    entries = [_entry(outcome.row, outcome, rechecked=rebuilds) for outcome in outcomes]
    report = _summary(entries) if is_said else _report(outcomes, entries, form, show)
    status = deliver(replace(report, status=REFUTED if remarks else HOLDS, remarks=remarks), form=form, output=output)
    for path, content in stores.items() if not remarks else ():
        write_whole(path, content(outcomes))
    return status


def _said(outcomes: Iterable[Outcome], chosen: Sequence[ProofRow]) -> Iterator[Outcome]:
    """Print each outcome as a line as it comes, and yield it."""
    widest = max(len(row.id) for row in chosen)
    for outcome in outcomes:
        write_out([f"{line}\n" for line in ledger_rows.row_lines(_entry(outcome.row, outcome), widest)], None)
        yield outcome


def _refuse_together(show: bool, only_list: bool, folder: str | None, rebuilds: bool, anew: bool, form: str) -> None:
    """Refuse options that have no meaning beside each other."""
    if only_list and (rebuilds or anew):
        raise InvalidValueError(
            f"--list with {'--kernel' if rebuilds else '--from-scratch'}: nothing is run. Leave out one of them."
        )
    if only_list and form in _PAGES:
        raise InvalidValueError(f"--list with --format {form}: the page shows verdicts. Leave out --list.")
    if only_list and folder is not None:
        raise InvalidValueError("--list with --certificates: nothing is run, so there is none. Leave out --list.")
    if show and (only_list or form != "text"):
        other = "--list" if only_list else f"--format {form}"
        raise InvalidValueError(f"--show with {other}: it is a text about proofs that are run. Leave out one of them.")


def _stored_files(
    ids: tuple[str, ...], topic: str | None, only_list: bool
) -> dict[str, Callable[[Sequence[Outcome]], str | bytes]]:
    """Return the files that a checkout stores of the ledger, each with what makes its content."""
    from exactdp import proofs
    from exactdp.proofs import page, stored

    if ids or topic is not None or only_list:
        raise InvalidValueError("--update-ledger: the pages have all rows. Leave out IDS, --topic and --list.")
    folder = Path(proofs.__file__).resolve().parent
    if not (folder.parent / "pyproject.toml").exists():
        raise InvalidValueError(
            "--update-ledger: this exactdp is installed, and has no sources to change. Run it in a checkout, installed "
            "with `pip install -e .`, or write a page elsewhere with --format markdown -o FILE."
        )

    def certificates(outcomes: Sequence[Outcome]) -> bytes:
        return stored.written({one.row.id: one.certificate for one in outcomes if one.certificate is not None})

    def with_ids(text: str) -> Callable[[Sequence[Outcome]], str]:
        return lambda outcomes: stored.with_claim_ids(
            text, {one.row.id: one.certificate.claim.digest() for one in outcomes if one.certificate is not None}
        )

    rows = {str(path): with_ids(path.read_text("utf-8")) for path in sorted(folder.glob("rows/*.toml"))}
    return {
        str(folder / "LEDGER.md"): page.markdown_page,
        str(folder / "NOTES.md"): page.notes_page,
        str(folder / stored.FILE.name): certificates,
        **rows,
    }


def _listed(chosen: list[ProofRow], entries: list[dict[str, Any]]) -> Report:
    """Return what is known of the rows before they are run."""
    return Report(lambda: ledger_rows.listed(chosen), lambda: entries, lambda: _table(entries))


def _summary(entries: list[dict[str, Any]]) -> Report:
    """Return what is left to be said of rows that have been printed."""
    return Report(lambda: ["", *ledger_rows.summary(entries)], list, list)


def _report(outcomes: list[Outcome], entries: list[dict[str, Any]], form: str, show: bool) -> Report:
    """Return the answer in the form that is asked for."""
    if form in _PAGES:
        from exactdp.proofs import page

        draw = {"markdown": page.markdown_page, "notes": page.notes_page, "html": page.html_page}[form]
        return Report(lambda: [draw(outcomes).rstrip("\n")], list, list)
    if show:
        return Report(lambda: ledger_rows.shown(outcomes, entries), list, list)
    return Report(lambda: ledger_rows.decided(entries), lambda: entries, lambda: _table(entries))


def _rebuilt(chosen: list[ProofRow], *, all_of_them: bool) -> str:
    """Have Coq check what the rows need; return why it is not accepted, "" if it is."""
    from exactdp.claims.proved_checker import search_path
    from exactdp.proofs.development import compute, is_computed, missing_programs, rebuild

    if missing := missing_programs():
        raise InvalidValueError(
            f"--kernel: {missing[0]} is not on this machine. Install Coq with Coquelicot (Debian: coq "
            "libcoq-coquelicot make), or leave out --kernel: the kernel rows are then not re-checked here."
        )
    names = [name for row in chosen for name in _theorems_of(row)]
    if not names:
        raise InvalidValueError(
            f"--kernel: no theorem of the Coq development is behind {', '.join(row.id for row in chosen[:3])}. "
            "Leave out --kernel."
        )
    computed = [name for name in names if is_computed(name)]
    if computed:
        search_path()  # an error before the minutes pass
    developed, watch = [name for name in names if not is_computed(name)], _Files()
    try:
        said = rebuild(() if all_of_them else developed, watch) if developed else ""
        return said or (compute(computed, watch) if computed else "")
    finally:
        watch.end()


def _refused(outcome: Outcome) -> Outcome:
    """Return the outcome of a row where Coq was asked and did not accept: the record stands behind nothing then."""
    if outcome.level != "kernel":
        return outcome
    others = tuple(name for name in outcome.accepted_by if name != "kernel")
    reason = "Coq was asked, and does not accept it here"
    return replace(outcome, verdict=xdp.Verdict.UNDECIDED, level="none", reason=reason, accepted_by=others)


def _theorems_of(row: ProofRow) -> tuple[str, ...]:
    stated = row.proposition
    return row.theorems if stated is None else (stated.theorem, *row.theorems)


class _Files:
    """Says on stderr which file Coq compiles: on a terminal in one line, elsewhere every few seconds."""

    _EVERY: Final = 5
    """Seconds between two lines."""

    def __init__(self) -> None:
        self.is_terminal, self.last, self.width = sys.stderr.isatty(), monotonic(), 0

    def __call__(self, done: int, files: int, file: str) -> None:
        words = f"Coq: file {done} of {files} ({file})" + (", then the axioms" if done == files else "")
        if self.is_terminal:
            print("\r" + words.ljust(self.width), end="", file=sys.stderr, flush=True)
            self.width = len(words)
        elif done in (1, files) or monotonic() - self.last >= self._EVERY:
            self.last = monotonic()
            print(words, file=sys.stderr, flush=True)

    def end(self) -> None:
        """Clear the line."""
        if self.width:
            print("\r" + " " * self.width + "\r", end="", file=sys.stderr, flush=True)


def _entry(row: ProofRow, outcome: Outcome | None = None, *, rechecked: bool = False) -> dict[str, Any]:
    """Return a row as JSON data: null of what is known only where it was run."""
    verdict, stated = (None, None) if outcome is None else (outcome.verdict, outcome.proposition)
    return {
        "id": row.id,
        "topic": row.topic,
        "statement": row.statement,
        "verdict": None if verdict is None else verdict.name,
        "expected": None if row.expected is None else row.expected.name,
        "as_printed": row.as_printed,
        "level": outcome and outcome.level,
        "accepted_by": outcome and list(outcome.accepted_by),
        "domain": row.domain,
        "source": row.source,
        "reading": row.reading or None,
        "notes": [int(entry) for entry in row.notes],
        "steps": row.steps if outcome is not None and outcome.level == "steps" else None,
        "seconds": outcome and f"{outcome.seconds:.3f}",
        "reason": (outcome and outcome.reason) or None,
        "kernel": outcome
        and stated
        and {
            "theorem": stated.theorem,
            "proposition": stated.prop,
            "theorems": list(row.theorems),
            "axioms": list(outcome.axioms),
            "rechecked": rechecked,
        },
    }


def _table(entries: list[dict[str, Any]]) -> list[list[str]]:
    return records(*(entry | {"kernel": entry["kernel"] and entry["kernel"]["theorems"]} for entry in entries))
