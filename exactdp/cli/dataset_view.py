"""The view of one data set, and how a data set is typed."""

from __future__ import annotations

import json
from ast import literal_eval
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import exactdp as xdp
from exactdp.cli.output import count, population, printable
from exactdp.cli.subjects import classes_facts, refuse_for_classes
from exactdp.errors import InvalidDataSetError
from exactdp.mechanisms.dataset import write_dataset
from exactdp.mechanisms.family import FamilyRandomizer
from exactdp.numbers.exact import as_integer
from exactdp.protocols.interface import Protocol
from exactdp.protocols.naming.populations import few_enough, with_absence
from exactdp.protocols.naming.targets import ClassesTarget, ProtocolTarget
from exactdp.protocols.naming.typed_noise import NoiseLaw


@dataclass(frozen=True, slots=True)
class DataSetView:
    """What is looked at: a protocol and who holds what (in each class of users), its name, what the counts are of."""

    protocol: Protocol
    people: Any
    title: str
    data: dict[str, Any]
    """The fields that the JSON begins with."""
    messages: list[str]
    family: FamilyRandomizer | None = None
    """Of a randomizer, where it is known by its parameters."""

    @property
    def estimated(self) -> DataSetView:
        """The same with the inputs, whose holders are estimated, in place of what is counted."""
        title, data = f"{self.title}: estimated holders of each input", {**self.data, "estimates": True}
        return replace(self, title=title, data=data, messages=_inputs(self.protocol))

    @classmethod
    def read(
        cls,
        target: ProtocolTarget,
        dataset: str | None,
        users: int | None,
        typed: Mapping[str, Any],
    ) -> DataSetView:
        """Return the view of one data set; by default there are as many users as it has."""
        if dataset is None:
            raise InvalidDataSetError(f"{target.name} needs --dataset, the users per input. Write --dataset 0=3,1=2.")
        target = target.in_fractions()
        one = target.build(1)
        inputs, labels = one.records, _labels(one)
        given = read_dataset(dataset, inputs)
        if not sum(given.values()):
            raise InvalidDataSetError("the data set is empty. Give at least one user: --dataset INPUT=COUNT.")
        n = few_enough(sum(given.values())) if users is None else users
        listed = inputs if one.is_shuffled_randomizer and not one.parts else given
        people = {value: given.get(value, 0) for value in listed}
        held = {value: users for value, users in people.items() if users}
        protocol = with_absence(target.build(n), typed)
        words = protocol.absence_words
        shown = f"{n} users, {words}" if words else n
        return cls(
            protocol,
            people,
            f"{printable(target.name)}, n = {shown}, data set {write_dataset(held)}",
            {
                "randomizer": target.name,
                "n": count(n),
                "n_counts": population(words),
                "dataset": {str(value): count(users) for value, users in held.items()},
            },
            labels,
            target.family,
        )

    @classmethod
    def of_classes(cls, target: ClassesTarget, typed: Mapping[str, Any]) -> DataSetView:
        """Return the view of one data set of each class."""
        refuse_for_classes(target, typed)
        protocol, each = target.protocol, (typed["dataset"] or "").split(";")
        if typed["dataset"] is None or len(each) != len(target.entries):
            raise InvalidDataSetError(
                f"{target.name} needs --dataset with the users per input of each of its {len(target.entries)} classes, "
                "separated by semicolons. Write --dataset '0=3,1=2; 0=1'."
            )
        held = [read_dataset(one, protocol.records) for one in each]
        (n, n_counts, *_), title = classes_facts(target), f"{printable(target.name)}, n = {protocol.n}"
        return cls(
            protocol,
            held,
            f"{title} in {len(each)} classes, data sets {'; '.join(map(write_dataset, held))}",
            {
                "randomizer": target.name,
                "n": n.data,
                "n_counts": n_counts.data,
                "dataset": [{str(value): count(users) for value, users in one.items() if users} for one in held],
            },
            list(map(str, protocol.alphabet)),
        )

    @classmethod
    def of_noise(cls, noise: NoiseLaw) -> DataSetView:
        """Return the view of noise alone: the noise."""
        return cls(xdp.AdditiveProtocol(noise.on_integers), {}, noise.title, noise.data, ["k"])


def _labels(protocol: Any) -> list[str]:
    """Return what the counts are of: messages, inputs that they support, or of a product that of each question."""
    if not protocol.parts:
        family = protocol.numeric_randomizer.family if protocol.is_shuffled_randomizer else None
        return list(map(str, protocol.alphabet if family is None or not family.inputs else family.inputs))
    numbered = enumerate(map(_labels, protocol.parts), start=1)
    return [f"question {number}: {label}" for number, labels in numbered for label in labels]


def _inputs(protocol: Any) -> list[str]:
    """Return the inputs of a randomizer, or of a product those of each question that are drawn by themselves."""
    if not protocol.parts:
        return list(map(str, protocol.records))
    numbered = enumerate(map(_inputs, protocol.parts), start=1)
    return [f"question {number}: {label}" for number, inputs in numbered for label in inputs]


def read_dataset(text: str, inputs: Sequence[Any]) -> dict[Any, int]:
    """Return input -> number of users, from the text of :func:`exactdp.mechanisms.dataset.write_dataset`."""
    entries = _json_entries(text) if text.lstrip().startswith("{") else _entries(text)
    listed = inputs if isinstance(inputs, tuple) else _written(dict(entries), inputs)
    by_label = {str(value): value for value in listed}
    dataset: dict[Any, int] = {}
    for label, users in entries:
        if label not in by_label:
            known = ", ".join(map(str, inputs[:8])) + (", ..." if len(inputs) > 8 else "")
            raise InvalidDataSetError(f"the data set holds the unknown input {label!r}. The inputs are {known}.")
        if by_label[label] in dataset:
            raise InvalidDataSetError(f"the data set names the input {label!r} twice. Add the two counts.")
        dataset[by_label[label]] = as_integer(users, name=f"count of {label!r}", at_least=0)
    return dataset


def _written(labels: Iterable[str], inputs: Sequence[Any]) -> Iterator[Any]:
    """Yield the tuples that labels write, of inputs that are too many to be listed."""
    for label in labels:
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            value = literal_eval(label)
            if value in inputs:
                yield value


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
