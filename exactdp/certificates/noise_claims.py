"""Decides claims about laws of noise: smoothness, tails, accuracy, equality, and privacy beyond exact reach.

Each question is one number against a bound. The engine encloses the number, more and more closely until the order is
proved, or computes it exactly where it may be equal; the gap between the two says how many bits the checker will need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from fractions import Fraction
from functools import partial
from itertools import combinations, pairwise, product
from typing import Any, Final

from exactdp.certificates import verify as checker
from exactdp.certificates.certificate import Verdict
from exactdp.certificates.decision import Decision, confirmed, proved, refuted, undecided
from exactdp.certificates.encoding import read_integer, read_noise, read_randomizer, read_rational, write_integer
from exactdp.engines.view_law import view_law
from exactdp.errors import TooLargeError, UndecidedError
from exactdp.kernel.balls import compare_reals
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.numbers.exact import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.smoothness import smoothness_delta
from exactdp.protocol import shift_profile

__all__ = [
    "claimed_level",
    "compared",
    "decide_accuracy",
    "decide_equal_laws",
    "decide_smooth",
    "decide_tail",
    "enclosed_shift",
    "is_listed",
]

_RELATIVE_BITS: Final = (53, 256, 1200, 4000)
_EXTRA_BITS: Final = (48, 96, 192, 512)
_TERMS: Final = (16, 32, 64, 128, 256, 512)
_MAX_DATA_SETS: Final = 20_000
_OUTCOMES_TRIED: Final = 64

Value = Interval | Fraction


def is_listed(law: Law | LatticeLaw, *, by_steps: bool) -> bool:
    """Whether the checker lists the weights exactly and fast; ``by_steps`` where it may merge constant ratios."""
    lattice = law.lattice
    if lattice is not None and lattice.has_constant_ratios:
        return by_steps and law.is_rational
    return law.lists_fast


def compared(value: Callable[[int], Value], bound: Fraction) -> tuple[int | None, Value]:
    """Return the sign of the value minus the bound, None where no precision decides it, and the last enclosure."""
    found: Value = Fraction(0)
    for bits in _RELATIVE_BITS:
        found = value(bits)
        if isinstance(found, Fraction):
            return (found > bound) - (found < bound), found
        if (sign := found.compare(bound)) is not None:
            return sign, found
    return None, found


def _precisions(value: Value, bound: Fraction) -> list[str]:
    """Return precisions with which the checker may tell the value from the bound, the least first."""
    if isinstance(value, Fraction):
        gap = abs(bound - value)
    elif value.compare(bound / 2) == -1:  # the value may be too small to be written as a fraction
        gap = bound / 2
    else:
        gap = max(bound - value.hi, value.lo - bound)
    if gap <= 0:
        return []
    least = max(0, gap.denominator.bit_length() - gap.numerator.bit_length())
    return [str(least + extra) for extra in _EXTRA_BITS if least + extra <= checker.MAX_PRECISION]


def claimed_level(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the e^eps or the eps of a claim, under the name by which the engines take it."""
    name = "exp_eps" if "exp_eps" in data else "eps"
    return {name: read_rational(data[name])}


def _bounded(
    data: Mapping[str, Any],
    value: Value,
    sign: int,
    bound: Fraction,
    words: str,
    witnesses: Callable[[bool], Iterator[dict[str, Any]]],
) -> Decision:
    """The claim that a value is at most a bound, given the sign of the difference."""
    verdict = Verdict.REFUTED if sign > 0 else Verdict.PROVED
    shown = short(value) if isinstance(value, Fraction) else str(value)
    return confirmed(data, verdict, f"{words} is {shown}.", witnesses(sign > 0))


# --- shift_dp and smooth --------------------------------------------------------------------------------------------


def enclosed_shift(data: Mapping[str, Any], law: LatticeLaw) -> Decision:
    """Decide a shift_dp claim, without ``least``, by enclosures; UNDECIDED where delta may be met exactly."""
    shift, delta = read_integer(data["shift"]), read_rational(data["delta"])
    if law.pure_exp_eps is not None and _is_pure(law.pure_exp_eps, shift, data):
        return confirmed(data, Verdict.PROVED, "Every likelihood ratio is at most e^eps.", [{"pure": "yes"}])
    profile = shift_profile(law, shift=shift)
    try:
        sign, value = compared(lambda bits: profile.delta(**claimed_level(data), relative_bits=bits), delta)
    except UndecidedError as error:
        return undecided(str(error))
    if sign is None or (sign == 0 and isinstance(value, Interval)):
        return undecided(f"The divergence {value} and delta = {short(delta)} are too close.")

    def witnesses(is_refuted: bool) -> Iterator[dict[str, Any]]:
        for bits in _precisions(value, delta):
            if not is_refuted:
                yield {"bits": bits}
            else:
                yield from ({"shift": data["shift"], "order": o, "bits": bits} for o in ("forward", "backward"))

    return _bounded(data, value, sign, delta, "The worst delta", witnesses)


def _is_pure(ratio: Real, shift: int, data: Mapping[str, Any]) -> bool:
    """Whether ratio^shift is at most the e^eps of the claim, where the order of the two can be decided."""
    bound = Real.exp(read_rational(data["eps"])) if "eps" in data else read_rational(data["exp_eps"])
    return ratio.is_monomial and compare_reals(ratio**shift, bound) <= 0


def decide_smooth(data: Mapping[str, Any]) -> Decision:
    """Decide whether a law is (eps, delta, k)-smooth."""
    law, k, delta = read_noise(data["law"]), read_integer(data["k"]), read_rational(data["delta"])
    listed = is_listed(law, by_steps=True)

    def mass(bits: int) -> Value:
        if listed and "exp_eps" in data:
            return smoothness_delta(law, k=k, exp_eps=read_rational(data["exp_eps"]))
        return smoothness_delta(law, k=k, **claimed_level(data), relative_bits=bits)

    try:
        sign, value = compared(mass, delta)
    except UndecidedError as error:
        return undecided(str(error))
    if sign is None:
        return undecided(f"The largest mass {value} and delta = {short(delta)} are too close.")

    def witnesses(is_refuted: bool) -> Iterator[dict[str, Any]]:
        exact: list[dict[str, Any]] = [{}] if "exp_eps" in data else [{"terms": str(terms)} for terms in _TERMS]
        enclosed: list[dict[str, Any]] = [{"bits": bits} for bits in _precisions(value, delta)]
        for witness in [*(exact if listed else []), *([] if law.lattice is None else enclosed)]:
            if is_refuted:
                yield from ({"by": str(by), **witness} for j in _shifts(law, k) for by in (j, -j))
            else:
                yield witness

    return _bounded(data, value, sign, delta, "The largest mass of the event", witnesses)


def _shifts(law: Law | LatticeLaw, k: int) -> list[int]:
    """The shifts among which the worst one is."""
    if isinstance(law, Law):
        return list(range(1, k + 1))
    return [k] if law.is_log_concave else sorted({1, k})


# --- tail and accuracy ----------------------------------------------------------------------------------------------

Range = tuple[int | None, int | None]


def _mass(law: Law | LatticeLaw, ranges: list[Range], bits: int | None) -> tuple[Fraction, Fraction]:
    """Bounds of the probability of a union of disjoint ranges, exact for finite laws and without ``bits``."""
    if isinstance(law, Law):
        exact = sum((p for y, p in law.items() if any(_holds(y, each) for each in ranges)), Fraction(0))
        return exact, exact
    found = [_range_mass(law, low, high, bits) for low, high in ranges if low is None or high is None or low <= high]
    return sum((low for low, _ in found), Fraction(0)), sum((high for _, high in found), Fraction(0))


def _holds(y: int, each: Range) -> bool:
    return (each[0] is None or each[0] <= y) and (each[1] is None or y <= each[1])


def _range_mass(law: LatticeLaw, low: int | None, high: int | None, bits: int | None) -> tuple[Fraction, Fraction]:
    """Bounds of P[low <= Y <= high]: a tail, one minus two tails, or the difference of two tails on one side."""

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


def _compare_mass(
    law: Law | LatticeLaw, ranges: list[Range], bound: Fraction
) -> tuple[int | None, Interval | Fraction]:
    """Return the sign of the probability minus the bound, as far as it is known, and the probability."""

    def value(bits: int) -> Value:
        low, high = _mass(law, ranges, bits)
        if low == high:
            return low
        return Interval.between(max(low, Fraction(0)), high, bits=bits)

    sign, found = compared(value, bound)
    if sign is None and law.is_exact:
        found, _ = _mass(law, ranges, None)
        sign = (found > bound) - (found < bound)
    return sign, found


def _plain_witnesses(law: Law | LatticeLaw, value: Value, bound: Fraction) -> Iterator[dict[str, Any]]:
    enclosed = [] if law.lattice is None else [{"bits": bits} for bits in _precisions(value, bound)]
    exact: list[dict[str, Any]] = [{}] if law.is_rational else []
    yield from [*exact, *enclosed] if is_listed(law, by_steps=False) else [*enclosed, *exact]


def decide_tail(data: Mapping[str, Any]) -> Decision:
    """Decide whether the probability of a range is at most, or at least, a bound."""
    law, bound = read_noise(data["law"]), read_rational(data["probability"])
    low = None if data["from"] == "-infinity" else read_integer(data["from"])
    high = None if data["to"] == "infinity" else read_integer(data["to"])
    sign, value = _compare_mass(law, [(low, high)], bound)
    if sign is None:
        return undecided(f"The probability {value} and {short(bound)} are too close.")
    holds = sign <= 0 if data["bound"] == "at most" else sign >= 0
    shown = short(value) if isinstance(value, Fraction) else str(value)
    verdict = Verdict.PROVED if holds else Verdict.REFUTED
    return confirmed(data, verdict, f"The probability is {shown}.", _plain_witnesses(law, value, bound))


def decide_accuracy(data: Mapping[str, Any], executor: Executor | None) -> Decision:
    """Decide whether an estimate errs by more than alpha with a probability of at most beta."""
    if "randomizer" in data:
        return _decide_view_accuracy(data, executor)
    law, beta = read_noise(data["law"]), read_rational(data["beta"])
    sign, value = _compare_mass(law, _wrong_ranges(data), beta)
    if sign is None:
        return undecided(f"The probability of an error {value} and beta = {short(beta)} are too close.")
    words = "The worst probability of an error"
    return _bounded(data, value, sign, beta, words, lambda _: _plain_witnesses(law, value, beta))


def _wrong_ranges(data: Mapping[str, Any]) -> list[Range]:
    """The noise that is wrong at the worst count, which is the least whose truth exceeds alpha, as far as allowed."""
    weight, offset, alpha = (read_rational(data[key]) for key in ("weight", "offset", "alpha"))
    count = min(max(alpha // weight + 1, read_integer(data["least"])), read_integer(data["most"]))
    low, high = -((alpha + offset) // weight), (alpha - offset) // weight
    if data["zero_unless_above"] == "none":
        return [(None, low - 1), (high + 1, None)] if low <= high else [(None, None)]
    last_zero = read_rational(data["zero_unless_above"]) // weight - count
    at_zero: list[Range] = [(None, last_zero)] if weight * count > alpha else []
    if low > high:
        return [*at_zero, (last_zero + 1, None)]
    return [*at_zero, (last_zero + 1, low - 1), (max(high, last_zero) + 1, None)]


def _decide_view_accuracy(data: Mapping[str, Any], executor: Executor | None) -> Decision:
    beta, n = read_rational(data["beta"]), read_integer(data["n"])
    if data["dataset"] != "worst":
        found = _error(data, tuple(map(read_integer, data["dataset"])))
        reason = f"The probability of an error is {short(found)}."
        return refuted(reason) if found > beta else proved(reason)
    inputs = len(data["randomizer"]["rows"])
    data_sets: list[tuple[int, ...]] = []
    for bars in combinations(range(n + inputs - 1), inputs - 1):
        if len(data_sets) == _MAX_DATA_SETS:
            raise TooLargeError(
                f"n={n} users with {inputs} inputs have more than {_MAX_DATA_SETS} data sets. Claim the accuracy for "
                "one data set, or for fewer users."
            )
        places = (-1, *bars, n + inputs - 1)
        data_sets.append(tuple(b - a - 1 for a, b in pairwise(places)))
    errors = list((map if executor is None else executor.map)(partial(_error, data), data_sets))
    worst = max(range(len(errors)), key=lambda i: errors[i])
    reason = f"The worst probability of an error is {short(errors[worst])}, at the data set {list(data_sets[worst])}."
    if errors[worst] > beta:
        return refuted(reason, dataset=list(map(write_integer, data_sets[worst])))
    return proved(reason)


def _error(data: Mapping[str, Any], users: tuple[int, ...]) -> Fraction:
    """P[abs(estimate - truth) > alpha] for one data set, exactly."""
    randomizer = read_randomizer(data["randomizer"])
    weights = [read_rational(data["weights"][message]) for message in randomizer.alphabet]
    offset, alpha = read_rational(data["offset"]), read_rational(data["alpha"])
    unless = None if data["zero_unless_above"] == "none" else read_rational(data["zero_unless_above"])
    truth = sum((count * read_rational(v) for count, v in zip(users, data["values"], strict=True)), Fraction(0))
    wrong = Fraction(0)
    for counts, p in view_law(randomizer, users).items():
        s = sum((w * c for w, c in zip(weights, counts, strict=True)), Fraction(0))
        estimate = Fraction(0) if unless is not None and s <= unless else s + offset
        wrong += p if abs(estimate - truth) > alpha else 0
    return wrong


# --- equal_laws -----------------------------------------------------------------------------------------------------


def decide_equal_laws(data: Mapping[str, Any]) -> Decision:
    """Decide whether two laws are the same."""
    if data["first"] == data["second"]:
        return proved("The laws are written alike.")
    laws = [read_noise(data[key]) for key in ("first", "second")]
    finite = [law if isinstance(law, Law) else _listed(law) for law in laws]
    if finite[0] is not None and finite[1] is not None:
        first, second = finite[0], finite[1]
        for outcome in sorted({*first, *second}):
            if first.prob(outcome) != second.prob(outcome):
                p, q = short(first.prob(outcome)), short(second.prob(outcome))
                return refuted(f"P[Y = {outcome}] is {p} and {q}.", outcome=write_integer(outcome))
        return proved("All probabilities agree.")
    decision = confirmed(data, Verdict.PROVED, "The ratios of neighbouring weights agree.", [{}])
    if decision.witness is not None:
        return decision
    for bits, outcome in product((64, 256, 2048), _candidates(laws)):
        witness = {"outcome": write_integer(outcome), "bits": str(bits)}
        decision = confirmed(data, Verdict.REFUTED, f"P[Y = {outcome}] differs.", [witness])
        if decision.witness is not None:
            return decision
    return undecided("No outcome was found whose probabilities differ, and no proof that there is none.")


def _listed(law: LatticeLaw) -> Law | None:
    return law.law() if is_listed(law, by_steps=False) or law.low == law.high is not None else None


def _candidates(laws: list[Law | LatticeLaw]) -> list[int]:
    """Outcomes at which two laws may differ: the first ones, and those near the modes and the ends."""
    found = list(range(4))
    for law in laws:
        places = list(law)[:_OUTCOMES_TRIED] if isinstance(law, Law) else [law.mode, law.low, law.high]
        found += [k + step for k in places if k is not None for step in (-1, 0, 1)]
    return list(dict.fromkeys(found))[:_OUTCOMES_TRIED]
