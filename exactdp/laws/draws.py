"""What a law of noise is drawn from: any law that NumPy's generator has by name, and the few that need care.

A law says here how it is made of these (a discrete Laplace variable is the difference of two geometric ones); who draws
is for :mod:`exactdp.sampling` to say. Parameters are exact, and carry their names for messages.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol, TypeVar

from exactdp.numbers.real import Real

Drawn = TypeVar("Drawn")
"""Draws of one law."""


class Primitives(Protocol[Drawn]):
    """A source of independent draws of some laws; equal calls give independent draws."""

    def binomial(self, n: int, p: Fraction, name: str = "p") -> Drawn:
        """Bin(n, p)."""
        ...

    def geometric(self, p: Fraction | Real, name: str = "p") -> Drawn:
        """P[t] = (1 - p) p^t for t >= 0."""
        ...

    def negative_binomial(self, r: Fraction | Real, p: Fraction | Real) -> Drawn:
        """NB(r, p) of :class:`exactdp.NegativeBinomial`."""
        ...

    def numpy(self, method: str, **parameters: int | Fraction | Real) -> Drawn:
        """What the method of that name of NumPy's generator draws with these parameters, in this order.

        Where the law of the noise has an end, or a mean, beyond what an integer of NumPy holds, it is refused.
        """
        ...

    def discrete_gaussian(self, sigma_squared: Fraction) -> Drawn:
        """Weights proportional to e^(-t^2 / (2 sigma_squared))."""
        ...

    def plus(self, first: Drawn, second: Drawn) -> Drawn:
        """The sum of independent draws."""
        ...

    def minus(self, first: Drawn, second: Drawn) -> Drawn:
        """The difference of independent draws, also of one law with itself."""
        ...
