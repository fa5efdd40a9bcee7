"""Privacy loss distributions for dp-accounting: their direction against exact divergences, and round trips."""

import math
import sys
from fractions import Fraction

import pytest

import exactdp as xdp
from exactdp import DiscreteLaplace, Law, LogRational, Randomizer, ShuffleProtocol, errors, shift_profile
from exactdp.exchange import GridLoss, LossDistribution, from_dp_accounting, pair_to_dp_accounting
from exactdp.privacy.exchange.loss_grid import MissingPeerError, pair_grid, pessimistic_grid

FLIP = Randomizer({0: {(0,): "3/4", (1,): "1/4"}, 1: {(0,): "1/4", (1,): "3/4"}})
SILENT = Randomizer({0: {(): "1/2", (0,): "1/2"}, 1: {(0,): "1/3", (1, 1): "2/3"}})
LEVELS = [Fraction(k, 16) for k in (1, 7, 13, 15, 16, 17, 19, 25, 40, 100, 400)]


def upper_of(profile):
    return lambda eps: profile.delta(eps=eps, relative_bits=128).hi


def curve(grid, exp_eps):
    """The curve of the masses in floats, from its definition."""
    losses = [(grid.first + j) * float(grid.step) for j in range(len(grid.masses))]
    terms = (
        float(p) * max(0.0, 1 - float(exp_eps) * math.exp(-loss)) for p, loss in zip(grid.masses, losses, strict=True)
    )
    return float(grid.infinite) + math.fsum(terms)


def both_orders(protocol):
    """Every ordered pair of neighbouring data sets of two inputs, as laws."""
    n = protocol.n
    laws = [protocol.law({0: k, 1: n - k}) for k in range(n + 1)]
    return [pair for k in range(n) for pair in ((laws[k], laws[k + 1]), (laws[k + 1], laws[k]))]


@pytest.mark.parametrize("randomizer", [FLIP, SILENT], ids=["flip", "silent"])
@pytest.mark.parametrize("step", ["1/8", "1/32"])
def test_the_curve_is_above_every_pair_in_both_orders(randomizer, step):
    """At e^eps below 1 too, which compositions ask for."""
    protocol = ShuffleProtocol(randomizer, 3)
    grid = pessimistic_grid(upper_of(protocol.privacy_profile()), step=step, steps=40)
    assert all(mass >= 0 for mass in grid.masses)
    assert 1 <= sum(grid.masses) + grid.infinite <= 1 + Fraction(1, 10**12)
    for exp_eps in LEVELS:
        exact = max(xdp.hockey_stick_divergence(p, q, exp_eps=exp_eps) for p, q in both_orders(protocol))
        assert curve(grid, exp_eps) >= float(exact) * (1 - 1e-12)
        if exp_eps >= 1:
            assert grid.delta(exp_eps=exp_eps).hi >= exact


def test_at_the_losses_the_curve_is_delta_and_between_them_it_is_near():
    profile = ShuffleProtocol(FLIP, 20).privacy_profile()
    grid = pessimistic_grid(upper_of(profile), step="1/16", steps=20)
    for eps in ("0", "1/16", "3/8", "1"):
        exact, found = profile.delta(eps=eps), grid.delta(eps=eps)
        assert exact.lo <= found.lo <= exact.hi * (1 + Fraction(1, 10**12))
    for eps in ("1/32", "7/16", "15/32"):
        assert profile.delta(eps=eps).lo <= grid.delta(eps=eps).lo <= profile.delta(eps=eps).hi * Fraction(106, 100)


def test_a_mass_too_small_is_seen():
    """The direction is a property of every mass: one percent less of one breaks it."""
    profile = ShuffleProtocol(FLIP, 20).privacy_profile()
    grid = pessimistic_grid(upper_of(profile), step="1/16", steps=20)
    masses = list(grid.masses)
    masses[24] *= Fraction(99, 100)
    less = GridLoss(grid.step, grid.first, tuple(masses), grid.infinite, True)
    assert less.delta(eps="3/16").hi < profile.delta(eps="3/16").lo


def test_upper_bounds_that_are_not_convex_stay_upper_bounds():
    """One delta is overstated: masses that would be negative are 0."""
    profile = ShuffleProtocol(FLIP, 20).privacy_profile()
    exact = upper_of(profile)
    grid = pessimistic_grid(lambda eps: exact(eps) * (3 if eps == Fraction(1, 4) else 1), step="1/16", steps=20)
    assert all(mass >= 0 for mass in grid.masses)
    for k in range(20):
        assert grid.delta(eps=Fraction(k, 16)).hi >= profile.delta(eps=Fraction(k, 16)).lo


def test_the_losses_of_a_pair_are_rounded_to_the_stated_side():
    p, q = Law({0: "1/2", 1: "3/8", 2: "1/8"}), Law({0: "1/4", 1: "3/8", 3: "3/8"})
    up, down = (pair_grid(p, q, step="1/4", pessimistic=side) for side in (True, False))
    assert (up.first, up.masses, up.infinite) == (0, (Fraction(3, 8), 0, 0, Fraction(1, 2)), Fraction(1, 8))
    assert (down.first, down.masses) == (0, (Fraction(3, 8), 0, Fraction(1, 2)))  # ln 2 is between 2/4 and 3/4
    for pair in both_orders(ShuffleProtocol(FLIP, 4)):
        up, down = (pair_grid(*pair, step="1/16", pessimistic=side) for side in (True, False))
        for exp_eps in LEVELS:
            exact = float(xdp.hockey_stick_divergence(*pair, exp_eps=exp_eps))
            assert curve(down, exp_eps) <= exact * (1 + 1e-12)
            assert exact <= curve(up, exp_eps) * (1 + 1e-12)


def test_a_mass_too_large_is_seen_in_an_optimistic_grid():
    """A fifth more of one mass, and the curve is above the exact one."""
    pair = both_orders(ShuffleProtocol(FLIP, 4))[0]
    grid = pair_grid(*pair, step="1/64", pessimistic=False)
    heavy = max(range(len(grid.masses)), key=lambda j: grid.masses[j] * (grid.first + j > 0))
    masses = list(grid.masses)
    masses[heavy] *= Fraction(6, 5)
    more = GridLoss(grid.step, grid.first, tuple(masses), grid.infinite, False)
    exact = xdp.hockey_stick_divergence(*pair, exp_eps=1)
    assert grid.delta(exp_eps=1).hi <= exact < more.delta(exp_eps=1).lo


REFUSED = [
    ({"discretization": "1/100"}, errors.InvalidValueError, "discretization=1/100 is no power of two from 2^-30 to 1."),
    ({"discretization": 2}, errors.InvalidValueError, "is no power of two"),
    ({"discretization": 0.5}, errors.InexactNumberError, "discretization=0.5 is a float"),
    ({"discretization": "1/1048576", "up_to": 1}, errors.TooLargeError, "2097153 losses are more than 131072."),
]


@pytest.mark.parametrize(("asked", "error", "said"), REFUSED, ids=[str(k) for k in range(len(REFUSED))])
def test_bad_input_is_refused(asked, error, said):
    with pytest.raises(error) as raised:
        ShuffleProtocol(FLIP, 3).privacy_profile().to_dp_accounting(**asked)
    assert said in str(raised.value)


def test_a_delta_that_never_falls_needs_an_end():
    with pytest.raises(errors.InvalidValueError, match="for every eps"):
        ShuffleProtocol(SILENT, 3).privacy_profile().to_dp_accounting()


def test_without_the_other_package_the_message_says_what_to_install(monkeypatch):
    for name in ("dp_accounting", "dp_accounting.pld", "dp_accounting.pld.privacy_loss_distribution"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingPeerError, match=r"Run: pip install 'exactdp\[peers\]'"):
        ShuffleProtocol(FLIP, 3).privacy_profile().to_dp_accounting(discretization="1/4")
    with pytest.raises(errors.InvalidValueError, match="pld has the type int"):
        from_dp_accounting(3)


# --- With the real package: the extra `peers` ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def peer():
    return pytest.importorskip("dp_accounting.pld.privacy_loss_distribution", reason="needs the extra peers")


@pytest.mark.slow
def test_a_distribution_comes_back_as_it_went(peer):
    grid = pessimistic_grid(upper_of(ShuffleProtocol(FLIP, 20).privacy_profile()), step="1/16", steps=20)
    for losses in (
        LossDistribution(grid),
        LossDistribution(grid, GridLoss(grid.step, 0, (Fraction(1),), Fraction(0), True)),
    ):
        assert from_dp_accounting(losses.to_dp_accounting()) == losses


@pytest.mark.slow
@pytest.mark.parametrize("is_pessimistic", [True, False])
@pytest.mark.parametrize("randomizer", [FLIP, SILENT], ids=["flip", "silent"])
def test_both_directions_go_and_come_back(peer, randomizer, is_pessimistic):
    """The masses are the same floats, the mark of the direction stays, and an infinite loss too."""
    for pair in both_orders(ShuffleProtocol(randomizer, 4)):
        grids = [pair_grid(p, q, step="1/64", pessimistic=is_pessimistic) for p, q in (pair, pair[::-1])]
        losses = LossDistribution(*grids)
        theirs = losses.to_dp_accounting()
        back = from_dp_accounting(theirs)
        assert back == losses
        assert {part.is_pessimistic for part in (back.remove, back.add)} == {is_pessimistic}
        again = back.to_dp_accounting()
        assert [again.get_delta_for_epsilon(eps) for eps in (0, 0.3, 1)] == [
            theirs.get_delta_for_epsilon(eps) for eps in (0, 0.3, 1)
        ]


@pytest.mark.slow
@pytest.mark.parametrize("is_pessimistic", [True, False])
def test_both_directions_hold_when_the_other_package_composes(peer, is_pessimistic):
    """Two runs on one pair of data sets: the exact law of both answers, by its definition."""
    sign = 1 if is_pessimistic else -1
    for p, q in both_orders(ShuffleProtocol(FLIP, 3)):
        theirs = pair_to_dp_accounting(p, q, discretization="1/64", pessimistic=is_pessimistic).self_compose(2)
        both = [Law({(a, b): law.prob(a) * law.prob(b) for a in law for b in law}) for law in (p, q)]
        for exp_eps in (1, Fraction(9, 8), 2, 5):
            exact = max(
                xdp.hockey_stick_divergence(first, second, exp_eps=exp_eps) for first, second in (both, both[::-1])
            )
            composed = theirs.get_delta_for_epsilon(math.log(exp_eps))
            assert sign * (composed - float(exact)) >= -1e-12
            assert composed == pytest.approx(float(exact), rel=0.25, abs=0.03)


@pytest.mark.slow
@pytest.mark.parametrize("side", [True, False])
def test_their_two_estimates_of_noise_come_in_and_go_back(peer, side):
    """Read as fractions they lie on their side of the exact delta, and go back as the masses they were."""
    exact = shift_profile(DiscreteLaplace(2))
    theirs = peer.from_discrete_laplace_mechanism(
        math.log(2), pessimistic_estimate=side, value_discretization_interval=2**-7
    )
    read = from_dp_accounting(theirs)
    for eps in ("0", "1/4", "5/8"):
        gap = float(read.delta(eps=eps)) - float(exact.delta(eps=eps))
        assert (gap if side else -gap) >= -1e-12
        assert read.to_dp_accounting().get_delta_for_epsilon(float(Fraction(eps))) == pytest.approx(
            theirs.get_delta_for_epsilon(float(Fraction(eps))), rel=1e-12
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    "profile",
    [
        ShuffleProtocol(FLIP, 50).privacy_profile(),
        shift_profile(DiscreteLaplace(2)),
        shift_profile(xdp.Binomial(400, "1/2")),
    ],
    ids=["flip", "laplace", "binomial"],
)
def test_the_other_package_answers_with_the_same_numbers_and_composes_upward(peer, profile):
    pld = profile.to_dp_accounting(discretization="1/64", up_to=3)
    back = from_dp_accounting(pld)
    for eps in (0, 0.25, 0.3, 1):
        theirs, ours = pld.get_delta_for_epsilon(eps), profile.delta(eps=Fraction(eps))
        assert theirs == pytest.approx(float(back.delta(eps=Fraction(eps))), rel=1e-9, abs=1e-15)
        assert theirs >= float(ours) * (1 - 1e-9) - 1e-15
    four = pld.self_compose(4)
    for eps in (0.25, 0.5, 1):
        exact = profile.compose(4).delta(eps=Fraction(eps))
        assert float(exact.lo) * (1 - 1e-9) <= four.get_delta_for_epsilon(eps) <= float(exact.hi) * 1.1


@pytest.mark.slow
def test_a_worst_pair_is_bounded_from_both_sides(peer):
    protocol = ShuffleProtocol(FLIP, 20)
    profile = protocol.privacy_profile()
    worst = profile.worst_pair(exp_eps="3/2")
    laws = protocol.law(worst.first), protocol.law(worst.second)
    low, high = (
        pair_to_dp_accounting(*laws, discretization="1/1024", pessimistic=side).get_delta_for_epsilon(math.log(1.5))
        for side in (False, True)
    )
    assert low <= float(worst.delta) <= high <= 1.02 * low


@pytest.mark.slow
def test_their_distributions_are_read_exactly(peer):
    """Continuous Laplace noise by both packages: their two estimates around our closed form."""
    exact = shift_profile(xdp.Laplace(1)).delta(eps="1/2")
    for side, sign in ((True, 1), (False, -1)):
        theirs = peer.from_laplace_mechanism(1, pessimistic_estimate=side, value_discretization_interval=2**-6)
        read = from_dp_accounting(theirs)
        assert read.remove.is_pessimistic is side
        assert float(read.delta(eps="1/2")) == pytest.approx(theirs.get_delta_for_epsilon(0.5), rel=1e-9)
        assert sign * (float(read.delta(eps="1/2")) - float(exact)) >= -1e-12
        assert read.delta(eps=LogRational(10**9)).hi <= Fraction(1, 10**6)


def test_points_above_a_chord_add_nothing():
    """Upper ends that are not on a convex curve, as those of a bracket: no total mass beyond the larger of them."""
    profile = ShuffleProtocol(FLIP, 20).privacy_profile()
    exact = upper_of(profile)
    grid = pessimistic_grid(lambda eps: exact(eps) * (1 + (eps * 64 % 2) / 50), step="1/64", steps=64)
    for eps in ("0", "1/32", "1/8", "1/2"):
        delta = profile.delta(eps=eps)
        assert delta.lo <= grid.delta(eps=eps).hi <= delta.hi * Fraction(102, 100)
