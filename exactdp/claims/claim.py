"""Statements as data: what a certificate claims, with nothing of how it is proved.

A claim is canonical JSON text, so it is immutable, hashable and picklable, and its id is the sha256 of that text.
Inputs and messages are indices: labels are for people and enter no claim. Every kind, field and number format is
described in docs/certificates.md; :mod:`exactdp.claims.kinds` has a class for each kind.

Below the class stands what a claim holds of a protocol: its randomizer as a table or a family, its users and the
relation, an estimate and its truth, noise on a query, and what is run again and again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from exactdp.checker.facts import ASSUMED
from exactdp.checker.limits import MAX_SUMMANDS
from exactdp.checker.reading import canonical
from exactdp.claims import kinds
from exactdp.claims.claimed_relations import GivenRelations, parse_inequality
from exactdp.claims.encoding import (
    Condition,
    Json,
    Noise,
    ShuffledView,
    as_names,
    as_noise_law,
    as_term,
    write_rational,
)
from exactdp.claims.kinds import Estimate, Statement, read_statement
from exactdp.claims.open_claims import OpenClaim, for_all_statement, monotone_statement
from exactdp.errors import InvalidValueError
from exactdp.evidence.theorems import relies_on
from exactdp.laws.finite import Law
from exactdp.laws.negative_binomial import NegativeBinomial
from exactdp.mechanisms.analyzer import Analyzer
from exactdp.mechanisms.dataset import Neighbors
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.balls import compare_reals
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_fraction, as_integer, as_probability
from exactdp.numbers.formats import short
from exactdp.numbers.real import Real, as_real, read_parameter
from exactdp.protocols.interface import Protocol
from exactdp.protocols.protocol import ShuffleProtocol
from exactdp.symbolic.box import Span, as_side
from exactdp.symbolic.symbolic_randomizer import BoxLike, SymbolicRandomizer

if TYPE_CHECKING:
    import sympy
from typing import NamedTuple

from exactdp.claims.encoding import (
    ClaimedRandomizer,
    ShiftedNoise,
    Table,
    by_label,
    claimed_family,
    is_claimed,
)
from exactdp.mechanisms.dataset import histogram
from exactdp.numbers.epsilon import PrivacyLevel, read_privacy_level

__all__ = ["Claim", "Condition", "Run", "Span"]

_READ_CLAIMS: Final = 64
"""Claims whose statements are kept, so that asking for one again costs nothing."""


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

        return as_sympy(self.statement)

    def __repr__(self) -> str:
        return f"Claim({self.kind}, {self.digest()[:12]})"

    @classmethod
    def from_data(cls, data: Mapping[str, Json]) -> Claim:
        """Return the claim with this JSON data, unchecked: the checker is what reads claims critically."""
        return cls(canonical(data))

    @classmethod
    def _of(cls, statement: Statement) -> Claim:
        return cls(canonical(statement.encode()))

    @classmethod
    @relies_on("adding_a_user.adding_a_user")
    def shuffle_dp(
        cls,
        protocol: Protocol,
        *,
        eps: Exact | LogRational | None = None,
        exp_eps: Exact | None = None,
        delta: Exact,
        neighbors: Neighbors = Neighbors.REPLACE_ONE,
        all_n_from: int | None = None,
        least: str | None = None,
    ) -> Claim:
        """The shuffled protocol is (eps, delta)-DP: every two neighbouring data sets, both orders.

        Of correlated counting, and of bits in almost one message, this is :meth:`counting_dp`, of which n is no part;
        of one symbol, sampled and dropped below a threshold, :meth:`sample_threshold_dp`.

        Args:
            protocol: its randomizer and, unless ``all_n_from`` is given, its n. Of a table n is at most 10^6 in a
                certificate. A family of ``exactdp.randomizers`` (``KAryResponse``, ``UnaryEncoding``,
                ``SubsetSelection``, ``HadamardResponse``, ``LocalHashing``, ``ClippedDiscreteLaplace``) is claimed by
                its parameters, with n up to 10^12; where the claim is about other neighbours, or has ``least``, its
                table is claimed.
            eps, exp_eps: one of eps >= 0 and e^eps >= 1. A ``LogRational`` eps is an exact e^eps.
            delta: in [0, 1].
            neighbors: the neighbouring relation.
            all_n_from: if given, the claim is about every number of users from this one on, all running this one
                randomizer.
            least: "delta" or "exp_eps" adds that no smaller one will do (with ``all_n_from``: "exp_eps" with delta 0
                only, at no number of users).
        """
        if isinstance(protocol, Protocol) and not (protocol.is_shuffled_randomizer or protocol.is_noisy_count):
            if all_n_from is not None or least is not None or neighbors is not Neighbors.REPLACE_ONE:
                raise InvalidValueError(
                    "a claim about counts without a table is one of (eps, delta)-DP for replace-one neighbours. "
                    "Leave out all_n_from, least and neighbors."
                )
            if (claim := cls.of_protocol(protocol, eps=eps, exp_eps=exp_eps, delta=delta)) is None:
                raise InvalidValueError(
                    f"no claim of (eps, delta)-DP states {short(repr(protocol))}. Ask privacy_profile() where it has "
                    "one, which encloses."
                )
            return claim
        level, bound = level_of(eps, exp_eps, delta, least)
        is_plain = least is None and neighbors is Neighbors.REPLACE_ONE
        randomizer = randomizer_of(protocol) if is_plain else table_of(protocol)
        if all_n_from is not None and least is not None and (least == "delta" or bound):
            raise InvalidValueError(
                f"least={least!r} with all_n_from={all_n_from} and delta={write_rational(bound)}: the least value may "
                "depend on n. Claim it for one n, or exp_eps with delta=0."
            )
        if all_n_from is not None and least is not None and neighbors is Neighbors.ADD_OR_REMOVE_ONE:
            raise InvalidValueError(
                f"least={least!r} with all_n_from={all_n_from} and neighbors={neighbors.value}: only a protocol that "
                "sends nothing is pure DP there. Claim it for one n."
            )
        n = users_of(protocol) if all_n_from is None else as_integer(all_n_from, name="all_n_from", at_least=1)
        view = ShuffledView(randomizer, n, relation_of(neighbors))
        return cls._of(kinds.ShuffleDP(view, all_n_from is not None, level, bound, least))

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
        stated = protocol.statement
        if stated is None:
            return None
        claim: Claim = getattr(cls, stated.kind)(**stated.arguments, **level)
        return claim

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
    @relies_on("two_message_checked.two_message_proved", "two_message_event.two_message_event")
    def two_message_dp(
        cls,
        protocol: Protocol,
        *,
        eps: Exact | LogRational | None = None,
        exp_eps: Exact | None = None,
        delta: Exact,
        all_n_from: int | None = None,
    ) -> Claim:
        """:meth:`shuffle_dp` of a randomizer with exactly one of two messages from each user, replacing one input.

        The checker compares every data set of the two extreme inputs exactly, so that no delta is too close: for up to
        10^5 users where probabilities are short, and 10^4 where they have 53 bits. Of more users the verdict is the
        engine's alone. ``certify`` makes this claim by itself, where that of :meth:`shuffle_dp` has no certificate.

        Cost: the checker's work grows with n^2; for randomized response 0.02 s at n = 2000 and 0.3 s at 10^4, and with
        probabilities of 53 bits 0.5 s and 12 s.

        >>> from exactdp import ShuffleProtocol, randomized_response
        >>> protocol = ShuffleProtocol(randomized_response(2, gamma="1/2"), 2000)
        >>> Claim.two_message_dp(protocol, exp_eps="11/10", delta="1e-5").kind
        'two_message_dp'
        """
        level, bound = level_of(eps, exp_eps, delta, None)
        n = users_of(protocol) if all_n_from is None else as_integer(all_n_from, name="all_n_from", at_least=1)
        return cls._of(kinds.TwoMessageDP(two_message_table(protocol), n, all_n_from is not None, level, bound))

    @classmethod
    def never_dp(cls, protocol: Protocol, *, delta_below: Exact, neighbors: Neighbors = Neighbors.REPLACE_ONE) -> Claim:
        """For no finite eps and no delta < ``delta_below`` is the shuffled protocol (eps, delta)-DP.

        The same about the randomizer itself, without a shuffler, is the claim about one user of ``randomizer.local()``.
        """
        randomizer = table_of(protocol)
        bound = as_probability(delta_below, name="delta_below")
        if bound == 0:
            raise InvalidValueError("delta_below=0 leaves no delta. Pass a number in (0, 1].")
        return cls._of(kinds.NeverDP(ShuffledView(randomizer, users_of(protocol), relation_of(neighbors)), bound))

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
        level, bound = level_of(eps, exp_eps, delta, least)
        return cls._of(kinds.ShiftDP(noise_of(law, shift), level, bound, least))

    @classmethod
    def counting_dp(
        cls,
        *,
        p1: Exact | Real,
        noise: Sequence[NegativeBinomial],
        eps: Exact | LogRational | None = None,
        exp_eps: Exact | None = None,
        delta: Exact,
    ) -> Claim:
        """Counting with messages +1 and -1 of correlated noise is (eps, delta)-DP, however many users share the noise.

        There are sum + G1 + W messages +1 and G2 + W messages -1, all noise being independent; a bit is replaced.

        Args:
            p1: the ratio of the geometric G1 and G2, between 0 and 1.
            noise: the negative binomial laws whose sum is W, 1 to 8.
            eps, exp_eps, delta: as in :meth:`shuffle_dp`.

        >>> from exactdp.laws import NegativeBinomial
        >>> Claim.counting_dp(p1="1/2", noise=[NegativeBinomial(20, "9/10")], exp_eps=2, delta="1/100").kind
        'counting_dp'
        """
        level, bound = level_of(eps, exp_eps, delta, None)
        ratio, laws = read_parameter(p1, name="p1"), tuple(noise)
        if compare_reals(ratio, Fraction(0)) <= 0 or compare_reals(ratio, Fraction(1)) >= 0:
            raise InvalidValueError(f"p1={ratio} is not between 0 and 1. Pass the ratio of a geometric noise.")
        if not 1 <= len(laws) <= MAX_SUMMANDS or any(type(law) is not NegativeBinomial for law in laws):
            raise InvalidValueError(
                f"noise={short(repr(laws))} is no list of 1 to {MAX_SUMMANDS} negative binomial laws. "
                "Pass [NegativeBinomial(r, p)]."
            )
        return cls._of(kinds.CountingDP(as_real(ratio, name="p1"), laws, level, bound))

    @classmethod
    def sample_threshold_dp(
        cls,
        *,
        rate: Exact,
        threshold: int,
        users: int | None = None,
        eps: Exact | LogRational | None = None,
        exp_eps: Exact | None = None,
        delta: Exact,
    ) -> Claim:
        """The number of sampled holders of an item, 0 below a threshold, is (eps, delta)-DP, one holder more or fewer.

        Args:
            rate: the probability with which each holder is sampled, between 0 and 1.
            threshold: the least number that is released, at least 1.
            users: the most holders that there can be; None claims it for any number of them.
            eps, exp_eps, delta: as in :meth:`shuffle_dp`.

        >>> Claim.sample_threshold_dp(rate="1/8", threshold=20, exp_eps=2, delta="1e-10").kind
        'sample_threshold_dp'
        """
        level, bound = level_of(eps, exp_eps, delta, None)
        probability = as_probability(rate, name="rate")
        if probability in (0, 1):
            raise InvalidValueError(
                f"rate={write_rational(probability)} samples none or all. Pass one between 0 and 1."
            )
        least = as_integer(threshold, name="threshold", at_least=1)
        most = None if users is None else as_integer(users, name="users", at_least=1)
        return cls._of(kinds.SampleThresholdDP(probability, least, most, level, bound))

    @classmethod
    def split_and_mix(cls, n: int, *, modulus: int, messages: int, distance: Exact) -> Claim:
        """Of n users who split and mix, the views of any two inputs with one sum are within a total variation distance.

        Args:
            n: number of users who follow the protocol.
            modulus: the inputs and shares are integers modulo this, at least 2.
            messages: shares of a user, at least 3.
            distance: in [0, 1]; 2^-sigma is a security of sigma bits.

        >>> Claim.split_and_mix(10**4, modulus=2**32, messages=12, distance=Fraction(1, 2**40)).kind
        'split_and_mix'
        """
        users, order = as_integer(n, name="n", at_least=1), as_integer(modulus, name="modulus", at_least=2)
        shares = as_integer(messages, name="messages", at_least=3)
        return cls._of(kinds.SplitAndMix(users, order, shares, as_probability(distance, name="distance")))

    @classmethod
    def composed(
        cls,
        *runs: Run | tuple[ShuffleProtocol | Noise, int],
        eps: Exact | LogRational | None = None,
        exp_eps: Exact | None = None,
        delta: Exact,
        neighbors: Neighbors = Neighbors.REPLACE_ONE,
    ) -> Claim:
        """All these runs together are (eps, delta)-DP, and each one's data sets may depend on the answers before it.

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
        level, bound = level_of(eps, exp_eps, delta, None)
        return cls._of(kinds.Composed(tuple(run_of(run, neighbors) for run in runs), level, bound))

    @classmethod
    def smooth(
        cls, law: Noise, *, k: int, eps: Exact | LogRational | None = None, exp_eps: Exact | None = None, delta: Exact
    ) -> Claim:
        """The law w is (eps, delta, k)-smooth: P[w(Y) / w(Y + k') >= e^(abs(k') eps)] <= delta for 1 <= abs(k') <= k.

        A zero denominator counts as infinity.
        """
        level, bound = level_of(eps, exp_eps, delta, None)
        return cls._of(kinds.Smooth(as_noise_law(law), as_integer(k, name="k", at_least=1), level, bound))

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
        least = None if low is None else as_integer(low, name="low")
        greatest = None if high is None else as_integer(high, name="high")
        probability = as_probability(bound, name="at_least" if at_most is None else "at_most")
        return cls._of(kinds.Tail(as_noise_law(law), least, greatest, at_most is not None, probability))

    @classmethod
    def accuracy(
        cls,
        protocol: Protocol,
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
        error = as_fraction(alpha, name="alpha")
        risk = as_probability(beta, name="beta")
        if error < 0:
            raise InvalidValueError(f"alpha={write_rational(error)} is below 0. Pass an error of at least 0.")
        analyzer = getattr(protocol, "analyzer", None)
        if not isinstance(analyzer, Analyzer):
            raise InvalidValueError("the protocol has no analyzer. Pass ShuffleProtocol(..., analyzer=Analyzer(...)).")
        estimate = Estimate(analyzer.offset, analyzer.zero_unless_above, error, risk)
        if protocol.is_shuffled_randomizer:
            return cls._of(accuracy_of_view(protocol, dict(analyzer.weights), dataset, values, estimate))
        return cls._of(accuracy_of_count(protocol, dict(analyzer.weights), dataset, values, estimate))

    @classmethod
    def equal_laws(cls, first: Noise, second: Noise) -> Claim:
        """The two laws on the integers are the same.

        >>> from exactdp.laws import Geometric, NegativeBinomial
        >>> Claim.equal_laws(Geometric("1/3"), NegativeBinomial(1, "1/3")).kind
        'equal_laws'
        """
        return cls._of(kinds.EqualLaws(as_noise_law(first), as_noise_law(second)))

    @classmethod
    def additive_view(cls, randomizer: Randomizer, base: Law | Mapping[int, Exact], shifts: Mapping[Any, int]) -> Claim:
        """For every n and data set, the number of messages is the sum of the users' shifts plus n copies of ``base``.

        Args:
            randomizer: one with a single message type.
            base: a law on integers.
            shifts: input -> shift, an integer of at least 0, for every input.
        """
        return cls._of(additive_view(randomizer, base, shifts))

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
        return cls._of(zero_estimate(randomizer, weights, zero_unless_above, all_hold))

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
    def box_inequality(
        cls,
        box: Mapping[str, Span | tuple[Exact, Exact]],
        terms: Sequence[tuple[Mapping[tuple[int, ...], Exact], Mapping[tuple[int, ...], Exact]]],
        *,
        strict: bool = False,
    ) -> Claim:
        """On the whole box, the sum over terms of polynomial * e^exponent is at least 0, or above 0 if ``strict``.

        Args:
            box: variable -> its interval; a pair is a closed ``Span``.
            terms: pairs (polynomial, exponent), both polynomials in the variables as for :meth:`inequality`; the
                exponent ``{}`` is 0.
            strict: whether the sum is above 0.

        >>> e_to_x, minus_1_minus_x = ({(0,): 1}, {(1,): 1}), ({(0,): -1, (1,): -1}, {})
        >>> Claim.box_inequality({"x": (-1, 1)}, [e_to_x, minus_1_minus_x]).kind
        'box_inequality'
        """
        names = as_names(box)
        summands = tuple(as_term(term, len(names)) for term in terms)
        sides = tuple(as_side(name, span) for name, span in box.items())
        return cls._of(kinds.BoxInequality(names, sides, summands, bool(strict)))

    @classmethod
    def for_all(cls, box: BoxLike, claim: OpenClaim) -> Claim:
        """At every point of a box of parameters the claim holds, and its probabilities are probabilities.

        Args:
            box: parameter, a name or a SymPy symbol -> its interval; a pair is a closed ``Span``.
            claim: of a kind that ``OpenClaim`` makes, with functions of these parameters for numbers.

        >>> law = {-1: "p", 0: "1 - 2*p", 1: "p"}
        >>> inner = OpenClaim.shift_dp(law, exp_eps=2, delta="p")
        >>> Claim.for_all({"p": ("1/3", "2/5")}, inner).kind
        'for_all'
        """
        return cls._of(for_all_statement(box, claim))

    @classmethod
    def monotone(
        cls,
        randomizer: SymbolicRandomizer,
        parameter: object = None,
        *,
        box: BoxLike | None = None,
        rises: bool = False,
    ) -> Claim:
        """The worst delta of the shuffled randomizer never rises with a parameter, or with ``rises`` never falls.

        For every n, either neighbouring relation and every e^eps: between any two points of the box that agree in all
        other parameters. The box is that of the randomizer, if no other is given.
        """
        return cls._of(monotone_statement(randomizer, parameter, box, falls=not rises))

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


@lru_cache(maxsize=_READ_CLAIMS)
def _read_text(text: str) -> Statement:
    return read_statement(json.loads(text))


def _expect_claim(value: object) -> None:
    if not isinstance(value, Claim):
        raise InvalidValueError(
            f"a claim has the type {type(value).__name__}. Pass a Claim, as Claim.shuffle_dp makes."
        )


def accuracy_of_view(
    protocol: Any, weights: Mapping[Any, Fraction], dataset: Any, values: Any, estimate: Estimate
) -> kinds.ViewAccuracy:
    """Return the accuracy of an estimate from a shuffled randomizer."""
    inputs, alphabet = protocol.tabulated.inputs, protocol.tabulated.alphabet
    if values is None:
        raise InvalidValueError("values is missing. Pass input -> what a user who holds it adds to the truth.")
    return kinds.ViewAccuracy(
        Table.of(protocol.tabulated),
        protocol.n,
        None if dataset is None else histogram(dataset, inputs, users=protocol.n),
        tuple(weights.get(message, Fraction(0)) for message in alphabet),
        tuple(as_fraction(value, name="a value") for value in by_label(values, inputs, "values", "input")),
        estimate,
    )


def accuracy_of_count(
    protocol: Any, weights: Mapping[Any, Fraction], dataset: Any, values: Any, estimate: Estimate
) -> kinds.CountAccuracy:
    """Return the accuracy of an estimate from one noisy count."""
    weight = weights.get(0, Fraction(0))
    if values is not None or len(weights) > 1 or weight <= 0:
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
    return kinds.CountAccuracy(as_noise_law(protocol.noise), least, most, weight, estimate)


def additive_view(
    randomizer: Randomizer, base: Law | Mapping[int, Exact], shifts: Mapping[Any, int]
) -> kinds.AdditiveView:
    """Return the statement that the number of messages is the sum of shifts plus n copies of a law."""
    if len(randomizer.alphabet) != 1:
        raise InvalidValueError(
            f"the randomizer has {len(randomizer.alphabet)} messages. An additive view has one message type."
        )
    moved = by_label(shifts, randomizer.inputs, "shifts", "input")
    checked = tuple(as_integer(shift, name="a shift", at_least=0) for shift in moved)
    return kinds.AdditiveView(Table.of(randomizer), base if isinstance(base, Law) else Law(base), checked)


def zero_estimate(
    randomizer: Randomizer, weights: Mapping[Any, Exact], zero_unless_above: Exact, all_hold: Any
) -> kinds.ZeroEstimate:
    """Return the statement that the estimate is 0 where all users hold one input."""
    if all_hold not in randomizer.inputs:
        raise InvalidValueError(f"all_hold={all_hold!r} is unknown. The inputs are {randomizer.inputs!r}.")
    listed = by_label(weights, randomizer.alphabet, "weights", "message")
    checked = tuple(as_fraction(weight, name="a weight") for weight in listed)
    threshold = as_fraction(zero_unless_above, name="zero_unless_above")
    held = randomizer.inputs.index(all_hold)
    return kinds.ZeroEstimate(Table.of(randomizer), checked, threshold, held)


LEAST: Final = (None, "delta", "exp_eps")
"""What a claim may call the least that will do."""


class Run(NamedTuple):
    """What is run again and again: a shuffle protocol, or noise on an integer query of sensitivity ``shift``."""

    mechanism: ShuffleProtocol | Noise
    times: int = 1
    shift: int = 1


def noise_of(law: Noise, shift: int) -> ShiftedNoise:
    """Return noise on a query that changes by at most ``shift``."""
    return ShiftedNoise(as_noise_law(law), as_integer(shift, name="shift", at_least=1))


def run_of(run: Run | tuple[ShuffleProtocol | Noise, int], neighbors: Neighbors) -> kinds.Repeated:
    """Return a run as it is given."""
    if not isinstance(run, tuple) or not 2 <= len(run) <= 3:
        raise InvalidValueError("a run is no pair. Pass (protocol or noise, times), or a Run with its shift.")
    mechanism, times, shift = Run(*run)
    often = as_integer(times, name="times", at_least=1)
    if not isinstance(mechanism, Protocol):
        return kinds.Repeated(noise_of(mechanism, shift), often)
    randomizer = (randomizer_of if neighbors is Neighbors.REPLACE_ONE else table_of)(mechanism)
    return kinds.Repeated(ShuffledView(randomizer, users_of(mechanism), relation_of(neighbors)), often)


def level_of(
    eps: Exact | LogRational | None, exp_eps: Exact | None, delta: Exact, least: str | None
) -> tuple[PrivacyLevel, Fraction]:
    """Return the level of privacy and delta, or refuse them."""
    level = read_privacy_level(eps=eps, exp_eps=exp_eps)
    if least not in LEAST:
        raise InvalidValueError(f"least={least!r} is none of None, 'delta' and 'exp_eps'. Pass one of them.")
    if least is not None and level.eps is not None:
        raise InvalidValueError(
            f"least={least!r} with eps={short(level.eps)}, where e^eps is transcendental. Pass exp_eps, or a "
            "LogRational."
        )
    return level, as_probability(delta, name="delta")


def randomizer_of(protocol: Protocol) -> ClaimedRandomizer:
    """Return the protocol's randomizer as a claim about replacing an input holds it: a family by its parameters."""
    family = getattr(getattr(protocol, "randomizer", None), "family", None)  # what is passed may be anything
    if family is None or (not is_claimed(family) and family.has_small_table):
        return table_of(protocol)
    return claimed_family(family)


def table_of(protocol: Protocol) -> Table:
    """Return the table of the protocol's randomizer, or refuse what has none."""
    randomizer = getattr(protocol, "numeric_randomizer", None)
    if randomizer is None:
        raise InvalidValueError(
            f"protocol is a {type(protocol).__name__}, without a randomizer. Pass a ShuffleProtocol; for a count plus "
            "noise claim Claim.shift_dp(noise, shift=...)."
        )
    if (table := randomizer.listed()) is None:
        raise InvalidValueError(
            f"the randomizer {randomizer.name} has no table of at most 65536 entries, and this claim needs one: of "
            "a family it is claimed that it is (eps, delta)-DP for replace-one neighbours, with least=None. Use "
            "fewer inputs."
        )
    return Table.of(table)


def sends_one_of_two(table: Table) -> bool:
    """Whether every user sends exactly one of two messages."""
    return table.messages == 2 and all(len(send) == 1 for row in table.rows for send, _ in row)


def two_message_table(protocol: Protocol) -> Table:
    """Return the table of a randomizer that sends exactly one of two messages, or refuse another one."""
    table = table_of(protocol)
    if not sends_one_of_two(table):
        raise InvalidValueError(
            f"the randomizer has {table.messages} messages, and some user sends none, several, or one of more than "
            "two: this claim is about exactly one of two messages. Pass it to Claim.shuffle_dp."
        )
    return table


def users_of(protocol: Protocol) -> int:
    """Return the number of users, or refuse a random one."""
    users = getattr(protocol, "users", None)
    if not isinstance(users, int):
        raise InvalidValueError(
            f"n is random, by {short(repr(users))}, and no certificate speaks of that. Claim it for one n, "
            "with ShuffleProtocol(randomizer, 1000), or for every n from one on, with all_n_from=1000."
        )
    return users


def relation_of(neighbors: object) -> Neighbors:
    """Return the neighbouring relation, or refuse what is none."""
    if not isinstance(neighbors, Neighbors):
        raise InvalidValueError(
            f"neighbors={neighbors!r} is no neighbouring relation. Pass Neighbors.REPLACE_ONE, say."
        )
    return neighbors
