"""The privacy profile of many runs, and what "composition" can mean.

| notion | who chooses the neighbouring data sets of each run | composed delta |
| --- | --- | --- |
| ``same data`` | one pair for all runs of one mechanism | max over pairs of H(P^k, Q^k) |
| ``non-adaptive`` | a pair for each run, before the first | max over pairs of H(P_1 x ... x P_k, Q_1 x ... x Q_k) |
| ``adaptive`` | a pair for each run, after seeing the runs before | sup over strategies |

Each is at most the next. The adaptive one is bounded by the convolution powers of a measure of losses that dominates
every pair: by induction over the runs, because the last run's divergence, at whatever level and after whatever was
seen, is at most that measure's, and what is left is a mixture that keeps the order. If one ordered pair dominates all
the others, as with symmetric noise, all three are its H(P^k, Q^k). Otherwise the bracket of the adaptive one runs
from the best real combination that was tried to the dominating measure: its width is then a gap between notions,
which no refinement closes. The kernel has this as adaptive_composition.adaptive_composition, and as
composed_rounds.rounds_of_curves for shuffled rounds, in which the same users hold the same records: nobody is sampled,
and nobody arrives or leaves between them.

Source: BartheOlmedo2013, Theorem 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import combinations_with_replacement, product
from math import ceil, comb, isqrt, prod
from pkgutil import resolve_name
from typing import Any, Final, Literal, TypeAlias, get_args, overload

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.evidence.theorems import relies_on
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import LogRational, PrivacyLevel, read_privacy_level
from exactdp.numbers.exact import Exact, as_integer, as_probability
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval
from exactdp.numbers.rationals import line_crossing, line_value
from exactdp.privacy.attained import Bracket, is_zero
from exactdp.privacy.composition.bracket import (
    Combination,
    Found,
    Question,
    bracket,
    bracket_by_points,
    read_width,
    searched_eps,
    upper_bound_at_once,
)
from exactdp.privacy.composition.law_pairs import FinitePair, Pair, PolygonPair, SummedRuns
from exactdp.privacy.composition.mechanisms import Mechanism, mechanisms_of
from exactdp.privacy.composition.profile_pairs import Fineness
from exactdp.privacy.composition.ratio_classes import ExactProduct
from exactdp.privacy.planner import Source, engine_of
from exactdp.privacy.tradeoff import TradeoffBounds
from exactdp.progress import Progress, progress_callback

Notion: TypeAlias = Literal["adaptive", "non-adaptive", "same data"]

MAX_TIMES: Final = 10**5
"""Most runs."""

_COMBINATIONS: Final = 64
"""Most combinations of pairs that are compared one by one."""

_TRIED: Final = 64
"""Most combinations that are tried from below where they are not all listed; each is a product of polynomials."""

_ALL_TRIED: Final = 32
"""So many combinations are all tried; beyond, those with one pair of each mechanism."""

_FAR_BELOW: Final = 2**10
"""A rough upper bound is enough where it is so many times smaller than a target."""

_COARSE: Final = Fraction(1, 8)
"""Combinations are compared at this width first, and only those that may be best at the width asked for."""

_SOME_DATA_SETS: Final = "some of the neighbouring data sets that were tried"
_ALL_RUNS: Final = "{} in all runs"
_PRODUCTS: Final = "products of pairs that no other exceeds ({})"
_DOMINATED: Final = "runs of pairs that dominate all others (adaptive_composition.adaptive_composition); of one run: {}"

_LOSSES: Final = "exactdp.privacy.exchange.profile_losses:composed_losses"

_BITS: Final = 53
"""Accuracy of what only chooses, or is refined."""


def read_notion(value: object) -> Notion:
    """Return one of the three notions, or refuse."""
    for notion in get_args(Notion):
        if value == notion:
            return notion  # type: ignore[no-any-return]
    raise InvalidValueError(
        f"notion={value!r} is no notion of composition. Pass one of {', '.join(map(repr, get_args(Notion)))}."
    )


@relies_on(
    "adaptive_composition.adaptive_composition", "adaptive_programs.adaptive_runs", "composed_rounds.shuffled_rounds"
)
@dataclass(frozen=True, slots=True)
class ComposedProfile:
    """The least delta for every eps of many runs of one or several mechanisms.

    Made by ``PrivacyProfile.compose(times)`` and ``compose(*profiles)``.

    Args:
        parts: each mechanism's definition, with its number of runs.
        notion: "adaptive", "non-adaptive" or "same data" (see the module); what every answer is about.

    >>> from exactdp import Binomial, DiscreteLaplace, shift_profile
    >>> ten = shift_profile(Binomial(1000, "1/2")).compose(10)
    >>> ten.delta(eps=1), ten.notion, ten.is_tight
    (Interval[1.78...e-8, 1.78...e-8], 'adaptive', True)
    >>> shift_profile(DiscreteLaplace(2)).compose(3).delta(exp_eps=4)
    Fraction(4, 27)
    """

    parts: tuple[tuple[Source, int], ...]
    notion: Notion = "adaptive"

    def __post_init__(self) -> None:
        merged: dict[Source, int] = {}
        for source, times in self.parts:
            merged[source] = merged.get(source, 0) + as_integer(times, name="times", at_least=1)
        set_fields(self, parts=tuple(merged.items()), notion=read_notion(self.notion))
        if self.times > MAX_TIMES:
            raise TooLargeError(
                f"composition: times={short(self.times)} is more than the limit of {MAX_TIMES}. Use fewer runs."
            )
        if self.notion == "same data" and len(self.parts) != 1:
            raise InvalidValueError(
                f"notion='same data' is about one mechanism, and {len(self.parts)} are given. Pass 'non-adaptive'."
            )
        _mechanisms(self.parts)  # refuses work beyond its limit before it starts

    @property
    def times(self) -> int:
        """The number of runs, of all mechanisms together."""
        return sum(times for _, times in self.parts)

    @property
    def checkable(self) -> ComposedProfile:
        """The same runs, with no upper end of a single one that is better than what a certificate can state."""
        return ComposedProfile(tuple((source.checkable, times) for source, times in self.parts), self.notion)

    @property
    def is_exact(self) -> bool:
        """Whether ``delta(exp_eps=...)`` is a Fraction and ``epsilon`` a LogRational.

        True where the notion is decided by listed pairs, and the products of their likelihood ratios are few: two
        values of the loss (binary randomized response, discrete Laplace noise), or few runs of small protocols.
        """
        return _exact_products(self) is not None

    @property
    def is_tight(self) -> bool:
        """Whether the bracket closes to any width, because real pairs attain its upper end.

        Else the upper end may be that of a measure which no combination of neighbouring data sets attains, and the
        width a gap between what is proved for the notion and the best real combination that was tried.
        """
        return _combinations(self) is not None

    @overload
    def delta(
        self, *, exp_eps: Exact, relative_width: None = None, progress: Progress | None = None
    ) -> Fraction | Interval: ...
    @overload
    def delta(self, *, exp_eps: Exact, relative_width: Exact, progress: Progress | None = None) -> Interval: ...
    @overload
    def delta(
        self, *, eps: Exact | LogRational, relative_width: Exact | None = None, progress: Progress | None = None
    ) -> Interval: ...

    def delta(
        self,
        *,
        eps: Exact | LogRational | None = None,
        exp_eps: Exact | None = None,
        relative_width: Exact | None = None,
        progress: Progress | None = None,
    ) -> Fraction | Interval:
        """Return the least delta at eps of all runs together, under the notion.

        Args:
            eps: at least 0, a rational number or a finite LogRational; the answer is an Interval.
            exp_eps: e^eps, at least 1; the answer is a Fraction where ``is_exact``, unless a width is given.
            relative_width: of the Interval, its width over its upper end; between 0 and 1, default 1/1000. Where the
                profile is not ``is_tight`` the Interval may be wider; it begins at 0 where no lower bound is found.
            progress: a callback for finished pieces of work; see :mod:`exactdp.progress`.

        Raises:
            InvalidValueError: for eps < 0, exp_eps < 1, both or neither, or a width outside (0, 1).
            TooLargeError: where the width needs polynomials beyond the limits.

        Cost: ten runs of Bin(1000, 1/2), shift 1: 0.1 s for a width of 1e-3, 1 s for 1e-6, at deltas of 1e-8 and
        1e-52 alike.
        """
        level, width = read_privacy_level(eps=eps, exp_eps=exp_eps), read_width(relative_width)
        with progress_callback(progress):
            return self._delta(level, width, is_exact=exp_eps is not None and relative_width is None)

    def _delta(self, level: PrivacyLevel, width: Fraction, *, is_exact: bool) -> Fraction | Interval:
        products = _exact_products(self)
        if products is None:
            summed = _summed_runs(self)
            bits = max(_BITS, _bits(width))
            return _bracketed(self, level, width).delta if summed is None else summed.delta(level.real, bits)
        if level.exp_eps is None:
            return _between(products, level, width)
        value = _largest(products, level.exp_eps)
        return exact_answer(value) if is_exact else Interval.around(value, relative_bits=_bits(width))

    def bracket(
        self,
        *,
        eps: Exact | LogRational | None = None,
        exp_eps: Exact | None = None,
        relative_width: Exact | None = None,
        progress: Progress | None = None,
    ) -> Bracket:
        """Return both proved ends of ``delta``, what attains the lower and what proves the upper one.

        The arguments are those of ``delta``. ``attained_by`` is a sentence: which data sets all runs are on whose
        composition the lower end bounds, or that they are among those that were tried; None for a lower end of 0.
        """
        level, width = read_privacy_level(eps=eps, exp_eps=exp_eps), read_width(relative_width)
        theorems = "; ".join(dict.fromkeys(engine_of(source).theorem for source, _ in self.parts))
        with progress_callback(progress):
            if self.is_tight:
                delta = self._delta(level, width, is_exact=exp_eps is not None and relative_width is None)
                return Bracket(
                    delta, delta, None if is_zero(delta) else _SOME_DATA_SETS, _PRODUCTS.format(theorems), True
                )
            found = _bracketed(self, level, width)
        low, high = (Interval(end, end) for end in (found.delta.lower, found.delta.upper))
        return Bracket(low, high, _words(found.attained_by), _DOMINATED.format(theorems), found.delta.is_point)

    def epsilon(
        self, delta: Exact, *, relative_width: Exact | None = None, progress: Progress | None = None
    ) -> LogRational | Interval:
        """Return the least eps >= 0 with delta(eps) <= ``delta``; infinite where no eps is enough.

        A LogRational where the profile ``is_exact``, by Newton's method; elsewhere an Interval whose lower end has a
        larger delta and whose upper end a smaller one, of the relative width asked for (default 1/1000) where the
        profile ``is_tight``. ``progress`` is told of the brackets; see :mod:`exactdp.progress`.

        Raises:
            TooLargeError: where no eps up to 2^16 is enough, and the profile is not exact.
        """
        target, width = as_probability(delta, name="delta"), read_width(relative_width)
        with progress_callback(progress):
            products = _exact_products(self)
            if products is not None:
                return _newton(products, target)
            summed = _summed_runs(self)
            if summed is not None:
                return searched_eps(lambda eps, w: summed.delta(_level(eps).real, _bits(w)), target, width)
            if all(mechanism.pairs is not None for mechanism, _ in _mechanisms(self.parts)):
                return searched_eps(lambda eps, w: _bracketed(self, _level(eps), w).delta, target, width)
            return searched_eps(
                lambda eps, w: _bracketed(self, _level(eps), w, target).delta,
                target,
                width,
                lambda eps: upper_bound_at_once(_mechanisms(self.parts), _question(_level(eps), _COARSE)),
            )

    def renyi(
        self, order: Exact, *, relative_width: Exact | None = None, progress: Progress | None = None
    ) -> Interval | LogRational:
        """Return the largest Rényi divergence of an order of all runs together: the sum of those of the runs.

        Each run has its largest one whatever was seen before, so it is the same under every notion. Arguments, answers
        and errors are as of ``PrivacyProfile.renyi``.

        Source: Mironov2017, Proposition 1.
        """
        from exactdp.privacy.composition.renyi import renyi_divergence

        with progress_callback(progress):
            return renyi_divergence(self.parts, order, relative_width)

    def zcdp(self, *, relative_width: Exact | None = None, progress: Progress | None = None) -> Interval | LogRational:
        """Return the least rho such that the Rényi divergence of every order a > 1 is at most rho a.

        At most the sum of those of the runs, and less where these have their largest D_a / a at different orders.

        Source: BunSteinke2016, Definition 1.1.
        """
        from exactdp.privacy.composition.renyi import zcdp_rho

        with progress_callback(progress):
            return zcdp_rho(self.parts, relative_width)

    def tradeoff(self, *, relative_width: Exact | None = None, progress: Progress | None = None) -> TradeoffBounds:
        """Return two polygons between which the trade-off function of all runs lies, from points of ``delta``.

        ``relative_width`` is that of delta at each of about fifty points, and ``progress`` is told of them.

        Source: DongRothSu2022, Proposition 6.
        """
        from exactdp.privacy.composition.tradeoff_bounds import tradeoff_bounds

        width = read_width(relative_width)

        def value(exp_eps: Fraction) -> Interval:
            delta = self._delta(PrivacyLevel(exp_eps), width, is_exact=False)
            assert isinstance(delta, Interval)
            return delta

        with progress_callback(progress):
            return tradeoff_bounds(value, Interval(Dyadic.of(0), Dyadic.of(0)))

    def to_dp_accounting(
        self,
        *,
        discretization: Exact = "1/256",
        up_to: Exact | None = None,
        pessimistic: bool = True,
        exp_eps: Exact | None = None,
    ) -> Any:
        """Return a privacy loss distribution of all runs for dp-accounting: nowhere below delta, or nowhere above it.

        The arguments are those of ``PrivacyProfile.to_dp_accounting``. Pessimistic ones hold under every notion of
        composition; optimistic ones are of one pair of data sets in all runs of each mechanism, or of some pairs.
        """
        composed_losses = resolve_name(_LOSSES)  # of a package that composes with this one
        asked: Any = {"up_to": up_to, "pessimistic": pessimistic, "exp_eps": exp_eps}
        return composed_losses(self, step=discretization, **asked).to_dp_accounting()

    def tried(self, fineness: Fineness) -> tuple[Combination, ...]:
        """Return combinations of real pairs, which bound from below; all that may be best where these are few."""
        return _combinations(self) or _tried(self, fineness)

    def __repr__(self) -> str:
        runs = ", ".join(f"{times} x {engine_of(source).name}" for source, times in self.parts)
        return f"ComposedProfile({runs}, notion={self.notion!r})"


def _bits(width: Fraction) -> int:
    """Return bits of accuracy at least as narrow as a width."""
    return width.denominator.bit_length() - width.numerator.bit_length() + 1


def _words(combination: Combination | None) -> str | None:
    """Say which data sets a combination is of; None for a lower end of 0."""
    if combination is None:
        return None
    named = [pair.words for pair, _ in combination if isinstance(pair, PolygonPair)]
    return _ALL_RUNS.format("; and ".join(dict.fromkeys(named))) if len(named) == len(combination) else _SOME_DATA_SETS


# --- which pairs answer -----------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _mechanisms(parts: tuple[tuple[Source, int], ...]) -> tuple[tuple[Mechanism, int], ...]:
    """Return the mechanisms of all runs; a run of two bins is a run of each of two."""
    return tuple((mechanism, times) for source, times in parts for mechanism in mechanisms_of(source))


@lru_cache(maxsize=64)
def _combinations(profile: ComposedProfile) -> tuple[Combination, ...] | None:
    """Return combinations of real pairs, the best of which attains the composed delta; None where none is known to."""
    mechanisms = _mechanisms(profile.parts)
    listed = [(m.pairs, times) for m, times in mechanisms if m.pairs is not None and m.attains(profile.notion)]
    if len(listed) < len(mechanisms):
        return None
    if profile.notion == "same data":
        return tuple(_of_one_choice(listed, i) for i in range(max(len(pairs) for pairs, _ in listed)))
    return _all_combinations(listed) if _count(listed) <= _COMBINATIONS else None


def _count(listed: Sequence[tuple[tuple[Pair, ...], int]]) -> int:
    return prod(comb(times + len(pairs) - 1, times) for pairs, times in listed)


def _all_combinations(listed: Sequence[tuple[tuple[Pair, ...], int]]) -> tuple[Combination, ...]:
    choices = [_choices(pairs, times) for pairs, times in listed]
    return tuple(tuple(part for parts in chosen for part in parts) for chosen in product(*choices))


def _of_one_choice(listed: Sequence[tuple[tuple[Pair, ...], int]], i: int) -> Combination:
    """Return the combination that uses the i-th pair of every mechanism, or its last, in all runs."""
    return tuple((pairs[min(i, len(pairs) - 1)], times) for pairs, times in listed)


def _choices(pairs: tuple[Pair, ...], times: int) -> list[Combination]:
    """Return all ways to choose a pair for each run, up to their order."""
    if len(pairs) == 1:
        return [((pairs[0], times),)]
    return [
        tuple((pairs[i], chosen.count(i)) for i in sorted(set(chosen)))
        for chosen in combinations_with_replacement(range(len(pairs)), times)
    ]


def _tried(profile: ComposedProfile, fineness: Fineness) -> tuple[Combination, ...]:
    """Return combinations of real pairs that are tried as bounds from below.

    All of them where they are few, else those with one pair of each mechanism in all its runs.
    """
    mechanisms = _mechanisms(profile.parts)
    listed = [(mechanism.pairs, times) for mechanism, times in mechanisms if mechanism.pairs is not None]
    if profile.notion != "same data" and len(listed) == len(mechanisms) and _count(listed) <= _ALL_TRIED:
        return _all_combinations(listed)
    real = [(mechanism.real_pairs(fineness), times) for mechanism, times in mechanisms]
    most = min(_TRIED, max(len(pairs) for pairs, _ in real))
    return tuple(dict.fromkeys(_of_one_choice(real, i) for i in range(most))) if all(pairs for pairs, _ in real) else ()


# --- answers ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _bracketed(profile: ComposedProfile, level: PrivacyLevel, width: Fraction, target: Fraction | None = None) -> Found:
    """Return a bracket of the composed delta, or one that is on one side of a target, where that is enough."""
    question = _question(level, width)
    combinations = _combinations(profile)
    if combinations is None:
        mechanisms = _mechanisms(profile.parts)
        return bracket_by_points(mechanisms, question, lambda fineness: _tried(profile, fineness), target)
    if len(combinations) == 1:
        return _of_combination(combinations[0], question)
    rough = replace(question, relative_width=max(width, _COARSE))
    coarse = [(_of_combination(c, rough).delta, c) for c in combinations]
    least = max(bounds.lower for bounds, _ in coarse)
    best = [_of_combination(c, question) for bounds, c in coarse if bounds.upper >= least]
    attained = max(best, key=lambda found: found.delta.lower).attained_by
    return Found(reduce(Interval.maximum, (found.delta for found in best)), attained)


def delta_beside(profile: ComposedProfile, level: PrivacyLevel, target: Fraction, width: Fraction) -> Interval:
    """Return a bracket of the composed delta that is only as narrow as its order to a target asks for.

    What costs next to nothing is looked at first, and is enough far below the target.
    """
    mechanisms = _mechanisms(profile.parts)
    if any(mechanism.pairs is None for mechanism, _ in mechanisms):
        rough = upper_bound_at_once(mechanisms, _question(level, _COARSE))
        if rough.compare(target / _FAR_BELOW) <= 0:
            return Interval(Dyadic.of(0), rough)
    return _bracketed(profile, level, width, target).delta


def epsilon_beside(
    profile: ComposedProfile, delta: Fraction, known: LogRational | Interval, share: Fraction
) -> LogRational | Interval:
    """Return the least eps at a delta of a share of all runs, each rounded up, given that of all of them.

    Points of one run that were enough for all of them are those of fewer, so that only powers are new.
    """
    fewer = ComposedProfile(tuple((source, ceil(share * times)) for source, times in profile.parts), profile.notion)
    if fewer == profile:
        return known
    width, fineness = read_width(None), None
    if isinstance(known, Interval) and _combinations(profile) is None:
        fineness = _bracketed(profile, _level(known.hi), width, delta).fineness
    if fineness is None:
        return fewer.epsilon(delta)
    wider = Fraction(isqrt(profile.times * 2**16 // fewer.times), 2**8)  # eps is about the root of the runs
    given = replace(fineness, losses=tuple(loss * wider for loss in fineness.losses))
    mechanisms = _mechanisms(fewer.parts)

    def bracketed(eps: Fraction, width: Fraction) -> Interval:
        question = _question(_level(eps), width)
        return bracket_by_points(mechanisms, question, lambda points: _tried(fewer, points), delta, given).delta

    return searched_eps(
        bracketed, delta, width, lambda eps: upper_bound_at_once(mechanisms, _question(_level(eps), _COARSE))
    )


def _question(level: PrivacyLevel, width: Fraction) -> Question:
    return Question(level.real, level.eps if level.eps is not None else _about(level), width)


def _of_combination(combination: Combination, question: Question) -> Found:
    return bracket([((pair,), times) for pair, times in combination], [combination], question, meets=True)


def _level(eps: Fraction) -> PrivacyLevel:
    return PrivacyLevel(None, eps) if eps else PrivacyLevel(Fraction(1))


def _about(level: PrivacyLevel) -> Fraction:
    """Return a number near eps."""
    assert level.exp_eps is not None
    if level.exp_eps == 1:
        return Fraction(0)
    return LogRational(level.exp_eps).enclose(_BITS).lower.fraction()


@lru_cache(maxsize=64)
def _summed_runs(profile: ComposedProfile) -> SummedRuns | None:
    """Return all runs as one sum of outcomes; None where no sum tells as much as they do."""
    combinations = _combinations(profile)
    return SummedRuns.of(combinations[0]) if combinations is not None and len(combinations) == 1 else None


@lru_cache(maxsize=64)
def _exact_products(profile: ComposedProfile) -> tuple[ExactProduct, ...] | None:
    """Return exact products, the largest of which is the composed delta; None where there are none, or too large."""
    combinations = _combinations(profile)
    if combinations is None:
        return None
    products = []
    for combination in combinations:
        factors = [pair.exact(times) for pair, times in combination if isinstance(pair, FinitePair)]
        if len(factors) < len(combination):
            return None
        products.append(ExactProduct(tuple(factors)))
    return tuple(products) if all(product.is_small for product in products) else None


def _largest(products: Sequence[ExactProduct], exp_eps: Fraction) -> Fraction:
    return max(line_value(*product.event(exp_eps), exp_eps) for product in products)


def _between(products: Sequence[ExactProduct], level: PrivacyLevel, width: Fraction) -> Interval:
    """Enclose delta between its values at a lower and an upper bound of e^eps."""
    bits = _BITS + _bits(width)
    while True:
        ends = level.enclose(bits)
        upper, lower = (_largest(products, end.fraction()) for end in (ends.lower, ends.upper))
        if upper - lower <= width / 2 * upper:
            return Interval.between(lower, upper, bits=_bits(width) + 4)
        bits *= 2


def _newton(products: Sequence[ExactProduct], target: Fraction) -> LogRational:
    """Return eps(target): the largest line of all events is followed to the target, until nothing is above it."""
    exp_eps = Fraction(1)
    while True:
        events = [product.event(exp_eps) for product in products]
        first, second = max(events, key=lambda event: line_value(event[0], event[1], exp_eps))
        if line_value(first, second, exp_eps) <= target:
            return LogRational(exp_eps)
        if second == 0:
            return LogRational(None)
        exp_eps = line_crossing(first, second, target)
