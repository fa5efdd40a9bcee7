"""Samples of any size, in blocks: the same numbers for the same seed, whatever the blocks and the workers.

The rows of a sample are cut into strips of a fixed number of rows, which depends on the protocol alone. Each call
spawns one seed from the generator, at once, and strip i is drawn with the i-th bit stream spawned from that seed. A
block is any run of rows, so neither its size, nor the order in which workers finish, nor how far another sample has
been read can change a number.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from itertools import islice
from typing import Any, Final

import numpy as np

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.laws.noise import Counts
from exactdp.numbers.exact import as_integer
from exactdp.protocols.interface import Protocol
from exactdp.protocols.sampling.views import DataSet, Plan, plan_of

MAX_COUNTS: Final = 5 * 10**7
"""Most counts, rows times columns, that ``sample`` returns: 400 MB."""

_STRIP: Final = 2**16
"""Counts in a strip, where a row has no more."""

_AHEAD: Final = 8
"""Strips that an executor is given ahead of the one that is waited for."""


def seeded(seed: int) -> np.random.Generator:
    """Return NumPy's default generator with this seed, for callers that do not load NumPy themselves.

    >>> bool(seeded(7).random() == seeded(7).random())
    True
    """
    return np.random.default_rng(seed)


def sample(
    protocol: Protocol,
    dataset: DataSet,
    *,
    size: int,
    rng: np.random.Generator,
    executor: Executor | None = None,
    nearest: bool = False,
) -> Counts:
    """Return ``size`` independent draws of the shuffled view, as message counts.

    Args:
        protocol: any number of users up to 2^53; of split and mix, whose shares are drawn one by one, 5 10^7 shares.
        dataset: the users' inputs one by one, input -> number of users, or an integer array with the number of users
            of each input.
        size: number of draws; times the counts of one draw at most 5 10^7.
        rng: a seeded generator. Its bit streams are spawned, so a second sample with it is another one.
        executor: draws the strips in other processes or threads; the numbers are the same.
        nearest: take the nearest float of a noise parameter that is none; else it is refused.

    Returns:
        An int64 array of shape (size, number of messages in the alphabet); for an additive protocol the columns are the
        bins, for correlated counting the messages +1 and -1, for sample and threshold the released counts, and for
        split and mix, also of noisy sums, the residues; for a family of :mod:`exactdp.randomizers` they are the inputs,
        and count the messages that support each, and for a product those of each question in turn, of a table its
        answers.

    Exactness: none is promised. A user's law is rounded to floats: for each draw and each input, a coupling with the
    exact view fails with probability at most 2^-51 times the users and the tuples that one may send (of a family: the
    inputs).

    Raises:
        TooLargeError: beyond the limit; ``sample_blocks`` has none.
        InvalidValueError: for a parameter of additive noise that no float holds, and a generator without a seed.

    >>> import numpy as np
    >>> from exactdp import protocols
    >>> draws = sample(protocols.zsum(10**9, gamma="1/8"), {0: 10**9, 1: 0}, size=3, rng=np.random.default_rng(1))
    >>> draws.shape, bool((abs(draws - 875 * 10**6) < 10**6).all())
    ((3, 1), True)

    Cost: that of NumPy's binomial draws, one for each input, tuple sent and draw; 0.1 s for 10^6 draws of zsum. One
    draw of a family of 10^6 inputs takes 1 s; of subset selection O(held * inputs * size), 0.8 s for 100 of 1000 held.
    """
    plan, count = plan_of(protocol, dataset, nearest=nearest), as_integer(size, name="size", at_least=0)
    if count * plan.columns > MAX_COUNTS:
        raise TooLargeError(
            f"size={count} draws of {plan.columns} counts are more than the limit of {MAX_COUNTS} counts. "
            "Use sample_blocks, which yields them block by block."
        )
    strips = _strips(plan, count, rng, executor)
    if count <= _rows(plan):
        return next(strips, np.empty((0, plan.columns), np.int64))
    draws = np.empty((count, plan.columns), np.int64)
    row = 0
    for strip in strips:
        draws[row : row + len(strip)] = strip
        row += len(strip)
    return draws


def sample_blocks(
    protocol: Protocol,
    dataset: DataSet,
    *,
    size: int,
    rng: np.random.Generator,
    block: int | None = None,
    executor: Executor | None = None,
    nearest: bool = False,
) -> Iterator[Counts]:
    """Yield the rows of ``sample`` in blocks; any size.

    Args:
        block: rows in each block but the last; by default what is drawn at once, 65536 counts or one row.

    Memory: two blocks and ten strips of 0.5 MB or one row each. The other arguments are those of ``sample``, and the
    rows are the same for every block size.

    >>> import numpy as np
    >>> from exactdp import Binomial, AdditiveProtocol
    >>> blocks = sample_blocks(AdditiveProtocol(Binomial(4, "1/2")), [], size=10, rng=np.random.default_rng(1), block=4)
    >>> [len(block) for block in blocks]
    [4, 4, 2]
    """
    plan, count = plan_of(protocol, dataset, nearest=nearest), as_integer(size, name="size", at_least=0)
    wanted = None if block is None else as_integer(block, name="block", at_least=1)
    strips = _strips(plan, count, rng, executor)
    return strips if wanted is None else _regrouped(strips, wanted)


def _strips(plan: Plan, size: int, rng: np.random.Generator, executor: Executor | None) -> Iterator[Counts]:
    """Yield the strips in order, each from a bit stream of its own; the generator is spawned from now, once."""
    seeds: Any = getattr(getattr(rng, "bit_generator", None), "seed_seq", None)
    if not isinstance(rng, np.random.Generator) or not hasattr(seeds, "spawn"):
        raise InvalidValueError(
            f"rng has the type {type(rng).__name__}, without a seed sequence. Pass numpy.random.default_rng(seed)."
        )
    kind, rows, seed = type(rng.bit_generator), _rows(plan), seeds.spawn(1)[0]
    sizes = (min(rows, size - start) for start in range(0, size, rows))
    tasks = ((plan, kind, seed.spawn(1)[0], count) for count in sizes)
    return map(_strip, tasks) if executor is None else _parallel(executor, tasks)


def _rows(plan: Plan) -> int:
    """Return the number of rows of a strip."""
    return max(1, _STRIP // max(1, plan.columns))


_Task = tuple[Plan, type[np.random.BitGenerator], np.random.SeedSequence, int]


def _strip(task: _Task) -> Counts:
    plan, kind, seed, count = task
    return plan.draw(np.random.Generator(kind(seed)), count)


def _parallel(executor: Executor, tasks: Iterator[_Task]) -> Iterator[Counts]:
    """Yield the strips in order, with a bounded number under way."""
    waiting: deque[Future[Counts]] = deque(executor.submit(_strip, task) for task in islice(tasks, _AHEAD))
    try:
        while waiting:
            yield waiting.popleft().result()
            waiting.extend(executor.submit(_strip, task) for task in islice(tasks, 1))
    finally:  # nobody reads on
        for future in waiting:
            future.cancel()


def _regrouped(strips: Iterator[Counts], block: int) -> Iterator[Counts]:
    """Yield the same rows, ``block`` at a time."""
    parts: list[Counts] = []
    missing = block
    for strip in strips:
        while len(strip) >= missing:
            yield np.concatenate([*parts, strip[:missing]])
            strip, parts, missing = strip[missing:], [], block
        if len(strip):
            parts.append(strip)
            missing -= len(strip)
    if parts:
        yield np.concatenate(parts)
