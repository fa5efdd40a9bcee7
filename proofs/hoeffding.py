"""Hoeffding's inequality from its moment generating function, for randomized response with the right constants.

Statement. Let z_1, ..., z_N be independent with values in {0, 1}, K their sum, m = E[K].

1. (1-p) + p e^s <= e^(ps + s^2/8) for all real s and all p in [0, 1].
2. P[K - m >= u] <= e^(-2u^2/N) and P[K - m <= -u] <= e^(-2u^2/N) for every N >= 1, u > 0.
3. The survey's estimate f = (K - (1/2-g)N) / (2g), 0 < g < 1/2, of the sum s of the inputs has
   P[|f - s| >= t] <= 2 exp(-8 g^2 t^2 / N) for every N >= 1, t > 0; of the mean, 2 exp(-8 g^2 N t^2).
4. So |f - s| < sqrt(N ln(2/delta) / 8) / g with probability at least 1 - delta, 0 < delta < 1: O(sqrt(N)/g), of the
   mean O(1 / (g sqrt(N))).
5. For no constant C is |f - s| <= C / sqrt(N) with a probability above 1/2 + g at any N > (4gC)^2. The error of the
   mean f/N is of that order: it is below sqrt(ln(2/delta) / (8N)) / g with probability at least 1 - delta.

Proof. 1: with s = 2h and b = 2p - 1 it says (1-p) e^-h + p e^h <= T e^y, where T = e^(h^2/6) and y = bh + h^2/3.
For |s| <= 8: e^y >= 1 + y (box), so it is enough that T (1 + y) is above the left side. Both are affine in p, so this
is needed at p = 0 and p = 1 only: T (1 - h + h^2/3) >= e^-h and T (1 + h + h^2/3) >= e^h. Times e^h or e^-h these are
one inequality in one variable, e^(h + h^2/6) (1 - h + h^2/3) >= 1 (box); its left side has the derivative
h^3/9 e^(h + h^2/6), which is why. For s >= 8 the exponent is at least s, for s <= -8 at least 0.
2: the mean of e^(l(K-m)) is a product over users (independence), each factor at most e^(l^2/8) by 1; multiply them up
one by one. Markov's inequality gives e^(N l^2/8 - l u), and no l is better than l = 4u/N. The lower tail: -l for l.
3: u = 2 g t, union of both tails. 4: solve. 5: two neighbouring values of K are 1 apart, so an interval of radius
2gC/sqrt(N) < 1/2 holds at most one, and one value has at most the probability of a single user's likelier answer.
As printed 3 has the exponent -2 n t^2, 4 has ln(1/delta) and no g, and the rate of 4 is that of neither f nor its mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import count
from typing import Final

from exactdp import Claim
from exactdp.errors import InvalidValueError
from exactdp.proofs.least import searched_over
from exactdp.proofs.row_files import decides
from exactdp.proofs.steps import Expression, equal, implies, positive_on, variables
from exactdp.proofs.survey import error_law, survey_protocol
from exactdp.studies.counterexamples.search import Rationals
from exactdp.symbolic.sums import ExpTerm, sign_at

_SPLIT: Final = 8
"""Where abs(s) is large."""
_RATE: Final = 8
"""The constant C of the printed rate C / sqrt(N) that is refuted, and with it every smaller one."""
_FAILURE: Final = Fraction(1, 10)
"""The probability of a larger error that is granted to the printed rate."""
_SHARE: Final = Fraction(1, 4)
"""The gamma at which the printed rate is refuted."""
NUMBERS: Final = {"rate": _RATE, "success": 1 - _FAILURE, "share": _SHARE}
"""The numbers that the rows quote."""
_SHARES: Final = Rationals(0, "1/2", 20)
"""The gammas of the searches."""


# --- The lemma ------------------------------------------------------------------------------------------------------


def _bounded_s() -> Iterator[Claim]:
    """1 for abs(s) <= 8: the names are those of the docstring, x for e^-h, z for e^h and W for e^y."""
    p, h, y, b, T, W, x, z = variables("p h y b T W x z")
    end = _SPLIT // 2
    left = 1 - h + h**2 / 3
    at_p_0, at_p_1 = T * left >= x, T * left.subs(h, -h) >= z
    inside = (b >= -1, b <= 1, h >= -end, h <= end)
    lowest, highest = -end, end + Fraction(end**2, 3)
    yield positive_on({"h": (-end, end)}, (left, h + h**2 / 6), (-1, 0))
    yield implies(*inside, then=b * h + h**2 / 3 >= lowest)
    yield implies(*inside, then=b * h + h**2 / 3 <= highest)
    yield positive_on({"y": (lowest, highest)}, (1, y), (-1 - y, 0))
    yield implies(
        *(p >= 0, p <= 1, T >= 0, at_p_0, at_p_1, 1 + (2 * p - 1) * h + h**2 / 3 <= W),
        then=(1 - p) * x + p * z <= T * W,
    )


def _large_s() -> Iterator[Claim]:
    """1 for abs(s) >= 8: first the exponent, then the left side, with X for e^s."""
    p, s, X = variables("p s X")
    left = 1 - p + p * X
    yield implies(p >= 0, s >= _SPLIT, then=p * s + s**2 / 8 >= s)
    yield implies(p <= 1, X >= 1, then=left <= X)
    yield implies(p <= 1, s <= -_SPLIT, then=p * s + s**2 / 8 >= 0)
    yield implies(p >= 0, X <= 1, then=left <= 1)


@decides("hoeffding-lemma")
def moment_generating_function() -> Claim:
    """Return the lemma, for all p in [0, 1] and all real s; nothing is assumed."""
    return Claim.conjunction(*_bounded_s(), *_large_s())


def upper_tail() -> Iterator[Claim]:
    """Return the steps of 2 after the lemma: one more user, and the choice of l."""
    P, Q, a, c, N, u, k = variables("P Q a c N u k")
    yield implies(P >= 0, Q >= P, a >= 0, c >= a, then=Q * c >= P * a)
    yield implies(equal(N * k, 4 * u), then=equal(N * (k * u) - N * (N * k**2) / 8, 2 * u**2))
    yield from _no_better_choice(N, k, u)


def _no_better_choice(N: Expression, k: Expression, u: Expression) -> list[Claim]:
    """N times the exponent l u - N l^2/8 is at most 2 u^2, on both sides of N l = 4u."""
    at_most = N * k * u - N**2 * k**2 / 8 <= 2 * u**2
    return [implies(N * k >= 4 * u, then=at_most), implies(N * k <= 4 * u, then=at_most)]


@decides("hoeffding-inequality")
def _inequality() -> Claim:
    return Claim.conjunction(moment_generating_function(), *upper_tail(), assuming=["markov", "independence"])


# --- Randomized response ---------------------------------------------------------------------------------------------


def _exponents() -> Iterator[Claim]:
    """With w = t^2, q = u^2 and e = 2u^2/N: u = 2 g t makes N e = 8 g^2 w; for the mean u = 2 g N t."""
    N, g, w, q, e = variables("N g w q e")
    yield implies(equal(N * e, 2 * q), equal(q, 4 * g**2 * w), then=equal(N * e, 8 * g**2 * w))
    yield implies(equal(N * e, 2 * q), equal(q, 4 * (g * N) ** 2 * w), then=equal(N * e, N * (8 * g**2 * N * w)))


@decides("hoeffding-bound")
def _bound() -> Claim:
    return Claim.conjunction(_inequality(), *_exponents(), assuming=["markov", "independence", "union"])


@decides("hoeffding-radius")
def _radius() -> Claim:
    """With L for ln(2/delta): 8 g^2 t^2 = N L makes the exponent of 3 equal L, and 2 e^-L is delta."""
    N, g, w, e, L = variables("N g w e L")
    solved = implies(equal(N * e, 8 * g**2 * w), equal(8 * g**2 * w, N * L), then=equal(N * e, N * L))
    return Claim.conjunction(_bound(), solved, assuming=["markov", "independence", "union"])


@decides("hoeffding-rate-mean")
def _mean_radius() -> Claim:
    """With L for ln(2/delta), m for the squared radius of f/N, a for g^2 N^2 m and b for N g^2 m: 8 b = L."""
    N, a, b, e, L = variables("N a b e L")
    solved = implies(N >= 1, equal(N * e, 8 * a), equal(a, N * b), equal(8 * b, L), then=equal(N * e, N * L))
    return Claim.conjunction(*_exponents(), solved)


@decides("hoeffding-no-faster-rate")
def _no_faster_rate() -> Iterator[Claim]:
    """5, with R for sqrt(N), r for the radius 2gC/R, a and c for the chances that the others answer k-1 and k."""
    R, r, g, C, k, j, m, a, c = variables("R r g C k j m a c")
    others = (a >= 0, c >= 0, a + c <= 1, g >= 0, g * 2 <= 1)
    one_value = 1 + 2 * g
    yield implies(equal(r * R, 2 * g * C), 4 * g * C < R, then=R * (1 - 2 * r) > 0)
    yield implies(j >= k + 1, m - k <= r, j - m <= r, then=2 * r >= 1)
    yield implies(*others, then=(1 + 2 * g) * a + (1 - 2 * g) * c <= one_value)
    yield implies(*others, then=(1 - 2 * g) * a + (1 + 2 * g) * c <= one_value)


# --- As printed ------------------------------------------------------------------------------------------------------


def _exceeds(factor: Fraction | int, power: Fraction, number: Fraction) -> int:
    """The sign of factor * e^power - number, exactly."""
    one: tuple[int, ...] = ()
    terms = [ExpTerm({one: Fraction(factor)}, {one: power}), ExpTerm({one: -number}, {})]
    return sign_at(terms, ())


def _simplest(enough: Callable[[Fraction], bool], below: Fraction) -> Fraction:
    """The rational of the least denominator that is below a number and still enough."""
    for q in count(1):
        p = -(-below.numerator * q // below.denominator) - 1
        if p > 0 and enough(Fraction(p, q)):
            return Fraction(p, q)
    raise AssertionError


def _errors(N: int, ones: int, gamma: Fraction) -> list[tuple[Fraction, Fraction]]:
    """abs(f - s) and its probability, for a data set with so many ones."""
    if ones > N:
        raise InvalidValueError(f"ones={ones} is above N={N}.")
    return [(abs(error), chance) for error, chance in error_law(N, ones, gamma).items()]


def _not(*parts: Claim) -> Claim:
    """What is printed says that these do not all hold."""
    return Claim.negation(Claim.conjunction(*parts))


def _error_is_above(alpha: Fraction, N: int, ones: int, gamma: Fraction, *, chance: Fraction) -> Claim:
    """P[abs(f - s) > alpha] > chance for this data set."""
    data_set = {0: N - ones, 1: ones}
    return Claim.negation(
        Claim.accuracy(survey_protocol(N, gamma), alpha=alpha, beta=chance, dataset=data_set, values={0: 0, 1: 1})
    )


@searched_over(N=range(1, 4), ones=range(4), gamma=_SHARES, t=Rationals(0, 5, 4, high_is_closed=True))
def least_against_the_bound(N: int, ones: int, gamma: Fraction, t: Fraction) -> bool:
    """Return the first N, number of ones, gamma and t with P[abs(f - s) >= t] > 2 e^(-2 N t^2)."""
    tail = sum((chance for error, chance in _errors(N, ones, gamma) if error >= t), Fraction(0))
    return _exceeds(2, -2 * N * t**2, tail) >= 0


@decides("hoeffding-bound-printed")
def _printed_bound() -> Claim:
    """With a rational beta: beta >= 2 e^(-2 N t^2), and P[abs(f - s) > t] > beta."""
    N, ones, gamma, t = least_against_the_bound().at("N", "ones", "gamma", "t")
    tail = sum((chance for error, chance in _errors(N, ones, gamma) if error > t), Fraction(0))
    power = -2 * N * t**2
    beta = _simplest(lambda b: _exceeds(2, power, b) <= 0, tail)
    return _not(_error_is_above(t, N, ones, gamma, chance=beta), positive_on({}, (beta, 0), (-2, power)))


def _radius_rate(N: int, gamma: Fraction, *, scaled: bool) -> Fraction:
    """The printed t has ln(1/delta) = c t^2 with c = 2N; with the scale 1/(2g) and of the sum, c = 8 g^2 / N."""
    return 8 * gamma**2 / N if scaled else Fraction(2 * N)


@searched_over(N=range(1, 4), ones=range(4), gamma=_SHARES, delta=Rationals(0, 1, 8))
def least_against_the_radius(N: int, ones: int, gamma: Fraction, delta: Fraction, *, scaled: bool) -> bool:
    """Return the first N, number of ones, gamma and delta with P[abs(f - s) > t] > delta at the printed t.

    ``scaled``: with the right scale, so that ln(1/delta) for ln(2/delta) is all that is wrong.
    """
    rate = _radius_rate(N, gamma, scaled=scaled)
    outside = (chance for e, chance in _errors(N, ones, gamma) if _exceeds(1, -rate * e**2, delta) < 0)
    return sum(outside, Fraction(0)) <= delta


def _printed_radius(*, scaled: bool) -> Claim:
    """With a rational alpha: alpha >= t, so e^(-c alpha^2) <= delta, and P[abs(f - s) > alpha] > delta."""
    N, ones, gamma, delta = least_against_the_radius(scaled=scaled).at("N", "ones", "gamma", "delta")
    rate = _radius_rate(N, gamma, scaled=scaled)

    def is_outside(error: Fraction) -> bool:
        return _exceeds(1, -rate * error**2, delta) < 0

    alpha = _simplest(is_outside, min(e for e, _ in _errors(N, ones, gamma) if is_outside(e)))
    return _not(
        _error_is_above(alpha, N, ones, gamma, chance=delta),
        positive_on({}, (delta, 0), (-1, -rate * alpha**2)),
    )


@decides("hoeffding-radius-printed")
def _printed_radius_of_sum() -> Claim:
    return _printed_radius(scaled=False)


@decides("hoeffding-radius-printed-logarithm")
def _printed_radius_with_scale() -> Claim:
    return _printed_radius(scaled=True)


@searched_over(N=range(1, 60), ones=range(60))
def least_against_the_rate(N: int, ones: int) -> bool:
    """Return the first N and number of ones with P[abs(f - s) > C / sqrt(N)] above the stated chance."""
    outside = (chance for error, chance in _errors(N, ones, _SHARE) if N * error**2 > _RATE**2)
    return sum(outside, Fraction(0)) <= _FAILURE


@decides("hoeffding-rate-printed")
def _printed_rate() -> Claim:
    """With a rational alpha: N alpha^2 >= C^2, and P[abs(f - s) > alpha] is above the stated chance."""
    N, ones = least_against_the_rate().at("N", "ones")
    nearest = min(error for error, _ in _errors(N, ones, _SHARE) if N * error**2 > _RATE**2)
    alpha = _simplest(lambda a: N * a**2 >= _RATE**2, nearest)
    (a,) = variables("a")
    large_enough = implies(equal(a, alpha), then=N * a**2 >= _RATE**2)
    return _not(_error_is_above(alpha, N, ones, _SHARE, chance=_FAILURE), large_enough)
