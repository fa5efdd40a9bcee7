"""One of two messages from each of many users: many users, long probabilities, long levels, and many inputs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.certificates.claims import PROVED, REFUTED, document, two_messages
from tests.certificates.shapes import LONGEST, Document, Grown, close_to_one, odd, shape, spelt
from tests.certificates.shapes_of_counts import SHAPES

__all__ = ["SHAPES"]


def coin(ones: Fraction) -> list[dict[str, Any]]:
    """A row that sends message 1 with this probability."""
    return [{"send": [str(message)], "prob": spelt(p)} for message, p in ((0, 1 - ones), (1, ones))]


def decided(grown: Grown, claim: Any, n: int, **more: str) -> Document:
    if grown.one_of(True, False):
        return document(claim, PROVED, more)
    event = {"message": grown.one_of("0", "1"), "holders": str(grown(n) - 1), "above": str(grown(n) - 1)}
    return document(claim, REFUTED, {**event, **more})


@shape
def two_messages_of_many_users(grown: Grown) -> Document:
    """With short probabilities, and a delta that no divergence exceeds before the last data set."""
    whole, n = grown(1000, 4), grown(grown.one_of(10**6, 150_000, 30_000))
    chances = [Fraction(place, 4 * whole) for place in (whole, whole + 1, 3 * whole)]
    table = {"messages": "2", "rows": list(map(coin, chances))}
    delta = grown.one_of("1", "0", f"1/{10**12}")
    return decided(grown, two_messages(table, n, spelt(1 + Fraction(1, grown(10**6))), delta), n)


@shape
def two_messages_of_long_numbers(grown: Grown) -> Document:
    """As many users as fit with them, or few."""
    bits = grown(LONGEST, 4)
    low, n = Fraction(odd(bits - 2), odd(bits)) / 2, grown(grown.one_of(2**22 // bits + 1, 20))
    rows = [coin(low + Fraction(place, 300 * odd(bits).bit_length())) for place in range(grown(3))]
    table = {"messages": "2", "rows": [coin(low / 2), *rows]}
    delta = f"1/{spelt(odd(grown(LONGEST)))}"
    if grown.one_of(True, False):
        return decided(grown, two_messages(table, n, spelt(close_to_one(grown(LONGEST))), delta), n)
    eps = min(Fraction(64), Fraction(odd(grown(2000)), odd(grown(2000)) << grown(10)))
    return decided(grown, two_messages(table, n, eps=spelt(eps), delta=delta), n, terms=str(grown(300)))
