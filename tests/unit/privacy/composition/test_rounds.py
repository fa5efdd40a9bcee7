"""Rounds of questions whose users share a coin, against all views of a few people in fractions."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import Interval, Randomizer, ShuffleProtocol, compose, randomized_response
from exactdp.privacy.composition.attendance import Attendance
from exactdp.privacy.composition.composed import ComposedProfile
from exactdp.privacy.composition.rounds import Round, ShuffledQuestion
from tests.expensive import one_in

Answers = tuple[int, ...]
HALF = Fraction(1, 2)


def binary(first: Fraction, second: Fraction) -> Randomizer:
    """Return a randomizer with these chances of a 1 for the inputs 0 and 1."""
    return Randomizer({x: {(0,): 1 - p, (1,): p} for x, p in enumerate((first, second))})


def view(people: list[tuple[int, Answers]], tables: list[list[Randomizer]]) -> dict[object, Fraction]:
    """Return the law of the histograms of all questions of people who are there, each a class and his answers."""
    law: dict[object, Fraction] = {(): Fraction(1)}
    for question in range(len(tables[0])):
        counts: dict[object, Fraction] = {0: Fraction(1)}
        for own, answers in people:
            row = tables[own][question].rows[answers[question]]
            moved: defaultdict[object, Fraction] = defaultdict(Fraction)
            for ones, weight in counts.items():
                for send, p in row:
                    moved[ones + send[0]] += weight * p  # type: ignore[operator]
            counts = moved
        law = {(*seen, ones): w * p for seen, w in law.items() for ones, p in counts.items()}  # type: ignore[misc]
    return law


def seen(
    people: list[tuple[int, Answers]], tables: list[list[Randomizer]], share: Fraction, absence: str
) -> dict[object, Fraction]:
    """Return the law of what is seen of people of whom each is there with a chance."""
    law: defaultdict[object, Fraction] = defaultdict(Fraction)
    for coins in product((0, 1), repeat=len(people)):
        there = [one for one, coin in zip(people, coins, strict=True) if coin]
        chance = share ** sum(coins) * (1 - share) ** (len(coins) - sum(coins))
        public = coins if absence == "listed" else sum(coins)
        for outcome, p in view(there, tables).items():
            law[public, outcome] += chance * p
    return law


def divergence(first: dict[object, Fraction], second: dict[object, Fraction], exp_eps: Fraction) -> Fraction:
    """Return the hockey-stick divergence."""
    return sum((max(Fraction(0), p - exp_eps * second.get(t, Fraction(0))) for t, p in first.items()), Fraction(0))


def truth(
    tables: list[list[Randomizer]], sizes: tuple[int, ...], place: int, share: Fraction, absence: str, exp_eps: Fraction
) -> Fraction:
    """Return the largest divergence over all data sets."""
    answers = list(product((0, 1), repeat=len(tables[0])))
    others = [own for own, n in enumerate(sizes) for _ in range(n - (own == place))]
    worst = Fraction(0)
    for held in product(answers, repeat=len(others)):
        around = list(zip(others, held, strict=True))
        laws = {own: seen([(place, own), *around], tables, share, absence) for own in answers}
        for first, second in permutations(answers, 2):
            worst = max(worst, divergence(laws[first], laws[second], exp_eps))
    return worst


def round_of(
    tables: list[list[Randomizer]], sizes: tuple[int, ...], place: int, share: Fraction, absence: str
) -> Round:
    """Return the round of these questions."""
    questions = list(zip(*tables, strict=True))
    alone = []
    for each in questions if absence != "listed" else []:
        classes = tuple(zip(each, sizes, strict=True))
        whole = ShuffleProtocol(classes, participation=share, absence=absence)
        alone.append(whole.privacy_profile(user_class=place).source)
    asked = tuple(ShuffledQuestion(each, place) for each in questions)
    return Round(asked, sizes, place, share, absence, tuple(alone))


chances = st.fractions(min_value=Fraction(1, 8), max_value=Fraction(7, 8), max_denominator=8)
tables_of_two = st.tuples(chances, chances).map(lambda pair: binary(*pair))


@one_in(20)
@given(data=st.data())
def test_both_ends_of_a_round_hold(data: st.DataObject) -> None:
    """One round of two questions to at most three people of one or two classes."""
    sizes = data.draw(st.sampled_from([(1,), (2,), (3,), (1, 1), (2, 1), (1, 2)]))
    tables = [[data.draw(tables_of_two) for _ in range(2)] for _ in sizes]
    place = data.draw(st.integers(0, len(sizes) - 1))
    share = data.draw(st.sampled_from([HALF, Fraction(9, 10)]))
    absence = data.draw(st.sampled_from(["counted", "listed"]))
    exp_eps = 1 + data.draw(st.fractions(min_value=0, max_value=1, max_denominator=16))
    exact = truth(tables, sizes, place, share, absence, exp_eps)
    found = delta_of(round_of(tables, sizes, place, share, absence), exp_eps)
    assert found.lo <= exact <= found.hi


def delta_of(one: Round, exp_eps: Fraction, times: int = 1) -> Interval:
    """Return both ends of some rounds."""
    return ComposedProfile(((one, times),)).delta(exp_eps=exp_eps, relative_width="1/50")


def test_questions_that_share_a_coin_give_away_more_than_with_a_coin_each() -> None:
    """One person, two binary responses with e^eps0 = 3, half of the time: 3/16 at e^eps = 3, not the composed 3/32."""
    response = binary(Fraction(1, 4), Fraction(3, 4))
    tables = [[response, response]]
    assert truth(tables, (1,), 0, HALF, "counted", Fraction(3)) == Fraction(3, 16)
    found = delta_of(round_of(tables, (1,), 0, HALF, "counted"), Fraction(3))
    assert found.lo <= Fraction(3, 16) <= found.hi
    assert found.hi < Fraction(3, 16) * (1 + Fraction(1, 1000))
    alone = ShuffleProtocol(response, 1, participation=HALF).privacy_profile()
    assert compose(alone, alone).delta(exp_eps=3) == Fraction(3, 32)


def test_two_rounds_have_coins_of_their_own() -> None:
    """All views of two rounds of one person, multiplied out, lie between the ends."""
    tables = [[binary(Fraction(1, 4), Fraction(3, 4)), binary(Fraction(1, 3), Fraction(2, 3))]]
    worst = Fraction(0)
    for first, second in permutations(product((0, 1), repeat=2), 2):
        laws = [seen([(0, own)], tables, HALF, "listed") for own in (first, second)]
        twice = [{(a, b): p * q for a, p in law.items() for b, q in law.items()} for law in laws]
        worst = max(worst, divergence(*twice, Fraction(2)))
    found = delta_of(round_of(tables, (1,), 0, HALF, "listed"), Fraction(2), times=2)
    assert found.lo <= worst <= found.hi
    assert found.hi < worst * (1 + Fraction(1, 100))


def test_parts_of_many_users_leave_out_little_and_count_nothing_twice() -> None:
    """Above they have at least all of the probability but what is left out, below at most all of it."""
    for sizes, is_certain in product([(2000,), (3000, 1000)], (True, False)):
        attendance = Attendance(sizes, 0, Fraction(9, 10), is_certain)
        above, below = (sum(part.weight for part in parts) for parts in (attendance.above(64), attendance.below(64)))
        assert above + attendance.left_out(64) >= 1
        assert 1 - Fraction(1, 1000) < below <= 1
        assert above < Fraction(102, 100)
        assert all(part.users[0] <= part.least for part in attendance.above(64))
        assert all(part.users[0] >= part.most for part in attendance.below(64))


Steps = list[tuple[bool, list[Randomizer]]]
"""Questions one after another: whether each begins a round, and what each class runs."""


def adaptive_truth(
    steps: Steps, sizes: tuple[int, ...], place: int, share: Fraction, absence: str, exp_eps: Fraction
) -> Fraction:
    """Return the largest divergence where what all people hold at a step is chosen after all that was seen before.

    Under both hypotheses the chances of who is there and what was seen are followed, of all ways to choose.
    """
    people = [place, *(own for own, n in enumerate(sizes) for _ in range(n - (own == place)))]
    coins = list(product((0, 1), repeat=len(people)))
    chances = [share ** sum(one) * (1 - share) ** (len(one) - sum(one)) for one in coins]

    def largest(before: dict[Answers, tuple[Fraction, Fraction]], rest: Steps) -> Fraction:
        sums = [sum(both[side] for both in before.values()) for side in (0, 1)]
        if not rest:
            return max(Fraction(0), sums[0] - exp_eps * sums[1])
        (is_new, runs), *later = rest
        if is_new:
            before = {one: (chance * sums[0], chance * sums[1]) for one, chance in zip(coins, chances, strict=True)}
        best = Fraction(0)
        for own, instead, *others in product((0, 1), repeat=len(people) + 1):
            after: defaultdict[object, dict[Answers, tuple[Fraction, Fraction]]] = defaultdict(dict)
            for there, (p, q) in before.items():
                laws = []
                for answer in (own, instead):
                    held = [
                        (one, (x,))
                        for one, x, is_there in zip(people, (answer, *others), there, strict=True)
                        if is_there
                    ]
                    laws.append(view(held, [[run] for run in runs]))
                for seen_now in {*laws[0], *laws[1]}:
                    ends = (p * laws[0].get(seen_now, 0), q * laws[1].get(seen_now, 0))
                    after[there if absence == "listed" else sum(there), seen_now][there] = ends
            best = max(best, sum((largest(one, later) for one in after.values()), Fraction(0)))
        return best

    return largest({coins[0]: (Fraction(1), Fraction(1))}, steps)


STRONG, WEAK = binary(Fraction(1, 4), Fraction(3, 4)), binary(Fraction(3, 8), Fraction(5, 8))
ADAPTIVE = [
    ((2,), "counted", [[STRONG], [WEAK]], 1),
    ((1, 1), "listed", [[STRONG, WEAK], [WEAK, STRONG]], 1),
    ((2,), "listed", [[STRONG]], 2),
    ((1, 1), "counted", [[STRONG, WEAK], [WEAK, STRONG]], 1),
    ((2, 1), "counted", [[STRONG, WEAK]], 2),
    ((3,), "listed", [[STRONG], [WEAK]], 1),
]


@pytest.mark.parametrize(
    ("sizes", "absence", "questions", "times"),
    [case if number < 1 else pytest.param(*case, marks=pytest.mark.slow) for number, case in enumerate(ADAPTIVE)],
)
def test_what_is_asked_later_may_depend_on_what_was_seen(
    sizes: tuple[int, ...], absence: str, questions: list[list[Randomizer]], times: int
) -> None:
    """A second question of the same round, and a second round, of the worst strategy: never above the upper end."""
    steps = [(not number, runs) for _ in range(times) for number, runs in enumerate(questions)]
    exp_eps = Fraction(5, 4)
    exact = adaptive_truth(steps, sizes, 0, HALF, absence, exp_eps)
    tables = [list(runs) for runs in zip(*questions, strict=True)]
    found = delta_of(round_of(tables, sizes, 0, HALF, absence), exp_eps, times=times)
    assert 0 < found.lo <= exact <= found.hi
    if times == 1:
        assert exact >= truth(tables, sizes, 0, HALF, absence, exp_eps)


@pytest.mark.slow
def test_a_large_round_lies_between_its_questions_and_everybody_taking_part() -> None:
    """Of 2,000 users: more than one question alone, less than both where all take part."""
    response = randomized_response(4, exp_eps0=3)
    one = ShuffleProtocol(response, 2000, participation="9/10").privacy_profile()
    both = compose(*[ShuffleProtocol(response, 2000).privacy_profile()] * 2)
    tables = [[response, response]]
    found = delta_of(round_of(tables, (2000,), 0, Fraction(9, 10), "counted"), Fraction(11, 10))
    assert one.delta(exp_eps="11/10").hi < found.lo
    assert found.hi < both.delta(exp_eps="11/10").lo
    assert found.hi < found.lo * 2
