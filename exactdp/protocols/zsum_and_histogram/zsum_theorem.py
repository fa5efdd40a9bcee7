"""The zsum theorem, its constants and where they come from.

For eps in (0, 1], delta in (0, 1] and n >= 100 ln(2/delta) / eps^2 let

    mu = 50 ln(2/delta) / eps^2,    gamma = mu / n <= 1/2.

zsum of n users who send no dummy with probability gamma is (eps, delta)-DP under replacement: the published chain is

    delta <= e^(-a^2 mu / 8) + e^(-a^2 mu / (8 + 2a))    Lemma 3 with k = 1 and a = tanh(eps/2); Lemma 2
          <= 2 e^(-a^2 mu / 10)                          a <= 1
          <= 2 e^(-eps^2 mu / 50) = delta                a >= eps / sqrt(5) on (0, 1].

So 50 is 10 * 5, and 5 is the least integer s with tanh(eps/2) >= eps / sqrt(s) on (0, 1]. For tanh(x)/x falls on x > 0:
the sign of its derivative is that of x - sinh(x) cosh(x) = x - sinh(2x)/2 < 0. Hence eps = 1 decides, and s is the
least integer of at least 1 / tanh(1/2)^2 = 4.6827: this is the real number behind 5. Keeping it, and a instead of
eps / sqrt(s), the noise mu = 10 coth(eps/2)^2 ln(2/delta) is enough, for every eps > 0, where n >= 2 mu makes
gamma <= 1/2.

Lemma 3 with k = 1 asks for a mu >= 2. The bounds above need no such hypothesis: where a mu < 2 they exceed
2 e^(-a^2 mu / 8) >= 2 e^(-a/4) > 1 and claim nothing.

Rounding gamma up keeps privacy: Lemma 3's bound falls as mu grows, and 1/2 is on the grid. With noise gamma, rounded or
not, the error of the estimate of the mean is bounded as follows. Let W ~ Bin(n, gamma) be the number of silent users, k
the true sum, h >= 0.

*Error > (1 + h) gamma implies W > (1 + h) mu and k > (1 + h) mu.* The estimate is (k + gamma n - W)/n where W < k, else
0. If W < k, the error is |gamma - W/n|; gamma - W/n <= gamma, so W/n - gamma > (1 + h) gamma, and k > W > (2 + h) mu.
If W >= k, the error is k/n > (1 + h) gamma, and W >= k.

With P[W >= (1 + h) mu] <= e^(-h^2 mu / (2 + h)) and h = (L + sqrt(L^2 + 8L)) / 2, the root of h^2 / (2 + h) = L, the
error is above gamma (1 + h) with probability at most beta for L = ln(1/beta) / mu. Where beta >= delta^25,
ln(1/beta) <= 25 ln(2/delta) <= eps^2 mu / 2: that is 25 = 50/2. Then L <= eps^2 / 2, and
h <= eps (eps/2 + sqrt(eps^2/4 + 4)) / 2 <= eps (1 + sqrt(17)) / 4.

The source's text was not at hand: the protocol and the form of the theorem are its, through the reading notes; the
constants of the accuracy part and the proofs on this page are this package's.

Source: BalcerCheu2020, section 3.1.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Final

from exactdp.errors import HypothesisError, TooLargeError
from exactdp.evidence.theorems import relies_on
from exactdp.numbers.balls import compare_reals, enclose_real, enclose_with_root, floor_real
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_fraction, as_integer, as_relative_bits
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.hypotheses import NamedTheorem, PrivacyBound, Target, shown, tanh_half
from exactdp.protocols.protocol import AdditiveProtocol
from exactdp.protocols.saving import Calibrated, Saving, Savings, least_error, root

GRID: Final = Fraction(1, 2**53)
"""``zsum_rounded_gamma`` is a multiple of this, so that a sampler's float and a certificate's fraction are one."""

_THEOREM: Final = NamedTheorem("The zsum theorem")
_ACCURACY: Final = NamedTheorem("The accuracy bound")
_POWER: Final = 25
"""The accuracy theorems are for beta of at least delta^25."""

_MAX_POWER_BITS: Final = 2**22
"""Longest delta^25 that is built."""

_MOST_USERS: Final = 10**1000
"""Where the theorem asks for more users, the least number is not spelt out."""


# --- The constant 50 ------------------------------------------------------------------------------------------------


@cache
def least_tanh_integer() -> int:
    """Return the least integer s with tanh(eps/2) >= eps / sqrt(s) for all eps in (0, 1]: 5.

    tanh(x)/x falls (module docstring), so eps = 1 decides: s tanh(1/2)^2 >= 1, compared in balls.

    >>> least_tanh_integer(), zsum_constant()
    (5, 50)

    Source: BalcerCheu2020, section 3.1.
    """
    squared = tanh_half(Real.exp(1)) ** 2
    s = 1
    while compare_reals(s * squared, Fraction(1)) < 0:
        s += 1
    return s


@relies_on("zsum_sqrt5.zsum_sqrt_threshold")
def tanh_constant(*, relative_bits: int = DEFAULT_RELATIVE_BITS) -> Interval:
    """Enclose 1 / tanh(1/2)^2, the least real number that could stand in the place of the integer 5.

    >>> tanh_constant()
    Interval[4.682694376, 4.682694377]

    Source: BalcerCheu2020, section 3.1 (the theorem that this refines, proof in the module docstring).
    """
    return enclose_real(1 / tanh_half(Real.exp(1)) ** 2, relative_bits=as_relative_bits(relative_bits))


def zsum_constant() -> int:
    """Return the 50 of the theorem, as 10 from Lemma 3's exponent 8 + 2 alpha <= 10, times ``least_tanh_integer()``.

    Source: BalcerCheu2020, section 3.1.
    """
    return 10 * least_tanh_integer()


# --- Noise ----------------------------------------------------------------------------------------------------------


def zsum_noise(target: Target) -> Real:
    """Return mu = 50 ln(2/delta) / eps^2 as a Real."""
    return zsum_constant() * target.log_two_over_delta / target.eps**2


def refined_zsum_noise(target: Target) -> Real:
    """Return mu = 10 coth(eps/2)^2 ln(2/delta) as a Real."""
    return 10 * target.log_two_over_delta / target.alpha**2


def zsum_mu(*, eps: Exact | LogRational, delta: Exact, relative_bits: int = DEFAULT_RELATIVE_BITS) -> Interval:
    """Enclose the theorem's noise, mu = n gamma = 50 ln(2/delta) / eps^2: the expected number of silent users.

    Args:
        eps: in (0, 1], a rational number or a LogRational.
        delta: in (0, 1], exact.
        relative_bits: relative accuracy.

    Raises:
        HypothesisError: for eps or delta outside its range.

    >>> zsum_mu(eps=1, delta="1e-6")
    Interval[725.4328869, 725.4328870]

    Source: BalcerCheu2020, section 3.1.
    """
    return enclose_real(
        zsum_noise(_THEOREM.read_target(eps=eps, delta=delta)), relative_bits=as_relative_bits(relative_bits)
    )


@relies_on("zsum_privacy.zsum_least_users")
def zsum_least_n(*, eps: Exact | LogRational, delta: Exact) -> int:
    """Return the least n that the theorem admits: the least integer n >= 100 ln(2/delta) / eps^2, decided exactly.

    Arguments and errors as ``zsum_mu``.

    >>> zsum_least_n(eps=1, delta="1e-6")
    1451

    Source: BalcerCheu2020, section 3.1.
    """
    return _least_n(_THEOREM.read_target(eps=eps, delta=delta))


def _least_n(target: Target) -> int:
    limit = 2 * zsum_noise(target)
    if compare_reals(limit, Fraction(_MOST_USERS)) > 0:
        raise TooLargeError(
            f"{2 * zsum_constant()} ln(2/delta) / eps^2 = {shown(limit)} users are more than the limit of 10^1000. "
            "Use a larger eps or delta."
        )
    below = floor_real(limit)
    return below if compare_reals(limit, Fraction(below)) == 0 else below + 1


def read_zsum_target(theorem: NamedTheorem, n: object, *, eps: Exact | LogRational, delta: Exact) -> tuple[int, Target]:
    """Read n, eps and delta of the named theorem, and check that n is admissible."""
    users = theorem.read_users(n)
    target = theorem.read_target(eps=eps, delta=delta)
    limit = 2 * zsum_noise(target)
    if compare_reals(Fraction(users), limit) < 0:
        spelt_out = compare_reals(limit, Fraction(_MOST_USERS)) <= 0
        theorem.require(
            False,
            f"n >= {2 * zsum_constant()} ln(2/delta) / eps^2",
            f"n={short(users)} and {2 * zsum_constant()} ln(2/delta) / eps^2 = {shown(limit)}",
            f"Use n of at least {_least_n(target)}, or a larger eps or delta." if spelt_out else "Use a larger eps.",
        )
    return users, target


@relies_on("zsum_privacy.zsum_privacy")
def zsum_gamma(
    n: int, *, eps: Exact | LogRational, delta: Exact, relative_bits: int = DEFAULT_RELATIVE_BITS
) -> Interval:
    """Enclose the theorem's probability of no dummy, gamma = 50 ln(2/delta) / (eps^2 n), at most 1/2.

    Args:
        n: number of users who follow the protocol, at least ``zsum_least_n(eps=eps, delta=delta)``.
        eps: in (0, 1], a rational number or a LogRational.
        delta: in (0, 1], exact.
        relative_bits: relative accuracy.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> zsum_gamma(10**6, eps=1, delta="1e-6")
    Interval[0.0007254328869, 0.0007254328870]

    Source: BalcerCheu2020, section 3.1.
    """
    users, target = read_zsum_target(_THEOREM, n, eps=eps, delta=delta)
    return enclose_real(zsum_noise(target) / users, relative_bits=as_relative_bits(relative_bits))


def zsum_rounded_gamma(n: int, *, eps: Exact | LogRational, delta: Exact) -> Fraction:
    """Return the theorem's gamma rounded up to a multiple of 2^-53, exactly: as private, and at most 1/2.

    Arguments and errors as ``zsum_gamma``.

    >>> zsum_rounded_gamma(10**6, eps=1, delta="1e-6")
    Fraction(6534118558487, 9007199254740992)

    Source: BalcerCheu2020, section 3.1.
    """
    users, target = read_zsum_target(_THEOREM, n, eps=eps, delta=delta)
    units = zsum_noise(target) / (users * GRID)
    below = floor_real(units)
    return exact_answer((below if compare_reals(units, Fraction(below)) == 0 else below + 1) * GRID)


@relies_on("zsum_privacy.zsum_privacy_refined")
def refined_zsum_mu(
    n: int, *, eps: Exact | LogRational, delta: Exact, relative_bits: int = DEFAULT_RELATIVE_BITS
) -> Interval:
    """Enclose the noise that is enough with the real constant: mu = 10 coth(eps/2)^2 ln(2/delta).

    For every eps > 0, delta in (0, 1] and n >= 2 mu zsum with n gamma >= mu and gamma <= 1/2 is (eps, delta)-DP.

    Args:
        n: number of users who follow the protocol, at least 2 mu, so that gamma = mu / n is at most 1/2.
        eps: above 0, a rational number or a LogRational; not only up to 1.
        delta: in (0, 1], exact.
        relative_bits: relative accuracy.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> refined_zsum_mu(10**6, eps=1, delta="1e-6")
    Interval[679.3961000, 679.3961001]

    Source: BalcerCheu2020, section 3.1 (the theorem that this refines, proof in the module docstring).
    """
    theorem = NamedTheorem("The refined zsum bound")
    users = theorem.read_users(n)
    target = theorem.read_target(eps=eps, delta=delta, largest_eps=None)
    mu = refined_zsum_noise(target)
    theorem.require(
        compare_reals(Fraction(users), 2 * mu) >= 0,
        "n >= 2 mu, mu = 10 coth(eps/2)^2 ln(2/delta)",
        f"n={short(users)} and 2 mu = {shown(2 * mu)}",
        "Use a larger n, eps or delta.",
    )
    return enclose_real(mu, relative_bits=as_relative_bits(relative_bits))


# --- Privacy --------------------------------------------------------------------------------------------------------


@relies_on("zsum_privacy.zsum_privacy", "zsum_privacy.zsum_privacy_refined")
def zsum_privacy_bound(n: int, *, eps: Exact | LogRational, delta: Exact) -> PrivacyBound:
    """Return the theorem's conclusion, (eps, delta)-DP under replacement, once its hypotheses are checked.

    It is about zsum of n users with ``zsum_gamma`` or any larger gamma up to 1/2, such as ``zsum_rounded_gamma``.
    Arguments and errors as ``zsum_gamma``.

    >>> zsum_privacy_bound(1451, eps=1, delta="1e-6")
    PrivacyBound(eps=Fraction(1, 1), delta=Fraction(1, 1000000))

    Source: BalcerCheu2020, section 3.1.
    """
    _, target = read_zsum_target(_THEOREM, n, eps=eps, delta=delta)
    return PrivacyBound(target.given, target.delta)


def published_zsum_delta(
    n: int, *, gamma: Exact, eps: Exact | LogRational, relative_bits: int = DEFAULT_RELATIVE_BITS
) -> Interval:
    """Enclose 2 e^(-eps^2 n gamma / 50), the published closed form: zsum has at most this delta at eps in (0, 1].

    Args:
        n: number of users who follow the protocol, at least 1.
        gamma: probability of no dummy, exact, in (0, 1/2].
        eps: in (0, 1], a rational number or a LogRational.
        relative_bits: relative accuracy.

    Returns:
        The bound; above 1, where it claims nothing, if n gamma is small.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> published_zsum_delta(1000, gamma="1/2", eps=1)
    Interval[0.00009079985952, 0.00009079985953]

    Source: BalcerCheu2020, section 3.1.
    """
    mu, target = _noise_and_eps(n, gamma, eps, largest=1)
    return enclose_real(published_delta(mu, target), relative_bits=as_relative_bits(relative_bits))


def refined_zsum_delta(
    n: int, *, gamma: Exact, eps: Exact | LogRational, relative_bits: int = DEFAULT_RELATIVE_BITS
) -> Interval:
    """Enclose 2 e^(-tanh(eps/2)^2 n gamma / 10), the closed form with the real constant, for every eps > 0.

    Args:
        n: number of users who follow the protocol, at least 1.
        gamma: probability of no dummy, exact, in (0, 1/2].
        eps: above 0, a rational number or a LogRational.
        relative_bits: relative accuracy.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> refined_zsum_delta(1000, gamma="1/2", eps=1)
    Interval[0.00004611067047, 0.00004611067048]

    Source: BalcerCheu2020, section 3.1 (the theorem that this refines, proof in the module docstring).
    """
    mu, target = _noise_and_eps(n, gamma, eps, largest=None)
    return enclose_real(refined_delta(mu, target), relative_bits=as_relative_bits(relative_bits))


def published_delta(mu: Fraction, target: Target) -> Real:
    """Return 2 e^(-eps^2 mu / 50) as a Real."""
    return 2 * Real.exp(-(target.eps**2) * mu / zsum_constant())


def refined_delta(mu: Fraction, target: Target) -> Real:
    """Return 2 e^(-tanh(eps/2)^2 mu / 10) as a Real."""
    return 2 * Real.exp(-(target.alpha**2) * mu / 10)


def _noise_and_eps(
    n: object, gamma: Exact, eps: Exact | LogRational, *, largest: int | None
) -> tuple[Fraction, Target]:
    theorem = NamedTheorem("The zsum bound")
    users = theorem.read_users(n)
    silent = read_gamma(theorem, gamma, Fraction(1, 2))
    return users * silent, Target(theorem.read_eps(eps, largest=largest), Fraction(1))


def read_gamma(theorem: NamedTheorem, gamma: Exact, largest: Fraction) -> Fraction:
    """Read a probability of no dummy in (0, largest]."""
    silent = as_fraction(gamma, name="gamma")
    theorem.require(
        0 < silent <= largest,
        f"0 < gamma <= {largest}",
        f"gamma={short(silent)}",
        f"Pass gamma in (0, {largest}].",
    )
    return silent


# --- Accuracy -------------------------------------------------------------------------------------------------------


@relies_on("zsum_accuracy_theorem.zsum_accuracy_every_beta")
def zsum_accuracy(n: int, *, gamma: Exact, beta: Exact, relative_bits: int = DEFAULT_RELATIVE_BITS) -> Interval:
    """Enclose an alpha that the error of zsum's estimate of the mean exceeds with probability at most beta.

    alpha = gamma (1 + h) with h = (L + sqrt(L^2 + 8L)) / 2 and L = ln(1/beta) / (n gamma), on every data set (module
    docstring).

    Args:
        n: number of users, at least 1.
        gamma: probability of no dummy, exact, in (0, 1]: the one that is used, rounded or not.
        beta: probability of a larger error, exact, in (0, 1).
        relative_bits: relative accuracy.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> zsum_accuracy(10**6, gamma="1/1000", beta="1/20")
    Interval[0.001078916908, 0.001078916909]

    Source: BalcerCheu2020, section 3.1 (the theorem that this refines, proof in the module docstring).
    """
    users = _ACCURACY.read_users(n)
    silent = read_gamma(_ACCURACY, gamma, Fraction(1))
    failure = read_beta(_ACCURACY, beta)
    return chernoff_accuracy(users, silent, failure, relative_bits=as_relative_bits(relative_bits))


def read_beta(theorem: NamedTheorem, beta: Exact) -> Fraction:
    """Read a failure probability in (0, 1)."""
    failure = as_fraction(beta, name="beta")
    theorem.require(0 < failure < 1, "0 < beta < 1", f"beta={short(failure)}", "Pass beta in (0, 1).")
    return failure


def chernoff_accuracy(n: int, gamma: Fraction, beta: Fraction, *, relative_bits: int) -> Interval:
    """Enclose gamma (1 + h), h^2 / (2 + h) = ln(1/beta) / (n gamma), for 0 < beta < 1."""
    exponent = Real.log(1 / beta) / (n * gamma)
    return enclose_with_root(
        gamma * (1 + exponent / 2), Real(gamma / 2), exponent**2 + 8 * exponent, relative_bits=relative_bits
    )


@relies_on("zsum_accuracy_theorem.zsum_accuracy_sharp")
def zsum_theorem_accuracy(
    n: int,
    *,
    eps: Exact | LogRational,
    delta: Exact,
    beta: Exact | None = None,
    relative_bits: int = DEFAULT_RELATIVE_BITS,
) -> Interval:
    """Enclose the theorem's alpha for every beta >= delta^25: gamma' (1 + (1 + sqrt(17)) / 4 eps).

    gamma' is ``zsum_rounded_gamma``: at huge n rounding up costs accuracy, and this alpha counts it. It is at most
    114.04 ln(2/delta) / (eps^2 n) but for that rounding, and of order ln(2/delta), not ln(1/delta), which is 0 at
    delta = 1 where the error is not. For other beta there is ``zsum_accuracy``.

    Args:
        n: number of users who follow the protocol, at least ``zsum_least_n(eps=eps, delta=delta)``.
        eps: in (0, 1], a rational number or a LogRational.
        delta: in (0, 1), exact: for delta = 1 no beta in (0, 1) is at least delta^25.
        beta: probability of a larger error, exact, in [delta^25, 1); only checked, since alpha is one for all.
        relative_bits: relative accuracy.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> zsum_theorem_accuracy(10**6, eps=1, delta="1e-6", beta="1e-150")
    Interval[0.001654550212, 0.001654550213]

    Source: BalcerCheu2020, section 3.1 (the form, the constant is the module docstring's).
    """
    users, target = read_zsum_target(_THEOREM, n, eps=eps, delta=delta)
    check_beta(_THEOREM, target.delta, beta)
    return theorem_accuracy(users, target, relative_bits=as_relative_bits(relative_bits))


def check_beta(theorem: NamedTheorem, delta: Fraction, beta: Exact | None, *, users: int | None = None) -> None:
    """Check that n delta^25 <= beta < 1, or without a beta that there is such a beta; without users n is 1."""
    words = f"delta^{_POWER}" if users is None else f"n delta^{_POWER}"
    if _POWER * max(delta.numerator.bit_length(), delta.denominator.bit_length()) > _MAX_POWER_BITS:
        raise TooLargeError(f"{words} is longer than the limit of {_MAX_POWER_BITS} bits. Use a shorter delta.")
    least = (users or 1) * delta**_POWER
    theorem.require(
        least < 1,
        f"some beta with {words} <= beta < 1",
        f"{words} = {shown(Real(least)) if least <= 1 else 'more than 1'} for delta={short(delta)}",
        "Use a smaller delta, or the accuracy bound for every beta.",
    )
    if beta is not None:
        failure = read_beta(theorem, beta)
        theorem.require(
            failure >= least,
            f"beta >= {words}",
            f"beta={short(failure)} and {words} = {short(least)}",
            "Use a larger beta, or the accuracy bound for every beta.",
        )


def theorem_accuracy(n: int, target: Target, *, relative_bits: int) -> Interval:
    """Enclose gamma' (1 + (1 + sqrt(17)) / 4 eps) for an admissible n, gamma' being rounded up."""
    gamma = zsum_rounded_gamma(n, eps=target.given, delta=target.delta)
    quarter = gamma * target.eps / 4
    return enclose_with_root(gamma + quarter, quarter, Real(17), relative_bits=relative_bits)


def zsum_vacuity_bound(
    *, eps: Exact | LogRational, delta: Exact, relative_bits: int = DEFAULT_RELATIVE_BITS
) -> Interval:
    """Enclose 50 (1 + (1 + sqrt(17)) / 4 eps) ln(2/delta) / eps^2: for n up to it the theorem's alpha is at least 1.

    An alpha of 1 says nothing about a mean in [0, 1]. At eps = 1 the number is 114.04 ln(2/delta), above the least
    admissible n; for eps below (sqrt(17) - 1) / 4 = 0.7808 it is below it, and every admissible n has an alpha below 1.
    Arguments and errors as ``zsum_mu``.

    >>> zsum_vacuity_bound(eps=1, delta="1e-6")
    Interval[1654.550212, 1654.550213]

    Source: BalcerCheu2020, section 3.1 (the theorem that this refines, proof in the module docstring).
    """
    target = _THEOREM.read_target(eps=eps, delta=delta)
    mu = zsum_noise(target)
    quarter = mu * target.eps / 4
    return enclose_with_root(mu + quarter, quarter, Real(17), relative_bits=as_relative_bits(relative_bits))


# --- Messages -------------------------------------------------------------------------------------------------------


def zsum_most_messages() -> int:
    """Return the most messages that one user sends: 2, the bit and a dummy.

    Source: BalcerCheu2020, section 3.1.
    """
    return 2


def zsum_expected_messages(x: int, *, gamma: Exact) -> Fraction:
    """Return how many messages a user with the bit x sends on average: x + 1 - gamma.

    Args:
        x: 0 or 1.
        gamma: probability of no dummy, exact, in (0, 1].

    >>> zsum_expected_messages(1, gamma="1/4")
    Fraction(7, 4)

    Source: BalcerCheu2020, section 3.1.
    """
    bit = as_integer(x, name="x")
    theorem = NamedTheorem("The message count")
    theorem.require(bit in (0, 1), "x in {0, 1}", f"x={short(bit)}", "Pass a bit.")
    return exact_answer(bit + 1 - read_gamma(theorem, gamma, Fraction(1)))


def zsum_savings(protocol: AdditiveProtocol, found: Calibrated) -> Savings:
    """Return what a calibrated gamma saves against the theorem's, beside the calibrated error."""
    n, exact, eps, delta = protocol.n, found.parameter, found.eps, found.delta
    assert n is not None
    note, gamma, alpha = None, None, None
    try:
        gamma = zsum_rounded_gamma(n, eps=eps, delta=delta)
        alpha = _theorem_alpha(n, gamma, eps, delta, found.beta)
    except HypothesisError as error:
        note = str(error)

    def both(name: str, value: Callable[[Fraction], Fraction | Interval]) -> Saving:
        return Saving(name, None if gamma is None else value(gamma), value(exact))

    rows = (
        both("gamma", lambda g: g),
        both("n gamma", lambda g: n * g),
        both("standard deviation", lambda g: root(n * g * (1 - g))),
        Saving("alpha", alpha, least_error(protocol, found.beta)),
    )
    return Savings(rows, note)


def _theorem_alpha(
    n: int, gamma: Fraction, eps: Fraction | LogRational, delta: Fraction, beta: Fraction
) -> Fraction | Interval:
    """Return the theorem's alpha, or for a beta below delta^25 the one that holds for every beta."""
    try:
        return zsum_theorem_accuracy(n, eps=eps, delta=delta, beta=beta)
    except HypothesisError:
        return zsum_accuracy(n, gamma=gamma, beta=beta)
