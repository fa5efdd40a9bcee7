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
from exactdp.mechanisms.lattice_randomizer import LatticeRandomizer
from exactdp.mechanisms.randomizer import Randomizer, Row
from exactdp.numbers.exact import as_integer
from exactdp.protocols.interface import Protocol
from exactdp.protocols.sampling.views import DataSet, user_counts

MAX_USERS: Final = 10**8
"""Most users times draws."""

_MAX_DENOMINATOR: Final = 2**63
"""NumPy draws integers below this."""


_STRIP: Final = 2**20
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
    rows = max(1, _STRIP // n)
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
