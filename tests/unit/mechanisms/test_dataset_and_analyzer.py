"""Data sets as histograms, analyzers as data."""

from fractions import Fraction

import pytest

from exactdp import AdditiveProtocol, Analyzer, Law
from exactdp.errors import ExactDPError, InvalidDataSetError
from exactdp.mechanisms.dataset import histogram, labelled


def test_sequences_and_histograms_are_the_same():
    inputs = ("a", "b", "c")
    assert histogram("abba", inputs) == histogram({"b": 2, "a": 2}, inputs) == (2, 2, 0)
    assert histogram((), inputs) == histogram({}, inputs) == (0, 0, 0)
    assert labelled((2, 0, 1), inputs) == {"a": 2, "c": 1}


@pytest.mark.parametrize("dataset", ["abd", {"d": 1}, {"a": -1}, {"a": 3, "b": -1}, "ab", {"a": 4}, ()])
def test_data_sets_that_are_refused(dataset):
    with pytest.raises(InvalidDataSetError):
        histogram(dataset, ("a", "b", "c"), users=3)


@pytest.mark.parametrize("dataset", [{"a": 1.0}, {"a": True}, {"a": "1/2"}, {"a": None}, 5, None, [["a"]]])
def test_data_sets_of_the_wrong_kind_are_refused(dataset):
    with pytest.raises(ExactDPError):
        histogram(dataset, ("a", "b"), users=1)


def test_estimates():
    analyzer = Analyzer({"a": "1/2", "b": -1}, offset="1/3")
    assert analyzer.estimate({"a": 3, "b": 1}) == Fraction(5, 6)
    assert analyzer.estimate({}) == Fraction(1, 3)
    assert Analyzer({"a": 1}, zero_unless_above=2).estimate({"a": 2}) == 0
    assert Analyzer({"a": 1}, zero_unless_above=2).estimate({"a": 3}) == 3


@pytest.mark.parametrize("counts", [{"a": -1}, {"a": 1.0}, {"a": True}, {"a": "1"}])
def test_counts_that_are_refused(counts):
    with pytest.raises(ExactDPError):
        Analyzer({"a": 1}).estimate(counts)


def test_a_noisy_count_may_be_negative():
    """Additive noise has both signs, and every outcome of the view has an estimate."""
    protocol = AdditiveProtocol(Law({-1: "1/2", 1: "1/2"}), n=2, analyzer=Analyzer({0: 1}))
    assert [protocol.estimate(t) for t in protocol.law([0, 0])] == [-1, 1]


@pytest.mark.parametrize("weights", [{"a": 0.5}, {"a": "x"}, {"a": None}])
def test_weights_that_are_refused(weights):
    with pytest.raises(ExactDPError):
        Analyzer(weights)
