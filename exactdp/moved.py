"""Where the modules of earlier versions are now: one table, and what imports them by it.

``exactdp/__init__.py`` puts a finder behind all others, so that it is asked only for what is at no place of the
package: an import that finds its file never comes here. An old path stands for the module at the new one, the same
object. An import of it says so once, with a FutureWarning; unpickling says nothing, since who keeps a value has written
no path. The table outlives the warning: what was pickled by 0.2.0 loads for ever.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from opcode import opname
from types import ModuleType
from typing import Any, Final

NOW: Final[dict[str, str]] = {
    "accuracy.dummy_frequencies": "protocols.accuracy.frequencies",
    "accuracy.fixed_point_sums": "protocols.mixing.fixed_point_sum_protocol",
    "accuracy.frequencies": "protocols.accuracy.frequencies",
    "accuracy.laplace_sums": "protocols.accuracy.laplace_sums",
    "accuracy.local_game": "protocols.accuracy.local_game",
    "accuracy.message_frequencies": "protocols.accuracy.frequencies",
    "accuracy.optimal": "protocols.accuracy.optimal",
    "accuracy.overlapping_sums": "protocols.accuracy.overlapping_sums",
    "accuracy.response": "protocols.accuracy.response",
    "accuracy.tails": "laws.tails",
    "accuracy.thresholded_counts": "protocols.thresholded.sample_and_threshold_protocol",
    "atomic_file": "files.atomic_file",
    "bounds.almost_central_theorem": "protocols.almost_central.almost_central_theorem",
    "bounds.blanket": "privacy.amplification.blanket",
    "bounds.clones": "privacy.amplification.clones",
    "bounds.component_bound": "protocols.mixing.component_bound",
    "bounds.counting_slack": "protocols.counting.counting_theorem",
    "bounds.counting_theorem": "protocols.counting.counting_theorem",
    "bounds.histogram_theorem": "protocols.zsum_and_histogram.histogram_theorem",
    "bounds.hypotheses": "privacy.hypotheses",
    "bounds.response_theorem": "privacy.amplification.response_theorem",
    "bounds.sample_threshold": "protocols.thresholded.waiting_times",
    "bounds.slack": "protocols.zsum_and_histogram.slack",
    "bounds.smooth_theorems": "protocols.zsum_and_histogram.smooth_theorems",
    "bounds.variation_ratio": "privacy.amplification.variation_ratio",
    "bounds.zsum_theorem": "protocols.zsum_and_histogram.zsum_theorem",
    "calibration.calibrated": "studies.calibration.calibrated",
    "calibration.counting_shares": "studies.calibration.counting_shares",
    "calibration.equal_error": "studies.calibration.equal_error",
    "calibration.families": "protocols.one_parameter_families",
    "calibration.frequency_comparison": "studies.calibration.frequency_comparison",
    "calibration.frequency_families": "studies.calibration.frequency_families",
    "calibration.grid_search": "studies.calibration.grid_search",
    "calibration.local_families": "studies.calibration.local_families",
    "calibration.one_way_claims": "studies.calibration.monotone_claims",
    "calibration.savings": "studies.calibration.savings",
    "calibration.two_ended_search": "studies.calibration.two_ended_search",
    "calibration.zsum_safety": "studies.calibration.zsum_safety",
    "certificates.bare_checker": "claims.bare_checker",
    "certificates.certificate": "claims.certificate",
    "certificates.certified_formulas": "claims.certified_formulas",
    "certificates.certify": "claims.certify",
    "certificates.claim": "claims.claim",
    "certificates.claimed_accuracies": "claims.kinds.accuracy",
    "certificates.claimed_families": "claims.randomizer_specs",
    "certificates.claimed_one_message": "claims.kinds.two_messages",
    "certificates.claimed_relations": "claims.relations",
    "certificates.claimed_runs": "claims.kinds.composed",
    "certificates.claimed_targets": "claims.target_claims",
    "certificates.claimed_views": "claims.claim_subjects",
    "certificates.claims_in_sympy": "claims.claims_in_sympy",
    "certificates.cost": "claims.cost",
    "certificates.decide.boxes_of_parameters": "claims.kinds.for_all",
    "certificates.decide.bracket_witnesses": "claims.bracket_witnesses",
    "certificates.decide.composed_runs": "claims.kinds.composed",
    "certificates.decide.counts": "claims.kinds.sampling",
    "certificates.decide.decision": "claims.statement",
    "certificates.decide.enclosing": "claims.exact_levels",
    "certificates.decide.every_kind": "claims.certify",
    "certificates.decide.every_n": "claims.kinds.equal_laws",
    "certificates.decide.exact_levels": "claims.exact_levels",
    "certificates.decide.extreme_rows": "claims.kinds.two_messages",
    "certificates.decide.near_views": "claims.kinds.mixing",
    "certificates.decide.noise_levels": "claims.kinds.noise_privacy",
    "certificates.decide.one_way": "claims.kinds.monotone",
    "certificates.decide.parameter_cells": "claims.parameter_cells",
    "certificates.decide.polynomial_inequalities": "claims.kinds.inequalities",
    "certificates.decide.probabilities": "claims.kinds.accuracy",
    "certificates.decide.reached_deltas": "claims.kinds.for_all",
    "certificates.decide.same_laws": "claims.kinds.equal_laws",
    "certificates.decide.shuffled_views": "claims.kinds.privacy",
    "certificates.decide.view_accuracy": "claims.kinds.accuracy",
    "certificates.encoding": "claims.encoding",
    "certificates.kinds": "claims.kinds",
    "certificates.neighbor_pairs": "claims.claim_subjects",
    "certificates.open_claims": "claims.claim",
    "certificates.polynomials": "claims.kinds.inequalities",
    "certificates.proved_checker": "claims.proved_checker",
    "certificates.theorems_behind": "claims.theorems_behind",
    "certificates.ways": "claims.ways",
    "composition.bracket": "privacy.composition.bracket",
    "composition.by_points": "privacy.composition.bracket",
    "composition.cell_products": "protocols.almost_central.zero_sum_views",
    "composition.composed": "privacy.composition.composed",
    "composition.composed_epsilon": "privacy.composition.bracket",
    "composition.heuristics": "privacy.composition.heuristics",
    "composition.law_pairs": "privacy.composition.law_pairs",
    "composition.mechanisms": "privacy.composition.mechanisms",
    "composition.polygons": "privacy.composition.profile_pairs",
    "composition.profile_pairs": "privacy.composition.profile_pairs",
    "composition.zero_sum_views": "protocols.almost_central.zero_sum_views",
    "counterexamples.catalogue": "studies.counterexamples.catalogue",
    "counterexamples.comparison": "studies.counterexamples.comparison",
    "counterexamples.grids": "studies.counterexamples.search",
    "counterexamples.search": "studies.counterexamples.search",
    "counterexamples.sizes": "studies.counterexamples.sizes",
    "engines.amplification": "privacy.amplification.amplification",
    "engines.bounds_of_pairs": "privacy.amplification.bounds_of_pairs",
    "engines.bracket_inverse": "privacy.amplification.bracket_inverse",
    "engines.closing": "privacy.amplification.amplification",
    "engines.correlated_counts": "protocols.counting.correlated_counts",
    "engines.curves": "privacy.curves",
    "engines.disjoint": "privacy.shuffle.scan",
    "engines.dummy_pairs": "privacy.amplification.dummy_pairs",
    "engines.engine": "privacy.engine",
    "engines.finite_shift": "privacy.noise.lattice_shift",
    "engines.flooded_bins": "protocols.flooded.flooded_bins",
    "engines.flooded_response": "protocols.flooded.flooded_response",
    "engines.guesses": "privacy.amplification.guesses",
    "engines.hidden": "privacy.amplification.dummy_pairs",
    "engines.homogeneous": "privacy.amplification.amplification",
    "engines.input_pairs": "privacy.amplification.input_pairs",
    "engines.inverse": "privacy.inverse",
    "engines.laplace_shift": "privacy.noise.laplace_shift",
    "engines.lattice_shift": "privacy.noise.lattice_shift",
    "engines.multinomial": "privacy.shuffle.pair",
    "engines.newton": "privacy.profile",
    "engines.pair": "privacy.shuffle.pair",
    "engines.planner": "privacy.planner",
    "engines.products": "privacy.shuffle.products",
    "engines.random_users": "privacy.shuffle.random_users",
    "engines.ranged_pairs": "privacy.amplification.input_pairs",
    "engines.repeated_pairs": "privacy.amplification.repeated_pairs",
    "engines.scan": "privacy.shuffle.scan",
    "engines.score_laws": "privacy.amplification.score_event",
    "engines.score_tables": "protocols.exponential.score_pairs",
    "engines.sparse": "privacy.shuffle.products",
    "engines.structure": "privacy.shuffle.structure",
    "engines.symmetry": "privacy.shuffle.structure",
    "engines.two_bins": "privacy.noise.two_bins",
    "engines.two_ended": "privacy.amplification.bracket_inverse",
    "engines.two_messages": "privacy.two_messages.two_messages",
    "engines.two_waiting_times": "protocols.thresholded.two_waiting_times",
    "engines.view_law": "privacy.shuffle.view_law",
    "engines.waiting_times": "protocols.thresholded.waiting_times",
    "exchange.loss_grid": "privacy.exchange.loss_grid",
    "exchange.merged_losses": "privacy.exchange.profile_losses",
    "exchange.profile_losses": "privacy.exchange.profile_losses",
    "frozen": "numbers.frozen",
    "inequalities.box": "symbolic.box",
    "inequalities.grammar": "symbolic.grammar",
    "inequalities.handelman": "symbolic.handelman",
    "inequalities.linear_programming": "symbolic.linear_programming",
    "inequalities.rational_functions": "symbolic.rational_functions",
    "inequalities.spans": "symbolic.box",
    "inequalities.sums": "symbolic.sums",
    "kernel.amplification.contour": "privacy.amplification.tilted_contour",
    "kernel.amplification.copies": "privacy.amplification.tilted",
    "kernel.amplification.count_windows": "privacy.amplification.positive_part",
    "kernel.amplification.counts": "privacy.amplification.positive_part",
    "kernel.amplification.float_contour": "privacy.amplification.float_contour",
    "kernel.amplification.flooded_message": "protocols.flooded.flooded_bins",
    "kernel.amplification.lattice_bound": "privacy.amplification.lattice_bound",
    "kernel.amplification.lattice_tests": "privacy.amplification.lattice_bound",
    "kernel.amplification.many_pairs": "privacy.amplification.bounds_of_pairs",
    "kernel.amplification.moved_message": "privacy.amplification.moved_message",
    "kernel.amplification.positive_part": "privacy.amplification.positive_part",
    "kernel.amplification.rare": "privacy.amplification.positive_part",
    "kernel.amplification.score_event": "privacy.amplification.score_event",
    "kernel.amplification.tilted": "privacy.amplification.tilted",
    "kernel.balls": "numbers.balls",
    "kernel.components": "protocols.mixing.components",
    "kernel.composition.correlated_losses": "protocols.counting.correlated_view",
    "kernel.composition.losses": "privacy.composition.losses",
    "kernel.composition.powers": "privacy.composition.powers",
    "kernel.composition.ratio_classes": "privacy.composition.ratio_classes",
    "kernel.contour": "laws.contour",
    "kernel.correlated_view": "protocols.counting.correlated_view",
    "kernel.laplace_balls": "laws.law_balls",
    "kernel.law_balls": "laws.law_balls",
    "kernel.law_intervals": "laws.law_balls",
    "kernel.negative_binomial_sum": "protocols.counting.correlated_view",
    "kernel.packed": "numbers.packed",
    "kernel.parity_views": "protocols.mixing.parity_views",
    "kernel.rationals": "numbers.rationals",
    "kernel.sampled_counts": "protocols.thresholded.sampled_count_laws",
    "kernel.score_weights": "protocols.exponential.score_pairs",
    "kernel.shared_divergence": "protocols.almost_central.zero_sum_view",
    "kernel.shared_noise": "protocols.almost_central.shared_noise",
    "kernel.splitting": "numbers.splitting",
    "kernel.staircase": "privacy.noise.staircase",
    "kernel.two_messages.balls_of_rows": "privacy.two_messages.balls_of_rows",
    "kernel.two_messages.masses": "privacy.two_messages.two_messages",
    "kernel.two_messages.rows": "privacy.two_messages.balls_of_rows",
    "kernel.two_messages.worst_half_lines": "privacy.two_messages.worst_half_lines",
    "kernel.zero_sum_bound": "protocols.almost_central.zero_sum_view",
    "kernel.zero_sum_view": "protocols.almost_central.zero_sum_view",
    "levels": "evidence.levels",
    "models.analyzer": "mechanisms.analyzer",
    "models.communication": "mechanisms.randomizer",
    "models.dataset": "mechanisms.dataset",
    "models.dummies": "privacy.amplification.dummy_pairs",
    "models.lattice_randomizer": "mechanisms.lattice_randomizer",
    "models.neighbors": "mechanisms.dataset",
    "models.pair_table": "mechanisms.pair_table",
    "models.query_sensitivity": "privacy.noise.query_sensitivity",
    "models.randomizer": "mechanisms.randomizer",
    "models.randomizer_files": "mechanisms.randomizer_files",
    "models.standard_input": "mechanisms.documents",
    "models.zero_sum_multisets": "protocols.almost_central.zero_sum_views",
    "naming.populations": "protocols.naming.populations",
    "naming.targets": "protocols.naming.targets",
    "naming.typed_noise": "protocols.naming.typed_noise",
    "patience": "progress",
    "privacy.epsilon": "numbers.epsilon",
    "privacy.lower_hull": "privacy.tradeoff",
    "privacy.newton": "privacy.profile",
    "privacy_decision": "privacy.privacy_decision",
    "profile": "privacy.profile",
    "proofs.accepted": "proofs.ledger",
    "proofs.crowded_bins": "proofs.histogram",
    "proofs.entries": "proofs.page",
    "proofs.words": "proofs.page",
    "protocol": "protocols.protocol",
    "protocol_reach": "privacy.protocol_reach",
    "protocols.almost_central_protocol": "protocols.almost_central.almost_central_protocol",
    "protocols.correlated_counting_protocol": "protocols.counting.correlated_counting_protocol",
    "protocols.counting_protocol": "protocols.counting.counting_protocol",
    "protocols.exponential_mechanism_protocol": "protocols.exponential.exponential_mechanism_protocol",
    "protocols.fixed_point_sum_protocol": "protocols.mixing.fixed_point_sum_protocol",
    "protocols.flooding_protocol": "protocols.flooded.flooding_protocol",
    "protocols.histogram_protocol": "protocols.zsum_and_histogram.histogram_protocol",
    "protocols.sample_and_threshold_protocol": "protocols.thresholded.sample_and_threshold_protocol",
    "protocols.split_and_mix_privacy": "protocols.mixing.split_and_mix_privacy",
    "protocols.split_and_mix_protocol": "protocols.mixing.split_and_mix_protocol",
    "protocols.zsum_protocol": "protocols.zsum_and_histogram.zsum_protocol",
    "randomizers.any_randomizer_family": "mechanisms.any_randomizer_family",
    "randomizers.clipped_discrete_laplace_family": "mechanisms.clipped_discrete_laplace_family",
    "randomizers.drawing": "mechanisms.family",
    "randomizers.dummies_family": "mechanisms.dummies_family",
    "randomizers.family": "mechanisms.family",
    "randomizers.hadamard_response_family": "mechanisms.hadamard_response_family",
    "randomizers.k_ary_family": "mechanisms.k_ary_family",
    "randomizers.local_hashing_family": "mechanisms.local_hashing_family",
    "randomizers.published": "mechanisms.family",
    "randomizers.repetition": "mechanisms.repetition",
    "randomizers.subset_selection_family": "mechanisms.subset_selection_family",
    "randomizers.support_family": "mechanisms.support_family",
    "randomizers.unary_encoding_family": "mechanisms.unary_encoding_family",
    "reference.composed_sums": "reference.hockey_stick_sums",
    "reference.counted_steps": "reference.summed_laws",
    "reference.positive_means": "reference.hockey_stick_sums",
    "report.experiments.least_noise": "report.experiments.three_models",
    "report.figures.alpha": "report.figures.calibration_curves",
    "report.figures.amplification_picture": "report.figures.amplification_curves",
    "report.page.formulas": "report.page.typesetting",
    "report.page.frequency_tables": "report.page.protocols",
    "report.page.references": "report.page.html",
    "report.page.shown_experiments": "report.page.work",
    "report.page.subject": "report.page.html",
    "report.page.summation_tables": "report.page.protocols",
    "sampling.blocks": "protocols.sampling.blocks",
    "sampling.family_views": "mechanisms.family_views",
    "sampling.flooded_views": "protocols.flooded.flooded_views",
    "sampling.intervals": "laws.intervals",
    "sampling.noise": "laws.noise",
    "sampling.shares": "protocols.mixing.shares",
    "sampling.tallies": "testing.tallies",
    "sampling.users": "protocols.sampling.blocks",
    "sampling.views": "protocols.sampling.views",
    "spreadsheets": "files.spreadsheets",
    "studies.survey.orders": "studies.survey.crossings",
    "studies.sweep.sweep_workers": "studies.sweep.sweep_store",
    "survey.all_curves": "studies.survey.measured",
    "survey.bit_sums": "studies.survey.bounded_sums",
    "survey.bounded_sums": "studies.survey.bounded_sums",
    "survey.crossings": "studies.survey.crossings",
    "survey.error_curves": "studies.survey.error_curves",
    "survey.histogram_curves": "studies.survey.histogram_curves",
    "survey.measured": "studies.survey.measured",
    "survey.orders": "studies.survey.crossings",
    "survey.rows": "studies.survey.error_curves",
    "survey.store": "studies.survey.measured",
    "survey.survey_question": "studies.survey.error_curves",
    "sweep.sweep_answers": "studies.sweep.sweep_answers",
    "sweep.sweep_certificates": "studies.sweep.sweep_answers",
    "sweep.sweep_cluster": "studies.sweep.sweep_store",
    "sweep.sweep_question": "studies.sweep.sweep_question",
    "sweep.sweep_spec": "studies.sweep.sweep_spec",
    "sweep.sweep_store": "studies.sweep.sweep_store",
    "sweep.sweep_table": "studies.sweep.sweep_store",
    "sweep.sweep_workers": "studies.sweep.sweep_store",
    "symbolic.best_events": "symbolic.piecewise_quotients",
    "symbolic.formula_proofs": "symbolic.symbolic_profiles",
    "symbolic.given_formulas": "symbolic.symbolic_deltas",
    "symbolic.parameter_files": "symbolic.symbolic_randomizer",
    "symbolic.parametric_families": "symbolic.symbolic_randomizer",
    "symbolic.polynomial_views": "symbolic.symbolic_laws",
    "testing.pins": "testing.plugin",
    "testing.power": "testing.g_tests",
    "testing.worst_outcomes": "testing.g_tests",
    "theorems": "evidence.theorems",
}
"""Old module -> new module, both below ``exactdp``."""

SPLIT: Final[dict[str, dict[str, str]]] = {
    "engines.protocol_pairs": {
        "CorrelatedPairs": "protocols.counting.correlated_counts",
        "FloodedPairs": "protocols.flooded.flooded_response",
        "LaplacePairs": "privacy.planner",
        "ScorePairs": "protocols.exponential.score_pairs",
        "ThresholdPairs": "protocols.thresholded.two_waiting_times",
    },
}
"""Old module -> each of its names -> the module where that is now."""

_FILES: Final = {"models": "mechanisms"}
"""A folder that held other files than code, the JSON Schema of randomizer files -> the one that holds them now."""


def spec_of(name: str) -> ModuleSpec | None:
    """Return how an old path is imported, or a folder that held some; None for what the package never had."""
    old = name.removeprefix("exactdp.")
    if old in NOW:
        return ModuleSpec(name, _Moved(f"exactdp.{NOW[old]}"))
    if old in SPLIT:
        return ModuleSpec(name, _Split(SPLIT[old]))
    if any(each.startswith(f"{old}.") for each in (*NOW, *SPLIT)):
        return ModuleSpec(name, _Folder(), is_package=True)
    return None


class _Folder(Loader):
    """Imports a folder that is gone: nothing, in which old paths are found."""

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        pass

    def get_resource_reader(self, fullname: str) -> Any:
        """Read the files that are not code where they are now."""
        new = _FILES.get(fullname.removeprefix("exactdp."))
        loader: Any = import_module(f"exactdp.{new}").__loader__ if new else None  # not always Python's own
        return loader and loader.get_resource_reader(f"exactdp.{new}")


class _Moved(_Folder):
    """Imports the module at the new path, for which the old name then stands."""

    def __init__(self, new: str) -> None:
        self._new = new

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = import_module(self._new)
        _warn(f"{module.__name__} is now {self._new}.")


class _Split(_Folder):
    """Imports a module whose names are at several places: each is looked up where it is now."""

    def __init__(self, homes: dict[str, str]) -> None:
        self._homes = homes

    def exec_module(self, module: ModuleType) -> None:
        homes = self._homes

        def found(name: str) -> Any:
            if name not in homes:
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            return getattr(import_module(f"exactdp.{homes[name]}"), name)

        module.__dict__["__getattr__"] = found
        _warn(f"{module.__name__} is now {', '.join(f'exactdp.{home}' for home in dict.fromkeys(homes.values()))}.")


def _warn(words: str) -> None:
    """Warn whoever imports: a statement, or a call of ``import_module``. Unpickling is neither."""
    frame, is_asked = sys._getframe(1), False
    while frame.f_globals.get("__name__", "").partition(".")[0] in ("importlib", "_frozen_importlib") or (
        frame.f_globals.get("__name__") == __name__
    ):
        is_asked |= frame.f_code.co_name == "import_module"
        if frame.f_back is None:
            return
        frame = frame.f_back
    if is_asked or opname[frame.f_code.co_code[frame.f_lasti]] == "IMPORT_NAME":
        known = frame.f_globals
        registry = known.setdefault("__warningregistry__", {})
        place = frame.f_code.co_filename, frame.f_lineno, known.get("__name__", "?")
        warnings.warn_explicit(words, FutureWarning, *place, registry)
