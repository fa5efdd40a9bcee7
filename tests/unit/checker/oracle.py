"""What a claim means, decided without the package: brute force, high precision, and no code or algorithm shared.

``truth`` answers True, False or None: None where only a part of an infinite statement was looked at and nothing was
found against it, or where a number is too close to the edge. ``objections`` is what a referee says of a document that
a checker verified.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from fractions import Fraction
from math import gcd
from typing import Any

from tests.unit.checker.oracle_boxes import for_all, monotone
from tests.unit.checker.oracle_composed import SKIPPED, composed
from tests.unit.checker.oracle_counts import counting_dp, sample_threshold_dp
from tests.unit.checker.oracle_ends import FAMILIES, shuffle_dp
from tests.unit.checker.oracle_laws import (
    NoLawError,
    TooLongError,
    accuracy,
    equal_laws,
    noise,
    shift_dp,
    smooth,
    tail,
)
from tests.unit.checker.oracle_mixing import split_and_mix
from tests.unit.checker.oracle_polynomials import box_inequality, inequality
from tests.unit.checker.oracle_two_messages import two_message_dp
from tests.unit.checker.oracle_views import (
    Law,
    additive_view,
    divergence,
    exp_bounds,
    lost,
    never_dp,
    number,
    rows,
    view_over_all_outputs,
    worst,
    zero_estimate,
)

__all__ = [
    "FIRST_KINDS",
    "SKIPPED",
    "Law",
    "agrees",
    "divergence",
    "exp_bounds",
    "is_canonical",
    "lost",
    "noise",
    "number",
    "objections",
    "points",
    "rows",
    "texts",
    "truth",
    "view_over_all_outputs",
    "worst",
]

FIRST_SCHEMA = "exactdp-certificate-1"
SECOND_SCHEMA, FOURTH_SCHEMA = "exactdp-certificate-2", "exactdp-certificate-4"
OF_THE_THIRD_SCHEMA = {
    "two_message_dp",
    "split_and_mix",
    "counting_dp",
    "sample_threshold_dp",
    "for_all",
    "monotone",
    "discrete-uniform",
    *FAMILIES,
    "blanket",
    "likelihood",
    "event",
    "levels",
}
OF_THE_FOURTH_SCHEMA = {'"family":"any"', '"family":"product"', '"family":"participation"', '"family":"laplace"'}
OF_THE_FOURTH_SCHEMA |= {'"swap":', '"two_messages":', '"classes":'}
FIRST_KINDS = {
    "shuffle_dp",
    "never_dp",
    "shift_dp",
    "additive_view",
    "zero_estimate",
    "inequality",
    "conjunction",
    "not",
}


def truth(claim: Any, values: list[Fraction]) -> bool | None:
    """Whether a claim that is no conjunction or negation is true; inequalities are also tried at ``values``."""
    if claim["kind"] == "inequality":
        return inequality(claim, values)
    if claim["kind"] == "box_inequality":
        return box_inequality(claim, values)
    if claim["kind"] == "for_all":
        return for_all(claim, values, truth)
    if claim["kind"] == "monotone":
        return monotone(claim, values)
    decide: dict[str, Any] = {
        "shuffle_dp": shuffle_dp,
        "two_message_dp": two_message_dp,
        "never_dp": never_dp,
        "shift_dp": shift_dp,
        "counting_dp": counting_dp,
        "sample_threshold_dp": sample_threshold_dp,
        "split_and_mix": split_and_mix,
        "composed": composed,
        "smooth": smooth,
        "tail": tail,
        "accuracy": accuracy,
        "equal_laws": equal_laws,
        "additive_view": additive_view,
        "zero_estimate": zero_estimate,
    }
    answer: bool | None = decide[claim["kind"]](claim)
    return answer


def agrees(claim: Any, verdict: str, values: list[Fraction]) -> bool:
    """Whether the verdict can be right: a PROVED claim was not found false, a REFUTED one was."""
    if claim["kind"] == "conjunction":
        combine = all if verdict == "PROVED" else any
        return combine(agrees(part, verdict, values) for part in claim["claims"])
    if claim["kind"] == "not":
        return agrees(claim["claim"], "REFUTED" if verdict == "PROVED" else "PROVED", values)
    try:
        answer = truth(claim, values)
    except NoLawError:
        return False
    except TooLongError:
        answer = None
    return answer is not False if verdict == "PROVED" else answer is False


# --- A verified document --------------------------------------------------------------------------------------------


def points(witness: Any) -> list[Fraction]:
    """The coordinates of all points in a witness, for inequalities to be tried at."""
    listed = [witness.get("point", []), *(witness[key] for key in ("low", "high") if "proof" in witness)]
    found = [number(x) for point in listed for x in point]
    for inner in (witness.get("witness"), *witness.get("parts", [])):
        found += points(inner) if inner else []
    return found


def objections(document: Any) -> list[str]:
    """Everything that is wrong with a document that a checker verified; what is miswritten is not judged further."""
    claim, found = document["claim"], []
    spelt = json.dumps(claim, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    if document["claim_id"] != hashlib.sha256(spelt.encode()).hexdigest():
        found.append("another claim's id")
    found += [f"written {text!r}" for text in texts([claim, document["witness"]]) if not is_canonical(text)]
    if document["schema"] == FIRST_SCHEMA and not is_of_the_first_schema(claim):
        found.append("not of the first schema")
    said = spelt + json.dumps(document["witness"], separators=(",", ":"))
    if document["schema"] in (FIRST_SCHEMA, SECOND_SCHEMA) and any(f'"{word}"' in said for word in OF_THE_THIRD_SCHEMA):
        found.append("not before the third schema")
    if document["schema"] != FOURTH_SCHEMA and any(word in said for word in OF_THE_FOURTH_SCHEMA):
        found.append("not before the fourth schema")
    if not any(words.startswith("written") for words in found):
        found += [] if agrees(claim, document["verdict"], points(document["witness"])) else ["false"]
    return found


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for child in value.values() if isinstance(value, dict) else value:
            yield from texts(child)
    else:
        yield value if isinstance(value, str) else f"not a string: {value}"


def is_canonical(text: str) -> bool:
    """Whether this is a word of the format, or a number as the format writes it."""
    if re.fullmatch(r"-?[A-Za-z][A-Za-z0-9_ -]*", text):
        return True
    integer = r"-?(0|[1-9][0-9]{0,77}|0x[1-9a-f][0-9a-f]{64,})"
    if not re.fullmatch(rf"{integer}(/{integer})?", text, re.ASCII) or re.match(r"-0(?!x)", text):
        return False
    top, slash, bottom = text.partition("/")
    if any(("0x" in part) != (abs(int(part, 0)).bit_length() > 256) for part in (top, bottom) if part):
        return False
    return not slash or (int(bottom, 0) > 1 and gcd(int(top, 0), int(bottom, 0)) == 1)


def is_of_the_first_schema(claim: Any) -> bool:
    if claim["kind"] not in FIRST_KINDS or "assuming" in claim:
        return False
    inner = [*claim.get("claims", []), *([claim["claim"]] if "claim" in claim else [])]
    law = claim.get("law", {"family": "finite"})
    plain = law["family"] == "finite" or (law["family"] == "binomial" and isinstance(law["p"], str))
    return plain and all(map(is_of_the_first_schema, inner))
