"""Sums and parts of counting laws: n users who draw one each, and what falls into some of many bins.

With F the generating function of the number of one user's messages, that of all n users is F^n, and that of those that
fall into bins which a uniform message hits with chance t is F(1 - t + t z)^n:

* Bin(k, p): (1 - p + p z)^k becomes Bin(n k, p t);
* Poisson(mu): e^(mu (z - 1)) becomes Poisson(n mu t);
* NB(r, p): ((1 - p)/(1 - p z))^r. With z replaced, 1 - p + p t - p t z = (1 - p + p t)(1 - p' z) with
  p' = p t/(1 - p + p t), and 1 - p' = (1 - p)/(1 - p + p t): NB(n r, p').
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from exactdp.errors import InvalidLawError
from exactdp.laws.binomial import Binomial
from exactdp.laws.binomial_sum import BinomialSum
from exactdp.laws.negative_binomial import Geometric, NegativeBinomial
from exactdp.laws.poisson import Poisson
from exactdp.numbers.formats import short

Counting: TypeAlias = Binomial | Poisson | NegativeBinomial
"""The laws of a number of messages that add up, and fall into bins, within their family."""


def read_counting(law: object, *, name: str) -> Counting:
    """Return a law of a number of messages with rational parameters, a geometric one as NB(1, p); or refuse it."""
    counting = NegativeBinomial(1, law.p) if isinstance(law, Geometric) else law
    if not isinstance(counting, Counting):
        raise InvalidLawError(
            f"{name}={short(repr(law))} is no law of a number of messages that adds up. Pass Binomial(k, p), "
            "Poisson(mu), NegativeBinomial(r, p) or Geometric(p)."
        )
    numbers = {Binomial: ("p",), Poisson: ("mu",), NegativeBinomial: ("r", "p")}[type(counting)]
    if irrational := [number for number in numbers if not isinstance(getattr(counting, number), Fraction)]:
        raise InvalidLawError(
            f"{name}={short(repr(law))} has an irrational {irrational[0]}. Pass a rational one, such as 1/4."
        )
    return counting


def in_bins(law: Counting, users: int, chance: Fraction) -> Counting:
    """Return the law of how many messages of so many users fall into bins that one hits with this chance.

    >>> in_bins(NegativeBinomial(2, "1/2"), 3, Fraction(1, 2))
    NegativeBinomial('6', '1/3')
    """
    match law:
        case Binomial():
            return Binomial(users * law.n, law.p * chance)
        case Poisson():
            assert isinstance(law.mu, Fraction)
            return Poisson(users * law.mu * chance)
        case _:
            assert isinstance(law.p, Fraction)
            return NegativeBinomial(users * law.r, law.p * chance / (1 - law.p + law.p * chance))


def splits_independently(law: Counting) -> bool:
    """Whether the numbers of messages in different bins are independent: of Poisson numbers."""
    return isinstance(law, Poisson)


def beside_binomial(law: Counting, n: int, p: Fraction) -> BinomialSum | None:
    """Return the law of a binomial number plus an independent Bin(n, p) one; None for other laws."""
    return BinomialSum(n, p, law.n, law.p) if isinstance(law, Binomial) else None


def all_users(law: Counting, users: int) -> Counting:
    """Return the law of how many messages so many users send."""
    return in_bins(law, users, Fraction(1))
