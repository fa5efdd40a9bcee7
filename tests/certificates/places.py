"""Places in a document: where a mutation changes something, and how the format writes a number there."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from tests.unit.checker import oracle

Document = Any
Path_ = tuple[Any, ...]


def places(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    """The paths of all values inside a document."""
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


def at(value: Any, path: Path_) -> Any:
    for key in path:
        value = value[key]
    return value


def put(value: Any, path: Path_, new: Any) -> None:
    at(value, path[:-1])[path[-1]] = new


def chosen(rng: random.Random, seed: Document, wanted: Callable[[Any, Path_], bool]) -> Path_ | None:
    """One place inside the claim or the witness; the parameters of a claim more often than its tables."""
    inside = [p for p in places(seed) if len(p) > 1 and p[0] in ("claim", "witness") and wanted(at(seed, p), p)]
    outside_tables = [p for p in inside if not {"rows", "base", "weights", "polynomial"} & set(p)]
    inside = outside_tables if outside_tables and rng.randrange(4) else inside
    return rng.choice(inside) if inside else None


def spell(value: Fraction) -> str:
    """The number as the format writes it."""
    parts = [value.numerator, *([value.denominator] if value.denominator > 1 else [])]
    return "/".join(str(part) if part.bit_length() <= 256 else hex(part) for part in parts)


def value_of(text: Any) -> Fraction | None:
    """The number that a text is, if it is one."""
    if not isinstance(text, str) or not oracle.is_canonical(text) or not text.strip("-")[:1].isdigit():
        return None
    return oracle.number(text)


def is_number(value: Any, path: Path_) -> bool:
    return value_of(value) is not None
