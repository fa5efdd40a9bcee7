"""A contour sum for the mean of the positive part of n independent copies of a law on few values.

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

Source: TrefethenWeideman2014, section 3 (the rule).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from flint import acb, acb_mat, arb

from exactdp.caching import cached_property
from exactdp.errors import TooLargeError
from exactdp.privacy.amplification.tilted import CopySum, Tilted, ball_floor, squared
from exactdp.privacy.amplification.wide_intervals import WideIntervals

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

MOST_NODES: Final = 2**20
"""Summing more nodes takes a minute."""

_GUARD_BITS: Final = 10
"""Bits by which each of the four things left out stays below the accuracy asked for."""

_DISTANCES: Final = tuple(arb(2) ** k for k in range(-3, 6))
"""Candidates for how far the exponents m of the bounds lie from lam, in inverse deviations of the sum."""


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
    def of(cls, whole: CopySum, bits: int, *, on_lattice: bool | None = None, most: int = MOST_NODES) -> Self:
        """Choose the nodes for about so many bits, on the lattice where that is less work if nothing else is said."""
        point = whole.saddle
        lam, deviation = point.tilt, point.deviation(whole.copies)
        curvature = (lam**2 + 1 / deviation**2).mid()
        off = whole.copies * point.law.mean.mid() / deviation
        size = ((-squared(off) / 2).exp() / (deviation * curvature) / 3).mid()  # about H(0)
        smoothing = (arb(2) ** -bits / curvature).sqrt().mid()
        reach = (2 * arb(2).log() * (bits + _GUARD_BITS)).sqrt().mid() / smoothing
        if on_lattice is None:
            on_lattice = bool(arb.pi() < reach * whole.spacing)
        spacing = whole.spacing if on_lattice else arb(0)
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
        negligible = goal / 2**_GUARD_BITS
        return cls(whole, point, smoothing, spacing, period, above, below, last, negligible, most)

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
            ends = 1 + first * self._block, last * self._block
            bound = _USELESS if self._wide is not None and self._wide.holds(*ends) else self._bound(*ends)
            if bound < self.negligible:
                left_out += bound
            elif last - first == 1:
                blocks.append(1 + first * self._block)
            else:
                middle = (first + last) // 2
                intervals += [(first, middle), (middle, last)]
        for start in range(0, len(blocks), _BATCH):
            total += 2 * self._summed(blocks[start : start + _BATCH], self._block)
        left_out = left_out * self._step / arb.pi() + self._last_part()
        value, density = total.real / self.period, total.imag / self.period
        if self.smoothing > 0:
            density += left_out / self.smoothing**2
        return value + (-left_out).union(left_out), density

    def _last_part(self) -> arb:
        """Bound what the nodes beyond the last one add."""
        if not self.smoothing > 0:
            return arb(0)
        reach = self._step * self.last
        return self._damping(reach) / (arb.pi() * reach)

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
        return [acb(0, angle * v).exp() * w for v, w in law.items]  # the other order takes five times as long

    def _damping(self, angle: arb) -> arb:
        """Bound abs(e^(t^2 z^2/2)) for z = lam + i y from y = ``angle`` on."""
        return (self.smoothing**2 * (self.point.tilt**2 - angle**2) / 2).exp()

    @cached_property
    def _wide(self) -> WideIntervals | None:
        """What tells beforehand that a bound is of no use."""
        return WideIntervals.of(self.point, self._step, self.last)

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
        fall = (z * -spacing).exp()
        return acb((power * fall * (acb(spacing) / (1 - fall)) ** 2).real)

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
