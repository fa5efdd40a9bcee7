"""How a command ends: its exit status, and an error in one or two lines that says what, where and the repair.

| status | meaning |
| --- | --- |
| 0 | the query is answered; the claim is proved; every file is verified; every proof is as recorded |
| 1 | the claim is refuted; a certificate is rejected; a proof is not as recorded; a cross-check finds another answer |
| 2 | bad input, a size beyond a limit, or no answer within --timeout; nothing is written |
| 3 | the claim is undecided, or decided without a certificate; an answer is out of the reach of its cross-check |
| 70 | a bug in exactdp |
| 130, 141 | interrupted; the reader of the output went away |

``--timeout``: a command ends after so many seconds, whatever it is doing
-------------------------------------------------------------------------

Python looks at signals between two calls only, and one call of an engine may take minutes. So where the system can, the
command runs in a process of its own, which is asked to stop and leave nothing half-written, and is then ended.
Elsewhere a thread interrupts it, which one call that keeps the interpreter to itself may delay until it returns.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from _thread import interrupt_main
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from threading import Event, Thread
from types import FrameType
from typing import Any, Final

import click

from exactdp.cli.wrapping import terminal_width, wrapped
from exactdp.errors import ExactDPError, InvalidValueError

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


_GRACE: Final = 2
"""Seconds in which a command can clean up after itself."""
_LOOKS: Final = 50
"""How often in a second it is looked whether the command has ended."""


class _TimedOut(BaseException):
    """No error that anything but this module may catch."""


def patient(command: click.Command) -> click.Command:
    """Give a command the option --timeout."""
    if any(parameter.name == "timeout" for parameter in command.params):
        return command
    option = click.Option(
        ["--timeout"], metavar="SECONDS", expose_value=False, callback=_read, help="End after so long, with status 2."
    )
    command.params.append(option)
    invoke = command.invoke

    def limited(ctx: click.Context) -> Any:
        text = ctx.meta.get(__name__)
        return invoke(ctx) if text is None else _within(text, lambda: invoke(ctx))

    command.invoke = limited  # type: ignore[method-assign]
    return command


def _read(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    from exactdp.numbers.exact import as_fraction

    if value is None:
        return
    seconds = as_fraction(value, name="timeout")
    if seconds <= 0:
        raise InvalidValueError(f"timeout={value} is no time to wait. Write --timeout 60, for a minute.")
    ctx.meta[__name__] = value


def _within(text: str, work: Callable[[], Any]) -> int:
    """Return the exit status of the work, or that of bad input where it takes longer."""
    value = Fraction(text)
    seconds = value.numerator / value.denominator
    sys.stdout.flush()
    sys.stderr.flush()
    has_fork = hasattr(os, "fork")
    status = _in_a_process(seconds, work) if has_fork else _in_this_process(text, seconds, work)
    if status is not None:
        return status
    _say_once(text)
    return BAD_INPUT


def _say_once(text: str) -> None:
    message = f"error: no answer within timeout={text} s. Give it more time, or ask for less."
    print(message, file=sys.stderr, flush=True)


def _in_a_process(seconds: float, work: Callable[[], Any]) -> int | None:
    """Run the work in a child; return its exit status, None if it takes longer."""
    child = os.fork()
    if not child:
        os._exit(_as_child(work))
    try:
        status = _waited(child, seconds)
        if status is None:
            _signal(child, signal.SIGALRM)
            if _waited(child, _GRACE) is None:
                _signal(child, signal.SIGKILL)
                os.waitpid(child, 0)
        return status
    except KeyboardInterrupt:
        _signal(child, signal.SIGINT)
        status = _waited(child, _GRACE)
        return INTERRUPTED if status is None else status


def _as_child(work: Callable[[], Any]) -> int:
    """Do the work, in a group of processes of its own, and return the exit status."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGALRM, _stop)
    try:
        status = int(work() or 0)
        sys.stdout.flush()
    except _TimedOut:
        return BAD_INPUT
    except BaseException as error:  # noqa: BLE001  the last line of defence, as in main
        status = fail(error)
    sys.stderr.flush()
    return status


def _stop(number: int, frame: FrameType | None) -> None:
    raise _TimedOut


def _waited(child: int, seconds: float) -> int | None:
    """Return the exit status of the child, None if it is still running after so long."""
    until = time.monotonic() + seconds
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() >= until:
            return None
        time.sleep(1 / _LOOKS)


def _signal(child: int, number: int) -> None:
    """Tell the child and all that it has started; before it has a group of its own, the child alone."""
    try:
        os.killpg(child, number)
    except ProcessLookupError:
        os.kill(child, number)


def _in_this_process(text: str, seconds: float, work: Callable[[], Any]) -> int | None:
    """Run the work, and interrupt it between two calls of Python, also where the system's interrupts are ignored.

    Work that does not end then, such as the wait for other processes, is ended with this process.
    """
    from multiprocessing import active_children  # it loads sockets and pickle, and most commands start no process

    before, late, done = signal.getsignal(signal.SIGINT), Event(), Event()

    def interrupted(number: int, frame: FrameType | None) -> None:
        if late.is_set():
            raise _TimedOut
        if callable(before):
            before(number, frame)

    def watch() -> None:
        if done.wait(seconds):
            return
        late.set()
        interrupt_main()
        if not done.wait(_GRACE):
            _say_once(text)
            for child in active_children():
                child.kill()
            os._exit(BAD_INPUT)

    watcher = Thread(target=watch, daemon=True)
    try:
        signal.signal(signal.SIGINT, interrupted)
        watcher.start()
        try:
            return int(work() or 0)
        finally:
            done.set()
            watcher.join()
    except _TimedOut:
        return None
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)
