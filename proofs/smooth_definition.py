"""Smooth laws: the definition repaired, and what it does and does not say.

Definition. A law D on the integers is (eps, delta, k)-smooth if for every integer k' with 1 <= abs(k') <= k

    P[Y : D(Y) / D(Y + k') >= e^(abs(k') eps)] <= delta,    Y ~ D, a zero denominator counting as infinity.

1. k' = 0 has to be left out: the ratio is 1 = e^0 there with probability 1, and no law is smooth with delta < 1.
2. "P[ratio >= e^(abs(k') eps)] <= delta" is the same as "P[ratio < e^(abs(k') eps)] >= 1 - delta", not "> 1 - delta".
3. The ratio compares the masses of two points, Y and Y + k'; not that of Y with that of a window around it.
4. A smooth law gives (eps, delta)-DP: with b <= delta the mass of the outcomes whose ratio is large, and g <= e^eps q
   that of the others in an event T, b + g <= e^eps Q(T) + delta. The converse is false: (eps, delta)-DP bounds no ratio
   with probability 1 - delta.
5. A histogram of n records moves by at most 1 in every bin and by at most 2 in all bins together (replace one). The
   privacy of a 1-sensitive query with the same noise does not carry over: it takes Lemma 2,
   proofs/smooth_noise_privacy.py.

Proof. 1 to 3: the masses at the first instance, in the order of the search, where the print fails, and the
inequalities for all masses. 4: as stated, and a binomial law that is private and not smooth. 5: with e_j, f_j in
[0, 1] the indicators of bin j before and after, abs(e_j - f_j) <= e_j + f_j, and these sums are at most 1 each.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from exactdp import Binomial, Claim, ExactDPError, Law, ShuffleProtocol, hockey_stick_divergence, smoothness_delta
from exactdp.errors import InvalidValueError
from exactdp.proofs.least import refuted_at_least, searched_over
from exactdp.proofs.row_files import decides
from exactdp.proofs.steps import equal, implies, variables
from exactdp.protocols import histogram_randomizer
from exactdp.studies.counterexamples.search import Rationals

_ORDERS: Final = Rationals(1, 4, 2)
"""The e^eps of the searches."""
_CHANCES: Final = Rationals(0, 1, 4)
"""The probabilities of the searches."""
_USERS: Final = 12
"""The number of users at which the histogram is (2 eps, 2 delta)-DP."""
NUMBERS: Final = {"users": _USERS}
"""The numbers that the rows quote."""


def uniform(m: int) -> Law:
    """Return the uniform law on 0, ..., m - 1."""
    return Law({y: Fraction(1, m) for y in range(m)})


def large_ratio(law: Law, shift: int, bound: Fraction) -> Fraction:
    """Return P[Y : D(Y) / D(Y + shift) >= bound], for every shift, 0 included.

    >>> large_ratio(uniform(4), 1, Fraction(2)), large_ratio(uniform(4), 0, Fraction(1))
    (Fraction(1, 4), Fraction(1, 1))
    """
    return sum((p for y, p in law.items() if p >= bound * law.prob(y + shift)), Fraction(0))


def least_delta(law: Binomial, exp_eps: Fraction) -> Fraction:
    """Return the least delta for which the law is (ln E, delta, 1)-smooth.

    >>> least_delta(Binomial(6, "1/2"), Fraction(2))
    Fraction(11, 32)
    """
    delta = smoothness_delta(law, k=1, exp_eps=exp_eps)
    if not isinstance(delta, Fraction):
        raise ExactDPError(f"the smoothness of {law!r} is not exact.")
    return delta


# --- The definition -------------------------------------------------------------------------------------------------


@searched_over(n=range(1, 4), k=range(1, 3), p=_CHANCES, exp_eps=_ORDERS, delta=Rationals(0, 1, 4))
def _zero_shift_search(n: int, k: int, p: Fraction, exp_eps: Fraction, delta: Fraction) -> bool:
    """A law that is (ln E, delta, k)-smooth, but not with k' = 0 among the shifts."""
    law = Binomial(n, p).law()
    shifts = [s for s in range(-k, k + 1) if s]
    if any(large_ratio(law, s, exp_eps ** abs(s)) > delta for s in shifts):
        raise InvalidValueError("not smooth.")
    return large_ratio(law, 0, Fraction(1)) <= delta


@decides("smooth-definition-printed")
def _printed_definition() -> Claim:
    """At k' = 0 the outcomes of a large ratio are all outcomes."""
    n, p, delta = _zero_shift_search().at("n", "p", "delta")
    return Claim.tail(Binomial(n, p), low=0, high=n, at_most=delta)


@decides("smooth-definition")
def _definition() -> Iterator[Claim]:
    n, k, p, exp_eps, delta = _zero_shift_search().at("n", "k", "p", "exp_eps", "delta")
    mass, bound = variables("mass delta")
    yield Claim.smooth(Binomial(n, p), k=k, exp_eps=exp_eps, delta=delta)
    yield implies(equal(mass, 1), bound < 1, then=mass > bound)


@searched_over(m=range(1, 6), exp_eps=_ORDERS, delta=Rationals(0, 1, 4))
def _complement_search(m: int, exp_eps: Fraction, delta: Fraction) -> bool:
    large = large_ratio(uniform(m), 1, exp_eps)
    if large > delta:
        raise InvalidValueError("not smooth.")
    return 1 - large > 1 - delta


@decides("smooth-complement-printed")
def _printed_complement() -> Iterator[Claim]:
    """For the uniform law and k' = 1 the ratio is small, 1, at all outcomes but the last."""
    m, exp_eps, delta = _complement_search().at("m", "exp_eps", "delta")
    yield Claim.smooth(uniform(m), k=1, exp_eps=exp_eps, delta=delta)
    yield Claim.negation(Claim.tail(uniform(m), low=0, high=m - 2, at_most=1 - delta))


@decides("smooth-complement")
def _complement() -> Iterator[Claim]:
    large, small, delta = variables("large small delta")
    total = equal(large + small, 1)
    yield implies(total, large <= delta, then=small >= 1 - delta)
    yield implies(total, small >= 1 - delta, then=large <= delta)


@searched_over(m=range(1, 6), y=range(5), exp_eps=_ORDERS)
def _window_search(m: int, y: int, exp_eps: Fraction) -> bool:
    """D(Y) and D(Y + 1) are within E of each other, D(Y) and the window's mass are not."""
    law, bound = uniform(m), _window_bound(m, y, exp_eps)
    return law.prob(y - 1) + law.prob(y) + law.prob(y + 1) <= bound


def _window_bound(m: int, y: int, exp_eps: Fraction) -> Fraction:
    """Return E D(y) for the uniform law D, if D(y) < E D(y + 1)."""
    law = uniform(m)
    if law.prob(y) == 0 or law.prob(y) >= exp_eps * law.prob(y + 1):
        raise InvalidValueError("the ratio is large.")
    return exp_eps * law.prob(y)


def _window_at(m: int, y: int, exp_eps: Fraction) -> Claim:
    return Claim.tail(uniform(m), low=y - 1, high=y + 1, at_most=min(Fraction(1), _window_bound(m, y, exp_eps)))


@decides("smooth-window-printed")
def _printed_window() -> Claim:
    return refuted_at_least(_window_at, _window_search)


@decides("smooth-two-points")
def _window() -> Claim:
    m, y = _window_search().at("m", "y")
    law, mass = uniform(m), uniform(m).prob(y)
    window, here, there = variables("window here there")
    points = [claim for at in (y, y + 1) for claim in _mass_is(law, at, mass)]
    return Claim.conjunction(*points, implies(window >= here + there, there > 0, then=window > here))


@decides("smooth-window-points")
def _points() -> Iterator[Claim]:
    """Bin(12, 1/2) and e^eps = 3: D(y) < 3 D(y + 1) and D(y) < 9 D(y + 2) up to y = 8; downwards likewise."""
    law, delta = Binomial(12, "1/2"), Fraction(1, 10)
    small, large = variables("small large")
    yield Claim.smooth(law, k=2, exp_eps=3, delta=delta)
    yield Claim.tail(law, low=0, high=8, at_least=1 - delta)
    yield Claim.tail(law, low=4, high=12, at_least=1 - delta)
    yield implies(equal(small + large, 1), large <= delta, then=small >= 1 - delta)
    yield implies(equal(small + large, 1), small >= 1 - delta, then=large <= delta)


def _mass_is(law: Law, y: int, mass: Fraction) -> tuple[Claim, Claim]:
    return Claim.tail(law, low=y, high=y, at_most=mass), Claim.tail(law, low=y, high=y, at_least=mass)


# --- Smoothness and privacy -----------------------------------------------------------------------------------------


@searched_over(n=range(1, 4), p=_CHANCES, exp_eps=_ORDERS)
def _converse_search(n: int, p: Fraction, exp_eps: Fraction) -> bool:
    """A law whose shifts are (ln E, delta)-close, delta being exact, and that is not (ln E, delta, 1)-smooth."""
    return least_delta(Binomial(n, p), exp_eps) <= _shift_delta(n, p, exp_eps)


def _shift_delta(n: int, p: Fraction, exp_eps: Fraction) -> Fraction:
    law = Binomial(n, p).law()
    moved = law.map(lambda y: y + 1)
    return max(
        hockey_stick_divergence(law, moved, exp_eps=exp_eps), hockey_stick_divergence(moved, law, exp_eps=exp_eps)
    )


@decides("smooth-converse-printed")
def _printed_converse() -> Claim:
    return refuted_at_least(_converse_at, _converse_search)


def _converse_at(n: int, p: Fraction, exp_eps: Fraction) -> Claim:
    law, delta = Binomial(n, p), _shift_delta(n, p, exp_eps)
    return Claim.conjunction(
        Claim.shift_dp(law, exp_eps=exp_eps, delta=delta), Claim.smooth(law, k=1, exp_eps=exp_eps, delta=delta)
    )


@decides("smooth-is-private")
def _smooth_is_private() -> Claim:
    bad, good, rest, q, order, delta = variables("bad good rest q E delta")
    return implies(bad <= delta, good <= order * rest, rest <= q, order >= 1, then=bad + good <= order * q + delta)


@searched_over(n=range(1, 4), gamma=_CHANCES, exp_eps=_ORDERS)
def _histogram_search(n: int, gamma: Fraction, exp_eps: Fraction) -> bool:
    """A histogram of two bins that is not as private as one bin's smoothness says."""
    delta = least_delta(Binomial(n, 1 - gamma), exp_eps)
    return _two_bins(n, gamma).privacy_profile().exact_delta(exp_eps=exp_eps) <= delta


def _two_bins(n: int, gamma: Fraction) -> ShuffleProtocol:
    return ShuffleProtocol(histogram_randomizer(2, gamma=gamma), n)


@decides("smooth-histogram")
def _histogram() -> Iterator[Claim]:
    n, gamma, exp_eps = _histogram_search().at("n", "gamma", "exp_eps")
    law, protocol = Binomial(n, 1 - gamma), _two_bins(n, gamma)
    delta = least_delta(law, exp_eps)
    larger, enough = (
        _two_bins(_USERS, gamma),
        least_delta(Binomial(_USERS, 1 - gamma), exp_eps),
    )
    e, f, moved, before, after = variables("e f moved before after")
    indicators, sums = (e >= 0, e <= 1, f >= 0, f <= 1), (before + e) + (after + f)
    yield implies(*indicators, then=(e - f <= 1, f - e <= 1))
    yield implies(moved <= before + after, *indicators, then=(moved + (e - f) <= sums, moved + (f - e) <= sums))
    yield implies(moved <= before + after, before <= 1, after <= 1, then=moved <= 2)
    yield Claim.smooth(law, k=1, exp_eps=exp_eps, delta=delta)
    yield Claim.negation(Claim.shuffle_dp(protocol, exp_eps=exp_eps, delta=delta))
    yield Claim.shuffle_dp(larger, exp_eps=exp_eps**2, delta=2 * enough)
