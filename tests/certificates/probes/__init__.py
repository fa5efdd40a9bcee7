"""What the checker's numbers must satisfy, as functions of a checker: for its tests, and for mutation testing.

The corpus asks for verdicts; these ask for the enclosures behind them, at precisions so low that every rounding shows,
against mpmath, exact fractions and brute force.
"""

from tests.certificates.probes import (
    blankets,
    composed,
    counts,
    laws,
    polynomials,
    reading,
    reals,
    resources,
    swaps,
    two_messages,
    view_tests,
)
from tests.certificates.probes.common import PROBES

__all__ = [
    "PROBES",
    "blankets",
    "composed",
    "counts",
    "laws",
    "polynomials",
    "reading",
    "reals",
    "resources",
    "swaps",
    "two_messages",
    "view_tests",
]
