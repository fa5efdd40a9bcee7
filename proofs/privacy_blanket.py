"""The privacy blanket: what the rows of the others have in common bounds every data set, and where it is exact.

Statement. Users send finite random lists of messages, and a shuffler mixes them; x and y are two inputs of one user,
with the rows P and Q, and n - 1 others hold anything. For a reference c of lists with c >= 0, let V be (P - E Q)/c for
a draw of c, and 0 with what c lacks to 1. The reference bound is

    U(c) = sum over c = 0 of max(0, P - E Q) + (1/n) E[max(0, V_1 + ... + V_n)].

1. If c lies below the rows of all others, the views with x and with y have at most the divergence U(c) at E.
2. If each user sends one message and all others hold v, it is U(row of v).
3. If each user sends one message, and w are weights on inputs, then U(mixture of the rows with the weights w) is at
   most the largest divergence over all data sets of the others with inputs that have a weight.
4. The closed forms of Hoeffding and Bennett in exactdp/privacy/amplification/blanket.py hold: for k-ary randomized
   response, and with the generic constants for every locally private randomizer.

Proof. Each of the others draws from c, or from what is left of his row. Given that b drew from c, the message of the
user who differs, relative to one more draw of c, is hidden among b + 1 draws, and an event that ignores their order has
as excess the mean of its indicator times (V_1 + ... + V_{b+1})/(b + 1), so at most that of the positive part; the mean
over b is U(c). 2: then nothing is left of a row, and the event that the sum is positive, or that a message shows which
v never sends and which is likelier from x, attains it. 3: others with random inputs have the law of 2 with the mixture
of the rows, and the excess of a mixture is at most the largest. 4: max(0, s) <= e^(r s - 1)/r, and Hoeffding's and
Bennett's bounds of E[e^(r V)].

The certificates confirm it without this: they sweep all data sets of the tables and all events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import permutations, product
from typing import Final, TypeAlias

from exactdp import Claim, Randomizer, ShuffleProtocol
from exactdp.bounds import bennett_blanket_delta, hoeffding_blanket_delta
from exactdp.proofs.row_files import decides
from exactdp.randomizers import KAryResponse

Bundle: TypeAlias = tuple[str, ...]
Row: TypeAlias = dict[Bundle, Fraction]

_ORDERS: Final = (Fraction(1), Fraction(3, 2), Fraction(2))
_USERS: Final = (1, 2, 3)
_BELOW: Final = Fraction(2**20 - 1, 2**20)
"""What is refuted is a delta of so much of the number."""
_RESPONSES: Final = ((2, 40), (3, 12), (4, 8))
"""(k, n) of k-ary randomized response."""
NUMBERS: Final = {"orders": _ORDERS, "users": _USERS, "responses": _RESPONSES}


def _one_message(*weights: int) -> dict[Bundle, Fraction]:
    return {(m,): Fraction(w, sum(weights)) for m, w in zip("abcd", weights, strict=True) if w}


ZEROS: Final = (_one_message(3, 1, 0, 2), _one_message(1, 4, 1, 0), _one_message(2, 2, 2, 0))
"""Rows with messages that no blanket covers."""
INNER: Final = (_one_message(1, 1, 2, 1), _one_message(1, 1, 1, 1), _one_message(1, 1, 8, 1))
"""Rows for which others of two inputs are worse than all that hold one of them."""
BUNDLES: Final = (
    {("a", "a"): Fraction(1, 2), ("a", "b"): Fraction(1, 4), (): Fraction(1, 4)},
    {("a", "b"): Fraction(1, 2), ("b",): Fraction(1, 4), (): Fraction(1, 4)},
    {("a", "a"): Fraction(1, 4), ("a", "b"): Fraction(1, 4), (): Fraction(1, 2)},
)


def mean_excess(law: Mapping[Fraction, Fraction], n: int) -> Fraction:
    """Return (1/n) E[max(0, V_1 + ... + V_n)] for independent copies of a law, value -> probability.

    >>> mean_excess({Fraction(1): Fraction(1, 4), Fraction(-1): Fraction(3, 4)}, 2)
    Fraction(1, 16)
    """
    sums = {Fraction(0): Fraction(1)}
    for _ in range(n):
        more: dict[Fraction, Fraction] = {}
        for (s, p), (v, q) in product(sums.items(), law.items()):
            more[s + v] = more.get(s + v, Fraction(0)) + p * q
        sums = more
    return sum((p * max(Fraction(0), s) for s, p in sums.items()), Fraction(0)) / n


def reference_bound(n: int, first: Row, second: Row, exp_eps: Fraction, reference: Row) -> Fraction:
    """Return U(c) of the statement."""
    charged, none = Fraction(0), Fraction(0)
    law = {none: 1 - sum(reference.values(), none)}
    for sent in first | second | reference:
        excess, weight = first.get(sent, none) - exp_eps * second.get(sent, none), reference.get(sent, none)
        if weight:
            law[excess / weight] = law.get(excess / weight, none) + weight
        else:
            charged += max(none, excess)
    return charged + mean_excess(law, n)


def least(rows: tuple[Row, ...]) -> dict[Bundle, Fraction]:
    """Return the blanket: the least probability of every list of messages."""
    shared = [sent for sent in rows[0] if all(sent in row for row in rows)]
    return {sent: min(row[sent] for row in rows) for sent in shared}


def mixture(weights: Mapping[int, Fraction], rows: tuple[Row, ...]) -> dict[Bundle, Fraction]:
    """Return the row of a user whose input is random."""
    mixed: dict[Bundle, Fraction] = {}
    for place, weight in weights.items():
        for sent, chance in rows[place].items():
            mixed[sent] = mixed.get(sent, Fraction(0)) + weight * chance
    return mixed


def protocol(rows: tuple[Row, ...], n: int) -> ShuffleProtocol:
    """Return the protocol of n users with these rows."""
    return ShuffleProtocol(Randomizer(dict(enumerate(rows))), n)


def _is_needed(rows: tuple[Row, ...], n: int, exp_eps: Fraction, delta: Fraction) -> Claim:
    """That a smaller delta is not enough."""
    return Claim.negation(Claim.shuffle_dp(protocol(rows, n), exp_eps=exp_eps, delta=delta * _BELOW))


@decides("blanket-every-data-set")
def _bounds_every_data_set() -> Iterator[Claim]:
    for rows, n, exp_eps in product((ZEROS, INNER, BUNDLES), _USERS, _ORDERS):
        bound = max(reference_bound(n, *pair, exp_eps, least(rows)) for pair in permutations(rows, 2))
        yield Claim.shuffle_dp(protocol(rows, n), exp_eps=exp_eps, delta=bound)


@decides("homogeneous-divergence")
def _is_exact_where_all_others_hold_one() -> Iterator[Claim]:
    for rows, n, exp_eps in product((ZEROS, INNER), _USERS, _ORDERS):
        pairs = product(permutations(rows, 2), rows)
        exact = max(reference_bound(n, *pair, exp_eps, row) for pair, row in pairs)
        yield _is_needed(rows, n, exp_eps, exact)
        if n <= 2:  # then all others hold one input
            yield Claim.shuffle_dp(protocol(rows, n), exp_eps=exp_eps, delta=exact)


@decides("random-others")
def _is_below_the_worst_data_set() -> Iterator[Claim]:
    for rows, places in product((ZEROS, INNER), permutations(range(3), 2)):
        mixed = mixture(dict.fromkeys(places, Fraction(1, 2)), rows)
        order = Fraction(5, 4)
        yield _is_needed(rows, 3, order, max(reference_bound(3, *p, order, mixed) for p in permutations(rows, 2)))


@decides("blanket-closed-forms")
def _closed_forms() -> Iterator[Claim]:
    for (k, n), bound in product(_RESPONSES, (hoeffding_blanket_delta, bennett_blanket_delta)):
        response = ShuffleProtocol(KAryResponse(k, exp_eps0=3), n)
        for size in (k, None):
            delta = min(Fraction(1), bound(n, exp_eps0=3, exp_eps=2, k=size).hi)
            yield Claim.shuffle_dp(response, exp_eps=2, delta=delta)
