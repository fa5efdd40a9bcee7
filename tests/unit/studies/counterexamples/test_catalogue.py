"""Searches by name: what they find is the least, checked by brute force, and a wrong bound is caught by each."""

from fractions import Fraction

import pytest

import exactdp as xdp
from exactdp.errors import UndecidedError
from exactdp.studies.counterexamples import comparison
from exactdp.studies.counterexamples.catalogue import SEARCHES, _decided, run_search
from exactdp.studies.counterexamples.search import Rationals

FALSE = (
    "variation-ratio-response",
    "worst-data-set-is-an-end",
    "worst-data-set-is-unimodal",
    "smoothness-factor-as-printed",
    "split-and-mix-average-case",
)
SMALL = {"n": range(1, 4), "table": range(20), "tau": range(1, 4), "exp_eps0": Rationals(1, 3, 1, high_is_closed=True)}


def small(named):
    """The search in a small part of its space; closed forms need their users."""
    closed = "delta" in named.axes
    axes = {name: axis if closed and name == "n" else SMALL.get(name, axis) for name, axis in named.axes.items()}
    return type(named)(named.name, named.statement, axes, {}, named.holds, named.explain)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SEARCHES if name not in FALSE])
def test_published_bounds_hold_in_small_spaces(name):
    found = run_search(small(SEARCHES[name]))
    assert found.counterexample is None
    assert found.tried


@pytest.mark.parametrize("name", [name for name in SEARCHES if name.removesuffix("-tables") in comparison.AT_EPS])
def test_half_a_bound_is_caught(name, monkeypatch):
    """A thousandth of the published delta is below some exact one."""
    bound = name.removesuffix("-tables")
    whole = comparison.AT_EPS[bound]

    def part(case, order):
        value = whole(case, order)
        return (value if isinstance(value, Fraction) else value.hi) / 1000

    monkeypatch.setitem(comparison.AT_EPS, bound, part)
    found = run_search(small(SEARCHES[name]))
    assert found.counterexample is not None
    assert SEARCHES[name].explain(**found.counterexample)


def test_the_least_counterexample_to_variation_ratio_by_listing():
    """For two users of three symbols, by the closed form of both sides."""
    found = dict(run_search(SEARCHES["variation-ratio-response"]).counterexample)
    axes = SEARCHES["variation-ratio-response"].axes
    failing = []
    for p in axes["exp_eps0"]:
        for order in axes["exp_eps"]:
            if order < p:
                claimed = (p - order) + max(Fraction(0), p * (p - order) - (order - 1))
                if claimed < p * (p - order):
                    failing.append((p.numerator + p.denominator + order.numerator + order.denominator, p, order))
    assert found["n"] == 2
    assert found["k"] == 3
    assert (found["exp_eps0"], found["exp_eps"]) in [(p, e) for s, p, e in failing if s == min(failing)[0]]


def test_the_worst_data_set_is_no_end():
    at = dict(run_search(SEARCHES["worst-data-set-is-an-end"]).counterexample)
    assert at["n"] == 3
    randomizer = xdp.randomized_response(2, gamma=2 / (at["exp_eps0"] + 1))
    protocol = xdp.ShuffleProtocol(randomizer, at["n"])
    values = [
        xdp.hockey_stick_divergence(protocol.law([1] * m + x), protocol.law([1] * m + y), exp_eps=at["exp_eps"])
        for m in range(3)
        for x, y in (([0] * (3 - m), [0] * (2 - m) + [1]), ([0] * (2 - m) + [1], [0] * (3 - m)))
    ]
    assert max(values) > max(values[0], values[1], values[4], values[5])


def test_the_factor_as_printed_fails_and_the_proved_one_holds():
    named = SEARCHES["smoothness-factor-as-printed"]
    at = dict(run_search(named).counterexample)
    assert at == {"n": 5, "gamma": Fraction(1, 2), "alpha": Fraction(4, 5)}
    law = xdp.Binomial(5, "1/2")
    assert law.exact_pmf(3) / law.exact_pmf(4) == 2 > 1 + at["alpha"]


def test_a_search_is_watched_and_enlarged():
    seen = []
    named = SEARCHES["sample-threshold-refined"]
    found = run_search(small(named), watch=seen.append)
    assert seen == list(range(1, found.tried + found.skipped + 1))
    assert len(named.more["tau"]) > len(named.axes["tau"])


def test_what_is_not_decided_is_an_error():
    interval = xdp.Interval.around(Fraction(1, 3), relative_bits=20)
    with pytest.raises(UndecidedError, match="agree to the accuracy"):
        _decided(comparison.Comparison("bound", "case", 1, Fraction(2), interval, Fraction(1, 3)))


def test_the_average_case_of_split_and_mix_bounds_no_worst_case():
    """The distance of all zeros against all ones is above sqrt(2) e / n at n = 174 first."""
    named = SEARCHES["split-and-mix-average-case"]
    assert [n for n in (19, 66, 67, 173, 174) if not named.holds(n=n)] == [174]
    worst = xdp.protocols.split_and_mix(174, modulus=2, messages=3).worst_pair()
    assert (worst.first, worst.second) == ({0: 174}, {1: 174})
    assert worst.distance * 174 > Fraction("1.41422") * Fraction("2.71829")  # above the root of 2, and e
    assert "0.022166" in named.explain(n=174)[0]


@pytest.mark.slow
def test_no_fewer_users_refute_the_average_case_of_split_and_mix():
    """The whole search; and every pair of data sets of some n, without the bound that rules most of them out."""
    assert run_search(SEARCHES["split-and-mix-average-case"]).counterexample == {"n": 174}
    for n in (*range(19, 40), 101, 166, 172):
        protocol = xdp.protocols.split_and_mix(n, modulus=2, messages=3)
        apart = [
            protocol.total_variation({0: n - a, 1: a}, {0: n - b, 1: b})
            for a in range(n + 1)
            for b in range(a + 2, min(n, n - a) + 1, 2)  # exchanging the bits is a bijection of the views
        ]
        assert max(apart) == protocol.worst_pair().distance
        assert max(apart) * n < Fraction("1.41421") * Fraction("2.71828")
