"""The pairs of inputs of users who add dummies: bounds and data sets by single messages, where bundles are too many.

Upper ends are those of one message that hides among dummies, below. Where the own message is a function of the input
they are the divergences of all pairs, and of these the worst is between the two bins that dummies hit least: with other
data fixed, the divergence depends on the two chances alone, and it rises if one of them falls (a smaller blanket,
:mod:`exactdp.mechanisms.pair_table`).

Lower ends of random messages are events of a sum of message scores, with the scores of the dummies in each bundle.

*Dummies* (:class:`Dummies`) are messages that users add to their own, by a law that does not depend on the data. A user
with the input x sends one message of the law R_x and has k slots. Each slot, independently of everything else, is a
dummy m with probability v(m), and stays empty with the rest 1 - sum of v. The law of his bundle has the generating
function F_x(z) = R_x(z) (1 - |v| + v(z))^k with the linear forms R_x(z) = sum of R_x(m) z_m and v(z) = sum of v(m) z_m,
|v| = v(1).

*Reading.* Only one (R, v, k) can fit a table whose means differ. Let G = F_x - F_y for two inputs with different
means, and D the second factor. D(1) = 1, and R_x(1) - R_y(1) = 0, so the first derivatives of G at 1 are those of
R_x - R_y, the differences of the mean counts: write t_m. The second ones are G_ml = t_m D_l + t_l D_m, D_l = k v(l) the
derivatives of D: with t_m not 0, D_m = G_mm/(2 t_m) and D_l = (G_ml - t_l D_m)/t_m. One more than k is the largest
bundle. What is found so is compared with the whole table, bundle by bundle, in fractions: the answer is a fact about
the table, or None.

*Hidden* (:class:`Hidden`): what one message still tells when others add messages that do not depend on the data. The
user who differs sends one more message, of law P or Q; write mu = P - E Q. Publish what all others send beside their
dummies. What is left is that one message among nk slots whose law does not depend on the data: this is a data set of
N = nk + 1 users with one message each, of whom N - 1 all hold an input with the row v, and 'no message' with
probability 1 - |v|. For these the divergence is, exactly,

    sum over v(m) = 0 of max(0, mu(m)) + U_N(mu/v),         U_N(L) = E[max(0, L_1 + ... + L_N)]/N,

L = mu(m)/v(m) with probability v(m), else 0 (the lower end of :mod:`exactdp.privacy.amplification.amplification`).

*Exact.* Where everybody's own message is a function of the input, publishing those of the others tells nothing: the
data sets are known but for one user, so their messages are a constant. Then this is the divergence of *every* pair of
data sets in which that user changes from P to Q, whatever the others hold. Between two bins it is added up over the
number of messages in them (:mod:`exactdp.privacy.amplification.moved_message`) where these are not too many.

*Upper end.* Where the own messages are random the same is an upper bound. It falls if some of them are dummies as well:
with g v(m) <= R_x(m) for all m and x, another user's own message is, with probability g, a draw from v/|v|, and else
from what is left of R_x; publish the latter only. If no slot is empty (|v| = 1) the number of dummies is nk + B with
B = Bin(n - 1, g), which tells nothing about the data, so the bound is the mean of U_{nk+1+B}. If slots may be empty and
v(m) <= R_x(m) throughout, each other user's own message is one more slot: N = nk + n.

*Steps.* U_N falls in N, because n + 1 copies have the mean of what n of them have, and max(0, .) is convex. So with
places 0 = b_0 < b_1 < ... the mean over B is at most the sum of P[b_i <= B < b_(i+1)] U_{N + b_i}. Few places lie
around the mean of B; of few users all numbers are taken.

The formula is proved in :mod:`exactdp.privacy.amplification.amplification`.

Source: BalleBellGasconNissim2019, Theorem 5.1 (the blanket);
LiLiuFengHuangHuLiuRenQin2020, the protocols pureDUMP and mixDUMP (the reading is this page's).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from heapq import nlargest
from itertools import pairwise, permutations
from math import factorial, isqrt, prod
from typing import Any, Final, NamedTuple, TypeAlias

from exactdp.caching import cached_property
from exactdp.errors import TooLargeError
from exactdp.laws.binomial import Binomial
from exactdp.mechanisms.dummies_family import DummyFamily
from exactdp.mechanisms.pair_table import PairTable
from exactdp.mechanisms.randomizer import Randomizer, Row
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.bounds_of_pairs import MadeBound
from exactdp.privacy.amplification.guesses import log_divergence, message_scores, of_size
from exactdp.privacy.amplification.input_pairs import Candidate, InputPairs, ScoredCandidate, TablePairs
from exactdp.privacy.amplification.moved_message import MovedMessage
from exactdp.privacy.amplification.positive_part import Mixture, mixture_of
from exactdp.privacy.amplification.score_event import coarse_scores, law_of_scores, repeated_scores, sum_of_scores

_MOST_ENTRIES: Final = 2**18
"""Larger tables are not read: a second."""

_MOST_SLOTS: Final = 1000
"""Longer bundles are not read: their probabilities are products of as many factors."""

BundleLaw: TypeAlias = Mapping[tuple[int, ...], Fraction]
"""Sorted messages of a bundle -> its probability."""


@dataclass(frozen=True, slots=True)
class Dummies:
    """One message of a law that depends on the input, and slots for dummies; messages are places in the alphabet."""

    own: tuple[tuple[Fraction, ...], ...]
    """The law of the one message, for each input."""
    chances: tuple[Fraction, ...]
    """How likely a slot holds each message as a dummy; with the rest of the probability it is empty."""
    slots: int
    """Slots of a user."""

    @classmethod
    def of(cls, randomizer: Randomizer) -> Dummies | None:
        """Return what a table is made of; None if it is not of this form.

        >>> hidden = {(x,): "1/2" for x in "ab"}
        >>> table = {x: {(x, y): "1/2" for y in "ab"} for x in "ab"}
        >>> read = Dummies.of(Randomizer(table))
        >>> read.slots, [str(chance) for chance in read.chances], [list(map(int, row)) for row in read.own]
        (1, ['1/2', '1/2'], [[1, 0], [0, 1]])
        >>> Dummies.of(Randomizer({x: hidden for x in "ab"})) is None
        True

        Cost: O(entries times the messages of a bundle); 0.2 s for 65,536 entries.
        """
        lengths = {len(send) for row in randomizer.rows for send, _ in row}
        entries = sum(map(len, randomizer.rows))
        if min(lengths) < 1 or not 2 <= max(lengths) <= _MOST_SLOTS + 1 or entries > _MOST_ENTRIES:
            return None
        size, slots = len(randomizer.alphabet), max(lengths) - 1
        laws = [_bundle_law(row) for row in randomizer.rows]
        means = [_means(law, size) for law in laws]
        different = next((place for place, (one, next_) in enumerate(pairwise(means)) if one != next_), None)
        if different is None:
            return None
        dummies = _mean_dummies(laws[different], laws[different + 1], means[different], means[different + 1])
        own = tuple(tuple(m - d for m, d in zip(mean, dummies, strict=True)) for mean in means)
        read = cls(own, tuple(mean / slots for mean in dummies), slots)
        return read if read._is_a_law() and read._explains(laws) else None

    @property
    def filled(self) -> Fraction:
        """How likely a slot holds a dummy."""
        return sum(self.chances, Fraction(0))

    def _is_a_law(self) -> bool:
        rows = (*self.own, self.chances)
        return all(p >= 0 for row in rows for p in row) and all(sum(row) == 1 for row in self.own) and self.filled <= 1

    def _explains(self, laws: list[BundleLaw]) -> bool:
        """Whether all probabilities are those of this form. They sum to 1, as those listed do: none is missing."""
        parts: dict[tuple[int, ...], dict[int, Fraction]] = {}
        for law, own in zip(laws, self.own, strict=True):
            for bundle, chance in law.items():
                if bundle not in parts:
                    parts[bundle] = {m: self._dummies_chance(bundle, m) for m in set(bundle)}
                if sum((own[m] * p for m, p in parts[bundle].items() if own[m]), Fraction(0)) != chance:
                    return False
        return True

    def _dummies_chance(self, bundle: tuple[int, ...], own: int) -> Fraction:
        """Return how likely the dummies are what a bundle holds beside one message."""
        counts = {m: bundle.count(m) - (m == own) for m in set(bundle)}
        empty = self.slots + 1 - len(bundle)
        orders = factorial(self.slots) // (factorial(empty) * prod(map(factorial, counts.values())))
        return orders * (1 - self.filled) ** empty * prod((self.chances[m] ** c for m, c in counts.items()), start=1)


def _bundle_law(row: Row) -> BundleLaw:
    law: dict[tuple[int, ...], Fraction] = {}
    for send, p in row:
        bundle = tuple(sorted(send))
        law[bundle] = law.get(bundle, Fraction(0)) + p
    return law


def _means(law: BundleLaw, size: int) -> list[Fraction]:
    """Return the mean number of each message in a bundle."""
    means = [Fraction(0)] * size
    for bundle, p in law.items():
        for message in bundle:
            means[message] += p
    return means


def _mean_dummies(first: BundleLaw, second: BundleLaw, means: list[Fraction], others: list[Fraction]) -> list[Fraction]:
    """Return the mean number of dummies of each kind, as the second derivatives of the difference tell it."""
    changes = [one - other for one, other in zip(means, others, strict=True)]
    pivot = next(m for m, change in enumerate(changes) if change)
    derivatives = [Fraction(0)] * len(means)
    for law, sign in ((first, 1), (second, -1)):
        for bundle, p in law.items():
            if times := bundle.count(pivot):
                for message in set(bundle):
                    derivatives[message] += sign * p * times * (bundle.count(message) - (message == pivot))
    base = derivatives[pivot] / (2 * changes[pivot])
    dummies = [(d - t * base) / changes[pivot] for d, t in zip(derivatives, changes, strict=True)]
    dummies[pivot] = base
    return dummies


_LISTED: Final = 16
"""With no more other users all numbers of dummies among their own messages are taken one by one."""

_STEPS: Final = (-10, -6, -4, -3, -2, -1, 0, 1)
"""Where the steps begin, in deviations from the mean: each costs one enclosure. Half a deviation is lost, and below the
first one only the slots count, with a probability of about 1e-23."""

_STEP_BITS: Final = 10
"""Accuracy of the terms: far finer than the steps. It is one for all questions, so that the bound is one number."""

_CHANCE_BITS: Final = 128
"""Accuracy of tails of B, of which the least have some 80 bits."""


@dataclass(frozen=True, slots=True)
class Hidden(MadeBound):
    """What bounds the divergence of one message among dummies; with ``share`` 0 and fixed messages it is that."""

    mixture: Mixture
    """The divergence as a function of the number of slots: its atoms have the probabilities v."""
    slots: int
    """k."""
    share: Fraction
    """g: how likely another user's own message is a dummy as well; 1 where it is one more slot."""

    def divergence(self, users: int, exp_eps: Real, *, relative_bits: int) -> Interval:
        """Enclose the bound with n = ``users``, to a relative width of 2**-relative_bits."""
        copies = self._least(users)
        if not self.share and (moved := MovedMessage.of(self.mixture)) is not None:
            with suppress(TooLargeError):
                return moved.divergence(copies - 1, exp_eps, relative_bits=relative_bits)
        if self.share in (0, 1):
            return self.mixture.divergence(copies, exp_eps, relative_bits=relative_bits)
        total = Fraction(0)
        for more, chance in self._steps(users - 1):
            value = self.mixture.divergence(copies + more, exp_eps, relative_bits=_STEP_BITS)
            total += chance * value.hi
        return Interval.around(total, relative_bits=relative_bits)

    def bound(self, users: int, exp_eps: Real) -> Interval:
        """Return an interval whose upper end the bound does not exceed, fast."""
        return self.mixture.bound(self._least(users), exp_eps)

    def limit(self, users: int) -> Fraction:
        """Return the divergence at infinite E, or a smaller number."""
        return self.mixture.limit(self._least(users))

    def exceeds_limit(self, users: int) -> bool:
        """Whether ``limit`` is a smaller number."""
        return self.mixture.exceeds_limit(self._least(users))

    def settled(self, users: int) -> Fraction:
        """Return an E from which on the divergence is at most ``limit``, if that is not a smaller number."""
        more = users - 1 if 0 < self.share < 1 else 0
        return self.mixture.settled(self._least(users) + more)

    def limit_enclosed(self, users: int, relative_bits: int) -> Interval:
        """Enclose the bound at infinite E of the slots alone."""
        return self.mixture.limit_enclosed(self._least(users), relative_bits)

    @property
    def limit_at_most(self) -> Fraction:
        """A number that the bound at infinite E does not exceed for any n."""
        return self.mixture.limit_at_most

    def log_size(self, users: int, exp_eps: float) -> float:
        """Return about the logarithm of the bound."""
        middle = 0 if self.share == 1 else int(self.share * (users - 1))
        return log_divergence(self.mixture, self._least(users) + middle, exp_eps)

    def _least(self, users: int) -> int:
        """Return how many copies there are at least."""
        return users * self.slots + 1 + (users - 1 if self.share == 1 else 0)

    def _steps(self, others: int) -> list[tuple[int, Fraction]]:
        """Return places of B, each with at least the probability of lying between it and the next one."""
        law = Binomial(others, self.share)
        if others <= _LISTED:
            return [(b, law.exact_pmf(b)) for b in range(others + 1)]
        mean, deviation = int(law.mean), isqrt(int(law.variance)) + 1
        places = [0, *(b for step in _STEPS if 0 < (b := mean + step * deviation) <= others)]
        below = [law.cdf(place - 1, relative_bits=_CHANCE_BITS) for place in places[1:]]
        least = [Fraction(0), *(cdf.lo for cdf in below)]
        most = [*(cdf.hi for cdf in below), Fraction(1)]
        return [(place, high - low) for place, low, high in zip(places, least, most, strict=True)]


_MOST_COMPARED: Final = 2**16
"""Most ordered pairs times messages that are bounded one by one; a second."""

_MOST_TRIED: Final = 2**12
"""So many pairs with an input of the others, times messages, are compared by floats: a tenth of a second."""

_CANDIDATES: Final = 6
"""So many of them are enclosed: an event with dummies has a hundred scores."""

_FAMILY_BITS: Final = 64
"""The member of a family with an irrational e^eps0 lies so many bits beside it."""

_NOISE: Final = "exact: dummies whose law does not depend on the data"
_AMONG: Final = "the blanket of all dummies (BalleBellGasconNissim2019, Theorem 5.1)"


class _Class(NamedTuple):
    """Single messages that are told apart by nothing: probabilities of the class."""

    first: Fraction
    second: Fraction
    dummy: Fraction
    """v: how likely a slot holds one of them."""
    other: Fraction
    """As own message of another user."""


class DummyPairs(InputPairs):
    """Pairs beside which dummies are drawn by one law: exact where the own message is a function of the input."""

    @property
    def reaches_local_epsilon(self) -> bool:
        """Whether delta is known to be above 0 below it: if the own message is a function of the input."""
        return self.is_exact

    @property
    def theorem(self) -> str:
        """What proves the upper end."""
        return _NOISE if self.is_exact else _AMONG

    @property
    def closed_theorem(self) -> str:
        """What proves that the ends are equal."""
        return _NOISE


@dataclass(frozen=True)
class TableDummies(DummyPairs):
    """Of a table that is read as a message and dummies."""

    randomizer: Randomizer
    dummies: Dummies

    @classmethod
    def of(cls, randomizer: Randomizer) -> InputPairs:
        """Return the pairs of a table: by single messages if it is of this form and has not too many pairs."""
        dummies = Dummies.of(randomizer)
        pairs = None if dummies is None else cls(randomizer, dummies)
        return pairs if pairs is not None and pairs._is_small else TablePairs(randomizer)

    @property
    def _is_small(self) -> bool:
        return self.is_exact or len(self._distinct) ** 2 * len(self.dummies.chances) <= _MOST_COMPARED

    @property
    def labels(self) -> tuple[Any, ...]:
        """All inputs."""
        return self.randomizer.inputs

    @property
    def local_epsilons(self) -> tuple[LogRational, LogRational]:
        """Two numbers with the local eps of the bundle between them."""
        eps = self.randomizer.local_epsilon()
        return (eps if self.is_exact else LogRational(1)), eps

    @cached_property
    def is_exact(self) -> bool:
        """Whether the own message is a function of the input."""
        return all(1 in row for row in self.dummies.own)

    @cached_property
    def _distinct(self) -> list[int]:
        """The first input of each group with equal rows."""
        places: dict[tuple[Fraction, ...], int] = {}
        for place, row in enumerate(self.dummies.own):
            places.setdefault(row, place)
        return list(places.values())

    @cached_property
    def _pairs(self) -> list[tuple[int, int]]:
        """The ordered pairs that may be the worst."""
        inputs = self._distinct
        if self.is_exact:
            own, chances = self.dummies.own, self.dummies.chances
            inputs = sorted(inputs, key=lambda place: chances[own[place].index(Fraction(1))])[:2]
        return list(permutations(inputs, 2))

    @cached_property
    def _share(self) -> Fraction:
        """How likely another user's own message may be taken for a dummy, or for one more slot: 1."""
        chances = self.dummies.chances
        least = list(map(min, zip(*self.dummies.own, strict=True)))
        share = min(Fraction(p) / v for p, v in zip(least, chances, strict=True) if v)
        return min(share, Fraction(1)) if self.dummies.filled == 1 else Fraction(int(share >= 1))

    @cached_property
    def _hidden(self) -> dict[tuple[int, int], Hidden]:
        share = Fraction(0) if self.is_exact else self._share
        return {pair: _hidden(self._classes(*pair), self.dummies.slots, share) for pair in self._pairs}

    @property
    def blankets(self) -> tuple[Hidden, ...]:
        """What bounds the divergence of each ordered pair, or is it."""
        return tuple(dict.fromkeys(self._hidden.values()))

    def candidates(self, users: int, size: int) -> Sequence[Candidate]:
        """Return the pairs themselves, or events for those that floats like best."""
        if self.is_exact:
            return [
                _attained(self.labels[i], self.labels[j], self.labels[i], hidden, self._hidden[j, i])
                for (i, j), hidden in self._hidden.items()
            ]
        bounded = {hidden: pair for pair, hidden in self._hidden.items()}
        largest = sorted(bounded, key=lambda hidden: hidden.log_size(users, of_size(size)), reverse=True)
        others = [(*bounded[hidden], v) for hidden in largest for v in self._distinct]
        triples = others[: _MOST_TRIED // len(self.dummies.chances) + 1]
        slots = self.dummies.slots
        tried = {(i, j, v): self._classes(i, j, v) for i, j, v in triples}
        best = nlargest(_CANDIDATES, tried, lambda triple: _log_size(tried[triple], slots, users, size))
        scored = (
            _scored([self.labels[place] for place in triple], tried[triple], slots, self.dummies.filled)
            for triple in best
        )
        return list({(one.bundles, one.scored): one for one in scored}.values())

    def _classes(self, first: int, second: int, other: int = 0) -> list[_Class]:
        rows = (*(self.dummies.own[place] for place in (first, second)), self.dummies.chances, self.dummies.own[other])
        return [_Class(*column) for column in zip(*rows, strict=True)]


@dataclass(frozen=True)
class FamilyDummies(DummyPairs):
    """Of a family: a few pairs stand for all."""

    family: DummyFamily

    @property
    def labels(self) -> tuple[Any, ...]:
        """The inputs that are named."""
        return tuple(range(min(3, self.family.d)))

    @property
    def local_epsilons(self) -> tuple[LogRational, LogRational]:
        """Two numbers with the local eps of the bundle between them."""
        eps = self._above.local_epsilon()
        assert isinstance(eps, LogRational)
        return (eps if self.is_exact else LogRational(1)), eps

    @property
    def is_exact(self) -> bool:
        """Whether the own message is the input."""
        return self._above.lie == 0

    @cached_property
    def _above(self) -> DummyFamily:
        """The family, or where e^eps0 is irrational a member above it."""
        return self.family.at_least(_FAMILY_BITS)

    @cached_property
    def blankets(self) -> tuple[Hidden, ...]:
        """What bounds the divergence of each ordered pair, or is it."""
        classes = _family_classes(self._above, self.labels)
        return (_hidden(classes, self.family.dummies, self.family.d * self._above.lie),)

    def candidates(self, users: int, size: int) -> Sequence[Candidate]:
        """Return the pair itself, or an event for each input that the others may hold."""
        if self.is_exact:
            return [_attained(0, 1, 0, self.blankets[0], self.blankets[0])]
        below = self.family.at_most(_FAMILY_BITS)
        slots = self.family.dummies
        return [
            _scored((0, 1, other), _family_classes(below, self.labels, other), slots, Fraction(1))
            for other in self.labels
        ]


def _family_classes(family: DummyFamily, labels: Sequence[int], other: int = 0) -> list[_Class]:
    return [_Class(own[0], own[1], dummy, own[other]) for own, dummy in family.own_classes(labels)]


def _hidden(classes: Iterable[_Class], slots: int, share: Fraction) -> Hidden:
    rows = [(one.first, one.second, one.dummy) for one in classes]
    merged = PairTable.merged(None, None, (), rows)
    return Hidden(mixture_of((c.first, c.second, c.least) for c in merged.classes), slots, share)


@dataclass(frozen=True, slots=True)
class HiddenCandidate(Candidate):
    """A pair whose divergence is the bound, beside others who hold one input: any would do."""

    backward: Hidden
    """The divergence in the other order."""

    def swapped(self) -> HiddenCandidate:
        """Return the candidate with the two inputs of the user who differs exchanged."""
        assert isinstance(self.mixture, Hidden)
        return HiddenCandidate(self.table.swapped(), self.weights, self.backward, self.mixture)


def _attained(first: Any, second: Any, other: Any, hidden: Hidden, backward: Hidden) -> HiddenCandidate:
    return HiddenCandidate(PairTable(first, second, (other,), ()), (Fraction(1),), hidden, backward)


def _log_size(classes: Iterable[_Class], slots: int, users: int, size: int) -> float:
    """Return about the logarithm of the divergence if all messages of the others had one law."""
    rows = [(one.first, one.second, (one.other + slots * one.dummy) / (slots + 1)) for one in classes]
    return log_divergence(mixture_of(rows), users * (slots + 1), of_size(size))


def _scored(labels: Sequence[Any], classes: Sequence[_Class], slots: int, filled: Fraction) -> ScoredCandidate:
    """Return events of message scores for a pair, and others who hold one input: labels of the three."""
    first, second, other = labels
    means = {
        m: (one.first + slots * one.dummy, one.second + slots * one.dummy, one.other + slots * one.dummy)
        for m, one in enumerate(classes)
    }
    scores = coarse_scores(message_scores(means), slots + 1)
    of_slot = law_of_scores([(0, 1 - filled), *((scores[m], one.dummy) for m, one in enumerate(classes))])
    of_dummies = repeated_scores(of_slot, slots)
    laws = [
        sum_of_scores(law_of_scores((scores[m], row[place]) for m, row in enumerate(classes)), of_dummies)
        for place in (0, 1, 3)
    ]
    both = tuple((s, laws[0].get(s, Fraction(0)), laws[1].get(s, Fraction(0))) for s in sorted({*laws[0], *laws[1]}))
    named = PairTable(first, second, (other,), ())
    return ScoredCandidate(named, (Fraction(1),), _hidden(classes, slots, Fraction(0)), both, tuple(laws[2].items()))
