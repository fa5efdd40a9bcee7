"""The rows about few users: the formulas against counts of pairs of data sets at random points, and changed ones."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product

import pytest
import sympy

from exactdp import Claim, OpenClaim, ShuffleProtocol, Verdict, certify
from exactdp.bounds import clones_delta, stronger_clones_delta
from exactdp.proofs import small_sizes
from exactdp.proofs.clone_bounds import mean_excess, response_values
from exactdp.proofs.published_bounds import published
from exactdp.proofs.row_files import rows_of
from exactdp.symbolic import randomized_response

ORDER = Fraction(3, 2)
ROWS = {row.id: row for row in rows_of("small_sizes")}
Row = Mapping[tuple[int, ...], Fraction]


def at(functions, **point):
    """The largest of the functions at a point, read by SymPy."""
    values = {name: sympy.Rational(value.numerator, value.denominator) for name, value in point.items()}
    return max(Fraction(str(sympy.sympify(f.replace("^", "**"), locals=values))) for f in functions)


def law(rows: list[Row]) -> dict[tuple[int, ...], Fraction]:
    """The multiset of all messages, by listing what everybody sends."""
    found: Counter[tuple[int, ...]] = Counter()
    for sent in product(*(row.items() for row in rows)):
        chance = Fraction(1)
        for _, p in sent:
            chance *= p
        found[tuple(sorted(m for bundle, _ in sent for m in bundle))] += chance  # type: ignore[assignment]
    return dict(found)  # type: ignore[arg-type]


def brute(table: list[Row], n: int, order: Fraction) -> Fraction:
    """The largest excess over all pairs that differ in one record."""
    worst = Fraction(0)
    for others in combinations_with_replacement(table, n - 1):
        laws = [law([*others, row]) for row in table]
        for p, q in permutations(laws, 2):
            worst = max(worst, sum((max(Fraction(0), p[o] - order * q.get(o, Fraction(0))) for o in p), Fraction(0)))
    return worst


def response(k: int, gamma: Fraction) -> list[Row]:
    return [{(y,): (x == y) * (1 - gamma) + gamma / k for y in range(k)} for x in range(k)]


def zsum(gamma: Fraction) -> list[Row]:
    return [{(1,) * x: gamma, (1,) * (x + 1): 1 - gamma} for x in (0, 1)]


def points(seed: int, count: int) -> list[Fraction]:
    rng = random.Random(seed)
    return [Fraction(rng.randint(1, 99), 100) for _ in range(count)]


@pytest.mark.parametrize(
    ("functions", "table"),
    [
        (small_sizes.ZSUM, zsum),
        (small_sizes.BINARY, lambda gamma: response(2, gamma)),
        (small_sizes.TERNARY, lambda gamma: response(3, gamma)),
    ],
    ids=("zsum", "binary", "ternary"),
)
def test_the_formulas_are_the_worst_excess_of_all_pairs(functions, table):
    for n in (1, 2, 3, 4):
        for gamma in points(n, 4):
            assert at(functions[n], gamma=gamma) == brute(table(gamma), n, ORDER)


def test_binary_response_of_many_users_at_points():
    for n in (6, 8, 9, 10):
        for gamma in points(n, 4):
            protocol = ShuffleProtocol(randomized_response(2, gamma=(0, 1)).at(gamma=gamma), n)
            delta = protocol.privacy_profile().exact_delta(exp_eps=ORDER)
            assert at(small_sizes.BINARY[n], gamma=gamma) == delta


def test_one_formula_for_every_order():
    for n, lowest in small_sizes.EVERY_ORDER.items():
        for gamma, more in zip(points(n, 3), points(n + 20, 3), strict=True):
            order = Fraction(lowest) + 3 * more
            t = gamma * (order + 1) / 2
            expected = (1 - t) * (1 - t / (order + 1)) ** (n - 1) if t <= 1 else 0
            protocol = ShuffleProtocol(randomized_response(2, gamma=(0, 1)).at(gamma=gamma), n)
            assert protocol.privacy_profile().exact_delta(exp_eps=order) == expected


def test_gap_at_points():
    for q, s in zip(points(1, 3), points(2, 3), strict=True):
        for n in (1, 2, 3):
            weights = small_sizes.gap_weights("q", "1/5" if n > 1 else "s")
            read = {"q": q, "s": s}
            rows = [{m: at([f], **read) for m, f in row.items()} for row in weights.values()]
            assert brute(rows, n, ORDER) == (q if n == 1 else at(small_sizes.GAP[n], q=q))


def test_the_least_order_of_two_users_of_gap():
    q, s, u = Fraction(3, 8), Fraction(1, 5), Fraction(1, 200)
    rows = [{m: at([f], q=q, s=s) for m, f in row.items()} for row in small_sizes.gap_weights("q", "s").values()]
    assert brute(rows, 2, Fraction(5, 2)) == 0
    assert brute(rows, 2, Fraction(5, 2) - u) == u * s * (1 - s)


def ratios(seed: int, *, step: int = 3) -> list[Fraction]:
    """Random ones, and one of each ``step`` sixteenths up to 8."""
    rng = random.Random(seed)
    return [1 + Fraction(7 * rng.randint(1, 999), 1000) for _ in range(6)] + [
        Fraction(17 + sixteenths, 16) for sixteenths in range(0, 110, step)
    ]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_published_numbers_are_the_largest_of_their_functions(n):
    for p in ratios(n, step=9):
        assert at(small_sizes.CLONES[n], p=p) == clones_delta(n, exp_eps0=p, exp_eps=ORDER)
        assert at(small_sizes.STRONGER[n], p=p) == stronger_clones_delta(n, exp_eps0=p, exp_eps=ORDER)
        assert at(small_sizes.STRONGER[n], p=p) == mean_excess(n, response_values(2, p, ORDER))
        assert at(small_sizes.BLANKET[n], p=p) == mean_excess(n, response_values(3, p, ORDER))


@pytest.mark.parametrize("n", [2, 3])
def test_where_the_published_number_lies_below(n):
    end = 2.0 if n == 2 else 1 + 1.5**0.5
    for p in ratios(n):
        exact = brute(response(3, 3 / (p + 2)), n, ORDER)
        number = at(small_sizes.over_denominator(n, small_sizes.PUBLISHED[n]), p=p)
        assert at(small_sizes.over_denominator(n, small_sizes.EXACT[n]), p=p) == exact
        assert number == published(n, 3, p, ORDER)
        assert (number < exact) == (ORDER < p < end)


TINY = "gamma/10^9"


@pytest.mark.parametrize("n", [1, 3, 6])
def test_changed_formulas_are_not_proved(n):
    """A first formula that is less is refuted, and so is one that is more, for it is not the least."""
    response_of_bits = ShuffleProtocol(randomized_response(2, gamma=(0, 1)), n)
    first, *rest = small_sizes.BINARY[n]
    for sign in "-+":
        delta = [f"{first} {sign} {TINY}", *rest]
        inner = OpenClaim.shuffle_dp(response_of_bits, exp_eps=ORDER, delta=delta, least="delta")
        assert certify(Claim.for_all({"gamma": (0, 1)}, inner)).verdict is Verdict.REFUTED


def test_an_inequality_beyond_the_end_is_refuted():
    above, number = small_sizes.EXACT[3][2], small_sizes.PUBLISHED[3][3]
    for where, verdict in (("2 <= p <= 22/10", Verdict.PROVED), ("2 <= p <= 23/10", Verdict.REFUTED)):
        assert certify(Claim.inequality(f"{above} > {number}", where=where)).verdict is verdict


def test_statements_quote_the_formulas():
    assert "gamma (4 - 5 gamma)/2" in ROWS["small-zsum"].statement
    assert "n = 10: (4 - 5 gamma)(2 - gamma)^9/2048" in ROWS["small-binary-response"].statement
    assert not any("*" in row.statement for row in ROWS.values())


@pytest.mark.parametrize("n", small_sizes.EVERY_ORDER)
def test_at_every_eps_the_formula_is_stated_where_it_is_the_least_delta(n):
    """At e^eps = 1 another pair is worse from n = 3 on: the least e^eps of the row cannot be left out."""
    gamma = Fraction(1, 2)
    response_of_bits = randomized_response(2, gamma=(0, 1)).at(gamma=gamma)
    exact = ShuffleProtocol(response_of_bits, n).privacy_profile().delta(exp_eps=1)
    formula = (1 - gamma) * (1 - gamma / 2) ** (n - 1)
    assert (exact == formula) is (small_sizes.EVERY_ORDER[n] == "1")
    assert f"n = {n}: E in [{small_sizes.EVERY_ORDER[n]}, " in ROWS["small-binary-response-every-eps"].domain
    assert "n = 3, 4, 5, 6, 8 and 10" in ROWS["small-binary-response-every-eps"].statement
