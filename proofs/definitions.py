"""Definitions of privacy: what holds with probability 1 - delta, what is near, and what the shuffler shows.

Statement. Let P, Q be the laws of a mechanism on two neighbouring data sets, with probabilities p, q, and E = e^eps.

1. If P[p > E q] <= delta, then P(S) <= E Q(S) + delta for every event S. The converse is false: a bit plus a noise of
   two values can be (eps, delta)-DP while the ratio exceeds e^eps with probability above delta.
2. Privacy brings the two laws together: their total variation distance is at most (E - 1 + 2 delta)/(E + 1). It does
   not bring two outputs together: a mechanism that shows a uniform number from {0, ..., 4r}, whatever the data, is
   (0, 0)-DP, and for r >= 2 two of its outputs are more than r apart with probability above 1/2.
3. The shuffler's permutation has one law for all data sets; privacy is about the multiset of messages. The ordered
   output of the shuffler has the divergences of the multiset. It shows each order of n different messages with
   probability 1/n!.
4. The data sets of the definition are fixed. Were the probability over a random data set too, all would be private.
5. Publishing the record of a random one of n users is (0, 1/n)-DP, and for no eps (eps, delta)-DP with delta < 1/n.

Proof. 1: let B = {p > E q}. P(S) is P(S and B) + P(S without B), at most delta + E Q(S without B), as the outcomes
without B add up. For the converse the search lists noises of two values and e^eps. 2: add up P(S) <= E Q(S) + delta and
1 - Q(S) <= E (1 - P(S)) + delta. Two independent uniform numbers are more than r apart with probability
(N-r) (N-r+1) / (N+1)^2, N = 4r. 3: the orders of a multiset share its probability equally, under P and Q alike;
confirmed by listing them for n = 2 and 3. Each message more goes to each place with the same probability. 4: x and x'
have one law, so that both averages are the same. 5: one record changes the share of those in an event by 1/n at most;
the event that is true of one user's record alone loses its probability 1/n if that record is replaced.
All of it is proved in Coq.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product
from math import factorial
from typing import Any

from exactdp import Claim, Law, Randomizer, ShuffleProtocol, randomized_response, shift_profile
from exactdp.claims.encoding import MessageSum
from exactdp.proofs.least import refuted_at_least, searched_over
from exactdp.proofs.row_files import decides
from exactdp.proofs.steps import equal, implies, variables
from exactdp.studies.counterexamples.search import Rationals

# --- 1: a bounded ratio, and (eps, delta)-DP ------------------------------------------------------------------------


@decides("dp-from-ratio", assuming=["monotone-convergence"])
def _bounded_ratio() -> Iterator[Claim]:
    """b is P(B), c = P(S and B), p and q the chances of S without B, r = Q(S and B); then one outcome more."""
    b, c, p, q, r, d, e, p1, q1 = variables("b c p q r d E p1 q1")
    yield implies(b <= d, c <= b, p <= e * q, r >= 0, e >= 1, then=c + p <= e * (q + r) + d)
    yield implies(p <= e * q, p1 <= e * q1, then=p + p1 <= e * (q + q1))


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


@searched_over(a=Rationals(0, 1, 6), exp_eps=Rationals(1, 4, 3))
def least_ratio(a: Fraction, exp_eps: Fraction) -> bool:
    """The least noise of two values and E for which the ratio exceeds E more often than delta allows."""
    return exceeding(a, exp_eps)[0] <= _least_delta(a, exp_eps)


def _ratio_parts(a: Fraction, exp_eps: Fraction) -> tuple[Claim, Claim]:
    """The noise has this least delta; its ratio is below the next one above e^eps with probability 1 - delta."""
    law, delta, above = _noise(a), _least_delta(a, exp_eps), exceeding(a, exp_eps)[1]
    private = Claim.shift_dp(law, exp_eps=exp_eps, delta=delta, least="delta")
    return private, Claim.smooth(law, k=1, exp_eps=exp_eps + 1 if above is None else above, delta=delta)


@decides("dp-ratio-printed")
def _printed_ratio() -> Claim:
    return refuted_at_least(lambda **at: Claim.conjunction(*_ratio_parts(**at)), least_ratio)


@decides("dp-ratio-counterexample")
def _private_without_bounded_ratio() -> Claim:
    private, bounded = _ratio_parts(**least_ratio().least)
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


@searched_over(r=range(1, 20))
def least_range(r: int) -> bool:
    """The least r for which two outputs from {0, ..., 4r} are within r with probability below 1/2."""
    return 2 * (2 * r * (3 * r) + 4 * r + 1 + r * (r + 1)) >= (4 * r + 1) ** 2


def _near_at(r: int) -> Claim:
    private = Claim.shuffle_dp(_uniform(4 * r), exp_eps=1, delta=0)
    return Claim.conjunction(private, Claim.tail(_difference(4 * r), low=-r, high=r, at_least="1/2"))


@decides("dp-near-printed")
def _printed_near() -> Claim:
    return refuted_at_least(_near_at, least_range)


@decides("dp-near")
def _far() -> Claim:
    r = 2
    private = Claim.shuffle_dp(_uniform(4 * r), exp_eps=1, delta=0, all_n_from=1)
    return Claim.conjunction(private, Claim.tail(_difference(4 * r), low=-r, high=r, at_most="1/2"))


@decides("dp-near-laws")
def _near_laws() -> Claim:
    """p and q are the probabilities of an event under the two laws."""
    p, q, d, e = variables("p q delta E")
    return implies(p <= e * q + d, 1 - q <= e * (1 - p) + d, then=(e + 1) * (p - q) <= e - 1 + 2 * d)


# --- 3: what the shuffler shows -------------------------------------------------------------------------------------


def _permutation(n: int) -> ShuffleProtocol:
    """What one would see who saw the permutation alone: it is uniform for both data sets."""
    row = {(order,): Fraction(1, factorial(n)) for order in permutations(range(n))}
    return ShuffleProtocol(Randomizer({0: row, 1: row}), 1)


def _flip(n: int, gamma: Fraction) -> ShuffleProtocol:
    return ShuffleProtocol(randomized_response(2, gamma=gamma), n)


@searched_over(n=range(1, 4), gamma=Rationals(0, 1, 3, low_is_closed=True, high_is_closed=True))
def least_leak(n: int, gamma: Fraction) -> bool:
    """The least n and gamma for which randomized response is not (0, 0)-DP, although its permutation is."""
    return _flip(n, gamma).privacy_profile().exact_delta(exp_eps=Fraction(1)) == 0


@decides("dp-permutation-printed")
def _printed_permutation() -> Iterator[Claim]:
    n, gamma = least_leak().at("n", "gamma")
    for protocol in (_permutation(n), _flip(n, gamma)):
        yield Claim.shuffle_dp(protocol, exp_eps=1, delta=0)


def ordered(protocol: ShuffleProtocol, bystanders: tuple[Any, ...]) -> ShuffleProtocol:
    """The shuffler's output in its order, as one message: the last user's input varies, the others' are fixed."""
    table, rows = protocol.tabulated.table(), {}
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


@decides("dp-multiset")
def _multiset() -> Iterator[Claim]:
    """The worst bystanders of the ordered output give the least delta of the multiset, and none a larger one."""
    for n, gamma, exp_eps in ((2, Fraction(1, 2), Fraction(3, 2)), (3, Fraction(1, 4), Fraction(1))):
        protocol = _flip(n, gamma)
        profile = protocol.privacy_profile()
        delta = profile.exact_delta(exp_eps=exp_eps)
        yield Claim.shuffle_dp(protocol, exp_eps=exp_eps, delta=delta, least="delta")
        views = [ordered(protocol, (0,) * (n - 1 - ones) + (1,) * ones) for ones in range(n)]
        yield from (Claim.shuffle_dp(view, exp_eps=exp_eps, delta=delta) for view in views)
        worst = max(views, key=lambda view: view.privacy_profile().exact_delta(exp_eps=exp_eps))
        yield Claim.shuffle_dp(worst, exp_eps=exp_eps, delta=delta, least="delta")


@decides("dp-message-vector")
def _one_message_more() -> Claim:
    """p is 1/n!, f is n!, and q the probability of an order of n + 1 messages: that of the n, and of one place."""
    p, q, f, n = variables("p q f n")
    return implies(f >= 0, equal(p * f, 1), equal(q * (n + 1), p), then=equal(q * (f * (n + 1)), 1))


# --- 4: a random data set -------------------------------------------------------------------------------------------


@decides("dp-probability")
def _printed_average() -> Iterator[Claim]:
    """The bit that a user sends as it is, averaged over a uniform bit for both data sets, and for each bit alone."""
    half = Fraction(1, 2)
    average = {x: {(b,): half for b in (0, 1)} for x in (0, 1)}
    for protocol in (ShuffleProtocol(Randomizer(average), 1), _flip(1, Fraction(0))):
        yield Claim.shuffle_dp(protocol, exp_eps=1, delta=0)


# --- 5: the record of a random user ---------------------------------------------------------------------------------


def _published(n: int, ones: int) -> ShuffleProtocol:
    """What is shown of n bits, of which so many are 1, and of a neighbour with one 1 more."""
    rows = {x: {(1,): Fraction(ones + x, n), (0,): 1 - Fraction(ones + x, n)} for x in (0, 1)}
    return ShuffleProtocol(Randomizer(rows), 1)


@decides("dp-published-record")
def _record_of_a_random_user() -> Iterator[Claim]:
    n = 10
    for ones in range(n):
        yield Claim.shuffle_dp(_published(n, ones), exp_eps=1, delta=Fraction(1, n), least="delta")
    yield Claim.shuffle_dp(_published(n, 0), exp_eps=10**9, delta=Fraction(1, n), least="delta")
