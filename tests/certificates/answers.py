"""What a checker answers about a file, and what the check cost it.

``python -m tests.certificates.answers`` writes the records of the prices, which change only where a price does.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

Checker = Any
CORPUS = Path(__file__).resolve().parent
RECORDS = CORPUS.parent / "unit" / "checker"


class Answer(NamedTuple):
    """The exit status, the line, the units of work and a digest of all that the budget was asked for; None where it
    came to no budget."""

    status: int
    line: str
    work: int | None
    requests: str | None


def answer(checker: Checker, path: Path) -> Answer:
    """Ask a checker about a file; its budget of work is looked at afterwards, and listened to on the way."""
    budgets = []
    requests = hashlib.sha256()
    original = checker.Work

    class Overheard(original):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            budgets.append(self)

        def spend(self, *asked: int) -> None:
            requests.update(f"spend {asked}".encode())
            super().spend(*asked)

        def expect(self, *asked: int) -> None:
            requests.update(f"expect {asked}".encode())
            super().expect(*asked)

        def hold(self, *asked: int) -> None:
            requests.update(f"hold {asked}".encode())
            super().hold(*asked)

    checker.Work = Overheard
    try:
        status, line = checker.report(str(path))
    finally:
        checker.Work = original
    spent = [checker.MAX_WORK - budget.left for budget in budgets]
    return Answer(status, line, sum(spent), requests.hexdigest()[:8]) if spent else Answer(status, line, None, None)


def files() -> dict[str, Path]:
    """The corpora, by name."""
    paths = sorted(CORPUS.glob("v*/*/*.json"))
    return {path.relative_to(CORPUS).with_suffix("").as_posix(): path for path in paths}


if __name__ == "__main__":
    from tests.certificates import bare

    answers = {name: answer(bare.checker(), path) for name, path in files().items()}
    work = {name: given.work for name, given in answers.items() if given.work is not None}
    requests = {name: given.requests for name, given in answers.items() if given.requests is not None}
    for file, record in (("work.json", work), ("requests.json", requests)):
        (RECORDS / file).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
