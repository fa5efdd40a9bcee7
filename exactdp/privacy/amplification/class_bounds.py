"""What bounds a pair of inputs where the others run several randomizers: the least of several bounds, each proved.

Let randomizer j be that of N_j others, with rows R_(j,v); P and Q are rows of the user who differs, whose randomizer is
public, as everybody's is. Others of randomizers that are left out are published with their owners, so that each bound
may use any set of randomizers.

*Shares.* The swap bound with the mean inside the power (:mod:`exactdp.privacy.amplification.swap_bound`, *Several
randomizers*) for c = the least of all rows, or the bound by this blanket. It publishes who runs what.

*Common rows.* It is near the truth only where a message tells who runs what. Elsewhere let Q_v be one law for each
input v, and alpha_j Q_v <= R_(j,v) for all j and v. Each other user draws from Q_v with probability alpha_j, else from
what is left of his row; publish who did the latter, with their messages. Given the number K of the former, they are
K users of one randomizer Q, and the mean over K of their swap bound G(K), convex in K, bounds the divergence
(:mod:`exactdp.privacy.amplification.mean_bounds`).

*The number.* K is a sum of independent coins with chances alpha_j, and for convex G its mean E G(K) is at most that for
N coins of the mean chance alpha: put all chances but two at rest; E G(K) depends on these two through their sum and
their product, whose factor E[G(K' + 2) - 2 G(K' + 1) + G(K')] is not negative, so that making them equal does not lower
it (Hoeffding 1956, Theorem 3). Smaller chances only raise it, as G falls.

*Real numbers.* Q_v is the row of the user who differs, of which spreads are known, or a mixture of his rows, as if the
other held one of some inputs at random, and alpha_j what each row of randomizer j has of it at least (``share_in``);
where e^eps0 is irrational Q_v is a channel of the member above. Of less noise there is no such share, as its tails are
thinner: such users are published.

*Choice of Q.* For positive numbers beta_j put Q_v in proportion to the least of R_(j,v)/beta_j. Messages whose rows are
in proportion to beta lose nothing: so beta is tried as the probabilities of each message that tells the inputs apart.

Source: BalleBellGasconNissim2019, Lemma 5.3 (publishing who does not draw from what is common); Hoeffding1956.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from math import prod
from operator import attrgetter
from typing import Final

from exactdp.caching import cached_property
from exactdp.errors import TooLargeError
from exactdp.laws.binomial import Binomial
from exactdp.mechanisms.density_family import DensityFamily
from exactdp.mechanisms.family import UserRandomizer
from exactdp.mechanisms.joint_classes import JointTable
from exactdp.mechanisms.pair_table import PairTable
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.formats import about
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.bounds_of_pairs import MadeBound, Majorant, log_size
from exactdp.privacy.amplification.class_choices import about_least, best_proportions
from exactdp.privacy.amplification.guesses import binary_size, of_size
from exactdp.privacy.amplification.input_pairs import SpreadPairs
from exactdp.privacy.amplification.mean_bounds import DerivedBound, MeanBound
from exactdp.privacy.amplification.positive_part import Mixture, mixture_of
from exactdp.privacy.amplification.swap_bound import PairBound, Vertex, VertexBound

MOST_VERTICES: Final = 10**5
"""Most choices of one input for each randomizer."""

_ENCLOSED: Final = 2
"""So many of the bounds that are about least are enclosed."""

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


@dataclass(frozen=True)
class LeastBound(DerivedBound):
    """The least of several bounds of one pair of inputs, each for so many users and by so many groups of others."""

    options: tuple[tuple[Majorant, int, tuple[int, ...]], ...]
    """Majorant, users, and the places of the randomizers that serve; the first is that of the pair alone."""

    @cached_property
    def at_infinity(self) -> tuple[Majorant, int]:
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
        """Return the places of the bounds that are about least, by floats; a mean that serves nobody is the pair's."""
        level, (alone, one, _) = of_size(binary_size(exp_eps)), self.options[0]
        useful = (
            (alone, one) if isinstance(bound, MeanBound) and not bound.serves(exp_eps) else (bound, users)
            for bound, users, _ in self.options
        )
        return about_least([log_size(bound, users, level) for bound, users in useful])[:_ENCLOSED]

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
    options: list[tuple[Majorant, int, tuple[int, ...]]] = [(alone, 1, ())]
    for groups in _unions(present):
        users = sum(others[group] for group in groups) + 1
        shares = _alone_bound(joint, groups[0]) if len(groups) == 1 else shares_bound(joint, groups, others)
        if not shares.gamma:
            continue
        options.append((shares, users, groups))
        if len(groups) > 1 and (common := _common_bound(joint, groups, others)) is not None:
            options.append((common, users, groups))
    return LeastBound(tuple(options))


@lru_cache(maxsize=64)
def spread_pairs(family: DensityFamily) -> SpreadPairs:
    """Return the pairs of a randomizer that sends real numbers; they keep their spreads."""
    return SpreadPairs(family)


def lone_bounds(randomizer: UserRandomizer, own: int, others: int) -> tuple[LeastBound, ...]:
    """Return the bounds of a family's pairs by so many others of its own, where all other users are published."""
    family = randomizer.family
    assert family is not None
    bounds = []
    for table in family.pair_tables():
        alone = mixture_of((c.first, c.second, Fraction(0)) for c in table.classes)
        beside: tuple[tuple[Majorant, int, tuple[int, ...]], ...] = ((PairBound.of(table), others + 1, (own,)),)
        bounds.append(LeastBound(((alone, 1, ()), *(beside if others else ()))))
    return tuple(bounds)


def bounds_of_numbers(
    randomizers: Sequence[UserRandomizer], own: int, others: Sequence[int], exp_eps: Real
) -> tuple[LeastBound, ...]:
    """Return the bound at E of the pairs of a randomizer that sends real numbers; none for any other."""
    if (family := randomizers[own].density) is None:
        return ()
    inner = spread_pairs(family).near_bound(sum(others) + 1, exp_eps)
    options: list[tuple[Majorant, int, tuple[int, ...]]] = [(inner.blanket.alone, 1, ())]
    if others[own]:
        options.append((inner, others[own] + 1, (own,)))
    shares = {
        group: density.share_of(family)
        for group, one in enumerate(randomizers)
        if others[group] and (density := one.density) is not None
    }
    serving = tuple(group for group, share in shares.items() if share)
    if serving not in ((), (own,)):
        whole = sum(others[group] for group in serving)
        mean = sum((shares[group] * others[group] for group in serving), Fraction(0)) / whole
        chance = Fraction(int(mean * 2**_SHARE_BITS), 2**_SHARE_BITS)
        options.append((MeanBound(inner, Binomial(whole, chance), 0, COMMON), whole + 1, serving))
    return (LeastBound(tuple(options)),)


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


def _common_bound(joint: JointTable, groups: Sequence[int], others: Sequence[int]) -> MeanBound | None:
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
    return MeanBound(replace(inner, own=None), Binomial(whole, chance), 0, COMMON) if inner.gamma else None


def _proportions(joint: JointTable, groups: Sequence[int], others: Sequence[int]) -> list[Fraction] | None:
    """Return about the best beta: the rows of a message that tells the inputs apart."""
    cells, places = joint.table.classes, range(len(joint.inputs))
    gaps = [c.first - c.second for c in cells]
    rows = [[[joint.row(c, group, v) for c in cells] for group in groups] for v in places]
    best = best_proportions(gaps, rows, [others[group] for group in groups])
    return None if best is None else [joint.row(cells[best[1]], group, best[0]) for group in groups]
