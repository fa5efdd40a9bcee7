"""Claims whose numbers are functions of parameters; ``Claim.for_all`` says for which values they hold.

A function is a number, a SymPy expression, or text such as "(1 - gamma)^2", as :mod:`exactdp.symbolic` reads it. The
JSON of such an open claim has a marked object where a number stands in others, with the function, the names of its
variables, and what it is called; the parameters of a box give them their order. SymPy is imported only for those who
bring it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, TypeAlias

from exactdp.checker.limits import MAX_DELTAS
from exactdp.checker.reading import canonical
from exactdp.claims.encoding import (
    Json,
    MessageSum,
    Table,
    ViewLaw,
    Written,
    read_rational,
    write_integer,
    write_integers,
    write_rational,
)
from exactdp.claims.statement import Decision, Statement
from exactdp.errors import InvalidValueError
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.epsilon import LogRational, PrivacyLevel, read_privacy_level
from exactdp.numbers.exact import Exact
from exactdp.numbers.symbols import is_symbolic
from exactdp.symbolic.box import Box
from exactdp.symbolic.functions_of_parameters import FunctionLike, as_function
from exactdp.symbolic.grammar import read_expression
from exactdp.symbolic.rational_functions import RationalFunction
from exactdp.symbolic.sums import Polynomial
from exactdp.symbolic.symbolic_randomizer import SymbolicRandomizer, with_positive_denominator

if TYPE_CHECKING:
    from exactdp.symbolic.symbolic_deltas import EventPolynomials, SymbolicDelta


class Trials(NamedTuple):
    """The binomial law of ``n`` trials whose probability ``p`` is a function of parameters."""

    n: int
    p: FunctionLike


OpenLaw: TypeAlias = "Law | LatticeLaw | MessageSum | Trials | Mapping[int, FunctionLike]"
"""A law on the integers whose probabilities may be functions: a mapping lists them."""
DeltaLike: TypeAlias = "FunctionLike | Sequence[FunctionLike] | SymbolicDelta | EventPolynomials"
"""delta as a function, or as the largest of several."""

_MARK: Final = "function"
"""The key of a marked object."""
_NUMBERS: Final = re.compile(r"[0-9._]+([eE][+-]?[0-9]+)?|nan|inf(inity)?", re.IGNORECASE)
"""What has letters in the text of a number, or of none."""


@dataclass(frozen=True, slots=True)
class Open(Statement, kind=""):
    """A claim of some kind, with functions for numbers: it says nothing until a box gives its parameters values."""

    fields: str
    """As canonical JSON text, with marked objects."""

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Open:
        """Return the claim that is written so."""
        return cls(canonical(data))

    @property
    def data(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self.fields)
        return data

    def decide(self, executor: Executor | None = None) -> Decision:
        """Refuse it."""
        refuse_open(self.data)


def is_open(data: object) -> bool:
    """Whether JSON data of a claim has a function of parameters."""
    return any(True for _ in _marks(data))


def refuse_open(data: object) -> NoReturn:
    """Say that a claim is none before its parameters have values."""
    names = list(dict.fromkeys(name for mark in _marks(data) for name in mark["of"]))
    box = ", ".join(f'"{name}": (low, high)' for name in names or ["p"])
    what = f"has the parameters {', '.join(names)}" if names else "is one for a box of parameters"
    raise InvalidValueError(
        f"the claim {what}, and says nothing before they have values. Say for which it holds: "
        f"Claim.for_all({{{box}}}, claim)."
    )


def at_box(data: Any, parameters: Sequence[str], box: Box) -> Any:
    """Return JSON data of a claim, or a part, with each function in these parameters, as certificates write it."""
    if isinstance(data, dict):
        if _MARK in data:
            function = read_function(data[_MARK], tuple(data["of"]))
            read = as_function(function, parameters, name=data["name"])
            return write_function(with_positive_denominator(read, box, name=data["name"]))
        fields = {key: at_box(part, parameters, box) for key, part in data.items()}
        if fields.get("family") == "finite":
            fields["weights"] = [entry for entry in fields["weights"] if entry[1] != "0"]
        return fields
    return [at_box(part, parameters, box) for part in data] if isinstance(data, list) else data


def _marks(data: Any) -> Iterator[dict[str, Any]]:
    if isinstance(data, dict):
        if _MARK in data:
            yield data
        else:
            for part in data.values():
                yield from _marks(part)
    elif isinstance(data, list):
        for part in data:
            yield from _marks(part)


# --- What is given --------------------------------------------------------------------------------------------------


def has_functions(*given: object) -> bool:
    """Whether one of these is, or holds, a function of parameters, as it is given for a number, a law or a table."""
    return any(map(_is_function, given))


def _is_function(given: object) -> bool:
    if isinstance(given, str):
        return any(map(str.isalpha, _NUMBERS.sub("", given)))
    if isinstance(given, MessageSum):
        return isinstance(getattr(given.protocol, "randomizer", None), SymbolicRandomizer)
    if isinstance(given, Law):
        return False
    return isinstance(given, RationalFunction | SymbolicRandomizer | Trials | Mapping | list | tuple) or (
        bool(getattr(given, "free_symbols", ())) or type(given).__name__ in ("SymbolicDelta", "EventPolynomials")
    )


def marked(given: object, name: str) -> Any:
    """Return a function of parameters, or a number, as an open claim holds it in the place of a number."""
    if isinstance(given, str) and _is_function(given):
        given = read_expression(given, name=name)
    names = [str(symbol) for symbol in getattr(given, "free_symbols", ())] if is_symbolic(given) else []
    parameters = given.names if isinstance(given, RationalFunction) else tuple(sorted(names))
    function = as_function(given, parameters, name=name)
    return Written({_MARK: write_function(function), "of": list(parameters), "name": name})


def open_level(
    eps: Exact | LogRational | None, exp_eps: FunctionLike | None, delta: DeltaLike, least: str | None = None
) -> tuple[PrivacyLevel, Any]:
    """Return e^eps and delta; of functions that are equal one is enough."""
    from exactdp.symbolic.symbolic_deltas import EventPolynomials, SymbolicDelta

    if eps is not None or exp_eps is None:
        read_privacy_level(eps=eps, exp_eps=None)
        raise InvalidValueError("eps is given with functions of parameters, which are rational. Pass exp_eps.")
    if least not in (None, "delta"):
        raise InvalidValueError(f'least={least!r} is unknown. For a whole box, pass "delta" or None.')
    given: Any = delta
    if isinstance(delta, SymbolicDelta):
        values = [piece.value for piece in delta.pieces]
        given = [value for i, value in enumerate(values) if value not in values[:i]]
    elif isinstance(delta, EventPolynomials):
        given = list(delta.events)
    level = PrivacyLevel(marked(exp_eps, "exp_eps"))
    if not isinstance(given, list | tuple):
        return level, marked(given, "delta")
    if not given:
        raise InvalidValueError("delta is the largest of no functions. Give at least one.")
    if len(given) > MAX_DELTAS:
        raise InvalidValueError(
            f"delta is the largest of {len(given)} functions. Certificates take {MAX_DELTAS}. Leave out those that are "
            "nowhere the largest, or claim parts of the box."
        )
    listed = [marked(function, "delta") for function in given]
    return level, listed[0] if len(listed) == 1 else Written({"max": [one.data for one in listed]})


def open_table(randomizer: object) -> Table:
    """Return a table whose probabilities may be functions."""
    if not isinstance(randomizer, Randomizer | SymbolicRandomizer):
        raise InvalidValueError(
            f"the randomizer is a {type(randomizer).__name__}. Pass a ShuffleProtocol of a SymbolicRandomizer, or of a "
            "table."
        )
    rows = (tuple((send, marked(p, "prob")) for send, p in row) for row in randomizer.rows)
    return Table(len(randomizer.alphabet), tuple(rows))


def open_law(law: object) -> Any:
    """Return a law on the integers whose probabilities may be functions."""
    if isinstance(law, Trials):
        return Written({"family": "binomial", "n": write_integer(law.n), "p": marked(law.p, "p").data})
    if isinstance(law, MessageSum):
        randomizer = law.protocol.randomizer
        if not isinstance(randomizer, SymbolicRandomizer):
            randomizer = law.protocol.tabulated
        return ViewLaw.of(law, randomizer, open_table(randomizer))
    if isinstance(law, LatticeLaw) and law.lists_fast:
        law = law.law()
    if not isinstance(law, Mapping | Law) or not all(type(outcome) is int for outcome in law):
        raise InvalidValueError(
            f"the law is a {type(law).__name__} that is not listed by integers. Pass a mapping from integers to "
            "probabilities, a law that is finite and short, Trials or a MessageSum."
        )
    entries = sorted(law.items())
    return Written({"family": "finite", "weights": [[write_integer(k), marked(p, f"P[{k}]").data] for k, p in entries]})


# --- Pickles of 0.2 --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Function:
    """A number of an open claim of 0.2: a function as it was given, and what it was called."""

    given: Any
    name: str


def old_open_claim(kind: str, fields: Mapping[str, Any]) -> str:
    """Return the text of an open claim of 0.2, whose fields have such functions."""

    def written(value: Any) -> Any:
        if isinstance(value, _Function):
            return marked(value.given, value.name).data
        if isinstance(value, Mapping):
            return {key: written(part) for key, part in value.items()}
        return [written(part) for part in value] if isinstance(value, list) else value

    return canonical({"kind": kind, **written(fields)})


# --- Functions as certificates write them ----------------------------------------------------------------------------


def write_table(randomizer: SymbolicRandomizer, parameters: Sequence[str], box: Box) -> Json:
    """Return a table with functions of these parameters for probabilities as certificates write it."""
    written: Json = at_box(open_table(randomizer).encode(), parameters, box)
    return written


def write_function(function: RationalFunction) -> Json:
    """Return a function of parameters as certificates write it: a number, a polynomial, or a quotient."""
    number = function.number if function.numerator else Fraction(0)
    if number is not None:
        return write_rational(number)
    if function.is_polynomial:
        return _write_polynomial(function.numerator)
    return {"top": _write_polynomial(function.numerator), "bottom": _write_polynomial(function.denominator)}


def _write_polynomial(polynomial: Polynomial) -> Json:
    return [[write_rational(c), write_integers(e)] for e, c in sorted(polynomial.items())]


def read_function(written: Any, variables: tuple[str, ...]) -> RationalFunction:
    """Return the function that is written so, in these variables, the first of which it has."""
    if isinstance(written, str):
        return RationalFunction.constant(read_rational(written), variables)
    more, one = (0,) * len(variables), {(0,) * len(variables): Fraction(1)}
    parts = [written["top"], written["bottom"]] if isinstance(written, dict) else [written]
    top, *bottom = ({(*map(int, e), *more)[: len(more)]: read_rational(c) for c, e in part} for part in parts)
    return RationalFunction(variables, top, bottom[0] if bottom else one)
