"""The families of noise laws: how each is read, its words, its listed weights or its enclosed ones; probabilities.

Trusted for: each family is the law that its name and its parameters say, and so is the probability of an event.

It rests on these facts, with their theorems of the Coq kernel:

- fixed-point weights with directed rounding: fixed_point_weights.walked_enclose, fixed_point_weights.shares_bound
- a falling ratio leaves a geometric remainder: geometric_tail.geometric_tail_of_bounds
- exponentials and logarithms by series: exponential_fixed_point.exp_enclosed, logarithm_fixed_point.log_enclosed
- constant ratios are one outcome: steps.constant_ratios, steps_geometric.two_sided_steps,
  steps_one_sided.one_sided_steps
- a uniform law differs from itself at its ends: uniform_ends.uniform_law, uniform_ends.uniform_ends
- a longer shift moves a log-concave law further: longer_shift.longer_shift, longer_shift.longer_smooth,
  log_concave_laws.poisson_log_concave, log_concave_laws.negative_binomial_log_concave,
  log_concave_laws.discrete_laplace_log_concave, log_concave_laws.discrete_gaussian_log_concave,
  log_concave_laws.coins_log_concave, uniform_ends.uniform_log_concave
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import islice, repeat
from typing import Literal, NamedTuple

from .budget import Work, malformed, rejected
from .enclosed_laws import Ratios, Side, Sides, aligned_pairs, enclosed_weights, multiply_lists, neighbors, walked
from .facts import FIXED_POINT, GEOMETRIC, SERIES, STEPS, UNIFORM, Facts
from .finite_laws import Ends, Randomizer, Steps, Table, convolve, sum_law, sum_rows
from .limits import MAX_BITS, MAX_PRECISION, MAX_PRODUCT_BITS, MAX_TOTAL_BITS, MAX_WALKED, MAX_WINDOW, MIN_PRECISION
from .reading import (
    Object,
    any_object,
    read_choice,
    read_counts,
    read_integer,
    read_integers,
    read_object,
    read_rational,
    show,
    show_vector,
)
from .reals import Bounds, Parameter, Ratio, Real, exponential, inverse

Window = tuple[int, list[Bounds], int]
Place = Literal["inside", "outside", "open"]
"""Where an outcome lies, for an event of which only bounds are known."""


class Event(NamedTuple):
    """A set of integers: those in disjoint ranges, or those in none; None is no end."""

    ranges: Sequence[tuple[int | None, int | None]]
    is_outside: bool = False

    def holds(self, t: int) -> bool:
        for first, last in self.ranges:
            if (first is None or first <= t) and (last is None or t <= last):
                return not self.is_outside
        return self.is_outside

    def among(self, low: int, high: int) -> int:
        """How many of the integers from low to high are in the set."""
        inside = 0
        for first, last in self.ranges:
            start = low if first is None else max(low, first)
            end = high if last is None else min(high, last)
            inside += max(0, end - start + 1)
        return high - low + 1 - inside if self.is_outside else inside


class Noise:
    """A noise law in words, and its weights: listed exactly, here for no law yet, and never enclosed."""

    words: str
    is_walked = False  # whether its weights are enclosed where a witness has "bits"
    is_irrational = False  # then its weights are enclosed by series
    is_log_concave = False
    is_linear = False  # the ratio is (A t + B) / (t + 1) for every t >= 0
    constant: tuple[Fraction, bool] | None = None  # the x and is_even of Steps
    exp_eps: Real | None = None  # of a discrete Laplace law

    @staticmethod
    def read(value: object, work: Work) -> Noise:
        family = read_choice(any_object(value, "the law").get("family"), "family", list(FAMILIES))
        keys, of_family = FAMILIES[family]
        return of_family(read_object(value, "the law", ["family", *keys]), work)

    def table(self, work: Work) -> Table:
        malformed("this law is checked by enclosure: the witness has no 'bits'")

    def share(self, event: Event, work: Work) -> Fraction:
        """The probability of an event, from the listed weights."""
        table = self.table(work)
        work.spend(2 * table.outcomes, table.bits, 64 + table.step)
        return Fraction(sum(weight for t, weight in table.stream() if event.holds(t)), table.total)

    def exact(self, most: int, work: Work) -> Table | Steps | Ends:
        """The law against itself moved by at most ``most``, listed exactly."""
        if self.constant is None:
            return self.table(work)
        steps = Steps(*self.constant, most)
        if steps.bits > MAX_BITS:
            malformed(f"the weights of the law have more than {MAX_BITS} bits")
        return steps

    def ratio(self, t: int) -> Fraction | None:
        """w(t+1) / w(t), where it is rational."""
        return None

    def enclosed(self, witness: Object, work: Work) -> tuple[int, Sides]:
        """The precision that the witness asks for, and the enclosed weights."""
        malformed("this law is checked exactly: the witness has 'bits'")

    @property
    def moved_facts(self) -> Facts:
        """What the law against itself moved rests on, where it is listed."""
        return [STEPS] if self.constant else []

    @property
    def enclosed_facts(self) -> Facts:
        return [FIXED_POINT, GEOMETRIC, *([SERIES] if self.is_irrational else [])]

    def worst_shifts(self, most: int) -> Iterable[int]:
        """*A longer shift moves a log-concave law further.*"""
        return [most] if self.is_log_concave else range(1, most + 1)


class WalkedNoise(Noise, ABC):
    """A law whose weights are enclosed, outward from a start: *fixed-point weights with directed rounding*."""

    is_walked = True
    is_log_concave = True

    @abstractmethod
    def sides(self, bits: int, work: Work) -> Sides:
        """The enclosed weights, in units of 2^-bits of the one at the start."""

    def enclosed(self, witness: Object, work: Work) -> tuple[int, Sides]:
        bits = read_integer(witness["bits"], "bits", MIN_PRECISION, MAX_PRECISION)
        return bits, self.sides(bits, work)


class FiniteNoise(Noise):
    """A law that is given outcome by outcome."""

    def __init__(self, law: Object, work: Work) -> None:
        self.weights = Table.read(law["weights"], "the law", work)
        self.words = self.weights.words

    def table(self, work: Work) -> Table:
        return self.weights


class ViewNoise(Noise):
    """The law of the sum of integer weights of all messages of one data set."""

    def __init__(self, law: Object, work: Work) -> None:
        self.randomizer = Randomizer.read(law["randomizer"], work)
        inputs = len(self.randomizer.rows)
        self.users = read_counts(law["dataset"], "dataset", inputs)
        weights = read_integers(law["weights"], "weights", self.randomizer.messages)
        summed_weights = f"law of the message weights {show_vector(weights)} summed"
        self.words = f"{summed_weights}, {self.randomizer.words}, data set {show_vector(self.users)}"
        self.rows = sum_rows(self.randomizer, weights)

    def table(self, work: Work) -> Table:
        return Table.of(*sum_law(self.rows, self.users, self.randomizer, work))


class BinomialNoise(WalkedNoise):
    """The number of successes among n trials of probability p."""

    def __init__(self, law: Object, work: Work, n_key: str = "n", p_key: str = "p") -> None:
        self.n = read_integer(law[n_key], f"the {n_key} of the law", 0, MAX_WALKED)
        self.p = Parameter.read(law, p_key, 0, 1, (0, 1))
        self.words = f"Bin({self.n}, {self.p.real.words})"
        self.is_irrational = not self.p.real.is_rational

    def table(self, work: Work) -> Table:
        return super().table(work) if self.is_irrational else Table.binomial(self.n, self.p.real.number)

    def ratio(self, t: int) -> Fraction | None:
        p = self.p.real.number
        return None if self.is_irrational or p == 1 else (self.n - t) * p / ((t + 1) * (1 - p))

    def sides(self, bits: int, work: Work) -> Sides:
        low, high, whole = self.p.bounds(bits, work)
        odds = (low, high, whole - low)
        if low != high:
            odds = (low * (whole - high), high * (whole - low), (whole - low) * (whole - high))

        def ratio(t: int) -> Ratio:
            return (self.n - t) * odds[0], (self.n - t) * odds[1], (t + 1) * odds[2]

        start = min(self.n, (self.n + 1) * low // whole)
        return walked(neighbors(start, 0, self.n, ratio), bits, work)


class BinomialSumNoise(WalkedNoise):
    """The sum of two independent binomial variables."""

    def __init__(self, law: Object, work: Work) -> None:
        self.first, self.second = BinomialNoise(law, work, "n1", "p1"), BinomialNoise(law, work, "n2", "p2")
        self.words = f"{self.first.words} + {self.second.words}"
        self.is_irrational = self.first.is_irrational or self.second.is_irrational

    def table(self, work: Work) -> Table:
        if self.is_irrational:
            return super().table(work)
        first, second = self.first.table(work), self.second.table(work)
        bits = first.bits + second.bits
        if bits > MAX_TOTAL_BITS:
            malformed(f"the weights of the law have more than {MAX_TOTAL_BITS} bits")
        work.expect(first.outcomes * second.outcomes, bits)
        work.hold(first.outcomes, first.bits)
        work.hold(second.outcomes, second.bits)
        law = convolve(dict(first.stream()), dict(second.stream()), bits, work)
        return Table.of({t: weight for t, weight in law.items() if weight}, first.total * second.total)

    def sides(self, bits: int, work: Work) -> Sides:
        return summed(window(self.first.sides(bits, work), bits), window(self.second.sides(bits, work), bits), work)


class NegativeBinomialNoise(WalkedNoise):
    """P[t] is proportional to r (r + 1) ... (r + t - 1) / t! p^t."""

    def __init__(self, law: Object, work: Work) -> None:
        self.r = Parameter.read(law, "r", 0)
        self.read_p(law)
        self.words = f"NB({self.r.real.words}, {self.p.real.words})"

    def read_p(self, law: Object) -> None:
        self.p = Parameter.read(law, "p", 0, 1, (0,))
        self.is_point = self.p.real.is_rational and self.p.real.number == 0
        self.is_linear = self.r.real.is_rational and self.p.real.is_rational
        self.is_irrational = not self.is_linear and not self.is_point
        self.is_log_concave = self.r.real.is_rational and self.r.real.number >= 1

    def table(self, work: Work) -> Table:
        return Table.of({0: 1}, 1) if self.is_point else super().table(work)

    def ratio(self, t: int) -> Fraction | None:
        return (self.r.real.number + t) * self.p.real.number / (t + 1) if self.is_linear else None

    def sides(self, bits: int, work: Work) -> Sides:
        (r_low, r_high, r_whole), (low, high, whole) = self.r.bounds(bits, work), self.p.bounds(bits, work)

        def ratio(t: int) -> Ratio:
            return (r_low + t * r_whole) * low, (r_high + t * r_whole) * high, r_whole * whole * (t + 1)

        start = max(0, (r_low - r_whole) * low // (r_whole * (whole - low)))
        return walked(neighbors(start, 0, None, ratio, later=(low, high, whole)), bits, work)


class GeometricNoise(NegativeBinomialNoise):
    """P[t] is proportional to p^t: a negative binomial law with r = 1, and of constant ratios."""

    def __init__(self, law: Object, work: Work) -> None:
        self.r = Parameter.read({"r": "1"}, "r", 0)
        self.read_p(law)
        self.words = f"Geometric({self.p.real.words})"
        if self.p.real.is_rational:
            self.constant = (self.p.real.number, False)


class DiscreteLaplaceNoise(WalkedNoise):
    """P[t] is proportional to exp_eps^-|t|."""

    def __init__(self, law: Object, work: Work) -> None:
        self.parameter = Parameter.read(law, "exp_eps", 1)
        self.exp_eps = self.parameter.real
        self.words = f"DiscreteLaplace({self.exp_eps.words})"
        self.is_irrational = not self.exp_eps.is_rational
        if self.exp_eps.is_rational:
            self.constant = (1 / self.exp_eps.number, True)

    def ratio(self, t: int) -> Fraction | None:
        if self.constant is None:
            return None
        return self.constant[0] if t >= 0 else 1 / self.constant[0]

    def sides(self, bits: int, work: Work) -> Sides:
        ratio = inverse(self.parameter.bounds(bits, work))
        return walked(Ratios(0, repeat(ratio), repeat(ratio)), bits, work)


class DiscreteGaussianNoise(WalkedNoise):
    """P[t] is proportional to e^(-t^2 / (2 sigma_squared))."""

    is_irrational = True

    def __init__(self, law: Object, work: Work) -> None:
        self.sigma_squared = read_rational(law["sigma_squared"], "the sigma_squared of the law", 0)
        if self.sigma_squared == 0:
            malformed("the sigma_squared of the law is 0")
        self.words = f"DiscreteGaussian({show(self.sigma_squared)})"

    def sides(self, bits: int, work: Work) -> Sides:
        return walked(Ratios(0, self.ratios(bits, work), self.ratios(bits, work)), bits, work)

    def ratios(self, bits: int, work: Work) -> Iterator[Ratio]:
        """q^(2t+1) for t = 0, 1, ... with q = e^(-1 / (2 sigma_squared))."""
        bits += 64
        low, high = exponential(-1 / (2 * self.sigma_squared)).enclose(bits, work)
        square = (low * low >> bits, -(-high * high >> bits))
        while True:
            yield low, high, 1 << bits
            low, high = low * square[0] >> bits, -(-high * square[1] >> bits)


class PoissonNoise(WalkedNoise):
    """P[t] is proportional to mu^t / t!."""

    def __init__(self, law: Object, work: Work) -> None:
        self.mu = Parameter.read(law, "mu", 0, None, (0,))
        self.words = f"Poisson({self.mu.real.words})"
        self.is_linear = self.mu.real.is_rational
        self.is_irrational = not self.is_linear

    def table(self, work: Work) -> Table:
        is_point = self.is_linear and self.mu.real.number == 0
        return Table.of({0: 1}, 1) if is_point else super().table(work)

    def ratio(self, t: int) -> Fraction | None:
        return self.mu.real.number / (t + 1) if self.is_linear else None

    def sides(self, bits: int, work: Work) -> Sides:
        low, high, whole = self.mu.bounds(bits, work)
        ratios = neighbors(low // whole, 0, None, lambda t: (low, high, whole * (t + 1)))
        return walked(ratios, bits, work)


class DiscreteUniformNoise(Noise):
    """Equal weights on the integers from low to high: checked exactly, however many they are."""

    is_log_concave = True

    def __init__(self, law: Object, work: Work) -> None:
        self.low = read_integer(law["low"], "the low of the law")
        self.high = read_integer(law["high"], "the high of the law")
        self.outcomes = self.high - self.low + 1
        if self.outcomes < 1:
            malformed("the low of the law is above its high")
        if self.outcomes.bit_length() > MAX_BITS:
            malformed(f"the number of outcomes of the law has more than {MAX_BITS} bits")
        self.words = f"DiscreteUniform({show(Fraction(self.low))}, {show(Fraction(self.high))})"

    def table(self, work: Work) -> Table:
        support = range(self.low, self.high + 1)
        return Table("", self.outcomes, self.outcomes, self.outcomes.bit_length(), lambda: ((t, 1) for t in support))

    def share(self, event: Event, work: Work) -> Fraction:
        work.spend(4 * len(event.ranges), self.outcomes.bit_length(), self.outcomes.bit_length())
        return Fraction(event.among(self.low, self.high), self.outcomes)

    def exact(self, most: int, work: Work) -> Ends:
        return Ends(self.outcomes)

    @property
    def moved_facts(self) -> Facts:
        return [UNIFORM]


FAMILIES: dict[str, tuple[list[str], Callable[[Object, Work], Noise]]] = {
    "finite": (["weights"], FiniteNoise),
    "view": (["randomizer", "dataset", "weights"], ViewNoise),
    "binomial": (["n", "p"], BinomialNoise),
    "binomial-sum": (["n1", "p1", "n2", "p2"], BinomialSumNoise),
    "negative-binomial": (["r", "p"], NegativeBinomialNoise),
    "geometric": (["p"], GeometricNoise),
    "discrete-laplace": (["exp_eps"], DiscreteLaplaceNoise),
    "discrete-gaussian": (["sigma_squared"], DiscreteGaussianNoise),
    "poisson": (["mu"], PoissonNoise),
    "discrete-uniform": (["low", "high"], DiscreteUniformNoise),
}
"""The keys of each family beside its name, and what reads them."""


def summed(first: Window, second: Window, work: Work) -> Sides:
    """The sum of two independent variables, whose weights outside two windows have together at most ``missing``."""
    (low_a, a, rest_a), (low_b, b, rest_b) = first, second
    missing = rest_a * (sum(high for _, high in b) + rest_b) + rest_b * sum(high for _, high in a)
    lows = multiply_lists([low for low, _ in a], [low for low, _ in b], work)
    highs = multiply_lists([high for _, high in a], [high for _, high in b], work)
    weights = [(low, high + missing) for low, high in zip(lows, highs)]
    middle = len(weights) // 2

    def side(part: Iterable[Bounds]) -> Generator[Bounds, None, int]:
        yield from part
        return missing

    return Sides(low_a + low_b + middle, Side(side(weights[middle:])), Side(side(reversed(weights[:middle]))))


def window(sides: Sides, bits: int) -> Window:
    """The least outcome that is reached, the enclosed weights from there on, and a bound of the sum of all others."""
    start, above, below = sides
    most = min(MAX_WINDOW, MAX_PRODUCT_BITS // (2 * bits))  # of which the product can be made
    up, down = list(islice(above, most + 1)), list(islice(below, most + 1))
    if max(len(up), len(down)) > most:
        malformed(f"the check is too large: more than {most} weights of a summand to one side")
    return start - len(down), [*reversed(down), *up], above.rest + below.rest


def enclosed_pairs(
    noise: Noise, shift: int, ratio_bits: int, witness: Object, work: Work
) -> Iterator[tuple[int | None, Bounds, Bounds]]:
    """At each t of either support the weights of Y and of Y + shift, enclosed, to be multiplied by a ratio; None where
    one was not reached."""
    bits, sides = noise.enclosed(witness, work)
    for step, pair in enumerate(aligned_pairs(sides, shift)):
        if step % 1024 == 0:
            work.spend(4 * 1024, bits + 64, ratio_bits)
        yield pair


def probability(noise: Noise, event: Event, witness: Object, work: Work) -> tuple[Fraction, Fraction]:
    """Bounds of the probability of an event, equal if the law is listed."""
    if "bits" not in witness:
        exact = noise.share(event, work)
        return exact, exact

    def place(t: int | None) -> Place:
        if t is None:
            return "open"
        return "inside" if event.holds(t) else "outside"

    weights = enclosed_weights(noise.enclosed(witness, work)[1])
    return event_probability((place(t), bounds) for t, bounds in weights)


def event_probability(outcomes: Iterable[tuple[Place, Bounds]]) -> tuple[Fraction, Fraction]:
    """Bounds of the probability of an event, from the enclosed weights of all outcomes and their places."""
    inside_low = inside_high = outside_low = outside_high = 0
    for place, (low, high) in outcomes:
        if place == "inside":
            inside_low += low
            inside_high += high
        elif place == "outside":
            outside_low += low
            outside_high += high
        else:
            inside_high += high
            outside_high += high
    return shares((inside_low, inside_high), (outside_low, outside_high))


def shares(inside: Bounds, outside: Bounds) -> tuple[Fraction, Fraction]:
    """Bounds of inside / (inside + outside), from bounds of both."""
    if inside[0] + outside[0] == 0:
        rejected("the precision does not show that any weight is positive")
    low = Fraction(inside[0], max(1, inside[0] + outside[1]))
    return low, Fraction(inside[1], max(1, inside[1] + outside[0]))
