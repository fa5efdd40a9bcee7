"""The output supports of R^gap: what one user gives away, and what a shuffle of two or more hides.

The view of n users is the number of ones among 4n bits. One user with input 1 never shows 2 ones, so 2 ones prove input
0. From two users on every data set shows every count with positive probability, and the largest ratio between
neighbours is finite (proofs/gap.py).

Source: BalcerCheu2020, section 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import exactdp as xdp
from exactdp.errors import TooLargeError
from exactdp.numbers.exact import as_integer
from exactdp.report.figures.data import DataTable, number_words
from exactdp.report.figures.style import Picture, Theme, key_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


_MOST_USERS: Final = 5
"""More rows of dots are no picture."""
_LARGEST_DOT: Final = 420
"""Area of the dot of probability 1, in square points."""
_LEAST_DOT: Final = 2
"""A smaller dot is not seen."""
_KEYS: Final = (Fraction(1, 100), Fraction(1, 10), Fraction(2, 5))
"""Probabilities of the dots in the key."""


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
    parts = []
    for n, eps, laws in supports.panels:
        missing = [f"{ones} ones from {_data_set(n, k)}" for k, law in enumerate(laws)
                   for ones, p in enumerate(law) if p == 0]  # fmt: skip
        parts.append(f"n = {n}: impossible are {', '.join(missing) or 'none'}; the least ε is {_eps(eps)}.")
    caption = (
        "How many ones the shuffled bits of R^gap can show: a row for each data set of n users. The area of a dot is "
        "its probability (the least are drawn larger), a cross marks what cannot be. " + " ".join(parts)
    )
    rows = sum(n + 1 for n, _, _ in supports.panels)
    height = 0.5 + 0.36 * rows
    title = "Two ones betray a single user; a shuffle of two hides them"
    return Picture(
        name, title, caption, height, supports.table(), lambda figure, theme: _paint(figure, theme, supports)
    )


def _data_set(n: int, k: int) -> str:
    return " ".join("1" * k + "0" * (n - k))


def _eps(eps: xdp.LogRational) -> str:
    return "infinite" if eps.is_infinite else f"ln({eps.argument}) = {number_words(eps.enclose(), 3)}"


def _paint(figure: Figure, theme: Theme, supports: Supports) -> None:
    heights = [n + 2 for n, _, _ in supports.panels]
    rows = figure.subplots(len(supports.panels), 1, squeeze=False, sharex=True, height_ratios=heights)
    widest = max(4 * n for n, _, _ in supports.panels)
    for (axes,), (n, eps, laws) in zip(rows, supports.panels, strict=True):
        _paint_panel(axes, theme, n, laws)
        users = "one user" if n == 1 else f"{n} users, shuffled"
        axes.set_title(f"{users}:  least ε {'=' if not eps.is_infinite else 'is'} "
                       f"{_eps(eps).split(' = ')[0]}")  # fmt: skip
        axes.set_xlim(-0.6, widest + 0.6)
        axes.set_xticks(range(0, widest + 1, 2))
    rows[-1][0].set_xlabel("number of ones")
    holes = any(p == 0 for _, _, laws in supports.panels for law in laws for p in law)
    key_of(rows[-1][0], _samples(theme)[: None if holes else -1])


def _paint_panel(axes: Axes, theme: Theme, n: int, laws: tuple[tuple[Fraction, ...], ...]) -> None:
    axes.set(ylim=(n + 0.7, -0.6), yticks=range(n + 1), yticklabels=[_data_set(n, k) for k in range(n + 1)])
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(length=0)
    for k, law in enumerate(laws):
        shown = [(ones, p) for ones, p in enumerate(law) if p > 0]
        axes.scatter(
            [x for x, _ in shown], [k] * len(shown), s=[_area(p) for _, p in shown],
            color=theme.colors[0], linewidths=0, zorder=3,
        )  # fmt: skip
        missing = [ones for ones, p in enumerate(law) if p == 0]
        axes.scatter(missing, [k] * len(missing), marker="x", s=70, color=theme.colors[1], linewidths=2.2, zorder=4)


def _area(p: Fraction) -> float:
    return max(_LEAST_DOT, _LARGEST_DOT * float(p))


def _samples(theme: Theme) -> list[Line2D]:
    """Return what the key shows: dots of some probabilities, and last the cross."""
    from matplotlib.lines import Line2D

    look: dict[str, Any] = {"color": theme.colors[0], "linestyle": "none", "marker": "o", "markeredgewidth": 0}
    dots = [Line2D([], [], label=f"probability {p}", markersize=_area(p) ** 0.5, **look) for p in _KEYS]
    cross = Line2D(
        [], [], label="cannot be", color=theme.colors[1], linestyle="none", marker="x", markersize=8, markeredgewidth=2
    )
    return [*dots, cross]
