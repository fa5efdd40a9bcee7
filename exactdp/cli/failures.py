"""How a command ends: its exit status, and an error in one or two lines that says what, where and the repair.

| status | meaning |
| --- | --- |
| 0 | the query is answered; the claim is proved; every file is verified; every proof is as recorded |
| 1 | the claim is refuted; a certificate is rejected; a proof is not as recorded; a cross-check finds another answer |
| 2 | bad input, a size beyond a limit, or no answer within --timeout; nothing is written |
| 3 | the claim is undecided, or decided without a certificate; an answer is out of the reach of its cross-check |
| 70 | a bug in exactdp |
| 130, 141 | interrupted; the reader of the output went away |
"""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import suppress
from typing import Final

import click

from exactdp.cli.wrapping import terminal_width, wrapped
from exactdp.errors import ExactDPError

HOLDS: Final = 0
"""As every program that succeeds."""
REFUTED: Final = 1
"""As grep and diff say no: the answer is certain, and it is the other one."""
BAD_INPUT: Final = 2
"""As click ends on an option that it does not know."""
UNDECIDED: Final = 3
"""The least that is not taken: neither yes nor no."""
BUG: Final = 70
"""EX_SOFTWARE of sysexits.h, an internal error."""
INTERRUPTED: Final = 130
"""128 and the number of SIGINT, as shells say it."""
NO_READER: Final = 141
"""128 and the number of SIGPIPE, as shells say it."""


def fail(error: BaseException) -> int:
    """Say on stderr what went wrong, in one or two lines, and return the exit status."""
    if isinstance(error, BrokenPipeError):
        _stop_writing()
        return NO_READER
    if isinstance(error, KeyboardInterrupt | click.Abort):
        _say(f"interrupted. {str(error) or 'Nothing was written.'}")
        return INTERRUPTED
    if isinstance(error, click.ClickException):
        _say(_usage(error))
    elif isinstance(error, ExactDPError):
        _say(getattr(error, "plain", str(error)), error.page)  # without repairs that only Python has
    elif isinstance(error, MemoryError):
        _say("out of memory. Ask for less: fewer users, runs or draws.")
    elif isinstance(error, OSError):
        name = "the output" if error.filename is None else str(error.filename)
        _say(f"{name} cannot be written: {error.strerror}. Name another file with -o, or free some space.")
    else:
        _say(_bug(error))
        return BUG
    return BAD_INPUT


def _usage(error: click.ClickException) -> str:
    message = " ".join(error.format_message().split()).replace("'. (Did", "' (did")
    message = message if message.endswith((".", "?", ")")) else f"{message}."
    context = getattr(error, "ctx", None)
    return message if context is None else f"{message} See '{context.command_path} --help'."


def _bug(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
    return (
        f"this is a bug in exactdp: {type(error).__name__}{place}: {error}\n"
        "Please report this line with the command and its input."
    )


def _say(message: str, page: str | None = None) -> None:
    """Print the message; on a terminal also the page that says more, broken at its width."""
    lines = ["".join(c if c.isprintable() else repr(c)[1:-1] for c in line) for line in message.split("\n")[:2]]
    with suppress(OSError):  # where nobody reads stderr either, the exit status still says it
        width = terminal_width(sys.stderr)
        more = [] if page is None or width is None else [f"more: {page}"]
        print(wrapped("error: " + "\n".join([*lines, *more]), width), file=sys.stderr, flush=True)


def _stop_writing() -> None:
    """Point stdout at nothing, so that the interpreter does not complain about the pipe when it ends."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
