"""The engine for two messages, on random rows, against sums over outcomes; divided into parts even at few users."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import Real
from exactdp.privacy.two_messages import worst_half_lines as tilted
from exactdp.privacy.two_messages.two_messages import TwoMessageScan
from exactdp.testing import exp_epsilons, probabilities
from tests.expensive import one_in


def integer_laws(users, low, high, scale):
    """The weights over scale^users of the number of ones, for each number of users at the higher rate."""
    laws = []
    for count in range(users + 1):
        law = [1]
        for p in [high] * count + [low] * (users - count):
            law = [x * (scale - p) + y * p for x, y in zip([*law, 0], [0, *law], strict=True)]
        laws.append(law)
    return laws


@one_in(3)
@given(
    st.integers(1, 60),
    probabilities(max_denominator=12),
    probabilities(max_denominator=12),
    exp_epsilons(max_value=3),
    st.booleans(),
    st.sampled_from([1, 4, 16]),
    st.sampled_from([1, 8]),
)
def test_every_data_set_order_and_event(users, p, q, exp_eps, equal_flips, few, uneven):
    low, high = min(p, q), max(p, q)
    if equal_flips and low != Fraction(1, 2):
        low, high = min(low, 1 - low), max(low, 1 - low)
    if low == high:
        return
    scale = low.denominator * high.denominator
    laws = integer_laws(users, int(low * scale), int(high * scale), scale)
    over, under = exp_eps.numerator, exp_eps.denominator
    deltas = {
        (i, j): sum(max(0, under * x - over * y) for x, y in zip(laws[i], laws[j], strict=True))
        for k in range(users)
        for i, j in ((k, k + 1), (k + 1, k))
    }
    delta = Fraction(max(deltas.values()), under * scale**users)
    engine = TwoMessageScan(users, low, high)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tilted, "_ROWS_FROM", 1)
        patch.setattr(tilted, "_FEW", few)
        patch.setattr(tilted, "_UNEVEN", uneven)
        events = engine.attaining(exp_eps)
        enclosed = engine.enclosed(Real(exp_eps), 53)
    assert all(event.delta(exp_eps) == delta for event in events)
    pairs = {pair for pair, value in deltas.items() if delta and value == max(deltas.values())}
    assert len(events) == len(pairs)
    assert {(event.first[1], event.second[1]) for event in events} == pairs
    assert delta in enclosed.delta
    if delta:
        assert enclosed.delta.hi - enclosed.delta.lo <= delta / 2**53
        assert (enclosed.pair[0][1], enclosed.pair[1][1]) in deltas
