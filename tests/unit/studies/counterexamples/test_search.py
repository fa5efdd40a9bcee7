"""The least counterexample: the order of instances, ties, the space covered, and refusals."""

from fractions import Fraction
from itertools import product

import pytest

import exactdp as xdp
from exactdp.claims.claim import Claim
from exactdp.errors import InexactNumberError, InvalidValueError, TooLargeError, UndecidedError
from exactdp.studies.counterexamples.search import Rationals, Search, search


def visited(**axes):
    seen = []
    search(lambda **instance: not seen.append(tuple(instance.values())), **axes)
    return seen


def test_rationals_come_by_size_and_then_by_value():
    listed = list(Rationals(0, 1, 5, low_is_closed=True, high_is_closed=True))
    assert listed == sorted(listed, key=lambda x: (x.numerator + x.denominator, x))
    assert [str(x) for x in listed[:4]] == ["0", "1", "1/2", "1/3"]
    assert set(listed) == {Fraction(p, q) for q in range(1, 6) for p in range(q + 1)}


@pytest.mark.parametrize(("low", "high"), [(False, False), (False, True), (True, False), (True, True)])
def test_the_ends_of_rationals(low, high):
    listed = set(Rationals("1/3", "3/4", 4, low_is_closed=low, high_is_closed=high))
    assert listed == {Fraction(1, 2), Fraction(2, 3)} | ({Fraction(1, 3)} if low else set()) | (
        {Fraction(3, 4)} if high else set()
    )


def test_negative_rationals_count_their_absolute_numerator():
    assert [str(x) for x in Rationals(-1, 1, 2, low_is_closed=True)] == ["0", "-1", "-1/2", "1/2"]


def test_integers_first_then_sums_of_rationals_then_their_values():
    axes = {"p": Rationals(0, 1, 4), "n": range(3, 6), "q": Rationals(0, 1, 4)}
    seen = visited(**axes)

    def key(at):
        p, n, q = at
        return n, sum(x.numerator + x.denominator for x in (p, q))

    assert seen == sorted(seen, key=key)
    assert len(seen) == len(set(seen)) == 3 * 25 == 3 * len(set(Rationals(0, 1, 4))) ** 2


def test_integer_axes_go_in_the_order_in_which_they_are_given():
    assert visited(n=range(2), k=range(3)) == [(n, k) for n in range(2) for k in range(3)]
    assert visited(k=range(3), n=range(2)) == [(k, n) for k in range(3) for n in range(2)]
    assert visited(n=range(3, 0, -1)) == [(3,), (2,), (1,)]


def test_listed_values_keep_their_order_and_count_nothing():
    seen = visited(word=("b", "a"), p=Rationals(0, 1, 3))
    assert [p for _, p in seen] == [Fraction(1, 2)] * 2 + [Fraction(1, 3)] * 2 + [Fraction(2, 3)] * 2
    assert [word for word, _ in seen] == ["b", "a"] * 3


def test_of_two_counterexamples_of_one_size_the_smaller_first_rational_is_found():
    found = search(lambda p, q: p + q != Fraction(5, 6), p=Rationals(0, 1, 4), q=Rationals(0, 1, 4))
    order = visited(p=Rationals(0, 1, 4), q=Rationals(0, 1, 4))
    failing = [at for at in order if sum(at) == Fraction(5, 6)]
    assert tuple(found.counterexample.values()) == failing[0] == (Fraction(1, 2), Fraction(1, 3))


def test_the_least_of_all_counterexamples_by_listing_them():
    """n p (1 - p) >= 2: by n first, then numerator plus denominator."""
    failing = [
        (n, Fraction(a, b))
        for n, b in product(range(1, 20), range(1, 5))
        for a in range(1, b)
        if n * Fraction(a, b) * (1 - Fraction(a, b)) >= 2
    ]
    least = min(failing, key=lambda at: (at[0], at[1].numerator + at[1].denominator, at[1]))
    found = search(lambda n, p: n * p * (1 - p) < 2, n=range(1, 20), p=Rationals(0, 1, 4))
    assert tuple(found.counterexample.values()) == least
    assert repr(found).startswith("Search(n=8, p=1/2: the first of 36 instances in n in 1..19, p in (0, 1) with")


def test_none_found_says_what_was_covered():
    found = search(lambda n, p, w: True, n=range(1, 10, 3), p=Rationals(0, "1/2", 3, high_is_closed=True), w=("x",))
    assert found.counterexample is None
    assert (found.tried, found.skipped) == (6, 0)
    assert found.space == "n in 1..7 in steps of 3, p in (0, 1/2] with denominators up to 3, w in 1 listed values"
    assert "no counterexample in n in 1..7" in repr(found)
    assert "6 instances tried" in repr(found)


def test_instances_outside_the_hypotheses_are_skipped_and_counted():
    def statement(n):
        if n % 2:
            raise InvalidValueError("n is odd")
        return n < 6

    found = search(statement, n=range(1, 20))
    assert (dict(found.counterexample), found.tried, found.skipped) == ({"n": 6}, 3, 3)


def test_other_errors_end_the_search():
    def undecided(n):
        raise UndecidedError(str(n))

    with pytest.raises(UndecidedError, match="1"):
        search(undecided, n=range(1, 3))


def test_an_empty_space_is_covered():
    found = search(lambda n: False, n=range(5, 5))
    assert found == Search(None, 0, 0, "n in an empty range")


def test_refusals():
    with pytest.raises(InvalidValueError, match="no axes given"):
        search(lambda: True)
    with pytest.raises(TooLargeError, match="100000000 instances, the limit is 10000000"):
        search(lambda **at: pytest.fail("tried"), n=range(10**4), k=range(10**4))
    with pytest.raises(InvalidValueError, match="low=2 is above high=1"):
        Rationals(2, 1, 3)
    with pytest.raises(InvalidValueError, match="max_denominator"):
        Rationals(0, 1, 0)
    with pytest.raises(InexactNumberError):
        Rationals(0.5, 1, 3)


def response(n, delta):
    return Claim.shuffle_dp(xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), n), exp_eps=2, delta=delta)


def test_a_bound_is_refuted_at_its_least_instance():
    certificate = xdp.find_counterexample(lambda n: response(n, Fraction(9, 8) / n**2), {"n": range(1, 20)})
    assert certificate.verdict is xdp.Verdict.REFUTED
    assert certificate.claim == response(3, Fraction(1, 8))
    assert xdp.verify(certificate) is xdp.Verdict.REFUTED


def test_a_bound_that_holds_has_no_counterexample():
    assert xdp.find_counterexample(lambda n: response(n, Fraction(1, n)), {"n": range(1, 6)}) is None


def test_an_undecided_instance_ends_the_search(monkeypatch):
    from exactdp.studies.counterexamples import search

    undecided = xdp.Certificate(response(1, 1), xdp.Verdict.UNDECIDED, "none", "too close.")
    monkeypatch.setattr(search, "certify", lambda claim: undecided)
    with pytest.raises(UndecidedError, match=r"^the bound is undecided at n=3: too close\. Leave this instance out\.$"):
        xdp.find_counterexample(lambda n: response(n, 1), {"n": range(3, 6)})


def test_a_bound_that_speaks_of_no_instance_is_refused():
    message = r"^the bound speaks of no instance in n in 0\.\.0\. Refused: n=0 is below 1\."
    with pytest.raises(InvalidValueError, match=message):
        xdp.find_counterexample(lambda n: response(n, 1), {"n": range(1)})
    assert xdp.find_counterexample(lambda n: response(n, 1), {"n": range(2)}) is None  # one of them is
