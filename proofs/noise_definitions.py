"""Sensitivities, Laplace noise, one-sided noise and the exponential mechanism.

Statement. eps > 0, E = e^eps, Df the l1 sensitivity of f.

1. Laplace noise of scale Df/eps on each of k coordinates: the ratio of the densities is at most E, for every k.
2. A sum of values v in [lo, hi]: adding or removing one changes it by at most max(abs(lo), abs(hi)), replacing one
   by at most hi - lo. Moving one record of a histogram changes two cells by one: l1 sensitivity 2. Two-sided geometric
   noise of eps on each cell is then 2 eps-DP, and no better.
3. One-sided noise P[Y = t] = (1-p) p^t, t >= 0, on a query of sensitivity j (and Exp(lam), with p^j = e^(-lam Df)): for
   every eps the least delta is 1 - p^j, as outcomes are lost. For no eps is it eps-DP.
4. Exp(lam) with eps = lam Df has the variance 1/lam^2 = Df^2/eps^2; the geometric one has the mean m = p/(1-p), a
   bias, and the variance p/(1-p)^2.
5. One of k Laplace coordinates is off by more than ln(k/beta) Df/eps with the probability 1 - (1 - beta/k)^k, which is
   between 1 - e^-beta and beta, so within beta^2/2 of beta, and is beta only for k = 1; 0 < beta < 1.
6. The exponential mechanism, weight e^(eps u(x, r) / (2 Du)) with Du the largest change of u over r and neighbours, is
   eps-DP. Its answer has u <= OPT - (2 Du/eps) (ln abs(R) + c) with probability at most e^-c.

Proof. 1: abs(b - z) - abs(a - z) <= abs(a - b); the exponents add up coordinate by coordinate, to at most (eps/Df) Df.
2: as |v| <= max and |v - w| <= hi - lo. Two cells whose ratios are at most E give E^2, and where both are E, E^2.
3: for Y against Y + j the outcomes below j are lost; above, w(t) - E w(t-j) = (p^j - E) w(t-j) <= 0. In the other order
the excess is (1 - E p^j) w(t-j), in total at most 1 - p^j. 4: memorylessness: m = p (1+m), s = p (1 + 2m + s).
5: P[abs(Lap(b)) > b ln(k/beta)] = beta/k, independently. If B >= 1 - kx, then (1-x) B >= 1 - (k+1) x, strictly for
x > 0 (Bernoulli); 1 - x <= e^-x; e^-beta <= 1 - beta + beta^2/2. 6: with a = e^(eps/2) each weight changes by a factor
of at most a, so does their sum, and together it is a^2. A bad answer has weight at most W e^-c / abs(R), W the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Final

from exactdp.certificates.certificate import Verdict
from exactdp.certificates.claim import Claim, Run
from exactdp.errors import InvalidValueError
from exactdp.laws.binomial import Binomial
from exactdp.laws.discrete_laplace import DiscreteLaplace
from exactdp.laws.negative_binomial import Geometric
from exactdp.models.randomizer import Randomizer
from exactdp.proofs.algebra import Expression, equal, implies, positive_on, variables
from exactdp.proofs.ledger import ProofRow
from exactdp.protocol import ShuffleProtocol, shift_profile
from exactdp.search import Rationals, Search, search

__all__ = [
    "ROWS",
    "exponential_mechanism",
    "least_cells",
    "least_choice",
    "least_coordinates",
    "least_domain",
    "least_one_sided",
]

_SOURCE: Final = "DworkRoth2014, section 3.3"
_OWN: Final = "this package, proofs/noise_definitions.py"
_FALSE: Final = Expression.of(0) > 0
_SENSITIVITY: Final = "sensitivity"
_LAPLACE: Final = "Laplace noise"
_ONE_SIDED: Final = "one-sided noise"
_EXPONENTIAL: Final = "exponential mechanism"
_RATIO: Final = Fraction(2)
_ONE_SIDED_CASES: Final = tuple(product((Fraction(1, 2), Fraction(1, 3), Fraction(9, 10)), (1, 2, 5)))


# --- 1 and 5: Laplace noise -----------------------------------------------------------------------------------------


def _laplace() -> Claim:
    """r is eps/Df, Dl stands for Df; X and S are the exponent and abs(f(x) - f(x')) summed so far."""
    a, b, c, u, v, r, x, s, m, k, d, e, dl = variables("a b c u v r X S m k d eps Dl")
    sides = (u >= a - b, u >= b - a, v >= b - c, v >= c - b)
    return Claim.conjunction(
        implies(*sides, then=(a - c <= u + v, c - a <= u + v)),
        implies(r >= 0, m - k <= d, then=r * (m - k) <= r * d),
        implies(x <= r * s, r * (m - k) <= r * d, then=x + r * (m - k) <= r * (s + d)),
        implies(r >= 0, s <= dl, *equal(r * dl, e), then=r * s <= e),
        assuming=["taylor"],
    )


def _chance(k: int, beta: Fraction) -> Fraction:
    """The probability that one of k coordinates is off."""
    return 1 - (1 - beta / k) ** k


def least_coordinates() -> Search:
    """The least k and beta at which the probability is not beta."""
    return search(lambda k, beta: _chance(k, beta) == beta, k=range(1, 6), beta=Rationals(0, 1, 4))


def _printed_chance() -> Claim:
    found = least_coordinates().counterexample
    assert found is not None
    k, beta = found["k"], found["beta"]
    return Claim.tail(Binomial(k, beta / k), low=1, at_least=beta)


def _laplace_accuracy() -> Claim:
    """B stands for (1-x)^k, x = beta/k; the last two are the note's k = 1000, beta = 0.05."""
    x, k, big_b, z, m, g, big_m, big_g, b, q = variables("x k B z m g M G beta q")
    experiment = Binomial(1000, Fraction(1, 20000))
    return Claim.conjunction(
        implies(big_b >= 1 - k * x, x >= 0, x <= 1, k >= 0, then=(1 - x) * big_b >= 1 - (k + 1) * x),
        implies(big_b >= 1 - k * x, x > 0, x <= 1, k > 0, then=(1 - x) * big_b > 1 - (k + 1) * x),
        positive_on({"z": (0, 1)}, (1, -z), (z - 1, 0)),
        implies(m >= 0, m <= g, big_m >= 0, big_m <= big_g, then=m * big_m <= g * big_g),
        positive_on({"beta": (0, 1)}, (1 - b + b * b / 2, 0), (-1, -b)),
        implies(big_b <= q, q <= 1 - b + b * b / 2, then=1 - big_b >= b - b * b / 2),
        Claim.tail(experiment, low=1, at_most="0.04878"),
        Claim.tail(experiment, low=1, at_least="0.04877"),
        assuming=["independence"],
    )


# --- 2: sensitivities -----------------------------------------------------------------------------------------------


def _largest_change(low: int, high: int, *, replace: bool) -> int:
    values = range(low, high + 1)
    return max(abs(v - w) for v in values for w in (values if replace else (0,)))


def least_domain(*, replace: bool) -> Search:
    """The least domain {-below, ..., high} in which one record changes the sum by another amount than its supremum."""
    return search(
        lambda below, high: _largest_change(-below, high, replace=replace) == high,
        below=range(6),
        high=range(1, 6),
    )


def _printed_sum(*, replace: bool) -> Claim:
    """Of the least domain: each record changes the sum by at most the supremum."""
    found = least_domain(replace=replace).counterexample
    assert found is not None
    v, w = variables("v w")
    low, high = -found["below"], found["high"]
    inside = (v >= low, v <= high, w >= low, w <= high) if replace else (v >= low, v <= high)
    return implies(*inside, then=(v - w if replace else v) >= -high)


def _sums() -> Claim:
    v, w, lo, hi, m = variables("v w lo hi m")
    inside = (v >= lo, v <= hi)
    return Claim.conjunction(
        implies(*inside, m >= hi, m >= -lo, then=(v <= m, v >= -m)),
        implies(*inside, w >= lo, w <= hi, then=(v - w <= hi - lo, w - v <= hi - lo)),
        *(
            Claim.shift_dp(DiscreteLaplace(_RATIO), shift=j, exp_eps=_RATIO**j, delta=0, least="exp_eps")
            for j in (1, 2, 5)
        ),
    )


def _moves(n: int, cells: int) -> list[list[int]]:
    """How much each cell changes when one of n records moves, for every histogram and move."""
    if n < 1:
        raise InvalidValueError(f"n={n} has no record to move. Pass at least 1.")
    found = []
    for source, target in product(range(cells), repeat=2):
        found.append([(cell == target) - (cell == source) for cell in range(cells)])
    return found


def least_cells() -> Search:
    """The least histograms whose l1 sensitivity is not the largest change of one cell."""
    return search(
        lambda n, cells: (
            max(sum(map(abs, move)) for move in _moves(n, cells))
            == max(max(map(abs, move)) for move in _moves(n, cells))
        ),
        n=range(1, 4),
        cells=range(1, 4),
    )


def _noisy_cells(exp_eps: Fraction) -> Claim:
    found = least_cells().counterexample
    assert found is not None
    moved = max(sum(map(abs, move)) for move in _moves(**found))
    return Claim.composed(Run(DiscreteLaplace(_RATIO), times=moved), exp_eps=exp_eps, delta=0)


def _printed_histogram() -> Claim:
    return _noisy_cells(_RATIO)


def _histogram() -> Claim:
    """y is E q1, and c is below E^2."""
    e, p, q, p1, q1, y, c = variables("E p q p1 q1 y c")
    return Claim.conjunction(
        implies(p1 <= e * q1, p >= 0, then=p * p1 <= p * e * q1),
        implies(p <= e * q, y >= 0, then=p * y <= e * q * y),
        implies(c < e * e, q > 0, q1 > 0, then=e * q * e * q1 > c * q * q1),
        _noisy_cells(_RATIO**2),
    )


# --- 3 and 4: one-sided noise ---------------------------------------------------------------------------------------


def least_one_sided() -> Search:
    """The least p for which the geometric law of ratio p is not pure at e^eps = 1/p, as the two-sided one is."""
    return search(lambda p: shift_profile(Geometric(p)).exact_delta(exp_eps=1 / p) == 0, p=Rationals(0, 1, 4))


def _printed_one_sided() -> Claim:
    found = least_one_sided().counterexample
    assert found is not None
    return Claim.shift_dp(Geometric(found["p"]), exp_eps=1 / found["p"], delta=0)


def _lost_outcomes(lost: Fraction) -> Claim:
    """Asked only whether the answer is below f + j: with f never for the neighbour, else with probability ``lost``."""
    table = Randomizer({0: {("below",): lost, ("above",): 1 - lost}, 1: {("above",): 1}})
    return Claim.never_dp(ShuffleProtocol(table, 1), delta_below=lost)


def _never() -> Claim:
    """c is P[Y < j] and r is p^j, for one outcome more; then the loss for every e^eps, as a step and as tables."""
    c, p, r, lost, none, e, d = variables("c p r lost none E d")
    tables = [_lost_outcomes(1 - ratio**shift) for ratio, shift in _ONE_SIDED_CASES]
    return Claim.conjunction(
        implies(*equal(c, 1 - r), then=equal(c + (1 - p) * r, 1 - p * r)),
        implies(*equal(none, 0), e >= 1, d < lost, then=lost > e * none + d),
        *tables,
        assuming=["post-processing"],
    )


def _one_sided() -> Claim:
    """w is w(t-j) and r is p^j; the tables are exact."""
    w, r, e = variables("w r E")
    exact = [
        Claim.shift_dp(Geometric(p), shift=shift, exp_eps=exp_eps, delta=1 - p**shift, least="delta")
        for p, shift in _ONE_SIDED_CASES
        for exp_eps in (Fraction(1), Fraction(2), p**-shift, Fraction(10**9))
    ]
    return Claim.conjunction(
        implies(w >= 0, e >= 1, r <= 1, then=r * w <= e * w),
        implies(e >= 1, r >= 0, then=1 - e * r <= 1 - r),
        *exact,
    )


def _moments() -> Claim:
    v, lam, d, m, s, p = variables("v lam D m s p")
    walk = (*equal(m, p * (1 + m)), *equal(s, p * (1 + 2 * m + s)), p >= 0, p <= 1, m >= 0)
    return Claim.conjunction(
        implies(*equal(v * lam**2, 1), d >= 0, then=equal(v * (lam * d) ** 2, d**2)),
        implies(*walk, then=equal((1 - p) * m, p)),
        implies(
            *equal((1 - p) * m, p),
            *equal((1 - p) * s, p * (1 + 2 * m)),
            p <= 1,
            p >= 0,
            m >= 0,
            then=equal((1 - p) ** 2 * (s - m**2), p),
        ),
    )


# --- 6: the exponential mechanism -----------------------------------------------------------------------------------


def exponential_mechanism(*utilities: Sequence[int], ratio: Fraction = _RATIO) -> Randomizer:
    """Return the mechanism with the weights ratio^u, one row of utilities for each data set.

    >>> exponential_mechanism([0, 1], [1, 0]).local_epsilon()
    LogRational('2')
    """
    table = {}
    for x, row in enumerate(utilities):
        total = sum((ratio**u for u in row), Fraction(0))
        table[x] = {(r,): ratio**u / total for r, u in enumerate(row)}
    return Randomizer(table)


def _private_choice() -> Claim:
    """w, w1 are weights of one answer for x, x', Z and Z1 the sums; a is e^(eps/2), r is eps/(2 Du), y is a Z."""
    w, w1, z, z1, a, r, u, u1, d, h, y = variables("w w1 Z Z1 a r u u1 D h y")
    votes = [([30, 29], [29, 30]), ([0, -1, -2, -3], [-1, 0, -1, -2]), ([1, 0, 0], [0, 1, 1])]
    return Claim.conjunction(
        implies(r >= 0, *equal(r * d, h), u - u1 <= d, then=r * (u - u1) <= h),
        implies(z1 <= a * z, w1 <= a * w, then=z1 + w1 <= a * (z + w)),
        implies(z1 <= a * z, w >= 0, then=w * z1 <= w * a * z),
        implies(w <= a * w1, y >= 0, then=w * y <= a * w1 * y),
        *(Claim.pure_dp(ShuffleProtocol(exponential_mechanism(*pair), 1), exp_eps=_RATIO**2) for pair in votes),
        assuming=["taylor", "monotone-convergence"],
    )


def _useful_choice() -> Claim:
    """m answers, of which b are bad with the sum B of weights; W is the best, Z the sum of all, q = e^-c, y = W q."""
    m, b, big_b, big_w, z, q, w, y = variables("m b B W Z q w y")
    return Claim.conjunction(
        implies(m * big_b <= b * y, m * w <= y, then=m * (big_b + w) <= (b + 1) * y),
        implies(m * big_b <= b * y, b <= m, y >= 0, then=m * big_b <= m * y),
        implies(m > 0, m * big_b <= m * y, big_b > y, then=_FALSE),
        implies(z >= big_w, q >= 0, then=big_w * q <= z * q),
    )


def _one_against_all(m: int) -> tuple[list[int], list[int]]:
    return [1] + [0] * (m - 1), [0] + [1] * (m - 1)


def least_choice() -> Search:
    """The least number of answers for which the weights e^(eps u / Du) are not eps-DP: one against all others."""
    return search(
        lambda m: exponential_mechanism(*_one_against_all(m)).local_epsilon().argument <= _RATIO, m=range(2, 10)
    )


def _without_the_half() -> Claim:
    found = least_choice().counterexample
    assert found is not None
    table = exponential_mechanism(*_one_against_all(found["m"]))
    return Claim.pure_dp(ShuffleProtocol(table, 1), exp_eps=_RATIO)


ROWS: Final = (
    ProofRow.prose(
        "sensitivity-definition",
        _SENSITIVITY,
        "Functions of high sensitivity are not good for differential privacy.",
        source="DworkRoth2014, definition 3.1",
        entry="43",
        as_printed="corrected",
        reading="The definition is right, for add-or-remove neighbours; a high sensitivity needs more noise.",
    ),
    ProofRow(
        "laplace-privacy",
        _LAPLACE,
        "Laplace noise of scale Df/eps on each coordinate, which shifts and does not scale it, is eps-DP.",
        "all k >= 1, eps > 0, Df > 0, every f of l1 sensitivity Df",
        "DworkRoth2014, Theorem 3.6",
        _laplace,
        notes=("44",),
        as_printed="corrected",
    ),
    ProofRow(
        "sum-sensitivity-printed",
        _SENSITIVITY,
        "As printed: the sensitivity of a sum is the supremum of the values: adding a record changes it by at most "
        "that.",
        "refuted at the least domain {-b, ..., h}, 0 <= b, h <= 5",
        _SOURCE,
        lambda: _printed_sum(replace=False),
        notes=("45",),
        as_printed="false",
        expected=Verdict.REFUTED,
    ),
    ProofRow(
        "sum-sensitivity-printed-replace",
        _SENSITIVITY,
        "As printed, with replace-one neighbours: replacing a record changes the sum by at most the supremum.",
        "refuted at the least domain {-b, ..., h}, 0 <= b, h <= 5",
        _SOURCE,
        lambda: _printed_sum(replace=True),
        notes=("45",),
        as_printed="false",
        expected=Verdict.REFUTED,
    ),
    ProofRow(
        "sum-sensitivity",
        _SENSITIVITY,
        "A record in [lo, hi] adds at most max(abs(lo), abs(hi)), a replaced one changes the sum by at most hi - lo; "
        "two-sided geometric noise of e^eps = 2 has the least e^(eps') = 2^j at sensitivity j.",
        "all real lo <= hi; the noise for j = 1, 2, 5",
        _SOURCE,
        _sums,
        notes=("45",),
        as_printed="corrected",
    ),
    ProofRow(
        "histogram-sensitivity-printed",
        _SENSITIVITY,
        "As printed: a histogram has the sensitivity of its largest change of one cell; noise of eps on each is "
        "eps-DP.",
        "refuted at the least n, cells <= 3, replace-one neighbours; two-sided geometric noise, e^eps = 2",
        _SOURCE,
        _printed_histogram,
        notes=("46",),
        as_printed="false",
        expected=Verdict.REFUTED,
    ),
    ProofRow(
        "histogram-sensitivity",
        _SENSITIVITY,
        "A record that moves changes two cells: noise of eps on each is 2 eps-DP; two ratios of e^eps allow no less.",
        "all eps > 0 and pairs of laws; two-sided geometric noise at e^eps = 2 as a table",
        _SOURCE,
        _histogram,
        notes=("46",),
        as_printed="corrected",
    ),
    ProofRow(
        "one-sided-printed",
        _ONE_SIDED,
        "As printed: one-sided noise has bounds like Laplace noise: of ratio p, it is pure at e^eps = 1/p.",
        "refuted at the least p in (0, 1) of denominator at most 4",
        _OWN,
        _printed_one_sided,
        notes=("47",),
        as_printed="false",
        expected=Verdict.REFUTED,
    ),
    ProofRow(
        "one-sided-never",
        _ONE_SIDED,
        "One-sided noise on a query of sensitivity j is for no finite eps (eps, delta)-DP with delta below 1 - p^j.",
        "all p in (0, 1), j >= 1, eps >= 0; as tables p = 1/2, 1/3, 9/10, j = 1, 2, 5",
        _OWN,
        _never,
        notes=("47",),
        as_printed="corrected",
    ),
    ProofRow(
        "one-sided-exact",
        _ONE_SIDED,
        "Its least delta is 1 - p^j, or 1 - e^(-lam Df) for Exp(lam), at every eps.",
        "all p in (0, 1), j >= 1, eps >= 0; as tables p = 1/2, 1/3, 9/10, j = 1, 2, 5, four e^eps up to 10^9",
        _OWN,
        _one_sided,
        notes=("47",),
        as_printed="corrected",
    ),
    ProofRow(
        "one-sided-moments",
        _ONE_SIDED,
        "With eps = lam Df the variance 1/lam^2 is Df^2/eps^2; the geometric noise has the mean p/(1-p), its bias, and "
        "the variance p/(1-p)^2.",
        "all lam > 0, Df > 0; all p in (0, 1)",
        _OWN,
        _moments,
        notes=("48",),
        as_printed="corrected",
    ),
    ProofRow(
        "laplace-accuracy-printed",
        _LAPLACE,
        "As printed: the likelihood that one of the k dimensions is off by ln(k/beta) Df/eps is beta.",
        "refuted at the least k <= 5 and beta = p/q in (0, 1), q <= 4",
        _SOURCE,
        _printed_chance,
        notes=("49",),
        as_printed="false",
        expected=Verdict.REFUTED,
    ),
    ProofRow(
        "laplace-accuracy",
        _LAPLACE,
        "It is 1 - (1 - beta/k)^k: at most beta, below it for k >= 2, and at least 1 - e^-beta >= beta - beta^2/2; for "
        "k = 1000, beta = 1/20 between 0.04877 and 0.04878.",
        "all k >= 1, beta in (0, 1)",
        "DworkRoth2014, Theorem 3.8",
        _laplace_accuracy,
        notes=("49",),
        as_printed="corrected",
    ),
    ProofRow(
        "exponential-mechanism-privacy",
        _EXPONENTIAL,
        "The exponential mechanism is (eps, 0)-DP, with Du over all answers r and all neighbours.",
        "all eps > 0, every countable range with a finite normaliser, every utility of sensitivity Du; three as tables",
        "DworkRoth2014, Theorem 3.10",
        _private_choice,
        notes=("50",),
        as_printed="true",
    ),
    ProofRow(
        "exponential-mechanism-utility",
        _EXPONENTIAL,
        "Its answer has a utility of at most OPT - (2 Du/eps) (ln abs(R) + c) with probability at most e^-c.",
        "all eps > 0, c >= 0, every finite range",
        "DworkRoth2014, Theorem 3.11",
        _useful_choice,
        notes=("50",),
        as_printed="corrected",
    ),
    ProofRow(
        "exponential-mechanism-half",
        _EXPONENTIAL,
        "The 2 in the weights e^(eps u / (2 Du)) cannot be left out: e^(eps u / Du) is eps-DP.",
        "refuted at the least number of answers <= 9, e^eps = 2",
        _OWN,
        _without_the_half,
        expected=Verdict.REFUTED,
    ),
)
