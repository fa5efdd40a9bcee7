"""Randomizers from TOML and JSON files: read strictly, every error with the file and the row.

The format is one list of rows, each with an ``input`` and a list of ``messages``, or the names of the questions of a
product, or of what each class of users runs; docs/randomizer-files.md has it in full.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, TypeVar

from exactdp.mechanisms.documents import (
    Reader,
    expect_keys,
    number_text,
    read_at,
    read_document,
    read_record,
    read_words,
    refuse,
    shown,
)
from exactdp.numbers.exact import as_fraction, as_probability

PARAMETERS: Final = "parameters"
"""The key of a file whose probabilities are functions (:mod:`exactdp.symbolic.symbolic_randomizer`)."""
_PRODUCT: Final = "product"
"""The key of a file that names questions, each by a name or another file (:mod:`exactdp.protocols.naming.targets`)."""
_CLASS: Final = "class"
"""The key of a file with classes of users, which are read in the same place."""
_TOP_KEYS: Final = frozenset({"row", "name", "description"})
"""The keys of a file with rows; others are misspelt."""

Probability = TypeVar("Probability")


@dataclass(frozen=True, slots=True)
class ClassEntry:
    """A class of users as a file states it: what they run, a name or a file; how many; how likely each takes part."""

    of: str
    users: int
    participation: Fraction = Fraction(1)


def read_randomizer_table(path: str | Path) -> dict[str, dict[tuple[str, ...], Fraction]]:
    """Return the table of the randomizer in the file: ``.json`` is read as JSON, and standard input that begins with a
    brace; everything else as TOML."""
    return read_document(path, _table)


def read_own_name(path: str | Path) -> str | None:
    """Return the name that a file gives itself, for people; None where it has none."""
    return read_document(path, lambda data: read_words(data["name"], "name") if "name" in data else None)


def read_questions(path: str | Path) -> list[str] | None:
    """Return the names and files of the questions of a product; None where the file has no ``product``."""
    return read_document(path, _questions)


def read_class_entries(path: str | Path) -> list[ClassEntry] | None:
    """Return the classes of users of a file; None where it has no ``class``."""
    return read_document(path, _class_entries)


def _questions(data: Any) -> list[str] | None:
    products, example = _alone(data, _PRODUCT), 'of = ["randomized-response:inputs=20,eps0=2", "own.toml"]'
    if products is None:
        return None
    if not isinstance(products, list) or len(products) != 1:
        refuse(_PRODUCT, "must be a list of one table", f"write [[{_PRODUCT}]] once, with all questions in its of")
    expect_keys(products[0], required={"of"}, allowed={"of"}, where=_PRODUCT)
    if not isinstance(names := products[0]["of"], list) or not names:
        refuse(f"{_PRODUCT}: of", "must be a list of at least one question", f"write {example}")
    return [read_words(name, f"{_PRODUCT}: of entry {number}") for number, name in enumerate(names, start=1)]


def _class_entries(data: Any) -> list[ClassEntry] | None:
    classes = _alone(data, _CLASS)
    if classes is None:
        return None
    if not isinstance(classes, list) or not classes:
        refuse(_CLASS, "must be a list of at least one table", f"write [[{_CLASS}]] before each class of users")
    readers: dict[str, Reader] = {"of": read_words, "users": _users, "participation": _share}
    return [read_record(ClassEntry, entry, f"{_CLASS} {number}", readers) for number, entry in enumerate(classes)]


def _users(value: Any, where: str, key: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        refuse(where, f"{key} = {shown(value)} is no whole number of at least 1", f"write {key} = 500000")
    return value


def _share(value: Any, where: str, key: str) -> Fraction:
    return read_at(where, as_probability, number_text(value, where, key=key), name=key)


def _alone(data: Any, key: str) -> Any:
    """Return what a file has in the place of rows; None where it has not."""
    if not isinstance(data, Mapping) or key not in data:
        return None
    if "row" in data:
        refuse("the file", f"has row beside {key}", f"write the rows into a file of their own, and name it in {key}")
    expect_keys(data, required={key}, allowed={key, "name", "description"}, where="the file")
    _check_labels(data)
    return data[key]


def _table(data: Any) -> dict[str, dict[tuple[str, ...], Fraction]]:
    if isinstance(data, Mapping) and PARAMETERS in data:
        refuse(
            "the file",
            "has parameters, and its probabilities are functions of them",
            f"read it with exactdp.symbolic.SymbolicRandomizer.from_file, or put numbers in their place and remove "
            f"{PARAMETERS}",
        )
    if isinstance(data, Mapping) and _PRODUCT in data:
        refuse(
            "the file",
            "has a product of questions by their names, which commands read",
            "write it as a name, @product:of=(...; ...), or in Python as exactdp.randomizers.product(...)",
        )
    if isinstance(data, Mapping) and _CLASS in data:
        refuse(
            "the file",
            "has classes of users, each with a randomizer of its own, about which delta, epsilon, curve, compose, "
            "check, law, sample, sweep and report can be asked",
            "name the file of one class, or in Python write ShuffleProtocol(((randomizer, users), ...))",
        )
    expect_keys(data, required={"row"}, allowed=_TOP_KEYS, where="the file", also=(PARAMETERS, _PRODUCT, _CLASS))
    return read_rows(data, _probability)


def read_rows(
    data: Mapping[str, Any], probability: Callable[[Any, str], Probability]
) -> dict[str, dict[tuple[str, ...], Probability]]:
    """Return the table of a file, and check its name and description; ``probability`` reads one and names its place."""
    _check_labels(data)
    rows = data["row"]
    if not isinstance(rows, list) or not rows:
        refuse("row", "must be a list of at least one row", "write [[row]] before each row")
    table: dict[str, dict[tuple[str, ...], Probability]] = {}
    for number, row in enumerate(rows, start=1):
        where = f"row {number}"
        expect_keys(row, required={"input", "messages"}, allowed={"input", "messages"}, where=where)
        value = read_words(row["input"], f"{where}: input")
        if value in table:
            refuse(where, f"repeats the input {value!r}", "keep one row for each input")
        table[value] = _messages(row["messages"], f"row {value!r}", probability)
    return table


def _messages(
    entries: Any, where: str, probability: Callable[[Any, str], Probability]
) -> dict[tuple[str, ...], Probability]:
    if not isinstance(entries, list) or not entries:
        refuse(where, "has no messages", 'write messages = [ {send = ["m"], prob = "1"} ], with send = [] for none')
    law: dict[tuple[str, ...], Probability] = {}
    for number, entry in enumerate(entries, start=1):
        place = f"{where}, messages entry {number}"
        expect_keys(entry, required={"send", "prob"}, allowed={"send", "prob"}, where=place)
        if not isinstance(entry["send"], list):
            refuse(place, "has a send that is not a list", 'write send = ["m"], or send = [] for no message')
        send = tuple(read_words(message, f"{place}: send") for message in entry["send"])
        if send in law:
            refuse(place, f"repeats the messages {list(send)!r}", "add the two probabilities")
        law[send] = probability(entry["prob"], place)
    return law


def _check_labels(data: Mapping[str, Any]) -> None:
    for key in sorted(data.keys() & {"name", "description"}):
        read_words(data[key], key)


def _probability(value: Any, where: str) -> Fraction:
    return read_at(where, as_fraction, number_text(value, where), name="prob")
