"""Decides claims about the privacy of a shuffled randomizer, for n users and for every number of users from n on."""

from __future__ import annotations

from collections.abc import Set
from concurrent.futures import Executor
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from operator import add, mul
from typing import Final

from exactdp.checker.limits import MAX_USERS
from exactdp.claims.certificate import Verdict
from exactdp.claims.cost import view_work
from exactdp.claims.decide.decision import Decision, first_verified, proved, refuted, undecided
from exactdp.claims.decide.exact_levels import compared, decide_exactly
from exactdp.claims.encoding import ClaimedFamily, JsonObject, Pairs, Table, write_integer, write_integers
from exactdp.claims.kinds import NeverDP, ShuffleDP
from exactdp.mechanisms.dataset import Neighbors
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.privacy.attained import Bracket, WorstPair
from exactdp.privacy.engine import ManyUsersError
from exactdp.privacy.planner import engine_of

_END_BITS: Final = (20, 40)
"""Accuracies at which the two ends of delta are enclosed: more bits do not bring the ends together."""

_SEPARATION_STEPS: Final = 100_000
"""Most corrections of a functional; those of the tables of the ledger need some dozens."""


def decide_shuffle_dp(claim: ShuffleDP, executor: Executor | None = None) -> Decision:
    """Decide whether a shuffled protocol is (eps, delta)-DP."""
    pairs = Pairs(claim.mechanism, executor)
    engine = engine_of(pairs.source)
    if engine.is_bracket or isinstance(claim.mechanism.randomizer, ClaimedFamily):
        decision = _decide_by_ends(claim, pairs)
    else:
        is_enclosed = claim.least is None and not engine.is_exact
        decision = _decide_enclosed(claim, pairs) if is_enclosed else _shortened(claim, decide_exactly(claim, pairs))
    if not claim.all_n or decision.verdict is not Verdict.PROVED:
        return decision
    exp_eps = claim.level.exp_eps
    if claim.least is None or exp_eps is None or exp_eps == 1:
        return replace(decision, reason=f"{decision.reason} Adding a user is post-processing.")
    assert isinstance(claim.mechanism.randomizer, Table)  # a claim of a family has no ``least``
    vertex = _vertex(claim.mechanism.randomizer, exp_eps)
    if vertex is None:
        return undecided(
            "The e^eps is the least at this n, but no outcome was found that proves it for every larger n."
        )
    return proved(f"{decision.reason} One outcome has this ratio at every n.", **vertex)


def decide_never_dp(claim: NeverDP, executor: Executor | None = None) -> Decision:
    """Decide whether some outcomes betray the data set with a probability of at least ``delta_below``."""
    pairs = Pairs(claim.mechanism, executor)
    if engine_of(pairs.source).is_bracket:
        return _decide_limit_by_ends(claim, pairs)
    worst = pairs.worst(None)
    reason = f"The largest P(Q = 0) is {short(worst.mass_first)}, at {pairs.words(worst)}."
    if worst.mass_first < claim.delta_below:
        return refuted(reason)
    return proved(reason, **pairs.witness(worst))


def _decide_by_ends(claim: ShuffleDP, pairs: Pairs) -> Decision:
    """Decide by two proved ends of delta over all pairs: the upper one proves, the lower one refutes."""
    for bits in _END_BITS:
        ends = pairs.profile.bracket(**claim.level.keywords, relative_bits=bits)
        holds = ends.is_at_most(claim.delta)
        if holds is not None or ends.keeps_open(claim.delta):
            break
    words = f"The worst delta is in {ends.delta}"
    if holds is None:
        why = "its two ends are proved, and not proved equal" if ends.keeps_open(claim.delta) else "they are too close"
        return undecided(f"{words}, and so is delta = {short(claim.delta)}: {why}.")
    if not holds:
        reason = f"{words}; the lower end is attained by {_attained(ends)}."
        return _witnessed(claim, Verdict.REFUTED, reason)
    least = {None: True, "delta": claim.delta == 0, "exp_eps": claim.level.exp_eps == 1}[claim.least]
    if least:
        return _witnessed(claim, Verdict.PROVED, f"{words}; the upper end is that of {ends.theorem}.")
    if ends.delta.compare(claim.delta) == -1:  # delta is continuous in e^eps: then a smaller one is enough as well
        return Decision(Verdict.REFUTED, None, f"{words}: less is enough.")
    return undecided(f"{words}, at most {short(claim.delta)}; that nothing less is enough is not proved.")


def _shortened(claim: ShuffleDP, decision: Decision) -> Decision:
    """Return the decision with a witness of two ends where the checker cannot list the views, if there is one."""
    view = claim.mechanism
    if claim.least is not None or decision.verdict is Verdict.UNDECIDED or isinstance(view.randomizer, ClaimedFamily):
        return decision
    if view_work(view.randomizer.randomizer(), view.n, view.neighbors) is not None:
        return decision
    shorter = _witnessed(claim, decision.verdict, decision.reason)
    return decision if shorter.witness is None else shorter


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
    from exactdp.claims.decide.bracket_witnesses import BracketWitnesses

    witnesses = BracketWitnesses(view, claim.level, claim.delta)
    listed = witnesses.proofs() if verdict is Verdict.PROVED else witnesses.refutations()
    return first_verified(claim, verdict, reason, listed)


def _attained(ends: Bracket) -> str:
    """Return what attains the lower end, for reading; labels are indices here."""
    pair = ends.attained_by
    return f"the pair {pair.first} against {pair.second}" if isinstance(pair, WorstPair) else str(pair)


def _decide_limit_by_ends(claim: NeverDP, pairs: Pairs) -> Decision:
    """Decide by two proved ends of delta at infinite eps."""
    for bits in _END_BITS:
        ends = engine_of(pairs.source).bracket(None, bits)
        if (ends.lower.lower.compare(claim.delta_below) >= 0) or ends.upper.upper.compare(claim.delta_below) < 0:
            break
    words = f"The largest P(Q = 0) is in {Interval(ends.lower.lower, ends.upper.upper)}."
    if ends.lower.lower.compare(claim.delta_below) >= 0:
        return Decision(Verdict.PROVED, None, words)
    if ends.upper.upper.compare(claim.delta_below) < 0:
        return Decision(Verdict.REFUTED, None, words)
    return undecided(f"{words[:-1]}, and delta_below = {short(claim.delta_below)} is not proved to be on one side.")


def _decide_enclosed(claim: ShuffleDP, pairs: Pairs) -> Decision:
    """Decide by enclosures of delta over all pairs, if exact masses are too long to be built."""

    def enclose(bits: int) -> Interval:
        try:
            delta = pairs.profile.delta(**claim.level.keywords, relative_bits=bits)
            assert isinstance(delta, Interval)
            return delta
        except ManyUsersError as error:
            if error.bracket.compare(claim.delta) is None:
                raise
            return error.bracket

    try:
        sign, value = compared(enclose, claim.delta)
    except ManyUsersError as error:
        return undecided(str(error))
    if sign is None:
        return undecided(f"The divergence {value} and delta = {short(claim.delta)} are too close.")
    verdict = Verdict.REFUTED if sign > 0 else Verdict.PROVED
    return _witnessed(claim, verdict, f"The worst delta is in {value}, by ball arithmetic.")


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
