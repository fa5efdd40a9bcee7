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

4. Cuts, at E >= 1. Where P > Q + C R, replace P by that, so that L is at most C, and charge the rest of it as if R were
   0: E max(0, L + S) falls by no more than L does. Large values of few messages make every exponential moment large,
   and charges count where delta is small: there is a bound for each of several C, and the smallest is taken.

So sums of spreads may stand for sums of the L_v of all users, each with a spread of his own, in the swap bound
(:mod:`exactdp.privacy.amplification.swap_bound`) between *Dropping* and *Vertex*; of a mixture *Vertex* takes the mean,
which is at most the largest. For the bound by the blanket c the law mu/c under c, 0 with the rest of it, is spread.

*Steps.* Let all densities be steps, with ends that move with the input. On each of the intervals into which the ends of
the three densities cut the line they are constant, so that E f(L) is the sum of width R_v f((P - E Q)/R_v) over the
intervals. In which order the ends follow each other changes only where ends of two inputs meet, which is at certain
differences of the two. These planes, and the bounds of the inputs, cut all triples of inputs into polytopes, on each of
which every width is affine, and E f(L) with them, for all f at once. So L is a mixture of what it is at vertices. Where
ends meet at the differences 0 and d, up or down, the coordinates of a vertex are the least or the largest input, or d
or 2 d away from one of these. A part of the message whose probabilities are affine in the input may come along: R f((P
- E Q)/R) is jointly convex in (P, Q, R), and so L has a spread that is the mixture with the same weights.

A family says, at a rational e^eps0, the messages (P, Q, c) and (P, Q, R) of spreads that stand for every pair of inputs
and every input of another user, and why these are enough.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from typing import Any, ClassVar, NamedTuple, NoReturn

from exactdp.errors import InvalidValueError
from exactdp.mechanisms.any_randomizer_family import AnyRandomizer
from exactdp.mechanisms.family import ExpEps0, FamilyRandomizer, read_exp_eps0
from exactdp.mechanisms.pair_table import PairTable
from exactdp.mechanisms.randomizer import Communication, Randomizer
from exactdp.mechanisms.unary_encoding_family import root_of
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.real import Real

Classes = tuple[tuple[Fraction, Fraction, Fraction], ...]
"""(P, Q, R) of each message."""


class Spreads(NamedTuple):
    """What bounds the divergence of every pair of inputs."""

    blanket: Classes
    """(P, Q, c), c with the sum gamma below every row: a spread of what every pair is beside the blanket."""
    rows: tuple[Classes, ...]
    """(P, Q, R): every pair beside every input of another user has a spread that is a mixture of some of these."""
    mass: Fraction | None = None
    """gamma, where the blanket's messages leave it open."""
    leading: int = 0
    """So many of the rows, the first ones, are about the worst; 0 where that is not known."""

    @property
    def gamma(self) -> Fraction:
        """The mass of the blanket."""
        return sum((c for _, _, c in self.blanket), Fraction(0)) if self.mass is None else self.mass


class DensityFamily(FamilyRandomizer):
    """A randomizer whose messages are real numbers: no table, and no classes of messages."""

    __slots__ = ()

    least_input: ClassVar[int] = 0
    """The largest one is 1."""

    @property
    def levels(self) -> tuple[Fraction, ...]:
        """Rising; from each E to the next fewer rows are enough. Empty where they are the same at all E >= 1."""
        return ()

    @property
    def inputs(self) -> tuple[Fraction, ...]:
        """Empty: every number of an interval is an input, and none is listed."""
        return ()

    @property
    def title(self) -> str:
        return f"{self.name.replace('-', ' ').capitalize().replace('laplace', 'Laplace')}, {self.input_space}"

    @property
    def input_space(self) -> str:
        return f"all numbers from {self.least_input} to 1"

    @property
    def message_space(self) -> tuple[str, int | None]:
        return "all real numbers", None

    @property
    def pairs_by(self) -> str:
        return "spreads"

    @property
    def proved_in(self) -> str:
        """Where it stands why its spreads stand for every pair."""
        return type(self).__module__

    @abstractmethod
    def ends(self) -> tuple[Any, ...]:
        """Return the inputs that the data sets of lower ends are made of."""

    @property
    def dummy_inputs(self) -> tuple[Any, ...]:
        return self.ends()

    @abstractmethod
    def spreads(self, cells: int, most: Fraction | None = None) -> Spreads:
        """Return what bounds every pair, by so many cells of messages where e^eps0 grows by the factor e.

        Where ``most`` is given, one of ``levels``, rows that are needed at no E from the level before, or 1, up to it
        may be left out.

        Raises:
            InvalidValueError: where e^eps0 is irrational, as ``binned`` does.
        """

    def joint_spreads(self, cells: int) -> Spreads:
        """Return what bounds every pair beside the answers to other questions as well: rows that are joint spreads.

        If a family does not say, those of every randomizer with its eps0
        (:mod:`exactdp.mechanisms.density_product_family`). The blanket's messages are those of a pair alone.
        """
        self.need_rational("the tables of its cells")
        eps = self.local_epsilon()
        assert isinstance(eps, LogRational)
        rows = AnyRandomizer(exp_eps0=eps.argument).extremes()
        return Spreads(rows[0], rows, self.spreads(cells).gamma)

    def rows_beside(self, dummy: Any) -> tuple[tuple[tuple[Fraction, ...], ...], ...] | None:
        """Return (P, Q, R, D) of rows as in ``spreads``, D of an input that is fixed; None where these are not known.

        Every pair beside every input of another user has, whatever it is mixed with D, a spread that is a mixture.
        """
        return None

    def cuts(self, inputs: Sequence[Any]) -> tuple[Fraction, ...]:
        """Return numbers between which messages tell these inputs apart; none where ``below`` is not known."""
        return ()

    def below(self, value: Any, point: Fraction, bits: int) -> Fraction:
        """Return how likely the message of an input is up to a number, at most 2^-bits less."""
        self._refuse("law at a number")

    @property
    def told_within(self) -> tuple[Fraction, Fraction] | None:
        """Between which numbers messages are told apart where classes meet; None where all are."""
        return None

    @property
    def absent(self) -> Fraction:
        """How likely a user sends nothing."""
        return Fraction(0)

    @property
    def density(self) -> DensityFamily:
        return self

    def share_in(self, other: FamilyRandomizer) -> Fraction:
        """Return how much of some mixture of its rows each row of another randomizer has; 0 where none is known."""
        return Fraction(int(self == other))

    def share_of(self, other: DensityFamily) -> Fraction:
        """Return how much of some mixture of another randomizer's rows each row of this one has."""
        return other.share_in(self)

    def cell_ends(self, cells: int) -> dict[str, list[Fraction]]:
        """Return the cells of ``spreads`` and, the first of them, of ``binned``, as a certificate names them."""
        return {}

    def largest_ratios(self, users: int) -> tuple[Fraction, ...]:
        """Return the largest (P - Q)/R of rows beside so many users, rising, to choose from; nothing for any."""
        return ()

    @abstractmethod
    def binned(self, cells: int) -> tuple[PairTable, ...]:
        """Return the tables of pairs of inputs of which only the cell of each message is told."""

    @property
    def in_its_place(self) -> str:
        """What has a table and can be run, as the end of a sentence."""
        if self.least_input == 0:
            return "clipped_discrete_laplace(top, exp_eps0=...), of numbers in steps of 1/top"
        return "randomized_response(2, exp_eps0=...), of the ends to which an input is rounded at random"

    def _refuse(self, wanted: str) -> NoReturn:
        raise InvalidValueError(
            f"{self!r} sends real numbers, of which there is no {wanted}: ask privacy_profile() for delta or eps. "
            f"A computer should run {self.in_its_place}{self._drawn_exactly}."
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

    @property
    def _drawn_exactly(self) -> str:
        """How messages are drawn, as the end of a sentence; empty where their law is not known."""
        known = self.cuts(self.ends()) and not self.absent
        return ", or draw rounded messages exactly, by exactdp.sampling.rounded_messages" if known else ""

    def drawn(self, source: object) -> NoReturn:
        self._refuse("safe draw in floating point")


@dataclass(frozen=True, slots=True, init=False)
class StepFamily(DensityFamily):
    """Whose densities are steps with rational values (*Steps* above); e^eps0 is the square of a rational s > 1."""

    sends_numbers: ClassVar[bool] = True

    exp_eps0: ExpEps0

    def __init__(self, *, exp_eps0: Exact | Real) -> None:
        set_fields(self, exp_eps0=read_exp_eps0(exp_eps0))
        if not self.root > 1:
            raise InvalidValueError(f"exp_eps0={short(str(exp_eps0))} is 1 or hardly more. Pass e^eps0 > 1 + 2^-50.")

    @property
    def is_rational(self) -> bool:
        return True

    @property
    def root(self) -> Fraction:
        """s: the root of e^eps0, exact where that is a square, else rounded down to a multiple of 2^-53."""
        return root_of(self.exp_eps0)

    def local_epsilon(self) -> LogRational:
        return LogRational(self.root**2)

    @property
    @abstractmethod
    def places(self) -> tuple[Fraction, Fraction, Fraction]:
        """The least input, the largest one, and how far apart two inputs are of which an end of steps is one place."""

    @abstractmethod
    def steps(self, inputs: Sequence[Fraction]) -> Iterable[tuple[Fraction, ...]]:
        """Return the masses, under each of these inputs, of the intervals on which all their densities are constant."""

    def ends(self) -> tuple[Fraction, ...]:
        low, high, apart = self.places
        return self._near({place + k * apart for k in range(-2, 3) for place in (low, high)})

    def _near(self, places: Iterable[Fraction]) -> tuple[Fraction, ...]:
        low, high, _ = self.places
        return tuple(sorted(place for place in places if low <= place <= high))

    def rows_beside(self, dummy: Fraction) -> tuple[tuple[tuple[Fraction, ...], ...], ...]:
        beside = {dummy + k * self.places[2] for k in range(-3, 4)}
        triples = product(self._near({*self.ends(), *beside}), repeat=3)
        return tuple(dict.fromkeys(tuple(self.steps((*triple, dummy))) for triple in triples))

    def spreads(self, cells: int, most: Fraction | None = None) -> Spreads:
        held = self.ends()
        rows = dict.fromkeys(tuple(self.steps(triple)) for triple in product(held, repeat=3))
        return Spreads(tuple((p, q, min(p, q)) for p, q in self.steps((held[0], held[-1]))), tuple(rows))  # type: ignore[arg-type]

    def joint_spreads(self, cells: int) -> Spreads:
        return self.spreads(cells)

    def binned(self, cells: int) -> tuple[PairTable, ...]:
        return tuple(self._steps_of(*pair) for pair in permutations(self.ends(), 2))

    def _steps_of(self, first: Fraction, second: Fraction) -> PairTable:
        held = self.ends()
        vectors = ((p, q, min(p, q), *others) for p, q, *others in self.steps((first, second, *held)))
        return PairTable.merged(first, second, held, vectors)
