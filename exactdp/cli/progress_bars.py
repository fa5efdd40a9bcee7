"""Progress on stderr: of work that takes over a second what is running, and how far it is."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from time import monotonic
from typing import Final, Self, TextIO, TypeVar

from exactdp.cli.wrapping import terminal_width, wrapped
from exactdp.progress import ProgressLine

Piece = TypeVar("Piece")

_AGAIN: Final = 4
"""Seconds between two lines of a log."""


@contextmanager
def working(what: object) -> Iterator[None]:
    """After a second name ``what`` is running; then, on a terminal, count the seconds, else say them now and then.

    The thread only watches: it touches neither the work nor stdout.
    """
    done = Event()
    watcher = Thread(target=_watch, args=(what, done, sys.stderr), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join(timeout=1)


def _watch(what: object, done: Event, stderr: TextIO) -> None:
    began = monotonic()
    if done.wait(1):
        return
    try:
        print(wrapped(f"{what} ...", terminal_width(stderr)), file=stderr, flush=True)
        while not stderr.isatty():  # a log shows that the work goes on
            if done.wait(_AGAIN):
                return
            print(f"{what}: {monotonic() - began:.0f} s so far", file=stderr, flush=True)
        while not done.wait(1):
            print(f"\r{monotonic() - began:.0f} s", end="", file=stderr, flush=True)
        print("\r          \r", end="", file=stderr, flush=True)
    except (OSError, ValueError):  # nobody is watching
        return


class Counter:
    """Says on stderr, once in a few seconds, how far work of many pieces is."""

    _EVERY: Final = 4
    """Seconds between two lines: seldom enough for a log, often enough for a person who waits."""

    def __init__(self, name: str) -> None:
        self.name, self.last, self.has_spoken = name, monotonic(), False

    def __call__(self, place: object, words: str = "") -> None:
        """Take note of a piece of work: its name, or a number and what it counts."""
        if monotonic() - self.last >= self._EVERY:
            self.last, self.has_spoken = monotonic(), True
            print(f"{self.name}: {place}{words}", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Say that the work is over, if anything has been said."""
        if self.has_spoken:
            print(f"{self.name}: done", file=sys.stderr, flush=True)


class Bar(ProgressLine):
    """Says on stderr how far a count is, and about how long the rest takes: a bar on a terminal, else lines."""

    AGAIN: Final = 1
    """Seconds after which it is seen whether a line is due."""

    def __init__(self, name: str, of: str = "") -> None:
        super().__init__(name, stream=sys.stderr)
        self.line, self.of, self.lock = Counter(name), of, Lock()
        self.total: int | None = None

    def __call__(self, done: int, total: int | None = None) -> None:
        """Take note of so many pieces of ``total``."""
        with self.lock:
            self._say(done, total)

    def _say(self, done: int, total: int | None) -> None:
        self.total = total
        if sys.stderr.isatty():
            super().__call__(done, total)
        else:
            self.begin(done)
            self.line(self.words(done, total))

    def clear(self) -> None:
        """Take the line away, until the next piece is finished."""
        with self.lock:
            super().clear()

    def words(self, done: int, total: int | None) -> str:
        """Return how far it is, in pieces that have a name."""
        place, comma, left = super().words(done, total).partition(",")
        if total is None:
            place, comma, left = str(done), ",", f" {monotonic() - self.began:.0f} s so far"
        return f"{place} {self.of}{comma}{left}" if self.of else place + comma + left

    @contextmanager
    def kept_alive(self) -> Iterator[Self]:
        """Say how far it is every few seconds, also while one piece takes long, and in the end that it is over."""
        over = Event()
        watcher = Thread(target=self._repeat, args=(over,), daemon=True)
        watcher.start()
        try:
            yield self
        finally:
            over.set()
            watcher.join(timeout=1)
        self.end()

    def _repeat(self, over: Event) -> None:
        began = monotonic()
        while not over.wait(self.AGAIN):
            try:
                if self.last_done:
                    with self.lock:
                        if self.drawn or not sys.stderr.isatty():  # else something is written in the place of the line
                            self._say(self.last_done, self.total)
                else:
                    self.line(f"nothing finished yet, after {monotonic() - began:.0f} s")
            except (OSError, ValueError):  # nobody is watching
                return

    def end(self) -> None:
        """Say that the work is over, if anything has been said."""
        self.stop()
        if not self.drawn:
            self.line.end()


def watched(name: str, pieces: Iterable[Piece], total: int) -> Iterator[Piece]:
    """Yield the pieces, and say on stderr how far they are; the line is away while a piece is looked at."""
    bar = Bar(name)
    with bar.kept_alive():
        for done, piece in enumerate(pieces, start=1):
            bar.clear()
            yield piece
            bar(done, total)
