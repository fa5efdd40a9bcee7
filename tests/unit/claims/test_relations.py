"""Claims of relations: as text, of SymPy and by exponents they are one claim; what is refused; claims in SymPy."""

import subprocess
import sys
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from sympy import And, Eq, Float, Function, Ge, Gt, Implies, Le, Ne, Not, Or, Rational, Symbol, exp, pi, sqrt

import exactdp as xdp
from exactdp import Claim, Verdict, certify
from exactdp.claims.claim import Condition, Span
from exactdp.errors import ExactDPError, InexactNumberError, InvalidValueError, NotCheckableError, TooLargeError
from tests.expensive import one_in
from tests.together import together

x, y = sympy.symbols("x y")
share = x * (1 - x)
BY_EXPONENTS = Claim.box_inequality({"x": (0, 1)}, [({(0,): "1/4", (1,): -1, (2,): 1}, {})])
"""Where 0 <= x <= 1, x (1 - x) is at most 1/4."""


@pytest.mark.parametrize(
    "claim",
    [
        Claim.inequality("x*(1-x) <= 1/4", where="0<=x<=1"),
        Claim.inequality("1/4 >= x - x^2", where=["0 <= x", "1 >= x"]),
        Claim.inequality(share <= Rational(1, 4), where=[x >= 0, x <= 1]),
        Claim.inequality(share <= Fraction(1, 4), where=(x >= 0, "x <= 1")),
        Claim.inequality("x*(1-x) <= 1/4", where=And(x >= 0, x <= 1)),
        Claim.inequality(Ge(Rational(1, 4), share, evaluate=False), where=[[x >= 0], [x <= 1]]),
        Claim.inequality(Symbol("x", real=True) * (1 - Symbol("x", real=True)) <= Rational(1, 4), where="0 <= x <= 1"),
        Claim.inequality("x*(1-x) + y - y <= 0.25", where="0 <= x <= 1"),
    ],
)
def test_one_inequality_is_one_claim_however_it_is_given(claim: Claim) -> None:
    assert claim == BY_EXPONENTS


def test_the_example_of_the_documents_is_proved_and_a_wrong_one_refuted() -> None:
    assert certify(BY_EXPONENTS).verdict is Verdict.PROVED
    wrong = certify(Claim.inequality("x*(1-x) <= 24/100", where="0<=x<=1"))
    assert (wrong.verdict, wrong.level, wrong.reason) == (Verdict.REFUTED, "certificate", "It fails at x = 7/16.")


@pytest.mark.parametrize(
    ("where", "box"),
    [
        ("0 <= x < 1/2", {"x": Span(0, "1/2", high_is_closed=False)}),
        (["2*x > 1", "3 >= x"], {"x": Span("1/2", 3, low_is_closed=False)}),
        (["0 <= x <= 1", "-1 <= y <= 1"], {"x": (0, 1), "y": (-1, 1)}),
    ],
)
def test_hypotheses_that_are_the_ends_of_a_box_are_one(where: Any, box: Any) -> None:
    one = (0,) * len(box)
    expected = Claim.box_inequality(box, [({one: 2, (1, *one[1:]): -1}, {})])
    assert Claim.inequality("x <= 2", where=where) == expected


@pytest.mark.parametrize(
    "where",
    ["x >= 0", ["0 <= x <= 1", "x <= 2"], "1 <= x <= 1", "0 <= x*x <= 1", ["0 <= x <= 1", "y >= 0"], "0 <= x + y <= 1"],
)
def test_other_hypotheses_are_no_box(where: Any) -> None:
    assert Claim.inequality("x <= 2", where=where).kind == "inequality"


def test_a_conclusion_too_large_for_a_bernstein_form_is_no_claim_about_a_box() -> None:
    where = ["0 <= x <= 1", "0 <= y <= 1"]
    assert Claim.inequality("x^30*y^30 <= 1", where=where).kind == "box_inequality"
    five = [f"x{i}" for i in range(5)]
    large = "*".join(f"{x}^12" for x in five)
    assert Claim.inequality(f"{large} <= 1", where=[f"0 <= {x} <= 1" for x in five]).kind == "inequality"
    many = [f"x{i}" for i in range(7)]
    assert Claim.inequality("+".join(many) + " <= 9", where=[f"0 <= {x} <= 1" for x in many]).kind == "inequality"


@pytest.mark.parametrize(
    ("relation", "strict", "at_least_zero"),
    [("x < 2", True, "2 - x"), ("x > 2", True, "x - 2"), (x < 2, True, "2 - x"), (x >= 2, False, "x - 2")],
)
def test_each_sign_says_which_side_is_larger(relation: object, strict: bool, at_least_zero: str) -> None:
    listed = {"2 - x": {(0,): 2, (1,): -1}, "x - 2": {(0,): -2, (1,): 1}}[at_least_zero]
    assert Claim.inequality(relation) == Claim.inequality(
        ["x"], hypotheses=[], conclusion=Condition(listed, strict=strict)
    )


def test_several_conclusions_are_a_conjunction() -> None:
    first, second = Claim.inequality("x >= 0", where="x > 1"), Claim.inequality("x <= y", where="x > 1")
    for relation in ("0 <= x <= y", ["x >= 0", "x <= y"], [x >= 0, Le(x, y)]):
        assert Claim.inequality(relation, where=x > 1) == Claim.conjunction(first, second)
    both = Claim.conjunction(Claim.inequality("x >= y"), Claim.inequality("x <= y"))
    assert Claim.inequality(Eq(x, y)) == both == Claim.inequality("x = y")
    assert Claim.inequality(["x >= 0"]) == Claim.conjunction(Claim.inequality("x >= 0"))


def test_an_equation_is_two_hypotheses() -> None:
    claim = Claim.inequality("x <= 2", where=Eq(x, 1))
    assert claim == Claim.inequality("x <= 2", where=["x >= 1", "x <= 1"])
    assert certify(claim).verdict is Verdict.PROVED


@one_in(2)
@given(st.recursive(
    st.sampled_from([x, y, sympy.Integer(2), Rational(-1, 3)]),
    lambda parts: st.builds(lambda a, b: a + b, parts, parts)
    | st.builds(lambda a, b: a * b, parts, parts)
    | st.builds(lambda a, k: a**k, parts, st.integers(0, 3)),
    max_leaves=6,
))  # fmt: skip
def test_a_polynomial_of_sympy_has_its_values(expression: sympy.Expr) -> None:
    claim = Claim.inequality(Ge(expression, 0, evaluate=False))
    statement = claim.statement
    for values in product((Fraction(-2), Fraction(3, 5)), repeat=2):
        point = dict(zip("xy", values, strict=True))
        value = expression.subs({Symbol(name): Rational(v) for name, v in point.items()})
        at = [point[name] for name in statement.variables]
        holds = statement.conclusion.holds_at(at)
        assert holds is bool(value >= 0)
    assert Claim.inequality(claim.to_sympy()) == claim


@together(
    ("relation", "kind", "message"),
    [
        (x * 0.5 <= 1, InexactNumberError, "relation: the part 0.500000000000000 is a Float and has been rounded"),
        (x + Float("0.25") <= 1, InexactNumberError, "Write Rational('0.250000000000000'), or 'p/q' in text."),
        (exp(x) >= 1, InvalidValueError, "relation: the part exp(x) is no polynomial with rational coefficients."),
        (pi * x >= 1, InvalidValueError, "the part pi is no polynomial"),
        (sqrt(x) >= 1, InvalidValueError, "the part sqrt(x) is no polynomial"),
        (2**x >= 1, InvalidValueError, "the part 2**x is no polynomial"),
        (Function("f")(x) >= 1, InvalidValueError, "the part f(x) is no polynomial"),
        (1 / (1 + x) >= 1, InvalidValueError, "the part 1/(x + 1) divides by x + 1. Multiply both sides by it,"),
        ("1/(1+x) >= 1", InvalidValueError, "relation='1/(1+x) >= 1' divides by a polynomial. Multiply both"),
        (Ne(x, 1), InvalidValueError, "relation=Ne(x, 1) is none of <= < >= > Eq, nor an And of such."),
        (Or(x > 1, x < 0), InvalidValueError, "nor an And of such. Pass relations of polynomials."),
        (x, InvalidValueError, "relation=x is none of <= < >= > Eq"),
        (Le(x - x, 1), InvalidValueError, "relation holds True: this relation was decided when it was written. Write"),
        (0 <= 1, InvalidValueError, "relation holds True: this relation was decided when it was written."),
        ([], InvalidValueError, "relation is empty. Pass one, as 'x*(1-x) <= 1/4'."),
        (3, InvalidValueError, "relation has the type int. Pass a relation as text, 'x*(1-x) <= 1/4', one of"),
        ("x", InvalidValueError, "relation='x': at its end, a relation needs one of <= < >= > ="),
        (Symbol("x", positive=True) <= 1, InvalidValueError, "relation has the symbol x with an assumption (positive)"),
        (Symbol("n", integer=True) <= 1, InvalidValueError, "has the symbol n with an assumption (integer)"),
        (Symbol("z", imaginary=True) ** 2 < x, InvalidValueError, "has the symbol z with an assumption ("),
        (Le(x, Symbol("x", real=True)), InvalidValueError, "relation has two different symbols with the name x."),
        (Symbol("x'") <= 1, InvalidValueError, "variables=[\"x'\"] are not distinct names. Use letters, digits and _"),
        ((x + y + 1) ** 300 <= 1, TooLargeError, "relation: products of terms: 102660, more than the limit of 10"),
        ((x**255) ** 2 <= 1, TooLargeError, "relation: the degree: 510, more than"),
    ],
)  # fmt: skip
def test_what_is_no_relation_of_polynomials_is_refused(
    relation: object, kind: type[ExactDPError], message: str
) -> None:
    with pytest.raises(kind) as refused:
        Claim.inequality(relation)
    assert message in str(refused.value)


def test_a_hypothesis_is_refused_by_its_name_and_forms_are_not_mixed() -> None:
    with pytest.raises(InvalidValueError, match="where: the part exp"):
        Claim.inequality("x <= 1", where=[exp(x) >= 1])
    with pytest.raises(InvalidValueError, match="where is given with conclusion"):
        Claim.inequality(["x"], where="x <= 1", conclusion={(1,): 1})
    with pytest.raises(InvalidValueError, match="hypotheses are given without conclusion"):
        Claim.inequality("x <= 1", hypotheses=[{(1,): 1}])


def test_a_claim_in_sympy_says_what_it_says() -> None:
    claim = Claim.inequality("x*(1-x) <= 1/4", where=["0<=x<1", "y > x"])
    stated = claim.to_sympy()
    conclusion = Ge(x**2 - x + Rational(1, 4), 0, evaluate=False)
    assert stated == Implies(And(x >= 0, 1 - x > 0, y - x > 0), conclusion, evaluate=False)
    assert Claim.inequality(conclusion).to_sympy() == conclusion
    assert Claim.negation(claim).to_sympy() == Not(stated, evaluate=False)
    assert Claim.conjunction(claim, Claim.inequality("x <= y")).to_sympy() == And(stated, Ge(y - x, 0))


def test_a_claim_on_a_box_in_sympy_says_what_it_says() -> None:
    claim = Claim.box_inequality(
        {"x": Span(0, "1/2", high_is_closed=False)},
        [({(0,): 1}, {(1,): 1}), ({(0,): -1, (1,): -1}, {})],
        strict=True,
    )
    conclusion = Gt(exp(x) - x - 1, 0, evaluate=False)
    assert claim.to_sympy() == Implies(And(x >= 0, x < Rational(1, 2)), conclusion, evaluate=False)


def test_a_claim_of_another_kind_is_not_of_sympy() -> None:
    claim = Claim.shift_dp(xdp.Binomial(2, "1/2"), exp_eps=2, delta="1/4")
    with pytest.raises(NotCheckableError, match="a claim of the kind shift_dp is not made of relations between polyn"):
        claim.to_sympy()


def test_text_loads_no_sympy() -> None:
    code = (
        "import sys; from exactdp import Claim, certify; Claim.inequality('x*(1-x) <= 1', where='0<=x<=1').digest(); "
        "sys.exit('sympy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_notebook_shows_the_inequality_of_a_certificate() -> None:
    certificate = certify(Claim.inequality("alpha*(1 - alpha) <= 1/4", where="0 <= alpha <= 1"))
    assert certificate._repr_latex_() == (
        r"$\text{PROVED (certificate): box\_inequality},\ \forall \alpha \in \mathbb{R}:\ "
        r"\alpha \geq 0,\ \alpha \leq 1\ \Rightarrow\ \alpha^{2} - \alpha + \frac{1}{4} \geq 0$"
    )
    undecided = certify(Claim.inequality("2*eps*x <= eps^2 + x^2"))
    assert undecided._repr_latex_().endswith(
        r"\forall \varepsilon, x \in \mathbb{R}:\ \varepsilon^{2} - 2 \varepsilon x + x^{2} \geq 0$"
    )


@pytest.mark.parametrize("change", [{"variables": ["$x$"]}, {"variables": []}, {"conclusion": 3}, {"hypotheses": [[]]}])
def test_a_notebook_typesets_no_claim_that_the_checker_cannot_read(change: dict[str, Any]) -> None:
    claim = Claim.inequality("x >= 0", where="x > 1")
    hostile = xdp.Certificate(Claim.from_data(claim.data | change), Verdict.PROVED, "certificate", "read", "{}")
    assert hostile._repr_latex_() == r"$\text{PROVED (certificate): inequality}$"


def test_a_notebook_typesets_no_long_claim() -> None:
    claim = Claim.inequality("x >= 0", where=[f"x >= {k}" for k in range(50)])
    assert certify(claim)._repr_latex_() == r"$\text{PROVED (certificate): inequality}$"
