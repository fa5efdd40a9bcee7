"""Laws whose probabilities are functions of parameters: a polynomial for each outcome, over one common denominator.

The laws of views are polynomials of a ring of SymPy's, and a product for each user. All probabilities of a table have
one common denominator D, the least common multiple of theirs, so that the law of n users has the denominator D^n and
its numerators are products of polynomials with whole coefficients. Sums of vectors of message counts are what SymPy's
sparse polynomials are not needed for: outcomes are keys of a dictionary.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import comb, lcm, prod
from typing import Any, Final, TypeAlias

from exactdp.errors import TooLargeError
from exactdp.laws.finite import Law
from exactdp.numbers.exact import Exact
from exactdp.numbers.formats import about
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


DataSet: TypeAlias = tuple[int, ...]
"""How many users hold each input."""
Element: TypeAlias = Any
"""A polynomial of a ring of SymPy's."""
CountPolynomials: TypeAlias = dict[tuple[int, ...], Element]
"""Vector of message counts -> numerator."""

MAX_TERMS: Final = 10**6
"""Most outcomes times monomials of one law; a tenth of them takes seconds."""


class Views:
    """The views of one randomizer: its rows as polynomials over one denominator, and products of them."""

    def __init__(self, randomizer: SymbolicRandomizer) -> None:
        from sympy import ZZ
        from sympy.polys.rings import PolyRing

        self.randomizer = randomizer
        self.ring = PolyRing(randomizer.parameters, ZZ)
        self.denominator = self._positive(self._common([p for row in randomizer.rows for _, p in row]))
        self.rows = [self._row(row) for row in randomizer.rows]
        self._known: dict[DataSet, CountPolynomials] = {}

    def _common(self, functions: Sequence[RationalFunction]) -> Element:
        """Return the least common denominator, also of the rational coefficients."""
        return reduce(lambda a, b: a.lcm(b), [self.split(p)[1] for p in functions], self.ring.one)

    def split(self, function: RationalFunction) -> tuple[Element, Element]:
        """Return numerator and denominator with whole coefficients, in lowest terms, the denominator above 0."""
        parts = (function.numerator, function.denominator)
        scale = lcm(*(Fraction(c).denominator for part in parts for c in part.values()))
        above, below = (
            self.ring.from_dict({e: self.ring.domain(int(c * scale)) for e, c in part.items()}) for part in parts
        )
        above, below = above.cancel(below)
        positive = self._positive(below)
        return (above, below) if positive == below else (-above, positive)

    def _positive(self, polynomial: Element) -> Element:
        """Return the polynomial or its negative, whichever is above 0 on the box, where it does not vanish."""
        return polynomial if value_of(polynomial, self.randomizer.inner_point) > 0 else -polynomial

    def _row(self, row: Sequence[tuple[tuple[int, ...], RationalFunction]]) -> CountPolynomials:
        """Return the law of one user's message counts, over the common denominator."""
        law: CountPolynomials = {}
        for send, probability in row:
            if not probability.numerator:
                continue
            above, below = self.split(probability)
            counts = tuple(send.count(m) for m in range(len(self.randomizer.alphabet)))
            law[counts] = law.get(counts, self.ring.zero) + above * self.denominator.quo(below)
        return law

    def refuse_large(self, users: int) -> tuple[int, int]:
        """Return bounds of the outcomes and the monomials of the law of so many users; TooLargeError beyond a limit."""
        kinds = len({counts for row in self.rows for counts in row})
        most = [max(counts[j] for row in self.rows for counts in row) for j in range(len(self.randomizer.alphabet))]
        outcomes = min(comb(users + kinds - 1, kinds - 1), prod(users * count + 1 for count in most))
        elements = [self.denominator, *(p for row in self.rows for p in row.values())]
        degrees = [max(max(p.degrees()[i], 0) for p in elements if p) for i in range(len(self.randomizer.parameters))]
        monomials: int = prod(users * degree + 1 for degree in degrees)
        if outcomes * monomials > MAX_TERMS:
            raise TooLargeError(
                f"the law of {about(users)} users has up to {about(outcomes * monomials)} terms (outcomes times "
                f"monomials), the limit is {MAX_TERMS}. Use fewer users or parameters, or put numbers in the place "
                "of parameters: at(...)."
            )
        return outcomes, monomials

    def counts(self, data_set: DataSet) -> CountPolynomials:
        """Return the numerators of the law of a data set, over ``denominator`` to the number of users."""
        if data_set not in self._known:
            held = next((i for i, count in enumerate(data_set) if count), None)
            if held is None:
                return {(0,) * len(self.randomizer.alphabet): self.ring.one}
            fewer = (*data_set[:held], data_set[held] - 1, *data_set[held + 1 :])
            self._known[data_set] = self.product(self.counts(fewer), held)
        return self._known[data_set]

    def product(self, others: CountPolynomials, user: int) -> CountPolynomials:
        """Return the numerators where one user, who holds this input, joins."""
        total: CountPolynomials = {}
        for sent, probability in self.rows[user].items():
            for counts, weight in others.items():
                key = tuple(a + b for a, b in zip(counts, sent, strict=True))
                term = weight * probability
                total[key] = total[key] + term if key in total else term
        return total

    def data_sets(self, users: int) -> Iterator[DataSet]:
        """Yield every data set of so many users."""
        inputs = len(self.randomizer.inputs)

        def parts(left: int, places: int) -> Iterator[DataSet]:
            if places == 1:
                yield (left,)
                return
            for first in range(left, -1, -1):
                yield from ((first, *rest) for rest in parts(left - first, places - 1))

        return parts(users, inputs)


def symbolic_view_law(randomizer: SymbolicRandomizer, data_set: DataSet) -> SymbolicLaw:
    """Return the law of the vector of message counts, over ``randomizer.alphabet``, as polynomials.

    Cost: O(users times outcomes times terms of a polynomial); 4 ms for 3-ary randomized response of 6 users.
    """
    views = Views(randomizer)
    users = sum(data_set)
    views.refuse_large(users)
    law = {counts: as_polynomial(p) for counts, p in sorted(views.counts(data_set).items()) if p}
    return SymbolicLaw(randomizer, users, law, as_polynomial(views.denominator**users))


def value_of(element: Element, point: Sequence[Fraction]) -> Fraction:
    """Return the value of a polynomial of the ring at a point."""
    return value_at(as_polynomial(element), point)


def as_polynomial(element: Element) -> Polynomial:
    """Return a polynomial of the ring as exponents -> coefficient."""
    return {tuple(map(int, exponents)): Fraction(int(c)) for exponents, c in element.items()}
