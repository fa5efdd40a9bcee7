"""Calibration where delta is known between two proved ends: what the upper end shows safe, what the lower end refutes.

Values are judged on a grid. Without a grid that is asked for, powers of two away from the least value of the domain
come first, and the grid is 2^-16 of the smaller one of the two between which the upper end passes the target; of noise
that is never less than some deviation the grid is 2^-10 of the noise, or a little less. An end
that is within its enclosure of the target is on neither side: such a value is neither shown safe nor refuted.

The search assumes nothing of the ends but finds two neighbouring values with different verdicts; what is proved of the
values beyond is the family's scope. Floats choose which value is judged next.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import count
from operator import attrgetter
from typing import Any, Final, TypeAlias

from exactdp.claims.certificate import Certificate, Verdict
from exactdp.claims.certify import certify
from exactdp.claims.claim import Claim
from exactdp.claims.randomizer_specs import has_spec
from exactdp.errors import InvalidValueError, TooLargeError, UndecidedError
from exactdp.numbers.balls import compare_reals
from exactdp.numbers.bisection import bisect
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import LogRational, PrivacyLevel, read_privacy_level
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.privacy.amplification.guesses import (
    UNKNOWN,
    Excess,
    Secant,
    binary_size,
    halvings,
    log_excess,
    marks_ahead,
    noise_factor,
    one_of_runs,
)
from exactdp.privacy.attained import is_at_most
from exactdp.privacy.composition.composed import delta_beside
from exactdp.privacy.engine import ManyUsersError
from exactdp.privacy.planner import engine_of
from exactdp.privacy.profile import PrivacyProfile
from exactdp.privacy.shuffle.scan import DEFAULT_LIMIT
from exactdp.progress import one_step
from exactdp.protocols.interface import Protocol
from exactdp.protocols.protocol import ShuffleProtocol
from exactdp.studies.calibration.calibrated import Calibration
from exactdp.studies.calibration.local_families import LocalFamily

End: TypeAlias = Fraction | Interval

_STEPS: Final = 16
"""ld of the steps of the usual grid between two powers of two: 10^-5 of the distance from the least value."""

_FARTHEST: Final = 256
"""ld of how much nearer than 1, or the length of the domain, to the least value a value may be."""

_LARGEST: Final = 64
"""ld of the largest value that is tried of a parameter without an end."""

_OPEN_BITS: Final = (10, 20)
"""Accuracies of ends that may differ, one after the other: the second is usual, and more cost much."""

_RUN_WIDTHS: Final = (Fraction(1, 8), Fraction(1, 64))
"""Relative widths of delta of runs, one after the other, where its ends may differ."""

_TIGHT_WIDTHS: Final = (Fraction(1, 8), Fraction(1, 1000), Fraction(1, 10**6), Fraction(1, 10**9))
"""The same where they meet."""

STEPS_OF_RUNS: Final = 10
"""As ``_STEPS``, for runs, and for noise of at least some deviation: their ends differ by about so much."""

_BESIDE: Final = (Fraction(31, 32), Fraction(33, 32))
"""Beside a guess, on either side, values are judged first."""

_TIGHT_BITS: Final = (20, 64, 256, 1024)
"""The same of a delta that can be enclosed to any accuracy."""

_STRIDE: Final = 2
"""Marks that are passed at once: far beyond the target messages are rare, and ends cost seconds."""

_GROWTH: Final = 8
"""Steps from the first value that is not shown safe grow at least so until one is refuted."""

_MARKS_PASSED: Final = 4
"""So many marks are passed, about."""

_TO_A_STEP: Final = 8
"""So many values lead from two marks to two neighbours on the grid, about."""

_SLACK: Final = 1 / 4096
"""A value at which the upper end is nearer to delta, as a share, takes a certificate many seconds."""

_STEPS_BACK: Final = (0, 4, 16, 64, 256)
"""Steps of the grid with more noise at which a certificate is tried; a step changes delta by about such a share."""

_FLOAT_BITS: Final = 64
"""What a float is made from."""


@dataclass(slots=True)
class TwoEndedSearch:
    """One question. Values are ``least`` plus a distance; ``more`` of it is less noise if 1, more noise if -1."""

    known: LocalFamily
    n: int | None
    level: PrivacyLevel
    delta: Fraction
    asked: Fraction | None
    """The grid that is asked for."""
    limit: int = DEFAULT_LIMIT
    """Most pairs times outcomes of an exact scan."""
    certifies: bool = True
    """Whether certificates are wanted."""
    rounds: int = 1
    """Runs on the same users, each of which may depend on the answers before it."""
    ends: Callable[[PrivacyProfile], PrivacyProfile] | None = None
    """What makes of a profile the same one with other upper ends; None where they are the best."""
    profiles: dict[Fraction, PrivacyProfile] = field(default_factory=dict)
    excess: dict[tuple[Fraction, int], Excess] = field(default_factory=dict)
    """ln(end) - ln(target), about, by the distance and the end, 0 for the lower and 1 for the upper one."""
    judged: dict[tuple[Fraction, int], bool | None] = field(default_factory=dict)
    """Whether an end is at most the target, None if its enclosure contains the target; by the same."""
    steps: int = 0
    """ld of the steps of the usual grid between two marks; 0 for as many as the ends of runs, or of one, tell apart."""
    tried: int = 0
    left: int = _MARKS_PASSED
    """Values that are still to be judged in this stage, about."""
    later: int = 2 * _TO_A_STEP
    """The same of the stages to come: the safe value, and the refuted one."""

    @property
    def more(self) -> int:
        """The direction of less noise."""
        return 1 if self.known.family.weakens else -1

    def value(self, distance: Fraction) -> Fraction:
        """The parameter so far from the least value."""
        return self.known.family.domain[0] + distance

    def protocol(self, distance: Fraction) -> Protocol:
        """The protocol of a value."""
        return self.known.family.protocol(self.value(distance), self.n)

    def is_safe(self, distance: Fraction) -> bool:
        """Whether the upper end is shown to be at most the target."""
        return self._is_at_most(distance, 1) is True

    def is_refuted(self, distance: Fraction) -> bool:
        """Whether the lower end is shown to be above the target."""
        return self._is_at_most(distance, 0) is False

    def _is_at_most(self, distance: Fraction, place: int) -> bool | None:
        key = distance, place
        if key not in self.judged:
            self.tried, self.left = self.tried + 1, max(1, self.left - 1)
            with one_step(self.tried, self.tried + self.left + self.later):
                if self.rounds > 1:
                    self._judge_runs(distance)
                else:
                    self._judge(distance, place)
        return self.judged[key]

    def _judge(self, distance: Fraction, place: int) -> None:
        """Judge an end of delta of one run, and the other where it comes with it."""
        profile = self._profile(distance)
        if self.delta == 0 and not profile.is_tight:
            self._judge_at_zero(distance, profile)
            return
        if place and self.known.first is not None and self.is_refuted(distance):  # long before the upper end is known
            self.judged[distance, 1], self.excess[distance, 1] = False, self.excess[distance, 0]
            return
        for bits in _TIGHT_BITS if profile.is_tight else _OPEN_BITS:
            ends = _ends(profile, self.level, bits, place, alone=self.known.first is not None)
            for end, value in ends.items():
                self.judged[distance, end] = is_at_most(value, self.delta)
                self.excess[distance, end] = log_excess(_low(value), self.delta)
            if self.judged[distance, place] is not None or isinstance(ends[place], Fraction):
                break

    def _judge_runs(self, distance: Fraction) -> None:
        """Judge both ends of delta of all runs, as narrow as its order to the target asks for."""
        runs = self._profile(distance).compose(self.rounds)
        for width in _TIGHT_WIDTHS if runs.is_tight else _RUN_WIDTHS:
            delta = delta_beside(runs, self.level, self.delta, width)
            for end, value in enumerate((delta.lower, delta.upper)):
                self.judged[distance, end] = value.compare(self.delta) <= 0
                self.excess[distance, end] = log_excess(value, self.delta)
            if delta.compare(self.delta) is not None:
                break

    @property
    def _is_tight(self) -> Callable[[Fraction], bool]:
        """Whether the ends of a value meet."""
        if self.rounds == 1:
            return lambda distance: self._profile(distance).is_tight
        return lambda distance: self._profile(distance).compose(self.rounds).is_tight

    def _guess(self) -> Fraction | None:
        """Return about the distance that is looked for, of runs: that of one run, as if losses were normal."""
        if self.rounds == 1:
            return None
        eps = self.level.eps
        if eps is None:
            eps = LogRational(self.level.exp_eps).enclose(_FLOAT_BITS).lower.fraction()
        one = one_of_runs(eps, self.delta, self.rounds)
        if one is None:
            return None
        level = read_privacy_level(eps=one[0], exp_eps=None)
        search = TwoEndedSearch(
            self.known, self.n, level, one[1], None, self.limit, certifies=False, steps=STEPS_OF_RUNS
        )
        with suppress(InvalidValueError, UndecidedError, TooLargeError):
            return search.safe_edge()[0] or None
        return None

    def _judge_at_zero(self, distance: Fraction, profile: PrivacyProfile) -> None:
        """Judge both ends at delta = 0 by the local eps: no end is enclosed, which takes long where it is tiny."""
        is_safe = is_refuted = False
        with suppress(UndecidedError):  # where the lower end is not known to be above 0, nor the upper one to be 0
            found = engine_of(profile.source).exp_eps_range(Fraction(0))
            assert found is not None
            is_safe = found.high is not None and compare_reals(self.level.real, found.high) >= 0
            is_refuted = found.high is None or compare_reals(self.level.real, found.low) < 0
        self.judged[distance, 0], self.judged[distance, 1] = False if is_refuted else None, is_safe or None
        self.excess[distance, 0], self.excess[distance, 1] = UNKNOWN, -UNKNOWN if is_safe else UNKNOWN

    def _profile(self, distance: Fraction) -> PrivacyProfile:
        if distance not in self.profiles:
            profile = self.protocol(distance).privacy_profile(limit=self.limit)
            self.profiles[distance] = profile if self.ends is None else self.ends(profile)
        return self.profiles[distance]

    # --- The search -------------------------------------------------------------------------------------------------

    def safe_value(self) -> Fraction:
        """Return the value with the least noise that is shown safe, without asking which ones are refuted."""
        return exact_answer(self.value(self.safe_edge()[0]))

    def run(self) -> Calibration:
        """Return the value that is safe, the one beside it that is not shown so, and one that is refuted."""
        safe, outside, marks, step = self.safe_edge()
        if outside is None:
            return self._calibration(safe, None, None, step)
        return self._calibration(safe, outside, self._first_refuted(outside, marks[-1], step), step)

    def safe_edge(self) -> tuple[Fraction, Fraction | None, list[Fraction], Fraction]:
        """Return the distance that is safe, the one beside it that is not shown so, or None, all marks and the step."""
        marks, guess = self._marks(), self._guess()
        try:
            safe = self._edge(marks, guess)
        except TooLargeError:  # a guess may be far away
            if guess is None:
                raise
            safe, guess = self._edge(marks, None), None
        if not 0 <= safe + self.more < len(marks):
            return marks[safe], None, marks, self.asked or marks[-1]
        near, far = marks[safe], marks[safe + self.more]
        step = self.asked or self._usual_step(min(near, far)) or near + far
        if guess is not None:
            for value in (guess * share // step * step for share in _BESIDE):
                if min(near, far) < value < max(near, far):
                    near, far = (value, far) if self.is_safe(value) else (near, value)
        self.later = _TO_A_STEP
        inside, outside = self._between(near, far, step, 1, self.is_safe)
        return inside, outside, marks, step

    @property
    def _least_noise(self) -> Fraction:
        """The least value of a parameter that is noise, and of all others 0."""
        return Fraction(0) if self.known.family.weakens else self.known.family.domain[0]

    def _usual_step(self, distance: Fraction) -> Fraction:
        """Return the step of the usual grid beside a mark."""
        is_fine = self.rounds == 1 and not self._least_noise
        steps = self.steps or (_STEPS if is_fine else STEPS_OF_RUNS)
        least = distance + self._least_noise
        return next(step for step in (distance / (1 << k) for k in count()) if step * (1 << steps) <= least)

    def _marks(self) -> list[Fraction]:
        """Return distances from the least value, each about twice the one before."""
        least, largest = self.known.family.domain
        length = Fraction(2**_LARGEST) if largest is None else largest - least
        if self.asked is None:
            marks = [length / 2**halved for halved in reversed(range(_FARTHEST + _LARGEST))]
            return [Fraction(0), *(mark for mark in marks if mark * 2**STEPS_OF_RUNS >= self._least_noise)]
        steps = length / self.asked
        if largest is None:
            steps = Fraction(int(steps))
        if steps.denominator != 1:
            shown = f"{short(least)} to {short(least + length)}"
            raise InvalidValueError(f"grid={short(self.asked)} does not divide the domain from {shown}. Pass 1/1024.")
        doubled = [self.asked * 2**k for k in range(int(steps).bit_length()) if 2**k < steps]
        return [Fraction(0), *doubled, steps * self.asked]

    def _edge(self, marks: list[Fraction], guess: Fraction | None) -> int:
        """Return the place of a mark that is safe, beside one with less noise that is not shown so, or the last one.

        It is looked for from a guess on, where there is one.
        """
        first = 0 if self.more == 1 else len(marks) - 1

        def is_safe(place: int) -> bool:  # beyond the ends: all noise is enough, and no noise is not
            if not 0 <= place < len(marks):
                return (place - first) * self.more < 0
            return self.is_safe(marks[place])

        start = first
        if self.more == 1:  # a randomizer with eps0 = eps is eps-DP
            size = Fraction(2) ** (binary_size(self.level.real) - 1)
            start = sum(mark <= size for mark in marks) - 1
        elif self.known.first is not None or self.known.family.domain[1] is None:
            start = sum(mark <= (self.known.first or 1) for mark in marks) - 1
        if guess is not None:
            start = min(max(sum(mark <= guess for mark in marks) - (self.more == 1), 0), len(marks) - 1)
        begins_safe = is_safe(start)
        before = place = start
        stride, last = 0, UNKNOWN
        while is_safe(place) == begins_safe:
            known = self.excess.get((marks[place], 1), UNKNOWN) if 0 <= place < len(marks) else UNKNOWN
            marks_left = halvings(noise_factor(known, self.delta)) - _STRIDE
            stride = max(_STRIDE, marks_left, min(2 * stride, marks_ahead(known, last, stride) // 2))
            if guess is not None and place == start:
                stride = 1
            before, last = place, known
            place += (self.more if begins_safe else -self.more) * stride
            if 0 < before < len(marks) - 1:  # both ends are looked at before what is beyond them
                place = min(max(place, 0), len(marks) - 1)
        safe = bisect(place, before, is_safe) if begins_safe else bisect(before, place, is_safe)
        if not 0 <= safe < len(marks):
            self._refuse(marks[first])
        return safe

    def _refuse(self, distance: Fraction) -> None:
        name, value = self.known.family.parameter, self.value(distance)
        upper: End
        if self.rounds > 1:
            runs = self._profile(distance).compose(self.rounds)
            upper = delta_beside(runs, self.level, self.delta, _RUN_WIDTHS[0])
        else:
            upper = _ends(self._profile(distance), self.level, _OPEN_BITS[-1], 1)[1]
        above = Dyadic.above(upper, 32) if isinstance(upper, Fraction) else upper.upper
        raise InvalidValueError(
            f"no {name} is known to be enough: at {name}={short(value)} delta may be {above.decimal(4, up=True)}. "
            "Use a larger n, eps or delta."
        )

    def _first_refuted(self, start: Fraction, farthest: Fraction, step: Fraction) -> Fraction | None:
        """Return a distance from ``start`` on that is refuted beside one that is not; None if there is none."""
        inside, distance, steps, self.later = start - self.more * step, start, 1, 0
        while not self.is_refuted(distance):
            if distance in (0, farthest):
                return None
            factor = noise_factor(self.excess[distance, 0], self.delta)
            guess = distance * factor if self.more == 1 else distance / factor
            steps = max(_GROWTH * steps, int(abs(guess - distance) / step))
            inside, distance = distance, min(max(distance + self.more * steps * step, Fraction(0)), farthest)
        return self._between(inside, distance, step, 0, lambda one: not self.is_refuted(one))[1]

    def _between(
        self, inside: Fraction, outside: Fraction, step: Fraction, end: int, holds: Callable[[Fraction], bool]
    ) -> tuple[Fraction, Fraction]:
        """Return neighbours on the grid of which the first holds and the second does not, as the two given."""
        self.left = min(_TO_A_STEP, (abs(outside - inside) // step).bit_length())
        secant = Secant(self.excess.get((inside, end), UNKNOWN), self.excess.get((outside, end), UNKNOWN))
        while (steps := abs(outside - inside) / step) > 1:
            share = secant.share
            if self.more == 1:  # the line is over the inverse
                share = share * inside / (outside + share * (inside - outside))
            taken = min(max(round(share * steps), 1), int(steps) - 1)
            middle = inside + taken * (step if outside > inside else -step)
            if holds(middle):
                inside = middle
            else:
                outside = middle
            secant.move(0 if inside == middle else 1, self.excess[middle, end])
        return inside, outside

    # --- The result -------------------------------------------------------------------------------------------------

    def _calibration(
        self, safe: Fraction, unsafe: Fraction | None, refuted: Fraction | None, step: Fraction
    ) -> Calibration:
        family, value = self.known.family, exact_answer(self.value(safe))
        farthest = self.value(max(place for place in (safe, unsafe, refuted) if place is not None)) + step
        is_tight = self._is_tight(safe)
        tenth = None if is_tight or not self.certifies else self._tenth_more(safe)
        failing = refuted if is_tight else tenth
        held, holds = (safe, self._certificate(safe, Verdict.PROVED)) if is_tight else self._held_checkably(safe)
        return Calibration(
            value,
            family.parameter,
            exact_answer(step),
            self.protocol(safe),
            holds,
            None if failing is None else self._certificate(failing, Verdict.REFUTED),
            None if refuted is None else exact_answer(self.value(refuted)),
            self.known.scope(farthest, step),
            None if unsafe is None else exact_answer(self.value(unsafe)),
            exact_answer(self.value(held)),
            None if tenth is None else exact_answer(self.value(tenth)),
            self.known.monotone() if self.certifies and self.known.monotone is not None else None,
        )

    def _held_checkably(self, safe: Fraction) -> tuple[Fraction, Certificate | None]:
        """Return the distance that an upper end of certificates shows safe, or one beside it that the checker sees."""
        stated = (self._stated(one) for one in self.profiles if self._is_inside(one))
        if not self.certifies or all(one is None for one in stated):
            return safe, None
        search = replace(self, ends=attrgetter("checkable"), profiles={}, excess={}, judged={}, later=_TO_A_STEP)
        try:
            checkable, _, _, step = search.safe_edge()
        except InvalidValueError:  # no noise on the grid is enough for it
            return safe, None
        return search._held(checkable, step)

    def _held(self, safe: Fraction, step: Fraction) -> tuple[Fraction, Certificate | None]:
        """Return the distance that is safe, or one with a little more noise, at which the checker sees it."""
        if not self.certifies:
            return safe, None
        is_close = -self.excess[safe, 1] < _SLACK
        for steps in _STEPS_BACK[is_close:]:
            distance = safe - self.more * steps * step
            if self.known.stated is not None and self._is_inside(distance) and self._stated(distance) is not None:
                certificate = self._certificate(distance, Verdict.PROVED)
                if certificate is not None and certificate.level == "certificate":
                    return distance, certificate
        return safe, None if is_close else self._certificate(safe, Verdict.PROVED)

    def _is_inside(self, distance: Fraction) -> bool:
        least, largest = self.known.family.domain
        return distance > 0 and (largest is None or distance <= largest - least)

    def _tenth_more(self, safe: Fraction) -> Fraction | None:
        """Return the distance of a value whose eps0 is a tenth more, if a claim can hold it and it is refuted."""
        more = self.known.tenth_more(self.value(safe))
        distance = None if more is None else more - self.known.family.domain[0]
        if distance is None or not self._is_inside(distance) or self._stated(distance) is None:
            return None
        return distance if self.is_refuted(distance) else None

    def _stated(self, distance: Fraction) -> ShuffleProtocol | None:
        """Return the protocol of a value as a claim holds it by its parameters, if it can."""
        if self.known.stated is None or self.n is None:
            return None
        family = self.known.stated(self.value(distance))
        return ShuffleProtocol(family, self.n) if has_spec(family) else None

    def _certificate(self, distance: Fraction, verdict: Verdict) -> Certificate | None:
        """Return the certificate of a verdict; None where no claim states what is run, or none is wanted."""
        if not self.certifies:
            return None
        asked: dict[str, Any] = {**self.level.keywords, "delta": self.delta}
        protocol = self.protocol(distance)
        if not self._profile(distance).is_tight:
            stated = self._stated(distance)
            claim = None if stated is None else Claim.shuffle_dp(stated, **asked)
        elif protocol.is_shuffled_randomizer and protocol.table is None:
            claim = None
        else:
            claim = Claim.of_protocol(protocol, **asked)
        with one_step(self.tried, None):
            certificate = None if claim is None else certify(claim)
        return certificate if certificate is not None and certificate.verdict is verdict else None


def _ends(
    profile: PrivacyProfile, level: PrivacyLevel, bits: int, wanted: int, *, alone: bool = False
) -> dict[int, End]:
    """Return the end of delta that is wanted, 0 for the lower and 1 for the upper one, exact or to so many bits.

    The other end comes with it where it costs nothing more, unless the one is wanted ``alone``.
    """
    if not profile.is_tight and wanted == 1:
        return {1: engine_of(profile.source).upper(level.real, bits)}
    if not profile.is_tight and alone:
        return {0: engine_of(profile.source).lower(level.real, bits)}
    try:
        if not profile.is_tight:
            bracket = profile.bracket(**level.keywords, relative_bits=bits)
            return {0: bracket.lower, 1: bracket.upper}
        delta: End
        if level.exp_eps is not None and profile.is_exact:
            delta = profile.exact_delta(exp_eps=level.exp_eps)
        else:
            delta = profile.delta(**level.keywords, relative_bits=bits)
    except ManyUsersError as error:
        delta = error.bracket
    return {0: delta, 1: delta}


def _low(end: End) -> Dyadic:
    return Dyadic.below(end, _FLOAT_BITS) if isinstance(end, Fraction) else end.lower
