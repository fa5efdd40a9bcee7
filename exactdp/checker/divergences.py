"""The hockey-stick divergence of a pair of laws, compared with delta, and a level of privacy (eps, delta).

Trusted for: on which side of delta the divergence lies, and a rational on the right side of e^eps.

It rests on these facts, with their theorems of the Coq kernel:

- Taylor sums bound e^eps: exponential.taylor_sum_below_exp, exponential.exp_below_taylor_sum
- the divergence falls as e^eps grows: hockey_stick.hockey_stick_monotone
- exponentials and logarithms by series: exponential_fixed_point.exp_enclosed, logarithm_fixed_point.log_enclosed
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import factorial
from typing import NamedTuple

from .budget import Work, malformed, rejected, size
from .facts import FALLS, SERIES, TAYLOR, Facts
from .finite_laws import Pair
from .limits import MAX_EPS, MAX_PRECISION, MAX_TAYLOR_BITS, MAX_TERMS, MIN_PRECISION
from .reading import Object, read_choice, read_integer, read_rational, show
from .reals import exp_fractions


def compare_divergence(pairs: Iterable[Pair], total: int, ratio: Fraction | None, delta: Fraction) -> tuple[int, int]:
    """The sign of H_E(P||Q) - delta and the weight Q(P >= E Q), from the weights (p, q) of the outcomes over ``total``.

    H_E is the sum of max(0, P - E Q); with E = a/b, the sum of max(0, b p - a q) over b times the total. E = None is
    infinite, where P(Q = 0) is left.
    """
    positive = at_least = 0
    a, b = (1, 1) if ratio is None else (ratio.numerator, ratio.denominator)
    for p, q in pairs:
        excess = b * p - a * q
        if excess >= 0 and (ratio is not None or q == 0):
            positive += excess
            at_least += q
    difference = positive * delta.denominator - delta.numerator * b * total
    return (difference > 0) - (difference < 0), at_least


def level_keys(claim: Object) -> list[str]:
    """The keys of a claim that give its level."""
    return ["exp_eps" if "exp_eps" in claim else "eps", "delta", "least"]


class Level(NamedTuple):
    """(eps, delta), e^eps being given exactly or through a rational eps (then ``exp_eps`` is None); what is least."""

    exp_eps: Fraction | None
    eps: Fraction
    delta: Fraction
    least: str

    @classmethod
    def read(cls, claim: Object) -> Level:
        delta = read_rational(claim["delta"], "delta", 0, 1)
        least = read_choice(claim["least"], "least", ["none", "delta", "exp_eps"])
        if "exp_eps" in claim:
            return cls(read_rational(claim["exp_eps"], "exp_eps", 1), Fraction(0), delta, least)
        if least != "none":
            malformed("'least' needs exp_eps")
        return cls(None, read_rational(claim["eps"], "eps", 0, MAX_EPS), delta, least)

    @property
    def parameter(self) -> str:
        return f"eps = {show(self.eps)}" if self.exp_eps is None else f"e^eps = {show(self.exp_eps)}"

    @property
    def words(self) -> str:
        least = {"none": "", "delta": ", no smaller delta", "exp_eps": ", no smaller e^eps"}[self.least]
        return f"({self.parameter}, delta = {show(self.delta)})-DP, both orders{least}"

    @property
    def terms_keys(self) -> list[str]:
        return ["terms"] if self.exp_eps is None else []

    @property
    def facts(self) -> Facts:
        return [TAYLOR, FALLS] if self.exp_eps is None else []

    @property
    def enclosed_facts(self) -> Facts:
        return [SERIES, FALLS] if self.exp_eps is None else []

    @property
    def has_smaller(self) -> bool:
        """Whether the claim says that something is least, and anything is smaller than that."""
        return (self.least == "delta" and self.delta > 0) or (self.least == "exp_eps" and self.exp_eps != 1)

    def smaller(self, witness: Object) -> Level:
        """The same level with the smaller parameter that the witness offers."""
        if self.least == "none":
            malformed("'smaller' refutes only claims that something is least")
        if self.least == "delta":
            smaller = self._replace(delta=read_rational(witness["smaller"], "smaller", 0))
        else:
            smaller = self._replace(exp_eps=read_rational(witness["smaller"], "smaller", 1))
        if smaller >= self:  # in the order of (exp_eps, eps, delta)
            rejected(f"the {self.least} of the witness is not smaller than that of the claim")
        return smaller

    def below(self, witness: Object, work: Work) -> Fraction:
        """E, or a rational at most e^eps: a divergence at most delta there is at most delta at e^eps."""
        if self.exp_eps is not None:
            return self.exp_eps
        if "bits" in witness:
            return self.enclosed(witness, work)[0]
        return taylor_sum(self.eps, read_integer(witness["terms"], "terms", 1, MAX_TERMS), work)

    def above(self, witness: Object, work: Work) -> Fraction:
        """E, or a rational at least e^eps: a divergence above delta there is above delta at e^eps."""
        if self.exp_eps is not None:
            return self.exp_eps
        if "bits" in witness:
            return self.enclosed(witness, work)[1]
        terms = read_integer(witness["terms"], "terms", 1, MAX_TERMS)
        if terms + 1 <= self.eps:
            rejected("too few terms to bound the rest of the Taylor series")
        low = taylor_sum(self.eps, terms, work)
        return low + self.eps**terms / factorial(terms) / (1 - self.eps / (terms + 1))

    def enclosed(self, witness: Object, work: Work) -> tuple[Fraction, Fraction]:
        """Rationals around e^eps, in fixed point."""
        bits = read_integer(witness["bits"], "bits", MIN_PRECISION, MAX_PRECISION)
        return exp_fractions(self.eps, bits, work)


def taylor_sum(eps: Fraction, terms: int, work: Work) -> Fraction:
    """The sum of eps^k / k! over k < terms."""
    bits = terms * (size(eps) + 10)
    if bits > MAX_TAYLOR_BITS:
        malformed(f"a Taylor sum of more than {MAX_TAYLOR_BITS} bits")
    work.spend(4 * terms, bits, bits // 32)
    total = power = scale = 1
    for k in range(1, terms):
        power *= eps.numerator
        total = total * eps.denominator * k + power
        scale *= eps.denominator * k
    return Fraction(total, scale)
