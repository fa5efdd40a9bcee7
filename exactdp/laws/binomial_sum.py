"""The sum of two independent binomial counts: the view of binary randomized response.

Its generating function (1 - p1 + p1 z)^n1 (1 - p2 + p2 z)^n2 has real roots only, so its weights are log-concave
(Newton's inequalities), and its modes are less than 1 away from the mean.

Source: Darroch1964, Theorem 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.laws.binomial import Binomial
from exactdp.laws.lattice import MAX_HANDY_BITS, RATIO_BITS, Drawn, LatticeLaw, Primitives
from exactdp.laws.law_balls import EnclosedBinomialSum
from exactdp.numbers.exact import Exact, as_integer, as_probability
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.real import Real
from exactdp.numbers.splitting import TwoCoins

MAX_EXACT_TRIALS: Final = 10**5
"""Most trials for which exact probabilities are built."""

_LISTED_PRODUCTS: Final = 40_000
"""Up to so many products of the two counts' weights plain Python lists all weights in a moment."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class BinomialSum(LatticeLaw):
    """Bin(n1, p1) + Bin(n2, p2), independent.

    Args:
        n1, n2: numbers of trials, integers of at least 0.
        p1, p2: success probabilities, exact, in [0, 1].

    Enclosed at any n; exact for n1 + n2 up to 10^5.

    >>> view = BinomialSum(3, "3/4", 7, "1/4")
    >>> view.exact_pmf(4), view.mean, BinomialSum(10**9, "3/4", 10**9, "1/4").sf(1_000_100_000)
    (Fraction(151011, 524288), Fraction(4, 1), Interval[1.208615108e-7, 1.208615109e-7])

    Cost: 1 to 3 ms for a weight or a tail at 53 bits, at any n; exact 0.1 s at n = 10^4.
    """

    n1: int
    p1: Fraction
    n2: int
    p2: Fraction

    is_log_concave = is_rational = True
    tail_ratio = None

    def __init__(self, n1: int, p1: Exact, n2: int, p2: Exact) -> None:
        set_fields(
            self,
            n1=as_integer(n1, name="n1", at_least=0),
            p1=as_probability(p1, name="p1"),
            n2=as_integer(n2, name="n2", at_least=0),
            p2=as_probability(p2, name="p2"),
        )

    @property
    def _parts(self) -> tuple[Binomial, Binomial]:
        return Binomial(self.n1, self.p1), Binomial(self.n2, self.p2)

    @property
    def low(self) -> int:
        """The least outcome: 0, or the trials that always succeed."""
        return sum(part.low for part in self._parts)

    @property
    def high(self) -> int:
        """The greatest outcome: n1 + n2, without the trials that never succeed."""
        return sum(part.high for part in self._parts)

    @property
    def mean(self) -> Fraction:
        """n1 p1 + n2 p2."""
        return exact_answer(sum((part.mean for part in self._parts), Fraction(0)))

    @property
    def variance(self) -> Fraction:
        """n1 p1 (1 - p1) + n2 p2 (1 - p2)."""
        return exact_answer(sum((part.variance for part in self._parts), Fraction(0)))

    @property
    def mode(self) -> int:
        """A most likely outcome: one of the two integers around the mean."""
        if self.p1 == self.p2:
            return Binomial(self.n1 + self.n2, self.p1).mode
        below, above = max(self.low, self.mean.__floor__()), min(self.high, self.mean.__ceil__())
        return above if below < above and self.compare_ratio(above, below, Real(1)) > 0 else below

    @property
    def is_exact(self) -> bool:
        """Whether n1 + n2 is at most 10^5, and times the bits of p1 and p2 at most 2^22."""
        bits = self.p1.denominator.bit_length() + self.p2.denominator.bit_length()
        return self.n1 + self.n2 <= MAX_EXACT_TRIALS and (self.n1 + self.n2) * bits <= MAX_HANDY_BITS

    @property
    def is_symmetric(self) -> bool:
        """Whether each count is symmetric, or one is the other one's mirror image."""
        half = Fraction(1, 2)
        return self.p1 == self.p2 == half or (self.n1 == self.n2 and self.p1 + self.p2 == 1)

    @property
    def lists_fast(self) -> bool:
        """Whether n1 n2 is at most 40,000."""
        return self.listing_products <= _LISTED_PRODUCTS

    @property
    def listing_products(self) -> int:
        """n1 n2."""
        return self.n1 * self.n2

    def exact_bits(self, k: int) -> int:
        """Return n1 and n2, each times the bits of the denominator of its p."""
        return self.n1 * self.p1.denominator.bit_length() + self.n2 * self.p2.denominator.bit_length()

    @property
    def enclosed(self) -> EnclosedBinomialSum | None:
        """The law in balls."""
        return None if self.low == self.high else EnclosedBinomialSum(self.n1, self.p1, self.n2, self.p2)

    def _in_symbols(self, k: Any) -> Any:
        """Return the sum over i of the two probabilities, of i and of k - i, in SymPy."""
        from sympy import Dummy, Max, Min, Sum

        first, second = self._parts
        i = Dummy("i", integer=True)
        return Sum(first._in_symbols(i) * second._in_symbols(k - i), (i, Max(0, k - self.n2), Min(self.n1, k)))

    def ratio(self, t: int, u: int) -> Real:
        """w(t) / w(u), for t and u in the support and n1 + n2 up to 10^5."""
        return Real(self.exact_pmf(t) / self.exact_pmf(u))

    def compare_ratio(self, t: int, u: int, bound: Real) -> int:
        """Return -1, 0 or 1 as w(t) / w(u) is below, at or above ``bound``, by enclosures first."""
        if (sign := self._compare_enclosed(t, u, bound)) is not None:
            return sign
        if not self.is_exact:
            raise UndecidedError(
                f"w({t}) / w({u}) of {self!r} agrees with {bound} to {RATIO_BITS[-1]} bits, and exact weights end at "
                f"{MAX_EXACT_TRIALS} trials. Use another eps, or fewer trials."
            )
        return LatticeLaw.compare_ratio(self, t, u, bound)

    def _exact_pmf(self, k: int) -> Fraction:
        """P[Y = k]."""
        return self._exact(k)[0] if self.low <= k <= self.high else Fraction(0)

    def _exact_cdf(self, k: int) -> Fraction:
        """P[Y <= k]."""
        return 1 - self._exact_sf(k)

    def _exact_sf(self, k: int) -> Fraction:
        """P[Y > k]."""
        if not self.low <= k < self.high:
            return Fraction(k < self.low)
        return self._exact(k)[1]

    def _exact(self, k: int) -> tuple[Fraction, Fraction]:
        """Return (P[Y = k], P[Y > k]) for k in the support."""
        if not self.is_exact:
            raise TooLargeError(
                f"n1 + n2 = {short(self.n1 + self.n2)} trials are more than the limit of {MAX_EXACT_TRIALS}, or their "
                "parameters too long, for exact probabilities. Use pmf, cdf and sf, which enclose them to any accuracy."
            )
        coins = [part for part in self._parts if part.low < part.high]
        if len(coins) == 2 and self.p1 != self.p2:
            point, next_point, tail = TwoCoins(self.n1, self.p1, self.n2, self.p2).two_points_and_tail(k)
            return point, next_point + tail
        one = Binomial(sum(coin.n for coin in coins), coins[0].p) if coins else Binomial(0, 0)
        return one.exact_pmf(k - self.low), one.exact_sf(k - self.low)

    def drawn(self, source: Primitives[Drawn]) -> Drawn:
        """Return draws of the law."""
        return source.plus(source.binomial(self.n1, self.p1, "p1"), source.binomial(self.n2, self.p2, "p2"))
