"""What users send: protocols against the table of one user, families against the table that lists all messages."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from exactdp import AdditiveProtocol, DiscreteLaplace, Geometric, Poisson, Randomizer, protocols
from exactdp import randomizers as listed
from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.mechanisms.randomizer import Communication
from exactdp.numbers.interval import Interval

QUARTER = Fraction(1, 4)


def test_bits_tell_the_symbols_apart() -> None:
    assert [Communication(Fraction(1), 1, symbols).bits for symbols in (1, 2, 3, 4, 5, 2**20)] == [1, 1, 2, 2, 3, 20]


def test_zsum_and_histogram_send_what_their_tables_send() -> None:
    zsum, bins = protocols.zsum(7, gamma=QUARTER), protocols.histogram(7, 3, gamma=QUARTER)
    assert zsum.communication() == protocols.zsum_randomizer(gamma=QUARTER).communication()
    assert bins.communication() == protocols.histogram_randomizer(3, gamma=QUARTER).communication()


def test_shares_without_an_end() -> None:
    assert protocols.one_sided_counting(10, r=3, p="1/2").communication() == Communication(Fraction(13, 10), None, 1)
    for law in (Geometric("1/2"), Poisson(1)):
        assert AdditiveProtocol(law, n=4, shift=5).communication() == Communication(Fraction(21, 4), None, 1)
    assert isinstance(AdditiveProtocol(Geometric("exp(-1)"), n=4).communication().messages, Interval)


def test_numbers_that_nobody_lists() -> None:
    assert listed.UnaryEncoding(10**5, exp_eps0=3).communication().bits == 10**5
    assert listed.LocalHashing(1000, exp_eps0=3, buckets=4).communication().bits == 2002
    assert listed.SubsetSelection(200, exp_eps0=3, size=199).communication().symbols == 200


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda: listed.UnaryEncoding(10**9, exp_eps0=3).communication(), TooLargeError, "Use fewer inputs"),
        (lambda: listed.SubsetSelection(10**9, exp_eps0=3).communication(), TooLargeError, "Use fewer inputs"),
        (lambda: listed.LocalHashing(10**9, exp_eps0=3).communication(), TooLargeError, "Use fewer inputs"),
        (lambda: listed.any_randomizer(exp_eps0=3).communication(), InvalidValueError, "Ask about one of them"),
        (lambda: AdditiveProtocol(DiscreteLaplace(2)).communication(), InvalidValueError, "a curator adds it"),
        (lambda: AdditiveProtocol(DiscreteLaplace(2), n=3).communication(), InvalidValueError, "is not known"),
    ],
)
def test_what_is_refused(ask: Callable[[], object], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        ask()


def test_the_input_that_asks_for_most() -> None:
    table = Randomizer({0: {("a", "a", "a"): "1/4", (): "3/4"}, 1: {("b",): 1}})
    assert table.communication() == Communication(Fraction(1), 3, 2)
