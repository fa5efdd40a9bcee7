"""The corpus of the schema exactdp-certificate-3: claims for whole boxes of parameters, and which way a delta moves."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.certificates.claims import (
    PROVED,
    REFUTED,
    RESPONSE,
    SCHEMAS,
    TRUE,
    Case,
    binomial,
    both,
    cut,
    document,
    equal_laws,
    for_all,
    law,
    monotone,
    negation,
    poisson,
    polynomial,
    quotient,
    randomizer,
    shift,
    shuffle,
    side,
    smooth,
    tail,
    view,
)

P = polynomial("1@1")
NOT_P = polynomial("1@0, -1@1")
FLIPS = randomizer(2, {"0": NOT_P, "1": P}, {"0": P, "1": NOT_P})
"""A bit, flipped with probability p: at n = 1 the worst delta is 1 - (1 + E) p, and 0 beyond p = 1/(1 + E)."""
ONE_OF = quotient("1@1", "2@0, 1@1")
OTHERS = quotient("1@0", "2@0, 1@1")
THREE = randomizer(3, *({str(y): ONE_OF if x == y else OTHERS for y in range(3)} for x in range(3)))
"""3-ary response with e^eps0 = x: x/(x + 2) and 1/(x + 2)."""
REST2 = polynomial("1@0 0, -1@1 0")
A, B, REST = polynomial("1@1 0"), polynomial("1@0 1"), polynomial("1@0 0, -1@1 0, -1@0 1")
TWO = randomizer(3, {"0": REST, "1": A, "2": B}, {"0": B, "1": REST, "2": A}, {"0": A, "1": B, "2": REST})
ZSUM = randomizer(1, {"": NOT_P, "0": P}, {"0": NOT_P, "0 0": P})
MIXED = randomizer(2, {"0": NOT_P, "0 1": P}, {"": P, "1": NOT_P})
NOISE = {"family": "finite", "weights": [["-1", P], ["0", polynomial("1@0, -2@1")], ["1", P]]}
TRIALS = law("binomial", n="3", p=P)
COINS = law("binomial", n="4", p=P)

TENTHS = [side("1/10", "9/10")]
EIGHTHS = [side("1/8", "1/2")]
WHOLE = [side()]
THIRD = [side("1/10", "1/3")]
NARROW = [side("1/3", "2/5")]
SQUARE = [side("1/10", "1/3"), side("1/10", "1/3")]
RATIOS = [side("1", "10", "open closed")]

LEAF: dict[str, Any] = {}
HYPERBOLA = randomizer(1, {"0": quotient("1/2@1, 1/2@2", "1@1"), "": quotient("1/2@1, -1/2@2", "1@1")}, {"0": "1"})
"""(1 + x)/2 and (1 - x)/2, not cancelled."""
FLIPS2 = randomizer(2, {"0": REST2, "1": A}, {"0": A, "1": REST2})
EXACT = polynomial("1@0, -3@1")  # of FLIPS, n = 1, e^eps = 2, up to p = 1/3
HALVES = cut(0, "1/2", LEAF, LEAF)
FIRST, SECOND = {"first": ["1", "0"], "second": ["0", "1"]}, {"first": ["2", "0"], "second": ["1", "1"]}


def flips(delta: Any = "7/10", sides: Any = None, n: int = 1, **changes: Any) -> Any:
    return for_all("p", sides or THIRD, shuffle(FLIPS, n, delta=delta, **changes))


def noise(delta: Any = P, **changes: Any) -> Any:
    return for_all("p", NARROW, shift(NOISE, delta=delta, **changes))


P_BELOW = polynomial("1/2@0, -1@1")
FALLING = {"family": "finite", "weights": [["0", P], ["1", P], ["2", P_BELOW], ["3", P_BELOW]]}
RISING = {"family": "finite", "weights": [["0", P_BELOW], ["1", P_BELOW], ["2", P], ["3", P]]}
"""The ratio of p to 1/2 - p lies between 2 and 17/8 on LITTLE, and two places apart it matters in one direction."""
LITTLE = [side("1/3", "17/50")]
EVEN = {"family": "finite", "weights": [["0", "1/3"], ["1", "1/3"], ["2", "1/3"]]}


def smoothed(delta: Any, sides: Any = None, **changes: Any) -> Any:
    return for_all("p", sides or NARROW, smooth(NOISE, delta=delta, **changes))


def steps(noise: Any, exp_eps: str) -> Any:
    return for_all("p", LITTLE, smooth(noise, k=2, exp_eps=exp_eps, delta=polynomial("2@1")))


def flips_of(table: Any) -> Any:
    return for_all("p", WHOLE, shuffle(table, 1, delta="1"))


def hyperbola(ends: str = "closed closed") -> Any:
    return for_all("x", [side("0", "1", ends)], shuffle(HYPERBOLA, 1, delta="1"))


def finite_of(top: str, bottom: str) -> Any:
    """At 0 a quotient, and the rest at 1, over the same bottom."""
    terms: dict[str, Fraction] = {}
    for sign, text in ((1, bottom), (-1, top)):
        for coefficient, (exponent,) in polynomial(text):
            terms[exponent] = terms.get(exponent, Fraction(0)) + sign * Fraction(coefficient)
    rest = [[str(c), [e]] for e, c in terms.items() if c]
    return {
        "family": "finite",
        "weights": [["0", quotient(top, bottom)], ["1", {"top": rest, "bottom": polynomial(bottom)}]],
    }


def at(*point: str, **witness: Any) -> Any:
    return {"point": list(point), "witness": witness}


# --- Channels --------------------------------------------------------------------------------------------------------

STEP = polynomial("1/2@0 1")
REST_OF_STEP = polynomial("1@0 0, -1/2@0 1")
TO_UNIFORM = [[REST_OF_STEP, STEP], [STEP, REST_OF_STEP]]
"""Between p = x and p = x + s (1/2 - x), a bit is replaced by a uniform one with probability s."""
UP = [[polynomial("1@0 0, -1@0 1"), polynomial("1@0 1")], ["0", "1"]]
"""With probability s what is 0 becomes 1: from x to x + s (1 - x)."""
BELOW = "-1@0 0, 2@1 0, 2@0 1, -2@1 1"  # 2 p' - 1 for p' = x + s (1 - x)
BACK, STAYS = quotient("1@0 1, -1@1 1", BELOW), quotient("-1@0 0, 2@1 0, 1@0 1, -1@1 1", BELOW)
AWAY = [[STAYS, BACK], [BACK, STAYS]]
"""From p' back to x, both above 1/2: flip again with probability (p' - x) / (2 p' - 1)."""
ONE_SIDED = randomizer(2, {"0": NOT_P, "1": P}, {"1": "1"})
BUNDLES = randomizer(
    2,
    {"0 0": polynomial("1@0, -2@1, 1@2"), "1 0": polynomial("2@1, -2@2"), "1 1": polynomial("1@2")},
    {"": "1/2", "1": "1/2"},
)
OF_TWO = randomizer(2, {"0": polynomial("1@0 0, -1@1 0"), "1": A}, {"0": B, "1": polynomial("1@0 0, -1@0 1")})
UNFLIP, MORE = quotient("-1@0 1, 1@1 1", "-1@0 0, 2@1 0"), quotient("-1@0 0, 2@1 0, 1@0 1, -1@1 1", "-1@0 0, 2@1 0")
NEGATIVE = [[MORE, UNFLIP], [UNFLIP, MORE]]
"""From x to p', both above 1/2: the probability of a flip would be -(p' - x) / (2 x - 1)."""
SURELY, NEVER = quotient("1@0 0, -2@0 1, 1@0 2", "1@0 0, -1@0 1"), quotient("1@0 1, -1@0 2", "1@0 0, -1@0 1")
UP_BUT_AT_1 = [[SURELY, NEVER], ["0", "1"]]
"""UP over 1 - s, which is 0 where s is 1."""
SIDED_OF_TWO = randomizer(
    3,
    {"0": polynomial("1@0 0, -1@1 0, -1@0 1, 1@1 1"), "1": polynomial("1@1 0, -1@1 1"), "2": B},
    {"1": polynomial("1@0 0, -1@0 1"), "2": B},
)
"""ONE_SIDED with the probability a, and a third message with the probability b."""
UP_OF_TWO = [[polynomial("1@0 0 0, -1@0 0 1"), polynomial("1@0 0 1"), "0"], ["0", "1", "0"], ["0", "0", "1"]]
UNSENT = randomizer(3, {"0": NOT_P, "1": P}, {"0": P, "1": NOT_P})
OF_UNSENT = [*([*row, "0"] for row in TO_UNIFORM), ["0", "0", "0"]]
STAYING = [["1", "0"], ["0", "1"]]
MUTE = randomizer(0, {"": "1"})


def moves(table: Any = FLIPS, sides: Any = None, **changes: Any) -> Any:
    return monotone("p", sides or EIGHTHS, table, **changes)


def by_channel(channel: Any, cells: Any = None) -> Any:
    return {"channel": channel, "cells": LEAF if cells is None else cells}


def two_points(low: str, high: str, delta: str, **changes: Any) -> Any:
    """Of FLIPS with e^eps = 1 and n = 1, where delta is the distance of 2 p from 1."""
    witness = {"low": [low], "high": [high], "neighbors": "replace-one", "n": "1", "exp_eps": "1", "delta": delta}
    return {**witness, "proof": {}, "refutation": FIRST, **changes}


# --- The least delta -------------------------------------------------------------------------------------------------


def largest(*functions: Any) -> Any:
    return {"max": list(functions)}


def reached(first: str, second: str, *event: str) -> Any:
    """Two data sets, and the message counts of some outcomes."""
    return {"first": first.split(), "second": second.split(), "event": [counts.split() for counts in event]}


def by_events(*entries: Any, cells: Any = None) -> Any:
    return {"cells": LEAF if cells is None else cells, "reached": list(entries)}


def moved(event: str, order: str = "forward") -> Any:
    return {"shift": "1", "order": order, "event": event.split()}


OTHER = polynomial("-2@0, 3@1")
"""Of FLIPS, where what is sent is rather the other bit: above 2/3."""
EVENTS = reached("1 0", "0 1", "1 0"), reached("1 0", "0 1", "0 1"), reached("1 0", "0 1")
OF_FLIPS = largest(EXACT, OTHER, "0")
OF_ZSUM = largest(
    polynomial("1@2"), polynomial("-1/2@0, 3@1, -5/2@2"), polynomial("2@1, -5/2@2"), polynomial("1@0, -2@1, 1@2")
)
"""Two users at e^eps = 3/2: the first two meet at an irrational p, and so do the last two."""
EVENTS_OF_ZSUM = (
    reached("1 1", "2 0", "3"),
    reached("2 0", "1 1", "0", "1"),
    reached("1 1", "2 0", "2", "3"),
    reached("2 0", "1 1", "0"),
)
MOVED = largest(polynomial("1@0, -3@1"), P, polynomial("-2@0, 6@1"))
"""Of NOISE moved by 1, at e^eps = 2."""
AROUND = [side("1/5", "9/20")]
LEAST_SHIFT = for_all("p", AROUND, shift(NOISE, delta=MOVED, least="delta"))
MIDDLE = [side("1/10", "9/10")]


def least(delta: Any, sides: Any = None, **changes: Any) -> Any:
    return flips(delta, sides or TENTHS, least="delta", **changes)


def least_of_zsum(delta: Any = OF_ZSUM) -> Any:
    return for_all("p", MIDDLE, shuffle(ZSUM, 2, "3/2", delta, least="delta"))


CORRECT: dict[str, Case] = {
    # shuffle_dp
    "box_flips": (flips(), PROVED, LEAF),
    "box_flips_exact": (flips(EXACT), PROVED, LEAF),
    "box_flips_exact_in_cells": (flips(EXACT), PROVED, cut(0, "1/7", LEAF, cut(0, "2/7", LEAF, LEAF))),
    "box_flips_across_the_breakpoint": (flips(sides=[side("1/10", "1/2")]), PROVED, LEAF),
    "box_flips_of_two": (flips(polynomial("1@0, -3@1, 2@2"), n=2, exp_eps="1"), PROVED, LEAF),
    "box_flips_of_ten": (flips("9/10", TENTHS, 10), PROVED, LEAF),
    "box_flips_every_ratio": (
        for_all(
            "p e",
            [*THIRD, side("1", "2")],
            shuffle(FLIPS2, 1, polynomial("1@0 1"), polynomial("1@0 0, -1@1 0, -1@1 1")),
        ),
        PROVED,
        LEAF,
    ),
    "box_all_n": (flips(scope="all n from n"), PROVED, LEAF),
    "box_add_or_remove": (flips("1", neighbors="add-or-remove-one"), PROVED, LEAF),
    "box_zsum": (for_all("p", THIRD, shuffle(ZSUM, 2, delta="99/100")), PROVED, LEAF),
    "box_bundles": (for_all("p", THIRD, shuffle(MIXED, 2, delta="1")), PROVED, LEAF),
    "box_three_messages": (for_all("x", [side("1", "10")], shuffle(THREE, 2, "10", "0")), PROVED, LEAF),
    "box_two_parameters": (for_all("a b", SQUARE, shuffle(TWO, 2, delta="53/100")), PROVED, LEAF),
    "box_two_parameters_in_cells": (
        for_all("a b", SQUARE, shuffle(TWO, 2, delta="53/100")),
        PROVED,
        cut(1, "1/4", cut(0, "1/5", LEAF, LEAF), LEAF),
    ),
    "box_open_where_a_bottom_is_0": (
        hyperbola("open closed"),
        PROVED,
        LEAF,
    ),
    "box_delta_above_1": (flips("2"), PROVED, LEAF),
    "box_of_one_row": (for_all("p", WHOLE, shuffle(randomizer(1, {"": NOT_P, "0": P}), 3, delta="0")), PROVED, LEAF),
    "box_without_messages": (for_all("p", WHOLE, shuffle(MUTE, 3, delta="0")), PROVED, LEAF),
    "box_flips_refuted": (flips("7/10", [side("0", "1/3")]), REFUTED, at("1/100", **FIRST)),
    "box_flips_refuted_by_a_hair": (
        flips("699999999999/1000000000000"),
        REFUTED,
        at("1/10", **FIRST),
    ),
    "box_flips_refuted_at_0": (flips("9/10", WHOLE), REFUTED, at("0", **FIRST)),
    "box_refuted_two_parameters": (
        for_all("a b", SQUARE, shuffle(TWO, 1, delta="0")),
        REFUTED,
        at("1/4", "1/10", first=["1", "0", "0"], second=["0", "1", "0"]),
    ),
    "box_refuted_where_delta_is_negative": (flips(EXACT, WHOLE), REFUTED, {"point": ["1/2"]}),
    "box_refuted_where_a_probability_is_negative": (flips("1", [side("0", "2")]), REFUTED, {"point": ["3/2"]}),
    "box_refuted_where_exp_eps_is_below_1": (flips("1", exp_eps=polynomial("2@1")), REFUTED, {"point": ["1/4"]}),
    "box_refuted_where_a_bottom_is_0": (
        hyperbola(),
        REFUTED,
        {"point": ["0"]},
    ),
    "box_three_messages_refuted": (
        for_all("x", [side("1", "10")], shuffle(THREE, 1, "2", "1/4")),
        REFUTED,
        at("4", first=["1", "0", "0"], second=["0", "1", "0"]),
    ),
    "box_largest": (flips(OF_FLIPS, TENTHS), PROVED, LEAF),
    "box_largest_of_two_where_neither_is_always": (flips(largest(EXACT, "0"), [side("1/10", "1/2")]), PROVED, LEAF),
    "box_largest_refuted": (flips(largest(EXACT, "1/10"), TENTHS), REFUTED, at("9/10", **FIRST)),
    "box_largest_refuted_below_0": (flips(largest(EXACT, OTHER), TENTHS), REFUTED, {"point": ["1/2"]}),
    "box_least": (least(OF_FLIPS), PROVED, by_events(*EVENTS)),
    "box_least_with_outcomes_of_no_weight": (
        least(EXACT, THIRD),
        PROVED,
        by_events(reached("1 0", "0 1", "0 0", "1 0")),
    ),
    "box_least_of_one": (least(EXACT, THIRD), PROVED, by_events(EVENTS[0])),
    "box_least_across_irrational_breakpoints": (least_of_zsum(), PROVED, by_events(*EVENTS_OF_ZSUM, cells=HALVES)),
    "box_least_refuted": (least("7/10", THIRD), REFUTED, at("1/5", smaller="2/5")),
    "box_least_refuted_above": (least("1/2", THIRD), REFUTED, at("1/9", **FIRST)),
    # shift_dp
    "box_shift_least": (LEAST_SHIFT, PROVED, by_events(moved("-1 0"), moved("2", "backward"), moved("1 -1"))),
    "box_shift_least_with_outcomes_of_no_weight": (
        LEAST_SHIFT,
        PROVED,
        by_events(moved("0 -1 -7"), moved("2 7", "backward"), moved("1 -1 3")),
    ),
    "box_shift_refuted_below_0": (noise(polynomial("1/3@0, -1@1")), REFUTED, {"point": ["2/5"]}),
    "box_shift": (noise(), PROVED, LEAF),
    "box_shift_three": (noise("1", reach=3, exp_eps=polynomial("2@0, 1@1")), PROVED, LEAF),
    "box_shift_of_trials": (for_all("p", THIRD, shift(TRIALS, delta="1")), PROVED, LEAF),
    "box_shift_of_a_view": (for_all("p", THIRD, shift(view(ZSUM, "2 1", "3"), delta="1")), PROVED, LEAF),
    "box_shift_refuted": (noise("2/5", reach=2), REFUTED, at("2/5", shift="2", order="backward")),
    # smooth
    "box_smooth": (smoothed(polynomial("2@1"), k=2, exp_eps="3/2"), PROVED, LEAF),
    "box_smooth_below_the_breakpoint": (smoothed(P, [side("1/3", "2/5", "closed open")]), PROVED, LEAF),
    "box_smooth_two_apart": (steps(FALLING, "8/5"), PROVED, LEAF),
    "box_smooth_two_apart_to_the_left": (steps(RISING, "8/5"), PROVED, LEAF),
    "box_smooth_refuted_below_0": (smoothed(polynomial("1/3@0, -1@1")), REFUTED, {"point": ["2/5"]}),
    "box_smooth_refuted": (smoothed(P), REFUTED, at("2/5", by="1")),
    # tail
    "box_tail": (for_all("p", WHOLE, tail(TRIALS, "3", "infinity", "at most", polynomial("1@3"))), PROVED, LEAF),
    "box_tail_at_least": (for_all("p", WHOLE, tail(TRIALS, "3", "3", "at least", polynomial("1@3"))), PROVED, LEAF),
    "box_tail_touched": (for_all("p", WHOLE, tail(COINS, "2", "2", "at most", "3/8")), PROVED, HALVES),
    "box_tail_of_a_view": (
        for_all("p", WHOLE, tail(view(FLIPS, "1 1", "0 1"), "-infinity", "0", "at most", "1/4")),
        PROVED,
        HALVES,
    ),
    "box_tail_refuted": (for_all("p", WHOLE, tail(TRIALS, "2", "2", "at most", "443/1000")), REFUTED, at("2/3")),
    "box_tail_refuted_at_1": (for_all("p", WHOLE, tail(TRIALS, "-infinity", "2", "at least", "1/2")), REFUTED, at("1")),
    "box_tail_refuted_below_0": (
        for_all("p", WHOLE, tail(TRIALS, "4", "5", "at most", polynomial("1/2@0, -1@1"))),
        REFUTED,
        {"point": ["1"]},
    ),
    "box_tail_refuted_above_1": (
        for_all("p", WHOLE, tail(TRIALS, "0", "3", "at least", polynomial("1@0, 1@1"))),
        REFUTED,
        {"point": ["1"]},
    ),
    # equal_laws
    "box_equal": (for_all("p", WHOLE, equal_laws(view(ZSUM, "3 0", "1"), TRIALS)), PROVED, LEAF),
    "box_equal_finite": (
        for_all("x", RATIOS, equal_laws(finite_of("1@1", "1@0, 1@1"), finite_of("3@1, 3@2", "3@0, 6@1, 3@2"))),
        PROVED,
        LEAF,
    ),
    "box_equal_refuted_where_a_probability_is_negative": (
        for_all("p", WHOLE, equal_laws(NOISE, NOISE)),
        REFUTED,
        {"point": ["3/4"]},
    ),
    "box_equal_refuted": (
        for_all("p", WHOLE, equal_laws(view(ZSUM, "2 1", "1"), TRIALS)),
        REFUTED,
        at("1/2", outcome="0"),
    ),
    # in other claims
    "box_in_a_conjunction": (both(flips(), TRUE), PROVED, {"parts": [LEAF, LEAF]}),
    "box_in_a_negation": (negation(flips("1/2")), PROVED, at("1/9", **FIRST)),
    # monotone
    "monotone": (moves(), PROVED, by_channel(TO_UNIFORM)),
    "monotone_in_cells": (moves(), PROVED, by_channel(TO_UNIFORM, cut(1, "1/2", LEAF, cut(0, "1/4", LEAF, LEAF)))),
    "monotone_one_sided": (moves(ONE_SIDED, WHOLE), PROVED, by_channel(UP)),
    "monotone_one_sided_of_two": (monotone("a b", [side(), side()], SIDED_OF_TWO), PROVED, by_channel(UP_OF_TWO)),
    "monotone_open_where_a_bottom_is_0": (
        moves(ONE_SIDED, [side("0", "1", "closed open")]),
        PROVED,
        by_channel(UP_BUT_AT_1),
    ),
    "monotone_bundles": (moves(BUNDLES, WHOLE), PROVED, by_channel(UP)),
    "monotone_rises": (moves(sides=[side("3/5", "1")], delta="rises"), PROVED, by_channel(AWAY)),
    "monotone_open": (moves(sides=[side("1/2", "1", "open closed")], delta="rises"), PROVED, by_channel(AWAY)),
    "monotone_without_messages": (moves(MUTE), PROVED, by_channel([])),
    "monotone_refuted": (moves(sides=WHOLE), REFUTED, two_points("1/2", "3/4", "0")),
    "monotone_refuted_rises": (moves(delta="rises"), REFUTED, two_points("1/8", "1/4", "1/2")),
    "monotone_refuted_where_a_row_is_sure": (moves(sides=WHOLE), REFUTED, two_points("1/2", "1", "1/2")),
    "monotone_refuted_of_two": (
        monotone("a b", SQUARE, OF_TWO, "rises", 1),
        REFUTED,
        {**two_points("1/10", "1/10", "2/3"), "low": ["1/10", "1/5"], "high": ["1/10", "3/10"]},
    ),
    "monotone_in_a_conjunction": (both(moves(), TRUE), PROVED, {"parts": [by_channel(TO_UNIFORM), LEAF]}),
    "monotone_in_a_negation": (negation(moves(sides=WHOLE)), PROVED, two_points("1/2", "3/4", "0")),
}

WRONG: dict[str, Case] = {
    "box_delta_less_by_a_hair": (flips("699999999999/1000000000000"), PROVED, LEAF),
    "box_exact_delta_beyond_its_breakpoint": (flips(EXACT, [side("1/10", "2/5")]), PROVED, LEAF),
    "box_negative_delta_without_pairs": (
        for_all("p", WHOLE, shuffle(randomizer(1, {"": NOT_P, "0": P}), 3, delta="-1")),
        PROVED,
        LEAF,
    ),
    "box_one_cell_fails": (flips("7/10", [side("0", "1/3")]), PROVED, cut(0, "1/10", LEAF, LEAF)),
    "box_add_or_remove_less": (flips("9/10", neighbors="add-or-remove-one"), PROVED, LEAF),
    "box_closed_where_a_bottom_is_0": (hyperbola(), PROVED, LEAF),
    "box_bottom_negative": (
        for_all("x", TENTHS, shuffle(randomizer(1, {"0": "1"}), 1, delta=quotient("-1@1", "-1@0"))),
        PROVED,
        LEAF,
    ),
    "box_probability_negative": (flips("2", [side("1/2", "3/2")]), PROVED, LEAF),
    "box_exp_eps_below_1": (flips("1", exp_eps=polynomial("2@1")), PROVED, LEAF),
    "box_exp_eps_constant_below_1": (flips("1", exp_eps="1/2"), PROVED, LEAF),
    "box_trials_p_above_1": (for_all("p", [side("1/2", "3/2")], tail(TRIALS, "0", "3", "at most", "1")), PROVED, LEAF),
    "box_trials_p_below_0": (for_all("p", [side("-1/2", "1/2")], tail(TRIALS, "0", "3", "at most", "1")), PROVED, LEAF),
    "box_flips_nothing": (flips("0", WHOLE), PROVED, LEAF),
    "box_flips_nothing_at_ratio_1": (flips("0", WHOLE, exp_eps="1"), PROVED, LEAF),
    "box_largest_less": (flips(largest(EXACT, "1/10"), TENTHS), PROVED, LEAF),
    "box_largest_below_0": (
        flips(largest(EXACT, OTHER), TENTHS),
        PROVED,
        cut(0, "1/3", LEAF, cut(0, "2/3", LEAF, LEAF)),
    ),
    "box_largest_where_a_bottom_is_negative": (
        flips(largest(EXACT, quotient("-1@1", "-1@0")), THIRD),
        PROVED,
        LEAF,
    ),
    "box_least_not": (least("7/10", THIRD), PROVED, by_events(EVENTS[0])),
    "box_least_by_another_event": (least(OF_FLIPS), PROVED, by_events(EVENTS[1], EVENTS[0], EVENTS[2])),
    "box_least_by_strangers": (
        least(EXACT, THIRD),
        PROVED,
        by_events(reached("1 0", "1 0", "1 0")),
    ),
    "box_least_by_events_alone": (least(EXACT, [side("1/10", "2/5")]), PROVED, by_events(EVENTS[0])),
    "box_least_uncut": (least_of_zsum(), PROVED, by_events(*EVENTS_OF_ZSUM)),
    "box_least_refuted_by_too_small": (least("7/10", THIRD), REFUTED, at("1/5", smaller="1/5")),
    "box_shift_least_backward": (LEAST_SHIFT, PROVED, by_events(moved("-1 0", "backward"), moved("-1"), moved("-1 1"))),
    "box_cut_at_an_end": (flips(), PROVED, cut(0, "1/3", LEAF, LEAF)),
    "box_cut_outside": (flips(), PROVED, cut(0, "1/5", cut(0, "1/4", LEAF, LEAF), LEAF)),
    "box_shift_less": (noise("1/3"), PROVED, LEAF),
    "box_shift_longer": (noise("2/5", reach=2), PROVED, LEAF),
    "box_smooth_less": (smoothed("3/5", k=2, exp_eps="3/2"), PROVED, LEAF),
    "box_smooth_two_apart_less": (steps(FALLING, "4/3"), PROVED, LEAF),
    "box_smooth_two_apart_to_the_left_less": (steps(RISING, "4/3"), PROVED, LEAF),
    "box_smooth_less_by_a_hair_at_an_end": (
        for_all(
            "p",
            WHOLE,
            smooth(EVEN, k=2, exp_eps="3001/2000", delta=quotient("1999999999999@0, 1@1", "3000000000000@0")),
        ),
        PROVED,
        LEAF,
    ),
    "box_smooth_at_the_breakpoint": (smoothed(P), PROVED, LEAF),
    "box_tail_uncut": (for_all("p", WHOLE, tail(COINS, "2", "2", "at most", "3/8")), PROVED, LEAF),
    "box_tail_at_least_more": (for_all("p", WHOLE, tail(TRIALS, "3", "3", "at least", P)), PROVED, LEAF),
    "box_equal_not": (for_all("p", WHOLE, equal_laws(view(ZSUM, "2 1", "1"), TRIALS)), PROVED, LEAF),
    "box_equal_not_by_a_hair": (
        for_all("x", RATIOS, equal_laws(finite_of("1@1", "1@0, 1@1"), finite_of("3@1, 2@2", "3@0, 6@1, 3@2"))),
        PROVED,
        LEAF,
    ),
    "box_point_outside": (flips("1/2"), REFUTED, at("1/11", **FIRST)),
    "box_point_at_an_open_end": (flips("69/100", [side("1/10", "1/3", "open closed")]), REFUTED, at("1/10", **FIRST)),
    "box_point_where_it_holds": (flips("1/2"), REFUTED, at("1/6", **FIRST)),
    "box_point_with_other_data_sets": (flips("1/2"), REFUTED, at("1/8", **SECOND)),
    "box_point_alone_in_order": (flips("1/2"), REFUTED, {"point": ["1/8"]}),
    "box_point_alone_outside": (flips(EXACT), REFUTED, {"point": ["1/2"]}),
    "monotone_the_other_way": (moves(delta="rises"), PROVED, by_channel(TO_UNIFORM)),
    "monotone_beyond_its_end": (moves(sides=[side("1/8", "5/8")]), PROVED, by_channel(TO_UNIFORM)),
    "monotone_channel_of_another_table": (moves(), PROVED, by_channel(UP)),
    "monotone_channel_negative": (moves(sides=[side("3/5", "1")]), PROVED, by_channel(NEGATIVE)),
    "monotone_channel_bottom_0": (moves(sides=[side("1/2", "1")], delta="rises"), PROVED, by_channel(AWAY)),
    "monotone_channel_bottom_0_at_1": (
        moves(ONE_SIDED, [side("0", "1", "open closed")]),
        PROVED,
        by_channel(UP_BUT_AT_1),
    ),
    "monotone_channel_row_above_1": (moves(), PROVED, by_channel([TO_UNIFORM[0], [STEP, "1"]])),
    "monotone_channel_row_of_nothing": (moves(UNSENT), PROVED, by_channel(OF_UNSENT)),
    "monotone_table_negative": (moves(ONE_SIDED, [side("-1", "1")]), PROVED, by_channel(UP)),
    "monotone_one_row_of_two": (moves(randomizer(2, {"0": NOT_P, "1": P}, {"0": "1"}), WHOLE), PROVED, by_channel(UP)),
    "monotone_cut_outside": (moves(), PROVED, by_channel(TO_UNIFORM, cut(1, "1", LEAF, LEAF))),
    "monotone_refuted_not_in_order": (moves(sides=WHOLE), REFUTED, two_points("3/4", "1/2", "0")),
    "monotone_refuted_at_one_point": (moves(sides=WHOLE), REFUTED, two_points("1/2", "1/2", "0")),
    "monotone_refuted_by_another_parameter": (
        monotone("a b", SQUARE, OF_TWO, "rises", 1),
        REFUTED,
        {**two_points("1/10", "1/10", "2/3"), "low": ["1/10", "1/5"], "high": ["1/9", "3/10"]},
    ),
    "monotone_refuted_outside": (moves(), REFUTED, two_points("1/2", "3/4", "0")),
    "monotone_refuted_proof_fails": (moves(sides=WHOLE), REFUTED, two_points("2/5", "3/4", "1/10")),
    "monotone_refuted_refutation_fails": (moves(sides=WHOLE), REFUTED, two_points("2/5", "3/5", "1/5")),
    "monotone_refuted_rises_in_order": (moves(delta="rises", sides=WHOLE), REFUTED, two_points("1/2", "3/4", "0")),
}

VERY_LONG = f"1/{hex(2**4096)}"
NO_CLAIM: dict[str, Case] = {
    "box_without_parameters": (for_all("", [], shuffle()), PROVED, LEAF),
    "box_seven_parameters": (for_all("a b c d e f g", [side()] * 7, shuffle()), PROVED, LEAF),
    "box_parameter_twice": (for_all("p p", [side()] * 2, shuffle()), PROVED, LEAF),
    "box_side_missing": (for_all("p q", WHOLE, shuffle()), PROVED, LEAF),
    "box_side_empty": (flips(sides=[side("1/2", "1/2")]), PROVED, LEAF),
    "box_of_a_conjunction": (for_all("p", WHOLE, both(TRUE)), PROVED, {"parts": [LEAF]}),
    "box_of_a_box": (for_all("p", WHOLE, flips()), PROVED, LEAF),
    "box_of_two_messages": (for_all("p", WHOLE, {"kind": "two_message_dp"}), PROVED, LEAF),
    "box_of_no_object": (for_all("p", WHOLE, "shuffle_dp"), PROVED, LEAF),
    "box_with_eps": (flips(eps="1"), PROVED, LEAF),
    "box_with_least_exp_eps": (flips(least="exp_eps"), PROVED, LEAF),
    "box_least_for_all_n": (least(EXACT, THIRD, scope="all n from n"), PROVED, by_events(EVENTS[0])),
    "box_least_without_events": (least(EXACT, THIRD), PROVED, LEAF),
    "box_least_with_an_event_more": (least(EXACT, THIRD), PROVED, by_events(EVENTS[0], EVENTS[2])),
    "box_least_outcome_twice": (least(EXACT, THIRD), PROVED, by_events(reached("1 0", "0 1", "1 0", "1 0"))),
    "box_least_outcome_of_one_count": (least(EXACT, THIRD), PROVED, by_events(reached("1 0", "0 1", "1"))),
    "box_least_outcome_of_two_messages": (
        least(largest(EXACT, polynomial("2@0, -6@1")), THIRD),
        PROVED,
        by_events(EVENTS[0], reached("1 0", "0 1", "0 1", "2 0")),
    ),
    "box_shift_least_outcome_twice": (LEAST_SHIFT, PROVED, by_events(moved("-1 0 -1"), moved("-1"), moved("-1 1"))),
    "box_largest_of_one": (flips(largest(EXACT), THIRD), PROVED, LEAF),
    "box_largest_of_seventeen": (flips(largest(*["1"] * 17), THIRD), PROVED, LEAF),
    "box_largest_with_a_stranger": (flips({"max": [EXACT, "0"], "min": "0"}, THIRD), PROVED, LEAF),
    "box_largest_of_a_smooth_law": (smoothed(largest(P, "0")), PROVED, LEAF),
    "box_shift_with_least": (noise(least="exp_eps"), PROVED, LEAF),
    "box_of_a_family": (flips_of({"family": "k-ary", "inputs": "3", "exp_eps0": "2"}), PROVED, LEAF),
    "box_without_rows": (flips_of({"messages": "1", "rows": []}), PROVED, LEAF),
    "box_row_empty": (flips_of({"messages": "1", "rows": [[]]}), PROVED, LEAF),
    "box_row_sums_to_1_at_times": (flips_of(randomizer(1, {"": P, "0": P})), PROVED, LEAF),
    "box_row_twice_one_tuple": (
        flips_of({"messages": "1", "rows": [[{"send": ["0"], "prob": P}, {"send": ["0"], "prob": NOT_P}]]}),
        PROVED,
        LEAF,
    ),
    "box_row_unknown_message": (flips_of(randomizer(1, {"1": "1"})), PROVED, LEAF),
    "box_row_probability_0": (flips_of(randomizer(1, {"0": "1", "": "0"})), PROVED, LEAF),
    "box_function_empty": (flips([]), PROVED, LEAF),
    "box_function_empty_top": (flips({"top": [], "bottom": P}), PROVED, LEAF),
    "box_function_empty_bottom": (flips({"top": P, "bottom": []}), PROVED, LEAF),
    "box_function_without_bottom": (flips({"top": P}), PROVED, LEAF),
    "box_function_of_two_parameters": (flips(polynomial("1@0 1")), PROVED, LEAF),
    "box_function_term_twice": (flips(polynomial("1@1, 1@1")), PROVED, LEAF),
    "box_function_term_0": (flips(polynomial("0@1")), PROVED, LEAF),
    "box_function_not_in_lowest_terms": (flips("2/4"), PROVED, LEAF),
    "box_n_0": (flips(n=0), PROVED, LEAF),
    "box_shift_0": (noise(reach=0), PROVED, LEAF),
    "box_smooth_k_0": (smoothed(P, k=0), PROVED, LEAF),
    "box_law_poisson": (for_all("p", WHOLE, shift(poisson("1"))), PROVED, LEAF),
    "box_law_not_ascending": (
        for_all("p", WHOLE, shift({"family": "finite", "weights": [["1", P], ["0", NOT_P]]})),
        PROVED,
        LEAF,
    ),
    "box_law_sums_to_1_at_times": (
        for_all("p", WHOLE, shift({"family": "finite", "weights": [["0", P], ["1", "1/2"]]})),
        PROVED,
        LEAF,
    ),
    "box_law_entry_of_three": (
        for_all("p", WHOLE, shift({"family": "finite", "weights": [["0", "1", "0"]]})),
        PROVED,
        LEAF,
    ),
    "box_law_probability_0": (
        for_all("p", WHOLE, shift({"family": "finite", "weights": [["0", "0"], ["1", "1"]]})),
        PROVED,
        LEAF,
    ),
    "box_leaf_with_a_corner": (flips(), PROVED, {"corner": ["low"]}),
    "box_cut_of_no_parameter": (flips(), PROVED, cut(1, "1/5", LEAF, LEAF)),
    "box_cut_without_a_part": (flips(), PROVED, {"variable": "0", "at": "1/5", "low": LEAF}),
    "box_point_of_two": (flips("1/2"), REFUTED, at("1/9", "1/9", **FIRST)),
    "box_point_with_a_stranger": (flips("1/2"), REFUTED, {**at("1/9", **FIRST), "bits": "64"}),
    "box_point_where_a_bottom_is_0": (hyperbola(), REFUTED, at("0", **FIRST)),
    "box_point_where_it_is_no_claim": (flips("1", [side("0", "2")]), REFUTED, at("3/2", **FIRST)),
    "monotone_six_parameters": (monotone("a b c d e f", [side()] * 6, RESPONSE), PROVED, by_channel(STAYING)),
    "monotone_unknown_parameter": (moves(parameter=1), PROVED, by_channel(TO_UNIFORM)),
    "monotone_goes_up": (moves(delta="goes up"), PROVED, by_channel(TO_UNIFORM)),
    "monotone_row_missing": (moves(), PROVED, by_channel(TO_UNIFORM[:1])),
    "monotone_entry_missing": (moves(), PROVED, by_channel([TO_UNIFORM[0], [STEP]])),
    "monotone_entry_of_one_variable": (moves(), PROVED, by_channel([["1", "0"], [P, NOT_P]])),
    "monotone_without_cells": (moves(), PROVED, {"channel": TO_UNIFORM}),
    "monotone_cells_no_object": (moves(), PROVED, {"channel": TO_UNIFORM, "cells": "0"}),
    "monotone_refuted_without_n": (moves(), REFUTED, {"low": ["1/8"], "high": ["1/4"]}),
    "monotone_refuted_proof_no_object": (moves(sides=WHOLE), REFUTED, two_points("1/2", "3/4", "0", proof="")),
    "monotone_refuted_n_0": (moves(sides=WHOLE), REFUTED, two_points("1/2", "3/4", "0", n="0")),
    "limit_box_bits": (flips(VERY_LONG), PROVED, LEAF),
    "limit_box_degree": (flips(polynomial("1@65")), PROVED, LEAF),
    "limit_box_coefficients": (
        for_all(
            "a b c d", [side("0", "1")] * 4, shuffle(randomizer(1, {"0": "1"}), 1, delta=polynomial("1@12 12 12 12"))
        ),
        PROVED,
        LEAF,
    ),
    "limit_box_trials": (for_all("p", WHOLE, shift(binomial(20001, P))), PROVED, LEAF),
    "limit_box_packed_bits": (flips(n=10000), PROVED, LEAF),
    "limit_box_weights": (for_all("p", WHOLE, tail(binomial(800, P), "0", "1", "at most", "1")), PROVED, LEAF),
}


def broken_documents() -> dict[str, Any]:
    """Older schemas, which cannot say it."""
    return {
        "malformed/schema_2_with_for_all": document(*CORRECT["box_flips"], SCHEMAS[1]),
        "malformed/schema_2_with_monotone": document(*CORRECT["monotone"], SCHEMAS[1]),
    }
