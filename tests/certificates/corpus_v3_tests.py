"""The corpus of tests of the view, by likelihoods and by scores: of single claims, and of composed runs.

Of most cases the bound is known to the last digit: one claim is just below it, and refuted, and one is at the bound.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.certificates.claims import (
    PROVED,
    REFUTED,
    RESPONSE,
    SCHEMAS,
    THREE,
    ZSUM,
    Case,
    both,
    composed,
    document,
    lattice,
    law,
    negation,
    randomizer,
    shuffle,
    views,
)
from tests.certificates.corpus_v2 import FORWARD


def k_ary(inputs: int, exp_eps0: str) -> Any:
    return law("k-ary", inputs=str(inputs), exp_eps0=exp_eps0)


def hadamard(inputs: int) -> Any:
    return law("hadamard", inputs=str(inputs), exp_eps0="4")


THIRD_OF_THREE = k_ary(3, "3")
PAIR_OF_TWO = k_ary(2, "3")
LAPLACE = law("clipped-discrete-laplace", top="4", ratio="1/2")
SOME_SILENT = randomizer(
    3, {"0": "1/2", "1": "1/4", "": "1/4"}, {"1": "1/4", "": "1/2", "2": "1/4"}, {"": "3/4", "2": "1/4"}
)


def likelihood(others: Any, at: str, step: str, threshold: int | None, **changes: str) -> Any:
    """With a table, ``first`` and ``second`` too."""
    fields = {"others": others, "bits": "64", "length": "1024", "at": at, "step": step, "cut": "24", **changes}
    return {"likelihood": fields if threshold is None else {**fields, "threshold": str(threshold)}}


def event(ends: str, others: str, scores: str, threshold: int | None, bits: int = 64) -> Any:
    first, second = ends.split()
    fields = {"first": first, "second": second, "others": others.split(), "scores": scores.split(), "bits": str(bits)}
    return {"event": fields if threshold is None else {**fields, "threshold": str(threshold)}}


def ends(first: int, second: int) -> dict[str, str]:
    return {"first": str(first), "second": str(second)}


Sharp = tuple[Any, int, str, Any, str]  # randomizer, users, e^eps, witness, the bound

SHARP: dict[str, Sharp] = {
    "likelihood": (
        THIRD_OF_THREE,
        6,
        "3/2",
        likelihood("third", "3/2", "1/6", 4),
        "1469246271982818325/18446744073709551616",
    ),
    "likelihood_first": (PAIR_OF_TWO, 9, "3/2", likelihood("first", "3/2", "1/5", -2), "6561/131072"),
    "likelihood_second": (PAIR_OF_TWO, 9, "3/2", likelihood("second", "3/2", "1/5", -2), "2747/131072"),
    "likelihood_merged": (
        k_ary(4, "5"),
        45,
        "3/2",
        likelihood("third", "3/2", "1/8", -3, length="16", cut="20"),
        "112993906594643427/36893488147419103232",
    ),
    "likelihood_a_trillion_users": (
        k_ary(2**20, "9"),
        10**12,
        "50000001/50000000",
        likelihood("third", "1", "1/4", 24, bits="112", length="512", cut="72"),
        "39832051499119075031852936940773/259614842926741381426524816461004800000000",
    ),
    "likelihood_a_billion_users": (
        k_ary(16, "55"),
        10**9,
        "1001/1000",
        likelihood("third", "1", "1/9", -7776, bits="96", length="512", cut="60"),
        "1528237846803091389254051/79228162514264337593543950336000",
    ),
    "likelihood_unary_encoding": (
        law("unary-encoding", inputs="5", one="1/2", other="1/4"),
        100,
        "6/5",
        likelihood("third", "6/5", "1/16", -19),
        "9627281589343931/11529215046068469760",
    ),
    "likelihood_unary_encoding_of_two": (
        law("unary-encoding", inputs="2", one="3/4", other="1/3"),
        20,
        "6/5",
        likelihood("second", "6/5", "1/16", -7),
        "196404551341892277/2882303761517117440",
    ),
    "likelihood_subset_selection": (
        law("subset-selection", inputs="6", size="2", exp_eps0="4"),
        300,
        "11/10",
        likelihood("third", "11/10", "1/16", -24),
        "28365100794267883/5764607523034234880",
    ),
    "likelihood_local_hashing": (
        law("local-hashing", inputs=str(10**9), buckets="3", exp_eps0="4"),
        300,
        "11/10",
        likelihood("third", "11/10", "1/16", -22),
        "14040058948025443/4611686018427387904",
    ),
    "likelihood_hadamard": (
        hadamard(7),
        300,
        "11/10",
        likelihood("third", "11/10", "1/16", -22),
        "61063571180743541/36893488147419103232",
    ),
    "likelihood_hadamard_xor": (
        hadamard(3),
        300,
        "11/10",
        likelihood("xor", "11/10", "1/16", -22),
        "157266263624187191/36893488147419103232",
    ),
    "likelihood_laplace": (
        LAPLACE,
        1000,
        "21/20",
        likelihood(["1", "0", "0", "0", "0"], "1", "1/16", 9, **ends(0, 4)),
        "4047716411426495897/184467440737095516160",
    ),
    "likelihood_weights": (
        RESPONSE,
        40,
        "5/4",
        likelihood(["1/3", "2/3"], "5/4", "1/16", 6, **ends(1, 0)),
        "560257978268879595/73786976294838206464",
    ),
    "likelihood_messages_apart": (
        SOME_SILENT,
        2,
        "4",
        likelihood(["0", "1/2", "1/2"], "4", "1/16", 1000, **ends(0, 1)),
        "1/2",
    ),
    "likelihood_one_user": (RESPONSE, 1, "2", likelihood(["1", "0"], "2", "1/7", 2, **ends(0, 1)), "1/4"),
    "likelihood_scores_of_one_law": (
        RESPONSE,
        9,
        "3/2",
        likelihood(["0", "1"], "0", "1/16", 217, **ends(0, 1)),
        "2747/131072",
    ),
    "event": (ZSUM, 12, "6/5", event("1 0", "11 0", "1", 12), "104798317379/343597383680"),
    "event_many_users": (ZSUM, 50, "6/5", event("1 0", "49 0", "1", 46), "1290415023540534927/11529215046068469760"),
    "event_three_inputs": (
        THREE,
        6,
        "6/5",
        event("1 0", "1 2 2", "0 1", 4),
        "3434745315807898253/46116860184273879040",
    ),
    "event_large": (
        RESPONSE,
        10**5,
        "101/100",
        event("0 1", "0 99999", "1 0", 25375),
        "399659755704513/115292150460684697600",
    ),
    "event_mixed": (
        RESPONSE,
        1000,
        "21/20",
        event("0 1", "500 499", "1 0", 519),
        "581686328071037493/368934881474191032320",
    ),
}

EPS_WITNESS = {**likelihood("third", "11/10", "1/16", -26), "terms": "12"}
EPS_BOUND = "957276641562644857544049016131704417/11398465704665637175557095424000000000000"

PAIR = likelihood("third", "5/4", "1/8", None, cut="20")
SUMS = event("1 0", "11 0", "1", None)
APART = likelihood(["0", "1/2", "1/2"], "5/4", "1/16", None, **ends(0, 1))
THREE_RUNS = views(THIRD_OF_THREE, 20, 3)
SHUFFLED_SUMS = views(ZSUM, 12, 3)
MIXED = [
    views(THIRD_OF_THREE, 20, 2),
    views(ZSUM, 12, 1),
    {"law": law("binomial", n="20", p="1/2"), "shift": "1", "times": "1"},
]


def pairs(*listed: Any) -> Any:
    return lattice("33/32", 56, pairs=list(listed))


CURVE = ["71405608017", "7962296031", "218643875", "1100493", "451"]
TILTS = [2**58, 2**60, 2**60, 2**61, 3 * 2**60]
LEVELS = [{"blanket": {"bits": "96", "length": "256", "bounds": [["1/8", str(tilt)]]}} for tilt in TILTS]


def levels(deltas: list[str], witnesses: list[Any]) -> Any:
    return lattice("5/4", 40, curves=[{"deltas": deltas, "witness": {"levels": witnesses}}])


def off_by(units: str, bound: str) -> str:
    return str(Fraction(bound) - Fraction(units))


def just_below(bound: str) -> str:
    return off_by(f"1/{2**200}", bound)


def refuted(name: str, delta: str | None = None, witness: Any = None, **changes: str) -> Case:
    """One of the sharp cases, with changes of the claim or another witness."""
    table, n, exp_eps, known, bound = SHARP[name]
    fields: dict[str, Any] = {"n": n, "exp_eps": exp_eps, "delta": delta or just_below(bound), **changes}
    return shuffle(fields.pop("table", table), **fields), REFUTED, known if witness is None else witness


def changed(name: str, **fields: Any) -> Case:
    """One of the sharp cases, with changes in its test; None takes a field away."""
    ((key, test),) = SHARP[name][3].items()
    test = {field: value for field, value in {**test, **fields}.items() if value is not None}
    return refuted(name, witness={key: test})


CORRECT: dict[str, Case] = {
    **{name: refuted(name) for name in SHARP},
    "likelihood_eps": (shuffle(THIRD_OF_THREE, 1000, eps="1/10", delta=just_below(EPS_BOUND)), REFUTED, EPS_WITNESS),
    "likelihood_all_n": refuted("likelihood", scope="all n from n"),
    "likelihood_delta_zero": refuted("likelihood_first", "0"),
    "likelihood_not": (negation(refuted("likelihood")[0]), PROVED, SHARP["likelihood"][3]),
    "likelihood_in_a_conjunction": (
        both(shuffle(), refuted("likelihood_laplace")[0]),
        REFUTED,
        {"part": "1", "witness": SHARP["likelihood_laplace"][3]},
    ),
    "event_of_a_family_that_is_listed": (
        shuffle(LAPLACE, 20, "21/20", "1/5"),
        REFUTED,
        event("0 4", "19 0 0 0 0", "4 3 2 1 0", 68),
    ),
    "composed_refuted_likelihood": (composed(THREE_RUNS, delta="1190523/50000000"), REFUTED, pairs(PAIR)),
    "composed_refuted_event": (composed(SHUFFLED_SUMS, delta="264263/500000"), REFUTED, pairs(SUMS)),
    "composed_refuted_of_each_kind": (
        composed(*MIXED, delta="540947/2000000"),
        REFUTED,
        pairs(PAIR, SUMS, FORWARD),
    ),
    "composed_refuted_messages_apart": (
        composed(views(SOME_SILENT, 3, 2), delta="7499999/10000000"),
        REFUTED,
        pairs(APART),
    ),
    "composed_levels": (composed(views(RESPONSE, 2, 1), delta="3/8"), PROVED, levels(["412316860416"], [{}])),
    "composed_levels_by_a_blanket": (
        composed(views(THIRD_OF_THREE, 60, 3), delta="2181463/1000000000"),
        PROVED,
        levels(CURVE, LEVELS),
    ),
}

WRONG: dict[str, Case] = {
    **{f"{name}_at_the_bound": refuted(name, bound) for name, (_, _, _, _, bound) in SHARP.items()},
    "likelihood_eps_at_the_bound": (
        shuffle(THIRD_OF_THREE, 1000, eps="1/10", delta=EPS_BOUND),
        REFUTED,
        EPS_WITNESS,
    ),
    "likelihood_one_user_more": refuted("likelihood", n="7"),
    "likelihood_a_larger_exp_eps": refuted("likelihood", exp_eps="151/100"),
    "likelihood_an_input_more": refuted("likelihood", table=k_ary(4, "3")),
    "likelihood_a_smaller_exp_eps0": refuted("likelihood", table=k_ary(3, "29/10")),
    "likelihood_others_with_the_first": changed("likelihood", others="first"),
    "likelihood_others_with_the_second": changed("likelihood", others="second"),
    "likelihood_threshold_one_less": changed("likelihood_hadamard", threshold="-23"),
    "likelihood_threshold_one_more": changed("likelihood_unary_encoding", threshold="-18"),
    "likelihood_threshold_below_all": changed("likelihood", threshold=str(-(2**64) + 1)),
    "likelihood_threshold_above_all": changed("likelihood", threshold=str(2**64 - 1)),
    "likelihood_a_coarser_step": changed("likelihood_subset_selection", step="1"),
    "likelihood_shorter": changed("likelihood_subset_selection", length="64"),
    "likelihood_more_is_cut": changed("likelihood_subset_selection", cut="56"),
    "likelihood_scores_at_another_level": changed("likelihood_weights", at="3"),
    "likelihood_order_turned": changed("likelihood_weights", **ends(0, 1)),
    "likelihood_pair_of_one_input": changed("likelihood_weights", **ends(1, 1)),
    "likelihood_other_weights": changed("likelihood_weights", others=["1/2", "1/2"]),
    "likelihood_weight_on_another_input": changed("likelihood_laplace", others=["0", "1", "0", "0", "0"]),
    "likelihood_apart_may_be_sent": changed("likelihood_messages_apart", others=["1/10", "9/10", "0"]),
    "likelihood_xor_beyond_three_rows": changed("likelihood_hadamard_xor", others="first"),
    "event_one_user_more": changed("event", others=["12", "0"]),
    "event_one_user_less": changed("event", others=["10", "0"]),
    "event_users_moved": changed("event_three_inputs", others=["5", "0", "0"]),
    "event_order_turned": changed("event", **ends(0, 1)),
    "event_threshold_one_less": changed("event", threshold="11"),
    "event_threshold_one_more": changed("event_many_users", threshold="47"),
    "event_other_scores": changed("event_three_inputs", scores=["1", "0"]),
    "event_few_bits": changed("event_many_users", bits="24"),
    "composed_refuted_likelihood": (composed(THREE_RUNS, delta="2390467/100000000"), REFUTED, pairs(PAIR)),
    "composed_refuted_event": (composed(SHUFFLED_SUMS, delta="528529/1000000"), REFUTED, pairs(SUMS)),
    "composed_refuted_messages_apart": (
        composed(views(SOME_SILENT, 3, 2), delta="3/4"),
        REFUTED,
        pairs(APART),
    ),
    "composed_one_run_less": (
        composed({**THREE_RUNS, "times": "2"}, delta="1190523/50000000"),
        REFUTED,
        pairs(PAIR),
    ),
    "composed_levels_one_too_low": (
        composed(views(THIRD_OF_THREE, 60, 3), delta="2181463/1000000000"),
        PROVED,
        levels([*CURVE[:2], "218643874", *CURVE[3:]], LEVELS),
    ),
    "composed_levels_exchanged": (
        composed(views(THIRD_OF_THREE, 60, 3), delta="2181463/1000000000"),
        PROVED,
        levels(CURVE, [LEVELS[4], *LEVELS[1:4], LEVELS[0]]),
    ),
    "composed_levels_delta_less_by_a_hair": (
        composed(views(THIRD_OF_THREE, 60, 3), delta="1090731/500000000"),
        PROVED,
        levels(CURVE, LEVELS),
    ),
}

NO_CLAIM: dict[str, Case] = {
    "likelihood_of_add_or_remove_one": refuted("likelihood_weights", neighbors="add-or-remove-one"),
    "likelihood_where_delta_is_least": refuted("likelihood_weights", least="delta"),
    "likelihood_that_proves": (*refuted("likelihood")[:1], PROVED, SHARP["likelihood"][3]),
    "likelihood_of_two_messages": (
        shuffle(ZSUM, 2, delta="0"),
        REFUTED,
        likelihood(["1", "0"], "2", "1", 1, **ends(0, 1)),
    ),
    "likelihood_and_event": refuted(
        "likelihood_weights", witness={**SHARP["likelihood_weights"][3], **SHARP["event"][3]}
    ),
    "likelihood_with_a_pair": refuted("likelihood_weights", witness={**SHARP["likelihood_weights"][3], **ends(0, 1)}),
    "likelihood_with_terms": refuted("likelihood", witness={**SHARP["likelihood"][3], "terms": "3"}),
    "likelihood_eps_without_terms": (
        shuffle(THIRD_OF_THREE, 1000, eps="1/10", delta="0"),
        REFUTED,
        SHARP["likelihood"][3],
    ),
    "likelihood_no_object": refuted("likelihood", witness={"likelihood": "third"}),
    "likelihood_of_a_family_with_a_pair": changed("likelihood", **ends(0, 1)),
    "likelihood_of_a_table_without_a_pair": changed("likelihood_weights", first=None, second=None),
    "likelihood_of_an_input_that_is_none": changed("likelihood_weights", first="2"),
    "likelihood_threshold_missing": changed("likelihood", threshold=None),
    "likelihood_at_missing": changed("likelihood", at=None),
    "likelihood_cut_missing": changed("likelihood", cut=None),
    "likelihood_others_missing": changed("likelihood", others=None),
    "likelihood_scale_more": changed("likelihood", scale="1"),
    "likelihood_others_by_another_name": changed("likelihood", others="fourth"),
    "likelihood_third_of_two": changed("likelihood_first", others="third"),
    "likelihood_third_of_three_rows": changed("likelihood_hadamard_xor", others="third"),
    "likelihood_xor_of_another_family": changed("likelihood", others="xor"),
    "likelihood_weights_of_a_family": changed("likelihood", others=["0", "0", "1"]),
    "likelihood_a_name_for_a_table": changed("likelihood_weights", others="first"),
    "likelihood_weights_above_1": changed("likelihood_weights", others=["1/2", "2/3"]),
    "likelihood_weights_below_1": changed("likelihood_weights", others=["1/3", "1/3"]),
    "likelihood_weight_negative": changed("likelihood_weights", others=["-1/3", "4/3"]),
    "likelihood_weight_missing": changed("likelihood_weights", others=["1"]),
    "likelihood_bits_too_few": changed("likelihood", bits="63"),
    "likelihood_bits_too_many": changed("likelihood", bits="4097"),
    "likelihood_length_too_short": changed("likelihood", length="15"),
    "likelihood_length_too_long": changed("likelihood", length=str(2**17 + 1)),
    "likelihood_cut_0": changed("likelihood", cut="0"),
    "likelihood_cut_beyond_the_bits": changed("likelihood", cut="65"),
    "likelihood_at_negative": changed("likelihood", at="-1/2"),
    "likelihood_step_0": changed("likelihood", step="0"),
    "likelihood_step_negative": changed("likelihood", step="-1/6"),
    "likelihood_threshold_a_fraction": changed("likelihood", threshold="7/2"),
    "limit_likelihood_threshold": changed("likelihood", threshold=str(2**64)),
    "limit_likelihood_at": changed("likelihood", at=hex(2**4096)),
    "limit_likelihood_places": changed("likelihood", step=f"1/{2**17}"),
    "limit_likelihood_product": changed("likelihood", bits="4096", length=str(2**17), step=f"1/{2**14}"),
    "event_of_add_or_remove_one": refuted("event", neighbors="add-or-remove-one"),
    "event_where_exp_eps_is_least": refuted("event", least="exp_eps"),
    "event_of_a_family": refuted("likelihood", witness=SHARP["event_three_inputs"][3]),
    "event_scores_too_few": changed("event_three_inputs", scores=["1"]),
    "event_score_a_fraction": changed("event", scores=["1/2"]),
    "event_others_negative": changed("event_three_inputs", others=["-1", "4", "2"]),
    "event_others_too_few": changed("event", others=["11"]),
    "event_of_an_input_that_is_none": changed("event", second="2"),
    "event_threshold_missing": changed("event", threshold=None),
    "event_bits_too_few": changed("event", bits="15"),
    "event_with_a_step": changed("event", step="1"),
    "limit_event_score": changed("event", scores=[str(2**64)]),
    "limit_event_places_of_a_row": changed("event_large", scores=[str(2**18), "0"]),
    "limit_event_places_of_a_sum": changed("event_large", scores=[str(2**17), "0"]),
    "limit_event_users": changed("event", others=[str(10**12 + 1), "0"]),
    "composed_likelihood_with_a_threshold": (composed(THREE_RUNS), REFUTED, pairs(SHARP["likelihood"][3])),
    "composed_likelihood_of_add_or_remove_one": (
        composed({**views(RESPONSE, 2, 2), "neighbors": "add-or-remove-one"}),
        REFUTED,
        pairs(likelihood(["1", "0"], "2", "1", None, **ends(0, 1))),
    ),
    "composed_likelihood_of_noise": (composed(MIXED[2]), REFUTED, pairs(PAIR)),
    "composed_likelihood_and_event": (composed(SHUFFLED_SUMS), REFUTED, pairs({**SUMS, **PAIR})),
    "composed_levels_too_few": (composed(THREE_RUNS), PROVED, levels(CURVE, LEVELS[:4])),
    "composed_levels_too_many": (composed(THREE_RUNS), PROVED, levels(CURVE[:4], LEVELS)),
    "composed_levels_and_bits": (
        composed(THREE_RUNS),
        PROVED,
        lattice("5/4", 40, curves=[{"deltas": CURVE, "witness": {"levels": LEVELS, "bits": "64"}}]),
    ),
    "composed_levels_no_objects": (composed(THREE_RUNS), PROVED, levels(CURVE[:1], [["1/8"]])),
}


def broken_documents() -> dict[str, Any]:
    """Older schemas, which cannot say it."""
    first, second = SCHEMAS[:2]
    return {
        "malformed/schema_1_with_a_likelihood": document(*CORRECT["likelihood_weights"], first),
        "malformed/schema_2_with_a_likelihood": document(*CORRECT["likelihood_weights"], second),
        "malformed/schema_2_with_an_event": document(*CORRECT["event"], second),
        "malformed/schema_2_with_an_event_in_a_pair": document(*CORRECT["composed_refuted_event"], second),
        "malformed/schema_2_with_plain_levels": document(*CORRECT["composed_levels"], second),
    }
