"""Claims of inequalities from relations, of SymPy or as text, and such claims as SymPy's expressions.

SymPy is imported only where one of its objects is given or asked for. A relation of SymPy is read by walking over its
tree: sums, products, integer powers, symbols and rationals. Everything else is refused, with the part that it is in.
Text is read by :mod:`exactdp.symbolic.grammar`, never by SymPy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, TypeAlias

from exactdp.checker.limits import MAX_BERNSTEIN, MAX_BOX_VARIABLES
from exactdp.claims import kinds
from exactdp.claims.kinds.inequalities import Condition, GivenPolynomial, as_condition, as_names
from exactdp.claims.statement import Statement
from exactdp.errors import InexactNumberError, InvalidValueError, TooLargeError
from exactdp.numbers.formats import short
from exactdp.numbers.symbols import is_symbolic
from exactdp.symbolic import handelman
from exactdp.symbolic.box import Interval
from exactdp.symbolic.grammar import read_relations
from exactdp.symbolic.rational_functions import MAX_DEGREE, Effort, RationalFunction, added, multiplied
from exactdp.symbolic.sums import ExpTerm, Polynomial

if TYPE_CHECKING:
    import sympy

GivenRelation: TypeAlias = "str | sympy.Basic"
"""A relation as text, a relation of SymPy, or an And of such."""
GivenRelations: TypeAlias = "GivenRelation | Sequence[GivenRelation]"
"""One relation, or several that all hold."""

_ASSUMED: Final = ("zero", "positive", "negative", "nonnegative", "nonpositive", "nonzero", "integer", "rational")
"""What symbols are often assumed to be, the strongest first."""


class _Parsed(NamedTuple):
    """A relation as it was given, with its sign; ``text`` says it in messages."""

    left: Any
    sign: str
    right: Any
    name: str


# --- Relations -> claims ------------------------------------------------------------------------------------------


def parse_inequality(
    relation: Any,
    where: GivenRelations,
    hypotheses: Sequence[Condition | GivenPolynomial],
    conclusion: Condition | GivenPolynomial | None,
) -> Statement:
    """Return the statement of a relation under hypotheses, or of conditions that are given by their exponents."""
    if conclusion is None:
        if hypotheses:
            raise InvalidValueError("hypotheses are given without conclusion. Pass both, or a relation and where.")
        return implication(relation, where, on_boxes=True)
    if where:
        raise InvalidValueError(
            "where is given with conclusion. Pass hypotheses and conclusion, or relation and where."
        )
    names = as_names(relation)
    conditions = tuple(as_condition(hypothesis, len(names)) for hypothesis in hypotheses)
    return kinds.Inequality(names, conditions, as_condition(conclusion, len(names)))


def implication(conclusion: Any, where: GivenRelations, *, on_boxes: bool = False) -> Statement:
    """Return what a relation says under hypotheses: of several relations, or signs, the conjunction.

    ``on_boxes``: whether it is one about a box where it can be.
    """
    given, conclusions = list(_parse(where, "where")), list(_parse(conclusion, "relation"))
    if not conclusions:
        raise InvalidValueError("relation is empty. Pass one, as 'x*(1-x) <= 1/4'.")
    names = sorted({name for stated in (*given, *conclusions) for name in _names(stated)})
    reader = _TreeReader(tuple(names))
    conditions = [condition for stated in given for condition in reader.conditions(stated)]
    found: list[Statement] = []
    for stated in conclusions:
        for condition in reader.conditions(stated):
            inequality = _inequality(names, conditions, condition)
            found.append(_on_a_box(inequality) if on_boxes else inequality)
    if len(found) == 1 and not isinstance(conclusion, list | tuple):
        return found[0]
    return kinds.Conjunction(tuple(found), ())


def polynomial_of(given: Any, names: tuple[str, ...]) -> Polynomial:
    """Return a number or an expression of SymPy as a polynomial in these variables."""
    reader = _TreeReader(names)
    if isinstance(given, int | Fraction):
        return {reader.zero: Fraction(given)} if given else {}
    stated = _Parsed(given, "", given, "a polynomial")
    if foreign := set(_names(stated)) - set(names):
        raise InvalidValueError(f"the variable {min(foreign)} is none of {', '.join(names)}. Name it among them.")
    return reader.walked(given, stated)


def _on_a_box(statement: kinds.Inequality) -> kinds.Inequality | kinds.BoxInequality:
    """Return the statement as one about a box, if its hypotheses are the two ends of an interval for each variable.

    It says the same, and is decided by cutting the box, which also proves what only just holds inside it.
    """
    names = statement.variables
    found: dict[tuple[int, bool], tuple[Fraction, bool]] = {}
    for hypothesis in statement.hypotheses:
        end = _end(hypothesis)
        if end is None or end[0] in found:
            return statement
        found[end[0]] = end[1]
    sides = [(found.get((i, True)), found.get((i, False))) for i in range(len(names))]
    box = tuple(Interval(low[0], high[0], low[1], high[1]) for low, high in sides if low and high and low[0] < high[0])
    conclusion = statement.conclusion
    coefficients = prod(1 + max((term[i] for term in conclusion.polynomial), default=0) for i in range(len(names)))
    if not 0 < len(box) == len(names) <= MAX_BOX_VARIABLES or coefficients > MAX_BERNSTEIN:
        return statement
    return kinds.BoxInequality(names, box, (ExpTerm(conclusion.polynomial, {}),), conclusion.strict)


def _end(hypothesis: handelman.Inequality) -> tuple[tuple[int, bool], tuple[Fraction, bool]] | None:
    """Return a hypothesis as an end: its variable, whether it is the lower one, the value, and whether it is closed."""
    linear = {term: c for term, c in hypothesis.polynomial.items() if any(term)}
    if len(linear) != 1:
        return None
    ((term, slope),) = linear.items()
    if sum(term) != 1:
        return None
    constant = sum((c for other, c in hypothesis.polynomial.items() if other != term), Fraction(0))
    return (term.index(1), slope > 0), (-constant / slope, not hypothesis.strict)


def _inequality(
    names: Sequence[str], hypotheses: Sequence[handelman.Inequality], conclusion: handelman.Inequality
) -> kinds.Inequality:
    """Return the statement in the variables that occur in it."""
    terms = [term for condition in (*hypotheses, conclusion) for term in condition.polynomial]
    used = [i for i, powers in enumerate(zip(*terms, strict=True)) if any(powers)]

    def kept(condition: handelman.Inequality) -> handelman.Inequality:
        listed = sorted(condition.polynomial.items())
        if len(used) < len(names):
            listed = [(tuple(term[i] for i in used), c) for term, c in listed]
        return handelman.Inequality(dict(listed), condition.strict)

    variables = as_names([names[i] for i in used])
    return kinds.Inequality(variables, tuple(map(kept, hypotheses)), kept(conclusion))


def _parse(given: GivenRelations, name: str) -> Iterator[_Parsed]:
    """Yield the relations of one argument, each with one sign."""
    if isinstance(given, str):
        for relation in read_relations(given, name=name):
            yield _Parsed(relation.left, relation.sign, relation.right, f"{name}={short(given)!r}")
    elif isinstance(given, list | tuple):
        for part in given:
            yield from _parse(part, name)
    elif isinstance(given, bool) or type(given).__name__ in ("BooleanTrue", "BooleanFalse"):
        raise InvalidValueError(
            f"{name} holds {given}: this relation was decided when it was written. Write it as text, or unevaluated: "
            "sympy.Le(left, right, evaluate=False)."
        )
    elif is_symbolic(given):
        yield from _parse_sympy(given, name)
    else:
        raise InvalidValueError(
            f"{name} has the type {type(given).__name__}. Pass a relation as text, 'x*(1-x) <= 1/4', one of SymPy, or "
            "a list of them."
        )


def _parse_sympy(given: Any, name: str) -> Iterator[_Parsed]:
    from sympy import And
    from sympy.core.relational import Equality, Relational, Unequality

    if isinstance(given, And):
        for part in given.args:
            yield from _parse(part, name)
    elif isinstance(given, Relational) and not isinstance(given, Unequality):
        sign = "==" if isinstance(given, Equality) else given.rel_op
        yield _Parsed(given.lhs, sign, given.rhs, name)
    else:
        raise InvalidValueError(
            f"{name}={short(str(given))} is none of <= < >= > Eq, nor an And of such. Pass relations of polynomials."
        )


def _names(stated: _Parsed) -> Iterable[str]:
    if isinstance(stated.left, RationalFunction):
        return stated.left.variables
    return {_name(symbol, stated.name) for side in (stated.left, stated.right) for symbol in side.free_symbols}


@cache
def _name(symbol: Any, name: str) -> str:
    """Return the name of a symbol of which nothing is assumed but that it is real."""
    from sympy import Symbol

    facts = symbol.assumptions0
    if assumed := facts.items() - Symbol(symbol.name, real=True).assumptions0.items():
        shown = next((fact for fact in _ASSUMED if facts.get(fact)), "{}={}".format(*min(assumed)))
        raise InvalidValueError(
            f"{name} has the symbol {symbol.name} with an assumption ({shown}), and a claim speaks of all real numbers."
            f" Use Symbol({symbol.name!r}), and say what is assumed in where: {symbol.name} > 0."
        )
    return str(symbol.name)


class _TreeReader:
    """Reads sides of relations as polynomials in these variables."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names, self.effort = names, Effort()
        zero = (0,) * len(names)
        self.one: Polynomial = {zero: Fraction(1)}
        self.zero = zero
        self.symbols: dict[Any, str] = {}

    def conditions(self, stated: _Parsed) -> list[handelman.Inequality]:
        """Return what is at least 0, or above 0: two polynomials for an equality."""
        left, right = self.side(stated.left, stated), self.side(stated.right, stated)
        strict = stated.sign in ("<", ">")
        found = []
        if stated.sign in (">=", ">", "=="):
            found.append(handelman.Inequality(added(left, _negative(right)), strict))
        if stated.sign in ("<=", "<", "=="):
            found.append(handelman.Inequality(added(right, _negative(left)), strict))
        return found

    def side(self, given: Any, stated: _Parsed) -> Polynomial:
        """Return one side of a relation."""
        if not isinstance(given, RationalFunction):
            return self.walked(given, stated)
        if not given.is_polynomial:
            raise InvalidValueError(
                f"{stated.name} divides by a polynomial. Multiply both sides by it, where its sign is known."
            )
        return given.polynomial(self.names)

    def walked(self, part: Any, stated: _Parsed) -> Polynomial:
        """Return a part of an expression of SymPy: a sum of terms, or one term."""
        if not part.is_Add:
            return self.term(part, stated)
        total: dict[tuple[int, ...], Fraction] = {}
        for term in part.args:
            for exponents, c in self.walked(term, stated).items():
                total[exponents] = total[exponents] + c if exponents in total else c
        return {exponents: c for exponents, c in total.items() if c}

    def term(self, part: Any, stated: _Parsed) -> Polynomial:
        """Return a product: numbers and powers of symbols at once, then the other factors one by one."""
        coefficient, exponents, others = Fraction(1), list(self.zero), []
        for factor in part.args if part.is_Mul else (part,):
            base, power = (factor.base, factor.exp) if factor.is_Pow else (factor, None)
            if factor.is_Rational:
                coefficient *= Fraction(factor.p, factor.q)
            elif base.is_Symbol and (power is None or (power.is_Integer and power.p >= 0)):
                exponents[self.place(base, stated)] += 1 if power is None else power.p
            else:
                others.append(factor)
        product: Polynomial = {tuple(exponents): coefficient} if coefficient else {}
        if sum(exponents) > MAX_DEGREE:
            product = self.product(self.one, product, stated)
        for factor in others:
            product = self.product(product, self.factor(factor, stated), stated)
        return product

    def factor(self, part: Any, stated: _Parsed) -> Polynomial:
        """Return a factor that is neither a number nor a power of a symbol."""
        if part.is_Add or part.is_Mul:
            return self.walked(part, stated)
        if part.is_Pow and part.exp.is_Integer and part.exp.p >= 0:
            return self.power(self.walked(part.base, stated), part.exp.p, stated)
        _refuse(part, stated)

    def place(self, symbol: Any, stated: _Parsed) -> int:
        """Return the number of a symbol, of whose name there is no other one."""
        if self.symbols.setdefault(symbol.name, symbol) != symbol:
            raise InvalidValueError(
                f"{stated.name} has two different symbols with the name {symbol.name}. Use one Symbol({symbol.name!r})."
            )
        return self.names.index(symbol.name)

    def power(self, base: Polynomial, exponent: int, stated: _Parsed) -> Polynomial:
        """Return a power of what was read."""
        result = self.one
        for _ in range(exponent if base not in ({}, self.one) else min(exponent, 1)):
            result = self.product(result, base, stated)
        return result

    def product(self, first: Polynomial, second: Polynomial, stated: _Parsed) -> Polynomial:
        """Return a product within the limits."""
        if beyond := self.effort.beyond(first, second):
            raise TooLargeError(f"{stated.name}: {beyond}. Write a smaller formula.")
        return multiplied(first, second)


def _negative(polynomial: Polynomial) -> Polynomial:
    return {exponents: -c for exponents, c in polynomial.items()}


def _refuse(part: Any, stated: _Parsed) -> NoReturn:
    """Say why a part of an expression is no polynomial."""
    shown, where = short(str(part)), f"{stated.name}: the part"
    if part.is_Float:
        raise InexactNumberError(
            f"{where} {shown} is a Float and has been rounded already. Write Rational('{shown}'), or 'p/q' in text."
        )
    if part.is_Pow and part.exp.is_Integer:
        raise InvalidValueError(
            f"{where} {shown} divides by {short(str(part.base))}. Multiply both sides by it, where its sign is known."
        )
    raise InvalidValueError(
        f"{where} {shown} is no polynomial with rational coefficients. Write sums, products and powers of symbols; "
        "give exp(x) a name, and say what is known of it in where."
    )
