"""Samples of any size, in blocks: the same numbers for the same seed, whatever the blocks and the workers.

The rows of a sample are cut into strips of a fixed number of rows, which depends on the protocol alone. Each call
spawns one seed from the generator, at once, and strip i is drawn with the i-th bit stream spawned from that seed. A
block is any run of rows, so neither its size, nor the order in which workers finish, nor how far another sample has
been read can change a number.

Estimated numbers of holders in views that are drawn: what each count counts for, in floats
-------------------------------------------------------------------------------------------

A view of a table counts its messages; one of a family the messages that support each input; of a product these stand
beside each other. The estimate is that of :mod:`exactdp.mechanisms.linear_estimate`, rounded to floats.

The reference: every user draws his own messages, and a real shuffle puts all of them in a random order
-------------------------------------------------------------------------------------------------------

Users of a table draw with uniform integers below the denominator of their row, so that nothing is rounded; shares of
noise are drawn in floats, as the noise itself. The cost is that of all messages of all draws: for small n, and to test
the fast path with.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from itertools import islice
from math import lcm
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.laws.noise import Counts, draw_noise
from exactdp.mechanisms.family import FamilyRandomizer, UserRandomizer
from exactdp.mechanisms.lattice_randomizer import LatticeRandomizer
from exactdp.mechanisms.randomizer import Randomizer, Row
from exactdp.numbers.exact import as_integer
from exactdp.protocols.accuracy.frequency_errors import estimates_of
from exactdp.protocols.interface import Protocol
from exactdp.protocols.sampling.views import DataSet, Plan, plan_of, user_counts

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
        bins, for counting with messages +1 and -1 these, for sample and threshold the released counts, and for
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


_DIGITS = 12
"""Of an estimate: more than floats keep of a sum."""
_MOST_ENTRIES = 2 * 10**7
"""Most counts times inputs: 160 MB."""


@dataclass(frozen=True, slots=True, eq=False)
class DrawnEstimates:
    """An affine function of the counts of a view: one number for each input, of each question in turn."""

    weights: NDArray[np.float64]
    offsets: NDArray[np.float64]

    @classmethod
    def of(cls, drawn: UserRandomizer, family: FamilyRandomizer | None, n: int) -> DrawnEstimates:
        """Return the estimates of n users.

        Args:
            drawn: whose views are drawn: a table, or a family.
            family: of which a table is, where that is known: its estimate is then the family's.
            n: number of users.
        """
        own = drawn.family
        if own is not None and own.parts:
            parts = [cls.of(part, None, n) for part in own.parts]
            return cls(_beside(parts), np.concatenate([part.offsets for part in parts]))
        stated = own or family
        columns = len(drawn.inputs) if own is not None else len(drawn.tabulated.alphabet)
        if columns * len(drawn.inputs) > _MOST_ENTRIES:
            raise TooLargeError(
                f"the estimates of {len(drawn.inputs)} inputs from {columns} counts are beyond the limit of "
                f"{_MOST_ENTRIES} weights. Use fewer inputs, or draw the counts alone."
            )
        if stated is None or stated.support_chances is None:
            if own is not None:
                raise InvalidValueError(
                    f"{own!r} has views that are too large for weights. Use fewer inputs, or draw the counts alone."
                )
            found = estimates_of(drawn)
            weights = np.array([[float(weight) for _, weight in one.weights] for one in found]).T
            return cls(weights, np.array([float(n * one.offset) for one in found]))
        (one,) = estimates_of(stated)
        unit = float(one.weights[0][1])
        inputs = range(len(drawn.inputs))
        if own is None:
            supports = [[stated.supports(sent, value) for value in inputs] for sent in drawn.tabulated.alphabet]
            weights = unit * np.array(supports, np.float64)
        else:
            weights = unit * np.eye(columns)
        return cls(weights, np.full(len(drawn.inputs), float(n * one.offset)))

    def rows(self, counts: Counts) -> list[list[str]]:
        """Return the estimates of each view, as decimals."""
        found = counts @ self.weights + self.offsets
        return [[f"{value:.{_DIGITS}g}" for value in row] for row in found.tolist()]


def _beside(parts: Sequence[DrawnEstimates]) -> NDArray[np.float64]:
    rows, columns = (sum(part.weights.shape[axis] for part in parts) for axis in (0, 1))
    whole, row, column = np.zeros((rows, columns)), 0, 0
    for part in parts:
        height, width = part.weights.shape
        whole[row : row + height, column : column + width] = part.weights
        row, column = row + height, column + width
    return whole


MAX_USERS: Final = 10**8
"""Most users times draws."""

_MAX_DENOMINATOR: Final = 2**63
"""NumPy draws integers below this."""


_AT_ONCE: Final = 2**20
"""Shares that are drawn at once: some megabytes."""


def simulate(
    protocol: Protocol,
    dataset: DataSet,
    *,
    size: int,
    rng: np.random.Generator,
    nearest: bool = False,
) -> Counts:
    """Return ``size`` draws of the message counts, each from the shuffled messages of n users.

    Of sample and threshold the draws are of what is released of them.

    Args:
        protocol: of n users, n times size at most 10^8; with denominators below 2^63, or of lattice noise.
        dataset: as for ``sample``.
        rng: a generator; its stream is used up in order.
        nearest: take the nearest float of a parameter of a user's share that is none; else it is refused.

    >>> import numpy as np
    >>> from exactdp import ShuffleProtocol, randomized_response
    >>> flip = ShuffleProtocol(randomized_response(2, gamma="1/2"), 5)
    >>> simulate(flip, [0, 0, 1, 1, 1], size=2, rng=np.random.default_rng(1)).sum(axis=1).tolist()
    [5, 5]

    Cost: O(users times size); 30 ms for one draw of 10^6 users of binary randomized response.
    """
    count = as_integer(size, name="size", at_least=0)
    randomizer, users = _prepared(protocol, dataset, rng)
    if count * (n := int(users.sum())) > MAX_USERS:
        raise TooLargeError(f"size={count} draws of n={n} users are more than the limit of {MAX_USERS}. Use sample.")
    if isinstance(randomizer, LatticeRandomizer):
        return _shares(randomizer, users, count, rng, nearest)
    rows = [_Row(row) for row in randomizer.rows]
    alphabet = len(randomizer.alphabet)
    counts = np.empty((count, alphabet), np.int64)
    for draw in range(count):
        counts[draw] = np.bincount(_shuffle(rows, users, rng), minlength=alphabet)
    released: Counts = protocol.released(counts)
    return released


def _shares(randomizer: LatticeRandomizer, users: Counts, size: int, rng: np.random.Generator, nearest: bool) -> Counts:
    """Return the counts of each draw: every user draws his shares, and nothing is drawn for two users at once."""
    n = int(users.sum())
    counts = np.tile(users @ np.array(randomizer.sent, np.int64), (size, 1))
    shares = [(draw_noise(share.law, nearest=nearest), np.array(share.messages)) for share in randomizer.shares]
    rows = max(1, _AT_ONCE // n)
    for start in range(0, size, rows):
        strip = counts[start : start + rows]
        for draw, messages in shares:
            drawn = draw(rng, len(strip) * n).reshape(len(strip), n)
            strip += drawn.sum(axis=1)[:, None] * messages
    return counts


def shuffled_messages(protocol: Protocol, dataset: DataSet, *, rng: np.random.Generator) -> list[Any]:
    """Return what the analyzer is shown in one run: all messages of all users, in a uniformly random order.

    >>> import numpy as np
    >>> from exactdp import protocols
    >>> sorted(shuffled_messages(protocols.complement(3), [0, 1, 1], rng=np.random.default_rng(1)))
    [0, 0, 0, 1, 1, 1]
    """
    randomizer, users = _prepared(protocol, dataset, rng)
    if isinstance(randomizer, LatticeRandomizer):
        raise InvalidValueError(
            f"protocol has the type {type(protocol).__name__}. Pass a ShuffleProtocol: its randomizer runs per user."
        )
    messages = _shuffle([_Row(row) for row in randomizer.rows], users, rng)
    return [randomizer.alphabet[message] for message in messages]


class _Row:
    """The law of one input, to be drawn exactly: cumulative integer weights, and the messages of each tuple."""

    def __init__(self, row: Row) -> None:
        self.total = lcm(*(p.denominator for _, p in row))
        if self.total >= _MAX_DENOMINATOR:
            raise TooLargeError(
                f"a row has a denominator of {self.total.bit_length()} bits, more than the limit of 63. Use sample."
            )
        self.ends = np.cumsum([int(p * self.total) for _, p in row], dtype=np.int64)
        self.starts = np.cumsum([0, *(len(send) for send, _ in row)])[:-1]
        self.lengths = np.array([len(send) for send, _ in row])
        self.messages = np.array([message for send, _ in row for message in send], np.int64)

    def draw(self, users: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the messages of so many users, user by user."""
        sent = np.searchsorted(self.ends, rng.integers(self.total, size=users), side="right")
        lengths = self.lengths[sent]
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        messages: NDArray[np.int64] = self.messages[np.repeat(self.starts[sent], lengths) + within]
        return messages


def _prepared(protocol: Protocol, dataset: DataSet, rng: object) -> tuple[Randomizer | LatticeRandomizer, Counts]:
    """Return what each user runs, and how many of them hold each input."""
    if not isinstance(protocol, Protocol):  # what is passed may be anything
        raise InvalidValueError(
            f"protocol has the type {type(protocol).__name__}. Pass a ShuffleProtocol: its randomizer runs per user."
        )
    randomizer, n = protocol.of_each_user()
    if not isinstance(rng, np.random.Generator):
        raise InvalidValueError(f"rng has the type {type(rng).__name__}. Pass numpy.random.default_rng(seed).")
    users = user_counts(dataset, randomizer.inputs, n)
    if n > MAX_USERS:
        raise TooLargeError(f"n={n} is more than the limit of {MAX_USERS} users. Use sample.")
    return randomizer, users


def _shuffle(rows: list[_Row], users: Counts, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the indices of all messages in random order."""
    parts = [row.draw(int(count), rng) for row, count in zip(rows, users, strict=True)]
    return rng.permutation(np.concatenate(parts))
