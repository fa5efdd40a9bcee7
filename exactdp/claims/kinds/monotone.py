"""Claims that the worst delta of a shuffled randomizer moves one way with a parameter: by a channel, or two points.

Two channels are tried, at x and at x + s (h - x) between x and the end h of its interval. The first mixes every
message with a uniformly random one, with the probability that the mean counts of one message ask for. The second is any
channel between two messages, solved from the mean counts of two inputs. The checker decides whether either is one.

To refute, the exact delta of few users is compared at points of a grid.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise, permutations, product
from typing import Annotated, Any, Final, TypeAlias

from exactdp.checker import monotone
from exactdp.checker.budget import CertificateRejectedError, MalformedCertificateError, Work
from exactdp.checker.for_all import at_point
from exactdp.checker.reading import canonical
from exactdp.claims.encoding import Json, JsonObject, choice, write_integer, write_rational
from exactdp.claims.open_claims import read_function, write_function, write_table
from exactdp.claims.parameter_cells import Cells, Point, cells_that_show, places
from exactdp.claims.statement import Decision, OpenPart, Statement, Verdict, read_statement, undecided
from exactdp.errors import InvalidValueError
from exactdp.mechanisms.dataset import Neighbors
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.formats import short
from exactdp.protocols.protocol import ShuffleProtocol
from exactdp.symbolic.box import Box, Interval
from exactdp.symbolic.functions_of_parameters import parameter_name
from exactdp.symbolic.rational_functions import RationalFunction, added, multiplied
from exactdp.symbolic.sums import Polynomial, value_at
from exactdp.symbolic.symbolic_randomizer import BoxLike, SymbolicRandomizer, read_box

_USERS: Final = (1, 2, 3)
_LEVELS: Final = (Fraction(1), Fraction(3, 2), Fraction(3))
"""Numbers of users and e^eps at which the worst delta is looked at."""
_STEPS: Final = {1: 16, 2: 4}
"""Steps to a side between the points of the grid; 2 for more parameters."""

Channel: TypeAlias = list[list[RationalFunction]]


@dataclass(frozen=True, slots=True)
class Monotone(Statement, kind="monotone"):
    """The worst delta of a shuffled randomizer never rises, or never falls, with one of its parameters.

    For every n, either neighbouring relation and every e^eps, on a box of parameters.
    """

    parameters: tuple[str, ...]
    box: Box
    parameter: int
    falls: Annotated[bool, choice({True: "falls", False: "rises"})] = field(metadata={"key": "delta"})
    randomizer: OpenPart

    @classmethod
    def of(
        cls,
        randomizer: SymbolicRandomizer,
        parameter: object = None,
        *,
        box: BoxLike | None = None,
        rises: bool = False,
    ) -> Monotone:
        """The worst delta of the shuffled randomizer never rises with a parameter, or with ``rises`` never falls.

        For every n, either neighbouring relation and every e^eps: between any two points of the box that agree in all
        other parameters. The box is that of the randomizer, if no other is given.
        """
        if not isinstance(randomizer, SymbolicRandomizer):
            raise InvalidValueError(
                f"randomizer has the type {type(randomizer).__name__}. Pass a SymbolicRandomizer, which has parameters."
            )
        names, sides = (randomizer.parameters, randomizer.box) if box is None else read_box(box)
        moved = names[0] if parameter is None and len(names) == 1 else parameter_name(parameter)
        if moved not in names:
            raise InvalidValueError(f"{moved} is no parameter. The parameters are {', '.join(names)}.")
        table = canonical(write_table(randomizer, names, sides))
        return cls(names, sides, names.index(moved), not rises, table)

    def decide(self, executor: Executor | None = None) -> Decision:
        """Decide whether the worst delta moves one way."""
        reason = "No channel was found that turns the table at one value into that at another."
        for channel, words in _channels(self):
            decision = _by_channel(self, channel, words)
            if decision.witness is not None:
                return decision
            reason = decision.reason
        return _by_two_points(self) or undecided(f"{reason} Nor do few users show that there is none.")


def _by_channel(claim: Monotone, channel: Channel, words: str) -> Decision:
    read = monotone.Monotone.read(claim.data, Work())
    listed: Json = [[write_function(entry) for entry in row] for row in channel]
    try:
        read_channel = read.channel(listed, Work())
        read.check_channel(read_channel, Work())
    except (CertificateRejectedError, MalformedCertificateError) as error:
        return undecided(f"The checker refuses the channel: {error}.")
    signs = read.signs(read_channel)
    whole = (*claim.box, Interval(Fraction(0), Fraction(1), True, claim.box[claim.parameter].high_closed))

    def is_negative(point: Point) -> bool:
        return any(value_at(polynomial, point) < 0 for polynomial, _, _ in signs)

    found = cells_that_show(whole, lambda box: monotone.check_part(signs, box, Work()), is_negative)
    if not isinstance(found, Cells):
        return undecided("A channel was found whose probabilities are not all at least 0.")
    return claim.first_verified(Verdict.PROVED, words, [{"channel": listed, "cells": found.written()}])


# --- Channels -------------------------------------------------------------------------------------------------------


def _channels(claim: Monotone) -> Iterator[tuple[Channel, str]]:
    """Yield channels that may turn the table at one value into that at another one."""
    share = next(name for name in ("s", "share", "share_") if name not in claim.parameters)
    variables = (*claim.parameters, share)
    table = json.loads(claim.randomizer)
    means = _means(table, variables)
    moved = [[_at_larger(claim, entry) for entry in row] for row in means]
    before, after = (means, moved) if claim.falls else (moved, means)
    messages = int(table["messages"])
    one = RationalFunction.constant(1, variables)
    sent = [RationalFunction.constant(0, variables)] * len(means)
    for x, row in enumerate(before):
        for entry in row:
            sent[x] = _cancelled(sent[x] + entry)
    for x, m in product(range(len(means)), range(messages)):
        uniform = sent[x] * RationalFunction.constant(Fraction(1, messages), variables)
        distance = _cancelled(before[x][m] + -uniform)
        if distance.numerator:
            mixed = _cancelled((before[x][m] + -after[x][m]) * distance.inverse())
            new = mixed * RationalFunction.constant(Fraction(1, messages), variables)
            kept = one + -mixed + new
            channel = [[kept if i == j else new for j in range(messages)] for i in range(messages)]
            yield channel, "More of the parameter is a uniformly random message in the place of some."
            break
    if messages == 2:
        yield from _between_two(before, after, one)


def _between_two(before: Channel, after: Channel, one: RationalFunction) -> Iterator[tuple[Channel, str]]:
    """Solve for any channel between two messages, from the mean counts of two inputs."""
    for x, y in permutations(range(len(before)), 2):
        (a, b), (c, d) = before[x], before[y]
        determinant = _cancelled(a * d + -(b * c))
        if determinant.numerator:
            inverse = determinant.inverse()
            first = _cancelled((after[x][0] * d + -(b * after[y][0])) * inverse)
            second = _cancelled((a * after[y][0] + -(after[x][0] * c)) * inverse)
            yield (
                [[first, one + -first], [second, one + -second]],
                "More of the parameter is a channel on each message.",
            )
            return


def _means(table: dict[str, Any], variables: tuple[str, ...]) -> Channel:
    """Return the mean count of each message for each input."""
    means: Channel = []
    for row in table["rows"]:
        means.append([RationalFunction.constant(0, variables)] * int(table["messages"]))
        for outcome in row:
            for message in map(int, outcome["send"]):
                means[-1][message] = means[-1][message] + read_function(outcome["prob"], variables)
    return [[_cancelled(entry) for entry in row] for row in means]


def _at_larger(claim: Monotone, function: RationalFunction) -> RationalFunction:
    """Return the function with x + s (h - x) in the place of the parameter."""
    moved, size = claim.parameter, len(claim.parameters) + 1
    unit = [tuple(int(i == j) for j in range(size)) for i in range(size)]
    both = tuple(a + b for a, b in zip(unit[moved], unit[-1], strict=True))
    line: Polynomial = {unit[moved]: Fraction(1), both: Fraction(-1)}
    if high := claim.box[moved].high:
        line = {**line, unit[-1]: high}
    parts = [_composed(part, moved, line) for part in (function.numerator, function.denominator)]
    return RationalFunction(function.variables, *parts)


def _composed(polynomial: Polynomial, place: int, line: Polynomial) -> Polynomial:
    total: Polynomial = {}
    for exponents, coefficient in polynomial.items():
        term: Polynomial = {(*exponents[:place], 0, *exponents[place + 1 :]): coefficient}
        for _ in range(exponents[place]):
            term = multiplied(term, line)
        total = added(total, term)
    return total


def _cancelled(function: RationalFunction) -> RationalFunction:
    """Return the same function, without its denominator where that divides the numerator, and its sign turned there."""
    quotient = _divided(function.numerator, function.denominator)
    if quotient is None:
        return function
    return RationalFunction(function.variables, quotient, {(0,) * len(function.variables): Fraction(1)})


def _divided(numerator: Polynomial, denominator: Polynomial) -> Polynomial | None:
    """Return the quotient where there is no remainder."""
    rest, quotient = numerator, dict[tuple[int, ...], Fraction]()
    leading = max(denominator)
    while rest:
        largest = max(rest)
        power = tuple(a - b for a, b in zip(largest, leading, strict=True))
        if min(power) < 0:
            return None
        factor = rest[largest] / denominator[leading]
        quotient[power] = factor
        rest = added(rest, multiplied({power: -factor}, denominator))
    return quotient


# --- Two points -----------------------------------------------------------------------------------------------------


def _by_two_points(claim: Monotone) -> Decision | None:
    """Look for two points of a grid between which the worst delta moves the other way."""
    read = monotone.Monotone.read(claim.data, Work())
    steps = _STEPS.get(len(claim.box), 2)
    sides = [list(places(side, steps)) for side in claim.box]
    others = product(*(side for i, side in enumerate(sides) if i != claim.parameter))
    for other, n, neighbors, exp_eps in product(others, _USERS, Neighbors, _LEVELS):
        deltas: list[tuple[Point, Fraction]] = []
        for value in sides[claim.parameter]:
            point = (*other[: claim.parameter], value, *other[claim.parameter :])
            try:
                table = json.loads(canonical(at_point(read.table, point, Work())))
            except MalformedCertificateError:
                continue
            deltas.append((point, _worst(table, n, neighbors, exp_eps)))
        for (low, first), (high, second) in pairwise(deltas):
            if (second > first) if claim.falls else (second < first):
                level = {"neighbors": neighbors.value, "n": write_integer(n), "exp_eps": write_rational(exp_eps)}
                return _contradicted(claim, read, (low, high), {**level, "delta": write_rational(min(first, second))})
    return None


def _worst(table: dict[str, Any], n: int, neighbors: Neighbors, exp_eps: Fraction) -> Fraction:
    rows = enumerate(table["rows"])
    randomizer = Randomizer({x: {tuple(one["send"]): Fraction(one["prob"]) for one in row} for x, row in rows})
    delta = ShuffleProtocol(randomizer, n).privacy_profile(neighbors=neighbors).delta(exp_eps=exp_eps)
    return Fraction(delta) if isinstance(delta, Fraction) else delta.hi


def _contradicted(
    claim: Monotone,
    read: monotone.Monotone,
    ends: tuple[Point, Point],
    level: dict[str, str],
) -> Decision:
    """Return the refutation by a level that holds at one point and fails at the other one."""
    holds, fails = ends if claim.falls else ends[::-1]
    decisions = []
    for point in (holds, fails):
        plain = json.loads(canonical(read.claim_at(point, level, Work())))
        decisions.append(read_statement(plain).decide())
    names = [", ".join(f"{p} = {short(x)}" for p, x in zip(claim.parameters, end, strict=True)) for end in ends]
    words = f"From {names[0]} to {names[1]} the worst delta of n = {level['n']} users moves the other way"
    reason = f"{words} at e^eps = {level['exp_eps']}: past {short(Fraction(level['delta']))}."
    proof, refutation = (decision.witness for decision in decisions)
    if proof is None or refutation is None:
        return Decision(Verdict.REFUTED, None, reason)
    low, high = (list(map(write_rational, end)) for end in ends)
    witness: JsonObject = {**level, "low": low, "high": high, "proof": proof, "refutation": refutation}
    return claim.first_verified(Verdict.REFUTED, reason, [witness])
