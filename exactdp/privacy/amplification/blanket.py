"""The privacy blanket: what all rows of a randomizer share hides the user who differs.

Let gamma = sum over messages w of min over x of R_x(w), and omega the law min_x R_x(w) / gamma: each user sends from
omega with probability gamma, whatever the input. With L = (R_x(w) - e^eps R_x'(w)) / omega(w), w ~ omega, and
independent copies L_i,

    delta <= (1 / (gamma n)) E[ 1[m >= 1] max(0, L_1 + ... + L_m) ],    m ~ Bin(n, gamma).

It is the exact divergence for an observer who is also told who used the blanket and what the others sent; for the
shuffler's view it is an upper bound. E[L] = -a with a = e^eps - 1. Hoeffding's inequality, with b = max L - min L, and
Bennett's, with b+ >= max L and c >= E[L^2], bound the mean of the positive part of m copies by

    (b^2 / (4a)) e^(-2 m a^2 / b^2)    and    (b+ / ln(1 + a b+ / c)) e^(-m (c / b+^2) phi(a b+ / c)),

phi(u) = (1 + u) ln(1 + u) - u. Both are powers in m, so the mean over m is closed: E[t^m] = (1 - gamma (1 - t))^n. In
Bennett's bound m = 0 is left out; in Hoeffding's it is kept, as printed.

A randomizer enters through gamma, b, b+ and c: exactly for k-ary randomized response; for every eps0-DP randomizer with
one message by the published generic bounds, with gamma = e^-eps0.

Both are theorems of the kernel, for k-ary randomized response and with the generic constants, there for any number of
messages.

Source: BalleBellGasconNissim2019, section 5 (the generic constants as printed in secondary sources: the authors'
program).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exactdp.evidence.theorems import relies_on
from exactdp.numbers.balls import compare_reals, enclose_real
from exactdp.numbers.epsilon import LogRational, read_privacy_level
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_integer, as_relative_bits
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.variation_ratio import read_exp_eps0
from exactdp.privacy.hypotheses import NamedTheorem

_THEOREM: Final = NamedTheorem("The blanket bound")


@dataclass(frozen=True, slots=True)
class BlanketParameters:
    """gamma, and of the variable L at one eps: its range b, an upper bound b+ of it, and one c of its second moment."""

    gamma: Fraction
    exp_eps: Real
    b: Real
    b_plus: Real
    c: Real

    @property
    def a(self) -> Real:
        """-E[L] = e^eps - 1."""
        return self.exp_eps - 1


def blanket_parameters(
    *,
    exp_eps0: Exact,
    eps: Exact | LogRational | None = None,
    exp_eps: Exact | None = None,
    k: int | None = None,
) -> BlanketParameters:
    """Return the blanket's parameters for k-ary randomized response, or without ``k`` for every eps0-DP randomizer.

    For k-ary randomized response, E = e^eps:

        gamma = k / (e^eps0 + k - 1),    b = (1 - gamma) k (E + 1),    b+ = gamma (1 - E) + (1 - gamma) k,
        c = gamma (2 - gamma) (E - 1)^2 + (1 - gamma)^2 k (E^2 + 1).

    For every eps0-DP randomizer with one message, p = e^eps0:

        gamma = 1/p,    b = (E + 1) (p - 1/p),    b+ = p (1 - E / p^2),    c = p (E^2 + 1) - 2 E / p^3.

    Args:
        exp_eps0: e^eps0 of the randomizer alone, exact, above 1.
        eps: in (0, eps0), a rational number or a LogRational; from eps0 on delta is 0 without any theorem.
        exp_eps: e^eps instead of ``eps``, exact, in (1, e^eps0).
        k: number of inputs of randomized response, at least 2.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> blanket_parameters(exp_eps0=3, exp_eps=2, k=2).c
    Real[13/4]

    Source: BalleBellGasconNissim2019, section 5 (as printed in secondary sources: the authors' program).
    """
    ratio, level = read_exp_eps0(_THEOREM, exp_eps0), read_privacy_level(eps=eps, exp_eps=exp_eps).real
    _THEOREM.require(
        compare_reals(Fraction(1), level) < 0 < compare_reals(ratio, level),
        "0 < eps < eps0",
        f"e^eps = {level} and e^eps0 = {short(ratio)}",
        "Pass eps in (0, eps0); from eps0 on, delta is 0.",
    )
    if k is not None:
        size = as_integer(k, name="k", at_least=2)
        gamma = size / (ratio + size - 1)
        keep = (1 - gamma) * size
        c = gamma * (2 - gamma) * (level - 1) ** 2 + keep * (1 - gamma) * (level * level + 1)
        return BlanketParameters(gamma, level, keep * (level + 1), gamma * (1 - level) + keep, c)
    c = ratio * (level * level + 1) - 2 * level / ratio**3
    b_plus = ratio * (1 - level / ratio**2)
    return BlanketParameters(1 / ratio, level, (level + 1) * (ratio - 1 / ratio), b_plus, c)


@relies_on("k_ary_blanket.k_ary_hoeffding", "generic_blanket.generic_hoeffding")
def hoeffding_blanket_delta(
    n: int,
    *,
    exp_eps0: Exact,
    eps: Exact | LogRational | None = None,
    exp_eps: Exact | None = None,
    k: int | None = None,
    relative_bits: int = DEFAULT_RELATIVE_BITS,
) -> Interval:
    """Enclose (1 / (gamma n)) (b^2 / (4a)) (1 - gamma (1 - e^(-2 a^2 / b^2)))^n, the delta by Hoeffding's inequality.

    It may exceed 1, and then claims nothing. n is the number of users, at least 1; the other arguments and the errors
    are those of :func:`blanket_parameters`.

    >>> hoeffding_blanket_delta(1000, exp_eps0=3, exp_eps=2, k=2)
    Interval[..., ...]

    Source: BalleBellGasconNissim2019, section 5.
    """
    users = _THEOREM.read_users(n)
    given = blanket_parameters(exp_eps0=exp_eps0, eps=eps, exp_eps=exp_eps, k=k)
    square = given.b * given.b
    decay = 1 - given.gamma * (1 - Real.exp(-2 * given.a * given.a / square))
    delta = square / (4 * given.a) / (given.gamma * users) * decay**users
    return enclose_real(delta, relative_bits=as_relative_bits(relative_bits))


@relies_on("k_ary_blanket.k_ary_bennett", "generic_blanket.generic_bennett")
def bennett_blanket_delta(
    n: int,
    *,
    exp_eps0: Exact,
    eps: Exact | LogRational | None = None,
    exp_eps: Exact | None = None,
    k: int | None = None,
    relative_bits: int = DEFAULT_RELATIVE_BITS,
) -> Interval:
    """Enclose the delta by Bennett's inequality: (1 / (gamma n)) (b+ / ln(1+u)) ((1 - gamma (1-t))^n - (1-gamma)^n).

    u = a b+ / c and t = e^(-(c / b+^2) ((1+u) ln(1+u) - u)); it is the whole finite sum over m = 1, ..., n. It may
    exceed 1, and then claims nothing. Arguments and errors are those of :func:`hoeffding_blanket_delta`.

    >>> bennett_blanket_delta(1000, exp_eps0=3, exp_eps=2, k=2)
    Interval[..., ...]

    Source: BalleBellGasconNissim2019, section 5.
    """
    users = _THEOREM.read_users(n)
    given = blanket_parameters(exp_eps0=exp_eps0, eps=eps, exp_eps=exp_eps, k=k)
    u = given.a * given.b_plus / given.c
    log = Real.log(1 + u)
    t = Real.exp(-(given.c / (given.b_plus * given.b_plus)) * ((1 + u) * log - u))
    nobody = Real.exp(Real.log(1 - given.gamma) * users) if given.gamma < 1 else Real(0)
    mean = (1 - given.gamma * (1 - t)) ** users - nobody
    delta = given.b_plus / log / (given.gamma * users) * mean
    return enclose_real(delta, relative_bits=as_relative_bits(relative_bits))
