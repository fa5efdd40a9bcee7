"""The mutations of fuzz.py: each takes a copy of a correct certificate and changes it, in a way that has a name."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from exactdp.checker.reading import sha256
from tests.certificates import corpus_v1, corpus_v2, corpus_v2_composed, corpus_v3, corpus_v4
from tests.certificates.claims import PROVED, REFUTED, SCHEMAS, Case, document
from tests.certificates.make_corpus import THIRD
from tests.certificates.mutations_of_boxes import change_box, is_box, plausible_box
from tests.certificates.mutations_of_swaps import BOUNDED, SWAPS, change_swap
from tests.certificates.mutations_of_tests import SMALL, blanket, change_test, few_users
from tests.certificates.places import Document, at, chosen, is_number, places, put, spell, value_of
from tests.unit.checker import oracle

Mutant = Any  # a document, or the bytes of a file

F = Fraction
TINY = Fraction(1, 2**40)
LARGE = {"shuffle_no_messages", "shift_bits_binomial", "shift_bits_refuted_binomial", "shift_bits_binomial_shift_two"}
LARGE |= {"shift_bits_binomial_sum", "tail_bits_binomial", "tail_bits_binomial_sum", "smooth_bits_binomial"}
LARGE |= {"composed_bits_binomial", "composed_refuted_bits_binomial", "composed_of_nothing_a_million_times"}
LARGE |= {"two_messages_of_300", "two_messages_of_300_refuted"}
LARGE |= {"composed_refuted_clipped_laplace_random"}  # seconds of the oracle
LARGE |= {"composed_refuted_huge", "shift_huge_by_a_thousand", "smooth_huge"}  # shifts by 1000, of any law
MANY_USERS = {
    name
    for corpus in THIRD[1:3]  # blankets and tests
    for name, (claim, _, _) in corpus.CORRECT.items()
    if int(claim.get("n", "1000")) > 20
}
LARGE |= MANY_USERS  # which SMALL has with fewer users
CORPORA: list[tuple[dict[str, Case], str]] = [
    (corpus_v1.CORRECT, corpus_v1.SCHEMA),
    (corpus_v2.CORRECT, corpus_v2.SCHEMA),
    (corpus_v2_composed.CORRECT, corpus_v2.SCHEMA),
    *((corpus.CORRECT, corpus_v3.SCHEMA) for corpus in THIRD),
]
SEEDS = [document(*case, schema) for cases, schema in CORPORA for name, case in cases.items() if name not in LARGE]
SEEDS += [*SMALL, *SWAPS]
NUMBERS = ["0", "1", "2", "3", "-1", "1/2", "1/3", "2/3", "3/16", "1/8", "5/16", "8/5", "5/2", "1/1000", "999/1000"]
LONG = [hex(2**300 + 1), f"1/{hex(2**300 + 1)}", f"{hex(2**300)}/{hex(2**300 + 1)}", hex(2**16384)]
STRANGE = ["", "01", "-0", "+1", "1_000", "1e999", "NaN", "2/4", "3/1", "1/0", "0/1", "-1/-2", "0x10", "0X10", "true"]
STRANGE += ["٢", "１", "²", "1\u00a0", "1.5", ".5", "1e3", "inf", "1//2", "1/2/3", "2 ", " 2", "1,5", "\t1", "--1"]
STRANGE += ["0b1", "None"]
TOKENS = ["7", "1e999", "-1e999", "NaN", "Infinity", "true", "false", "null", "1.0", "[]", "{}", "-0", "1E400"]
TOKENS += ['"2', "'2'"]
WORDS = [
    ("none", "delta", "exp_eps"),
    ("replace-one", "add-or-remove-one"),
    ("this n", "all n from n"),
    ("forward", "backward"),
    ("yes", "no"),
    ("at most", "at least"),
    ("closed", "open"),
    ("low", "high"),
    ("-infinity", "0", "1"),
    ("infinity", "1", "2"),
    ("worst", "best"),
    ("more", "fewer"),
    ("any", "4", "40"),
    ("markov", "independence", "union", "composition"),
]


# --- Mutations: each changes a copy, or returns another document, or the bytes of a file -----------------------------


def flip_verdict(seed: Document, rng: random.Random) -> Mutant:
    """The other verdict, most often with a witness that has its keys."""
    seed["verdict"] = REFUTED if seed["verdict"] == PROVED else PROVED
    if rng.randrange(5):
        seed["witness"] = plausible(seed["claim"], seed["verdict"], seed["witness"], rng)
    return seed


def plausible(claim: Any, verdict: str, old: Any, rng: random.Random) -> Any:
    """A witness with the right keys for this verdict, which keeps the precision of the old one."""
    kind, found = claim["kind"], {key: old[key] for key in ("bits", "terms") if key in old}
    has_least = verdict == PROVED and claim.get("least", "none") != "none"
    if kind == "not":
        return plausible(claim["claim"], PROVED if verdict == REFUTED else REFUTED, old, rng)
    if kind == "conjunction":
        i = rng.randrange(len(claim["claims"]))
        parts = old.get("parts") or [plausible(part, verdict, {}, rng) for part in claim["claims"]]
        inner = plausible(claim["claims"][i], verdict, parts[i], rng)
        return {"parts": parts} if verdict == PROVED else {"part": str(i), "witness": inner}
    if kind == "box_inequality":
        if verdict == PROVED:
            return {"corner": ["low"] * len(claim["box"]), "taylor": rng.choice(["2", "4"]), "bits": "64"}
        ends = [rng.choice([side["low"], side["high"], "1/2"]) for side in claim["box"]]
        return {"point": ends, "bits": "64"}
    if kind in ("for_all", "monotone"):
        return plausible_box(claim, verdict, rng, lambda inner, other: plausible(inner, other, {}, rng))
    if kind == "composed":
        return plausible_lattice(claim, verdict, old, rng)
    if kind == "inequality":
        point = [rng.choice(["0", "1/2", "2", "-1"]) for _ in claim["variables"]]
        return {"terms": []} if verdict == PROVED else {"point": point}
    if "classes" in claim:
        return copy.deepcopy(rng.choice(BOUNDED)["witness"])
    if kind in ("shuffle_dp", "never_dp") and "family" in claim["randomizer"]:
        return few_users(rng.choice(["first", "third"]), rng.randrange(9)) if verdict == REFUTED else blanket("1/4")
    if (kind == "shuffle_dp" and (verdict == REFUTED or has_least)) or (kind == "never_dp" and verdict == PROVED):
        n, inputs = int(claim["n"]), len(claim["randomizer"]["rows"])
        rest = ["0"] * (inputs - 2)
        removed = ["0"] if claim["neighbors"] == "add-or-remove-one" else ["1"]
        pair = [str(n), "0", *rest][:inputs], [str(n - 1), *removed, *rest][:inputs]
        found["first"], found["second"] = pair if rng.randrange(2) else pair[::-1]
    elif kind == "shift_dp" and (verdict == REFUTED or has_least):
        found |= {"shift": rng.choice(["1", claim["shift"]]), "order": rng.choice(["forward", "backward"])}
    elif kind == "smooth" and verdict == REFUTED:
        found["by"] = rng.choice(["1", "-1", claim["k"], "-" + claim["k"]])
    elif kind == "two_message_dp" and verdict == REFUTED:
        message, holders, above = rng.randrange(2), rng.randrange(int(claim["n"])), rng.randrange(int(claim["n"]))
        found |= {"message": str(message), "holders": str(holders), "above": str(above)}
    elif kind == "sample_threshold_dp":
        found["holders"] = rng.choice([claim["threshold"], str(int(claim["threshold"]) - 1), "60"])
        if verdict == REFUTED:
            found["order"] = rng.choice(["more", "fewer"])
    elif kind == "split_and_mix":
        users, others = claim["n"], ["0"] * (min(oracle.number(claim["modulus"]).numerator, 9) - 2)
        series = {"length": rng.choice(["2", "8", "64"]), "bits": "256"}
        found = series if verdict == PROVED else {"first": [users, "0", *others], "second": ["0", users, *others]}
    elif kind == "equal_laws" and verdict == REFUTED:
        found["outcome"] = rng.choice(["0", "1", "2"])
    elif kind == "accuracy" and verdict == REFUTED and claim.get("dataset") == "worst":
        users = rng.randrange(int(claim["n"]) + 1)
        found["dataset"] = [str(int(claim["n"]) - users), str(users)]
    elif kind == "additive_view" and verdict == REFUTED:
        found["input"] = rng.choice(["0", "1"])
    elif kind == "zero_estimate" and verdict == REFUTED:
        found["outcome"] = [rng.choice(["0", "1", "2"])]
    return found


def plausible_lattice(claim: Any, verdict: str, old: Any, rng: random.Random) -> Any:
    """A pair for each run, which cannot be a curve: what proved is not known to a refutation."""
    found = {key: old[key] for key in ("ratio", "precision", "terms") if key in old}
    if verdict == PROVED:
        whole = 2 ** int(found.get("precision", "40"))
        deltas = [[str(whole // k) for k in range(1, rng.randrange(2, 5))] for _ in claim["runs"]]
        return {**found, "curves": [{"deltas": each, "witness": {}} for each in deltas]}
    pairs = []
    for run in claim["runs"]:
        if "law" in run:
            pair = {"shift": rng.choice(["1", run["shift"]]), "order": rng.choice(["forward", "backward"])}
            has_bits = run["law"].get("family") in ("poisson", "discrete-gaussian", "negative-binomial")
            pairs.append({**pair, "bits": "64"} if has_bits else pair)
        else:
            outer: Any = {"kind": "shuffle_dp", "least": "none", **run}
            pairs.append(plausible(outer, REFUTED, {}, rng))
    return {**found, "pairs": pairs}


def flip_sign(seed: Document, rng: random.Random) -> Mutant:
    if path := chosen(rng, seed, lambda v, p: value_of(v) not in (None, 0)):
        old = at(seed, path)
        put(seed, path, old[1:] if old.startswith("-") else "-" + old)
    return seed


def step_integer(seed: Document, rng: random.Random) -> Mutant:
    """n, k, a shift, a count, an end, bits, terms: one more, one less, or twice as many."""
    if path := chosen(rng, seed, lambda v, p: (n := value_of(v)) is not None and n.denominator == 1):
        old = oracle.number(at(seed, path))
        put(seed, path, spell(rng.choice([old - 1, old + 1, old + 1, old + 2, 2 * old])))
    return seed


def step_rational(seed: Document, rng: random.Random) -> Mutant:
    """A probability or a parameter: one unit of its denominator, or very little, up or down."""
    if path := chosen(rng, seed, lambda v, p: (n := value_of(v)) is not None and n.denominator > 1):
        old = oracle.number(at(seed, path))
        put(seed, path, spell(old + rng.choice([-1, 1]) * rng.choice([TINY, Fraction(1, old.denominator)])))
    return seed


def replace_number(seed: Document, rng: random.Random) -> Mutant:
    if path := chosen(rng, seed, is_number):
        # A long parameter of a law is legal, and up to the checker's limit of work: minutes.
        may_be_long = not {"law", "first", "second"} & set(path) and rng.randrange(10) == 0
        put(seed, path, rng.choice(LONG if may_be_long else NUMBERS))
    return seed


def swap_word(seed: Document, rng: random.Random) -> Mutant:
    """Neighbours, orders, scope, least, bound, strictness, ends, corners, facts."""
    if path := chosen(rng, seed, lambda v, p: isinstance(v, str) and any(v in words for words in WORDS)):
        old = at(seed, path)
        put(seed, path, rng.choice([w for w in rng.choice([words for words in WORDS if old in words]) if w != old]))
    return seed


def exchange_eps(seed: Document, rng: random.Random) -> Mutant:
    """eps becomes exp_eps or the other way round: the number stays, or becomes its exponential, roughly."""
    path = chosen(
        rng, seed, lambda v, p: p[-1] in ("eps", "exp_eps") and isinstance(v, str) and "delta" in at(seed, p[:-1])
    )
    if not path:
        return flip_verdict(seed, rng)
    claim = at(seed, path[:-1])
    old = claim.pop(path[-1])
    close = {"1/2": "5/3", "1": "19/7", "2": "7/10", "3": "11/10", "3/2": "2/5", "0": "1"}
    claim["exp_eps" if path[-1] == "eps" else "eps"] = old if rng.randrange(2) else close.get(old, old)
    if path[0] == "claim" and path[-1] == "exp_eps" and "bits" not in seed["witness"]:
        seed["witness"]["terms"] = rng.choice(["1", "8", "20"])
    else:
        seed["witness"].pop("terms", None)
    return seed


def change_case(seed: Document, rng: random.Random) -> Mutant:
    """An entry of a list twice, or not at all, or two that change places."""
    if path := chosen(rng, seed, lambda v, p: isinstance(v, list) and len(v) > 0):
        found = at(seed, path)
        i, j = rng.randrange(len(found)), rng.randrange(len(found))
        change = rng.randrange(3)
        if change == 0:
            del found[i]
        elif change == 1:
            found.insert(j, copy.deepcopy(found[i]))
        else:
            found[i], found[j] = found[j], found[i]
    return seed


def swap_keys(seed: Document, rng: random.Random) -> Mutant:
    """Two fields of one object exchange their values: first and second, low and high, alpha and beta, p1 and p2."""
    pairs = [
        ("first", "second"),
        ("low", "high"),
        ("low_end", "high_end"),
        ("alpha", "beta"),
        ("p1", "p2"),
        ("n1", "n2"),
    ]
    pairs += [("least", "most"), ("from", "to"), ("r", "p"), ("weights", "values"), ("polynomial", "exponent")]
    pairs += [("offset", "zero_unless_above"), ("shift", "order"), ("hypotheses", "conclusion"), ("shift", "delta")]
    found = [
        (p, a, b) for p in places(seed) for a, b in pairs if isinstance(v := at(seed, p), dict) and a in v and b in v
    ]
    if not found:
        return step_integer(seed, rng)
    path, first, second = rng.choice(found)
    inner = at(seed, path)
    inner[first], inner[second] = inner[second], inner[first]
    return seed


def move_mass(seed: Document, rng: random.Random) -> Mutant:
    """Half of an outcome's probability goes to another one, or two outcomes exchange theirs."""
    path = chosen(rng, seed, lambda v, p: isinstance(v, list) and len(v) > 1 and p[-2:-1] == ("rows",))
    path = path or chosen(rng, seed, lambda v, p: isinstance(v, list) and len(v) > 1 and p[-1] in ("weights", "base"))
    if not path or not isinstance(at(seed, path)[0], dict | list):
        return step_rational(seed, rng)
    first, second = rng.sample(at(seed, path), 2)
    key = "prob" if isinstance(first, dict) else 1
    if rng.randrange(2) or not isinstance(first[key], str) or not isinstance(second[key], str):
        first[key], second[key] = second[key], first[key]
    else:
        half = oracle.number(first[key]) / 2
        first[key], second[key] = spell(half), spell(oracle.number(second[key]) + half)
    return seed


def change_a_box(seed: Document, rng: random.Random) -> Mutant:
    """Another function, box, cut, channel or point of a claim for a box."""
    return change_box(seed if is_box(seed) else copy.deepcopy(rng.choice([s for s in SEEDS if is_box(s)])), rng)


def graft_witness(seed: Document, rng: random.Random) -> Mutant:
    """The witness and the verdict of another certificate of the same kind."""
    other = relative(seed, rng)
    seed["witness"], seed["verdict"] = copy.deepcopy(other["witness"]), other["verdict"]
    return seed


def graft_field(seed: Document, rng: random.Random) -> Mutant:
    """One field of the claim of another certificate of the same kind."""
    other = relative(seed, rng)
    key = rng.choice(sorted((seed["claim"].keys() & other["claim"].keys()) - {"kind"}))
    seed["claim"][key] = copy.deepcopy(other["claim"][key])
    return seed


def graft_law(seed: Document, rng: random.Random) -> Mutant:
    """Another noise law of the corpus."""
    path = chosen(rng, seed, lambda v, p: isinstance(v, dict) and "family" in v)
    if not path:
        return graft_field(seed, rng)
    put(seed, path, copy.deepcopy(rng.choice(LAWS)))
    return seed


def relative(seed: Document, rng: random.Random) -> Document:
    return rng.choice([other for other in SEEDS if other["claim"]["kind"] == seed["claim"]["kind"]])


COMPOSED = [seed for seed in SEEDS if seed["claim"]["kind"] == "composed"]
LAWS = [
    at(seed, p) for seed in SEEDS for p in places(seed) if isinstance(at(seed, p), dict) and "family" in at(seed, p)
]


def disguise(seed: Document, rng: random.Random) -> Mutant:
    """A parameter of a law as a real that is equal, or almost, or not."""
    names = ("p", "r", "mu", "exp_eps", "p1", "p2")
    path = chosen(rng, seed, lambda v, p: p[-1] in names and "family" in at(seed, p[:-1]))
    if not path:
        return step_integer(seed, rng)
    old = at(seed, path)
    ways: list[Any] = [
        {"sum": [old, "0"]},
        {"product": ["1", old]},
        {"inverse": {"inverse": old}},
        {"log": {"exp": old}},
        {"exp": {"log": old}},
        {"sum": [old, str(TINY)]},
        {"exp": old},
        {"inverse": old},
        {"power": [old, "2"]},
        {"log": old},
        {"sum": [old, {"product": ["-1", old]}]},
        {"exp": {"product": ["-1", old]}},
    ]
    put(seed, path, rng.choice(ways))
    if rng.randrange(2):
        seed["witness"]["bits"] = "64"
    return seed


def change_precision(seed: Document, rng: random.Random) -> Mutant:
    """Other bits, Taylor terms or Taylor degrees; or by enclosure what was exact, and the other way round."""
    path = chosen(rng, seed, lambda v, p: p[-1] in ("bits", "terms", "taylor"))
    if not path:
        seed["witness"]["bits"] = rng.choice(["16", "64", "200"])
    elif rng.randrange(4):
        put(seed, path, rng.choice(["1", "2", "4", "6", "10", "16", "17", "24", "40", "64", "200"]))
    else:
        del at(seed, path[:-1])[path[-1]]
    return seed


def change_lattice(seed: Document, rng: random.Random) -> Mutant:
    """Another curve, ratio, precision or number of runs, in a witness and a claim of composition."""
    path = chosen(rng, seed, lambda v, p: isinstance(v, dict) and "ratio" in v and ("curves" in v or "pairs" in v))
    runs = chosen(rng, seed, lambda v, p: isinstance(v, list) and p[-1] == "runs")
    if not path or not runs:
        seed = copy.deepcopy(rng.choice(COMPOSED))
        path, runs = ("witness",), ("claim", "runs")
    witness, listed = at(seed, path), at(seed, runs)
    claim = at(seed, runs[:-1])
    rho, key = oracle.number(witness["ratio"]), "curves" if "curves" in witness else "pairs"
    curve = rng.choice([entry["deltas"] for entry in witness["curves"]] if key == "curves" else [["0"]])
    place = rng.randrange(len(curve))
    change = rng.randrange(12)
    if change == 0:
        witness[key] = witness[key][::-1]
    elif change == 1:
        del curve[place:]
    elif change == 2:
        curve[place] = str(int(curve[place]) - rng.choice([1, 1, 2, int(curve[place]) // 3]))
    elif change == 3:
        curve[place] = str(int(curve[place]) + rng.choice([1, 2**20, int(curve[place]) // 3]))
    elif change == 4:
        curve.insert(place, curve[place])
    elif change == 5:
        rng.choice(listed)["times"] = rng.choice(["1", "2", "3", "4", "6"])
    elif change == 6:
        i = rng.randrange(len(listed))
        listed.append(copy.deepcopy(listed[i]))
        witness[key].append(copy.deepcopy(witness[key][min(i, len(witness[key]) - 1)]))
    elif change == 7:
        witness["ratio"] = spell(rng.choice([1 / rho, rho**2, rho * 2, 1 + (rho - 1) / 2, 1 + (rho - 1) / 8]))
    elif change == 8:
        witness["precision"] = rng.choice(["16", "20", "40", "55", "57", "80"])
    elif change == 9:
        claim["delta"] = spell(oracle.number(claim["delta"]) * rng.choice([F(1, 2), F(9, 10), F(99, 100)]))
    elif change == 10:
        claim["delta"] = spell(min(F(1), oracle.number(claim["delta"]) * rng.choice([2, F(11, 10), F(101, 100)])))
    elif "exp_eps" in claim:
        claim["exp_eps"] = spell(
            max(F(1), oracle.number(claim["exp_eps"]) * rng.choice([F(1, 2), F(9, 10), F(11, 10), 2]))
        )
    return seed


def negate(seed: Document, rng: random.Random) -> Mutant:
    """The claim's negation, with the other verdict (right) or the same one (wrong)."""
    seed["claim"] = {"kind": "not", "claim": seed["claim"]}
    return flip_verdict(seed, rng) if rng.randrange(2) else seed


def join(seed: Document, rng: random.Random) -> Mutant:
    """A conjunction with another claim, sometimes under assumptions."""
    other = copy.deepcopy(rng.choice(SEEDS))
    parts = [seed, other] if rng.randrange(2) else [other, seed]
    seed["schema"] = max([SCHEMAS[-1], seed["schema"], other["schema"]])
    claim = {"kind": "conjunction", "claims": [part["claim"] for part in parts]}
    if rng.randrange(3) == 0:
        claim["assuming"] = rng.sample(["markov", "independence", "union", "taylor"], rng.randrange(1, 3))
    index = rng.choice([i for i, part in enumerate(parts) if part["verdict"] == REFUTED] or [0])
    proof = {"parts": [part["witness"] for part in parts]}
    refutation = {"part": str(index), "witness": parts[index]["witness"]}
    is_proved = all(part["verdict"] == PROVED for part in parts) ^ (rng.randrange(4) == 0)
    verdict, witness = (PROVED, proof) if is_proved else (REFUTED, refutation)
    return {**seed, "claim": claim, "verdict": verdict, "witness": witness}


def change_more(seed: Document, rng: random.Random) -> Mutant:
    """Two or three changes, of the kinds that leave a certificate most often."""
    changes = [flip_verdict, step_integer, step_rational, replace_number, swap_word, exchange_eps, swap_keys, move_mass]
    changes += [graft_witness, graft_field, graft_law, disguise, change_precision, negate]
    for change in rng.choices(changes, [3, 5, 5, 2, 3, 1, 2, 4, 2, 3, 3, 3, 3, 1], k=rng.choice([2, 2, 3])):
        try:
            seed = change(copy.deepcopy(seed), rng)
        except (KeyError, IndexError, TypeError, ValueError):  # the one before left no such place
            break
    return seed


def change_schema(seed: Document, rng: random.Random) -> Mutant:
    seed["schema"] = rng.choice(
        [*SCHEMAS, *SCHEMAS, corpus_v4.SCHEMA, "exactdp-certificate-5", "EXACTDP-CERTIFICATE-1", ""]
    )
    return seed


def break_seal(seed: Document, rng: random.Random) -> Mutant:
    claim_id = sha256(seed["claim"])
    other = sha256(rng.choice(SEEDS)["claim"])
    return {**seed, "claim_id": rng.choice([other, claim_id.upper(), claim_id[:12], " " + claim_id, "0" * 64])}


def strange_numeral(seed: Document, rng: random.Random) -> Mutant:
    if path := chosen(rng, seed, is_number):
        put(seed, path, rng.choice(STRANGE))
    return seed


def unreduced(seed: Document, rng: random.Random) -> Mutant:
    if path := chosen(rng, seed, is_number):
        old = oracle.number(at(seed, path))
        factor = rng.choice([1, 2, 3, -1, 2**300])
        top, bottom = spell(Fraction(old.numerator * factor)), spell(Fraction(old.denominator * factor))
        put(seed, path, f"{top}/{bottom}" if factor != 1 else f"{spell(old)}/1")
    return seed


def change_keys(seed: Document, rng: random.Random) -> Mutant:
    """A key more, a key less, or one of another name, at any depth and at the top."""
    path = rng.choice([p for p in places(seed) if isinstance(at(seed, p), dict)])
    found = at(seed, path)
    change = rng.randrange(3)
    if change == 0 or not found:
        found[rng.choice(["name", "comment", "terms", "bits", "assuming", "least", "probability", "pure"])] = "1"
    else:
        key = rng.choice(sorted(found))
        value = found.pop(key)
        if change == 1:
            found[rng.choice([key + " ", key.upper(), key + "_", key[:-1]])] = value
    return seed


def another_type(seed: Document, rng: random.Random) -> Mutant:
    if path := chosen(rng, seed, lambda v, p: True):
        put(seed, path, rng.choice([{}, [], "", "0", [at(seed, path)], {"exp": at(seed, path)}]))
    return seed


def nest(seed: Document, rng: random.Random) -> Mutant:
    """Twice as many negations as some number, which change nothing, up to more than the format allows."""
    for _ in range(2 * rng.choice([1, 2, 8, 12, 40, 200])):
        seed["claim"] = {"kind": "not", "claim": seed["claim"]}
    return seed


def text_of(seed: Document) -> str:
    if isinstance(seed, dict) and "claim" in seed:
        seed = {**seed, "claim_id": sha256(seed["claim"])}
    return json.dumps(seed, ensure_ascii=False)


def json_token(seed: Document, rng: random.Random) -> Mutant:
    """A value that is no string: a number, true, null, or broken JSON."""
    path = chosen(rng, seed, lambda v, p: isinstance(v, str))
    if not path:
        return raw_bytes(seed, rng)
    put(seed, path, "@@")
    return text_of(seed).replace('"@@"', rng.choice(TOKENS)).encode()


def double_key(seed: Document, rng: random.Random) -> Mutant:
    """A key twice in one object, with the same value or another one."""
    text = text_of(seed)
    key = rng.choice([p[-1] for p in places(seed) if p and isinstance(p[-1], str)])
    return text.replace(
        f'"{key}": ', f'"{key}": {rng.choice(["0", "{}", chr(34) + "1" + chr(34)])}, "{key}": ', 1
    ).encode()


def raw_bytes(seed: Document, rng: random.Random) -> Mutant:
    """Truncated, empty, binary, another encoding, a flipped bit, two documents, more white space."""
    content = text_of(seed).encode()
    i = rng.randrange(len(content))
    flipped = content[:i] + bytes([content[i] ^ (1 << rng.randrange(8))]) + content[i + 1 :]
    return rng.choice(
        [
            content[:i],
            content[i:],
            b"",
            rng.randbytes(rng.randrange(200)),
            flipped,
            flipped,
            content[:i] + content[i + 1 :],
            b"\xef\xbb\xbf" + content,
            content.decode().encode("utf-16"),
            content + content,
            content + b"\x00",
            content.replace(b" ", b"\n\t "),
            content.replace(b'"', b"'"),
            content.replace(b'"n"', b'"\\u006e"'),
            b"[" * 100_000,
            b'{"a":' * 5000,
        ]
    )


class Mutation(NamedTuple):
    weight: int
    change: Callable[[Document, random.Random], Mutant]


MUTATIONS = {
    "the other verdict": Mutation(5, flip_verdict),
    "sign flipped": Mutation(3, flip_sign),
    "integer off by one": Mutation(12, step_integer),
    "rational off by a unit": Mutation(10, step_rational),
    "another number": Mutation(4, replace_number),
    "another word": Mutation(6, swap_word),
    "eps and exp_eps": Mutation(3, exchange_eps),
    "entry twice, missing, moved": Mutation(4, change_case),
    "two fields exchanged": Mutation(4, swap_keys),
    "mass moved": Mutation(6, move_mass),
    "another witness": Mutation(6, graft_witness),
    "another field": Mutation(5, graft_field),
    "another law": Mutation(4, graft_law),
    "parameter as a real": Mutation(4, disguise),
    "another precision": Mutation(5, change_precision),
    "another lattice": Mutation(10, change_lattice),
    "another test of the view": Mutation(6, change_test),
    "another swap": Mutation(8, change_swap),
    "another box": Mutation(8, change_a_box),
    "negation": Mutation(3, negate),
    "conjunction": Mutation(3, join),
    "two or three changes": Mutation(10, change_more),
    "another schema": Mutation(1, change_schema),
    "seal broken": Mutation(1, break_seal),
    "strange numeral": Mutation(2, strange_numeral),
    "fraction unreduced": Mutation(1, unreduced),
    "another key": Mutation(1, change_keys),
    "another type": Mutation(1, another_type),
    "nested": Mutation(1, nest),
    "JSON token": Mutation(1, json_token),
    "key twice": Mutation(1, double_key),
    "bytes": Mutation(2, raw_bytes),
}


def mutated(rng: random.Random, seeds: list[Document] = SEEDS) -> tuple[str, Mutant]:
    """The name of a mutation, and one of the seeds to which it was done: sealed again, unless it is about the seal."""
    weights = {name: mutation.weight for name, mutation in MUTATIONS.items()}
    for few, made in ((SMALL, "another test of the view"), (SWAPS, "another swap")):
        if seeds is few:  # half of the mutants are those that are made for them
            weights |= {made: sum(weights.values()), "another law": 0, "parameter as a real": 0}
    name = rng.choices(list(weights), list(weights.values()))[0]
    found = MUTATIONS[name].change(copy.deepcopy(rng.choice(seeds)), rng)
    if isinstance(found, dict) and name != "seal broken" and "claim" in found:
        found["claim_id"] = sha256(found["claim"])
    return name, found
