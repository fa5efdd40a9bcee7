"""The notebooks of examples/, run: a .ipynb with outputs of each, and a page that shows the same.

The .py files are the notebooks; jupytext reads them, nbclient runs them in a kernel on this machine. No output is kept
in the repository.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tools.docs_site.stage import ROOT, Page

_SECONDS: Final = 300
"""Longest run of one cell."""
_FENCE: Final = "````"
"""Longer than any fence inside a cell."""


def notebook_pages(folder: Path, *, run: bool = True) -> Iterator[Page]:
    """Yield the page of each notebook in a folder, with the .ipynb beside it.

    A cell that raises ends the build: no page shows an error as if it were an answer.
    """
    return (_page(path, run) for path in sorted(folder.glob("*.py")))


def run_notebook(path: Path, *, run: bool = True) -> Any:
    """Return a notebook as nbformat holds it, with outputs if it is run, and without times: its bytes are stable."""
    import jupytext

    notebook = jupytext.read(path)
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    if run:
        from nbclient import NotebookClient
        from traitlets.config import Config

        by_files = Config({"ConnectionFileMixin": {"transport": "ipc"}})  # no network, not even its own
        client = NotebookClient(notebook, kernel_name="python3", timeout=_SECONDS, record_timing=False, config=by_files)
        client.execute(env={**os.environ, "PYTHONPATH": str(ROOT)})
    for number, cell in enumerate(notebook.cells):
        cell.id, cell.metadata = f"cell-{number}", {}
    return notebook


def _page(path: Path, run: bool) -> Page:
    import nbformat

    notebook = run_notebook(path, run=run)
    files: dict[str, bytes] = {f"{path.stem}.ipynb": nbformat.writes(notebook).encode()}
    parts = [part for cell in notebook.cells for part in _cell(cell, path.stem, files)]
    title = parts[0].partition("\n")[0].removeprefix("# ")
    head, _, rest = parts[0].partition("\n")
    note = f"*A notebook, as it ran: [{path.stem}.ipynb]({path.stem}.ipynb), made from [{path.name}]({path.name}).*"
    text = "\n\n".join([head, note, rest.strip(), *parts[1:]])
    return Page(f"examples/{path.stem}", title, text + "\n", files={**files, path.name: path.read_bytes()})


def _cell(cell: Mapping[str, Any], stem: str, files: dict[str, bytes]) -> Iterator[str]:
    if cell["cell_type"] == "markdown":
        yield cell["source"]
        return
    yield f"{_FENCE}python\n{cell['source']}\n{_FENCE}"
    for output in cell.get("outputs", ()):
        yield _output(output, stem, files)


def _output(output: Mapping[str, Any], stem: str, files: dict[str, bytes]) -> str:
    if output["output_type"] == "stream":
        return f"{_FENCE}text\n{output['text'].rstrip()}\n{_FENCE}"
    data = output["data"]
    if "text/html" in data:
        return f'{_FENCE}{{raw}} html\n<div class="notebook-output" tabindex="0">{data["text/html"]}</div>\n{_FENCE}'
    if "image/png" in data:
        name = f"{stem}-{len(files)}.png"
        files[name] = base64.b64decode(data["image/png"])
        return f"![What the cell draws]({name})"
    return f"{_FENCE}text\n{data['text/plain']}\n{_FENCE}"
