"""``verify``: re-checks certificates.

What it says of a claim comes from the checker, which rebuilds it from the numbers.
The JSON is described in docs/json.md.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from exactdp.cli.failures import BAD_INPUT, HOLDS, REFUTED, UNDECIDED
from exactdp.cli.options import answer_options, file_option, options
from exactdp.cli.output import Report, printable, records, write_out
from exactdp.cli.progress_bars import working
from exactdp.cli.values import FILE
from exactdp.errors import ExactDPError, InvalidFileError, InvalidValueError
from exactdp.mechanisms.documents import NAME, standard_input

if TYPE_CHECKING:
    from exactdp.studies.deployment.folder import Listed

_STATUSES: Final = {"VERIFIED": HOLDS, "REJECTED": REFUTED, "MALFORMED": BAD_INPUT, "NOT COVERED": UNDECIDED}
"""What is said of a file -> the exit status of the worst."""


@click.command("verify")
@click.argument("files", nargs=-1, metavar="FILES...", type=FILE)
@file_option("--write-checker", "checker", help="First write the checker as one file for Python 3.9 or newer.")
@click.option("--proved", is_flag=True, help="Ask the checker that is proved correct in Coq (make -C proofs/checker).")
@click.option(
    "--kernel", is_flag=True, help="Make each a theorem of Coq's kernel, in certificate_ID.v, and compile it."
)
@click.option(
    "--primitive-integers",
    "primitive",
    is_flag=True,
    help="With --kernel: let Coq compute with the machine's integers, and assume their axioms (shift_dp).",
)
@options(answer_options)
@click.pass_context
def verify_command(
    context: click.Context,
    files: tuple[str, ...],
    checker: str | None,
    proved: bool,
    kernel: bool,
    primitive: bool,
) -> Report | None:
    """Re-check certificates with the checker, which uses the standard library only.

    Exit status: 0 all verified, 1 some rejected, 2 some malformed or beyond a limit, 3 some of a kind for which there
    is no proved program (--proved). A certificate of a refutation that checks is verified too: its line says REFUTED.
    One of FILES may be -, for standard input, or a folder of `exactdp audit`: then its certificates are re-checked, and
    one whose claim its answer does not list, as that of another audit, is rejected.
    """
    if primitive and not kernel:
        raise click.UsageError("--primitive-integers says how Coq computes: give it with --kernel.", context)
    if files.count(NAME) > 1:
        raise InvalidValueError("- is standard input, and is named twice. It is read once: name files for the others.")
    if NAME in files and (proved or kernel):
        raise InvalidValueError("- is standard input, and --proved and --kernel read files. Name a file.")
    if checker is not None:
        from exactdp.claims.bare_checker import bare_checker

        write_out([bare_checker()], checker)
    if not files:
        if checker is None:
            raise click.MissingParameter(ctx=context, param=context.command.params[0])
        return None
    asked, checked = list(_expanded(files)), []
    paths = [path for path, _ in asked]
    entries = _check_by_proof(paths, kernel, primitive) if proved or kernel else map(_check, paths)
    for path, expected in asked:
        with working(f"checking {printable(path)}"):
            entry = next(entries)
        checked.append(entry if expected is None else _compared(entry, expected))
    status = max(_STATUSES[entry["status"]] for entry in checked)
    return Report(lambda: [_line(entry) for entry in checked], lambda: checked, lambda: records(*checked), status)


def _expanded(files: Sequence[str]) -> Iterator[tuple[str, Listed | None]]:
    """Yield the files to check, those of the folder of an audit with what its answer lists of them."""
    for path in files:
        if path == NAME or not os.path.isdir(path):
            yield path, None
            continue
        from exactdp.studies.deployment.folder import CERTIFICATES, UNLISTED, is_folder, listed

        if not is_folder(path):
            raise InvalidFileError(
                f"{printable(path)} is a folder without the answer of an audit. Name certificates, or the folder that "
                "`exactdp audit -o` wrote."
            )
        entries = {os.path.join(path, one.file): one for one in listed(path)}
        inner = os.path.join(path, CERTIFICATES)
        there = [os.path.join(inner, name) for name in os.listdir(inner)] if os.path.isdir(inner) else []
        for file in sorted({*entries, *there}):
            yield file, entries.get(file, UNLISTED)


def _compared(entry: dict[str, Any], expected: Listed) -> dict[str, Any]:
    """Return what is said of a file in the folder of an audit: that of another claim is rejected."""
    from exactdp.studies.deployment.folder import ANSWER

    if entry["status"] != "VERIFIED":
        return entry
    if entry["claim_id"] != expected.claim_id:
        reason = f"its claim {entry['claim_id'][:12]} is not the one that {ANSWER} lists: it is of another audit"
        return entry | {"status": "REJECTED", "reason": reason}
    if entry["statement"] != expected.statement:
        return entry | {"status": "REJECTED", "reason": f"{ANSWER} gives its claim other words: {expected.statement}"}
    return entry


def _check(path: str) -> dict[str, Any]:
    """Return what the checker says of one file."""
    from exactdp.certificates.verify import (
        CertificateRejectedError,
        MalformedCertificateError,
        verify_file,
        verify_text,
    )

    entry: dict[str, Any] = {"file": path, "status": "VERIFIED", "verdict": None, "claim_id": None, "statement": None}
    entry |= {"rests_on": [], "reason": None}
    try:
        result = verify_text(_standard_input()) if path == NAME else verify_file(path)
    except CertificateRejectedError as error:
        return entry | {"status": "REJECTED", "reason": str(error)}
    except (MalformedCertificateError, ExactDPError) as error:
        return entry | {"status": "MALFORMED", "reason": str(error)}
    checked = {"verdict": result.verdict, "claim_id": result.claim_id, "statement": result.words}
    return entry | checked | {"rests_on": list(result.facts)}


def _standard_input() -> str:
    """Return the certificate that is piped in."""
    from exactdp.certificates.verify import MalformedCertificateError
    from exactdp.checker.limits import MAX_FILE_BYTES

    data = standard_input(MAX_FILE_BYTES)
    if not data.isascii():
        raise MalformedCertificateError("a certificate is ASCII without backslashes")
    return data.decode("ascii")


def _check_by_proof(paths: Sequence[str], kernel: bool, primitive: bool) -> Iterator[dict[str, Any]]:
    """Yield what the proved checker says of files; with ``kernel``, what Coq computes itself."""
    from exactdp.claims import proved_checker

    for path, said in zip(paths, proved_checker.answers(paths), strict=True):
        entry: dict[str, Any] = {"file": path, "status": said.status, "verdict": said.verdict}
        entry |= {"claim_id": said.claim_id, "statement": said.words}
        entry |= {"rests_on": list(said.rests_on), "reason": said.reason}
        if kernel and said.status == "VERIFIED":
            target = f"certificate_{(said.claim_id or '')[:12]}.v"
            entry["rests_on"] = list(proved_checker.write_theorem(path, target, primitive=primitive).rests_on)
        yield entry


def _line(entry: dict[str, Any]) -> str:
    if entry["status"] != "VERIFIED":
        return f"{entry['status']} {printable(entry['file'])}: {entry['reason']}"
    facts = "; ".join(entry["rests_on"]) or "arithmetic alone"
    return f"{entry['verdict']} {printable(entry['file'])}: {entry['statement']} [rests on: {facts}]"
