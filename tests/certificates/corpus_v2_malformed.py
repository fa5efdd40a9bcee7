"""What is no certificate of the schema exactdp-certificate-2: wrong shapes, wrong numbers, beyond a limit."""

from __future__ import annotations

from typing import Any

from tests.certificates.claims import (
    COIN,
    PROVED,
    REFUTED,
    RESPONSE,
    SCHEMAS,
    TRUE,
    Case,
    assuming,
    binomial,
    binomial_sum,
    both,
    box,
    count_accuracy,
    cut,
    document,
    equal_laws,
    finite,
    gaussian,
    geometric,
    laplace,
    law,
    leaf,
    negation,
    negative_binomial,
    poisson,
    randomizer,
    shift,
    side,
    smooth,
    tail,
    view,
    view_accuracy,
    write,
)
from tests.certificates.corpus_v2 import (
    ABOVE_TANGENT,
    BELOW_TWO,
    CORRECT,
    DIPPING,
    EITHER,
    EXP_HALF,
    FALLING,
    FORWARD,
    GAUSSIAN,
    GEOMETRIC,
    HALVES,
    LAPLACE,
    LAPLACE_EXP,
    NEGATIVE,
    ONES,
    POISSON,
    PURE,
    RESPONSE_COIN,
    SCHEMA,
    TEN_COINS,
    TWO_COINS,
    UNIT,
    bits,
)


def without(claim: Any, key: str) -> Any:
    return {k: v for k, v in claim.items() if k != key}


def parameter(real: Any) -> Case:
    """A certificate whose law has this real as its parameter."""
    return shift(poisson(real), delta="1"), PROVED, bits()


def nested_real(depth: int) -> Any:
    real: Any = "0"
    for _ in range(depth):
        real = {"exp": real}
    return real


def nested_cut(depth: int) -> Any:
    tree: Any = leaf("low")
    for i in range(depth):
        tree = cut(0, f"1/{2 ** (depth - i)}", tree, leaf("low"))
    return tree


BOX_X = {"variables": ["x"], "box": [UNIT]}
BOX_TERM = {"polynomial": [["1", ["0"]]], "exponent": []}
WITH_BITS = (shift(GAUSSIAN, delta="1/2"), PROVED)

# Not claims or witnesses of this schema; sealed all the same.
NO_CLAIM: dict[str, Case] = {
    # Laws
    "law_family_unknown": (shift(law("laplace", exp_eps="2"), delta="1"), PROVED, {}),
    "law_family_missing": (shift({"p": "1/2"}, delta="1"), PROVED, {}),
    "law_with_a_name": (shift({**LAPLACE, "name": "noise"}, delta="1"), PROVED, {}),
    "law_parameter_missing": (shift(law("negative-binomial", r="3"), delta="1"), PROVED, bits()),
    "law_parameter_of_another_family": (shift(law("poisson", p="1/2"), delta="1"), PROVED, bits()),
    "law_geometric_p_one": (shift(geometric("1"), delta="1"), PROVED, {}),
    "law_geometric_p_negative": (shift(geometric("-1/2"), delta="1"), PROVED, {}),
    "law_laplace_exp_eps_one": (shift(laplace("1"), delta="1"), PROVED, {}),
    "law_laplace_exp_eps_below_one": (shift(laplace("1/2"), delta="1"), PROVED, {}),
    "law_gaussian_sigma_zero": (shift(gaussian("0"), delta="1"), PROVED, bits()),
    "law_gaussian_sigma_negative": (shift(gaussian("-4"), delta="1"), PROVED, bits()),
    "law_gaussian_sigma_a_real": (shift(law("discrete-gaussian", sigma_squared=EXP_HALF), delta="1"), PROVED, bits()),
    "law_poisson_mu_negative": (shift(poisson("-1"), delta="1"), PROVED, bits()),
    "law_negative_binomial_r_zero": (shift(negative_binomial("0", "1/2"), delta="1"), PROVED, bits()),
    "law_negative_binomial_p_one": (shift(negative_binomial("3", "1"), delta="1"), PROVED, bits()),
    "law_binomial_n_negative": (shift(binomial(-1, "1/2"), delta="1"), PROVED, {}),
    "law_binomial_n_a_real": (shift({**COIN, "n": EXP_HALF}, delta="1"), PROVED, bits()),
    "law_binomial_sum_p_above_one": (shift(binomial_sum(2, "1/2", 1, "4/3"), delta="1"), PROVED, {}),
    "law_binomial_sum_n_fraction": (shift({**TWO_COINS, "n2": "1/2"}, delta="1"), PROVED, {}),
    "law_view_data_set_too_short": (shift(view(RESPONSE, "2", "0 1"), delta="1"), PROVED, {}),
    "law_view_data_set_negative": (shift(view(RESPONSE, "3 -1", "0 1"), delta="1"), PROVED, {}),
    "law_view_weights_too_many": (shift(view(RESPONSE, "2 1", "0 1 2"), delta="1"), PROVED, {}),
    "law_view_weights_fractions": (shift(view(RESPONSE, "2 1", "0 1/2"), delta="1"), PROVED, {}),
    "law_view_row_sums_to_seven_eighths": (shift(view(randomizer(1, {"0": "7/8"}), "1", "1"), delta="1"), PROVED, {}),
    "law_a_string": (shift("poisson", delta="1"), PROVED, bits()),
    # Reals
    "real_unknown_function": parameter({"sqrt": "2"}),
    "real_two_keys": parameter({"exp": "1", "log": "2"}),
    "real_without_a_key": parameter({}),
    "real_a_list": parameter(["1", "2"]),
    "real_sum_of_nothing": parameter({"sum": []}),
    "real_sum_of_a_string": parameter({"sum": "1"}),
    "real_product_of_nothing": parameter({"product": []}),
    "real_power_one": parameter({"power": ["2", "1"]}),
    "real_power_negative": parameter({"power": ["2", "-2"]}),
    "real_power_above_a_thousand": parameter({"power": ["1", "1001"]}),
    "real_power_fraction": parameter({"power": ["2", "1/2"]}),
    "real_power_without_its_exponent": parameter({"power": ["2"]}),
    "real_unreduced": parameter({"exp": "2/4"}),
    "real_decimal_point": parameter({"exp": "0.5"}),
    "real_exponent_of_a_float": parameter({"log": "1e1"}),
    # bits
    "bits_fifteen": (*WITH_BITS, bits(15)),
    "bits_zero": (*WITH_BITS, bits(0)),
    "bits_negative": (*WITH_BITS, bits(-128)),
    "bits_a_fraction": (*WITH_BITS, {"bits": "257/2"}),
    "bits_a_list": (*WITH_BITS, {"bits": ["128"]}),
    "bits_missing": (*WITH_BITS, {}),
    "bits_and_terms": (shift(GAUSSIAN, eps="1", delta="1/2"), PROVED, bits(terms="8")),
    "bits_for_a_table": (shift(finite(at0="1/2", at1="1/2"), delta="1"), PROVED, bits()),
    "bits_for_a_view": (tail(ONES, "0", "1", "at most", "1"), PROVED, bits()),
    "bits_with_least": (shift(COIN, least="delta"), PROVED, bits(**FORWARD)),
    "bits_with_least_exp_eps": (shift(LAPLACE, delta="0", least="exp_eps"), PROVED, bits()),
    "bits_to_refute_without_an_order": (shift(GAUSSIAN, delta="13/500"), REFUTED, bits(shift="1")),
    "exact_gaussian": (shift(GAUSSIAN, delta="1"), PROVED, {}),
    "exact_poisson": (smooth(POISSON, delta="1"), PROVED, {}),
    "exact_tail_of_a_geometric_law": (tail(GEOMETRIC, "1", "infinity", "at most", "1/2"), PROVED, {}),
    "exact_accuracy_of_a_laplace_law": (count_accuracy(LAPLACE, "3", "1"), PROVED, {}),
    "exact_binomial_of_a_real": (shift(binomial(2, {"exp": "-1"}), delta="1"), PROVED, {}),
    "pure_no": (shift(LAPLACE, delta="0"), PROVED, {"pure": "no"}),
    "pure_gaussian": (shift(GAUSSIAN, delta="1"), PROVED, PURE),
    "pure_geometric": (shift(GEOMETRIC, delta="1"), PROVED, PURE),
    "pure_with_bits": (shift(LAPLACE, delta="0"), PROVED, bits(**PURE)),
    "pure_of_a_rational_ratio_and_eps": (shift(LAPLACE, eps="1", delta="0"), PROVED, PURE),
    "pure_of_an_exponential_and_exp_eps": (shift(LAPLACE_EXP, delta="0"), PROVED, PURE),
    "pure_refuted": (shift(LAPLACE, delta="0"), REFUTED, PURE),
    # smooth
    "smooth_k_zero": (smooth(COIN, k=0), PROVED, {}),
    "smooth_k_negative": (smooth(COIN, k=-1), PROVED, {}),
    "smooth_k_fraction": ({**smooth(COIN), "k": "3/2"}, PROVED, {}),
    "smooth_with_least": ({**smooth(COIN, delta="1"), "least": "none"}, PROVED, {}),
    "smooth_delta_above_one": (smooth(COIN, delta="5/4"), PROVED, {}),
    "smooth_without_delta": (without(smooth(COIN), "delta"), PROVED, {}),
    "smooth_without_a_level": (without(smooth(COIN), "exp_eps"), PROVED, {}),
    "smooth_by_zero": (smooth(COIN, delta="1/8"), REFUTED, {"by": "0"}),
    "smooth_by_beyond_k": (smooth(COIN, delta="1/8"), REFUTED, {"by": "2"}),
    "smooth_by_missing": (smooth(COIN, delta="1/8"), REFUTED, {}),
    "smooth_terms_without_eps": (smooth(COIN, delta="1"), PROVED, {"terms": "4"}),
    "smooth_terms_missing": (smooth(COIN, eps="1", delta="1"), PROVED, {}),
    # tail
    "tail_from_infinity": (tail(COIN, "infinity", "infinity", "at most", "1"), PROVED, {}),
    "tail_to_minus_infinity": (tail(COIN, "-infinity", "-infinity", "at most", "1"), PROVED, {}),
    "tail_from_a_fraction": (tail(COIN, "1/2", "infinity", "at most", "1"), PROVED, {}),
    "tail_infinity_in_capitals": (tail(COIN, "0", "Infinity", "at most", "1"), PROVED, {}),
    "tail_bound_unknown": (tail(COIN, "0", "infinity", "below", "1"), PROVED, {}),
    "tail_probability_above_one": (tail(COIN, "0", "infinity", "at most", "9/8"), PROVED, {}),
    "tail_probability_negative": (tail(COIN, "0", "infinity", "at least", "-1/8"), PROVED, {}),
    "tail_with_a_witness": (tail(COIN, "0", "infinity", "at most", "1"), PROVED, {"outcome": "0"}),
    "tail_without_its_start": (without(tail(COIN, "0", "1", "at most", "1"), "from"), PROVED, {}),
    # accuracy
    "accuracy_of_a_law_and_a_randomizer": ({**view_accuracy(2, "worst", "1", "1"), "law": COIN}, PROVED, {}),
    "accuracy_of_neither": (without(count_accuracy(COIN, "1", "1"), "law"), PROVED, {}),
    "accuracy_data_set_of_another_size": (view_accuracy(4, ["2", "1"], "1", "1"), PROVED, {}),
    "accuracy_data_set_too_short": (view_accuracy(4, ["4"], "1", "1"), PROVED, {}),
    "accuracy_data_set_the_best": (view_accuracy(4, "best", "1", "1"), PROVED, {}),
    "accuracy_weights_too_few": (view_accuracy(4, "worst", "1", "1", weights=["1"]), PROVED, {}),
    "accuracy_values_too_many": (view_accuracy(4, "worst", "1", "1", values=["0", "1", "2"]), PROVED, {}),
    "accuracy_users_none": ({**view_accuracy(1, ["0", "0"], "1", "1"), "n": "0"}, PROVED, {}),
    "accuracy_threshold_a_word": (view_accuracy(4, "worst", "1", "1", zero_unless_above="never"), PROVED, {}),
    "accuracy_alpha_negative": (count_accuracy(COIN, "-1", "1"), PROVED, {}),
    "accuracy_beta_above_one": (count_accuracy(COIN, "1", "2"), PROVED, {}),
    "accuracy_weight_zero": (count_accuracy(COIN, "1", "1", weight="0"), PROVED, {}),
    "accuracy_weight_negative": (count_accuracy(COIN, "1", "1", weight="-1"), PROVED, {}),
    "accuracy_least_negative": (count_accuracy(COIN, "1", "1", least="-1"), PROVED, {}),
    "accuracy_most_below_least": (count_accuracy(COIN, "1", "1", least="11"), PROVED, {}),
    "accuracy_most_below_a_long_least": (count_accuracy(COIN, "1", "1", least=hex(2**16384)), PROVED, {}),
    "accuracy_most_a_fraction": (count_accuracy(COIN, "1", "1", most="21/2"), PROVED, {}),
    "accuracy_bits_for_a_randomizer": (view_accuracy(4, "worst", "1", "1"), PROVED, bits()),
    "accuracy_worst_refuted_by_nothing": (view_accuracy(4, "worst", "0", "0"), REFUTED, {}),
    "accuracy_refuted_by_a_data_set_of_another_size": (
        view_accuracy(4, "worst", "0", "0"),
        REFUTED,
        {"dataset": ["4", "1"]},
    ),
    "accuracy_data_set_in_the_claim_and_the_witness": (
        view_accuracy(4, ["2", "2"], "0", "0"),
        REFUTED,
        {"dataset": ["2", "2"]},
    ),
    # equal_laws
    "equal_laws_three": ({**equal_laws(COIN, COIN), "third": COIN}, PROVED, {}),
    "equal_laws_one": (without(equal_laws(COIN, COIN), "second"), PROVED, {}),
    "equal_laws_proved_with_bits": (equal_laws(GAUSSIAN, GAUSSIAN), PROVED, bits()),
    "equal_laws_of_two_shapes": (equal_laws(GAUSSIAN, POISSON), PROVED, {}),
    "equal_laws_outcome_a_fraction": (equal_laws(COIN, TWO_COINS), REFUTED, {"outcome": "1/2"}),
    "equal_laws_outcome_missing": (equal_laws(POISSON, NEGATIVE), REFUTED, bits()),
    "equal_laws_refuted_without_bits": (equal_laws(POISSON, NEGATIVE), REFUTED, {"outcome": "0"}),
    # box_inequality
    "box_end_unknown": ({**FALLING, "box": [{**UNIT, "low_end": "half-open"}]}, PROVED, leaf("low")),
    "box_end_missing": ({**FALLING, "box": [without(UNIT, "low_end")]}, PROVED, leaf("low")),
    "box_low_above_high": ({**FALLING, "box": [side("1", "0")]}, PROVED, leaf("low")),
    "box_low_equals_high": ({**FALLING, "box": [side("1", "1")]}, PROVED, leaf("low")),
    "box_unbounded": ({**FALLING, "box": [side("0", "infinity")]}, PROVED, leaf("low")),
    "box_sides_too_many": ({**FALLING, "box": [UNIT, UNIT]}, PROVED, leaf("low")),
    "box_variable_twice": ({**EITHER, "variables": ["x", "x"]}, PROVED, leaf("low low")),
    "box_variable_with_a_space": ({**FALLING, "variables": ["x y"]}, PROVED, leaf("low")),
    "box_strict_unknown": ({**FALLING, "strict": "true"}, PROVED, leaf("low")),
    "box_coefficient_zero": (box("x", [UNIT], [("0 @ 1", "")]), PROVED, leaf("low")),
    "box_exponents_twice": (box("x", [UNIT], [("1 @ 1, 1 @ 1", "")]), PROVED, leaf("low")),
    "box_exponents_too_many": (box("x", [UNIT], [("1 @ 1 0", "")]), PROVED, leaf("low")),
    "box_exponent_twice_in_the_exponent": (box("x", [UNIT], [("1 @ 1", "1 @ 1, 1 @ 1")]), PROVED, leaf("low")),
    "box_exponent_negative": (box("x", [UNIT], [("1 @ -1", "")]), PROVED, leaf("low")),
    "box_term_without_an_exponent": ({**FALLING, "terms": [without(BOX_TERM, "exponent")]}, PROVED, leaf("low")),
    "box_taylor_odd": (ABOVE_TANGENT, PROVED, leaf("low", 3)),
    "box_taylor_zero": (ABOVE_TANGENT, PROVED, leaf("low", 0)),
    "box_taylor_missing": (ABOVE_TANGENT, PROVED, without(leaf("low"), "taylor")),
    "box_leaf_without_bits": (ABOVE_TANGENT, PROVED, without(leaf("low"), "bits")),
    "box_leaf_bits_fifteen": (ABOVE_TANGENT, PROVED, leaf("low", 2, 15)),
    "box_corner_unknown": (ABOVE_TANGENT, PROVED, leaf("middle")),
    "box_corner_too_short": (EITHER, PROVED, leaf("low")),
    "box_cut_of_an_unknown_variable": (DIPPING, PROVED, cut(1, "1/2", leaf("low"), leaf("low"))),
    "box_cut_without_a_part": (DIPPING, PROVED, without(HALVES, "high")),
    "box_cut_and_leaf_in_one": (DIPPING, PROVED, {**HALVES, **leaf("low")}),
    "box_point_too_short": (EITHER, REFUTED, bits(64, point=["0"])),
    "box_point_without_bits": (BELOW_TWO, REFUTED, {"point": ["1"]}),
    # conjunction with assuming
    "assuming_nothing": ({**both(TRUE), "assuming": []}, PROVED, {"parts": [{}]}),
    "assuming_an_unknown_fact": (assuming("induction", TRUE), PROVED, {"parts": [{}]}),
    "assuming_in_another_order": (assuming("independence markov", TRUE), PROVED, {"parts": [{}]}),
    "assuming_a_fact_twice": (assuming("markov markov", TRUE), PROVED, {"parts": [{}]}),
    "assuming_a_string": ({**both(TRUE), "assuming": "markov"}, PROVED, {"parts": [{}]}),
    "assuming_in_another_kind": ({**TRUE, "assuming": ["markov"]}, PROVED, {}),
    # Labels
    "claim_with_a_protocol_name": ({**tail(COIN, "0", "1", "at most", "1"), "protocol": "zsum"}, PROVED, {}),
    "randomizer_with_a_name": (
        view_accuracy(2, "worst", "1", "1", randomizer={**RESPONSE, "name": "randomized response"}),
        PROVED,
        {},
    ),
    "witness_with_a_probability": (tail(COIN, "0", "1", "at most", "1"), PROVED, {"probability": "3/4"}),
    "kind_unknown": ({**TRUE, "kind": "renyi_dp"}, PROVED, {}),
}

TOO_LARGE: dict[str, Case] = {
    "limit_bits": (*WITH_BITS, bits(16385)),
    "limit_trials_exactly": (tail(binomial(20001, "1/2"), "0", "infinity", "at most", "1"), PROVED, {}),
    "limit_trials_by_enclosure": (shift(binomial(10**18 + 1, "1/2"), delta="1"), PROVED, bits()),
    "limit_products_of_a_binomial_sum": (shift(binomial_sum(2000, "1/2", 2001, "1/3"), delta="1"), PROVED, {}),
    "limit_exponential": parameter({"exp": "4097"}),
    "limit_exponential_of_an_exponential": parameter({"exp": {"exp": "9"}}),
    "limit_power_of_a_real": parameter({"power": [{"exp": "4000"}, "1000"]}),
    "limit_bits_of_a_leaf": (ABOVE_TANGENT, PROVED, leaf("low", 2, 16385)),
    "limit_bits_of_a_weight": (tail(view(RESPONSE, "2 1", f"0 {hex(2**300)}"), "0", "1", "at most", "1"), PROVED, {}),
    "limit_bits_of_constant_ratios": (shift(geometric(f"1/{hex(2**300)}"), delta="1", reach=1000), PROVED, {}),
    "limit_bits_of_a_binomial_sum": (
        tail(binomial_sum(20_000, f"1/{2**150}", 20_000, f"1/{2**150}"), "0", "1", "at most", "1"),
        PROVED,
        {},
    ),
    "limit_bits_of_all_weights": (tail(binomial_sum(1000, "1/17", 1000, "1/17"), "0", "1", "at most", "1"), PROVED, {}),
    "limit_window_of_a_binomial_sum": (
        shift(binomial_sum(10**12, "1/2", 10, "1/2"), delta="1"),
        PROVED,
        bits(),
    ),
    "limit_product_of_a_binomial_sum": (
        shift(binomial_sum(10**8, "1/2", 10**8, "1/2"), delta="1"),
        PROVED,
        bits(256),
    ),
    "limit_k": (smooth(COIN, k=1001, delta="1"), PROVED, {}),
    "limit_eps_of_smoothness": (smooth(COIN, eps="65", delta="1"), PROVED, {"terms": "2"}),
    "limit_work_of_the_worst_data_set": (view_accuracy(3000, "worst", "1", "1"), PROVED, {}),
    "limit_variables_of_a_box": (
        box(" ".join("abcdefg"), [UNIT] * 7, [("1 @ 0 0 0 0 0 0 0", "")]),
        PROVED,
        leaf("low low low low low low low"),
    ),
    "limit_taylor_terms_of_a_box": (ABOVE_TANGENT, PROVED, leaf("low", 66)),
    "limit_degree_of_a_box": (box("x", [UNIT], [("1 @ 65", "")]), PROVED, leaf("low")),
    "limit_bernstein_coefficients": (
        box("x y z", [UNIT] * 3, [("1 @ 64 0 0, 1 @ 0 64 0, 1 @ 0 0 64", "")]),
        PROVED,
        leaf("low low low"),
    ),
    "limit_depth_of_a_real": parameter(nested_real(40)),
    "limit_depth_of_a_tree": (DIPPING, PROVED, nested_cut(40)),
}


def broken_documents() -> dict[str, Any]:
    """Return what is wrong beside a sealed claim."""
    good = document(*CORRECT["tail_bits_gaussian_at_least"], SCHEMA)
    other = document(*CORRECT["tail_view"], SCHEMA)
    return {
        "incorrect/seal_of_another_claim": {**good, "claim_id": other["claim_id"]},
        "incorrect/seal_of_another_verdict_only": {**good, "verdict": REFUTED},
        "malformed/schema_unknown": {**good, "schema": "exactdp-certificate-0"},
        "malformed/schema_with_a_space": {**good, "schema": "exactdp-certificate-2 "},
        "malformed/schema_1_with_a_new_kind": {**good, "schema": SCHEMAS[0]},
        "malformed/schema_1_with_a_new_law": document(shift(LAPLACE, delta="1"), PROVED, {}, SCHEMAS[0]),
        "malformed/schema_1_with_a_real": document(shift(RESPONSE_COIN, delta="1"), PROVED, bits(), SCHEMAS[0]),
        "malformed/schema_1_with_bits": document(shift(TEN_COINS, delta="1"), PROVED, bits(), SCHEMAS[0]),
        "malformed/schema_1_assuming": document(assuming("markov", TRUE), PROVED, {"parts": [{}]}, SCHEMAS[0]),
        "malformed/schema_1_with_a_new_kind_inside": document(
            negation(tail(COIN, "0", "1", "at most", "1/2")), PROVED, {}, SCHEMAS[0]
        ),
    }


def broken_texts() -> dict[str, bytes]:
    """Return what is wrong before there is a document."""
    text = write(document(*CORRECT["tail_bits_gaussian_at_least"], SCHEMA))
    found = {
        "json_number_for_bits": text.replace('"bits": "128"', '"bits": 128'),
        "json_float_for_a_variance": text.replace('"sigma_squared": "4"', '"sigma_squared": 4.0'),
        "json_infinity": text.replace('"to": "3"', '"to": Infinity'),
        "duplicate_key_in_a_law": text.replace('"sigma_squared": "4"', '"sigma_squared": "4", "sigma_squared": "9"'),
        "duplicate_bits": text.replace('"bits": "128"', '"bits": "128", "bits": "16"'),
        "arabic_digit_for_bits": text.replace('"bits": "128"', '"bits": "١٢٨"'),
        "escaped_minus": text.replace('"-3"', '"\\u002d3"'),
        "true_for_a_bound": text.replace('"at least"', "true"),
        "truncated_in_the_witness": text[: text.index('"bits"')],
    }
    return {f"malformed/text_{name}": content.encode() for name, content in found.items()}
