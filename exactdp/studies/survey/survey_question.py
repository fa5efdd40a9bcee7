"""The question of a survey: how many users, how private, and how often an error may be larger."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.numbers.exact import Exact, as_fraction, as_integer, as_probability
from exactdp.numbers.formats import short

USUAL_BETA: Final = Fraction(1, 20)
"""The usual 95 %."""
USUAL_INPUTS: Final = 16
"""Bins of a histogram: a short list of answers, whose messages are still listed by every protocol."""
USUAL_BOUND: Final = 10
"""The largest number in a bounded sum: a grade, or a number of stars."""
MOST_USERS: Final = 10**18
"""As in the theorems' tables; products of counts stay within what engines size up."""


@dataclass(frozen=True, slots=True)
class Question:
    """What every protocol is asked: its privacy, its error and what it sends, at one n, eps, delta and beta.

    ``with_privacy`` is False where errors alone are wanted, on the way to where two of them cross.
    """

    n: int
    eps: Fraction
    delta: Fraction
    beta: Fraction
    inputs: int
    bound: int
    with_privacy: bool = True

    def at(self, n: int, *, with_privacy: bool = True) -> Question:
        """Return the same question about another number of users."""
        return replace(self, n=n, with_privacy=with_privacy)


def read_question(
    n: int,
    *,
    eps: Exact,
    delta: Exact,
    beta: Exact = USUAL_BETA,
    inputs: int = USUAL_INPUTS,
    bound: int = USUAL_BOUND,
) -> Question:
    """Return the question, with every number checked.

    Args:
        n: number of users who follow the protocol, 1 to 10^18.
        eps: above 0, rational.
        delta: strictly between 0 and 1.
        beta: probability of a larger error, strictly between 0 and 1.
        inputs: bins of the histograms, at least 2.
        bound: the largest number in a bounded sum, at least 1.
    """
    users, level = as_integer(n, name="n", at_least=1), as_fraction(eps, name="eps")
    if users > MOST_USERS:
        raise TooLargeError(f"n={short(users)} is more than the limit of 10^18 users. Use a smaller n.")
    if level <= 0:
        raise InvalidValueError(f"eps={short(level)} is not above 0. Pass the eps that all protocols are to have.")
    chances = [as_probability(value, name=name) for name, value in (("delta", delta), ("beta", beta))]
    for name, chance in zip(("delta", "beta"), chances, strict=True):
        if not 0 < chance < 1:
            raise InvalidValueError(f"{name}={short(chance)} is not strictly between 0 and 1. Pass such a {name}.")
    bins, largest = as_integer(inputs, name="inputs", at_least=2), as_integer(bound, name="bound", at_least=1)
    return Question(users, level, chances[0], chances[1], bins, largest)
