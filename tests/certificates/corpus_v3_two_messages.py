"""The corpus of the schema exactdp-certificate-3: one of two messages from each user."""

from __future__ import annotations

from typing import Any

from tests.certificates.claims import (
    COMPLEMENT,
    COMPLEMENT_LOCAL,
    GAP_LOCAL,
    ONE_SIDED,
    PROVED,
    REFUTED,
    SCHEMAS,
    THREE,
    TRUE,
    Case,
    both,
    document,
    fraction,
    negation,
    randomizer,
    shuffle,
    two_messages,
)


def chances(*ones: str) -> Any:
    """Inputs with these probabilities of message 1, as "1/4 3/4": that of message 0, and that of message 1."""
    return randomizer(2, *[dict(zip("01", pair.split(), strict=True)) for pair in ones])


def event(message: int, holders: int, above: int, **more: str) -> Any:
    return {"message": str(message), "holders": str(holders), "above": str(above), **more}


LOW = chances("4/5 1/5", "1/2 1/2")  # the ratio 5/2 of message 1, 8/5 of message 0
HIGH = chances("1/2 1/2", "1/5 4/5")
MANY = chances("2/3 1/3", "3/4 1/4", "1/2 1/2", "1/4 3/4", "1/3 2/3")
SURE = randomizer(2, {"0": "1/3", "1": "2/3"}, {"1": "1"})
EQUAL = chances("1/3 2/3", "1/3 2/3")
NEAR = randomizer(2, {"0": fraction(2**64 - 1, 2**65), "1": fraction(2**64 + 1, 2**65)}, {"0": "1/2", "1": "1/2"})
FLOATS = randomizer(
    2,
    {"0": fraction(7, 2**53), "1": fraction(2**53 - 7, 2**53)},
    {"0": fraction(2**53 - 5, 2**53), "1": fraction(5, 2**53)},
)

AT_20 = {"n": 20, "exp_eps": "11/10"}  # worst beside 19 others alike
DELTA_20 = fraction(191859235497, 2748779069440)
INSIDE_20 = {"n": 20, "exp_eps": "101/100"}  # worst beside 14 of the 19 others alike
DELTA_INSIDE_20 = fraction(2772669814821, 27487790694400)
LOW_12 = fraction(4849664, 244140625)  # of message 0; message 1 has 0.0169674496
TENTH = {"eps": "1/10"}
LESS_TENTH = "6817/100000"  # at n = 20; delta is 0.0681759907495
AT_300 = {"n": 300, "exp_eps": "11/10"}  # 0.00273359541714
HAIR = 10**40


def less(delta: str) -> str:
    top, _, bottom = delta.partition("/")
    return fraction(int(top) * HAIR - 1, int(bottom or 1) * HAIR)


CORRECT: dict[str, Case] = {
    "two_messages": (two_messages(), PROVED, {}),
    "two_messages_refuted": (two_messages(delta=less("3/16")), REFUTED, event(1, 1, 1)),
    "two_messages_refuted_by_zeros": (two_messages(delta=less("3/16")), REFUTED, event(0, 1, 1)),
    "two_messages_of_one_user": (two_messages(n=1, delta="1/4"), PROVED, {}),
    "two_messages_of_one_user_refuted": (two_messages(n=1, delta=less("1/4")), REFUTED, event(1, 0, 0)),
    "two_messages_of_three": (two_messages(n=3, delta="9/64"), PROVED, {}),
    "two_messages_of_three_refuted": (two_messages(n=3, delta=less("9/64")), REFUTED, event(0, 2, 2)),
    "two_messages_at_an_end": (two_messages(**AT_20, delta=DELTA_20), PROVED, {}),
    "two_messages_at_an_end_refuted": (two_messages(**AT_20, delta=less(DELTA_20)), REFUTED, event(1, 19, 15)),
    "two_messages_inside": (two_messages(**INSIDE_20, delta=DELTA_INSIDE_20), PROVED, {}),
    "two_messages_inside_refuted": (
        two_messages(**INSIDE_20, delta=less(DELTA_INSIDE_20)),
        REFUTED,
        event(1, 14, 12),
    ),
    "two_messages_at_equal_laws": (two_messages(n=7, exp_eps="1", delta="385/2048"), PROVED, {}),
    "two_messages_at_equal_laws_refuted": (
        two_messages(n=7, exp_eps="1", delta=less("385/2048")),
        REFUTED,
        event(0, 3, 3),
    ),
    "two_messages_of_many_inputs": (two_messages(MANY, 9, "3/2", "6561/131072"), PROVED, {}),
    "two_messages_of_many_inputs_refuted": (
        two_messages(MANY, 9, "3/2", less("6561/131072")),
        REFUTED,
        event(1, 7, 7),
    ),
    "two_messages_worse_by_zeros": (two_messages(LOW, 12, "5/4", LOW_12), PROVED, {}),
    "two_messages_worse_by_zeros_refuted": (two_messages(LOW, 12, "5/4", less(LOW_12)), REFUTED, event(0, 11, 10)),
    "two_messages_by_ones_refuted": (two_messages(LOW, 12, "5/4", "16967449/1000000000"), REFUTED, event(1, 1, 4)),
    "two_messages_worse_by_ones": (two_messages(HIGH, 12, "5/4", LOW_12), PROVED, {}),
    "two_messages_worse_by_ones_refuted": (two_messages(HIGH, 12, "5/4", less(LOW_12)), REFUTED, event(1, 11, 10)),
    "two_messages_at_the_ratio_of_zeros": (two_messages(LOW, 12, "8/5", "27/20480"), PROVED, {}),
    "two_messages_above_the_ratio_of_zeros": (two_messages(LOW, 12, "2", "1/12800"), PROVED, {}),
    "two_messages_above_the_ratio_of_zeros_refuted": (
        two_messages(LOW, 12, "2", less("1/12800")),
        REFUTED,
        event(1, 10, 10),
    ),
    "two_messages_at_every_ratio": (two_messages(LOW, 100, "5/2", "0"), PROVED, {}),
    "two_messages_below_every_ratio_refuted": (two_messages(n=4, exp_eps="29/10", delta="0"), REFUTED, event(1, 3, 3)),
    "two_messages_excluded_one": (two_messages(ONE_SIDED, 50, "1000", "1/2"), PROVED, {}),
    "two_messages_excluded_one_refuted": (two_messages(ONE_SIDED, 50, "1000", less("1/2")), REFUTED, event(1, 0, 0)),
    "two_messages_excluded_zero": (two_messages(SURE, 50, "1000", "1/3"), PROVED, {}),
    "two_messages_excluded_zero_refuted": (two_messages(SURE, 50, "1000", less("1/3")), REFUTED, event(0, 0, 0)),
    "two_messages_beside_the_sure_refuted": (two_messages(SURE, 5, "6/5", "1/6"), REFUTED, event(1, 4, 4)),
    "two_messages_of_the_input_itself": (two_messages(COMPLEMENT_LOCAL, 7, "9", "1"), PROVED, {}),
    "two_messages_of_the_input_itself_refuted": (
        two_messages(COMPLEMENT_LOCAL, 7, "9", "999/1000"),
        REFUTED,
        event(1, 3, 3),
    ),
    "two_messages_of_equal_rows": (two_messages(EQUAL, 9, "1", "0"), PROVED, {}),
    "two_messages_of_one_input": (two_messages(randomizer(2, {"0": "1/2", "1": "1/2"}), 9, "1", "0"), PROVED, {}),
    "two_messages_of_near_rows": (two_messages(NEAR, 40, "1", fraction(1, 2**65)), PROVED, {}),
    "two_messages_of_floats": (two_messages(FLOATS, 4, "2", fraction(2**53 - 14, 2**53)), PROVED, {}),
    "two_messages_of_all_n": (two_messages(scope="all n from n"), PROVED, {}),
    "two_messages_of_all_n_refuted": (
        two_messages(delta="2/11", scope="all n from n"),
        REFUTED,
        event(0, 1, 1),
    ),
    "two_messages_eps": (two_messages(n=20, **TENTH, delta="69/1000"), PROVED, {"terms": "3"}),
    "two_messages_eps_refuted": (two_messages(n=20, **TENTH, delta=LESS_TENTH), REFUTED, event(1, 19, 15, terms="5")),
    "two_messages_of_300": (two_messages(**AT_300, delta=fraction(273359541715, 10**14)), PROVED, {}),
    "two_messages_of_300_refuted": (
        two_messages(**AT_300, delta=fraction(273359541714, 10**14)),
        REFUTED,
        event(1, 298, 234),
    ),
    "two_messages_in_a_conjunction": (both(two_messages(), TRUE), PROVED, {"parts": [{}, {}]}),
    "two_messages_in_a_negation": (negation(two_messages(delta="1/8")), PROVED, event(1, 1, 1)),
}

WRONG: dict[str, Case] = {
    "two_messages_less_by_a_hair": (two_messages(delta=less("3/16")), PROVED, {}),
    "two_messages_refuted_exactly_at_delta": (two_messages(), REFUTED, event(1, 1, 1)),
    "two_messages_of_one_user_less_by_a_hair": (two_messages(n=1, delta=less("1/4")), PROVED, {}),
    "two_messages_at_an_end_less_by_a_hair": (two_messages(**AT_20, delta=less(DELTA_20)), PROVED, {}),
    "two_messages_inside_less_by_a_hair": (two_messages(**INSIDE_20, delta=less(DELTA_INSIDE_20)), PROVED, {}),
    "two_messages_only_at_the_ends": (two_messages(**INSIDE_20, delta="1/10"), PROVED, {}),
    "two_messages_inside_refuted_exactly_at_delta": (
        two_messages(**INSIDE_20, delta=DELTA_INSIDE_20),
        REFUTED,
        event(1, 14, 12),
    ),
    "two_messages_refuted_by_another_number": (
        two_messages(**INSIDE_20, delta=less(DELTA_INSIDE_20)),
        REFUTED,
        event(1, 13, 12),
    ),
    "two_messages_refuted_by_another_event": (
        two_messages(**INSIDE_20, delta=less(DELTA_INSIDE_20)),
        REFUTED,
        event(1, 14, 11),
    ),
    "two_messages_refuted_by_a_later_event": (
        two_messages(**INSIDE_20, delta=less(DELTA_INSIDE_20)),
        REFUTED,
        event(1, 14, 13),
    ),
    "two_messages_at_equal_laws_less_by_a_hair": (two_messages(n=7, exp_eps="1", delta=less("385/2048")), PROVED, {}),
    "two_messages_of_many_inputs_less_by_a_hair": (two_messages(MANY, 9, "3/2", less("6561/131072")), PROVED, {}),
    "two_messages_of_fewer_inputs_refuted": (two_messages(MANY, 9, "3/2", "6561/131072"), REFUTED, event(1, 8, 7)),
    "two_messages_worse_by_zeros_less_by_a_hair": (two_messages(LOW, 12, "5/4", less(LOW_12)), PROVED, {}),
    "two_messages_worse_by_zeros_refuted_by_ones": (
        two_messages(LOW, 12, "5/4", less(LOW_12)),
        REFUTED,
        event(1, 11, 10),
    ),
    "two_messages_worse_by_ones_less_by_a_hair": (two_messages(HIGH, 12, "5/4", less(LOW_12)), PROVED, {}),
    "two_messages_by_ones_alone": (two_messages(LOW, 12, "5/4", "17/1000"), PROVED, {}),
    "two_messages_by_zeros_alone": (two_messages(HIGH, 12, "5/4", "17/1000"), PROVED, {}),
    "two_messages_above_the_ratio_of_zeros_less_by_a_hair": (two_messages(LOW, 12, "2", less("1/12800")), PROVED, {}),
    "two_messages_above_the_ratio_refuted": (two_messages(LOW, 12, "8/5", "0"), REFUTED, event(0, 11, 11)),
    "two_messages_at_every_ratio_refuted": (two_messages(LOW, 12, "5/2", "0"), REFUTED, event(1, 11, 11)),
    "two_messages_below_every_ratio": (two_messages(n=4, exp_eps="29/10", delta="0"), PROVED, {}),
    "two_messages_excluded_one_less_by_a_hair": (two_messages(ONE_SIDED, 50, "1000", less("1/2")), PROVED, {}),
    "two_messages_excluded_one_refuted_exactly_at_delta": (
        two_messages(ONE_SIDED, 50, "1000", "1/2"),
        REFUTED,
        event(1, 0, 0),
    ),
    "two_messages_excluded_zero_less_by_a_hair": (two_messages(SURE, 50, "1000", less("1/3")), PROVED, {}),
    "two_messages_excluded_zero_refuted_by_ones": (two_messages(SURE, 5, "1000", "1/4"), REFUTED, event(1, 4, 4)),
    "two_messages_excluded_zero_refuted_below_the_sure": (two_messages(SURE, 5, "6/5", "0"), REFUTED, event(1, 4, 2)),
    "two_messages_excluded_zero_refuted_one_below_the_sure": (
        two_messages(SURE, 5, "6/5", "0"),
        REFUTED,
        event(1, 4, 3),
    ),
    "two_messages_of_one_that_all_send_refuted": (
        two_messages(randomizer(2, {"1": "1"}, {"1": "1"}), 5, "1", "0"),
        REFUTED,
        event(1, 2, 2),
    ),
    "two_messages_of_the_input_itself_less": (two_messages(COMPLEMENT_LOCAL, 7, "9", "999/1000"), PROVED, {}),
    "two_messages_of_the_input_itself_refuted_elsewhere": (
        two_messages(COMPLEMENT_LOCAL, 7, "9", "999/1000"),
        REFUTED,
        event(1, 3, 4),
    ),
    "two_messages_of_equal_rows_refuted": (two_messages(EQUAL, 9, "1", "0"), REFUTED, event(1, 4, 4)),
    "two_messages_of_near_rows_at_0": (two_messages(NEAR, 40, "1", "0"), PROVED, {}),
    "two_messages_of_floats_less": (two_messages(FLOATS, 4, "2", "1/2"), PROVED, {}),
    "two_messages_of_one_user_more_refuted": (two_messages(n=3, delta=less("3/16")), REFUTED, event(1, 1, 1)),
    "two_messages_of_one_user_less": (two_messages(n=2, delta="9/64"), PROVED, {}),
    "two_messages_of_all_n_less": (two_messages(delta=less("3/16"), scope="all n from n"), PROVED, {}),
    "two_messages_e_to_the_eps_less_by_a_hair": (
        two_messages(n=20, exp_eps=fraction(11 * 10**20 - 1, 10**21), delta=DELTA_20),
        PROVED,
        {},
    ),
    "two_messages_eps_less": (two_messages(n=20, **TENTH, delta=LESS_TENTH), PROVED, {"terms": "9"}),
    "two_messages_eps_too_few_terms": (two_messages(n=20, **TENTH, delta="69/1000"), PROVED, {"terms": "2"}),
    "two_messages_eps_refuted_too_few_terms": (
        two_messages(n=20, **TENTH, delta=LESS_TENTH),
        REFUTED,
        event(1, 19, 15, terms="1"),
    ),
    "two_messages_of_300_less": (two_messages(**AT_300, delta=fraction(273359541714, 10**14)), PROVED, {}),
}

NO_CLAIM: dict[str, Case] = {
    "two_messages_of_three_messages": (two_messages(GAP_LOCAL), PROVED, {}),
    "two_messages_of_two_each": (two_messages(COMPLEMENT), PROVED, {}),
    "two_messages_of_none_or_two": (two_messages(THREE), PROVED, {}),
    "two_messages_of_one_message": (two_messages(randomizer(1, {"0": "1"})), PROVED, {}),
    "two_messages_of_a_silent_user": (
        two_messages(randomizer(2, {"0": "1/2", "1": "1/2"}, {"": "1/2", "1": "1/2"})),
        PROVED,
        {},
    ),
    "two_messages_of_a_family": (
        two_messages({"family": "k-ary", "inputs": "2", "exp_eps0": "3"}),
        PROVED,
        {},
    ),
    "two_messages_of_no_users": (two_messages(n=0), PROVED, {}),
    "two_messages_scope_any": (two_messages(scope="any n"), PROVED, {}),
    "two_messages_with_neighbors": ({**two_messages(), "neighbors": "replace-one"}, PROVED, {}),
    "two_messages_with_least": ({**two_messages(), "least": "none"}, PROVED, {}),
    "two_messages_without_a_scope": ({k: v for k, v in two_messages().items() if k != "scope"}, PROVED, {}),
    "two_messages_exp_eps_below_1": (two_messages(exp_eps="1/2"), PROVED, {}),
    "two_messages_exp_eps_and_eps": ({**two_messages(), "eps": "1"}, PROVED, {}),
    "two_messages_delta_above_1": (two_messages(delta="2"), PROVED, {}),
    "two_messages_with_terms": (two_messages(), PROVED, {"terms": "4"}),
    "two_messages_eps_without_terms": (two_messages(eps="1"), PROVED, {}),
    "two_messages_with_an_event": (two_messages(), PROVED, event(1, 1, 1)),
    "two_messages_with_a_pair": (two_messages(delta="1/8"), REFUTED, {"first": ["2", "0"], "second": ["1", "1"]}),
    "two_messages_refuted_by_nothing": (two_messages(delta="1/8"), REFUTED, {}),
    "two_messages_refuted_by_message_2": (two_messages(delta="1/8"), REFUTED, event(2, 1, 1)),
    "two_messages_refuted_by_more_holders_than_others": (two_messages(delta="1/8"), REFUTED, event(1, 2, 1)),
    "two_messages_refuted_by_fewer_than_none": (two_messages(delta="1/8"), REFUTED, event(1, -1, 1)),
    "two_messages_refuted_above_all": (two_messages(delta="1/8"), REFUTED, event(1, 1, 2)),
    "two_messages_refuted_above_less_than_none": (two_messages(delta="1/8"), REFUTED, event(1, 1, -1)),
    "limit_two_messages_users": (two_messages(n=10**6 + 1), PROVED, {}),
    "limit_two_messages_weights": (two_messages(FLOATS, 10**5), PROVED, {}),
    "limit_two_messages_refuted_weights": (two_messages(FLOATS, 10**5), REFUTED, event(1, 0, 0)),
}


def broken_documents() -> dict[str, Any]:
    """Older schemas, which cannot say it; and a claim that is another one."""
    first, second = SCHEMAS[:2]
    good = document(*CORRECT["two_messages"])
    return {
        "malformed/schema_1_with_two_messages": document(*CORRECT["two_messages"], first),
        "malformed/schema_2_with_two_messages": document(*CORRECT["two_messages"], second),
        "malformed/schema_2_with_two_messages_in_a_negation": document(*CORRECT["two_messages_in_a_negation"], second),
        "malformed/schema_2_with_two_messages_in_a_conjunction": document(
            *CORRECT["two_messages_in_a_conjunction"], second
        ),
        "incorrect/two_messages_tampered_users": {**good, "claim": {**good["claim"], "n": "1"}},
        "incorrect/two_messages_under_another_kind": {**good, "claim": shuffle()},
    }
