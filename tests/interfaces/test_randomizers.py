"""Every registered local randomizer keeps what its interface says, against its table where it has one.

A randomizer is a member with the parameters that it needs, and once more with each that it may have.
"""

import pickle
from fractions import Fraction
from typing import Any

import pytest

import exactdp as xdp
from exactdp import ShuffleProtocol
from exactdp.errors import ExactDPError
from exactdp.mechanisms.family import FamilyRandomizer
from exactdp.numbers.balls import compare_reals
from exactdp.protocols.named_protocols import RANDOMIZERS
from exactdp.protocols.naming.targets import ProtocolTarget, read_target
from exactdp.randomizers import (
    BallsIntoBins,
    ClippedDiscreteLaplace,
    HadamardResponse,
    KAryResponse,
    LocalHashing,
    MixedDummies,
    SubsetSelection,
    UnaryEncoding,
)
from exactdp.sampling import sample
from exactdp.testing import assert_samples_match
from tests.interfaces.members import SMALL, Interface, changed, refuses, small_name
from tests.oracles.brute_force import Oracle
from tests.oracles.family_classes import covers_every_pair
from tests.together import together

USERS = 3
ORDERS = [Fraction(1), Fraction(3, 2), Fraction(5, 2)]
INTERFACE = Interface()


def family_of(name: str) -> FamilyRandomizer:
    """What a name stands for, as a family."""
    target = read_target(name)
    assert isinstance(target, ProtocolTarget)
    assert target.family is not None, name
    return target.family


MEMBERS = {
    name: family_of(name)
    for entry in RANDOMIZERS.values()
    for name in [
        small_name(entry),
        *(
            small_name(entry, **{one.name: SMALL.get(one.name, one.example)})
            for one in entry.parameters
            if one not in entry.needed
        ),
    ]
}


def is_small(family: Any) -> bool:
    """Whether all views of three users can be listed."""
    return bool(family.has_small_table) and family.symbols <= 8


@INTERFACE.keeps
def it_is_a_value(family: Any) -> None:
    again = pickle.loads(pickle.dumps(family))
    assert again == family
    assert hash(again) == hash(family)
    assert repr(again) == repr(family)
    with pytest.raises((AttributeError, TypeError)):
        family.inputs = ()


@INTERFACE.keeps
def its_classes_are_those_of_its_table(family: Any) -> None:
    if family.has_small_table and family.least_is_exact and family.pairs_by == "classes":
        assert covers_every_pair(family)


@INTERFACE.keeps
def its_table_is_that_of_one_user(family: Any) -> None:
    if not family.has_small_table:
        with pytest.raises(ExactDPError):
            family.table()
        return
    table, rows = family.table(), family.table().table()
    assert list(rows) == list(family.inputs)
    assert all(sum(row.values()) == 1 and min(row.values()) > 0 for row in rows.values())
    assert family.communication() == table.communication()
    assert family.messages_per_user == max(len(sent) for row in rows.values() for sent in row)
    assert family.symbols == len(table.alphabet)
    assert family.may_send_nothing == any(not sent for row in rows.values() for sent in row)
    is_bounded = all(one.keys() == other.keys() for one in rows.values() for other in rows.values())
    ratios = [one.get(m, 0) / other[m] for one in rows.values() for other in rows.values() for m in other]
    reached = family.local_epsilon()
    assert (reached.argument == max(ratios)) if is_bounded else reached.is_infinite


def ends_of(family: Any, users: int, exp_eps: Fraction) -> tuple[Fraction, Fraction]:
    """The outer ends of what is known of delta."""
    ends = ShuffleProtocol(family, users).privacy_profile().bracket(exp_eps=exp_eps)
    low = ends.lower if isinstance(ends.lower, Fraction) else ends.lower.lo
    high = ends.upper if isinstance(ends.upper, Fraction) else ends.upper.hi
    assert not ends.is_closed or high - low <= high / 10**6
    return low, high


@INTERFACE.keeps
def its_ends_are_around_all_data_sets(family: Any) -> None:
    if not is_small(family):
        low, high = ends_of(family, USERS, ORDERS[1])
        assert 0 < low <= high < 1
        return
    oracle = Oracle(family.table().table(), USERS)
    by_classes = changed(family, {"has_small_table": False})
    for exp_eps in ORDERS:
        for low, high in (ends_of(one, USERS, exp_eps) for one in (family, by_classes)):
            assert low <= oracle.delta(exp_eps) <= high


@INTERFACE.keeps
def its_estimates_are_unbiased(family: Any) -> None:
    if not is_small(family):
        return
    rows, chances = family.table().table(), family.support_chances
    if len({frozenset(row.items()) for row in rows.values()}) == 1:
        assert refuses(family.linear_estimates)
    else:
        terms = (term for estimate in family.linear_estimates() for term in estimate.terms)
        assert all(sum(value * chance for value, chance in term.law) == 0 for term in terms)
    for x, row in rows.items() if chances is not None else ():
        for value in family.inputs:
            mean = sum(p * sum(family.supports(m, value) for m in sent) for sent, p in row.items())
            own = chances.likely if x == value else chances.unlikely
            assert mean == chances.own * own + chances.dummies * chances.share


@INTERFACE.keeps
def draws_follow_its_table(family: Any) -> None:
    if not is_small(family) or family.parts:
        return
    dataset = [family.inputs[0], family.inputs[-1], family.inputs[-1]]
    listed, protocol = ShuffleProtocol(family.table(), USERS), ShuffleProtocol(family, USERS)
    told = [[family.supports(m, value) for m in listed.randomizer.alphabet] for value in family.inputs]
    law = listed.law(dataset).map(
        lambda view: tuple(sum(c for c, yes in zip(view, row, strict=True) if yes) for row in told)
    )

    def drawn(size: int, rng: Any) -> Any:
        return [tuple(row) for row in sample(protocol, dataset, size=size, rng=rng).tolist()]

    assert_samples_match(drawn, law, size=2000, seed=1)


@INTERFACE.keeps
def an_irrational_exp_eps0_is_between_two_members(family: Any) -> None:
    parameters = family.parameters
    if (
        not isinstance(parameters.get("exp_eps0"), Fraction)
        or family.pairs_by != "classes"
        or family.original is not family
    ):
        return
    exp_eps0 = xdp.Real.exp("11/10")
    between = type(family)(**{**parameters, "exp_eps0": exp_eps0})
    low, high = between.at_most(40), between.at_least(40)
    if between.is_rational:
        assert low is high is between
        return
    assert [compare_reals(one.parameters["exp_eps0"], exp_eps0) for one in (low, high)] == [-1, 1]
    (below, _), (least, most), (_, above) = (ends_of(one, 2, ORDERS[1]) for one in (low, between, high))
    assert below <= most
    assert least <= above


@INTERFACE.keeps
def claims_of_it_are_certified(family: Any) -> None:
    low, high = ends_of(family, USERS, ORDERS[1])
    verdicts = []
    for delta in (min(high * Fraction(3, 2), Fraction(99, 100)), low / 2):
        if family.claim_refusal or not (family.claim_fields or family.has_small_table):
            with pytest.raises(ExactDPError):
                xdp.Claim.shuffle_dp(ShuffleProtocol(family, USERS), exp_eps=ORDERS[1], delta=delta)
            return
        certificate = xdp.certify(xdp.Claim.shuffle_dp(ShuffleProtocol(family, USERS), exp_eps=ORDERS[1], delta=delta))
        assert certificate.level == "enclosure" or xdp.verify(certificate) is certificate.verdict
        verdicts.append(certificate.verdict)
    assert verdicts == [xdp.Verdict.PROVED, xdp.Verdict.REFUTED]


@pytest.mark.parametrize("check", INTERFACE)
@together("name", MEMBERS)
def test_every_randomizer(check: str, name: str) -> None:
    INTERFACE[check](MEMBERS[name])


SIZES = [
    *(KAryResponse(k, exp_eps0=e) for k in range(2, 9) for e in (1, "4/3", 55)),
    KAryResponse(4, gamma=0),
    *(UnaryEncoding(d, exp_eps0="9/4") for d in range(2, 9)),
    *(UnaryEncoding(d, exp_eps0=5) for d in (2, 3)),
    *(UnaryEncoding(d, exp_eps0="7/3", optimized=True) for d in range(2, 9)),
    *(SubsetSelection(d, exp_eps0="7/3", size=w) for d in range(2, 9) for w in range(1, d + 1)),
    *(HadamardResponse(d, exp_eps0="7/3") for d in range(2, 10)),
    *(LocalHashing(d, exp_eps0="7/3", buckets=2) for d in range(2, 8)),
    *(LocalHashing(d, exp_eps0="7/3", buckets=3) for d in range(2, 5)),
    LocalHashing(2, exp_eps0=3, buckets=7),
    *(ClippedDiscreteLaplace(top, exp_eps0=2**top) for top in range(1, 8)),
    *(BallsIntoBins(d, dummies=s) for d, s in ((2, 1), (2, 3), (3, 1), (3, 4), (4, 2), (5, 3), (8, 1))),
    *(MixedDummies(d, exp_eps0="7/3", dummies=s) for d, s in ((2, 1), (2, 3), (3, 2), (3, 4), (4, 2), (8, 1))),
    UnaryEncoding(3, exp_eps0=1),
    UnaryEncoding(3, exp_eps0=1, optimized=True),
    SubsetSelection(4, exp_eps0=1),
    HadamardResponse(4, exp_eps0=1),
    LocalHashing(3, exp_eps0=1),
    ClippedDiscreteLaplace(3, exp_eps0=1),
]
"""Every small size of the families whose classes are those of their tables."""


@pytest.mark.parametrize(
    "check",
    [it_is_a_value, its_classes_are_those_of_its_table, its_table_is_that_of_one_user, its_estimates_are_unbiased],
    ids=lambda check: check.__name__,
)
@together("family", SIZES, ids=str)
def test_every_small_size(check: Any, family: Any) -> None:
    assert family.least_is_exact
    check(family)


RESPONSE, ENCODING, HASHING, BINS = (
    MEMBERS[small_name(RANDOMIZERS[name])]
    for name in ("randomized-response", "unary-encoding", "local-hashing", "balls-into-bins")
)
OTHER, WEAKER = KAryResponse(2, exp_eps0=2), UnaryEncoding(3, exp_eps0=25)


@pytest.mark.parametrize(
    ("family", "changes", "check"),
    [
        (RESPONSE, {"__repr__": lambda: str(object())}, it_is_a_value),
        (RESPONSE, {"pair_tables": OTHER.pair_tables}, its_classes_are_those_of_its_table),
        (RESPONSE, {"local_epsilon": OTHER.local_epsilon}, its_table_is_that_of_one_user),
        (HASHING, {"symbols": 9}, its_table_is_that_of_one_user),
        (ENCODING, {"may_send_nothing": True}, its_table_is_that_of_one_user),
        (ENCODING, {"pair_tables": WEAKER.pair_tables}, its_ends_are_around_all_data_sets),
        (ENCODING, {"supports": lambda message, value: value != 0}, its_estimates_are_unbiased),
        (BINS, {"drawn": BallsIntoBins(3, dummies=2).drawn}, draws_follow_its_table),
        (HASHING, {"at_least": HASHING.at_most}, an_irrational_exp_eps0_is_between_two_members),
        (ENCODING, {"pair_tables": WEAKER.pair_tables, "has_small_table": False}, claims_of_it_are_certified),
    ],
)
def test_a_randomizer_that_breaks_it_is_seen(family: Any, changes: dict[str, Any], check: Any) -> None:
    check(family)
    with pytest.raises((AssertionError, pytest.fail.Exception, pickle.PicklingError)):
        check(changed(family, changes))


def test_a_wrong_class_is_seen() -> None:
    """The comparison fails where the least is that of all rows but one, or a class is lost."""

    class Careless(UnaryEncoding):
        everyone = Fraction(0)

    class Forgetful(HadamardResponse):
        def named(self) -> Any:
            yield 0, 1, 2

    assert UnaryEncoding(3, exp_eps0=4).everyone > 0
    with pytest.raises(AssertionError):
        covers_every_pair(Careless(3, exp_eps0=4))
    with pytest.raises(AssertionError):
        covers_every_pair(Forgetful(5, exp_eps0=4))
