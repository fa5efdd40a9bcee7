"""What a question is about: n users of a randomizer, or a query of some sensitivity that a noise law hides.

For a protocol also how far its questions reach: which engine answers, its work at n users, and the largest n.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

import exactdp as xdp
from exactdp.cli.options import typed_classes, typed_target
from exactdp.cli.output import (
    HONEST_USERS,
    RANDOM_POPULATION,
    RANDOM_USERS,
    Fact,
    count,
    number_fact,
    population,
    printable,
    users_facts,
)
from exactdp.cli.values import as_typed, needed, or_limit, refuse, refuse_given
from exactdp.errors import ExactDPError, InvalidValueError, NotCheckableError, TooLargeError
from exactdp.mechanisms.dataset import write_dataset
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.formats import decimal_text, exact_text, short
from exactdp.protocols.interface import Protocol
from exactdp.protocols.naming.populations import ABSENCE, few_enough, taking_part, with_absence
from exactdp.protocols.naming.targets import ClassesTarget, ProtocolTarget
from exactdp.protocols.naming.typed_noise import NoiseLaw, read_shift

if TYPE_CHECKING:
    from exactdp.claims.ways import Way
    from exactdp.privacy.attained import AttainingPair

_FRACTION_BITS: Final = 10_000
"""An e^eps up to here is written as a fraction, a larger one in powers of ten."""
_MAGNITUDE_BITS: Final = 10**15
"""Nobody tells an e^eps above this power of two from infinity."""
Instead: TypeAlias = tuple[tuple[str, dict[str, str | None]], ...]
"""What people do, with options."""
_DISJOINT: Final = "disjoint views"
"""The engine where the number of messages alone tells."""
_LIKELY: Final = "9/10"
"""How likely a user takes part, in an example."""
_DIGITS: Final = 17
"""As in JSON: as many as tell any two floats apart."""


@dataclass(frozen=True, slots=True)
class Worst:
    """Two neighbouring data sets, or the noise and the noise shifted, in the worse order.

    Of classes of users, a data set has one mapping for each. ``texts`` are the two for reading, and ``exp_eps`` says at
    which e^eps they were found worst.
    """

    first: dict[str, Any] | list[dict[str, Any]] | str
    second: dict[str, Any] | list[dict[str, Any]] | str
    texts: tuple[str, str]
    exp_eps: str
    user_class: int | None = None
    """The class of the user who differs, where there are classes."""

    @property
    def title(self) -> str:
        """The two for reading."""
        who = "" if self.user_class is None else f", where a user of class {self.user_class} differs"
        return " against ".join(self.texts) + who

    @property
    def data(self) -> dict[str, Any]:
        """The two as JSON data."""
        who = {} if self.user_class is None else {"user_class": self.user_class}
        return {"first": self.first, "second": self.second, "exp_eps": self.exp_eps, **who}


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
    facts: tuple[Fact, ...]
    """What is asked about; the first has the line that names it."""
    work: str
    """What is computed, for reading."""

    @property
    def title(self) -> str:
        """What is asked about, for reading."""
        return self.facts[0].text

    @property
    @abstractmethod
    def note(self) -> str:
        """What every answer says of its meaning."""

    @property
    @abstractmethod
    def has_claim(self) -> bool:
        """Whether claims state what is asked about, so that ``certify`` can be asked."""

    @property
    def unchecked(self) -> str:
        """What is said of an answer that the checker was not asked about."""
        if self.has_claim:
            return "not re-checked (`exactdp certify` asks the checker)"
        return f"not re-checked: no claim states {self.unstated}"

    @abstractmethod
    def worst(self, pair: AttainingPair) -> Worst:
        """Return the worst pair or order."""

    @abstractmethod
    def claim(self, *, exp_eps: Fraction | None, delta: Fraction, least: str, budget: int) -> xdp.Claim | None:
        """Return the claim that an exact answer makes; None if the checker cannot, or would take too long."""


def read_subject(typed: Mapping[str, Any], *, exact: bool = False) -> Subject:
    """Return the subject of what is typed; TooLargeError if the engine's work is beyond the limit."""
    subject: Subject
    if (classes := typed_classes(typed)) is not None:
        subject = UsersOfClasses.of(classes, typed)
    else:
        target = typed_target(typed)
        refuse_user_class(target, typed)
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

    protocol: Protocol
    n: int | None
    """None where the number of users is random."""
    neighbors: xdp.Neighbors
    absence: str = ""
    """Who may be away and what is seen of it, in words."""
    instead: Instead = ()
    """Where the number of messages alone tells that a user is there: what people do, with its options."""

    @classmethod
    def read(cls, target: ProtocolTarget, typed: Mapping[str, Any]) -> Users:
        """Return the users; TooLargeError if the engine's work is beyond the limit."""
        refuse(target, {"--shift": typed["shift"]})
        neighbors = typed["neighbors"] or xdp.Neighbors.REPLACE_ONE
        users = taking_part(needed(typed["users"], target), target)
        if isinstance(users, int):
            n, shown, n_facts = users, str(users), users_facts(users)
        else:
            shown = f"{users.title} with the user who differs for sure"
            n, n_facts = None, (Fact("n", as_typed("users")[0]), Fact("n_counts", RANDOM_POPULATION))
        protocol = with_absence(target.build(users if isinstance(users, int) else users.law), typed)
        if words := protocol.absence_words:
            shown, n_facts = f"{shown} users, {words}", (n_facts[0], Fact("n_counts", population(words)))
        profile = protocol.privacy_profile(neighbors=neighbors, limit=or_limit(typed["limit"]))
        visited = profile.work
        instead = _instead(target, users, typed) if profile.engine == _DISJOINT else ()
        title = f"{printable(target.name)}, n = {shown}, neighbours: {neighbors.value}"
        return cls(
            profile=profile,
            facts=(
                Fact("randomizer", target.name, "protocol", title),
                *n_facts,
                Fact("neighbors", neighbors.value),
            ),
            work=profile.engine + ("" if visited.pairs is None else f": {cost_words(visited.pairs, visited.outcomes)}"),
            protocol=protocol,
            n=n,
            neighbors=neighbors,
            absence=words,
            instead=instead,
        )

    @property
    def note(self) -> str:
        """Whom n counts."""
        if self.absence:
            return f"n counts the {population(self.absence)}; with fewer of them there is less privacy."
        return RANDOM_USERS if self.n is None else HONEST_USERS

    @property
    def has_claim(self) -> bool:
        """Whether `certify` can be asked about the protocol, of which all users take part."""
        return self.protocol.statement is not None and not self.absence

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


def _instead(target: ProtocolTarget, users: Any, typed: Mapping[str, Any]) -> Instead:
    """Return what people do where every user sends as many messages, with the options that ask about it.

    What is not answered of this randomizer, as a uniform message where messages are not all alike, is left out.
    """
    given, made = as_typed("participation"), target.build(users)
    away = {"participation": given[0] if given else _LIKELY, "absence": "hidden"}
    coin = "each user takes part by a coin" + ("" if given else f", with a chance of {_LIKELY} here")
    held = [f"input:{x}" for x in made.numeric_randomizer.inputs[:1]] if isinstance(made, xdp.ShuffleProtocol) else []
    found: list[tuple[str, dict[str, str | None]]] = []
    for dummy in (typed["dummy"] or "uniform", *held):
        if not found and _is_answered(target, users, {**away, "dummy": dummy}):
            found.append(
                (f"{coin}; who is away sends a dummy, {dummy}, and nobody learns who", {**away, "dummy": dummy})
            )
    found.append(
        (f"presence is counted: {coin}, and who is away sends nothing", {**away, "absence": "counted", "dummy": None})
    )
    number = {"users": f"@poisson:mu={users}", **dict.fromkeys(ABSENCE)}
    found.append((f"the number of users is random, Poisson of mean {users}; who differs takes part for sure", number))
    return tuple(one for one in found if _is_answered(target, users, one[1]))


def _is_answered(target: ProtocolTarget, users: int, options: Mapping[str, str | None]) -> bool:
    """Whether a profile is planned for the options."""
    try:
        law = xdp.Poisson(users) if "users" in options else users
        with_absence(target.build(law), options).privacy_profile()
    except ExactDPError:
        return False
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class UsersOfClasses(Users):
    """Users in classes, who run what their class runs."""

    label = "worst pair known"
    unstated = "classes of users"

    @classmethod
    def of(cls, target: ClassesTarget, typed: Mapping[str, Any]) -> UsersOfClasses:
        """Return the users."""
        from exactdp.protocols.protocol import read_user_class

        refuse_for_classes(target, typed)
        protocol, neighbors = target.protocol, typed["neighbors"] or xdp.Neighbors.REPLACE_ONE
        place = read_user_class(typed["user_class"], len(target.entries))
        profile = protocol.privacy_profile(neighbors=neighbors, limit=or_limit(typed["limit"]), user_class=place)
        who = "the user who differs: of any class" if place is None else f"the user who differs: of class {place}"
        shown = f"n = {protocol.n} in {len(target.entries)} classes, neighbours: {neighbors.value}, {who}"
        return cls(
            profile=profile,
            facts=(
                Fact("randomizer", target.name, "protocol", f"{printable(target.name)}, {shown}"),
                *classes_facts(target),
                Fact("user_class", place),
                Fact("neighbors", neighbors.value),
            ),
            work=profile.engine,
            protocol=protocol,
            n=protocol.n,
            neighbors=neighbors,
            absence=protocol.absence_words,
        )

    @property
    def has_claim(self) -> bool:
        """No: claims are about one randomizer."""
        return False

    def worst(self, pair: AttainingPair) -> Worst:
        """Return the pair of data sets, each with one mapping for each class."""
        sides: tuple[Any, Any] = (pair.first, pair.second)
        first, second = ([{str(x): count(users) for x, users in one.items()} for one in side] for side in sides)
        one, other = ("; ".join(map(write_dataset, side)) for side in sides)
        return Worst(first, second, (one, other), exp_eps_text(pair.exp_eps), pair.user_class)


def classes_facts(target: ClassesTarget) -> list[Fact]:
    """Return how many users there are, whom that counts, and the classes."""
    n_counts, titles = population(target.protocol.absence_words), target.titles
    data = [
        {"of": one.of, "users": count(one.users), "participation": exact_text(one.participation)}
        for one in target.entries
    ]
    return [
        Fact("n", count(target.protocol.n)),
        Fact("n_counts", n_counts),
        Fact("classes", data, cells={"classes": titles}),
        *(Fact(label=f"class {place}", text=title) for place, title in enumerate(titles)),
    ]


def refuse_user_class(target: ProtocolTarget | NoiseLaw, typed: Mapping[str, Any]) -> None:
    """Refuse the class of the user who differs where there are no classes."""
    asked = {"user_class": typed["user_class"]}
    refuse_given(asked, f"for {short(target.name)}", "Leave it out: it belongs to files with [[class]].")


def refuse_for_classes(target: ClassesTarget, typed: Mapping[str, Any]) -> None:
    """Refuse the options that a file with classes of users says itself, or that have no meaning for it."""
    where, people = f"for {short(target.name)}", f"its classes say how many users they have, {target.protocol.n} in all"
    away = {name: typed.get(name) for name in ABSENCE}
    refuse_given(away, where, "Leave it out: participation is a key of each [[class]].")
    refuse_given({"--shift": typed.get("shift")}, where, "Leave it out: it belongs to noise laws.")
    refuse_given({"-n": typed["users"]}, f"{where}: {people}", "Leave it out, or change users in the file.")
    few_enough(target.protocol.n)


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
    def read(cls, noise: NoiseLaw, typed: Mapping[str, Any]) -> NoisyQuery:
        """Return the query."""
        foreign = ("participation", "absence", "dummy", "neighbors", "limit")
        refuse(noise, {"-n": typed["users"], **{f"--{name}": typed.get(name) for name in foreign}})
        shift = read_shift(typed["shift"], noise)
        profile, title = xdp.shift_profile(noise.law, shift=shift), f"{noise.title}, shift {short(shift)}, both orders"
        return cls(
            profile=profile,
            facts=(
                Fact("law", noise.family, "noise", title),
                Fact("parameters", noise.parameters, cells={"parameters": noise.cells["parameters"]}),
                Fact("shift", exact_text(shift)),
                Fact("orders", "both"),
            ),
            work=profile.engine,  # it reads tails, and visits no outcomes
            noise=noise,
            shift=shift,
        )

    @property
    def note(self) -> str:
        """What shift means."""
        return "shift is the most by which one person's data can change the query."

    @property
    def has_claim(self) -> bool:
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


def noise_facts(noise: NoiseLaw) -> list[Fact]:
    """Return what is known of a law."""
    law, ends = noise.law, {"low": noise.law.low, "high": noise.law.high}
    support = {end: None if k is None else str(k) for end, k in ends.items()}
    return [
        Fact("law", noise.family, "law", noise.title),
        Fact("parameters", noise.parameters, cells={"parameters": noise.cells["parameters"]}),
        Fact(
            "support",
            support,
            "support",
            _support(**ends) if law.is_on_integers else "all real numbers",
            {f"support_{end}": k for end, k in support.items()},
        ),
        Fact("log_concave", law.is_log_concave, "log-concave", "yes" if law.is_log_concave else "no", {}),
        number_fact("mean", law.mean, exact=True),
        number_fact("variance", law.variance, exact=True),
        Fact("mode", exact_text(law.mode), "mode", short(law.mode)),
    ]


def _support(low: int | None, high: int | None) -> str:
    if low is None or high is None:
        return "all integers" if low is high else f"{low} and more" if high is None else f"{high} and less"
    return f"{low} alone" if low == high else f"{low} to {high}"


_ALL_DATA_SETS: Final = ("delta", "epsilon", "curve", "compose")
"""The commands that ask about all neighbouring data sets."""
_CERTIFY: Final = ("certify",)
"""The command that asks the checker."""
_LARGEST_DRAW: Final = 2**53
"""The sampler counts in floats."""


def cost_words(pairs: int | None, outcomes: int | None) -> str:
    """Return what a search visits for reading: ordered pairs of data sets, and outcomes of each."""
    if pairs is None:
        return "no scan"
    return f"{pairs} pairs of data sets" + ("" if outcomes is None else f" x {outcomes} outcomes")


@dataclass(frozen=True, slots=True)
class Reach:
    """The engine for some commands, its cost at n users, whether it starts on that, and the largest n it starts on."""

    commands: tuple[str, ...]
    engine: str
    cost: str | None
    within: bool
    largest: int | None
    """None: beyond 10^6."""
    pairs: int | None = None
    outcomes: int | None = None
    may_exceed: bool = False
    """Whether some questions at a larger n are answered, too."""

    @property
    def cost_line(self) -> str:
        """The cost for reading."""
        if self.engine.startswith("none"):
            return "none"
        if self.cost is None:
            return "too large, or not known to fit" if self.commands == _CERTIFY else "too large"
        return self.cost if self.within else f"{self.cost}, beyond the limit"

    @property
    def largest_line(self) -> str:
        """The largest n for reading."""
        from exactdp.privacy.protocol_reach import FAR

        if self.largest is None:
            return f"beyond {FAR}"
        return f"{self.largest} or more" if self.may_exceed else str(self.largest)

    @property
    def data(self) -> dict[str, Any]:
        """The line as JSON data."""
        return {
            "commands": list(self.commands),
            "engine": self.engine,
            "cost": self.cost,
            "within_limit": self.within,
            "largest_n": count(self.largest),
        }


def questions(target: ProtocolTarget, n: int, neighbors: xdp.Neighbors, limit: int) -> list[Reach]:
    """Return what the protocol can be asked; the first line is about all neighbouring data sets."""
    from exactdp.privacy.protocol_reach import largest_size, listed_outcomes, scan_reach

    randomizer = target.randomizer()
    protocol: Any = target.build(n)
    if not protocol.is_shuffled_randomizer:
        engine = protocol.privacy_profile(neighbors=neighbors, limit=limit).engine
        first = Reach(_ALL_DATA_SETS, engine, "no scan", True, None)
    else:
        reach = scan_reach(protocol.numeric_randomizer, n, neighbors, limit)
        visited = (None, None) if reach.work is None else (reach.work.pairs, reach.work.outcomes)
        cost = None if reach.work is None else cost_words(*visited)
        if reach.within and reach.work is None:
            cost = "no scan: two proved ends"
        first = Reach(_ALL_DATA_SETS, reach.engine, cost, reach.within, reach.largest, *visited)
    certified = _certified(target, n, neighbors)
    if randomizer is None and protocol.parts:
        drawn = _LARGEST_DRAW // max(part.communication().most for part in protocol.parts)
        certified.append(Reach(("sample",), "binomial draws", "as at every n", n <= drawn, drawn))
    if randomizer is None:
        return [first, *certified]
    outcomes = listed_outcomes(randomizer, n)
    listing = None if outcomes is None else f"{outcomes} outcomes"
    listed = largest_size(lambda users: listed_outcomes(randomizer, users) is not None)
    drawn = _LARGEST_DRAW // _most_of_one_message(randomizer)
    return [
        first,
        *certified,
        Reach(("law",), "one product", listing, outcomes is not None, listed),
        Reach(("sample",), "binomial draws", "as at every n", n <= drawn, drawn),
    ]


def _certified(target: ProtocolTarget, n: int, neighbors: xdp.Neighbors) -> list[Reach]:
    """Return a line for each way in which ``certify`` has a certificate, of an e^eps and a delta that are short."""
    from exactdp.claims.target_claims import users_claim
    from exactdp.claims.ways import ways

    try:
        claim = users_claim(target, n, {"eps": 1, "delta": Fraction(1, 2)}, neighbors=neighbors)
    except TooLargeError:
        return [Reach(_CERTIFY, "none: too large for a table", None, False, 0)]
    except (InvalidValueError, NotCheckableError):
        return [Reach(_CERTIFY, "none: no claim states it", None, False, 0)]
    return [_way(way) for way in ways(claim.statement)] or [
        Reach(_CERTIFY, "none: too large for the checker", None, False, 0)
    ]


def _way(way: Way) -> Reach:
    from exactdp.claims.ways import BOUNDED, COMPARED, LISTED

    is_enumerated = way.method in (LISTED, COMPARED)
    cost = "for a delta beyond its bound" if way.method == BOUNDED else "as at every n"
    if is_enumerated:
        cost = "" if way.work is None else f"up to {_rounded(way.work)} steps"
    largest = way.largest
    return Reach(
        _CERTIFY, f"checker: {way.method}", cost or None, way.fits, largest, may_exceed=is_enumerated and bool(largest)
    )


def _most_of_one_message(randomizer: xdp.Randomizer) -> int:
    """Return how often a user can send one message, at most."""
    return max((send.count(message) for row in randomizer.rows for send, _ in row for message in send), default=1)


def _rounded(steps: int) -> str:
    """Return a number of steps for reading: whole, or with two digits rounded up.

    >>> _rounded(1200), _rounded(123456)
    ('1200', '130000')
    """
    scale = 10 ** max(0, len(str(steps)) - 2) if steps >= 10_000 else 1
    return str(-(-steps // scale) * scale)
