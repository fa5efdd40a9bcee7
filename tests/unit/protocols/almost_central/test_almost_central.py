"""Sums in almost one message: the protocol, its constants, and what it refuses."""

from fractions import Fraction

import pytest

from exactdp import DiscreteLaplace, Family, Real, calibrate, optimal_accuracy, protocols
from exactdp.errors import HypothesisError, InvalidDataSetError, InvalidValueError, TooLargeError
from exactdp.mechanisms.dataset import Neighbors
from exactdp.protocols import AlmostCentralSum, almost_central_real_sum, almost_central_sum
from exactdp.protocols.almost_central.almost_central_theorem import almost_central_noise, reach

SMALL = AlmostCentralSum(4, bound=2, p="1/6", common=[(2, "1/8")], multisets=[(1, "1/7")])


def test_bound_1_with_one_part_is_correlated_counting() -> None:
    counting = protocols.correlated_counting(50, p1="1/2", p2="3/4", r=20)
    same = AlmostCentralSum(50, bound=1, p="1/2", common=[(20, "3/4")])
    for exp_eps in ("1", "3/2", "2", "5"):
        one, other = (protocol.privacy_profile().delta(exp_eps=exp_eps) for protocol in (same, counting))
        assert one.compare(other) is None  # they overlap
        assert one.hi - one.lo <= one.hi / 2**52
    assert same.noise_messages == counting.noise_messages
    assert same.error == counting.error
    assert optimal_accuracy(same, beta="1/20") == optimal_accuracy(counting, beta="1/20")
    counts = {1: 2, -1: 1}
    assert same.randomizer.probability(1, counts).hi == pytest.approx(
        float(counting.randomizer.probability(1, counts).hi)
    )


def test_two_parts_of_one_ratio_are_one() -> None:
    both = AlmostCentralSum(9, bound=1, p="1/2", common=[(2, "3/4"), (3, "3/4")]).privacy_profile()
    one = AlmostCentralSum(9, bound=1, p="1/2", common=[(5, "3/4")]).privacy_profile()
    for exp_eps in ("6/5", "3"):
        assert float(both.delta(exp_eps=exp_eps)) == pytest.approx(float(one.delta(exp_eps=exp_eps)), rel=1e-12)


@pytest.mark.parametrize(("eps", "share"), [("1/4", "1/2"), ("1", "1/10"), ("5", "9/10")])
def test_the_theorem_promises_what_it_is_asked_for(eps: str, share: str) -> None:
    protocol = almost_central_sum(100, bound=1, eps=eps, delta="1/100", share=share)
    assert protocol.privacy_profile().delta(eps=eps).hi < Fraction(1, 100)


def test_both_ends_of_bound_2() -> None:
    protocol = almost_central_sum(100, bound=2, eps=1, delta="1/100")
    bracket = protocol.privacy_profile().bracket(eps="1/2", relative_bits=2)
    assert Fraction(1, 4000) < bracket.lower.lo <= bracket.upper.hi < Fraction(1, 1000)
    assert not bracket.is_closed
    assert sum(bracket.attained_by.first.values()) == 100


def test_both_ends_of_larger_bounds_are_found_at_once() -> None:
    protocol = almost_central_sum(100, bound=10, eps=1, delta="1e-6")
    profile = protocol.privacy_profile()
    assert 0 < profile.bracket(eps=1).upper.hi < Fraction(1, 10**20)
    assert profile.bracket(eps="2/5").lower.lo > Fraction(1, 100)
    eps = profile.epsilon("1e-6", relative_bits=2)
    assert eps.lo < Fraction(1, 2) < eps.hi < Fraction(2, 3)
    assert not profile.is_tight


def test_constants() -> None:
    noise = almost_central_noise(3, eps=1, delta="1/50")
    assert noise.p == Real.exp("-1/6")
    assert noise.common[0] == (3 * (1 + Real.log(100)), Real.exp("-1/60"))
    assert [ratio for _, ratio in noise.multisets] == [Real.exp(Fraction(-1, 40 * t)) for t in (5, 3)]
    assert almost_central_noise(1, eps=8, delta="1/50").common[0][1] == Real.exp("-1/10")  # min(1, g eps) = 1
    assert [reach(bound) for bound in (1, 2, 3, 16, 17, 64)] == [1, 4, 9, 64, 70, 384]


def test_messages_and_bits() -> None:
    assert SMALL.alphabet == SMALL.randomizer.alphabet == (1, 2, -1, -2)
    mean = 2 * Fraction(1, 5) + 2 * 2 * Fraction(1, 7) + 2 * 3 * Fraction(1, 6)
    assert SMALL.noise_messages == mean / 4
    communication = SMALL.communication()
    assert (communication.messages, communication.most, communication.bits) == (1 + mean / 4, None, 2)


def test_the_estimate_is_the_sum_of_messages() -> None:
    assert SMALL.estimate([3, 2, 1, 1]) == SMALL.estimate({1: 3, 2: 2, -1: 1, -2: 1}) == 4
    with pytest.raises(InvalidValueError, match="counts has 2 entries for 4 messages"):
        SMALL.estimate([1, 2])
    with pytest.raises(InvalidValueError, match="unknown message 3"):
        SMALL.estimate({3: 1})


def test_reals_are_rounded_without_bias_and_the_variance_is_exact() -> None:
    protocol = almost_central_real_sum(4, bound=5, eps=1, delta="1/100")
    for value in ("0", "1/10", "1/3", "1"):
        law = protocol.rounding(value)
        assert sum(law.values()) == 1
        assert sum(level * weight for level, weight in law.items()) == Fraction(value) * 5
        assert protocol.variance([value]) - protocol.variance([]) == sum(
            weight * (Fraction(level, 5) - Fraction(value)) ** 2 for level, weight in law.items()
        )
    assert protocol.variance([Fraction(1, 10)] * 4) == protocol.largest_variance
    assert protocol.estimate({5: 1, 1: 2}) == Fraction(7, 5)
    assert protocol.levels == 5
    with pytest.raises(InvalidDataSetError, match=r"value=3/2 is outside \[0, 1\]"):
        protocol.rounding("3/2")
    with pytest.raises(InvalidDataSetError, match="5 values are given for n=4"):
        protocol.variance([0] * 5)


def test_the_error_beside_that_of_a_curator() -> None:
    protocol = almost_central_sum(100, bound=3, eps=2, delta="1/100", share="1/4")
    central = DiscreteLaplace(Real.exp("2/3"))
    ratio = float(protocol.error.variance) / float(central.variance.hi)
    assert float(protocol.variance_over_central(eps=2)) == pytest.approx(ratio, rel=1e-12)
    assert 16 / 9 < ratio < 16 / 9 + 0.1
    assert protocol.privacy_profile().epsilon(0).is_infinite


def test_least_noise() -> None:
    least = calibrate("almost-central", n=50, eps=1, delta="1e-6", grid="1/16")
    assert 1 < least.parameter < 3
    assert least.protocol.privacy_profile().delta(eps=1).hi <= Fraction(1, 10**6)
    less = almost_central_sum(50, bound=1, eps=1, delta=1, r=least.parameter - Fraction(1, 16))
    assert less.privacy_profile().delta(eps=1).lo > Fraction(1, 10**6)


def test_a_family_of_any_bound_can_be_calibrated_by_its_ends() -> None:
    family = Family(lambda r, n: almost_central_sum(n, bound=2, eps=2, delta=1, r=r), "r", (1, 2), True)
    assert family.protocol(Fraction(3, 2), 10).bound == 2


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"bound": 0}, InvalidValueError, "bound=0 is below 1"),
        ({"bound": 5000}, TooLargeError, "bound=5000 is more than the limit of 4096"),
        ({"common": []}, InvalidValueError, "common is empty"),
        ({"multisets": []}, InvalidValueError, "multisets has 0 entries for bound=2"),
        ({"p": 1}, InvalidValueError, "p=1 is not between 0 and 1"),
        ({"common": [("1/2", "1/8")]}, InvalidValueError, "r=1/2 of common is below 1"),
        ({"multisets": [(1, "0")]}, InvalidValueError, "ratio of multisets=0 is not between 0 and 1"),
    ],
)
def test_refusals(wrong: dict[str, object], error: type[Exception], message: str) -> None:
    given = {"bound": 2, "p": "1/6", "common": [(2, "1/8")], "multisets": [(1, "1/7")]}
    with pytest.raises(error, match=message):
        AlmostCentralSum(4, **(given | wrong))  # type: ignore[arg-type]


def test_questions_that_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="is not defined here: the noise belongs to n=4 users"):
        SMALL.privacy_profile(neighbors=Neighbors.ADD_OR_REMOVE_ONE)
    with pytest.raises(HypothesisError, match="0 < share < 1"):
        almost_central_sum(4, bound=2, eps=1, delta="1/100", share=1)
