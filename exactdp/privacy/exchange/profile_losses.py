"""Privacy loss distributions of a profile: pessimistic for all its pairs, or optimistic, of real ones.

*Optimistic* is nowhere above delta, alone and in compositions. A real ordered pair (P, Q) of neighbouring data sets
bounds delta from below: at E >= 1 delta is at least H_E(P || Q), and that all runs are on this pair is one of the
choices that an adaptive adversary has. Masses on the grid whose curve is at most H_E(P || Q) for every E > 0 stay below
in compositions (:mod:`exactdp.privacy.exchange.loss_grid`, point 5, with the order reversed). They are made by leaving
out what is far, where the noise has no end, by merging outcomes, and by rounding masses down. Where a data set cannot
be listed, points of its divergence make a pair whose divergence is at most that of the real one at every E > 0
(:mod:`exactdp.privacy.composition.profile_pairs`).

Two ordered pairs stand in one distribution of dp-accounting, whose delta is the larger one's. Each of them bounds delta
from below, so it does not matter whether they are the two orders of one pair.

Losses are moved onto a grid by merging outcomes, which lowers every divergence (:func:`merged_losses`). Let outcomes
have masses (P_i, Q_i). For every E the sum of max(0, P_i - E Q_i) does not rise where

* outcomes are merged: the positive part of a sum is at most the sum of the positive parts,
* an outcome is split into shares t and 1 - t, then rounded: P down, and Q up,
* an outcome with P >= E_j Q, E_j = e^(j h), counts as one with the loss j h: P max(0, 1 - E / E_j) <= max(0, P - E Q).

So merge outcomes between two losses of the grid, in rising order, and split the first one beyond: its share is what
brings all of them to the next loss j h exactly. What is lost at an E is that of the outcomes that are merged across it,
where rounding each loss down would lose of all that are above.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from itertools import islice
from typing import Any, Final

from exactdp.errors import InvalidValueError
from exactdp.numbers.balls import log_interval
from exactdp.numbers.epsilon import LogRational, read_privacy_level
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_fraction
from exactdp.numbers.formats import short
from exactdp.privacy.amplification.lattice_bound import product
from exactdp.privacy.composition.law_pairs import Pair
from exactdp.privacy.composition.mechanisms import mechanisms_of
from exactdp.privacy.composition.powers import Factor, LowerFactor, grid_above, outcomes_below
from exactdp.privacy.composition.profile_pairs import Fineness
from exactdp.privacy.exchange.loss_grid import GridLoss, LossDistribution, as_step, exp_ends, profile_grid, rounded_grid
from exactdp.privacy.planner import Source

_MASS_BITS: Final = 512
"""Masses are integers in units of 2 to minus this."""
_SHARE_BITS: Final = 128
"""Shares of an outcome are in units of 2 to minus this."""


def merged_losses(outcomes: Iterable[tuple[Fraction, Fraction]], step: Fraction) -> dict[int, Fraction]:
    """Return masses by their places on the grid whose curve is nowhere above the divergence of the outcomes.

    Args:
        outcomes: lower bounds of P and upper bounds of Q, by rising P/Q for the best result.
        step: h, the distance of losses.

    >>> halves = [(Fraction(1, 4), Fraction(1, 2)), (Fraction(3, 4), Fraction(1, 2))]
    >>> {place: float(mass) for place, mass in merged_losses(halves, Fraction(1, 4)).items()}
    {-2: 0.339..., 1: 0.660...}
    """
    merged = _Merged(step)
    unit = 2**_MASS_BITS
    for first, second in outcomes:
        merged.add((first * unit).__floor__(), (second * unit).__ceil__())
    merged.finish()
    return {place: Fraction(mass, unit) for place, mass in merged.masses.items()}


@dataclass
class _Merged:
    """What has come out, and the outcome that is being made: (P, Q) between the losses ``place`` h and one more h."""

    step: Fraction
    masses: dict[int, int] = field(default_factory=dict)
    first: int = 0
    second: int = 0
    place: int = 0

    def add(self, p: int, q: int) -> None:
        """Merge an outcome, or as much of it as brings what is there to the next loss, and begin anew with the rest."""
        while p:
            if not self.first:
                self.first, self.second, self.place = p, q, self._place(p, q)
                return
            ratio = self._ratio(self.place + 1)
            missing, spare = ratio * self.second - self.first, p - ratio * q
            if missing <= 0:
                self.finish()
            elif spare <= missing:
                self._take(p, q)
                return
            else:
                share = -(-(missing / spare) * 2**_SHARE_BITS // 1)
                rest = 2**_SHARE_BITS - share
                self._take(p * share >> _SHARE_BITS, -(-q * share >> _SHARE_BITS))
                self.finish()
                p, q = p * rest >> _SHARE_BITS, -(-q * rest >> _SHARE_BITS)

    def _take(self, p: int, q: int) -> None:
        self.first, self.second = self.first + p, self.second + q

    def finish(self) -> None:
        """Put what is there at the largest loss of the grid that it is proved to have."""
        if self.first:
            place = self._place(self.first, self.second)
            self.masses[place] = self.masses.get(place, 0) + self.first
        self.first = self.second = 0

    def _place(self, p: int, q: int) -> int:
        """Return a j with P >= e^(j h) Q: the largest one, unless it is too near to be told."""
        loss = log_interval(Fraction(p, q), relative_bits=DEFAULT_RELATIVE_BITS)
        place: int = (loss.lo / self.step).__floor__() + 1
        while p < self._ratio(place) * q:
            place -= 1
        return place

    def _ratio(self, place: int) -> Fraction:
        """Return a number that is hardly above e^(j h)."""
        return exp_ends(place * self.step)[1]


_TAIL_BITS: Final = 128
"""Outcomes of noise are left out that have less than 2 to minus this of its mass."""
_PRODUCT_BITS: Final = 256
"""Masses are multiplied in units of 2 to minus this."""

Masses = tuple[dict[int, Fraction], Fraction]
"""Masses by their places on the grid, and the one at infinity."""


def profile_losses(
    profile: Any, *, step: Exact, up_to: Exact | None, pessimistic: bool, exp_eps: Exact | None
) -> LossDistribution:
    """Return the losses of a profile.

    Args:
        profile: what has ``source``, ``delta(eps=, relative_bits=)`` and ``epsilon(delta)``.
        step: of the grid, a power of two.
        up_to: as :func:`exactdp.privacy.exchange.loss_grid.profile_grid` says; None if not pessimistic.
        pessimistic: whether the curve is nowhere below delta, of all pairs; else it is nowhere above, of real pairs.
        exp_eps: where real pairs are compared; None for 1, and if pessimistic.

    >>> from exactdp import DiscreteLaplace, shift_profile
    >>> noise = shift_profile(DiscreteLaplace("3/2"))
    >>> rounded = {"step": "1/4096", "up_to": None, "exp_eps": None}
    >>> profile_losses(noise, **rounded, pessimistic=False).delta(exp_eps="5/4"), noise.delta(exp_eps="5/4")
    (Interval[0.09988117135, 0.09988117136], Fraction(1, 10))
    """
    _check_question(up_to=up_to, pessimistic=pessimistic, exp_eps=exp_eps)
    if pessimistic:
        return LossDistribution(profile_grid(profile, step=step, up_to=up_to))
    return losses_below(profile.source, step=as_step(step), exp_eps=_level(exp_eps))


def _check_question(*, up_to: Exact | None, pessimistic: bool, exp_eps: Exact | None) -> None:
    if not isinstance(pessimistic, bool):
        raise InvalidValueError(f"pessimistic={short(repr(pessimistic))} is no bool. Pass True or False.")
    wrong = ("exp_eps", exp_eps) if pessimistic else ("up_to", up_to)
    if wrong[1] is not None:
        raise InvalidValueError(f"{wrong[0]} has no meaning with pessimistic={pessimistic}. Leave it out.")


def _level(exp_eps: Exact | None) -> Fraction:
    level = read_privacy_level(eps=None, exp_eps=1 if exp_eps is None else exp_eps).exp_eps
    assert level is not None
    return level


def composed_losses(
    profile: Any, *, step: Exact, up_to: Exact | None, pessimistic: bool, exp_eps: Exact | None
) -> LossDistribution:
    """Return the losses of all runs of a composed profile.

    Pessimistic ones are the convolution of measures that dominate the pairs of each run, rounded up, losses above
    ``up_to`` counted as infinite. Optimistic ones are of one real combination of pairs, the best at ``exp_eps`` of
    those that are tried, whose outcomes are merged. The arguments are those of ``profile_losses``.

    >>> from exactdp import DiscreteGaussian, shift_profile
    >>> ten = shift_profile(DiscreteGaussian(100)).compose(10)
    >>> asked = {"step": "1/256", "up_to": None, "exp_eps": None}
    >>> [composed_losses(ten, **asked, pessimistic=side).delta(eps=1) for side in (False, True)]
    [Interval[0.000109...], Interval[0.000109...]]
    """
    _check_question(up_to=up_to, pessimistic=pessimistic, exp_eps=exp_eps)
    h, level = as_step(step), _level(exp_eps)
    finer = profile.times.bit_length() // 2 + 1
    runs = [(mechanism, times) for source, times in profile.parts for mechanism in mechanisms_of(source)]
    if pessimistic:
        points = Fineness(h, _TAIL_BITS, ())
        sides = [tuple(pair.losses(_TAIL_BITS) for pair in one.dominating_pairs(points)) for one, _ in runs]
        factors = [Factor(pairs, times, None) for pairs, (_, times) in zip(sides, runs, strict=True)]
        masses, infinite = grid_above(factors, h, finer)
        last = max(masses, default=0) if up_to is None else (as_fraction(up_to, name="up_to") / h).__ceil__()
        infinite += sum((mass for place, mass in masses.items() if place > last), Fraction(0))
        kept = {place: mass for place, mass in masses.items() if place <= last}
        return LossDistribution(rounded_grid(kept, infinite, step=h, pessimistic=True))
    eps = LogRational(level).enclose(relative_bits=DEFAULT_RELATIVE_BITS).lower.fraction()
    grids = []
    for combination in profile.tried(Fineness(h, _TAIL_BITS, (eps / profile.times,))):
        lower = [LowerFactor(pair.losses(_TAIL_BITS), times, None) for pair, times in combination]
        outcomes, infinite = outcomes_below(lower, h / 2, finer)
        grids.append(rounded_grid(merged_losses(outcomes, h), infinite, step=h, pessimistic=False))
    if not grids:
        raise InvalidValueError("no pair of data sets of all runs is known by itself. Pass pessimistic=True.")
    return LossDistribution(*sorted(grids, key=lambda grid: _height(grid, level), reverse=True)[:2])


def losses_below(source: Source, *, step: Fraction, exp_eps: Fraction) -> LossDistribution:
    """Return the losses of one or two real ordered pairs, of those with the largest divergences at ``exp_eps``.

    Args:
        source: whose pairs they are.
        step: of the grid, a power of two.
        exp_eps: at least 1.

    Raises:
        InvalidValueError: where no pair of data sets is known by itself.
        TooLargeError: for more than 2^17 losses.
    """
    eps = LogRational(exp_eps).enclose(relative_bits=DEFAULT_RELATIVE_BITS).lower.fraction()
    fineness = Fineness(step, _TAIL_BITS, (eps,))
    sides = [mechanism.real_pairs(fineness) for mechanism in mechanisms_of(source)]
    if not all(sides):
        raise InvalidValueError(
            f"no pair of data sets of {source.subject} is known by itself. Pass pessimistic=True, or two laws to "
            "exactdp.exchange.pair_to_dp_accounting."
        )
    if len(sides) == 1:
        runs = [_from_below(pair, step) for pair in dict.fromkeys(sides[0])]
    else:  # two bins at once: each has one pair, and a run is on both
        runs = [reduce(_product, (_from_below(pairs[0], step) for pairs in sides))]
    grids = [rounded_grid(*masses, step=step, pessimistic=False) for masses in runs]
    best = sorted(grids, key=lambda grid: _height(grid, exp_eps), reverse=True)
    return LossDistribution(*islice(best, 2))


def _height(grid: GridLoss, exp_eps: Fraction) -> Fraction:
    return grid.delta(exp_eps=exp_eps).lo


def _from_below(pair: Pair, step: Fraction) -> Masses:
    outcomes, infinite = pair.losses(_TAIL_BITS).from_below()
    return merged_losses(outcomes, step), infinite


def _product(one: Masses, other: Masses) -> Masses:
    """Return the losses of two independent pairs together, from below."""
    (first, low), (second, start) = _listed(one[0]), _listed(other[0])
    unit = Fraction(1, 4**_PRODUCT_BITS)
    together = {low + start + i: mass * unit for i, mass in enumerate(product(first, second)) if mass}
    finite = [sum(masses.values(), Fraction(0)) for masses, _ in (one, other)]
    return together, one[1] * (finite[1] + other[1]) + finite[0] * other[1]


def _listed(masses: dict[int, Fraction]) -> tuple[list[int], int]:
    """Return masses in units of 2^-_PRODUCT_BITS from the least place on, and that place."""
    low, high = min(masses, default=0), max(masses, default=0)
    scaled = [(masses.get(place, Fraction(0)) * 2**_PRODUCT_BITS).__floor__() for place in range(low, high + 1)]
    return scaled, low
