"""How to split eps in correlated counting: for each share the least r, the messages that are sent, and the error.

The error is discrete Laplace noise of e^((1 - share) eps), so every bit of eps that is left for the noise of both
counts makes it larger. The expected number of noise messages falls in the share at first, as p2 = e^(-share eps / 5)
moves away from 1, and rises at last, as p1 = e^(-(1 - share) eps) moves towards it. So there is a best share for few
messages, which is looked for on a grid, and none for the error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from exactdp.errors import InvalidValueError
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_fraction, as_probability
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.interval import Interval, fraction_ends
from exactdp.protocols.accuracy.optimal import optimal_accuracy
from exactdp.studies.calibration.calibrated import Calibration
from exactdp.studies.calibration.grid_search import calibrate

SIXTEENTHS: Final = tuple(Fraction(k, 16) for k in range(1, 16))
"""The shares that are compared unless others are given: the least number of messages is flat around its place."""

_GRID: Final = Fraction(1, 2**20)
"""Step of r, far below what the number of messages shows."""


@dataclass(frozen=True, slots=True)
class CountingShare:
    """Correlated counting with one share of eps for the noise of both counts, and the least r."""

    share: Fraction
    calibration: Calibration
    noise_messages: Fraction | Interval
    """The expected number of messages that a user sends beside those of his bit."""
    alpha: Fraction | Interval
    """The error that is exceeded with probability at most beta."""


@dataclass(frozen=True, slots=True)
class CountingShares:
    """All shares that were compared, in their order."""

    rows: tuple[CountingShare, ...]

    @property
    def fewest(self) -> CountingShare:
        """The one with the fewest expected messages; the first where two intervals overlap."""
        return min(self.rows, key=lambda row: fraction_ends(row.noise_messages)[1])


def counting_shares(
    n: int,
    *,
    eps: Exact | LogRational | None = None,
    exp_eps: Exact | None = None,
    delta: Exact,
    shares: Sequence[Exact] = SIXTEENTHS,
    beta: Exact = "1/20",
    grid: Exact = _GRID,
) -> CountingShares:
    """Return the least r, the messages and the error of correlated counting for several shares of eps.

    Args:
        n: number of users who follow the protocol.
        eps, exp_eps: one of eps > 0 and e^eps > 1.
        delta: in (0, 1), exact.
        shares: of eps, what is left for the noise of both counts, each in (0, 1).
        beta: probability of a larger error than alpha.
        grid: the step of r.

    >>> compared = counting_shares(10**6, eps=1, delta="1e-6", shares=["1/4", "1/2", "7/8"])
    >>> [(str(row.share), round(float(row.noise_messages), 6), str(row.alpha)) for row in compared.rows]
    [('1/4', 0.000319, '4'), ('1/2', 0.00017, '6'), ('7/8', 0.000108, '24')]
    >>> compared.fewest.share
    Fraction(7, 8)

    Cost: 0.5 s for the fifteen shares at eps = 1, delta = 1e-6.

    Source: GhaziKumarManurangsiPagh2020, section 3 (the protocol and its split of eps).
    """
    parts = [as_fraction(share, name="share") for share in shares]
    if not parts:
        raise InvalidValueError("shares is empty. Pass at least one share of eps, such as 1/2.")
    failure, rows = as_probability(beta, name="beta"), list[CountingShare]()
    for part in parts:
        least = calibrate("correlated-counting", n=n, eps=eps, exp_eps=exp_eps, delta=delta, grid=grid, share=part)
        protocol: Any = least.protocol
        alpha = optimal_accuracy(protocol, beta=failure)
        rows.append(CountingShare(exact_answer(part), least, protocol.noise_messages, alpha))
    return CountingShares(tuple(rows))
