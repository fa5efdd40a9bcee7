"""Many cases of one statement as one item: each of them is tried, and every one that fails is named.

An item of its own costs collecting, reporting and its place among the others, in each process of a run, which is more
than what many a case takes. ``parametrize`` is for cases that somebody runs by themselves.
"""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from itertools import product
from typing import Any

import pytest

_Param = type(pytest.param())
SHOWN = 10
"""Failures are shown in full up to so many, and named all."""


def together(
    names: str | tuple[str, ...], values: Iterable[Any], ids: Callable[[Any], Any] | Iterable[Any] | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Call a test with each of the values, as ``pytest.mark.parametrize`` would, and fail with all that failed.

    Several of these on a function make every combination. Other arguments are fixtures, which the cases share. What
    is skipped or marked needs an item of its own.
    """
    arguments = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else tuple(names)
    one = isinstance(names, str) and "," not in names
    given = list(values)
    if any(isinstance(value, _Param) for value in given):
        raise ValueError(f"pytest.param is among the cases of {names}: its marks are for items. Give values and ids.")
    rows = [(value,) if one else tuple(value) for value in given]
    if wrong := [row for row in rows if len(row) != len(arguments)]:
        raise ValueError(f"{names} are {len(arguments)} names, but a case is {wrong[0]!r}. Give a value for each.")
    if not rows:
        raise ValueError(f"there is no case of {names}, so nothing would be tried. Give at least one.")
    if ids is None or callable(ids):
        words = [", ".join(_word(name, value, ids) for name, value in zip(arguments, row, strict=True)) for row in rows]
    else:
        words = [str(word) for word in ids]
    axis = [(word, dict(zip(arguments, row, strict=True))) for word, row in zip(words, rows, strict=True)]

    def decorated(test: Callable[..., None]) -> Callable[..., None]:
        inner, axes = getattr(test, "_together", (test, []))
        every = [axis, *axes]
        known = set().union(*(each[0][1] for each in every))
        signature = inspect.signature(inner)
        if missing := known - signature.parameters.keys():
            raise ValueError(f"{inner.__name__} has no argument {min(missing)}, but cases of it.")

        @wraps(inner)
        def all_cases(**fixtures: Any) -> None:
            failures: dict[str, BaseException] = {}
            for case in product(*every):
                name = "; ".join(word for word, _ in case)
                try:
                    inner(**fixtures, **{k: v for _, chosen in case for k, v in chosen.items()})
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 (the other cases are tried)
                    error.add_note(f"in the case {name}")
                    failures[name if name not in failures else f"{name} ({len(failures)})"] = error
            if failures:
                said = "\n".join(["", *failures])
                raise BaseExceptionGroup(f"{len(failures)} cases failed:{said}\n", list(failures.values())[:SHOWN])

        del all_cases.__wrapped__  # or pytest would ask for the values as fixtures
        fixtures = [p for name, p in signature.parameters.items() if name not in known]
        all_cases.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]
        all_cases._together = (inner, every)  # type: ignore[attr-defined]
        return all_cases

    return decorated


def _word(name: str, value: Any, ids: Callable[[Any], Any] | None) -> str:
    """How a case names a value: by ids, or as the value prints."""
    chosen = None if ids is None else ids(value)
    if chosen is not None:
        return str(chosen)
    text = getattr(value, "__name__", None) or repr(value)
    return f"{name}={text if len(text) <= 80 else text[:77] + '...'}"
