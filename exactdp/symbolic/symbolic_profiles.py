"""delta for a whole box of parameters: every pair of neighbouring data sets, every event, as polynomials.

For one pair, delta is the sum over the views of max(0, P - e^eps Q), and both are polynomials over a common
denominator. In one parameter the sign of each excess changes at finitely many roots; between two of them one event is
the best and its polynomial is delta. The maximum over pairs has further breakpoints, where two polynomials cross. In
several parameters the signs on the box are shown where they can be; of the excesses whose sign may change each choice
is an event, and delta is the largest of the events' polynomials. A formula in n and the parameters is proved equal to
delta for each n from 1 to the size that fits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import comb
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.mechanisms.dataset import Neighbors, labelled
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import about, short
from exactdp.symbolic.formula_answers import SIZE, FormulaProof
from exactdp.symbolic.functions_of_parameters import FunctionLike
from exactdp.symbolic.piecewise_quotients import MAX_EVENTS, Line, best_events, merged, pieces_between, undominated
from exactdp.symbolic.rational_functions import RationalFunction
from exactdp.symbolic.signs_on_boxes import failing_place, point_text
from exactdp.symbolic.symbolic_deltas import DeltaPiece, EventPolynomials, SymbolicDelta
from exactdp.symbolic.symbolic_laws import CountPolynomials, DataSet, Element, Views, as_polynomial
from exactdp.symbolic.symbolic_randomizer import SymbolicRandomizer

MAX_WORK: Final = 10**7
"""Most pairs times outcomes times squares of monomials of one question; that many take minutes."""

Answer: TypeAlias = SymbolicDelta | EventPolynomials


class NeedsNumbersError(InvalidValueError, AttributeError):
    """A question to a profile with parameters that only one of numbers answers."""


class _Pair(NamedTuple):
    """Two neighbouring data sets, and the excess P - e^eps Q of each view, over the profile's denominator."""

    first: DataSet
    second: DataSet
    excesses: tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class SymbolicProfile:
    """The privacy of a shuffle protocol whose randomizer has parameters, for its whole box.

    ``delta`` is the least delta for which the protocol is (eps, delta)-DP, over all neighbouring data sets and both
    orders, as a function of the parameters.

    >>> from exactdp import ShuffleProtocol
    >>> from exactdp.symbolic import profile, randomizer
    >>> flip = randomizer({0: {(0,): "1 - p", (1,): "p"}, 1: {(0,): "p", (1,): "1 - p"}}, {"p": ("1/10", "1/2")})
    >>> delta = profile(ShuffleProtocol(flip, 2)).delta(exp_eps=2)
    >>> print(delta)
    (p - 1)*(3*p - 1)  for p from 1/10 to 1/3
    0  for p from 1/3 to 1/2
    >>> delta.at(p="1/4")
    Fraction(3, 16)
    """

    randomizer: SymbolicRandomizer
    n: int
    neighbors: Neighbors

    def __getattr__(self, name: str) -> NoReturn:
        """Refuse what only a profile of numbers answers."""
        raise NeedsNumbersError(self.needs_numbers)

    @property
    def needs_numbers(self) -> str:
        """Why other questions are refused, and what to ask."""
        names = self.randomizer.parameters
        point = ", ".join(f'{parameter}="1/4"' for parameter in names)
        return (
            f"the protocol has the parameters {', '.join(names)}, and this question needs numbers. Ask its profile for "
            f"delta(exp_eps=...), a formula, or take one point: randomizer.at({point})."
        )

    def delta(self, *, exp_eps: FunctionLike | None = None, **numbers: object) -> Answer:
        """Return delta at one e^eps as a function of the parameters.

        Args:
            exp_eps: e^eps, at least 1 on the whole box: an exact number, or a function of the parameters, such as one
                of them.

        Returns:
            With one parameter in the box a ``SymbolicDelta``: a formula for each piece between exact breakpoints. With
            several an ``EventPolynomials``, whose maximum it is. Both exact, at every point of the box.

        Raises:
            InvalidValueError: where e^eps is below 1 somewhere on the box.
            TooLargeError: beyond 10^7 pairs times outcomes times squares of monomials, and beyond 4096 events.
            UndecidedError: with several parameters, where it is not decided that e^eps is at least 1.

        Cost: of each pair and outcome the roots of a polynomial; 0.1 s for binary randomized response of 10 users.

        Source: BalleBellGasconNissim2019, section 2 (the divergence as a sum of positive parts).
        """
        if exp_eps is None or numbers:
            raise InvalidValueError(self.needs_numbers)
        level = self._level(exp_eps)
        views = Views(self.randomizer)
        self._refuse_large(views)
        above, below = views.split(level)
        pairs = list(self._pairs(views, above, below))
        denominator = below * views.denominator**self.n
        if len(self.randomizer.parameters) == 1:
            return self._piecewise(pairs, denominator, level)
        return self._events(pairs, denominator, level)

    def _level(self, exp_eps: FunctionLike) -> RationalFunction:
        level = self.randomizer.function(exp_eps, name="exp_eps")
        parameters = self.randomizer.parameters
        excess = level + RationalFunction.constant(-1, parameters)
        if (place := failing_place(excess.numerator, self.randomizer.box)) is not None:
            raise InvalidValueError(
                f"exp_eps={short(str(exp_eps))} is below 1 at {point_text(parameters, place)}. Pass e^eps, at least "
                "1 on the whole box."
            )
        return level

    def _refuse_large(self, views: Views) -> None:
        inputs = len(self.randomizer.inputs)
        pairs = comb(self.n + inputs - 2, inputs - 1) * inputs * max(1, inputs - 1)
        outcomes, monomials = views.refuse_large(self.n)
        work = pairs * outcomes * monomials**2
        if work > MAX_WORK:
            raise TooLargeError(
                f"n={self.n} asks for up to {about(work)} pairs times outcomes times squares of monomials, the limit "
                f"is {MAX_WORK}. Use fewer users or parameters, or ask at single points: randomizer.at(...)."
            )

    def _pairs(self, views: Views, above: Element, below: Element) -> Iterator[_Pair]:
        """Yield neighbouring data sets in both orders; of those whose excesses are the same, one."""
        seen = set()
        for first, second, laws in self._neighbors(views):
            excesses = [below * p - above * q for p, q in _aligned(*laws, zero=views.ring.zero)]
            found = frozenset(Counter(excess for excess in excesses if excess).items())
            if found not in seen:
                seen.add(found)
                yield _Pair(first, second, tuple(merged(excesses)))

    def _neighbors(self, views: Views) -> Iterator[tuple[DataSet, DataSet, tuple[CountPolynomials, CountPolynomials]]]:
        inputs = range(len(self.randomizer.inputs))
        for others in views.data_sets(self.n - 1):
            known = views.counts(others)
            joined = [views.product(known, x) for x in inputs]
            sets = [tuple(count + (x == i) for i, count in enumerate(others)) for x in inputs]
            if self.neighbors is Neighbors.REPLACE_ONE:
                yield from ((sets[x], sets[y], (joined[x], joined[y])) for x in inputs for y in inputs if x != y)
                continue
            fewer = {counts: weight * views.denominator for counts, weight in known.items()}
            for x in inputs:
                yield sets[x], others, (joined[x], fewer)
                yield others, sets[x], (fewer, joined[x])

    def _piecewise(self, pairs: Sequence[_Pair], denominator: Element, level: RationalFunction) -> SymbolicDelta:
        """Return the largest divergence of all pairs, in one parameter."""
        (side,) = self.randomizer.box
        line = Line(side)
        found = [line.positive_part(p.excesses, denominator, (p.first, p.second)) for p in pairs]
        best = reduce(line.maximum, found, line.positive_part([], denominator, _nobody(self)))
        pieces = []
        for (low, high), value in zip(pieces_between(best.breaks, side.low, side.high), best.values, strict=True):
            first, second = (labelled(counts, self.randomizer.inputs) for counts in value.attained)
            quotient = self._quotient(value.numerator, value.denominator)
            pieces.append(DeltaPiece(low, high, quotient, first, second))
        return SymbolicDelta(self.randomizer, level, self.n, tuple(pieces), self.neighbors)

    def _events(self, pairs: Sequence[_Pair], denominator: Element, level: RationalFunction) -> EventPolynomials:
        """Return the polynomials of all events that may be the best for a pair, each once."""
        events, signs = dict.fromkeys([denominator.ring.zero]), dict[Element, int]()
        for pair in pairs:
            for event in best_events(pair.excesses, self.randomizer, MAX_EVENTS, signs):
                events[event] = None
            if len(events) > MAX_EVENTS:
                raise TooLargeError(
                    f"n={self.n} has more than {MAX_EVENTS} event polynomials on this box, the limit. Use fewer "
                    "users or a smaller box, on which fewer signs change."
                )
        kept = undominated(list(events), self.randomizer)
        quotients = tuple(self._quotient(event, denominator) for event in kept)
        return EventPolynomials(self.randomizer, level, self.n, quotients, self.neighbors)

    def _quotient(self, numerator: Element, denominator: Element) -> RationalFunction:
        """Return numerator / denominator in lowest terms, the denominator above 0 on the box."""
        above, below = numerator.cancel(denominator)
        polynomials = as_polynomial(above), as_polynomial(below)
        if below.is_ground:
            (scale,) = polynomials[1].values()
            one = dict.fromkeys(polynomials[1], Fraction(1))
            polynomials = {e: c / scale for e, c in polynomials[0].items()}, one
        return self.randomizer.function(RationalFunction(self.randomizer.parameters, *polynomials), name="delta")


def _nobody(profile: SymbolicProfile) -> tuple[DataSet, DataSet]:
    """A pair of data sets with divergence 0 at least: where delta is 0 every pair is a worst one."""
    others = (profile.n - 1, *(0 for _ in profile.randomizer.inputs[1:]))
    first = (others[0] + 1, *others[1:])
    if profile.neighbors is not Neighbors.REPLACE_ONE or len(others) == 1:
        return first, others if profile.neighbors is not Neighbors.REPLACE_ONE else first
    return first, (others[0], others[1] + 1, *others[2:])


def _aligned(first: CountPolynomials, second: CountPolynomials, *, zero: Element) -> Iterator[tuple[Element, Element]]:
    for counts in dict.fromkeys([*first, *second]):
        yield first.get(counts, zero), second.get(counts, zero)


def profile(protocol: Any, *, neighbors: Neighbors = Neighbors.REPLACE_ONE) -> SymbolicProfile:
    """Return the ``privacy_profile()`` of a ``ShuffleProtocol`` whose randomizer has parameters; refuse any other.

    Args:
        protocol: ``ShuffleProtocol(randomizer, n)`` with a randomizer of ``exactdp.symbolic``.
        neighbors: which data sets are neighbours.
    """
    randomizer = getattr(protocol, "randomizer", None)
    if not isinstance(randomizer, SymbolicRandomizer):
        raise InvalidValueError(
            f"protocol={short(repr(protocol))} has no parameters. Pass ShuffleProtocol(symbolic.randomizer(...), n); "
            "of other protocols ask privacy_profile()."
        )
    answered: SymbolicProfile = protocol.privacy_profile(neighbors=neighbors)
    return answered


DEFAULT_MOST: Final = 10
"""Users up to which a formula is proved unless more is asked for."""


def prove_formula(
    randomizer: SymbolicRandomizer,
    formula: FunctionLike,
    *,
    exp_eps: FunctionLike,
    most: int = DEFAULT_MOST,
    neighbors: Neighbors = Neighbors.REPLACE_ONE,
) -> FormulaProof:
    """Say for which n a formula is delta of the shuffled randomizer on its whole box, from n = 1 on.

    Args:
        randomizer: a table of functions of parameters, none of them called n.
        formula: in the parameters and n: a SymPy expression, in which sums and binomial coefficients over n may occur,
            or text in the grammar, in which n may be in powers.
        exp_eps: e^eps, as ``SymbolicProfile.delta`` takes it.
        most: the largest n; fewer where a limit is met before, which the answer says.
        neighbors: which data sets are neighbours.

    Returns:
        The sizes for which it is proved identically, up to ``most`` or to the first at which it is refuted by a point;
        those of them for which the checker has verified a certificate are named.

    >>> from exactdp.symbolic import randomized_response
    >>> response = randomized_response(2, gamma=("1/10", "1/2"))
    >>> print(prove_formula(response, "(1 - gamma/2)^(n-1) * (1 - 3*gamma/2)", exp_eps=2, most=5))
    proved for n = 1, 2, 3, 4, 5 (certificate)

    Cost: of each n as ``SymbolicProfile.delta``, and a certificate, 0.1 s for binary randomized response of 8 users.
    """
    if SIZE in randomizer.parameters:
        raise InvalidValueError("a parameter is called n, which stands for the number of users. Give it another name.")
    proved: tuple[int, ...] = ()
    certified: tuple[int, ...] = ()
    for n in range(1, as_integer(most, name="most", at_least=1) + 1):
        try:
            delta: Any = SymbolicProfile(randomizer, n, neighbors).delta(exp_eps=exp_eps)
        except TooLargeError as error:
            if not proved:
                raise
            return FormulaProof(proved, None, f"No more: {error}", certified)
        answer = delta.prove_equal(formula)
        proved, certified = proved + answer.proved, certified + answer.certified
        if not answer.holds:
            return FormulaProof(proved, answer.counterexample, certified=certified)
    return FormulaProof(proved, None, certified=certified)
