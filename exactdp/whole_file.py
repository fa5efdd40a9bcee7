"""Writing a file so that an interruption never leaves half of it."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from exactdp.errors import InvalidFileError

__all__ = ["write_whole"]


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
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise InvalidFileError(f"{path} cannot be written: {error.strerror}. Name another file.") from None
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.writelines(_encoded(content))
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, stat.S_IMODE(mode) if mode is not None else 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _encoded(content: str | bytes | Iterable[str]) -> Iterator[bytes]:
    if isinstance(content, bytes):
        yield content
    else:
        yield from (part.encode() for part in ((content,) if isinstance(content, str) else content))


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
