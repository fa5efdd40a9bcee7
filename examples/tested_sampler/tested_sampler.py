"""What this project ships: a noisy count, and the reports of a survey. Each has a mistake beside it.

The mistakes are ones that people make. ``noisy_count_with_half_the_scale`` divides the scale by the sensitivity where
it should multiply; ``reports_that_forget_the_coin`` replaces an answer by another one only, where randomized response
replaces it by any.
"""

import numpy as np

SENSITIVITY = 1
ANSWERS = 3


def two_sided(scale, size, rng):
    """Discrete Laplace noise: P[k] proportional to e^(-|k| / scale)."""
    p = 1 - np.exp(-1 / scale)
    return rng.geometric(p, size) - rng.geometric(p, size)


def noisy_count(count, eps, size, rng):
    """The count with noise of the scale sensitivity / eps: eps-DP."""
    return count + two_sided(SENSITIVITY / eps, size, rng)


def noisy_count_with_half_the_scale(count, eps, size, rng):
    """The same with too little noise: it is (2 eps)-DP."""
    return count + two_sided(SENSITIVITY / (2 * eps), size, rng)


def reports(answers, gamma, size, rng):
    """How often each answer is reported, ``size`` times: with probability gamma a user sends any of the answers."""
    answers = np.asarray(answers)
    replaced = rng.random((size, len(answers))) < gamma
    sent = np.where(replaced, rng.integers(ANSWERS, size=replaced.shape), answers)
    return np.stack([(sent == answer).sum(axis=1) for answer in range(ANSWERS)], axis=1)


def reports_that_forget_the_coin(answers, gamma, size, rng):
    """The same, but a replaced answer is never the true one: the reports have another law."""
    answers = np.asarray(answers)
    replaced = rng.random((size, len(answers))) < gamma
    other = (answers + rng.integers(1, ANSWERS, size=replaced.shape)) % ANSWERS
    sent = np.where(replaced, other, answers)
    return np.stack([(sent == answer).sum(axis=1) for answer in range(ANSWERS)], axis=1)
