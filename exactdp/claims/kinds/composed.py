"""Claims about many runs together, and the lattices on which the checker sees that they hold.

The engine brackets the composed delta (:mod:`exactdp.privacy.composition`). The checker composes privacy curves at the
powers of a rational ratio: finer and finer ratios are tried, and its own sums tell, before any curve is checked,
whether one will do.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, NamedTuple

from exactdp.claims.claim_subjects import MECHANISM, Mechanism, Pairs, ShuffledView, noise_of, users_of
from exactdp.claims.encoding import Encoded, Noise
from exactdp.claims.randomizer_specs import randomizer_of, table_of
from exactdp.claims.statement import Decision, Level, Statement, Verdict, level_of, shown, undecided
from exactdp.errors import InvalidValueError
from exactdp.mechanisms.dataset import Neighbors, read_neighbors
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_integer
from exactdp.numbers.formats import short
from exactdp.protocols.interface import Protocol
from exactdp.protocols.protocol import ShuffleProtocol


class Run(NamedTuple):
    """What is run again and again: a shuffle protocol, or noise on an integer query of sensitivity ``shift``."""

    mechanism: ShuffleProtocol | Noise
    times: int = 1
    shift: int = 1


@dataclass(frozen=True, slots=True)
class Repeated(Encoded):
    """A mechanism that is run ``times`` times."""

    mechanism: Annotated[Mechanism, MECHANISM]
    times: int


@dataclass(frozen=True, slots=True)
class Composed(Statement, kind="composed"):
    """All runs together are (eps, delta)-DP, adaptively."""

    runs: tuple[Repeated, ...]
    level: Level
    delta: Fraction

    @classmethod
    def of(
        cls,
        *runs: Run | tuple[ShuffleProtocol | Noise, int],
        eps: Exact | LogRational | None = None,
        exp_eps: Exact | None = None,
        delta: Exact,
        neighbors: Neighbors = Neighbors.REPLACE_ONE,
    ) -> Composed:
        """All these runs together are (eps, delta)-DP, and each one's data sets may depend on the answers before it.

        Args:
            runs: (protocol, times), or (noise, times) for an integer query of sensitivity 1 plus this noise; a
                ``Run(noise, times, shift)`` has another sensitivity.
            eps, exp_eps: as in :meth:`shuffle_dp`.
            delta: in [0, 1].
            neighbors: the neighbouring relation of shuffle protocols.

        >>> from exactdp import Claim
        >>> from exactdp.laws import Binomial
        >>> Claim.composed((Binomial(1000, "1/2"), 10), eps=1, delta="1.8e-8")
        Claim(composed, 4b380ba8f28e)
        """
        if not runs:
            raise InvalidValueError("no runs given. Pass at least one (protocol or noise, times).")
        level, bound = level_of(eps, exp_eps, delta, None)
        return cls(tuple(run_of(run, neighbors) for run in runs), level, bound)

    def decide(self, executor: Executor | None = None) -> Decision:
        """Decide whether all runs together are (eps, delta)-DP, adaptively."""
        from exactdp.claims.composed_witnesses import RunWitnesses, Search, compared_with
        from exactdp.privacy.composition.composed import ComposedProfile

        runs, delta = [RunWitnesses(Pairs(run.mechanism), run.times) for run in self.runs], self.delta
        composed = ComposedProfile(tuple((run.pairs.source, run.times) for run in runs))
        sign, value = compared_with(composed.checkable, self.level, delta)
        if sign is None and composed.checkable != composed:
            sign, value = compared_with(composed, self.level, delta)
            if sign is not None and sign <= 0:
                reason = f"The composed delta is {shown(value)}, by a bound of single runs that no certificate states."
                return Decision(Verdict.PROVED, None, reason)
        if sign is None:
            why = "are too close" if composed.is_tight else "are not told apart by the bounds of this notion"
            return undecided(f"The composed delta {value} and delta = {short(delta)} {why}.")
        gap = abs(delta - (value if isinstance(value, Fraction) else value.hi if sign <= 0 else value.lo))
        reason = f"The composed delta is {shown(value)}."
        if gap == 0 and delta > 0:
            return Decision(Verdict.PROVED, None, f"{reason} The checker's sums are rounded, and this is a tie.")
        search = Search(self.level, delta, runs, gap)
        if sign > 0:
            return self.first_verified(Verdict.REFUTED, reason, search.refutations())
        return self.first_verified(Verdict.PROVED, reason, search.proofs())

    def refuted_by_turns(self, gap: Fraction, reason: str) -> Decision:
        """Refute the claim by the worst pair of every other mechanism in one order and of the rest in the other one.

        Args:
            gap: about how far the composed delta of these pairs is above the claimed one, above 0.
            reason: what is said of it.
        """
        from exactdp.claims.composed_witnesses import RunWitnesses, Search

        search = Search(
            self.level, self.delta, [RunWitnesses(Pairs(run.mechanism), run.times) for run in self.runs], gap
        )
        turns = [place % 2 == 1 for place in range(len(self.runs))]
        return self.first_verified(Verdict.REFUTED, reason, search.refutations([turns]))


def run_of(run: Run | tuple[ShuffleProtocol | Noise, int], neighbors: Neighbors) -> Repeated:
    """Return a run as it is given."""
    if not isinstance(run, tuple) or not 2 <= len(run) <= 3:
        raise InvalidValueError("a run is no pair. Pass (protocol or noise, times), or a Run with its shift.")
    mechanism, times, shift = Run(*run)
    often = as_integer(times, name="times", at_least=1)
    if not isinstance(mechanism, Protocol):
        return Repeated(noise_of(mechanism, shift), often)
    randomizer = (randomizer_of if neighbors is Neighbors.REPLACE_ONE else table_of)(mechanism)
    return Repeated(ShuffledView(randomizer, users_of(mechanism), read_neighbors(neighbors)), often)
