"""Certificates of few users of the fourth schema, and the mutations that are made for them."""

from __future__ import annotations

import copy
import random
from typing import Any

from tests.certificates import corpus_v4, corpus_v4_densities
from tests.certificates.claims import document
from tests.certificates.mutations_of_tests import CLOSE, F, change_delta, change_level, scaled, stepped

MOST_USERS, MANY_USERS = 20, 100
SLOW = {"swap_k_ary_most_users", "any_all_n", "any_refuted", "any_not", "listed_product", "listed_product_refuted"}
"""Tenths of a second of the oracle each."""
SLOW |= {"hidden_by_many_fair_bits_beside_zeros_refuted"}  # seconds
SWAPS: list[Any] = [
    document(*case, corpus_v4.SCHEMA)
    for name, case in corpus_v4.CORRECT.items()
    if name not in SLOW and int(case[0].get("n", "1")) <= MOST_USERS and "_many_users" not in name
]
REAL: list[Any] = [
    document(*case, corpus_v4.SCHEMA)
    for case in corpus_v4_densities.CORRECT.values()
    if int(case[0].get("n", MANY_USERS)) < MANY_USERS and "eps" not in case[0]
]
"""Of real messages, with every witness."""
BOUNDED = [seed for seed in SWAPS if "swap" in seed["witness"]]


def change_swap(seed: Any, rng: random.Random) -> Any:
    """Another number of a swap or an event, or of the claim that it is about."""
    if "event" in seed["witness"] and "classes" in seed["claim"]:
        if rng.randrange(2):
            change_event(seed["witness"]["event"], rng)
        else:
            rng.choice([change_delta, change_level, change_users, change_parts])(seed["claim"], rng)
        return seed
    if not rng.randrange(8):
        return change_cells(copy.deepcopy(rng.choice(REAL)), rng)
    if "swap" not in seed["witness"]:
        seed = copy.deepcopy(rng.choice(BOUNDED))
    claim, swap = seed["claim"], seed["witness"]["swap"]
    if claim["kind"] != "shuffle_dp" or rng.randrange(2):
        rng.choice([change_plan, change_plan, change_stages, change_pairs])(swap, rng)
    else:
        rng.choice([change_delta, change_level, change_users, change_parts, change_parts])(claim, rng)
    return seed


def change_cells(seed: Any, rng: random.Random) -> Any:
    """Of real messages an end of cells less, or more, or elsewhere, another delta, or a number of the witness."""
    claim, (name,) = seed["claim"], seed["witness"].keys()
    fields, change = seed["witness"][name], rng.randrange(5)
    ends = fields[rng.choice(sorted(fields.keys() & {"points", "places", "distances"}))]
    if change == 0 and ends:
        ends.pop(rng.randrange(len(ends)))
    elif change == 1:
        ends.insert(rng.randrange(len(ends) + 1), str(F(rng.randrange(30, 100), 32)))
    elif change == 2 and ends:
        place = rng.randrange(len(ends))
        ends[place] = str(F(ends[place]) * rng.choice(CLOSE))
    elif change == 3 and name == "swap":
        rng.choice([change_plan, change_stages, change_pairs])(fields, rng)
    elif change == 3 and name == "likelihood":
        fields["threshold"] = str(int(fields["threshold"]) + rng.choice([-2, -1, 1, 2]))
    else:
        change_delta(claim, rng)
    return seed


def change_event(event: Any, rng: random.Random) -> None:
    """Another threshold, score or cut, others who hold something else, or the other input."""
    change = rng.randrange(5)
    if change == 0:
        event["threshold"] = str(int(event["threshold"]) + rng.choice([-2, -1, 1, 2]))
    elif change == 1:
        place = rng.randrange(len(event["scores"]))
        event["scores"][place] = str(int(event["scores"][place]) + rng.choice([-3, -1, 1, 3]))
    elif change == 2 and event.get("cuts"):
        place = rng.randrange(len(event["cuts"]))
        event["cuts"][place] = str(int(event["cuts"][place]) + rng.choice([-1, 1]))
    elif change == 3:
        rng.shuffle(rng.choice(event["others"]))
    else:
        event["first"], event["second"] = event["second"], event["first"]


def change_plan(swap: Any, rng: random.Random) -> None:
    plan = rng.choice(swap["plans"])
    key = rng.choice(["tilt", "tilt", "smoothing", "step", "nodes", "bits"])
    if key == "bits":
        swap["bits"] = rng.choice(["64", "65", "80", "200"])
    elif key == "nodes":
        plan["nodes"] = rng.choice(["1", "2", "5", "10", "40", "100"])
    else:
        scaled(plan, key, [F(1, 2), F(2), F(7, 9), F(9, 7), F(1, 16), F(6)], rng)


def change_stages(swap: Any, rng: random.Random) -> None:
    """A stage less, or more, or two users further; none are a blanket; or a slot of one's own, or without it."""
    plan = rng.choice(swap["plans"])
    key = "own_stages" if "own_stages" in plan else "stages"
    stages = [int(stage) for stage in plan.pop(key)]
    change, place = rng.randrange(4), rng.randrange(max(1, len(stages)))
    if change == 0 or not stages:
        stages = stages[:place] + stages[place + 1 :] if stages else [2]
    elif change == 1:
        stages.append(stages[-1] + 2)
    elif change == 2:
        stages[place] += rng.choice([-2, 2])
    else:
        key, more = ("stages", 1) if key == "own_stages" else ("own_stages", rng.choice([-1, 1]))
        stages = [max(1, stage + more) for stage in stages]
    plan[key] = [str(stage) for stage in sorted(set(stages))]


def change_pairs(swap: Any, rng: random.Random) -> None:
    """A pair less or more, another plan for one, or other classes that are counted on."""
    pairs, change = swap["pairs"], rng.randrange(4)
    if change == 0:
        pairs.append("0")
    elif change == 1 and pairs:
        pairs.pop()
    elif change == 2 and pairs:
        swap["plans"].append({**swap["plans"][0], "tilt": rng.choice(["1/8", "1/2", "1", "2"])})
        pairs[rng.randrange(len(pairs))] = "1"
    elif "used" in swap:
        swap["used"][rng.randrange(len(swap["used"]))] = rng.choice([["0"], ["1"], ["0", "1"]])


def change_users(claim: Any, rng: random.Random) -> None:
    """Two users more or less."""
    fields = rng.choice(claim["classes"]) if "classes" in claim else claim
    fields["n"] = str(max(1, int(fields["n"]) + rng.choice([-2, 2])))


def change_parts(claim: Any, rng: random.Random) -> None:
    """Another randomizer, made of parts of the old one or a little other; or the classes in another order."""
    if "classes" in claim and rng.randrange(2):
        claim["classes"].reverse()
    elif "classes" in claim and rng.randrange(2):
        claim["user_class"] = rng.choice(["any", "0", "1"])
    else:
        fields = rng.choice(claim["classes"]) if "classes" in claim else claim
        fields["randomizer"] = changed_randomizer(fields["randomizer"], rng)


def changed_randomizer(of: Any, rng: random.Random) -> Any:
    if "rows" in of:
        first, second = rng.randrange(len(of["rows"])), rng.randrange(len(of["rows"]))
        of["rows"][first] = copy.deepcopy(of["rows"][second])
        return rng.choice([of, {"family": "product", "of": [of]}])
    if of["family"] == "product":
        change, place = rng.randrange(4), rng.randrange(len(of["of"]))
        if change == 0 and len(of["of"]) > 1:
            del of["of"][place]
        elif change == 1:
            of["of"].append(copy.deepcopy(of["of"][place]))
        elif change == 2:
            of["of"].reverse()
        else:
            return {"family": "participation", "absence": "listed", "probability": "999/1000", "of": of}
        return of
    if of["family"] == "participation":
        change = rng.randrange(5)
        if change == 4 and "dummy" in of:
            of["dummy"] = rng.choice([of["dummy"], "uniform", {"input": "1"}, ["uniform", {"input": "0"}]])
        elif change == 0:
            of["of"] = changed_randomizer(of["of"], rng)
        elif change == 1:
            of["absence"] = rng.choice(["counted", "listed"])
            of.pop("dummy", None)
        elif change == 2:
            return of["of"]
        else:
            scaled(of, "probability", CLOSE, rng)
        return of
    key = rng.choice(sorted(of.keys() - {"family"}))
    if key in ("inputs", "size", "buckets", "top"):
        stepped(of, key, rng)
    else:
        scaled(of, key, CLOSE, rng)
    return of
