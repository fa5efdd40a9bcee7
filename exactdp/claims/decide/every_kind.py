"""From a claim of any kind to the function that decides it; claims about claims are decided by their parts."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from exactdp.claims import kinds
from exactdp.claims.certificate import Verdict
from exactdp.claims.decide.decision import Decision, proved
from exactdp.claims.encoding import JsonObject, write_integer
from exactdp.claims.kinds import Conjunction, Negation, Statement
from exactdp.patience import counted

if TYPE_CHECKING:
    from concurrent.futures import Executor


def decide_statement(statement: Statement, executor: Executor | None = None) -> Decision:
    """Decide a claim; what can be done in parts goes through the executor, if there is one."""
    kind = type(statement)
    if kind in _OF_CLAIMS:
        return _OF_CLAIMS[kind](statement, executor)
    module, _, name = _PLACES[kind].partition(".")
    decide: Callable[..., Decision] = getattr(import_module(f"exactdp.claims.decide.{module}"), name)
    if kind in _IN_PARTS:
        return decide(statement, executor)
    return decide(statement, decide_statement) if kind in _ASKING else decide(statement)


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


_OF_CLAIMS: Final[dict[type[Statement], Callable[[Any, Executor | None], Decision]]] = {
    Conjunction: decide_conjunction,
    Negation: decide_negation,
}

_PLACES: Final[dict[type[Statement], str]] = {
    kinds.ShuffleDP: "shuffled_views.decide_shuffle_dp",
    kinds.NeverDP: "shuffled_views.decide_never_dp",
    kinds.TwoMessageDP: "extreme_rows.decide_two_message_dp",
    kinds.ShiftDP: "noise_levels.decide_shift_dp",
    kinds.CountingDP: "counts.decide_counting_dp",
    kinds.SampleThresholdDP: "counts.decide_sample_threshold_dp",
    kinds.SplitAndMix: "near_views.decide_split_and_mix",
    kinds.Composed: "composed_runs.decide_composed",
    kinds.Smooth: "noise_levels.decide_smooth",
    kinds.Tail: "probabilities.decide_tail",
    kinds.CountAccuracy: "probabilities.decide_count_accuracy",
    kinds.ViewAccuracy: "view_accuracy.decide_view_accuracy",
    kinds.EqualLaws: "same_laws.decide_equal_laws",
    kinds.AdditiveView: "every_n.decide_additive_view",
    kinds.ZeroEstimate: "every_n.decide_zero_estimate",
    kinds.Inequality: "polynomial_inequalities.decide_inequality",
    kinds.BoxInequality: "polynomial_inequalities.decide_box_inequality",
    kinds.Monotone: "one_way.decide_monotone",
    kinds.ForAll: "boxes_of_parameters.decide_for_all",
}
"""Kind -> file and function of this folder; a file is loaded for the first claim that it decides."""

_IN_PARTS: Final = frozenset({kinds.ShuffleDP, kinds.NeverDP, kinds.ViewAccuracy})
"""Kinds whose function takes an executor."""

_ASKING: Final = frozenset({kinds.Monotone, kinds.ForAll})
"""Kinds whose function asks for the decisions of other claims."""
