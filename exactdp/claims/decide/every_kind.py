"""From a claim of any kind to the function that decides it; claims about claims are decided by their parts."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, Final

from exactdp.claims import kinds
from exactdp.claims.certificate import Verdict
from exactdp.claims.decide.boxes_of_parameters import decide_for_all
from exactdp.claims.decide.composed_runs import decide_composed
from exactdp.claims.decide.counts import decide_counting_dp, decide_sample_threshold_dp
from exactdp.claims.decide.decision import Decision, proved
from exactdp.claims.decide.every_n import decide_additive_view, decide_zero_estimate
from exactdp.claims.decide.extreme_rows import decide_two_message_dp
from exactdp.claims.decide.near_views import decide_split_and_mix
from exactdp.claims.decide.noise_levels import decide_shift_dp, decide_smooth
from exactdp.claims.decide.one_way import decide_monotone
from exactdp.claims.decide.polynomial_inequalities import decide_box_inequality, decide_inequality
from exactdp.claims.decide.probabilities import decide_count_accuracy, decide_tail
from exactdp.claims.decide.same_laws import decide_equal_laws
from exactdp.claims.decide.shuffled_views import decide_never_dp, decide_shuffle_dp
from exactdp.claims.decide.view_accuracy import decide_view_accuracy
from exactdp.claims.encoding import JsonObject, write_integer
from exactdp.claims.kinds import Conjunction, Negation, Statement
from exactdp.patience import counted


def decide_statement(statement: Statement, executor: Executor | None = None) -> Decision:
    """Decide a claim; what can be done in parts goes through the executor, if there is one."""
    kind = type(statement)
    return _IN_PARTS[kind](statement, executor) if kind in _IN_PARTS else _WHOLE[kind](statement)


def decide_conjunction(claim: Conjunction, executor: Executor | None = None) -> Decision:
    """Decide whether all of the claims hold; one that fails decides, else one that stays open, else one uncertified."""
    parts = (map if executor is None else executor.map)(decide_statement, claim.claims)
    decisions = list(counted(parts, len(claim.claims)))
    witnesses = [decision.witness for decision in decisions if decision.witness is not None]
    for verdict in (Verdict.REFUTED, Verdict.UNDECIDED, Verdict.PROVED):
        for i, decision in enumerate(decisions):
            if decision.verdict is verdict and (verdict is not Verdict.PROVED or decision.witness is None):
                witness = decision.witness if verdict is Verdict.REFUTED else None
                part: JsonObject | None = None if witness is None else {"part": write_integer(i), "witness": witness}
                return Decision(verdict, part, f"Part {i}: {decision.reason}")
    return proved(f"All {len(decisions)} parts are proved.", parts=witnesses)


def decide_negation(claim: Negation, executor: Executor | None = None) -> Decision:
    """Decide whether a claim is false: what proves the one refutes the other."""
    inner = decide_statement(claim.claim, executor)
    turned = {Verdict.PROVED: Verdict.REFUTED, Verdict.REFUTED: Verdict.PROVED}.get(inner.verdict, inner.verdict)
    return Decision(turned, inner.witness, inner.reason)


_WHOLE: Final[dict[type[Statement], Callable[[Any], Decision]]] = {
    kinds.TwoMessageDP: decide_two_message_dp,
    kinds.ShiftDP: decide_shift_dp,
    kinds.CountingDP: decide_counting_dp,
    kinds.SampleThresholdDP: decide_sample_threshold_dp,
    kinds.SplitAndMix: decide_split_and_mix,
    kinds.Composed: decide_composed,
    kinds.Smooth: decide_smooth,
    kinds.Tail: decide_tail,
    kinds.CountAccuracy: decide_count_accuracy,
    kinds.EqualLaws: decide_equal_laws,
    kinds.AdditiveView: decide_additive_view,
    kinds.ZeroEstimate: decide_zero_estimate,
    kinds.Inequality: decide_inequality,
    kinds.BoxInequality: decide_box_inequality,
    kinds.Monotone: lambda claim: decide_monotone(claim, decide_statement),
    kinds.ForAll: lambda claim: decide_for_all(claim, decide_statement),
}

_IN_PARTS: Final[dict[type[Statement], Callable[[Any, Executor | None], Decision]]] = {
    kinds.ShuffleDP: decide_shuffle_dp,
    kinds.NeverDP: decide_never_dp,
    kinds.ViewAccuracy: decide_view_accuracy,
    Conjunction: decide_conjunction,
    Negation: decide_negation,
}
