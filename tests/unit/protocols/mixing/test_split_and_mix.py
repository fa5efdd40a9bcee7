"""Split and mix: its views against all shares of all users, and its bound against exact distances."""

from fractions import Fraction
from itertools import product

import pytest

import exactdp as xdp
from exactdp import protocols
from exactdp.bounds import (
    component_colourings,
    published_split_and_mix_distance,
    published_split_and_mix_messages,
    split_and_mix_distance,
    split_and_mix_excess,
    split_and_mix_messages,
)
from exactdp.errors import HypothesisError, InvalidDataSetError, InvalidValueError, TooLargeError
from exactdp.protocols.mixing.parity_views import parity_slope
from exactdp.protocols.mixing.split_and_mix_privacy import NoisySplitAndMix
from tests.oracles.shares import chi_squared, distance, same_sum, simulated, view
from tests.together import together

SIZES = [(2, 2, 3), (3, 2, 3), (2, 3, 3), (3, 3, 2), (2, 4, 3), (4, 2, 3)]
"""n, q, m."""


@pytest.mark.parametrize(("n", "q", "m"), SIZES)
def test_the_law_counts_all_shares(n, q, m):
    protocol = protocols.split_and_mix(n, modulus=q, messages=m)
    for inputs in product(range(q), repeat=n):
        law = view(inputs, q, m)
        assert dict(protocol.law(inputs).items()) == {
            tuple(seen.count(value) for value in range(q)): chance for seen, chance in law.items()
        }
        assert {protocol.estimate([seen.count(value) for value in range(q)]) for seen in law} == {sum(inputs) % q}


@pytest.mark.parametrize(("n", "q", "m"), SIZES)
def test_distances_are_those_of_all_inputs(n, q, m):
    protocol = protocols.split_and_mix(n, modulus=q, messages=m)
    worst = average = simulator = average_simulator = Fraction(0)
    for s in range(q):
        members = same_sum(n, q, s)
        for x in members:
            to_uniform = distance(view(x, q, m), simulated(n, q, m, s))
            simulator, average_simulator = max(simulator, to_uniform), average_simulator + to_uniform / q**n
            for y in members:
                apart = distance(view(x, q, m), view(y, q, m))
                assert protocol.total_variation(x, y) == apart
                worst, average = max(worst, apart), average + apart / q**n / len(members)
    distances = protocol.distances()
    assert (distances.worst, distances.simulator) == (worst, simulator)
    assert (distances.average, distances.average_simulator) == (average, average_simulator)
    assert protocol.total_variation(distances.first, distances.second) == worst


@pytest.mark.parametrize("separate", [False, True])
@pytest.mark.parametrize(("n", "q", "m"), [(2, 2, 3), (3, 2, 3), (2, 3, 3), (2, 3, 4), (3, 3, 2)])
def test_components_are_the_mean_square(n, q, m, separate):
    """For equal inputs chi^2 is E[q^(C-1)] - 1, and so is its mean over uniform inputs in the average case."""
    excess = component_colourings(n, modulus=q, messages=m, separate=separate) / q - 1
    assert chi_squared((0,) * n, q, m, separate=separate) == excess
    one_more = component_colourings(n, modulus=q, messages=m + 1, separate=separate) / q - 1
    assert excess not in (excess * q + q - 1, one_more)  # neither q^C, nor a message more
    everywhere = [chi_squared(x, q, m, separate=separate) for x in product(range(q), repeat=n)]
    assert max(everywhere) == excess
    mean = component_colourings(n, modulus=q, messages=m, average=True, separate=separate) / q - 1
    assert sum(everywhere) / q**n == mean


@pytest.mark.parametrize(("n", "q", "m"), [(2, 2, 3), (5, 2, 3), (6, 2, 4), (3, 3, 3), (3, 4, 3)])
def test_the_bound_is_above_the_distances_and_near(n, q, m):
    protocol = protocols.split_and_mix(n, modulus=q, messages=m)
    exact = protocol.distances()
    for value, bound in (
        (exact.worst, protocol.distance_bound()),
        (exact.simulator, protocol.distance_bound(simulator=True)),
        (exact.average, protocol.distance_bound(average=True)),
        (exact.average_simulator, protocol.distance_bound(average=True, simulator=True)),
    ):
        assert value <= bound.hi < 4 * value
        separate = split_and_mix_distance(n, modulus=q, messages=m, separate=True)
        assert bound.hi < separate.hi


def test_bits_by_one_generating_function_at_many_users():
    protocol = protocols.split_and_mix(2000, modulus=2, messages=3)
    exact = protocol.total_variation({0: 2000}, {1: 2000})
    assert exact == protocol.total_variation([1] * 2000, [0] * 2000)
    assert Fraction(29, 100) ** 2 < exact**2 * 2000 < Fraction(3, 10) ** 2  # it falls like the root of 1/n
    assert exact <= protocol.distance_bound().lo < 2 * exact
    assert protocol.total_variation({0: 1000, 1: 1000}, {0: 998, 1: 1002}) < exact / 200


def test_two_messages_show_more_and_more():
    apart = [
        protocols.split_and_mix(n, modulus=2, messages=2).total_variation({0: n}, {1: n}) for n in (2, 20, 200, 1000)
    ]
    assert apart == sorted(apart)
    assert apart[-1] > Fraction(97, 100)


def test_at_a_million_users():
    bound = split_and_mix_distance(10**6, modulus=2**32, messages=10)
    assert Fraction(88, 10**23) < bound.lo <= bound.hi < Fraction(89, 10**23)
    assert bound.hi - bound.lo < bound.lo / 2**20
    facts = split_and_mix_excess(10**6, modulus=2**32, messages=10, separate=True)
    assert abs(facts.lo * 10**48 / (2**32 - 1) - 1) < Fraction(1, 10**5)  # isolated points are nearly all


@pytest.mark.parametrize("regime", [{}, {"average": True}, {"simulator": True}, {"separate": True}], ids=str)
@pytest.mark.parametrize(("n", "q", "sigma"), [(2, 3, 9), (50, 2, 10), (10**4, 2**32, 40)])
def test_the_least_number_of_messages(n, q, sigma, regime):
    least = split_and_mix_messages(n, modulus=q, sigma=sigma, **regime)
    assert split_and_mix_distance(n, modulus=q, messages=least, **regime) <= Fraction(1, 2**sigma)
    if least > 3:
        assert split_and_mix_distance(n, modulus=q, messages=least - 1, **regime) > Fraction(1, 2**sigma)


def test_published_numbers():
    assert published_split_and_mix_messages(10**4, modulus=2**32, sigma=40) == 12
    assert published_split_and_mix_messages(10**4, modulus=2**32, sigma=40, average=True) == 11
    average = published_split_and_mix_distance(100, modulus=4, messages=3, average=True)
    assert Fraction(543656, 10**7) < average < Fraction(543657, 10**7)  # 2 e / 100
    worst = published_split_and_mix_distance(100, modulus=4, messages=4)
    assert worst.lo / 2 <= average.hi
    assert average.lo <= worst.hi / 2


@together("n", [19, 100, 10**5])
@together("average", [False, True])
@together(("q", "m"), [(2, 4), (2**16, 9), (2**32, 16)])
def test_published_numbers_hold_where_computed(n, average, q, m):
    ours = split_and_mix_distance(n, modulus=q, messages=m, average=average)
    assert ours <= published_split_and_mix_distance(n, modulus=q, messages=m, average=average)


def test_a_single_user_shows_his_sum_only():
    assert split_and_mix_distance(1, modulus=7, messages=3) == split_and_mix_distance(1, modulus=2, messages=9)
    assert split_and_mix_distance(1, modulus=7, messages=3).hi == 0


@pytest.mark.parametrize("messages", [2, 3, 4])
@pytest.mark.parametrize("users", [3, 4, 5, 9])
def test_the_worst_bits_are_the_worst_of_all_pairs(users, messages):
    protocol = protocols.split_and_mix(users, modulus=2, messages=messages)
    apart = {
        (a, b): protocol.total_variation({0: users - a, 1: a}, {0: users - b, 1: b})
        for a in range(users + 1)
        for b in range(a, users + 1, 2)
    }
    assert protocol.worst_pair().distance == max(apart.values())
    slope, rest = parity_slope(users, messages)
    assert all(distance <= (b - a) * slope + rest for (a, b), distance in apart.items())


def test_the_bound_of_pairs_needs_its_second_term():
    slope, rest = parity_slope(7, 3)
    apart = protocols.split_and_mix(7, modulus=2, messages=3).total_variation({0: 7}, {0: 3, 1: 4})
    assert 4 * slope < apart <= 4 * slope + rest


@pytest.mark.parametrize(("n", "exp_eps"), [(2, "3/2"), (2, 3), (3, "3/2")])
def test_noisy_inputs_are_as_private_as_the_theorem_says(n, exp_eps):
    """Bits and a coin for each user, modulo a number that no sum reaches: all views of all data sets."""
    q, m = 2 * n + 1, 2
    rows = {}
    for x in (0, 1):
        sent = [(share, (x + coin - share) % q) for share in range(q) for coin in (0, 1)]
        rows[x] = dict.fromkeys(sent, Fraction(1, 2 * q))
    exact = xdp.ShuffleProtocol(xdp.Randomizer(rows), n).privacy_profile().delta(exp_eps=exp_eps)
    noisy_sum = xdp.shift_profile(xdp.Binomial(n, "1/2"))
    eta = protocols.split_and_mix(n, modulus=q, messages=m).distances().simulator
    whole = NoisySplitAndMix(noisy_sum, xdp.Interval.around(eta, relative_bits=60))
    central = noisy_sum.delta(exp_eps=exp_eps)
    assert central < exact <= whole.delta(exp_eps=exp_eps).hi
    stated = min(Fraction(1), central + (1 + Fraction(exp_eps)) * eta)
    assert whole.delta(exp_eps=exp_eps).lo <= stated <= whole.delta(exp_eps=exp_eps).hi


def test_the_whole_with_noise_at_many_users():
    noise = xdp.shift_profile(xdp.DiscreteLaplace("exp(1/100)"), shift=100)
    whole = protocols.split_and_mix(10**4, modulus=2**32, messages=9).with_noise(noise)
    eta = whole.simulator_distance
    assert 2 * eta.hi < protocols.split_and_mix(10**4, modulus=2**32, messages=9).distance_bound().hi * Fraction(3, 2)
    assert 3 * eta.lo < whole.delta(eps=1).lo < whole.delta(eps=1).hi < 4 * eta.hi  # without noise's delta, 1 + e
    eps = whole.epsilon("1e-9")
    assert noise.epsilon("1e-9").lo < eps.enclose().lo < Fraction(1000001, 1000000)
    assert whole.delta(exp_eps=eps.argument) <= Fraction(1, 10**9)
    assert protocols.split_and_mix(1, modulus=7, messages=3).with_noise(noise).delta(eps=1).hi == 0


@together(
    ("call", "error", "words"),
    [
        (lambda: protocols.split_and_mix(0, modulus=2, messages=3), InvalidValueError, "n=0 is below 1"),
        (lambda: protocols.split_and_mix(2, modulus=1, messages=3), InvalidValueError, "modulus=1 is below 2"),
        (lambda: protocols.split_and_mix(2, modulus=2, messages=1), InvalidValueError, "messages=1 is below 2"),
        (
            lambda: protocols.split_and_mix(2, modulus=3, messages=3).with_noise(1),
            InvalidValueError,
            "the type int. Pass",
        ),
        (
            lambda: (
                protocols.split_and_mix(99, modulus=9, messages=3)
                .with_noise(xdp.shift_profile(xdp.DiscreteLaplace(2)))
                .epsilon("1/100")
            ),
            HypothesisError,
            "Use more messages, or a larger delta",
        ),
        (lambda: protocols.split_and_mix(2, modulus=64, messages=3).law([0, 0]), TooLargeError, "more than 65536 entr"),
        (lambda: protocols.split_and_mix(9, modulus=9, messages=2).distances(), TooLargeError, "Ask for one pair, or"),
        (lambda: protocols.split_and_mix(2, modulus=10**7, messages=2).estimate({}), TooLargeError, "10000000 are not"),
        (
            lambda: protocols.split_and_mix(2, modulus=3, messages=2).estimate([1]),
            InvalidValueError,
            "has 1 entries for",
        ),
        (lambda: protocols.split_and_mix(1400, modulus=2, messages=3).worst_pair(), TooLargeError, "is one of "),
        (
            lambda: protocols.split_and_mix(9000, modulus=2, messages=4).worst_pair(),
            TooLargeError,
            "send more shares than",
        ),
        (lambda: protocols.split_and_mix(2, modulus=2, messages=3).law([0]), InvalidDataSetError, "has 1 users"),
        (lambda: protocols.split_and_mix(2, modulus=2, messages=3).records, InvalidValueError, "are not listed"),
        (
            lambda: protocols.split_and_mix(10**6, modulus=2, messages=3).total_variation({0: 10**6}, {1: 10**6}),
            TooLargeError,
            "Use fewer users, or the bound",
        ),
        (lambda: split_and_mix_distance(9, modulus=2, messages=2), HypothesisError, "needs m >= 3 in the worst case"),
        (lambda: split_and_mix_messages(1, modulus=2, sigma=9), HypothesisError, "A single user is his sum"),
        (lambda: split_and_mix_messages(9, modulus=2, sigma=5000), TooLargeError, "sigma=5000 is more than"),
        (lambda: split_and_mix_messages(2, modulus=2, sigma=2000), TooLargeError, "more than 1000 messages"),
        (lambda: published_split_and_mix_messages(18, modulus=2, sigma=9), HypothesisError, "needs n >= 19"),
        (
            lambda: published_split_and_mix_distance(19, modulus=2, messages=3),
            HypothesisError,
            "needs m >= 4, but messages=3",
        ),
    ],
)
def test_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()
