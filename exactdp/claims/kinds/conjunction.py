"""Claims that are made of claims, all of them or not one: decided by their parts."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Annotated, Final

from exactdp.claims.encoding import Codec, JsonObject, write_integer
from exactdp.claims.statement import Decision, Part, Statement, Verdict, proved
from exactdp.progress import with_progress

_ASSUMING: Final[Codec[tuple[str, ...]]] = Codec(
    lambda names: {"assuming": list(names)} if names else {},
    lambda data: tuple(data.get("assuming", ())),
    is_merged=True,
)


@dataclass(frozen=True, slots=True)
class Conjunction(Statement, kind="conjunction"):
    """All of these claims; ``assuming`` names the facts that lead from them to a theorem."""

    claims: tuple[Part, ...]
    assuming: Annotated[tuple[str, ...], _ASSUMING]

    def decide(self, executor: Executor | None = None) -> Decision:
        """Decide whether all hold; one that fails decides, else one that stays open, else one uncertified."""
        parts = (map if executor is None else executor.map)(_decide, self.claims)
        decisions = list(with_progress(parts, len(self.claims)))
        witnesses = [decision.witness for decision in decisions if decision.witness is not None]
        for verdict in (Verdict.REFUTED, Verdict.UNDECIDED, Verdict.PROVED):
            for i, decision in enumerate(decisions):
                if decision.verdict is verdict and (verdict is not Verdict.PROVED or decision.witness is None):
                    witness = decision.witness if verdict is Verdict.REFUTED else None
                    part: JsonObject | None = (
                        None if witness is None else {"part": write_integer(i), "witness": witness}
                    )
                    return Decision(verdict, part, f"Part {i}: {decision.reason}")
        return proved(f"All {len(decisions)} parts are proved.", parts=witnesses)


def _decide(statement: Statement) -> Decision:
    return statement.decide()


@dataclass(frozen=True, slots=True)
class Negation(Statement, kind="not"):
    """A claim is false."""

    claim: Part

    def decide(self, executor: Executor | None = None) -> Decision:
        """Decide whether it is false: what proves the one refutes the other."""
        inner = self.claim.decide(executor)
        turned = {Verdict.PROVED: Verdict.REFUTED, Verdict.REFUTED: Verdict.PROVED}.get(inner.verdict, inner.verdict)
        return Decision(turned, inner.witness, inner.reason)
