"""zsum: the accuracy part of its theorem, which the notes leave blank, and why its gamma term cannot go away.

Statement. W ~ Bin(n, gamma) counts the silent users, mu = n gamma, k is the true sum. The estimate of the mean k/n is
(k + mu - W)/n where W < k, which is c* > 1, and 0 elsewhere. For eps in (0, 1], delta in (0, 1), Lambda = ln(2/delta),
n >= 100 Lambda/eps^2 and gamma = 50 Lambda/(eps^2 n), on every data set:

    P[abs(estimate - k/n) > alpha] <= (delta/2)^25 < delta^25,
    alpha = gamma (1 + 1.2808 eps) <= 114.04 Lambda/(eps^2 n).

For every n >= 1, gamma in (0, 1] and beta in (0, 1) it is at most beta with alpha = gamma (1 + h), h >= 0 the root of
h^2 = L (2 + h), L = ln(1/beta)/mu. The target is the mean, and the bound is Theta(Lambda/(eps^2 n)).

Proof. 1. *Deterministic.* With h >= 0, an error above (1 + h) gamma implies W > (1 + h) mu and k > (1 + h) mu. If W <
k, then mu - W <= mu, so W - mu > (1 + h) mu, and k > W. If W >= k, the error is k/n.
2. *Tail.* P[W >= (1 + h) mu] <= e^(-mu h^2/(2 + h)). Put u = 2h/(2 + h) in [0, 2), that is 1 + h = (2 + u)/(2 - u). (2
- u) e^u <= 2 + u, so e^u <= 1 + h: this is ln(1 + h) >= 2h/(2 + h), and gives (1+h) ln(1+h) - h >= h^2/(2+h). Each
user contributes 1 + gamma (e^u - 1) <= 1 + gamma h <= e^(gamma h) to E[e^(uW)], so that E[e^(uW)] <= e^(mu h) by
independence, and Markov's inequality gives the exponent u (1 + h) - h = h^2/(2 + h). (1 + x <= e^x holds on [-1, 1],
and by doubling for larger x: from y >= 1 + x follows y^2 >= 1 + 2x.)
3. *The power 25.* With h = 1.2808 eps: h^2/(2 + h) >= eps^2/2, and mu eps^2/2 = 25 Lambda. Hence e^(-25 Lambda) =
(delta/2)^25. For a given beta >= delta^25, ln(1/beta) <= 25 Lambda makes L <= eps^2/2, and the root h is at most
1.2808 eps. 4. 50 (1 + 1.2808 eps) <= 114.04.

*The gamma term.* For a true sum k <= mu the error is at least min(k, mu - k)/n with certainty: k/n where the estimate
is 0, and above gamma - k/n where W < k. At k = floor(mu/2) this is above gamma/2 - 1/n. For k = (1 - t) mu, t in [0,
1], the estimate is 0 but with probability e^(-t^2 mu/2) at most, by e^-t <= 1 - t + t^2/2: the error is then (1 - t)
gamma. So no alpha below gamma/2 - 1/n is right for any beta < 1, and with ln(1/delta) in place of Lambda the O() of
the notes is false as delta comes close to 1: for every constant C and ln(1/delta) <= 16/C, the error is above C
ln(1/delta)/(eps^2 n) with certainty. Where delta <= 1/2, Lambda <= 2 ln(1/delta), and it holds.

Assumed: Markov's inequality, and independence of the users' coins. That W > (1 + h) mu contains the error is step 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import comb, floor
from typing import Final

from exactdp import Claim, LogRational
from exactdp.claims.claim import Span
from exactdp.proofs.row_files import decides
from exactdp.proofs.steps import decimal, equal, implies, positive_on, variables
from exactdp.protocols import zsum
from exactdp.protocols.zsum_and_histogram.zsum_theorem import zsum_least_n, zsum_rounded_gamma
from exactdp.studies.counterexamples.search import Rationals, search

DEVIATION: Final = Fraction("1.2808")
"""At least (1 + sqrt(17))/4: alpha = gamma (1 + DEVIATION eps)."""
_CONSTANT: Final = 50 * (1 + DEVIATION)
"""alpha is at most this times ln(2/delta)/(eps^2 n)."""
LN_2: Final = Fraction("0.693")
"""Below ln 2, as ``below_ln_2`` claims."""
_TRIED: Final = 115
"""The constant C with which the printed order is tried: the one that holds with ln(2/delta), rounded up."""
NUMBERS: Final = {
    "deviation": decimal(DEVIATION),
    "constant": decimal(_CONSTANT),
    "twice_constant": decimal(2 * _CONSTANT),
    "tried": _TRIED,
}
"""The numbers that the rows quote."""


# --- The steps ------------------------------------------------------------------------------------------------------


@decides("zsum-error-lemma")
def deterministic() -> Iterator[Claim]:
    """Step 1, times n: k is the true sum, m = n gamma, w the silent users, c = c*; each case of the estimate."""
    k, m, w, h, n, c = variables("k m w h n c")
    ranges = (w >= 0, k >= 0, m >= 0, h >= 0)
    yield implies(n > 0, equal(c * n, n + k - w), c > 1, then=k > w)
    yield implies(n > 0, equal(c * n, n + k - w), c <= 1, then=k <= w)
    yield implies(*ranges, w < k, then=m - w <= (1 + h) * m)
    yield implies(*ranges, w < k, w - m > (1 + h) * m, then=w > (1 + h) * m)
    yield implies(*ranges, w < k, w - m > (1 + h) * m, then=k > (1 + h) * m)
    yield implies(*ranges, w >= k, k > (1 + h) * m, then=w > (1 + h) * m)


@decides("zsum-upper-tail", assuming=("markov", "independence"))
def upper_tail() -> Iterator[Claim]:
    """Step 2: P[W >= (1 + h) mu] <= e^(-mu h^2/(2 + h)) for every h >= 0; v = 1/(2 + h), e for e^u, g for gamma."""
    u, h, v, e, g = variables("u h v e g")
    half_ratio = equal(u * (2 + h), 2 * h)
    yield implies(h >= 0, v > 0, equal(v * (2 + h), 1), equal(u, 2 * h * v), then=u >= 0)
    yield implies(h >= 0, v > 0, equal(v * (2 + h), 1), equal(u, 2 * h * v), then=u < 2)
    yield positive_on({"u": Span(0, 2, True, False)}, (2 + u, 0), (u - 2, u))
    yield implies(h >= 0, e > 0, half_ratio, 2 + u >= (2 - u) * e, then=e <= 1 + h)
    yield implies(g >= 0, e <= 1 + h, then=1 + g * (e - 1) <= 1 + g * h)
    yield exponential_above_line()
    yield implies(h >= 0, half_ratio, then=equal((u * (1 + h) - h) * (2 + h), h**2))


def exponential_above_line() -> Claim:
    """1 + x <= e^x for x >= -1: on [-1, 1], and from x to 2x."""
    x, y = variables("x y")
    return Claim.conjunction(
        positive_on({"x": (-1, 1)}, (1, x), (-1 - x, 0)),
        implies(x >= 0, y >= 1 + x, then=y**2 >= 1 + 2 * x),
    )


def lower_tail() -> Claim:
    """P[W <= (1 - t) mu] <= e^(-mu t^2/2) for 0 <= t <= 1.

    e for e^-t, g for gamma, z = t - t^2/2, x = -g z for the exponent per user.
    """
    t, e, g, z, x = variables("t e g z x")
    step, per_user = equal(z, t - t**2 / 2), equal(x, -g * z)
    return Claim.conjunction(
        positive_on({"t": (0, 1)}, (1 - t + t**2 / 2, 0), (-1, -t)),
        implies(t >= 0, t <= 1, step, then=(z >= 0, z <= 1)),
        implies(g >= 0, per_user, e <= 1 - z, then=1 + g * (e - 1) <= 1 + x),
        implies(g >= 0, g <= 1, z >= 0, z <= 1, per_user, then=(x >= -1, x <= 0)),
        exponential_above_line(),
        implies(g >= 0, step, per_user, then=equal(g * t * (1 - t) + x, -g * t**2 / 2)),
        assuming=("markov", "independence"),
    )


def below_ln_2() -> Claim:
    """2 > e^lam on [0, LN_2]."""
    (lam,) = variables("lam")
    return positive_on({"lam": (0, LN_2)}, (2, 0), (-1, lam), strict=True)


def power_of_delta() -> Claim:
    """Step 3: mu h^2/(2 + h) = s x >= 25 Lambda, s = mu eps^2 = 50 Lambda, h = DEVIATION eps, v = 1/(2 + h)."""
    e, s, v, x, lam = variables("e s v x lam")
    h = DEVIATION * e
    return Claim.conjunction(
        implies(e >= 0, e <= 1, v > 0, equal(v * (2 + h), 1), then=DEVIATION**2 * v >= Fraction(1, 2)),
        implies(s >= 0, x >= Fraction(1, 2), equal(s, 50 * lam), then=s * x >= 25 * lam),
    )


def _constant() -> Claim:
    """Step 4; c = ln(2/delta)/(eps^2 n)."""
    e, c, g = variables("e c g")
    return implies(e <= 1, c >= 0, equal(g, 50 * c), then=g * (1 + DEVIATION * e) <= _CONSTANT * c)


@decides("zsum-accuracy")
def _accuracy() -> Claim:
    return Claim.conjunction(deterministic(), upper_tail(), power_of_delta(), _constant(), smaller_than_delta())


def smaller_than_delta() -> Claim:
    """(delta/2)^25 < delta^25, step by step: if p <= q for the powers so far, from 1 <= 1 on, then p d/2 < q d."""
    d, p, q = variables("d p q")
    return implies(d > 0, p > 0, p <= q, then=p * d / 2 < q * d)


@decides("zsum-accuracy-every-beta")
def _every_beta() -> Iterator[Claim]:
    """The exponent for a given beta: L mu = ln(1/beta) = b, h^2 = L (2 + h), v = 1/(2 + h)."""
    m, h, v, rate, b = variables("m h v rate b")
    root = equal(h**2, rate * (2 + h))
    yield deterministic()
    yield upper_tail()
    yield implies(rate >= 0, v > 0, root, equal(v * (2 + h), 1), then=equal(h**2 * v, rate))
    yield implies(m >= 0, equal(h**2 * v, rate), equal(b, rate * m), then=equal(m * h**2 * v, b))


@decides("zsum-accuracy-root")
def _root() -> Claim:
    """If L <= eps^2/2, every h above DEVIATION eps has h^2 > L (2 + h): the root is not there."""
    e, s, rate = variables("e s rate")
    h = DEVIATION * e + s
    return implies(e > 0, e <= 1, s > 0, rate >= 0, rate <= e**2 / 2, then=h**2 > rate * (2 + h))


# --- The gamma term -------------------------------------------------------------------------------------------------


@decides("zsum-gamma-term")
def _gamma_term() -> Iterator[Claim]:
    """n times the error is at least r where r <= k and r <= mu - k, so at least k at k = floor(mu/2) > mu/2 - 1."""
    k, m, w, r = variables("k m w r")
    yield implies(w < k, r <= k, r <= m - k, then=m - w > r)
    yield implies(w < k, k <= m / 2, then=m - w > k)
    yield implies(k > m / 2 - 1, r <= m / 2 - 1, then=k > r)


@decides("zsum-gamma-term-near-the-mean")
def _near_the_mean() -> Claim:
    """k = (1 - t) mu: outside W <= (1 - t) mu the estimate is 0, and n times the error is (1 - t) mu."""
    k, m, w, t = variables("k m w t")
    return Claim.conjunction(lower_tail(), implies(equal(k, (1 - t) * m), w > (1 - t) * m, then=w > k))


@decides("zsum-accuracy-order-every-constant")
def _every_constant() -> Iterator[Claim]:
    """n times the error >= floor(mu/2) = q > C ell/eps^2, ell = ln(1/delta), if C ell <= 16; v = 1/eps^2 >= 1."""
    c, ell, v, m, q, lam, e = variables("c ell v m q lam e")
    yield _gamma_term()
    yield below_ln_2()
    yield implies(e > 0, e <= 1, v > 0, equal(v * e**2, 1), then=v >= 1)
    yield implies(
        *(ell >= 0, v >= 1, lam >= LN_2, c * ell <= 16, q > m / 2 - 1),
        equal(m, 50 * (ell + lam) * v),
        then=q > c * ell * v,
    )


@decides("zsum-accuracy-order")
def _small_delta() -> Iterator[Claim]:
    """ln(2/delta) = ln 2 + ln(1/delta) <= 2 ln(1/delta) where ln(1/delta) >= ln 2."""
    ell, lam, c = variables("ell lam c")
    yield _accuracy()
    yield implies(ell >= lam, c >= 0, then=_CONSTANT * c * (lam + ell) <= 2 * _CONSTANT * c * ell)


# --- The printed order, at an instance ------------------------------------------------------------------------------


def silent_tail(n: int, gamma: Fraction, low: int, high: int) -> Fraction:
    """Return P[low <= W <= high] for W ~ Bin(n, gamma), exactly."""
    top, bottom = gamma.numerator, gamma.denominator
    terms = (comb(n, t) * top**t * (bottom - top) ** (n - t) for t in range(max(low, 0), min(high, n) + 1))
    return Fraction(sum(terms), bottom**n)


def failure_probability(n: int, gamma: Fraction, k: int, alpha: Fraction) -> Fraction:
    """Return P[error > alpha] of zsum's estimate of the mean with a true sum of k, exactly.

    >>> failure_probability(2, Fraction(1, 2), 1, Fraction(1, 4))
    Fraction(1, 1)
    """
    mu, reach = n * gamma, n * alpha
    above = silent_tail(n, gamma, k, n) if k > reach else Fraction(0)
    below = silent_tail(n, gamma, 0, min(-floor(reach - mu) - 1, k - 1)) if mu > reach else Fraction(0)
    return above + below + silent_tail(n, gamma, floor(mu + reach) + 1, k - 1)


def _printed_alpha(n: int, delta: Fraction) -> Fraction:
    """C ln(1/delta)/(eps^2 n) for eps = 1, rounded up."""
    return _TRIED * LogRational(1 / delta).enclose().hi / n


def _worst_failure(delta: Fraction) -> Fraction:
    """P[error > printed alpha] for eps = 1 and the least n, at the worst true sum: the least one above n alpha."""
    n = zsum_least_n(eps=1, delta=delta)
    alpha = _printed_alpha(n, delta)
    return failure_probability(n, zsum_rounded_gamma(n, eps=1, delta=delta), min(floor(n * alpha) + 1, n), alpha)


@decides("zsum-accuracy-order-printed")
def _printed_order() -> Claim:
    (delta,) = search(lambda delta: _worst_failure(delta) <= delta**25, delta=Rationals(0, 1, 10)).at("delta")
    n = zsum_least_n(eps=1, delta=delta)
    beta = ((_worst_failure(delta) + delta**25) / 2).limit_denominator(10**6)
    protocol = zsum(n, gamma=zsum_rounded_gamma(n, eps=1, delta=delta))
    return Claim.accuracy(protocol, alpha=_printed_alpha(n, delta), beta=beta)
