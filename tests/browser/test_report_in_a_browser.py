"""The report in a real browser: it loads nothing else, works by keyboard, and reads well by eye, ear and on paper."""

import base64
import gzip
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from exactdp import proofs
from tests.browser.conftest import look

Report = tuple[Path, list[proofs.Outcome]]
CHECKS = (Path(__file__).parent / "checks.js").read_text(encoding="utf-8")
NAMES = ("ids", "links", "names", "headings", "contrast", "width")
AXE = "EXACTDP_AXE"


def until(condition: Callable[[], Any], seconds: float = 10) -> Any:
    """Wait for something true."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.02)
    return found


def opened(browser: Any, report: Report, fragment: str = "") -> Any:
    browser.get("about:blank")
    browser.get(report[0].as_uri() + fragment)
    loaded = "return location.protocol === 'file:' && document.readyState === 'complete'"
    until(lambda: browser.execute_script(loaded))  # with a fragment the driver does not wait
    return browser


def press(browser: Any, *keys: str) -> None:
    from selenium.webdriver import ActionChains

    ActionChains(browser).send_keys(*keys).perform()


def shown(browser: Any) -> list[str]:
    script = "return [...document.querySelectorAll('article.row')].filter(r => r.checkVisibility()).map(r => r.id)"
    return list(browser.execute_script(script))


def focused(browser: Any) -> str:
    return str(browser.execute_script("const e = document.activeElement; return e.id || e.textContent.trim()"))


def focus(browser: Any, name: str) -> None:
    """Go to an element by the Tab key alone."""
    from selenium.webdriver.common.keys import Keys

    for _ in range(400):
        if focused(browser) == name:
            return
        press(browser, Keys.TAB)
    raise AssertionError(f"Tab does not reach {name}")


# --- Loading --------------------------------------------------------------------------------------------------------


def test_the_page_asks_for_nothing_and_complains_of_nothing(browser: Any, server: tuple[str, list[str]]) -> None:
    address, asked = server
    browser.get(address)
    browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    until(lambda: not browser.execute_script("return document.querySelector('pre[hidden]') !== null"))
    assert asked == ["/report.html"]
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
    assert [url for url in sent if not url.startswith(("data:", "blob:"))] == [address]
    assert browser.get_log("browser") == []


def test_a_page_that_asks_or_complains_is_seen(browser: Any, server: tuple[str, list[str]], report: Report) -> None:
    bad = report[0].with_name("bad.html")
    bad.write_text("<img src=lost.png alt=''><script>console.error('no')</script>", encoding="utf-8")
    browser.get(server[0].replace("report.html", "bad.html"))
    until(lambda: "/lost.png" in server[1])
    assert "no" in "".join(entry["message"] for entry in browser.get_log("browser"))


def test_the_policy_of_the_page_lets_nothing_be_loaded(browser: Any, report: Report) -> None:
    opened(browser, report)
    refused = """const done = arguments[0], image = new Image();
    image.onerror = () => done("refused"); image.onload = () => done("loaded"); image.src = "lost.png";"""
    assert browser.execute_async_script(refused) == "refused"
    assert any("Content Security Policy" in entry["message"] for entry in browser.get_log("browser"))


def test_every_figure_is_drawn(browser: Any, report: Report) -> None:
    opened(browser, report)
    boxes = browser.execute_script(
        "return [...document.querySelectorAll('figure svg')].map(s => [s.getBoundingClientRect().height, "
        "s.querySelectorAll('path').length, s.closest('figure').querySelector('figcaption').textContent.length])"
    )
    assert len(boxes) >= 1
    assert all(height > 100 and paths > 5 and words > 40 for height, paths, words in boxes)


LETTERS = """return [...document.querySelectorAll("figure svg")].flatMap(svg => {
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    return [...svg.querySelectorAll("text")].map(text => scale * parseFloat(getComputedStyle(text).fontSize));
});"""
"""The size on the screen of every text in a figure, in pixels."""


@pytest.mark.parametrize("width", [360, 480, 800, 1280])
def test_letters_of_figures_have_one_size_near_that_of_the_page(width: int, browser: Any, report: Report) -> None:
    look(browser, width=width)
    opened(browser, report)
    sizes = browser.execute_script(LETTERS)
    assert len(sizes) > 20
    assert max(sizes) - min(sizes) < 0.1
    around = float(browser.execute_script("return parseFloat(getComputedStyle(document.body).fontSize)"))
    assert 0.85 * around < min(sizes) < 1.1 * around
    drawings = browser.execute_script(
        "return [...document.querySelectorAll('figure svg')].map(s => s.getBoundingClientRect().right)"
    )
    assert max(drawings) <= width


def test_letters_of_another_size_are_seen(browser: Any, report: Report) -> None:
    bad = report[0].with_name("sizes.html")
    drawing = "<figure style='width:{}px'><svg viewBox='0 0 200 9'><text style='font-size:10px'>a</text></svg></figure>"
    bad.write_text("<!doctype html>" + drawing.format(200) + drawing.format(400), encoding="utf-8")
    browser.get(bad.as_uri())
    assert browser.execute_script(LETTERS) == [10, 20]


def test_wide_tables_scroll_in_their_own_box(browser: Any, report: Report) -> None:
    look(browser, width=360)
    opened(browser, report)
    script = (
        "return [...document.querySelectorAll('.scroll')].map(s => [s.scrollWidth, s.getBoundingClientRect().right])"
    )
    boxes = browser.execute_script(script)
    assert any(inner > 328 for inner, _ in boxes)
    assert all(right <= 360 for _, right in boxes)


def test_the_data_of_a_figure_are_saved_as_csv(browser: Any, report: Report) -> None:
    from exactdp.report.figures.data import csv_text
    from exactdp.report.figures.gallery import FIGURES

    opened(browser, report)
    link = browser.find_element("css selector", "#figure-gap-supports .data a")
    assert link.get_attribute("download") == "gap-supports.csv"
    table = FIGURES["gap-supports"].data
    assert base64.b64decode(link.get_attribute("href").partition("base64,")[2]).decode() == csv_text(table)
    assert f"{len(table.rows)} rows" in browser.find_element("css selector", "#figure-gap-supports .data").text


def test_the_foot_says_how_the_page_was_made(browser: Any, report: Report) -> None:
    for width, media in ((360, "screen"), (1280, "screen"), (1280, "print")):
        look(browser, width=width, media=media)
        opened(browser, report)
        said = browser.find_element("css selector", "footer .made").text
        assert [words in said for words in ("exactdp ", "0123456789abcdef", "2026-11-23", "name.html")] == [True] * 4


# --- Searching and filtering ----------------------------------------------------------------------------------------


def test_search_and_filter_by_keyboard(browser: Any, report: Report) -> None:
    from selenium.webdriver.common.keys import Keys

    outcomes = report[1]
    opened(browser, report)
    assert shown(browser) == [o.row.id for o in outcomes]
    press(browser, Keys.TAB)
    assert focused(browser) == "Skip to the content"
    press(browser, Keys.ENTER)
    assert focused(browser) == "content"
    focus(browser, "words")
    press(browser, "pre-shuffle")
    assert shown(browser) == ["complement-preshuffle", "gap-local"]
    status = browser.find_element("id", "matches")
    assert status.text == f"2 of {len(outcomes)} statements"
    assert status.get_attribute("aria-live") == "polite"
    press(browser, *[Keys.BACKSPACE] * len("pre-shuffle"))
    assert status.text == f"{len(outcomes)} statements"
    press(browser, Keys.TAB, "r")  # the filter of verdicts: refuted
    refuted = [o.row.id for o in outcomes if o.verdict is not None and o.verdict.name == "REFUTED"]
    assert shown(browser) == refuted != []
    assert browser.current_url.endswith("#ledger?verdict=refuted")
    focus(browser, "Show all")
    press(browser, Keys.ENTER)
    until(lambda: len(shown(browser)) == len(outcomes))
    assert browser.current_url.endswith("#ledger")


def test_every_filter_shows_what_it_says(browser: Any, report: Report) -> None:
    for name, value, fits in (
        ("verdict", "prose", lambda o: o.verdict is None),
        ("level", "kernel", lambda o: o.level == "kernel"),
        ("topic", "definitions", lambda o: o.row.topic == "definitions"),
        ("protocol", "gap", lambda o: o.row.topic == "gap"),
    ):
        opened(browser, report, f"#ledger?{name}={value}")
        assert shown(browser) == [o.row.id for o in report[1] if fits(o)], name


def test_names_of_greek_letters_are_found_as_letters(browser: Any, report: Report) -> None:
    found = []
    for words in ("delta", "%CE%B4", "DELTA"):
        opened(browser, report, f"#ledger?words={words}")
        found.append(shown(browser))
    assert found[0] == found[1] == found[2] != []
    assert len(found[0]) < len(report[1])


def test_the_address_keeps_the_search(browser: Any, report: Report) -> None:
    opened(browser, report, "#ledger?words=shuffle&verdict=proved&topic=no-such-topic")
    assert browser.find_element("id", "words").get_attribute("value") == "shuffle"
    kept = shown(browser)
    assert 0 < len(kept) < len(report[1])
    browser.refresh()
    assert shown(browser) == kept


def test_nothing_found_is_said(browser: Any, report: Report) -> None:
    opened(browser, report, "#ledger?words=zebra")
    assert shown(browser) == []
    assert "No statement matches" in browser.find_element("id", "nothing").text


def test_a_link_to_a_row_that_is_filtered_out_shows_it(browser: Any, report: Report) -> None:
    opened(browser, report, "#ledger?topic=gap")
    assert "complement-view" not in shown(browser)
    browser.execute_script("location.hash = 'certificate-complement-view'")
    until(lambda: "complement-view" in shown(browser))
    assert browser.execute_script("return document.getElementById('certificate-complement-view').open")


def test_tab_goes_through_the_whole_page(browser: Any, report: Report) -> None:
    opened(browser, report)
    focus(browser, "Back to the top")


def test_focus_is_seen(browser: Any, report: Report) -> None:
    opened(browser, report)
    focus(browser, "words")
    style = "const style = getComputedStyle(document.activeElement); return style.outlineStyle + style.outlineWidth"
    assert browser.execute_script(style) == "solid3px"


# --- Certificates ---------------------------------------------------------------------------------------------------


def test_every_certificate_opens_and_saves_as_what_was_checked(browser: Any, report: Report) -> None:
    opened(browser, report)
    certified = [o for o in report[1] if o.certificate is not None]
    assert len(certified) >= 10
    browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    until(lambda: not browser.execute_script("return document.querySelector('pre[hidden]') !== null"))
    for outcome in certified:
        assert outcome.certificate is not None
        place = browser.find_element("id", f"certificate-{outcome.row.id}")
        text = outcome.certificate.to_json()
        assert place.find_element("tag name", "pre").get_property("textContent") == text
        packed = place.find_element("class name", "packed").get_attribute("href").partition("base64,")[2]
        assert gzip.decompress(base64.b64decode(packed)).decode() == text


# --- Reading otherwise ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("name", NAMES)
def test_the_page_passes(name: str, width: int, scheme: str, browser: Any, report: Report) -> None:
    look(browser, width=width, prefers_color_scheme=scheme)
    opened(browser, report)
    browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    until(lambda: not browser.execute_script("return document.querySelector('pre[hidden]') !== null"))
    assert browser.execute_script(CHECKS, name) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_the_page_of_one_randomizer_passes(
    width: int, scheme: str, browser: Any, one_randomizer: Path, server: tuple[str, list[str]]
) -> None:
    look(browser, width=width, prefers_color_scheme=scheme)
    browser.get(server[0].replace("report.html", one_randomizer.name))
    until(lambda: browser.execute_script("return document.readyState === 'complete'"))
    assert [browser.execute_script(CHECKS, name) for name in NAMES] == [[]] * len(NAMES)
    assert browser.get_log("browser") == []


def test_each_check_sees_what_is_wrong(browser: Any, report: Report) -> None:
    bad = report[0].with_name("wrong.html")
    bad.write_text(
        "<!doctype html><html><body><h2 id=a>a</h2><h4 id=a>b</h4><a href='#lost'>c</a><a href='https://example.org'></a>"
        "<img src='data:,'><input><table><tr><td>d</td></tr></table><p style='color:#999'>pale</p>"
        "<svg><text y=9 style='fill:#aaa'>pale too</text></svg><div style='width:3000px'>e</div></body></html>",
        encoding="utf-8",
    )
    browser.get(bad.as_uri())
    found = {name: browser.execute_script(CHECKS, name) for name in NAMES}
    assert found["ids"] == ["id a twice"]
    assert found["links"] == ["leads nowhere: lost", "leads away: https://example.org"]
    assert found["headings"] == ["not one h1", "h4 after h2"]
    assert len(found["contrast"]) == 2
    assert found["width"] == ["3008 px wide"]
    for said in ("no language", "no title", "IMG without words", "svg without words", "INPUT  without a label"):
        assert said in found["names"]
    assert {"A without words", "a table without a caption or heads"} <= set(found["names"])


@pytest.mark.skipif(not os.environ.get(AXE), reason=f"{AXE} does not name an axe.min.js (npm pack axe-core)")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(scheme: str, browser: Any, report: Report) -> None:
    look(browser, prefers_color_scheme=scheme)
    opened(browser, report)
    browser.execute_script(Path(os.environ[AXE]).read_text(encoding="utf-8"))
    found = browser.execute_async_script("axe.run().then(arguments[0], e => arguments[0](String(e)))")
    assert [(v["id"], [node["target"] for node in v["nodes"]]) for v in found["violations"]] == []
    assert len(found["passes"]) > 20


def test_without_scripts_everything_is_there(browser: Any, report: Report) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    opened(browser, report)
    assert [r.get_attribute("id") for r in browser.find_elements("class name", "row")] == [o.row.id for o in report[1]]
    assert all(row.is_displayed() for row in browser.find_elements("class name", "row"))
    assert not browser.find_element("id", "filters").is_displayed()
    assert browser.find_elements("css selector", "a.packed[download][href^='data:application/gzip']")


def test_reduced_motion_is_kept(browser: Any, report: Report) -> None:
    behaviour = "return getComputedStyle(document.documentElement).scrollBehavior"
    opened(browser, report)
    assert browser.execute_script(behaviour) == "smooth"
    look(browser, prefers_reduced_motion="reduce")
    assert browser.execute_script(behaviour) == "auto"


def test_on_paper(browser: Any, report: Report) -> None:
    opened(browser, report)
    visible = "return document.querySelector(arguments[0]).checkVisibility({contentVisibilityAuto: true})"
    assert browser.execute_script(visible, "#filters")
    assert not browser.execute_script(visible, ".evidence:not([open]) dl")
    look(browser, media="print", prefers_color_scheme="dark")
    for hidden in ("#filters", "nav", ".skip", "details.certificate", ".digits", ".drawn", ".data", ".evidence .long"):
        assert not browser.execute_script(visible, hidden), hidden
    assert browser.execute_script(visible, ".chip.certificate, .chip.kernel")
    height = "return document.querySelector('.evidence:not([open]) dl').getBoundingClientRect().height"
    assert browser.execute_script(height) > 10
    ground = "return getComputedStyle(document.body).backgroundColor + getComputedStyle(document.body).color"
    assert browser.execute_script(ground) == "rgb(255, 255, 255)rgb(0, 0, 0)"
    paper = browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
    assert base64.b64decode(paper["data"]).startswith(b"%PDF")
