"""zsum: the law of its view, its exact privacy in closed form, and zero error on zero.

Statement. A user with the bit x sends x copies of one symbol, and one more with probability 1 - gamma. Let
W ~ Bin(n, gamma), w(t) = P[W = t] and E = e^eps.

1. The view, the number of messages, is sum x_i + Bin(n, 1-gamma). So the views of neighbours are one law and the same
   law shifted by one, and delta does not depend on the data.
2. delta(E) = max(delta_1, delta_2) with delta_1 = P[W <= a] - E P[W <= a-1], delta_2 = P[W >= b-1] - E P[W >= b],
   a = floor((n+1) gamma / (gamma + E (1-gamma))), b = ceil((n+1) gamma E / (1 - gamma + gamma E)).
3. If all users hold 0, the estimate is 0 with certainty.

Proof. 1: the row of input 1 is that of input 0 shifted by one message, and shifts add up. For every gamma: with z
marking a message, the rows are r = gamma + (1 - gamma) z and z r, so that one more user multiplies z^k r^n by z^x r.
2: the ratio w(t)/w(t-1) = B/A, B = (n-t+1) gamma, A = t (1-gamma), falls in t, so the optimal events are half-lines;
solve ratio >= E: B >= E A is t <= (n+1) gamma/(gamma + E (1-gamma)), and A >= E B is t >= (n+1) gamma E/(1 - gamma +
gamma E). Coq has this as a theorem about the program, for all n, gamma and E; beside it the closed form is evaluated
here by its definition, without the engine, at a few instances: the engine has to give the same number, and the checker
confirms it as the least delta by summing over all outcomes, without the half-lines. 3: a user with input 0 sends at
most one message, so the mean number of messages is at most 1, the analyzer's threshold.

The least delta does not fall as gamma grows to 1/2. With two users and E = 1 it is w(1) = 2 gamma (1 - gamma) from
gamma = 1/3 to 1/2, which rises from 4/9 to 1/2. Between such rises it falls
(exactdp/studies/calibration/zsum_safety.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, comb, floor
from typing import Final

from exactdp import Binomial, Claim, ExactDPError
from exactdp.proofs.row_files import decides
from exactdp.proofs.steps import equal, implies, variables
from exactdp.protocols import zsum, zsum_randomizer

_GAMMAS: Final = (Fraction(1, 8), Fraction(1, 3), Fraction(1, 2))
"""The gammas of the tables."""
_INSTANCES: Final = (
    (1, Fraction(1, 8), Fraction(3)),
    (3, Fraction(2, 3), Fraction(3, 2)),
    (10, Fraction(1, 3), Fraction(2)),
    (100, Fraction(1, 2), Fraction(1)),
)
"""n, gamma and e^eps at which the checker confirms the closed form. At the second the first order is the larger one."""


def closed_form_delta(n: int, gamma: Fraction, exp_eps: Fraction) -> Fraction:
    """Return delta(E) of zsum by the closed form of the statement, for 0 < gamma < 1 and E >= 1.

    >>> closed_form_delta(2, Fraction(1, 2), Fraction(1))
    Fraction(1, 2)
    """
    weights = [comb(n, t) * gamma**t * (1 - gamma) ** (n - t) for t in range(n + 1)]

    def up_to(t: int) -> Fraction:
        return sum(weights[: max(0, t + 1)], Fraction(0))

    a = floor((n + 1) * gamma / (gamma + exp_eps * (1 - gamma)))
    b = ceil((n + 1) * gamma * exp_eps / (1 - gamma + gamma * exp_eps))
    return max(up_to(a) - exp_eps * up_to(a - 1), 1 - up_to(b - 2) - exp_eps * (1 - up_to(b - 1)))


@decides("zsum-view")
def _view() -> Iterator[Claim]:
    for gamma in _GAMMAS:
        yield Claim.additive_view(zsum_randomizer(gamma=gamma), Binomial(1, 1 - gamma).law(), {0: 0, 1: 1})


@decides("zsum-view-every-gamma")
def _every_view() -> Iterator[Claim]:
    """The rows r0, r1 for every gamma = g; p is the generating function so far; y = n - (w - s) is the count."""
    z, g, p, r0, r1, y, n, w, s, m = variables("z g p r0 r1 y n w s m")
    rows = (equal(r0, g + (1 - g) * z), equal(r1, g * z + (1 - g) * z**2))
    yield implies(z >= 0, *rows, then=equal(r1, z * r0))
    yield implies(p >= 0, equal(r1, z * r0), then=equal(p * r1, z * (p * r0)))
    yield implies(equal(y, s + n - w), equal(m, w - s), then=equal(y, n - m))


@decides("zsum-half-lines")
def _half_lines() -> Iterator[Claim]:
    """w(t) = c B and w(t-1) = c A, c > 0; the signs of w(t) - E w(t-1) and w(t-1) - E w(t), and where they change.

    The changes are at x = (n+1) g/up and y = (n+1) g E/down.
    """
    n, t, g, e, a, b, c, later, earlier, x, y = variables("n t g e a b c later earlier x y")
    ratio = (c > 0, e >= 1, equal(later, c * b), equal(earlier, c * a))
    up, down = g + e * (1 - g), 1 - g + e * g
    first, second = (up > 0, equal(x * up, (n + 1) * g)), (down > 0, equal(y * down, (n + 1) * g * e))
    rising, falling = (n - t + 1) * g, t * (1 - g)
    yield implies(*ratio, b >= e * a, then=later >= e * earlier)
    yield implies(*ratio, b < e * a, then=later < e * earlier)
    yield implies(*ratio, a >= e * b, then=earlier >= e * later)
    yield implies(*ratio, a < e * b, then=earlier < e * later)
    yield implies(g > 0, g < 1, e >= 1, then=(up > 0, down > 0))
    yield implies(*first, t <= x, then=rising >= e * falling)
    yield implies(*first, t > x, then=rising < e * falling)
    yield implies(*second, t >= y, then=falling >= e * rising)
    yield implies(*second, t < y, then=falling < e * rising)


@decides("zsum-zero-every-gamma")
def _every_zero() -> Claim:
    """m messages of n users, then one more user with input 0, who sends at most one."""
    m, n, z = variables("m n z")
    return implies(m <= n, z <= 1, then=m + z <= n + 1)


@decides("zsum-closed-form")
def _closed_form() -> Iterator[Claim]:
    for n, gamma, order in _INSTANCES:
        delta = closed_form_delta(n, gamma, order)
        protocol = zsum(n, gamma=gamma)
        if protocol.privacy_profile().delta(exp_eps=order) != delta:
            raise ExactDPError(f"the engine and the closed form differ at n={n}, gamma={gamma}, exp_eps={order}.")
        yield Claim.shift_dp(Binomial(n, 1 - gamma), exp_eps=order, delta=delta, least="delta")


@decides("zsum-delta-falls")
def _falls() -> Claim:
    """What is (0, 4/9)-DP at gamma = 1/3 is so at gamma = 1/2, for two users."""
    at_third, at_half = (Claim.shift_dp(Binomial(2, 1 - gamma), exp_eps=1, delta="4/9") for gamma in _GAMMAS[1:])
    return Claim.negation(Claim.conjunction(at_third, Claim.negation(at_half)))


@decides("zsum-zero")
def _zero() -> Iterator[Claim]:
    for gamma in _GAMMAS:
        yield Claim.zero_estimate(zsum_randomizer(gamma=gamma), weights={1: 1}, zero_unless_above=1, all_hold=0)
