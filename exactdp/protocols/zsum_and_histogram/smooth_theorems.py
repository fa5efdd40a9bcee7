"""Smooth noise is private, and binomial noise is smooth: the two lemmas behind zsum and the histogram protocol.

A law D on the integers is (eps, delta, k)-smooth if for every integer k' with 1 <= |k'| <= k

    P_{Y ~ D}[ D(Y) / D(Y + k') >= e^{|k'| eps} ] <= delta,

a zero denominator counting as an infinite ratio. k' = 0 is left out: there the ratio is 1 = e^0 with certainty.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.evidence.theorems import relies_on
from exactdp.numbers.balls import compare_reals, enclose_real
from exactdp.numbers.epsilon import LogRational, read_eps
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_fraction, as_integer, as_relative_bits
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real, as_real
from exactdp.privacy.hypotheses import NamedTheorem, PrivacyBound, scaled, shown, tanh_half

_LEMMA_2: Final = NamedTheorem("Lemma 2")
_LEMMA_3: Final = NamedTheorem("Lemma 3")
_MAX_ARGUMENT_BITS = 2**20
"""Longest e^(eps Delta) that is built."""


@dataclass(frozen=True, slots=True)
class SmoothnessBound:
    """The conclusion "Bin(n, gamma) is (eps, delta, k)-smooth" of Lemma 3.

    Args:
        n, gamma, k: the binomial law and the reach.
        alpha: the half-width of the good event, relative to the mean: a Fraction, or (e^eps - 1) / (e^eps + 1) as a
            Real where it came from a rational eps.
        eps: ln((1 + alpha) / (1 - alpha)), exactly.
        delta: encloses e^(-alpha^2 gamma n / 8) + e^(-alpha^2 gamma n / (8 + 2 alpha)).
    """

    n: int
    gamma: Fraction
    k: int
    alpha: Fraction | Real
    eps: Fraction | LogRational
    delta: Interval

    def __post_init__(self) -> None:
        set_fields(self, gamma=exact_answer(self.gamma), alpha=exact_answer(self.alpha), eps=exact_answer(self.eps))


@relies_on("smooth_noise_privacy.lemma2")
def smooth_noise_bound(
    *, eps: Exact | LogRational, delta: Exact | Interval, k: int, linf: int, l1: int
) -> PrivacyBound:
    """Return the privacy of independent smooth noise in every coordinate of an integer query: Lemma 2.

    Let D be (eps, delta, k)-smooth, f integer-valued in every coordinate with ||f(X) - f(X')||_inf <= linf <= k and
    ||f(X) - f(X')||_1 <= l1 for neighbours X, X'. Then f(X) + (eta_1, ..., eta_m) with independent eta_j ~ D is
    (l1 eps, l1 delta)-DP.

    Proof. Let k_j = f(X')_j - f(X)_j and J = {j : k_j != 0}; |J| <= l1, because the k_j are integers. At the output
    f(X) + eta the ratio of the densities is the product over J of D(eta_j) / D(eta_j - k_j). If some factor is at least
    e^(|k_j| eps), an event of probability at most |J| delta, nothing is claimed; otherwise the product is at most
    e^(l1 eps), as eps >= 0. The factor |J| is needed: for D uniform on {0, 1, 2, 3} and two coordinates moved by one
    the total variation distance is 7/16, and delta is 1/4.

    Args:
        eps: of the smoothness, at least 0 and finite.
        delta: of the smoothness, at least 0: exact, or an Interval such as ``SmoothnessBound.delta``.
        k: reach of the smoothness, an integer of at least 1.
        linf: largest change of one coordinate, an integer of at least 0.
        l1: largest sum of the changes, an integer of at least ``linf``.

    Returns:
        (l1 eps, l1 delta), exactly; an Interval stays one.

    Raises:
        HypothesisError: for eps < 0, k < 1 or linf > k.

    >>> smooth_noise_bound(eps="1/2", delta="1/1000", k=1, linf=1, l1=2)
    PrivacyBound(eps=Fraction(1, 1), delta=Fraction(1, 500))

    Source: GhaziGolowichKumarPaghVelingker2021, section 4 (smooth noise, Lemma 2 of the reading notes).
    """
    total = as_integer(l1, name="l1", at_least=0)
    largest = as_integer(linf, name="linf", at_least=0)
    reach = as_integer(k, name="k")
    _LEMMA_2.require(reach >= 1, "k >= 1", f"k={short(reach)}", "Use noise that is smooth for k of at least 1.")
    _LEMMA_2.require(
        largest <= reach,
        "||f(X) - f(X')||_inf <= k",
        f"linf={short(largest)} and k={short(reach)}",
        "Use noise that is smooth for a larger k.",
    )
    if total < largest:
        raise InvalidValueError(f"l1={short(total)} is below linf={short(largest)}. The sum of the changes is not.")
    return PrivacyBound(_times_eps(eps, total), _times_delta(delta, total))


def _times_eps(eps: Exact | LogRational, factor: int) -> Fraction | LogRational:
    eps = read_eps(eps)
    if not isinstance(eps, LogRational):
        _LEMMA_2.require(eps >= 0, "eps >= 0", f"eps={short(eps)}", "Pass an eps of at least 0.")
        return factor * eps
    _LEMMA_2.require(not eps.is_infinite, "a finite eps", f"eps={eps}", "Pass the eps of a smooth law.")
    argument = eps.argument
    bits = factor * max(argument.numerator.bit_length(), argument.denominator.bit_length())
    if bits > _MAX_ARGUMENT_BITS:
        raise TooLargeError(
            f"e^(l1 eps) has about {short(bits)} bits, more than the limit of {_MAX_ARGUMENT_BITS}. "
            "Pass a rational eps."
        )
    return LogRational(argument**factor)


def _times_delta(delta: Exact | Interval, factor: int) -> Fraction | Interval:
    if isinstance(delta, Interval):
        return scaled(delta, factor)
    value = as_fraction(delta, name="delta")
    _LEMMA_2.require(value >= 0, "delta >= 0", f"delta={short(value)}", "Pass a delta of at least 0.")
    return factor * value


@relies_on("binomial_smoothness.lemma3")
def binomial_smoothness_bound(
    n: int,
    *,
    gamma: Exact,
    k: int,
    alpha: Exact | None = None,
    eps: Exact | LogRational | None = None,
    relative_bits: int = DEFAULT_RELATIVE_BITS,
) -> SmoothnessBound:
    """Return how smooth Bin(n, gamma) is by Lemma 3; one of ``alpha`` and ``eps`` chooses where.

    For n >= 1, 0 < gamma <= 1/2, 0 < alpha < 1 and an integer 1 <= k <= alpha gamma n / 2 it is (eps, delta, k)-smooth
    with eps = ln((1 + alpha) / (1 - alpha)), that is alpha = tanh(eps/2), and

        delta = e^(-alpha^2 gamma n / 8) + e^(-alpha^2 gamma n / (8 + 2 alpha)).

    Proof. Let mu = gamma n and G = [(1 - alpha) mu + k, (1 + alpha) mu - k]. As k <= alpha mu / 2, G contains
    [(1 - alpha/2) mu, (1 + alpha/2) mu], and Chernoff's bounds P[Y >= (1+h) mu] <= e^(-h^2 mu / (2+h)) and
    P[Y <= (1-h) mu] <= e^(-h^2 mu / 2) with h = alpha/2 give P[Y not in G] <= delta. For y in G and k' >= 1 the ratio
    is the product over i = 1, ..., k' of

        ((1-gamma) / gamma) (y + i) / (n - y - i + 1).

    Here y + i <= (1 + alpha) mu, and n - y - i + 1 > n (1 - gamma - alpha gamma), so each factor is below
    (1 + alpha) / (1 - alpha gamma / (1-gamma)) <= (1 + alpha) / (1 - alpha), because gamma <= 1/2 makes
    gamma / (1-gamma) <= 1: this is the step from the product to alpha. For k' = -j <= -1 the ratio is the product over
    i = 0, ..., j - 1 of (gamma / (1-gamma)) (n - y + i + 1) / (y - i), with n - y + i + 1 <= n - (1 - alpha) mu and
    y - i > (1 - alpha) mu; each factor is below (1 + alpha gamma / (1-gamma)) / (1 - alpha), and again below
    (1 + alpha) / (1 - alpha). So on G the ratio is below e^(|k'| eps).

    Args:
        n: number of trials, at least 1.
        gamma: success probability, exact, in (0, 1/2].
        k: reach, an integer from 1 to alpha gamma n / 2.
        alpha: exact, in (0, 1); then ``.eps`` is a LogRational.
        eps: a positive rational number or a LogRational, instead of ``alpha``; then ``.eps`` is the same.
        relative_bits: relative accuracy of ``.delta``.

    Raises:
        HypothesisError: names the hypothesis that fails.
        InvalidValueError: where not exactly one of ``alpha`` and ``eps`` is given.

    >>> bound = binomial_smoothness_bound(1000, gamma="1/4", alpha="1/2", k=62)
    >>> bound.eps, bound.delta
    (LogRational('3'), Interval[0.001368620895, 0.001368620896])
    >>> binomial_smoothness_bound(10, gamma="1/2", alpha="1/2", k=2)
    Traceback (most recent call last):
    ...
    exactdp.errors.HypothesisError: Lemma 3 needs k <= alpha gamma n / 2, but k=2 and alpha gamma n / 2 = 5/4. Use ...

    Source: GhaziGolowichKumarPaghVelingker2021, section 4 (binomial noise, Lemma 3 of the reading notes).
    """
    trials = _LEMMA_3.read_users(n)
    chance = as_fraction(gamma, name="gamma")
    _LEMMA_3.require(
        0 < chance <= Fraction(1, 2),
        "0 < gamma <= 1/2",
        f"gamma={short(chance)}",
        "Pass gamma in (0, 1/2], or count the failures.",
    )
    reach = as_integer(k, name="k")
    _LEMMA_3.require(reach >= 1, "k >= 1", f"k={short(reach)}", "Pass k of at least 1.")
    width, level = _read_alpha(alpha, eps)
    limit = as_real(width, name="alpha") * chance * trials / 2
    _LEMMA_3.require(
        compare_reals(Fraction(reach), limit) <= 0,
        "k <= alpha gamma n / 2",
        f"k={short(reach)} and alpha gamma n / 2 = {shown(limit)}",
        "Use a smaller k, or more noise.",
    )
    delta = lemma_three_delta(trials * chance, as_real(width, name="alpha"))
    return SmoothnessBound(
        trials, chance, reach, width, level, enclose_real(delta, relative_bits=as_relative_bits(relative_bits))
    )


def _read_alpha(alpha: Exact | None, eps: Exact | LogRational | None) -> tuple[Fraction | Real, Fraction | LogRational]:
    if (alpha is None) == (eps is None):
        given = "neither" if alpha is None else "both"
        raise InvalidValueError(f"{given} of alpha and eps given. Pass one: alpha=..., or eps=ln((1+alpha)/(1-alpha)).")
    if alpha is not None:
        width = as_fraction(alpha, name="alpha")
        _LEMMA_3.require(0 < width < 1, "0 < alpha < 1", f"alpha={short(width)}", "Pass alpha in (0, 1).")
        return width, LogRational((1 + width) / (1 - width))
    assert eps is not None
    value = _LEMMA_3.read_eps(eps, largest=None)
    if isinstance(value, LogRational):
        return (value.argument - 1) / (value.argument + 1), value
    return tanh_half(Real.exp(value)), value


def lemma_three_delta(mu: Fraction, alpha: Real) -> Real:
    """Return Lemma 3's two exponentials, e^(-alpha^2 mu / 8) + e^(-alpha^2 mu / (8 + 2 alpha)), as a Real."""
    exponent = alpha * alpha * mu
    return Real.exp(-exponent / 8) + Real.exp(-exponent / (8 + 2 * alpha))
