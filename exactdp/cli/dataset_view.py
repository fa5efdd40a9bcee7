"""The view of one data set, and how a data set is typed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import exactdp as xdp
from exactdp.cli.output import COUNTED, count, printable
from exactdp.cli.values import read_users
from exactdp.errors import InvalidDataSetError
from exactdp.mechanisms.dataset import write_dataset
from exactdp.numbers.exact import as_integer
from exactdp.protocols.naming.populations import few_enough
from exactdp.protocols.naming.targets import ProtocolTarget, TargetProtocol
from exactdp.protocols.naming.typed_noise import NoiseLaw


@dataclass(frozen=True, slots=True)
class DataSetView:
    """What is looked at: a protocol and who holds what, how it is named, and what the counts are of."""

    protocol: TargetProtocol
    people: dict[Any, int]
    title: str
    data: dict[str, Any]
    """The fields that the JSON begins with."""
    messages: list[str]

    @classmethod
    def read(cls, target: ProtocolTarget, dataset: str | None, users: str | None) -> DataSetView:
        """Return the view of one data set; by default there are as many users as it has."""
        if dataset is None:
            raise InvalidDataSetError(f"{target.name} needs --dataset, the users per input. Write --dataset 0=3,1=2.")
        target = target.in_fractions()
        one = target.build(1)
        inputs, alphabet = tuple(one.records), one.alphabet
        typed = read_dataset(dataset, inputs)
        if not sum(typed.values()):
            raise InvalidDataSetError("the data set is empty. Give at least one user: --dataset INPUT=COUNT.")
        n = few_enough(sum(typed.values())) if users is None else read_users(users, target)
        listed = inputs if one.is_shuffled_randomizer else typed
        people = {value: typed.get(value, 0) for value in listed}
        held = {value: users for value, users in people.items() if users}
        return cls(
            target.build(n),
            people,
            f"{printable(target.name)}, n = {n}, data set {write_dataset(held)}",
            {
                "randomizer": target.name,
                "n": count(n),
                "n_counts": COUNTED,
                "dataset": {str(value): count(users) for value, users in held.items()},
            },
            list(map(str, alphabet)),
        )

    @classmethod
    def of_noise(cls, noise: NoiseLaw) -> DataSetView:
        """Return the view of noise alone: the noise."""
        return cls(xdp.AdditiveProtocol(noise.on_integers), {}, noise.title, noise.data, ["k"])


def read_dataset(text: str, inputs: tuple[Any, ...]) -> dict[Any, int]:
    """Return input -> number of users, from the text of :func:`exactdp.mechanisms.dataset.write_dataset`."""
    by_label = {str(value): value for value in inputs}
    dataset: dict[Any, int] = {}
    for label, users in _json_entries(text) if text.lstrip().startswith("{") else _entries(text):
        if label not in by_label:
            known = ", ".join(list(by_label)[:8]) + (", ..." if len(by_label) > 8 else "")
            raise InvalidDataSetError(f"the data set holds the unknown input {label!r}. The inputs are {known}.")
        if by_label[label] in dataset:
            raise InvalidDataSetError(f"the data set names the input {label!r} twice. Add the two counts.")
        dataset[by_label[label]] = as_integer(users, name=f"count of {label!r}", at_least=0)
    return dataset


def _entries(text: str) -> list[tuple[str, str]]:
    entries = []
    for entry in text.split(","):
        label, equals, count = entry.rpartition("=")
        if not equals:
            raise InvalidDataSetError(f"the data set has the entry {entry!r} without a count. Write --dataset 0=3,1=2.")
        entries.append((label.strip(), count.strip()))
    return entries


def _json_entries(text: str) -> list[tuple[str, str]]:
    try:
        pairs = json.loads(text, object_pairs_hook=list, parse_int=str, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError) as error:
        raise InvalidDataSetError(f"the data set is not valid JSON: {error}. Write --dataset 0=3,1=2.") from None
    if not isinstance(pairs, list) or not all(isinstance(count, str) for _, count in pairs):
        raise InvalidDataSetError('the data set is no JSON object of counts. Write --dataset \'{"0": 3, "1": 2}\'.')
    return pairs
