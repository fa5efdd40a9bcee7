"""Products of a number that is sent as a real number, and of questions that have tables: one message answers all.

An input is a pair (x, t), x the number and t the input of the rest, and the message a pair of independent messages.

*Joint spreads.* Messages (P, Q, R) are spread jointly if the sum of F(P, Q, R) over all of them rises, or stays, for
every F that is convex and F(k v) = k F(v), k >= 0; R is completed to a law by messages (0, 0, r). In the product, given
a message (p, q, r) of the rest, L is that of (p P, q Q, r R), and E f(L) is the sum of such an F, r R f((p P - E q
Q)/(r R)), where R is 0 its limit. So every joint spread of the number's messages, times the messages of the rest, is a
spread of the product's, and where it is a mixture the product is one, with the same weights. After that P may rise and
Q fall. A spread that rests on E >= 1 is none: beside an answer with p > q it meets E q/p, which may be below 1. What is
joint is for each family to say (``joint_spreads``):

* *Steps* (:mod:`exactdp.mechanisms.density_family`). The widths are affine, for all F at once, and what is affine in
  the input is jointly convex under F.
* *Gaussian noise* (:mod:`exactdp.mechanisms.gaussian_family`). L is a conditional mean of another through P/R and Q/R
  each, by one map T; rays and thinning split messages; the charge beyond the cells raises P. All triples, equal inputs
  among them, are images of those that are named: (a, a) beside 0 stretches to (l, l) beside 0, which a plane covers.
* *All others* are eps0-DP. The vector (P, Q, R) lies in the cone of the rays {1, e^eps0}^3 without constant ones, and
  the shares of rays are a polytope, whose vertices are the five extreme randomizers of *Every randomizer* in
  :mod:`exactdp.privacy.amplification.swap_bound`. Every eps0-DP randomizer has this spread: the upper end is further
  from the truth.

*Every pair.* The rest has pairs of different inputs of each kind, and inputs that both share, with P = Q. The triples
of numbers include equal ones. So the rows of the product are all products of rows.

*The blanket* is the product of both: no row is below it. What a pair is without others is spread to the product of what
the number is without others, as of the widest pair, and of binary randomized response, of which every pair of rows with
the eps0 of the rest is a channel. The widest pair serves whatever the rest says: what is compared beside the blankets
of steps, two values s^2 (a - b) and a - b with s^2 a - b and a - s^2 b, has the order of E for all a, b >= 0.

*Below*, bins of the number and classes of the rest multiply.

Source: KasiviswanathanLeeNissimRaskhodnikovaSmith2011, section 2 (several local randomizers on one record, while
the proofs are this page's).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from exactdp.mechanisms.density_family import Classes, DensityFamily, Spreads
from exactdp.mechanisms.family import Parameter, UserRandomizer
from exactdp.mechanisms.pair_table import PairTable, every_pair_table
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_fraction
from exactdp.numbers.formats import exact_text
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.real import Real


@dataclass(frozen=True, slots=True, init=False)
class DensityProduct(DensityFamily):
    """A number and a rest that is answered beside it; ``product`` makes it.

    >>> from exactdp.randomizers import piecewise, product, randomized_response
    >>> both = product(randomized_response(2, exp_eps0=3), piecewise(exp_eps0=4))
    >>> both.local_epsilon(), both.input_space
    (LogRational('12'), '(all numbers from -1 to 1) x 2')
    """

    name: ClassVar[str] = "product"
    sends_tuples: ClassVar[bool] = True

    number: DensityFamily
    rest: UserRandomizer

    def __init__(self, number: DensityFamily, rest: UserRandomizer) -> None:
        set_fields(self, number=number, rest=rest)

    @property
    def parameters(self) -> dict[str, Parameter]:
        irrational = (one.parameters for one in (self.number, self.rest.family) if one and not one.is_rational)
        return next(irrational, {})

    @property
    def is_rational(self) -> bool:
        return self.number.is_rational and self.rest.is_rational

    @property
    def input_space(self) -> str:
        return f"({self.number.input_space}) x {len(self.rest.inputs)}"

    @property
    def message_space(self) -> tuple[str, int | None]:
        return "all real numbers with an answer to all else", None

    @property
    def in_its_place(self) -> str:
        return f"a product with {self.number.in_its_place}"

    def local_epsilon(self) -> LogRational | Real:
        one, other = self.number.local_epsilon(), self.rest.local_epsilon()
        if isinstance(other, LogRational) and other.is_infinite:
            return other
        if isinstance(one, LogRational) and isinstance(other, LogRational):
            return LogRational(one.argument * other.argument)
        one, other = (Real.log(Real(eps.argument)) if isinstance(eps, LogRational) else eps for eps in (one, other))
        return one + other

    def at_least(self, bits: int = 53) -> DensityProduct:
        return self if self.is_rational else DensityProduct(self.number.at_least(bits), self.rest.at_least(bits))

    def at_most(self, bits: int = 53) -> DensityProduct:
        return self if self.is_rational else DensityProduct(self.number.at_most(bits), self.rest.at_most(bits))

    def ends(self) -> tuple[tuple[Any, Any], ...]:
        return tuple((_plain(x), t) for x in self.number.ends() for t in self._labels)

    @property
    def dummy_inputs(self) -> tuple[()]:
        return ()

    @property
    def _labels(self) -> tuple[Any, ...]:
        """The inputs of the rest that its tables name."""
        return tuple(dict.fromkeys(label for one in self._tables() for label in (one.first, one.second, *one.others)))

    def _tables(self) -> tuple[PairTable, ...]:
        self.need_rational("the classes")
        family = self.rest.family
        return tuple(every_pair_table(self.rest.tabulated)) if family is None else family.pair_tables()

    def largest_ratios(self, users: int) -> tuple[Fraction, ...]:
        eps = self.rest.local_epsilon()
        times = eps.argument if isinstance(eps, LogRational) and not eps.is_infinite else 1
        return tuple(most * times for most in self.number.largest_ratios(users))

    def spreads(self, cells: int, most: Fraction | None = None) -> Spreads:
        joint, tables = self.number.joint_spreads(cells), self._tables()
        rest = list(dict.fromkeys(row for table in tables for row in _rows_of(table)))
        rows = [_times(one, other) for one in joint.rows for other in rest]
        alone = _times([(p, q, Fraction(0)) for p, q, _ in joint.blanket], _response(self.rest.local_epsilon()))
        gamma = joint.gamma * min(sum((c.least for c in table.classes), Fraction(0)) for table in tables)
        return Spreads(alone, tuple(rows), gamma, leading=joint.leading * len(rest))

    def binned(self, cells: int) -> tuple[PairTable, ...]:
        unlike = {frozenset(map(one.beside, range(len(one.others)))): one for one in reversed(self._tables())}
        pairs = [shared for one in self.number.binned(cells) for shared in (one, *_shared(one))]
        return tuple(_product(one, other) for one in dict.fromkeys(pairs) for other in unlike.values())


def _rows_of(table: PairTable) -> Iterator[Classes]:
    """Yield (P, Q, R) of the pair beside each input named, and of its first input for both."""
    for place in range(len(table.others)):
        yield tuple((c.first, c.second, c.least) for c in table.beside(place))
        shared = [(c.first, c.first, c.others[place]) for c in table.classes]
        yield _merged(shared)


def _shared(table: PairTable) -> Iterator[PairTable]:
    """Yield the tables of an input named, for both."""
    for place, label in enumerate(table.others):
        rows = ((c.others[place], c.others[place], c.least, *c.others) for c in table.classes)
        yield PairTable.merged(label, label, table.others, rows)


def _merged(rows: Iterable[Sequence[Fraction]]) -> Classes:
    return tuple((c.first, c.second, c.least) for c in PairTable.merged(None, None, (), rows).classes)


def _times(one: Iterable[Sequence[Fraction]], other: Classes) -> Classes:
    """Return the messages of two independent ones."""
    return tuple((p * x, q * y, r * z) for p, q, r in one for x, y, z in other)


def _response(eps: LogRational | Real) -> Classes:
    """Return binary response of a rational e^eps, alone."""
    assert isinstance(eps, LogRational)
    one, zero = Fraction(1), Fraction(0)
    if eps.is_infinite:
        return (one, zero, zero), (zero, one, zero)
    keep = eps.argument / (eps.argument + 1)
    return (keep, 1 - keep, zero), (1 - keep, keep, zero)


def _product(one: PairTable, other: PairTable) -> PairTable:
    """Return the table of two pairs at once, beside every tuple of inputs named."""
    labels = [(_plain(x), t) for x in one.others for t in other.others]
    vectors = (
        (a.first * b.first, a.second * b.second, a.least * b.least, *(r * s for r in a.others for s in b.others))
        for a in one.classes
        for b in other.classes
    )
    first, second = ((_plain(x), t) for x, t in ((one.first, other.first), (one.second, other.second)))
    return PairTable.merged(first, second, labels, vectors)


def _plain(value: Exact) -> int | str:
    """Return a number as it is shown inside a tuple."""
    exact = as_fraction(value, name="the input")
    return exact.numerator if exact.denominator == 1 else exact_text(exact)
