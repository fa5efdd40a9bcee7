"""The pairs of laws that a claim of privacy speaks about: views of neighbouring data sets, and noise moved by a shift.

Each pair (P, Q) is given as the weights (p, q) of the outcomes over a total: ``pairs`` gives every pair that a claim
speaks about and what to call it, ``pair`` the one that a witness names with ``keys``; the work of comparing them at
e^eps = ``ratio`` is paid for here.

Trusted for: every pair of neighbours is there, in both orders, and none that is not.

It rests on these facts, with their theorems of the Coq kernel:

- the view is the multiset of messages: shuffler.shuffle_dp_iff_shuffled
- users with equal rows are interchangeable: equal_rows.equal_rows
- moving both views leaves their divergence: moved_bystanders.moved_bystander, shifts.moved_below
- a shift down is a shift up in the other order: shifts.shift_down, shifts.shifts_both_orders
- constant ratios are one outcome: steps.constant_ratios, steps_geometric.two_sided_steps,
  steps_one_sided.one_sided_steps
- a uniform law differs from itself at its ends: uniform_ends.uniform_law, uniform_ends.uniform_ends
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from typing import ClassVar, NoReturn

from .budget import Work, malformed, rejected, size
from .densities import Laplace
from .dummies import named_table
from .facts import EQUAL_ROWS, MOVED, SHIFT_DOWN, THE_VIEW
from .families import Family
from .finite_laws import (
    Ends,
    Packed,
    Pair,
    Randomizer,
    Steps,
    Table,
    at_zero,
    bystander_laws,
    convolve,
    distinct,
    expect_sweep,
    law_of_users,
    pack,
)
from .limits import MAX_FACTORS, MAX_FAMILY_USERS, MAX_TOTAL_BITS, MAX_USERS
from .noise_laws import Noise
from .pair_classes import Around, Class, Columns
from .reading import (
    Object,
    Vector,
    any_object,
    read_choice,
    read_counts,
    read_integer,
    read_list,
    read_object,
    show_vector,
)
from .user_pairs import Composite, facts_of, pairs_of, read_randomizer

Words = Sequence[object]  # to be joined where they are needed
BOUND_FACTS = (THE_VIEW, EQUAL_ROWS, MOVED)
"""What the pairs of views that are listed rest on."""


@dataclass(frozen=True)
class View:
    """The shuffled views of neighbouring data sets."""

    randomizer: Randomizer
    n: int
    neighbors: str
    all_n: bool
    keys: ClassVar[Sequence[str]] = ("first", "second")

    @classmethod
    def read(cls, claim: Object, work: Work, all_n: bool = False) -> View:
        neighbors = read_choice(claim["neighbors"], "neighbors", ["replace-one", "add-or-remove-one"])
        n = read_integer(claim["n"], "n", 1, MAX_USERS)
        return cls(Randomizer.read(claim["randomizer"], work), n, neighbors, all_n)

    @property
    def bound_facts(self) -> Sequence[str]:
        return [*BOUND_FACTS, *self.randomizer.facts]

    @property
    def witness_facts(self) -> Sequence[str]:
        return [THE_VIEW, EQUAL_ROWS, *self.randomizer.facts]

    @property
    def words(self) -> str:
        return view_words(self.randomizer.words, self.n, self.all_n, self.neighbors)

    @property
    def total(self) -> int:
        return int(self.randomizer.denominator**self.n)

    @property
    def bits(self) -> int:
        """Of the weights of a view that is listed."""
        bits = self.n * self.randomizer.denominator.bit_length()
        if bits > MAX_TOTAL_BITS:
            malformed(f"the weights of the view have more than {MAX_TOTAL_BITS} bits")
        return bits

    def blankets(self, work: Work) -> Iterator[list[Class]]:
        """The classes of every ordered pair of inputs with different rows, against the least row."""
        return (pair.blanket for pair in pairs_of(self.randomizer, work))

    def around(self, used: list[Vector], work: Work) -> Iterator[Around]:
        """Those pairs, with what the others may hold."""
        return (pair.among(self.n) for pair in pairs_of(self.randomizer, work))

    def pairs(self, ratio: Fraction | None, work: Work) -> Iterator[tuple[Iterable[Pair], int, Words]]:
        """Every two neighbouring data sets, in both orders: n - 1 bystanders and two different rows, one of them
        without messages if a user is added or removed. Of equal rows one is taken: *such users are interchangeable*.
        So are bystanders whose rows are equal after a move: *moving both views leaves their divergence*."""
        base = self.randomizer.base(self.n)
        work.spend(self.randomizer.messages * sum(map(len, self.randomizer.rows)), 4096)
        rows = distinct(self.randomizer.rows, base)
        ends = rows if self.neighbors == "replace-one" else [*rows, {0: self.randomizer.denominator}]
        if len(ends) == 1:
            return
        classes = distinct(map(at_zero, self.randomizer.rows), base)
        expect_sweep(classes, self.n - 1, self.bits, work)
        orders = [(i, j) for i, j in permutations(range(len(ends)), 2) if ends is rows or len(rows) in (i, j)]
        total = self.total
        for bystanders, law in bystander_laws(classes, self.n - 1, self.bits, work):
            views, outcomes = list[Packed](), 0
            for row in ends:
                views.append(convolve(law, row, self.bits, work))
                outcomes += len(views[-1])
                work.hold(outcomes, self.bits + max(views[-1]).bit_length())
            for i, j in orders:
                words = ("bystanders", list(bystanders), "by class of rows, row", i, "against", j)
                yield self.aligned(views[i], views[j], ratio, work), total, words

    def aligned(self, first: Packed, second: Packed, ratio: Fraction | None, work: Work) -> Iterator[Pair]:
        """The weights (p, q) on the support of P; elsewhere P = 0 adds nothing to a divergence."""
        work.spend(16 + len(first), self.bits, size(ratio))
        return ((weight, second.get(outcome, 0)) for outcome, weight in first.items())

    def pair(self, witness: Object, ratio: Fraction | None, work: Work) -> tuple[Iterable[Pair], int]:
        first, second = self.data_sets(witness)
        return self.aligned(self.law(first, work), self.law(second, work), ratio, work), self.total

    def data_sets(self, witness: Object) -> tuple[Vector, Vector]:
        """The two data sets of a witness, which are checked to be neighbours."""
        first, second = self.read_histogram(witness, "first"), self.read_histogram(witness, "second")
        moved = sorted(b - a for a, b in zip(first, second) if a != b)
        sizes = sorted([sum(first), sum(second)])
        if self.neighbors == "replace-one":
            are_neighbors = moved == [-1, 1] and sizes == [self.n, self.n]
        else:
            are_neighbors = moved in ([-1], [1]) and sizes == [self.n - 1, self.n]
        if not are_neighbors:
            rejected(f"{show_vector(first)} and {show_vector(second)} are not neighbouring data sets of this claim")
        return first, second

    def read_histogram(self, witness: Object, key: str) -> Vector:
        return read_counts(witness[key], key, len(self.randomizer.rows))

    def law(self, histogram: Vector, work: Work) -> Packed:
        """The view of one data set, of n users or n - 1."""
        base = self.randomizer.base(self.n)
        law = law_of_users([pack(row, base) for row in self.randomizer.rows], histogram, self.bits, work)
        return law if sum(histogram) == self.n else convolve(law, {0: self.randomizer.denominator}, self.bits, work)


class UnlistedView:
    """Views that are not listed: all are bounded at once, and a test tells two of them apart."""

    neighbors: ClassVar[str] = "replace-one"
    keys: ClassVar[Sequence[str]] = ()
    bound_facts: ClassVar[Sequence[str]] = ()

    def pairs(self, ratio: Fraction | None, work: Work) -> NoReturn:
        malformed("a family is proved by a blanket or a swap: its views are not listed")

    def pair(self, witness: Object, ratio: Fraction | None, work: Work) -> NoReturn:
        malformed("a family is refuted by a likelihood test: its views are not listed")


@dataclass(frozen=True)
class FamilyView(UnlistedView):
    """The same for a family, of which no view is listed: its pairs of inputs have classes."""

    family: Family | Composite | Laplace
    n: int
    all_n: bool

    @property
    def witness_facts(self) -> Sequence[str]:
        return [THE_VIEW, *self.family.facts]

    @property
    def words(self) -> str:
        return view_words(self.family.words, self.n, self.all_n, self.neighbors)

    def blankets(self, work: Work) -> Iterator[list[Class]]:
        for pair in self.family.pairs(work):
            if not pair.is_below:
                malformed("a blanket is no witness for the family any")
            yield pair.blanket

    def around(self, used: list[Vector], work: Work) -> Iterator[Around]:
        return (pair.among(self.n) for pair in self.family.pairs(work))

    def with_cells(self, witness: object, keys: Sequence[str]) -> tuple[FamilyView, object]:
        """With the cells of real messages that a witness names, and what else it says."""
        if not isinstance(self.family, Laplace):
            return self, witness
        family, rest = self.family.named(witness, keys)
        return replace(self, family=family), rest


def read_view(claim: Object, work: Work, all_n: bool) -> View | FamilyView:
    """Of a table, or of a family, which may be a table too: then for more users than a table that is written out."""
    if "family" not in any_object(claim["randomizer"], "the randomizer"):
        return View.read(claim, work, all_n)
    stated = any_object(claim["randomizer"], "the randomizer")
    has_density = stated["family"] == "laplace"
    randomizer = Laplace.read(stated) if has_density else read_randomizer(stated, work)
    n = read_integer(claim["n"], "n", 1, MAX_FAMILY_USERS)
    neighbors = read_choice(claim["neighbors"], "neighbors", ["replace-one"])
    if isinstance(randomizer, Randomizer):
        return View(randomizer, n, neighbors, all_n)
    return FamilyView(randomizer, n, all_n)


@dataclass(frozen=True)
class ClassesView(UnlistedView):
    """The messages of several classes of users, each of its own randomizer and number of users."""

    classes: list[tuple[Randomizer | Family | Composite, int]]
    differing: list[int]
    all_n: ClassVar[bool] = False

    @classmethod
    def read(cls, claim: Object, work: Work) -> ClassesView:
        classes: list[tuple[Randomizer | Family | Composite, int]] = []
        for value in read_list(claim["classes"], "classes", 1, MAX_FACTORS):
            fields = read_object(value, "a class of users", ["randomizer", "n"])
            stated = any_object(fields["randomizer"], "the randomizer")
            if stated.get("family") == "any" or stated.get("absence") == "listed":
                malformed("a class of users runs no family any, and nobody in it is listed")
            n = read_integer(fields["n"], "n", 1, MAX_FAMILY_USERS)
            classes.append((read_randomizer(stated, work), n))
        every = list(map(str, range(len(classes))))
        said = read_choice(claim["user_class"], "user_class", ["any", *every])
        read_choice(claim["neighbors"], "neighbors", ["replace-one"])
        return cls(classes, [int(place) for place in every if said in ("any", place)])

    @property
    def witness_facts(self) -> Sequence[str]:
        return [THE_VIEW, *(fact for randomizer, _ in self.classes for fact in facts_of(randomizer))]

    @property
    def words(self) -> str:
        classes = "; ".join(f"{n} of {randomizer.words}" for randomizer, n in self.classes)
        who = "" if len(self.differing) == len(self.classes) else f" in class {self.differing[0]}"
        return f"shuffled classes of users {{{classes}}}, replace one{who}"

    def around(self, used: list[Vector], work: Work) -> Iterator[Around]:
        """The pairs of every class that may have the user who differs, beside the users of the classes that are used;
        the others are published."""
        if len(used) != len(self.differing):
            malformed(f"used has {len(used)} entries for {len(self.differing)} classes of users")
        for own, places in zip(self.differing, used):
            randomizer, n = self.classes[own]
            if places == (own,):
                yield from (pair.among(n) for pair in pairs_of(randomizer, work))
            else:
                yield from self.beside_tables(own, places, work)

    def tables(self, places: Iterable[int]) -> list[Randomizer]:
        """What some of the classes run, if these are tables that share their messages."""
        listed = [self.classes[place][0] for place in places if place < len(self.classes)]
        tables = [one for one in listed if isinstance(one, Randomizer)]
        if len({table.messages for table in tables}) != 1 or len(tables) != len(list(places)):
            malformed("classes that are looked at together run tables of as many messages")
        return tables

    def tested(self, cuts: Vector, bits: int, work: Work) -> list[Randomizer]:
        """What all of the classes run, as tables that share their messages, of which less may be told."""
        families = [one for one, _ in self.classes if isinstance(one, Family)]
        if len(families) < len(self.classes):
            return self.tables(range(len(self.classes)))
        if len({(one.name, one.inputs, () if one.noise else tuple(one.pair.values())) for one in families}) > 1:
            malformed("families that are tested together have the same messages")
        return [named_table(family, cuts, bits, work) for family in families]

    @property
    def has_families(self) -> bool:
        return all(isinstance(one, Family) for one, _ in self.classes)

    def users(self, own: int, places: Iterable[int]) -> list[int]:
        """How many others there are in some of the classes."""
        return [self.classes[place][1] - (place == own) for place in places]

    def beside_tables(self, own: int, places: Vector, work: Work) -> Iterator[Around]:
        """*Means over subsets are at most powers of the mean*: one input for each of several classes."""
        columns, *used = Columns.union(self.tables((own, *places)), work)
        users = self.users(own, places)
        others = sum(users)  # not 0: some class is none of his
        least = [min(column) for column in zip(*(row for of in used for row in of.rows))]
        several = [list(map(list, dict.fromkeys(map(tuple, of.rows)))) for of, many in zip(used, users) if many]
        shares = [Fraction(many, others) for many in users if many]

        def around(first: int, second: int) -> Around:
            against = partial(columns.classes, first, second, scale=columns.denominator, work=work)
            return Around(against(least), (list(zip(shares, map(against, rows))) for rows in product(*several)), others)

        return (around(first, second) for first, second in columns.different_pairs())


def view_words(randomizer: str, n: int, all_n: bool, neighbors: str) -> str:
    users = f"every n >= {n}" if all_n else f"n = {n}"
    return f"shuffled {randomizer}, {users}, {neighbors.replace('-', ' ')}"


@dataclass(frozen=True)
class Shift:
    """The noise Y against Y + j (forward) and Y + j against Y (backward), for 1 <= j <= ``most``, listed exactly."""

    noise: Noise
    most: int
    keys: ClassVar[Sequence[str]] = ("shift", "order")

    @property
    def words(self) -> str:
        return f"count + {self.noise.words}, {'shift 1' if self.most == 1 else f'shifts 1 to {self.most}'}"

    @property
    def bound_facts(self) -> Sequence[str]:
        return [SHIFT_DOWN, *self.witness_facts]

    @property
    def witness_facts(self) -> Sequence[str]:
        return self.noise.moved_facts

    def pairs(self, ratio: Fraction | None, work: Work) -> Iterator[tuple[Iterable[Pair], int, Words]]:
        law = self.noise.exact(self.most, work)
        total = law.total
        for shift in range(1, self.most + 1):
            for order in ("forward", "backward"):
                yield self.shifted(law, shift, order, ratio, work), total, (f"shift {shift},", order)

    def pair(self, witness: Object, ratio: Fraction | None, work: Work) -> tuple[Iterable[Pair], int]:
        law = self.noise.exact(self.most, work)
        shift, order = self.read_pair(witness)
        return self.shifted(law, shift, order, ratio, work), law.total

    def read_pair(self, witness: Object) -> tuple[int, str]:
        """The shift and the order that a witness names."""
        shift = read_integer(witness["shift"], "shift", 1, self.most)
        return shift, read_choice(witness["order"], "order", ["forward", "backward"])

    def shifted(
        self, law: Table | Steps | Ends, shift: int, order: str, ratio: Fraction | None, work: Work
    ) -> Iterable[Pair]:
        work.spend(4 * law.outcomes, law.bits, size(ratio) + law.step)
        return law.pairs(shift) if order == "forward" else ((q, p) for p, q in law.pairs(shift))
