"""Where the swap bound is taken, in floats: the tilt, the nodes, and how many users are given up at each stage.

Every choice gives a bound (:mod:`exactdp.privacy.amplification.swap_bound`); a poor one is larger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, erfc, exp, expm1, frexp, inf, isfinite, log, log1p, pi, sqrt
from typing import Final, Self, SupportsFloat

from exactdp.numbers.balls import enclose_real
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.positive_part import Mixture

_LEVEL_BITS: Final = 64
"""Accuracy of the E that is read."""

_MOST_TILT: Final = 300.0
"""The tilt times the largest value is at most this."""

_LEAST_TILT: Final = 2.0**-120
"""As a share of the largest one: for counts to about 10^60."""

_BISECTIONS: Final = 15
"""To a share of a few thousandths: a search around what is found follows."""

_SEARCHED: Final = (0.25, 1.75)
"""The best tilt lies between these multiples of the saddle of the row with the largest bound."""

_GOLDEN: Final = (sqrt(5) - 1) / 2

_SECTIONS: Final = 16
"""Golden sections: the best tilt is then known to a share of a thousandth."""

_SMOOTHINGS: Final = (24, 200)
"""The deviation of the smoothing is 1/tilt over a number in between, smaller where the sum is few deviations away from
0: with s in place of the number it raises the bound by a share of 1/(2 s^2), and eps by a share of about 1/z^2 that."""

_REACH: Final = 13.0
_NORMAL_REACH: Final = 5.0
"""The first alias lies 13 + z^2/2 times 1/tilt away, z = tilt deviations; beyond z = 5 it goes on along the tangent."""

_LAST_NODE: Final = 4
"""Nodes go on to so many deviations of the smoothing."""

_MOST_SLOTS: Final = 2**16
"""Among more users a slot more hardly matters. It gains about z^2/2 over their number, z deviations away, and costs the
bound by the blanket over that of the rows, over their number."""

_MOST_NODES: Final = 2**13
"""Beyond that the smoothing is larger: some thirty deviations away it matters less to eps."""

_SHORT_BITS: Final = 9
"""Of what is chosen: a tilt is known to a thousandth, which changes the bound by about z^2/2 times its square."""

_NEAR: Final = 2.0
"""Rows whose bounds are within this, in logarithms, of the largest decide how fine the nodes are."""

_FAR_OUT: Final = 6.0
"""From here on e^(x^2) erfc(x) is as its asymptotic series says."""

_NEGLIGIBLE: Final = 12.0
"""The share, as a logarithm, of the bound that may be left to the case that no message is ever swapped."""

_FINE_STAGES: Final = ((0.1, 1.0), (0.25, 3.0))
"""Stages end at multiples of the first number of means up to the second."""

_COARSE_STAGES: Final = 1.25
"""And from there on each at so many times the one before."""

_LITTLE: Final = 2.0**-90
"""Nodes with so little of the largest summand are bounded together."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A tilt lam, a smoothing tau, the nodes k h for abs(k) up to a number, and how many users are given up."""

    tilt: Fraction
    smoothing: Fraction
    step: Fraction
    nodes: int
    stages: tuple[int, ...]
    """Rising; each leaves an even number of slots."""
    own: bool = False
    """Whether the user who differs keeps a slot of his own."""


@dataclass(frozen=True, slots=True)
class _Law:
    """L = (P - E Q)/R_v under R_v; 0 with what the weights leave over."""

    items: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, mixture: Mixture, over: float) -> Self:
        """Return the law at E = 1 + ``over``, without what is beyond floats."""
        items = []
        for apart, second, weight in _floats(mixture):
            value = (apart - over * second) / weight if weight else inf
            if isfinite(value) and value:
                items.append((value, weight))
        return cls(tuple(items))

    @property
    def largest(self) -> float:
        return max((value for value, _ in self.items), default=0.0)

    def tilted(self, tilt: float) -> tuple[float, float, float]:
        """Return ln E[e^(tilt L)], and the mean and the variance of the tilted law."""
        log_moment = log1p(sum(weight * expm1(tilt * value) for value, weight in self.items))
        shares = [(value, weight * exp(tilt * value - log_moment)) for value, weight in self.items]
        mean = sum(value * share for value, share in shares)
        return log_moment, mean, max(0.0, sum(value * value * share for value, share in shares) - mean * mean)

    def saddle(self, copies: int, most: float) -> float:
        """Return about the tilt, up to ``most``, at which copies * ln E[e^(tilt L)] - 2 ln(tilt) is least."""
        low, high = most * _LEAST_TILT, most
        for _ in range(_BISECTIONS):
            middle = sqrt(low * high)
            low, high = (low, middle) if copies * middle * self.tilted(middle)[1] >= 2 else (middle, high)
        return high

    def log_bound(self, tilt: float, copies: int) -> float:
        """Return about ln(B), the tilted sum taken as normal."""
        log_moment, _, variance = self.tilted(tilt)
        return copies * log_moment - log(2 * tilt * copies) + _log_scaled_erfc(tilt * sqrt(copies * variance / 2))


def _floats(mixture: Mixture) -> list[tuple[float, float, float]]:
    """Return P - Q, Q and R of the atoms, kept beside them: they are asked at many E and n, and fractions take long."""
    known: dict[str, list[tuple[float, float, float]]] = vars(mixture)
    if "_floats" not in known:
        known["_floats"] = [(float(a.first - a.second), float(a.second), float(a.weight)) for a in mixture.atoms]
    return known["_floats"]


def _log_scaled_erfc(x: float) -> float:
    """Return ln(e^(x^2) erfc(x))."""
    if x < _FAR_OUT:
        return x * x + log(erfc(x))
    return -log(x * sqrt(pi)) + log1p(-1 / (2 * x * x) + 3 / (4 * x**4))


def guessed_size(mixture: Mixture, users: int, exp_eps: Real) -> float:
    """Return about the logarithm of a divergence, the tilted sum taken as normal; minus infinity beyond floats."""
    with suppress(OverflowError, ValueError, ZeroDivisionError):
        over = _over(exp_eps)
        law = _Law.of(mixture, over)
        moved = exp(law.log_bound(law.saddle(users, _MOST_TILT / law.largest), users)) if law.largest else 0.0
        return log(moved + sum(max(0.0, float(p - q) - over * float(q)) for p, q in mixture.charges))
    return -inf


def choose(
    rows: Sequence[Mixture],
    own: Mixture | None,
    blanket: Mixture,
    gamma: Fraction,
    users: int,
    exp_eps: Real,
    *,
    may_own: bool = True,
) -> Plan | None:
    """Return about the best plan; None where there is none, or floats do not reach it, or see that it is of no use.

    Args:
        rows: the pair beside each row that others may have.
        own: the pair beside the row c/gamma; None where it is no worse than the rows.
        blanket: the pair beside the blanket c.
        gamma: the mass of the blanket, above 0.
        may_own: whether the user who differs may keep a slot of his own.
    """
    with suppress(OverflowError, ValueError, ZeroDivisionError):
        return _chosen(rows, own, blanket, gamma, users, exp_eps, may_own)
    return None


def _chosen(
    rows: Sequence[Mixture],
    own: Mixture | None,
    blanket: Mixture,
    gamma: Fraction,
    users: int,
    exp_eps: Real,
    may_own: bool,
) -> Plan | None:
    over = _over(exp_eps)
    laws = [law for law in (_Law.of(row, over) for row in rows) if law.largest > 0]
    if not laws:
        return None
    farthest = _MOST_TILT / max(law.largest for law in laws)
    saddles = ((law.saddle(users, farthest), law) for law in laws)
    _, saddle = max((law.log_bound(saddle, users), saddle) for saddle, law in saddles)
    log_bound, tilt = _least(
        lambda tilt: max(law.log_bound(tilt, users) for law in laws), *(saddle * factor for factor in _SEARCHED)
    )
    leading = [law for law in laws if law.log_bound(tilt, users) >= log_bound - _NEAR]
    away = tilt * max(sqrt(users * law.tilted(tilt)[2]) for law in leading)
    has_own = may_own and users <= _MOST_SLOTS
    if has_own and own is not None:
        shared = _Law.of(own, over)
        gained, is_near = log1p(away * away / 2), tilt * shared.largest < 2 * _MOST_TILT
        has_own = is_near and shared.log_bound(tilt, users) - log_bound < gained
    stages = tuple(_stages(gamma, users, log_bound, _alone(blanket, over), users + has_own))
    if not stages:
        return None
    least, most = _SMOOTHINGS
    near, beyond = min(away, _NORMAL_REACH), max(0.0, away - _NORMAL_REACH)
    step = _short(2 * pi / (_REACH + near * near / 2 + beyond * _NORMAL_REACH))
    scale = _short(min(max(least, most / (1 + away)), float(_MOST_NODES * step / _LAST_NODE)))
    unit = _short(tilt)
    return Plan(unit, 1 / (scale * unit), step * unit, ceil(_LAST_NODE * scale / step), stages, has_own)


def _over(exp_eps: Real) -> float:
    """Return E - 1."""
    return float(enclose_real(exp_eps, relative_bits=_LEVEL_BITS).lower.fraction() - 1)


def _short(value: float) -> Fraction:
    """Return a number of few bits beside a positive one: the same on machines whose last bits differ."""
    mantissa, exponent = frexp(value)
    return Fraction(round(mantissa * 2**_SHORT_BITS)) * Fraction(2) ** (exponent - _SHORT_BITS)


def _least(convex: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """Return the least value of a function between two numbers, about, and where it is."""
    left, right = (high - _GOLDEN * (high - low), low + _GOLDEN * (high - low))
    at_left, at_right = convex(left), convex(right)
    for _ in range(_SECTIONS):
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = convex(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = convex(right)
    return min((at_left, left), (at_right, right))


def _alone(mixture: Mixture, over: float) -> float:
    """Return about the divergence of the two messages alone."""
    pairs = [*mixture.charges, *((atom.first, atom.second) for atom in mixture.atoms)]
    return sum(max(0.0, float(p - q) - over * float(q)) for p, q in pairs)


def _stages(gamma: Fraction, users: int, log_bound: float, alone: float, slots: int) -> Iterator[int]:
    """Yield how many users are given up, until hardly any chance is left; nothing where that takes all users."""
    rate = -log1p(-float(gamma)) if gamma < 1 else inf
    if not (rate and alone and isfinite(log_bound)):
        return
    enough = max(0.0, log(alone) - log_bound + _NEGLIGIBLE)
    if enough - _NEGLIGIBLE > rate * (slots - 2):
        return
    last = 0
    for passed in _levels(enough):
        lost = max(1, ceil(min(passed / rate, users)))
        lost += (slots - lost) % 2
        if last < lost <= slots - 2:
            last = lost
            yield lost


def _levels(enough: float) -> Iterator[float]:
    """Yield -ln of the chances that are left at the ends of the stages."""
    level = 0.0
    for step, end in _FINE_STAGES:
        while level < min(end, enough):
            level += step
            yield level
    while level < enough:
        level = max(level, _FINE_STAGES[0][0]) * _COARSE_STAGES
        yield level


def negligible(summands: Iterable[SupportsFloat]) -> frozenset[int]:
    """Return the places of numbers that are about nothing beside the largest."""
    sizes = [float(one) for one in summands]
    least = max(sizes) * _LITTLE
    return frozenset(place for place, size in enumerate(sizes) if size < least)
