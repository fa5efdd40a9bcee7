"""How a certificate writes what the package holds: numbers, parameters, laws and randomizers as JSON data, and back.

Every number has one spelling, so that equal claims have equal ids. Labels of inputs and messages are left out: indices
stand for them. docs/certificates.md describes the format.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from exactdp.engines.view_law import view_law
from exactdp.errors import InvalidValueError
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.laws.registry import FAMILIES, Parameter, family_of
from exactdp.models.dataset import histogram
from exactdp.models.randomizer import Randomizer
from exactdp.numbers.exact import as_integer
from exactdp.numbers.real import Operation, Real, as_real

if TYPE_CHECKING:
    from exactdp.protocol import ShuffleProtocol

__all__ = [
    "MessageSum",
    "Noise",
    "by_label",
    "read_integer",
    "read_noise",
    "read_randomizer",
    "read_rational",
    "write_integer",
    "write_noise",
    "write_randomizer",
    "write_rational",
    "write_weights",
]

_DECIMAL_BITS: Final = 256


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


Noise = Law | LatticeLaw | MessageSum


def write_integer(value: int) -> str:
    """Return the one spelling of an integer: decimal up to 256 bits, lowercase hexadecimal above."""
    return str(value) if value.bit_length() <= _DECIMAL_BITS else hex(value)


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


# --- Parameters -----------------------------------------------------------------------------------------------------


def _write_real(value: Fraction | Real) -> Any:
    """A rational as text; another real as the product of its coefficient, its power of e, and what does not fold."""
    real = as_real(value, name="a parameter")
    factors: list[Any] = [] if real.coefficient == 1 else [write_rational(real.coefficient)]
    if real.exponent:
        factors.append({"exp": write_rational(real.exponent)})
    if real.rest is not None:
        factors.append(_write_operation(real.rest))
    return {"product": factors} if len(factors) > 1 else factors[0] if factors else "1"


def _write_operation(operation: Operation) -> dict[str, Any]:
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
    first, *others = (as_real(_read_real(each), name=name) for each in inner)
    for other in others:
        first = first + other if name == "sum" else first * other
    return first


# --- Laws -----------------------------------------------------------------------------------------------------------


def write_noise(law: object) -> dict[str, Any]:
    """Return a law on integers as JSON data."""
    if isinstance(law, MessageSum):
        return _write_view(law)
    if isinstance(law, Law):
        return {"family": "finite", "weights": write_weights(law)}
    if (family := family_of(law)) is None:
        raise InvalidValueError(f"law is a {type(law).__name__}. Pass a Law on integers, or Binomial, Poisson, ...")
    values = {key: (getattr(law, key), kind) for key, kind in family.fields.items()}
    return {
        "family": family.name,
        **{key: write_integer(v) if kind is Parameter.INTEGER else _write_real(v) for key, (v, kind) in values.items()},
    }


def read_noise(data: Mapping[str, Any]) -> Law | LatticeLaw:
    """Return the law that is written so; that of a view is built."""
    if data["family"] == "finite":
        return Law({read_integer(k): read_rational(p) for k, p in data["weights"]})
    if data["family"] == "view":
        return _read_view(data)
    family = FAMILIES[data["family"]]
    build: Callable[..., LatticeLaw] = family.law
    readers = {key: read_integer if kind is Parameter.INTEGER else _read_real for key, kind in family.fields.items()}
    return build(*(read(data[key]) for key, read in readers.items()))


def write_weights(law: Law) -> list[list[str]]:
    """Return a finite law on integers as the list of its outcomes with their probabilities."""
    if not all(type(outcome) is int for outcome in law):
        raise InvalidValueError("the law has outcomes that are not ints. Map it to ints: law.map(f).")
    return [[write_integer(outcome), write_rational(p)] for outcome, p in sorted(law.items())]


def _write_view(view: MessageSum) -> dict[str, Any]:
    randomizer, n = view.protocol.randomizer, view.protocol.n
    weights = by_label(view.weights, randomizer.alphabet, "weights", "message")
    return {
        "family": "view",
        "randomizer": write_randomizer(randomizer),
        "dataset": list(map(write_integer, histogram(view.dataset, randomizer.inputs, users=n))),
        "weights": [write_integer(as_integer(weight, name="a weight")) for weight in weights],
    }


def _read_view(data: Mapping[str, Any]) -> Law:
    randomizer = read_randomizer(data["randomizer"])
    weights = [read_integer(data["weights"][message]) for message in randomizer.alphabet]
    law = view_law(randomizer, tuple(map(read_integer, data["dataset"])))
    return law.map(lambda counts: sum(w * c for w, c in zip(weights, counts, strict=True)))


# --- Randomizers ----------------------------------------------------------------------------------------------------


def write_randomizer(randomizer: Randomizer) -> dict[str, Any]:
    """Return the table of a randomizer, inputs and messages being indices."""
    rows = [
        [{"send": [write_integer(message) for message in send], "prob": write_rational(p)} for send, p in row]
        for row in randomizer.rows
    ]
    return {"messages": write_integer(len(randomizer.alphabet)), "rows": rows}


def read_randomizer(table: Mapping[str, Any]) -> Randomizer:
    """Return the randomizer whose labels are the indices of the claim."""
    return Randomizer(
        {
            x: {tuple(map(read_integer, entry["send"])): read_rational(entry["prob"]) for entry in row}
            for x, row in enumerate(table["rows"])
        }
    )


def by_label(values: Mapping[Any, Any], labels: tuple[Any, ...], name: str, kind: str) -> list[Any]:
    """Return the values in the order of the labels, one for each."""
    if unknown := [label for label in values if label not in labels]:
        raise InvalidValueError(f"{name} names the unknown {kind} {unknown[0]!r}. The {kind}s are {labels!r}.")
    if missing := [label for label in labels if label not in values]:
        raise InvalidValueError(f"{name} has no value for the {kind} {missing[0]!r}. Give one for every {kind}.")
    return [values[label] for label in labels]
