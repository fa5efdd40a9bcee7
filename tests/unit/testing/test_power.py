"""How many draws find every wrong law: by enumeration at small sizes, against wrong laws at real ones."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from exactdp import Binomial, Law, Poisson, errors
from exactdp.testing import assert_samples_match, samples_needed, total_variation_found
from exactdp.testing.g_tests import SingleOutcomes, mass_of, statistic, threshold

DIE = Law(dict.fromkeys(range(1, 7), "1/6"))
COIN = Law({0: "1/2", 1: "1/2"})


def multinomial(counts, q):
    ways = math.factorial(sum(counts)) // math.prod(map(math.factorial, counts))
    return ways * math.prod(p**c for p, c in zip(q, counts, strict=True))


def chance_of_failing(law, q, size, level):
    """The exact probability that the G-test of single outcomes fails draws from q, by enumeration."""
    outcomes, test = list(law), SingleOutcomes.of(law, size)
    reached = threshold(len(outcomes), level)
    return sum(
        multinomial(counts, q)
        for counts in itertools.product(range(size + 1), repeat=len(outcomes))
        if sum(counts) == size and statistic(test.cells(dict(zip(outcomes, counts, strict=True))), size) >= reached
    )


@pytest.mark.parametrize(
    ("law", "far", "wrong"),
    [
        (COIN, Fraction(2, 5), [("9/10", "1/10"), ("1/10", "9/10")]),
        (Law({0: "9/10", 1: "1/10"}), Fraction(2, 5), [("1/2", "1/2")]),
        (Law({0: "1/5", 1: "3/5", 2: "1/5"}), Fraction(3, 5), [("4/5", "0", "1/5"), ("1/2", "0", "1/2")]),
    ],
)
def test_the_power_is_reached_by_enumeration(law, far, wrong):
    """At the size that is returned every wrong law fails with probability 0.99, and a right one with its share."""
    risk = Fraction(1, 5)
    size = samples_needed(law, total_variation=far, false_alarm=risk)
    assert size < 70
    for q in ([Fraction(p) for p in each] for each in wrong):
        assert sum(abs(a - law.prob(x)) for x, a in zip(law, q, strict=True)) / 2 >= far
        assert chance_of_failing(law, q, size, risk / 4) >= Fraction(99, 100)
    assert chance_of_failing(law, [law.prob(x) for x in law], size, risk / 4) <= risk / 4


def test_the_condition_is_the_one_that_is_proved():
    """The size from the formula in floats, at which the roots meet."""
    for far, alarm in (("1/10", "1e-9"), ("1/100", "1/20"), ("1/2", "1e-30")):
        reached = float(threshold(6, Fraction(alarm) / 4))
        stated = (math.sqrt(reached) + math.sqrt(math.log(100))) ** 2 / (2 * float(Fraction(far)) ** 2)
        assert samples_needed(DIE, total_variation=far, false_alarm=alarm) == pytest.approx(stated, abs=1.01)


def test_the_size_and_the_difference_are_inverse():
    size = samples_needed(DIE, total_variation="1/16")
    assert total_variation_found(DIE, size=size) <= Fraction(1, 16) < total_variation_found(DIE, size=size - 1)
    assert total_variation_found(DIE, size=1) is None
    assert total_variation_found(Binomial(10**9, "1/2"), size=10**6) is None


def test_outcomes_in_one_cell_are_charged():
    """Poisson(20) has no last outcome: what has no cell of its own is subtracted from the difference."""
    test = SingleOutcomes.of(Poisson(20), 10**4)
    assert 0 < test.shared <= 2**192 // 800
    assert test.shared >= mass_of(1, 10**30)[0]
    cells = test.cells({20: 3, 10**6: 2})
    assert cells[-1].words == "any other outcome"
    assert cells[-1].count == 2
    assert sum(cell.mass[1] for cell in cells) >= 2**192
    far, draws, miss, risk = Fraction(1, 10), 10**4, Fraction(1, 100), Fraction(1, 10)
    assert test.finds(far, draws, miss, risk)
    assert not test.finds(Fraction(test.shared, 2**192), draws, miss, risk)
    smaller = SingleOutcomes({k: m for k, m in test.masses.items() if k < 15}, test.shared)
    assert smaller.finds(far, draws, miss, risk)  # fewer cells, a lower threshold
    assert not SingleOutcomes(smaller.masses, 2**191).finds(far, draws, miss, risk)


def wrong_laws(law, far):
    """Laws at this total variation: neighbours trade mass, one outcome takes it, or a new one does."""
    p = np.array([float(law.prob(x)) for x in law])
    zigzag = p * np.where(np.arange(len(p)) % 2, 1, -1)
    yield p + zigzag * far / (np.abs(zigzag).sum() / 2)
    yield p * (1 - far) + far * np.eye(len(p))[0] * 1.0
    q = p * (1 - far)
    yield np.append(q, far)


@pytest.mark.parametrize("law", [DIE, Binomial(30, "1/2").law()], ids=["die", "binomial"])
def test_wrong_laws_are_found_at_the_size_that_is_returned(law):
    outcomes = [*law, 1000]
    for q in wrong_laws(law, 0.105):
        weights = np.maximum(np.append(q, [0.0] * (len(outcomes) - len(q))), 0)
        chances = weights / weights.sum()

        def sampler(size, rng, chances=chances):
            return rng.choice(outcomes, p=chances, size=size)

        for seed in range(3):
            with pytest.raises(AssertionError, match="do not match"):
                assert_samples_match(sampler, law, total_variation="1/10", seed=seed)
    assert_samples_match(
        lambda size, rng: rng.choice(outcomes[:-1], p=[float(law.prob(x)) for x in law], size=size),
        law,
        total_variation="1/10",
        seed=1,
    )


def test_neighbours_that_trade_mass_are_seen_in_the_middle_of_a_wide_law():
    """Odd outcomes only: no tail and no cell of many outcomes shows it."""
    law = Binomial(10**4, "1/2")
    with pytest.raises(AssertionError, match=r"G-test with \d{3} cells"):
        assert_samples_match(lambda size, rng: rng.binomial(10**4, 0.5, size) | 1, law, total_variation="2/5", seed=1)


def test_a_law_of_one_outcome():
    assert samples_needed(Binomial(3, 1), total_variation="1/2", power="3/4") == 3
    assert 1 - Fraction(1, 2) ** 3 >= Fraction(3, 4)


REFUSED = [
    ({"law": 3}, errors.InvalidValueError, "law has the type int"),
    ({"law": Binomial(10**9, "1/2")}, errors.TooLargeError, "has more than 1024 likely outcomes, too many for a cell"),
    ({"total_variation": 0}, errors.InvalidValueError, "total_variation=0 is no difference. Pass a number above 0."),
    ({"total_variation": "1e-12"}, errors.TooLargeError, "needs more than 2^50 draws. Ask for a larger difference."),
    ({"power": 1}, errors.InvalidValueError, "power=1 is beyond every number of draws."),
    ({"power": 0.99}, errors.InexactNumberError, "power=0.99 is a float"),
    ({"false_alarm": 0}, errors.InvalidValueError, "false_alarm=0 is not between 0 and 1. Write 1e-9."),
]


@pytest.mark.parametrize(("given", "error", "said"), REFUSED, ids=[str(k) for k in range(len(REFUSED))])
def test_bad_input_is_refused(given, error, said):
    asked = {"law": DIE, "total_variation": "1/10"} | given
    with pytest.raises(error) as raised:
        samples_needed(asked.pop("law"), **asked)
    assert said in str(raised.value)
