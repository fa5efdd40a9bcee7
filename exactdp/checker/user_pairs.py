"""What a user runs, given by its parts: the pairs of inputs, and what the others may hold beside each.

A randomizer of any eps0, a product of randomizers, and users who may be away: each pair of inputs has classes against
the blanket, and against each row that others may have, made of those of the parts.

Trusted for: every pair of inputs is there, up to exchanges that change nothing, and beside it every row of the others.

It rests on these facts, with their theorems of the Coq kernel:

- users with equal rows are interchangeable: equal_rows.equal_rows
- the classes of a product are products of classes: no theorem of the kernel yet
- who is away adds a message, a dummy or a name on a list: no theorem of the kernel yet
- five randomizers bound every one: five_randomizers.mixed_wave_bound, five_randomizers.spread_of_basics,
  five_randomizers.divergence_at_most, five_randomizers.every_randomizer_of_laws,
  five_randomizers.every_randomizer, five_randomizers.basic_attains
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import NamedTuple

from .budget import Work, malformed, size
from .facts import AWAY, EQUAL_ROWS, FIVE, PRODUCT
from .families import RANDOMIZER_FAMILIES, Family, Parameters, read_family
from .finite_laws import Law, Randomizer
from .limits import MAX_BITS, MAX_FACTORS
from .pair_classes import Class, Columns, InputPair, is_equal
from .reading import (
    Object,
    any_object,
    as_weights,
    canonical,
    common_denominator,
    read_choice,
    read_list,
    read_object,
    read_rational,
    show,
)

Kinds = list[InputPair]


class Composite(NamedTuple):
    """A randomizer that is made of others, or is any one."""

    words: str
    facts: list[str]
    list_pairs: Callable[[Work], Iterator[InputPair]]
    has_bundles: bool = False  # whether users send several messages, which are not told apart by who sent them

    def pairs(self, work: Work) -> Iterator[InputPair]:
        return self.list_pairs(work)

    def beside(self, pair: int, others: int, work: Work) -> list[Class]:
        """The classes of the pair in one place beside the row in one place."""
        for found in islice(self.pairs(work), pair, None):
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
    values = read_list(fields["of"], "of", 1, MAX_FACTORS)
    factors = [read_factor(value, work) for value in values]
    texts = list(map(canonical, values))
    alike = [text == before for text, before in zip(texts, ["", *texts])]
    facts = [PRODUCT, *(fact for factor in factors for fact in facts_of(factor))]
    words = "; ".join(inner(factor.words) for factor in factors)
    return Composite(f"randomizer {{product of {words}}}", facts, partial(product_pairs, factors, alike))


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


def product_pairs(factors: list[Randomizer | Family], alike: list[bool], work: Work) -> Iterator[InputPair]:
    """Every choice of a kind for each factor but that of equal inputs everywhere."""
    kinds, held = list[Kinds](), 0
    for factor in factors:
        kinds.append(kinds_of(factor, work))
        rows = [row for pair in kinds[-1] for row in (pair.blanket, *pair.others)]
        held += 3 * sum(map(len, rows))
        work.hold(held, 1024 + 2 * max(size(number) for number in rows[0][0]))
    equal = [list(map(is_equal, listed)) for listed in kinds]
    if all(map(all, equal)):
        return
    for chosen in rising([len(listed) for listed in kinds], alike, work):
        pairs = [listed[place] for listed, place in zip(kinds, chosen)]
        if not all(listed[place] for listed, place in zip(equal, chosen)):
            same = [one and a == b for one, a, b in zip(alike, chosen, (-1, *chosen))]
            yield InputPair(product_classes([pair.blanket for pair in pairs], work), beside(pairs, same, work))


def beside(pairs: Kinds, same: list[bool], work: Work) -> Iterator[list[Class]]:
    """The classes beside every choice of a row for each factor."""
    rows = [list(pair.others) for pair in pairs]
    for chosen in rising([len(listed) for listed in rows], same, work):
        yield product_classes([listed[place] for listed, place in zip(rows, chosen)], work)


def rising(counts: list[int], alike: list[bool], work: Work, before: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """A place below each count, in lexicographic order; where a part is like the one before it, it does not fall."""
    at = len(before)
    work.spend(1 + at, 64)
    if at == len(counts):
        yield before
        return
    for place in range(before[-1] if alike[at] else 0, counts[at]):
        yield from rising(counts, alike, work, (*before, place))


def kinds_of(factor: Randomizer | Family, work: Work) -> Kinds:
    """The pairs of inputs of a factor, equal ones among them."""
    if isinstance(factor, Family):
        (pair,) = factor.pairs(work)
        rows = [[(p, p, r) for p, _, r in row] for row in islice(pair.others, 2)]
        return [pair, InputPair([(p, p, c) for p, _, c in pair.blanket], rows)]
    columns = Columns.of(factor, work)
    places = range(len(columns.rows))
    chosen = [(x, y) for x in places for y in places if x == y or columns.rows[x] != columns.rows[y]]
    work.hold(3 * len(chosen) * (1 + len(places)) * len(columns.least), 2 * columns.denominator.bit_length() + 1024)
    pairs = [columns.pair(x, y, work) for x, y in chosen]
    return [InputPair(pair.blanket, list(pair.others)) for pair in pairs]


def product_classes(factors: list[list[Class]], work: Work) -> list[Class]:
    """Products number by number; those in proportion are one class."""
    reached: list[Class] = [(Fraction(1), Fraction(1), Fraction(1))]
    for classes in factors:
        longest = max(size(number) for one in (reached, classes) for numbers in one for number in numbers)
        work.spend(64 * len(reached) * len(classes), 2 * longest, 2 * longest)
        work.hold(len(reached) * len(classes), 8 * longest)
        merged: dict[tuple[Fraction, Fraction], Class] = {}
        for p, q, r in reached:
            for u, v, w in classes:
                a, b, c = p * u, q * v, r * w
                whole = a + b + c
                if whole == 0:
                    continue
                key = a / whole, b / whole
                x, y, z = merged.get(key, (Fraction(0), Fraction(0), Fraction(0)))
                merged[key] = a + x, b + y, c + z
        reached = list(merged.values())
    return reached


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
    base: Randomizer | Family | Composite, q: Fraction, dummy: object, words: str, work: Work
) -> Randomizer | Family:
    """Rows that are mixed with one of the messages."""
    if isinstance(base, Family) and dummy == "uniform":
        if not base.is_uniform:
            malformed("a uniform dummy is no message of the measure that makes the classes of this family")
        rest = (1 - q) / sum(base.pair.values(), Fraction(0))
        return base._replace(
            words=f"{words}, uniform", high=q * base.high + rest, low=q * base.low + rest, facts=(AWAY, *base.facts)
        )
    if not isinstance(base, Randomizer) or any(sum(outcome) != 1 for row in base.rows for outcome in row):
        malformed("a dummy hides users of a table who send one message each, or a uniform one those of a family")
    chances = [Fraction(1, base.messages)] * base.messages
    if dummy != "uniform":
        listed = read_list(dummy, "dummy", base.messages, base.messages)
        chances = [read_rational(chance, "a probability of the dummy", 0) for chance in listed]
    scale = common_denominator(chances, "dummy", work)
    weights = as_weights(chances, scale, "dummy")
    law = {tuple(int(m == sent) for m in range(base.messages)): w for sent, w in enumerate(weights) if w}
    shown = ", uniform" if dummy == "uniform" else f" with the probabilities {', '.join(map(show, chances))}"
    return mixed(base, q, law, scale, words + shown, work)


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
