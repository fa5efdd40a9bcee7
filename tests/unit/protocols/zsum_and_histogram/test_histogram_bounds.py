"""The histogram theorem against exact probabilities of all bins together."""

from fractions import Fraction
from functools import cache
from math import floor, prod

import mpmath
import pytest

from exactdp import protocols
from exactdp.bounds import (
    PrivacyBound,
    histogram_accuracy,
    histogram_expected_messages,
    histogram_most_messages,
    histogram_privacy_bound,
    histogram_theorem_accuracy,
    zsum_accuracy,
    zsum_least_n,
    zsum_rounded_gamma,
    zsum_theorem_accuracy,
)
from exactdp.errors import HypothesisError, TooLargeError
from exactdp.laws import Binomial
from exactdp.numbers.epsilon import LogRational
from tests.oracles.high_precision import contains, number, sixty_digits
from tests.thinned import thinned
from tests.together import together
from tests.unit.protocols.zsum_and_histogram.error_law import failures


def partitions(n, largest):
    if n == 0:
        yield ()
    for part in range(min(n, largest), 0, -1):
        for rest in partitions(n - part, part):
            yield (part, *rest)


@together("n", [1, 5, 14])
@together("gamma", [Fraction(1, 50), Fraction(1, 6), Fraction(1, 2), Fraction(1)])
@together("beta", ["99/100", "1/4", "1/100"])
def test_all_bins_at_once(n, gamma, beta):
    """For every data set: the bins are independent, and empty ones do not fail."""
    wrong, total = failures(n, gamma, histogram_accuracy(n, gamma=gamma, beta=beta).lo)
    single = [Fraction(each, total) for each in wrong]
    assert single[0] == 0
    worst = max(1 - prod((1 - single[c] for c in counts), start=Fraction(1)) for counts in partitions(n, n))
    assert worst <= Fraction(beta)


def test_all_bins_at_once_has_its_constants():
    """ln(n/beta), not ln(1/beta)."""
    with sixty_digits():
        level = mpmath.log(1000 * 20) / 100
        h = (level + mpmath.sqrt(level**2 + 8 * level)) / 2
        assert contains(histogram_accuracy(1000, gamma="1/10", beta="1/20"), (1 + h) / 10)
    assert histogram_accuracy(1000, gamma="1/10", beta="1/20") == zsum_accuracy(1000, gamma="1/10", beta="1/20000")


@pytest.mark.parametrize(("eps", "delta"), thinned([(1, "1/2"), ("3/4", "1/2"), ("1/2", "3/5")], every=2))
def test_all_bins_at_once_from_a_power_of_delta(eps, delta):
    """beta = n delta^25, at the least n and three times it: the worst sum over bins of their failures, by dynamics."""
    for times in (1, 3):
        n = times * zsum_least_n(eps=eps, delta=delta)
        beta = n * Fraction(delta) ** 25
        alpha = histogram_theorem_accuracy(n, eps=eps, delta=delta, beta=beta)
        assert alpha == zsum_theorem_accuracy(n, eps=eps, delta=delta)
        wrong, total = failures(n, zsum_rounded_gamma(n, eps=eps, delta=delta), alpha.lo)
        scaled = [-((-each << 200) // total) for each in wrong]  # rounded up

        @cache
        def worst(users, scaled=scaled):
            return max((scaled[c] + worst(users - c) for c in range(1, users + 1) if scaled[c]), default=0)

        for users in range(n):
            worst(users)
        assert Fraction(worst(n), 2**200) <= beta


def test_a_power_of_delta_without_n_is_not_enough():
    """beta = delta^25, as sometimes printed: at eps = 1, delta = 1/2 and n = 10^15 some bin errs more often."""
    n, beta = 10**15, Fraction(1, 2**25)
    alpha = zsum_theorem_accuracy(n, eps=1, delta="1/2")
    size = floor(alpha.hi * n) + 1  # a bin of this size errs by size/n > alpha as soon as size users are silent
    noise = Binomial(n, zsum_rounded_gamma(n, eps=1, delta="1/2"))
    expected = n // size * noise.sf(size - 1).lo
    assert expected - expected**2 / 2 > beta
    with pytest.raises(HypothesisError, match="n delta\\^25"):
        histogram_theorem_accuracy(n, eps=1, delta="1/2")


@pytest.mark.parametrize(("eps", "delta"), [(1, "9/10"), (1, "1/2"), ("4/5", "9/10"), (LogRational(2), "9/10")])
def test_composition_covers_the_exact_delta_of_the_two_bins(eps, delta):
    n = zsum_least_n(eps=eps, delta=delta)
    bound = histogram_privacy_bound(n, eps=eps, delta=delta)
    doubled = LogRational(eps.argument**2) if isinstance(eps, LogRational) else 2 * Fraction(eps)
    assert bound == PrivacyBound(doubled, 2 * Fraction(delta))
    profile = protocols.histogram_from_theorem(n, 3, eps=eps, delta=delta).privacy_profile()
    joint = profile.delta(eps=doubled)
    alone = protocols.zsum_from_theorem(n, eps=eps, delta=delta).privacy_profile().delta(eps=eps)
    assert joint <= bound.delta
    assert joint.hi <= 2 * alone.lo


@pytest.mark.parametrize("d", [2, 3, 5])
def test_messages(d):
    gamma = Fraction(1, 7)
    table = protocols.histogram_randomizer(d, gamma=gamma).table()
    assert max(len(sent) for row in table.values() for sent in row) == histogram_most_messages(d) == d + 1
    for row in table.values():
        assert sum(len(sent) * p for sent, p in row.items()) == histogram_expected_messages(d, gamma=gamma)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n": 0}, "The histogram theorem needs n >= 1, but n=0. Pass n of at least 1."),
        (
            {"n": 1450},
            (
                "The histogram theorem needs n >= 100 ln(2/delta) / eps^2, but n=1450 and 100 ln(2/delta) / eps^2 = "
                "1450.8657.... Use n of at least 1451, or a larger eps or delta."
            ),
        ),
        ({"eps": 0}, "The histogram theorem needs 0 < eps <= 1, but eps=0. Pass eps in (0, 1]."),
        ({"eps": 2}, "The histogram theorem needs 0 < eps <= 1, but eps=2. Pass eps in (0, 1]."),
        ({"delta": 0}, "The histogram theorem needs 0 < delta <= 1, but delta=0. Pass delta in (0, 1]."),
        ({"delta": 2}, "The histogram theorem needs 0 < delta <= 1, but delta=2. Pass delta in (0, 1]."),
    ],
)
@pytest.mark.parametrize("bound", [histogram_privacy_bound, histogram_theorem_accuracy])
def test_the_theorem_names_the_hypothesis_that_fails(bound, changed, message):
    arguments = {"n": 2000, "eps": 1, "delta": "1e-6", **changed}
    with pytest.raises(HypothesisError) as error:
        bound(arguments.pop("n"), **arguments)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: histogram_theorem_accuracy(2000, eps=1, delta="1/2", beta="1/20000"),
            (
                "The histogram theorem needs beta >= n delta^25, but beta=1/20000 and n delta^25 = 125/2097152. "
                "Use a larger beta, or the accuracy bound for every beta."
            ),
        ),
        (
            lambda: histogram_theorem_accuracy(2000, eps=1, delta="99/100"),
            (
                "The histogram theorem needs some beta with n delta^25 <= beta < 1, but n delta^25 = more than 1 "
                "for delta=99/100. Use a smaller delta, or the accuracy bound for every beta."
            ),
        ),
        (
            lambda: histogram_accuracy(2000, gamma="1/2", beta=0),
            "The simultaneous accuracy bound needs 0 < beta < 1, but beta=0. Pass beta in (0, 1).",
        ),
        (
            lambda: histogram_accuracy(2000, gamma=0, beta="1/2"),
            "The simultaneous accuracy bound needs 0 < gamma <= 1, but gamma=0. Pass gamma in (0, 1].",
        ),
        (
            lambda: histogram_most_messages(0),
            "The message count needs d >= 1, but d=0. Pass at least one bin.",
        ),
    ],
)
def test_other_hypotheses_are_named(call, message):
    with pytest.raises(HypothesisError) as error:
        call()
    assert str(error.value) == message


def test_a_ratio_that_is_too_long_is_refused():
    with pytest.raises(TooLargeError, match="Use a shorter e\\^eps"):
        histogram_privacy_bound(10**9, eps=LogRational(2 - Fraction(1, 2**600000)), delta="1/2")


def test_accuracy_does_not_depend_on_the_number_of_bins():
    few, many = (protocols.histogram_from_theorem(10**6, d, eps=1, delta="1e-6") for d in (2, 10**5))
    assert few.noise == many.noise
    assert number(1 - few.noise.p) > 0
