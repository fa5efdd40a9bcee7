"""Formulas that users type: enclosed as mpmath has them, nothing where they have no value, conditions decided."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.errors import ExactDPError, InvalidValueError, TooLargeError
from exactdp.numbers.real import Real
from exactdp.symbolic.formulas import read_condition, read_formula

NAMES = ("n", "E", "eps0")
LEAVES = st.sampled_from(["n", "E", "eps0", "2", "1/3", "0.25", "1e-3"])
FUNCTIONS = {
    "sqrt": mpmath.sqrt,
    "ln": mpmath.log,
    "log": mpmath.log,
    "exp": mpmath.exp,
    "erfc": mpmath.erfc,
    "min": min,
    "max": max,
}
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]}{t[1]}{t[2]})"),
        st.tuples(inner, st.sampled_from(["2", "3", "(1/2)", "(0-1)"])).map(lambda t: f"({t[0]})^{t[1]}"),
        st.tuples(st.sampled_from(["sqrt", "ln", "exp", "erfc"]), inner).map(lambda t: f"{t[0]}({t[1]})"),
        st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(lambda t: f"{t[0]}({t[1]}, {t[2]})"),
    ),
    max_leaves=8,
)


def by_mpmath(text: str, n: int, ratio: Fraction) -> object:
    """The value in 60 digits; None where a function has no real value or is out of reach."""
    mpmath.mp.dps = 60
    exact = mpmath.mpf(ratio.numerator) / ratio.denominator
    names = {"n": mpmath.mpf(n), "E": exact, "eps0": mpmath.log(exact)} | FUNCTIONS
    written = "".join(f"mpf('{part}')" if part[0].isdigit() else part for part in _parts(text))
    try:
        value = eval(written.replace("^", "**"), {"mpf": mpmath.mpf, **names})
    except (ZeroDivisionError, OverflowError, TypeError, ValueError):
        return None
    return value if isinstance(value, mpmath.mpf) and mpmath.isfinite(value) else None


def _parts(text: str) -> list[str]:
    import re

    return re.findall(r"[0-9.]+(?:e-?[0-9]+)?|[A-Za-z][A-Za-z0-9]*|.", text)


@given(TREES, st.integers(1, 10**6), st.sampled_from([Fraction(3, 2), Fraction(2), Fraction(7389, 1000)]))
def test_a_value_is_that_of_mpmath(text: str, n: int, ratio: Fraction) -> None:
    found = read_formula(text, NAMES).enclose({"n": Fraction(n), "E": ratio, "eps0": Real.log(ratio)})
    value = by_mpmath(text, n, ratio)
    if found is None or value is None or abs(value) > 1e50:
        return
    assert isinstance(value, mpmath.mpf)
    slack = mpmath.mpf(10) ** -40 * max(1, abs(value))
    low, high = (mpmath.mpf(end.numerator) / end.denominator for end in (found.lo, found.hi))
    assert low - slack <= value <= high + slack
    assert high - low <= mpmath.mpf(2) ** -70 * max(1, abs(value)) or not abs(value)


@pytest.mark.parametrize("text", ["ln(0)", "1/0", "sqrt(-1)", "0/(1-1)", "ln(1-n)", "exp(exp(exp(100)))", "(0-2)^0.5"])
def test_what_has_no_finite_value_has_no_enclosure(text: str) -> None:
    assert read_formula(text, ("n",)).enclose({"n": Fraction(1)}) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sqrt(1, 2)", "sqrt has 2 argument(s). Give it one number."),
        ("max(2)", "max has 1 argument(s). Give it two numbers or more."),
        ("foo(2)", "this function is not known. Only ln, log, sqrt, exp, erfc, min, max are"),
        ("eps + 1", "this name stands for nothing. The names are n, E, eps0."),
        ("ln(n", "the bracket of character 3 is not closed"),
        ("1 <= n", "an expression ends here"),
    ],
)
def test_what_is_no_formula_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(InvalidValueError) as refused:
        read_formula(text, NAMES)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_formula_has_a_limit_within_which_nothing_is_too_deep() -> None:
    assert read_formula("-".join(["eps0*n"] * 114), NAMES).enclose({"n": Fraction(2), "eps0": Real.log(2)}) is not None
    with pytest.raises(TooLargeError, match="more than the limit of 800"):
        read_formula("+".join(["n"] * 401), NAMES)
    with pytest.raises(ExactDPError):
        read_formula("(" * 100 + "n" + ")" * 100, NAMES)
    assert read_formula("((((9^64)^64)^64)^64)^64", ()).enclose({}) is not None


def test_conditions_hold_where_they_are_proved() -> None:
    at = {"n": Fraction(50), "E": Fraction(20), "eps0": Real.log(20)}
    assert read_condition("n = 50", NAMES).is_proved(at)
    assert read_condition("0 < eps0 < 3 <= n/10 < E", NAMES).is_proved(at)
    assert not read_condition("eps0 <= ln(n/(16*ln(200)))", NAMES).is_proved(at)
    assert not read_condition("exp(eps0) == E", NAMES).is_proved(at)  # true, and not told apart from what is not
    assert not read_condition("1/(n-50) > 0", NAMES).is_proved(at)
