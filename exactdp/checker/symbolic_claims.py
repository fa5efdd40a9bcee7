"""The claims that can stand in for_all, with functions of the parameters: how each is shown on one cell of the box.

Trusted for: what is shown on a cell is a claim at each of its points, and holds there for every pair of laws.

It rests on these facts, with their theorems of the Coq kernel:

- a Bernstein form shows the sign on a cube: bernstein.bernstein_sound, box_inequality.box_inequality_proved
- positive parts of coefficients bound positive parts: positive_coefficients.positive_parts_below
- an event is below a divergence: hockey_stick.hockey_stick_iff
- a shift down is a shift up in the other order: shifts.shift_down, shifts.shifts_both_orders
- adding a user is post-processing: adding_a_user.adding_a_user, adding_a_user.convolution_hockey_stick,
  adding_a_user.adding_users, moved_bystanders.adding_users_add_or_remove
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple, Protocol, cast

from .boxes import Box, box_words, read_box
from .budget import Work, malformed, rejected
from .cells import Cell, Packing, check_sign
from .facts import ADDING, AN_EVENT_IS_BELOW, BERNSTEIN, POSITIVE_PARTS, SHIFT_DOWN, Facts
from .finite_laws import Pair, Table, pack
from .functions_of_parameters import Function, OverOne, difference, distinct_polynomials, to_integers
from .inequalities import Polynomial, read_names
from .limits import MAX_DELTAS, MAX_LIST, MAX_SHIFT, MAX_UNCERTAIN, MAX_USERS
from .neighboring_laws import BOUND_FACTS, Shift, View, view_words
from .noise_laws import Event
from .reading import Object, Vector, any_object, read_choice, read_counts, read_integer, read_list, read_object, show
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
    def bounds(self) -> list[Polynomial]:
        """One of them is at least 0 where the claim holds."""
        ...

    def check(self, cell: Cell, work: Work) -> None: ...


class SymbolicLevel(NamedTuple):
    """e^eps and delta as functions."""

    exp_eps: Function
    deltas: list[Function]  # delta is the largest of them
    is_least: bool  # no smaller delta will do
    ratio: OverOne  # the one function e^eps
    bounds: OverOne  # those of delta
    words: str

    @classmethod
    def read(cls, claim: Object, parameters: ParameterBox, keys: Sequence[str], work: Work) -> SymbolicLevel:
        read_object(claim, "the claim", ["kind", "exp_eps", "delta", *keys])
        is_least = "least" in keys and read_choice(claim["least"], "least", ["none", "delta"]) == "delta"
        exp_eps = parameters.function(claim["exp_eps"], "exp_eps")
        deltas = read_deltas(claim["delta"], parameters, 1 if "k" in keys else MAX_DELTAS)
        ratio, bounds = (OverOne.of(functions, "a level", work) for functions in ([exp_eps], deltas))
        shown = [delta.words(parameters.names) for delta in deltas]
        largest = shown[0] if len(shown) == 1 else f"max({', '.join(shown)})"
        words = f"e^eps = {exp_eps.words(parameters.names)}, delta = {largest}{', the least' if is_least else ''}"
        return cls(exp_eps, deltas, is_least, ratio, bounds, words)

    def signs(self, work: Work) -> list[Signed]:
        """e^eps is at least 1, and delta has a value."""
        excess = difference(self.exp_eps.top, self.exp_eps.bottom, work)
        bottoms = distinct_polynomials(function.bottom for function in (self.exp_eps, *self.deltas))
        signs = [(bottom, True, "a bottom") for bottom in bottoms]
        return [*signs, *([(excess, False, "e^eps - 1")] if excess else [])]

    @property
    def tops(self) -> list[Polynomial]:
        return [delta.top for delta in self.deltas]

    @property
    def facts(self) -> Facts:
        return [BERNSTEIN, POSITIVE_PARTS, *([AN_EVENT_IS_BELOW] if self.is_least else [])]


def read_deltas(value: object, parameters: ParameterBox, most: int) -> list[Function]:
    """A function, or the largest of several."""
    if most > 1 and isinstance(value, dict) and "max" in value:
        fields = read_object(cast(Object, value), "delta", ["max"])
        return [parameters.function(entry, "delta") for entry in read_list(fields["max"], "max", 2, most)]
    return [parameters.function(value, "delta")]


class PackedLevel(NamedTuple):
    """e^eps = a/b and delta = max c/d on a cell, and the packing of laws with such a level."""

    packing: Packing
    a: int
    b: int
    c: list[int]
    d: int

    @classmethod
    def on(
        cls, cell: Cell, level: SymbolicLevel, degrees: Vector, norm_bits: int, work: Work, power: int = 1
    ) -> PackedLevel:
        """For laws of these degrees; e^eps is raised to a power."""
        ratio, bound = level.ratio, level.bounds
        total = tuple(n + power * e + d for n, e, d in zip(degrees, ratio.degrees, bound.degrees))
        norm_bits += power * cell.norm([*ratio.tops, ratio.bottom], ratio.degrees, work).bit_length()
        norm_bits += cell.norm([*bound.tops, bound.bottom], bound.degrees, work).bit_length()
        packing = Packing(cell, total, norm_bits, work)
        a, b = packing.pack([*ratio.tops, ratio.bottom], ratio.degrees, work)
        *c, d = packing.pack([*bound.tops, bound.bottom], bound.degrees, work)
        return cls(packing, a**power, b**power, c, d)

    def pay(self, outcomes: int, work: Work) -> None:
        """For the products of each outcome, and for its coefficients."""
        long = self.packing.places * self.packing.bits
        work.spend(4 * (1 + outcomes), long, max(map(int.bit_length, (self.a, self.b, *self.c, self.d))))
        work.spend((1 + outcomes) * self.packing.places, self.packing.bits)

    def check_pairs(self, mechanism: View | Shift, total: int, work: Work) -> None:
        """Every pair of laws, of which there may be none."""
        self.pay(len(self.c), work)
        bounds = [self.packing.unpack(c * self.b * total) for c in self.c]
        if all(min(bound) < 0 for bound in bounds):
            rejected("delta is not shown to be at least 0 on a cell")
        for pairs, _, words in mechanism.pairs(None, work):
            if not self.is_below(pairs, bounds, work):
                rejected(f"the divergence is not shown to be at most delta on a cell: {' '.join(map(str, words))}")

    def is_below(self, pairs: Iterable[Pair], bounds: list[list[int]], work: Work) -> bool:
        """*Positive parts of coefficients bound positive parts*, or every event is below one of the bounds: those with
        the outcomes that are above 0 on the cell, without those that are below, and any of the few that are neither."""
        positive = certain = [0] * self.packing.places
        uncertain: list[list[int]] = []
        for p, q in pairs:
            self.pay(1, work)
            excess = self.packing.unpack(self.d * (self.b * p - self.a * q))
            positive = [total + max(0, coefficient) for total, coefficient in zip(positive, excess)]
            if min(excess) >= 0:
                certain = both(certain, excess)
            elif max(excess) > 0:
                uncertain.append(excess)
        if is_below_one(positive, bounds):
            return True
        if len(uncertain) > MAX_UNCERTAIN:
            return False
        work.spend((1 + len(bounds)) * self.packing.places << len(uncertain), self.packing.bits)
        events = [certain]
        for excess in uncertain:
            events += [both(event, excess) for event in events]
        return all(is_below_one(event, bounds) for event in events)

    def check_reached(
        self, entries: object, event: Callable[[Object], tuple[int, int]], total: int, work: Work
    ) -> None:
        """*An event is below a divergence*: for each function of delta one that is equal to it, identically."""
        for c, entry in zip(self.c, read_list(entries, "reached", len(self.c), len(self.c))):
            self.pay(2, work)
            p, q = event(any_object(entry, "an entry of reached"))
            if self.d * (self.b * p - self.a * q) != c * self.b * total:
                rejected("the event of the witness does not have this delta")


def both(first: list[int], second: list[int]) -> list[int]:
    return [a + b for a, b in zip(first, second)]


def is_below_one(event: list[int], bounds: list[list[int]]) -> bool:
    return any(all(a <= b for a, b in zip(event, bound)) for bound in bounds)


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
        level = SymbolicLevel.read(claim, parameters, ["randomizer", "n", "scope", "neighbors", "least"], work)
        all_n = read_choice(claim["scope"], "scope", ["this n", "all n from n"]) == "all n from n"
        if all_n and level.is_least:
            malformed("for all parameters, delta is the least for 'this n' only")
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
    def bounds(self) -> list[Polynomial]:
        return self.level.tops

    @property
    def facts(self) -> Facts:
        return [*BOUND_FACTS, *self.level.facts, *([ADDING] if self.all_n else [])]

    def on(self, cell: Cell, work: Work) -> tuple[PackedLevel, View]:
        degrees = tuple(self.n * d for d in self.randomizer.group.degrees)
        level = PackedLevel.on(cell, self.level, degrees, self.n * self.randomizer.norm_bits(cell, work), work)
        return level, View(self.randomizer.on(level.packing, work), self.n, self.neighbors, self.all_n)

    def check(self, cell: Cell, work: Work) -> None:
        level, view = self.on(cell, work)
        level.check_pairs(view, view.total, work)

    def check_reached(self, cell: Cell, entries: object, work: Work) -> None:
        level, view = self.on(cell, work)
        level.check_reached(entries, lambda entry: event_of_views(view, entry, work), view.total, work)


def event_of_views(view: View, entry: Object, work: Work) -> tuple[int, int]:
    """The weights of an event, some outcomes as message counts, for two neighbouring data sets."""
    read_object(entry, "an entry of reached", [*view.keys, "event"])
    first, second = (view.law(users, work) for users in view.data_sets(entry))
    messages, base = view.randomizer.messages, view.randomizer.base(view.n)
    listed = [read_counts(v, "an outcome", messages) for v in read_list(entry["event"], "event", 0, MAX_LIST)]
    work.spend(4 * (1 + len(listed)), view.bits)
    if max([0, *map(sum, listed)]) >= base or len({*listed}) < len(listed):
        malformed("an outcome of the event has more messages than n users send, or is there twice")
    outcomes = pack(dict.fromkeys(listed, 1), base) if listed else {}
    return sum(first.get(o, 0) for o in outcomes), sum(second.get(o, 0) for o in outcomes)


class ShiftsOnCells(NamedTuple):
    """The claim shift_dp."""

    law: SymbolicLaw
    most: int
    level: SymbolicLevel
    signs: list[Signed]

    @classmethod
    def read(cls, claim: Object, parameters: ParameterBox, work: Work) -> ShiftsOnCells:
        level = SymbolicLevel.read(claim, parameters, ["law", "shift", "least"], work)
        most = read_integer(claim["shift"], "shift", 1, MAX_SHIFT)
        law = SymbolicLaw.read(claim["law"], parameters.names, parameters.function, work)
        return cls(law, most, level, [*are_probabilities(law.functions), *level.signs(work)])

    @property
    def words(self) -> str:
        shifts = "shift 1" if self.most == 1 else f"shifts 1 to {self.most}"
        return f"count + {self.law.words}, {shifts}: ({self.level.words})-DP, both orders"

    @property
    def bounds(self) -> list[Polynomial]:
        return self.level.tops

    @property
    def facts(self) -> Facts:
        return [SHIFT_DOWN, *self.level.facts]

    def on(self, cell: Cell, work: Work) -> tuple[PackedLevel, Table]:
        level = PackedLevel.on(cell, self.level, self.law.degrees, self.law.norm_bits(cell, work), work)
        return level, self.law.on(level.packing, work)

    def check(self, cell: Cell, work: Work) -> None:
        level, law = self.on(cell, work)
        level.check_pairs(Shift(ListedNoise(law), self.most), law.total, work)

    def check_reached(self, cell: Cell, entries: object, work: Work) -> None:
        level, law = self.on(cell, work)
        level.check_reached(entries, lambda entry: event_of_shifts(law, self.most, entry, work), law.total, work)


def event_of_shifts(law: Table, most: int, entry: Object, work: Work) -> tuple[int, int]:
    """The weights of an event, some integers, for the law and the law moved, or the other way round."""
    read_object(entry, "an entry of reached", [*Shift.keys, "event"])
    shift, order = Shift(ListedNoise(law), most).read_pair(entry)
    listed = [read_integer(t, "an outcome") for t in read_list(entry["event"], "event", 0, MAX_LIST)]
    if len({*listed}) < len(listed):
        malformed("an outcome of the event is there twice")
    work.spend(4 * (law.outcomes + len(listed)), law.bits)
    weights = dict(law.stream())
    here, moved = sum(weights.get(t, 0) for t in listed), sum(weights.get(t - shift, 0) for t in listed)
    return (here, moved) if order == "forward" else (moved, here)


class SmoothOnCells(NamedTuple):
    """The claim smooth."""

    law: SymbolicLaw
    k: int
    level: SymbolicLevel
    signs: list[Signed]

    @classmethod
    def read(cls, claim: Object, parameters: ParameterBox, work: Work) -> SmoothOnCells:
        level = SymbolicLevel.read(claim, parameters, ["law", "k"], work)
        law = SymbolicLaw.read(claim["law"], parameters.names, parameters.function, work)
        signs = [*are_probabilities(law.functions), *level.signs(work)]
        return cls(law, read_integer(claim["k"], "k", 1, MAX_SHIFT), level, signs)

    @property
    def words(self) -> str:
        return f"{self.law.words} is ({self.level.words}, k = {self.k})-smooth"

    @property
    def bounds(self) -> list[Polynomial]:
        return self.level.tops

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
                rest = level.b * (level.c[0] * law.total - level.d * (law.total - outside))
                if min(level.packing.unpack(rest)) < 0:
                    rejected(f"the event is not shown to be at most delta on a cell: k' = {by}")


class TailOnCells(NamedTuple):
    """The claim tail."""

    law: SymbolicLaw
    first: int | None
    last: int | None
    is_upper: bool
    bound: Function
    bounds: list[Polynomial]
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
    def bounds(self) -> list[Polynomial]:
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
