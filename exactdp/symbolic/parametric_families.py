"""Published local randomizers as tables of functions: an interval stands where the table of numbers has a value.

Labels, their order and the values at every point are those of :mod:`exactdp.randomizers` and :mod:`exactdp.protocols`.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, product
from math import comb
from typing import Any, Final, TypeAlias

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.numbers.exact import Exact, as_integer
from exactdp.symbolic.box import Interval, Span, as_side
from exactdp.symbolic.symbolic_randomizer import SymbolicRandomizer, interval_text

SideLike: TypeAlias = "Span | tuple[Exact, Exact]"
"""The interval of a parameter; the ends of a pair belong to it."""
MAX_ENTRIES: Final = 4096
"""Most probabilities of a table of functions."""


def randomized_response(k: int, *, gamma: SideLike) -> SymbolicRandomizer:
    """Return k-ary randomized response for an interval of gamma, the parameter ``gamma``.

    Definition: a user sends a uniform symbol with probability gamma, and the input otherwise.

    Args:
        k: number of symbols, at least 2.
        gamma: the interval, inside [0, 1].

    >>> randomized_response(2, gamma=("1/10", "9/10")).probability(0, (1,))
    gamma/2

    Source: Warner1965, section 2 (k = 2); KairouzBonawitzRamage2016, section 3.
    """
    symbols = range(as_integer(k, name="k", at_least=2))
    _refuse_large(k * k)
    rows = {x: {(y,): f"1 - {k - 1}*gamma/{k}" if x == y else f"gamma/{k}" for y in symbols} for x in symbols}
    return SymbolicRandomizer(rows, _box(gamma=(gamma, 0, 1)))


def unary_encoding(d: int, *, keep: SideLike, flip: SideLike) -> SymbolicRandomizer:
    """Return unary encoding of d inputs for two intervals, the parameters ``keep`` and ``flip``.

    Definition: a user sends d bits as one message, each by itself: the bit of the input is 1 with probability keep,
    each other one with probability flip.

    Args:
        d: number of inputs, at least 2.
        keep: the interval of P[the input's bit is 1], inside [0, 1].
        flip: the interval of P[another bit is 1], inside [0, 1].

    >>> unary_encoding(2, keep=("1/2", "3/4"), flip=("1/10", "1/2")).probability(0, ((1, 0),))
    -flip*keep + keep

    Source: ErlingssonPihurKorolova2014, section 2.
    """
    inputs = range(as_integer(d, name="d", at_least=2))
    _refuse_large(d * 2 ** min(d, 64))
    ones = ["keep", "(1 - keep)"], ["flip", "(1 - flip)"]
    rows: dict[Any, Mapping[tuple[Any, ...], str]] = {
        x: {
            (bits,): "*".join(ones[i != x][1 - bit] for i, bit in enumerate(bits)) for bits in product((0, 1), repeat=d)
        }
        for x in inputs
    }
    return SymbolicRandomizer(rows, _box(keep=(keep, 0, 1), flip=(flip, 0, 1)))


def subset_selection(d: int, *, size: int, exp_eps0: SideLike) -> SymbolicRandomizer:
    """Return subset selection for an interval of e^eps0, the parameter ``exp_eps0``: rational functions of it.

    Definition: a user sends a subset of the given size; those that hold the input are e^eps0 times as likely as others.

    Args:
        d: number of inputs, at least 2.
        size: of the subsets, from 1 to d - 1.
        exp_eps0: the interval, from 1 on.

    >>> subset_selection(3, size=1, exp_eps0=(1, 4)).probability(0, ((0,),))
    exp_eps0/(exp_eps0 + 2)

    Source: YeBarg2018, section III.
    """
    inputs = range(as_integer(d, name="d", at_least=2))
    if not 1 <= as_integer(size, name="size", at_least=1) < d:
        raise InvalidValueError(f"size={size} is not from 1 to d - 1. Pass the size of a true subset of {d} inputs.")
    _refuse_large(d * comb(d, size))
    total = f"({comb(d - 1, size - 1)}*exp_eps0 + {comb(d - 1, size)})"
    rows = {
        x: {(subset,): f"{'exp_eps0' if x in subset else 1}/{total}" for subset in combinations(inputs, size)}
        for x in inputs
    }
    return SymbolicRandomizer(rows, _box(exp_eps0=(exp_eps0, 1, None)))


def zsum_randomizer(*, gamma: SideLike) -> SymbolicRandomizer:
    """Return one user of zsum for an interval of gamma, the parameter ``gamma``.

    Definition: a user with the bit x sends x copies of the message 1, and one more with probability 1 - gamma.

    Args:
        gamma: the interval, inside [0, 1].

    >>> zsum_randomizer(gamma=("1/10", "1/2")).probability(1, (1, 1))
    1 - gamma

    Source: BalcerCheu2020, section 3.1.
    """
    rows = {x: {(1,) * x: "gamma", (1,) * (x + 1): "1 - gamma"} for x in (0, 1)}
    return SymbolicRandomizer(rows, _box(gamma=(gamma, 0, 1)))


def _refuse_large(entries: int) -> None:
    if entries > MAX_ENTRIES:
        raise TooLargeError(f"the table has {entries} probabilities, the limit is {MAX_ENTRIES}. Use fewer inputs.")


def _box(**given: tuple[SideLike, int, int | None]) -> dict[str, Interval]:
    """Return the intervals, which lie between a least and a greatest value."""
    box = {}
    for name, (side, least, greatest) in given.items():
        interval = as_side(name, side)
        if interval.low < least or (greatest is not None and interval.high > greatest):
            domain = f"[{least}, {greatest}]" if greatest is not None else f"[{least}, infinity)"
            raise InvalidValueError(
                f"{name} is in {interval_text(interval)}, which is not inside {domain}. Pass a smaller interval."
            )
        box[name] = interval
    return box
