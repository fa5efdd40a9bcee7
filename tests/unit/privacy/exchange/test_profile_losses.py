"""Optimistic privacy loss distributions: nowhere above delta, alone and composed, and not far below."""

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import exactdp as xdp
from exactdp import Binomial, DiscreteLaplace, Law, ShuffleProtocol, errors, laws, protocols, shift_profile
from exactdp.exchange import GridLoss, LossDistribution
from exactdp.privacy.exchange.loss_grid import rounded_grid
from exactdp.privacy.exchange.profile_losses import composed_losses, merged_losses, profile_losses
from exactdp.randomizers import KAryResponse
from tests.expensive import one_in
from tests.thinned import thinned

FLIP = xdp.randomized_response(2, gamma="1/2")
LEVELS = [Fraction(k, 16) for k in (1, 7, 13, 15, 16, 17, 19, 25, 40, 100, 400)]


def below(profile, step="1/1024", exp_eps=None):
    return profile_losses(profile, step=step, up_to=None, pessimistic=False, exp_eps=exp_eps)


def outcomes(first, second):
    """The masses (P, Q) with both positive, by rising ratio."""
    both = [(first.prob(t), second.prob(t)) for t in first if second.prob(t)]
    return sorted(both, key=lambda masses: masses[0] / masses[1])


def curve(masses, infinite, step, exp_eps):
    """The curve of masses on a grid, from its definition."""
    terms = (mass * max(0, 1 - float(exp_eps) * math.exp(-place * step)) for place, mass in masses.items())
    return float(infinite) + math.fsum(map(float, terms))


# --- Merging --------------------------------------------------------------------------------------------------------

WEIGHTS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=2, max_size=9).filter(
    lambda pairs: sum(p for p, _ in pairs) > 0 < sum(q for _, q in pairs)
)


def laws_of(weights):
    totals = [sum(side) for side in zip(*weights, strict=True)]
    return [Law({i: Fraction(w[k], totals[k]) for i, w in enumerate(weights)}) for k in (0, 1)]


@one_in(2)
@given(WEIGHTS, st.sampled_from([Fraction(1), Fraction(1, 4), Fraction(1, 64)]))
def test_merging_never_raises_the_divergence_and_keeps_the_mass(weights, step):
    first, second = laws_of(weights)
    masses = merged_losses(outcomes(first, second), step)
    infinite = sum((first.prob(t) for t in first if not second.prob(t)), Fraction(0))
    assert 0 <= 1 - infinite - sum(masses.values()) <= Fraction(1, 2**100)
    for exp_eps in LEVELS:
        exact = xdp.hockey_stick_divergence(first, second, exp_eps=exp_eps)
        assert curve(masses, infinite, float(step), exp_eps) <= float(exact) + 1e-12


@one_in(2)
@given(WEIGHTS)
def test_merging_in_any_order_never_raises_the_divergence(weights):
    """The order is for the result alone."""
    first, second = laws_of(weights)
    masses = merged_losses(reversed(outcomes(first, second)), Fraction(1, 16))
    infinite = sum((first.prob(t) for t in first if not second.prob(t)), Fraction(0))
    for exp_eps in LEVELS:
        exact = xdp.hockey_stick_divergence(first, second, exp_eps=exp_eps)
        assert curve(masses, infinite, 1 / 16, exp_eps) <= float(exact) + 1e-12


@pytest.mark.parametrize("halvings", [3, 5, 7])
def test_merged_losses_are_nearer_than_losses_that_are_rounded_down(halvings):
    """The outcomes of 40 users are near each other: at eps = 0 little is merged across a loss."""
    protocol, step = ShuffleProtocol(FLIP, 40), 2.0**-halvings
    pair = [protocol.law({0: k, 1: 40 - k}) for k in (20, 21)]
    exact = float(xdp.hockey_stick_divergence(*pair, exp_eps=1))
    merged = curve(merged_losses(outcomes(*pair), Fraction(step)), 0, step, 1)
    rounded = math.fsum(
        float(p) * max(0, 1 - math.exp(-math.floor(math.log(p / q) / step) * step)) for p, q in outcomes(*pair)
    )
    assert 0 <= exact - merged <= (exact - rounded) / 3


def test_a_loss_that_is_one_step_too_large_is_seen():
    protocol = ShuffleProtocol(FLIP, 40)
    pair = [protocol.law({0: k, 1: 40 - k}) for k in (20, 21)]
    masses = merged_losses(outcomes(*pair), Fraction(1, 64))
    larger = {place + 1: mass for place, mass in masses.items()}
    exact = float(xdp.hockey_stick_divergence(*pair, exp_eps=1))
    assert curve(masses, 0, 1 / 64, 1) <= exact < curve(larger, 0, 1 / 64, 1)


# --- Profiles -------------------------------------------------------------------------------------------------------

PROFILES = {
    "discrete Laplace": (shift_profile(DiscreteLaplace("3/2")), "5/4", "0.99"),
    "flips": (ShuffleProtocol(FLIP, 30).privacy_profile(), "5/4", "0.99"),
    "Laplace": (shift_profile(laws.Laplace(1)), "5/4", "0.99"),
    "4-ary": (ShuffleProtocol(xdp.randomized_response(4, gamma="1/2"), 5).privacy_profile(), "5/4", "0.99"),
    "Poisson": (shift_profile(laws.Poisson(1000)), "101/100", "0.99"),
    "binomial": (shift_profile(Binomial(10**4, "1/2")), "101/100", "0.9"),
    "one pair": (ShuffleProtocol(FLIP, 9).pair_profile({0: 9}, {0: 8, 1: 1}), 2, "0.99"),
    "two bins": (protocols.histogram(100, 3, gamma="1/4").privacy_profile(), "5/4", "0.95"),
    "4-ary, many users": (ShuffleProtocol(KAryResponse(4, exp_eps0=3), 10**4).privacy_profile(), "51/50", "0.8"),
    "correlated noise": (
        protocols.correlated_counting(100, p1="1/2", p2="9/10", r=3).privacy_profile(),
        "5/4",
        "0.99",
    ),
    "discrete Gaussian": (shift_profile(laws.DiscreteGaussian(1000)), "101/100", "0.99"),
    "almost central": (
        protocols.almost_central_sum(100, bound=1, eps=1, delta=1, r=3).privacy_profile(),
        "5/4",
        "0.99",
    ),
}


def ends(profile, exp_eps):
    """Both ends of delta."""
    delta = profile.bracket(exp_eps=exp_eps, relative_bits=60).delta
    return delta.lo, delta.hi


@pytest.mark.parametrize("name", thinned(PROFILES, every=5))
def test_it_is_nowhere_above_delta_and_not_far_below(name):
    profile, exp_eps, near = PROFILES[name]
    losses = below(profile, exp_eps=exp_eps)
    assert {part.is_pessimistic for part in (losses.remove, losses.add) if part is not None} == {False}
    low, high = ends(profile, exp_eps)
    found = losses.delta(exp_eps=exp_eps)
    assert low * Fraction(near) <= found.hi
    assert found.lo <= high
    for level in ("1", "3/2"):
        assert losses.delta(exp_eps=level).lo <= ends(profile, level)[1]


def twice(grid):
    """Two runs, mass by mass; a part with an infinite loss has one."""
    masses = {}
    finite = sum(grid.masses)
    for (i, a), (j, b) in product(enumerate(grid.masses, grid.first), repeat=2):
        if a and b:
            masses[i + j] = masses.get(i + j, Fraction(0)) + a * b
    infinite = grid.infinite * (2 * finite + grid.infinite)
    return rounded_grid(masses, infinite, step=grid.step, pessimistic=False)


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("flips", "1/32"),
        pytest.param("4-ary", "1/32", marks=pytest.mark.slow),
        ("Laplace", "1/32"),
        ("discrete Laplace", "1/128"),
        pytest.param("two bins", "1/16", marks=pytest.mark.slow),
        pytest.param("correlated noise", "1/32", marks=pytest.mark.slow),
    ],
)
def test_two_runs_stay_below_the_composed_delta(name, step):
    profile, exp_eps, _ = PROFILES[name]
    losses = below(profile, step=step)
    parts = [part for part in (losses.remove, losses.add) if part is not None]
    composed = LossDistribution(*map(twice, parts))
    for level in (1, exp_eps, 2):
        exact = profile.compose(2).delta(exp_eps=level, relative_width="1/1000")
        assert composed.delta(exp_eps=level).lo <= exact.hi
    exact = profile.compose(2).delta(exp_eps=1, relative_width="1/1000")
    assert exact.lo * Fraction(9, 10) <= composed.delta(exp_eps=1).hi


def test_an_infinite_loss_stays_one():
    silent = xdp.Randomizer({0: {(): "1/2", (0,): "1/2"}, 1: {(0,): "1/3", (1, 1): "2/3"}})
    profile = ShuffleProtocol(silent, 3).privacy_profile()
    found = below(profile, step="1/64", exp_eps=10**6).delta(exp_eps=10**6)
    exact = profile.delta(exp_eps=10**6)
    assert exact * Fraction(999, 1000) <= found.hi
    assert found.lo <= exact


REFUSED = [
    ({"exp_eps": 2}, "exp_eps has no meaning with pessimistic=True. Leave it out."),
    ({"pessimistic": False, "up_to": 2}, "up_to has no meaning with pessimistic=False. Leave it out."),
    ({"pessimistic": 0}, "pessimistic=0 is no bool. Pass True or False."),
    ({"pessimistic": False, "exp_eps": "1/2"}, "exp_eps=1/2"),
    ({"pessimistic": False, "discretization": "1/3"}, "discretization=1/3 is no power of two"),
]


@pytest.mark.parametrize(("asked", "said"), REFUSED, ids=[str(k) for k in range(len(REFUSED))])
def test_bad_input_is_refused(asked, said):
    with pytest.raises(errors.InvalidValueError) as raised:
        ShuffleProtocol(FLIP, 3).privacy_profile().to_dp_accounting(**asked)
    assert said in str(raised.value)


def test_pairs_that_are_not_known_by_themselves_are_refused():
    profile = protocols.sample_and_threshold(1000, rate="1/8", threshold=1, symbols=2).privacy_profile()
    with pytest.raises(errors.InvalidValueError, match=r"is known by itself\. Pass pessimistic=True"):
        below(profile)


def test_a_grid_that_is_too_fine_is_refused():
    with pytest.raises(errors.TooLargeError, match="Use a larger discretization"):
        below(shift_profile(Binomial(400, "1/2")), step="1/1048576")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["flips", "discrete Laplace", "Poisson", "two bins"])
def test_the_other_package_composes_both_sides_around_the_truth(name):
    pytest.importorskip("dp_accounting.pld.privacy_loss_distribution", reason="needs the extra peers")
    profile, exp_eps, _ = PROFILES[name]
    eps = math.log(Fraction(exp_eps))
    low, high = (
        profile.to_dp_accounting(discretization="1/256", **side).self_compose(4).get_delta_for_epsilon(2 * eps)
        for side in ({"pessimistic": False, "exp_eps": exp_eps}, {"up_to": 2})
    )
    exact = profile.compose(4).delta(exp_eps=Fraction(exp_eps) ** 2, relative_width="1/1000")
    assert low * (1 - 1e-9) <= float(exact.hi)
    assert float(exact.lo) <= high * (1 + 1e-9)
    assert low <= high


def test_a_grid_of_one_loss_is_its_own_round_trip():
    only = rounded_grid({3: Fraction(1)}, Fraction(0), step=Fraction(1, 4), pessimistic=False)
    assert only == GridLoss(Fraction(1, 4), 3, (Fraction(1),), Fraction(0), False)


RUNS = {
    "exact": lambda: xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 1).privacy_profile().compose(20),
    "Gaussian": lambda: xdp.shift_profile(xdp.DiscreteGaussian(25)).compose(6),
    "noise with an end": lambda: xdp.shift_profile(xdp.Binomial(200, "1/2")).compose(3),
    "different": lambda: xdp.compose(
        xdp.shift_profile(xdp.DiscreteLaplace(2)).compose(2), xdp.shift_profile(xdp.DiscreteGaussian(9))
    ),
    "a bracket": lambda: (
        xdp.ShuffleProtocol(xdp.randomized_response(3, exp_eps0=3), 30).privacy_profile(limit=1).compose(3)
    ),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name == "a bracket")) for name in RUNS]
)
def test_losses_of_all_runs(name):
    """Nowhere below delta, and nowhere above it; and not far from it, where delta is known."""
    runs = RUNS[name]()
    asked = {"step": "1/64", "up_to": None, "exp_eps": None}
    above, below = (composed_losses(runs, **asked, pessimistic=side) for side in (True, False))
    for eps in ("0", "1/10", "1/2", "1", "2"):
        delta = runs.delta(eps=eps)
        assert above.delta(eps=eps).hi >= delta.lo
        assert below.delta(eps=eps).lo <= delta.hi
        if runs.is_tight and delta.lo > 0:
            assert above.delta(eps=eps).hi <= delta.hi * Fraction(11, 10)
            assert below.delta(eps=eps).lo >= delta.lo * Fraction(4, 5)


def test_losses_of_exact_runs_are_on_the_right_side():
    runs = RUNS["exact"]()
    above, below = (
        composed_losses(runs, step="1/256", up_to=None, exp_eps=None, pessimistic=side) for side in (True, False)
    )
    for exp_eps in ("1", "4/3", "3", "10", "100"):
        exact = runs.delta(exp_eps=exp_eps)
        assert below.delta(exp_eps=exp_eps).lo <= exact <= above.delta(exp_eps=exp_eps).hi
    capped = composed_losses(runs, step="1/256", up_to=2, exp_eps=None, pessimistic=True)
    assert capped.delta(exp_eps=100).hi >= runs.delta(exp_eps=100)
    assert capped.remove.first + len(capped.remove.masses) - 1 <= 2 * 256
