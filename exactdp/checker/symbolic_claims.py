"""The claims that can stand in for_all, with functions of the parameters: how each is shown on one cell of the box.

Trusted for: what is shown on a cell is a claim at each of its points, and holds there for every pair of laws.

It rests on these facts, with their theorems of the Coq kernel:

- a Bernstein form shows the sign on a cube: bernstein.bernstein_sound, box_inequality.box_inequality_proved
- positive parts of coefficients bound positive parts: no theorem of the kernel yet
- a shift down is a shift up in the other order: shifts.shift_down, shifts.shifts_both_orders
- adding a user is post-processing: adding_a_user.adding_a_user, adding_a_user.convolution_hockey_stick,
  adding_a_user.adding_users, moved_bystanders.adding_users_add_or_remove
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple, Protocol

from .boxes import Box, box_words, read_box
from .budget import Work, malformed, rejected
from .cells import Cell, Packing, check_sign
from .facts import ADDING, BERNSTEIN, POSITIVE_PARTS, SHIFT_DOWN, Facts
from .finite_laws import Pair
from .functions_of_parameters import Function, OverOne, difference, distinct_polynomials, to_integers
from .inequalities import Polynomial, read_names
from .limits import MAX_SHIFT, MAX_USERS
from .neighboring_laws import Shift, View, view_words
from .noise_laws import Event
from .reading import Object, Vector, read_choice, read_integer, read_object, show
from .symbolic_laws import ListedNoise, SymbolicLaw, SymbolicRandomizer

Signed = tuple[Polynomial, bool, str]  # to be shown at least 0 or, if strict, above 0; what it is called


class ParameterBox(NamedTuple):
    """The parameters and their box."""

    names: list[str]
    box: Box

    @classmethod
    def read(cls, claim: Object, most: int) -> ParameterBox:
        names = read_names(claim["parameters"], most)
        if not names:
            malformed("there are no parameters")
        return cls(names, read_box(claim["box"], len(names)))

    def function(self, value: object, where: str) -> Function:
        return Function.read(value, where, len(self.names))

    @property
    def words(self) -> str:
        return box_words(self.names, self.box)


def are_probabilities(functions: Iterable[Function]) -> list[Signed]:
    """What shows that functions are at least 0."""
    listed = list(functions)
    bottoms = distinct_polynomials(function.bottom for function in listed)
    tops = distinct_polynomials(function.top for function in listed if function.top)
    return [(bottom, True, "a bottom") for bottom in bottoms] + [(top, False, "a probability") for top in tops]


def check_signs(signs: Iterable[Signed], cell: Cell, work: Work) -> None:
    for polynomial, is_strict, what in signs:
        check_sign(to_integers([polynomial], what, work)[0], cell, is_strict, what, work)


class Inner(Protocol):
    """A claim with functions of the parameters, as it is checked on one cell."""

    @property
    def words(self) -> str: ...

    @property
    def facts(self) -> Facts: ...

    @property
    def signs(self) -> list[Signed]:
        """What is shown on each cell, so that there is a claim at each point."""
        ...

    @property
    def least(self) -> list[Polynomial]:
        """What is at least 0 where the claim holds."""
        ...

    def check(self, cell: Cell, work: Work) -> None: ...


class SymbolicLevel(NamedTuple):
    """e^eps and delta as functions."""

    exp_eps: Function
    delta: Function
    ratio: OverOne  # the one function e^eps
    bound: OverOne  # the one function delta
    words: str

    @classmethod
    def read(cls, claim: Object, parameters: ParameterBox, work: Work) -> SymbolicLevel:
        exp_eps, delta = (parameters.function(claim[key], key) for key in ("exp_eps", "delta"))
        groups = [OverOne.of([function], "a level", work) for function in (exp_eps, delta)]
        words = f"e^eps = {exp_eps.words(parameters.names)}, delta = {delta.words(parameters.names)}"
        return cls(exp_eps, delta, groups[0], groups[1], words)

    def signs(self, work: Work) -> list[Signed]:
        """e^eps is at least 1, and delta has a value."""
        excess = difference(self.exp_eps.top, self.exp_eps.bottom, work)
        bottoms = [(function.bottom, True, "a bottom") for function in (self.exp_eps, self.delta)]
        return [*bottoms, *([(excess, False, "e^eps - 1")] if excess else [])]


def read_level(claim: Object, parameters: ParameterBox, keys: Sequence[str], work: Work) -> SymbolicLevel:
    read_object(claim, "the claim", ["kind", "exp_eps", "delta", *keys])
    if "least" in keys:
        read_choice(claim["least"], "least", ["none"])
    return SymbolicLevel.read(claim, parameters, work)


class PackedLevel(NamedTuple):
    """e^eps = a/b and delta = c/d on a cell, and the packing of laws with such a level."""

    packing: Packing
    a: int
    b: int
    c: int
    d: int

    @classmethod
    def on(
        cls, cell: Cell, level: SymbolicLevel, degrees: Vector, norm_bits: int, work: Work, power: int = 1
    ) -> PackedLevel:
        """For laws of these degrees; e^eps is raised to a power."""
        (ratio, bound) = level.ratio, level.bound
        total = tuple(n + power * e + d for n, e, d in zip(degrees, ratio.degrees, bound.degrees))
        norm_bits += power * cell.norm([*ratio.tops, ratio.bottom], ratio.degrees, work).bit_length()
        norm_bits += cell.norm([*bound.tops, bound.bottom], bound.degrees, work).bit_length()
        packing = Packing(cell, total, norm_bits, work)
        a, b = packing.pack([*ratio.tops, ratio.bottom], ratio.degrees, work)
        c, d = packing.pack([*bound.tops, bound.bottom], bound.degrees, work)
        return cls(packing, a**power, b**power, c, d)

    def pay(self, outcomes: int, work: Work) -> None:
        """For the products of each outcome, and for its coefficients."""
        long = self.packing.places * self.packing.bits
        work.spend(4 * (1 + outcomes), long, max(map(int.bit_length, (self.a, self.b, self.c, self.d))))
        work.spend((1 + outcomes) * self.packing.places, self.packing.bits)

    def bounds(self, pairs: Iterable[Pair], most: list[int], work: Work) -> bool:
        """*Positive parts of coefficients bound positive parts.*"""
        left, d = most, self.d
        for p, q in pairs:
            self.pay(1, work)
            excess = self.packing.unpack(d * (self.b * p - self.a * q))
            left = [rest - max(0, coefficient) for rest, coefficient in zip(left, excess)]
        return min(left) >= 0

    def check_pairs(self, mechanism: View | Shift, total: int, work: Work) -> None:
        """Every pair of laws, of which there may be none."""
        self.pay(1, work)
        most = self.packing.unpack(self.c * self.b * total)
        if min(most) < 0:
            rejected("delta is not shown to be at least 0 on a cell")
        for pairs, _, words in mechanism.pairs(None, work):
            if not self.bounds(pairs, most, work):
                rejected(f"the divergence is not shown to be at most delta on a cell: {' '.join(map(str, words))}")


class ViewsOnCells(NamedTuple):
    """The claim shuffle_dp."""

    randomizer: SymbolicRandomizer
    n: int
    neighbors: str
    all_n: bool
    level: SymbolicLevel
    signs: list[Signed]

    @classmethod
    def read(cls, claim: Object, parameters: ParameterBox, work: Work) -> ViewsOnCells:
        level = read_level(claim, parameters, ["randomizer", "n", "scope", "neighbors", "least"], work)
        all_n = read_choice(claim["scope"], "scope", ["this n", "all n from n"]) == "all n from n"
        neighbors = read_choice(claim["neighbors"], "neighbors", ["replace-one", "add-or-remove-one"])
        n = read_integer(claim["n"], "n", 1, MAX_USERS)
        randomizer = SymbolicRandomizer.read(claim["randomizer"], parameters.names, parameters.function, work)
        signs = [*are_probabilities(randomizer.functions), *level.signs(work)]
        return cls(randomizer, n, neighbors, all_n, level, signs)

    @property
    def words(self) -> str:
        view = view_words(self.randomizer.words, self.n, self.all_n, self.neighbors)
        return f"{view}: ({self.level.words})-DP, both orders"

    @property
    def least(self) -> list[Polynomial]:
        return [self.level.delta.top]

    @property
    def facts(self) -> Facts:
        return [*View.bound_facts, BERNSTEIN, POSITIVE_PARTS, *([ADDING] if self.all_n else [])]

    def check(self, cell: Cell, work: Work) -> None:
        degrees = tuple(self.n * d for d in self.randomizer.group.degrees)
        level = PackedLevel.on(cell, self.level, degrees, self.n * self.randomizer.norm_bits(cell, work), work)
        view = View(self.randomizer.on(level.packing, work), self.n, self.neighbors, self.all_n)
        level.check_pairs(view, view.total, work)


class ShiftsOnCells(NamedTuple):
    """The claim shift_dp."""

    law: SymbolicLaw
    most: int
    level: SymbolicLevel
    signs: list[Signed]

    @classmethod
    def read(cls, claim: Object, parameters: ParameterBox, work: Work) -> ShiftsOnCells:
        level = read_level(claim, parameters, ["law", "shift", "least"], work)
        most = read_integer(claim["shift"], "shift", 1, MAX_SHIFT)
        law = SymbolicLaw.read(claim["law"], parameters.names, parameters.function, work)
        return cls(law, most, level, [*are_probabilities(law.functions), *level.signs(work)])

    @property
    def words(self) -> str:
        shifts = "shift 1" if self.most == 1 else f"shifts 1 to {self.most}"
        return f"count + {self.law.words}, {shifts}: ({self.level.words})-DP, both orders"

    @property
    def least(self) -> list[Polynomial]:
        return [self.level.delta.top]

    @property
    def facts(self) -> Facts:
        return [SHIFT_DOWN, BERNSTEIN, POSITIVE_PARTS]

    def check(self, cell: Cell, work: Work) -> None:
        level = PackedLevel.on(cell, self.level, self.law.degrees, self.law.norm_bits(cell, work), work)
        law = self.law.on(level.packing, work)
        level.check_pairs(Shift(ListedNoise(law), self.most), law.total, work)


class SmoothOnCells(NamedTuple):
    """The claim smooth."""

    law: SymbolicLaw
    k: int
    level: SymbolicLevel
    signs: list[Signed]

    @classmethod
    def read(cls, claim: Object, parameters: ParameterBox, work: Work) -> SmoothOnCells:
        level = read_level(claim, parameters, ["law", "k"], work)
        law = SymbolicLaw.read(claim["law"], parameters.names, parameters.function, work)
        signs = [*are_probabilities(law.functions), *level.signs(work)]
        return cls(law, read_integer(claim["k"], "k", 1, MAX_SHIFT), level, signs)

    @property
    def words(self) -> str:
        return f"{self.law.words} is ({self.level.words}, k = {self.k})-smooth"

    @property
    def least(self) -> list[Polynomial]:
        return [self.level.delta.top]

    @property
    def facts(self) -> Facts:
        return [BERNSTEIN]

    def check(self, cell: Cell, work: Work) -> None:
        for shift in range(1, self.k + 1):
            level = PackedLevel.on(cell, self.level, self.law.degrees, self.law.norm_bits(cell, work), work, shift)
            law = self.law.on(level.packing, work)
            for by in (shift, -shift):
                outside = 0
                pairs = ((w, q) if by < 0 else (q, w) for w, q in law.pairs(shift))
                for weight, other in pairs:
                    level.pay(1, work)
                    excess = level.d * (level.a * other - level.b * weight)
                    if level.packing.is_positive(level.packing.unpack(excess)):
                        outside += weight
                rest = level.b * (level.c * law.total - level.d * (law.total - outside))
                if min(level.packing.unpack(rest)) < 0:
                    rejected(f"the event is not shown to be at most delta on a cell: k' = {by}")


class TailOnCells(NamedTuple):
    """The claim tail."""

    law: SymbolicLaw
    first: int | None
    last: int | None
    is_upper: bool
    bound: Function
    least: list[Polynomial]
    names: list[str]

    @classmethod
    def read(cls, claim: Object, parameters: ParameterBox, work: Work) -> TailOnCells:
        read_object(claim, "the claim", ["kind", "law", "from", "to", "bound", "probability"])
        first = None if claim["from"] == "-infinity" else read_integer(claim["from"], "from")
        last = None if claim["to"] == "infinity" else read_integer(claim["to"], "to")
        is_upper = read_choice(claim["bound"], "bound", ["at most", "at least"]) == "at most"
        law = SymbolicLaw.read(claim["law"], parameters.names, parameters.function, work)
        bound = parameters.function(claim["probability"], "it")
        least = bound.top if is_upper else difference(bound.bottom, bound.top, work)
        return cls(law, first, last, is_upper, bound, [least], parameters.names)

    @property
    def words(self) -> str:
        low = "" if self.first is None else f"{show(Fraction(self.first))} <= "
        high = "" if self.last is None else f" <= {show(Fraction(self.last))}"
        sign = "<=" if self.is_upper else ">="
        return f"Y = {self.law.words}: P[{low}Y{high}] {sign} {self.bound.words(self.names)}"

    @property
    def facts(self) -> Facts:
        return [BERNSTEIN]

    @property
    def signs(self) -> list[Signed]:
        return [*are_probabilities(self.law.functions), (self.bound.bottom, True, "a bottom")]

    def check(self, cell: Cell, work: Work) -> None:
        bound = OverOne.of([self.bound], "it", work)
        degrees = tuple(n + d for n, d in zip(self.law.degrees, bound.degrees))
        bits = self.law.norm_bits(cell, work) + cell.norm([*bound.tops, bound.bottom], bound.degrees, work).bit_length()
        packing = Packing(cell, degrees, bits, work)
        c, d = packing.pack([*bound.tops, bound.bottom], bound.degrees, work)
        law, event = self.law.on(packing, work), Event([(self.first, self.last)])
        work.spend(4 * (1 + law.outcomes), packing.places * packing.bits)
        inside = sum(weight for k, weight in law.stream() if event.holds(k))
        rest = c * law.total - d * inside
        if min(packing.unpack(rest if self.is_upper else -rest)) < 0:
            rejected("the probability is not shown to be on this side of the bound on a cell")


class EqualOnCells(NamedTuple):
    """The claim equal_laws."""

    first: SymbolicLaw
    second: SymbolicLaw

    @classmethod
    def read(cls, claim: Object, parameters: ParameterBox, work: Work) -> EqualOnCells:
        read_object(claim, "the claim", ["kind", "first", "second"])
        laws = [
            SymbolicLaw.read(claim[key], parameters.names, parameters.function, work) for key in ("first", "second")
        ]
        return cls(laws[0], laws[1])

    @property
    def words(self) -> str:
        return f"{self.first.words} and {self.second.words} are the same law"

    @property
    def least(self) -> list[Polynomial]:
        return []

    @property
    def facts(self) -> Facts:
        return [BERNSTEIN]

    @property
    def signs(self) -> list[Signed]:
        return are_probabilities([*self.first.functions, *self.second.functions])

    def check(self, cell: Cell, work: Work) -> None:
        """The weights agree after crossing the totals, as polynomials."""
        degrees = tuple(map(sum, zip(self.first.degrees, self.second.degrees)))
        packing = Packing(cell, degrees, self.first.norm_bits(cell, work) + self.second.norm_bits(cell, work), work)
        first, second = (law.on(packing, work) for law in (self.first, self.second))
        long = packing.places * packing.bits
        work.spend(4 * (first.outcomes + second.outcomes), long, long)
        weights = [{k: weight for k, weight in law.stream() if weight} for law in (first, second)]
        for k in {**weights[0], **weights[1]}:
            if weights[0].get(k, 0) * second.total != weights[1].get(k, 0) * first.total:
                rejected(f"the probabilities of {show(Fraction(k))} are not the same functions")
