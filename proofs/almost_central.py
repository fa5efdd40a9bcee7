"""Sums in almost one message: the constants are enough for every bound, and the error is that of central noise.

Statements. With p, W and Z_i as in :mod:`exactdp.protocols.almost_central.almost_central_theorem`:

1. for all eps > 0, 0 < delta <= 1, shares, bounds and n the sum is (eps, delta)-DP, with the width of this package and
   with the printed one;
2. for sums of bits, eps = 1 and delta = 1/10^6: the part NB(r1, e^(-1/20)) of W, rounded up, makes an integer of
   sensitivity 1 (1/4, delta / 2)-DP, and with it the sum is (eps, delta)-DP;
3. on every data set the error of the estimate is discrete Laplace noise of e^eps = 1/p. For the p of 2 it is above 6
   with probability at most 1/20, and above 5 with more;
4. a user sends one message and at most (2 Delta/e* + 10 r1 Delta/e1 + 20 r2 (Gamma (1 + 3 ln Delta) + 3 Delta)/e2)/n
   more on average, with the constants not rounded.

Proof. 1: in the docstring of that module. Of its lemma the numbers are steps: 3 (z^13 - 1) >= 13 (z^3 - 1) for
z = u^(1/3) = 1 + x, x from 0 to 1, from which a <= 3 r v / 13; e^x - 1 <= x e^(3/20) for x = 3h/10 from 0 to 3/20, and
20 e^(-3/20) > 17, from which 3 v >= 17 T; and e^(39 f) = (103/260)^39 (1751/1280)^64 <= e^-13 for c = 64/221 and
v = 17/3, where q = 103/260 and c v = 64/39. Of the printed width it is e^(2/3) <= 2.
2: the views of two neighbours differ in D = U - V, whose loss is at most e* = 1/2, and in M, which is that part plus
independent noise and is moved by 0 or 1, as D says: (1/2 + 1/4, delta / 2)-DP in all.
3: a pair {1, -1} and a multiset {i, -floor(i/2), -ceil(i/2)} add up to 0. What is left of the sum of all messages is
the sum of the numbers, and G1 - G2. Its law does not depend on n or on the other noise.
4: the mean of a negative binomial number of shape r and ratio e^-y is r/(e^y - 1) <= r/y; a multiset has three
messages, and the sum of the t_i over i = 2, ..., Delta is at most Gamma ln Delta + Delta.
All four, of the protocol as a program behind a shuffler, are proved in Coq: proofs/coq/survey/almost_central.v and the
files that it needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import comb
from typing import Final

from exactdp import AdditiveProtocol, Analyzer, Claim, NegativeBinomial
from exactdp.numbers.exact import Exact
from exactdp.proofs.row_files import decides
from exactdp.protocols import AlmostCentralSum, almost_central_sum

DELTA: Final = Fraction(1, 10**6)
"""A delta as it is asked for in practice."""
BETA: Final = Fraction(1, 20)
"""The probability of a larger error, as elsewhere."""
ERROR: Final = 6
"""The least integer that the error exceeds with probability at most 1/20."""
NUMBERS: Final = {"delta": DELTA, "beta": BETA, "error": ERROR}
"""The numbers that the rows quote."""


def bits() -> AlmostCentralSum:
    """The sum of bits with the theorem's constants for eps = 1 and this delta, of one user: n does not matter."""
    return almost_central_sum(1, bound=1, eps=1, delta=DELTA)


@decides("almost-central-privacy")
def _lemma() -> Iterator[Claim]:
    """The numbers of the lemma."""
    powers: dict[tuple[int, ...], Exact] = {(i,): 3 * comb(13, i) - 13 * comb(3, i) for i in range(2, 14)}
    yield Claim.box_inequality({"x": (0, 1)}, [(powers, {})])
    yield Claim.box_inequality(
        {"x": (0, Fraction(3, 20))},
        [({(1,): 1}, {(0,): Fraction(3, 20)}), ({(0,): -1}, {(1,): 1}), ({(0,): 1}, {})],
    )
    yield Claim.box_inequality({"x": (0, 1)}, [({(0,): 20}, {(0,): Fraction(-3, 20)}), ({(0,): -17}, {})], strict=True)
    yield chernoff(Fraction(3, 13) + Fraction(1, 17), Fraction(17, 3))


def chernoff(c: Fraction, v: Fraction) -> Claim:
    """Claim that f <= -1/3, for v and c v with the denominators 3 and 39."""
    q = (1 + c * v) / (1 + v)
    power = q**39 * (q / c) ** int(39 * c * v)
    return Claim.box_inequality({"x": (0, 1)}, [({(0,): 1}, {(0,): -13}), ({(0,): -power}, {})])


@decides("almost-central-printed-width")
def _printed_width() -> Iterator[Claim]:
    """The numbers of the lemma, and ln 2 >= 2/3."""
    yield _lemma()
    yield Claim.box_inequality({"x": (0, 1)}, [({(0,): 2}, {(0,): Fraction(-2, 3)}), ({(0,): -1}, {})])


@decides("almost-central-bits")
def _bits() -> Claim:
    (shape, ratio), _ = bits().common
    assert isinstance(shape, Fraction)
    assert isinstance(ratio, Fraction)
    return Claim.shift_dp(NegativeBinomial(shape, ratio), shift=1, eps="1/4", delta=DELTA / 2)


@decides("almost-central-error")
def _error() -> Iterator[Claim]:
    noise = AdditiveProtocol(bits().error, n=1, analyzer=Analyzer({0: 1}))
    yield Claim.accuracy(noise, alpha=ERROR, beta=BETA)
    yield Claim.negation(Claim.accuracy(noise, alpha=ERROR - 1, beta=BETA))


@decides("almost-central-messages")
def _messages() -> Claim:
    """e^y >= 1 + y."""
    return Claim.box_inequality({"y": (0, 1)}, [({(0,): 1}, {(1,): 1}), ({(0,): -1, (1,): -1}, {})])
