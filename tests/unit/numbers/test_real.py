"""Real numbers as expressions: what folds, what is decided, and enclosures against mpmath."""

import pickle
from fractions import Fraction
from random import Random

import mpmath
import pytest

from exactdp.errors import ExactDPError, InexactNumberError, InvalidValueError, UndecidedError
from exactdp.numbers.balls import compare_reals, enclose_real, floor_real
from exactdp.numbers.real import Real, as_real, read_parameter
from tests.oracles import high_precision
from tests.together import together

LEAVES = ("rational", "exp", "log")


def random_pair(rng, depth):
    """A random expression as a Real and as an mpmath number, built by the same steps."""
    if depth == 0 or rng.random() < 0.2:
        value = Fraction(rng.randint(1, 30), rng.randint(1, 12))
        number = high_precision.number(value)
        match rng.choice(LEAVES):
            case "exp":
                return Real.exp(-value / 9), mpmath.exp(-number / 9)
            case "log":
                return Real.log(value + 2), mpmath.log(number + 2)
            case _:
                return Real(value), number
    (a, x), (b, y) = random_pair(rng, depth - 1), random_pair(rng, depth - 1)
    match rng.choice("+-*/^el"):
        case "+":
            return a + b, x + y
        case "-":
            return a - b - Fraction(1, 7), x - y - mpmath.mpf(1) / 7
        case "*":
            return a * b, x * y
        case "/":
            return (a / b, x / y) if abs(y) > 0.01 else (a * 2, x * 2)
        case "^":
            power = rng.randint(0, 3)
            return a**power, x**power
        case "e":
            return (Real.exp(a), mpmath.exp(x)) if abs(x) < 50 else (2 - a, 2 - x)
        case _:
            return (Real.log(a), mpmath.log(x)) if x > 0.01 else (3 / Real(2) + a, mpmath.mpf(3) / 2 + x)


def test_random_expressions_against_mpmath():
    """500 expressions of all operations, up to four deep; integers such as ln(e^(e^0)) + 1 are left to other tests."""
    rng, seen = Random("reals"), 0
    with high_precision.sixty_digits():
        for _ in range(500):
            value, number = random_pair(rng, 4)
            if abs(number - mpmath.nint(number)) < 1e-30:
                continue
            interval = enclose_real(value, relative_bits=53)
            lower, upper = (mpmath.mpf(end) for end in interval.decimals(40))
            slack = abs(number) * mpmath.mpf(10) ** -30
            assert lower - slack <= number <= upper + slack, value
            assert upper - lower <= abs(number) * mpmath.mpf(2) ** -52
            assert floor_real(value) == mpmath.floor(number)
            assert compare_reals(value, Fraction(0)) == mpmath.sign(number)
            assert pickle.loads(pickle.dumps(value)) == value
            assert "object" not in repr(value)
            seen += 1
    assert seen > 350


def test_the_comparison_fails_when_it_should():
    with high_precision.sixty_digits():
        interval = enclose_real(3 * (1 + Real.log(100)), relative_bits=53)
        number = 3 * (1 + mpmath.log(100))
        assert mpmath.mpf(interval.decimals(40)[0]) < number < mpmath.mpf(interval.decimals(40)[1])
        assert mpmath.mpf(interval.decimals(40)[1]) < number * (1 + mpmath.mpf(10) ** -15)


@together(
    ("value", "folded"),
    [
        (Real.exp(0), Real(1)),
        (Real.log(1), Real(0)),
        (Real.log(Real.exp("1/5")), Real("1/5")),
        (Real.exp("1/5") * Real.exp("3/10"), Real.exp("1/2")),
        (Real.exp("1/5") / Real.exp("1/5"), Real(1)),
        (Real.exp("1/5") ** 10, Real.exp(2)),
        (Real.exp("1/5") ** -10, Real.exp(-2)),
        (Real.exp(2) + Real.exp(2), Real(2, exponent=2)),
        (Real.log(2) + Real.log(2), 2 * Real.log(2)),
        (Real.log(2) - Real.log(2), Real(0)),
        (Real.log(2) / Real.log(2), Real(1)),
        (3 * Real.log(2) / Real.log(2), Real(3)),
        (Real.log(2) ** 0, Real(1)),
        (0 * Real.exp(5), Real(0)),
        (Real(0, exponent=3), Real(0)),
        (Real.exp(5) + 0, Real.exp(5)),
        (0 - Real.exp(5), -Real.exp(5)),
        (1 / Real.exp(5), Real.exp(-5)),
        (Real("25e-2"), Real("1/4")),
    ],
)
def test_what_folds(value, folded):
    assert value == folded
    assert hash(value) == hash(folded)
    assert str(value) == str(folded)


def test_what_is_rational_and_what_is_a_monomial():
    assert [(x.is_rational, x.is_monomial) for x in (Real("1/3"), Real.exp(1), Real.log(2), 1 + Real.exp(1))] == [
        (True, True),
        (False, True),
        (False, False),
        (False, False),
    ]
    assert read_parameter(Real("1/3"), name="p") == Fraction(1, 3)
    assert isinstance(read_parameter("1/3", name="p"), Fraction)
    assert isinstance(read_parameter(Real.exp(1), name="p"), Real)


@pytest.mark.parametrize(
    ("first", "second", "order"),
    [
        (Real.exp("1/5"), Real.exp("1/5"), 0),
        (Real("1/2", exponent=3), Real("2/4", exponent="6/2"), 0),
        (Real.exp("1e-3000"), Real(1), 1),
        (Real.exp("-1e-3000"), Real(1), -1),
        (1 + Real.exp("1e-3000"), Real(2), 1),
        (Real(2, exponent=10**12), Real(3, exponent=10**12), -1),
        (Real(-2, exponent=10**12), Real(-3, exponent=10**12), 1),
        (Real.exp(10**300), Real(3), 1),
        (Real(-1, exponent=10**300), Real(3), -1),
        (Real(0), Real.exp(-(10**300)), -1),
        (Real(0), Real(-1, exponent=-(10**300)), 1),
        (Real.log(2), Fraction("0.6931471805599453094172321214581765680755"), 1),
        (Real.log(2), Fraction("0.6931471805599453094172321214581765680756"), -1),
        (Real.log(6), Real.log(2) + Real.log(3) + Fraction(1, 10**1000), -1),
    ],
)
def test_orders_that_are_decided(first, second, order):
    assert compare_reals(first, second) == order
    assert compare_reals(second, first) == -order


def test_equal_numbers_in_different_words_are_undecided_and_never_wrong():
    for first, second in (
        (Real.log(6), Real.log(2) + Real.log(3)),
        (Real.exp(Real.log(2)), Real(2)),
        (Real.log(Real.log("1/2")), Real(0)),  # no real number at all
        (1 / (Real.log(6) - Real.log(2) - Real.log(3)), Real(0)),
    ):
        with pytest.raises(UndecidedError, match="nothing decides which is larger"):
            compare_reals(first, second)
    with pytest.raises(UndecidedError, match="is an integer to 8192 bits, or just below one"):
        floor_real(Real.exp(Real.log(2)))


@pytest.mark.parametrize(
    ("value", "floor"),
    [
        (Real("-7/2"), -4),
        (Real(5), 5),
        (-1 * Real.exp(-(10**9)), -1),
        (Real.exp(-(10**9)), 0),
        (Real.exp("1e-1000"), 1),
        (Real.exp("-1e-1000"), 0),
        (Real.exp(100), 26881171418161354484126255515800135873611118),
        (-1 * Real.log(2), -1),
    ],
)
def test_floors(value, floor):
    assert floor_real(value) == floor


def test_enclosures_of_very_small_differences():
    for bits in (1, 24, 53, 200):
        interval = enclose_real(Real.exp("1e-500") - 1, relative_bits=bits)
        tiny = Fraction(1, 10**500)
        assert interval.lo <= tiny * (1 + tiny)
        assert interval.hi >= tiny
        assert (interval.hi - interval.lo) * 2**bits <= interval.lo
    assert enclose_real(Real("1/4"), relative_bits=53).is_point


@pytest.mark.parametrize("value", [0.5, True, None, [1], 1j])
def test_what_is_no_exact_number_is_refused(value):
    for make in (Real, Real.exp, Real.log, lambda x: Real(1, exponent=x), lambda x: as_real(x, name="p")):
        with pytest.raises(InexactNumberError, match=r"^(coefficient|exponent|argument|p)[ =]"):
            make(value)
    for operation in ("__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__truediv__", "__rtruediv__"):
        with pytest.raises(InexactNumberError):
            getattr(Real.log(2), operation)(value)


def test_what_is_no_number_is_refused():
    for text in ("", "a", "1/0", "1 2"):
        with pytest.raises(InvalidValueError, match="exponent="):
            Real.exp(text)
    for argument in (0, -1, "-1/2", -1 * Real.exp(3)):
        with pytest.raises(InvalidValueError, match="is not above 0, so it has no logarithm"):
            Real.log(argument)
    for zero in (0, Real(0), Real.log(2) - Real.log(2)):
        with pytest.raises(ExactDPError, match="the divisor is 0"):
            Real.exp(1) / zero


def test_a_high_power_of_a_sum():
    power = (1 - Real.exp("-1/5")) ** 2000
    assert compare_reals(power, Fraction(1, 10**1400)) == -1
