"""The lower hull of points that come one by one, against the definition; products that differ in their last bits."""

import random
from fractions import Fraction

from exactdp.privacy.tradeoff import LowerHull, _exceeds
from tests.together import together

RANDOM = random.Random(5)


def number(bits):
    return RANDOM.getrandbits(bits) | 1 << (bits - 1)


@together(
    "sizes",
    [
        (3, 4, 5, 2),
        (129, 200, 150, 180),
        (300, 300, 140, 461),
        (1000, 130, 565, 566),
        (300, 20, 160, 160),
        (9, 400, 399, 10),
    ],
)
@together("seed", range(40))
def test_products_are_compared_to_the_last_bit(sizes, seed):
    """d is the quotient of the other three, and its neighbours: a b and c d are as near as they can be."""
    a, b, c = (number(size) for size in sizes[:3])
    for d in (a * b // c, a * b // c + 1, number(sizes[3]), 2 * a * b // c, a * b // (2 * c), 0, -number(sizes[3])):
        for left in (b, 0, -b):
            assert _exceeds(a, left, c, d) == (a * left > c * d)
    near = a * b // c
    for d in (
        near + near // 2**62,
        near - near // 2**62,
        near + near // 2**65,
        near - near // 2**65,
        near + near // 2**30,
    ):
        assert _exceeds(a, b, c, d) == (a * b > c * d)
        assert _exceeds(c, d, a, b) == (c * d > a * b)
    assert not _exceeds(a, b, a, b)


def by_definition(points, x):
    """The least value at x of all segments between two points."""
    values = [Fraction(y) for u, y in points if u == x]
    for x0, y0 in points:
        values += [y0 + Fraction(y1 - y0) * (x - x0) / (x1 - x0) for x1, y1 in points if x0 < x < x1]
    return min(values)


@together("scale", [12, 10**60])
@together("seed", range(25))
def test_the_hull_is_the_least_mixture_of_points(scale, seed):
    rng = random.Random(seed)
    points = [(0, scale), (scale, 0)]
    hull = LowerHull(*points)
    for _ in range(14):
        point = rng.randrange(scale + 1) // (scale // 12) * (scale // 12), rng.randrange(scale + 1)
        before = by_definition([*points], point[0]) if any(x <= point[0] for x, _ in points) else None
        taken = hull.add(point)
        points.append(point)
        assert taken == (before is None or point[1] < before)
    assert hull.points == sorted(set(hull.points))
    assert set(hull.points) <= set(points)
    for x in range(0, scale + 1, scale // 12):
        assert by_definition(hull.points, x) == by_definition(points, x)
    for i in range(1, len(hull.points) - 1):  # no point is on the segment of its neighbours
        others = hull.points[:i] + hull.points[i + 1 :]
        assert by_definition(others, hull.points[i][0]) > hull.points[i][1]


def test_signs_decide_before_sizes():
    large = 2**500
    assert not _exceeds(large, 0, 1, 1)
    assert not _exceeds(large, -1, 1, 1)
    assert _exceeds(1, 1, large, 0)
    assert _exceeds(1, 1, large, -1)
    assert not _exceeds(1, 0, large, 0)
    assert _exceeds(1, -1, large, -1)
    assert not _exceeds(large, -1, 1, -1)
