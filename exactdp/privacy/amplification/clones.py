"""Privacy amplification by shuffling, from clones: every eps0-DP randomizer, one bundle of messages of each user.

Let C ~ Bin(n - 1, c), A ~ Bin(C, 1/2), D ~ Ber(e^eps0 / (e^eps0 + 1)), independent. Every pair of neighbouring views
is a post-processing of the pair

    (A + D, C - A + 1 - D)    and    (A + 1 - D, C - A + D),

with c = e^-eps0 (clones, 2021): R_y >= e^-eps0 (R_x + R_x') / 2 for every y, and the user who differs sends from R_x
or R_x' mixed. With c = 2 / (e^eps0 + 1) (stronger clones, 2023) the others copy only what tells x from x': for rows at
the largest total variation distance, (e^eps0 - 1) / (e^eps0 + 1), this is a post-processing. That no smaller distance
is worse, at e^eps >= 1, is this package's proof: beside others with the row max(R_x, R_x') / e^eps0 at least, what a
message is worth is less spread then. Kernel-checked for all n >= 1 as clones.clones_2021 and
stronger_clones.stronger_clones, of one eps0-DP randomizer with finitely many outcomes that all users run, and that does
not depend on what others send. (Users may run different ones if all their rows together are one eps0-DP table. The
published theorems allow each user one of its own, which may depend on the messages before: that is not checked here.)
stronger_clones.clones_divergence says what the pair's divergence is.

Both pairs are variation-ratio pairs (``privacy/amplification/variation_ratio.py``) with beta = (p - 1) / (p + 1), p =
e^eps0, and their divergence is a finite sum, computed exactly. The closed forms are for (eps, delta)-DP.

The closed forms are printed for eps0 <= ln(n / (16 ln(2/delta))) and eps0 <= ln(n / (8 ln(2/delta)) - 1); the authors'
program has ln(4/delta) there, as its tracker says (apple/ml-shuffling-amplification, issue 1). The functions here take
the smaller domain, that of the program. Between the two domains no failure is known: on the grid of
tests/unit/privacy/amplification/test_clones_domain.py the divergence of the exact pair at the closed form's eps is
below delta/100 on either side of the line.

Source: FeldmanMcMillanTalwar2021, Theorem 3.1; FeldmanMcMillanTalwar2023, Theorem 3.2 (both as printed in secondary
sources).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from exactdp.evidence.theorems import relies_on
from exactdp.numbers.balls import compare_reals, enclose_with_root
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_relative_bits
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.variation_ratio import VariationRatio, at_level, closed_form, read_exp_eps0
from exactdp.privacy.hypotheses import NamedTheorem, shown

_CLONES: Final = NamedTheorem("The clones bound")
_STRONGER: Final = NamedTheorem("The stronger clones bound")


@relies_on("clones.clones_2021", "clones.clones_2021_dp", "stronger_clones.clones_divergence")
def clones_delta(
    n: int,
    *,
    exp_eps0: Exact,
    eps: Exact | LogRational | None = None,
    exp_eps: Exact | None = None,
    relative_bits: int | None = None,
) -> Fraction | Interval:
    """Return the divergence of the clones pair with c = e^-eps0: a delta for n users of one eps0-DP randomizer.

    Args:
        n: number of users, at least 1.
        exp_eps0: e^eps0 of the randomizer alone, exact, above 1; it is not adaptive (module docstring).
        eps: at least 0, a rational number or a LogRational.
        exp_eps: e^eps instead of ``eps``, exact, at least 1.
        relative_bits: relative accuracy of an enclosure, which is made at any n; None for an exact number where e^eps
            is rational, and else for 53.

    Returns:
        A Fraction where e^eps is rational and no accuracy is asked for, else an Interval.

    Raises:
        HypothesisError: names the hypothesis that fails.
        TooLargeError: for an exact number, where n times the bits of e^eps0 exceeds a limit; for an enclosure of so
            many bits that it would take minutes.

    Cost: about n products of integers of n times the bits of e^eps0, 20 ms at n = 1000; an enclosure of 20 bits some
    milliseconds at any n, at most 0.3 s.

    >>> clones_delta(2, exp_eps0=3, exp_eps=2)
    Fraction(5, 24)

    Source: FeldmanMcMillanTalwar2021, Theorem 3.1 and Appendix E.
    """
    users, ratio = _CLONES.read_users(n), read_exp_eps0(_CLONES, exp_eps0)
    return at_level(users, _copies_of_rows(ratio), eps, exp_eps, relative_bits)


@relies_on("stronger_clones.stronger_clones", "stronger_clones.stronger_clones_dp", "stronger_clones.clones_divergence")
def stronger_clones_delta(
    n: int,
    *,
    exp_eps0: Exact,
    eps: Exact | LogRational | None = None,
    exp_eps: Exact | None = None,
    relative_bits: int | None = None,
) -> Fraction | Interval:
    """Return the divergence of the clones pair with c = 2 / (e^eps0 + 1): the stronger bound.

    For binary randomized response of two users it is the exact delta. Arguments, errors and cost are those of
    :func:`clones_delta`.

    >>> stronger_clones_delta(2, exp_eps0=3, exp_eps=2)
    Fraction(3, 16)

    Source: FeldmanMcMillanTalwar2023, Theorem 3.2 (as printed in secondary sources).
    """
    users, ratio = _STRONGER.read_users(n), read_exp_eps0(_STRONGER, exp_eps0)
    return at_level(users, _copies_of_messages(ratio), eps, exp_eps, relative_bits)


def _copies_of_rows(ratio: Fraction) -> VariationRatio:
    """c = e^-eps0, so that r = c / 2."""
    return VariationRatio(ratio, (ratio - 1) / (ratio + 1), 2 * ratio**2 / (ratio + 1))


def _copies_of_messages(ratio: Fraction) -> VariationRatio:
    """c = 2 / (e^eps0 + 1), so that r = c / 2."""
    return VariationRatio(ratio, (ratio - 1) / (ratio + 1), ratio)


def clones_exp_eps(n: int, *, exp_eps0: Exact, delta: Exact, relative_bits: int = DEFAULT_RELATIVE_BITS) -> Interval:
    """Enclose e^eps of the closed form, for (eps, delta)-DP of n users with eps0 <= ln(n / (16 ln(4/delta))).

        e^eps = 1 + ((e^eps0 - 1) / (e^eps0 + 1)) (8 sqrt(e^eps0 ln(4/delta) / n) + 8 e^eps0 / n).

    Args:
        n: number of users, at least 16 e^eps0 ln(4/delta); as printed it is ln(2/delta) (see the top of the module).
        exp_eps0: e^eps0 of the randomizer alone, exact, above 1.
        delta: in (0, 1], exact.
        relative_bits: relative accuracy.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> clones_exp_eps(10**6, exp_eps0=3, delta="1e-6")
    Interval[1.027024712, 1.027024713]

    Source: FeldmanMcMillanTalwar2021, Theorem 3.1.
    """
    users, ratio = _CLONES.read_users(n), read_exp_eps0(_CLONES, exp_eps0)
    target = _CLONES.read_target(eps=1, delta=delta)
    _require_users(_CLONES, "n >= 16 e^eps0 ln(4/delta)", users, 16 * ratio * Real.log(4 / target.delta))
    factor = 8 * (ratio - 1) / (ratio + 1)
    return enclose_with_root(
        Real(1 + factor * ratio / users),
        Real(factor),
        Real.log(4 / target.delta) * (ratio / users),
        relative_bits=as_relative_bits(relative_bits),
    )


def stronger_clones_exp_eps(
    n: int, *, exp_eps0: Exact, delta: Exact, relative_bits: int = DEFAULT_RELATIVE_BITS
) -> Interval:
    """Enclose e^eps of the stronger closed form, for eps0 <= ln(n / (8 ln(4/delta)) - 1).

        e^eps = 1 + (e^eps0 - 1) (4 sqrt(2 ln(4/delta) / ((e^eps0 + 1) n)) + 4 / n).

    Arguments and errors are those of :func:`clones_exp_eps`, with n of at least
    8 (e^eps0 + 1) ln(4/delta); as printed it is ln(2/delta).

    >>> stronger_clones_exp_eps(10**6, exp_eps0=3, delta="1e-6")
    Interval[..., ...]

    Source: FeldmanMcMillanTalwar2023, Theorem 3.2 (as printed in secondary sources).
    """
    users, ratio = _STRONGER.read_users(n), read_exp_eps0(_STRONGER, exp_eps0)
    target = _STRONGER.read_target(eps=1, delta=delta)
    _require_users(_STRONGER, "n >= 8 (e^eps0 + 1) ln(4/delta)", users, 8 * (ratio + 1) * Real.log(4 / target.delta))
    return enclose_with_root(
        Real(1 + 4 * (ratio - 1) / users),
        Real(4 * (ratio - 1)),
        Real.log(4 / target.delta) * (2 / ((ratio + 1) * users)),
        relative_bits=as_relative_bits(relative_bits),
    )


def stronger_clones_refined_exp_eps(
    n: int, *, exp_eps0: Exact, delta: Exact, relative_bits: int = DEFAULT_RELATIVE_BITS
) -> Interval:
    """Enclose e^eps of the closed form with the constant 16 under the root, for n > 8 (e^eps0 + 1) ln(4/delta).

    With r = 1 / (e^eps0 + 1),

        e^eps = 1 + ((e^eps0 - 1) / (e^eps0 + 1)) (sqrt(16 ln(4/delta) / (r (n-1))) + 2 / (r (n-1))).

    Arguments and errors are those of :func:`clones_exp_eps`.

    >>> stronger_clones_refined_exp_eps(10**6, exp_eps0=3, delta="1e-6")
    Interval[..., ...]

    Source: WangPengLiWenLiYuWangYang2024, section 5 (as printed in secondary sources: the authors' program).
    """
    ratio = read_exp_eps0(_STRONGER, exp_eps0)
    bits = as_relative_bits(relative_bits)
    return closed_form(_STRONGER, n, _copies_of_messages(ratio), delta=delta, relative_bits=bits)


def _require_users(theorem: NamedTheorem, needs: str, users: int, least: Real) -> None:
    theorem.require(
        compare_reals(Fraction(users), least) >= 0,
        needs,
        f"n={short(users)} and the right side is {shown(least)}",
        "Use more users, or a larger delta.",
    )
