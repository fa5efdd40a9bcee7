"""Claims about noise on an integer query: its privacy, and the smoothness of its law."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Final, TypeAlias

from exactdp.claims.claim_subjects import Pairs, ShiftedNoise, noise_of
from exactdp.claims.encoding import JsonObject, NoiseLaw, as_noise_law, drawn_from, merged, write_integer
from exactdp.claims.exact_levels import compared, decide_exactly, is_listed, precisions, taylor_bounds
from exactdp.claims.open_claims import DeltaLike, OpenLaw, has_functions, open_law, open_level
from exactdp.claims.statement import Decision, Least, Level, Statement, Value, Verdict, level_of, shown, undecided
from exactdp.errors import UndecidedError
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.numbers.balls import compare_reals
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_integer
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.smoothness import smoothness_delta
from exactdp.protocols.protocol import shift_profile
from exactdp.symbolic.functions_of_parameters import FunctionLike

_TERMS: Final = (16, 32, 64, 128, 256, 512)
"""Terms of the series of e^eps that are tried for an exact comparison."""

Shifted: TypeAlias = Annotated[ShiftedNoise, merged(ShiftedNoise)]


@dataclass(frozen=True, slots=True)
class ShiftDP(Statement, kind="shift_dp"):
    """An integer query plus noise is (eps, delta)-DP."""

    mechanism: Shifted
    level: Level
    delta: Fraction
    least: Least

    @classmethod
    def of(
        cls,
        law: OpenLaw,
        *,
        shift: int = 1,
        eps: Exact | LogRational | None = None,
        exp_eps: FunctionLike | None = None,
        delta: DeltaLike,
        least: str | None = None,
    ) -> Statement:
        """An integer query of sensitivity ``shift`` plus noise of this law is (eps, delta)-DP.

        So for the noise Y and every integer 1 <= j <= shift, Y and Y + j have divergence at most delta in both orders.
        ``least`` as in :meth:`shuffle_dp`.
        """
        if has_functions(law, exp_eps, delta):
            noise = ShiftedNoise(open_law(law), as_integer(shift, name="shift", at_least=1))
            return cls(noise, *open_level(eps, exp_eps, delta, least), least)
        level, bound = level_of(eps, exp_eps, delta, least)
        return cls(noise_of(law, shift), level, bound, least)

    def decide(self, executor: Executor | None = None) -> Decision:
        """Decide exactly what the checker lists, else by enclosures, else exactly if delta may be met."""
        law = drawn_from(self.mechanism.law)
        decision = undecided("A least value is decided exactly, and this law is beyond it.")
        if law.lattice is not None and self.least is None and not is_listed(law, by_steps=True):
            decision = _decide_enclosed(self, law.lattice)
        if law.is_exact and decision.verdict is Verdict.UNDECIDED:
            return decide_exactly(Pairs(self.mechanism), self.level, self.delta, self.least)
        return decision


def _decide_enclosed(claim: ShiftDP, law: LatticeLaw) -> Decision:
    """Decide by enclosures; UNDECIDED if delta may be met exactly."""
    shift, delta = claim.mechanism.shift, claim.delta
    if law.pure_exp_eps is not None and _is_pure(law.pure_exp_eps, claim):
        return claim.first_verified(Verdict.PROVED, "Every likelihood ratio is at most e^eps.", [{"pure": "yes"}])
    profile = shift_profile(law, shift=shift)
    try:
        sign, value = compared(lambda bits: profile.delta(**claim.level.keywords, relative_bits=bits), delta)
    except UndecidedError as error:
        return undecided(str(error))
    if sign is None or (sign == 0 and isinstance(value, Interval)):
        return undecided(f"The divergence {value} and delta = {short(delta)} are too close.")
    words = f"The worst delta is {shown(value)}."
    if sign <= 0:
        return claim.first_verified(Verdict.PROVED, words, ({"bits": bits} for bits in precisions(value, delta)))
    orders = (
        {"shift": write_integer(shift), "order": order, "bits": bits}
        for bits in precisions(value, delta)
        for order in ("forward", "backward")
    )
    return claim.first_verified(Verdict.REFUTED, words, orders)


def _is_pure(ratio: Real, claim: ShiftDP) -> bool:
    """Whether ratio^shift is at most the e^eps of the claim, if the order of the two can be decided."""
    return ratio.is_monomial and compare_reals(ratio**claim.mechanism.shift, claim.level.real) <= 0


@dataclass(frozen=True, slots=True)
class Smooth(Statement, kind="smooth"):
    """A law is (eps, delta, k)-smooth."""

    law: NoiseLaw
    k: int
    level: Level
    delta: Fraction

    @classmethod
    def of(
        cls,
        law: OpenLaw,
        *,
        k: int,
        eps: Exact | LogRational | None = None,
        exp_eps: FunctionLike | None = None,
        delta: FunctionLike,
    ) -> Statement:
        """The law w is (eps, delta, k)-smooth: P[w(Y) / w(Y + k') >= e^(abs(k') eps)] <= delta for 1 <= abs(k') <= k.

        A zero denominator counts as infinity.
        """
        reach = as_integer(k, name="k", at_least=1)
        if has_functions(law, exp_eps, delta):
            return cls(open_law(law), reach, *open_level(eps, exp_eps, delta))
        level, bound = level_of(eps, exp_eps, delta, None)
        return cls(as_noise_law(law), reach, level, bound)

    def decide(self, executor: Executor | None = None) -> Decision:
        """Decide whether a law is (eps, delta, k)-smooth."""
        law = drawn_from(self.law)
        listed, exp_eps = is_listed(law, by_steps=True), self.level.exp_eps

        def mass(bits: int) -> Value:
            if listed and exp_eps is not None:
                return smoothness_delta(law, k=self.k, exp_eps=exp_eps)
            return smoothness_delta(law, k=self.k, **self.level.keywords, relative_bits=bits)

        try:
            sign, value = compared(mass, self.delta)
        except UndecidedError as error:
            return undecided(str(error))
        if sign is None and listed and (exact := _exact_mass(self, law)) is not None:
            sign, value = (exact > self.delta) - (exact < self.delta), exact
        if sign is None:
            return undecided(f"The largest mass {value} and delta = {short(self.delta)} are too close.")

        def witnesses() -> Iterator[JsonObject]:
            if listed:
                yield from [{}] if exp_eps is not None else ({"terms": str(terms)} for terms in _TERMS)
            if law.lattice is not None:
                yield from ({"bits": bits} for bits in precisions(value, self.delta))

        words = f"The largest mass of the event is {shown(value)}."
        if sign <= 0:
            return self.first_verified(Verdict.PROVED, words, witnesses())
        shifted = (
            {"by": str(by), **witness} for witness in witnesses() for j in _shifts(law, self.k) for by in (j, -j)
        )
        return self.first_verified(Verdict.REFUTED, words, shifted)


def _exact_mass(claim: Smooth, law: Law | LatticeLaw) -> Fraction | None:
    """Return the largest mass for an irrational e^eps, where the two ends of its series have the same."""
    assert claim.level.eps is not None
    terms = _TERMS[1] + 2 * int(claim.level.eps)
    least, most = (smoothness_delta(law, k=claim.k, exp_eps=end) for end in taylor_bounds(claim.level.eps, terms))
    return least if isinstance(least, Fraction) and least == most else None


def _shifts(law: Law | LatticeLaw, k: int) -> list[int]:
    """Return the shifts among which the worst one is."""
    if law.lattice is None:
        return list(range(1, k + 1))
    return [k] if law.lattice.is_log_concave else sorted({1, k})
