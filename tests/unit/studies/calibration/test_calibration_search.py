"""How a calibration searches: any domain, any family, values between two verdicts, and in few questions."""

from fractions import Fraction
from math import exp, log1p

import pytest
from hypothesis import given
from hypothesis import strategies as st

import exactdp as xdp
from exactdp import protocols
from exactdp.errors import ExactDPError, InvalidValueError
from exactdp.numbers.epsilon import PrivacyLevel
from exactdp.numbers.interval import Interval
from exactdp.privacy.amplification.guesses import log_ratio
from exactdp.privacy.two_messages.worst_half_lines import ManyUsersError
from exactdp.studies.calibration import grid_search as least
from exactdp.studies.calibration.grid_search import _crossing, _round_middle, _Search, family_named


def poisson(domain: tuple[object, object], monotone: bool = True) -> xdp.Family:
    return xdp.Family(lambda mu, n: xdp.AdditiveProtocol(xdp.Poisson(mu)), "mu", domain, monotone)


def test_a_domain_that_does_not_begin_at_a_multiple_of_the_grid() -> None:
    found = xdp.calibrate(poisson(("1/3", "61/3")), exp_eps=3, delta="1/20", grid="1/2")
    values = [Fraction(1, 3) + Fraction(i, 2) for i in range(41)]
    holds = [xdp.shift_profile(xdp.Poisson(mu)).delta(exp_eps=3) <= Fraction(1, 20) for mu in values]
    assert found.parameter == values[holds.index(True)]
    assert found.fails_at == found.parameter - Fraction(1, 2)
    assert (found.is_least, found.scope) == (True, "and every larger value up to 61/3")
    with pytest.raises(InvalidValueError, match="does not divide the domain from 1/3 to 61/3"):
        xdp.calibrate(poisson(("1/3", "61/3")), exp_eps=3, delta="1/20", grid="3/7")


def test_nothing_below_the_least_value_fails() -> None:
    found = xdp.calibrate(poisson((20, 100)), eps=1, delta="1/2", grid=1)
    assert (found.parameter, found.fails, found.fails_at) == (20, None, None)
    assert (found.is_least, found.level, found.scope) == (True, "certificate", "and every larger value up to 100")


def test_a_family_of_ones_own_is_told_the_number_of_users() -> None:
    seen = set()

    def build(gamma: Fraction, n: int | None) -> xdp.ShuffleProtocol:
        seen.add(n)
        return family_named("randomized-response", PrivacyLevel(Fraction(2))).build(gamma, n)

    family = xdp.Family(build, "flip", (0, "1/2"), True)
    found = xdp.calibrate(family, n=9, exp_eps=2, delta="1/100", grid="1/64")
    assert seen == {9}
    assert found.parameter == xdp.calibrate("randomized-response", n=9, exp_eps=2, delta="1/100", grid="1/64").parameter
    for wrong in (0, "1/2"):
        with pytest.raises(ExactDPError, match="n="):
            xdp.calibrate(family, n=wrong, exp_eps=2, delta="1/100", grid="1/64")


def test_no_failure_at_all_at_an_irrational_order() -> None:
    """delta = 0 needs flip >= 1 / (1 + e), and is met exactly from there on."""
    found = xdp.calibrate("randomized-response", n=3, eps=1, delta=0, grid="1/64")
    assert found.parameter == Fraction(next(i for i in range(65) if i / 64 >= 1 / (1 + exp(1))), 64)


@pytest.mark.parametrize("grid", [Fraction(1, 2**40), Fraction(2**10)])
def test_a_parameter_without_an_end_is_looked_for_up_to_a_large_value(grid: Fraction) -> None:
    def build(noise: Fraction, n: int | None) -> xdp.AdditiveProtocol:
        return xdp.AdditiveProtocol(xdp.Geometric("1/2") if noise < 2**30 else xdp.Geometric("9/10"))

    found = xdp.calibrate(xdp.Family(build, "noise", (0, None), True), exp_eps=2, delta="1/4", grid=grid)
    assert (found.parameter, found.fails_at) == (2**30, 2**30 - grid)


def test_no_larger_parameter_than_is_said_is_tried() -> None:
    tried: list[Fraction] = []

    def build(noise: Fraction, n: int | None) -> xdp.AdditiveProtocol:
        tried.append(noise)
        return xdp.AdditiveProtocol(xdp.Geometric("1/2"))

    with pytest.raises(InvalidValueError, match="no noise up to 2\\^64 is enough for delta=1/4"):
        xdp.calibrate(xdp.Family(build, "noise", (0, None), True), exp_eps=2, delta="1/4", grid=1)
    assert 2**62 < max(tried) <= 2**64


# --- Between two verdicts -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("failing", "holding"), [(5, 6), (5, 9), (0, 30), (17, 18), (11, 31)])
def test_what_is_neither_proved_to_hold_nor_to_fail(
    failing: int, holding: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The value that fails is the last one that is proved to fail, however many are open above it."""
    grid, family = Fraction(1, 64), family_named("randomized-response", PrivacyLevel(Fraction(2)))

    def bound(profile: xdp.PrivacyProfile, order: PrivacyLevel, delta: Fraction) -> tuple[Fraction, bool]:
        index = int((1 - profile.source.randomizer.table()[0].get((0,), Fraction(0))) / grid)
        if failing < index < holding:
            raise ManyUsersError("open", Interval.between(delta / 2, 2 * delta, bits=53))
        return (delta / 2, True) if index >= holding else (2 * delta, False)

    monkeypatch.setattr(least, "_bound", bound)
    search = _Search(family, 9, PrivacyLevel(Fraction(2)), Fraction(1, 10), grid)
    assert search.run() == (holding, "and every larger value up to 1/2")
    fails_at = search.failing if search.undecided else holding - 1
    assert fails_at == failing or (not search.undecided and holding == failing + 1)

    monkeypatch.setattr(least, "_certified", lambda claim, verdict: (claim, verdict))
    found = search.calibration(holding, "")
    assert (found.parameter, found.fails_at) == (holding * grid, failing * grid)
    assert found.fails == (search._claim(search.build(failing * grid)), xdp.Verdict.REFUTED)
    assert found.is_least == (holding == failing + 1)


def test_a_family_that_is_not_monotone_needs_every_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def bound(*_: object) -> tuple[Fraction, bool]:
        raise ManyUsersError("open", Interval.between(Fraction(1, 4), Fraction(1, 2), bits=53))

    monkeypatch.setattr(least, "_bound", bound)
    with pytest.raises(ManyUsersError):
        xdp.calibrate(poisson((1, 9), monotone=False), eps=1, delta="1/3", grid=1)


@pytest.mark.parametrize("target", [Fraction(1, 10**12), Fraction(1, 20)])
def test_the_pair_at_the_end_refutes_and_never_proves(target: Fraction) -> None:
    """Of more than 10^4 users one pair of data sets is looked at first: enough where it is above the target."""
    profile = protocols.k_ary(10_001, 2, gamma="1/10").privacy_profile()
    order = PrivacyLevel(None, Fraction(1, 20))
    truth = profile.delta(eps="1/20", relative_bits=60)
    bound, holds = least._bound(profile, order, target)
    assert holds == (truth <= target)
    assert (bound >= truth.lo) if holds else (target < bound <= truth.hi)


@pytest.mark.parametrize("gamma", ["1/10", "1/3", "2/5"])
def test_a_delta_that_holds_is_bounded_from_above(gamma: str) -> None:
    profile = protocols.zsum(12, gamma=gamma).privacy_profile()
    truth = profile.exact_delta(exp_eps="3/2")
    for target in (truth, truth * (1 + Fraction(1, 10**6)), Fraction(99, 100)):
        bound, holds = least._bound(profile, PrivacyLevel(Fraction(3, 2)), target)
        assert holds
        assert truth <= bound <= target
    assert not least._bound(profile, PrivacyLevel(Fraction(3, 2)), truth * (1 - Fraction(1, 2**300)))[1]


# --- Few questions --------------------------------------------------------------------------------------------------


def test_a_middle_is_between() -> None:
    for low in (*range(70), 2**40 - 1, 2**40):
        for high in range(low + 2, low + 300):
            assert low < _round_middle(low, high) < high


@given(st.integers(0, 2**70), st.integers(1, 2**70))
def test_a_crossing_is_found_in_few_questions(below: int, more: int) -> None:
    asked: list[int] = []

    def holds(index: int) -> bool:
        asked.append(index)
        return index > below

    assert _crossing(holds, 0, below + more, _round_middle) == below + 1
    assert len(asked) <= 130
    assert all(0 < index < below + more for index in asked)


@pytest.mark.parametrize("least_index", [1, 2, 1000, 4096, 10**5, 2**20 - 3])
def test_a_guess_of_where_delta_meets_the_target_stays_between(least_index: int) -> None:
    """delta falls about exponentially: from bounds at the two ends the search goes to where the target is met."""
    family, target = family_named("randomized-response", PrivacyLevel(Fraction(2))), Fraction(1, 10**6)
    search = _Search(family, 10**5, PrivacyLevel(Fraction(2)), target, Fraction(1, 2**21))
    asked: list[int] = []

    def holds(index: int) -> bool:
        asked.append(index)
        times = Fraction(2) ** ((least_index - index) // 2**14 + (index < least_index)) * Fraction(99, 100)
        search.excess[index] = log_ratio(target * times, target)
        return index >= least_index

    for end in (0, 2**20):
        holds(end)
    assert _crossing(holds, 0, 2**20, search._between) == least_index
    assert all(0 < index < 2**20 for index in asked[2:])
    assert len(asked) <= 60


@pytest.mark.parametrize(
    "apart", [Fraction(1, 2**60), -Fraction(1, 2**60), Fraction(1, 3), Fraction(99), Fraction(-99, 100)]
)
def test_how_far_delta_is_from_the_target_is_known_far_and_near(apart: Fraction) -> None:
    target = Fraction(1, 10**6)
    expected = log1p(apart)
    assert abs(log_ratio(target * (1 + apart), target) - expected) < abs(expected) / 1000


def test_poisson_noise_is_found_in_few_values() -> None:
    """delta falls about exponentially in the mean: 2^46 steps of the grid are no more than some dozen questions."""
    search = _Search(
        poisson((0, None)), 10**4, PrivacyLevel(None, Fraction(1)), Fraction(1, 10**6), Fraction(1, 2**40), False
    )
    index, _ = search.run()
    assert index == 37458057826013
    assert search.tried <= 30


@pytest.mark.parametrize("least_index", [1, 3, 2**19 + 1, 2**20 - 1])
def test_a_line_that_is_no_help_is_given_up(least_index: int) -> None:
    """delta hardly falls before the target is met, and then all at once: the distance is halved all the same."""
    search = _Search(poisson((0, None)), 10**5, PrivacyLevel(Fraction(2)), Fraction(1, 10**6), Fraction(1, 2**21))
    asked: list[int] = []

    def holds(index: int) -> bool:
        asked.append(index)
        search.excess[index] = -1e-9 - index * 1e-12 if index >= least_index else 9 - index * 1e-9
        return index >= least_index

    for end in (0, 2**20):
        holds(end)
    assert _crossing(holds, 0, 2**20, search._between) == least_index
    assert len(asked) <= 120
