"""What a question is about: n users of a randomizer, or a query of some sensitivity that a noise law hides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Final

import exactdp as xdp
from exactdp.cli.output import (
    COUNTED_AT_RANDOM,
    HONEST_USERS,
    RANDOM_USERS,
    cell,
    columns,
    count,
    counted_users,
    flat,
    printable,
)
from exactdp.cli.reach import cost_words
from exactdp.cli.values import read_limit, read_neighbors, read_users, refuse
from exactdp.errors import InvalidValueError
from exactdp.mechanisms.dataset import write_dataset
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.formats import decimal_text, exact_text, short
from exactdp.protocols.naming.populations import read_participants
from exactdp.protocols.naming.targets import ProtocolTarget, TargetProtocol
from exactdp.protocols.naming.typed_noise import NoiseLaw, read_shift

if TYPE_CHECKING:
    from exactdp.privacy.attained import AttainingPair


_FRACTION_BITS: Final = 10_000
"""An e^eps up to here is written as a fraction, a larger one in powers of ten."""
_MAGNITUDE_BITS: Final = 10**15
"""Nobody tells an e^eps above this power of two from infinity."""
_DIGITS: Final = 17
"""As in JSON: as many as tell any two floats apart."""


@dataclass(frozen=True, slots=True)
class Worst:
    """Two neighbouring data sets, or the noise and the noise shifted, in the worse order.

    ``texts`` are the two for reading, and ``exp_eps`` says at which e^eps they were found worst.
    """

    first: dict[str, Any] | str
    second: dict[str, Any] | str
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

    key: ClassVar[str]
    """The worst pair or order, as JSON names it."""
    label: ClassVar[str]
    """The worst pair or order, for reading."""
    none: ClassVar[str]
    """What is said where there is none."""
    unstated: ClassVar[str]
    """What no claim states, where none does."""

    profile: xdp.PrivacyProfile
    named: dict[str, Any]
    """What is asked about, as JSON data."""
    named_cells: dict[str, str]
    """What is asked about, as cells of CSV."""
    line: tuple[str, str]
    """What is asked about, for reading."""
    work: str
    """What is computed, for reading."""

    @property
    def data(self) -> dict[str, Any]:
        """The fields that every answer's JSON begins with."""
        return {**self.named, "engine": self.profile.engine}

    @property
    def cells(self) -> dict[str, str]:
        """The cells that every answer's row of CSV begins with."""
        return {**self.named_cells, "engine": self.profile.engine}

    def lines(self, answer: Sequence[tuple[str, str]], work: str | None = None) -> list[str]:
        """Return an answer as text: what was asked, labelled lines, what was computed."""
        return [*columns([self.line, *answer, ("engine", work or self.work)]), self.note]

    @property
    @abstractmethod
    def note(self) -> str:
        """What every answer says of its meaning."""

    @property
    @abstractmethod
    def is_claimed(self) -> bool:
        """Whether claims state what is asked about, so that ``certify`` can be asked."""

    @property
    def unchecked(self) -> str:
        """What is said of an answer that the checker was not asked about."""
        if self.is_claimed:
            return "not re-checked (`exactdp certify` asks the checker)"
        return f"not re-checked: no claim states {self.unstated}"

    @abstractmethod
    def worst(self, pair: AttainingPair) -> Worst:
        """Return the worst pair or order."""

    @abstractmethod
    def claim(self, *, exp_eps: Fraction | None, delta: Fraction, least: str, budget: int) -> xdp.Claim | None:
        """Return the claim that an exact answer makes; None if the checker cannot, or would take too long."""


def read_subject(target: ProtocolTarget | NoiseLaw, typed: Mapping[str, str | None], *, exact: bool = False) -> Subject:
    """Return the subject; TooLargeError if the engine's work is beyond the limit."""
    subject = NoisyQuery.read(target, typed) if isinstance(target, NoiseLaw) else Users.read(target, typed)
    if exact and not subject.profile.is_exact:
        raise InvalidValueError(
            "--exact has no answer here: the probabilities are irrational, or too long to be built. "
            "Leave it out: the answer is then an interval that contains the truth."
        )
    return subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Users(Subject):
    """n users of a randomizer, and which of their data sets are neighbours."""

    key = "worst_pair"
    label = "worst pair"
    none = "none: no pair is worse than another"
    unstated = "this protocol"

    protocol: TargetProtocol
    n: int | None
    """None where the number of users is random."""
    neighbors: xdp.Neighbors

    @classmethod
    def read(cls, target: ProtocolTarget, typed: Mapping[str, str | None]) -> Users:
        """Return the users; TooLargeError if the engine's work is beyond the limit."""
        refuse(target, {"--shift": typed["shift"]})
        written, neighbors = typed["users"], read_neighbors(typed["neighbors"])
        users = read_users(None, target) if written is None else read_participants(written, target)
        if isinstance(users, int):
            n, shown, counted = users, str(users), counted_users(users)
        else:
            shown = f"{users.title} with the user who differs for sure"
            n, counted = None, {"n": typed["users"], "n_counts": COUNTED_AT_RANDOM}
        protocol = target.build(users if isinstance(users, int) else users.law)
        profile = protocol.privacy_profile(neighbors=neighbors, limit=read_limit(typed.get("limit")))
        visited = profile.work
        named = {"randomizer": target.name, **counted, "neighbors": neighbors.value}
        return cls(
            profile=profile,
            named=named,
            named_cells={name: cell(value) for name, value in flat(named).items()},
            line=(
                "protocol",
                f"{printable(target.name)}, n = {shown}, neighbours: {neighbors.value}",
            ),
            work=profile.engine + ("" if visited.pairs is None else f": {cost_words(visited.pairs, visited.outcomes)}"),
            protocol=protocol,
            n=n,
            neighbors=neighbors,
        )

    @property
    def note(self) -> str:
        """Whom n counts."""
        return RANDOM_USERS if self.n is None else HONEST_USERS

    @property
    def is_claimed(self) -> bool:
        """Whether a claim states the protocol."""
        return self.protocol.statement is not None

    def worst(self, pair: AttainingPair) -> Worst:
        """Return the pair of data sets."""
        sides = pair.first, pair.second
        first, second = ({str(label): count(users) for label, users in side.items()} for side in sides)
        return Worst(first, second, (write_dataset(sides[0]), write_dataset(sides[1])), exp_eps_text(pair.exp_eps))

    def claim(self, *, exp_eps: Fraction | None, delta: Fraction, least: str, budget: int) -> xdp.Claim | None:
        """Return the claim that an exact answer makes; None if the checker would take too long."""
        from exactdp.claims.cost import view_work

        if (table := self.protocol.table) is None:
            return None
        if self.n is None or view_work(table, self.n, self.neighbors, most=budget) is None:
            return None
        if exp_eps is None:
            return xdp.Claim.never_dp(self.protocol, delta_below=self.profile.exact_limit(), neighbors=self.neighbors)
        protocol, neighbors = self.protocol, self.neighbors
        return xdp.Claim.shuffle_dp(protocol, exp_eps=exp_eps, delta=delta, neighbors=neighbors, least=least)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyQuery(Subject):
    """A query of sensitivity ``shift`` that noise hides."""

    key = "worse_order"
    label = "worse order"
    none = "none: neither order is worse"
    unstated = "continuous noise"

    noise: NoiseLaw
    shift: int | Fraction

    @classmethod
    def read(cls, noise: NoiseLaw, typed: Mapping[str, str | None]) -> NoisyQuery:
        """Return the query."""
        refuse(noise, {"-n": typed["users"], "--neighbors": typed["neighbors"], "--limit": typed.get("limit")})
        shift = read_shift(typed["shift"], noise)
        profile, further = xdp.shift_profile(noise.law, shift=shift), {"shift": exact_text(shift), "orders": "both"}
        return cls(
            profile=profile,
            named={**noise.data, **further},
            named_cells={**noise.cells, **further},
            line=("noise", f"{noise.title}, shift {short(shift)}, both orders"),
            work=profile.engine,  # it reads tails, and visits no outcomes
            noise=noise,
            shift=shift,
        )

    @property
    def note(self) -> str:
        """What shift means."""
        return "shift is the most by which one person's data can change the query."

    @property
    def is_claimed(self) -> bool:
        """Whether the noise is on integers."""
        return self.noise.law.is_on_integers

    def worst(self, pair: AttainingPair) -> Worst:
        """Return the worse order: in the data set of the noise as it is nobody contributes the shift."""
        orders = ("noise", f"noise + {exact_text(self.shift)}")
        names = orders[::-1] if self.shift in pair.first else orders
        return Worst(*names, names, exp_eps_text(pair.exp_eps))

    def claim(self, *, exp_eps: Fraction | None, delta: Fraction, least: str, budget: int) -> xdp.Claim | None:
        """Return the claim that an exact answer makes; None if the checker would take too long, or cannot."""
        from exactdp.claims.cost import shift_work

        if not self.noise.law.is_on_integers:
            return None
        law, shift = self.noise.on_integers, int(self.shift)
        steps = shift_work(law, shift)
        if exp_eps is None or steps is None or steps > budget:
            return None
        return xdp.Claim.shift_dp(law, shift=shift, exp_eps=exp_eps, delta=delta, least=least)
