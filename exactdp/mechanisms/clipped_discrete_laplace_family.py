"""The clipped discrete Laplace randomizer: an integer plus two-sided geometric noise, clipped to the range of inputs.

On 0, ..., t (``top``) the input x is sent as y with probability proportional to r^|x-y|; what would fall outside is
sent as the end on its side. In numbers: (1-r)/(1+r) r^|x-y| for 0 < y < t, and r^x / (1+r), r^(t-x) / (1+r) at the
ends. Alone it is eps0-DP with e^eps0 = r^-t: r is the least multiple of 2^-53 with r^-t <= E.

*The sum.* Let g(y) = y for 0 < y < t, g(0) = -r/(1-r), g(t) = t + r/(1-r). Then E g(y) = x for every input x, and

    Var g(y) = 2r/(1-r)^2 - r (r^x + r^(t-x)) / ((1-r)^2 (1+r)).

Proof. Write R_x for the row and D_y for the point mass. For 0 < x < t the sum R_{x-1} + R_{x+1} differs from
(r + 1/r) R_x in the message x only: D_x = k ((r + 1/r) R_x - R_{x-1} - R_{x+1}) with k = r/(1-r)^2. Likewise
D_0 = (R_0 - r R_1)/(1-r), and D_t is its mirror image. Under D_x the mean of a function h with R_x-means H(x) is
k ((r + 1/r) H(x) - H(x-1) - H(x+1)), and (H(0) - r H(1))/(1-r) at 0. With H(x) = x this is g. With
H(x) = x^2 + 2k + A (r^x + r^(t-x)) it is x^2 inside, and at 0 it is 2k - r/(1-r) + A (1+r), which equals g(0)^2 for
A = -r / ((1-r)^2 (1+r)); the other end is the mirror image.

Source: GhoshRoughgardenSundararajan2012, section 2 (the truncated geometric mechanism, while the proof is this page's).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Final

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.mechanisms.analyzer import Analyzer
from exactdp.mechanisms.family import (
    Drawn,
    ExpEps0,
    FamilyRandomizer,
    Parameter,
    SupportSource,
    read_exp_eps0,
    small_table,
)
from exactdp.mechanisms.linear_estimate import LinearEstimate, Score, Term
from exactdp.mechanisms.pair_table import PairTable, every_pair_table, pair_table
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.balls import compare_reals, enclose_real
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_integer
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.real import Real

_MAX_TOP: Final = 10_000
"""r^-top has 53 bits for each step."""
_BITS: Final = 53
"""The ratio is a multiple of 2^-53, as a float of a sampler holds it."""


@dataclass(frozen=True, slots=True, init=False)
class ClippedDiscreteLaplace(FamilyRandomizer):
    """The clipped discrete Laplace randomizer as a family; the arguments are those of ``clipped_discrete_laplace``.

    >>> ClippedDiscreteLaplace(3, exp_eps0=27).ratio
    Fraction(3002399751580331, 9007199254740992)
    """

    name: ClassVar[str] = "clipped-discrete-laplace"
    sends_numbers = True
    claim_fields: ClassVar[Mapping[str, str]] = {"top": "top", "ratio": "ratio"}
    is_checked_by_table: ClassVar[bool] = True

    top: int
    exp_eps0: ExpEps0
    ratio: Fraction
    """r: how the probability falls with each step away from the input."""

    def __init__(self, top: int, *, exp_eps0: Exact | Real) -> None:
        size, bound = as_integer(top, name="top", at_least=1), read_exp_eps0(exp_eps0)
        if size > _MAX_TOP:
            raise TooLargeError(f"top={short(size)} is more than the limit of {_MAX_TOP}. Use coarser steps.")
        set_fields(self, top=size, exp_eps0=bound, ratio=_least_ratio(size, bound))

    @classmethod
    def stated(cls, **parameters: Any) -> ClippedDiscreteLaplace:
        """Return the member with a ratio 0 < r < 1 of whatever length: its e^eps0 is r^-top."""
        family = object.__new__(cls)
        set_fields(family, exp_eps0=parameters["ratio"] ** -parameters["top"], **parameters)
        return family

    @property
    def parameters(self) -> dict[str, Parameter]:
        return {"top": self.top, "exp_eps0": self.exp_eps0}

    @property
    def inputs(self) -> range:
        return range(self.top + 1)

    @property
    def message_space(self) -> tuple[str, int | None]:
        return str(self.top + 1), self.top + 1

    @property
    def is_rational(self) -> bool:
        return True

    def local_epsilon(self) -> LogRational | Real:
        return LogRational(self.ratio**-self.top)

    def rows(self) -> Iterator[list[Fraction]]:
        """Yield the probabilities of the messages 0, ..., top under each input."""
        r, top = self.ratio, self.top
        tails = [r**steps / (1 + r) for steps in range(top + 1)]
        inside = [(1 - r) * tail for tail in tails]
        for x in self.inputs:
            yield [tails[x], *(inside[abs(x - y)] for y in range(1, top)), tails[top - x]]

    def pair_tables(self) -> tuple[PairTable, ...]:
        """Return the table of every ordered pair (x, x') with x + x' < top or x < x', x + x' = top.

        The mirror image x -> top - x, y -> top - y gives the others. Beyond top = 255 they are refused: no two pairs
        are alike, and each has top + 1 classes. ``ranged_table`` has fewer.
        """
        if self.ratio == 1:
            return (pair_table(self.table(), 0, 1),)
        if not self.has_small_table:
            raise TooLargeError(
                f"top={self.top} is more than the limit of 255, up to which every pair of inputs is compared: "
                "no two pairs are alike. Use a smaller top."
            )
        tables = every_pair_table(self.table())
        mirrored = (table for table in tables if (table.first, table.second) <= self._mirror(table))
        return tuple(mirrored)

    def ranged_table(self, first: int, second: int, others: Sequence[int], ranges: int) -> PairTable:
        """Return the classes of a pair where only so many ranges of messages are told apart, with no least but 0.

        P[y <= b] is 1 - r^(b + 1 - x)/(1 + r) from b = x on, and r^(x - b)/(1 + r) before, for b < top.
        """
        cuts = sorted({(self.top * place) // ranges for place in range(1, ranges)} - {0, self.top})

        def row(x: int) -> list[Fraction]:
            scale = 1 + self.ratio
            below = [
                1 - self.ratio ** (cut - x) / scale if cut > x else self.ratio ** (x - cut + 1) / scale for cut in cuts
            ]
            return [high - low for low, high in zip([Fraction(0), *below], [*below, Fraction(1)], strict=True)]

        rows = [row(x) for x in (first, second, *others)]
        vectors = ((p, q, Fraction(0), *rest) for p, q, *rest in zip(*rows, strict=True))
        return PairTable.merged(first, second, others, vectors)

    @property
    def pairs_by(self) -> str:
        return "ranges"

    def _mirror(self, table: PairTable) -> tuple[int, int]:
        return self.top - table.first, self.top - table.second

    @property
    def shift(self) -> Fraction:
        """r/(1-r): how far beyond the range the two ends count in the estimate of the sum."""
        if self.ratio == 1:
            raise InvalidValueError(f"{self!r} has equal rows: its messages say nothing. Use a larger exp_eps0.")
        return self.ratio / (1 - self.ratio)

    def analyzer(self) -> Analyzer:
        """Return the unbiased estimate of the sum of the inputs: the sum of g(y) over the messages.

        >>> [str(w) for _, w in ClippedDiscreteLaplace(3, exp_eps0=8).analyzer().weights]
        ['-1', '1', '2', '4']
        """
        weights: dict[int, Fraction] = {y: Fraction(y) for y in self.inputs}
        weights[0], weights[self.top] = -self.shift, self.top + self.shift
        return Analyzer(weights)

    def variance(self, value: int) -> Fraction:
        """Return the variance that a user who holds ``value`` adds to the estimate of the sum; exact."""
        r, held = self.ratio, as_integer(value, name="value", at_least=0)
        if held > self.top:
            raise InvalidValueError(f"value={held} is above top={self.top}. Pass one of the inputs.")
        k = self.shift / (1 - r)
        return 2 * k - k / (1 + r) * (r**held + r ** (self.top - held))

    def linear_estimates(self) -> tuple[LinearEstimate, ...]:
        """Return the estimates of the holders of 0, 1 and 2; inputs further inside are as 2, mirrored ones alike.

        The one unbiased estimate for v is D_v in the rows, read the other way round: a message y counts for what R_v
        has in D_y, which is 0 unless |y - v| <= 1. Under inputs above v all probabilities of such messages are those
        under v + 1 times r to the distance; so v - 1, v and v + 1 are all kinds of holders but for a smaller factor.
        """
        _ = self.shift  # equal rows are refused
        r, top = self.ratio, self.top
        end, inside = 1 / (1 - r), r / (1 - r) ** 2
        found = []
        for v in range(min(2, top // 2) + 1):
            weights = {
                y: (end if y in (0, top) else (1 + r**2) / (1 - r) ** 2) if y == v
                else -(r * end if y in (0, top) else inside)
                for y in range(max(v - 1, 0), min(v + 1, top) + 1)
            }  # fmt: skip

            def score(x: int, weights: dict[int, Fraction] = weights) -> Score:
                law: dict[Fraction, Fraction] = {Fraction(0): Fraction(1)}
                for y, weight in weights.items():
                    chance = r ** abs(x - y) / (1 + r) * (1 if y in (0, top) else 1 - r)
                    law[weight] = law.get(weight, Fraction(0)) + chance
                    law[Fraction(0)] -= chance
                return Score(str(x), (Term.of(law),))

            listed = tuple((str(y), weight) for y, weight in weights.items())
            found.append(LinearEstimate(str(v), listed, Fraction(0), tuple(map(score, weights))))
        return tuple(found)

    def drawn(self, source: SupportSource[Drawn]) -> Drawn:
        return source.rows(self.rows())

    def _table(self) -> Randomizer:
        return Randomizer({x: {(y,): p for y, p in enumerate(row)} for x, row in enumerate(self.rows())})


def _ends(exp_eps0: Real) -> tuple[Fraction, Fraction]:
    """Enclose an irrational E: nearly always both ends give the same answer."""
    near = enclose_real(exp_eps0, relative_bits=2 * _BITS)
    return near.lo, near.hi


def _least_ratio(top: int, exp_eps0: ExpEps0) -> Fraction:
    """Return the least multiple r of 2^-53 with r^-top <= E, by bisection; 1 is always enough."""

    near = (exp_eps0, exp_eps0) if isinstance(exp_eps0, Fraction) else _ends(exp_eps0)

    def is_enough(steps: int) -> bool:
        power = steps**top
        low, high = (bool(power * end.numerator >= end.denominator << (_BITS * top)) for end in near)
        if low or not high or isinstance(exp_eps0, Fraction):
            return low
        return compare_reals(exp_eps0 * Fraction(power, 2 ** (_BITS * top)), Fraction(1)) >= 0

    low, high = 0, 2**_BITS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return Fraction(high, 2**_BITS)


def clipped_discrete_laplace(top: int, *, exp_eps0: Exact | Real) -> Randomizer | FamilyRandomizer:
    """Return the clipped discrete Laplace randomizer: each step away is r times as likely, tails are at the ends.

    Args:
        top: the largest input and message, from 1 to 10,000.
        exp_eps0: E = e^eps0, exact and at least 1, or irrational as "exp(1/2)"; r is the least multiple of 2^-53 with
            r^-top <= E, so eps0 is a little less than asked for.

    Returns:
        A ``Randomizer`` for top up to 255; else the family ``ClippedDiscreteLaplace``, which knows its estimator,
        variance and local eps, while classes of pairs are refused: no two pairs are alike.

    >>> clipped_discrete_laplace(2, exp_eps0=4).table()[0]
    {(0,): Fraction(2, 3), (1,): Fraction(1, 6), (2,): Fraction(1, 6)}

    Source: GhoshRoughgardenSundararajan2012, section 2.
    """
    return small_table(ClippedDiscreteLaplace(top, exp_eps0=exp_eps0))
