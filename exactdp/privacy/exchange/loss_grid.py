"""Privacy loss distributions on a grid, as dp-accounting has them, whose direction is proved.

A distribution on the grid has masses p_j >= 0 at the losses j h and p_inf at infinity. It stands for the curve

    d(E) = p_inf + sum over j of max(0, 1 - E / E_j) p_j,    E_j = e^(j h), E > 0,

and it is *pessimistic* for a profile if d(E) >= H_E(P || Q) for every E > 0 and every pair of neighbouring data sets in
either order. Then it also is in every adaptive composition, where masses are convolved. ``pessimistic_grid`` makes one
from upper bounds of delta at the losses 0, h, ..., m h alone:

1. For j >= 0 let u_j >= delta(E_j), and u_-j >= 1 - E_-j (1 - u_j). Then H_(E_j)(P || Q) <= u_j for all j from -m to m,
   because H_E(P || Q) = 1 - E + E H_(1/E)(Q || P).
2. Let I be linear between the points (0, 1), (E_-m, u_-m), ..., (E_m, u_m), and u_m beyond. H_E is convex and
   non-increasing in E, and 1 at E = 0, so it is at most I.
3. Let s_j = (u_j - u_(j+1)) / (E_(j+1) - E_j), with the point (0, 1) before the first, and s_m = 0. The numbers
   p_j = E_j (s_(j-1) - s_j) and p_inf = u_m give the curve I, for it is p_inf at E_m and has the slope -s_j between E_j
   and E_(j+1). Points above a chord between others are left out first, as the two ends of a bracket have them: what is
   left is about on a convex curve, though some p_j may be negative by what rounding changes.
4. The curve rises with every mass. So masses that are at least max(0, p_j), such as upper ends of enclosures that are
   rounded up to floats, give a curve that is at least I.
5. Composed: let M be the losses of one run and d' a curve of masses with d' >= H for every pair of the next run.
   Whatever the next run does after seeing the first, H_E of both is at most the sum over losses l of M(l) d'(E e^-l),
   the curve of M convolved with the masses of d'. It does not fall when M is replaced in turn by masses with a larger
   curve, because it is as well the sum over the losses of d' of the curve of M. At E = 0, which an infinite loss asks
   for, the curve of either is its total mass, at least 1.

The losses j h are floats exactly, because h is a power of two. What dp-accounting then computes it computes in floats,
without a bound of its rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from importlib import import_module
from itertools import pairwise
from math import inf, lcm, nextafter
from typing import Any, Final

from exactdp.errors import ExactDPError, InvalidValueError, TooLargeError
from exactdp.laws.finite import Law
from exactdp.numbers.balls import enclose_real, log_interval
from exactdp.numbers.epsilon import LogRational, read_privacy_level
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_fraction
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.progress import with_progress

_BITS: Final = 192
"""Accuracy of e^(j h); second differences lose twice the bits of the step."""
_DELTA_BITS: Final = 128
"""Accuracy of delta, whose second differences are taken, where it is known to any."""
_FAR_DELTA: Final = "1e-15"
"""A delta that the other package's floats do not tell from 0."""
_MOST_LOSSES: Final = 2**17
"""Most losses of a grid."""
_EXPS_KEPT: Final = 2**14
"""Exponentials that are kept: those of a few grids."""


class MissingPeerError(ExactDPError, ImportError):
    """dp-accounting is not installed; the message says which pip line installs it."""


@dataclass(frozen=True, slots=True)
class GridLoss:
    """Masses at the losses ``first`` h, (``first`` + 1) h, ... and at infinity: each a float, as the fraction it is."""

    step: Fraction
    first: int
    masses: tuple[Fraction, ...]
    infinite: Fraction
    is_pessimistic: bool

    def delta(
        self,
        *,
        eps: Exact | LogRational | None = None,
        exp_eps: Exact | None = None,
        relative_bits: int = DEFAULT_RELATIVE_BITS,
    ) -> Interval:
        """Enclose d(e^eps) = p_inf + sum over j of max(0, 1 - e^(eps - j h)) p_j.

        >>> coin = GridLoss(Fraction(1), 0, (Fraction(1, 4), Fraction(3, 4)), Fraction(0), True)
        >>> coin.delta(eps=0), coin.delta(exp_eps=2)
        (Interval[0.474...], Interval[0.198...])
        """
        level = read_privacy_level(eps=eps, exp_eps=exp_eps)
        scale = level.enclose(relative_bits + _BITS)
        ends = [(mass, exp_ends(-j * self.step)) for j, mass in enumerate(self.masses, self.first) if mass]
        low = self.infinite + _hockey_stick([(mass, top) for mass, (_, top) in ends], scale.hi)
        high = self.infinite + _hockey_stick([(mass, bottom) for mass, (bottom, _) in ends], scale.lo)
        return Interval.between(low, high, bits=relative_bits + 3)


@dataclass(frozen=True, slots=True)
class LossDistribution:
    """What dp-accounting calls a privacy loss distribution: of one order of a pair, or of both."""

    remove: GridLoss
    add: GridLoss | None = None

    def delta(self, **level: Any) -> Interval:
        """Enclose the larger curve; ``eps`` or ``exp_eps``, and ``relative_bits``, as of ``GridLoss.delta``."""
        one = self.remove.delta(**level)
        return one if self.add is None else Interval.maximum(one, self.add.delta(**level))

    def to_dp_accounting(self) -> Any:
        """Return a ``dp_accounting.pld.privacy_loss_distribution.PrivacyLossDistribution`` with the same masses."""
        losses = _peer("privacy_loss_distribution")
        return losses.PrivacyLossDistribution(*(_as_peer(part) for part in (self.remove, self.add) if part is not None))


def pessimistic_grid(upper: Callable[[Fraction], Fraction], *, step: Exact, steps: int) -> GridLoss:
    """Return masses that are pessimistic for every pair with H_(e^eps) <= ``upper(eps)`` in both orders.

    Args:
        upper: asked at eps = 0, h, ..., m h.
        step: h, a power of two.
        steps: m, at least 1.

    Exactness: the direction is proved (module docstring); between two losses the curve is above the true one by about
    h^2 / 8 of delta's second derivative in eps.
    """
    h = as_step(step)
    if 2 * steps + 1 > _MOST_LOSSES:
        raise TooLargeError(
            f"{2 * steps + 1} losses are more than {_MOST_LOSSES}. Use a larger step, or a smaller up_to."
        )
    ends = {j: exp_ends(j * h) for j in range(-steps, steps + 1)}
    heights = {j: upper(j * h) for j in with_progress(range(steps + 1), steps + 1)}
    for j in range(1, steps + 1):
        heights[-j] = 1 - ends[-j][0] * (1 - heights[j])
    kept = _corners([(j, ends[j][0], heights[j]) for j in range(-steps, steps + 1)])
    slopes = [_quotient(1 - heights[kept[0]], ends[kept[0]])]
    for j, k in pairwise(kept):
        run = ends[k][0] - ends[j][1], ends[k][1] - ends[j][0]
        slopes.append(_quotient(heights[j] - heights[k], run))
    slopes.append((Fraction(0), Fraction(0)))
    most = {j: (high - low) * ends[j][1] for j, ((_, high), (low, _)) in zip(kept, pairwise(slopes), strict=True)}
    masses = [_float_above(max(Fraction(0), most.get(j, Fraction(0)))) for j in range(-steps, steps + 1)]
    return GridLoss(h, -steps, tuple(masses), _float_above(heights[steps]), True)


def _corners(points: Sequence[tuple[int, Fraction, Fraction]]) -> list[int]:
    """Return the places of the points that are corners of the lower convex hull, about, from (0, 1) to the last."""
    hull = [(0, Fraction(0), Fraction(1))]
    for place, x, y in points:
        while len(hull) > 1 and (hull[-1][2] - hull[-2][2]) * (x - hull[-1][1]) >= (y - hull[-1][2]) * (
            hull[-1][1] - hull[-2][1]
        ):
            hull.pop()
        hull.append((place, x, y))
    return [place for place, _, _ in hull[1:]]


def profile_grid(profile: Any, *, step: Exact, up_to: Exact | None) -> GridLoss:
    """Return masses that are pessimistic for a privacy profile: for all its pairs, in both orders.

    Args:
        profile: what has ``delta(eps=, relative_bits=)``, ``epsilon(delta)`` and ``is_tight``.
        step: h, a power of two.
        up_to: eps from which on delta counts as an infinite loss; None for where it is at most 1e-15.

    Raises:
        InvalidValueError: where delta never falls to 1e-15, and ``up_to`` is not given.
        TooLargeError: for more than 2^17 losses.

    >>> from exactdp import DiscreteLaplace, shift_profile
    >>> noise = shift_profile(DiscreteLaplace(2))
    >>> profile_grid(noise, step="1/4", up_to=1).delta(eps="1/2"), noise.delta(eps="1/2")
    (Interval[0.1170929097, 0.1170929098], Interval[0.1170929097, 0.1170929098])

    Cost: delta at each multiple of the step.
    """
    h = as_step(step)
    if up_to is not None:
        last = as_fraction(up_to, name="up_to")
    else:
        enough = profile.epsilon(_FAR_DELTA)
        if isinstance(enough, LogRational) and enough.is_infinite:
            raise InvalidValueError(
                f"delta is above {_FAR_DELTA} for every eps. Pass up_to=10: larger losses count as infinite."
            )
        last = (enough.enclose() if isinstance(enough, LogRational) else enough).hi
    steps = max(1, (last / h).__ceil__())

    bits = _DELTA_BITS if profile.is_tight else None

    def upper(eps: Fraction) -> Fraction:
        delta: Interval = profile.delta(eps=eps, relative_bits=bits)
        return delta.hi

    return pessimistic_grid(upper, step=h, steps=steps)


def pair_grid(first: Law, second: Law, *, step: Exact, pessimistic: bool) -> GridLoss:
    """Return the losses ln(P/Q) of one ordered pair of laws, each rounded to the grid: up, or down if not pessimistic.

    A loss l stands in the curve with max(0, 1 - E e^-l) times its probability, which rises with l and with the
    probability. So with losses and masses rounded up the curve is nowhere below H_E(P || Q), with both rounded down
    nowhere above; and so in compositions with other pairs, which are sums of products of masses.

    Exactness: each loss is compared with the multiples of h exactly, and each mass is summed before it is rounded.

    >>> coin, bent = Law({0: "1/2", 1: "1/2"}), Law({0: "3/4", 1: "1/4"})
    >>> [pair_grid(bent, coin, step="1/4", pessimistic=side).delta(exp_eps=1) for side in (False, True)]
    [Interval[0.1658994126, 0.1658994127], Interval[0.2951020052, 0.2951020053]]
    """
    h = as_step(step)
    places: dict[int, Fraction] = {}
    infinite = Fraction(0)
    for outcome, weight in first.weights.items():
        mass, other = Fraction(weight, first.total), Fraction(second.weights.get(outcome, 0), second.total)
        if other == 0:
            infinite += mass
        else:
            place = _place(mass / other, h, up=pessimistic)
            places[place] = places.get(place, Fraction(0)) + mass
    return rounded_grid(places, infinite, step=h, pessimistic=pessimistic)


def rounded_grid(places: Mapping[int, Fraction], infinite: Fraction, *, step: Fraction, pessimistic: bool) -> GridLoss:
    """Return masses by their places j, and the one at infinity, as floats: rounded up, or down if not pessimistic."""
    low, high = min(places, default=0), max(places, default=0)
    if high - low >= _MOST_LOSSES:
        raise TooLargeError(f"{high - low + 1} losses are more than {_MOST_LOSSES}. Use a larger discretization.")
    rounded = _float_above if pessimistic else _float_below
    masses = tuple(rounded(places.get(place, Fraction(0))) for place in range(low, high + 1))
    return GridLoss(step, low, masses, rounded(infinite), pessimistic)


def pair_to_dp_accounting(first: Law, second: Law, *, discretization: Exact = "1/256", pessimistic: bool) -> Any:
    """Return the privacy loss distribution of two laws in both orders, with losses rounded up, or down.

    Rounded down it is a lower bound of what every mechanism that has this pair gives away, also of many runs on the
    same two data sets.

    Args:
        first, second: of the views of two neighbouring data sets, such as ``protocol.law(pair.first)`` of a worst pair.
        discretization: the step between losses, a power of two.
        pessimistic: whether losses are rounded up.

    Raises:
        MissingPeerError: without dp-accounting, the extra ``peers``.
    """
    orders = (first, second), (second, first)
    grids = (pair_grid(p, q, step=discretization, pessimistic=pessimistic) for p, q in orders)
    return LossDistribution(*grids).to_dp_accounting()


def _place(ratio: Fraction, step: Fraction, *, up: bool) -> int:
    """Return the least j with j h >= ln(ratio), or the greatest with j h <= ln(ratio).

    They are told apart at some accuracy, because e^(j h) is irrational for j other than 0.
    """
    if ratio == 1:
        return 0
    bits = DEFAULT_RELATIVE_BITS
    while True:
        log = log_interval(ratio, relative_bits=bits)
        low, high = ((end / step).__floor__() for end in (log.lo, log.hi))
        if low == high and low * step != log.lo:
            return low + up
        bits *= 2


def as_step(value: Exact) -> Fraction:
    """Return the distance of losses, a power of two from 2^-30 to 1, or refuse it."""
    h = as_fraction(value, name="discretization")
    if h.numerator != 1 or h.denominator & (h.denominator - 1) or h.denominator > 2**30:
        raise InvalidValueError(
            f"discretization={short(h)} is no power of two from 2^-30 to 1. Pass 1/256: then every loss is a float."
        )
    return h


def from_dp_accounting(pld: Any) -> LossDistribution:
    """Return the masses of a privacy loss distribution of dp-accounting, as the fractions that its floats are.

    Nothing is said of how these floats were made: ``is_pessimistic`` is what dp-accounting noted.

    Raises:
        InvalidValueError: for other objects.
    """
    parts = [_from_peer(getattr(pld, name, None)) for name in ("_pmf_remove", "_pmf_add")]
    symmetric = getattr(pld, "_symmetric", None)
    if parts[0] is None or symmetric is None:
        raise InvalidValueError(
            f"pld has the type {type(pld).__name__}. Pass a PrivacyLossDistribution of dp_accounting.pld."
        )
    return LossDistribution(parts[0], None if symmetric else parts[1])


def _from_peer(pmf: Any) -> GridLoss | None:
    if pmf is None:
        return None
    dense = pmf.to_dense_pmf()
    masses = tuple(Fraction(mass) for mass in dense._probs.tolist())
    step, infinite = Fraction(dense._discretization), Fraction(float(dense._infinity_mass))
    return GridLoss(step, int(dense._lower_loss), masses, infinite, bool(dense._pessimistic_estimate))


def _as_peer(part: GridLoss) -> Any:
    from numpy import array

    floats = array([float(mass) for mass in part.masses])
    pmfs = _peer("pld_pmf")
    return pmfs.DensePLDPmf(float(part.step), part.first, floats, float(part.infinite), part.is_pessimistic)


def _peer(name: str) -> Any:
    try:
        return import_module(f"dp_accounting.pld.{name}")
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "dp_accounting":
            raise
        raise MissingPeerError(
            "dp-accounting is not installed. Run: pip install 'exactdp[peers]'", name="dp_accounting"
        ) from None


def _hockey_stick(terms: Iterable[tuple[Fraction, Fraction]], scale: Fraction) -> Fraction:
    """Return the sum of max(0, 1 - scale * ratio) mass over (mass, ratio), in integers over one denominator."""
    top, bottom = scale.numerator, scale.denominator
    above = [(mass, ratio) for mass, ratio in terms if top * ratio.numerator < bottom * ratio.denominator]
    masses = _sum_of([(mass.numerator, mass.denominator) for mass, _ in above])
    return masses - scale * _sum_of([(a.numerator * b.numerator, a.denominator * b.denominator) for a, b in above])


def _sum_of(terms: Sequence[tuple[int, int]]) -> Fraction:
    """Return the sum of numerators over denominators, which are powers of two where the masses are floats."""
    whole = lcm(*{denominator for _, denominator in terms})
    return Fraction(sum(numerator * (whole // denominator) for numerator, denominator in terms), whole)


_Ends = tuple[Fraction, Fraction]


@lru_cache(maxsize=_EXPS_KEPT)
def exp_ends(exponent: Fraction) -> _Ends:
    """Enclose e^exponent."""
    if exponent == 0:
        return Fraction(1), Fraction(1)
    value = enclose_real(Real(1, exponent=exponent), relative_bits=_BITS)
    return value.lo, value.hi


def _quotient(value: Fraction, divisor: _Ends) -> _Ends:
    """Enclose a number over a positive one."""
    low, high = sorted((value / divisor[0], value / divisor[1]))
    return low, high


def _float_below(value: Fraction) -> Fraction:
    """Return the greatest float that is not above a number of at least 0."""
    near = float(value)
    return Fraction(near if Fraction(near) <= value else nextafter(near, 0))


def _float_above(value: Fraction) -> Fraction:
    """Return the least float that is not below a number of at least 0."""
    near = float(value)
    return Fraction(near if Fraction(near) >= value else nextafter(near, inf))
