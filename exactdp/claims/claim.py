"""Statements as data: what a certificate claims, with nothing of how it is proved.

A claim is canonical JSON text, so it is immutable, hashable and picklable, and its id is the sha256 of that text.
Inputs and messages are indices: labels are for people and enter no claim. Every kind, field and number format is
described in docs/certificates.md; a file of :mod:`exactdp.claims.kinds` has the class of each kind, and says what its
claims are made of.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, wraps
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, Final, ParamSpec

from exactdp.checker.facts import ASSUMED
from exactdp.checker.reading import canonical
from exactdp.claims import kinds
from exactdp.claims.encoding import Json
from exactdp.claims.kinds.composed import Run
from exactdp.claims.kinds.inequalities import Condition
from exactdp.claims.open_claims import Open, Trials, _Function, is_open, old_open_claim, refuse_open
from exactdp.claims.relations import GivenRelations, parse_inequality
from exactdp.claims.statement import Statement, read_statement, statement_of
from exactdp.errors import InvalidValueError
from exactdp.mechanisms.dataset import Neighbors
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact
from exactdp.protocols.interface import Protocol
from exactdp.symbolic.box import Span
from exactdp.symbolic.symbolic_randomizer import BoxLike

if TYPE_CHECKING:
    import sympy

__all__ = ["Claim", "Condition", "OpenClaim", "Run", "Span", "Trials", "_Function"]

P = ParamSpec("P")

_READ_CLAIMS: Final = 64
"""Claims whose statements are kept, so that asking for one again costs nothing."""


def _made_by(of: Callable[P, Statement]) -> classmethod[Claim, P, Claim]:
    """Return the class method of claims that makes the statement so, with its words and its arguments."""

    @wraps(of)
    def make(cls: type[Claim], /, *args: P.args, **kwargs: P.kwargs) -> Claim:
        return cls._of(of(*args, **kwargs))

    taken = signature(of)
    first = Parameter("cls", Parameter.POSITIONAL_OR_KEYWORD)
    own = taken.replace(parameters=[first, *taken.parameters.values()], return_annotation="Claim")
    make.__signature__ = own  # type: ignore[attr-defined]
    make.__name__ = of.__self__.kind  # type: ignore[attr-defined]
    make.__qualname__ = f"Claim.{make.__name__}"
    return classmethod(make)


@dataclass(frozen=True, slots=True, repr=False)
class Claim:
    """A statement that a certificate can be about; made by the class methods below, each of which states it.

    ``text`` is the canonical JSON of the claim. Two claims are equal iff their texts are.

    >>> from exactdp.laws import Binomial
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
    def statement(self) -> Statement:
        """The claim as a value of its kind, read from the text: what is decided is what a reader of the text sees."""
        return _read_text(self.text)

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

    def to_sympy(self) -> sympy.Basic:
        """Return a claim of the kind inequality or box_inequality as SymPy's Implies(And(hypotheses), conclusion).

        A conjunction or a negation of such is an And or a Not. Relations are unevaluated, symbols are plain.

        >>> Claim.inequality("x*(1 - x) <= 1/4").to_sympy()
        x**2 - x + 1/4 >= 0
        """
        from exactdp.claims.claims_in_sympy import as_sympy

        statement = self.statement
        return refuse_open(self.data) if isinstance(statement, Open) else as_sympy(statement)

    def __repr__(self) -> str:
        return f"Claim({self.kind}, {self.digest()[:12]})"

    @classmethod
    def from_data(cls, data: Mapping[str, Json]) -> Claim:
        """Return the claim with this JSON data, unchecked: the checker is what reads claims critically."""
        return cls(canonical(data))

    @classmethod
    def _of(cls, statement: Statement) -> Claim:
        return cls(canonical(statement.data))

    shuffle_dp = _made_by(kinds.ShuffleDP.of)
    two_message_dp = _made_by(kinds.TwoMessageDP.of)
    never_dp = _made_by(kinds.NeverDP.of)
    shift_dp = _made_by(kinds.ShiftDP.of)
    smooth = _made_by(kinds.Smooth.of)
    counting_dp = _made_by(kinds.CountingDP.of)
    sample_threshold_dp = _made_by(kinds.SampleThresholdDP.of)
    split_and_mix = _made_by(kinds.SplitAndMix.of)
    composed = _made_by(kinds.Composed.of)
    tail = _made_by(kinds.Tail.of)
    accuracy = _made_by(kinds.Accuracy.of)
    zero_estimate = _made_by(kinds.ZeroEstimate.of)
    equal_laws = _made_by(kinds.EqualLaws.of)
    additive_view = _made_by(kinds.AdditiveView.of)
    box_inequality = _made_by(kinds.BoxInequality.of)
    monotone = _made_by(kinds.Monotone.of)

    @classmethod
    def of_protocol(cls, protocol: Protocol, **level: Any) -> Claim | None:
        """The protocol is (eps, delta)-DP for replace-one neighbours; None where no claim states it.

        Args:
            protocol: any; a count plus noise of one bin is claimed by :meth:`shift_dp`, others by what states them.
            level: ``delta``, and ``eps`` or ``exp_eps``.

        >>> from exactdp import protocols
        >>> Claim.of_protocol(protocols.zsum(9, gamma="1/4"), exp_eps=2, delta="1/2").kind
        'shift_dp'
        """
        statement = statement_of(protocol, **level)
        return None if statement is None else cls._of(statement)

    @classmethod
    def pure_dp(
        cls,
        protocol: Protocol,
        *,
        eps: Exact | LogRational | None = None,
        exp_eps: Exact | None = None,
        neighbors: Neighbors = Neighbors.REPLACE_ONE,
        all_n_from: int | None = None,
        least: str | None = None,
    ) -> Claim:
        """The shuffled protocol is (eps, 0)-DP: :meth:`shuffle_dp` with delta 0.

        For views P, Q of neighbours, e^eps Q - P has no negative coefficient; a further user multiplies both by the
        same polynomial without negative coefficients, so that with ``all_n_from`` one n decides all larger ones.
        """
        return cls.shuffle_dp(
            protocol, eps=eps, exp_eps=exp_eps, delta=0, neighbors=neighbors, all_n_from=all_n_from, least=least
        )

    @classmethod
    def inequality(
        cls,
        relation: GivenRelations | Sequence[str],
        *,
        where: GivenRelations = (),
        hypotheses: Sequence[Condition | Mapping[tuple[int, ...], Exact]] = (),
        conclusion: Condition | Mapping[tuple[int, ...], Exact] | None = None,
    ) -> Claim:
        """For all real values of the variables: where all hypotheses hold, so does the conclusion.

        Args:
            relation: the conclusion, a relation between polynomials: of SymPy, or text in the grammar of
                :mod:`exactdp.symbolic.grammar`. A chain, an ``Eq``, an ``And`` and a list are the conjunction of
                their parts. Symbols are real numbers: what else is assumed of them stands in ``where``.
            where: the hypotheses, alike. Where they are the two ends of an interval for each variable, the claim is
                one about that box, of the kind ``box_inequality``; else of the kind ``inequality``.
            hypotheses, conclusion: instead of these, where ``relation`` lists the names of the variables: each a
                ``Condition``, or a mapping, which is one that is not strict.

        >>> Claim.inequality("x*(1 - x) <= 1/4", where="0 <= x <= 1").kind
        'box_inequality'
        >>> Claim.inequality(["x"], hypotheses=[{(0,): 1, (1,): -1}], conclusion={(0,): 2, (1,): -1}).kind
        'inequality'
        """
        return cls._of(parse_inequality(relation, where, hypotheses, conclusion))

    @classmethod
    def for_all(cls, box: BoxLike, claim: Claim) -> Claim:
        """At every point of a box of parameters the claim holds, and its probabilities are probabilities.

        Args:
            box: parameter, a name or a SymPy symbol -> its interval; a pair is a closed ``Span``.
            claim: of the kind shuffle_dp, shift_dp, smooth, tail or equal_laws, with functions of these parameters for
                numbers: text such as "(1 - p)^2", SymPy expressions, a ``SymbolicRandomizer``. e^eps is given as
                ``exp_eps``.

        >>> law = {-1: "p", 0: "1 - 2*p", 1: "p"}
        >>> Claim.for_all({"p": ("1/3", "2/5")}, Claim.shift_dp(law, exp_eps=2, delta="p")).kind
        'for_all'
        """
        _expect_claim(claim)
        return cls._of(kinds.ForAll.of(box, claim.data))

    @classmethod
    def conjunction(cls, *claims: Claim, assuming: Sequence[str] = ()) -> Claim:
        """All of these claims, of which there is at least one.

        A theorem is the conjunction of its lemmas; ``assuming`` names the analytic facts that lead from them to it:
        "markov", "independence", "union", "post-processing", "composition", "taylor" or "monotone-convergence". They
        are printed wherever the claim is verified, and not checked.
        """
        if not claims:
            raise InvalidValueError("no claims given. A conjunction has at least one.")
        for claim in claims:
            _expect_claim(claim)
        if unknown := [name for name in assuming if name not in ASSUMED]:
            raise InvalidValueError(f"assuming={unknown[0]!r} is unknown. The facts are {', '.join(ASSUMED)}.")
        facts = {"assuming": [name for name in ASSUMED if name in assuming]} if assuming else {}
        return cls.from_data({"kind": kinds.Conjunction.kind, "claims": [claim.data for claim in claims], **facts})

    @classmethod
    def negation(cls, claim: Claim) -> Claim:
        """The claim is false."""
        _expect_claim(claim)
        return cls.from_data({"kind": kinds.Negation.kind, "claim": claim.data})


OpenClaim = Claim
"""What claims with functions of parameters were called, before every claim could have them."""


def _set_state(claim: Claim, state: Sequence[Any]) -> None:
    """Restore a claim from its text, or from the kind and the fields that an ``OpenClaim`` had before it had a text."""
    object.__setattr__(claim, "text", state[0] if len(state) == 1 else old_open_claim(*state))


Claim.__setstate__ = _set_state  # type: ignore[attr-defined]  # over that of the dataclass


@lru_cache(maxsize=_READ_CLAIMS)
def _read_text(text: str) -> Statement:
    data = json.loads(text)
    return Open.read(data) if is_open(data) else read_statement(data)


def _expect_claim(value: object) -> None:
    if not isinstance(value, Claim):
        raise InvalidValueError(
            f"a claim has the type {type(value).__name__}. Pass a Claim, as Claim.shuffle_dp makes."
        )
