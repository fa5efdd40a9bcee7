"""The claim composed: many runs of mechanisms, each on data that may depend on the answers before it.

Privacy losses stand on a lattice of powers of one rational, as integers in units of 2^-bits.

Trusted for: upper bounds of all losses in a proof, lower bounds of one event in a refutation.

It rests on these facts, with their theorems of the Coq kernel:

- a privacy curve on a lattice composes: privacy_curve.privacy_curve, privacy_curve.curve_dominates,
  adaptive_composition.adaptive_composition, adaptive_composition.composition_at_most_1,
  lattice_losses.losses_times_covers, curve_program.losses_of_curve_dominate, curve_program.power_below_bound,
  composed_program.curve_run, composed_program.composed_private
- losses may be merged in an event: merged.merged_event, merged.merged_times, merged.merged_window
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import islice, takewhile
from typing import NamedTuple, TypeVar

from .budget import NOT_SHOWN, Work, malformed, rejected, size
from .divergences import Level
from .enclosed_laws import multiply_lists
from .facts import CURVE, MERGED, Facts
from .finite_laws import Pair
from .limits import (
    LATTICE_BITS,
    MAX_BITS,
    MAX_INEQUALITY_BITS,
    MAX_LIST,
    MAX_PARTS,
    MAX_PRECISION,
    MAX_RUNS,
    MIN_PRECISION,
    TRIM_BITS,
)
from .neighboring_laws import ClassesView, FamilyView, Shift, View
from .noise_laws import enclosed_pairs
from .noise_privacy import ShiftPrivacy
from .privacy import Privacy
from .reading import Object, any_object, read_integer, read_list, read_object, read_short, show
from .reals import floor_shift
from .scores import trimmed
from .view_tests import PAIR_TESTS, read_pair

Composable = TypeVar("Composable")


class Run(NamedTuple):
    """A mechanism, held as its claim at a level that is replaced, and the number of times that it is run."""

    claim: Privacy | ShiftPrivacy
    times: int

    @classmethod
    def read(cls, value: object, work: Work) -> Run:
        keys = ["randomizer", "n", "neighbors"] if "randomizer" in any_object(value, "a run") else ["law", "shift"]
        fields = read_object(value, "a run", [*keys, "times"])
        times = read_integer(fields["times"], "times", 1, MAX_RUNS)
        claim: Object = {"exp_eps": "1", "delta": "1", "least": "none", **{key: fields[key] for key in keys}}
        if "law" in fields:
            return cls(ShiftPrivacy.read({"kind": "shift_dp", **claim}, work), times)
        return cls(Privacy.read_shuffle({"kind": "shuffle_dp", "scope": "this n", **claim}, work), times)

    @property
    def mechanism(self) -> View | FamilyView | Shift:
        mechanism = self.claim.shift if isinstance(self.claim, ShiftPrivacy) else self.claim.mechanism
        assert not isinstance(mechanism, ClassesView)  # a run has no classes
        return mechanism

    @property
    def words(self) -> str:
        return f"{self.times} x ({self.mechanism.words})"

    def check_curve(self, curve: list[int], rho: Fraction, bits: int, witness: Object, work: Work) -> Facts:
        """The mechanism is (eps, delta)-DP at each power of rho, or just below it."""
        facts: Facts = []
        if "levels" in witness:
            read_object(witness, "a witness", ["levels"])
            levels = read_list(witness["levels"], "levels", len(curve), len(curve))
            witnesses = [any_object(level, "a witness of a level") for level in levels]
        else:
            witnesses = [read_object(witness, "a witness", ["bits"] if "bits" in witness else [])] * len(curve)
        for delta, exp_eps, level_witness in zip(curve, powers_below(rho), witnesses):
            work.spend(64, exp_eps.bit_length(), size(rho))
            if exp_eps.bit_length() > MAX_INEQUALITY_BITS:
                malformed(f"a curve beyond an e^eps of {MAX_INEQUALITY_BITS} bits")
            level = Level(Fraction(exp_eps, 1 << LATTICE_BITS), Fraction(0), Fraction(delta, 1 << bits), "none")
            facts += self.claim._replace(level=level).prove(level_witness, work)
        return facts

    def masses(self, witness: Object, bits: int, work: Work) -> tuple[list[Pair], Facts]:
        """Of the outcomes of the pair of a witness, lower bounds of P and upper bounds of Q, in units of 2^-bits."""
        if "bits" in witness and isinstance(self.mechanism, Shift):
            return self.enclosed_masses(self.mechanism, witness, bits, work)
        if not isinstance(self.mechanism, Shift) and len(witness) == 1 and not set(PAIR_TESTS).isdisjoint(witness):
            return self.tested_masses(self.mechanism, witness, bits, work)
        read_object(witness, "a pair", self.mechanism.keys)
        pairs, total = self.mechanism.pair(witness, None, work)
        scaled = (((p << bits) // total, -((-q << bits) // total)) for p, q in pairs)
        masses = work.listed(scaled, 2 * bits)
        work.spend(2 * len(masses), total.bit_length(), bits)
        return masses, list(self.mechanism.witness_facts)

    def tested_masses(
        self, view: View | FamilyView, witness: Object, bits: int, work: Work
    ) -> tuple[list[Pair], Facts]:
        """The same for the values of a test of the view."""
        if view.neighbors != "replace-one":
            malformed("a test of the view is a pair for replace-one")
        laws, facts = read_pair(witness, view, work)
        return laws.masses(bits, work), facts

    def enclosed_masses(self, mechanism: Shift, witness: Object, bits: int, work: Work) -> tuple[list[Pair], Facts]:
        """The same for noise whose weights are enclosed."""
        read_object(witness, "a pair", [*mechanism.keys, "bits"])
        shift, order = mechanism.read_pair(witness)
        reached = work.listed(enclosed_pairs(mechanism.noise, shift, bits, witness, work), 4 * bits)
        low = sum(weight[0] for _, weight, _ in reached)
        high = sum(weight[1] for _, weight, _ in reached)
        if low == 0:
            rejected("the precision does not show that any weight is positive")
        pairs = ((weight, moved) if order == "forward" else (moved, weight) for _, weight, moved in reached)
        masses = [((p[0] << bits) // high, -((-q[1] << bits) // low)) for p, q in pairs]
        return masses, mechanism.noise.enclosed_facts


class Composed(NamedTuple):
    """All runs together are (eps, delta)-DP, each on data that may depend on the answers before it."""

    runs: list[Run]
    level: Level

    @classmethod
    def read(cls, claim: Object, work: Work) -> Composed:
        read_object(claim, "the claim", ["kind", "runs", "exp_eps" if "exp_eps" in claim else "eps", "delta"])
        runs = [Run.read(run, work) for run in read_list(claim["runs"], "runs", 1, MAX_PARTS)]
        return cls(runs, Level.read({**claim, "least": "none"}))

    @property
    def words(self) -> str:
        return f"{' and '.join(run.words for run in self.runs)}, composed adaptively: {self.level.words}"

    def read_lattice(self, witness: Object, key: str) -> tuple[Fraction, int, list[object]]:
        read_object(witness, "the witness", [*self.level.terms_keys, "ratio", "precision", key])
        rho = read_short(witness["ratio"], "ratio")
        if rho <= 1:
            malformed("the ratio of the lattice is not above 1")
        bits = read_integer(witness["precision"], "precision", MIN_PRECISION, MAX_PRECISION)
        return rho, bits, read_list(witness[key], key, len(self.runs), len(self.runs))

    def prove(self, witness: Object, work: Work) -> Facts:
        """*A privacy curve on a lattice composes*: each run's losses are at most those that its curve has."""
        rho, bits, entries = self.read_lattice(witness, "curves")
        facts, every = [CURVE], Losses(0, [1 << bits], 0)
        for run, entry in zip(self.runs, entries):
            fields = read_object(entry, "a curve", ["deltas", "witness"])
            deltas = read_list(fields["deltas"], "deltas", 1, MAX_LIST)
            curve = [read_integer(delta, "a delta", 0, 1 << bits) for delta in deltas]
            facts += run.check_curve(curve, rho, bits, any_object(fields["witness"], "a witness"), work)
            times = partial(Losses.times, bits=bits, work=work)
            every = times(every, self_composed(Losses.of_curve(curve, rho, bits, work), run.times, times))
        if min(Fraction(1), every.divergence(self.level.below(witness, work), rho, bits, work)) > self.level.delta:
            rejected(f"{NOT_SHOWN} delta = {show(self.level.delta)}")
        return [*facts, *self.level.facts]

    def refute(self, witness: Object, work: Work) -> Facts:
        """*Losses may be merged in an event*: some event that the lattice knows is too likely under P."""
        rho, bits, entries = self.read_lattice(witness, "pairs")
        facts, every = [MERGED], Merged(0, [1 << bits], [1 << bits], 0)
        for run, entry in zip(self.runs, entries):
            masses, more = run.masses(any_object(entry, "a pair"), bits, work)
            facts += more
            times = partial(Merged.times, bits=bits, work=work)
            every = times(every, self_composed(Merged.of_masses(masses, rho, bits, work), run.times, times))
        ratio = self.level.above(witness, work)
        reached = largest = 0
        for p, q in zip(reversed(every.first), reversed(every.second)):
            reached += p * ratio.denominator - q * ratio.numerator
            largest = max(largest, reached)
        work.spend(len(every.first), bits, size(ratio))
        if Fraction(largest + every.infinite * ratio.denominator, ratio.denominator << bits) <= self.level.delta:
            rejected(f"the divergence of the witness is not shown to be above delta = {show(self.level.delta)}")
        return [*facts, *self.level.facts]


def powers_below(rho: Fraction) -> Iterator[int]:
    """Numbers of at least 2^LATTICE_BITS and at most 2^LATTICE_BITS rho^j, for j = 0, 1, ..."""
    power = 1 << LATTICE_BITS
    while True:
        yield power
        power = power * rho.numerator // rho.denominator


def self_composed(base: Composable, copies: int, times: Callable[[Composable, Composable], Composable]) -> Composable:
    """Independent copies of the base together, by repeated squaring."""
    if copies == 1:
        return base
    half = self_composed(base, copies // 2, times)
    square = times(half, half)
    return times(square, base) if copies % 2 else square


class Losses(NamedTuple):
    """Upper bounds, in units of 2^-bits, of the masses at the losses ln rho^j for j = low, low + 1, ..., and at
    infinity."""

    low: int
    masses: list[int]
    infinite: int

    @classmethod
    def of_curve(cls, curve: list[int], rho: Fraction, bits: int, work: Work) -> Losses:
        """The measure whose divergence is 1 at 0, curve[|j|] at rho^j or what symmetry makes of it, linear between."""
        a, b, d = rho.numerator, rho.denominator, [*curve, curve[-1]]
        work.spend(8 * len(d), bits, bits)
        bends = [b * (d[j + 1] - d[j]) - a * (d[j] - d[j - 1]) for j in range(1, len(curve))]
        zero = ((a - b) << bits) + 2 * b * d[1] - (a + b) * d[0]
        above = [-(-max(0, bend) // (a - b)) for bend in bends]
        inverse, below = 1 << bits, []
        for mass in above:
            inverse = -(-inverse * b // a)
            below.append(-(-mass * inverse >> bits))
        return cls(-len(above), [*reversed(below), -(-max(0, zero) // (a - b)), *above], curve[-1])

    def times(self, other: Losses, bits: int, work: Work) -> Losses:
        """The sum of two independent losses. Small ones are raised at either end: above, to infinity."""
        products = multiply_lists(self.masses, other.masses, work)
        infinite = self.infinite * (sum(other.masses) + other.infinite) + sum(self.masses) * other.infinite
        masses = [-(-product >> bits) for product in products]
        first, last = trimmed(masses)
        masses[first] += sum(masses[:first])
        low = self.low + other.low + first
        return Losses(low, masses[first:last], -(-infinite >> bits) + sum(masses[last:]))

    def divergence(self, ratio: Fraction, rho: Fraction, bits: int, work: Work) -> Fraction:
        """An upper bound of the sum of mass * max(0, 1 - ratio / rho^j), for ratio >= 1."""
        fine = bits + LATTICE_BITS
        bound, inverse, total = floor_shift(ratio, fine), 1 << fine, self.infinite << 2 * fine
        work.spend(4 * max(0, self.low + len(self.masses)), fine, max(fine, bound.bit_length()))
        for j in range(1, self.low + len(self.masses)):
            inverse = inverse * rho.denominator // rho.numerator
            excess = (1 << 2 * fine) - bound * inverse
            if j >= self.low and excess > 0 and (excess >> 2 * fine - MIN_PRECISION or not is_power(ratio, rho, j)):
                total += self.masses[j - self.low] * excess
        return Fraction(total, 1 << bits + 2 * fine)


def is_power(ratio: Fraction, rho: Fraction, j: int) -> bool:
    """Whether ratio = rho^j, for numbers that are not too long; those of as many bits are compared."""
    bits, length = ratio.numerator.bit_length(), rho.numerator.bit_length()
    return j * (length - 1) < bits <= min(MAX_BITS, j * length) and ratio == rho**j


class Merged(NamedTuple):
    """Lower bounds of P and upper bounds of Q, in units of 2^-bits, on disjoint events at places low, low + 1, ...;
    and a lower bound of P where Q = 0."""

    low: int
    first: list[int]
    second: list[int]
    infinite: int

    @classmethod
    def of_masses(cls, masses: list[Pair], rho: Fraction, bits: int, work: Work) -> Merged:
        """An outcome is put at the j for which p / q is just above rho^j; any place would do."""
        finite = [(p, q, (max(p, q) << LATTICE_BITS) // min(p, q)) for p, q in masses if q and p >> TRIM_BITS]
        most = min(1 << 2 * LATTICE_BITS, 2 * max((ratio for _, _, ratio in finite), default=0))
        powers = list(takewhile(lambda power: power <= most, islice(powers_below(rho), MAX_LIST)))
        work.spend(4 * len(powers), 4 * LATTICE_BITS, size(rho))
        work.spend(8 * len(masses), bits, bits)
        places: dict[int, list[int]] = {0: [0, 0]}
        for p, q, ratio in finite:
            j = bisect(powers, ratio + (ratio >> LATTICE_BITS // 2)) - 1  # a tie may have been rounded down
            entry = places.setdefault(j if p >= q else -j, [0, 0])
            entry[0] += p
            entry[1] += q
        every = range(min(places), max(places) + 1)
        first, second = ([places[j][i] if j in places else 0 for j in every] for i in (0, 1))
        return cls(every.start, first, second, sum(p for p, q in masses if q == 0))

    def times(self, other: Merged, bits: int, work: Work) -> Merged:
        """The outcomes of two independent runs; those of little mass are left out at either end."""
        first = [product >> bits for product in multiply_lists(self.first, other.first, work)]
        second = [-(-product >> bits) for product in multiply_lists(self.second, other.second, work)]
        start, end = trimmed(first)
        infinite = self.infinite + other.infinite - (-(-self.infinite * other.infinite >> bits))
        return Merged(self.low + other.low + start, first[start:end], second[start:end], infinite)
