"""Every (eps0, delta0)-DP randomizer: an upper end with a charge of some delta0, and a lower end that is attained.

An input v has the law R_v of its message or bundle, on any space, and R_u(S) <= E R_v(S) + d for all inputs u, v and
events S; E = e^eps0 >= 1 and 0 < d = delta0 < 1. All users run one such randomizer; they may run different ones if all
their rows together are such a table. The user who differs sends by P or Q, each of N = n - 1 others by R_i, and x =
e^eps >= 1. Write D for the divergence of the shuffled views at x, mu for P - x Q, f_+ and f_- for the positive and the
negative part, and |f| for the integral, all densities relative to the sum of the rows at hand. For any two rows A and B
the condition is |(A - E B)_+| <= d.

*One user.* Let H = |mu_+|. Then D <= H <= h(x) = d + (1 - d) max(0, E - x)/(E + 1).

*Proof.* H is convex in x, and at x = E at most d. At x = 1/E it is 1 - 1/E + |(Q - E P)_+|/E <= 1 - 1/E + d/E. The
line through these two points is h up to E; from there on H <= d. QED

*Trimming.* Beside a row R let P' = min(P, E Q, E R), Q' = min(Q, E P, E R) and R' = min(R, E P, E Q). Each of them is
at most E times each other: E Q' = min(E Q, E^2 P, E^2 R) >= P', and so on. Each has at least the mass m = 1 - 2 d, as
P - P' <= (P - E Q)_+ + (P - E R)_+. Let d < 1/2. Divided by their masses they are laws P*, Q* and R* that are within
the factor E' = E/m of each other. As Q >= Q' >= m Q*,

    mu <= m (P* - x Q*) + e,    e = (P - P') + (|P'| - m) P* >= 0,    |e| = 2 d.

*Swap.* Let c = min(P, E Q)/E and c_i = min(c, R_i), so that |c| <= 1/E, |c| >= (1 - d)/E, |c - c_i| <= |(P/E - R_i)_+|
<= d/E, and |c_i| >= gamma = m/E. In the proof of *Swap* in :mod:`exactdp.privacy.amplification.swap_bound` let the coin
of user i fall on 1 with probability c_i/R_i. The users before him contribute prod (R_j - c_j), of the mass (1 -
gamma)^(t-1) or less; y contributes c_i(y), which now depends on its owner. But c_i mu <= c mu + (c - c_i) mu_-, so that
the positive part of the density, without what the users before contribute, adds up to at most

    |c| (1/r) |(sum over i in S of mu(m'_i) prod over j != i of R_j(m'_j))_+| + (d/E) |mu_-|,      |mu_-| <= x.

In the first term trim mu beside R_i, for each i by itself: the e's add 2 d, as their mean over S. What is left is
m (P* - x Q*)/R_i under R_i, summed over S. As R_i >= m R*, it has a spread that is (P* - x Q*)/R* with the
probabilities m R*, and else 0 (*Thinning* in :mod:`exactdp.mechanisms.density_family`). Split it into the rays of E';
the mean of absolute values to the r-th power is then at most the largest of five, as in *Every randomizer* there: M is
2 d + m times a mixture. If none of the first t_K coins falls on 1, publish all: (1 - gamma)^(t_K) h or less. As
|c| <= 1/E = gamma/m, D is at most the swap bound with gamma = m/E, h in the place of H, and the five rows

    (P, Q, m R) of the extreme randomizers of E' = E/(1 - 2 d), and beside each the charge s = (2 + x) d/m.    QED

Nowhere does n multiply d: what another user gives away about himself hides the user who differs no less than if he were
absent, and m says how often that may be.

*Clones*, for fewer users. Let P' = min(P, E Q), Q' = min(Q, E P), of masses at least 1 - d, and P*, Q* be their laws:
mu <= (1 - d)(P* - x Q*) + e with |e| = d. Let low = max(P', Q')/E and k = 2 d/E. As |(low - R_i)_+| <= k, the mass of
max(R_i, low) is at most 1 + k. Divided by it, it is a law R*_i >= max(P*, Q*)/E*, E* = E (1 + k)/(1 - d), and P* and
Q* are within the factor E* of each other. Write w = P* - x Q*. The product of the R_i is below that of the max(R_i,
low), by a mass of at most g - 1, g = (1 + k)^N <= 1/(1 - N k): so the divergence of w beside R_1, ..., R_N is at most
g times that beside the R*_i, and (g - 1) |w_-| more, |w_-| = x - 1 + |w_+| <= u = x - 1 + max(0, E* - x)/(E* + 1):

    D <= d + (1 - d) (g C + (g - 1) u),    C the bound of the stronger clones at E*, g = 1/(1 - N k) if N k < 1.

*The clones need no more* than P, Q within E of each other and all R_i >= c = max(P, Q)/E (above with E* for E): by the
blanket the divergence is at most U_n(L), L = mu/c under c, else 0. Let f be convex and f(0) = 0. Then c f(mu/c) is
convex and homogeneous in (P, Q) where P >= Q, and where P <= Q: E f(L) does not fall if each message is split into
(E, 1) and (1, 1), or (1, 1) and (1, E). As P and Q have the mass 1, the first and the last get equal shares, in which
E f(L) is then affine: it is at most the larger of what it is for (E, 1), (1, E) over E + 1, which are the clones, and
for P = Q, L = E (1 - x) with probability 1/E. Let x <= E. Both have the mean 1 - x; the latter has no value but 0 and
E (1 - x) >= 1 - E x, and its E max(0, -L) is x - 1, no more than (E x - 1)/(E + 1) of the clones: so is its E max(0,
k - L) for all k, and its E f(L). If x > E there is no divergence.

*Lower end.* Let B_v be the rows of any eps0-DP randomizer. Take two inputs v and v* for each: v sends by B_v, and v*
sends with probability d the word "v*", else by B_v. This is (eps0, d)-DP: B_v(S) <= E B_u(S) for all u and v, so
R_v*(S) <= d + (1 - d) E B_u(S) <= d + E R_u(S), also with u* in the place of u; and B_v(S) <= d B_v(S) + (1 - d) E
B_u(S) <= d + E R_u*(S). Beside others who hold inputs without a star, let the user who differs hold u* or v*: words are
his alone, so that D = d + (1 - d) D_B, D_B the divergence of the views of n users of B. It is attained; B is k-ary
response with k = 2 and 3. From x = E on both ends are d.

Without charges the upper end is false: at x = E these members have the divergence d, and the five extremes of E none.

*How near.* Where n d = delta/10, eps0 is from 1/2 to 4, n from 10^3 to 10^6 and delta from 10^-9 to 10^-4, the upper
end is at most 1.03 times that of eps0 where swaps bound, and 1.19 times where the clones do (eps0 = 4, n = 10^3). There
is no own slot, which costs 1 or 2 % of delta among a thousand users.

Source: DworkRoth2014, Definition 2.4 (the condition), while the proofs are this page's.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from operator import attrgetter
from typing import ClassVar, Final

from exactdp.caching import cached_property
from exactdp.errors import TooLargeError
from exactdp.mechanisms.any_randomizer_family import AnyRandomizer
from exactdp.mechanisms.family import rational_of
from exactdp.mechanisms.pair_table import PairTable
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.bounds_of_pairs import MadeBound, Majorant, log_size
from exactdp.privacy.amplification.input_pairs import Candidate, FamilyPairs
from exactdp.privacy.amplification.positive_part import Mixture, blanket_mixture
from exactdp.privacy.amplification.swap_bound import PairBound
from exactdp.privacy.amplification.tilted import Atom

_BITS: Final = 64
"""Accuracy of e^eps0 where it is irrational, and of the e^eps at which clones are charged."""

_COARSE_BITS: Final = 20
"""At which the bounds are compared to say which is the least."""

_HERE: Final = "proved in exactdp.privacy.amplification.approximate_pairs"

ONE_USER: Final = f"the worst two rows of one user ({_HERE})"
"""What proves h."""

BESIDE_CLONES: Final = f"stronger clones of the two inputs, beside a charge ({_HERE})"
"""What proves the bound by the clones."""

BESIDE_SWAPS: Final = (
    "the swap bound of the five extreme randomizers, beside a charge (of one message or bundle a user, not "
    f"interactive, all rows within e^eps0 and delta0 of each other; {_HERE})"
)
"""What proves the swap bound."""


@dataclass(frozen=True)
class LeastBound(MadeBound):
    """The least of what bounds a pair: the bound by swaps, or by one user, and if there is one that by the clones."""

    swaps: PairBound
    clones: Mixture | None

    def divergence(self, users: int, exp_eps: Real, *, relative_bits: int) -> Interval:
        """Enclose the bound with n = ``users``, to a relative width of 2**-relative_bits."""
        return self._least(users, exp_eps, relative_bits)[0]

    def _least(self, users: int, exp_eps: Real, relative_bits: int) -> tuple[Interval, str | None]:
        swaps = self.swaps.divergence(users, exp_eps, relative_bits=relative_bits)
        with suppress(TooLargeError):
            if self.clones is not None:
                clones = self.clones.divergence(users, exp_eps, relative_bits=relative_bits)
                if clones.upper < swaps.upper:
                    return Interval(min(clones.lower, swaps.lower), clones.upper), BESIDE_CLONES
        return swaps, self.swaps.theorem(users, exp_eps) or ONE_USER

    def theorem(self, users: int, exp_eps: Real) -> str | None:
        """Return what proves the least of them."""
        return self._least(users, exp_eps, _COARSE_BITS)[1]

    def bound(self, users: int, exp_eps: Real) -> Interval:
        """Return an interval whose upper end the bound does not exceed, fast."""
        bounds = [one.bound(users, exp_eps) for one in (self.swaps, self.clones) if one is not None]
        return min(bounds, key=attrgetter("upper"))

    def limit(self, users: int) -> Fraction:
        """Return the bound at infinite E: delta0, of one user."""
        return self.swaps.limit(users)

    def exceeds_limit(self, users: int) -> bool:
        """Whether the bound is known to be above ``limit`` at every E: no, it reaches it."""
        return False

    def settled(self, users: int) -> Fraction:
        """Return the E from which on the bound is ``limit``: e^eps0."""
        return self.swaps.settled(users)

    def limit_enclosed(self, users: int, relative_bits: int) -> Interval:
        """Enclose the bound at infinite E."""
        return self.swaps.limit_enclosed(users, relative_bits)

    @property
    def limit_at_most(self) -> Fraction:
        """The bound at infinite E, for any n."""
        return self.swaps.limit_at_most

    def log_size(self, users: int, exp_eps: float) -> float:
        """Return about the logarithm of the bound."""
        return min(log_size(one, users, exp_eps) for one in (self.swaps, self.clones) if one is not None)


@dataclass(frozen=True, slots=True)
class ShownCandidate(Candidate):
    """A pair of inputs with a star beside others who hold one without."""

    way: ClassVar[str] = "where the user who differs shows the input with probability delta0"

    @classmethod
    def of_member(cls, table: PairTable, place: int, delta0: Fraction) -> ShownCandidate:
        """Return the candidate beside others who all hold ``table.others[place]``."""
        zeros = [Fraction(0)] * (1 + len(table.others))
        rows: list[tuple[Fraction, ...]] = [(delta0, Fraction(0), *zeros), (Fraction(0), delta0, *zeros)]
        kept = 1 - delta0
        rows += [(kept * c.first, kept * c.second, Fraction(0), *c.others) for c in table.classes]
        one = Candidate.homogeneous(PairTable.merged(table.first, table.second, table.others, rows), place)
        return cls(one.table, one.weights, one.mixture)

    def swapped(self) -> ShownCandidate:
        """Return the candidate with the two inputs of the user who differs exchanged."""
        plain = Candidate.of(self.table.swapped(), self.weights)
        return ShownCandidate(plain.table, plain.weights, plain.mixture)


@dataclass(frozen=True)
class ApproximatePairs(FamilyPairs):
    """Of every (eps0, delta0)-DP randomizer, delta0 > 0."""

    family: AnyRandomizer

    @property
    def theorem(self) -> str:
        """What proves the bounds at infinite E, and those without swaps."""
        return f"{ONE_USER}, or where that is smaller {BESIDE_CLONES}"

    @property
    def swap(self) -> str:
        """What proves the swap bound."""
        return BESIDE_SWAPS

    @property
    def _ratio(self) -> Fraction:
        """e^eps0, or a number above it."""
        return rational_of(self.family.at_least(_BITS).exp_eps0)

    @cached_property
    def bounds(self) -> tuple[PairBound, ...]:
        """The smaller of h and the swap bound: what bounds every ordered pair, for any number of users."""
        delta0 = self.family.delta0
        kept, (alone,) = 1 - 2 * delta0, map(blanket_mixture, self.family.at_least(_BITS).pair_tables())
        if kept <= 0:
            return (PairBound(alone, Fraction(0), (), None, BESIDE_SWAPS, may_own=False, states_blanket=False),)
        charge = (2 * delta0 / kept, -delta0 / kept)  # P - x Q of it is (2 + x) d/m: rows are only added up
        rows = tuple(
            Mixture((charge,), tuple(Atom(kept * r, p, q) for p, q, r in messages))
            for messages in AnyRandomizer(exp_eps0=self._ratio / kept).extremes()
        )
        gamma = kept / self._ratio
        return (PairBound(alone, gamma, rows, None, BESIDE_SWAPS, may_own=False, states_blanket=False),)

    def bounds_at(self, users: int, exp_eps: Real) -> tuple[Majorant, ...]:
        """Return the least bound of every ordered pair, with the clones among so many users."""
        return (LeastBound(self.bounds[0], self._clones(users, exp_eps)),)

    def blankets_at(self, users: int, exp_eps: Real) -> tuple[Majorant, ...]:
        """Return the same without swaps."""
        alone = PairBound(self.bounds[0].blanket, Fraction(0), (), None)
        return (LeastBound(alone, self._clones(users, exp_eps)),)

    def _clones(self, users: int, exp_eps: Real) -> Mixture | None:
        """Return d + (1 - d) (g C + (g - 1) u) at this x; None where N k is 1 or more."""
        delta0, one = self.family.delta0, Fraction(1)
        k = 2 * delta0 / self._ratio
        if (users - 1) * k >= 1:
            return None
        ratio, grown = self._ratio * (1 + k) / (1 - delta0), 1 / (1 - (users - 1) * k)
        level = enclose_real(exp_eps, relative_bits=_BITS).hi
        missed = level - 1 + max(Fraction(0), ratio - level) / (ratio + 1)
        factor, weight = (1 - delta0) * grown / (ratio + 1), 1 / (ratio + 1)
        rays = ((ratio, one), (one, ratio))
        return Mixture(
            ((delta0 + (1 - delta0) * (grown - 1) * missed, Fraction(0)),),
            tuple(Atom(weight, factor * p, factor * q) for p, q in rays),
        )

    def _candidate(self, table: PairTable, place: int) -> ShownCandidate:
        return ShownCandidate.of_member(table, place, self.family.delta0)
