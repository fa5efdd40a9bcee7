"""Data sets as histograms, since the shuffled view does not depend on who holds which input, and their neighbours."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from enum import Enum, EnumType
from typing import Any, Final

from exactdp.errors import InvalidDataSetError, InvalidValueError
from exactdp.numbers.exact import as_integer

_OF_SUMS: Final = "replace-by-zeros"
"""The relation of sums of vectors alone."""


def histogram(
    dataset: Sequence[Any] | Mapping[Any, int], inputs: Sequence[Any], *, users: int | None = None
) -> tuple[int, ...]:
    """Return how many users of ``dataset`` hold each of ``inputs``.

    Args:
        dataset: the users' inputs one by one, or input -> number of users.
        inputs: the possible inputs, in the order of the result.
        users: the number of users that the data set must have; None for any.
    """
    held = holders(dataset, inputs, dict.fromkeys(inputs), users=users)
    return tuple(held.get(value, 0) for value in inputs)


def holders(
    dataset: Sequence[Any] | Mapping[Any, int],
    inputs: Sequence[Any],
    known: Container[Any],
    *,
    users: int | None = None,
) -> dict[Any, int]:
    """Return how many users hold each input that ``dataset`` names; ``known`` holds all inputs."""
    held: dict[Any, int] = {}
    if isinstance(dataset, Mapping):
        entries = [(value, _count(value, count)) for value, count in dataset.items()]
    elif isinstance(dataset, Iterable):
        entries = [(value, 1) for value in dataset]
    else:
        raise InvalidDataSetError(
            f"a data set cannot be of the type {type(dataset).__name__}. "
            "Pass the inputs one by one, or {input: users}."
        )
    for value, count in entries:
        if not isinstance(value, Hashable) or value not in known:
            listed = ", ".join(map(repr, inputs[:8])) + (", ..." if len(inputs) > 8 else "")
            are = f"The inputs are {listed}." if inputs else "The randomizer lists no inputs: ask about all."
            raise InvalidDataSetError(f"the data set holds the unknown input {value!r}. {are}")
        if count < 0:
            raise InvalidDataSetError(f"the count of {value!r} is {count}, below 0. Give counts of at least 0.")
        held[value] = held.get(value, 0) + count
    if users is not None and (total := sum(held.values())) != users:
        raise InvalidDataSetError(
            f"the data set has {total} users, but the protocol has n={users}. Give one input for each user."
        )
    return held


def _count(value: object, count: object) -> int:
    """Return a count as an int; most are, and need no name."""
    if type(count) is int and count.bit_length() <= 64:
        return count
    return as_integer(count, name=f"dataset[{value!r}]")


def labelled(counts: tuple[int, ...], inputs: Sequence[Any]) -> dict[Any, int]:
    """Return the data set as input -> number of users, without the inputs that nobody holds."""
    return {value: count for value, count in zip(inputs, counts, strict=True) if count}


def write_dataset(dataset: Mapping[Any, int]) -> str:
    """Return a data set as text, as the command line reads it too; inputs with a comma need JSON.

    >>> write_dataset({"0": 3, "1": 2}), write_dataset({"a,b": 3}), write_dataset({})
    ('0=3,1=2', '{"a,b": "3"}', '{}')
    """
    labels = list(map(str, dataset))
    plain = all(label == label.strip() and label.isprintable() and "," not in label for label in labels)
    if labels and plain and not labels[0].startswith("{"):
        return ",".join(f"{label}={count}" for label, count in zip(labels, dataset.values(), strict=True))
    import json

    return json.dumps({label: str(count) for label, count in zip(labels, dataset.values(), strict=True)})


class _Relations(EnumType):
    """Iteration is over what every protocol is asked about."""

    def __iter__(cls) -> Iterator[Any]:
        members: Iterable[Any] = cls.__members__.values()
        return (one for one in members if one.value != _OF_SUMS)

    def __len__(cls) -> int:
        return len(cls.__members__) - 1


class Neighbors(Enum, metaclass=_Relations):
    """Which pairs of data sets differ in one user's data.

    ``REPLACE_ONE``: both have n users, and one user's input differs.
    ``ADD_OR_REMOVE_ONE``: one has n users, the other the same without one of them, under the same randomizer.
    ``REPLACE_BY_ZEROS``: both have n users, and one user's vector is zeros in one of them, flipped like all others: of
    sums of vectors alone, ``protocols.aggregate``. Iteration leaves it out.
    """

    REPLACE_ONE = "replace-one"
    ADD_OR_REMOVE_ONE = "add-or-remove-one"
    REPLACE_BY_ZEROS = _OF_SUMS


def read_neighbors(neighbors: object) -> Neighbors:
    """Return a neighbouring relation that is not of sums of vectors alone, or refuse it."""
    if not isinstance(neighbors, Neighbors):
        raise InvalidValueError(
            f"neighbors={neighbors!r} is no neighbouring relation. "
            "Pass Neighbors.REPLACE_ONE or Neighbors.ADD_OR_REMOVE_ONE."
        )
    if neighbors is Neighbors.REPLACE_BY_ZEROS:
        raise InvalidValueError(
            f"neighbors={neighbors.value} is of sums of vectors alone, protocols.aggregate(...): of other protocols no "
            "input is zeros. Pass Neighbors.REPLACE_ONE."
        )
    return neighbors
