"""The sum over a multinomial view, and the head of a binomial that walks along with it."""

from fractions import Fraction
from math import comb
from time import process_time

from hypothesis import given
from hypothesis import strategies as st

from exactdp import Randomizer, ShuffleProtocol
from exactdp.privacy.shuffle.pair import PairRows, _Head, packed_masses
from exactdp.testing import exp_epsilons
from tests.expensive import one_in

WEIGHTS = st.integers(1, 9)
ROWS = st.lists(st.tuples(WEIGHTS, WEIGHTS, WEIGHTS), min_size=2, max_size=2, unique=True)
UNEVEN = Randomizer(
    {
        0: {(0,): "1/2", (1,): "1/3", (2,): "1/6"},
        1: {(0,): "1/7", (1,): "2/7", (2,): "4/7"},
    }
)


@one_in(2)
@given(WEIGHTS, WEIGHTS, st.lists(st.tuples(st.integers(0, 4), st.randoms()), max_size=8))
def test_the_head_walks(x, y, steps):
    head, m = _Head(x, y), 0
    for by, random in steps:
        m += by
        head.move_size(m)
        h = random.randint(0, m)
        low, high = random.choice([(0, h), (h, m)])
        terms = [comb(m, t) * x**t * y ** (m - t) for t in range(low, high + 1)]
        expected = sum(terms), sum(t * term for t, term in enumerate(terms, start=low))
        assert head.between(low, high) == expected


@one_in(2)
@given(ROWS, st.integers(1, 25), exp_epsilons())
def test_three_messages_against_the_whole_law(rows, n, exp_eps):
    table = {x: {(y,): Fraction(weight, sum(row)) for y, weight in enumerate(row)} for x, row in enumerate(rows)}
    pair = (n, 0), (n - 1, 1)
    profile = ShuffleProtocol(Randomizer(table), n).pair_profile({0: n}, {0: n - 1, 1: 1})
    forward, backward = packed_masses(PairRows.of(Randomizer(table), *pair), (exp_eps.numerator, exp_eps.denominator))
    assert profile.delta(exp_eps=exp_eps) == max(0, *(p - exp_eps * q for p, q in (forward, backward)))


def test_thousands_of_users_with_three_messages_take_seconds_and_say_how_far_they_are():
    seen, n = [], 1500
    profile = ShuffleProtocol(UNEVEN, n).pair_profile({0: n}, {0: n - 1, 1: 1})
    began = process_time()
    assert 0 < profile.delta(exp_eps="21/20", progress=lambda done, total: seen.append((done, total))) < 1
    assert process_time() - began < 3  # 0.3 s; 154 s at n = 5000 before, and now 5
    assert seen[-1] == (n + 1, n + 1)
