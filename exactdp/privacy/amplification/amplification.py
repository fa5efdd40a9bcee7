"""Any randomizer with one bundle of messages a user, at any n: delta between two proved ends.

For a pair of inputs with the laws P and Q of the bundle, and E = e^eps, write mu = P - E Q; R_v is the law of another
user with the input v, and U_n(L) = E[max(0, L_1 + ... + L_n)]/n for independent copies.

Upper end. Let c(m) be at most R_v(m) for all v. For every data set of the other n - 1 users,

    H_E <= sum over c(m) = 0 of max(0, mu(m)) + U_n(L),      L = mu(m)/c(m) with probability c(m), else 0.

*Proof.* Each other user draws from c/gamma with probability gamma, the sum of c, else from what is left of his row;
publish who did, and all bundles of the latter. Given b users of the first kind the rest of the view is a random order
of b draws of omega = c/gamma and the bundle of the user who differs. Relative to b + 1 draws of omega the density of
P - E Q is (1/(b+1)) times the sum of mu/omega over them, where omega > 0, so the divergence there is the mean of its
positive part; bundles with c = 0 give the user away and are outcomes of their own. b is Bin(n-1, gamma), and
C(n-1, b)/(b+1) = C(n, b+1)/n turns the mean over b into (1/(gamma n)) E[max(0, sum of Bin(n, gamma) copies)]; gamma
goes into L. What is published is only more than the view.

Lower end. If all others hold v, the same computation with c = R_v publishes nothing beyond the view of bundles, and
holds with equality. So it is the exact divergence of one pair of data sets where a bundle is one message. If the
others' inputs are drawn from weights w, both views are mixtures over data sets with the row R_w = sum of w_v R_v, and
the divergence is jointly convex: the formula with R_w is at most the divergence of *some* pair of data sets.

Closed bracket. For k-ary randomized response with k >= 3 (q the probability of a wrong message, E0 q that of the right
one), t(a, b) = a (E0 - E) - b (E E0 - 1): if there are no integers a, b >= 0 with 0 < t < (E - 1)(n - a - b), the sign
of the sum depends only on how often the two inputs' own messages occur, whose joint law is the same under the blanket
and if all others hold a third input; and the sums have the same mean given these numbers. Then both ends are equal.

The blanket is theirs; the form used here is proved above. Accepted by the kernel: the upper end for any bundles
(blanket.blanket_bound), the lower ends for one message (homogeneous.homogeneous_exact, random_others.random_others).

Swap bound. Outside k-ary response the blanket may be some 10 to 40 % too much in eps, at every n. The upper end of a
pair is the smaller of it and of the swap bound (:mod:`exactdp.privacy.amplification.swap_bound`), which at e^eps0 = 7
is within 0.5 % of the lower end at a thousand users and within 0.05 % from 10^4 on; a larger eps0 takes more users.
Certificates state both, but for every eps0-DP randomizer no blanket: ``as_stated``.

Source: BalleBellGasconNissim2019, Lemma 5.3 and Theorem 5.1.

The closing condition, decided (:func:`k_ary_bracket_closes`): the bracket is closed if no integers a, b >= 0 have
0 < t < (E - 1)(n - a - b). The bound falls and t rises with a, so for each b only the least a with t > 0 matters. That
least t depends on b through a residue: with E0 - E = u g and E E0 - 1 = w g, g their greatest common divisor, it is
repeated after u values of b, and the bound falls with b, so that the first u values decide.

Accepted by the kernel: this program (closing_program.k_ary_closing_correct); both ends are then equal, and only then
(closing_exactly.k_ary_closes_exactly), and no data set is worse than those whose other users all hold a third input
(k_ary_worst.k_ary_worst).

Pairs of data sets whose other users all hold one input, as curves (:class:`HomogeneousPair`): where a bundle is one
message, the divergence of such a pair is enclosed at every E, in both orders. Where users send several messages it is
not: then the probabilities of events are, that a sum of message scores reaches a threshold
(:mod:`exactdp.privacy.amplification.score_event`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import permutations
from math import gcd
from operator import itemgetter
from typing import ClassVar, Final, TypeVar

from exactdp.caching import bounded_cache
from exactdp.errors import TooLargeError, UndecidedError
from exactdp.evidence.theorems import relies_on
from exactdp.mechanisms.dataset import labelled, write_dataset
from exactdp.mechanisms.pair_table import PairTable
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.bounds_of_pairs import MadeBound, Majorant, log_size
from exactdp.privacy.amplification.bracket_inverse import Limit, TwoEnded, exp_eps_range_of_ends
from exactdp.privacy.amplification.guesses import binary_size, of_size
from exactdp.privacy.amplification.input_pairs import Candidate, InputPairs
from exactdp.privacy.amplification.positive_part import blanket_mixture
from exactdp.privacy.amplification.score_event import ScoreEvent
from exactdp.privacy.amplification.swap_bound import PairBound
from exactdp.privacy.engine import ANSWERS_KEPT, BYTES_KEPT, Bound, DataSet, ExpEpsRange, Level

_MOST_STEPS: Final = 10**5
"""More values of b are not looked through: the bracket is then not known to be closed."""


@relies_on("closing_program.k_ary_closing_correct", "closing_exactly.k_ary_closes_exactly", "k_ary_worst.k_ary_worst")
def k_ary_bracket_closes(exp_eps0: Fraction, exp_eps: Fraction, users: int) -> bool:
    """Whether the bracket of k-ary response, k >= 3, at e^eps > 1 is known to be closed, for e^eps0 > e^eps.

    >>> k_ary_bracket_closes(Fraction(7), Fraction(2), 5), k_ary_bracket_closes(Fraction(3), Fraction(2), 6)
    (True, False)
    """
    if not 1 < exp_eps < exp_eps0:
        return False
    common = exp_eps.denominator**2 * exp_eps0.denominator**2
    rise, fall, width = (int(v * common) for v in (exp_eps0 - exp_eps, exp_eps * exp_eps0 - 1, exp_eps - 1))
    divisor = gcd(rise, fall)
    repeated = rise // divisor
    for b in range(min(users, repeated) + 1):
        if b == _MOST_STEPS:
            return False
        a = b * fall // rise + 1
        if a + b > users:
            break
        if a * rise - b * fall < width * (users - a - b):
            return False
    return True


def k_ary_exp_eps0(table: PairTable) -> Fraction | None:
    """Return e^eps0 if the classes of a pair are those of k-ary response, k >= 3, with a third input; else None."""
    telling = [c for c in table.classes if c.first != c.second]
    rest = [c for c in table.classes if c.first == c.second]
    if len(telling) != 2 or (telling[0].first, telling[0].second) != (telling[1].second, telling[1].first):
        return None
    right, wrong = max(telling[0].first, telling[1].first), min(telling[0].first, telling[1].first)
    if not wrong or any(c.least != min(c.first, c.second) for c in table.classes):
        return None
    masses = sum((c.first for c in rest), Fraction(0))
    for place in range(len(table.others)):
        own = [c for c in rest if c.others[place] != c.least]
        is_third = all(c.others[place] == wrong for c in telling)
        if is_third and [(c.least, c.others[place]) for c in own] == [(wrong, right)] and masses % wrong == 0:
            return right / wrong
    return None


Choice = TypeVar("Choice")

_MOST_USERS: Final = 10**300
"""What chooses is a float."""

_USUAL_BITS: Final = 20
"""A relative width of 10^-6: each bit more costs more, and the ends differ by more."""

CURVE_BITS: Final = 16
"""Accuracy of the points of a curve, which the runs composed add up."""

_COARSE_BITS: Final = 6
"""Accuracy at which pairs are compared before the best are enclosed: a few milliseconds each."""

_FEW_USERS: Final = 2**12
"""Up to so many users the others' inputs are also drawn at random: beyond, the worst data set is nearly homogeneous."""

_MIXED_WITH: Final = 4
"""So many other inputs are tried beside the best one."""

_CANDIDATES_KEPT: Final = 256
"""Choices that are kept: an eps asks for some dozen."""

_DIVERGENCES_KEPT: Final = 64
"""Enclosures that are kept: one bracket asks for a few, some of them twice."""

_FIRST: Final = Fraction(1)
"""The least E that is asked for, and the largest delta."""

_ONE: Final = Dyadic.of(1)
_UNKNOWN: Final = Interval(_ONE, _ONE)
"""Stands for what has not been enclosed: a lower end of 0 is known, or as much as can be known."""

_FAR: Final = Real(2**64)
"""An E near infinity, for a guess."""

_HUGE: Final = 64
"""ld(E - 1) of an E beyond which only infinite ratios matter to a float that chooses."""

_NOTHING: Final = "the ratios of the probabilities of one user, none of which is above e^eps"

_LARGEST_STEP: Final = Fraction(1, 4)
"""Weight that moves at first from one input of the others to another: interior winners lie well inside."""

_SMALLEST_STEP: Final = Fraction(1, 16)
"""Weights of the others' inputs are multiples of it: between these the divergence hardly changes."""


@dataclass(frozen=True)
class Amplification(TwoEnded):
    """Both ends of delta over all neighbouring data sets of ``users`` users."""

    pairs: InputPairs
    users: int
    as_stated: bool = False
    """Whether upper ends are those that certificates state."""
    by_blankets: bool = False
    """Whether they are those by blankets alone."""

    distance: ClassVar[Fraction] = Fraction(0)
    """What a view may be off in total variation."""

    name: ClassVar[str] = "amplification"
    method = (
        "bounds every pair of inputs from above by a blanket, the part of a message that tells nothing of its input, "
        "or by swapping messages where that is less, and from below by data sets whose other users all hold one input"
    )
    usual_bits = _USUAL_BITS

    def __post_init__(self) -> None:
        if self.users > _MOST_USERS:
            raise TooLargeError(
                f"{self.name}: n={short(self.users)} is more than the limit of 10^300. Use fewer users."
            )

    @property
    def is_tight(self) -> bool:
        """Whether the two ends are one number for all pairs and every E."""
        return self.pairs.is_exact

    @property
    def theorem(self) -> str:
        """What proves the upper end of every pair, at every E."""
        return self.pairs.theorem if self.by_blankets else self.pairs.theorems

    @property
    def refusal(self) -> str:
        """Why exact masses are out of reach, and what to ask for."""
        return (
            f"exact masses of n={self.users} users are out of reach: delta is known between two proved ends. "
            "Ask for delta, epsilon and bracket."
        )

    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> Bound[Interval]:
        """Return both ends, each enclosed to a relative width of 2**-relative_bits; None stands for infinity."""
        return _kept_bracket(self, exp_eps, relative_bits)

    def upper(self, exp_eps: Real, relative_bits: int) -> Interval:
        """Enclose the upper end alone: where both ends are equal, the bracket knows it from two sides."""
        return self.upper_end(exp_eps, relative_bits)[0]

    def lower(self, exp_eps: Real, relative_bits: int) -> Interval:
        """Enclose the lower end alone; where other data sets come in, those are tried unless the ends are equal."""
        end, best = self.lower_end(exp_eps, relative_bits)
        return self.bracket(exp_eps, relative_bits).lower if self._may_mix(best) else end

    def leading_upper(self, exp_eps: Real, relative_bits: int) -> Interval | None:
        """Enclose the bound of one pair alone where pairs are very many: the upper end is at least that."""
        choose = self.pairs.leading if self.by_blankets else self.pairs.leading_bound
        leading = choose(self.users, exp_eps)
        if leading is None:
            return None
        return enclosed_divergence(self._stated(leading), self.users, exp_eps, relative_bits)

    def upper_bound(self, exp_eps: Fraction, relative_bits: int) -> Dyadic:
        """Return a number at least delta: the upper end, to at most 2^-16, which many points ask for."""
        end, _ = self.upper_end(Real(exp_eps), min(relative_bits, CURVE_BITS))
        return end.upper

    def rough_upper_bound(self, exp_eps: Fraction) -> Dyadic:
        """Return a number at least delta, some times as large, in a millisecond at every E."""
        bounds = (one.bound(self.users, Real(exp_eps)).upper for one in self._bounds_at(Real(exp_eps)))
        return min(_ONE, max(bounds))

    @relies_on("blanket.blanket_bound", "widest_pair.widest_pair_dp")
    def upper_end(self, exp_eps: Real, relative_bits: int) -> tuple[Interval, list[Majorant]]:
        """Enclose the largest bound over all pairs, and return what may attain it."""
        return largest_bound(self._bounds_at(exp_eps), self.users, exp_eps, relative_bits)

    def _bounds_at(self, exp_eps: Real) -> tuple[Majorant, ...]:
        choose = self.pairs.blankets_at if self.by_blankets else self.pairs.bounds_at
        return tuple(map(self._stated, choose(self.users, exp_eps)))

    def _stated(self, bound: Majorant) -> Majorant:
        return bound.stated if self.as_stated and isinstance(bound, PairBound) else bound

    @relies_on("homogeneous.homogeneous_exact")
    def lower_end(self, exp_eps: Real, relative_bits: int) -> tuple[Interval, Candidate]:
        """Enclose the largest divergence of a homogeneous data set of the others, and return the data set."""
        candidates = self.pairs.nearest(_kept_candidates(self, binary_size(exp_eps)), self.users, exp_eps)

        def at_level(candidate: Candidate) -> Majorant | ScoreEvent:
            return candidate.at(self.users, exp_eps)

        end, best = _largest(candidates, at_level, self.users, exp_eps, relative_bits)
        return end, best[0]

    @relies_on("random_others.random_others")
    def mixed_end(self, best: Candidate, exp_eps: Real, relative_bits: int) -> tuple[Interval, Candidate] | None:
        """Enclose a divergence with inputs of the others drawn at random, if that is above their all holding one."""
        if not self._may_mix(best):
            return None
        mixed = self._heaviest(best, exp_eps)
        if mixed is best:
            return None
        return enclosed_divergence(mixed.mixture, self.users, exp_eps, relative_bits), mixed

    def _may_mix(self, best: Candidate) -> bool:
        """Whether data sets whose others hold several inputs are tried: among few users, of one randomizer."""
        return self.users <= _FEW_USERS and best.is_attained and self.pairs.is_one_randomizer

    def _heaviest(self, best: Candidate, exp_eps: Real) -> Candidate:
        """Move weight between inputs while a coarse lower end grows: all weights give valid ends, this chooses."""

        def coarse(one: Candidate) -> Dyadic:
            return enclosed_divergence(one.mixture, self.users, exp_eps, _COARSE_BITS).lower

        place = best.weights.index(1)
        places = [place, *(other for other in range(len(best.weights)) if other != place)][: _MIXED_WITH + 1]
        reached, step = coarse(best), _LARGEST_STEP
        while step >= _SMALLEST_STEP:
            moved = [_moved(best, *pair, step) for pair in permutations(places, 2) if best.weights[pair[0]] >= step]
            tried = [(coarse(one), one) for one in moved]
            value, one = max(tried, key=itemgetter(0), default=(reached, best))
            best, reached, step = (one, value, step) if value > reached else (best, reached, step / 4)
        return best

    def data_sets(self, candidate: Candidate) -> tuple[DataSet, DataSet]:
        """Return the pair of data sets of a candidate whose others hold one input."""
        both = []
        for own in (candidate.table.first, candidate.table.second):
            counts = dict.fromkeys(self.pairs.labels, 0)
            counts[candidate.inputs[0]] += self.users - 1
            counts[own] += 1
            both.append(tuple(counts.values()))
        return both[0], both[1]

    def exp_eps_range(self, target: Fraction, relative_bits: int | None = None) -> ExpEpsRange:
        """Return two numbers with e^eps at a target delta between them.

        At delta = 0 these are the local e^eps: a homogeneous data set has a positive divergence at every smaller E.
        """
        if target == 0:
            low, high = (None if eps.is_infinite else eps.argument for eps in self.pairs.local_epsilons)
            if self.pairs.reaches_local_epsilon:
                return ExpEpsRange(Fraction(1) if low is None else low, high)
            if high is None:
                raise UndecidedError(
                    "delta=0 is not proved at any eps, nor refuted at every one. Ask for a larger delta."
                )
            return ExpEpsRange(Fraction(1), high)
        return exp_eps_range_of_ends(self, self._limits(), target, relative_bits or self.usual_bits)

    def _limits(self) -> tuple[Limit, Limit]:
        """Return what the lower and the upper end are at infinite eps."""
        candidates = _kept_candidates(self, _HUGE)
        return self._limit([one.at(self.users, _FAR) for one in candidates]), self._limit(self.pairs.blankets)

    def _limit(self, mixtures: Sequence[Majorant | ScoreEvent]) -> Limit:
        """Return the largest limit at infinite eps."""
        limits = [min(mixture.limit(self.users), _FIRST) for mixture in mixtures]
        value = max(limits)
        best = [mixture for mixture, limit in zip(mixtures, limits, strict=True) if limit == value]
        others = [mixture for mixture, limit in zip(mixtures, limits, strict=True) if limit < value]

        def largest(exp_eps: Real, relative_bits: int) -> Interval:
            return _largest(others, lambda mixture: mixture, self.users, exp_eps, relative_bits)[0]

        return Limit(
            value,
            is_more=any(mixture.exceeds_limit(self.users) for mixture in best),
            settled=lambda: max(_FIRST, *(mixture.settled(self.users) for mixture in best)),
            others=largest if others else None,
        )

    def in_words(self, candidate: Candidate) -> str:
        """Say which pair of data sets a candidate is, and what is seen of it if that is not all."""
        sides = (labelled(side, self.pairs.labels) for side in self.data_sets(candidate))
        words = "the data sets {} and {}".format(*map(write_dataset, sides))
        if not self.pairs.is_one_randomizer:
            of = f"{words} of randomized-response:inputs={len(candidate.table.others)} with this eps0"
            return f"{of}, {candidate.way}" if candidate.way else of
        return words if candidate.is_attained else f"{words}, {candidate.way}"

    def homogeneous(self, candidate: Candidate) -> HomogeneousPair:
        """Return the pair of data sets of a candidate, as its curve."""
        return HomogeneousPair(self, candidate)

    def closes(self, exp_eps: Real, attained: Sequence[Majorant], best: Candidate) -> bool:
        """Whether the bound that is attained is known to be the divergence of data sets."""
        blankets = [one.blanket if isinstance(one, PairBound) else one for one in attained]
        if self.pairs.is_exact or (best.is_attained and blankets == [best.mixture]):
            return True
        exp_eps0 = k_ary_exp_eps0(best.table)
        if exp_eps0 is None or blankets != [blanket_mixture(best.table)] or not exp_eps.is_rational:
            return False
        return k_ary_bracket_closes(exp_eps0, exp_eps.coefficient, self.users)


def largest_bound(
    bounds: Sequence[Majorant], users: int, exp_eps: Real, relative_bits: int
) -> tuple[Interval, list[Majorant]]:
    """Enclose the largest of some bounds, at most 1, and return what may attain it."""
    level = of_size(binary_size(exp_eps))
    bounds = sorted(bounds, key=lambda one: -log_size(one, users, level))
    if len(bounds) > 1:
        least = enclosed_divergence(bounds[0], users, exp_eps, _COARSE_BITS).lower
        bounds = [bounds[0], *(one for one in bounds[1:] if one.bound(users, exp_eps).upper >= least)]
    end, attained = _largest(bounds, lambda bound: bound, users, exp_eps, relative_bits)
    return Interval(min(end.lower, _ONE), min(end.upper, _ONE)), attained


def _largest(
    candidates: Sequence[Choice],
    mixture: Callable[[Choice], Majorant | ScoreEvent],
    users: int,
    exp_eps: Real,
    relative_bits: int,
) -> tuple[Interval, list[Choice]]:
    """Enclose the largest divergence, of those that may be the largest after a coarse look; and return these."""
    enclosed = [(_UNKNOWN, one) for one in candidates]
    looks = {min(_COARSE_BITS, relative_bits), relative_bits} if len(candidates) > 1 else {relative_bits}
    for bits in sorted(looks):
        enclosed = [
            (_narrowed(interval, mixture(one), users, exp_eps, bits) if interval.lower.mantissa else interval, one)
            for interval, one in enclosed
        ]
        least = max(interval.lower for interval, _ in enclosed)
        enclosed = [(interval, one) for interval, one in enclosed if interval.upper >= least]
    enclosed.sort(key=lambda pair: pair[0].lower, reverse=True)
    return Interval(least, max(interval.upper for interval, _ in enclosed)), [one for _, one in enclosed]


@lru_cache(maxsize=_DIVERGENCES_KEPT)
def enclosed_divergence(mixture: Majorant | ScoreEvent, users: int, exp_eps: Real, relative_bits: int) -> Interval:
    """Enclose a divergence to a relative width, or where that takes minutes between 0 and what it does not exceed.

    The latest are kept: both ends may rest on one of them.
    """
    try:
        return mixture.divergence(users, exp_eps, relative_bits=relative_bits)
    except TooLargeError:
        return Interval(Dyadic.of(0), min(_ONE, mixture.bound(users, exp_eps).upper))


def _narrowed(
    known: Interval, mixture: Majorant | ScoreEvent, users: int, exp_eps: Real, relative_bits: int
) -> Interval:
    """Enclose a divergence to a relative width, or where that takes minutes no wider than it is known."""
    interval = enclosed_divergence(mixture, users, exp_eps, relative_bits)
    return interval if known is _UNKNOWN or interval.lower.mantissa else known


def _moved(candidate: Candidate, giver: int, taker: int, step: Fraction) -> Candidate:
    """Return the candidate with so much weight moved from one input of the others to another."""
    weights = list(candidate.weights)
    weights[giver] -= step
    weights[taker] += step
    return Candidate.of(candidate.table, tuple(weights))


def _first(pair: tuple[Fraction, Candidate]) -> Fraction:
    return pair[0]


def _bracket_bytes(bracket: Bound[Interval]) -> int:
    return sum(map(len, bracket.pair)) * 8 + 256


@bounded_cache(size=_bracket_bytes, entries=ANSWERS_KEPT, limit=BYTES_KEPT)
def _kept_bracket(engine: Amplification, exp_eps: Real | None, relative_bits: int) -> Bound[Interval]:
    if exp_eps is None:
        return _limit(engine, relative_bits)
    upper, attained = engine.upper_end(exp_eps, relative_bits)
    pair_delta, best = engine.lower_end(exp_eps, relative_bits)
    plain = best.is_attained and engine.pairs.is_one_randomizer
    among = "" if plain else engine.in_words(best)
    lower, closed = pair_delta, upper.upper.compare(0) <= 0 or engine.closes(exp_eps, attained, best)
    if closed:
        lower = upper = Interval(max(lower.lower, upper.lower), min(lower.upper, upper.upper))
    elif (mixed := engine.mixed_end(best, exp_eps, relative_bits)) is not None and mixed[0].lower > lower.lower:
        inputs = ", ".join(map(repr, mixed[1].inputs))
        among = f"some data set of n - 1 other users with inputs among {inputs}"
        lower = mixed[0]
    theorem = _reason(engine, upper, is_closed=closed)
    if not closed and isinstance(attained[0], MadeBound):
        theorem = attained[0].theorem(engine.users, exp_eps) or theorem
    return Bound(lower, upper, engine.data_sets(best), theorem, _level(is_closed=closed), pair_delta, among)


def _level(*, is_closed: bool) -> Level:
    return Level.ENCLOSED if is_closed else Level.TWO_ENDS


def _reason(engine: Amplification, upper: Interval, *, is_closed: bool) -> str:
    """Say what proves an upper end."""
    if upper.upper.compare(0) <= 0:
        return _NOTHING
    return engine.pairs.closed_theorem if is_closed else engine.pairs.theorem


def _limit(engine: Amplification, relative_bits: int) -> Bound[Interval]:
    """Return both ends at infinite E."""
    candidates = _kept_candidates(engine, _HUGE)
    if engine.pairs.is_exact:
        enclosed = [(one.mixture.limit_enclosed(engine.users, relative_bits), one) for one in candidates]
        delta, best = max(enclosed, key=lambda pair: pair[0].lower)
        return Bound(delta, delta, engine.data_sets(best), engine.pairs.closed_theorem, Level.ENCLOSED)
    upper = min(max(blanket.limit_at_most for blanket in engine.pairs.blankets), Fraction(1))
    lower, best = max(((one.at(engine.users, _FAR).limit(engine.users), one) for one in candidates), key=_first)
    low, high = (Interval.around(end, relative_bits=relative_bits) for end in (lower, upper))
    closed = lower == upper
    theorem = _reason(engine, high, is_closed=closed)
    return Bound(low, high, engine.data_sets(best), theorem, _level(is_closed=closed))


@lru_cache(maxsize=_CANDIDATES_KEPT)
def _kept_candidates(engine: Amplification, size: int) -> Sequence[Candidate]:
    """Return good candidates for an E of a ``binary_size``: the best change slowly."""
    return engine.pairs.candidates(engine.users, size)


"""Accuracy at which the best pair is chosen: a few milliseconds each."""

_KEPT: Final = 2**14
"""Points that are kept: a search for eps asks for some hundred again and again."""

_NO_LEVELS: Final = Real(0)
"""The E at which P(T) - E Q(T) is P(T)."""


@dataclass(frozen=True)
class HomogeneousPair:
    """Two inputs of one user beside others who all hold one input: an ordered pair of views."""

    engine: Amplification
    candidate: Candidate

    def reversed(self) -> HomogeneousPair:
        """Return the pair in the other order."""
        return self.engine.homogeneous(self.candidate.swapped())

    def beside(self, engine: Amplification) -> HomogeneousPair | None:
        """Return the pair beside as many other users of each randomizer as an engine says; None where it knows none."""
        candidate = self.candidate.beside(engine.pairs)
        return None if candidate is None else HomogeneousPair(engine, candidate)

    @property
    def has_divergences(self) -> bool:
        """Whether its divergence is enclosed at every E, and not only what events say of it."""
        return self.candidate.has_divergences

    @property
    def key(self) -> Majorant | tuple[object, ...]:
        """What pairs with equal divergences have in common."""
        return self.candidate.mixture if self.has_divergences else (self.candidate,)

    def divergence(self, exp_eps: Fraction, relative_bits: int) -> Interval:
        """Enclose the divergence at an E."""
        return _kept_divergence(self.candidate.mixture, self.engine.users, exp_eps, relative_bits)

    @property
    def limit(self) -> Fraction:
        """The divergence at infinite E, or a smaller number."""
        return self.candidate.mixture.limit(self.engine.users)

    def event(self, exp_eps: Fraction) -> tuple[Fraction, Fraction]:
        """Return a lower bound of P(T) and an upper bound of Q(T) for an event T that tells much at an E."""
        event = self.candidate.at(self.engine.users, Real(exp_eps))
        assert isinstance(event, ScoreEvent)
        first, second = _kept_masses(event, self.engine.users)
        away = self.engine.distance
        return max(Fraction(0), first - away), min(Fraction(1), second + away)

    @property
    def words(self) -> str:
        """The two data sets, and what is seen of them if that is not all."""
        return self.engine.in_words(self.candidate)


@lru_cache(maxsize=64)
def best_homogeneous(engines: tuple[Amplification, ...], exp_eps: Fraction) -> HomogeneousPair:
    """Return the pair of one of the engines with about the largest divergence at an E."""
    ends = [(*engine.lower_end(Real(exp_eps), _COARSE_BITS), engine) for engine in engines]
    _, candidate, engine = max(ends, key=lambda end: end[0].lower)
    return engine.homogeneous(candidate)


@lru_cache(maxsize=_KEPT)
def _kept_divergence(mixture: Majorant, users: int, exp_eps: Fraction, relative_bits: int) -> Interval:
    return enclosed_divergence(mixture, users, Real(exp_eps), relative_bits)


@lru_cache(maxsize=_KEPT)
def _kept_masses(event: ScoreEvent, users: int) -> tuple[Fraction, Fraction]:
    """A lower bound of P(T); an upper bound of Q(T), 1 where none is known: 0 stands for that."""
    first = event.divergence(users, _NO_LEVELS, relative_bits=CURVE_BITS).lo
    second = event.swapped().divergence(users, _NO_LEVELS, relative_bits=CURVE_BITS).hi
    return first, second if second > 0 else Fraction(1)
