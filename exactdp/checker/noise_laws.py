"""The families of noise laws: how each is read, its words, its listed weights or its enclosed ones; probabilities.

Trusted for: each family is the law that its name and its parameters say, and so is the probability of an event.

It rests on these facts, with their theorems of the Coq kernel:

- fixed-point weights with directed rounding: fixed_point_weights.walked_enclose, fixed_point_weights.shares_bound
- a falling ratio leaves a geometric remainder: geometric_tail.geometric_tail_of_bounds
- exponentials and logarithms by series: exponential_fixed_point.exp_enclosed, logarithm_fixed_point.log_enclosed
- a longer shift moves a log-concave law further: longer_shift.longer_shift, longer_shift.longer_smooth,
  log_concave_laws.poisson_log_concave, log_concave_laws.negative_binomial_log_concave,
  log_concave_laws.discrete_laplace_log_concave, log_concave_laws.discrete_gaussian_log_concave,
  log_concave_laws.coins_log_concave
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import islice, repeat
from typing import NamedTuple, cast

from .budget import Work, hold, malformed, rejected
from .enclosed_laws import Ratios, Side, Sides, aligned_pairs, enclosed_weights, multiply_lists, neighbors, walked
from .facts import FIXED_POINT, GEOMETRIC, SERIES, Facts
from .finite_laws import Randomizer, Steps, Table, convolve, sum_law, sum_rows
from .limits import (
    MAX_BITS,
    MAX_PRECISION,
    MAX_PRODUCT_BITS,
    MAX_TOTAL_BITS,
    MAX_USERS,
    MAX_WALKED,
    MAX_WINDOW,
    MIN_PRECISION,
)
from .reading import (
    Object,
    any_object,
    read_choice,
    read_integer,
    read_integers,
    read_list,
    read_object,
    read_rational,
    show,
    show_vector,
)
from .reals import Bounds, Parameter, Ratio, Real, exponential, inverse


class Noise(NamedTuple):
    """A noise law: its weights where they can be listed, its sides where it can be walked (*fixed-point weights*)."""

    words: str
    table: Callable[[Work], Table] | None = None
    sides: Callable[[int, Work], Sides] | None = None
    ratio: Callable[[int], Fraction] | None = None  # w(t+1) / w(t), where rational
    constant: tuple[Fraction, bool] | None = None  # the x and is_even of Steps
    exp_eps: Real | None = None  # of a discrete Laplace law
    is_log_concave: bool = True
    is_linear: bool = False  # the ratio is (A t + B) / (t + 1) for every t >= 0

    @classmethod
    def read(cls, value: object) -> Noise:
        family = read_choice(any_object(value, "the law").get("family"), "family", list(FAMILIES))
        keys, read = FAMILIES[family]
        return read(read_object(value, "the law", ["family", *keys]))

    def exact(self, most: int, work: Work) -> Table | Steps:
        """The law against itself moved by at most ``most``, listed exactly."""
        if self.constant is not None:
            steps = Steps(*self.constant, most)
            if steps.bits > MAX_BITS:
                malformed(f"the weights of the law have more than {MAX_BITS} bits")
            return steps
        return self.listed(work)

    def listed(self, work: Work) -> Table:
        if self.table is None:
            malformed("this law is checked by enclosure: the witness has no 'bits'")
        return self.table(work)

    def enclosed(self, witness: Object, work: Work) -> tuple[int, Sides]:
        """The precision that the witness asks for, and the enclosed weights."""
        if self.sides is None:
            malformed("this law is checked exactly: the witness has 'bits'")
        bits = read_integer(witness["bits"], "bits", MIN_PRECISION, MAX_PRECISION)
        return bits, self.sides(bits, work)

    @property
    def enclosed_facts(self) -> Facts:
        is_irrational = self.ratio is None and self.table is None
        return [FIXED_POINT, GEOMETRIC, *([SERIES] if is_irrational else [])]

    def worst_shifts(self, most: int) -> Iterable[int]:
        """*A longer shift moves a log-concave law further.*"""
        return [most] if self.is_log_concave else range(1, most + 1)


def finite_noise(law: Object) -> Noise:
    table = Table.read(law["weights"], "the law")
    return Noise(table.words, table=lambda work: table, is_log_concave=False)


def view_noise(law: Object) -> Noise:
    """The law of the sum of integer weights of all messages of one data set."""
    randomizer = Randomizer.read(law["randomizer"])
    inputs = len(randomizer.rows)
    users = [read_integer(c, "dataset", 0, MAX_USERS) for c in read_list(law["dataset"], "dataset", inputs, inputs)]
    weights = read_integers(law["weights"], "weights", randomizer.messages)
    words = (
        f"law of the message weights {show_vector(weights)} summed, {randomizer.words}, data set {show_vector(users)}"
    )
    sums = sum_rows(randomizer, weights)
    return Noise(words, lambda work: Table.of(*sum_law(sums, users, randomizer, work)), is_log_concave=False)


def binomial_noise(law: Object) -> Noise:
    n, p = read_integer(law["n"], "the n of the law", 0, MAX_WALKED), Parameter.read(law, "p", 0, 1, (0, 1))
    return binomial(n, p)


def binomial(n: int, p: Parameter) -> Noise:
    def ratios(bits: int, work: Work) -> Ratios:
        low, high, whole = p.bounds(bits, work)
        odds = (low, high, whole - low)
        if low != high:
            odds = (low * (whole - high), high * (whole - low), (whole - low) * (whole - high))
        start = min(n, (n + 1) * low // whole)
        return neighbors(start, 0, n, lambda t: ((n - t) * odds[0], (n - t) * odds[1], (t + 1) * odds[2]))

    x, words = p.real.number, f"Bin({n}, {p.real.words})"
    if not p.real.is_rational:
        return Noise(words, sides=partial(walked, ratios))
    ratio = None if x == 1 else lambda t: (n - t) * x / ((t + 1) * (1 - x))
    return Noise(words, lambda work: Table.binomial(n, x), partial(walked, ratios), ratio)


def binomial_sum_noise(law: Object) -> Noise:
    parts = [
        binomial(read_integer(law[n], f"the {n} of the law", 0, MAX_WALKED), Parameter.read(law, p, 0, 1, (0, 1)))
        for n, p in (("n1", "p1"), ("n2", "p2"))
    ]
    words, tables = " + ".join(part.words for part in parts), [part.table for part in parts]

    def table(work: Work) -> Table:
        first, second = (part.listed(work) for part in parts)
        bits = first.bits + second.bits
        if bits > MAX_TOTAL_BITS:
            malformed(f"the weights of the law have more than {MAX_TOTAL_BITS} bits")
        work.expect(first.outcomes * second.outcomes, bits)
        hold(first.outcomes, first.bits)
        hold(second.outcomes, second.bits)
        law = convolve(dict(first.stream()), dict(second.stream()), bits, work)
        return Table.of({t: weight for t, weight in law.items() if weight}, first.total * second.total)

    return Noise(words, None if None in tables else table, lambda bits, work: summed(parts[0], parts[1], bits, work))


def negative_binomial_noise(law: Object) -> Noise:
    r, p = Parameter.read(law, "r", 0), Parameter.read(law, "p", 0, 1, (0,))
    return negative_binomial(r, p, f"NB({r.real.words}, {p.real.words})")


def geometric_noise(law: Object) -> Noise:
    p = Parameter.read(law, "p", 0, 1, (0,))
    one = Parameter(Real("rational", Fraction(1), (), "1"), "r", 0, None)
    noise = negative_binomial(one, p, f"Geometric({p.real.words})")
    return noise._replace(constant=(p.real.number, False) if p.real.is_rational else None)


def negative_binomial(r: Parameter, p: Parameter, words: str) -> Noise:
    def ratios(bits: int, work: Work) -> Ratios:
        (r_low, r_high, r_whole), (low, high, whole) = r.bounds(bits, work), p.bounds(bits, work)
        start = max(0, (r_low - r_whole) * low // (r_whole * (whole - low)))

        def ratio(t: int) -> Ratio:
            return (r_low + t * r_whole) * low, (r_high + t * r_whole) * high, r_whole * whole * (t + 1)

        return neighbors(start, 0, None, ratio, later=(low, high, whole))

    x, y = r.real.number, p.real.number
    is_rational = r.real.is_rational and p.real.is_rational
    ratio = (lambda t: (x + t) * y / (t + 1)) if is_rational else None
    is_log_concave = r.real.is_rational and x >= 1
    table = (lambda work: Table.of({0: 1}, 1)) if p.real.is_rational and y == 0 else None
    return Noise(words, table, partial(walked, ratios), ratio, None, None, is_log_concave, is_rational)


def discrete_laplace_noise(law: Object) -> Noise:
    exp_eps = Parameter.read(law, "exp_eps", 1)
    real = exp_eps.real

    def ratios(bits: int, work: Work) -> Ratios:
        ratio = inverse(exp_eps.bounds(bits, work))
        return Ratios(0, repeat(ratio), repeat(ratio))

    words = f"DiscreteLaplace({real.words})"
    if not real.is_rational:
        return Noise(words, sides=partial(walked, ratios), exp_eps=real)
    x = 1 / real.number
    return Noise(words, None, partial(walked, ratios), lambda t: x if t >= 0 else 1 / x, (x, True), real)


def discrete_gaussian_noise(law: Object) -> Noise:
    sigma_squared = read_rational(law["sigma_squared"], "the sigma_squared of the law", 0)
    if sigma_squared == 0:
        malformed("the sigma_squared of the law is 0")

    def powers(bits: int, work: Work) -> Iterator[Ratio]:
        """q^(2t+1) for t = 0, 1, ... with q = e^(-1 / (2 sigma_squared))."""
        bits += 64
        low, high = exponential(-1 / (2 * sigma_squared)).enclose(bits, work)
        square = (low * low >> bits, -(-high * high >> bits))
        while True:
            yield low, high, 1 << bits
            low, high = low * square[0] >> bits, -(-high * square[1] >> bits)

    return Noise(
        f"DiscreteGaussian({show(sigma_squared)})",
        sides=partial(walked, lambda bits, work: Ratios(0, powers(bits, work), powers(bits, work))),
    )


def poisson_noise(law: Object) -> Noise:
    mu = Parameter.read(law, "mu", 0, None, (0,))

    def ratios(bits: int, work: Work) -> Ratios:
        low, high, whole = mu.bounds(bits, work)
        return neighbors(low // whole, 0, None, lambda t: (low, high, whole * (t + 1)))

    x, is_rational = mu.real.number, mu.real.is_rational
    ratio = (lambda t: x / (t + 1)) if is_rational else None
    table = (lambda work: Table.of({0: 1}, 1)) if is_rational and x == 0 else None
    return Noise(f"Poisson({mu.real.words})", table, partial(walked, ratios), ratio, is_linear=is_rational)


FAMILIES: dict[str, tuple[list[str], Callable[[Object], Noise]]] = {
    "finite": (["weights"], finite_noise),
    "view": (["randomizer", "dataset", "weights"], view_noise),
    "binomial": (["n", "p"], binomial_noise),
    "binomial-sum": (["n1", "p1", "n2", "p2"], binomial_sum_noise),
    "negative-binomial": (["r", "p"], negative_binomial_noise),
    "geometric": (["p"], geometric_noise),
    "discrete-laplace": (["exp_eps"], discrete_laplace_noise),
    "discrete-gaussian": (["sigma_squared"], discrete_gaussian_noise),
    "poisson": (["mu"], poisson_noise),
}


def summed(first: Noise, second: Noise, bits: int, work: Work) -> Sides:
    """The sum of two independent variables, whose weights outside two windows have together at most ``missing``."""
    windows = []
    for noise in (first, second):
        start, above, below = cast(Callable[[int, Work], Sides], noise.sides)(bits, work)
        most = min(MAX_WINDOW, MAX_PRODUCT_BITS // (2 * bits))  # of which the product can be made
        up, down = (list(islice(side, most + 1)) for side in (above, below))
        if max(len(up), len(down)) > most:
            malformed(f"the check is too large: more than {most} weights of a summand to one side")
        windows.append((start - len(down), [*reversed(down), *up], above.rest + below.rest))
    (low_a, a, rest_a), (low_b, b, rest_b) = windows
    missing = rest_a * (sum(high for _, high in b) + rest_b) + rest_b * sum(high for _, high in a)
    lows, highs = (multiply_lists([x[end] for x in a], [y[end] for y in b], work) for end in (0, 1))
    weights = [(low, high + missing) for low, high in zip(lows, highs)]
    middle = len(weights) // 2

    def side(part: Iterable[Bounds]) -> Generator[Bounds, None, int]:
        yield from part
        return missing

    return Sides(low_a + low_b + middle, Side(side(weights[middle:])), Side(side(reversed(weights[:middle]))))


def enclosed_pairs(
    noise: Noise, shift: int, ratio_bits: int, witness: Object, work: Work
) -> Iterator[tuple[int | None, Bounds, Bounds]]:
    """At each t of either support the weights of Y and of Y + shift, enclosed, to be multiplied by a ratio; None where
    one was not reached."""
    bits, sides = noise.enclosed(witness, work)
    for step, found in enumerate(aligned_pairs(sides, shift)):
        if step % 1024 == 0:
            work.spend(4 * 1024, bits + 64, ratio_bits)
        yield found


def probability(noise: Noise, holds: Callable[[int], bool], witness: Object, work: Work) -> tuple[Fraction, Fraction]:
    """Bounds of the probability of an event, equal if the law is listed."""
    if "bits" not in witness:
        table = noise.listed(work)
        work.spend(2 * table.outcomes, table.bits, 64 + table.step)
        exact = Fraction(sum(weight for t, weight in table.stream() if holds(t)), table.total)
        return exact, exact
    inside, outside = [0, 0], [0, 0]
    for t, (low, high) in enclosed_weights(noise.enclosed(witness, work)[1]):
        for part in [inside, outside] if t is None else [inside] if holds(t) else [outside]:
            part[0] += low
            part[1] += high
    return shares(inside, outside)


def shares(inside: Sequence[int], outside: Sequence[int]) -> tuple[Fraction, Fraction]:
    """Bounds of inside / (inside + outside), from bounds of both."""
    if inside[0] + outside[0] == 0:
        rejected("the precision does not show that any weight is positive")
    low = Fraction(inside[0], max(1, inside[0] + outside[1]))
    return low, Fraction(inside[1], max(1, inside[1] + outside[0]))
