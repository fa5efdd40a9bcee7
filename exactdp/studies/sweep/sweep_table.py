"""The rows of a store as a table: questions and answers, ordered by question, the same bytes whatever answered them.

What a row cost, and where, is told on request only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from exactdp.files.atomic_file import write_whole
from exactdp.studies.sweep.sweep_certificates import Certified
from exactdp.studies.sweep.sweep_store import StoredRow

_QUESTION: Final = ("name", "subject", "users", "neighbors", "shift", "runs", "asked", "at", "answer")
_ANSWER: Final = ("lower", "upper", "lo", "hi", "level", "engine", "is_tight", "error")
_SIDES: Final = ("holds", "fails")
COST: Final = ("microseconds", "host", "exactdp", "python_flint", "python")


def row_cells(row: StoredRow, *, costs: bool = False) -> dict[str, Any]:
    """Return a row by the names of its columns; None where there is nothing.

    ``holds`` and ``fails`` are the numbers at which a certificate proves the answer's upper end, and refutes what is
    below its lower end.
    """
    question, answer, cost = row.question, row.answer, row.cost
    about = (question.title, question.users, question.neighbors, question.shift, question.runs)
    asked = (row.name, *about, question.asked, question.at, question.answer)
    cells = dict(zip(_QUESTION, asked, strict=True))
    cells |= dict.fromkeys(_ANSWER) if answer is None else asdict(answer)
    certified = {one.side: one.at for one in row.certificates if one.level == "certificate"}
    cells |= {side: certified.get(side) for side in _SIDES}
    if costs:
        cells |= dict.fromkeys(COST) if cost is None else asdict(cost)
    return cells


def csv_rows(rows: Iterable[StoredRow], *, costs: bool = False) -> Iterator[list[str]]:
    """Yield the table as rows of CSV, the header first."""
    yield [*_QUESTION, *_ANSWER, *_SIDES, *(COST if costs else ())]
    for row in rows:
        yield [_cell(value) for value in row_cells(row, costs=costs).values()]


def _cell(value: Any) -> str:
    return {None: "", True: "yes", False: "no"}[value] if value is None or isinstance(value, bool) else str(value)


def write_certificates(rows: Iterable[StoredRow], folder: str | Path) -> Iterator[Path]:
    """Write each certificate into a file of a directory that exists, and yield its path.

    It is named by the claim, so that equal claims are one file.
    """
    for row in rows:
        for one in row.certificates:
            if one.document is not None:
                yield _written(one, one.document, Path(folder))


def _written(certified: Certified, document: str, folder: Path) -> Path:
    path = folder / f"{certified.side}-{certified.claim_id}.json"
    write_whole(path, document)
    return path
