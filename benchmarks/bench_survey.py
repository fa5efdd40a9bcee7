"""What the survey costs. Run: python -m pytest benchmarks --benchmark-only -n 0"""

import pytest

from exactdp.studies.survey.error_curves import Row, read_question
from exactdp.studies.survey.measured import CURVES, survey


@pytest.mark.parametrize("n", [10**2, 10**4, 10**6, 10**9])
def test_the_survey_at_one_n(benchmark, n):
    """Every protocol, eps = 1/2, delta = 1e-6, 16 inputs, one process. Target: 20 s up to 10^4 users, then 60 s."""
    question = read_question(n, eps="1/2", delta="1e-6")
    answered = benchmark.pedantic(lambda: survey(question), rounds=1, iterations=1)
    rows = [answered.rows[curve.key][n] for curve in CURVES]
    benchmark.extra_info["rows"] = sum(isinstance(row, Row) for row in rows)
    assert benchmark.stats.stats.median < (20 if n <= 10**4 else 60)
