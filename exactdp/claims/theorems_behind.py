"""Which theorems of the Coq development stand behind the facts that the checker names.

The checker imports nothing of the package. Its files name these theorems in their docstrings, which a test compares.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from exactdp.checker import facts

THEOREMS_BEHIND: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        facts.THE_VIEW: ("shuffler.shuffle_dp_iff_shuffled",),
        facts.EQUAL_ROWS: ("equal_rows.equal_rows",),
        facts.MOVED: ("moved_bystanders.moved_bystander", "shifts.moved_below"),
        facts.ADDING: (
            "adding_a_user.adding_a_user",
            "adding_a_user.convolution_hockey_stick",
            "adding_a_user.adding_users",
            "moved_bystanders.adding_users_add_or_remove",
        ),
        facts.TAYLOR: ("exponential.taylor_sum_below_exp", "exponential.exp_below_taylor_sum"),
        facts.FALLS: ("hockey_stick.hockey_stick_monotone",),
        facts.AN_EVENT: ("events.event_forbids_smaller", "events.event_forbids_smaller_infinite"),
        facts.A_VERTEX: ("vertex.vertex_outcome", "vertex.vertex_forbids_smaller", "vertex.vertex_not_private"),
        facts.LOST: ("events.lost", "events.lost_exactly", "events.never_private"),
        facts.SHIFT_DOWN: ("shifts.shift_down", "shifts.shifts_both_orders"),
        facts.SHIFTS_ADD: ("shifts.shifts_add",),
        facts.A_MEAN: ("mixtures.mean_at_most",),
        facts.FIXED_POINT: ("fixed_point_weights.walked_enclose", "fixed_point_weights.shares_bound"),
        facts.GEOMETRIC: ("geometric_tail.geometric_tail_of_bounds",),
        facts.SERIES: ("exponential_fixed_point.exp_enclosed", "logarithm_fixed_point.log_enclosed"),
        facts.STEPS: ("steps.constant_ratios", "steps_geometric.two_sided_steps", "steps_one_sided.one_sided_steps"),
        facts.UNIFORM: ("uniform_ends.uniform_law", "uniform_ends.uniform_ends"),
        facts.LIPSCHITZ: ("lipschitz.lipschitz_private", "lipschitz.discrete_laplace_lipschitz"),
        facts.LONGER: (
            "longer_shift.longer_shift",
            "longer_shift.longer_smooth",
            "log_concave_laws.poisson_log_concave",
            "log_concave_laws.negative_binomial_log_concave",
            "log_concave_laws.discrete_laplace_log_concave",
            "log_concave_laws.discrete_gaussian_log_concave",
            "log_concave_laws.coins_log_concave",
            "uniform_ends.uniform_log_concave",
        ),
        facts.ONE_COUNT: ("one_count.one_count", "one_count.is_wrong_correct"),
        facts.TWO_POINTS: ("two_points.two_points",),
        facts.BERNSTEIN: ("bernstein.bernstein_sound", "box_inequality.box_inequality_proved"),
        facts.ON_CUBE: ("exponential_on_cube.lower_polynomial_below",),
        facts.CURVE: (
            "privacy_curve.privacy_curve",
            "privacy_curve.curve_dominates",
            "adaptive_composition.adaptive_composition",
            "adaptive_composition.composition_at_most_1",
            "lattice_losses.losses_times_covers",
            "curve_program.losses_of_curve_dominate",
            "curve_program.power_below_bound",
            "composed_program.curve_run",
            "composed_program.composed_private",
        ),
        facts.MERGED: ("merged.merged_event", "merged.merged_times", "merged.merged_window"),
        facts.BLANKET: (
            "blanket.blanket_bound",
            "blanket.blanket_bound_anywhere",
            "blanket.blanket_dp",
            "blanket.blanket_bound_one_message",
            "blanket.blanket_dp_one_message",
        ),
        facts.SWAP: (
            "swapped_messages.swap_of_laws",
            "swapped_stages.fewer_hide_less",
            "swapped_stages.swap_in_stages",
            "swapped_stages.swap_bound",
            "swapped_stages.swap_bound_shuffled",
            "swapped_stages.swap_dp",
        ),
        facts.CLOSED: ("k_ary_worst.k_ary_worst",),
        facts.OWN_SLOT: ("swapped_messages.swap_with_own_slot",),
        facts.VERTEX: (
            "wave_bounds.vertex_mean",
            "swap_vertices.swap_vertices",
            "swap_vertices.swap_vertices_dp",
        ),
        facts.NODES: ("node_waves.nodes_majorant", "node_sound.row_is_below_sound"),
        facts.SUBSETS_MEAN: (
            "uniform_subsets.maclaurin",
            "wave_bounds.subsets_below_waves",
            "wave_bounds.classes_bound",
            "class_vertices.class_vertices",
            "class_vertices.classes_vertex_bound",
        ),
        facts.FIVE: (
            "five_randomizers.mixed_wave_bound",
            "five_randomizers.spread_of_basics",
            "five_randomizers.divergence_at_most",
            "five_randomizers.every_randomizer_of_laws",
            "five_randomizers.every_randomizer",
            "five_randomizers.basic_attains",
        ),
        facts.K_ARY: (
            "classes.reference_bound_classes",
            "k_ary_classes.k_ary_blanket",
            "k_ary_classes.k_ary_others",
        ),
        facts.UNARY: (
            "unary_classes.unary_blanket",
            "unary_classes.unary_smaller_blanket",
            "unary_classes.unary_others",
        ),
        facts.SUBSETS: ("subset_classes.subset_blanket", "subset_classes.subset_others"),
        facts.HADAMARD: ("hadamard_classes.hadamard_blanket", "hadamard_classes.hadamard_others"),
        facts.HASHING: (
            "hashing_classes.hashing_blanket",
            "hashing_classes.hashing_smaller_blanket",
            "hashing_classes.hashing_others",
        ),
        facts.SPREAD: (
            "increasing_convex_order.mean_preserving_spread",
            "increasing_convex_order.mean_excess_of_spread",
            "lattice_spread.lattice_spread",
            "lattice_spread.lattice_doubled",
            "tilted_halving.covers_halved",
        ),
        facts.CUT: (
            "tilted_measures.test_at_most",
            "tilted_measures.covers_normalised",
            "tilted_measures.covers_times",
            "tilted_sound.mean_positive_part_above",
            "pair_bound.pair_bound_above",
        ),
        facts.RANDOM_OTHERS: ("random_others.random_others_mixture", "random_others.random_others_test"),
        facts.SCORES: ("score_event.score_law", "score_event.score_event"),
        facts.IN_ORDER: ("score_event.random_order_test", "score_event.tree_in_random_order"),
        facts.PRODUCTS: ("handelman.inequality_proved",),
        facts.EXTREME_POINTS: ("mixture_rows.mixtures_dropped", "two_messages.two_messages_private"),
        facts.ONE_OF_TWO: (
            "number_of_heads.two_rows_up",
            "number_of_heads.two_rows_down",
            "exchanged_messages.down_is_up",
            "two_message_program.scan_decides",
        ),
        facts.NEXT_COUNTS: (
            "head_weights.one_place_further",
            "head_weights.one_coin_changed",
            "two_message_checked.two_message_decided",
            "two_message_event.two_message_event",
            "two_message_event.two_message_event_other",
        ),
        facts.EXCLUDED: ("exchanged_messages.excluded_message",),
        facts.ASSUMED["markov"]: ("laws.markov", "markov_and_union.markov_masses"),
        facts.ASSUMED["independence"]: (
            "independence.independent_mean",
            "independence.independent_means",
            "independence.independent_mean_masses",
        ),
        facts.ASSUMED["union"]: ("laws.Pr_or", "markov_and_union.union_masses"),
        facts.ASSUMED["post-processing"]: (
            "post_processing.post_processing",
            "post_processing.post_processing_hockey_stick",
            "post_processing.post_processing_masses",
        ),
        facts.ASSUMED["composition"]: ("hockey_stick.below_bind", "composition.adaptive_releases"),
        facts.ASSUMED["monotone-convergence"]: (
            "monotone_convergence.monotone_convergence",
            "infinite_sums.double_sum",
        ),
    }
)
"""Fact, in the checker's words -> the theorems that prove it. Facts that are not here stand on docs/soundness.md."""


def theorems_behind(fact: str) -> tuple[str, ...]:
    """Return the theorems behind a fact as ``Result.facts`` words it; none where it is proved on paper only.

    >>> theorems_behind("users with equal rows are interchangeable")
    ('equal_rows.equal_rows',)
    """
    return THEOREMS_BEHIND.get(fact.removeprefix("assumed: "), ())
