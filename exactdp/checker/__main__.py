"""Check certificates of the schemas exactdp-certificate-1 to 4, with Python's standard library only.

    python verify.py FILE...

One line per file. Exit status: 0 every file verified, 1 some check failed, 2 some file is malformed, unreadable or
beyond a limit.

Trusted for: the exit status, and holding the process to its time and memory.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from .budget import malformed
from .documents import report
from .limits import MAX_MEMORY, MAX_SECONDS


def main(paths: Sequence[str], begin: Callable[[], object] = tuple) -> int:
    """Answer in one line for each file, after a call of ``begin``."""
    if not paths:
        print("usage: python verify.py FILE...", file=sys.stderr)
        return 2
    worst = 0
    for path in paths:
        begin()
        status, line = report(path)
        worst = max(worst, status)
        try:
            print(line, flush=True)
        except OSError as error:  # nobody reads on, or there is no room to write
            print(f"the answer cannot be written: {error.strerror}", file=sys.stderr)
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 2
    return worst


def limit_the_process() -> Callable[[], object]:
    """Give this process MAX_MEMORY, and each file MAX_SECONDS from a call of what is returned: below the prices.

    A system that has no such limits leaves the prices, and one that refuses the first leaves them and the second.
    """
    if os.name != "posix":
        return tuple
    import resource

    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY if most < 0 else min(MAX_MEMORY, most), most))
    signal.signal(signal.SIGPROF, lambda *_: malformed(f"the check is too large: beyond {MAX_SECONDS} s"))
    return partial(signal.setitimer, signal.ITIMER_PROF, MAX_SECONDS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], limit_the_process()))
