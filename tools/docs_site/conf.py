"""What Sphinx is told; tools/build-docs says where the pages are."""

import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from exactdp import __version__
from tools.docs_site.typesetting import BreakableNames, RaisedPowers

project = "exactdp"
author = "The exactdp developers"
project_copyright = author
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "docs/index"
exclude_patterns: list[str] = []
myst_heading_anchors = 5
highlight_language = "none"

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
napoleon_numpy_docstring = False
napoleon_preprocess_types = False
add_module_names = False

html_theme = "furo"
html_title = f"exactdp {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_extra_path = ["extra"]
html_show_sphinx = False
html_copy_source = False
html_show_copyright = False


def as_written(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Leave the words of docstrings as they are: |k| is no substitution, and what is before a colon is no type."""
    if what in ("attribute", "data", "property") and lines:
        lines[0] = lines[0].replace(": ", " – ", 1)
    for number, line in enumerate(lines):
        parts = re.split(r"(``.*?``)", line)
        if not line.lstrip().startswith((">>>", "...")):
            lines[number] = "".join(part if part[:2] == "``" else part.replace("|", r"\|") for part in parts)


def setup(app: Any) -> None:
    """Connect the above."""
    app.connect("autodoc-process-docstring", as_written, priority=400)
    app.add_transform(RaisedPowers)
    app.set_translator("html", BreakableNames)
