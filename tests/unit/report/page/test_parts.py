"""Statements, numbers, tables and works as the page shows them."""

import math
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import proofs
from exactdp.errors import InvalidValueError
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.interval import Interval
from exactdp.protocols import gap, zsum
from exactdp.report.figures.data import float_ends
from exactdp.report.page import protocol_tables as tables
from exactdp.report.page.cells import NumberTable, full_text, short_text
from exactdp.report.page.html import source_html, works
from exactdp.report.page.protocols import PROTOCOLS, protocol_table
from exactdp.report.page.typesetting import GREEK, typeset
from tests.expensive import one_in

# --- Statements -----------------------------------------------------------------------------------------------------

LETTERS = {letter: word for word, letter in GREEK.items()}
SIGNS = {"≥": ">=", "≤": "<=", "≠": "!=", "→": "->", "−": "-", "∼": "~"}


def plain(html: str) -> str:
    """What is left without tags, in ASCII again."""
    text = re.sub("<[^>]*>", "", html)
    for code, sign in (("&lt;", "<"), ("&gt;", ">"), ("&#39;", "'"), ("&#34;", '"'), ("&amp;", "&")):
        text = text.replace(code, sign)
    return "".join((LETTERS | SIGNS).get(character, character) for character in text)


def test_no_statement_loses_anything() -> None:
    for row in proofs.rows():
        for text in (row.statement, row.domain, row.reading):
            assert plain(typeset(text)) == text, row.id


@given(
    st.lists(st.sampled_from(["eps", "delta", "^", "_", "(", ")", "x", "1", " ", "<", ">=", "-", "'", "abs", "&"])).map(
        "".join
    )
)
def test_no_text_loses_anything(text: str) -> None:
    html = typeset(text)
    assert plain(html) == text
    assert html.count("<sup>") == html.count("</sup>")


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("eps-DP", "ε-DP"),
        ("zsum-gamma exp_eps @eps", "zsum-gamma exp_eps @eps"),
        ("1-alpha", "1-α"),
        ("2^-53.", '2<sup><i class="unseen">^</i>-53</sup>.'),
        ("a^abs(k)b", 'a<sup><i class="unseen">^</i>abs(k)</sup>b'),
        ("e^(x", "e^(x"),
        ("eps_0", 'ε<sub><i class="unseen">_</i>0</sub>'),
        ("<b> & 'c'", "&lt;b&gt; &amp; &#39;c&#39;"),
    ],
)
def test_statements_are_set(text: str, html: str) -> None:
    assert typeset(text) == html


# --- Numbers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "short", "full"),
    [
        (None, "—", "—"),
        ("word", "word", "word"),
        (20000, "20\u202f000", "20000"),
        (10**9, "10⁹", "1000000000"),
        (Fraction(1, 4), "1/4", "1/4"),
        (Fraction(48, 625), "0.0768", "48/625"),
        (Fraction(1216, 103), "11.81", "1216/103"),
        (Fraction(10**15 + 1, 10**15), "1.000", "1000000000000001/1000000000000000"),
        (Fraction(0), "0", "0"),
        (Fraction(1, 3 * 10**7), "3.333×10⁻⁸", "1/30000000"),
        (LogRational(None), "∞", "infinity"),
        (LogRational(1), "0", "0"),
        (LogRational("5/2"), "ln(5/2)", "ln(5/2)"),
        (Interval.between(Fraction(1), Fraction(2), bits=53), "1 to 2", "[1, 2]"),
        (
            Interval.between(Fraction(1, 3), Fraction(1, 3), bits=53),
            "0.3333",
            "[0.33333333333333325, 0.33333333333333349]",
        ),
    ],
)
def test_numbers_are_shown(value: object, short: str, full: str) -> None:
    assert short_text(value) == short  # type: ignore[arg-type]
    shown = full_text(value)  # type: ignore[arg-type]
    assert shown == full or (full.startswith("[0.333") and shown.startswith("[0.3333333333333333"))


def test_a_number_too_small_for_a_fraction_is_shown() -> None:
    tiny = Dyadic(1, -(10**9))
    assert short_text(Interval(tiny, tiny)).endswith("×10⁻³⁰¹⁰²⁹⁹⁹⁶")


@one_in(2)
@given(st.fractions(min_value=Fraction(1, 10**30), max_value=10**6))
def test_what_is_shown_is_near(value: Fraction) -> None:
    text = short_text(value).replace("\u202f", "").translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    assert abs(Fraction(text.replace("×10", "e") if "×" in text else _power(text)) - value) <= value / 1999


def _power(text: str) -> str:
    return text if not re.fullmatch("10[4-6]", text) else str(10 ** int(text[2:]))


# --- Tables ---------------------------------------------------------------------------------------------------------


def test_the_gap_table_is_what_the_engine_says() -> None:
    for n, alone, eps, delta, pair in tables.gap_privacy().rows:
        assert isinstance(n, int)
        profile = gap(n).privacy_profile()
        assert isinstance(alone, LogRational)
        assert alone.is_infinite
        assert eps == profile.epsilon(0)
        assert delta == profile.delta(exp_eps=1)
        assert isinstance(pair, str)
        assert " against " in pair


@pytest.mark.slow
def test_the_least_noise_of_zsum_is_enough_and_less_is_not() -> None:
    for n, theorem, least, factor, eps in tables.zsum_noise().rows[:2]:
        assert isinstance(n, int)
        assert isinstance(least, Fraction)
        assert isinstance(theorem, Fraction)
        assert isinstance(factor, Interval)
        assert isinstance(eps, LogRational | Interval)
        gamma = least / n
        assert zsum(n, gamma=gamma).privacy_profile().delta(eps=1) <= Fraction(1, 10**6)
        assert zsum(n, gamma=gamma - Fraction(1, 2**40)).privacy_profile().delta(eps=1) > Fraction(1, 10**6)
        assert factor.lo <= theorem / least <= factor.hi


def test_published_bounds_are_above_the_exact_delta() -> None:
    for row in tables.response_amplification().rows:
        exact = row[3]
        assert isinstance(exact, Fraction)
        assert all(exact <= (b.hi if isinstance(b, Interval) else b) for b in row[4:])  # type: ignore[operator, union-attr]


def test_the_error_of_all_bins_does_not_grow_with_their_number() -> None:
    rows = [row for row in tables.histogram_accuracy().rows if row[0] == 10**6]
    assert rows[-1][4] == rows[-2][4]
    assert rows[-1][1] == 100 * rows[-2][1]  # type: ignore[operator]


@pytest.mark.slow
@pytest.mark.parametrize(
    "table",
    [
        tables.complement_privacy,
        tables.histogram_privacy,
        tables.zsum_slack,
        tables.counting_laws,
        tables.split_and_mix_distances,
        tables.almost_central_bounds,
        tables.sampling_at_equal_error,
    ],
)
def test_tables_are_whole(table: object) -> None:
    found = table()  # type: ignore[operator]
    assert isinstance(found, NumberTable)
    assert {len(row) for row in found.rows} == {len(found.heads)}
    assert found.rows
    assert found.level
    assert found == table()  # type: ignore[operator]


@pytest.mark.slow
def test_correlated_counting_takes_more_than_it_needs_and_errs_as_before() -> None:
    rows = tables.correlated_counting_noise().rows
    for eps, theorem, least, ratio, published, enough, error in rows:
        assert isinstance(theorem, Interval)
        assert isinstance(least, Interval)
        assert theorem.lo / least.hi <= ratio <= theorem.hi / least.lo  # type: ignore[operator]
        assert published > enough  # type: ignore[operator]
        assert 2 < error * eps <= 6  # type: ignore[operator]


def test_almost_central_sums_promise_less_than_they_keep_and_err_as_the_variance_says() -> None:
    for eps, delta, theorem, least, variance, error, central in tables.almost_central_noise().rows:
        assert delta < Fraction(1, 10**70)  # type: ignore[operator]
        assert theorem > 15 * least  # type: ignore[operator]
        stays, keeps = math.exp(-float(eps) / 2), math.exp(-float(eps))  # type: ignore[arg-type]
        ratio = stays / (1 - stays) ** 2 / (keeps / (1 - keeps) ** 2)
        assert float(variance) == pytest.approx(ratio)  # type: ignore[arg-type]
        assert 2 * central == error  # type: ignore[operator]


def test_the_published_thresholds_are_more_than_twice_what_is_enough() -> None:
    for eps, power, published, there, reached, least in tables.sampling_thresholds().rows:
        assert isinstance(reached, LogRational)
        assert published > 2 * least  # type: ignore[operator]
        rate = 0.25 * (1 - math.exp(-float(eps)))  # type: ignore[arg-type]
        assert _waiting_delta(rate, published, float(eps)) == pytest.approx(float(there), rel=1e-6)  # type: ignore[arg-type]
        wanted = {"10⁻³": 1e-3, "10⁻⁶": 1e-6, "10⁻⁹": 1e-9}[str(power)]
        deltas = [_waiting_delta(rate, tau, float(eps)) for tau in (least, least - 1)]  # type: ignore[arg-type, operator]
        assert deltas[0] <= wanted < deltas[1]
        reached_eps = float(reached)
        assert _waiting_delta(rate, published, reached_eps) == pytest.approx(wanted, rel=1e-3)  # type: ignore[arg-type]


def _waiting_delta(rate: float, threshold: int, eps: float) -> float:
    """Return the least delta of a count with the noise of the missing reports, in floats, by both one-sided sums."""
    law = [math.comb(threshold + t - 1, t) * rate**threshold * (1 - rate) ** t for t in range(60 * threshold)]
    moved = [0.0, *law]
    level = math.exp(eps)
    return max(
        sum(max(0.0, p - level * q) for p, q in zip(one, other, strict=False))
        for one, other in ((law, moved), (moved, law))
    )


@pytest.mark.slow
def test_flooding_sends_less_than_two_messages_and_errs_least() -> None:
    rows = {row[0]: row for row in tables.flooding_comparison().rows}
    flooding = rows.pop("flooding")
    for _, _, delta, messages, _, error, together in rows.values():
        assert delta <= Fraction(1, 10**6)  # type: ignore[operator]
        assert messages == 1 or messages > flooding[3]  # type: ignore[operator]
        assert flooding[5] < error  # type: ignore[operator]
        assert float_ends(error)[1] <= float_ends(together)[1]  # type: ignore[arg-type]


def test_every_function_of_the_tables_has_a_page() -> None:
    public = {name for name, value in vars(tables).items() if getattr(value, "__module__", "") == tables.__name__}
    assert {t.__name__ for page in PROTOCOLS for t in page.tables} == {name for name in public if name[0] != "_"}


def test_a_page_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidValueError, match=r"there is no page 'lost'\. The pages are zsum, histogram"):
        protocol_table("lost", 0)


# --- Works ----------------------------------------------------------------------------------------------------------


def test_every_work_is_read_without_tex() -> None:
    from pathlib import Path

    import exactdp

    text = (Path(exactdp.__file__).parent / "references.bib").read_text(encoding="utf-8")
    assert list(works()) == re.findall(r"^@\w+\{([^,\s]+),", text, re.MULTILINE)
    for work in works().values():
        shown = "".join((*work.authors, work.year, work.title, work.place, work.address))
        assert not set(shown) & set("{}\\"), work
        assert work.authors[0]
        assert work.title
        assert re.fullmatch("[0-9]{4}", work.year)


def test_sources_become_links() -> None:
    found = source_html("Hoeffding1963, Theorem 2; Nobody1999, p. 1; proof: this package, proofs/zsum.py")
    assert found == (
        '<a href="#work-Hoeffding1963">Hoeffding 1963</a>, Theorem 2; Nobody1999, p. 1; '
        "proof: this package, proofs/zsum.py"
    )
