"""What a question is about: users of a randomizer here, a query hidden by noise in :mod:`exactdp.cli.noise`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from exactdp.cli import arguments
from exactdp.cli.arguments import Asked
from exactdp.cli.output import HONEST_USERS, cell, count, printable
from exactdp.cli.progress import work_of
from exactdp.cli.targets import Target

if TYPE_CHECKING:
    from exactdp.certificates.claim import Claim
    from exactdp.engines.worst import DataSet
    from exactdp.models.neighbors import Neighbors
    from exactdp.profile import PrivacyProfile
    from exactdp.protocol import AdditiveProtocol, ShuffleProtocol

__all__ = ["UNCHECKED", "Advice", "Subject", "Users", "Worst"]

UNCHECKED: Final = "not re-checked (`exactdp certify` asks the checker)"
"""What is said of an answer that the checker was not asked about."""


class Advice(NamedTuple):
    """The words of a kind of question: its worst pair or order in JSON and in text, and what was not asked."""

    key: str
    label: str
    none: str
    unchecked: str


@dataclass(frozen=True, slots=True)
class Worst:
    """Two neighbouring data sets, or the noise and the noise shifted, in the worse order.

    ``texts`` are the two for reading, and ``exp_eps`` says at which e^eps they were found worst.
    """

    first: dict[str, int | str] | str
    second: dict[str, int | str] | str
    texts: tuple[str, str]
    exp_eps: str

    @property
    def data(self) -> dict[str, Any]:
        """The two as JSON data."""
        return {"first": self.first, "second": self.second, "exp_eps": self.exp_eps}


class Subject(Protocol):
    """What a question is about."""

    @property
    def profile(self) -> PrivacyProfile:
        """The profile that answers."""
        ...

    @property
    def data(self) -> dict[str, Any]:
        """The fields that every answer's JSON begins with."""
        ...

    @property
    def cells(self) -> dict[str, str]:
        """The cells that every answer's row of CSV begins with."""
        ...

    @property
    def line(self) -> tuple[str, str]:
        """What is asked about, for reading."""
        ...

    @property
    def note(self) -> str:
        """What every answer says of its meaning."""
        ...

    @property
    def advice(self) -> Advice:
        """How the worst pair or order and the evidence are named."""
        ...

    @property
    def work(self) -> str:
        """What is computed, for reading."""
        ...

    def worst(self, first: DataSet, second: DataSet, exp_eps: str) -> Worst:
        """Return the worst pair or order, found by the engine at ``exp_eps``."""
        ...

    def claim(self, *, exp_eps: Fraction | None, delta: Fraction, least: str, budget: int) -> Claim | None:
        """Return the claim that an exact answer makes; None where the checker cannot, or would take too long."""
        ...


@dataclass(frozen=True, slots=True)
class Users:
    """n users of a randomizer, and which of their data sets are neighbours."""

    target: Target
    protocol: ShuffleProtocol | AdditiveProtocol
    n: int
    neighbors: Neighbors
    profile: PrivacyProfile

    @classmethod
    def read(cls, asked: Asked, target: Target) -> Users:
        """Return the users; TooLargeError where the engine's work is beyond the limit."""
        arguments.refuse(target, {"--shift": asked.shift})
        n = arguments.read_users(asked.users, target)
        protocol = target.build(n)
        relation = arguments.read_neighbors(asked.neighbors)
        profile = protocol.privacy_profile(neighbors=relation, limit=arguments.read_limit(asked.limit))
        return cls(target, protocol, n, relation, profile)

    @property
    def data(self) -> dict[str, Any]:
        """The fields that every answer's JSON begins with."""
        return {
            "randomizer": self.target.name,
            "n": count(self.n),
            "n_counts": "users who follow the protocol",
            "neighbors": self.neighbors.value,
        }

    @property
    def cells(self) -> dict[str, str]:
        """The cells that every answer's row of CSV begins with."""
        return {name: cell(value) for name, value in self.data.items() if name != "n_counts"}

    @property
    def line(self) -> tuple[str, str]:
        """What is asked about, for reading."""
        asked = f"{printable(self.target.name)}, n = {self.n}, neighbours: {self.neighbors.value}"
        return "protocol", asked

    @property
    def note(self) -> str:
        """What every answer says of its meaning."""
        return HONEST_USERS

    @property
    def advice(self) -> Advice:
        """How the worst pair and the evidence are named."""
        return Advice("worst_pair", "worst pair", "none: no pair is worse than another", UNCHECKED)

    @property
    def work(self) -> str:
        """What the engine visits."""
        return str(work_of(self.profile))

    def worst(self, first: DataSet, second: DataSet, exp_eps: str) -> Worst:
        """Return the pair with its labels."""
        from exactdp.models.dataset import labelled, write_dataset

        pair = tuple(labelled(side, self.profile.source.inputs) for side in (first, second))
        one, other = ({str(label): count(users) for label, users in side.items()} for side in pair)
        return Worst(one, other, (write_dataset(pair[0]), write_dataset(pair[1])), exp_eps)

    def claim(self, *, exp_eps: Fraction | None, delta: Fraction, least: str, budget: int) -> Claim | None:
        """Return the claim that an exact answer makes; None where the checker would take too long."""
        from exactdp.certificates.claim import Claim
        from exactdp.cli.checker_work import view_work
        from exactdp.engines.planner import worst_event
        from exactdp.protocol import AdditiveProtocol

        if isinstance(self.protocol, AdditiveProtocol):
            return None
        if view_work(self.protocol.randomizer, self.n, self.neighbors, most=budget) is None:
            return None
        if exp_eps is None:
            limit = worst_event(self.profile.source, None).mass_first
            return Claim.never_dp(self.protocol, delta_below=limit, neighbors=self.neighbors)
        protocol, neighbors = self.protocol, self.neighbors
        return Claim.shuffle_dp(protocol, exp_eps=exp_eps, delta=delta, neighbors=neighbors, least=least)
