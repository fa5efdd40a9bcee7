"""A small report, and a browser to read it with. Without Chromium, its driver or selenium the tests are skipped."""

import functools
import os
import shutil
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from exactdp import proofs
from exactdp.randomizers import KAryResponse
from exactdp.report.page.html import DrawnFigure, report_page, subject_report
from exactdp.report.page.made import Made
from exactdp.report.page.subject_pages import randomizer_page
from exactdp.report.page.work import done, shown_experiment, tasks

PAGES = ["complement", "gap"]
TOPICS = ("complement", "definitions", "gap")
SLOW = ("gap-whole-curve", "gap-curve")


def small_report() -> tuple[str, list[proofs.Outcome]]:
    """The page of three topics, with every kind of verdict that they have, three tables, the figures, an experiment."""
    rows = [row for row in proofs.rows() if row.topic in TOPICS and row.id not in SLOW]
    outcomes = [proofs.check(row) for row in rows]
    tables: dict[str, list[Any]] = {}
    figures: list[DrawnFigure] = []
    for task, made in done([task for task in tasks(PAGES) if not task.experiment], 1):
        figures.append(made) if isinstance(made, DrawnFigure) else tables.setdefault(task.page, []).append(made)
    experiment = shown_experiment("split-and-mix", draws=100, quick=True)
    made = Made("0123456789abcdef0123456789abcdef01234567", "2026-11-23", f"exactdp report -o {'long-' * 20}name.html")
    return report_page(outcomes, tables, figures, experiments=[experiment], made=made), outcomes


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[proofs.Outcome]]:
    text, outcomes = small_report()
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(text, encoding="utf-8")
    return path, outcomes


@pytest.fixture(scope="session")
def one_randomizer(report: tuple[Path, list[proofs.Outcome]]) -> Path:
    """The page of one randomizer, beside the report."""
    family = KAryResponse(3, exp_eps0=5)
    path = report[0].with_name("one.html")
    subject = randomizer_page(family, name="3-ary", delta="1e-6", users=(3, 100, 1000))
    path.write_text(subject_report(subject), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed: pip install selenium")
    service = pytest.importorskip("selenium.webdriver.chrome.service")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("no Chromium with its driver on this machine: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
    ):
        options.add_argument(argument)
    browser = webdriver.Chrome(options=options, service=service.Service(driver))
    yield browser
    browser.quit()


@pytest.fixture
def browser(chromium: Any) -> Iterator[Any]:
    """The browser, on a light page of 1280 by 900, with empty logs."""
    look(chromium)
    chromium.get("about:blank")
    for log in ("browser", "performance"):
        chromium.get_log(log)
    yield chromium
    chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def look(browser: Any, *, width: int = 1280, media: str = "screen", **features: str) -> None:
    """Set the width of the window, the medium, and preferences such as ``prefers_color_scheme="dark"``."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    wanted = {"prefers-color-scheme": "light", "prefers-reduced-motion": "no-preference"}
    wanted |= {name.replace("_", "-"): value for name, value in features.items()}
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"media": media, "features": [{"name": name, "value": value} for name, value in wanted.items()]},
    )


@pytest.fixture
def server(report: tuple[Path, list[proofs.Outcome]]) -> Iterator[tuple[str, list[str]]]:
    """The folder of the report over HTTP: its address, and what is asked for."""
    asked: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *said: object) -> None:
            asked.append(self.path)

    handler = functools.partial(Handler, directory=os.fspath(report[0].parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as listening:
        thread = threading.Thread(target=listening.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}/report.html", asked
        listening.shutdown()
        thread.join()
