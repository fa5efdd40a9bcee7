"""When both ends of k-ary response are equal: the condition, and what it says, by listing everything."""

from fractions import Fraction
from itertools import product

import pytest

from exactdp import Randomizer, Real, randomized_response
from exactdp.mechanisms.pair_table import pair_table
from exactdp.privacy.amplification import amplification
from exactdp.privacy.amplification.amplification import Amplification, k_ary_bracket_closes, k_ary_exp_eps0
from exactdp.privacy.amplification.input_pairs import FamilyPairs, TablePairs
from exactdp.randomizers import KAryResponse
from tests.oracles import positive_parts as exact
from tests.oracles.brute_force import Oracle
from tests.thinned import thinned

F = Fraction
EXP_EPS0 = [F(3, 2), F(2), F(5, 2), F(3), F(4), F(5), F(7), F(20)]
LEVELS = [F(21, 20), F(6, 5), F(3, 2), F(2), F(3), F(9, 2)]


def holds(exp_eps0, level, n):
    """No (a, b) with a + b <= n has 0 < t < (E - 1)(n - a - b), of all of them."""
    for a, b in product(range(n + 1), repeat=2):
        t = a * (exp_eps0 - level) - b * (level * exp_eps0 - 1)
        if a + b <= n and 0 < t < (level - 1) * (n - a - b):
            return False
    return True


def test_the_condition_over_all_numbers_of_both_messages():
    closed = 0
    for exp_eps0, level, n in product(EXP_EPS0, LEVELS, range(1, 16)):
        if level < exp_eps0:
            assert k_ary_bracket_closes(exp_eps0, level, n) == holds(exp_eps0, level, n), (exp_eps0, level, n)
            closed += holds(exp_eps0, level, n)
    assert 30 < closed < 300


@pytest.mark.parametrize("n", [40, 97])
def test_the_condition_at_more_users(n):
    for exp_eps0, level in product(EXP_EPS0, LEVELS):
        if level < exp_eps0:
            assert k_ary_bracket_closes(exp_eps0, level, n) == holds(exp_eps0, level, n)


def test_levels_without_a_divergence_and_too_many_steps_are_not_closed(monkeypatch):
    assert not k_ary_bracket_closes(F(3), F(1), 4)
    assert not k_ary_bracket_closes(F(3), F(3), 4)
    assert not k_ary_bracket_closes(F(10**9 + 7, 10**8), F(10**9 + 9, 10**9), 10**12)


def test_where_it_holds_the_bound_is_the_divergence_beside_a_third_input():
    """In exact fractions; where it does not hold, the two differ."""
    seen = closed = 0
    for k, exp_eps0, level, n in product((3, 4), EXP_EPS0[::2], LEVELS, range(2, 8)):
        if level < exp_eps0:
            rows = exact.k_ary(k, exp_eps0)
            least, third = ({m: row[m] for m in rows} for row in (dict.fromkeys(rows, rows[0][1]), rows[2]))
            ends = [
                exact.divergence([(rows[0][m], rows[1][m], under[m]) for m in rows], n, level)
                for under in (least, third)
            ]
            seen += 1
            closed += holds(exp_eps0, level, n)
            assert (ends[0] == ends[1]) == holds(exp_eps0, level, n), (k, exp_eps0, level, n)
    assert seen > 100
    assert closed > 20


@pytest.mark.parametrize(
    ("k", "exp_eps0", "level", "n"), thinned([(4, 7, "2", 3), (3, 5, "2", 4), (5, 4, "3/2", 3)], every=2)
)
def test_a_closed_bracket_is_the_worst_of_all_data_sets(k, exp_eps0, level, n):
    assert holds(F(exp_eps0), F(level), n)
    engine = Amplification(TablePairs(randomized_response(k, exp_eps0=exp_eps0)), n)
    bracket = engine.bracket(Real(F(level)), 40)
    assert bracket.is_closed
    assert bracket.lower == bracket.upper
    worst = Oracle(engine.pairs.randomizer.table(), n).delta(F(level))
    assert worst in bracket.upper


def test_the_value_of_the_facts_and_one_that_stays_open():
    closed = Amplification(FamilyPairs(KAryResponse(4, exp_eps0=7)), 5).bracket(Real(2), 40)
    assert closed.is_closed
    assert F("0.27938") - F(1, 10**5) < closed.lower.lo < F("0.27938") + F(1, 10**5)
    assert not Amplification(FamilyPairs(KAryResponse(3, exp_eps0=3)), 6).bracket(Real(2), 40).is_closed


def test_a_weaker_condition_would_call_open_brackets_closed(monkeypatch):
    """The strict inequalities matter: with one message less to come, the case n = 6 below is called closed."""
    engine = Amplification(FamilyPairs(KAryResponse(3, exp_eps0=3)), 6)
    monkeypatch.setattr(amplification, "k_ary_bracket_closes", lambda exp_eps0, level, n: True)
    amplification._kept_bracket.cache_clear()
    bracket_or_contradiction = pytest.raises(Exception, match="above upper")
    with bracket_or_contradiction:
        engine.bracket(Real(2), 40)
    amplification._kept_bracket.cache_clear()


def test_which_tables_are_k_ary_response():
    for k, exp_eps0 in product((3, 4, 7), (F(3, 2), F(55))):
        assert k_ary_exp_eps0(pair_table(randomized_response(k, exp_eps0=exp_eps0), 0, 1)) == exp_eps0
    assert k_ary_exp_eps0(pair_table(randomized_response(2, exp_eps0=3), 0, 1)) is None
    rows = {x: dict(row) for x, row in randomized_response(4, exp_eps0=3).table().items()}
    rows[3] = {(0,): F(1, 4), (1,): F(1, 4), (2,): F(1, 4), (3,): F(1, 4)}
    assert k_ary_exp_eps0(pair_table(Randomizer(rows), 0, 1)) == 3  # a mixture of rows that are there
    rows[2] = {(0,): F(1, 8), (1,): F(1, 4), (2,): F(1, 2), (3,): F(1, 8)}
    assert k_ary_exp_eps0(pair_table(Randomizer(rows), 0, 1)) is None
