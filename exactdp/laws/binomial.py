"""The binomial law at any n, exactly: the noise of zsum and the view of randomized response.

Its weights satisfy w(t)/w(t-1) = (n-t+1) p / (t (1-p)), which falls in t: the law is log-concave. Every engine that
relies on this asks :attr:`Binomial.is_log_concave`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Final

from exactdp.errors import TooLargeError
from exactdp.kernel.splitting import binomial_head
from exactdp.laws.finite import Law
from exactdp.numbers.exact import Exact, as_integer, as_probability

__all__ = ["Binomial"]

MAX_EXACT_TRIALS: Final = 10**6
"""Most trials for which exact probabilities are built: at 10^6 trials a tail has about 20 million bits."""

MAX_LAW_BITS: Final = 2**32
"""Most bits of all weights of a finite law: half a gigabyte."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Binomial:
    """Bin(n, p): P[Y = t] = C(n, t) p^t (1-p)^(n-t) for t = 0, ..., n.

    Args:
        n: number of trials, an integer of at least 0.
        p: success probability, exact, in [0, 1].

    All probabilities are exact Fractions; a tail costs about 3 ms at n = 10^4 and 50 ms at n = 10^5.

    >>> Binomial(3, "1/3").exact_cdf(1)
    Fraction(20, 27)
    """

    n: int
    p: Fraction

    def __init__(self, n: int, p: Exact) -> None:
        object.__setattr__(self, "n", as_integer(n, name="n", at_least=0))
        object.__setattr__(self, "p", as_probability(p, name="p"))

    @property
    def is_log_concave(self) -> bool:
        """True: the ratio of neighbouring weights falls (module docstring)."""
        return True

    @property
    def mean(self) -> Fraction:
        """n p."""
        return self.n * self.p

    @property
    def variance(self) -> Fraction:
        """n p (1 - p)."""
        return self.n * self.p * (1 - self.p)

    @property
    def mode(self) -> int:
        """A most likely outcome: floor((n + 1) p), at most n."""
        return min(self.n, (self.n + 1) * self.p // 1)

    def exact_pmf(self, k: int) -> Fraction:
        """Return P[Y = k] for an integer k."""
        k = as_integer(k, name="k")
        self._check_size()
        if not 0 <= k <= self.n:
            return Fraction(0)
        return comb(self.n, k) * self.p**k * (1 - self.p) ** (self.n - k)

    def exact_cdf(self, k: int) -> Fraction:
        """Return P[Y <= k] for an integer k."""
        k = as_integer(k, name="k")
        self._check_size()
        if k < 0:
            return Fraction(0)
        if k >= self.n or self.p == 0:
            return Fraction(1)
        return Fraction(0) if self.p == 1 else binomial_head(self.n, self.p, k)

    def exact_sf(self, k: int) -> Fraction:
        """Return P[Y > k] for an integer k."""
        return Binomial(self.n, 1 - self.p).exact_cdf(self.n - as_integer(k, name="k") - 1)

    def law(self) -> Law:
        """Return the same law as a finite :class:`Law`."""
        self._check_size()
        bits = (self.n + 1) * self.n * self.p.denominator.bit_length()
        if bits > MAX_LAW_BITS:
            raise TooLargeError(
                f"the weights of {self!r} take {bits} bits, more than the limit of {MAX_LAW_BITS}. "
                "Use a smaller n, or single probabilities: exact_pmf, exact_cdf."
            )
        success, failure = self.p.numerator, self.p.denominator - self.p.numerator
        weight, weights = failure**self.n, {}
        if failure == 0:
            return Law.from_weights({self.n: 1}, 1)
        for t in range(self.n + 1):
            weights[t] = weight
            weight = weight * (self.n - t) * success // ((t + 1) * failure)
        return Law.from_weights(weights, self.p.denominator**self.n)

    def _check_size(self) -> None:
        if self.n > MAX_EXACT_TRIALS:
            raise TooLargeError(
                f"n={self.n} trials are more than the limit of {MAX_EXACT_TRIALS} for exact probabilities. "
                "Use a smaller n."
            )

    def __repr__(self) -> str:
        return f"Binomial({self.n}, {str(self.p)!r})"
