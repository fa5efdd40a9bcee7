"""TOML and JSON that people write, read strictly: each error names the file and the place, and says how to repair it.

Numbers are exact: integers, or text. What a format would round to a float is kept as the text that was written, so that
whoever reads the value can refuse it.

Standard input as a file: what is named ``-`` is read from there, once, and is the same whoever asks again.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Final, NoReturn, TypeAlias, TypeVar

from exactdp.errors import ExactDPError, InvalidFileError, TooLargeError, nearest
from exactdp.numbers.formats import short

NAME: Final = "-"
"""What stands for standard input where a file can be named; a file of this name is ./-."""

_READ: Final[list[tuple[Any, bytes]]] = []
"""The stream that was read last, and what was in it."""


def standard_input(limit: int) -> bytes:
    """Return what is in standard input, at most ``limit`` bytes and one, by which a longer one is told.

    Raises:
        InvalidFileError: for a standard input that is closed, or empty.
    """
    if sys.stdin is None or sys.stdin.closed:
        raise InvalidFileError("- is standard input, which is closed. Name a file, or pipe one in.")
    if not (_READ and _READ[0][0] is sys.stdin):
        try:
            data = sys.stdin.buffer.read(limit + 1)
        except OSError as error:
            raise InvalidFileError(f"- cannot be read: {error.strerror}. Name a file, or pipe one in.") from None
        if not data:
            raise InvalidFileError("- is standard input, which is empty. Name a file, or pipe one in.")
        _READ[:] = [(sys.stdin, data)]
    return _READ[0][1]


MAX_FILE_BYTES: Final = 10 * 2**20
"""Largest file, unless a smaller one is said."""

_MAX_KEY_PARTS: Final = 64
"""Dotted keys with more parts would make a parser recurse as deep."""

_LONG_KEY: Final = re.compile(
    r"""(?:^|[\[{,])[ \t]*(?:(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*)"""
    rf"{{{_MAX_KEY_PARTS}}}",
    re.MULTILINE,
)
"""The beginning of a TOML key of more parts than that, which the standard library reads in quadratic time."""

_INVALID: Final = "not valid TOML: {}. Mend that line."
_TOO_LONG: Final = "a number is too long: {}. Write probabilities as short strings."

Content = TypeVar("Content")
Reader: TypeAlias = Callable[[Any, str, str], Any]
"""Reads a value, given its place and its key, or refuses it."""


class FloatText(str):
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


def read_document(path: str | Path, read: Callable[[Any], Content]) -> Content:
    """Return what ``read`` makes of the data in a TOML or JSON file; its errors name the file."""
    text = read_text(path)
    file = Path(path)
    has_brace = text.lstrip().startswith("{")
    is_json = has_brace if str(path) == NAME else file.suffix.lower() == ".json"
    hint = " If it is JSON, name it .json." if has_brace else ""
    try:
        return read(parse_json(text) if is_json else parse_toml(text, invalid=_INVALID + hint))
    except (InvalidFileError, RecursionError) as error:
        reason = "it is nested too deeply. Write one list of rows" if isinstance(error, RecursionError) else str(error)
        raise InvalidFileError(f"{file}: {reason}") from None


def parse_toml(text: str, *, invalid: str = _INVALID, unreadable: str = _TOO_LONG) -> Any:
    """Return the data of a TOML text; floats stay texts.

    Args:
        text: what a file holds, or may hold.
        invalid: what is said of a text that is no TOML, with the place of the reason.
        unreadable: what is said of one with a number that is too long to be read.
    """
    if long := _LONG_KEY.search(text):
        line = text.count("\n", 0, long.start() + 1) + 1
        refuse(f"line {line}", f"has a key of more than {_MAX_KEY_PARTS} parts", "the keys are row, input, messages...")
    try:
        return tomllib.loads(text, parse_float=FloatText)
    except tomllib.TOMLDecodeError as error:
        raise InvalidFileError(invalid.format(error)) from None
    except ValueError as error:
        raise InvalidFileError(unreadable.format(error)) from None


def parse_json(text: str) -> Any:
    """Return the data of a JSON text; floats stay texts, and no key may stand twice in an object."""
    try:
        return json.loads(text, parse_float=FloatText, parse_constant=FloatText, object_pairs_hook=_without_duplicates)
    except json.JSONDecodeError as error:
        raise InvalidFileError(f"not valid JSON: {error}.") from None
    except InvalidFileError:
        raise
    except ValueError as error:
        raise InvalidFileError(_TOO_LONG.format(error)) from None


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise InvalidFileError(f"the key {key!r} appears twice in one object. Keep one of them.")
        result[key] = value
    return result


def number_text(value: Any, where: str, *, key: str = "prob") -> int | str:
    """Return an integer or a text of a file; what its format has rounded, or knows no number for, is refused."""
    if isinstance(value, FloatText) and not any(digit in value for digit in "0123456789"):
        refuse(where, f"{key} = {value} is not a number", f'write a string: {key} = "1/2"')
    if isinstance(value, FloatText):
        text = short(str(value))
        refuse(where, f"{key} = {text} is a float", f'write it as a string: {key} = "{text}"')
    if isinstance(value, bool) or not isinstance(value, int | str):
        refuse(where, f"{key} = {shown(value)} is not a number", f'write a string: {key} = "1/2"')
    return value


def expect_keys(
    data: Any, *, required: set[str], allowed: Collection[str], where: str, also: Iterable[str] = ()
) -> None:
    """Refuse what is no table with these keys; ``also`` are those of other files, which may be meant."""
    if not isinstance(data, Mapping):
        refuse(where, f"is {shown(data)}, not a table", "use the keys " + ", ".join(sorted(required)))
    if unknown := sorted(data.keys() - set(allowed)):
        known = allowed if isinstance(allowed, tuple) else sorted(allowed)
        listed, near = "the keys are " + ", ".join(known), nearest(unknown[0], [*known, *also])
        refuse(where, f"has the unknown key {short(unknown[0])!r}", f"did you mean {near[0]}" if near else listed)
    if missing := sorted(required - data.keys()):
        refuse(where, f"lacks the key {missing[0]!r}", f"add {missing[0]} = ...")


def read_record(kind: Callable[..., Content], data: Any, where: str, readers: Mapping[str, Reader]) -> Content:
    """Return what has these keys for fields, each read by its reader; those with a default may be left out."""
    required = {name for name in readers if signature(kind).parameters[name].default is Parameter.empty}
    expect_keys(data, required=required, allowed=readers.keys(), where=where)
    return kind(**{key: read(data[key], where, key) for key, read in readers.items() if key in data})


def read_words(value: Any, where: str, key: str = "") -> str:
    """Return a text of a file, or refuse what is none."""
    if isinstance(value, str) and not isinstance(value, FloatText):
        return value
    refuse(f"{where}: {key}" if key else where, f"{shown(value)} is not a string", 'write it in quotes: "0"')


def read_at(where: str, read: Callable[..., Content], *given: Any, **named: Any) -> Content:
    """Return what is read, or refuse it with its place."""
    try:
        return read(*given, **named)
    except ExactDPError as error:
        raise InvalidFileError(f"{where}: {error}") from None


def shown(value: Any) -> str:
    """Return a value as a message shows it."""
    return short(repr(value))


def refuse(where: str, what: str, repair: str) -> NoReturn:
    """Raise the error of a place in a file."""
    raise InvalidFileError(f"{where} {what}. Repair: {repair}.")
