"""U_n(L) = E[max(0, L_1 + ... + L_n)] / n for independent copies of a law on few atoms, enclosed at any n.

Where the integrand hardly falls, because most copies have one value or the values lie near a lattice, and for many bits
at some thousands of copies, :mod:`exactdp.privacy.amplification.message_counts` sums over how often each value occurs
instead: it says beforehand how many steps it takes, and the contour is given up where it would take longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from operator import attrgetter
from typing import TYPE_CHECKING, Final, TypeAlias

from flint import arb

from exactdp.caching import cached_property
from exactdp.errors import TooLargeError
from exactdp.mechanisms.pair_table import PairTable
from exactdp.numbers.balls import compare_reals, interval_of, precision, rational_ball, real_ball
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.message_counts import CountSum, RareSum
from exactdp.privacy.amplification.tilted import Atom, CopySum, FewValues, ball_sum, binary_exponent, sign_at, squared
from exactdp.privacy.amplification.tilted_contour import MOST_NODES, Contour

if TYPE_CHECKING:
    from exactdp.privacy.amplification.float_contour import FloatContour

    Way: TypeAlias = CountSum | RareSum | FloatContour

_FEW_STEPS: Final = 2000
"""Counts are summed at once where they are so few: a contour takes as long."""

_FEW_COPIES: Final = 2
"""All values of so few copies are added up: tilted to where they are concentrated, they no longer move."""

_STEPS_OF_NODE: Final = 4
"""A node of a contour takes about as long as so many steps of a sum over counts."""

_NODES_OF_CONTOUR: Final = 2**11
"""A contour may always have so many nodes: a few milliseconds."""

_MOST_STEPS: Final = 2**22
"""Summing more counts takes more than some seconds."""

_LOST_BITS: Final = 4
"""Bits that a way of summing may lack: they are asked for again."""

_PATIENCE: Final = 2**14
"""Nodes after which a contour waits until other ways have been looked at."""

_LEAST_PRECISION: Final = 96
"""Balls that are this much more precise than asked for stay narrow at the millionth node of a contour."""

_BOUND_BITS: Final = 96
"""Precision of bounds that only exclude."""

_COARSE: Final = 16
"""Bits that are kept of them."""

_LIMIT_BITS: Final = 2**20
"""Powers of probabilities that are longer are not written out."""

_TRIALS: Final = 8
"""Choices of precision, smoothing and step before the accuracy asked for is given up: each mends what was short."""


@dataclass(frozen=True)
class Mixture:
    """The sum of max(0, P - E Q) over messages that only one of n users sends, and U_n(L): a divergence.

    L is 0 with the probability that the atoms leave over.
    """

    charges: tuple[tuple[Fraction, Fraction], ...]
    """(P, Q) of the messages that the n - 1 others never send."""
    atoms: tuple[Atom, ...]

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """The hash of some hundred long fractions takes a millisecond, and answers are kept by mixture."""
        return hash((self.charges, self.atoms))

    @property
    def alone(self) -> Mixture:
        """The divergence of what the user who differs sends, whatever the others send."""
        return Mixture((*self.charges, *((atom.first, atom.second) for atom in self.atoms)), ())

    def divergence(self, copies: int, exp_eps: Real, *, relative_bits: int) -> Interval:
        """Enclose the divergence at E = ``exp_eps`` for n = ``copies``, to a relative width of 2**-relative_bits.

        E may be irrational; 0 is decided.

        Raises:
            TooLargeError: where a contour has too many nodes and the values occur in too many numbers.

        Cost: some milliseconds at any n and 20 bits for atoms that are not rare; about a second for 4 atoms at
        n = 1000 and 100 bits; see benchmarks/README.md.
        """
        charges = [(p, q) for p, q in self.charges if sign_at(p, q, exp_eps) > 0]
        moving = [atom for atom in self.atoms if atom.sign(exp_eps)]
        rises = any(atom.sign(exp_eps) > 0 for atom in moving)
        if not (charges or rises):
            return Interval(Dyadic.of(0), Dyadic.of(0))
        bits = relative_bits + 1
        rarest = max((a.weight.denominator.bit_length() - a.weight.numerator.bit_length() for a in moving), default=0)
        if (near := self._beside_one(copies, exp_eps, relative_bits)) is not None:
            return near
        for _ in range(_TRIALS):
            with precision(_LEAST_PRECISION + 2 * bits + 2 * copies.bit_length() + rarest):
                level = real_ball(exp_eps)
                ball = ball_sum(rational_ball(p) - level * rational_ball(q) for p, q in charges)
                if rises:
                    ball += positive_part(CopySum.of(moving, exp_eps, copies), bits) / copies
                accuracy = ball.rel_accuracy_bits()
                if accuracy > relative_bits:
                    return interval_of(ball, relative_bits)
            bits += 1 + max(0, min(bits, relative_bits - accuracy))
        raise TooLargeError(f"{copies} copies of {len(moving)} atoms: {relative_bits} bits are out of reach.")

    def _beside_one(self, copies: int, exp_eps: Real, relative_bits: int) -> Interval | None:
        """Enclose the divergence D by D(1) - (E - 1) <= D(E) <= D(1) where that is narrow: the values of L are then
        so near to a lattice that a contour meets all its periods. D falls by at most the sum of Q, which is at most 1.
        """
        if compare_reals(1 + Fraction(1, 2**relative_bits), exp_eps) < 0 or compare_reals(exp_eps, Fraction(1)) < 1:
            return None
        at_one = self.divergence(copies, Real(1), relative_bits=relative_bits + 2)
        with precision(2 * relative_bits + 32):
            ball = rational_ball(at_one.lower.fraction()) - (real_ball(exp_eps) - 1)
            ball = ball.union(rational_ball(at_one.upper.fraction()))
            return interval_of(ball, relative_bits) if ball.rel_accuracy_bits() > relative_bits else None

    def bound(self, copies: int, exp_eps: Real) -> Interval:
        """Return an interval whose upper end the divergence does not exceed, much faster than an enclosure.

        U_n(L) is at most E[e^(lam S)]/(e lam n) for every lam > 0, at most (E[S] + E[S^2]^(1/2))/(2n), and at most
        E[max(0, L)].
        """
        with precision(_BOUND_BITS + 2 * copies.bit_length()):
            level = real_ball(exp_eps)
            total = ball_sum((rational_ball(p) - level * rational_ball(q)).max(arb(0)) for p, q in self.charges)
            moving = [atom for atom in self.atoms if atom.sign(exp_eps)]
            if any(atom.sign(exp_eps) > 0 for atom in moving):
                whole = CopySum.of(moving, exp_eps, copies)
                mean, square = whole.law.mean, ball_sum(w * squared(v) for v, w in whole.law.items)
                variance = (square - squared(mean)).abs_upper()
                spread = (copies * variance + squared(copies * mean)).abs_upper().sqrt()
                gain = ball_sum(w * v.max(arb(0)) for v, w in whole.law.items)
                least = ((copies * mean + spread) / 2).min(copies * gain)
                tilt = ((-mean / variance).max(arb(0)) + 1 / (copies * variance).sqrt()).mid()
                chernoff = whole.law.moment(tilt) ** copies / (arb(1).exp() * tilt)
                if chernoff.is_finite():
                    least = least.min(chernoff)
                total += whole.unit * least / copies
            return interval_of(total, _COARSE)

    def limit(self, copies: int) -> Fraction:
        """Return the divergence at infinite E; where it would be too long to be written, a smaller number."""
        certain, telling, silent = self._certainties()
        if not telling or self.exceeds_limit(copies):
            return certain
        return certain + telling * silent ** (copies - 1)

    def limit_enclosed(self, copies: int, relative_bits: int) -> Interval:
        """Enclose the divergence at infinite E, however long it would be."""
        certain, telling, silent = self._certainties()
        with precision(relative_bits + 32 + copies.bit_length()):
            return interval_of(
                rational_ball(certain) + rational_ball(telling) * rational_ball(silent) ** (copies - 1), relative_bits
            )

    @property
    def limit_at_most(self) -> Fraction:
        """A number that the divergence at infinite E does not exceed for any n; the limit if Q > 0 in every atom."""
        certain, telling, _ = self._certainties()
        return certain + telling

    def _certainties(self) -> tuple[Fraction, Fraction, Fraction]:
        """Return P of what nobody else sends and Q never, P of the rest that Q never sends, and how likely one of the
        others sends nothing that Q may send."""
        return (
            sum((p for p, q in self.charges if not q), Fraction(0)),
            sum((atom.first for atom in self.atoms if not atom.second), Fraction(0)),
            1 - sum((atom.weight for atom in self.atoms if atom.second), Fraction(0)),
        )

    def exceeds_limit(self, copies: int) -> bool:
        """Whether ``limit`` is a smaller number, because the divergence at infinite E is too long to be written."""
        _, telling, silent = self._certainties()
        return telling > 0 and silent > 0 and copies * silent.denominator.bit_length() > _LIMIT_BITS

    def settled(self, copies: int) -> Fraction:
        """Return the least E from which on the divergence is what it is at infinite E.

        Before it, a message with Q > 0 is still of use: by itself, or beside n - 1 copies of the largest value of a
        message with Q = 0, which has (n - 1) P/c at most.
        """
        most = max((atom.first / atom.weight for atom in self.atoms if not atom.second), default=Fraction(0))
        ratios = [p / q for p, q in self.charges if q]
        ratios += [(atom.first + (copies - 1) * most * atom.weight) / atom.second for atom in self.atoms if atom.second]
        return max(ratios, default=Fraction(0))


def blanket_mixture(table: PairTable) -> Mixture:
    """Return what bounds the divergence of a pair for every data set of the others."""
    classes = table.beside(None) if table.others else table.classes
    return mixture_of((c.first, c.second, c.least) for c in classes)


def mixture_of(classes: Iterable[tuple[Fraction, Fraction, Fraction]]) -> Mixture:
    """Return the divergence of classes (P, Q, R) with others who send them with the probabilities R."""
    listed = list(classes)
    charges = tuple((first, second) for first, second, weight in listed if not weight and first)
    return Mixture(charges, tuple(Atom(w, first, second) for first, second, w in listed if w and (first or second)))


def positive_part(whole: CopySum, bits: int) -> arb:
    """E[max(0, L_1 + ... + L_n)], to about so many bits."""
    if not whole.law.mean > 0:
        return whole.unit * _of_negative_mean(whole, bits)
    opposite = whole.opposite()
    falls = any(value > 0 for value in opposite.law.values)
    rest = _of_negative_mean(opposite, bits) if falls else arb(0)
    return whole.unit * (whole.copies * whole.law.mean + rest)  # max(0, s) = s + max(0, -s)


def _of_negative_mean(whole: CopySum, bits: int) -> arb:
    """E[max(0, S)] over ``unit``: by counts or a contour, whichever takes less time."""
    if whole.copies <= _FEW_COPIES:
        return _of_few(whole.law, whole.copies)
    counts = CountSum(whole.law, whole.copies, bits, whole.saddle)
    if counts.steps <= _FEW_STEPS:
        return counts.positive_part()
    most = min(_NODES_OF_CONTOUR + counts.steps // _STEPS_OF_NODE, _PATIENCE)
    with suppress(TooLargeError):
        return Contour.of(whole, bits, most=most).positive_part()
    return _most_accurate(whole, bits, counts)


def _of_few(law: FewValues, copies: int) -> arb:
    """E[max(0, S)] of one or two copies, from all their values."""
    if copies == 1:
        return ball_sum(w * v.max(arb(0)) for v, w in law.items)
    items = list(law.items)
    twice = ball_sum(w * u * (v + x).max(arb(0)) for (v, w), (x, u) in combinations(items, 2))
    return 2 * (twice + ball_sum(w * w * v.max(arb(0)) for v, w in items))


def _most_accurate(whole: CopySum, bits: int, counts: CountSum) -> arb:
    """E[max(0, S)] in the way that takes the least time, and in others where that is not accurate."""
    from exactdp.privacy.amplification.float_contour import FloatContour  # loads numpy, which most answers do without

    rare = RareSum(whole.law, whole.copies, bits, whole.saddle, _of_law)
    ways: list[Way] = [counts, rare]
    if (in_floats := FloatContour.chosen(whole, bits)) is not None:
        ways.append(in_floats)
    total: arb | None = None
    for way in _fastest_first(ways, rare):
        if way.steps > _MOST_STEPS:
            break
        ball = way.positive_part()
        total = ball if total is None or ball.rad() < total.rad() else total
        if total.rel_accuracy_bits() >= bits - _LOST_BITS:
            return total
    if total is None:
        return Contour.of(whole, bits, most=MOST_NODES).positive_part()
    return total


def _fastest_first(ways: Sequence[Way], rare: RareSum) -> Iterator[Way]:
    """Yield the ways by their steps; those of ``rare``, found by much of its work, are asked for where they matter."""
    sooner = [way for way in ways if way is not rare and way.steps < rare.least_steps]
    yield from sorted(sooner, key=attrgetter("steps"))
    yield from sorted((way for way in ways if all(way is not one for one in sooner)), key=attrgetter("steps"))


def _of_law(law: FewValues, copies: int, bits: int) -> arb:
    """E[max(0, S)] of copies of any law, one whose values are known but nearly among them."""
    values = tuple(arb(0) if value.contains(0) else value for value in law.values)
    moved = copies * ball_sum(w * abs(v - u).abs_upper() for (v, w), u in zip(law.items, values, strict=True))
    if any(value > 0 for value in values):
        unit = arb(2) ** max(binary_exponent(value) for value in values if value != 0)
        zero = ball_sum(weight for value, weight in zip(values, law.weights, strict=True) if value == 0)
        scaled = FewValues(tuple(value / unit for value in values), law.weights)
        part = positive_part(CopySum(scaled, zero, arb(0), copies, unit), bits)
    else:
        part = arb(0)
    return part + (-moved).union(moved)
