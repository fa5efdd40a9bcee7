"""Many runs, groups and mixtures: what privacy of one run, one record or one pair of data sets says of several.

Statement. M is (eps, delta)-DP, eps >= 0, 0 <= delta <= 1, e = e^eps.

1. T such mechanisms, each chosen with all answers before it in sight, are (eps', delta_T)-DP together for every eps',
   delta_T = 1 - (1-delta)^T + (1-delta)^T (1+e)^-T sum over i <= T of C(T,i) max(0, e^(T-i) - e^(eps') e^i).
   Randomized response of a bit, told with probability delta, attains it. For different eps_t and delta_t the product
   of the losses of randomized response at these levels takes its place.
2. For 0 < s <= 1 they are (eps', 1 - (1-delta)^T (1-s))-DP with eps' = eps sqrt(2 T ln(1/s)) + T eps (e-1)/(e+1).
3. For k records M is (k eps, delta (e^k - 1)/(e - 1))-DP, and (0, k delta)-DP if eps = 0; not (k eps, k delta)-DP.
4. The hockey-stick of two mixtures, with the same weights, is at most the mean of those of the pairs that are mixed.
5. If the mean of (P/Q)^(alpha-1) under P is at most e^((alpha-1) rho_t) in run t, for all neighbours, alpha > 1, T runs
   are (eps', e^((alpha-1) (rho-eps')) (1 - 1/alpha)^(alpha-1) / alpha)-DP, rho the sum of the rho_t. If M is eps-DP,
   rho_t = alpha eps^2 / 2 will do.
6. T rounds of shuffled randomizers on the same records, each chosen with all earlier rounds in sight: measures of
   losses above the curves of the rounds multiply to one above the curve of all rounds.

Proof. 1: the curve of a pair is below the broken line through (0, 1), (1/e, 1 - (1-delta)/e) and (e, delta), which is
the divergence of the losses of randomized response; adaptive composition multiplies them. 2: max(0, 1-x) <= x^-h, and
Hoeffding's lemma for a loss that is eps or -eps. 3: change one record after the other. 4: an event has the mean of its
probabilities. 5: x^h (1-x) <= h^h/(h+1)^(h+1), and the means multiply. Of an eps-DP pair a power of P/Q is
below its chord, which is the mean of randomized response; Hoeffding's lemma. 6: a curve is convex, so it is below
chords; neighbours are symmetric, so it is known below 1 as well.
All of it is proved in Coq; the certificates hold steps of 3, 4 and 5 as inequalities, and instances of the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import comb
from typing import Final

from exactdp import Binomial, Claim, Randomizer, ShuffleProtocol, randomized_response
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.real import Real
from exactdp.proofs.row_files import decides
from exactdp.proofs.steps import equal, implies, variables

_LEVEL: Final = Fraction(3, 2)
"""e^eps of one run of the instances."""
_DELTA: Final = Fraction(1, 10)
"""The delta of one run of the instances."""
_RUNS: Final = (1, 2, 3)
"""The numbers of runs of the instances of the optimal bound."""
_LEVELS: Final = ((Fraction(3, 2), Fraction(0)), (Fraction(2), Fraction(1, 10)), (Fraction(4), Fraction(1, 20)))
"""Levels (e^eps_t, delta_t) of mechanisms that differ."""
_MANY: Final = 20
"""The number of runs of the instance of the closed form."""
_SLACK: Final = Fraction(1, 100)
"""The s of the closed form there."""
NUMBERS: Final = {"level": _LEVEL, "delta": _DELTA, "runs": _RUNS, "levels": _LEVELS, "many": _MANY, "slack": _SLACK}
"""The numbers that the rows quote."""


# --- many runs ------------------------------------------------------------------------------------------------------


def composed_delta(times: int, level: Fraction, delta: Fraction, exp_eps: Fraction) -> Fraction:
    """Return the delta_T of 1.

    >>> composed_delta(2, Fraction(2), Fraction(0), Fraction(1))
    Fraction(1, 3)
    """
    finite = sum(comb(times, i) * max(Fraction(0), level ** (times - i) - exp_eps * level**i) for i in range(times + 1))
    return 1 - (1 - delta) ** times * (1 - finite / (1 + level) ** times)


def dominating_response(*levels: tuple[Fraction, Fraction]) -> Randomizer:
    """Return an answer for each (level, delta), all as one message: "t" tells the bit, "a" is true at odds of level."""
    rows = {}
    for bit in "01":
        answers = {"": Fraction(1)}
        for level, delta in levels:
            row = _answers(bit, level, delta)
            answers = {said + answer: p * row[answer] for said, p in answers.items() for answer in row}
        rows[bit] = {(said,): p for said, p in answers.items() if p}
    return Randomizer(rows)


def _answers(bit: str, level: Fraction, delta: Fraction) -> dict[str, Fraction]:
    other = "10"[int(bit)]
    true = (1 - delta) * level / (1 + level)
    return {"t" + bit: delta, "a" + bit: true, "a" + other: 1 - delta - true}


def losses_delta(levels: Sequence[tuple[Fraction, Fraction]], exp_eps: Fraction) -> Fraction:
    """Return the hockey-stick of answers at these levels, by whether the first tells, is true or is false.

    >>> losses_delta([(Fraction(2), Fraction(0))] * 2, Fraction(1))
    Fraction(1, 3)
    """
    if not levels:
        return max(Fraction(0), 1 - exp_eps)
    (level, delta), *rest = levels
    true = losses_delta(rest, exp_eps / level) * level / (1 + level)
    return delta + (1 - delta) * (true + losses_delta(rest, exp_eps * level) / (1 + level))


@decides("composition-optimal")
def _optimal() -> Iterator[Claim]:
    """What randomized response has in so many runs, at e^eps' = 1, between powers of e, and at one of them."""
    for times, delta in product(_RUNS, (Fraction(0), _DELTA)):
        runs = ShuffleProtocol(dominating_response(*[(_LEVEL, delta)] * times), 1)
        for exp_eps in (Fraction(1), Fraction(5, 4), _LEVEL):
            least = composed_delta(times, _LEVEL, delta, exp_eps)
            yield Claim.shuffle_dp(runs, exp_eps=exp_eps, delta=least, least="delta")


@decides("composition-levels")
def _levels() -> Iterator[Claim]:
    """The same at different levels."""
    runs = ShuffleProtocol(dominating_response(*_LEVELS), 1)
    for exp_eps in (Fraction(1), Fraction(5, 4), Fraction(3)):
        yield Claim.shuffle_dp(runs, exp_eps=exp_eps, delta=losses_delta(_LEVELS, exp_eps), least="delta")


@decides("composition-advanced")
def _advanced() -> Iterator[Claim]:
    """Twenty adaptive runs, at a number below e^eps' with the eps' of 2; and Bernoulli's inequality, one run more."""
    flip = ShuffleProtocol(dominating_response((_LEVEL, Fraction(0))), 1)
    yield Claim.composed((flip, _MANY), exp_eps=advanced_level(_MANY, _LEVEL, _SLACK), delta=_SLACK)
    d, t, power = variables("d T q")
    yield implies(d >= 0, d <= 1, t >= 0, power >= 1 - t * d, then=(1 - d) * power >= 1 - (t + 1) * d)


def advanced_level(times: int, level: Fraction, slack: Fraction) -> Fraction:
    """Return a short number just below e^eps', eps' as in 2."""
    eps = Real.log(level)
    spread = Real.exp(Real.log(2 * times * Real.log(1 / slack)) / 2)
    total = eps * spread + times * eps * ((level - 1) / (level + 1))
    return enclose_real(Real.exp(total), relative_bits=40).lower.fraction()


@decides("composition-renyi")
def _renyi() -> Iterator[Claim]:
    """The mean of P/Q is 3/2 at e^eps0 = 2, and alpha = 2 has the factor 1/4; no number is rounded."""
    for times in _RUNS:
        runs = ShuffleProtocol(dominating_response(*[(Fraction(2), Fraction(0))] * times), 1)
        for exp_eps in (Fraction(1), Fraction(2)):
            yield Claim.shuffle_dp(runs, exp_eps=exp_eps, delta=Fraction(3, 2) ** times / (4 * exp_eps))


@decides("renyi-of-pure")
def _pure() -> Iterator[Claim]:
    """The square of x = P/Q is below its chord between f = e^-eps and E = e^eps."""
    x, e, f = variables("x E f")
    yield implies(x >= f, x <= e, equal(e * f, 1), then=x * x <= (e + f) * x - 1)


@decides("composition-shuffled")
def _shuffled() -> Iterator[Claim]:
    """Rounds of binary response in the checker's arithmetic: the curve of one round, composed."""
    for n, times, delta in ((5, 3, "23/100"), (20, 4, "43/1000")):
        protocol = ShuffleProtocol(randomized_response(2, gamma="1/2"), n)
        yield Claim.composed((protocol, times), exp_eps=2, delta=delta)


# --- many records ---------------------------------------------------------------------------------------------------


@decides("group-privacy")
def _group() -> Iterator[Claim]:
    """One record more: p, q, r are the chances of an event, E and d of one record, F and g of k; their sums."""
    p, q, r, e, d, f, g = variables("p q r E d F g")
    yield implies(e >= 0, p <= e * q + d, q <= f * r + g, then=p <= e * f * r + d + e * g)
    noise, level, delta = Binomial(2, "1/2"), 2, Fraction(1, 4)
    yield Claim.shift_dp(noise, exp_eps=level, delta=delta, least="delta")
    yield Claim.shift_dp(noise, shift=2, exp_eps=level**2, delta=delta * (level + 1), least="delta")


@decides("group-privacy-added")
def _added() -> Claim:
    """Bits plus Bin(2, 1/2): a private step that two records take twice; the second claim is false."""
    noise, level, delta = Binomial(2, "1/2"), 2, Fraction(1, 4)
    one = Claim.shift_dp(noise, exp_eps=level, delta=delta)
    return Claim.conjunction(one, Claim.shift_dp(noise, shift=2, exp_eps=level**2, delta=2 * delta))


@decides("joint-convexity")
def _convex() -> Iterator[Claim]:
    """Two pairs, an event with the chances p, q and u, v: what is mixed with the weight t."""
    p, q, d, u, v, g, e, t = variables("p q d u v g E t")
    pairs = (p <= e * q + d, u <= e * v + g, t >= 0, t <= 1)
    yield implies(*pairs, then=t * p + (1 - t) * u <= e * (t * q + (1 - t) * v) + t * d + (1 - t) * g)
    yield implies(*pairs, g <= d, then=t * p + (1 - t) * u <= e * (t * q + (1 - t) * v) + d)
