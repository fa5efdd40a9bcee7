"""Clopper-Pearson intervals: each end against exact binomial tails, and their coverage by enumeration."""

from fractions import Fraction
from functools import partial

import pytest

from exactdp import Binomial, errors
from exactdp.sampling import clopper_pearson
from tests.thinned import thinned
from tests.together import together

TINY = Fraction(1, 2**29)


def check(successes, trials, confidence, tails):
    """At each end the tail is at most the risk, and a little inside it is more: by 2^-29 of min(p, 1-p)."""
    risk = (1 - Fraction(confidence)) / 2
    found = clopper_pearson(successes, trials, confidence=confidence)
    above, below = tails
    inward = [end - TINY * (end if 2 * successes <= trials else 1 - end) * side for end, side in ends(found)]
    if successes:
        assert above(Binomial(trials, found.lo), successes - 1) <= risk
        assert above(Binomial(trials, inward[0]), successes - 1) > risk
    else:
        assert found.lo == 0
    if successes < trials:
        assert below(Binomial(trials, found.hi), successes) <= risk
        assert below(Binomial(trials, inward[1]), successes) > risk
    else:
        assert found.hi == 1


def ends(found):
    return (found.lo, -1), (found.hi, 1)


@together("confidence", [Fraction(0), Fraction(1, 2), Fraction(19, 20), 1 - Fraction(1, 10**9)])
@together(
    ("successes", "trials"), [(0, 1), (1, 1), (0, 30), (1, 30), (15, 30), (29, 30), (30, 30), (3, 1000), (500, 1000)]
)
def test_the_ends_are_where_the_exact_tails_say(successes, trials, confidence):
    check(successes, trials, confidence, (Binomial.exact_sf, Binomial.exact_cdf))


@pytest.mark.parametrize(
    ("successes", "trials", "confidence"),
    [
        (17, 10**9, "1/2"),
        (5 * 10**8, 10**9, "0.999999999"),
        (10**12 - 1, 10**12, "19/20"),
        (3, 10**6, 1 - Fraction(1, 10**100)),
        (0, 10**6, 1 - Fraction(2, 10**200)),
        (10**6, 10**6, 1 - Fraction(2, 10**200)),
    ],
)
def test_the_ends_at_large_sizes(successes, trials, confidence):
    check(
        successes,
        trials,
        confidence,
        (partial(Binomial.sf, relative_bits=100), partial(Binomial.cdf, relative_bits=100)),
    )


@pytest.mark.parametrize("trials", thinned([1, 7, 20], every=2))
@pytest.mark.parametrize("confidence", [Fraction(1, 2), Fraction(19, 20)])
def test_the_coverage_is_at_least_the_confidence(trials, confidence):
    """For each true probability, the outcomes whose interval contains it have at least this probability, exactly."""
    intervals = [clopper_pearson(seen, trials, confidence=confidence) for seen in range(trials + 1)]
    for numerator in range(101):
        p = Fraction(numerator, 100)
        law = Binomial(trials, p)
        covered = sum(law.exact_pmf(seen) for seen, found in enumerate(intervals) if p in found)
        assert covered >= confidence


def test_the_interval_of_the_complement_is_the_complement():
    for seen, trials in ((0, 9), (2, 9), (123, 1000)):
        one = clopper_pearson(seen, trials, confidence="19/20")
        other = clopper_pearson(trials - seen, trials, confidence="19/20")
        assert abs(1 - other.hi - one.lo) <= 2 * TINY
        assert abs(1 - other.lo - one.hi) <= 2 * TINY


REFUSED = [
    (2, 1, "1/2", errors.InvalidValueError, "successes=2 is more than trials=1. Pass at most as many."),
    (-1, 1, "1/2", errors.InvalidValueError, "successes=-1 is below 0. Pass successes of at least 0."),
    (0, 0, "1/2", errors.InvalidValueError, "trials=0 is below 1. Pass trials of at least 1."),
    (
        0,
        10**13,
        "1/2",
        errors.TooLargeError,
        "trials=10000000000000 is more than the limit of 1000000000000. Use fewer.",
    ),
    (
        0,
        1,
        1,
        errors.InvalidValueError,
        "confidence is above 1 - 2 10^-200. Pass a smaller one; only [0, 1] is certain.",
    ),
    (0, 1, 2, errors.InvalidValueError, "confidence=2 is outside [0, 1]. Pass a probability."),
    (
        0,
        1,
        0.95,
        errors.InexactNumberError,
        (
            "confidence=0.95 is a float and has been rounded already. Pass an int, a Fraction, a Decimal or a string: "
            '"0.95" for the decimal number, "p/q" for a ratio.'
        ),
    ),
]


@pytest.mark.parametrize(("successes", "trials", "confidence", "error", "said"), REFUSED)
def test_bad_input_is_refused(successes, trials, confidence, error, said):
    with pytest.raises(error) as raised:
        clopper_pearson(successes, trials, confidence=confidence)
    assert str(raised.value) == said
