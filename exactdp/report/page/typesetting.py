"""How the mathematics of statements looks on the page: Greek letters, signs, exponents and indices.

Statements are written in ASCII, as ``delta = e^(-alpha^2 gamma n/8)``. What is set as an exponent or an index keeps its
``^``, ``_`` and brackets as text that is not seen, so that copied or read aloud it says the same.

What the checker read of a certificate is shown as inequalities in MathML, by SymPy, else as words. The words come from
the checker. Where they say an inequality between polynomials, with exponentials or without, its relations are set from
the claim that the checker read: both say the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from markupsafe import Markup, escape

from exactdp.claims.claims_in_sympy import conclusion_of, hypotheses_of
from exactdp.claims.kinds import BoxInequality, Conjunction, Inequality, Negation
from exactdp.claims.statement import Statement

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
    shown, left = [], MOST_CHARACTERS
    for part, inner in _parts(words, statement):
        left -= len(part)
        if left < 0:
            break
        shown.append(Markup("({})").format(_whole(part, inner)))
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
