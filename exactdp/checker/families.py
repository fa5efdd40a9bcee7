"""Families of randomizers that are given by their parameters alone: the classes of their pairs, in closed form.

In each family but the last one a message supports a set of inputs. With a measure u on the messages, and high > low, an
input has the probability high u(m) of a message that supports it, and low u(m) of any other one. So the classes of
two or three inputs are the patterns of which of them a message supports, with their masses under u; and the least
probability over all inputs is low u(m), but high u(m) where a message supports every input. All ordered pairs of inputs
are alike.

Trusted for: the classes of a family are those of the randomizer that its name and its parameters say.

It rests on these facts, with their theorems of the Coq kernel:

- the messages of k-ary response form classes: classes.reference_bound_classes, k_ary_classes.k_ary_blanket,
  k_ary_classes.k_ary_others
- others who hold a third symbol are worst where the bracket is closed: k_ary_worst.k_ary_worst
- the messages of unary encoding form classes: unary_classes.unary_blanket, unary_classes.unary_smaller_blanket,
  unary_classes.unary_others
- the messages of subset selection form classes: subset_classes.subset_blanket, subset_classes.subset_others
- the messages of Hadamard response form classes: hadamard_classes.hadamard_blanket, hadamard_classes.hadamard_others
- the messages of local hashing form classes: hashing_classes.hashing_blanket,
  hashing_classes.hashing_smaller_blanket, hashing_classes.hashing_others
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from math import comb, perm
from typing import NamedTuple

from .budget import Work, malformed, rejected, size
from .facts import HADAMARD, HASHING, K_ARY, SUBSETS, UNARY
from .finite_laws import Law, Randomizer
from .limits import MAX_BITS, MAX_BUCKETS, MAX_FAMILY_INPUTS, MAX_INPUTS, MAX_SPLIT_BITS
from .pair_classes import Class, InputPair
from .reading import Object, any_object, read_choice, read_integer, read_object, read_short, show

Patterns = dict[tuple[int, ...], Fraction]  # for some inputs, 1 where a message supports it -> mass under u


class Family(NamedTuple):
    """A family of supports: the patterns of the two inputs of a pair, and of these and a third one that others hold."""

    words: str
    facts: tuple[str, ...]
    high: Fraction
    low: Fraction
    pair: Patterns
    thirds: dict[str, Patterns]  # by the word that a witness has for the third input
    everyone: Fraction  # the mass of messages that support every input, or 0: a smaller blanket is a blanket too
    inputs: int
    patterns: Callable[[int], Patterns]  # of so many inputs, which have independent rows in Hadamard response
    noise: Fraction | None = None  # how likely a bit is 1; where there are no bits, u is the same for all messages
    has_products: bool = False  # whether inputs have rows that are products of those of others
    name: str = ""

    @property
    def rank(self) -> int:
        """How many inputs a pattern can have."""
        return self.inputs.bit_length() if self.has_products else self.inputs

    def pairs(self, work: Work) -> Iterator[InputPair]:
        """All ordered pairs are alike: one of them, beside the rows of both of its inputs and of third ones."""
        yield InputPair(self.blanket(), [self.others(where) for where in ("first", "second", *self.thirds)])

    def density(self, bit: int) -> Fraction:
        return self.high if bit else self.low

    def blanket(self) -> list[Class]:
        """Of any ordered pair, against the least probability over all inputs."""
        parts = [(bits, mass, self.low) for bits, mass in self.pair.items()]
        if self.everyone:
            parts[0] = ((1, 1), self.pair[1, 1] - self.everyone, self.low)
            parts.append(((1, 1), self.everyone, self.high))
        return [(mass * self.density(x), mass * self.density(y), mass * least) for (x, y), mass, least in parts if mass]

    def others(self, where: str) -> list[Class]:
        """Of some ordered pair, against the row of an input that all others hold: "first", "second", or a third one."""
        choices = ["first", "second", *self.thirds]
        if where not in choices:
            malformed(f"others is {where[:40]!r}, not one of {', '.join(choices)}")
        patterns = self.thirds.get(where, self.pair)
        held = min(2, choices.index(where))
        rows = [(mass, [self.density(bit) for bit in bits]) for bits, mass in patterns.items() if mass]
        return [(mass * row[0], mass * row[1], mass * row[held]) for mass, row in rows]


class Parameters:
    """The fields of a family, read one by one, and the words that they make."""

    def __init__(self, fields: Object) -> None:
        self.fields = fields
        self.words = str(fields["family"])

    def integer(self, key: str, low: int, high: int) -> int:
        number = read_integer(self.fields[key], key, low, high)
        self.words += f", {key} = {show(Fraction(number))}"
        return number

    def inputs(self) -> int:
        return self.integer("inputs", 2, MAX_FAMILY_INPUTS)

    def rational(self, key: str, above: Fraction | int, below: Fraction | int | None = None) -> Fraction:
        number = read_short(self.fields[key], key)
        if number <= above or (below is not None and number >= below):
            limit = "" if below is None else f" and below {show(Fraction(below))}"
            malformed(f"{key} is {show(number)}, not above {show(Fraction(above))}{limit}")
        self.words += f", {key.replace('exp_', 'e^')} = {show(number)}"
        return number


def bit_patterns(length: int) -> list[tuple[int, ...]]:
    """Every pattern, that of ones first."""
    return list(product((1, 0), repeat=length))


def independent(chance: Fraction, scale: int, length: int) -> Patterns:
    """Bits that are 1 with this probability, and the masses times the scale."""
    return {bits: scale * chance ** sum(bits) * (1 - chance) ** (length - sum(bits)) for bits in bit_patterns(length)}


def k_ary(given: Parameters) -> Family:
    """Message m has the probability E/(E+k-1) under the input m, and 1/(E+k-1) under every other one."""
    k, exp_eps0 = given.inputs(), given.rational("exp_eps0", 1)

    def one_of(length: int) -> Patterns:
        masses = [Fraction(max(0, k - length)), Fraction(1), *[Fraction(0)] * (length - 1)]
        return {bits: masses[sum(bits)] for bits in bit_patterns(length)}

    low = 1 / (exp_eps0 + k - 1)
    thirds = {"third": one_of(3)} if k >= 3 else {}
    return Family(given.words, (K_ARY,), exp_eps0 * low, low, one_of(2), thirds, Fraction(0), k, one_of)


def closed_divergence(family: Family, n: int, ratio: Fraction, work: Work) -> Fraction:
    """*Others who hold a third symbol are worst*: the largest divergence of k-ary response of e^eps0 = E at e = ratio.

    With t = a (E - e) - b (e E - 1) and c = a + b, the sum over c and over the a with t > 0 of C(n, c) C(c, a) q^c (1 -
    2q)^(n-c) (t - (e - 1)(n - c)(k - 2) q/(1 - 2q))/n, where no such t is below (e - 1)(n - c).
    """
    exp_eps0, k = family.high / family.low, family.inputs
    if family.name != "k-ary" or k < 3:
        malformed("a closed bracket is one of k-ary response of three symbols or more")
    if exp_eps0 <= ratio:
        return Fraction(0)
    (u, v), (x, y) = ((of.numerator, of.denominator) for of in (exp_eps0, ratio))
    rest, rise, fall = u + (k - 3) * v, (u - v) * (x + y), x * u - v * y  # of 1 - 2q; of a, and of c, in t
    work.spend(64 * n, n * (rest + 2 * v).bit_length() + size(ratio) + size(exp_eps0), n + size(ratio) + size(exp_eps0))
    chance, total, tail, least = rest**n, 0, 0, 1  # tail is the sum of C(c, a) from the least a on
    for c in range(1, n + 1):
        start = c * fall // rise + 1
        before = tail if start > least else tail + comb(c - 1, least - 1)
        tail, least = 2 * before - comb(c - 1, start - 1), start
        chance = chance * (n - c + 1) * v // (c * rest)
        if start <= c:
            if start * rise - c * fall < (x - y) * (n - c) * v:
                rejected("the bracket is not closed")
            total += chance * (
                rise * c * before * rest - (c * fall * rest + (x - y) * (n - c) * (k - 2) * v * v) * tail
            )
    return Fraction(total, n * (rest + 2 * v) ** n * v * y * rest)


def unary_encoding(given: Parameters) -> Family:
    """A bit for each input, 1 with probability p for the own one and q for the others; u is the law with q for all."""
    d = given.inputs()
    p = given.rational("one", 0, 1)
    q = given.rational("other", 0, p)
    patterns = partial(independent, q, 1)
    is_short = d == 2 or d * q.denominator.bit_length() <= MAX_SPLIT_BITS
    everyone = q**d if is_short else Fraction(0)
    thirds = {"third": patterns(3)} if d >= 3 else {}
    densities = p / q, (1 - p) / (1 - q)
    return Family(given.words, (UNARY,), *densities, patterns(2), thirds, everyone, d, patterns, noise=q)


def subset_selection(given: Parameters) -> Family:
    """A subset of w of the d inputs, E times as likely if it has the own one; u is uniform on all subsets."""
    d = given.inputs()
    w = given.integer("size", 1, d - 1)
    exp_eps0 = given.rational("exp_eps0", 1)

    def members(length: int) -> Patterns:
        return {
            bits: Fraction(perm(w, sum(bits)) * perm(d - w, length - sum(bits)), perm(d, length))
            for bits in bit_patterns(length)
        }

    low = d / (w * exp_eps0 + d - w)
    thirds = {"third": members(3)} if d >= 3 else {}
    return Family(given.words, (SUBSETS,), exp_eps0 * low, low, members(2), thirds, Fraction(0), d, members)


def hadamard(given: Parameters) -> Family:
    """A column of Sylvester's matrix, E times as likely where the row x + 1 of the input x is +1; u counts columns.

    Of three rows the third is independent of the other two, or their product: then the product of all signs is +1.
    """
    d, exp_eps0 = given.inputs(), given.rational("exp_eps0", 1)
    columns = 1 << d.bit_length()
    low = 2 / (columns * (exp_eps0 + 1))
    half = Fraction(1, 2)
    thirds: dict[str, Patterns] = {}
    if d >= 4:
        thirds["third"] = independent(half, columns, 3)
    if d >= 3:
        thirds["xor"] = {(x, y, 1 - (x ^ y)): Fraction(columns, 4) for x, y in bit_patterns(2)}
    signs, high = partial(independent, half, columns), exp_eps0 * low
    rows = signs(2), thirds, Fraction(1), d, signs
    return Family(given.words, (HADAMARD,), high, low, *rows, has_products=d >= 3)


def local_hashing(given: Parameters) -> Family:
    """A random function from inputs to g buckets and a bucket, the own one with probability E/(E+g-1) and any other
    with 1/(E+g-1); u is uniform on functions and counts buckets."""
    d = given.inputs()
    g = given.integer("buckets", 2, MAX_BUCKETS)
    exp_eps0 = given.rational("exp_eps0", 1)
    low = 1 / (exp_eps0 + g - 1)
    chance = Fraction(1, g)
    is_short = d == 2 or (d - 1) * g.bit_length() <= MAX_SPLIT_BITS
    everyone = chance ** (d - 1) if is_short else Fraction(0)
    patterns = partial(independent, chance, g)
    thirds = {"third": patterns(3)} if d >= 3 else {}
    return Family(given.words, (HASHING,), exp_eps0 * low, low, patterns(2), thirds, everyone, d, patterns)


SUPPORTS: dict[str, tuple[list[str], Callable[[Parameters], Family]]] = {
    "k-ary": (["inputs", "exp_eps0"], k_ary),
    "unary-encoding": (["inputs", "one", "other"], unary_encoding),
    "subset-selection": (["inputs", "size", "exp_eps0"], subset_selection),
    "hadamard": (["inputs", "exp_eps0"], hadamard),
    "local-hashing": (["inputs", "buckets", "exp_eps0"], local_hashing),
}
"""The keys of each family of supports, and what is made of them."""
LAPLACE = "clipped-discrete-laplace"
"""The family whose table is listed."""
RANDOMIZER_FAMILIES = [*SUPPORTS, LAPLACE]


def read_family(value: object, work: Work) -> Family | Randomizer:
    """The classes of a family, or its table."""
    fields = any_object(value, "the randomizer")
    name = read_choice(fields["family"], "family", RANDOMIZER_FAMILIES)
    if name == LAPLACE:
        return clipped_laplace(Parameters(read_object(fields, "the randomizer", ["family", "top", "ratio"])), work)
    keys, make = SUPPORTS[name]
    family = make(Parameters(read_object(fields, "the randomizer", ["family", *keys])))
    return family._replace(words=f"randomizer {{{family.words}}}", name=name)


def clipped_laplace(given: Parameters, work: Work) -> Randomizer:
    """On 0, ..., B the input x is sent as y with probability proportional to r^|x-y|, all that falls outside as the end
    on its side: (1-r)/(1+r) r^|x-y| for 0 < y < B, and r^x/(1+r), r^(B-x)/(1+r) at the ends."""
    top, ratio = given.integer("top", 1, MAX_INPUTS - 1), given.rational("ratio", 0, 1)
    a, b = ratio.numerator, ratio.denominator
    if top * b.bit_length() > MAX_BITS:
        malformed(f"the common denominator of the randomizer has more than {MAX_BITS} bits")
    work.spend(4 * top * top, top * b.bit_length(), b.bit_length())
    work.hold(top * top, top * b.bit_length())
    ends = [a**steps * b ** (top - steps) for steps in range(top + 1)]
    inside = [(b - a) * a**steps * b ** (top - 1 - steps) for steps in range(top)]
    sent = [tuple(int(y == place) for place in range(top + 1)) for y in range(top + 1)]
    rows: list[Law] = []
    for x in range(top + 1):
        weights = [ends[x], *(inside[abs(x - y)] for y in range(1, top)), ends[top - x]]
        rows.append(dict(zip(sent, weights)))
    return Randomizer(top + 1, (a + b) * b ** (top - 1), rows, f"randomizer {{{given.words}}}")
