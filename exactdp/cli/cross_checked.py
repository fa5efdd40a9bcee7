"""What --cross-check adds to an answer: the same number by an independent computation, and whether it lies inside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import exactdp as xdp
from exactdp.cli.failures import HOLDS, REFUTED, UNDECIDED
from exactdp.cli.output import count
from exactdp.cli.progress import working

_DIGITS: Final = 30
"""More than an answer shows unless more are asked for."""
_STATUS: Final = {"inside": HOLDS, "outside": REFUTED, "undecided": UNDECIDED, "not computed": UNDECIDED}
"""Verdict -> exit status."""


@dataclass(frozen=True, slots=True)
class CrossChecked:
    """A second computation of an answer, in the forms of a command."""

    check: xdp.CrossCheck

    @classmethod
    def of(
        cls, profile: xdp.PrivacyProfile | xdp.ComposedProfile, question: dict[str, Any], answer: Any
    ) -> CrossChecked:
        """Compute the answer to a question again; ``question`` has eps, exp_eps or delta."""
        with working("the cross-check"):
            return cls(xdp.cross_check(profile, **question, answer=answer))

    @property
    def line(self) -> tuple[str, str]:
        """The verdict, for reading."""
        return "cross-check", str(self.check)

    @property
    def data(self) -> dict[str, Any]:
        """The verdict and what it rests on, as JSON data."""
        computed = self.check.lower is not None
        lower, upper = (_decimal(end) for end in (self.check.lower, self.check.upper))
        return {
            "verdict": self.check.verdict,
            "lower": lower,
            "upper": upper,
            "digits": count(self.check.digits) if computed else None,
            "method": self.check.method or None,
            "reason": self.check.reason or None,
            "steps": count(self.check.steps),
            "seconds": f"{self.check.seconds:.2f}",
        }


def worst_status(checks: Iterable[CrossChecked | None]) -> int:
    """Return the exit status of a command: 1 where an answer is outside, 3 where one is not decided, else 0."""
    found = {_STATUS[each.check.verdict] for each in checks if each is not None}
    return next((status for status in (REFUTED, UNDECIDED) if status in found), HOLDS)


def _decimal(value: Any) -> str | None:
    """Return a number of the second computation as a decimal, rounded to nearest."""
    if value is None:
        return None
    import mpmath

    return "infinity" if value == mpmath.inf else str(mpmath.nstr(value, _DIGITS))
