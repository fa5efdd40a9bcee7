"""Statements as data: what a certificate claims, with nothing of how it is proved.

A claim is canonical JSON text, so it is immutable, hashable and picklable, and its id is the sha256 of that text.
Inputs and messages are indices: labels are for people and enter no claim. Every kind, field and number format is
described in docs/certificates.md.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, NamedTuple

from exactdp.certificates.encoding import (
    Noise,
    by_label,
    write_integer,
    write_noise,
    write_randomizer,
    write_rational,
    write_weights,
)
from exactdp.certificates.polynomials import (
    Condition,
    Span,
    read_term,
    write_condition,
    write_names,
    write_polynomial,
    write_span,
)
from exactdp.certificates.verify import ASSUMED
from exactdp.errors import InvalidValueError
from exactdp.laws.finite import Law
from exactdp.models.analyzer import Analyzer
from exactdp.models.dataset import histogram
from exactdp.models.neighbors import Neighbors
from exactdp.models.randomizer import Randomizer
from exactdp.numbers.exact import Exact, as_fraction, as_integer, as_probability, short
from exactdp.privacy.epsilon import LogRational
from exactdp.protocol import AdditiveProtocol, ShuffleProtocol
from exactdp.theorems import relies_on

__all__ = ["Claim", "Condition", "Run", "Span"]

_LEAST: Final = (None, "delta", "exp_eps")


class Run(NamedTuple):
    """What is run again and again: a shuffle protocol, or noise on an integer query of sensitivity ``shift``."""

    mechanism: ShuffleProtocol | Noise
    times: int = 1
    shift: int = 1


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
    @relies_on("adding_a_user.adding_a_user")
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
            "randomizer": write_randomizer(protocol.randomizer),
            "n": write_integer(n),
            "neighbors": _relation(neighbors),
        }
        return cls.from_data({"kind": "shuffle_dp", **view, "scope": scope, **level})

    @classmethod
    def pure_dp(
        cls,
        protocol: ShuffleProtocol,
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
            "randomizer": write_randomizer(protocol.randomizer),
            "n": write_integer(protocol.n),
            "neighbors": _relation(neighbors),
        }
        return cls.from_data({"kind": "never_dp", **view, "delta_below": write_rational(bound)})

    @classmethod
    def shift_dp(
        cls,
        law: Noise,
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
        return cls.from_data({"kind": "shift_dp", "law": write_noise(law), "shift": reach, **level})

    @classmethod
    def composed(
        cls,
        *runs: Run | tuple[ShuffleProtocol | Noise, int],
        eps: Exact | LogRational | None = None,
        exp_eps: Exact | None = None,
        delta: Exact,
        neighbors: Neighbors = Neighbors.REPLACE_ONE,
    ) -> Claim:
        """All these runs together are (eps, delta)-DP, where each one's data sets may depend on the answers before it.

        Args:
            runs: (protocol, times), or (noise, times) for an integer query of sensitivity 1 plus this noise; a
                ``Run(noise, times, shift)`` has another sensitivity.
            eps, exp_eps: as in :meth:`shuffle_dp`.
            delta: in [0, 1].
            neighbors: the neighbouring relation of shuffle protocols.

        >>> from exactdp.laws import Binomial
        >>> Claim.composed((Binomial(1000, "1/2"), 10), eps=1, delta="1.8e-8")
        Claim(composed, 4b380ba8f28e)
        """
        if not runs:
            raise InvalidValueError("no runs given. Pass at least one (protocol or noise, times).")
        level = _level(eps, exp_eps, delta, None)
        del level["least"]
        return cls.from_data({"kind": "composed", "runs": [_run(run, neighbors) for run in runs], **level})

    @classmethod
    def smooth(
        cls,
        law: Noise,
        *,
        k: int,
        eps: Exact | LogRational | None = None,
        exp_eps: Exact | None = None,
        delta: Exact,
    ) -> Claim:
        """The law w is (eps, delta, k)-smooth: P[w(Y) / w(Y + k') >= e^(abs(k') eps)] <= delta for 1 <= abs(k') <= k.

        A zero denominator counts as infinity.
        """
        level = _level(eps, exp_eps, delta, None)
        del level["least"]
        reach = write_integer(as_integer(k, name="k", at_least=1))
        return cls.from_data({"kind": "smooth", "law": write_noise(law), "k": reach, **level})

    @classmethod
    def tail(
        cls,
        law: Noise,
        *,
        low: int | None = None,
        high: int | None = None,
        at_most: Exact | None = None,
        at_least: Exact | None = None,
    ) -> Claim:
        """P[low <= Y <= high] is at most, or at least, a probability; without an end it is infinite.

        >>> from exactdp.laws import Binomial
        >>> Claim.tail(Binomial(100, "1/2"), low=80, at_most="1e-8").kind
        'tail'
        """
        if (at_most is None) == (at_least is None):
            given = "neither" if at_most is None else "both"
            raise InvalidValueError(f"{given} of at_most and at_least given. Pass one.")
        bound = at_least if at_most is None else at_most
        data = {
            "kind": "tail",
            "law": write_noise(law),
            "from": "-infinity" if low is None else write_integer(as_integer(low, name="low")),
            "to": "infinity" if high is None else write_integer(as_integer(high, name="high")),
            "bound": "at least" if at_most is None else "at most",
            "probability": write_rational(as_probability(bound, name="at_least" if at_most is None else "at_most")),
        }
        return cls.from_data(data)

    @classmethod
    def accuracy(
        cls,
        protocol: ShuffleProtocol | AdditiveProtocol,
        *,
        alpha: Exact,
        beta: Exact,
        dataset: Sequence[Any] | Mapping[Any, int] | None = None,
        values: Mapping[Any, Exact] | None = None,
    ) -> Claim:
        """P[abs(estimate - truth) > alpha] <= beta, for one data set or, without one, for every data set.

        Args:
            protocol: with an analyzer. An additive protocol has one bin and a positive weight w, and the truth is w
                times the true count; so it is for each bin of several.
            alpha: at least 0, in the unit of the estimate.
            beta: in [0, 1].
            dataset: the users' inputs one by one, or input -> number of users.
            values: for a shuffle protocol, input -> what a user who holds it adds to the truth.
        """
        limits = {
            "alpha": write_rational(as_fraction(alpha, name="alpha")),
            "beta": write_rational(as_probability(beta, name="beta")),
        }
        if limits["alpha"].startswith("-"):
            raise InvalidValueError(f"alpha={limits['alpha']} is below 0. Pass an error of at least 0.")
        analyzer = getattr(protocol, "analyzer", None)
        if not isinstance(analyzer, Analyzer):
            raise InvalidValueError("the protocol has no analyzer. Pass ShuffleProtocol(..., analyzer=Analyzer(...)).")
        threshold = analyzer.zero_unless_above
        estimate = {
            "offset": write_rational(analyzer.offset),
            "zero_unless_above": "none" if threshold is None else write_rational(threshold),
        }
        if isinstance(protocol, ShuffleProtocol):
            fields = _view_accuracy(protocol, analyzer, dataset, values)
        else:
            fields = _count_accuracy(protocol, analyzer, dataset, values)
        return cls.from_data({"kind": "accuracy", **fields, **estimate, **limits})

    @classmethod
    def equal_laws(cls, first: Noise, second: Noise) -> Claim:
        """The two laws on the integers are the same.

        >>> from exactdp.laws import Geometric, NegativeBinomial
        >>> Claim.equal_laws(Geometric("1/3"), NegativeBinomial(1, "1/3")).kind
        'equal_laws'
        """
        return cls.from_data({"kind": "equal_laws", "first": write_noise(first), "second": write_noise(second)})

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
            for value in by_label(shifts, randomizer.inputs, "shifts", "input")
        ]
        law = base if isinstance(base, Law) else Law(base)
        table = {"randomizer": write_randomizer(randomizer), "base": write_weights(law), "shifts": listed}
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
            for value in by_label(weights, randomizer.alphabet, "weights", "message")
        ]
        data = {
            "kind": "zero_estimate",
            "randomizer": write_randomizer(randomizer),
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
        names = write_names(variables)
        data = {
            "kind": "inequality",
            "variables": names,
            "hypotheses": [write_condition(hypothesis, len(names)) for hypothesis in hypotheses],
            "conclusion": write_condition(conclusion, len(names)),
        }
        return cls.from_data(data)

    @classmethod
    def box_inequality(
        cls,
        box: Mapping[str, Span | tuple[Exact, Exact]],
        terms: Sequence[tuple[Mapping[tuple[int, ...], Exact], Mapping[tuple[int, ...], Exact]]],
        *,
        strict: bool = False,
    ) -> Claim:
        """On the whole box, the sum over terms of polynomial * e^exponent is at least 0, or above 0 where ``strict``.

        Args:
            box: variable -> its interval; a pair is a closed ``Span``.
            terms: pairs (polynomial, exponent), both polynomials in the variables as for :meth:`inequality`; the
                exponent ``{}`` is 0.
            strict: whether the sum is above 0.

        >>> e_to_x, minus_1_minus_x = ({(0,): 1}, {(1,): 1}), ({(0,): -1, (1,): -1}, {})
        >>> Claim.box_inequality({"x": (-1, 1)}, [e_to_x, minus_1_minus_x]).kind
        'box_inequality'
        """
        names = write_names(box)
        polynomials = [[write_polynomial(part, len(names)) for part in read_term(term)] for term in terms]
        data = {
            "kind": "box_inequality",
            "variables": names,
            "box": [write_span(name, span) for name, span in box.items()],
            "terms": [{"polynomial": polynomial, "exponent": exponent} for polynomial, exponent in polynomials],
            "strict": "yes" if strict else "no",
        }
        return cls.from_data(data)

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
        return cls.from_data({"kind": "conjunction", "claims": [claim.data for claim in claims], **facts})

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


def _run(run: Run | tuple[ShuffleProtocol | Noise, int], neighbors: Neighbors) -> dict[str, Any]:
    if not isinstance(run, tuple) or not 2 <= len(run) <= 3:
        raise InvalidValueError("a run is no pair. Pass (protocol or noise, times), or a Run with its shift.")
    mechanism, times, shift = Run(*run)
    often = write_integer(as_integer(times, name="times", at_least=1))
    if isinstance(mechanism, ShuffleProtocol):
        table, users = write_randomizer(mechanism.randomizer), write_integer(mechanism.n)
        return {"randomizer": table, "n": users, "neighbors": _relation(neighbors), "times": often}
    reach = write_integer(as_integer(shift, name="shift", at_least=1))
    return {"law": write_noise(mechanism), "shift": reach, "times": often}


def _view_accuracy(protocol: ShuffleProtocol, analyzer: Analyzer, dataset: Any, values: Any) -> dict[str, Any]:
    """The fields of an accuracy claim about a shuffled randomizer."""
    inputs, alphabet = protocol.randomizer.inputs, protocol.randomizer.alphabet
    if values is None:
        raise InvalidValueError("values is missing. Pass input -> what a user who holds it adds to the truth.")
    weights = dict(analyzer.weights)
    users = None if dataset is None else histogram(dataset, inputs, users=protocol.n)
    return {
        "randomizer": write_randomizer(protocol.randomizer),
        "n": write_integer(protocol.n),
        "dataset": "worst" if users is None else list(map(write_integer, users)),
        "weights": [write_rational(weights.get(message, Fraction(0))) for message in alphabet],
        "values": [
            write_rational(as_fraction(value, name="a value")) for value in by_label(values, inputs, "values", "input")
        ],
    }


def _count_accuracy(protocol: AdditiveProtocol, analyzer: Analyzer, dataset: Any, values: Any) -> dict[str, Any]:
    """The fields of an accuracy claim about one noisy count."""
    weight = dict(analyzer.weights).get(0, Fraction(0))
    if values is not None or len(analyzer.weights) > 1 or weight <= 0:
        raise InvalidValueError(
            "an accuracy claim about a noisy count takes no values, and an analyzer of one positive weight, of the "
            "message 0: the truth is this weight times the true count. Pass Analyzer({0: weight})."
        )
    least, most = 0, None if protocol.n is None else protocol.n * (protocol.shift if protocol.bins == 1 else 1)
    if dataset is not None:
        users = histogram(dataset, protocol.records, users=protocol.n)
        if protocol.bins > 1:
            raise InvalidValueError(
                f"dataset with bins={protocol.bins}. Claim the accuracy of one bin, or of every data set."
            )
        least = most = sum(record * count for record, count in zip(protocol.records, users, strict=True))
    if most is None:
        raise InvalidValueError("the protocol has no n, so there is no largest count. Pass AdditiveProtocol(..., n=n).")
    return {
        "law": write_noise(protocol.noise),
        "least": write_integer(least),
        "most": write_integer(most),
        "weight": write_rational(weight),
    }
