"""Estimated numbers of holders in views that are drawn: what each count counts for, in floats.

A view of a table counts its messages; one of a family the messages that support each input; of a product these stand
beside each other. The estimate is that of :mod:`exactdp.mechanisms.linear_estimate`, rounded to floats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.laws.noise import Counts
from exactdp.mechanisms.family import FamilyRandomizer, UserRandomizer
from exactdp.protocols.accuracy.frequency_errors import estimates_of

_DIGITS = 12
"""Of an estimate: more than floats keep of a sum."""
_MOST_ENTRIES = 2 * 10**7
"""Most counts times inputs: 160 MB."""


@dataclass(frozen=True, slots=True, eq=False)
class DrawnEstimates:
    """An affine function of the counts of a view: one number for each input, of each question in turn."""

    weights: NDArray[np.float64]
    offsets: NDArray[np.float64]

    @classmethod
    def of(cls, drawn: UserRandomizer, family: FamilyRandomizer | None, n: int) -> DrawnEstimates:
        """Return the estimates of n users.

        Args:
            drawn: whose views are drawn: a table, or a family.
            family: of which a table is, where that is known: its estimate is then the family's.
            n: number of users.
        """
        own = drawn.family
        if own is not None and own.parts:
            parts = [cls.of(part, None, n) for part in own.parts]
            return cls(_beside(parts), np.concatenate([part.offsets for part in parts]))
        stated = own or family
        columns = len(drawn.inputs) if own is not None else len(drawn.tabulated.alphabet)
        if columns * len(drawn.inputs) > _MOST_ENTRIES:
            raise TooLargeError(
                f"the estimates of {len(drawn.inputs)} inputs from {columns} counts are beyond the limit of "
                f"{_MOST_ENTRIES} weights. Use fewer inputs, or draw the counts alone."
            )
        if stated is None or stated.support_chances is None:
            if own is not None:
                raise InvalidValueError(
                    f"{own!r} has views that are too large for weights. Use fewer inputs, or draw the counts alone."
                )
            found = estimates_of(drawn)
            weights = np.array([[float(weight) for _, weight in one.weights] for one in found]).T
            return cls(weights, np.array([float(n * one.offset) for one in found]))
        (one,) = estimates_of(stated)
        unit = float(one.weights[0][1])
        inputs = range(len(drawn.inputs))
        if own is None:
            supports = [[stated.supports(sent, value) for value in inputs] for sent in drawn.tabulated.alphabet]
            weights = unit * np.array(supports, np.float64)
        else:
            weights = unit * np.eye(columns)
        return cls(weights, np.full(len(drawn.inputs), float(n * one.offset)))

    def rows(self, counts: Counts) -> list[list[str]]:
        """Return the estimates of each view, as decimals."""
        found = counts @ self.weights + self.offsets
        return [[f"{value:.{_DIGITS}g}" for value in row] for row in found.tolist()]


def _beside(parts: Sequence[DrawnEstimates]) -> NDArray[np.float64]:
    rows, columns = (sum(part.weights.shape[axis] for part in parts) for axis in (0, 1))
    whole, row, column = np.zeros((rows, columns)), 0, 0
    for part in parts:
        height, width = part.weights.shape
        whole[row : row + height, column : column + width] = part.weights
        row, column = row + height, column + width
    return whole
