"""A mechanism that picks one of finitely many answers: the pairs of its data sets that are neighbours, one by one.

Each data set has a law on the answers, positive everywhere. Where the probabilities are rational, a pair's worst event
at E is the set of answers with P > E Q, found in integers; else the same set is found by proved signs, and delta is
enclosed (:mod:`exactdp.privacy.views.score_weights`). Delta is the largest one over all pairs, in both orders.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction

from exactdp.errors import TooLargeError
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.engine import DataSet, EnclosedWorst, Engine, Work, WorstEvent
from exactdp.privacy.views.score_weights import ScoreWeights


@dataclass(frozen=True, eq=False)
class ListedLaws(Engine):
    """The exact engine: ``laws`` has a row of integer weights for each data set, ``pairs`` the rows to compare."""

    laws: tuple[tuple[int, ...], ...]
    pairs: tuple[tuple[int, int], ...]

    name = "listed laws"
    method = "compares the laws of the answers of all neighbouring data sets"

    @property
    def ratio_bits(self) -> int:
        """A likelihood ratio is below the largest weight times the largest sum of weights."""
        return max(max(law).bit_length() + sum(law).bit_length() for law in self.laws)

    @property
    def work(self) -> Work:
        """Both orders of every pair, and all answers."""
        return Work(2 * len(self.pairs), len(self.laws[0]))

    def search(self, exp_eps: Fraction | None, executor: Executor | None = None) -> WorstEvent:
        """Return the worst pair and event; at infinity no event has a probability, as every answer has one."""
        return max(
            (self._event(first, second, exp_eps) for first, second in _both_orders(self.pairs)),
            key=lambda event: event.mass_first if exp_eps is None else event.delta(exp_eps),
        )

    def _event(self, first: int, second: int, exp_eps: Fraction | None) -> WorstEvent:
        mine, theirs = self.laws[first], self.laws[second]
        total, other_total = sum(mine), sum(theirs)
        event: list[int] = []
        if exp_eps is not None:
            left, right = exp_eps.denominator * other_total, exp_eps.numerator * total
            event = [place for place, (p, q) in enumerate(zip(mine, theirs, strict=True)) if left * p > right * q]
        masses = (
            Fraction(sum(law[place] for place in event), weight)
            for law, weight in ((mine, total), (theirs, other_total))
        )
        return WorstEvent(_only(first, len(self.laws)), _only(second, len(self.laws)), *masses)


@dataclass(frozen=True, eq=False)
class EnclosedScores(Engine):
    """The engine for irrational probabilities."""

    weights: ScoreWeights
    pairs: tuple[tuple[int, int], ...]

    name = "enclosed scores"
    method = "compares the laws of the answers of all neighbouring data sets, by proved signs"
    is_exact = False
    encloses_faster = True
    ratio_bits = 1
    """Nothing is exact."""

    refusal = (
        "the probabilities of this mechanism are irrational. Ask for delta and epsilon, which enclose them to any "
        "accuracy, or choose an exp_eps of which every exp_eps^(score / (2 sensitivity)) is rational."
    )

    @property
    def work(self) -> Work:
        """Both orders of every pair, and all answers."""
        return Work(2 * len(self.pairs), len(self.weights.rows[0]))

    def search(self, exp_eps: Fraction | None, executor: Executor | None = None) -> WorstEvent:
        """Refuse: masses are enclosed."""
        raise TooLargeError(self.refusal)

    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> EnclosedWorst:
        """Enclose the largest divergence; ``exp_eps`` None stands for infinity, where it is 0."""
        delta, pair = Interval(Dyadic.of(0), Dyadic.of(0)), self.pairs[0]
        if exp_eps is not None:
            for first, second in _both_orders(self.pairs):
                divergence = self.weights.enclose_divergence(first, second, exp_eps, relative_bits)
                if divergence.lower > delta.lower:
                    pair = first, second
                delta = Interval.maximum(delta, divergence)
        rows = len(self.weights.rows)
        return EnclosedWorst(_only(pair[0], rows), _only(pair[1], rows), delta)


def _both_orders(pairs: tuple[tuple[int, int], ...]) -> Iterator[tuple[int, int]]:
    for first, second in pairs:
        yield first, second
        yield second, first


def _only(row: int, rows: int) -> DataSet:
    """Return the data set of a row as the engines count: it, once."""
    return tuple(int(place == row) for place in range(rows))
