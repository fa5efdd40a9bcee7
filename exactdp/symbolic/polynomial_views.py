"""The laws of views as polynomials: a ring of SymPy's, and a product for each user.

All probabilities of a table have one common denominator D, the least common multiple of theirs, so that the law of n
users has the denominator D^n and its numerators are products of polynomials with whole coefficients. Sums of vectors of
message counts are what SymPy's sparse polynomials are not needed for: outcomes are keys of a dictionary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import reduce
from math import comb, lcm, prod
from typing import Any, Final, TypeAlias

from exactdp.errors import TooLargeError
from exactdp.numbers.formats import about
from exactdp.symbolic.rational_functions import RationalFunction
from exactdp.symbolic.sums import Polynomial, value_at
from exactdp.symbolic.symbolic_laws import SymbolicLaw
from exactdp.symbolic.symbolic_randomizer import SymbolicRandomizer

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
