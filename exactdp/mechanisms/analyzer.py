"""Analyzers as data: an affine function of the message counts, with a threshold.

Being data they can be pickled, compared and written into a certificate; a Python function can not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral
from typing import Any

from exactdp.errors import InvalidValueError
from exactdp.numbers.exact import Exact, as_fraction
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.frozen import set_fields


@dataclass(frozen=True, slots=True, init=False)
class Analyzer:
    """The estimate s + offset with s = sum over messages of weight * count; 0 unless s is above the threshold.

    Args:
        weights: message -> weight, exact; messages without a weight count 0.
        offset: added to the weighted sum.
        zero_unless_above: where given, the estimate is exactly 0 whenever s <= this threshold.

    >>> Analyzer({"yes": "1/10"}, offset="-1/4", zero_unless_above=1).estimate({"yes": 12})
    Fraction(19, 20)
    """

    weights: tuple[tuple[Any, Fraction], ...]
    offset: Fraction
    zero_unless_above: Fraction | None

    def __init__(
        self, weights: Mapping[Any, Exact], *, offset: Exact = 0, zero_unless_above: Exact | None = None
    ) -> None:
        if not isinstance(weights, Mapping):
            raise InvalidValueError(f"weights has the type {type(weights).__name__}. Pass {{message: weight}}.")
        exact = tuple((message, as_fraction(w, name=f"weight of {message!r}")) for message, w in weights.items())
        threshold = None if zero_unless_above is None else as_fraction(zero_unless_above, name="zero_unless_above")
        set_fields(self, weights=exact, offset=as_fraction(offset, name="offset"), zero_unless_above=threshold)

    def estimate(self, counts: Mapping[Any, int], *, signed: bool = False) -> Fraction:
        """Return the estimate from message -> count; counts below 0 only where ``signed``, for noise of both signs."""
        for message, count in counts.items():
            if isinstance(count, bool) or not isinstance(count, Integral) or (count < 0 and not signed):
                wanted = "an int" if signed else "an int of at least 0"
                raise InvalidValueError(f"the count of message {message!r} is {count!r}. Give {wanted}.")
        total = sum((weight * int(counts.get(message, 0)) for message, weight in self.weights), Fraction(0))
        if self.zero_unless_above is not None and total <= self.zero_unless_above:
            return exact_answer(Fraction(0))
        return exact_answer(total + self.offset)
