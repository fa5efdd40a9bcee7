"""The pairwise scan: the worst pair over all data sets of any finite randomizer.

Every bystander data set is visited in a tree whose nodes share products, with all laws packed into integers. The first
pass rounds the laws to a fixed precision, which gives every ordered pair a rigorous interval for its divergence; pairs
whose upper end is below another's lower end are ruled out. Only what is left is computed exactly. Nothing is assumed
about where the worst data set lies: it is often not an endpoint.

The interval. Let p <= P and q <= Q be the rounded laws with missing weights m_P, m_Q, and T = {p > E' q} for a rational
E' <= E. Then H_E(P||Q) <= H_E'(P||Q) <= p(T) - E' q(T) + m_P, because (P - E'Q)_+ <= (p - E'q)_+ + (P - p); and
H_E(P||Q) >= P(T) - E Q(T) >= p(T) - E (q(T) + m_Q).

Nothing is scanned where one user is added or removed and every user sends the same number of messages: the total gives
it away (:class:`DisjointViews`). The larger data set shows n c messages and the smaller one (n - 1) c, so for c >= 1
the two views have disjoint supports and delta is 1 for every eps, whatever the randomizer. There is nothing to search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn, TypeAlias, TypeVar

from exactdp.errors import ScanTooLargeError, TooLargeError
from exactdp.laws.finite import Law
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.formats import about, short
from exactdp.numbers.packed import MAX_PACKED_BITS, PackedLaw, Packing, Term
from exactdp.privacy.curves import Curve, Curves, likelihood_curve
from exactdp.privacy.engine import DataSet, Engine, NoisePairs, Work, WorstEvent
from exactdp.privacy.shuffle.products import ALL, AnyLaw, Part, SparsePacking, all_products, one_product
from exactdp.privacy.shuffle.structure import Structure, slot_terms
from exactdp.progress import with_progress

if TYPE_CHECKING:
    from concurrent.futures import Executor

DEFAULT_LIMIT: Final = 10**8
"""Most pairs times outcomes that a scan starts on, unless the caller allows more."""

MAX_USERS: Final = 10**6
"""Most users of a scan whose bystanders can hold different inputs."""

_FIRST_PRECISION: Final = 64
"""The first pass of the filter keeps one machine word of each weight."""

_FEW: Final = 8
"""With so many candidates left, exact computation is cheaper than another pass of the filter."""
_SPARSE_RATIO: Final = 50
"""A packed slot costs this much less than an outcome in a dictionary."""
_MANY: Final = 32
"""With more data sets than this to visit, all are visited in the tree that shares their factors."""
_RATIO_BITS: Final = 32
"""The filter rounds E down to half a machine word."""

_GUARD_BITS: Final = 64
"""Bounds are computed one machine word below the precision."""

_PARTS: Final = 4
"""An executor is given the pairs in so many parts."""

Bystanders: TypeAlias = tuple[int, ...]
Candidate: TypeAlias = tuple[Bystanders, tuple[int, int]]
"""How many users hold each bystander class, and the ordered pair of positions in ``structure.differing``."""
_FAST_SIZES: Final = 2**23
"""Counting the pairs of so many users times kinds of bystanders takes a second."""

Found = TypeVar("Found")


class _Event(NamedTuple):
    """The divergence of a candidate and the masses of its event, scaled to integers."""

    value: int
    candidate: Candidate
    mass_first: int
    mass_second: int


@dataclass(frozen=True, eq=False)
class PairwiseScan(Engine):
    """The engine for any finite randomizer with ``users`` users, at sizes within ``limit`` pairs times outcomes."""

    structure: Structure
    users: int
    limit: int = DEFAULT_LIMIT

    name = "pairwise scan"
    method = "visits all data sets of the other users, and compares every ordered pair of inputs beside them"
    scans_all_pairs = True

    def __post_init__(self) -> None:
        if not self.structure.pairs:
            return  # all rows are equal, and there is nothing to search
        if len(self.structure.bystanders) > 1 and self.users > MAX_USERS:
            raise TooLargeError(
                f"{self.name}: n={short(self.users)} is more than the limit of {MAX_USERS} users where bystanders "
                "differ. Use fewer users."
            )
        are_many = self.users * len(self.structure.bystanders) > _FAST_SIZES
        if are_many and (outcomes := self.structure.outcomes(self.users)) > self.limit:
            self._refuse(f"more than {about(outcomes)} steps, one for each outcome of a pair", outcomes)
        pairs, outcomes, steps = self._sizes(self.users)
        if steps > self.limit:
            self._refuse(f"{about(steps)} steps ({about(pairs)} pairs times {about(outcomes)} outcomes)", steps)
        self._check_memory(self._exact_packing(None))

    def _refuse(self, work: str, steps: int) -> NoReturn:
        largest = self._largest_users()
        reach = f"the largest n here is {largest}" if largest else "even n=1 is beyond it"
        raise ScanTooLargeError(
            f"{self.name}: {work}, the limit is {about(self.limit)}; {reach}. Use fewer users or messages.",
            steps,
            largest,
        )

    def _check_memory(self, packing: Packing) -> None:
        bits = packing.slots * packing.width
        if bits > MAX_PACKED_BITS and not self._is_sparse:
            raise TooLargeError(
                f"{self.name}: one exact law takes {about(bits)} bits ({about(packing.slots)} slots of "
                f"{about(packing.width)}), the limit is {MAX_PACKED_BITS}. Use fewer users or shorter numbers."
            )

    @property
    def work(self) -> Work:
        """All ordered pairs, and the outcomes of each."""
        return Work(*self._sizes(self.users))

    def resized(self, users: int, limit: int) -> PairwiseScan:
        """Return the scan for so many users within another limit."""
        return replace(self, users=users, limit=limit)

    def _sizes(self, users: int) -> tuple[int, int, int]:
        """Return bounds of the ordered pairs of data sets after reduction, of the outcomes of each, and of both."""
        pairs = self.structure.bystander_data_sets(users) * self.structure.pair_bound(users)
        outcomes = self.structure.outcomes(users)
        return pairs, outcomes, pairs * outcomes

    def _largest_users(self) -> int:
        """Return the largest number of users below ``users`` within the limit, 0 where there is none."""
        low, high = 0, 1
        while self._sizes(high)[2] <= self.limit:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._sizes(middle)[2] <= self.limit else (low, middle)
        return low

    @property
    def _is_sparse(self) -> bool:
        """Whether packed laws would be mostly zeros."""
        return self.structure.outcomes(self.users) * _SPARSE_RATIO < self.structure.slots(self.users)

    @property
    def ratio_bits(self) -> int:
        """Weights are integers of at most this many bits; equal rows have no ratio but 1."""
        return self._packing(None, 0).exact_bits if self.structure.pairs else 1

    def search(self, exp_eps: Fraction | None, executor: Executor | None = None) -> WorstEvent:
        """Return the worst pair and event over all neighbouring data sets in both orders, exactly.

        The parts of the scan go through ``executor`` where one is given; the result is the same.
        """
        if not self.structure.pairs:  # all rows are equal: any pair of neighbours will do, if there is one
            rest = (0,) * (self.structure.inputs - 2)
            first, second = (self.users, 0, *rest), (self.users - 1, 1, *rest)
            if self.structure.inputs == 1:
                first = second = (self.users,)
            return WorstEvent(first, second, Fraction(0), Fraction(0))
        self._check_memory(self._exact_packing(exp_eps))
        candidates: list[Candidate] | None = None
        if exp_eps is not None and not self._is_sparse:
            precision = self._useful_precision(exp_eps)
            while 2 * precision < self.ratio_bits and (candidates is None or len(candidates) > _FEW):
                candidates = self._survivors(exp_eps, precision, candidates, executor)
                precision *= 2
        return self._exact_worst(exp_eps, candidates, executor)

    def curves(self) -> Curves:
        """Return the curves of all ordered pairs."""
        curves: Iterator[Curve]
        if not self.structure.pairs:
            curves = iter(())
        elif self._is_sparse:
            curves = _curves(self._views(SparsePacking(self.structure.denominator).law, None))
        else:
            curves = _curves(self._views(self._exact_packing(None).law, None))
        return Curves(self.structure.denominator**self.users, self._sizes(self.users)[0], curves)

    def _useful_precision(self, exp_eps: Fraction) -> int:
        """Return a precision at which the divergence of a few simple pairs is far above its rounding error.

        This only chooses where the filter starts; whatever it returns, the filter rules out nothing wrongly.
        """
        size = len(self.structure.bystanders)
        simple = [tuple((self.users - 1) * (i == j) for j in range(size)) for i in range(size)]
        probes = [(counts, pair) for counts in simple[:_FEW] for pair in self.structure.pairs[:_FEW]]
        precision = _FIRST_PRECISION
        while 2 * precision < self.ratio_bits:
            best = max(lower for _, lower, _ in self._intervals(exp_eps, precision, probes))
            if best > 0:
                return _FIRST_PRECISION + max(0, precision + _GUARD_BITS - best.bit_length())
            precision *= 2
        return precision

    def _packing(self, precision: int | None, multiplier_bits: int) -> Packing:
        return Packing(
            slots=self.structure.slots(self.users),
            denominator=self.structure.denominator,
            users=self.users,
            multiplier_bits=multiplier_bits,
            precision=precision,
        )

    def _intervals(
        self, exp_eps: Fraction, precision: int, candidates: list[Candidate] | None, part: Part = ALL
    ) -> Iterator[tuple[Candidate, int, int]]:
        """Yield every candidate with a lower and an upper bound, in units of 2**-(precision + guard bits)."""
        ratio = _rounded_down(exp_eps, _RATIO_BITS)
        packing = self._packing(precision, max(ratio).bit_length())
        for candidate, first, second in self._views(packing.law, candidates, part):
            yield candidate, *_bounds(first, second, ratio, precision + _GUARD_BITS)

    def _survivors(
        self, exp_eps: Fraction, precision: int, candidates: list[Candidate] | None, executor: Executor | None = None
    ) -> list[Candidate]:
        """Return the candidates that rounded laws cannot rule out."""
        survivors = _each_part(partial(self._survivors_in, exp_eps, precision, candidates), executor)
        best = max(best for best, _ in survivors)
        left = [candidate for _, part in survivors for candidate, upper in part if upper >= best]
        return sorted(left, key=_place)

    def _survivors_in(
        self, exp_eps: Fraction, precision: int, candidates: list[Candidate] | None, part: Part
    ) -> tuple[int, list[tuple[Candidate, int]]]:
        """Return the best lower bound in a part, and what it cannot rule out with the upper bounds."""
        best, left = 0, list[tuple[Candidate, int]]()
        for candidate, lower, upper in self._intervals(exp_eps, precision, candidates, part):
            best = max(best, lower)
            if upper >= best:
                left.append((candidate, upper))
        return best, [entry for entry in left if entry[1] >= best]

    def _exact_packing(self, exp_eps: Fraction | None) -> Packing:
        return self._packing(None, 0 if exp_eps is None else max(exp_eps.numerator, exp_eps.denominator).bit_length())

    def _exact_worst(
        self, exp_eps: Fraction | None, candidates: list[Candidate] | None, executor: Executor | None = None
    ) -> WorstEvent:
        events = [event for event in _each_part(partial(self._best_in, exp_eps, candidates), executor) if event]
        best = max(sorted(events, key=lambda event: _place(event.candidate)), key=attrgetter("value"))
        scale = self.structure.denominator**self.users
        data_sets = self._data_sets(best.candidate)
        return WorstEvent(*data_sets, Fraction(best.mass_first, scale), Fraction(best.mass_second, scale))

    def _best_in(self, exp_eps: Fraction | None, candidates: list[Candidate] | None, part: Part) -> _Event | None:
        """Return the event of the largest divergence in a part; the first of equals."""
        ratio = None if exp_eps is None else (exp_eps.numerator, exp_eps.denominator)
        if self._is_sparse:
            return _best_event(self._views(SparsePacking(self.structure.denominator).law, candidates, part), ratio)
        return _best_event(self._views(self._exact_packing(exp_eps).law, candidates, part), ratio)

    def _views(
        self, make: Callable[[Sequence[Term]], AnyLaw], candidates: list[Candidate] | None, part: Part = ALL
    ) -> Iterator[tuple[Candidate, AnyLaw, AnyLaw]]:
        """Yield every candidate (None for all) of a part with its two views; ``make`` makes laws of terms."""
        extents = self.structure.extents(self.users)
        differing = [make(slot_terms(law, extents)) for _, law in self.structure.differing]
        bystanders = [make(slot_terms(law, extents)) for _, law in self.structure.bystanders]
        wanted: dict[Bystanders, list[tuple[int, int]]] = {}
        for counts, pair in candidates or ():
            wanted.setdefault(counts, []).append(pair)
        visited: Iterator[tuple[Bystanders, AnyLaw]]
        if candidates is not None and len(wanted) <= _MANY:
            visited = (
                (counts, one_product(bystanders, counts, dimension=self.structure.dimension))
                for counts in wanted
                if counts[0] % part[1] == part[0]
            )
        else:
            visited = all_products(bystanders, self.users - 1, self.structure.bystander_twins, part)
        total = len(wanted) if candidates is not None else self.structure.bystander_data_sets(self.users)
        for counts, common in with_progress(visited, total):
            pairs = self.structure.pairs_among(counts) if candidates is None else wanted.get(counts, ())
            views = {i: common.times(differing[i], rounded=False) for i in sorted({i for pair in pairs for i in pair})}
            for i, j in pairs:
                yield (counts, (i, j)), views[i], views[j]

    def _data_sets(self, candidate: Candidate) -> tuple[DataSet, DataSet]:
        """Return the two data sets of a candidate, over the inputs of the randomizer."""
        bystanders, pair = candidate
        both = []
        for position in pair:
            counts = [0] * self.structure.inputs
            for (i, _), count in zip(self.structure.bystanders, bystanders, strict=True):
                counts[i] += count
            own = self.structure.differing[position][0]
            if own is not None:
                counts[own] += 1
            both.append(tuple(counts))
        return both[0], both[1]


def _curves(views: Iterator[tuple[Candidate, AnyLaw, AnyLaw]]) -> Iterator[Curve]:
    return (likelihood_curve(_both_weights(first, second)) for _, first, second in views)


def _both_weights(first: AnyLaw, second: AnyLaw) -> Iterator[tuple[int, int]]:
    """Yield the two weights of every outcome that the first law holds."""
    against = dict(second.weights())
    return ((weight, against.get(slot, 0)) for slot, weight in first.weights())


def _each_part(task: Callable[[Part], Found], executor: Executor | None) -> list[Found]:
    """Return what a task finds in all data sets at once, or part by part through an executor."""
    if executor is None:
        return [task(ALL)]
    return list(executor.map(task, [(k, _PARTS) for k in range(_PARTS)]))


def _place(candidate: Candidate) -> tuple[int, ...]:
    """Where the bystanders of a candidate stand: data sets are visited in ascending order of this."""
    counts, _ = candidate
    return (*counts[:-2], counts[-1])


def _best_event(views: Iterator[tuple[Candidate, AnyLaw, AnyLaw]], ratio: tuple[int, int] | None) -> _Event | None:
    """Return the largest divergence with its candidate and the masses of its event; the first of equals."""
    best: _Event | None = None
    for candidate, first, second in views:
        mass_first, mass_second = first.event_masses(second, ratio)
        value = mass_first if ratio is None else ratio[1] * mass_first - ratio[0] * mass_second
        if best is None or value > best.value:
            best = _Event(value, candidate, mass_first, mass_second)
    return best


def _rounded_down(value: Fraction, bits: int) -> tuple[int, int]:
    """Return c, d with c/d <= value < (c+1)/d and c of about ``bits`` bits or d = 1."""
    shift = max(0, bits - value.numerator.bit_length() + value.denominator.bit_length())
    return (value.numerator << shift) // value.denominator, 1 << shift


def _bounds(first: PackedLaw, second: PackedLaw, ratio: tuple[int, int], bits: int) -> tuple[int, int]:
    """Return a lower and an upper bound of the divergence, in units of 2**-bits."""
    mass_first, mass_second = first.event_masses(second, ratio)
    numerator, denominator = ratio
    scale = denominator * first.scale
    upper = ((denominator * mass_first - numerator * mass_second) << first.dropped) + denominator * first.missing
    numerator += 1
    lower = ((denominator * mass_first - numerator * mass_second) << first.dropped) - numerator * second.missing
    return (lower << bits) // scale, -((-upper << bits) // scale)


def messages_of_every_user(randomizer: Randomizer) -> int | None:
    """Return the number of messages that every user sends with certainty, or None where it varies."""
    lengths = {len(send) for row in randomizer.rows for send, _ in row}
    return lengths.pop() if len(lengths) == 1 else None


@dataclass(frozen=True, eq=False)
class DisjointViews(Engine):
    """The engine for views that never overlap: delta is 1."""

    users: int
    inputs: int

    name = "disjoint views"
    method = "sees that the number of messages gives the data set away"
    ratio_bits = 1
    """There is no finite likelihood ratio."""

    @property
    def noise_pairs(self) -> NoisePairs:
        """The pair of the totals: a constant against another."""
        return NoisePairs(Law({0: 1}), (1,))

    def search(self, exp_eps: Fraction | None, executor: Executor | None = None) -> WorstEvent:
        """Return the event 'the total is that of the larger data set', with probabilities 1 and 0."""
        rest = (0,) * (self.inputs - 1)
        return WorstEvent((self.users, *rest), (self.users - 1, *rest), Fraction(1), Fraction(0))
