"""Hockey-stick divergences as what they are: a sum of positive parts over all outcomes.

H_E(P || Q) = sum over y of max(0, P(y) - E Q(y)) = P(T) - E Q(T),      T = {y: P(y) > E Q(y)}.

U_n(L) = E[max(0, L_1 + ... + L_n)] / n, and the divergences that it is, are sums over how often each value occurs. For
rows P and Q of the user who differs, mu = P - E Q, and c(m) at most the chance of m for every other user:

    H_E <= sum over c(m) = 0 of max(0, mu(m)) + U_n(L),      L = mu(m)/c(m) with probability c(m), else 0,

with equality where all others send m with chance c(m).

Source: BalleBellGasconNissim2019, Theorem 5.1.

Composition by its definition: after each outcome the adversary goes on at what is left of e^eps. With P and Q the laws
of the first run, and V_k the best of k runs,

    V_0(E) = max(0, 1 - E),      V_k(E) = max over ordered pairs of sum over y of P(y) V_{k-1}(E Q(y)/P(y)).

Likelihood ratios are Fractions, so that outcomes which lead to the same place are put together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from math import comb
from typing import Any, Final, TypeAlias, TypeVar

import mpmath

from exactdp.reference.summed_laws import Steps, SummedLaw

Outcome = TypeVar("Outcome")

_LEAST_EXPONENT: Final = -1000
"""What is below 10 to this is not told from 0."""


@dataclass(frozen=True, slots=True)
class Event:
    """The masses P(T) and Q(T) of the event that attains a divergence, and how much of both may be missing."""

    first: Any
    second: Any
    missing: Any = 0

    def delta(self, exp_eps: Any) -> Any:
        """P(T) - E Q(T)."""
        return self.first - exp_eps * self.second


NOTHING = Event(mpmath.mpf(0), mpmath.mpf(0))
"""The event without an outcome: every divergence is at least its 0."""


def number(value: Fraction | int) -> Any:
    """Return a rational number at the working precision."""
    return mpmath.mpf(value.numerator) / value.denominator


def hockey_stick(first: Mapping[Outcome, Any], second: Mapping[Outcome, Any], exp_eps: Any) -> Event:
    """Return the event of two laws, outcome -> probability, at E.

    Differences that are smaller than the rounding of their parts are taken as 0.

    >>> event = hockey_stick({0: 0.75, 1: 0.25}, {0: 0.25, 1: 0.75}, 2)
    >>> print(event.first, event.second, event.delta(2))
    0.75 0.25 0.25
    """
    zero = mpmath.mpf(0)
    rounding = mpmath.mpf(10) ** (5 - mpmath.mp.dps)
    chosen = [
        (mass, other)
        for y, mass in first.items()
        for other in [second.get(y, zero)]
        if mass - exp_eps * other > mass * rounding
    ]
    return Event(mpmath.fsum(p for p, _ in chosen), mpmath.fsum(q for _, q in chosen))


def worst(events: Iterable[Event], exp_eps: Any) -> Event:
    """Return the event of the largest divergence at E, of the empty one with 0 on."""
    return max([NOTHING, *events], key=lambda event: event.delta(exp_eps))


def listing(law: SummedLaw, cut: Any, steps: Steps) -> dict[int, Any]:
    """Return outcome -> probability from the mode outward on both sides, while probabilities are at least ``cut``."""
    at_mode = law.pmf(law.mode)
    listed = {law.mode: at_mode}
    t, weight = law.mode, at_mode
    while (law.high is None or t < law.high) and weight >= cut:
        steps.take(2)
        weight, t = weight * law.step(t), t + 1
        listed[t] = weight
    t, weight = law.mode, at_mode
    while (law.low is None or t > law.low) and weight >= cut:
        steps.take(2)
        t -= 1
        weight /= law.step(t)
        listed[t] = weight
    return listed


Ends: TypeAlias = tuple[int | None, int | None]
"""The least and the largest outcome of a law that is listed in part; None where there is none."""


def shifted(law: dict[int, Any], shift: int, exp_eps: Any, ends: Ends | None = None) -> Event:
    """Return the event of a law Y against Y + shift, for a shift of either sign.

    Where the law is listed in part, its ``ends`` are given, and outcomes whose counterpart is not listed are left out.
    """
    known = {t: mass for t, mass in law.items() if t - shift in law or _is_beyond(t - shift, ends)}
    return hockey_stick(known, {t + shift: mass for t, mass in law.items()}, exp_eps)


def two_counts(law: dict[int, Any], exp_eps: Any, ends: Ends | None = None) -> Event:
    """Return the event of two independent copies against themselves, with one count more by 1 and one less."""
    up = {t: mass for t, mass in law.items() if t - 1 in law or _is_beyond(t - 1, ends)}
    down = {t: mass for t, mass in law.items() if t + 1 in law or _is_beyond(t + 1, ends)}
    zero = mpmath.mpf(0)
    first = {(x, y): p * q for x, p in up.items() for y, q in down.items()}
    second = {(x, y): law.get(x - 1, zero) * law.get(y + 1, zero) for x, y in first}
    return hockey_stick(first, second, exp_eps)


def _is_beyond(t: int, ends: Ends | None) -> bool:
    """Whether an outcome that is not listed has probability 0."""
    if ends is None:
        return True
    low, high = ends
    return (low is not None and t < low) or (high is not None and t > high)


def far_enough(law: SummedLaw, event_of: Callable[[dict[int, Any]], Event], exp_eps: Any, steps: Steps) -> Event:
    """Return an event of a law whose outcomes are listed until those left out do not matter to its divergence.

    What is left out is charged as ``missing``: at most as much as the outcomes that were listed last, below the cut,
    are apart from the divergence.
    """
    ten = mpmath.mpf(10)
    cut, least = ten**-mpmath.mp.dps, ten**_LEAST_EXPONENT
    while True:
        event = event_of(listing(law, cut, steps))
        needed = event.delta(exp_eps) * ten**-mpmath.mp.dps
        if cut <= max(needed, least):
            return Event(event.first, event.second, cut * ten**10 * (1 + exp_eps))
        cut = max(needed or cut**4, least)


def laplace_shift(scale: Any, shift: Any, exp_eps: Any) -> Event:
    """Return the event of continuous Laplace noise, of density e^(-abs(x)/b)/(2b), against itself plus ``shift`` > 0.

    The log-likelihood ratio is shift/b up to 0, falls along a line to -shift/b at the shift, and stays: T is what lies
    below the point where it is eps.
    """
    if exp_eps >= mpmath.exp(shift / scale):
        return NOTHING
    end = (shift - scale * mpmath.log(exp_eps)) / 2

    def below(x: Any) -> Any:
        half = mpmath.exp(-abs(x) / scale) / 2
        return half if x < 0 else 1 - half

    return Event(below(end), below(end - shift))


Row = Mapping[Any, Fraction]
"""The law of what one user sends."""


def positive_mean(atoms: Sequence[tuple[Any, Any, Any]], n: int, exp_eps: Any, steps: Steps) -> Event:
    """Return U_n of L = a - E b as an event: the means of a and of b, where the sum of n copies is above 0.

    Args:
        atoms: (a, b, probability), the probabilities with sum 1.

    >>> from exactdp.reference.summed_laws import Steps
    >>> coin = [(1, 0, mpmath.mpf("0.5")), (0, 1, mpmath.mpf("0.5"))]
    >>> print(positive_mean(coin, 2, 1, Steps(100)).delta(1))
    0.25
    """
    steps.take(4 * comb(n + len(atoms) - 1, len(atoms) - 1))  # four products and sums of each
    first = second = mpmath.mpf(0)
    # (copies left, their arrangements times probabilities, sum of a, sum of b) after the atoms so far
    sums = [(n, mpmath.mpf(1), mpmath.mpf(0), mpmath.mpf(0))]
    for a, b, probability in atoms[:-1]:
        powers = [probability**k for k in range(n + 1)]
        sums = [
            (left - k, weight * comb(left, k) * powers[k], x + k * a, y + k * b)
            for left, weight, x, y in sums
            for k in range(left + 1)
        ]
    a, b, probability = atoms[-1]
    powers = [probability**k for k in range(n + 1)]
    for left, weight, x, y in sums:
        x, y, mass = x + left * a, y + left * b, weight * powers[left]
        if x > exp_eps * y:
            first, second = first + mass * x, second + mass * y
    return Event(first / n, second / n)


def against(first: Row, second: Row, others: Row, n: int, exp_eps: Any, steps: Steps) -> Event:
    """Return the event of the bound above, for P, Q and c."""
    return _event(_values(first, second, others), n, exp_eps, steps)


def blanket_bound(rows: Sequence[Row], n: int, exp_eps: Any, steps: Steps) -> Event:
    """Return the event of an upper bound of every divergence of neighbours: c is the least chance among all rows."""
    least = {m: min(Fraction(row.get(m, 0)) for row in rows) for m in {m for row in rows for m in row}}
    steps.take(len(rows) ** 2 * len(least))
    pairs = {_values(p, q, least) for p, q in permutations(rows, 2)}
    return worst((_event(pair, n, exp_eps, steps) for pair in pairs), exp_eps)


_Values: TypeAlias = tuple[frozenset[tuple[Fraction, Fraction]], frozenset[tuple[Fraction, Fraction, Fraction]]]
"""(P, Q) of messages that nobody else sends; and (P/c, Q/c) of the others with the probability of each value."""


def _values(first: Row, second: Row, others: Row) -> _Values:
    """Return what a pair of rows is made of: pairs that are alike become equal."""
    alone: dict[tuple[Fraction, Fraction], int] = {}
    together: dict[tuple[Fraction, Fraction], Fraction] = {}
    for m in {**first, **second}:
        p, q, c = (Fraction(row.get(m, 0)) for row in (first, second, others))
        if c:
            together[p / c, q / c] = together.get((p / c, q / c), Fraction(0)) + c
        else:
            alone[p, q] = alone.get((p, q), 0) + 1
    zero = Fraction(0), Fraction(0)
    together[zero] = together.get(zero, Fraction(0)) + 1 - sum(together.values())
    return (
        frozenset((p * times, q * times) for (p, q), times in alone.items()),
        frozenset((a, b, c) for (a, b), c in together.items() if c),
    )


def _event(values: _Values, n: int, exp_eps: Any, steps: Steps) -> Event:
    alone = [(number(p), number(q)) for p, q in values[0]]
    atoms = [(number(a), number(b), number(c)) for a, b, c in values[1]]
    mean = positive_mean(atoms, n, exp_eps, steps)
    above = [(p, q) for p, q in alone if p > exp_eps * q]
    return Event(mean.first + sum(p for p, _ in above), mean.second + sum(q for _, q in above))


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

    >>> from exactdp.reference.summed_laws import Steps
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
