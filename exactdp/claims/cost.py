"""How much work a claim is for the checker, in its own units, before it is asked.

Of a shuffled view the checker assumes nothing: it adds the n - 1 bystanders one at a time, for every multiset of their
rows, and compares every two views at the end. The bound counts the same products, with as many outcomes as the views
can have.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb, lcm, prod
from typing import Final

from exactdp.checker.limits import MAX_LAW_BITS, MAX_STEPS, MAX_SUMS, MAX_TOTAL_BITS, MAX_USERS, MAX_WORK
from exactdp.errors import TooLargeError
from exactdp.laws.lattice import LatticeLaw
from exactdp.mechanisms.dataset import Neighbors
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.privacy.shuffle.structure import at_zero, count_laws

FAST_WORK: Final = 2 * 10**7
"""Units of work for which views are listed, though another check is faster: some two seconds."""
_RATIO_BITS: Final = 4096
"""Allowed for e^eps; a partial sum of its series has fewer."""
_TABLE_BITS: Final = 4096
"""Allowed for the probabilities of a table; its products are few."""
_SERIES_BITS: Final = 256
"""Expected of a partial sum of the series of e^eps, as long as delta is not close to the worst one."""
_MOST_LISTED: Final = 2000
"""Most outcomes of a law that a claim of the command line has listed."""
_CALL: Final = 16
"""Products that the checker adds to the price of each call."""

Vector = tuple[int, ...]


def view_work(randomizer: Randomizer, n: int, neighbors: Neighbors, *, most: int = MAX_WORK) -> int | None:
    """Return a bound of the checker's work on one claim about n users; None where it is above ``most``.

    >>> from exactdp.protocols import gap_randomizer, zsum_randomizer
    >>> view_work(gap_randomizer(), 3, Neighbors.REPLACE_ONE), view_work(gap_randomizer(), 10**6, Neighbors.REPLACE_ONE)
    (1632, None)

    Cost: a few products.
    """
    try:
        laws, denominator = count_laws(randomizer)
    except TooLargeError:  # of so large a table no view is listed
        return None
    rows = [frozenset(law.items()) for law in laws]
    moved = {frozenset(at_zero(law).items()) for law in laws}
    ends = len(set(rows)) + (neighbors is Neighbors.ADD_OR_REMOVE_ONE)
    bits, classes, longest = n * denominator.bit_length(), len(moved), max(map(len, laws))
    if bits > MAX_TOTAL_BITS or n > MAX_USERS:
        return None
    product = _units(bits, max(64, denominator.bit_length()))
    bystanders = [vector for law in moved for vector, _ in law]
    work = len(randomizer.alphabet) * sum(map(len, laws)) * _units(_TABLE_BITS, 64)
    if ends == 1:  # there is nothing to compare
        return work if work <= most else None
    steps = _outcomes(bystanders, n - 1) * longest
    one_more = (steps + _CALL) * product
    work += n * (1 + min(MAX_SUMS, steps))  # the look ahead at what is to come
    work += comb(n - 1 + classes, classes) * (one_more + classes)  # for each multiset of fewer than n users
    views = _outcomes([vector for law in laws for vector in law], n)
    compared = ends * (ends - 1) * (views + _CALL)
    at_the_end = ends * one_more + compared * _units(bits, _RATIO_BITS)
    work += comb(n - 1 + classes - 1, classes - 1) * at_the_end
    work += 2 * n * (views * longest + _CALL) * product  # the pair of a witness
    return None if work > most or _is_too_long(steps, bits) else work


def comparison_work(
    extremes: tuple[Fraction, Fraction], n: int, compared_with: tuple[Fraction | None, Fraction]
) -> int | None:
    """Return a bound of the checker's work on all data sets of n users of two messages; None where it is too large.

    Args:
        extremes: the least and the greatest probability of a message.
        n: number of users.
        compared_with: e^eps, None where it is irrational, and delta.

    >>> comparison_work((Fraction(1, 4), Fraction(3, 4)), 2000, (Fraction(2), Fraction(1, 10**6)))
    129604
    >>> comparison_work((Fraction(1, 4), Fraction(3, 4)), 10**6, (Fraction(2), Fraction(1, 10**6))) is None
    True
    """
    low, high = extremes
    one = lcm(low.denominator, high.denominator).bit_length()
    ratio, delta = (_SERIES_BITS if value is None else _length(value) for value in compared_with)
    bits = n * one
    if bits > MAX_TOTAL_BITS or n > MAX_USERS:
        return None
    read = 8 * _units(_TABLE_BITS, 64)
    if low == high or low == 0 or high == 1:  # there is nothing to compare
        return read
    bits += ratio + delta
    order = 64 * _units(bits, 512) + 2 * _units(bits, ratio + delta)
    order += 4 * n * _units(bits, 4 * (2 * one + ratio + 2 * n.bit_length()))
    work = read + 2 * order
    return None if work > MAX_WORK or 4 * n > MAX_STEPS else work


def _length(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _units(bits: int, factor_bits: int) -> int:
    """Return what the checker pays for one product."""
    return 1 + bits * (512 + factor_bits) // 2**19


def _is_too_long(steps: int, bits: int) -> bool:
    """Whether a single product of laws is beyond the checker's limits."""
    return steps > MAX_STEPS or steps * bits > MAX_LAW_BITS


def _outcomes(vectors: Sequence[Vector], users: int) -> int:
    """Return a bound of the number of sums of so many of these vectors."""
    different = set(vectors)
    spans = sorted(max(column) - min(column) for column in zip(*different, strict=True))
    if len({sum(vector) for vector in different}) == 1:  # the total is known, so one count follows from the others
        spans = spans[:-1]
    box: int = prod(users * span + 1 for span in spans)
    return min(box, comb(users + len(different) - 1, users))


def shift_work(law: LatticeLaw, shift: int) -> int | None:
    """Return a bound of what the checker does for one exact claim; None for laws that it does not list.

    It lists finite laws, a sum of two after multiplying them, and geometric and discrete Laplace laws up to ``shift``,
    beyond which a ratio is constant.
    """
    if not law.is_exact:
        return None
    if law.has_constant_ratios:
        outcomes, last = 2 * shift + 1, shift
    elif law.low is not None and law.high is not None and law.high - law.low < _MOST_LISTED:
        outcomes, last = law.high - law.low + 1, law.high
    else:
        return None
    return (shift * outcomes + law.listing_products // 4) * (1 + law.exact_bits(last) // 512)
