"""The graphs of the pages, drawn: what Mermaid would draw in a browser, with no script and nothing loaded."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

_EDGE: Final = re.compile(r"^\s*(\S+) --> (\S+)\s*$", re.MULTILINE)
"""An arrow from one node to another."""
_LETTER: Final = 8.2
"""The width of a letter."""
_GAP: Final = 26
"""Between two nodes side by side."""
_STEP: Final = 64
"""From one row to the next."""
_HEIGHT: Final = 28
"""Of a node."""


def graph_svg(words: str, page: str) -> str:
    """Return the SVG of a graph without cycles, given as lines ``a --> b``: every arrow leads downward.

    >>> graph_svg("graph TD\\n  a --> b", "a.md").count("<rect")
    2
    """
    edges = [(found[1], found[2]) for found in _EDGE.finditer(words)]
    rows = _rows(edges)
    wide = {node: len(node) * _LETTER + 18 for row in rows for node in row}
    lengths = [sum(wide[node] for node in row) + _GAP * (len(row) - 1) for row in rows]
    width = max(lengths) + 8
    place: dict[str, tuple[float, float]] = {}
    for level, (row, length) in enumerate(zip(rows, lengths, strict=True)):
        left = (width - length) / 2
        for node in row:
            place[node] = (left + wide[node] / 2, level * _STEP + _HEIGHT / 2 + 4)
            left += wide[node] + _GAP
    height = (len(rows) - 1) * _STEP + _HEIGHT + 8
    parts = [_arrow(place[a], place[b]) for a, b in edges]
    parts += [_node(node, place[node], wide[node]) for row in rows for node in row]
    name = "arrow-" + re.sub(r"\W+", "-", page)
    return (
        f'<div class="graph" tabindex="0" role="img" aria-label="A graph of arrows">'
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" xmlns="http://www.w3.org/2000/svg">'
        f'<defs><marker id="{name}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
        f'orient="auto"><path d="M0 1L9 5L0 9z" fill="currentColor"/></marker></defs>'
        + "".join(parts).replace("url(#arrow)", f"url(#{name})")
        + "</svg></div>"
    )


def _rows(edges: Sequence[tuple[str, str]]) -> list[list[str]]:
    """The nodes in rows: each below all that lead to it, and as near as can be to those that it leads to."""
    above: dict[str, list[str]] = {}
    for a, b in edges:
        above.setdefault(a, [])
        above.setdefault(b, []).append(a)
    level = dict.fromkeys(above, 0)
    for _ in above:
        for a, b in edges:
            level[b] = max(level[b], level[a] + 1)
    for _ in above:
        for node in {a for a, _ in edges}:
            level[node] = min(level[b] for a, b in edges if a == node) - 1
    rows: list[list[str]] = []
    at: dict[str, float] = {}
    for depth in range(max(level.values(), default=-1) + 1):
        row = sorted((n for n in above if level[n] == depth), key=lambda node: _middle(node, above, at))
        at |= {node: (place + 1) / (len(row) + 1) for place, node in enumerate(row)}
        rows.append(row)
    return rows


def _middle(node: str, above: Mapping[str, Sequence[str]], at: Mapping[str, float]) -> float:
    return sum(at[a] for a in above[node]) / len(above[node]) if above[node] else 0.5


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x, y), (u, v) = start, end
    y, v = y + _HEIGHT / 2, v - _HEIGHT / 2
    bend = (v - y) / 2
    curve = f"M{x:.1f} {y:.1f}C{x:.1f} {y + bend:.1f} {u:.1f} {v - bend:.1f} {u:.1f} {v:.1f}"
    return f'<path d="{curve}" fill="none" stroke="currentColor" stroke-opacity=".45" marker-end="url(#arrow)"/>'


def _node(name: str, middle: tuple[float, float], wide: float) -> str:
    x, y = middle
    return (
        f'<rect x="{x - wide / 2:.1f}" y="{y - _HEIGHT / 2:.1f}" width="{wide:.1f}" height="{_HEIGHT}" rx="5"/>'
        f'<text x="{x:.1f}" y="{y + 4.5:.1f}" text-anchor="middle">{escape(name)}</text>'
    )
