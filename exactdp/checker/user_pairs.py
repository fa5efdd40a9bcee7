"""What a user runs, given by its parts: the pairs of inputs, and what the others may hold beside each.

A randomizer of any eps0, a product of randomizers, and users who may be away: each pair of inputs has classes against
the blanket, and against each row that others may have, made of those of the parts.

Trusted for: every pair of inputs is there, up to exchanges that change nothing, and beside it every row of the others.

It rests on these facts, with their theorems of the Coq kernel:

- users with equal rows are interchangeable: equal_rows.equal_rows
- the classes of a product are products of classes: no theorem of the kernel yet
- who is away adds a message, a dummy or a name on a list: no theorem of the kernel yet
- fewer numbers of ones may tell more: no theorem of the kernel yet
- five randomizers bound every one: five_randomizers.mixed_wave_bound, five_randomizers.spread_of_basics,
  five_randomizers.divergence_at_most, five_randomizers.every_randomizer_of_laws,
  five_randomizers.every_randomizer, five_randomizers.basic_attains
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import NamedTuple

from .budget import Work, malformed, size
from .dummies import (
    NO_DUMMY,
    Beside,
    Dummy,
    Kind,
    is_attained,
    kinds_of_family,
    kinds_of_table,
    read_dummy,
    tells_fewer,
)
from .facts import AWAY, EQUAL_ROWS, FEWER_COUNTS, FIVE, PRODUCT
from .families import RANDOMIZER_FAMILIES, Family, Parameters, read_family
from .finite_laws import Law, Randomizer
from .limits import MAX_BITS, MAX_FACTORS
from .pair_classes import Class, Columns, InputPair
from .reading import (
    Object,
    any_object,
    canonical,
    read_choice,
    read_list,
    read_object,
    show,
)


class Factor(NamedTuple):
    """A randomizer of a product, as it is written, with what is sent in the place of its message."""

    spelled: str
    randomizer: Randomizer | Family
    dummy: Dummy


class Composite(NamedTuple):
    """A randomizer that is made of others, or is any one."""

    words: str
    facts: list[str]
    list_pairs: Callable[[Work], Iterator[InputPair]]
    has_bundles: bool = False  # whether users send several messages, which are not told apart by who sent them
    factors: Sequence[Factor] = ()
    is_attained: bool = True  # whether each of its pairs, and each row of others, is one of inputs that there are
    list_less: Callable[[Work], Iterator[InputPair]] | None = None  # the same with less than masses, if these tell more

    def tested_pairs(self, work: Work) -> Iterator[InputPair]:
        """Whose classes have the masses of messages, or less."""
        return (self.list_less or self.list_pairs)(work)

    def pairs(self, work: Work) -> Iterator[InputPair]:
        return self.list_pairs(work)

    def beside(self, pair: int, others: int, work: Work) -> list[Class]:
        """The classes of the pair in one place beside the row in one place."""
        if not self.is_attained:
            malformed("no test refutes by classes that bound those of inputs")
        for found in islice(self.tested_pairs(work), pair, None):
            for classes in islice(found.others, others, None):
                return classes
            break
        malformed(f"no row {others} of the others beside a pair {pair} of inputs")


def read_randomizer(value: object, work: Work) -> Randomizer | Family | Composite:
    """A table, or a family."""
    fields = any_object(value, "the randomizer")
    if "family" not in fields:
        return Randomizer.read(value, work)
    name = read_choice(fields["family"], "family", [*RANDOMIZER_FAMILIES, *COMPOSITES])
    return COMPOSITES[name](fields, work) if name in COMPOSITES else read_family(value, work)


def any_randomizer(fields: Object, work: Work) -> Composite:
    """*Five randomizers bound every one*: rows P, Q, R of which any two lie within a factor E of each other."""
    given = Parameters(read_object(fields, "the randomizer", ["family", "exp_eps0"]))
    e = given.rational("exp_eps0", 1)
    one = Fraction(1)
    rays = [
        [(e, one, one), (one, e, e)],
        [(e, one, e), (one, e, one)],
        [(one, one, e), (e, e, one)],
        [(e, one, one), (one, e, one), (one, one, e)],
        [(one, e, e), (e, one, e), (e, e, one)],
    ]
    basics = [[(p / whole, q / whole, r / whole) for p, q, r in basic] for basic in rays for whole in [total(basic)]]
    blanket = [(e / (e + 1), 1 / (e + 1), 1 / e)]  # what the largest H comes from, and the mass of a blanket
    words = f"randomizers whose rows all lie within the factor {show(e)} of each other"
    return Composite(words, [FIVE], lambda work: iter([InputPair(blanket, basics, is_below=False)]))


def total(classes: list[Class]) -> Fraction:
    return sum((p for p, _, _ in classes), Fraction(0))


def product_of(fields: Object, work: Work) -> Composite:
    """Independent messages of several randomizers, sent together: a neighbour replaces all of their inputs."""
    read_object(fields, "the randomizer", ["family", "of"])
    factors = [
        Factor(canonical(value), read_factor(value, work), NO_DUMMY)
        for value in read_list(fields["of"], "of", 1, MAX_FACTORS)
    ]
    facts = [PRODUCT, *(fact for factor in factors for fact in facts_of(factor.randomizer))]
    words = "; ".join(inner(factor.randomizer.words) for factor in factors)
    pairs = partial(product_pairs, factors, Fraction(1))
    return Composite(f"randomizer {{product of {words}}}", facts, pairs, factors=factors)


def facts_of(randomizer: Randomizer | Family | Composite) -> list[str]:
    """What the pairs of a randomizer rest on."""
    return [EQUAL_ROWS, *randomizer.facts] if isinstance(randomizer, Randomizer) else list(randomizer.facts)


def inner(words: str) -> str:
    return words[words.index("{") + 1 : -1]


def read_factor(value: object, work: Work) -> Randomizer | Family:
    factor = read_randomizer(value, work)
    if isinstance(factor, Composite) or "of" in any_object(value, "the randomizer"):
        malformed("a factor of a product is a table or a family, but not any, product or participation")
    return factor


def product_pairs(factors: Sequence[Factor], q: Fraction, work: Work) -> Iterator[InputPair]:
    """Every choice of a kind for each factor but that of equal inputs everywhere, with probability q, else dummies."""
    kinds, held = list[list[Kind]](), 0
    for factor in factors:
        kinds.append(kinds_of(factor, work))
        rows = [row for kind in kinds[-1] for row in (kind.blanket, *kind.others)]
        held += 4 * sum(map(len, rows))
        work.hold(held, 1024 + 2 * max(size(number) for number in rows[0][0]))
    texts = [factor.spelled for factor in factors]
    alike = [text == before for text, before in zip(texts, [None, *texts])]
    if all(kind.is_equal for listed in kinds for kind in listed):
        return
    for chosen in rising([len(listed) for listed in kinds], alike, work):
        each = [listed[place] for listed, place in zip(kinds, chosen)]
        if not all(kind.is_equal for kind in each):
            same = [one and a == b for one, a, b in zip(alike, chosen, (-1, *chosen))]
            yield InputPair(mixed_classes([kind.blanket for kind in each], q, work), beside(each, same, q, work))


def beside(kinds: list[Kind], same: list[bool], q: Fraction, work: Work) -> Iterator[list[Class]]:
    """The classes beside every choice of a row for each factor."""
    for chosen in rising([len(kind.others) for kind in kinds], same, work):
        yield mixed_classes([kind.others[place] for kind, place in zip(kinds, chosen)], q, work)


def rising(counts: list[int], alike: list[bool], work: Work, before: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """A place below each count, in lexicographic order; where a part is like the one before it, it does not fall."""
    at = len(before)
    work.spend(1 + at, 64)
    if at == len(counts):
        yield before
        return
    for place in range(before[-1] if alike[at] else 0, counts[at]):
        yield from rising(counts, alike, work, (*before, place))


def kinds_of(factor: Factor, work: Work) -> list[Kind]:
    """The pairs of inputs of a factor, equal ones among them."""
    if isinstance(factor.randomizer, Family):
        return list(kinds_of_family(factor.randomizer, factor.dummy, work))
    return list(kinds_of_table(factor.randomizer, factor.dummy, work))


def mixed_classes(factors: list[list[Beside]], q: Fraction, work: Work) -> list[Class]:
    """Products number by number, those in proportion being one; with probability q, and else those of the dummies."""
    one, zero = Fraction(1), Fraction(0)
    reached: list[Beside] = [(one, one, one, one)]
    for classes in factors:
        longest = max(size(number) for one in (reached, classes) for numbers in one for number in numbers)
        work.spend(80 * len(reached) * len(classes), 2 * longest, 2 * longest)
        work.hold(len(reached) * len(classes), 10 * longest)
        merged: dict[tuple[Fraction, Fraction, Fraction], Beside] = {}
        for p, q_, r, d in reached:
            for u, v, w, x in classes:
                a, b, c, e = p * u, q_ * v, r * w, d * x
                whole = a + b + c + e
                if whole:
                    key = a / whole, b / whole, c / whole
                    before = merged.get(key, (zero, zero, zero, zero))
                    merged[key] = a + before[0], b + before[1], c + before[2], e + before[3]
        reached = list(merged.values())
    return [(q * a + (1 - q) * e, q * b + (1 - q) * e, q * c + (1 - q) * e) for a, b, c, e in reached]


def participating(fields: Object, work: Work) -> Randomizer | Family | Composite:
    """Each user takes part with one probability; else nothing is sent, a dummy, or it is known that he is away."""
    absence = read_choice(fields.get("absence"), "absence", ["counted", "listed", "hidden"])
    hides = ["dummy"] if absence == "hidden" else []
    read_object(fields, "the randomizer", ["family", "absence", "probability", "of", *hides])
    q = Parameters({**fields, "family": ""}).rational("probability", 0, 1)
    of = any_object(fields["of"], "the randomizer")
    base = read_randomizer(of, work)
    if of.get("family") in ("any", "participation"):
        malformed("who may be away runs a table, or a family but any and participation")
    said = f"{base.words}, taking part with probability {show(q)}"
    if hides:
        return hidden(base, q, fields["dummy"], f"{said} and else a dummy", work)
    if absence == "counted" and isinstance(base, Randomizer):
        nothing: Law = {(0,) * base.messages: 1}
        return mixed(base, q, nothing, 1, f"{said} or sending nothing", work)
    seen = " or sending nothing" if absence == "counted" else ", beside a list of who does"
    rest = 1 - q
    away = (rest, rest, rest) if absence == "counted" else (Fraction(0), Fraction(0), rest)

    def pairs(work: Work) -> Iterator[InputPair]:
        for pair in pairs_of(base, work):
            blanket = scaled(pair.blanket, q)
            others = ([*scaled(row, q), away] for row in pair.others)
            yield InputPair([*blanket, away] if absence == "counted" else blanket, others)

    has_bundles = isinstance(base, Randomizer) and any(sum(outcome) > 1 for row in base.rows for outcome in row)
    return Composite(said + seen, [AWAY, *facts_of(base)], pairs, has_bundles=has_bundles)


def scaled(classes: Iterable[Class], factor: Fraction) -> list[Class]:
    return [(factor * p, factor * q, factor * r) for p, q, r in classes]


def pairs_of(randomizer: Randomizer | Family | Composite, work: Work) -> Iterator[InputPair]:
    """The pairs of different inputs, and of a table those of different rows."""
    if not isinstance(randomizer, Randomizer):
        return randomizer.pairs(work)
    columns = Columns.of(randomizer, work)
    return (columns.pair(x, y, work) for x, y in columns.different_pairs())


def hidden(
    base: Randomizer | Family | Composite, q: Fraction, said: object, words: str, work: Work
) -> Randomizer | Family | Composite:
    """Rows that are mixed with dummies: again those of a table, or of a family where they are uniform."""
    if isinstance(base, Composite):
        values = read_list(said, "dummy", len(base.factors), len(base.factors))
        factors = [
            Factor(f"{of.spelled} {canonical(value)}", of.randomizer, read_dummy(value, of.randomizer, work))
            for of, value in zip(base.factors, values)
        ]
    else:
        dummy = read_dummy(said, base, work)
        if isinstance(base, Randomizer):
            return mixed(base, q, dummy.law, dummy.scale, words + dummy.words, work)
        if dummy.form == "uniform" and base.noise is None:
            rest, said_so = (1 - q) / sum(base.pair.values(), Fraction(0)), words + dummy.words
            high, low = q * base.high + rest, q * base.low + rest
            return base._replace(words=said_so, high=high, low=low, facts=(AWAY, *base.facts))
        factors = [Factor("", base, dummy)]
    shown = ";".join(factor.dummy.words for factor in factors)
    fewer = any(tells_fewer(one.randomizer, one.dummy) for one in factors)
    attained = all(is_attained(one.randomizer, one.dummy) for one in factors)
    less = [one._replace(dummy=one.dummy._replace(tells_less=True)) for one in factors]
    return Composite(
        words + shown,
        [AWAY, *([FEWER_COUNTS] if fewer else []), *facts_of(base)],
        partial(product_pairs, factors, q),
        factors=factors,
        is_attained=attained,
        list_less=partial(product_pairs, less, q) if fewer else None,
    )


def mixed(base: Randomizer, q: Fraction, law: Law, scale: int, words: str, work: Work) -> Randomizer:
    """The table whose rows are q times those of the base, and 1 - q times the law, of weights over ``scale``."""
    denominator = base.denominator * q.denominator * scale
    if denominator.bit_length() > MAX_BITS:
        malformed(f"the common denominator of the randomizer has more than {MAX_BITS} bits")
    work.spend(4 * sum(len(row) + len(law) for row in base.rows), denominator.bit_length(), size(q))
    rest = (q.denominator - q.numerator) * base.denominator
    rows: list[Law] = []
    for row in base.rows:
        mixture = {outcome: weight * q.numerator * scale for outcome, weight in row.items()}
        for outcome, weight in law.items():
            mixture[outcome] = mixture.get(outcome, 0) + weight * rest
        rows.append(mixture)
    return Randomizer(base.messages, denominator, rows, words, (AWAY,))


COMPOSITES: dict[str, Callable[[Object, Work], Randomizer | Family | Composite]] = {
    "any": any_randomizer,
    "product": product_of,
    "participation": participating,
}
"""The families that are made of others, or are any one."""
