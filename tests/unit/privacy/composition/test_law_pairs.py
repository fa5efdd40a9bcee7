"""Pairs of laws that dominate all of a list, against comparing each with each."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from exactdp.privacy.composition.law_pairs import FinitePair, undominated

weights = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=4)


def pair_of(listed: list[tuple[int, int]]) -> FinitePair:
    """Return the pair with these weights, each law filled up to 17 by an outcome that both have."""
    first, second = (sum(one) for one in zip(*listed, strict=True))
    return FinitePair.of_weights(dict(enumerate([*listed, (17 - first, 17 - second)])), 17)


def divergence(pair: FinitePair, exp_eps: Fraction) -> Fraction:
    """Return H_E by its definition."""
    return (pair.infinite + sum(max(Fraction(0), p - exp_eps * q) for p, q in pair.classes)) / Fraction(pair.total)


@given(st.lists(weights.map(pair_of), min_size=1, max_size=12), st.integers(1, 4))
def test_what_is_kept_dominates_all_and_nothing_else_that_is_kept(pairs: list[FinitePair], most: int) -> None:
    """At every ratio of either; and where they are more than is asked for, so are those that come back."""
    levels = {Fraction(p, q) for pair in pairs for p, q in pair.classes}

    def dominates(one: FinitePair, other: FinitePair) -> bool:
        return all(divergence(one, level) >= divergence(other, level) for level in levels) and (
            Fraction(one.infinite, one.total) >= Fraction(other.infinite, other.total)
        )

    kept = undominated(pairs)
    assert all(any(dominates(one, pair) for one in kept) for pair in pairs)
    assert not any(dominates(one, other) for one in kept for other in kept if one is not other)
    some = undominated(pairs, most)
    assert some == kept if len(kept) <= most else len(some) > most
