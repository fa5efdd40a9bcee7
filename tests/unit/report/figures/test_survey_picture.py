"""The survey's picture: what is drawn is the survey's rows, and its title says no more than they prove."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

from exactdp.numbers.interval import Interval
from exactdp.report.figures.survey_picture import survey_picture, survey_table
from exactdp.report.page.survey_page import survey_pictures, survey_report
from exactdp.studies.survey.crossings import MeasuredOrder, crossings
from exactdp.studies.survey.error_curves import BITS, HISTOGRAMS, read_question
from exactdp.studies.survey.measured import Survey, survey

QUESTION = read_question(100, eps="1/2", delta="1e-6", inputs=4).at(100, with_privacy=False)
NAMES = (
    "bit sums: discrete Laplace, pure",
    "correlated counting",
    "bit sums: zsum, theorem",
    "local randomized response",
)


@cache
def answered(users: tuple[int, ...], *names: str) -> Survey:
    return survey(QUESTION, list(users), only=[*NAMES, *names])


def test_the_table_has_the_rows_and_a_hole_where_a_theorem_needs_more_users() -> None:
    table = survey_table(answered((100, 10**5)), BITS)
    assert table.column("n") == (100, 10**5)
    assert table.column("discrete Laplace, pure") == (Fraction(6), Fraction(6))
    assert table.column("zsum, theorem")[0] is None
    assert dict(table.about)["delta"] == "1/1000000"


def test_the_caption_says_from_where_on_every_shuffled_protocol_is_better() -> None:
    assert survey_picture(answered((100, 10**5)), BITS).caption.endswith("All beat local at n\u00a0=\u00a0100.")
    crowded = answered((10, 10**5), "bit sums: one-sided counting, least noise")
    assert survey_picture(crowded, BITS).caption.endswith("All beat local at n\u00a0=\u00a010⁵.")
    assert "beat" not in survey_picture(answered((2, 3)), BITS).caption


def test_the_title_has_the_winner_and_each_line_its_name() -> None:
    picture = survey_picture(answered((100, 10**5)), BITS)
    assert picture.title.startswith(
        "Least proved error at n\u00a0=\u00a010⁵: correlated counting 12, a curator 6, local "
    )
    svg = picture.svg()
    assert "nan" not in svg
    assert all(f">{name}<" in svg for name in ("correlated", "counting", "discrete Laplace"))
    assert ">zsum<" not in svg  # with its theorem's noise alone


def test_the_page_holds_pictures_tables_crossings_and_orders() -> None:
    rows = answered((100, 10**5), "histograms: discrete Laplace, pure")
    assert list(survey_pictures(rows)) == ["survey-bit-sums", "survey-histograms"]
    line = MeasuredOrder("central", "noise", "error", "n times 100", "O(1)", Fraction(1), None, "no answer there")
    wide = replace(line, measured=Interval.between(Fraction(8), Fraction(12), bits=53), reason="")
    page = survey_report(rows, crossings(rows), [line, wide])
    assert page.count("<svg") == 2
    assert [
        word for word in ("Where errors cross", "no answer there", "8 to 12", HISTOGRAMS, "zsum") if word not in page
    ] == []
