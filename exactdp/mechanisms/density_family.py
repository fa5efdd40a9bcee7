"""Randomizers whose messages are real numbers, by two finite tables for each pair of inputs: one tells less, one more.

The user who differs sends by a density P or Q, another by R_v; mu = P - E Q, and L_v = mu/R_v under R_v. What
amplification computes is E max(0, L_1 + ... + L_r) for independent laws L_i (:mod:`exactdp.privacy.amplification`).

*Binning, a lower end.* Who is told only in which of some intervals each message lies is told less: the divergence of
the views is at least that of the finite randomizer that sends the interval.

*Spreading, an upper end.* Call L' a spread of L if E f(L) <= E f(L') for all convex f: then E max(0, L + S) <=
E max(0, L' + S) for every S that is independent of both, and one law after the other may be spread.

1. Cells of messages. Let (P, Q, R_v)(y), y in a cell, lie in the cone of finitely many rays, and write it as a
   combination of them. Each ray, with the total weight that it gets over the cell, becomes one message. This is a
   spread: at y the value mu/R_v is the mean of the values of the rays, weighed by their parts of R_v.
2. Thinning. Let R_v >= q R with q <= 1. Then L_v has the spread that is mu/(q R) under q R, and 0 otherwise: at y the
   share q R/R_v of the message keeps all of mu. The messages of the result have the weights q R, with the sum q; what
   they leave over counts for 0.
3. Mixtures. Let R = sum of w_k R_k, w a law. Then mu/R under R has the spread that draws k by w and is mu/R_k under
   R_k, of which it is the conditional mean given y.

So sums of spreads may stand for sums of the L_v of all users, each with a spread of his own, in the swap bound
(:mod:`exactdp.privacy.amplification.swap_bound`) between *Dropping* and *Vertex*; of a mixture *Vertex* takes the mean,
which is at most the largest. For the bound by the blanket c the law mu/c under c, 0 with the rest of it, is spread.

A family says, at a rational e^eps0, the messages (P, Q, c) and (P, Q, R) of spreads that stand for every pair of inputs
and every input of another user, and why these are enough.
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import Any, NamedTuple, NoReturn

from exactdp.errors import InvalidValueError
from exactdp.mechanisms.family import FamilyRandomizer
from exactdp.mechanisms.pair_table import PairTable
from exactdp.mechanisms.randomizer import Communication, Randomizer

Classes = tuple[tuple[Fraction, Fraction, Fraction], ...]
"""(P, Q, R) of each message."""


class Spreads(NamedTuple):
    """What bounds the divergence of every pair of inputs."""

    blanket: Classes
    """(P, Q, c), c with the sum gamma below every row: a spread of what every pair is beside the blanket."""
    rows: tuple[Classes, ...]
    """(P, Q, R): every pair beside every input of another user has a spread that is a mixture of some of these."""


class DensityFamily(FamilyRandomizer):
    """A randomizer whose messages are real numbers: no table, and no classes of messages."""

    __slots__ = ()

    @property
    def message_space(self) -> tuple[str, int | None]:
        return "all real numbers", None

    @property
    def pairs_by(self) -> str:
        return "spreads"

    @abstractmethod
    def ends(self) -> tuple[Any, ...]:
        """Return the inputs that the data sets of lower ends are made of."""

    @abstractmethod
    def spreads(self, cells: int) -> Spreads:
        """Return what bounds every pair, by so many cells of messages where e^eps0 grows by the factor e.

        Raises:
            InvalidValueError: where e^eps0 is irrational, as ``binned`` does.
        """

    @abstractmethod
    def binned(self, cells: int) -> tuple[PairTable, ...]:
        """Return the tables of pairs of inputs of which only the cell of each message is told."""

    @property
    @abstractmethod
    def in_its_place(self) -> str:
        """What has a table and can be run, as the end of a sentence."""

    def _refuse(self, wanted: str) -> NoReturn:
        raise InvalidValueError(
            f"{self!r} sends real numbers, of which there is no {wanted}: ask privacy_profile() for delta or eps. "
            f"A computer should run {self.in_its_place}."
        )

    def pair_tables(self) -> tuple[PairTable, ...]:
        self._refuse("list of classes")

    def table(self) -> Randomizer:
        self._refuse("table")

    def _table(self) -> Randomizer:
        self._refuse("table")

    @property
    def symbols(self) -> int:
        self._refuse("number")

    def communication(self) -> Communication:
        self._refuse("number of bits")

    def drawn(self, source: object) -> NoReturn:
        self._refuse("safe draw in floating point")
