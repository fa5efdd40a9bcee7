"""The privacy and the error of counts whose noise is added to non-empty bins alone, and of which small ones vanish.

A bin of c >= 1 users is released as c + Z if c + Z > h, else as 0; an empty bin is released as 0. Z is discrete Laplace
noise with the ratio a > 1, P[Z >= m] = s_(h+1-m) for m >= 0, where s_c = a^(c-h) / (1 + a) for c <= h + 1, and h >= 1.
The bins are independent. L_c is the law of the release of c users.

**One bin.** Let D_c be the pair (L_c, L_(c-1)), c >= 1, and s_0 = 0 for this one purpose.

* D_1 is the pair of two coins that show s_1 and 0: of one user who leaves, what is released tells.
* D_c for 2 <= c <= h + 1: what is released is c or more, where the ratio of the probabilities is a, so that it only
  matters whether it is released: two coins that show s_c and s_(c-1) = s_c / a.
* D_c for c >= h + 1: the ratio is a from c on and 1/a below, where what vanishes lies: two coins as of c = h + 1.
* D_c is a post-processing of D_(c+1) for 2 <= c <= h: let what is released vanish with probability 1 - 1/a.

**Two bins.** A user who is replaced leaves a bin of i users for one that has j users with him: the pair is D_i beside
D_j in the other order, with i + j - 1 <= n, and with = for two bins. So i, j <= h + 1 are enough, of the pairs with
i, j >= 2 those with i + j = min(n + 1, 2 h + 2), and of the pairs with i = 1 < j or j = 1 < i those where the other
number is t = min(n, h + 1). For E >= 1 it is enough to look at

    (1, t) and (t, 1),    and of i + j = min(n + 1, 2 h + 2) at the two ends, (u, v) and (v, u), u = min(n - 1, h + 1),

or at (1, 1) where n = 1; and a supremum over E >= 1 in both orders says all about E < 1.

*Proof.* For i, j >= 2 write R for released and V for vanished, for the bin that is left first. The probabilities of
RR are s_i s_j / a in both data sets, so that it is in no best event for E > 1; of RV they are s_i (1 - s_j/a) and
(s_i/a) (1 - s_j), with the largest ratio; VR has a ratio below 1. So the best event is {RV}, {RV, VV} or none:

    P - E Q = (s_i / a) ((a - E) + s_j (E - 1)),    or of {RV, VV}    1 - s_j/a - E (1 - s_j).

Along i + j = const the product K = s_i s_j is constant, and the first is (K/a) ((a - E)/s_j + E - 1): monotone in s_j,
in one direction or the other; the second rises with s_j. So the largest of them all is at an end. (1, 1) has
H_E = s_1 + max(0, (1 - s_1)(1 - E)) = s_1, which (1, t) has too, for the event that the bin that is left is released.
QED.

**Delta where E = a^2** is s_1 = P[Z >= h], as long as there is a user: (1, t) has the event R for it, of any event
that adds V the ratio is at most (1 - s_1) a <= E; (u, v) has a ratio of at most a^2. (t, 1) is a post-processing of
(h + 1, 1), whose events are RV with p (1 - a (1 - s_1)), p = a / (1 + a), which is at most s_1 as s_1 <= 1 / (1 + a)
and a (1 - a^2) + a^2 - a - 1 < 0, and {RV, VV} with 1 - a^2 (1 - s_1) <= s_1. So the least h for a delta is the least
one with P[Z >= h] <= delta, and no smaller one will do.

**The error of one bin.** With c <= A users what vanishes errs by at most A, and P[error > A] = P[Z > max(A, h - c)].
With c > A it is P[Z <= max(h - c, -A - 1)] + P[Z > max(A, h - c)], 1 where h - c >= A, and falls as c grows. So the
worst has A + 1 users, or n of them where n <= A.

**The error of all bins**, at most A >= h: a bin of 1 to A users errs with probability w = P[Z > A], one of A + 1 with
y = P[Z <= h - A - 1] + w, one of c > A + 1 with a probability that falls to 2 w, convexly, as does its logarithm
-ln(1 - .). So the worst data set has k bins of A + 1 users, as many more with few as bins and users allow, and what is
left in one of them (with few, where it does no harm, if there is one): the sum of the logarithms is linear in k on
either side of the k from which on users are short, and the worst k is at an end. Where n <= A < h no bin errs by
vanishing, and each of min(d, n) bins errs with probability P[Z > max(A, h - n)] at most, which bounds the error.

Source: BunNissimStemmer2016, histograms by stability (the mechanism, while the theorems are this page's).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any, Final

from flint import arb

from exactdp.errors import UndecidedError
from exactdp.laws.discrete_laplace import DiscreteLaplace
from exactdp.laws.finite import Law
from exactdp.laws.tails import approximate_log, least_integer, outside_at_most
from exactdp.mechanisms.dataset import Neighbors
from exactdp.numbers.balls import enclosed, precision, rational_ball, real_ball
from exactdp.numbers.dyadic import MAX_FRACTION_BITS
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.composition.law_pairs import FinitePair, undominated
from exactdp.privacy.composition.profile_pairs import Grid, SourceOfRuns
from exactdp.privacy.engine import Bound, DataSet, Engine, Work, WorstEvent

_SHORT_BITS: Final = 2**17
"""Masses of so few bits are listed for many runs."""
_DECIDING_BITS: Final = (64, 256, 1024)
"""Accuracies one after another at which the errors of all bins are compared with beta."""

Move = tuple[int, int]
"""(i, j): a user leaves a bin of i users for one that has j with him; 0 where no bin changes."""


def _ratio(noise: DiscreteLaplace) -> Fraction:
    assert isinstance(noise.exp_eps, Fraction)
    return noise.exp_eps


@dataclass(frozen=True, eq=False)
class NonEmptyBins(Engine):
    """The engine for ``users`` in ``bins``, counts with ``noise``, released above ``least`` >= 1."""

    noise: DiscreteLaplace
    least: int
    users: int
    bins: int
    neighbors: Neighbors

    name = "stability histogram"
    method = "compares the pairs of counts that dominate all others"
    encloses = True

    @property
    def is_exact(self) -> bool:
        """Whether probabilities are short enough to be built."""
        return self.answer_bits(None) <= MAX_FRACTION_BITS

    @property
    def ratio_bits(self) -> int:
        """Likelihood ratios are at most a^2, and a / (1 - s_1) where one bin appears."""
        return 2 * int(_ratio(self.noise)).bit_length() + 2

    @property
    def work(self) -> Work:
        """Both orders; four outcomes of each pair."""
        return Work(len(self.moves), 4)

    def answer_bits(self, exp_eps: Fraction | None) -> int:
        """Return about how long the probabilities of two bins are."""
        return 2 * (self.least + 2) * _ratio(self.noise).numerator.bit_length()

    @property
    def moves(self) -> tuple[Move, ...]:
        """The pairs that are worst at some E >= 1 (module docstring)."""
        n, full = self.users, self.least + 1
        top = min(n, full)
        if self.neighbors is Neighbors.ADD_OR_REMOVE_ONE:
            return (1, 0), (0, 1), (top, 0), (0, top)
        if n == 1:
            return ((1, 1),)
        more = min(n - 1, full)
        less = min(n + 1 - more, full)
        return (1, top), (top, 1), *(((more, less), (less, more)) if n > 2 else ())

    def outcomes(self, move: Move, shows: Callable[[int], Any]) -> Iterator[tuple[Any, Any]]:
        """Yield the probabilities in both data sets of released or vanished, bin by bin; ``shows`` maps c to s_c."""
        i, j = move
        coins = [[(s, 1 - s) for s in (shows(c), shows(max(0, c - 1)))] for c in (i, j)]
        (left, after), (joined, before) = coins
        for one in (0, 1):
            for other in (0, 1):
                yield left[one] * before[other], after[one] * joined[other]

    def _exactly(self, c: int) -> Fraction:
        return self.noise.exact_sf(self.least - c) if c else Fraction(0)

    def search(self, exp_eps: Fraction | None, executor: Executor | None = None) -> WorstEvent:
        """Return the worst pair and event."""
        return max((self._event(move, exp_eps) for move in self.moves), key=lambda event: event.delta(exp_eps))

    def _event(self, move: Move, exp_eps: Fraction | None) -> WorstEvent:
        first = second = Fraction(0)
        for p, q in self.outcomes(move, self._exactly):
            if p > exp_eps * q if exp_eps is not None else not q:
                first, second = first + p, second + q
        return WorstEvent(*self._data_sets(move), first, second)

    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> Bound[Interval]:
        """Enclose delta, which is at least s_1 everywhere, and s_1 at infinity."""
        first = self.moves[0]
        if exp_eps is None:
            return self.known(*self._data_sets(first), self.noise.sf(self.least - 1, relative_bits=relative_bits))
        worst = [first]

        def delta() -> arb:
            a, level = rational_ball(_ratio(self.noise)), real_ball(exp_eps)

            def shows(c: int) -> arb:
                return a ** (c - self.least) / (1 + a) if c else arb(0)

            found = {
                move: sum(((p - level * q).max(arb(0)) for p, q in self.outcomes(move, shows)), arb(0))
                for move in self.moves
            }
            worst[0] = max(found, key=lambda move: found[move].mid())
            best = arb(0)
            for value in found.values():
                best = best.max(value)
            return best

        value = enclosed(delta, relative_bits)
        return self.known(*self._data_sets(worst[0]), value)

    def _data_sets(self, move: Move) -> tuple[DataSet, DataSet]:
        """Return a pair of data sets with these counts: those of the bins that change, and all others in a third."""
        i, j = move
        if self.neighbors is Neighbors.ADD_OR_REMOVE_ONE:
            rest = self.users - max(i, j)
            sets = (i, rest), (i - 1, rest)
            return sets if i else ((j - 1, rest), (j, rest))
        rest = self.users + 1 - i - j
        if self.bins > 2:
            return (i, j - 1, rest), (i - 1, j, rest)
        if i > self.least:  # as private as a larger count
            return (i + rest, j - 1), (i + rest - 1, j)
        return (i, j + rest - 1), (i - 1, j + rest)


@dataclass(frozen=True, slots=True)
class StabilityPairs(SourceOfRuns):
    """All neighbouring data sets of users in bins, of which non-empty ones are released with noise above a count."""

    noise: DiscreteLaplace
    least: int
    users: int
    bins: int
    neighbors: Neighbors

    @property
    def subject(self) -> str:
        """What is run, in words."""
        return f"noisy counts of non-empty bins (bins: {self.bins}), released above {self.least}, n = {self.users}"

    @property
    def scope(self) -> str:
        """Which pairs of data sets the supremum is over, in words."""
        return f"all {self.neighbors.value} pairs of data sets, both orders"

    @property
    def inputs(self) -> tuple[int, ...]:
        """What the positions of a data set stand for: the bins that change, and one that does not."""
        return (0, 1, 2) if self.bins > 2 and self.neighbors is Neighbors.REPLACE_ONE else (0, 1)

    def plan(self) -> NonEmptyBins:
        """Choose the engine."""
        return NonEmptyBins(self.noise, self.least, self.users, self.bins, self.neighbors)

    def pairs_from_below(self, points: Grid, level: Fraction) -> tuple[FinitePair, ...]:
        """Return the pairs that are worst at some E, where they are short: their runs bound those of all from below."""
        engine = self.plan()
        if engine.answer_bits(None) > _SHORT_BITS:
            return ()
        return undominated(_pair(engine, move) for move in engine.moves)


def _pair(engine: NonEmptyBins, move: Move) -> FinitePair:
    both = list(zip(*engine.outcomes(move, engine._exactly), strict=True))
    first, second = (Law(dict(enumerate(masses))) for masses in both)
    return FinitePair.of(first, second)


@dataclass(frozen=True, slots=True)
class StabilityErrors:
    """What the least errors are asked of."""

    noise: DiscreteLaplace
    least: int
    users: int
    bins: int
    beta: Fraction

    def of_one(self) -> int:
        """Return the least error that one bin exceeds with probability at most beta, whatever the data set."""
        return least_integer(self._is_enough, self._guess, above=-1, high=None)

    @property
    def _guess(self) -> int:
        """About an A with P[|Z| > A] = beta, from h on."""
        return max(self.least, int(approximate_log(self.beta) / -approximate_log(_ratio(self.noise))))

    def _is_enough(self, error: int) -> bool:
        n, h = self.users, self.least
        if n > error:
            return outside_at_most(self.noise, h - error, error, self.beta)
        above = max(error, h - n)  # P[Z > above] <= beta, by symmetry
        return outside_at_most(self.noise, -above, above, 2 * self.beta)

    def of_all(self) -> Fraction | Interval:
        """Return the least error that some bin exceeds with probability at most beta, or two ends."""
        low = self.of_one()
        high = least_integer(self._is_enough_for_all, max(low, self._guess), above=low - 1, high=None)
        if low == high or high > self.least:
            return Fraction(high)
        return Interval.between(Fraction(low), Fraction(high), bits=DEFAULT_RELATIVE_BITS)

    def _is_enough_for_all(self, error: int) -> bool:
        n, h, d = self.users, self.least, self.bins
        if error < h:
            return n <= error and self._joint([(min(d, n), max(error, h - n), None)])
        return all(self._joint(data) for data in self._worst_data(error))

    def _worst_data(self, error: int) -> Iterator[list[tuple[int, int, int | None]]]:
        """Yield data sets, one of which is the worst: each as [(bins, A, count above A, or None for a small one)]."""
        n, d = self.users, self.bins
        most = min(d, n // (error + 1))
        turn = max(0, (n - d) // error)  # up to so many large bins there are users for all the others
        for large in {k for k in (0, turn, turn + 1, most) if 0 <= k <= most}:
            left = n - large * (error + 1)
            small = min(d - large, left)
            if small or not left:
                yield [(large, error, error + 1), (small, error, None)]
            else:
                yield [(large - 1, error, error + 1), (1, error, error + 1 + left)]

    def _joint(self, data: list[tuple[int, int, int | None]]) -> bool:
        """Decide whether some of independent bins errs with probability at most beta."""
        for bits in _DECIDING_BITS:
            with precision(bits):
                total = arb(0)
                for bins, error, count in data:
                    total += bins * (-self._chance(error, count)).log1p()
                spare = total - (-rational_ball(self.beta)).log1p()
                if spare >= 0:
                    return True
                if spare < 0:
                    return False
        if sum(bins * self.noise.exact_bits(error) for bins, error, _ in data) <= _SHORT_BITS:
            correct = prod((1 - self._exact_chance(error, count)) ** bins for bins, error, count in data)
            return 1 - correct <= self.beta
        raise UndecidedError(
            f"the probability of an error of some bin and beta={self.beta} agree to {_DECIDING_BITS[-1]} bits. Use "
            "another beta."
        )

    def _exact_chance(self, error: int, count: int | None) -> Fraction:
        """Return P[|error| > A] of a bin with so many users, above A; of a small one for None."""
        lost = Fraction(0) if count is None else self.noise.exact_cdf(max(self.least - count, -error - 1))
        return self.noise.exact_sf(error) + lost

    def _chance(self, error: int, count: int | None) -> arb:
        """Return the same in balls."""
        a = rational_ball(_ratio(self.noise))
        chance = a**-error / (1 + a)
        if count is not None:
            chance += a ** -(min(count - self.least, error + 1) - 1) / (1 + a)
        return chance
