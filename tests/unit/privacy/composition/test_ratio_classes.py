"""Exact products by classes of the likelihood ratio, against all outcomes."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import pytest

from exactdp.privacy.composition import ratio_classes
from exactdp.privacy.composition.ratio_classes import ExactFactor, ExactProduct


@pytest.mark.parametrize(
    ("classes", "line"),
    [
        ([], []),
        ([(3, 5)], [0]),
        ([(1, 4), (5, 1)], [0, 1]),
        ([(1, 1), (2, 1), (8, 1)], [0, 1, 3]),  # 1, 2, 8
        ([(1, 8), (1, 1), (2, 1)], [0, 3, 4]),
        ([(2, 1), (3, 1), (27, 4)], [0, 1, 3]),  # steps 3/2 and (3/2)^2
        ([(1, 1), (2, 1), (6, 1)], None),
        ([(1, 1), (2**65, 1), (2**66, 1)], None),  # an exponent beyond the limit
        ([(1, 1), (2**64, 1), (2**65, 1)], [0, 64, 65]),
    ],
)
def test_ratios_on_a_line(classes, line):
    assert ratio_classes._on_a_line(classes) == line
    if line:
        steps = [Fraction(p * s, q * r) for (r, s), (p, q) in pairwise(classes)]
        assert all(step == min(steps) ** (b - a) for step, (a, b) in zip(steps, pairwise(line), strict=True))


@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize(
    ("classes", "infinite", "total"),
    [
        ([(1, 8), (1, 1), (2, 1)], 0, 10),
        ([(1, 1), (2, 1), (6, 1)], 3, 12),
        ([(2, 5), (7, 4)], 1, 10),
        ([], 4, 4),
    ],
)
def test_events_of_powers_by_all_outcomes(classes, infinite, total, times):
    factor = ExactFactor(classes, infinite, total, times)
    rows = [(Fraction(p, total), Fraction(q, total)) for p, q in [*classes, (infinite, 0)]]
    joint = [(Fraction(1), Fraction(1))]
    for _ in range(times):
        joint = [(p * r, q * s) for (p, q), (r, s) in product(joint, rows)]
    assert len(factor.terms()) <= factor.size
    for exp_eps in (None, Fraction(1), Fraction(3, 2), Fraction(5)):
        inside = [(p, q) for p, q in joint if (not q if exp_eps is None else p > exp_eps * q)]
        expected = sum((p for p, _ in inside), Fraction(0)), sum((q for _, q in inside), Fraction(0))
        assert ExactProduct((factor,)).event(exp_eps) == expected


def test_products_are_small_up_to_their_limits(monkeypatch):
    """Classes of all factors multiplied, and the bits of a total for each of them."""
    coin = ExactFactor([(1, 3), (3, 1)], 0, 4, 5)  # 6 classes, 15 bits
    three = ExactFactor([(1, 1), (2, 1), (6, 1)], 3, 12, 2)  # 6 classes, 8 bits
    both = ExactProduct((coin, three))
    assert (coin.size, three.size) == (6, 6)
    for classes, bits, small in [(36, 36 * 23, True), (35, 10**9, False), (36, 36 * 23 - 1, False)]:
        monkeypatch.setattr(ratio_classes, "MAX_CLASSES", classes)
        monkeypatch.setattr(ratio_classes, "_MAX_BITS", bits)
        assert both.is_small == small
