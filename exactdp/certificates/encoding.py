"""How a certificate writes what the package holds: numbers, parameters, laws and randomizers as JSON data, and back.

Every number has one spelling, so that equal claims have equal ids. Labels of inputs and messages are left out: indices
stand for them. A class of claims says in its annotations how each of its fields is written (:class:`Encoded`); what
they are written with stands here, and nothing else of the package reads the JSON of a claim. docs/certificates.md
describes the format.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Final, Generic, NamedTuple, Self, TypeAlias, TypeVar, get_type_hints

from exactdp.engines.view_law import view_law
from exactdp.errors import InvalidValueError
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.laws.registry import FAMILIES, LawFamily, Parameter, family_of
from exactdp.models.dataset import histogram
from exactdp.models.randomizer import Randomizer, Row
from exactdp.numbers.exact import as_integer
from exactdp.numbers.real import Operation, Real, as_real

if TYPE_CHECKING:
    from exactdp.protocol import ShuffleProtocol

__all__ = [
    "INTEGER",
    "RATIONAL",
    "Codec",
    "Encoded",
    "Integer",
    "Integers",
    "Json",
    "JsonObject",
    "MessageSum",
    "Noise",
    "NoiseLaw",
    "Rational",
    "Rationals",
    "Table",
    "ViewLaw",
    "Weights",
    "as_noise_law",
    "by_label",
    "canonical",
    "choice",
    "drawn_from",
    "merged",
    "read_integer",
    "read_noise",
    "read_rational",
    "record",
    "several",
    "structure",
    "unless",
    "write_integer",
    "write_integers",
    "write_noise",
    "write_rational",
]

T = TypeVar("T")
E = TypeVar("E", bound="Encoded")

Json: TypeAlias = "str | Sequence[Json] | Mapping[str, Json]"
"""JSON data of a certificate; it holds no JSON numbers."""
JsonObject: TypeAlias = Mapping[str, Json]

_DECIMAL_BITS: Final = 256
"""Integers up to this length are decimal: 78 digits are read at a glance and converted fast."""


def canonical(value: object) -> str:
    """Return the canonical JSON of a value: sorted keys, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


# --- Fields ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Codec(Generic[T]):
    """How values of one type are written as JSON data, and read back; ``read`` is given what ``json.loads`` returns.

    A value that ``is_merged`` is written as some keys of the object that it stands in, and read from that object.
    """

    write: Callable[[T], Any]
    read: Callable[[Any], T]
    is_merged: bool = False


class Encoded:
    """A frozen dataclass that is written as a JSON object: the annotation of each field holds its codec.

    A field without one is an Encoded value itself, and an object of its own. The key is the name of the field, unless
    its metadata give another as "key".
    """

    __slots__ = ()

    def encode(self) -> dict[str, Json]:
        """Return the value as JSON data."""
        data: dict[str, Any] = {}
        for name, key, codec in self._codecs():
            written = codec.write(getattr(self, name))
            data |= written if codec.is_merged else {key: written}
        return data

    @classmethod
    def decode(cls, data: Mapping[str, Any]) -> Self:
        """Return the value that is written so; nothing is checked, for the checker is what reads claims critically."""
        return cls(
            **{name: codec.read(data if codec.is_merged else data[key]) for name, key, codec in cls._codecs()},
        )

    @classmethod
    @cache
    def _codecs(cls) -> list[tuple[str, str, Codec[Any]]]:
        """Return each field with its key and its codec."""
        hints = get_type_hints(cls, include_extras=True)
        fields = dataclasses.fields(cls)  # type: ignore[arg-type]  # every subclass is a dataclass
        return [(part.name, part.metadata.get("key", part.name), _codec_of(hints[part.name])) for part in fields]


def _codec_of(hint: Any) -> Codec[Any]:
    return hint.__metadata__[0] if hasattr(hint, "__metadata__") else record(hint)


def record(kind: type[E]) -> Codec[E]:
    """Return the codec of a value that is an object of its own."""
    return Codec(kind.encode, kind.decode)


def merged(kind: type[E]) -> Codec[E]:
    """Return the codec of a value whose fields stand among those of the object that holds it."""
    return Codec(kind.encode, kind.decode, is_merged=True)


def structure(build: Callable[..., T], **fields: Codec[Any]) -> Codec[T]:
    """Return the codec of a value that is an object with these fields, which ``build`` takes in this order."""
    return Codec(
        lambda value: {name: codec.write(getattr(value, name)) for name, codec in fields.items()},
        lambda data: build(*(codec.read(data[name]) for name, codec in fields.items())),
    )


def several(part: Codec[T]) -> Codec[tuple[T, ...]]:
    """Return the codec of a list."""
    return Codec(lambda values: list(map(part.write, values)), lambda listed: tuple(map(part.read, listed)))


def choice(words: Mapping[T, str]) -> Codec[T]:
    """Return the codec of a value for which a word stands."""
    values = {word: value for value, word in words.items()}
    return Codec(words.__getitem__, values.__getitem__)


def unless(word: str, part: Codec[T]) -> Codec[T | None]:
    """Return the codec of a value that may be absent, for which this word stands."""
    return Codec(
        lambda value: word if value is None else part.write(value),
        lambda written: None if written == word else part.read(written),
    )


# --- Numbers --------------------------------------------------------------------------------------------------------


def write_integer(value: int) -> str:
    """Return the one spelling of an integer: decimal up to 256 bits, lowercase hexadecimal above."""
    return str(value) if value.bit_length() <= _DECIMAL_BITS else hex(value)


def write_integers(values: Sequence[int]) -> list[str]:
    """Return a list of integers, each in its one spelling."""
    return list(map(write_integer, values))


def read_integer(text: str) -> int:
    """Return the integer that is spelt so."""
    return int(text, 0)


def write_rational(value: Fraction) -> str:
    """Return the one spelling of a rational: an integer, or p/q in lowest terms with q > 1."""
    numerator = write_integer(value.numerator)
    return numerator if value.denominator == 1 else f"{numerator}/{write_integer(value.denominator)}"


def read_rational(text: str) -> Fraction:
    """Return the rational that is spelt so."""
    top, _, bottom = text.partition("/")
    return Fraction(int(top, 0), int(bottom, 0) if bottom else 1)


INTEGER: Final[Codec[int]] = Codec(write_integer, read_integer)
RATIONAL: Final[Codec[Fraction]] = Codec(write_rational, read_rational)

Integer: TypeAlias = Annotated[int, INTEGER]
Integers: TypeAlias = Annotated[tuple[int, ...], several(INTEGER)]
Rational: TypeAlias = Annotated[Fraction, RATIONAL]
Rationals: TypeAlias = Annotated[tuple[Fraction, ...], several(RATIONAL)]


# --- Parameters of laws ---------------------------------------------------------------------------------------------


def _write_real(value: Fraction | Real) -> Json:
    """A rational as text; another real as the product of its coefficient, its power of e, and what does not fold."""
    real = as_real(value, name="a parameter")
    factors: list[Json] = [] if real.coefficient == 1 else [write_rational(real.coefficient)]
    if real.exponent:
        factors.append({"exp": write_rational(real.exponent)})
    if real.rest is not None:
        factors.append(_write_operation(real.rest))
    return {"product": factors} if len(factors) > 1 else factors[0] if factors else "1"


def _write_operation(operation: Operation) -> JsonObject:
    terms = [_write_real(term) for term in operation.terms]
    return {operation.name: terms[0] if operation.name in ("exp", "log", "inverse") else terms}


def _read_real(value: Any) -> Fraction | Real:
    if isinstance(value, str):
        return read_rational(value)
    ((name, inner),) = value.items()
    if name in ("exp", "log", "inverse"):
        term = as_real(_read_real(inner), name=name)
        return Real.exp(term) if name == "exp" else Real.log(term) if name == "log" else 1 / term
    if name == "power":
        return as_real(_read_real(inner[0]), name="base") ** read_integer(inner[1])
    first, *others = (as_real(_read_real(part), name=name) for part in inner)
    for other in others:
        first = first + other if name == "sum" else first * other
    return first


_REAL: Final[Codec[Fraction | Real]] = Codec(_write_real, _read_real)


# --- Randomizers ----------------------------------------------------------------------------------------------------


def _write_entry(entry: tuple[tuple[int, ...], Fraction]) -> JsonObject:
    send, probability = entry
    return {"send": write_integers(send), "prob": write_rational(probability)}


def _read_entry(data: Mapping[str, Any]) -> tuple[tuple[int, ...], Fraction]:
    return tuple(map(read_integer, data["send"])), read_rational(data["prob"])


_ROW: Final[Codec[Row]] = several(Codec(_write_entry, _read_entry))


@dataclass(frozen=True, slots=True)
class Table(Encoded):
    """A randomizer without its labels: for each input the messages sent, as indices below ``messages``."""

    messages: Integer
    rows: Annotated[tuple[Row, ...], several(_ROW)]

    @classmethod
    def of(cls, randomizer: Randomizer) -> Table:
        """Return the table of a randomizer."""
        return cls(len(randomizer.alphabet), randomizer.rows)

    def randomizer(self) -> Randomizer:
        """Return the randomizer whose labels are the indices."""
        return Randomizer({x: dict(row) for x, row in enumerate(self.rows)})

    def count_law(self, x: int) -> dict[tuple[int, ...], Fraction]:
        """Return the law of the counts of the messages that a user with input ``x`` sends."""
        law: dict[tuple[int, ...], Fraction] = {}
        for send, probability in self.rows[x]:
            counts = tuple(map(send.count, range(self.messages)))
            law[counts] = law.get(counts, Fraction(0)) + probability
        return law


def by_label(values: Mapping[Any, T], labels: tuple[Any, ...], name: str, kind: str) -> list[T]:
    """Return the values in the order of the labels, one for each."""
    if unknown := [label for label in values if label not in labels]:
        raise InvalidValueError(f"{name} names the unknown {kind} {unknown[0]!r}. The {kind}s are {labels!r}.")
    if missing := [label for label in labels if label not in values]:
        raise InvalidValueError(f"{name} has no value for the {kind} {missing[0]!r}. Give one for every {kind}.")
    return [values[label] for label in labels]


# --- Laws -----------------------------------------------------------------------------------------------------------


class MessageSum(NamedTuple):
    """The law of a sum over all messages of one data set's view, each message counting with an integer weight.

    Args:
        protocol: its randomizer and n.
        dataset: the n users' inputs in any order, or input -> number of users.
        weights: message -> integer, for every message.
    """

    protocol: ShuffleProtocol
    dataset: Sequence[Any] | Mapping[Any, int]
    weights: Mapping[Any, int]


@dataclass(frozen=True, slots=True)
class ViewLaw(Encoded):
    """A :class:`MessageSum` without labels: inputs and messages are indices. It is written down and not computed."""

    randomizer: Table
    dataset: Integers
    weights: Integers

    @classmethod
    def of(cls, view: MessageSum) -> ViewLaw:
        """Return the law of a sum over messages."""
        randomizer = view.protocol.randomizer
        weights = by_label(view.weights, randomizer.alphabet, "weights", "message")
        users = histogram(view.dataset, randomizer.inputs, users=view.protocol.n)
        return cls(Table.of(randomizer), tuple(users), tuple(as_integer(weight, name="a weight") for weight in weights))

    def law(self) -> Law:
        """Compute the law."""
        randomizer = self.randomizer.randomizer()
        weights = [self.weights[message] for message in randomizer.alphabet]
        law = view_law(randomizer, self.dataset)
        return law.map(lambda counts: sum(w * c for w, c in zip(weights, counts, strict=True)))


Noise: TypeAlias = Law | LatticeLaw | MessageSum
"""The laws on the integers that a claim can be made about."""


def as_noise_law(law: Noise) -> Law | LatticeLaw | ViewLaw:
    """Return the law as claims hold it: a short law that the checker does not know by the list of its weights."""
    if isinstance(law, MessageSum):
        return ViewLaw.of(law)
    family = family_of(law)
    return law if family is None or family.is_checked or not law.lists_fast else law.law()


def drawn_from(law: Law | LatticeLaw | ViewLaw) -> Law | LatticeLaw:
    """Return the law as engines take it: that of a view is computed."""
    return law.law() if isinstance(law, ViewLaw) else law


def write_noise(law: Law | LatticeLaw | ViewLaw) -> JsonObject:
    """Return a law on integers as JSON data."""
    if isinstance(law, ViewLaw):
        return {"family": "view", **law.encode()}
    if isinstance(law, Law):  # what is passed may be anything
        return {"family": "finite", "weights": _write_weights(law)}
    if (family := family_of(law)) is None:
        raise InvalidValueError(f"law is a {type(law).__name__}. Pass a Law on integers, or Binomial, Poisson, ...")
    return {"family": family.name, **_parameters(family).write(law)}


def read_noise(data: Mapping[str, Any]) -> Law | LatticeLaw | ViewLaw:
    """Return the law that is written so."""
    if data["family"] == "finite":
        return _read_weights(data["weights"])
    if data["family"] == "view":
        return ViewLaw.decode(data)
    law: LatticeLaw = _parameters(FAMILIES[data["family"]]).read(data)
    return law


def _parameters(family: LawFamily) -> Codec[Any]:
    written: dict[str, Codec[Any]] = {
        name: INTEGER if kind is Parameter.INTEGER else _REAL for name, kind in family.fields.items()
    }
    return structure(family.law, **written)


def _write_weights(law: Law) -> Json:
    if not all(type(outcome) is int for outcome in law):
        raise InvalidValueError("the law has outcomes that are not ints. Map it to ints: law.map(f).")
    return [[write_integer(outcome), write_rational(p)] for outcome, p in sorted(law.items())]


def _read_weights(listed: Any) -> Law:
    return Law({read_integer(outcome): read_rational(p) for outcome, p in listed})


NoiseLaw: TypeAlias = Annotated[Law | LatticeLaw | ViewLaw, Codec(write_noise, read_noise)]
"""A law on the integers, with its family named."""
Weights: TypeAlias = Annotated[Law, Codec(_write_weights, _read_weights)]
"""A finite law on the integers, as the list of its outcomes with their probabilities."""
