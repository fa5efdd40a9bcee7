"""Answers that are kept: a property that is computed once, and a function whose answers may fill so many bytes.

Neither holds a lock while it computes. A lock that a thread holds while another one forks is held in the child for ever
(``functools.cached_property`` of Python 3.11 has one); two threads that ask at once may compute the same answer twice.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import update_wrapper
from typing import TYPE_CHECKING, Generic, ParamSpec, TypeVar

__all__ = ["bounded_cache", "cached_property"]

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property
else:

    class cached_property:
        """A property that is computed once and then found among the attributes of the instance."""

        def __init__(self, compute):
            self.compute, self.__doc__ = compute, compute.__doc__

        def __set_name__(self, owner, name):
            self.name = name

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            value = instance.__dict__[self.name] = self.compute(instance)
            return value


class _BoundedCache(Generic[Arguments, Answer]):
    """A function that keeps its latest answers, up to so many and so many bytes together."""

    def __init__(
        self, compute: Callable[Arguments, Answer], size: Callable[[Answer], int], entries: int, limit: int
    ) -> None:
        self._compute, self._size, self._entries, self._limit = compute, size, entries, limit
        self._answers: OrderedDict[Hashable, tuple[Answer, int]] = OrderedDict()
        self._bytes, self._added = 0, 0
        update_wrapper(self, compute)

    def __call__(self, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
        key = (args, tuple(kwargs.items()))
        entry = self._answers.get(key)
        if entry is not None:
            with suppress(KeyError):  # another thread may have forgotten it meanwhile
                self._answers.move_to_end(key)  # the first is the one not used for longest
            return entry[0]
        answer = self._compute(*args, **kwargs)
        size = self._size(answer)
        self._answers[key] = (answer, size)
        self._forget(size)
        return answer

    def _forget(self, more: int) -> None:
        """Forget what is too much now that there are so many bytes more.

        Threads that add at once may miscount, so that the bytes are summed anew now and then.
        """
        self._bytes, self._added = self._bytes + more, self._added + 1
        if self._added % self._entries == 0:
            self._bytes = self.kept_bytes
        while self._answers and (self._bytes > self._limit or len(self._answers) > self._entries):
            with suppress(KeyError):
                self._bytes -= self._answers.popitem(last=False)[1][1]

    @property
    def kept_bytes(self) -> int:
        """How many bytes the kept answers have, by the measure of the function."""
        return sum(size for _, size in list(self._answers.values()))

    def cache_clear(self) -> None:
        """Forget all answers."""
        self._answers.clear()
        self._bytes = 0


def bounded_cache(
    *, size: Callable[[Answer], int], entries: int, limit: int
) -> Callable[[Callable[Arguments, Answer]], _BoundedCache[Arguments, Answer]]:
    """Return a decorator that keeps the latest answers of a function of hashable arguments.

    Args:
        size: the bytes of an answer.
        entries: most answers.
        limit: most bytes of all answers together; an answer above it is not kept.
    """
    return lambda compute: _BoundedCache(compute, size, entries, limit)
