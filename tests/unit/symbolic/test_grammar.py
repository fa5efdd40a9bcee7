"""Formulas as text, against SymPy's value of the same formula at rational points; what is refused, and where."""

import time
from fractions import Fraction
from itertools import product

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.symbolic.grammar import read_expression, read_relations
from exactdp.symbolic.rational_functions import MAX_DEGREE
from tests.expensive import one_in
from tests.together import together

_NUMBERS = st.sampled_from(["0", "1", "3", "17", "0.25", ".5", "2.", "25e-2"])
_POINTS = [Fraction(n, d) for n, d in ((-2, 1), (1, 3), (5, 7))]
_X, _Y = sympy.symbols("x y")


def _formulas() -> st.SearchStrategy[tuple[str, sympy.Expr]]:
    """Formulas as text, each with SymPy's expression that was built beside it, not read from the text."""
    atoms = _NUMBERS.map(lambda text: (text, sympy.Rational(text))) | st.sampled_from([("x", _X), ("y", _Y)])

    def larger(smaller: st.SearchStrategy[tuple[str, sympy.Expr]]) -> st.SearchStrategy[tuple[str, sympy.Expr]]:
        pairs = st.tuples(smaller, smaller)
        return (
            pairs.map(lambda p: (f"({p[0][0]}) + {p[1][0]}", p[0][1] + p[1][1]))
            | pairs.map(lambda p: (f"{p[0][0]} - ({p[1][0]})", p[0][1] - p[1][1]))
            | pairs.map(lambda p: (f"({p[0][0]})*({p[1][0]})", p[0][1] * p[1][1]))
            | pairs.map(lambda p: (f"({p[0][0]})/(1+({p[1][0]})^2)", p[0][1] / (1 + p[1][1] ** 2)))
            | st.tuples(smaller, st.integers(0, 3)).map(lambda p: (f"({p[0][0]})**{p[1]}", p[0][1] ** p[1]))
            | smaller.map(lambda p: (f"-({p[0]})", -p[1]))
        )

    return st.recursive(atoms, larger, max_leaves=6)


@one_in(2)
@given(_formulas())
def test_a_formula_has_the_value_that_sympy_gives_it(formula: tuple[str, sympy.Expr]) -> None:
    text, expected = formula
    found = read_expression(text)
    for x, y in product(_POINTS, repeat=2):
        value = expected.subs({_X: sympy.Rational(x), _Y: sympy.Rational(y)})
        assert found.at(x=x, y=y) == Fraction(int(value.p), int(value.q))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("-x^2", "0 - x*x"),
        ("2^3^2", "512"),
        ("x^-2", "1/(x*x)"),
        ("-2^2", "0-4"),
        ("8/2/2", "2"),
        ("8-2-2", "4"),
        ("1/4*x", "x*0.25"),
        ("2*-x", "-(2*x)"),
        ("x^(3-1)", "x * x"),
        ("--x", "x"),
        ("(x/2)/(3*y)", "x/(6*y)"),
        ("1/(1/x)", "x"),
        ("x ** 2", "x^2"),
    ],
)
def test_signs_and_powers_bind_as_in_mathematics(text: str, same: str) -> None:
    for x, y in product(_POINTS, repeat=2):
        assert read_expression(text).at(x=x, y=y) == read_expression(same).at(x=x, y=y)


def test_what_is_divided_by_stays() -> None:
    assert not read_expression("(x^2-1)/(x-1)").is_polynomial
    assert read_expression("(x^2-1)/(3-1)").is_polynomial
    assert read_expression("x - x + 1").number == 1
    assert read_expression("x - x + y").names == ("y",)
    with pytest.raises(InvalidValueError, match="the denominator is 0 there"):
        read_expression("1/(x-1)").at(x=1)


def test_a_polynomial_in_other_names() -> None:
    assert read_expression("x*z - 1/2").polynomial(["z", "y", "x"]) == {(1, 0, 1): 1, (0, 0, 0): Fraction(-1, 2)}


def test_numbers_may_stand_for_names() -> None:
    found = read_expression("(1-x)^n/n", values={"n": 3})
    assert found.variables == ("x",)
    assert found.at(x=Fraction(1, 2)) == Fraction(1, 24)


def test_a_chain_says_that_each_sign_holds() -> None:
    relations = read_relations("0 <= x < y^2 = 4 >= 1 > 0 == 0")
    assert [relation.sign for relation in relations] == ["<=", "<", "==", ">=", ">", "=="]
    assert [relation.left.at(x=2, y=3) for relation in relations] == [0, 2, 9, 4, 1, 0]
    assert [relation.right.at(x=2, y=3) for relation in relations] == [2, 9, 4, 1, 0, 0]


@together(
    ("text", "message"),
    [
        ("", "expression='': at its end, a number, a name or a bracket is missing. Write what is added or multiplied"),
        ("x +", "at its end, a number, a name or a bracket is missing"),
        ("x * / 2", "at character 5 ('/'), a number, a name or a bracket is missing"),
        ("(1 - x", "at its end, the bracket of character 1 is not closed. Write ) or *."),
        ("(1 - x y)", "at character 8 ('y'), the bracket of character 1 is not closed. Write ) or *."),
        ("1 - x)", "at character 6 (')'), an expression ends here. Remove the bracket."),
        ("2x", "expression='2x': at character 2 ('x'), an expression ends here. Write * between factors: 2*x."),
        ("x(1-x)", "at character 1 ('x'), a function is called. Only + - * / ^ are read; for a product write x*(...)."),
        ("1 + exp(x)", "at character 5 ('exp'), a function is called. Only + - * / ^ are read"),
        ("x <= 1", "at character 3 ('<='), an expression ends here. Remove the sign."),
        ("x^0.5", "at character 2 ('^'), the power is 1/2. Powers are integers: x^2."),
        ("2^x", "at character 2 ('^'), the power contains x. Powers are integers: x^2."),
        ("x/(1-1)", "at character 2 ('/'), this divides by 0. Divide by something else."),
        ("0^-1", "at character 2 ('^'), this divides by 0."),
        ("x·y", "at character 2 ('·'), this has no meaning here. Write *."),
        ("x' + 1", 'expression="x\' + 1": at character 2 ("\'"), this has no meaning here. Write ASCII letters'),
        ("y" * 33, "at character 1 ('yyyyyyyyyyyyyyyyyyyy'), a name has 33 characters. Use at most 32."),
    ],
)
def test_what_is_no_expression_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(InvalidValueError) as refused:
        read_expression(text)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x", "relation='x': at its end, a relation needs one of <= < >= > =. Write x <= 1, say."),
        ("x != 1", "at character 3 ('!'), this has no meaning here. Only <= < >= > = are read."),
        ("x ≤ 1", "at character 3 ('≤'), this has no meaning here. Write <=."),
        ("x <= <= 1", "at character 6 ('<='), a number, a name or a bracket is missing."),
        ("x <= 1, y", "at character 7 (','), this has no meaning here."),
        ("x <= 1 y", "at character 8 ('y'), a relation ends here. Write * between factors: 2*x."),
    ],
)
def test_what_is_no_relation_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(InvalidValueError) as refused:
        read_relations(text)
    assert message in str(refused.value)


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(InvalidValueError, match=r"expression has the type int\. Pass text, as 'x\*\(1-x\)'\."):
        read_expression(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(" * 200 + "x" + ")" * 200, "at character 65 ('('), brackets, signs and powers are more than 64 deep"),
        ("-" * 9000 + "x", "are more than 64 deep. Write it flatter."),
        ("x" + "^2" * 100, "are more than 64 deep"),
        ("x+" * 6000, "has 12000 characters, more than the limit of 10000. Write it shorter."),
        ("(x+1)^257", f"at character 6 ('^'), the power 257 is beyond the limit of {MAX_DEGREE}. Use a smaller one."),
        ("2^(-10^200)", "the power -10000000"),
        ("x^200*x^57", "the degree: 257, more than the limit of 256. Write a smaller formula."),
        ("((10^256)^256)^256", "bits of a coefficient: "),
        ("(a+b+c+d+e+f+g+h)^200", "products of terms: "),
        ("+".join(f"1/(x+{k})" for k in range(900)), "products of terms: "),
        ("+".join(f"x{k}" for k in range(17)), "has 17 different names, more than the limit of 16. Use fewer"),
        ("1" * 5000, "expression: at character 1, the number has 5000 digits, more than the limit of 4000."),
        ("1e99999999", "more than the limit of 4000"),
    ],
)
def test_what_would_take_long_is_refused_at_once(text: str, message: str) -> None:
    begun = time.process_time()
    with pytest.raises(TooLargeError) as refused:
        read_expression(text)
    assert message in str(refused.value)
    assert time.process_time() - begun < 3
