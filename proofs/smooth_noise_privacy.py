"""Lemma 2: an integer query with smooth noise in every coordinate is private, with its union bound and product step.

Statement. Let D be (eps, delta, k)-smooth, eps >= 0, delta >= 0. Let f take values in Z^m and let every two neighbours
X, X' have norm_inf(f(X) - f(X')) <= k and norm_1(f(X) - f(X')) <= Delta. Then M(X) = f(X) + (eta_1, ..., eta_m), with
independent eta_j ~ D, is (Delta eps, Delta delta)-DP. For m = 1 and a query of sensitivity 1: (eps, delta)-DP.

Proof. k_j = f(X')_j - f(X)_j, J = {j : k_j != 0}, E = e^eps.

1. The k_j are integers, so abs(J) <= sum of the abs(k_j) <= Delta (induction on the coordinates).
2. At the output v = f(X) + eta the ratio P[M(X) = v] / P[M(X') = v] is the product over J of D(eta_j) / D(eta_j - k_j):
   minus k_j, not plus.
3. Bad event: D(eta_j) / D(eta_j - k_j) >= E^abs(k_j) for some j in J. Its probability is at most abs(J) delta <= Delta
   delta, by smoothness and a union bound.
4. Otherwise P < E^abs(k_j) Q in every coordinate of J, and the product is at most E^(sum of abs(k_j)) <= E^Delta
   (induction: P <= b Q and p < e q give P p <= b e Q q).
5. For every event T, b + g <= E^Delta Q(T) + Delta delta with b the mass of the bad outcomes in T and g that of the
   others.

The norm has to be the first one, abs(J) has to stand in the union bound, the changes have to be bounded on both
sides, and the query has to have integer values: the rows below have instances where these are left out, the first ones
in the order of a search. Assumed: independence of the coordinates, the union bound, sums over infinitely many outcomes.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Final

from exactdp import Binomial, Claim, DiscreteLaplace, Law, Randomizer, ShuffleProtocol
from exactdp.errors import InvalidValueError
from exactdp.proofs.least import refuted_at_least, searched_over
from exactdp.proofs.row_files import decides
from exactdp.proofs.smooth_definition import least_delta, uniform
from exactdp.proofs.steps import Expression, implies, variables
from exactdp.protocols import histogram_randomizer, zsum_randomizer
from exactdp.studies.counterexamples.search import Rationals

_ORDERS: Final = Rationals(1, 4, 2)
"""The e^eps of the searches."""
_HISTOGRAMS: Final = tuple(product((4, 8), (2, 3), (Fraction(1, 3), Fraction(1, 2)), (Fraction(2), Fraction(3))))
"""(n, d, gamma, E) of the instances."""
_SCALARS: Final = tuple(product((10, 100, 1000), (Fraction(1, 8), Fraction(1, 2)), (Fraction(5, 4), Fraction(2))))
"""(n, gamma, E) of the instances."""
_SLACK: Final = Fraction(1, 1000)
"""How far a bound is from the number that it stands for."""
_FALL: Final = 5
"""How far the query falls in the row on changes of one sign."""


# --- The proof ------------------------------------------------------------------------------------------------------


def _moved() -> Claim:
    """Step 1: one more coordinate in J adds 1 to the count and at least 1 to the norm."""
    count, norm, step, total = variables("count norm step Delta")
    return Claim.conjunction(
        implies(count <= norm, step >= 1, then=count + 1 <= norm + step),
        implies(count <= norm, norm <= total, then=count <= total),
    )


def _union(total: Expression | int) -> Claim:
    """Step 3: the bad events are at most ``count``, each of probability at most delta; then count <= Delta."""
    bad, one, count, delta = variables("bad one count delta")
    return Claim.conjunction(
        implies(bad <= count * delta, one <= delta, then=bad + one <= (count + 1) * delta),
        implies(bad <= count * delta, count <= total, delta >= 0, then=bad <= total * delta),
        assuming=["union"],
    )


def _products() -> Claim:
    """Step 4, and E^s <= E^(s+1), so that E^(sum of abs(k_j)) <= E^Delta; all of J gives a strict inequality."""
    p_all, q_all, bound, p, q, e, order = variables("P Q b p q e E")
    masses = (p_all > 0, q_all > 0, bound > 0, p > 0, q > 0, e > 0)
    return Claim.conjunction(
        implies(*masses, p_all <= bound * q_all, p < e * q, then=p_all * p < bound * e * q_all * q),
        implies(bound >= 1, order >= 1, then=bound * order >= bound),
    )


def _event(times: Expression | int) -> Claim:
    """Step 5: ``power`` is E^Delta."""
    bad, good, rest, q, power, delta = variables("bad good rest Q power delta")
    return implies(
        bad <= times * delta, good <= power * rest, rest <= q, power >= 1, then=bad + good <= power * q + times * delta
    )


@decides("lemma2", assuming=["independence", "union", "monotone-convergence"])
def _lemma() -> Iterator[Claim]:
    (total,) = variables("Delta")
    yield _moved()
    yield _union(total)
    yield _products()
    yield _event(total)


@decides("lemma2-scalar", assuming=["monotone-convergence"])
def _scalar() -> Iterator[Claim]:
    """m = k = Delta = 1."""
    laws = [(Binomial(n, gamma), order) for n, gamma, order in _SCALARS]
    yield _event(1)
    yield from (Claim.shift_dp(law, exp_eps=order, delta=least_delta(law, order)) for law, order in laws)


@decides("lemma2-half-step")
def _half_step() -> Iterator[Claim]:
    """Uniform noise on 0, 2, 4, 6: a move by 1 shares no outcome with it."""
    even = uniform(4).map(lambda y: 2 * y)
    for order in (Fraction(101, 100), 2):
        yield Claim.smooth(uniform(4), k=1, exp_eps=order, delta=Fraction(1, 4))
    yield Claim.negation(Claim.shift_dp(even, exp_eps=10**6, delta=1 - _SLACK))


@decides("lemma2-instances")
def _instances() -> Iterator[Claim]:
    """The delta of smoothness is held on both sides, so that it is the law's own."""
    for n, d, gamma, order in _HISTOGRAMS:
        law = Binomial(n, gamma)
        delta = least_delta(law, order)
        if 2 * delta < 1:
            protocol = ShuffleProtocol(histogram_randomizer(d, gamma=gamma), n)
            yield Claim.smooth(law, k=1, exp_eps=order, delta=delta)
            yield Claim.negation(Claim.smooth(law, k=1, exp_eps=order, delta=delta * (1 - _SLACK)))
            yield Claim.shuffle_dp(protocol, exp_eps=order**2, delta=2 * delta)


# --- What is printed ------------------------------------------------------------------------------------------------


@searched_over(a=_ORDERS, exp_eps=_ORDERS)
def _linf_search(a: Fraction, exp_eps: Fraction) -> bool:
    """Discrete Laplace noise that is (ln E, 0, 1)-smooth, and not (ln E, 0)-DP where two coordinates move by 1."""
    if a >= exp_eps:
        raise InvalidValueError("not smooth.")
    return a**2 <= exp_eps


@decides("lemma2-norm", assuming=["independence"])
def _linf() -> Iterator[Claim]:
    """The event "both outputs at most f(X)" has p^2 = P[eta <= 0]^2 before, q^2 = P[eta <= -1]^2 after the move."""
    a, exp_eps = _linf_search().at("a", "exp_eps")
    noise, low, high = DiscreteLaplace(a), a / (a + 1) - _SLACK, 1 / (a + 1) + _SLACK
    p, q = variables("p q")
    yield Claim.smooth(noise, k=1, exp_eps=exp_eps, delta=0)
    yield Claim.tail(noise, high=0, at_least=low)
    yield Claim.tail(noise, high=-1, at_most=high)
    yield implies(p >= low, q >= 0, q <= high, then=p * p > exp_eps * q * q)


@decides("lemma2-coordinates")
def _fall() -> Iterator[Claim]:
    """Bin(5, 1/2) is (ln 6, 1/32, 1)-smooth; a fall by 5 is no change above 1, and costs 31/32, not 5/32."""
    law, order, delta = Binomial(5, "1/2"), Fraction(6), Fraction(1, 32)
    yield Claim.smooth(law, k=1, exp_eps=order, delta=delta)
    yield Claim.negation(Claim.shift_dp(law, shift=_FALL, exp_eps=order**_FALL, delta=_FALL * delta))
    yield Claim.tail(law, low=1, at_least=Fraction(31, 32))
    yield Claim.tail(law, low=1, at_most=Fraction(31, 32))


@decides("lemma2-neighbors")
def _neighbors() -> Iterator[Claim]:
    """Sums of bits: neighbours differ in one of them, and two data sets of two users in more."""
    x, y, rest, x1, x2, y1, y2 = variables("x y rest x1 x2 y1 y2")
    bits = [relation for bit in (x1, x2, y1, y2) for relation in (bit >= 0, bit <= 1)]
    one = (x >= 0, x <= 1, y >= 0, y <= 1)
    yield implies(*one, then=((rest + x) - (rest + y) <= 1, (rest + y) - (rest + x) <= 1))
    yield Claim.negation(implies(*bits, then=(y1 + y2) - (x1 + x2) <= 1))


@searched_over(n=range(1, 5), y=range(5), k=range(1, 3), p=Rationals(0, 1, 4))
def _sign_search(n: int, y: int, k: int, p: Fraction) -> bool:
    """D(eta - k) = D(eta + k), so that the printed sign would make no difference."""
    minus, plus = _masses(n, y, k, p)
    return minus == plus


def _masses(n: int, y: int, k: int, p: Fraction) -> tuple[Fraction, Fraction]:
    """Return D(y - k) and D(y + k) for D = Bin(n, p), where both are positive."""
    if not k <= y <= n - k:
        raise InvalidValueError("a mass is 0.")
    law = Binomial(n, p)
    return law.exact_pmf(y - k), law.exact_pmf(y + k)


def _sign_at(n: int, y: int, k: int, p: Fraction) -> Claim:
    law, (_, plus) = Binomial(n, p), _masses(n, y, k, p)
    return Claim.conjunction(*_mass_is(law, y + k, plus), *_mass_is(law, y - k, plus))


@decides("lemma2-ratio-printed")
def _printed_sign() -> Claim:
    """The ratio at v = f(X) + eta is D(eta) / D(eta - k); it is printed as D(eta) / D(eta + k)."""
    return refuted_at_least(_sign_at, _sign_search)


@decides("lemma2-ratio")
def _sign() -> Iterator[Claim]:
    n, y, k, p = _sign_search().at("n", "y", "k", "p")
    law, (minus, plus) = Binomial(n, p), _masses(n, y, k, p)
    randomizer = zsum_randomizer(gamma=1 - law.p)
    yield Claim.additive_view(randomizer, Binomial(1, law.p).law(), {0: 0, 1: 1})
    yield from _mass_is(law, y - k, minus)
    yield from _mass_is(law, y + k, plus)


def _mass_is(law: Binomial, y: int, mass: Fraction) -> tuple[Claim, Claim]:
    return Claim.tail(law, low=y, high=y, at_least=mass), Claim.tail(law, low=y, high=y, at_most=mass)


def moved_coordinates(noise: Law, m: int) -> ShuffleProtocol:
    """Return one user whose messages are m noisy counts: the input 1 moves all of them by 1.

    >>> moved_coordinates(uniform(4), 2).privacy_profile().delta(exp_eps=100)
    Fraction(7, 16)
    """
    rows: dict[int, dict[tuple[int, ...], Fraction]] = {}
    for x in (0, 1):
        row: dict[tuple[int, ...], Fraction] = {}
        for drawn in product(noise.items(), repeat=m):
            mass = Fraction(1)
            for _, p in drawn:
                mass *= p
            row[tuple(j for j, (y, _) in enumerate(drawn) for _ in range(x + y))] = mass
        rows[x] = row
    return ShuffleProtocol(Randomizer(rows), 1)


@searched_over(size=range(1, 6), m=range(1, 4))
def _union_search(size: int, m: int) -> bool:
    """Uniform noise, m moved coordinates: a ratio is 1 or infinite, and the product is large where one factor is."""
    delta = Fraction(1, size)
    return 1 - (1 - delta) ** m <= delta


@decides("lemma2-union-printed")
def _printed_union() -> Claim:
    return refuted_at_least(lambda size, m: _moved_by_uniform(size, m, Fraction(1, size)), _union_search)


@decides("lemma2-union", assuming=["union"])
def _union_bound() -> Iterator[Claim]:
    """One bound for every law; for uniform noise the exact chance is 1 - (1-delta)^m, at most m delta."""
    size, m = _union_search().at("size", "m")
    count, delta, left = variables("m delta left")
    wider = next(wide for wide in range(size, 100) if Fraction(m, wide) < 1)
    yield _union(variables("Delta")[0])
    yield implies(
        left >= 1 - count * delta,
        delta >= 0,
        delta <= 1,
        count >= 0,
        then=left * (1 - delta) >= 1 - (count + 1) * delta,
    )
    yield _moved_by_uniform(wider, m, Fraction(m, wider))
    yield Claim.negation(_moved_by_uniform(wider, m, Fraction(1, wider)))


def _moved_by_uniform(size: int, m: int, delta: Fraction) -> Claim:
    """Uniform noise on ``size`` integers is smooth with delta 1/size at every e^eps > 1; m moved counts are private."""
    noise = uniform(size)
    return Claim.conjunction(
        Claim.smooth(noise, k=1, exp_eps=2, delta=Fraction(1, size)),
        Claim.shuffle_dp(moved_coordinates(noise, m), exp_eps=2**m, delta=delta),
    )
