"""A sign of life on stderr for work that takes over a second: what is running and how large it is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, TextIO

if TYPE_CHECKING:
    from exactdp.engines.engine import Engine
    from exactdp.profile import PrivacyProfile

__all__ = ["Work", "size_of", "work_of", "working"]


class Work(NamedTuple):
    """What an engine visits: ordered pairs of neighbouring data sets after reduction, and outcomes; None: no scan."""

    engine: str
    pairs: int | None
    outcomes: int | None
    words: str = "no scan"
    """What is done where no pairs are scanned."""

    def __str__(self) -> str:
        return self.engine if self.pairs is None else f"{self.engine}: {self.cost}"

    @property
    def cost(self) -> str:
        """The work without its engine."""
        if self.pairs is None:
            return self.words
        if self.outcomes is None:
            return f"{self.pairs} pairs of data sets"
        return f"{self.pairs} pairs of data sets x {self.outcomes} outcomes"


def work_of(profile: PrivacyProfile) -> Work:
    """Return the work of one search for the worst pair."""
    from exactdp.engines.planner import engine_of

    return size_of(engine_of(profile.source))


def size_of(engine: Engine) -> Work:
    """Return the work of one search of this engine."""
    return Work(engine.name, engine.work.pairs, engine.work.outcomes)


@contextmanager
def working(what: object) -> Iterator[None]:
    """After a second name ``what`` is running; then, on a terminal, count the seconds.

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
        print(f"{what} ...", file=stderr, flush=True)
        if not stderr.isatty():
            return
        while not done.wait(1):
            print(f"\r{monotonic() - began:.0f} s", end="", file=stderr, flush=True)
        print("\r          \r", end="", file=stderr, flush=True)
    except (OSError, ValueError):  # nobody is watching
        return
