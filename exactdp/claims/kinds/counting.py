"""Claims about two counts of correlated noise."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Final, TypeAlias

from exactdp.checker.limits import MAX_SUMMANDS
from exactdp.claims.encoding import Codec, read_noise, write_noise
from exactdp.claims.exact_levels import compared, precisions
from exactdp.claims.statement import Decision, Level, Statement, Verdict, level_of, shown, undecided
from exactdp.errors import InvalidValueError, TooLargeError, UndecidedError
from exactdp.laws.negative_binomial import NegativeBinomial
from exactdp.numbers.balls import compare_reals
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real, as_real, read_parameter

_BITS: Final = ("64", "128", "256", "512", "1024", "2048", "4096")
"""Precisions at which the checker is asked where no engine knows how near delta is."""

Summand: TypeAlias = Annotated[NegativeBinomial, Codec(write_noise, read_noise)]
"""A part of the noise of correlated counts."""


@dataclass(frozen=True, slots=True)
class CountingDP(Statement, kind="counting_dp"):
    """Private counting with messages +1 and -1, whose noise is correlated, is (eps, delta)-DP for any number of users.

    To the sum of the bits come G1 + W messages +1, and there are G2 + W messages -1: G1 and G2 are geometric with the
    ratio ``p1``, and W is the sum of the laws of ``noise``.
    """

    p1: Real
    noise: tuple[Summand, ...]
    level: Level
    delta: Fraction

    @classmethod
    def of(
        cls,
        *,
        p1: Exact | Real,
        noise: Sequence[NegativeBinomial],
        eps: Exact | LogRational | None = None,
        exp_eps: Exact | None = None,
        delta: Exact,
    ) -> CountingDP:
        """Counting with messages +1 and -1 of correlated noise is (eps, delta)-DP, however many users share the noise.

        There are sum + G1 + W messages +1 and G2 + W messages -1, all noise being independent; a bit is replaced.

        Args:
            p1: the ratio of the geometric G1 and G2, between 0 and 1.
            noise: the negative binomial laws whose sum is W, 1 to 8.
            eps, exp_eps, delta: as in :meth:`shuffle_dp`.

        >>> from exactdp import Claim
        >>> from exactdp.laws import NegativeBinomial
        >>> Claim.counting_dp(p1="1/2", noise=[NegativeBinomial(20, "9/10")], exp_eps=2, delta="1/100").kind
        'counting_dp'
        """
        level, bound = level_of(eps, exp_eps, delta, None)
        ratio, laws = read_parameter(p1, name="p1"), tuple(noise)
        if compare_reals(ratio, Fraction(0)) <= 0 or compare_reals(ratio, Fraction(1)) >= 0:
            raise InvalidValueError(f"p1={ratio} is not between 0 and 1. Pass the ratio of a geometric noise.")
        if not 1 <= len(laws) <= MAX_SUMMANDS or any(type(law) is not NegativeBinomial for law in laws):
            raise InvalidValueError(
                f"noise={short(repr(laws))} is no list of 1 to {MAX_SUMMANDS} negative binomial laws. "
                "Pass [NegativeBinomial(r, p)]."
            )
        return cls(as_real(ratio, name="p1"), laws, level, bound)

    def decide(self, executor: Executor | None = None) -> Decision:
        """Decide by the engine of one negative binomial law; of several laws, by what the checker can show."""
        from exactdp.protocols.counting.correlated_view import CorrelatedView

        law = self.noise[0]
        if len(self.noise) > 1:
            return _by_the_checker(self)
        p1, p, r = (as_real(value, name=name) for name, value in (("p1", self.p1), ("p", law.p), ("r", law.r)))
        if compare_reals(p, Fraction(0)) == 0 or compare_reals(r, Fraction(1)) < 0:
            return _by_the_checker(self)
        view = CorrelatedView(p1, p, r)
        try:
            sign, value = compared(lambda bits: view.enclose_delta(self.level.real, bits).delta, self.delta)
        except (UndecidedError, TooLargeError) as error:
            return undecided(str(error))
        if sign is None or (sign == 0 and isinstance(value, Interval)):
            return undecided(f"The divergence {value} and delta = {short(self.delta)} are too close.")
        verdict = Verdict.PROVED if sign <= 0 else Verdict.REFUTED
        witnesses = ({"bits": bits} for bits in precisions(value, self.delta))
        return self.first_verified(verdict, f"The worst delta is {shown(value)}.", witnesses)


def _by_the_checker(claim: CountingDP) -> Decision:
    for bits in _BITS:
        for verdict, side in ((Verdict.PROVED, "at most"), (Verdict.REFUTED, "above")):
            if claim.is_verified(verdict, {"bits": bits}):
                words = f"{bits} bits show that the worst delta is {side} {short(claim.delta)}."
                return Decision(verdict, {"bits": bits}, words)
    return undecided(f"{_BITS[-1]} bits do not tell the divergence from delta = {short(claim.delta)}, or are too many.")
