"""One of two messages from each user: weights, tails and worst events of every data set, from laws that are listed."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

from tests.certificates.claims import RESPONSE, randomizer, two_messages
from tests.certificates.probes.common import Checker, probe, refuses_beyond

COINS = (1, 3, 4), (1, 2, 7), (3, 9, 10), (2, 3, 10), (5, 6, 11)
UNEVEN = randomizer(2, {"0": "2/3", "1": "1/3"}, {"0": "4/5", "1": "1/5"}, {"0": "3/10", "1": "7/10"})


def listed(low: int, high: int, whole: int, others: int, k: int) -> list[int]:
    """The weights of 0 to ``others`` ones, one user after the other."""
    law = [1]
    for ones in [high] * k + [low] * (others - k):
        law = [(whole - ones) * at + ones * before for before, at in pairwise([0, *law, 0])]
    return law


@probe
def weights_of_every_number(checker: Checker) -> None:
    """From m to m + 1 beyond the last one, and from k to k + 1 at every m."""
    for numbers, others in product(COINS, (0, 1, 2, 5)):
        coins, whole = checker.Coins(*numbers), numbers[2]
        for k in range(others + 1):
            law, next_law = (listed(*numbers, others, min(others, more)) + [0] * 4 for more in (k, k + 1))
            counts = checker.Counts.none_sent(coins, others, k)
            for m in range(others + 2):
                assert counts == (coins, others, k, m, law[m], law[m + 1], whole * sum(law[m + 1 :])), (numbers, m)
                if k < others and m <= others:
                    more = counts.one_more_holder()
                    expected = (next_law[m], next_law[m + 1], whole * sum(next_law[m + 1 :]))
                    assert more == (coins, others, k + 1, m, *expected), (numbers, m)
                counts = counts.one_further()


@probe
def worst_events_of_every_number(checker: Checker) -> None:
    """Among all events, for every k, at levels below and above the ratio of the message."""
    for numbers, level in product(COINS, ("1", "101/100", "6/5", "3/2", "5/2")):
        coins, exp_eps, others = checker.Coins(*numbers), Fraction(level), 7
        low, high, whole = numbers
        alpha, beta = coins.excess(exp_eps)
        assert Fraction(alpha, whole * exp_eps.denominator) == Fraction(high, whole) - exp_eps * Fraction(low, whole)
        assert Fraction(beta - alpha, whole * exp_eps.denominator) == exp_eps - 1
        if alpha <= 0:
            continue
        found = list(checker.worst_counts(coins, others, exp_eps))
        assert [counts.k for counts in found] == list(range(others + 1))
        for counts in found:
            p, q = (listed(*numbers, others + 1, counts.k + more) for more in (1, 0))
            exact = sum(max(Fraction(0), x - exp_eps * y) for x, y in zip(p, q, strict=True))
            loss = alpha * counts.at - (exp_eps.numerator - exp_eps.denominator) * counts.above
            assert Fraction(loss, exp_eps.denominator) == exact, (numbers, level, counts.k)


@probe
def coins_of_a_table(checker: Checker) -> None:
    table = checker.Randomizer.read(UNEVEN, checker.Work())
    assert checker.Coins.of(table, 1) == (2, 7, 10)
    assert checker.Coins.of(table, 0) == (3, 8, 10)
    assert [checker.Coins(*numbers).tells for numbers in ((0, 1, 2), (1, 2, 2), (1, 2, 3), (0, 3, 3))] == [
        True,
        True,
        False,
        True,
    ]
    read = checker.TwoMessages.read(two_messages(n=2000, scope="all n from n"), checker.Work())
    assert read.words == (
        "shuffled randomizer {0: (0) 3/4, (1) 1/4; 1: (0) 1/4, (1) 3/4}, every n >= 2000, replace one: "
        "(e^eps = 2, delta = 3/16)-DP, both orders"
    )


@probe
def prices_of_two_messages(checker: Checker) -> None:
    """Of a mirrored table one order is looked at; work grows with the square of n, and with long numbers."""

    def price(table: object = RESPONSE, n: int = 1000, **level: str) -> int:
        work = checker.Work()
        claim = checker.TwoMessages.read(two_messages(table, n, **{"delta": "1", **level}), work)
        before = work.left
        claim.prove({}, work)
        return int(before - work.left)

    assert 3 * price() < price(n=2000) < 5 * price()
    assert 2 * price() < price(UNEVEN) < 4 * price()
    assert price(exp_eps=f"{2**200 + 1}/{2**200}") > price(exp_eps="3/2")
    assert price(exp_eps="3") == price(exp_eps="7") == price(UNEVEN, exp_eps="100")
    assert price(exp_eps="3") < 10
    assert price(exp_eps="2999/1000", n=50) > 2 * 2 * 50


@probe
def limits_of_two_messages(checker: Checker) -> None:
    event = {"message": "1", "holders": "8", "above": "8"}
    claim = checker.TwoMessages.read(two_messages(n=9, delta="1"), checker.Work())
    below = checker.TwoMessages.read(two_messages(n=9, delta="0"), checker.Work())
    cases = (
        ("MAX_TOTAL_BITS", 9 * 3, lambda: claim.prove({}, checker.Work())),
        ("MAX_TOTAL_BITS", 9 * 3, lambda: below.refute(event, checker.Work())),
        ("MAX_USERS", 9, lambda: checker.TwoMessages.read(two_messages(n=9), checker.Work())),
    )
    refuses_beyond(checker, cases)
