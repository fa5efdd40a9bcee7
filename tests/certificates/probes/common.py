"""What the probes share: their list, reals by mpmath, and how a checker declines."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from mpmath import mp, mpf

Checker = Any
TINY = mpf(2) ** -200
PROBES: dict[str, Callable[[Checker], None]] = {}
"""By file and name: pytest imports these files again for their doctests, by other names, and adds no probe twice."""


def probe(function: Callable[[Checker], None]) -> Callable[[Checker], None]:
    PROBES[f"{function.__code__.co_filename}:{function.__name__}"] = function
    return function


def real(value: Any) -> Any:
    """A real of the format, by mpmath."""
    if isinstance(value, str):
        top, _, bottom = value.partition("/")
        return mpf(int(top)) / int(bottom or 1)
    ((name, inner),) = value.items()
    if name in ("exp", "log", "inverse"):
        x = real(inner)
        return mp.exp(x) if name == "exp" else mp.log(x) if name == "log" else 1 / x
    if name == "power":
        return real(inner[0]) ** int(inner[1])
    terms = [real(term) for term in inner]
    return mp.fsum(terms) if name == "sum" else mp.fprod(terms)


def contains(bounds: tuple[int, int], value: Any, slack: int) -> bool:
    """Whether integer bounds enclose a number, and no more than ``slack`` units too widely at each end."""
    low, high = bounds
    return low <= value <= high and value - low < slack and high - value < slack


def refuses(checker: Checker, call: Callable[[], Any]) -> str:
    """The name of the exception with which the checker declines."""
    try:
        call()
    except (checker.MalformedCertificateError, checker.CertificateRejectedError) as error:
        return type(error).__name__
    return "nothing"


def refuses_beyond(checker: Checker, cases: Iterable[tuple[str, int, Callable[[], Any]]]) -> None:
    """A limit of the checker, the least value at which it does not refuse the call, and the call."""
    for name, value, ask in cases:
        original = getattr(checker, name)
        try:
            for most, answer in ((value, "nothing"), (value - 1, "MalformedCertificateError")):
                setattr(checker, name, most)
                assert refuses(checker, ask) == answer, (name, most)
        finally:
            setattr(checker, name, original)


def walked_noise(checker: Checker, sides: Callable[[int, Any], Any]) -> Any:
    """A law with these enclosed weights."""
    return type("Stub", (checker.WalkedNoise,), {"sides": lambda self, bits, work: sides(bits, work)})()
