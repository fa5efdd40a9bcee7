"""Decides claims about the accuracy of an estimate from a shuffled view, by the exact law of each data set."""

from __future__ import annotations

from concurrent.futures import Executor
from fractions import Fraction
from functools import partial
from itertools import combinations, pairwise
from typing import Final

from exactdp.claims.decide.decision import Decision, proved, refuted
from exactdp.claims.encoding import write_integers
from exactdp.claims.kinds import ViewAccuracy
from exactdp.errors import TooLargeError
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.formats import short
from exactdp.privacy.shuffle.view_law import view_law

_MAX_DATA_SETS: Final = 20_000
"""Most data sets whose laws are computed one by one: some minutes for small views."""

Users = tuple[int, ...]
"""A data set: how many users hold each input."""


def decide_view_accuracy(claim: ViewAccuracy, executor: Executor | None = None) -> Decision:
    """Decide whether an estimate errs by more than alpha with a probability of at most beta."""
    beta, error_of = claim.estimate.beta, partial(_error, claim, claim.randomizer.randomizer())
    if claim.dataset is not None:
        error = error_of(claim.dataset)
        reason = f"The probability of an error is {short(error)}."
        return refuted(reason) if error > beta else proved(reason)
    data_sets = _data_sets(claim.n, len(claim.randomizer.rows))
    errors = list((map if executor is None else executor.map)(error_of, data_sets))
    worst = max(range(len(errors)), key=errors.__getitem__)
    reason = f"The worst probability of an error is {short(errors[worst])}, at the data set {list(data_sets[worst])}."
    if errors[worst] > beta:
        return refuted(reason, dataset=write_integers(data_sets[worst]))
    return proved(reason)


def _data_sets(n: int, inputs: int) -> list[Users]:
    """Return all data sets of n users, or refuse if they are too many."""
    data_sets: list[Users] = []
    for bars in combinations(range(n + inputs - 1), inputs - 1):
        if len(data_sets) == _MAX_DATA_SETS:
            raise TooLargeError(
                f"n={n} users with {inputs} inputs have more than {_MAX_DATA_SETS} data sets. Claim the accuracy for "
                "one data set, or for fewer users."
            )
        data_sets.append(tuple(b - a - 1 for a, b in pairwise((-1, *bars, n + inputs - 1))))
    return data_sets


def _error(claim: ViewAccuracy, randomizer: Randomizer, users: Users) -> Fraction:
    """Return P[abs(estimate - truth) > alpha] for one data set, exactly."""
    weights = [claim.weights[message] for message in randomizer.alphabet]
    truth = sum((count * value for count, value in zip(users, claim.values, strict=True)), Fraction(0))
    error = Fraction(0)
    for counts, probability in view_law(randomizer, users).items():
        total = sum((w * c for w, c in zip(weights, counts, strict=True)), Fraction(0))
        if claim.estimate.is_wrong(total, truth):
            error += probability
    return error
