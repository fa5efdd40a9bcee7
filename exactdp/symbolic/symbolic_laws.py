"""Laws whose probabilities are functions of parameters: a polynomial for each outcome, over one common denominator."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exactdp.laws.finite import Law
from exactdp.numbers.exact import Exact
from exactdp.symbolic.formula_answers import Difference, FormulaProof, formula_at_size
from exactdp.symbolic.functions_of_parameters import FunctionLike, polynomial_to_sympy, shortest
from exactdp.symbolic.rational_functions import RationalFunction
from exactdp.symbolic.signs_on_boxes import place_other_than_0
from exactdp.symbolic.sums import Polynomial, value_at
from exactdp.symbolic.symbolic_randomizer import SymbolicRandomizer


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SymbolicLaw:
    """The law of the view of one data set, at every point of a box of parameters.

    ``prob`` and ``items`` give SymPy expressions, simplified; ``at`` is the exact law at one point. The outcomes are
    those whose probability is not identically 0; at a point of the box it may vanish.

    >>> from exactdp.symbolic import randomizer
    >>> from exactdp import ShuffleProtocol
    >>> flip = randomizer({0: {(0,): "1 - p", (1,): "p"}, 1: {(0,): "p", (1,): "1 - p"}}, {"p": (0, "1/2")})
    >>> law = ShuffleProtocol(flip, 2).law([0, 1])
    >>> law.prob((1, 1)), law.at(p="1/4").prob((1, 1))
    (2*p**2 - 2*p + 1, Fraction(5, 8))
    """

    randomizer: SymbolicRandomizer
    """Whose parameters, and whose box."""
    n: int
    """How many users the data set has."""
    numerators: Mapping[Any, Polynomial]
    """Outcome -> polynomial in the parameters, whole coefficients."""
    denominator: Polynomial
    """Of all outcomes; above 0 on the box."""

    def function(self, outcome: Hashable) -> RationalFunction:
        """Return the probability of an outcome as numerator and denominator, not cancelled; 0 outside the support."""
        return RationalFunction(self.randomizer.parameters, self.numerators.get(outcome, {}), self.denominator)

    def prob(self, outcome: Hashable) -> Any:
        """Return the probability of an outcome as a SymPy expression."""
        parts = (self.numerators.get(outcome, {}), self.denominator)
        above, below = (polynomial_to_sympy(part, self.randomizer.symbols) for part in parts)
        return shortest(above / below)

    def prove_equal(self, outcome: Hashable, formula: FunctionLike) -> FormulaProof:
        """Say whether a formula is the probability of an outcome on the whole box: identically, or not at a point.

        Args:
            outcome: as ``prob`` takes it.
            formula: a SymPy expression or text in the grammar, a quotient of polynomials in the parameters; ``n``
                stands for the number of users.
        """
        given = self.randomizer.function(formula_at_size(formula, self.n), name="formula")
        excess = (given + -self.function(outcome)).numerator
        if not excess:
            return FormulaProof((self.n,), None)
        place = place_other_than_0(excess, self.randomizer.box)
        point = dict(zip(self.randomizer.parameters, place, strict=True))
        return FormulaProof((), Difference(self.n, point, self.function(outcome).at(**point), given.at(**point)))

    def items(self) -> Iterator[tuple[Any, Any]]:
        """Yield (outcome, probability) as SymPy expressions."""
        return ((outcome, self.prob(outcome)) for outcome in self.numerators)

    @property
    def support(self) -> tuple[Any, ...]:
        """The outcomes whose probability is not identically 0."""
        return tuple(self.numerators)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.numerators)

    def __len__(self) -> int:
        return len(self.numerators)

    def at(self, **values: Exact) -> Law:
        """Return the exact law at one point of the box."""
        point = tuple(self.randomizer.point(values).values())
        total = value_at(self.denominator, point)
        return Law({outcome: value_at(weight, point) / total for outcome, weight in self.numerators.items()})

    def map(self, function: Callable[[Any], Hashable]) -> SymbolicLaw:
        """Return the law of ``function(outcome)``."""
        numerators: dict[Any, dict[tuple[int, ...], Fraction]] = {}
        for outcome, weight in self.numerators.items():
            total = numerators.setdefault(function(outcome), {})
            for exponents, coefficient in weight.items():
                total[exponents] = total.get(exponents, Fraction(0)) + coefficient
        return SymbolicLaw(self.randomizer, self.n, numerators, self.denominator)

    def __repr__(self) -> str:
        return f"SymbolicLaw({len(self)} outcomes, {', '.join(self.randomizer.parameters)})"
