"""A small member of everything that the registry names, and the checks of one interface.

What is registered is a member at once: its parameters are the small values below, where there is one for them, else
what the registry gives as an example.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, Final

from exactdp.errors import ExactDPError
from exactdp.mechanisms.named_randomizers import Entry

SMALL: Final = {
    "bins": "2",
    "bound": "1",
    "buckets": "3",
    "delta": "1/10",
    "dummies": "1",
    "exp-eps0": "3",
    "exp_eps": "5/2",
    "for-delta": "1/10",
    "gamma": "1/2",
    "high": "5",
    "inputs": "3",
    "low": "-2",
    "mean": "3/4",
    "messages": "2",
    "modulus": "3",
    "mu": "7/4",
    "n": "7",
    "n1": "4",
    "n2": "5",
    "p": "1/3",
    "p1": "1/2",
    "p2": "2/7",
    "r": "3",
    "rate": "1/2",
    "sigma_squared": "5/2",
    "threshold": "2",
    "times": "2",
    "top": "2",
}
"""Parameter -> a small value."""

OWN: Final = {
    "aggregate": {"of": "(unary-encoding:inputs=2,exp-eps0=4)"},
    "local-hashing": {"inputs": "2"},
    "product": {"of": "(randomized-response:inputs=2,exp-eps0=3; randomized-response:inputs=2,exp-eps0=2)"},
    "repeat": {"of": "(unary-encoding:inputs=13,exp-eps0=3)"},
}
"""Name -> what is smaller still, or made of other small randomizers."""


def small_name(entry: Entry, **more: str) -> str:
    """The name of a small member, with further parameters."""
    given = {need.name: SMALL.get(need.name, need.example) for need in entry.needed} | OWN.get(entry.name, {}) | more
    for one in entry.parameters:
        if one.name in more and one.instead_of:
            given.pop(one.instead_of)
    typed = ",".join(f"{key}={value}" for key, value in given.items())
    return f"@{entry.name}:{typed}" if typed else f"@{entry.name}"


Check = Callable[[Any], None]


class Interface(dict[str, Check]):
    """What every member of an interface keeps: name of a check -> the check."""

    def keeps(self, check: Check) -> Check:
        """Add a check, under its name."""
        self[check.__name__] = check
        return check


def changed(member: Any, changes: Mapping[str, Any]) -> Any:
    """A member that answers as another one does, but for the answers that are changed."""

    def answer(value: Any) -> Any:
        return (lambda _, *args, **options: value(*args, **options)) if callable(value) else property(lambda _: value)

    kind = type(member)
    answers = {name: answer(value) for name, value in changes.items()}
    twin = object.__new__(type(kind.__name__, (kind,), {"__slots__": (), "__module__": kind.__module__, **answers}))
    for field in fields(member):
        object.__setattr__(twin, field.name, getattr(member, field.name))
    return twin


def refuses(question: Any, *args: Any, **options: Any) -> bool:
    """Whether a question is refused with a sentence."""
    try:
        question(*args, **options)
    except ExactDPError as error:
        return str(error).endswith((".", ")"))
    return False
