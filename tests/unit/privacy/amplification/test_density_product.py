"""A number beside the answers to other questions: joint spreads by fine tables, both ends by exact tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from itertools import product as every

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp import Randomizer, ShuffleProtocol
from exactdp.errors import InvalidValueError
from exactdp.mechanisms.density_family import StepFamily
from exactdp.mechanisms.density_product_family import DensityProduct
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.real import Real
from exactdp.privacy.planner import engine_of
from exactdp.randomizers import (
    KAryResponse,
    duchi,
    gaussian,
    hybrid,
    laplace,
    piecewise,
    product,
    randomized_response,
    staircase,
)

REST = randomized_response(3, exp_eps0=4)
STEPS: dict[str, StepFamily] = {
    one.name: one for one in (piecewise(exp_eps0=4), staircase(exp_eps0=3), hybrid(exp_eps0=4))
}
NORMAL = gaussian(sigma=1, delta0="1e-12")
WAVE = laplace(exp_eps0=4)
Row = Sequence[tuple[float, ...]]
Tau = st.sampled_from([-4.0, -1.5, -0.5, 0.0, 0.3, 1.0, 2.5, 6.0])
Share = st.sampled_from([1 / 8, 1 / 4, 0.6, 1.0, 1.5, 4.0, 16.0])
unit = st.floats(min_value=0, max_value=1, allow_subnormal=False)


def excess(row: Row, share: float, tau: float) -> float:
    """E max(0, L - tau) where the answers to other questions make L = share P/R - Q/R."""
    left = 1 - sum(r for _, _, r in row)
    return sum(max(0.0, share * p - q - tau * r) for p, q, r in row) + left * max(0.0, -tau)


def floats(rows: Sequence[Sequence[tuple[Fraction, ...]]]) -> list[Row]:
    return [[tuple(map(float, message)) for message in row] for row in rows]


NORMAL_ROWS = floats(NORMAL.joint_spreads(12).rows)
STEP_ROWS = {name: floats(one.joint_spreads(12).rows) for name, one in STEPS.items()}
WAVE_ROWS = floats(WAVE.joint_spreads(12).rows)


def told(law, *inputs: float, cells: int = 300) -> Row:
    ends = [-math.inf, *(-8 + 17 * k / cells for k in range(cells + 1)), math.inf]
    return [tuple(law(high - x) - law(low - x) for x in inputs) for low, high in pairwise(ends)]


def normal(z: float) -> float:
    return math.erfc(-z / math.sqrt(2)) / 2


def wave(z: float) -> float:
    z *= math.log(4)
    return math.exp(z) / 2 if z < 0 else 1 - math.exp(-z) / 2


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(STEPS)), st.tuples(unit, unit, unit), Share, Tau)
def test_every_triple_of_steps_is_below_a_row_whatever_the_other_answer_says(name, places, share, tau) -> None:
    family = STEPS[name]
    low = family.least_input
    triple = [Fraction(low) + (1 - low) * Fraction(place) for place in places]
    truth = excess([tuple(map(float, masses)) for masses in family.steps(triple)], share, tau)
    assert truth <= max(excess(row, share, tau) for row in STEP_ROWS[name]) + 1e-9


@settings(max_examples=40, deadline=None)
@given(unit, unit, unit, Share, Tau)
def test_every_triple_of_noise_is_below_a_row_whatever_the_other_answer_says(x, y, v, share, tau) -> None:
    for law, rows in ((normal, NORMAL_ROWS), (wave, WAVE_ROWS)):
        truth = excess(told(law, x, y, v), share, tau)
        assert truth <= max(excess(row, share, tau) for row in rows) + 1e-9


def test_the_pair_of_the_two_ends_is_not_enough_beside_an_answer() -> None:
    """It is the worst of the number alone; other rows are needed where the other answer tells more."""
    family, end = STEPS["hybrid"], (Fraction(-1), Fraction(1))
    answer = [(4 / 7, 1 / 7, 1 / 7), (1 / 7, 4 / 7, 1 / 7), (1 / 7, 1 / 7, 4 / 7), (1 / 7, 1 / 7, 1 / 7)]
    assert sum(r for _, _, r in answer) == pytest.approx(1)

    def largest(triples) -> float:
        rows = (list(times(floats([tuple(family.steps(triple))])[0], answer)) for triple in triples)
        return max(sum((p - q) ** 2 / r for p, q, r in row) for row in rows)

    apart = [(*pair, v) for pair in (end, end[::-1]) for v in family.ends()]
    assert largest(every(family.ends(), repeat=3)) > 1.05 * largest(apart)


def times(one: Row, other: Row) -> Row:
    return [(p * x, q * y, r * z) for p, q, r in one for x, y, z in other]


def listed(family: StepFamily) -> Randomizer:
    """The inputs of lower ends as a table: which interval between ends of steps a message lies in."""
    held = family.ends()
    return Randomizer(
        {x: {(k,): masses[at] for k, masses in enumerate(family.steps(held))} for at, x in enumerate(held)}
    )


@pytest.mark.parametrize("name", sorted(STEPS))
@pytest.mark.parametrize("level", ["1", "3/2", "4"])
def test_the_exact_delta_of_the_table_lies_between_the_ends(name: str, level: str) -> None:
    both, table = product(STEPS[name], REST), product(listed(STEPS[name]), REST)
    assert isinstance(both, DensityProduct)
    found = ShuffleProtocol(both, 3000).privacy_profile().bracket(exp_eps=level, relative_bits=10)
    exact = ShuffleProtocol(table, 3000).privacy_profile().bracket(exp_eps=level, relative_bits=10)
    assert found.lower.lo <= exact.upper.hi
    assert exact.lower.lo <= found.upper.hi


def test_the_ends_of_steps_are_near_each_other() -> None:
    both = product(STEPS["hybrid"], randomized_response(4, exp_eps0=4))
    engine = engine_of(ShuffleProtocol(both, 10**4).privacy_profile().source)
    bracket = engine.bracket(Real(Fraction(26, 25)), 12)
    assert bracket.lower.lo < bracket.upper.hi < bracket.lower.lo * Fraction(102, 100)
    assert bracket.lower.lo > Fraction("0.0014")  # the pair of the two ends has 0.0012


def test_noise_beside_an_answer_has_two_ends() -> None:
    found = ShuffleProtocol(product(REST, WAVE), 500).privacy_profile().bracket(exp_eps="3/2", relative_bits=10)
    alone = ShuffleProtocol(REST, 500).privacy_profile().bracket(exp_eps="3/2", relative_bits=10)
    assert alone.upper.hi < found.lower.lo < found.upper.hi


def test_rows_of_normal_noise_lead_beside_each_answer() -> None:
    both = DensityProduct(NORMAL, randomized_response(2, exp_eps0=3))
    joint, rows = NORMAL.joint_spreads(8), both.spreads(8)
    assert len(rows.rows) % len(joint.rows) == 0
    assert rows.leading == 2 * len(rows.rows) // len(joint.rows)
    assert rows.gamma == joint.gamma / 2
    assert both.largest_ratios(10**4) == tuple(3 * most for most in NORMAL.largest_ratios(10**4))


def test_the_local_eps_adds_up() -> None:
    assert product(REST, WAVE).local_epsilon() == LogRational(16)
    eps = product(REST, NORMAL).local_epsilon()
    assert isinstance(eps, Real)
    assert float(enclose_real(eps, relative_bits=53).lo) == pytest.approx(483 / 64 + math.log(4))


def test_an_irrational_eps0_lies_between_two_members() -> None:
    both = product(laplace(exp_eps0="exp(1)"), randomized_response(2, exp_eps0="exp(1)"))
    assert not both.is_rational
    assert both.at_least().is_rational
    assert both.at_most().is_rational
    with pytest.raises(InvalidValueError, match="rational"):
        both.spreads(8)


@pytest.mark.parametrize("factors", [(WAVE, NORMAL), (WAVE, WAVE, REST), (WAVE,)])
def test_two_numbers_are_refused_with_the_repair(factors) -> None:
    with pytest.raises(InvalidValueError, match=r"send real numbers, .* Pass one of them, and duchi"):
        product(*factors)


def test_what_needs_a_table_is_refused() -> None:
    both = product(REST, WAVE)
    for ask in (both.table, both.communication, lambda: both.drawn(None), lambda: both.symbols):
        with pytest.raises(InvalidValueError, match="A computer should run a product with clipped_discrete_laplace"):
            ask()


def test_other_products_stay_as_they_are() -> None:
    assert isinstance(product(duchi(exp_eps0=3), REST), Randomizer)
    assert len(list(every(product(WAVE, REST).ends(), repeat=2))) == 36


def test_a_product_of_an_irrational_eps0_is_answered() -> None:
    both = product(piecewise(exp_eps0="exp(1)"), KAryResponse(3, exp_eps0="exp(1)"))
    ends = ShuffleProtocol(both, 50).privacy_profile().bracket(exp_eps=2)
    beside = [
        ShuffleProtocol(product(piecewise(exp_eps0="exp(1)"), KAryResponse(3, exp_eps0=e)), 50).privacy_profile()
        for e in ("2.718", "2.719")
    ]
    assert beside[0].bracket(exp_eps=2).lower.lo <= ends.upper.hi
    assert ends.lower.lo <= beside[1].bracket(exp_eps=2).upper.hi
