"""The exponential mechanism: its law against the definition, its privacy against all events, and the notes' votes."""

import pickle
from collections import Counter
from fractions import Fraction
from itertools import chain, combinations, combinations_with_replacement

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import exactdp as xdp
from exactdp import LogRational, ShuffleProtocol, exponential_mechanism
from exactdp.errors import ExactDPError, InexactNumberError, TooLargeError
from exactdp.numbers.real import Real
from exactdp.proofs import noise_definitions
from exactdp.protocols.exponential.score_pairs import ListedLaws, ScoreWeights, enclosed_scores, primitive_root
from tests.together import together

VOTES = {"30 to 29": {"Cristiano": 30, "Lionel": 29}, "29 to 30": {"Cristiano": 29, "Lionel": 30}}


def tables(most=4, answers=3):
    row = st.lists(st.integers(-3, 3), min_size=answers, max_size=answers).map(lambda row: dict(enumerate(row)))
    return st.lists(row, min_size=2, max_size=most).map(lambda rows: {f"x{i}": row for i, row in enumerate(rows)})


def largest_change(table):
    return max(abs(a[r] - b[r]) for a, b in combinations(table.values(), 2) for r in a)


def by_all_events(laws, exp_eps):
    """The definition of delta: every ordered pair, every event."""
    answers = list(laws[0])
    events = list(chain.from_iterable(combinations(answers, size) for size in range(len(answers) + 1)))
    return max(sum(p[r] - exp_eps * q[r] for r in event) for p in laws for q in laws for event in events)


def defined_law(row, base):
    weights = {r: base**score for r, score in row.items()}
    return {r: weight / sum(weights.values()) for r, weight in weights.items()}


# --- exact ----------------------------------------------------------------------------------------------------------


@settings(max_examples=15)
@given(tables(), st.integers(1, 3), st.sampled_from(["1", "21/20", "3/2", "5"]))
def test_exact_laws_and_deltas_are_the_definition(table, root, exp_eps):
    """With weights e^(eps u / Du), or one order of a pair, this fails."""
    assume(largest_change(table))
    base = Fraction(root + 1, root)
    sensitivity = largest_change(table)
    mechanism = exponential_mechanism(table, exp_eps=base ** (2 * sensitivity))
    laws = [defined_law(row, base) for row in table.values()]
    assert mechanism.is_exact
    for name, law in zip(table, laws, strict=True):
        assert {r: mechanism.law(name).prob(r) for r in law} == law
        assert all(mechanism.probability(r, name) == p for r, p in law.items())
    profile = mechanism.privacy_profile()
    assert profile.delta(exp_eps=exp_eps) == by_all_events(laws, Fraction(exp_eps))
    least = profile.epsilon(0)
    assert least.argument == max(p[r] / q[r] for p in laws for q in laws for r in p)
    assert least.argument <= base ** (2 * sensitivity)  # the theorem
    assert profile.epsilon(0) == ShuffleProtocol(mechanism.randomizer, 1).privacy_profile().epsilon(0)
    worst = profile.worst_pair(exp_eps=exp_eps)
    if worst.delta:
        two = [laws[list(table).index(name)] for pair in (worst.first, worst.second) for name in pair]
        assert by_all_events(two, Fraction(exp_eps)) == worst.delta


def test_only_the_pairs_that_are_named_are_compared():
    table = {"near": {"a": 0, "b": 0}, "middle": {"a": 1, "b": 0}, "far": {"a": 2, "b": 0}}
    chain_of_two = exponential_mechanism(table, exp_eps=4, pairs=[("far", "middle"), ("near", "middle")])
    assert chain_of_two.sensitivity == 1
    assert chain_of_two.law("far").prob("a") == Fraction(4, 5)
    assert chain_of_two.privacy_profile().epsilon(0) == LogRational("5/3")
    assert exponential_mechanism(table, exp_eps=4).sensitivity == 2
    assert exponential_mechanism(table, exp_eps=4, sensitivity=4).privacy_profile().epsilon(0).hi < 1


def test_exact_runs_compose_exactly():
    mechanism = exponential_mechanism(VOTES, exp_eps=4)
    by_table = ShuffleProtocol(mechanism.randomizer, 1).privacy_profile()
    assert (
        mechanism.privacy_profile().compose(3).delta(exp_eps=2)
        == by_table.compose(3).delta(exp_eps=2)
        == Fraction(2, 9)
    )
    assert mechanism.privacy_profile().tradeoff().vertices == by_table.tradeoff().vertices


# --- enclosed -------------------------------------------------------------------------------------------------------


@settings(max_examples=15)
@given(tables(), st.fractions(Fraction(1, 10), 3, max_denominator=10), st.fractions(0, 3, max_denominator=10))
def test_enclosed_laws_and_deltas_are_the_definition_in_another_library(table, promised, eps):
    assume(largest_change(table))
    mechanism = exponential_mechanism(table, eps=promised)
    with mpmath.workdps(40):
        base = mpmath.exp(mpmath.mpf(promised.numerator) / promised.denominator / 2 / largest_change(table))
        laws = [defined_law(row, base) for row in table.values()]
        for name, law in zip(table, laws, strict=True):
            for r, p in law.items():
                assert contains(mechanism.probability(r, name), p)
        delta = by_all_events(laws, mpmath.exp(mpmath.mpf(eps.numerator) / eps.denominator))
        assert contains(mechanism.privacy_profile().delta(eps=eps), delta)
    assert xdp.is_private(mechanism, eps=promised, delta=0)  # the theorem


def contains(value, number):
    if isinstance(value, Fraction):
        value = xdp.Interval.around(value, relative_bits=200)
    little = mpmath.mpf(10) ** -30
    low, high = (mpmath.mpf(end.numerator) / end.denominator for end in (value.lo, value.hi))
    return low - little <= number <= high + little


@settings(max_examples=15)
@given(tables(), st.sampled_from(["1", "21/20", "2", "7/2"]))
def test_both_engines_agree(table, exp_eps):
    rows = tuple(tuple(Fraction(score) for score in row.values()) for row in table.values())
    weights, pairs = ScoreWeights(Fraction(2), rows), tuple(combinations(range(len(rows)), 2))
    exact = ListedLaws(tuple(map(weights.integers, range(len(rows)))), pairs).delta(Fraction(exp_eps))
    assert exact in enclosed_scores(weights, pairs).enclosed(Real(exp_eps), 53).delta


REVERSED = {"x": {"a": 0, "b": 1, "c": 2}, "y": {"a": 2, "b": 1, "c": 0}}


@pytest.mark.parametrize(
    ("table", "promise", "at"),
    [(VOTES, {"eps": 1}, "eps"), (REVERSED, {"eps": 1}, "eps"), (REVERSED, {"exp_eps": 4}, "exp_eps")],
)
def test_a_tie_of_irrational_probabilities_is_decided(table, promise, at):
    """P = E Q at an answer, at half the eps, where no precision tells the two apart; and at E = 1 for the answer b."""
    mechanism = exponential_mechanism(table, **promise)
    tied = {"eps": Fraction(1, 2), "exp_eps": Fraction(2)}[at]
    profile = mechanism.privacy_profile()
    assert not mechanism.is_exact
    assert profile.delta(**{at: tied}) == xdp.Interval.around(0, relative_bits=1)
    assert profile.delta(eps=0).lo > 0
    assert xdp.is_private(profile, **{at: tied}, delta=0) is True
    assert xdp.is_private(profile, **{at: tied * Fraction(999, 1000)}, delta=0) is False


def test_enclosed_runs_compose_between_two_ends_of_real_data_sets():
    """Three runs of the votes: in another library by all outcomes of the three."""
    bracket = exponential_mechanism(VOTES, eps=1).privacy_profile().compose(3).bracket(eps=1)
    with mpmath.workdps(40):
        more = 1 / (1 + mpmath.exp(mpmath.mpf(-1) / 2))
        p = [more**k * (1 - more) ** (3 - k) for k in range(4)]
        counts = [1, 3, 3, 1]
        delta = sum(c * max(0, a - mpmath.e * b) for c, a, b in zip(counts, p, p[::-1], strict=True))
        assert contains(bracket.delta, delta)
    assert bracket.upper.hi - bracket.lower.lo < bracket.upper.hi / 1000
    assert "'30 to 29' and '29 to 30'" in bracket.attained_by


# --- utility --------------------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(tables(), st.sampled_from([{"exp_eps": 4}, {"exp_eps": 3}, {"eps": "1/2"}]), st.sampled_from(["1/2", "1/7", 1]))
def test_the_theorem_of_utility_holds_and_the_least_loss_is_least(table, promise, beta):
    assume(largest_change(table))
    mechanism = exponential_mechanism(table, **promise)
    utility = mechanism.utility(beta)
    assert not utility.probability > Fraction(beta)
    bound = mechanism.accuracy(beta)

    def exceeded(loss, strictly=True):
        """The largest probability of a score that is further below the best one."""
        values = []
        for name, row in table.items():
            best = max(row.values())
            far = [r for r, u in row.items() if best - u > loss or (not strictly and best - u == loss)]
            values.append(sum((middle(mechanism.probability(r, name)) for r in far), Fraction(0)))
        return max(values)

    tiny = Fraction(1, 10**12)
    assert exceeded(bound) <= Fraction(beta) + tiny
    assert bound == 0 or exceeded(bound, strictly=False) > Fraction(beta) - tiny
    assert abs(exceeded(utility.loss.hi) - middle(utility.probability)) <= tiny or beta == 1
    assert xdp.optimal_accuracy(mechanism, beta=beta) == bound


def middle(value):
    return value if isinstance(value, Fraction) else (value.lo + value.hi) / 2


def test_a_loss_that_is_a_score_away_counts():
    """m / beta = B^gap: the theorem's loss is the gap, and the answer at that distance is among the bad ones."""
    mechanism = exponential_mechanism({"a": 3, "b": 0}, exp_eps=4, sensitivity=1)
    utility = mechanism.utility("1/4")
    assert utility.loss.lo <= 3 <= utility.loss.hi
    assert utility.probability == mechanism.probability("b") == Fraction(1, 9)
    assert mechanism.utility("1/5").probability == 0


# --- the notes ------------------------------------------------------------------------------------------------------


def test_the_votes_of_the_notes():
    """30 votes to 29: the winner wins at eps = 1 with probability 1 / (1 + e^-1/2), and a voter hides at eps = 1/2."""
    mechanism = exponential_mechanism(VOTES, eps=1)
    with mpmath.workdps(40):
        assert contains(mechanism.probability("Cristiano", "30 to 29"), 1 / (1 + mpmath.exp(mpmath.mpf(-1) / 2)))
    assert mechanism.sensitivity == 1
    eps = mechanism.privacy_profile().epsilon(0)
    assert eps.lo <= Fraction(1, 2) <= eps.hi
    exact = exponential_mechanism(VOTES, exp_eps=4)
    assert exact.law("30 to 29").prob("Cristiano") == Fraction(2, 3)
    claim = xdp.Claim.pure_dp(ShuffleProtocol(exact.randomizer, 1), exp_eps=2)
    assert xdp.certify(claim).verdict is xdp.Verdict.PROVED


def test_a_list_of_passwords_to_forbid():
    """Which password to put on the list: its score is how many of 6 users have it, and all data sets are neighbours
    that differ in one user. The sensitivity of the scores is found by :func:`exactdp.sensitivity`."""
    passwords = ("123456", "password", "qwerty")
    people = list(combinations_with_replacement(passwords, 6))
    scores = {users: {word: users.count(word) for word in passwords} for users in people}
    neighbors = [(x, y) for x, y in combinations(people, 2) if (Counter(x) - Counter(y)).total() == 1]
    counts = xdp.sensitivity(lambda users: tuple(map(users.count, passwords)), passwords, 6, norm="linf")
    mechanism = exponential_mechanism(scores, exp_eps=4, pairs=neighbors)
    assert mechanism.sensitivity == counts.value == 1
    least = mechanism.privacy_profile().epsilon(0)
    laws = {users: {word: Fraction(2) ** users.count(word) for word in passwords} for users in people}
    ratios = [
        Fraction(laws[x][word], sum(laws[x].values())) / Fraction(laws[y][word], sum(laws[y].values()))
        for pair in neighbors
        for x, y in (pair, pair[::-1])
        for word in passwords
    ]
    assert least.argument == max(ratios) < 4
    assert mechanism.accuracy("1/3") <= mechanism.utility("1/3").loss.hi


# --- values and refusals --------------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(st.fractions(Fraction(41, 40), 40, max_denominator=40), st.integers(1, 12))
def test_the_primitive_root_has_no_root(base, times):
    root, power = primitive_root(base**times)
    assert root**power == base**times
    assert power % times == 0
    assert primitive_root(root) == (root, 1)


def test_a_mechanism_is_a_value():
    mechanism = exponential_mechanism(VOTES, exp_eps=4)
    assert pickle.loads(pickle.dumps(mechanism)) == mechanism
    assert hash(mechanism) == hash(exponential_mechanism(VOTES, eps=LogRational(4)))


def test_draws_are_those_of_the_table():
    mechanism = exponential_mechanism(VOTES, exp_eps=4)
    draws = xdp.sample(ShuffleProtocol(mechanism.randomizer, 1), ["30 to 29"], size=6000, rng=np.random.default_rng(1))
    assert abs(int(draws[:, 0].sum()) - 4000) < 300  # 8 standard deviations


ONE = {"a": 1, "b": 2}


@together(
    ("question", "message"),
    [
        (lambda: exponential_mechanism(VOTES), "neither of eps and exp_eps given"),
        (lambda: exponential_mechanism(VOTES, eps=0), "eps=0 is not above 0"),
        (lambda: exponential_mechanism(7, eps=1), "scores has the type int"),
        (lambda: exponential_mechanism(VOTES | {"z": 1}, eps=1), "rows and numbers"),
        (lambda: exponential_mechanism({"x": ONE, "y": {"a": 1}}, eps=1), "do not score the same answers: 'b'"),
        (lambda: exponential_mechanism({}, eps=1), "has no answers"),
        (lambda: exponential_mechanism(ONE, eps=1), "Pass sensitivity="),
        (lambda: exponential_mechanism(ONE, eps=1, sensitivity=0), "sensitivity=0 is not above 0"),
        (lambda: exponential_mechanism(VOTES, eps=1, sensitivity="1/2"), "below 1, the change of the score of 'Cris"),
        (lambda: exponential_mechanism(VOTES, eps=1, pairs=[("30 to 29", "x")]), "unknown data set 'x'"),
        (lambda: exponential_mechanism(VOTES, eps=1, pairs=["xy"]), "Give two names"),
        (lambda: exponential_mechanism(ONE, eps=1, sensitivity=1).privacy_profile(), "no neighbours"),
        (lambda: exponential_mechanism(VOTES, eps=1).law("30 to 29"), "probabilities are irrational"),
        (lambda: exponential_mechanism(VOTES, eps=1).randomizer, "probabilities are irrational"),
        (lambda: exponential_mechanism(VOTES, exp_eps=4).law("31"), "dataset='31' is not in the table"),
        (lambda: exponential_mechanism(VOTES, exp_eps=4).law(), "dataset=None is not in the table"),
        (lambda: exponential_mechanism(VOTES, exp_eps=4).probability("x", "30 to 29"), "answer='x' is not in"),
        (lambda: exponential_mechanism(ONE, eps=1, sensitivity=1).utility(0), "beta=0 is not above 0"),
        (
            lambda: exponential_mechanism(VOTES, eps=1).privacy_profile().exact_tradeoff(),
            "probabilities of this mechanism",
        ),
        (lambda: xdp.sample(exponential_mechanism(ONE, eps=1, sensitivity=1), [], size=1, rng=None), "its exact law"),
    ],
)
def test_bad_input_is_refused(question, message):
    with pytest.raises(ExactDPError, match=message):
        question()


def test_sizes_and_floats_are_refused():
    with pytest.raises(InexactNumberError, match=r"the score of 'a'=0\.5 is a float"):
        exponential_mechanism({"a": 0.5}, eps=1, sensitivity=1)
    with pytest.raises(TooLargeError, match="so far apart"):
        exponential_mechanism({"a": 0, "b": 10**6}, eps=1, sensitivity=1)
    with pytest.raises(TooLargeError, match="pairs of data sets times answers"):
        exponential_mechanism({i: dict.fromkeys(range(300), i) for i in range(100)}, eps=1)
    with pytest.raises(TooLargeError, match="exp_eps has"):
        exponential_mechanism(VOTES, exp_eps=2**5000)


def test_the_row_of_the_ledger_is_about_this_mechanism():
    row = noise_definitions.exponential_mechanism([30, 29], [29, 30]).table()
    laws = exponential_mechanism(VOTES, exp_eps=4).randomizer.table()
    assert [list(law.values()) for law in row.values()] == [list(law.values()) for law in laws.values()]
