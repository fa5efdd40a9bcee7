"""Swap bounds of few users, against the exact delta of all data sets and against the formula, in floating point.

With less than the exact delta nothing may be verified, whatever a witness says. Each slip is made in the checker itself
and has to be seen: some verify a false claim; what those that cannot do so at few users verify is below the formula.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import random
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import pytest

from exactdp.checker import dummies, user_pairs
from exactdp.checker.budget import CertificateRejectedError, Work
from exactdp.checker.documents import verify_text
from exactdp.checker.families import read_family
from exactdp.checker.neighboring_laws import ClassesView, read_view
from exactdp.checker.pair_classes import Around, Columns, InputPair
from exactdp.checker.swap import TWICE_PI, AtPlan, Nodes, Plan, Tilted
from exactdp.checker.view_tests import read_test
from tests.certificates.claims import PROVED, document, randomizer, shuffle
from tests.certificates.corpus_v3_blankets import BIT, family
from tests.certificates.corpus_v4 import RARE, SCHEMA, any_of, away, classes, product
from tests.certificates.corpus_v4 import swap as witness
from tests.expensive import recorded
from tests.unit.checker.oracle_ends import listed, table
from tests.unit.checker.oracle_swap import Form, Numbers, Pair, Setting, bound
from tests.unit.checker.oracle_users import worst_of_classes
from tests.unit.checker.oracle_views import number, whole

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
    kinds = ["table", "table", "several", "product", "counted", "hidden", "dummies", "listed", "any", "two", "three"]
    kind = rng.choice(kinds)
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
    if kind == "dummies":
        return Case.of(drawn_dummies(rng, exp_eps))
    if kind in ("two", "three"):
        return drawn_classes(rng, 2 if kind == "two" else 3, exp_eps)
    inputs, messages = rng.choice([(2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (4, 2)])
    most = {2: 8, 3: 6, 4: 5}[max(inputs, messages)]
    return Case.of(shuffle(drawn_table(rng, inputs, messages, kind == "several"), rng.randint(3, most), exp_eps))


def drawn_dummies(rng: random.Random, exp_eps: str) -> Any:
    """A family, or a product, of which dummies are sent as by an input, or uniformly."""
    bits = family("unary-encoding", inputs=rng.choice([2, 3]), one="3/4", other=rng.choice(["1/4", "1/2", "2/3"]))
    symbols, columns = (
        family("k-ary", inputs=rng.choice([2, 3]), exp_eps0=3),
        family("hadamard", inputs=3, exp_eps0=4),
    )
    held = {"input": str(rng.randrange(2))}
    of, dummy, most = rng.choice(
        [
            (bits, rng.choice(["uniform", held]), 4),
            (symbols, held, 5),
            (columns, held, 4),
            (product(symbols), [rng.choice(["uniform", held])], 5),
            (product(drawn_table(rng, 2, 2), BIT), [["1/3", "2/3"], rng.choice(["uniform", held])], 3),
            (product(BIT, BIT), [held, rng.choice(["uniform", held])], 3),
        ]
    )
    return shuffle(away("hidden", str(F(rng.randint(1, 9), 10)), of, dummy=dummy), rng.randint(3, most), exp_eps)


def drawn_classes(rng: random.Random, many: int, exp_eps: str) -> Case:
    messages = rng.randint(2, 3)
    tables = [drawn_table(rng, rng.randint(1, 2), messages) for _ in range(many)]
    users = [rng.randint(1, 3) for _ in tables]
    own, used = rng.randrange(many), sorted(rng.sample(range(many), rng.randint(1, many)))
    users[used[0]] += 2
    claim = classes(*zip(tables, users, strict=True), exp_eps=exp_eps, delta="1", user_class=str(own))
    return Case.of(claim, " ".join(map(str, used)))


def drawn_plan(rng: random.Random, case: Case) -> Numbers:
    """With a slot of one's own in a third of those that may have it."""
    others, used = case.pairs[0].others, case.setting.used
    is_one = used in ("", case.setting.claim.get("user_class"))
    owns = is_one and rng.random() < 0.3 and all(sum(c for _, _, c in pair.blanket) for pair in case.pairs)
    stages = [t for t in range(1, others + owns) if (others + 1 + owns - t) % 2 == 0]
    if rng.random() < 0.4:
        stages = sorted(rng.sample(stages, rng.randint(owns, len(stages))))
    tilt = F(round(2 ** (rng.uniform(-6, 4)) * 64), 64)
    smoothing, step = rng.choice(["1/8", "1/8", "1/32", "1/4", "1"]), rng.choice(["1/2", "1/4", "1", "2"])
    return Numbers(tilt, F(smoothing), F(step), rng.choice([1, 5, 20, 40]), stages, owns)


@pytest.mark.parametrize("seed", recorded(range(300), every=40))
def test_nothing_is_verified_with_less_than_the_exact_delta(seed: int) -> None:
    """Each plan verifies what the formula says, and not a little less."""
    rng = random.Random(seed)
    case = drawn(rng)
    while case.setting.delta == 0:
        case = drawn(rng)
    delta, verified = case.setting.delta, 0
    for _ in range(PLANS):
        plan, bits = drawn_plan(rng, case), rng.choice([64, 80, 96, 160])
        if not plan.stages and case.setting.claim.get("randomizer", {}).get("family") == "any":
            continue
        reached = case.bound(plan)
        assert reached >= delta * LESS
        assert not case.is_verified(plan, delta * LESS, bits)
        if reached * (1 + CLOSE) <= 1:
            assert case.is_verified(plan, F(reached) * (1 + CLOSE), bits)
            assert not case.is_verified(plan, F(reached) * (1 - CLOSE), bits)
            verified += 1
    assert verified or delta > F(1, 10)


# --- Events of families ---------------------------------------------------------------------------------------------


def supported(claimed: Any, numbers: list[int]) -> list[dict[Any, Fraction]]:
    """Of the inputs with these numbers the law of which of those of a power of 2 a message supports, from all messages;
    of bits with the number of ones among the others."""
    rows, singles = listed(claimed), [number for number in numbers if number & (number - 1) == 0]
    places = [number - 1 if claimed["family"] == "hadamard" else number.bit_length() - 1 for number in numbers]
    laws: list[dict[Any, Fraction]] = []
    for place in places:
        law: dict[Any, Fraction] = {}
        for m, p in enumerate(rows[place]):
            if claimed["family"] == "unary-encoding":
                bits = list(map(int, f"{m:0{claimed['inputs']}b}"))
                key: Any = (tuple(bits[: len(singles)]), sum(bits[len(singles) :]))
            else:
                key = tuple(
                    int(rows[x][m] == max(rows[x])) for x, one in zip(places, numbers, strict=True) if one in singles
                )
            law[key] = law.get(key, F(0)) + p
        laws.append(law)
    return laws


@pytest.mark.parametrize(
    ("claimed", "numbers"),
    [
        (family("k-ary", inputs=5, exp_eps0=3), [1, 2, 4]),
        (family("k-ary", inputs=2, exp_eps0=3), [1, 2]),
        (family("subset-selection", inputs=6, size=2, exp_eps0=4), [1, 2, 4]),
        (family("hadamard", inputs=6, exp_eps0=3), [1, 2, 3, 4]),
        (family("hadamard", inputs=3, exp_eps0=3), [1, 2, 3]),
        (family("local-hashing", inputs=4, buckets=3, exp_eps0=5), [1, 2, 4]),
        (family("unary-encoding", inputs=8, one="3/4", other="1/5"), [1, 2, 4]),
        (family("unary-encoding", inputs=8, one="9/10", other="4/5"), [1, 2, 4]),
    ],
)
def test_what_is_told_of_a_family_is_a_function_of_its_messages(claimed: Any, numbers: list[int]) -> None:
    bits, has_ones = 80, claimed["family"] == "unary-encoding"
    of: Any = read_family(claimed, Work())
    laws = supported(claimed, numbers)
    for cuts in [(), (2,), (1, 3, 4, 9)] if has_ones else [()]:
        table = dummies.named_table(of, cuts, bits, Work())
        singles = sum(1 for number in numbers if number & (number - 1) == 0)
        messages = list(itertools.product(itertools.product((1, 0), repeat=singles), range(len(cuts) + 1)))
        chosen = [row for row, number in enumerate(sorted(table_numbers(singles, claimed))) if number in numbers]
        for row, law in zip(chosen, laws, strict=True):
            exact = dict.fromkeys(messages, F(0))
            for key, p in law.items():
                pattern, ones = key if has_ones else (key, 0)
                exact[pattern, sum(ones >= cut for cut in cuts)] += p
            for (sent, weight), p in zip(table.rows[row].items(), exact.values(), strict=True):
                assert sum(sent) == 1
                assert 0 <= p - F(weight, 2**bits) <= F(2, 2**bits)
            assert [sent.index(1) for sent in table.rows[row]] == list(range(len(messages)))


def table_numbers(singles: int, claimed: Any) -> list[int]:
    """The numbers of the rows of a table that stands for a family."""
    has_sums = claimed["family"] == "hadamard" and whole(claimed["inputs"]) >= 3
    return [number for number in range(1, 2**singles) if has_sums or number & (number - 1) == 0]


def test_an_event_of_families_is_never_above_the_exact_delta() -> None:
    rng, told, cases = random.Random(4), 0, recorded(range(60), every=3)
    for _ in cases:
        inputs, first, second = rng.choice([2, 3]), rng.randint(2, 9), rng.randint(2, 9)
        of = [family("k-ary", inputs=inputs, exp_eps0=e) for e in (first, second)]
        if rng.random() < 0.5:
            of = [family("unary-encoding", inputs=2, one="3/4", other=other) for other in ("1/4", "1/5")]
            inputs = 2
        users, exp_eps, own = [rng.randint(1, 3), rng.randint(1, 3)], rng.choice(["1", "5/4", "2"]), rng.randrange(2)
        claim = classes(*zip(of, users, strict=True), exp_eps=exp_eps, delta="1", user_class=str(own))
        exact = worst_of_classes([(table(one), n) for one, n in zip(of, users, strict=True)], own, number(exp_eps))
        held = [[0] * inputs for _ in of]
        for place, n in enumerate(users):
            held[place][rng.randrange(inputs)] += n - (place == own)
        ends = rng.sample(range(inputs), 2)
        fields: dict[str, Any] = {
            "user_class": str(own),
            "first": str(ends[0]),
            "second": str(ends[1]),
            "cuts": [],
            "bits": "64",
        }
        fields |= {"others": [list(map(str, each)) for each in held], "threshold": "0"}
        fields |= {"scores": [str(rng.randint(-3, 3)) for _ in range(2**inputs)]}
        view = ClassesView.read(claim, Work())
        laws, _, _ = read_test({"event": fields}, view, Work())
        best = max(
            laws.divergence(at, number(exp_eps), Work()) for at in range(laws.low, laws.low + len(laws.first) + 1)
        )
        assert best <= exact
        told += best > exact / 2 > 0
    assert told > len(cases) / 8


# --- Slips -----------------------------------------------------------------------------------------------------------

Patch = pytest.MonkeyPatch
AMONG, TILTED, LEFT, NODES = InputPair.among, Tilted.of, AtPlan.left, Nodes.of


def a_vertex_left_out(patch: Patch) -> None:
    def among(pair: InputPair, users: int) -> Around:
        found = AMONG(pair, users)
        return found._replace(vertices=list(found.vertices)[:-1])

    patch.setattr(InputPair, "among", among)


def gamma_of_all_rows_but_one(patch: Patch) -> None:
    union = Columns.union

    def slipped(tables: Any, work: Work) -> list[Columns]:
        return [of._replace(least=list(map(min, zip(*of.rows[:-1], strict=True)))) for of in union(tables, work)]

    patch.setattr(Columns, "union", slipped)


def two_users_too_many(patch: Patch) -> None:
    shown = AtPlan.is_shown

    def slipped(taken: AtPlan, pair: Around, delta: Fraction) -> bool:
        return shown(taken, pair._replace(others=pair.others + 2), delta)

    patch.setattr(AtPlan, "is_shown", slipped)


def a_stage_too_late(patch: Patch) -> None:
    def slipped(taken: AtPlan, *given: Any) -> tuple[list[int], int]:
        plan = taken.plan
        later = AtPlan(plan._replace(stages=[t + 1 for t in plan.stages]), taken.bits, taken.ratio, taken.work)
        return LEFT(later, *given)

    patch.setattr(AtPlan, "left", slipped)


def nothing_swapped_forgotten(patch: Patch) -> None:
    patch.setattr(AtPlan, "left", lambda taken, *given: (LEFT(taken, *given)[0], 0))


def chances_of_one_user_less(patch: Patch) -> None:
    patch.setattr(AtPlan, "left", lambda taken, gamma, others: LEFT(taken, gamma, others - 1))


def an_own_slot_as_those_of_others(patch: Patch) -> None:
    patch.setattr(AtPlan, "own_vertices", lambda *given: [])


def changed_row(change: Callable[[Tilted], Tilted]) -> Callable[[Patch], None]:
    return lambda patch: patch.setattr(Tilted, "of", lambda *given: change(TILTED(*given)))


def without_the_rest(row: Tilted) -> Tilted:
    masses = [0 if value == 0 else mass for value, mass in zip(row.values, row.masses, strict=True)]
    return row._replace(masses=masses, moment=sum(masses))


def the_other_sign_of_lam(patch: Patch) -> None:
    patch.setattr(Tilted, "of", lambda classes, ratio, tilt, *given: TILTED(classes, ratio, -tilt, *given))


def the_form_of_another_vertex(patch: Patch) -> None:
    row = AtPlan.row

    def slipped(taken: AtPlan, classes: Any) -> Tilted:
        own = row(taken, classes)
        return next(iter(taken.rows.values()))._replace(charge=own.charge)

    patch.setattr(AtPlan, "row", slipped)


def shares_exchanged(patch: Patch) -> None:
    beside = ClassesView.beside_tables

    def slipped(view: ClassesView, own: int, places: Any, work: Work) -> Any:
        (first, n), (second, m) = (view.classes[place] for place in places)
        exchanged = dict(zip(places, ((first, m), (second, n)), strict=True))
        listed = [exchanged.get(place, of) for place, of in enumerate(view.classes)]
        return beside(dataclasses.replace(view, classes=listed), own, places, work)

    patch.setattr(ClassesView, "beside_tables", slipped)


def a_factor_forgotten(patch: Patch) -> None:
    pairs = user_pairs.product_pairs
    patch.setattr(user_pairs, "product_pairs", lambda factors, *given: pairs(factors[:-1], *given))


def all_pairs_as_the_first_beside_a_dummy(patch: Patch) -> None:
    kinds = user_pairs.kinds_of_family

    def slipped(of: Any, dummy: Any, work: Work) -> Any:
        found = list(kinds(of, dummy, work))
        return found[:1] if dummy.form == "input" else found

    patch.setattr(user_pairs, "kinds_of_family", slipped)


def fair_bits_not_told(patch: Patch) -> None:
    patch.setattr(dummies, "numbers_of_ones", lambda *given: [(F(1), F(1))])


def more_dummies_than_are_sent(patch: Patch) -> None:
    mixed = user_pairs.mixed_classes
    patch.setattr(user_pairs, "mixed_classes", lambda factors, q, work: mixed(factors, q * q, work))


def changed_nodes(change: Callable[[Nodes], Nodes]) -> Callable[[Patch], None]:
    return lambda patch: patch.setattr(Nodes, "of", lambda *given: change(NODES(*given)))


def smoothing_for_nothing(patch: Patch) -> None:
    def slipped(plan: Plan, *given: Any) -> Nodes:
        return NODES(plan, *given)._replace(factor=1 / (TWICE_PI * plan.tilt))

    patch.setattr(Nodes, "of", slipped)


def the_square_for_the_size(patch: Patch) -> None:
    sums = AtPlan.sums
    patch.setattr(AtPlan, "sums", lambda taken, rows, square, r: sums(taken, rows, square, [2 * of for of in r]))


SLIPS: dict[str, Callable[[Patch], None]] = {
    "a vertex left out": a_vertex_left_out,
    "gamma of all rows but one": gamma_of_all_rows_but_one,
    "two users too many": two_users_too_many,
    "a stage too late": a_stage_too_late,
    "nothing swapped forgotten": nothing_swapped_forgotten,
    "chances of one user less": chances_of_one_user_less,
    "an own slot as those of others": an_own_slot_as_those_of_others,
    "no charge": changed_row(lambda row: row._replace(charge=F(0))),
    "who is away forgotten": changed_row(without_the_rest),
    "the other sign of lam": the_other_sign_of_lam,
    "the form of another vertex": the_form_of_another_vertex,
    "shares exchanged": shares_exchanged,
    "a factor forgotten": a_factor_forgotten,
    "all pairs as the first beside a dummy": all_pairs_as_the_first_beside_a_dummy,
    "fair bits not told": fair_bits_not_told,
    "more dummies than are sent": more_dummies_than_are_sent,
    "one side of the line": changed_nodes(lambda nodes: nodes._replace(weights=[w // 2 for w in nodes.weights])),
    "nodes beyond left out": changed_nodes(lambda nodes: nodes._replace(rest=0)),
    "smoothing for nothing": smoothing_for_nothing,
    "the square for the size": the_square_for_the_size,
}


def coins(*ones: str) -> Any:
    """Inputs with these probabilities of the message 1."""
    chances = [{"0": 1 - F(one), "1": F(one)} for one in ones]
    return randomizer(2, *[{sent: str(p) for sent, p in row.items() if p} for row in chances])


def numbers(tilt: str, smoothing: str, step: str, nodes: int, stages: str, owns: bool = False) -> Numbers:
    return Numbers(F(tilt), F(smoothing), F(step), nodes, [int(t) for t in stages.split()], owns)


FEW = "1 3"
SPARSE = family("unary-encoding", inputs=3, one="3/4", other="1/20")
THREE_SYMBOLS = family("k-ary", inputs=3, exp_eps0=3)
BESIDE_TWO = classes(
    (coins("4/11", "6/7"), 1), (coins("6/7"), 1), (coins("1"), 5), exp_eps="3/2", delta="1", user_class="0"
)
FALSE: dict[str, tuple[Any, str, Numbers]] = {
    "a vertex left out": (shuffle(coins("4/5", "0"), 3, "5/4"), "", numbers("1/2", "1", "1", 20, "1")),
    "two users too many": (shuffle(coins("3/7", "1/3"), 3, "5/4"), "", numbers("8", "1", "1/2", 20, "1")),
    "nothing swapped forgotten": (shuffle(coins("5/8", "1"), 3, "3/2"), "", numbers("1", "1/4", "1/2", 2, "1")),
    "no charge": (shuffle(coins("9/16", "0"), 5, "2"), "", numbers("1", "1/4", "1", 30, FEW)),
    "who is away forgotten": (
        shuffle(away("listed", "1/4", coins("4/7", "1/9")), 5, "5/4"),
        "",
        numbers("1/2", "1", "1/2", 30, FEW),
    ),
    "the form of another vertex": (shuffle(coins("7/9", "2/3"), 5, "5/4"), "", numbers("16", "1/4", "1/2", 2, FEW)),
    "shares exchanged": (BESIDE_TWO, "1 2", numbers("1/2", "1/8", "1", 2, "1 3 5")),
    "a factor forgotten": (
        shuffle(product(coins("6/17", "9/19"), coins("0", "4/9")), 3, "2"),
        "",
        numbers("1", "1/8", "1", 2, "1"),
    ),
    "all pairs as the first beside a dummy": (
        shuffle(away("hidden", "9/10", BIT, dummy={"input": "1"}), 4, "2"),
        "",
        numbers("9/8", "1/8", "1/2", 40, ""),
    ),
    "fair bits not told": (
        shuffle(away("hidden", "1/2", SPARSE, dummy="uniform"), 5, "3/2"),
        "",
        numbers("7/16", "1/8", "1/2", 40, ""),
    ),
    "more dummies than are sent": (
        shuffle(away("hidden", "3/10", product(THREE_SYMBOLS), dummy=[{"input": "0"}]), 3, "5/4"),
        "",
        numbers("205/32", "1", "2", 1, "1"),
    ),
    "one side of the line": (shuffle(coins("1/2", "1/3"), 5, "1"), "", numbers("1", "1/8", "1", 30, FEW)),
    "nodes beyond left out": (shuffle(coins("7/12", "13/23"), 5, "1"), "", numbers("16", "1/8", "1/2", 1, FEW)),
    "smoothing for nothing": (shuffle(coins("1/2", "1/3"), 5, "1"), "", numbers("1", "4", "1/2", 30, FEW)),
}
HIDDEN = {
    "gamma of all rows but one": (shuffle(coins("3/4", "1/2", "1/4"), 5, "3/2"), numbers("1", "1/8", "1/2", 30, FEW)),
    "a stage too late": (shuffle(coins("3/4", "1/4"), 5, "3/2"), numbers("1", "1/8", "1/2", 30, FEW)),
    "the square for the size": (shuffle(coins("3/4", "1/4"), 5, "3/2"), numbers("1", "1/8", "1/2", 30, FEW)),
    "chances of one user less": (shuffle(coins("3/4", "1/4"), 5, "3/2"), numbers("1", "1/8", "1/2", 30, "2 4", True)),
    "an own slot as those of others": (shuffle(RARE, 8, "3/2"), numbers("1", "1/8", "1/2", 30, "1 3 5", True)),
    "the other sign of lam": (shuffle(coins("3/4", "1/4"), 5, "3/2"), numbers("1", "1/8", "1/2", 30, FEW)),
}
"""Slips with which no false claim of few users was found: with other weights, or fewer users who are swapped, the bound
is still one of each data set where all others hold one input, the worst; the sign of lam loses."""


def test_every_slip_is_tried() -> None:
    assert {*FALSE, *HIDDEN} == set(SLIPS)


@pytest.mark.parametrize(
    "slip", [pytest.param(slip, marks=[pytest.mark.slow] * (slip == "fair bits not told")) for slip in FALSE]
)
def test_a_slip_verifies_a_false_claim(slip: str, monkeypatch: Patch) -> None:
    claim, used, plan = FALSE[slip]
    right = Case.of(claim, used)
    least = right.setting.delta * LESS
    assert not right.is_verified(plan, least)
    SLIPS[slip](monkeypatch)
    assert Case.of(claim, used).is_verified(plan, least)


@pytest.mark.parametrize("slip", HIDDEN)
def test_a_slip_departs_from_the_formula(slip: str, monkeypatch: Patch) -> None:
    claim, plan = HIDDEN[slip]
    case = Case.of(claim)
    reached = F(case.bound(plan))

    def verified() -> list[bool]:
        return [case.is_verified(plan, reached * (1 + off)) for off in (-CLOSE, CLOSE)]

    assert verified() == [False, True]
    SLIPS[slip](monkeypatch)
    assert verified() == [slip != "the other sign of lam"] * 2


def test_a_size_without_its_excess_is_too_small() -> None:
    """Where many small masses, each rounded up by nearly one of so few units, stand against a large one."""
    rare, plan = F(1, 10**6), numbers("1", "1/8", "1/2", 2, "1")
    values = [F(0), *(3 + F(j, 100) for j in range(29))]
    masses = [1 - 29 * rare, *[rare] * 29]
    triples = [(value * mass, F(0), mass) for value, mass in zip(values, masses, strict=True)]
    row = Tilted.of(triples, F(1), plan.tilt, 8, Work())
    chosen = Plan(plan.tilt, plan.smoothing, plan.step, plan.nodes, plan.stages, has_own=False)
    exact = 2**8 * Form.of(triples, F(1)).size(1, 1)
    assert row.sizes(chosen, 8, Work())[2] >= exact
    assert row._replace(excess=0).sizes(chosen, 8, Work())[2] < exact - 1


def test_the_mean_of_a_blanket_counts(monkeypatch: Patch) -> None:
    """Of one ordered pair: in the other order, of which a claim speaks too, the divergence is never smaller."""
    claim, ratio = shuffle(coins("1/2", "0"), 6, "5/4", "1"), F(5, 4)
    pairs = read_view(claim, Work(), False).around([], Work())
    pair = next(pair for pair in pairs if any(c == 0 and q > 0 for _, q, c in pair.blanket))  # Q alone sends this
    exact = 1 - ratio / 2  # where all others hold what P is the row of
    plan = Plan(F(4), F(1, 8), F(1, 2), 60, [], has_own=False)

    def is_shown(delta: Fraction) -> bool:
        return AtPlan(plan, 96, ratio, Work()).is_shown(pair, delta)

    assert (is_shown(exact * LESS), is_shown(exact * F(101, 100))) == (False, True)
    monkeypatch.setattr(Tilted, "of", lambda *given: TILTED(*given[:-1]))  # with the same signs it is not near
    assert not is_shown(exact * F(101, 100))
    monkeypatch.setattr(Tilted, "of", lambda *given: TILTED(*given)._replace(charge=F(0)))
    assert is_shown(exact * LESS)
