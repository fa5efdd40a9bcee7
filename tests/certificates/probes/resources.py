"""Work and room: what asks for much is refused as soon as its steps are priced, with little done before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache, partial
from itertools import count
from time import process_time
from typing import Any

import pytest

from tests.certificates.probes.common import Checker, probe, refuses
from tests.certificates.shapes import FILE_BYTES, Grown, text_of
from tests.certificates.shapes_of_boxes import SHAPES

LITTLE = 4 * 10**5  # units of work, which take half a second where the dearest ones are asked for
STEPS = 3 * 10**5  # of a plain loop: what a machine does in a twentieth of a second or less
LOOPS = 80  # so many times as long may a shape take: a few seconds, on any machine


@lru_cache
def shapes() -> dict[str, str]:
    """Every shape, grown to eight tenths."""
    found = {}
    for name, build in SHAPES.items():
        texts = (text_of(build(Grown(share))) for share in (0.8, 0.7))
        found[name] = next(text for text in texts if len(text) <= FILE_BYTES)
    return found


def seconds_of_a_loop() -> float:
    """How long a plain loop takes here and now."""
    began, state = process_time(), 1
    for _ in range(STEPS):
        state = (state * 1103515245 + 12345) % 2**64
    return process_time() - began


@probe
def little_work_is_done_for_little(checker: Checker) -> None:
    """With little work to spend, every shape ends within seconds: no step is dearer than its price."""
    texts, most = shapes(), checker.MAX_WORK
    seconds = LOOPS * max(seconds_of_a_loop() for _ in range(3))
    checker.MAX_WORK = LITTLE
    try:
        for name, text in texts.items():
            began = process_time()
            refuses(checker, lambda text=text: checker.verify_text(text))
            spent = process_time() - began
            assert spent < seconds, f"{name} took {spent:.1f} s of {seconds:.1f} s"
    finally:
        checker.MAX_WORK = most


@probe
def room_is_asked_for(checker: Checker) -> None:
    """128 bytes for the place of each number, and its bits; a list asks as it grows."""
    full = checker.MAX_HELD_BITS // (2**20 + 1024)
    assert refuses(checker, lambda: checker.Work().hold(full, 2**20)) == "nothing"
    assert refuses(checker, lambda: checker.Work().hold(full + 1, 2**20)) == "MalformedCertificateError"
    assert refuses(checker, lambda: checker.Work().listed(iter(int, 1), 2**20)) == "MalformedCertificateError"
    assert checker.Work().listed(iter([1, 2]), 2**40) == [1, 2]


@probe
def what_is_to_come_is_said(checker: Checker) -> None:
    """A refusal says how much work is to come: written out below 10^12, else by its power of ten."""
    for steps, shown in (
        (10**11, "100000000000"),
        (10**12 - 1, "999999999999"),
        (10**12, "about 1e12"),
        (2**33218, "about 1e9999"),
    ):
        with pytest.raises(checker.MalformedCertificateError, match=f": {shown} units of work or more"):
            checker.Work().expect(steps, 0)


@probe
def powers_are_paid_for(checker: Checker) -> None:
    work = checker.Work()
    assert work.power(Fraction(2, 3), 10) == Fraction(2**10, 3**10)
    assert checker.MAX_WORK - work.left == 10
    long = Fraction(2**4000 + 1, 2**4000)
    assert refuses(checker, lambda: work.power(long, 2)) == "nothing"
    assert refuses(checker, lambda: work.power(long, 10**5)) == "MalformedCertificateError"


@probe
def weights_that_rise_beyond_what_the_bits_show(checker: Checker) -> None:
    """Upper weights that double at each step, at 16 bits: 2^16 times the one at the start, and no more."""
    rising = [(1, 2, 1)] * 40
    found = []

    def walk() -> None:
        found.extend(checker.outward(16, iter(rising), (0, 0, 1), checker.Work()))

    assert refuses(checker, walk) == "CertificateRejectedError"
    assert [high for _, high in found] == [2**k for k in range(17, 33)]


@probe
def a_rest_whose_ratios_rise_later(checker: Checker) -> None:
    """What was not reached may fall more slowly than at the end of the walk: by ``later``, the limit of the ratios."""

    def rest(later: tuple[int, int, int]) -> int:
        side = checker.Side(checker.outward(16, iter([(0, 1, 4), (0, 1, 4)]), later, checker.Work()))
        assert list(side) == [(0, 2**14)]
        return int(side.rest)

    assert rest((0, 0, 1)) == -(-(2**14) // 3)
    assert rest((3, 3, 4)) == 3 * 2**14
    law = {"family": "negative-binomial", "r": "1/1000", "p": "9/10"}
    _, above, _ = checker.Noise.read(law, checker.Work()).sides(16, checker.Work())
    weights = list(above)
    assert above.rest == 9 * weights[-1][1]


@probe
def walks_that_are_bound_to_be_long(checker: Checker) -> None:
    """A Poisson law, upwards from its mean: what fits is walked to its end, and what does not is seen at the start."""

    def reached(mean: int) -> tuple[str, int]:
        seen = []

        def ratios() -> Iterator[tuple[int, int, int]]:
            for t in count(mean):
                seen.append(t)
                yield mean, mean, t + 1

        walk = checker.outward(64, ratios(), (0, 0, 1), checker.Work())
        return refuses(checker, lambda: list(walk)), len(seen)

    most = checker.MAX_WORK
    checker.MAX_WORK = 8 * 9 * 1024  # what these weights cost
    try:
        assert reached(10**6) == ("nothing", 8981)
    finally:
        checker.MAX_WORK = most
    assert reached(10**20) == ("MalformedCertificateError", 1025)


@probe
def weights_that_are_listed_are_not_made(checker: Checker) -> None:
    """Only a binomial's weights are made one from the other, for which a comparison pays as well."""
    table = checker.Table.read([["0", "1/2"], ["3", "1/2"]], "x", checker.Work())
    assert (table.step, checker.Table.of({0: 1}, 1).step, checker.Table.binomial(3, Fraction(1, 5)).step) == (0, 0, 3)


@probe
def limits_are_met_exactly(checker: Checker) -> None:
    """What is as large as a limit is checked, and what is larger by one is refused; each limit is made small here."""
    rows = {"messages": "1", "rows": [[{"send": [], "prob": "1/8"}, {"send": ["0"], "prob": "7/8"}]]}
    claim = {"randomizer": rows, "n": "3", "neighbors": "replace-one"}
    accuracy = {"kind": "accuracy", **claim, "dataset": "worst", "weights": ["1"], "offset": "0"}
    accuracy |= {"zero_unless_above": "none", "values": ["0"], "alpha": "9", "beta": "1"}
    del accuracy["neighbors"]
    coins = {"family": "binomial-sum", "n1": "4", "p1": "1/2", "n2": "3", "p2": "1/2"}
    randomizer = checker.Randomizer.read(rows, checker.Work())
    geometric = checker.Noise.read({"family": "geometric", "p": "3/4"}, checker.Work())
    estimate, both = checker.ViewAccuracy.read(accuracy, checker.Work()), checker.Noise.read(coins, checker.Work())
    square = {(2, 0): Fraction(1), (0, 1): Fraction(1)}
    closed = [(True, True)] * 2
    limits: list[tuple[str, int, Callable[[Any], object]]] = [
        ("MAX_LAW_BITS", 4 * 10, lambda work: checker.convolve({0: 1, 1: 1}, {0: 1, 2: 1}, 10, work)),
        ("MAX_TOTAL_BITS", 3 * 4, lambda work: checker.View.read(claim, work).bits),
        ("MAX_TOTAL_BITS", 3 * 4, lambda work: checker.sum_law([{0: 1, 1: 7}], [3], randomizer, work)),
        ("MAX_TOTAL_BITS", 3 * 4, lambda work: estimate.prove({}, work)),
        ("MAX_TOTAL_BITS", (4 + 3) * 2, lambda work: both.table(work)),
        ("MAX_BITS", (5 + 1) * 3, lambda work: geometric.exact(5, work)),
        ("MAX_TAYLOR_BITS", 7 * (2 + 10), lambda work: checker.taylor_sum(Fraction(1, 2), 7, work)),
        ("MAX_BERNSTEIN", 3 * 2, lambda work: checker.check_bernstein(square, closed, False, work)),
        ("MAX_DECIMAL_BITS", 7, lambda work: checker.sum_rows(randomizer, [100])),
        ("MAX_SLOT_BITS", 3 + 3 + 2, lambda work: checker.multiply_lists([7, 1], [7, 1], work)),
        ("MAX_PRODUCT_BITS", 8 * 3, lambda work: checker.multiply_lists([7, 1], [7, 1], work)),
        ("MAX_BITS", 6, lambda work: checker.product_bounds([(56, 56), (56, 56)], 6, work)),
        ("MAX_PRODUCT_BITS", 3 * 2 * 16, lambda work: checker.window(both.first.sides(16, work), 16)),
        ("MAX_WINDOW", 3, lambda work: checker.window(both.first.sides(16, work), 16)),
        ("MAX_STEPS", 6, lambda work: work.spend(6, 1)),
        ("MAX_STEPS", 2, lambda work: checker.Randomizer.read(rows, work)),
    ]
    for name, value, ask in limits:
        original = getattr(checker, name)
        try:
            for most, answer in ((value, "nothing"), (value - 1, "MalformedCertificateError")):
                setattr(checker, name, most)
                assert refuses(checker, partial(ask, checker.Work())) == answer, (name, most)
        finally:
            setattr(checker, name, original)
