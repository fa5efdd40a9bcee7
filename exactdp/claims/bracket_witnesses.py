"""Witnesses of what two proved ends of delta decide: a blanket or a swap proves, a test or an event refutes.

A witness holds a lattice: its step, the tilt or the threshold, the precision, and the length from which on it is made
coarser. The length is chosen by the distance between the claimed delta and the end: a lattice of length M changes an
end by a share of about 10^4/M^2. The prover evaluates the same bounds until they are on the right side
(:mod:`exactdp.privacy.amplification.lattice_bound`), and the checker is asked once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from heapq import nlargest
from math import gcd, isqrt, lcm
from typing import Final

from exactdp.caching import cached_property
from exactdp.checker.budget import MalformedCertificateError, Work
from exactdp.checker.neighboring_laws import FamilyView, View, read_view
from exactdp.checker.user_pairs import Composite
from exactdp.claims.claim_subjects import ShuffledView
from exactdp.claims.encoding import JsonObject, Table, write_integer, write_integers, write_rational
from exactdp.claims.exact_levels import level_ratio, level_terms
from exactdp.claims.randomizer_specs import Away, Family
from exactdp.claims.swap_witnesses import BoundedPair, SwapWitnesses, bounded_pairs
from exactdp.errors import TooLargeError
from exactdp.evidence.theorems import relies_on
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import PrivacyLevel
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.amplification import Amplification, enclosed_divergence
from exactdp.privacy.amplification.input_pairs import (
    Candidate,
    EveryPairs,
    FamilyPairs,
    InputPairs,
    SpreadPairs,
    TablePairs,
    cells_for,
    score_law,
)
from exactdp.privacy.amplification.lattice_bound import Blanket, Class, Items, Likelihood, PairLaw, Saddle, Scores
from exactdp.privacy.amplification.positive_part import Mixture, mixture_of
from exactdp.privacy.amplification.swap_choices import guessed_size
from exactdp.privacy.planner import input_pairs

_LEAST_LENGTH: Final = 256
"""A lattice of this length is checked in moments."""

_MOST_LENGTH: Final = 2**17
"""The longest that the format allows."""

_UPPER_EXCESS: Final = 12_000
"""A lattice of length M raises an upper end by a share of mostly at most so many over M^2, as measured at n to 10^9."""

_LOWER_EXCESS: Final = 3_000
"""And so it lowers a lower end."""

_USUAL_SPREAD: Final = 16
"""Deviations from the least value of a score to the largest: of products they are more, and a lattice costs more."""

_WINDOW_BITS: Final = 14
"""Sums whose probability is so many bits below delta are merged with the nearest ones."""

_AT_BITS: Final = 64
"""Of the number near an irrational e^eps of which likelihoods are made."""

_GROWTH: Final = Fraction(5, 3)
"""By which the next length is greater, where one is not enough."""

_TRIES: Final = 4
"""Lengths tried: where 3 times the expected one is not enough, cuts and not the lattice are what costs."""

_STEPS_PER_DEVIATION: Final = 32
"""The first step is so small a part of the deviation of one user's value over the length, as the last one is."""

_LEAST_BITS: Final = 64
"""The least precision at which the ends of a list can be cut."""

_MOST_BITS: Final = 4096
"""The largest precision of the format."""

_SPARE_BITS: Final = 16
"""By which roundings stay below the distance between the claimed delta and the end."""

_FAR: Final = 4
"""A bound of a pair that is so many times below delta may be coarse."""

_COARSE_STEPS: Final = (16, 4, 1)
"""Steps tried for such a pair, in deviations of one user's value."""

_MOST_LATTICE_BITS: Final = 512
"""Of the denominators of values whose common divisor is looked for."""

_LARGEST_TILT: Final = 5
"""ln of a tilt of one step; the format allows 2^8."""

_SCORE_LENGTH: Final = 2**15
"""Scores are made coarser where the scores of all users lie on more places."""

_DEVIATIONS: Final = 24
"""About the width of a list from one cut to the other."""

_USUAL_BITS: Final = 20
"""Accuracy of the ends that a length is chosen by."""

_ROOT_BITS: Final = 16
"""Of a standard deviation."""

_COMPOSED_LENGTH: Final = 2048
"""Length of a test whose values are composed."""

_LEAST_DIVERGENCE: Final = Fraction(1, 2**200)
"""Stands for smaller divergences of one run where a window is chosen."""

_ROUGH_BITS: Final = 8
"""Accuracy at which it is seen whether the bound of a pair is near delta."""

_CLOSE: Final = Fraction(9, 10)
"""A share of delta from which on the bound of a pair is enclosed closely."""

_SHORT_BITS: Final = 10
"""Of a step."""

_TRIED: Final = 8
"""Pairs of a randomizer that is made of others whose divergence is enclosed, to find the largest."""

_MOST_CLOSED: Final = 10**4
"""Users of k-ary response whose delta is added up exactly: some seconds."""

_EASY: Final = Fraction(1, 200)
"""A blanket that is so much below delta is checked in moments; nearer to it, a swap is checked faster."""


def pairs_of(view: ShuffledView) -> InputPairs:
    """Return the pairs of inputs, as the checker knows them: of a table bundle by bundle."""
    randomizer = view.randomizer.randomizer()
    if isinstance(randomizer, Randomizer):
        return TablePairs(randomizer)
    if randomizer.pairs_by in ("every", "spreads"):
        return input_pairs(randomizer)
    return TablePairs(randomizer.table()) if randomizer.is_checked_by_table else FamilyPairs(randomizer)


@dataclass(frozen=True)
class BracketWitnesses:
    """The witnesses of one claim that the pairs of ``view`` are (eps, delta)-DP."""

    view: ShuffledView
    level: PrivacyLevel
    delta: Fraction

    @cached_property
    def engine(self) -> Amplification:
        """The two ends by the blanket and by homogeneous data sets."""
        return Amplification(pairs_of(self.view), self.view.n)

    @cached_property
    def terms(self) -> dict[str, str]:
        """What a witness says of the series of e^eps."""
        return level_terms(self.level)

    @cached_property
    def checked(self) -> View | FamilyView | None:
        """The users as the checker knows them, with the classes of every ordered pair of inputs, in its order."""
        with suppress(MalformedCertificateError):
            view = read_view(dict(self.view.encode()), Work(), False)
            return view.with_cells(self.cells, tuple(self.cells))[0] if isinstance(view, FamilyView) else view
        return None

    @cached_property
    def cells(self) -> dict[str, list[str]]:
        """What a witness says of the cells of real messages: of those that a test tells apart the first entry."""
        pairs = self.engine.pairs
        ends = pairs.family.cell_ends(cells_for(self.view.n)) if isinstance(pairs, SpreadPairs) else {}
        return {name: list(map(write_rational, listed)) for name, listed in ends.items()}

    @property
    def _points(self) -> dict[str, list[str]]:
        return dict(list(self.cells.items())[:1])

    @property
    def _is_composite(self) -> bool:
        """Whether the checker makes the pairs of those of other randomizers."""
        return isinstance(self.checked, FamilyView) and isinstance(self.checked.family, Composite)

    @property
    def is_attained(self) -> bool:
        """Whether the checker's classes are those of inputs, and do not just bound them."""
        view = self.checked
        return not (isinstance(view, FamilyView) and isinstance(view.family, Composite)) or view.family.is_attained

    @property
    def _are_exact(self) -> bool:
        """Whether the classes that tests are made of have the masses of messages, and not less."""
        view = self.checked
        return not (isinstance(view, FamilyView) and isinstance(view.family, Composite) and view.family.list_less)

    def upper(self, exp_eps: Fraction, relative_bits: int) -> Fraction:
        """Return the bound that a certificate states at an e^eps, or a number just above it."""
        if self._is_composite or self.cells:
            each = dict.fromkeys(self._bounds)
            ends = (enclosed_divergence(*one, Real(exp_eps), relative_bits) for one in each)
            end = max(one.upper for one in ends)
        else:
            end = replace(self.engine, as_stated=True).upper_end(Real(exp_eps), relative_bits)[0].upper
        return min(Fraction(1), end.fraction())

    @cached_property
    def _bounds(self) -> list[BoundedPair]:
        """The bound of each ordered pair of inputs, in the order of the checker."""
        if self.checked is None:
            return []
        return bounded_pairs(self.checked.around([], Work()), has_blankets=self._has_blankets)

    @property
    def _has_blankets(self) -> bool:
        """Whether a blanket is a witness: of every randomizer with an eps0 it is none."""
        return not isinstance(self.engine.pairs, EveryPairs)

    # --- Proofs -----------------------------------------------------------------------------------------------------

    @relies_on("pair_bound.pair_bound_dp")
    def proofs(self) -> Iterator[JsonObject]:
        """Yield what shows delta: a blanket where it is short, else swaps, of which no one is long, then a blanket."""
        bounded, margin = self._bounded, self._margin
        if margin >= _EASY:
            yield from self._blanket_proofs(bounded, margin)
        for swap in self._swaps():
            yield {"swap": {**swap, **self.cells}, **self.terms}
        if 0 < margin < _EASY:
            yield from self._blanket_proofs(bounded, margin)
        yield from self.closed()

    def closed(self) -> Iterator[JsonObject]:
        """Yield that the bracket of k-ary response of few users is closed: the checker knows whether it is."""
        view = self.checked
        if isinstance(view, FamilyView) and getattr(view.family, "name", None) == "k-ary" and view.n <= _MOST_CLOSED:
            yield {"closed_bracket": {}, **self.terms}

    @cached_property
    def _bounded(self) -> list[_Bounded]:
        """What a blanket makes of the ordered pairs of inputs, equal ones once."""
        laws = [
            _Bounded.of(classes, level_ratio(self.level, above=False), self.view.n, self.delta)
            for classes in self._blankets()
        ]
        kept = {one.law: one for one in reversed(laws)}
        return [kept[law] for law in dict.fromkeys(one.law for one in laws)]

    @property
    def _margin(self) -> Fraction:
        """By which share delta is above the bound by blankets; at most 0 where it is not above."""
        if not self._has_blankets or any(one.law.charge > self.delta for one in self._bounded):
            return Fraction(0)
        near = [one for one in self._bounded if one.law.needs_bound and one.is_near(self.delta)]
        return min((one.margin(self.delta) for one in near), default=Fraction(1))

    def _blanket_proofs(self, bounded: list[_Bounded], margin: Fraction) -> Iterator[JsonObject]:
        """Yield a blanket whose bound is at most delta, the shortest that is found."""
        ordered = [one for one in bounded if one.law.needs_bound]
        for length in _lengths(_UPPER_EXCESS / margin):
            bits = _bits(self.view.n, length, margin)
            witness = self._blanket(ordered, bits, length)
            if witness is not None:
                yield {"blanket": {**witness, **self._points}, **self.terms}
                return

    def _swaps(self) -> Iterator[JsonObject]:
        """Yield swap bounds that show delta."""
        return SwapWitnesses(self._bounds, level_ratio(self.level, above=False), self.delta).proofs()

    def _blankets(self) -> Iterator[tuple[Class, ...]]:
        """Yield the classes of the ordered pairs of inputs in the order of the checker, equal ones once."""
        with suppress(MalformedCertificateError):
            if self.checked is not None:
                yield from dict.fromkeys(tuple(sorted(classes)) for classes in self.checked.blankets(Work()))

    def _blanket(self, ordered: list[_Bounded], bits: int, length: int) -> JsonObject | None:
        """Return a blanket of this precision and length if all its bounds are at most delta."""
        places = sorted(range(len(ordered)), key=lambda place: ordered[place].size.upper, reverse=True)
        bounds: dict[int, Blanket] = {}
        for place in places:
            one = ordered[place]
            coarse = _COARSE_STEPS if len(ordered) > _FAR and not one.is_near(self.delta) else ()
            lattices = [one.lattice(Fraction(step), bits, length) for step in coarse]
            lattices.append(one.lattice(Fraction(_STEPS_PER_DEVIATION, length), bits, length))
            enough = (lattice for lattice in lattices if one.bound(lattice, self.view.n) <= self.delta)
            if (best := next(enough, None)) is None:
                return None
            bounds[place] = best
        listed = [bounds[place] for place in range(len(ordered))]
        return {
            "bits": str(bits),
            "length": str(length),
            "bounds": [[write_rational(one.step), write_integer(one.tilt)] for one in listed],
        }

    # --- Refutations ------------------------------------------------------------------------------------------------

    def refutations(self) -> Iterator[JsonObject]:
        """Yield tests whose divergence is above delta, the shortest first."""
        if self._is_composite:
            if (best := self._best_of_parts) is not None:
                yield from self._tests(*best)
            return
        end, candidate = self.engine.lower_end(self.level.real, _USUAL_BITS)
        if not self._sends_one_message:
            yield from self._events(candidate, end)
            return
        yield from self._tests(end, *self._named(candidate))
        yield from self.closed()
        if self.view.n > 1 and isinstance(self.engine.pairs, TablePairs):
            mixed = self.engine.mixed_end(candidate, self.level.real, _USUAL_BITS)
            if mixed is not None:
                yield from self._tests(mixed[0], *self._named(mixed[1]))

    @property
    def _sends_one_message(self) -> bool:
        """Whether no user sends more than one message."""
        pairs = self.engine.pairs
        return not isinstance(pairs, TablePairs) or pairs.shows_bundles

    @cached_property
    def _best_of_parts(self) -> tuple[Interval, tuple[Class, ...], JsonObject] | None:
        """Of a randomizer that is made of others: about the worst pair beside others who all hold one input, as a
        witness says it, with its divergence; None where none is told apart by one message of each user."""
        checked, stated = self.checked, self.view.randomizer
        assert isinstance(checked, FamilyView)
        assert isinstance(checked.family, Composite)
        if isinstance(stated, Away) and isinstance(stated.of, Table) and not _is_one_message(stated.of):
            return None
        found = dict[Mixture, tuple[tuple[Class, ...], JsonObject]]()
        with suppress(MalformedCertificateError):  # of inputs that are not all there, and of too many bits
            for place, pair in enumerate(checked.family.tested_pairs(Work()) if self.is_attained else ()):
                for other, classes in enumerate(pair.others):
                    said = {"pair": write_integer(place), "others": write_integer(other)}
                    found.setdefault(mixture_of(sorted(classes)), (tuple(classes), said))
        if not found:
            return None
        best = nlargest(_TRIED, found, key=lambda one: guessed_size(one, self.view.n, self.level.real))
        ends = [(enclosed_divergence(one, self.view.n, self.level.real, _USUAL_BITS), one) for one in best]
        end, mixture = max(ends, key=lambda each: each[0].lower)
        return end, *found[mixture]

    def _named(self, candidate: Candidate) -> tuple[tuple[Class, ...], JsonObject]:
        """Return P, Q and the row of the others of a candidate, and how a witness says which they are."""
        classes = tuple(
            (c.first, c.second, sum((w * r for w, r in zip(candidate.weights, c.others, strict=True)), Fraction(0)))
            for c in candidate.table.classes
        )
        table, stated = candidate.table, self.view.randomizer
        if isinstance(self.checked, View):
            held = dict(zip(table.others, candidate.weights, strict=True))
            weights = [write_rational(held.get(x, Fraction(0))) for x in self.engine.pairs.labels]
            first, second = write_integer(table.first), write_integer(table.second)
            return classes, {"first": first, "second": second, "others": weights}
        family = stated.of if isinstance(stated, Away) else stated
        assert isinstance(family, Family)
        others = family.member.word_of(candidate.inputs[0], table.first, table.second)
        return classes, {"others": others, **self._points}

    def _tests(self, end: Interval, classes: tuple[Class, ...], named: JsonObject) -> Iterator[JsonObject]:
        """Yield likelihood tests of P and Q beside a row of the others."""
        least = end.lower.fraction()
        if least <= self.delta:
            return
        ratio, users = level_ratio(self.level, above=True), self.view.n
        at = self.level.exp_eps or Dyadic.below(ratio, _AT_BITS).fraction()
        margin = (least - self.delta) / least
        values = tuple(((p - at * q) / r, r) for p, q, r in classes if r)
        deviation = _deviation(values)
        wide = Fraction(1)
        if self._is_composite and deviation:
            spread = max(value for value, _ in values) - min(value for value, _ in values)
            wide = max(wide, spread / (_USUAL_SPREAD * deviation))
        for length in _lengths(_LOWER_EXCESS * wide / margin):
            window = _magnitude(1 / least) + _WINDOW_BITS
            bits = min(_MOST_BITS, max(window + 1, _bits(users, length, margin) + _magnitude(1 / least)))
            step = _step(values, deviation, Fraction(_STEPS_PER_DEVIATION, length), length)
            test = Likelihood(classes, at, ratio, step, bits, length, max(1, bits - window), self._are_exact)
            threshold, gain = test.best(users)
            if gain > self.delta:
                lattice = {"bits": str(bits), "length": str(length), "cut": str(test.cut)}
                numbers = {"at": write_rational(at), "step": write_rational(step)}
                threshold_at = {"threshold": write_integer(threshold)}
                yield {"likelihood": {**named, **lattice, **numbers, **threshold_at}, **self.terms}
                return

    def likelihoods(self, *, swapped: bool) -> JsonObject | None:
        """Return a test of about the worst pair without a threshold: all its values are outcomes of a composition."""
        if self._is_composite:
            if self._best_of_parts is None:
                return None
            end, classes, named = self._best_of_parts
        elif not self._sends_one_message:
            return None
        else:
            end, best = self.engine.lower_end(self.level.real, _USUAL_BITS)
            classes, named = self._named(best.swapped() if swapped else best)
        least, users = max(end.lower.fraction(), _LEAST_DIVERGENCE), self.view.n
        at = self.level.exp_eps or Fraction(1)
        window = _magnitude(1 / least) + _WINDOW_BITS
        bits = min(_MOST_BITS, window + _bits(users, _COMPOSED_LENGTH, Fraction(1)) + _magnitude(1 / least))
        values = tuple(((p - at * q) / r, r) for p, q, r in classes if r)
        step = _step(values, _deviation(values), Fraction(_STEPS_PER_DEVIATION, _COMPOSED_LENGTH), _COMPOSED_LENGTH)
        lattice = {"bits": str(bits), "length": str(_COMPOSED_LENGTH), "cut": str(bits - window)}
        numbers = {"at": write_rational(at), "step": write_rational(step)}
        return {"likelihood": {**named, **lattice, **numbers}}

    def _events(self, candidate: Candidate, end: Interval) -> Iterator[JsonObject]:
        """Yield events of message scores with the others of a candidate."""
        least = end.lower.fraction()
        if least <= self.delta:
            return
        pairs = self.engine.pairs
        assert isinstance(pairs, TablePairs)
        first, second, other = candidate.table.first, candidate.table.second, candidate.inputs[0]
        randomizer, users = pairs.randomizer, self.view.n
        others = [0] * len(randomizer.inputs)
        others[other] = users - 1
        margin = (least - self.delta) / least
        bits, fine = event_bits(users, margin, least), pairs.scores(first, second, other)
        for scores in coarser_scores(fine, score_law(randomizer.rows[other], fine), users):
            laws = [dict(score_law(row, scores)) for row in randomizer.rows]
            threshold, gain = Scores(laws, first, second, others, level_ratio(self.level, above=True), bits).best()
            if gain > self.delta:
                yield {
                    "event": {
                        "first": write_integer(first),
                        "second": write_integer(second),
                        "others": write_integers(others),
                        "scores": write_integers([scores[m] for m in range(len(randomizer.alphabet))]),
                        "threshold": write_integer(threshold),
                        "bits": str(bits),
                    },
                    **self.terms,
                }
                return


@dataclass(frozen=True)
class _Bounded:
    """One pair: its law, about how large its bound is, and where its saddle is."""

    law: PairLaw
    size: Interval
    """The bound of the pair, which the lattice approaches: enclosed, or where that is far below delta a larger one."""
    saddle: Saddle | None
    """None where the charge alone is the bound."""

    @classmethod
    def of(cls, classes: tuple[Class, ...], ratio: Fraction, users: int, delta: Fraction) -> _Bounded:
        law = PairLaw.of(classes, ratio)
        if not law.needs_bound:
            return cls(law, Interval.around(law.charge, relative_bits=_USUAL_BITS), None)
        mixture = mixture_of(classes)
        size = mixture.bound(users, Real(ratio))
        for near, bits in ((Fraction(1, _FAR), _ROUGH_BITS), (_CLOSE, _USUAL_BITS)):
            if size.upper.compare(delta * near) >= 0:
                with suppress(TooLargeError):
                    size = mixture.divergence(users, Real(ratio), relative_bits=bits)
        return cls(law, size, Saddle.of(law.items, users))

    def is_near(self, delta: Fraction) -> bool:
        """Whether the bound is not far below delta."""
        return self.size.upper.compare(delta / _FAR) >= 0

    def margin(self, delta: Fraction) -> Fraction:
        """Return by which share delta is above the bound."""
        upper = self.size.upper.fraction()
        return min(Fraction(1), (delta - upper) / upper)

    def lattice(self, steps: Fraction, bits: int, length: int) -> Blanket:
        """Return the lattice whose step is so many deviations, or the natural one."""
        assert self.saddle is not None
        step = _step(self.law.items, self.saddle.deviation, steps, length)
        while self.saddle.tilt * step > _LARGEST_TILT:
            step /= 2
        return Blanket(self.law.items, step, self.saddle.of_step(step), bits, length)

    def bound(self, lattice: Blanket, users: int) -> Fraction:
        """Return what the checker will find."""
        return self.law.charge + lattice.bound(users)


def _step(values: Items, deviation: Fraction, steps: Fraction, length: int) -> Fraction:
    """Return a step of so many deviations; or where all values are multiples of a number, not too small, that."""
    low, high = (end(value for value, _ in values) for end in (min, max))
    denominator = lcm(*(value.denominator for value, _ in values))
    if denominator.bit_length() <= _MOST_LATTICE_BITS:
        common = Fraction(gcd(*(value.numerator * (denominator // value.denominator) for value, _ in values)))
        natural = common / denominator
        if natural and (high - low) / natural <= length:
            return natural
    wanted = max(steps * deviation, (high - low) / _MOST_LENGTH)
    return Dyadic.below(wanted, _SHORT_BITS).fraction()


def _deviation(values: Items) -> Fraction:
    """Return about the standard deviation."""
    mean = sum((value * mass for value, mass in values), Fraction(0))
    square = sum((value**2 * mass for value, mass in values), Fraction(0))
    return _root(max(Fraction(0), square - mean**2))


def _root(value: Fraction) -> Fraction:
    """Return about the square root."""
    places = _ROOT_BITS + max(0, value.denominator.bit_length() - value.numerator.bit_length()) // 2
    return Fraction(isqrt(int(value * 4**places)), 2**places)


def _lengths(squared: Fraction) -> Iterator[int]:
    """Yield lengths from about a root on, as long as the format allows."""
    length = max(_LEAST_LENGTH, isqrt(int(squared)) + 1)
    for _ in range(_TRIES):
        if length > _MOST_LENGTH:
            break
        yield length
        length = int(length * _GROWTH)


def _bits(users: int, length: int, margin: Fraction) -> int:
    """Return a precision at which the roundings of all products stay below a distance."""
    return max(_LEAST_BITS, users.bit_length() + length.bit_length() + _magnitude(1 / margin) + _SPARE_BITS)


def _is_one_message(table: Table) -> bool:
    """Whether no user sends more than one message."""
    return all(len(send) <= 1 for row in table.rows for send, _ in row)


def _magnitude(value: Fraction) -> int:
    return max(0, value.numerator.bit_length() - value.denominator.bit_length() + 1)


def event_bits(users: int, margin: Fraction, least: Fraction) -> int:
    """Return a precision for an event of scores whose probability gap is ``least``, so much above delta as a share."""
    return min(_MOST_BITS, _bits(users, _SCORE_LENGTH, margin) + _magnitude(1 / least))


def coarser_scores(scores: Mapping[int, int], law: Mapping[int, Fraction], users: int) -> Iterator[dict[int, int]]:
    """Yield scores that are as fine as the number of users, whose scores have this law, allows, and finer ones."""
    one = _deviation(tuple((Fraction(score), p) for score, p in law.items()))
    coarse = _DEVIATIONS * one * _root(Fraction(users)) / _SCORE_LENGTH
    tried = []
    for factor in (coarse, coarse / 4):
        rounded = {m: round(score / max(Fraction(1), factor)) for m, score in scores.items()}
        if rounded not in tried:
            tried.append(rounded)
            yield rounded
