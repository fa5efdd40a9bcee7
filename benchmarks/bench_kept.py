"""What every answer passes through. Run: python -m pytest benchmarks/bench_kept.py --benchmark-only -n 0"""

from itertools import count

from exactdp.caching import bounded_cache
from exactdp.numbers.real import Real

ENTRIES = 1024


@bounded_cache(size=lambda answer: 1, entries=ENTRIES, limit=10**9)
def same(number):
    return number


def test_a_hit_of_a_full_cache(benchmark):
    """Target: 2 us."""
    for number in range(ENTRIES):
        same(number)
    assert benchmark(same, ENTRIES - 1) == ENTRIES - 1


def test_another_answer_in_a_full_cache(benchmark):
    """As little as a hit, up to what is forgotten for it."""
    numbers = count()
    for _ in range(ENTRIES):
        same(next(numbers))
    benchmark(lambda: same(next(numbers)))


def test_a_product_of_two_reals(benchmark):
    """Target: 4 us."""
    first, second = Real.exp("1/3"), Real.exp("-2/7")
    assert benchmark(lambda: first * second) == Real.exp("1/21")
