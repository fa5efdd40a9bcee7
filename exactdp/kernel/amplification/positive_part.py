"""U_n(L) = E[max(0, L_1 + ... + L_n)] / n for independent copies of a law on few atoms, enclosed at any n.

Let S be the sum and Z normal with mean 0 and variance t^2, independent of S; t = 0 is allowed if S lies on a lattice.

Smoothing. For fixed s, E[(s + Z)_+] - s_+ = E[(abs(Z) - abs(s))_+] / 2 = t (phi(u) - u (1 - Phi(u))), u = abs(s)/t,
lies in [0, t phi(u)]. Taking means, with T = S + Z and f the density of T,

    E[T_+] - t^2 f(0)  <=  E[S_+]  <=  E[T_+].

If L is 0 with probability z, then S = 0 with probability at least z^n, where the first difference is t phi(0) exactly:
so E[S_+] <= E[T_+] - z^n t phi(0) as well.

Contour. H(a) = E[(T - a)_+] has the transform E[e^(zT)]/z^2 for Re z > 0. By Poisson's summation formula, for lam > 0
and a step D, with the period P = 2 pi/D,

    (D/2 pi) sum over k of E[e^(z_k T)] / z_k^2 = sum over j of e^(lam j P) H(j P),      z_k = lam + i k D,

which is H(0) plus terms that are not negative. By (T - a)_+ <= e^(m (T - a))/(e m) for m > 0, those with j > 0 are at
most E[e^(mT)]/(e m) q/(1 - q) with q = e^(-(m - lam) P) for any m > lam, and those with j < 0 the same with
q = e^(-(lam - m) P) for any m < lam. Without the factor 1/z^2 the sum is at least f(0). Where S lies on the lattice
g Z, t = 0 and D = 2 pi/(g N), the same holds for the sum over N consecutive k if 1/z^2 is replaced by
g^2 e^(-gz)/(1 - e^(-gz))^2, the transform of the multiples of g.

What is left out. Let r(y) = abs(E[e^((lam + iy)L)]) / E[e^(lam L)], and v the variance of L tilted by lam. Then r^2 is
the mean of cos(y (L - L')) over two tilted copies, so its second derivative is at most 2v in magnitude, and
r(y)^2 <= r(c)^2 + abs((r^2)'(c)) h + v h^2 for abs(y - c) <= h: one evaluation bounds the integrand on an interval,
and intervals on which it matters are halved until they are as short as a few steps, which are summed. Beyond the last
step Y the integrand is at most E[e^(lam L)]^n e^(t^2 (lam^2 - y^2)/2) / y^2. So the cost does not grow with n.

Where the integrand hardly falls, because most copies have one value or the values lie near a lattice, and for many bits
at some thousands of copies, :mod:`exactdp.kernel.amplification.counts` sums over how often each value occurs instead:
it says beforehand how many steps it takes, and the contour is given up where it would take longer.

Source: TrefethenWeideman2014, section 3 (the rule).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Final

from flint import acb, acb_mat, arb

from exactdp.caching import cached_property
from exactdp.errors import TooLargeError
from exactdp.kernel.amplification.counts import CountSum
from exactdp.kernel.amplification.rare import RareSum
from exactdp.kernel.amplification.tilted import FewValues, Tilted, ball_floor, ball_sum, binary_exponent, squared
from exactdp.kernel.balls import compare_reals, interval_of, precision, rational_ball, real_ball
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real

_FEW_STEPS: Final = 2000
"""Counts are summed at once where they are so few: a contour takes as long."""

_FEW_COPIES: Final = 2
"""The counts of so few copies are always summed: tilted to where they are concentrated, they no longer move."""

_STEPS_OF_NODE: Final = 4
"""A node of a contour takes about as long as so many steps of a sum over counts."""

_NODES_OF_CONTOUR: Final = 2**11
"""A contour may always have so many nodes: a few milliseconds."""

_MOST_STEPS: Final = 2**22
"""Summing more counts takes more than some seconds."""

_PATIENCE: Final = 2**14
"""Nodes after which a contour waits until other ways have been looked at."""

_BOUND_BITS: Final = 96
"""Precision of bounds that only exclude."""

_COARSE: Final = 16
"""Bits that are kept of them."""

_LATTICE_BITS: Final = 4096
"""Lattices finer than this are not looked for."""

_LIMIT_BITS: Final = 2**20
"""Powers of probabilities that are longer are not written out."""

_BLOCK: Final = 16
"""Nodes of a block that a bound may leave out: the bound costs as much as some three of them."""

_FULL_BLOCK: Final = 64
"""Nodes of a block where no bound is of use, because so many reach beyond the inverse deviation of one copy."""

_BATCH: Final = 128
"""Blocks in one product of matrices."""

_NODES_OF_BOUND: Final = 8
"""A bound takes about as long as so many nodes."""

_USELESS: Final = arb(2) ** 64
"""Stands for a bound that is not below what one node can be."""

_MOST_NODES: Final = 2**20
"""Summing more nodes takes a minute."""

_GUARD_BITS: Final = 10
"""Bits by which each of the four things left out stays below the accuracy asked for."""

_TRIALS: Final = 8
"""Choices of precision, smoothing and step before the accuracy asked for is given up: each mends what was short."""

_DISTANCES: Final = tuple(arb(2) ** k for k in range(-3, 6))
"""Candidates for how far the exponents m of the bounds lie from lam, in inverse deviations of the sum."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A value (first - E second)/weight of L and its probability, ``weight`` > 0; E is given beside the atoms."""

    weight: Fraction
    first: Fraction
    second: Fraction

    def sign(self, exp_eps: Real) -> int:
        """Return the sign of the value, decided."""
        return _sign(self.first, self.second, exp_eps)


@dataclass(frozen=True, slots=True)
class Mixture:
    """The sum of max(0, P - E Q) over messages that only one of n users sends, and U_n(L): a divergence.

    L is 0 with the probability that the atoms leave over.
    """

    charges: tuple[tuple[Fraction, Fraction], ...]
    """(P, Q) of the messages that the n - 1 others never send."""
    atoms: tuple[Atom, ...]

    def divergence(self, copies: int, exp_eps: Real, *, relative_bits: int) -> Interval:
        """Enclose the divergence at E = ``exp_eps`` for n = ``copies``, to a relative width of 2**-relative_bits.

        E may be irrational; 0 is decided.

        Raises:
            TooLargeError: where a contour has too many nodes and the values occur in too many numbers.

        Cost: some milliseconds at any n and 20 bits for atoms that are not rare; about a second for 4 atoms at
        n = 1000 and 100 bits; see benchmarks/README.md.
        """
        charges = [(p, q) for p, q in self.charges if _sign(p, q, exp_eps) > 0]
        moving = [atom for atom in self.atoms if atom.sign(exp_eps)]
        rises = any(atom.sign(exp_eps) > 0 for atom in moving)
        if not (charges or rises):
            return Interval(Dyadic.of(0), Dyadic.of(0))
        bits = relative_bits + 1
        rarest = max((a.weight.denominator.bit_length() - a.weight.numerator.bit_length() for a in moving), default=0)
        if (near := self._beside_one(copies, exp_eps, relative_bits)) is not None:
            return near
        for _ in range(_TRIALS):
            with precision(2 * bits + 32 + 2 * copies.bit_length() + rarest):
                level = real_ball(exp_eps)
                ball = ball_sum(rational_ball(p) - level * rational_ball(q) for p, q in charges)
                if rises:
                    ball += CopySum.of(moving, exp_eps, copies).positive_part(bits) / copies
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


def _sign(first: Fraction, second: Fraction, exp_eps: Real) -> int:
    if exp_eps.is_rational:
        excess = first - exp_eps.coefficient * second
        return (excess > 0) - (excess < 0)
    return compare_reals(first / second, exp_eps) if second else int(first > 0)


@dataclass(frozen=True)
class CopySum:
    """The sum of n copies, in balls at the precision that is set; its values are those of L over ``unit``."""

    law: FewValues
    zero: arb
    """P[L = 0]."""
    spacing: arb
    """A g such that all values are multiples of it; 0 where none is known."""
    copies: int
    unit: arb
    """A power of two that makes the largest value about 1."""

    @classmethod
    def of(cls, atoms: Sequence[Atom], exp_eps: Real, copies: int) -> CopySum:
        """Return the sum of copies of a law with some atoms, none of them 0."""
        level = real_ball(exp_eps)
        values = [rational_ball(a.first / a.weight) - level * rational_ball(a.second / a.weight) for a in atoms]
        unit = arb(2) ** max(binary_exponent(value) for value in values)
        weights = [rational_ball(atom.weight) for atom in atoms]
        spacing = _spacing(atoms, exp_eps)
        zero = rational_ball(1 - sum((atom.weight for atom in atoms), Fraction(0)))
        if zero > 0:
            values.append(arb(0))
            weights.append(zero)
        law = FewValues(tuple(value / unit for value in values), tuple(weights))
        return cls(law, zero, spacing / unit, copies, unit)

    def positive_part(self, bits: int) -> arb:
        """E[max(0, L_1 + ... + L_n)], to about so many bits."""
        if not self.law.mean > 0:
            return self.unit * self._of_negative_mean(bits)
        opposite = CopySum(self.law.opposite(), self.zero, self.spacing, self.copies, self.unit)
        falls = any(value > 0 for value in opposite.law.values)
        rest = opposite._of_negative_mean(bits) if falls else arb(0)
        return self.unit * (self.copies * self.law.mean + rest)  # max(0, s) = s + max(0, -s)

    def _of_negative_mean(self, bits: int) -> arb:
        """E[max(0, S)] over ``unit``: by counts or a contour, whichever takes less time."""
        counts = CountSum(self.law, self.copies, bits, self.saddle)
        if counts.steps <= _FEW_STEPS or self.copies <= _FEW_COPIES:
            return counts.positive_part()
        most = min(_NODES_OF_CONTOUR + counts.steps // _STEPS_OF_NODE, _PATIENCE)
        with suppress(TooLargeError):
            return Contour.of(self, bits, most=most).positive_part()
        ways = [counts, RareSum(self.law, self.copies, bits, self.saddle, _of_law)]
        best = min(ways, key=lambda way: way.steps)
        if best.steps > most * _STEPS_OF_NODE:
            with suppress(*[TooLargeError] if best.steps <= _MOST_STEPS else []):
                return Contour.of(self, bits, most=min(best.steps // _STEPS_OF_NODE, _MOST_NODES)).positive_part()
        return best.positive_part()

    @cached_property
    def saddle(self) -> Tilted:
        """The law tilted at about the saddle of the sum."""
        return self.law.saddle(self.copies)


def _of_law(law: FewValues, copies: int, bits: int) -> arb:
    """E[max(0, S)] of copies of any law, one whose values are known but nearly among them."""
    values = tuple(arb(0) if value.contains(0) else value for value in law.values)
    moved = copies * ball_sum(w * abs(v - u).abs_upper() for (v, w), u in zip(law.items, values, strict=True))
    if any(value > 0 for value in values):
        unit = arb(2) ** max(binary_exponent(value) for value in values if value != 0)
        zero = ball_sum(weight for value, weight in zip(values, law.weights, strict=True) if value == 0)
        scaled = FewValues(tuple(value / unit for value in values), law.weights)
        part = CopySum(scaled, zero, arb(0), copies, unit).positive_part(bits)
    else:
        part = arb(0)
    return part + (-moved).union(moved)


def _spacing(atoms: Sequence[Atom], exp_eps: Real) -> arb:
    """Return the largest g such that all values are multiples of it, if they are rational and not too long; else 0."""
    if not exp_eps.is_rational:
        return arb(0)
    values = [(atom.first - exp_eps.coefficient * atom.second) / atom.weight for atom in atoms]
    common = 1
    for value in values:
        common = lcm(common, value.denominator)
        if common.bit_length() > _LATTICE_BITS:
            return arb(0)
    return rational_ball(Fraction(gcd(*(int(value * common) for value in values)), common))


@dataclass(frozen=True)
class Contour:
    """The nodes lam + i k D and the smoothing t of one sum. They are choices; the result contains the truth.

    All sums are over E[e^(lam L)]^n.
    """

    whole: CopySum
    point: Tilted
    smoothing: arb
    """t; 0 on a lattice."""
    spacing: arb
    """g; 0 where the sum is smoothed."""
    period: arb
    above: arb
    """An m > lam for the terms with j > 0."""
    below: arb
    """An m < lam for those with j < 0."""
    last: int
    """The nodes are those with abs(k) up to this."""
    negligible: arb
    """What an interval of nodes may be left out for."""
    most: int
    """Nodes, and bounds of intervals, after which the contour is given up."""

    @classmethod
    def of(cls, whole: CopySum, bits: int, *, on_lattice: bool = False, most: int = _MOST_NODES) -> Contour:
        """Choose the nodes for about so many bits; the sum is smoothed where that is less work, and may be."""
        point = whole.saddle
        lam, deviation = point.tilt, point.deviation(whole.copies)
        curvature = (lam**2 + 1 / deviation**2).mid()
        off = whole.copies * point.law.mean.mid() / deviation
        size = ((-squared(off) / 2).exp() / (deviation * curvature) / 3).mid()  # about H(0)
        smoothing = (arb(2) ** -bits / curvature).sqrt().mid()
        reach = (2 * arb(2).log() * (bits + _GUARD_BITS)).sqrt().mid() / smoothing
        spacing = whole.spacing if on_lattice or arb.pi() < reach * whole.spacing else arb(0)
        if spacing > 0:
            smoothing = arb(0)
        goal = size * arb(2) ** -(bits + _GUARD_BITS)
        above, up = _nearest(whole, point, smoothing, goal, [lam + c / deviation for c in _DISTANCES])
        below, down = _nearest(whole, point, smoothing, goal, [lam / (1 + c / (lam * deviation)) for c in _DISTANCES])
        length = up.max(down)
        if not length.is_finite():
            raise TooLargeError(f"{whole.copies} copies of {len(whole.law.values)} values: no contour was found.")
        last = ball_floor(length / spacing / 2 if spacing > 0 else reach * length / (2 * arb.pi())) + 1
        period = spacing * (2 * last + 1) if spacing > 0 else length
        return cls(whole, point, smoothing, spacing, period, above, below, last, goal / 2**_GUARD_BITS, most)

    def positive_part(self) -> arb:
        """E[max(0, S)]."""
        nodes, density = self._sums()
        total = nodes + (-self._aliases()).union(arb(0))  # H(0)
        if self.smoothing > 0:
            gap = self.smoothing**2 * density.abs_upper()
            least = (self.whole.zero / self.point.moment) ** self.whole.copies * self.smoothing / (2 * arb.pi()).sqrt()
            total = (total - gap).union(total - least)
        return total.max(arb(0)) * self.point.moment**self.whole.copies

    def _aliases(self) -> arb:
        """Bound the terms with j != 0."""
        total = arb(0)
        for exponent in (self.above, self.below):
            ratio = (-(exponent - self.point.tilt).abs_lower() * self.period).exp()
            total += _chernoff(self.whole, self.point, self.smoothing, exponent) * ratio / (1 - ratio)
        return total.abs_upper()

    def _sums(self) -> tuple[arb, arb]:
        """Return the sums over the nodes, of H(0) with its aliases and of at least f(0), what is left out enclosed."""
        total = self._summed([0], 1)
        left_out, blocks = arb(0), list[int]()
        least = self._step * self.last * self.point.variance.sqrt() / 2  # wider intervals have no bound
        bounds = ball_floor(least) if least < self.most else self.most
        intervals = [(0, -(-self.last // self._block))]
        while intervals:
            first, last = intervals.pop()
            bounds += 1
            if len(blocks) * self._block + bounds * _NODES_OF_BOUND > self.most:
                raise TooLargeError(f"a sum of {self.whole.copies} copies needs more than {self.most} nodes.")
            bound = self._bound(1 + first * self._block, last * self._block)
            if bound < self.negligible:
                left_out += bound
            elif last - first == 1:
                blocks.append(1 + first * self._block)
            else:
                middle = (first + last) // 2
                intervals += [(first, middle), (middle, last)]
        for start in range(0, len(blocks), _BATCH):
            total += 2 * self._summed(blocks[start : start + _BATCH], self._block)
        left_out *= self._step / arb.pi()
        if self.smoothing > 0:
            reach = self._step * self.last
            left_out += self._damping(reach) / (arb.pi() * reach)
        value, density = total.real / self.period, total.imag / self.period
        if self.smoothing > 0:
            density += left_out / self.smoothing**2
        return value + (-left_out).union(left_out), density

    @cached_property
    def _step(self) -> arb:
        return 2 * arb.pi() / self.period

    @cached_property
    def _block(self) -> int:
        """Nodes of a block."""
        across = self.point.variance * squared(_BLOCK * self._step)
        return _BLOCK if across < 1 else _FULL_BLOCK

    @cached_property
    def _turns(self) -> acb_mat:
        """What turns the terms at the first node of a block into those at each of its nodes."""
        steps = [self._step * node for node in range(self._block)]
        return acb_mat([[acb(0, step * v).exp() for step in steps] for v in self.point.law.values])

    def _turned(self, angle: arb) -> list[acb]:
        """The terms of E[e^((lam + i angle)L)] / E[e^(lam L)]."""
        law = self.point.law
        return [w * acb(0, angle * v).exp() for v, w in law.items]

    def _damping(self, angle: arb) -> arb:
        """Bound abs(e^(t^2 z^2/2)) for z = lam + i y from y = ``angle`` on."""
        return (self.smoothing**2 * (self.point.tilt**2 - angle**2) / 2).exp()

    def _bound(self, first: int, last: int) -> arb:
        """Bound the sum of abs(integrand) (1 + t^2 abs(z)^2) over some nodes; 2**64 where that is of no use."""
        center, reach = self._step * (first + last) / 2, self._step * (last - first) / 2
        if not self.point.variance * reach**2 < 1:
            return _USELESS
        terms = self._turned(center)
        size = sum(terms, acb(0))
        slope = sum((term * v for term, v in zip(terms, self.point.law.values, strict=True)), acb(0))
        turning = 2 * (size.imag * slope.real - size.real * slope.imag)  # the derivative of size.real^2 + size.imag^2
        square = squared(size.real) + squared(size.imag) + abs(turning) * reach + self.point.variance * reach**2
        if not square < 1:
            return _USELESS
        start = self._step * first
        power = (square.abs_upper().log() * self.whole.copies / 2).exp()
        return (last - first + 1) * power * self._damping(start) * (self._kernel_bound(start) + self.smoothing**2)

    def _kernel_bound(self, angle: arb) -> arb:
        """Bound abs(1/z^2), or what stands for it on a lattice, for z = lam + i y from y = ``angle`` on."""
        lam, spacing = self.point.tilt, self.spacing
        if self.smoothing > 0:
            return 1 / (lam**2 + angle**2)
        return spacing**2 / 4 / (squared((spacing * lam / 2).sinh()) + squared((spacing * angle / 2).sin()))

    def _summed(self, starts: Sequence[int], nodes: int) -> acb:
        """Return the sum over blocks of the integrand's real part, and as imaginary part of that without 1/z^2."""
        table = acb_mat([self._turned(self._step * start) for start in starts]) * self._turns
        total = acb(0)
        for row, start in enumerate(starts):
            for column in range(min(nodes, self.last + 1 - start)):
                z = acb(self.point.tilt, self._step * (start + column))
                total += self._integrand(z, table[row, column] ** self.whole.copies)
        return total

    def _integrand(self, z: acb, power: acb) -> acb:
        """Return the real parts of the integrand and, for the density, of the integrand without 1/z^2."""
        if self.smoothing > 0:
            square = z * z
            power *= (square * self._half_square).exp()
            return acb((power / square).real, power.real)
        spacing = self.spacing
        fall = (-spacing * z).exp()
        return acb((power * fall * (spacing / (1 - fall)) ** 2).real)

    @cached_property
    def _half_square(self) -> arb:
        return self.smoothing**2 / 2


def _chernoff(whole: CopySum, point: Tilted, smoothing: arb, exponent: arb) -> arb:
    """Bound E[max(0, T)] by E[e^(mT)]/(e m), over E[e^(lam L)]^n."""
    ratio = (whole.law.moment(exponent) / point.moment) ** whole.copies
    return ratio * (smoothing**2 * exponent**2 / 2 - 1).exp() / exponent


def _nearest(whole: CopySum, point: Tilted, smoothing: arb, goal: arb, exponents: Sequence[arb]) -> tuple[arb, arb]:
    """Return the exponent of which the terms fall below the goal within the shortest period, and the period."""
    best: tuple[arb, arb] | None = None
    for exponent in exponents:
        middle = exponent.mid()
        period = (_chernoff(whole, point, smoothing, middle) / goal).log().mid() / abs(middle - point.tilt).mid()
        if best is None or period < best[1]:
            best = middle, period
    assert best is not None
    return best
