"""Real messages: what certificates say of Laplace noise, against fine tables from both sides and against slips.

The inputs and data sets are drawn, also where the proof says that none is worse: a proved delta is at least what a fine
table tells of any two neighbours, in fractions; a refuted one is at most what fine cells, spread, add up to.
"""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise
from typing import Any

import pytest
from scipy.integrate import quad

from exactdp import Claim, Randomizer, ShuffleProtocol, Verdict, certify, hockey_stick_divergence, verify
from exactdp.checker.budget import CertificateRejectedError, Work
from exactdp.checker.densities import Laplace
from exactdp.checker.documents import verify_text
from exactdp.errors import InvalidValueError
from exactdp.randomizers import laplace
from tests.certificates.claims import PROVED, REFUTED, document, shuffle
from tests.certificates.corpus_v3_blankets import STEEP, blanket
from tests.certificates.corpus_v4 import SCHEMA, plan, swap
from tests.certificates.corpus_v4_densities import CASES, LAPLACE, likelihood, with_cells

F = Fraction
TOP = F(3)


def is_verified(claim: Any, verdict: str, witness: Any) -> bool:
    try:
        verify_text(json.dumps(document(claim, verdict, witness, SCHEMA)))
    except CertificateRejectedError:
        return False
    return True


def below(u: Fraction, end: Fraction) -> Fraction:
    """The distribution function of the message of u = e^(eps0 x) at y = ln(end)/eps0."""
    return 1 - u / (2 * end) if u <= end else end / (2 * u)


def told(inputs: list[Fraction], ends: list[Fraction]) -> Randomizer:
    """The finite table that tells between which ends a message lies."""
    rows = {u: [F(0), *(below(u, end) for end in ends), F(1)] for u in inputs}
    return Randomizer({u: {(m,): b - a for m, (a, b) in enumerate(pairwise(row))} for u, row in rows.items()})


def drawn_points(rng: random.Random, most: int) -> list[Fraction]:
    """Rational numbers between 1 and e^eps0, at any distances."""
    return sorted({1 + (TOP - 1) * F(rng.randint(1, 63), 64) for _ in range(rng.randint(0, most))})


def spelt(points: list[Fraction]) -> str:
    return " ".join(map(str, points))


def least_proved(claim: Any, witness: Any) -> Fraction:
    """About the least delta that a witness proves, from above."""
    low, high = F(0), F(1)
    for _ in range(20):
        middle = (low + high) / 2
        proves = is_verified({**claim, "delta": str(middle)}, PROVED, witness)
        low, high = (low, middle) if proves else (middle, high)
    return high


@pytest.mark.parametrize("seed", range(12))
def test_a_proved_delta_is_at_least_what_a_fine_table_tells(seed: int) -> None:
    """Of users who hold any numbers: others between the two inputs, beyond them, and at the ends."""
    rng = random.Random(seed)
    n, exp_eps = rng.choice([3, 4]), F(rng.choice(["1", "5/4", "3/2", "2"]))
    bound = with_cells(
        rng.choice(
            [
                blanket(("1/8", STEEP)),
                swap(plan("1", "1/2", 60, str(n - 2))),
                swap(plan("2", "1/2", 60, "")),
            ]
        ),
        spelt(drawn_points(rng, 12)),
        spelt(drawn_points(rng, 6)),
        spelt(drawn_points(rng, 6)),
    )
    claim = shuffle(LAPLACE, n, str(exp_eps), "1")
    proved = least_proved(claim, bound)
    inputs = sorted({F(1), TOP, *(1 + (TOP - 1) * F(rng.randint(0, 8), 8) for _ in range(2))})
    ends = sorted({F(1), TOP, *(F(u) for u in inputs), *drawn_points(rng, 4)})
    protocol = ShuffleProtocol(told(inputs, ends), n)
    worst = max(
        hockey_stick_divergence(protocol.law([*others, x]), protocol.law([*others, y]), exp_eps=exp_eps)
        for others in combinations_with_replacement(inputs, n - 1)
        for x in inputs
        for y in inputs
        if x != y
    )
    assert worst <= proved


def excess(classes: list[tuple[Fraction, Fraction, Fraction]], n: int, exp_eps: Fraction) -> Fraction:
    """The divergence beside others of one row, which the user who differs joins: E max(0, L_1 + ... + L_n)/n."""
    sums = {F(0): F(1)}
    for _ in range(n):
        more: dict[Fraction, Fraction] = {}
        for total, weight in sums.items():
            for p, q, r in classes:
                value = total + (p - exp_eps * q) / r
                more[value] = more.get(value, F(0)) + weight * r
        sums = more
    return sum((value * weight for value, weight in sums.items() if value > 0), F(0)) / n


@pytest.mark.parametrize("seed", range(8))
def test_a_refuted_delta_is_at_most_what_fine_cells_add_up_to(seed: int) -> None:
    """The largest delta that a test refutes, beside the same users whose messages tell more: a ray of a fine cell."""
    rng = random.Random(seed)
    n, exp_eps, others = rng.choice([1, 2, 3]), rng.choice(["1", "3/2", "2"]), rng.choice(["first", "second"])
    witness = likelihood(others, rng.choice([-8, -1, 0, 2]), spelt(drawn_points(rng, 10)))
    low, high = F(0), F(1)
    for _ in range(20):
        middle = (low + high) / 2
        refutes = is_verified(shuffle(LAPLACE, n, exp_eps, str(middle)), REFUTED, witness)
        low, high = (middle, high) if refutes else (low, middle)
    points = [1 + (TOP - 1) * F(k, 10) for k in range(11)]
    halves = [F(1, 2), *((b - a) / (2 * (a + b)) for a, b in pairwise(points)), F(1, 2)]
    weights = [a + b for a, b in pairwise(halves)]
    rows = [[w * min(u, v) / max(u, v) for w, u in zip(weights, points, strict=True)] for v in (F(1), TOP)]
    held = rows[0 if others == "first" else 1]
    assert low <= excess(list(zip(*rows, held, strict=True)), n, F(exp_eps))


def test_the_classes_are_laws_with_the_masses_of_cells() -> None:
    """Sums are 1 but for the share; a bin has the integral of the density; a cell's two ends have all of it."""
    read = Laplace.read(LAPLACE)
    found, _ = read.named({"points": ["5/4", "2"]}, ["points"])
    classes = found.spread(F(1), TOP, F(3, 2), F(1, 2), Work())
    assert [sum(column) for column in zip(*classes, strict=True)] == [1, 1, F(1, 2)]
    bins = found.binned("second", Work())
    table = told([F(1), TOP], [F(1), F(5, 4), F(2), TOP])
    assert [p for p, _, _ in bins] == [p for _, p in table.rows[0]]
    assert [q for _, q, _ in bins] == [r for _, _, r in bins] == [p for _, p in table.rows[1]]


def test_what_one_user_sends_has_the_divergence_of_the_densities() -> None:
    """n = 1: between what a test of many cells refutes and what a blanket of them proves is the integral."""
    eps0, exp_eps = math.log(3), 2.0

    def gain(y: float) -> float:
        p, q = (eps0 / 2 * math.exp(-eps0 * abs(y - x)) for x in (0.0, 1.0))
        return max(0.0, p - exp_eps * q)

    ends = (-30.0, 0.0, (1 - math.log(2) / eps0) / 2, 1.0, 30.0)
    truth = sum(quad(gain, a, b, limit=200)[0] for a, b in pairwise(sorted(ends)))
    points = spelt([1 + F(2 * k, 64) for k in range(1, 64)])
    proved = with_cells(blanket(("1/64", STEEP)), points)
    claim = shuffle(LAPLACE, 1, "2", "1")
    assert is_verified({**claim, "delta": str(F(truth) + F(1, 2000))}, PROVED, proved)
    assert not is_verified({**claim, "delta": str(F(truth) - F(1, 10**6))}, PROVED, proved)
    test = likelihood("first", 0, points)
    test["likelihood"]["at"] = "2"
    assert is_verified({**claim, "delta": str(F(truth) - F(1, 2000))}, REFUTED, test)
    assert not is_verified({**claim, "delta": str(F(truth) + F(1, 10**6))}, REFUTED, test)


# --- Slips of the checker itself, each of which verifies what is false or is below the bound -------------------------


def slipped(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Change the checker: a mass to the wrong side, a tail dropped, a row of the interior forgotten, ..."""
    original = Laplace.spread

    def spread(self: Laplace, first: Any, second: Any, held: Any, share: Any, work: Work) -> Any:
        classes = original(self, first, second, held, share, work)
        if name == "a tail is dropped":
            tail = [min(u, F(1)) / max(u, F(1)) / 2 for u in (first, second, held)]
            p, q, r = (mass - part for mass, part in zip(classes[0], tail, strict=True))
            classes[0] = (p, q, r)
        elif name == "a mass on the wrong side":
            (p, q, r), *inner, (x, y, z) = classes
            classes = [(p * F(31, 32), q, r), *inner, (x + p / 32, y, z)]
        elif name == "no thinning":
            classes = [(p, q, r / share) for p, q, r in classes]
        return classes

    def beside(self: Laplace, work: Work) -> Any:
        for i, place in enumerate(self.places):
            if i in (0, len(self.places) - 1):
                yield self.spread(F(1), self.top, place, F(1), work)

    if name == "the distances are forgotten":
        monkeypatch.setattr(Laplace, "beside", beside)
    else:
        monkeypatch.setattr(Laplace, "spread", spread)


@pytest.mark.parametrize(
    "name", ["a tail is dropped", "a mass on the wrong side", "no thinning", "the distances are forgotten"]
)
def test_a_slip_verifies_less_than_the_bound(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    claim, witness = CASES["blanket" if name.startswith("a ") else "swap"]
    less = {**claim, "delta": str(F(claim["delta"]) * (1 - F(1, 10**8)))}
    assert not is_verified(less, PROVED, witness)
    slipped(monkeypatch, name)
    assert is_verified(less, PROVED, witness)


# --- What the package writes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "exp_eps"), [(1, "2"), (10, "2"), pytest.param(10**9, "10001/10000", marks=pytest.mark.slow)]
)
def test_both_ends_have_certificates(n: int, exp_eps: str) -> None:
    protocol = ShuffleProtocol(laplace(exp_eps0=3), n)
    delta = protocol.privacy_profile().delta(exp_eps=exp_eps)
    for end, share, verdict in ((delta.hi, F(101, 100), Verdict.PROVED), (delta.lo, F(99, 100), Verdict.REFUTED)):
        stated = (end * share).limit_denominator(10**30)
        certificate = certify(Claim.shuffle_dp(protocol, exp_eps=exp_eps, delta=stated))
        assert (certificate.verdict, certificate.level, verify(certificate)) == (verdict, "certificate", verdict)
        assert json.loads(certificate.to_json())["claim"]["randomizer"] == {"family": "laplace", "exp_eps0": "3"}


def test_what_no_claim_holds_is_refused_in_words() -> None:
    with pytest.raises(InvalidValueError, match="irrational") as refused:
        Claim.shuffle_dp(ShuffleProtocol(laplace(exp_eps0="exp(1)"), 10), exp_eps=2, delta="1/2")
    assert "\n" not in str(refused.value)
