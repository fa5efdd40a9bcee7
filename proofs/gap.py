"""R^gap: the pre-shuffled randomizer is not eps-DP for any finite eps, yet the shuffled protocol is, from two users on.

Statement. Input 0 sends a uniform string of four bits, input 1 a uniform one of the 10 strings of weight other than 2.

1. The randomizer, pre-shuffled or not, is not (eps, delta)-DP for any finite eps and any delta < 3/8. This is n = 1.
2. Let eps(n) be the least eps for which the shuffled protocol of n users is eps-DP. Then e^eps(2) = 5/2,
   e^eps(3) = 125/64 and e^eps(n) = 8/5 for every n >= 4.
3. The ratio is attained by {0: 1, 1: 1} against {1: 2} at 3 ones (or 5) of 8, by {0: 1, 1: 2} against {1: 3} at 6 ones
   of 12, and for n >= 4 by {0: n-1, 1: 1} against {0: n} at no ones (or 4n) of 4n; data sets are input: users.

4. The whole curve of delta against e^eps, exactly, for n = 2 to 12, and three points of it for n = 10 to 100.

Proof. Both inputs are uniform on strings of equal weight, so a pre-shuffle changes nothing. Weight 2 has probability
3/8 under input 0 and 0 under input 1. For n >= 2 the numbers in 2 are found by the exact engine and checked over
every pair of neighbours. For all n >= 4: adding a user is post-processing, so eps(n) <= eps(4); and the outcome in
which all 4n bits are 0 has the ratio (1/10) / (1/16) = 8/5 whatever n is, because it arises in one way only.
4, the whole curve: for one pair of data sets delta is the sum of max(0, P - e^eps Q) over the outcomes, which is convex
in e^eps (proofs/coq/base/hockey_stick_curve.v), and so is the largest over all pairs. Its values at the breakpoints,
and at a third point between each two neighbours, are the least deltas by the certificate, and the third lies on their
chord. A convex function that meets a chord between its ends is the chord. At the last breakpoint it is 0, and it does
not grow. This is in Coq too: proofs/coq/separations/gap_curve.v.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Final

from exactdp import Claim, ExactDPError, PrivacyProfile, ShuffleProtocol
from exactdp.proofs.row_files import decides
from exactdp.protocols import gap, gap_randomizer

_LOST: Final = Fraction(3, 8)
"""The probability, under the input 0, of what the input 1 never sends."""
_SMALL: Final = {2: Fraction(5, 2), 3: Fraction(125, 64)}
"""n -> the least e^eps, where n is too small for the limit."""
ATTAINED: Final = {2: ({0: 1, 1: 1}, {1: 2}, 3), 3: ({0: 1, 1: 2}, {1: 3}, 6), 4: ({0: 3, 1: 1}, {0: 4}, 0)}
"""n -> (first data set, second data set, ones) with the largest ratio of probabilities; n = 4 stands for all above."""
_FROM: Final = 4
"""The least n that has the limit."""
_LIMIT: Final = Fraction(8, 5)
"""The least e^eps from there on."""
_WHOLE_USERS: Final = tuple(range(2, 13))
"""The numbers of users with a curve for all eps."""
_CURVE_ORDERS: Final = (Fraction(1), Fraction(11, 10), Fraction(5, 4))
"""The e^eps of a few points of the curve."""
_CURVE: Final = {
    10: ("1.512e-2", "1.949e-3", "6.156e-5"),
    20: ("7.460e-3", "1.323e-4", "1.753e-7"),
    50: ("2.924e-3", "1.802e-7", "1.701e-14"),
    100: ("1.456e-3", "9.929e-12", "1.187e-25"),
}
"""n -> delta at these points, rounded to four digits."""
NUMBERS: Final = {
    "lost": _LOST,
    "small_users": " and ".join(f"n = {n}" for n in _SMALL),
    "small_orders": " and ".join(f"e^eps({n}) = {exp_eps}" for n, exp_eps in _SMALL.items()),
    "from": _FROM,
    "limit": _LIMIT,
    "whole_from": _WHOLE_USERS[0],
    "whole_to": _WHOLE_USERS[-1],
    "curve_orders": _CURVE_ORDERS,
    "curve_deltas": "; ".join(f"n = {n}: {', '.join(deltas)}" for n, deltas in _CURVE.items()),
}
"""The numbers that the rows quote."""


@decides("gap-local")
def _local() -> Claim:
    return Claim.never_dp(ShuffleProtocol(gap_randomizer().preshuffle().local(), 1), delta_below=_LOST)


@decides("gap-small-n")
def _small_n() -> Iterator[Claim]:
    for n, exp_eps in _SMALL.items():
        yield Claim.shuffle_dp(gap(n), exp_eps=exp_eps, delta=0, least="exp_eps")


@decides("gap-all-n")
def _all_n() -> Claim:
    return Claim.shuffle_dp(gap(_FROM), exp_eps=_LIMIT, delta=0, all_n_from=_FROM, least="exp_eps")


@decides("gap-curve")
def _curve() -> Iterator[Claim]:
    for n, rounded in _CURVE.items():
        profile = gap(n).privacy_profile()
        for order, said in zip(_CURVE_ORDERS, rounded, strict=True):
            delta = profile.exact_delta(exp_eps=order)
            if format(delta, ".3e") != said:
                raise ExactDPError(f"n={n}: delta is {delta} at e^eps={order}, and its row says {said}. Mend _CURVE.")
            yield Claim.shuffle_dp(gap(n), exp_eps=order, delta=delta, least="delta")


@decides("gap-whole-curve")
def _whole_curve() -> Iterator[Claim]:
    for n in _WHOLE_USERS:
        profile = gap(n).privacy_profile()
        values = {order: profile.exact_delta(exp_eps=order) for order in _deciding_orders(profile)}
        _check_lines(n, values)
        for order, delta in values.items():
            yield Claim.shuffle_dp(gap(n), exp_eps=order, delta=delta, least="delta")


def _check_lines(n: int, values: Mapping[Fraction, Fraction]) -> None:
    """Every second value is the mean of its neighbours, and the last is 0: what the proof of the whole curve needs."""
    deltas = list(values.values())
    for left, middle, right in zip(deltas[::2], deltas[1::2], deltas[2::2], strict=False):
        if 2 * middle != left + right:
            raise ExactDPError(f"n={n}: delta is no line between two breakpoints, {left}, {middle}, {right}.")
    if deltas[-1] != 0:
        raise ExactDPError(f"n={n}: delta is {deltas[-1]} at the last breakpoint, where it should be 0.")


def _deciding_orders(profile: PrivacyProfile) -> list[Fraction]:
    """The breakpoints of delta from E = 1 on, and between each two a third point.

    delta is convex in E. A convex function that meets a chord at a point between its ends is the chord there, so its
    values at these points are the whole curve; beyond the last breakpoint it is constant.
    """
    vertices = profile.exact_tradeoff().vertices
    slopes = {(y0 - y1) / (x1 - x0) for (x0, y0), (x1, y1) in pairwise(vertices)}
    orders = sorted({Fraction(1), *(slope for slope in slopes if slope > 1)})
    return sorted([*orders, *((low + high) / 2 for low, high in pairwise(orders))])
