"""Every registered protocol keeps what its interface says, against its own views and against its users.

A protocol is a member with three users; what it does not answer it refuses with a sentence.
"""

import pickle
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement, pairwise
from typing import Any

import numpy as np
import pytest

import exactdp as xdp
from exactdp.errors import ExactDPError
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.protocols.named_protocols import PROTOCOLS, RANDOMIZERS
from exactdp.protocols.naming.targets import ProtocolTarget, read_target
from exactdp.sampling import sample, simulate
from exactdp.testing import assert_samples_match
from tests.interfaces.members import Interface, changed, refuses, small_name
from tests.oracles.brute_force import hockey_stick
from tests.together import together

USERS = 3
ORDERS = [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5, 2)]
BETA = Fraction(1, 5)
MOST = 60
"""A protocol with more views is not listed."""
INTERFACE = Interface()


def member(name: str) -> Any:
    """The protocol of a name, for three users."""
    target = read_target(name)
    assert isinstance(target, ProtocolTarget)
    return target.build(USERS)


MEMBERS = {
    entry.name: small_name(entry)
    for entry in [*PROTOCOLS.values(), RANDOMIZERS["randomized-response"], RANDOMIZERS["balls-into-bins"]]
}


def data_sets(protocol: Any) -> list[tuple[Any, ...]]:
    """All data sets, as sorted tuples of the records of all users."""
    return list(combinations_with_replacement(protocol.records, protocol.n))


def laws(protocol: Any) -> dict[tuple[Any, ...], dict[Any, Fraction]]:
    """The law of the view of every data set; none where the views are not listed, or too many."""
    try:
        found = {each: dict(protocol.law(each).items()) for each in data_sets(protocol)}
    except (AttributeError, ExactDPError):
        return {}
    return found if all(len(law) <= MOST for law in found.values()) else {}


def neighbours(listed: dict[tuple[Any, ...], Any]) -> Iterator[tuple[Any, Any]]:
    """The laws of all pairs of data sets that differ in one user."""
    for first in listed:
        for second in listed:
            if sum((Counter(first) - Counter(second)).values()) == 1:
                yield listed[first], listed[second]


def ends_of(protocol: Any, exp_eps: Fraction) -> tuple[Fraction, Fraction]:
    """The outer ends of what is known of delta."""
    ends = protocol.privacy_profile().bracket(exp_eps=exp_eps)
    low = ends.lower if isinstance(ends.lower, Fraction) else ends.lower.lo
    high = ends.upper if isinstance(ends.upper, Fraction) else ends.upper.hi
    return low, high


@INTERFACE.keeps
def it_is_a_value(protocol: Any) -> None:
    again = pickle.loads(pickle.dumps(protocol))
    assert again == protocol
    assert hash(again) == hash(protocol)
    assert repr(again) == repr(protocol)
    with pytest.raises((AttributeError, TypeError)):
        protocol.n = 4


@INTERFACE.keeps
def delta_falls_and_is_convex(protocol: Any) -> None:
    ends = [ends_of(protocol, exp_eps) for exp_eps in ORDERS]
    assert all(0 <= low <= high <= 1 for low, high in ends)
    for (_, before), (after, _) in pairwise(ends):
        assert after <= before
    assert ends[2][0] * 2 <= ends[1][1] + ends[3][1]  # at 2, between 3/2 and 5/2


@INTERFACE.keeps
def delta_is_that_of_its_views(protocol: Any) -> None:
    listed = laws(protocol)
    for exp_eps in ORDERS if listed else ():
        worst = max((hockey_stick(p, q, exp_eps) for p, q in neighbours(listed)), default=Fraction(0))
        low, high = ends_of(protocol, exp_eps)
        assert low <= worst <= high
        ends = protocol.privacy_profile().bracket(exp_eps=exp_eps)
        assert not ends.is_closed or high - low <= worst / 10**6


@INTERFACE.keeps
def views_are_those_of_its_users(protocol: Any) -> None:
    try:
        users, count = protocol.of_each_user()
    except ExactDPError:
        return
    assert count == protocol.n
    for dataset, law in laws(protocol).items() if isinstance(users, Randomizer) else ():
        expected: Counter[Any] = Counter()
        rows = users.table()
        shown = {(0,) * len(users.alphabet): Fraction(1)}
        for record in dataset:
            following: Counter[Any] = Counter()
            for counts, chance in shown.items():
                for sent, p in rows[record].items():
                    more = tuple(have + sent.count(letter) for have, letter in zip(counts, users.alphabet, strict=True))
                    following[more] += chance * p
            shown = dict(following)
        for counts, chance in shown.items():
            view = protocol.released(np.array([counts]))
            expected[tuple(view[0].tolist())] += chance
        assert expected == law


@INTERFACE.keeps
def draws_follow_its_views(protocol: Any) -> None:
    for dataset, law in list(laws(protocol).items())[1:2]:
        for draw in (sample, simulate)[: 1 if refuses(protocol.of_each_user) else 2]:
            drawn = partial(views_drawn, draw, protocol, dataset)
            assert_samples_match(drawn, xdp.Law(law), size=1000, seed=1)


def views_drawn(draw: Any, protocol: Any, dataset: Any, size: int, rng: Any) -> Any:
    """Drawn views as the law has them: tuples, for one column too."""
    drawn = draw(protocol, dataset, size=size, rng=rng)
    return list(map(tuple, drawn.tolist())) if drawn.ndim == 2 and drawn.shape[1] == 1 else drawn


@INTERFACE.keeps
def the_error_is_the_least(protocol: Any) -> None:
    listed = laws(protocol)
    if not has_errors(protocol, listed):
        return
    found = protocol.accuracy(BETA)
    low, high = (found, found) if isinstance(found, Fraction) else (found.lo, found.hi)
    errors = [error_law(protocol, dataset, law) for dataset, law in listed.items()]
    least = max((quantile for laws in errors for quantile in map(least_bound, laws)), default=Fraction(0))
    assert low <= least <= high


def has_errors(protocol: Any, listed: dict[tuple[Any, ...], dict[Any, Fraction]]) -> bool:
    """Whether it estimates the bits or counts of its records from its views, and says how well."""
    views = [view for law in listed.values() for view in law]
    return bool(views) and not refuses(protocol.accuracy, BETA) and not refuses(protocol.estimate, views[0])


def error_law(protocol: Any, dataset: tuple[Any, ...], law: dict[Any, Fraction]) -> list[dict[Fraction, Fraction]]:
    """The law of the absolute error of each estimate, of a count or of a share of the users."""
    analyzer = getattr(protocol, "analyzer", None)
    unit = 1 if analyzer is None else analyzer.weights[0][1]
    found: list[Counter[Fraction]] = []
    for view, chance in law.items():
        estimates = protocol.estimate(view)
        several = estimates if isinstance(estimates, tuple) else (estimates,)
        for place, estimate in enumerate(several):
            true = dataset.count(place) if len(several) > 1 else sum(dataset)
            if len(found) <= place:
                found.append(Counter())
            found[place][abs(estimate - unit * true)] += chance
    return [dict(each) for each in found]


def least_bound(errors: dict[Fraction, Fraction]) -> Fraction:
    """The least alpha with P[error > alpha] <= beta."""
    return min(
        alpha for alpha in {Fraction(0), *errors} if sum(p for error, p in errors.items() if error > alpha) <= BETA
    )


@INTERFACE.keeps
def claims_of_it_are_certified(protocol: Any) -> None:
    if (statement := protocol.statement) is None:
        return
    low, high = ends_of(protocol, ORDERS[1])
    state = getattr(xdp.Claim, statement.kind)
    for delta, verdict in (
        (min(high * Fraction(3, 2) + Fraction(1, 1000), Fraction(99, 100)), xdp.Verdict.PROVED),
        (low / 2, xdp.Verdict.REFUTED),
    ):
        if verdict is xdp.Verdict.PROVED and high >= Fraction(99, 100):
            continue
        if verdict is xdp.Verdict.REFUTED and low == 0:
            continue
        certificate = xdp.certify(state(exp_eps=ORDERS[1], delta=delta, **statement.arguments))
        assert certificate.verdict is verdict
        assert certificate.level == "enclosure" or xdp.verify(certificate) is verdict


@pytest.mark.parametrize("check", INTERFACE)
@together("name", MEMBERS)
def test_every_protocol(check: str, name: str) -> None:
    INTERFACE[check](member(MEMBERS[name]))


def test_the_checks_ask_most_of_them() -> None:
    every = {name: member(text) for name, text in MEMBERS.items()}
    with_views = {name for name, each in every.items() if laws(each)}
    assert with_views >= {"aggregate", "gap", "histogram", "sample-and-threshold", "split-and-mix", "zsum"}
    assert {name for name in with_views if has_errors(every[name], laws(every[name]))} >= {
        "aggregate",
        "histogram",
        "sample-and-threshold",
    }
    assert sum(not refuses(each.of_each_user) for each in every.values()) > len(every) / 2
    assert sum(each.statement is not None for each in every.values()) > len(every) / 2


ZSUM, SAMPLED, COLUMNS = (member(MEMBERS[name]) for name in ("zsum", "sample-and-threshold", "aggregate"))
OTHER = member("@zsum:gamma=1/3")


@pytest.mark.parametrize(
    ("protocol", "changes", "check"),
    [
        (ZSUM, {"n": 3, "__hash__": None}, it_is_a_value),
        (ZSUM, {"privacy_profile": member("@gap").privacy_profile}, delta_is_that_of_its_views),
        (SAMPLED, {"privacy_profile": OTHER.privacy_profile}, delta_is_that_of_its_views),
        (ZSUM, {"law": OTHER.law}, views_are_those_of_its_users),
        (COLUMNS, {"released": lambda counts: counts[:, :2]}, views_are_those_of_its_users),
        (ZSUM, {"law": OTHER.law}, draws_follow_its_views),
        (SAMPLED, {"accuracy": lambda beta: SAMPLED.accuracy(beta) + 1}, the_error_is_the_least),
        (COLUMNS, {"accuracy": lambda beta: COLUMNS.accuracy(beta) - Fraction(1, 100)}, the_error_is_the_least),
        (ZSUM, {"statement": member("@zsum:gamma=1/20").statement}, claims_of_it_are_certified),
    ],
)
def test_a_protocol_that_breaks_it_is_seen(protocol: Any, changes: dict[str, Any], check: Any) -> None:
    check(protocol)
    with pytest.raises((AssertionError, TypeError, pickle.PicklingError)):
        check(changed(protocol, changes))


class Rising:
    """Ends that grow with e^eps."""

    def __init__(self, exp_eps: Fraction) -> None:
        self.lower = self.upper = exp_eps / 10


def test_a_delta_that_rises_is_seen() -> None:
    class Profile:
        def bracket(self, exp_eps: Fraction) -> Rising:
            return Rising(exp_eps)

    with pytest.raises(AssertionError):
        delta_falls_and_is_convex(changed(ZSUM, {"privacy_profile": Profile}))
