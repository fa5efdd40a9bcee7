"""Rounds of questions whose users share a coin, against all views of a few people in fractions."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import permutations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp import Randomizer, ShuffleProtocol
from exactdp.privacy.composition.composed import ComposedProfile
from exactdp.privacy.composition.rounds import Round, ShuffledQuestion

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


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_both_ends_of_a_round_hold(data: st.DataObject) -> None:
    """One round of two questions to at most three people of one or two classes."""
    sizes = data.draw(st.sampled_from([(1,), (2,), (3,), (1, 1), (2, 1), (1, 2)]))
    tables = [[data.draw(tables_of_two) for _ in range(2)] for _ in sizes]
    place = data.draw(st.integers(0, len(sizes) - 1))
    share, absence = (
        data.draw(st.sampled_from([HALF, Fraction(9, 10)])),
        data.draw(st.sampled_from(["counted", "listed"])),
    )
    exp_eps = 1 + data.draw(st.fractions(min_value=0, max_value=3, max_denominator=16))
    exact = truth(tables, sizes, place, share, absence, exp_eps)
    found = ComposedProfile(((round_of(tables, sizes, place, share, absence), 1),)).delta(
        exp_eps=exp_eps, relative_width="1/50"
    )
    assert found.lo <= exact <= found.hi
