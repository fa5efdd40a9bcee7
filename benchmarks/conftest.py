"""What the benchmarks share."""

import subprocess
import sys
from collections.abc import Callable
from typing import Final

import pytest

_PRINT_PEAK: Final = """
with open("/proc/self/status") as _status:
    print(next(line for line in _status if line.startswith("VmHWM")).split()[1])
"""


@pytest.fixture
def peak_megabytes(benchmark) -> Callable[..., int]:
    """Return a function of a program and its arguments: the program's peak memory in megabytes, whole process.

    The program runs once, in a process of its own; its time and its peak stand in the benchmark's record. The peak is
    the kernel's VmHWM (Linux), which begins anew with the process: ``ru_maxrss`` would start from the parent's.
    """

    def measure(program: str, *arguments: object) -> int:
        command = [sys.executable, "-c", f"{program}\n{_PRINT_PEAK}", *map(str, arguments)]
        done = benchmark.pedantic(
            lambda: subprocess.run(command, capture_output=True, text=True, check=True), rounds=1, iterations=1
        )
        peak = int(done.stdout.split()[-1]) // 1024
        benchmark.extra_info["peak_megabytes"] = peak
        return peak

    return measure
