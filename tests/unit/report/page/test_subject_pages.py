"""The page of classes of users: its numbers are those of the profiles, what they rest on is theirs, and every end."""

from fractions import Fraction
from typing import Any

import pytest

from exactdp import LogRational, Randomizer, ShuffleProtocol
from exactdp.errors import InvalidValueError
from exactdp.mechanisms.dataset import write_dataset
from exactdp.mechanisms.family import FamilyRandomizer
from exactdp.protocols.user_classes_protocol import UserClassesProtocol
from exactdp.randomizers import ClippedDiscreteLaplace, KAryResponse, UnaryEncoding
from exactdp.report.page.html import subject_report
from exactdp.report.page.subject_pages import SubjectPage, classes_page

FLIP = Randomizer({"0": {("0",): "3/4", ("1",): "1/4"}, "1": {("1",): "3/4", ("0",): "1/4"}})
TELL = Randomizer({"0": {("0",): 1}, "1": {("1",): 1}})
DELTA = Fraction(1, 10**4)


def shown(protocol: Any, delta: Any = DELTA) -> SubjectPage:
    assert isinstance(protocol, UserClassesProtocol)
    return classes_page(
        protocol, name="classes", run=[f"of class {j}" for j in range(len(protocol.classes))], delta=delta
    )


@pytest.fixture(scope="module")
def both() -> Any:
    return ShuffleProtocol([(KAryResponse(2, exp_eps0=e), n) for e, n in ((2, 4), (6, 3))], participation=(1, "1/2"))


@pytest.fixture(scope="module")
def page(both: Any) -> SubjectPage:
    return shown(both)


def test_the_ends_are_those_of_the_profiles(both: Any, page: SubjectPage) -> None:
    classes, ends, behind = page.tables
    assert classes.rows == (
        ("0", 4, "of class 0", Fraction(1), LogRational(2)),
        ("1", 3, "of class 1", Fraction(1, 2), LogRational(6)),
    )
    assert ends.level == "enclosure: both ends proved, rounded outward"
    assert "δ = 0.0001," in ends.caption
    assert (
        [row[0] for row in ends.rows] == [row[0] for row in behind.rows] == ["the worst: class 1", "class 0", "class 1"]
    )
    for place, (_, lower, upper, own), (_, attained, proved) in zip((None, 0, 1), ends.rows, behind.rows, strict=True):
        profile = both.privacy_profile(user_class=place)
        eps, pair = profile.epsilon_with_pair(DELTA)
        assert isinstance(lower, type(eps))
        assert isinstance(upper, type(eps))
        assert (lower.lower, upper.upper) == (eps.lower, eps.upper)
        assert lower.lower < upper.upper
        assert own == (None if place is None else both.parts[place].privacy_profile().epsilon(DELTA))
        first, second = ("; ".join(map(write_dataset, side)) for side in (pair.first, pair.second))
        assert attained == f"{first} against {second}"
        assert proved == profile.bracket(eps=eps.hi).theorem
        assert "by the other users of class" in str(proved)


def test_the_page_says_whom_n_counts_and_names_what_it_is_about(both: Any, page: SubjectPage) -> None:
    text = subject_report(page)
    assert f"n = 7 counts the users who follow the protocol, {both.absence_words}. With fewer of them" in text
    assert "the worst: class 1" in text
    assert 'href="#work-BalleBellGasconNissim2019"' in text
    assert "<figure" not in text
    assert "<h1>classes</h1>" in text


def test_where_eps_is_exact_infinite_or_0_the_ends_are_equal() -> None:
    exact = shown(ShuffleProtocol([(FLIP, 3), (FLIP, 2)]), "1/100").tables
    eps = ShuffleProtocol(FLIP, 5).privacy_profile().epsilon("1/100")
    assert [row[1:3] for row in exact[1].rows] == [(eps, eps)] * 3
    assert exact[1].level == "exact: both ends are equal"
    assert exact[1].rows[1][3] == ShuffleProtocol(FLIP, 3).privacy_profile().epsilon("1/100")
    assert [row[0] for row in exact[1].rows] == ["the worst: class 0", "class 0", "class 1"]
    assert exact[2].rows[2][1:] == ("0=3; 0=2 against 0=3; 0=1,1=1", "exact: pairwise scan")
    none = shown(ShuffleProtocol([(TELL, 3)]), 0).tables
    assert none[1].rows[0] == ("the worst: class 0", LogRational(None), LogRational(None), None)
    assert none[2].rows[0][2] == "no finite number is enough"
    zero = shown(ShuffleProtocol([(FLIP, 3), (TELL, 2)]), 1).tables
    assert zero[1].rows[0] == ("the worst", LogRational(1), LogRational(1), None)
    assert zero[2].rows[0][1] == "nothing: it is the least there is"


def test_where_no_finite_upper_end_is_proved_the_page_says_why() -> None:
    ends, behind = shown(ShuffleProtocol([(FLIP, 3), (TELL, 2)]), "1/100").tables[1:]
    assert ends.rows[2] == ("class 1", None, None, LogRational(None))
    assert behind.rows[2][1] == "no pair that is known"
    assert "no finite eps is proved to be enough" in str(behind.rows[2][2])
    assert ends.rows[1][1] is not None


@pytest.mark.parametrize(("delta", "said"), [("2", "outside"), (0.5, "float")])
def test_a_delta_that_is_none_is_refused(both: Any, delta: Any, said: str) -> None:
    with pytest.raises((InvalidValueError, TypeError), match=said):
        shown(both, delta)


@pytest.mark.parametrize(
    ("family", "title"),
    [
        (UnaryEncoding(20, exp_eps0=4), "RAPPOR, 20 choices"),
        (UnaryEncoding(20, exp_eps0=4, optimized=True), "Unary encoding, 20 choices"),
        (KAryResponse(4, exp_eps0=3), "Randomized response, 4 choices"),
        (ClippedDiscreteLaplace(3, exp_eps0=3), "Clipped discrete Laplace, 4 choices"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_family_has_a_title_in_words(family: FamilyRandomizer, title: str) -> None:
    assert family.title == title
