"""The corpus of the schema exactdp-certificate-3: how far split and mix is from its sum."""

from __future__ import annotations

from typing import Any

from tests.certificates.claims import PROVED, REFUTED, SCHEMAS, TRUE, Case, both, document, fraction, mixed, negation


def series(length: int = 32, bits: int = 256, **more: str) -> Any:
    return {"length": str(length), "bits": str(bits), **more}


def pair(first: str, second: str) -> Any:
    return {"first": first.split(), "second": second.split()}


BITS_OF_TWO = pair("2 0", "0 2")  # 1/4 apart in 3 shares
LARGE = {"n": 10**6, "modulus": 2**32, "messages": 10}
SHARP = {
    "large": (LARGE, (64, 1024), 882769716, 10**30),
    "published": ({"n": 10**4, "modulus": 2**32, "messages": 12}, (64, 1024), 3397546218, 10**27),
    "three": ({"n": 3, "modulus": 3, "messages": 3}, (8, 256), 405321741688, 10**12),
    "forty": ({"n": 40, "modulus": 7, "messages": 4}, (64, 512), 14602822904, 10**12),
    "many": ({"n": 10**9, "modulus": 2, "messages": 3}, (64, 512), 14907119865, 10**15),
    "long": ({"n": 10**12, "modulus": 2**64, "messages": 12}, (32, 1100), 22260036, 10**60),
}
"""What is split, the witness, and the numerator just below the root of the bound, over the last number."""


def sharp(name: str, more: int, **changes: Any) -> Any:
    given, _, below, whole = SHARP[name]
    return mixed(**{**given, **changes}, distance=fraction(below + more, whole))


def witness(name: str) -> Any:
    return series(*SHARP[name][1])


CORRECT: dict[str, Case] = {
    **{f"mix_{name}": (sharp(name, 1), PROVED, witness(name)) for name in SHARP},
    "mix_of_one_user": (mixed(1, 2**4096, 3, "0"), PROVED, series(2, 16)),
    "mix_of_two_users": (mixed(2, 2, 3, "317/1000"), PROVED, series(2)),
    "mix_refuted": (mixed(2, 2, 3, "249999/1000000"), REFUTED, BITS_OF_TWO),
    "mix_refuted_the_other_way_round": (mixed(2, 2, 3, "0"), REFUTED, pair("0 2", "2 0")),
    "mix_refuted_of_three": (mixed(3, 3, 3, "22/81"), REFUTED, pair("3 0 0", "0 3 0")),
    "mix_refuted_with_unlike_users": (mixed(3, 2, 3, "9/65"), REFUTED, pair("3 0", "1 2")),
    "mix_of_the_average_case_refuted": (mixed(174, 2, 3, "11046641/500000000"), REFUTED, pair("174 0", "0 174")),
    "mix_in_a_conjunction": (both(mixed(2, 2, 3, "1/2"), TRUE), PROVED, {"parts": [series(), {}]}),
    "mix_in_a_negation": (negation(mixed(2, 2, 3, "1/5")), PROVED, BITS_OF_TWO),
}

WRONG: dict[str, Case] = {
    **{f"mix_{name}_less_by_a_hair": (sharp(name, 0), PROVED, witness(name)) for name in SHARP},
    "mix_one_user_less": (sharp("large", 1, n=10**6 - 1), PROVED, witness("large")),
    "mix_modulus_larger": (sharp("large", 1, modulus=2**32 + 1000), PROVED, witness("large")),
    "mix_one_share_less": (sharp("large", 1, messages=9), PROVED, witness("large")),
    "mix_of_few_users_one_less": (sharp("forty", 1, n=39), PROVED, witness("forty")),
    "mix_too_few_coefficients": (sharp("large", 1), PROVED, series(4, 1024)),
    "mix_coefficients_that_bound_nothing": (mixed(10**9, 2**64, 8, "1"), PROVED, series(32, 1024)),
    "mix_too_few_bits": (sharp("large", 1), PROVED, series(64, 200)),
    "mix_of_two_users_less": (mixed(2, 2, 3, "79/250"), PROVED, series(2)),
    "mix_distance_0": (mixed(2, 2, 3, "0"), PROVED, series()),
    "mix_refuted_at_the_edge": (mixed(2, 2, 3, "1/4"), REFUTED, BITS_OF_TWO),
    "mix_refuted_at_the_edge_of_three": (mixed(3, 3, 3, "23/81"), REFUTED, pair("3 0 0", "0 3 0")),
    "mix_refuted_by_the_same_input": (mixed(2, 2, 3, "0"), REFUTED, pair("2 0", "2 0")),
    "mix_refuted_by_inputs_of_two_sums": (mixed(2, 2, 3, "0"), REFUTED, pair("2 0", "1 1")),
    "mix_refuted_by_fewer_users": (mixed(3, 2, 3, "0"), REFUTED, BITS_OF_TWO),
    "mix_refuted_by_more_users": (mixed(2, 2, 3, "0"), REFUTED, pair("4 0", "2 2")),
    "mix_refuted_with_a_share_more": (mixed(2, 2, 4, "1/5"), REFUTED, BITS_OF_TWO),
}

NO_CLAIM: dict[str, Case] = {
    "mix_of_no_users": (mixed(0, 2, 3, "1"), PROVED, series()),
    "mix_of_one_element": (mixed(2, 1, 3, "1"), PROVED, series()),
    "mix_of_two_shares": (mixed(2, 2, 2, "1"), PROVED, series()),
    "mix_distance_above_1": (mixed(2, 2, 3, "2"), PROVED, series()),
    "mix_distance_negative": (mixed(2, 2, 3, "-1/2"), PROVED, series()),
    "mix_with_sigma": ({**mixed(2, 2, 3, "1"), "sigma": "1"}, PROVED, series()),
    "mix_modulus_a_fraction": ({**mixed(2, 2, 3, "1"), "modulus": "5/2"}, PROVED, series()),
    "mix_without_bits": (mixed(2, 2, 3, "1"), PROVED, {"length": "8"}),
    "mix_without_length": (mixed(2, 2, 3, "1"), PROVED, {"bits": "64"}),
    "mix_length_1": (mixed(2, 2, 3, "1"), PROVED, series(1)),
    "mix_bits_too_few": (mixed(2, 2, 3, "1"), PROVED, series(8, 15)),
    "mix_with_a_pair": (mixed(2, 2, 3, "1"), PROVED, series(**BITS_OF_TWO)),
    "mix_refuted_by_a_series": (mixed(2, 2, 3, "0"), REFUTED, series()),
    "mix_refuted_by_too_few_counts": (mixed(2, 3, 3, "0"), REFUTED, BITS_OF_TWO),
    "mix_refuted_by_negative_counts": (mixed(2, 2, 3, "0"), REFUTED, pair("-1 3", "2 0")),
    "limit_mix_users": (mixed(10**18 + 1, 2, 3, "1"), PROVED, series()),
    "limit_mix_modulus": (mixed(2, 2**4096 + 1, 3, "1"), PROVED, series()),
    "limit_mix_shares": (mixed(2, 2, 1001, "1"), PROVED, series()),
    "limit_mix_length": (mixed(2, 2, 3, "1"), PROVED, series(513)),
    "limit_mix_coefficients": (mixed(10**6, 2, 1000, "1"), PROVED, series(500)),
    "limit_mix_listed_modulus": (mixed(2, 257, 3, "0"), REFUTED, pair("2", "0")),
    "limit_mix_listed_outcomes": (
        mixed(2, 100, 3, "0"),
        REFUTED,
        pair(" ".join(["2"] + ["0"] * 99), " ".join(["0"] * 50 + ["2"] + ["0"] * 49)),
    ),
    "limit_mix_weights": (mixed(10**6, 2, 9, "0"), REFUTED, pair(f"{10**6} 0", f"0 {10**6}")),
}


def broken_documents() -> dict[str, Any]:
    """Older schemas, which cannot say it."""
    return {
        "malformed/schema_2_with_split_and_mix": document(*CORRECT["mix_large"], SCHEMAS[1]),
        "malformed/schema_2_with_split_and_mix_refuted": document(*CORRECT["mix_refuted"], SCHEMAS[1]),
    }
