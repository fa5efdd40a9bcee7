"""Duchi's randomizer of a number from -1 to 1: an end is sent, the likelier the nearer the input lies to it.

With E = e^eps0 the input x is sent as +1 with probability 1/2 + x (E - 1)/(2 (E + 1)), else as -1. That is binary
randomized response of the end to which x is rounded at random: R_x = ((1 + x) R_1 + (1 - x) R_-1)/2. (E + 1)/(E - 1)
times the message is an unbiased estimate of x, of variance ((E + 1)/(E - 1))^2 - x^2.

*Every input.* The law of the view is linear in the row of each user, and a hockey-stick divergence is jointly convex
in its two laws. So its supremum over all data sets of numbers from -1 to 1 is the largest over data sets of the two
ends: of others' rows one takes the means apart, user by user, and of the user who differs, whose rows are means of R_1
and R_-1 by two laws, the pairs that these two laws make independently.

Source: DuchiJordanWainwright2018, section 3 (as printed in secondary sources).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Final

from exactdp.errors import InvalidValueError
from exactdp.mechanisms.family import (
    Drawn,
    EstimateSizes,
    ExpEps0,
    FamilyRandomizer,
    SupportSource,
    rational_of,
    read_exp_eps0,
    small_table,
)
from exactdp.mechanisms.k_ary_family import KAryResponse
from exactdp.mechanisms.pair_table import PairTable
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_fraction
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.real import Real

_SIZE_BITS: Final = 64
"""An irrational e^eps0 lies so many bits beside a rational one."""


@dataclass(frozen=True, slots=True, init=False)
class DuchiRandomizer(FamilyRandomizer):
    """Duchi's randomizer as a family, of the two ends; the argument is that of ``duchi``.

    >>> DuchiRandomizer(exp_eps0=3).variance(0), DuchiRandomizer(exp_eps0=3).table().table()[1]
    (Fraction(4, 1), {(1,): Fraction(3, 4), (-1,): Fraction(1, 4)})
    """

    name: ClassVar[str] = "duchi"
    sends_numbers: ClassVar[bool] = True
    least_input: ClassVar[int] = -1

    exp_eps0: ExpEps0

    def __init__(self, *, exp_eps0: Exact | Real) -> None:
        set_fields(self, exp_eps0=read_exp_eps0(exp_eps0))

    @property
    def inputs(self) -> tuple[int, int]:
        """The ends, -1 and 1: a number between them is a mean of both."""
        return -1, 1

    @property
    def input_space(self) -> str:
        return "all numbers from -1 to 1"

    @property
    def message_space(self) -> tuple[str, int]:
        return "2", 2

    @property
    def _response(self) -> KAryResponse:
        return KAryResponse(2, exp_eps0=self.exp_eps0)

    @property
    def response_size(self) -> int:
        return 2

    def local_epsilon(self) -> LogRational | Real:
        return self._response.local_epsilon()

    def variance(self, value: Exact) -> Fraction:
        """Return the variance of the estimate of ``value``, from -1 to 1; its mean is the value."""
        self.need_rational("a variance")
        x, exp_eps0 = as_fraction(value, name="value"), rational_of(self.exp_eps0)
        if abs(x) > 1:
            raise InvalidValueError(f"value={short(x)} is not from -1 to 1. Pass an input.")
        if exp_eps0 == 1:
            raise InvalidValueError("exp_eps0=1: the message says nothing of the input. Pass a larger exp_eps0.")
        return ((exp_eps0 + 1) / (exp_eps0 - 1)) ** 2 - x**2

    @property
    def estimate_sizes(self) -> EstimateSizes | None:
        """With C = (E + 1)/(E - 1), X is C - x or -(C + x), and E abs(X)^3 / E X^2 is (C^2 + x^2)/C."""
        least, most = (rational_of(one.exp_eps0) for one in (self.at_most(_SIZE_BITS), self.at_least(_SIZE_BITS)))
        if least == 1:
            return None
        low, high = ((top + 1) / (top - 1) for top in (most, least))
        return EstimateSizes(low**2, high**2, high + 1, high + 1 / high)

    def pair_tables(self) -> tuple[PairTable, ...]:
        (table,) = self._response.pair_tables()
        return (replace(table, first=-1, second=1, others=self.inputs),)

    def drawn(self, source: SupportSource[Drawn]) -> Drawn:
        return self._response.drawn(source)

    def _table(self) -> Randomizer:
        keep, lie = self._response.keep, self._response.lie
        return Randomizer({x: {(x,): keep, (-x,): lie} for x in self.inputs})


def duchi(*, exp_eps0: Exact | Real) -> Randomizer | FamilyRandomizer:
    """Return Duchi's randomizer of a number from -1 to 1, which sends -1 or 1.

    Args:
        exp_eps0: E = e^eps0, exact and at least 1, or irrational as "exp(1)".

    Returns:
        A ``Randomizer`` of the inputs -1 and 1, exact: the worst data sets of all numbers are made of these two. Where
        e^eps0 is irrational, the family ``DuchiRandomizer``.

    >>> from exactdp import ShuffleProtocol
    >>> ShuffleProtocol(duchi(exp_eps0=3), 10).privacy_profile().delta(exp_eps=2)
    Fraction(19683, 1048576)

    Source: DuchiJordanWainwright2018, section 3 (as printed in secondary sources).
    """
    return small_table(DuchiRandomizer(exp_eps0=exp_eps0))
