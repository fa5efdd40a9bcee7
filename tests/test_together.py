"""Cases that share an item: each is tried, and each that fails is named."""

import inspect

import pytest

from tests.together import SHOWN, together


def test_every_combination_is_tried():
    seen = []

    @together(("a", "b"), [(1, 2), (3, 4)])
    @together("c", "xyz")
    def test(b, a, c, tmp_path):
        seen.append((a, b, c, tmp_path))

    assert list(inspect.signature(test).parameters) == ["tmp_path"]
    test(tmp_path="here")
    assert seen == [(a, b, c, "here") for a, b in ((1, 2), (3, 4)) for c in "xyz"]


def test_all_that_fail_are_named_and_the_first_are_shown():
    @together("n", range(100), ids=lambda n: f"{n} users")
    def test(n):
        assert n % 5, "a multiple of 5"

    with pytest.raises(ExceptionGroup) as caught:
        test()
    message, errors = caught.value.message, caught.value.exceptions
    assert message.splitlines() == ["20 cases failed:", *(f"{n} users" for n in range(0, 100, 5))]
    assert len(errors) == SHOWN
    assert [error.__notes__ for error in errors[:2]] == [["in the case 0 users"], ["in the case 5 users"]]
    assert "a multiple of 5" in str(errors[0])


def test_cases_of_one_name_are_told_apart():
    @together(("n", "law"), [(1, "a" * 100), (1, "a" * 101)])
    @together("call", [len, lambda text: 0])
    def test(n, law, call):
        raise KeyError(call(law))

    with pytest.raises(ExceptionGroup) as caught:
        test()
    first, *others = caught.value.message.splitlines()[1:]
    assert first == f"n=1, law='{'a' * 76}...; call=len"
    assert len(set(others)) == 3


def test_what_was_to_be_raised_and_was_not_is_a_failure_like_any_other():
    @together("n", [1, 2])
    def test(n):
        with pytest.raises(ValueError, match="no number"):
            int("1")

    with pytest.raises(BaseExceptionGroup, match="n=1\nn=2"):
        test()


def test_what_is_no_failure_ends_the_test():
    """A skip, too: it would hide the other cases."""

    @together("n", [1, 2])
    def test(n):
        pytest.skip("not here")

    with pytest.raises(pytest.skip.Exception):
        test()


def test_cases_that_cannot_be_meant_are_refused():
    with pytest.raises(ValueError, match=r"^there is no case of n, so nothing would be tried\. Give at least one\.$"):
        together("n", [])
    with pytest.raises(ValueError, match=r"^n, m are 2 names, but a case is \(1,\)\. Give a value for each\.$"):
        together("n, m", [(1,)])
    with pytest.raises(ValueError, match=r"^pytest\.param is among the cases of n: its marks are for items\. Give"):
        together("n", [1, pytest.param(2, marks=pytest.mark.skip)])
    with pytest.raises(ValueError, match=r"^test has no argument m, but cases of it\.$"):

        @together("m", [1])
        def test(n):
            pass
