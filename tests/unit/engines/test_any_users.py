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
from exactdp.kernel.packed import Packing

FLIP = xdp.randomized_response(2, gamma="1/3")
SECONDS = 20


def shuffled(randomizer, n, **options):
    return xdp.ShuffleProtocol(randomizer, n).privacy_profile(**options)


QUESTIONS = {
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


REFUSED = {"law of two messages", "law of zsum", "one pair", "three messages", "two messages each", "histogram"}
REFUSED |= {"composed", "runs"}  # at 2^63, by limits far below it


@pytest.mark.parametrize("question", QUESTIONS)
def test_beyond_the_integers_of_the_machine(question):
    assert is_answered(question, 2**63) == (question not in REFUSED)


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
    with pytest.raises(TooLargeError, match=r"n=100000000000...\(401 digits\) users are more than the limit of 10\^20"):
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
