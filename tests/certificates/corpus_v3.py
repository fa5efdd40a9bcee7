"""The corpus of the schema exactdp-certificate-3: what it adds to the second one, at small sizes and at large ones."""

from __future__ import annotations

from typing import Any

from tests.certificates import corpus_v1, corpus_v2
from tests.certificates.claims import (
    PROVED,
    REFUTED,
    RESPONSE,
    SCHEMAS,
    TRUE,
    Case,
    assuming,
    binomial,
    both,
    composed,
    count_accuracy,
    curve,
    document,
    equal_laws,
    finite,
    lattice,
    law,
    negation,
    poisson,
    run,
    shift,
    smooth,
    tail,
    uniform,
    view,
    views,
    write,
)
from tests.certificates.corpus_v2 import BACKWARD, FORWARD, bits

SCHEMA = SCHEMAS[2]

DIE, TEN, SPREAD = uniform(1, 6), uniform(0, 9), uniform(-10, 10)
LARGE = 10**30
HUGE = uniform(1, LARGE)
AROUND = uniform(-LARGE, LARGE)
LONG = uniform(-(2**16384), 2**16384 - 1)  # 2^16385 outcomes
POINT = uniform(-3, -3)
TENTH = f"1/{LARGE}"
LISTED_DIE = finite(at1="1/6", at2="1/6", at3="1/6", at4="1/6", at5="1/6", at6="1/6")
NOISY = {"weight": "1/2", "offset": "1/2", "zero_unless_above": "3"}

TWICE = composed(run(TEN, 2), delta="1901/10000")  # 1 - (9/10)^2 = 19/100, whatever e^eps is
AFTER_A_VIEW = composed(run(TEN, 1, 2), views(RESPONSE, 1, 1), exp_eps="3", delta="201/1000")
TENTHS_OF_40 = 109951162778  # 2^40 / 10, rounded up
CURVES = lattice("2", 40, curves=[curve([TENTHS_OF_40] * 2)])
VIEW_CURVES = lattice("3", 40, curves=[curve([2 * TENTHS_OF_40] * 2), curve([2**39, 0])])
PAIRS = lattice("2", 40, pairs=[FORWARD])
HUGE_PAIRS = lattice("2", 160, pairs=[{**BACKWARD, "shift": "1000"}])


CORRECT: dict[str, Case] = {
    # shift_dp
    "shift_least_delta": (shift(TEN, delta="3/10", reach=3, least="delta"), PROVED, {**FORWARD, "shift": "3"}),
    "shift_least_delta_backward": (
        shift(TEN, exp_eps="1", delta="3/10", reach=3, least="delta"),
        PROVED,
        {**BACKWARD, "shift": "3"},
    ),
    "shift_least_exp_eps_one": (shift(DIE, exp_eps="1", delta="1/6", least="exp_eps"), PROVED, {}),
    "shift_eps": (shift(DIE, eps="1/3", delta="1/2", reach=3), PROVED, {"terms": "1"}),
    "shift_of_all_but_one": (shift(DIE, delta="5/6", reach=5, least="delta"), PROVED, {**FORWARD, "shift": "5"}),
    "shift_of_all": (shift(DIE, delta="1", reach=6, least="delta"), PROVED, {**FORWARD, "shift": "6"}),
    "shift_beyond_all": (shift(DIE, delta="1", reach=9, least="delta"), PROVED, {**BACKWARD, "shift": "8"}),
    "shift_of_a_point": (shift(POINT, delta="1", least="delta"), PROVED, FORWARD),
    "shift_huge": (shift(HUGE, delta=TENTH, least="delta"), PROVED, FORWARD),
    "shift_huge_by_a_thousand": (
        shift(AROUND, eps="1", delta="1/" + str(2 * 10**27), reach=1000),
        PROVED,
        {"terms": "3"},
    ),
    "shift_long": (shift(LONG, delta=f"1/{hex(2**16385)}", least="delta"), PROVED, BACKWARD),
    "shift_refuted": (shift(TEN, delta="29/100", reach=3), REFUTED, {**BACKWARD, "shift": "3"}),
    "shift_refuted_by_a_shorter_shift": (shift(TEN, delta="19/100", reach=3), REFUTED, {**FORWARD, "shift": "2"}),
    "shift_refuted_eps": (shift(TEN, eps="5", delta="9/100"), REFUTED, {**FORWARD, "terms": "9"}),
    "shift_refuted_smaller_delta": (shift(TEN, delta="1/5", least="delta"), REFUTED, {"smaller": "1/10"}),
    "shift_refuted_smaller_exp_eps": (shift(TEN, delta="1/10", least="exp_eps"), REFUTED, {"smaller": "1"}),
    "shift_refuted_huge": (shift(HUGE, delta="0"), REFUTED, BACKWARD),
    # smooth
    "smooth": (smooth(TEN, k=2, exp_eps="1000001/1000000", delta="1/5"), PROVED, {}),
    "smooth_at_the_ratio": (smooth(TEN, exp_eps="1", delta="1"), PROVED, {}),
    "smooth_eps": (smooth(TEN, k=10, eps="1", delta="1"), PROVED, {"terms": "2"}),
    "smooth_huge": (smooth(AROUND, k=1000, delta=f"1000/{2 * LARGE + 1}"), PROVED, {}),
    "smooth_refuted": (smooth(TEN, k=3, delta="19/100"), REFUTED, {"by": "-2"}),
    "smooth_refuted_upwards": (smooth(TEN, k=3, delta="29/100"), REFUTED, {"by": "3"}),
    "smooth_refuted_at_the_ratio": (smooth(HUGE, exp_eps="1", delta="999/1000"), REFUTED, {"by": "1"}),
    "smooth_refuted_eps": (smooth(TEN, eps="1/1000", delta="99/1000"), REFUTED, {"by": "1", "terms": "4"}),
    # tail
    "tail_at_the_edge": (tail(DIE, "5", "infinity", "at most", "1/3"), PROVED, {}),
    "tail_at_least": (tail(DIE, "5", "infinity", "at least", "1/3"), PROVED, {}),
    "tail_below": (tail(SPREAD, "-infinity", "-10", "at least", "1/21"), PROVED, {}),
    "tail_inside": (tail(SPREAD, "-2", "3", "at most", "2/7"), PROVED, {}),
    "tail_everything": (tail(DIE, "-infinity", "infinity", "at least", "1"), PROVED, {}),
    "tail_above_the_support": (tail(DIE, "7", "infinity", "at most", "0"), PROVED, {}),
    "tail_below_the_support": (tail(DIE, "-infinity", "0", "at most", "0"), PROVED, {}),
    "tail_of_nothing": (tail(DIE, "4", "3", "at most", "0"), PROVED, {}),
    "tail_of_a_point": (tail(POINT, "-3", "-3", "at least", "1"), PROVED, {}),
    "tail_huge": (tail(AROUND, "1", "infinity", "at most", f"{LARGE}/{2 * LARGE + 1}"), PROVED, {}),
    "tail_refuted": (tail(DIE, "5", "infinity", "at most", "33/100"), REFUTED, {}),
    "tail_refuted_at_least": (tail(DIE, "5", "infinity", "at least", "17/50"), REFUTED, {}),
    # accuracy
    "accuracy": (count_accuracy(SPREAD, "7", "2/7"), PROVED, {}),
    "accuracy_with_a_threshold": (count_accuracy(SPREAD, "2", "19/21", **NOISY), PROVED, {}),
    "accuracy_within_a_threshold": (count_accuracy(SPREAD, "5", "1/21", most="4", **NOISY), PROVED, {}),
    "accuracy_of_nothing_right": (count_accuracy(SPREAD, "1/3", "1", offset="1/2"), PROVED, {}),
    "accuracy_huge": (
        count_accuracy(AROUND, str(LARGE // 2), f"{LARGE}/{2 * LARGE + 1}", most=hex(2**16384)),
        PROVED,
        {},
    ),
    "accuracy_refuted": (count_accuracy(SPREAD, "7", "27/100"), REFUTED, {}),
    "accuracy_refuted_with_a_threshold": (count_accuracy(SPREAD, "2", "9/10", **NOISY), REFUTED, {}),
    # equal_laws
    "equal_laws_written_alike": (equal_laws(HUGE, HUGE), PROVED, {}),
    "equal_laws_listed": (equal_laws(DIE, LISTED_DIE), PROVED, {}),
    "equal_laws_coin": (equal_laws(binomial(1, "1/2"), uniform(0, 1)), PROVED, {}),
    "equal_laws_point": (equal_laws(POINT, finite(atminus3="1")), PROVED, {}),
    "equal_laws_view": (equal_laws(view(RESPONSE, "0 0", "0 1"), uniform(0, 0)), PROVED, {}),
    "equal_laws_refuted": (equal_laws(DIE, uniform(1, 7)), REFUTED, {"outcome": "7"}),
    "equal_laws_refuted_inside": (equal_laws(HUGE, uniform(1, LARGE + 1)), REFUTED, {"outcome": "5"}),
    "equal_laws_refuted_bits": (equal_laws(HUGE, poisson("5")), REFUTED, bits(outcome="0")),
    "equal_laws_refuted_bits_turned": (equal_laws(poisson("5"), uniform(0, 1)), REFUTED, bits(outcome="1")),
    # composed
    "composed": (TWICE, PROVED, CURVES),
    "composed_with_a_view": (AFTER_A_VIEW, PROVED, VIEW_CURVES),
    "composed_refuted": (composed(run(TEN, 2), delta="189/1000"), REFUTED, PAIRS),
    "composed_refuted_huge": (composed(run(HUGE, 3, 1000), delta="1/" + str(10**27)), REFUTED, HUGE_PAIRS),
    # Claims about claims, and what needs no third schema
    "conjunction": (both(tail(DIE, "6", "6", "at most", "1/6"), TRUE), PROVED, {"parts": [{}, {}]}),
    "conjunction_refuted": (
        assuming("union", TRUE, shift(TEN, delta="0")),
        REFUTED,
        {"part": "1", "witness": FORWARD},
    ),
    "not": (negation(equal_laws(DIE, TEN)), PROVED, {"outcome": "0"}),
    "not_refuted": (negation(smooth(DIE, delta="1/6")), REFUTED, {}),
    "of_the_first_schema": corpus_v1.CORRECT["shift_binomial_least_delta"],
    "of_the_second_schema": corpus_v2.CORRECT["tail_bits_gaussian_at_least"],
}

WRONG: dict[str, Case] = {
    "shift_delta_less_by_a_hair": (shift(TEN, delta="299999999999/1000000000000", reach=3), PROVED, {}),
    "shift_low_one_more": (shift(uniform(1, 9), delta="3/10", reach=3), PROVED, {}),
    "shift_high_one_less": (shift(uniform(0, 8), delta="3/10", reach=3), PROVED, {}),
    "shift_reach_one_more": (shift(TEN, delta="3/10", reach=4), PROVED, {}),
    "shift_least_at_a_shorter_shift": (
        shift(TEN, delta="3/10", reach=3, least="delta"),
        PROVED,
        {**FORWARD, "shift": "2"},
    ),
    "shift_least_exp_eps": (shift(TEN, delta="1/10", least="exp_eps"), PROVED, FORWARD),
    "shift_eps": (shift(TEN, eps="60", delta="99/1000"), PROVED, {"terms": "1000"}),
    "shift_beyond_all": (shift(DIE, delta="999999/1000000", reach=9), PROVED, {}),
    "shift_huge_high_one_less": (shift(uniform(1, LARGE - 1), delta=TENTH), PROVED, {}),
    "shift_huge_low_one_more": (shift(uniform(2, LARGE), delta=TENTH), PROVED, {}),
    "shift_huge_delta_less_by_a_hair": (shift(HUGE, delta=f"1/{LARGE + 1}"), PROVED, {}),
    "shift_long_high_one_less": (
        shift(uniform(-(2**16384), 2**16384 - 2), delta=f"1/{hex(2**16385)}"),
        PROVED,
        {},
    ),
    "shift_refuted_at_delta": (shift(TEN, delta="3/10", reach=3), REFUTED, {**FORWARD, "shift": "3"}),
    "shift_refuted_by_a_shorter_shift": (shift(TEN, delta="29/100", reach=3), REFUTED, {**FORWARD, "shift": "2"}),
    "shift_refuted_huge_at_delta": (shift(HUGE, delta=TENTH), REFUTED, FORWARD),
    "shift_refuted_smaller_too_small": (shift(TEN, delta="1/5", least="delta"), REFUTED, {"smaller": "99/1000"}),
    "smooth_k_one_more": (smooth(TEN, k=3, delta="1/5"), PROVED, {}),
    "smooth_at_the_ratio": (smooth(TEN, k=1, exp_eps="1", delta="1/10"), PROVED, {}),
    "smooth_huge_delta_less_by_a_hair": (smooth(HUGE, delta=f"1/{LARGE + 1}"), PROVED, {}),
    "smooth_refuted_at_delta": (smooth(TEN, k=2, delta="1/5"), REFUTED, {"by": "2"}),
    "smooth_refuted_by_too_little": (smooth(TEN, k=2, delta="3/20"), REFUTED, {"by": "-1"}),
    "tail_less_by_a_hair": (tail(DIE, "5", "infinity", "at most", "333333333/1000000000"), PROVED, {}),
    "tail_more_by_a_hair": (tail(DIE, "5", "infinity", "at least", "333333337/1000000000"), PROVED, {}),
    "tail_of_one_outcome_more": (tail(DIE, "4", "infinity", "at most", "1/3"), PROVED, {}),
    "tail_huge_low_one_less": (
        tail(uniform(-LARGE - 1, LARGE), "1", "infinity", "at least", f"{LARGE}/{2 * LARGE + 1}"),
        PROVED,
        {},
    ),
    "tail_refuted_at_the_edge": (tail(DIE, "5", "infinity", "at most", "1/3"), REFUTED, {}),
    "tail_of_a_single_outcome_missed": (tail(POINT, "-2", "infinity", "at least", "1/1000"), PROVED, {}),
    "accuracy_less_by_a_hair": (count_accuracy(SPREAD, "7", "285714285713/1000000000000"), PROVED, {}),
    "accuracy_alpha_one_less": (count_accuracy(SPREAD, "6", "2/7"), PROVED, {}),
    "accuracy_threshold_ignored": (count_accuracy(SPREAD, "2", "5/7", **NOISY), PROVED, {}),
    "accuracy_refuted_at_beta": (count_accuracy(SPREAD, "7", "2/7"), REFUTED, {}),
    "equal_laws_high_one_less": (equal_laws(uniform(1, 5), LISTED_DIE), PROVED, {}),
    "equal_laws_low_one_less": (equal_laws(LISTED_DIE, uniform(0, 6)), PROVED, {}),
    "equal_laws_moved": (equal_laws(uniform(0, 5), LISTED_DIE), PROVED, {}),
    "equal_laws_of_two": (equal_laws(uniform(0, 5), uniform(1, 6)), PROVED, {}),
    "equal_laws_refuted_where_they_agree": (equal_laws(DIE, uniform(2, 7)), REFUTED, {"outcome": "4"}),
    "equal_laws_refuted_where_neither_is": (equal_laws(DIE, uniform(1, 7)), REFUTED, {"outcome": "8"}),
    "equal_laws_refuted_though_equal": (equal_laws(DIE, LISTED_DIE), REFUTED, {"outcome": "6"}),
    "composed_delta_less_by_a_hair": (composed(run(TEN, 2), delta="189999999/1000000000"), PROVED, CURVES),
    "composed_curve_too_low": (TWICE, PROVED, lattice("2", 40, curves=[curve([TENTHS_OF_40, TENTHS_OF_40 - 1])])),
    "composed_shift_one_more": (composed(run(TEN, 2, 2), delta="1901/10000"), PROVED, CURVES),
    "composed_refuted_at_delta": (TWICE, REFUTED, PAIRS),
}

NO_CLAIM: dict[str, Case] = {
    "law_low_above_high": (shift(uniform(3, 2), delta="1"), PROVED, {}),
    "law_low_far_above_high": (tail(uniform(LARGE, -LARGE), "0", "0", "at most", "1"), PROVED, {}),
    "law_low_missing": (shift(law("discrete-uniform", high="6"), delta="1"), PROVED, {}),
    "law_high_missing": (shift(law("discrete-uniform", low="1"), delta="1"), PROVED, {}),
    "law_with_a_step": (shift(law("discrete-uniform", low="1", high="6", step="1"), delta="1"), PROVED, {}),
    "law_low_a_fraction": (shift(law("discrete-uniform", low="1/2", high="6"), delta="1"), PROVED, {}),
    "law_high_a_real": (shift(law("discrete-uniform", low="1", high={"exp": "2"}), delta="1"), PROVED, {}),
    "law_low_minus_zero": (shift(law("discrete-uniform", low="-0", high="6"), delta="1"), PROVED, {}),
    "law_high_infinite": (shift(law("discrete-uniform", low="1", high="infinity"), delta="1"), PROVED, {}),
    "law_high_in_hexadecimal": (shift(law("discrete-uniform", low="1", high="0x6"), delta="1"), PROVED, {}),
    "law_of_the_parameters_of_another": (shift(law("discrete-uniform", n="6", p="1/2"), delta="1"), PROVED, {}),
    "law_named_uniform": (shift(law("uniform", low="1", high="6"), delta="1"), PROVED, {}),
    "shift_with_bits": (shift(DIE, delta="1"), PROVED, bits()),
    "shift_refuted_with_bits": (shift(DIE, delta="0"), REFUTED, bits(**FORWARD)),
    "shift_pure": (shift(DIE, delta="1"), PROVED, {"pure": "yes"}),
    "shift_without_terms": (shift(DIE, eps="1", delta="1"), PROVED, {}),
    "shift_refuted_by_a_longer_shift": (shift(DIE, delta="1/4", reach=1), REFUTED, {**FORWARD, "shift": "2"}),
    "smooth_with_bits": (smooth(DIE, delta="1"), PROVED, bits()),
    "tail_with_bits": (tail(DIE, "1", "6", "at most", "1"), PROVED, bits()),
    "accuracy_with_bits": (count_accuracy(DIE, "7", "1"), PROVED, bits()),
    "equal_laws_and_an_infinite_law": (equal_laws(DIE, poisson("5")), PROVED, {}),
    "limit_shift": (shift(HUGE, delta="1", reach=1001), PROVED, {}),
    "limit_outcomes_that_are_listed": (equal_laws(HUGE, LISTED_DIE), PROVED, {}),
}


def broken_documents() -> dict[str, Any]:
    """Return what is wrong beside a sealed claim."""
    good = document(*CORRECT["shift_least_delta"], SCHEMA)
    first, second = SCHEMAS[:2]
    return {
        "incorrect/seal_of_another_claim": {
            **good,
            "claim_id": document(shift(uniform(0, 8), delta="3/10"), PROVED, {}, SCHEMA)["claim_id"],
        },
        "malformed/schema_unknown": {**good, "schema": "exactdp-certificate-4"},
        "malformed/schema_with_a_space": {**good, "schema": f"{SCHEMA} "},
        "malformed/schema_1_with_the_law": {**good, "schema": first},
        "malformed/schema_2_with_the_law": {**good, "schema": second},
        "malformed/schema_2_with_the_law_in_a_conjunction": document(*CORRECT["conjunction"], second),
        "malformed/schema_2_with_the_law_in_a_negation": document(*CORRECT["not_refuted"], second),
        "malformed/schema_2_with_the_law_as_the_second": document(*CORRECT["equal_laws_coin"], second),
        "malformed/schema_2_with_the_law_in_a_run": document(*CORRECT["composed_with_a_view"], second),
        "malformed/schema_2_with_the_law_refuted": document(*CORRECT["tail_refuted"], second),
        "malformed/schema_1_with_a_real": document(*CORRECT["of_the_second_schema"], first),
    }


def broken_texts() -> dict[str, bytes]:
    """Return what is wrong before there is a document."""
    text = write(document(*CORRECT["shift_least_delta"], SCHEMA))
    changed = {
        "json_number_for_low": text.replace('"low": "0"', '"low": 0'),
        "duplicate_high": text.replace('"high": "9"', '"high": "9", "high": "8"'),
    }
    return {f"malformed/text_{name}": content.encode() for name, content in changed.items()}
