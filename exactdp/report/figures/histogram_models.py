"""The users that a histogram of all bins at once takes, against the number of bins, in three models of trust.

*Local*: between the number that is too small for every protocol and the one that is enough for unary encoding, both by
theorems of the Coq development. *Shuffled*: zsum in every bin, at the least gamma for (eps, delta). *Central*: the
stability histogram. At most n bins hold a user and the others are exact, so the last two do not depend on the bins.

Source: BalcerCheu2020, section 3.2 (the claim that the gap grows with the bins).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import Any, Final

import exactdp as xdp
from exactdp.numbers.bisection import bisect, gallop
from exactdp.numbers.formats import power_of_ten
from exactdp.protocols.accuracy.local_histograms import unary_encoding_users
from exactdp.protocols.accuracy.optimal import histogram_optimum
from exactdp.report.figures.chart import Area, Axis, lines_of, one_panel
from exactdp.report.figures.data import DataTable, number_words
from exactdp.report.figures.picture import Picture

_BINS: Final = 10**12
"""More than there are users: as many bins as there may be."""


def histogram_users(
    bits: Sequence[int], *, eps: Fraction, delta: Fraction, alpha: Fraction, beta: Fraction
) -> DataTable:
    """Return the users needed in the three models, for 2^k bins with each k of ``bits``.

    Args:
        bits: each k.
        eps, delta: the privacy, of which local protocols have eps alone.
        alpha: the error of all bins at once, as a share of the users.
        beta: the probability of a larger one.

    Returns:
        A number of users too small for every local protocol, one that is enough for unary encoding, one that is enough
        for zsum in every bin, and the least one of a curator; so are all that are smaller, or larger.

    >>> tenth = Fraction(1, 10)
    >>> asked = histogram_users([1, 100], eps=Fraction(1), delta=tenth, alpha=tenth, beta=tenth)
    >>> asked.rows[0][1] < asked.rows[0][4] < asked.rows[0][3] < asked.rows[1][1] < asked.rows[1][2]
    True

    Cost: some seconds, for the least gamma.

    Source: BalcerCheu2020, section 3.2.
    """
    asked: dict[str, Any] = {"eps": eps, "alpha": alpha, "beta": beta}
    users = 1000
    while True:  # the error in users hardly depends on them
        gamma = xdp.calibrate("histogram", n=users, eps=eps, delta=delta, inputs=users).parameter
        least = histogram_optimum(users, users, gamma, beta)
        high = least if isinstance(least, Fraction) else least.hi
        if high <= alpha:
            break
        users = max(users + 1, ceil(users * high / alpha))

    def is_enough(n: int) -> bool:
        central = xdp.protocols.stability_histogram(n, _BINS, eps=eps, delta=delta)
        error: Any = xdp.optimal_accuracy(central, beta=beta, simultaneous=True)
        return bool(error <= alpha * n)

    central = bisect(*gallop(1, 1, is_enough), is_enough)
    rows = [
        (k, xdp.local_histogram_users(2**k, **asked), unary_encoding_users(2**k, **asked), users, central) for k in bits
    ]
    names = ("log2_bins", "local_too_few", "local_enough", "shuffled", "central")
    return DataTable.of(names, rows, eps=eps, delta=delta, alpha=alpha, beta=beta)


def histogram_models_picture(table: DataTable, *, name: str = "histogram-models") -> Picture:
    """Return the picture of the users needed against the number of bins."""
    about = {word: Fraction(value) for word, value in table.about}
    share, sure, eps, delta = map(number_words, (about["alpha"], 1 - about["beta"], about["eps"], about["delta"]))
    bits, few, many, shuffled, central = map(table.numbers, table.columns)
    last = _power_of_2(int(bits[-1] or 0))  # type: ignore[arg-type]
    return Picture(
        name,
        f"Users for {last} bins: more than {number_words(few[-1] or 0, 3, up=False)} locally, "
        f"{number_words(shuffled[-1] or 0)} shuffled, {number_words(central[-1] or 0)} with a curator",
        f"All bins within {share} of the users with probability {sure}, ε = {eps}, δ = {delta}. In the band it is open "
        "whether a local protocol suffices.",
        table,
        one_panel(
            Area(bits, few, many, color=1),
            *lines_of(
                table,
                "log2_bins",
                ("local_enough", "local, enough for unary encoding", 1),
                ("local_too_few", "local, too few for all", 2),
                ("shuffled", "shuffled, P^hist", 0),
                ("central", "a curator", 3),
            ),
            x=Axis("bins", is_log=True, ticks=[(k, _power_of_2(k)) for k in (1, 2, 5, 10, 20, 50, 100)]),
            y=Axis("users", is_log=True),
            height=3.2,
        ),
    )


def _power_of_2(exponent: int) -> str:
    return power_of_ten(exponent).replace("10", "2", 1)
