"""What can go wrong, each with its repair.

Every error of the package is an :class:`ExactDPError`. Its kind says which built-in exception it also is: an invalid
value is a ``ValueError``, a number of the wrong type a ``TypeError``, a size beyond a limit an ``OverflowError``, an
order that is not proved an ``ArithmeticError``, lost workers a ``RuntimeError``. Messages say what, where,
why and the repair, as ``name=value``. ``error.page`` is where docs/errors.md says more about its kind.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_LONGEST: Final = 200
"""Characters of what is compared with names: they are shorter."""

PAGE: Final = "docs/errors.md"
"""Has a heading for each kind of error."""


class ExactDPError(Exception):
    """The base of every error that this package raises on purpose."""

    @property
    def page(self) -> str:
        """The page of the documentation, and the place on it, that is about this kind of error.

        >>> TooLargeError("n=10 is more than the limit of 9. Use a smaller n.").page
        'docs/errors.md#toolargeerror'
        """
        kind = next(kind for kind in type(self).__mro__ if kind.__module__ == __name__)
        return f"{PAGE}#{kind.__name__.lower()}"


class InvalidValueError(ExactDPError, ValueError):
    """A value of the right type outside its domain."""


class HypothesisError(InvalidValueError):
    """A hypothesis of a published theorem that fails; the message names the theorem and the hypothesis."""


class InvalidLawError(InvalidValueError):
    """Weights that are not a probability law: negative, empty, or with a sum other than 1."""


class InvalidRandomizerError(InvalidValueError):
    """A table that is not a randomizer; the message names the row."""


class InvalidDataSetError(InvalidValueError):
    """A data set with an unknown input, a negative count or the wrong number of users."""


class InvalidFileError(InvalidValueError):
    """A file that cannot be read as what it should be; the message names the file and the place."""


class MalformedCertificateError(InvalidValueError):
    """A certificate that is not one: broken JSON, missing or extra fields, or beyond a stated limit of the checker."""


class CertificateRejectedError(InvalidValueError):
    """A well-formed certificate whose check failed."""


class NotCheckableError(InvalidValueError):
    """A verdict that rests on an enclosure or is undecided, so that no certificate can be written for it."""


class InexactNumberError(ExactDPError, TypeError):
    """A float, a bool or another object where an exact number is needed."""


class TooLargeError(ExactDPError, OverflowError):
    """Work or a number beyond a stated limit, refused before it starts."""


class ScanTooLargeError(TooLargeError):
    """A scan of all data sets beyond its limit.

    ``work`` counts its pairs times outcomes; ``largest_n`` is the largest number of users within the limit, 0 for none;
    ``repair`` names what Python offers beside fewer users, and ``plain`` is the message without it.
    """

    def __init__(self, plain: str, work: int, largest_n: int, repair: str = "") -> None:
        super().__init__(f"{plain} {repair}".rstrip())
        self.plain, self.work, self.largest_n, self.repair = plain, work, largest_n, repair

    def __reduce__(self) -> tuple[type[ScanTooLargeError], tuple[str, int, int, str]]:
        return type(self), (self.plain, self.work, self.largest_n, self.repair)


class UndecidedError(ExactDPError, ArithmeticError):
    """An order between two enclosures that is not proved at this precision."""


class WorkersLostError(ExactDPError, RuntimeError):
    """Processes or a cluster that went away before they had answered; what they had answered is kept."""


class FloatUnderflowWarning(RuntimeWarning):
    """A number other than 0 that ``float()`` turned into 0.0, because it is below every float."""


def nearest(name: str, known: Iterable[str], *, most: int = 1) -> list[str]:
    """Return the names that were meant, where one is not known: those that differ by a slip of the hand.

    >>> nearest("detla", ["delta", "epsilon"]), nearest("wholly other", ["delta"])
    (['delta'], [])
    """
    from difflib import get_close_matches  # is loaded where something went wrong

    return get_close_matches(name[:_LONGEST], list(known), n=most)


def meant(name: str, known: Iterable[str], *, most: int = 1) -> str:
    """Return a question to put into a message, with a space behind it; nothing where no name is near.

    >>> meant("detla", ["delta", "epsilon"]), meant("wholly other", ["delta"])
    ('Did you mean delta? ', '')
    """
    near = nearest(name, known, most=most)
    return f"Did you mean {' or '.join(near)}? " if near else ""
