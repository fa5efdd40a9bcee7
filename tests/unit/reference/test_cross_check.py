"""A second computation finds answers inside, and says of a perturbed one that it is outside."""

import re
from dataclasses import replace
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactdp as xdp
from exactdp import protocols
from exactdp.errors import InvalidValueError
from exactdp.numbers.dyadic import Dyadic
from exactdp.testing import randomizers


def response(n, k=2, limit=10**8):
    return xdp.ShuffleProtocol(xdp.randomized_response(k, gamma="1/2"), n).privacy_profile(limit=limit)


def moved(interval, by):
    """The interval, moved by so many of its widths, or of 10^-16 where it is a point."""
    width = interval.hi - interval.lo or interval.hi / 10**16
    return xdp.Interval.between(interval.lo + by * width, interval.hi + by * width, bits=400)


PROFILES = {
    "two messages": lambda: response(12),
    "two messages, scanned": lambda: response(30),
    "three messages": lambda: response(4, 3),
    "bundles": lambda: protocols.gap(4).privacy_profile(),
    "a table of a family": lambda: xdp.ShuffleProtocol(
        xdp.randomizers.unary_encoding(2, exp_eps0=3), 3
    ).privacy_profile(),
    "a pair": lambda: (
        response(20).source
        and xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 20).pair_profile({0: 19, 1: 1}, {0: 20})
    ),
    "binomial noise": lambda: protocols.zsum(200, gamma="1/4").privacy_profile(),
    "noise of two counts": lambda: protocols.histogram(20, 4, gamma="1/2").privacy_profile(),
    "finite noise, any shift": lambda: xdp.AdditiveProtocol(
        xdp.Law({0: "1/2", 1: "1/4", 5: "1/4"}), shift=2
    ).privacy_profile(),
    "irrational noise": lambda: xdp.shift_profile(xdp.NegativeBinomial(5, "exp(-1/5)"), shift=2),
    "wide noise": lambda: xdp.shift_profile(xdp.DiscreteGaussian(50)),
    "continuous noise": lambda: xdp.shift_profile(xdp.Laplace(2)),
    "sampled counts": lambda: protocols.sample_and_threshold(9, rate="1/4", threshold=3).privacy_profile(),
    "rational runs": lambda: xdp.shift_profile(xdp.DiscreteLaplace(2)).compose(3),
    "runs of users": lambda: response(3).compose(2),
    "runs of two mechanisms": lambda: xdp.compose(
        xdp.shift_profile(xdp.Geometric("1/2")), response(2), notion="non-adaptive"
    ),
    "runs of a histogram": lambda: protocols.histogram(4, 3, gamma="1/2").privacy_profile().compose(2),
}


@pytest.mark.parametrize("name", PROFILES)
def test_answers_are_inside_and_perturbed_ones_outside(name):
    profile = PROFILES[name]()
    for question in ({"eps": "1/4"}, {"exp_eps": "6/5"}):
        check = xdp.cross_check(profile, **question)
        assert check.verdict == "inside", check
        assert check.answer == profile.delta(**question)
        answer = check.answer
        if isinstance(answer, Fraction):
            wrong = [answer * (1 + sign * Fraction(1, 10**16)) for sign in (1, -1)]
        else:
            wrong = [moved(answer, 2), moved(answer, -2)]
        for each in wrong:
            assert xdp.cross_check(profile, **question, answer=each).verdict == "outside"


@pytest.mark.parametrize(
    ("name", "delta"),
    [
        ("two messages", "1/100"),
        ("binomial noise", "1/1000"),
        ("continuous noise", "1/10"),
        ("rational runs", "1/10"),
        ("bundles", 0),
        ("three messages", "1/50"),
    ],
)
def test_least_eps_too(name, delta):
    profile = PROFILES[name]()
    check = xdp.cross_check(profile, delta=delta)
    assert check.verdict == "inside", check
    answer = check.answer
    wrong = (
        xdp.LogRational(answer.argument * (1 + Fraction(1, 10**15)))
        if isinstance(answer, xdp.LogRational)
        else moved(answer, 2)
    )
    assert xdp.cross_check(profile, delta=delta, answer=wrong).verdict == "outside"


def test_no_eps_is_enough():
    profile = protocols.zsum(2, gamma="1/2").privacy_profile()
    assert xdp.cross_check(profile, delta=0).verdict == "inside"
    assert xdp.cross_check(profile, delta=0).value == "+inf"
    assert xdp.cross_check(profile, delta=0, answer=xdp.LogRational(5)).verdict == "outside"
    assert xdp.cross_check(profile, delta=1, answer=xdp.LogRational(None)).verdict == "outside"


def test_both_ends_of_an_open_bracket():
    profile = xdp.ShuffleProtocol(xdp.randomized_response(3, gamma="1/2"), 12).privacy_profile(limit=10)
    assert not profile.is_tight
    check = xdp.cross_check(profile, exp_eps=2)
    assert check.verdict == "inside", check
    assert check.lower < check.upper
    ends = profile.bracket(exp_eps=2)
    assert xdp.cross_check(profile, exp_eps=2, answer=ends.lower).verdict == "undecided"
    assert xdp.cross_check(profile, exp_eps=2, answer=Fraction(1, 2)).verdict == "outside"
    assert "at an eps" in xdp.cross_check(profile, delta="1/1000", answer=1).reason


@settings(max_examples=8)
@given(randomizers(max_inputs=3, max_messages=3), st.integers(1, 3), st.fractions(1, 5, max_denominator=5))
def test_any_table(randomizer, n, exp_eps):
    profile = xdp.ShuffleProtocol(randomizer, n).privacy_profile()
    assert xdp.cross_check(profile, exp_eps=exp_eps).verdict == "inside"


@pytest.mark.parametrize(
    "law",
    [
        xdp.Binomial(300, "1/3"),
        xdp.BinomialSum(20, "1/3", 10, "1/2"),
        xdp.Poisson("exp(2)"),
        xdp.DiscreteUniform(-3, 9),
        xdp.DiscreteLaplace("exp(1/5)"),
        xdp.DiscreteGaussian("9/2"),
    ],
    ids=repr,
)
def test_weights_and_tails_of_laws(law):
    for name in ("pmf", "cdf", "sf"):
        check = xdp.cross_check(law, **{name: 5})
        assert check.verdict == "inside", check
        assert xdp.cross_check(law, **{name: 5}, answer=moved(check.answer, 2)).verdict == "outside"


def test_more_digits_are_twice_as_many():
    check = xdp.cross_check(response(5), eps="1/4", digits=60)
    assert check.digits == 120
    precise = response(5).delta(eps="1/4", relative_bits=300)
    check = xdp.cross_check(response(5), eps="1/4", answer=precise)
    assert (check.verdict, check.digits >= 180) == ("inside", True)
    last_bit = xdp.Interval(
        Dyadic.of(precise.lower.mantissa - 4, precise.lower.exponent),
        Dyadic.of(precise.lower.mantissa - 3, precise.lower.exponent),
    )
    assert xdp.cross_check(response(5), eps="1/4", answer=last_bit).verdict == "outside"


def test_what_is_not_computed_says_why():
    many = xdp.cross_check(response(1000), eps="1/10")
    assert (many.verdict, many.value) == ("not computed", "")
    assert str(many) == "not computed: the sums have more than 1000000 steps, the limit."
    counted = protocols.correlated_counting(20, p1="1/2", p2="9/10", r=3).privacy_profile()
    assert xdp.cross_check(counted, eps=1).reason == (
        "no sums are written for two counts, with geometric noise of ratio 1/2 each and NB(3, 9/10) for both."
    )
    assert "extreme parameter" in xdp.cross_check(xdp.Poisson(10**30), pmf=10**30).reason
    assert xdp.cross_check(xdp.Poisson(10**14), pmf=10**14).verdict == "inside"
    long = xdp.shift_profile(xdp.DiscreteLaplace(2)).compose(1000)
    assert xdp.cross_check(long, eps=1, answer="1/2").reason == "no sums are written for more than 200 runs."
    gaussian = xdp.shift_profile(xdp.DiscreteGaussian(10)).compose(2)
    assert "its likelihood ratios are irrational" in xdp.cross_check(gaussian, eps=1).reason
    huge = xdp.ShuffleProtocol(xdp.randomizers.unary_encoding(1000, exp_eps0=3), 100).privacy_profile()
    assert "too many to list" in xdp.cross_check(huge, eps=1).reason


def test_the_sentence_has_the_number_the_way_and_the_cost():
    check = replace(xdp.cross_check(response(10), exp_eps=2), seconds=1.5)
    assert str(check) == (
        "inside: 0.01877117156982421875 by direct sums over all neighbouring data sets, in mpmath at 34 digits, 1.50 s"
    )
    assert check.steps > 0
    assert re.match(r"outside: .*", str(xdp.cross_check(response(10), exp_eps=2, answer="1/4")))


def test_rounding_as_wide_as_the_answer_is_undecided():
    """Probabilities below 10^-1000 are not told from 0."""
    profile = xdp.shift_profile(xdp.DiscreteLaplace(1000))
    check = xdp.cross_check(profile, exp_eps=2000, answer=xdp.Interval.around(Fraction(1, 10**3000), relative_bits=53))
    assert check.verdict == "undecided"
    assert check.reason == "the rounding of the sums is as wide as the answer"


@pytest.mark.parametrize(
    ("subject", "question", "message"),
    [
        (lambda: response(3), {}, "nothing is asked of a PrivacyProfile. Pass one of eps, exp_eps, delta."),
        (lambda: response(3), {"eps": 1, "delta": 0}, "eps and delta is asked of a PrivacyProfile. Pass one of eps"),
        (lambda: xdp.Poisson(3), {"eps": 1}, "eps is asked of a Poisson. Pass one of pmf, cdf, sf."),
        (lambda: 3, {"eps": 1}, "subject has the type int. Pass a privacy profile, or noise on the integers."),
        (lambda: response(3), {"eps": 1, "digits": 10**6}, "digits=1000000 is more than the limit of 10000."),
    ],
)
def test_wrong_questions_are_refused(subject, question, message):
    with pytest.raises(xdp.ExactDPError, match=re.escape(message)):
        xdp.cross_check(subject(), **question)


def test_the_recomputed_number_is_an_mpf():
    check = xdp.cross_check(response(5), eps="1/4")
    assert isinstance(check.lower, mpmath.mpf)
    with pytest.raises(InvalidValueError):
        xdp.cross_check(response(5), exp_eps="1/2")
