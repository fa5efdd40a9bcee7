"""What a tool answers to a question, and how that lies beside proved ends; the rows of docs/comparison.md."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import isclose, isfinite
from typing import TypeVar

from exactdp import Interval, LogRational

ROUNDING = Fraction(1, 10**12)
"""A share of an answer below which a float is not said to be above or below it."""
NUMBER = re.compile(r"[0-9][0-9.]*(?:e[+-]?[0-9]+)?")
Value = TypeVar("Value")
HEAD = ("question", "tool", "answer", "width", "beside the proved ends", "time")
"""The columns of a table; the last one is not compared."""


@dataclass(frozen=True)
class Answer:
    """A number that a tool promises not to be exceeded, and, where it has one, a number below it."""

    tool: str
    upper: float
    lower: float | None
    seconds: float

    @property
    def shown(self) -> str:
        return f"{self.upper:.7g}" if self.lower is None else f"{self.lower:.7g} to {self.upper:.7g}"

    @property
    def width(self) -> str:
        return "one number" if self.lower is None else f"{self.upper - self.lower:.1e}"

    def beside(self, ends: tuple[Fraction, Fraction]) -> str:
        """In words, where the truth is proved to be between the ends: floats are the fractions that they are."""
        low, high = ends
        if not isfinite(self.upper):
            return "no number"
        upper = Fraction(self.upper)
        if any(abs(upper - end) < end * ROUNDING for end in ends):
            return f"{'' if self.lower is None else 'the upper number is '}equal, but for rounding"
        if upper < low:
            return f"**below** the lower end, by {float(100 - 100 * upper / low):.2g} %"
        if upper < high:
            return "between the ends"
        if self.lower is None:
            return f"above, {by(upper / high)}"
        if Fraction(self.lower) <= low:
            return "encloses them"
        return f"above, {by(upper / high)}; its lower number {'too' if self.lower >= high else 'between the ends'}"


def by(ratio: Fraction) -> str:
    """How far one number is above another, in two digits."""
    return f"by {float(100 * ratio - 100):.2g} %" if ratio < 2 else f"by a factor of {float(ratio):.2g}"


@dataclass(frozen=True)
class Proved:
    """What exactdp answers: the truth is between the two ends."""

    ends: tuple[Fraction, Fraction]
    seconds: float

    @classmethod
    def of(cls, ask: Callable[[], Interval | LogRational | Fraction]) -> Proved:
        value, seconds = timed(ask)
        if isinstance(value, LogRational):
            value = value.enclose(64)
        ends = (value.lo, value.hi) if isinstance(value, Interval) else (value, value)
        return cls(ends, seconds)

    @property
    def cells(self) -> tuple[str, ...]:
        low, high = self.ends
        shown = f"{float(low):.10g} to {float(high):.10g}"
        if f"{float(low):.10g}" == f"{float(high):.10g}":
            shown = f"{float(low):.10g}"
        return "exactdp", shown, f"{float(high - low):.1e}", "proved", duration(self.seconds)


def timed(ask: Callable[[], Value]) -> tuple[Value, float]:
    began = time.perf_counter()
    return ask(), time.perf_counter() - began


def one_number(tool: str, ask: Callable[[], float]) -> Answer:
    value, seconds = timed(ask)
    return Answer(tool, float(value), None, seconds)


def two_numbers(tool: str, ask: Callable[[bool], float]) -> Answer:
    """Asked for its lower number (False), then for its upper one (True)."""
    (low, first), (high, second) = (timed(lambda side=side: ask(side)) for side in (False, True))
    return Answer(tool, float(high), float(low), first + second)


def duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms" if seconds >= 0.001 else "under 1 ms"


def rows(question: str, proved: Proved, answers: Iterable[Answer]) -> Iterator[tuple[str, ...]]:
    """A row for each tool."""
    yield question, *proved.cells
    for answer in answers:
        yield "", answer.tool, answer.shown, answer.width, answer.beside(proved.ends), duration(answer.seconds)


def table(body: Iterable[tuple[str, ...]]) -> list[str]:
    """Lines of Markdown."""
    lines = [HEAD, tuple("---" for _ in HEAD), *body]
    return ["| " + " | ".join(cells) + " |" for cells in lines]


def differences(stored: list[str], printed: list[str]) -> list[str]:
    """The lines of two tables that do not say the same, but for their times.

    What exactdp says is compared as text. Of the others, which are computed in floats, a number may differ by 10^-4 of
    it, and their widths and percentages follow from it.
    """
    if len(stored) != len(printed):
        return [f"{len(stored)} lines, not {len(printed)}"]
    return [f"{old}\n{new}" for old, new in zip(stored, printed, strict=True) if not _is_same(old, new)]


def _is_same(old: str, new: str) -> bool:
    before, after = ([cell.strip() for cell in line.split("|")[1:-2]] for line in (old, new))
    if before[1] in ("exactdp", "tool", "---"):
        return before == after
    words, other_words = ([*cells[:2], *(NUMBER.sub("#", cells[k]) for k in (2, 4))] for cells in (before, after))
    numbers, other_numbers = (map(float, NUMBER.findall(cells[2])) for cells in (before, after))
    return words == other_words and all(map(partial(isclose, rel_tol=1e-4), numbers, other_numbers))
