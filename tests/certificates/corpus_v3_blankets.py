"""The corpus of the schema exactdp-certificate-3: families of randomizers, and privacy by a blanket."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.certificates.claims import (
    PROVED,
    REFUTED,
    RESPONSE,
    SCHEMAS,
    THREE,
    TRUE,
    WORKED,
    Case,
    binomial,
    both,
    composed,
    document,
    lattice,
    negation,
    never,
    randomizer,
    shift,
    shuffle,
)

F = Fraction
SCHEMA = SCHEMAS[2]
SLIGHT, STEEP = str(2**56), str(2**61)  # tilts of 1/256 and 1/8 for each step
LOW = {"bits": "64", "length": "64"}
HIGH = {"bits": "128", "length": "1024"}
SHORT = {"bits": "112", "length": "256"}


def changed(case: str, **changes: Any) -> Any:
    """The claim of a case with other fields; a family as a whole."""
    return {
        **CASES[case][0],
        **{key: value if isinstance(value, dict) else str(value) for key, value in changes.items()},
    }


def less_by_a_hair(delta: str) -> str:
    return str(F(delta) * (1 - F(1, 10**8)))


def family(name: str, **numbers: Any) -> dict[str, str]:
    return {"family": name, **{key: str(value) for key, value in numbers.items()}}


def blanket(*bounds: tuple[str, str], sizes: dict[str, str] = HIGH, **beside: str) -> Any:
    """A witness, with a step and a tilt for each law of values."""
    return {"blanket": {**sizes, "bounds": [list(bound) for bound in bounds]}, **beside}


FOUR = family("k-ary", inputs=4, exp_eps0=5)
BIT = family("k-ary", inputs=2, exp_eps0=3)
SIXTEEN = family("k-ary", inputs=16, exp_eps0=55)
MANY = family("k-ary", inputs=10**9, exp_eps0=1000)
PAIR = family("unary-encoding", inputs=2, one="1/2", other="1/4")
BITS = family("unary-encoding", inputs=3, one="3/5", other="2/5")
LONG_BITS = family("unary-encoding", inputs=2049, one="1/2", other="1/3")
SUBSETS = family("subset-selection", inputs=6, size=2, exp_eps0=4)
COLUMNS = family("hadamard", inputs=5, exp_eps0=3)
THREE_COLUMNS = family("hadamard", inputs=3, exp_eps0=3)
HASHES = family("local-hashing", inputs=3, buckets=2, exp_eps0=3)
LONG_HASHES = family("local-hashing", inputs=10**6, buckets=8, exp_eps0="15/2")
LAPLACE = family("clipped-discrete-laplace", top=2, ratio="1/2")
LONG_LAPLACE = family("clipped-discrete-laplace", top=1, ratio=f"1/{hex(2**300)}")
ZEROS = randomizer(3, {"0": "1/2", "1": "1/2"}, {"0": "1/4", "2": "3/4"})
TWINS = randomizer(2, {"0": "2/3", "1": "1/3"}, {"0": "1/3", "1": "2/3"}, {"1": "1/3", "0": "2/3"})
ORDERS = randomizer(3, {"0": "2/3", "1": "1/6", "2": "1/6"}, {"0": "1/3", "1": "1/3", "2": "1/3"})
"""Its two orders have other classes, and the same values with the same masses."""
POSITIVE = randomizer(
    11,
    {str(m): "1/20" if m else "1/2" for m in range(11)},
    {str(m): "9/100" if m else "1/10" for m in range(11)},
    *({str(m): "7/90" if m else "3/10" for m in range(11) if m != lacking} for lacking in range(1, 11)),
)
"""Of its first two rows the largest bound has a value with a positive mean, because every other message is lacking
somewhere."""
EXACTLY = F(
    891164449637120825222365306742119424027683052367711125227510377764127241,
    14007336451576476331677926661599221384754329058459212697708304447486033920,
)
"""The bound of k_ary_low, to its last bit."""
ALIKE = randomizer(2, {"0 1": "1/2", "": "1/2"}, {"1 0": "1/2", "": "1/2"})

CASES: dict[str, tuple[Any, Any]] = {
    "k_ary": (shuffle(FOUR, 10, "2", "3976329/62500000"), blanket(("1/4", STEEP))),
    "k_ary_low": (shuffle(FOUR, 10, "2", "3976329/62500000"), blanket(("1/4", STEEP), sizes=LOW)),
    "k_ary_two_inputs": (shuffle(BIT, 30, "3/2", "419062683/50000000000"), blanket(("1/8", STEEP))),
    "k_ary_one_user": (shuffle(FOUR, 1, "2", "375000001/1000000000"), blanket(("1/4", STEEP))),
    "k_ary_many_users": (
        shuffle(SIXTEEN, 10**6, "103/100", "4955677/3125000000000"),
        blanket(("1/7", str(2**64 // 17205)), sizes=SHORT),
    ),
    "k_ary_most_users": (
        shuffle(MANY, 10**12, "10000001/10000000", "212324979/1000000000000000000"),
        blanket(("1", str(2**64 // 9000)), sizes=SHORT),
    ),
    "k_ary_eps": (
        shuffle(FOUR, 100, eps="1/3", delta="95537141/20000000000"),
        blanket(("1/8", str(2**64 // 73)), terms="12"),
    ),
    "k_ary_all_n": (
        shuffle(FOUR, 64, "2", "13300681/40000000000", scope="all n from n"),
        blanket(("1/4", str(2**64 // 23))),
    ),
    "unary_two_inputs": (shuffle(PAIR, 20, "3/2", "325109577/100000000000"), blanket(("1/8", STEEP))),
    "unary": (shuffle(BITS, 50, "5/4", "124905859/250000000000"), blanket(("1/16", STEEP))),
    "unary_long": (shuffle(LONG_BITS, 1000, "11/10", "10366943/31250000000000000"), blanket(("1/8", str(2**64 // 27)))),
    "subsets": (shuffle(SUBSETS, 200, "5/4", "965031687/1000000000000"), blanket(("1/8", str(2**64 // 70)))),
    "hadamard": (shuffle(COLUMNS, 300, "5/4", "54730687/62500000000000"), blanket(("1/8", str(2**64 // 35)))),
    "hadamard_three_inputs": (shuffle(THREE_COLUMNS, 5, "2", "869750977/100000000000"), blanket(("1/8", STEEP))),
    "hashes": (shuffle(HASHES, 40, "3/2", "42420593/125000000000"), blanket(("1/8", STEEP))),
    "hashes_long": (
        shuffle(LONG_HASHES, 10**5, "51/50", "62926507/10000000000000"),
        blanket(("1/8", str(2**64 // 2000)), sizes=SHORT),
    ),
    "laplace": (shuffle(LAPLACE, 30, "3/2", "94369687/5000000000"), blanket(*[("1/4", STEEP)] * 3)),
    "laplace_many_users": (
        shuffle(LAPLACE, 10**4, "51/50", "111259657/100000000000"),
        blanket(*[("1/4", str(2**64 // 300))] * 3, sizes=SHORT),
    ),
    "table": (
        shuffle(RESPONSE, 10**6, "201/200", "794050221/10000000000000000"),
        blanket(("1/8", str(2**64 // 2800)), sizes=SHORT),
    ),
    "table_of_zeros": (shuffle(THREE, 12, "5/4", "1/2"), blanket(*[("1/4", STEEP)] * 3)),
    "table_of_twins": (shuffle(TWINS, 12, "5/4", "243413663/10000000000"), blanket(("1/8", STEEP))),
    "table_of_equal_orders": (shuffle(ORDERS, 3, "3/2", "740740741/10000000000"), blanket(("1/4", STEEP))),
    "table_of_a_positive_mean_beside_zeros": (shuffle(POSITIVE, 1, "2", "3/10"), blanket()),
    "k_ary_at_the_bound": (shuffle(FOUR, 10, "2", str(EXACTLY)), blanket(("1/4", STEEP), sizes=LOW)),
    "table_of_a_positive_mean": (shuffle(ZEROS, 5, "1", "3/4"), blanket()),
}

FIRST = {"first": ["3", "0", "0"], "second": ["2", "0", "1"]}
WEAK = family("k-ary", inputs=4, exp_eps0=2)
LEVELS = [blanket(("1/4", SLIGHT)), blanket(("1/4", STEEP)), blanket()]
RUN = {"randomizer": BIT, "n": "6", "neighbors": "replace-one", "times": "2"}
CURVE = {"deltas": ["248034361345", "65229815809", "0"], "witness": {"levels": LEVELS}}


LONG = ("k_ary_many_users", "k_ary_most_users", "hashes_long", "laplace_many_users")
"""What takes more than some hundredths of a second."""

CORRECT: dict[str, Case] = {
    **{f"blanket_{name}": (claim, PROVED, witness) for name, (claim, witness) in CASES.items()},
    "blanket_of_no_positive_value": (shuffle(WEAK, 10**12, "2", "0"), PROVED, blanket()),
    "blanket_of_equal_rows": (shuffle(ALIKE, 10**6, "1", "0"), PROVED, blanket()),
    "blanket_and_a_claim": (both(CASES["unary"][0], TRUE), PROVED, {"parts": [CASES["unary"][1], {}]}),
    "blanket_under_not": (negation(CASES["hashes"][0]), REFUTED, CASES["hashes"][1]),
    "family_listed": (shuffle(LAPLACE, 3, "2", "4/27"), PROVED, {}),
    "family_listed_refuted": (shuffle(LAPLACE, 3, "2", "37/250"), REFUTED, FIRST),
    "composed_of_blankets": (
        composed(RUN, exp_eps="4", delta="1/20"),
        PROVED,
        lattice("2", 40, curves=[CURVE]),
    ),
}

WRONG: dict[str, Case] = {
    **{
        f"blanket_{name}_delta_less_by_a_hair": (changed(name, delta=less_by_a_hair(claim["delta"])), PROVED, witness)
        for name, (claim, witness) in CASES.items()
        if name not in (*LONG, "k_ary_at_the_bound")
    },
    "blanket_a_last_bit_less": (
        changed("k_ary_at_the_bound", delta=EXACTLY - F(1, EXACTLY.denominator)),
        PROVED,
        CASES["k_ary_at_the_bound"][1],
    ),
    "blanket_bound_for_each_order": (CASES["table_of_equal_orders"][0], PROVED, blanket(*[("1/4", STEEP)] * 2)),
    "blanket_one_user_less": (changed("k_ary", n=9), PROVED, CASES["k_ary"][1]),
    "blanket_all_n_from_one_less": (changed("k_ary_all_n", n=63), PROVED, CASES["k_ary_all_n"][1]),
    "blanket_one_input_less": (changed("k_ary", randomizer={**FOUR, "inputs": "3"}), PROVED, CASES["k_ary"][1]),
    "blanket_exp_eps0_more": (
        changed("k_ary", randomizer={**FOUR, "exp_eps0": "5001/1000"}),
        PROVED,
        CASES["k_ary"][1],
    ),
    "blanket_exp_eps_less": (changed("k_ary", exp_eps="1999/1000"), PROVED, CASES["k_ary"][1]),
    "blanket_one_more": (changed("unary", randomizer={**BITS, "one": "601/1000"}), PROVED, CASES["unary"][1]),
    "blanket_other_less": (changed("unary", randomizer={**BITS, "other": "399/1000"}), PROVED, CASES["unary"][1]),
    "blanket_subsets_exp_eps0_more": (
        changed("subsets", randomizer={**SUBSETS, "exp_eps0": "4001/1000"}),
        PROVED,
        CASES["subsets"][1],
    ),
    "blanket_hadamard_exp_eps0_more": (
        changed("hadamard", randomizer={**COLUMNS, "exp_eps0": "3001/1000"}),
        PROVED,
        CASES["hadamard"][1],
    ),
    "blanket_columns_more": (changed("hadamard", randomizer={**COLUMNS, "inputs": "8"}), PROVED, CASES["hadamard"][1]),
    "blanket_bucket_more": (changed("hashes", randomizer={**HASHES, "buckets": "3"}), PROVED, CASES["hashes"][1]),
    "blanket_ratio_less": (
        changed("laplace", randomizer={**LAPLACE, "ratio": "499/1000"}),
        PROVED,
        CASES["laplace"][1],
    ),
    "blanket_top_less": (changed("laplace", randomizer={**LAPLACE, "top": "1"}), PROVED, CASES["laplace"][1]),
    "blanket_bound_missing": (CASES["laplace"][0], PROVED, blanket(*[("1/4", STEEP)] * 2)),
    "blanket_no_bound": (CASES["k_ary"][0], PROVED, blanket()),
    "blanket_bound_for_each_pair": (CASES["laplace"][0], PROVED, blanket(*[("1/4", STEEP)] * 6)),
    "blanket_bound_too_many": (CASES["k_ary"][0], PROVED, blanket(("1/4", STEEP), ("1/4", STEEP))),
    "blanket_bound_of_equal_rows": (shuffle(ALIKE, 5, "1", "0"), PROVED, blanket(("1/4", STEEP))),
    "blanket_bound_of_no_positive_value": (shuffle(WEAK, 5, "2", "0"), PROVED, blanket(("1/4", STEEP))),
    "blanket_step_too_coarse": (CASES["unary"][0], PROVED, blanket(("3", STEEP))),
    "blanket_tilt_too_large": (CASES["k_ary_all_n"][0], PROVED, blanket(("1/4", str(2**65)))),
    "blanket_too_short": (
        CASES["subsets"][0],
        PROVED,
        blanket(("1/8", str(2**64 // 70)), sizes={**HIGH, "length": "16"}),
    ),
    "blanket_too_few_terms": (CASES["k_ary_eps"][0], PROVED, {**CASES["k_ary_eps"][1], "terms": "2"}),
    "blanket_of_a_false_claim": (changed("k_ary", delta="1/100"), PROVED, CASES["k_ary"][1]),
    "blanket_under_not": (negation(changed("hashes", delta="1/10000")), REFUTED, CASES["hashes"][1]),
    "family_listed_delta_less_by_a_hair": (shuffle(LAPLACE, 3, "2", "37/250"), PROVED, {}),
    "family_listed_refuted_at_delta": (shuffle(LAPLACE, 3, "2", "4/27"), REFUTED, FIRST),
    "composed_level_too_low": (
        composed(RUN, exp_eps="4", delta="1/20"),
        PROVED,
        lattice("2", 40, curves=[{**CURVE, "deltas": ["248034361345", "65229815808", "0"]}]),
    ),
}

GOOD, WITNESS = CASES["k_ary"]


def without(key: str, fields: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in fields.items() if name != key}


def of(randomizer_or_family: Any, **changes: str) -> Case:
    return shuffle(randomizer_or_family, 10, "2", "1", **changes), PROVED, WITNESS


def witness(bound: Any = ("1/4", STEEP), **sizes: Any) -> Case:
    return GOOD, PROVED, {"blanket": {**HIGH, "bounds": [list(bound)], **sizes}}


NO_CLAIM: dict[str, Case] = {
    # families
    "family_unknown": of(family("rappor", inputs=4, exp_eps0=5)),
    "family_of_noise": of(family("geometric", p="1/2")),
    "family_without_inputs": of(without("inputs", FOUR)),
    "family_with_messages": of({**FOUR, "messages": "4"}),
    "family_with_the_keys_of_another": of({**FOUR, "size": "1"}),
    "family_and_rows": of({**RESPONSE, **FOUR}),
    **{
        f"family_{claimed['family']}_without_{key}": of(without(key, claimed))
        for claimed, key in (
            (BITS, "other"),
            (SUBSETS, "size"),
            (COLUMNS, "exp_eps0"),
            (HASHES, "buckets"),
            (LAPLACE, "top"),
        )
    },
    "family_of_one_input": of({**FOUR, "inputs": "1"}),
    "family_inputs_a_fraction": of({**FOUR, "inputs": "5/2"}),
    "family_of_too_many_inputs": of({**FOUR, "inputs": str(10**9 + 1)}),
    "family_exp_eps0_one": of({**FOUR, "exp_eps0": "1"}),
    "family_exp_eps0_too_long": of({**FOUR, "exp_eps0": hex(2**4096)}),
    "family_exp_eps0_not_in_lowest_terms": of({**FOUR, "exp_eps0": "10/2"}),
    "family_exp_eps0_a_real": of({**FOUR, "exp_eps0": {"exp": "1"}}),
    "family_one_at_other": of({**BITS, "one": "2/5"}),
    "family_one_below_other": of({**BITS, "one": "1/5"}),
    "family_one_certain": of({**BITS, "one": "1"}),
    "family_other_0": of({**BITS, "other": "0"}),
    "family_size_0": of({**SUBSETS, "size": "0"}),
    "family_size_all": of({**SUBSETS, "size": "6"}),
    "family_one_bucket": of({**HASHES, "buckets": "1"}),
    "family_too_many_buckets": of({**HASHES, "buckets": str(2**64 + 1)}),
    "family_top_0": of({**LAPLACE, "top": "0"}),
    "family_top_256": of({**LAPLACE, "top": "256"}),
    "family_ratio_1": of({**LAPLACE, "ratio": "1"}),
    "family_table_too_long": of({**LAPLACE, "top": "255", "ratio": f"1/{hex(2**1100)}"}),
    "family_add_or_remove": of(FOUR, neighbors="add-or-remove-one"),
    "family_least_delta": of(FOUR, least="delta"),
    "family_listed_least_delta": (shuffle(LAPLACE, 3, "2", "1", least="delta"), PROVED, {}),
    "family_of_too_many_users": (shuffle(FOUR, 10**12 + 1, "2", "1"), PROVED, WITNESS),
    "family_of_no_users": (shuffle(FOUR, 0, "2", "1"), PROVED, WITNESS),
    "family_over_all_data_sets": (GOOD, PROVED, {}),
    "family_refuted_by_data_sets": (GOOD, REFUTED, {"first": ["9", "1", "0", "0"], "second": ["8", "2", "0", "0"]}),
    "family_refuted_by_nothing": (GOOD, REFUTED, {}),
    "family_refuted_by_less": (GOOD, REFUTED, {"smaller": "0"}),
    "family_listed_of_many_users": (shuffle(LAPLACE, 10**12, "2", "1"), PROVED, {}),
    "family_never_dp": (never(FOUR, 1, "1"), PROVED, WORKED),
    "family_in_a_run_added": (composed({**RUN, "neighbors": "add-or-remove-one"}), PROVED, {}),
    # blankets
    "blanket_refutes": (GOOD, REFUTED, WITNESS),
    "blanket_beside_data_sets": (GOOD, PROVED, {**WITNESS, **FIRST}),
    "blanket_of_added_users": (shuffle(RESPONSE, 10, "2", "1", neighbors="add-or-remove-one"), PROVED, WITNESS),
    "blanket_with_least": (shuffle(RESPONSE, 10, "2", "1", least="delta"), PROVED, WITNESS),
    "blanket_of_noise": (shift(binomial(5, "1/2"), delta="1"), PROVED, WITNESS),
    "blanket_never_dp": (never(RESPONSE, 1, "1"), PROVED, WITNESS),
    "blanket_of_a_table_of_too_many_users": (shuffle(RESPONSE, 10**6 + 1, "2", "1"), PROVED, WITNESS),
    "blanket_without_terms": (CASES["k_ary_eps"][0], PROVED, WITNESS),
    "blanket_terms_with_exp_eps": (GOOD, PROVED, {**WITNESS, "terms": "12"}),
    "blanket_bits_of_an_enclosure": (CASES["k_ary_eps"][0], PROVED, {**WITNESS, "bits": "64"}),
    "blanket_a_list": (GOOD, PROVED, {"blanket": []}),
    "blanket_without_length": (GOOD, PROVED, {"blanket": {"bits": "64", "bounds": []}}),
    "blanket_with_a_delta": witness(delta="1"),
    "blanket_bits_63": witness(bits="63"),
    "blanket_bits_4097": witness(bits="4097"),
    "blanket_length_15": witness(length="15"),
    "blanket_length_above_the_limit": witness(length=str(2**17 + 1)),
    "blanket_step_0": witness(("0", STEEP)),
    "blanket_step_negative": witness(("-1/4", STEEP)),
    "blanket_step_too_long": witness((f"1/{hex(2**4096)}", STEEP)),
    "blanket_tilt_0": witness(("1/4", "0")),
    "blanket_tilt_above_the_limit": witness(("1/4", str(2**72))),
    "blanket_tilt_a_fraction": witness(("1/4", "1/2")),
    "blanket_bound_of_three": witness(("1/4", STEEP, STEEP)),
    "blanket_bounds_not_a_list": witness(bounds={"1/4": STEEP}),
    "limit_places_of_a_law": witness((f"1/{2**18}", STEEP)),
    "limit_place_of_a_value": (
        shuffle(SIXTEEN, 32, "103/100", "1"),
        PROVED,
        blanket(("1/1024", str(2**57)), sizes=LOW),
    ),
    "limit_power_of_a_tilt": (shuffle(SIXTEEN, 10, "2", "1"), PROVED, blanket(("1/128", str(2**71)))),
    "limit_tilt_of_a_level": (
        shuffle({**FOUR, "exp_eps0": hex(2**1000)}, 10**6, "2", "1"),
        PROVED,
        blanket((hex(2**993), str(222 * 2**64)), sizes={**HIGH, "length": "16"}),
    ),
    "limit_scale_of_a_measure": (shuffle(FOUR, 10**12, "2", "1"), PROVED, blanket(("1/4", str(2**50)), sizes=LOW)),
    "limit_product_of_measures": (
        shuffle(FOUR, 16, "2", "1"),
        PROVED,
        blanket(("1/1024", str(2**40)), sizes={"bits": "4096", "length": str(2**17)}),
    ),
    "levels_fewer_than_deltas": (
        composed(RUN, exp_eps="4", delta="1/20"),
        PROVED,
        lattice("2", 40, curves=[{**CURVE, "witness": {"levels": LEVELS[:2]}}]),
    ),
    "levels_and_bits": (
        composed(RUN, exp_eps="4", delta="1/20"),
        PROVED,
        lattice("2", 40, curves=[{**CURVE, "witness": {"levels": LEVELS, "bits": "64"}}]),
    ),
    "blanket_of_every_level": (
        composed(RUN, exp_eps="4", delta="1/20"),
        PROVED,
        lattice("2", 40, curves=[{**CURVE, "witness": LEVELS[0]}]),
    ),
}


def broken_documents() -> dict[str, Any]:
    """Return what only the third schema can say, in documents of the second."""
    second = SCHEMAS[1]
    cases = {claimed["family"]: of(claimed) for claimed in (FOUR, BITS, SUBSETS, COLUMNS, HASHES)}
    cases["clipped-discrete-laplace"] = CORRECT["family_listed"]
    cases["a_blanket"] = CORRECT["blanket_table"]
    cases["a_blanket_under_not"] = (negation(CASES["table"][0]), REFUTED, CASES["table"][1])
    return {f"malformed/schema_2_with_{name}": document(*case, second) for name, case in cases.items()}
