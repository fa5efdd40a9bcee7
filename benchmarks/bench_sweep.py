"""What a sweep costs beside its answers. Run: python -m pytest benchmarks --benchmark-only -n 0"""

import os
import subprocess
import sys

import pytest

from exactdp.studies.sweep.sweep_spec import read_sweep
from exactdp.studies.sweep.sweep_store import SweepStore, answer_sweep

_OVERHEAD = 0.005
"""Seconds for each question beside the bare call, at most."""


def _sweep(gammas: int, levels: int):
    """Binary randomized response of 1000 users: gamma from 1/100 on, eps from 1/100 on."""
    listed = [", ".join(f'"{k}/100"' for k in range(1, count + 1)) for count in (gammas, levels)]
    return read_sweep(
        '[[randomizer]]\nname = "binary"\nprotocol = "@randomized-response"\n'
        f"gamma = [{listed[0]}]\n[grid]\nusers = 1000\neps = [{listed[1]}]\n"
    )


@pytest.mark.parametrize("jobs", [1, 2])
def test_ten_thousand_questions(benchmark, tmp_path, jobs):
    """n = 10^3, 100 gammas, 100 eps. Target: 300 s on two cores."""
    sweep = _sweep(100, 100)
    path = tmp_path / "store.sqlite"

    def run():
        path.unlink(missing_ok=True)
        with SweepStore(path) as store:
            answer_sweep(sweep, store, jobs=jobs)
            return store.counts()

    counts = benchmark.pedantic(run, rounds=1, iterations=1)
    assert (counts.answered, counts.errors) == (10_000, 0)
    benchmark.extra_info["megabytes"] = path.stat().st_size / 2**20
    if jobs == 2 and (os.cpu_count() or 1) > 1:
        assert benchmark.stats.stats.median < 300


_PROGRAM = """
import sys, time
from exactdp.studies.sweep.sweep_store import SweepStore
from exactdp.studies.sweep.sweep_store import answer_sweep

questions = [question for _, question in small_sweep()]
questions[0].profile().delta(eps="1/3")  # loads the engine
began = time.process_time()
if len(sys.argv) > 1:
    with SweepStore(sys.argv[1]) as store:
        answer_sweep(small_sweep(), store)
else:
    for question in questions:
        question.profile().delta(eps=question.at)
print(time.process_time() - began)
"""


def small_sweep():
    """400 questions."""
    return _sweep(20, 20)


def test_overhead_of_a_question(benchmark, tmp_path):
    """The processor's time of a sweep less that of the bare calls, each in a process of its own. Target: 5 ms."""

    def seconds(*arguments):
        command = [sys.executable, "-c", _PROGRAM, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return float(done.stdout)

    bare = min(seconds() for _ in range(2))
    swept = min(
        benchmark.pedantic(lambda: seconds(tmp_path / "store.sqlite"), rounds=1, iterations=1),
        seconds(tmp_path / "again.sqlite"),
    )
    benchmark.extra_info["overhead_ms"] = 1000 * (swept - bare) / len(small_sweep())
    assert swept - bare < _OVERHEAD * len(small_sweep())
