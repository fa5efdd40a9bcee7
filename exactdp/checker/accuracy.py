"""The claims tail, accuracy and zero_estimate: how probable an error of an estimate is.

Trusted for: the probability of an error at the worst count or data set.

It rests on these facts, with their theorems of the Coq kernel:

- the view is the multiset of messages: shuffler.shuffle_dp_iff_shuffled
- users with equal rows are interchangeable: equal_rows.equal_rows
- one count is worst for every outcome of the noise: one_count.one_count, one_count.is_wrong_correct
- a mean is at most the largest term: mixtures.mean_at_most
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

from .budget import Work, malformed, rejected
from .facts import A_MEAN, EQUAL_ROWS, ONE_COUNT, THE_VIEW, Facts
from .finite_laws import Packed, Randomizer, bystander_laws, expect_sweep, sum_law, sum_rows
from .limits import MAX_TOTAL_BITS, MAX_USERS
from .noise_laws import Event, Noise, probability
from .reading import (
    Object,
    Vector,
    common_denominator,
    read_choice,
    read_counts,
    read_integer,
    read_integers,
    read_object,
    read_rational,
    read_rationals,
    show,
    show_vector,
)


def bound_probability(noise: Noise, event: Event, witness: Object, work: Work) -> tuple[Fraction, Fraction, Facts]:
    """Bounds of the probability of an event, exact or, for a witness with ``bits``, enclosed; the facts behind them."""
    read_object(witness, "the witness", ["bits"] if "bits" in witness else [])
    low, high = probability(noise, event, witness, work)
    return low, high, noise.enclosed_facts if "bits" in witness else []


class Tail(NamedTuple):
    """P[first <= Y <= last] is at most, or at least, a probability."""

    noise: Noise
    first: int | None
    last: int | None
    is_upper: bool
    bound: Fraction

    @classmethod
    def read(cls, claim: Object, work: Work) -> Tail:
        read_object(claim, "the claim", ["kind", "law", "from", "to", "bound", "probability"])
        first = None if claim["from"] == "-infinity" else read_integer(claim["from"], "from")
        last = None if claim["to"] == "infinity" else read_integer(claim["to"], "to")
        is_upper = read_choice(claim["bound"], "bound", ["at most", "at least"]) == "at most"
        noise = Noise.read(claim["law"], work)
        return cls(noise, first, last, is_upper, read_rational(claim["probability"], "it", 0, 1))

    @property
    def words(self) -> str:
        low = "" if self.first is None else f"{show(Fraction(self.first))} <= "
        high = "" if self.last is None else f" <= {show(Fraction(self.last))}"
        return f"Y = {self.noise.words}: P[{low}Y{high}] {'<=' if self.is_upper else '>='} {show(self.bound)}"

    @property
    def event(self) -> Event:
        return Event([(self.first, self.last)])

    def prove(self, witness: Object, work: Work) -> Facts:
        low, high, facts = bound_probability(self.noise, self.event, witness, work)
        if not (high <= self.bound if self.is_upper else low >= self.bound):
            rejected(f"the probability is not shown to be on this side of {show(self.bound)}")
        return facts

    def refute(self, witness: Object, work: Work) -> Facts:
        low, high, facts = bound_probability(self.noise, self.event, witness, work)
        if not (low > self.bound if self.is_upper else high < self.bound):
            rejected(f"the probability is not shown to be beyond {show(self.bound)}")
        return facts


class NoisyCount(NamedTuple):
    """A count c from least to most, plus noise, estimated as weight (c + Y) + offset, errs above alpha rarely."""

    noise: Noise
    least: int
    most: int
    weight: Fraction
    offset: Fraction
    threshold: Fraction | None
    alpha: Fraction
    beta: Fraction

    @classmethod
    def read(cls, claim: Object, work: Work) -> NoisyCount:
        keys = ["kind", "law", "least", "most", "weight", "offset", "zero_unless_above", "alpha", "beta"]
        read_object(claim, "the claim", keys)
        least = read_integer(claim["least"], "least", 0)
        weight = read_rational(claim["weight"], "weight", 0)
        if weight == 0:
            malformed("weight is 0")
        noise, most = Noise.read(claim["law"], work), read_integer(claim["most"], "most", least)
        offset, threshold = read_rational(claim["offset"], "offset"), read_threshold(claim)
        alpha, beta = read_rational(claim["alpha"], "alpha", 0), read_rational(claim["beta"], "beta", 0, 1)
        return cls(noise, least, most, weight, offset, threshold, alpha, beta)

    @property
    def words(self) -> str:
        least, most = show(Fraction(self.least)), show(Fraction(self.most))
        counts = least if self.least == self.most else f"every c from {least} to {most}"
        unless = "" if self.threshold is None else f" (0 unless above {show(self.threshold)} before the offset)"
        estimate = f"{show(self.weight)} (c + Y) + {show(self.offset)}{unless}"
        error = f"P[|estimate - {show(self.weight)} c| > {show(self.alpha)}] <= {show(self.beta)}"
        return f"c = {counts}, Y = {self.noise.words}, estimate {estimate}: {error}"

    def check(self, witness: Object, work: Work) -> tuple[Fraction, Fraction, Facts]:
        """Bounds of the probability of an error at the worst count: *one count is worst*."""
        worst = min(max(self.alpha // self.weight + 1, self.least), self.most)
        is_small = self.weight * worst <= self.alpha
        low = ceil((-self.alpha - self.offset) / self.weight)
        high = floor((self.alpha - self.offset) / self.weight)
        right: list[tuple[int | None, int | None]] = [(low, high)]
        if self.threshold is not None:
            zero = self.threshold // self.weight - worst
            right = [(max(low, zero + 1), high), *([(None, zero)] if is_small else [])]
        least, largest, facts = bound_probability(self.noise, Event(right, is_outside=True), witness, work)
        return least, largest, [ONE_COUNT, *facts]

    def prove(self, witness: Object, work: Work) -> Facts:
        _, high, facts = self.check(witness, work)
        if high > self.beta:
            rejected(f"the probability of an error is not shown to be at most beta = {show(self.beta)}")
        return facts

    def refute(self, witness: Object, work: Work) -> Facts:
        low, _, facts = self.check(witness, work)
        if low <= self.beta:
            rejected(f"the probability of an error is not shown to be above beta = {show(self.beta)}")
        return facts


def read_threshold(claim: Object) -> Fraction | None:
    value = claim["zero_unless_above"]
    return None if value == "none" else read_rational(value, "zero_unless_above")


class ViewAccuracy(NamedTuple):
    """An affine estimate from the shuffled view errs by more than alpha with a probability of at most beta."""

    randomizer: Randomizer
    n: int
    dataset: Vector | None
    scale: int  # of the integers below, and of the sums of the weights
    rows: list[Packed]
    offset: int
    threshold: int | None
    values: list[int]
    alpha: int
    beta: Fraction
    estimate: str

    @classmethod
    def read(cls, claim: Object, work: Work) -> ViewAccuracy:
        keys = ["kind", "randomizer", "n", "dataset", "weights", "offset", "zero_unless_above", "values"]
        read_object(claim, "the claim", [*keys, "alpha", "beta"])
        randomizer, n = Randomizer.read(claim["randomizer"], work), read_integer(claim["n"], "n", 1, MAX_USERS)
        inputs = len(randomizer.rows)
        weights = read_rationals(claim["weights"], "weights", "a weight", randomizer.messages)
        values = read_rationals(claim["values"], "values", "a value", inputs)
        offset, alpha = read_rational(claim["offset"], "offset"), read_rational(claim["alpha"], "alpha", 0)
        threshold = read_threshold(claim)
        limits = [] if threshold is None else [threshold]
        scale = common_denominator([*weights, *values, *limits, offset, alpha], "the analyzer", work)
        dataset = None if claim["dataset"] == "worst" else read_users(claim["dataset"], inputs, n)
        unless = "" if threshold is None else f" (0 unless above {show(threshold)} before the offset)"
        estimate = (
            f"estimate of the summed values [{', '.join(map(show, values))}] from the message weights "
            f"[{', '.join(map(show, weights))}] + {show(offset)}{unless}"
        )
        rows = sum_rows(randomizer, [int(w * scale) for w in weights])
        limit, beta = None if threshold is None else int(threshold * scale), read_rational(claim["beta"], "beta", 0, 1)
        scaled = int(offset * scale), limit, [int(v * scale) for v in values], int(alpha * scale)
        return cls(randomizer, n, dataset, scale, rows, *scaled, beta, estimate)

    @property
    def words(self) -> str:
        users = "every data set" if self.dataset is None else f"data set {show_vector(self.dataset)}"
        error = f"P[error > {show(Fraction(self.alpha, self.scale))}] <= {show(self.beta)}"
        return f"shuffled {self.randomizer.words}, n = {self.n}, {users}, {self.estimate}: {error}"

    def is_rare(self, users: Sequence[int], law: Packed, total: int, work: Work) -> bool:
        """Whether the error exceeds alpha with a probability of at most beta, for this data set and law of the sum."""
        work.spend(8 * len(users) + 4 * len(law), total.bit_length() + self.scale.bit_length())
        truth = sum(count * value for count, value in zip(users, self.values))
        wrong = 0
        for s, weight in law.items():
            estimate = 0 if self.threshold is not None and s <= self.threshold else s + self.offset
            wrong += weight if abs(estimate - truth) > self.alpha else 0
        return wrong * self.beta.denominator <= self.beta.numerator * total

    def is_rare_for(self, users: Sequence[int], work: Work) -> bool:
        law, total = sum_law(self.rows, users, self.randomizer, work)
        return self.is_rare(users, law, total, work)

    def prove(self, witness: Object, work: Work) -> Facts:
        read_object(witness, "the witness", [])
        if self.dataset is not None:
            if not self.is_rare_for(self.dataset, work):
                rejected("the probability of an error is above beta")
            return [THE_VIEW, EQUAL_ROWS]
        bits = self.n * self.randomizer.denominator.bit_length()
        if bits > MAX_TOTAL_BITS:
            malformed(f"the weights of the view have more than {MAX_TOTAL_BITS} bits")
        expect_sweep(self.rows, self.n, bits, work)
        total = int(self.randomizer.denominator**self.n)
        for users, law in bystander_laws(self.rows, self.n, bits, work):
            if not self.is_rare(users, law, total, work):
                rejected(f"the probability of an error is above beta for the data set {show_vector(users)}")
        return [THE_VIEW, EQUAL_ROWS]

    def refute(self, witness: Object, work: Work) -> Facts:
        read_object(witness, "the witness", ["dataset"] if self.dataset is None else [])
        users = self.dataset
        if users is None:
            users = read_users(witness["dataset"], len(self.values), self.n)
        if self.is_rare_for(users, work):
            rejected("the probability of an error is at most beta for the data set of the witness")
        return [THE_VIEW, EQUAL_ROWS]


def read_users(value: object, inputs: int, n: int) -> Vector:
    users = read_counts(value, "dataset", inputs)
    if sum(users) != n:
        malformed(f"dataset has {sum(users)} users, not n = {n}")
    return users


def read_accuracy(claim: Object, work: Work) -> NoisyCount | ViewAccuracy:
    return NoisyCount.read(claim, work) if "law" in claim else ViewAccuracy.read(claim, work)


class ZeroEstimate(NamedTuple):
    """If all users hold ``input``, the mean of the summed weights is at most the threshold with certainty."""

    randomizer: Randomizer
    weights: list[int]
    threshold: int
    input: int
    mean: str

    @classmethod
    def read(cls, claim: Object, work: Work) -> ZeroEstimate:
        read_object(claim, "the claim", ["kind", "randomizer", "weights", "zero_unless_above", "input"])
        randomizer = Randomizer.read(claim["randomizer"], work)
        weights = read_rationals(claim["weights"], "weights", "a weight", randomizer.messages)
        threshold = read_rational(claim["zero_unless_above"], "zero_unless_above")
        scale = common_denominator([*weights, threshold], "the weights", work)
        mean = (
            f"the mean over users of the message weights [{', '.join(map(show, weights))}] is at most {show(threshold)}"
        )
        held = read_integer(claim["input"], "input", 0, len(randomizer.rows) - 1)
        return cls(randomizer, [int(w * scale) for w in weights], int(threshold * scale), held, mean)

    @property
    def words(self) -> str:
        return f"shuffled {self.randomizer.words}, every n >= 1: if all users hold {self.input}, {self.mean}, certainly"

    def is_above(self, outcome: Vector) -> bool:
        return sum(w * c for w, c in zip(self.weights, outcome)) > self.threshold

    def prove(self, witness: Object, work: Work) -> Facts:
        """*A mean is at most the largest term*."""
        read_object(witness, "the witness", [])
        row = self.randomizer.rows[self.input]
        work.spend(len(self.weights) * len(row), max([0, *(weight.bit_length() for weight in self.weights)]))
        for outcome in row:
            if self.is_above(outcome):
                rejected(f"the outcome {show_vector(outcome)} has a weight above the threshold")
        return [THE_VIEW, A_MEAN]

    def refute(self, witness: Object, work: Work) -> Facts:
        """A single user shows this outcome with positive probability, and it is above the threshold."""
        read_object(witness, "the witness", ["outcome"])
        outcome = read_integers(witness["outcome"], "outcome", self.randomizer.messages)
        if outcome not in self.randomizer.rows[self.input] or not self.is_above(outcome):
            rejected("the outcome of the witness is not possible, or not above the threshold")
        return [THE_VIEW]
