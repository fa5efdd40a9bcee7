"""What the samplers refuse, word for word."""

from fractions import Fraction

import numpy as np
import pytest

import exactdp as xdp
from exactdp import AdditiveProtocol, Law, Real, ShuffleProtocol, errors, protocols
from exactdp.sampling import sample, sample_blocks, shuffled_messages, simulate
from exactdp.testing.tallies import tally
from tests.together import together

FLIP = ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 10)
BINS = protocols.histogram(10, 3, gamma="1/2")
RNG = np.random.default_rng(1)
FLOAT = "Round it to a multiple of 2^-53, or take the nearest float: nearest=True, or --nearest."


def draw(protocol=FLIP, dataset=(0,) * 10, *, size=3, rng=RNG, **more):
    return sample(protocol, dataset, size=size, rng=rng, **more)


def noise(law, **more):
    return draw(AdditiveProtocol(law), [], **more)


MESSAGES = [
    # sizes
    (lambda: draw(size=-1), errors.InvalidValueError, "size=-1 is below 0. Pass size of at least 0."),
    (
        lambda: draw(size=1.5),
        errors.InexactNumberError,
        (
            "size=1.5 is a float and has been rounded already. Pass an int, a Fraction, a Decimal or a string: "
            '"1.5" for the decimal number, "p/q" for a ratio.'
        ),
    ),
    (lambda: draw(size=True), errors.InexactNumberError, "size=True is a bool, not a number. Pass 1 if you mean it."),
    (
        lambda: draw(size=10**8),
        errors.TooLargeError,
        (
            "size=100000000 draws of 2 counts are more than the limit of 50000000 counts. "
            "Use sample_blocks, which yields them block by block."
        ),
    ),
    (
        lambda: sample_blocks(FLIP, [0] * 10, size=3, rng=RNG, block=0),
        errors.InvalidValueError,
        "block=0 is below 1. Pass block of at least 1.",
    ),
    # generators
    (
        lambda: draw(rng=np.random.RandomState(1)),
        errors.InvalidValueError,
        "rng has the type RandomState, without a seed sequence. Pass numpy.random.default_rng(seed).",
    ),
    (
        lambda: draw(rng=1),
        errors.InvalidValueError,
        "rng has the type int, without a seed sequence. Pass numpy.random.default_rng(seed).",
    ),
    (
        lambda: sample_blocks(FLIP, [0] * 10, size=3, rng=None),
        errors.InvalidValueError,
        "rng has the type NoneType, without a seed sequence. Pass numpy.random.default_rng(seed).",
    ),
    (
        lambda: simulate(FLIP, [0] * 10, size=3, rng=np.random),
        errors.InvalidValueError,
        "rng has the type module. Pass numpy.random.default_rng(seed).",
    ),
    (
        lambda: shuffled_messages(FLIP, [0] * 10, rng=1),
        errors.InvalidValueError,
        "rng has the type int. Pass numpy.random.default_rng(seed).",
    ),
    # protocols
    (
        lambda: draw(FLIP.randomizer),
        errors.InvalidValueError,
        "protocol has the type Randomizer. Pass a ShuffleProtocol or an AdditiveProtocol.",
    ),
    (
        lambda: simulate(BINS, [0] * 10, size=3, rng=RNG),
        errors.InvalidValueError,
        "protocol has the type AdditiveProtocol. Pass a ShuffleProtocol: its randomizer runs per user.",
    ),
    (
        lambda: draw(ShuffleProtocol(FLIP.randomizer, 2**53 + 1), {0: 2**53 + 1}),
        errors.TooLargeError,
        "the data set has 9007199254740993 users, more than the limit of 2^53. Use fewer.",
    ),
    (
        lambda: draw(ShuffleProtocol(protocols.gap_randomizer(), 2**52), {0: 2**52}),
        errors.TooLargeError,
        "18014398509481984 messages of one kind are more than the limit of 2^53. Use fewer users.",
    ),
    # data sets
    (
        lambda: draw(dataset=[0] * 9),
        errors.InvalidDataSetError,
        "the data set has 9 users, but the protocol has n=10. Give one input for each user.",
    ),
    (
        lambda: draw(dataset={2: 10}),
        errors.InvalidDataSetError,
        "the data set holds the unknown input 2. The inputs are 0, 1.",
    ),
    (
        lambda: draw(dataset={0: -1, 1: 11}),
        errors.InvalidDataSetError,
        "the count of 0 is -1, below 0. Give counts of at least 0.",
    ),
    (
        lambda: draw(dataset={0: 10.0}),
        errors.InexactNumberError,
        (
            "dataset[0]=10.0 is a float and has been rounded already. Pass an int, a Fraction, a Decimal or a string: "
            '"10.0" for the decimal number, "p/q" for a ratio.'
        ),
    ),
    (
        lambda: draw(dataset=5),
        errors.InvalidDataSetError,
        "a data set cannot be of the type int. Pass the inputs one by one, or {input: users}.",
    ),
    (
        lambda: draw(dataset=np.array([-1, 11])),
        errors.InvalidDataSetError,
        "the count of 0 is -1, below 0. Give counts of at least 0.",
    ),
    (
        lambda: draw(dataset=np.array([5, 4])),
        errors.InvalidDataSetError,
        "the data set has 9 users, but the protocol has n=10. Give counts that sum to n.",
    ),
    (
        lambda: draw(dataset=np.array([5.0, 5.0])),
        errors.InvalidDataSetError,
        "the array of counts has the shape (2,) and the type float64. Give 2 integers: the users of each input.",
    ),
    (
        lambda: draw(BINS, np.array([5, 5])),
        errors.InvalidDataSetError,
        "the array of counts has the shape (2,) and the type int64. Give 3 integers: the users of each input.",
    ),
    (
        lambda: draw(BINS, np.array([2**63, 2**63, 10], np.uint64)),
        errors.TooLargeError,
        "the data set has 9223372036854775808 users, more than the limit of 2^53. Use fewer.",
    ),
    (
        lambda: draw(AdditiveProtocol(xdp.Binomial(1, 1), shift=10**6), {10**6: 2**50}),
        errors.TooLargeError,
        "the records sum to 1125899906842624000000, more than the limit of 2^53. Use fewer users.",
    ),
    (
        lambda: draw(AdditiveProtocol(xdp.Binomial(1, 1), bins=2), {0: 2**70}),
        errors.TooLargeError,
        "the data set has 1180591620717411303424 users, more than the limit of 2^53. Use fewer.",
    ),
    # users one by one
    (
        lambda: simulate(FLIP, [0] * 10, size=10**7 + 1, rng=RNG),
        errors.TooLargeError,
        "size=10000001 draws of n=10 users are more than the limit of 100000000. Use sample.",
    ),
    (
        lambda: shuffled_messages(ShuffleProtocol(FLIP.randomizer, 10**9), {0: 10**9}, rng=RNG),
        errors.TooLargeError,
        "n=1000000000 is more than the limit of 100000000 users. Use sample.",
    ),
    (
        lambda: simulate(
            ShuffleProtocol(xdp.randomized_response(2, gamma=Fraction(1, 3**50)), 1), [0], size=1, rng=RNG
        ),
        errors.TooLargeError,
        "a row has a denominator of 81 bits, more than the limit of 63. Use sample.",
    ),
    # parameters
    (
        lambda: noise(xdp.Binomial(9, "1/3")),
        errors.InvalidValueError,
        f"p=1/3 of Binomial(9, '1/3') is not a float, so that the noise drawn is not this law's. {FLOAT}",
    ),
    (
        lambda: noise(xdp.BinomialSum(9, "1/2", 9, "1/3")),
        errors.InvalidValueError,
        (
            "p2=1/3 of BinomialSum(9, '1/2', 9, '1/3') is not a float, so that the noise drawn is not this law's. "
            f"{FLOAT}"
        ),
    ),
    (
        lambda: noise(xdp.Geometric(Real.exp(-1))),
        errors.InvalidValueError,
        f"p=e^(-1) of Geometric(Real[e^(-1)]) is not a float, so that the noise drawn is not this law's. {FLOAT}",
    ),
    (
        lambda: noise(xdp.DiscreteLaplace(3)),
        errors.InvalidValueError,
        f"1/exp_eps=1/3 of DiscreteLaplace('3') is not a float, so that the noise drawn is not this law's. {FLOAT}",
    ),
    (
        lambda: noise(xdp.NegativeBinomial(1, 1 - Fraction(1, 10**30)), nearest=True),
        errors.InvalidValueError,
        (
            "p=999999999999...(30 digits)/100000000000...(31 digits) of NegativeBinomial('1', "
            "'999999999999...(30 digits)/100000000000...(31 digits)') is no float, and the nearest is 1, where this is "
            "another law. Use a parameter that is farther from it."
        ),
    ),
    (
        lambda: noise(xdp.DiscreteGaussian(Fraction(1, 10**400)), nearest=True),
        errors.InvalidValueError,
        (
            "sigma_squared=1/100000000000...(401 digits) of DiscreteGaussian('1/100000000000...(401 digits)') is no "
            "float, and the nearest is 0, where this is another law. Use a parameter that is farther from it."
        ),
    ),
    (
        lambda: noise(xdp.Binomial(2**53 + 1, "1/2")),
        errors.TooLargeError,
        "Binomial(9007199254740993, '1/2') has n=9007199254740993, more than the limit of 2^53. Use fewer users.",
    ),
    (
        lambda: noise(xdp.Poisson(10**20)),
        errors.TooLargeError,
        "Poisson('100000000000000000000') has the mean 1e+20, more than the limit of 2^53. Use less noise.",
    ),
    (
        lambda: noise(xdp.DiscreteGaussian(2**110)),
        errors.TooLargeError,
        (
            "DiscreteGaussian('129807421463...(34 digits)') has the variance 1.3e+33, more than the limit of 2^106. "
            "Use less noise."
        ),
    ),
    (
        lambda: noise(Law({0: 1 - Fraction(1, 3**41), 1: Fraction(1, 3**41)})),
        errors.InvalidValueError,
        (
            "the noise has a denominator of 65 bits, more than the 63 that are drawn exactly. Take the law with the "
            "nearest floats: nearest=True, or --nearest."
        ),
    ),
    (
        lambda: noise(Law({0: "1/2", 2**60: "1/2"})),
        errors.TooLargeError,
        "the noise can be 1152921504606846976, beyond the limit of 2^53. Use less noise.",
    ),
    # samplers of other people
    (
        lambda: tally(lambda size, rng: rng.random(size), size=3, seed=1),
        errors.InvalidValueError,
        (
            "the sampler returned an array of the shape (3,) and the type float64. Return integers, one outcome in "
            "each entry or row."
        ),
    ),
    (
        lambda: tally(lambda size, rng: np.zeros((2, 2, 2), int), size=3, seed=1),
        errors.InvalidValueError,
        (
            "the sampler returned an array of the shape (2, 2, 2) and the type int64. Return integers, one outcome in "
            "each entry or row."
        ),
    ),
]


@together(("call", "error", "message"), MESSAGES, ids=[str(k) for k in range(len(MESSAGES))])
def test_the_message(call, error, message):
    with pytest.raises(errors.ExactDPError) as raised:
        call()
    assert (type(raised.value), str(raised.value)) == (error, message)


def test_a_refusal_leaves_the_generator_as_it_was():
    used, fresh = np.random.default_rng(5), np.random.default_rng(5)
    for call in (lambda: draw(size=10**9, rng=used), lambda: draw(dataset=[0], rng=used)):
        with pytest.raises(errors.ExactDPError):
            call()
    assert (draw(rng=used) == draw(rng=fresh)).all()


def test_tallies():
    assert tally(lambda size, rng: np.array([[1, 2], [0, 3], [1, 2]]), size=3, seed=1) == {(1, 2): 2, (0, 3): 1}
    assert tally(lambda size, rng: np.array([[5], [5]], np.uint8), size=2, seed=1) == {5: 2}
    assert tally(lambda size, rng: ["a", "b", "a"], size=3, seed=1) == {"a": 2, "b": 1}
    assert all(type(key) is int for key in tally(lambda size, rng: rng.integers(9, size=size), size=99, seed=1))
