"""Claims about the error of an estimate: a tail of a law, a noisy count, a shuffled view, an estimate that is 0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import combinations, pairwise
from operator import mul
from typing import Annotated, Any, Final, TypeAlias

from exactdp.claims.encoding import (
    Encoded,
    JsonObject,
    NoiseLaw,
    Table,
    as_noise_law,
    by_label,
    choice,
    drawn_from,
    merged,
    write_integers,
    write_rational,
)
from exactdp.claims.exact_levels import compared, is_listed, precisions
from exactdp.claims.open_claims import OpenLaw, has_functions, marked, open_law
from exactdp.claims.statement import Decision, Statement, Value, Verdict, proved, refuted, shown, undecided
from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.mechanisms.analyzer import Analyzer
from exactdp.mechanisms.dataset import histogram
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.exact import Exact, as_fraction, as_integer, as_probability
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.privacy.shuffle.view_law import view_law
from exactdp.protocols.interface import Protocol
from exactdp.symbolic.functions_of_parameters import FunctionLike

Range: TypeAlias = tuple[int | None, int | None]
"""The integers from the first to the second, ends included; None is no end."""

_MAX_DATA_SETS: Final = 20_000
"""Most data sets whose laws are computed one by one: some minutes for small views."""

Users = tuple[int, ...]
"""A data set: how many users hold each input."""


@dataclass(frozen=True, slots=True)
class Tail(Statement, kind="tail"):
    """P[low <= Y <= high] is at most, or at least, a probability; None is no end."""

    law: NoiseLaw
    low: Annotated[int | None, "-infinity"] = field(metadata={"key": "from"})
    high: Annotated[int | None, "infinity"] = field(metadata={"key": "to"})
    is_upper: Annotated[bool, choice({True: "at most", False: "at least"})] = field(metadata={"key": "bound"})
    probability: Fraction

    @classmethod
    def of(
        cls,
        law: OpenLaw,
        *,
        low: int | None = None,
        high: int | None = None,
        at_most: FunctionLike | None = None,
        at_least: FunctionLike | None = None,
    ) -> Statement:
        """P[low <= Y <= high] is at most, or at least, a probability; without an end it is infinite.

        >>> from exactdp import Claim
        >>> from exactdp.laws import Binomial
        >>> Claim.tail(Binomial(100, "1/2"), low=80, at_most="1e-8").kind
        'tail'
        """
        if (at_most is None) == (at_least is None):
            given = "neither" if at_most is None else "both"
            raise InvalidValueError(f"{given} of at_most and at_least given. Pass one.")
        bound = at_least if at_most is None else at_most
        least = None if low is None else as_integer(low, name="low")
        greatest = None if high is None else as_integer(high, name="high")
        name = "at_least" if at_most is None else "at_most"
        if has_functions(law, bound):
            return cls(open_law(law), least, greatest, at_most is not None, marked(bound, name))
        probability = as_probability(bound, name=name)
        return cls(as_noise_law(law), least, greatest, at_most is not None, probability)

    def decide(self, executor: Executor | None = None) -> Decision:
        """Decide whether the probability of a range is at most, or at least, a bound."""
        law, bound = drawn_from(self.law), self.probability
        sign, value = _compare_mass(law, [(self.low, self.high)], bound)
        if sign is None:
            return undecided(f"The probability {value} and {short(bound)} are too close.")
        verdict = Verdict.PROVED if (sign <= 0 if self.is_upper else sign >= 0) else Verdict.REFUTED
        return self.first_verified(verdict, f"The probability is {shown(value)}.", _witnesses(law, value, bound))


@dataclass(frozen=True, slots=True)
class Estimate(Encoded):
    """How an estimate follows from a sum, and that it errs by more than alpha with a probability of at most beta."""

    offset: Fraction
    zero_unless_above: Annotated[Fraction | None, "none"]
    alpha: Fraction
    beta: Fraction

    def is_wrong(self, total: Fraction, truth: Fraction) -> bool:
        """Whether the estimate from this sum errs by more than alpha."""
        is_zero = self.zero_unless_above is not None and total <= self.zero_unless_above
        return abs((Fraction(0) if is_zero else total + self.offset) - truth) > self.alpha


class Accuracy(Statement, kind="accuracy"):
    """P[abs(estimate - truth) > alpha] <= beta."""

    __slots__ = ()

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Accuracy:
        """Return the statement: of a law, or of a view."""
        return (CountAccuracy if "law" in data else ViewAccuracy).decode(data)

    @classmethod
    def of(
        cls,
        protocol: Protocol,
        *,
        alpha: Exact,
        beta: Exact,
        dataset: Sequence[Any] | Mapping[Any, int] | None = None,
        values: Mapping[Any, Exact] | None = None,
    ) -> Accuracy:
        """P[abs(estimate - truth) > alpha] <= beta, for one data set or, without one, for every data set.

        Args:
            protocol: with an analyzer. An additive protocol has one bin and a positive weight w, and the truth is w
                times the true count; so it is for each bin of several.
            alpha: at least 0, in the unit of the estimate.
            beta: in [0, 1].
            dataset: the users' inputs one by one, or input -> number of users.
            values: for a shuffle protocol, input -> what a user who holds it adds to the truth.
        """
        error = as_fraction(alpha, name="alpha")
        risk = as_probability(beta, name="beta")
        if error < 0:
            raise InvalidValueError(f"alpha={write_rational(error)} is below 0. Pass an error of at least 0.")
        analyzer = getattr(protocol, "analyzer", None)
        if not isinstance(analyzer, Analyzer):
            raise InvalidValueError("the protocol has no analyzer. Pass ShuffleProtocol(..., analyzer=Analyzer(...)).")
        estimate = Estimate(analyzer.offset, analyzer.zero_unless_above, error, risk)
        if protocol.is_shuffled_randomizer:
            return ViewAccuracy.of_view(protocol, dict(analyzer.weights), dataset, values, estimate)
        return CountAccuracy.of_count(protocol, dict(analyzer.weights), dataset, values, estimate)


@dataclass(frozen=True, slots=True)
class CountAccuracy(Accuracy):
    """An estimate from a noisy count is accurate, whatever the true count from ``least`` to ``most`` is."""

    law: NoiseLaw
    least: int
    most: int
    weight: Fraction
    estimate: Annotated[Estimate, merged(Estimate)]

    @classmethod
    def of_count(
        cls, protocol: Any, weights: Mapping[Any, Fraction], dataset: Any, values: Any, estimate: Estimate
    ) -> CountAccuracy:
        """Return the accuracy of an estimate from one noisy count."""
        weight = weights.get(0, Fraction(0))
        if values is not None or len(weights) > 1 or weight <= 0:
            raise InvalidValueError(
                "an accuracy claim about a noisy count takes no values, and an analyzer of one positive weight, of the "
                "message 0: the truth is this weight times the true count. Pass Analyzer({0: weight})."
            )
        least, most = 0, None if protocol.n is None else protocol.n * (protocol.shift if protocol.bins == 1 else 1)
        if dataset is not None:
            users = histogram(dataset, protocol.records, users=protocol.n)
            if protocol.bins > 1:
                raise InvalidValueError(
                    f"dataset with bins={protocol.bins}. Claim the accuracy of one bin, or of every data set."
                )
            least = most = sum(record * count for record, count in zip(protocol.records, users, strict=True))
        if most is None:
            raise InvalidValueError(
                "the protocol has no n, so there is no largest count. Pass AdditiveProtocol(..., n=n)."
            )
        return cls(as_noise_law(protocol.noise), least, most, weight, estimate)

    def decide(self, executor: Executor | None = None) -> Decision:
        """Decide whether an estimate from a noisy count errs by more than alpha with a probability of at most beta."""
        law, beta = drawn_from(self.law), self.estimate.beta
        sign, value = _compare_mass(law, _wrong_ranges(self), beta)
        if sign is None:
            return undecided(f"The probability of an error {value} and beta = {short(beta)} are too close.")
        verdict = Verdict.REFUTED if sign > 0 else Verdict.PROVED
        words = f"The worst probability of an error is {shown(value)}."
        return self.first_verified(verdict, words, _witnesses(law, value, beta))


@dataclass(frozen=True, slots=True)
class ViewAccuracy(Accuracy):
    """An estimate from a shuffled view is accurate, for one data set or, if it is None, for every data set."""

    randomizer: Table
    n: int
    dataset: Annotated[tuple[int, ...] | None, "worst"]
    weights: tuple[Fraction, ...]
    values: tuple[Fraction, ...]
    estimate: Annotated[Estimate, merged(Estimate)]

    @classmethod
    def of_view(
        cls, protocol: Any, weights: Mapping[Any, Fraction], dataset: Any, values: Any, estimate: Estimate
    ) -> ViewAccuracy:
        """Return the accuracy of an estimate from a shuffled randomizer."""
        inputs, alphabet = protocol.tabulated.inputs, protocol.tabulated.alphabet
        if values is None:
            raise InvalidValueError("values is missing. Pass input -> what a user who holds it adds to the truth.")
        return cls(
            Table.of(protocol.tabulated),
            protocol.n,
            None if dataset is None else histogram(dataset, inputs, users=protocol.n),
            tuple(weights.get(message, Fraction(0)) for message in alphabet),
            tuple(as_fraction(value, name="a value") for value in by_label(values, inputs, "values", "input")),
            estimate,
        )

    def decide(self, executor: Executor | None = None) -> Decision:
        """Decide whether an estimate errs by more than alpha with a probability of at most beta."""
        beta, error_of = self.estimate.beta, partial(_error, self, self.randomizer.randomizer())
        if self.dataset is not None:
            error = error_of(self.dataset)
            reason = f"The probability of an error is {short(error)}."
            return refuted(reason) if error > beta else proved(reason)
        data_sets = _data_sets(self.n, len(self.randomizer.rows))
        errors = list((map if executor is None else executor.map)(error_of, data_sets))
        worst = max(range(len(errors)), key=errors.__getitem__)
        reason = (
            f"The worst probability of an error is {short(errors[worst])}, at the data set {list(data_sets[worst])}."
        )
        if errors[worst] > beta:
            return refuted(reason, dataset=write_integers(data_sets[worst]))
        return proved(reason)


def _wrong_ranges(claim: CountAccuracy) -> list[Range]:
    """Return the noise that is wrong at the worst count: the least whose truth exceeds alpha, as far as allowed."""
    weight, offset, alpha = claim.weight, claim.estimate.offset, claim.estimate.alpha
    count = min(max(alpha // weight + 1, claim.least), claim.most)
    low, high = -((alpha + offset) // weight), (alpha - offset) // weight
    if claim.estimate.zero_unless_above is None:
        return [(None, low - 1), (high + 1, None)] if low <= high else [(None, None)]
    last_zero = claim.estimate.zero_unless_above // weight - count
    at_zero: list[Range] = [(None, last_zero)] if weight * count > alpha else []
    if low > high:
        return [*at_zero, (last_zero + 1, None)]
    return [*at_zero, (last_zero + 1, low - 1), (max(high, last_zero) + 1, None)]


def _witnesses(law: Law | LatticeLaw, value: Value, bound: Fraction) -> Iterator[JsonObject]:
    enclosed = [] if law.lattice is None else [{"bits": bits} for bits in precisions(value, bound)]
    exact: list[JsonObject] = [{}] if law.is_rational else []
    yield from [*exact, *enclosed] if is_listed(law, by_steps=False) else [*enclosed, *exact]


def _compare_mass(law: Law | LatticeLaw, ranges: list[Range], bound: Fraction) -> tuple[int | None, Value]:
    """Return the sign of the probability minus the bound, as far as it is known, and the probability."""

    def enclose(bits: int) -> Value:
        low, high = _mass(law, ranges, bits)
        if low == high:
            return low
        return Interval.between(max(low, Fraction(0)), high, bits=bits)

    sign, value = compared(enclose, bound)
    if sign is None and law.is_exact:
        value, _ = _mass(law, ranges, None)
        sign = (value > bound) - (value < bound)
    return sign, value


def _mass(law: Law | LatticeLaw, ranges: list[Range], bits: int | None) -> tuple[Fraction, Fraction]:
    """Return bounds of the probability of disjoint ranges, exact for finite laws and without ``bits``."""
    lattice = law.lattice
    if lattice is None:
        exact = sum((p for y, p in law.law().items() if any(_holds(y, part) for part in ranges)), Fraction(0))
        return exact, exact
    full = [(low, high) for low, high in ranges if low is None or high is None or low <= high]
    bounds = [_range_mass(lattice, low, high, bits) for low, high in full]
    return sum((low for low, _ in bounds), Fraction(0)), sum((high for _, high in bounds), Fraction(0))


def _holds(y: int, part: Range) -> bool:
    return (part[0] is None or part[0] <= y) and (part[1] is None or y <= part[1])


def _range_mass(law: LatticeLaw, low: int | None, high: int | None, bits: int | None) -> tuple[Fraction, Fraction]:
    """Return bounds of P[low <= Y <= high]: a tail, one minus two tails, or the difference of two on one side."""

    def tail(k: int, *, upper: bool) -> tuple[Fraction, Fraction]:
        if bits is None:
            exact = law.exact_sf(k) if upper else law.exact_cdf(k)
            return exact, exact
        enclosed = law.sf(k, relative_bits=bits) if upper else law.cdf(k, relative_bits=bits)
        return enclosed.lo, enclosed.hi

    if low is None and high is None:
        return Fraction(1), Fraction(1)
    if low is None or high is None:
        return tail(low - 1, upper=True) if low is not None else tail(high or 0, upper=False)
    below, above = tail(low - 1, upper=low > law.mode), tail(high, upper=high >= law.mode)
    if low <= law.mode <= high:
        return 1 - below[1] - above[1], 1 - below[0] - above[0]
    first, second = (below, above) if low > law.mode else (above, below)
    return first[0] - second[1], first[1] - second[0]


def _data_sets(n: int, inputs: int) -> list[Users]:
    """Return all data sets of n users, or refuse if they are too many."""
    data_sets: list[Users] = []
    for bars in combinations(range(n + inputs - 1), inputs - 1):
        if len(data_sets) == _MAX_DATA_SETS:
            raise TooLargeError(
                f"n={n} users with {inputs} inputs have more than {_MAX_DATA_SETS} data sets. Claim the accuracy for "
                "one data set, or for fewer users."
            )
        data_sets.append(tuple(b - a - 1 for a, b in pairwise((-1, *bars, n + inputs - 1))))
    return data_sets


def _error(claim: ViewAccuracy, randomizer: Randomizer, users: Users) -> Fraction:
    """Return P[abs(estimate - truth) > alpha] for one data set, exactly."""
    weights = [claim.weights[message] for message in randomizer.alphabet]
    truth = sum((count * value for count, value in zip(users, claim.values, strict=True)), Fraction(0))
    error = Fraction(0)
    for counts, probability in view_law(randomizer, users).items():
        total = sum((w * c for w, c in zip(weights, counts, strict=True)), Fraction(0))
        if claim.estimate.is_wrong(total, truth):
            error += probability
    return error


@dataclass(frozen=True, slots=True)
class ZeroEstimate(Statement, kind="zero_estimate"):
    """If all users hold one input, an estimate that is 0 unless above a threshold is 0, for every n."""

    randomizer: Table
    weights: tuple[Fraction, ...]
    zero_unless_above: Fraction
    all_hold: int = field(metadata={"key": "input"})

    @classmethod
    def of(
        cls, randomizer: Randomizer, *, weights: Mapping[Any, Exact], zero_unless_above: Exact, all_hold: Any
    ) -> ZeroEstimate:
        """For every n: if all users hold one input, an estimate that is 0 unless above a threshold is 0.

        Args:
            randomizer: what each user runs.
            weights: message -> weight, for every message.
            zero_unless_above: the estimate is 0 unless the mean over users of the summed weights exceeds this.
            all_hold: the input that all users hold.
        """
        if all_hold not in randomizer.inputs:
            raise InvalidValueError(f"all_hold={all_hold!r} is unknown. The inputs are {randomizer.inputs!r}.")
        listed = by_label(weights, randomizer.alphabet, "weights", "message")
        checked = tuple(as_fraction(weight, name="a weight") for weight in listed)
        threshold = as_fraction(zero_unless_above, name="zero_unless_above")
        held = randomizer.inputs.index(all_hold)
        return cls(Table.of(randomizer), checked, threshold, held)

    def decide(self, executor: Executor | None = None) -> Decision:
        """Decide whether no outcome of one input exceeds the threshold."""
        for outcome in sorted(self.randomizer.count_law(self.all_hold)):
            if sum(map(mul, self.weights, outcome)) > self.zero_unless_above:
                return refuted(f"The outcome {list(outcome)} is above.", outcome=write_integers(outcome))
        return proved("No outcome is above.")
