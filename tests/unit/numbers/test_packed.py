"""Packed laws against dictionaries of integers."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.numbers.packed import Packing
from tests.expensive import one_in
from tests.together import together


@st.composite
def user_laws(draw, denominator, slots=4):
    cuts = sorted(draw(st.lists(st.integers(0, denominator), min_size=slots - 1, max_size=slots - 1)))
    weights = [high - low for low, high in zip([0, *cuts], [*cuts, denominator], strict=True)]
    return tuple((slot, weight) for slot, weight in enumerate(weights) if weight)


def plain_product(laws):
    result = {0: 1}
    for law in laws:
        following = {}
        for slot, weight in result.items():
            for step, factor in law:
                following[slot + step] = following.get(slot + step, 0) + weight * factor
        result = following
    return result


@given(st.data(), st.sampled_from([1, 7, 2**40, 2**70 + 1, 3**200]), st.integers(0, 6))
@one_in(2)
def test_exact_products(data, denominator, users):
    laws = data.draw(st.lists(user_laws(denominator), min_size=users, max_size=users))
    packing = Packing(slots=3 * 6 + 1, denominator=denominator, users=6, multiplier_bits=0)
    product = packing.point()
    for law in laws:
        product = product.times(packing.law(law))
    assert dict(product.weights()) == plain_product(laws)
    assert product.missing == 0
    assert product.total() == denominator**users


@one_in(2)
@given(st.data(), st.integers(1, 9))
def test_powers(data, exponent):
    law = data.draw(user_laws(11))
    packing = Packing(slots=3 * 9 + 1, denominator=11, users=9, multiplier_bits=0)
    assert dict(packing.law(law).power(exponent).weights()) == plain_product([law] * exponent)


@one_in(2)
@given(st.data(), st.sampled_from([3, 7, 2**40, 2**70 + 1, 3**130]), st.sampled_from([1, 2, 8, 33, 64, 100, 128, 400]))
def test_rounded_products_are_lower_bounds_and_miss_what_they_say(data, denominator, precision):
    users = 5
    laws = data.draw(st.lists(user_laws(denominator), min_size=users, max_size=users))
    packing = Packing(
        slots=3 * users + 1, denominator=denominator, users=users, multiplier_bits=33, precision=precision
    )
    product = packing.point()
    for i, law in enumerate(laws):
        product = product.times(packing.law(law), rounded=i < users - 1)
    exact, found = plain_product(laws), dict(product.weights())
    assert set(found) <= set(exact)
    for slot, weight in exact.items():
        assert found.get(slot, 0) << product.dropped <= weight
    assert product.missing == denominator**users - sum(weight << product.dropped for weight in found.values())


@given(st.data(), st.sampled_from([5, 2**63, 3**100]), st.fractions(1, 9, max_denominator=50))
@one_in(2)
def test_event_masses(data, denominator, ratio):
    packing = Packing(
        slots=4,
        denominator=denominator,
        users=1,
        multiplier_bits=max(ratio.numerator, ratio.denominator).bit_length(),
    )
    first, second = data.draw(user_laws(denominator)), data.draw(user_laws(denominator))
    p, q = dict(first), dict(second)
    event = [slot for slot in p if p[slot] > ratio * q.get(slot, 0)]
    masses = packing.law(first).event_masses(packing.law(second), (ratio.numerator, ratio.denominator))
    assert masses == (sum(p[s] for s in event), sum(q.get(s, 0) for s in event))
    never = [slot for slot in p if slot not in q]
    assert packing.law(first).event_masses(packing.law(second), None) == (sum(p[s] for s in never), 0)


@pytest.mark.parametrize("bits", [1, 63, 64, 65, 200])
def test_a_slot_never_overflows(bits):
    """All weight in one slot, at every length of the denominator."""
    packing = Packing(slots=2, denominator=2**bits - 1, users=4, multiplier_bits=40)
    product = packing.law(((0, 2**bits - 1),)).power(4)
    assert dict(product.weights()) == {0: (2**bits - 1) ** 4}
    assert product.event_masses(product, (2**40 - 1, 1)) == (0, 0)
    assert product.event_masses(product, (1, 2)) == ((2**bits - 1) ** 4,) * 2
    assert Fraction(product.total(), product.scale) == 1


@together("denominator", [2, 3, 243, 2**70 + 1])
@together("users", [1, 1000, 10**7, 10**12])
def test_the_bits_of_a_total_weight_are_bounded_closely(denominator, users):
    """Where it is not built: at least those of d^n, and at most a 64th of a bit for each user more."""
    bits = Packing(slots=2, denominator=denominator, users=users, multiplier_bits=0).exact_bits
    if users * denominator.bit_length() <= 2**20:
        assert bits == (denominator**users).bit_length()
    power = (denominator**256).bit_length()  # of d^n there are more than (power - 1) n / 256
    assert (power - 1) * users < 256 * bits <= power * users + 4 * users + 256
