"""The corpus of the schema exactdp-certificate-4, for real messages: numbers from 0 to 1 plus Laplace noise."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.certificates.claims import (
    PROVED,
    REFUTED,
    TRUE,
    WORKED,
    Case,
    both,
    composed,
    document,
    lattice,
    negation,
    never,
    shuffle,
    views,
)
from tests.certificates.corpus_v3_blankets import FOUR, STEEP, blanket, family, less_by_a_hair
from tests.certificates.corpus_v4 import FINE, SCHEMA, away, classes, own, plan, product, swap

LAPLACE = family("laplace", exp_eps0=3)
POINTS, PLACES, DISTANCES = "5/4 3/2 7/4 2 9/4 5/2 11/4", "4/3 2", "9/8 9/7 3/2 2"
MANY_PLACES, MANY_DISTANCES = "65/64 9/8 4/3 5/3 9/4 8/3 95/32", "1025/1024 513/512 129/128 33/32 9/8 3/2"


def with_cells(witness: Any, points: str = POINTS, places: str | None = PLACES, distances: str = DISTANCES) -> Any:
    """The only object of a witness with the ends of cells, of a swap those of the others too."""
    ((name, fields),) = ((name, fields) for name, fields in witness.items() if isinstance(fields, dict))
    cells = {"points": points.split()}
    if name == "swap" and places is not None:
        cells |= {"places": places.split(), "distances": distances.split()}
    return {**witness, name: {**fields, **cells}}


def likelihood(others: str, threshold: int | None = 0, points: str = POINTS, **beside: str) -> Any:
    fields = {"others": others, "bits": "64", "length": "1024", "at": "3/2", "step": "1/16", "cut": "24"}
    ended = fields if threshold is None else {**fields, "threshold": str(threshold)}
    return with_cells({"likelihood": ended, **beside}, points)


FEW = plan("3/8", "1/2", 60, "2 12")
SWAP = with_cells(swap(FEW))
BLANKET = with_cells(blanket(("1/16", STEEP)))

CASES: dict[str, tuple[Any, Any]] = {
    "swap": (shuffle(LAPLACE, 30, "5/4", "251575979/10000000000"), SWAP),
    "swap_of_coarse_points": (shuffle(LAPLACE, 30, "5/4", "146960953/5000000000"), with_cells(swap(FEW), "2")),
    "swap_of_no_places": (shuffle(LAPLACE, 30, "5/4", "132406133/5000000000"), with_cells(swap(FEW), places="")),
    "swap_of_no_cells": (
        shuffle(LAPLACE, 30, "5/4", "215507149/1000000000"),
        with_cells(swap(plan("1/4", "1/2", 60, "2 12")), "", "", ""),
    ),
    "swap_by_a_blanket": (
        shuffle(LAPLACE, 30, "5/4", "112273981/5000000000"),
        with_cells(swap(plan("1/4", "1/2", 60, "")), places="", distances=""),
    ),
    "swap_of_a_billion_users": (
        shuffle(LAPLACE, 10**9, "10001/10000", "135483599/5000000000000000"),
        with_cells(swap(plan("1/8192", "1/4", 300, "2 4 6 10 124", FINE)), POINTS, MANY_PLACES, MANY_DISTANCES),
    ),
    "blanket": (shuffle(LAPLACE, 10, "2", "236962803/25000000000"), BLANKET),
    "blanket_of_one_user": (shuffle(LAPLACE, 1, "2", "92592593/500000000"), BLANKET),
}
SHARP: dict[str, tuple[Any, Any]] = {
    "refuted": (shuffle(LAPLACE, 12, "3/2", "13177383/625000000"), likelihood("first")),
    "refuted_beside_the_second": (shuffle(LAPLACE, 12, "3/2", "386101429/50000000000"), likelihood("second")),
    "refuted_by_no_points": (shuffle(LAPLACE, 12, "3/2", "141616633/10000000000"), likelihood("first", 0, "")),
}
"""Tests with bounds, which they do not exceed."""


def refuted(name: str, share: Fraction = 1 - Fraction(1, 10**8), **changes: Any) -> Case:
    claim, witness = SHARP[name]
    fields = {**witness["likelihood"], **changes}
    return {**claim, "delta": str(Fraction(claim["delta"]) * share)}, REFUTED, {"likelihood": fields}


RUN = views(LAPLACE, 10, 2)
LEVELS = {"levels": [BLANKET, BLANKET, with_cells(blanket())]}
DELTAS = ["172964869058", "10421734291", "0"]
COMPOSED = composed(RUN, exp_eps="2", delta="3/50")
FALSE_RUN = composed(RUN, exp_eps="3/2", delta="1/20")


def curved(deltas: list[str]) -> Any:
    return lattice("2", 40, curves=[{"deltas": deltas, "witness": LEVELS}])


def tested(**beside: Any) -> Any:
    return lattice("33/32", 56, pairs=[likelihood("first", None, **beside)])


CORRECT: dict[str, Case] = {
    **{f"laplace_{name}": (claim, PROVED, witness) for name, (claim, witness) in CASES.items()},
    **{f"laplace_{name}": refuted(name) for name in SHARP},
    "laplace_swap_all_n": ({**CASES["swap"][0], "scope": "all n from n"}, PROVED, SWAP),
    "laplace_blanket_eps": (shuffle(LAPLACE, 10, eps="7/10", delta="1/100"), PROVED, {**BLANKET, "terms": "12"}),
    "laplace_refuted_eps": (
        shuffle(LAPLACE, 12, eps="2/5", delta="1/50"),
        REFUTED,
        {**likelihood("first"), "terms": "12"},
    ),
    "laplace_swap_and_a_claim": (both(CASES["swap"][0], TRUE), PROVED, {"parts": [SWAP, {}]}),
    "laplace_refuted_not": (negation(refuted("refuted")[0]), PROVED, refuted("refuted")[2]),
    "laplace_composed": (COMPOSED, PROVED, curved(DELTAS)),
    "laplace_composed_refuted": (FALSE_RUN, REFUTED, tested()),
}


def changed(name: str, witness: Any = None, **changes: Any) -> Case:
    """A case with another witness, or other fields of its claim."""
    claim, good = CASES[name]
    return {**claim, **changes}, PROVED, good if witness is None else witness


MORE = {**LAPLACE, "exp_eps0": "3000001/1000000"}
WRONG: dict[str, Case] = {
    **{
        f"laplace_{name}_delta_less_by_a_hair": changed(name, delta=less_by_a_hair(claim["delta"]))
        for name, (claim, _) in CASES.items()
    },
    **{f"laplace_{name}_at_the_bound": refuted(name, Fraction(1)) for name in SHARP},
    "laplace_swap_one_point_less": changed("swap", with_cells(swap(FEW), POINTS.replace("9/4 ", ""))),
    "laplace_swap_all_places_forgotten": changed("swap", with_cells(swap(FEW), places="")),
    "laplace_swap_one_distance_less": changed("swap", with_cells(swap(FEW), distances=DISTANCES[:-2])),
    "laplace_swap_two_users_less": changed("swap", n="28"),
    "laplace_swap_exp_eps_less": changed("swap", exp_eps="1249999/1000000"),
    "laplace_swap_exp_eps0_more": changed("swap", randomizer=MORE),
    "laplace_swap_of_two_pairs": changed("swap", with_cells(swap(FEW, pairs=2))),
    "laplace_swap_of_no_pair": changed("swap", with_cells(swap(FEW, pairs=0))),
    "laplace_blanket_one_point_less": changed(
        "blanket", with_cells(blanket(("1/16", STEEP)), POINTS.replace("7/4 ", ""))
    ),
    "laplace_blanket_exp_eps0_more": changed("blanket", randomizer=MORE),
    "laplace_blanket_one_user_less": changed("blanket", n="9"),
    "laplace_blanket_of_two_bounds": changed("blanket", with_cells(blanket(*[("1/16", STEEP)] * 2))),
    "laplace_refuted_one_point_less": refuted("refuted", points=POINTS.replace("7/4 ", "").split()),
    "laplace_refuted_beside_another": refuted("refuted", others="second"),
    "laplace_refuted_one_user_more": ({**refuted("refuted")[0], "n": "13"}, *refuted("refuted")[1:]),
    "laplace_refuted_exp_eps0_less": (
        {**refuted("refuted")[0], "randomizer": {**LAPLACE, "exp_eps0": "2999999/1000000"}},
        *refuted("refuted")[1:],
    ),
    "laplace_composed_level_too_low": (COMPOSED, PROVED, curved([DELTAS[0], "10421000000", *DELTAS[2:]])),
    "laplace_composed_refuted_at_more": ({**FALSE_RUN, "delta": "1/2"}, REFUTED, tested()),
}

GOOD = CASES["swap"][0]


def of(randomizer: Any, witness: Any = SWAP, **changes: Any) -> Case:
    return shuffle(randomizer, 30, "5/4", "1", **changes), PROVED, witness


def said(**changes: Any) -> Case:
    """The swap with other fields; those that are None are left out."""
    fields = {**SWAP["swap"], **changes}
    return GOOD, PROVED, {"swap": {key: value for key, value in fields.items() if value is not None}}


NO_CLAIM: dict[str, Case] = {
    "laplace_without_exp_eps0": of({"family": "laplace"}),
    "laplace_with_inputs": of({**LAPLACE, "inputs": "2"}),
    "laplace_exp_eps0_one": of({**LAPLACE, "exp_eps0": "1"}),
    "laplace_exp_eps0_too_long": of({**LAPLACE, "exp_eps0": hex(2**4096)}),
    "laplace_exp_eps0_a_real": of({**LAPLACE, "exp_eps0": {"exp": "1"}}),
    "laplace_of_too_many_users": ({**GOOD, "n": str(10**12 + 1)}, PROVED, SWAP),
    "laplace_of_added_users": of(LAPLACE, neighbors="add-or-remove-one"),
    "laplace_with_least": of(LAPLACE, least="delta"),
    "laplace_never_dp": (never(LAPLACE, 1, "1"), PROVED, WORKED),
    "laplace_in_a_product": of(product(LAPLACE, FOUR)),
    "laplace_that_is_counted": of(away("counted", "1/2", LAPLACE)),
    "laplace_that_is_hidden": of(away("hidden", "1/2", LAPLACE, dummy="uniform")),
    "laplace_in_a_class": (
        classes((LAPLACE, 30), exp_eps="2", delta="1"),
        PROVED,
        with_cells(swap(FEW, used="0")),
    ),
    "laplace_over_all_data_sets": of(LAPLACE, {}),
    "laplace_refuted_by_data_sets": ({**GOOD, "delta": "0"}, REFUTED, WORKED),
    "laplace_by_two_messages": of(LAPLACE, {"two_messages": {}}),
    "laplace_by_a_closed_bracket": of(LAPLACE, {"closed_bracket": {}}),
    "laplace_by_an_event": ({**GOOD, "delta": "0"}, REFUTED, {"event": likelihood("first")["likelihood"]}),
    "laplace_swap_with_an_own_slot": of(LAPLACE, with_cells(swap(own("3/8", "1/2", 60, "1 3")))),
    "laplace_swap_that_is_a_list": of(LAPLACE, {"swap": []}),
    **{f"laplace_swap_without_{key}": said(**{key: None}) for key in ("points", "places", "distances")},
    "laplace_swap_points_not_a_list": said(points="2"),
    "laplace_swap_a_point_in_an_object": said(points=[{"at": "2"}]),
    "laplace_swap_points_that_fall": said(points=["2", "3/2"]),
    "laplace_swap_a_point_twice": said(points=["2", "2"]),
    "laplace_swap_a_point_at_1": said(points=["1", "2"]),
    "laplace_swap_a_place_below_1": said(places=["1/2", "2"]),
    "laplace_swap_a_place_at_exp_eps0": said(places=["2", "3"]),
    "laplace_swap_a_distance_beyond_exp_eps0": said(distances=["2", "4"]),
    "laplace_swap_a_distance_too_long": said(distances=[f"{hex(2**4096 + 1)}/{hex(2**4096)}"]),
    "laplace_swap_with_used_classes": said(used=[["0"]]),
    "laplace_blanket_without_points": (CASES["blanket"][0], PROVED, blanket(("1/16", STEEP))),
    "laplace_blanket_with_places": (CASES["blanket"][0], PROVED, {"blanket": {**BLANKET["blanket"], "places": []}}),
    "laplace_refuted_without_points": refuted("refuted", points="2"),
    "laplace_refuted_with_places": refuted("refuted", places=[]),
    "laplace_refuted_beside_a_third": refuted("refuted", others="third"),
    "laplace_refuted_with_a_pair": refuted("refuted", pair="0"),
    "laplace_refuted_beside_a_place": refuted("refuted", others="0"),
    "points_in_a_swap_of_symbols": (shuffle(FOUR, 10, "2", "1"), PROVED, with_cells(swap(FEW), places=None)),
    "points_in_a_blanket_of_symbols": (shuffle(FOUR, 10, "2", "1"), PROVED, BLANKET),
}


def broken_documents() -> dict[str, Any]:
    """What no older schema can say, of the family alone."""
    of_older = {
        f"malformed/schema_{version}_with_laplace": document(
            *CORRECT["laplace_blanket"], f"exactdp-certificate-{version}"
        )
        for version in (2, 3)
    }
    of_another = document(*CORRECT["laplace_swap"], SCHEMA)["claim_id"]
    return {
        **of_older,
        "incorrect/laplace_seal_of_another_claim": {
            **document(*CORRECT["laplace_blanket"], SCHEMA),
            "claim_id": of_another,
        },
    }
