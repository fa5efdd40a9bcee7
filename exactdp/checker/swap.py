"""Privacy by the swap bound: for one ordered pair of inputs a bound over every data set, at any number of users.

A user's message is swapped with that of the user who differs, and all others who are left hold one input, but for a
factor near 1; or, without stages, he hides among those who send by a blanket. What bounds the mean of the positive part
of the sum of their values is an integral along a line of a product of characteristic functions, whose absolute values
are taken: a sum over nodes k step tilt, in integers of 2^-bits.

Trusted for: an upper bound of the divergence of every two neighbouring data sets that differ in this pair of inputs.

It rests on these facts, with their theorems of the Coq kernel:

- a privacy blanket bounds every data set: blanket.blanket_bound, blanket.blanket_bound_anywhere, blanket.blanket_dp,
  blanket.blanket_bound_one_message, blanket.blanket_dp_one_message
- swapped messages bound every data set: swapped_messages.swap_of_laws, swapped_stages.fewer_hide_less,
  swapped_stages.swap_in_stages, swapped_stages.swap_bound, swapped_stages.swap_bound_shuffled,
  swapped_stages.swap_dp
- who differs may keep a slot of his own: swapped_messages.swap_with_own_slot
- of sums of one user's values each the worst has equal ones: wave_bounds.vertex_mean, swap_vertices.swap_vertices,
  swap_vertices.swap_vertices_dp
- nodes of a positive-definite function add up to its integral or more: node_waves.nodes_majorant,
  node_sound.row_is_below_sound
- exponentials and logarithms by series: exponential_fixed_point.exp_enclosed, logarithm_fixed_point.log_enclosed
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import isqrt
from typing import NamedTuple

from .blanket import up
from .budget import NOT_SHOWN, Work, malformed, rejected, size
from .facts import BLANKET, NODES, OWN_SLOT, SERIES, SWAP, VERTEX, Facts
from .lattices import read_bits
from .limits import MAX_EXPONENT, MAX_FACTORS, MAX_LIST, MAX_NODES, MAX_PHASE_BITS, MAX_PLANS, MAX_STAGES
from .pair_classes import Around, Class, Vertex, law_of_values
from .reading import Vector, any_object, read_integer, read_list, read_object, read_short, show
from .reals import exp_bounds, floor_shift, log_bounds

TWICE_PI = Fraction(314159265358979, 5 * 10**13)
"""Below 2 pi, as pi = 3.141592653589793..."""
PHASE_BITS = 64
"""Which phases have more than masses: for 2^14 products each, and their halvings."""


class Plan(NamedTuple):
    """What a witness chooses for a pair: the tilt, the smoothing, the step and the number of nodes, and the stages."""

    tilt: Fraction
    smoothing: Fraction
    step: Fraction
    nodes: int
    stages: list[int]
    has_own: bool  # whether the user who differs keeps a slot of his own

    @classmethod
    def read(cls, value: object) -> Plan:
        has_own = "own_stages" in any_object(value, "a plan")
        key = "own_stages" if has_own else "stages"
        fields = read_object(value, "a plan", ["tilt", "smoothing", "step", "nodes", key])
        tilt, smoothing, step = (read_short(fields[key], key) for key in ("tilt", "smoothing", "step"))
        if min(tilt, smoothing, step) <= 0:
            malformed("a tilt, a smoothing or a step is not positive")
        listed = read_list(fields[key], key, int(has_own), MAX_STAGES)
        stages = [read_integer(end, "a stage", 1) for end in listed]
        if stages != sorted(set(stages)):
            malformed("the stages do not rise")
        return cls(tilt, smoothing, step, read_integer(fields["nodes"], "nodes", 1, MAX_NODES), stages, has_own)


class Nodes(NamedTuple):
    """In units of 2^-bits: twice the weight of each node but the first, and what the nodes beyond add; and a factor."""

    weights: list[int]
    rest: int
    factor: Fraction

    @classmethod
    def of(cls, plan: Plan, bits: int, work: Work) -> Nodes:
        one = 1 << bits
        long = size(plan.smoothing) + size(plan.step)
        work.spend((plan.nodes + 2) * (bits // 4 + 16), bits, bits + long)
        work.hold(plan.nodes, bits)
        falling = -((plan.smoothing * plan.step) ** 2) / 2
        falls = [exp_above(falling * k * k, bits) for k in range(plan.nodes + 1)]
        above, below = plan.step.numerator**2, plan.step.denominator**2
        step = plan.step * below
        weights = [
            -(-fall * step.numerator * (2 if k else 1) // (step.denominator * (below + above * k * k)))
            for k, fall in enumerate(falls)
        ]
        end = plan.step * plan.nodes
        rest = -(-2 * falls[-1] * end.denominator // end.numerator)
        smoothed = exp_above(plan.smoothing**2 / 2, bits)
        return cls(weights, rest, Fraction(smoothed, one) / (TWICE_PI * plan.tilt))


class Tilted(NamedTuple):
    """Of one row, in units of 2^-bits: masses of the values times e^(tilt value), rounded up, their sum, and by how
    much these may be too large together; and exactly what its messages without mass add.

    Where a positive mean may be added, it is, and all values have the other sign.
    """

    values: list[Fraction]
    masses: list[int]
    moment: int
    excess: int
    charge: Fraction

    @classmethod
    def of(
        cls, classes: Iterable[Class], ratio: Fraction, tilt: Fraction, bits: int, work: Work, reflects: bool = False
    ) -> Tilted:
        charge, law = law_of_values(classes, ratio, work)
        rest = 1 - sum((mass for mass, _, _ in law.values()), Fraction(0))
        masses = {value: mass for value, (mass, _, _) in law.items()}
        mean = sum((p - ratio * q for _, p, q in law.values()), Fraction(0))
        if reflects and mean > 0:
            charge, masses = charge + mean, {-value: mass for value, mass in masses.items()}
        masses[Fraction(0)] = masses.get(Fraction(0), Fraction(0)) + rest
        longest = max(map(size, masses))
        work.spend(len(masses) * (bits + 32), bits, bits + longest)
        above, below = list[int](), 0
        for value, mass in masses.items():
            low, high = tilted_bounds(tilt * value, bits)
            above.append(-(-mass.numerator * high // mass.denominator))
            below += mass.numerator * low // mass.denominator
        return cls(list(masses), above, sum(above), sum(above) - below, charge)

    def sizes(self, plan: Plan, bits: int, work: Work) -> list[int]:
        """At least abs(M(tilt + iy)) at the nodes y = k step tilt, in units of 2^-bits."""
        fine = bits + PHASE_BITS
        long = fine + self.moment.bit_length()
        work.spend(len(self.values) * fine, fine, fine + max(map(size, self.values)))
        work.spend((plan.nodes + 1) * (3 * len(self.values) + 8), long, fine)
        work.hold(3 * (plan.nodes + 1), 2 * long)
        reals, imaginaries = [0] * (plan.nodes + 1), [0] * (plan.nodes + 1)
        for value, mass in zip(self.values, self.masses):
            cosine, sine = unit_number(plan.step * plan.tilt * value, fine)
            x, y = 1 << fine, 0
            for k in range(plan.nodes + 1):
                reals[k] += mass * x
                imaginaries[k] += mass * y
                x, y = (x * cosine - y * sine) >> fine, (x * sine + y * cosine) >> fine
        slack = self.excess + up(self.moment, bits) + 1
        return [min(self.moment, up(isqrt(x * x + y * y) + 1, fine) + slack) for x, y in zip(reals, imaginaries)]


class Swap(NamedTuple):
    """What a witness says: the precision, some plans, and for each ordered pair of inputs which of them is taken."""

    bits: int
    plans: list[Plan]
    pairs: list[int]
    used: list[Vector]  # of each class of users that may have the one who differs, the classes that are counted on

    @classmethod
    def read(cls, value: object, has_classes: bool) -> Swap:
        fields = read_object(value, "the swap", ["bits", "plans", "pairs", *(["used"] if has_classes else [])])
        plans = [Plan.read(plan) for plan in read_list(fields["plans"], "plans", 1, MAX_PLANS)]
        pairs = read_list(fields["pairs"], "pairs", 0, MAX_LIST)
        places = [read_integer(place, "a place of a plan", 0, len(plans) - 1) for place in pairs]
        used = [read_places(entry) for entry in read_list(fields.get("used", []), "used", 0, MAX_FACTORS)]
        return cls(read_bits(fields), plans, places, used)

    def check(self, pairs: Iterable[Around], ratio: Fraction, delta: Fraction, work: Work) -> Facts:
        """That no ordered pair of inputs has a divergence above delta."""
        uses = iter(self.pairs)
        plans = {place: AtPlan(plan, self.bits, ratio, work) for place, plan in enumerate(self.plans)}
        for pair in pairs:
            place = next(uses, None)
            if place is None:
                rejected(f"{len(self.pairs)} plans are fewer than the pairs of inputs")
            if not plans[place].is_shown(pair, delta):
                rejected(f"{NOT_SHOWN} delta = {show(delta)}")
        if next(uses, None) is not None:
            rejected(f"{len(self.pairs)} plans are more than the pairs of inputs")
        swaps = any(self.plans[place].stages for place in self.pairs)
        blankets = any(not self.plans[place].stages for place in self.pairs)
        owns = any(self.plans[place].has_own for place in self.pairs)
        used = ((SWAP, swaps), (VERTEX, swaps), (OWN_SLOT, owns), (BLANKET, blankets))
        return [*(fact for fact, is_used in used if is_used), NODES, SERIES]


def read_places(value: object) -> Vector:
    """Rising places of classes of users."""
    places = [read_integer(place, "a class of users", 0) for place in read_list(value, "used", 1, MAX_FACTORS)]
    if places != sorted(set(places)):
        malformed("the classes that are used do not rise")
    return tuple(places)


class AtPlan:
    """A plan at one e^eps, with the rows that were met."""

    def __init__(self, plan: Plan, bits: int, ratio: Fraction, work: Work) -> None:
        self.plan, self.bits, self.ratio, self.work = plan, bits, ratio, work
        self.nodes: Nodes | None = None
        self.rows: dict[tuple[Class, ...], Tilted] = {}
        self.held = 0
        self.shown: set[object] = set()

    def is_shown(self, pair: Around, delta: Fraction) -> bool:
        """Whether the bound of a pair is at most delta: at once where all nodes may have the size of the first."""
        if self.nodes is None:
            self.nodes = Nodes.of(self.plan, self.bits, self.work)
        weights, unswapped, copies, vertices = self.stages(pair)
        own = [self.rows_of(vertex) for vertex in self.own_vertices(pair)]
        of_own = zip(*(self.bounds(rows, copies) for rows in own))
        slots = list[list[int]]()  # of his own slot, by all sizes and then by those of the nodes
        for vertex in vertices:
            rows = self.rows_of(vertex)
            named = (tuple((share, id(row)) for share, row in one) for one in [rows, *own])
            key = unswapped, tuple(weights), tuple(copies), *named
            if key in self.shown:
                continue
            self.shown.add(key)
            for step, bounds in enumerate(self.bounds(rows, copies)):
                if own:
                    if step == len(slots):
                        slots.append([max(each) for each in zip(*next(of_own))])
                    bounds = [x + max(0, -((x - y) // r)) for x, y, r in zip(bounds, slots[step], copies)]
                total = sum(weight * bound for weight, bound in zip(weights, bounds))
                if unswapped + Fraction(total, 1 << 2 * self.bits) <= delta:
                    break
            else:
                return False
        return True

    def stages(self, pair: Around) -> tuple[list[int], Fraction, list[int], Iterable[Vertex]]:
        """The chance of each stage, what is left of H, among how many users the one who differs then hides, and what
        these may hold; without stages all of them, who send by the blanket or what says nothing."""
        slots, ends = pair.others + 1 + self.plan.has_own, self.plan.stages
        if not ends:
            if slots < 2 or not pair.is_below:
                malformed("a plan without stages is for two users or more, and not for the family any")
            return [1 << self.bits], Fraction(0), [slots - slots % 2], [[(Fraction(1), pair.blanket)]]
        if ends[-1] > slots - 2 or any((slots - lost) % 2 for lost in ends):
            malformed(f"a stage of the plan does not leave an even number, of 2 or more, of {slots} users")
        weights, left = self.left(pair.gamma, pair.others)
        alone = sum((max(Fraction(0), p - self.ratio * q) for p, q, _ in pair.blanket), Fraction(0))
        return weights, alone * Fraction(left, 1 << self.bits), [slots - lost for lost in ends], pair.vertices

    def own_vertices(self, pair: Around) -> Iterable[Vertex]:
        """What his own slot may hold, if he has one: what the blanket sends, which is no worse for the family any."""
        if not self.plan.has_own:
            return []
        gamma = pair.gamma
        if not gamma or not pair.is_of_one_row:
            malformed("a slot of his own needs a blanket, and others who run one randomizer")
        return [[(Fraction(1), [(p, q, c / gamma) for p, q, c in pair.blanket])]] if pair.is_below else pair.vertices

    def rows_of(self, vertex: Vertex) -> list[tuple[Fraction, Tilted]]:
        return [(share, self.row(classes)) for share, classes in vertex]

    def row(self, classes: list[Class]) -> Tilted:
        longest = max(size(number) for one in classes for number in one)
        self.work.spend(16 * len(classes), longest)
        key = tuple(sorted(classes))
        if key not in self.rows:
            self.held += 8 * len(key)
            self.work.hold(self.held, self.bits + longest)
            reflects = not self.plan.stages
            self.rows[key] = Tilted.of(classes, self.ratio, self.plan.tilt, self.bits, self.work, reflects)
        return self.rows[key]

    def left(self, gamma: Fraction, others: int) -> tuple[list[int], int]:
        """At least, in units of 2^-bits: the chances of each stage, and that no message is swapped in any of them."""
        bits, one = self.bits, 1 << self.bits
        kept = 1 - gamma
        self.work.spend(8 * len(self.plan.stages) * 64, bits, bits + size(kept))
        low, high = floor_shift(kept, bits), -floor_shift(-kept, bits)
        if self.plan.has_own:
            self.work.spend(32 * self.plan.stages[-1], 2 * bits + 64, bits + 64)
        weights, before, passed = list[int](), one, 0
        least = most = one  # the product of s/(s + gamma), over the s others of whom one is looked at
        for lost in self.plan.stages:
            for unseen in range(others - passed, others - lost, -1) if self.plan.has_own else ():
                least = least * unseen * one // ((unseen + 1) * one - low)
                most = -(-most * unseen * one // ((unseen + 1) * one - high))
            passed = lost
            weights.append(before - (power_below(low, lost, bits) * least >> bits))
            before = up(power_above(high, lost, bits) * most, bits)
        return weights, before

    def powers(self, square: int, copies: list[int]) -> list[int]:
        """At least M^r for each number r of users, from M^2."""
        bits = self.bits
        self.work.spend(8 * bits * (1 + len(copies)), bits, bits + square.bit_length())
        logarithm = log_bounds(square, bits)[1]
        if logarithm * (copies[0] // 2) > MAX_EXPONENT << bits:
            rejected(f"{NOT_SHOWN} 1: a moment is too large")
        return [exp_above(Fraction(logarithm * (r // 2), 1 << bits), bits) for r in copies]

    def bounds(self, rows: list[tuple[Fraction, Tilted]], copies: list[int]) -> Iterator[list[int]]:
        """For each number of users B and the charge, rounded up: by all nodes being as large as the first, and then by
        what they are."""
        assert self.nodes is not None
        bits, nodes, factor = self.bits, self.nodes, self.nodes.factor
        square = up(sum(-(-share.numerator * row.moment**2 // share.denominator) for share, row in rows), bits)
        powers = self.powers(square, copies)
        charge = -floor_shift(-sum((share * row.charge for share, row in rows), Fraction(0)), bits)
        for sums in ([sum(nodes.weights) + nodes.rest] * len(copies), None):
            parts = zip(powers, sums or self.sums(rows, square, copies), copies)
            self.work.spend(8 * len(copies), 3 * bits + size(factor), 2 * bits + size(factor))
            yield [charge - (-p * s * factor.numerator // (r * factor.denominator << bits)) for p, s, r in parts]

    def sums(self, rows: list[tuple[Fraction, Tilted]], square: int, copies: list[int]) -> list[int]:
        """For each number r of users at least the sum over the nodes of their weights times phi^r, and the rest."""
        assert self.nodes is not None
        bits, one, weights = self.bits, 1 << self.bits, self.nodes.weights
        squares = [0] * len(weights)
        for share, row in rows:
            for k, reached in enumerate(row.sizes(self.plan, bits, self.work)):
                squares[k] -= -share.numerator * reached**2 // share.denominator
        shares = [min(one, -(-reached // square)) for reached in squares]
        exponent, sums = 0, list[int]()
        terms = [one] * len(weights)
        for r in reversed(copies):
            more, exponent = r // 2 - exponent, r // 2
            self.work.spend(len(weights) * (more.bit_length() + 2), bits, bits)
            terms = [
                term if term == 1 else up(term * power_above(share, more, bits), bits)
                for term, share in zip(terms, shares)
            ]
            sums.append(up(sum(w * term for w, term in zip(weights, terms)), bits) + self.nodes.rest)
        return sums[::-1]


def power_below(base: int, exponent: int, bits: int) -> int:
    """At most (base / 2^bits)^exponent in these units, of a base of at least 0."""
    reached = 1 << bits
    for digit in f"{exponent:b}":
        reached = reached * reached >> bits
        if digit == "1":
            reached = reached * base >> bits
    return reached


def power_above(base: int, exponent: int, bits: int) -> int:
    """At least that."""
    reached = 1 << bits
    for digit in f"{exponent:b}":
        reached = up(reached * reached, bits)
        if digit == "1":
            reached = up(reached * base, bits)
    return reached


def exp_above(exponent: Fraction, bits: int) -> int:
    """At least e^exponent in units of 2^-bits; an exponent far below 0 is taken for a larger one."""
    return exp_bounds(max(-floor_shift(-exponent, bits), -MAX_EXPONENT << bits), bits)[1]


def tilted_bounds(exponent: Fraction, bits: int) -> tuple[int, int]:
    """Integers around e^exponent in units of 2^-bits."""
    floor = floor_shift(exponent, bits)
    if floor < -MAX_EXPONENT << bits:
        return 0, exp_above(exponent, bits)
    low, high = exp_bounds(floor, bits)
    return low, high + (high >> bits - 1) + 1


def unit_number(angle: Fraction, bits: int) -> tuple[int, int]:
    """Cosine and sine in units of 2^-bits, by less than 4 of these away: a Taylor sum below 1/8, squared h times."""
    halvings = floor_shift(abs(angle), 3).bit_length()
    if halvings > MAX_PHASE_BITS + 3:
        malformed(f"the check is too large: a phase of 2^{MAX_PHASE_BITS} or more")
    precision = bits + 2 * halvings + 16
    y = floor_shift(abs(angle), precision) >> halvings
    parts, term, count = [0, 0, 0, 0], 1 << precision, 0
    while term:
        parts[count % 4] += term
        count += 1
        term = term * y // (count << precision)
    cosine, sine = parts[0] - parts[2], parts[1] - parts[3]
    for _ in range(halvings):
        cosine, sine = (cosine * cosine - sine * sine) >> precision, 2 * cosine * sine >> precision
    extra = precision - bits
    return cosine >> extra, (sine >> extra if angle >= 0 else -(sine >> extra))
