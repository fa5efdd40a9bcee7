"""How the interval of a variable is given, and the interval that it is."""

from __future__ import annotations

from typing import NamedTuple

from exactdp.errors import InvalidValueError
from exactdp.numbers.exact import Exact, as_fraction
from exactdp.numbers.formats import short
from exactdp.symbolic.box import Interval


class Span(NamedTuple):
    """An interval of real numbers, ``low`` < ``high``, whose ends belong to it if they are closed."""

    low: Exact
    high: Exact
    low_is_closed: bool = True
    high_is_closed: bool = True


def as_side(name: str, ends: Span | tuple[Exact, Exact]) -> Interval:
    """Return the interval of a variable from a pair, whose ends belong to it, or from a ``Span``."""
    if not isinstance(ends, tuple) or len(ends) not in (2, 4):
        raise InvalidValueError(f"the interval of {name} is no pair. Pass (low, high), or a Span with open ends.")
    span = Span(*ends)
    low, high = as_fraction(span.low, name=f"low of {name}"), as_fraction(span.high, name=f"high of {name}")
    if low >= high:
        raise InvalidValueError(f"the interval of {name} from {short(low)} to {short(high)} is empty. Give low < high.")
    for closed in (span.low_is_closed, span.high_is_closed):
        if not isinstance(closed, bool):
            raise InvalidValueError(f"an end of the interval of {name} is closed: {closed!r}. Pass True or False.")
    return Interval(low, high, span.low_is_closed, span.high_is_closed)
