"""The pairs of inputs of a randomizer, as amplification reads them: what bounds each pair, and what data sets attain.

Upper ends need every ordered pair; lower ends need good ones. Pairs of a table are therefore ranked by floats, and only
the best are written out; a wrong rank costs nothing but width.

Of very many pairs, quick bounds (:mod:`exactdp.privacy.amplification.bounds_of_pairs`) rule out nearly all at each E:
those below the divergence of the leading pair.

A table of too many inputs is bounded at once. With P*(m) = max over v of R_v(m) and c(m) the least, every pair has
P - E Q <= P* - E c entry by entry, and the bound by the blanket rises with each entry (the kernel's
widest_pair.widest_pair_dp).

The pairs of the clipped discrete Laplace with too many inputs (:class:`RangedPairs`): no two are alike, and each has a
class per message.

*Upper end.* The randomizer alone is eps0-DP, so what bounds every such randomizer bounds it: the stronger clones of
the two inputs.

*Lower ends.* If the observer is told only the range in which each message lies, some sixteen of them, he sees less, and
what he sees of others who all hold one input is a shuffle of few messages, with its exact divergence.

Source: FeldmanMcMillanTalwar2023, Theorem 3.2 (stronger clones, as printed in secondary sources).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from heapq import nlargest
from itertools import permutations
from typing import Any, ClassVar, Final

from exactdp.caching import cached_property
from exactdp.errors import TooLargeError
from exactdp.mechanisms.any_randomizer_family import AnyRandomizer
from exactdp.mechanisms.clipped_discrete_laplace_family import ClippedDiscreteLaplace
from exactdp.mechanisms.density_family import DensityFamily, Spreads
from exactdp.mechanisms.family import FamilyRandomizer, rational_of
from exactdp.mechanisms.pair_table import Bundles, PairTable
from exactdp.mechanisms.randomizer import Randomizer, Row
from exactdp.numbers.balls import compare_reals, enclose_real
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.formats import about
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.bounds_of_pairs import FallingBound, MadeBound, Majorant, ManyPairs, log_size
from exactdp.privacy.amplification.guesses import (
    as_floats,
    binary_size,
    guess_threshold,
    message_scores,
    of_size,
    ranked,
)
from exactdp.privacy.amplification.positive_part import Mixture, blanket_mixture, mixture_of
from exactdp.privacy.amplification.score_event import ScoreEvent
from exactdp.privacy.amplification.swap_bound import SWAP, MadeBounds, PairBound, SmallestBound, quick_bounds
from exactdp.privacy.amplification.swap_choices import guessed_size
from exactdp.progress import with_progress

_MOST_ENTRIES: Final = 2**25
"""Most entries of a table, inputs times bundles, that are read."""

_MOST_RANKED: Final = 2**20
"""Most pairs times inputs times bundles that are ranked: a second."""

_MOST_PAIRED: Final = 2**22
"""Most steps of comparing pairs, of which each is bounded by itself."""

_MOST_SWAPPED: Final = 2**20
"""Most pairs times inputs of the others times bundles that the swap bound is asked for: 32 inputs and 32 bundles."""

_FEW_PAIRS: Final = 12
"""So few pairs are bounded without a look at which may be the largest."""

_MOST_WRITTEN: Final = 1024
"""More pairs are written out only where quick bounds do not rule them out."""

_COARSE_BITS: Final = 6
"""Accuracy of the leading bound, below which others are ruled out."""

_LEAST_PAIRED: Final = 3
"""At least so many inputs are paired with each other, however many bundles there are."""

_CANDIDATES: Final = 24
"""So many homogeneous data sets are enclosed to find the best."""

_MOST_CELLED: Final = 8
"""The same of data sets of which only cells are told."""

_MUCH: Final = 1
"""Candidates so far below the largest, in logarithms, are not enclosed."""

_FALLEN: Final = 1 / 16
"""A bound that floats see so far below another, in logarithms, is smaller."""

_BLANKET: Final = "the blanket of all rows (BalleBellGasconNissim2019, Theorem 5.1; kernel: blanket.blanket_bound)"
CLONES: Final = "stronger clones of the two inputs (FeldmanMcMillanTalwar2023; kernel: stronger_clones.stronger_clones)"

_EXTREMES: Final = (
    "the swap bound of the five extreme randomizers (of one message or bundle a user, not interactive, all rows within "
    "e^eps0 of each other; proved in exactdp.privacy.amplification.swap_bound)"
)
"""What proves the swap bound of every randomizer, and for which ones it holds."""

_FAMILY_BITS: Final = 64
"""The member of a family with an irrational e^eps0 lies so many bits beside it: far less than the ends differ."""

_CELLS: Final = ((2, 40), (64, 8), (2**16, 24), (2**26, 32))
"""Below so many users, so many cells of messages, real numbers, in each unit of eps0: sums of few of many values take
long, and among many users the ends lie nearer to each other."""

_FEWEST_CELLS: Final = min(cells for _, cells in _CELLS)

_MOST_CELLS: Final = 40
"""Among more."""

CLOSED: Final = "the blanket of all rows, attained by a pair of data sets"
"""What proves an upper end that is attained."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair of inputs beside others who hold ``table.others[i]`` with probability ``weights[i]``, independently."""

    table: PairTable
    weights: tuple[Fraction, ...]
    mixture: Majorant
    """The divergence of the mixtures of views."""

    @classmethod
    def of(cls, table: PairTable, weights: tuple[Fraction, ...]) -> Candidate:
        """Return the candidate with its divergence."""
        held = [(place, weight) for place, weight in enumerate(weights) if weight]
        rows = (
            (c.first, c.second, sum((weight * c.others[place] for place, weight in held), Fraction(0)))
            for c in table.classes
        )
        merged = PairTable.merged(table.first, table.second, (), rows)
        return cls(table, weights, mixture_of((c.first, c.second, c.least) for c in merged.classes))

    @classmethod
    def homogeneous(cls, table: PairTable, place: int) -> Candidate:
        """Return the candidate whose others all hold ``table.others[place]``."""
        weights = tuple(Fraction(int(place == other)) for other in range(len(table.others)))
        return cls(table, weights, mixture_of((c.first, c.second, c.least) for c in table.beside(place)))

    is_attained: ClassVar[bool] = True
    """Whether ``mixture`` is the divergence of shuffled views."""
    has_divergences: ClassVar[bool] = True
    """Whether ``mixture`` is a divergence of the shuffled views, or of what is told of them."""
    way: ClassVar[str] = ""
    """How a lower end is attained that is not."""

    def at(self, users: int, exp_eps: Real) -> Majorant | ScoreEvent:
        """Return what encloses a lower bound of the divergence at an E."""
        return self.mixture

    def swapped(self) -> Candidate:
        """Return the candidate with the two inputs of the user who differs exchanged."""
        return Candidate.of(self.table.swapped(), self.weights)

    def beside(self, pairs: InputPairs) -> Candidate | None:
        """Return the candidate with as many others of each randomizer as ``pairs`` says; None where these are others.

        How many users there are in all is asked for with each question.
        """
        return self if pairs.others_of_each is None else None

    @property
    def inputs(self) -> tuple[Any, ...]:
        """What the others may hold."""
        return tuple(label for label, weight in zip(self.table.others, self.weights, strict=True) if weight)


@dataclass(frozen=True, slots=True)
class ScoredCandidate(Candidate):
    """A pair of inputs beside others who all hold one, where bundles have several messages: events of message scores.

    ``mixture`` is the divergence of an observer who sees the bundles, which is no lower bound.
    """

    bundles: tuple[tuple[int, Fraction, Fraction], ...]
    """(score, P, Q) of the bundles of the user who differs."""
    scored: tuple[tuple[int, Fraction], ...]
    """(score, probability) of the bundles of another user."""

    is_attained: ClassVar[bool] = False
    has_divergences: ClassVar[bool] = False
    way: ClassVar[str] = "by an event of a sum of message scores"

    def at(self, users: int, exp_eps: Real) -> ScoreEvent:
        """Return the event that tells most, about, at an E."""
        return ScoreEvent(self.bundles, self.scored, guess_threshold(self.bundles, self.scored, users, exp_eps))

    def swapped(self) -> ScoredCandidate:
        """Return the candidate with the two inputs exchanged: what scores low tells, so scores change their sign."""
        plain = Candidate.of(self.table.swapped(), self.weights)
        bundles = tuple((-score, q, p) for score, p, q in self.bundles)
        scored = tuple((-score, p) for score, p in self.scored)
        return ScoredCandidate(plain.table, plain.weights, plain.mixture, bundles, scored)


@dataclass(frozen=True, eq=False)
class RowsBound(MadeBound):
    """The bound of a pair of rows of a table, of which the classes are written out when they are asked for."""

    bundles: Bundles
    first: int
    second: int

    @cached_property
    def mixture(self) -> Mixture:
        """The bound as a mixture."""
        labels = self.bundles.inputs
        return blanket_mixture(self.bundles.pair(labels[self.first], labels[self.second], ()))

    def divergence(self, users: int, exp_eps: Real, *, relative_bits: int) -> Interval:
        """Enclose the bound with n = ``users``, to a relative width of 2**-relative_bits."""
        return self.mixture.divergence(users, exp_eps, relative_bits=relative_bits)

    def bound(self, users: int, exp_eps: Real) -> Interval:
        """Return an interval whose upper end the bound does not exceed."""
        return self.mixture.bound(users, exp_eps)

    def limit(self, users: int) -> Fraction:
        """Return the bound at infinite E: what the first row sends and the second never."""
        return self.limit_at_most

    def exceeds_limit(self, users: int) -> bool:
        """Whether the bound is known to be above ``limit``: no, it reaches it."""
        return False

    def settled(self, users: int) -> Fraction:
        """Return the E from which on the bound is ``limit``: the largest finite ratio of the two rows."""
        return self.mixture.settled(users)

    def limit_enclosed(self, users: int, relative_bits: int) -> Interval:
        """Enclose the bound at infinite E."""
        return Interval.around(self.limit_at_most, relative_bits=relative_bits)

    @property
    def limit_at_most(self) -> Fraction:
        """The bound at infinite E, for any n: no message that the second row never sends is in the blanket."""
        rows = self.bundles.rows
        alone = sum(p for p, q in zip(rows[self.first], rows[self.second], strict=True) if not q)
        return Fraction(alone, self.bundles.scale)

    def log_size(self, users: int, exp_eps: float) -> float:
        """Return about the logarithm of the bound."""
        return log_size(self.mixture, users, exp_eps)


def _largest_of(bounds: Mapping[tuple[int, int], Dyadic]) -> tuple[int, int]:
    return max(bounds, key=bounds.__getitem__)


class InputPairs(ABC):
    """The pairs of inputs of a randomizer, in both orders."""

    @property
    @abstractmethod
    def labels(self) -> tuple[Any, ...]:
        """The inputs that data sets are made of."""

    @property
    def others_of_each(self) -> tuple[int, ...] | None:
        """How many others run each of several randomizers; None where all run one."""
        return None

    @property
    def reaches_local_epsilon(self) -> bool:
        """Whether delta is known to be above 0 at every E below the local e^eps, for any number of users."""
        return True

    @property
    def is_one_randomizer(self) -> bool:
        """Whether the pairs are those of one randomizer, and not of all with an eps0."""
        return True

    @property
    def is_exact(self) -> bool:
        """Whether the bound of each pair is its divergence, whatever the others hold."""
        return False

    @property
    def theorem(self) -> str:
        """What proves the blankets."""
        return _BLANKET if self.is_one_randomizer else CLONES

    @property
    def swap(self) -> str | None:
        """What proves the swap bound; None where only blankets are asked for."""
        return None

    @property
    def theorems(self) -> str:
        """What proves the bounds at every E, of which each may be the smaller one at some."""
        return self.theorem if self.swap is None else f"{self.swap}, or where that is smaller {self.theorem}"

    @property
    def closed_theorem(self) -> str:
        """What proves an upper end that is attained."""
        return CLOSED

    @property
    @abstractmethod
    def blankets(self) -> tuple[Majorant, ...]:
        """What bounds the divergence of each ordered pair."""

    @property
    def bounds(self) -> tuple[Majorant, ...]:
        """What bounds the divergence of each ordered pair best, beyond what certificates state."""
        return self.blankets

    @property
    def swapped_bounds(self) -> tuple[PairBound, ...]:
        """The swap bounds of all ordered pairs, whatever the number of users; none where these are too many."""
        bounds = tuple(one for one in self.bounds if isinstance(one, PairBound))
        return bounds if len(bounds) == len(self.bounds) else ()

    def blankets_at(self, users: int, exp_eps: Real) -> tuple[Majorant, ...]:
        """Return the blankets of which the largest at E is one: all, but for those that are seen at once not to be."""
        return self.blankets

    def bounds_at(self, users: int, exp_eps: Real) -> tuple[Majorant, ...]:
        """Return the bounds of which the largest at E is one."""
        return self.bounds

    def leading(self, users: int, exp_eps: Real) -> Majorant | None:
        """Return about the largest blanket at E where there are very many; else None."""
        return None

    def leading_bound(self, users: int, exp_eps: Real) -> Majorant | None:
        """Return about the largest bound at E where the largest one is slow to find; else None."""
        return self.leading(users, exp_eps)

    @property
    @abstractmethod
    def local_epsilons(self) -> tuple[LogRational, LogRational]:
        """Two numbers with the local eps between them, which it is if they are equal."""

    @abstractmethod
    def candidates(self, users: int, size: int) -> Sequence[Candidate]:
        """Return pairs with homogeneous others whose divergence is among the largest at an E of a ``binary_size``."""

    def nearest(self, candidates: Sequence[Candidate], users: int, exp_eps: Real) -> Sequence[Candidate]:
        """Return those of which the largest at E is one: all, but for those that floats like much less."""
        return candidates


@dataclass(frozen=True)
class FamilyPairs(InputPairs):
    """Of a family: a few pairs stand for all."""

    family: FamilyRandomizer

    @cached_property
    def labels(self) -> tuple[Any, ...]:
        """The inputs named in the tables of pairs."""
        tables = [table for member in self._members for table in member.pair_tables()]
        return tuple(dict.fromkeys(label for table in tables for label in (table.first, table.second, *table.others)))

    @property
    def is_one_randomizer(self) -> bool:
        """Whether the family is one randomizer."""
        return self.family.lower_families() == (self.family,)

    @property
    def swap(self) -> str | None:
        """What proves the swap bound, which every pair has."""
        return SWAP if self.is_one_randomizer else _EXTREMES

    @property
    def _members(self) -> tuple[FamilyRandomizer, ...]:
        """Whose divergences are lower ends: the family itself, or with an irrational e^eps0 one at a smaller number."""
        return tuple(member.at_most(_FAMILY_BITS) for member in self.family.lower_families())

    @property
    def local_epsilons(self) -> tuple[LogRational, LogRational]:
        """The local eps of two members with the family between them."""
        low, high = (side(_FAMILY_BITS).local_epsilon() for side in (self.family.at_most, self.family.at_least))
        assert isinstance(low, LogRational)
        assert isinstance(high, LogRational)
        return low, high

    @cached_property
    def blankets(self) -> tuple[Mixture, ...]:
        """What bounds the divergence of each ordered pair."""
        return tuple(dict.fromkeys(map(blanket_mixture, self.family.at_least(_FAMILY_BITS).pair_tables())))

    @cached_property
    def bounds(self) -> tuple[Majorant, ...]:
        """The smaller of the blanket and the swap bound, for each ordered pair."""
        return tuple(dict.fromkeys(map(PairBound.of, self.family.at_least(_FAMILY_BITS).pair_tables())))

    @cached_property
    def _homogeneous(self) -> tuple[Candidate, ...]:
        distinct: dict[Majorant, Candidate] = {}
        for table in (table for member in self._members for table in member.pair_tables()):
            for place in range(len(table.others)):
                candidate = self._candidate(table, place)
                distinct.setdefault(candidate.mixture, candidate)
        return tuple(distinct.values())

    def _candidate(self, table: PairTable, place: int) -> Candidate:
        return Candidate.homogeneous(table, place)

    def candidates(self, users: int, size: int) -> Sequence[Candidate]:
        """Return the homogeneous candidates that floats like best."""
        level = of_size(size)
        if self.family.parts:
            return nlargest(
                _CANDIDATES, self._homogeneous, lambda one: _guess(one.mixture, users, Real(Fraction(level)))
            )
        best = nlargest(_CANDIDATES, self._homogeneous, lambda one: log_size(one.mixture, users, level))
        return tuple({one.mixture: one for one in reversed(best)}.values())[::-1]

    def nearest(self, candidates: Sequence[Candidate], users: int, exp_eps: Real) -> Sequence[Candidate]:
        """Return those of which the largest at E is one: of a product they are many, and unlike each other."""
        if not self.family.parts:
            return candidates
        sizes = [_guess(one.mixture, users, exp_eps) for one in candidates]
        return [one for one, size in zip(candidates, sizes, strict=True) if size >= max(sizes) - _MUCH]

    def leading_bound(self, users: int, exp_eps: Real) -> Majorant | None:
        """Return about the largest bound of a product, whose pairs are slow to be told from it."""
        if not self.family.parts:
            return None
        return max(self.bounds, key=lambda bound: _guess(bound, users, exp_eps))


def _guess(bound: Majorant, users: int, exp_eps: Real) -> float:
    """Return about the logarithm of a bound, nearer than ``log_size`` and some times as slow."""
    rows = bound.rows if isinstance(bound, PairBound) else (bound,)
    return max(guessed_size(row, users, exp_eps) for row in rows if isinstance(row, Mixture))


@dataclass(frozen=True)
class SpreadPairs(FamilyPairs):
    """Of a randomizer whose messages are real numbers: lower ends by bins, upper ends by spreads of cells."""

    family: DensityFamily

    @property
    def labels(self) -> tuple[Any, ...]:
        """The inputs that the data sets of lower ends are made of."""
        return self._members[0].ends()

    @property
    def theorem(self) -> str:
        """What proves the blankets."""
        return f"{_BLANKET}, {self._by_cells}"

    @property
    def swap(self) -> str:
        """What proves the swap bound."""
        return f"{SWAP}, {self._by_cells}"

    @property
    def _by_cells(self) -> str:
        return f"by cells of messages (proved in {self.family.proved_in})"

    @cached_property
    def blankets(self) -> tuple[Mixture, ...]:
        """What bounds the divergence of every ordered pair, by few cells: its limit at infinite eps is that of many."""
        return (self._blanket(_FEWEST_CELLS),)

    def blankets_at(self, users: int, exp_eps: Real) -> tuple[Mixture, ...]:
        """Return the blanket, by the cells of ``bounds_at``."""
        return (self._blanket(cells_for(users)),)

    def _blanket(self, cells: int) -> Mixture:
        return self._bound(cells, self._last_level).blanket

    @property
    def bounds(self) -> tuple[Majorant, ...]:
        """The smaller of the blanket and the swap bound, of every ordered pair."""
        return (self._bound(_MOST_CELLS),)

    def bounds_at(self, users: int, exp_eps: Real) -> tuple[Majorant, ...]:
        """Return the bound, by fewer cells where there are few users.

        At smaller levels, where other rows stand for the pairs, it may be smaller: not where it has fallen since the
        last one below what the leading rows, which are the same, say there.
        """
        passed = [level for level in self.family.levels if compare_reals(exp_eps, level) > 0]
        level = next(iter(self.family.levels[len(passed) :]), None)
        here, leading = self._bound_for(users, level), self._spreads_of(cells_for(users), level).leading
        if not (passed and leading):
            return (here,)
        if max(here.log_sizes(users, exp_eps)) < self._leading_size(here, users, passed[-1], leading):
            return (here,)
        return (FallingBound(here, tuple(reversed(passed)), self._bound_for, self._leading_bound(users)),)

    def near_bound(self, users: int, exp_eps: Real) -> PairBound:
        """Return about the smallest bound at the level of an E whose rows are all cut at one ratio, by many cells."""
        level = next((one for one in self.family.levels if compare_reals(exp_eps, one) <= 0), None)
        here = self._bound_for(users, level, cells=_MOST_CELLS)
        return here.near(users, exp_eps) if isinstance(here, SmallestBound) else here

    def _leading_size(self, bound: PairBound, users: int, level: Fraction, leading: int) -> float:
        """Return about the logarithm of a bound beside its leading rows at a level, or a little less."""
        return max(bound.log_sizes(users, Real(level), leading)) - _FALLEN

    def leading_bound(self, users: int, exp_eps: Real) -> Majorant | None:
        """Return the bound beside the rows that the family says lead, if there are others."""
        return self._leading_bound(users)

    def _leading_bound(self, users: int) -> PairBound | None:
        if users not in self._leading:
            level = self._last_level
            leading = self._spreads_of(cells_for(users), level).leading
            self._leading[users] = self._bound_for(users, level, leading) if leading else None
        return self._leading[users]

    @property
    def _last_level(self) -> Fraction | None:
        """The E up to which the fewest rows are needed; the blanket and the leading rows are those of all."""
        return max(self.family.levels, default=None)

    def _bound_for(
        self, users: int, most: Fraction | None, leading: int | None = None, cells: int | None = None
    ) -> PairBound:
        """Return the smallest bound at E up to ``most`` by rows that are cut, or by the first of them."""
        ratios = self.family.largest_ratios(users) or (None,)

        def cut(place: int) -> PairBound:
            bound = self._bound(cells or cells_for(users), most, ratios[place])
            return replace(bound, rows=bound.rows[:leading]) if leading else bound

        seen = leading or self._spreads_of(cells or cells_for(users), most).leading or None
        return SmallestBound.of_all(MadeBounds(cut, len(ratios)), seen)

    def _bound(self, cells: int, most: Fraction | None = None, ratio: Fraction | None = None) -> PairBound:
        """Return the bound at E up to ``most``, its rows cut at a ratio."""
        if (cells, most, ratio) not in self._bounds:
            if ratio is not None:
                whole = self._bound(cells, most)
                self._bounds[cells, most, ratio] = replace(whole, rows=tuple(row.cut(ratio) for row in whole.rows))
            else:
                spreads = self._spreads_of(cells, most)
                rows = tuple(dict.fromkeys(map(mixture_of, spreads.rows)))
                self._bounds[cells, most, None] = PairBound(
                    mixture_of(spreads.blanket),
                    spreads.gamma,
                    rows,
                    None,
                    self.swap,
                    may_own=False,
                    states_blanket=False,
                )
        return self._bounds[cells, most, ratio]

    def _spreads_of(self, cells: int, most: Fraction | None) -> Spreads:
        if (cells, most) not in self._spreads:
            self._spreads[cells, most] = self.family.at_least(_FAMILY_BITS).spreads(cells, most)
        return self._spreads[cells, most]

    @cached_property
    def _spreads(self) -> dict[tuple[int, Fraction | None], Spreads]:
        """By the number of cells and the largest E."""
        return {}

    @cached_property
    def _bounds(self) -> dict[tuple[int, Fraction | None, Fraction | None], PairBound]:
        """By the number of cells, the largest E and the largest ratio."""
        return {}

    @cached_property
    def _leading(self) -> dict[int, PairBound | None]:
        """By the number of users."""
        return {}

    @property
    def local_epsilons(self) -> tuple[LogRational, LogRational]:
        """The local eps of two members with the family between them, or two numbers beside an irrational e^eps."""
        if isinstance(eps := self.family.at_least(_FAMILY_BITS).local_epsilon(), LogRational):
            return super().local_epsilons
        beside = enclose_real(Real.exp(eps), relative_bits=_FAMILY_BITS)
        return LogRational(beside.lo), LogRational(beside.hi)

    def candidates(self, users: int, size: int) -> Sequence[RangedCandidate]:
        """Return the pairs of tables of which only cells are told, beside each input that they name."""
        tables = (table for member in self._members for table in member.binned(cells_for(users)))
        both = (Candidate.homogeneous(table, place) for table in tables for place in range(len(table.others)))
        found = {one.mixture: RangedCandidate(one.table, one.weights, one.mixture) for one in both}
        if len(found) <= _MOST_CELLED:
            return tuple(found.values())
        level = Real(Fraction(of_size(size)))
        return nlargest(_MOST_CELLED, found.values(), lambda one: _guess(one.mixture, users, level))

    @property
    def _members(self) -> tuple[DensityFamily, ...]:
        return (self.family.at_most(_FAMILY_BITS),)


def cells_for(users: int) -> int:
    """Return how many cells of messages so many users need where e^eps0 grows by the factor e."""
    return next((cells for below, cells in _CELLS if users < below), _MOST_CELLS)


@dataclass(frozen=True)
class EveryPairs(FamilyPairs):
    """Of every eps0-DP randomizer."""

    family: AnyRandomizer

    @cached_property
    def bounds(self) -> tuple[Majorant, ...]:
        """The smaller of the stronger clones and the swap bound beside the extreme members."""
        return (_bound_of_every(self.family),)


def _bound_of_every(family: AnyRandomizer) -> PairBound:
    """Return what bounds every pair of inputs of every eps0-DP randomizer."""
    member = family.at_least(_FAMILY_BITS)
    (table,) = member.pair_tables()
    share = 1 / rational_of(member.exp_eps0)
    rows = tuple(map(mixture_of, member.extremes()))
    return PairBound(blanket_mixture(table), share, rows, None, _EXTREMES, states_blanket=False)


@dataclass(frozen=True)
class TablePairs(InputPairs):
    """Of a table."""

    randomizer: Randomizer

    def __post_init__(self) -> None:
        entries = len(self.randomizer.inputs) * max(map(len, self.randomizer.rows))
        if entries > _MOST_ENTRIES:
            raise TooLargeError(
                f"the table has about {about(entries)} entries, more than the limit of {_MOST_ENTRIES}. "
                "Use fewer inputs, or a family of exactdp.randomizers."
            )
        _ = self._bundles  # refuses long denominators before anything is asked

    @property
    def labels(self) -> tuple[Any, ...]:
        """All inputs."""
        return self.randomizer.inputs

    @cached_property
    def local_epsilons(self) -> tuple[LogRational, LogRational]:
        """The local eps, twice."""
        eps = self.randomizer.local_epsilon()
        return eps, eps

    @cached_property
    def _bundles(self) -> Bundles:
        return Bundles.of(self.randomizer)

    @cached_property
    def _pairs(self) -> list[tuple[int, int]] | None:
        """The pairs that stand for all, as positions; None where they are too many."""
        bundles = self._bundles
        if len(bundles.distinct()) ** 2 * bundles.pair_cost > _MOST_PAIRED:
            return None
        return list(bundles.representatives())

    @cached_property
    def blankets(self) -> tuple[Majorant, ...]:
        """What bounds the divergence of each ordered pair: one mixture for all, where pairs are too many."""
        bundles = self._bundles
        if self._are_many:
            return tuple(self._rows_bounds.values())
        if self._pairs is None:
            columns = zip(map(max, zip(*bundles.rows, strict=True)), bundles.least, bundles.least, strict=True)
            return (blanket_mixture(PairTable.of_integers(None, None, (), columns, bundles.scale)),)
        tables = (bundles.pair(self.labels[pair[0]], self.labels[pair[1]], ()) for pair in self._pairs)
        return tuple(dict.fromkeys(map(blanket_mixture, tables))) or (Mixture((), ()),)

    def bounds_at(self, users: int, exp_eps: Real) -> tuple[Majorant, ...]:
        """Return the smaller of both bounds of each pair, but for pairs that a quick bound rules out; else blankets."""
        if not self._are_swapped:
            return self.blankets_at(users, exp_eps)
        pairs = self._unlike if len(self._unlike) <= _FEW_PAIRS else self._near(users, exp_eps)
        return tuple(dict.fromkeys(map(self._pair_bound, pairs))) or self.blankets

    @property
    def swapped_bounds(self) -> tuple[PairBound, ...]:
        """The swap bounds of all ordered pairs, whatever the number of users; none where these are too many."""
        if not self._are_swapped or len(self._unlike) > _FEW_PAIRS:
            return ()
        return tuple(dict.fromkeys(map(self._pair_bound, self._unlike)))

    @cached_property
    def _unlike(self) -> list[tuple[int, int]]:
        """One of the ordered pairs of each kind."""
        pairs = permutations(self._bundles.distinct(), 2)
        return list({self._bundles.kind(*pair): pair for pair in pairs}.values())

    def _near(self, users: int, exp_eps: Real) -> list[tuple[int, int]]:
        """Return the leading pair, and those whose quick bound is not below its bound."""
        first = self._leading_pair(users, exp_eps)
        leading = self._pair_bound(first)
        least = leading.divergence(users, exp_eps, relative_bits=_COARSE_BITS).lower
        bounds = self._many_pairs.bounds(self._unlike, users, exp_eps)
        near = [pair for pair in self._unlike if bounds[pair] >= least]
        if (plan := leading.plan(users, exp_eps)) is not None:
            swapped = quick_bounds(self._many_pairs, near, plan, leading.gamma, users, exp_eps)
            near = [pair for pair in near if swapped[pair] >= least]
        return [first, *near]

    def leading_bound(self, users: int, exp_eps: Real) -> Majorant | None:
        """Return the bound of about the leading pair where pairs are ruled out by quick bounds; else None."""
        if not self._are_swapped:
            return self.leading(users, exp_eps)
        return None if len(self._unlike) <= _FEW_PAIRS else self._pair_bound(self._leading_pair(users, exp_eps))

    def _leading_pair(self, users: int, exp_eps: Real) -> tuple[int, int]:
        """The pair that floats like best."""
        best = ranked(self._ranked_pairs, self._floats, binary_size(exp_eps), users, 1)
        return best[0][:2]

    def _pair_bound(self, pair: tuple[int, int]) -> PairBound:
        if pair not in self._pair_bounds:
            first, second = (self.labels[place] for place in pair)
            self._pair_bounds[pair] = PairBound.of(self._bundles.pair(first, second, None))
        return self._pair_bounds[pair]

    @cached_property
    def _pair_bounds(self) -> dict[tuple[int, int], PairBound]:
        """The bounds that were ever needed."""
        return {}

    @cached_property
    def _are_swapped(self) -> bool:
        """Whether every pair is bounded beside every input of the others, and something is common to all rows."""
        inputs = len(self._bundles.distinct())
        return any(self._bundles.least) and inputs > 1 and inputs**3 * len(self._bundles.least) <= _MOST_SWAPPED

    @property
    def _are_many(self) -> bool:
        """Whether pairs are bounded one by one, but too many to be written out."""
        return self._pairs is not None and len(self._pairs) > _MOST_WRITTEN

    @cached_property
    def _rows_bounds(self) -> dict[tuple[int, int], RowsBound]:
        return {pair: RowsBound(self._bundles, *pair) for pair in self._pairs or ()}

    def blankets_at(self, users: int, exp_eps: Real) -> tuple[Majorant, ...]:
        """Return the bounds of which the largest at E is one; of very many, those not below the leading one."""
        if (bounds := self._quick_bounds(users, exp_eps)) is None:
            return self.blankets
        by_pair = self._rows_bounds
        try:
            least = by_pair[_largest_of(bounds)].mixture.divergence(users, exp_eps, relative_bits=_COARSE_BITS).lower
        except TooLargeError:
            least = Dyadic.of(0)
        near = [pair for pair, bound in bounds.items() if bound >= least]
        near = [pair for pair in near if self._many_pairs.gain(pair, exp_eps) >= least]
        return tuple(dict.fromkeys(by_pair[pair].mixture for pair in with_progress(near, len(near))))

    def leading(self, users: int, exp_eps: Real) -> Majorant | None:
        """Return about the largest bound at E where there are very many; else None."""
        place = users, binary_size(exp_eps)
        if place not in self._leading and (bounds := self._quick_bounds(users, exp_eps)) is not None:
            self._leading[place] = self._rows_bounds[_largest_of(bounds)].mixture
        return self._leading.get(place)

    @cached_property
    def _leading(self) -> dict[tuple[int, int], Mixture]:
        """By the number of users and the ``binary_size`` of E: which pair leads changes slowly."""
        return {}

    def _quick_bounds(self, users: int, exp_eps: Real) -> dict[tuple[int, int], Dyadic] | None:
        """Return a number that is not below the bound of each pair, for very many pairs; else None."""
        if not self._are_many:
            return None
        return self._many_pairs.bounds(list(self._rows_bounds), users, exp_eps)

    @cached_property
    def _many_pairs(self) -> ManyPairs:
        return ManyPairs(self._bundles.rows, self._bundles.least, self._bundles.scale)

    def candidates(self, users: int, size: int) -> Sequence[Candidate]:
        """Return the homogeneous candidates that floats like best."""
        distinct: dict[Majorant, Candidate] = {}
        best = ranked(self._ranked_pairs, self._floats, size, users, _CANDIDATES)
        for triple in best or [(0, len(self.labels) - 1, 0)]:
            if triple not in self._written:
                self._written[triple] = self._candidate(*triple)
            distinct.setdefault(self._written[triple].mixture, self._written[triple])
        return tuple(distinct.values())

    @cached_property
    def _written(self) -> dict[tuple[int, int, int], Candidate]:
        """The candidates that were ever among the best."""
        return {}

    def _candidate(self, first: int, second: int, v: int) -> Candidate:
        """Return a pair beside others who all hold an input; all are positions."""
        one, other = self.labels[first], self.labels[second]
        others = tuple(dict.fromkeys((self.labels[v], one, other)))
        candidate = Candidate.homogeneous(self._bundles.pair(one, other, others), 0)
        return candidate if self.shows_bundles else self._scored(candidate, first, second, v)

    @property
    def swap(self) -> str | None:
        """What proves the swap bound, if it is asked for."""
        return SWAP if self._are_swapped else None

    @property
    def reaches_local_epsilon(self) -> bool:
        """Whether a homogeneous data set is known to show it, because the view shows all bundles."""
        return self.shows_bundles

    @cached_property
    def shows_bundles(self) -> bool:
        """Whether the view shows all bundles, because none has two messages."""
        return all(len(send) <= 1 for row in self.randomizer.rows for send, _ in row)

    def _scored(self, candidate: Candidate, first: int, second: int, v: int) -> ScoredCandidate:
        """Return the candidate with scores of messages."""
        scores = self.scores(first, second, v)
        laws = [score_law(self.randomizer.rows[place], scores) for place in (first, second, v)]
        both = tuple((score, laws[0][score], laws[1][score]) for score in sorted({*laws[0], *laws[1]}))
        return ScoredCandidate(candidate.table, candidate.weights, candidate.mixture, both, tuple(laws[2].items()))

    def scores(self, first: int, second: int, v: int) -> dict[int, int]:
        """Message -> a score that tells two inputs apart where the others hold ``v``; inputs are positions."""
        p, q, r = (mean_counts(self.randomizer.rows[place]) for place in (first, second, v))
        return message_scores({m: (p[m], q[m], r[m]) for m in range(len(self.randomizer.alphabet))})

    @cached_property
    def _ranked_pairs(self) -> list[tuple[int, int]]:
        """The pairs that stand for all, or where they are many those of the inputs in ``_floats``."""
        pairs, bundles = self._pairs or [], self._bundles
        few = len(pairs) * len(bundles.distinct()) * len(bundles.least) <= _MOST_RANKED
        return pairs if pairs and few else list(permutations(self._spread(), 2))

    def _spread(self) -> list[int]:
        """Return as many inputs, spread over all, as can be paired with each other and a third in a second."""
        distinct = self._bundles.distinct()
        most = _LEAST_PAIRED
        while (most + 1) ** 3 * len(self._bundles.least) <= _MOST_RANKED:
            most += 1
        return distinct[:: -(-len(distinct) // most)]

    @cached_property
    def _floats(self) -> dict[int, list[float]]:
        """The rows of the inputs that occur in candidates."""
        bundles, pairs = self._bundles, self._pairs or []
        few = len(pairs) * len(bundles.distinct()) * len(bundles.least) <= _MOST_RANKED
        places = bundles.distinct() if pairs and few else self._spread()
        return {v: as_floats(bundles.rows[v], bundles.scale) for v in places}


def mean_counts(row: Row) -> defaultdict[int, Fraction]:
    """Message -> its mean number in a bundle."""
    counts: defaultdict[int, Fraction] = defaultdict(Fraction)
    for send, p in row:
        for message in send:
            counts[message] += p
    return counts


def score_law(row: Row, scores: Mapping[int, int]) -> defaultdict[int, Fraction]:
    """Score of a bundle -> its probability."""
    law: defaultdict[int, Fraction] = defaultdict(Fraction)
    for send, p in row:
        law[sum(scores[message] for message in send)] += p
    return law


_RANGES: Final = 16
"""Ranges that are told apart: the ratio of two rows changes by the sixteenth root of e^eps0 in each."""

_LONGEST_TOP: Final = 2000
"""The probabilities of longer ranges have more than 10^5 bits: no lower end but 0 is then known."""

"""An irrational e^eps0 is rounded up to so many bits."""


@dataclass(frozen=True, slots=True)
class RangedCandidate(Candidate):
    """A pair of inputs beside others who hold one, where only ranges of messages are told."""

    is_attained: ClassVar[bool] = False
    way: ClassVar[str] = "by an event of ranges of messages"

    def swapped(self) -> RangedCandidate:
        """Return the candidate with the two inputs of the user who differs exchanged."""
        plain = Candidate.of(self.table.swapped(), self.weights)
        return RangedCandidate(plain.table, plain.weights, plain.mixture)


@dataclass(frozen=True)
class RangedPairs(InputPairs):
    """All pairs of inputs by the clones, a few by ranges of messages."""

    family: ClippedDiscreteLaplace

    @property
    def labels(self) -> tuple[Any, ...]:
        """The two ends and the middle."""
        return 0, self.family.top, self.family.top // 2

    @property
    def theorem(self) -> str:
        """What proves the blankets."""
        return CLONES

    @property
    def swap(self) -> str | None:
        """What proves the swap bound, as of every randomizer of this eps0."""
        return _EXTREMES

    @property
    def local_epsilons(self) -> tuple[LogRational, LogRational]:
        """The local eps, twice."""
        eps = self.family.local_epsilon()
        assert isinstance(eps, LogRational)
        return eps, eps

    @cached_property
    def blankets(self) -> tuple[Mixture, ...]:
        """What bounds the divergence of each ordered pair."""
        every = AnyRandomizer(exp_eps0=self.family.exp_eps0).at_least(_FAMILY_BITS)
        return tuple(map(blanket_mixture, every.pair_tables()))

    @cached_property
    def bounds(self) -> tuple[Majorant, ...]:
        """The smaller of the stronger clones and the swap bound, as of every randomizer of this eps0."""
        return (_bound_of_every(AnyRandomizer(exp_eps0=self.family.exp_eps0)),)

    @cached_property
    def _ranged(self) -> tuple[RangedCandidate, ...]:
        ranges = _RANGES if self.family.top <= _LONGEST_TOP else 1
        table = self.family.ranged_table(0, self.family.top, self.labels, ranges)
        candidates = (Candidate.homogeneous(table, place) for place in range(len(self.labels)))
        return tuple(RangedCandidate(one.table, one.weights, one.mixture) for one in candidates)

    def candidates(self, users: int, size: int) -> Sequence[RangedCandidate]:
        """Return the pair of the two ends, beside each input that is named."""
        return self._ranged
