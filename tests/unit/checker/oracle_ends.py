"""The oracle's share of randomizers among many users: both ends of delta, as the package's profiles enclose them.

A profile is an exact scan of all data sets, or two ends by contour integrals; a certificate of many users is checked
by convolutions on a lattice, in integers. A family is listed from its definition where that is short.
"""

from __future__ import annotations

import json
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, pairwise, product
from math import comb, prod
from typing import Any

from exactdp import Randomizer, Real, ShuffleProtocol
from exactdp.claims.randomizer_specs import RANDOMIZER
from exactdp.errors import ExactDPError
from exactdp.privacy.amplification.amplification import Amplification
from exactdp.privacy.amplification.input_pairs import FamilyPairs, SpreadPairs, TablePairs
from exactdp.randomizers import HadamardResponse, KAryResponse, LocalHashing, SubsetSelection, laplace
from tests.unit.checker.oracle_laws import TooLongError
from tests.unit.checker.oracle_users import (
    COMPOSITES,
    classes_dp,
    is_listed,
    listed_dp,
    mixed,
    rows_of_composite,
    tables_of_any,
)
from tests.unit.checker.oracle_views import Law, number, over_all_data_sets, rows, whole

F, ONE = Fraction, Fraction(1)
FAMILIES = {"k-ary", "unary-encoding", "subset-selection", "hadamard", "local-hashing", "clipped-discrete-laplace"}
MOST_MESSAGES = 300
SCANNED = 3  # messages of tables whose data sets may all be scanned
RELATIVE_BITS = 24  # of an end that is enclosed: claims that are nearer to the truth are not decided
MOST_STEPS = 3 * 10**5  # entries of sorted tuples, over all views: some tenths of a second


def table(claimed: Any) -> list[Law]:
    """The rows of a randomizer; of a family every message, from its definition."""
    if "rows" in claimed:
        return rows(claimed)
    if claimed["family"] in COMPOSITES:
        return rows_of_composite(claimed, table)
    found = listed(claimed)
    if any(sum(row) != 1 for row in found):
        raise AssertionError(claimed)
    return [{(m,): p for m, p in enumerate(row) if p} for row in found]


def listed(claimed: Any) -> list[list[Fraction]]:
    name = claimed["family"]
    if name == "laplace":  # whose messages are no list
        raise TooLongError
    if name == "clipped-discrete-laplace":
        return clipped_laplace(whole(claimed["top"]), number(claimed["ratio"]))
    d = whole(claimed["inputs"])
    if d > MOST_MESSAGES or (name != "k-ary" and d > 12):
        raise TooLongError
    if name == "unary-encoding":
        return unary_encoding(d, number(claimed["one"]), number(claimed["other"]))
    high = number(claimed["exp_eps0"])
    weights: list[list[Fraction]]
    if name == "k-ary":
        weights = [[high if x == m else ONE for m in range(d)] for x in range(d)]
    elif name == "subset-selection":
        chosen = list(short(combinations(range(d), whole(claimed["size"]))))
        weights = [[high if x in subset else ONE for subset in chosen] for x in range(d)]
    elif name == "hadamard":
        columns = range(2 ** d.bit_length())
        weights = [[ONE if (j & (x + 1)).bit_count() % 2 else high for j in columns] for x in range(d)]
    else:
        g = whole(claimed["buckets"])
        if g**d * g > MOST_MESSAGES:
            raise TooLongError
        sent = list(product(product(range(g), repeat=d), range(g)))
        weights = [[high if hashed[x] == bucket else ONE for hashed, bucket in sent] for x in range(d)]
    return [[weight / sum(row, F(0)) for weight in row] for row in weights]


def short(messages: Any) -> list[Any]:
    found: list[Any] = []
    for message in messages:
        found.append(message)
        if len(found) > MOST_MESSAGES:
            raise TooLongError
    return found


def unary_encoding(d: int, p: Fraction, q: Fraction) -> list[list[Fraction]]:
    vectors = short(product((0, 1), repeat=d))
    chances = [[p if i == x else q for i in range(d)] for x in range(d)]
    return [
        [prod((c if bit else 1 - c for bit, c in zip(bits, own, strict=True)), start=ONE) for bits in vectors]
        for own in chances
    ]


def clipped_laplace(top: int, r: Fraction) -> list[list[Fraction]]:
    if top > 16:
        raise TooLongError
    inner = (1 - r) / (1 + r)
    return [
        [r**x / (1 + r), *(inner * r ** abs(x - y) for y in range(1, top)), r ** (top - x) / (1 + r)]
        for x in range(top + 1)
    ]


def told_cells(high: Fraction) -> list[Law]:
    """Of the inputs 0 and 1 plus Laplace noise of which a few cells are told: by the distribution function at their
    ends, lengths being logarithms to the base e^eps0."""

    def below(u: Fraction, end: Fraction) -> Fraction:
        return 1 - u / (2 * end) if u <= end else end / (2 * u)

    ends = [1 + (high - 1) * F(k, 4) for k in range(5)]
    listed_ends = [[F(0), *(below(u, end) for end in ends), ONE] for u in (ONE, high)]
    return [{(str(m),): b - a for m, (a, b) in enumerate(pairwise(row))} for row in listed_ends]


def told_ones(claimed: Any) -> list[Law]:
    """Of unary encoding behind fair bits, for its inputs 0 and 1: their bits, and how many of the others are ones."""
    encoding, q = claimed["of"], number(claimed["probability"])
    one, other, rest = number(encoding["one"]), number(encoding["other"]), whole(encoding["inputs"]) - 2

    def law(*chances: Fraction) -> Law:
        *named, of_rest = ([1 - chance, chance] for chance in chances)
        ones = [comb(rest, k) * of_rest[1] ** k * of_rest[0] ** (rest - k) for k in range(rest + 1)]
        columns = product(*map(enumerate, (*named, ones)))
        return {(tuple(place for place, _ in column),): prod(p for _, p in column) for column in columns}

    fair = law(F(1, 2), F(1, 2), F(1, 2))
    return [mixed(law(*chances, other), q, fair) for chances in ((one, other), (other, one))]


# --- Both ends of delta ----------------------------------------------------------------------------------------------


def shuffle_dp(claim: Any) -> bool | None:
    """Over all data sets, one by one, where they are few or the claim asks for more than both ends say."""
    if "classes" in claim:
        return classes_dp(claim, table)
    claimed = claim["randomizer"]
    if is_listed(claimed):
        return listed_dp(claim, table)
    if claimed.get("family") == "any":
        return False if any(shuffle_dp(one) is False for one in tables_of_any(claim)) else None
    simple = claim["neighbors"] == "replace-one" and claim["least"] == "none"
    try:
        found = table(claimed)
    except TooLongError:
        return private(claim)
    if simple and not is_short(found, whole(claim["n"])):
        return private(claim)
    return over_all_data_sets(claim, found)


def is_short(listed_rows: list[Law], n: int) -> bool:
    """Whether all data sets can be listed with all their views."""
    messages = {m for row in listed_rows for sent in row for m in sent}
    longest = max(len(sent) for row in listed_rows for sent in row)
    if n > 100 or len(messages) > 20:
        return False
    data_sets = comb(n + len(listed_rows) - 1, n)
    steps = n * comb(n * longest + len(messages), len(messages)) * max(map(len, listed_rows))
    return data_sets * steps * n * longest <= MOST_STEPS


@lru_cache(maxsize=10_000)
def ends(spelt: str, n: int, level: str, value: Fraction) -> tuple[Fraction, Fraction]:
    """A lower and an upper end of the least delta, over all neighbours by replacement; the level is exp_eps or eps."""
    claimed = json.loads(spelt)
    if claimed.get("family") == "participation" and '"unary-encoding"' in spelt:  # by the engine, of all of its bits
        stated: Any = RANDOMIZER.read(claimed)
        bracket = stated.protocol(n).privacy_profile().bracket(**{level: value}, relative_bits=RELATIVE_BITS)
        return bracket.lower.lower.fraction(), bracket.upper.upper.fraction()
    randomizer, is_whole = modelled(claimed)
    try:
        if isinstance(randomizer, Randomizer) and message_count(randomizer) <= SCANNED:
            profile = ShuffleProtocol(randomizer, n).privacy_profile()
            delta = profile.delta(eps=value) if level == "eps" else profile.delta(exp_eps=value)
            if isinstance(delta, Fraction):
                return delta, delta if is_whole else F(1)
            return delta.lower.fraction(), delta.upper.fraction() if is_whole else F(1)
        pairs_of = {"table": TablePairs, "classes": FamilyPairs, "spreads": SpreadPairs}
        pairs = pairs_of[randomizer.pairs_by](randomizer)
        at = Real(value) if level == "exp_eps" else Real.exp(value)
        bracket = Amplification(pairs, n).bracket(at, RELATIVE_BITS)
    except ExactDPError as error:
        raise TooLongError from error
    return bracket.lower.lower.fraction(), bracket.upper.upper.fraction() if is_whole else F(1)


def message_count(randomizer: Randomizer) -> int:
    return len({message for law in randomizer.table().values() for sent in law for message in sent})


def modelled(claimed: Any) -> tuple[Any, bool]:
    """As the package has it, and whether that is all of it: an encoding of fewer bits has fewer data sets."""
    if claimed.get("family") in (None, "clipped-discrete-laplace", *COMPOSITES):
        return Randomizer(dict(enumerate(table(claimed)))), True
    if claimed["family"] == "unary-encoding" and whole(claimed["inputs"]) <= 4:
        return Randomizer(dict(enumerate(table(claimed)))), True
    if claimed["family"] == "unary-encoding":
        return Randomizer(dict(enumerate(table({**claimed, "inputs": "4"})))), False
    if claimed["family"] == "laplace":
        return laplace(exp_eps0=number(claimed["exp_eps0"])), True
    d, exp_eps0 = whole(claimed["inputs"]), number(claimed["exp_eps0"])
    if claimed["family"] == "k-ary":
        return KAryResponse(d, exp_eps0=exp_eps0), True
    if claimed["family"] == "hadamard":
        return HadamardResponse(d, exp_eps0=exp_eps0), True
    if claimed["family"] == "subset-selection":
        return SubsetSelection(d, exp_eps0=exp_eps0, size=whole(claimed["size"])), True
    return LocalHashing(d, exp_eps0=exp_eps0, buckets=whole(claimed["buckets"])), True


def private(claim: Any) -> bool | None:
    """Of a claim with ``least`` none, for replace-one: with more users delta does not rise."""
    level = "exp_eps" if "exp_eps" in claim else "eps"
    spelt, n, delta = json.dumps(claim["randomizer"], sort_keys=True), whole(claim["n"]), number(claim["delta"])
    low, high = ends(spelt, n, level, number(claim[level]))
    return True if high <= delta else False if low > delta else None
