"""A bracket of the composed delta, closed by choosing better bounds until it is narrow enough.

Both ends are bounds at every step (:mod:`exactdp.kernel.composition.powers`); what is chosen between steps only makes
them meet: more bits where what was cut shows, a finer lattice where the lattice does, wider windows of the noise
where what was left out of them does. Where one or a few big losses make up delta, no tilt fits both them and the
rest: then nothing is tilted or set aside, and the bits reach down to delta itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final, TypeAlias

from exactdp.composition.heuristics import Choice, Losses, composition_choice
from exactdp.composition.law_pairs import Pair
from exactdp.errors import TooLargeError
from exactdp.kernel.composition.powers import (
    MAX_COEFFICIENTS,
    Factor,
    LowerFactor,
    Tuning,
    UpperBound,
    lower_bound,
    upper_bound,
)
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.exact import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.patience import counted

__all__ = ["Combination", "Question", "bracket", "lattice_step"]

Combination: TypeAlias = tuple[tuple[Pair, int], ...]
"""Pairs, each with the number of its runs."""

_ROUNDS: Final = 24
_FIRST_TAIL_BITS: Final = 256
_MAX_TAIL_BITS: Final = 2**14
_MAX_BITS: Final = 2**16
_SPARE_BITS: Final = 32
_SHARE: Final = 8
"""What was cut, or left out, shows where it is above the width asked for over this."""

_FAR_BITS: Final = 4
"""A lower end further below the upper one is not a matter of the lattice."""

_UNTILTED: Final = 300
"""Where so many bits are missing, the tilt is wrong."""

_KEPT: Final = 3
"""So many combinations stay in the race for the lower end."""

_WIDER: Final = 8

_FLAT_STEP: Final = Fraction(1, 256)
_FLAT_LENGTH: Final = 2**13


@dataclass(frozen=True)
class Question:
    """What is asked: the composed delta at ``exp_eps``, to a relative width; ``eps`` is near its logarithm."""

    exp_eps: Real
    eps: Fraction
    relative_width: Fraction


@dataclass
class _Bracket:
    """The best ends so far."""

    question: Question
    lower: Dyadic = field(default_factory=lambda: Dyadic.of(0))
    upper: Dyadic = field(default_factory=lambda: Dyadic.of(1))

    def narrow(self, lower: Dyadic, upper: Dyadic) -> tuple[bool, bool]:
        """Take what is better, and say which end moved by a part of the width that shows."""
        before = self.lower, self.upper
        self.lower = max(self.lower, lower, key=_Key)
        self.upper = min(self.upper, upper, key=_Key)
        shows = self.question.relative_width / 4
        return _moved(before[0], self.lower, shows), _moved(self.upper, before[1], shows)

    @property
    def is_closed(self) -> bool:
        return not _moved(self.lower, self.upper, self.question.relative_width)

    @property
    def interval(self) -> Interval:
        return Interval(self.lower, self.upper)


class _Key:
    """The order of dyadic numbers."""

    __slots__ = ("value",)

    def __init__(self, value: Dyadic) -> None:
        self.value = value

    def __lt__(self, other: _Key) -> bool:
        return self.value.compare(other.value) < 0


def _moved(low: Dyadic, high: Dyadic, share: Fraction) -> bool:
    """Whether high - low is more than a share, below 1, of high."""
    if low.mantissa == 0 or high.magnitude - low.magnitude > 2:
        return high.mantissa != 0
    return high.compare(_scaled(low, 1 / (1 - share))) > 0


def _scaled(value: Dyadic, factor: Fraction) -> Dyadic:
    short_factor = Dyadic.below(factor, 64)
    return Dyadic.of(value.mantissa * short_factor.mantissa, value.exponent + short_factor.exponent)


def bracket(
    above: Sequence[tuple[Sequence[Pair], int]], below: Sequence[Combination], question: Question, *, meets: bool
) -> Interval:
    """Return a bracket of the composed delta.

    ``above`` lists for each mechanism pairs that dominate all its others, and its runs; ``below`` combinations of real
    pairs, of which the best bounds delta from below. Unless it is known that the two ``meet``, the bracket is given up
    when neither end moves any more. Where nothing above 0 bounds delta from below, the bracket begins at 0.

    Raises:
        TooLargeError: where they meet, and the width needs more than the limits of the arithmetic.
    """
    best, (choice, tail_bits) = _Bracket(question), _first_choice(above, question)
    tuning, is_flat, still = _tuning(choice, question), choice.is_rare, 0
    if is_flat:
        choice, tuning = _flat(choice, tuning, best)
    for _ in counted(range(_ROUNDS)):
        upper = _upper(above, choice, question, tuning, tail_bits)
        below = _ranked(below, above, choice, question, tuning, tail_bits)
        lower = max((_lower(c, above, choice, question, tuning, tail_bits) for c in below), key=_Key, default=_ZERO)
        moved = best.narrow(lower, upper.value)
        if best.is_closed:
            return best.interval
        shows = _share(best, question)
        if tail_bits < _MAX_TAIL_BITS and _hides(above, tail_bits, shows):
            tail_bits = min(_MAX_TAIL_BITS, max(2 * tail_bits, _depth(best) + 96))
            choice = _choice(above, question, tail_bits)
            tuning = _tuning(choice, question)
            if is_flat:
                choice, tuning = _flat(choice, tuning, best)
            continue
        missing = max(0, upper.cut.magnitude - shows.magnitude) if upper.cut.compare(shows) > 0 else None
        is_far = best.lower.mantissa == 0 or best.upper.magnitude - best.lower.magnitude > _FAR_BITS
        rare = any(cap is not None for cap in choice.caps) and upper.infinite.compare(shows) > 0
        if not is_flat and (rare or (is_far and still) or (missing or 0) > _UNTILTED):
            is_flat, choice, tuning = True, *_flat(choice, tuning, best)
            continue
        if missing is not None and tuning.bits < _MAX_BITS:
            tuning = replace(tuning, bits=tuning.bits + missing + 16, cut=tuning.cut + missing + 16)
            continue
        still = still + 1 if not any(moved) else 0
        if not meets and still:
            return best.interval
        tuning = _finer(tuning, best, question) if meets else _times_finer(tuning, 2)
        if tuning.length > MAX_COEFFICIENTS:
            break
    if meets and best.lower.mantissa:
        raise TooLargeError(
            f"composition: a relative width of {short(question.relative_width)} needs more than {tuning.length} "
            f"coefficients of {tuning.bits} bits, or more than {MAX_COEFFICIENTS}, the limit. The bracket so far is "
            f"{best.interval}. Ask for a larger relative_width."
        )
    return best.interval


_ZERO: Final = Dyadic.of(0)


def _first_choice(above: Sequence[tuple[Sequence[Pair], int]], question: Question) -> tuple[Choice, int]:
    """Return choices for windows that leave out less than about delta, and their bits."""
    tail_bits = _FIRST_TAIL_BITS
    while True:
        choice = _choice(above, question, tail_bits)
        little = Dyadic.of(1, choice.log_delta - question.relative_width.denominator.bit_length())
        if tail_bits >= _MAX_TAIL_BITS or not _hides(above, tail_bits, little):
            return choice, tail_bits
        tail_bits *= 2


def _choice(above: Sequence[tuple[Sequence[Pair], int]], question: Question, tail_bits: int) -> Choice:
    losses = []
    for pairs, times in above:
        listed = [pair.losses(tail_bits) for pair in pairs]
        infinite = [mass for pair in listed if (mass := pair.infinite_outline) is not None]
        atoms = [atom for pair in listed[:2] for atom in pair.outline]
        losses.append(Losses(atoms, max(infinite, default=None), times))
    return composition_choice(losses, question.eps, question.relative_width)


def lattice_step(above: Sequence[tuple[Sequence[Pair], int]], question: Question) -> Fraction:
    """Return the step of losses that one run needs."""
    return _choice(above, question, _FIRST_TAIL_BITS).step


def _tuning(choice: Choice, question: Question) -> Tuning:
    cut = 16 + 2 * question.relative_width.denominator.bit_length()
    return Tuning(choice.step, choice.tilt, cut + _SPARE_BITS, cut, choice.length)


def _flat(choice: Choice, tuning: Tuning, best: _Bracket) -> tuple[Choice, Tuning]:
    """Return choices without a tilt or a cap, with bits down to delta."""
    bits = max(_depth(best), -choice.log_delta) + tuning.bits
    untilted = Tuning(_FLAT_STEP, Fraction(0), bits, bits - 16, _FLAT_LENGTH)
    return choice._replace(caps=(None,) * len(choice.caps)), untilted


def _depth(best: _Bracket) -> int:
    """Return about -log2 of delta."""
    return max(0, -best.upper.magnitude)


def _share(best: _Bracket, question: Question) -> Dyadic:
    """Return what would show: a part of the width asked for, of the lower end if there is one."""
    end = best.lower if best.lower.mantissa else best.upper
    return _scaled(end, question.relative_width / _SHARE)


def _hides(above: Sequence[tuple[Sequence[Pair], int]], tail_bits: int, shows: Dyadic) -> bool:
    """Whether what the windows left out is above what shows."""
    return any(pair.losses(tail_bits).hides_more_than(shows, times) for pairs, times in above for pair in pairs)


def _finer(tuning: Tuning, best: _Bracket, question: Question) -> Tuning:
    """Return a finer lattice, by the square root of what the width must fall by, from 2 to 8 times."""
    factor = 4
    if best.lower.mantissa:
        ratio = (best.upper.fraction() - best.lower.fraction()) / best.upper.fraction() / question.relative_width
        factor = next((f for f in (2, 3, 4, 6) if f * f > 2 * ratio), 8)
    return _times_finer(tuning, factor)


def _times_finer(tuning: Tuning, factor: int) -> Tuning:
    return replace(tuning, step=tuning.step / factor, length=tuning.length * factor)


def _upper(
    above: Sequence[tuple[Sequence[Pair], int]], choice: Choice, question: Question, tuning: Tuning, tail_bits: int
) -> UpperBound:
    factors = [
        Factor([pair.losses(tail_bits) for pair in pairs], times, cap)
        for (pairs, times), cap in zip(above, choice.caps, strict=True)
    ]
    return upper_bound(factors, question.exp_eps, tuning)


def _ranked(
    below: Sequence[Combination],
    above: Sequence[tuple[Sequence[Pair], int]],
    choice: Choice,
    question: Question,
    tuning: Tuning,
    tail_bits: int,
) -> Sequence[Combination]:
    """Return the best few combinations on a wide lattice, those within a quarter of the best one."""
    if len(below) < 2:
        return below
    wide = replace(tuning, step=tuning.step * _WIDER, length=max(256, tuning.length // _WIDER))
    found = [(_lower(c, above, choice, question, wide, tail_bits), c) for c in below]
    found.sort(key=lambda each: _Key(each[0]), reverse=True)
    least = _scaled(found[0][0], Fraction(3, 4))
    return [c for value, c in found[:_KEPT] if value.compare(least) >= 0]


def _lower(
    combination: Combination,
    above: Sequence[tuple[Sequence[Pair], int]],
    choice: Choice,
    question: Question,
    tuning: Tuning,
    tail_bits: int,
) -> Dyadic:
    """Return the lower bound of a combination; its pairs come in the order of the mechanisms they belong to."""
    factors, owner, used = [], 0, 0
    for pair, times in combination:
        factors.append(LowerFactor(pair.losses(tail_bits), times, choice.caps[owner]))
        used += times
        if used == above[owner][1]:
            owner, used = owner + 1, 0
    return lower_bound(factors, question.exp_eps, tuning)
