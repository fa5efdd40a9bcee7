"""`assert_samples_match`: right samplers pass, wrong ones are named, and the bounds behind it hold for every size."""

import itertools
import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from exactdp import Binomial, BinomialSum, DiscreteLaplace, Geometric, Law, Poisson, errors
from exactdp.testing import assert_samples_match
from exactdp.testing.g_tests import multinomial_tail_bound
from tests.together import together

COIN = Binomial(100, "1/2")
DICE = Law({(a, b): "1/36" for a in range(1, 7) for b in range(1, 7)})


def coin(p=0.5, n=100):
    return lambda size, rng: rng.binomial(n, p, size)


def dice(size, rng):
    return rng.integers(1, 7, (size, 2))


def refusal(sampler, law=COIN, *, size=10**4, **more):
    with pytest.raises(AssertionError) as raised:
        assert_samples_match(sampler, law, size=size, seed=1, **more)
    return str(raised.value)


# --- The bound of the G-test -----------------------------------------------------------------------------------------


def multinomials(n, p):
    """Every vector of counts, with its probability."""
    for counts in itertools.product(range(n + 1), repeat=len(p)):
        if sum(counts) == n:
            ways = math.factorial(n) // math.prod(map(math.factorial, counts))
            yield counts, float(ways * math.prod(q**c for q, c in zip(p, counts, strict=True)))


def relative_entropy(counts, p):
    n = sum(counts)
    return sum(c * math.log(c / (n * q)) for c, q in zip(counts, p, strict=True) if c)


LAWS = [
    [Fraction(1, 2), Fraction(1, 2)],
    [Fraction(1, 100), Fraction(99, 100)],
    [Fraction(1, 3)] * 3,
    [Fraction(1, 50), Fraction(2, 50), Fraction(47, 50)],
    [Fraction(1, 10), Fraction(2, 10), Fraction(3, 10), Fraction(4, 10)],
]


@together("n", [1, 2, 5, 11])
@together("p", LAWS, ids=lambda p: "-".join(map(str, p)))
def test_the_bound_of_the_g_test_holds_for_every_multinomial(p, n):
    """P[n KL >= t] at every attained t, by enumeration, is at most the bound."""
    found = sorted(((relative_entropy(c, p), q) for c, q in multinomials(n, p)), reverse=True)
    tail = 0.0
    for t, q in found:
        tail += q
        assert math.log(tail) <= float(multinomial_tail_bound(Fraction(t) - Fraction(1, 10**9), len(p))) + 1e-9


@together("n", [1, 2, 5, 11])
@together("p", LAWS, ids=lambda p: "-".join(map(str, p)))
def test_the_moment_generating_function_behind_the_bound(p, n):
    for s in (0.1, 0.5, 0.9, 0.99):
        mean = sum(q * math.exp(s * relative_entropy(c, p)) for c, q in multinomials(n, p))
        assert mean <= (1 - s) ** -(len(p) - 1) * (1 + 1e-9)


def test_the_bound_is_the_one_stated():
    for t, cells in ((5, 3), (40, 16), (1000, 256)):
        k = cells - 1
        bound = multinomial_tail_bound(Fraction(t), cells)
        stated = k * (1 + math.log(t / k)) - t
        assert float(bound.lo) == pytest.approx(stated, rel=1e-12)
    assert multinomial_tail_bound(Fraction(1), 3) == multinomial_tail_bound(Fraction(2), 3)  # 1, up to the mean


# --- Right samplers pass ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 10, 1000, pytest.param(10**5, marks=pytest.mark.slow)])
def test_a_right_sampler_passes_at_every_size(size):
    for seed in range(3 if size > 1000 else 1):
        assert_samples_match(coin(), COIN, size=size, seed=seed)
        assert_samples_match(coin(), COIN.law(), size=size, seed=seed)
        assert_samples_match(dice, DICE, size=size, seed=seed)


@pytest.mark.slow
def test_the_false_alarm_of_right_samplers_is_below_what_is_asked_for():
    """With one false alarm in two allowed, 200 right samplers fail at most 140 times, but for a chance below 1e-8."""
    failed = 0
    for seed in range(200):
        try:
            assert_samples_match(coin(0.25, 4), Binomial(4, "1/4"), size=60, seed=seed, false_alarm="1/2")
        except AssertionError:
            failed += 1
    assert Binomial(200, "1/2").sf(140) < Fraction(1, 10**8)
    assert 0 < failed <= 140  # a few do fail: the statistics are compared with their levels


@pytest.mark.parametrize(
    ("sampler", "law"),
    [
        (lambda size, rng: rng.binomial(10**9, 0.25, size), Binomial(10**9, "1/4")),
        (lambda size, rng: rng.poisson(1000, size), Poisson(1000)),
        (lambda size, rng: rng.geometric(2**-20, (size, 1)) - 1, Geometric(1 - Fraction(1, 2**20))),
        (lambda size, rng: rng.geometric(0.5, size) - rng.geometric(0.5, size), DiscreteLaplace(2)),
        (lambda size, rng: rng.binomial(9, 0.25, size) + rng.binomial(5, 0.75, size), BinomialSum(9, "1/4", 5, "3/4")),
        (lambda size, rng: np.full(size, 3), Binomial(3, 1)),
        (lambda size, rng: np.zeros(size, np.int8), Law({0: 1})),
        (lambda size, rng: ["ab"[bit] for bit in rng.integers(2, size=size)], Law({"a": "1/2", "b": "1/2"})),
        (
            lambda size, rng: [(0,) * int(k) for k in rng.integers(3, size=size)],
            Law({(0,) * k: "1/3" for k in range(3)}),
        ),
        (lambda size, rng: np.where(rng.random(size) < 1e-6, 10**6, 0), Law({0: "0.999999", 10**6: "0.000001"})),
    ],
    ids=["binomial", "poisson", "geometric", "laplace", "sum", "constant", "point", "labels", "lengths", "rare"],
)
def test_right_samplers_of_other_laws_pass(sampler, law):
    assert_samples_match(sampler, law, size=20_000, seed=7)


# --- Wrong samplers are named ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("law", [Binomial(100, "1/8"), Binomial(100, "1/8").law()], ids=["lattice", "finite"])
@pytest.mark.parametrize("p", [0.12625, 0.12375])
def test_a_probability_off_by_one_percent_is_caught(law, p):
    assert "do not match" in refusal(coin(p), law, size=10**5)


def test_a_shift_by_one_is_caught():
    assert "0 was drawn" not in refusal(lambda size, rng: coin()(size, rng) + 1)
    assert refusal(lambda size, rng: rng.binomial(9, 0.5, size) + 1, Binomial(9, "1/2")).startswith(
        "the samples do not match the law: 10 was drawn "
    )


def test_a_g_test_names_its_statistic():
    said = refusal(lambda size, rng: 2 * rng.integers(4, size=size) % 7, Law(dict.fromkeys(range(7), "1/7")))
    assert "in a G-test with 7 cells, n KL(observed || expected) is " in said
    assert "expected below 6; so much has a probability of at most e^-" in said
    first, worst, *outcomes, power, seed = said.splitlines()
    assert first.endswith("below 2.5e-10, the share of false_alarm=1e-9.")
    assert worst == "the worst outcomes: observed, expected, by how much, and a bound of the chance of so much:"
    assert outcomes[0] == "  1: 0, expected 1428.57: 1428.57 fewer, none; at most e^-1541.51"
    assert [line.split(":")[0] for line in outcomes] == ["  1", "  3", "  5", "  6", "  0"]
    assert power.startswith("power: size=10000 draws find every law at total variation 0.0595")
    assert seed == "seed=1, the seed that was given."


def test_a_tail_event_names_its_statistic():
    """A far tail that hardly moves the cells: five draws in 10^4 ten standard deviations away."""

    def tampered(size, rng):
        drawn = coin()(size, rng)
        drawn[:5] = 99
        return drawn

    said = refusal(tampered)
    assert "n KL" not in said
    assert said.startswith("the samples do not match the law: 5 of size=10000 draws have outcome > ")
    assert " so many have a probability of at most " in said
    assert said.splitlines()[0].endswith("the share of false_alarm=1e-9.")
    assert said.splitlines()[2].startswith("  99: 5, expected 7.88861e-25: 5 more, ")


def test_too_few_draws_in_a_tail_are_caught():
    """Nothing ever falls below the lower 1 % of a law with many outcomes; the cells there are merged with others."""
    law = Binomial(10**6, "1/2")
    cut = law.quantile("1/200")

    def clipped(size, rng):
        return np.maximum(rng.binomial(10**6, 0.5, size), cut + 1)

    assert "outcome" in refusal(clipped, law, size=10**5) or "G-test" in refusal(clipped, law, size=10**5)


def test_dependent_coordinates_are_caught():
    """Each coordinate is right, and so is their sum's mean: only the joint law is wrong."""
    assert "G-test" in refusal(lambda size, rng: np.repeat(rng.integers(1, 7, (size, 1)), 2, axis=1), DICE)


def test_a_wrong_coordinate_is_named():
    law = Law({(a, 0): Fraction(math.comb(40, a), 2**40) for a in range(41)})

    def tampered(size, rng):
        drawn = np.stack([rng.binomial(40, 0.5, size), np.zeros(size, np.int64)], axis=1)
        drawn[:4, 0] = 40
        return drawn

    assert "draws have outcome[0] > " in refusal(tampered, law)


@pytest.mark.slow
def test_runs_are_named_where_there_are_too_many_outcomes():
    """The ends of the runs that are named do not overlap, and what is drawn again and again is named by itself."""

    def stuck(size, rng):
        return np.where(rng.random(size) < 0.5, 5 * 10**8 + 7, rng.binomial(10**9, 0.51, size))

    said = refusal(stuck, Binomial(10**9, "1/2"))
    assert "\n  500000007: " in said
    assert "\n  500505965 to 999999999: " in said  # the last of the runs
    assert said.splitlines()[-2] == "power: no total variation is proved to be found by size=10000 draws."


def test_coordinates_that_are_large_together_are_named():
    """Six draws in 10^4 with both coordinates 3.8 standard deviations up: rare for neither, and impossible together."""
    weights = [math.comb(40, a) for a in range(41)]
    law = Law.from_weights({(a, b): weights[a] * weights[b] for a in range(41) for b in range(41)}, 2**80)

    def tampered(size, rng):
        drawn = rng.binomial(40, 0.5, (size, 2))
        drawn[:6] = 32
        return drawn

    assert "draws have sum(outcome) > " in refusal(tampered, law)


def test_an_impossible_outcome_fails_at_once():
    assert refusal(lambda size, rng: np.full(size, 101), size=2) == (
        "the samples do not match the law: 101 was drawn 2 times, and its probability is 0.\n"
        "the worst outcomes, of 1 that the law never draws:\n"
        "  101: 2, expected 0: it has the probability 0\n"
        "seed=1, the seed that was given."
    )
    assert refusal(lambda size, rng: np.full((size, 2), 0), DICE, size=1).startswith(
        "the samples do not match the law: (0, 0) was drawn 1 times, and its probability is 0.\n"
    )


def test_a_wrong_number_of_draws_fails():
    said = refusal(lambda size, rng: np.zeros(size - 1, int), size=5)
    assert said == "the sampler returned 4 outcomes, not size=5.\nseed=1, the seed that was given."


def test_a_smaller_false_alarm_asks_for_more_evidence():
    wrong = coin(0.51)
    assert "do not match" in refusal(wrong, size=3000)
    assert_samples_match(wrong, COIN, size=3000, seed=1, false_alarm="1e-100")


# --- Bad input -------------------------------------------------------------------------------------------------------

REFUSED = [
    ({"size": None}, errors.InvalidValueError, "neither of size and total_variation given."),
    ({"total_variation": "1/10"}, errors.InvalidValueError, "both of size and total_variation given."),
    ({"size": None, "total_variation": 0}, errors.InvalidValueError, "total_variation=0 is no difference."),
    ({"seed": -1}, errors.InvalidValueError, "seed=-1 is not an integer from 0 to 2^64 - 1. Pass one, such as 1."),
    ({"law": 3}, errors.InvalidValueError, "law has the type int. Pass a Law, or Binomial, Poisson, ..."),
    ({"size": 0}, errors.InvalidValueError, "size=0 is below 1. Pass size of at least 1."),
    ({"size": 1.5}, errors.InexactNumberError, "size=1.5 is a float"),
    ({"false_alarm": 0}, errors.InvalidValueError, "false_alarm=0 is not between 0 and 1. Write 1e-9."),
    ({"false_alarm": 1}, errors.InvalidValueError, "false_alarm=1 is not between 0 and 1. Write 1e-9."),
    ({"false_alarm": 1e-9}, errors.InexactNumberError, "false_alarm=1e-09 is a float"),
    (
        {"sampler": lambda size, rng: rng.random(size)},
        errors.InvalidValueError,
        (
            "the sampler returned an array of the shape (10,) and the type float64. Return integers, one outcome in "
            "each entry or row."
        ),
    ),
    (
        {"sampler": lambda size, rng: [[0]] * size},
        errors.InvalidValueError,
        (
            "the sampler returned a list that cannot be counted: unhashable type: 'list'. Return an array of integers, "
            "or a list of outcomes."
        ),
    ),
    (
        {"sampler": lambda size, rng: None},
        errors.InvalidValueError,
        (
            "the sampler returned a NoneType that cannot be counted: 'NoneType' object is not iterable. Return an "
            "array of integers, or a list of outcomes."
        ),
    ),
    (
        {"sampler": dice},
        errors.InvalidValueError,
        "and Binomial(100, '1/2') has ints as outcomes. Return an array of shape (size,).",
    ),
]


@pytest.mark.parametrize(("given", "error", "said"), REFUSED, ids=[str(k) for k in range(len(REFUSED))])
def test_bad_input_is_refused(given, error, said):
    asked = {"sampler": coin(), "law": COIN, "size": 10, "seed": 1} | given
    with pytest.raises(error) as raised:
        assert_samples_match(**asked)
    assert said in str(raised.value)


def test_it_needs_no_hypothesis():
    code = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "from exactdp import Binomial, ExactDPError\n"
        "from exactdp.testing import assert_samples_match\n"
        "assert_samples_match(lambda size, rng: rng.binomial(9, 0.5, size), Binomial(9, '1/2'), size=9, seed=1)\n"
        "try:\n"
        "    from exactdp.testing import protocols\n"
        "except ImportError as error:\n"
        "    assert isinstance(error, ExactDPError) and error.name == 'hypothesis'\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        "exactdp.testing needs hypothesis, which is not installed. Run: pip install 'exactdp[testing]'\n"
    )


def test_the_strategies_are_still_there():
    import exactdp.testing

    assert {"protocols", "randomizers", "assert_samples_match"} <= set(dir(exactdp.testing))
    assert all(callable(getattr(exactdp.testing, name)) for name in exactdp.testing.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = exactdp.testing.nothing
