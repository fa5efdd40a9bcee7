"""The pairs of data sets of protocols whose counts, or answers, have an engine of their own.

Each engine is loaded where it is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactdp.laws.finite import Law
from exactdp.mechanisms.neighbors import Neighbors
from exactdp.numbers.formats import about, short
from exactdp.numbers.real import Real
from exactdp.privacy.planner import Source
from exactdp.privacy.shuffle.scan import DEFAULT_LIMIT

if TYPE_CHECKING:
    from exactdp.laws.counting_laws import Counting
    from exactdp.laws.laplace import Laplace
    from exactdp.privacy.engine import Engine
    from exactdp.privacy.views.correlated_view import CorrelatedView
    from exactdp.privacy.views.score_weights import ScoreWeights


@dataclass(frozen=True, slots=True)
class LaplacePairs(Source):
    """All neighbouring data sets of a real query of some sensitivity plus continuous Laplace noise."""

    noise: Laplace
    sensitivity: Fraction

    @property
    def subject(self) -> str:
        """What is run, in words."""
        return f"a real query plus {short(repr(self.noise))}"

    @property
    def scope(self) -> str:
        """Which pairs of data sets the supremum is over, in words."""
        return f"all answers at most {short(self.sensitivity)} apart, both orders"

    @property
    def inputs(self) -> tuple[Fraction, Fraction]:
        """What one user's data adds to the query: nothing, or the sensitivity."""
        return Fraction(0), self.sensitivity

    def plan(self) -> Engine:
        """Choose the engine."""
        from exactdp.privacy.views.laplace_shift import LaplaceShift

        return LaplaceShift(self.noise.rate(self.sensitivity), self.noise.exp_rate(self.sensitivity), (1, 0), (0, 1))


@dataclass(frozen=True, slots=True)
class ScorePairs(Source):
    """Pairs of neighbouring data sets of a mechanism that picks an answer by its score."""

    weights: ScoreWeights
    pairs: tuple[tuple[int, int], ...]
    inputs: tuple[Any, ...]

    @property
    def subject(self) -> str:
        """What is run, in words."""
        rows = self.weights.rows
        return f"an exponential mechanism (data sets: {len(rows)}, answers: {len(rows[0])})"

    @property
    def scope(self) -> str:
        """Which pairs of data sets the supremum is over, in words."""
        return f"{len(self.pairs)} pairs of data sets, both orders"

    def law(self, row: int) -> Law:
        """Return the law of a data set on the places of the answers, where probabilities are rational."""
        weights = self.weights.integers(row)
        return Law.from_weights(dict(enumerate(weights)), sum(weights))

    def plan(self) -> Engine:
        """Choose the engine: the exact one where all probabilities are rational."""
        from exactdp.privacy.views.score_tables import EnclosedScores, ListedLaws

        if self.weights.is_rational:
            return ListedLaws(tuple(map(self.weights.integers, range(len(self.inputs)))), self.pairs)
        return EnclosedScores(self.weights, self.pairs)


@dataclass(frozen=True, slots=True)
class CorrelatedPairs(Source):
    """All neighbouring data sets of bits that are counted with correlated noise; ``users`` is only for showing them."""

    p1: Real
    p2: Real
    r: Real
    users: int

    scope = "all replace-one pairs of data sets, both orders"
    inputs = (0, 1)

    @property
    def subject(self) -> str:
        """What is run, in words."""
        return f"two counts, with geometric noise of ratio {self.p1} each and NB({self.r}, {self.p2}) for both"

    @property
    def view(self) -> CorrelatedView:
        """The two counts of any data set."""
        from exactdp.privacy.views.correlated_view import CorrelatedView

        return CorrelatedView(self.p1, self.p2, self.r)

    def plan(self) -> Engine:
        """Choose the engine."""
        from exactdp.privacy.views.correlated_counts import CorrelatedCounts

        return CorrelatedCounts(self.view, (self.users, 0), (self.users - 1, 1))


@dataclass(frozen=True, slots=True)
class ThresholdPairs(Source):
    """All neighbouring data sets of users whose symbols are sampled, counted and dropped below a threshold."""

    rate: Fraction
    threshold: int
    symbols: int
    users: int
    neighbors: Neighbors
    limit: int = DEFAULT_LIMIT

    @property
    def subject(self) -> str:
        """What is run, in words."""
        counts = "a count" if self.symbols == 1 else f"{about(self.symbols)} counts"
        return f"{counts}, sampled at {short(self.rate)} and dropped below {short(self.threshold)}, n = {self.users}"

    @property
    def scope(self) -> str:
        """Which pairs of data sets the supremum is over, in words."""
        return f"all {self.neighbors.value} pairs of data sets, both orders"

    @property
    def changes_two(self) -> bool:
        """Whether two symbols can change at once."""
        return self.symbols > 1 and self.neighbors is Neighbors.REPLACE_ONE

    @property
    def inputs(self) -> tuple[int, ...]:
        """What the positions of a data set stand for: no symbol, and the symbols that change."""
        return (0, 1, 2) if self.changes_two else (0, 1)

    def plan(self) -> Engine:
        """Choose the engine."""
        if self.changes_two:
            from exactdp.privacy.views.two_waiting_times import TwoWaitingTimes, both_symbols

            exact = TwoWaitingTimes(self.users, self.rate, self.threshold, self.limit)
            return exact if exact.is_within_limit else both_symbols(exact)
        from exactdp.privacy.views.waiting_times import WaitingTimes

        return WaitingTimes(self.users, self.rate, self.threshold, self.neighbors is Neighbors.REPLACE_ONE)


@dataclass(frozen=True, slots=True)
class FloodedPairs(Source):
    """All neighbouring data sets of users who add random numbers of uniform messages to their own.

    A noise message hits the block of bins of an input with probability ``chance``; the own message is in the block of
    the input, or with ``exp_eps0`` an answer of k-ary response.
    """

    d: int
    noise: Counting
    chance: Fraction
    users: int
    exp_eps0: Fraction | None

    scope = "all replace-one pairs of data sets, both orders"

    @property
    def subject(self) -> str:
        """What is run, in words."""
        own = "messages" if self.exp_eps0 is None else "random answers"
        return f"{self.users} users' {own} among uniform ones, of each user {short(repr(self.noise))}"

    @property
    def inputs(self) -> tuple[Any, ...]:
        """What the positions of a data set stand for: the inputs that are named."""
        return tuple(range(min(3, self.d)))

    def plan(self) -> Engine:
        """Choose the engine."""
        if self.exp_eps0 is not None:
            from exactdp.privacy.amplification.amplification import Amplification
            from exactdp.privacy.views.flooded_response import FloodedResponse

            return Amplification(FloodedResponse(self.d, self.exp_eps0, self.noise), self.users)
        from exactdp.laws.counting_laws import in_bins
        from exactdp.privacy.views.flooded_bins import FloodedBins

        rest = (0,) * (len(self.inputs) - 2)
        return FloodedBins(
            in_bins(self.noise, self.users, 2 * self.chance), (self.users, 0, *rest), (self.users - 1, 1, *rest)
        )
