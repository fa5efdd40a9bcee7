"""Classes of messages that several randomizers on the same inputs have in common.

Where users run different randomizers, a message is told apart by its probabilities under all of them. A joint table of
two inputs of the user who differs has their rows P and Q, and for each randomizer the rows of the inputs named and the
least probability over all its inputs; messages on which all these are proportional form one class, as in
:mod:`exactdp.mechanisms.pair_table`.

A message of two randomizers is the same message where label and kind are equal: a vector of bits is no category.

* Tables: the bundles of all of them, by their labels.
* Families of supports with the same law u of messages (:mod:`exactdp.mechanisms.support_family`), as k-ary responses
  of one size are: the patterns of the inputs named, with densities a_j and b_j of each.
* Unary encodings of one size with different noise: other bits tell as well which randomizer made a message, so that
  the classes are very many. What is told here is coarser: the bits of three inputs, and about the number of ones
  among all others is near what one of the randomizers makes of it. It serves lower ends only (``is_whole``).

* Randomizers of one number from the same interval whose messages are real numbers: cells of messages, of which the
  probabilities are known to 2^-256. They serve lower ends only. Where a message may be a word in place of a number
  out of range, all that is out of some class's range is one cell, with the word.

*Rounded e^eps0.* Families of supports with an irrational e^eps0 stand for their members at a rational number above. Of
such a row a u rises and b u falls with e^eps0, so that the member lies within a total variation distance of p*
(above) - p* (below) of it, p* the probability of supporting the own input (:func:`rounded`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, pairwise, permutations, product
from math import floor, isqrt
from typing import Any, Final

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.laws.binomial import Binomial
from exactdp.mechanisms.density_family import DensityFamily
from exactdp.mechanisms.family import UserRandomizer
from exactdp.mechanisms.pair_table import MessageClass, PairTable
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.mechanisms.support_family import SupportFamily
from exactdp.mechanisms.unary_encoding_family import IndependentBits
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.formats import about

_ROUNDED_BITS: Final = 256
"""A member of a family with an irrational e^eps0 lies so many bits beside it."""

_MOST_PROBABILITIES: Final = 2**22
"""Most probabilities of all joint tables: some seconds."""

_CUTS_PER_DEVIATION: Final = 2
"""Numbers of ones are told apart so finely where two unary encodings meet."""

_MOST_ENDS: Final = 3
"""Inputs of real numbers that are told apart, and the last one."""

_NAMED: Final = 3
"""Inputs whose bits are told: the two of the user who differs, and one other."""


@dataclass(frozen=True, slots=True)
class JointTable:
    """The classes of messages of two inputs of one user, and of the others' randomizers at the inputs named.

    ``table.others`` are for each randomizer None, which stands for its least probability, and its inputs named.
    """

    table: PairTable
    inputs: tuple[Any, ...]
    """The inputs named, of every randomizer."""
    is_whole: bool = True
    """Whether nothing of the messages is left out."""
    apart: Fraction = Fraction(0)
    """How far in total variation each row may be off."""

    @classmethod
    def of(
        cls,
        pair: tuple[Any, Any],
        inputs: Sequence[Any],
        rows: Iterable[Sequence[Fraction]],
        *,
        is_whole: bool = True,
        apart: Fraction = Fraction(0),
    ) -> JointTable:
        """Return the table of vectors (P, Q, and for each randomizer its least and its rows)."""
        listed = [tuple(row) for row in rows]
        groups = (len(listed[0]) - 2) // (len(inputs) + 1)
        labels = [(group, label) for group in range(groups) for label in (None, *inputs)]
        vectors = [(p, q, Fraction(0), *rest) for p, q, *rest in listed]
        return cls(PairTable.merged(*pair, labels, vectors), tuple(inputs), is_whole, apart)

    @property
    def kind(self) -> Hashable:
        """What tables have in common that are alike but for the names of inputs: for each of them how often each
        (P, Q, and the least and the row of each randomizer) occurs.
        """
        cells, groups = self.table.classes, range(0, len(self.table.others), len(self.inputs) + 1)
        kinds = set[Hashable]()
        for place in range(len(self.inputs)):
            columns = [at + shift for at in groups for shift in (0, place + 1)]
            often = Counter((c.first, c.second, *(c.others[column] for column in columns)) for c in cells)
            kinds.add(frozenset(often.items()))
        return frozenset(kinds)

    def least(self, cell: MessageClass, group: int) -> Fraction:
        """Return the least probability of a class of messages under a randomizer."""
        return cell.others[group * (len(self.inputs) + 1)]

    def row(self, cell: MessageClass, group: int, place: int) -> Fraction:
        """Return the probability of a class of messages under a randomizer at an input named."""
        return cell.others[group * (len(self.inputs) + 1) + 1 + place]


def joint_kinds(randomizers: Sequence[UserRandomizer]) -> list[Hashable]:
    """Return for each randomizer what those have in common whose messages may be equal.

    Raises:
        InvalidValueError: where messages may be equal, and nothing is known of these: of a table beside a family of
            which none is built, and of families of one kind that are none of supports.
    """
    if _of_one_law(randomizers):
        return [_kind(one) for one in randomizers]
    numbers = [one for one in randomizers if isinstance(one, DensityFamily)]
    if len(set(numbers)) > 1:
        if lost := [one for one in numbers if not one.cuts(one.ends())]:
            raise InvalidValueError(
                f"{lost[0]!r} and another class send real numbers, of which no cells in common are known. Pass the "
                "same parameters for both, or numbers without dummies."
            )
        others = iter(joint_kinds([one for one in randomizers if one not in numbers]))
        return ["real numbers" if isinstance(one, DensityFamily) else next(others) for one in randomizers]
    tables = [one.listed() for one in randomizers]
    tuples = [isinstance(message, tuple) for table in tables if table for message in table.alphabet]
    for one, table in zip(randomizers, tables, strict=True):
        if table or not any(tables):
            continue
        family = one.family and one.family.original
        if not (family and ((family.sends_tuples and not any(tuples)) or (family.sends_numbers and all(tuples)))):
            raise InvalidValueError(
                f"{one!r} has no table of messages, and another class has one, so that equal messages are not known. "
                "Pass tables, or families of exactdp.randomizers."
            )
    kinds = [_kind(one) if table is None else "table" for one, table in zip(randomizers, tables, strict=True)]
    alike: dict[Hashable, Hashable] = {}
    for one, kind in zip(randomizers, kinds, strict=True):
        family = one.family and one.family.original
        sent: Hashable = "numbers" if family and family.sends_numbers else (type(one), family and type(family))
        if kind in (one, "table") and alike.setdefault(sent, kind) != kind:
            raise InvalidValueError(
                f"{one!r} and another class send messages of one kind, of which no classes in common are known. Pass "
                "tables, or the same family for both."
            )
    return kinds


def _kind(one: UserRandomizer) -> Hashable:
    return one.family and one.family.joint_kind


def _of_one_law(randomizers: Sequence[UserRandomizer]) -> list[SupportFamily]:
    """Return the families, at a rational e^eps0, where all are of supports with one law of messages; else none."""
    near = [one.at_least(_ROUNDED_BITS) for one in randomizers]
    families = [one for one in near if isinstance(one, SupportFamily)]
    is_one = len(families) == len(near) and len({one.message_law for one in families}) == 1
    return families if is_one else []


def joint_tables(randomizers: Sequence[UserRandomizer], own: int) -> list[JointTable]:
    """Return a joint table for each kind of ordered pair of inputs of a user of the randomizer ``own``.

    Args:
        randomizers: different ones of one kind, with rational probabilities.
        own: which of them the user who differs runs.

    Raises:
        TooLargeError: where the tables are too large, or unary encodings too long.
    """
    if families := _of_one_law(randomizers):
        return [_of_supports(families, own, labels) for labels in families[own].named()]
    if numbers := [one for one in randomizers if isinstance(one, DensityFamily)]:
        return list(_of_cells(numbers, own))
    bits = [one for one in randomizers if isinstance(one, IndependentBits)]
    tables = [table for one in randomizers if (table := one.listed())]
    if len(bits) == len(randomizers) > len(tables):
        return [_of_bits(bits, own)]
    return list(_of_tables(tables, own))


def _of_supports(families: Sequence[SupportFamily], own: int, labels: tuple[int, ...]) -> JointTable:
    everyone = families[0].everyone
    rows = []
    for bits, mass in families[0].patterns(labels).items():
        whole = everyone if all(bits) else Fraction(0)
        for weight, is_whole in ((mass - whole, False), (whole, True)):
            row: list[Fraction] = []
            for high, low in (family.densities for family in families):
                row += [high if is_whole else low, *(high if bit else low for bit in bits)]
            at = own * (len(labels) + 1) + 1
            rows.append([weight * factor for factor in (row[at], row[at + 1], *row)])
    return JointTable.of((labels[0], labels[1]), labels, rows)


def _of_bits(families: Sequence[IndependentBits], own: int) -> JointTable:
    """Return the bits of three inputs, and whether the ones among the others are as many as ``own`` makes, about."""
    labels = tuple(range(min(_NAMED, families[0].d)))
    rest = families[0].d - len(labels)
    cuts = cuts_between(families, own, rest)
    chances = [_chances(Binomial(rest, family.noise), cuts) for family in families]
    rows = []
    for bits, place in product(product((True, False), repeat=len(labels)), range(len(cuts) + 1)):
        each = []
        for family, (chance, _) in zip(families, chances, strict=True):
            row = [chance[place] for _ in labels]
            for held, (label, bit) in product(range(len(labels)), zip(labels, bits, strict=True)):
                one = family.keep if label == labels[held] else family.noise
                row[held] *= one if bit else 1 - one
            each.append([min(row), *row])
        rows.append([each[own][1], each[own][2], *chain(*each)])
    apart = max(apart for _, apart in chances)
    return JointTable.of((labels[0], labels[1]), labels, rows, is_whole=False, apart=apart)


def _chances(ones: Binomial, cuts: Sequence[int]) -> tuple[list[Fraction], Fraction]:
    """Return about how likely the number of ones is up to each cut and beyond all, and how far that is off.

    Each end is known to 2^-256, so that each of the two ends of a range is off by that.
    """
    ends = [Dyadic.below(ones.cdf(cut, relative_bits=_ROUNDED_BITS).lo, _ROUNDED_BITS).fraction() for cut in cuts]
    chances = [end - before for before, end in pairwise([Fraction(0), *ends, Fraction(1)])]
    return chances, len(cuts) * Fraction(4, 2**_ROUNDED_BITS)


def _of_cells(families: Sequence[DensityFamily], own: int) -> Iterator[JointTable]:
    """Yield cells of messages for pairs of a few inputs."""
    ends = families[own].ends()
    inputs = tuple(dict.fromkeys((*ends[:: -(-len(ends) // _MOST_ENDS)], ends[-1])))
    cuts = sorted({cut for family in families for cut in family.cuts(inputs)})
    within = [told for told in (family.told_within for family in families) if told]
    if within:
        low, high = max(low for low, _ in within), min(high for _, high in within)
        cuts = [low, *(cut for cut in cuts if low < cut < high), high]
    rows = [[_cells(family, value, cuts, is_joined=bool(within)) for value in inputs] for family in families]
    told = [list(zip(*each, strict=True)) for each in rows]
    for one, other in permutations(range(len(inputs)), 2):
        vectors = (
            (row[own][one], row[own][other], *chain(*((min(each), *each) for each in row)))
            for row in zip(*told, strict=True)
        )
        apart = len(cuts) * Fraction(4, 2**_ROUNDED_BITS)
        yield JointTable.of((inputs[one], inputs[other]), inputs, vectors, is_whole=False, apart=apart)


def _cells(family: DensityFamily, value: Any, cuts: Sequence[Fraction], *, is_joined: bool) -> list[Fraction]:
    """Return about how likely messages are up to each cut, beyond all, and none: each end is known to 2^-256.

    Messages up to the first cut and beyond the last may be told as one.
    """
    below = (family.below(value, cut, 2 * _ROUNDED_BITS) for cut in cuts)
    ends = [Fraction(floor(p * 2**_ROUNDED_BITS), 2**_ROUNDED_BITS) for p in below]
    cells = [*(end - before for before, end in pairwise([Fraction(0), *ends, 1 - family.absent])), family.absent]
    return [*cells[1:-2], cells[0] + cells[-2], cells[-1]] if is_joined else cells


def cuts_between(families: Sequence[IndependentBits], own: int, rest: int) -> list[int]:
    """Return numbers of ones around which it is not clear whether ``own`` or another one made them."""
    middle, cuts = families[own].noise, set[int]()
    step = isqrt(int(rest * middle * (1 - middle))) // _CUTS_PER_DEVIATION + 1
    for side in (
        max((family.noise for family in families if family.noise < middle), default=None),
        min((family.noise for family in families if family.noise > middle), default=None),
    ):
        if side is not None:
            between = int(rest * (middle + side) / 2)
            cuts |= {between + way * step for way in (-1, 0, 1)}
    return sorted(cut for cut in cuts if 0 <= cut < rest)


def _of_tables(tables: Sequence[Randomizer], own: int) -> Iterator[JointTable]:
    labels, zero = tables[0].inputs, Fraction(0)
    laws = [[_bundle_law(table, label) for label in labels] for table in tables]
    bundles = list(dict.fromkeys(bundle for each in laws for law in each for bundle in law))
    rows = {
        label: tuple(tuple(each[place].get(bundle, zero) for bundle in bundles) for each in laws)
        for place, label in enumerate(labels)
    }
    inputs = list({row: label for label, row in reversed(rows.items())}.values())[::-1]  # of equal rows the first
    count = len(inputs) ** 2 * len(bundles) * len(tables) * (len(inputs) + 1)
    if count > _MOST_PROBABILITIES:
        raise TooLargeError(
            f"the joint tables of {len(tables)} classes have about {about(count)} probabilities, more than the limit "
            f"of {about(_MOST_PROBABILITIES)}. Use fewer inputs, or families of exactdp.randomizers."
        )
    groups = range(len(tables))
    vectors = [
        [
            p
            for group in groups
            for p in (min(law.get(bundle, zero) for law in laws[group]), *(rows[v][group][m] for v in inputs))
        ]
        for m, bundle in enumerate(bundles)
    ]
    for first, second in list(permutations(inputs, 2)) or [(labels[0], labels[-1])]:
        pair = zip(rows[first][own], rows[second][own], vectors, strict=True)
        yield JointTable.of((first, second), inputs, [(p, q, *rest) for p, q, rest in pair])


def _bundle_law(table: Randomizer, label: Any) -> dict[Hashable, Fraction]:
    """Return the law of the bundle of a user who holds an input: how often each label occurs -> its probability."""
    law: dict[Hashable, Fraction] = {}
    for send, p in table.rows[table.inputs.index(label)]:
        bundle = frozenset(Counter(table.alphabet[message] for message in send).items())
        law[bundle] = law.get(bundle, Fraction(0)) + p
    return law


def rounded(randomizer: UserRandomizer) -> tuple[UserRandomizer, Fraction]:
    """Return a randomizer with rational probabilities, and a number that no row is further away in total variation.

    Raises:
        InvalidValueError: for a family with an irrational e^eps0, unless it is of supports whose law does not depend
            on it.
    """
    if randomizer.is_rational or isinstance(randomizer, DensityFamily):
        return randomizer, Fraction(0)
    near = _of_one_law([randomizer.at_least(_ROUNDED_BITS), randomizer.at_most(_ROUNDED_BITS)])
    if not near:
        raise InvalidValueError(
            f"{randomizer!r} has an irrational e^eps0, which classes of users do not take of this family. Pass a "
            "rational one: exp_eps0=3."
        )
    above, below = near
    return above, above.support_probabilities[0] - below.support_probabilities[0]
