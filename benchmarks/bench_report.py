"""What the report costs. Run: python -m pytest benchmarks/bench_report.py --benchmark-only -n 0 -s

The report is written as ``exactdp report`` writes it, in a process of its own, on two cores: the whole ledger is run,
every table computed, every figure drawn. Putting the page together is timed apart.
"""

import os
import subprocess
import sys

from exactdp.proofs import check, rows
from exactdp.report.page.html import report_page

JOBS = 2
PROGRAM = "from exactdp.cli.commands.report import report_command; report_command.main(standalone_mode=False)"


def test_the_whole_report_on_two_cores(benchmark, tmp_path):
    """Target: under 60 s of wall time, and a page below 4 MB."""
    target = tmp_path / "report.html"
    command = [sys.executable, "-c", PROGRAM, "-o", os.fspath(target), "--jobs", str(JOBS)]
    benchmark.pedantic(lambda: subprocess.run(command, check=True, capture_output=True), rounds=1, iterations=1)
    size = target.stat().st_size
    benchmark.extra_info["bytes"] = size
    print(f"\nthe report: {size / 10**6:.2f} MB, {benchmark.stats.stats.max:.1f} s on {JOBS} processes")
    assert size < 4 * 10**6
    assert benchmark.stats.stats.max < 60


def test_the_page_alone(benchmark):
    """Three topics into a page: the time that is not spent on proofs, tables and figures. Target: under 1 s."""
    outcomes = [check(row) for row in rows() if row.topic in ("complement", "definitions", "adding a user")]
    page = benchmark(lambda: report_page(outcomes, {}, []))
    print(f"\n{len(outcomes)} rows, {len(page)} characters")
    assert benchmark.stats.stats.mean < 1
