"""The worst data set: which inputs it may hold, and for two messages which events are the worst.

Statement. Users send finite random lists of messages, and a shuffler mixes them; neighbours replace one user's input.

1. Rows that are mixtures of other rows may be left out, one at a time, for the user who differs and for all others:
   no data set that holds such an input has a larger divergence than all those without it.
2. Let each user send one of two messages, 1 with probability p(u) for input u, a = min p and b = max p. For E >= 1 the
   divergence of n users is the largest of 0 and, over k and m in 0, ..., N = n - 1 and with G the number of ones of k
   users at b and N - k users at a, the excesses

       (b - E a) P[G = m] - (E - 1) P[G > m]   and   (E b - a) P[G = m] - (E - 1) P[G <= m].

3. If a = 0 or b = 1, this is b - a, for every n and E.

Proof. 1: the probability of an event is affine in each user's row, so that a pair of data sets is an average of pairs
without the row; an average of excesses is at most the largest. 2: by 1 all users hold the inputs of a and b. With one
more user at b against a the ratio of the laws of the number of ones grows, because G is log-concave; so the worst
events are {more than m ones}, in the other order {at most m ones}, and these are their excesses. 3: an excess is at
most b - a, because P[G = m] <= 1 and E >= 1; for a = 0, k = 0 and m = 0 it is b, and for b = 1, k = m = N it is 1 - a.

The certificates confirm it without this: they sweep all data sets of the tables and all events.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Final

from exactdp import Claim, Randomizer, ShuffleProtocol
from exactdp.proofs.row_files import decides

_ORDERS: Final = (Fraction(1), Fraction(5, 4), Fraction(2))
_USERS: Final = (1, 2, 3, 4)
_CHANCES: Final = ((Fraction(1, 4), Fraction(1, 2), Fraction(2, 3)), (Fraction(1, 5), Fraction(2, 5), Fraction(4, 5)))
_EXCLUDED: Final = ((Fraction(0), Fraction(1, 3), Fraction(1, 2)), (Fraction(1, 4), Fraction(1, 2), Fraction(1)))
NUMBERS: Final = {"orders": _ORDERS, "users": _USERS, "chances": _CHANCES, "excluded": _EXCLUDED}

_BUNDLES: Final = ({(): Fraction(1, 2), ("m",): Fraction(1, 2)}, {("m",): Fraction(1, 3), ("m", "m"): Fraction(2, 3)})


def mixed(weight: Fraction) -> dict[tuple[str, ...], Fraction]:
    """Return the mixture of the two rows of bundles, the first with this weight."""
    first, second = _BUNDLES
    return {
        sent: weight * first.get(sent, Fraction(0)) + (1 - weight) * second.get(sent, Fraction(0))
        for sent in first | second
    }


def of_chances(*chances: Fraction) -> Randomizer:
    """Return the table whose inputs send message 1 with these probabilities, and 0 else."""
    return Randomizer({u: {(1,): p, (0,): 1 - p} for u, p in enumerate(chances)})


def ones_law(low: Fraction, high: Fraction, others: int, k: int) -> list[Fraction]:
    """Return the law of the number of ones of ``k`` users at ``high`` and ``others - k`` users at ``low``.

    >>> ones_law(Fraction(1, 4), Fraction(1, 2), 2, 1)
    [Fraction(3, 8), Fraction(1, 2), Fraction(1, 8)]
    """
    law = [Fraction(1)]
    for p in [high] * k + [low] * (others - k):
        law = [(1 - p) * at + p * below for at, below in zip([*law, Fraction(0)], [Fraction(0), *law], strict=True)]
    return law


def excesses(low: Fraction, high: Fraction, n: int, exp_eps: Fraction) -> Iterator[Fraction]:
    """Yield the excesses of the statement, in both orders, for all k and m."""
    for k in range(n):
        law = ones_law(low, high, n - 1, k)
        for m, at in enumerate(law):
            yield (high - exp_eps * low) * at - (exp_eps - 1) * sum(law[m + 1 :])
            yield (exp_eps * high - low) * at - (exp_eps - 1) * sum(law[: m + 1])


def worst_excess(low: Fraction, high: Fraction, n: int, exp_eps: Fraction) -> Fraction:
    """Return the divergence of ``n`` users, by the statement.

    >>> worst_excess(Fraction(1, 4), Fraction(3, 4), 1, Fraction(2))
    Fraction(1, 4)
    """
    return max(Fraction(0), *excesses(low, high, n, exp_eps))


@decides("mixture-rows")
def _mixtures() -> Iterator[Claim]:
    few = Randomizer(dict(enumerate(_BUNDLES)))
    more = Randomizer(dict(enumerate((*_BUNDLES, mixed(Fraction(1, 2)), mixed(Fraction(1, 5))))))
    for n, order in product(_USERS, _ORDERS):
        delta = ShuffleProtocol(few, n).privacy_profile().exact_delta(exp_eps=order)
        yield Claim.shuffle_dp(ShuffleProtocol(more, n), exp_eps=order, delta=delta, least="delta")


@decides("two-messages-worst")
def _extreme_points() -> Iterator[Claim]:
    for chances, n, order in product(_CHANCES, _USERS, _ORDERS):
        delta = worst_excess(chances[0], chances[2], n, order)
        yield Claim.shuffle_dp(ShuffleProtocol(of_chances(*chances), n), exp_eps=order, delta=delta, least="delta")


@decides("two-messages-excluded")
def _excluded() -> Iterator[Claim]:
    for chances, n, order in product(_EXCLUDED, _USERS, _ORDERS):
        delta = chances[2] - chances[0]
        yield Claim.shuffle_dp(ShuffleProtocol(of_chances(*chances), n), exp_eps=order, delta=delta, least="delta")
