"""Real parameters, in fixed point: a rational, or an expression in e^x, ln x, 1/x, sums, products and powers.

Trusted for: two integers around 2^bits times the number, rounded outward.

It rests on these facts, with their theorems of the Coq kernel:

- exponentials and logarithms by series: exponential_fixed_point.exp_enclosed, logarithm_fixed_point.log_enclosed
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from .budget import Work, malformed, rejected, size
from .limits import MAX_BITS, MAX_EXPONENT, MAX_PARTS, MAX_TERMS
from .reading import REALS, Object, any_object, read_choice, read_integer, read_list, read_rational, show

Bounds = tuple[int, int]  # around a weight, or around 2^bits times a number
Ratio = tuple[int, int, int]  # a number of at least 0 lies in [first / third, second / third]


class Real(NamedTuple):
    """A parameter of a noise law: a rational, or an expression that is enclosed when a precision is known."""

    name: str
    words: str
    terms: tuple[Real, ...] = ()
    number: Fraction = Fraction(0)  # the rational, or the exponent of a power

    @classmethod
    def read(cls, value: object, where: str) -> Real:
        if isinstance(value, str):
            number = read_rational(value, where)
            return cls("rational", show(number), number=number)
        expression = any_object(value, where)
        name = read_choice(next(iter(expression), ""), f"the key of {where}", REALS)
        if len(expression) > 1:
            malformed(f"{where} has more than one key")
        if name in ("sum", "product"):
            terms = [cls.read(term, where) for term in read_list(expression[name], where, 2, MAX_PARTS)]
            words = (" + " if name == "sum" else " * ").join(term.words for term in terms)
            return cls(name, f"({words})", tuple(terms))
        if name == "power":
            base, exponent = read_list(expression[name], where, 2, 2)
            term, power = cls.read(base, where), read_integer(exponent, f"the power in {where}", 2, MAX_TERMS)
            return cls(name, f"{term.words}^{power}", (term,), Fraction(power))
        term = cls.read(expression[name], where)
        words = {"exp": f"e^({term.words})", "log": f"ln({term.words})", "inverse": f"(1 / {term.words})"}[name]
        return cls(name, words, (term,))

    @property
    def is_rational(self) -> bool:
        return self.name == "rational"

    def enclose(self, bits: int, work: Work) -> Bounds:
        """Integers around 2^bits times the number: *exponentials and logarithms by series*."""
        ends = [term.enclose(bits, work) for term in self.terms]
        longest = max([bits, size(self.number), *(abs(end).bit_length() for pair in ends for end in pair)])
        work.spend(4 * bits if self.name in ("exp", "log") else 16 * max(1, len(self.terms)), bits, longest)
        if self.is_rational:
            return floor_shift(self.number, bits), -floor_shift(-self.number, bits)
        if self.name == "sum":
            return sum(end[0] for end in ends), sum(end[1] for end in ends)
        if self.name == "product":
            return product_bounds(ends, bits, work)
        if self.name == "power":
            return product_bounds(ends * int(self.number), bits, work)
        low, high = ends[0]
        if self.name == "exp":
            return exp_bounds(low, bits)[0], exp_bounds(high, bits)[1]
        if low <= 0 and (self.name == "log" or high >= 0):
            rejected(f"{bits} bits do not show that {self.terms[0].words} is positive, or not 0")
        if self.name == "log":
            return log_bounds(low, bits)[0], log_bounds(high, bits)[1]
        return (1 << 2 * bits) // high, -((-1 << 2 * bits) // low)


def product_bounds(factors: list[Bounds], bits: int, work: Work) -> Bounds:
    """Integers around 2^bits times the product of the numbers that these bounds are around."""
    low, high = factors[0]
    for factor in factors[1:]:
        products = [x * y for x in (low, high) for y in factor]
        low, high = min(products) >> bits, -(-max(products) >> bits)
        work.spend(8, high.bit_length() + bits, high.bit_length() + bits)
        if max(-low, high).bit_length() > MAX_BITS:
            malformed(f"a product of more than {MAX_BITS} bits")
    return low, high


def exponential(x: Fraction) -> Real:
    """e^x."""
    return Real("exp", "", (Real("rational", "", number=x),))


class Parameter(NamedTuple):
    """A real in a domain, which a rational is checked to lie in at once, and an enclosure strictly inside."""

    real: Real
    where: str
    low: int
    high: int | None

    @classmethod
    def read(cls, law: Object, key: str, low: int, high: int | None = None, ends: Sequence[int] = ()) -> Parameter:
        real, where = Real.read(law[key], f"the {key} of the law"), f"the {key} of the law"
        is_inside = real.number > low and (high is None or real.number < high)
        if real.is_rational and not is_inside and real.number not in ends:
            malformed(f"{where} is {real.words}, outside its domain")
        return cls(real, where, low, high)

    def bounds(self, bits: int, work: Work) -> Ratio:
        if self.real.is_rational:
            return self.real.number.numerator, self.real.number.numerator, self.real.number.denominator
        low, high = self.real.enclose(bits, work)
        if low <= self.low << bits or (self.high is not None and high >= self.high << bits):
            rejected(f"{bits} bits do not show that {self.where} lies inside its domain")
        return low, high, 1 << bits


def floor_shift(value: Fraction, bits: int) -> int:
    return (value.numerator << bits) // value.denominator


def exp_bounds(x: int, bits: int) -> Bounds:
    """Integers around 2^bits e^(x / 2^bits): a Taylor sum at x / 2^h below 1/2, squared h times."""
    if abs(x) > MAX_EXPONENT << bits:
        malformed(f"an exponential of more than {MAX_EXPONENT}")
    if x < 0:
        low, high = exp_bounds(-x, bits)
        return (1 << 2 * bits) // high, -((-1 << 2 * bits) // low)
    halvings = max(0, x.bit_length() - bits + 1)
    guard = 3 * halvings + 32
    precision = bits + guard
    y, low, term, terms = x << (guard - halvings), 0, 1 << precision, 0
    while term:
        low, terms = low + term, terms + 1
        term = term * y // (terms << precision)
    high = low + 2 * terms + 4  # each term is less than 2 too small, and those left out are less than 2, 1, 1/2, ...
    for _ in range(halvings):
        low, high = low * low >> precision, -(-high * high >> precision)
    return low >> guard, -(-high >> guard)


def artanh_bounds(numerator: int, denominator: int, precision: int) -> Bounds:
    """Integers around 2^precision (z + z^3/3 + z^5/5 + ...) for z = numerator / denominator in [0, 1/3]."""
    low, terms, power = 0, 0, (numerator << precision) // denominator
    factor, divisor = numerator**2, denominator**2
    while power:
        low, terms = low + power // (2 * terms + 1), terms + 1
        power = power * factor // divisor
    return low, low + 3 * terms + 3  # powers are less than 9/8 too small; those left out are less than 9/8, 1/8, ...


def log_bounds(x: int, bits: int) -> Bounds:
    """Integers around 2^bits ln(x / 2^bits), for x > 0: k ln 2 and ln of a number from 1 to 2."""
    top = x.bit_length() - 1
    guard = 32 + abs(top - bits).bit_length()
    two_low, two_high = artanh_bounds(1, 3, bits + guard)
    low, high = artanh_bounds(x - (1 << top), x + (1 << top), bits + guard)
    k = top - bits
    low, high = low + min(k * two_low, k * two_high), high + max(k * two_low, k * two_high)
    return 2 * low >> guard, -(-2 * high >> guard)


def inverse(ratio: Ratio) -> Ratio:
    low, high, denominator = ratio
    if low == high:
        return denominator, denominator, low
    return denominator * low, denominator * high, low * high


def exp_fractions(x: Fraction, bits: int, work: Work) -> tuple[Fraction, Fraction]:
    """Rationals around e^x; 1 exactly for x = 0."""
    if x == 0:
        return Fraction(1), Fraction(1)
    low, high = exponential(x).enclose(bits, work)
    return Fraction(low, 1 << bits), Fraction(high, 1 << bits)


def log_fractions(x: Fraction, bits: int, work: Work) -> tuple[Fraction, Fraction]:
    """Rationals around ln x, for x > 0."""
    if x < 1:
        low, high = log_fractions(1 / x, bits, work)
        return -high, -low
    ends = Real("log", "", (Real("rational", "", number=x),)).enclose(bits, work)
    return Fraction(ends[0], 1 << bits), Fraction(ends[1], 1 << bits)
