"""The grammar of names: ``name:key=value,...``, after an @ where files can be named too.

A value is text, in which parentheses are balanced: ``1/8``, ``exp(-1/5)``. A nested name stands in parentheses without
an @, as ``(randomized-response:inputs=4,eps0=1)``, and so does a list, whose parts a semicolon divides: ``(a; b)``. Of
keys, - and _ are the same letter. Each level is read where the meaning of its value is known, and the depth of the
whole is looked at first, so that no text is read for long.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.numbers.formats import short

MAX_TEXT: Final = 10_000
"""Most letters of a name with its parameters."""
MAX_DEPTH: Final = 16
"""Most parentheses inside each other."""
_HOW: Final = "Write @name:key=value,..., for example @zsum:gamma=1/8."


@dataclass(frozen=True, slots=True)
class Named:
    """A name, and the texts that are given for its keys, in their order; the text of a key alone is None.

    >>> str(parse("@unary-encoding:inputs = 10, exp_eps0=3"))
    'unary-encoding:inputs=10,exp-eps0=3'
    """

    name: str
    given: tuple[tuple[str, str | None], ...] = ()

    def __str__(self) -> str:
        listed = ",".join(key if value is None else f"{key}={value}" for key, value in self.given)
        return f"{self.name}:{listed}" if listed else self.name


def key_of(text: str) -> str:
    """Return a key as it is compared: - and _ are alike."""
    return text.strip().replace("_", "-")


def name_of(text: str) -> str:
    """Return what stands before the parameters, without the @."""
    return text.strip().removeprefix("@").partition(":")[0].strip()


def parse(text: str, how: str = _HOW) -> Named:
    """Return the name and what is given for its keys, as texts; ``how`` is what a refusal ends with.

    Raises:
        TooLargeError: for more than 10,000 letters, and more than 16 parentheses inside each other.
        InvalidValueError: for parentheses that do not match, a key that is missing or given twice.
    """
    check(text, how)
    name = name_of(text)
    _, colon, listed = text.partition(":")
    given: dict[str, str | None] = {}
    for entry in split(listed, ",") if colon and listed.strip() else ():
        key, equals, value = entry.partition("=")
        if not key.strip():
            raise InvalidValueError(f"@{short(name)} has an entry without a name: {short(entry)!r}. {how}")
        if equals and not value.strip():
            raise InvalidValueError(f"@{short(name)} has no value after {short(key.strip())}=. {how}")
        if key_of(key) in given:
            raise InvalidValueError(f"@{short(name)} has the parameter {short(key.strip())} twice. {how}")
        given[key_of(key)] = value.strip() if equals else None
    return Named(name, tuple(given.items()))


def check(text: str, how: str = _HOW) -> None:
    """Refuse a text that is too long or too deep to be read, and parentheses that do not match."""
    if len(text) > MAX_TEXT:
        raise TooLargeError(f"a name of {len(text)} letters is longer than the limit of {MAX_TEXT}. Write a file.")
    depth = 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth > MAX_DEPTH:
            raise TooLargeError(f"{short(text)!r} has more than {MAX_DEPTH} parentheses inside each other. Use fewer.")
        if depth < 0:
            break
    if depth:
        wrong = "closes a parenthesis that is not open" if depth < 0 else "has a parenthesis that is not closed"
        raise InvalidValueError(f"{short(text)!r} {wrong}. {how}")


def split(text: str, sign: str) -> list[str]:
    """Return the parts of a text between signs that stand in no parentheses.

    >>> split("p=exp(-1/5),of=(binomial:n=3,p=1/2)", ",")
    ['p=exp(-1/5)', 'of=(binomial:n=3,p=1/2)']
    """
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == sign and not depth:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]]


def inside(text: str) -> str | None:
    """Return what one pair of parentheses holds; None where the text is not all in one.

    >>> inside("(gap)"), inside("gap"), inside("(a) + (b)")
    ('gap', None, None)
    """
    if not (text.startswith("(") and text.endswith(")")):
        return None
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if not depth:
            return text[1:-1].strip() if place == len(text) - 1 else None
    return None


def parts_of(text: str) -> list[str]:
    """Return the parts of a list, or one text alone.

    >>> parts_of("(a:x=1; b)"), parts_of("a")
    (['a:x=1', 'b'], ['a'])
    """
    held = inside(text)
    return [text.strip()] if held is None else [part.strip() for part in split(held, ";")]
