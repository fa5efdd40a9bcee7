"""Claims of inequalities as SymPy's expressions, for reading, typesetting and calculating on; SymPy decides nothing.

Relations are made unevaluated, so that what stands in the claim stands there, also where SymPy could decide it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactdp.claims.kinds import BoxInequality, Conjunction, Inequality, Negation
from exactdp.claims.statement import Statement
from exactdp.errors import NotCheckableError
from exactdp.symbolic.box import Interval
from exactdp.symbolic.functions_of_parameters import polynomial_to_sympy
from exactdp.symbolic.handelman import Inequality as Condition
from exactdp.symbolic.sums import ExpTerm

if TYPE_CHECKING:
    import sympy


def as_sympy(statement: Statement) -> sympy.Basic:
    """Return an inequality as an Implies, its hypotheses an And; conjunctions and negations of such alike.

    Raises:
        NotCheckableError: for any other kind of claim.
    """
    from sympy import And, Implies, Not

    match statement:
        case Inequality() | BoxInequality():
            hypotheses = list(hypotheses_of(statement))
            conclusion = conclusion_of(statement)
            return Implies(And(*hypotheses), conclusion, evaluate=False) if hypotheses else conclusion
        case Conjunction():
            return And(*map(as_sympy, statement.claims))
        case Negation():
            return Not(as_sympy(statement.claim), evaluate=False)
    raise NotCheckableError(
        f"a claim of the kind {statement.kind} is not made of relations between polynomials. Ask for those of the "
        "kinds inequality and box_inequality, or read the claim's data."
    )


def hypotheses_of(statement: Inequality | BoxInequality) -> Iterator[sympy.Basic]:
    """Yield the hypotheses of an inequality, or the ends of a box, in their order."""
    from sympy import Symbol

    names = tuple(map(Symbol, statement.variables))
    if isinstance(statement, Inequality):
        for hypothesis in statement.hypotheses:
            yield _condition(hypothesis, names)
    else:
        for name, side in zip(names, statement.box, strict=True):
            yield from _ends(name, side)


def conclusion_of(statement: Inequality | BoxInequality) -> sympy.Basic:
    """Return what is at least 0, or above 0, as a relation."""
    from sympy import Add, Symbol

    names = tuple(map(Symbol, statement.variables))
    if isinstance(statement, Inequality):
        return _condition(statement.conclusion, names)
    return _above_zero(Add(*(_term(term, names) for term in statement.terms)), statement.strict)


def in_latex(statement: Inequality | BoxInequality) -> str:
    r"""Return an inequality in LaTeX, for math mode.

    >>> from exactdp import Claim
    >>> in_latex(Claim.inequality("x*(1 - x) <= 1/4", where="x >= 0").statement)
    '\\forall x \\in \\mathbb{R}:\\ x \\geq 0\\ \\Rightarrow\\ x^{2} - x + \\frac{1}{4} \\geq 0'
    """
    from sympy import Symbol, latex

    epsilon = {Symbol("eps"): Symbol("varepsilon")}
    names = ", ".join(latex(Symbol(name).xreplace(epsilon)) for name in statement.variables)
    everywhere = rf"\forall {names} \in \mathbb{{R}}:\ " if names else ""
    given = r",\ ".join(latex(hypothesis.xreplace(epsilon)) for hypothesis in hypotheses_of(statement))
    condition = rf"{given}\ \Rightarrow\ " if given else ""
    return f"{everywhere}{condition}{latex(conclusion_of(statement).xreplace(epsilon))}"


def _condition(condition: Condition, names: Sequence[Any]) -> sympy.Basic:
    return _above_zero(polynomial_to_sympy(condition.polynomial, names), condition.strict)


def _above_zero(expression: Any, strict: bool) -> sympy.Basic:
    from sympy import Ge, Gt

    return (Gt if strict else Ge)(expression, 0, evaluate=False)


def _ends(name: Any, side: Interval) -> Iterator[sympy.Basic]:
    from sympy import Ge, Gt, Le, Lt

    yield (Ge if side.low_closed else Gt)(name, _rational(side.low), evaluate=False)
    yield (Le if side.high_closed else Lt)(name, _rational(side.high), evaluate=False)


def _term(term: ExpTerm, names: Sequence[Any]) -> sympy.Expr:
    from sympy import exp

    return polynomial_to_sympy(term.polynomial, names) * exp(polynomial_to_sympy(term.exponent, names))


def _rational(value: Fraction) -> sympy.Rational:
    from sympy import Rational

    return Rational(value.numerator, value.denominator)
