"""The search for trees of cuts and for counterexamples; what it finds is checked by the certificates' tests."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from exactdp import Claim, Verdict, certify, verify
from exactdp.claims.claim import Span
from exactdp.symbolic.box import MAX_CUTS, Box, Cut, Interval, Leaf, decide_on_box, simplest
from exactdp.symbolic.sums import ExpTerm

HALF = Fraction(1, 2)
X, ONE = {(1,): Fraction(1)}, {(0,): Fraction(1)}
TANGENT = [ExpTerm(ONE, X), ExpTerm({(0,): Fraction(-1), (1,): Fraction(-1)}, {})]
TINY = Fraction(1, 10**300)


def leaves(tree: Leaf | Cut, box: Box) -> Iterator[tuple[Box, Leaf]]:
    """The parts of a box with their leaves."""
    if isinstance(tree, Leaf):
        yield box, tree
        return
    low, high = box[tree.variable].cut([tree.at])
    for part, child in ((low, tree.low), (high, tree.high)):
        yield from leaves(child, (*box[: tree.variable], part, *box[tree.variable + 1 :]))


def test_the_leaves_of_a_tree_cover_the_box_and_were_accepted() -> None:
    accepted = []

    def holds(part: Box, leaf: Leaf) -> bool:
        is_short = all(side.width <= HALF for side in part)
        if is_short:
            accepted.append((part, leaf))
        return is_short

    box = (Interval(Fraction(0), Fraction(1), False, True), Interval(Fraction(1), Fraction(2)))
    terms = [ExpTerm({(0, 0): Fraction(1)}, {(1, 1): Fraction(1)})]
    tree = decide_on_box(terms, box, strict=True, holds=holds)
    assert isinstance(tree, Cut)
    assert list(leaves(tree, box)) == accepted
    assert sorted((a.low, b.low) for (a, b), _ in accepted) == [(0, 1), (0, 3 * HALF), (HALF, 1), (HALF, 3 * HALF)]
    assert [(a.low_closed, a.high_closed) for (a, b), _ in accepted if a.low == 0] == [(False, True)] * 2


def test_a_minimum_is_cut_where_it_is() -> None:
    tree = decide_on_box(
        TANGENT, (Interval(Fraction(-1), Fraction(2)),), strict=False, holds=lambda part, _: part[0].width < 3
    )
    assert isinstance(tree, Cut)
    assert tree.at == 0


def test_an_irrational_minimum_is_bracketed() -> None:
    """e^x - 2 x is least at ln 2."""
    terms = [ExpTerm(ONE, X), ExpTerm({(1,): Fraction(-2)}, {})]
    tree = decide_on_box(terms, (Interval(Fraction(0), Fraction(2)),), strict=False, holds=lambda p, _: p[0].width < 2)
    assert isinstance(tree, Cut)
    assert isinstance(tree.high, Cut)
    assert 0 < tree.high.at - tree.at < Fraction(1, 2**80)
    assert tree.at < Fraction("0.693147180559945309417232121458176568075500134360255") < tree.high.at


def test_the_search_ends() -> None:
    depths = []

    def never(part: Box, leaf: Leaf) -> bool:
        depths.append(part[0].width)
        return False

    found = decide_on_box([ExpTerm(ONE, {})], (Interval(Fraction(0), Fraction(1)),), strict=False, holds=never)
    assert found is None
    assert min(depths) >= Fraction(1, 2**MAX_CUTS)


@pytest.mark.parametrize(
    ("terms", "strict", "point"),
    [
        (TANGENT, True, 0),
        ([*TANGENT, ExpTerm({(0,): -TINY}, {})], False, 0),
        ([ExpTerm({(1,): Fraction(1), (0,): Fraction(-1, 10**6)}, {})], False, "towards -1"),
        ([ExpTerm({(2,): Fraction(1), (1,): Fraction(-1, 5), (0,): Fraction(99, 10**4)}, {})], False, Fraction(1, 10)),
    ],
)
def test_a_counterexample_has_short_coordinates(terms: Any, strict: bool, point: Any) -> None:
    box = (Interval(Fraction(-1), Fraction(1), False, True),)
    found = decide_on_box(terms, box, strict=strict, holds=lambda *_: False)
    assert isinstance(found, tuple)
    assert box[0].contains(found[0])
    assert found[0] == point or (point == "towards -1" and found[0] < 0)


def test_an_open_end_is_no_counterexample() -> None:
    """x > 0 holds on (0, 1] and fails at 0 only."""
    terms = [({(1,): 1}, {})]
    assert (
        certify(Claim.box_inequality({"x": Span(0, 1, low_is_closed=False)}, terms, strict=True)).verdict
        is Verdict.PROVED
    )
    certificate = certify(Claim.box_inequality({"x": (0, 1)}, terms, strict=True))
    assert certificate.verdict is verify(certificate) is Verdict.REFUTED
    assert certificate.reason == "It fails at x = 0."


def test_what_fails_next_to_an_open_end_only_is_found() -> None:
    """x - 10^-300 is negative on (0, 10^-300)."""
    claim = Claim.box_inequality({"x": Span(0, 1, low_is_closed=False)}, [({(1,): 1, (0,): -TINY}, {})])
    assert certify(claim).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("words", "box", "terms", "parts"),
    [
        ("cosh x <= e^(x^2/2)", (-2, 2), [(1, {(2,): HALF}), (-HALF, {(1,): 1}), (-HALF, {(1,): -1})], 2),
        ("e^-x <= 1 - x + x^2/2", (0, 5), [({(0,): 1, (1,): -1, (2,): HALF}, {}), (-1, {(1,): -1})], 2),
        ("1 + x <= e^x", (-30, 20), [(1, {(1,): 1}), ({(0,): -1, (1,): -1}, {})], 8),
    ],
)
def test_textbook_inequalities(words: str, box: Any, terms: Any, parts: int) -> None:
    listed = [({(0,): p} if not isinstance(p, dict) else p, exponent) for p, exponent in terms]
    certificate = certify(Claim.box_inequality({"x": box}, listed))
    assert certificate.verdict is verify(certificate) is Verdict.PROVED, words
    assert certificate.to_json().count('"corner"') <= parts


DIAGONAL: Any = ({"x": (0, 1), "y": (0, 1)}, [({(2, 0): 1, (1, 1): -2, (0, 2): 1}, {})])
IRRATIONAL: Any = ({"x": (0, 2)}, [({(0,): 4, (2,): -4, (4,): 1}, {})])


@pytest.mark.parametrize("claim", [pytest.param(DIAGONAL, marks=pytest.mark.slow), IRRATIONAL])
def test_what_is_beyond_the_search_is_undecided(claim: Any) -> None:
    """(x - y)^2 >= 0 vanishes on a diagonal, which no cut meets; (x^2 - 2)^2 >= 0 vanishes at an irrational point."""
    certificate = certify(Claim.box_inequality(*claim))
    assert certificate.verdict is Verdict.UNDECIDED
    assert certificate.reason.startswith("Cutting the box into 400 parts gave neither a proof nor a point")


@pytest.mark.parametrize(
    ("low", "high", "found"), [("1/3", "1/2", "1/2"), ("-7/5", "-6/5", "-4/3"), ("5", "6", "5"), ("0.7", "0.7", "7/10")]
)
def test_simplest_fractions(low: str, high: str, found: str) -> None:
    assert simplest(Fraction(low), Fraction(high)) == Fraction(found)
