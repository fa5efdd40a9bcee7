"""What bounds a pair of inputs where the others run several randomizers: the least of several bounds, each proved.

Let randomizer j be that of N_j others, with rows R_(j,v); P and Q are rows of the user who differs, whose randomizer is
public, as everybody's is. Others of randomizers that are left out are published with their owners, so that each bound
may use any set of randomizers.

*Shares.* The swap bound with the mean inside the power (:mod:`exactdp.privacy.amplification.swap_bound`, *Several
randomizers*) for c = the least of all rows, or the bound by this blanket. It publishes who runs what.

*Common rows.* It is near the truth only where a message tells who runs what. Elsewhere let Q_v be one law for each
input v, and alpha_j Q_v <= R_(j,v) for all j and v. Each other user draws from Q_v with probability alpha_j, else from
what is left of his row; publish who did the latter, with their messages. Given the number K of the former, they are
K users of one randomizer Q. Let G(k) be its swap bound beside k others at one tilt, smoothing, step and T given up, as
a function of real k: a sum of functions M^k/k and constants, so convex, and a largest one of such. Odd k, for which
Poisson's summation says nothing, lie below the mean of their neighbours, as the integral does, which is convex as well.

*The number.* K is a sum of independent coins with chances alpha_j, and for convex G its mean E G(K) is at most that for
N coins of the mean chance alpha: put all chances but two at rest; E G(K) depends on these two through their sum and
their product, whose factor E[G(K' + 2) - 2 G(K' + 1) + G(K')] is not negative, so that making them equal does not lower
it (Hoeffding 1956, Theorem 3). Smaller chances only raise it, as G falls. G is replaced by its chords between knots
k_0 < ... < k_m, constant beyond k_m, and below k_0 by a line of slope -H, which is above H: divergences are at most H.
A polygon is G(k_m) plus a sum of (k_i - k)+ times the changes of slope, and

    E (k - K)+ = k P[K <= k - 1] - N alpha P[K' <= k - 2],        K' binomial with N - 1 coins.

*Choice of Q.* For positive numbers beta_j put Q_v in proportion to the least of R_(j,v)/beta_j. Messages whose rows are
in proportion to beta lose nothing: so beta is tried as the probabilities of each message that tells the inputs apart.

Source: BalleBellGasconNissim2019, Lemma 5.3 (publishing who does not draw from what is common); Hoeffding1956.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, pairwise, product
from math import isqrt, prod
from operator import attrgetter
from typing import Final

from flint import arb

from exactdp.caching import cached_property
from exactdp.errors import TooLargeError
from exactdp.laws.binomial import Binomial
from exactdp.mechanisms.family import UserRandomizer
from exactdp.mechanisms.joint_classes import JointTable
from exactdp.mechanisms.pair_table import PairTable
from exactdp.numbers.balls import interval_of, precision, rational_ball, real_ball
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.formats import about
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.bounds_of_pairs import Bound, MadeBound, log_size
from exactdp.privacy.amplification.class_choices import about_least, best_proportions
from exactdp.privacy.amplification.guesses import binary_size, of_size
from exactdp.privacy.amplification.positive_part import Mixture, mixture_of
from exactdp.privacy.amplification.swap_bound import AtPlan, PairBound, Vertex, VertexBound, enclosed_by
from exactdp.privacy.amplification.swap_choices import Plan, choose

MOST_VERTICES: Final = 10**5
"""Most choices of one input for each randomizer."""

_ENCLOSED: Final = 2
"""So many of the bounds that are about least are enclosed."""

_QUICK_BITS: Final = 64
"""Precision of bounds that only exclude, beyond what many users cost."""

_COARSE_BITS: Final = 8
"""Bits that are kept of them."""

_KNOTS: Final = (-9, -7, -5, -3, -1, 1, 3, 5)
"""Knots in standard deviations from the mean of K."""

_SHARE_BITS: Final = 64
"""alpha is rounded down to so many bits."""

_USUAL_BITS: Final = 20
"""At which it is asked which bound is least."""

_KEPT: Final = 64
"""Answers that are kept: a search for eps asks again."""

_FEW: Final = 4
"""Of so many randomizers all sets are tried; of more each alone, all, and all but one."""


def shares_bound(joint: JointTable, groups: Sequence[int], others: Sequence[int]) -> VertexBound:
    """Return the smaller of the bound by the common blanket of some randomizers, with so many others each, and the swap
    bound with the mean inside the power: vertices are choices of one row for each randomizer.

    Raises:
        TooLargeError: for more than 10^5 choices of one input for each randomizer.
    """
    total = sum(others[group] for group in groups)
    parts = []
    for group in groups:
        rows = dict.fromkeys(_row(joint, group, place) for place in range(len(joint.inputs)))
        parts.append((Fraction(others[group], total), tuple(rows)))
    if (count := prod(len(rows) for _, rows in parts)) > MOST_VERTICES:
        raise TooLargeError(
            f"{len(parts)} classes of users have {about(count)} choices of one input each, more than the limit of "
            f"{about(MOST_VERTICES)}. Use fewer inputs, or fewer classes."
        )
    least = [(c.first, c.second, min(joint.least(c, group) for group in groups)) for c in joint.table.classes]
    gamma = sum((c for _, _, c in least), Fraction(0))
    merged = PairTable.merged(joint.table.first, joint.table.second, (), least)
    blanket = mixture_of((c.first, c.second, c.least) for c in merged.classes)
    return VertexBound.beside(blanket, gamma, _vertices(parts), SHARES)


SHARES: Final = (
    "the swap bound with the rows of all other users in the mean (proved in exactdp.privacy.amplification.swap_bound)"
)
ALONE: Final = "the divergence of what the user who differs sends, whatever the others send"
COMMON: Final = (
    "the swap bound of what the others' randomizers have in common (proved in "
    "exactdp.privacy.amplification.class_bounds)"
)


def _vertices(parts: Sequence[tuple[Fraction, tuple[Mixture, ...]]]) -> Iterator[Vertex]:
    shares = [share for share, _ in parts]
    for rows in product(*(rows for _, rows in parts)):
        yield tuple(zip(shares, rows, strict=True))


def _row(joint: JointTable, group: int, place: int) -> Mixture:
    """Return the pair beside a row."""
    rows = ((c.first, c.second, joint.row(c, group, place)) for c in joint.table.classes)
    merged = PairTable.merged(joint.table.first, joint.table.second, (), rows)
    return mixture_of((c.first, c.second, c.least) for c in merged.classes)


class _Derived(MadeBound):
    """A bound that says of infinite E what another one says."""

    __slots__ = ()

    @property
    @abstractmethod
    def at_infinity(self) -> tuple[Bound, int]:
        """The bound that is asked, and for how many users."""

    def limit(self, users: int) -> Fraction:
        """Return the bound at infinite E, or a smaller number."""
        bound, copies = self.at_infinity
        return bound.limit(copies)

    def exceeds_limit(self, users: int) -> bool:
        """Whether the bound is known to be above ``limit`` at every E."""
        bound, copies = self.at_infinity
        return bound.exceeds_limit(copies)

    def settled(self, users: int) -> Fraction:
        """Return an E from which on it is not."""
        bound, copies = self.at_infinity
        return bound.settled(copies)

    def limit_enclosed(self, users: int, relative_bits: int) -> Interval:
        """Enclose the bound at infinite E."""
        bound, copies = self.at_infinity
        return bound.limit_enclosed(copies, relative_bits)

    @property
    def limit_at_most(self) -> Fraction:
        """A number that the bound at infinite E does not exceed."""
        return self.at_infinity[0].limit_at_most


@dataclass(frozen=True)
class CommonBound(_Derived):
    """The swap bound of a randomizer that others run by chance, beside a pair of rows."""

    inner: PairBound
    others: int
    chance: Fraction
    """alpha, or less."""

    @property
    def at_infinity(self) -> tuple[Bound, int]:
        """What no other user helps."""
        return self.inner.blanket, 1

    @property
    def _usual(self) -> int:
        return max(1, int(self.others * self.chance))

    def divergence(self, users: int, exp_eps: Real, *, relative_bits: int) -> Interval:
        """Enclose the bound, where floats see a use in it; else enclose a larger number."""
        plan = self._plan(exp_eps)
        knots = [] if plan is None else self._knots(plan)
        if plan is None or len(knots) < len(_KNOTS) // 2:
            return self.inner.blanket.alone.divergence(1, exp_eps, relative_bits=relative_bits)
        return enclosed_by(lambda: self._mean(plan, knots, real_ball(exp_eps)), self.others + 1, relative_bits)

    def _plan(self, exp_eps: Real) -> Plan | None:
        one = self.inner
        return choose(one.rows, None, one.blanket, one.gamma, self._usual + 1, exp_eps, may_own=False)

    def _knots(self, plan: Plan) -> list[int]:
        """Return numbers of others that leave an even number of slots at each stage."""
        middle, deviation = self._usual, isqrt(int(self.others * self.chance * (1 - self.chance))) + 1
        knots = [middle + 2 * (away * deviation // 2) for away in _KNOTS]
        return [k for k in knots if plan.stages[-1] + 2 <= k + 1]

    def _mean(self, plan: Plan, knots: Sequence[int], level: arb) -> arb:
        """E of the polygon."""
        at = AtPlan(self.inner, plan, knots[-1] + 1, level)
        values = [at.beside(k).bound() for k in knots]
        slopes = [(one - other) / (b - a) for (a, one), (b, other) in pairwise(zip(knots, values, strict=True))]
        falls = [at.alone, *slopes, arb(0)]
        total = values[-1]
        for k, (before, after) in zip(knots, pairwise(falls), strict=True):
            total += (before - after).max(arb(0)) * rational_ball(_excess(self.others, self.chance, k))
        return total

    def bound(self, users: int, exp_eps: Real) -> Interval:
        """Return an interval whose upper end the bound does not exceed: by the first knot, without a look at nodes."""
        alone = self.inner.blanket.alone.bound(1, exp_eps)
        plan = self._plan(exp_eps)
        if plan is None or not (knots := self._knots(plan)):
            return alone
        with precision(_QUICK_BITS + 2 * self.others.bit_length()):
            at = AtPlan(self.inner, plan, knots[0] + 1, real_ball(exp_eps))
            rest = at.alone * rational_ball(_excess(self.others, self.chance, knots[0]))
            return min(alone, interval_of(at.quick_bound() + rest, _COARSE_BITS), key=attrgetter("upper"))

    def log_size(self, users: int, exp_eps: float) -> float:
        """Return about the logarithm of the bound."""
        return self.inner.log_size(self._usual + 1, exp_eps)

    def theorem(self, users: int, exp_eps: Real) -> str:
        """Return what proves it."""
        return COMMON


@lru_cache(maxsize=256)
def _excess(others: int, chance: Fraction, k: int) -> Fraction:
    """Return E (k - K)+, or more; the same few are asked for at each E."""
    bits = _SHARE_BITS + 2 * others.bit_length()
    below = Binomial(others, chance).cdf(k - 1, relative_bits=bits)
    less = Binomial(others - 1, chance).cdf(k - 2, relative_bits=bits)
    return max(Fraction(0), k * below.upper.fraction() - others * chance * less.lower.fraction())


@dataclass(frozen=True)
class LeastBound(_Derived):
    """The least of several bounds of one pair of inputs, each for so many users and by so many groups of others."""

    options: tuple[tuple[Bound, int, tuple[int, ...]], ...]
    """Bound, users, and the places of the randomizers that serve; the first is that of the pair alone."""

    @cached_property
    def at_infinity(self) -> tuple[Bound, int]:
        """The one with the least limit."""
        bound, users, _ = min(self.options, key=lambda one: one[0].limit_at_most)
        return bound, users

    def divergence(self, users: int, exp_eps: Real, *, relative_bits: int) -> Interval:
        """Enclose the least of those that are about least."""
        return self._best(exp_eps, relative_bits)[0]

    def _best(self, exp_eps: Real, relative_bits: int) -> tuple[Interval, int]:
        """Return the least enclosure and the place of its bound."""
        if (asked := (exp_eps, relative_bits)) not in self._known:
            if len(self._known) >= _KEPT:
                self._known.clear()
            enclosed = [(self._enclosed(place, exp_eps, relative_bits), place) for place in self._tried(exp_eps)]
            self._known[asked] = min(enclosed, key=lambda one: one[0].upper)
        return self._known[asked]

    @cached_property
    def _known(self) -> dict[tuple[Real, int], tuple[Interval, int]]:
        return {}

    def _tried(self, exp_eps: Real) -> list[int]:
        """Return the places of the bounds that are about least, by floats."""
        level = of_size(binary_size(exp_eps))
        return about_least([log_size(bound, users, level) for bound, users, _ in self.options])[:_ENCLOSED]

    def _enclosed(self, place: int, exp_eps: Real, relative_bits: int) -> Interval:
        bound, users, _ = self.options[place]
        try:
            return bound.divergence(users, exp_eps, relative_bits=relative_bits)
        except TooLargeError:
            return Interval(Dyadic.of(0), bound.bound(users, exp_eps).upper)

    def bound(self, users: int, exp_eps: Real) -> Interval:
        """Return an interval whose upper end the bound does not exceed."""
        tried = (self.options[place] for place in self._tried(exp_eps))
        return min((one.bound(copies, exp_eps) for one, copies, _ in tried), key=attrgetter("upper"))

    def log_size(self, users: int, exp_eps: float) -> float:
        """Return about the logarithm of the bound."""
        return min(log_size(one, copies, exp_eps) for one, copies, _ in self.options)

    def theorem(self, users: int, exp_eps: Real) -> str | None:
        """Return what proves the bound that is least."""
        bound, copies, _ = self.options[self._best(exp_eps, _USUAL_BITS)[1]]
        return bound.theorem(copies, exp_eps) if isinstance(bound, MadeBound) else ALONE

    def serving(self, exp_eps: Real) -> tuple[int, ...]:
        """Return the places of the randomizers of the others that serve at an E; none where the pair is alone."""
        return self.options[self._best(exp_eps, _USUAL_BITS)[1]][2]


def least_bound(joint: JointTable, own: int, others: Sequence[int]) -> LeastBound:
    """Return the bounds of a pair by the randomizers of the others, so many of each; ``own`` is that of the pair."""
    present = [group for group, count in enumerate(others) if count]
    alone = mixture_of((c.first, c.second, Fraction(0)) for c in joint.table.classes)
    options: list[tuple[Bound, int, tuple[int, ...]]] = [(alone, 1, ())]
    for groups in _unions(present):
        users = sum(others[group] for group in groups) + 1
        shares = _alone_bound(joint, groups[0]) if len(groups) == 1 else shares_bound(joint, groups, others)
        if not shares.gamma:
            continue
        options.append((shares, users, groups))
        if len(groups) > 1 and (common := _common_bound(joint, groups, others)) is not None:
            options.append((common, users, groups))
    return LeastBound(tuple(options))


def lone_bounds(randomizer: UserRandomizer, own: int, others: int) -> tuple[LeastBound, ...]:
    """Return the bounds of a family's pairs by so many others of its own, where all other users are published."""
    family = randomizer.family
    assert family is not None
    bounds = []
    for table in family.pair_tables():
        alone = mixture_of((c.first, c.second, Fraction(0)) for c in table.classes)
        beside: tuple[tuple[Bound, int, tuple[int, ...]], ...] = ((PairBound.of(table), others + 1, (own,)),)
        bounds.append(LeastBound(((alone, 1, ()), *(beside if others else ()))))
    return tuple(bounds)


def _unions(present: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield sets of randomizers that may serve together: all where they are few."""
    sizes = range(1, len(present) + 1) if len(present) <= _FEW else {1, len(present) - 1, len(present)}
    for size in sizes:
        yield from combinations(present, size)


def _alone_bound(joint: JointTable, group: int) -> PairBound:
    """Return the bound by the others of one randomizer."""
    rows = (
        (c.first, c.second, joint.least(c, group), *(joint.row(c, group, v) for v in range(len(joint.inputs))))
        for c in joint.table.classes
    )
    return PairBound.of(PairTable.merged(joint.table.first, joint.table.second, joint.inputs, rows))


def _common_bound(joint: JointTable, groups: Sequence[int], others: Sequence[int]) -> CommonBound | None:
    """Return the bound by what randomizers have in common, for about the best proportions; None without any."""
    if (beta := _proportions(joint, groups, others)) is None:
        return None
    cells, places = joint.table.classes, range(len(joint.inputs))
    rows = [
        [min(joint.row(c, group, v) / b for group, b in zip(groups, beta, strict=True)) for c in cells] for v in places
    ]
    masses = [sum(row, Fraction(0)) for row in rows]
    least, most = min(masses), max(masses)
    whole = sum(others[group] for group in groups)
    mean = sum((others[group] * b for group, b in zip(groups, beta, strict=True)), Fraction(0)) * least / whole
    chance = Fraction(int(mean * 2**_SHARE_BITS), 2**_SHARE_BITS)
    shared = [min(joint.least(c, group) / b for group, b in zip(groups, beta, strict=True)) / most for c in cells]
    if not chance:
        return None
    vectors = (
        (c.first, c.second, low, *(row[place] / mass for row, mass in zip(rows, masses, strict=True)))
        for place, (c, low) in enumerate(zip(cells, shared, strict=True))
    )
    inner = PairBound.of(PairTable.merged(joint.table.first, joint.table.second, joint.inputs, vectors))
    return CommonBound(replace(inner, own=None), whole, chance) if inner.gamma else None


def _proportions(joint: JointTable, groups: Sequence[int], others: Sequence[int]) -> list[Fraction] | None:
    """Return about the best beta: the rows of a message that tells the inputs apart."""
    cells, places = joint.table.classes, range(len(joint.inputs))
    gaps = [c.first - c.second for c in cells]
    rows = [[[joint.row(c, group, v) for c in cells] for group in groups] for v in places]
    best = best_proportions(gaps, rows, [others[group] for group in groups])
    return None if best is None else [joint.row(cells[best[1]], group, best[0]) for group in groups]
