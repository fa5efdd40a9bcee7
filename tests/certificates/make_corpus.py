"""Write the corpus of certificates of schema 1: ``python tests/certificates/make_corpus.py [FOLDER]``.

Every checker of this schema must verify ``v1/correct/`` (exit status 0), reject ``v1/incorrect/`` (1: well-formed
certificates whose check fails) and refuse ``v1/malformed/`` (2: not JSON of this format, not a certificate, or beyond a
limit). Each file of the last two is wrong in its own way and named after it. A test compares the folders with what this
script writes. Numbers are stated, not computed: tests/unit/certificates/ recomputes them by brute force.
"""

from __future__ import annotations

import hashlib
import json
import sys
from itertools import product
from pathlib import Path
from typing import Any

SCHEMA = "exactdp-certificate-1"
PROVED, REFUTED = "PROVED", "REFUTED"


def canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def document(claim: Any, verdict: str, witness: Any) -> dict[str, Any]:
    """Return the sealed document."""
    claim_id = hashlib.sha256(canonical(claim).encode()).hexdigest()
    return {"schema": SCHEMA, "claim": claim, "claim_id": claim_id, "verdict": verdict, "witness": witness}


def write(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=True) + "\n"


# --- Tables and claims ----------------------------------------------------------------------------------------------


def randomizer(messages: int, *rows: dict[str, str]) -> dict[str, Any]:
    """Rows as {"0 1": "1/2"}: the messages sent, and the probability."""
    listed = [[{"send": sent.split(), "prob": p} for sent, p in row.items()] for row in rows]
    return {"messages": str(messages), "rows": listed}


RESPONSE = randomizer(2, {"0": "3/4", "1": "1/4"}, {"0": "1/4", "1": "3/4"})
CLEARER_RESPONSE = randomizer(2, {"0": "4/5", "1": "1/5"}, {"0": "1/5", "1": "4/5"})
COMPLEMENT = randomizer(2, {"0 1": "1"}, {"1 0": "1"})
COMPLEMENT_LOCAL = randomizer(2, {"0": "1"}, {"1": "1"})
BITS = [" ".join(bits) for bits in product("01", repeat=4)]
GAP = randomizer(2, dict.fromkeys(BITS, "1/16"), dict.fromkeys((b for b in BITS if b.count("1") != 2), "1/10"))
GAP_LOCAL = randomizer(
    16,
    {str(m): "1/16" for m in range(16)},
    {str(m): "1/10" for m, bits in enumerate(BITS) if bits.count("1") != 2},
)
ZSUM = randomizer(1, {"": "1/8", "0": "7/8"}, {"0": "1/8", "0 0": "7/8"})
ONE_SIDED = randomizer(2, {"0": "1"}, {"0": "1/2", "1": "1/2"})
THREE = randomizer(
    2,
    {"0": "1/2", "1": "1/3", "": "1/6"},
    {"0": "1/4", "1": "1/4", "0 1": "1/2"},
    {"0": "1/4", "1": "1/2", "": "1/4"},
)
SILENT = randomizer(0, {"": "1"}, {"": "1"})

WORKED = {"first": ["2", "0"], "second": ["1", "1"]}  # the worst pair of RESPONSE at n = 2, e^eps = 2
VERTEX = {"differing": ["0", "1"], "bystander": "0", "outcome": ["0", "4"], "functional": ["0", "1"]}


def shuffle(table: Any = RESPONSE, n: int | str = 2, exp_eps: str = "2", delta: str = "3/16", **changes: str) -> Any:
    claim = {
        "kind": "shuffle_dp",
        "randomizer": table,
        "n": str(n),
        "scope": "this n",
        "neighbors": "replace-one",
        "exp_eps": exp_eps,
        "delta": delta,
        "least": "none",
    }
    if "eps" in changes:
        del claim["exp_eps"]
    return {**claim, **changes}


def never(table: Any, n: int, delta_below: str, neighbors: str = "replace-one") -> Any:
    base = {"kind": "never_dp", "randomizer": table, "n": str(n), "neighbors": neighbors}
    return {**base, "delta_below": delta_below}


def binomial(n: int, p: str) -> Any:
    return {"family": "binomial", "n": str(n), "p": p}


def finite(**weights: str) -> Any:
    return {
        "family": "finite",
        "weights": [[k.removeprefix("at").replace("minus", "-"), p] for k, p in weights.items()],
    }


def shift(law: Any, exp_eps: str = "2", delta: str = "1/4", reach: int = 1, **changes: str) -> Any:
    claim = {
        "kind": "shift_dp",
        "law": law,
        "shift": str(reach),
        "exp_eps": exp_eps,
        "delta": delta,
        "least": "none",
    }
    if "eps" in changes:
        del claim["exp_eps"]
    return {**claim, **changes}


def additive(base: Any = None, shifts: Any = None) -> Any:
    law = [["0", "1/8"], ["1", "7/8"]] if base is None else base
    return {"kind": "additive_view", "randomizer": ZSUM, "base": law, "shifts": shifts or ["0", "1"]}


def zero(held: str = "0", threshold: str = "1", table: Any = ZSUM, weights: Any = None) -> Any:
    claim = {"kind": "zero_estimate", "randomizer": table, "weights": weights or ["1"]}
    return {**claim, "zero_unless_above": threshold, "input": held}


def condition(*terms: tuple[str, str], strict: str = "no") -> Any:
    """Terms as (coefficient, "exponent exponent")."""
    return {"polynomial": [[coefficient, powers.split()] for coefficient, powers in terms], "strict": strict}


def inequality(hypotheses: list[Any], conclusion: Any, variables: str = "x") -> Any:
    return {
        "kind": "inequality",
        "variables": variables.split(),
        "hypotheses": hypotheses,
        "conclusion": conclusion,
    }


def both(*claims: Any) -> Any:
    return {"kind": "conjunction", "claims": list(claims)}


def negation(claim: Any) -> Any:
    return {"kind": "not", "claim": claim}


X, ONE_MINUS_X = condition(("1", "1")), condition(("1", "0"), ("-1", "1"))
SQUARE_BELOW = inequality([X, ONE_MINUS_X], condition(("1", "1"), ("-1", "2")))  # x - x^2 = x (1 - x)
SQUARE_TERMS = {"terms": [{"coefficient": "1", "powers": ["1", "1"]}]}
COIN = binomial(2, "1/2")  # 1/4, 1/2, 1/4
TRUE = shuffle()
FALSE = shuffle(delta="1/8")

CORRECT: dict[str, tuple[Any, str, Any]] = {
    # shuffle_dp
    "shuffle_bound": (TRUE, PROVED, {}),
    "shuffle_least_delta": (shuffle(least="delta"), PROVED, WORKED),
    "shuffle_least_delta_zero": (shuffle(exp_eps="3", delta="0", least="delta"), PROVED, {}),
    "shuffle_least_exp_eps_pure": (
        shuffle(exp_eps="3", delta="0", least="exp_eps"),
        PROVED,
        {"first": ["1", "1"], "second": ["0", "2"]},
    ),
    "shuffle_least_exp_eps": (
        shuffle(n=3, delta="9/64", least="exp_eps"),
        PROVED,
        {"first": ["0", "3"], "second": ["1", "2"]},
    ),
    "shuffle_least_exp_eps_one": (shuffle(n=3, exp_eps="1", delta="5/16", least="exp_eps"), PROVED, {}),
    "shuffle_interior_worst_data_set": (
        shuffle(n=4, exp_eps="1", delta="33/128", least="delta"),
        PROVED,
        {"first": ["2", "2"], "second": ["1", "3"]},
    ),
    "shuffle_three_inputs_varying_length": (
        shuffle(THREE, n=3, delta="25/72", least="delta"),
        PROVED,
        {"first": ["2", "1", "0"], "second": ["3", "0", "0"]},
    ),
    "shuffle_eps": (shuffle(n=3, eps="1/2", delta="1/5"), PROVED, {"terms": "6"}),
    "shuffle_eps_zero": (shuffle(n=3, eps="0", delta="5/16"), PROVED, {"terms": "1"}),
    "shuffle_eps_all_n": (shuffle(n=3, eps="1/2", delta="1/5", scope="all n from n"), PROVED, {"terms": "6"}),
    "shuffle_gap_two_users": (
        shuffle(GAP, n=2, exp_eps="5/2", delta="0", least="exp_eps"),
        PROVED,
        {"first": ["1", "1"], "second": ["0", "2"]},
    ),
    "shuffle_gap_all_n": (
        shuffle(GAP, n=4, exp_eps="8/5", delta="0", scope="all n from n", least="exp_eps"),
        PROVED,
        {"differing": ["1", "0"], "bystander": "1", "outcome": ["0", "4"], "functional": ["-1", "0"]},
    ),
    "shuffle_complement_all_n": (
        shuffle(COMPLEMENT, n=1, exp_eps="1", delta="0", scope="all n from n", least="exp_eps"),
        PROVED,
        {},
    ),
    "shuffle_add_or_remove": (
        shuffle(ZSUM, n=3, delta="245/256", neighbors="add-or-remove-one", least="delta"),
        PROVED,
        {"first": ["0", "3"], "second": ["0", "2"]},
    ),
    "shuffle_add_or_remove_total_tells": (
        shuffle(exp_eps="1000000", delta="1", neighbors="add-or-remove-one", least="delta"),
        PROVED,
        {"first": ["1", "1"], "second": ["1", "0"]},
    ),
    "shuffle_no_messages": (shuffle(SILENT, n=1000000, exp_eps="1", delta="0"), PROVED, {}),
    "shuffle_long_delta": (shuffle(n=2, delta=f"{hex(3 * 2**300 // 16 + 1)}/{hex(2**300 - 1)}"), PROVED, {}),
    "shuffle_refuted": (FALSE, REFUTED, WORKED),
    "shuffle_refuted_all_n": (shuffle(delta="1/8", scope="all n from n"), REFUTED, WORKED),
    "shuffle_refuted_eps": (
        shuffle(n=3, eps="1/2", delta="19/100"),
        REFUTED,
        {"first": ["0", "3"], "second": ["1", "2"], "terms": "4"},
    ),
    "shuffle_refuted_add_or_remove": (
        shuffle(ZSUM, n=3, delta="1/2", neighbors="add-or-remove-one"),
        REFUTED,
        {"first": ["0", "3"], "second": ["0", "2"]},
    ),
    "shuffle_refuted_smaller_delta": (shuffle(delta="1/4", least="delta"), REFUTED, {"smaller": "3/16"}),
    "shuffle_refuted_smaller_exp_eps": (shuffle(exp_eps="4", delta="0", least="exp_eps"), REFUTED, {"smaller": "3"}),
    # never_dp
    "never_complement_local": (
        never(COMPLEMENT_LOCAL, 1, "1"),
        PROVED,
        {"first": ["1", "0"], "second": ["0", "1"]},
    ),
    "never_gap_local": (never(GAP_LOCAL, 1, "3/8"), PROVED, {"first": ["1", "0"], "second": ["0", "1"]}),
    "never_add_or_remove": (
        never(RESPONSE, 2, "1", "add-or-remove-one"),
        PROVED,
        {"first": ["1", "1"], "second": ["1", "0"]},
    ),
    "never_refuted": (never(GAP, 2, "1/1000"), REFUTED, {}),
    "never_refuted_gap_local": (never(GAP_LOCAL, 1, "2/5"), REFUTED, {}),
    # shift_dp
    "shift_binomial": (shift(binomial(100, "1/2"), delta="1/1000"), PROVED, {}),
    "shift_binomial_least_delta": (shift(COIN, least="delta"), PROVED, {"shift": "1", "order": "forward"}),
    "shift_least_exp_eps": (shift(COIN, least="exp_eps"), PROVED, {"shift": "1", "order": "forward"}),
    "shift_reach_three": (
        shift(COIN, exp_eps="1", delta="1", reach=3, least="delta"),
        PROVED,
        {"shift": "3", "order": "backward"},
    ),
    "shift_eps": (shift(binomial(50, "1/4"), eps="1", delta="1/500"), PROVED, {"terms": "8"}),
    "shift_finite": (
        shift(finite(atminus3="1/2", at0="1/4", at100="1/4"), delta="1", least="delta"),
        PROVED,
        {"shift": "1", "order": "backward"},
    ),
    "shift_constant": (shift(binomial(3, "1"), delta="1"), PROVED, {}),
    "shift_refuted": (shift(COIN, delta="1/5"), REFUTED, {"shift": "1", "order": "backward"}),
    "shift_refuted_eps": (
        shift(binomial(50, "1/4"), eps="1", delta="1/1000"),
        REFUTED,
        {"shift": "1", "order": "forward", "terms": "8"},
    ),
    "shift_refuted_smaller": (shift(COIN, delta="1/3", least="delta"), REFUTED, {"smaller": "1/4"}),
    # the others
    "additive_zsum": (additive(), PROVED, {}),
    "additive_refuted": (additive(shifts=["0", "2"]), REFUTED, {"input": "1"}),
    "zero_zsum": (zero(), PROVED, {}),
    "zero_refuted": (zero(held="1"), REFUTED, {"outcome": ["2"]}),
    "inequality_square": (SQUARE_BELOW, PROVED, SQUARE_TERMS),
    "inequality_strict": (
        inequality([condition(("1", "1"), strict="yes")], condition(("1", "0"), ("2", "2"), strict="yes")),
        PROVED,
        {"terms": [{"coefficient": "1", "powers": ["0"]}, {"coefficient": "2", "powers": ["2"]}]},
    ),
    "inequality_nothing_to_show": (inequality([], condition()), PROVED, {"terms": []}),
    "inequality_refuted": (
        inequality([X], condition(("1", "1"), ("-1", "2"))),
        REFUTED,
        {"point": ["3/2"]},
    ),
    "conjunction": (both(TRUE, negation(FALSE), additive()), PROVED, {"parts": [{}, WORKED, {}]}),
    "conjunction_refuted": (both(TRUE, FALSE), REFUTED, {"part": "1", "witness": WORKED}),
    "not_refuted": (negation(TRUE), REFUTED, {}),
}

# Well-formed and sealed: only the arithmetic can tell.
WRONG: dict[str, tuple[Any, str, Any]] = {
    "delta_one_unit_too_small": (shuffle(delta=f"{3 * 2**60 // 16 - 1}/{2**60}"), PROVED, {}),
    "delta_of_another_table": (shuffle(CLEARER_RESPONSE, least="delta"), PROVED, WORKED),
    "delta_of_one_more_user": (shuffle(delta="9/64"), PROVED, {}),
    "delta_of_an_endpoint_data_set": (shuffle(n=4, exp_eps="1", delta="1/4"), PROVED, {}),
    "delta_of_one_order": (shuffle(ONE_SIDED, n=1, delta="0"), PROVED, {}),
    "delta_of_replace_one_for_add_or_remove": (shuffle(neighbors="add-or-remove-one"), PROVED, {}),
    "eps_in_place_of_exp_eps": (shuffle(exp_eps="5/4", delta="1/10"), PROVED, {}),
    "exp_eps_too_small": (shuffle(exp_eps="29/10", delta="0"), PROVED, {}),
    "least_delta_not_attained": (shuffle(delta="1/4", least="delta"), PROVED, WORKED),
    "least_delta_pair_in_the_other_order": (
        shuffle(least="delta"),
        PROVED,
        {"first": ["1", "1"], "second": ["2", "0"]},
    ),
    "least_exp_eps_too_large": (
        shuffle(exp_eps="4", delta="0", least="exp_eps"),
        PROVED,
        {"first": ["1", "1"], "second": ["0", "2"]},
    ),
    "least_exp_eps_flat_divergence": (
        shuffle(COMPLEMENT_LOCAL, n=1, delta="1", least="exp_eps"),
        PROVED,
        {"first": ["1", "0"], "second": ["0", "1"]},
    ),
    "all_n_from_one_too_early": (
        shuffle(GAP, n=3, exp_eps="8/5", delta="0", scope="all n from n", least="exp_eps"),
        PROVED,
        {**VERTEX, "differing": ["1", "0"]},
    ),
    "vertex_differing_swapped": (
        shuffle(GAP, n=4, exp_eps="8/5", delta="0", scope="all n from n", least="exp_eps"),
        PROVED,
        VERTEX,
    ),
    "vertex_functional_ties": (
        shuffle(GAP, n=4, exp_eps="8/5", delta="0", scope="all n from n", least="exp_eps"),
        PROVED,
        {**VERTEX, "differing": ["1", "0"], "functional": ["1", "1"]},
    ),
    "vertex_outcome_inside": (
        shuffle(GAP, n=4, exp_eps="8/5", delta="0", scope="all n from n", least="exp_eps"),
        PROVED,
        {**VERTEX, "differing": ["1", "0"], "outcome": ["1", "3"]},
    ),
    "vertex_of_a_larger_exp_eps": (
        shuffle(GAP, n=4, exp_eps="5/3", delta="0", scope="all n from n", least="exp_eps"),
        PROVED,
        {**VERTEX, "differing": ["1", "0"]},
    ),
    "terms_too_few_for_the_bound": (shuffle(n=3, eps="1/2", delta="1/5"), PROVED, {"terms": "2"}),
    "terms_too_few_for_the_rest": (
        shuffle(eps="4", delta="0"),
        REFUTED,
        {"first": ["2", "0"], "second": ["1", "1"], "terms": "3"},
    ),
    "eps_refuted_from_below": (
        shuffle(n=3, eps="1/2", delta="1/5"),
        REFUTED,
        {"first": ["0", "3"], "second": ["1", "2"], "terms": "2"},
    ),
    "refuted_a_true_claim": (shuffle(exp_eps="3", delta="0"), REFUTED, WORKED),
    "refuted_at_equality": (TRUE, REFUTED, WORKED),
    "refuted_by_a_better_pair": (FALSE, REFUTED, {"first": ["1", "1"], "second": ["2", "0"]}),
    "refuted_by_data_sets_two_users_apart": (FALSE, REFUTED, {"first": ["2", "0"], "second": ["0", "2"]}),
    "refuted_by_data_sets_of_another_size": (FALSE, REFUTED, {"first": ["3", "0"], "second": ["2", "1"]}),
    "refuted_by_removing_where_one_is_replaced": (FALSE, REFUTED, {"first": ["2", "0"], "second": ["1", "0"]}),
    "refuted_by_replacing_where_one_is_removed": (
        shuffle(ZSUM, delta="1/2", neighbors="add-or-remove-one"),
        REFUTED,
        {"first": ["0", "2"], "second": ["1", "1"]},
    ),
    "refuted_by_an_equal_pair": (shuffle(delta="0"), REFUTED, {"first": ["2", "0"], "second": ["2", "0"]}),
    "refuted_by_a_smaller_delta_that_fails": (shuffle(delta="1/4", least="delta"), REFUTED, {"smaller": "1/8"}),
    "refuted_by_a_smaller_delta_that_is_not": (shuffle(least="delta"), REFUTED, {"smaller": "3/16"}),
    "refuted_by_a_smaller_exp_eps_that_is_not": (
        shuffle(exp_eps="3", delta="0", least="exp_eps"),
        REFUTED,
        {"smaller": "4"},
    ),
    "never_dp_overstated": (never(GAP_LOCAL, 1, "2/5"), PROVED, {"first": ["1", "0"], "second": ["0", "1"]}),
    "never_dp_in_the_safe_order": (never(ONE_SIDED, 1, "1/2"), PROVED, {"first": ["1", "0"], "second": ["0", "1"]}),
    "never_dp_refuted_at_equality": (never(GAP_LOCAL, 1, "3/8"), REFUTED, {}),
    "shift_delta_one_unit_too_small": (shift(COIN, delta=f"{2**60 // 4 - 1}/{2**60}"), PROVED, {}),
    "shift_delta_of_a_shorter_shift": (shift(COIN, reach=2), PROVED, {}),
    "shift_delta_of_one_order": (shift(finite(at0="2/3", at1="1/3"), delta="1/3"), PROVED, {}),
    "shift_least_in_the_other_order": (
        shift(finite(at0="1/3", at1="2/3"), delta="2/3", least="delta"),
        PROVED,
        {"shift": "1", "order": "forward"},
    ),
    "shift_trials_off_by_one": (shift(binomial(2, "1/2"), exp_eps="1", delta="3/8"), PROVED, {}),
    "shift_refuted_a_true_claim": (shift(COIN), REFUTED, {"shift": "1", "order": "forward"}),
    "additive_wrong_shift": (additive(shifts=["0", "2"]), PROVED, {}),
    "additive_wrong_base": (additive(base=[["0", "1/9"], ["1", "8/9"]]), PROVED, {}),
    "additive_refuted_by_a_right_row": (additive(shifts=["0", "2"]), REFUTED, {"input": "0"}),
    "zero_estimate_of_the_other_input": (zero(held="1"), PROVED, {}),
    "zero_estimate_threshold_too_low": (zero(threshold="99/100"), PROVED, {}),
    "zero_estimate_refuted_by_an_impossible_outcome": (zero(held="1"), REFUTED, {"outcome": ["3"]}),
    "zero_estimate_refuted_at_the_threshold": (zero(held="1"), REFUTED, {"outcome": ["1"]}),
    "inequality_terms_do_not_add_up": (
        SQUARE_BELOW,
        PROVED,
        {"terms": [{"coefficient": "1", "powers": ["1", "2"]}]},
    ),
    "inequality_term_missing": (SQUARE_BELOW, PROVED, {"terms": []}),
    "inequality_negative_coefficient": (
        inequality([X], condition(("-1", "1"))),
        PROVED,
        {"terms": [{"coefficient": "-1", "powers": ["1"]}]},
    ),
    "inequality_strict_without_a_positive_term": (
        inequality([X], condition(("1", "1"), strict="yes")),
        PROVED,
        {"terms": [{"coefficient": "1", "powers": ["1"]}]},
    ),
    "inequality_refuted_outside_the_hypotheses": (SQUARE_BELOW, REFUTED, {"point": ["3/2"]}),
    "inequality_refuted_where_it_holds": (
        inequality([X], condition(("1", "1"), ("-1", "2"))),
        REFUTED,
        {"point": ["1"]},
    ),
    "inequality_refuted_on_an_open_end": (
        inequality([condition(("1", "1"), strict="yes")], condition(("1", "1"), strict="yes")),
        REFUTED,
        {"point": ["0"]},
    ),
    "conjunction_with_a_false_part": (both(TRUE, FALSE), PROVED, {"parts": [{}, {}]}),
    "conjunction_refuted_by_a_true_part": (both(TRUE, FALSE), REFUTED, {"part": "0", "witness": WORKED}),
    "conjunction_parts_swapped": (both(negation(FALSE), shuffle(least="delta")), REFUTED, {"part": "0", "witness": {}}),
    "not_a_true_claim": (negation(TRUE), PROVED, WORKED),
}

# Not claims or witnesses of this schema; sealed all the same.
NO_CLAIM: dict[str, tuple[Any, str, Any]] = {
    "number_unreduced": (shuffle(delta="6/32"), PROVED, {}),
    "number_denominator_one": (shuffle(exp_eps="2/1"), PROVED, {}),
    "number_denominator_zero": (shuffle(delta="1/0"), PROVED, {}),
    "number_denominator_negative": (shuffle(delta="-3/-16"), PROVED, {}),
    "number_two_slashes": (shuffle(delta="3/16/1"), PROVED, {}),
    "number_decimal_point": (shuffle(delta="0.1875"), PROVED, {}),
    "number_exponent": (shuffle(delta="1e999"), PROVED, {}),
    "number_not_a_number": (shuffle(delta="NaN"), PROVED, {}),
    "number_plus_sign": (shuffle(n="+2"), PROVED, {}),
    "number_leading_zero": (shuffle(n="02"), PROVED, {}),
    "number_minus_zero": (shuffle(delta="-0"), PROVED, {}),
    "number_underscore": (shuffle(n="1_000", exp_eps="3", delta="1"), PROVED, {}),
    "number_space": (shuffle(n=" 2"), PROVED, {}),
    "number_trailing_space": (shuffle(n="2 "), PROVED, {}),
    "number_empty": (shuffle(n=""), PROVED, {}),
    "number_hexadecimal_below_257_bits": (shuffle(n="0x2"), PROVED, {}),
    "number_hexadecimal_uppercase": (shuffle(delta=f"1/0x{2**300 - 1:X}"), PROVED, {}),
    "number_decimal_above_256_bits": (shuffle(delta=f"1/{2**256}"), PROVED, {}),
    "number_fraction_for_an_integer": (shuffle(n="4/3"), PROVED, {}),
    "kind_unknown": ({**TRUE, "kind": "local_dp"}, PROVED, {}),
    "kind_missing": ({k: v for k, v in TRUE.items() if k != "kind"}, PROVED, {}),
    "kind_a_list": ({**TRUE, "kind": ["shuffle_dp"]}, PROVED, {}),
    "claim_a_list": ([TRUE], PROVED, {}),
    "claim_with_a_label": ({**TRUE, "name": "R^gap"}, PROVED, {}),
    "claim_with_eps_and_exp_eps": ({**TRUE, "eps": "1"}, PROVED, {}),
    "claim_without_a_level": ({k: v for k, v in TRUE.items() if k != "exp_eps"}, PROVED, {}),
    "delta_above_one": (shuffle(delta="17/16"), PROVED, {}),
    "delta_negative": (shuffle(delta="-1/16"), PROVED, {}),
    "exp_eps_below_one": (shuffle(exp_eps="1/2", delta="1"), PROVED, {}),
    "eps_negative": (shuffle(eps="-1", delta="1"), PROVED, {"terms": "2"}),
    "least_with_eps": (shuffle(eps="1", delta="1", least="delta"), PROVED, {"terms": "2", **WORKED}),
    "least_unknown": (shuffle(least="n"), PROVED, {}),
    "least_delta_for_all_n": (shuffle(least="delta", scope="all n from n"), PROVED, WORKED),
    "least_exp_eps_for_all_n_with_delta": (shuffle(least="exp_eps", scope="all n from n"), PROVED, VERTEX),
    "never_dp_below_zero": (never(GAP_LOCAL, 1, "0"), PROVED, {"first": ["1", "0"], "second": ["0", "1"]}),
    "scope_unknown": (shuffle(scope="all n"), PROVED, {}),
    "neighbors_unknown": (shuffle(neighbors="replace one"), PROVED, {}),
    "users_none": (shuffle(n=0), PROVED, {}),
    "users_negative": (shuffle(n=-2), PROVED, {}),
    "row_sums_to_seven_eighths": (shuffle(randomizer(1, {"0": "7/8"}, {"0": "1"})), PROVED, {}),
    "row_with_probability_zero": (shuffle(randomizer(2, {"0": "1", "1": "0"}, {"0": "1"})), PROVED, {}),
    "row_with_a_negative_probability": (shuffle(randomizer(2, {"0": "3/2", "1": "-1/2"})), PROVED, {}),
    "row_empty": (shuffle(randomizer(2, {"0": "1"}, {})), PROVED, {}),
    "row_with_a_tuple_twice": (
        shuffle({"messages": "1", "rows": [[{"send": ["0"], "prob": "1/2"}, {"send": ["0"], "prob": "1/2"}]]}),
        PROVED,
        {},
    ),
    "row_with_an_unknown_message": (shuffle(randomizer(2, {"2": "1"}, {"0": "1"})), PROVED, {}),
    "rows_an_object": (shuffle({"messages": "2", "rows": {}}), PROVED, {}),
    "rows_none": (shuffle({"messages": "2", "rows": []}), PROVED, {}),
    "law_descending": (shift({"family": "finite", "weights": [["1", "1/2"], ["0", "1/2"]]}), PROVED, {}),
    "law_with_an_outcome_twice": (shift({"family": "finite", "weights": [["0", "1/2"], ["0", "1/2"]]}), PROVED, {}),
    "law_of_another_family": (shift({"family": "geometric", "p": "1/2"}), PROVED, {}),
    "law_probability_above_one": (shift(binomial(2, "3/2")), PROVED, {}),
    "shift_zero": (shift(COIN, reach=0), PROVED, {}),
    "shift_witness_beyond_the_claim": (shift(COIN, delta="1/5"), REFUTED, {"shift": "2", "order": "forward"}),
    "additive_two_messages": ({**additive(), "randomizer": RESPONSE}, PROVED, {}),
    "additive_shifts_too_few": (additive(shifts=["0"]), PROVED, {}),
    "zero_estimate_weights_too_many": (zero(weights=["1", "1"]), PROVED, {}),
    "inequality_variable_twice": (inequality([], condition(("1", "0 0")), "x x"), PROVED, {"terms": []}),
    "inequality_variable_with_a_hyphen": (inequality([], condition(), "x-y"), PROVED, {"terms": []}),
    "inequality_exponents_twice": (inequality([], condition(("1", "1"), ("1", "1"))), PROVED, {"terms": []}),
    "inequality_coefficient_zero": (inequality([], condition(("0", "1"))), PROVED, {"terms": []}),
    "inequality_negative_power": (
        SQUARE_BELOW,
        PROVED,
        {"terms": [{"coefficient": "1", "powers": ["-1", "1"]}]},
    ),
    "conjunction_empty": (both(), PROVED, {"parts": []}),
    "conjunction_part_missing": (both(TRUE, TRUE), PROVED, {"parts": [{}]}),
    "witness_extra": (TRUE, PROVED, WORKED),
    "witness_missing": (shuffle(least="delta"), PROVED, {}),
    "witness_a_list": (TRUE, PROVED, []),
    "witness_histogram_too_short": (FALSE, REFUTED, {"first": ["2"], "second": ["1"]}),
    "witness_histogram_negative": (FALSE, REFUTED, {"first": ["3", "-1"], "second": ["2", "0"]}),
    "witness_smaller_without_least": (TRUE, REFUTED, {"smaller": "1/8"}),
    "witness_terms_zero": (shuffle(eps="1", delta="1"), PROVED, {"terms": "0"}),
    "verdict_unknown": (TRUE, "VERIFIED", {}),
    "verdict_lowercase": (TRUE, "proved", {}),
}

TOO_LARGE: dict[str, tuple[Any, str, Any]] = {
    "limit_users": (shuffle(n=1000001), PROVED, {}),
    "limit_work_of_a_sweep": (shuffle(n=100000, delta="1"), PROVED, {}),
    "limit_inputs": (shuffle(randomizer(1, *[{"0": "1"}] * 257)), PROVED, {}),
    "limit_messages": (shuffle({**RESPONSE, "messages": "257"}), PROVED, {}),
    "limit_trials": (shift(binomial(20001, "1/2")), PROVED, {}),
    "limit_shift": (shift(COIN, delta="1", reach=1001), PROVED, {}),
    "limit_eps": (shuffle(eps="65", delta="1"), PROVED, {"terms": "2"}),
    "limit_terms": (shuffle(eps="1", delta="1"), PROVED, {"terms": "1001"}),
    "limit_degree": (
        inequality([X], condition(("1", "0"))),
        PROVED,
        {"terms": [{"coefficient": "1", "powers": ["65"]}]},
    ),
    "limit_variables": (
        inequality([], condition(), " ".join(f"x{i}" for i in range(17))),
        PROVED,
        {"terms": []},
    ),
    "limit_claims_of_a_conjunction": (both(*[inequality([], condition())] * 1001), PROVED, {"parts": []}),
}


def broken_documents() -> dict[str, Any]:
    """Return what is wrong beside a sealed claim."""
    good = document(TRUE, PROVED, {})
    nested: Any = {}
    for _ in range(40):
        nested = {"kind": "not", "claim": nested}
    return {
        "incorrect/seal_of_another_claim": {**good, "claim_id": document(FALSE, PROVED, {})["claim_id"]},
        "incorrect/seal_in_capitals": {**good, "claim_id": good["claim_id"].upper()},
        "incorrect/seal_with_a_space": {**good, "claim_id": good["claim_id"] + " "},
        "incorrect/seal_empty": {**good, "claim_id": ""},
        "malformed/schema_unknown": {**good, "schema": "exactdp-certificate-2"},
        "malformed/document_with_an_extra_key": {**good, "comment": "checked"},
        "malformed/document_without_a_witness": {k: v for k, v in good.items() if k != "witness"},
        "malformed/document_a_list": [good],
        "malformed/limit_depth": document(nested, PROVED, {}),
    }


def broken_texts() -> dict[str, bytes]:
    """Return what is wrong before there is a document."""
    text = write(document(TRUE, PROVED, {}))
    found = {
        "json_number": text.replace('"n": "2"', '"n": 2'),
        "json_float": text.replace('"n": "2"', '"n": 2.0'),
        "infinite_float": text.replace('"n": "2"', '"n": 1e999'),
        "nan": text.replace('"n": "2"', '"n": NaN'),
        "true": text.replace('"n": "2"', '"n": true'),
        "null": text.replace('"n": "2"', '"n": null'),
        "duplicate_key": text.replace('"n": "2"', '"n": "2", "n": "2"'),
        "duplicate_key_at_the_top": text.replace('"verdict": "PROVED"', '"verdict": "PROVED", "verdict": "PROVED"'),
        "escape": text.replace('"n": "2"', '"n": "\\u0032"'),
        "arabic_digit": text.replace('"n": "2"', '"n": "٢"'),
        "byte_order_mark": "\ufeff" + text,
        "truncated": text[: len(text) // 2],
        "two_commas": text.replace('"PROVED",', '"PROVED",,'),
        "two_documents": text + text,
        "single_quotes": text.replace('"', "'"),
        "empty": "",
        "only_null": "null",
    }
    encoded = {name: value.encode() for name, value in found.items()}
    encoded["latin_1"] = text.replace('"PROVED"', '"PROV\xc9D"').encode("latin-1")
    encoded["binary"] = bytes(range(256))
    return {f"malformed/text_{name}": content for name, content in encoded.items()}


def files() -> dict[str, bytes]:
    """Return the whole corpus: path below ``v1`` -> content."""
    found = {name: write(value).encode() for name, value in broken_documents().items()} | broken_texts()
    for folder, cases in (
        ("correct", CORRECT),
        ("incorrect", WRONG),
        ("malformed", NO_CLAIM),
        ("malformed", TOO_LARGE),
    ):
        found |= {f"{folder}/{name}": write(document(*parts)).encode() for name, parts in cases.items()}
    return {f"{name}.json": content for name, content in sorted(found.items())}


def main(folder: Path) -> None:
    for name, content in files().items():
        path = folder / "v1" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent)
