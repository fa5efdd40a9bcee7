"""What auditing deployments costs. Run: python -m pytest benchmarks/bench_deployments.py --benchmark-only -n 0

Each is asked once, in a process that has computed nothing before.
"""

import subprocess
import sys
from pathlib import Path

from exactdp.deployment import read
from exactdp.studies.deployment.solving import solve

TELEMETRY = Path(__file__).parents[1] / "examples" / "deployments" / "telemetry.toml"
DAILY = """
name = "A year of days"
delta = "1e-6"
unit = "person"
[[class]]
name = "all"
n = 1_000_000
[participation]
model = "always"
[[question]]
name = "answer"
randomizer = "randomized-response:inputs=64,eps0=2"
[[release]]
questions = ["answer"]
as = "separate"
times = 365
"""


def audited(path: Path) -> str:
    """Return what the shell says of the whole of a deployment."""
    words = [sys.executable, "-m", "exactdp", "audit", str(path)]
    lines = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()
    return next(line for line in lines if line.startswith("eps "))


def test_telemetry(benchmark):
    """Target: 30 s: two classes, five questions that share a coin, 52 rounds."""
    benchmark.extra_info["eps"] = benchmark.pedantic(audited, args=(TELEMETRY,), rounds=1)
    assert benchmark.stats.stats.median < 2 * 30


def test_the_eps0_that_a_budget_allows(benchmark):
    """Target: 120 s: of the telemetry, the border of the factor of all eps0, from both sides."""
    solved = benchmark.pedantic(solve, args=(read(TELEMETRY), "eps0"), rounds=1)
    benchmark.extra_info["safe"] = str(solved.safe.value)
    assert benchmark.stats.stats.median < 2 * 120


def test_the_folder_of_telemetry(benchmark, tmp_path):
    """Target: 120 s, and 120 s to check its certificates."""
    answer = benchmark.pedantic(lambda: read(TELEMETRY).audit().save(tmp_path / "folder"), rounds=1)
    benchmark.extra_info["certificates"] = len(answer["certificates"])
    assert benchmark.stats.stats.median < 2 * 120


def test_a_year_of_days(benchmark, tmp_path):
    """Target: 10 s: 64-ary response, eps0 = 2, 10^6 people, 365 rounds."""
    path = tmp_path / "daily.toml"
    path.write_text(DAILY)
    assert read(path).releases[0].times == 365
    benchmark.extra_info["eps"] = benchmark.pedantic(audited, args=(path,), rounds=1)
    assert benchmark.stats.stats.median < 2 * 10
