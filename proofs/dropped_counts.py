"""Sample and threshold: what it gives away over all numbers of holders, and beside randomized response.

Statement. Each of N holders reports with probability q, and the number of reports is released if it is at least
tau >= 1, else 0; neighbours differ in one holder. Let eps > 0, v = e^-eps, 0 < a < 1, q = a (1 - v),
rho = 1 - (1-q) v and k = KL(rho||q) / rho, KL the divergence of two coins.

1. It is (eps, delta)-DP with delta = e^(-tau k), and e^(-tau k) <= e^(-tau (ln(1/a) - 1 + a)).
2. It is (eps, delta)-DP with delta = e^(-tau C), C = ln(1/a) - 1/(1 + a), as published.
3. For every eps >= 0, whatever q, the least delta over all N is that of a count with negative binomial noise W,
   P[W = t] = C(tau + t - 1, t) q^tau (1-q)^t, of sensitivity 1.
4. n users hold bits. Randomized response flips each with probability f, 0 < f < 1/2. For tau = 1 a randomized function
   of the release has the law of the number of ones that are sent, on all data sets, if and only if
   q (1-f) >= 1 - 2f.

Proof. 1: with m = N + 1 holders against N, t reports have the ratio m (1-q) / (m-t), at most e^eps for t <= m rho, as
e^eps (1-rho) = 1-q. In the other order it is at most 1 / (1-q) <= e^eps, and so is that of the dropped outcome, a mean
of such ratios. So only s reports and more are lost, for one s with s >= m rho and s >= tau. Let q y = e^eps rho. Then
1 - q + q y = e^eps, so that y^reports has the mean e^(eps m), user by user, and by Markov's inequality the loss is at
most e^(eps m - s ln y). Here rho k = rho ln y - eps >= 0, since ln(1/x) >= 1 - x; so the exponent is at most -tau k.
With h = ln(1 + a v), rho = (1-v) (1 + a v) and ln y = ln(1/a) + h + eps, the second inequality is
(1-rho) eps <= rho (h - a + 1), and this follows from v eps <= 1 - v and (1 + a v) h >= a v.
2: 1/(1+a) >= 1 - a.
3: exactdp/protocols/thresholded/waiting_times.py: the tau-th report is that of holder M = tau + W. Of m holders in line
M is a function's input that gives the release, of one less it is M + 1; and the best events {M <= m} are events of the
release, because the ratios of W fall.
4: if: each report becomes a one with probability b, each missing one with probability f, where q b + (1-q) f = 1-f; the
condition is b <= 1. Only if: removing a holder has the ratio 1 / (1-q) at most, and so has what is made of it, but
randomized response has the ratio (1-f)/f where nobody holds and sends a one. 1, 2, 4 and the
instance of equal error are proved in Coq.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from exactdp import Binomial, Claim, NegativeBinomial, ShuffleProtocol
from exactdp.proofs.row_files import decides
from exactdp.proofs.sampled_sums import release
from exactdp.proofs.steps import equal, implies, variables
from exactdp.protocols import k_ary

_FACTS: Final = ("markov", "independence", "taylor", "post-processing")

_USERS: Final = 40
_ERROR: Final = 16
_FAILURE: Final = Fraction(1, 10)
_GAMMA: Final = Fraction(11, 16)
_RATE: Final = Fraction(1, 2)
_THRESHOLD: Final = 6
"""What exactdp.studies.calibration.equal_error finds for this error, and two levels that tell the curves apart."""
_MIDDLE: Final = Fraction(3, 2)
_DELTAS: Final = (Fraction(1, 23), Fraction(1, 10**5))
NUMBERS: Final = {
    "users": _USERS,
    "error": _ERROR,
    "failure": _FAILURE,
    "gamma": _GAMMA,
    "rate": _RATE,
    "threshold": _THRESHOLD,
}
"""The numbers that the rows quote."""


# --- 1 and 2: the bounds --------------------------------------------------------------------------------------------


def _lost() -> Iterator[Claim]:
    """1: which outcomes are lost, with E for e^eps and r for rho."""
    E, q, r, m, t, a, v = variables("E q r m t a v")
    yield implies(E >= 0, m >= 0, equal(E * (1 - r), 1 - q), t <= m * r, then=E * (m - t) >= m * (1 - q))
    yield implies(E * (1 - q) >= 1, m >= 0, t >= 0, then=E * (1 - q) * m >= m - t)
    yield implies(E >= 1, a <= 1, equal(E * v, 1), equal(q, a * (1 - v)), then=E * (1 - q) >= 1)
    P, Q, p, w = variables("P Q p w")
    yield implies(p <= E * w, P <= E * Q, then=P + p <= E * (Q + w))


def _tail() -> Iterator[Claim]:
    """1: one more holder, and the exponent; M is the mean of y^reports, L is ln y, X is ln(rho/q)."""
    E, q, r, y, M = variables("E q r y M")
    yield implies(equal(E * (1 - r), 1 - q), equal(q * y, E * r), then=equal(1 - q + q * y, E))
    yield implies(M >= 0, equal(1 - q + q * y, E), then=equal(M * (1 - q + q * y), M * E))
    e, m, s, L, k, T, X = variables("e m s L k T X")
    exponent = e * m - s * L
    yield implies(e >= 0, s >= 0, s >= m * r, equal(r * k, r * L - e), then=r * exponent <= -(s * (r * k)))
    yield implies(k >= 0, s >= T, then=s * k >= T * k)
    yield implies(r * X >= r - q, (1 - r) * e <= r - q, then=r * X - (1 - r) * e >= 0)
    yield implies(r >= 0, equal(L, X + e), then=equal(r * L - e, r * X - (1 - r) * e))


def _simpler() -> Iterator[Claim]:
    """1: the second inequality, with e for eps, h for ln(1 + a v), A for 1 - q and B for (1 + a v) (h - a + 1)."""
    a, v, q, e, h, A, B = variables("a v q e h A B")
    yield implies(v >= 0, equal(q, a * (1 - v)), then=equal(1 - (1 - q) * v, (1 - v) * (1 + a * v)))
    yield implies(a >= 0, a <= 1, v >= 0, then=1 - a + a * v >= 0)
    yield implies(*(a >= 0, a <= 1, v >= 0, (1 + a * v) * h >= a * v), then=(1 + a * v) * (h - a + 1) >= 1 - a + a * v)
    yield implies(A >= 0, v * e <= 1 - v, then=v * A * e <= A * (1 - v))
    yield implies(v <= 1, B >= A, then=(1 - v) * B >= (1 - v) * A)


@decides("sample-threshold-refined", assuming=_FACTS[:3])
def _refined() -> Iterator[Claim]:
    yield from _lost()
    yield from _tail()
    yield from _simpler()


@decides("sample-threshold-published", assuming=_FACTS[:3])
def _published() -> Iterator[Claim]:
    (a,) = variables("a")
    yield _refined()
    yield implies(a >= 0, then=(1 - a) * (1 + a) <= 1)


# --- 3: the waiting time ---------------------------------------------------------------------------------------------


@decides("sample-threshold-waiting-time", assuming=["post-processing"])
def _waiting_time() -> Iterator[Claim]:
    """What one more holder changes, q times the excess of tau - 1 reports; the falling ratios; one pair's values."""
    E, R, S, T, p, w, q, t = variables("E R S T p w q t")
    released = (equal(R, S + q * p), equal(S, T + q * w))
    yield implies(E >= 0, *released, then=equal((R - E * S) - (S - E * T), q * (p - E * w)))
    yield implies(T >= 1, t >= 0, q <= 1, then=(T + t) * (1 - q) * (t + 2) >= (T + t + 1) * (1 - q) * (t + 1))
    rate, threshold, exp_eps, least = Fraction(1, 4), 2, 2, Fraction(1, 16)
    pair = ShuffleProtocol(release(rate, threshold, (1, 2)), 1)
    for little, holds in ((Fraction(1, 2**20), True), (-Fraction(1, 2**20), False)):
        delta = least * (1 + little)
        for claim in (
            Claim.shuffle_dp(pair, exp_eps=exp_eps, delta=delta),
            Claim.shift_dp(NegativeBinomial(threshold, 1 - rate), shift=1, exp_eps=exp_eps, delta=delta),
        ):
            yield claim if holds else Claim.negation(claim)


# --- 4, and equal error ----------------------------------------------------------------------------------------------


@decides("sampling-one-report", assuming=["post-processing"])
def _one_report() -> Iterator[Claim]:
    """4, with b for the chance that a report becomes a one, and for one user the two laws of each side."""
    q, f, b, P, Q = variables("q f b P Q")
    made = equal(q * b + (1 - q) * f, 1 - f)
    yield implies(made, q * (1 - f) >= 1 - 2 * f, then=q * b <= q)
    yield implies(made, f * 2 <= 1, q >= 0, q <= 1, f >= 0, then=q * b >= 0)
    yield implies(P * (1 - q) <= Q, q <= 1, equal(P, 1 - f), equal(Q, f), then=q * (1 - f) >= 1 - 2 * f)
    yield implies(f > 0, f * 2 < 1, then=(1 - 2 * f) * (1 - f) < 1 - 2 * f)


def _estimates() -> Iterator[Claim]:
    """The error is at most A: X is released and q (N - A) <= X <= q (N + A), or N <= A, where X <= N <= q (N + A)."""
    x, N, A = variables("x N A")
    yield implies(x <= N, N <= A, then=x <= (N + A) * _RATE)
    for held in range(_ERROR + 1, _USERS + 1):
        low = max(_THRESHOLD, ((held - _ERROR) * _RATE).__ceil__())
        high = ((held + _ERROR) * _RATE).__floor__()
        yield Claim.tail(Binomial(held, _RATE), low=low, high=high, at_least=1 - _FAILURE)


@decides("sampling-equal-error")
def _equal_error() -> Iterator[Claim]:
    """Between two levels delta of the one is at most that at the lower, of the other at least that at the upper."""
    response = k_ary(_USERS, 2, gamma=_GAMMA)
    yield Claim.accuracy(response, alpha=_ERROR, beta=_FAILURE, values={0: 0, 1: 1})
    yield from _estimates()
    dropped = Binomial(_ERROR + 1, _RATE)  # with a larger threshold it is dropped too often, and errs by its own size
    yield Claim.negation(Claim.tail(dropped, low=_THRESHOLD + 1, at_least=1 - _FAILURE))
    near, far = _DELTAS
    yield Claim.shuffle_dp(response, exp_eps=1, delta=near)
    yield Claim.shuffle_dp(response, exp_eps=_MIDDLE, delta=far)
    lost = ShuffleProtocol(release(_RATE, _THRESHOLD, (7, 8)), 1)
    yield Claim.negation(Claim.shuffle_dp(lost, exp_eps=_MIDDLE, delta=near))
    all_report = ShuffleProtocol(release(_RATE, _THRESHOLD, (_THRESHOLD - 1, _THRESHOLD)), 1)
    yield Claim.never_dp(all_report, delta_below=_RATE**_THRESHOLD)
