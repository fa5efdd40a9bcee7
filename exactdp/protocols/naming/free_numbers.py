"""Names and files with one number left free: ``?`` in its place, or a factor of every eps0 that is given.

``@product:of=(randomized-response:inputs=4,eps0=?; unary-encoding:inputs=10,eps0=2)`` leaves one eps0 free, and without
a ``?`` all eps0 of a text are multiplied by one factor. A text may stand in several places, as those of the classes of
a file: the number is the same in all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from exactdp.errors import InvalidFileError, InvalidValueError
from exactdp.mechanisms.named_randomizers import EPS0, EXP_EPS0, GAMMA, RANDOMIZERS, Entry, Value
from exactdp.mechanisms.randomizer_files import ClassEntry, read_class_entries, read_questions
from exactdp.numbers.exact import as_fraction
from exactdp.numbers.formats import exact_text, short
from exactdp.protocols.interface import Protocol
from exactdp.protocols.named_protocols import find
from exactdp.protocols.naming.name_grammar import check, key_of, name_of, parts_of
from exactdp.protocols.naming.targets import (
    Files,
    ProtocolTarget,
    are_mixed,
    given_by_name,
    known,
    labelled_alike,
    read_randomizer,
    read_target,
    spelled,
)

FACTOR: Final = "factor"
SIGMA: Final = "sigma"
FREE: Final = (EPS0.name, EXP_EPS0.name, GAMMA.name, SIGMA)
"""Parameters that a ``?`` may stand for."""

_EPS0: Final = re.compile(r"(?<![-\w])eps0\s*=\s*([^,;()]+)")
"""Where a name gives an eps0."""
_OPEN: Final = re.compile(r"([-\w]+)\s*=\s*\?")
"""Where a number is left open."""
_OF_OTHERS: Final = (Value.RANDOMIZER, Value.RANDOMIZERS)


def is_free(text: str) -> bool:
    """Whether a text is a name that holds others, or leaves a number open, or a file."""
    found = find(name_of(text))
    if found is None:
        return not text.startswith("@") and (Path(text).is_file() or bool(Path(text).suffix))
    return "?" in text or any(one.value in _OF_OTHERS for one in found[0].parameters)


def scaled(text: str, factor: Fraction) -> str | None:
    """Return the text with every eps0 times a factor; None where it gives none.

    >>> scaled("krr:inputs=4,eps0=3/2", Fraction(1, 2)), scaled("krr:inputs=4,gamma=1/2", Fraction(1, 2))
    ('krr:inputs=4,eps0=3/4', None)
    """

    def at(match: re.Match[str]) -> str:
        return f"eps0={exact_text(as_fraction(match[1].strip(), name='eps0') * factor)}"

    return _EPS0.sub(at, text) if _EPS0.search(text) else None


@dataclass(frozen=True, slots=True)
class FreeNumber:
    """What is run, with one number free.

    Args:
        key: what is free: ``FACTOR`` or one of ``FREE``.
        texts: names and files, of each class of users, or the one that all run.
        entries: the classes of a file; empty for one text.
        within: the file in which the texts stand, if any.
    """

    key: str
    texts: tuple[str, ...]
    entries: tuple[ClassEntry, ...]
    within: Files

    @classmethod
    def read(cls, text: str) -> FreeNumber:
        """Return what a name or a file leaves free."""
        entries, within, texts = tuple[ClassEntry, ...](), tuple[Path, ...](), tuple[str, ...]((text,))
        if find(name_of(text)) is None or (not text.startswith("@") and Path(text).is_file()):
            within = (Path(text).resolve(),)
            entries = tuple(read_class_entries(text) or ())
            questions = None if entries else read_questions(text)
            if not entries and questions is None:
                raise InvalidFileError(
                    f"{text}: the rows of a table leave no number free. Name a randomizer with its eps0, or a file of "
                    "such names in [[product]] or [[class]]."
                )
            together = f"@product:of=({'; '.join(one.removeprefix('@') for one in questions or ())})"
            texts = tuple(entry.of for entry in entries) if entries else (together,)
        for one in texts:
            check(one)
        opened = dict.fromkeys(key_of(match[1]) for one in texts for match in _OPEN.finditer(one))
        if (
            any(one.count("?") != len(_OPEN.findall(one)) for one in texts)
            or len(opened) > 1
            or opened.keys() - {*FREE}
        ):
            raise InvalidValueError(
                f"? stands for one number, the same wherever it is left open: {', '.join(FREE[:-1])} or {FREE[-1]}. "
                f"{short(text)} has it elsewhere. Write eps0=?."
            )
        found = cls(next(iter(opened), FACTOR), texts, entries, within)
        if not opened:
            found._check_eps0()
        return found

    def _check_eps0(self) -> None:
        """Refuse texts of which a factor of all eps0 says nothing, or not all."""
        others = [f"{key}={given[key]}" for _, given in self.leaves() for key in FREE[1:] if key in given]
        if others or not self.eps0s:
            what = f"gives {others[0]}" if others else "gives no eps0"
            raise InvalidValueError(
                f"{short('; '.join(self.texts))} {what}, of which no factor is looked for. Write eps0=2, or leave one "
                "number open: eps0=?, exp-eps0=?, gamma=? or sigma=?."
            )

    def leaves(self) -> Iterator[tuple[Entry, dict[str, str]]]:
        """Yield the randomizers by name that are held, and what is given for their parameters."""
        for text in self.texts:
            yield from _leaves(spelled(text, self.within), self.within)

    @property
    def eps0s(self) -> list[Fraction]:
        """All eps0 that are given."""
        return [as_fraction(match[1].strip(), name="eps0") for one in self.texts for match in _EPS0.finditer(one)]

    def at(self, value: Fraction) -> tuple[str, ...]:
        """Return the texts with a value for the number."""
        if self.key == FACTOR:
            return tuple(scaled(one, value) or one for one in self.texts)
        return tuple(_OPEN.sub(lambda match: f"{match[1]}={exact_text(value)}", one) for one in self.texts)

    def target(self, value: Fraction) -> ProtocolTarget | None:
        """Return what all users run; None where there are classes."""
        if self.entries:
            return None
        target = read_target(spelled(self.at(value)[0], self.within), within=self.within)
        if not isinstance(target, ProtocolTarget):
            raise InvalidValueError(f"{short(target.name)} is a noise law. Calibrate @discrete-gaussian by its name.")
        return target

    def protocol(self, value: Fraction, n: int | None) -> Protocol:
        """Return the protocol of a value."""
        target = self.target(value)
        if target is not None:
            return target.build(n)
        from exactdp.protocols.user_classes_protocol import UserClassesProtocol

        run: list[Any] = [read_randomizer(one, within=self.within) for one in self.at(value)]
        if are_mixed(run):
            run = [read_randomizer(one, within=self.within, rational=True) for one in self.at(value)]
        pairs = zip(labelled_alike(run), (one.users for one in self.entries), strict=True)
        return UserClassesProtocol(list(pairs), participation=[one.participation for one in self.entries])

    def users(self, n: int | None) -> int | None:
        """Return the number of users: that of the classes, or the one that is given."""
        if self.entries and n is not None:
            raise InvalidValueError(f"n={n} is given, and the file says how many users each class has. Leave it out.")
        return sum(one.users for one in self.entries) if self.entries else n


def _leaves(text: str, within: Sequence[Path]) -> Iterator[tuple[Entry, dict[str, str]]]:
    if not text.startswith("@"):  # a file, in which nothing is free
        return
    entry, given = known(name_of(text))[0], given_by_name(text)
    held = [value for key, value in given.items() if entry.by_name.get(key) and entry.by_name[key].value in _OF_OTHERS]
    if not held:
        yield entry, given
    for part in (part for value in held for part in parts_of(value)):
        yield from _leaves(spelled(part, tuple(within)), within)


def is_plain(text: str) -> bool:
    """Whether a name is a randomizer, or a product or repetition of what is plain: channels act on each message."""
    entry = find(name_of(text))
    return entry is not None and entry[0].name in RANDOMIZERS
