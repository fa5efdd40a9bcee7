"""SymPy's numbers go in and out exactly; every other part of an expression is refused by name."""

import subprocess
import sys
from fractions import Fraction

import mpmath
import pytest
import sympy
import sympy.parsing.sympy_parser
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational, exp, log, sqrt

import exactdp as xdp
from exactdp import bounds
from exactdp.errors import InexactNumberError, InvalidValueError, TooLargeError
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.epsilon import LogRational, read_eps
from exactdp.numbers.exact import as_fraction
from exactdp.numbers.real import as_real, read_parameter

x = sympy.Symbol("x")
small = st.fractions(min_value=Fraction(-3), max_value=3, max_denominator=20)
positive = st.fractions(min_value=Fraction(1, 20), max_value=4, max_denominator=20)


def expressions():
    """Expressions that are above 0, so that exp, log and powers may be taken of each."""
    leaves = positive.map(lambda q: Rational(q.numerator, q.denominator))

    def larger(inner):
        return st.one_of(
            st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1]),
            st.tuples(inner, inner).map(lambda pair: pair[0] * pair[1]),
            st.tuples(inner, inner).map(lambda pair: pair[0] / pair[1]),
            inner.map(lambda e: exp(-e)),
            inner.map(lambda e: log(1 + e)),
            inner.map(sqrt),
            st.tuples(inner, st.integers(-3, 3)).map(lambda pair: pair[0] ** pair[1]),
        )

    return st.recursive(leaves, larger, max_leaves=5)


def lies_in(interval, expression):
    """Whether SymPy's own evaluation, 30 digits by mpmath, is in the interval."""
    with mpmath.workdps(40):
        value = mpmath.mpf(sympy.N(expression, 40))
        low, high = (mpmath.mpf(end.numerator) / end.denominator for end in (interval.lo, interval.hi))
        slack = abs(value) * mpmath.mpf(10) ** -30
        return low - slack <= value <= high + slack


@settings(max_examples=30)
@given(expressions())
def test_a_constant_is_read_as_the_number_that_it_is_and_written_back(expression):
    value = as_real(expression, name="x")
    interval = enclose_real(value, relative_bits=80)
    assert lies_in(interval, expression)
    again = as_real(value.to_sympy(), name="x")
    assert lies_in(enclose_real(again, relative_bits=80), expression)


@settings(max_examples=30)
@given(small)
def test_rationals_go_out_and_in(value):
    written = xdp.ExactFraction(value).to_sympy()
    assert isinstance(written, sympy.Rational)
    assert as_fraction(written, name="x") == value == xdp.Real(value).to_sympy()


@pytest.mark.parametrize(
    ("eps", "argument"),
    [
        (log(2), 2),
        (2 * log(Rational(3, 2)), Fraction(9, 4)),
        (log(2) + log(3) - log(4), Fraction(3, 2)),
        (-log(Rational(2, 3)), Fraction(3, 2)),
        (3 * (log(2) + log(5)) - log(10), 100),
    ],
)
def test_logarithms_are_levels_of_privacy(eps, argument):
    assert read_eps(eps) == LogRational(argument)
    profile = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 4).privacy_profile()
    assert profile.delta(eps=eps) == profile.delta(eps=LogRational(argument))
    assert xdp.Claim.shuffle_dp(
        xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 4), eps=eps, delta="1/8"
    ) == xdp.Claim.shuffle_dp(
        xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 4), exp_eps=argument, delta="1/8"
    )


def test_levels_laws_and_theorems_read_them():
    assert read_eps(Rational(1, 4)) == Fraction(1, 4)
    assert bounds.zsum_gamma(10**4, eps=log(Rational(3, 2)), delta=Rational(1, 1000)) == bounds.zsum_gamma(
        10**4, eps=LogRational("3/2"), delta="1/1000"
    )
    assert xdp.DiscreteLaplace(exp(Rational(1, 5))) == xdp.DiscreteLaplace(xdp.Real.exp("1/5"))
    assert lies_in(xdp.Poisson(3 * (1 + log(100))).mean, 3 + 3 * log(100))
    assert read_parameter(exp(log(2)), name="mu") == 2
    assert as_fraction(sympy.Add(1, 2, evaluate=False), name="n") == 3


def test_answers_go_out():
    assert LogRational("3/2").to_sympy() == log(Rational(3, 2))
    assert LogRational(1).to_sympy() == 0
    assert LogRational(None).to_sympy() == sympy.oo
    law = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 2).law([0, 1])
    written = law.to_sympy()
    assert written == {(2, 0): Rational(3, 16), (1, 1): Rational(5, 8), (0, 2): Rational(3, 16)}
    assert xdp.Law(written) == law
    third = xdp.Interval.around(Fraction(1, 3), relative_bits=60)
    assert third.to_sympy() == sympy.Interval(third.lo.to_sympy(), third.hi.to_sympy())


LAWS = [
    xdp.Binomial(7, "1/3"),
    xdp.Binomial(3, 1),
    xdp.BinomialSum(4, "1/2", 3, "1/3"),
    xdp.NegativeBinomial("9/2", "1/3"),
    xdp.NegativeBinomial(2, "exp(-1/5)"),
    xdp.Geometric("1/4"),
    xdp.DiscreteLaplace("7/3"),
    xdp.DiscreteUniform(-2, 5),
    xdp.Poisson("11/4"),
    xdp.DiscreteGaussian("5/2"),
]


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_a_law_is_a_formula_with_the_probabilities_of_the_law(law):
    k = sympy.Symbol("k", integer=True)
    formula = law.to_sympy()
    for at in (-3, 0, 1, 3, 6, 9):
        value = formula.subs(k, at).doit() if isinstance(law, xdp.BinomialSum) else formula.subs(k, at)
        if law.is_rational:
            assert as_fraction(value, name="p") == law.exact_pmf(at)
        else:
            assert lies_in(law.pmf(at), value)
    assert formula.has(sympy.Sum) or law.to_sympy(30) == formula.subs(k, 30)


def test_an_outcome_is_an_integer_or_a_symbol():
    m = sympy.Symbol("m", integer=True)
    assert xdp.Geometric("1/2").to_sympy(m + 1).subs(m, 2) == Rational(1, 16)
    with pytest.raises(InexactNumberError, match=r"k=0\.5 is a float"):
        xdp.Geometric("1/2").to_sympy(0.5)
    with pytest.raises(InvalidValueError, match="is not a number"):
        xdp.Geometric("1/2").to_sympy("k")


@pytest.mark.parametrize("digits", [1, 15, 50])
def test_an_interval_becomes_a_float_of_mpmath(digits):
    third = xdp.Interval.around(Fraction(1, 3), relative_bits=200)
    with mpmath.workdps(80):
        assert abs(third.to_mpf(digits) * 3 - 1) < mpmath.mpf(10) ** (1 - digits)
    with pytest.raises(TooLargeError, match="digits=100001 is more than the limit of 100000"):
        third.to_mpf(100_001)


REFUSED = [
    (InexactNumberError, sympy.Float("0.25"), "mu=0.250000000000000 is a Float and has been rounded already. Write"),
    (
        InexactNumberError,
        sympy.Float("0.1") * log(2),
        "holds the Float 0.100000000000000 and has been rounded already.",
    ),
    (InvalidValueError, x + 1, "mu=x + 1 has the free symbol x, and a number is needed. Give it a value: .subs(x"),
    (InvalidValueError, sympy.pi, "mu=pi is not read. Rationals, exp, log and what +, -, *, / and powers make of them"),
    (InvalidValueError, 2 + sympy.sin(1), "mu=sin(1) + 2 holds sin(1), which is not read. Rationals, exp, log"),
    (InvalidValueError, sympy.oo, "mu=oo is not finite. Pass a finite number."),
    (InvalidValueError, sympy.nan, "mu=nan is not finite. Pass a finite number."),
    (InvalidValueError, sqrt(1 - exp(1)), "the base of sqrt(1 - E) is not known to be above 0."),
    (InvalidValueError, log(log(2) - log(3, evaluate=False), evaluate=False), "is not known to be above 0"),
    (InvalidValueError, sympy.Pow(0, -1, evaluate=False), "mu=1/0 divides by 0. Pass a finite number."),
    (
        TooLargeError,
        sympy.Pow(2, 10**9, evaluate=False),
        "mu holds a power of 1000000000, more than the limit of 10000",
    ),
    (InexactNumberError, sympy.true, "mu has the type BooleanTrue, which is not a number. Pass an expression in exp"),
]


@pytest.mark.parametrize(("kind", "value", "message"), REFUSED)
def test_what_is_not_read_is_refused_with_its_part_and_the_repair(kind, value, message):
    with pytest.raises(kind) as error:
        read_parameter(value, name="mu")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("exp_eps", exp(Rational(1, 2)), "Pass eps=1/2 instead of exp_eps."),
        ("gamma", log(2), "gamma='log(2)' is irrational where an exact number is needed. Pass a rational number."),
        ("gamma", sqrt(2), "gamma='sqrt(2)' is irrational where an exact number is needed."),
    ],
)
def test_exp_and_log_are_refused_where_a_rational_is_needed(name, value, message):
    with pytest.raises(InvalidValueError) as error:
        as_fraction(value, name=name)
    assert message in str(error.value)


def test_an_eps_that_is_no_logarithm_is_refused():
    for eps in (1 + log(2), log(2) / 2, log(1 + exp(1))):
        with pytest.raises(InvalidValueError, match="is neither rational nor the logarithm of a rational number"):
            read_eps(eps)
    with pytest.raises(InvalidValueError, match="is below 0"):
        read_eps(-log(2))
    with pytest.raises(TooLargeError, match="e\\^eps has more than 4194304 bits"):
        read_eps(10**8 * log(2))


def test_deep_expressions_are_refused():
    deep = sympy.Integer(1)
    for _ in range(150):
        deep = exp(deep, evaluate=False)
    with pytest.raises(TooLargeError, match="nested more than 100 deep"):
        as_real(deep, name="mu")


def test_plain_queries_load_neither_library():
    code = (
        "import sys, exactdp as xdp, exactdp.cli.main\n"
        "from exactdp import protocols\n"
        "profile = protocols.k_ary(20, 2, gamma='1/2').privacy_profile()\n"
        "profile.delta(eps='1/4'), profile.epsilon('1/100'), profile.compose(3).delta(eps=1), profile.tradeoff()\n"
        "xdp.shift_profile(xdp.Poisson(300)).delta(eps=xdp.LogRational(2))\n"
        "repr(xdp.DiscreteLaplace('exp(1/5)').pmf(3))\n"
        "xdp.certify(xdp.Claim.shuffle_dp(protocols.k_ary(4, 2, gamma='1/2'), eps=1, delta='1/8'))\n"
        "try:\n    exactdp.cli.main.cli.main(['delta', '@gap', '-n', '3', '--eps', '1'], standalone_mode=False)\n"
        "finally:\n    print({'sympy', 'mpmath'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


@pytest.mark.parametrize("text", ["log(2)", "__import__('os')", "sqrt(2)", "2**3", "x"])
def test_text_is_never_read_by_sympy(text, monkeypatch):
    def parsed(*_, **__):
        raise AssertionError("SymPy parsed text")

    monkeypatch.setattr(sympy, "sympify", parsed)
    monkeypatch.setattr(sympy.parsing.sympy_parser, "parse_expr", parsed)
    for read in (read_parameter, as_fraction):
        with pytest.raises(InvalidValueError, match="is not a number"):
            read(text, name="mu")
