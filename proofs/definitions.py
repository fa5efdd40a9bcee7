"""Definitions of privacy: what holds with probability 1 - delta, what is near, and what the shuffler shows.

Statement. Let P, Q be the laws of a mechanism on two neighbouring data sets, with probabilities p, q, and E = e^eps.

1. If P[p > E q] <= delta, then P(S) <= E Q(S) + delta for every event S. The converse is false: an integer query plus
   a noise of two values can be (eps, delta)-DP while the ratio exceeds e^eps with probability above delta.
2. Privacy brings the two laws together, not two outputs: a mechanism that shows a uniform number from {0, ..., 4r},
   whatever the data, is (0, 0)-DP, and for r >= 2 two of its outputs are more than r apart with probability above 1/2.
3. The shuffler's permutation has one law for all data sets; privacy is about the multiset of messages. The ordered
   output of the shuffler has the divergences of the multiset.

Proof. 1: let B = {p > E q}. P(S) is P(S and B) + P(S without B), at most delta + E Q(S without B), as the outcomes
without B add up. For the converse the search lists noises of two values and e^eps. 2: all rows are equal; two
independent uniform numbers are more than r apart with probability (N-r) (N-r+1) / (N+1)^2, N = 4r. 3: the orders of a
multiset share its probability equally, under P and Q alike; confirmed by listing them for n = 2 and 3.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from math import factorial
from typing import Any, Final

from exactdp.certificates.certificate import Verdict
from exactdp.certificates.claim import Claim
from exactdp.certificates.spelling import MessageSum
from exactdp.laws.finite import Law
from exactdp.models.randomizer import Randomizer
from exactdp.proofs.algebra import equal, implies, variables
from exactdp.proofs.ledger import ProofRow
from exactdp.protocol import ShuffleProtocol, shift_profile
from exactdp.protocols.k_ary_protocol import randomized_response
from exactdp.search import Rationals, Search, search

__all__ = ["ROWS", "exceeding", "least_leak", "least_range", "least_ratio"]

_SOURCE: Final = "DworkRoth2014, section 2.3"
_TOPIC: Final = "definitions"
_OWN: Final = "this package, proofs/definitions.py"


# --- 1: a bounded ratio, and (eps, delta)-DP ------------------------------------------------------------------------


def _bounded_ratio() -> Claim:
    """b is P(B), c = P(S and B), p and q the chances of S without B, r = Q(S and B); then one outcome more."""
    b, c, p, q, r, d, e, p1, q1 = variables("b c p q r d E p1 q1")
    return Claim.conjunction(
        implies(b <= d, c <= b, p <= e * q, r >= 0, e >= 1, then=c + p <= e * (q + r) + d),
        implies(p <= e * q, p1 <= e * q1, then=p + p1 <= e * (q + q1)),
        assuming=["monotone-convergence"],
    )


def _noise(a: Fraction) -> Law:
    return Law({0: 1 - a, 1: a})


def _least_delta(a: Fraction, exp_eps: Fraction) -> Fraction:
    return shift_profile(_noise(a)).exact_delta(exp_eps=exp_eps)


def exceeding(a: Fraction, exp_eps: Fraction) -> tuple[Fraction, Fraction | None]:
    """Return the larger of P[w(Y)/w(Y+1) > E] and P[w(Y)/w(Y-1) > E], and the least finite ratio above E, if any."""
    law = _noise(a)
    chances, ratios = [], []
    for shift in (1, -1):
        chance = Fraction(0)
        for y, p in law.items():
            q = law.prob(y + shift)
            if p > exp_eps * q:
                chance += p
                ratios += [p / q] if q else []
        chances.append(chance)
    return max(chances), min(ratios, default=None)


def least_ratio() -> Search:
    """The least noise of two values and E for which the ratio exceeds E more often than delta allows."""
    return search(
        lambda a, exp_eps: exceeding(a, exp_eps)[0] <= _least_delta(a, exp_eps),
        a=Rationals(0, 1, 6),
        exp_eps=Rationals(1, 4, 3),
    )


def _counterexample() -> tuple[Claim, Claim]:
    """The noise is (eps, delta)-DP; its ratio is below the next one above e^eps with probability 1 - delta."""
    found = least_ratio().counterexample
    assert found is not None
    delta, above = _least_delta(**found), exceeding(**found)[1]
    assert above is not None
    law = _noise(found["a"])
    private = Claim.shift_dp(law, exp_eps=found["exp_eps"], delta=delta, least="delta")
    return private, Claim.smooth(law, k=1, exp_eps=above, delta=delta)


def _printed_ratio() -> Claim:
    return Claim.conjunction(*_counterexample())


def _private_without_bounded_ratio() -> Claim:
    private, bounded = _counterexample()
    return Claim.conjunction(private, Claim.negation(bounded))


# --- 2: near --------------------------------------------------------------------------------------------------------


def _uniform(top: int) -> ShuffleProtocol:
    """Two inputs that both show a uniform number from 0 to ``top``."""
    row = {(y,): Fraction(1, top + 1) for y in range(top + 1)}
    return ShuffleProtocol(Randomizer({0: row, 1: row}), 1)


def _difference(top: int) -> MessageSum:
    """The difference of two independent uniform numbers: y copies of one message, y' of another that counts as -1."""
    share = Fraction(1, top + 1)
    table = Randomizer({sign: {(sign,) * y: share for y in range(top + 1)} for sign in (1, -1)})
    return MessageSum(ShuffleProtocol(table, 2), {1: 1, -1: 1}, {1: 1, -1: -1})


def least_range() -> Search:
    """The least r for which two outputs from {0, ..., 4r} are within r with probability below 1/2."""
    return search(lambda r: 2 * (2 * r * (3 * r) + 4 * r + 1 + r * (r + 1)) >= (4 * r + 1) ** 2, r=range(1, 20))


def _printed_near() -> Claim:
    found = least_range().counterexample
    assert found is not None
    r = found["r"]
    private = Claim.shuffle_dp(_uniform(4 * r), exp_eps=1, delta=0)
    return Claim.conjunction(private, Claim.tail(_difference(4 * r), low=-r, high=r, at_least="1/2"))


def _far() -> Claim:
    (r,) = variables("r")
    return Claim.conjunction(
        implies(r >= 2, then=2 * (3 * r) * (3 * r + 1) > (4 * r + 1) ** 2),
        *(Claim.shuffle_dp(_uniform(4 * k), exp_eps=1, delta=0, all_n_from=1) for k in (2, 10)),
        *(Claim.tail(_difference(4 * k), low=-k, high=k, at_most="1/2") for k in (2, 10)),
    )


# --- 3: what the shuffler shows -------------------------------------------------------------------------------------


def _permutation(n: int) -> ShuffleProtocol:
    """What one would see who saw the permutation alone: it is uniform for both data sets."""
    row = {(order,): Fraction(1, factorial(n)) for order in permutations(range(n))}
    return ShuffleProtocol(Randomizer({0: row, 1: row}), 1)


def _flip(n: int, gamma: Fraction) -> ShuffleProtocol:
    return ShuffleProtocol(randomized_response(2, gamma=gamma), n)


def least_leak() -> Search:
    """The least n and gamma for which randomized response is not (0, 0)-DP, although its permutation is."""
    return search(
        lambda n, gamma: _flip(n, gamma).privacy_profile().exact_delta(exp_eps=Fraction(1)) == 0,
        n=range(1, 4),
        gamma=Rationals(0, 1, 3, low_is_closed=True, high_is_closed=True),
    )


def _printed_permutation() -> Claim:
    found = least_leak().counterexample
    assert found is not None
    n, gamma = found["n"], found["gamma"]
    return Claim.conjunction(
        Claim.shuffle_dp(_permutation(n), exp_eps=1, delta=0), Claim.shuffle_dp(_flip(n, gamma), exp_eps=1, delta=0)
    )


def ordered(protocol: ShuffleProtocol, bystanders: tuple[Any, ...]) -> ShuffleProtocol:
    """The shuffler's output in its order, as one message: the last user's input varies, the others' are fixed."""
    table, rows = protocol.randomizer.table(), {}
    for x in protocol.randomizer.inputs:
        row: dict[tuple[Any, ...], Fraction] = {}
        for chosen in product(*(table[user].items() for user in (*bystanders, x))):
            messages = tuple(message for send, _ in chosen for message in send)
            p = Fraction(1, factorial(len(messages)))
            for _, chance in chosen:
                p *= chance
            for order in permutations(messages):
                row[(order,)] = row.get((order,), Fraction(0)) + p
        rows[x] = row
    return ShuffleProtocol(Randomizer(rows), 1)


def _multiset() -> Claim:
    """The worst bystanders of the ordered output give the least delta of the multiset, and none a larger one."""
    c, p, q, p1, q1, e = variables("c p q p1 q1 E")
    # p and q are shared equally by the c orders of one multiset.
    shared = (*equal(c * p1, p), *equal(c * q1, q))
    claims = [implies(*shared, e >= 1, then=equal(c * (p1 - e * q1), p - e * q))]
    for n, gamma, exp_eps in product((2, 3), (Fraction(1, 4), Fraction(1, 2)), (Fraction(1), Fraction(3, 2))):
        protocol = _flip(n, gamma)
        profile = protocol.privacy_profile()
        delta = profile.exact_delta(exp_eps=exp_eps)
        claims.append(Claim.shuffle_dp(protocol, exp_eps=exp_eps, delta=delta, least="delta"))
        views = [ordered(protocol, (0,) * (n - 1 - ones) + (1,) * ones) for ones in range(n)]
        claims += [Claim.shuffle_dp(view, exp_eps=exp_eps, delta=delta) for view in views]
        worst = max(views, key=lambda view: view.privacy_profile().exact_delta(exp_eps=exp_eps))
        claims.append(Claim.shuffle_dp(worst, exp_eps=exp_eps, delta=delta, least="delta"))
    return Claim.conjunction(*claims)


ROWS: Final = (
    ProofRow.prose(
        "dp-probability",
        _TOPIC,
        "The probability of M(x) in T is over x drawn from X^n.",
        source=_SOURCE,
        entry="37",
        as_printed="corrected",
        reading="The data sets x ~ x' are fixed; the probability is over the coins of M (definition 2.4 there).",
    ),
    ProofRow(
        "dp-ratio-printed",
        _TOPIC,
        "As printed: a mechanism that is (eps, delta)-DP has a ratio of at most e^eps with probability 1 - delta.",
        "refuted at the least noise of two values, P[Y = 1] = p/q with q <= 6, and e^eps = p/q in (1, 4) with q <= 3",
        _SOURCE,
        _printed_ratio,
        notes=("38",),
        as_printed="false",
        expected=Verdict.REFUTED,
    ),
    ProofRow(
        "dp-ratio-counterexample",
        _TOPIC,
        "That noise is (eps, delta)-DP with this least delta, and its ratio exceeds e^eps with a larger probability.",
        "the least counterexample",
        _OWN,
        _private_without_bounded_ratio,
    ),
    ProofRow(
        "dp-from-ratio",
        _TOPIC,
        "If the ratio of the probabilities exceeds e^eps with probability at most delta under the first law, then "
        "P(S) <= e^eps Q(S) + delta for every event S.",
        "all laws on a countable set, eps >= 0, delta in [0, 1]",
        _SOURCE,
        _bounded_ratio,
        notes=("38",),
        as_printed="corrected",
        theorems=("smooth_is_private.dp_from_ratio",),
    ),
    ProofRow(
        "dp-near-printed",
        _TOPIC,
        "As printed: the outputs of a private mechanism are near each other: a (0, 0)-DP one on {0, ..., 4r} has two "
        "outputs within r with probability at least 1/2.",
        "refuted at the least r in 1..19",
        _SOURCE,
        _printed_near,
        notes=("39",),
        as_printed="false",
        expected=Verdict.REFUTED,
    ),
    ProofRow(
        "dp-near",
        _TOPIC,
        "The laws are near, not the outputs: uniform on {0, ..., 4r} is (0, 0)-DP, and two outputs are more than r "
        "apart with probability above 1/2.",
        "all real r >= 2; as tables r = 2, 10",
        _OWN,
        _far,
        notes=("39",),
        as_printed="corrected",
    ),
    ProofRow.prose(
        "dp-local-first",
        _TOPIC,
        "The local model was first introduced in 0803.0924.",
        source="KasiviswanathanLeeNissimRaskhodnikovaSmith2011, section 1; Warner1965, section 2",
        entry="40",
        as_printed="corrected",
        reading="Formalised there; Warner (1965) and Evfimievski, Gehrke and Srikant (2003) precede.",
    ),
    ProofRow.prose(
        "dp-message-vector",
        _TOPIC,
        "In the shuffled model a randomizer outputs a message.",
        source="CheuSmithUllmanZeberZhilyaev2019, section 3",
        entry="41",
        as_printed="corrected",
        reading="It outputs a vector of messages, R: X -> Y^*; the example of 6! orders needs that, and is right.",
    ),
    ProofRow(
        "dp-permutation-printed",
        _TOPIC,
        "As printed: shuffle privacy is about seeing the same permutation, so a protocol whose permutation has one "
        "law is (0, 0)-DP.",
        "refuted at the least n <= 3 and gamma = p/q in [0, 1], q <= 3, of randomized response",
        _SOURCE,
        _printed_permutation,
        notes=("42",),
        as_printed="false",
        expected=Verdict.REFUTED,
    ),
    ProofRow(
        "dp-multiset",
        _TOPIC,
        "The ordered output of the shuffler has the divergences of the multiset of messages.",
        "every multiset, all eps >= 0; as tables binary randomized response, gamma = 1/4 and 1/2, n = 2 and 3, "
        "e^eps = 1 and 3/2, every bystander",
        _OWN,
        _multiset,
        notes=("42",),
        as_printed="corrected",
    ),
)
