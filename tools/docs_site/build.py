"""The site from end to end: staged in a folder of its own, built with warnings as errors, its links checked."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from exactdp.progress import Progress, progress_callback, report_progress, with_progress
from exactdp.studies.study_workers import silent
from tools.docs_site.api_pages import api_pages
from tools.docs_site.blueprint import blueprint_page
from tools.docs_site.built_links import faults_of
from tools.docs_site.notebooks import notebook_pages
from tools.docs_site.protocol_pages import names_page, protocol_pages
from tools.docs_site.stage import ROOT, Page, stage

HERE = Path(__file__).resolve().parent


def build_site(target: Path, *, run_notebooks: bool = True, progress: Progress | None = None) -> list[str]:
    """Write the site into a folder; return what is wrong with it, in words.

    Nothing is loaded over a network: not by the build, and not by a browser that shows the pages. ``progress`` is told
    of finished steps: each notebook, the protocols, the API, and what Sphinx makes of them.
    """
    with progress_callback(progress):
        steps = len(list((ROOT / "examples").glob("*.py"))) + 3
        generated = {"Notebooks": list(with_progress(notebook_pages(ROOT / "examples", run=run_notebooks), steps))}
        generated["Protocols"] = [names_page(), *_silent(protocol_pages)]
        report_progress(steps - 2, steps)
        generated["API reference"] = _silent(api_pages)
        generated["Blueprint of the proofs"] = [blueprint_page()]
        report_progress(steps - 1, steps)
        faults = build_pages(target, generated)
        report_progress(steps, steps)
    return faults


def _silent(make: Callable[[], list[Page]]) -> list[Page]:
    """Make pages: who waits for the site is not told of the pieces of their numbers."""
    with progress_callback(silent):
        return make()


def build_pages(target: Path, generated: Mapping[str, Sequence[Page]], *, root: Path = ROOT) -> list[str]:
    """Write the pages of a repository, and generated ones, into a folder; return what is wrong with them."""
    with tempfile.TemporaryDirectory(prefix="exactdp-docs-") as place:
        source = Path(place) / "source"
        stage(source, generated, root=root)
        command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-c", str(HERE)]
        done = subprocess.run([*command, "-d", str(Path(place) / "doctrees"), str(source), str(target)], check=False)
        if done.returncode:
            return [f"Sphinx ended with status {done.returncode}: what it warned of is above"]
    return faults_of(target)
