"""The corpus of the schema exactdp-certificate-2: the edges at which a checker that is wrong by little goes wrong."""

from __future__ import annotations

from typing import Any

from tests.certificates.claims import (
    COIN,
    FALSE,
    GAP,
    ONE_MINUS_X,
    PROVED,
    REFUTED,
    TRUE,
    VERTEX,
    WORKED,
    Case,
    X,
    additive,
    binomial,
    binomial_sum,
    both,
    box,
    condition,
    count_accuracy,
    cut,
    equal_laws,
    finite,
    geometric,
    inequality,
    laplace,
    leaf,
    negative_binomial,
    poisson,
    shift,
    shuffle,
    smooth,
    tail,
    view_accuracy,
    zero,
)
from tests.certificates.corpus_v2 import BACKWARD, FORWARD, NEGATIVE, PRODUCT_DECAYS, PURE, TEN_COINS, UNIT, bits

POINT = binomial(0, "1/3")  # always 0
JUST_BELOW_ONE = f"{2**129 - 1}/{2**129}"
NINE = finite(**{f"at{k * k}": "1/9" for k in range(9)})  # the squares to 64
EIGHT = finite(**{f"at{k * k}": "1/8" for k in range(8)})
GAPS = finite(at0="1/2", at1="1/4", at5="1/4")

# One user, whose bit is 1; estimated as 0, since no sum of the weights exceeds the threshold.
ALWAYS_ZERO: dict[str, Any] = {
    "weights": ["0", "3"],
    "offset": "5",
    "zero_unless_above": "7/2",
    "values": ["0", "-1/2"],
}
AT_THE_THRESHOLD = {**ALWAYS_ZERO, "zero_unless_above": "3"}
SCALED = {"weight": "2/3", "offset": "-7/2"}  # errs by at most 1 where 4 <= Y <= 6

POWERS = [("-1", str(k)) for k in range(13)]
HOLLOW = finite(at0="9/20", at1="1/10", at2="9/20")  # a shift by 1 shows more than one by 2

TWO_OR_NOTHING = [{"send": ["0", "0"], "prob": "1/2"}, {"send": [], "prob": "1/2"}]
ONE_OR_NOTHING = [{"send": ["1"], "prob": "1/2"}, {"send": [], "prob": "1/2"}]
UNEVEN = {"messages": "2", "rows": [TWO_OR_NOTHING, ONE_OR_NOTHING]}  # up to 2n messages

CORRECT: dict[str, Case] = {
    "equal_laws_bits_refuted_by_the_first": (equal_laws(NEGATIVE, poisson("5")), REFUTED, bits(outcome="0")),
    "shuffle_more_messages_than_users": (
        shuffle(UNEVEN, n=3, delta="1/2", least="delta"),
        PROVED,
        {"first": ["2", "1"], "second": ["3", "0"]},
    ),
    "shift_poisson_at_zero": (shift(poisson("0"), delta="1"), PROVED, {}),
    "tail_poisson_at_zero": (tail(poisson("0"), "0", "0", "at least", "1"), PROVED, {}),
    "tail_negative_binomial_at_zero": (tail(negative_binomial("3", "0"), "0", "0", "at least", "1"), PROVED, {}),
    "shuffle_refuted_by_a_user_added": (
        shuffle(exp_eps="1", delta="0", neighbors="add-or-remove-one"),
        REFUTED,
        {"first": ["0", "1"], "second": ["1", "1"]},
    ),
    "tail_of_a_sum_of_certainties": (tail(binomial_sum(2, "0", 1, "1"), "1", "1", "at least", "1"), PROVED, {}),
    "tail_of_a_sum_with_nothing": (tail(binomial_sum(0, "1/2", 1, "1/3"), "1", "1", "at most", "1/3"), PROVED, {}),
    "shift_negative_binomial_at_zero": (shift(negative_binomial("3", "0"), delta="1"), PROVED, {}),
    "shift_geometric_at_zero": (shift(geometric("0"), delta="1", least="delta"), PROVED, FORWARD),
    "inequality_positive_by_a_constant": (
        inequality([X], condition(("1", "0"), ("1", "1"), strict="yes")),
        PROVED,
        {"terms": [{"coefficient": "1", "powers": ["0"]}, {"coefficient": "1", "powers": ["1"]}]},
    ),
    "box_of_nothing": (box("x", [UNIT], []), PROVED, leaf("low")),
    "box_cut_in_the_first_variable": (
        PRODUCT_DECAYS,
        PROVED,
        cut(0, "1/3", leaf("low low"), leaf("low low")),
    ),
    "box_of_three_variables_cut_in_the_first": (
        box("x y z", [UNIT] * 3, [("1 @ 1 0 0, 1 @ 0 1 1", "")]),
        PROVED,
        cut(0, "1/2", leaf("low low low"), leaf("low low low")),
    ),
    "smooth_hollow": (smooth(HOLLOW, k=2, delta="9/10"), PROVED, {}),
    "zero_of_halves": (zero(held="1", weights=["1/2"]), PROVED, {}),
    "inequality_of_twelve_terms": (inequality([], condition(*POWERS[:12])), REFUTED, {"point": ["0"]}),
    "inequality_of_thirteen_terms": (inequality([], condition(*POWERS)), REFUTED, {"point": ["0"]}),
    "shift_bits_of_a_point": (shift(POINT, delta="1"), PROVED, bits()),
    "shift_bits_refuted_of_a_point": (shift(POINT, delta=JUST_BELOW_ONE), REFUTED, bits(**FORWARD)),
    "shift_bits_refuted_of_a_point_backward": (shift(POINT, delta=JUST_BELOW_ONE), REFUTED, bits(**BACKWARD)),
    "shift_finite_with_gaps": (
        shift(GAPS, exp_eps="2", delta="1", reach=4, least="delta"),
        PROVED,
        {**FORWARD, "shift": "2"},
    ),
    "shift_pure_at_three_steps": (shift(laplace("3"), exp_eps="27", delta="0", reach=3), PROVED, PURE),
    "tail_binomial_of_two_fifths": (tail(binomial(3, "2/5"), "2", "infinity", "at most", "44/125"), PROVED, {}),
    "tail_binomial_certain": (tail(binomial(3, "1"), "3", "infinity", "at least", "1"), PROVED, {}),
    "tail_finite_of_eight": (tail(EIGHT, "1", "48", "at most", "3/4"), PROVED, {}),
    "tail_finite_of_nine": (tail(NINE, "1", "48", "at least", "2/3"), PROVED, {}),
    "accuracy_scaled_count": (count_accuracy(TEN_COINS, "1", "11/32", **SCALED), PROVED, {}),
    "accuracy_refuted_scaled_count": (count_accuracy(TEN_COINS, "1", "21/64", **SCALED), REFUTED, {}),
    "accuracy_refuted_by_a_unit": (view_accuracy(4, ["2", "2"], "1/2", "35/512"), REFUTED, {}),
    "accuracy_of_zero": (view_accuracy(1, ["0", "1"], "1/2", "0", **ALWAYS_ZERO), PROVED, {}),
    "accuracy_of_zero_at_the_threshold": (
        view_accuracy(1, ["0", "1"], "1/2", "0", **AT_THE_THRESHOLD),
        PROVED,
        {},
    ),
    "equal_laws_of_two_points": (equal_laws(POINT, binomial(0, "1/2")), PROVED, {}),
    "equal_laws_with_a_weight_of_zero": (equal_laws(binomial(2, "0"), finite(at0="1")), PROVED, {}),
    "equal_laws_certain": (equal_laws(binomial(2, "1"), finite(at2="1")), PROVED, {}),
}

WRONG: dict[str, Case] = {
    "inequality_negative_term_of_another_power": (
        inequality([X, ONE_MINUS_X], condition(("1", "0"))),
        PROVED,
        {"terms": [{"coefficient": "1", "powers": ["0", "1"]}]},
    ),
    "shift_least_delta_by_one_part": (shift(COIN, delta="1/3", least="delta"), PROVED, FORWARD),
    "shuffle_refuted_by_one_replaced_and_one_added": (
        shuffle(exp_eps="1", delta="0", neighbors="add-or-remove-one"),
        REFUTED,
        {"first": ["2", "0"], "second": ["0", "1"]},
    ),
    "shuffle_refuted_by_one_data_set_twice": (
        shuffle(exp_eps="1", delta="0", neighbors="add-or-remove-one"),
        REFUTED,
        {"first": ["2", "0"], "second": ["2", "0"]},
    ),
    "shift_finite_with_gaps_that_meet": (shift(GAPS, delta="7/8", reach=4), REFUTED, {**FORWARD, "shift": "4"}),
    "inequality_coefficient_a_little_negative": (
        inequality([X], condition(("-1/2", "1"))),
        PROVED,
        {"terms": [{"coefficient": "-1/2", "powers": ["1"]}]},
    ),
    "inequality_coefficient_zero": (
        inequality([X], condition()),
        PROVED,
        {"terms": [{"coefficient": "0", "powers": ["1"]}]},
    ),
    "box_half_of_an_exponential": (  # 27/20 - e^x / 2 is negative at 1, and its Taylor sum is not
        box("x", [UNIT], [("27/20 @ 0", ""), ("-1/2 @ 0", "1 @ 1")]),
        PROVED,
        leaf("low", 4),
    ),
    "smooth_hollow_by_two_only": (smooth(HOLLOW, k=2, delta="3/5"), PROVED, {}),
    "inequality_term_of_another_power": (
        inequality([X, ONE_MINUS_X], condition()),
        PROVED,
        {"terms": [{"coefficient": "1", "powers": ["1", "0"]}]},
    ),
    "shift_bits_refuted_at_equality_of_a_point": (shift(POINT, delta="1"), REFUTED, bits(**FORWARD)),
    "shift_pure_at_three_steps_below": (shift(laplace("3"), exp_eps="26", delta="0", reach=3), PROVED, PURE),
    "smooth_bits_refuted_with_too_few": (
        smooth(poisson("4"), exp_eps="5/4", delta="1133/2000"),
        REFUTED,
        bits(16, by="1"),
    ),
    "tail_at_least_refuted_at_equality": (tail(TEN_COINS, "9", "infinity", "at least", "11/1024"), REFUTED, {}),
    "accuracy_scaled_count_of_a_smaller_error": (count_accuracy(TEN_COINS, "4/5", "11/32", **SCALED), PROVED, {}),
    "equal_laws_of_the_second_ratio": (equal_laws(poisson("1"), negative_binomial("1", "1/2")), PROVED, {}),
    "equal_laws_refuted_with_too_few_bits": (
        equal_laws(poisson("1"), poisson("1000001/1000000")),
        REFUTED,
        bits(16, outcome="0"),
    ),
    "equal_laws_refuted_with_too_few_bits_turned": (
        equal_laws(poisson("1000001/1000000"), poisson("1")),
        REFUTED,
        bits(16, outcome="0"),
    ),
}

GAP_FOR_ALL_N = shuffle(GAP, n=4, exp_eps="8/5", delta="0", scope="all n from n", least="exp_eps")

NO_CLAIM: dict[str, Case] = {
    "vertex_of_user_minus_one": (GAP_FOR_ALL_N, PROVED, {**VERTEX, "differing": ["1", "-1"]}),
    "vertex_of_user_two": (GAP_FOR_ALL_N, PROVED, {**VERTEX, "differing": ["1", "2"]}),
    "tail_poisson_at_one": (tail(poisson("1"), "0", "0", "at least", "1"), PROVED, {}),
    "shift_refuted_by_a_smaller_negative_delta": (
        shift(COIN, delta="1/4", least="delta"),
        REFUTED,
        {"smaller": "-1/2"},
    ),
    "shift_refuted_by_a_smaller_exp_eps_below_one": (
        shift(COIN, delta="1/4", least="exp_eps"),
        REFUTED,
        {"smaller": "1/2"},
    ),
    "law_binomial_sum_n_negative": (shift(binomial_sum(-1, "1/2", 1, "1/3"), delta="1"), PROVED, {}),
    "law_binomial_sum_p_a_little_negative": (shift(binomial_sum(2, "-1/2", 1, "1/3"), delta="1"), PROVED, {}),
    "law_binomial_sum_p_two": (shift(binomial_sum(2, "2", 1, "1/3"), delta="1"), PROVED, {}),
    "law_binomial_sum_p_minus_one": (shift(binomial_sum(2, "-1", 1, "1/3"), delta="1"), PROVED, {}),
    "law_negative_binomial_p_a_little_negative": (shift(negative_binomial("3", "-1/2"), delta="1"), PROVED, bits()),
    "law_negative_binomial_p_minus_one": (shift(negative_binomial("3", "-1"), delta="1"), PROVED, bits()),
    "law_geometric_p_minus_one": (shift(geometric("-1"), delta="1"), PROVED, {}),
    "conjunction_refuted_by_part_minus_one": (both(TRUE, FALSE), REFUTED, {"part": "-1", "witness": WORKED}),
    "conjunction_refuted_by_part_two": (both(TRUE, FALSE), REFUTED, {"part": "2", "witness": WORKED}),
    "law_binomial_p_a_little_negative": (shift(binomial(2, "-1/2"), delta="1"), PROVED, {}),
    "zero_of_input_minus_one": (zero(held="-1"), PROVED, {}),
    "zero_of_input_two": (zero(held="2"), PROVED, {}),
    "polynomial_term_too_short": (inequality([], {"polynomial": [["1"]], "strict": "no"}), PROVED, {"terms": []}),
    "polynomial_term_too_long": (
        inequality([], {"polynomial": [["1", ["1"], "1"]], "strict": "no"}),
        PROVED,
        {"terms": []},
    ),
    "shift_refuted_by_no_shift": (
        shift(poisson("5"), delta="1/250"),
        REFUTED,
        bits(shift="0", order="backward"),
    ),
    "law_of_nothing": (shift({"family": "finite", "weights": []}, delta="1"), PROVED, {}),
    "law_entry_too_short": (shift({"family": "finite", "weights": [["0"]]}, delta="1"), PROVED, {}),
    "law_entry_too_long": (shift({"family": "finite", "weights": [["0", "1", "1"]]}, delta="1"), PROVED, {}),
    "accuracy_alpha_a_little_negative": (view_accuracy(4, "worst", "-1/2", "1"), PROVED, {}),
    "accuracy_beta_a_little_negative": (view_accuracy(4, "worst", "1", "-1/2"), PROVED, {}),
    "accuracy_beta_a_little_above_one": (view_accuracy(4, "worst", "1", "3/2"), PROVED, {}),
    "accuracy_data_set_negative": (view_accuracy(4, ["-1", "5"], "1", "1"), PROVED, {}),
    "equal_laws_of_a_listed_and_an_infinite_law": (equal_laws(poisson("5"), binomial(2, "1/2")), PROVED, {}),
    "additive_shift_negative": (additive(shifts=["0", "-1"]), PROVED, {}),
    "additive_refuted_by_input_minus_one": (additive(shifts=["0", "2"]), REFUTED, {"input": "-1"}),
    "additive_refuted_by_input_two": (additive(shifts=["0", "2"]), REFUTED, {"input": "2"}),
}
