"""LogRational: ordered, hashable, enclosed; eps and exp_eps are read once."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import LogRational
from exactdp.errors import ExactDPError, InvalidValueError
from exactdp.numbers.epsilon import read_privacy_level
from tests.expensive import one_in
from tests.oracles import high_precision

ARGUMENTS = st.fractions(1, 1000) | st.none()


@one_in(2)
@given(ARGUMENTS, ARGUMENTS)
def test_order(a, b):
    first, second = LogRational(a), LogRational(b)
    key_a, key_b = (a is None, a or 0), (b is None, b or 0)
    assert (first < second) == (key_a < key_b)
    assert (first <= second) == (key_a <= key_b)
    assert (first > second) == (key_a > key_b)
    assert (first >= second) == (key_a >= key_b)
    assert (first == second) == (key_a == key_b)
    if first == second:
        assert hash(first) == hash(second)


@one_in(2)
@given(st.fractions(1, 10**9), st.integers(1, 150))
def test_enclosure(argument, bits):
    interval = LogRational(argument).enclose(bits)
    assert (interval.hi - interval.lo) * 2**bits <= interval.lo
    with high_precision.sixty_digits():
        value = mpmath.log(high_precision.number(argument))
        assert argument == 1 or high_precision.contains(interval, value)
    assert (argument == 1) == (interval.hi == 0)


def test_infinity():
    infinite = LogRational(None)
    assert infinite.is_infinite
    assert float(infinite) == float("inf")
    assert str(infinite) == "infinity"
    for ask in (lambda: infinite.argument, infinite.enclose):
        with pytest.raises(InvalidValueError):
            ask()


def test_zero():
    assert LogRational(1).enclose() == LogRational("1").enclose()
    assert LogRational(1).enclose().is_point
    assert float(LogRational(1)) == 0.0


@pytest.mark.parametrize("argument", ["1/2", 0, -1, 1.5, "x", float("inf")])
def test_no_eps(argument):
    with pytest.raises(ExactDPError):
        LogRational(argument)


def test_repr_is_short_and_reads_back():
    value = LogRational(Fraction(3, 2))
    assert eval(repr(value)) == value
    assert len(repr(LogRational(Fraction(10**900 + 1, 10**900)))) < 100


@pytest.mark.parametrize(
    "arguments",
    [{}, {"eps": 1, "exp_eps": 2}, {"eps": -1}, {"exp_eps": "1/2"}, {"exp_eps": 0}, {"eps": 0.5}, {"eps": "nan"}],
)
def test_reading_refuses(arguments):
    with pytest.raises(ExactDPError):
        read_privacy_level(**{"eps": None, "exp_eps": None, **arguments})


def test_reading():
    assert read_privacy_level(eps=0, exp_eps=None).exp_eps == 1
    assert read_privacy_level(eps=LogRational(3), exp_eps=None).exp_eps == 3
    assert read_privacy_level(eps=None, exp_eps="3/2").exp_eps == Fraction(3, 2)
    assert read_privacy_level(eps="1/2", exp_eps=None).exp_eps is None
    assert read_privacy_level(eps="1/2", exp_eps=None).keywords == {"eps": Fraction(1, 2)}
    assert read_privacy_level(eps=0, exp_eps=None).keywords == {"exp_eps": 1}


def test_what_is_shown_of_an_eps():
    assert (repr(LogRational(None)), str(LogRational(None))) == ("LogRational(None)", "infinity")
    assert (repr(LogRational("3/2")), str(LogRational("3/2"))) == ("LogRational('3/2')", "ln(3/2)")
    assert (LogRational(None)._repr_html_(), LogRational(None)._repr_latex_()) == ("∞", r"$\infty$")
    assert (LogRational(1)._repr_html_(), LogRational(1)._repr_latex_()) == ("0", "$0$")
    assert LogRational("3/2")._repr_html_().startswith("ln(")
    assert LogRational("3/2")._repr_latex_().startswith(r"$\ln\left(")
    for shown in (LogRational("3/2")._repr_html_(), LogRational("3/2")._repr_latex_()):
        assert "0.4054651081" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((None, None), "neither of eps and exp_eps given. Pass one: eps=..., or exp_eps=... for e^eps."),
        ((1, 2), "both of eps and exp_eps given. Pass one: eps=..., or exp_eps=... for e^eps."),
        ((None, "1/2"), "exp_eps=1/2 is below 1. Pass e^eps, a number of at least 1."),
        (("-1/2", None), "eps=-1/2 is below 0. Pass an eps of at least 0."),
    ],
)
def test_what_is_refused_and_why(arguments, message):
    with pytest.raises(InvalidValueError) as refused:
        read_privacy_level(eps=arguments[0], exp_eps=arguments[1])
    assert str(refused.value) == message
