"""Random tables of two or three inputs and messages, some of which nobody sends."""

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from exactdp import Randomizer


@st.composite
def small_tables(draw: Any) -> Randomizer:
    """Draw a table; every row has a message."""
    inputs, messages = draw(st.integers(2, 3)), draw(st.integers(2, 3))
    rows = []
    for _ in range(inputs):
        weights = draw(st.lists(st.integers(0, 5), min_size=messages, max_size=messages).filter(any))
        rows.append({(m,): Fraction(w, sum(weights)) for m, w in enumerate(weights) if w})
    return Randomizer(dict(enumerate(rows)))
