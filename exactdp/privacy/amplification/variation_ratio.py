"""Variation-ratio reduction: one pair of laws on two counts in place of every randomizer with the same three numbers.

A randomizer has the parameters (p, beta, q) if for any inputs x, x' the laws R_x and R_x' are within a ratio p of each
other and beta in total variation, and the other users' law R_y is at least max(R_x, R_x') / q. Let

    alpha = beta / (p - 1),    r = alpha p / q <= 1/2.

One user sends 0 with probability alpha p, 1 with probability alpha, and else nothing that tells; for the neighbour, 0
and 1 change places. Each of the other n - 1 users sends 0 or 1 with probability r each. The bound is the hockey-stick
divergence of the two laws of the numbers (a, b) of zeros and ones: a finite sum. With s = a + b and u = 1 - 2r,

    P(a, b) - E Q(a, b) = (C(n, s) C(s, a) / n) [ alpha r^(s-1) u^(n-s) ((p - E) a - (E p - 1) b)
                                                  - (E - 1) (1 - alpha - alpha p) (n - s) r^s u^(n-s-1) ]

is linear in a for fixed s, so for each s the event is a >= t(s), and the sums over a are two binomial tails. As the two
laws are mirror images, both orders have the same divergence. The exact sum takes integers of n times the bits of r. In
another way it is the divergence of n users of whom the others all hold one input, with the rows (alpha p, alpha, rest),
(alpha, alpha p, rest) and (r, r, u): U_n of :mod:`exactdp.privacy.amplification.positive_part`, enclosed at any n.

*The reduction is sound where beta = (p - 1) / (p + 1)*, the largest value, whatever the distance of the rows is, at
e^eps >= 1 (stronger_clones.clones_of_ratio, kernel-checked): then the user who differs always sends 0 or 1. *With a
smaller beta it is not.* From (a, b) and the number of those who send nothing that tells one would have to simulate
their messages, but the others' remaining messages have another law than those of the user who differs, and how many
there are of each depends on the data. The parameters of k-ary randomized response, as secondary sources quote them,
have such a beta for k >= 3, and there the bound is below the exact divergence of a real pair
(``proofs/published_bounds.py``), at every n >= 2 (variation_ratio_near.variation_ratio_fails_every_n). The text of the
published theorem was not at hand, and may ask for more. Those of unary encoding, subset selection, Hadamard response
and local hashing have such a beta too; what they give beside proved ends is in docs/published-bounds.md. For k-ary
response the repair is that of the others' remaining messages only (k - 2) / (p + k - 1) are like those of the user who
differs (variation_ratio_repaired.k_ary_repaired).

Source: WangPengLiWenLiYuWangYang2024, section 4 (as printed in secondary sources: the authors' program and the table on
its page).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Final

from exactdp.errors import HypothesisError, TooLargeError
from exactdp.mechanisms.family import FamilyRandomizer
from exactdp.numbers.balls import compare_reals, enclose_with_root
from exactdp.numbers.epsilon import LogRational, read_privacy_level
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_fraction, as_integer, as_relative_bits
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.positive_part import Mixture
from exactdp.privacy.amplification.tilted import Atom
from exactdp.privacy.hypotheses import NamedTheorem, shown

_THEOREM: Final = NamedTheorem("The variation-ratio bound")
_CLOSED_FORM: Final = NamedTheorem("The variation-ratio closed form")
_MAX_BITS: Final = 2**17
"""Longest weight of the sum: n times the bits of the denominator of r."""


@dataclass(frozen=True, slots=True)
class VariationRatio:
    """The parameters (p, beta, q): p > 1, 0 < beta <= (p - 1) / (p + 1), q >= 1 and p beta / ((p - 1) q) <= 1/2.

    >>> VariationRatio(3, "1/2", 3).r
    Fraction(1, 4)
    """

    p: Fraction
    beta: Fraction
    q: Fraction

    def __init__(self, p: Exact, beta: Exact, q: Exact) -> None:
        ratio, distance, blanket = as_fraction(p, name="p"), as_fraction(beta, name="beta"), as_fraction(q, name="q")
        _THEOREM.require(ratio > 1, "p > 1", f"p={short(ratio)}", "Pass e^eps0, above 1.")
        largest = (ratio - 1) / (ratio + 1)
        _THEOREM.require(
            0 < distance <= largest,
            "0 < beta <= (p - 1) / (p + 1)",
            f"beta={short(distance)} and (p - 1) / (p + 1) = {short(largest)}",
            "Pass the total variation distance of two rows.",
        )
        clone = distance / (ratio - 1) * ratio / blanket if blanket > 0 else Fraction(1)
        _THEOREM.require(
            blanket >= 1 and clone <= Fraction(1, 2),
            "q >= 1 and p beta / ((p - 1) q) <= 1/2",
            f"q={short(blanket)}",
            "Pass the ratio of the other users' law, p at most.",
        )
        set_fields(self, p=exact_answer(ratio), beta=exact_answer(distance), q=exact_answer(blanket))

    @property
    def alpha(self) -> Fraction:
        """beta / (p - 1): the probability of the rarer of the two telling messages."""
        return exact_answer(self.beta / (self.p - 1))

    @property
    def r(self) -> Fraction:
        """alpha p / q: the probability with which another user sends one of the two messages."""
        return exact_answer(self.alpha * self.p / self.q)


def response_parameters(k: int, *, exp_eps0: Exact) -> VariationRatio:
    """Return the parameters quoted for k-ary randomized response: p = q = e^eps0, beta = (p - 1) / (p + k - 1).

    >>> response_parameters(3, exp_eps0=2)
    VariationRatio(p=Fraction(2, 1), beta=Fraction(1, 4), q=Fraction(2, 1))

    Source: WangPengLiWenLiYuWangYang2024, section 4 (as printed in secondary sources: the authors' program).
    """
    size, ratio = as_integer(k, name="k", at_least=2), read_exp_eps0(_THEOREM, exp_eps0)
    return VariationRatio(ratio, (ratio - 1) / (ratio + size - 1), ratio)


def family_parameters(family: FamilyRandomizer) -> VariationRatio:
    """Return the published parameters of a family: p = q = E, E = e^eps0 of a message alone, and beta of its kind.

    beta is (E - 1)/(E + k - 1) for k-ary randomized response, (s - 1)/(s + 1) with s = sqrt(E) for symmetric unary
    encoding, (E - 1) w (d - w) / ((d - 1)(E w + d - w)) for subsets of size w, (E - 1)/(E + g - 1) for local hashing
    to g buckets, and (E - 1)/(2 (E + 1)) for Hadamard response.

    Raises:
        HypothesisError: for a family without published parameters, an irrational e^eps0 and e^eps0 = 1.

    >>> from exactdp.randomizers import HadamardResponse
    >>> family_parameters(HadamardResponse(15, exp_eps0=3))
    VariationRatio(p=Fraction(3, 1), beta=Fraction(1, 4), q=Fraction(3, 1))

    Source: WangPengLiWenLiYuWangYang2024, section 4 (as printed in secondary sources: the authors' program and the
    table on its page).
    """
    eps0 = family.local_epsilon()
    _THEOREM.require(
        isinstance(eps0, LogRational) and not eps0.is_infinite,
        "a rational e^eps0",
        f"eps0={eps0}",
        "Pass a family with a rational exp_eps0.",
    )
    assert isinstance(eps0, LogRational)
    ratio = read_exp_eps0(_THEOREM, eps0.argument)
    if (beta := family.published_beta) is None:
        raise HypothesisError(
            f"{_THEOREM.name} has no published parameters for {family.name}. Use those of every eps0-DP "
            "randomizer: beta = (p - 1) / (p + 1)."
        )
    return VariationRatio(ratio, beta, ratio)


def variation_ratio_delta(
    n: int,
    parameters: VariationRatio,
    *,
    eps: Exact | LogRational | None = None,
    exp_eps: Exact | None = None,
    relative_bits: int | None = None,
) -> Fraction | Interval:
    """Return the published delta of n users whose randomizer has these parameters: the reduced pair's divergence.

    Not a bound where beta < (p - 1) / (p + 1): see the module docstring.

    Args:
        n: number of users, at least 1.
        parameters: (p, beta, q).
        eps: at least 0, a rational number or a LogRational.
        exp_eps: e^eps instead of ``eps``, exact, at least 1.
        relative_bits: relative accuracy of an enclosure, which is made at any n; None for an exact number where e^eps
            is rational, and else for 53.

    Returns:
        A Fraction where e^eps is rational and no accuracy is asked for, else an Interval.

    Raises:
        HypothesisError: names the hypothesis that fails.
        TooLargeError: for an exact number, where n times the bits of r exceeds 2^17; for an enclosure of so many bits
            that it would take minutes.

    Cost: about n products of integers of n times the bits of r, 20 ms at n = 1000; an enclosure of 20 bits some
    milliseconds at any n, at most 0.3 s.

    >>> variation_ratio_delta(2, response_parameters(3, exp_eps0=2), exp_eps="3/2")
    Fraction(1, 16)
    >>> variation_ratio_delta(10**6, response_parameters(3, exp_eps0=2), exp_eps="101/100", relative_bits=20)
    Interval[..., ...]

    Source: WangPengLiWenLiYuWangYang2024, section 4 (as printed in secondary sources: the authors' program).
    """
    return at_level(_THEOREM.read_users(n), parameters, eps, exp_eps, relative_bits)


def variation_ratio_exp_eps(
    n: int, parameters: VariationRatio, *, delta: Exact, relative_bits: int = DEFAULT_RELATIVE_BITS
) -> Interval:
    """Enclose e^eps of the published closed form, for (eps, delta)-DP of n > 8 ln(4/delta) / r users.

    With c = max(0, 4 (1 - 3r) / (9 (1 - 2r))),

        e^eps = 1 + beta / ((1 - c)(1 + p) beta / (p - 1) + c) (sqrt(16 ln(4/delta) / (r (n-1))) + 2 / (r (n-1))).

    Args:
        n: number of users, more than 8 ln(4/delta) / r and at least 2.
        parameters: (p, beta, q), with r < 1/2.
        delta: in (0, 1], exact.
        relative_bits: relative accuracy.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> variation_ratio_exp_eps(10**6, response_parameters(2, exp_eps0=3), delta="1e-6")
    Interval[..., ...]

    Source: WangPengLiWenLiYuWangYang2024, section 5 (as printed in secondary sources: the authors' program).
    """
    return closed_form(_CLOSED_FORM, n, parameters, delta=delta, relative_bits=as_relative_bits(relative_bits))


def closed_form(
    theorem: NamedTheorem, n: int, parameters: VariationRatio, *, delta: Exact, relative_bits: int
) -> Interval:
    """Enclose the closed form's e^eps, naming ``theorem`` where a hypothesis fails."""
    users, target = theorem.read_users(n), theorem.read_target(eps=1, delta=delta)
    r, p, beta = parameters.r, parameters.p, parameters.beta
    theorem.require(r < Fraction(1, 2), "r < 1/2", f"r={short(r)}", "Use a larger q.")
    log = Real.log(4 / target.delta)
    least = 8 * log / r
    theorem.require(
        users >= 2 and compare_reals(Fraction(users), least) > 0,
        "n > 8 ln(4/delta) / r",
        f"n={short(users)} and 8 ln(4/delta) / r = {shown(least)}",
        "Use more users, or a larger delta.",
    )
    c = max(Fraction(0), 4 * (1 - 3 * r) / (9 * (1 - 2 * r)))
    factor = beta / ((1 - c) * (1 + p) * beta / (p - 1) + c)
    others = r * (users - 1)
    return enclose_with_root(
        Real(1 + 2 * factor / others), Real(factor), 16 * log / others, relative_bits=relative_bits
    )


def read_exp_eps0(theorem: NamedTheorem, exp_eps0: Exact) -> Fraction:
    """Read e^eps0 > 1 of the randomizer alone."""
    ratio = as_fraction(exp_eps0, name="exp_eps0")
    theorem.require(ratio > 1, "e^eps0 > 1", f"exp_eps0={short(ratio)}", "Pass e^eps0, above 1.")
    return ratio


def at_level(
    users: int,
    parameters: VariationRatio,
    eps: Exact | LogRational | None,
    exp_eps: Exact | None,
    relative_bits: int | None,
) -> Fraction | Interval:
    """Return the divergence of the reduced pair: exact at a rational e^eps if no bits are asked for."""
    level = read_privacy_level(eps=eps, exp_eps=exp_eps)
    if level.exp_eps is not None and relative_bits is None:
        return exact_answer(pair_delta(users, parameters, level.exp_eps))
    bits = DEFAULT_RELATIVE_BITS if relative_bits is None else as_relative_bits(relative_bits)
    try:
        return _as_mixture(parameters).divergence(users, level.real, relative_bits=bits)
    except TooLargeError:
        raise TooLargeError(
            f"n={short(users)} with r={short(parameters.r)}: an enclosure to relative_bits={bits} would take minutes. "
            "Ask for fewer bits."
        ) from None


def _as_mixture(parameters: VariationRatio) -> Mixture:
    """Return the pair beside others who all send the two telling messages with probability r each.

    Where these send nothing else, the message that does not tell has P = Q and is no charge at E >= 1.
    """
    p, alpha, r = parameters.p, parameters.alpha, parameters.r
    rest, silent = 1 - alpha - alpha * p, 1 - 2 * r
    atoms = (Atom(r, alpha * p, alpha), Atom(r, alpha, alpha * p))
    return Mixture((), (*atoms, Atom(silent, rest, rest)) if silent else atoms)


def pair_delta(users: int, parameters: VariationRatio, exp_eps: Fraction) -> Fraction:
    """Return the divergence of the reduced pair at ``exp_eps`` >= 1, exactly (module docstring)."""
    p, alpha, r = parameters.p, parameters.alpha, parameters.r
    if users * r.denominator.bit_length() > _MAX_BITS:
        raise TooLargeError(
            f"n={short(users)} with r={short(r)} needs weights of more than the limit of {_MAX_BITS} bits. "
            "Use fewer users or a shorter e^eps0, or pass relative_bits for an enclosure."
        )
    if exp_eps >= p:
        return Fraction(0)
    ratios = (alpha * (p - exp_eps), alpha * (exp_eps * p - 1), (exp_eps - 1) * (1 - alpha - alpha * p))
    unit = lcm(*(x.denominator for x in ratios))
    gain, loss, silent = (int(x * unit) for x in ratios)
    send, base = r.numerator, r.denominator
    rest = base - 2 * send  # nobody is silent where it is 0
    total, tail = 0, _Tail()
    weight = users * (rest ** (users - 2) if users > 1 else 1)
    for s in range(1, users) if rest else ():
        level = rest * loss * s + send * silent * (users - s)
        total += weight * tail.excess(s, rest * (gain + loss), level)
        if s < users - 1:
            weight = weight * send * (users - s) // ((s + 1) * rest)
    total += send ** (users - 1) * tail.excess(users, gain + loss, loss * users)
    return Fraction(total, users * unit * base ** (users - 1))


class _Tail:
    """The sum of C(m, i) over i >= j and its first term, for 0 <= j <= m; it moves by one step at a time, m upward."""

    __slots__ = ("j", "m", "sum", "term")

    def __init__(self) -> None:
        self.m, self.j, self.term, self.sum = 0, 0, 1, 1

    def excess(self, s: int, slope: int, level: int) -> int:
        """Return the sum of C(s, a) (slope a - level) over the a where it is positive; slope > 0, level >= 0."""
        least = level // slope + 1
        if least > s:
            return 0
        self.move(s - 1, least - 1)  # a C(s, a) = s C(s-1, a-1), and C(s, a) = C(s-1, a) + C(s-1, a-1)
        return slope * s * self.sum - level * (2 * self.sum - self.term)

    def move(self, m: int, j: int) -> None:
        """Go to the sum over C(m, i), i >= j."""
        while self.m < m:
            below = self.term * self.j // (self.m - self.j + 1)
            self.sum = 2 * self.sum + below
            self.m += 1
            self.term = self.term + below
        while self.j < j:
            self.sum -= self.term
            self.term = self.term * (self.m - self.j) // (self.j + 1)
            self.j += 1
        while self.j > j:
            self.term = self.term * self.j // (self.m - self.j + 1)
            self.j -= 1
            self.sum += self.term
