"""Certificates that only a slip of a checker lets pass: ``python -m tests.certificates.falsified --certificates 5000``.

A slip is made in the Python checker (those of ``tests/unit/checker/test_swap.py``, and those below), which then
has another bound for a witness of the fourth schema: a smaller one of a proof, or a larger one of a refutation. A delta
drawn between the two bounds, near either of them or anywhere, is claimed with this witness. The checker may not verify
that, whether the claim is true or not, nor may the second one, unless delta is within 2^-20 of the bound, as the two
need not round alike. The exit status is 1 if one does. The witnesses are those of the corpus, half of those by a swap
with another number.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from exactdp.checker import dummies, families, neighboring_laws, privacy, swap, user_pairs, view_tests
from exactdp.checker.budget import CertificateRejectedError, MalformedCertificateError, Work
from exactdp.checker.documents import report
from exactdp.checker.privacy import Privacy
from exactdp.checker.scores import BoundedLaws
from tests.certificates import corpus_v4
from tests.certificates.answers import RECORDS
from tests.certificates.claims import PROVED, document
from tests.certificates.compare import second_answers
from tests.certificates.mutations_of_swaps import change_plan, change_stages
from tests.unit.checker.test_swap import SLIPS, Patch, changed_nodes, changed_row

F = Fraction
DELTAS = 8  # of one witness and one slip
CHEAP = 120_000  # units of work
PRICES = json.loads((RECORDS / "work.json").read_text(encoding="utf-8"))
FORMS = ("swap", "event", "closed_bracket", "likelihood")
BASES = [
    case
    for name, case in corpus_v4.CORRECT.items()
    if case[0]["kind"] == "shuffle_dp"
    and any(form in case[2] for form in FORMS)
    and PRICES[f"v4/correct/{name}"] <= CHEAP
]


# --- More slips ------------------------------------------------------------------------------------------------------


def replaced(where: Any, name: str, change: Callable[[Any], Any]) -> Callable[[Patch], None]:
    """What a function returns, changed."""
    original = getattr(where, name)
    return lambda patch: patch.setattr(where, name, lambda *given, **named: change(original(*given, **named)))


def exchanged(patch: Patch) -> None:
    """The numbers of users of the first two classes."""
    users = neighboring_laws.ClassesView.users

    def slipped(view: Any, own: int, places: Any) -> list[int]:
        found = users(view, own, places)
        return [*found[1::-1], *found[2:]]

    patch.setattr(neighboring_laws.ClassesView, "users", slipped)


def a_row_of_others_left_out(patch: Patch) -> None:
    """Of each factor of a product, and of what dummies hide."""
    kinds = dummies.kinds_of_family
    for module in (dummies, user_pairs):
        patch.setattr(
            module,
            "kinds_of_family",
            lambda *given: (k._replace(others=k.others[:-1] or k.others) for k in kinds(*given)),
        )


def overlapping(patch: Patch) -> None:
    """Of numbers of ones, each cut counts on both of its sides."""
    chances = dummies.chances_of_ones
    patch.setattr(dummies, "chances_of_ones", lambda *given: [2 * one for one in chances(*given)])


MIXED = user_pairs.mixed_classes
MORE: dict[str, Callable[[Patch], None]] = {
    "rounded down": lambda patch: patch.setattr(swap, "up", lambda value, bits: value >> bits),
    "a mass that is not rounded up": changed_row(lambda row: row._replace(moment=max(0, row.moment - 2))),
    "sizes without their slack": changed_row(lambda row: row._replace(excess=-(row.moment >> 40) - row.excess)),
    "a power rounded down": replaced(swap, "power_above", lambda found: found - (found >> 50)),
    "the wrong end of an exponential": replaced(swap, "exp_above", lambda found: found - (found >> 50) - 1),
    "a gap between nodes": changed_nodes(
        lambda nodes: nodes._replace(weights=[*nodes.weights[:1], 0, *nodes.weights[2:]])
    ),
    "nodes that begin too late": changed_nodes(
        lambda nodes: nodes._replace(weights=[nodes.weights[0] // 2, *nodes.weights[1:]])
    ),
    "classes exchanged": exchanged,
    "a row of others left out": a_row_of_others_left_out,
    "numbers of ones that overlap": overlapping,
    "a closed bracket of one symbol fewer": lambda patch: patch.setattr(
        privacy,
        "closed_divergence",
        lambda family, *given: families.closed_divergence(family._replace(inputs=max(3, family.inputs - 1)), *given),
    ),
    "a closed bracket of one user more": lambda patch: patch.setattr(
        privacy, "closed_divergence", lambda family, n, *given: families.closed_divergence(family, n + 1, *given)
    ),
    "a closed bracket of one user fewer": lambda patch: patch.setattr(
        privacy,
        "closed_divergence",
        lambda family, n, *given: families.closed_divergence(family, max(1, n - 1), *given),
    ),
    "a factor of all pairs forgotten": lambda patch: patch.setattr(
        user_pairs, "mixed_classes", lambda factors, *given: MIXED(factors[:-1] or factors, *given)
    ),
    "what is lost not counted": lambda patch: patch.setattr(BoundedLaws, "missing", property(lambda laws: 0)),
    "the counts of others forgotten": lambda patch: patch.setattr(
        view_tests, "event_laws", _beside_fewer(view_tests.event_laws)
    ),
}


def _beside_fewer(event_laws: Callable[..., Any]) -> Callable[..., Any]:
    """Each class of several users has one less."""

    def slipped(fields: Any, own: Any, others: Any, tables: Any, users: Any, work: Work) -> Any:
        fewer = [list(map(int, held)) for held in others]
        for held in fewer:
            place = held.index(max(held))
            held[place] = max(0, held[place] - 1)
        return event_laws(fields, own, [list(map(str, h)) for h in fewer], tables, list(map(sum, fewer)), work)

    return slipped


ALL_SLIPS = {**SLIPS, **MORE}
ROUNDING = F(1, 2**20)

# --- Bounds ----------------------------------------------------------------------------------------------------------


class Asked(Fraction):
    """A delta that lets a check go on to its last bound, and keeps what it was compared with."""

    def __init__(self, *_: Any) -> None:
        self.bounds: list[Fraction] = []
        self.rough: Fraction | None = None

    def __ge__(self, bound: Any) -> bool:  # bound <= delta, of a swap by two bounds: a rough one first
        if self.rough is None:
            self.rough = bound
            return False
        self.bounds.append(min(bound, self.rough))
        self.rough = None
        return True


def bound_of(claim: Any, verdict: str, witness: Any) -> Fraction | None:
    """What the Python checker compares delta with; None where it refuses the witness."""
    stated = Privacy.read_shuffle({**claim, "delta": "0"}, Work())
    asked, seen = Asked(0), list[Fraction]()
    try:
        if "swap" in witness:
            stated._replace(level=stated.level._replace(delta=asked)).prove(witness, Work())
            return max(asked.bounds, default=None)
        with pytest.MonkeyPatch.context() as patch:
            for where, name in ((Privacy, "closed"), (BoundedLaws, "divergence")):
                replaced(where, name, lambda found: seen.append(found) or found)(patch)
            with_delta = stated._replace(level=stated.level._replace(delta=F(verdict == PROVED)))
            (with_delta.prove if verdict == PROVED else with_delta.refute)(witness, Work())
    except (CertificateRejectedError, MalformedCertificateError, ArithmeticError, LookupError, ValueError, TypeError):
        pass
    return seen[0] if seen else None


def between(least: Fraction, most: Fraction, rng: random.Random) -> Fraction:
    """Above the least and below the most: near either of them, or anywhere."""
    share = rng.choice([F(1, 2**20), F(rng.randint(1, 2**20 - 1), 2**20), 1 - F(1, 2**20)])
    return least + share * (most - least)


def falsified(rng: random.Random) -> Iterator[tuple[str, bool, Any]]:
    """Slips with certificates that only they let pass, without end; and whether delta is clearly on the wrong side."""
    made = Counter[str]()
    while True:
        claim, verdict, witness = copy.deepcopy(rng.choice(BASES))
        if "swap" in witness and rng.randrange(2):
            rng.choice([change_plan, change_stages])(witness["swap"], rng)
        if (true := bound_of(claim, verdict, witness)) is None:
            continue
        names = sorted(ALL_SLIPS if "swap" in witness else MORE, key=lambda _: rng.random())
        for name in dict.fromkeys([*names[:4], *sorted(names, key=made.__getitem__)[:4]]):
            with pytest.MonkeyPatch.context() as patch:
                ALL_SLIPS[name](patch)
                wrong = bound_of(claim, verdict, witness)
            ends = (wrong, true) if verdict == PROVED else (true, wrong)
            if wrong is None or not F(0) <= ends[0] < ends[1]:  # type: ignore[operator]
                continue
            for _ in range(DELTAS):
                delta = between(*ends, rng)  # type: ignore[arg-type]
                if delta < 1:
                    made[name] += 1
                    yield (
                        name,
                        abs(delta - true) > ROUNDING * true,
                        document({**claim, "delta": str(delta)}, verdict, witness, corpus_v4.SCHEMA),
                    )


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.certificates.falsified", description=__doc__.split("\n")[0])
    parser.add_argument("--certificates", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    began, made = time.process_time(), falsified(random.Random(options.seed))
    verified = list[str]()
    with tempfile.TemporaryDirectory() as folder:
        files, named, clear = list[Path](), list[str](), list[bool]()
        for place in range(options.certificates):
            name, is_clear, certificate = next(made)
            named.append(name)
            clear.append(is_clear)
            files.append(Path(folder) / f"{place}.json")
            files[-1].write_text(json.dumps(certificate))
            if len(files) % 500 == 0:
                sys.stdout.write(f"{len(files)} certificates, {len(verified)} verified\n")
                sys.stdout.flush()
            if report(str(files[-1]))[0] == 0:
                verified.append(f"{name}: {files[-1].read_text()}")
        seconds = time.process_time() - began
        answers = second_answers(files)
        verified += [
            f"by the second, {name}: {file.read_text()}"
            for name, is_clear, file, answer in zip(named, clear, files, answers, strict=True)
            if answer == "VERIFIED" and is_clear
        ]
    counts = Counter(named)
    for name in ALL_SLIPS:
        sys.stdout.write(f"{counts[name]:8} {name}\n")
    sys.stdout.write(f"{len(files)} certificates, {len(verified)} verified by either checker, {seconds:.0f} s of CPU\n")
    told = Counter(answer for answer, is_clear in zip(answers, clear, strict=True) if is_clear)
    sys.stdout.write(f"of those that are not within 2^-20 of the bound the second checker says {dict(told)}\n")
    for text in verified[:10]:
        sys.stdout.write(f"{text[:2000]}\n")
    return 1 if verified else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
