"""Real numbers of users who may be away: exact tables of cells, convex orders, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from itertools import product as every
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp import Claim, Randomizer, ShuffleProtocol
from exactdp.errors import InvalidValueError
from exactdp.laws.binomial import Binomial
from exactdp.mechanisms.density_absence_family import NumbersAway
from exactdp.mechanisms.density_family import DensityFamily, StepFamily
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.input_pairs import SpreadPairs
from exactdp.randomizers import gaussian, hybrid, laplace, piecewise, product, randomized_response, staircase

ONE, HALF = Fraction(1), Fraction(1, 2)
STEPS = [piecewise(exp_eps0=4), staircase(exp_eps0=25), hybrid(exp_eps0=9), hybrid(exp_eps0="3/2")]
PLAIN: dict[str, Any] = {"participation": "3/4"}
MODELS = [PLAIN, {**PLAIN, "absence": "listed"}, {**PLAIN, "absence": "hidden"}]

fractions = st.fractions(min_value=0, max_value=1, max_denominator=64)


def excess(row: Any, exp_eps: Fraction, tau: Fraction) -> Fraction:
    """E max(0, L - tau) of a law."""
    assert sum(r for _, _, r in row) == 1
    return sum((max(Fraction(0), p - exp_eps * q - tau * r) for p, q, r in row), Fraction(0))


def told(family: DensityFamily) -> Randomizer:
    """The table of cells of messages, beside the inputs that lower ends name."""
    table = family.binned(8)[0]
    rows = zip(*(c.others for c in table.classes), strict=True)
    return Randomizer({v: {(m,): p for m, p in enumerate(row) if p} for v, row in zip(table.others, rows, strict=True)})


@pytest.mark.parametrize("away", MODELS, ids=lambda away: away.get("absence", "counted"))
@pytest.mark.parametrize("family", [laplace(exp_eps0=3), STEPS[0], STEPS[2]], ids=lambda family: family.name)
def test_exact_deltas_of_cells_lie_below_the_upper_end(family: DensityFamily, away: dict[str, Any]) -> None:
    """Who is told only cells is told less, whatever the users of a few data sets hold."""
    dummy = {"dummy": ("input", family.ends()[0])} if away.get("absence") == "hidden" else {}
    exact, ends = (ShuffleProtocol(one, 3, **away, **dummy).privacy_profile() for one in (told(family), family))
    for exp_eps in (1, Fraction(3, 2)):
        bracket = ends.bracket(exp_eps=exp_eps)
        delta = exact.delta(exp_eps=exp_eps)
        assert bracket.lower.lo <= (delta if isinstance(delta, Fraction) else delta.hi)
        assert (delta if isinstance(delta, Fraction) else delta.lo) <= bracket.upper.hi


@pytest.mark.parametrize("family", [laplace(exp_eps0=3), STEPS[0]], ids=lambda family: family.name)
def test_the_lower_end_is_that_of_the_table_of_cells(family: DensityFamily) -> None:
    for away in MODELS:
        dummy = {"dummy": ("input", family.ends()[-1])} if away.get("absence") == "hidden" else {}
        ends = ShuffleProtocol(family, 2000, **away, **dummy).privacy_profile().bracket(exp_eps="21/20")
        table = ShuffleProtocol(told(family), 2000, **away, **dummy).privacy_profile().bracket(exp_eps="21/20")
        assert abs(float(ends.lower.lo / table.lower.lo) - 1) < 0.02


def test_more_is_seen_from_model_to_model() -> None:
    """Hidden by the worst input, hidden by another one, counted, listed, for sure."""
    family, models = STEPS[0], [{"absence": "hidden", "dummy": ("input", x)} for x in (1, 0)]
    asked = [ShuffleProtocol(family, 10**4, participation="1/2", **one) for one in (*models, {}, {"absence": "listed"})]
    deltas = [one.privacy_profile().delta(exp_eps="21/20") for one in asked]
    assert all(one.lo <= other.hi for one, other in pairwise(deltas))
    assert all(1 < float(one.hi / one.lo) < 1.02 for one in deltas)
    assert deltas[1].hi < deltas[2].lo
    sure = ShuffleProtocol(family, Binomial(10**4, "1/2")).privacy_profile().delta(exp_eps="21/20")
    assert float(sure.lo / (2 * deltas[3].hi)) == pytest.approx(1, abs=0.02)


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(STEPS), st.tuples(fractions, fractions, fractions), fractions, st.integers(0, 6), st.data())
def test_hidden_steps_are_means_of_vertices(
    family: StepFamily, shares: tuple[Fraction, ...], level: Fraction, place: int, data: Any
) -> None:
    dummy = data.draw(st.sampled_from(family.ends()))
    low, high, _ = family.places
    cells = list(family.steps([*(low + (high - low) * share for share in shares), dummy]))
    hidden = NumbersAway(family, Fraction(2, 3), ("input", dummy))
    mixed = [hidden._mixed(cell) for cell in cells]
    exp_eps = 1 + (family.root**2 - 1) * level
    values = sorted({(p - exp_eps * q) / r for p, q, r in mixed})
    tau = values[min(place, len(values) - 1)]
    rows = hidden.spreads(8).rows
    assert excess(mixed, exp_eps, tau) <= max(excess(row, exp_eps, tau) for row in rows)
    assert max(p / q for p, q, _ in mixed) <= hidden.local_epsilon().argument


def test_without_places_between_the_ends_a_moment_is_missed() -> None:
    family, dummy = staircase(exp_eps0=25), Fraction(1, 3)
    hidden = NumbersAway(family, HALF, ("input", dummy))
    triples = every(family.places[:2], repeat=3)
    fewer = [[hidden._mixed(cell) for cell in family.steps((*triple, dummy))] for triple in triples]

    def moment(row: Any) -> Fraction:
        return sum(((p - q) ** 2 / r for p, q, r in row), Fraction(0))

    assert max(map(moment, hidden.spreads(8).rows)) > Fraction(3, 2) * max(map(moment, fewer))


@pytest.mark.parametrize("away", [PLAIN, MODELS[1]], ids=["counted", "listed"])
def test_thinner_blankets_or_rows_would_move_the_upper_end(away: dict[str, Any]) -> None:
    """A message of who is away that is left out, or counted twice, is another bound."""
    protocol = ShuffleProtocol(laplace(exp_eps0=3), 1000, **away)
    right = protocol.privacy_profile().bracket(exp_eps="11/10").upper
    public = "absence" in away
    (other,) = SpreadPairs(NumbersAway(laplace(exp_eps0=3), Fraction(3, 4), is_public=not public)).bounds_at(
        1000, Real(Fraction(11, 10))
    )
    wrong = other.divergence(1000, Real(Fraction(11, 10)), relative_bits=16)
    assert (wrong.lo > right.hi) == (not public)


def test_the_local_eps_beside_a_dummy() -> None:
    hidden = NumbersAway(laplace(exp_eps0=3), HALF, ("input", 0))
    assert hidden.local_epsilon().argument == 2
    assert hidden.at_most().local_epsilon() == hidden.local_epsilon()
    table = ShuffleProtocol(told(laplace(exp_eps0=3)), 1, participation=HALF, absence="hidden", dummy=("input", 0))
    assert table.local_epsilon == hidden.local_epsilon()
    clipped = NumbersAway(gaussian(sigma=2, delta0="1e-6"), HALF, ("input", 1)).local_epsilon()
    assert "e^" in repr(clipped)


@pytest.mark.slow
def test_gaussian_noise_of_users_who_may_be_away() -> None:
    noise = gaussian(sigma=2, delta0="1e-9")
    deltas = [
        ShuffleProtocol(noise, 10**4, participation=q).privacy_profile().delta(exp_eps="51/50") for q in (1, "1/2")
    ]
    assert deltas[1].hi < deltas[0].lo
    assert float(deltas[0].hi / deltas[0].lo) < 1.05


def test_products_with_numbers_are_counted() -> None:
    both = product(staircase(exp_eps0=4), randomized_response(2, exp_eps0=2))
    deltas = [ShuffleProtocol(both, 2000, participation=q).privacy_profile().delta(exp_eps="6/5") for q in (1, "1/2")]
    assert deltas[1].hi < deltas[0].lo


@pytest.mark.parametrize(
    ("family", "dummy", "words"),
    [
        (STEPS[0], "uniform", r'none of them at random\. Pass dummy=\("input", x\), x one of -1, 0, 1\.'),
        (laplace(exp_eps0=3), ("input", HALF), r"is no input\. Pass .* x one of 0, 1\."),
        (product(STEPS[0], randomized_response(2, exp_eps0=2)), ("input", (0, 0)), r'Pass absence="counted"'),
    ],
)
def test_dummies_that_no_end_knows_are_refused(family: DensityFamily, dummy: Any, words: str) -> None:
    with pytest.raises(InvalidValueError, match=words):
        ShuffleProtocol(family, 100, participation="9/10", absence="hidden", dummy=dummy)


def test_no_claim_states_them() -> None:
    for away in MODELS[:2]:
        protocol = ShuffleProtocol(laplace(exp_eps0=3), 100, **away)
        with pytest.raises(InvalidValueError, match="no claim states products of these, classes or users who"):
            Claim.shuffle_dp(protocol, eps=1, delta="1e-6")


def test_an_answer_names_the_dummy() -> None:
    protocol = ShuffleProtocol(piecewise(exp_eps0=25), 9, **MODELS[2], dummy=("input", Fraction(-3, 5)))
    assert protocol.absence_words.endswith("who is away sends a message of the input -3/5")
