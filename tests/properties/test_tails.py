"""Random tails of every law with exact values, against those values: counted, seeded, and no miss is allowed."""

from fractions import Fraction
from random import Random

import pytest

from exactdp import Binomial
from exactdp.laws.binomial_sum import BinomialSum
from exactdp.laws.discrete_gaussian import DiscreteGaussian
from exactdp.laws.discrete_laplace import DiscreteLaplace
from exactdp.laws.negative_binomial import Geometric, NegativeBinomial
from exactdp.laws.poisson import Poisson

BITS = (1, 24, 53, 53, 53, 200)
BLOCK = 10**5


def random_probability(rng):
    """Inside (0, 1): a simple one, or a very small one, or 1 less that."""
    if rng.random() < 0.6:
        denominator = rng.randint(2, 50)
        return Fraction(rng.randint(1, denominator - 1), denominator)
    small = Fraction(rng.randint(1, 9), 10 ** rng.choice((2, 3, 6, 12, 30)))
    return small if rng.random() < 0.5 else 1 - small


def random_size(rng):
    """A number of trials: mostly small, at times up to 2000."""
    return rng.randint(0, rng.choice((3, 30, 100, 100, 300, 300, 300, 2000)))


def random_case(rng):
    """A law and an outcome: anywhere in the law, around its middle, or at an end and beyond."""
    kind = rng.choice(("binomial",) * 4 + ("sum",) * 2 + ("negative", "negative", "geometric", "laplace"))
    if kind == "binomial":
        n = random_size(rng)
        law, reach = Binomial(n, rng.choice((0, 1)) if rng.random() < 0.02 else random_probability(rng)), (-2, n + 2)
    elif kind == "sum":
        n1, n2 = rng.randint(0, 60), rng.randint(0, rng.choice((5, 60, 200)))
        p1 = Fraction(rng.choice((0, 1))) if rng.random() < 0.1 else random_probability(rng)
        law, reach = BinomialSum(n1, p1, n2, random_probability(rng)), (-2, n1 + n2 + 2)
    elif kind == "negative":
        law, reach = NegativeBinomial(rng.choice((1, 2, 9, 30, 301, 400)), random_probability(rng)), (-2, 300)
    elif kind == "geometric":
        law, reach = Geometric(random_probability(rng)), (-2, 300)
    else:
        law, reach = DiscreteLaplace(1 / random_probability(rng)), (-300, 300)
    where = rng.random()
    if where < 0.5:
        k = rng.randint(*reach)
    elif where < 0.9:
        k = int(law.mean) + rng.randint(-8, 8) * (1 + int(float(law.variance) ** 0.5)) // 2
        k = min(max(k, reach[0]), reach[1])
    else:
        k = rng.choice(reach) + rng.randint(-3, 3)
    return law, k


def agrees(interval, exact, bits):
    """Whether the interval contains the exact value and is as narrow as promised."""
    return interval.lo <= exact <= interval.hi and (interval.hi - interval.lo) * 2**bits <= exact


def misses(seed, count, *, offset=0):
    """Draw ``count`` tails; return those whose enclosure and exact value, at k + ``offset``, do not agree."""
    rng, found = Random(seed), []
    for _ in range(count):
        law, k = random_case(rng)
        bits, name = rng.choice(BITS), rng.choice(("cdf", "sf"))
        interval = getattr(law, name)(k, relative_bits=bits)
        exact = getattr(law, f"exact_{name}")(k + offset)
        if not agrees(interval, exact, bits):
            found.append((law, name, k, bits))
    return found


def test_hundreds_of_random_tails():
    """A thousand tails: one enclosure each, of a random law, side, outcome and accuracy."""
    assert misses("tails", 1000) == []


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_a_million_random_tails(block):
    """10^6 tails in ten blocks, twenty to forty minutes on one core. No miss is allowed.

    Run it by hand: ``python -m pytest tests/properties/test_tails.py -m slow`` (one block: add ``-k "tails[3]"``).
    """
    assert misses(f"block {block}", BLOCK) == []


def test_a_thousand_random_weights():
    """10^3 single weights: the same draws, for pmf."""
    rng, found = Random("weights"), []
    for _ in range(1000):
        law, k = random_case(rng)
        bits = rng.choice(BITS)
        if not agrees(law.pmf(k, relative_bits=bits), law.exact_pmf(k), bits):
            found.append((law, k, bits))
    assert found == []


def test_the_count_fails_when_it_should():
    """Exact values of the next outcome miss nearly everywhere: not beyond the ends, nor where the tail is almost 1."""
    assert len(misses("off by one", 300, offset=1)) > 150


def test_the_comparison_fails_for_a_slightly_different_parameter():
    near = Fraction(1, 3) + Fraction(1, 10**14)
    for law, other in (
        (Binomial(50, "1/3"), Binomial(50, near)),
        (BinomialSum(20, "1/3", 30, "1/2"), BinomialSum(20, near, 30, "1/2")),
        (NegativeBinomial(5, "1/3"), NegativeBinomial(5, near)),
        (Geometric("1/3"), Geometric(near)),
        (DiscreteLaplace(3), DiscreteLaplace(1 / near)),
    ):
        for k in (1, 5, 20):
            for name in ("cdf", "sf"):
                interval = getattr(law, name)(k, relative_bits=200)
                assert agrees(interval, getattr(law, f"exact_{name}")(k), 200)
                assert not agrees(interval, getattr(other, f"exact_{name}")(k), 200)


@pytest.mark.parametrize(
    ("law", "k"),
    [
        (Binomial(10**15, "1/2"), 10**15 - 1),
        (BinomialSum(10**15, "1/1000", 10**15, "1/7"), 2 * 10**15 - 1),
        (NegativeBinomial("1/2", "1/2"), 10**12),
        (NegativeBinomial(1000, "1/2"), 10**12),
        (Geometric("1/2"), 10**12),
        (DiscreteLaplace(2), 10**12),
        (DiscreteGaussian(10**20), 10**12),
        (DiscreteGaussian("1/10000"), 0),
        (Poisson(1), 10**6),
    ],
)
def test_tails_below_1e_2000_are_positive_and_agree_with_more_precision(law, k):
    wide, narrow = (law.sf(k, relative_bits=bits) for bits in (53, 212))
    assert wide.compare(narrow) in (None, 0)  # they have a common point
    assert 0 < wide < Fraction(1, 10**2000)
    assert law.sf(k - 2) > wide
    assert law.cdf(k) > Fraction(99, 100)
