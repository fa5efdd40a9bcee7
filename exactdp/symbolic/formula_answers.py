"""What is said of a formula that somebody gives: for which numbers of users it was proved, or where it fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Final

from exactdp.numbers.formats import short
from exactdp.numbers.symbols import is_symbolic
from exactdp.symbolic.functions_of_parameters import FunctionLike
from exactdp.symbolic.grammar import read_expression

SIZE: Final = "n"
"""The name that stands for the number of users in a formula."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A rational point of the box at which the formula fails, with the true value there and its own, exactly."""

    n: int
    point: Mapping[str, Fraction]
    truth: Fraction
    formula: Fraction


@dataclass(frozen=True, slots=True)
class FormulaProof:
    """Whether a formula is delta, or a probability, on the whole box, for each number of users asked for.

    It is for every n in ``proved``, identically; where ``counterexample`` is not None it is not, at this n and point.
    """

    proved: tuple[int, ...]
    counterexample: Difference | None
    stopped: str = ""
    """Why no larger n was asked, where a limit was met."""
    certified: tuple[int, ...] = ()
    """The n for which a certificate of the answer was verified: that it is delta, or the value at the point."""

    @property
    def holds(self) -> bool:
        """Whether the formula was proved for every n that was asked."""
        return self.counterexample is None

    @property
    def level(self) -> str:
        """What stands behind the whole answer: "certificate", or "exact" where that is so for one n."""
        asked = [*self.proved, *([] if self.counterexample is None else [self.counterexample.n])]
        return "certificate" if all(n in self.certified for n in asked) else "exact"

    def _level_at(self, n: int) -> str:
        return "certificate" if n in self.certified else "exact"

    def __str__(self) -> str:
        runs = (f"{', '.join(map(str, sizes))} ({level})" for level, sizes in groupby(self.proved, self._level_at))
        proved = f"proved for n = {', '.join(runs)}" if self.proved else "proved for no n"
        if (found := self.counterexample) is None:
            return f"{proved}. {self.stopped}" if self.stopped else proved
        point = ", ".join(f"{name}={value}" for name, value in found.point.items())
        values = f"the value is {short(found.truth)}, the formula {short(found.formula)}"
        return f"{proved}; refuted for n = {found.n} at {point}: {values} ({self._level_at(found.n)})"


def formula_at_size(given: FunctionLike, size: int) -> FunctionLike:
    """Return the formula with the number of users in the place of ``n``; sums and binomials over it are evaluated."""
    if isinstance(given, str):
        return read_expression(given, name="formula", values={SIZE: size})
    if hasattr(given, "to_sympy"):
        given = given.to_sympy()
    if is_symbolic(given):
        symbols = [symbol for symbol in given.free_symbols if str(symbol) == SIZE]  # type: ignore[union-attr]
        return given.subs(dict.fromkeys(symbols, size)).doit()  # type: ignore[union-attr]
    return given
