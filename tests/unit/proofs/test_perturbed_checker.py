"""Programs of the proved checker, each changed in one place: what it then accepts is not proved, and can be false.

The change is to a program; the file that proves its soundness is not touched, and Coq stops in it. Every change comes
with a counterexample that is computed here without Coq: a number on the wrong side, or a false claim that is accepted.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, factorial
from pathlib import Path

import pytest

from exactdp.numbers.balls import enclose_real
from exactdp.numbers.real import Real
from exactdp.proofs import development
from tests.together import together

ROOT = Path(__file__).parents[3]
SOURCES = ROOT / "proofs" / "checker"
BUILD = Path(os.environ.get("EXACTDP_CHECKER_BUILD", ROOT / "build" / "checker"))
COQ = Path(os.environ.get("EXACTDP_COQ_BUILD", ROOT / "build" / "coq"))


def needs_proofs(test):
    """Mark a test in which Coq compiles the soundness of a program against the compiled checker."""
    built = not development.missing_programs() and (BUILD / "checked.vo").is_file()
    reason = "the proofs of the checker are not compiled (make -C proofs/checker proofs)"
    return pytest.mark.slow(pytest.mark.skipif(not built, reason=reason)(test))


@dataclass(frozen=True)
class Change:
    """``program``.v with ``new`` in place of ``old``: then ``proof``.v is none, as ``fails`` computes."""

    program: str
    proof: str
    old: str
    new: str
    fails: Callable[[], bool]
    between: tuple[str, ...] = ()
    """Proofs that stand on the program, which the change leaves as they are."""


def is_below_exp(number, eps):
    """Whether a rational is at most e^eps."""
    return bool(enclose_real(Real.exp(eps), relative_bits=128) >= number)


def taylor_sum(eps, terms):
    return sum(eps**k / factorial(k) for k in range(terms))


def one_term_too_much_below():
    """The bound from below with the remainder's term for K + 1 in place of that for K."""
    eps, terms = Fraction(3), 4
    wrong = taylor_sum(eps, terms) + eps**terms / factorial(terms) / (1 - eps / (terms + 2))
    return is_below_exp(wrong, eps)


def ceiling_for_floor():
    """ceil(2^16 / 3) / 2^16 is above 1/3, so that e to this power is no bound of e^(1/3) from below."""
    return Fraction(-(-(2**16) // 3), 2**16) > Fraction(1, 3)


def sum_without_its_denominators():
    """1/2 + 1/3 sums to 1 if each numerator is taken over its own denominator, and not over the common one."""
    return Fraction(1, 2) + Fraction(1, 3) != 1


def small_losses_forgotten():
    """Masses 2^20 - 2 and 2 of 2^20 at two losses, twice: with all that is small left out, less than 1 is left."""
    first, second = 2**20 - 2, 2
    products = [-(-product // 2**20) for product in (first * first, 2 * first * second, second * second)]
    return sum(mass for mass in products if mass >= 2**16) < 2**20


def mirrored_losses_rounded_down():
    """2^16 / 3 rounded down is less than the mass 1/3 that a loss of -ln 3 has, in units of 2^-16."""
    return Fraction(2**16 // 3, 2**16) < Fraction(1, 3)


def strict_by_a_hypothesis_that_is_not():
    """x >= 0 does not show x > 0, at x = 0."""
    x = Fraction(0)
    return x >= 0 and not x > 0


def above_if_at_the_threshold():
    """The weight 1/2 is not above the threshold 1/2, so that such an outcome refutes nothing."""
    weight, threshold = Fraction(1, 2), Fraction(1, 2)
    return weight >= threshold and not weight > threshold


def shifts_taken_off():
    """One message, moved by 1, is two; and not none, as the row that would be accepted sends."""
    base, shift = 1, 1
    return base + shift != base - shift


def one_outcome_too_few():
    """Over the ends 0 and 1 a uniform law has 1/2 at 0, as {0: 1/2, 1: 1/2} has; over 1 - 0 it would differ."""
    low, high, listed = 0, 1, Fraction(1, 2)
    return Fraction(1, high - low + 1) == listed != Fraction(1, high - low)


def lost_as_much_as_claimed():
    """With half of the weight 2 lost, no delta below 1/2 will do; but 1 of 2 would count as less than 1/2."""
    claimed, whole = Fraction(1, 2), 2
    return not Fraction(claimed * whole // 1, whole) < claimed


def factorials_left_out():
    """(1 + 1) 2 / 1 for the two terms of the Taylor sum of e^1, whose denominator is 2, is above e."""
    return not is_below_exp(taylor_sum(Fraction(1), 2) * factorial(2), Fraction(1))


def excess_of_both_signs():
    """The laws (3/4, 1/4) and (1/4, 3/4) differ by 1/2 in variation; with their signs the differences add up to 0."""
    pairs = [(3, 1), (1, 3)]
    return sum(p - q for p, q in pairs) == 0 != sum(max(0, p - q) for p, q in pairs)


def least_where_more_is_claimed():
    """Y = 0 or 1, each with 1/2, against Y + 1: H_2 is 1/2, so that delta = 3/4 holds, and is not least."""
    half = Fraction(1, 2)
    return sum(max(0, p - 2 * q) for p, q in [(half, 0), (half, half), (0, half)]) < Fraction(3, 4)


def count_one_too_small():
    """An estimate that is always 0 errs by more than alpha = 1 at the count 2, and not at 1 = alpha // 1."""
    alpha, counts = 1, range(6)
    return any(abs(0 - c) > alpha for c in counts) and not abs(0 - alpha // 1) > alpha


def refuted_by_rounding_up():
    """Of eight outcomes of 1/8 each a lower bound with 2 bits is 0; rounded up, all are 1/4, and sum to 2."""
    return sum(Fraction(-(-4 // 8), 4) for _ in range(8)) > 1


def weight_over_too_much():
    """Weights 2 and 1, both known to be from 1 to 2: 2 over 4, the most that both may be, is less than 2 over 3."""
    return Fraction(2, 2 + 2) < Fraction(2, 2 + 1)


def unlisted_mass_forgotten():
    """Where lists of lower bounds of a fair coin in quarters say 1/4 and 1/4, heads is likelier than its bound."""
    lower = [Fraction(1, 4), Fraction(1, 4)]
    return lower[0] < Fraction(1, 2) <= lower[0] + (1 - sum(lower))


def weight_rounded_down():
    """The weight after 2^16 at the ratio 1/3, rounded down, is less than that weight: no bound from above."""
    return Fraction(2**16 // 3) < Fraction(2**16, 3)


def place_before_the_shifted_one():
    """One fair coin against itself moved by 1 differs by 1/2 at E = 1; moved by one place less, by nothing."""
    coin = [Fraction(1, 2), Fraction(1, 2), Fraction(0)]
    moved, one_less = [coin[-1], *coin[:-1]], coin

    def divergence(other):
        return sum(max(0, p - q) for p, q in zip(coin, other, strict=True))

    return divergence(moved) > divergence(one_less)


def rest_only_outside():
    """Of the masses 1/2, 1/4, ... on 0, 1, ... only the first is reached: P[Y >= 0] = 1 is not at most 1/2."""
    reached, rest = Fraction(1, 2), Fraction(1, 2)
    return reached / (reached + rest) < 1


def divergence(first, second, ratio):
    return sum(max(Fraction(0), p - ratio * q) for p, q in zip(first, second, strict=True))


def one_order_of_two_rows():
    """(1, 0) is (2, 0)-below (1/2, 1/2), and not the other way round."""
    certain, fair = (Fraction(1), Fraction(0)), (Fraction(1, 2), Fraction(1, 2))
    return divergence(certain, fair, 2) == 0 < divergence(fair, certain, 2)


def digits_that_carry():
    """One user who sends message 0 and one who sends message 1, in the base 1: the same sum."""
    return 1**0 == 1**1


def least_chance_for_the_greatest():
    """With 1/4 for both chances nothing is lost, but the rows (1/4, 3/4) and (3/4, 1/4) lose 1/2 at e^eps = 1."""
    low, high = Fraction(1, 4), Fraction(3, 4)
    return divergence((low, 1 - low), (low, 1 - low), 1) == 0 < divergence((high, 1 - high), (low, 1 - low), 1)


def errors_of_alpha_itself():
    """The estimate 1 of the truth 0 does not err by more than alpha = 1."""
    return not abs(1 - 0) > 1


def what_others_never_send_left_out():
    """Rows (1/2, 1/2, 0) and (1/4, 0, 3/4), one user, e^eps = 1: by the common part alone 1/4, where 3/4 is lost."""
    first, second = [Fraction(1, 2), Fraction(1, 2), Fraction(0)], [Fraction(1, 4), Fraction(0), Fraction(3, 4)]
    lost = [max(Fraction(0), p - q) for p, q in zip(first, second, strict=True)]
    shared = [loss for loss, p, q in zip(lost, first, second, strict=True) if min(p, q) > 0]
    return sum(shared) <= Fraction(1, 4) < sum(lost)


def odd_places_paired_with_the_next():
    """The places 1 and 2 become 0 and 1; paired with one another they would both be at place 0."""
    return [place // 2 for place in (1, 2)] == [0, 1]


def open_places_left_out():
    """Of the weights 1 inside, 1 outside and 8 open, the inside has at least 1/10 and not 1/2."""
    inside, outside, undecided = 1, 1, 8
    return Fraction(inside, inside + outside) > Fraction(inside, inside + outside + undecided)


def outside_one_window_only():
    """Windows with 1 inside and 1 outside each: 3 of the 4 units of the sum lie outside, and not 2."""
    inside, rest = 1, 1
    return rest * inside + rest * inside < (inside + rest) ** 2 - inside**2


def messages_of_two(first, second):
    """How many messages 0 two users send, who send at most one each."""
    return [sum(p * q for i, p in enumerate(first) for j, q in enumerate(second) if i + j == k) for k in range(3)]


def bystander_who_is_another():
    """All send the message 1, and x the message 0 as well with probability 1/2: x is not y with fixed messages. As a
    bystander x hides what y shows: the divergence at e^eps = 1 is 1/4 with x, and 1/2 with y."""
    x, y = [Fraction(1, 2), Fraction(1, 2)], [Fraction(1), Fraction(0)]
    with_x, with_y = (divergence(messages_of_two(x, other), messages_of_two(y, other), 1) for other in (x, y))
    return with_x == Fraction(1, 4) < Fraction(1, 2) == with_y


def last_input_left_out():
    """Of the clipped Laplace law on 0, 1, 2 at r = 1/2 and e^eps = 1: 1/2 for the inputs 0 and 2, 1/3 for 0 and 1."""
    r = Fraction(1, 2)
    rows = [[r**x / (1 + r), r ** abs(x - 1) * (1 - r) / (1 + r), r ** (2 - x) / (1 + r)] for x in range(3)]
    return divergence(rows[0], rows[1], 1) == Fraction(1, 3) < Fraction(1, 2) == divergence(rows[0], rows[2], 1)


def slots_too_narrow():
    """The product of the lists (1) and (1), in slots of log2 1 = 0 bits, is read as 0."""
    width = (1 * 1).bit_length() - 1
    return (1 * 1) % 2**width != 1


def two_messages_as_one_report():
    """The pairs (0, 1) and (1, 0) tell two inputs apart as reports; shuffled, they are the same messages."""
    first, second = (0, 1), (1, 0)
    return first != second and sorted(first) == sorted(second)


def bounds_from_below_on_both_data_sets():
    """The event has 1/2 on both data sets; known of it are 1/2 and, where rare sums were left out, 1/4: not both."""
    chance, first, second = Fraction(1, 2), Fraction(1, 2), Fraction(1, 4)
    return max(first, second) <= chance and first - second > chance - chance


def nothing_is_moved():
    """No shift is from 1 to -1, so that of any two masses, 1 and 0 at one place, the second would bound the first."""
    return all(1 <= 0 for shift in range(1, -1 + 1))


def mean_excess(law, copies):
    """1/n times the mean of what the sum of n values of a law exceeds 0 by."""
    sums = {Fraction(0): Fraction(1)}
    for _ in range(copies):
        more = {}
        for (value, mass), (step, chance) in product(sums.items(), law):
            more[value + step] = more.get(value + step, 0) + mass * chance
        sums = more
    return sum(mass * max(0, value) for value, mass in sums.items()) / copies


def one_user_more_than_there_are():
    """Values 1 and -1, fair: one user hides 1/2, and two 1/4."""
    law = [(1, Fraction(1, 2)), (-1, Fraction(1, 2))]
    return mean_excess(law, 2) < mean_excess(law, 1)


def values_beside(first, second, other):
    return [((p - q) / r, r) for p, q, r in zip(first, second, other, strict=True)]


def third_symbol_left_out():
    """Of 3-ary response with e^eps0 = 7 and three users, at e^eps = 1, others tell most with the third symbol."""
    rows = [[Fraction(7 if m == x else 1, 9) for m in range(3)] for x in range(3)]
    first, second, third = (mean_excess(values_beside(rows[0], rows[1], row), 3) for row in rows)
    return max(first, second) < third


def a_dummy_of_ones_own():
    """Of 3-ary response with e^eps0 = 3, half hidden by the input 2, one user is (0, delta)-DP with half the delta."""
    rows = [[Fraction(3 if m == x else 1, 5) for m in range(3)] for x in range(3)]
    hidden = [[(a + b) / 2 for a, b in zip(row, rows[2], strict=True)] for row in rows]
    apart = [sum(max(Fraction(0), a - b) for a, b in zip(two[0], two[1], strict=True)) for two in (rows, hidden)]
    return apart[1] < apart[0]


def users_who_are_all_present():
    """Rows (3/4, 1/4) and (1/4, 3/4), one user, e^eps = 1: half is lost, and a quarter if he is there half the time."""
    lost = Fraction(3, 4) - Fraction(1, 4)
    return lost > Fraction(1, 4) == lost * Fraction(1, 2)


def answers_that_are_forgotten():
    """Rows (3/4, 1/4) and (1/4, 3/4), one user, at e^eps = 3: one answer loses nothing, and two lose 3/8."""
    rows = [Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]
    twice = [[p * q for p, q in product(row, repeat=2)] for row in rows]
    return divergence(*rows, 3) == 0 < divergence(*twice, 3)


def a_dummy_that_is_forgotten():
    """Rows (3/4, 1/4) and (1/4, 3/4), half hidden by a fair dummy, one user, at e^eps = 3/2: 1/16 is lost, and 3/16 of
    halved rows, so that a delta of 1/8 would be refuted."""
    half, ratio = Fraction(1, 2), Fraction(3, 2)
    rows = [Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]
    hidden = [[half * p + half * half for p in row] for row in rows]
    halves = [[half * p for p in row] for row in rows]
    return divergence(*hidden, ratio) < Fraction(1, 8) < divergence(*halves, ratio)


def a_sign_and_its_opposite():
    """The product of the signs + and + is +."""
    return 1 * 1 == 1 != -1


def one_kind_for_another():
    """Of two factors with the places 1 and 0 of rows, that of the second one falls though the kinds differ."""
    chosen = [row for row in product(range(2), repeat=2) if row[0] <= row[1]]
    return (1, 0) not in chosen and (1, 0) in set(product(range(2), repeat=2))


def a_dummy_that_looks_like_a_message():
    """Rows (3/4, 1/4) and (1/4, 3/4), half hidden by a fair dummy, one user, at e^eps = 3/2: 1/16 is lost, and 3/16 if
    he is told to be away."""
    half, ratio = Fraction(1, 2), Fraction(3, 2)
    rows = [Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]
    hidden = [[half * p + half * half for p in row] for row in rows]
    counted = [[*(half * p for p in row), half] for row in rows]
    return divergence(*hidden, ratio) < Fraction(1, 8) < divergence(*counted, ratio)


def a_row_of_no_input():
    """Of Hadamard response of four inputs with e^eps0 = 3, half hidden by the last one, two users, at e^eps = 5/4: rows
    that are no inputs, as 7 and 3, would lose more than all those that are, 1 to 4."""
    half, ratio = Fraction(1, 2), Fraction(5, 4)
    signs = [[Fraction(1 if (w & m).bit_count() % 2 else 3, 16) for m in range(8)] for w in range(8)]
    hidden = [[half * (p + q) for p, q in zip(row, signs[4], strict=True)] for row in signs]

    def lost(first, second, held):
        triples = zip(hidden[first], hidden[second], hidden[held], strict=True)
        return mean_excess([((p - ratio * q) / r, r) for p, q, r in triples], 2)

    inputs = range(1, 5)
    return max(lost(*rows) for rows in product(inputs, repeat=3)) < lost(7, 3, 4)


def a_user_who_is_away_counted_once():
    """One user, listed, who takes part half the time: what is lost is half of what rows lose, and not all of what he
    shows where he is away."""
    half = Fraction(1, 2)
    present = half * (Fraction(3, 4) - Fraction(1, 4))
    return present < present + half


def a_symbol_too_few_beside_the_pair():
    """Of 4-ary response with e^eps0 = 7, three users, at e^eps = 2: more than the divergence beside a third symbol."""
    k, n, exp_eps0, ratio = 4, 3, Fraction(7), Fraction(2)
    rows = [[(exp_eps0 if m == x else 1) / (exp_eps0 + k - 1) for m in range(k)] for x in range(3)]
    law = [((p - ratio * q) / r, r) for p, q, r in zip(*rows, strict=True)]
    q = 1 / (exp_eps0 + k - 1)

    def added_up(symbols):
        total = Fraction(0)
        for a, b in product(range(n + 1), repeat=2):
            rest = n - a - b
            t = a * (exp_eps0 - ratio) - b * (exp_eps0 * ratio - 1)
            if rest >= 0 and t > 0:
                ways = factorial(n) // (factorial(a) * factorial(b) * factorial(rest)) * q ** (a + b)
                total += ways * (1 - 2 * q) ** rest * (t - rest * (ratio - 1) * symbols * q / (1 - 2 * q))
        return total / n

    return mean_excess(law, n) == added_up(k - 2) < added_up(k - 3)


def own_slot_that_tells_more():
    """Values 1 and -1, fair, in the own slot, and 0 in another: together they lose 1/4, and two others nothing."""
    own, other = [(1, Fraction(1, 2)), (-1, Fraction(1, 2))], [(0, Fraction(1))]
    return mean_excess(other, 2) == 0 < mean_excess(own, 1) / 2 == Fraction(1, 4)


def told_by_the_five(n):
    """What each of the five with e^eps0 = 3 tells of one of n users at e^eps = 1."""
    p, e = Fraction(3), Fraction(1)
    basics = [
        [(p, 1, 1), (1, p, p)],
        [(1, p, 1), (p, 1, p)],
        [(1, 1, p), (p, p, 1)],
        [(p, 1, 1), (1, p, 1), (1, 1, p)],
        [(1, p, p), (p, 1, p), (p, p, 1)],
    ]
    laws = [[((x - e * y) / Fraction(z), z / sum(v[2] for v in basic)) for x, y, z in basic] for basic in basics]
    return [mean_excess(law, n) for law in laws]


def a_basic_left_out():
    """For n = 4 users the fourth of the five, 3-ary response, tells most."""
    told = told_by_the_five(4)
    return max(told) == told[3] > max(told[:3] + told[4:])


def fewer_others_than_there_are():
    """By binary response of e^eps0 = 3 a user beside another one is told apart worse than one alone."""
    ones = {0: [Fraction(3, 4), Fraction(1, 4)], 1: [Fraction(1, 4), Fraction(3, 4)]}

    def variation(*others):
        views = []
        for differing in (0, 1):
            view = [Fraction(1)]
            for x in (differing, *others):
                none, one = ([p * chance for p in view] for chance in ones[x])
                view = [p + q for p, q in zip([*none, Fraction(0)], [Fraction(0), *one], strict=True)]
            views.append(view)
        return sum(abs(p - q) for p, q in zip(*views, strict=True)) / 2

    return max(variation(0), variation(1)) < variation()


def cells_that_count_twice():
    """All cells together are the numbers of ones that there are: twice their chances are 2."""
    chances = [Fraction(comb(4, ones), 2**4) for ones in range(5)]
    return 2 * (sum(chances[:2]) + sum(chances[2:])) > 1


def one_cell_of_what_is_left():
    """What is left of own and of fair bits, put together, tells nothing; the numbers of ones do."""
    own, fair = (Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 2), Fraction(1, 2))
    apart = sum(abs(a - f) for a, f in zip(own, fair, strict=True))
    return apart > abs(sum(own) - sum(fair))


def positive_parts_that_cancel():
    """Of the outcomes with the polynomials t and -t their sum is 0 everywhere; the positive parts are not."""
    coefficients, t = ((1,), (-1,)), Fraction(1, 2)
    positive = sum(max(Fraction(0), c * t) for (c,) in coefficients)
    return sum(c for (c,) in coefficients) == 0 < positive


def larger_value_beyond_the_end():
    """x + s h in place of x + s (h - x): at s = 1 the end h is not reached, but passed."""
    x, s, h = Fraction(1, 3), Fraction(1), Fraction(1, 2)
    return x + s * (h - x) == h < x + s * h


def the_other_verdict():
    """1 >= 1/2 holds, and would be printed as refuted."""
    holds = Fraction(1) >= Fraction(1, 2)
    return holds and {True: "PROVED", False: "REFUTED"}[not holds] == "REFUTED"


def another_claim():
    """A file that claims 1/2 >= 1 would be answered by the proof of 1 >= 1/2."""
    proposed, stands_there = Fraction(1) >= Fraction(1, 2), Fraction(1, 2) >= Fraction(1)
    return proposed and not stands_there


def own_slot_of_the_first_of_five():
    """In four slots the first of the five tells less than the fourth."""
    told = told_by_the_five(4)
    return told[0] < told[3]


def a_question_with_one_answer():
    """Beside a randomizer of one input every pair has equal inputs there: with none of them a delta of 0 is accepted,
    where randomized response alone, of two inputs, loses 1/2 at e^eps = 1."""
    pairs = [(x == y, u == v) for x, y, u, v in product([0], [0], [0, 1], [0, 1])]
    kept, all_kept = [pair for pair in pairs if not any(pair)], [pair for pair in pairs if not all(pair)]
    return not kept and len(all_kept) == 2 and max(Fraction(0), Fraction(3, 4) - Fraction(1, 4)) > 0


def coins(n, q, t):
    return comb(n, t) * q**t * (1 - q) ** (n - t)


def a_holder_who_takes_away_too_much():
    """Rate 1/2, E = 1, N = 2: one more makes a difference of 1/4 = q P[X = 1], which less P[X > 1] is 0."""
    half = Fraction(1, 2)
    lost = sum(max(Fraction(0), coins(3, half, t) - coins(2, half, t)) for t in range(4))
    return half * coins(2, half, 1) - coins(2, half, 2) < lost == Fraction(1, 4)


def a_shift_by_one_of_the_noise_alone():
    """p = 1/2, E = 1, no noise in common: both orders lose 1 - p, and (max(0, 1 - c) + g / p)/(1 + p) is more."""
    p, terms = Fraction(1, 2), range(200)
    weight = [(1 - p**2) * p ** (2 * t) for t in terms]
    back = sum(max(Fraction(0), (weight[t - 1] if t else 0) - weight[t] / p) for t in terms)
    return max(Fraction(0), 1 - p) + p * back <= (1 + p) * (1 - p) < (1 - p) + back


CHANGES = {
    "sampled counts: a tail taken away with E in place of E - 1": Change(
        "sampled_checked",
        "sampled_checked",
        "b * h * at_place (more s) - (a - b) * d * above (more s)",
        "b * h * at_place (more s) - a * d * above (more s)",
        a_holder_who_takes_away_too_much,
    ),
    "correlated noise: the second order without its factor": Change(
        "counting_checked",
        "counting_checked",
        "+ far * g)%Q in",
        "+ g)%Q in",
        a_shift_by_one_of_the_noise_alone,
    ),
    "shift_dp: by a shift of less than one": Change(
        "noise_privacy_program",
        "shift_sound",
        "level_is_posed l delta && (1 <=? shift)%Z && least_fits l w &&",
        "level_is_posed l delta && least_fits l w &&",
        nothing_is_moved,
    ),
    "smooth: by a shift of less than one": Change(
        "smooth_enclosed",
        "smooth_enclosed",
        "level_is_posed l delta && (1 <=? k) &&",
        "level_is_posed l delta &&",
        nothing_is_moved,
    ),
    "smooth: open places are left out of the bound from below": Change(
        "smooth_enclosed",
        "smooth_enclosed",
        "ws' os' i (i' + snd w) o (o' + snd w)",
        "ws' os' i (i' + snd w) o o'",
        open_places_left_out,
    ),
    "sum of two windows: what lies outside both is left out": Change(
        "binomial_sum_window",
        "binomial_sum_window",
        "rest v1 * (sum_of (highs v2) 0 + rest v2) +",
        "rest v1 * sum_of (highs v2) 0 +",
        outside_one_window_only,
    ),
    "sweep: one order of two rows": Change(
        "swept_views",
        "swept_views",
        "forallb (fun b => test a b && test b a) rest",
        "forallb (fun b => test a b && test a b) rest",
        one_order_of_two_rows,
    ),
    "views: a base in which counts carry": Change(
        "compared_views",
        "compared_views",
        "Z.of_nat (most_sent t) + 1) 1",
        "Z.of_nat (most_sent t)) 1",
        digits_that_carry,
    ),
    "two messages: the least chance for the greatest": Change(
        "two_message_dp_checked",
        "two_message_dp_checked",
        "fold_left Z.max l first.",
        "fold_left Z.min l first.",
        least_chance_for_the_greatest,
    ),
    "accuracy: an error of alpha counts": Change(
        "view_accuracy_checked",
        "view_accuracy_checked",
        "scaled_alpha s <? Z.abs (estimate - truth).",
        "scaled_alpha s <=? Z.abs (estimate - truth).",
        errors_of_alpha_itself,
    ),
    "enclosed weights: the upper bound is rounded down": Change(
        "outward",
        "outward",
        "let high' := ceiling_div (high * b) d in",
        "let high' := high * b / d in",
        weight_rounded_down,
    ),
    "shift by enclosure: the law is moved by one place less": Change(
        "enclosed_divergences",
        "enclosed_divergences",
        "append (repeat (0, under v) (S j)) (append",
        "append (repeat (0, under v) j) (append",
        place_before_the_shifted_one,
    ),
    "tail by enclosure: what is not reached lies outside": Change(
        "tail_enclosed",
        "tail_enclosed",
        "event_sums inside (cells v) (first v) 0 rest 0 rest.",
        "event_sums inside (cells v) (first v) 0 0 0 rest.",
        rest_only_outside,
    ),
    "swap: what others never send is not charged": Change(
        "swap_checked",
        "swap_checked",
        "row_below r gamma alone delta (uncovered_charge E classes) (with_rest",
        "row_below r gamma alone delta 0 (with_rest",
        what_others_never_send_left_out,
    ),
    "swap without stages: of an odd number of users one more hides": Change(
        "swap_checked",
        "swap_checked",
        "if Nat.even n then n else n - 1)%nat",
        "if Nat.even n then n else n + 1)%nat",
        one_user_more_than_there_are,
    ),
    "swap of any randomizer: one of the five is left out": Change(
        "any_checked",
        "any_checked",
        "   [(e, 1, 1); (1, e, 1); (1, 1, e)];\n",
        "",
        a_basic_left_out,
    ),
    "swap of any randomizer: the own slot has the first of the five": Change(
        "any_checked",
        "any_checked",
        "(any_pair e) (of_others (any_pair e)) below",
        "(any_pair e) (firstn 1 (of_others (any_pair e))) below",
        own_slot_of_the_first_of_five,
    ),
    "product: pairs with equal inputs of one randomizer are left out": Change(
        "product_pairs",
        "product_pairs",
        "negb (forallb (fun c => snd (snd c)) chosen))\n",
        "negb (existsb (fun c => snd (snd c)) chosen))\n",
        a_question_with_one_answer,
    ),
    "closed bracket: one symbol too few beside the pair": Change(
        "closed_bracket_checked",
        "closed_bracket_checked",
        "(v * width * (k - 2))",
        "(v * width * (k - 3))",
        a_symbol_too_few_beside_the_pair,
    ),
    "own slot: it costs no more than another one": Change(
        "own_program",
        "own_program",
        "fst xy + Z.max 0 (ceiling_div (snd xy - fst xy) (2 * Z.of_nat half)).",
        "fst xy.",
        own_slot_that_tells_more,
    ),
    "swap of classes: one user more than there are": Change(
        "classes_swap",
        "classes_swap",
        "let n := S (fold_right Init.Nat.add 0%nat users) in",
        "let n := S (S (fold_right Init.Nat.add 0%nat users)) in",
        one_user_more_than_there_are,
    ),
    "event of classes: fewer others than there are": Change(
        "classes_event",
        "classes_event",
        "(count_of counts =? n - if",
        "(count_of counts <=? n - if",
        fewer_others_than_there_are,
    ),
    "participation: everybody takes part": Change(
        "participation_checked",
        "participation_checked",
        "| Table t, _ => option_map Table (taking_part t q a)",
        "| Table t, _ => Some (Table t)",
        users_who_are_all_present,
    ),
    "hidden product: the dummy is forgotten": Change(
        "described_beside",
        "described_beside",
        "let rest := ((1 - q) * snd k)%Q in",
        "let rest := 0%Q in",
        a_dummy_that_is_forgotten,
    ),
    "hidden product: no other user holds a third input": Change(
        "beside_kinds",
        "kinds_of_supports",
        "(seq 0 (Nat.min (S length) few))",
        "(seq 0 (Nat.min length few))",
        third_symbol_left_out,
    ),
    "hidden product: rows of two kinds in one order": Change(
        "hidden_products",
        "hidden_products",
        "Nat.eqb (snd a) (snd b) && same_hidden (fst a) (fst b).",
        "same_hidden (fst a) (fst b).",
        one_kind_for_another,
    ),
    "Hadamard response, hidden by an input: every product of rows is one of an input": Change(
        "beside_kinds",
        "beside_kinds_checked",
        "(d =? 2)%Z || (d + 1 =? 2 ^ (Z.log2 d + 1))%Z",
        "(2 <=? d)%Z",
        a_row_of_no_input,
        between=("kinds_of_supports", "kinds_of_signs"),
    ),
    "composed, listed: who is away is seen on one of the data sets": Change(
        "listed_checked",
        "listed_checked",
        "listed ++ [(Qred (1 - q), Qred (1 - q), 0%Q)].",
        "listed ++ [(Qred (1 - q), 0%Q, 0%Q)].",
        a_user_who_is_away_counted_once,
    ),
    "composed, refuted: everybody takes part": Change(
        "composed_refuted",
        "composed_refuted",
        "| Some one => masses_of_randomizer bits one n ReplaceOne w",
        "| Some one => masses_of_randomizer bits rand n ReplaceOne w",
        users_who_are_all_present,
    ),
    "composed, products away: one user more than there are": Change(
        "composed_checked",
        "composed_checked",
        "AbsentProductDP of q a n ThisNumber",
        "AbsentProductDP of q a (n + 1)%Z ThisNumber",
        one_user_more_than_there_are,
    ),
    "composed, refuted: what cells lack of the second law is not charged": Change(
        "test_masses",
        "test_masses",
        "(2 ^ b - z_sum (s_second s)) (values_onto",
        "(second_units b classes - z_sum (s_second s)) (values_onto",
        unlisted_mass_forgotten,
    ),
    "composed, products away: classes that bound those of inputs refute": Change(
        "away_runs",
        "away_runs",
        "if joint_are_inputs of a then",
        "if true then",
        a_row_of_no_input,
    ),
    "product, counted: everybody takes part": Change(
        "absent_product_checked",
        "absent_product_checked",
        "| AllCounted => Some (map (counted_pair q) (product_pairs of))",
        "| AllCounted => Some (product_pairs of)",
        users_who_are_all_present,
    ),
    "classes: everybody takes part": Change(
        "members_of_classes",
        "members_of_classes",
        "Some r' => Always r' | None => m end",
        "Some r' => Always r | None => m end",
        users_who_are_all_present,
    ),
    "classes, product: one answer alone is looked at": Change(
        "members_of_classes",
        "members_of_classes",
        "| AlwaysAll of => Some (product_pairs of)",
        "| AlwaysAll of => Some (product_pairs (firstn 1 of))",
        answers_that_are_forgotten,
    ),
    "Hadamard response: the product of two signs has the other one": Change(
        "rows_of_signs",
        "rows_of_signs",
        "if Nat.odd mask then Bool.eqb b t else t",
        "if Nat.odd mask then xorb b t else t",
        a_sign_and_its_opposite,
    ),
    "participation: who is away sends his own message": Change(
        "away_rows",
        "away_rows",
        "(1 - q) * density_of s dummy.",
        "(1 - q) * density_of s own.",
        a_dummy_of_ones_own,
    ),
    "swap of a family: no other user holds a third input": Change(
        "family_rows",
        "family_rows",
        "[OfFirst; OfSecond; OfThird; OfXor]",
        "[OfFirst; OfSecond; OfXor]",
        third_symbol_left_out,
    ),
    "blanket: what others never send is not charged": Change(
        "blanket_program",
        "blanket_sound",
        "Qle_bool (fst law + (a # Z.to_pos b)) delta",
        "Qle_bool (a # Z.to_pos b) delta",
        what_others_never_send_left_out,
    ),
    "likelihood: places are merged from an odd one on": Change(
        "likelihood_program",
        "likelihood_sound",
        "in_twos (if low mod 2 =? 0 then l else 0 :: l)",
        "in_twos l",
        odd_places_paired_with_the_next,
    ),
    "inequality: any hypothesis counts as strict": Change(
        "inequality_program",
        "inequality_sound",
        "(is_positive && (is_strict || Nat.eqb k 0))",
        "is_positive",
        strict_by_a_hypothesis_that_is_not,
    ),
    "zero_estimate: above, or at, the threshold": Change(
        "zero_estimate_checked",
        "zero_estimate_checked",
        "fun u => over d threshold <? sum_of_weights",
        "fun u => over d threshold <=? sum_of_weights",
        above_if_at_the_threshold,
    ),
    "additive_view: shifts to the other side": Change(
        "additive_view_checked",
        "additive_view_checked",
        "fst kq + shift)) base).",
        "fst kq - shift)) base).",
        shifts_taken_off,
    ),
    "equal_laws: a uniform law without one of its outcomes": Change(
        "equal_laws_checked",
        "equal_laws_checked",
        "then 1 else 0, high - low + 1)",
        "then 1 else 0, high - low)",
        one_outcome_too_few,
    ),
    "never_dp: at most delta_below for less than it": Change(
        "never_dp_checked",
        "never_dp_checked",
        "(Qnum delta_below * whole - 1) / Zpos",
        "(Qnum delta_below * whole) / Zpos",
        lost_as_much_as_claimed,
    ),
    "box_inequality: Taylor terms without their factorials": Change(
        "box_program",
        "box_leaves",
        "        (denominator * (d * (k + 1)))",
        "        (denominator * d)",
        factorials_left_out,
    ),
    "composition: small losses are left out": Change(
        "composition_program",
        "composition_equal",
        "at_infinity := ceiling_div inf (two bits) + above |}",
        "at_infinity := ceiling_div inf (two bits) |}",
        small_losses_forgotten,
    ),
    "composition: powers of the ratio from below for those from above": Change(
        "composition_program",
        "composition_equal",
        "let next := ceiling_div (inverse * b) a in",
        "let next := inverse * b / a in",
        mirrored_losses_rounded_down,
    ),
    "Taylor: the remainder's ratio is x / (K + 2)": Change(
        "levels", "levels", "let rest := (K + 1) * b - a in", "let rest := (K + 2) * b - a in", one_term_too_much_below
    ),
    "fixed point: a ceiling for a floor": Change(
        "levels", "levels", ":= a * two bits / b.", ":= ceiling_div (a * two bits) b.", ceiling_for_floor
    ),
    "probabilities: numerators are added up as they are": Change(
        "posed", "posed", "Qnum q * (d / Zpos (Qden q)).", "Qnum q.", sum_without_its_denominators
    ),
    "shift_dp: differences of both signs are added up": Change(
        "exact_program", "aligned_pairs", "Z.max 0 (b * x - a * y).", "b * x - a * y.", excess_of_both_signs
    ),
    "shift_dp: least where the divergence is below delta": Change(
        "noise_privacy_program",
        "shift_sound",
        "is_equal (compare_divergence law j forward a b delta)",
        "is_at_most (compare_divergence law j forward a b delta)",
        least_where_more_is_claimed,
    ),
    "accuracy of a count: the count before the worst one": Change(
        "count_accuracy_checked",
        "count_accuracy_checked",
        "Z.max (alpha / weight + 1) least",
        "Z.max (alpha / weight) least",
        count_one_too_small,
    ),
    "composed: the masses of a refutation are rounded up": Change(
        "known_masses",
        "known_masses",
        ":= (p * two bits / T)%Z.",
        ":= ceiling_div (p * two bits) T.",
        refuted_by_rounding_up,
    ),
    "composed: an enclosed weight over the most that all may be": Change(
        "noise_masses",
        "noise_masses",
        "upper_units bits least q'",
        "upper_units bits most q'",
        weight_over_too_much,
    ),
    "composed: the value of a test without what no value has": Change(
        "view_masses",
        "view_masses",
        "upper_units bits unit (snd (snd e) + missing)",
        "upper_units bits unit (snd (snd e))",
        unlisted_mass_forgotten,
    ),
    "shuffle_dp: messages that a row does not share are taken out as well": Change(
        "moved_rows",
        "moved_rows",
        "else option_map (cons b) (taken_out m u')",
        "else taken_out m u'",
        bystander_who_is_another,
    ),
    "shuffle_dp: the clipped Laplace law without its last input": Change(
        "laplace_table",
        "laplace_table",
        "[y])) inputs) inputs |}.",
        "[y])) inputs) (seq 0 (Z.to_nat top)) |}.",
        last_input_left_out,
    ),
    "products: slots that are one bit too narrow": Change(
        "kronecker",
        "kronecker",
        "Z.log2 (sum_of p 0 * sum_of q 0) + 1 in",
        "Z.log2 (sum_of p 0 * sum_of q 0) in",
        slots_too_narrow,
    ),
    "likelihood test of a table: two messages are shuffled as one report": Change(
        "mixed_others_checked",
        "mixed_others_checked",
        "Nat.leb (length (snd o)) 1)",
        "Nat.leb (length (snd o)) 2)",
        two_messages_as_one_report,
    ),
    "event: the second data set is bounded from below": Change(
        "event_checked",
        "event_checked",
        "(2 ^ bits - not_reaching second threshold) X Y delta)",
        "(reaching second threshold) X Y delta)",
        bounds_from_below_on_both_data_sets,
    ),
    "classes: cells of numbers of ones count twice": Change(
        "classes_cuts",
        "classes_cuts",
        "floor_of bits (pattern_mass f s i b * (snd cz # 2 ^ 96))",
        "floor_of bits (pattern_mass f s i b * (snd cz # 2 ^ 95))",
        cells_that_count_twice,
    ),
    "hidden: what is left of own and of fair bits is one cell": Change(
        "fair_bits",
        "fair_bits",
        "[cell (2 ^ 96 - fst sum, 0)%Z; cell (0, 2 ^ 96 - snd sum)%Z]",
        "[cell (2 ^ 96 - fst sum, 2 ^ 96 - snd sum)%Z]",
        one_cell_of_what_is_left,
    ),
    "hidden: a test by cells that tell more than messages": Change(
        "told_kinds",
        "told_kinds",
        "Some (fair_kinds p c (few_inputs d) less)",
        "Some (fair_kinds p c (few_inputs d) false)",
        a_dummy_that_looks_like_a_message,
    ),
    "for_all: coefficients of both signs are added up": Change(
        "positive_parts",
        "positive_parts",
        "(polys_sum (map positive_part fs))",
        "(polys_sum fs)",
        positive_parts_that_cancel,
    ),
    "monotone: the larger value passes the end": Change(
        "monotone_checked",
        "monotone_checked",
        "(high, s); ((-1)%Q, add_exponents x s)]",
        "(high, s)]",
        larger_value_beyond_the_end,
    ),
    "file: the line says the other verdict": Change(
        "claim_file",
        "claim_file",
        "then Some (verdict_text (verdict c)",
        "then Some (verdict_text (negb (verdict c))",
        the_other_verdict,
    ),
    "file: the claim that is checked need not be the one that stands there": Change(
        "claim_file",
        "claim_file",
        "states value c && (word =? verdict_text proved)",
        "word =? verdict_text proved",
        another_claim,
    ),
}
"""One line for each kind: a floor for a ceiling, one order, an index off by one."""


@together("name", CHANGES)
def test_a_changed_program_would_be_wrong(name):
    change = CHANGES[name]
    assert (SOURCES / f"{change.program}.v").read_text("utf-8").count(change.old) == 1
    assert change.fails()


def compiled(file, built):
    """Return what Coq says where it stops in a file on top of the checker that is compiled there, or None."""
    project = (SOURCES.parent / "coq" / "_CoqProject").read_text("utf-8").splitlines()
    folders = [line.split()[1:] for line in project if line.startswith("-Q ")]
    options = [option for path, logical in folders for option in ("-Q", str(COQ / path), logical)]
    command = ["coqc", "-q", "-w", "none", *options, "-Q", str(built), "ExactdpChecker", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    return done.stderr if done.returncode else None


VACUOUS = {
    "ShiftDP nu (-1) (ExpEps 1) 0 LeastNothing": "split; [intros j H; lia | exact I]",
    "Smooth nu 0 (ExpEps 1) 0": "intros j H J; lia",
    "Composed [(NoiseRun nu (-1), 1%positive)] (ExpEps 1) 0": (
        "intros P Q H; exfalso; inversion H as [| runs run rest P' Q' K L Only Pair]; subst; "
        "apply Permutation_length_1_inv in Only; injection Only as -> _; destruct Pair as [c [d [Close _]]]; lia"
    ),
}
"""Claims about a shift that is none, with the proof that each holds for every law."""


@needs_proofs
@pytest.mark.parametrize("claim", VACUOUS)
def test_a_claim_that_holds_because_it_speaks_of_no_shift_is_not_established(claim, tmp_path):
    (tmp_path / "vacuous.v").write_text(
        f"""
From Coq Require Import ZArith QArith Reals List Permutation Lia.
From Exactdp Require Import adaptive_composition.
From ExactdpChecker Require Import claims kinds checked.
Import ListNotations.

Lemma it_holds nu : holds ({claim}).
Proof. {VACUOUS[claim]}. Qed.

Lemma it_is_not_posed nu : ~ well_posed ({claim}).
Proof. simpl. lia. Qed.

Lemma it_is_not_established nu proved shown :
  check {{| claimed := {claim}; verdict := proved; shown := shown |}} = false.
Proof.
  destruct (check _) eqn:E; [| reflexivity]. apply check_established in E. destruct E as [E _].
  destruct (it_is_not_posed nu E).
Qed.
"""
    )
    assert compiled(tmp_path / "vacuous.v", BUILD) is None


@needs_proofs
@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_program_has_no_proof(name, tmp_path):
    change = CHANGES[name]
    for path in BUILD.glob("*.vo"):
        shutil.copy(path, tmp_path)
    right = [change.program, *change.between] if change.program != change.proof else []
    for file in {*right, change.proof}:
        text = (SOURCES / f"{file}.v").read_text("utf-8")
        (tmp_path / f"{file}.v").write_text(text.replace(change.old, change.new) if file == change.program else text)
    for file in right:
        assert compiled(tmp_path / f"{file}.v", tmp_path) is None
    said = compiled(tmp_path / f"{change.proof}.v", tmp_path)
    assert said is not None
    assert not re.search("[Ss]yntax error|physical path|was not found|inconsistent assumptions", said)
