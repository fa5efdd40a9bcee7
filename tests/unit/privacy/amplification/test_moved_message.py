"""One message among slots of noise: against all outcomes in fractions, and against the contour of copies."""

from fractions import Fraction
from math import comb

import pytest

from exactdp import Real
from exactdp.errors import TooLargeError
from exactdp.privacy.amplification.moved_message import MovedMessage
from exactdp.privacy.amplification.positive_part import Mixture
from exactdp.privacy.amplification.tilted import Atom
from tests.together import together

F = Fraction


def by_outcomes(first, second, slots, level):
    """The sum of max(0, P - E Q) over how many messages are in the two bins, counts with the one that moves."""
    total = F(0)
    for i in range(slots + 2):
        for j in range(slots + 2 - i):
            rest = slots + 1 - i - j
            chances = []
            for a, b in ((i - 1, j), (i, j - 1)):
                possible = min(a, b) >= 0
                orders = comb(slots, a) * comb(slots - a, b) if possible else 0
                chances.append(orders * first**a * second**b * (1 - first - second) ** rest if possible else F(0))
            total += max(F(0), chances[0] - level * chances[1])
    return total


@together("chances", [(F(1, 3), F(1, 3)), (F(1, 10), F(2, 5)), (F(3, 4), F(1, 4)), (F(1, 100), F(1, 50))])
@together("slots", [1, 2, 7, 30])
def test_few_slots(chances, slots):
    for level in (F(1), F(9, 8), F(2), F(50)):
        exact = by_outcomes(*chances, slots, level)
        enclosed = MovedMessage(*chances).divergence(slots, Real(level), relative_bits=70)
        assert exact in enclosed
        assert (enclosed.hi - enclosed.lo) * 2**69 <= enclosed.lo


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "other", "slots"), [(1000, 1000, 10**6), (10, 5, 10**4), (2, 2, 10**6), (10**6, 10**6, 10**7)]
)
def test_many_slots_are_as_copies_on_a_lattice(one, other, slots):
    mixture = Mixture((), (Atom(F(1, one), F(1), F(0)), Atom(F(1, other), F(0), F(1))))
    moved = MovedMessage.of(mixture)
    for level in (F(1), F(1001, 1000), F(101, 100)):
        delta = moved.divergence(slots, Real(level), relative_bits=60)
        copies = mixture.divergence(slots + 1, Real(level), relative_bits=60)
        assert delta.lo <= copies.hi
        assert copies.lo <= delta.hi
        off = mixture.divergence(slots, Real(level), relative_bits=60)
        assert delta.hi < off.lo or one == other == 2  # of two bins, one message more may tell nothing


def test_irrational_levels_nest():
    moved = MovedMessage(F(1, 1000), F(1, 1000))
    level = Real.exp(F(1, 7))
    wide, narrow = (moved.divergence(10**6, level, relative_bits=bits) for bits in (20, 300))
    assert wide.lo <= narrow.lo < narrow.hi <= wide.hi
    assert (narrow.hi - narrow.lo) * 2**299 <= narrow.lo


def test_what_is_refused():
    assert MovedMessage.of(Mixture(((F(1), F(0)),), ())) is None
    assert MovedMessage.of(Mixture((), (Atom(F(1, 2), F(1), F(1, 2)), Atom(F(1, 2), F(0), F(1, 2))))) is None
    with pytest.raises(TooLargeError, match="numbers of messages matter, more than the limit of 131072"):
        MovedMessage(F(1, 4), F(1, 4)).divergence(10**12, Real(1), relative_bits=20)
