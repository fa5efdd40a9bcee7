"""Definitions of privacy: what holds with probability 1 - delta, what is near, and what the shuffler shows.

Statement. Let P, Q be the laws of a mechanism on two neighbouring data sets, with probabilities p, q, and E = e^eps.

1. If P[p > E q] <= delta, then P(S) <= E Q(S) + delta for every event S. The converse is false: a bit plus a noise of
   two values can be (eps, delta)-DP while the ratio exceeds e^eps with probability above delta.
2. Privacy brings the two laws together: their total variation distance is at most (E - 1 + 2 delta)/(E + 1). It does
   not bring two outputs together: a mechanism that shows a uniform number from {0, ..., 4r}, whatever the data, is
   (0, 0)-DP, and for r >= 2 two of its outputs are more than r apart with probability above 1/2.
3. The shuffler's permutation has one law for all data sets; privacy is about the multiset of messages. The ordered
   output of the shuffler has the divergences of the multiset.
4. The data sets of the definition are fixed. Were the probability over a random data set too, all would be private.

Proof. 1: let B = {p > E q}. P(S) is P(S and B) + P(S without B), at most delta + E Q(S without B), as the outcomes
without B add up. For the converse the search lists noises of two values and e^eps. 2: add up P(S) <= E Q(S) + delta and
1 - Q(S) <= E (1 - P(S)) + delta. Two independent uniform numbers are more than r apart with probability
(N-r) (N-r+1) / (N+1)^2, N = 4r. 3: the orders of a multiset share its probability equally, under P and Q alike;
confirmed by listing them for n = 2 and 3. 4: x and x' have one law, so that both averages are the same.
All of it is proved in Coq.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import permutations, product
from math import factorial
from typing import Any, Final

from exactdp.certificates.certificate import Verdict
from exactdp.certificates.claim import Claim
from exactdp.certificates.encoding import MessageSum
from exactdp.counterexamples.search import Rationals, Search, search
from exactdp.laws.finite import Law
from exactdp.models.randomizer import Randomizer
from exactdp.proofs.algebra import implies, variables
from exactdp.proofs.least import refuted_at_least
from exactdp.proofs.ledger import AsPrinted, ProofRow
from exactdp.protocol import ShuffleProtocol, shift_profile
from exactdp.protocols.k_ary_protocol import randomized_response

__all__ = ["ROWS", "exceeding", "least_leak", "least_range", "least_ratio"]

_SOURCE: Final = "DworkRoth2014, section 2.3"
_TOPIC: Final = "definitions"
_OWN: Final = "this package, proofs/definitions.py"
_RATIOS: Final = {"a": Rationals(0, 1, 6), "exp_eps": Rationals(1, 4, 3)}
_RANGES: Final = {"r": range(1, 20)}


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
    return search(lambda a, exp_eps: exceeding(a, exp_eps)[0] <= _least_delta(a, exp_eps), **_RATIOS)


def _ratio_parts(a: Fraction, exp_eps: Fraction) -> tuple[Claim, Claim]:
    """The noise has this least delta; its ratio is below the next one above e^eps with probability 1 - delta."""
    law, delta, above = _noise(a), _least_delta(a, exp_eps), exceeding(a, exp_eps)[1]
    private = Claim.shift_dp(law, exp_eps=exp_eps, delta=delta, least="delta")
    return private, Claim.smooth(law, k=1, exp_eps=exp_eps + 1 if above is None else above, delta=delta)


def _printed_ratio() -> Claim:
    return refuted_at_least(lambda **at: Claim.conjunction(*_ratio_parts(**at)), least_ratio(), **_RATIOS)


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


def least_range() -> Search:
    """The least r for which two outputs from {0, ..., 4r} are within r with probability below 1/2."""
    return search(lambda r: 2 * (2 * r * (3 * r) + 4 * r + 1 + r * (r + 1)) >= (4 * r + 1) ** 2, **_RANGES)


def _near_at(r: int) -> Claim:
    private = Claim.shuffle_dp(_uniform(4 * r), exp_eps=1, delta=0)
    return Claim.conjunction(private, Claim.tail(_difference(4 * r), low=-r, high=r, at_least="1/2"))


def _printed_near() -> Claim:
    return refuted_at_least(_near_at, least_range(), **_RANGES)


def _far() -> Claim:
    r = 2
    private = Claim.shuffle_dp(_uniform(4 * r), exp_eps=1, delta=0, all_n_from=1)
    return Claim.conjunction(private, Claim.tail(_difference(4 * r), low=-r, high=r, at_most="1/2"))


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


def least_leak() -> Search:
    """The least n and gamma for which randomized response is not (0, 0)-DP, although its permutation is."""
    return search(
        lambda n, gamma: _flip(n, gamma).privacy_profile().exact_delta(exp_eps=Fraction(1)) == 0,
        n=range(1, 4),
        gamma=Rationals(0, 1, 3, low_is_closed=True, high_is_closed=True),
    )


def _printed_permutation() -> Claim:
    n, gamma = least_leak().at("n", "gamma")
    return Claim.conjunction(
        Claim.shuffle_dp(_permutation(n), exp_eps=1, delta=0), Claim.shuffle_dp(_flip(n, gamma), exp_eps=1, delta=0)
    )


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


def _multiset() -> Claim:
    """The worst bystanders of the ordered output give the least delta of the multiset, and none a larger one."""
    claims = []
    for n, gamma, exp_eps in ((2, Fraction(1, 2), Fraction(3, 2)), (3, Fraction(1, 4), Fraction(1))):
        protocol = _flip(n, gamma)
        profile = protocol.privacy_profile()
        delta = profile.exact_delta(exp_eps=exp_eps)
        claims.append(Claim.shuffle_dp(protocol, exp_eps=exp_eps, delta=delta, least="delta"))
        views = [ordered(protocol, (0,) * (n - 1 - ones) + (1,) * ones) for ones in range(n)]
        claims += [Claim.shuffle_dp(view, exp_eps=exp_eps, delta=delta) for view in views]
        worst = max(views, key=lambda view: view.privacy_profile().exact_delta(exp_eps=exp_eps))
        claims.append(Claim.shuffle_dp(worst, exp_eps=exp_eps, delta=delta, least="delta"))
    return Claim.conjunction(*claims)


# --- 4: a random data set -------------------------------------------------------------------------------------------


def _printed_average() -> Claim:
    """The bit that a user sends as it is, averaged over a uniform bit for both data sets, and for each bit alone."""
    half = Fraction(1, 2)
    average = {x: {(b,): half for b in (0, 1)} for x in (0, 1)}
    return Claim.conjunction(
        Claim.shuffle_dp(ShuffleProtocol(Randomizer(average), 1), exp_eps=1, delta=0),
        Claim.shuffle_dp(_flip(1, Fraction(0)), exp_eps=1, delta=0),
    )


_row: Final = partial(ProofRow, topic=_TOPIC, source=_SOURCE)

ROWS: Final = (
    _row(
        id="dp-probability",
        statement="As printed: M is (eps, delta)-DP if P[M(x) in T] <= e^eps P[M(x') in T] + delta for all events T, "
        "where x and x' are drawn from one law of data sets.",
        domain="all laws of data sets of n records, all M, eps >= 0, delta in [0, 1); refuted by a uniform bit that "
        "is shown as it is, eps = delta = 0",
        claim=_printed_average,
        notes=("37",),
        as_printed=AsPrinted.CORRECTED,
        expected=Verdict.REFUTED,
        reading="read as: the probability is over random data sets as well. In the definition the neighbours x and x' "
        "are fixed, and the probability is over the coins of M (DworkRoth2014, definition 2.4).",
        theorems=("definitions_printed.average_is_not_private",),
    ),
    _row(
        id="dp-ratio-printed",
        statement="As printed: the output of an (eps, delta)-DP mechanism is at most e^eps times as likely as for a "
        "neighbour, with probability 1 - delta at least.",
        domain="all finite laws, eps >= 0, delta in [0, 1), n users; refuted by a bit plus Y, P[Y = 1] = 1/4, at "
        "e^eps = 2: the least of P[Y = 1] = p/q with q <= 6 and e^eps = p/q in (1, 4) with q <= 3",
        claim=_printed_ratio,
        notes=("38",),
        as_printed=AsPrinted.FALSE,
        expected=Verdict.REFUTED,
        reading="read as: the ratio of the two probabilities of the output that is drawn. For a fixed event nothing "
        "is random.",
        theorems=("definitions_printed.dp_ratio_counterexample",),
    ),
    _row(
        id="dp-ratio-counterexample",
        statement="A user's bit plus Y, P[Y = 1] = 1/4, is (ln 2, 3/4)-DP and not with a smaller delta; the output "
        "for the bit 1 is with probability 1 more than twice as likely as for the bit 0.",
        domain="one user, replace-one neighbours",
        source=_OWN,
        claim=_private_without_bounded_ratio,
        theorems=("definitions_printed.dp_ratio_counterexample",),
    ),
    _row(
        id="dp-from-ratio",
        statement="If P(a)/Q(a) exceeds e^eps with probability at most delta for a drawn from P, then P(S) <= e^eps "
        "Q(S) + delta for every event S.",
        domain="all laws given by their masses, all real eps and delta",
        claim=_bounded_ratio,
        notes=("38",),
        as_printed=AsPrinted.CORRECTED,
        theorems=("smooth_is_private.dp_from_ratio",),
    ),
    _row(
        id="dp-near-printed",
        statement="As printed: the outputs of a private mechanism are near each other: a (0, 0)-DP mechanism with "
        "outputs in {0, ..., 4r} has for two neighbours outputs within r of each other with probability at least 1/2.",
        domain="all natural r, all mechanisms on n bits; refuted by a uniform number at r = 2, the least of 1..19",
        claim=_printed_near,
        notes=("39",),
        as_printed=AsPrinted.FALSE,
        expected=Verdict.REFUTED,
        reading="read as: two outputs, drawn independently, are near; within r of 4r and with probability 1/2 is "
        "ours, as the sentence says neither. That their laws are near is true: dp-near-laws.",
        theorems=("definitions_printed.private_outputs_are_far",),
    ),
    _row(
        id="dp-near",
        statement="Private outputs can be far: a uniform number from {0, ..., 4r}, whatever the data, is (0, 0)-DP, "
        "and two independent ones are more than r apart with probability above 1/2.",
        domain="all integers r >= 2, any number of users; as tables r = 2",
        source=_OWN,
        claim=_far,
        notes=("39",),
        as_printed=AsPrinted.CORRECTED,
        theorems=("definitions_printed.private_outputs_are_far",),
    ),
    _row(
        id="dp-near-laws",
        statement="The output laws of an (eps, delta)-DP mechanism are near: for neighbours their total variation "
        "distance is at most (e^eps - 1 + 2 delta)/(e^eps + 1).",
        domain="all finite laws, all real eps and delta, n users, replace-one neighbours",
        source=_OWN,
        claim=_near_laws,
        notes=("39",),
        as_printed=AsPrinted.CORRECTED,
        theorems=("definitions_printed.private_laws_are_near",),
    ),
    ProofRow.prose(
        name="dp-local-first",
        topic=_TOPIC,
        statement="The local model was first introduced in arXiv 0803.0924.",
        source="KasiviswanathanLeeNissimRaskhodnikovaSmith2011, section 1; Warner1965, section 2",
        entry="40",
        as_printed=AsPrinted.CORRECTED,
        reading='It was formalised there ("What Can We Learn Privately?"); Warner (1965) and Evfimievski, Gehrke '
        "and Srikant (2003) precede it.",
    ),
    ProofRow.prose(
        name="dp-message-vector",
        topic=_TOPIC,
        statement="In the shuffled model a randomizer outputs a message.",
        source="CheuSmithUllmanZeberZhilyaev2019, section 3",
        entry="41",
        as_printed=AsPrinted.CORRECTED,
        reading="It outputs a list of messages. The example of the notes, three users who send two messages each in "
        "6! equally likely orders, needs that, and is right.",
    ),
    _row(
        id="dp-permutation-printed",
        statement="As printed: shuffle privacy is about seeing the same permutation, so a protocol whose permutation "
        "has one law for neighbours is (0, 0)-DP.",
        domain="all randomizers, n users; refuted by one user who sends a bit as it is",
        claim=_printed_permutation,
        notes=("42",),
        as_printed=AsPrinted.FALSE,
        expected=Verdict.REFUTED,
        reading="read as: the permutation of the messages' places that the shuffler draws. Read as the permuted list "
        "of messages it is the definition, and that list shows the multiset alone: dp-multiset.",
        theorems=("definitions_printed.permutation_is_not_private",),
    ),
    _row(
        id="dp-multiset",
        statement="The ordered output of the shuffler has the divergences of the multiset of messages: two laws of "
        "messages are (E, delta)-below under all events of the order that the shuffler shows if and only if they are "
        "under the events that no order changes.",
        domain="all finite laws of lists of messages, all real E and delta; as tables binary randomized response at "
        "(n, gamma, e^eps) = (2, 1/2, 3/2) and (3, 1/4, 1), every bystander",
        source=_OWN,
        claim=_multiset,
        notes=("42",),
        as_printed=AsPrinted.CORRECTED,
        theorems=("shuffler.ordered_output",),
    ),
)
