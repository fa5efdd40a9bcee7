"""The corpus of the schema exactdp-certificate-2: many runs of mechanisms, composed adaptively.

The curves and the bounds that they give are computed here, by exact fractions and without the rounding of a checker: a
claim that is verified has the next multiple of STEP above what its curves give.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, islice
from math import ceil, comb, factorial
from typing import Any

from tests.certificates.claims import (
    PROVED,
    REFUTED,
    RESPONSE,
    SCHEMAS,
    SILENT,
    TRUE,
    Case,
    binomial,
    both,
    composed,
    curve,
    document,
    finite,
    geometric,
    lattice,
    negation,
    poisson,
    randomizer,
    run,
    views,
)
from tests.certificates.corpus_v2 import BACKWARD, FORWARD, LAPLACE, bits

Law = dict[Any, Fraction]
Pairs = list[tuple[Law, Law]]
Curve = list[int]  # in units of 2^-UNITS

UNITS = 56
WHOLE = 2**UNITS
STEP = Fraction(1, 2**24)
F = Fraction


# --- Pairs, curves and what they give -------------------------------------------------------------------------------


def shifted(weights: Law, reach: int = 1) -> Pairs:
    """A law against itself moved by 1 to ``reach``, in both orders; the weights need not sum to 1."""
    total = sum(weights.values())
    law = {t: weight / total for t, weight in weights.items()}
    found = [(law, {t + j: p for t, p in law.items()}) for j in range(1, reach + 1)]
    return found + [(q, p) for p, q in found]


def exchanged(pairs: Pairs) -> Pairs:
    return pairs + [(q, p) for p, q in pairs]


def view(table: Any, users: tuple[int, ...]) -> Law:
    law: Law = {(): F(1)}
    for user in users:
        grown: Law = {}
        for seen, p in law.items():
            for outcome in table["rows"][user]:
                key = tuple(sorted([*seen, *outcome["send"]]))
                grown[key] = grown.get(key, F(0)) + p * F(outcome["prob"])
        law = grown
    return law


def neighbours(table: Any, n: int, neighbors: str = "replace-one") -> Pairs:
    inputs, found = range(len(table["rows"])), []
    for rest in combinations_with_replacement(inputs, n - 1):
        others = [view(table, (*rest, x)) for x in inputs]
        found += [(p, q) for p in others for q in ([view(table, rest)] if neighbors != "replace-one" else others)]
    return exchanged(found)


def divergence(p: Law, q: Law, ratio: Fraction) -> Fraction:
    return sum((max(F(0), weight - ratio * q.get(t, F(0))) for t, weight in p.items()), F(0))


def levels(ratio: Fraction) -> Iterator[Fraction]:
    """1 and numbers just below the powers of the ratio, as the format has them."""
    level = 2**64
    while True:
        yield F(level, 2**64)
        level = level * ratio.numerator // ratio.denominator


def deltas(pairs: Pairs, ratio: str, places: int, more: int = 0) -> Curve:
    """The divergences at so many places of the lattice, rounded up, and a little more where a tail was left out."""
    worst = [max(divergence(p, q, level) for p, q in pairs) for level in islice(levels(F(ratio)), places)]
    return [min(WHOLE, ceil(delta * WHOLE) + more) for delta in worst]


def losses(found: Curve, rho: Fraction) -> tuple[Law, Fraction]:
    """The masses of the lemma *a privacy curve on a lattice*, and the infinite one."""
    d = [F(delta, WHOLE) for delta in [*found, found[-1]]]
    value = {j: d[j] if j >= 0 else 1 - rho**j * (1 - d[-j]) for j in range(1 - len(d), len(d))}
    slope = {j: (value[j + 1] - value[j]) / (rho ** (j + 1) - rho**j) for j in value if j + 1 in value}
    return {j: max(F(0), rho**j * (slope[j] - slope[j - 1])) for j in slope if j - 1 in slope}, d[-1]


def bound(ratio: str, exp_eps: str, *curves: tuple[Curve, int]) -> Fraction:
    """The divergence of the product of the measures of these curves, each taken so often as it says."""
    rho = F(ratio)
    every, finite_mass, mass = {0: F(1)}, F(1), F(1)
    for found, times in curves:
        masses, infinite = losses(found, rho)
        for _ in range(times):
            grown: Law = {}
            for i, p in every.items():
                for j, q in masses.items():
                    grown[i + j] = grown.get(i + j, F(0)) + p * q
            every = grown
            finite_mass *= sum(masses.values())
            mass *= sum(masses.values()) + infinite
    excess = [p * max(F(0), 1 - F(exp_eps) / rho**j) for j, p in every.items()]
    return mass - finite_mass + sum(excess)


def above(value: Fraction) -> str:
    return str((value // STEP + 1) * STEP)


def below(value: Fraction) -> str:
    return str((-(-value // STEP) - 1) * STEP)


# --- Mechanisms -----------------------------------------------------------------------------------------------------


def poisson_weights(mu: int) -> Law:
    return {t: F(mu**t, factorial(t)) for t in range(mu + 80)}


def coins(n: int) -> Law:
    """C(n, t), up to a factor, as far as it is above 2^-100 of the largest one, and to 2^-200 of that."""
    middle = n // 2
    weights = {middle: 1 << 200}
    for t in range(middle, n):
        weights[t + 1] = weights[2 * middle - t - 1] = weights[t] * (n - t) // (t + 1)
        if weights[t + 1] >> 100 == 0:
            break
    return {t: F(weight) for t, weight in weights.items() if t >= 0}


RESPONSE_PAIRS = exchanged([({0: F(3, 4), 1: F(1, 4)}, {0: F(1, 4), 1: F(3, 4)})])
LAPLACE_PAIRS = exchanged([({0: F(2, 3), 1: F(1, 3)}, {0: F(1, 3), 1: F(2, 3)})])  # constant ratios are one outcome
GEOMETRIC_ONE = [({0: F(1, 10), 1: F(9, 10)}, {1: F(1)})]
TEN_COINS = shifted({t: F(comb(10, t)) for t in range(11)})
FOUR_COINS = shifted({t: F(comb(4, t)) for t in range(5)})
SHY = randomizer(1, {"": "9/10", "0": "1/10"}, {"": "4/5", "0": "1/5"})
LOPSIDED = finite(at0="1/2", at1="1/8", at2="3/8")
LOPSIDED_PAIRS = shifted({0: F(1, 2), 1: F(1, 8), 2: F(3, 8)})
UNEVEN = finite(at0="1/4", at1="1/4", at2="1/2")
UNEVEN_PAIRS = shifted({0: F(1, 4), 1: F(1, 4), 2: F(1, 2)}, 2)

LOCAL = deltas(RESPONSE_PAIRS, "3", 2)  # 1/2 and 0: this lattice has the losses of RESPONSE
DENTED = [WHOLE // 2, WHOLE // 2, 0]
LAPLACE_CURVE = deltas(LAPLACE_PAIRS, "2", 2)
TEN = deltas(TEN_COINS, "3/2", 7)
FOUR = deltas(FOUR_COINS, "3", 2)
TWO_VIEWS = deltas(neighbours(RESPONSE, 2), "5/4", 6)
ADDED = deltas(neighbours(SHY, 2, "add-or-remove-one"), "6/5", 5)
GEOMETRIC = deltas(exchanged(GEOMETRIC_ONE), "5/4", 4)
GEOMETRIC_BACK = deltas([(q, p) for p, q in GEOMETRIC_ONE], "5/4", 4)
POISSON = deltas(shifted(poisson_weights(20)), "6/5", 10, 1)
MANY = deltas(shifted(coins(100_000)), "101/100", 4, 1)
UNEVEN_CURVE = deltas(UNEVEN_PAIRS, "3/2", 3)
LOPSIDED_CURVE = deltas(LOPSIDED_PAIRS, "2", 4)

RESPONDED, TOSSED = views(RESPONSE, 1, 10), run(binomial(10, "1/2"), 5)
NOISED, ARRIVED = run(LAPLACE, 5), run(poisson("20"), 4)
TENFOLD = bound("3", "27", (LOCAL, 10))  # exactly the divergence of ten answers
TWO_RUNS = [views(RESPONSE, 1, 2), run(binomial(4, "1/2"), 1)]
TWO_BOUND = bound("3", "9", (LOCAL, 2), (FOUR, 1))
LITTLE = Fraction(1, 2**40)


def curves(ratio: str, *listed: Any, precision: int = UNITS, **more: str) -> Any:
    return lattice(ratio, precision, curves=list(listed), **more)


def pairs(ratio: str, *listed: Any, precision: int = UNITS, **more: str) -> Any:
    return lattice(ratio, precision, pairs=list(listed), **more)


ZERO_OR_ONE = {"first": ["1", "0"], "second": ["0", "1"]}
ONE_MORE = {"first": ["2", "0"], "second": ["1", "0"]}
WITH_TEN = curves("3/2", curve(TEN))
WITH_LAPLACE = curves("2", curve(LAPLACE_CURVE))
WITH_LOCAL = curves("3", curve(LOCAL))
WITH_POISSON = curves("6/5", curve(POISSON, bits="64"))
WITH_TWO = curves("3", curve(LOCAL), curve(FOUR))
TEN_BOUND = bound("3/2", "8", (TEN, 5))
POISSON_BOUND = bound("6/5", "2", (POISSON, 4))
GEOMETRIC_BOUND = bound("5/4", "5/4", (GEOMETRIC, 2))

TEN_CLAIM = composed(TOSSED, exp_eps="8", delta=above(TEN_BOUND))
LOCAL_CLAIM = composed(RESPONDED, exp_eps="27", delta=str(TENFOLD + LITTLE))
POISSON_CLAIM = composed(ARRIVED, exp_eps="2", delta=above(POISSON_BOUND))
TWO_CLAIM = composed(*TWO_RUNS, exp_eps="9", delta=above(TWO_BOUND))
EPS_CLAIM = composed(NOISED, eps="7/5", delta=above(bound("2", "4", (LAPLACE_CURVE, 5))))
LAPLACE_THRICE = composed(run(LAPLACE, 3), exp_eps="2", delta="223/1000")
LOCAL_FALSE = composed(RESPONDED, exp_eps="27", delta=str(TENFOLD - LITTLE))
POISSON_FALSE = composed(ARRIVED, exp_eps="2", delta="1/50")

CORRECT: dict[str, Case] = {
    "composed_response_where_the_lattice_is_exact": (LOCAL_CLAIM, PROVED, WITH_LOCAL),
    "composed_at_a_power_of_the_ratio": (
        composed(views(RESPONSE, 1, 3), exp_eps="27", delta="0"),
        PROVED,
        WITH_LOCAL,
    ),
    "composed_binomial": (TEN_CLAIM, PROVED, WITH_TEN),
    "composed_bits_binomial": (
        composed(
            run(binomial(100_000, "1/2"), 9), exp_eps="101/100", delta=above(bound("101/100", "101/100", (MANY, 9)))
        ),
        PROVED,
        curves("101/100", curve(MANY, bits="64")),
    ),
    "composed_bits_poisson": (POISSON_CLAIM, PROVED, WITH_POISSON),
    "composed_geometric": (
        composed(run(geometric("9/10"), 2), exp_eps="5/4", delta=above(GEOMETRIC_BOUND)),
        PROVED,
        curves("5/4", curve(GEOMETRIC)),
    ),
    "composed_laplace_eps": (EPS_CLAIM, PROVED, curves("2", curve(LAPLACE_CURVE), terms="12")),
    "composed_finite_two_shifts": (
        composed(run(UNEVEN, 2, 2), exp_eps="3/2", delta=above(bound("3/2", "3/2", (UNEVEN_CURVE, 2)))),
        PROVED,
        curves("3/2", curve(UNEVEN_CURVE)),
    ),
    "composed_views": (
        composed(views(RESPONSE, 2, 3), exp_eps="3", delta=above(bound("5/4", "3", (TWO_VIEWS, 3)))),
        PROVED,
        curves("5/4", curve(TWO_VIEWS)),
    ),
    "composed_views_add_or_remove": (
        composed(views(SHY, 2, 2, "add-or-remove-one"), exp_eps="3/2", delta=above(bound("6/5", "3/2", (ADDED, 2)))),
        PROVED,
        curves("6/5", curve(ADDED)),
    ),
    "composed_two_runs": (TWO_CLAIM, PROVED, WITH_TWO),
    "composed_once": (
        composed(run(binomial(10, "1/2"), 1), exp_eps="9/4", delta=above(F(TEN[2], WHOLE))),
        PROVED,
        WITH_TEN,
    ),
    "composed_of_nothing_a_million_times": (
        composed(views(SILENT, 2, 10**6), exp_eps="1", delta="0"),
        PROVED,
        curves("2", curve([0])),
    ),
    "composed_curve_that_is_not_convex": (
        composed(views(RESPONSE, 1, 2), exp_eps="27", delta=above(bound("3", "27", (DENTED, 2)))),
        PROVED,
        curves("3", curve(DENTED)),
    ),
    "composed_with_nothing_shown": (
        composed(NOISED, exp_eps="2", delta="1"),
        PROVED,
        curves("7/3", curve([WHOLE])),
    ),
    "composed_and_another": (both(TRUE, LAPLACE_THRICE), PROVED, {"parts": [{}, WITH_LAPLACE]}),
    "composed_refuted_just_below_the_divergence": (LOCAL_FALSE, REFUTED, pairs("3", ZERO_OR_ONE)),
    "composed_refuted_binomial_eps": (
        composed(TOSSED, eps="2", delta="3/25"),
        REFUTED,
        pairs("51/50", FORWARD, terms="20"),
    ),
    "composed_refuted_bits_poisson": (POISSON_FALSE, REFUTED, pairs("21/20", bits(64, **FORWARD))),
    "composed_refuted_bits_by_infinite_losses": (
        composed(run(poisson("1"), 2), exp_eps="4", delta="3/5"),
        REFUTED,
        pairs("21/20", bits(64, **FORWARD)),
    ),
    "composed_refuted_bits_binomial": (
        composed(run(binomial(100_000, "1/2"), 9), exp_eps="101/100", delta="1/300"),
        REFUTED,
        pairs("1001/1000", bits(64, **BACKWARD)),
    ),
    "composed_refuted_by_infinite_losses": (
        composed(run(geometric("9/10"), 3), exp_eps="1000000", delta="27/100"),
        REFUTED,
        pairs("1001/1000", FORWARD),
    ),
    "composed_refuted_two_runs": (
        composed(*TWO_RUNS, exp_eps="9", delta="1/10"),
        REFUTED,
        pairs("3", ZERO_OR_ONE, BACKWARD),
    ),
    "composed_refuted_by_a_user_added": (
        composed(views(SHY, 2, 2, "add-or-remove-one"), exp_eps="3/2", delta="1/20"),
        REFUTED,
        pairs("21/20", ONE_MORE),
    ),
    "composed_refuted_laplace_backward": (
        composed(run(LAPLACE, 3), exp_eps="2", delta="5/27"),
        REFUTED,
        pairs("2", BACKWARD),
    ),
    "composed_not": (negation(POISSON_FALSE), PROVED, pairs("21/20", bits(64, **FORWARD))),
    "composed_not_refuted": (negation(TWO_CLAIM), REFUTED, WITH_TWO),
    "composed_refuted_in_a_conjunction": (
        both(TWO_CLAIM, LOCAL_FALSE),
        REFUTED,
        {"part": "1", "witness": pairs("3", ZERO_OR_ONE)},
    ),
}


def smaller(found: Curve, place: int) -> Curve:
    """The curve with one delta a unit smaller."""
    return [delta - (j == place) for j, delta in enumerate(found)]


WRONG: dict[str, Case] = {
    "composed_first_delta_a_unit_too_small": (LOCAL_CLAIM, PROVED, curves("3", curve(smaller(LOCAL, 0)))),
    "composed_a_delta_a_unit_too_small": (TEN_CLAIM, PROVED, curves("3/2", curve(smaller(TEN, 3)))),
    "composed_last_delta_a_unit_too_small": (TEN_CLAIM, PROVED, curves("3/2", curve(smaller(TEN, 6)))),
    "composed_infinite_losses_forgotten": (TEN_CLAIM, PROVED, curves("3/2", curve([*TEN[:-1], 0]))),
    "composed_curve_an_entry_short": (TEN_CLAIM, PROVED, curves("3/2", curve(TEN[:-1]))),
    "composed_first_delta_missing": (LOCAL_CLAIM, PROVED, curves("3", curve(LOCAL[1:]))),
    "composed_delta_a_step_below_the_curve": (
        composed(TOSSED, exp_eps="8", delta=below(TEN_BOUND)),
        PROVED,
        WITH_TEN,
    ),
    "composed_delta_just_below_the_divergence": (LOCAL_FALSE, PROVED, WITH_LOCAL),
    "composed_at_the_divergence": (composed(RESPONDED, exp_eps="27", delta=str(TENFOLD)), PROVED, WITH_LOCAL),
    "composed_once_more": (
        composed(run(binomial(10, "1/2"), 6), exp_eps="8", delta=above(TEN_BOUND)),
        PROVED,
        WITH_TEN,
    ),
    "composed_another_run_more": (
        composed(*TWO_RUNS, run(binomial(4, "1/2"), 1), exp_eps="9", delta=above(TWO_BOUND)),
        PROVED,
        curves("3", curve(LOCAL), curve(FOUR), curve(FOUR)),
    ),
    "composed_curves_exchanged": (TWO_CLAIM, PROVED, curves("3", curve(FOUR), curve(LOCAL))),
    "composed_curve_of_another_ratio": (TEN_CLAIM, PROVED, curves("5/4", curve(TEN))),
    "composed_curve_of_one_trial_more": (
        composed(run(binomial(9, "1/2"), 5), exp_eps="8", delta=above(TEN_BOUND)),
        PROVED,
        WITH_TEN,
    ),
    "composed_exp_eps_of_another": (composed(TOSSED, exp_eps="7", delta=above(TEN_BOUND)), PROVED, WITH_TEN),
    "composed_eps_in_place_of_exp_eps": (
        composed(RESPONDED, eps="27/10", delta=str(TENFOLD)),
        PROVED,
        curves("3", curve(LOCAL), terms="20"),
    ),
    "composed_terms_too_few": (EPS_CLAIM, PROVED, curves("2", curve(LAPLACE_CURVE), terms="2")),
    "composed_just_below_a_power_of_the_ratio": (
        composed(views(RESPONSE, 1, 3), exp_eps=f"{27 * 2**99 - 1}/{2**99}", delta="0"),
        PROVED,
        WITH_LOCAL,
    ),
    "composed_two_runs_at_the_level_of_one": (
        composed(views(RESPONSE, 1, 2), exp_eps="3", delta="0"),
        PROVED,
        WITH_LOCAL,
    ),
    "composed_curve_of_one_order": (
        composed(run(geometric("9/10"), 2), exp_eps="5/4", delta=above(GEOMETRIC_BOUND)),
        PROVED,
        curves("5/4", curve(GEOMETRIC_BACK)),
    ),
    "composed_curve_of_a_shorter_shift": (
        composed(run(UNEVEN, 2, 2), exp_eps="3/2", delta="1"),
        PROVED,
        curves("3/2", curve(deltas(shifted({0: F(1, 4), 1: F(1, 4), 2: F(1, 2)}), "3/2", 3))),
    ),
    "composed_curve_of_the_other_neighbours": (
        composed(views(RESPONSE, 2, 3, "add-or-remove-one"), exp_eps="3", delta="1"),
        PROVED,
        curves("5/4", curve(TWO_VIEWS)),
    ),
    "composed_curve_of_more_users": (
        composed(views(RESPONSE, 1, 3), exp_eps="3", delta="1"),
        PROVED,
        curves("5/4", curve(TWO_VIEWS)),
    ),
    "composed_delta_of_a_curve_that_is_not_convex": (
        composed(views(RESPONSE, 1, 2), exp_eps="27", delta=below(bound("3", "27", (DENTED, 2)))),
        PROVED,
        curves("3", curve(DENTED)),
    ),
    "composed_bits_too_few_for_the_curve": (POISSON_CLAIM, PROVED, curves("6/5", curve(POISSON, bits="20"))),
    "composed_precision_too_low": (
        LOCAL_CLAIM,
        PROVED,
        curves("3", curve([2**15, 0]), precision=16),
    ),
    "composed_proof_in_units_of_another_precision": (
        composed(views(RESPONSE, 1, 3), exp_eps="27", delta="0"),
        PROVED,
        curves("3", curve(LOCAL), precision=UNITS + 1),
    ),
    "composed_refuted_at_the_divergence": (
        composed(RESPONDED, exp_eps="27", delta=str(TENFOLD)),
        REFUTED,
        pairs("3", ZERO_OR_ONE),
    ),
    "composed_refuted_by_infinite_losses_at_the_divergence": (
        composed(run(geometric("9/10"), 3), exp_eps="1000000", delta="271/1000"),
        REFUTED,
        pairs("1001/1000", FORWARD),
    ),
    "composed_refuted_once_less": (
        composed(run(geometric("9/10"), 2), exp_eps="1000000", delta="27/100"),
        REFUTED,
        pairs("2", FORWARD),
    ),
    "composed_refuted_in_the_other_order": (
        composed(run(geometric("9/10"), 3), exp_eps="1000000", delta="27/100"),
        REFUTED,
        pairs("2", BACKWARD),
    ),
    "composed_refuted_in_the_better_order": (
        composed(run(LOPSIDED, 2), exp_eps="2", delta="27/32"),
        REFUTED,
        pairs("2", BACKWARD),
    ),
    "composed_refuted_by_a_true_claim": (TWO_CLAIM, REFUTED, pairs("3", ZERO_OR_ONE, BACKWARD)),
    "composed_refuted_by_two_data_sets_apart": (
        composed(views(RESPONSE, 2, 3), exp_eps="3", delta="1/100"),
        REFUTED,
        pairs("3", {"first": ["2", "0"], "second": ["0", "2"]}),
    ),
    "composed_refuted_by_one_data_set_twice": (
        composed(views(RESPONSE, 2, 3), exp_eps="3", delta="0"),
        REFUTED,
        pairs("3", {"first": ["2", "0"], "second": ["2", "0"]}),
    ),
    "composed_refuted_by_a_user_replaced": (
        composed(views(RESPONSE, 2, 3, "add-or-remove-one"), exp_eps="3", delta="0"),
        REFUTED,
        pairs("3", {"first": ["2", "0"], "second": ["1", "1"]}),
    ),
    "composed_refuted_with_too_few_bits": (
        composed(run(binomial(100_000, "1/2"), 9), exp_eps="101/100", delta="1/300"),
        REFUTED,
        pairs("1001/1000", bits(16, **BACKWARD)),
    ),
    "composed_refuted_with_a_lattice_too_coarse": (POISSON_FALSE, REFUTED, pairs("4", bits(64, **FORWARD))),
    "composed_refuted_with_precision_too_low": (LOCAL_FALSE, REFUTED, pairs("3", ZERO_OR_ONE, precision=16)),
    "composed_refuted_with_too_few_terms": (
        composed(TOSSED, eps="2", delta="3/25"),
        REFUTED,
        pairs("51/50", FORWARD, terms="3"),
    ),
    "composed_not_a_true_claim": (negation(TWO_CLAIM), PROVED, pairs("3", ZERO_OR_ONE, BACKWARD)),
    "composed_and_another_of_exchanged_parts": (
        both(TWO_CLAIM, LAPLACE_THRICE),
        PROVED,
        {"parts": [WITH_TWO, curves("2", curve(smaller(LAPLACE_CURVE, 0)))]},
    ),
}


def without(value: Any, key: str) -> Any:
    return {k: v for k, v in value.items() if k != key}


def with_run(**changes: Any) -> Any:
    return composed({**NOISED, **changes})


ANY_CURVE = curves("2", curve([WHOLE]))
TWO_POWER = hex(2**4096)

NO_CLAIM: dict[str, Case] = {
    "composed_ratio_one": (EPS_CLAIM, PROVED, curves("1", curve(LAPLACE_CURVE), terms="9")),
    "composed_ratio_a_half": (LOCAL_CLAIM, PROVED, curves("1/2", curve(LOCAL))),
    "composed_ratio_negative": (LOCAL_CLAIM, PROVED, curves("-3", curve(LOCAL))),
    "composed_ratio_a_real": (LOCAL_CLAIM, PROVED, {**WITH_LOCAL, "ratio": {"exp": "1"}}),
    "composed_ratio_one_refuted": (LOCAL_FALSE, REFUTED, pairs("1", ZERO_OR_ONE)),
    "composed_precision_fifteen": (LOCAL_CLAIM, PROVED, curves("3", curve([2**14, 0]), precision=15)),
    "composed_precision_a_fraction": (LOCAL_CLAIM, PROVED, {**WITH_LOCAL, "precision": "81/2"}),
    "composed_precision_missing": (LOCAL_CLAIM, PROVED, without(WITH_LOCAL, "precision")),
    "composed_precision_fifteen_refuted": (LOCAL_FALSE, REFUTED, pairs("3", ZERO_OR_ONE, precision=15)),
    "composed_delta_of_a_curve_above_one": (LOCAL_CLAIM, PROVED, curves("3", curve([WHOLE + 1, 0]))),
    "composed_delta_of_a_curve_negative": (LOCAL_CLAIM, PROVED, curves("3", curve([LOCAL[0], -1]))),
    "composed_delta_of_a_curve_a_fraction": (
        LOCAL_CLAIM,
        PROVED,
        lattice("3", UNITS, curves=[{"deltas": ["1/2", "0"], "witness": {}}]),
    ),
    "composed_curve_of_nothing": (LOCAL_CLAIM, PROVED, curves("3", curve([]))),
    "composed_curve_missing": (TWO_CLAIM, PROVED, WITH_LOCAL),
    "composed_curve_too_many": (LOCAL_CLAIM, PROVED, WITH_TWO),
    "composed_curve_without_its_witness": (LOCAL_CLAIM, PROVED, curves("3", {"deltas": ["1"]})),
    "composed_curve_a_list": (LOCAL_CLAIM, PROVED, curves("3", ["1", "0"])),
    "composed_curve_with_a_name": (LOCAL_CLAIM, PROVED, curves("3", {**curve(LOCAL), "name": "ones"})),
    "composed_curve_with_a_delta": (LOCAL_CLAIM, PROVED, curves("3", curve(LOCAL, delta="0"))),
    "composed_witness_with_a_bound": (LOCAL_CLAIM, PROVED, {**WITH_LOCAL, "bound": "0"}),
    "composed_terms_without_eps": (LOCAL_CLAIM, PROVED, curves("3", curve(LOCAL), terms="9")),
    "composed_terms_missing": (EPS_CLAIM, PROVED, curves("2", curve(LAPLACE_CURVE))),
    "composed_terms_in_a_curve": (LOCAL_CLAIM, PROVED, curves("3", curve(LOCAL, terms="9"))),
    "composed_bits_beside_the_curves": (POISSON_CLAIM, PROVED, {**curves("6/5", curve(POISSON)), "bits": "64"}),
    "composed_exact_poisson": (POISSON_CLAIM, PROVED, curves("6/5", curve(POISSON))),
    "composed_bits_for_a_table": (composed(run(UNEVEN, 2)), PROVED, curves("2", curve([WHOLE], bits="64"))),
    "composed_bits_for_a_view": (LOCAL_CLAIM, PROVED, curves("3", curve(LOCAL, bits="64"))),
    "composed_proved_by_pairs": (LOCAL_CLAIM, PROVED, pairs("3", ZERO_OR_ONE)),
    "composed_refuted_by_curves": (LOCAL_FALSE, REFUTED, WITH_LOCAL),
    "composed_pair_missing": (TWO_CLAIM, REFUTED, pairs("3", ZERO_OR_ONE)),
    "composed_pair_a_string": (LOCAL_FALSE, REFUTED, pairs("3", "forward")),
    "composed_pair_of_a_shift_for_a_view": (LOCAL_FALSE, REFUTED, pairs("3", FORWARD)),
    "composed_pair_of_data_sets_for_a_law": (composed(NOISED), REFUTED, pairs("2", ZERO_OR_ONE)),
    "composed_pair_with_bits_for_a_view": (LOCAL_FALSE, REFUTED, pairs("3", bits(64, **ZERO_OR_ONE))),
    "composed_pair_with_bits_for_a_table": (composed(run(UNEVEN, 2)), REFUTED, pairs("3", bits(64, **FORWARD))),
    "composed_pair_with_bits_alone": (POISSON_FALSE, REFUTED, pairs("3", bits(64))),
    "composed_pair_bits_fifteen": (POISSON_FALSE, REFUTED, pairs("3", bits(15, **BACKWARD))),
    "composed_pair_of_no_shift": (POISSON_FALSE, REFUTED, pairs("3", bits(64, shift="0", order="backward"))),
    "composed_pair_of_a_longer_shift": (POISSON_FALSE, REFUTED, pairs("3", bits(64, shift="2", order="backward"))),
    "composed_pair_of_a_longer_shift_exactly": (
        composed(NOISED, delta="0"),
        REFUTED,
        pairs("2", {"shift": "2", "order": "backward"}),
    ),
    "composed_pair_of_an_unknown_order": (POISSON_FALSE, REFUTED, pairs("3", bits(64, shift="1", order="upward"))),
    "composed_pair_exactly_poisson": (POISSON_FALSE, REFUTED, pairs("3", BACKWARD)),
    "composed_run_of_a_law_and_a_randomizer": (with_run(randomizer=RESPONSE), PROVED, ANY_CURVE),
    "composed_run_of_neither": (composed({"times": "2"}), PROVED, ANY_CURVE),
    "composed_run_a_string": (composed("laplace"), PROVED, ANY_CURVE),
    "composed_run_without_times": (composed(without(NOISED, "times")), PROVED, ANY_CURVE),
    "composed_run_without_a_shift": (composed(without(NOISED, "shift")), PROVED, ANY_CURVE),
    "composed_run_with_a_scope": (composed({**RESPONDED, "scope": "this n"}), PROVED, ANY_CURVE),
    "composed_run_with_a_delta": (with_run(delta="1"), PROVED, ANY_CURVE),
    "composed_run_shift_zero": (with_run(shift="0"), PROVED, ANY_CURVE),
    "composed_run_of_no_users": (composed(views(RESPONSE, 0, 2)), PROVED, ANY_CURVE),
    "composed_run_of_unknown_neighbours": (composed(views(RESPONSE, 1, 2, "replace-two")), PROVED, ANY_CURVE),
    "composed_times_zero": (with_run(times="0"), PROVED, ANY_CURVE),
    "composed_times_negative": (with_run(times="-1"), PROVED, ANY_CURVE),
    "composed_times_a_fraction": (with_run(times="3/2"), PROVED, ANY_CURVE),
    "composed_runs_none": (composed(), PROVED, curves("2")),
    "composed_runs_an_object": ({**composed(), "runs": NOISED}, PROVED, ANY_CURVE),
    "composed_with_least": (composed(NOISED, least="none"), PROVED, ANY_CURVE),
    "composed_with_a_scope": (composed(NOISED, scope="this n"), PROVED, ANY_CURVE),
    "composed_with_eps_and_exp_eps": ({**composed(NOISED), "eps": "1"}, PROVED, ANY_CURVE),
    "composed_without_a_level": (without(composed(NOISED), "exp_eps"), PROVED, ANY_CURVE),
    "composed_without_delta": (without(composed(NOISED), "delta"), PROVED, ANY_CURVE),
    "composed_delta_above_one": (composed(NOISED, delta="9/8"), PROVED, ANY_CURVE),
    "composed_exp_eps_below_one": (composed(NOISED, exp_eps="1/2"), PROVED, ANY_CURVE),
    "composed_of_a_composition": (composed(composed(NOISED)), PROVED, ANY_CURVE),
}

TOO_LARGE: dict[str, Case] = {
    "limit_ratio_of_a_lattice": (LOCAL_CLAIM, PROVED, curves(TWO_POWER, curve(LOCAL))),
    "limit_precision_of_a_lattice": (LOCAL_CLAIM, PROVED, curves("3", curve([0]), precision=16385)),
    "limit_times": (with_run(times="1000001"), PROVED, ANY_CURVE),
    "limit_shift_of_a_run": (with_run(shift="1001"), PROVED, ANY_CURVE),
    "limit_e_to_the_eps_of_a_curve": (
        composed(NOISED, exp_eps="2", delta="1"),
        PROVED,
        curves(str(2**100), curve([WHOLE] * 42)),
    ),
    "limit_eps_of_a_composition": (composed(NOISED, eps="65"), PROVED, {**ANY_CURVE, "terms": "9"}),
}


def broken_documents() -> dict[str, Any]:
    first = SCHEMAS[0]
    return {
        "malformed/schema_1_with_a_composition": document(LOCAL_CLAIM, PROVED, WITH_LOCAL, first),
        "malformed/schema_1_with_a_composition_inside": document(negation(LOCAL_CLAIM), REFUTED, WITH_LOCAL, first),
    }
