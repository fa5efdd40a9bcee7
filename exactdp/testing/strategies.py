"""The strategies of :mod:`exactdp.testing`.

Probabilities are ratios of small integers, and a law is a list of small weights over their sum: shrinking leads to
numbers that a person can check by hand.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import TypeAlias, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from exactdp.laws.finite import Law
from exactdp.mechanisms.dataset import Neighbors
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.protocols.protocol import ShuffleProtocol

Outcome = TypeVar("Outcome", bound=Hashable)
_Sent: TypeAlias = tuple[int, ...]
_RowLaw: TypeAlias = dict[_Sent, Fraction]


@st.composite
def probabilities(draw: DrawFn, *, max_denominator: int = 12) -> Fraction:
    """Exact probabilities, 0 and 1 among them.

    Args:
        max_denominator: largest denominator, at least 1.

    >>> from hypothesis import given
    >>> @given(probabilities(max_denominator=5))
    ... def test(p):
    ...     assert 0 <= p <= 1 and p.denominator <= 5
    >>> test()
    """
    denominator = draw(st.integers(1, max_denominator))
    return Fraction(draw(st.integers(0, denominator)), denominator)


@st.composite
def exp_epsilons(draw: DrawFn, *, max_value: int = 6, max_denominator: int = 12) -> Fraction:
    """Exact values of e^eps: rational numbers from 1 to ``max_value``.

    >>> from hypothesis import given
    >>> @given(exp_epsilons(max_value=3))
    ... def test(exp_eps):
    ...     assert 1 <= exp_eps <= 3
    >>> test()
    """
    denominator = draw(st.integers(1, max_denominator))
    return Fraction(draw(st.integers(denominator, max_value * denominator)), denominator)


@st.composite
def exact_laws(
    draw: DrawFn,
    outcomes: SearchStrategy[Outcome] | None = None,
    *,
    max_outcomes: int = 5,
    max_weight: int = 8,
) -> Law:
    """Exact laws on at most ``max_outcomes`` outcomes.

    Args:
        outcomes: strategy for the outcomes, any hashable values; integers from -3 to 8 by default.
        max_outcomes: largest size of the support, at least 1.
        max_weight: probabilities are weights of at most this, over their sum; at least 1.

    >>> from hypothesis import given
    >>> @given(exact_laws(max_outcomes=3))
    ... def test(law):
    ...     assert sum(p for _, p in law.items()) == 1 and len(law) <= 3
    >>> test()
    """
    values = st.integers(-3, 8) if outcomes is None else outcomes
    support = draw(st.lists(values, min_size=1, max_size=max_outcomes, unique=True))
    weights = _weights(draw, len(support), max_weight)
    total = sum(weights)
    return Law({outcome: Fraction(weight, total) for outcome, weight in zip(support, weights, strict=True)})


@st.composite
def randomizers(
    draw: DrawFn,
    *,
    min_inputs: int = 1,
    max_inputs: int = 3,
    max_messages: int = 3,
    min_sends: int = 0,
    max_sends: int = 2,
    max_outcomes: int = 4,
    max_weight: int = 6,
    full_support: bool = False,
) -> Randomizer:
    """Finite randomizers: inputs 0, 1, ... and messages 0, 1, ..., any number of messages per user.

    Equal rows, rows that are mixtures of others, rows that are others plus a fixed message, and outcomes of probability
    0 are drawn on purpose.

    Args:
        min_inputs, max_inputs: range of the number of inputs, at least 1.
        max_messages: largest size of the alphabet, at least 1; fewer messages may really be sent.
        min_sends, max_sends: range of the number of messages that one user sends; both 1 for one message each.
        max_outcomes: largest number of different message tuples, over all inputs.
        max_weight: probabilities are weights of at most this, over their sum.
        full_support: whether every input sends every message tuple of the table with positive probability.

    >>> from hypothesis import given
    >>> @given(randomizers(max_inputs=2, min_sends=1, max_sends=1))
    ... def test(randomizer):
    ...     assert len(randomizer.inputs) <= 2
    ...     assert all(len(send) == 1 for row in randomizer.table().values() for send in row)
    >>> test()
    """
    message = st.integers(0, max_messages - 1)
    sent = st.lists(message, min_size=min_sends, max_size=max_sends).map(tuple)
    support: list[_Sent] = draw(st.lists(sent, min_size=1, max_size=max_outcomes, unique=True))
    rows: list[_RowLaw] = []
    for _ in range(draw(st.integers(min_inputs, max_inputs))):
        rows.append(_row(draw, rows, support, max_weight, max_sends, full_support))
    return Randomizer(dict(enumerate(rows)))


def _row(
    draw: DrawFn,
    rows: Sequence[_RowLaw],
    support: Sequence[_Sent],
    max_weight: int,
    max_sends: int,
    full_support: bool,
) -> _RowLaw:
    kinds = ["own"] * 4 + (["equal", "mixture", "longer"] if rows else [])
    kind = draw(st.sampled_from(kinds))
    if kind == "equal":
        return dict(draw(st.sampled_from(rows)))
    if kind == "mixture":
        weights = _weights(draw, len(rows), 3)
        mixed: _RowLaw = {}
        for weight, row in zip(weights, rows, strict=True):
            for send, p in row.items():
                mixed[send] = mixed.get(send, Fraction(0)) + p * Fraction(weight, sum(weights))
        return mixed
    if kind == "longer" and not full_support:
        row = draw(st.sampled_from(rows))
        if all(len(send) < max_sends for send in row):
            extra = draw(st.sampled_from(sorted({m for send in support for m in send} or {0})))
            return {(*send, extra): p for send, p in row.items()}
    weights = _weights(draw, len(support), max_weight, least=1 if full_support else 0)
    return {send: Fraction(weight, sum(weights)) for send, weight in zip(support, weights, strict=True)}


def _weights(draw: DrawFn, size: int, max_weight: int, *, least: int = 0) -> list[int]:
    """Return ``size`` integers from ``least`` to ``max_weight``, not all 0."""
    weights = draw(st.lists(st.integers(least, max_weight), min_size=size, max_size=size))
    if not any(weights):
        weights[draw(st.integers(0, size - 1))] = 1
    return weights


@st.composite
def shuffle_protocols(
    draw: DrawFn,
    randomizer: SearchStrategy[Randomizer] | None = None,
    *,
    min_users: int = 1,
    max_users: int = 4,
) -> ShuffleProtocol:
    """Shuffle protocols of ``min_users`` to ``max_users`` users; ``exactdp.testing.protocols`` is this strategy.

    Args:
        randomizer: strategy for what each user runs; ``randomizers()`` by default.
        min_users, max_users: range of the number of users, at least 1.

    >>> from hypothesis import given
    >>> from exactdp.testing import protocols
    >>> @given(protocols(max_users=2))
    ... def test(protocol):
    ...     assert 1 <= protocol.n <= 2
    >>> test()
    """
    drawn = draw(randomizers() if randomizer is None else randomizer)
    return ShuffleProtocol(drawn, draw(st.integers(min_users, max_users)))


@st.composite
def neighboring_pairs(
    draw: DrawFn, protocol: ShuffleProtocol, neighbors: Neighbors = Neighbors.REPLACE_ONE
) -> tuple[tuple[object, ...], tuple[object, ...]]:
    """Two neighbouring data sets of ``protocol``, as tuples of inputs, one for each user.

    With REPLACE_ONE the last user's input differs, or is the same where there is only one input. With ADD_OR_REMOVE_ONE
    one data set lacks the last user; either of the two may be the smaller one.

    >>> from hypothesis import given
    >>> from hypothesis import strategies as st
    >>> from exactdp import ShuffleProtocol, hockey_stick_divergence, randomized_response
    >>> protocol = ShuffleProtocol(randomized_response(2, gamma="1/2"), 3)
    >>> delta = protocol.privacy_profile().delta(exp_eps=2)
    >>> @given(neighboring_pairs(protocol))
    ... def test(pair):
    ...     first, second = map(protocol.law, pair)
    ...     assert hockey_stick_divergence(first, second, exp_eps=2) <= delta
    >>> test()
    """
    inputs = protocol.randomizer.inputs
    value = st.sampled_from(inputs)
    common = tuple(draw(st.lists(value, min_size=protocol.n - 1, max_size=protocol.n - 1)))
    own = draw(value)
    if neighbors is Neighbors.REPLACE_ONE:
        others = [other for other in inputs if other != own] or [own]
        return (*common, own), (*common, draw(st.sampled_from(others)))
    pair = ((*common, own), common)
    return pair if draw(st.booleans()) else (pair[1], pair[0])
