"""Multisets that add up to 0, and how an integer is written by them."""

from hypothesis import given
from hypothesis import strategies as st

from exactdp.protocols.almost_central.zero_sum_views import coefficients, moved, spread, zero_sum_multiset
from tests.expensive import one_in

numbers = st.integers(0, 200)


@given(st.integers(-3000, 3000).filter(lambda i: i not in (0, -1)))
def test_a_multiset_adds_up_to_0_and_its_others_are_smaller(i: int) -> None:
    multiset = zero_sum_multiset(i)
    assert sum(message * times for message, times in multiset.items()) == 0
    assert sum(multiset.values()) == (2 if i == 1 else 3)
    assert all(abs(message) < abs(i) or message == i or i == 1 for message in multiset)


@given(numbers)
def test_coefficients_write_the_number_and_have_its_sign(x: int) -> None:
    total: dict[int, int] = {}
    for i, times in coefficients(x).items():
        for message, often in (zero_sum_multiset(i) if abs(i) > 1 else {i: 1}).items():
            total[message] = total.get(message, 0) + times * often
        assert times * i > 0
    assert {message: times for message, times in total.items() if times} == ({x: 1} if x else {})


@one_in(2)
@given(numbers, numbers)
def test_a_move_is_a_difference_and_moves_the_sum_by_its_own(x: int, y: int) -> None:
    change, back = moved(x, y), moved(y, x)
    assert change.get(1, 0) - change.get(-1, 0) == y - x
    assert back == {i: -times for i, times in change.items()}
    assert all(abs(i * change[i]) <= spread(max(x, y)) for i in change if abs(i) > 1)


def test_the_printed_width_is_enough_up_to_16() -> None:
    assert [spread(bound) for bound in (1, 2, 4, 16, 17)] == [0, 2, 8, 64, 70]
