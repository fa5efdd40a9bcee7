"""What is served at which size, and what is refused before it starts."""

import time
from fractions import Fraction
from pathlib import Path

import pytest

from exactdp import (
    AdditiveProtocol,
    Analyzer,
    Binomial,
    Claim,
    Interval,
    Law,
    LogRational,
    Randomizer,
    ShuffleProtocol,
    certify,
    protocols,
    randomized_response,
)
from exactdp.errors import ExactDPError, TooLargeError
from exactdp.privacy.amplification import input_pairs
from tests.thinned import thinned


def test_zsum_as_a_table_is_served_as_zsum_by_name():
    by_name = protocols.zsum(400, gamma="1/8").privacy_profile()
    by_table = ShuffleProtocol(protocols.zsum_randomizer(gamma="1/8"), 400).privacy_profile()
    assert by_table.engine == by_name.engine == "shift"
    assert by_table.epsilon("1e-6") == by_name.epsilon("1e-6")
    assert by_table.delta(exp_eps="3/2") == by_name.delta(exp_eps="3/2")
    assert by_table.tradeoff() == by_name.tradeoff()


def cyclic(inputs, messages, support):
    """Rows of the same length, each begins one message later."""
    weights = range(1, support + 1)
    rows = {x: {((x + j) % messages,): Fraction(w, sum(weights)) for j, w in enumerate(weights)} for x in range(inputs)}
    return Randomizer(rows)


TWO_ENDS = [  # inputs, messages, messages of one input, n
    (2, 4, 4, 1),
    (2, 4, 4, 10**18),
    (5, 6, 4, 1000),
    (150, 30, 20, 1),
    (150, 30, 20, 1000),
    (2, 120, 80, 1),
    (2, 120, 80, 1000),
    (30, 300, 1, 10**18),
]


@pytest.mark.parametrize(("inputs", "messages", "support", "n"), thinned(TWO_ENDS, every=2))
def test_any_table_has_two_ends_at_the_n_that_the_page_says(inputs, messages, support, n):
    profile = ShuffleProtocol(cyclic(inputs, messages, support), n).privacy_profile(limit=1)
    bracket = profile.bracket(exp_eps="11/10", relative_bits=8)
    assert bracket.lower.lower <= bracket.upper.upper
    assert bracket.upper.upper.compare(1) <= 0 <= bracket.lower.lower.compare(0)
    eps = profile.epsilon("1e-6", relative_bits=8)
    assert isinstance(eps, LogRational) or eps.lo <= eps.hi


def test_the_page_says_how_far_two_ends_reach():
    page = (Path(__file__).parents[3] / "docs" / "limits.md").read_text(encoding="utf-8")
    (row,) = [line for line in page.splitlines() if line.startswith("| any table or family, replacement |")]
    reach = row.split("|")[3].strip()
    assert reach == "n = 10^18, more slowly to 10^300; tables of 2^25 entries, inputs times messages"
    assert max(n for *_, n in TWO_ENDS) == 10**18
    assert input_pairs._MOST_ENTRIES == 2**25
    table = cyclic(2, 4, 4)
    assert ShuffleProtocol(table, 10**300).privacy_profile(limit=1).epsilon("1e-6") == LogRational(1)
    with pytest.raises(TooLargeError, match=r"is more than the limit of 10\^300"):
        ShuffleProtocol(table, 10**300 + 1).privacy_profile(limit=1)


def pair_of(protocol, symbol):
    n = protocol.n
    return protocol.pair_profile({symbol: n - 1, 0: 1}, {symbol: n - 1, 1: 1})


def uniform(k):
    return Randomizer({x: {(y,): Fraction(1, k) for y in range(k)} for x in range(k)})


OUT_OF_REACH = {
    r"one pair \(multinomial\)": lambda: pair_of(ShuffleProtocol(randomized_response(6, gamma="1/2"), 400), 2),
    r"one pair \(coins\)": lambda: ShuffleProtocol(randomized_response(2, gamma="1/2"), 10**8).pair_profile(
        {0: 10**8}, {0: 10**8 - 1, 1: 1}
    ),
    "the table has 27000000 counts": lambda: ShuffleProtocol(uniform(300), 2).pair_profile({0: 2}, {0: 1, 1: 1}),
    "the table has 300 inputs": lambda: ShuffleProtocol(randomized_response(300, gamma="1/2"), 2).law([0, 1]),
    "k=10000000000": lambda: randomized_response(10**10, gamma="1/2"),
    "shift=10000000000": lambda: AdditiveProtocol(Binomial(10, "1/2"), shift=10**10),
    "bins=10000000000000": lambda: AdditiveProtocol(Binomial(10, "1/2"), bins=10**13),
    "pairwise scan": lambda: protocols.gap(2000).privacy_profile().delta(exp_eps=3**10**6),
}


@pytest.mark.parametrize("named", OUT_OF_REACH)
def test_what_is_out_of_reach_is_refused_at_once(named):
    began = time.monotonic()
    with pytest.raises(TooLargeError, match=named):
        OUT_OF_REACH[named]()
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    "build",
    [
        lambda: Analyzer([1, 2]),
        lambda: AdditiveProtocol(Binomial(3, "1/2"), analyzer=Analyzer({0: 1})).estimate(None),
        lambda: Claim.negation("x"),
        lambda: Claim.conjunction("x"),
        lambda: certify("x"),
        lambda: Claim.shuffle_dp(protocols.complement(2), exp_eps=1, delta=0, neighbors="replace-one"),
        lambda: Interval(1, 2),
        lambda: Randomizer.from_file(None),
        lambda: Law.from_weights({0: 1.0}, 1),
    ],
)
def test_wrong_types_meet_an_error_of_the_package(build):
    with pytest.raises(ExactDPError):
        build()
