"""Certificates that ask for much, in every kind of claim: long numbers, wide windows, many parts, deep products.

Each shape is a function of how far its parts have grown, from 0 to 1: ``grown(most)`` is a number from 1 to ``most``.
No claim of theirs matters, only that both checkers answer soon and in little room; ``hostile.py`` asks them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from fractions import Fraction
from itertools import islice
from math import gcd
from typing import Any

from tests.certificates.claims import (
    PROVED,
    REFUTED,
    additive,
    assuming,
    binomial,
    binomial_sum,
    both,
    canonical,
    composed,
    condition,
    count_accuracy,
    curve,
    document,
    equal_laws,
    gaussian,
    geometric,
    inequality,
    laplace,
    lattice,
    law,
    leaf,
    negation,
    negative_binomial,
    never,
    poisson,
    run,
    shift,
    shuffle,
    side,
    smooth,
    tail,
    uniform,
    views,
)

Document = dict[str, Any]
SHAPES: dict[str, Callable[[Grown], Document]] = {}
LONGEST = 2**18 - 8  # bits of a number
FILE_BYTES = 2**22
ATTAINED = {"shift": "1", "order": "forward"}


class Grown:
    """How far the parts of a shape have grown: all of them alike, or each as far of it as is drawn."""

    def __init__(self, share: float, rng: random.Random | None = None, draw: Callable[[], float] | None = None) -> None:
        self.share, self.rng, self.draw = share, rng, draw

    def __call__(self, most: float, least: int = 1) -> int:
        share = self.share
        if self.draw:
            share *= self.draw()
        elif self.rng:
            share *= self.rng.choice([1.0, self.rng.random()])
        return int(least * (most / least) ** share)

    def one_of(self, *choices: Any) -> Any:
        return choices[0] if self.rng is None else self.rng.choice(choices)


def shape(function: Callable[[Grown], Document]) -> Callable[[Grown], Document]:
    SHAPES[function.__name__] = function
    return function


def text_of(found: Document) -> str:
    """The document, as short as it can be written."""
    return json.dumps(found, separators=(",", ":"))


def spelt(value: int | Fraction) -> str:
    """A number as the format writes it."""
    if isinstance(value, Fraction) and value.denominator > 1:
        return f"{spelt(value.numerator)}/{spelt(value.denominator)}"
    whole = int(value)
    return str(whole) if abs(whole).bit_length() <= 256 else hex(whole)


def odd(bits: int) -> int:
    """A long odd number, the same for the same length."""
    return random.Random(bits).getrandbits(max(2, bits)) | 1 | 1 << max(1, bits - 1)


def close_to_one(bits: int) -> Fraction:
    return Fraction(2 ** max(2, bits) + 1, 2 ** max(2, bits))


def unlike(bits: int, number: int) -> list[Fraction]:
    """Fractions below 1 whose denominators have few common factors."""
    rng = random.Random(bits)
    return [Fraction(rng.getrandbits(bits) | 1, rng.getrandbits(bits) | 1 | 1 << bits) for _ in range(number)]


def halves(number: int) -> list[Fraction]:
    """So many probabilities."""
    return [Fraction(1, number)] * number


def row(*probabilities: Fraction, sent: Callable[[int], list[str]] = lambda i: ["0"] * i) -> list[Any]:
    return [{"send": sent(i), "prob": spelt(p)} for i, p in enumerate(probabilities)]


def long_row(bits: int) -> list[Any]:
    p = Fraction(1, odd(bits))
    return row(p, 1 - p)


# --- The ten of the audit -------------------------------------------------------------------------------------------


@shape
def a_window_that_never_falls(grown: Grown) -> Document:
    """A mean that 16 bits know up to a factor of 2: the upper weights grow and grow."""
    mu = {"product": [{"exp": "-11"}, spelt(2 ** grown(1000, 30))]}
    return document(tail(poisson(mu), "0", "infinity", "at most", "1"), PROVED, {"bits": "16"})


@shape
def a_table_of_long_weights(grown: Grown) -> Document:
    n = grown(20_000)
    p = Fraction(1, odd(grown(2**22) // n - 2))
    noise = binomial_sum(n, spelt(p), grown.one_of(0, 1, 3), "1/2")
    return document(tail(noise, "0", "5", "at most", "1"), PROVED, {})


@shape
def outcomes_of_many_bits(grown: Grown) -> Document:
    noise = grown.one_of(
        gaussian(spelt(grown(10**12))), poisson(spelt(grown(10**12))), laplace(spelt(close_to_one(grown(60))))
    )
    pair = {**ATTAINED, "bits": str(grown(2**14, 16))}
    return document(composed(run(noise, grown(10**6))), REFUTED, lattice("3/2", grown(2**14, 16), pairs=[pair]))


@shape
def four_windows(grown: Grown) -> Document:
    n = grown(10**18)
    noise = binomial_sum(n, "1/2", grown(10**18), "1/3")
    return document(tail(noise, "0", "5", "at most", "1"), PROVED, {"bits": str(grown(2**14, 16))})


@shape
def a_power_of_a_long_ratio(grown: Grown) -> Document:
    ratio = spelt(Fraction(odd(grown(LONGEST)) + 2**LONGEST, odd(grown(LONGEST))))
    noise = grown.one_of(binomial(2, "1/2"), geometric("1/2"), laplace("2"))
    claim = smooth(noise, grown(1000), ratio, "1")
    if grown.one_of(True, False):
        return document(claim, PROVED, grown.one_of({}, {"bits": "16"}))
    return document(claim, REFUTED, {"by": str(grown(1000))})


@shape
def a_power_of_a_long_eps(grown: Grown) -> Document:
    eps = spelt(Fraction(odd(grown(LONGEST)), 2**LONGEST))
    return document(shift(binomial(2, "1/2"), eps=eps, delta="0"), REFUTED, {**ATTAINED, "terms": str(grown(1000))})


@shape
def many_parts_with_an_exponential(grown: Grown) -> Document:
    parts, bits = grown(1000), str(grown(2**14, 16))
    part = shift(
        grown.one_of(geometric("1/2"), poisson({"exp": "1"})), eps=spelt(Fraction(grown(63), odd(99))), delta="1"
    )
    return document(both(*[part] * parts), PROVED, {"parts": [{"bits": bits}] * parts})


@shape
def millions_of_exponents(grown: Grown) -> Document:
    names = " ".join(f"x{i}" for i in range(grown(16)))
    width, number = len(names.split()), grown(490)
    rng = random.Random(width)

    def linear() -> Any:
        monomials = {tuple(rng.randrange(64) for _ in range(width)) for _ in range(number)}
        return condition(*(("1", " ".join(map(str, m))) for m in monomials))

    hypotheses = [linear() for _ in range(grown(40, 2))]
    pairs = [(i, j) for i in range(len(hypotheses)) for j in range(i + 1)]
    powers = [[str((i == k) + (j == k)) for k in range(len(hypotheses))] for i, j in pairs]
    terms = [{"coefficient": "1", "powers": each} for each in powers]
    return document(inequality(hypotheses, condition(), names), PROVED, {"terms": terms})


@shape
def sums_of_shared_outcomes(grown: Grown) -> Document:
    wide = row(*halves(grown(8000)), sent=lambda i: [str(m) for m in range(16) if i >> m & 1])
    other = [{**entry, "prob": spelt(Fraction(2 * i + 1, len(wide) ** 2))} for i, entry in enumerate(wide)]
    table = {"messages": "16", "rows": [wide, other]}
    return document(shuffle(table, n=grown(1000, 2), delta="1"), PROVED, {})


@shape
def weights_over_a_long_denominator(grown: Grown) -> Document:
    p = Fraction(1, odd(grown(LONGEST - 40)))
    rest = grown(150_000)
    weights = [[str(k), "1/262144"] for k in range(rest)]
    weights += [[str(rest), spelt(p)]]
    noise = law("finite", weights=weights)
    return document(tail(noise, "0", "5", "at most", "1"), PROVED, {})


# --- Their neighbours -----------------------------------------------------------------------------------------------


@shape
def logarithms_of_long_numbers(grown: Grown) -> Document:
    mu = {"sum": [{"log": spelt(odd(grown(LONGEST)))} for _ in range(grown(60, 2))]}
    return document(tail(poisson(mu), "0", "0", "at most", "1"), PROVED, {"bits": str(grown(2**14, 16))})


@shape
def exponentials_in_each_other(grown: Grown) -> Document:
    mu: Any = {"power": [{"exp": spelt(Fraction(grown(4000), 3))}, str(grown(1000, 2))]}
    for _ in range(grown(6)):
        mu = {"power": [{"product": [mu, mu]} if grown.one_of(False, True) else {"inverse": mu}, str(grown(1000, 2))]}
    return document(tail(poisson(mu), "0", "0", "at most", "1"), PROVED, {"bits": str(grown(2**14, 16))})


@shape
def long_constant_ratios(grown: Grown) -> Document:
    reach = grown(1000)
    ratio = close_to_one(grown(LONGEST) // (reach + 2) - 2)
    noise = grown.one_of(laplace(spelt(ratio)), geometric(spelt(1 / ratio)))
    claim = grown.one_of(shift(noise, "1", "1", reach), smooth(noise, reach, "1", "1"))
    return document(claim, PROVED, {})


@shape
def long_ratios_of_a_walk(grown: Grown) -> Document:
    p = Fraction(1, odd(grown(LONGEST)))
    noise = grown.one_of(
        negative_binomial(spelt(odd(grown(LONGEST))), spelt(1 - p)),
        binomial(grown(10**18), spelt(p)),
        poisson(spelt(odd(grown(LONGEST)))),
        geometric(spelt(1 - p)),
    )
    return document(tail(noise, "0", "5", "at most", "1"), PROVED, {"bits": str(grown(2**14, 16))})


@shape
def ties_of_long_ratios(grown: Grown) -> Document:
    p = spelt(Fraction(odd(grown(LONGEST)), 2**LONGEST))
    reach = grown(1000)
    noise = grown.one_of(binomial(grown(10**6, 2), p), negative_binomial("3", p), poisson(p), laplace("3/2"))
    witness = {"bits": str(grown(2**12, 16))}
    return document(smooth(noise, reach, grown.one_of("1", "3/2", spelt(close_to_one(500))), "1"), PROVED, witness)


@shape
def many_classes_of_bystanders(grown: Grown) -> Document:
    inputs = grown(256, 2)
    rows = [row(Fraction(1, i + 2), Fraction(i + 1, i + 2), sent=lambda j: [str(j)]) for i in range(inputs)]
    table = {"messages": "2", "rows": rows}
    claim = shuffle(table, n=grown(10, 2), delta="1", neighbors=grown.one_of("replace-one", "add-or-remove-one"))
    return document(claim, PROVED, {})


@shape
def many_wide_views(grown: Grown) -> Document:
    inputs, outcomes = grown(256, 2), grown(500, 2)
    rows = [
        row(*halves(outcomes), sent=lambda j, i=i: [str(j % 16)] * (j % 5) + [str(j // 16)] * i) for i in range(inputs)
    ]
    table = {"messages": "256", "rows": [row(*halves(outcomes), sent=lambda j: [str(j % 250), str(j // 2 % 250)])] * 2}
    if inputs * outcomes < 60_000 and grown.one_of(True, False):
        table = {"messages": "64", "rows": rows}
    return document(shuffle(table, n=grown(6, 2), delta="1"), PROVED, {})


@shape
def laws_that_wait(grown: Grown) -> Document:
    outcomes = grown(40, 2)
    rows = [row(*halves(outcomes + i), sent=lambda j: [str(j % 8), str(j // 8 % 8)] * 2) for i in range(grown(4, 2))]
    claim = {
        "kind": "accuracy",
        "randomizer": {"messages": "8", "rows": rows},
        "n": str(grown(200, 2)),
        "dataset": "worst",
    }
    claim |= {"weights": [str(9**i) for i in range(8)], "offset": "0", "zero_unless_above": "none"}
    claim |= {"values": ["0"] * len(rows), "alpha": "1000", "beta": "1"}
    return document(claim, PROVED, {})


@shape
def certain_rows(grown: Grown) -> Document:
    rows = [row(Fraction(1), sent=lambda _, i=i: ["0"] * i + ["1"]) for i in range(grown(255, 2))]
    rows += [row(Fraction(1, 2), Fraction(1, 2), sent=lambda j: ["0"] * (7 * j)) for _ in range(grown.one_of(1, 0))]
    table = {"messages": "2", "rows": rows}
    claim = grown.one_of(shuffle(table, n=grown(2000, 2), delta="1"), never(table, grown(100, 2), "1"))
    return document(claim, grown.one_of(PROVED, REFUTED), {})


@shape
def an_analyzer_of_long_numbers(grown: Grown) -> Document:
    inputs = grown(256, 2)
    rows = [row(Fraction(1, 2), Fraction(1, 2), sent=lambda j, i=i: ["0"] * (j * (i + 1))) for i in range(inputs)]
    offset = spelt(Fraction(1, odd(grown(LONGEST - 300))))
    claim = {"kind": "accuracy", "randomizer": {"messages": "1", "rows": rows}, "n": str(grown(100))}
    claim |= {"dataset": "worst", "weights": ["0"], "offset": offset, "zero_unless_above": "none"}
    claim |= {"values": ["0"] * inputs, "alpha": "1000", "beta": "1"}
    return document(claim, PROVED, {})


@shape
def an_additive_view_of_long_weights(grown: Grown) -> Document:
    p, outcomes = Fraction(1, odd(grown(LONGEST - 40, 2**17))), grown(1000, 500)
    probabilities = [p, Fraction(1, 2) - p, *[Fraction(1, 2 * outcomes)] * outcomes]
    weights = [[str(k), spelt(q)] for k, q in enumerate(probabilities)]
    rows = [[{"send": ["0"] * k, "prob": spelt(q)} for k, q in enumerate(probabilities)]]
    claim = {**additive(weights, ["0"]), "randomizer": {"messages": "1", "rows": rows}}
    return document(claim, PROVED, {})


@shape
def a_base_of_long_weights(grown: Grown) -> Document:
    bits = grown(LONGEST)
    p, parts = Fraction(1, odd(bits)), grown(5000)
    weights = [
        ["0", spelt(p)],
        *([str(k), spelt(Fraction(1, parts) - (p if k == 1 else 0))] for k in range(1, parts + 1)),
    ]
    if bits * parts > 2**24:
        weights = [["0", spelt(p)], ["1", spelt(1 - p)]]
    rows = [[{"send": ["0"] * int(k), "prob": q} for k, q in weights if int(k) <= 4096]] * grown(8)
    claim = {**additive(weights, ["0"] * len(rows)), "randomizer": {"messages": "1", "rows": rows}}
    return document(claim, PROVED, {})


@shape
def a_lattice_of_small_steps(grown: Grown) -> Document:
    rho = spelt(close_to_one(grown(4090)))
    runs = grown(300)
    pair = {"first": ["1", "0"], "second": ["0", "1"]}
    table = {"messages": "1", "rows": [row(Fraction(1, 4), Fraction(3, 4)), row(Fraction(3, 4), Fraction(1, 4))]}
    claim = composed(*[views(table, 1, grown(10**6))] * runs, exp_eps=grown.one_of("2", spelt(2**LONGEST)), delta="0")
    return document(claim, REFUTED, lattice(rho, grown(2**14, 16), pairs=[pair] * runs))


@shape
def curves_of_many_points(grown: Grown) -> Document:
    rho, points = spelt(close_to_one(grown(4000, 2))), grown(10**5)
    bits = grown(2**14, 16)
    runs = grown(20)
    noise = grown.one_of(laplace("2"), binomial(3, "1/2"), geometric("1/2"))
    witness = {"pure": "yes"} if noise["family"] == "discrete-laplace" else {}
    deltas = grown.one_of([2**bits - 1] + [7] * (points - 1), [0] * points, range(points, 0, -1))
    curves = [{**curve([], **witness), "deltas": [spelt(d) for d in islice(deltas, points)]}]
    curves *= min(runs, max(1, FILE_BYTES // 2 // len(canonical(curves))))
    runs = len(curves)
    exp_eps = grown.one_of("2", spelt(2**LONGEST))
    claim = composed(*[run(noise, grown(10**6))] * runs, exp_eps=exp_eps, delta="1")
    return document(claim, PROVED, lattice(rho, bits, curves=curves))


@shape
def long_products_of_curves(grown: Grown) -> Document:
    """Many short masses: the product of lists at its limit."""
    bits = grown(2**12, 40)
    points = min(grown(2**19), 2**20 // bits)
    table = {"messages": "0", "rows": [row(Fraction(1))]}
    deltas = [spelt((points - j) ** 2) for j in range(points)]
    one = {"deltas": deltas, "witness": {}}
    claim = composed(views(table, 1, grown(10**6)), delta="1")
    return document(claim, PROVED, lattice(spelt(close_to_one(grown(30))), bits, curves=[one]))


@shape
def masses_of_listed_laws(grown: Grown) -> Document:
    n, bits = grown(20_000), grown(2**14, 16)
    noise = binomial(n, spelt(Fraction(1, odd(max(2, grown(2**22) // n)))))
    claim = composed(run(noise, grown(10**6)), delta="0")
    return document(claim, REFUTED, lattice("3/2", bits, pairs=[ATTAINED]))


@shape
def unlike_fractions_of_a_product(grown: Grown) -> Document:
    bits, number = grown(4090, 4), grown(400)
    terms = [(spelt(c), f"{i % 20} {i // 20}") for i, c in enumerate(unlike(bits, number))]
    powers = [{"coefficient": "1", "powers": [str(grown(60))]}]
    return document(inequality([condition(*terms)], condition(), "x y"), PROVED, {"terms": powers})


@shape
def unlike_fractions_at_a_point(grown: Grown) -> Document:
    bits, number = grown(4090, 4), grown(1000)
    terms = [(spelt(c), f"{i % 64} {i // 64}") for i, c in enumerate(unlike(bits, number))]
    point = [spelt(close_to_one(grown(4090, 2))), grown.one_of("1", "0", "1/3")]
    return document(inequality([condition(*terms)], condition(), "x y"), REFUTED, {"point": point})


@shape
def unlike_fractions_of_a_form(grown: Grown) -> Document:
    bits, variables = grown(4090, 4), grown.one_of(1, 2, 3, 6)
    number = grown(800)
    degree = max(1, int(64 ** min(1, 2.0 / variables)))
    found = {}
    for i, c in enumerate(unlike(bits, number)):
        exponents = [str(i // (degree + 1) ** k % (degree + 1)) for k in range(variables)]
        found[" ".join(exponents)] = [spelt(c), exponents]
    claim = {"kind": "box_inequality", "variables": [f"x{i}" for i in range(variables)], "strict": "yes"}
    claim |= {"box": [side()] * variables, "terms": [{"polynomial": list(found.values()), "exponent": []}]}
    tree: Any = leaf(" ".join(["low"] * variables), 2, 16)
    return document(claim, PROVED, tree)


@shape
def exponentials_on_many_leaves(grown: Grown) -> Document:
    terms = [{"polynomial": [["1", ["0"]]], "exponent": grown.one_of([], [["1", ["1"]]], [["-1", ["64"]]])}] * grown(
        2000
    )
    claim = {"kind": "box_inequality", "variables": ["x"], "strict": "no", "box": [side()], "terms": terms}

    def tree(low: Fraction, high: Fraction, depth: int) -> Any:
        if depth == 0:
            return leaf("low", min(64, 2 * grown(32)), grown(1024, 16))
        middle = (low + high) / 2
        parts = {"low": tree(low, middle, depth - 1), "high": tree(middle, high, depth - 1)}
        return {"variable": "0", "at": spelt(middle), **parts}

    return document(claim, PROVED, tree(Fraction(0), Fraction(1), grown(12)))


@shape
def taylor_sums_of_many_parts(grown: Grown) -> Document:
    parts = grown(1000)
    eps = spelt(Fraction(odd(grown(54)), 2**55))
    part = shift(binomial(1, "1/2"), eps=eps, delta="0")
    return document(both(*[part] * parts), PROVED, {"parts": [{"terms": str(grown(1000))}] * parts})


@shape
def denominators_that_meet(grown: Grown) -> Document:
    bits = grown(2**15, 8)
    number = grown(LONGEST) // bits
    primes = []
    for candidate in (odd(bits) + 2 * i for i in range(10**6)):
        if all(gcd(candidate, other) == 1 for other in primes[-3:]):
            primes.append(candidate)
        if len(primes) >= max(1, number // 2):
            break
    weights = [[str(k), spelt(Fraction(1, q))] for k, q in enumerate(primes)]
    repeats = min(grown(1000), (FILE_BYTES - 9000) // (len(canonical(weights)) + 90))
    parts = [tail(law("finite", weights=weights), "0", "1", "at most", "1")] * max(1, repeats)
    return document(both(*parts), PROVED, {"parts": [{}] * len(parts)})


@shape
def messages_that_are_packed(grown: Grown) -> Document:
    messages, outcomes = grown(256), grown(15_000)
    kinds = max(1, messages)
    wide = row(*halves(outcomes), sent=lambda i: [str(i % kinds), str(i // kinds % kinds)])
    wide = list({json.dumps(entry["send"]): entry for entry in wide}.values())
    for entry in wide:
        entry["prob"] = spelt(Fraction(1, len(wide)))
    table = {"messages": str(kinds), "rows": [wide, [{"send": ["0"], "prob": "1"}]]}
    n = grown(2**18, 2)
    witness = {"first": [str(n), "0"], "second": [str(n - 1), "1"]}
    return document(shuffle(table, n=n, delta="0"), REFUTED, witness)


@shape
def equal_laws_of_long_weights(grown: Grown) -> Document:
    n = grown(20_000)
    p = spelt(Fraction(1, odd(max(2, grown(2**22) // n))))
    first, second = binomial(n, p), binomial_sum(n - 1, p, 1, p)
    if grown.one_of(True, False):
        return document(equal_laws(first, second), PROVED, {})
    return document(equal_laws(first, second), REFUTED, {"outcome": "0", **grown.one_of({}, {"bits": "64"})})


@shape
def a_noisy_count(grown: Grown) -> Document:
    noise = grown.one_of(binomial(grown(10**18), "1/2"), gaussian(spelt(grown(10**15))), poisson(spelt(grown(10**15))))
    claim = count_accuracy(noise, spelt(odd(grown(LONGEST))), "1", offset=spelt(Fraction(1, odd(grown(LONGEST)))))
    return document(claim, PROVED, {"bits": str(grown(2**14, 16))})


@shape
def long_uniform_laws(grown: Grown) -> Document:
    """Ends of many digits, in every claim about a law: the numbers are long, and nothing is listed."""
    noise = uniform(-odd(grown(LONGEST)), odd(grown(LONGEST)))
    reach, delta = grown(1000), spelt(Fraction(1, odd(grown(LONGEST))))
    ratio = spelt(close_to_one(grown(LONGEST // reach)))
    claim, verdict, witness = grown.one_of(
        (shift(noise, ratio, "1", reach), PROVED, {}),
        (shift(noise, ratio, delta, reach), REFUTED, ATTAINED),
        (smooth(noise, reach, ratio, "1"), PROVED, {}),
        (tail(noise, spelt(-odd(grown(LONGEST))), "infinity", "at least", delta), PROVED, {}),
        (count_accuracy(noise, spelt(odd(grown(LONGEST))), "1", offset=delta, weight=delta), PROVED, {}),
        (composed(run(noise, grown(10**6), reach), delta="0"), REFUTED, lattice("3/2", 40, pairs=[ATTAINED])),
        (equal_laws(noise, noise), PROVED, {}),
    )
    return document(claim, verdict, witness)


@shape
def uniform_laws_that_are_listed(grown: Grown) -> Document:
    size = grown(2 * 10**6, 2)
    weights = [[str(k), spelt(Fraction(1, size))] for k in range(min(size, 150_000))]
    other = grown.one_of(law("finite", weights=weights), binomial(grown(20_000), "1/2"), uniform(1, size))
    return document(equal_laws(uniform(0, size - 1), other), PROVED, {})


@shape
def divergences_of_wide_noise(grown: Grown) -> Document:
    noise = grown.one_of(
        negative_binomial("1/2", spelt(1 / close_to_one(grown(30)))),
        binomial(grown(10**14), {"exp": "-1"}),
        geometric(spelt(1 / close_to_one(grown(40)))),
    )
    ratio = spelt(close_to_one(grown(LONGEST)))
    return document(shift(noise, ratio, "1", grown(1000)), PROVED, {"bits": str(grown(2**14, 16))})


@shape
def deep_and_broad(grown: Grown) -> Document:
    claim: Any = inequality([], condition(), "")
    witness: Any = {"terms": []}
    claim, witness = both(*[claim] * grown(1000)), {"parts": [witness] * grown(1000)}
    claim = assuming("markov union", claim)
    witness = {"parts": [witness]}
    for _ in range(grown(10)):
        claim = negation(negation(claim))
    return document(claim, PROVED, witness)


@shape
def zero_estimates(grown: Grown) -> Document:
    messages, outcomes = grown(256), grown(3000)
    wide = row(*halves(outcomes), sent=lambda i: [str(m % messages) for m in range(messages)] + ["0"] * i)[
        : 4_000_000 // messages
    ]
    while len(canonical(wide)) > FILE_BYTES // 2:
        wide = wide[: len(wide) // 2]
    for entry in wide:
        entry["prob"] = spelt(Fraction(1, len(wide)))
        del entry["send"][4096:]
    claim = {"kind": "zero_estimate", "randomizer": {"messages": str(messages), "rows": [wide]}}
    claim |= {
        "weights": [spelt(Fraction(-1, odd(grown(LONGEST)))), *["-1"] * (messages - 1)],
        "zero_unless_above": "0",
        "input": "0",
    }
    return document(claim, PROVED, {})
