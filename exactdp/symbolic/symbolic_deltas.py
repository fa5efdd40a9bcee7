"""Answers for a whole box: delta as a formula between exact breakpoints, or as the largest of event polynomials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.mechanisms.dataset import Neighbors
from exactdp.numbers.exact import Exact
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.symbolic.formula_answers import Difference, FormulaProof, formula_at_size
from exactdp.symbolic.functions_of_parameters import FunctionLike, function_to_sympy, shortest
from exactdp.symbolic.given_formulas import difference_of_maxima, difference_on_line, largest_of
from exactdp.symbolic.rational_functions import RationalFunction
from exactdp.symbolic.real_roots import RealRoot, bound_of_roots, compare_roots, roots_between
from exactdp.symbolic.symbolic_randomizer import SymbolicRandomizer


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
