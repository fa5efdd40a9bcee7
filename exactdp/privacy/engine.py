"""What every engine answers: the pair of data sets and the event that are worst at one e^eps, and delta there.

For a fixed event T and pair of data sets, P(T) - E Q(T) is a line in E. delta(E) is the upper envelope of these lines,
so the worst line at E gives delta there, bounds delta from below everywhere, and drives the search for eps(delta).

What is known of delta at one E is one record, a :class:`Bound`, whether it is exact, enclosed or between two ends, and
``bound`` is the one method that gives it; all else that is said of delta is read from it. An engine computes it in one
of two ways, or has both: exactly, from the masses of the worst event, or enclosed, without them.

Whoever asks an engine knows it by :class:`Engine` alone: what one engine can do and another cannot is a method with an
answer for both.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Final, Generic, NamedTuple, TypeAlias, TypeVar

from exactdp.caching import bounded_cache
from exactdp.errors import TooLargeError
from exactdp.evidence.theorems import RELIANCE
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.dyadic import MAX_FRACTION_BITS, Dyadic
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.numbers.interval import Interval
from exactdp.numbers.rationals import line_crossing, line_value
from exactdp.numbers.real import Real
from exactdp.privacy.curves import Curves

if TYPE_CHECKING:
    from concurrent.futures import Executor

DataSet: TypeAlias = tuple[int, ...]
"""Number of users for each input."""


def both_orders(first: DataSet, second: DataSet) -> tuple[tuple[DataSet, DataSet], tuple[DataSet, DataSet]]:
    """Return a pair of data sets in both orders."""
    return (first, second), (second, first)


ANSWERS_KEPT: Final = 1024
"""Most events, and as many deltas, that are kept: a report asks some hundred questions about some dozen profiles."""

BYTES_KEPT: Final = 64 * 2**20
"""Most bytes of the masses of all events that are kept, and as many of deltas of noise."""

GUARD_BITS: Final = 16
"""Bits of an irrational e^eps beyond those of the answer: the first enclosure mostly suffices."""

_ROUGH_BITS: Final = 8
"""Accuracy of what only chooses."""

_NOT_EXACT: Final = (
    "the probabilities of this noise are irrational or too long to be built. Ask for delta and epsilon, which enclose "
    "them to any accuracy."
)


@dataclass(frozen=True, slots=True)
class Shift:
    """A pair of data sets of which the second's view is the first's plus ``by`` >= 1."""

    by: int
    first: DataSet
    second: DataSet

    def pair(self, *, upper: bool) -> tuple[DataSet, DataSet]:
        """Return the data sets; ``upper``: the second one, whose view is the larger, first."""
        return both_orders(self.first, self.second)[upper]


@dataclass(frozen=True, slots=True)
class WorstEvent:
    """An event T with the probabilities P(T) under the first data set and Q(T) under the second."""

    first: DataSet
    second: DataSet
    mass_first: Fraction
    mass_second: Fraction

    def delta(self, exp_eps: Fraction | None) -> Fraction:
        """P(T) - E Q(T), a lower bound of delta at every E and delta itself where the event is worst.

        None stands for infinity, where only events with Q(T) = 0 are compared.
        """
        return self.mass_first if exp_eps is None else line_value(self.mass_first, self.mass_second, exp_eps)

    def crossing(self, delta: Fraction) -> Fraction:
        """The E at which P(T) - E Q(T) is ``delta``, for Q(T) > 0."""
        return line_crossing(self.mass_first, self.mass_second, delta)


class Level(StrEnum):
    """How well delta is known: a closed list."""

    EXACT = "exact"
    ENCLOSED = "enclosed to the accuracy asked for"
    TWO_ENDS = "between two proved ends"


End = TypeVar("End", Fraction, Interval)


@dataclass(frozen=True, slots=True)
class Bound(Generic[End]):
    """What is known of delta at one E.

    Args:
        lower, upper: delta is at least the one end and at most the other: Fractions where it is exact, else Intervals
            that enclose the ends. They are one but for the level ``TWO_ENDS``.
        pair: a pair of data sets that no other is proved to exceed, or that the lower end is of.
        theorem: what proves the upper end.
        level: how well delta is known.
        of_pair: the divergence of the pair, where the lower end is another number.
        among: which data sets attain the lower end, in words, where it is above that of the pair; else empty.
    """

    lower: End
    upper: End
    pair: tuple[DataSet, DataSet]
    theorem: str
    level: Level
    of_pair: End | None = None
    among: str = ""

    def __post_init__(self) -> None:
        lower, upper = self.lower, self.upper
        is_exact = isinstance(lower, Fraction) and isinstance(upper, Fraction)
        is_one = lower is upper or lower == upper
        has_order = is_one or (isinstance(lower, Interval) and lower.compare(upper) != 1)
        if is_exact != (self.level is Level.EXACT) or not (has_order if self.level is Level.TWO_ENDS else is_one):
            raise AssertionError(f"{self.theorem}: the two ends of delta are not what is {self.level}")

    @property
    def delta(self) -> End:
        """The number, or from the lower end to the upper one."""
        return self.lower if isinstance(self.lower, Fraction) else Interval(self.lower.lower, self.upper.upper)

    @property
    def pair_delta(self) -> End:
        """The divergence of the pair."""
        return self.lower if self.of_pair is None else self.of_pair

    @property
    def is_closed(self) -> bool:
        """Whether the two ends are proved to be equal."""
        return self.level is not Level.TWO_ENDS

    def enclosed(self, relative_bits: int) -> Bound[Interval]:
        """Return the same with Intervals."""
        if isinstance(self.lower, Interval):
            return self
        delta = Interval.around(self.lower, relative_bits=relative_bits)
        return Bound(delta, delta, self.pair, self.theorem, Level.ENCLOSED)

    def above(self, relative_bits: int) -> Dyadic:
        """Return a number at least delta, of about so many bits where delta is exact."""
        return Dyadic.above(self.upper, relative_bits) if isinstance(self.upper, Fraction) else self.upper.upper


AnyBound: TypeAlias = Bound[Fraction] | Bound[Interval]


@dataclass(frozen=True, slots=True)
class ExpEpsRange:
    """delta(``low``) is above the target, or ``low`` is 1; delta(``high``) is not; ``high`` None: it never is."""

    low: Fraction
    high: Fraction | None


class Work(NamedTuple):
    """What one search visits: ordered pairs of data sets, outcomes of each, and steps; None where none are visited."""

    pairs: int | None = None
    outcomes: int | None = None
    steps: int | None = None


class ManyUsersError(TooLargeError):
    """The data sets are too many to be compared; in one order delta is in ``bracket`` all the same."""

    def __init__(self, message: str, bracket: Interval) -> None:
        super().__init__(message)
        self.bracket = bracket


@dataclass(frozen=True, slots=True)
class NoisePairs:
    """The pairs that runs of an engine compose: a law of noise against itself moved by one of ``shifts``.

    Each pair occurs in both orders: either order may be that of a run, or, with ``both_at_once``, a run shows both
    independently, as two bins of a histogram do.
    """

    noise: Law | LatticeLaw
    shifts: tuple[int, ...]
    both_at_once: bool = False


class Engine(ABC):
    """Computes delta and the worst event of a fixed set of neighbouring pairs.

    An engine that is made can do its work: what is too large is refused when it is made.
    """

    name: ClassVar[str]
    """How messages name the engine."""

    method: ClassVar[str]
    """What it does, as a clause whose subject is the engine."""

    uses: ClassVar[tuple[str, ...]] = ()
    """Functions of other packages whose theorems it relies on, by their qualified names."""

    scans_all_pairs: ClassVar[bool] = False
    """Whether comparing all pairs costs so much more than one pair that a search for eps takes one at a time."""

    @property
    def is_exact(self) -> bool:
        """Whether ``worst`` and ``exactly`` are within reach; else only ``enclosed`` is."""
        return True

    @property
    def encloses(self) -> bool:
        """Whether it can do without exact masses."""
        return False

    @property
    def is_bracket(self) -> bool:
        """Whether delta is known between two ends that may differ, and not to any accuracy."""
        return False

    @property
    def is_tight(self) -> bool:
        """Whether delta is known to any accuracy."""
        return not self.is_bracket

    @property
    def level(self) -> Level:
        """How well it knows delta, at best."""
        if self.is_bracket:
            return Level.TWO_ENDS
        return Level.EXACT if self.is_exact else Level.ENCLOSED

    @property
    def usual_bits(self) -> int:
        """The relative accuracy of enclosures where nobody asks for another."""
        return DEFAULT_RELATIVE_BITS

    @property
    def refusal(self) -> str | None:
        """Why exact masses are out of reach, and what to ask for; None where they are not."""
        return None if self.is_exact else _NOT_EXACT

    @property
    def encloses_faster(self) -> bool:
        """Whether eps at a delta is found faster by enclosures than by exact lines."""
        return self.encloses

    @property
    def place_of_proof(self) -> str:
        """The module whose text proves on paper what it rests on."""
        return type(self).__module__

    @property
    def theorem(self) -> str:
        """What proves upper ends."""
        return f"exact: {self.name}"

    @property
    def kernel_theorems(self) -> tuple[str, ...]:
        """The theorems of the Coq development that its own methods rely on, those of what it holds, and of ``uses``."""
        held: list[object] = [getattr(self, entry.name) for entry in fields(self)] if is_dataclass(self) else []
        kinds = [kind for value in (self, *held) for kind in type(value).__mro__]
        owners = tuple(f"{kind.__module__}.{kind.__qualname__}." for kind in kinds)
        found = [named for name, named in RELIANCE.items() if name.startswith(owners) or name in self.uses]
        return tuple(dict.fromkeys(theorem for named in found for theorem in named))

    @property
    def is_unbounded(self) -> bool:
        """Whether likelihood ratios have no bound, so that delta is above its limit 0 at every finite E."""
        return False

    @property
    @abstractmethod
    def ratio_bits(self) -> int:
        """A b such that every finite likelihood ratio is below 2**b, for engines that are exact."""

    @property
    def noise_pairs(self) -> NoisePairs | None:
        """The pairs that runs compose, where they are those of noise; None where they are a protocol's data sets."""
        return None

    @property
    def work(self) -> Work:
        """What one search visits."""
        return Work()

    def worst(self, exp_eps: Fraction | None, executor: Executor | None = None) -> WorstEvent:
        """Return a pair and event with the largest P(T) - E Q(T) at E = ``exp_eps`` >= 1, exactly.

        None stands for infinity: the largest P(T) with Q(T) = 0. Equal questions are answered from a cache. Where many
        pairs are compared, an executor is given them in parts; the result is the same.
        """
        is_shared = executor is not None and self.scans_all_pairs
        return self.search(exp_eps, executor) if is_shared else _kept_event(self, exp_eps)

    @abstractmethod
    def search(self, exp_eps: Fraction | None, executor: Executor | None = None) -> WorstEvent:
        """Compute what ``worst`` returns."""

    def known(self, first: DataSet, second: DataSet, delta: Interval) -> Bound[Interval]:
        """Return what is known where a pair attains delta, which is enclosed."""
        return Bound(delta, delta, (first, second), self.theorem, Level.ENCLOSED)

    def bound(self, exp_eps: Real | None, relative_bits: int | None) -> AnyBound:
        """Return what is known of delta at E = ``exp_eps``, or of its limit for None.

        Args:
            exp_eps: at least 1; rational where delta is asked for exactly.
            relative_bits: each end that is not exact is enclosed to a relative width of 2**-relative_bits; None for an
                exact answer. An engine that cannot do without exact masses gives one at every rational E.
        """
        is_rational = exp_eps is None or exp_eps.is_rational
        if relative_bits is not None and (self.encloses or not is_rational):
            return self.enclosed(exp_eps, relative_bits)
        assert is_rational
        return self.exactly(None if exp_eps is None else exp_eps.coefficient)

    def exactly(self, exp_eps: Fraction | None) -> Bound[Fraction]:
        """Return delta and a pair that attains it, by exact masses; None stands for infinity."""
        event = self.worst(exp_eps)
        delta = max(Fraction(0), event.delta(exp_eps))
        return Bound(delta, delta, (event.first, event.second), self.theorem, Level.EXACT)

    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> Bound[Interval]:
        """Enclose delta, or both its ends: without exact masses where the engine ``encloses``.

        Else exact masses enclose it at an irrational E by two numbers near E: from above by delta at the lower one,
        from below by the same event at the upper one.
        """
        assert exp_eps is not None
        bits = relative_bits + GUARD_BITS
        while True:
            ends = enclose_real(exp_eps, relative_bits=bits)
            longest = max(MAX_FRACTION_BITS, 2 * (self.ratio_bits + bits))
            low, high = (end.fraction(max_bits=longest) for end in (ends.lower, ends.upper))
            event = self.worst(low)
            lower, upper = (max(Fraction(0), event.delta(end)) for end in (high, low))
            if (upper - lower) * 2 ** (relative_bits + 1) <= lower:
                return self.known(event.first, event.second, Interval.between(lower, upper, bits=relative_bits + 3))
            bits *= 2

    def delta(self, exp_eps: Fraction) -> Fraction:
        """Return the least delta at E = ``exp_eps`` >= 1, exactly."""
        return self.exactly(exp_eps).delta

    def bracket(self, exp_eps: Real | None, relative_bits: int) -> Bound[Interval]:
        """Return ``bound`` with its ends enclosed."""
        return self.bound(exp_eps, relative_bits).enclosed(relative_bits)

    def upper(self, exp_eps: Real, relative_bits: int) -> Interval:
        """Enclose the upper end of ``bracket`` alone, for those who do not ask for the lower one."""
        return self.bracket(exp_eps, relative_bits).upper

    def lower(self, exp_eps: Real, relative_bits: int) -> Interval:
        """Enclose the lower end of ``bracket`` alone, for those who do not ask for the upper one."""
        return self.bracket(exp_eps, relative_bits).lower

    def leading_upper(self, exp_eps: Real, relative_bits: int) -> Interval | None:
        """Enclose a number that the upper end is at least, and about, where one is found much faster; else None."""
        return None

    def exp_eps_range(self, target: Fraction, relative_bits: int | None = None) -> ExpEpsRange | None:
        """Return two numbers with e^eps at a target delta between them, where the engine has a search of its own.

        Each is found to about 2**-relative_bits of its distance from 1, by default to the usual accuracy.
        """
        return None

    def lower_bound(self, exp_eps: Real, relative_bits: int) -> Interval | None:
        """Return an interval whose lower end is at most delta, where one is found much faster than ``enclosed``."""
        return None

    def upper_bound(self, exp_eps: Fraction, relative_bits: int) -> Dyadic:
        """Return a number at least delta, above it by about 2**-relative_bits of it where that is known so well."""
        return self.bound(Real(exp_eps), relative_bits).above(relative_bits)

    def rough_upper_bound(self, exp_eps: Fraction) -> Dyadic:
        """Return a number at least delta, for what only chooses: where it is faster, some times as large."""
        return self.upper_bound(exp_eps, _ROUGH_BITS)

    def curves(self) -> Curves | None:
        """Return the best tests of all pairs; None where the outcomes are too many to be listed."""
        return None

    def answer_bits(self, exp_eps: Fraction | None) -> int:
        """Return about how many bits exact masses at E = ``exp_eps`` have, where no limit of the engine bounds them."""
        return 0

    def far_enough(self, target: Fraction) -> Fraction:
        """Return a first guess of an E with delta(E) <= ``target``."""
        return Fraction(2)

    def resized(self, users: int, limit: int) -> Engine | None:
        """Return the engine for so many users within another limit; None where its reach does not depend on them.

        Raises:
            TooLargeError: where it refuses to start on so many.
        """
        return None


class EnclosedEngine(Engine):
    """An engine that does without exact masses: it encloses delta, or both its ends."""

    is_exact = False
    encloses = True

    @property
    def ratio_bits(self) -> int:
        """1, as nothing is exact."""
        return 1

    @property
    def work(self) -> Work:
        """The two orders; tails are read, and no outcomes are visited."""
        return Work(2)

    @property
    @abstractmethod
    def refusal(self) -> str:
        """Why exact masses are out of reach, and what to ask for."""

    def search(self, exp_eps: Fraction | None, executor: Executor | None = None) -> WorstEvent:
        """Refuse: masses are enclosed."""
        raise TooLargeError(self.refusal)

    @abstractmethod
    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> Bound[Interval]:
        """Enclose delta, or both its ends; ``exp_eps`` None stands for infinity."""


@dataclass(frozen=True, eq=False)
class Enclosed(EnclosedEngine):
    """The engine for pairs of which all that is known is an enclosure of the worst divergence, and whose it is.

    Args:
        enclose: returns both, the pair by its place, at E or for None at infinity, to a relative width of
            2**-(the second argument).
        pairs: the pairs of data sets, each in both orders.
        place_of_proof: the module that proves it.
        outcomes: how many outcomes of each are visited; None where tails are read.
        find_exp_eps: what ``exp_eps_range`` returns, where there is a faster way than the usual search.
    """

    name: str  # type: ignore[misc]
    method: str  # type: ignore[misc]
    enclose: Callable[[Real | None, int], tuple[Interval, int]]
    pairs: tuple[tuple[DataSet, DataSet], ...]
    place_of_proof: str = ""
    refusal: str = (
        "the probabilities of this view are enclosed, not built. Ask for delta and epsilon, which enclose them to any "
        "accuracy."
    )
    outcomes: int | None = None
    find_exp_eps: Callable[[Fraction, int], ExpEpsRange] | None = None

    @property
    def work(self) -> Work:
        """All pairs."""
        return Work(len(self.pairs), self.outcomes)

    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> Bound[Interval]:
        """Enclose delta; ``exp_eps`` None stands for infinity."""
        delta, place = self.enclose(exp_eps, relative_bits)
        return self.known(*self.pairs[place], delta)

    def exp_eps_range(self, target: Fraction, relative_bits: int | None = None) -> ExpEpsRange | None:
        """Return two numbers with e^eps at a target delta between them, if there is a fast way."""
        return self.find_exp_eps and self.find_exp_eps(target, relative_bits or self.usual_bits)


def fraction_bytes(*values: Fraction) -> int:
    """Return about how many bytes some fractions take."""
    return sum(value.numerator.bit_length() + value.denominator.bit_length() for value in values) // 8


def _event_bytes(event: WorstEvent) -> int:
    return fraction_bytes(event.mass_first, event.mass_second)


@bounded_cache(size=_event_bytes, entries=ANSWERS_KEPT, limit=BYTES_KEPT)
def _kept_event(engine: Engine, exp_eps: Fraction | None) -> WorstEvent:
    return engine.search(exp_eps)
