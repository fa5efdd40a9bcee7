"""Worst events against the definition, outcome by outcome, on a window that holds all of the law but a tiny rest."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import Binomial, BinomialSum, DiscreteGaussian, DiscreteLaplace, Geometric, NegativeBinomial, Poisson, Real
from exactdp.errors import TooLargeError
from exactdp.numbers.balls import compare_reals
from exactdp.privacy.half_lines import Event, lower_event, upper_event
from tests.expensive import one_in
from tests.thinned import thinned
from tests.together import together

LAWS = [
    Binomial(7, "1/3"),
    Binomial(1, "1/2"),
    BinomialSum(3, "3/4", 4, "1/4"),
    BinomialSum(2, 1, 4, "1/4"),
    NegativeBinomial(1, "1/2"),
    NegativeBinomial("5/2", "1/3"),
    NegativeBinomial("1/3", "1/2"),
    NegativeBinomial("1/2", Real.exp("-1/5")),
    NegativeBinomial(1 + Real.log(2), Real.exp("-1/2")),
    Geometric("2/3"),
    Geometric(Real.exp("-1/3")),
    DiscreteLaplace(2),
    DiscreteLaplace(Real.exp("1/2")),
    DiscreteGaussian(2),
    Poisson("3/2"),
    Poisson(Real.log(5)),
]
BOUNDS = [Real(1), Real("3/2"), Real(2), Real(3), Real(4), Real.exp("1/2"), Real.exp(2)]
WINDOW = range(-40, 60)


def members(law, shift, bound, *, upper, ties):
    """The event by its definition, on the window."""
    found = []
    for t in WINDOW:
        mine, other = (t - shift, t) if upper else (t, t - shift)
        if not law.holds(mine):
            continue
        if not law.holds(other):
            found.append(t)
        else:
            order = compare_reals(law.ratio(mine, other), bound)
            if order > 0 or (ties and order == 0):
                found.append(t)
    return found


def listed(law, shift, event, *, upper):
    """The outcomes of an event on the window where the law on the left has mass."""
    if event is None:
        return []
    first = WINDOW[0] if event.first is None else event.first
    last = WINDOW[-1] if event.last is None else event.last
    return [t for t in WINDOW if first <= t <= last and law.holds(t - shift if upper else t)]


@pytest.mark.parametrize("law", thinned(LAWS, every=2), ids=repr)
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("shift", thinned([9, 1, 2, 5], every=4))
def test_events_are_what_the_definition_says(law, ties, shift):
    for bound in BOUNDS:
        for find, upper in ((lower_event, False), (upper_event, True)):
            if ties and not upper and not law.is_log_concave:
                continue  # {t < shift} in both readings: tested below
            expected = members(law, shift, bound, upper=upper, ties=ties)
            assert listed(law, shift, find(law, shift, bound, ties=ties), upper=upper) == expected


@together("law", LAWS, ids=repr)
def test_an_infinite_bound_leaves_zero_denominators(law):
    for find, upper in ((lower_event, False), (upper_event, True)):
        expected = [t for t in WINDOW if law.holds(t - 2 if upper else t) and not law.holds(t if upper else t - 2)]
        assert listed(law, 2, find(law, 2, None), upper=upper) == expected


def test_the_comparison_fails_when_it_should():
    law = Binomial(7, "1/3")
    event = lower_event(law, 1, Real(2))
    wrong = Event(None, event.last + 1)
    assert listed(law, 1, wrong, upper=False) != members(law, 1, Real(2), upper=False, ties=False)


@one_in(2)
@given(st.integers(1, 30), st.fractions(0, 1, max_denominator=9), st.integers(1, 29))
def test_a_tie_is_decided(n, p, t):
    """e^eps equal to a likelihood ratio: in the event that allows ties, and not in the other."""
    if not 0 < p < 1 or t > n:
        return
    law = Binomial(n, p)
    ratio = law.ratio(t, t - 1)
    if ratio.coefficient < 1:
        return
    assert lower_event(law, 1, ratio).last == t - 1
    assert lower_event(law, 1, ratio, ties=True).last == t


def test_log_convex_laws_have_zero_denominators_only():
    law = NegativeBinomial("1/3", "1/2")
    assert lower_event(law, 3, Real(1)) == lower_event(law, 3, Real(1), ties=True) == Event(None, 2)
    assert law.ratio(3, 0).coefficient < 1


def test_an_event_beyond_reach_is_refused():
    with pytest.raises(TooLargeError, match=r"the worst event begins beyond 2\^2048"):
        upper_event(Poisson(5), 1, Real.exp(10**30))
    assert lower_event(Poisson(5), 1, Real.exp(10**30)) == Event(None, 0)


def test_thresholds_at_sizes_that_no_table_holds():
    """(n - t + 1) p / (t (1 - p)) > E is t < (n + 1) p / (p + E (1 - p))."""
    n, p, exp_eps = 10**15, Fraction(1, 1000), Fraction(101, 100)
    law = Binomial(n, p)
    bound = (n + 1) * p / (p + exp_eps * (1 - p))
    assert lower_event(law, 1, Real(exp_eps)).last == -(-bound // 1) - 1
    bound = (n + 1) * p * exp_eps / (1 - p + p * exp_eps)
    assert upper_event(law, 1, Real(exp_eps)).first == bound // 1 + 1
