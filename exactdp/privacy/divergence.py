"""The hockey-stick divergence and its special case, total variation.

H_E(P || Q) = sum_y max(0, P(y) - E Q(y)) = max over events T of P(T) - E Q(T). A mechanism is (eps,
delta)-differentially private iff H_{e^eps} <= delta for every pair of neighbouring data sets in both orders; so the
exact parameter is E = e^eps, and for rational laws and a rational E the divergence is rational.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd

from exactdp.errors import InvalidLawError, InvalidValueError
from exactdp.evidence.theorems import relies_on
from exactdp.laws.finite import Law
from exactdp.numbers.exact import Exact, as_fraction
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.rationals import ratio


@relies_on("hockey_stick.hockey_stick_iff")
def hockey_stick_divergence(p: Law, q: Law, *, exp_eps: Exact) -> Fraction:
    """Return H_E(P || Q) = sum_y max(0, P(y) - E Q(y)) for E = ``exp_eps`` >= 0, exactly; one order.

    >>> hockey_stick_divergence(Law({0: "3/4", 1: "1/4"}), Law({0: "1/4", 1: "3/4"}), exp_eps=2)
    Fraction(1, 4)

    Cost: one pass over the support of P with integers over one denominator; about 20 ms for 10^4 outcomes of 20 kbit
    where the denominators agree.

    Source: BartheOlmedo2013, Theorem 1.
    """
    for name, law in (("p", p), ("q", q)):
        if not isinstance(law, Law):  # what is passed may be anything
            raise InvalidLawError(f"{name} has the type {type(law).__name__}. Pass a Law.")
    level = as_fraction(exp_eps, name="exp_eps")
    if level < 0:
        raise InvalidValueError(f"exp_eps={short(level)} is below 0. Pass e^eps, a number of at least 0.")
    common = gcd(p.total, q.total)
    scale_p, scale_q = level.denominator * (q.total // common), level.numerator * (p.total // common)
    positive = 0
    for outcome, weight in p.weights.items():
        difference = scale_p * weight - scale_q * q.weights.get(outcome, 0)
        if difference > 0:
            positive += difference
    return exact_answer(ratio(positive, level.denominator * p.total * (q.total // common)))


def total_variation_distance(p: Law, q: Law) -> Fraction:
    """Return TV(P, Q) = max over events T of P(T) - Q(T) = H_1(P || Q), exactly; cost as the divergence.

    >>> total_variation_distance(Law({0: "3/4", 1: "1/4"}), Law({0: "1/4", 1: "3/4"}))
    Fraction(1, 2)
    """
    return hockey_stick_divergence(p, q, exp_eps=1)
