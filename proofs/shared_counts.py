"""Noise that users share for counts: negative binomial and Poisson, how much is enough, and that shares add up.

Statement. An integer query changes by at most Delta between neighbours, an integer >= 1; W is noise that is added.

1. n >= 1 independent draws from NB(r/n, p) add up to NB(r, p), for all real r > 0 and 0 <= p < 1.
   n draws from the Poisson law of mean mu/n add up to mean mu.
2. With W ~ NB(r, p), r >= 3, r >= 3 ln(1/delta) and e^(-eps/(5 Delta)) <= p < 1 the query is (eps, delta)-DP, for
   0 < eps <= 1. So is the sum of n users who send their integers from 0 to Delta, and shares of W.
3. With W ~ Poisson(mu), g = 1 - e^(-eps/Delta), mu >= 10 ln(1/delta)/g^2 and mu >= 2 Delta/g it is (eps, delta)-DP, for
   every eps > 0; for delta <= 1 therefore with mu = 16 ln(10/delta)/g^2 + 2 Delta/g. So is the sum, by shares.
4. Flooding: every user sends his bin, one of k, and a Poisson number of mean m of uniform ones. With lambda = n m/k and
   t = tanh(eps/2) it is (eps, delta)-DP where lambda t^2 (1 - t^2/4) >= ln(1/delta) + t (1 - t); the number in a bin
   less lambda errs by a Poisson number of mean lambda less its mean.

Proof. 1: the masses w of NB(r, p) have (t+1) w(t+1) = (r+t) p w(t). In (t+1) times the mass of the sum of two at t+1
write t+1 = i + (t+1-i) in the i-th term: as (r+i) + (s+t-i) = r+s+t, it is (r+s+t) p times that at t, and a law with
this recursion is NB(r+s, p). For Poisson laws, (t+1) w(t+1) = mu w(t), it is mu + nu times that at t. 2 and 3: see
exactdp/protocols/counting/counting_theorem.py. 4: see exactdp/protocols/flooded/flooding_theorem.py. All are in Coq.

The certificates: 1 for two shares, both real, at t <= 4 (Vandermonde's identity for rising factorials); 2 to 4 at
single parameters, decided without the theorem, and the steps that are polynomial. For 4 the two numbers of noise are
listed, given that none is above a cut: a law that is rational, and further apart than the theorem's by the chance of
what is above at most.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import comb, factorial, prod
from typing import Final

from exactdp import Claim, NegativeBinomial, Poisson, Randomizer, ShuffleProtocol
from exactdp.proofs.row_files import decides
from exactdp.proofs.steps import Expression, equal, implies, variables

DELTA: Final = Fraction(1, 20)
"""ln(1/delta) is below 3."""
BINOMIAL_CASES: Final = ((1, Fraction(5, 2), 9, Fraction(5, 6)), (2, Fraction(5, 2), 9, Fraction(11, 12)))
"""Delta, e^eps, r and p with p^(5 Delta) e^eps >= 1."""
POISSON_CASES: Final = ((1, 2, 120), (2, 4, 120))
"""Delta, e^eps and mu with g = 1/2."""
FLOODED: Final = (9, 6)
"""e^eps and lambda with t = 4/5."""
CUT: Final = 14
"""Numbers up to here are listed: above there is less than 1/500 of the Poisson law of mean 6."""
_HIGHEST: Final = 4
"""The masses at 1, ..., 4 are compared."""


def rising(r: Expression, t: int) -> Expression:
    """r (r+1) ... (r+t-1): t! times the mass of NB(r, p) at t, over that at 0 and p^t.

    >>> (r,) = variables("r")
    >>> rising(r, 2)
    r*(r + 1)
    """
    return prod(r + i for i in range(t))


@decides("negative-binomial-shares")
def _shares() -> Iterator[Claim]:
    r, s = variables("r s")
    for t in range(1, _HIGHEST + 1):
        pairs = (comb(t, i) * rising(r, i) * rising(s, t - i) for i in range(t + 1))
        yield implies(then=equal(sum(pairs), rising(r + s, t)))


@decides("negative-binomial-mechanism")
def _negative_binomial() -> Iterator[Claim]:
    """e is e^s, v is p/(1-p) and x is 3/(1+v)."""
    p, e, s, v, x = variables("p e s v x")
    yield implies(e >= 1 + s, 5 * (1 - p) <= s, then=e - p >= 6 * (1 - p))
    yield implies(v >= 4, x > 0, equal(x * (1 + v), 3), then=20 * (1 + v / 4) * x * (x + 2) <= 39 * (1 + x))
    for change, exp_eps, r, ratio in BINOMIAL_CASES:
        yield Claim.shift_dp(NegativeBinomial(r, ratio), shift=change, exp_eps=exp_eps, delta=DELTA)


@decides("counting-one-sided")
def _counting() -> Iterator[Claim]:
    yield _shares()
    for change, exp_eps, r, ratio in BINOMIAL_CASES:
        yield Claim.shift_dp(NegativeBinomial(r, ratio), shift=change, exp_eps=exp_eps, delta=DELTA)


@decides("poisson-mechanism")
def _poisson() -> Iterator[Claim]:
    """e is e^(eps/Delta); the exponent of the upper tail is (g/2)^2 / (2 + g/2)."""
    g, e = variables("g e")
    yield implies(g > 0, g < 1, e > 0, equal(e * (1 - g), 1), then=e >= 1 + g)
    yield implies(g >= 0, g <= 1, then=10 * (g * g) >= 4 * (g * g) * (2 + g / 2))
    for change, exp_eps, mu in POISSON_CASES:
        yield Claim.shift_dp(Poisson(mu), shift=change, exp_eps=exp_eps, delta=DELTA)


@decides("counting-poisson")
def _poisson_counting() -> Iterator[Claim]:
    """t! times the mass at t, without e^-mu, is mu^t: the binomial theorem."""
    m, n = variables("m n")
    for t in range(1, _HIGHEST + 1):
        yield implies(then=equal(sum(comb(t, i) * m**i * n ** (t - i) for i in range(t + 1)), (m + n) ** t))
    yield _poisson()


def two_bins() -> ShuffleProtocol:
    """The numbers of messages in the bins of two inputs, for who holds either; the noise of both is at most the cut."""
    weights = [Fraction(FLOODED[1] ** i, factorial(i)) for i in range(CUT + 1)]
    law = [weight / sum(weights) for weight in weights]
    places = list(product(range(CUT + 1), repeat=2))
    rows = {x: {(f"{i + 1 - x},{j + x}",): law[i] * law[j] for i, j in places} for x in (0, 1)}
    return ShuffleProtocol(Randomizer(rows), 1)


@decides("flooding-frequencies")
def _flooding() -> Iterator[Claim]:
    """q is the share of the first letter; p a mass over i j, e is e^eps, y is e^(-t^2/2) and v is ln(1/delta) + s."""
    q, m, e, t, y, p, i, j, v = variables("q m e t y p i j v")
    for total in range(1, _HIGHEST + 1):
        ways = (comb(total, a) * (q * m) ** a * ((1 - q) * m) ** (total - a) for a in range(total + 1))
        yield implies(then=equal(sum(ways), m**total))
    yield implies(p >= 0, j > 0, i <= e * j, then=i * p <= e * (j * p))
    yield implies(m >= 0, y <= 1 - t**2 / 2 + t**4 / 8, m * t**2 * (1 - t**2 / 4) >= v, then=v + m * (2 * y - 2) <= 0)
    yield Claim.shuffle_dp(two_bins(), exp_eps=FLOODED[0], delta=DELTA - Fraction(2, 500))
