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

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product
from math import factorial
from typing import Final

from exactdp import Claim, Law, Randomizer, ShuffleProtocol
from exactdp.claims.encoding import MessageSum
from exactdp.errors import InvalidValueError
from exactdp.mechanisms.k_ary_family import KAryResponse
from exactdp.proofs.least import searched_over
from exactdp.proofs.row_files import decides
from exactdp.proofs.steps import implies, variables
from exactdp.protocols import gap, gap_randomizer
from exactdp.studies.counterexamples.search import Rationals

_LOST: Final = Fraction(3, 8)
"""The probability, under R^gap's input 0, of what its input 1 never sends."""
NUMBERS: Final = {"lost": _LOST}
"""The numbers that the rows quote."""
_GAMMAS: Final = Rationals(0, 1, 4, low_is_closed=True, high_is_closed=True)
"""The probabilities of the searches, 0 and 1 included."""


# --- 1: the product -------------------------------------------------------------------------------------------------


@searched_over(n=range(1, 5), p=_GAMMAS, q=_GAMMAS)
def first_product(n: int, p: Fraction, q: Fraction) -> bool:
    """The first n, p > q with P[all n messages of X' in T] other than the printed q^n."""
    if p <= q:
        raise InvalidValueError(f"p={p} is not above q={q}, so nothing is wrong with R. Pass a larger p.")
    return q * p ** (n - 1) == q**n


def _all_in_event(n: int, p: Fraction, q: Fraction) -> MessageSum:
    """How many of the n messages of X' lie in T."""
    table = Randomizer({"x": {("in",): p, ("out",): 1 - p}, "x'": {("in",): q, ("out",): 1 - q}})
    return MessageSum(ShuffleProtocol(table, n), {"x": n - 1, "x'": 1}, {"in": 1, "out": 0})


@decides("pure-product-printed")
def _printed_product() -> Claim:
    n, p, q = first_product().at("n", "p", "q")
    return Claim.tail(_all_in_event(n, p, q), low=n, at_most=q**n)


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


@searched_over(n=range(1, 4), data=range(8), gamma=_GAMMAS)
def first_order(n: int, data: int, gamma: Fraction) -> bool:
    """The first data set (as a number) and gamma for which the shuffler changes the law of the ordered messages."""
    users, law = _bits(n, data), shuffled(_bits(n, data), gamma)
    return all(law.prob(code) == _chance(users, _bits(n, code), gamma) for code in range(2**n))


@searched_over(n=range(1, 4), data=range(8), event=range(8), gamma=_GAMMAS)
def first_event(n: int, data: int, event: int, gamma: Fraction) -> bool:
    """The first data set, events T_i = {y_i} and gamma with another probability than the product."""
    return shuffled(_bits(n, data), gamma).prob(event) == _chance(_bits(n, data), _bits(n, event), gamma)


@decides("pure-order-printed")
def _printed_order() -> Claim:
    n, number, gamma = first_order().at("n", "data", "gamma")
    data = _bits(n, number)
    return Claim.equal_laws(in_order(data, gamma), shuffled(data, gamma))


@decides("pure-events-printed")
def _printed_events() -> Claim:
    """Both of them: at most the product, and at least."""
    n, number, event, gamma = first_event().at("n", "data", "event", "gamma")
    data = _bits(n, number)
    law, chance = shuffled(data, gamma), _chance(data, _bits(n, event), gamma)
    return Claim.conjunction(*_chance_is(law, event, chance))


def _chance_is(law: MessageSum | Law, outcome: int, chance: Fraction) -> tuple[Claim, Claim]:
    at = {"low": outcome, "high": outcome}
    return Claim.tail(law, **at, at_most=chance), Claim.tail(law, **at, at_least=chance)


@decides("pure-order")
def _common_event() -> Iterator[Claim]:
    """On tables: all messages are 1, before and after the shuffler, with the product of the users' chances."""
    for n, gamma in product((2, 3), (Fraction(1, 4), Fraction(1, 2))):
        for data in product((0, 1), repeat=n):
            last, chance = 2**n - 1, _chance(data, (1,) * n, gamma)
            for law in (in_order(data, gamma), shuffled(data, gamma)):
                yield from _chance_is(law, last, chance)


# --- 4: alphabets ---------------------------------------------------------------------------------------------------


@searched_over(k=range(3, 8))
def first_alphabet(k: int) -> bool:
    """The first number k > 2 of symbols for which the shuffled pure eps is the local one, at n = 2."""
    table = KAryResponse(k, gamma="1/2").table()
    return ShuffleProtocol(table, 2).privacy_profile().epsilon(0) != table.local_epsilon()


@decides("pure-bits-printed")
def _printed_alphabet() -> Claim:
    (k,) = first_alphabet().at("k")
    table = KAryResponse(k, gamma="1/2").table()
    same = Claim.pure_dp(ShuffleProtocol(table, 1), eps=table.local_epsilon(), all_n_from=1, least="exp_eps")
    return Claim.negation(same)


# --- 5: pairs of data sets --------------------------------------------------------------------------------------------


@decides("pure-all-the-time")
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


@decides("gap-never-pure")
def _never_pure() -> Claim:
    """Not (eps, delta)-DP for any finite eps and any delta < 1/4, so not for delta = 0."""
    return Claim.never_dp(_one_user(), delta_below="1/4")


@decides("gap-never-printed")
def _cannot_be_private() -> Claim:
    return Claim.never_dp(_one_user(), delta_below=1)


@decides("gap-total-variation")
def _total_variation() -> Claim:
    return Claim.shuffle_dp(_one_user(), exp_eps=1, delta=_LOST, least="delta")


@searched_over(n=range(1, 6))
def first_imperfect(n: int) -> bool:
    """The first n >= 2 at which all counts are possible under all data sets and the view is not (0, 0)-DP."""
    laws = [gap(n).law({0: n - ones, 1: ones}) for ones in range(n + 1)]
    if any(len(law) <= 4 * n for law in laws):
        raise InvalidValueError(f"n={n} does not reach every count. Pass a larger n.")
    return gap(n).privacy_profile().exact_delta(exp_eps=Fraction(1)) == 0


@decides("gap-perfect-printed")
def _printed_perfect() -> Claim:
    return Claim.shuffle_dp(gap(**first_imperfect().least), exp_eps=1, delta=0)


@decides("gap-finite")
def _finite() -> Claim:
    least = gap(2).privacy_profile().exact_epsilon(Fraction(0)).argument
    return Claim.pure_dp(gap(2), exp_eps=least, all_n_from=2)


@decides("gap-weights")
def _at_most_one_one() -> Iterator[Claim]:
    """The other reading, uniform, with two users: some outcomes of one data set are impossible under a neighbour."""
    strings = list(product((0, 1), repeat=4))
    few = [string for string in strings if sum(string) <= 1]
    table = Randomizer({x: dict.fromkeys(sent, Fraction(1, len(sent))) for x, sent in enumerate((strings, few))})
    for n in (1, 2, 3):
        yield Claim.never_dp(ShuffleProtocol(table, n), delta_below=Fraction(1, 32**n))


@decides("gap-any-weights")
def _any_weights() -> Claim:
    """Every coefficient of A A, A B and B B is positive, for positive a_0, ..., a_4, b_0, b_1, b_3, b_4."""
    first = variables("a0 a1 a2 a3 a4")
    second = (*variables("b0 b1"), 0, *variables("b3 b4"))
    positive = {weight: weight > 0 for weight in (*first, *second) if weight != 0}
    claims = []
    for left, right in ((first, first), (first, second), (second, second)):
        for count in range(9):
            pairs = [(left[i], right[count - i]) for i in range(5) if 0 <= count - i < 5]
            present = dict.fromkeys(weight for pair in pairs for weight in pair if weight != 0)
            claims.append(implies(*map(positive.__getitem__, present), then=sum(a * b for a, b in pairs) > 0))
    return Claim.conjunction(*claims, assuming=["post-processing"])


# --- 7: sums and histograms -------------------------------------------------------------------------------------------


def _of_records(first: dict[int, int], second: dict[int, int], values: dict[int, int]) -> Claim:
    """Two data sets of two records out of 0, 1, 2 have one total of these values."""
    honest = ShuffleProtocol(Randomizer({x: {(x,): 1} for x in range(3)}), 2)
    return Claim.equal_laws(MessageSum(honest, first, values), MessageSum(honest, second, values))


_ZERO_AND_TWO: Final = {0: 1, 1: 0, 2: 1}
_ONE_AND_ONE: Final = {0: 0, 1: 2, 2: 0}
"""record -> how many: the records 0 and 2, and the records 1 and 1, with one sum."""


@decides("pure-histogram-from-sum")
def _histogram_from_sum() -> Claim:
    """Records with one sum have one count of the records 1."""
    return _of_records(_ZERO_AND_TWO, _ONE_AND_ONE, {0: 0, 1: 1, 2: 0})


@decides("pure-mean-and-histogram")
def _sum_from_histogram() -> Claim:
    """0 and 2 have the sum of 1 and 1, and another histogram."""
    same_sum = _of_records(_ZERO_AND_TWO, _ONE_AND_ONE, {0: 0, 1: 1, 2: 2})
    return Claim.conjunction(same_sum, Claim.negation(_histogram_from_sum()), assuming=["post-processing"])
