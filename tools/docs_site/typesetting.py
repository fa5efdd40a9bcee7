"""How words are set that are written as plain text: powers are raised, long names are broken at their joints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from docutils import nodes
from sphinx.addnodes import desc_signature
from sphinx.transforms import SphinxTransform
from sphinx.writers.html5 import HTML5Translator

_POWER: Final = re.compile(
    r"(?<=[\w)\]])\^(-?\d+(?:\.\d+)?(?!\w)|[A-Za-z]{2,}\([^()]*\)|-?\w+|\((?:[^()]|\([^()]*\))+\))"
)
"""What is raised: a number, a function of something, a name, or what stands in parentheses."""
_AS_TYPED: Final = (nodes.literal, nodes.FixedTextElement, nodes.raw, nodes.title, desc_signature)
"""Where words stay as they are typed; titles are among them, because the tab of a browser cannot raise a letter."""
_JOINT: Final = re.compile(r"(?<=[\w)])([._/,=])(?=[A-Za-z]{2})")
"""Where a name may be broken: after a mark that joins two words, not in a number."""
_PLAIN: Final = '<span class="pre">'
"""How Sphinx begins each word of code that must not be broken."""


class RaisedPowers(SphinxTransform):
    """Raises the exponents of powers in running text."""

    default_priority = 850

    def apply(self, **_options: Any) -> None:
        """Set every power of a page."""
        for text in list(self.document.findall(nodes.Text)):
            if _POWER.search(text) and not _is_as_typed(text):
                text.parent.replace(text, list(raised(text)))


def raised(text: str) -> Iterator[nodes.Node]:
    """Yield the parts of a text, exponents among them.

    >>> [part.astext() for part in raised("at most 10^-6, (2/3)^n, a^abs(t) or e^(-t^2)")]
    ['at most 10', '-6', ', (2/3)', 'n', ', a', 'abs(t)', ' or e', '-t2']
    >>> [part.astext() for part in raised("no power: ^, a ^ b, [^1]")]
    ['no power: ^, a ^ b, [^1]']
    """
    end = 0
    for found in _POWER.finditer(text):
        exponent = found[1]
        yield nodes.Text(text[end : found.start()])
        yield nodes.superscript("", "", *raised(exponent[1:-1] if exponent[0] == "(" else exponent))
        end = found.end()
    if end < len(text):
        yield nodes.Text(text[end:])


def _is_as_typed(text: nodes.Text) -> bool:
    place = text.parent
    while place is not None and not isinstance(place, _AS_TYPED):
        place = place.parent
    return place is not None


class BreakableNames(HTML5Translator):
    """Lets a browser break a long name in running text at its joints, and nowhere else."""

    def visit_Text(self, node: nodes.Text) -> None:
        """Write the text, a long name in pieces."""
        begin = len(self.body)
        super().visit_Text(node)
        if self.protect_literal_text:
            self.body[begin:] = [broken(part) for part in self.body[begin:]]


def broken(html: str) -> str:
    """Return a word of code with its joints marked.

    >>> broken('<span class="pre">any_one.can</span>')
    '<span class="pre">any_</span><wbr><span class="pre">one.</span><wbr><span class="pre">can</span>'
    """
    return _JOINT.sub(rf"\1</span><wbr>{_PLAIN}", html) if html.startswith(_PLAIN) else html
