"""Numbers and tables as notebooks show them: HTML and LaTeX, escaped, and short whatever they hold.

A notebook asks a value for ``_repr_html_`` and ``_repr_latex_``. What these answer is plain: tables whose heads have a
scope, no script and no style, so that it reads the same in a notebook, in a page and aloud. Nothing is computed for it
beyond what a ``repr`` computes. Decimals are rounded up, or outward where they are the two ends of an interval; powers
of ten are written as powers; a fraction of more than 12 digits is shown by its decimal and its numbers of digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from html import escape
from typing import Final

from exactdp.numbers.formats import decimal_text, fraction_text, is_short, short, sizes

MAX_ROWS: Final = 12
"""Most outcomes or fields that a table lists; what follows them is counted."""

_POWER: Final = re.compile(r"(?P<mantissa>-?[0-9.]+)e(?P<sign>[+-]?)(?P<exponent>[0-9]+)")
"""A decimal with a power of ten."""
_LATEX: Final = {
    "\\": r"\textbackslash{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "{}$&#_%"},
}
"""Characters that mean something to LaTeX -> how they are written."""


# --- Numbers --------------------------------------------------------------------------------------------------------


def decimal_html(text: str) -> str:
    """Return a decimal in HTML, with its power of ten.

    >>> decimal_html("1.5e-20"), decimal_html("0.25")
    ('1.5 × 10<sup>-20</sup>', '0.25')
    """
    match = _POWER.fullmatch(text)
    return escape(text) if match is None else f"{match['mantissa']} × 10<sup>{_exponent(match)}</sup>"


def decimal_latex(text: str) -> str:
    r"""Return a decimal in LaTeX, for math mode.

    >>> decimal_latex("1.5e-20"), decimal_latex("0.25")
    ('1.5 \\times 10^{-20}', '0.25')
    """
    match = _POWER.fullmatch(text)
    return text if match is None else rf"{match['mantissa']} \times 10^{{{_exponent(match)}}}"


def _exponent(match: re.Match[str]) -> str:
    return f"{'-' if match['sign'] == '-' else ''}{match['exponent']}"


def ends_html(low: str, high: str) -> str:
    """Return the interval between two decimals in HTML."""
    return f"[{decimal_html(low)}, {decimal_html(high)}]"


def ends_latex(low: str, high: str) -> str:
    r"""Return the interval between two decimals in LaTeX, for math mode.

    >>> ends_latex("0", "1e-9")
    '\\left[0,\\, 1 \\times 10^{-9}\\right]'
    """
    return rf"\left[{decimal_latex(low)},\, {decimal_latex(high)}\right]"


def fraction_html(value: Fraction) -> str:
    """Return a fraction in HTML: whole, or a decimal that is not below it with the numbers of digits.

    >>> fraction_html(Fraction(1, 4)), fraction_html(Fraction(3**600, 7**400))
    ('1/4', '1.712131 × 10<sup>-52</sup> (287/339 digits)')
    """
    if is_short(value):
        return str(value)
    return f"{decimal_html(decimal_text(value, up=True))} ({sizes(value)})"


def fraction_latex(value: Fraction) -> str:
    r"""Return a fraction in LaTeX, for math mode; as :func:`fraction_html`.

    >>> fraction_latex(Fraction(-1, 4)), fraction_latex(Fraction(3**600, 7**400))
    ('-\\frac{1}{4}', '1.712131 \\times 10^{-52}\\ \\text{(287/339 digits)}')
    """
    if not is_short(value):
        return rf"{decimal_latex(decimal_text(value, up=True))}\ \text{{({sizes(value)})}}"
    if value.denominator == 1:
        return str(value)
    return rf"{'-' if value < 0 else ''}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


# --- Labels ---------------------------------------------------------------------------------------------------------


def label_text(value: object) -> str:
    """Return an outcome or another label as its repr, cut if it is long; not escaped.

    >>> label_text((0, "a")), label_text(10**100)
    ("(0, 'a')", '100000000000...(101 digits)')
    """
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        return fraction_text(Fraction(value))
    if type(value) is tuple:
        entries = list(map(label_text, value[:MAX_ROWS]))
        more = [f"... {len(value)} entries"] if len(value) > MAX_ROWS else []
        return f"({', '.join(entries + more)}{',' if len(value) == 1 else ''})"
    return short(repr(value))


def label_latex(value: object) -> str:
    r"""Return a label in LaTeX, for math mode: integers as numbers, everything else as text.

    >>> label_latex(-3), label_latex("a_b")
    ('-3', "\\text{'a\\_b'}")
    """
    return str(value) if type(value) is int and is_short(Fraction(value)) else text_latex(label_text(value))


def text_latex(text: str) -> str:
    r"""Return words in LaTeX, for math mode.

    >>> text_latex("100% {sure}")
    '\\text{100\\% \\{sure\\}}'
    """
    return rf"\text{{{''.join(_LATEX.get(character, character) for character in text)}}}"


# --- Tables ---------------------------------------------------------------------------------------------------------


def table_html(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in HTML; caption and heads are text, the cells HTML, and the first cell of a row is its head."""
    lines = [f'<th scope="row">{row[0]}</th>' + "".join(f"<td>{cell}</td>" for cell in row[1:]) for row in rows]
    return _table(caption, heads, lines)


def facts_html(caption: str, facts: Mapping[str, str]) -> str:
    """Return facts as a table in HTML; caption and names are text, the values HTML.

    >>> facts_html("A coin", {"sides": "2"})
    '<table><caption>A coin</caption><tbody><tr><th scope="row">sides</th><td>2</td></tr></tbody></table>'
    """
    return _table(caption, (), [f'<th scope="row">{escape(k)}</th><td>{v}</td>' for k, v in facts.items()])


def _table(caption: str, heads: Sequence[str], lines: Iterable[str]) -> str:
    columns = "".join(f'<th scope="col">{escape(head)}</th>' for head in heads)
    head = f"<thead><tr>{columns}</tr></thead>" if heads else ""
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><caption>{escape(caption)}</caption>{head}<tbody>{body}</tbody></table>"
