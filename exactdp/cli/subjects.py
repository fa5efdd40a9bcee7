"""What a question is about: n users of a randomizer, or a query of some sensitivity that a noise law hides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from exactdp.cli.noise_laws import Noise
from exactdp.cli.output import HONEST_USERS, cell, count, printable
from exactdp.cli.progress import work_of
from exactdp.cli.targets import Target, typed_target
from exactdp.cli.values import read_limit, read_neighbors, read_users, refuse
from exactdp.errors import TooLargeError
from exactdp.numbers.exact import as_integer, short

if TYPE_CHECKING:
    from exactdp.certificates.claim import Claim
    from exactdp.engines.engine import DataSet
    from exactdp.models.neighbors import Neighbors
    from exactdp.profile import PrivacyProfile
    from exactdp.protocol import AdditiveProtocol, ShuffleProtocol

__all__ = ["Asked", "NoisyQuery", "Subject", "Users", "Worst", "read_subject"]

_MAX_SHIFT: Final = 10**6
"""The largest sensitivity, as in the library."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question is about, as it was typed: None where an option is not given."""

    target: Target | Noise
    users: str | None
    neighbors: str | None
    limit: str | None
    shift: str | None

    @classmethod
    def read(cls, typed: Mapping[str, str | None]) -> Asked:
        """Return what the parameters of a command name."""
        return cls(typed_target(typed), *map(typed.get, ("users", "neighbors", "limit", "shift")))


class Words(NamedTuple):
    """How a kind of question names its worst pair or order, in JSON and in text, and that there is none."""

    key: str
    label: str
    none: str


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject(ABC):
    """What a question is about: the profile that answers, and how it is named."""

    profile: PrivacyProfile
    data: dict[str, Any]
    """The fields that every answer's JSON begins with."""
    cells: dict[str, str]
    """The cells that every answer's row of CSV begins with."""
    line: tuple[str, str]
    """What is asked about, for reading."""
    note: str
    """What every answer says of its meaning."""
    work: str
    """What is computed, for reading."""
    words: Words

    @abstractmethod
    def worst(self, first: DataSet, second: DataSet, exp_eps: str) -> Worst:
        """Return the worst pair or order, found by the engine at ``exp_eps``."""

    @abstractmethod
    def claim(self, *, exp_eps: Fraction | None, delta: Fraction, least: str, budget: int) -> Claim | None:
        """Return the claim that an exact answer makes; None where the checker cannot, or would take too long."""


def read_subject(asked: Asked) -> Subject:
    """Return the subject; TooLargeError where the engine's work is beyond the limit."""
    target = asked.target
    return NoisyQuery.read(asked, target) if isinstance(target, Noise) else Users.read(asked, target)


@dataclass(frozen=True, slots=True, kw_only=True)
class Users(Subject):
    """n users of a randomizer, and which of their data sets are neighbours."""

    protocol: ShuffleProtocol | AdditiveProtocol
    n: int
    neighbors: Neighbors

    @classmethod
    def read(cls, asked: Asked, target: Target) -> Users:
        """Return the users; TooLargeError where the engine's work is beyond the limit."""
        refuse(target, {"--shift": asked.shift})
        n = read_users(asked.users, target)
        protocol, neighbors = target.build(n), read_neighbors(asked.neighbors)
        profile = protocol.privacy_profile(neighbors=neighbors, limit=read_limit(asked.limit))
        data = {
            "randomizer": target.name,
            "n": count(n),
            "n_counts": "users who follow the protocol",
            "neighbors": neighbors.value,
        }
        return cls(
            profile=profile,
            data=data,
            cells={name: cell(value) for name, value in data.items() if name != "n_counts"},
            line=("protocol", f"{printable(target.name)}, n = {n}, neighbours: {neighbors.value}"),
            note=HONEST_USERS,
            work=str(work_of(profile)),
            words=Words("worst_pair", "worst pair", "none: no pair is worse than another"),
            protocol=protocol,
            n=n,
            neighbors=neighbors,
        )

    def worst(self, first: DataSet, second: DataSet, exp_eps: str) -> Worst:
        """Return the pair with its labels."""
        from exactdp.models.dataset import labelled, write_dataset

        pair = tuple(labelled(side, self.profile.source.inputs) for side in (first, second))
        one, other = ({str(label): count(users) for label, users in side.items()} for side in pair)
        return Worst(one, other, (write_dataset(pair[0]), write_dataset(pair[1])), exp_eps)

    def claim(self, *, exp_eps: Fraction | None, delta: Fraction, least: str, budget: int) -> Claim | None:
        """Return the claim that an exact answer makes; None where the checker would take too long."""
        from exactdp.certificates.claim import Claim
        from exactdp.certificates.cost import view_work
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


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyQuery(Subject):
    """A query of sensitivity ``shift`` that noise hides."""

    noise: Noise
    shift: int

    @classmethod
    def read(cls, asked: Asked, noise: Noise) -> NoisyQuery:
        """Return the query."""
        from exactdp.protocol import shift_profile

        refuse(noise, {"-n": asked.users, "--neighbors": asked.neighbors, "--limit": asked.limit})
        shift = as_integer("1" if asked.shift is None else asked.shift, name="shift", at_least=1)
        if shift > _MAX_SHIFT:
            raise TooLargeError(f"shift={short(shift)} is more than the limit of {_MAX_SHIFT}. Use a smaller shift.")
        profile, further = shift_profile(noise.law, shift=shift), {"shift": str(shift), "orders": "both"}
        return cls(
            profile=profile,
            data={**noise.data, **further},
            cells={**noise.cells, **further},
            line=("noise", f"{noise.title}, shift {shift}, both orders"),
            note="shift is the most by which one person's data can change the query.",
            work=profile.engine,  # it reads tails, and visits no outcomes
            words=Words("worse_order", "worse order", "none: neither order is worse"),
            noise=noise,
            shift=shift,
        )

    def worst(self, first: DataSet, second: DataSet, exp_eps: str) -> Worst:
        """Return the worse order: in the data set of the noise as it is nobody contributes the shift."""
        orders = ("noise", f"noise + {self.shift}")
        names = orders if first[-1] == 0 else orders[::-1]
        return Worst(*names, names, exp_eps)

    def claim(self, *, exp_eps: Fraction | None, delta: Fraction, least: str, budget: int) -> Claim | None:
        """Return the claim that an exact answer makes; None where the checker would take too long, or cannot."""
        from exactdp.certificates.claim import Claim
        from exactdp.certificates.cost import shift_work

        steps = shift_work(self.noise.law, self.shift)
        if exp_eps is None or steps is None or steps > budget:
            return None
        return Claim.shift_dp(self.noise.law, shift=self.shift, exp_eps=exp_eps, delta=delta, least=least)
