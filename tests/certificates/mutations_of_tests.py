"""Certificates of few users by a blanket, a likelihood test or an event, and the mutations that are made for them.

Their bounds are close to the truth, so that most changes of a claim in the wrong direction make it false.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from tests.certificates.claims import PROVED, REFUTED, RESPONSE, SCHEMAS, document, shuffle
from tests.certificates.corpus_v3_tests import LAPLACE, ends, hadamard, k_ary, likelihood, refuted

F = Fraction
STEEP, FINE = str(2**62), {"bits": "96", "length": "256"}
UNARY = {"family": "unary-encoding", "inputs": "3", "one": "1/2", "other": "1/4"}
SUBSETS = {"family": "subset-selection", "inputs": "4", "size": "2", "exp_eps0": "4"}
HASHES = {"family": "local-hashing", "inputs": "3", "buckets": "2", "exp_eps0": "4"}
SHORT_LAPLACE = {**LAPLACE, "top": "2"}


def blanket(step: str, laws: int = 1) -> Any:
    return {"blanket": {**FINE, "bounds": [[step, STEEP]] * laws}}


def few_users(others: Any, threshold: int, **changes: str) -> Any:
    return likelihood(others, "3/2", "1/16", threshold, length="256", **changes)


SHARP_CASES = ["likelihood", "likelihood_first", "likelihood_second", "likelihood_one_user", "event"]
SHARP_CASES += ["likelihood_messages_apart", "likelihood_scores_of_one_law", "event_three_inputs"]
SMALL: list[Any] = [
    *(document(*refuted(name)) for name in SHARP_CASES),
    document(shuffle(UNARY, 4, "3/2", "51369/1000000"), REFUTED, few_users("third", 2)),
    document(shuffle(SUBSETS, 4, "3/2", "2257/20000"), REFUTED, few_users("third", 2)),
    document(shuffle(HASHES, 4, "3/2", "78599/1000000"), REFUTED, few_users("third", 2)),
    document(shuffle(hadamard(3), 4, "3/2", "128249/1000000"), REFUTED, few_users("xor", 8)),
    document(shuffle(SHORT_LAPLACE, 4, "3/2", "195987/1000000"), REFUTED, few_users(["1", "0", "0"], 2, **ends(0, 2))),
    document(shuffle(k_ary(4, "7"), 5, "2", "27939/100000"), PROVED, blanket("1")),
    document(shuffle(k_ary(5, "4"), 4, "3/2", "163453/1000000", scope="all n from n"), PROVED, blanket("1/2")),
    document(shuffle(hadamard(3), 4, "3/2", "128251/1000000"), PROVED, blanket("1/2")),
    document(shuffle(SUBSETS, 4, "3/2", "3541/20000"), PROVED, blanket("1/2")),
    document(shuffle(HASHES, 4, "3/2", "13/100"), PROVED, blanket("1/2")),
    document(shuffle(UNARY, 4, "3/2", "33873/500000"), PROVED, blanket("1/12")),
    document(shuffle(SHORT_LAPLACE, 4, "3/2", "7/25"), PROVED, blanket("1/2", 3)),
    document(shuffle(RESPONSE, 8, "5/4", "153/1250"), PROVED, blanket("1/4")),
]
"""Each is checked within some hundredths of a second, and so is what is said of its truth."""


def change_test(seed: Any, rng: random.Random) -> Any:
    """Another number of a blanket, a likelihood test or an event, or of the claim that it is about."""
    names = [name for name in ("blanket", "likelihood", "event") if name in seed["witness"]]
    if not names or "randomizer" not in seed["claim"] or seed["schema"] not in SCHEMAS:
        seed = copy.deepcopy(rng.choice(SMALL))
        names = [name for name in ("blanket", "likelihood", "event") if name in seed["witness"]]
    claim, test = seed["claim"], seed["witness"][names[0]]
    if rng.randrange(2):
        rng.choice(CLAIM_CHANGES)(claim, rng)
    else:
        rng.choice([change_bound] if "bounds" in test else [change_others, change_sizes, change_place])(test, rng)
    return seed


def spelt(value: Fraction) -> str:
    parts = [value.numerator, *([value.denominator] if value.denominator > 1 else [])]
    return "/".join(str(part) if part.bit_length() <= 256 else hex(part) for part in parts)


def scaled(fields: Any, key: str, factors: list[Fraction], rng: random.Random, most: Fraction | None = None) -> None:
    value = F(*(int(part, 0) for part in fields[key].split("/"))) * rng.choice(factors)
    fields[key] = spelt(value if most is None else min(most, value))


def stepped(fields: Any, key: Any, rng: random.Random) -> None:
    fields[key] = str(int(fields[key], 0) + rng.choice([-1, 1, 1, 2]))


CLOSE = [1 - F(1, 10**5), 1 + F(1, 10**5), F(99, 100), F(101, 100), F(9, 10), F(11, 10)]


def change_delta(claim: Any, rng: random.Random) -> None:
    scaled(claim, "delta", CLOSE, rng, F(1))


def change_level(claim: Any, rng: random.Random) -> None:
    scaled(claim, "exp_eps" if "exp_eps" in claim else "eps", CLOSE, rng)


def change_users(claim: Any, rng: random.Random) -> None:
    stepped(claim, "n", rng)


def change_randomizer(claim: Any, rng: random.Random) -> None:
    """A parameter of a family, a little; or one row in the place of another one."""
    fields = claim["randomizer"]
    if "rows" in fields:
        first, second = rng.sample(range(len(fields["rows"])), 2)
        fields["rows"][first] = copy.deepcopy(fields["rows"][second])
        return
    key = rng.choice(sorted(fields.keys() - {"family"}))
    if key in ("inputs", "size", "buckets", "top"):
        stepped(fields, key, rng)
    else:
        scaled(fields, key, CLOSE, rng)


CLAIM_CHANGES: list[Callable[[Any, random.Random], None]] = [
    change_delta,
    change_delta,
    change_level,
    change_users,
    change_randomizer,
    change_randomizer,
]


def change_bound(test: Any, rng: random.Random) -> None:
    """A bound less or more, a step, a tilt, or how long and fine measures are."""
    bounds, change = test["bounds"], rng.randrange(5)
    if change == 0:
        test["bits"] = rng.choice(["64", "65", "72", "200"])
    elif change == 1:
        test["length"] = rng.choice(["16", "17", "32", "64", "1000"])
    elif change == 2 and bounds:
        del bounds[-1]
    elif change == 3 and bounds:
        bounds.append(bounds[0])
    elif bounds:
        bound = rng.choice(bounds)
        if rng.randrange(2):
            scaled(bound, 0, [F(1, 2), F(2), F(3), F(7, 9), F(1, 16)], rng)
        else:
            bound[1] = str(int(int(bound[1]) * rng.choice([F(1, 64), F(1, 8), F(1, 2), F(2), F(8)])))


def change_others(test: Any, rng: random.Random) -> None:
    """Other inputs of the others, or of the user who differs."""
    others = test["others"]
    if isinstance(others, str):
        test["others"] = rng.choice(["first", "second", "third", "xor"])
    elif rng.randrange(3) == 0 and "first" in test:
        test["first"], test["second"] = test["second"], test["first"]
    else:
        i, j = rng.randrange(len(others)), rng.randrange(len(others))
        others[i], others[j] = others[j], others[i]
        if rng.randrange(4) == 0 and others[i].isdigit():
            stepped(others, i, rng)


SIZES = {"bits": ["24", "64", "65", "200"], "length": ["16", "17", "32", "1024"], "cut": ["1", "40", "60", "64"]}


def change_sizes(test: Any, rng: random.Random) -> None:
    """How the sums are scored, merged and clamped."""
    key = rng.choice([key for key in ("bits", "length", "at", "step", "cut", "scores") if key in test])
    if key == "scores":
        stepped(test[key], rng.randrange(len(test[key])), rng)
    elif key in ("at", "step"):
        scaled(test, key, [F(1, 2), F(2), F(3), F(7, 9), F(1, 16), F(5)], rng)
    else:
        sizes = {
            "bits": ["24", "64", "65", "200"],
            "length": ["16", "17", "32", "1024"],
            "cut": ["1", "40", "60", "64"],
        }
        test[key] = rng.choice(sizes[key])


def change_place(test: Any, rng: random.Random) -> None:
    """The threshold."""
    if "threshold" in test:
        test["threshold"] = str(int(test["threshold"]) + rng.choice([-20, -5, -1, 1, 5, 20]))
