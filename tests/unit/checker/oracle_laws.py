"""The oracle's share of noise laws: exact where a law is rational and its tails are simple, else a wide window.

A window is walked outward from the mode by the ratios of neighbouring weights, in mpmath with 100 digits, until what is
left out is below 10^-55 of the law. Every probability that is computed so is within CLOSE of the truth; a claim that is
closer than that to its edge is answered with None. What is no law at all (a probability above 1) raises NoLawError.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, product
from typing import Any

import mpmath  # type: ignore[import-untyped]

from tests.unit.checker.oracle_views import Law, all_hold, exp_bounds, level_holds, number, rows, view, whole

MP = mpmath.mp.clone()
MP.dps = 100
ALIKE = MP.mpf(10) ** -70  # relative: two weights that are as close as this are not told apart
CUT = MP.mpf(10) ** -60  # a window ends where a weight is below this share of the mode's
CLOSE = MP.mpf(10) ** -45  # the error of a probability, with a wide margin
LONGEST = 200_000
LISTED = 1000  # outcomes of a uniform law: a longer one is cut where something changes
EXACT_TRIALS = 1000

Number = Any  # a Fraction, or a number of MP
Pair = tuple[Number, Number]  # the probabilities of one outcome (or of many with one ratio) under two laws
Bounds = tuple[Number, Number]


class NoLawError(Exception):
    """A parameter outside its domain."""


class TooLongError(Exception):
    """Not a small instance."""


def inexact(value: Number) -> Any:
    return MP.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else MP.mpf(value)


def real(value: Any) -> Number:
    """A Fraction where only rational operations lead to it (or e^0, ln 1), else to 100 digits."""
    if isinstance(value, str):
        return number(value)
    ((name, inner),) = value.items()
    if name == "power":
        base, power = real(inner[0]), whole(inner[1])
        return base**power
    if name in ("sum", "product"):
        parts = [real(part) for part in inner]
        if not all(isinstance(part, Fraction) for part in parts):
            parts = [inexact(part) for part in parts]
        found = parts[0]
        for part in parts[1:]:
            found = found + part if name == "sum" else found * part
        return found
    part = real(inner)
    if name == "inverse":
        if part == 0:
            raise NoLawError
        return 1 / part
    if name == "exp":
        return Fraction(1) if part == 0 else MP.exp(inexact(part))
    if part <= 0:
        raise NoLawError
    return Fraction(1) if part == 1 else MP.log(inexact(part))


def within(value: Number, low: Number, high: Number | None, low_open: bool = False, high_open: bool = False) -> Number:
    if value < low or (low_open and value == low):
        raise NoLawError
    if high is not None and (value > high or (high_open and value == high)):
        raise NoLawError
    return value


@dataclass(frozen=True)
class Noise:
    """``weights`` are the probabilities on a window. ``fall`` is the ratio of an exact geometric or two-sided law."""

    weights: dict[int, Number]
    exact: bool
    least: int | None
    most: int | None
    step: Callable[[int], Number] | None = None  # w(t+1)/w(t)
    fall: Fraction | None = None
    log_step: Callable[[int], Fraction] | None = None  # ln w(t+1)/w(t), where it is rational
    size: int | None = None  # of a uniform law from least to most that is not listed

    def pieces(self, cuts: Iterable[int]) -> Iterator[range]:
        """The support of a uniform law, cut before each of these integers."""
        assert self.least is not None
        assert self.most is not None
        inside = sorted({t for t in cuts if self.least < t <= self.most})
        yield from map(range, [self.least, *inside], [*inside, self.most + 1])

    def at(self, t: int) -> Number:
        """P[Y = t], exactly if ``fall`` is there."""
        if self.size is not None:
            assert self.least is not None
            assert self.most is not None
            return Fraction(self.least <= t <= self.most, self.size)
        if self.fall is None:
            return self.weights.get(t, 0)
        if self.least is not None and t < self.least:
            return Fraction(0)
        return self.fall ** abs(t) * self.scale

    @property
    def scale(self) -> Fraction:
        assert self.fall is not None
        return (1 - self.fall) / (1 if self.least is not None else 1 + self.fall)

    def above(self, t: int) -> Fraction:
        """P[Y > t] of an exact law with tails, for t >= 0."""
        assert self.fall is not None
        assert t >= 0
        return self.fall ** (t + 1) * self.scale / (1 - self.fall)

    def below(self, t: int) -> Fraction:
        return Fraction(0) if self.least is not None else self.above(-t)


def uniform(low: int, high: int) -> Noise:
    if low > high:
        raise NoLawError
    size = high - low + 1
    if size > LISTED:
        return Noise({}, True, low, high, size=size)
    return Noise({t: Fraction(1, size) for t in range(low, high + 1)}, True, low, high)


def lengths(parts: Iterable[range]) -> int:
    return sum(part.stop - part.start for part in parts)


def point(t: int) -> Noise:
    return Noise({t: Fraction(1)}, True, t, t)


def walked(mode: int, step: Callable[[int], Number], least: int | None, most: int | None) -> Noise:
    """The window around the mode, and its sum made 1."""
    found = {mode: MP.mpf(1)}
    for way, end in ((1, most), (-1, least)):
        t, weight = mode, MP.mpf(1)
        while t != end:
            ratio = inexact(step(t)) if way == 1 else 1 / inexact(step(t - 1))
            t, weight = t + way, weight * ratio
            found[t] = weight
            if weight < CUT and weight * ratio < (1 - ratio) * CUT * 100_000:
                break
            if len(found) > LONGEST:
                raise TooLongError
    total = MP.fsum(found.values())
    return Noise({t: found[t] / total for t in sorted(found)}, False, least, most, step)


def binomial(n: int, p: Number) -> Noise:
    within(p, 0, 1)
    if n == 0 or p == 0 or p == 1:
        return point(0 if p == 0 else n)
    if isinstance(p, Fraction) and n <= EXACT_TRIALS:
        law: dict[int, Number] = {t: math.comb(n, t) * p**t * (1 - p) ** (n - t) for t in range(n + 1)}
        return Noise(law, True, 0, n)
    mode = min(n, int((n + 1) * p))
    return walked(
        mode,
        lambda t: p / (1 - p) * Fraction(n - t, t + 1) if isinstance(p, Fraction) else p / (1 - p) * (n - t) / (t + 1),
        0,
        n,
    )


def added(first: Noise, second: Noise) -> Noise:
    pairs = len(first.weights) * len(second.weights)
    exact = first.exact and second.exact and pairs <= 40_000
    if pairs > 5 * LONGEST:
        raise TooLongError
    found: dict[int, Number] = {}
    weights = [law.weights if exact else {t: inexact(p) for t, p in law.weights.items()} for law in (first, second)]
    for (s, p), (t, q) in product(weights[0].items(), weights[1].items()):
        found[s + t] = found.get(s + t, 0) + p * q
    ends = [
        None if a is None or b is None else a + b for a, b in ((first.least, second.least), (first.most, second.most))
    ]
    return Noise(found, exact, ends[0], ends[1])


def geometric(fall: Number, two_sided: bool) -> Noise:
    if fall == 0:
        return point(0)
    least = None if two_sided else 0
    window = walked(0, lambda t: fall if t >= 0 else 1 / fall, least, None)
    if not isinstance(fall, Fraction):
        return window
    return Noise(window.weights, True, least, None, window.step, fall)


def logarithmic(log_step: Callable[[int], Any], least: int | None) -> Noise:
    """A law with its mode at 0 whose ratios are e to a rational."""
    window = walked(0, lambda t: MP.exp(inexact(log_step(t))), least, None)
    return replace(window, step=None, log_step=log_step)


def rational_log(value: Any) -> Fraction | None:
    if isinstance(value, dict) and "exp" in value and isinstance(exponent := real(value["exp"]), Fraction):
        return exponent
    return None


def of_view(law: Any) -> Noise:
    dataset = tuple(x for x, users in enumerate(law["dataset"]) for _ in range(whole(users)))
    found: dict[int, Number] = {}
    for seen, p in view(rows(law["randomizer"]), dataset).items():
        total = sum(whole(law["weights"][whole(message)]) for message in seen)
        found[total] = found.get(total, 0) + p
    return Noise(dict(sorted(found.items())), True, min(found), max(found))


def noise(law: Any) -> Noise:
    return read_noise(json.dumps(law, sort_keys=True))


@lru_cache(maxsize=2000)
def read_noise(text: str) -> Noise:
    law = json.loads(text)
    family = law["family"]
    if family == "finite":
        found: dict[int, Number] = {whole(k): number(p) for k, p in law["weights"]}
        return Noise(found, True, min(found), max(found))
    if family == "view":
        return of_view(law)
    if family == "binomial":
        return binomial(whole(law["n"]), real(law["p"]))
    if family == "binomial-sum":
        return added(binomial(whole(law["n1"]), real(law["p1"])), binomial(whole(law["n2"]), real(law["p2"])))
    if family == "geometric":
        p = within(real(law["p"]), 0, 1, high_open=True)
        x = rational_log(law["p"])
        return geometric(p, two_sided=False) if x is None else logarithmic(lambda t: x, 0)
    if family == "discrete-laplace":
        exp_eps = within(real(law["exp_eps"]), 1, None, low_open=True)
        x = rational_log(law["exp_eps"])
        if x is None:
            return geometric(1 / exp_eps, two_sided=True)
        return logarithmic(lambda t: x if t < 0 else -x, None)
    if family == "discrete-gaussian":
        variance = within(number(law["sigma_squared"]), 0, None, low_open=True)
        return logarithmic(lambda t: Fraction(-(2 * t + 1)) / (2 * variance), None)
    if family == "poisson":
        mu = within(real(law["mu"]), 0, None)
        return point(0) if mu == 0 else walked(int(mu), lambda t: mu / (t + 1), 0, None)
    if family == "discrete-uniform":
        return uniform(whole(law["low"]), whole(law["high"]))
    assert family == "negative-binomial"
    r, p = within(real(law["r"]), 0, None, low_open=True), within(real(law["p"]), 0, 1, high_open=True)
    if p == 0:
        return point(0)
    if not (isinstance(r, Fraction) and isinstance(p, Fraction)):
        r, p = inexact(r), inexact(p)
    return walked(max(0, int((r - 1) * p / (1 - p))), lambda t: (r + t) * p / (t + 1), 0, None)


# --- Two laws, outcome by outcome -----------------------------------------------------------------------------------


def compared(law: Noise, j: int) -> list[tuple[int | None, Number, Number]]:
    """(t, P[Y = t], P[Y + j = t]) wherever one is positive; with t None all outcomes of a tail of constant ratio."""
    if law.size is not None:
        return compared_uniform(law, j)
    if law.fall is None:
        places = sorted(law.weights.keys() | {t + j for t in law.weights})
        return [(t, law.at(t), law.at(t - j)) for t in places]
    end = abs(j) + 3
    found: list[tuple[int | None, Number, Number]] = [(t, law.at(t), law.at(t - j)) for t in range(-end, end + 1)]
    return [*found, (None, law.above(end), law.above(end - j)), (None, law.below(-end), law.below(-end - j))]


def compared_uniform(law: Noise, j: int) -> list[tuple[int | None, Number, Number]]:
    """The same for a long uniform law, of which all outcomes between two ends of either law are one."""
    assert law.least is not None
    assert law.most is not None
    assert law.size is not None
    ends = sorted({law.least, law.least + j, law.most + 1, law.most + 1 + j})
    parts = [(first, Fraction(last - first)) for first, last in pairwise(ends)]
    return [(None, length * law.at(t), length * law.at(t - j)) for t, length in parts]


def above(bounds: list[Bounds], delta: Fraction) -> bool | None:
    """Whether all of these numbers are at most delta."""
    edge = inexact(delta)
    tested = [(delta if isinstance(high, Fraction) else edge, low, high) for low, high in bounds]
    if any(low > limit for limit, low, _ in tested):
        return False
    return True if all(high <= limit for limit, _, high in tested) else None


def exp_eps_bounds(claim: Any) -> tuple[Fraction, Fraction]:
    if "exp_eps" in claim:
        return number(claim["exp_eps"]), number(claim["exp_eps"])
    return exp_bounds(number(claim["eps"])) if number(claim["eps"]) else (Fraction(1), Fraction(1))


def divergence_bounds(law: Noise, j: int, low: Fraction, high: Fraction) -> Bounds:
    """H_{e^eps} of Y against Y + j, for e^eps in [low, high]; within a window of a law."""
    pairs = [(inexact(p), inexact(q)) for _, p, q in compared(law, j)]
    at_high, at_low = (MP.fsum(max(MP.mpf(0), p - inexact(e) * q) for p, q in pairs) for e in (high, low))
    return at_high - CLOSE, at_low + CLOSE


def shift_dp(claim: Any) -> bool | None:
    law, reach = noise(claim["law"]), whole(claim["shift"])
    moves = [sign * j for j in range(1, reach + 1) for sign in (1, -1)]
    if law.exact:
        laws: list[tuple[Law, Law]] = []
        for j in moves:
            pairs = list(enumerate(compared(law, j)))
            laws.append(({i: pair[1] for i, pair in pairs if pair[1]}, {i: pair[2] for i, pair in pairs if pair[2]}))
        return level_holds(laws, claim)
    low, high = exp_eps_bounds(claim)
    answer = above([divergence_bounds(law, j, low, high) for j in moves], number(claim["delta"]))
    if number(claim["delta"]) == 0 and claim["law"]["family"] == "discrete-laplace":
        answer = is_pure(claim, reach)
    return answer if answer is False or claim["least"] == "none" else None


def is_pure(claim: Any, reach: int) -> bool | None:
    """Whether e^eps >= X^reach for a discrete Laplace law, whose every ratio is X or 1/X."""
    exponent = claim["law"]["exp_eps"]
    if "eps" in claim and isinstance(exponent, dict) and "exp" in exponent:
        x = real(exponent["exp"])
        if isinstance(x, Fraction):
            return number(claim["eps"]) >= x * reach
    eps = inexact(number(claim["eps"])) if "eps" in claim else MP.log(inexact(number(claim["exp_eps"])))
    needed = reach * MP.log(inexact(real(exponent)))
    return None if abs(eps - needed) < CLOSE else bool(eps > needed)


def smooth(claim: Any) -> bool | None:
    law, reach = noise(claim["law"]), whole(claim["k"])
    moves = [sign * j for j in range(1, reach + 1) for sign in (1, -1)]
    return above([smooth_bounds(law, j, claim) for j in moves], number(claim["delta"]))


def smooth_bounds(law: Noise, by: int, claim: Any) -> Bounds:
    """P[w(Y)/w(Y + by) >= e^(abs(by) eps)]."""
    low, high = (edge ** abs(by) for edge in exp_eps_bounds(claim))
    least = most = Fraction(0) if law.exact else MP.mpf(0)
    for t, p, q in compared(law, -by):
        if not p:
            continue
        if law.exact:
            may, must = p >= low * q, p >= high * q
        else:
            p, q = inexact(p), inexact(q)
            may, must = p * (1 + ALIKE) >= inexact(low) * q, p * (1 - ALIKE) >= inexact(high) * q
            exactly = is_at_least(law, t, by, claim) if may and not must and t is not None else None
            may, must = (may, must) if exactly is None else (exactly, exactly)
        most, least = most + may * p, least + must * p
    return (least, most) if law.exact else (least - CLOSE, most + CLOSE)


def is_at_least(law: Noise, t: int, by: int, claim: Any) -> bool | None:
    """Whether w(t)/w(t + by) >= e^(abs(by) eps), where both are rational or both have rational logarithms."""
    steps = range(min(t, t + by), max(t, t + by))
    eps = number(claim["eps"]) if "eps" in claim else Fraction(0) if claim["exp_eps"] == "1" else None
    if law.log_step is not None and eps is not None:
        rise = sum((law.log_step(s) for s in steps), Fraction(0))
        return (-rise if by > 0 else rise) >= abs(by) * eps
    ratios: list[Number] = [law.step(s) for s in steps] if law.step is not None else [None]
    if eps or not all(isinstance(ratio, Fraction) for ratio in ratios):
        return None
    found: Number = math.prod(ratios, start=Fraction(1))
    exp_eps = Fraction(1) if eps == 0 else number(claim["exp_eps"])
    return bool((1 / found if by > 0 else found) >= exp_eps ** abs(by))


# --- Events and errors ----------------------------------------------------------------------------------------------


def tail(claim: Any) -> bool | None:
    law = noise(claim["law"])
    start = None if claim["from"] == "-infinity" else whole(claim["from"])
    end = None if claim["to"] == "infinity" else whole(claim["to"])
    low, high = interval_bounds(law, start, end)
    bound = number(claim["probability"])
    if claim["bound"] == "at most":
        return above([(low, high)], bound)
    return above([(1 - high, 1 - low)], 1 - bound)


def interval_bounds(law: Noise, start: int | None, end: int | None) -> Bounds:
    reaches_down = start is None or (law.least is not None and start <= law.least)
    reaches_up = end is None or (law.most is not None and end >= law.most)
    if start is not None and end is not None and start > end:
        return Fraction(0), Fraction(0)
    if (start is not None and law.most is not None and start > law.most) or (
        end is not None and law.least is not None and end < law.least
    ):
        return Fraction(0), Fraction(0)
    if reaches_down and reaches_up:
        return Fraction(1), Fraction(1)
    if law.fall is not None:
        mass = 1 - (Fraction(0) if end is None else beyond(law, end))
        mass -= Fraction(0) if start is None else 1 - beyond(law, start - 1)
        return mass, mass
    if law.size is not None:
        cuts = [end for end in (start, None if end is None else end + 1) if end is not None]
        inside = [
            part
            for part in law.pieces(cuts)
            if (start is None or part.start >= start) and (end is None or part.start <= end)
        ]
        return Fraction(lengths(inside), law.size), Fraction(lengths(inside), law.size)
    mass = sum((p for t, p in law.weights.items() if (start is None or t >= start) and (end is None or t <= end)), 0)
    return (mass, mass) if law.exact else (mass - CLOSE, mass + CLOSE)


def beyond(law: Noise, t: int) -> Fraction:
    """P[Y > t] of a law with an exact tail, for every t."""
    if t >= 0:
        return law.above(t)
    return Fraction(1) if law.least is not None else 1 - law.above(-t - 1)


def accuracy(claim: Any) -> bool | None:
    if "law" in claim:
        return noisy_count_accuracy(claim)
    table, n = rows(claim["randomizer"]), whole(claim["n"])
    if claim["dataset"] != "worst":
        return data_set_accuracy(
            claim, table, tuple(x for x, c in enumerate(claim["dataset"]) for _ in range(whole(c)))
        )
    if len(table) ** n > 100_000:
        raise TooLongError
    data = sorted({tuple(sorted(d)) for d in product(range(len(table)), repeat=n)})
    return all_hold([data_set_accuracy(claim, table, dataset) for dataset in data])


def is_wrong(claim: Any, total: Fraction, truth: Fraction) -> bool:
    """Whether the estimate from this sum of weights is further than alpha from the truth."""
    threshold = claim["zero_unless_above"]
    estimate = total + number(claim["offset"])
    if threshold != "none" and total <= number(threshold):
        estimate = Fraction(0)
    return abs(estimate - truth) > number(claim["alpha"])


def data_set_accuracy(claim: Any, table: list[Law], dataset: tuple[int, ...]) -> bool:
    weights, values = [[number(w) for w in claim[key]] for key in ("weights", "values")]
    truth = sum((values[x] for x in dataset), Fraction(0))
    mass = Fraction(0)
    for seen, p in view(table, dataset).items():
        if is_wrong(claim, sum((weights[whole(m)] for m in seen), Fraction(0)), truth):
            mass += p
    return mass <= number(claim["beta"])


def noisy_count_accuracy(claim: Any) -> bool | None:
    found = error_bounds(claim)
    answer = above(list(found.values()), number(claim["beta"]))
    return answer if answer is False or len(found) > whole(claim["most"]) - whole(claim["least"]) else None


def error_bounds(claim: Any) -> dict[int, Bounds]:
    """P[error > alpha] for every count; if there are many, for those near an end or near alpha / weight."""
    law, weight = noise(claim["law"]), number(claim["weight"])
    least, most = whole(claim["least"]), whole(claim["most"])
    edge = int(number(claim["alpha"]) / weight)  # the errors of counts that are estimated as 0 begin here
    near = {0, 1, 2, *range(edge - 2, edge + 4), *range(most - 40, most + 1), *range(least, least + 40)}
    exact = law.exact and law.fall is None
    found: dict[int, Bounds] = {}
    for count in sorted(near):
        if least <= count <= most and law.size is not None:
            mass = uniform_error(claim, law, law.size, count)
            found[count] = mass, mass
        elif least <= count <= most:
            masses = [p for t, p in law.weights.items() if is_wrong(claim, weight * (count + t), weight * count)]
            mass = sum(masses, Fraction(0)) if exact else MP.fsum(masses)
            found[count] = (mass, mass) if exact else (mass - CLOSE, mass + CLOSE)
    return found


def uniform_error(claim: Any, law: Noise, size: int, count: int) -> Fraction:
    """P[error > alpha] for one count and a long uniform law, cut wherever an error may begin or end."""
    weight, alpha, offset = (number(claim[key]) for key in ("weight", "alpha", "offset"))
    near = [(alpha - offset) / weight, (-alpha - offset) / weight]
    if claim["zero_unless_above"] != "none":
        near.append(number(claim["zero_unless_above"]) / weight - count)
    parts = law.pieces(math.floor(x) + step for x in near for step in (-1, 0, 1, 2))
    wrong = (part for part in parts if is_wrong(claim, weight * (count + part.start), weight * count))
    return Fraction(lengths(wrong), size)


def equal_laws(claim: Any) -> bool | None:
    first, second = noise(claim["first"]), noise(claim["second"])
    if first.size is not None or second.size is not None:
        return equal_to_uniform(first, second)
    outcomes: Iterator[int] = iter(first.weights.keys() | second.weights.keys())
    if first.exact and second.exact:
        return all(first.at(t) == second.at(t) for t in outcomes) and first.fall == second.fall
    if any(abs(inexact(first.at(t)) - inexact(second.at(t))) > 2 * CLOSE for t in outcomes):
        return False
    return True if claim["first"] == claim["second"] else None


def equal_to_uniform(first: Noise, second: Noise) -> bool | None:
    """Whether two laws are the same of which one at least is a long uniform one: so many outcomes, all alike."""
    if first.size is not None and second.size is not None:
        return (first.least, first.most) == (second.least, second.most)
    long, other = (first, second) if first.size is not None else (second, first)
    assert long.size is not None
    if not other.exact or other.fall is not None:
        return False  # it has no end, or more than the window shows
    return len(other.weights) == long.size and all(long.at(t) == p for t, p in other.weights.items())
