"""The smoothness event of binomial noise: where the likelihood ratios are small, and how much mass is elsewhere.

Lemma 3: for Y ~ Bin(n, gamma), mu = n gamma and 1 <= k <= alpha mu / 2 the ratios D(y) / D(y + k') with |k'| <= k are
below e^(|k'| eps), eps = ln((1 + alpha) / (1 - alpha)), for every y in G = [(1 - alpha) mu + k, (1 + alpha) mu - k],
and P[Y not in G] <= delta. The picture shows k' = k and k' = -k, which decide (:mod:`exactdp.privacy.smoothness`).

Source: GhaziGolowichKumarPaghVelingker2021, section 4 (Lemma 3 of the reading notes).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import exactdp as xdp
from exactdp import bounds
from exactdp.errors import TooLargeError
from exactdp.numbers.balls import log_interval
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.report.figures.chart import Area, Axis, Chart, Columns, Line, Mark, Note, Panel, Rule
from exactdp.report.figures.data import DataTable, number_words
from exactdp.report.figures.picture import Picture

_MOST_OUTCOMES: Final = 2000
"""More bars are no longer told apart."""
_MARGIN: Final = Fraction(3, 10)
"""How far beyond G the picture reaches, as a part of its distance from the mean."""


@dataclass(frozen=True, slots=True)
class SmoothnessEvent:
    """The likelihood ratios of Bin(n, gamma) around G.

    Args:
        n, gamma, alpha, k: as in Lemma 3.
        eps: ln((1 + alpha) / (1 - alpha)).
        good: the ends of G.
        outcomes: y -> (D(y) / D(y + k), D(y) / D(y - k), D(y)); a ratio is None if its denominator is 0.
        outside: encloses P[Y not in G].
        lemma: encloses Lemma 3's delta.
        exact: encloses the least delta for which the law is (eps, delta, k)-smooth.
    """

    n: int
    gamma: Fraction
    alpha: Fraction
    k: int
    eps: xdp.LogRational
    good: tuple[Fraction, Fraction]
    outcomes: tuple[tuple[int, Fraction | None, Fraction | None, xdp.Interval], ...]
    outside: xdp.Interval
    lemma: xdp.Interval
    exact: xdp.Interval

    def is_good(self, y: int) -> bool:
        """Whether y is in G."""
        return self.good[0] <= y <= self.good[1]

    def table(self) -> DataTable:
        """The outcomes as a table: y, both ratios, the mass, and whether y is in G."""
        names = ("y", "ratio_up", "ratio_down", "mass", "in_good_set")
        rows = tuple((*row, "yes" if self.is_good(row[0]) else "no") for row in self.outcomes)
        about = {"n": self.n, "gamma": self.gamma, "alpha": self.alpha, "k": self.k, "exp_eps": self.eps.argument}
        return DataTable.of(names, rows, **about)


def smoothness_event(n: int, *, gamma: xdp.Exact, alpha: xdp.Exact, k: int) -> SmoothnessEvent:
    """Return the likelihood ratios and masses of Bin(n, gamma) on G and a little beyond.

    Args:
        n: number of trials, at least 1.
        gamma: exact, in (0, 1/2].
        alpha: exact, in (0, 1).
        k: from 1 to alpha gamma n / 2.

    Raises:
        HypothesisError: where Lemma 3 does not apply.
        TooLargeError: where more than 2000 outcomes would be shown.

    >>> event = smoothness_event(200, gamma="1/4", alpha="1/2", k=1)
    >>> event.good, event.eps, event.outside < event.lemma
    ((Fraction(26, 1), Fraction(74, 1)), LogRational('3'), True)

    Cost: a probability for each outcome; 0.1 s for 70 of them.

    Source: GhaziGolowichKumarPaghVelingker2021, section 4.
    """
    bound = bounds.binomial_smoothness_bound(n, gamma=gamma, alpha=alpha, k=k)
    assert isinstance(bound.alpha, Fraction)
    assert isinstance(bound.eps, xdp.LogRational)
    law, mu = xdp.Binomial(bound.n, bound.gamma), bound.n * bound.gamma
    reach = bound.alpha * mu * (1 + _MARGIN)
    first, last = max(0, (mu - reach).__floor__()), min(bound.n, (mu + reach).__ceil__())
    if last - first > _MOST_OUTCOMES:
        raise TooLargeError(
            f"n={n} and alpha={alpha} show {last - first} outcomes, more than the limit of {_MOST_OUTCOMES}. "
            "Use a smaller n or alpha."
        )
    good = ((1 - bound.alpha) * mu + k, (1 + bound.alpha) * mu - k)
    rows = tuple((y, _ratio(law, y, y + k), _ratio(law, y, y - k), law.pmf(y)) for y in range(first, last + 1))
    exact = xdp.smoothness_delta(law, k=k, eps=bound.eps, relative_bits=DEFAULT_RELATIVE_BITS)
    outside = _outside(law, good[0].__ceil__(), good[1].__floor__())
    return SmoothnessEvent(
        bound.n, bound.gamma, bound.alpha, bound.k, bound.eps, good, rows, outside, bound.delta, exact
    )  # fmt: skip


def _ratio(law: xdp.Binomial, y: int, other: int) -> Fraction | None:
    return law.ratio(y, other).coefficient if 0 <= other <= law.n else None


def _outside(law: xdp.Binomial, first: int, last: int) -> xdp.Interval:
    below, above = law.cdf(first - 1), law.sf(last)
    return xdp.Interval.between(below.lo + above.lo, below.hi + above.hi, bits=DEFAULT_RELATIVE_BITS)


def smoothness_picture(event: SmoothnessEvent, *, name: str = "smoothness") -> Picture:
    """Return the picture: the logarithms of the ratios above, the masses below."""
    lemma, outside, k = number_words(event.lemma), number_words(event.outside), event.k
    level, (low, high) = _log(event.eps.argument**k), event.good
    words = f"{'' if k == 1 else k}ε = {number_words(level, 3)}"
    ys = [y for y, *_ in event.outcomes]
    shade, last = Area([low, high], [-2 * level.hi] * 2, [2 * level.hi] * 2, color=2), ys[-1]
    ratios = [
        Line(ys, [None if ratio is None else _log(ratio) for ratio in column], label, color, size=3.4, every=4)
        for column, label, color in (
            ([row[1] for row in event.outcomes], f"ln D(y)/D(y+{k})", 0),
            ([row[2] for row in event.outcomes], f"ln D(y)/D(y−{k})", 1),
        )
    ]
    masses: list[Mark] = []
    for is_good, label, color in ((True, "in G", 0), (False, "outside G", 1)):
        bars = [(y, mass) for y, *_, mass in event.outcomes if event.is_good(y) is is_good]
        masses.append(Columns([y for y, _ in bars], [mass for _, mass in bars], label, color))
    x = Axis("y", low=ys[0] - Fraction(7, 10), high=last + Fraction(7, 10))
    end = level.hi * Fraction(7, 4)
    above: tuple[Mark, ...] = (
        shade,
        Rule(level),
        Rule(0, color="quiet"),
        *ratios,
        Note((low + high) / 2, level.hi * Fraction(3, 2), "G", ha="center"),
        Note(last, level, words, ha="right", va="top", dy=-3),
    )
    return Picture(
        name,
        f"Lemma 3 grants P[Y\u00a0∉\u00a0G] = {lemma}: it is {outside}",
        f"Binomial noise, n = {event.n}, γ = {event.gamma}. On the shaded G both ratios are below {words}; exact "
        f"smoothness is {number_words(event.exact)}.",
        event.table(),
        Chart(
            (
                Panel(above, x, Axis("logarithm of the likelihood ratio", low=-end, high=end), height=2.6),
                Panel(tuple(masses), x, Axis("mass D(y)", is_log=True, high=1), height=2.0),
            ),
            is_shared=True,
        ),
    )


def _log(ratio: Fraction) -> xdp.Interval:
    return log_interval(ratio, relative_bits=DEFAULT_RELATIVE_BITS)
