"""What the whole ledger costs. Run: python -m pytest benchmarks/bench_ledger.py --benchmark-only -n 0 -s

From scratch each claim is stated, certified and decided by the checker, in new processes whose caches are empty. As a
user runs it, ``exactdp prove`` checks the stored certificates. With -s the ten slowest rows are printed.
"""

import resource
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from time import perf_counter

from exactdp.certificates import verify as checker
from exactdp.proofs import check_from_scratch, row, rows

JOBS = 2
SLOWEST = 10
LONGEST = 4 * 2**20


def decide(name):
    """Decide one row: its seconds, whether the verdict is the recorded one, and its certificate, if it has one."""
    outcome = check_from_scratch(row(name))
    text = None if outcome.certificate is None else outcome.certificate.to_json()
    return outcome.seconds, outcome.as_recorded, text


def decide_all(jobs):
    """Return id -> what ``decide`` says, from new processes."""
    names = [each.id for each in rows()]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as executor:
        return dict(zip(names, executor.map(decide, names), strict=True))


@cache
def decided():
    """The wall time of the ledger, and what came out of it: every benchmark here looks at one run."""
    began = perf_counter()
    found = decide_all(JOBS)
    return perf_counter() - began, found


def slowest(seconds):
    """The lines that name the slowest rows."""
    ranked = sorted(seconds.items(), key=lambda item: -item[1])[:SLOWEST]
    return [f"{name:40} {time:7.2f} s" for name, time in ranked]


def test_the_first_command(benchmark):
    """The stored certificates, as a user checks them. Target: 14 s of wall time on two idle cores, 25 s of CPU."""

    def prove():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "exactdp", "prove", "-o", "/dev/null"], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    spent = benchmark.pedantic(prove, rounds=1, iterations=1)
    print(f"\n{spent:.1f} s of CPU")
    benchmark.extra_info |= {"cpu_seconds": spent}
    assert spent < 25
    assert benchmark.stats["max"] < 14


def test_the_whole_ledger_from_scratch_on_two_cores(benchmark):
    """Every verdict is the recorded one. Target: under 60 s of wall time."""
    total, found = benchmark.pedantic(decided, rounds=1, iterations=1)
    seconds = {name: time for name, (time, _, _) in found.items()}
    shown = slowest(seconds)
    print(
        f"\n{len(found)} rows, {total:.1f} s on {JOBS} processes, {sum(seconds.values()):.1f} s of work; the slowest:"
    )
    print("\n".join(shown))
    benchmark.extra_info |= {"rows": len(found), "work_seconds": sum(seconds.values()), "slowest": shown}
    assert [name for name, (_, as_recorded, _) in found.items() if not as_recorded] == []
    assert total < 60


def test_the_checker_on_all_certificates(benchmark):
    """The standard-library checker alone, one process, one certificate after the other. Target: under 20 s."""
    texts = {name: text for name, (_, _, text) in decided()[1].items() if text is not None}
    spent = {}

    def verify_all():
        for name, text in texts.items():
            began = perf_counter()
            checker.verify_text(text)
            spent[name] = perf_counter() - began

    benchmark.pedantic(verify_all, rounds=1, iterations=1)
    shown = slowest(spent)
    print(
        f"\n{len(texts)} certificates, {sum(map(len, texts.values()))} bytes, checked in {sum(spent.values()):.1f} s:"
    )
    print("\n".join(shown))
    benchmark.extra_info |= {"certificates": len(texts), "slowest": shown}
    assert sum(spent.values()) < 20


def test_the_longest_certificate(benchmark):
    """Target: below the 4 MiB that the checker reads."""
    sizes = {name: len(text) for name, (_, _, text) in decided()[1].items() if text is not None}
    name, size = benchmark.pedantic(lambda: max(sizes.items(), key=lambda item: item[1]), rounds=1, iterations=1)
    print(f"\nThe longest certificate is that of {name}: {size} bytes.")
    benchmark.extra_info |= {"row": name, "bytes": size}
    assert size < LONGEST
