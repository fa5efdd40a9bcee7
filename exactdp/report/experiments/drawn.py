"""What is drawn, and what a draw proves: seeds, order statistics and counted failures, with exact intervals.

*Quantiles.* Let X_(1) <= ... <= X_(N) be independent draws, sorted, and x the least number with P[X > x] <= beta. With
r the largest rank and s the least one for which

    P[Bin(N, beta) > N - r] <= risk / 2,    P[Bin(N, 1 - beta) > s - 1] <= risk / 2,

the interval [X_(r), X_(s)] contains x but with probability at most the risk, whatever the law: X_(r) > x says that more
than N - r draws are above x, each with probability at most beta, and X_(s) < x says that at least s are below it, each
with probability at most 1 - beta. Both ranks are decided by enclosed tails, never by a float.

*Failures.* Events are counted by comparing integers with exact thresholds, and the count becomes a Clopper-Pearson
interval.

Source: ClopperPearson1934.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Required, TypeAlias, TypedDict

from exactdp.errors import TooLargeError
from exactdp.laws.binomial import Binomial
from exactdp.laws.tails import upper_quantile
from exactdp.numbers.interval import Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Counts: TypeAlias = NDArray[np.int64]
    DrawLaplace: TypeAlias = Callable[[np.random.Generator, tuple[int, int]], NDArray[np.float64]]


RISK: Final = Fraction(1, 10**9)
"""Each interval misses what it is for with at most this probability."""

_MAX_DISTANCE: Final = 2**62
"""Half of what 64-bit integers hold."""
_BLOCK_COUNTS: Final = 2 * 10**6
"""Most counts that are drawn at once: 16 MB of them."""

Draw: TypeAlias = "Callable[..., Counts]"
"""``exactdp.sampling.sample``, or another function with its arguments."""


def views(*arguments: Any, **options: Any) -> Counts:
    """Draw views with ``exactdp.sampling.sample``, which is loaded here."""
    from exactdp.sampling import sample

    return sample(*arguments, **options)


class DrawingOptions(TypedDict, total=False):
    """What every experiment can be asked: the fields of :class:`Drawing`."""

    seed: Required[int]
    draws: Required[int]
    quick: bool
    watch: Callable[[str], None]
    draw: Draw
    draw_laplace: DrawLaplace | None


@dataclass(frozen=True, slots=True)
class Drawing:
    """How an experiment draws.

    Args:
        seed: of the draws.
        draws: of each point.
        quick: fewer points.
        watch: called with the name of each point before it is computed.
        draw: draws the views, with the arguments of ``exactdp.sampling.sample``.
        draw_laplace: draws Laplace noise of scale 1 with (rng, shape); by default NumPy's.
        places: the whole grid.
    """

    seed: int
    draws: int
    quick: bool = False
    watch: Callable[[str], None] = lambda _: None
    draw: Draw = views
    draw_laplace: DrawLaplace | None = None
    places: tuple[Any, ...] = ()

    def generator(self, *place: int) -> np.random.Generator:
        """Return the generator of one point of an experiment: the same whichever other points are drawn.

        >>> drawing = Drawing(seed=1, draws=10)
        >>> int(drawing.generator(10, 3).integers(1000)) == int(drawing.generator(10, 3).integers(1000))
        True
        """
        import numpy as np

        return np.random.default_rng([self.seed, *place])


def blocks(draws: int, counts: int) -> Iterator[int]:
    """Yield the sizes of blocks of draws, of so many counts each, that fit into memory.

    >>> list(blocks(5, 10**6))
    [2, 2, 1]
    """
    size = max(1, _BLOCK_COUNTS // counts)
    return (min(size, draws - start) for start in range(0, draws, size))


@dataclass(frozen=True, slots=True)
class Sampled:
    """An interval for a quantile, between two of the draws; an end is None if there are too few draws to say anything.

    >>> 3 in Sampled(Fraction(2), None), 1 in Sampled(Fraction(2), None)
    (True, False)
    """

    low: Fraction | None
    high: Fraction | None

    def __contains__(self, value: Fraction | int) -> bool:
        return (self.low is None or self.low <= value) and (self.high is None or value <= self.high)

    def times(self, factor: Fraction) -> Sampled:
        """The interval of a multiple."""
        return Sampled(*(None if end is None else end * factor for end in (self.low, self.high)))


@cache
def quantile_ranks(draws: int, beta: Fraction, risk: Fraction = RISK) -> tuple[int, int]:
    """Return the ranks (r, s) of the interval for the least x with P[X > x] <= beta.

    r = 0 and s = draws + 1 are no ends: too few draws say nothing there.

    Args:
        draws: their number N, at least 1.
        beta: in (0, 1).
        risk: of both ends together, in (0, 1).

    >>> quantile_ranks(1000, Fraction(1, 20), Fraction(1, 100))
    (931, 968)
    >>> quantile_ranks(10, Fraction(1, 20), Fraction(1, 100))
    (7, 11)

    Cost: two enclosed quantiles of a binomial law, 20 ms.

    Source: ClopperPearson1934 (the theorem is in the module docstring).
    """
    above, below = Binomial(draws, beta), Binomial(draws, 1 - beta)
    return draws - upper_quantile(above, risk / 2, above=-1), upper_quantile(below, risk / 2, above=-1) + 1


def sampled_quantile(values: Counts, beta: Fraction, *, risk: Fraction = RISK) -> Sampled:
    """Return the interval for the least x with P[X > x] <= beta, from integer draws of X.

    >>> import numpy as np
    >>> sampled_quantile(np.arange(1, 1001), Fraction(1, 20), risk=Fraction(1, 100))
    Sampled(low=Fraction(931, 1), high=Fraction(968, 1))
    """
    import numpy as np

    low, high = quantile_ranks(len(values), beta, risk)
    wanted = [rank - 1 for rank in (low, high) if 1 <= rank <= len(values)]
    parted = np.partition(values, wanted) if wanted else values
    ends = [Fraction(int(parted[rank - 1])) if 1 <= rank <= len(values) else None for rank in (low, high)]
    return Sampled(*ends)


def distances(values: Counts, center: Fraction) -> tuple[Counts, int]:
    """Return |value - center| in integers over the denominator of the center, and this denominator.

    >>> import numpy as np
    >>> distances(np.array([0, 3]), Fraction(5, 2))
    (array([5, 1]), 2)
    """
    import numpy as np

    scale = center.denominator
    largest = max(int(np.abs(values).max(initial=0)) * scale, abs(center.numerator))
    if 2 * largest >= _MAX_DISTANCE:
        raise TooLargeError(f"center={center} times counts is beyond 64-bit integers. Use a shorter denominator.")
    return np.abs(values * scale - center.numerator), scale


def failure_frequency(failures: int, draws: int) -> Interval:
    """Return the Clopper-Pearson interval of a counted event, which misses with probability at most 10^-9.

    >>> failure_frequency(0, 100).hi < Fraction(1, 5)
    True

    Source: ClopperPearson1934.
    """
    from exactdp.sampling import clopper_pearson

    return clopper_pearson(failures, draws, confidence=1 - RISK)
