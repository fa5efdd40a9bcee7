"""The least error of the local model: against brute force, scipy, random protocols and randomized response itself."""

from fractions import Fraction
from itertools import pairwise, product
from math import comb, exp, log, prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import exactdp as xdp
from exactdp import protocols
from exactdp.errors import ExactDPError, InvalidValueError, TooLargeError
from exactdp.protocols.accuracy import local_game as games
from exactdp.protocols.accuracy.local_game import LeastLocalError
from tests.expensive import one_in
from tests.thinned import thinned

BETA = Fraction(1, 20)


def answers(n, ones, truth):
    """The law of the number of answers 1, user by user."""
    law = [Fraction(1)]
    for user in range(n):
        p = truth if user < ones else 1 - truth
        law = [(1 - p) * a + p * b for a, b in zip([*law, 0], [0, *law], strict=True)]
    return law


@pytest.mark.parametrize(
    ("n", "exp_eps", "beta", "points"),
    thinned([(1, 3, BETA, 33), (10, 3, BETA, 33), (60, 2, "1/10", 5), (61, 9, "1/3", 3)], every=2),
)
def test_the_bound_is_the_overlap_of_the_laws(n, exp_eps, beta, points):
    bound = xdp.local_lower_bound(n, exp_eps=exp_eps, beta=beta, points=points)
    laws = [answers(n, k, Fraction(exp_eps, exp_eps + 1)) for k in bound.sums]
    named = sum(max(column) for column in zip(*laws, strict=True)) / len(laws)
    assert {b - a for a, b in pairwise(bound.sums)} == {2 * bound.error}
    assert 0 <= 1 - named - bound.failure < Fraction(1, 2**50)
    assert bound.failure > Fraction(beta)


def test_the_bound_is_not_above_what_the_best_estimate_attains():
    for n, exp_eps in product((1, 2, 3, 5), (Fraction(11, 10), 3, 50)):
        bound = xdp.local_lower_bound(n, exp_eps=exp_eps, beta=BETA)
        if bound.error:
            best = xdp.least_local_error(n, exp_eps=exp_eps, alpha=bound.error - Fraction(1, 2))
            assert best.error >= bound.failure > BETA


@pytest.mark.parametrize("n", thinned([20, 100, 400], every=2))
def test_randomized_response_is_near_it(n):
    attained = xdp.optimal_accuracy(protocols.k_ary(n, 2, gamma="1/2"), beta=BETA)
    assert attained * Fraction(4, 5) <= xdp.local_lower_bound(n, exp_eps=3, beta=BETA).error <= attained


@pytest.mark.slow
def test_at_a_million_users_within_a_tenth():
    bound = xdp.local_lower_bound(10**6, exp_eps=3, beta=BETA, points=5)
    attained = xdp.optimal_accuracy(protocols.k_ary(10**6, 2, gamma="1/2"), beta=BETA)
    assert Fraction(9, 10) < bound.error / attained.lo < 1


def test_where_nothing_or_everything_is_shown():
    assert xdp.local_lower_bound(50, exp_eps=1, beta=BETA).error == 25
    assert xdp.local_lower_bound(3, exp_eps=10**6, beta=BETA).error == 0
    halves, quarters = (xdp.local_lower_bound(10**4, eps=eps, beta=BETA, points=3).error for eps in ("1/2", "1/4"))
    assert halves < quarters


@st.composite
def channels(draw):
    """An eps-DP randomizer of a bit as two rows, and e^eps."""
    level = draw(st.integers(2, 9))
    size = draw(st.integers(2, 4))
    base = [[Fraction(draw(st.integers(1, 20))) for _ in range(size)] for _ in range(2)]
    first, second = ([w / sum(row) for w in row] for row in base)
    far = max(max(a / b, b / a) for a, b in zip(first, second, strict=True))
    mix = min(Fraction(1), Fraction(level - 1) / (2 * far))  # near enough to the middle to be within a factor of e^eps
    middle = [(a + b) / 2 for a, b in zip(first, second, strict=True)]
    rows = [[mix * w + (1 - mix) * m for w, m in zip(row, middle, strict=True)] for row in (first, second)]
    return rows, Fraction(max(max(a / b, b / a) for a, b in zip(*rows, strict=True)) + draw(st.integers(1, 3)))


def drawn_from_response(rows, level):
    """K(t | y) of the module's proof."""
    both = list(zip(*rows, strict=True))
    return [[(level * a - b) / (level - 1) for a, b in both], [(level * b - a) / (level - 1) for a, b in both]]


@settings(max_examples=30)
@given(channels())
def test_every_randomizer_of_a_bit_is_drawn_from_randomized_response(channel):
    rows, level = channel
    made = drawn_from_response(rows, level)
    assert all(sum(row) == 1 and min(row) >= 0 for row in made)
    for x, row in enumerate(rows):
        assert row == [(level * made[x][t] + made[1 - x][t]) / (level + 1) for t in range(len(row))]


@settings(max_examples=20)
@given(channels(), st.data())
def test_no_local_protocol_errs_less(channel, data):
    rows, level = channel
    n, size = 2, len(rows[0])
    guesses = {t: data.draw(st.fractions(0, n, max_denominator=4)) for t in product(range(size), repeat=n)}
    risks = [
        sum(
            prod((rows[x][t] for x, t in zip(bits, sent, strict=True)), start=Fraction(1)) * abs(guess - sum(bits))
            for sent, guess in guesses.items()
        )
        for bits in product((0, 1), repeat=n)
    ]
    assert max(risks) >= xdp.least_local_error(n, exp_eps=level).error


def test_answers_in_turns_are_drawn_from_randomized_response_too():
    """The second user flips its answer to suit the first's: K of a transcript is the product of the users' factors."""
    level, truth = Fraction(3), Fraction(3, 4)

    def factor(user, sent, x):
        asked = sent[0] if user else 0  # the second is told what the first said and answers 0 or 1 accordingly
        return truth if sent[user] == x ^ asked else 1 - truth

    sent_by_two = list(product((0, 1), repeat=2))
    made = {
        (sent, y): prod((level * factor(i, sent, y[i]) - factor(i, sent, 1 - y[i])) / (level - 1) for i in range(2))
        for sent in sent_by_two
        for y in sent_by_two
    }
    assert all(sum(made[sent, y] for sent in sent_by_two) == 1 for y in sent_by_two)
    for x, sent in product(sent_by_two, repeat=2):
        answered = (prod(truth if a == b else 1 - truth for a, b in zip(x, y, strict=True)) for y in sent_by_two)
        total = sum(p * made[sent, y] for p, y in zip(answered, sent_by_two, strict=True))
        assert total == prod(factor(i, sent, x[i]) for i in range(2))


def by_scipy(n, exp_eps, estimates, loss):
    """The least loss of all estimates among these, by a linear program that knows nothing of the module's."""
    truth = Fraction(exp_eps, exp_eps + 1)
    chances = [answers(n, k, truth) for k in range(n + 1)]
    cells = [(s, a) for s in range(n + 1) for a in estimates]
    rows = [[float(chances[k][s] * loss(a, k)) for s, a in cells] + [-1.0] for k in range(n + 1)]
    sums = [[float(s == t) for s, _ in cells] + [0.0] for t in range(n + 1)]
    return linprog([0.0] * len(cells) + [1.0], rows, [0.0] * (n + 1), sums, [1.0] * (n + 1)).fun


@pytest.mark.parametrize(
    ("n", "exp_eps", "alpha"), thinned([(1, 2, None), (3, 3, None), (4, 2, "1/2"), (5, 7, None), (6, 3, 1)], every=2)
)
def test_the_value_is_that_of_a_linear_program_of_its_own(n, exp_eps, alpha):
    """Over estimates on a grid of quarters, by scipy."""

    def loss(a, k):
        return abs(a - k) if alpha is None else abs(a - k) > Fraction(alpha)

    best = xdp.least_local_error(n, exp_eps=exp_eps, alpha=alpha)
    assert float(best.error) == pytest.approx(
        by_scipy(n, exp_eps, [Fraction(j, 4) for j in range(4 * n + 1)], loss), abs=1e-9
    )


@pytest.mark.parametrize("n", [1, 2, 3, pytest.param(4, marks=pytest.mark.slow)])
@given(st.one_of(st.integers(0, 9), st.fractions(0, 5, max_denominator=12)), st.fractions("11/10", 9))
@settings(max_examples=4)
def test_every_alpha_of_at_least_zero_has_its_least_probability(n, alpha, exp_eps):
    """Against scipy over all estimates at the end of whose reach lies a sum: no other one covers more sums."""
    edges = [Fraction(0), Fraction(n, 2), Fraction(max(0, n - 1), 2), Fraction(n, 2) - Fraction(1, 100), Fraction(n)]
    for asked in (alpha, *edges):
        best = xdp.least_local_error(n, exp_eps=exp_eps, alpha=asked)
        found = by_scipy(n, exp_eps, sorted({k + asked for k in range(n + 1)}), lambda a, k: abs(a - k) > asked)  # noqa: B023
        assert float(best.error) == pytest.approx(found, abs=1e-9)
        assert (best.error == 0) == (asked >= Fraction(n, 2))
        assert sum(best.prior) == 1 == len(best.prior) - n
        assert best.error or all(a == Fraction(n, 2) for law in best.estimates for a in law)


@pytest.mark.parametrize("exp_eps", [Fraction(11, 10), 2, 3, Fraction(29, 3)])
def test_up_to_three_users_the_values_are_formulas(exp_eps):
    E = Fraction(exp_eps)
    swap = (4 * E + 2) / (E**3 + 5 * E**2 - E + 1)
    three = (3 * (E + 1) ** 2 - 3 * E * (E - 1) * swap) / (E + 1) ** 3
    assert [xdp.least_local_error(n, exp_eps=E).error for n in (1, 2, 3)] == [1 / (E + 1), 2 / (E + 1), three]


def test_a_wrong_prior_or_estimate_has_no_proof():
    n, truth = 3, Fraction(3, 4)
    chances = [tuple(answers(n, k, truth)) for k in range(n + 1)]
    losses = games._mean_losses(n)
    best = xdp.least_local_error(n, exp_eps=3)
    games._checked(best, chances, losses)
    sure = xdp.Law({Fraction(0): 1})
    for wrong in (
        LeastLocalError(best.error, best.estimates, (Fraction(1, 4),) * 4),
        LeastLocalError(best.error, (sure, sure, *best.estimates[2:]), best.prior),
        LeastLocalError(best.error - Fraction(1, 10**9), best.estimates, best.prior),
    ):
        with pytest.raises(ExactDPError):
            games._checked(wrong, chances, losses)


def test_refusals():
    with pytest.raises(TooLargeError, match="local_lower_bound"):
        xdp.least_local_error(13, exp_eps=3)
    with pytest.raises(InvalidValueError, match="above 1"):
        xdp.least_local_error(3, exp_eps=1)
    with pytest.raises(InvalidValueError, match="alpha=-1"):
        xdp.least_local_error(3, exp_eps=2, alpha=-1)
    with pytest.raises(InvalidValueError, match="beta=1 "):
        xdp.local_lower_bound(3, exp_eps=2, beta=1)
    with pytest.raises(InvalidValueError, match="points"):
        xdp.local_lower_bound(3, exp_eps=2, beta=BETA, points=1)


def test_the_hypotheses_of_the_tests():
    assert answers(3, 0, Fraction(3, 4)) == [Fraction(comb(3, s) * 3 ** (3 - s), 64) for s in range(4)]


@pytest.mark.parametrize(("exp_eps", "alpha"), list(product((Fraction(3, 2), 3, 50), ("1/10", "1/4"))))
def test_what_is_too_few_for_a_histogram_is_too_few_for_the_best_protocol_of_two_bins(exp_eps, alpha):
    few = xdp.local_histogram_users(2, exp_eps=exp_eps, alpha=alpha, beta=BETA)
    for n in range(1, min(few, 6) + 1):
        best = xdp.least_local_error(n, exp_eps=exp_eps, alpha=Fraction(alpha) * n)
        assert best.error > BETA, n


@pytest.mark.slow
@pytest.mark.parametrize("n", range(7, 13))
def test_too_few_for_a_histogram_is_too_few_for_the_best_protocol_of_more_users(n):
    assert n < xdp.local_histogram_users(2, exp_eps=Fraction(3, 2), alpha="1/10", beta=BETA)
    assert xdp.least_local_error(n, exp_eps=Fraction(3, 2), alpha=Fraction(n, 10)).error > BETA


@given(d=st.integers(2, 10**6), part=st.integers(3, 60), eps=st.integers(1, 30), beta=st.integers(2, 30))
@one_in(15)
def test_too_few_users_are_too_few_for_unary_encoding_and_for_smaller_errors(d, part, eps, beta):
    level, alpha, risk = Fraction(eps, 8), Fraction(1, part), Fraction(1, beta)
    few = xdp.local_histogram_users(d, eps=level, alpha=alpha, beta=risk)
    half = exp(level / 2)
    enough = ((half + 1) / (half - 1)) ** 2 * log(2 * d / risk) / (2 * float(alpha) ** 2)
    assert few < enough
    assert few <= xdp.local_histogram_users(d, eps=level, alpha=alpha / 2, beta=risk)


def test_too_few_users_grow_with_the_bins_and_fall_with_eps():
    few = [xdp.local_histogram_users(2**k, eps=1, alpha="1/10", beta="1/10") for k in (1, 10, 100)]
    assert few == sorted(few)
    assert few[2] > 8 * few[1]
    assert xdp.local_histogram_users(2**10, eps="1/2", alpha="1/10", beta="1/10") > 3 * few[1]


def test_too_few_users_at_the_ends_of_their_domain():
    assert xdp.local_histogram_users(2**10, eps=1000, alpha="1/10", beta="1/10") == 0
    tenth, tiny = (
        xdp.local_histogram_users(2**10, eps=1, alpha="1/10", beta=b) for b in ("1/10", Fraction(1, 10**400))
    )
    assert tenth < tiny
    assert xdp.local_histogram_users(2**10, eps=1, alpha=Fraction(1, 10**400), beta="1/10") > tiny


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"bins": 1}, "bins=1"),
        ({"alpha": "1/2"}, "alpha=1/2 is not in"),
        ({"beta": 0}, "beta=0 is not in"),
        ({"eps": 0}, "eps=0 shows nothing"),
    ],
)
def test_what_has_no_bound_is_refused(wrong, said):
    with pytest.raises(ExactDPError, match=said):
        xdp.local_histogram_users(**{"bins": 4, "alpha": "1/10", "beta": "1/10", "eps": 1} | wrong)
