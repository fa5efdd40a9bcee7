"""Pure DP in the shuffle model: what the notes' proofs say, where that fails, and what R^gap keeps.

The theorem for one message per user is proved in proofs/single_message.py, the two counterexamples with several
messages in proofs/complement.py and proofs/gap.py. Here are the steps as they are printed, and what is left of R^gap.

Statement. Let X = (x, ..., x), X' = (x', x, ..., x), p = P[R(x) in T], q = P[R(x') in T], one message per user.

1. P[all n messages of X' lie in T] = q p^(n-1), not q^n.
2. The shuffler changes the law of the ordered messages; the probability that all lie in T it does not change, because
   this event does not depend on the order. It is the product of the users' by independence.
3. Events that differ between the users are not invariant: their probability is no product.
4. The theorem needs no bits: it holds for every alphabet.
5. Where R is not eps-DP, the shuffled protocol is not; but some pairs of data sets may hide it.
6. R^gap at n = 1 is (0, 3/8)-DP, and not (eps, delta)-DP for a smaller delta and finite eps. At n >= 2 it is eps-DP for
   a finite eps, whatever the weights of its strings of equal weight are, as every count has positive probability; it
   is perfect, (0, 0)-DP, at no n >= 2 with uniform weights. If input 1 sent at most one 1, instead of not exactly two,
   no number of users would have a finite eps.
7. The sum of records is computed from their histogram, not conversely.

Proof. 1, 3, 4 and the first half of 2: the first instance in a stated order, and the checker on it. The second half of
2: every order of the messages has the event or none has. 5: a fair bit on two records, and always 1 on a third. 6: two
users with 0, 1, 3 or 4 ones each (0 to 4 if the input is 0) reach every sum from 0 to 8, so every coefficient of A A,
A B and B B is a sum of positive products; more users are post-processing. At all n >= 4 the outcome without ones has
the ratio (1/10) / (1/16) = 8/5, and at n = 2, 3 the ratios are larger (proofs/gap.py): they are not 1. With at most one
1 each, n users with input 1 never send more than n, and with one input 0 they sometimes send n + 3. 7: the sum is that
of j times the count of j; 0 and 2 have the sum of 1 and 1.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import permutations, product
from math import factorial
from typing import Final

from exactdp.certificates.certificate import Verdict
from exactdp.certificates.claim import Claim
from exactdp.certificates.encoding import MessageSum
from exactdp.counterexamples.search import Rationals, Search, search
from exactdp.errors import InvalidValueError
from exactdp.laws.finite import Law
from exactdp.models.randomizer import Randomizer
from exactdp.proofs.algebra import Expression, implies, variables
from exactdp.proofs.ledger import AsPrinted, ProofRow
from exactdp.protocol import ShuffleProtocol
from exactdp.protocols.gap_protocol import gap, gap_randomizer
from exactdp.randomizers.k_ary_family import KAryResponse

__all__ = [
    "ROWS",
    "first_alphabet",
    "first_event",
    "first_imperfect",
    "first_order",
    "first_product",
    "in_order",
    "shuffled",
]

_SOURCE: Final = "BalcerCheu2020, Theorem 4.1"
_GAP_SOURCE: Final = "BalcerCheu2020, section 4; weights: this package's reading"
_OWN: Final = "this package, proofs/pure_dp_facts.py"
_SINGLE: Final = "single message"
_GAP: Final = "gap"
_LOST: Final = Fraction(3, 8)
_GAMMAS: Final = Rationals(0, 1, 4, low_is_closed=True, high_is_closed=True)


# --- 1: the product -------------------------------------------------------------------------------------------------


def first_product() -> Search:
    """The first n, p > q with P[all n messages of X' in T] other than the printed q^n."""

    def is_equal(n: int, p: Fraction, q: Fraction) -> bool:
        if p <= q:
            raise InvalidValueError(f"p={p} is not above q={q}, so nothing is wrong with R. Pass a larger p.")
        return q * p ** (n - 1) == q**n

    shares = Rationals(0, 1, 4, low_is_closed=True, high_is_closed=True)
    return search(is_equal, n=range(1, 5), p=shares, q=shares)


def _all_in_event(n: int, p: Fraction, q: Fraction) -> MessageSum:
    """How many of the n messages of X' lie in T."""
    table = Randomizer({"x": {("in",): p, ("out",): 1 - p}, "x'": {("in",): q, ("out",): 1 - q}})
    return MessageSum(ShuffleProtocol(table, n), {"x": n - 1, "x'": 1}, {"in": 1, "out": 0})


def _printed_product() -> Claim:
    least = first_product().least
    return Claim.tail(_all_in_event(**least), low=least["n"], at_most=least["q"] ** least["n"])


# --- 2 and 3: the order ---------------------------------------------------------------------------------------------


def in_order(data: tuple[int, ...], gamma: Fraction) -> MessageSum:
    """The users' messages without a shuffler, as one number: user i's bit counts 2^i."""
    places = range(len(data))
    rows = KAryResponse(2, gamma=gamma).table().table()
    table = {(i, x): {((i, *y),): p for y, p in rows[x].items()} for i, x in product(places, (0, 1))}
    randomizer = Randomizer(table)
    weights = {(i, y): y * 2**i for i, y in randomizer.alphabet}
    return MessageSum(ShuffleProtocol(randomizer, len(data)), list(enumerate(data)), weights)


def shuffled(data: tuple[int, ...], gamma: Fraction) -> Law:
    """The shuffler's output in its order, as such a number."""
    rows = KAryResponse(2, gamma=gamma).table().table()
    masses: dict[int, Fraction] = {}
    for bits in product((0, 1), repeat=len(data)):
        p = Fraction(1, factorial(len(data)))
        for x, y in zip(data, bits, strict=True):
            p *= rows[x].get((y,), Fraction(0))
        for order in permutations(bits):
            code = sum(y * 2**i for i, y in enumerate(order))
            masses[code] = masses.get(code, Fraction(0)) + p
    return Law(masses)


def _bits(n: int, code: int) -> tuple[int, ...]:
    """The digits of a number, user 0 first."""
    if code >= 2**n:
        raise InvalidValueError(f"code={code} has more than n={n} digits. Pass less than {2**n}.")
    return tuple(code >> i & 1 for i in range(n))


def _chance(data: tuple[int, ...], event: tuple[int, ...], gamma: Fraction) -> Fraction:
    """The product over users of P[R(x_i) = y_i]."""
    rows = KAryResponse(2, gamma=gamma).table().table()
    product_of_rows = Fraction(1)
    for x, y in zip(data, event, strict=True):
        product_of_rows *= rows[x].get((y,), Fraction(0))
    return product_of_rows


def first_order() -> Search:
    """The first data set (as a number) and gamma for which the shuffler changes the law of the ordered messages."""

    def is_unchanged(n: int, data: int, gamma: Fraction) -> bool:
        users, law = _bits(n, data), shuffled(_bits(n, data), gamma)
        return all(law.prob(code) == _chance(users, _bits(n, code), gamma) for code in range(2**n))

    return search(is_unchanged, n=range(1, 4), data=range(8), gamma=_GAMMAS)


def first_event() -> Search:
    """The first data set, events T_i = {y_i} and gamma with another probability than the product."""

    def is_product(n: int, data: int, event: int, gamma: Fraction) -> bool:
        return shuffled(_bits(n, data), gamma).prob(event) == _chance(_bits(n, data), _bits(n, event), gamma)

    return search(is_product, n=range(1, 4), data=range(8), event=range(8), gamma=_GAMMAS)


def _printed_order() -> Claim:
    n, number, gamma = first_order().at("n", "data", "gamma")
    data = _bits(n, number)
    return Claim.equal_laws(in_order(data, gamma), shuffled(data, gamma))


def _printed_events() -> Claim:
    """Both of them: at most the product, and at least."""
    n, number, event, gamma = first_event().at("n", "data", "event", "gamma")
    data = _bits(n, number)
    law, chance = shuffled(data, gamma), _chance(data, _bits(n, event), gamma)
    return Claim.conjunction(
        Claim.tail(law, low=event, high=event, at_most=chance), Claim.tail(law, low=event, high=event, at_least=chance)
    )


def _common_event() -> Claim:
    """On tables: all messages are 1, before and after the shuffler, with the product of the users' chances."""
    claims = []
    for n, gamma in product((2, 3), (Fraction(1, 4), Fraction(1, 2))):
        for data in product((0, 1), repeat=n):
            last, chance = 2**n - 1, _chance(data, (1,) * n, gamma)
            for law in (in_order(data, gamma), shuffled(data, gamma)):
                claims += [
                    Claim.tail(law, low=last, high=last, at_most=chance),
                    Claim.tail(law, low=last, high=last, at_least=chance),
                ]
    return Claim.conjunction(*claims)


# --- 4: alphabets ---------------------------------------------------------------------------------------------------


def first_alphabet() -> Search:
    """The first number k > 2 of symbols for which the shuffled pure eps is the local one, at n = 2."""

    def fails(k: int) -> bool:
        table = KAryResponse(k, gamma="1/2").table()
        return ShuffleProtocol(table, 2).privacy_profile().epsilon(0) != table.local_epsilon()

    return search(fails, k=range(3, 8))


def _printed_alphabet() -> Claim:
    (k,) = first_alphabet().at("k")
    table = KAryResponse(k, gamma="1/2").table()
    same = Claim.pure_dp(ShuffleProtocol(table, 1), eps=table.local_epsilon(), all_n_from=1, least="exp_eps")
    return Claim.negation(same)


# --- 5: pairs of data sets --------------------------------------------------------------------------------------------


def _some_pairs() -> Claim:
    """A fair bit on 0 and 1, always 1 on 2: lost for every eps, and the same on all data sets of two 0s and 1s."""
    fair = {(0,): Fraction(1, 2), (1,): Fraction(1, 2)}
    table = Randomizer({0: fair, 1: fair, 2: {(1,): 1}})
    alone = Claim.never_dp(ShuffleProtocol(table.local(), 1), delta_below="1/2")
    two = ShuffleProtocol(table, 2)
    shuffled = Claim.never_dp(two, delta_below="1/4")
    views = [MessageSum(two, {0: 2 - ones, 1: ones, 2: 0}, {0: 0, 1: 1}) for ones in range(3)]
    return Claim.conjunction(alone, shuffled, *(Claim.equal_laws(views[0], other) for other in views[1:]))


# --- 6: R^gap -------------------------------------------------------------------------------------------------------


def _one_user() -> ShuffleProtocol:
    return ShuffleProtocol(gap_randomizer().preshuffle().local(), 1)


def _never_pure() -> Claim:
    """Not (eps, delta)-DP for any finite eps and any delta < 1/4, so not for delta = 0."""
    return Claim.never_dp(_one_user(), delta_below="1/4")


def _cannot_be_private() -> Claim:
    return Claim.never_dp(_one_user(), delta_below=1)


def _total_variation() -> Claim:
    return Claim.shuffle_dp(_one_user(), exp_eps=1, delta=_LOST, least="delta")


def first_imperfect() -> Search:
    """The first n >= 2 at which all counts are possible under all data sets and the view is not (0, 0)-DP."""

    def is_perfect(n: int) -> bool:
        laws = [gap(n).law({0: n - ones, 1: ones}) for ones in range(n + 1)]
        if any(len(law) <= 4 * n for law in laws):
            raise InvalidValueError(f"n={n} does not reach every count. Pass a larger n.")
        return gap(n).privacy_profile().exact_delta(exp_eps=Fraction(1)) == 0

    return search(is_perfect, n=range(1, 6))


def _printed_perfect() -> Claim:
    return Claim.shuffle_dp(gap(**first_imperfect().least), exp_eps=1, delta=0)


def _finite() -> Claim:
    least = gap(2).privacy_profile().exact_epsilon(Fraction(0)).argument
    return Claim.pure_dp(gap(2), exp_eps=least, all_n_from=2)


def _at_most_one_one() -> Claim:
    """The other reading, uniform, with two users: some outcomes of one data set are impossible under a neighbour."""
    strings = list(product((0, 1), repeat=4))
    few = [string for string in strings if sum(string) <= 1]
    table = Randomizer({x: dict.fromkeys(sent, Fraction(1, len(sent))) for x, sent in enumerate((strings, few))})
    return Claim.conjunction(
        *(Claim.never_dp(ShuffleProtocol(table, n), delta_below=Fraction(1, 32**n)) for n in (1, 2, 3))
    )


def _any_weights() -> Claim:
    """Every coefficient of A A, A B and B B is positive, for positive a_0, ..., a_4, b_0, b_1, b_3, b_4."""
    zero = Expression.of(0)
    first = variables("a0 a1 a2 a3 a4")
    second = (*variables("b0 b1"), zero, *variables("b3 b4"))
    claims = []
    for left, right in ((first, first), (first, second), (second, second)):
        for count in range(9):
            pairs = [(left[i], right[count - i]) for i in range(5) if 0 <= count - i < 5]
            present = {id(w): w for pair in pairs for w in pair if w is not zero}
            total = sum((a * b for a, b in pairs), start=zero)
            claims.append(implies(*(w > 0 for w in present.values()), then=total > 0))
    return Claim.conjunction(*claims, assuming=["post-processing"])


# --- 7: sums and histograms -------------------------------------------------------------------------------------------


def _of_records(first: dict[int, int], second: dict[int, int], values: dict[int, int]) -> Claim:
    """Two data sets of two records out of 0, 1, 2 have one total of these values."""
    honest = ShuffleProtocol(Randomizer({x: {(x,): 1} for x in range(3)}), 2)
    return Claim.equal_laws(MessageSum(honest, first, values), MessageSum(honest, second, values))


_ZERO_AND_TWO: Final = {0: 1, 1: 0, 2: 1}
_ONE_AND_ONE: Final = {0: 0, 1: 2, 2: 0}


def _histogram_from_sum() -> Claim:
    """Records with one sum have one count of the records 1."""
    return _of_records(_ZERO_AND_TWO, _ONE_AND_ONE, {0: 0, 1: 1, 2: 0})


def _sum_from_histogram() -> Claim:
    """0 and 2 have the sum of 1 and 1, and another histogram."""
    same_sum = _of_records(_ZERO_AND_TWO, _ONE_AND_ONE, {0: 0, 1: 1, 2: 2})
    return Claim.conjunction(same_sum, Claim.negation(_histogram_from_sum()), assuming=["post-processing"])


_row: Final = partial(ProofRow, topic=_SINGLE, source=_GAP_SOURCE)

ROWS: Final = (
    ProofRow.prose(
        name="pure-concentration",
        topic=_SINGLE,
        statement="Pure differential privacy is a deterministic concentration inequality.",
        source="DworkRoth2014, definition 2.4",
        entry="59",
        as_printed=AsPrinted.FALSE,
        reading="It is delta = 0: the two probabilities of each event are within e^eps. Nothing concentrates.",
    ),
    ProofRow.prose(
        name="pure-local",
        topic=_SINGLE,
        statement="The randomizer of a single-message protocol is central DP.",
        source=_SOURCE,
        entry="60",
        as_printed=AsPrinted.CORRECTED,
        reading="It is eps-DP on single records, which is local DP.",
    ),
    _row(
        id="pure-product-printed",
        statement="As printed: for the data set X' = (x', x, ..., x) of n users, P[all n messages in T] = P[R(x') in "
        "T]^n.",
        domain="all n >= 1, single-message randomizers R and sets T with P[R(x) in T] > P[R(x') in T]",
        source=_SOURCE,
        claim=_printed_product,
        notes=("62",),
        as_printed=AsPrinted.FALSE,
        expected=Verdict.REFUTED,
        theorems=("single_message.product_event_printed",),
    ),
    _row(
        id="pure-order-printed",
        statement="As printed: the permutation is uniform, so the ordered messages have one law with and without the "
        "shuffler.",
        domain="every single-message randomizer and data set",
        source=_SOURCE,
        claim=_printed_order,
        notes=("63",),
        as_printed=AsPrinted.FALSE,
        expected=Verdict.REFUTED,
        theorems=("single_message.shuffled_order_printed",),
    ),
    _row(
        id="pure-order",
        statement="That all messages lie in T has one probability with and without the shuffler: the product of "
        "P[R(x_i) in T] over the users i.",
        domain="every single-message randomizer R with finitely many outcomes, every T and data set",
        source=_OWN,
        claim=_common_event,
        notes=("63",),
        as_printed=AsPrinted.CORRECTED,
        theorems=("single_message.all_messages_in_shuffled",),
    ),
    _row(
        id="pure-events-printed",
        statement="As printed: with an event T_i for each user, the shuffled messages lie in T_1 x ... x T_n with the "
        "probability prod P[R(x_i) in T_i].",
        domain="every single-message randomizer, data set and events T_1, ..., T_n",
        source=_SOURCE,
        claim=_printed_events,
        notes=("65",),
        as_printed=AsPrinted.CORRECTED,
        expected=Verdict.REFUTED,
        reading="read as: the T_i may differ from user to user. With T_i = T for all it is true (row pure-order), and "
        "so is the theorem.",
        theorems=("single_message.shuffled_order_printed",),
    ),
    _row(
        id="pure-all-the-time",
        statement="A randomizer and its shuffled protocol can be eps-DP for no eps while some pairs of data sets hide "
        "it: with a fair bit on the records 0 and 1, and always 1 on a third, all data sets of 0s and 1s look the "
        "same.",
        domain="all n >= 1, real eps, delta = 0; this randomizer",
        source=_SOURCE,
        claim=_some_pairs,
        notes=("66",),
        as_printed=AsPrinted.CORRECTED,
        theorems=("single_message.single_message_some_pairs",),
    ),
    _row(
        id="pure-bits-printed",
        statement="As printed: the equivalent local protocol is there only because the messages are single bits.",
        domain="every single-message randomizer and every analyzer with finitely many outcomes, any alphabet, all n "
        ">= 1, real eps, delta = 0",
        source=_SOURCE,
        claim=_printed_alphabet,
        notes=("68",),
        as_printed=AsPrinted.FALSE,
        expected=Verdict.REFUTED,
        reading="read as: for some randomizer with one message of another alphabet, whose shuffled protocol is eps-DP, "
        "the randomizer is not eps-DP or no aggregator of its reports has the analyzer's output law.",
        theorems=("local_simulation.equivalent_local_protocol",),
    ),
    _row(
        id="gap-weights",
        topic=_GAP,
        statement="That the input 1 cannot send two 1's has to mean not exactly two, 10 of the 16 strings: if it "
        "never sent two or more, and sometimes one, and input 0 sometimes four, the shuffled protocol would not be "
        "eps-DP for any finite eps.",
        domain="all such randomizers of four bits, all n >= 1, real eps, delta = 0",
        claim=_at_most_one_one,
        notes=("70",),
        as_printed=AsPrinted.CORRECTED,
        reading="The probabilities are not given: this package reads them as uniform; row gap-any-weights says what "
        "holds for any others.",
        theorems=("gap_any_weights.gap_at_most_one_one",),
    ),
    _row(
        id="gap-never-pure",
        topic=_GAP,
        statement="R^gap is not eps-DP for any finite eps.",
        domain="every eps < infinity, delta = 0; the randomizer itself",
        claim=_never_pure,
        notes=("71",),
        as_printed=AsPrinted.CORRECTED,
        theorems=("gap_local.gap_local_pure",),
    ),
    _row(
        id="gap-never-printed",
        topic=_GAP,
        statement="R^gap cannot be differentially private.",
        domain="every finite eps, every delta < 1; the randomizer itself",
        claim=_cannot_be_private,
        notes=("71",),
        as_printed=AsPrinted.CORRECTED,
        expected=Verdict.REFUTED,
        reading="read as: not (eps, delta)-DP for any finite eps and any delta < 1. Meant is eps-DP, and of that it is "
        "true (row gap-never-pure).",
        theorems=("gap_local.gap_total_variation",),
    ),
    _row(
        id="gap-total-variation",
        topic=_GAP,
        statement=f"R^gap is (0, {_LOST})-DP, and {_LOST} is the least delta.",
        domain="the randomizer itself",
        claim=_total_variation,
        notes=("71",),
        as_printed=AsPrinted.CORRECTED,
        theorems=("gap_local.gap_total_variation", "gap_local.gap_local"),
    ),
    _row(
        id="gap-perfect-printed",
        topic=_GAP,
        statement="As printed: all values of the shuffled R^gap are possible, which gives perfect shuffle privacy, "
        "(0, 0)-DP.",
        domain="all n >= 1 at which all counts are possible on every data set; uniform weights",
        claim=_printed_perfect,
        notes=("72",),
        as_printed=AsPrinted.FALSE,
        expected=Verdict.REFUTED,
        theorems=("gap_any_weights.gap_perfect_printed",),
    ),
    _row(
        id="gap-finite",
        topic=_GAP,
        statement="The shuffled R^gap of n users is eps-DP with e^eps = 5/2, which is the least at n = 2.",
        domain="all n >= 2, delta = 0; uniform weights",
        claim=_finite,
        notes=("72",),
        as_printed=AsPrinted.CORRECTED,
        theorems=("gap_small_n.gap_finite", "gap_small_n.gap_small_n"),
    ),
    _row(
        id="gap-any-weights",
        topic=_GAP,
        statement="If with both inputs 0, 1, 3 and 4 ones of four bits are possible, whatever their weights, all "
        "counts of n users are possible on every data set, and one finite eps makes the shuffled protocol eps-DP for "
        "all n.",
        domain="every such randomizer of four bits, all n >= 2, delta = 0",
        source=_OWN,
        claim=_any_weights,
        notes=("72",),
        as_printed=AsPrinted.CORRECTED,
        theorems=(
            "gap_any_weights.gap_any_weights",
            "gap_any_weights.gap_two_users_all_counts",
            "gap_any_weights.gap_any_weights_local",
        ),
    ),
    ProofRow.prose(
        name="pure-no-conflict",
        topic=_SINGLE,
        statement="Private aggregation in almost a single message (2109.13158) contradicts the equivalence.",
        source="GhaziKumarManurangsiPaghSinha2021, abstract",
        entry="73",
        as_printed=AsPrinted.FALSE,
        reading="No: it is (eps, delta)-DP and sends 1 + o(1) messages in expectation; the equivalence is for "
        "delta = 0 and exactly one message.",
    ),
    _row(
        id="pure-mean-and-histogram-printed",
        statement="As printed: mean estimation for histograms must be easier than that of a discrete population.",
        domain="some d >= 3 bins and n >= 2 users",
        source=_OWN,
        claim=_histogram_from_sum,
        notes=("74",),
        as_printed=AsPrinted.FALSE,
        expected=Verdict.REFUTED,
        reading="read as: the histogram is a function of the sum, so that who estimates the mean has it as well.",
        theorems=("sum_of_histogram.histogram_not_of_sum",),
    ),
    _row(
        id="pure-mean-and-histogram",
        statement="The sum of the records is a function of their histogram; and that function of the histogram that an "
        "(eps, delta)-DP mechanism reports is (eps, delta)-DP.",
        domain="all d and n, records 0, ..., d-1, mechanisms with finitely many outcomes, real eps and delta",
        source=_OWN,
        claim=_sum_from_histogram,
        notes=("74",),
        as_printed=AsPrinted.CORRECTED,
        theorems=("sum_of_histogram.sum_of_histogram",),
    ),
)
