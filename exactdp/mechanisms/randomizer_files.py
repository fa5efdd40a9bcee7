"""Randomizers from TOML and JSON files: read strictly, every error with the file and the row.

The format is one list of rows, each with an ``input`` and a list of ``messages``; docs/randomizer-files.md has it in
full.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

from exactdp.errors import ExactDPError, InvalidFileError, TooLargeError, nearest
from exactdp.mechanisms.standard_input import NAME, standard_input
from exactdp.numbers.exact import as_fraction
from exactdp.numbers.formats import short

MAX_FILE_BYTES: Final = 10 * 2**20
"""Largest randomizer file."""

PARAMETERS: Final = "parameters"
"""The key of a file whose probabilities are functions (:mod:`exactdp.symbolic.parameter_files`)."""
_TOP_KEYS: Final = frozenset({"row", "name", "description"})
"""The keys of a file; others are misspelt."""


_MAX_KEY_PARTS: Final = 64
"""Dotted keys with more parts would make a parser recurse as deep."""

_LONG_KEY: Final = re.compile(
    r"""(?:^|[\[{,])[ \t]*(?:(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*)"""
    rf"{{{_MAX_KEY_PARTS}}}",
    re.MULTILINE,
)
"""The beginning of a TOML key of more parts than that, which the standard library reads in quadratic time."""


Probability = TypeVar("Probability")
Content = TypeVar("Content")


class _FloatLiteral(str):
    """The text of a number that TOML or JSON would read as a float."""


def read_text(path: str | Path, *, limit: int = MAX_FILE_BYTES) -> str:
    """Return the text of a file of at most ``limit`` bytes, or say why not; ``-`` is standard input."""
    if not isinstance(path, str | Path):
        raise InvalidFileError(f"path has the type {type(path).__name__}. Pass a path as text.")
    if not str(path):
        raise InvalidFileError("the name of the file is empty. Name a file, or - for standard input.")
    file = Path(path)
    try:
        if str(path) == NAME:
            data = standard_input(limit)
        elif file.is_dir():
            raise InvalidFileError(f"{file} is a directory. Name a file.")
        else:
            with file.open("rb") as stream:
                data = stream.read(limit + 1)
    except OSError as error:
        raise InvalidFileError(f"{file} cannot be read: {error.strerror}. Name a readable file.") from None
    if len(data) > limit:
        raise TooLargeError(f"{file} is larger than the limit of {limit} bytes. Use a smaller file.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidFileError(f"{file} is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from None


def read_randomizer_table(path: str | Path) -> dict[str, dict[tuple[str, ...], Fraction]]:
    """Return the table of the randomizer in the file: ``.json`` is read as JSON, and standard input that begins with a
    brace; everything else as TOML."""
    return read_document(path, _table)


def read_document(path: str | Path, read: Callable[[Any], Content]) -> Content:
    """Return what ``read`` makes of the data in a TOML or JSON file; its errors name the file."""
    text = read_text(path)
    file = Path(path)
    is_json = text.lstrip().startswith("{") if str(path) == NAME else file.suffix.lower() == ".json"
    try:
        return read(_parse_json(text) if is_json else _parse_toml(text))
    except (InvalidFileError, RecursionError) as error:
        reason = "it is nested too deeply. Write one list of rows" if isinstance(error, RecursionError) else str(error)
        raise InvalidFileError(f"{file}: {reason}") from None


def _parse_toml(text: str) -> Any:
    if long := _LONG_KEY.search(text):
        line = text.count("\n", 0, long.start() + 1) + 1
        refuse(f"line {line}", f"has a key of more than {_MAX_KEY_PARTS} parts", "the keys are row, input, messages...")
    try:
        return tomllib.loads(text, parse_float=_FloatLiteral)
    except tomllib.TOMLDecodeError as error:
        hint = " If it is JSON, name it .json." if text.lstrip().startswith("{") else ""
        raise InvalidFileError(f"not valid TOML: {error}. Mend that line.{hint}") from None
    except ValueError as error:
        raise InvalidFileError(f"a number is too long: {error}. Write probabilities as short strings.") from None


def _parse_json(text: str) -> Any:
    try:
        return json.loads(
            text, parse_float=_FloatLiteral, parse_constant=_FloatLiteral, object_pairs_hook=_without_duplicates
        )
    except json.JSONDecodeError as error:
        raise InvalidFileError(f"not valid JSON: {error}.") from None
    except InvalidFileError:
        raise
    except ValueError as error:
        raise InvalidFileError(f"a number is too long: {error}. Write probabilities as short strings.") from None


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise InvalidFileError(f"the key {key!r} appears twice in one object. Keep one of them.")
        result[key] = value
    return result


def _table(data: Any) -> dict[str, dict[tuple[str, ...], Fraction]]:
    if isinstance(data, Mapping) and PARAMETERS in data:
        refuse(
            "the file",
            "has parameters, and its probabilities are functions of them",
            f"read it with exactdp.symbolic.SymbolicRandomizer.from_file, or put numbers in their place and remove "
            f"{PARAMETERS}",
        )
    expect_keys(data, required={"row"}, allowed=_TOP_KEYS, where="the file", also=(PARAMETERS,))
    return read_rows(data, _probability)


def read_rows(
    data: Mapping[str, Any], probability: Callable[[Any, str], Probability]
) -> dict[str, dict[tuple[str, ...], Probability]]:
    """Return the table of a file, and check its name and description; ``probability`` reads one and names its place."""
    for key in sorted(data.keys() & {"name", "description"}):
        _label(data[key], key)
    rows = data["row"]
    if not isinstance(rows, list) or not rows:
        refuse("row", "must be a list of at least one row", "write [[row]] before each row")
    table: dict[str, dict[tuple[str, ...], Probability]] = {}
    for number, row in enumerate(rows, start=1):
        where = f"row {number}"
        expect_keys(row, required={"input", "messages"}, allowed={"input", "messages"}, where=where)
        value = _label(row["input"], f"{where}: input")
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
        send = tuple(_label(message, f"{place}: send") for message in entry["send"])
        if send in law:
            refuse(place, f"repeats the messages {list(send)!r}", "add the two probabilities")
        law[send] = probability(entry["prob"], place)
    return law


def _label(value: Any, where: str) -> str:
    if isinstance(value, str) and not isinstance(value, _FloatLiteral):
        return value
    refuse(where, f"{_shown(value)} is not a string", 'write it in quotes: "0"')


def _probability(value: Any, where: str) -> Fraction:
    text = number_text(value, where)
    try:
        return as_fraction(text, name="prob")
    except ExactDPError as error:
        raise InvalidFileError(f"{where}: {error}") from None


def number_text(value: Any, where: str, *, key: str = "prob") -> int | str:
    """Return an integer or a text of a file; what its format has rounded, or knows no number for, is refused."""
    if isinstance(value, _FloatLiteral) and not any(digit in value for digit in "0123456789"):
        refuse(where, f"{key} = {value} is not a number", f'write a string: {key} = "1/2"')
    if isinstance(value, _FloatLiteral):
        shown = short(str(value))
        refuse(where, f"{key} = {shown} is a float", f'write it as a string: {key} = "{shown}"')
    if isinstance(value, bool) or not isinstance(value, int | str):
        refuse(where, f"{key} = {_shown(value)} is not a number", f'write a string: {key} = "1/2"')
    return value


def expect_keys(
    data: Any, *, required: set[str], allowed: set[str] | frozenset[str], where: str, also: Iterable[str] = ()
) -> None:
    """Refuse what is no table with these keys; ``also`` are those of other files, which may be meant."""
    if not isinstance(data, Mapping):
        refuse(where, f"is {_shown(data)}, not a table", "use the keys " + ", ".join(sorted(required)))
    if unknown := sorted(data.keys() - allowed):
        listed = "the keys are " + ", ".join(sorted(allowed))
        near = nearest(unknown[0], [*sorted(allowed), *also])
        refuse(where, f"has the unknown key {short(unknown[0])!r}", f"did you mean {near[0]}" if near else listed)
    if missing := sorted(required - data.keys()):
        refuse(where, f"lacks the key {missing[0]!r}", f"add {missing[0]} = ...")


def _shown(value: Any) -> str:
    return short(repr(value))


def refuse(where: str, what: str, repair: str) -> NoReturn:
    """Raise the error of a place in a file."""
    raise InvalidFileError(f"{where} {what}. Repair: {repair}.")
