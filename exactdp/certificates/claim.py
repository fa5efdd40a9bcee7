"""Statements as data: what a certificate claims, with nothing of how it is proved.

A claim is canonical JSON text, so it is immutable, hashable and picklable, and its id is the sha256 of that text.
Inputs and messages are indices: labels are for people and enter no claim. Every kind, field and number format is
described in docs/certificates.md.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from exactdp.errors import InvalidValueError
from exactdp.laws.binomial import Binomial
from exactdp.laws.finite import Law
from exactdp.models.neighbors import Neighbors
from exactdp.models.randomizer import Randomizer
from exactdp.numbers.exact import Exact, as_fraction, as_integer, as_probability, short
from exactdp.privacy.epsilon import LogRational

if TYPE_CHECKING:
    from exactdp.protocol import ShuffleProtocol

__all__ = ["Claim", "Condition", "write_integer", "write_rational"]

_DECIMAL_BITS: Final = 256
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,31}")
_LEAST: Final = (None, "delta", "exp_eps")


class Condition(NamedTuple):
    """A polynomial that is at least 0, or above 0 where ``strict``: exponents of the variables -> coefficient.

    With variables x, y, ``Condition({(1, 0): 1, (0, 2): "-1/2"})`` is x - y^2/2 >= 0.
    """

    polynomial: Mapping[tuple[int, ...], Exact]
    strict: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Claim:
    """A statement that a certificate can be about; made by the class methods below, each of which states it.

    ``text`` is the canonical JSON of the claim. Two claims are equal iff their texts are.

    >>> claim = Claim.shift_dp(Binomial(2, "1/2"), exp_eps=2, delta="1/4")
    >>> claim.kind, claim
    ('shift_dp', Claim(shift_dp, 071724a746b4))
    """

    text: str

    @property
    def data(self) -> dict[str, Any]:
        """The claim as JSON data: objects, lists and strings only. A new copy each time."""
        data: dict[str, Any] = json.loads(self.text)
        return data

    @property
    def kind(self) -> str:
        """The kind of statement: shuffle_dp, never_dp, shift_dp, additive_view, zero_estimate, inequality, ..."""
        kind: str = self.data["kind"]
        return kind

    def digest(self) -> str:
        """Return the claim's id: the sha256 of its canonical JSON, in hexadecimal."""
        return hashlib.sha256(self.text.encode("ascii")).hexdigest()

    def to_json(self) -> str:
        """Return the canonical JSON of the claim."""
        return self.text

    def __repr__(self) -> str:
        return f"Claim({self.kind}, {self.digest()[:12]})"

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Claim:
        """Return the claim with this JSON data, unchecked: the checker is what reads claims critically."""
        return cls(json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True))

    @classmethod
    def shuffle_dp(
        cls,
        protocol: ShuffleProtocol,
        *,
        eps: Exact | LogRational | None = None,
        exp_eps: Exact | None = None,
        delta: Exact,
        neighbors: Neighbors = Neighbors.REPLACE_ONE,
        all_n_from: int | None = None,
        least: str | None = None,
    ) -> Claim:
        """The shuffled protocol is (eps, delta)-DP: every two neighbouring data sets, both orders.

        Args:
            protocol: its randomizer and, unless ``all_n_from`` is given, its n.
            eps, exp_eps: one of eps >= 0 and e^eps >= 1. A ``LogRational`` eps is an exact e^eps.
            delta: in [0, 1].
            neighbors: the neighbouring relation.
            all_n_from: where given, the claim is about every number of users from this one on, all running this one
                randomizer.
            least: "delta" or "exp_eps" adds that no smaller one will do (with ``all_n_from``: "exp_eps" with delta 0
                only, at no number of users).
        """
        _check_shuffle(protocol)
        level = _level(eps, exp_eps, delta, least)
        if all_n_from is not None and least is not None and (least == "delta" or level["delta"] != "0"):
            raise InvalidValueError(
                f"least={least!r} with all_n_from={all_n_from} and delta={level['delta']}: the least value may depend "
                "on n. Claim it for one n, or exp_eps with delta=0."
            )
        if all_n_from is not None and least is not None and neighbors is Neighbors.ADD_OR_REMOVE_ONE:
            raise InvalidValueError(
                f"least={least!r} with all_n_from={all_n_from} and neighbors={neighbors.value}: only a protocol that "
                "sends nothing is pure DP there. Claim it for one n."
            )
        n = protocol.n if all_n_from is None else as_integer(all_n_from, name="all_n_from", at_least=1)
        scope = "this n" if all_n_from is None else "all n from n"
        view = {
            "randomizer": _randomizer(protocol.randomizer),
            "n": write_integer(n),
            "neighbors": _relation(neighbors),
        }
        return cls.from_data({"kind": "shuffle_dp", **view, "scope": scope, **level})

    @classmethod
    def never_dp(
        cls, protocol: ShuffleProtocol, *, delta_below: Exact, neighbors: Neighbors = Neighbors.REPLACE_ONE
    ) -> Claim:
        """For no finite eps and no delta < ``delta_below`` is the shuffled protocol (eps, delta)-DP.

        The same about the randomizer itself, without a shuffler, is the claim about one user of ``randomizer.local()``.
        """
        _check_shuffle(protocol)
        bound = as_probability(delta_below, name="delta_below")
        if bound == 0:
            raise InvalidValueError("delta_below=0 leaves no delta. Pass a number in (0, 1].")
        view = {
            "randomizer": _randomizer(protocol.randomizer),
            "n": write_integer(protocol.n),
            "neighbors": _relation(neighbors),
        }
        return cls.from_data({"kind": "never_dp", **view, "delta_below": write_rational(bound)})

    @classmethod
    def shift_dp(
        cls,
        law: Law | Binomial,
        *,
        shift: int = 1,
        eps: Exact | LogRational | None = None,
        exp_eps: Exact | None = None,
        delta: Exact,
        least: str | None = None,
    ) -> Claim:
        """An integer query of sensitivity ``shift`` plus noise of this law is (eps, delta)-DP.

        So for the noise Y and every integer 1 <= j <= shift, Y and Y + j have divergence at most delta in both orders.
        ``least`` as in :meth:`shuffle_dp`.
        """
        level = _level(eps, exp_eps, delta, least)
        reach = write_integer(as_integer(shift, name="shift", at_least=1))
        return cls.from_data({"kind": "shift_dp", "law": _law(law), "shift": reach, **level})

    @classmethod
    def additive_view(cls, randomizer: Randomizer, base: Law | Mapping[int, Exact], shifts: Mapping[Any, int]) -> Claim:
        """For every n and data set, the number of messages is the sum of the users' shifts plus n copies of ``base``.

        Args:
            randomizer: one with a single message type.
            base: a law on integers.
            shifts: input -> shift, an integer of at least 0, for every input.
        """
        if len(randomizer.alphabet) != 1:
            raise InvalidValueError(
                f"the randomizer has {len(randomizer.alphabet)} messages. An additive view has one message type."
            )
        listed = [
            write_integer(as_integer(value, name="a shift", at_least=0))
            for value in _by_label(shifts, randomizer.inputs, "shifts", "input")
        ]
        law = base if isinstance(base, Law) else Law(base)
        table = {"randomizer": _randomizer(randomizer), "base": _weights(law), "shifts": listed}
        return cls.from_data({"kind": "additive_view", **table})

    @classmethod
    def zero_estimate(
        cls, randomizer: Randomizer, *, weights: Mapping[Any, Exact], zero_unless_above: Exact, all_hold: Any
    ) -> Claim:
        """For every n: if all users hold one input, an estimate that is 0 unless above a threshold is 0.

        Args:
            randomizer: what each user runs.
            weights: message -> weight, for every message.
            zero_unless_above: the estimate is 0 unless the mean over users of the summed weights exceeds this.
            all_hold: the input that all users hold.
        """
        if all_hold not in randomizer.inputs:
            raise InvalidValueError(f"all_hold={all_hold!r} is unknown. The inputs are {randomizer.inputs!r}.")
        listed = [
            write_rational(as_fraction(value, name="a weight"))
            for value in _by_label(weights, randomizer.alphabet, "weights", "message")
        ]
        data = {
            "kind": "zero_estimate",
            "randomizer": _randomizer(randomizer),
            "weights": listed,
            "zero_unless_above": write_rational(as_fraction(zero_unless_above, name="zero_unless_above")),
            "input": write_integer(randomizer.inputs.index(all_hold)),
        }
        return cls.from_data(data)

    @classmethod
    def inequality(
        cls,
        variables: Sequence[str],
        *,
        hypotheses: Sequence[Condition | Mapping[tuple[int, ...], Exact]],
        conclusion: Condition | Mapping[tuple[int, ...], Exact],
    ) -> Claim:
        """For all real values of the variables: if all hypotheses hold, so does the conclusion.

        Each is a ``Condition``; a mapping alone is one that is not strict.

        >>> Claim.inequality(["x"], hypotheses=[{(0,): 1, (1,): -1}], conclusion={(0,): 2, (1,): -1}).kind
        'inequality'
        """
        names = list(variables)
        if len(set(names)) < len(names) or not all(_NAME.fullmatch(name) for name in names):
            raise InvalidValueError(
                f"variables={names!r} are not distinct names. Use letters, digits and _, at most 32, a letter first."
            )
        data = {
            "kind": "inequality",
            "variables": names,
            "hypotheses": [_condition(hypothesis, len(names)) for hypothesis in hypotheses],
            "conclusion": _condition(conclusion, len(names)),
        }
        return cls.from_data(data)

    @classmethod
    def conjunction(cls, *claims: Claim) -> Claim:
        """All of these claims, of which there is at least one."""
        if not claims:
            raise InvalidValueError("no claims given. A conjunction has at least one.")
        for claim in claims:
            _expect_claim(claim)
        return cls.from_data({"kind": "conjunction", "claims": [claim.data for claim in claims]})

    @classmethod
    def negation(cls, claim: Claim) -> Claim:
        """The claim is false."""
        _expect_claim(claim)
        return cls.from_data({"kind": "not", "claim": claim.data})


def _check_shuffle(protocol: object) -> None:
    if not isinstance(getattr(protocol, "randomizer", None), Randomizer):
        raise InvalidValueError(
            f"protocol is a {type(protocol).__name__}, without a randomizer. Pass a ShuffleProtocol; for a count plus "
            "noise claim Claim.shift_dp(noise, shift=...)."
        )


def _relation(neighbors: object) -> str:
    if not isinstance(neighbors, Neighbors):
        raise InvalidValueError(
            f"neighbors={neighbors!r} is no neighbouring relation. Pass Neighbors.REPLACE_ONE, say."
        )
    return neighbors.value


def _expect_claim(value: object) -> None:
    if not isinstance(value, Claim):
        raise InvalidValueError(
            f"a claim has the type {type(value).__name__}. Pass a Claim, as Claim.shuffle_dp makes."
        )


def _level(eps: Exact | LogRational | None, exp_eps: Exact | None, delta: Exact, least: str | None) -> dict[str, str]:
    """Return the fields that state the level of privacy, or refuse it."""
    if (eps is None) == (exp_eps is None):
        given = "neither" if eps is None else "both"
        raise InvalidValueError(f"{given} of eps and exp_eps given. Pass one: eps=..., or exp_eps=... for e^eps.")
    if least not in _LEAST:
        raise InvalidValueError(f"least={least!r} is none of None, 'delta' and 'exp_eps'. Pass one of them.")
    rest = {"delta": write_rational(as_probability(delta, name="delta")), "least": least or "none"}
    if isinstance(eps, LogRational):
        return {"exp_eps": write_rational(eps.argument), **rest}
    if exp_eps is not None:
        value = as_fraction(exp_eps, name="exp_eps")
        if value < 1:
            raise InvalidValueError(f"exp_eps={short(value)} is below 1. Pass e^eps, a number of at least 1.")
        return {"exp_eps": write_rational(value), **rest}
    value = as_fraction(eps, name="eps")
    if value < 0:
        raise InvalidValueError(f"eps={short(value)} is below 0. Pass an eps of at least 0.")
    if value == 0:
        return {"exp_eps": "1", **rest}
    if least is not None:
        raise InvalidValueError(
            f"least={least!r} with eps={short(value)}, where e^eps is transcendental. Pass exp_eps, or a LogRational."
        )
    return {"eps": write_rational(value), **rest}


def _randomizer(randomizer: Randomizer) -> dict[str, Any]:
    rows = [
        [{"send": [write_integer(message) for message in send], "prob": write_rational(p)} for send, p in row]
        for row in randomizer.rows
    ]
    return {"messages": write_integer(len(randomizer.alphabet)), "rows": rows}


def _law(law: Law | Binomial) -> dict[str, Any]:
    if isinstance(law, Binomial):
        return {"family": "binomial", "n": write_integer(law.n), "p": write_rational(law.p)}
    if not isinstance(law, Law):
        raise InvalidValueError(f"law is a {type(law).__name__}. Pass a Law on integers or a Binomial.")
    return {"family": "finite", "weights": _weights(law)}


def _weights(law: Law) -> list[list[str]]:
    if not all(type(outcome) is int for outcome in law):
        raise InvalidValueError("the law has outcomes that are not ints. Map it to ints: law.map(f).")
    return [[write_integer(outcome), write_rational(p)] for outcome, p in sorted(law.items())]


def _by_label(values: Mapping[Any, Any], labels: tuple[Any, ...], name: str, kind: str) -> list[Any]:
    """Return the values in the order of the labels, one for each."""
    if unknown := [label for label in values if label not in labels]:
        raise InvalidValueError(f"{name} names the unknown {kind} {unknown[0]!r}. The {kind}s are {labels!r}.")
    if missing := [label for label in labels if label not in values]:
        raise InvalidValueError(f"{name} has no value for the {kind} {missing[0]!r}. Give one for every {kind}.")
    return [values[label] for label in labels]


def _condition(condition: Condition | Mapping[tuple[int, ...], Exact], variables: int) -> dict[str, Any]:
    polynomial, strict = condition if isinstance(condition, Condition) else (condition, False)
    terms: list[list[Any]] = []
    for exponents, coefficient in sorted(polynomial.items()):
        if len(exponents) != variables:
            raise InvalidValueError(f"the exponents {exponents!r} are not one for each of the {variables} variables.")
        powers = [write_integer(as_integer(power, name="an exponent", at_least=0)) for power in exponents]
        value = as_fraction(coefficient, name="a coefficient")
        if value:
            terms.append([write_rational(value), powers])
    return {"polynomial": terms, "strict": "yes" if strict else "no"}


def write_integer(value: int) -> str:
    """Return the one spelling of an integer: decimal up to 256 bits, lowercase hexadecimal above."""
    return str(value) if value.bit_length() <= _DECIMAL_BITS else hex(value)


def write_rational(value: Fraction) -> str:
    """Return the one spelling of a rational: an integer, or p/q in lowest terms with q > 1."""
    numerator = write_integer(value.numerator)
    return numerator if value.denominator == 1 else f"{numerator}/{write_integer(value.denominator)}"
