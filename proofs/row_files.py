"""The files of rows: proofs/rows/NAME.toml states them, and proofs/NAME.py makes the claims that decide them.

A file begins with what its rows have in common, such as ``topic`` and ``source``. ``[words]`` are phrases that they
repeat. Then come the rows, in the order of the ledger, with the fields of ``ProofRow``. What is empty is left out, and
so is ``expected`` where it is REFUTED for a statement that is false as printed, or PROVED for any other. A row that no
machine decides has ``domain = "prose"``. ``exactdp prove --update-ledger`` writes ``claim_id``, the id of the claim.

In a text ``${name}`` stands for a phrase of ``[words]``, or for an entry of ``NUMBERS`` of the Python file: a number
that a claim is made with is written there only. Other braces are mathematics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, wraps
from importlib import import_module
from importlib.resources import files
from string import Template
from typing import Any, Final, TypeAlias

from exactdp import Claim, Verdict
from exactdp.errors import InvalidValueError
from exactdp.mechanisms.documents import parse_toml
from exactdp.proofs.ledger import AsPrinted, ProofRow

MakesClaim: TypeAlias = Callable[[], Claim]

_CLAIMS: Final[dict[str, dict[str, MakesClaim]]] = {}
"""Module -> id of a row -> the function that makes its claim."""
_TEXTS: Final = ("id", "topic", "statement", "domain", "source", "reading", "prop", "steps", "claim_id")
"""The keys of a row whose values are texts."""
_REQUIRED: Final = _TEXTS[:5]
"""The keys that every row has."""
_CHOICES: Final = {"as_printed": tuple(map(str, AsPrinted)), "expected": tuple(verdict.value for verdict in Verdict)}
"""The keys of a row with few values, and these."""
_LISTS: Final = {"notes": int, "theorems": str}
"""The keys of a row whose values are lists, and the type of their entries."""
_KEYS: Final = (*_TEXTS, *_CHOICES, *_LISTS)
"""All keys of a row."""


def decides(*ids: str, assuming: Sequence[str] = ()) -> Callable[[Callable[[], Claim | Iterator[Claim]]], MakesClaim]:
    """Mark the function that makes the claim of the rows with these ids, which the file of its module states.

    A function that yields claims makes the claim that all of them hold; ``assuming`` names facts that it needs.
    """

    def mark(function: Callable[[], Claim | Iterator[Claim]]) -> MakesClaim:
        @wraps(function)
        def claim() -> Claim:
            made = function()
            if isinstance(made, Claim):
                return Claim.conjunction(made, assuming=assuming) if assuming else made
            return Claim.conjunction(*made, assuming=assuming)

        claims = _CLAIMS.setdefault(function.__module__, {})
        for name in ids:
            if name in claims:
                raise InvalidValueError(f"{function.__module__}: two functions decide row {name!r}. One must.")
            claims[name] = claim
        return claim

    return mark


@cache
def rows_of(name: str) -> tuple[ProofRow, ...]:
    """Return the rows that proofs/NAME.py decides, in the order of their file.

    >>> rows_of("adding_a_user")[0].id
    'adding-a-user'
    """
    module = import_module(f"exactdp.proofs.{name}")
    text = files("exactdp.proofs").joinpath("rows", f"{name}.toml").read_text(encoding="utf-8")
    claims, numbers = _CLAIMS.get(module.__name__, {}), getattr(module, "NUMBERS", {})
    return read_rows(f"proofs/rows/{name}.toml", text, claims, numbers)


def read_rows(
    file: str, text: str, claims: Mapping[str, MakesClaim], numbers: Mapping[str, Any]
) -> tuple[ProofRow, ...]:
    """Return the rows of the text of a file, whose ``claims`` decide them."""
    shared = parse_toml(text, invalid=f"{file} is no TOML: {{}}. Mend the line.")
    entries, words = shared.pop("row", []), shared.pop("words", {})
    phrases = {name: _quoted(value) for name, value in numbers.items()}
    for name, phrase in words.items():
        if name in numbers or not isinstance(phrase, str):
            raise InvalidValueError(f"{file}, [words] {name}: it is in NUMBERS, or it is not a text. Change one.")
        phrases[name] = _filled(phrase, phrases, f"{file}, [words] {name}")
    rows = []
    for number, entry in enumerate(entries, start=1):
        where = f"{file}, row {entry.get('id', f'number {number}')}"
        rows.append(_row(shared | entry, claims, phrases, where))
    for name in claims.keys() - {row.id for row in rows}:
        raise InvalidValueError(f"{file}, row {name}: a function decides it, and the file does not state it. Add it.")
    return tuple(rows)


def rows_by_id(rows: Mapping[str, tuple[ProofRow, ...]]) -> dict[str, ProofRow]:
    """Return id -> row, from what each file states."""
    by_id: dict[str, ProofRow] = {}
    for name, stated in rows.items():
        for row in stated:
            if row.id in by_id:
                raise InvalidValueError(f"proofs/rows/{name}.toml, row {row.id}: another row has this id. Rename one.")
            by_id[row.id] = row
    return by_id


def _row(
    fields: Mapping[str, Any], claims: Mapping[str, MakesClaim], phrases: Mapping[str, str], where: str
) -> ProofRow:
    _check_keys(fields, where)
    claim, is_prose = claims.get(fields["id"]), fields["domain"] == "prose"
    if is_prose and claim is not None:
        raise InvalidValueError(f"{where}: domain='prose', and a function decides it. Name the domain of its claim.")
    if not is_prose and claim is None:
        raise InvalidValueError(f"{where}: no function decides it. Mark one with @decides, or set domain='prose'.")
    if is_prose and ("reading" not in fields or fields.keys() & {"expected", "prop", "steps", "theorems", "claim_id"}):
        raise InvalidValueError(
            f"{where}: prose has a reading, and no expected, prop, steps, theorems or claim_id. Change the keys."
        )
    as_printed = AsPrinted(fields["as_printed"]) if "as_printed" in fields else None
    likely = Verdict.REFUTED if as_printed is AsPrinted.FALSE else Verdict.PROVED
    return ProofRow(
        **{name: _filled(fields[name], phrases, where) for name in _TEXTS if name in fields},
        claim=claim,
        notes=tuple(map(str, fields.get("notes", ()))),
        as_printed=as_printed,
        expected=None if is_prose else Verdict(fields.get("expected", likely)),
        theorems=tuple(fields.get("theorems", ())),
    )


def _check_keys(fields: Mapping[str, Any], where: str) -> None:
    for name in fields.keys() - set(_KEYS):
        raise InvalidValueError(f"{where}: no row has the key {name!r}. The keys are {', '.join(_KEYS)}.")
    for name in _REQUIRED:
        if name not in fields:
            raise InvalidValueError(f"{where}: the key {name!r} is missing. Add it to the row, or on top for all rows.")
    for name, value in fields.items():
        if not _is_valid(name, value):
            raise InvalidValueError(f"{where}: {name}={value!r} is not {_kind(name)}. Write {_kind(name)}.")


def _kind(name: str) -> str:
    if name in _LISTS:
        return f"a list of {_LISTS[name].__name__}"
    return f"one of {', '.join(_CHOICES[name])}" if name in _CHOICES else "a text"


def _is_valid(name: str, value: object) -> bool:
    if name in _LISTS:
        return isinstance(value, list) and all(type(entry) is _LISTS[name] for entry in value)
    return type(value) is str and value in _CHOICES.get(name, (value,))


def _filled(text: str, phrases: Mapping[str, str], where: str) -> str:
    try:
        return Template(text).substitute(phrases)
    except KeyError as name:
        raise InvalidValueError(
            f"{where}: ${{{name.args[0]}}} is neither in [words] nor in NUMBERS. Known: {', '.join(phrases) or 'none'}."
        ) from None
    except ValueError as error:
        raise InvalidValueError(f"{where}: {error}. A dollar sign begins ${{name}}; write $$ for the sign.") from None


def _quoted(value: object) -> str:
    """A number as it is, several with commas between them; a list in a list has parentheses."""
    if not isinstance(value, tuple | range):
        return str(value)
    return ", ".join(f"({_quoted(entry)})" if isinstance(entry, tuple) else str(entry) for entry in value)
