"""Finite exact laws: integer weights over one common denominator.

A ``Fraction`` per outcome would cost a greatest common divisor per operation, a hundred times the arithmetic itself.
The weights share one denominator, are never reduced, and become a Fraction only when one is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from itertools import islice
from types import MappingProxyType
from typing import Any, ClassVar

from exactdp.errors import InvalidLawError, InvalidValueError
from exactdp.numbers.exact import Exact, as_fraction, common_denominator
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import decimal_text, fraction_text, short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.notebook import MAX_ROWS, decimal_html, fraction_latex, label_latex, label_text, table_html
from exactdp.numbers.symbols import sympy_rational


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Law:
    """A probability law on finitely many outcomes, exactly.

    Args:
        probabilities: outcome -> probability (any ``Exact``), non-negative, with sum 1. Outcomes of probability 0 are
            not part of the support and are dropped.

    Iteration runs over the support, in sorted order where the outcomes are ints or tuples of ints and in the order
    given otherwise. Two laws are equal iff they give every outcome the same probability.

    Raises:
        InvalidLawError: for a negative probability, an empty law or a sum other than 1, which the message shows.

    >>> die = Law({face: "1/6" for face in range(1, 7)})
    >>> die.mean(), die.map(lambda face: face % 2).prob(1)
    (Fraction(7, 2), Fraction(1, 2))
    """

    weights: Mapping[Any, int]
    """Outcome -> positive integer weight."""
    total: int
    """The sum of the weights: the probability of an outcome is its weight over this."""

    def __init__(self, probabilities: Mapping[Any, Exact]) -> None:
        if not isinstance(probabilities, Mapping):
            raise InvalidLawError(
                f"a law cannot be made of the type {type(probabilities).__name__}. Pass {{outcome: probability}}."
            )
        exact = {outcome: as_fraction(p, name=_named(outcome)) for outcome, p in probabilities.items()}
        total = common_denominator(exact.values(), name="the probabilities of the law")
        self._fill({outcome: p.numerator * (total // p.denominator) for outcome, p in exact.items()}, total)

    @classmethod
    def from_weights(cls, weights: Mapping[Any, int], total: int) -> Law:
        """Return the law with the probabilities ``weight / total``; the weights are integers with sum ``total``."""
        if total < 1:
            raise InvalidLawError(
                f"total={short(total)} is below 1. Pass the sum of the weights, which must be positive."
            )
        law = cls.__new__(cls)
        law._fill(weights, total)
        return law

    def _fill(self, weights: Mapping[Any, int], total: int) -> None:
        for outcome, weight in weights.items():
            if not isinstance(weight, int) or isinstance(weight, bool):
                raise InvalidLawError(
                    f"the weight of {label_text(outcome)} has the type {type(weight).__name__}. Pass ints."
                )
            if weight < 0:
                raise InvalidLawError(
                    f"the probability of {label_text(outcome)} is {short(Fraction(weight, total))}, below 0. "
                    "Give probabilities of at least 0."
                )
        sum_of_weights = sum(weights.values())
        if sum_of_weights != total or not weights:
            raise InvalidLawError(
                f"the probabilities sum to {short(Fraction(sum_of_weights, total))}, not 1. Make them sum to 1."
            )
        positive = {outcome: weight for outcome, weight in weights.items() if weight}
        set_fields(self, weights=MappingProxyType(_sorted(positive)), total=total)

    def __reduce__(self) -> tuple[Callable[..., Law], tuple[dict[Any, int], int]]:
        return Law.from_weights, (dict(self.weights), self.total)

    # What a lattice law answers too, so that nobody asks of which of the two kinds a law of noise is.

    lattice: ClassVar[None] = None
    """The law is given by a list, not by a formula."""

    is_rational = is_exact = lists_fast = True
    is_symmetric: ClassVar[bool] = False
    """A list is not searched for its symmetry."""

    largest_shift_is_worst: ClassVar[bool] = False
    """A query that moves the law by less can show more."""

    @property
    def is_on_integers(self) -> bool:
        """Whether every outcome is an int."""
        return all(type(outcome) is int for outcome in self.weights)

    def law(self) -> Law:
        """Return the law itself."""
        return self

    def listed(self, most: int) -> Law:
        """Return the law itself, whatever its size."""
        return self

    def holds(self, outcome: Hashable) -> bool:
        """Whether the outcome is in the support."""
        return outcome in self.weights

    def prob(self, outcome: Hashable) -> Fraction:
        """Return the probability of ``outcome``, 0 outside the support."""
        return exact_answer(Fraction(self.weights.get(outcome, 0), self.total))

    def items(self) -> Iterator[tuple[Any, Fraction]]:
        """Yield (outcome, probability) over the support."""
        return ((outcome, exact_answer(Fraction(weight, self.total))) for outcome, weight in self.weights.items())

    def to_sympy(self) -> dict[Any, Any]:
        """Return outcome -> probability over the support, the probabilities as SymPy's Rationals.

        ``sympy.stats.FiniteRV("X", law.to_sympy())`` is the random variable where the outcomes are numbers.

        >>> Law({0: "1/4", 1: "3/4"}).to_sympy()
        {0: 1/4, 1: 3/4}

        Cost: loads SymPy, 0.4 s once.
        """
        return {outcome: sympy_rational(Fraction(weight, self.total)) for outcome, weight in self.weights.items()}

    @property
    def support(self) -> tuple[Any, ...]:
        """The outcomes of positive probability."""
        return tuple(self.weights)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.weights)

    def __len__(self) -> int:
        return len(self.weights)

    def mean(self) -> Fraction | tuple[Fraction, ...]:
        """Return the expectation: a Fraction for exact numbers, a tuple of Fractions for tuples of equally many.

        Raises:
            InvalidValueError: for outcomes that are something else.
        """
        sizes = {len(outcome) if isinstance(outcome, tuple) else None for outcome in self.weights}
        if len(sizes) > 1:
            raise InvalidValueError("the outcomes are tuples of different lengths. Map them first: law.map(f).")
        size = sizes.pop()
        if size is None:
            return self._average(list(self.weights))
        return tuple(self._average([outcome[i] for outcome in self.weights]) for i in range(size))

    def _average(self, values: Sequence[Any]) -> Fraction:
        for value in values:
            if isinstance(value, str):
                raise InvalidValueError(f"the outcome {short(repr(value))} is no number. Map it first: law.map(f).")
        exact = (as_fraction(value, name="an outcome") for value in values)
        weighted = (value * weight for value, weight in zip(exact, self.weights.values(), strict=True))
        return exact_answer(sum(weighted, Fraction(0)) / self.total)

    def map(self, function: Callable[[Any], Any]) -> Law:
        """Return the law of ``function(outcome)``."""
        image: dict[Any, int] = {}
        for outcome, weight in self.weights.items():
            value = function(outcome)
            image[value] = image.get(value, 0) + weight
        return Law.from_weights(image, self.total)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Law):
            return NotImplemented
        return self.weights.keys() == other.weights.keys() and all(
            weight * other.total == other.weights[outcome] * self.total for outcome, weight in self.weights.items()
        )

    def __hash__(self) -> int:
        return hash(frozenset(self.weights))

    def __repr__(self) -> str:
        shown = [f"{label_text(outcome)}: {short(p)}" for (outcome, p), _ in zip(self.items(), range(4), strict=False)]
        more = f", ... ({len(self)} outcomes)" if len(self) > 4 else ""
        return f"Law({{{', '.join(shown)}{more}}})"

    def _repr_html_(self) -> str:
        """The law as a notebook shows it: its first outcomes, with their probabilities as fractions and decimals."""
        rows = [
            (escape(label_text(outcome)), fraction_text(p), decimal_html(decimal_text(p, up=True)))
            for outcome, p in islice(self.items(), MAX_ROWS)
        ]
        more = f", the first {MAX_ROWS} of them listed" if len(self) > MAX_ROWS else ""
        plural = "" if len(self) == 1 else "s"
        caption = f"A law with {len(self)} outcome{plural}{more}"
        return table_html(caption, ("outcome", "probability", "decimal, rounded up"), rows)

    def _repr_latex_(self) -> str:
        """The same in LaTeX, without the decimals."""
        rows = [f"{label_latex(outcome)} & {fraction_latex(p)}" for outcome, p in islice(self.items(), MAX_ROWS)]
        if len(self) > MAX_ROWS:
            rows.append(rf"\vdots & \text{{{len(self)} outcomes}}")
        listed = r" \\ ".join([r"\text{outcome} & \text{probability} \\ \hline " + rows[0], *rows[1:]])
        return rf"$\begin{{array}}{{l|l}} {listed} \end{{array}}$"


def _named(outcome: object) -> str:
    try:
        return f"probability of {outcome!r}"
    except ValueError:  # Python writes out no integer of more than 4300 digits
        return f"probability of {label_text(outcome)}"


def _sorted(weights: dict[Any, int]) -> dict[Any, int]:
    """Return the weights in the order of their outcomes where these are ints or tuples of ints."""
    if all(_is_integer(outcome) for outcome in weights) or all(
        isinstance(outcome, tuple) and all(map(_is_integer, outcome)) for outcome in weights
    ):
        return dict(sorted(weights.items()))
    return weights


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
