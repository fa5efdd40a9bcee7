"""Composition by its definition: after each outcome the adversary goes on at what is left of e^eps.

With P and Q the laws of the first run, and V_k the best of k runs,

    V_0(E) = max(0, 1 - E),      V_k(E) = max over ordered pairs of sum over y of P(y) V_{k-1}(E Q(y)/P(y)).

Likelihood ratios are Fractions, so that outcomes which lead to the same place are put together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any, TypeAlias

import mpmath

from exactdp.reference.counted_steps import Steps
from exactdp.reference.hockey_stick_sums import Event, worst

Ratios: TypeAlias = dict[Fraction, tuple[Any, Any]]
"""Q(y)/P(y) -> the masses of P and of Q there, for all y with P(y) > 0."""


def ratios(first: Mapping[Any, Fraction], second: Mapping[Any, Fraction]) -> Ratios:
    """Return the likelihood ratios of an ordered pair of laws with rational probabilities."""
    exact: dict[Fraction, Fraction] = {}
    for y, p in first.items():
        ratio = Fraction(second.get(y, 0)) / p
        exact[ratio] = exact.get(ratio, Fraction(0)) + p
    return {r: (_mpf(p), _mpf(p * r)) for r, p in exact.items()}


def both(first: Ratios, second: Ratios) -> Ratios:
    """Return the likelihood ratios of two independent outcomes seen together."""
    together: Ratios = {}
    for (r, (p, q)), (s, (x, y)) in product(first.items(), second.items()):
        before = together.get(r * s, (0, 0))
        together[r * s] = before[0] + p * x, before[1] + q * y
    return together


def _mpf(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def adaptive(runs: Sequence[Sequence[Ratios]], exp_eps: Any, steps: Steps) -> Event:
    """Return the event of the best strategy: in each run one of its ordered pairs, chosen after seeing the runs before.

    >>> from exactdp.reference.counted_steps import Steps
    >>> coin = ratios({0: Fraction(3, 4), 1: Fraction(1, 4)}, {0: Fraction(1, 4), 1: Fraction(3, 4)})
    >>> print(adaptive([[coin]] * 2, 3, Steps(100)).delta(3))
    0.375
    """
    known: dict[tuple[int, Fraction], Event] = {}

    def best(run: int, factor: Fraction) -> Event:
        """The event of the runs from ``run`` on, at E times the factor."""
        if not factor:
            return Event(mpmath.mpf(1), mpmath.mpf(1))
        level = exp_eps * _mpf(factor)
        if run == len(runs):
            return Event(mpmath.mpf(level < 1), mpmath.mpf(level < 1))
        if (run, factor) not in known:
            steps.take(8 * sum(map(len, runs[run])))  # places to look up, products and sums
            known[run, factor] = worst((through(pair, run, factor) for pair in runs[run]), level)
        return known[run, factor]

    def through(pair: Ratios, run: int, factor: Fraction) -> Event:
        after = [(p, q, best(run + 1, factor * ratio)) for ratio, (p, q) in pair.items()]
        return Event(mpmath.fsum(p * e.first for p, _, e in after), mpmath.fsum(q * e.second for _, q, e in after))

    return best(0, Fraction(1))


def non_adaptive(parts: Sequence[tuple[Sequence[Ratios], int]], exp_eps: Any, steps: Steps) -> Event:
    """Return the event of the best ordered pairs chosen beforehand, one for each run of each part."""
    events = []
    for chosen in product(*(combinations_with_replacement(pairs, times) for pairs, times in parts)):
        events.append(adaptive([[pair] for part in chosen for pair in part], exp_eps, steps))
    return worst(events, exp_eps)


def same_data(pairs: Sequence[Ratios], times: int, exp_eps: Any, steps: Steps) -> Event:
    """Return the event of the best ordered pair, the same in all runs."""
    return worst((adaptive([[pair]] * times, exp_eps, steps) for pair in pairs), exp_eps)
