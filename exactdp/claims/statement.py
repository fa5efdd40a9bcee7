"""What a claim says, as a frozen class, and what the prover finds of it.

A kind is a class in a file of :mod:`exactdp.claims.kinds`: its fields are numbers, laws and tables and say how they
are written, ``of`` takes what users give and refuses what is no claim, ``decide`` asks the exact engines and looks for
a witness. The checker has a file of the same name, which reads the JSON, words it and checks witnesses.

Nothing here is trusted. An engine decides a claim; a witness is then looked for among candidates, and the first that
the checker, which shares no code with the engines, verifies is taken. If there is none, the verdict stands on the
engine alone, at level "enclosure".
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Final, TypeAlias

from exactdp.checker import budget
from exactdp.checker.reading import canonical
from exactdp.claims.encoding import Codec, Encoded, Json, JsonObject, read_rational, write_number
from exactdp.errors import InvalidValueError
from exactdp.numbers.epsilon import LogRational, PrivacyLevel, read_privacy_level
from exactdp.numbers.exact import Exact, as_probability
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.protocols.interface import Protocol

# --- Decisions ------------------------------------------------------------------------------------------------------


class Verdict(Enum):
    """What is known of a claim. Not a truth value: compare with ``is``.

    >>> bool(Verdict.UNDECIDED)
    Traceback (most recent call last):
    exactdp.errors.InvalidValueError: a verdict is not a truth value. Compare it: verdict is Verdict.PROVED.
    """

    PROVED = "PROVED"
    REFUTED = "REFUTED"
    UNDECIDED = "UNDECIDED"

    def __bool__(self) -> bool:
        raise InvalidValueError("a verdict is not a truth value. Compare it: verdict is Verdict.PROVED.")


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict with its witness, which is None if the checker cannot verify one, and the reason in words."""

    verdict: Verdict
    witness: JsonObject | None
    reason: str


def proved(reason: str, **witness: Json) -> Decision:
    """The claim holds."""
    return Decision(Verdict.PROVED, witness, reason)


def refuted(reason: str, **witness: Json) -> Decision:
    """The claim fails."""
    return Decision(Verdict.REFUTED, witness, reason)


def undecided(reason: str) -> Decision:
    """Neither was proved."""
    return Decision(Verdict.UNDECIDED, None, reason)


Value: TypeAlias = Interval | Fraction
"""A number, exactly or enclosed."""


def shown(value: Value) -> str:
    """Return a number for reading."""
    return short(value) if isinstance(value, Fraction) else str(value)


# --- Statements -----------------------------------------------------------------------------------------------------


_KINDS: Final[dict[str, type[Statement]]] = {}
"""Kind -> class; :mod:`exactdp.claims.kinds` fills it."""


class Statement(Encoded, ABC):
    """What a claim says; ``kind`` names it in the JSON, and subclasses without one of their own are forms of it."""

    __slots__ = ("_data",)
    kind: ClassVar[str]
    of: ClassVar[Callable[..., Statement]]
    """Return the statement about what users give, or refuse it; not every kind has it."""
    _data: dict[str, Any]

    def __init_subclass__(cls, kind: str | None = None, form_of: str | None = None) -> None:
        """Register the kind. (A dataclass with slots is a second class, which takes the place of the first.)"""
        if form_of is not None:
            cls.kind = form_of
            return
        cls.kind = cls.kind if kind is None else kind
        known = _KINDS.get(cls.kind)
        if kind or (known and known.__qualname__ == cls.__qualname__):
            _KINDS[cls.kind] = cls

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Statement:
        """Return the statement of this kind that is written so."""
        return cls.decode(data)

    @abstractmethod
    def decide(self, executor: Executor | None = None) -> Decision:
        """Decide the claim; what can be done in parts goes through the executor, if there is one."""

    @property
    def data(self) -> dict[str, Any]:
        """The claim as JSON data: as it was read, or made once."""
        try:
            return self._data
        except AttributeError:
            data: dict[str, Any] = json.loads(canonical({"kind": self.kind, **self.encode()}))
            object.__setattr__(self, "_data", data)
            return data

    def is_verified(self, verdict: Verdict, witness: JsonObject) -> bool:
        """Whether the checker verifies this witness."""
        return self._objection(verdict, witness) is None

    def first_verified(self, verdict: Verdict, reason: str, witnesses: Iterable[JsonObject]) -> Decision:
        """Return the decision with the first witness that the checker verifies."""
        failure = "The checker's methods do not reach this claim."
        for witness in witnesses:
            objection = self._objection(verdict, witness)
            if objection is None:
                return Decision(verdict, witness, reason)
            failure = f"The checker cannot confirm it: {objection}."
        return Decision(verdict, None, f"{reason} {failure}")

    def _objection(self, verdict: Verdict, witness: JsonObject) -> str | None:
        """Return what the checker says against a witness; None if it verifies it."""
        from exactdp.claims.checks import checked, document

        try:
            checked(canonical(document(self.data, verdict.value, json.loads(canonical(witness)))))
        except (budget.CertificateRejectedError, budget.MalformedCertificateError) as error:
            return str(error)
        return None


def read_statement(data: Mapping[str, Any]) -> Statement:
    """Return the statement that is written so; nothing is checked."""
    statement = _KINDS[data["kind"]].read(data)
    object.__setattr__(statement, "_data", data)
    return statement


def statement_of(protocol: Protocol, **level: Any) -> Statement | None:
    """Return that a protocol has a level of privacy; None where no claim states it."""
    stated = protocol.statement
    return None if stated is None else _KINDS[stated.kind].of(**stated.arguments, **level)


# --- Fields of several kinds ----------------------------------------------------------------------------------------


def _write_level(level: PrivacyLevel) -> JsonObject:
    return {name: write_number(value) for name, value in level.keywords.items()}


def _read_level(data: Mapping[str, Any]) -> PrivacyLevel:
    if "exp_eps" in data:
        return PrivacyLevel(read_rational(data["exp_eps"]))
    return PrivacyLevel(None, read_rational(data["eps"]))


Level: TypeAlias = Annotated[PrivacyLevel, Codec(_write_level, _read_level, is_merged=True)]
"""e^eps, or a rational eps; written under the name of the one that is given."""
Least: TypeAlias = Annotated[str | None, "none"]
"""What no smaller one will do for: "delta", "exp_eps" or nothing."""
Part: TypeAlias = Annotated[Statement, Codec(lambda statement: statement.data, read_statement)]
"""A claim that another one holds."""
OpenPart: TypeAlias = Annotated[str, Codec(json.loads, canonical)]
"""A part of a claim with functions of parameters for numbers, as canonical JSON text: what is at a point is a claim."""

_LEAST: Final = (None, "delta", "exp_eps")


def level_of(
    eps: Exact | LogRational | None, exp_eps: Any, delta: Any, least: str | None = None
) -> tuple[PrivacyLevel, Fraction]:
    """Return the level of privacy and delta, or refuse them."""
    level = read_privacy_level(eps=eps, exp_eps=exp_eps)
    if least not in _LEAST:
        raise InvalidValueError(f"least={least!r} is none of None, 'delta' and 'exp_eps'. Pass one of them.")
    if least is not None and level.eps is not None:
        raise InvalidValueError(
            f"least={least!r} with eps={short(level.eps)}, where e^eps is transcendental. Pass exp_eps, or a "
            "LogRational."
        )
    return level, as_probability(delta, name="delta")
