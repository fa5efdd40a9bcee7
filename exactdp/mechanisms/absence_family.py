"""Absence: each user takes part with one probability, also the user who differs; what is seen of who does not.

Write q for the probability, R_v for the row of the input v. A user is away by a coin of his own.

Of randomizers that send real numbers it is :mod:`exactdp.mechanisms.density_absence_family`.

* *Counted*: who is away sends nothing, and nobody learns who it was. The row is q R_v, and the empty bundle with
  probability 1 - q: one more class, in which all rows are equal. Local eps is that of the randomizer, and the channel
  of a rounded e^eps0 leaves the empty bundle as it is.
* *Hidden*: who is away sends a dummy of a law D that does not depend on the data. The row is q R_v + (1 - q) D. So
  classes on which D is proportional to the rows, too, become classes; the least of a class is q c + (1 - q) D.
* *Listed*: who takes part is public (:mod:`exactdp.privacy.shuffle.listed_users`). The classes are those of counted
  without the empty bundle, so that they add up to q. The messages alone, without the list, are those of counted.

*Dummies.* A table takes a law over its bundles. A family takes the row of one of its inputs, beside which pairs are
told apart by whether they hold it, or uniform messages; a product one dummy for each factor.

*Rounded e^eps0.* The channel W that makes the rows at E' <= E from those at E makes q R' + (1 - q) D from
q R + (1 - q) D where W D = D, and q R' + (1 - q) R'_x from q R + (1 - q) R_x always. The uniform law is the row of
every input at e^eps0 = 1, and the channels keep it: they replace a message, or the bucket, by a uniform one, and of
optimized unary encoding, where p = 1/2 at every e^eps0, each bit's channel takes the law p to the law p.

*Many classes.* Where the classes beside a dummy are too many, ``at_least`` has fewer that tell more, and ``at_most``
fewer that tell less (:meth:`FamilyRandomizer.dummy_tables`). A channel that does not depend on the data leads from the
first to the family and from the family to the second.

*Frequencies.* A message supports an input with probability p* of those who hold it, and q* of all others. Of counted
users these are q p* and q q*, of hidden ones q p* + (1 - q) u and q q* + (1 - q) u, where u is how likely a uniform
dummy supports an input. So (count - n q*) / (p* - q*) with these estimates how many of all n users hold it, present or
away; it does not read how many messages there are.

Source: BalleBellGasconNissim2019, section 3 (one message of each user, while absence is this page's).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Final

from exactdp.errors import InvalidValueError, TooLargeError, meant
from exactdp.mechanisms.family import (
    INPUT,
    UNIFORM,
    DerivedFamily,
    Drawn,
    FamilyRandomizer,
    SupportChances,
    SupportSource,
    UserRandomizer,
)
from exactdp.mechanisms.pair_table import PairTable
from exactdp.mechanisms.randomizer import Communication, Randomizer
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_probability
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.real import Real

COUNTED: Final = "counted"
LISTED: Final = "listed"
HIDDEN: Final = "hidden"
WAYS: Final = (COUNTED, LISTED, HIDDEN)
"""What is seen of who is away."""

_KEPT: Final = 16
"""Tables that are kept: questions about one protocol ask for them again and again."""

_REPAIR: Final = 'Pass dummy="uniform", dummy=("input", x), or of a table dummy={message: probability}.'


@dataclass(frozen=True, slots=True)
class Absence:
    """How likely each user takes part, what is seen of the others, and what they send.

    Args:
        participation: q, in (0, 1].
        way: one of ``WAYS``.
        dummy: of hidden users: "uniform", ("input", x), a law as pairs (bundle, probability), or of a product a tuple
            with one of them for each factor; else None.
    """

    participation: Fraction
    way: str
    dummy: Any

    @classmethod
    def read(cls, randomizer: UserRandomizer, participation: Exact, way: object, dummy: Any) -> Absence:
        """Return the absence of users of a randomizer, or refuse what is none."""
        q = as_probability(participation, name="participation")
        if not q:
            raise InvalidValueError("participation=0 leaves nobody who takes part. Pass a probability above 0.")
        if way not in WAYS:
            near = meant(str(way), WAYS)
            raise InvalidValueError(f"absence={short(repr(way))} is unknown. {near}Pass one of {', '.join(WAYS)}.")
        if way != HIDDEN and dummy is not None:
            raise InvalidValueError(f'absence="{way}" sends no dummy. Leave dummy out, or pass absence="hidden".')
        if way == HIDDEN and dummy is None:
            raise InvalidValueError(f'absence="hidden" needs what is sent in place of a message. {_REPAIR}')
        read = cls(q, str(way), None if dummy is None else _read_dummy(randomizer, dummy))
        read.applied(randomizer)  # refuses a randomizer beside which users cannot be away
        return read

    def applied(self, randomizer: UserRandomizer) -> UserRandomizer:
        """Return what one user sends, who may be away: of listed users what is counted of them."""
        return randomizer if self.participation == 1 else _applied(self, randomizer)

    @property
    def words(self) -> str:
        """Which model it is, as the end of a sentence about n users."""
        seen = {
            COUNTED: "nobody learns who is away, and who is sends nothing",
            LISTED: "who takes part is public",
            HIDDEN: f"who is away sends {_dummy_words(self.dummy)}",
        }[self.way]
        return f"each of whom, the one who differs too, takes part with probability {short(self.participation)}: {seen}"


@lru_cache(maxsize=_KEPT)
def _applied(absence: Absence, randomizer: UserRandomizer) -> UserRandomizer:
    if isinstance(randomizer, FamilyRandomizer):
        if randomizer.lower_families() != (randomizer,):
            raise InvalidValueError(
                f"{randomizer!r} stands for many randomizers, of whose users nobody may be away. Pass one of them."
            )
        if randomizer.pairs_by == "classes":
            return Participating(randomizer, absence.participation, absence.dummy)
        if randomizer.density is not None:
            from exactdp.mechanisms.density_absence_family import NumbersAway

            return NumbersAway(randomizer.density, absence.participation, absence.dummy)
        if not randomizer.has_small_table:
            raise TooLargeError(
                f"{randomizer!r} has no table of at most 65536 entries, which users who may be away need of "
                "families that are not compared by classes of one message. Use fewer inputs."
            )
    return _with_absent(randomizer.tabulated, absence.participation, absence.dummy)


@dataclass(frozen=True, slots=True, init=False)
class Participating(DerivedFamily):
    """A family of which each user takes part with one probability, and else sends nothing, or a dummy.

    Made by ``ShuffleProtocol(family, n, participation=...)``.

    >>> from exactdp.randomizers import KAryResponse
    >>> away = Participating(KAryResponse(1000, exp_eps0=7), Fraction(1, 2), None)
    >>> max(c.least for c in away.pair_tables()[0].classes) > Fraction(1, 2), away.local_epsilon()
    (True, LogRational('7'))
    """

    name: ClassVar[str] = "participation"

    base: FamilyRandomizer
    participation: Fraction
    dummy: Any
    """None where nothing is sent, "listed" where that is public."""
    tells_more: bool | None
    """Whether fewer classes than there are tell more, or less; None for all classes."""

    def __init__(
        self, base: FamilyRandomizer, participation: Fraction, dummy: Any, tells_more: bool | None = None
    ) -> None:
        set_fields(self, base=base, participation=participation, dummy=dummy, tells_more=tells_more)

    @property
    def may_send_nothing(self) -> bool:
        return self.dummy is None

    @property
    def support_chances(self) -> SupportChances | None:
        """Of all users, present or away; None where the dummy supports one input more than others."""
        chances, q = self.base.support_chances, self.participation
        if chances is None or chances.own > 1 or chances.dummies or self.dummy not in (None, LISTED, UNIFORM):
            return None
        uniform = self.base._with(Fraction(1)).support_chances if self.dummy == UNIFORM else None
        away = (1 - q) * (uniform.likely if uniform else Fraction(0))
        return SupportChances(q * chances.likely + away, q * chances.unlikely + away)

    def communication(self) -> Communication:
        sent = self.base.communication()
        return sent if self.dummy else Communication(self.participation, 1, sent.symbols)

    def local_epsilon(self) -> LogRational | Real:
        if self.dummy in (None, LISTED):
            return self.base.local_epsilon()
        self.need_rational("its local eps beside dummies")
        if self.tells_more is not None:
            telling = [(c.first, c.second) for table in self.pair_tables() for c in table.classes]
        else:
            mixed = map(self._mixed, self.base.telling_beside(self.dummy))
            telling = [(row[0], row[1]) for row in mixed]
        if any(p and not q for p, q in telling):
            return LogRational(None)
        return LogRational(max(p / q for p, q in telling if q))

    def pair_tables(self) -> tuple[PairTable, ...]:
        self.need_rational("the classes")
        if self.dummy in (None, LISTED):
            return tuple(self._counted(table) for table in self.base.pair_tables())
        return tuple(map(self._hidden, self.base.dummy_tables(self.dummy, self.tells_more)))

    def _counted(self, table: PairTable) -> PairTable:
        q = self.participation
        rows = [tuple(q * p for p in (c.first, c.second, c.least, *c.others)) for c in table.classes]
        if self.dummy is None:
            rows.append((1 - q,) * (3 + len(table.others)))
        return PairTable.merged(table.first, table.second, table.others, rows)

    def _hidden(self, table: PairTable) -> PairTable:
        rows = (self._mixed((c.first, c.second, c.least, *c.others)) for c in table.classes)
        return PairTable.merged(table.first, table.second, table.others[:-1], rows)

    def _mixed(self, row: Sequence[Fraction]) -> tuple[Fraction, ...]:
        """Return a vector of probabilities beside the dummy's, which is the last of it."""
        q, away = self.participation, (1 - self.participation) * row[-1]
        return tuple(q * p + away for p in row[:-1])

    def at_least(self, bits: int = 53) -> Participating:
        return Participating(self.base.at_least(bits), self.participation, self.dummy, self._side(tells_more=True))

    def at_most(self, bits: int = 53) -> Participating:
        return Participating(self.base.at_most(bits), self.participation, self.dummy, self._side(tells_more=False))

    def _side(self, *, tells_more: bool) -> bool | None:
        return None if self.dummy is None else tells_more

    @property
    def has_small_table(self) -> bool:
        return self.base.has_small_table

    def listed(self, users: int = 1) -> Randomizer | None:
        return self.table() if self.base.listed(users) is not None else None

    def drawn(self, source: SupportSource[Drawn]) -> Drawn:
        self.base.drawn(source)  # refuses what cannot be drawn
        away = None
        if self.dummy == UNIFORM:
            away = self.base._with(Fraction(1)), 0
        elif self.dummy is not None:
            away = self.base, self.inputs.index(self.dummy[1])
        return source.present(self.participation, self.base, away)

    def _table(self) -> Randomizer:
        return _with_absent(self.base.table(), self.participation, self.base.dummy_row(self.dummy))


def _with_absent(table: Randomizer, participation: Fraction, dummy: Any) -> Randomizer:
    """Return a table with the row of who is away added to each, or the empty bundle without a dummy."""
    row = {(): Fraction(1)} if dummy is None else dict(listed_dummy(table, dummy))
    laws = {}
    for value, law in table.table().items():
        mixed = {sent: participation * p for sent, p in law.items()}
        for sent, p in row.items():
            mixed[sent] = mixed.get(sent, Fraction(0)) + (1 - participation) * p
        laws[value] = mixed
    return Randomizer(laws)


def _read_dummy(randomizer: UserRandomizer, dummy: Any) -> Any:
    """Return a dummy as it is kept, hashable, or refuse what is none of this randomizer."""
    factors = getattr(randomizer, "factors", None)
    if isinstance(dummy, str):
        if dummy != UNIFORM:
            raise InvalidValueError(f"dummy={short(repr(dummy))} is unknown. {meant(dummy, (UNIFORM,))}{_REPAIR}")
        if factors is not None:
            return tuple(_read_dummy(factor, UNIFORM) for factor in factors)
        if randomizer.density is not None:
            raise InvalidValueError(
                f"{randomizer!r} sends real numbers, none of them at random. {_of_input(randomizer)}"
            )
        if isinstance(randomizer, Randomizer):
            _uniform(randomizer)
        return UNIFORM
    if isinstance(dummy, Mapping):
        if isinstance(randomizer, Randomizer):
            return _read_law(randomizer, dummy)
        raise InvalidValueError(
            f"dummy is a mapping, and {randomizer!r} is a family, whose messages are not listed. Pass "
            f'dummy="{UNIFORM}", dummy=("{INPUT}", x), or the table of a small family: family.table().'
        )
    if isinstance(dummy, Sequence) and len(dummy) == 2 and isinstance(dummy[0], str) and dummy[0] == INPUT:
        if dummy[1] not in randomizer.dummy_inputs:
            raise InvalidValueError(f"dummy names {short(repr(dummy[1]))}, which is no input. {_of_input(randomizer)}")
        if factors is not None:
            return tuple(_read_dummy(one, (INPUT, x)) for one, x in zip(factors, dummy[1], strict=True))
        return INPUT, dummy[1]
    if factors is None or not isinstance(dummy, Sequence):
        raise InvalidValueError(f"dummy={short(repr(dummy))} is no law of messages. {_REPAIR}")
    if len(dummy) != len(factors):
        raise InvalidValueError(f"dummy has {len(dummy)} parts for {len(factors)} factors. Pass one for each factor.")
    return tuple(_read_dummy(factor, part) for factor, part in zip(factors, dummy, strict=True))


def _of_input(randomizer: UserRandomizer) -> str:
    """Return how to name an input that a dummy stands for."""
    if randomizer.density is None:
        return "Pass one of the inputs."
    if not randomizer.dummy_inputs:
        return 'Pass absence="counted": who is away then sends nothing.'
    return f'Pass dummy=("{INPUT}", x), x one of {", ".join(map(str, randomizer.dummy_inputs))}.'


def _read_law(table: Randomizer, dummy: Mapping[Any, Exact]) -> tuple[tuple[tuple[Any, ...], Fraction], ...]:
    """Return a law over bundles, of which a single message may stand for itself."""
    law: dict[tuple[Any, ...], Fraction] = {}
    for sent, probability in dummy.items():
        bundle = (sent,) if sent in table.alphabet else sent
        if not isinstance(bundle, tuple) or any(message not in table.alphabet for message in bundle):
            raise InvalidValueError(
                f"dummy names {short(repr(sent))}, which is no message. The messages are {short(repr(table.alphabet))}."
            )
        p = as_probability(probability, name=f"the dummy's probability of {short(repr(sent))}")
        if p:
            law[bundle] = law.get(bundle, Fraction(0)) + p
    if (total := sum(law.values(), Fraction(0))) != 1:
        raise InvalidValueError(f"dummy sums to {short(total)}, not 1. Make its probabilities sum to 1.")
    return tuple(law.items())


def listed_dummy(table: Randomizer, dummy: Any) -> Mapping[tuple[Any, ...], Fraction]:
    """Return the law of a dummy over the bundles of a table."""
    if dummy == UNIFORM:
        return _uniform(table)
    if len(dummy) == 2 and dummy[0] == INPUT:
        return table.table()[dummy[1]]
    return dict(dummy)


def _uniform(table: Randomizer) -> Mapping[tuple[Any, ...], Fraction]:
    if any(len(sent) != 1 for row in table.rows for sent, _ in row):
        raise InvalidValueError(
            'dummy="uniform" is one message, but users of this table do not all send one. Pass dummy=("input", x), or '
            "dummy={(message, message): probability, ...}."
        )
    return {(message,): Fraction(1, len(table.alphabet)) for message in table.alphabet}


def _dummy_words(dummy: Any) -> str:
    """Return what a dummy is, for reading."""
    if dummy is None:
        return "nothing"
    if dummy == UNIFORM:
        return "a uniformly random message"
    if len(dummy) == 2 and dummy[0] == INPUT:
        value = str(dummy[1]) if isinstance(dummy[1], Fraction) else repr(dummy[1])
        return f"a message of the input {short(value)}"
    if all(part == UNIFORM for part in dummy):
        return "uniformly random answers"
    return "a dummy of a stated law"
