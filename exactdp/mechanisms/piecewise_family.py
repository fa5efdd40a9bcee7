"""The piecewise randomizer: a number from -1 to 1, sent as a real number that likely lies in a window around it.

With s > 1, s^2 at most e^eps0, and C = (s + 1)/(s - 1), the input x is sent as y in [-C, C]: uniform with probability
s/(s + 1) in the window of length C - 1 that begins at ((C + 1) x - (C - 1))/2, else uniform outside. The two densities
have the ratio s^2. The mean of y is x, its variance x^2/(s - 1) + (s + 3)/(3 (s - 1)^2).

*Every pair.* As shares of 2 C windows have the length w = (C - 1)/(2 C) = 1/(s + 1) < 1/2, and densities are h = s
inside, h/s^2 = 1/s outside. What a message says of P, Q and R_v is in which of the three windows it lies: 8 classes.
Given f, E f(L) is linear in their shares, which are at least 0, add up to 1, and to w over each window. So the shares
are a mean of vertices of this polytope, and L is a mixture of what it is there
(:mod:`exactdp.mechanisms.density_family`). That some vertices belong to no three inputs only raises the upper end.

*The blanket.* c = 1/s everywhere, as no window is more than half. In the same way mu/c is a mixture of that of disjoint
windows and of equal ones, and the latter has the spread of the former: under equal windows L is s^2 (1 - E) on w and 1
- E elsewhere, under disjoint ones s^2 - E on w, 1 - s^2 E on w, and 1 - E elsewhere; of the two pairs with the same sum
s^2 (1 - E) + (1 - E) the latter is the one that is further apart.

*Below.* Of three given inputs the classes say all: the divergence of -1 and 1 beside others who hold one input.

Source: WangXiaoYangZhaoHuiShinShinYu2019, section 3.2 (as printed in secondary sources, the
proofs being this page's).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import ClassVar, Final

from exactdp.errors import InvalidValueError
from exactdp.mechanisms.density_family import Classes, DensityFamily, Spreads
from exactdp.mechanisms.family import ExpEps0, read_exp_eps0
from exactdp.mechanisms.pair_table import PairTable
from exactdp.mechanisms.unary_encoding_family import root_of
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_fraction
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.real import Real

_ONE: Final = Fraction(1)

_WINDOWS: Final = tuple(product((False, True), repeat=3))
"""In which of the windows of P, Q and R a message lies."""

_HELD: Final = tuple(Fraction(place, 8) for place in (-8, -4, -2, -1, 0, 1, 2, 4, 8))
"""What all others may hold in the data sets of lower ends."""


@dataclass(frozen=True, slots=True, init=False)
class PiecewiseRandomizer(DensityFamily):
    """The piecewise randomizer as a family; the argument is that of ``piecewise``.

    >>> PiecewiseRandomizer(exp_eps0=4).local_epsilon(), PiecewiseRandomizer(exp_eps0=4).variance(1)
    (LogRational('4'), Fraction(8, 3))
    """

    name: ClassVar[str] = "piecewise"
    sends_numbers: ClassVar[bool] = True

    exp_eps0: ExpEps0

    def __init__(self, *, exp_eps0: Exact | Real) -> None:
        set_fields(self, exp_eps0=read_exp_eps0(exp_eps0))
        if not self.root > 1:
            raise InvalidValueError(f"exp_eps0={short(str(exp_eps0))} is 1 or hardly more. Pass e^eps0 > 1 + 2^-50.")

    @property
    def inputs(self) -> tuple[Fraction, ...]:
        """Empty: every number from -1 to 1 is an input, and none is listed."""
        return ()

    @property
    def input_space(self) -> str:
        return "all numbers from -1 to 1"

    @property
    def in_its_place(self) -> str:
        return "randomized_response(2, exp_eps0=...), of the ends to which an input is rounded at random"

    @property
    def is_rational(self) -> bool:
        return True

    @property
    def root(self) -> Fraction:
        """s: the root of e^eps0, exact where that is a square, else rounded down to a multiple of 2^-53."""
        return root_of(self.exp_eps0)

    def local_epsilon(self) -> LogRational:
        return LogRational(self.root**2)

    def variance(self, value: Exact) -> Fraction:
        """Return the variance of the message of a user who holds ``value``; its mean is the value."""
        x, s = as_fraction(value, name="value"), self.root
        if abs(x) > 1:
            raise InvalidValueError(f"value={short(x)} is not from -1 to 1. Pass an input.")
        return x**2 / (s - 1) + (s + 3) / (3 * (s - 1) ** 2)

    def ends(self) -> tuple[Fraction, ...]:
        return _HELD

    def spreads(self, cells: int) -> Spreads:
        share = 1 / (self.root + 1)
        rows = (self._classes(zip(_WINDOWS, vertex, strict=True)) for vertex in _vertices(share))
        apart = [((True, False, False), share), ((False, True, False), share), ((False,) * 3, 1 - 2 * share)]
        return Spreads(self._classes(apart), tuple(rows))

    def binned(self, cells: int) -> tuple[PairTable]:
        share = 1 / (self.root + 1)
        starts = [(1 - share) * (1 + x) / 2 for x in (-_ONE, _ONE, *_HELD)]
        cuts = sorted({Fraction(0), _ONE, *starts, *(start + share for start in starts)})
        inside, outside = self.root, 1 / self.root
        vectors = []
        for low, high in pairwise(cuts):
            row = [(high - low) * (inside if start <= low < start + share else outside) for start in starts]
            vectors.append((*row[:2], (high - low) * outside, *row[2:]))
        return (PairTable.merged(-_ONE, _ONE, _HELD, vectors),)

    def _classes(self, shares: Iterable[tuple[Sequence[bool], Fraction]]) -> Classes:
        levels = (1 / self.root, self.root)
        classes = []
        for (first, second, other), share in shares:
            if share:
                classes.append((share * levels[first], share * levels[second], share * levels[other]))
        return tuple(classes)


def _vertices(share: Fraction) -> list[tuple[Fraction, ...]]:
    """Return the vertices of the shares of the 8 classes of messages where each window has a share."""
    found = dict[tuple[Fraction, ...], None]()
    for basis in combinations(range(len(_WINDOWS)), 4):
        columns = [[_ONE, *map(Fraction, _WINDOWS[place])] for place in basis]
        values = _solved([list(row) for row in zip(*columns, [_ONE, share, share, share], strict=True)])
        if values is not None and min(values) >= 0:
            vertex = dict(zip(basis, values, strict=True))
            found[tuple(vertex.get(place, Fraction(0)) for place in range(len(_WINDOWS)))] = None
    return list(found)


def _solved(rows: list[list[Fraction]]) -> list[Fraction] | None:
    """Return the solution of equations with their right side at the end; None where there is not one."""
    for place in range(len(rows)):
        pivot = next((row for row in rows[place:] if row[place]), None)
        if pivot is None:
            return None
        rows.remove(pivot)
        pivot = [entry / pivot[place] for entry in pivot]
        rows = [[a - row[place] * b for a, b in zip(row, pivot, strict=True)] for row in rows]
        rows.insert(place, pivot)
    return [row[-1] for row in rows]


def piecewise(*, exp_eps0: Exact | Real) -> PiecewiseRandomizer:
    """Return the piecewise randomizer: a number from -1 to 1, sent as a number that likely lies in a window around it.

    Args:
        exp_eps0: E = e^eps0, exact and above 1, or irrational as "exp(1)"; its root is rounded down to a multiple of
            2^-53 where it is none, so that eps0 is a little less than asked for.

    Messages are real numbers: delta and eps of ``ShuffleProtocol`` lie between two proved ends. No view is drawn, and
    no table or certificate exists.

    >>> from exactdp import ShuffleProtocol
    >>> ShuffleProtocol(piecewise(exp_eps0=4), 10**5).privacy_profile().delta(exp_eps="101/100")
    Interval[0.00007534385309, 0.00007534474907]

    Source: WangXiaoYangZhaoHuiShinShinYu2019, section 3.2 (as printed in secondary sources).
    """
    return PiecewiseRandomizer(exp_eps0=exp_eps0)
