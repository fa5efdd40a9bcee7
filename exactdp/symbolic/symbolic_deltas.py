"""Answers for a whole box: delta as a formula between exact breakpoints, or as the largest of event polynomials.

A formula that somebody gives, and whether it is delta on the whole box
-----------------------------------------------------------------------

In one parameter a formula is made of quotients of polynomials by sums, products, powers, Max, Min, Abs and Piecewise;
it is cut into pieces as delta is, and on each piece two quotients are equal identically or differ at a rational point.
At the ends of a Piecewise's conditions its value is compared with the pieces at both sides, as delta is continuous. In
several parameters a formula is a quotient, or the Max of some: equal to delta if each of them is the polynomial of an
event and each event's polynomial is at most one of them on the box.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import product
from math import prod
from typing import Any, Final, NamedTuple

from exactdp.errors import InvalidValueError, TooLargeError, UndecidedError
from exactdp.mechanisms.dataset import Neighbors
from exactdp.numbers.exact import Exact
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import about, short
from exactdp.numbers.symbols import is_symbolic
from exactdp.symbolic.formula_answers import Difference, FormulaProof, formula_at_size
from exactdp.symbolic.functions_of_parameters import FunctionLike, function_to_sympy, shortest
from exactdp.symbolic.piecewise_quotients import (
    MAX_EVENTS,
    Element,
    Line,
    PiecewiseQuotient,
    Quotient,
    Span,
    coefficients_of,
)
from exactdp.symbolic.rational_functions import RationalFunction
from exactdp.symbolic.real_roots import (
    RealRoot,
    between,
    bound_of_roots,
    compare_roots,
    roots_between,
    sign_at,
    sign_at_root,
    trimmed,
)
from exactdp.symbolic.signs_on_boxes import failing_place, inner_grid
from exactdp.symbolic.symbolic_laws import Views, value_of
from exactdp.symbolic.symbolic_randomizer import SymbolicRandomizer

_GRID: Final = {2: 24, 3: 8}
"""Points along each side at which formulas of several parameters are compared first."""

_READ: Final = "Use + - * / and whole powers, Max, Min, Abs, and Piecewise with relations between such."


def difference_on_line(
    randomizer: SymbolicRandomizer,
    n: int,
    breaks: Sequence[RealRoot],
    values: Sequence[RationalFunction],
    formula: FunctionLike,
) -> Difference | None:
    """Return where a formula of one parameter is not the function with these breakpoints and values; None for nowhere.

    Raises:
        InvalidValueError: for a formula that is none, divides by 0 on the box, is undefined somewhere, or jumps.
    """
    reader = _Reader(randomizer)
    given, found = reader.read(formula), list[Difference]()

    def compare(pair: Sequence[Quotient], span: Span) -> Quotient:
        if not found and (excess := pair[0].difference(pair[1])):
            at = _other_than_roots(coefficients_of(excess), span)
            both = (value_of(q.numerator, (at,)) / value_of(q.denominator, (at,)) for q in pair)
            found.append(Difference(n, {randomizer.parameters[0]: at}, *both))
        return pair[0]

    known = PiecewiseQuotient(tuple(breaks), tuple(Quotient(*reader.views.split(value)) for value in values))
    reader.line.combined([known, given], _nothing, compare)
    if not found:
        reader.refuse_jumps()
    return found[0] if found else None


def _other_than_roots(coefficients: Sequence[int], span: Span) -> Fraction:
    """Return a short rational inside the span at which the polynomial is not 0."""
    low, high = span
    while not sign_at(coefficients, at := between(low, high)):
        high = at
    return at


class _Reader:
    """Reads a formula of one parameter as a piecewise quotient, and keeps where its conditions change."""

    def __init__(self, randomizer: SymbolicRandomizer) -> None:
        self.randomizer = randomizer
        self.views = Views(randomizer)
        (self.side,) = randomizer.box
        self.line = Line(self.side)
        self.jumps: list[RealRoot] = []

    def read(self, formula: Any) -> PiecewiseQuotient:
        """Return the formula in pieces."""
        readers = {
            "Abs": self.read_abs,
            "Add": self.read_add,
            "Max": self.read_max,
            "Min": self.read_min,
            "Mul": self.read_mul,
            "Piecewise": self.read_piecewise,
            "Pow": self.read_pow,
        }
        if is_symbolic(formula) and not formula.is_rational_function() and (kind := type(formula).__name__) in readers:
            return readers[kind](formula)
        function = self.randomizer.function(formula, name="formula")
        return PiecewiseQuotient((), (Quotient(*self.views.split(function)),))

    def read_max(self, formula: Any) -> PiecewiseQuotient:
        return reduce(self.line.maximum, map(self.read, formula.args))

    def read_min(self, formula: Any) -> PiecewiseQuotient:
        return _negative(reduce(self.line.maximum, (_negative(self.read(part)) for part in formula.args)))

    def read_abs(self, formula: Any) -> PiecewiseQuotient:
        inside = self.read(formula.args[0])
        return self.line.maximum(inside, _negative(inside))

    def read_add(self, formula: Any) -> PiecewiseQuotient:
        def add(pair: Sequence[Quotient], _: Span) -> Quotient:
            (a, b), (c, d) = (q[:2] for q in pair)
            return Quotient(a * d + c * b, b * d)

        return reduce(lambda f, g: self.line.combined([f, g], _nothing, add), map(self.read, formula.args))

    def read_mul(self, formula: Any) -> PiecewiseQuotient:
        return self.product([self.read(part) for part in formula.args])

    def read_pow(self, formula: Any) -> PiecewiseQuotient:
        base, power = formula.args
        if not (power.is_Integer and power.is_positive):
            raise InvalidValueError(f"the formula contains {short(str(formula))}, which is not read. {_READ}")
        return self.product([self.read(base)] * int(power))

    def product(self, factors: Sequence[PiecewiseQuotient]) -> PiecewiseQuotient:
        """Return the product of functions."""

        def multiply(pair: Sequence[Quotient], _: Span) -> Quotient:
            return Quotient(pair[0].numerator * pair[1].numerator, pair[0].denominator * pair[1].denominator)

        return reduce(lambda f, g: self.line.combined([f, g], _nothing, multiply), factors)

    def read_piecewise(self, formula: Any) -> PiecewiseQuotient:
        """Return what the first true condition says, between the roots of the relations' two sides."""
        conditions = [condition for _, condition in formula.args]
        parts = [self.read(expression) for expression, _ in formula.args]
        sides = {
            relation: self.relation_side(relation) for condition in conditions for relation in _relations(condition)
        }

        def chosen(values: Sequence[Quotient], span: Span) -> Quotient:
            at = between(*span)
            signs = {relation: side.sign(RealRoot.of(at)) for relation, side in sides.items()}
            return values[self.first_true(conditions, signs, f"{self.randomizer.parameters[0]}={at}")]

        ends = [root for side in sides.values() for root in side.roots(self.line)]
        marked = PiecewiseQuotient(tuple(dict.fromkeys(ends)), (parts[0].values[0],) * (len(set(ends)) + 1))
        whole = self.line.combined([*parts, marked], _nothing, chosen)
        self.check_joints(conditions, parts, sides, whole)
        return whole

    def relation_side(self, relation: Any) -> _Side:
        """Return the left side of a relation minus the right one, of which the sign is asked."""
        one, other = relation.lhs, relation.rhs  # a symbol stands left in the conditions of a Piecewise
        is_end = str(one) == self.randomizer.parameters[0] and other.is_number and other.is_real
        if is_end and not other.is_Rational and not other.is_Float:
            return _Side(self.views.ring.one, _algebraic(other))
        function = self.randomizer.function(relation.lhs - relation.rhs, name=f"the condition {relation}")
        return _Side(self.views.split(function)[0])

    def first_true(self, conditions: Sequence[Any], signs: Mapping[Any, int], where: str) -> int:
        """Return which condition is the first true one, given the signs of left minus right."""
        for i, condition in enumerate(conditions):
            if _is_true(condition, signs):
                return i
        raise InvalidValueError(f"the formula is not defined at {where}: no condition of its Piecewise holds. Add one.")

    def check_joints(
        self,
        conditions: Sequence[Any],
        parts: Sequence[PiecewiseQuotient],
        sides: Mapping[Any, _Side],
        whole: PiecewiseQuotient,
    ) -> None:
        """Note each end of a condition at which the value is not that of the pieces on its two sides."""
        inside = dict.fromkeys(root for side in sides.values() for root in side.roots(self.line))
        closed = ((self.side.low, self.side.low_closed), (self.side.high, self.side.high_closed))
        ends = [RealRoot.of(end) for end, is_closed in closed if is_closed]
        for root in [*inside, *ends]:
            signs = {relation: side.sign(root) for relation, side in sides.items()}
            part = parts[self.first_true(conditions, signs, f"{self.randomizer.parameters[0]}={root}")]
            value = self.around(part, root)[0]
            if any(sign_at_root(coefficients_of(value.difference(other)), root) for other in self.around(whole, root)):
                self.jumps.append(root)

    def around(self, function: PiecewiseQuotient, root: RealRoot) -> Sequence[Quotient]:
        """Return the quotients to the left and to the right of a root or an end of the interval."""
        inside = root.rational not in (self.line.low, self.line.high)
        places, spans = self.line.cells([*function.breaks, *([root] if inside else [])])
        passed, pieces = 0, []
        for i in range(len(spans)):
            passed += i > 0 and places[i - 1] in function.breaks
            pieces.append(function.values[passed])
        if not inside:
            return [pieces[0] if root.rational == self.line.low else pieces[-1]]
        at = places.index(root)
        return pieces[at : at + 2]

    def refuse_jumps(self) -> None:
        """Refuse a formula that jumps at the end of a condition, or has a value of its own there."""
        if self.jumps:
            raise InvalidValueError(
                f"the formula jumps at {self.randomizer.parameters[0]}={self.jumps[0]}, and delta is continuous. Give "
                "each piece its end, and let pieces meet there."
            )


class _Side(NamedTuple):
    """A polynomial, or the parameter minus one algebraic number."""

    polynomial: Element
    number: RealRoot | None = None

    def roots(self, line: Line) -> Sequence[RealRoot]:
        """Return its roots inside the interval."""
        if self.number is not None:
            return [r for r in line.roots_of(self.number.polynomial) if compare_roots(r, self.number) == 0]
        return line.roots(self.polynomial)

    def sign(self, at: RealRoot) -> int:
        """Return its sign at a rational or an algebraic number."""
        if self.number is not None:
            return compare_roots(at, self.number)
        return sign_at_root(coefficients_of(self.polynomial), at)


def _algebraic(number: Any) -> RealRoot:
    """Return a real algebraic number of SymPy's as the root of its minimal polynomial."""
    import sympy
    from sympy.polys.polyerrors import NotAlgebraic

    try:
        polynomial = sympy.Poly(sympy.minimal_polynomial(number, sympy.Symbol("x")))
    except NotAlgebraic:
        raise InvalidValueError(
            f"a condition of the formula contains {short(str(number))}, which is no algebraic number. Compare with "
            "roots of polynomials with rational coefficients."
        ) from None
    coefficients = trimmed([int(c) for c in reversed(polynomial.all_coeffs())])
    bound = bound_of_roots(coefficients)
    *others, last = roots_between(coefficients, -bound, bound)
    ends = ((root, sympy.Rational(root.high.numerator, root.high.denominator)) for root in others)
    return next((root for root, end in ends if number < end), last)


def _nothing(_: Sequence[Quotient]) -> Sequence[Element]:
    """No polynomial decides: on each cell the result is one quotient."""
    return ()


def _negative(function: PiecewiseQuotient) -> PiecewiseQuotient:
    return PiecewiseQuotient(function.breaks, tuple(Quotient(-q.numerator, q.denominator) for q in function.values))


def _relations(condition: Any) -> Sequence[Any]:
    """Return the relations that a condition is made of."""
    import sympy

    return sorted(condition.atoms(sympy.core.relational.Relational), key=str)


def _is_true(condition: Any, signs: Mapping[Any, int]) -> bool:
    """Whether a condition holds, given the signs of left minus right of its relations."""
    import sympy

    known = {
        relation: sympy.true if bool(type(relation)(sympy.Integer(sign), 0)) else sympy.false
        for relation, sign in signs.items()
    }
    result = condition.xreplace(known)
    if result not in (sympy.true, sympy.false):
        raise InvalidValueError(f"the formula has the condition {short(str(condition))}, which is not read. {_READ}")
    return bool(result)


def difference_of_maxima(
    randomizer: SymbolicRandomizer, n: int, events: Sequence[RationalFunction], formula: FunctionLike
) -> Difference | None:
    """Return a point of the box at which a formula is not the largest of these functions; None if there is none.

    Raises:
        UndecidedError: where neither is shown.
    """
    parts = largest_of(randomizer, formula)
    steps = _GRID.get(len(randomizer.box), 4)
    for place in inner_grid(randomizer.box, [steps] * len(randomizer.box)):
        point = dict(zip(randomizer.parameters, place, strict=True))
        delta, given = (max(function.at(**point) for function in functions) for functions in (events, parts))
        if delta != given:
            return Difference(n, point, delta, given)
    both = ((events, parts), (parts, events))
    if all(_is_covered(function, others, randomizer) for functions, others in both for function in functions):
        return None
    raise UndecidedError(
        "the formula is the largest event polynomial at every point tried, and that it is so on the whole box was not "
        "shown. Give a Max of polynomials of events, or a smaller box."
    )


def largest_of(randomizer: SymbolicRandomizer, formula: FunctionLike) -> list[RationalFunction]:
    """Return functions of which the formula is the largest: it is a quotient, a Max of some, or a sum with such.

    Raises:
        InvalidValueError: for a formula of another form, or one that divides by 0 on the box.
        TooLargeError: for more functions than event polynomials are listed.
    """
    return [randomizer.function(part, name="formula") for part in _maximum(formula)]


def _maximum(formula: Any) -> Sequence[Any]:
    kind = type(formula).__name__ if is_symbolic(formula) else ""
    if kind == "Max":
        return [part for given in formula.args for part in _maximum(given)]
    if kind == "Add":
        terms = [_maximum(part) for part in formula.args]
        if (sums := prod(map(len, terms))) > MAX_EVENTS:
            raise TooLargeError(
                f"the formula adds maxima: {about(sums)} sums of one part of each, the limit is {MAX_EVENTS}. Give "
                "the Max of few functions."
            )
        return [sum(parts) for parts in product(*terms)]
    return [formula]


def _is_covered(function: RationalFunction, others: Sequence[RationalFunction], randomizer: SymbolicRandomizer) -> bool:
    """Whether a function is shown to be at most one of these on the box."""
    return any(_is_at_most(function, other, randomizer) for other in others)


def _is_at_most(first: RationalFunction, second: RationalFunction, randomizer: SymbolicRandomizer) -> bool:
    """Whether it is shown that one function is at most another one on the box."""
    excess = second + -first
    try:
        return failing_place(excess.numerator, randomizer.box) is None
    except UndecidedError:
        return False


@dataclass(frozen=True, slots=True, repr=False)
class DeltaPiece:
    """delta between two ends of the parameter, where it is one quotient of polynomials.

    ``first`` and ``second`` are a worst pair of data sets there: the second is the neighbour.
    """

    low: Fraction | RealRoot
    high: Fraction | RealRoot
    value: RationalFunction
    first: Mapping[Any, int]
    second: Mapping[Any, int]

    def __repr__(self) -> str:
        return f"DeltaPiece(from {self.low} to {self.high}, {self.first} and {self.second})"


@dataclass(frozen=True, slots=True, repr=False)
class SymbolicDelta:
    """delta at one e^eps, as a function of one parameter on its whole interval.

    ``to_sympy`` is a SymPy ``Piecewise``, as which SymPy's own functions also take the answer itself; ``at`` is the
    exact value at one point. ``breakpoints`` are exact: a rational, or the one root of an irreducible polynomial
    between two rationals, which close in on it as far as one likes.
    """

    randomizer: SymbolicRandomizer
    exp_eps: RationalFunction
    n: int
    pieces: tuple[DeltaPiece, ...]
    """In ascending order; the ends of neighbours are the same."""
    neighbors: Neighbors

    @property
    def breakpoints(self) -> tuple[RealRoot, ...]:
        """Where one formula ends and the next one begins, inside the interval; both are right there."""
        return tuple(piece.high for piece in self.pieces[:-1] if isinstance(piece.high, RealRoot))

    @property
    def formulas(self) -> tuple[Any, ...]:
        """The formula of each piece, simplified, as SymPy expressions."""
        return tuple(shortest(function_to_sympy(piece.value, self.randomizer.symbols)) for piece in self.pieces)

    def piece_at(self, **values: Exact) -> DeltaPiece:
        """Return the piece to which a point of the box belongs."""
        (point,) = self.randomizer.point(values).values()
        return next(piece for piece in self.pieces if is_at_most(point, piece.high))

    def at(self, **values: Exact) -> Fraction:
        """Return delta at one point of the box, exactly."""
        return exact_answer(self.piece_at(**values).value.at(**self.randomizer.point(values)))

    def prove_equal(self, formula: FunctionLike) -> FormulaProof:
        """Say whether a formula is delta on the whole box: proved identically, or refuted by a rational point.

        Args:
            formula: a SymPy expression of quotients of polynomials in the parameter, Max, Min, Abs and Piecewise, or
                text in the grammar; ``n`` stands for the number of users.

        Returns:
            The answer, at level "certificate" where the checker has verified it: of a formula that is a quotient or a
            Max of quotients, each the polynomial of an event, that it is the least delta (``Claim.for_all``); of one
            that is refuted, the value at the point. Else at level "exact".

        Raises:
            InvalidValueError: for a formula that is none, divides by 0 on the box, is undefined somewhere, or jumps.

        >>> from exactdp import ShuffleProtocol
        >>> from exactdp.symbolic import profile, randomized_response
        >>> response = randomized_response(2, gamma=("1/10", "1/2"))
        >>> delta = profile(ShuffleProtocol(response, 4)).delta(exp_eps=2)
        >>> print(delta.prove_equal("(1 - gamma/2)^(n-1) * (1 - 3*gamma/2)"))
        proved for n = 4 (certificate)
        >>> print(delta.prove_equal("(1 - gamma/2)^n * (1 - 3*gamma/2)"))
        proved for no n; refuted for n = 4 at gamma=1/3: the value is 125/432, the formula 625/2592 (certificate)
        """
        given = formula_at_size(formula, self.n)
        found = difference_on_line(
            self.randomizer, self.n, self.breakpoints, [piece.value for piece in self.pieces], given
        )
        return _proof(self, given, found)

    def to_sympy(self) -> Any:
        """Return the formula as a SymPy expression, a ``Piecewise`` where there are breakpoints."""
        import sympy

        (symbol,) = self.randomizer.symbols
        formulas = self.formulas
        if len(formulas) == 1:
            return formulas[0]
        bounds = [symbol <= root_to_sympy(root) for root in self.breakpoints]
        return sympy.Piecewise(*zip(formulas, [*bounds, True], strict=True))

    _sympy_ = to_sympy

    def _repr_latex_(self) -> str:
        import sympy

        return f"${sympy.latex(self.to_sympy())}$"

    def __repr__(self) -> str:
        return f"SymbolicDelta({len(self.pieces)} pieces, {self.randomizer.parameters[0]})"

    def __str__(self) -> str:
        (name,) = self.randomizer.parameters
        return "\n".join(
            f"{formula}  for {name} from {piece.low} to {piece.high}"
            for formula, piece in zip(self.formulas, self.pieces, strict=True)
        )


def is_at_most(point: Fraction, end: Fraction | RealRoot) -> bool:
    """Whether a rational point is at most the end of a piece."""
    if isinstance(end, Fraction):
        return point <= end
    return compare_roots(RealRoot.of(point), end) <= 0


def root_to_sympy(root: RealRoot) -> Any:
    """Return a root as SymPy's exact number: a rational, a square root, or a ``CRootOf``."""
    import sympy

    if root.rational is not None:
        return sympy.Rational(root.rational.numerator, root.rational.denominator)
    symbol = sympy.Symbol("x")
    below = len(roots_between(root.polynomial, -bound_of_roots(root.polynomial), root.low))
    return sympy.rootof(sympy.Poly(root.polynomial[::-1], symbol), below)


def _proof(delta: SymbolicDelta | EventPolynomials, given: FunctionLike, found: Difference | None) -> FormulaProof:
    """Return what was found of a formula, with whether a certificate stands behind it."""
    from exactdp import symbolic

    try:
        functions = largest_of(delta.randomizer, given)
    except (InvalidValueError, TooLargeError):
        functions = []
    certified = (delta.n,) if symbolic.is_certified(delta, functions, found) else ()
    return FormulaProof((delta.n,) if found is None else (), found, certified=certified)


@dataclass(frozen=True, slots=True, repr=False)
class EventPolynomials:
    """delta at one e^eps as the largest of finitely many functions of several parameters, on the whole box.

    Each is P(event) - e^eps P'(event) for an event that is the best one somewhere, as far as signs on the box tell, for
    one pair of neighbouring data sets: delta is their maximum at every point.
    """

    randomizer: SymbolicRandomizer
    exp_eps: RationalFunction
    n: int
    events: tuple[RationalFunction, ...]
    neighbors: Neighbors

    @property
    def formulas(self) -> tuple[Any, ...]:
        """The functions as SymPy expressions, simplified."""
        return tuple(shortest(function_to_sympy(event, self.randomizer.symbols)) for event in self.events)

    def at(self, **values: Exact) -> Fraction:
        """Return delta at one point of the box, exactly."""
        point = self.randomizer.point(values)
        return exact_answer(max(event.at(**point) for event in self.events))

    def prove_equal(self, formula: FunctionLike) -> FormulaProof:
        """Say whether a formula is delta on the whole box: proved identically, or refuted by a rational point.

        Args:
            formula: a quotient of polynomials in the parameters or a SymPy ``Max`` of some, or text in the grammar;
                ``n`` stands for the number of users.

        Returns:
            The answer: at level "certificate" where it is refuted and the checker has verified the value at the point,
            else at level "exact".

        Raises:
            UndecidedError: where neither is shown.

        >>> from exactdp import ShuffleProtocol
        >>> from exactdp.symbolic import profile, randomizer
        >>> rows = {0: {(0,): "1 - g/2", (1,): "g/2"}, 1: {(0,): "g/2", (1,): "1 - g/2"}}
        >>> response = randomizer(rows, {"g": ("1/10", "1/2"), "E": (1, 2)})
        >>> print(profile(ShuffleProtocol(response, 1)).delta(exp_eps="E").prove_equal("1 - g/2 - E*g/2"))
        proved for n = 1 (exact)
        """
        given = formula_at_size(formula, self.n)
        found = difference_of_maxima(self.randomizer, self.n, self.events, given)
        return _proof(self, given, found)

    def to_sympy(self) -> Any:
        """Return the maximum as a SymPy expression."""
        import sympy

        return sympy.Max(*self.formulas)

    _sympy_ = to_sympy

    def __repr__(self) -> str:
        return f"EventPolynomials({len(self.events)} events, {', '.join(self.randomizer.parameters)})"
