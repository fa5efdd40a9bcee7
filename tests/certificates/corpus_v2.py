"""The corpus of the schema exactdp-certificate-2: what every checker verifies."""

from __future__ import annotations

from typing import Any

from tests.certificates.claims import (
    COIN,
    FALSE,
    GAP_LOCAL,
    ONE_SIDED,
    PROVED,
    REFUTED,
    RESPONSE,
    SCHEMAS,
    SQUARE_BELOW,
    SQUARE_TERMS,
    TRUE,
    WORKED,
    ZSUM,
    Case,
    X,
    additive,
    assuming,
    binomial,
    binomial_sum,
    both,
    box,
    condition,
    count_accuracy,
    cut,
    equal_laws,
    finite,
    gaussian,
    geometric,
    inequality,
    laplace,
    leaf,
    negation,
    negative_binomial,
    never,
    poisson,
    shift,
    shuffle,
    side,
    smooth,
    tail,
    view,
    view_accuracy,
    zero,
)

SCHEMA = SCHEMAS[1]

EXP_FIFTH: Any = {"exp": "-1/5"}
EXP_HALF: Any = {"exp": "1/2"}
TEN_LOG_2: Any = {"product": ["10", {"log": "2"}]}
LOGISTIC: Any = {"inverse": {"sum": ["1", {"exp": "1"}]}}  # 1/(1 + e)

GEOMETRIC, LAPLACE, GAUSSIAN, POISSON = geometric("1/2"), laplace("2"), gaussian("4"), poisson("5")
LAPLACE_EXP, POISSON_LOG, RESPONSE_COIN = laplace(EXP_HALF), poisson(TEN_LOG_2), binomial(40, LOGISTIC)
NEGATIVE, NEGATIVE_RISING = negative_binomial("3", "1/2"), negative_binomial("1/2", EXP_FIFTH)
TWO_COINS, LONG_SUM = binomial_sum(2, "1/2", 1, "1/3"), binomial_sum(300, "1/2", 200, "1/3")
ONES = view(RESPONSE, "2 1", "0 1")  # 18/64, 27/64 + 6/64 ... of the ones among two noisy zeros and a noisy one
BALANCE = view(RESPONSE, "2 1", "-1 1")
TEN_COINS, MANY_COINS = binomial(10, "1/2"), binomial(100_000, "1/2")

PURE: Any = {"pure": "yes"}
FORWARD: Any = {"shift": "1", "order": "forward"}
BACKWARD: Any = {"shift": "1", "order": "backward"}


def bits(number: int = 128, **witness: Any) -> Any:
    return {**witness, "bits": str(number)}


# The mean of ZSUM's bits, estimated as 0 unless it exceeds 1/3 of what one message may say; and a noisy count.
ZSUM_MEAN = {
    "randomizer": ZSUM,
    "weights": ["1/3"],
    "offset": "-7/8",
    "zero_unless_above": "1",
    "values": ["0", "1/3"],
}
TENTHS = {"weight": "1/10", "offset": "-1/2", "zero_unless_above": "1"}
SHARP = {"offset": "-5", "zero_unless_above": "9"}

UNIT, HALF_OPEN = side(), side(ends="open closed")
FALLING = box("x", [UNIT], [("1 @ 0, -1 @ 1", "")])  # 1 - x
ABOVE_TANGENT = box("x", [UNIT], [("1 @ 0", "1 @ 1"), ("-1 @ 0, -1 @ 1", "")])  # e^x - 1 - x
STRICTLY_ABOVE_TANGENT = box("x", [HALF_OPEN], [("1 @ 0", "1 @ 1"), ("-1 @ 0, -1 @ 1", "")], "yes")
BELOW_ONE = box("x", [UNIT], [("1 @ 0", ""), ("-1 @ 0", "-1 @ 1")])  # 1 - e^-x
BELOW_THREE = box("x", [UNIT], [("3 @ 0", ""), ("-1 @ 0", "1 @ 1")], "yes")  # 3 - e^x
ABOVE_TWO = box("x", [side("1", "2")], [("1 @ 0", "1 @ 1"), ("-2 @ 0", "")], "yes")  # e^x - 2
DIPPING = box("x", [UNIT], [("3/10 @ 0, -1 @ 1, 1 @ 2", "")], "yes")  # (x - 1/2)^2 + 1/20
HALVES = cut(0, "1/2", leaf("low"), leaf("low"))
EITHER = box("x y", [UNIT, UNIT], [("1 @ 1 0, 1 @ 0 1, -1 @ 1 1", "")])  # x + y - xy
EITHER_POSITIVE = box("x y", [HALF_OPEN, UNIT], [("1 @ 1 0, 1 @ 0 1, -1 @ 1 1", "")], "yes")
PRODUCT_DECAYS = box("x y", [UNIT, UNIT], [("1 @ 0 0", ""), ("-1 @ 0 0", "-1 @ 1 1")])  # 1 - e^-xy
BELOW_TWO = box("x", [UNIT], [("2 @ 0", ""), ("-1 @ 0", "1 @ 1")])  # 2 - e^x, which falls below 0
TOUCHING = box("x", [UNIT], [("1 @ 0", "1 @ 1"), ("-1 @ 0", "")], "yes")  # e^x - 1, which is 0 at 0
INSIDE = box("x y", [side("0", "1", "open open")] * 2, [("1 @ 1 1", "1 @ 1 0, -2 @ 0 1")], "yes")  # x y e^(x - 2y)

CORRECT: dict[str, Case] = {
    # What schema 1 had
    "shuffle_least_delta": (shuffle(least="delta"), PROVED, WORKED),
    "shuffle_eps_all_n": (shuffle(n=3, eps="1/2", delta="1/5", scope="all n from n"), PROVED, {"terms": "6"}),
    "shuffle_refuted": (FALSE, REFUTED, WORKED),
    "never_gap_local": (never(GAP_LOCAL, 1, "3/8"), PROVED, {"first": ["1", "0"], "second": ["0", "1"]}),
    "never_refuted": (never(ONE_SIDED, 1, "3/4"), REFUTED, {}),
    "additive_zsum": (additive(), PROVED, {}),
    "additive_refuted": (additive(shifts=["0", "2"]), REFUTED, {"input": "1"}),
    "zero_zsum": (zero(), PROVED, {}),
    "zero_refuted": (zero(held="1"), REFUTED, {"outcome": ["2"]}),
    "inequality_square": (SQUARE_BELOW, PROVED, SQUARE_TERMS),
    "inequality_refuted": (inequality([X], condition(("1", "1"), ("-1", "2"))), REFUTED, {"point": ["3/2"]}),
    "not_refuted": (negation(TRUE), REFUTED, {}),
    # shift_dp, exactly
    "shift_binomial_least_delta": (shift(COIN, least="delta"), PROVED, FORWARD),
    "shift_finite_eps": (shift(finite(at0="1/2", at1="1/2"), eps="1", delta="1/2"), PROVED, {"terms": "3"}),
    "shift_view_least_delta": (shift(ONES, delta="3/8", least="delta"), PROVED, FORWARD),
    "shift_binomial_sum_least_delta": (shift(TWO_COINS, least="delta"), PROVED, BACKWARD),
    "shift_geometric_least_delta": (
        shift(GEOMETRIC, exp_eps="3/2", delta="3/4", reach=2, least="delta"),
        PROVED,
        {"shift": "2", "order": "forward"},
    ),
    "shift_laplace_least_delta": (shift(LAPLACE, exp_eps="3/2", delta="1/6", least="delta"), PROVED, BACKWARD),
    "shift_laplace_least_exp_eps": (shift(LAPLACE, delta="0", least="exp_eps"), PROVED, FORWARD),
    "shift_laplace_eps": (shift(laplace("3"), eps="1", delta="53/100", reach=2), PROVED, {"terms": "10"}),
    "shift_refuted_view": (shift(ONES, delta="1/3"), REFUTED, FORWARD),
    "shift_refuted_binomial_sum": (shift(TWO_COINS, delta="249/1000"), REFUTED, FORWARD),
    "shift_refuted_geometric_smaller": (shift(GEOMETRIC, delta="3/4", least="delta"), REFUTED, {"smaller": "1/2"}),
    "shift_refuted_laplace": (
        shift(LAPLACE, exp_eps="3/2", delta="5/12", reach=3),
        REFUTED,
        {"shift": "3", "order": "backward"},
    ),
    "shift_refuted_laplace_eps": (shift(LAPLACE, eps="1/2", delta="117/1000"), REFUTED, {**FORWARD, "terms": "8"}),
    # shift_dp, by enclosure
    "shift_bits_binomial": (shift(MANY_COINS, eps="1/50", delta="137/100000000"), PROVED, bits()),
    "shift_bits_binomial_shift_two": (
        shift(binomial(3000, "1/3"), exp_eps="11/10", delta="437/100000", reach=2),
        PROVED,
        bits(),
    ),
    "shift_bits_binomial_real": (shift(RESPONSE_COIN, delta="101/10000"), PROVED, bits()),
    "shift_bits_binomial_sum": (shift(LONG_SUM, exp_eps="5/4", delta="7/25000"), PROVED, bits()),
    "shift_bits_negative_binomial": (shift(NEGATIVE, delta="63/500"), PROVED, bits()),
    "shift_bits_negative_binomial_rising": (shift(NEGATIVE_RISING, delta="601/1000", reach=2), PROVED, bits()),
    "shift_bits_negative_binomial_real": (
        shift(negative_binomial({"inverse": {"log": "2"}}, {"power": ["9/10", "2"]}), eps="1/2", delta="23/250"),
        PROVED,
        bits(),
    ),
    "shift_bits_geometric": (shift(geometric({"exp": "-1/10"}), eps="1/5", delta="12/125"), PROVED, bits()),
    "shift_bits_gaussian": (shift(GAUSSIAN, eps="1", delta="3/25", reach=2), PROVED, bits()),
    "shift_bits_poisson": (shift(POISSON_LOG, delta="23/1000"), PROVED, bits()),
    "shift_bits_few": (shift(POISSON, delta="1/20"), PROVED, bits(16)),
    "shift_pure": (shift(LAPLACE, exp_eps="4", delta="0", reach=2), PROVED, PURE),
    "shift_pure_eps": (shift(LAPLACE_EXP, eps="1", delta="0", reach=2), PROVED, PURE),
    "shift_bits_refuted_binomial": (shift(MANY_COINS, eps="1/50", delta="17/12500000"), REFUTED, bits(**FORWARD)),
    "shift_bits_refuted_gaussian": (shift(GAUSSIAN, delta="13/500"), REFUTED, bits(**BACKWARD)),
    "shift_bits_refuted_poisson": (shift(POISSON, delta="1/250"), REFUTED, bits(**BACKWARD)),
    "shift_bits_refuted_rising": (
        shift(NEGATIVE_RISING, delta="3/5", reach=2),
        REFUTED,
        bits(shift="2", order="forward"),
    ),
    # smooth
    "smooth_binomial": (smooth(binomial(4, "1/2"), k=2, delta="11/16"), PROVED, {}),
    "smooth_finite": (smooth(finite(at0="1/2", at1="1/4", at5="1/4"), delta="1"), PROVED, {}),
    "smooth_view_eps": (smooth(ONES, eps="1/2", delta="55/64"), PROVED, {"terms": "8"}),
    "smooth_geometric": (smooth(GEOMETRIC, exp_eps="5/2", delta="1/2"), PROVED, {}),
    "smooth_laplace_at_the_ratio": (smooth(LAPLACE, k=3, delta="2/3"), PROVED, {}),
    "smooth_laplace_above_the_ratio": (smooth(LAPLACE, k=3, exp_eps="201/100", delta="0"), PROVED, {}),
    "smooth_bits_poisson_at_a_ratio": (smooth(poisson("4"), exp_eps="5/4", delta="567/1000"), PROVED, bits()),
    "smooth_bits_negative_binomial": (smooth(NEGATIVE, exp_eps="8/5", delta="63/500"), PROVED, bits()),
    "smooth_bits_gaussian": (smooth(GAUSSIAN, k=2, delta="9/40"), PROVED, bits()),
    "smooth_bits_binomial": (smooth(binomial(3000, "1/3"), exp_eps="11/10", delta="19/2500"), PROVED, bits()),
    "smooth_bits_poisson_eps": (smooth(poisson("20"), eps="1/2", delta="1/25"), PROVED, bits()),
    "smooth_refuted_binomial": (smooth(binomial(4, "1/2"), k=2, delta="17/25"), REFUTED, {"by": "-2"}),
    "smooth_refuted_laplace_at_the_ratio": (smooth(LAPLACE, delta="33/50"), REFUTED, {"by": "1"}),
    "smooth_refuted_geometric_eps": (
        smooth(GEOMETRIC, k=2, eps="7/10", delta="7/10"),
        REFUTED,
        {"by": "-2", "terms": "9"},
    ),
    "smooth_bits_refuted_poisson": (smooth(poisson("4"), exp_eps="5/4", delta="283/500"), REFUTED, bits(by="1")),
    "smooth_bits_refuted_gaussian": (smooth(GAUSSIAN, k=2, eps="3/5", delta="11/50"), REFUTED, bits(by="-2")),
    # tail
    "tail_binomial_at_the_edge": (tail(TEN_COINS, "9", "infinity", "at most", "11/1024"), PROVED, {}),
    "tail_binomial_at_least": (tail(TEN_COINS, "9", "infinity", "at least", "11/1024"), PROVED, {}),
    "tail_view": (tail(BALANCE, "1", "infinity", "at most", "11/32"), PROVED, {}),
    "tail_binomial_sum": (tail(TWO_COINS, "1", "2", "at least", "3/4"), PROVED, {}),
    "tail_finite_everything": (tail(finite(at7="1"), "-infinity", "infinity", "at least", "1"), PROVED, {}),
    "tail_bits_geometric": (tail(geometric({"exp": "-1/10"}), "50", "infinity", "at most", "27/4000"), PROVED, bits()),
    "tail_bits_poisson_below": (tail(POISSON, "-infinity", "1", "at most", "1/24"), PROVED, bits()),
    "tail_bits_gaussian_at_least": (tail(GAUSSIAN, "-3", "3", "at least", "23/25"), PROVED, bits()),
    "tail_bits_laplace": (tail(LAPLACE_EXP, "10", "infinity", "at most", "21/5000"), PROVED, bits()),
    "tail_bits_negative_binomial": (tail(NEGATIVE_RISING, "20", "infinity", "at most", "1/200"), PROVED, bits()),
    "tail_bits_binomial": (tail(MANY_COINS, "50500", "infinity", "at most", "1/1250"), PROVED, bits()),
    "tail_bits_binomial_sum": (tail(LONG_SUM, "250", "infinity", "at least", "69/50000"), PROVED, bits()),
    "tail_refuted_view": (tail(BALANCE, "1", "infinity", "at least", "3/8"), REFUTED, {}),
    "tail_bits_refuted_poisson": (tail(POISSON, "12", "infinity", "at most", "1/200"), REFUTED, bits()),
    "tail_bits_refuted_binomial": (tail(RESPONSE_COIN, "-infinity", "5", "at least", "1/40"), REFUTED, bits()),
    # accuracy
    "accuracy_data_set": (view_accuracy(4, ["2", "2"], "1/2", "9/128"), PROVED, {}),
    "accuracy_worst": (view_accuracy(3, "worst", "1/2", "3/16"), PROVED, {}),
    "accuracy_worst_with_a_threshold": (view_accuracy(3, "worst", "1/3", "11/256", **ZSUM_MEAN), PROVED, {}),
    "accuracy_refuted_data_set": (view_accuracy(4, ["1", "3"], "1/2", "7/32"), REFUTED, {}),
    "accuracy_refuted_worst": (view_accuracy(4, "worst", "1/2", "7/32"), REFUTED, {"dataset": ["3", "1"]}),
    "accuracy_count": (count_accuracy(TEN_COINS, "2", "7/64", offset="-5"), PROVED, {}),
    "accuracy_count_with_a_threshold": (count_accuracy(TEN_COINS, "3/10", "859/1024", **TENTHS), PROVED, {}),
    "accuracy_count_short": (count_accuracy(TEN_COINS, "3/10", "11/1024", most="3", **TENTHS), PROVED, {}),
    "accuracy_count_up_to_a_long_number": (
        count_accuracy(TEN_COINS, "3/10", "859/1024", most=hex(2**16384), **TENTHS),
        PROVED,
        {},
    ),
    "accuracy_bits_laplace": (count_accuracy(LAPLACE, "3", "1/10", most="1000000"), PROVED, bits()),
    "accuracy_bits_poisson": (count_accuracy(POISSON, "4", "473/1000", **SHARP), PROVED, bits()),
    "accuracy_refuted_count": (count_accuracy(TEN_COINS, "3/10", "429/512", **TENTHS), REFUTED, {}),
    "accuracy_bits_refuted_poisson": (count_accuracy(POISSON, "4", "59/125", **SHARP), REFUTED, bits()),
    # equal_laws
    "equal_laws_written_alike": (equal_laws(GAUSSIAN, GAUSSIAN), PROVED, {}),
    "equal_laws_view_and_table": (
        equal_laws(BALANCE, finite(atminus3="9/64", atminus1="33/64", at1="19/64", at3="3/64")),
        PROVED,
        {},
    ),
    "equal_laws_sum_of_coins": (equal_laws(binomial_sum(6, "1/3", 4, "1/3"), binomial(10, "1/3")), PROVED, {}),
    "equal_laws_geometric": (equal_laws(GEOMETRIC, negative_binomial("1", "1/2")), PROVED, {}),
    "equal_laws_refuted": (equal_laws(COIN, finite(at0="1/4", at1="1/4", at2="1/2")), REFUTED, {"outcome": "2"}),
    "equal_laws_bits_refuted": (equal_laws(POISSON, NEGATIVE), REFUTED, bits(outcome="0")),
    "equal_laws_bits_of_two_lists": (
        equal_laws(finite(at0="1/2", at2="1/2"), finite(at0="1/4", at2="3/4")),
        REFUTED,
        bits(outcome="0"),
    ),
    # box_inequality
    "box_falling": (FALLING, PROVED, leaf("low")),
    "box_above_tangent": (ABOVE_TANGENT, PROVED, leaf("low")),
    "box_strict_with_an_open_end": (STRICTLY_ABOVE_TANGENT, PROVED, leaf("low", 4)),
    "box_below_one": (BELOW_ONE, PROVED, leaf("low")),
    "box_rising_exponent": (BELOW_THREE, PROVED, leaf("low", 4)),
    "box_high_corner": (ABOVE_TWO, PROVED, leaf("high", 4)),
    "box_cut_in_halves": (DIPPING, PROVED, HALVES),
    "box_cut_twice": (DIPPING, PROVED, cut(0, "1/3", leaf("high"), cut(0, "2/3", leaf("low", 4), leaf("high")))),
    "box_two_variables": (EITHER, PROVED, leaf("low low")),
    "box_strict_on_a_closed_side": (EITHER_POSITIVE, PROVED, leaf("low low")),
    "box_product_in_the_exponent": (PRODUCT_DECAYS, PROVED, leaf("low low")),
    "box_cut_in_the_second_variable": (PRODUCT_DECAYS, PROVED, cut(1, "1/3", leaf("low low"), leaf("low low"))),
    "box_refuted": (BELOW_TWO, REFUTED, bits(64, point=["7/10"])),
    "box_refuted_where_it_is_zero": (TOUCHING, REFUTED, bits(64, point=["0"])),
    # conjunction with assuming
    "assuming_lemmas": (
        assuming("markov independence", ABOVE_TANGENT, tail(TEN_COINS, "9", "infinity", "at most", "11/1024")),
        PROVED,
        {"parts": [leaf("low"), {}]},
    ),
    "assuming_everything": (
        assuming(
            "markov independence union post-processing composition taylor monotone-convergence",
            shift(GAUSSIAN, eps="1", delta="3/25", reach=2),
            negation(equal_laws(POISSON, NEGATIVE)),
        ),
        PROVED,
        {"parts": [bits(), bits(outcome="0")]},
    ),
    "assuming_refuted": (assuming("union", TRUE, TOUCHING), REFUTED, {"part": "1", "witness": bits(64, point=["0"])}),
    "conjunction": (both(shift(LAPLACE, delta="0"), EITHER), PROVED, {"parts": [{}, leaf("low low")]}),
}
