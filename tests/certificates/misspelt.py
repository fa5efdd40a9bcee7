"""Certificates that are spelt otherwise than the format asks, or otherwise and still so: one change of their bytes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

_SPACES: Final = (b" ", b"\t", b"\n", b"\r", b"\r\n  ", b"\x0b", b"\x0c", b"\xc2\xa0", b"\xe2\x80\x83", b"\x00", b"")
_VALUES: Final = (b"null", b"true", b"NaN", b"-Infinity", b"1", b"-0", b"1.0", b"1e0", b"[]", b"{}", b'""', b"'1'", b"")
_NUMBERS: Final = (
    b"+%s",
    b"0%s",
    b" %s",
    b"%s ",
    b"%s.0",
    b"%se0",
    b"0x%s",
    b"%s/1",
    b"-%s",
    b"%s_0",
    b"\xef\xbc\x91%s",
)
_LETTERS: Final = (b"\\/", b'\\"', b"\\", b"\x1f", b"\x7f")
_ENDS: Final = (b" ", b"\n", b"\x00", b"x", b"{}", b",", b"]", b"}", b"//", b"\xef\xbb\xbf")
_MARKS: Final = (b",", b":", b'"', b"[", b"]", b"{", b"}")


def _at_a(pattern: bytes, change: Callable[[random.Random, bytes], bytes]) -> Callable[[random.Random, bytes], bytes]:
    """Change one place where the pattern matches, if there is one."""

    def changed(rng: random.Random, content: bytes) -> bytes:
        places = list(re.finditer(pattern, content))
        if not places:
            return content
        place = rng.choice(places)
        return content[: place.start()] + change(rng, place.group()) + content[place.end() :]

    return changed


def _deeper(rng: random.Random, content: bytes) -> bytes:
    """The witness inside so many lists, near the limit of 32."""
    depth = rng.randrange(25, 40)
    return re.sub(
        rb'("witness":\s*)(.*)(\}\s*)$', rb"\1" + b"[" * depth + rb"\2" + b"]" * depth + rb"\3", content, flags=re.S
    )


_CHANGES: Final[tuple[Callable[[random.Random, bytes], bytes], ...]] = (
    lambda rng, content: rng.choice((b"\xef\xbb\xbf", b"\xff\xfe", b" ", b"\n")) + content,
    lambda rng, content: content + rng.choice(_ENDS),
    lambda rng, content: content[: rng.randrange(len(content))],
    _at_a(rb"[\[\]{}:,]", lambda rng, mark: mark + rng.choice(_SPACES)),
    _at_a(rb"[\[\]{}:,]", lambda rng, mark: rng.choice((b"", mark + mark, rng.choice(_MARKS)))),
    _at_a(
        rb"[A-Za-z0-9]",
        lambda rng, letter: rng.choice((b"\\u%04x" % letter[0], *_LETTERS)),
    ),
    _at_a(rb'"[^"]*"\s*:\s*"[^"]*"', lambda rng, field: field + b"," + field),
    _at_a(rb'"[^"]*"(?=\s*[,\]}])', lambda rng, text: rng.choice((text[1:-1], *_VALUES))),
    _at_a(rb'(?<=")\d+(?=")', lambda rng, digits: rng.choice(_NUMBERS) % digits),
    _at_a(rb".", lambda rng, byte: bytes([byte[0] ^ 1 << rng.randrange(8)])),
    _deeper,
)


def misspelt(count: int, seed: int, seeds: list[Path], folder: Path) -> list[Path]:
    """Write so many files, each with one change of the bytes of one of the seeds; the same ones for the same seed."""
    rng, files = random.Random(seed), []
    for number in range(count):
        files.append(folder / f"misspelt{number}.json")
        files[-1].write_bytes(rng.choice(_CHANGES)(rng, rng.choice(seeds).read_bytes()))
    return files
