"""Swap bounds of few users, against the exact delta of all data sets and against the formula, in floating point.

With less than the exact delta nothing may be verified, whatever a witness says. Each slip is made in the checker itself
and has to be seen: some verify a false claim; what those that cannot do so at few users verify is below the formula.
"""

from __future__ import annotations

import json
import random
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import pytest

from exactdp.checker.budget import CertificateRejectedError, Work
from exactdp.checker.documents import verify_text
from exactdp.checker.neighboring_laws import ClassesView, read_view
from tests.certificates.claims import PROVED, document, randomizer, shuffle
from tests.certificates.corpus_v4 import SCHEMA, any_of, away, classes, product
from tests.certificates.corpus_v4 import swap as witness
from tests.expensive import recorded
from tests.unit.certificates.oracle_swap import Numbers, Pair, Setting, bound
from tests.unit.certificates.oracle_views import number

F = Fraction
LESS, CLOSE = 1 - F(1, 10**9), F(1, 10**6)
PLANS = 40


class Case(NamedTuple):
    """A setting with its pairs, and how many of them the checker has, which leaves out exchanges."""

    setting: Setting
    pairs: list[Pair]
    places: int

    @classmethod
    def of(cls, claim: Any, used: str = "") -> Case:
        setting, work = Setting.of(claim, used), Work()
        read = ClassesView.read if "classes" in claim else partial(read_view, all_n=False)
        view: Any = read(claim, work=work)
        around = view.around([tuple(map(int, used.split()))], work)
        return cls(setting, setting.pairs(), sum(1 for _ in around))

    def bound(self, plan: Numbers) -> float:
        return bound(self.pairs, number(self.setting.claim["exp_eps"]), plan)

    def is_verified(self, plan: Numbers, delta: Fraction, bits: int = 96) -> bool:
        """With this plan for every pair."""
        claim = {**self.setting.claim, "delta": str(delta)}
        found = witness(plan.written, pairs=self.places, bits=bits, used=self.setting.used)
        try:
            verify_text(json.dumps(document(claim, PROVED, found, SCHEMA)))
        except CertificateRejectedError:
            return False
        return True


# --- Random settings and plans ---------------------------------------------------------------------------------------


def drawn_row(rng: random.Random, outcomes: list[str]) -> dict[str, str]:
    """With zeros, or all probabilities alike."""
    whole = rng.choice([4, 6, 10, 60])
    if whole == 60:
        weights = [rng.randint(10, 20) for _ in outcomes]
    else:
        cuts = sorted(rng.randint(0, whole) for _ in outcomes[1:])
        weights = [b - a for a, b in zip([0, *cuts], [*cuts, whole], strict=True)]
    return {sent: str(F(w, sum(weights))) for sent, w in zip(outcomes, weights, strict=True) if w}


def drawn_table(rng: random.Random, inputs: int, messages: int, several: bool = False) -> Any:
    outcomes = [str(m) for m in range(messages)]
    if several:
        outcomes = rng.sample(["", *outcomes, "0 0", "0 1"], 3)
    return randomizer(messages, *[drawn_row(rng, outcomes) for _ in range(inputs)])


def drawn(rng: random.Random) -> Case:
    exp_eps = rng.choice(["1", "21/20", "5/4", "3/2", "2", "3"])
    kind = rng.choice(["table", "table", "several", "product", "counted", "hidden", "listed", "any", "two", "three"])
    if kind == "any":
        return Case.of(shuffle(any_of(rng.choice(["3/2", "2", "4"])), rng.randint(3, 6), exp_eps))
    if kind == "product":
        first = drawn_table(rng, 2, 2)
        second = rng.choice([first, drawn_table(rng, 2, 2)])
        return Case.of(shuffle(product(first, second), rng.randint(3, 4), exp_eps))
    if kind in ("counted", "hidden", "listed"):
        table = drawn_table(rng, 2, rng.choice([2, 3]), kind == "listed" and rng.random() < 0.3)
        dummy = {"dummy": "uniform"} if kind == "hidden" else {}
        of = away(kind, str(F(rng.randint(1, 9), 10)), table, **dummy)
        return Case.of(shuffle(of, rng.randint(3, 6), exp_eps))
    if kind in ("two", "three"):
        return drawn_classes(rng, 2 if kind == "two" else 3, exp_eps)
    inputs, messages = rng.choice([(2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (4, 2)])
    most = {2: 8, 3: 6, 4: 5}[max(inputs, messages)]
    return Case.of(shuffle(drawn_table(rng, inputs, messages, kind == "several"), rng.randint(3, most), exp_eps))


def drawn_classes(rng: random.Random, many: int, exp_eps: str) -> Case:
    messages = rng.randint(2, 3)
    tables = [drawn_table(rng, rng.randint(1, 2), messages) for _ in range(many)]
    users = [rng.randint(1, 3) for _ in tables]
    own, used = rng.randrange(many), sorted(rng.sample(range(many), rng.randint(1, many)))
    users[used[0]] += 2
    claim = classes(*zip(tables, users, strict=True), exp_eps=exp_eps, delta="1", user_class=str(own))
    return Case.of(claim, " ".join(map(str, used)))


def drawn_plan(rng: random.Random, others: int) -> Numbers:
    stages = [t for t in range(1, others) if (others + 1 - t) % 2 == 0]
    if rng.random() < 0.4:
        stages = sorted(rng.sample(stages, rng.randint(1, len(stages))))
    tilt = F(round(2 ** (rng.uniform(-6, 4)) * 64), 64)
    smoothing, step = rng.choice(["1/8", "1/8", "1/32", "1/4", "1"]), rng.choice(["1/2", "1/4", "1", "2"])
    return Numbers(tilt, F(smoothing), F(step), rng.choice([1, 5, 20, 40]), stages)


@pytest.mark.parametrize("seed", recorded(range(300), every=8))
def test_nothing_is_verified_with_less_than_the_exact_delta(seed: int) -> None:
    """Each plan verifies what the formula says, and not a little less."""
    rng = random.Random(seed)
    case = drawn(rng)
    while case.setting.delta == 0:
        case = drawn(rng)
    delta, verified = case.setting.delta, 0
    for _ in range(PLANS):
        plan, bits = drawn_plan(rng, case.pairs[0].others), rng.choice([64, 80, 96, 160])
        reached = case.bound(plan)
        assert reached >= delta * LESS
        assert not case.is_verified(plan, delta * LESS, bits)
        if reached * (1 + CLOSE) <= 1:
            assert case.is_verified(plan, F(reached) * (1 + CLOSE), bits)
            assert not case.is_verified(plan, F(reached) * (1 - CLOSE), bits)
            verified += 1
    assert verified or delta > F(1, 10)
