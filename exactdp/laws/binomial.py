"""The binomial law at any n, exact or enclosed: the noise of zsum and the view of randomized response.

Its weights satisfy w(t)/w(t-1) = (n-t+1) p / (t (1-p)), which falls in t: the law is log-concave. Every engine that
relies on this asks :attr:`Binomial.is_log_concave`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import perm
from typing import Any, Final

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.laws.finite import Law
from exactdp.laws.lattice import MAX_HANDY_BITS, Drawn, LatticeLaw, Primitives, in_symbols
from exactdp.laws.law_balls import EnclosedBinomial
from exactdp.numbers.exact import Exact, as_fraction, as_integer, as_probability
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import about, short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.packed import MAX_PACKED_BITS
from exactdp.numbers.real import Real
from exactdp.numbers.splitting import binomial_half_line, binomial_half_line_masses, binomial_head, binomial_weight

MAX_EXACT_TRIALS: Final = 10**6
"""Most trials for which exact probabilities are built: n times the bits of the denominator of p, each."""

_LONGEST: Final = 2**26
"""Most bits of one exact probability."""

_LONGEST_RATIO: Final = 10**5
"""Most factors of a ratio of two weights that are multiplied."""

_LISTED_TRIALS: Final = 1000
"""Up to here plain Python lists all weights in a moment."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Binomial(LatticeLaw):
    """Bin(n, p): P[Y = t] = C(n, t) p^t (1-p)^(n-t) for t = 0, ..., n.

    Args:
        n: number of trials, an integer of at least 0.
        p: success probability, exact, in [0, 1].

    ``pmf``, ``cdf`` and ``sf`` are enclosed at any n, a tail in 10 to 50 ms up to n = 10^15; ``exact_pmf``,
    ``exact_cdf`` and ``exact_sf`` are Fractions for n up to 10^6, a tail in 3 ms at n = 10^4 and 50 ms at n = 10^5.

    >>> Binomial(3, "1/3").exact_cdf(1), Binomial(10**15, "1/2").quantile("1/40")
    (Fraction(20, 27), 499999969010248)
    """

    n: int
    p: Fraction

    is_log_concave = is_rational = True
    tail_ratio = None

    def __init__(self, n: int, p: Exact) -> None:
        set_fields(self, n=as_integer(n, name="n", at_least=0), p=as_probability(p, name="p"))

    @property
    def low(self) -> int:
        """The least outcome: 0, or n where p = 1."""
        return self.n if self.p == 1 else 0

    @property
    def high(self) -> int:
        """The greatest outcome: n, or 0 where p = 0."""
        return 0 if self.p == 0 else self.n

    @property
    def enclosed(self) -> EnclosedBinomial | None:
        """The law in balls."""
        return None if self.low == self.high else EnclosedBinomial(self.n, self.p)

    @property
    def mean(self) -> Fraction:
        """n p."""
        return exact_answer(self.n * self.p)

    @property
    def variance(self) -> Fraction:
        """n p (1 - p)."""
        return exact_answer(self.n * self.p * (1 - self.p))

    @property
    def size_biased(self) -> Binomial | None:
        """Binomial(n - 1, p): k C(n, k) = n C(n - 1, k - 1)."""
        return Binomial(self.n - 1, self.p) if self.n else None

    @property
    def coins(self) -> tuple[int, Fraction, Fraction]:
        """n coins of chance p, exactly."""
        return self.n, self.p, Fraction(0)

    @property
    def mode(self) -> int:
        """A most likely outcome: floor((n + 1) p), at most n."""
        return min(self.n, (self.n + 1) * self.p // 1)

    @property
    def is_exact(self) -> bool:
        """Whether n is at most 10^6, and n times the bits of the denominator of p at most 2^22."""
        return self.n <= MAX_EXACT_TRIALS and self._bits <= MAX_HANDY_BITS

    def is_shared_by(self, users: int) -> bool:
        """Whether users divide n, so that each tosses n / users coins."""
        return self.n % users == 0

    @property
    def is_symmetric(self) -> bool:
        """Whether p = 1/2."""
        return self.p == Fraction(1, 2)

    @property
    def lists_fast(self) -> bool:
        """Whether n is at most 1000."""
        return self.n <= _LISTED_TRIALS

    def exact_bits(self, k: int) -> int:
        """Return n times the bits of the denominator of p."""
        return self._bits

    @property
    def _bits(self) -> int:
        return self.n * self.p.denominator.bit_length()

    def _in_symbols(self, k: Any) -> Any:
        """Return C(n, k) p^k (1-p)^(n-k) in SymPy."""
        from sympy import binomial

        p = in_symbols(self.p)
        return binomial(self.n, k) * p**k * (1 - p) ** (self.n - k)

    def ratio(self, t: int, u: int) -> Real:
        """w(t) / w(u) = (p / (1-p))^(t-u) (n-u) ... (n-t+1) / ((u+1) ... t) for u <= t, both in the support."""
        if t < u:
            return 1 / self.ratio(u, t)
        if t == u:
            return Real(1)
        success, failure = self.p.numerator, self.p.denominator - self.p.numerator
        steps = t - u
        if steps > _LONGEST_RATIO:
            raise UndecidedError(f"w({t}) / w({u}) of {self!r} is a product of {steps} factors, too many.")
        return Real(Fraction(success**steps * perm(self.n - u, steps), failure**steps * perm(t, steps)))

    def _exact_pmf(self, k: int) -> Fraction:
        """P[Y = k]."""
        self._check_size()
        if not 0 <= k <= self.n:
            return Fraction(0)
        return binomial_weight(self.n, self.p, k)

    def _exact_cdf(self, k: int) -> Fraction:
        """P[Y <= k]."""
        self._check_size()
        if k < 0:
            return Fraction(0)
        if k >= self.n or self.p == 0:
            return Fraction(1)
        return Fraction(0) if self.p == 1 else binomial_head(self.n, self.p, k)

    def _exact_sf(self, k: int) -> Fraction:
        """P[Y > k]."""
        return Binomial(self.n, 1 - self.p).exact_cdf(self.n - k - 1)

    def exact_half_line(self, k: int, shift: int, exp_eps: Exact) -> Fraction:
        """Return P[Y <= k] - E P[Y + shift <= k], from one tail and ``shift`` weights, reduced once.

        Args:
            k: end of the half-line, an integer.
            shift: an integer of at least 1.
            exp_eps: E, exact.

        >>> Binomial(3, "1/3").exact_half_line(1, 1, 2)
        Fraction(4, 27)

        Cost: 0.04 s at n = 10^5 and 0.7 s at n = 10^6 for p = 1/3, k = n/2 and shift = 1.
        """
        k = as_integer(k, name="k")
        shift = as_integer(shift, name="shift", at_least=1)
        ratio = as_fraction(exp_eps, name="exp_eps")
        self._check_size()
        if 0 < self.p < 1:
            return exact_answer(binomial_half_line(self.n, self.p, k, shift, ratio))
        return exact_answer(self.exact_cdf(k) - ratio * self.exact_cdf(k - shift))

    def exact_half_line_masses(self, k: int, shift: int) -> tuple[Fraction, Fraction]:
        """Return P[Y <= k] and P[Y + shift <= k], as :meth:`exact_half_line` and at the same cost."""
        self._check_size()
        if 0 < self.p < 1:
            first, second = binomial_half_line_masses(self.n, self.p, k, shift)
            return exact_answer(first), exact_answer(second)
        return self.exact_cdf(k), self.exact_cdf(k - shift)

    def exact_masses(self, first: int | None, last: int | None, shift: int) -> tuple[Fraction, Fraction]:
        """Return P[first <= Y <= last] and P[first <= Y + shift <= last], a half-line from one walk."""
        if first is not None and last is not None:
            return LatticeLaw.exact_masses(self, first, last, shift)
        law, end = self._lower_half_line(first, last, shift)
        masses = law.exact_half_line_masses(end, shift)
        return masses if first is None else masses[::-1]

    def exact_excess(self, first: int | None, last: int | None, shift: int, exp_eps: Fraction) -> Fraction:
        """Return P - E Q of a half-line, from one tail and ``shift`` weights; see :class:`LatticeLaw`."""
        if first is not None and last is not None:
            return LatticeLaw.exact_excess(self, first, last, shift, exp_eps)
        law, end = self._lower_half_line(first, last, shift)
        return law.exact_half_line(end, shift, exp_eps)

    def _lower_half_line(self, first: int | None, last: int | None, shift: int) -> tuple[Binomial, int]:
        """Return the law and the end of a lower half-line; an upper one is read backwards: Y + s against Y, from n."""
        if first is not None:
            return Binomial(self.n, 1 - self.p), self.n - first + shift
        return self, self.n if last is None else last

    def law(self) -> Law:
        """Return the same law as a finite :class:`Law`."""
        self._check_size()
        bits = (self.n + 1) * self.n * self.p.denominator.bit_length()
        if bits > MAX_PACKED_BITS:
            raise TooLargeError(
                f"the weights of {self!r} take {about(bits)} bits, the limit is {MAX_PACKED_BITS}. "
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
                f"n={short(self.n)} trials are more than the limit of {MAX_EXACT_TRIALS} for exact probabilities. "
                "Use a smaller n."
            )
        if self._bits > _LONGEST:
            raise TooLargeError(
                f"an exact probability of {self!r} has {about(self._bits)} bits, the limit is {_LONGEST}. "
                "Use pmf, cdf and sf, which enclose it to any accuracy."
            )

    def drawn(self, source: Primitives[Drawn]) -> Drawn:
        """Return draws of the law."""
        return source.binomial(self.n, self.p)
