"""The optimal accuracy of counted messages: an exact scan of all data sets, and a bracket at any n.

n users send at most one message each, which is counted with probability q1 if they hold the counted input and q0 < q1
else: a symbol of randomized response, or any message that supports an input (:mod:`exactdp.mechanisms.support_family`).
With k holders the count is Y_k = Bin(k, q1) + Bin(n-k, q0), with mean m_k = k q1 + (n-k) q0, and the estimate (count -
n q0) / (q1 - q0) errs by more than A iff |Y_k - m_k| > a = A (q1 - q0). The worst k is not an endpoint in general: it
depends on m_k modulo 1.

*Exact scan.* The least a is the largest, over k, of the least a of Y_k. The probabilities of Y_{k+1} come from those of
Y_k by multiplying with (1-q1 + q1 z) and dividing by (1-q0 + q0 z), in integers over a common power of two, rounded
down. *The error.* The quotient H(z) of the two factors has |H| <= 1 on the unit circle, because q0 <= 1/2 and
q0 <= q1 <= 1 - q0 give q1 (1-q1) >= q0 (1-q0). It is causal, so in the Euclidean norm it does not enlarge the error of
the first n + 1 probabilities; rounding adds at most one unit in each of them, filtered by 1 / (1 + z q0/(1-q0)), whose
norm is at most (1-q0) / (1-2 q0). After k steps a sum of probabilities errs by at most
(n+1) (1 + k (1-q0) / (1-2 q0)) units. What this does not decide is decided exactly.

*Bracket (binary, q1 = 1 - q0 = 1 - f).* For all k and c, E (Y_k - m_k - c)_+^2 <= E (Z - n f - c)_+^2, Z ~ Bin(n, f).
Proof. xi = Ber(f) - f and -xi have equal moments 0, 1, 2, and the signed law xi - (-xi) has the atoms -(1-f), -f, f,
1-f with the signs -, +, -, +. For phi with phi''' >= 0, here (y - c)_+^2, subtract the quadratic that interpolates phi
between the changes of sign: the integrand is at least 0, so E phi(xi + s) >= E phi(-xi + s). Replace the k coordinates
one at a time; the left tail of Y_k is the right tail of Y_{n-k}. So for c < a

    P[|Y_k - m_k| > a] <= 2 E (Z - n f - c)_+^2 / (a - c)^2    for every k,

and every c gives an a that is enough. The partial moment is made of three binomial tails, of n, n-1 and n-2 trials. The
least a of k = 0 bounds from below.

*Mirrored.* If q0 + q1 > 1, count the other messages: holders send one with probability 1 - q1, all others with 1 - q0.
It is the same with k and n - k exchanged, and the errors are the same.

*Bracket (any q0 < q1).* Bernstein's inequality or the Berry-Esseen theorem, whichever says more, with the largest
variance k q1 (1-q1) + (n-k) q0 (1-q0), at k = 0 or n: ``enough_reach`` of :mod:`exactdp.laws.tails` is enough, of
the binary case too. The least a of k = 0 and of k = n bound from below.

Source: Warner1965, section 2 (of the protocol, while the theorems and proofs are this page's);
Hoeffding1963, Theorem 3 (Bennett's inequality, which implies Bernstein's).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from exactdp.errors import InvalidValueError, UndecidedError
from exactdp.laws.binomial import Binomial
from exactdp.laws.binomial_sum import BinomialSum
from exactdp.laws.tails import ends, enough_reach, least_reach, root_above
from exactdp.mechanisms.analyzer import Analyzer
from exactdp.mechanisms.family import FamilyRandomizer, SupportChances
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.balls import enclose_with_root
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.progress import with_progress

MAX_SCANNED: Final = 2000
"""Most users whose data sets are all scanned."""

_MAX_SCAN_BITS: Final = 4096
"""Probabilities of the scan are not longer: smaller beta, or flips nearer to 1/2, are beyond it."""
_KEPT: Final = 16
"""Answers that are kept: users may be asked several questions of one kind."""
_GUARD_BITS: Final = 64
"""Bits beyond the bound of an error, so that few sums must be decided exactly."""
_INTERVAL_BITS: Final = 64
"""Ends are rounded outward to more digits than are shown."""


@dataclass(frozen=True, slots=True)
class CountModel:
    """n users, one message each: the counted one with probability ``likely`` for holders, ``unlikely`` for others."""

    n: int
    likely: Fraction
    unlikely: Fraction

    @property
    def gap(self) -> Fraction:
        """q1 - q0: one over the weight of the estimate."""
        return self.likely - self.unlikely

    @property
    def is_binary(self) -> bool:
        """Whether q1 = 1 - q0, so that k holders and n - k holders mirror each other."""
        return self.likely + self.unlikely == 1

    @property
    def upright(self) -> CountModel:
        """The same errors with q0 + q1 <= 1: of the messages that are not counted, where need be."""
        if self.likely + self.unlikely <= 1:
            return self
        return CountModel(self.n, 1 - self.unlikely, 1 - self.likely)

    def law(self, holders: int) -> BinomialSum:
        """Return the law of the count where so many users hold the counted input."""
        return BinomialSum(holders, self.likely, self.n - holders, self.unlikely)

    def least(self, holders: int, beta: Fraction) -> Fraction:
        """Return the least error of the estimate that is exceeded with probability at most beta, for these holders."""
        law = self.law(holders)
        return least_reach(law, law.mean, law.mean, beta) / self.gap

    @classmethod
    def read(cls, randomizer: Randomizer | FamilyRandomizer, n: int, analyzer: Analyzer) -> CountModel:
        """Return what the analyzer counts, or refuse a protocol that does not count one kind of message."""
        table = randomizer.tabulated.table()
        weights = {weight for _, weight in analyzer.weights if weight}
        if len(weights) == 1 and all(len(sent) <= 1 for row in table.values() for sent in row):
            read, weight = {message for message, weight in analyzer.weights if weight}, weights.pop()
            chances = {sum((p for sent, p in row.items() if read & {*sent}), Fraction(0)) for row in table.values()}
            if len(chances) == 2:
                estimate = cls(n, max(chances), min(chances))
                unbiased = weight == 1 / estimate.gap and analyzer.offset == -n * estimate.unlikely * weight
                if unbiased and analyzer.zero_unless_above is None:
                    return estimate
        raise InvalidValueError(
            "the protocol is not randomized response with its unbiased estimate, so its worst data set is not known. "
            "Pass protocols.k_ary(n, k, gamma=...), protocols.zsum(...) or protocols.histogram(...)."
        )

    @classmethod
    def of_family(cls, family: FamilyRandomizer, n: int) -> CountModel:
        """Return the count of the own messages of n users that support one input."""
        chances = chances_of(family)
        return cls(n * chances.own, chances.likely, chances.unlikely)


def chances_of(family: FamilyRandomizer) -> SupportChances:
    """Return what counts of messages that support an input are made of, or refuse what they say nothing about."""
    chances: SupportChances | None = getattr(family, "support_chances", None)  # what is passed may be anything
    if chances is None:
        raise InvalidValueError(
            f"family has the type {type(family).__name__}, without supports. Pass a family such as "
            "exactdp.randomizers.UnaryEncoding(...), or the repetition of one."
        )
    if chances.likely == chances.unlikely:
        raise InvalidValueError(
            f"{family.single!r} has equal rows: its messages say nothing about the inputs. Use a larger exp_eps0."
        )
    return chances


@lru_cache(maxsize=_KEPT)
def response_accuracy(model: CountModel, beta: Fraction) -> Fraction | Interval:
    """Return the optimal accuracy of the estimated number of holders: exact to 2000 users, else a bracket."""
    model = model.upright
    n, low, high = model.n, model.unlikely, model.likely
    if beta == 1 or (low == 0 and high == 1):
        return Fraction(0)
    if beta == 0:  # all users send what they send least: holders none of it, or the others
        return n * max(high, 1 - low if low else 1 - high) / model.gap
    bits = (1 / beta).__ceil__().bit_length() + (1 / (1 - 2 * low)).__ceil__().bit_length() + 3 * n.bit_length()
    if n <= MAX_SCANNED and bits <= _MAX_SCAN_BITS:
        return _Scan(model, beta, bits + _GUARD_BITS).worst() / model.gap
    return response_bracket(n, low, beta) if model.is_binary else count_bracket(model, beta)


# --- The exact scan -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Scan:
    """All k in turn, in integers over 2**bits."""

    model: CountModel
    beta: Fraction
    bits: int

    def worst(self) -> Fraction:
        """Return the least a that is enough for every k."""
        n, reach = self.model.n, Fraction(-1)
        masses = self._first()
        last = n // 2 if self.model.is_binary else n
        for k in with_progress(range(last + 1), last + 1):
            if k:
                masses = self._next(masses)
            if not self._is_enough(masses, k, reach):
                reach = self._least(masses, k)
        return reach

    def _first(self) -> list[int]:
        """P[Bin(n, q0) = t], rounded down."""
        n, p = self.model.n, self.model.unlikely
        yes, total = p.numerator, p.denominator**self.model.n
        no = p.denominator - yes
        weight, masses = no**n, []
        for t in range(n + 1):
            masses.append((weight << self.bits) // total)
            weight = weight * (n - t) * yes // ((t + 1) * no)
        return masses

    def _next(self, masses: Sequence[int]) -> list[int]:
        """One more holder, one less other user."""
        high, low = self.model.likely, self.model.unlikely
        scale = high.denominator * low.denominator
        rest_high, rest_low = int((1 - high) * scale), int((1 - low) * scale)
        yes_high, yes_low = int(high * scale), int(low * scale)
        moved, before, last = [], 0, 0
        for mass in masses:
            last = (rest_high * mass + yes_high * before - yes_low * last) // rest_low
            moved.append(last)
            before = mass
        return moved

    def _sign(self, total: int, k: int, exact: Callable[[], Fraction]) -> int:
        """Return the sign of a sum of probabilities minus beta."""
        low = self.model.unlikely
        error = (self.model.n + 1) * (1 + k * (1 - low) / (1 - 2 * low))
        target = self.beta * 2**self.bits
        if abs(total - target) <= error:
            value = exact()
            return (value > self.beta) - (value < self.beta)
        return 1 if total > target else -1

    def _is_enough(self, masses: list[int], k: int, reach: Fraction) -> bool:
        if reach < 0:
            return False
        mean = self._mean(k)
        low, high = (mean - reach).__ceil__(), (mean + reach).__floor__()
        total = sum(masses[: max(low, 0)]) + sum(masses[high + 1 :])
        return low <= high and self._sign(total, k, lambda: self._outside(k, low, high)) <= 0

    def _least(self, masses: Sequence[int], k: int) -> Fraction:
        """Return the least a for this k: outcomes are passed from the farthest on until they weigh more than beta."""
        mean, low, high, total = self._mean(k), 0, self.model.n, 0
        while low <= high:
            distance = max(mean - low, high - mean)
            if mean - low == distance:
                total, low = total + masses[low], low + 1
            if low <= high and high - mean == distance:
                total, high = total + masses[high], high - 1
            if self._sign(total, k, lambda low=low, high=high: self._outside(k, low, high)) > 0:  # type: ignore[misc]
                return distance
        raise UndecidedError(f"the scan at k={k} ended below beta={short(self.beta)}. This is a defect.")

    def _mean(self, k: int) -> Fraction:
        return k * self.model.likely + (self.model.n - k) * self.model.unlikely

    def _outside(self, k: int, low: int, high: int) -> Fraction:
        """P[Y_k < low or Y_k > high], exactly."""
        if low > high:
            return Fraction(1)
        law = BinomialSum(k, self.model.likely, self.model.n - k, self.model.unlikely)
        return law.exact_cdf(low - 1) + law.exact_sf(high)


# --- The bracket ----------------------------------------------------------------------------------------------------


def response_bracket(n: int, flip: Fraction, beta: Fraction) -> Interval:
    """Enclose the optimal accuracy of binary randomized response with flip probability 0 < f < 1/2, 0 < beta < 1.

    >>> response_bracket(10**6, Fraction(1, 4), Fraction(1, 20))
    Interval[1698, 1714.147494]

    The ends are within 1% of each other at beta = 1/20 and 10^6 users, within 7% at 1e-6.

    Source: Warner1965, section 2 (the theorem is in the module docstring).
    """
    law, gap = Binomial(n, flip), 1 - 2 * flip
    least = least_reach(law, law.mean, law.mean, beta)
    start = law.mean.__floor__() + 1
    low, high = start, start + least.__ceil__() + 1
    bits = _GUARD_BITS + 3 * n.bit_length() + 2 * (1 / beta).__ceil__().bit_length()

    def is_before(c: int) -> bool:
        """Whether the bound at its best a is still above beta, so that a larger c may be better."""
        first, second = _moments(n, flip, c, bits)
        return 2 * first**2 > beta * second

    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_before(middle) else (low, middle)
    most = min(_enough(n, flip, c, beta, bits) for c in (low, high))
    most = min(most, _deviation(CountModel(n, 1 - flip, flip), beta))
    return Interval.between(least / gap, max(least, most) / gap, bits=_INTERVAL_BITS)


def _enough(n: int, flip: Fraction, place: int, beta: Fraction, bits: int) -> Fraction:
    """Return an a with 2 E (Z - place)_+^2 / (a - c)^2 <= beta, c = place - n f."""
    square = 2 * _moments(n, flip, place, bits)[1] / beta
    return place - n * flip + root_above(square, 2 * _INTERVAL_BITS)


def _moments(n: int, flip: Fraction, place: int, bits: int) -> tuple[Fraction, Fraction]:
    """Return about E (Z - place)_+, and an upper bound of E (Z - place)_+^2, for an integer place of at least 1."""
    tails = [
        ends(Binomial(n - less, flip).sf(place - less, relative_bits=bits)) if n >= less else (Fraction(0),) * 2
        for less in range(3)
    ]
    once, twice = n * flip, n * (n - 1) * flip**2
    first = once * tails[1][1] - place * tails[0][0]
    second = twice * tails[2][1] + (1 - 2 * place) * once * tails[1][0] + place**2 * tails[0][1]
    return max(first, Fraction(0)), max(second, Fraction(0))


def count_bracket(model: CountModel, beta: Fraction) -> Interval:
    """Enclose the optimal accuracy of a count with any 0 <= q0 < q1 <= 1, for 0 < beta < 1.

    >>> count_bracket(CountModel(10**6, Fraction(55, 70), Fraction(1, 70)), Fraction(1, 20))
    Interval[1042.592592, 1059.521625]

    The ends are within 2 % of each other at beta = 1/20 and 10^6 users, within 15 % at 1e-6.

    Source: Hoeffding1963, Theorem 3 (Bennett's inequality, which implies Bernstein's).
    """
    n = model.n
    least = max(model.least(holders, beta) for holders in (0, n))
    most = _deviation(model, beta) / model.gap
    return Interval.between(least, max(least, most), bits=_INTERVAL_BITS)


def _deviation(model: CountModel, beta: Fraction) -> Fraction:
    """Return how far a count is from its mean, with any number of holders."""
    chances = model.likely, model.unlikely
    spread, far, skew = (max(map(of, chances)) for of in (_variance, lambda p: max(p, 1 - p), _skew))
    return enough_reach(model.n * spread, far, skew, beta).error


def _variance(p: Fraction) -> Fraction:
    return p * (1 - p)


def _skew(p: Fraction) -> Fraction:
    """E |X|^3 / E X^2 of a centred bit that is one with probability p."""
    return p**2 + (1 - p) ** 2


# --- The published bound --------------------------------------------------------------------------------------------


def response_accuracy_bound(
    n: int, flip: Fraction, beta: Fraction, *, relative_bits: int = DEFAULT_RELATIVE_BITS
) -> Interval:
    """Enclose sqrt(n ln(2/beta) / 2) / (1 - 2f), Hoeffding's bound of the error of the sum, for 0 <= f < 1/2.

    n independent messages of range 1: P[|Y_k - m_k| >= a] <= 2 e^(-2 a^2 / n) on every data set.

    >>> response_accuracy_bound(10**6, Fraction(1, 4), Fraction(1, 20))
    Interval[2716.203031, 2716.203032]

    Source: Warner1965, section 2 (of the protocol, while the bound is Hoeffding's inequality).
    """
    return enclose_with_root(Real(0), Real(1 / (1 - 2 * flip)), n * Real.log(2 / beta) / 2, relative_bits=relative_bits)
