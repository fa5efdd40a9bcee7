"""Privacy profiles: delta as a function of e^eps, over all neighbouring pairs in both orders.

delta(E) is the upper envelope of the lines P(T) - E Q(T) over pairs of data sets and events T: convex, non-increasing
and piecewise linear. So eps(delta) has a rational e^eps, found by Newton's method on the envelope, which moves from
line to line and ends after finitely many steps.

Source: Dinkelbach1967, section 3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any, Final, overload

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.evidence.theorems import theorems_of
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import LogRational, PrivacyLevel, read_privacy_level
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_integer, as_probability, as_relative_bits
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import decimal_text, fraction_text
from exactdp.numbers.interval import Interval
from exactdp.numbers.notebook import decimal_html, facts_html, table_html
from exactdp.numbers.real import Real
from exactdp.privacy.attained import AttainedDelta, AttainedEpsilon, AttainingPair, Bracket, WorstPair, is_zero
from exactdp.privacy.engine import GUARD_BITS, AnyBound, Bound, Engine, Level, Work, WorstEvent
from exactdp.privacy.planner import Source, engine_of
from exactdp.progress import Progress, progress_callback, report_progress, with_progress

if TYPE_CHECKING:
    from exactdp.privacy.composition.composed import ComposedProfile, Notion
    from exactdp.privacy.tradeoff import TradeoffBounds, TradeoffFunction

__all__ = ["AttainedDelta", "AttainedEpsilon", "AttainingPair", "Bracket", "PrivacyProfile", "WorstPair", "compose"]

_SHOWN_EXP_EPS: Final = (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(4), Fraction(10))
"""From no privacy loss to what is called weak: eps = 0 to 2.3."""
_SHOWN_WORK: Final = 10**4
"""Most pairs times outcomes, and bits of a weight, at which a notebook is shown numbers that nobody asked for."""

_SPARE_BITS: Final = 2
"""The ends of a bracket of e^eps are found so much better than asked for: their logarithms are enclosed too."""

_STEPS_BELOW: Final = (32, 64, 128, 256, 1024, 4096)
"""How far below e^eps, in bits, the pair that allows no smaller eps is looked for, one after the other."""

_STEP_BITS: Final = 64
"""Newton's steps are rounded to so many bits, which keeps their fractions short."""

_LOG2_E_BELOW: Final = Fraction(14426, 10000)
"""A number below log2(e)."""


@dataclass(frozen=True, slots=True)
class PrivacyProfile:
    """The least delta for every eps, as the supremum over all neighbouring pairs of data sets in both orders.

    Made by ``ShuffleProtocol.privacy_profile``, ``.pair_profile`` and ``AdditiveProtocol.privacy_profile``.

    >>> from exactdp import Randomizer, ShuffleProtocol
    >>> flip = Randomizer({0: {(0,): "3/4", (1,): "1/4"}, 1: {(0,): "1/4", (1,): "3/4"}})
    >>> profile = ShuffleProtocol(flip, 10).privacy_profile()
    >>> profile.delta(exp_eps=2), profile.epsilon("1/100")
    (Fraction(19683, 1048576), LogRational('1214081/492075'))
    """

    source: Source

    def __post_init__(self) -> None:
        engine_of(self.source)  # refuses work beyond its limit before it starts

    @property
    def _engine(self) -> Engine:
        return engine_of(self.source)

    @property
    def checkable(self) -> PrivacyProfile:
        """The same profile, with upper ends of the forms that certificates state."""
        return PrivacyProfile(self.source.checkable)

    @property
    def by_blankets(self) -> PrivacyProfile:
        """The same profile, with no upper end that is better than the bound by blankets."""
        return PrivacyProfile(self.source.by_blankets)

    @property
    def is_exact(self) -> bool:
        """Whether ``delta(exp_eps=...)``, ``epsilon``, ``worst_pair`` and ``tradeoff`` are exact.

        True for finite protocols; for lattice noise where its probabilities are rational and short enough. Elsewhere
        they answer with Intervals, and the trade-off function with two polygons.
        """
        return self._engine.is_exact

    @property
    def is_tight(self) -> bool:
        """Whether no proved gap is left: every answer closes to any width asked. Else ``bracket`` has both ends."""
        return self._engine.is_tight

    @property
    def engine(self) -> str:
        """The name of the engine that the planner chose."""
        return self._engine.name

    @property
    def method(self) -> str:
        """What that engine does, as a clause without its subject."""
        return self._engine.method

    def kernel_theorems(self, *, of_epsilon: bool = False) -> tuple[str, ...]:
        """Return the theorems of the Coq development that delta relies on, or eps at a delta: ``file.theorem`` each."""
        from exactdp.privacy.divergence import hockey_stick_divergence
        from exactdp.privacy.inverse import bracket_exp_eps

        inverse = theorems_of(bracket_exp_eps) if of_epsilon else ()
        return (*theorems_of(hockey_stick_divergence), *self._engine.kernel_theorems, *inverse)

    @property
    def place_of_proof(self) -> str:
        """The module whose text proves on paper what the engine rests on."""
        return self._engine.place_of_proof

    @property
    def work(self) -> Work:
        """What one search for the worst pair visits: ordered pairs of data sets, outcomes of each, and steps."""
        return self._engine.work

    @overload
    def delta(
        self, *, exp_eps: Exact, relative_bits: None = None, progress: Progress | None = None
    ) -> Fraction | Interval: ...
    @overload
    def delta(self, *, exp_eps: Exact, relative_bits: int, progress: Progress | None = None) -> Interval: ...
    @overload
    def delta(
        self, *, eps: Exact | LogRational, relative_bits: int | None = None, progress: Progress | None = None
    ) -> Interval: ...

    def delta(
        self,
        *,
        eps: Exact | LogRational | None = None,
        exp_eps: Exact | None = None,
        relative_bits: int | None = None,
        progress: Progress | None = None,
    ) -> Fraction | Interval:
        """Return the least delta at eps: sup over neighbouring pairs, both orders, of H_{e^eps}(P || Q).

        Args:
            eps: at least 0, a rational number or a LogRational, which may be infinite; the answer is an Interval of
                relative width at most ``2**-relative_bits`` (default 53), however small: never 0 for a positive delta,
                exactly 0 for 0. Where only a bracket is known, each of its ends is enclosed so, by default to 20 bits,
                and the Interval reaches from the lower end to the upper end.
            exp_eps: e^eps, a rational number of at least 1; the answer is an exact Fraction where the profile
                ``is_exact``, and otherwise, or with ``relative_bits``, an Interval.
            relative_bits: from 1 to 2^20.
            progress: a callback for finished pieces of work; see :mod:`exactdp.progress`.

        Raises:
            InvalidValueError: for eps < 0, exp_eps < 1, both or neither.
            TooLargeError: where exact masses are out of reach, before they are computed.

        Cost: one search over all pairs; 14 ms for binary randomized response of 200 users. Equal questions are
        answered from a cache.

        Source: BartheOlmedo2013, Theorem 1.
        """
        bits, wants_fraction = self._wanted(exp_eps, relative_bits)
        with progress_callback(progress):
            if isinstance(eps, LogRational) and eps.is_infinite and exp_eps is None:
                return self._limit(bits).delta
            level = read_privacy_level(eps=eps, exp_eps=exp_eps)
            return exact_answer(self._bound(level, bits, wants_fraction).delta)

    def bracket(
        self,
        *,
        eps: Exact | LogRational | None = None,
        exp_eps: Exact | None = None,
        relative_bits: int | None = None,
        progress: Progress | None = None,
    ) -> Bracket:
        """Return the two proved ends of delta at a finite eps, what attains the lower and what proves the upper one.

        Args:
            eps, exp_eps, progress: as of ``delta``.
            relative_bits: each end that is not exact is enclosed to a relative width of ``2**-relative_bits``.

        >>> from exactdp import ShuffleProtocol, randomized_response
        >>> profile = ShuffleProtocol(randomized_response(16, exp_eps0=55), 10**6).privacy_profile()
        >>> bracket = profile.bracket(exp_eps="103/100")
        >>> bracket.lower, bracket.upper, bracket.attained_by.first
        (Interval[0.00000148856...], Interval[0.00000148856...], {0: 1, 2: 999999})

        Cost: as ``delta``.

        Source: BalleBellGasconNissim2019, Theorem 5.1 (upper ends of open brackets, but for the swap bound's).
        """
        bits, wants_fraction = self._wanted(exp_eps, relative_bits)
        with progress_callback(progress):
            level = read_privacy_level(eps=eps, exp_eps=exp_eps)
            known, at = self._attained(level, bits, wants_fraction, None)
        lower, upper, of_pair = map(exact_answer, (known.lower, known.upper, known.pair_delta))
        attained: WorstPair | str | None = known.among or None
        if not known.among and (self._engine.is_bracket or not is_zero(known.delta)):
            if not isinstance(at, Fraction):
                at = _below(level, bits if self._engine.is_bracket else DEFAULT_RELATIVE_BITS).fraction()
            attained = WorstPair(*self.source.shown(*known.pair), exact_answer(at), of_pair)
        return Bracket(lower, upper, attained, known.theorem, known.is_closed)

    def delta_with_pair(
        self,
        *,
        eps: Exact | LogRational | None = None,
        exp_eps: Exact | None = None,
        relative_bits: int | None = None,
        longest: int | None = None,
        progress: Progress | None = None,
    ) -> AttainedDelta:
        """Return the least delta at a finite eps together with a pair of data sets that attains it.

        Args:
            eps, exp_eps, relative_bits, progress: as of ``delta``.
            longest: where exact masses have more than about so many bits, the answer is an Interval; None for no limit.

        >>> from exactdp import Binomial, shift_profile
        >>> delta, pair = shift_profile(Binomial(4, "1/2")).delta_with_pair(exp_eps=2)
        >>> delta, pair.first, pair.second, pair.exp_eps
        (Fraction(3, 16), {0: 1}, {1: 1}, Fraction(2, 1))

        Cost: as ``delta``.

        Source: BartheOlmedo2013, Theorem 1.
        """
        bits, wants_fraction = self._wanted(exp_eps, relative_bits)
        with progress_callback(progress):
            level = read_privacy_level(eps=eps, exp_eps=exp_eps)
            known, at = self._attained(level, bits, wants_fraction, longest)
        return AttainedDelta(exact_answer(known.delta), self._pair(known, at))

    def _attained(
        self, level: PrivacyLevel, bits: int, wants_fraction: bool, longest: int | None
    ) -> tuple[AnyBound, Fraction | Dyadic | None]:
        """Return what is known of delta, by exact masses where they are of a length that is wanted, and the e^eps at
        which no other pair is proved to exceed its pair."""
        engine, at = self._engine, level.exp_eps
        # at an irrational e^eps exact masses tell where it is above every finite likelihood ratio, as at infinity
        is_exact = self._is_within(longest, at) and (level.eps is None or level.eps > engine.ratio_bits)
        if not is_exact and engine.encloses:
            return engine.bound(level.real, bits), at or _below(level, bits)
        known, at = self._bound(level, bits, wants_fraction), at if is_exact else _below(level, bits).fraction()
        return known if known.level is Level.EXACT else replace(known, pair=engine.exactly(at).pair), at

    def _wanted(self, exp_eps: Exact | None, relative_bits: int | None) -> tuple[int, bool]:
        """Return to how many bits delta is enclosed, if it is, and whether a Fraction is wanted instead."""
        bits = self._engine.usual_bits if relative_bits is None else as_relative_bits(relative_bits)
        return bits, exp_eps is not None and relative_bits is None

    def _bound(self, level: PrivacyLevel, bits: int, wants_fraction: bool) -> AnyBound:
        """Return what is known of delta: exactly where a Fraction is wanted and can be had, else to so many bits."""
        engine = self._engine
        if level.eps is not None and engine.is_exact and level.eps * _LOG2_E_BELOW > engine.ratio_bits:
            return self._limit(bits)  # e^eps is above every finite likelihood ratio
        is_exact = wants_fraction and engine.is_exact
        return engine.bound(level.real, None) if is_exact else engine.bracket(level.real, bits)

    def _limit(self, bits: int) -> Bound[Interval]:
        """Return what is known of delta at infinite eps, by exact masses where they are within reach."""
        return self._engine.bound(None, None if self.is_exact else bits).enclosed(bits)

    def exact_delta(self, *, exp_eps: Exact, progress: Progress | None = None) -> Fraction:
        """Return the least delta at ``exp_eps`` as a Fraction; TooLargeError if the profile is not exact."""
        self._check_exact()
        value = self.delta(exp_eps=exp_eps, progress=progress)
        assert isinstance(value, Fraction)
        return value

    def exact_limit(self) -> Fraction:
        """Return delta at infinite eps as a Fraction; TooLargeError if the profile is not exact."""
        self._check_exact()
        return exact_answer(self._engine.exactly(None).delta)

    def epsilon(
        self, delta: Exact, *, relative_bits: int | None = None, progress: Progress | None = None
    ) -> LogRational | Interval:
        """Return the least eps >= 0 with delta(eps) <= ``delta``; infinite if no eps is enough.

        Exact where the profile ``is_exact``: a LogRational, by Newton's method on the envelope (module docstring),
        first for one pair of data sets at a time: its eps is not above the profile's, and a search over all pairs at
        that eps ends, or finds a pair that needs more. Elsewhere 0 and infinity are LogRationals, and anything between
        is an Interval: of relative width at most 2^-53, or where eps is known between two ends from the one to the
        other, each to 10^-6. With ``relative_bits`` each end is found to about 2**-relative_bits of e^eps - 1, which is
        faster for a few bits, and nothing is written out that is enclosed faster. ``progress`` is told of the searches;
        see :mod:`exactdp.progress`.
        """
        target = as_probability(delta, name="delta")
        bits = None if relative_bits is None else as_relative_bits(relative_bits)
        with progress_callback(progress):
            return self._epsilon(target, None, bits)[0]

    def _epsilon(
        self, target: Fraction, longest: int | None, relative_bits: int | None = None
    ) -> tuple[LogRational | Interval, Fraction]:
        """Return the least eps at a target, and an e^eps at which delta is still above it unless eps is 0."""
        engine = self._engine
        if not engine.encloses_faster:
            return self._least_exp_eps(target, Fraction(1)), Fraction(1)
        from exactdp.privacy.inverse import bracket_exp_eps

        bits = DEFAULT_RELATIVE_BITS if relative_bits is None else relative_bits
        bracket = engine.exp_eps_range(target, relative_bits) or bracket_exp_eps(engine, target, bits + _SPARE_BITS)
        if bracket.high is None or bracket.high == 1:
            return LogRational(bracket.high), bracket.low
        if relative_bits is None and self._is_within(longest, bracket.low):
            return self._least_exp_eps(target, bracket.low), bracket.low
        ends = [LogRational(end).enclose() for end in (bracket.low, bracket.high)]
        return Interval(ends[0].lower, ends[1].upper), bracket.low

    def epsilon_with_pair(
        self, delta: Exact, *, longest: int | None = None, progress: Progress | None = None
    ) -> AttainedEpsilon:
        """Return the least eps at ``delta`` together with a pair of data sets that allows no smaller one.

        Args:
            delta, progress: as of ``epsilon``.
            longest: where exact masses have more than about so many bits, the answer is an Interval; None for no limit.

        >>> from exactdp import Binomial, shift_profile
        >>> eps, pair = shift_profile(Binomial(4, "1/2")).epsilon_with_pair("1/8")
        >>> eps, pair.first, pair.second
        (LogRational('3'), {0: 1}, {1: 1})

        Cost: as ``epsilon``, and one search over all pairs.

        Source: Dinkelbach1967, section 3.
        """
        target = as_probability(delta, name="delta")
        with progress_callback(progress):
            eps, low = self._epsilon(target, longest)
            if isinstance(eps, LogRational) and not eps.is_infinite:
                return AttainedEpsilon(eps, None if eps.argument == 1 else self._pair_just_below(eps.argument, target))
            at = low if isinstance(eps, Interval) else None
            is_exact = at is None and self._is_within(longest, None)
            known = self._engine.bound(None if at is None else Real(at), None if is_exact else self._engine.usual_bits)
            return AttainedEpsilon(eps, self._pair(known, at))

    def _pair_just_below(self, exp_eps: Fraction, target: Fraction) -> AttainingPair | None:
        """Return the pair whose line meets the target at ``exp_eps``: the worst one just below."""
        for bits in _STEPS_BELOW:
            below = max(Fraction(1), exp_eps * (1 - Fraction(1, 2**bits)))
            if (event := self._engine.worst(below)).delta(exp_eps) == target:
                return AttainingPair(*self.source.shown(event.first, event.second), below)
        return None

    def _is_within(self, longest: int | None, exp_eps: Fraction | None) -> bool:
        """Whether exact masses at ``exp_eps`` (None: infinity) are within reach, and of at most about so many bits."""
        engine = self._engine
        return engine.is_exact and (longest is None or engine.answer_bits(exp_eps) <= longest)

    def _pair(self, known: AnyBound, exp_eps: Fraction | Dyadic | None) -> AttainingPair | None:
        """Return the pair of what is known as its user knows it; None where there is nothing to attain."""
        return None if is_zero(known.delta) else AttainingPair(*self.source.shown(*known.pair), exp_eps)

    def exact_epsilon(self, delta: Exact, *, progress: Progress | None = None) -> LogRational:
        """Return the least eps at ``delta`` as a LogRational; TooLargeError if the profile is not exact."""
        self._check_exact()
        value = self.epsilon(delta, progress=progress)
        assert isinstance(value, LogRational)
        return value

    def _least_exp_eps(self, target: Fraction, exp_eps: Fraction) -> LogRational:
        """Return the least eps exactly; it is not below ln ``exp_eps``."""
        while (event := self._engine.worst(exp_eps)).delta(exp_eps) > target:
            if event.mass_second == 0:
                return LogRational(None)
            pair = self.source.pair(event)
            needed = newton(engine_of(pair or self.source), target, exp_eps if pair is None else Fraction(1))
            if pair is None or needed.is_infinite:
                return needed
            exp_eps = needed.argument
        return LogRational(exp_eps)

    def _repr_html_(self) -> str:
        """The profile as a notebook shows it: whose it is, and where a search takes milliseconds also some values."""
        engine = self._engine
        facts = {
            "of": self.source.subject,
            "over": self.source.scope,
            "engine": f"{engine.name}, {engine.level}",
        }
        about = facts_html("Privacy profile", {name: escape(fact) for name, fact in facts.items()})
        if not _is_quick(engine):
            return about
        pure = self.epsilon(0)._repr_html_()
        deltas = [(exp_eps, self.exact_delta(exp_eps=exp_eps)) for exp_eps in _SHOWN_EXP_EPS]
        rows = [
            (str(exp_eps), escape(fraction_text(value)), decimal_html(decimal_text(value, up=True)))
            for exp_eps, value in deltas
        ]
        values = table_html("Least delta at each e^eps", ("e^eps", "delta", "decimal, rounded up"), rows)
        return f"<div>{about}{values}<p>Least eps with delta = 0: {pure}</p></div>"

    def _repr_latex_(self) -> str:
        """The definition of delta in LaTeX."""
        event = r"P_D(T) - e^{\varepsilon} P_{D'}(T)"
        return rf"$\delta(\varepsilon) = \sup_{{D \sim D'}} \, \max_{{T}} \, \left({event}\right)$"

    def _check_exact(self) -> None:
        if (refusal := self._engine.refusal) is not None:
            raise TooLargeError(refusal)

    def worst_pair(self, *, exp_eps: Exact, progress: Progress | None = None) -> WorstPair:
        """Return a pair of data sets, in the worse order, whose divergence at ``exp_eps`` >= 1 is delta.

        It is searched over all neighbouring data sets, never assumed. A randomizer with one input has no neighbours
        under replacement: then both are the one data set. Cost and ``progress``: as ``delta``.
        """
        exact = read_privacy_level(eps=None, exp_eps=exp_eps).exp_eps
        assert exact is not None
        with progress_callback(progress):
            known = self._engine.bound(Real(exact), None if self.is_exact else self._engine.usual_bits)
        return WorstPair(*self.source.shown(*known.pair), exact_answer(exact), exact_answer(known.pair_delta))

    def to_dp_accounting(
        self,
        *,
        discretization: Exact = "1/256",
        up_to: Exact | None = None,
        pessimistic: bool = True,
        exp_eps: Exact | None = None,
    ) -> Any:
        """Return a privacy loss distribution for dp-accounting: nowhere below delta, or nowhere above it.

        That is proved alone and in compositions, but for that package's own floats (``exactdp.exchange``).

        Args:
            discretization: the distance of losses, a power of two.
            up_to: if pessimistic, the eps from which on losses count as infinite; None for where delta <= 1e-15.
            pessimistic: whether it is nowhere below delta, for all pairs; else nowhere above, of real pairs.
            exp_eps: if not pessimistic, the e^eps at which real pairs are compared; by default 1.
        """
        from exactdp.privacy.exchange.profile_losses import profile_losses

        asked: Any = {"up_to": up_to, "pessimistic": pessimistic, "exp_eps": exp_eps}
        return profile_losses(self, step=discretization, **asked).to_dp_accounting()

    def renyi(
        self, order: Exact, *, relative_width: Exact | None = None, progress: Progress | None = None
    ) -> Interval | LogRational:
        """Return the largest Rényi divergence of an order, over all neighbouring pairs in both orders of the pair.

        D_a(P || Q) = ln(E_Q[(P/Q)^a]) / (a - 1). Both ends are proved (:mod:`exactdp.privacy.composition.renyi`).

        Args:
            order: a, above 1, a rational number.
            relative_width: of the Interval, its width over its upper end, for which points are added; default 1/100.
                Where pairs are few, all count and it is much narrower. Elsewhere the upper end is from points of delta
                and the lower end that of one real pair, and what is between them may be wider.
            progress: a callback for finished pieces of work; see :mod:`exactdp.progress`.

        Returns:
            an Interval; a LogRational that is infinite where delta does not fall to 0.

        Raises:
            InvalidValueError: for an order of at most 1.
            UndecidedError: where it is not decided whether the divergence is finite.

        >>> from exactdp import DiscreteGaussian, ShuffleProtocol, randomized_response, shift_profile
        >>> shift_profile(DiscreteGaussian(100)).renyi(2), shift_profile(DiscreteGaussian(100)).zcdp()
        (Interval[0.009999999999, 0.01000000001], Interval[0.004999999999, 0.005000000001])
        >>> ShuffleProtocol(randomized_response(2, gamma="1/2"), 10).privacy_profile().renyi(2)
        Interval[0.162...]

        Cost: a search for the worst pair at each of some hundred points, unless all pairs are few.

        Source: Mironov2017, Definition 3.
        """
        from exactdp.privacy.composition.renyi import renyi_divergence

        with progress_callback(progress):
            return renyi_divergence(((self.source, 1),), order, relative_width)

    def zcdp(self, *, relative_width: Exact | None = None, progress: Progress | None = None) -> Interval | LogRational:
        """Return the least rho with zero-concentrated DP: the Rényi divergence of every order a > 1 is at most rho a.

        Arguments, answers and errors are as of ``renyi``.

        Source: BunSteinke2016, Definition 1.1.
        """
        from exactdp.privacy.composition.renyi import zcdp_rho

        with progress_callback(progress):
            return zcdp_rho(((self.source, 1),), relative_width)

    def compose(self, times: Exact, *, notion: Notion = "adaptive") -> ComposedProfile:
        """Return the profile of ``times`` runs together.

        Args:
            times: at least 1.
            notion: "adaptive" (the default): a pair of neighbouring data sets for each run, chosen after seeing the
                runs before; "non-adaptive": chosen before the first; "same data": one pair for all runs.

        >>> from exactdp import Binomial, shift_profile
        >>> shift_profile(Binomial(1000, "1/2")).compose(10).delta(eps=2)
        Interval[5.21...e-25, 5.22...e-25]
        """
        from exactdp.privacy.composition.composed import ComposedProfile

        return ComposedProfile(((self.source, as_integer(times, name="times", at_least=1)),), notion)

    def tradeoff(self, *, progress: Progress | None = None) -> TradeoffFunction | TradeoffBounds:
        """Return the trade-off function: the lower convex hull over all neighbouring pairs, as an exact polygon.

        Where the profile is not exact, it is between two polygons, from points of both ends of delta: ``.lower`` and
        ``.upper``, and at a type I error an Interval.

        Args:
            progress: called with the pairs that are finished, and how many there are; see :mod:`exactdp.progress`.

        Cost: one pass over the outcomes of all pairs: 1 s for binary randomized response of 500 users. For noise of
        more than 2000 outcomes, about two searches for the worst pair for each vertex with slope below -1. Between two
        polygons: delta at about fifty points.

        Source: DongRothSu2022, Proposition 6.
        """
        engine = self._engine
        if engine.refusal is None:
            return self.exact_tradeoff(progress=progress)
        from exactdp.privacy.composition.tradeoff_bounds import tradeoff_bounds

        bits = engine.usual_bits
        with progress_callback(progress):
            limit = engine.bracket(None, bits).delta
            return tradeoff_bounds(lambda exp_eps: engine.bracket(Real(exp_eps), bits).delta, limit)

    def exact_tradeoff(self, *, progress: Progress | None = None) -> TradeoffFunction:
        """Return the trade-off function as an exact polygon; TooLargeError if the profile is not exact."""
        from exactdp.privacy.tradeoff import TradeoffFunction

        self._check_exact()
        with progress_callback(progress):
            engine = self._engine
            curves = engine.curves()
            if curves is not None:
                events = (event for curve in with_progress(curves.curves, curves.count) for event in curve)
                return TradeoffFunction.from_weights(events, curves.scale)
            first, last = self._engine.worst(Fraction(1)), self._engine.worst(None)
            corners = [first, last, *self._events_between(first, last)]
            return TradeoffFunction.from_events((event.mass_first, event.mass_second) for event in corners)

    def _events_between(self, steep: WorstEvent, flat: WorstEvent) -> list[WorstEvent]:
        """Return the lines of the envelope between two: where they cross, either nothing is above, or a new one."""
        events: list[WorstEvent] = []
        pending = [(steep, flat)]
        while pending:
            left, right = pending.pop()
            if left.mass_second <= right.mass_second:
                continue
            crossing = (left.mass_first - right.mass_first) / (left.mass_second - right.mass_second)
            event = self._engine.worst(max(Fraction(1), crossing))
            report_progress(len(events) + 1)
            if crossing >= 1 and event.delta(crossing) > left.delta(crossing):
                events.append(event)
                pending += [(left, event), (event, right)]
        return events


def compose(*profiles: PrivacyProfile | ComposedProfile, notion: Notion = "adaptive") -> ComposedProfile:
    """Return the profile of one run of each profile, or of what composed profiles run; see ``PrivacyProfile.compose``.

    >>> from exactdp import Binomial, Poisson, shift_profile
    >>> one, other = shift_profile(Binomial(1000, "1/2")), shift_profile(Poisson(300))
    >>> compose(one.compose(5), other).delta(eps=1)
    Interval[1.66...e-12, 1.66...e-12]
    """
    from exactdp.privacy.composition.composed import ComposedProfile

    if not profiles:
        raise InvalidValueError("no profile is given. Pass one or more: compose(first, second).")
    parts: list[tuple[Source, int]] = []
    for profile in profiles:
        if isinstance(profile, PrivacyProfile):
            parts.append((profile.source, 1))
        elif isinstance(profile, ComposedProfile):
            parts += profile.parts
        else:
            raise InvalidValueError(f"a profile has the type {type(profile).__name__}. Pass PrivacyProfiles.")
    return ComposedProfile(tuple(parts), notion)


def newton(engine: Engine, target: Fraction, low: Fraction) -> LogRational:
    """Return eps(target) of an engine whose delta at E = ``low`` is above the target.

    At E the worst line P - E Q meets the target at E' = (P - target) / Q >= E, and eps(target) is not below ln E'.
    Steps are rounded down to few bits until a line repeats; the last one is exact. Between them a bisection pulls
    E up, because Newton's steps are short where delta falls steeply.
    """
    high = None
    event = engine.worst(low)
    steps = 0
    while event.mass_second > 0:
        steps += 1
        report_progress(steps)
        crossing = event.crossing(target)
        rounded = Dyadic.below(crossing, _STEP_BITS).fraction()
        step = rounded if rounded > low else crossing
        after = engine.worst(step)
        if step == crossing or (after.mass_first, after.mass_second) == (event.mass_first, event.mass_second):
            step, after = crossing, engine.worst(crossing)
            if after.delta(crossing) <= target:
                return LogRational(crossing)
        low, event = step, after
        trial = _trial_between(engine, low, high)
        if low < trial:
            after = engine.worst(trial)
            if after.delta(trial) > target:
                low, event = trial, after
            else:
                high = trial
    return LogRational(None)


def _trial_between(engine: Engine, low: Fraction, high: Fraction | None) -> Fraction:
    """Return an E of few bits between ``low`` and ``high`` (None: no bound yet), or ``low`` if there is none."""
    if high is None:
        return Fraction(min(2 * low.__ceil__() ** 2, 2 ** (engine.ratio_bits + 1)))
    middle = Dyadic.below((low + high) / 2, _STEP_BITS).fraction()
    return middle if low < middle < high else low


def _is_quick(engine: Engine) -> bool:
    """Whether a search for the worst pair takes milliseconds."""
    steps = engine.work.steps
    return steps is not None and max(steps, engine.ratio_bits) <= _SHOWN_WORK


def _below(level: PrivacyLevel, bits: int) -> Dyadic:
    """Return a number just below e^eps."""
    return level.enclose(bits + GUARD_BITS).lower
