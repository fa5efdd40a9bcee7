"""One seed, one sample, whatever the blocks, the workers and their order; and memory that does not grow."""

import tracemalloc
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction
from itertools import pairwise
from multiprocessing import get_context

import numpy as np
import pytest

import exactdp as xdp
from exactdp import AdditiveProtocol, Randomizer, ShuffleProtocol, protocols
from exactdp.protocols.sampling.blocks import _STRIP, MAX_COUNTS
from exactdp.sampling import sample, sample_blocks

ZSUM = (protocols.zsum(10**9, gamma="1/8"), {0: 10**9})
RESPONSE = (ShuffleProtocol(xdp.randomized_response(4, gamma="1/2"), 10**6), {0: 10**6})
WIDE = (protocols.histogram(10, 70_000, gamma="1/2"), {0: 10})
CASES = {"zsum": (*ZSUM, 150_000), "4-ary": (*RESPONSE, 40_000), "wider than a strip": (*WIDE, 3)}


def rng(seed=1):
    return np.random.default_rng(seed)


def joined(blocks):
    return np.concatenate(list(blocks))


@pytest.mark.parametrize(("protocol", "dataset", "size"), CASES.values(), ids=CASES)
def test_the_same_numbers_for_every_block_size(protocol, dataset, size):
    whole = sample(protocol, dataset, size=size, rng=rng())
    assert whole.shape == (size, whole.shape[1])
    assert whole.dtype == np.int64
    for block in (None, 1000, size // 3 or 1, _STRIP // 4 + 1, size, 2 * size):
        blocks = list(sample_blocks(protocol, dataset, size=size, rng=rng(), block=block))
        assert (np.concatenate(blocks) == whole).all()
        if block is not None:
            assert [len(each) for each in blocks[:-1]] == [block] * (len(blocks) - 1)
            assert 0 < len(blocks[-1]) <= block


@pytest.mark.parametrize(("protocol", "dataset", "size"), CASES.values(), ids=CASES)
def test_the_same_numbers_with_threads(protocol, dataset, size):
    whole = sample(protocol, dataset, size=size, rng=rng())
    with ThreadPoolExecutor(3) as executor:
        assert (sample(protocol, dataset, size=size, rng=rng(), executor=executor) == whole).all()
        assert (
            joined(sample_blocks(protocol, dataset, size=size, rng=rng(), executor=executor, block=77_777)) == whole
        ).all()


@pytest.mark.slow
def test_the_same_numbers_with_processes():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        for protocol, dataset, size in CASES.values():
            whole = sample(protocol, dataset, size=size, rng=rng())
            assert (sample(protocol, dataset, size=size, rng=rng(), executor=executor) == whole).all()


class Backwards(Executor):
    """Runs nothing until it is waited for, and then the last first; counts what it was given ahead."""

    def __init__(self):
        self.given, self.most, self.cancelled = [], 0, 0

    def submit(self, function, /, *given, **named):
        executor = self

        class Waiting(Future):
            def result(self, timeout=None):
                if not self.done():
                    for future, run in reversed(executor.given):
                        future.set_result(run())
                    executor.given.clear()
                return super().result(timeout)

            def cancel(self):
                executor.cancelled += not self.done()
                return super().cancel()

        future = Waiting()
        self.given.append((future, lambda: function(*given, **named)))
        self.most = max(self.most, len(self.given))
        return future


def test_the_same_numbers_whichever_worker_is_first():
    executor, (protocol, dataset) = Backwards(), ZSUM
    whole = sample(protocol, dataset, size=10**6, rng=rng())
    assert (sample(protocol, dataset, size=10**6, rng=rng(), executor=executor) == whole).all()
    assert 1 < executor.most <= 8  # several at once, and a bounded number


def test_a_reader_who_stops_leaves_no_work():
    executor, (protocol, dataset) = Backwards(), ZSUM
    blocks = sample_blocks(protocol, dataset, size=10**7, rng=rng(), executor=executor)
    next(blocks)
    next(blocks)
    blocks.close()
    assert executor.cancelled >= 1


@pytest.mark.parametrize(("protocol", "dataset", "size"), CASES.values(), ids=CASES)
def test_no_two_strips_share_a_bit_stream(protocol, dataset, size):
    strips = list(sample_blocks(protocol, dataset, size=size, rng=rng()))
    rows = min(len(strip) for strip in strips)
    assert len(strips) >= 3
    assert all((one[:rows] != other[:rows]).mean() > 0.2 for one, other in pairwise(strips))


def test_a_shorter_sample_begins_like_a_longer_one():
    protocol, dataset = RESPONSE
    longer = sample(protocol, dataset, size=2 * _STRIP, rng=rng())
    assert (sample(protocol, dataset, size=_STRIP, rng=rng()) == longer[:_STRIP]).all()


def test_another_call_with_one_generator_is_another_sample():
    protocol, dataset = ZSUM
    one = rng()
    first, second = (sample(protocol, dataset, size=1000, rng=one) for _ in range(2))
    assert (first != second).mean() > 0.9
    assert (sample(protocol, dataset, size=1000, rng=rng()) == first).all()
    assert (sample(protocol, dataset, size=1000, rng=rng(2)) != first).mean() > 0.9


def test_two_samples_read_in_turns_are_the_same_as_one_after_the_other():
    """Which bit streams a sample gets is settled when it is asked for, not when it is read."""
    protocol, dataset = ZSUM
    one, other = rng(), rng()
    together = zip(
        sample_blocks(protocol, dataset, size=150_000, rng=one, block=10_000),
        sample_blocks(protocol, dataset, size=150_000, rng=one, block=10_000),
        strict=True,
    )
    first, second = map(np.concatenate, zip(*together, strict=True))
    assert (first == sample(protocol, dataset, size=150_000, rng=other)).all()
    assert (second == sample(protocol, dataset, size=150_000, rng=other)).all()


def test_the_data_set_is_read_when_the_sample_is_asked_for():
    counts = np.array([5, 5])
    blocks = sample_blocks(AdditiveProtocol(xdp.Binomial(4, 1), bins=2, n=10), counts, size=3, rng=rng())
    counts[:] = 0
    assert joined(blocks).tolist() == [[9, 9]] * 3


@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.Philox, np.random.SFC64, np.random.MT19937])
def test_every_bit_generator_is_spawned_as_itself(kind):
    protocol, dataset = ZSUM
    first, second = (sample(protocol, dataset, size=100, rng=np.random.Generator(kind(7))) for _ in range(2))
    assert (first == second).all()
    assert (first != sample(protocol, dataset, size=100, rng=rng(7))).any() or kind is np.random.PCG64


@pytest.mark.parametrize(
    ("protocol", "dataset", "size"), [(*ZSUM, 5 * 10**6), (*RESPONSE, 10**6)], ids=["zsum", "4-ary"]
)
@pytest.mark.parametrize("workers", [2, pytest.param(0, marks=pytest.mark.slow)])
def test_memory_does_not_grow_with_the_size(protocol, dataset, size, workers):
    """At most 16 MB for 32 MB and more of draws: two blocks and ten strips of half a megabyte, and what draws them."""
    executor = ThreadPoolExecutor(workers) if workers else None
    tracemalloc.start()
    try:
        rows = sum(map(len, sample_blocks(protocol, dataset, size=size, rng=rng(), block=10_000, executor=executor)))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        if executor:
            executor.shutdown()
    assert rows == size
    assert peak < 16 * 2**20 < 8 * size * len(next(sample_blocks(protocol, dataset, size=1, rng=rng()))[0])


def test_sizes_at_the_edges():
    protocol, dataset = ZSUM
    assert sample(protocol, dataset, size=0, rng=rng()).shape == (0, 1)
    assert list(sample_blocks(protocol, dataset, size=0, rng=rng())) == []
    assert list(sample_blocks(protocol, dataset, size=0, rng=rng(), block=5)) == []
    with pytest.raises(xdp.errors.TooLargeError):
        sample(protocol, dataset, size=MAX_COUNTS + 1, rng=rng())
    assert len(next(sample_blocks(protocol, dataset, size=10**15, rng=rng()))) == _STRIP


def test_an_alphabet_without_messages():
    silent = ShuffleProtocol(Randomizer({0: {(): 1}}), 3)
    assert sample(silent, [0] * 3, size=4, rng=rng()).shape == (4, 0)
    assert [each.shape for each in sample_blocks(silent, [0] * 3, size=4, rng=rng(), block=3)] == [(3, 0), (1, 0)]


def test_as_many_users_as_a_float_counts():
    n = 2**53
    flip = ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), n)
    drawn = sample(flip, {0: n}, size=1000, rng=rng())
    assert (drawn.sum(axis=1) == n).all()
    assert abs(drawn[:, 0].mean() - 3 * n / 4) < 10 * (n * 3 / 16 / 1000) ** 0.5
    assert sample(flip, np.array([n, 0]), size=1, rng=rng()).sum() == n


def test_a_third_is_drawn_as_the_nearest_float():
    """Rows with probabilities that no float holds are drawn, and all users are there."""
    tenth = Randomizer({0: {(i,): Fraction(1, 10) for i in range(10)}})
    assert (sample(ShuffleProtocol(tenth, 10**9), {0: 10**9}, size=50, rng=rng()).sum(axis=1) == 10**9).all()
