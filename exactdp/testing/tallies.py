"""How often each outcome was drawn: from arrays of NumPy to exact counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from exactdp.errors import InvalidValueError


def drawn_outcomes(
    sampler: Callable[[int, np.random.Generator], Any], *, size: int, rng: np.random.Generator
) -> list[Any]:
    """Return the outcomes of ``sampler(size, rng)`` in their order: numbers, tuples of numbers, or what a list holds.

    An array of shape (m,) or (m, 1) gives numbers, one of shape (m, columns) tuples; floats are taken as they are.

    Raises:
        InvalidValueError: for arrays of other shapes or types, NaN, and lists of what is not hashable.

    >>> drawn_outcomes(lambda size, rng: np.zeros((size, 2)), size=2, rng=np.random.default_rng(1))
    [(0.0, 0.0), (0.0, 0.0)]
    """
    drawn = sampler(size, rng)
    if not isinstance(drawn, np.ndarray):
        return _hashable(drawn)
    if drawn.dtype.kind not in "iufb" or drawn.ndim not in (1, 2):
        raise InvalidValueError(
            f"the sampler returned an array of the shape {drawn.shape} and the type {drawn.dtype}. "
            "Return numbers, one outcome in each entry or row."
        )
    if drawn.dtype.kind == "f" and np.isnan(drawn).any():
        raise InvalidValueError("the sampler returned NaN, which is no outcome. Return numbers, or name what happened.")
    if drawn.ndim == 2 and drawn.shape[1] != 1:
        return list(map(tuple, drawn.tolist()))
    return list(drawn.reshape(-1).tolist())


def tally(sampler: Callable[[int, np.random.Generator], Any], *, size: int, seed: int) -> Counter[Any]:
    """Return outcome -> how often it is among ``sampler(size, rng)``, with a generator of this seed.

    The outcomes are ints for an array of shape (m,) or (m, 1), tuples of ints for one of shape (m, columns), and the
    entries themselves for a list.

    Raises:
        InvalidValueError: for arrays of other shapes or types, and lists of what is not hashable.

    >>> tally(lambda size, rng: rng.integers(2, size=size) * 0 + 7, size=3, seed=1)
    Counter({7: 3})
    """
    drawn = sampler(size, np.random.default_rng(seed))
    if isinstance(drawn, np.ndarray):
        return _of_array(drawn)
    return Counter(_hashable(drawn))


def _hashable(drawn: Any) -> list[Any]:
    """Return what was drawn as a list of outcomes that can be counted."""
    try:
        outcomes = list(drawn)
        Counter(outcomes)
    except TypeError as error:
        raise InvalidValueError(
            f"the sampler returned a {type(drawn).__name__} that cannot be counted: {error}. "
            "Return an array of integers, or a list of outcomes."
        ) from None
    return outcomes


def _of_array(drawn: np.ndarray[Any, Any]) -> Counter[Any]:
    if drawn.dtype.kind not in "iu" or drawn.ndim not in (1, 2):
        raise InvalidValueError(
            f"the sampler returned an array of the shape {drawn.shape} and the type {drawn.dtype}. "
            "Return integers, one outcome in each entry or row."
        )
    if drawn.ndim == 2 and drawn.shape[1] != 1:
        values, counts = np.unique(drawn, axis=0, return_counts=True)
        outcomes: list[Any] = list(map(tuple, values.tolist()))
    else:
        values, counts = np.unique(drawn.reshape(-1), return_counts=True)
        outcomes = values.tolist()
    return Counter(dict(zip(outcomes, counts.tolist(), strict=True)))
