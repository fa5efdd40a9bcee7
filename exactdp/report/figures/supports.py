"""The output supports of R^gap: what one user gives away, and what a shuffle of two or more hides.

The view of n users is the number of ones among 4n bits. One user with input 1 never shows 2 ones, so 2 ones prove input
0. From two users on every data set shows every count with positive probability, and the largest ratio between
neighbours is finite (proofs/gap.py).

Source: BalcerCheu2020, section 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import exactdp as xdp
from exactdp.errors import TooLargeError
from exactdp.numbers.exact import as_integer
from exactdp.report.figures.chart import Axis, Chart, Dots, Line, Mark, Panel
from exactdp.report.figures.data import DataTable
from exactdp.report.figures.picture import Picture

_MOST_USERS: Final = 5
"""More rows of dots are no picture."""
_LARGEST_DOT: Final = 420
"""Area of the dot of probability 1, in square points."""
_LEAST_DOT: Final = 2
"""A smaller dot is not seen."""


@dataclass(frozen=True, slots=True)
class Supports:
    """For each n: the least eps of pure DP, and for each number of users with input 1 the law of the number of ones."""

    panels: tuple[tuple[int, xdp.LogRational, tuple[tuple[Fraction, ...], ...]], ...]

    def table(self) -> DataTable:
        """The laws as a table: users, users_with_one, ones, probability."""
        rows = tuple(
            (n, k, ones, p) for n, _, laws in self.panels for k, law in enumerate(laws) for ones, p in enumerate(law)
        )
        return DataTable(("users", "users_with_one", "ones", "probability"), rows, (("protocol", "R^gap"),))


def gap_supports(*users: int) -> Supports:
    """Return the laws of the number of ones under R^gap, for every data set of each number of users, 1 to 5.

    >>> result = gap_supports(1, 2)
    >>> [str(p) for p in result.panels[0][2][1]], result.panels[1][1]
    (['1/10', '2/5', '0', '2/5', '1/10'], LogRational('5/2'))

    Cost: 10 ms for 3 users.

    Source: BalcerCheu2020, section 4.
    """
    panels = []
    for n in (as_integer(value, name="users", at_least=1) for value in users):
        if n > _MOST_USERS:
            raise TooLargeError(f"users={n} is more than the limit of {_MOST_USERS} for this picture. Use fewer.")
        protocol = xdp.protocols.gap(n)
        laws = tuple(_ones(protocol, n, k) for k in range(n + 1))
        panels.append((n, protocol.privacy_profile().exact_epsilon(0), laws))
    return Supports(tuple(panels))


def _ones(protocol: xdp.ShuffleProtocol, n: int, k: int) -> tuple[Fraction, ...]:
    """Return the law of the number of ones where k of the n users hold 1."""
    one = protocol.tabulated.alphabet.index(1)
    law = protocol.law({0: n - k, 1: k}).map(lambda counts: counts[one])
    return tuple(law.prob(ones) for ones in range(4 * n + 1))


def supports_picture(supports: Supports, *, name: str = "gap-supports") -> Picture:
    """Return the picture: a dot for each count that a data set can show, a cross for each that it cannot."""
    widest = max(4 * n for n, _, _ in supports.panels)
    panels = []
    for n, eps, laws in supports.panels:
        cells = [(ones, -k, p) for k, law in enumerate(laws) for ones, p in enumerate(law)]
        dots, holes = ([cell for cell in cells if (cell[2] > 0) is is_dot] for is_dot in (True, False))
        marks: tuple[Mark, ...] = (
            Dots([x for x, _, _ in dots], [y for _, y, _ in dots], [_area(p) for _, _, p in dots]),
            Line(
                [x for x, _, _ in holes], [y for _, y, _ in holes], "cannot be" if holes else "", 1, "none", "x", size=8
            ),
        )
        users, least = (
            "one user" if n == 1 else f"{n} users, shuffled",
            "is infinite" if eps.is_infinite else f"= ln({eps.argument})",
        )
        rows = Axis(
            low=-n - Fraction(7, 10),
            high=Fraction(7, 10),
            ticks=[(-k, " ".join("1" * k + "0" * (n - k))) for k in range(n + 1)],
        )
        ones = Axis("number of ones", low=-Fraction(3, 5), high=widest + Fraction(3, 5), ticks="whole")
        panels.append(Panel(marks, ones, rows, f"{users}: least ε {least}", height=0.45 + 0.36 * (n + 1)))
    return Picture(
        name,
        "Two ones betray a single user; a shuffle of two hides them",
        "How many ones the shuffled bits of R^gap show, a row for each data set. The area of a dot is its probability.",
        supports.table(),
        Chart(tuple(panels), is_shared=True),
    )


def _area(p: Fraction) -> float:
    return max(_LEAST_DOT, _LARGEST_DOT * float(p))
