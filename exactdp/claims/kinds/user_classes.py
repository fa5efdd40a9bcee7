"""Claims about the privacy of classes of users, of which each runs a randomizer of its own beside the others."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Annotated, Any

from exactdp.claims.randomizer_specs import UserClass, classes_of
from exactdp.claims.statement import Decision, Least, Level, Statement, Verdict
from exactdp.claims.two_ends import decide_by_ends, with_method
from exactdp.mechanisms.dataset import Neighbors
from exactdp.numbers.epsilon import PrivacyLevel
from exactdp.privacy.amplification.class_bounds import SHARES
from exactdp.privacy.engine import Engine
from exactdp.privacy.planner import engine_of
from exactdp.privacy.profile import PrivacyProfile
from exactdp.privacy.user_classes import UserClasses
from exactdp.protocols.interface import Protocol
from exactdp.protocols.protocol import read_user_class
from exactdp.protocols.user_classes_protocol import UserClassesProtocol


@dataclass(frozen=True, slots=True)
class ClassesDP(Statement, form_of="shuffle_dp"):
    """Shuffled classes of users are (eps, delta)-DP, whoever of one class, or of any, differs."""

    classes: tuple[UserClass, ...]
    user_class: Annotated[int | None, "any"]
    neighbors: Neighbors
    level: Level
    delta: Fraction
    least: Least

    @classmethod
    def of(cls, parts: Sequence[Any], level: PrivacyLevel, delta: Fraction, user_class: int | None) -> ClassesDP:
        """Return the claim about classes of users, each given by its own protocol."""
        return cls(classes_of(parts), user_class, Neighbors.REPLACE_ONE, level, delta, None)

    def decide(self, executor: Executor | None = None) -> Decision:
        """Decide by two proved ends of delta, of which a swap shows the upper one."""
        classes = tuple((one.randomizer.randomizer(), one.n) for one in self.classes)
        profile = PrivacyProfile(UserClasses(classes, self.user_class))
        return decide_by_ends(
            profile, self.level, self.delta, None, partial(self._witnessed, engine_of(profile.source))
        )

    def _witnessed(self, engine: Engine, verdict: Verdict, reason: str) -> Decision:
        """Return the verdict with a swap or an event that the checker verifies, or none."""
        from exactdp.claims.class_witnesses import ClassWitnesses

        found = ClassWitnesses(self.encode(), self.classes, self.level, self.delta)
        is_proved = verdict is Verdict.PROVED
        listed = found.proofs() if is_proved else found.refutations(engine)
        decision = with_method(self.first_verified(verdict, reason, listed), reason)
        if decision.witness is not None:
            return decision
        said = f"The bound that certificates of classes of users state, {SHARES}, is larger."
        return Decision(verdict, None, f"{reason} {said}" if is_proved else decision.reason)


def users_in_classes(protocol: Protocol, user_class: int | None) -> tuple[Sequence[Protocol], int | None]:
    """Return a protocol for each class of users, and the class of the user who differs, None for any.

    Users who run the same are one class: so a protocol of one randomizer is its own only class.
    """
    if not isinstance(protocol, UserClassesProtocol):
        read_user_class(user_class, 1)
        return [protocol], None
    place, (parts, places) = read_user_class(user_class, len(protocol.classes)), protocol.merged()
    return parts, None if place is None else places[place]
