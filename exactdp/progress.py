"""Progress: how a long call tells its caller how far it is, and how the caller stops it.

Every call that can take long has the argument ``progress``, a function of two arguments:

    def progress(done: int, total: int | None) -> None: ...

It is called after each piece of work: ``done`` pieces of ``total`` (None: not known) are finished. Work comes
in stages, such as the steps of a search, and each stage begins again at 1. What it returns is not read. What it raises
ends the call and comes out of it as it is, which is how a call is cancelled; nothing half-done is kept. It runs in the
thread that made the call, between pieces; work in another process is not reported.

>>> from exactdp import randomized_response, ShuffleProtocol
>>> seen = []
>>> profile = ShuffleProtocol(randomized_response(3, gamma="1/2"), 6).privacy_profile()
>>> _ = profile.tradeoff(progress=lambda done, total: seen.append((done, total)))
>>> seen[0][0], seen[-1][0] <= seen[-1][1]
(1, True)

In a notebook or at a terminal, :class:`ProgressLine` is such a function, and shows it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from time import monotonic
from typing import Final, Self, TextIO, TypeAlias, TypeVar

from exactdp.errors import InvalidValueError

Progress: TypeAlias = Callable[[int, int | None], object]

Piece = TypeVar("Piece")

_LISTENER: Final[ContextVar[Progress | None]] = ContextVar("exactdp_progress", default=None)


@contextmanager
def progress_callback(progress: Progress | None) -> Iterator[None]:
    """Make ``progress`` the callback of all work inside; None leaves in place the one that there is."""
    if progress is None:
        yield
        return
    if not callable(progress):
        raise InvalidValueError(
            f"progress has the type {type(progress).__name__}. Pass a function of two arguments, (done, total)."
        )
    token = _LISTENER.set(progress)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def report_progress(done: int, total: int | None = None) -> None:
    """Say that so much is finished, to whoever listens."""
    if (listener := _LISTENER.get()) is not None:
        listener(done, total)


@contextmanager
def one_step(step: int, total: int | None) -> Iterator[None]:
    """Hear the pieces inside as signs of life of a step, from 1 on, of about ``total``."""
    listener = _LISTENER.get()
    report_progress(step, total)
    with progress_callback(None if listener is None else lambda *_: listener(step, total)):
        yield


def with_progress(pieces: Iterable[Piece], total: int | None = None) -> Iterator[Piece]:
    """Yield the pieces of a stage, and say after each that it is finished."""
    for done, piece in enumerate(pieces, start=1):
        yield piece
        report_progress(done, total)


class ProgressLine:
    """A line that says how far a call is, and about how long the rest takes, and is rewritten in its place.

    Pass it as ``progress`` to any call that can take long, in a notebook or at a terminal; nothing else needs to be
    installed. The estimate is that pieces that are left take as long as those of this stage that are done. The line
    goes to stderr, in a notebook to the output of the cell, where one line is kept; it is drawn at most five times a
    second, without colour.

    >>> import io
    >>> from exactdp import randomized_response, ShuffleProtocol
    >>> profile = ShuffleProtocol(randomized_response(3, gamma="1/2"), 6).privacy_profile()
    >>> shown = io.StringIO()
    >>> with ProgressLine("trade-off", stream=shown) as line:
    ...     _ = profile.tradeoff(progress=line)
    >>> shown.getvalue().startswith("\\rtrade-off: [")
    True
    """

    _WIDTH: Final = 24
    _SHORTEST: Final = 5
    _REDRAWN: Final = 5
    """Times a second."""

    def __init__(self, name: str = "progress", *, stream: TextIO | None = None) -> None:
        self.name, self.stream, self.output = name, stream or sys.stderr, None if stream else _cell_output()
        self.began, self.first, self.last_done = monotonic(), -1, 0
        self.drawn, self.drawn_at, self.width = False, self.began, 0

    def __call__(self, done: int, total: int | None = None) -> None:
        """Take note of so many pieces of ``total``, of this stage or of a new one."""
        self.begin(done)
        if not self.drawn or done == total or (monotonic() - self.drawn_at) * self._REDRAWN >= 1:
            self.drawn, self.drawn_at = True, monotonic()
            text = self._drawn(done, total)
            if self.output is not None:
                self.output(text)
            else:
                print(f"\r{text.ljust(self.width)}", end="", file=self.stream, flush=True)
            self.width = len(text)

    def _drawn(self, done: int, total: int | None) -> str:
        """Return the line; one that a terminal would break could not be rewritten, so it is as short as needed."""
        from shutil import get_terminal_size

        words = self.words(done, total)
        is_terminal = self.output is None and self.stream.isatty()
        columns = get_terminal_size().columns - 1 if is_terminal else None
        size = self._WIDTH if columns is None else min(self._WIDTH, columns - len(f"{self.name}: [] {words}"))
        if size < self._SHORTEST:
            return f"{self.name}: {words}"[:columns]
        full = size * done // max(1, total or done)
        return f"{self.name}: [{'#' * full}{'.' * (size - full)}] {words}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def begin(self, done: int) -> None:
        """Begin a stage, where ``done`` says that it is one: then the time counts from here."""
        if self.first < 0 or done < self.last_done:
            self.began, self.first = (self.began if self.first < 0 else monotonic()), done - 1
        self.last_done = done

    def words(self, done: int, total: int | None) -> str:
        """Return how far it is, and after a second about how long the rest takes."""
        whole, elapsed = total or done, monotonic() - self.began
        if not 0 < done < whole or elapsed < 1:
            return f"{done} of {whole}"
        left = int(elapsed * (whole - done) / (done - self.first))
        return f"{done} of {whole}, about {_duration(left)} left"

    def clear(self) -> None:
        """Take the line away, so that something else can be written in its place; the next piece draws it again."""
        if self.drawn and self.output is None:
            print(f"\r{' ' * self.width}\r", end="", file=self.stream, flush=True)
            self.drawn = False

    def stop(self) -> None:
        """Leave the bar as it is, and its line."""
        if self.drawn and self.output is None:
            print(file=self.stream, flush=True)


def _cell_output() -> Callable[[str], object] | None:
    """Return what puts a text into the output of the cell of a notebook, in the place of the text before; else None."""
    python = sys.modules.get("IPython")
    if python is None or not hasattr(python.get_ipython(), "kernel"):
        return None
    shown = import_module("IPython.display").display({"text/plain": ""}, raw=True, display_id=True)

    def show(text: str) -> None:
        shown.update({"text/plain": text}, raw=True)

    return show


def _duration(seconds: int) -> str:
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"
