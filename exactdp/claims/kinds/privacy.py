"""Claims about the privacy of a shuffled randomizer, for n users and for every number of users from n on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import permutations
from operator import add, mul
from typing import Annotated, Any, Final, TypeAlias

from exactdp.checker.limits import MAX_USERS
from exactdp.claims.claim_subjects import Pairs, ShuffledView, users_of
from exactdp.claims.cost import FAST_WORK, view_work
from exactdp.claims.encoding import JsonObject, Table, choice, merged, write_integer, write_integers, write_rational
from exactdp.claims.exact_levels import decide_exactly
from exactdp.claims.kinds.two_messages import TwoMessageDP, sends_one_of_two
from exactdp.claims.kinds.user_classes import ClassesDP, users_in_classes
from exactdp.claims.open_claims import DeltaLike, has_functions, open_level, open_table
from exactdp.claims.randomizer_specs import randomizer_of, table_of
from exactdp.claims.statement import (
    Decision,
    Least,
    Level,
    Statement,
    Verdict,
    level_of,
    proved,
    refuted,
    statement_of,
    undecided,
)
from exactdp.claims.two_ends import METHODS, decide_by_ends, decide_enclosed, decide_limit_by_ends, with_method
from exactdp.errors import InvalidValueError
from exactdp.evidence.theorems import relies_on
from exactdp.mechanisms.dataset import Neighbors, read_neighbors
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_integer, as_probability
from exactdp.numbers.formats import short
from exactdp.protocols.interface import Protocol
from exactdp.symbolic.functions_of_parameters import FunctionLike

_SEPARATION_STEPS: Final = 100_000
"""Most corrections of a functional; those of the tables of the ledger need some dozens."""

_SHORT: Final = frozenset({*METHODS, "likelihood", "event"})
"""Keys of witnesses of two ends, beside which the checker lists no views."""

_UNATTAINED: Final = "What the checker knows of these dummies bounds what inputs attain: it refutes nothing."
"""Why a claim that is false has no certificate."""

View: TypeAlias = Annotated[ShuffledView, merged(ShuffledView)]


@dataclass(frozen=True, slots=True)
class ShuffleDP(Statement, kind="shuffle_dp"):
    """The shuffled protocol is (eps, delta)-DP, for its number of users or for every number from it on."""

    mechanism: View
    all_n: Annotated[bool, choice({False: "this n", True: "all n from n"})] = field(metadata={"key": "scope"})
    level: Level
    delta: Fraction
    least: Least

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Statement:
        """Return the statement: of one randomizer, or of classes of users."""
        return ClassesDP.decode(data) if "classes" in data else cls.decode(data)

    @classmethod
    @relies_on("adding_a_user.adding_a_user")
    def of(
        cls,
        protocol: Protocol,
        *,
        eps: Exact | LogRational | None = None,
        exp_eps: FunctionLike | None = None,
        delta: DeltaLike,
        neighbors: Neighbors = Neighbors.REPLACE_ONE,
        all_n_from: int | None = None,
        least: str | None = None,
        user_class: int | None = None,
    ) -> Statement:
        """The shuffled protocol is (eps, delta)-DP: every two neighbouring data sets, both orders.

        Of messages +1 and -1, and of bits in almost one message, this is :meth:`counting_dp`, of which n is no part;
        of one symbol, sampled and dropped below a threshold, :meth:`sample_threshold_dp`.

        Args:
            protocol: its randomizer and, unless ``all_n_from`` is given, its n. Of a table n is at most 10^6 in a
                certificate. A family of ``exactdp.randomizers`` (``KAryResponse``, ``UnaryEncoding``,
                ``SubsetSelection``, ``HadamardResponse``, ``LocalHashing``, ``ClippedDiscreteLaplace``,
                ``any_randomizer``) is claimed by its parameters, a product by its factors, users who may be away by
                what they run, with n up to 10^12; where the claim is about other neighbours, or has ``least``, its
                table is claimed. Classes of users are claimed with their numbers. With a ``SymbolicRandomizer``, or
                functions of parameters for numbers, the claim is open: ``Claim.for_all`` says for which values it
                holds.
            eps, exp_eps: one of eps >= 0 and e^eps >= 1. A ``LogRational`` eps is an exact e^eps.
            delta: in [0, 1]. Of an open claim it may be the largest of several functions: a list of them, or the
                answer of ``symbolic.profile``.
            neighbors: the neighbouring relation.
            all_n_from: if given, the claim is about every number of users from this one on, all running this one
                randomizer.
            least: "delta" or "exp_eps" adds that no smaller one will do (with ``all_n_from``: "exp_eps" with delta 0
                only, at no number of users).
            user_class: of classes of users the class, from 0, of the user who differs; by default any.
        """
        parts, place = users_in_classes(protocol, user_class)
        if len(parts) > 1:
            if all_n_from is not None or least is not None or neighbors is not Neighbors.REPLACE_ONE:
                raise InvalidValueError(
                    "a claim about classes of users is one of (eps, delta)-DP for replace-one neighbours, at the "
                    "numbers of users that they have. Leave out all_n_from, least and neighbors."
                )
            return ClassesDP.of(parts, *level_of(eps, exp_eps, delta), place)
        (protocol,) = parts
        if isinstance(protocol, Protocol):
            protocol, neighbors = protocol.reduction(neighbors)
        if has_functions(randomizer := getattr(protocol, "randomizer", None), exp_eps, delta):
            if all_n_from is not None and least is not None:
                raise InvalidValueError(
                    f"least={least!r} with all_n_from={all_n_from}: the least delta may fall as n grows. Leave one of "
                    "them out."
                )
            n = users_of(protocol) if all_n_from is None else as_integer(all_n_from, name="all_n_from", at_least=1)
            open_view = ShuffledView(open_table(randomizer), n, read_neighbors(neighbors))
            return cls(open_view, all_n_from is not None, *open_level(eps, exp_eps, delta, least), least)
        if isinstance(protocol, Protocol) and not (protocol.is_shuffled_randomizer or protocol.is_noisy_count):
            if all_n_from is not None or least is not None or neighbors is not Neighbors.REPLACE_ONE:
                raise InvalidValueError(
                    "a claim about counts without a table is one of (eps, delta)-DP for replace-one neighbours. "
                    "Leave out all_n_from, least and neighbors."
                )
            if (statement := statement_of(protocol, eps=eps, exp_eps=exp_eps, delta=delta)) is None:
                raise InvalidValueError(
                    f"no claim of (eps, delta)-DP states {short(repr(protocol))}. Ask privacy_profile() where it has "
                    "one, which encloses."
                )
            return statement
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
        view = ShuffledView(randomizer, n, read_neighbors(neighbors))
        return cls(view, all_n_from is not None, level, bound, least)

    def decide(self, executor: Executor | None = None) -> Decision:
        """Decide whether a shuffled protocol is (eps, delta)-DP.

        Witnesses are tried in the order of their cost: all views listed, where that takes the checker moments; a
        blanket, or a swap where that is less than its bound; all data sets of two messages, before long lists.
        """
        compared = self.compared
        listed = None if compared is None else table_work(self.mechanism)
        if compared is None or (listed is not None and listed <= FAST_WORK):
            return self._decided(executor)
        if listed is not None:
            decision = compared.decided_by(self._first_of_two_messages)
            return self._decided(executor) if decision.witness is None else decision
        decision = self._decided(executor)
        if _SHORT.isdisjoint(decision.witness or {}):
            other = compared.decided_by(self._first_of_two_messages)
            is_better = other.witness is not None or decision.verdict is Verdict.UNDECIDED
            return other if is_better else decision
        return decision

    @property
    def compared(self) -> TwoMessageDP | None:
        """The claim that says the same of two messages, where the checker can compare all its data sets."""
        view = self.mechanism
        if self.least is not None or view.neighbors is not Neighbors.REPLACE_ONE:
            return None
        if not isinstance(view.randomizer, Table) or not sends_one_of_two(view.randomizer):
            return None
        stated = TwoMessageDP(view.randomizer, view.n, self.all_n, self.level, self.delta)
        return None if stated.work is None else stated

    def _first_of_two_messages(self, verdict: Verdict, reason: str, witnesses: Iterable[JsonObject]) -> Decision:
        """Return the decision with the first witness of two messages that is verified."""
        terms = {"terms"}
        said = (
            {
                "two_messages": {key: value for key, value in one.items() if key not in terms},
                **{key: value for key, value in one.items() if key in terms},
            }
            for one in witnesses
        )
        return self.first_verified(verdict, reason, said)

    def _decided(self, executor: Executor | None) -> Decision:
        pairs = Pairs(self.mechanism, executor)
        engine = pairs.engine
        if engine.is_bracket or not isinstance(self.mechanism.randomizer, Table):
            decision = decide_by_ends(pairs.profile, self.level, self.delta, self.least, partial(_witnessed, self))
            if decision.verdict is Verdict.UNDECIDED:
                decision = _closed(self) or decision
        elif self.least is None and not engine.is_exact:
            decision = decide_enclosed(pairs.profile, self.level, self.delta, partial(_witnessed, self))
        else:
            decision = _shortened(self, decide_exactly(pairs, self.level, self.delta, self.least))
        if not self.all_n or decision.verdict is not Verdict.PROVED:
            return decision
        exp_eps = self.level.exp_eps
        if self.least is None or exp_eps is None or exp_eps == 1:
            return replace(decision, reason=f"{decision.reason} Adding a user is post-processing.")
        assert isinstance(self.mechanism.randomizer, Table)  # a claim of a family has no ``least``
        vertex = _vertex(self.mechanism.randomizer, exp_eps)
        if vertex is None:
            return undecided(
                "The e^eps is the least at this n, but no outcome was found that proves it for every larger n."
            )
        return proved(f"{decision.reason} One outcome has this ratio at every n.", **vertex)


@dataclass(frozen=True, slots=True)
class NeverDP(Statement, kind="never_dp"):
    """For no finite eps and no delta below ``delta_below`` is the shuffled protocol (eps, delta)-DP."""

    mechanism: View
    delta_below: Fraction

    @classmethod
    def of(cls, protocol: Protocol, *, delta_below: Exact, neighbors: Neighbors = Neighbors.REPLACE_ONE) -> NeverDP:
        """For no finite eps and no delta < ``delta_below`` is the shuffled protocol (eps, delta)-DP.

        The same about the randomizer itself, without a shuffler, is the claim about one user of ``randomizer.local()``.
        """
        randomizer = table_of(protocol)
        bound = as_probability(delta_below, name="delta_below")
        if bound == 0:
            raise InvalidValueError("delta_below=0 leaves no delta. Pass a number in (0, 1].")
        return cls(ShuffledView(randomizer, users_of(protocol), read_neighbors(neighbors)), bound)

    def decide(self, executor: Executor | None = None) -> Decision:
        """Decide whether some outcomes betray the data set with a probability of at least ``delta_below``."""
        pairs = Pairs(self.mechanism, executor)
        if pairs.engine.is_bracket:
            return decide_limit_by_ends(pairs, self.delta_below)
        worst = pairs.worst(None)
        reason = f"The largest P(Q = 0) is {short(worst.mass_first)}, at {pairs.words(worst)}."
        if worst.mass_first < self.delta_below:
            return refuted(reason)
        return proved(reason, **pairs.witness(worst))


def table_work(view: ShuffledView) -> int | None:
    """Return a bound of the checker's work on a list of the views of a table; None where it is too large."""
    assert isinstance(view.randomizer, Table)
    return view_work(view.randomizer.randomizer(), view.n, view.neighbors)


def _shortened(claim: ShuffleDP, decision: Decision) -> Decision:
    """Return the decision with a witness of two ends where the checker cannot list the views, if there is one."""
    view = claim.mechanism
    if claim.least is not None or decision.verdict is Verdict.UNDECIDED or not isinstance(view.randomizer, Table):
        return decision
    if table_work(view) is not None:
        return decision
    shorter = _witnessed(claim, decision.verdict, decision.reason)
    return decision if shorter.witness is None else shorter


def _closed(claim: ShuffleDP) -> Decision | None:
    """Return the decision of a closed bracket, where delta is known exactly and the checker sees it; else None."""
    from exactdp.claims.bracket_witnesses import BracketWitnesses

    listed = list(BracketWitnesses(claim.mechanism, claim.level, claim.delta).closed())
    for verdict in (Verdict.PROVED, Verdict.REFUTED) if listed and claim.least is None else ():
        found = claim.first_verified(verdict, METHODS["closed_bracket"], listed)
        if found.witness is not None:
            return found
    return None


def _witnessed(claim: ShuffleDP, verdict: Verdict, reason: str) -> Decision:
    """Return the verdict with a witness of two ends that the checker verifies, or none."""
    view = claim.mechanism
    if claim.least is not None or view.neighbors is not Neighbors.REPLACE_ONE:
        return Decision(verdict, None, reason)
    if view.n > MAX_USERS and isinstance(view.randomizer, Table):
        return Decision(
            verdict,
            None,
            f"{reason} The claim of a table has a certificate up to n = {MAX_USERS}, that of a family up to 10^12.",
        )
    from exactdp.claims.bracket_witnesses import BracketWitnesses

    witnesses = BracketWitnesses(view, claim.level, claim.delta)
    listed = witnesses.proofs() if verdict is Verdict.PROVED else witnesses.refutations()
    decision = with_method(claim.first_verified(verdict, reason, listed), reason)
    if verdict is Verdict.REFUTED and not witnesses.is_attained:
        return replace(decision, reason=f"{reason} {_UNATTAINED}")
    return decision


def _vertex(table: Table, exp_eps: Fraction) -> JsonObject | None:
    """Return an outcome of two rows with this ratio that is a vertex of both, as a witness for every n.

    If a third row served as the bystander, so would the second one: its outcomes are fewer.
    """
    laws = list(map(table.count_law, range(len(table.rows))))
    for (x, first), (y, second) in permutations(enumerate(laws), 2):
        for outcome in sorted(first.keys() & second.keys()):
            if first[outcome] == exp_eps * second[outcome]:
                functional = _separating(outcome, first.keys() | second.keys())
                if functional is not None:
                    return {
                        "differing": write_integers((x, y)),
                        "bystander": write_integer(y),
                        "outcome": write_integers(outcome),
                        "functional": write_integers(functional),
                    }
    return None


def _separating(outcome: tuple[int, ...], outcomes: Set[tuple[int, ...]]) -> tuple[int, ...] | None:
    """Return an integer functional that is largest at ``outcome`` alone, by the perceptron rule; None without success.

    The rule ends whenever there is such a functional; the bound on its steps only saves time.
    """
    gaps = [tuple(a - b for a, b in zip(outcome, other, strict=True)) for other in sorted(outcomes - {outcome})]
    functional = (0,) * len(outcome)
    for _ in range(_SEPARATION_STEPS):
        wrong = next((gap for gap in gaps if sum(map(mul, functional, gap)) <= 0), None)
        if wrong is None:
            return functional
        functional = tuple(map(add, functional, wrong))
    return None
