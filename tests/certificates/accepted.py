"""Ask the proved checker about the ledger: ``python -m tests.certificates.accepted [--check] DIR``.

DIR is what ``exactdp prove --certificates DIR`` writes. The rows whose certificate is accepted are recorded in
proofs/accepted.toml; with --check the record is compared. The exit status is 1 where it differs, or where a certificate
is rejected.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from exactdp.claims.proved_checker import answers as answers_of
from exactdp.proofs.ledger import RECORD

HEADER = (
    "# The rows of the ledger whose certificate is accepted by the checker whose acceptance is a theorem\n"
    "# (proofs/checker), written by `python -m tests.certificates.accepted DIR`; CI asks that checker again.\n"
)


def answers(folder: Path) -> tuple[list[str], list[str]]:
    """The rows whose certificates are accepted, and what is said of those that are rejected."""
    paths = sorted(folder.glob("*.json"))
    said = {path.stem: one for path, one in zip(paths, answers_of(map(str, paths)), strict=True)}
    wrong = [f"{row}: {one.reason}" for row, one in said.items() if one.status == "REJECTED"]
    return [row for row, one in said.items() if one.status == "VERIFIED"], wrong


def record(rows: Iterable[str]) -> str:
    """The record as a text."""
    listed = "".join(f'    "{row}",\n' for row in rows)
    return f"{HEADER}proved = [\n{listed}]\n"


def main(arguments: Sequence[str]) -> int:
    """Write the record, or compare it."""
    folder = Path(next(argument for argument in arguments if not argument.startswith("--")))
    rows, wrong = answers(folder)
    sys.stdout.write("".join(f"{line}\n" for line in wrong))
    sys.stdout.write(f"{len(rows)} certificates of {len(list(folder.glob('*.json')))}\n")
    if "--check" not in arguments:
        RECORD.write_text(record(rows), "utf-8")
    return 1 if wrong or RECORD.read_text("utf-8") != record(rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
