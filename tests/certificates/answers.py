"""What a checker answers about a file, and what the check cost it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

Checker = Any


class Answer(NamedTuple):
    """The exit status, the line, and the units of work; None where it came to no check."""

    status: int
    line: str
    work: int | None


def answer(checker: Checker, path: Path) -> Answer:
    """Ask a checker about a file; its budget of work is looked at afterwards."""
    budgets = []
    original = checker.Work

    def budget() -> Any:
        budgets.append(original())
        return budgets[-1]

    checker.Work = budget
    try:
        status, line = checker.report(str(path))
    finally:
        checker.Work = original
    spent = [checker.MAX_WORK - each.left for each in budgets]
    return Answer(status, line, sum(spent) if spent else None)
