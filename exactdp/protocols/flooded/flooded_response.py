"""Random answers among random numbers of uniform messages: both ends of delta, by the law of their total.

n users send k-ary response of their inputs (the input with probability p, each other one with q) and numbers of uniform
messages whose law does not depend on anything; T is what they sum to.

*Upper end.* Another user's answer is, with probability g = d q, a uniform message, and else his input; publish the
inputs of the latter, and how many they are. Then one message of law P or Q hides among T + B uniform ones,
B = Bin(n - 1, g), and what is sent beside tells nothing. With T + B = t the divergence is U_(t+1)(mu/u), u uniform
(:mod:`exactdp.privacy.amplification.dummy_pairs`), so the bound is its mean over T + B. It falls in t: with places
0 = a_0 < a_1 < ... of T and 0 = b_0 < b_1 < ... of B the mean is at most the sum of
P[a_i <= T < a_(i+1)] P[b_j <= B < b_(j+1)] U_(a_i + b_j + 1), and where some of the sums a_i + b_j are near each other,
the least of them stands for all.

*Lower end.* An event of a sum of message scores beside others who hold one input. The law of the number of one user's
noise messages is cut and rounded down to rational probabilities; what is missing counts as none sent. So laws of views
of n users change by at most n times what is missing, in total variation, and P(T) - E Q(T) by (1 + E) times that, which
is taken off.

Source: BalleBellGasconNissim2019, Theorem 5.1 (the blanket).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import isqrt
from typing import Any, Final

from exactdp.caching import cached_property
from exactdp.errors import TooLargeError
from exactdp.laws.binomial import Binomial
from exactdp.laws.counting_laws import Counting, all_users, in_bins
from exactdp.mechanisms.pair_table import PairTable
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.amplification import Amplification
from exactdp.privacy.amplification.bounds_of_pairs import MadeBound
from exactdp.privacy.amplification.guesses import excess_scores, guess_threshold, log_divergence
from exactdp.privacy.amplification.input_pairs import InputPairs, ScoredCandidate
from exactdp.privacy.amplification.positive_part import Mixture, mixture_of
from exactdp.privacy.amplification.score_event import ScoreEvent, ScoreLaw, law_of_scores, sum_of_scores
from exactdp.privacy.engine import Engine
from exactdp.privacy.planner import Source
from exactdp.protocols.flooded.flooded_bins import flooded_bins

_STEPS: Final = (-8, -5, -3, -2, -1, 0, 1)
"""Where the steps of T and of B begin, in deviations from the mean: about as
:mod:`exactdp.privacy.amplification.dummy_pairs` has them."""

_PLACES: Final = 16
"""Sums of two places that are told apart: each costs one enclosure."""

_STEP_BITS: Final = 10
"""Accuracy of the terms: far finer than the steps."""

_TINY_BITS: Final = 10**4
"""Smaller terms count as 2 to minus this."""

_CHANCE_BITS: Final = 128
"""Accuracy of tails, of which the least have some 50 bits."""

_LAWS_KEPT: Final = 32
"""Laws of which the places are kept."""

_MISSING_BITS: Final = 112
"""ld of what may be missing of a user's law: with a billion users 10^-24 is taken off, far below a usual delta."""

_FEW_USERS: Final = 2**12
"""Up to so many users all inputs of the others are tried: with more the answer hardly depends on it."""

_SCORES: Final = 64
"""Largest score of a bundle, about: each costs as much at each node."""

_GROWTHS: Final = (Fraction(6, 5), Fraction(26, 25))
"""Factors by which a threshold moves away from the mean."""

_MOVES: Final = 6
"""Most moves by one factor."""

_MOST_SENT: Final = 32
"""Where one user may send more noise messages with a probability that matters, the lower end is 0."""


@dataclass(frozen=True, slots=True)
class FloodedBound(MadeBound):
    """The mean over T + B of the divergence of one answer among so many uniform messages."""

    mixture: Mixture
    """The divergence as a function of the number of messages."""
    noise: Counting
    """The law of the number of one user's noise messages."""
    share: Fraction
    """g."""
    ratio: Fraction
    """p/q: beyond, the divergence is 0."""

    def divergence(self, users: int, exp_eps: Real, *, relative_bits: int) -> Interval:
        """Enclose the bound with n = ``users``, to a relative width of 2**-relative_bits; it is one number."""
        total = Fraction(0)
        for place, chance in self._places(users):
            total += chance * _above(self.mixture.divergence(place + 1, exp_eps, relative_bits=_STEP_BITS))
        return Interval.around(min(total, Fraction(1)), relative_bits=relative_bits)

    def bound(self, users: int, exp_eps: Real) -> Interval:
        """Return an interval whose upper end the bound does not exceed, fast."""
        total = Fraction(0)
        for place, chance in self._places(users):
            total += chance * _above(self.mixture.bound(place + 1, exp_eps))
        return Interval.around(min(total, Fraction(1)), relative_bits=_STEP_BITS)

    def limit(self, users: int) -> Fraction:
        """Return 0: answers are p/q-DP on their own."""
        return Fraction(0)

    def exceeds_limit(self, users: int) -> bool:
        """No: the divergence is 0 from p/q on."""
        return False

    def settled(self, users: int) -> Fraction:
        """Return p/q."""
        return self.ratio

    def limit_enclosed(self, users: int, relative_bits: int) -> Interval:
        """Return 0."""
        return Interval.around(0, relative_bits=1)

    @property
    def limit_at_most(self) -> Fraction:
        """0."""
        return Fraction(0)

    def log_size(self, users: int, exp_eps: float) -> float:
        """Return about the logarithm of the bound."""
        total = all_users(self.noise, users)
        return log_divergence(self.mixture, 1 + total.mode + int(self.share * (users - 1)), exp_eps)

    def _places(self, users: int) -> list[tuple[int, Fraction]]:
        """Return places of T + B, each with at least the probability of the values it stands for."""
        noise, own = _steps(all_users(self.noise, users)), _steps(Binomial(users - 1, self.share))
        sums = sorted((a + b, p * r) for (a, p), (b, r) in product(noise, own) if p and r)
        wide = max(1, -(-len(sums) // _PLACES))
        groups = [sums[start : start + wide] for start in range(0, len(sums), wide)]
        return [(group[0][0], sum((chance for _, chance in group), Fraction(0))) for group in groups]


def _above(value: Interval) -> Fraction:
    """Return a fraction that is not below, never a long one."""
    tiny = not value.upper.mantissa or value.upper.magnitude < -_TINY_BITS
    return Fraction(1, 2**_TINY_BITS) if tiny else value.hi


@lru_cache(maxsize=_LAWS_KEPT)
def _steps(law: Counting) -> Sequence[tuple[int, Fraction]]:
    """Return places of a law, each with at least the probability of lying between it and the next one.

    The latest are kept: the noise is one law at every value of a search and every E.
    """
    if law.enclosed is None:
        assert law.high is not None
        return [(law.high, Fraction(1))]
    mean, variance = law.mean, law.variance
    assert isinstance(mean, Fraction)
    assert isinstance(variance, Fraction)
    middle, deviation = mean.__floor__(), isqrt(variance.__ceil__()) + 1
    places = [
        0,
        *(b for step in _STEPS if (b := middle + step * deviation) > 0 and (law.high is None or b <= law.high)),
    ]
    tails = [law.sf(place - 1, relative_bits=_CHANCE_BITS) for place in places[1:]]
    most, least = [Fraction(1), *(tail.hi for tail in tails)], [*(tail.lo for tail in tails), Fraction(0)]
    return [(place, high - low) for place, high, low in zip(places, most, least, strict=True)]


@dataclass(frozen=True)
class FloodedResponse(InputPairs):
    """The pairs of inputs of k-ary response among a random number of uniform messages."""

    d: int
    exp_eps0: Fraction
    noise: Counting

    @property
    def labels(self) -> tuple[Any, ...]:
        """The inputs that are named."""
        return tuple(range(min(3, self.d)))

    @property
    def reaches_local_epsilon(self) -> bool:
        """Not known: lower ends are events."""
        return False

    @property
    def theorem(self) -> str:
        """What proves the upper end."""
        return "the blanket of all noise messages (BalleBellGasconNissim2019, Theorem 5.1), by the law of their total"

    @property
    def local_epsilons(self) -> tuple[LogRational, LogRational]:
        """Two numbers with the local eps of a user's messages between them."""
        return LogRational(1), LogRational(self.exp_eps0)

    @property
    def lie(self) -> Fraction:
        """q."""
        return 1 / (self.exp_eps0 + self.d - 1)

    def _classes(self, other: int) -> list[tuple[Fraction, Fraction, Fraction, Fraction]]:
        """Return (P, Q, uniform, another user's answer) of each class of messages."""
        rows = []
        for symbol in self.labels:
            own = [self.lie * (self.exp_eps0 if symbol == label else 1) for label in (0, 1, other)]
            rows.append((own[0], own[1], Fraction(1, self.d), own[2]))
        rest = self.d - len(self.labels)
        if rest:
            rows.append((rest * self.lie, rest * self.lie, Fraction(rest, self.d), rest * self.lie))
        return rows

    @cached_property
    def blankets(self) -> tuple[FloodedBound, ...]:
        """What bounds the divergence of every pair."""
        merged = PairTable.merged(None, None, (), [row[:3] for row in self._classes(0)])
        mixture = mixture_of((c.first, c.second, c.least) for c in merged.classes)
        return (FloodedBound(mixture, self.noise, self.d * self.lie, self.exp_eps0),)

    def candidates(self, users: int, size: int) -> Sequence[CutCandidate]:
        """Return events beside others who hold an input: of many users the last one named, where the least is told."""
        others = self.labels if users <= _FEW_USERS else self.labels[-1:]
        return [CutCandidate(PairTable(0, 1, (v,), ()), (Fraction(1),), self.blankets[0], (), (), self) for v in others]

    @cached_property
    def _sent(self) -> tuple[tuple[Fraction, ...], Fraction]:
        """Rational probabilities of so many noise messages of a user, and what is missing: it is added to none sent."""
        law, sent, unit = self.noise, list[Fraction](), 2 ** (_MISSING_BITS + 16)
        while len(sent) <= _MOST_SENT and (law.high is None or len(sent) <= law.high):
            chance = law.pmf(len(sent), relative_bits=_MISSING_BITS + 16).lo
            sent.append(Fraction((chance * unit).__floor__(), unit))
            if 1 - sum(sent) < Fraction(1, 2**_MISSING_BITS):
                break
        missing = 1 - sum(sent, Fraction(0))
        return (sent[0] + missing, *sent[1:]), missing

    def event(self, other: int, users: int, exp_eps: Real) -> CutEvent:
        """Return the event that tells most, about, beside others who hold one input.

        Scores are in proportion to (P - E Q) over the mean number of a message among those of another user.
        """
        classes, (sent, missing) = self._classes(other), self._sent
        if missing * 2**_MISSING_BITS > 1:
            return CutEvent(((0, Fraction(1), Fraction(1)),), ((0, Fraction(1)),), 1, missing)
        mean = self.noise.mean
        assert isinstance(mean, Fraction)
        means = [(p, q, r + mean * dummy) for p, q, dummy, r in classes]
        scores = excess_scores(means, exp_eps, max(2, _SCORES // len(sent)))
        beside = _compound(law_of_scores(zip(scores, (row[2] for row in classes), strict=True)), sent)
        laws = [
            sum_of_scores(law_of_scores(zip(scores, (row[place] for row in classes), strict=True)), beside)
            for place in (0, 1, 3)
        ]
        both = tuple(
            (s, laws[0].get(s, Fraction(0)), laws[1].get(s, Fraction(0))) for s in sorted({*laws[0], *laws[1]})
        )
        others = tuple(laws[2].items())
        center = ((users - 1) * sum((p * s for s, p in others), Fraction(0))).__floor__()
        first = guess_threshold(both, others, users, exp_eps)
        return _best(CutEvent(both, others, first, missing), center, users, exp_eps)


def _best(event: CutEvent, center: int, users: int, exp_eps: Real) -> CutEvent:
    """Move the threshold away from the mean while the event tells more: the normal guess is too low far out."""

    def lower(one: CutEvent) -> Dyadic:
        try:
            return one.divergence(users, exp_eps, relative_bits=_STEP_BITS).lower
        except TooLargeError:
            return Dyadic.of(0)

    best, value = event, lower(event)
    for growth in _GROWTHS:
        for _ in range(_MOVES):
            away = best.threshold - center
            moved = replace(best, threshold=center + max(away + 1, int(away * growth)))
            further = lower(moved)
            if value.mantissa and further <= value:
                break
            best, value = moved, further
    return best


def _compound(one: ScoreLaw, sent: Sequence[Fraction]) -> ScoreLaw:
    """Return the law of the sum of the scores of a random number of messages."""
    total: list[tuple[int, Fraction]] = []
    power: ScoreLaw = {0: Fraction(1)}
    for number, chance in enumerate(sent):
        if number:
            power = sum_of_scores(power, one)
        total += [(score, chance * p) for score, p in power.items()]
    return law_of_scores(total)


@dataclass(frozen=True, slots=True)
class CutEvent(ScoreEvent):
    """An event of scores whose laws lack something."""

    missing: Fraction
    """Of the law of one user."""

    def divergence(self, copies: int, exp_eps: Real, *, relative_bits: int) -> Interval:
        """Enclose a lower bound of P(T) - E Q(T): what may be missing is taken off."""
        value = ScoreEvent.divergence(self, copies, exp_eps, relative_bits=relative_bits)
        if not self.missing:
            return value
        lost = (1 + enclose_real(exp_eps, relative_bits=8).hi) * copies * self.missing
        low, high = (max(Fraction(0), end - lost) for end in (value.lo, value.hi))
        return Interval.between(low, high, bits=relative_bits + 2)


@dataclass(frozen=True, slots=True)
class CutCandidate(ScoredCandidate):
    """A pair beside others who all hold one input; the event is made for each E."""

    pairs: FloodedResponse

    def at(self, users: int, exp_eps: Real) -> CutEvent:
        """Return the event that tells most, about, at an E."""
        return _kept_event(self.pairs, self.inputs[0], users, exp_eps)


@lru_cache(maxsize=256)
def _kept_event(pairs: FloodedResponse, other: int, users: int, exp_eps: Real) -> CutEvent:
    return pairs.event(other, users, exp_eps)


@dataclass(frozen=True, slots=True)
class FloodedPairs(Source):
    """All neighbouring data sets of users who add random numbers of uniform messages to their own.

    A noise message hits the block of bins of an input with probability ``chance``; the own message is in the block of
    the input, or with ``exp_eps0`` an answer of k-ary response.
    """

    d: int
    noise: Counting
    chance: Fraction
    users: int
    exp_eps0: Fraction | None

    scope = "all replace-one pairs of data sets, both orders"

    @property
    def subject(self) -> str:
        """What is run, in words."""
        own = "messages" if self.exp_eps0 is None else "random answers"
        return f"{self.users} users' {own} among uniform ones, of each user {short(repr(self.noise))}"

    @property
    def inputs(self) -> tuple[Any, ...]:
        """What the positions of a data set stand for: the inputs that are named."""
        return tuple(range(min(3, self.d)))

    def plan(self) -> Engine:
        """Choose the engine."""
        if self.exp_eps0 is not None:
            return Amplification(FloodedResponse(self.d, self.exp_eps0, self.noise), self.users)
        rest = (0,) * (len(self.inputs) - 2)
        return flooded_bins(
            in_bins(self.noise, self.users, 2 * self.chance), (self.users, 0, *rest), (self.users - 1, 1, *rest)
        )
