"""What an experiment is: a function that draws and computes, a finding with exact data, and the four files it becomes.

A finding holds fractions, integers and intervals: exact curves with their enclosures, and what was drawn as counts and
exact intervals. ``misses`` lists the drawn intervals that do not contain the exact number they are for: each of them
does so with probability at most 10^-9 if the sampler draws what the engine computes, so one is evidence that it does
not.
"""

from __future__ import annotations

import os
import platform
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, fields, replace
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, Final, Self, TypeAlias, Unpack

from exactdp.errors import InvalidFileError, TooLargeError
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval, fraction_ends
from exactdp.report.experiments.drawn import RISK, Drawing, DrawingOptions, Sampled
from exactdp.report.figures.chart import Chart
from exactdp.report.figures.data import Cell, DataTable, write_data
from exactdp.report.figures.picture import Picture

BETA: Final = Fraction(1, 20)
"""Probability of a larger error: the usual 95 %."""
DELTA: Final = Fraction(1, 10**6)
"""A delta that is usual in deployments."""
BITS: Final = 64
"""Relative accuracy of the enclosures of the data: more than any float has."""
DEFAULT_SEED: Final = 20200707
"""Any number would do; it stays, so that stored results can be drawn again."""
MAX_DRAWS: Final = 10**7
"""Sorting as many takes a second and 80 MB at each point."""
MAX_SEED: Final = 2**63 - 1
"""A seed fits into a 64-bit integer of any language."""

Watch = Callable[[str], None]
"""Called with the name of each point before it is computed."""

Comparison: TypeAlias = "tuple[str, Sampled | Interval, Fraction | Interval | int]"
"""What a number is, the interval drawn for it, and the exact number."""


@dataclass(frozen=True, slots=True)
class Point(ABC):
    """One place of an experiment; its fields are columns of the data."""

    compared: ClassVar[tuple[tuple[str, str, str], ...]]
    """What is drawn: its name, the field of the drawn interval, and the field of the exact number that it is for."""

    @abstractmethod
    def __str__(self) -> str:
        """Where it is."""

    def comparisons(self) -> list[Comparison]:
        """What was drawn here, beside the exact numbers."""
        named = [(f"{self}{name}", getattr(self, drawn), getattr(self, exact)) for name, drawn, exact in self.compared]
        return [comparison for comparison in named if comparison[1] is not None and comparison[2] is not None]

    def misses(self) -> list[str]:
        """The drawn intervals without the exact number."""
        return [sentence for comparison in self.comparisons() for sentence in missing(*comparison)]


@dataclass(frozen=True, slots=True)
class Finding(ABC):
    """What an experiment found: its points; the further fields of the class are the parameters that they share."""

    name: ClassVar[str]
    """As on the command line."""
    statement: ClassVar[str]
    """What the experiment shows, in one sentence."""
    usual_draws: ClassVar[int]
    """How many draws each point gets by default."""
    grid: ClassVar[tuple[Any, ...]]
    """Where it draws."""
    few: ClassVar[tuple[Any, ...]]
    """The same for a quick run."""
    place: ClassVar[str]
    """How a place is named, with a pair of braces for each of its numbers."""
    given: ClassVar[tuple[tuple[str, Any], ...]]
    """The parameters that all points share, beside the seed."""
    remarks: ClassVar[tuple[tuple[str, str], ...]] = ()
    """What the data say beside the parameters."""

    points: tuple[Point, ...]

    @classmethod
    @abstractmethod
    def points_at(cls, place: Any, drawing: Drawing) -> Iterable[Point]:
        """Draw and compute the points of a place."""

    @classmethod
    def shared(cls, drawing: Drawing) -> Mapping[str, Any]:
        """Return the parameters that all points share, beside the seed."""
        return dict(cls.given)

    @classmethod
    def run(cls, *, grid: tuple[Any, ...] | None = None, **asked: Unpack[DrawingOptions]) -> Self:
        """Draw and compute every place of a grid, by default that of the experiment."""
        drawing = Drawing(**asked)
        drawing = replace(drawing, places=grid or (cls.few if drawing.quick else cls.grid))
        points: list[Point] = []
        for place in drawing.places:
            drawing.watch(cls.place.format(*place if isinstance(place, tuple) else (place,)))
            points += cls.points_at(place, drawing)
        shared: dict[str, Any] = {**cls.shared(drawing), "seed": drawing.seed}
        return cls(tuple(points), **shared)

    def table(self) -> DataTable:
        """The data: a row for each point."""
        shared = [(field.name, getattr(self, field.name)) for field in fields(self) if field.name != "points"]
        return table_of(self.points, [("experiment", self.name), *self.remarks, *shared])

    def misses(self) -> tuple[str, ...]:
        """The drawn intervals that do not contain the exact number, in words."""
        return tuple(sentence for point in self.points for sentence in point.misses())

    def misses_words(self) -> str:
        """How many drawn intervals miss, for a caption."""
        return f"{len(self.misses())} drawn intervals of confidence 1 − 10⁻⁹ miss."

    def picture(self) -> Picture:
        """The figure."""
        return Picture(self.name, self.title(), self.caption(), self.table(), self.chart())

    @abstractmethod
    def title(self) -> str:
        """The finding, in one line."""

    @abstractmethod
    def caption(self) -> str:
        """What is to be seen, in words."""

    @abstractmethod
    def chart(self) -> Chart:
        """What is drawn of it."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment by name.

    Args:
        name: as on the command line.
        statement: what it shows, in one sentence.
        draws: how many draws each point gets by default.
        function: called with seed, draws, quick (a coarser grid) and watch.
    """

    name: str
    statement: str
    draws: int
    function: Callable[..., Finding]

    def run(
        self, *, seed: int = DEFAULT_SEED, draws: int | None = None, quick: bool = False, watch: Watch = lambda _: None
    ) -> Finding:
        """Draw and compute.

        Args:
            seed: 0 to 2^63 - 1; the same seed gives the same numbers.
            draws: of each point, 1 to 10^7; large points get fewer, as their rows say.
            quick: fewer points.
        """
        count = _at_most(MAX_DRAWS, as_integer(self.draws if draws is None else draws, name="size", at_least=1), "size")
        start = _at_most(MAX_SEED, as_integer(seed, name="seed", at_least=0), "seed")
        return self.function(seed=start, draws=count, quick=quick, watch=watch)


def _at_most(limit: int, value: int, name: str) -> int:
    if value > limit:
        raise TooLargeError(f"{name}={short(value)} is more than the limit of {limit}. Use a smaller one.")
    return value


def table_of(rows: Sequence[Any], about: Iterable[tuple[str, object]]) -> DataTable:
    """Return rows of one dataclass as a table: a field is a column, a ``Sampled`` field two, name_low and name_high.

    The parameters come with the risk of an interval and the versions that the draws depend on.
    """
    columns = [name for field in fields(rows[0]) for name in _columns(field)]
    cells = tuple(tuple(cell for field in fields(row) for cell in _cells(row, field)) for row in rows)
    known = [(name, str(value)) for name, value in about]
    known += [
        ("risk of each drawn interval", str(RISK)),
        ("numpy version", version("numpy")),
        ("python version", platform.python_version()),
    ]
    return DataTable(tuple(columns), cells, tuple(known))


def _columns(field: Field[Any]) -> list[str]:
    return [f"{field.name}_low", f"{field.name}_high"] if "Sampled" in str(field.type) else [field.name]


def _cells(row: Any, field: Field[Any]) -> list[Cell]:
    value = getattr(row, field.name)
    return [value.low, value.high] if isinstance(value, Sampled) else [value] * len(_columns(field))


def missing(name: str, drawn: Sampled | Interval, exact: Fraction | Interval | int) -> list[str]:
    """Return a sentence where the drawn interval provably does not meet the exact number, else nothing."""
    low, high = fraction_ends(exact)
    ends = drawn_ends(drawn)
    if (ends[0] is None or ends[0] <= high) and (ends[1] is None or low <= ends[1]):
        return []
    shown = " to ".join("..." if end is None else f"{float(end):.6g}" for end in ends)
    return [f"{name}: drawn {shown}, exact {float(low):.6g}"]


def drawn_ends(drawn: Sampled | Interval) -> tuple[Fraction | None, Fraction | None]:
    """Return the ends of a drawn interval; None where too few draws say nothing."""
    return (drawn.lo, drawn.hi) if isinstance(drawn, Interval) else (drawn.low, drawn.high)


# --- Files ----------------------------------------------------------------------------------------------------------


def usable_directory(path: str | Path) -> Path:
    """Return a directory that can be written to, or that can be made in its parent; InvalidFileError otherwise."""
    target = Path(path)
    if target.exists() and not target.is_dir():
        raise InvalidFileError(f"{path} is no directory. Name a directory: -o results.")
    if not target.exists() and not target.absolute().parent.is_dir():
        raise InvalidFileError(f"{path} is in a directory that does not exist. Make it, or name another directory.")
    if not os.access(target if target.exists() else target.absolute().parent, os.W_OK | os.X_OK):
        raise InvalidFileError(f"{path} cannot be written to. Name another directory.")
    return target


def write_finding(finding: Finding, directory: str | Path, name: str) -> tuple[Path, ...]:
    """Write the data and the figure of a finding, as :func:`write_picture`."""
    return write_picture(finding.table(), finding.picture(), directory, name)


def write_picture(table: DataTable, picture: Picture, directory: str | Path, name: str) -> tuple[Path, ...]:
    """Write NAME.csv, NAME.json, NAME.svg and NAME.png, each whole, and return their paths.

    All four are made in a directory of their own first, so that a failure on the way leaves none of them.
    """
    target = usable_directory(directory)
    target.mkdir(exist_ok=True)
    targets = [target / f"{name}.{suffix}" for suffix in ("csv", "json", "svg", "png")]
    for path in targets:
        if path.is_dir():
            raise InvalidFileError(f"{path} is a directory. Remove it, or name another directory.")
    with tempfile.TemporaryDirectory(prefix=f".{name}.", dir=target) as part:
        made = [Path(part) / path.name for path in targets]
        for path in made:
            if path.suffix in (".csv", ".json"):
                write_data(path, table)
            else:
                picture.draw(path)
        for path in made:
            os.replace(path, target / path.name)
    return tuple(targets)
