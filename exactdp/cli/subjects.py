"""What a question is about: n users of a randomizer, or a query of some sensitivity that a noise law hides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import exactdp as xdp
from exactdp.cli.output import HONEST_USERS, cell, count, counted_users, printable
from exactdp.cli.reach import cost_words
from exactdp.cli.targets import ProtocolTarget, typed_target
from exactdp.cli.typed_noise import NoiseLaw
from exactdp.cli.values import read_limit, read_neighbors, read_users, refuse
from exactdp.errors import TooLargeError
from exactdp.models.dataset import write_dataset
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import decimal_text, exact_text, short

if TYPE_CHECKING:
    from exactdp.profile import AttainingPair

__all__ = ["NoisyQuery", "Subject", "TypedSubject", "Users", "Worst", "read_subject"]

_FRACTION_BITS: Final = 10_000
"""An e^eps up to here is written as a fraction, a larger one in powers of ten."""
_MAGNITUDE_BITS: Final = 10**15
"""Nobody tells an e^eps above this power of two from infinity."""
_DIGITS: Final = 17
"""As in JSON: as many as tell any two floats apart."""
_MAX_SHIFT: Final = 10**6
"""The largest sensitivity, as in the library."""


@dataclass(frozen=True, slots=True)
class TypedSubject:
    """What a question is about, as it was typed: None if an option is not given."""

    target: ProtocolTarget | NoiseLaw
    users: str | None
    neighbors: str | None
    limit: str | None
    shift: str | None

    @classmethod
    def read(cls, typed: Mapping[str, str | None]) -> TypedSubject:
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


def exp_eps_text(exp_eps: Fraction | Dyadic | None) -> str:
    """Return the e^eps at which a pair was found; a number just below an irrational one may be very large."""
    if exp_eps is None or (isinstance(exp_eps, Dyadic) and exp_eps.magnitude > _MAGNITUDE_BITS):
        return "infinity"
    if isinstance(exp_eps, Dyadic):
        if exp_eps.magnitude > _FRACTION_BITS:
            return decimal_text(exp_eps, _DIGITS, up=False)
        exp_eps = exp_eps.fraction()
    return exact_text(exp_eps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject(ABC):
    """What a question is about: the profile that answers, and how it is named."""

    profile: xdp.PrivacyProfile
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
    def worst(self, pair: AttainingPair) -> Worst:
        """Return the worst pair or order."""

    @abstractmethod
    def claim(self, *, exp_eps: Fraction | None, delta: Fraction, least: str, budget: int) -> xdp.Claim | None:
        """Return the claim that an exact answer makes; None if the checker cannot, or would take too long."""


def read_subject(asked: TypedSubject) -> Subject:
    """Return the subject; TooLargeError if the engine's work is beyond the limit."""
    target = asked.target
    return NoisyQuery.read(asked, target) if isinstance(target, NoiseLaw) else Users.read(asked, target)


@dataclass(frozen=True, slots=True, kw_only=True)
class Users(Subject):
    """n users of a randomizer, and which of their data sets are neighbours."""

    protocol: xdp.ShuffleProtocol | xdp.AdditiveProtocol
    n: int
    neighbors: xdp.Neighbors

    @classmethod
    def read(cls, asked: TypedSubject, target: ProtocolTarget) -> Users:
        """Return the users; TooLargeError if the engine's work is beyond the limit."""
        refuse(target, {"--shift": asked.shift})
        n = read_users(asked.users, target)
        protocol, neighbors = target.build(n), read_neighbors(asked.neighbors)
        profile = protocol.privacy_profile(neighbors=neighbors, limit=read_limit(asked.limit))
        visited = profile.work
        data = {"randomizer": target.name, **counted_users(n), "neighbors": neighbors.value}
        return cls(
            profile=profile,
            data=data,
            cells={name: cell(value) for name, value in data.items() if name != "n_counts"},
            line=("protocol", f"{printable(target.name)}, n = {n}, neighbours: {neighbors.value}"),
            note=HONEST_USERS,
            work=profile.engine + ("" if visited.pairs is None else f": {cost_words(visited.pairs, visited.outcomes)}"),
            words=Words("worst_pair", "worst pair", "none: no pair is worse than another"),
            protocol=protocol,
            n=n,
            neighbors=neighbors,
        )

    def worst(self, pair: AttainingPair) -> Worst:
        """Return the pair of data sets."""
        sides = pair.first, pair.second
        first, second = ({str(label): count(users) for label, users in side.items()} for side in sides)
        return Worst(first, second, (write_dataset(sides[0]), write_dataset(sides[1])), exp_eps_text(pair.exp_eps))

    def claim(self, *, exp_eps: Fraction | None, delta: Fraction, least: str, budget: int) -> xdp.Claim | None:
        """Return the claim that an exact answer makes; None if the checker would take too long."""
        from exactdp.certificates.cost import view_work

        if isinstance(self.protocol, xdp.AdditiveProtocol):
            return None
        if view_work(self.protocol.tabulated, self.n, self.neighbors, most=budget) is None:
            return None
        if exp_eps is None:
            return xdp.Claim.never_dp(self.protocol, delta_below=self.profile.exact_limit(), neighbors=self.neighbors)
        protocol, neighbors = self.protocol, self.neighbors
        return xdp.Claim.shuffle_dp(protocol, exp_eps=exp_eps, delta=delta, neighbors=neighbors, least=least)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyQuery(Subject):
    """A query of sensitivity ``shift`` that noise hides."""

    noise: NoiseLaw
    shift: int

    @classmethod
    def read(cls, asked: TypedSubject, noise: NoiseLaw) -> NoisyQuery:
        """Return the query."""
        refuse(noise, {"-n": asked.users, "--neighbors": asked.neighbors, "--limit": asked.limit})
        shift = as_integer("1" if asked.shift is None else asked.shift, name="shift", at_least=1)
        if shift > _MAX_SHIFT:
            raise TooLargeError(f"shift={short(shift)} is more than the limit of {_MAX_SHIFT}. Use a smaller shift.")
        profile, further = xdp.shift_profile(noise.law, shift=shift), {"shift": str(shift), "orders": "both"}
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

    def worst(self, pair: AttainingPair) -> Worst:
        """Return the worse order: in the data set of the noise as it is nobody contributes the shift."""
        orders = ("noise", f"noise + {self.shift}")
        names = orders[::-1] if self.shift in pair.first else orders
        return Worst(*names, names, exp_eps_text(pair.exp_eps))

    def claim(self, *, exp_eps: Fraction | None, delta: Fraction, least: str, budget: int) -> xdp.Claim | None:
        """Return the claim that an exact answer makes; None if the checker would take too long, or cannot."""
        from exactdp.certificates.cost import shift_work

        steps = shift_work(self.noise.law, self.shift)
        if exp_eps is None or steps is None or steps > budget:
            return None
        return xdp.Claim.shift_dp(self.noise.law, shift=self.shift, exp_eps=exp_eps, delta=delta, least=least)
