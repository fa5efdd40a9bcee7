"""Two noisy counts of which one goes up and the other down by one: two bins of a histogram, judged together.

With independent counts W, W' of one law with weights w, the pair is P = (W, W'+1) against Q = (W+1, W'), and at (t, u)

    P = w(t) w(u-1),    Q = w(t-1) w(u).

*One order is enough.* Exchanging the bins turns P into Q and Q into P, so both orders have the same divergence.

*The worst event is a staircase*, for a log-concave law. Let r(t) = w(t) / w(t-1), infinite at the least outcome and 0
just above the greatest; it never rises. For fixed u, P > E Q says r(t) > E r(u): a lower half-line {t <= end(u)} of the
support of P, and end(u) does not fall as u grows, because r(u) does not rise. So, with F the distribution function,

    H_E(P || Q) = sum over u of w(u-1) F(end(u)) - E w(u) F(end(u) - 1),

a walk of as many steps as the law has outcomes (:mod:`exactdp.privacy.noise.staircase`), where the cells are as many as
their squares. All its terms are at least 0, so part of them is a lower bound, and what is left out is at most its mass
under P. For E >= 1 the ends are below u, since r(u) > E r(u) is false; u just above the greatest outcome has Q = 0, and
its event is everything.

*At infinity* only cells with Q = 0 < P are left: t the least outcome or u just above the greatest one.

The divergence at E^2 is at most twice that of one bin at E, by basic composition; it is usually much smaller.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exactdp.caching import cached_property
from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.laws.binomial import Binomial
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.numbers.balls import compare_reals, enclose_real
from exactdp.numbers.formats import about
from exactdp.numbers.interval import Interval
from exactdp.numbers.rationals import ratio
from exactdp.numbers.real import Real
from exactdp.privacy.engine import Bound, DataSet, Engine, NoisePairs, Shift, WorstEvent
from exactdp.privacy.inverse import bracket_exp_eps
from exactdp.privacy.noise.lattice_shift import LatticeShift
from exactdp.privacy.noise.staircase import (
    Ends,
    Staircase,
    binomial_staircase,
    enclose_ends,
    is_log_concave,
    list_staircase,
)
from exactdp.privacy.shuffle.pair import both_masses
from exactdp.privacy.shuffle.products import SparsePacking

_CELLS: Final = 4 * 10**6
"""Most outcomes of two bins together that are listed one by one, for noise that is not log-concave."""

_EXACT_BITS: Final = 2**22
"""Most trials of exact binomial noise, times their bits and those of its denominator."""

_LISTED: Final = 300
"""Most outcomes of other lattice noise that are listed, to be judged exactly."""

_ORDER_BITS: Final = 64
"""A bound of E this accurate leaves one candidate for an end, but near ties."""

_ZERO: Final = Interval.around(0, relative_bits=1)


@dataclass(frozen=True, eq=False)
class FiniteJointShift(Engine):
    """The engine for two bins with finite noise: by the staircase where it is log-concave, else by all outcomes."""

    noise: Law
    first: DataSet
    second: DataSet
    limit: int

    name = "joint shift"
    method = "compares two bins of which one goes up and the other down"

    def __post_init__(self) -> None:
        cells = (len(self.noise) + 1) ** 2
        limit = self.limit if self._weights is not None else min(self.limit, _CELLS)
        if cells > limit:
            raise TooLargeError(
                f"{self.name}: two bins have {about(cells)} outcomes, the limit is {limit}. "
                "Use noise with fewer outcomes, or one bin and basic composition."
            )

    @property
    def ratio_bits(self) -> int:
        """Weights of the two bins together are integers of at most this many bits."""
        return 2 * self.noise.total.bit_length()

    @property
    def noise_pairs(self) -> NoisePairs:
        """Both orders of one bin, at once."""
        return NoisePairs(self.noise, (1,), both_at_once=True)

    @cached_property
    def _weights(self) -> tuple[int, ...] | None:
        """The weights of a log-concave law, from its least outcome to its greatest."""
        outcomes, weights = self.noise.support, tuple(self.noise.weights.values())
        has_no_gap = outcomes[-1] - outcomes[0] == len(outcomes) - 1
        return weights if has_no_gap and is_log_concave(weights) else None

    def search(self, exp_eps: Fraction | None, executor: Executor | None = None) -> WorstEvent:
        """Return the worst event, exactly; the two orders mirror each other by exchanging the bins."""
        if self._weights is None:
            return self._worst_of_cells(exp_eps)
        scale = self.noise.total**2
        if exp_eps is None:
            low, high = self._weights[0], self._weights[-1]
            first, second = (low + high) * self.noise.total - low * high, 0
        else:
            first, second = list_staircase(self._weights, exp_eps)
        return WorstEvent(self.first, self.second, ratio(first, scale), ratio(second, scale))

    def _worst_of_cells(self, exp_eps: Fraction | None) -> WorstEvent:
        """The same outcome by outcome."""
        law = self.noise
        base = max(law) - min(law) + 2  # outcomes (t, u) become t + base * u, and shifts by one stay apart
        both = {t + base * u: x * y for t, x in law.weights.items() for u, y in law.weights.items()}
        make = SparsePacking(law.total**2).law
        first = make(tuple((outcome + 1, weight) for outcome, weight in both.items()))
        second = make(tuple((outcome + base, weight) for outcome, weight in both.items()))
        level = None if exp_eps is None else (exp_eps.numerator, exp_eps.denominator)
        masses, _ = both_masses(first, second, level, law.total**2)
        return WorstEvent(self.first, self.second, *masses)


@dataclass(frozen=True, eq=False)
class LatticeJointShift(Engine):
    """The engine for two bins with log-concave lattice noise: exact where the law is short, enclosed everywhere.

    Exact for binomial noise where n times the bits of n and of the denominator of p is at most 2^22 (n = 58000 for
    multiples of 2^-53), and for other finite rational noise of at most 300 outcomes. Enclosed up to 10^6 terms that
    matter: about 20 standard deviations, plus eps/3 times the variance.

    Cost: exact delta 0.05 s at n = 2000 and 3 s at n = 58000; enclosed 10 ms for a variance of 725 at any n, 1.7 s for
    a standard deviation of 16000.
    """

    law: LatticeLaw
    first: DataSet
    second: DataSet

    name = "joint shift"
    method = "compares two bins of which one goes up and the other down, on the staircase where they are worst"
    encloses = True

    def __post_init__(self) -> None:
        if not self.law.is_log_concave:
            raise InvalidValueError(
                f"{self.law!r} is not log-concave, and two bins with such noise are not judged together. "
                "Use one bin and basic composition."
            )

    @property
    def is_exact(self) -> bool:
        """Whether the law is finite, rational and short enough."""
        if self._binomial is not None:
            return self._binomial.is_short
        low, high = self.law.low, self.law.high
        return low is not None and high is not None and high - low < _LISTED and self.law.is_exact

    @property
    def is_unbounded(self) -> bool:
        """Whether likelihood ratios have no bound, so that delta is above its limit 0 at every finite E."""
        return self.law.low is None and self.law.high is None and self.law.tail_ratio is None

    @property
    def noise_pairs(self) -> NoisePairs:
        """Both orders of one bin, at once."""
        return NoisePairs(self.law, (1,), both_at_once=True)

    @property
    def one_bin(self) -> LatticeShift:
        """The engine of one of the two bins alone: delta of both at E^2 is at most twice delta of one at E."""
        return LatticeShift(self.law, Shift(1, self.first, self.second))

    @cached_property
    def ratio_bits(self) -> int:
        """A b such that every finite likelihood ratio is below 2**b, for exact laws."""
        assert self._largest_ratio is not None
        return self._largest_ratio.coefficient.numerator.bit_length()

    @cached_property
    def _largest_ratio(self) -> Real | None:
        """The largest finite likelihood ratio of a law with two ends: r(low + 1) / r(high)."""
        low, high = self.law.low, self.law.high
        if low is None or high is None:
            return None
        return self.law.ratio(low + 1, low) / self.law.ratio(high, high - 1)

    @cached_property
    def _binomial(self) -> _BinomialStaircase | None:
        """What is known of binomial noise alone, the one law whose staircase has ends in a closed form."""
        return _BinomialStaircase(self.law.n, self.law.p) if isinstance(self.law, Binomial) else None

    @cached_property
    def _listed(self) -> FiniteJointShift:
        """The engine of the same noise as a finite law."""
        return FiniteJointShift(self.law.law(), self.first, self.second, _CELLS)

    def search(self, exp_eps: Fraction | None, executor: Executor | None = None) -> WorstEvent:
        """Return the worst event, exactly; the two orders mirror each other by exchanging the bins."""
        if self._binomial is None:
            return self._listed.search(exp_eps)
        return WorstEvent(self.first, self.second, *self._binomial.masses(exp_eps))

    def far_enough(self, target: Fraction) -> Fraction:
        """Return a guess by basic composition, where it proves one for one bin."""
        one_bin = bracket_exp_eps(self.one_bin, target / 2, relative_bits=2)
        return Engine.far_enough(self, target) if one_bin.high is None else one_bin.high**2

    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> Bound[Interval]:
        """Enclose delta; ``exp_eps`` None stands for infinity.

        Raises:
            TooLargeError: where more than 10^6 terms matter, before they are added.
        """
        return self.known(self.first, self.second, self._enclosed_delta(exp_eps, relative_bits))

    def _enclosed_delta(self, exp_eps: Real | None, relative_bits: int) -> Interval:
        law, largest = self.law, self._largest_ratio
        assert law.enclosed is not None
        if exp_eps is None or (largest is not None and compare_reals(largest, exp_eps) <= 0):
            no_ends = law.low is None and law.high is None
            return _ZERO if no_ends else enclose_ends(law.enclosed, relative_bits)
        if law.low is None and law.tail_ratio is not None and compare_reals(law.tail_ratio**2, exp_eps) <= 0:
            return _ZERO  # the law is even, and r is between 1 / tail_ratio and tail_ratio
        variance = law.variance if isinstance(law.variance, Fraction) else law.variance.hi
        lost_bits = law.enclosed.lost_bits + 2 * int(variance).bit_length() + 16
        if self._binomial is not None:
            end, step = _binomial_end(self._binomial.n, exp_eps), self._binomial.ratio
            return Staircase(law.enclosed, law.mode, step, end, exp_eps, lost_bits).enclose(relative_bits)
        ends = Ends(law.enclosed, law.mode, law.tail_ratio, lambda t: law.ratio(t, t - 1), exp_eps)
        return Staircase(law.enclosed, law.mode, ends.ratio_ball, ends, exp_eps, lost_bits).enclose(relative_bits)


@dataclass(frozen=True, slots=True)
class _BinomialStaircase:
    """The staircase of Bin(n, p): its ends do not depend on p, and its masses come from one walk in integers."""

    n: int
    p: Fraction

    @property
    def is_short(self) -> bool:
        """Whether exact masses are within reach."""
        return self.n * (self.p.denominator.bit_length() + self.n.bit_length()) <= _EXACT_BITS

    def masses(self, exp_eps: Fraction | None) -> tuple[Fraction, Fraction]:
        """Return P(T) and Q(T) of the worst event at ``exp_eps`` (None: infinity)."""
        if exp_eps is None:
            law = Binomial(self.n, self.p)
            low, high = law.exact_pmf(0), law.exact_pmf(self.n)
            return low + high - low * high, Fraction(0)
        end = _binomial_end(self.n, Real(exp_eps))
        return binomial_staircase(self.n, self.p, [end(u) for u in range(1, self.n + 2)])

    def ratio(self, t: int) -> tuple[int, int]:
        """Return r(t) = (n-t+1) p / (t (1-p)) as two integers."""
        success, failure = self.p.numerator, self.p.denominator - self.p.numerator
        return (self.n - t + 1) * success, t * failure


def _binomial_end(n: int, exp_eps: Real) -> Callable[[int], int]:
    """Return end(u) of Bin(n, p) for u = 1, ..., n+1; it does not depend on p.

    r(t) > E r(u) is (n-t+1) u > E t (n-u+1), or t (u + E (n+1-u)) < (n+1) u. Bounds of E give bounds of the end, which
    agree but for ties and near ones.
    """
    bounds = enclose_real(exp_eps, relative_bits=_ORDER_BITS + 2 * n.bit_length())
    low, high = bounds.lo, bounds.hi

    def last(u: int, bound: Fraction) -> int:
        return ((n + 1) * u * bound.denominator - 1) // (u * bound.denominator + bound.numerator * (n + 1 - u))

    def end(u: int) -> int:
        t, above = last(u, high), last(u, low)
        while t < above and compare_reals(Fraction((n - t) * u, (t + 1) * (n + 1 - u)), exp_eps) > 0:
            t += 1
        return t

    return end
