"""Formulas of real numbers that users type, enclosed: ``ln(1 + (E-1)/(E+1)*8*sqrt(E*ln(4/delta)/n))``.

The grammar is that of :mod:`exactdp.symbolic.grammar`, with powers of every kind and the functions

    sqrt(x), ln(x) or log(x), exp(x), erfc(x)        min(x, ..., y), max(x, ..., y)

What is made of rational numbers by + - * / and powers that are small integers stays exact, so that ``delta <= 1/10``
is decided at 1/10; all else is a ball, refined until it has enough bits. A formula without a finite value, as ln(0),
has no enclosure: where that cannot be told from a value that is not finite, neither is one claimed.

Source: Johansson2017, section 3 (midpoint-radius arithmetic with proved error bounds).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NoReturn, TypeAlias

import flint

from exactdp.numbers.balls import interval_of, precision, rational_ball, real_ball
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.symbolic.grammar import Reader, Relation, Token

Node: TypeAlias = Fraction | str | tuple[str, tuple["Node", ...]]
"""A number, a name, or what is done with others."""
Given: TypeAlias = Mapping[str, Fraction | Real]
"""Numbers that names stand for."""

_FUNCTIONS: Final = {"ln": "log"} | {name: name for name in ("log", "sqrt", "exp", "erfc", "min", "max")}
"""Names of methods of balls."""
_MOST_CHARACTERS: Final = 800
"""Of a formula: what is added to the left of each other is as deep as it is long."""
_EXACT_BITS: Final = 4096
"""A power of a rational number is exact where it is no longer."""
_PRECISIONS: Final = (128, 512, 2048)
_BITS: Final = 80
"""Accuracy at which the precision is not raised any more."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A real number as a function of some names.

    >>> formula = read_formula("min(1, sqrt(ln(n)/n))", ("n",))
    >>> formula.enclose({"n": Fraction(100)})
    Interval[0.2145966026, 0.2145966027]
    >>> formula.enclose({"n": Fraction(0)}) is None
    True
    """

    text: str
    tree: Node

    def enclose(self, given: Given) -> Interval | None:
        """Return an interval around the value; None where no finite one is proved."""
        ball = None
        for bits in _PRECISIONS:
            with precision(bits):
                found = _ball(_value(self.tree, given))
                if found.is_finite():
                    ball = found
                    if ball.rel_accuracy_bits() >= _BITS or ball == 0:
                        break
        return None if ball is None else interval_of(ball, _BITS)

    def within(self, function: str, *others: Node) -> Formula:
        """Return a function of the value, and of other nodes after it."""
        return Formula(self.text, (function, (self.tree, *others)))


@dataclass(frozen=True, slots=True)
class Condition:
    """Relations between formulas, which hold together."""

    text: str
    relations: tuple[Relation[Node], ...]

    def is_proved(self, given: Given) -> bool:
        """Whether every relation is proved at these numbers.

        >>> condition = read_condition("1 < n <= 1/delta", ("n", "delta"))
        >>> [condition.is_proved({"n": Fraction(n), "delta": Fraction(1, 10)}) for n in (1, 10, 11)]
        [False, True, False]
        """
        with precision(_PRECISIONS[1]):
            return all(_is_proved(relation, given) for relation in self.relations)


def read_formula(text: str, names: Iterable[str], *, name: str = "formula") -> Formula:
    """Return the formula that a text says, in some of these names; InvalidValueError says where it is not one."""
    reader = _Formulas(text, name, names)
    return Formula(text, reader.expression())


def read_condition(text: str, names: Iterable[str], *, name: str = "condition") -> Condition:
    """Return the relations that a text says, in some of these names; InvalidValueError says where it is not one."""
    return Condition(text, _Formulas(text, name, names).relations())


class _Formulas(Reader[Node]):
    """Reads a formula as a tree."""

    most_characters = _MOST_CHARACTERS
    takes_commas = True

    def __init__(self, text: str, name: str, names: Iterable[str]) -> None:
        super().__init__(text, name, {})
        self.known = tuple(names)

    def number(self, value: Fraction) -> Node:
        return value

    def variable(self, token: Token) -> Node:
        if token.text not in self.known:
            self.fail(token, "this name stands for nothing", f"The names are {', '.join(self.known)}")
        return token.text

    def called(self, token: Token) -> Node:
        if token.text not in _FUNCTIONS:
            self._refuse_function(token)
        bracket = self.token
        self.taken("mark", "(")
        arguments = [self.sum()]
        while self.taken("mark", ","):
            arguments.append(self.sum())
        function = _FUNCTIONS[token.text]
        if (len(arguments) == 1) == (function in ("min", "max")):
            wanted = "two numbers or more" if function in ("min", "max") else "one number"
            self.fail(token, f"{token.text} has {len(arguments)} argument(s)", f"Give it {wanted}")
        return self.closed((function, tuple(arguments)), bracket)

    def _refuse_function(self, token: Token) -> NoReturn:
        self.fail(
            token,
            "this function is not known",
            f"Only {', '.join(_FUNCTIONS)} are; for a product write {token.text[:20]}*(...)",
        )

    def negated(self, value: Node) -> Node:
        return ("*", (Fraction(-1), value))

    def added(self, first: Node, second: Node, mark: Token) -> Node:
        return ("+", (first, second))

    def multiplied(self, first: Node, second: Node, mark: Token) -> Node:
        return ("*", (first, second))

    def inverse(self, of: Node, mark: Token) -> Node:
        return ("inverse", (of,))

    def power(self, base: Node, exponent: Node, mark: Token) -> Node:
        return ("^", (base, exponent))


# --- Values, at the current precision -------------------------------------------------------------------------------

_Number: TypeAlias = "Fraction | flint.arb"


def _ball(value: _Number) -> flint.arb:
    return rational_ball(value) if isinstance(value, Fraction) else value


def _value(node: Node, given: Given) -> _Number:
    if isinstance(node, Fraction):
        return node
    if isinstance(node, str):
        number = given[node]
        return number if isinstance(number, Fraction) else real_ball(number)
    name, terms = node
    values = [_value(term, given) for term in terms]
    exact = _exact(name, [value for value in values if isinstance(value, Fraction)], len(values))
    if exact is not None:
        return exact
    first, *others = map(_ball, values)
    match name:
        case "+":
            return first + others[0]
        case "*":
            return first * others[0]
        case "inverse":
            return 1 / first
        case "^":
            power = values[1]
            if isinstance(power, Fraction) and power.denominator == 1:
                return first ** flint.fmpz(power.numerator)
            return first ** others[0]
        case "min" | "max":
            for other in others:
                first = getattr(first, name)(other)
            return first
        case _:
            found: flint.arb = getattr(first, name)()
            return found


def _exact(name: str, values: list[Fraction], wanted: int) -> Fraction | None:
    """Return what is made of rationals alone; None where it is irrational, long, or not there."""
    if len(values) < wanted:
        return None
    first, last = values[0], values[-1]
    if name in ("+", "*"):
        return first + last if name == "+" else first * last
    if name in ("min", "max"):
        return min(values) if name == "min" else max(values)
    if name == "inverse":
        return 1 / first if first else None
    if name == "^" and last.denominator == 1 and (first or last > 0):
        bits = max(first.numerator.bit_length(), first.denominator.bit_length())
        return first**last.numerator if bits * abs(last) <= _EXACT_BITS else None
    return None


def _is_proved(relation: Relation[Node], given: Given) -> bool:
    left, right = _value(relation.left, given), _value(relation.right, given)
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return {
            "<": left < right,
            "<=": left <= right,
            ">": left > right,
            ">=": left >= right,
            "==": left == right,
        }[relation.sign]
    first, second = _ball(left), _ball(right)
    if not (first.is_finite() and second.is_finite()):
        return False
    gap = first - second
    return {"<": gap < 0, "<=": gap <= 0, ">": gap > 0, ">=": gap >= 0, "==": gap == 0}[relation.sign]
