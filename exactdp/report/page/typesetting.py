"""How the mathematics of statements looks on the page: Greek letters, signs, exponents and indices.

Statements are written in ASCII, as ``delta = e^(-alpha^2 gamma n/8)``. What is set as an exponent or an index keeps its
``^``, ``_`` and brackets as text that is not seen, so that copied or read aloud it says the same.
"""

from __future__ import annotations

import re
from typing import Final

from markupsafe import Markup, escape

GREEK: Final = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "Gamma": "Γ",
    "delta": "δ",
    "Delta": "Δ",
    "eps": "ε",
    "eta": "η",
    "lambda": "λ",
    "mu": "μ",
    "pi": "π",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
}
"""Words of statements that stand for letters."""

_SIGNS: Final = {">=": "≥", "<=": "≤", "!=": "≠", "->": "→", " - ": " − ", " ~ ": " ∼ "}
"""Signs in ASCII -> the signs that are set."""
_WORD: Final = re.compile(rf"(?<![\w@.])(?<![A-Za-z]{{2}}-)({'|'.join(GREEK)})(?!\w)")
"""A Greek letter by its name, not as a part of a word."""
_SIGN: Final = re.compile("|".join(map(re.escape, _SIGNS)))
"""One of the signs."""
_BASE: Final = r"(?<![\w.])(?:[A-Za-z]|" + "|".join(GREEK) + r")~?"
"""What can have an index: a letter."""
_SCRIPT: Final = re.compile(
    rf"(?P<base>{_BASE})_(?P<index>[A-Za-z0-9]+)(?!\w)"
    r"|(?<=[\w)\]'|])\^(?P<power>-?(?:[A-Za-z]+|[0-9]+)'*(?!\w)|\*)"
    r"|(?<=[\w)\]'|])\^(?=\()"
)
"""An index, an exponent, or an exponent in brackets."""


def typeset(text: str) -> Markup:
    """Return a statement as HTML; without its tags it is the text, but for Greek letters and signs.

    >>> typeset("e^(-eps n) <= x_1")
    Markup('e<sup><i class="unseen">^(</i>-ε n<i class="unseen">)</i></sup> ≤ x<sub><i class="unseen">_</i>1</sub>')
    """
    parts, position = [], 0
    while match := _SCRIPT.search(text, position):
        parts.append(_plain(text[position : match.start()]))
        if match["index"]:
            parts += [_plain(match["base"]), _script("sub", "_", typeset(match["index"]), "")]
            position = match.end()
        elif match["power"]:
            position = match.end()
            if match["power"].isalpha() and match["power"] not in GREEK and text[position : position + 1] == "(":
                position = (_closing(text, position) or position - 1) + 1  # a function: abs(k)
            parts.append(_script("sup", "^", typeset(text[match.start("power") : position]), ""))
        else:
            end = _closing(text, match.end())
            if end is None:
                parts.append(_plain("^"))
                position = match.end()
            else:
                parts.append(_script("sup", "^(", typeset(text[match.end() + 1 : end]), ")"))
                position = end + 1
    return Markup("").join([*parts, _plain(text[position:])])


def _plain(text: str) -> Markup:
    text = _WORD.sub(lambda match: GREEK[match[1]], text)
    return escape(_SIGN.sub(lambda match: _SIGNS[match[0]], text))


def _script(tag: str, before: str, inner: Markup, after: str) -> Markup:
    unseen = [Markup('<i class="unseen">{}</i>').format(mark) if mark else Markup("") for mark in (before, after)]
    return Markup(f"<{tag}>{{}}{{}}{{}}</{tag}>").format(unseen[0], inner, unseen[1])


def _closing(text: str, opening: int) -> int | None:
    """Return where the bracket that opens here is closed; None if it is not."""
    depth = 0
    for position in range(opening, len(text)):
        depth += (text[position] == "(") - (text[position] == ")")
        if depth == 0:
            return position
    return None
