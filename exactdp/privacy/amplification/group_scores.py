"""Events of message scores beside others of several laws, as where classes of users run different randomizers.

As in :mod:`exactdp.privacy.amplification.score_event`, with the product of the M_j(z)^(N_j) in place of M(z)^(n-1).
Nodes that are left out are bounded by the factor of the law whose sum varies most; all others are at most 1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import lru_cache
from math import comb, isqrt, lcm, prod
from typing import Final, Self, TypeAlias

from flint import acb, arb

from exactdp.caching import cached_property
from exactdp.numbers.balls import rational_ball
from exactdp.privacy.amplification.class_choices import tilted_means, variance_of
from exactdp.privacy.amplification.score_event import EventContour, ScoreEvent
from exactdp.privacy.amplification.tilted import CopySum, FewValues, ball_sum
from exactdp.privacy.amplification.tilted_contour import Contour

_LISTED: Final = 2**14
"""Sums of the others' scores are listed where there are at most so many."""

Groups: TypeAlias = tuple[tuple[int, tuple[tuple[int, Fraction], ...]], ...]
"""How many others have scores of which law."""


@dataclass(frozen=True, slots=True)
class GroupsEvent(ScoreEvent):
    """An event of scores beside others of several laws."""

    groups: Groups = ()

    def swapped(self) -> GroupsEvent:
        """Return the event with P and Q exchanged."""
        return replace(self, bundles=tuple((score, q, p) for score, p, q in self.bundles))

    def _ball(self, copies: int, gains: tuple[tuple[int, arb], ...], bits: int) -> arb:
        moving = tuple((count, law) for count, law in self.groups if len(law) > 1)
        fixed = sum(count * law[0][0] for count, law in self.groups if len(law) == 1)
        threshold = self.threshold - fixed
        if (listed := _listed(moving)) is not None:
            weights, whole = listed
            tails = {score: sum(w for s, w in weights.items() if s >= threshold - score) for score, _ in gains}
            return ball_sum(mu * rational_ball(Fraction(tails[score], whole)) for score, mu in gains)
        if (centers := _centers(moving, threshold)) is None:
            return arb(-1)  # the threshold is below the mean, or out of reach: another one is better
        laws = [_centered(law, center) for (_, law), center in zip(moving, centers, strict=True)]
        spreads = [count * variance_of(law) for count, law in moving]
        main = max(range(len(moving)), key=spreads.__getitem__)
        if not (laws[main].mean < 0 and any(value > 0 for value in laws[main].values)):
            return arb(-1)
        base = Contour.of(CopySum(laws[main], arb(0), arb(1), moving[main][0], arb(1)), bits, on_lattice=True)
        wider = isqrt(int(sum(spreads) / spreads[main])) + 1
        others = tuple((laws[place], count) for place, (count, _) in enumerate(moving) if place != main)
        contour = _GroupsContour(**{f.name: getattr(base, f.name) for f in fields(base)}, gains=gains, factors=others)
        return contour.widened(wider).probability()


@lru_cache(maxsize=64)
def _listed(groups: Groups) -> tuple[dict[int, int], int] | None:
    """Return the weights of all sums of scores, and what they are over; None where the sums may be many."""
    if prod(comb(count + len(law) - 1, count) for count, law in groups) > _LISTED:
        return None
    weights, whole = {0: 1}, 1
    for count, law in groups:
        scale = lcm(*(p.denominator for _, p in law))
        one = [(score, p.numerator * (scale // p.denominator)) for score, p in law]
        for _ in range(count):
            sums = defaultdict[int, int](int)
            for reached, weight in weights.items():
                for score, share in one:
                    sums[reached + score] += weight * share
            weights = sums
        whole *= scale**count
    return weights, whole


def _centers(groups: Sequence[tuple[int, Sequence[tuple[int, Fraction]]]], threshold: int) -> list[Fraction] | None:
    """Return about the means of the laws tilted so that the sum has its mean at the threshold, adding up to it."""
    highest = sum(count * max(score for score, _ in law) for count, law in groups)
    mean = sum((count * score * p for count, law in groups for score, p in law), Fraction(0))
    if not mean < threshold < highest:
        return None
    centers = tilted_means(groups, threshold)
    widest = max(range(len(groups)), key=lambda place: groups[place][0])
    spent = sum((count * center for (count, _), center in zip(groups, centers, strict=True)), Fraction(0))
    centers[widest] += (threshold - spent) / groups[widest][0]
    return centers


def _centered(law: Sequence[tuple[int, Fraction]], center: Fraction) -> FewValues:
    return FewValues(tuple(rational_ball(score - center) for score, _ in law), tuple(rational_ball(p) for _, p in law))


@dataclass(frozen=True)
class _GroupsContour(EventContour):
    """The nodes of one event, with further factors of the integrand."""

    factors: tuple[tuple[FewValues, int], ...]

    def widened(self, factor: int) -> Self:
        """Return the contour with a period for a sum that varies so many times as much."""
        last = self.last * factor
        above, below = ((self.point.tilt + (end - self.point.tilt) / factor).mid() for end in (self.above, self.below))
        return replace(self, last=last, period=self.spacing * (2 * last + 1), above=above, below=below)

    def probability(self) -> arb:
        """D(c)."""
        return EventContour.probability(self) * self._factor(self.point.tilt)

    def _factor(self, tilt: arb) -> arb:
        total = arb(1)
        for law, count in self.factors:
            total *= law.moment(tilt) ** count
        return total

    def _ratio(self, exponent: arb) -> arb:
        return EventContour._ratio(self, exponent) * self._factor(exponent) / self._factor(self.point.tilt)

    def _integrand(self, z: acb, power: acb) -> acb:
        for (law, count), moment in zip(self.factors, self._moments, strict=True):
            terms = ((z * value).exp() * weight for value, weight in law.items)
            power *= (sum(terms, acb(0)) / moment) ** count
        return EventContour._integrand(self, z, power)

    @cached_property
    def _moments(self) -> list[arb]:
        return [law.moment(self.point.tilt) for law, _ in self.factors]
