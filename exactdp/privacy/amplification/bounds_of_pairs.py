"""What bounds the divergence of an ordered pair, or is it: what is asked of every bound."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import TypeAlias

from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.guesses import log_divergence
from exactdp.privacy.amplification.positive_part import Mixture


class MadeBound(ABC):
    """A bound that is made of mixtures; at each E it is one number, whatever the accuracy."""

    __slots__ = ()

    @abstractmethod
    def divergence(self, users: int, exp_eps: Real, *, relative_bits: int) -> Interval:
        """Enclose the bound with n = ``users``, to a relative width of 2**-relative_bits."""

    @abstractmethod
    def bound(self, users: int, exp_eps: Real) -> Interval:
        """Return an interval whose upper end the bound does not exceed, fast."""

    @abstractmethod
    def limit(self, users: int) -> Fraction:
        """Return the divergence at infinite E, or a smaller number."""

    @abstractmethod
    def exceeds_limit(self, users: int) -> bool:
        """Whether the divergence is known to be above ``limit`` at every E."""

    @abstractmethod
    def settled(self, users: int) -> Fraction:
        """Return an E from which on the divergence is at most ``limit`` if that is not a smaller number."""

    @abstractmethod
    def limit_enclosed(self, users: int, relative_bits: int) -> Interval:
        """Enclose a bound at infinite E."""

    @property
    @abstractmethod
    def limit_at_most(self) -> Fraction:
        """A number that the bound at infinite E does not exceed for any n."""

    @abstractmethod
    def log_size(self, users: int, exp_eps: float) -> float:
        """Return about the logarithm of the bound."""


Bound: TypeAlias = Mixture | MadeBound
"""What bounds the divergence of an ordered pair, or is it."""


def log_size(bound: Bound, users: int, exp_eps: float) -> float:
    """Return about the logarithm of a bound for so many users."""
    return log_divergence(bound, users, exp_eps) if isinstance(bound, Mixture) else bound.log_size(users, exp_eps)
