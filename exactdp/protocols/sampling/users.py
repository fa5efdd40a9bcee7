"""The reference: every user draws his own messages, and a real shuffle puts all of them in a random order.

Users of a table draw with uniform integers below the denominator of their row, so that nothing is rounded; shares of
noise are drawn in floats, as the noise itself. The cost is that of all messages of all draws: for small n, and to test
the fast path with.
"""

from __future__ import annotations

from math import lcm
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.laws.noise import Counts, draw_noise
from exactdp.mechanisms.randomizer import Randomizer, Row
from exactdp.numbers.exact import as_integer
from exactdp.protocols.almost_central.almost_central_protocol import AlmostCentralSum
from exactdp.protocols.counting.correlated_counting_protocol import CorrelatedCounting
from exactdp.protocols.protocol import ShuffleProtocol
from exactdp.protocols.sampling.views import DataSet, dropped, user_counts
from exactdp.protocols.thresholded.sample_and_threshold_protocol import SampleAndThreshold

MAX_USERS: Final = 10**8
"""Most users times draws."""

_MAX_DENOMINATOR: Final = 2**63
"""NumPy draws integers below this."""


_STRIP: Final = 2**20
"""Shares that are drawn at once: some megabytes."""


def simulate(
    protocol: ShuffleProtocol | CorrelatedCounting | AlmostCentralSum | SampleAndThreshold,
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
    >>> from exactdp import randomized_response
    >>> flip = ShuffleProtocol(randomized_response(2, gamma="1/2"), 5)
    >>> simulate(flip, [0, 0, 1, 1, 1], size=2, rng=np.random.default_rng(1)).sum(axis=1).tolist()
    [5, 5]

    Cost: O(users times size); 30 ms for one draw of 10^6 users of binary randomized response.
    """
    count = as_integer(size, name="size", at_least=0)
    if isinstance(protocol, CorrelatedCounting | AlmostCentralSum):
        _check_generator(rng)
        _check_size(count, protocol.n)
        return _shares(protocol, user_counts(dataset, protocol.records, protocol.n), count, rng, nearest)
    if isinstance(protocol, SampleAndThreshold):  # the shuffler drops
        reports = simulate(ShuffleProtocol(protocol.randomizer, protocol.n), dataset, size=count, rng=rng)
        return dropped(reports, protocol.threshold)
    rows, users = _prepare(protocol, dataset, rng)
    _check_size(count, protocol.n)
    alphabet = len(protocol.tabulated.alphabet)
    counts = np.empty((count, alphabet), np.int64)
    for draw in range(count):
        counts[draw] = np.bincount(_shuffle(rows, users, rng), minlength=alphabet)
    return counts


def _shares(
    protocol: CorrelatedCounting | AlmostCentralSum, users: Counts, size: int, rng: np.random.Generator, nearest: bool
) -> Counts:
    """Return the counts of each draw: every user draws his shares, and nothing is drawn for two users at once."""
    randomizer = protocol.randomizer
    counts = np.tile(users @ np.array(randomizer.sent, np.int64), (size, 1))
    shares = [(draw_noise(share.law, nearest=nearest), np.array(share.messages)) for share in randomizer.shares]
    rows = max(1, _STRIP // protocol.n)
    for start in range(0, size, rows):
        strip = counts[start : start + rows]
        for draw, messages in shares:
            drawn = draw(rng, len(strip) * protocol.n).reshape(len(strip), protocol.n)
            strip += drawn.sum(axis=1)[:, None] * messages
    return counts


def shuffled_messages(protocol: ShuffleProtocol, dataset: DataSet, *, rng: np.random.Generator) -> list[Any]:
    """Return what the analyzer is shown in one run: all messages of all users, in a uniformly random order.

    >>> import numpy as np
    >>> from exactdp import protocols
    >>> sorted(shuffled_messages(protocols.complement(3), [0, 1, 1], rng=np.random.default_rng(1)))
    [0, 0, 0, 1, 1, 1]
    """
    rows, users = _prepare(protocol, dataset, rng)
    alphabet = protocol.tabulated.alphabet
    return [alphabet[message] for message in _shuffle(rows, users, rng)]


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


def _prepare(protocol: ShuffleProtocol, dataset: DataSet, rng: object) -> tuple[list[_Row], Counts]:
    if not isinstance(protocol, ShuffleProtocol):
        raise InvalidValueError(
            f"protocol has the type {type(protocol).__name__}. Pass a ShuffleProtocol: its randomizer runs per user."
        )
    _check_generator(rng)
    if not isinstance(protocol.numeric_randomizer, Randomizer):
        raise InvalidValueError(
            f"protocol has the randomizer {protocol.randomizer!r}, whose messages are not listed. Use sample, or pass "
            "the table of a small one: ShuffleProtocol(family.table(), n)."
        )
    users = user_counts(dataset, protocol.randomizer.inputs, protocol.n)
    if protocol.n > MAX_USERS:
        raise TooLargeError(f"n={protocol.n} is more than the limit of {MAX_USERS} users. Use sample.")
    return [_Row(row) for row in protocol.tabulated.rows], users


def _check_size(size: int, users: int) -> None:
    if size * users > MAX_USERS:
        raise TooLargeError(f"size={size} draws of n={users} users are more than the limit of {MAX_USERS}. Use sample.")


def _check_generator(rng: object) -> None:
    if not isinstance(rng, np.random.Generator):
        raise InvalidValueError(f"rng has the type {type(rng).__name__}. Pass numpy.random.default_rng(seed).")


def _shuffle(rows: list[_Row], users: Counts, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the indices of all messages in random order."""
    parts = [row.draw(int(count), rng) for row, count in zip(rows, users, strict=True)]
    return rng.permutation(np.concatenate(parts))
