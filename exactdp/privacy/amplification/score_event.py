"""How likely a sum of message scores is large, under two inputs of one user: a lower bound of a divergence.

Give each message an integer score l(m), and a bundle the sum l(a) of the scores of its messages. For a threshold c the
event that the scores of all messages sum to at least c is an event of the view, whatever order the shuffler chose. With
n - 1 others whose bundles are independent with one law, and S the sum of their scores,

    H_E >= D(c) = sum over bundles a of (P(a) - E Q(a)) P[S >= c - l(a)].

Contour. With M(z) = E[e^(zl)] of one other and A(z) = sum over a of (P(a) - E Q(a)) e^(z l(a)), for lam > 0 and N nodes
z_k = lam + 2 pi i k/N,

    (1/N) sum over k of M(z_k)^(n-1) A(z_k) e^(-c z_k)/(1 - e^(-z_k)) = sum over j of e^(lam j N) D(c + j N).

The terms with j != 0 are at most the sum over a of abs(P(a) - E Q(a)) times e^(lam j N) P[S >= c + j N - l(a)], and
P[S >= s] <= M(m)^(n-1) e^(-ms) for every m > 0: m > lam serves for j > 0, m < lam for j < 0. The nodes that are left
out are bounded as in :mod:`exactdp.privacy.amplification.positive_part`.

The laws of sums of message scores of one bundle are those of a message and dummies, or of several independent messages.

Events of message scores beside others of several laws, as where classes of users run different randomizers
-----------------------------------------------------------------------------------------------------------

As above, with the product of the M_j(z)^(N_j) in place of M(z)^(n-1).
Nodes that are left out are bounded by the factor of the law whose sum varies most; all others are at most 1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import comb, gcd, isqrt, lcm, prod
from typing import Final, Self, TypeAlias

from flint import acb, arb

from exactdp.caching import cached_property
from exactdp.numbers.balls import interval_of, precision, rational_ball, real_ball
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.class_choices import tilted_means, variance_of
from exactdp.privacy.amplification.tilted import CopySum, FewValues, ball_sum, squared
from exactdp.privacy.amplification.tilted_contour import Contour

_TRIALS: Final = 10
"""Precisions tried: what cancels between P and E Q is not known before."""

_LISTED: Final = 32
"""The scores of so few others are added up one by one."""

_GIVEN_UP: Final = Interval(Dyadic.of(0), Dyadic.of(0))
"""A lower bound that always holds."""


@dataclass(frozen=True, slots=True)
class ScoreEvent:
    """An event of scores, as what one pair of inputs and the others make of it."""

    bundles: tuple[tuple[int, Fraction, Fraction], ...]
    """(l(a), P(a), Q(a)): equal scores are added up."""
    others: tuple[tuple[int, Fraction], ...]
    """(score, probability) of the bundle of another user."""
    threshold: int

    def swapped(self) -> ScoreEvent:
        """Return the event with P and Q exchanged."""
        return replace(self, bundles=tuple((score, q, p) for score, p, q in self.bundles))

    def divergence(self, copies: int, exp_eps: Real, *, relative_bits: int) -> Interval:
        """Enclose D(c) with n = ``copies`` users to a relative width of 2**-relative_bits, or return 0.

        Raises:
            TooLargeError: where the sum is spread over too many periods.

        0 stands for thresholds that are below the mean or out of reach, and for an event of the other order.

        Cost: as that of a mixture on a lattice: some milliseconds at any n.
        """
        bits = relative_bits + 8
        for _ in range(_TRIALS):
            with precision(2 * bits + 64 + 2 * copies.bit_length()):
                level = real_ball(exp_eps)
                gains = tuple((score, rational_ball(p) - level * rational_ball(q)) for score, p, q in self.bundles)
                ball = self._ball(copies, gains, bits)
                if ball < 0:
                    return _GIVEN_UP
                accuracy = ball.rel_accuracy_bits()
                if accuracy > relative_bits:
                    return interval_of(ball, relative_bits)
            bits += 2 + max(0, min(relative_bits, relative_bits - accuracy))
        return _GIVEN_UP

    def bound(self, copies: int, exp_eps: Real) -> Interval:
        """Return what stands for D(c) where it is out of reach."""
        return _GIVEN_UP

    def limit(self, copies: int) -> Fraction:
        """Return a lower bound of the divergence at infinite E: nothing is known of it here."""
        return Fraction(0)

    def exceeds_limit(self, copies: int) -> bool:
        """Whether the divergence is known to be above ``limit`` at every E."""
        return False

    def settled(self, copies: int) -> Fraction:
        """Return an E before which the divergence is above ``limit``: none is known."""
        return Fraction(0)

    def _ball(self, copies: int, gains: tuple[tuple[int, arb], ...], bits: int) -> arb:
        others = copies - 1
        if others <= _LISTED or len(self.others) == 1:
            sums = self._sums(others)
            return ball_sum(mu * rational_ball(_tail(sums, self.threshold - score)) for score, mu in gains)
        center = rational_ball(Fraction(self.threshold, others))
        law = FewValues(tuple(arb(s) - center for s, _ in self.others), tuple(rational_ball(p) for _, p in self.others))
        if not (law.mean < 0 and any(value > 0 for value in law.values)):
            return arb(-1)  # the threshold is below the mean, or out of reach: another one is better
        base = Contour.of(CopySum(law, arb(0), arb(1), others, arb(1)), bits, on_lattice=True)
        return EventContour(**{f.name: getattr(base, f.name) for f in fields(base)}, gains=gains).probability()

    def _sums(self, others: int) -> dict[int, Fraction]:
        """Return the law of the sum of the others' scores, for few of them or a single score."""
        if len(self.others) == 1:
            return {others * self.others[0][0]: Fraction(1)}
        law: dict[int, Fraction] = {0: Fraction(1)}
        for _ in range(others):
            sums: defaultdict[int, Fraction] = defaultdict(Fraction)
            for total, chance in law.items():
                for score, p in self.others:
                    sums[total + score] += chance * p
            law = sums
        return law


def _tail(law: Mapping[int, Fraction], least: int) -> Fraction:
    """P[S >= least]."""
    return sum((chance for total, chance in law.items() if total >= least), Fraction(0))


@dataclass(frozen=True)
class EventContour(Contour):
    """The nodes of one event; its sums are those of (others' scores) - c."""

    gains: tuple[tuple[int, arb], ...]

    def probability(self) -> arb:
        """D(c)."""
        value, _ = self._sums()
        error = self._weight(self.point.tilt) * self._tails()
        return (value + (-error).union(error)) * self.point.moment**self.whole.copies

    def _tails(self) -> arb:
        """Bound the sum over j != 0 of e^(lam j N) P[S >= c + j N - l] e^(-lam l), for every score l."""
        widest = max(abs(score) for score, _ in self.gains)
        total = arb(0)
        for exponent in (self.above, self.below):
            distance = abs(exponent - self.point.tilt)
            fall = (-distance * self.period).exp()
            total += self._ratio(exponent) * (distance * widest).exp() * fall / (1 - fall)
        return total.abs_upper()

    def _ratio(self, exponent: arb) -> arb:
        """E[e^(mS)] at another exponent m, over that at lam."""
        return (self.whole.law.moment(exponent) / self.point.moment) ** self.whole.copies

    def _weight(self, tilt: arb) -> arb:
        """Sum over a of abs(P(a) - E Q(a)) e^(lam l(a))."""
        return ball_sum(abs(mu) * (tilt * score).exp() for score, mu in self.gains)

    def _kernel_bound(self, angle: arb) -> arb:
        lam = self.point.tilt
        distance = squared(1 - (-lam).exp()) + 4 * (-lam).exp() * squared((angle / 2).sin())
        return self._weight(lam) / distance.sqrt()

    def _integrand(self, z: acb, power: acb) -> acb:
        gain = sum((mu * (z * score).exp() for score, mu in self.gains), acb(0))
        return acb((power * gain / (1 - (-z).exp())).real)


_SCORES: Final = 128
"""A bundle's scores are at most about this: each costs as much at each node."""

ScoreLaw: TypeAlias = Mapping[int, Fraction]
"""Score -> its probability."""


def coarse_scores(scores: Mapping[int, int], messages: int) -> dict[int, int]:
    """Return scores without a common divisor, so small that those of a bundle of so many messages are few."""
    most = max(1, _SCORES // messages)
    largest = max(map(abs, scores.values()), default=0)
    if largest > most:
        scores = {m: round(Fraction(score * most, largest)) for m, score in scores.items()}
    common = gcd(*scores.values()) or 1
    return {m: score // common for m, score in scores.items()}


def law_of_scores(pairs: Iterable[tuple[int, Fraction]]) -> ScoreLaw:
    """Return the law of scores with these probabilities; equal scores are added up."""
    law: defaultdict[int, Fraction] = defaultdict(Fraction)
    for score, p in pairs:
        if p:
            law[score] += p
    return law


def sum_of_scores(one: ScoreLaw, other: ScoreLaw) -> ScoreLaw:
    """Return the law of the sum of two independent scores."""
    return law_of_scores((s + t, p * q) for (s, p), (t, q) in product(one.items(), other.items()))


def repeated_scores(law: ScoreLaw, times: int) -> ScoreLaw:
    """Return the law of the sum of several independent scores."""
    total: ScoreLaw = {0: Fraction(1)}
    for _ in range(times):
        total = sum_of_scores(total, law)
    return total


_LISTED_TOGETHER: Final = 2**14
"""Sums of the others' scores are listed where there are at most so many."""

_LISTED_BITS: Final = 2**33
"""And where adding up their weights is at most so many bits of work, about half a second."""

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
    sums = prod(comb(count + len(law) - 1, count) for count, law in groups)
    scales = [lcm(*(p.denominator for _, p in law)) for _, law in groups]
    bits = sum(count * scale.bit_length() for (count, _), scale in zip(groups, scales, strict=True))
    if sums > _LISTED_TOGETHER or sums * bits * sum(count for count, _ in groups) > _LISTED_BITS:
        return None
    weights, whole = {0: 1}, 1
    for (count, law), scale in zip(groups, scales, strict=True):
        one = [(score, p.numerator * (scale // p.denominator)) for score, p in law]
        for _ in range(count):
            more = defaultdict[int, int](int)
            for reached, weight in weights.items():
                for score, share in one:
                    more[reached + score] += weight * share
            weights = more
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
