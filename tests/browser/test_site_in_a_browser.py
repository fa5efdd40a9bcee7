"""The documentation site in a browser: each page fits a phone, in light and dark, and asks for nothing elsewhere.

The site is the one in the folder EXACTDP_SITE, as `tools/build-docs` writes it; without it these tests are skipped.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

SITE = Path(os.environ.get("EXACTDP_SITE", "no site"))
PAGES = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))

needs_site = pytest.mark.skipif(not PAGES, reason="EXACTDP_SITE names no site: tools/build-docs FOLDER writes one")


@pytest.fixture
def phone(chromium: Any) -> Iterator[Any]:
    """The browser, as wide as a phone; what it is set to here is taken back."""
    size = {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True}
    chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    yield chromium
    chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def width_of(browser: Any, address: str) -> int:
    browser.get(address)
    return int(browser.execute_script("return document.documentElement.scrollWidth"))


@needs_site
def test_every_page_fits_a_phone_and_complains_of_nothing(phone: Any) -> None:
    wide = {page: width_of(phone, (SITE / page).as_uri()) for page in PAGES}
    assert {page: width for page, width in wide.items() if width > 360} == {}
    assert [entry for entry in phone.get_log("browser") if entry["level"] == "SEVERE"] == []


@needs_site
@pytest.mark.parametrize("page", ["docs/index.html", "docs/architecture.html", "protocols/zsum.html"])
def test_text_is_light_on_dark_and_dark_on_light(page: str, phone: Any) -> None:
    lights = []
    for scheme in ("light", "dark"):
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        phone.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        phone.get((SITE / page).as_uri())
        colours = phone.execute_script(
            "const of = (e, name) => getComputedStyle(e)[name].match(/[0-9.]+/g).slice(0, 3).map(Number);"
            "return [of(document.querySelector('article p'), 'color'), of(document.body, 'backgroundColor')]"
        )
        lights.append([sum(colour) for colour in colours])
    (ink, ground), (dark_ink, dark_ground) = lights
    assert ink + 300 < ground
    assert dark_ground + 300 < dark_ink


def test_a_page_that_is_too_wide_is_seen(phone: Any, tmp_path: Path) -> None:
    head = '<!doctype html><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">'
    for name, width in (("wide", 500), ("narrow", 100)):
        (tmp_path / f"{name}.html").write_text(f'{head}<p style="width: {width}px">x</p>', encoding="utf-8")
    assert width_of(phone, (tmp_path / "wide.html").as_uri()) > 360
    assert width_of(phone, (tmp_path / "narrow.html").as_uri()) == 360
