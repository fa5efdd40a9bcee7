"""Every curve of the survey, by task, and the choice among them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from exactdp.errors import InvalidValueError, meant
from exactdp.numbers.formats import short
from exactdp.studies.survey.bounded_sums import BIT_CURVES, SUM_CURVES
from exactdp.studies.survey.error_curves import MODELS, TASKS, Curve
from exactdp.studies.survey.histogram_curves import HISTOGRAM_CURVES

CURVES: Final[tuple[Curve, ...]] = (*BIT_CURVES, *SUM_CURVES, *HISTOGRAM_CURVES)
"""A new protocol has its curve in the file of its task, and nothing else is to be changed."""


def chosen(only: Sequence[str] = ()) -> list[Curve]:
    """Return the curves whose task, model, protocol or name is among ``only``; all of them for none.

    Raises:
        InvalidValueError: for a word that names nothing.

    >>> [one.name for one in chosen(["zsum"])]
    ['zsum, theorem', 'zsum, least noise']
    """
    for word in only:
        if not any(word in _words(one) for one in CURVES):
            near = meant(word, (known for one in CURVES for known in _words(one)))
            raise InvalidValueError(
                f"only={short(word)!r} names no task, model or protocol. {near}Pass one of {', '.join(names())}."
            )
    return [one for one in CURVES if not only or any(word in _words(one) for word in only)]


def names() -> tuple[str, ...]:
    """Return what curves are chosen by: tasks, models and protocols; curves have names of their own beside."""
    return tuple(dict.fromkeys((*TASKS, *MODELS, *(one.system for one in CURVES))))


def _words(one: Curve) -> Iterator[str]:
    yield from (one.task, one.model, one.system, one.name, one.key)
