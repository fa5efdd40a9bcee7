"""The least error of a sum of bits in the local model, exactly: the best estimate from randomized response.

Every eps-DP local protocol draws its transcript from the answers of randomized response, so that the best of all
protocols is the best estimate from n such answers (the proof is in :mod:`exactdp.protocols.accuracy.overlapping_sums`).
Which users hold a 1 does not matter to the loss: averaged over the orders of the users an estimate is not worse in its
worst case, and it depends on the number S of ones among the answers alone. So k ones are to be estimated from
S ~ Bin(k, p) + Bin(n-k, 1-p), p = E / (E + 1): a game on finitely many estimates.

- Mean error: abs(a - k) is linear in a between integers for every k, so an estimate a is as good as a coin toss between
  its two neighbours: a = 0, ..., n are enough.
- P[error > A]: an estimate is near at most w + 1 numbers in a row, w = floor(2A), and a = j + w/2, j = 0, ..., n - w,
  is near any w + 1 of them.

The value of the game is that of the linear program of the prior that is hardest,

    maximise sum_s u_s    with    u_s <= sum_k q_k P[S = s | k] loss(a, k) for all s and a,    sum_k q_k <= 1,

solved in exact numbers; its dual is the best estimate. Both are checked in the end, without the solver: the estimate's
risk is at most the value at every k, and no estimate has a smaller mean risk under the prior.

Source: KairouzOhViswanath2015, Theorem 3.1 (randomized response is all there is).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exactdp.errors import ExactDPError, InvalidValueError, TooLargeError
from exactdp.laws.binomial_sum import BinomialSum
from exactdp.laws.finite import Law
from exactdp.numbers.exact import Exact, as_fraction, as_integer
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.frozen import set_fields
from exactdp.symbolic.linear_programming import maximum

_MOST_USERS: Final = 12
"""Most users: the exact program takes about ten seconds there, and doubles with every user."""

Losses = tuple[tuple[Fraction, tuple[Fraction, ...]], ...]
"""(estimate, its loss for k = 0, ..., n) of the estimates that are enough."""


@dataclass(frozen=True, slots=True)
class LeastLocalError:
    """The least error of all local protocols, the estimate that has it and the prior under which none has less.

    Args:
        error: the value: a mean error in users, or a probability.
        estimates: for S = 0, ..., n the law of the estimate.
        prior: q_0, ..., q_n.
    """

    error: Fraction
    estimates: tuple[Law, ...]
    prior: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        set_fields(self, error=exact_answer(self.error), prior=tuple(exact_answer(weight) for weight in self.prior))


def least_local_error(n: int, *, exp_eps: Exact, alpha: Exact | None = None) -> LeastLocalError:
    """Return the least error, in the worst case, of all eps-DP local protocols for the sum of n bits.

    Args:
        n: users, from 1 to 12.
        exp_eps: e^eps of a user's bit, exact, above 1.
        alpha: None for the mean of the absolute error, in users; else the least probability of an error above
            alpha >= 0. From n/2 on it is 0: the estimate n/2 is never further off.

    Returns:
        The value, exact, with the estimate and the prior that prove it.

    >>> best = least_local_error(2, exp_eps=3)
    >>> best.error, best.prior
    (Fraction(1, 2), (Fraction(1, 2), Fraction(0, 1), Fraction(1, 2)))

    Cost: a millisecond for 3 users, seconds for 10.

    Source: KairouzOhViswanath2015, Theorem 3.1 (the reduction, while the program is the module's).
    """
    users = as_integer(n, name="n", at_least=1)
    if users > _MOST_USERS:
        raise TooLargeError(
            f"n={users} is above {_MOST_USERS}, where the exact program takes minutes. Ask local_lower_bound, which "
            "answers at every n."
        )
    level = as_fraction(exp_eps, name="exp_eps")
    if level <= 1:
        raise InvalidValueError(f"exp_eps={level} is at most 1, where answers say nothing. Pass a number above 1.")
    losses = _mean_losses(users) if alpha is None else _tail_losses(users, _reach(alpha))
    truth = level / (level + 1)
    chances = [_chances(users, k, truth) for k in range(users + 1)]
    return _checked(_solved(chances, losses), chances, losses)


def _reach(alpha: Exact) -> int:
    """floor(2 alpha)."""
    value = as_fraction(alpha, name="alpha")
    if value < 0:
        raise InvalidValueError(f"alpha={value} is below 0. Pass an error of at least 0.")
    return int(2 * value // 1)


def _chances(users: int, k: int, truth: Fraction) -> tuple[Fraction, ...]:
    """P[S = s | k] for s = 0, ..., n."""
    law = BinomialSum(k, truth, users - k, 1 - truth)
    return tuple(law.exact_pmf(s) for s in range(users + 1))


def _mean_losses(users: int) -> Losses:
    everybody = range(users + 1)
    return tuple((Fraction(a), tuple(Fraction(abs(a - k)) for k in everybody)) for a in everybody)


def _tail_losses(users: int, reach: int) -> Losses:
    near = min(reach, users)
    return tuple(
        (j + Fraction(near, 2), tuple(Fraction(not j <= k <= j + near) for k in range(users + 1)))
        for j in range(users - near + 1)
    )


def _solved(chances: list[tuple[Fraction, ...]], losses: Losses) -> LeastLocalError:
    """Solve the linear program: variables q_0, ..., q_n, u_0, ..., u_n."""
    size = len(chances)
    rows = [
        [-chance[s] * lost for chance, lost in zip(chances, loss, strict=True)]
        + [Fraction(s == t) for t in range(size)]
        for s in range(size)
        for _, loss in losses
    ]
    rows.append([Fraction(1)] * size + [Fraction(0)] * size)
    ends = [Fraction(0)] * (len(rows) - 1) + [Fraction(1)]
    goal = [Fraction(0)] * size + [Fraction(1)] * size
    best = maximum(goal, rows, ends)
    estimates = []
    for s in range(size):
        weights = best.prices[s * len(losses) : (s + 1) * len(losses)]
        estimates.append(Law({a: w for (a, _), w in zip(losses, weights, strict=True) if w}))
    others = best.point[1:size]  # the weights are 0 where nothing can be lost: then every prior is as hard
    return LeastLocalError(best.value, tuple(estimates), (1 - sum(others, Fraction(0)), *others))


def _checked(best: LeastLocalError, chances: list[tuple[Fraction, ...]], losses: Losses) -> LeastLocalError:
    """Check both proofs of the value, from their definitions."""
    table = dict(losses)
    risks = [
        sum(
            (chance * law.prob(a) * table[a][k] for chance, law in zip(row, best.estimates, strict=True) for a in law),
            Fraction(0),
        )
        for k, row in enumerate(chances)
    ]
    bayes = sum(
        min(
            sum(q * row[s] * loss[k] for k, (q, row) in enumerate(zip(best.prior, chances, strict=True)))
            for _, loss in losses
        )
        for s in range(len(chances))
    )
    if max(risks) != best.error or bayes != best.error or sum(best.prior) != 1:
        raise ExactDPError("the least local error has no proof. Please report this: it is a defect of exactdp.")
    return best
