"""Formulas as text: polynomials, quotients of them, and relations between them, in a small grammar of our own.

``x*(1-x) <= 1/4`` and ``0 <= x < 1`` are relations, ``(1 - g)^2/(2 + g)`` is an expression. Read are

    relation    sum (sign sum)*, with the signs <= < >= > = ==; a chain says that each sign holds
    sum         product (("+" | "-") product)*
    product     factor (("*" | "/") factor)*
    factor      ("+" | "-") factor, or atom, or atom ("^" | "**") factor
    atom        a number as 3, 1_000, 0.25 or 25e-2; a name; "(" sum ")"

Powers bind as in mathematics: -x^2 is -(x^2), and 2^3^2 is 2^9. A power is an integer, which may be calculated and may
be negative: ``x^(3-1)``, ``(1-x)^-2``. Every number is read exactly. Text is only ever read here: it is evaluated by no
other code, and lengths, depths, degrees and products are bounded, so that no text takes more than about a second.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import Final, Generic, Literal, NamedTuple, NoReturn, TypeAlias, TypeVar, get_args

from exactdp.errors import ExactDPError, InvalidValueError, TooLargeError
from exactdp.numbers.exact import as_fraction
from exactdp.numbers.formats import short
from exactdp.symbolic.rational_functions import MAX_DEGREE, Effort, RationalFunction
from exactdp.symbolic.sums import Polynomial

MAX_CHARACTERS: Final = 10_000
"""Of a text."""
MAX_NESTED: Final = 64
"""Brackets, signs and powers inside each other."""
MAX_NAMES: Final = 16
"""Different variables in one text."""
Sign: TypeAlias = Literal["<=", "<", ">=", ">", "=="]

_SIGNS: Final[tuple[Sign, ...]] = get_args(Sign)
_DIGITS: Final = "[0-9](?:_?[0-9])*"
"""As 100000, or 100_000."""
_TOKEN: Final = re.compile(
    rf"(?P<number>(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?)"
    r"|(?P<name>[A-Za-z][A-Za-z0-9_]*)"
    r"|(?P<sign><=|>=|==|<|>|=)"
    r"|(?P<mark>\*\*|[-+*/^(),])"
)
_MAX_NAME: Final = 32
"""Characters of a name, as in claims."""


Value = TypeVar("Value")


class Relation(NamedTuple, Generic[Value]):
    """``left sign right``, both in the same variables."""

    left: Value
    sign: Sign
    right: Value


class Token(NamedTuple):
    """A piece of a text, and where it stands."""

    kind: str
    text: str
    place: int


def read_expression(
    text: str, *, name: str = "expression", values: Mapping[str, int | Fraction] | None = None
) -> RationalFunction:
    """Return the quotient of polynomials that the text says.

    Args:
        text: in the grammar on top of this module.
        name: what the caller calls the text, for messages.
        values: numbers that stand for names: with ``{"n": 3}`` the text may have ``(1-x)^n``.

    Returns:
        Numerator and denominator, multiplied out and not cancelled; variables are in the order of the alphabet.

    Raises:
        InvalidValueError: where the text is not in the grammar, or divides by 0; the message names the place.
        TooLargeError: beyond the limits of this module.

    >>> quotient = read_expression("(1 - g)^2/(2 + g)")
    >>> quotient.variables, quotient.at(g=Fraction(1, 2))
    (('g',), Fraction(1, 10))
    """
    return _Quotients(text, name, values or {}).expression()


def read_relations(
    text: str, *, name: str = "relation", values: Mapping[str, int | Fraction] | None = None
) -> tuple[Relation[RationalFunction], ...]:
    """Return the relations that the text says: of a chain, each sign with what stands at its two sides.

    Arguments and errors are those of :func:`read_expression`; text without a sign is refused too.

    >>> [(relation.sign, relation.right.names) for relation in read_relations("0 <= x < 1")]
    [('<=', ('x',)), ('<', ())]
    """
    return _Quotients(text, name, values or {}).relations()


class Reader(ABC, Generic[Value]):
    """Reads one text from left to right; every method begins at ``token`` and ends at the one after what it read.

    What a text stands for is left to the methods at the end: a quotient of polynomials here, a real number in
    :mod:`exactdp.symbolic.formulas`.
    """

    most_characters = MAX_CHARACTERS
    takes_commas = False

    def __init__(self, text: str, name: str, values: Mapping[str, int | Fraction]) -> None:
        self.text, self.name, self.values = text, name, values
        self.position, self.nested = 0, 0
        self.tokens = self._split()
        names = {token.text for token in self.tokens if token.kind == "name"}
        if len(names) > MAX_NAMES:
            raise TooLargeError(
                f"{name} has {len(names)} different names, more than the limit of {MAX_NAMES}. Use fewer variables."
            )
        self.variables = tuple(sorted(names - values.keys()))

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    # --- Tokens

    def _split(self) -> list[Token]:
        if not isinstance(self.text, str):
            raise InvalidValueError(f"{self.name} has the type {type(self.text).__name__}. Pass text, as 'x*(1-x)'.")
        if len(self.text) > self.most_characters:
            raise TooLargeError(
                f"{self.name} has {len(self.text)} characters, more than the limit of {self.most_characters}. "
                "Write it shorter."
            )
        tokens, place = [], 0
        while place < len(self.text):
            if self.text[place] in " \t\n":
                place += 1
                continue
            match = _TOKEN.match(self.text, place)
            if match is None or (match[0] == "," and not self.takes_commas):
                self._refuse_character(place)
            token = Token(str(match.lastgroup), match[0], place)
            if token.kind == "name" and len(token.text) > _MAX_NAME:
                self.fail(token, f"a name has {len(token.text)} characters", f"Use at most {_MAX_NAME}")
            tokens.append(token)
            place = match.end()
        return [*tokens, Token("end", "", place)]

    def _refuse_character(self, place: int) -> NoReturn:
        character = self.text[place]
        repair = {
            "!": "Only <= < >= > = are read",
            "≤": "Write <=",
            "≥": "Write >=",
            "·": "Write *",
            "−": "Write -",
        }.get(character, "Write ASCII letters, digits, + - * / ^ ( ) and one of <= < >= > =")
        self.fail(Token("mark", character, place), "this has no meaning here", repair)

    def fail(self, token: Token, what: str, repair: str, *, kind: type[ExactDPError] = InvalidValueError) -> NoReturn:
        """Raise the error at this token."""
        at = f"character {token.place + 1} ({token.text[:20]!r})" if token.kind != "end" else "its end"
        raise kind(f"{self.name}={short(self.text)!r}: at {at}, {what}. {repair}.")

    def taken(self, kind: str, *texts: str) -> Token | None:
        """Return the next token and go on, if it is of this kind and one of these texts; else None."""
        token = self.token
        if token.kind != kind or (texts and token.text not in texts):
            return None
        self.position += 1
        return token

    def expect_end(self, what: str) -> None:
        """Refuse what follows, with the repair that is likely."""
        if self.token.kind != "end":
            repair = "Remove the bracket" if self.token.text == ")" else "Remove the sign"
            if self.token.kind in ("number", "name") or self.token.text == "(":
                repair = "Write * between factors: 2*x"
            self.fail(self.token, f"{what[0].lower()}{what[1:]}", repair)

    # --- The grammar

    def expression(self) -> Value:
        found = self.sum()
        self.expect_end("An expression ends here")
        return found

    def relations(self) -> tuple[Relation[Value], ...]:
        sides = [self.sum()]
        signs: list[Sign] = []
        while (token := self.taken("sign")) is not None:
            signs.append("==" if token.text == "=" else _SIGNS[_SIGNS.index(token.text)])
            sides.append(self.sum())
        if not signs and self.token.kind == "end":
            self.fail(self.token, "a relation needs one of <= < >= > =", "Write x <= 1, say")
        self.expect_end("A relation ends here")
        return tuple(map(Relation, sides, signs, sides[1:]))

    def sum(self) -> Value:
        total = self.product()
        while (mark := self.taken("mark", "+", "-")) is not None:
            term = self.product()
            total = self.added(total, term if mark.text == "+" else self.negated(term), mark)
        return total

    def product(self) -> Value:
        total = self.factor()
        while (mark := self.taken("mark", "*", "/")) is not None:
            factor = self.factor()
            total = self.multiplied(total, factor if mark.text == "*" else self.inverse(factor, mark), mark)
        return total

    def factor(self) -> Value:
        token = self.token
        self.nested += 1
        if self.nested > MAX_NESTED:
            deep = f"brackets, signs and powers are more than {MAX_NESTED} deep"
            self.fail(token, deep, "Write it flatter", kind=TooLargeError)
        if self.taken("mark", "+", "-"):
            found = self.factor()
            found = self.negated(found) if token.text == "-" else found
        else:
            found = self.atom()
            if (mark := self.taken("mark", "^", "**")) is not None:
                found = self.power(found, self.factor(), mark)
        self.nested -= 1
        return found

    def atom(self) -> Value:
        token = self.token
        if self.taken("number"):
            return self.number(as_fraction(token.text, name=f"{self.name}: at character {token.place + 1}, the number"))
        if self.taken("name"):
            return self.called(token) if self.token.text == "(" else self.variable(token)
        if self.taken("mark", "("):
            return self.closed(self.sum(), token)
        self.fail(token, "a number, a name or a bracket is missing", "Write what is added or multiplied here")

    def closed(self, found: Value, bracket: Token) -> Value:
        """Return what stands in a bracket, after its end."""
        if not self.taken("mark", ")"):
            self.fail(self.token, f"the bracket of character {bracket.place + 1} is not closed", "Write ) or *")
        return found

    # --- What it stands for

    @abstractmethod
    def number(self, value: Fraction) -> Value: ...

    @abstractmethod
    def variable(self, token: Token) -> Value: ...

    @abstractmethod
    def called(self, token: Token) -> Value: ...

    @abstractmethod
    def negated(self, value: Value) -> Value: ...

    @abstractmethod
    def added(self, first: Value, second: Value, mark: Token) -> Value: ...

    @abstractmethod
    def multiplied(self, first: Value, second: Value, mark: Token) -> Value: ...

    @abstractmethod
    def inverse(self, of: Value, mark: Token) -> Value: ...

    @abstractmethod
    def power(self, base: Value, exponent: Value, mark: Token) -> Value: ...


class _Quotients(Reader[RationalFunction]):
    """Quotients of polynomials, multiplied out within the limits."""

    def __init__(self, text: str, name: str, values: Mapping[str, int | Fraction]) -> None:
        super().__init__(text, name, values)
        self.effort = Effort()

    def number(self, value: Fraction) -> RationalFunction:
        return RationalFunction.constant(value, self.variables)

    def variable(self, token: Token) -> RationalFunction:
        if token.text in self.values:
            return RationalFunction.constant(self.values[token.text], self.variables)
        return RationalFunction.variable(token.text, self.variables)

    def called(self, token: Token) -> NoReturn:
        self.fail(
            token, "a function is called", f"Only + - * / ^ are read; for a product write {token.text[:20]}*(...)"
        )

    def negated(self, value: RationalFunction) -> RationalFunction:
        return -value

    def added(self, first: RationalFunction, second: RationalFunction, mark: Token) -> RationalFunction:
        if first.denominator != second.denominator:
            self.pay(first.numerator, second.denominator, mark)
            self.pay(second.numerator, first.denominator, mark)
            self.pay(first.denominator, second.denominator, mark)
        self.effort.products += (len(first.numerator) + len(first.denominator) + len(second.numerator)) // 16
        return first + second

    def multiplied(self, first: RationalFunction, second: RationalFunction, mark: Token) -> RationalFunction:
        self.pay(first.numerator, second.numerator, mark)
        self.pay(first.denominator, second.denominator, mark)
        return first * second

    def inverse(self, of: RationalFunction, mark: Token) -> RationalFunction:
        if not of.numerator:
            self.fail(mark, "this divides by 0", "Divide by something else")
        return of.inverse()

    def power(self, base: RationalFunction, exponent: RationalFunction, mark: Token) -> RationalFunction:
        number = exponent.number
        if number is None or number.denominator != 1:
            shown = f"contains {exponent.names[0]}" if number is None else f"is {short(number)}"
            self.fail(mark, f"the power {shown}", "Powers are integers: x^2")
        if abs(number) > MAX_DEGREE:
            far = f"the power {short(number)} is beyond the limit of {MAX_DEGREE}"
            self.fail(mark, far, "Use a smaller one", kind=TooLargeError)
        if number < 0:
            base = self.inverse(base, mark)
        result = RationalFunction.constant(1, self.variables)
        for _ in range(abs(number.numerator)):
            result = self.multiplied(result, base, mark)
        return result

    def pay(self, first: Polynomial, second: Polynomial, mark: Token) -> None:
        """Refuse a product that goes beyond a limit before it is made."""
        if beyond := self.effort.beyond(first, second):
            self.fail(mark, beyond, "Write a smaller formula", kind=TooLargeError)
