"""The corpus of the schema exactdp-certificate-3: two counts with correlated noise, and sampled counts."""

from __future__ import annotations

from typing import Any

from tests.certificates.claims import (
    PROVED,
    REFUTED,
    SCHEMAS,
    TRUE,
    Case,
    both,
    counting,
    document,
    fraction,
    geometric,
    negation,
    negative_binomial,
    poisson,
    sampled,
)
from tests.certificates.corpus_v2 import bits

NOISE = negative_binomial("10", "3/4")  # delta 0.0253097540347317041 at e^eps = 2
TWO = negative_binomial("5/2", "2/3"), negative_binomial("3", "1/2")  # 0.030916383870642968 at e^eps = 4, p1 = 1/3
REALS = {"exp": "-1/2"}, negative_binomial("44", {"exp": "-1/10"})  # 2.98324005887408448e-22 at eps = 1
SMALL = negative_binomial("1/3", "2/3")  # 0.462240849567089803 at e^eps = 4, p1 = 1/3
FLOATS = (
    f"{5463142501462741}/{2**53}",
    negative_binomial(f"{6192449487634433}/{2**47}", f"{8150057238571989}/{2**53}"),
)
SHARP = {
    "counting": ("1/2", (NOISE,), {"exp_eps": "2"}, "25309754034731705", "25309754034731704", 10**18),
    "counting_of_two_laws": ("1/3", TWO, {"exp_eps": "4"}, "30916383870642969", "30916383870642968", 10**18),
    "counting_of_reals": (REALS[0], REALS[1:], {"eps": "1"}, "298324005887409", "298324005887408", 10**36),
    "counting_of_a_small_shape": ("1/3", (SMALL,), {"exp_eps": "4"}, "462240849567090", "462240849567089", 10**15),
    "counting_at_equal_laws": ("1/2", (), {"exp_eps": "1"}, "333333333334", "333333333333", 10**12),
    "counting_below_the_ratio": ("1/2", (), {"exp_eps": "3/2"}, "203125000001", "203124999999", 10**12),
    "counting_above_the_ratio": ("1/2", (), {"exp_eps": "3"}, "125000000001", "124999999999", 10**12),
}
"""p1, the noise, the level, and the numerators just above and below delta, over the last number."""


def sharp(name: str, side: int, **changes: Any) -> Any:
    p1, noise, level, *ends, whole = SHARP[name]
    claim = counting(p1, *noise, **level, delta=fraction(int(ends[side]), whole))
    return {**claim, **changes}


WORST = 33  # of rate 1/8, threshold 20 and e^eps = 2
EXACT = fraction(4280891156942496547, 2**98)
LESS = fraction(4280891156942496546, 2**98)
WIDE = {"rate": "1/8", "threshold": 20}


def holders(number: int, **more: str) -> Any:
    return {"holders": str(number), **more}


def at(number: int, order: str = "more", **more: str) -> Any:
    return holders(number, order=order, **more)


CORRECT: dict[str, Case] = {
    **{name: (sharp(name, 0), PROVED, bits("160")) for name in SHARP if "ratio" not in name and "equal" not in name},
    **{f"{name}_refuted": (sharp(name, 1), REFUTED, bits("160")) for name in SHARP if "ratio" not in name},
    "counting_at_equal_laws": (sharp("counting_at_equal_laws", 0), PROVED, bits()),
    "counting_below_the_ratio": (sharp("counting_below_the_ratio", 0), PROVED, bits()),
    "counting_above_the_ratio": (sharp("counting_above_the_ratio", 0), PROVED, bits()),
    "counting_below_the_ratio_refuted": (sharp("counting_below_the_ratio", 1), REFUTED, bits()),
    "counting_above_the_ratio_refuted": (sharp("counting_above_the_ratio", 1), REFUTED, bits()),
    "counting_of_floats": (counting(*FLOATS, eps="1", delta=f"1/{10**20}"), PROVED, bits("128")),
    "counting_of_no_noise_in_common": (counting("1/2", negative_binomial("2", "0"), delta="1"), PROVED, bits("16")),
    "counting_of_no_noise_in_common_refuted": (
        counting("1/2", negative_binomial("2", "0"), exp_eps="100", delta="499/1000"),
        REFUTED,
        bits(),
    ),
    "counting_of_eight_laws": (
        counting("1/2", *[negative_binomial("2", "1/2")] * 8, delta="1/20"),
        PROVED,
        bits("48"),
    ),
    "counting_of_nothing_lost_refuted": (counting("1/2", NOISE, exp_eps="1000", delta="0"), REFUTED, bits("256")),
    "counting_in_a_conjunction": (
        both(counting("1/2", delta="1"), TRUE),
        PROVED,
        {"parts": [bits(), {}]},
    ),
    "counting_in_a_negation": (negation(counting("1/2", delta="1/8")), PROVED, bits()),
    "sample": (sampled(), PROVED, holders(8)),
    "sample_scanned_further": (sampled(), PROVED, holders(40)),
    "sample_at_the_edge_refuted": (sampled(delta="62499999999/1000000000000"), REFUTED, at(1)),
    "sample_wide": (sampled(**WIDE, delta=EXACT), PROVED, holders(50)),
    "sample_wide_refuted": (sampled(**WIDE, delta=LESS), REFUTED, at(WORST)),
    "sample_eps": (sampled("1/4", 3, eps="41/100", delta="7/256"), PROVED, holders(60, terms="9")),
    "sample_eps_refuted": (sampled("1/4", 3, eps="2/5", delta="7/256"), REFUTED, at(4, terms="2")),
    "sample_worst_in_the_middle": (sampled("1/4", 3, "3/2", "7/256"), PROVED, holders(40)),
    "sample_worst_in_the_middle_refuted": (sampled("1/4", 3, "3/2", "27343749/1000000000"), REFUTED, at(4)),
    "sample_of_a_high_rate": (sampled("2/3", 2, "3/2", "4/9"), PROVED, holders(27)),
    "sample_of_a_high_rate_refuted": (sampled("2/3", 2, "3/2", "11/25"), REFUTED, at(1)),
    "sample_of_a_high_rate_fewer_refuted": (sampled("2/3", 2, "3/2", "1/7"), REFUTED, at(2, "fewer")),
    "sample_of_the_first_holder": (sampled("2/3", 1, "2", "2/3"), PROVED, holders(9)),
    "sample_of_the_first_holder_fewer_refuted": (sampled("2/3", 1, "2", "33/100"), REFUTED, at(0, "fewer")),
    "sample_at_equal_laws": (sampled("1/2", 2, "1", "1/4", users="30"), PROVED, holders(30)),
    "sample_at_equal_laws_refuted": (sampled("1/2", 2, "1", "6/25"), REFUTED, at(2, "fewer")),
    "sample_of_few_users": (sampled("1/4", 3, "3/2", "1/64", users="3"), PROVED, holders(1000)),
    "sample_of_too_few_users": (sampled("1/4", 3, "3/2", "0", users="2"), PROVED, holders(2)),
    "sample_of_many_users": (sampled("1/4", 3, "3/2", "7/256", users=hex(2**300)), PROVED, holders(40)),
    "sample_of_users_refuted": (sampled("1/4", 3, "3/2", "1/64", users="4"), REFUTED, at(3)),
    "sample_all_is_lost": (sampled("9/10", 2, "2", "1"), PROVED, holders(60)),
    "sample_in_a_negation": (negation(sampled(delta="1/17")), PROVED, at(1)),
}

WRONG: dict[str, Case] = {
    **{f"{name}_less_by_a_hair": (sharp(name, 1), PROVED, bits("160")) for name in SHARP},
    **{f"{name}_refuted_more_by_a_hair": (sharp(name, 0), REFUTED, bits("160")) for name in SHARP},
    "counting_too_few_bits": (sharp("counting", 0), PROVED, bits("40")),
    "counting_refuted_too_few_bits": (sharp("counting", 1), REFUTED, bits("40")),
    "counting_exactly_at_the_edge": (counting("1/2", exp_eps="2", delta="5/32"), PROVED, bits("256")),
    "counting_refuted_exactly_at_the_edge": (counting("1/2", exp_eps="2", delta="5/32"), REFUTED, bits("256")),
    "counting_p1_less_by_a_hair": (sharp("counting", 0, p1=fraction(10**15 - 1, 2 * 10**15)), PROVED, bits("128")),
    "counting_shape_less_by_a_hair": (
        sharp("counting", 0, noise=[negative_binomial(fraction(10**15 - 1, 10**14), "3/4")]),
        PROVED,
        bits("128"),
    ),
    "counting_ratio_less_by_a_hair": (
        sharp("counting", 0, noise=[negative_binomial("10", fraction(3 * 10**15 - 1, 4 * 10**15))]),
        PROVED,
        bits("128"),
    ),
    "counting_e_to_the_eps_less_by_a_hair": (
        sharp("counting", 0, exp_eps=fraction(2 * 10**15 - 1, 10**15)),
        PROVED,
        bits("128"),
    ),
    "counting_p1_more_by_a_hair_refuted": (
        sharp("counting", 1, p1=fraction(10**15 + 1, 2 * 10**15)),
        REFUTED,
        bits("128"),
    ),
    "counting_one_law_less": (sharp("counting_of_two_laws", 0, noise=[TWO[0]]), PROVED, bits("128")),
    "counting_one_law_more_refuted": (sharp("counting_of_two_laws", 1, noise=[*TWO, SMALL]), REFUTED, bits("128")),
    "counting_p1_may_be_1": (counting({"exp": f"-1/{2**80}"}, NOISE, delta="1"), PROVED, bits("64")),
    "counting_by_the_sum_alone": (counting("1/2", NOISE, exp_eps="2", delta="0"), PROVED, bits("256")),
    "sample_less_by_a_hair": (sampled(**WIDE, delta=LESS), PROVED, holders(50)),
    "sample_refuted_at_the_edge": (sampled(**WIDE, delta=EXACT), REFUTED, at(WORST)),
    "sample_refuted_by_another_number": (sampled(**WIDE, delta=LESS), REFUTED, at(WORST + 1)),
    "sample_refuted_by_the_other_order": (sampled(**WIDE, delta=LESS), REFUTED, at(WORST, "fewer")),
    "sample_refuted_below_the_threshold": (sampled(**WIDE, delta="0"), REFUTED, at(18)),
    "sample_too_few_holders": (sampled(**WIDE, delta=EXACT), PROVED, holders(40)),
    "sample_one_holder_too_few": (sampled(), PROVED, holders(7)),
    "sample_of_a_high_rate_one_holder_too_few": (sampled("2/3", 2, "3/2", "4/9"), PROVED, holders(26)),
    "sample_none_scanned": (sampled("1/4", 3, "3/2", "1/64"), PROVED, holders(0)),
    "sample_rate_more_by_a_hair": (
        sampled(fraction(10**18 + 1, 8 * 10**18), 20, delta=EXACT),
        PROVED,
        holders(50),
    ),
    "sample_threshold_one_less": (sampled("1/8", 19, delta=EXACT), PROVED, holders(50)),
    "sample_e_to_the_eps_less_by_a_hair": (
        sampled("1/8", 20, fraction(2 * 10**18 - 1, 10**18), EXACT),
        PROVED,
        holders(50),
    ),
    "sample_eps_less": (sampled("1/4", 3, eps="2/5", delta="7/256"), PROVED, holders(60, terms="20")),
    "sample_eps_too_few_terms": (sampled("1/4", 3, eps="41/100", delta="7/256"), PROVED, holders(60, terms="2")),
    "sample_eps_refuted_too_few_terms": (sampled("1/4", 3, eps="2/5", delta="7/256"), REFUTED, at(4, terms="1")),
    "sample_of_a_high_rate_fewer": (sampled("9/10", 9, "3/2", "3/10", users="9"), PROVED, holders(9)),
    "sample_of_a_high_rate_few_holders": (sampled("2/3", 9, "3/2", "999/1000"), PROVED, holders(9)),
    "sample_of_a_high_rate_less": (sampled("2/3", 2, "3/2", "11/25"), PROVED, holders(40)),
    "sample_at_equal_laws": (sampled("1/2", 2, "1", "1/4"), PROVED, holders(1000)),
    "sample_delta_0": (sampled(delta="0"), PROVED, holders(4)),
    "sample_delta_0_of_users": (sampled(delta="0", users="2"), PROVED, holders(4)),
    "sample_of_one_user_more": (sampled("1/4", 3, "3/2", "1/64", users="4"), PROVED, holders(4)),
    "sample_of_more_users_than_scanned": (sampled("1/4", 3, "3/2", "1/64", users="5"), PROVED, holders(3)),
}

NO_CLAIM: dict[str, Case] = {
    "counting_p1_0": (counting("0", NOISE), PROVED, bits()),
    "counting_p1_1": (counting("1", NOISE), PROVED, bits()),
    "counting_p1_a_law": (counting(geometric("1/2"), NOISE), PROVED, bits()),
    "counting_without_noise": ({**counting(), "noise": []}, PROVED, bits()),
    "counting_of_nine_laws": ({**counting(), "noise": [NOISE] * 9}, PROVED, bits()),
    "counting_noise_no_list": ({**counting(), "noise": NOISE}, PROVED, bits()),
    "counting_noise_of_another_family": (counting("1/2", poisson("5")), PROVED, bits()),
    "counting_noise_no_object": (counting("1/2", "NB(20, 9/10)"), PROVED, bits()),
    "counting_shape_0": (counting("1/2", negative_binomial("0", "1/2")), PROVED, bits()),
    "counting_ratio_1": (counting("1/2", negative_binomial("2", "1")), PROVED, bits()),
    "counting_with_n": ({**counting(), "n": "1000"}, PROVED, bits()),
    "counting_with_least": ({**counting(), "least": "none"}, PROVED, bits()),
    "counting_without_bits": (counting(), PROVED, {}),
    "counting_with_terms": (counting(eps="1"), PROVED, {"bits": "64", "terms": "9"}),
    "counting_bits_too_few": (counting(), PROVED, bits("15")),
    "counting_refuted_with_an_order": (counting(delta="0"), REFUTED, bits(order="forward")),
    "counting_exp_eps_below_1": (counting(exp_eps="1/2"), PROVED, bits()),
    "counting_exp_eps_and_eps": ({**counting(), "eps": "1"}, PROVED, bits()),
    "counting_delta_above_1": (counting(delta="2"), PROVED, bits()),
    "limit_counting_bits": (counting(), PROVED, bits("16385")),
    "limit_counting_weights": (
        counting("1/2", negative_binomial("100", f"{10**6 - 1}/{10**6}")),
        PROVED,
        bits("64"),
    ),
    "sample_rate_0": (sampled("0"), PROVED, holders(4)),
    "sample_rate_1": (sampled("1"), PROVED, holders(4)),
    "sample_rate_above_1": (sampled("5/4"), PROVED, holders(4)),
    "sample_rate_a_real": ({**sampled(), "rate": {"exp": "-1"}}, PROVED, holders(4)),
    "sample_threshold_0": (sampled(threshold=0), PROVED, holders(4)),
    "sample_threshold_a_fraction": ({**sampled(), "threshold": "5/2"}, PROVED, holders(4)),
    "sample_users_0": (sampled(users="0"), PROVED, holders(4)),
    "sample_users_all": (sampled(users="all"), PROVED, holders(4)),
    "sample_without_users": ({k: v for k, v in sampled().items() if k != "users"}, PROVED, holders(4)),
    "sample_with_least": ({**sampled(), "least": "delta"}, PROVED, holders(4)),
    "sample_without_holders": (sampled(), PROVED, {}),
    "sample_with_bits": (sampled(), PROVED, holders(4, bits="64")),
    "sample_with_an_order": (sampled(), PROVED, at(4)),
    "sample_with_terms": (sampled(), PROVED, holders(4, terms="4")),
    "sample_eps_without_terms": (sampled(eps="1"), PROVED, holders(4)),
    "sample_holders_negative": (sampled(), PROVED, holders(-1)),
    "sample_refuted_without_an_order": (sampled(delta="0"), REFUTED, holders(1)),
    "sample_refuted_forward": (sampled(delta="0"), REFUTED, at(1, "forward")),
    "sample_refuted_by_more_holders_than_users": (sampled(delta="0", users="2"), REFUTED, at(2)),
    "limit_sample_threshold": (sampled(threshold=10**6 + 1), PROVED, holders(4)),
    "limit_sample_holders": (sampled(), PROVED, holders(10**6 + 1)),
    "limit_sample_weights": (sampled(f"1/{2**64}", 2), PROVED, holders(10**5)),
}


def broken_documents() -> dict[str, Any]:
    """Older schemas, which cannot say it; and a claim that is another one."""
    first, second = SCHEMAS[:2]
    good = document(*CORRECT["sample_wide"])
    return {
        "malformed/schema_1_with_counting": document(*CORRECT["counting"], first),
        "malformed/schema_2_with_counting": document(*CORRECT["counting"], second),
        "malformed/schema_1_with_a_sample": document(*CORRECT["sample"], first),
        "malformed/schema_2_with_a_sample": document(*CORRECT["sample"], second),
        "malformed/schema_2_with_a_sample_in_a_negation": document(*CORRECT["sample_in_a_negation"], second),
        "malformed/schema_2_with_counting_in_a_conjunction": document(*CORRECT["counting_in_a_conjunction"], second),
        "incorrect/sample_tampered_threshold": {**good, "claim": {**good["claim"], "threshold": "21"}},
    }
