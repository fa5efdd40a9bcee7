"""What the checker read of a certificate, as the page shows it: inequalities as MathML, by SymPy, else words.

The words come from the checker. Where they say an inequality between polynomials, with exponentials or without, its
relations are set from the claim that the checker read: both say the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from markupsafe import Markup, escape

from exactdp.claims.claims_in_sympy import conclusion_of, hypotheses_of
from exactdp.claims.kinds import BoxInequality, Conjunction, Inequality, Negation, Statement
from exactdp.report.page.typesetting import typeset

MOST_CHARACTERS: Final = 600
"""Of the words that are shown: a conjunction can have hundreds of parts."""

_AND: Final = " AND "
"""What stands between the parts of a conjunction, each in brackets."""
_RANGE: Final = re.compile(r" in [\[(][^\[\]()]*[\])]")
"""Where a variable is, as the checker says it."""
_ONE_FORMULA: Final = 30
"""Characters of a relation that fits on the line of a telephone."""
_SET: Final = {
    "&InvisibleTimes;": "\u2062",
    "<mo><</mo>": "<mo>&lt;</mo>",
    "<mo>-</mo>": "<mo>\u2212</mo>",
    "<mn>-": "<mn>\u2212",
    "<mi>&ExponentialE;</mi>": '<mi mathvariant="normal">e</mi>',
}
"""What SymPy writes -> what is set: e is upright, since rows have variables of this name."""


def set_claim(words: str, statement: Statement) -> Markup:
    """Return a claim that the checker said in these words; of a long one its beginning, and how long it is.

    >>> from exactdp import Claim
    >>> set_claim("for all real x: x^2 > 0", Claim.inequality("x^2 > 0").statement).striptags()
    'for all real x: x2>0'
    """
    if len(words) <= MOST_CHARACTERS:
        return _whole(words, statement)
    long = f" ... ({len(words)} characters; the certificate has all of it)"
    shown, room = [], MOST_CHARACTERS
    for part, claimed in _parts(words, statement):
        room -= len(part)
        if room < 0:
            break
        shown.append(Markup("({})").format(_whole(part, claimed)))
    if not shown:
        return typeset(words[:MOST_CHARACTERS].rsplit(" ", 1)[0] + long)
    return Markup(_AND).join(shown) + typeset(long)


def _whole(words: str, statement: Statement) -> Markup:
    """Return all of a claim."""
    match statement:
        case Inequality() | BoxInequality():
            return _implication(statement)
        case Negation():
            return Markup("NOT ({})").format(_whole(words.removeprefix("NOT (").removesuffix(")"), statement.claim))
        case Conjunction():
            return Markup(_AND).join(Markup("({})").format(_whole(*part)) for part in _parts(words, statement))
    return typeset(words)


def _parts(words: str, statement: Statement) -> Iterator[tuple[str, Statement]]:
    """Yield the parts of a conjunction, and of those in it, each with its words: what is between its brackets.

    The ends of a range, as in "for all u in [0, 2)", are no brackets of parts.
    """
    if not isinstance(statement, Conjunction):
        yield words, statement
        return
    depth, begins, claims = 0, 0, iter(statement.claims)
    for place, character in enumerate(_RANGE.sub(lambda match: " " * len(match[0]), words)):
        if character == "(":
            begins = place + 1 if depth == 0 else begins
            depth += 1
        elif character == ")":
            depth -= 1
            if depth == 0:
                yield from _parts(words[begins:place], next(claims))


def _implication(statement: Inequality | BoxInequality) -> Markup:
    """Return an inequality in words and formulas."""
    from sympy import Symbol

    names = Markup(", ").join(_formula(Symbol(name)) for name in statement.variables)
    everywhere = Markup("for all real {}: ").format(names) if names else Markup("")
    given = Markup(" and ").join(map(_relation, hypotheses_of(statement)))
    condition = Markup("if {} then ").format(given) if given else Markup("")
    return everywhere + condition + _relation(conclusion_of(statement))


@cache
def _relation(relation: Any) -> Markup:
    """Return a relation as one formula; a long one term by term, so that the line can be broken between them."""
    if len(str(relation)) <= _ONE_FORMULA:
        return _formula(relation)
    shown = []
    for place, term in enumerate(relation.lhs.as_ordered_terms()):
        is_negative = term.could_extract_minus_sign()
        sign = "\u2212 " if is_negative else "+ " if place else ""
        shown.append(Markup(sign) + _formula(-term if is_negative else term))
    return Markup(" ").join([*shown, typeset(relation.rel_op), _formula(relation.rhs)])


@cache
def _formula(expression: Any) -> Markup:
    """Return an expression as MathML; where it cannot be shown, it is its text."""
    from sympy import Symbol
    from sympy.printing.mathml import mathml

    text = mathml(expression.xreplace({Symbol("eps"): Symbol("epsilon")}), printer="presentation")
    for written, character in _SET.items():
        text = text.replace(written, character)
    return Markup('<math alttext="{}">{}</math>').format(escape(str(expression)), Markup(text))
