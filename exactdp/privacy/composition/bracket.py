"""A bracket of the composed delta, closed by choosing better bounds until it is narrow enough.

Both ends are bounds at every step (:mod:`exactdp.privacy.composition.powers`); what is chosen between steps only makes
them meet: more bits where what was cut shows, a finer lattice where the lattice does, wider windows of the noise
where what was left out of them does. Where one or a few big losses make up delta, no tilt fits both them and the
rest: then nothing is tilted or set aside, and the bits reach down to delta itself.

Where points of a profile are all that is known of the runs there are more points, until more would not help. Every set
of points gives valid ends; how many there should be is chosen in
:mod:`exactdp.privacy.composition.heuristics`.

eps(delta) from brackets of the composed delta
----------------------------------------------

delta does not rise in eps. So where the lower end at an eps is above the target, eps(target) is not below it, and
where the upper end is not, it is not above it. An eps that neither end decides is between the two places where they
do, and each is then looked for on its own side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_fraction
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.attained import is_at_most
from exactdp.privacy.composition.heuristics import (
    Choice,
    Losses,
    composition_choice,
    is_worth_more,
    point_step,
    share_of_the_way,
)
from exactdp.privacy.composition.law_pairs import Pair
from exactdp.privacy.composition.mechanisms import Mechanism
from exactdp.privacy.composition.powers import (
    MAX_COEFFICIENTS,
    Factor,
    LowerFactor,
    Tuning,
    UpperBound,
    lower_bound,
    upper_bound,
)
from exactdp.privacy.composition.profile_pairs import Fineness
from exactdp.privacy.inverse import short_near
from exactdp.progress import report_progress, with_progress

Combination: TypeAlias = tuple[tuple[Pair, int], ...]
"""Pairs, each with the number of its runs."""

Runs: TypeAlias = Sequence[tuple[Sequence[Pair], int]]
"""For each mechanism pairs, and the number of its runs."""

DEFAULT_RELATIVE_WIDTH: Final = Fraction(1, 1000)
"""Three digits of delta, a tenth of a second for ten runs of small noise."""

Bracketed: TypeAlias = Callable[[Fraction, Fraction], Interval]
"""From eps and a relative width to a bracket of delta."""

_COARSE: Final = Fraction(1, 4)
"""A bracket of this width decides most places before one of the width asked for is computed."""

_LARGEST: Final = 2**16
"""No larger eps is looked for."""

_BITS: Final = 40
"""Ends are rounded outward to so many bits, far below any width that is asked for."""


def searched_eps(
    bracketed: Bracketed, target: Fraction, width: Fraction, rough: Callable[[Fraction], Dyadic] | None = None
) -> LogRational | Interval:
    """Return eps(target), of relative width at most ``width`` where the brackets of delta close.

    ``rough`` gives an upper bound of delta that costs little, where there is one: it decides far from the target.
    """
    if target == 0:
        raise InvalidValueError(
            "delta=0 has no eps here: the composed losses are only enclosed. Add up the pure eps of the runs instead."
        )
    search = _Search(bracketed, target, width, rough)
    is_refused_at_0 = rough is not None and not search.is_roughly_enough(Fraction(0))
    if not is_refused_at_0 and search.is_enough(Fraction(0)):
        return LogRational(1)
    low, high = Fraction(0), Fraction(1)
    while (is_enough := search.is_enough(high)) is False:
        low, high = high, 2 * high
        if high > _LARGEST:
            raise TooLargeError(
                f"composition: eps at delta={short(target)} is above {_LARGEST}, the limit. Ask for a larger delta."
            )
    middle = high if is_enough is None else None
    while is_enough is None:  # an end where delta is certainly not above the target
        high *= 2
        is_enough = search.is_enough(high)
        if high > _LARGEST:
            raise TooLargeError(
                f"composition: no eps up to {_LARGEST} is enough for delta={short(target)}, as far as is proved. "
                "Ask for a larger delta."
            )
    undecided, stalls = None if middle is None else (middle, middle), 0
    while high - low > width / 2 * high:
        if is_refused_at_0 and low == 0 and high < _SMALL:
            if search.is_enough(low):
                return LogRational(1)
            is_refused_at_0 = False
        sides = [(low, high)] if undecided is None else [(low, undecided[0]), (undecided[1], high)]
        left, right = max(sides, key=_length)
        aside = width * high * (_ASIDE if undecided is None else _ASIDE / 4)
        place = (left + right) / 2 if stalls >= _MOST_STALLS else search.guess(left, right, aside)
        place = short_near(place, high - low, spare=8)
        if not left < place < right:
            place = short_near((left + right) / 2, high - low, spare=8)
        if not low < place < high:
            break
        is_enough = search.is_enough(place)
        if is_enough:
            high = place
        elif is_enough is False:
            low = place
        else:
            undecided = (place, place) if undecided is None else (min(undecided[0], place), max(undecided[1], place))
        stalls = stalls + 1 if stalls < _MOST_STALLS and 2 * max(place - left, right - place) > right - left else 0
        if undecided is not None and max(undecided[0] - low, high - undecided[1]) <= width / 8 * high:
            break
    return Interval(Dyadic.below(low, _BITS), Dyadic.above(high, _BITS))


def _length(side: tuple[Fraction, Fraction]) -> Fraction:
    return side[1] - side[0]


_SMALL: Final = Fraction(1, 2**6)
"""Below it eps may be 0."""

_ASIDE: Final = Fraction(3, 16)
"""So many times the width beside where delta may be the target an end is looked for, so that it is decided."""

_MOST_STALLS: Final = 2
"""Guesses after which a range that they do not halve is halved."""


class _Search:
    """Decides delta(eps) <= target, by a coarse bracket first."""

    def __init__(
        self, bracketed: Bracketed, target: Fraction, width: Fraction, rough: Callable[[Fraction], Dyadic] | None
    ) -> None:
        self.bracketed, self.target, self.widths, self.rough = bracketed, target, (_COARSE, width), rough
        self.brackets = 0
        self.known: dict[Fraction, Interval] = {}

    def is_roughly_enough(self, eps: Fraction) -> bool:
        """Whether the upper bound that costs little is at most the target."""
        if self.rough is None or (upper := self.rough(eps)).compare(self.target) > 0:
            return False
        self.known[eps] = Interval(Dyadic.of(0), upper)
        return True

    def is_enough(self, eps: Fraction) -> bool | None:
        """Whether delta is at most the target; None where that is not proved either way."""
        if self.is_roughly_enough(eps):
            return True
        for width in self.widths:
            delta = self.known[eps] = self.bracketed(eps, width)
            self.brackets += 1
            report_progress(self.brackets)
            if (is_enough := is_at_most(delta, self.target)) is not None:
                return is_enough
        return None

    def guess(self, left: Fraction, right: Fraction, aside: Fraction) -> Fraction:
        """Return an eps a little beside where an end of delta between two known places may be the target.

        From below it is the lower end that is followed, from above the upper one; where both places are decided, each
        by what decides it.
        """
        middle = (left + right) / 2
        if left not in self.known or right not in self.known:
            return middle
        first, second = self.known[left], self.known[right]
        start = first.upper if is_at_most(first, self.target) is None else first.lower
        stop = second.lower if is_at_most(second, self.target) is None else second.upper
        share = share_of_the_way(start, stop, self.target)
        if share is None:
            return middle
        place = left + (right - left) * share
        return place - aside if place - left > right - place else place + aside


_ROUNDS: Final = 24
"""Most attempts, so that every question ends."""

_FIRST_TAIL_BITS: Final = 256
"""Windows reach so far first: enough for deltas to about 1e-70."""

_MAX_TAIL_BITS: Final = 2**14
"""Windows leave out no less than about 1e-4932 of the mass."""

_MAX_BITS: Final = 2**16
"""Coefficients are not longer: 8 kB each."""

_MORE_BITS: Final = 16
"""Where bits are missing, a multiple of so many is added, so that neighbouring questions agree."""

_SPARE_BITS: Final = 32
"""Bits below the cut, so that rounding does not show before it does."""

_SHARE: Final = 8
"""What was cut, or left out, shows where it is above the width asked for over this."""

_FAR_BITS: Final = 4
"""A lower end further below the upper one than by so many bits is not a matter of the lattice."""

_UNTILTED: Final = 300
"""Where so many bits are missing, the tilt is wrong."""

_KEPT: Final = 3
"""So many combinations stay in the race for the lower end."""

_WIDER: Final = 8
"""Combinations are ranked on a lattice with a step so many times wider."""


_FLAT_STEP: Final = Fraction(1, 256)
"""Where one loss makes up delta the lattice hardly matters; this is refined where it does."""

_FLAT_LENGTH: Final = 2**13
"""Losses over a range of 32 at that step."""


@dataclass(frozen=True)
class Question:
    """What is asked: the composed delta at ``exp_eps``, to a relative width; ``eps`` is near its logarithm."""

    exp_eps: Real
    eps: Fraction
    relative_width: Fraction


def read_width(value: Exact | None) -> Fraction:
    """Return a relative width, the default one for None, or refuse it."""
    width = DEFAULT_RELATIVE_WIDTH if value is None else as_fraction(value, name="relative_width")
    if not 0 < width < 1:
        raise InvalidValueError(f"relative_width={short(width)} is outside (0, 1). Pass 1/1000, say.")
    return width


@dataclass
class _Bracket:
    """The best ends so far."""

    question: Question
    lower: Dyadic = field(default_factory=lambda: Dyadic.of(0))
    upper: Dyadic = field(default_factory=lambda: Dyadic.of(1))
    attained_by: Combination | None = None
    """What the lower end is a bound of; None where that is 0."""

    def narrow(self, lower: Dyadic, upper: Dyadic, by: Combination | None = None) -> tuple[bool, bool]:
        """Take what is better, and say which end moved by a part of the width that shows."""
        before = self.lower, self.upper
        self.attained_by = by if lower > self.lower else self.attained_by
        self.lower, self.upper = max(self.lower, lower), min(self.upper, upper)
        shows = self.question.relative_width / 4
        return _moved(before[0], self.lower, shows), _moved(self.upper, before[1], shows)

    @property
    def is_closed(self) -> bool:
        return not _moved(self.lower, self.upper, self.question.relative_width)

    @property
    def is_far(self) -> bool:
        """Whether the ends are so far apart that this is not a matter of the lattice."""
        return self.lower.mantissa == 0 or self.upper.magnitude - self.lower.magnitude > _FAR_BITS

    @property
    def shows(self) -> Dyadic:
        """What would show: a part of the width asked for, of the lower end if there is one."""
        end = self.lower if self.lower.mantissa else self.upper
        return _scaled(end, self.question.relative_width / _SHARE)

    @property
    def depth(self) -> int:
        """About -log2 of delta."""
        return max(0, -self.upper.magnitude)

    @property
    def interval(self) -> Interval:
        return Interval(self.lower, self.upper)

    @property
    def found(self) -> Found:
        return Found(self.interval, self.attained_by)


class Found(NamedTuple):
    """A bracket, and the real combination of which its lower end is a bound; None where that is 0.

    ``fineness`` is that of the points by which it is known; None where it is known without.
    """

    delta: Interval
    attained_by: Combination | None
    fineness: Fineness | None = None


def is_within(delta: Interval, width: Fraction) -> bool:
    """Whether a bracket has a relative width."""
    return not _moved(delta.lower, delta.upper, width)


def _moved(low: Dyadic, high: Dyadic, share: Fraction) -> bool:
    """Whether high - low is more than a share, below 1, of high."""
    if low.mantissa == 0 or high.magnitude - low.magnitude > 2:
        return high.mantissa != 0
    return high > _scaled(low, 1 / (1 - share))


def _scaled(value: Dyadic, factor: Fraction) -> Dyadic:
    short_factor = Dyadic.below(factor, 64)
    return Dyadic.of(value.mantissa * short_factor.mantissa, value.exponent + short_factor.exponent)


@dataclass(frozen=True)
class _Attempt:
    """One way to compute the two bounds, and the repairs that lead to the next one.

    ``tail_bits`` is how deep the windows of noise reach; ``is_flat`` says that nothing is tilted or set aside.
    """

    above: Runs
    question: Question
    choice: Choice
    tuning: Tuning
    tail_bits: int
    is_flat: bool = False

    @classmethod
    def first(cls, above: Runs, question: Question) -> _Attempt:
        """Return an attempt with windows that leave out less than about delta; flat where one loss makes up delta."""
        attempt = cls._with_windows(above, question, _FIRST_TAIL_BITS)
        while attempt.tail_bits < _MAX_TAIL_BITS and attempt.hides(attempt.little):
            attempt = cls._with_windows(above, question, 2 * attempt.tail_bits)
        return attempt.untilted(_Bracket(question)) if attempt.choice.is_rare else attempt

    @classmethod
    def _with_windows(cls, above: Runs, question: Question, tail_bits: int) -> _Attempt:
        choice = _choice(above, question, tail_bits)
        cut = 16 + 2 * question.relative_width.denominator.bit_length()
        tuning = Tuning(choice.step, choice.tilt, cut + _SPARE_BITS, cut, choice.length)
        return cls(above, question, choice, tuning, tail_bits)

    @property
    def little(self) -> Dyadic:
        """About what would show, before anything is computed."""
        return Dyadic.of(1, self.choice.log_delta - self.question.relative_width.denominator.bit_length())

    def hides(self, shows: Dyadic) -> bool:
        """Whether what the windows left out is above what shows."""
        losses = ((pair.losses(self.tail_bits), times) for pairs, times in self.above for pair in pairs)
        return any(listed.hides_more_than(shows, times) for listed, times in losses)

    # The two bounds.

    def upper(self) -> UpperBound:
        """Return the upper bound."""
        factors = [
            Factor(tuple(pair.losses(self.tail_bits) for pair in pairs), times, cap)
            for (pairs, times), cap in zip(self.above, self.choice.caps, strict=True)
        ]
        return upper_bound(factors, self.question.exp_eps, self.tuning)

    def lower(self, combination: Combination) -> Dyadic:
        """Return the lower bound of a combination; its pairs come in the order of the mechanisms they belong to."""
        factors, owner, used = [], 0, 0
        for pair, times in combination:
            factors.append(LowerFactor(pair.losses(self.tail_bits), times, self.choice.caps[owner]))
            used += times
            if used == self.above[owner][1]:
                owner, used = owner + 1, 0
        return lower_bound(factors, self.question.exp_eps, self.tuning)

    def ranked(self, below: Sequence[Combination]) -> Sequence[Combination]:
        """Return the best few combinations on a wide lattice, those within a quarter of the best one."""
        if len(below) < 2:
            return below
        tuning = self.tuning
        wide = replace(tuning, step=tuning.step * _WIDER, length=max(256, tuning.length // _WIDER))
        attempt = replace(self, tuning=wide)
        bounds = [(attempt.lower(combination), combination) for combination in below]
        bounds.sort(key=lambda bound: bound[0], reverse=True)
        least = _scaled(bounds[0][0], Fraction(3, 4))
        return [combination for bound, combination in bounds[:_KEPT] if bound >= least]

    # The repairs.

    def repaired(self, upper: UpperBound, best: _Bracket, *, is_still: bool) -> _Attempt | None:
        """Return the next attempt where something but the lattice keeps the ends apart, else None."""
        shows, tuning = best.shows, self.tuning
        if self.tail_bits < _MAX_TAIL_BITS and self.hides(shows):
            return self.with_wider_windows(best)
        missing = max(0, upper.cut.magnitude - shows.magnitude) if upper.cut > shows else None
        is_rare = any(cap is not None for cap in self.choice.caps) and upper.infinite > shows
        if not self.is_flat and (is_rare or (best.is_far and is_still) or (missing or 0) > _UNTILTED):
            return self.untilted(best)
        if missing is None or tuning.bits >= _MAX_BITS:
            return None
        return self.with_bits((missing // _MORE_BITS + 2) * _MORE_BITS)

    def with_wider_windows(self, best: _Bracket) -> _Attempt:
        """Return an attempt whose windows of noise reach further, by other choices."""
        tail_bits = min(_MAX_TAIL_BITS, max(2 * self.tail_bits, best.depth + 96))
        attempt = self._with_windows(self.above, self.question, tail_bits)
        return attempt.untilted(best) if self.is_flat else attempt

    def untilted(self, best: _Bracket) -> _Attempt:
        """Return an attempt without a tilt or a cap, with bits down to delta."""
        bits = max(best.depth, -self.choice.log_delta) + self.tuning.bits
        tuning = Tuning(_FLAT_STEP, Fraction(0), bits, bits - 16, _FLAT_LENGTH)
        choice = self.choice._replace(caps=(None,) * len(self.choice.caps))
        return replace(self, choice=choice, tuning=tuning, is_flat=True)

    def with_bits(self, more: int) -> _Attempt:
        """Return an attempt that cuts so many bits further down."""
        return replace(self, tuning=replace(self.tuning, bits=self.tuning.bits + more, cut=self.tuning.cut + more))

    def refined(self, best: _Bracket, *, meets: bool) -> _Attempt:
        """Return an attempt on a finer lattice; where the ends ``meet``, as fine as the width asked for needs.

        The width falls with the square of the step.
        """
        factor = 4 if meets else 2
        if meets and best.lower.mantissa:
            high, width = best.upper.fraction(), self.question.relative_width
            ratio = (high - best.lower.fraction()) / high / width
            factor = next((f for f in (2, 3, 4, 6) if f * f > 2 * ratio), 8)
        tuning = self.tuning
        return replace(self, tuning=replace(tuning, step=tuning.step / factor, length=tuning.length * factor))


def bracket(
    above: Runs, below: Sequence[Combination], question: Question, *, meets: bool, target: Fraction | None = None
) -> Found:
    """Return a bracket of the composed delta, or one on one side of a target, where that is enough.

    ``above`` lists for each mechanism pairs that dominate all its others, and its runs; ``below`` combinations of real
    pairs, of which the best bounds delta from below. Unless it is known that the two ``meet``, the bracket is given up
    when neither end moves any more. Where nothing above 0 bounds delta from below, the bracket begins at 0.

    Raises:
        TooLargeError: where they meet, and the width needs more than the limits of the arithmetic.
    """
    best, attempt, is_still = _Bracket(question), _Attempt.first(above, question), False
    for _ in with_progress(range(_ROUNDS)):
        upper = attempt.upper()
        below = attempt.ranked(below)
        lowers = [(attempt.lower(combination), combination) for combination in below]
        lower, by = max(lowers, key=lambda bound: bound[0], default=(Dyadic.of(0), None))
        moved = best.narrow(lower, upper.value, by)
        if best.is_closed or (target is not None and best.interval.compare(target) is not None):
            return best.found
        repaired = attempt.repaired(upper, best, is_still=is_still)
        if repaired is not None:
            attempt = repaired
            continue
        is_still = not any(moved)
        if is_still and not meets:
            return best.found
        attempt = attempt.refined(best, meets=meets)
        if attempt.tuning.length > MAX_COEFFICIENTS:
            break
    if meets and best.lower.mantissa:
        raise TooLargeError(
            f"composition: a relative width of {short(question.relative_width)} needs more than "
            f"{attempt.tuning.length} coefficients of {attempt.tuning.bits} bits, or more than {MAX_COEFFICIENTS}, the "
            f"limit. The bracket so far is {best.interval}. Ask for a larger relative_width."
        )
    return best.found


def rough_upper_bound(above: Runs, question: Question) -> Dyadic:
    """Return an upper bound of the composed delta from one attempt."""
    return _Attempt.first(above, question).upper().value


def _choice(above: Runs, question: Question, tail_bits: int) -> Choice:
    losses = []
    for pairs, times in above:
        listed = [pair.losses(tail_bits) for pair in pairs]
        infinite = [mass for pair in listed if (mass := pair.infinite_outline) is not None]
        atoms = [atom for pair in listed[:2] for atom in pair.outline]
        losses.append(Losses(atoms, max(infinite, default=None), times))
    return composition_choice(losses, question.eps, question.relative_width)


def rough_choice(above: Runs, question: Question) -> Choice:
    """Return what the bracket would be computed with: about the tilt that matters, and about how small delta is."""
    return _choice(above, question, _FIRST_TAIL_BITS)


Mechanisms: TypeAlias = Sequence[tuple[Mechanism, int]]
"""Mechanisms, each with the number of its runs."""

_FIRST_ERROR: Final = Fraction(1, 4)
"""What the first points cost of ln(delta), about: they are few, and a quarter shows whether the ends can meet."""

_OF_AN_EPS: Final = 4
"""What a bracket of delta leaves undecided of eps on either side is at most the width over this, about."""

_WIDEST: Final = Fraction(1, 4)
"""A bracket is at least so narrow."""

_SPARE_BITS_OF_POINTS: Final = 4
"""What the points leave out stays so far below the width asked for."""

_SHARE_BITS: Final = 2
"""Losses at which real pairs are chosen are so short that neighbouring questions agree in them."""

_UNKNOWN_BITS: Final = 16
"""The lower end may be so far below the upper one while it is not known."""


def bracket_by_points(
    mechanisms: Mechanisms,
    question: Question,
    tried: Callable[[Fineness], Sequence[Combination]],
    target: Fraction | None = None,
    given: Fineness | None = None,
) -> Found:
    """Return a bracket of the composed delta.

    ``tried`` makes real combinations of the points of a fineness, which bound delta from below. Where only the order of
    delta and a ``target`` is asked for, a bracket on one side of it is enough. ``given`` is the only fineness tried.
    """
    times = sum(runs for _, runs in mechanisms)
    rough = [(mechanism.dominating_pairs(None), runs) for mechanism, runs in mechanisms]
    choice = rough_choice(rough, question)
    step = point_step(choice.tilt, times, _FIRST_ERROR)
    widest = [mechanism.widest_step for mechanism, _ in mechanisms if mechanism.widest_step is not None]
    step = min([step, *widest])
    spare = times.bit_length() + question.relative_width.denominator.bit_length() + _SPARE_BITS_OF_POINTS
    share = Dyadic.below(question.eps / times, _SHARE_BITS).fraction()
    if target is not None:  # an eps of the width asked for needs less of delta, which falls about as e^(-tilt eps)
        wide = question.relative_width * max(Fraction(1), choice.tilt * question.eps / _OF_AN_EPS)
        wide = Dyadic.below(min(wide, max(question.relative_width, _WIDEST)), 1).fraction()  # the same at an eps nearby
        question = replace(question, relative_width=wide)
    fineness = given or Fineness(step, spare - choice.log_delta, (share, 2 * share, Fraction(0)), thins=True)
    error = _FIRST_ERROR if widest and given is None else Fraction(0)
    best = Found(Interval(Dyadic.of(0), Dyadic.of(1)), None)
    while True:
        above = [(mechanism.dominating_pairs(fineness), runs) for mechanism, runs in mechanisms]
        is_finest = given is not None or all(mechanism.is_finest(fineness) for mechanism, _ in mechanisms)
        asked = replace(question, relative_width=max(question.relative_width, error / 4))
        if target is not None and (upper := rough_upper_bound(above, asked)).compare(target) <= 0:
            return Found(Interval(Dyadic.of(0), upper), None, fineness)  # real pairs would change nothing
        found = bracket(above, tried(fineness), asked, meets=False, target=target)._replace(fineness=fineness)
        before, best = best, _better(best, found)
        if is_finest or is_within(best.delta, question.relative_width):
            return best
        if target is not None and best.delta.compare(target) is not None:
            return best
        if not is_worth_more(before.delta, best.delta, question.relative_width):
            return best
        error /= 4
        known = best.delta.lower.magnitude if best.delta.lower.mantissa else best.delta.upper.magnitude - _UNKNOWN_BITS
        fineness = replace(fineness, step=fineness.step / 2, little=spare - known)


def upper_bound_at_once(mechanisms: Mechanisms, question: Question) -> Dyadic:
    """Return an upper bound of the composed delta that costs next to nothing, and lies some way above it."""
    return rough_upper_bound([(mechanism.dominating_pairs(None), runs) for mechanism, runs in mechanisms], question)


def _better(one: Found, other: Found) -> Found:
    """Return the better ends of two brackets."""
    upper = min(one.delta.upper, other.delta.upper)
    best = other if one.delta.lower < other.delta.lower else one
    return Found(Interval(best.delta.lower, upper), best.attained_by, other.fineness)
