"""Tables of real numbers as randomizers: floats, or a density in cells, rounded to fractions with a stated eps0.

A float is a fraction, and rows of floats seldom sum to 1. So the rows of the result are others than those given; it
is the result that should run, and of it everything is exact: each row sums to 1, eps0 is that of the table, and the
distance of each row from the one given is half the sum of the differences, (|1 - sum q| + sum |p - q|) / 2, the total
variation distance where q sums to 1.

*Rounding.* A row is divided by its sum, and each number becomes a multiple of 1/N, N = 2^bits: the floor, and one
more where the rest is largest, as many as are missing. What is positive stays so: at least 1/N.

*eps0 that is not above E = e^eps0.* Let n_x(y) be the multiples. With c(y) the least integer of at least (max_x
n_x(y) - E min_x n_x(y)) / (E - 1), and 0 where that is negative, the rows (n_x(y) + c(y)) / (N + sum c) sum to 1, as
all were given the same, and a + c <= E (b + c) is a - E b <= c (E - 1). No smaller numbers added to all rows do.
Where E is the ratio of the rows given, c is a unit or two; where a smaller one is asked, c is what it costs, and the
distance says it.

Of a *density* the mass in each cell is found by quadrature in floats, with no bound of its error: how near the table
is to the density is not proved, only how near it is to the numbers found.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import isfinite
from typing import Any, Final, Literal

from exactdp.errors import InvalidRandomizerError, InvalidValueError, TooLargeError
from exactdp.mechanisms.family import read_exp_eps0
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.epsilon import LogRational, read_privacy_level
from exactdp.numbers.exact import Exact, as_integer
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import decimal_text, short
from exactdp.numbers.real import Real, as_real
from exactdp.progress import Progress, progress_callback, with_progress

_ENTRIES: Final = 2**16
"""Most numbers of a table."""

_FAR: Final = Fraction(1, 10**6)
"""A row whose sum is further from 1 is taken for a mistake."""

_FAR_OF_CELLS: Final = Fraction(1, 100)
"""Cells that leave out more of a law are too narrow."""

_LEVEL_BITS: Final = 64
"""An irrational e^eps0 is rounded down to so many bits."""

_MOST_BITS: Final = 1024
"""Most bits of the multiples."""

Row = dict[tuple[Any, ...], Fraction]


@dataclass(frozen=True, slots=True, repr=False)
class RoundedRandomizer:
    """A randomizer made of real rows, and how far each row was moved.

    >>> rounded = from_floats([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]], exp_eps0=6)
    >>> rounded.local_epsilon <= LogRational(6), rounded
    (True, RoundedRandomizer(2 inputs, 3 messages, eps0=ln(6), rows moved by at most 0.01538462))
    """

    randomizer: Randomizer
    distances: tuple[Fraction, ...]
    """Of each input, in their order: the total variation distance of its row from the one given."""

    @property
    def local_epsilon(self) -> LogRational:
        """The eps0 of the randomizer, exactly."""
        return self.randomizer.local_epsilon()

    @property
    def moved(self) -> dict[Any, Fraction]:
        """Input -> the total variation distance of its row from the one given."""
        return dict(zip(self.randomizer.inputs, self.distances, strict=True))

    def __repr__(self) -> str:
        table, most = self.randomizer, decimal_text(max(self.distances), up=True)
        size = f"{len(table.inputs)} inputs, {len(table.alphabet)} messages"
        return f"RoundedRandomizer({size}, eps0={self.local_epsilon}, rows moved by at most {most})"


def from_floats(
    rows: Any,
    *,
    eps0: Exact | LogRational | None = None,
    exp_eps0: Exact | Real | None = None,
    direction: Literal["below", "nearest"] = "below",
    bits: int = 53,
) -> RoundedRandomizer:
    """Return the randomizer of rows of real numbers, rounded to fractions that sum to 1.

    Args:
        rows: input -> (message -> number), or a sequence of rows, each a sequence: inputs and messages are then
            0, 1, ... A message that is a tuple stands for all that a user sends. NumPy's arrays are sequences. Numbers
            are floats, or exact; each row sums to 1 within a millionth.
        eps0, exp_eps0: the local eps that the result must not exceed, or its exponential; by default that of the rows
            as they are given, divided by their sums.
        direction: "below": eps0 of the result is not above that; "nearest": each number to the nearest, and refused if
            eps0 is then above one that is asked for.
        bits: numbers are about multiples of 2^-bits, from 8 to 1024.

    Returns:
        ``.randomizer``, ``.local_epsilon`` and ``.moved``: all exact, for the table as it is then.

    Raises:
        InvalidRandomizerError: for numbers that are negative or not finite, and rows that do not sum to about 1.
        InvalidValueError: where eps0 = 0 is asked and rows differ, or "nearest" exceeds what is asked.

    >>> rounded = from_floats({"no": {0: 0.75, 1: 0.25}, "yes": {0: 0.25, 1: 0.75}}, exp_eps0=2)
    >>> rounded.local_epsilon, rounded.randomizer.table()["no"], rounded.moved["no"]
    (LogRational('2'), {(0,): Fraction(2, 3), (1,): Fraction(1, 3)}, Fraction(1, 12))
    """
    return _rounded(_read_rows(rows), _asked(eps0, exp_eps0), direction, bits, _FAR)


def from_density(
    density: Callable[[Any, Any], Any],
    inputs: Sequence[Hashable],
    edges: Sequence[Any],
    *,
    cumulative: bool = False,
    eps0: Exact | LogRational | None = None,
    exp_eps0: Exact | Real | None = None,
    direction: Literal["below", "nearest"] = "below",
    bits: int = 53,
    progress: Progress | None = None,
) -> RoundedRandomizer:
    """Return the randomizer that sends the cell in which a real message lies, by a density of the message.

    Args:
        density: of x and y: how likely y is for input x, at least 0; with ``cumulative`` the probability that the
            message is at most y, as SciPy's ``cdf``. It is given floats and may return them.
        inputs: what x may be.
        edges: of the cells, rising, of which the message i is the one from edges[i] to edges[i + 1]; the outermost may
            be infinite. Put edges where the density has a kink. At most a hundredth of a law may lie outside.
        eps0, exp_eps0, direction, bits: as of ``from_floats``; by default eps0 is that of the masses found.
        progress: a callback for finished rows; see :mod:`exactdp.progress`.

    What is exact: the table, its eps0, and how far it is from the masses found. These are floats, of a quadrature by
    mpmath without a bound of its error. The guarantee is of the table: send its cells. A real message says more.

    >>> from math import exp
    >>> rounded = from_density(lambda x, y: exp(-abs(x - y)) / 2, [0, 1], ["-inf", 0, "1/2", 1, "inf"], eps0=1)
    >>> rounded.local_epsilon.argument <= Fraction(2718281829, 10**9), max(rounded.distances) < Fraction(1, 10**9)
    (True, True)
    """
    ends, names = _read_edges(edges), tuple(inputs)
    if len(set(names)) < len(names) or not names:
        raise InvalidValueError(f"inputs={short(repr(names))} is empty or names an input twice. Pass each input once.")
    if len(names) * (len(ends) - 1) > _ENTRIES:
        raise TooLargeError(
            f"{len(names)} inputs times {len(ends) - 1} cells are more than the limit of {_ENTRIES}. Use fewer cells."
        )
    table: dict[Any, Row] = {}
    with progress_callback(progress):
        for x in with_progress(names, len(names)):
            masses = _cell_masses(density, x, ends, is_cumulative=cumulative)
            table[x] = {(i,): _number(mass, x, i) for i, mass in enumerate(masses)}
    return _rounded(table, _asked(eps0, exp_eps0), direction, bits, _FAR_OF_CELLS)


def _cell_masses(
    density: Callable[[Any, Any], Any], x: Any, ends: Sequence[Any], *, is_cumulative: bool
) -> Iterable[Any]:
    """Return about the mass of each cell, in floats."""
    from mpmath import fp

    if not is_cumulative:
        return [max(0, fp.quad(lambda y: density(x, y), [low, high])) for low, high in pairwise(ends)]
    below = [0 if end == -fp.inf else 1 if end == fp.inf else density(x, end) for end in ends]
    return [max(0, high - low) for low, high in pairwise(below)]


def _read_edges(edges: Sequence[Any]) -> list[Any]:
    """Return edges as floats, which rise."""
    from mpmath import fp

    try:
        ends = [fp.mpf(Fraction(edge) if isinstance(edge, str) and "inf" not in edge else edge) for edge in edges]
    except (TypeError, ValueError) as error:
        raise InvalidValueError(f"edges={short(repr(edges))}: {error}. Pass rising numbers, as [0, 1, 2].") from None
    if len(ends) < 3 or not all(low < high for low, high in pairwise(ends)):
        raise InvalidValueError(f"edges={short(repr(edges))} do not rise, or make less than two cells. Pass [0, 1, 2].")
    return ends


def _read_rows(rows: Any) -> dict[Any, Row]:
    """Return the numbers as the fractions that they are."""
    named = rows.items() if isinstance(rows, Mapping) else enumerate(rows)
    table = {}
    for x, row in named:
        entries = row.items() if isinstance(row, Mapping) else enumerate(row)
        table[x] = {(y if isinstance(y, tuple) else (y,)): _number(value, x, y) for y, value in entries}
    if not table or not all(table.values()):
        raise InvalidRandomizerError("the table has no rows, or an empty row. Pass [[0.75, 0.25], [0.25, 0.75]], say.")
    if sum(map(len, table.values())) > _ENTRIES:
        raise TooLargeError(f"the table has more than {_ENTRIES} numbers, the limit. Use fewer messages.")
    return table


def _number(value: Any, x: Any, y: Any) -> Fraction:
    """Return a real number as the fraction that it is."""
    where = f"input {short(repr(x))}, message {short(repr(y))}"
    number: Fraction
    try:
        if isinstance(value, bool) or not isfinite(value):
            raise ValueError("a bool" if isinstance(value, bool) else f"{value}")
        if hasattr(value, "man_exp"):  # of mpmath
            number = Fraction(value.man_exp[0]) * Fraction(2) ** value.man_exp[1]
        else:
            number = Fraction(*value.as_integer_ratio()) if hasattr(value, "as_integer_ratio") else Fraction(value)
    except (TypeError, ValueError, AttributeError, OverflowError):
        raise InvalidRandomizerError(f"{where}: {short(repr(value))} is no finite real number. Pass a float.") from None
    if number < 0:
        raise InvalidRandomizerError(f"{where}: {short(repr(value))} is negative. Pass probabilities of at least 0.")
    return number


def _asked(eps0: Exact | LogRational | None, exp_eps0: Exact | Real | None) -> Fraction | None:
    """Return a fraction that is hardly below the e^eps0 that is asked for, and not above it; None where none is."""
    if eps0 is not None and exp_eps0 is not None:
        raise InvalidValueError("both of eps0 and exp_eps0 given. Pass one: eps0=..., or exp_eps0=... for e^eps0.")
    if exp_eps0 is not None:
        level = as_real(read_exp_eps0(exp_eps0), name="exp_eps0")
    elif eps0 is None or (isinstance(eps0, LogRational) and eps0.is_infinite):
        return None
    else:
        level = read_privacy_level(eps=eps0, exp_eps=None).real
    if level.is_rational:
        return level.coefficient
    return max(Fraction(1), enclose_real(level, relative_bits=_LEVEL_BITS).lo)


def _rounded(
    given: Mapping[Any, Row], asked: Fraction | None, direction: str, bits: int, far: Fraction
) -> RoundedRandomizer:
    """Return the rows rounded (module docstring)."""
    if direction not in ("below", "nearest"):
        raise InvalidValueError(f"direction={short(repr(direction))} is none. Pass 'below' or 'nearest'.")
    if as_integer(bits, name="bits", at_least=8) > _MOST_BITS:
        raise TooLargeError(f"bits={bits} is more than {_MOST_BITS}, the limit. Pass 53, as floats have.")
    unit = 2**bits
    messages = list(dict.fromkeys(y for row in given.values() for y, q in row.items() if q))
    if 4 * len(messages) > unit:
        raise InvalidValueError(f"bits={bits} are too few for {len(messages)} messages. Pass bits=53.")
    multiples = {x: _multiples(x, row, unit, far) for x, row in given.items()}
    added = dict.fromkeys(messages, 0)
    if direction == "below":
        level = _ratio(given, messages) if asked is None else asked
        added = {y: _missing([row.get(y, 0) for row in multiples.values()], level) for y in messages}
    total = unit + sum(added.values())
    table = {
        x: {y: Fraction(row.get(y, 0) + added[y], total) for y in messages if row.get(y, 0) + added[y]}
        for x, row in multiples.items()
    }
    result = Randomizer(table)
    if asked is not None and result.local_epsilon() > LogRational(asked):
        raise InvalidValueError(
            f"direction='nearest' gives eps0={result.local_epsilon()}, above the one asked for. Pass 'below'."
        )
    return RoundedRandomizer(result, tuple(_distance(given[x], table[x]) for x in given))


def _multiples(x: Any, row: Row, unit: int, far: Fraction) -> dict[tuple[Any, ...], int]:
    """Return integers that sum to ``unit``, about in the proportions of a row."""
    total = sum(row.values(), Fraction(0))
    if abs(total - 1) > far:
        raise InvalidRandomizerError(
            f"row {short(repr(x))} sums to {decimal_text(total, up=False)}, not to 1. Divide it by its sum; of a "
            "density, let the cells cover the law."
        )
    exact = {y: q * unit / total for y, q in row.items() if q}
    counts = {y: max(1, value.__floor__()) for y, value in exact.items()}
    missing = unit - sum(counts.values())
    for y in sorted(exact, key=lambda y: exact[y] - counts[y], reverse=True)[: max(0, missing)]:
        counts[y] += 1
    while missing < 0:  # numbers far below 1/unit were raised to it
        most = max(counts, key=lambda y: counts[y])
        counts[most] -= 1
        missing += 1
    return counts


def _ratio(given: Mapping[Any, Row], messages: Iterable[tuple[Any, ...]]) -> Fraction | None:
    """Return the largest ratio of the rows divided by their sums; None where it is infinite."""
    sums = [sum(row.values(), Fraction(0)) for row in given.values()]
    largest = Fraction(1)
    for y in messages:
        chances = [row.get(y, Fraction(0)) / total for row, total in zip(given.values(), sums, strict=True)]
        if min(chances) == 0:
            return None
        largest = max(largest, max(chances) / min(chances))
    return largest


def _missing(counts: Sequence[int], level: Fraction | None) -> int:
    """Return the least number to add to all counts so that none is above ``level`` times another."""
    high, low = max(counts), min(counts)
    if level is None or high <= level * low:
        return 0
    if level == 1:
        raise InvalidValueError("eps0=0 is asked of rows that differ: all would have to be equal. Pass a larger eps0.")
    return ((high - level * low) / (level - 1)).__ceil__()


def _distance(given: Row, found: Row) -> Fraction:
    differences = [abs(given.get(y, Fraction(0)) - found.get(y, Fraction(0))) for y in {*given, *found}]
    return exact_answer((abs(1 - sum(given.values(), Fraction(0))) + sum(differences, Fraction(0))) / 2)
