"""The corpus of the schema exactdp-certificate-4: privacy by a swap, and what is made of other randomizers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.certificates.claims import (
    COMPLEMENT_LOCAL,
    ONE_SIDED,
    PROVED,
    REFUTED,
    RESPONSE,
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
    views,
)
from tests.certificates.corpus_v3_blankets import (
    ALIKE,
    BIT,
    BITS,
    COLUMNS,
    FOUR,
    HASHES,
    LAPLACE,
    LONG_BITS,
    LONG_HASHES,
    MANY,
    PAIR,
    SIXTEEN,
    STEEP,
    SUBSETS,
    THREE_COLUMNS,
    TWINS,
    WEAK,
    ZEROS,
    blanket,
    family,
    less_by_a_hair,
    without,
)
from tests.certificates.corpus_v3_two_messages import MANY as FIVE_ROWS
from tests.certificates.corpus_v3_two_messages import event, less

SCHEMA = "exactdp-certificate-4"


# --- Randomizers, claims and witnesses -------------------------------------------------------------------------------


def any_of(exp_eps0: str) -> Any:
    return family("any", exp_eps0=exp_eps0)


def product(*of: Any) -> Any:
    return {"family": "product", "of": list(of)}


def away(absence: str, probability: str, of: Any, **dummy: Any) -> Any:
    return {"family": "participation", "absence": absence, "probability": probability, "of": of, **dummy}


def classes(*of: tuple[Any, int], exp_eps: str, delta: str, user_class: str = "any", **changes: Any) -> Any:
    return {
        "kind": "shuffle_dp",
        "classes": [{"randomizer": table, "n": str(n)} for table, n in of],
        "user_class": user_class,
        "neighbors": "replace-one",
        "exp_eps": exp_eps,
        "delta": delta,
        "least": "none",
        **changes,
    }


def plan(tilt: str, step: str, nodes: int, stages: str, smoothing: str = "1/8") -> Any:
    return {"tilt": tilt, "smoothing": smoothing, "step": step, "nodes": str(nodes), "stages": stages.split()}


def own(tilt: str, step: str, nodes: int, stages: str, smoothing: str = "1/8") -> Any:
    """A plan with a slot of his own for the user who differs."""
    fields = plan(tilt, step, nodes, stages, smoothing)
    return {**without("stages", fields), "own_stages": fields["stages"]}


def swap(*plans: Any, pairs: Any = 1, bits: int = 96, used: str = "", **beside: str) -> Any:
    """With the places of plans, or so many pairs that take the first; and as "0 1, 1" the classes that are used."""
    places = ["0"] * pairs if isinstance(pairs, int) else pairs.split()
    fields = {"bits": str(bits), "plans": list(plans), "pairs": places}
    if used:
        fields["used"] = [places.split() for places in used.split(",")]
    return {"swap": fields, **beside}


def likelihood(pair: int, others: int, at: str, step: str, threshold: int | None) -> Any:
    fields = {"pair": str(pair), "others": str(others), "bits": "64", "length": "1024", "at": at, "step": step}
    fields["cut"] = "24"
    return {"likelihood": fields if threshold is None else {**fields, "threshold": str(threshold)}}


FINE = "1/16"  # a smoothing for 300 nodes
LEANING = randomizer(2, {"0": "2/3", "1": "1/3"}, {"0": "1/6", "1": "5/6"})
THIRDS = randomizer(3, {"0": "1/3", "1": "1/3", "2": "1/3"}, {"0": "1/4", "1": "1/4", "2": "1/2"})
RARE = randomizer(3, {"0": "3/20", "1": "1/20", "2": "4/5"}, {"0": "1/20", "1": "3/20", "2": "4/5"})
"""Whose blanket tells more than each of its rows."""
EITHER = randomizer(2, {"0": "1/2", "1": "1/2"})
HALF_ZERO = randomizer(3, {"0": "3/5", "1": "2/5"}, {"0": "1/4", "1": "1/4", "2": "1/2"})
TWO_BITS, THREE_BITS = product(RESPONSE, RESPONSE), product(BIT, BIT, BIT)
COUNTED, LISTED = away("counted", "1/2", RESPONSE), away("listed", "1/2", RESPONSE)
MORE_BITS = {**BITS, "inputs": "70"}
MOST_BITS = {**BITS, "inputs": "1000000000"}
COUNTED_FOUR = away("counted", "2/3", FOUR)
HIDDEN_FOUR = away("hidden", "2/3", FOUR, dummy={"input": "1"})
HIDDEN_BITS = away("hidden", "1/2", BITS, dummy="uniform")
COUNTED_ANSWERS = away("counted", "3/4", product(BIT, RESPONSE))
HIDDEN_ANSWERS = away("hidden", "1/2", product(BIT, RESPONSE), dummy=["uniform", ["1/4", "3/4"]])
SEVEN_COLUMNS = {**COLUMNS, "inputs": "7"}
BESIDE, BEFORE = (RESPONSE, 4), (LEANING, 3)

# --- Claims with a bound, a little below which it is not shown -------------------------------------------------------

TABLES: dict[str, tuple[Any, Any]] = {
    "table": (shuffle(RESPONSE, 60, "5/4", "884148939/100000000000"), swap(plan("3/16", "1/2", 60, "2 12"), pairs=2)),
    "table_of_zeros": (
        shuffle(ZEROS, 8, "5/4", "415446527/500000000"),
        swap(plan("3/8", "1/2", 60, "2 4 6"), pairs=2),
    ),
    "table_of_several_messages": (
        shuffle(THREE, 12, "5/4", "101014791/200000000"),
        swap(plan("1/2", "1/2", 60, "2 6"), pairs=6),
    ),
    "table_of_twins": (
        shuffle(TWINS, 13, "5/4", "157251863/5000000000"),
        swap(plan("5/8", "1/2", 40, "1 5"), pairs=4),
    ),
    "table_of_many_users": (
        shuffle(RESPONSE, 10**6, "201/200", "58606571/1000000000000000"),
        swap(plan("1/512", "1/4", 300, "2 46", FINE), pairs=2),
    ),
    "k_ary": (shuffle(FOUR, 10, "2", "126990883/1000000000"), swap(plan("3/8", "1/2", 60, "2 6"))),
    "k_ary_by_a_blanket": (shuffle(FOUR, 10, "2", "48135829/250000000"), swap(plan("1/2", "1/2", 60, ""))),
    "k_ary_by_a_blanket_of_an_odd_number": (
        shuffle(FOUR, 11, "2", "48135829/250000000"),
        swap(plan("1/2", "1/2", 60, "")),
    ),
    "k_ary_by_a_blanket_of_many": (
        shuffle(MANY, 10**12, "10000001/10000000", "236452119/100000000000000000"),
        swap(plan("1/9000", "1/4", 300, "", FINE)),
    ),
    "table_by_blankets": (
        shuffle(ZEROS, 8, "5/4", "99444961/125000000"),
        swap(plan("3/8", "1/2", 60, ""), pairs=2),
    ),
    "table_by_a_blanket_of_a_positive_mean": (
        shuffle(HALF_ZERO, 20, "21/20", "250118761/500000000"),
        swap(plan("1/2", "1/2", 60, ""), pairs=2),
    ),
    "table_by_a_blanket_and_a_swap": (
        shuffle(RESPONSE, 20, "5/4", "96928269/1000000000"),
        swap(plan("1/4", "1/2", 60, ""), plan("3/16", "1/2", 60, "2 12"), pairs="0 1"),
    ),
    "k_ary_a_billion_users": (
        shuffle(SIXTEEN, 10**9, "1001/1000", "112863007/1000000000000000"),
        swap(plan("1/131072", "1/4", 300, "2 4 6 10 124", FINE)),
    ),
    "k_ary_most_users": (
        shuffle(MANY, 10**12, "10000001/10000000", "99459319/500000000000000000"),
        swap(plan("1/16384", "1/4", 300, "2", FINE)),
    ),
    "k_ary_eps": (
        shuffle(FOUR, 100, eps="1/3", delta="573958671/100000000000"),
        swap(plan("3/32", "1/4", 300, "2 12", FINE), terms="12"),
    ),
    "k_ary_all_n": (
        shuffle(FOUR, 64, "2", "584149141/1000000000000", scope="all n from n"),
        swap(plan("5/32", "1/4", 300, "2 12", FINE)),
    ),
    "unary": (shuffle(BITS, 50, "5/4", "60321777/250000000000"), swap(plan("5/8", "1/4", 300, "2 10", FINE))),
    "unary_long": (
        shuffle(LONG_BITS, 10**5, "11/10", "64407123/250000000000000"),
        swap(plan("1/1024", "1/2", 60, "2 22")),
    ),
    "subsets": (
        shuffle(SUBSETS, 200, "5/4", "106345681/200000000000"),
        swap(plan("1/8", "1/4", 300, "2 18", FINE)),
    ),
    "hadamard": (
        shuffle(COLUMNS, 300, "5/4", "445159913/500000000000000"),
        swap(plan("1/4", "1/4", 300, "2 20", FINE)),
    ),
    "hashes": (shuffle(HASHES, 40, "3/2", "2914531/20000000000"), swap(plan("5/8", "1/2", 60, "2 14"))),
    "hashes_long": (
        shuffle(LONG_HASHES, 10**5, "51/50", "329996427/100000000000000"),
        swap(plan("5/1024", "1/4", 300, "2 4 24", FINE)),
    ),
    "laplace": (shuffle(LAPLACE, 30, "3/2", "22327991/1250000000"), swap(plan("1/4", "1/2", 40, "2 8"), pairs=6)),
    "table_with_an_own_slot": (
        shuffle(RESPONSE, 61, "5/4", "408449053/50000000000"),
        swap(own("3/16", "1/2", 60, "2 12"), pairs=2),
    ),
    "table_of_zeros_with_an_own_slot": (
        shuffle(ZEROS, 8, "5/4", "462903587/500000000"),
        swap(own("3/8", "1/2", 60, "1 3 5 7"), pairs=2),
    ),
    "table_with_a_worse_own_slot": (
        shuffle(RARE, 8, "3/2", "36342613/12500000000"),
        swap(own("1", "1/2", 60, "1 3 5"), pairs=2),
    ),
    "k_ary_with_an_own_slot": (
        shuffle(FOUR, 10, "2", "5000803/50000000"),
        swap(own("3/8", "1/2", 60, "1 3 7")),
    ),
    "unary_with_an_own_slot": (
        shuffle(BITS, 50, "5/4", "99465147/500000000000"),
        swap(own("5/8", "1/4", 300, "1 3 11", FINE)),
    ),
    "k_ary_among_many_with_an_own_slot": (
        shuffle(SIXTEEN, 65536, "21/20", "146558441/100000000000"),
        swap(own("1/1024", "1/4", 300, "3 5 7 11 125", FINE)),
    ),
    "table_with_an_own_slot_for_one_pair": (
        shuffle(RESPONSE, 20, "5/4", "96928269/1000000000"),
        swap(own("1/4", "1/2", 60, "1 5 19"), plan("3/16", "1/2", 60, "2 12"), pairs="0 1"),
    ),
}

COMPOSITES: dict[str, tuple[Any, Any]] = {
    "any": (shuffle(any_of("3"), 8, "3/2", "101030079/500000000"), swap(plan("1/2", "1/2", 60, "2 4 6"))),
    "any_of_many_users": (
        shuffle(any_of("8"), 10**9, "1001/1000", "291318887/10000000000000000"),
        swap(plan("1/131072", "1/2", 60, "2 4 6 8 10 14 18 240")),
    ),
    "any_all_n": (
        shuffle(any_of("5/2"), 31, "6/5", "238321849/10000000000", scope="all n from n"),
        swap(plan("5/16", "1/2", 40, "1 3 13")),
    ),
    "any_with_an_own_slot": (
        shuffle(any_of("3"), 8, "3/2", "153839431/1000000000"),
        swap(own("1/2", "1/2", 60, "1 3 5 7")),
    ),
    "product_with_an_own_slot": (
        shuffle(TWO_BITS, 10, "2", "21643989/100000000"),
        swap(own("5/16", "1/4", 150, "1 3 5 9"), pairs=7),
    ),
    "listed_with_an_own_slot": (
        shuffle(LISTED, 12, "3/2", "113705161/1000000000"),
        swap(own("3/4", "1/2", 60, "1 3 5 11"), pairs=2),
    ),
    "product_of_equal_factors": (
        shuffle(TWO_BITS, 10, "2", "55840523/250000000"),
        swap(plan("5/16", "1/4", 150, "2 4 6 8"), pairs=7),
    ),
    "product_of_unequal_factors": (
        shuffle(product(RESPONSE, ZEROS), 6, "2", "196463739/250000000"),
        swap(plan("1/2", "1/2", 40, "2 4"), pairs=12),
    ),
    "product_of_zeros": (
        shuffle(product(ZEROS, ONE_SIDED, RESPONSE), 4, "2", "916152719/1000000000"),
        swap(plan("5/16", "1/2", 40, "2"), pairs=56),
    ),
    "product_of_families": (
        shuffle(product(BIT, PAIR), 100, "3/2", "121808267/100000000000"),
        swap(plan("5/32", "1/4", 300, "2 4 18", FINE), pairs=3),
    ),
    "product_of_a_family_and_a_table": (
        shuffle(product(FOUR, RESPONSE), 30, "2", "12427093/200000000"),
        swap(plan("1/8", "1/4", 300, "2 4 6 16", FINE), pairs=6),
    ),
    "product_of_many_users": (
        shuffle(THREE_BITS, 10**6, "21/20", "852904389/100000000000000000"),
        swap(plan("1/4096", "1/2", 60, "2 4 6 8 10 14 18 240"), pairs=3),
    ),
    "product_of_one": (
        shuffle(product(FOUR), 10, "2", "126990883/1000000000"),
        swap(plan("3/8", "1/2", 60, "2 6")),
    ),
    "counted": (shuffle(COUNTED, 12, "3/2", "53671143/5000000000"), swap(plan("1", "1/2", 40, "2 4"), pairs=2)),
    "counted_family": (
        shuffle(COUNTED_FOUR, 20, "2", "32895057/5000000000"),
        swap(plan("5/16", "1/2", 40, "2 6")),
    ),
    "counted_product": (
        shuffle(COUNTED_ANSWERS, 200, "3/2", "41525173/625000000000"),
        swap(plan("1/8", "1/4", 300, "2 4 24", FINE), pairs=6),
    ),
    "listed": (
        shuffle(LISTED, 12, "3/2", "27822579/250000000"),
        swap(plan("3/4", "1/2", 60, "2 4 6 10"), pairs=2),
    ),
    "listed_family": (
        shuffle(away("listed", "2/3", HASHES), 10**9, "1001/1000", "51477513/50000000000000000"),
        swap(plan("1/65536", "1/2", 60, "2 4 58")),
    ),
    "listed_product": (
        shuffle(away("listed", "1/3", TWO_BITS), 5, "3/2", "230479123/1000000000"),
        swap(plan("3/8", "1/2", 40, "1 3"), pairs=7),
    ),
    "listed_zeros": (
        shuffle(away("listed", "1/2", ZEROS), 9, "3/2", "98566529/250000000"),
        swap(plan("3/4", "1/2", 40, "1 3 5 7"), pairs=2),
    ),
    "hidden": (
        shuffle(away("hidden", "1/2", RESPONSE, dummy="uniform"), 12, "5/4", "127444491/10000000000"),
        swap(plan("1", "1/2", 40, "2 4"), pairs=2),
    ),
    "hidden_zeros": (
        shuffle(away("hidden", "2/3", ZEROS, dummy=["1/2", "0", "1/2"]), 8, "3/2", "17305251/50000000"),
        swap(plan("5/8", "1/2", 40, "2 4 6"), pairs=2),
    ),
    "hidden_family": (
        shuffle(away("hidden", "1/2", COLUMNS, dummy="uniform"), 10**5, "51/50", "45676643/500000000000000000"),
        swap(plan("1/128", "1/4", 300, "2 18", FINE)),
    ),
    "hidden_by_an_input": (
        shuffle(HIDDEN_FOUR, 20, "2", "181006131/100000000000"),
        swap(plan("1/2", "1/2", 60, "2 6"), pairs=3),
    ),
    "hidden_by_an_input_of_hadamard": (
        shuffle(away("hidden", "1/2", COLUMNS, dummy={"input": "4"}), 60, "5/4", "28292057/6250000000000"),
        swap(plan("1", "1/4", 300, "2 8", FINE), pairs=4),
    ),
    "hidden_by_an_input_among_many": (
        shuffle(
            away("hidden", "1/2", SIXTEEN, dummy={"input": "15"}),
            10**9,
            "1001/1000",
            "34790607/200000000000000000000000",
        ),
        swap(plan("1/16384", "1/4", 300, "2 4 58", FINE), pairs=3),
    ),
    "hidden_by_fair_bits": (
        shuffle(away("hidden", "1/2", BITS, dummy="uniform"), 30, "5/4", "129764003/100000000000000"),
        swap(plan("2", "1/2", 60, "2 6")),
    ),
    "hidden_by_many_fair_bits": (
        shuffle(away("hidden", "3/4", MORE_BITS, dummy="uniform"), 40, "5/4", "826731809/10000000000000"),
        swap(plan("1", "1/2", 20, "2 10")),
    ),
    "hidden_by_bits_that_tell_all": (
        shuffle(away("hidden", "1/2", MOST_BITS, dummy="uniform"), 1000, "11/10", "147118637/10000000000000000000000"),
        swap(plan("1/2", "1/2", 60, "2 20")),
    ),
    "hidden_product": (
        shuffle(
            HIDDEN_ANSWERS,
            100,
            "5/4",
            "369182851/1000000000000",
        ),
        swap(plan("1/4", "1/2", 60, "2 12"), pairs=6),
    ),
    "hidden_product_of_equal_factors": (
        shuffle(away("hidden", "2/3", product(BIT, BIT), dummy=[{"input": "0"}] * 2), 20, "3/2", "20471187/500000000"),
        swap(plan("1/4", "1/2", 60, "2 6"), pairs=7),
    ),
    "hidden_product_of_two_dummies": (
        shuffle(
            away("hidden", "2/3", product(BIT, BIT), dummy=[{"input": "0"}, "uniform"]),
            20,
            "3/2",
            "165300323/5000000000",
        ),
        swap(plan("1/4", "1/2", 60, "2 6"), pairs=6),
    ),
    "hidden_by_fair_bits_by_a_blanket": (
        shuffle(HIDDEN_BITS, 30, "5/4", "799678331/1000000000000000"),
        swap(plan("2", "1/2", 60, "")),
    ),
}

CLASSES: dict[str, tuple[Any, Any]] = {
    "classes_beside_his_own": (
        classes((RESPONSE, 4), (BIT, 5), exp_eps="2", delta="193834011/1000000000", user_class="1"),
        swap(plan("1", "1/2", 60, "1 3"), used="1"),
    ),
    "classes_with_an_own_slot": (
        classes((RESPONSE, 4), (BIT, 5), exp_eps="2", delta="158821363/1000000000", user_class="1"),
        swap(own("1", "1/2", 60, "2 4"), used="1"),
    ),
    "classes_of_a_family": (
        classes((RESPONSE, 16), (FOUR, 30), exp_eps="2", delta="10532841/1000000000", user_class="1"),
        swap(plan("3/16", "1/2", 40, "2 8"), used="1"),
    ),
    "classes_each_beside_its_own": (
        classes((RESPONSE, 4), (BIT, 4), exp_eps="2", delta="9493281/40000000"),
        swap(plan("3/2", "1/2", 60, "2"), pairs=3, used="0,1"),
    ),
    "classes_together": (
        classes((RESPONSE, 7), (LEANING, 5), exp_eps="3/2", delta="107276373/1000000000"),
        swap(plan("3/8", "1/2", 60, "2 4 8"), pairs=4, used="0 1,0 1"),
    ),
    "classes_of_the_first": (
        classes(BESIDE, BEFORE, exp_eps="3/2", delta="48827721/200000000", user_class="0"),
        swap(plan("1/2", "1/2", 60, "1 3 5"), pairs=2, used="0 1"),
    ),
    "classes_beside_another": (
        classes((RESPONSE, 1), (LEANING, 9), exp_eps="3/2", delta="191290351/1000000000", user_class="0"),
        swap(plan("1/2", "1/2", 60, "2 6"), pairs=2, used="1"),
    ),
    "classes_of_one_user": (
        classes((LEANING, 6), (RESPONSE, 1), exp_eps="3/2", delta="277946387/1000000000", user_class="1"),
        swap(plan("1/2", "1/2", 60, "1 3 5"), pairs=2, used="0 1"),
    ),
    "classes_of_many_users": (
        classes(
            (RESPONSE, 10**9),
            (LEANING, 10**6),
            exp_eps="1001/1000",
            delta="263448717/10000000000000000",
            user_class="1",
        ),
        swap(plan("1/131072", "1/2", 60, "2 4 58"), pairs=2, used="0 1"),
    ),
    "classes_away": (
        classes((COUNTED, 5), (LEANING, 4), exp_eps="3/2", delta="53574423/500000000", user_class="0"),
        swap(plan("1", "1/2", 60, "1 3 7"), pairs=2, used="0 1"),
    ),
    "classes_of_counted_users_of_a_family": (
        classes((LEANING, 3), (COUNTED_FOUR, 20), exp_eps="3/2", delta="875385501/25000000000", user_class="1"),
        swap(plan("1/4", "1/2", 60, "2 4 8"), used="1"),
    ),
    "classes_hidden_by_an_input": (
        classes((HIDDEN_FOUR, 20), (COUNTED, 4), exp_eps="2", delta="1810061303/1000000000000", user_class="0"),
        swap(plan("1/2", "1/2", 60, "2 6"), pairs=3, used="0"),
    ),
    "classes_hidden_by_bits": (
        classes((HIDDEN_BITS, 12), (BIT, 3), exp_eps="3/2", delta="1251610703/25000000000000", user_class="0"),
        swap(plan("3/2", "1/2", 60, "2 4"), used="0"),
    ),
    "classes_of_a_product": (
        classes((RESPONSE, 4), (TWO_BITS, 9), exp_eps="2", delta="531837167/2000000000", user_class="1"),
        swap(plan("1/4", "1/2", 60, "1 3 5"), pairs=7, used="1"),
    ),
    "classes_of_a_counted_product": (
        classes((COUNTED_ANSWERS, 10), (FOUR, 3), exp_eps="3/2", delta="1951587833/10000000000", user_class="0"),
        swap(plan("1/4", "1/2", 60, "2 4"), pairs=6, used="0"),
    ),
    "classes_of_a_hidden_product": (
        classes((LEANING, 6), (HIDDEN_ANSWERS, 10), exp_eps="3/2", delta="2948221123/10000000000"),
        swap(plan("1/2", "1/2", 60, "2 4"), pairs=8, used="0,1"),
    ),
    "classes_of_zeros": (
        classes((ZEROS, 5), (THIRDS, 4), exp_eps="3/2", delta="559900441/1000000000", user_class="0"),
        swap(plan("1/2", "1/2", 60, "1 3 7"), pairs=2, used="0 1"),
    ),
}

CASES = {**{f"swap_{name}": case for name, case in TABLES.items()}, **COMPOSITES, **CLASSES}

# --- Other claims that hold, or that do not --------------------------------------------------------------------------

AT_20 = shuffle(FIVE_ROWS, 20, "11/10", "191859235497/2748779069440")
"""Worst beside 19 others alike; the bound is attained."""
AT_HALF = shuffle(RESPONSE, 10, eps="1/2", delta="1/4")
Sharp = tuple[Any, Any, str]  # a claim without its delta, a likelihood test, and the bound
SHARP: dict[str, Sharp] = {
    "any": (
        shuffle(any_of("3"), 8, "3/2"),
        likelihood(0, 3, "3/2", "1/16", 3),
        "124862321286125203/2305843009213693952",
    ),
    "product": (shuffle(TWO_BITS, 10), likelihood(2, 0, "2", "1/16", 2), "86050395279/1099511627776"),
    "product_of_zeros": (COMPOSITES["product_of_zeros"][0], likelihood(36, 0, "2", "1/16", -111), "7/8"),
    "product_of_a_family_and_a_table": (
        shuffle(product(FOUR, RESPONSE), 30),
        likelihood(1, 4, "2", "1/8", -4),
        "646468094484170409/18446744073709551616",
    ),
    "counted": (shuffle(COUNTED_FOUR, 20), likelihood(0, 2, "2", "1/8", -3), "72283735783320695/18446744073709551616"),
    "listed": (shuffle(LISTED, 12, "3/2"), likelihood(0, 0, "3/2", "1/16", 8), "6044409525/137438953472"),
    "hidden_by_an_input": (
        shuffle(HIDDEN_FOUR, 20),
        likelihood(2, 3, "2", "1/16", -2),
        "15517024201210169/18446744073709551616",
    ),
    "hidden_by_fair_bits": (
        shuffle(away("hidden", "1/2", BITS, dummy="uniform"), 30, "5/4"),
        likelihood(0, 0, "5/4", "1/32", -7),
        "5324845949553/36893488147419103232",
    ),
    "hidden_by_many_fair_bits": (
        shuffle(away("hidden", "3/4", MORE_BITS, dummy="uniform"), 12, "5/4"),
        likelihood(0, 2, "5/4", "1/16", -4),
        "138847623792484145/36893488147419103232",
    ),
    "hidden_by_many_fair_bits_beside_zeros": (
        shuffle(away("hidden", "3/4", product(ZEROS, MORE_BITS), dummy=[["1/2", "0", "1/2"], "uniform"]), 12, "5/4"),
        likelihood(1, 5, "5/4", "1/16", -5),
        "129965487690787925/73786976294838206464",
    ),
    "hidden_by_an_input_of_seven_columns": (
        shuffle(away("hidden", "1/2", SEVEN_COLUMNS, dummy={"input": "4"}), 20, "5/4"),
        likelihood(2, 4, "5/4", "1/16", 0),
        "895510541305131/9223372036854775808",
    ),
    "hidden_by_an_input_of_two_columns": (
        shuffle(away("hidden", "1/2", {**COLUMNS, "inputs": "2"}, dummy={"input": "1"}), 10, "5/4"),
        likelihood(1, 0, "5/4", "1/16", 0),
        "5617187/2147483648",
    ),
    "hidden_product_of_three_columns": (
        shuffle(away("hidden", "2/3", product(BIT, THREE_COLUMNS), dummy=["uniform", {"input": "1"}]), 8, "5/4"),
        likelihood(2, 0, "5/4", "1/16", -1),
        "2686602550611705901/36893488147419103232",
    ),
    "hidden_product_of_uniform_columns": (
        shuffle(away("hidden", "2/3", product(COLUMNS, RESPONSE), dummy=["uniform", ["1/4", "3/4"]]), 3, "5/4"),
        likelihood(2, 7, "5/4", "1/16", 0),
        "10975439091888097397/73786976294838206464",
    ),
    "hidden_product": (
        shuffle(HIDDEN_ANSWERS, 10, "5/4"),
        likelihood(2, 1, "5/4", "1/16", -4),
        "177729059368125/4503599627370496",
    ),
    "listed_product": (
        shuffle(away("listed", "1/3", TWO_BITS), 5, "3/2"),
        likelihood(2, 2, "3/2", "1/16", 28),
        "1200602536729408993/9223372036854775808",
    ),
}


def refuted(name: str, delta: str | None = None, **changes: Any) -> Case:
    """One of the sharp cases, a little below its bound, with changes in its test; None takes a field away."""
    claim, witness, bound = SHARP[name]
    test = {key: value for key, value in {**witness["likelihood"], **changes}.items() if value is not None}
    return {**claim, "delta": delta or str(Fraction(bound) * Fraction(999999, 10**6))}, REFUTED, {"likelihood": test}


SEVEN = family("k-ary", inputs=500, exp_eps0=7)
CLOSED: dict[str, Any] = {
    "closed": shuffle(SEVEN, 5, "2", "1508800335/721098766256"),
    "closed_of_three_symbols": shuffle(family("k-ary", inputs=3, exp_eps0=7), 3, "2", "305/729"),
    "closed_at_1": shuffle(FOUR, 40, "1", "20762377695213947601801429911464701/166153499473114484112975882535043072"),
    "closed_of_many_symbols": shuffle(
        family("k-ary", inputs=1000, exp_eps0=100), 8, "3", "162216204677162272932010/2128048586821852497871201"
    ),
    "closed_of_a_fraction": shuffle(family("k-ary", inputs=10, exp_eps0="33/2"), 4, "3/2", "1142020/2255067"),
    "closed_of_hidden_users": shuffle(away("hidden", "1/2", FOUR, dummy="uniform"), 3, "5/4", "905/8192"),
    "closed_beyond_eps0": shuffle(FOUR, 10**6, "6", "0"),
}
"""Claims of the exact delta, which all others attain who hold a third symbol."""
CLOSED_BRACKET: Any = {"closed_bracket": {}}
RUN = views(TWO_BITS, 20, 2)
LEVEL_PLANS = [plan("5/32", "1/2", 60, "2 4 6 16"), plan("1/4", "1/2", 60, "2 4 6 16")]
LEVEL_PLANS += [plan("1/2", "1/4", 150, "2 4 6 16"), plan("5/2", "1/2", 60, "2 4 6 16")]
LEVELS = {"levels": [swap(one, pairs=7, bits=64) for one in LEVEL_PLANS]}
DELTAS = ["373490273538", "108488579959", "23354060320", "3646892575"]
COMPOSED = composed(RUN, exp_eps="4", delta="23/200")
MIXED_LEVELS = {"levels": [{}, {"two_messages": {}}, swap(plan("4", "1/2", 60, "2 4 6"), pairs=2)]}
PAIR_TEST = likelihood(2, 0, "2", "1/16", None)
FALSE_RUN = composed(views(TWO_BITS, 10, 2), delta="1/8")
AWAY_RUN = views(away("counted", "1/2", TWO_BITS), 20, 2)
OF_THIRD = {**without("pair", likelihood(0, 0, "5/4", "1/8", None)["likelihood"]), "others": "third"}
OF_TABLE = {**OF_THIRD, "first": "0", "second": "1", "others": ["1/2", "1/2"]}
AWAY_RUNS: dict[str, tuple[list[Any], list[Any], str]] = {
    "counted": (
        [views(COUNTED_FOUR, 2, 3)],
        [likelihood(0, 2, "5/4", "1/8", None)],
        "4469223385770354473/9223372036854775808",
    ),
    "hidden_by_an_input": (
        [views(away("hidden", "1/2", SEVEN_COLUMNS, dummy={"input": "4"}), 4, 2)],
        [likelihood(3, 0, "5/4", "1/16", None)],
        "773633/33554432",
    ),
    "hidden_by_many_fair_bits": (
        [views(away("hidden", "3/4", MORE_BITS, dummy="uniform"), 2, 2)],
        [likelihood(0, 0, "5/4", "1/16", None)],
        "2138979263760013/36028797018963968",
    ),
    "hidden_products": (
        [views(away("hidden", "2/3", product(COLUMNS, RESPONSE), dummy=["uniform", ["1/4", "3/4"]]), 2, 2)],
        [likelihood(2, 7, "5/4", "1/16", None)],
        "4455311031365911891/18446744073709551616",
    ),
    "counted_products": (
        [{**AWAY_RUN, "n": "3"}],
        [likelihood(2, 2, "3/2", "1/16", None)],
        "625951647/2147483648",
    ),
    "hidden_family": (
        [views(away("hidden", "1/2", FOUR, dummy="uniform"), 20, 2)],
        [{"likelihood": OF_THIRD}],
        "265791926322408959/36893488147419103232",
    ),
    "hidden_table": (
        [views(away("hidden", "1/2", RESPONSE, dummy="uniform"), 10, 2), views(COUNTED, 2, 1)],
        [{"likelihood": OF_TABLE}, {"first": ["2", "0"], "second": ["1", "1"]}],
        "223748663/2147483648",
    ),
}
"""Runs of users who may be away, pairs of them, and what these are shown to differ by at e^eps = 3/2."""


def refuted_together(name: str, share: Fraction = Fraction(999999, 10**6)) -> Case:
    """Runs claimed to differ by a little less than they are shown to, or by another share of it."""
    runs, pairs, bound = AWAY_RUNS[name]
    claim = composed(*runs, exp_eps="3/2", delta=str(Fraction(bound) * share))
    return claim, REFUTED, lattice("33/32", 64, pairs=pairs)


def of_hidden_users(**changes: Any) -> Case:
    """Four symbols behind uniform dummies, and a test of them as of the family itself."""
    claim = shuffle(away("hidden", "1/2", FOUR, dummy="uniform"), 20, "5/4", "1/100")
    test = {key: value for key, value in likelihood(0, 0, "3/2", "1/8", -36)["likelihood"].items() if key != "pair"}
    return claim, REFUTED, {"likelihood": {**test, "others": "third", **changes}}


def of_an_event(delta: str = "7/200", user_class: str = "any", **changes: Any) -> Case:
    """Two classes, and an event of the messages 0 of all users."""
    claim = classes((RESPONSE, 7), (LEANING, 5), exp_eps="3/2", delta=delta, user_class=user_class)
    beside = {"first": "0", "second": "1", "others": [["6", "1"], ["2", "2"]], "user_class": "1"}
    test = {**beside, "scores": ["1", "0"], "threshold": "9", "bits": "64"}
    return claim, REFUTED, {"event": {**test, **changes}}


def named(own: int, first: int, second: int, others: list[str], scores: str, threshold: int, cuts: str) -> Any:
    """An event of classes that run families of one name."""
    fields = {"user_class": str(own), "first": str(first), "second": str(second), "cuts": cuts.split()}
    counts = {"others": [each.split() for each in others], "scores": scores.split()}
    return {"event": {**fields, **counts, "threshold": str(threshold), "bits": "64"}}


NAMED: dict[str, tuple[Any, Any, str]] = {
    "of_symbols": (
        classes((FOUR, 3), ({**FOUR, "exp_eps0": "3"}, 1), exp_eps="3/2", delta="0", user_class="0"),
        named(0, 0, 1, ["0 0 2", "0 0 1"], "0 0 0 9 0 -9 0 -2", 3, ""),
        "1149168504917371555/4611686018427387904",
    ),
    "of_two_symbols": (
        classes((BIT, 7), ({**BIT, "exp_eps0": "2"}, 5), exp_eps="3/2", delta="0", user_class="1"),
        named(1, 1, 0, ["0 7", "4 0"], "0 -7 1 0", -4, ""),
        "1741626418397183/576460752303423488",
    ),
    "of_bits": (
        classes(
            ({**BITS, "inputs": "4"}, 2),
            ({**BITS, "inputs": "4", "other": "1/3"}, 1),
            exp_eps="5/4",
            delta="0",
            user_class="0",
        ),
        named(0, 0, 1, ["0 0 1", "0 1 0"], "-1 -1 -1 -2 3 3 4 5 -3 -4 -4 -4 -1 -1 -1 -1", 1, "1"),
        "4337814735436604091/73786976294838206464",
    ),
    "of_mostly_ones": (
        classes(
            ({**BITS, "inputs": "4", "one": "99/100", "other": "4/5"}, 1),
            ({**BITS, "inputs": "4"}, 2),
            exp_eps="5/4",
            delta="0",
            user_class="0",
        ),
        named(0, 0, 1, ["0 0 0", "0 2 0"], "-2 -9 0 -2 3 9 1 3 -2 -9 0 -2 0 0 0 0", 1, "1"),
        "9246212687933005279/73786976294838206464",
    ),
    "of_columns": (
        classes((COLUMNS, 1), ({**COLUMNS, "exp_eps0": "20"}, 2), exp_eps="5/4", delta="0", user_class="1"),
        named(1, 0, 1, ["0 0 0 1 0 0 0", "0 0 1 0 0 0 0"], "-1 -2 9 9 -9 -9 0 0", 5, ""),
        "10948832792048696385/36893488147419103232",
    ),
    "of_subsets": (
        classes((SUBSETS, 1), ({**SUBSETS, "exp_eps0": "9"}, 1), exp_eps="5/4", delta="0", user_class="1"),
        named(1, 0, 1, ["0 0 1", "0 0 0"], "0 -5 4 9 -6 -9 0 -1", 3, ""),
        "33550714524365069247/73786976294838206464",
    ),
    "of_hashes": (
        classes((HASHES, 1), ({**HASHES, "exp_eps0": "8"}, 2), exp_eps="5/4", delta="0", user_class="1"),
        named(1, 0, 2, ["0 0 1", "1 0 0"], "-1 5 -1 5 -9 -1 -9 -1", 1, ""),
        "3987186870098679107/18446744073709551616",
    ),
    "of_hidden_symbols": (
        classes((away("hidden", "1/2", FOUR, dummy="uniform"), 3), (FOUR, 1), exp_eps="5/4", delta="0", user_class="0"),
        named(0, 0, 1, ["0 0 2", "0 0 1"], "0 0 0 5 0 -9 0 -1", 1, ""),
        "12205/131072",
    ),
}
"""Claims without their delta, events, and their bounds."""


def of_families(name: str, share: Fraction = Fraction(999999, 10**6), **changes: Any) -> Case:
    """One of these, with so large a part of its bound, and with changes in its event."""
    claim, witness, bound = NAMED[name]
    delta = str(Fraction(bound) * share)
    return {**claim, "delta": delta}, REFUTED, {"event": {**witness["event"], **changes}}


def curved(deltas: list[str], witness: Any) -> Any:
    return lattice("2", 40, curves=[{"deltas": deltas, "witness": witness}])


AWAY_LEVELS = {"levels": [blanket(*[("1/4", STEEP)] * 2)] * 2}
AWAY_COMPOSED: Case = (
    composed(AWAY_RUN, exp_eps="2", delta="67/1000"),
    PROVED,
    curved(["173823247589", "12960800010"], AWAY_LEVELS),
)

CORRECT: dict[str, Case] = {
    **{name: (claim, PROVED, witness) for name, (claim, witness) in CASES.items()},
    **{name: (claim, PROVED, CLOSED_BRACKET) for name, claim in CLOSED.items()},
    **{
        f"{name}_refuted": ({**claim, "delta": less_by_a_hair(claim["delta"])}, REFUTED, CLOSED_BRACKET)
        for name, claim in CLOSED.items()
        if claim["delta"] != "0"
    },
    "closed_all_n": ({**CLOSED["closed"], "scope": "all n from n"}, PROVED, CLOSED_BRACKET),
    "closed_eps": (shuffle(SEVEN, 5, eps="7/10", delta="1/400"), PROVED, {**CLOSED_BRACKET, "terms": "12"}),
    "closed_eps_refuted": (shuffle(SEVEN, 5, eps="7/10", delta="1/1000"), REFUTED, {**CLOSED_BRACKET, "terms": "12"}),
    "swap_of_equal_rows": (shuffle(ALIKE, 10**6, "1", "0"), PROVED, swap(plan("1", "1", 1, "2"), pairs=0)),
    "swap_of_no_positive_value": (
        shuffle(WEAK, 10**12, "2", "1/1000000000000"),
        PROVED,
        swap(plan("4096", "1", 20, "2"), bits=128),
    ),
    "swap_of_three_users": (shuffle(RESPONSE, 3, "2", "1/2"), PROVED, swap(plan("1/4", "1/2", 60, "1"), pairs=2)),
    "swap_of_two_plans": (
        shuffle(LAPLACE, 30, "3/2", "1/50"),
        PROVED,
        swap(plan("1/4", "1/2", 40, "2 8"), plan("1/5", "1/2", 40, "2 8"), pairs="0 1 0 1 1 0"),
    ),
    "swap_and_a_claim": (both(TABLES["unary"][0], TRUE), PROVED, {"parts": [TABLES["unary"][1], {}]}),
    "swap_under_not": (negation(TABLES["hashes"][0]), REFUTED, TABLES["hashes"][1]),
    "product_by_a_blanket": (shuffle(TWO_BITS, 10, "2", "4879167/31250000"), PROVED, blanket(*[("1/4", STEEP)] * 2)),
    "counted_family_by_a_blanket": (
        shuffle(COUNTED_FOUR, 20, "2", "208476101/50000000000"),
        PROVED,
        blanket(("1/4", STEEP)),
    ),
    "counted_by_a_blanket": (shuffle(COUNTED, 12, "3/2", "1131909/100000000"), PROVED, blanket(("1/4", STEEP))),
    "listed_by_a_blanket": (shuffle(LISTED, 12, "3/2", "104549693/2000000000"), PROVED, blanket(("1/4", STEEP))),
    "counted_over_all_data_sets": (shuffle(COUNTED, 3, "3/2", "3/32"), PROVED, {}),
    "counted_refuted_by_data_sets": (
        shuffle(COUNTED, 2, "3/2", "1/16"),
        REFUTED,
        {"first": ["2", "0"], "second": ["1", "1"]},
    ),
    "by_two_messages": (AT_20, PROVED, {"two_messages": {}}),
    "by_two_messages_eps": (AT_HALF, PROVED, {"two_messages": {}, "terms": "12"}),
    "by_two_messages_all_n": ({**AT_20, "scope": "all n from n"}, PROVED, {"two_messages": {}}),
    "by_two_messages_hidden": (
        shuffle(away("hidden", "1/2", RESPONSE, dummy="uniform"), 300, "11/10", "1/1000"),
        PROVED,
        {"two_messages": {}},
    ),
    "by_two_messages_refuted": (
        {**AT_20, "delta": less(AT_20["delta"])},
        REFUTED,
        {"two_messages": event(1, 19, 15)},
    ),
    "by_two_messages_refuted_eps": (
        {**AT_HALF, "delta": "1/50"},
        REFUTED,
        {"two_messages": event(1, 9, 8), "terms": "12"},
    ),
    **{f"{name}_refuted": refuted(name) for name in SHARP},
    "product_of_a_family_and_a_table_refuted": refuted("product_of_a_family_and_a_table", "4/125"),
    "product_refuted_all_n": ({**refuted("product")[0], "scope": "all n from n"}, *refuted("product")[1:]),
    "product_refuted_eps": (
        shuffle(TWO_BITS, 10, eps="7/10", delta="7/100"),
        REFUTED,
        {**SHARP["product"][1], "terms": "12"},
    ),
    "any_not": (negation(refuted("any")[0]), PROVED, refuted("any")[2]),
    "classes_and_a_claim_refuted": (
        both(CLASSES["classes_together"][0], refuted("listed")[0]),
        REFUTED,
        {"part": "1", "witness": refuted("listed")[2]},
    ),
    "hidden_family_refuted": of_hidden_users(),
    "classes_refuted": of_an_event(),
    "classes_refuted_of_one": of_an_event(user_class="1"),
    **{f"classes_{name}_refuted": of_families(name) for name in NAMED},
    "composed_of_swaps": (COMPOSED, PROVED, curved(DELTAS, LEVELS)),
    "composed_of_all_and_two_messages_and_a_swap": (
        composed(views(RESPONSE, 8, 2), delta="1/2"),
        PROVED,
        curved(["274877906944", "36719000000", "9895604649"], MIXED_LEVELS),
    ),
    "composed_refuted_by_a_pair": (FALSE_RUN, REFUTED, lattice("33/32", 56, pairs=[PAIR_TEST])),
    "composed_of_products_away": AWAY_COMPOSED,
    **{f"composed_{name}_refuted": refuted_together(name) for name in AWAY_RUNS},
}


def with_plan(case: str, **changes: Any) -> Any:
    """The witness of a case, of one plan, with other fields of it."""
    ((name, fields),) = ((key, value) for key, value in CASES[case][1].items() if key == "swap")
    terms = {key: value for key, value in CASES[case][1].items() if key != "swap"}
    return {name: {**fields, "plans": [{**fields["plans"][0], **changes}]}, **terms}


def changed(case: str, **changes: Any) -> Case:
    """A case with other fields of its claim."""
    claim, witness = CASES[case]
    return {**claim, **changes}, PROVED, witness


def of_classes(case: str, *of: tuple[Any, int], **changes: Any) -> Case:
    """A case with other classes of users."""
    claim, witness = CLASSES[case]
    listed = [{"randomizer": table, "n": str(n)} for table, n in of]
    return {**claim, "classes": listed, **changes}, PROVED, witness


WRONG: dict[str, Case] = {
    **{f"{name}_delta_less_by_a_hair": changed(name, delta=less_by_a_hair(CASES[name][0]["delta"])) for name in CASES},
    **{f"{name}_at_the_bound": refuted(name, bound) for name, (_, _, bound) in SHARP.items()},
    "hidden_by_many_fair_bits_what_only_he_sends": refuted("hidden_by_many_fair_bits_beside_zeros", "1/4"),
    "hidden_by_many_fair_bits_one_more": refuted(
        "hidden_by_many_fair_bits", str(Fraction(SHARP["hidden_by_many_fair_bits"][2])), threshold="-3"
    ),
    **{f"classes_{name}_at_the_bound": of_families(name, Fraction(1)) for name in NAMED},
    "classes_of_bits_cut_elsewhere": of_families("of_bits", cuts=["2"]),
    "classes_of_bits_who_hold_another_input": of_families("of_bits", others=[["0", "1", "0"], ["0", "1", "0"]]),
    "classes_of_columns_that_are_no_inputs": of_families("of_columns", others=[list("0000010"), list("0010000")]),
    "classes_of_bits_of_others_too_many": of_families("of_bits", others=[["0", "0", "2"], ["0", "1", "0"]]),
    **{f"{name}_at_the_bound": (claim, REFUTED, CLOSED_BRACKET) for name, claim in CLOSED.items()},
    **{
        f"{name}_delta_less": ({**claim, "delta": less_by_a_hair(claim["delta"])}, PROVED, CLOSED_BRACKET)
        for name, claim in CLOSED.items()
        if claim["delta"] != "0"
    },
    "closed_where_it_is_open": (shuffle(FOUR, 10, "2", "1"), PROVED, CLOSED_BRACKET),
    "closed_where_it_is_open_refuted": (shuffle(FOUR, 10, "2", "0"), REFUTED, CLOSED_BRACKET),
    "swap_two_users_less": changed("swap_table", n="58"),
    "swap_with_an_own_slot_two_users_less": changed("swap_table_with_an_own_slot", n="59"),
    "swap_with_an_own_slot_of_many_users_two_less": changed("swap_k_ary_among_many_with_an_own_slot", n="65534"),
    "swap_with_an_own_slot_for_none": (
        {**TABLES["k_ary_with_an_own_slot"][0], "n": "11"},
        PROVED,
        swap(plan("3/8", "1/2", 60, "1 3 7")),
    ),
    "swap_of_many_users_of_fewer": changed("swap_table_of_many_users", n="999000"),
    "swap_exp_eps_less": changed("swap_k_ary", exp_eps="1999999/1000000"),
    "swap_exp_eps0_more": changed("swap_k_ary", randomizer={**FOUR, "exp_eps0": "5000001/1000000"}),
    "swap_one_input_less": changed("swap_k_ary", randomizer={**FOUR, "inputs": "3"}),
    "swap_all_n_from_two_less": changed("swap_k_ary_all_n", n="62"),
    "swap_one_more": changed("swap_unary", randomizer={**BITS, "one": "600001/1000000"}),
    "swap_ratio_less": changed("swap_laplace", randomizer={**LAPLACE, "ratio": "499999/1000000"}),
    "swap_of_fewer_pairs": (TABLES["laplace"][0], PROVED, swap(plan("1/4", "1/2", 40, "2 8"), pairs=5)),
    "swap_of_more_pairs": (TABLES["laplace"][0], PROVED, swap(plan("1/4", "1/2", 40, "2 8"), pairs=7)),
    "swap_of_no_pairs": (TABLES["k_ary"][0], PROVED, swap(plan("3/8", "1/2", 60, "2 6"), pairs=0)),
    "swap_a_pair_of_equal_rows": (shuffle(ALIKE, 6, "1", "0"), PROVED, swap(plan("1", "1", 1, "2"))),
    "swap_another_plan_for_one_pair": (
        TABLES["laplace"][0],
        PROVED,
        swap(plan("1/4", "1/2", 40, "2 8"), plan("4", "1/2", 40, "2 8"), pairs="0 0 0 0 0 1"),
    ),
    "swap_tilt_twice": (TABLES["k_ary"][0], PROVED, with_plan("swap_k_ary", tilt="3/4")),
    "swap_smoothing_too_large": (TABLES["k_ary"][0], PROVED, with_plan("swap_k_ary", smoothing="2")),
    "swap_step_too_coarse": (TABLES["k_ary"][0], PROVED, with_plan("swap_k_ary", step="3")),
    "swap_nodes_too_few": (TABLES["k_ary"][0], PROVED, with_plan("swap_k_ary", nodes="5")),
    "swap_stages_too_few": (TABLES["k_ary"][0], PROVED, with_plan("swap_k_ary", stages=["2"])),
    "swap_stages_too_late": (TABLES["k_ary"][0], PROVED, with_plan("swap_k_ary", stages=["6", "8"])),
    "swap_terms_too_few": (TABLES["k_ary_eps"][0], PROVED, {**TABLES["k_ary_eps"][1], "terms": "2"}),
    "swap_moment_too_large": (
        shuffle(RESPONSE, 10**6, "2", "1/2"),
        PROVED,
        swap(plan("4", "1/2", 40, "2"), pairs=2),
    ),
    "swap_under_not": (negation(changed("swap_hashes", delta="1/10000")[0]), REFUTED, TABLES["hashes"][1]),
    "any_exp_eps0_more": changed("any", randomizer=any_of("3000001/1000000")),
    "any_of_a_false_claim": changed("any", delta="1/20"),
    "any_two_pairs": (CASES["any"][0], PROVED, swap(plan("1/2", "1/2", 60, "2 4 6"), pairs=2)),
    "product_of_one_factor_more": changed("product_of_one", randomizer=product(FOUR, EITHER, BIT)),
    "product_factors_exchanged": changed("product_of_equal_factors", randomizer=product(RESPONSE, LEANING)),
    "product_a_factor_of_more": changed(
        "product_of_families", randomizer=product({**BIT, "exp_eps0": "3000001/1000000"}, PAIR)
    ),
    "product_pairs_in_every_order": (
        CASES["product_of_equal_factors"][0],
        PROVED,
        swap(plan("5/16", "1/4", 150, "2 4 6 8"), pairs=12),
    ),
    "counted_who_is_more_often_there": changed("counted", randomizer={**COUNTED, "probability": "500001/1000000"}),
    "counted_that_is_listed": changed("counted", randomizer=LISTED),
    "counted_family_that_is_listed": changed("counted_family", randomizer={**COUNTED_FOUR, "absence": "listed"}),
    "counted_over_all_data_sets": (shuffle(COUNTED, 3, "3/2", "1/100"), PROVED, {}),
    "counted_refuted_at_delta": (
        shuffle(COUNTED, 3, "3/2", "3/32"),
        REFUTED,
        {"first": ["3", "0"], "second": ["2", "1"]},
    ),
    "listed_who_is_more_often_there": changed("listed_zeros", randomizer=away("listed", "500001/1000000", ZEROS)),
    "hidden_by_another_dummy": changed(
        "hidden_zeros", randomizer=away("hidden", "2/3", ZEROS, dummy=["1/4", "0", "3/4"])
    ),
    "hidden_by_an_input_at_another": changed(
        "hidden_by_an_input", randomizer=away("hidden", "2/3", FOUR, dummy="uniform")
    ),
    "hidden_product_of_other_dummies": changed(
        "hidden_product_of_two_dummies",
        randomizer=away("hidden", "2/3", product(BIT, BIT), dummy=[{"input": "0"}] * 2),
    ),
    "hidden_by_bits_of_more": changed(
        "hidden_by_many_fair_bits",
        randomizer=away("hidden", "3/4", {**MORE_BITS, "one": "601/1000"}, dummy="uniform"),
    ),
    "hidden_by_an_input_refuted_beside_another_row": refuted("hidden_by_an_input", others="0"),
    "hidden_by_less": changed("hidden_family", randomizer=away("hidden", "500001/1000000", COLUMNS, dummy="uniform")),
    "classes_event_of_more": of_an_event("9/250"),
    "classes_event_of_the_other_message": of_an_event(scores=["0", "1"]),
    "classes_event_of_a_user_less": of_an_event(others=[["6", "1"], ["2", "1"]]),
    "classes_two_users_less": of_classes("classes_together", (RESPONSE, 7), (LEANING, 3)),
    "classes_other_shares": of_classes("classes_together", (RESPONSE, 5), (LEANING, 7)),
    "classes_of_a_product_two_users_less": of_classes("classes_of_a_product", (RESPONSE, 4), (TWO_BITS, 7)),
    "classes_of_a_product_of_other_answers": of_classes(
        "classes_of_a_product", (RESPONSE, 4), (product(RESPONSE, LEANING), 9)
    ),
    "classes_hidden_by_less": of_classes(
        "classes_hidden_by_an_input", ({**HIDDEN_FOUR, "probability": "3/4"}, 20), (COUNTED, 4)
    ),
    "classes_of_fewer_others": of_classes("classes_beside_another", (RESPONSE, 1), (LEANING, 7)),
    "classes_of_any_user": (
        {**CLASSES["classes_together"][0], "delta": "53/500"},
        PROVED,
        swap(plan("3/8", "1/2", 60, "2 4 8"), pairs=4, used="0 1,0"),
    ),
    "classes_with_pairs_of_one": (
        CLASSES["classes_together"][0],
        PROVED,
        swap(plan("3/8", "1/2", 60, "2 4 8"), pairs=2, used="0 1,0 1"),
    ),
    "two_messages_delta_less": ({**AT_20, "delta": less(AT_20["delta"])}, PROVED, {"two_messages": {}}),
    "two_messages_refuted_at_delta": (AT_20, REFUTED, {"two_messages": event(1, 19, 15)}),
    "two_messages_refuted_by_another_event": (
        {**AT_20, "delta": less(AT_20["delta"])},
        REFUTED,
        {"two_messages": event(1, 19, 14)},
    ),
    "any_refuted_beside_another_row": refuted("any", others="2"),
    "product_refuted_by_another_pair": refuted("product", pair="1"),
    "product_refuted_in_the_other_order": refuted("product_of_zeros", pair="40"),
    "listed_refuted_who_is_more_often_there": (
        {**refuted("listed")[0], "randomizer": away("listed", "501/1000", RESPONSE)},
        *refuted("listed")[1:],
    ),
    "composed_level_too_low": (COMPOSED, PROVED, curved([DELTAS[0], "108000000000", *DELTAS[2:]], LEVELS)),
    "composed_level_too_many_pairs": (
        COMPOSED,
        PROVED,
        curved(DELTAS, {"levels": [swap(LEVEL_PLANS[0], pairs=8, bits=64), *LEVELS["levels"][1:]]}),
    ),
    "composed_of_products_away_more_often": (
        {**AWAY_COMPOSED[0], "runs": [views(away("counted", "13/25", TWO_BITS), 20, 2)]},
        *AWAY_COMPOSED[1:],
    ),
    **{f"composed_{name}_beyond_the_bound": refuted_together(name, Fraction(101, 100)) for name in AWAY_RUNS},
    "composed_refuted_at_more": (
        {**FALSE_RUN, "delta": "1/4"},
        REFUTED,
        lattice("33/32", 56, pairs=[PAIR_TEST]),
    ),
}

GOOD, WITNESS = CASES["swap_k_ary"]
LONG = f"1/{hex(2**4096)}"


def of(randomizer_or_family: Any, **changes: str) -> Case:
    return shuffle(randomizer_or_family, 10, "2", "1", **changes), PROVED, WITNESS


def witness(**changes: Any) -> Case:
    """Of the swap, and else of its plan."""
    fields = {**WITNESS["swap"], **{key: value for key, value in changes.items() if key in WITNESS["swap"]}}
    planned = {key: value for key, value in changes.items() if key not in fields}
    if planned:
        fields["plans"] = [{**fields["plans"][0], **planned}]
    return GOOD, PROVED, {"swap": fields}


def used(*listed: str, **changes: Any) -> Case:
    claim, good = CLASSES["classes_together"]
    return {**claim, **changes}, PROVED, {"swap": {**good["swap"], "used": [places.split() for places in listed]}}


def in_classes(*of: tuple[Any, int], used: str = "0", **changes: Any) -> Case:
    claim = classes(*of, exp_eps="2", delta="1", user_class="0")
    return {**claim, **changes}, PROVED, swap(plan("3/8", "1/2", 60, "2"), used=used)


def tested(name: str, **changes: Any) -> Case:
    return refuted(name, "0", **changes)


NO_CLAIM: dict[str, Case] = {
    # swaps
    "swap_refutes": (GOOD, REFUTED, WITNESS),
    "swap_beside_data_sets": (GOOD, PROVED, {**WITNESS, **WORKED}),
    "swap_and_a_blanket": (GOOD, PROVED, {**WITNESS, **blanket(("1/4", STEEP))}),
    "swap_of_added_users": (shuffle(RESPONSE, 10, "2", "1", neighbors="add-or-remove-one"), PROVED, WITNESS),
    "swap_with_least": (shuffle(RESPONSE, 10, "2", "1", least="delta"), PROVED, WITNESS),
    "swap_of_noise": (shift(binomial(5, "1/2"), delta="1"), PROVED, WITNESS),
    "swap_never_dp": (never(RESPONSE, 1, "1"), PROVED, WITNESS),
    "swap_of_a_table_of_too_many_users": (shuffle(RESPONSE, 10**6 + 1, "2", "1"), PROVED, WITNESS),
    "swap_without_terms": (TABLES["k_ary_eps"][0], PROVED, WITNESS),
    "swap_terms_with_exp_eps": (GOOD, PROVED, {**WITNESS, "terms": "12"}),
    "swap_a_list": (GOOD, PROVED, {"swap": []}),
    "swap_without_bits": (GOOD, PROVED, {"swap": without("bits", WITNESS["swap"])}),
    "swap_with_a_delta": (GOOD, PROVED, {"swap": {**WITNESS["swap"], "delta": "1"}}),
    "swap_with_classes_that_are_used": (GOOD, PROVED, {"swap": {**WITNESS["swap"], "used": [["0"]]}}),
    "swap_bits_63": witness(bits="63"),
    "swap_bits_4097": witness(bits="4097"),
    "swap_without_plans": witness(plans=[]),
    "swap_plans_not_a_list": witness(plans=WITNESS["swap"]["plans"][0]),
    "swap_pairs_not_a_list": witness(pairs="0"),
    "swap_a_place_beyond_the_plans": witness(pairs=["1"]),
    "swap_a_place_below_0": witness(pairs=["-1"]),
    "swap_a_plan_without_nodes": witness(plans=[without("nodes", WITNESS["swap"]["plans"][0])]),
    "swap_a_plan_with_bits": witness(cut="64"),
    "swap_tilt_0": witness(tilt="0"),
    "swap_tilt_negative": witness(tilt="-3/8"),
    "swap_tilt_too_long": witness(tilt=LONG),
    "swap_smoothing_0": witness(smoothing="0"),
    "swap_smoothing_too_long": witness(smoothing=LONG),
    "swap_step_0": witness(step="0"),
    "swap_step_too_long": witness(step=LONG),
    "swap_own_stages_none": (GOOD, PROVED, swap(own("3/8", "1/2", 60, ""))),
    "swap_own_stages_beside_stages": witness(own_stages=["1"]),
    "swap_own_stages_that_leave_an_odd_number": (GOOD, PROVED, swap(own("3/8", "1/2", 60, "2"))),
    "swap_own_stages_that_leave_nobody": (GOOD, PROVED, swap(own("3/8", "1/2", 60, "1 11"))),
    "swap_own_stages_of_no_blanket": (
        shuffle(COMPLEMENT_LOCAL, 10, "2", "1"),
        PROVED,
        swap(own("3/8", "1/2", 60, "1"), pairs=2),
    ),
    "swap_own_stages_beside_several_classes": (
        CLASSES["classes_together"][0],
        PROVED,
        swap(own("3/8", "1/2", 60, "1 3"), pairs=4, used="0 1,0 1"),
    ),
    "closed_of_two_symbols": (shuffle(BIT, 5, "2", "1"), PROVED, CLOSED_BRACKET),
    "closed_of_bits": (shuffle(BITS, 5, "2", "1"), PROVED, CLOSED_BRACKET),
    "closed_of_any": (shuffle(any_of("7"), 5, "2", "1"), PROVED, CLOSED_BRACKET),
    "closed_of_a_table": (shuffle(ZEROS, 5, "2", "1"), PROVED, CLOSED_BRACKET),
    "closed_of_counted_users": (shuffle(COUNTED_FOUR, 5, "2", "0"), REFUTED, CLOSED_BRACKET),
    "closed_of_classes": (CLASSES["classes_of_a_family"][0], PROVED, CLOSED_BRACKET),
    "closed_with_a_field": (CLOSED["closed"], PROVED, {"closed_bracket": {"bits": "64"}}),
    "closed_beside_a_swap": (CLOSED["closed"], PROVED, {**CLOSED_BRACKET, **swap(plan("3/8", "1/2", 60, "2"))}),
    "closed_without_terms": (shuffle(SEVEN, 5, eps="7/10", delta="1"), PROVED, CLOSED_BRACKET),
    "swap_no_nodes": witness(nodes="0"),
    "swap_too_many_nodes": witness(nodes=str(2**14 + 1)),
    "swap_nodes_a_fraction": witness(nodes="5/2"),
    "swap_of_any_without_stages": (
        shuffle(any_of("3"), 8, "3/2", "1"),
        PROVED,
        swap(plan("3/8", "1/2", 60, "")),
    ),
    "swap_of_one_user_without_stages": (shuffle(FOUR, 1, "2", "1"), PROVED, swap(plan("3/8", "1/2", 60, ""))),
    "swap_too_many_stages": witness(stages=[str(2 * t) for t in range(1, 1002)]),
    "swap_a_stage_0": witness(stages=["0", "2"]),
    "swap_a_stage_twice": witness(stages=["2", "2"]),
    "swap_stages_that_fall": witness(stages=["6", "2"]),
    "swap_a_stage_that_leaves_an_odd_number": witness(stages=["2", "3"]),
    "swap_a_stage_that_leaves_nobody": witness(stages=["2", "10"]),
    "swap_a_stage_beyond_all_users": witness(stages=["2", "12"]),
    "swap_of_two_users": (shuffle(FOUR, 2, "2", "1"), PROVED, witness(stages=["1"])[2]),
    "limit_phase": (shuffle(FOUR, 10, "2", "0"), PROVED, witness(step=str(2**30))[2]),
    "limit_exponential_of_a_value": witness(tilt=str(2**20)),
    # families
    "any_without_exp_eps0": of({"family": "any"}),
    "any_with_inputs": of({**any_of("2"), "inputs": "3"}),
    "any_exp_eps0_one": of(any_of("1")),
    "any_exp_eps0_too_long": of(any_of(hex(2**4096))),
    "any_by_a_blanket": (shuffle(any_of("3"), 8, "2", "1"), PROVED, blanket(("1/4", STEEP))),
    "any_over_all_data_sets": (shuffle(any_of("3"), 2, "2", "1"), PROVED, {}),
    "any_refuted_by_data_sets": (shuffle(any_of("3"), 2, "2", "0"), REFUTED, WORKED),
    "any_least_delta": of(any_of("3"), least="delta"),
    "any_of_too_many_users": (shuffle(any_of("3"), 10**12 + 1, "2", "1"), PROVED, WITNESS),
    "any_never_dp": (never(any_of("3"), 1, "1"), PROVED, WORKED),
    "product_without_factors": of({"family": "product"}),
    "product_of_nothing": of(product()),
    "product_of_65": of(product(*[EITHER] * 65)),
    "product_of_a_family_alone": of({"family": "product", "of": FOUR}),
    "product_with_a_number": of({**product(FOUR), "n": "2"}),
    "product_of_a_product": of(product(RESPONSE, product(FOUR))),
    "product_of_any": of(product(any_of("3"))),
    "product_of_who_is_away": of(product(COUNTED)),
    "product_of_an_unknown_family": of(product(family("rappor", inputs=4))),
    "product_of_noise": of(product(family("geometric", p="1/2"))),
    "product_least_exp_eps": of(TWO_BITS, least="exp_eps"),
    "product_of_added_users": of(TWO_BITS, neighbors="add-or-remove-one"),
    "product_by_two_messages": (shuffle(product(RESPONSE), 10, "2", "1"), PROVED, {"two_messages": {}}),
    "participation_without_absence": of(without("absence", COUNTED)),
    "participation_of_an_unknown_absence": of({**COUNTED, "absence": "seen"}),
    "participation_without_probability": of(without("probability", COUNTED)),
    "participation_of_nothing": of(without("of", COUNTED)),
    "participation_never": of({**COUNTED, "probability": "0"}),
    "participation_always": of({**LISTED, "probability": "1"}),
    "participation_probability_too_long": of({**LISTED, "probability": LONG}),
    "participation_counted_with_a_dummy": of({**COUNTED, "dummy": "uniform"}),
    "participation_hidden_without_a_dummy": of(away("hidden", "1/2", RESPONSE)),
    "participation_of_any": of(away("listed", "1/2", any_of("3"))),
    "participation_of_participation": of(away("listed", "1/2", COUNTED)),
    "participation_counted_of_a_listed_family": of(away("counted", "1/2", away("listed", "1/2", FOUR))),
    "participation_hidden_product_by_one_word": of(away("hidden", "1/2", TWO_BITS, dummy="uniform")),
    "participation_hidden_product_by_one_dummy": of(away("hidden", "1/2", TWO_BITS, dummy=["uniform"])),
    "participation_hidden_product_of_bundles": of(away("hidden", "1/2", product(THREE, BIT), dummy=["uniform"] * 2)),
    "participation_hidden_several_messages": of(away("hidden", "1/2", THREE, dummy="uniform")),
    "participation_dummy_of_no_input": of(away("hidden", "1/2", FOUR, dummy={"input": "4"})),
    "participation_dummy_of_an_input_below_0": of(away("hidden", "1/2", FOUR, dummy={"input": "-1"})),
    "participation_dummy_of_an_input_and_more": of(away("hidden", "1/2", FOUR, dummy={"input": "1", "prob": "1"})),
    "participation_dummy_of_an_input_of_a_table": of(away("hidden", "1/2", RESPONSE, dummy={"input": "1"})),
    "participation_dummy_of_an_input_by_a_number": of(away("hidden", "1/2", FOUR, dummy=["1"])),
    "participation_hidden_by_a_list_of_a_family": of(away("hidden", "1/2", FOUR, dummy=["1/4"] * 4)),
    "participation_dummy_of_fewer_messages": of(away("hidden", "1/2", RESPONSE, dummy=["1"])),
    "participation_dummy_of_less_than_1": of(away("hidden", "1/2", RESPONSE, dummy=["1/2", "1/3"])),
    "participation_dummy_negative": of(away("hidden", "1/2", RESPONSE, dummy=["3/2", "-1/2"])),
    "participation_dummy_another_word": of(away("hidden", "1/2", RESPONSE, dummy="geometric")),
    "participation_least_delta": of(COUNTED, least="delta"),
    "participation_of_too_many_users": (shuffle(COUNTED, 10**12 + 1, "2", "1"), PROVED, WITNESS),
    "participation_in_a_run_added": (
        composed({**views(COUNTED, 10, 2), "neighbors": "add-or-remove-one"}),
        PROVED,
        curved(["0"], {"levels": [WITNESS]}),
    ),
    # classes of users
    "classes_none": in_classes(),
    "classes_65": in_classes(*[(RESPONSE, 2)] * 65),
    "classes_without_users": in_classes(user_class="0", classes=[{"randomizer": RESPONSE}]),
    "classes_of_nobody": in_classes((RESPONSE, 0)),
    "classes_of_too_many_users": in_classes((RESPONSE, 10**12 + 1)),
    "classes_of_any": in_classes((any_of("3"), 10)),
    "classes_that_are_listed": in_classes((LISTED, 10)),
    "classes_user_class_unknown": in_classes((RESPONSE, 10), user_class="1"),
    "classes_without_user_class": (without("user_class", in_classes((RESPONSE, 10))[0]), PROVED, WITNESS),
    "classes_with_a_scope": in_classes((RESPONSE, 10), scope="this n"),
    "classes_beside_a_randomizer": in_classes((RESPONSE, 10), randomizer=RESPONSE),
    "classes_of_added_users": in_classes((RESPONSE, 10), neighbors="add-or-remove-one"),
    "classes_least_delta": in_classes((RESPONSE, 10), least="delta"),
    "hidden_family_by_the_place_of_a_pair": of_hidden_users(pair="0", others="2"),
    "hidden_bits_that_tell_all_by_a_likelihood": (
        {**refuted("hidden_by_fair_bits", "0")[0], "randomizer": away("hidden", "1/2", MOST_BITS, dummy="uniform")},
        *refuted("hidden_by_fair_bits", "0")[1:],
    ),
    "hidden_by_an_input_of_hadamard_by_a_likelihood": (
        {**refuted("hidden_by_an_input", "0")[0], "randomizer": away("hidden", "1/2", COLUMNS, dummy={"input": "4"})},
        *refuted("hidden_by_an_input", "0")[1:],
    ),
    "classes_event_of_another_class": of_an_event(user_class="0"),
    "classes_event_of_one_class": of_an_event(others=[["6", "1"]]),
    "classes_event_without_a_class": (
        of_an_event()[0],
        REFUTED,
        {"event": without("user_class", of_an_event()[2]["event"])},
    ),
    "classes_event_of_families_without_cuts": (
        of_families("of_symbols")[0],
        REFUTED,
        {"event": without("cuts", NAMED["of_symbols"][1]["event"])},
    ),
    "classes_event_of_symbols_with_cuts": of_families("of_symbols", cuts=["1"], scores=["0"] * 16),
    "classes_event_of_tables_with_cuts": of_an_event(cuts=[]),
    "classes_event_of_falling_cuts": of_families("of_bits", cuts=["4", "2"], scores=["0"] * 24),
    "classes_event_of_a_cut_twice": of_families("of_bits", cuts=["4", "4"], scores=["0"] * 24),
    "classes_event_of_a_cut_at_0": of_families("of_bits", cuts=["0", "4"], scores=["0"] * 24),
    "classes_event_of_too_many_cuts": of_families(
        "of_bits", cuts=[str(cut) for cut in range(1, 66)], scores=["0"] * 528
    ),
    "classes_event_of_a_fourth_input": of_families("of_symbols", first="3"),
    "classes_event_of_fewer_scores": of_families("of_symbols", scores=["0"] * 7),
    "classes_event_of_different_families": (
        {**of_families("of_symbols")[0], "classes": [{"randomizer": of, "n": "6"} for of in (FOUR, COLUMNS)]},
        *of_families("of_symbols")[1:],
    ),
    "classes_event_of_other_inputs": (
        {**of_families("of_symbols")[0], "classes": [{"randomizer": of, "n": "6"} for of in (FOUR, SIXTEEN)]},
        *of_families("of_symbols")[1:],
    ),
    "classes_event_of_a_counted_family": (
        {**of_families("of_symbols")[0], "classes": [{"randomizer": of, "n": "6"} for of in (FOUR, COUNTED_FOUR)]},
        *of_families("of_symbols")[1:],
    ),
    "classes_event_of_a_product": (
        {**of_families("of_symbols")[0], "classes": [{"randomizer": of, "n": "6"} for of in (FOUR, product(FOUR))]},
        *of_families("of_symbols")[1:],
    ),
    "classes_event_of_too_many_bits_with_cuts": (
        {
            **of_families("of_bits")[0],
            "classes": [
                {"randomizer": {**BITS, "inputs": "16388"}, "n": "7"},
                {"randomizer": {**BITS, "inputs": "16388"}, "n": "6"},
            ],
        },
        *of_families("of_bits")[1:],
    ),
    "classes_event_of_a_family": ({**CLASSES["classes_of_a_family"][0], "delta": "0"}, *of_an_event()[1:]),
    "listed_bundles_by_a_likelihood": (
        {**refuted("listed", "0")[0], "randomizer": away("listed", "1/2", THREE)},
        *refuted("listed", "0")[1:],
    ),
    "classes_over_all_data_sets": (in_classes((RESPONSE, 3))[0], PROVED, {}),
    "classes_by_a_blanket": (in_classes((RESPONSE, 3))[0], PROVED, blanket(("1/4", STEEP))),
    "classes_by_two_messages": (in_classes((RESPONSE, 3))[0], PROVED, {"two_messages": {}}),
    "classes_refuted_by_data_sets": ({**in_classes((RESPONSE, 2))[0], "delta": "0"}, REFUTED, WORKED),
    "classes_refuted_by_a_test": ({**in_classes((RESPONSE, 12))[0], "delta": "0"}, *tested("listed")[1:]),
    "classes_refuted_by_two_messages": (
        {**in_classes((RESPONSE, 12))[0], "delta": "0"},
        REFUTED,
        {"two_messages": event(1, 1, 1)},
    ),
    "classes_that_are_used_not_said": (CLASSES["classes_together"][0], PROVED, WITNESS),
    "classes_that_are_used_of_one": used("0 1"),
    "classes_that_are_used_of_three": used("0 1", "0 1", "0"),
    "classes_that_are_used_none": used("0 1", ""),
    "classes_that_are_used_twice": used("0 1", "0 0"),
    "classes_that_are_used_falling": used("0 1", "1 0"),
    "classes_that_are_used_below_0": used("0 1", "-1 0"),
    "classes_that_are_used_beyond_all": used("0 1", "0 2"),
    "classes_that_are_used_families": in_classes((RESPONSE, 5), (FOUR, 5), used="0 1"),
    "classes_that_are_used_a_product": in_classes((RESPONSE, 5), (TWO_BITS, 5), used="0 1"),
    "classes_that_are_used_of_other_messages": in_classes((RESPONSE, 5), (ZEROS, 5), used="0 1"),
    "classes_beside_a_table_of_other_messages": in_classes((RESPONSE, 5), (ZEROS, 5), used="1"),
    "classes_that_are_used_of_a_family_of_one": in_classes((FOUR, 1), (RESPONSE, 5), used="1"),
    "classes_of_one_user_alone": in_classes((RESPONSE, 1), (RESPONSE, 5), used="0"),
    # two messages
    "two_messages_of_three": (shuffle(ZEROS, 10, "2", "1"), PROVED, {"two_messages": {}}),
    "two_messages_of_none": (shuffle(COUNTED, 10, "2", "1"), PROVED, {"two_messages": {}}),
    "two_messages_of_a_family": (GOOD, PROVED, {"two_messages": {}}),
    "two_messages_refute_a_family": (GOOD, REFUTED, {"two_messages": event(1, 1, 1)}),
    "two_messages_of_added_users": (
        shuffle(RESPONSE, 10, "2", "1", neighbors="add-or-remove-one"),
        PROVED,
        {"two_messages": {}},
    ),
    "two_messages_with_least": (shuffle(delta="3/16", least="delta"), PROVED, {"two_messages": {}}),
    "two_messages_a_list": (AT_20, PROVED, {"two_messages": []}),
    "two_messages_with_an_event": (AT_20, PROVED, {"two_messages": event(1, 19, 15)}),
    "two_messages_refuted_without_an_event": (AT_20, REFUTED, {"two_messages": {}}),
    "two_messages_beside_data_sets": (AT_20, PROVED, {"two_messages": {}, **WORKED}),
    "two_messages_without_terms": (AT_HALF, PROVED, {"two_messages": {}}),
    "two_messages_of_a_claim_of_its_own": (
        {"kind": "two_message_dp", "randomizer": RESPONSE, "n": "2", "scope": "this n", "exp_eps": "2", "delta": "1"},
        PROVED,
        {"two_messages": {}},
    ),
    # likelihood tests
    "likelihood_without_a_pair": tested("product", pair=None),
    "likelihood_of_a_pair_beyond_all": tested("product", pair="7"),
    "likelihood_of_a_pair_below_0": tested("product", pair="-1"),
    "likelihood_of_a_row_beyond_all": tested("product", others="9"),
    "likelihood_of_a_second_pair_of_any": tested("any", pair="1"),
    "likelihood_of_others_in_a_word": tested("any", others="third"),
    "likelihood_of_inputs_of_a_product": tested("product", pair=None, first="0", second="1"),
    "likelihood_of_a_pair_of_a_family": (
        both(CASES["any"][0], {**GOOD, "delta": "0"}),
        REFUTED,
        {"part": "1", "witness": tested("any", others="third")[2]},
    ),
    "event_of_a_product": (
        shuffle(TWO_BITS, 10, "2", "0"),
        REFUTED,
        {"event": {"first": "0", "second": "1", "others": ["9"], "scores": ["1"], "threshold": "1", "bits": "64"}},
    ),
    # runs
    "composed_of_classes": (composed({**in_classes((RESPONSE, 3))[0], "times": "1"}), PROVED, curved(["0"], {})),
    "composed_swaps_fewer_than_deltas": (COMPOSED, PROVED, curved(DELTAS, {"levels": LEVELS["levels"][:3]})),
    "composed_a_pair_of_two_messages": (
        composed(views(RESPONSE, 20, 2), delta="0"),
        REFUTED,
        lattice("2", 40, pairs=[{"two_messages": event(1, 19, 15)}]),
    ),
    "composed_a_likelihood_named_two_messages": (
        composed(views(TWO_BITS, 10, 2), delta="1/8"),
        REFUTED,
        lattice("33/32", 56, pairs=[{"two_messages": PAIR_TEST["likelihood"]}]),
    ),
}


def broken_documents() -> dict[str, Any]:
    """Return what only the fourth schema can say, in documents of those before it; what needs no fourth one, in one of
    the fourth; and another claim's id."""
    first, second, third = (f"exactdp-certificate-{number}" for number in (1, 2, 3))
    fourth_words = {
        "any": CORRECT["any"],
        "product": CORRECT["product_by_a_blanket"],
        "counted": CORRECT["counted_over_all_data_sets"],
        "listed": CORRECT["listed_by_a_blanket"],
        "hidden": CORRECT["by_two_messages_hidden"],
        "a_swap": CORRECT["swap_table"],
        "classes": CORRECT["classes_together"],
        "two_messages": CORRECT["by_two_messages"],
        "a_closed_bracket": CORRECT["closed"],
        "two_messages_refuted": CORRECT["by_two_messages_refuted"],
        "a_swap_under_not": CORRECT["swap_under_not"],
        "a_swap_in_a_conjunction": CORRECT["swap_and_a_claim"],
        "a_product_in_a_run": CORRECT["composed_of_swaps"],
        "a_swap_of_a_level": CORRECT["composed_of_all_and_two_messages_and_a_swap"],
        "a_product_refuted": CORRECT["product_refuted"],
    }
    cases = {f"malformed/schema_3_with_{name}": document(*case, third) for name, case in fourth_words.items()}
    cases["malformed/schema_2_with_a_product"] = document(*CORRECT["product_by_a_blanket"], second)
    cases["malformed/schema_1_with_a_swap"] = document(*CORRECT["swap_table"], first)
    needless = {
        "a_table": (TRUE, PROVED, {}),
        "a_table_refuted": (shuffle(delta="1/8"), REFUTED, WORKED),
        "noise": (shift(binomial(2, "1/2"), delta="1"), PROVED, {}),
        "a_family": (shuffle(LAPLACE, 3, "2", "4/27"), PROVED, {}),
        "a_blanket": (shuffle(FOUR, 10, "2", "3976329/62500000"), PROVED, blanket(("1/4", STEEP))),
        "two_message_dp": (*NO_CLAIM["two_messages_of_a_claim_of_its_own"][:2], {}),
        "never_dp": (never(COMPLEMENT_LOCAL, 1, "1"), PROVED, {"first": ["1", "0"], "second": ["0", "1"]}),
    }
    cases |= {f"malformed/schema_4_for_{name}": document(*case, SCHEMA) for name, case in needless.items()}
    good = document(*CORRECT["swap_k_ary"], SCHEMA)
    of_another = document(*CORRECT["swap_table"], SCHEMA)["claim_id"]
    cases["incorrect/seal_of_another_claim"] = {**good, "claim_id": of_another}
    cases["malformed/schema_unknown"] = {**good, "schema": "exactdp-certificate-5"}
    cases["malformed/schema_with_a_space"] = {**good, "schema": f"{SCHEMA} "}
    return cases
