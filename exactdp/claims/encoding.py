"""How a certificate writes what the package holds: numbers, parameters, laws and randomizers as JSON data, and back.

Every number has one spelling, so that equal claims have equal ids. Labels of inputs and messages are left out: indices
stand for them. How a value is written follows from its type (``_WRITTEN``, at the end), so that a class of claims is
a list of typed fields (:class:`Encoded`). Nothing else of the package reads the JSON of a claim. docs/certificates.md
describes the format.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Generic, NamedTuple, Self, TypeAlias, TypeVar, final

from exactdp.errors import InvalidValueError
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.laws.registry import FAMILIES, LawFamily, Parameter, family_of
from exactdp.mechanisms.dataset import Neighbors, histogram
from exactdp.mechanisms.randomizer import Randomizer, Row
from exactdp.numbers.exact import as_integer
from exactdp.numbers.real import Operation, Real, as_real
from exactdp.privacy.shuffle.view_law import view_law
from exactdp.symbolic.box import Interval
from exactdp.symbolic.handelman import Inequality
from exactdp.symbolic.sums import ExpTerm, Polynomial

if TYPE_CHECKING:
    from exactdp.protocols.protocol import ShuffleProtocol

T = TypeVar("T")
E = TypeVar("E", bound="Encoded")

Json: TypeAlias = "str | Sequence[Json] | Mapping[str, Json]"
"""JSON data of a certificate; it holds no JSON numbers."""
JsonObject: TypeAlias = Mapping[str, Json]
Outcome: TypeAlias = tuple[tuple[int, ...], Fraction]
"""The messages that a user sends, with their probability."""

_DECIMAL_BITS: Final = 256
"""Integers up to this length are decimal: 78 digits are read at a glance and converted fast."""


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
    """A frozen dataclass that is written as a JSON object, each field as its type says.

    An annotation may hold another codec, or the word that stands for None. The key is the name of the field, unless its
    metadata give another as "key". ``family`` says of several classes which one it is.
    """

    __slots__ = ()

    family: ClassVar[str] = ""

    def encode(self) -> dict[str, Json]:
        """Return the value as JSON data."""
        data: dict[str, Json] = self._codec().write(self)
        return {"family": self.family, **data} if self.family else data

    @classmethod
    def decode(cls, data: Mapping[str, Any]) -> Self:
        """Return the value that is written so; nothing is checked, for the checker is what reads claims critically."""
        value: Self = cls._codec().read(data)
        return value

    @classmethod
    @cache
    def _codec(cls) -> Codec[Any]:
        """Return how the values are written: each field by its type."""
        hints = typing.get_type_hints(cls, include_extras=True)
        fields = dataclasses.fields(cls)  # type: ignore[arg-type]  # every subclass is a dataclass
        return _object(cls, [(part.name, part.metadata.get("key", part.name), hints[part.name]) for part in fields])


def _object(build: Callable[..., T], fields: Iterable[tuple[str, str, Any]]) -> Codec[T]:
    """Return the codec of a value that is an object, with the name, the key and the type of each of its fields."""
    codecs = [(name, key, _codec_of(hint)) for name, key, hint in fields]

    def write(value: T) -> dict[str, Json]:
        data: dict[str, Any] = {}
        for name, key, codec in codecs:
            written = codec.write(getattr(value, name))
            data |= written if codec.is_merged else {key: written}
        return data

    def read(data: Mapping[str, Any]) -> T:
        return build(**{name: codec.read(data if codec.is_merged else data[key]) for name, key, codec in codecs})

    return Codec(write, read)


def _structure(build: Callable[..., T], **hints: Any) -> Codec[T]:
    """Return the codec of a value that is an object with fields of these types."""
    return _object(build, [(name, name, hint) for name, hint in hints.items()])


def _codec_of(hint: Any) -> Codec[Any]:
    """Return how the values of a type are written."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        kind, note = arguments
        return note if isinstance(note, Codec) else _unless(note, _codec_of(typing.get_args(kind)[0]))
    if hint in _WRITTEN:
        return _WRITTEN[hint]
    return _several(_codec_of(arguments[0])) if origin is tuple else Codec(hint.encode, hint.decode)


def merged(kind: type[E]) -> Codec[E]:
    """Return the codec of a value whose fields stand among those of the object that holds it."""
    return Codec(kind.encode, kind.decode, is_merged=True)


def choice(words: Mapping[T, str]) -> Codec[T]:
    """Return the codec of a value for which a word stands."""
    values = {word: value for value, word in words.items()}
    return Codec(words.__getitem__, values.__getitem__)


def _several(part: Codec[T]) -> Codec[tuple[T, ...]]:
    return Codec(lambda values: list(map(part.write, values)), lambda listed: tuple(map(part.read, listed)))


def _unless(word: str, part: Codec[T]) -> Codec[T | None]:
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


@dataclass(frozen=True, slots=True)
class Written:
    """A number or a law of an open claim, which has functions of parameters, as the JSON data that is written."""

    data: Any


def write_number(value: Fraction | Written) -> Json:
    """Return a rational, or a function that stands in its place."""
    written: Json = value.data if isinstance(value, Written) else write_rational(value)
    return written


def read_rational(text: str) -> Fraction:
    """Return the rational that is spelt so."""
    top, _, bottom = text.partition("/")
    return Fraction(int(top, 0), int(bottom, 0) if bottom else 1)


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


# --- Randomizers ----------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Table(Encoded):
    """A randomizer without its labels: for each input the messages sent, as indices below ``messages``."""

    messages: int
    rows: tuple[Row, ...]

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

    family: ClassVar[str] = "view"

    randomizer: Table
    dataset: tuple[int, ...]
    weights: tuple[int, ...]

    @classmethod
    def of(cls, view: MessageSum, randomizer: Any, table: Table) -> ViewLaw:
        """Return the law of a sum over messages, given the table of the randomizer."""
        weights = by_label(view.weights, randomizer.alphabet, "weights", "message")
        users = histogram(view.dataset, randomizer.inputs, users=view.protocol.n)
        return cls(table, tuple(users), tuple(as_integer(weight, name="a weight") for weight in weights))

    def law(self) -> Law:
        """Compute the law."""
        randomizer = self.randomizer.randomizer()
        weights = [self.weights[message] for message in randomizer.alphabet]
        law = view_law(randomizer, self.dataset)
        return law.map(lambda counts: sum(w * c for w, c in zip(weights, counts, strict=True)))


Noise: TypeAlias = Law | LatticeLaw | MessageSum
"""The laws on the integers that a claim can be made about."""
NoiseLaw: TypeAlias = Law | LatticeLaw | ViewLaw
"""The same as claims hold them."""


def as_noise_law(law: Any) -> NoiseLaw:
    """Return the law as claims hold it: where the second schema has no word for it, a short one by its weights."""
    if isinstance(law, MessageSum):
        return ViewLaw.of(law, law.protocol.tabulated, Table.of(law.protocol.tabulated))
    family = family_of(law)
    stated: Law | LatticeLaw = law
    return stated.law() if family is not None and family.is_listed_if_short and law.lists_fast else stated


def drawn_from(law: NoiseLaw) -> Law | LatticeLaw:
    """Return the law as engines take it: that of a view is computed."""
    return law.law() if isinstance(law, ViewLaw) else law


def write_noise(law: NoiseLaw | Written) -> JsonObject:
    """Return a law on integers as JSON data."""
    if isinstance(law, Written):
        data: JsonObject = law.data
        return data
    if isinstance(law, ViewLaw):
        return law.encode()
    if isinstance(law, Law):  # what is passed may be anything
        return {"family": "finite", "weights": _write_weights(law)}
    if (family := family_of(law)) is None:
        raise InvalidValueError(f"law is a {type(law).__name__}. Pass a Law on integers, or Binomial, Poisson, ...")
    return {"family": family.name, **_parameters(family).write(law)}


def read_noise(data: Mapping[str, Any]) -> NoiseLaw:
    """Return the law that is written so."""
    if data["family"] == "finite":
        return _read_weights(data["weights"])
    if data["family"] == ViewLaw.family:
        return ViewLaw.decode(data)
    law: LatticeLaw = _parameters(FAMILIES[data["family"]]).read(data)
    return law


def _parameters(family: LawFamily) -> Codec[Any]:
    types = {name: int if kind is Parameter.INTEGER else Real for name, kind in family.fields.items()}
    return _structure(family.law, **types)


def _write_weights(law: Law) -> Json:
    if not all(type(outcome) is int for outcome in law):
        raise InvalidValueError("the law has outcomes that are not ints. Map it to ints: law.map(f).")
    return [[write_integer(outcome), write_rational(p)] for outcome, p in sorted(law.items())]


def _read_weights(listed: Any) -> Law:
    return Law({read_integer(outcome): read_rational(p) for outcome, p in listed})


# --- Polynomials and boxes ------------------------------------------------------------------------------------------


def _write_polynomial(polynomial: Polynomial) -> Json:
    return [[write_rational(coefficient), write_integers(powers)] for powers, coefficient in polynomial.items()]


def _read_polynomial(listed: Any) -> Polynomial:
    return {tuple(map(read_integer, powers)): read_rational(coefficient) for coefficient, powers in listed}


# --- By type --------------------------------------------------------------------------------------------------------

_WRITTEN: Final[dict[Any, Codec[Any]]] = {
    str: Codec(str, str),
    bool: choice({True: "yes", False: "no"}),
    int: Codec(write_integer, read_integer),
    Fraction: Codec(write_number, read_rational),
    Real: Codec(_write_real, _read_real),
    Polynomial: Codec(_write_polynomial, _read_polynomial),
    Neighbors: choice({relation: relation.value for relation in Neighbors}),
    Outcome: Codec(
        lambda entry: {"send": write_integers(entry[0]), "prob": write_number(entry[1])},
        lambda data: (tuple(map(read_integer, data["send"])), read_rational(data["prob"])),
    ),
    Law: Codec(_write_weights, _read_weights),
    NoiseLaw: Codec(write_noise, read_noise),
}
"""Type -> how its values are written. Other types are Encoded; a tuple is a list of values of one type."""

_WRITTEN[Inequality] = _structure(Inequality, polynomial=Polynomial, strict=bool)
_WRITTEN[ExpTerm] = _structure(ExpTerm, polynomial=Polynomial, exponent=Polynomial)
_END: Final = Annotated[bool, choice({True: "closed", False: "open"})]
_SIDE: Final = (("low", "low", Fraction), ("low_closed", "low_end", _END))
_WRITTEN[Interval] = _object(Interval, (*_SIDE, ("high", "high", Fraction), ("high_closed", "high_end", _END)))
