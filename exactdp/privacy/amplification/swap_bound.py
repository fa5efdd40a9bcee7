"""The swap bound: what the divergence of no data set exceeds, and data sets whose others hold one input nearly attain.

The user who differs sends by P or by Q, each of the N = n - 1 others by his row R_i, and E = e^eps >= 1. Write mu for
P - E Q and H for the sum of max(0, mu). Let 0 <= c <= R_i for all i, and gamma = c(all messages) > 0. Under a row R,
L_R = mu/R where R > 0, and s_R is the sum of max(0, mu) over R = 0.

*Swap.* For every data set of the others, who may run different randomizers, H_E is at most

    (1-gamma)^N H + sum over t = 1..N of gamma (1-gamma)^(t-1) mean over S of (1/r) [E max(0, sum L_i) + sum s_i],

S uniform among the sets of r = N - t + 1 others, i in S, and the L_i independent, each under its own row R_i.

*Proof.* m_0 is the message of the user who differs, m_i that of another. Go through the others in uniform order; at
each a coin falls on 1 with probability c(m_i)/R_i(m_i). T is the place of the first, pi, whose coin does. If there is
none, publish all messages with their owners: mass (1-gamma)^N, divergence H. Else publish T, the users before pi with
their messages, y = m_pi *without* its owner, and for the set S of the others not seen before, labelled, their messages,
but for pi, who shows m_0. The shuffled messages are a function of this. Given what came before, each i in S is pi with
the same probability; those before contribute prod (R_i - c)(m_i), of total mass (1-gamma)^(t-1); y contributes
R_i(y) c(y)/R_i(y) = c(y), the same for every owner. So the signed density is that times

    (1/r) sum over i in S of mu(m'_i) prod over j != i of R_j(m'_j),

whose positive part adds up to (1/r) E max(0, sum of L_i) where all R_i > 0 and to at most s_i for the rest of mu. QED

*Dropping.* A sum over r users is a mean of sums over r' < r of them, so that the mean over S of (1/r) E max(0, sum L_i)
rises as r falls: T <= t may be replaced by T = t. For t_0 = 0 < t_1 < ... < t_K <= N and w_k = (1-gamma)^(t_(k-1)) -
(1-gamma)^(t_k), stage k has the weight w_k and r_k = n - t_k users, and (1-gamma)^(t_K) H is left.

*Vertex.* M_R(z) is the sum of R e^(z mu/R) over R > 0. For even r and any lam, tau, h > 0, any K >= 1 and Y = K h let

    B_r(R) = M_R(lam)^r e^((tau lam)^2/2)/(2 pi r) [h sum over abs(k) <= K of phi(k h)^r w(k h) + 2 e^(-(tau Y)^2/2)/Y],

phi(y) = abs(M_R(lam + iy))/M_R(lam),  w(y) = e^(-(tau y)^2/2)/(lam^2 + y^2). For independent L_1, ..., L_r under rows
R_1, ..., R_r, (1/r) E max(0, L_1 + ... + L_r) is at most (1/r) times the sum of B_r(R_i).

*Proof.* Let G be normal, with mean 0 and deviation tau, independent of all. E max(0, S) <= E max(0, S + G) (Jensen),
and that is 1/(2 pi) times the integral of prod M_i(z) e^((tau z)^2/2)/z^2 over z = lam + iy. Take absolute values:
abs(e^((tau z)^2/2)) = e^(tau^2 (lam^2 - y^2)/2), and prod a_i <= (1/r) sum a_i^r. Left is, for each row, the integral
of phi^r w. As r is even, phi^r is the characteristic function of a difference of two sums of r/2 copies under the
tilted law, and lam^2 w that of a sum of a Laplace and a normal law, so that phi^r w is, but for a constant, the Fourier
transform of a continuous density f >= 0. By Poisson's summation h times the sum of phi(k h)^r w(k h) over *all* k is
the integral and, for every other multiple of 2 pi/h, what f is there: not less than the integral. The nodes beyond K
add at most 2 e^(-(tau Y)^2/2)/Y: phi <= 1, w(y) <= e^(-(tau Y)^2/2)/y^2, and the sum of h/(k h)^2 over k > K is below
1/Y. QED

*The bound.* The mean over S of (1/r) sum of B(R_i) is the mean of B(R_i) over all others, for every r. So for all data
sets of one randomizer with rows R_v, and any choice of stages and of lam, tau, h and K,

    H_E <= (1-gamma)^(t_K) H + max over v of sum over k of w_k [B_(r_k)(R_v) + s_v].

If all others hold v the divergence is (1/n) E max(0, sum of n copies of L_v) + s_v: what separates the two is a factor
near 1 for the absolute values, and the t users. The smoothing, the nodes and the rest raise B by less than 0.1 % beyond
the integral of phi^r/(lam^2 + y^2) for the usual choices, which is no part of the proof.

*Own slot.* With s others unseen, stop before anybody is looked at with probability gamma/(s + gamma); else look at one,
whose coin falls as before. Where it falls on 1 the user who differs takes over the slot of that one, and y, of the law
c/gamma, goes into his. So each of s + 1 labelled slots, those of the unseen and his own, is that of mu with one mass,
gamma/(s + gamma): for s = N, N - 1, ..., and s (1-gamma)/(s + gamma) of what is left each time,

    (1/(s+1)) [E max(0, L_own + sum over S of L_i) + s_own + sum over S of s_i],

L_own = gamma mu/c under c/gamma, s_own the sum of max(0, mu) over c = 0. Dropping and Vertex apply to the s + 1 slots:
a stage with s unseen at its end adds w_k [X_v + max(0, X_own - X_v)/(s+1)], X = B + s, as the share is largest there.

*Every randomizer.* Let all rows of all users lie within the factor E0 = e^eps0 of each other, E0 > 1. Then
c = max(P, Q)/E0, scaled down to the mass gamma = 1/E0, is below all rows, H <= max(0, E0 - E)/(E0 + 1), and in the
bound above the maximum over v may be replaced by that over five randomizers, each given by its messages (P, Q, R):

    (E0, 1, 1), (1, E0, E0)    (1, E0, 1), (E0, 1, E0)    (1, 1, E0), (E0, E0, 1)     over E0 + 1, the third with P = Q;
    (E0, 1, 1), (1, E0, 1), (1, 1, E0)   over E0 + 2;     (1, E0, E0), (E0, 1, E0), (E0, E0, 1)   over 2 E0 + 1.

*Proof.* The vector (P, Q, R)(m) lies in the cone of the six rays {1, E0}^3 without the two constant ones. Split each
message into rays: under R the mean of the new L is L, so E max(0, S) does not fall; this comes before absolute values.
The shares w of rays that add up to the masses (1, 1, 1) are a polytope, whose vertices, of at most three rays, are the
five; M is linear in w, so that phi^r M^r is at most its mean over the vertices (convexity of abs(z)^r). The row c/gamma
is max(P, Q) over its mass, which is from 1 to E0: it lies within the factor E0 of P and Q, and X_own is at most the
largest X of the five. QED
Some row attains (1/n) E max(0, sum of n copies) of each: a randomizer of at most three inputs and messages.

*Several randomizers.* Let w_j be the shares of the others who run randomizer j, whose rows are R_(j,v). In the proof of
*Vertex* take the mean over S before the product is bounded: the mean of prod a_i over subsets S of r of N users is at
most the r-th power of the mean of all a_i (Maclaurin), which is at most (mean of a_i^2)^(r/2), r even. With a_i =
abs(M_i(lam + iy)) the mean of squares is linear in how many users of each j hold v, and its power convex: largest where
all users of one randomizer hold one input. So B_r and s are replaced, for one input v_j for each j, by those with

    M^2 = sum of w_j M_j(lam)^2,        phi(y)^2 = sum of w_j abs(M_j(lam + iy))^2 / M^2,        s = sum of w_j s_j,

and the maximum is over the tuples (v_j), outside. phi^r is positive definite as before. The numbers of users of each j
in S are random: with fixed shares in the exponents, prod M_j^(r w_j), this would be false. There is no own slot here.

Nodes that hardly matter are bounded together: phi^(r_k) <= phi^(r_K), as phi <= 1 and r_K is the least.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, reduce
from itertools import pairwise
from math import isqrt
from operator import attrgetter
from typing import Any, Final, TypeAlias

from flint import acb, acb_mat, arb

from exactdp.caching import cached_property
from exactdp.errors import TooLargeError
from exactdp.mechanisms.pair_table import PairTable
from exactdp.numbers.balls import interval_of, precision, rational_ball, real_ball
from exactdp.numbers.bisection import valley
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.bounds_of_pairs import MadeBound, ManyPairs, Pair, log_size
from exactdp.privacy.amplification.guesses import log_excess
from exactdp.privacy.amplification.positive_part import Mixture, blanket_mixture, mixture_of
from exactdp.privacy.amplification.swap_choices import Plan, choose, guessed_size, negligible
from exactdp.privacy.amplification.tilted import Atom, FewValues, ball_sum, squared

_GUARD_BITS: Final = 64
"""Bits beyond those asked for: phases of some 2^16, and thousands of summands."""

_QUICK_BITS: Final = 64
"""Precision of bounds that only exclude, beyond what many users cost."""

_FEW: Final = 64
"""Up to so many users what floats guess of a blanket may be far above it."""

_COARSE_BITS: Final = 8
"""At which the two bounds are compared first."""

_MUCH_MORE: Final = 1 / 16
"""A blanket that floats see so much above the swap bound, in logarithms, is not enclosed: they err by half of it."""

_FIRST: Final = Fraction(1)

_TRIALS: Final = 4
"""Choices of precision before the accuracy asked for is given up."""

_USUAL_BITS: Final = 20
"""At least so many bits are enclosed: fewer take as long."""

_KEPT: Final = 64
"""Answers that are kept: a search for eps asks for a coarse enclosure and a fine one."""

SWAP: Final = "the swap bound, all others at their worst input (proved in exactdp.privacy.amplification.swap_bound)"
"""What proves the swap bound."""


Vertex: TypeAlias = tuple[tuple[Fraction, Mixture], ...]
"""Which share of the others has which row."""


@dataclass(frozen=True)
class PairBound(MadeBound):
    """The smaller of the bound by the blanket and the swap bound, of an ordered pair of inputs."""

    blanket: Mixture
    """The pair beside c."""
    gamma: Fraction
    """The mass of c, from 0 to 1."""
    rows: tuple[Mixture, ...]
    """The pair beside each row that others may have."""
    own: Mixture | None
    """The pair beside the row c/gamma; None where this is bounded as the rows are."""
    swap: str = SWAP
    """What proves the swap bound."""
    may_own: bool = True
    """Whether the user who differs may keep a slot of his own."""
    states_blanket: bool = True
    """Whether certificates state the bound by the blanket."""

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.blanket, self.gamma, self.rows))

    @classmethod
    def of(cls, table: PairTable) -> PairBound:
        """Return the bound of a pair beside others who hold the inputs that its table names, or ones alike."""
        rows = map(table.beside, range(len(table.others)))
        mixtures = dict.fromkeys(mixture_of((c.first, c.second, c.least) for c in row) for row in rows)
        blanket = blanket_mixture(table)
        gamma = sum((atom.weight for atom in blanket.atoms), Fraction(0))
        return cls(blanket, gamma, tuple(mixtures), own_row(blanket, gamma))

    def divergence(self, users: int, exp_eps: Real, *, relative_bits: int) -> Interval:
        """Enclose the smaller bound; TooLargeError where neither is enclosed.

        Cost: some milliseconds for each row and for the blanket, at any n; tens where delta is below 10^-300.
        """
        swapped = self.swapped(users, exp_eps, relative_bits)
        if swapped is None:
            return self.blanket.divergence(users, exp_eps, relative_bits=relative_bits)
        guess = guessed_size(self.blanket, users, exp_eps)
        if users > _FEW and guess > log_excess(swapped.upper, _FIRST) + _MUCH_MORE:
            return swapped
        with suppress(TooLargeError):
            for bits in sorted({min(_COARSE_BITS, relative_bits), relative_bits}):
                plain = self.blanket.divergence(users, exp_eps, relative_bits=bits)
                if swapped.upper <= plain.lower:
                    break
            else:
                return Interval(min(swapped.lower, plain.lower), min(swapped.upper, plain.upper))
        return swapped

    def theorem(self, users: int, exp_eps: Real) -> str | None:
        """Return what proves the swap bound where it is the smaller one; None where it is the blanket."""
        swapped = self.swapped(users, exp_eps, _USUAL_BITS)
        if swapped is None:
            return None
        bound = self.divergence(users, exp_eps, relative_bits=_USUAL_BITS)
        return self.swap if swapped.lower <= bound.upper else None

    def swapped(self, users: int, exp_eps: Real, relative_bits: int) -> Interval | None:
        """Enclose the swap bound; None where there is none, or where it is of no use.

        At each E it is one number, whatever the accuracy: the choices depend on E and n alone.
        """
        asked = users, exp_eps, max(relative_bits, _USUAL_BITS)
        if asked not in self._known:
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[asked] = self._enclosed(*asked)
        return self._known[asked]

    @cached_property
    def _known(self) -> dict[tuple[int, Real, int], Interval | None]:
        return {}

    def _enclosed(self, users: int, exp_eps: Real, relative_bits: int) -> Interval | None:
        if (plan := self.plan(users, exp_eps)) is None:
            return None
        return enclosed_by(lambda: AtPlan(self, plan, users, real_ball(exp_eps)).bound(), users, relative_bits)

    def plan(self, users: int, exp_eps: Real) -> Plan | None:
        """Return the choices at an E and n; None without a blanket, or where floats see no use in the swap bound."""
        if (asked := (users, exp_eps)) not in self._plans:
            if len(self._plans) >= _KEPT:
                self._plans.clear()
            self._plans[asked] = self._chosen(users, exp_eps) if self.gamma else None
        return self._plans[asked]

    def _chosen(self, users: int, exp_eps: Real) -> Plan | None:
        return choose(self.rows, self.own, self.blanket, self.gamma, users, exp_eps, may_own=self.may_own)

    @cached_property
    def stated(self) -> PairBound:
        """The bound as certificates state it."""
        return self if self.states_blanket else replace(self, blanket=self.blanket.alone)

    @property
    def vertices(self) -> Sequence[Vertex]:
        """The rows that others may have, each alone."""
        return [((Fraction(1), row),) for row in self.rows]

    @cached_property
    def _plans(self) -> dict[tuple[int, Real], Plan | None]:
        return {}

    def bound(self, users: int, exp_eps: Real) -> Interval:
        """Return an interval whose upper end the smaller bound does not exceed."""
        plain = self.blanket.bound(users, exp_eps)
        if (plan := self.plan(users, exp_eps)) is None:
            return plain
        with precision(_QUICK_BITS + 2 * users.bit_length()):
            swapped = interval_of(AtPlan(self, plan, users, real_ball(exp_eps)).quick_bound(), _COARSE_BITS)
        return min(plain, swapped, key=attrgetter("upper"))

    def limit(self, users: int) -> Fraction:
        """Return the bound at infinite E, of either: what P sends and Q never, as if all others held what Q holds."""
        return self.blanket.limit(users)

    def exceeds_limit(self, users: int) -> bool:
        """Whether the bound is known to be above ``limit`` at every E."""
        return self.blanket.exceeds_limit(users)

    def settled(self, users: int) -> Fraction:
        """Return the E from which on the bound by the blanket, and so the smaller one, is ``limit``."""
        return self.blanket.settled(users)

    def limit_enclosed(self, users: int, relative_bits: int) -> Interval:
        """Enclose the bound at infinite E."""
        return self.blanket.limit_enclosed(users, relative_bits)

    @property
    def limit_at_most(self) -> Fraction:
        """The bound at infinite E, for any n."""
        return self.blanket.limit_at_most

    def log_size(self, users: int, exp_eps: float) -> float:
        """Return about the logarithm of the bound: the largest of the rows, which it is near."""
        return max((log_size(row, users, exp_eps) for row in self.rows), default=log_size(self.blanket, users, exp_eps))

    def log_sizes(self, users: int, exp_eps: Real, rows: int | None = None) -> list[float]:
        """Return about the logarithm of the bound beside each row, or so many, nearer than ``log_size`` and slower."""
        return [guessed_size(row, users, exp_eps) for row in self.rows[:rows]]


@dataclass(frozen=True)
class VertexBound(PairBound):
    """The smaller of both bounds beside vertices that are given."""

    given: tuple[Vertex, ...] = ()

    __hash__ = PairBound.__hash__

    @classmethod
    def beside(
        cls,
        blanket: Mixture,
        gamma: Fraction,
        vertices: Iterable[Vertex],
        swap: str = SWAP,
        *,
        own: Mixture | None = None,
        may_own: bool = False,
    ) -> VertexBound:
        """Return the bound; c is the blanket, and gamma its mass."""
        given = tuple(dict.fromkeys(vertices))
        return cls(blanket, gamma, tuple(map(_blended, given)), own, swap, may_own=may_own, given=given)

    @property
    def vertices(self) -> Sequence[Vertex]:
        """What others may have."""
        return self.given

    @cached_property
    def by_blanket(self) -> VertexBound:
        """The bound by the blanket in the same form, and by a user or two less: all hold what it is, and all swap."""
        return VertexBound.beside(self.blanket, Fraction(1), [((Fraction(1), self.blanket),)])


@dataclass(frozen=True)
class MadeBounds(Sequence[PairBound]):
    """Bounds that are made where they are asked for."""

    make: Callable[[int], PairBound]
    number: int

    def __len__(self) -> int:
        return self.number

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[k] for k in range(*place.indices(self.number))]
        if not 0 <= place < self.number:
            raise IndexError(place)
        if place not in self._made:
            self._made[place] = self.make(place)
        return self._made[place]

    @cached_property
    def _made(self) -> dict[int, PairBound]:
        return {}


@dataclass(frozen=True)
class SmallestBound(PairBound):
    """The smallest of several bounds of one pair; the blanket is that of all.

    Two that are nearly equal may be told apart at one accuracy and not at another: both hold.
    """

    given: Sequence[PairBound] = ()
    """In an order in which they fall, then rise, about."""
    leading: int | None = None
    """So many rows, the first ones, are about the worst; None where that is not known."""

    __hash__ = PairBound.__hash__

    @classmethod
    def of_all(cls, bounds: Sequence[PairBound], leading: int | None = None) -> PairBound:
        """Return the smallest of bounds that differ in their rows."""
        first = bounds[0]
        if len(bounds) == 1:
            return first
        fixed = {name: getattr(first, name) for name in ("own", "swap", "may_own", "states_blanket")}
        return cls(first.blanket, first.gamma, first.rows, **fixed, given=bounds, leading=leading)

    def swapped(self, users: int, exp_eps: Real, relative_bits: int) -> Interval | None:
        """Enclose the smallest swap bound of those that are asked for, beside the one that floats see least."""
        found = dict[int, Interval | None]()

        def at(place: int) -> Interval | None:
            if place not in found:
                found[place] = self.given[place].swapped(users, exp_eps, relative_bits)
            return found[place]

        def is_less(one: int, other: int) -> bool:
            here, there = at(one), at(other)
            return here is not None and (there is None or here.upper < there.upper)

        least = at(valley(self._guess(users, exp_eps), 0, len(self.given) - 1, is_less))
        if least is None:
            return None
        return Interval(min(one.lower for one in found.values() if one is not None), least.upper)

    def _guess(self, users: int, exp_eps: Real) -> int:
        """Return the place of the bound that floats see least: it is that one, or one a little before."""
        if (asked := (users, exp_eps)) not in self._guesses:
            if len(self._guesses) >= _KEPT:
                self._guesses.clear()
            size = cache(lambda place: max(self.given[place].log_sizes(users, exp_eps, self.leading)))
            self._guesses[asked] = valley(0, 0, len(self.given) - 1, lambda one, other: size(one) < size(other))
        return self._guesses[asked]

    @cached_property
    def _guesses(self) -> dict[tuple[int, Real], int]:
        return {}

    def near(self, users: int, exp_eps: Real) -> PairBound:
        """Return one that is about the smallest."""
        return self.given[max(0, self._guess(users, exp_eps) - 1)]

    def plan(self, users: int, exp_eps: Real) -> Plan | None:
        """Return the choices of one that is about the smallest."""
        return self.near(users, exp_eps).plan(users, exp_eps)

    def bound(self, users: int, exp_eps: Real) -> Interval:
        """Return an interval whose upper end the smallest bound does not exceed."""
        return self.near(users, exp_eps).bound(users, exp_eps)

    def log_sizes(self, users: int, exp_eps: Real, rows: int | None = None) -> list[float]:
        """Return about the logarithm of one that is about the smallest, beside each row, or so many."""
        return self.near(users, exp_eps).log_sizes(users, exp_eps, rows)


def own_row(blanket: Mixture, gamma: Fraction) -> Mixture:
    """Return the pair beside c/gamma, from that beside c."""
    shared = (Atom(atom.weight / gamma, atom.first, atom.second) for atom in blanket.atoms if gamma)
    return Mixture(blanket.charges, tuple(shared))


def _blended(vertex: Vertex) -> Mixture:
    """Return the pair beside a row of a user whose randomizer is drawn and seen: what chooses, nothing more."""
    charges = tuple((share * p, share * q) for share, row in vertex for p, q in row.charges)
    atoms = (Atom(share * a.weight, share * a.first, share * a.second) for share, row in vertex for a in row.atoms)
    return Mixture(charges, tuple(atoms))


def enclosed_by(ball_of: Callable[[], arb], users: int, relative_bits: int) -> Interval:
    """Return an interval around a ball, computed at a precision at which it is narrow enough."""
    bits = relative_bits + 2 * users.bit_length() + _GUARD_BITS
    for _ in range(_TRIALS):
        with precision(bits):
            ball = ball_of()
            if ball.rel_accuracy_bits() > relative_bits:
                return interval_of(ball, relative_bits)
        bits *= 2
    raise TooLargeError(f"the swap bound of n={users} users: {relative_bits} bits are out of reach.")


@dataclass(frozen=True)
class _Nodes:
    """The nodes of a plan, in balls at the precision that is set."""

    plan: Plan

    @cached_property
    def tilt(self) -> arb:
        """lam."""
        return rational_ball(self.plan.tilt)

    @cached_property
    def scale(self) -> arb:
        """e^((tau lam)^2/2)/(2 pi)."""
        return rational_ball((self.plan.smoothing * self.plan.tilt) ** 2 / 2).exp() / (2 * arb.pi())

    @cached_property
    def weights(self) -> list[arb]:
        """h w(k h), for k > 0 twice."""
        step, count = self.plan.step, self.plan.nodes + 1
        falls, square, least = rational_ball(-((self.plan.smoothing * step) ** 2) / 2), step**2, squared(self.tilt)
        twice, by = 2 * rational_ball(step), rational_ball(square)
        nodes = [twice * (falls * (k * k)).exp() / (least + by * (k * k)) for k in range(count)]
        return [nodes[0] / 2, *nodes[1:]]

    @cached_property
    def rest(self) -> arb:
        """2 e^(-(tau Y)^2/2)/Y."""
        end = self.plan.nodes * self.plan.step
        return 2 * rational_ball(-((self.plan.smoothing * end) ** 2) / 2).exp() / rational_ball(end)

    @cached_property
    def most(self) -> arb:
        """What stands in brackets is at most this for every row, because phi <= 1: all nodes of 1/(lam^2 + y^2)."""
        return arb.pi() / self.tilt * (arb.pi() * self.tilt / rational_ball(self.plan.step)).coth() + self.rest

    def squares(self, law: FewValues) -> list[arb]:
        """phi(k h)^2 for k = 0..K: a product of matrices, with k = side i + j."""
        tilted, step = law.tilted(self.tilt).law, rational_ball(self.plan.step)
        side = isqrt(self.plan.nodes) + 1
        rows, columns = list[list[acb]](), list[list[acb]]()
        for value, share in tilted.items:
            near = acb(0, step * (value - tilted.mean)).exp()
            rows.append(_powers(near**side, side, acb(share)))
            columns.append(_powers(near, side, acb(1)))
        products = acb_mat(rows).transpose() * acb_mat(columns)
        return [(x := one.real) * x + (y := one.imag) * y for one in products.entries()[: self.plan.nodes + 1]]

    def sums(self, squares: list[arb], copies: Sequence[int]) -> dict[int, arb]:
        """Return what stands in brackets for each number of users, of which the last is the least, from phi^2.

        The summands of each are made of those of the one before: stages are many, and each lies near the next.
        """
        reached = copies[-1] // 2
        summands = [weight * square**reached for weight, square in zip(self.weights, squares, strict=True)]
        little = negligible(summands)
        rest = self.rest + arb(0).union(ball_sum(summands[place] for place in little))
        kept = [place for place in range(len(squares)) if place not in little]
        terms, squares = [summands[place] for place in kept], [squares[place] for place in kept]
        sums, total = dict[int, arb](), ball_sum(terms) + rest
        for r in reversed(copies):
            if more := r // 2 - reached:
                terms, reached = [term * square**more for term, square in zip(terms, squares, strict=True)], r // 2
                total = ball_sum(terms) + rest
            sums[r] = total
        return sums


def _powers(base: acb, count: int, first: acb) -> list[acb]:
    """Return first, first base, first base^2, ..."""
    powers = [first]
    for _ in range(count - 1):
        powers.append(powers[-1] * base)
    return powers


@dataclass(frozen=True)
class PlanRows:
    """What the rows of a pair contribute at a plan and an E, whatever the number of users."""

    plan: Plan
    level: arb
    copies: tuple[int, ...] = ()
    """All r_k that will be asked for, falling, where several numbers of users are; else those of one number alone."""

    def sums(self, vertex: Vertex, copies: Sequence[int]) -> Mapping[int, arb]:
        """Return what stands in brackets for each number of users, of which the last is the least."""
        if not self.copies:
            return self.nodes.sums(self.squares(vertex), copies)
        if vertex not in self._sums:
            self._sums[vertex] = self.nodes.sums(self.squares(vertex), self.copies)
        return self._sums[vertex]

    @cached_property
    def _sums(self) -> dict[Vertex, Mapping[int, arb]]:
        return {}

    @cached_property
    def nodes(self) -> _Nodes:
        """The nodes."""
        return _Nodes(self.plan)

    def moment(self, vertex: Vertex) -> arb:
        """M."""
        if len(vertex) == 1:
            return self._of_row(vertex[0][1]).moment
        return ball_sum(rational_ball(share) * squared(self._of_row(row).moment) for share, row in vertex).sqrt()

    def squares(self, vertex: Vertex) -> list[arb]:
        """phi(k h)^2 for k = 0..K."""
        if len(vertex) == 1:
            return self._of_row(vertex[0][1]).squares
        whole = squared(self.moment(vertex))
        shares = [rational_ball(share) * squared(self._of_row(row).moment) / whole for share, row in vertex]
        columns = zip(*(self._of_row(row).squares for _, row in vertex), strict=True)
        return [ball_sum(share * one for share, one in zip(shares, each, strict=True)) for each in columns]

    def _of_row(self, row: Mixture) -> _OfRow:
        if row not in self._rows:
            self._rows[row] = _OfRow(self.nodes, self._law(row), self.charge_of(row.charges))
        return self._rows[row]

    @cached_property
    def _rows(self) -> dict[Mixture, _OfRow]:
        return {}

    def charge(self, vertex: Vertex) -> arb:
        """s."""
        return ball_sum(rational_ball(share) * self._of_row(row).charge for share, row in vertex)

    def _law(self, row: Mixture) -> FewValues:
        weights = [rational_ball(atom.weight) for atom in row.atoms]
        values = [
            (rational_ball(atom.first) - self.level * rational_ball(atom.second)) / weight
            for atom, weight in zip(row.atoms, weights, strict=True)
        ]
        if zero := 1 - sum((atom.weight for atom in row.atoms), Fraction(0)):
            values.append(arb(0))
            weights.append(rational_ball(zero))
        return FewValues(tuple(values), tuple(weights))

    def charge_of(self, messages: Sequence[tuple[Fraction, Fraction]]) -> arb:
        """The sum of max(0, mu)."""
        return ball_sum((rational_ball(p) - self.level * rational_ball(q)).max(arb(0)) for p, q in messages)


@dataclass(frozen=True)
class AtPlan:
    """The bound of a pair at a plan, in balls at the precision that is set."""

    pair: PairBound
    plan: Plan
    users: int
    level: arb

    @cached_property
    def rows(self) -> PlanRows:
        """What does not depend on the number of users."""
        return PlanRows(self.plan, self.level)

    def beside(self, numbers: Sequence[int]) -> list[AtPlan]:
        """Return the bounds at the same plan beside so many others."""
        moved = [replace(self, users=others + 1) for others in numbers]
        copies = sorted({r for one in moved for r in one.copies}, reverse=True)
        rows = PlanRows(self.plan, self.level, tuple(copies))
        for one in moved:
            vars(one)["rows"] = rows
        return moved

    def bound(self) -> arb:
        """Return the bound."""
        largest = arb(0)
        for most, vertex in sorted(zip(self._quick, self.pair.vertices, strict=True), key=lambda pair: -pair[0].mid()):
            if not most <= largest:
                largest = largest.max(self._mean(self._enclosed(vertex), self._own))
        return self._unswapped + largest

    def is_at_most(self, most: arb) -> bool:
        """Whether the bound is proved to be at most a number; nodes are looked at where nothing else shows it."""
        rest = most - self._unswapped
        pairs = zip(self._quick, self.pair.vertices, strict=True)
        return all(quick <= rest or self._mean(self._enclosed(vertex), self._own) <= rest for quick, vertex in pairs)

    @cached_property
    def _own(self) -> list[arb]:
        """X_own for each stage, by the nodes."""
        return self._own_bounds(self._enclosed)

    def quick_bound(self) -> arb:
        """Return a number that the bound is at most, without a look at the nodes."""
        return reduce(arb.max, self._quick, arb(0)) + self._unswapped

    @property
    def copies(self) -> list[int]:
        """The r_k."""
        return [self.users - lost + self.plan.own for lost in self.plan.stages]

    @cached_property
    def _left(self) -> list[arb]:
        """What is left over at the end of each stage."""
        gamma = rational_ball(self.pair.gamma)
        if not self.plan.own:
            return [(1 - gamma) ** lost for lost in self.plan.stages]
        left = [arb(1)]
        for unseen in range(self.users - 1, self.users - 1 - self.plan.stages[-1], -1):
            left.append(left[-1] * unseen * (1 - gamma) / (unseen + gamma))
        return [left[lost] for lost in self.plan.stages]

    @cached_property
    def alone(self) -> arb:
        """H."""
        blanket = self.pair.blanket
        return self.rows.charge_of([*blanket.charges, *((atom.first, atom.second) for atom in blanket.atoms)])

    @property
    def _unswapped(self) -> arb:
        """What is left over at the end, times H."""
        return self.alone * self._left[-1]

    @cached_property
    def _quick(self) -> list[arb]:
        """What the sum over the stages is at most for each row, because phi <= 1."""
        most = dict.fromkeys(self.copies, self.rows.nodes.most)
        own = self._own_bounds(lambda vertex: self._bounds(vertex, most))
        return [self._mean(self._bounds(vertex, most), own) for vertex in self.pair.vertices]

    def _own_bounds(self, bounds: Callable[[Vertex], list[arb]]) -> list[arb]:
        """X_own for each stage; nothing without an own slot."""
        if not self.plan.own:
            return []
        if self.pair.own is not None:
            return bounds(((Fraction(1), self.pair.own),))
        return [reduce(arb.max, each) for each in zip(*map(bounds, self.pair.vertices), strict=True)]

    def _enclosed(self, vertex: Vertex) -> list[arb]:
        """B_(r_k) + s for each stage."""
        if vertex not in self._known:
            self._known[vertex] = self._bounds(vertex, self.rows.sums(vertex, self.copies))
        return self._known[vertex]

    @cached_property
    def _known(self) -> dict[Vertex, list[arb]]:
        return {}

    def _bounds(self, vertex: Vertex, sums: Mapping[int, arb]) -> list[arb]:
        """B_(r_k) + s for each stage, from what stands in brackets."""
        moment, charge = self.rows.moment(vertex), self.rows.charge(vertex)
        return [moment**r * self.rows.nodes.scale * sums[r] / r + charge for r in self.copies]

    def _mean(self, bounds: Sequence[arb], own: Sequence[arb]) -> arb:
        """The sum over the stages."""
        weights = [before - after for before, after in pairwise([arb(1), *self._left])]
        if own:
            more = ((extra - bound).max(arb(0)) for extra, bound in zip(own, bounds, strict=True))
            bounds = [bound + one / r for bound, one, r in zip(bounds, more, self.copies, strict=True)]
        return ball_sum(weight * bound for weight, bound in zip(weights, bounds, strict=True))


def shown_by(plan: Plan, pairs: Iterable[PairBound], users: int, exp_eps: Fraction, delta: Fraction) -> Iterator[bool]:
    """Yield for each pair whether a plan proves that its divergence is at most delta."""
    slots = users + plan.own
    fits = all(lost <= slots - 2 and (slots - lost) % 2 == 0 for lost in plan.stages)
    with precision(_GUARD_BITS + _QUICK_BITS + 2 * users.bit_length()):
        rows = PlanRows(plan, rational_ball(exp_eps))
    for pair in pairs:
        with precision(_GUARD_BITS + _QUICK_BITS + 2 * users.bit_length()):
            at = AtPlan(pair, plan, users, rational_ball(exp_eps))
            vars(at)["rows"] = rows
            shown = fits and at.is_at_most(rational_ball(delta))
        yield shown


@dataclass(frozen=True)
class _OfRow:
    """What a row contributes: its law, and the sum of max(0, mu) where it has no mass."""

    nodes: _Nodes
    law: FewValues
    charge: arb

    @cached_property
    def moment(self) -> arb:
        """M(lam)."""
        return self.law.moment(self.nodes.tilt)

    @cached_property
    def squares(self) -> list[arb]:
        """phi(k h)^2."""
        return self.nodes.squares(self.law)


def quick_bounds(
    many: ManyPairs, pairs: Sequence[Pair], plan: Plan, gamma: Fraction, users: int, exp_eps: Real
) -> dict[Pair, Dyadic]:
    """Return for each pair of rows a number that its divergence is at most: all by the last stage, and phi <= 1.

    Cost: half a second for all pairs of 32 rows of 32 columns.
    """
    with precision(_QUICK_BITS + 2 * users.bit_length()):
        level, nodes, lost = real_ball(exp_eps), _Nodes(plan), plan.stages[-1]
        unswapped, factor = (1 - rational_ball(gamma)) ** lost, nodes.scale * nodes.most / (users - lost)
        largest = dict.fromkeys(pairs, arb(0))
        for row in dict.fromkeys(map(tuple, many.rows)):
            moments = ManyPairs(many.rows, row, many.scale).moments(pairs, nodes.tilt, level)
            alone = [m for m, weight in enumerate(row) if not weight]
            for pair in pairs:
                bound = moments[pair] ** (users - lost) * factor + many.gains(pair, level, alone)
                largest[pair] = largest[pair].max(bound)
        every = range(len(many.least))
        bounds = {pair: bound + unswapped * many.gains(pair, level, every) for pair, bound in largest.items()}
        return {pair: interval_of(bound, _COARSE_BITS).upper for pair, bound in bounds.items()}
