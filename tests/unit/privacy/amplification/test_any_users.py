"""Any number of users, and parameters of any size: an answer or a refusal at once, never the end of the process."""

import subprocess
import sys
import time
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import exactdp as xdp
from exactdp.errors import ExactDPError, TooLargeError
from exactdp.numbers.packed import Packing
from tests.thinned import thinned

FLIP = xdp.randomized_response(2, gamma="1/3")
NOISE = xdp.randomized_response(2, gamma=1 - Fraction(1, 10**9))
SECONDS = 20


def shuffled(randomizer, n, **options):
    return xdp.ShuffleProtocol(randomizer, n).privacy_profile(**options)


def eps_near_zero(profile, part):
    """eps at a delta that is one in ``part`` below that at eps = 0, where neighbouring data sets are much alike."""
    return profile.epsilon(profile.delta(exp_eps=1, relative_bits=80).lo * (1 - Fraction(1, part)))


def answered_calibration(n):
    return xdp.calibrate("randomized-response", n=n, eps="1e-9", delta="1e-12", grid=Fraction(1, 2**16))


QUESTIONS = {
    "two messages, eps near 0": lambda n: eps_near_zero(shuffled(FLIP, n), 10**12),
    "nearly noise, eps near 0": lambda n: eps_near_zero(shuffled(NOISE, n), 2),
    "binary sum, eps near 0": lambda n: eps_near_zero(
        xdp.protocols.cheu_binary_sum(n, lam=Fraction(n, 9)).privacy_profile(), 10
    ),
    "calibrated flips": answered_calibration,
    "law of two messages": lambda n: xdp.ShuffleProtocol(FLIP, n).law({0: n}),
    "law of zsum": lambda n: xdp.protocols.zsum(n, gamma="1/8").law({0: n}),
    "two messages, eps": lambda n: shuffled(FLIP, n).delta(eps=1),
    "two messages, e^eps": lambda n: shuffled(FLIP, n).delta(exp_eps="9/2"),
    "two messages, worst pair": lambda n: shuffled(FLIP, n).worst_pair(exp_eps=3),
    "two messages, one impossible": lambda n: shuffled(
        xdp.Randomizer({0: {(0,): 1}, 1: {(0,): "1/2", (1,): "1/2"}}), n
    ).epsilon("1/3"),
    "equal rows": lambda n: shuffled(xdp.randomized_response(2, gamma=1), n).epsilon(0),
    "one pair": lambda n: xdp.ShuffleProtocol(FLIP, n).pair_profile({0: n}, {0: n - 1, 1: 1}).delta(exp_eps=2),
    "three messages": lambda n: shuffled(xdp.randomized_response(3, gamma="1/3"), n).delta(exp_eps=2),
    "two messages each": lambda n: xdp.protocols.gap(n).privacy_profile().delta(exp_eps=2),
    "complement": lambda n: xdp.protocols.complement(n).privacy_profile().delta(exp_eps=2),
    "disjoint views": lambda n: shuffled(FLIP, n, neighbors=xdp.Neighbors.ADD_OR_REMOVE_ONE).delta(exp_eps=2),
    "zsum": lambda n: xdp.protocols.zsum(n, gamma="1/8").privacy_profile().delta(exp_eps=2),
    "zsum, eps": lambda n: xdp.protocols.zsum(n, gamma="1/8").privacy_profile().epsilon("1e-6"),
    "histogram": lambda n: xdp.protocols.histogram(n, 3, gamma="1/8").privacy_profile().delta(eps=1),
    "binomial": lambda n: xdp.shift_profile(xdp.Binomial(n, "1/8")).delta(eps=1),
    "binomial sum": lambda n: xdp.shift_profile(xdp.BinomialSum(n, "1/8", n, "1/3")).delta(eps=1),
    "negative binomial": lambda n: xdp.shift_profile(xdp.NegativeBinomial(n, "1/8")).delta(eps=1),
    "Poisson": lambda n: xdp.shift_profile(xdp.Poisson(n)).delta(eps=1),
    "discrete Laplace": lambda n: xdp.shift_profile(xdp.DiscreteLaplace(n + 1)).delta(eps=1),
    "smooth": lambda n: xdp.smoothness_delta(xdp.Binomial(n, "1/8"), k=3, eps="1/10"),
    "accuracy": lambda n: xdp.optimal_accuracy(xdp.protocols.zsum(n, gamma="1/8"), beta="1/20"),
    "composed": lambda n: xdp.shift_profile(xdp.Binomial(n, "1/8")).compose(3).delta(eps=1),
    "runs": lambda n: xdp.shift_profile(xdp.Binomial(100, "1/8")).compose(n + 10**6).delta(eps=1),
}


REFUSED = {"law of two messages", "law of zsum", "one pair", "histogram"}
REFUSED |= {"composed", "runs"}  # at 2^63, by limits far below it


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS)
def test_beyond_the_integers_of_the_machine(question):
    assert is_answered(question, 2**63) == (question not in REFUSED)


@pytest.mark.slow
@settings(max_examples=12)
@given(st.sampled_from(sorted(QUESTIONS)), st.integers(18, 400), st.integers(1, 9))
@example("law of two messages", 11, 1)
@example("law of two messages", 400, 1)
@example("two messages, eps", 400, 1)
@example("binomial", 400, 1)
@example("Poisson", 200, 1)
@example("negative binomial", 130, 1)
def test_any_number_of_users_is_answered_or_refused(question, exponent, digit):
    is_answered(question, digit * 10**exponent)


@pytest.mark.parametrize("n", thinned([10**18, 10**12, 10**9, 10**15], every=4))
@pytest.mark.parametrize("randomizer", [FLIP, NOISE], ids=["flips", "nearly noise"])
def test_eps_near_zero_is_between_its_neighbours(n, randomizer):
    """delta just below and just above the enclosed eps, at four times the accuracy."""
    profile = shuffled(randomizer, n)
    target = profile.delta(exp_eps=1, relative_bits=80).lo * (1 - Fraction(1, 10**6))
    eps = profile.epsilon(target)
    assert 0 < eps.lo < eps.hi <= eps.lo * (1 + Fraction(1, 2**52))
    assert profile.delta(eps=eps.lo * (1 - Fraction(1, 2**60)), relative_bits=212).lo > target
    assert profile.delta(eps=eps.hi * (1 + Fraction(1, 2**60)), relative_bits=212).hi < target


@pytest.mark.parametrize("n", [10**4, 10**9, 10**18])
@pytest.mark.parametrize("part", thinned([0, Fraction(1, 3), 1, 100], every=2))
def test_enclosures_of_higher_accuracy_are_within(n, part):
    """Where the worst data set is in the middle, at an end, and beyond; part is in units of 1/n."""
    profile = shuffled(FLIP, n)
    coarse, fine = (profile.delta(exp_eps=1 + Fraction(part) / n, relative_bits=bits) for bits in (53, 212))
    assert coarse.lo <= fine.lo <= fine.hi <= coarse.hi
    assert fine.hi - fine.lo <= fine.lo / 2**212


@pytest.mark.parametrize("others", [10**9, 10**18])
def test_the_divergence_at_eps_zero_is_the_highest_weight(others):
    """At E = 1 delta is b - a times the largest weight of any sum of the others; that of k = N is binomial."""
    worst = shuffled(FLIP, others + 1).delta(exp_eps=1, relative_bits=53)
    law = xdp.Binomial(others, "1/6")
    end = law.pmf(law.mode, relative_bits=80)
    assert Fraction(2, 3) * end.lo <= worst.hi
    assert worst.lo <= Fraction(2, 3) * end.hi * (1 + Fraction(2, others))


def is_answered(question, n):
    """Whether there is an answer; what is no refusal of the package passes through."""
    began = time.process_time()
    try:
        return QUESTIONS[question](n) is not None
    except ExactDPError:
        return False
    finally:
        assert time.process_time() - began < SECONDS


def test_a_law_of_many_users_is_refused_and_does_not_end_the_process():
    code = "import exactdp as x; x.ShuffleProtocol(x.randomized_response(2, gamma='1/3'), 10**11).law({0: 10**11})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "TooLargeError: the law of 100000000000 users" in done.stderr


def test_two_messages_beyond_the_limit_name_the_repair():
    with pytest.raises(TooLargeError, match=r"two messages: about 1e400 users are more than the limit of 10\^20"):
        shuffled(FLIP, 10**400).delta(eps=1)


@given(st.integers(1, 2**40), st.integers(1, 3000))
def test_a_bound_of_the_total_weight_is_above_it_and_close(denominator, users):
    packing = Packing(slots=1, denominator=denominator, users=users, multiplier_bits=0)
    assert (denominator**users).bit_length() == packing.exact_bits
    longer = Packing(slots=1, denominator=denominator, users=2**22 * users, multiplier_bits=0)
    least = Fraction((denominator**64).bit_length() - 1, 64) * longer.users
    assert least <= longer.exact_bits <= least + Fraction(longer.users, 64) + 1


@pytest.mark.parametrize("n", [10**6, 10**18])
def test_equal_rows_are_private_for_any_number_of_users(n):
    profile = shuffled(xdp.randomized_response(3, gamma=1), n)
    assert profile.delta(exp_eps=1) == 0
    assert profile.delta(eps=1).upper.mantissa == 0
    assert profile.epsilon(0) == xdp.LogRational(1)
