"""Writing a file so that an interruption never leaves half of it."""

from __future__ import annotations

import os
import signal
import stat
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from exactdp.errors import InvalidFileError


def write_whole(path: str | Path, content: str | bytes | Iterable[str]) -> None:
    """Write a file so that at every moment it holds its old content or the new one, whole.

    The content, a text, bytes or the parts of a text one after another, goes into a temporary file of the same
    directory, which then takes the place of the old one in one step. A link is followed; what is no regular file (a
    pipe, a terminal) is written to directly.
    """
    target = Path(os.path.realpath(path))
    mode = None
    if target.exists():
        mode = target.stat().st_mode
        if stat.S_ISDIR(mode):
            raise InvalidFileError(f"{path} is a directory. Name a file.")
        if not stat.S_ISREG(mode):
            with target.open("wb") as stream:
                stream.writelines(_encoded(content))
            return
    if not target.parent.is_dir():
        raise InvalidFileError(f"{path} is in a directory that does not exist. Make it, or name another file.")
    with _stopped_late() as stops:
        try:
            handle, temporary = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".part", dir=target.parent)
        except OSError as error:
            raise InvalidFileError(f"{path} cannot be written: {error.strerror}. Name another file.") from None
        try:
            stops.raise_from_here()
            with os.fdopen(handle, "wb") as stream:
                stream.writelines(_encoded(content))
                stream.flush()
                os.fsync(stream.fileno())
            os.chmod(temporary, stat.S_IMODE(mode) if mode is not None else 0o666 & ~_umask())
            os.replace(temporary, target)
        except BaseException:
            stops.hold_back()
            with suppress(FileNotFoundError):
                os.unlink(temporary)
            raise
        stops.hold_back()


class _Stopped(BaseException):
    """A signal that ends the process has arrived."""


class _Stops:
    """Signals that would end the process at once: noted, and where they may be, raised."""

    def __init__(self) -> None:
        self.arrived: int | None = None
        self._raises = False

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Note a signal."""
        self.arrived = number
        if self._raises:
            self._raises = False
            raise _Stopped

    def raise_from_here(self) -> None:
        """Let signals break off what follows, and one that has arrived at once."""
        self._raises = True
        if self.arrived is not None:
            raise _Stopped

    def hold_back(self) -> None:
        """Note signals only."""
        self._raises = False


@contextmanager
def _stopped_late() -> Iterator[_Stops]:
    """End the process by SIGTERM or SIGHUP only after the block has cleaned up; who handles them himself still does."""
    stops, taken = _Stops(), list[int]()
    if threading.current_thread() is threading.main_thread():
        numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
        taken = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in taken:
        signal.signal(number, stops.handle)
    try:
        with suppress(_Stopped):
            yield stops
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)
        if stops.arrived is not None:
            signal.raise_signal(stops.arrived)


def _encoded(content: str | bytes | Iterable[str]) -> Iterator[bytes]:
    if isinstance(content, bytes):
        yield content
    else:
        yield from (part.encode() for part in ((content,) if isinstance(content, str) else content))


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
