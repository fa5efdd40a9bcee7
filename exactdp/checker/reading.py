"""From text to numbers and back: JSON documents, their shapes, integers and rationals, ids, and numbers in words.

Trusted for: one value for each text, no key that is not expected, and an id of the claim alone.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, NoReturn, cast

from .budget import Work, malformed, size
from .limits import MAX_BITS, MAX_DECIMAL_BITS, MAX_DEPTH, MAX_FILE_BYTES, MAX_INEQUALITY_BITS, MAX_USERS

SCHEMAS = [f"exactdp-certificate-{version}" for version in (1, 2, 3, 4)]
"""What one can say means the same in those after it."""
FOURTH_SCHEMA = 3
"""The place of the fourth one, which a document names only where it needs it."""
FIRST_KINDS = ["shuffle_dp", "never_dp", "shift_dp", "additive_view", "zero_estimate", "inequality"]
FIRST_KINDS += ["conjunction", "not"]
FIRST_FAMILIES = ["finite", "binomial"]
"""The kinds of claims and the families of laws of the first schema."""
THIRD_FAMILIES = ["discrete-uniform", "k-ary", "unary-encoding", "subset-selection", "hadamard", "local-hashing"]
THIRD_FAMILIES += ["clipped-discrete-laplace"]
"""The families of laws and randomizers that came with the third one; all others came with the second."""
THIRD_KINDS = ["two_message_dp", "counting_dp", "sample_threshold_dp", "split_and_mix", "for_all", "monotone"]
"""The kinds of claims that came with the third one."""
THIRD_KEYS = {"blanket", "likelihood", "event", "levels"}
"""The fields that came with the third one."""
FOURTH_FAMILIES = ["any", "product", "participation", "laplace"]
FOURTH_KEYS = {"swap", "two_messages", "classes", "closed_bracket"}
"""The families of randomizers and the fields that came with the fourth one."""
REALS = ["exp", "log", "inverse", "sum", "product", "power"]
"""The operations of a real parameter."""
SECOND_KEYS = {"assuming", "bits", *REALS}
"""The fields that came with the second schema."""
Object = dict[str, object]
Vector = tuple[int, ...]  # counts per message, users per input, exponents per variable


def read_document(text: str) -> Object:
    """Parse the text, refusing what JSON allows and the format does not."""
    if len(text) > MAX_FILE_BYTES:
        malformed(f"longer than {MAX_FILE_BYTES} bytes")
    if not text.isascii() or "\\" in text:
        malformed("a certificate is ASCII without backslashes")
    depth = 0
    for bracket in re.findall(r"[\[\]{}]", re.sub(r'"[^"]*"', "", text)):
        depth += 1 if bracket in "[{" else -1
        if depth > MAX_DEPTH:
            malformed(f"nested deeper than {MAX_DEPTH}")
    try:
        refused: Any = dict.fromkeys(("parse_int", "parse_float", "parse_constant"), refuse_number)
        value = json.loads(text, object_pairs_hook=read_pairs, **refused)
    except ValueError as error:
        malformed(f"not JSON: {error}")
    return read_object(value, "the document", ["schema", "claim", "claim_id", "verdict", "witness"])


def refuse_constants(text: str) -> None:
    """Of a text that is JSON, also where nothing reads them."""
    if re.search("[a-z]", re.sub(r'"[^"]*"', "", text)):
        malformed("true, false and null are no values here")


def refuse_number(written: str) -> NoReturn:
    malformed(f"the JSON number {written[:20]}; numbers are strings here")


def read_pairs(pairs: list[tuple[str, object]]) -> Object:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        malformed("a key stands twice in one object")
    return fields


def first_schema(value: object) -> int:
    """The place, in SCHEMAS, of the first one that can say a document, or a part of one."""
    place, parts = 0, [value]
    while parts:
        part = parts.pop()
        if isinstance(part, dict):
            fields = cast(Object, part)
            if fields.get("family") in FOURTH_FAMILIES or not FOURTH_KEYS.isdisjoint(fields):
                return FOURTH_SCHEMA
            if fields.get("family") in THIRD_FAMILIES or not THIRD_KEYS.isdisjoint(fields):
                place = 2
            if fields.get("kind") in THIRD_KINDS:
                place = 2
            is_first = fields.get("kind", "not") in FIRST_KINDS and fields.get("family", "finite") in FIRST_FAMILIES
            if not is_first or not SECOND_KEYS.isdisjoint(fields):
                place = max(place, 1)
            part = list(fields.values())
        if isinstance(part, list):
            parts += [inner for inner in cast(list[object], part) if not isinstance(inner, str)]
    return place


def canonical(value: object) -> str:
    """The one spelling of a JSON value whose id is taken."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def sha256(value: object) -> str:
    return hashlib.sha256(canonical(value).encode("ascii")).hexdigest()


def any_object(value: object, where: str) -> Object:
    if not isinstance(value, dict):
        malformed(f"{where} is not an object")
    return cast(Object, value)


def read_object(value: object, where: str, keys: Sequence[str]) -> Object:
    fields = any_object(value, where)
    if set(fields) != set(keys):
        malformed(f"{where} has the keys {sorted(fields)}, not {sorted(keys)}"[:300])
    return fields


def read_list(value: object, where: str, at_least: int, at_most: int) -> list[object]:
    if not isinstance(value, list):
        malformed(f"{where} is not a list")
    entries = cast(list[object], value)
    if not at_least <= len(entries) <= at_most:
        malformed(f"{where} has {len(entries)} entries, outside {at_least} to {at_most}")
    return entries


def read_text(value: object, where: str) -> str:
    if not isinstance(value, str):
        malformed(f"{where} is not a string")
    return value


def read_choice(value: object, where: str, choices: Sequence[str]) -> str:
    word = read_text(value, where)
    if word not in choices:
        malformed(f"{where} is {word[:40]!r}, not one of {', '.join(choices)}")
    return word


def read_integer(value: object, where: str, low: int | None = None, high: int | None = None) -> int:
    number = parse_integer(read_text(value, where), where)
    check_range(Fraction(number), where, low, high)
    return number


def check_range(number: Fraction, where: str, low: int | None, high: int | None) -> None:
    if (low is not None and number < low) or (high is not None and number > high):
        ends = [show(Fraction(end)) if end is not None else "infinity" for end in (low, high)]
        malformed(f"{where} is {show(number)}, outside {' to '.join(ends)}")


def parse_integer(written: str, where: str) -> int:
    """Decimal up to 256 bits (78 digits), lowercase hexadecimal above: every integer has one spelling."""
    digits = written[1:] if written.startswith("-") else written
    magnitude = -1
    if re.fullmatch(r"0|[1-9][0-9]{0,77}", digits) and written != "-0":
        magnitude = int(digits)
        magnitude = magnitude if magnitude.bit_length() <= MAX_DECIMAL_BITS else -1
    elif re.fullmatch(r"0x[1-9a-f][0-9a-f]*", digits):
        if 4 * (len(digits) - 2) > MAX_BITS:
            malformed(f"{where} has more than {MAX_BITS} bits")
        magnitude = int(digits[2:], 16)
        magnitude = magnitude if magnitude.bit_length() > MAX_DECIMAL_BITS else -1
    if magnitude < 0:
        malformed(f"{where} is {written[:40]!r}, not an integer as this format writes it")
    return -magnitude if digits != written else magnitude


def read_rational(value: object, where: str, low: int | None = None, high: int | None = None) -> Fraction:
    """An integer, or p/q in lowest terms with q > 1."""
    numerator, slash, denominator = read_text(value, where).partition("/")
    top = parse_integer(numerator, where)
    bottom = parse_integer(denominator, where) if slash else 1
    if slash and bottom < 2:
        malformed(f"{where} has a denominator below 2")
    number = Fraction(top, bottom)
    if number.denominator != bottom:
        malformed(f"{where} is not in lowest terms")
    check_range(number, where, low, high)
    return number


def read_short(value: object, where: str) -> Fraction:
    """A rational of an inequality: products of these are taken, so they are shorter than elsewhere."""
    number = read_rational(value, where)
    if size(number) > MAX_INEQUALITY_BITS:
        malformed(f"{where} has more than {MAX_INEQUALITY_BITS} bits")
    return number


def read_probability(value: object, where: str) -> Fraction:
    number = read_rational(value, where, 0, 1)
    if number == 0:
        malformed(f"{where} is 0")
    return number


def read_integers(value: object, where: str, length: int) -> Vector:
    return tuple(read_integer(entry, where) for entry in read_list(value, where, length, length))


def read_counts(value: object, where: str, length: int) -> Vector:
    """A data set: for each input the number of users who hold it."""
    return tuple(read_integer(entry, where, 0, MAX_USERS) for entry in read_list(value, where, length, length))


def read_rationals(value: object, where: str, entry_where: str, length: int) -> list[Fraction]:
    return [read_rational(entry, entry_where) for entry in read_list(value, where, length, length)]


def read_point(value: object, dimension: int) -> list[Fraction]:
    """A point where an inequality is evaluated."""
    return [read_short(entry, "a coordinate of the point") for entry in read_list(value, "point", dimension, dimension)]


def common_denominator(values: Collection[Fraction], where: str, work: Work) -> int:
    """Over which all of the values are about to be written."""
    denominator = 1
    for value in values:
        denominator = lcm(denominator, value.denominator)
        if denominator.bit_length() > MAX_BITS:
            malformed(f"the common denominator of {where} has more than {MAX_BITS} bits")
    work.hold(len(values), denominator.bit_length())
    return denominator


def as_weights(values: Iterable[Fraction], denominator: int, where: str) -> list[int]:
    """The probabilities as integers over the denominator; their sum is checked to be 1."""
    weights = [value.numerator * (denominator // value.denominator) for value in values]
    if sum(weights) != denominator:
        malformed(f"{where} sums to {show(Fraction(sum(weights), denominator))}, not 1")
    return weights


def show(value: Fraction) -> str:
    """The number itself where it is short, else seven digits of it, cut, and its size."""
    top, bottom = abs(value.numerator), value.denominator
    if max(top.bit_length(), bottom.bit_length()) <= 64:
        return str(value)
    length = f"{top.bit_length()} bits" if bottom == 1 else f"{top.bit_length()}/{bottom.bit_length()} bits"
    exponent = (top.bit_length() - bottom.bit_length()) * 30103 // 100_000 - 2
    while top * 10 ** max(6 - exponent, 0) // (bottom * 10 ** max(exponent - 6, 0)) >= 10**7:
        exponent += 1
    digits = top * 10 ** max(6 - exponent, 0) // (bottom * 10 ** max(exponent - 6, 0))
    sign = "-" if value < 0 else ""
    return f"{sign}{digits // 10**6}.{digits % 10**6:06}e{exponent} ({length})"


def show_vector(vector: Sequence[int]) -> str:
    return "[" + ", ".join(show(Fraction(entry)) for entry in vector) + "]"
