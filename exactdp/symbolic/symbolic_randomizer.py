"""Randomizers whose probabilities are functions of parameters, for a whole box of parameters at once.

A table of quotients of polynomials with an interval for each parameter. It is a randomizer at every point of the box:
each row sums to 1 identically, and no probability is below 0 anywhere on the box. Both are decided exactly when the
table is read, and a table for which they fail is refused with the point.

Randomizers with parameters from TOML and JSON files: the format of all randomizers, and an interval for each
parameter.

Probabilities are text in the grammar of :mod:`exactdp.symbolic.grammar`; docs/randomizer-files.md has the format.

Published local randomizers as tables of functions: an interval stands where the table of numbers has a value
-------------------------------------------------------------------------------------------------------------

Labels, their order and the values at every point are those of :mod:`exactdp.randomizers` and :mod:`exactdp.protocols`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from itertools import combinations, product
from math import comb
from operator import add
from pathlib import Path
from typing import Any, Final, TypeAlias

from exactdp.errors import ExactDPError, InvalidRandomizerError, InvalidValueError, TooLargeError
from exactdp.mechanisms.documents import expect_keys, number_text, read_at, read_document, refuse
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.mechanisms.randomizer_files import PARAMETERS, read_rows
from exactdp.numbers.exact import Exact, as_fraction, as_integer
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.symbolic.box import Box, Interval, Span, as_side
from exactdp.symbolic.functions_of_parameters import (
    FunctionLike,
    as_function,
    function_to_sympy,
    parameter_name,
    read_values,
)
from exactdp.symbolic.rational_functions import RationalFunction
from exactdp.symbolic.real_roots import between
from exactdp.symbolic.signs_on_boxes import failing_place, place_other_than_0, point_text
from exactdp.symbolic.sums import Polynomial, value_at

_KEYS: Final = frozenset({"row", PARAMETERS, "name", "description"})
_INTERVAL: Final = re.compile(r"([\[(])([^,]*),([^,]*)([\])])")
_REPAIR: Final = 'write gamma = ["1/10", "9/10"], or gamma = "(0, 1]" where an end does not belong to it'

Table = dict[str, dict[tuple[str, ...], "int | str"]]


def read_parametrized_table(path: str | Path) -> tuple[Table, dict[str, Span]]:
    """Return the table, its probabilities as they are written, and the box of the randomizer in the file."""
    return read_document(path, _content)


def has_parameters(path: str | Path) -> bool:
    """Whether the file is one of a randomizer with parameters, by its keys; InvalidFileError if it cannot be read."""
    return read_document(path, lambda data: isinstance(data, Mapping) and PARAMETERS in data)


def _content(data: Any) -> tuple[Table, dict[str, Span]]:
    if isinstance(data, Mapping) and PARAMETERS not in data:
        refuse("the file", "has no parameters", f"read it with exactdp.Randomizer.from_file, or add [{PARAMETERS}]")
    expect_keys(data, required={"row", PARAMETERS}, allowed=_KEYS, where="the file")
    intervals = data[PARAMETERS]
    if not isinstance(intervals, Mapping) or not intervals:
        refuse(PARAMETERS, "is no table of at least one parameter", _REPAIR)
    box = {read_at(PARAMETERS, parameter_name, name): _span(given, name) for name, given in intervals.items()}
    return read_rows(data, number_text), box


def _span(given: Any, name: str) -> Span:
    where, closed = f"{PARAMETERS}: {name}", (True, True)
    if isinstance(given, str) and (match := _INTERVAL.fullmatch(given)) is not None:
        closed = (match[1] == "[", match[4] == "]")
        given = [match[2].strip(), match[3].strip()]
    if not isinstance(given, list) or len(given) != 2:
        refuse(where, "is no interval", _REPAIR)
    texts = [number_text(end, where, key="an end") for end in given]
    low, high = (read_at(PARAMETERS, as_fraction, end, name="an end of the interval") for end in texts)
    return read_at(PARAMETERS, Span, low, high, *closed)


SymbolicRow: TypeAlias = tuple[tuple[tuple[int, ...], RationalFunction], ...]
"""Messages by index, and their probability, which may be identically 0."""
BoxLike: TypeAlias = Mapping[Any, "Interval | Span | tuple[Exact, Exact]"]
"""Parameter, as a name or a SymPy symbol -> its interval; a pair of numbers is a closed one."""


def read_box(box: BoxLike) -> tuple[tuple[str, ...], Box]:
    """Return the names of the parameters and their intervals."""
    if not isinstance(box, Mapping) or not box:
        raise InvalidValueError('the box is empty. Give each parameter an interval: {"gamma": ("1/10", "9/10")}.')
    names = tuple(map(parameter_name, box))
    if len(set(names)) < len(names):
        raise InvalidValueError(f"the box has two intervals for one name of {names!r}. Keep one of them.")
    sides = zip(names, box.values(), strict=True)
    return names, tuple(side if isinstance(side, Interval) else as_side(name, side) for name, side in sides)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class SymbolicRandomizer:
    """A randomizer at every point of a box of parameters.

    Args:
        table: input -> {tuple of messages: probability}. A probability is a number, a SymPy expression, or text such as
            "(1 - gamma)/2".
        box: parameter -> (low, high), exact; both ends belong to it, unless a ``Span`` says otherwise. A parameter that
            the table does not contain may still stand in e^eps.

    Raises:
        InvalidRandomizerError: where a row does not sum to 1 identically, or a probability is below 0 or undefined
            somewhere on the box; it names the row and the point.
        UndecidedError: with several parameters, where the sign of a probability was not decided.

    >>> flip = SymbolicRandomizer({0: {(0,): "1 - p", (1,): "p"}, 1: {(0,): "p", (1,): "1 - p"}}, {"p": (0, "1/2")})
    >>> flip.parameters, flip.at(p="1/4").local_epsilon()
    (('p',), LogRational('3'))
    >>> flip.probability(0, (1,))
    p
    """

    inputs: tuple[Any, ...]
    alphabet: tuple[Any, ...]
    parameters: tuple[str, ...]
    box: Box
    """An interval for each parameter."""
    rows: tuple[SymbolicRow, ...]
    """The functions are in the variables ``parameters``; their denominators are above 0 on the box."""
    given_symbols: tuple[Any, ...] = field(compare=False)
    """The parameters as they were given, names or SymPy symbols: answers are written in them."""

    def __init__(self, table: Mapping[Any, Mapping[tuple[Any, ...], FunctionLike]], box: BoxLike) -> None:
        parameters, sides = read_box(box)
        if not isinstance(table, Mapping) or not table:
            raise InvalidRandomizerError("the table is empty. Give at least one row: input -> {messages: probability}.")
        index: dict[Any, int] = {}
        rows = tuple(_read_row(value, row, index, parameters, sides) for value, row in table.items())
        set_fields(
            self,
            inputs=tuple(table),
            alphabet=tuple(index),
            parameters=parameters,
            box=sides,
            rows=rows,
            given_symbols=tuple(box),
        )

    @classmethod
    def from_file(cls, path: str | Path) -> SymbolicRandomizer:
        """Read one from a TOML or JSON file with [parameters]; the format is described in docs/randomizer-files.md."""

        table, box = read_parametrized_table(path)
        try:
            return cls(table, box)
        except ExactDPError as error:
            raise type(error)(f"{path}: {error}") from None

    @property
    def symbols(self) -> tuple[Any, ...]:
        """The parameters as SymPy symbols: those given, or new ones of the names given."""
        import sympy

        return tuple(sympy.Symbol(s) if isinstance(s, str) else s for s in self.given_symbols)

    @property
    def inner_point(self) -> tuple[Fraction, ...]:
        """A point inside the box, the same each time."""
        return tuple(between(side.low, side.high) for side in self.box)

    def function(self, given: FunctionLike, *, name: str) -> RationalFunction:
        """Return a function of the parameters as ``as_function`` reads it, with a denominator above 0 on the box."""
        return with_positive_denominator(as_function(given, self.parameters, name=name), self.box, name=name)

    def probability(self, value: Any, messages: tuple[Any, ...]) -> Any:
        """Return P[R(value) = messages] as a SymPy expression."""
        if value not in self.inputs:
            raise InvalidValueError(f"{value!r} is no input. The inputs are {self.inputs!r}.")
        import sympy

        for send, probability in self.rows[self.inputs.index(value)]:
            if tuple(self.alphabet[m] for m in send) == messages:
                return function_to_sympy(probability, self.symbols)
        return sympy.Integer(0)

    def table(self) -> dict[Any, dict[tuple[Any, ...], Any]]:
        """Return the table with labels, its probabilities as SymPy expressions."""
        symbols = self.symbols
        return {
            value: {tuple(self.alphabet[m] for m in send): function_to_sympy(p, symbols) for send, p in row}
            for value, row in zip(self.inputs, self.rows, strict=True)
        }

    def point(self, values: Mapping[str, Exact]) -> dict[str, Fraction]:
        """Return the values of all parameters, read exactly; InvalidValueError outside the box."""
        point = read_values(values, self.parameters)
        for (name, value), side in zip(point.items(), self.box, strict=True):
            if not side.contains(value):
                raise InvalidValueError(
                    f"{name}={short(value)} is outside its interval {interval_text(side)}. Pass a point of the box."
                )
        return point

    def at(self, **values: Exact) -> Randomizer:
        """Return the randomizer at one point of the box, a table of fractions.

        Args:
            values: the exact value of each parameter, inside the box.
        """
        point = self.point(values)
        return Randomizer(
            {
                value: {tuple(self.alphabet[m] for m in send): p.at(**point) for send, p in row}
                for value, row in zip(self.inputs, self.rows, strict=True)
            }
        )

    def __hash__(self) -> int:
        return hash((self.inputs, self.alphabet, self.parameters, self.box))

    def __repr__(self) -> str:
        ranges = ", ".join(f"{p} in {interval_text(s)}" for p, s in zip(self.parameters, self.box, strict=True))
        return f"SymbolicRandomizer({len(self.inputs)} inputs, {len(self.alphabet)} messages, {ranges})"


def randomizer(table: Mapping[Any, Mapping[tuple[Any, ...], FunctionLike]], box: BoxLike) -> SymbolicRandomizer:
    """Return the randomizer whose probabilities are these functions of the parameters; see ``SymbolicRandomizer``.

    >>> randomizer({0: {("a",): "x", (): "1 - x"}}, {"x": ("1/10", "9/10")})
    SymbolicRandomizer(1 inputs, 1 messages, x in [1/10, 9/10])
    """
    return SymbolicRandomizer(table, box)


def interval_text(side: Interval) -> str:
    """Return an interval as it is written: ``[0, 1/2)``."""
    return f"{'[' if side.low_closed else '('}{side.low}, {side.high}{']' if side.high_closed else ')'}"


def with_positive_denominator(function: RationalFunction, box: Box, *, name: str) -> RationalFunction:
    """Return the same function with a denominator above 0 on the box; refused where it vanishes there."""
    if function.is_polynomial:
        return function
    inner = tuple(between(side.low, side.high) for side in box)
    if value_at(function.denominator, inner) < 0:
        negated: list[Polynomial] = [
            {e: -c for e, c in part.items()} for part in (function.numerator, function.denominator)
        ]
        function = RationalFunction(function.variables, *negated)
    if (place := failing_place(function.denominator, box, strict=True)) is not None:
        vanishing, positive = (point_text(function.variables, at) for at in (place, inner))
        raise InvalidValueError(
            f"{name} divides by 0 on the box: its denominator is not above 0 at {vanishing}, and not below 0 at "
            f"{positive}. Make the box smaller, or cancel the factor."
        )
    return function


def _read_row(value: Any, row: object, index: dict[Any, int], parameters: tuple[str, ...], box: Box) -> SymbolicRow:
    """Return one row by message indices, adding new messages to ``index``."""
    if not isinstance(row, Mapping) or not row:
        raise InvalidRandomizerError(
            f"row {value!r} is empty. Give its messages: {{('m',): 1}}, or {{(): 1}} for none."
        )
    read: list[tuple[tuple[int, ...], RationalFunction]] = []
    for send, given in row.items():
        if not isinstance(send, tuple):
            raise InvalidRandomizerError(
                f"row {value!r} has the messages {send!r}, which are not a tuple. Write ({send!r},) for one message."
            )
        name = f"probability of {send!r} in row {value!r}"
        p = with_positive_denominator(as_function(given, parameters, name=name), box, name=name)
        if (place := failing_place(p.numerator, box)) is not None:
            below = p.at(**dict(zip(parameters, place, strict=True)))  # type: ignore[arg-type]
            raise InvalidRandomizerError(
                f"row {value!r} gives the messages {send!r} the probability {short(below)} at "
                f"{point_text(parameters, place)}, below 0. Give probabilities of at least 0 on the whole box, or make "
                "the box smaller."
            )
        indices = tuple(index.setdefault(message, len(index)) for message in send)
        read.append((indices, p))
    _refuse_other_sums(value, [p for _, p in read], parameters, box)
    return tuple(read)


def _refuse_other_sums(value: Any, row: list[RationalFunction], parameters: tuple[str, ...], box: Box) -> None:
    """Refuse a row that is not identically 1, with a point of the box where it is not."""
    excess = reduce(add, row, RationalFunction.constant(-1, parameters)).numerator
    if not excess:
        return
    point = dict(zip(parameters, place_other_than_0(excess, box), strict=True))
    total = sum((p.at(**point) for p in row), Fraction(0))
    raise InvalidRandomizerError(
        f"row {value!r} of the randomizer sums to {short(total)}, not 1, at "
        f"{point_text(parameters, tuple(point.values()))}. Make it sum to 1 for all parameters."
    )


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
