"""eps against n: the ends against exact engines, the published bounds against their exact sums, and the picture."""

from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from exactdp.bounds import clones_delta, hoeffding_blanket_delta, stronger_clones_delta, variation_ratio_delta
from exactdp.errors import InvalidValueError
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.epsilon import LogRational
from exactdp.privacy.amplification.variation_ratio import response_parameters
from exactdp.protocols import complement_randomizer, gap_randomizer
from exactdp.protocols.protocol import ShuffleProtocol
from exactdp.randomizers import AnyRandomizer, KAryResponse, UnaryEncoding
from exactdp.report.figures.amplification_curves import amplification_curves, amplification_picture
from exactdp.report.figures.picture import painted
from exactdp.report.figures.style import LIGHT
from exactdp.studies.counterexamples.comparison import AT_EPS, family_case, family_variation_ratio
from exactdp.studies.counterexamples.sizes import promised_exp_eps
from tests.unit.report.figures.amplified import EXACT_ALONE, REFUTED, WITHOUT_BOUNDS

RATIO, DELTA = Fraction(7389, 1000), Fraction(1, 10**4)
FAMILY = KAryResponse(4, exp_eps0=RATIO)


@cache
def curves():
    return amplification_curves(FAMILY, subject="4-ary", delta=DELTA, users=(2, 8))


def test_the_exact_eps_lies_between_the_ends() -> None:
    for point in curves().points:
        exact = ShuffleProtocol(FAMILY.table(), point.n).privacy_profile().exact_epsilon(DELTA).enclose()
        assert point.ends is not None
        assert point.exact is not None
        assert point.ends.lo <= exact.lo <= exact.hi <= point.ends.hi
        assert point.exact.lo <= exact.lo <= exact.hi <= point.exact.hi
        assert point.ends.hi - point.ends.lo < Fraction(1, 1000)


@pytest.mark.parametrize(
    ("name", "delta"),
    [
        ("stronger clones", lambda eps: stronger_clones_delta(8, exp_eps0=RATIO, eps=eps)),
        ("clones", lambda eps: clones_delta(8, exp_eps0=RATIO, eps=eps)),
        ("variation ratio", lambda eps: variation_ratio_delta(8, response_parameters(4, exp_eps0=RATIO), eps=eps)),
    ],
)
def test_what_a_bound_promises_is_where_its_delta_falls_to_the_target(name: str, delta: Any) -> None:
    eps = dict(curves().bounds)[name][1]
    assert delta(eps.hi).hi <= DELTA <= delta(eps.lo).lo


def test_the_closed_forms_are_those_of_the_family_where_there_are_any() -> None:
    """The form of k-ary response says less than eps0 = ln(3), that of every randomizer does not."""
    response, delta = KAryResponse(3, exp_eps0=3).table(), Fraction(1, 4)
    renamed = Randomizer({x: {(str(y),): p for (y,), p in row.items()} for x, row in response.table().items()})
    any_of, own = (
        dict(amplification_curves(randomizer, subject="3-ary", delta=delta, users=(2, 8)).bounds)["Hoeffding"][1]
        for randomizer in (renamed, response)
    )
    assert Fraction("1.0986") < any_of.hi < Fraction("1.0987")
    assert hoeffding_blanket_delta(8, exp_eps0=3, eps=own.hi, k=3).hi <= delta
    assert hoeffding_blanket_delta(8, exp_eps0=3, eps=own.lo, k=3).lo >= delta


def test_the_blanket_of_few_users_is_at_most_eps0_and_at_least_the_upper_end() -> None:
    for point, stated in zip(curves().points, dict(curves().bounds)["blanket"], strict=True):
        assert point.ends is not None
        assert point.ends.hi <= stated.hi * (1 + Fraction(1, 2**12))  # both are found to 2^-13
        assert stated.hi <= LogRational(RATIO).enclose().hi * (1 + Fraction(1, 2**24))


@pytest.mark.slow
def test_users_who_may_be_away_are_drawn_as_what_they_send() -> None:
    away = ShuffleProtocol(FAMILY, 8, participation="1/2")
    found = amplification_curves(away.numeric_randomizer, subject="counted", delta=DELTA, users=(2, 8))
    eps = ShuffleProtocol(FAMILY.table(), 8, participation="1/2").privacy_profile().exact_epsilon(DELTA).enclose()
    ends = found.points[1].ends
    assert ends is not None
    assert ends.lo <= eps.lo <= eps.hi <= ends.hi < curves().points[1].least


@pytest.mark.slow
def test_the_blanket_is_that_of_the_profile() -> None:
    """At most eps0, never below the upper end, and above it where the swap bound is the smaller one."""
    family = UnaryEncoding(30, exp_eps0=3)
    unary = amplification_curves(family, subject="unary", delta=DELTA, users=(2, 200))
    few, many = dict(unary.bounds)["blanket"]
    stated = ShuffleProtocol(family, 200).privacy_profile().by_blankets.epsilon(DELTA)
    assert abs(many.hi / stated.hi - 1) < Fraction(1, 2000)
    ends = [point.ends for point in unary.points]
    assert ends[0] is not None
    assert ends[1] is not None
    assert ends[0].hi <= few.hi * Fraction(1001, 1000)
    assert ends[1].hi < many.lo * Fraction(95, 100)
    assert few.hi <= LogRational(3).enclose().hi


@pytest.mark.slow
def test_the_blanket_of_every_randomizer_is_among_the_clones() -> None:
    bounds = dict(amplification_curves(AnyRandomizer(exp_eps0=3), subject="any", delta="1/100", users=(5, 10)).bounds)
    assert "stronger clones" in bounds
    assert "blanket" not in bounds


def test_a_bound_that_is_below_the_target_at_eps_0_promises_0() -> None:
    case = family_case(8, KAryResponse(3, exp_eps0=3))
    assert stronger_clones_delta(8, exp_eps0=3, exp_eps=1) < Fraction(1, 4)
    assert promised_exp_eps(AT_EPS["stronger-clones"], case, Fraction(1, 4)) == (1, 1)


def test_a_delta_that_is_too_small_for_a_contour_is_summed() -> None:
    case = family_case(100, KAryResponse(3, exp_eps0=2))
    low, high = promised_exp_eps(family_variation_ratio, case, Fraction(1, 10**6))
    parameters = response_parameters(3, exp_eps0=2)
    assert variation_ratio_delta(100, parameters, exp_eps=high) <= Fraction(1, 10**6)
    assert variation_ratio_delta(100, parameters, exp_eps=low) >= Fraction(1, 10**6)
    assert (high - low) * 2**16 < low - 1


def test_a_bound_below_the_lower_end_is_refuted() -> None:
    assert curves().refuted() == {name: (2, 8) if name == "variation ratio" else () for name, _ in curves().bounds}
    assert REFUTED.refuted() == {"variation ratio": (10, 1000), "clones": ()}  # 1.91 is above 1.9, and below 1.92


def test_the_table_has_every_number() -> None:
    table = curves().table()
    assert table.columns[:4] == ("n", "lower_end", "upper_end", "exact")
    assert table.column("n") == (2, 8)
    ends = curves().points[1].ends
    assert ends is not None
    assert table.rows[1][1:3] == (ends.lo, ends.hi)
    assert EXACT_ALONE.table().rows[0][1:3] == (None, None)


def test_refuted_points_have_crosses_and_exact_ones_rings() -> None:
    with painted(amplification_picture(REFUTED), LIGHT) as figure:
        above, below = figure.axes
        crosses = [line for line in below.get_lines() if line.get_marker() == "x" and len(line.get_xdata())]
        rings = [line for line in above.get_lines() if line.get_markerfacecolor() == "none"]
        assert [list(line.get_xdata()) for line in crosses] == [[1.0, 3.0]]
        assert [list(line.get_xdata()) for line in rings] == [[1.0]]
        assert all(y < 0 for y in crosses[0].get_ydata())


def test_the_words_say_what_is_proved() -> None:
    picture = amplification_picture(REFUTED)
    assert picture.title == "a bound below: ε is 0.199 to 0.211 at n\u00a0=\u00a010³"
    assert picture.caption.endswith("Crosses: a data set refutes variation ratio.")
    assert "refutes" not in amplification_picture(curves_of_bits()).caption
    assert amplification_picture(EXACT_ALONE).title == "exact alone: ε is 0.0499 to 0.0501 at n\u00a0=\u00a010³"
    assert "between" not in amplification_picture(EXACT_ALONE).svg()
    assert "exact" not in amplification_picture(WITHOUT_BOUNDS).svg()


@cache
def curves_of_bits():
    return amplification_curves(KAryResponse(2, exp_eps0=3), subject="bits", delta="1/100", users=(2, 5))


@pytest.mark.parametrize(
    ("randomizer", "delta", "users", "words"),
    [
        (FAMILY, 0, (2, 8), "delta=0 is not between 0 and 1"),
        (FAMILY, "1e-6", (2,), "users has one value, users=2, and a curve needs two"),
        (FAMILY, "1e-6", (), "users has no value, and a curve needs two"),
        (FAMILY, "1e-6", (8, 2), "users=2 comes after users=8, but each value has to be above"),
        (FAMILY, "1e-6", (2, 8, 8), "users=8 comes after users=8"),
        (complement_randomizer(), "1e-6", (2, 3), "complement: at delta=1/1000000 eps is 0, or proved to be no finite"),
        (KAryResponse(2, gamma=0), "1e-6", (2, 3), "eps is 0, or proved to be no finite number, at every n"),
    ],
)
def test_what_cannot_be_drawn_is_refused(randomizer: Any, delta: Any, users: tuple[int, ...], words: str) -> None:
    with pytest.raises(InvalidValueError, match=words):
        amplification_curves(randomizer, subject="complement", delta=delta, users=users)


def test_where_only_exact_engines_reach_their_eps_is_drawn() -> None:
    curves = amplification_curves(gap_randomizer(), subject="R^gap", delta="1e-6", users=(3, 10))
    assert [point.ends for point in curves.points] == [None, None]
    assert all(point.exact is not None for point in curves.points)
    assert curves.bounds == ()
