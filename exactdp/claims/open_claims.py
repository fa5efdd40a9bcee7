"""Claims whose numbers are functions of parameters; ``Claim.for_all`` says for which values they hold.

A function is a number, a SymPy expression, or text such as "(1 - gamma)^2", as :mod:`exactdp.symbolic` reads it. What
it means follows from the parameters of the box, so it is read there. SymPy is imported only for those who bring it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from exactdp.checker.limits import MAX_DELTAS
from exactdp.claims.encoding import (
    Json,
    MessageSum,
    Table,
    by_label,
    read_rational,
    write_integer,
    write_integers,
    write_rational,
)
from exactdp.errors import InvalidValueError
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.mechanisms.dataset import Neighbors, histogram
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.exact import as_integer
from exactdp.protocols.protocol import ShuffleProtocol
from exactdp.symbolic.box import Box, Interval, as_side
from exactdp.symbolic.functions_of_parameters import FunctionLike, as_function, parameter_name
from exactdp.symbolic.rational_functions import RationalFunction
from exactdp.symbolic.sums import Polynomial
from exactdp.symbolic.symbolic_randomizer import BoxLike, SymbolicRandomizer, with_positive_denominator

if TYPE_CHECKING:
    from exactdp.symbolic.symbolic_deltas import DeltaPiece, EventPolynomials, SymbolicDelta


class Trials(NamedTuple):
    """The binomial law of ``n`` trials whose probability ``p`` is a function of parameters."""

    n: int
    p: FunctionLike


OpenLaw: TypeAlias = "Law | LatticeLaw | MessageSum | Trials | Mapping[int, FunctionLike]"
"""A law on the integers whose probabilities may be functions: a mapping lists them."""


DeltaLike: TypeAlias = "FunctionLike | Sequence[FunctionLike] | SymbolicDelta | EventPolynomials"
"""delta as a function, or as the largest of several."""


@dataclass(frozen=True, slots=True)
class _Function:
    """A function as it was given, and what it is called."""

    given: Any
    name: str

    def written(self, parameters: Sequence[str], box: Box) -> Json:
        """Return the one way in which certificates write the function."""
        read = with_positive_denominator(as_function(self.given, parameters, name=self.name), box, name=self.name)
        return write_function(read)


@dataclass(frozen=True, slots=True)
class OpenClaim:
    """What is claimed for all parameters of a box: a claim of a kind, with functions of the parameters for numbers.

    Made by the class methods, which take what those of ``Claim`` take; e^eps is given as ``exp_eps``. Their errors, but
    for wrong types, come when ``Claim.for_all`` reads the functions.
    """

    kind: str
    fields: Mapping[str, Any]

    @classmethod
    def shuffle_dp(
        cls,
        protocol: ShuffleProtocol,
        *,
        exp_eps: FunctionLike,
        delta: DeltaLike,
        neighbors: Neighbors = Neighbors.REPLACE_ONE,
        all_n_from: int | None = None,
        least: str | None = None,
    ) -> OpenClaim:
        """The shuffled protocol is (eps, delta)-DP, as :meth:`Claim.shuffle_dp` says it.

        ``delta`` may be the largest of several functions: a list of them, or the answer of ``symbolic.profile``. With
        ``least`` "delta" no smaller delta will do, anywhere in the box.

        >>> from exactdp import ShuffleProtocol
        >>> from exactdp.symbolic import SymbolicRandomizer
        >>> table = {0: {(0,): "1 - p", (1,): "p"}, 1: {(0,): "p", (1,): "1 - p"}}
        >>> flips = ShuffleProtocol(SymbolicRandomizer(table, {"p": ("1/8", "1/2")}), 2)
        >>> OpenClaim.shuffle_dp(flips, exp_eps=2, delta="1 - 2*p").kind
        'shuffle_dp'
        """
        n = protocol.n if all_n_from is None else as_integer(all_n_from, name="all_n_from", at_least=1)
        if all_n_from is not None and least is not None:
            raise InvalidValueError(
                f"least={least!r} with all_n_from={all_n_from}: the least delta may fall as n grows. Leave one of them "
                "out."
            )
        return cls(
            "shuffle_dp",
            {
                "randomizer": _randomizer(protocol.randomizer),
                "n": write_integer(n),
                "scope": "this n" if all_n_from is None else "all n from n",
                "neighbors": neighbors.value,
                **_level(exp_eps, delta),
                "least": _least(least),
            },
        )

    @classmethod
    def shift_dp(
        cls, law: OpenLaw, *, shift: int = 1, exp_eps: FunctionLike, delta: DeltaLike, least: str | None = None
    ) -> OpenClaim:
        """An integer query of sensitivity ``shift`` plus noise is (eps, delta)-DP, as for ``Claim.shift_dp``.

        ``delta`` and ``least`` are as for :meth:`shuffle_dp`.
        """
        longest = write_integer(as_integer(shift, name="shift", at_least=1))
        level = _level(exp_eps, delta)
        return cls("shift_dp", {"law": _law(law), "shift": longest, **level, "least": _least(least)})

    @classmethod
    def smooth(cls, law: OpenLaw, *, k: int, exp_eps: FunctionLike, delta: FunctionLike) -> OpenClaim:
        """The law is (eps, delta, k)-smooth, as :meth:`Claim.smooth` says it."""
        reach = write_integer(as_integer(k, name="k", at_least=1))
        return cls("smooth", {"law": _law(law), "k": reach, **_level(exp_eps, delta)})

    @classmethod
    def tail(
        cls,
        law: OpenLaw,
        *,
        low: int | None = None,
        high: int | None = None,
        at_most: FunctionLike | None = None,
        at_least: FunctionLike | None = None,
    ) -> OpenClaim:
        """P[low <= Y <= high] is at most, or at least, a probability, as :meth:`Claim.tail` says it."""
        if (at_most is None) == (at_least is None):
            given = "neither" if at_most is None else "both"
            raise InvalidValueError(f"{given} of at_most and at_least given. Pass one.")
        bound = _Function(at_least, "at_least") if at_most is None else _Function(at_most, "at_most")
        return cls(
            "tail",
            {
                "law": _law(law),
                "from": "-infinity" if low is None else write_integer(as_integer(low, name="low")),
                "to": "infinity" if high is None else write_integer(as_integer(high, name="high")),
                "bound": "at least" if at_most is None else "at most",
                "probability": bound,
            },
        )

    @classmethod
    def equal_laws(cls, first: OpenLaw, second: OpenLaw) -> OpenClaim:
        """Two laws on the integers are the same."""
        return cls("equal_laws", {"first": _law(first), "second": _law(second)})

    def encode(self, parameters: Sequence[str], box: Box) -> Json:
        """Return the claim as JSON data, with functions of these parameters in the order of their exponents."""
        written: Json = _written({"kind": self.kind, **self.fields}, parameters, box)
        return written


def _level(exp_eps: FunctionLike, delta: DeltaLike) -> dict[str, Any]:
    """Return e^eps and delta, which are still to be read; of functions that are equal one is enough."""
    from exactdp.symbolic.symbolic_deltas import EventPolynomials, SymbolicDelta

    given: Any = delta
    if isinstance(delta, SymbolicDelta):
        given = [piece.value for i, piece in enumerate(delta.pieces) if piece.value not in _values(delta.pieces[:i])]
    elif isinstance(delta, EventPolynomials):
        given = list(delta.events)
    if not isinstance(given, list | tuple):
        return {"exp_eps": _Function(exp_eps, "exp_eps"), "delta": _Function(given, "delta")}
    if not given:
        raise InvalidValueError("delta is the largest of no functions. Give at least one.")
    if len(given) > MAX_DELTAS:
        raise InvalidValueError(
            f"delta is the largest of {len(given)} functions. Certificates take {MAX_DELTAS}. Leave out those that are "
            "nowhere the largest, or claim parts of the box."
        )
    listed = [_Function(function, "delta") for function in given]
    return {"exp_eps": _Function(exp_eps, "exp_eps"), "delta": listed[0] if len(listed) == 1 else {"max": listed}}


def _values(pieces: Sequence[DeltaPiece]) -> list[RationalFunction]:
    return [piece.value for piece in pieces]


def _least(least: object) -> str:
    if least not in (None, "delta"):
        raise InvalidValueError(f'least={least!r} is unknown. For a whole box, pass "delta" or None.')
    return "none" if least is None else "delta"


def _randomizer(randomizer: object) -> dict[str, Any]:
    """Return a table whose probabilities are still to be read."""
    if isinstance(randomizer, Randomizer):
        messages, rows = len(randomizer.alphabet), Table.of(randomizer).rows
    elif isinstance(randomizer, SymbolicRandomizer):
        messages, rows = len(randomizer.alphabet), randomizer.rows  # type: ignore[assignment]
    else:
        raise InvalidValueError(
            f"the randomizer is a {type(randomizer).__name__}. Pass a ShuffleProtocol of a SymbolicRandomizer, or of a "
            "table."
        )
    listed = [[{"send": write_integers(send), "prob": _Function(p, "prob")} for send, p in row] for row in rows]
    return {"messages": write_integer(messages), "rows": listed}


def read_box(box: BoxLike) -> tuple[tuple[str, ...], Box]:
    """Return the names of the parameters and their intervals."""
    if not isinstance(box, Mapping) or not box:
        raise InvalidValueError('the box is empty. Give each parameter an interval: {"gamma": ("1/10", "9/10")}.')
    names = tuple(map(parameter_name, box))
    if len(set(names)) < len(names):
        raise InvalidValueError(f"the box has two intervals for one name of {names!r}. Keep one of them.")
    sides = [
        side if isinstance(side, Interval) else as_side(name, side)
        for name, side in zip(names, box.values(), strict=True)
    ]
    return names, tuple(sides)


def write_table(randomizer: SymbolicRandomizer, parameters: Sequence[str], box: Box) -> Json:
    """Return a table with functions of these parameters for probabilities as certificates write it."""
    written: Json = _written(_randomizer(randomizer), parameters, box)
    return written


def _law(law: object) -> dict[str, Any]:
    """Return a law on the integers whose probabilities are still to be read."""
    if isinstance(law, Trials):
        return {"family": "binomial", "n": write_integer(law.n), "p": _Function(law.p, "p")}
    if isinstance(law, MessageSum):
        randomizer = law.protocol.randomizer
        if not isinstance(randomizer, SymbolicRandomizer):
            randomizer = law.protocol.tabulated
        users = histogram(law.dataset, randomizer.inputs, users=law.protocol.n)
        weights = by_label(law.weights, randomizer.alphabet, "weights", "message")
        return {
            "family": "view",
            "randomizer": _randomizer(randomizer),
            "dataset": write_integers(users),
            "weights": write_integers([as_integer(weight, name="a weight") for weight in weights]),
        }
    if isinstance(law, LatticeLaw) and law.lists_fast:
        law = law.law()
    if not isinstance(law, Mapping | Law) or not all(type(outcome) is int for outcome in law):
        raise InvalidValueError(
            f"the law is a {type(law).__name__} that is not listed by integers. Pass a mapping from integers to "
            "probabilities, a law that is finite and short, Trials or a MessageSum."
        )
    entries = sorted(law.items())
    return {"family": "finite", "weights": [[write_integer(k), _Function(p, f"P[{k}]")] for k, p in entries]}


def _written(value: Any, parameters: Sequence[str], box: Box) -> Any:
    if isinstance(value, _Function):
        return value.written(parameters, box)
    if isinstance(value, Mapping):
        fields = {key: _written(part, parameters, box) for key, part in value.items()}
        if fields.get("family") == "finite":
            fields["weights"] = [entry for entry in fields["weights"] if entry[1] != "0"]
        return fields
    return [_written(part, parameters, box) for part in value] if isinstance(value, list) else value


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
