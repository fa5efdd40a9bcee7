"""Witnesses of claims about many runs: lattices on which the checker sees what the engine has decided.

The checker composes privacy curves at the powers of a rational ratio: finer and finer ratios are tried, and its own
sums tell, before any curve is checked, whether one will do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from math import ceil
from typing import Final

from exactdp.caching import cached_property
from exactdp.checker import budget
from exactdp.checker.budget import Work
from exactdp.checker.composed import Losses, powers_below, self_composed
from exactdp.checker.limits import LATTICE_BITS, MAX_PRECISION
from exactdp.claims.bracket_witnesses import BracketWitnesses
from exactdp.claims.claim_subjects import Pairs, ShuffledView
from exactdp.claims.encoding import JsonObject, Table, drawn_from, write_integers, write_rational
from exactdp.claims.exact_levels import compared, is_listed, series_terms, taylor_bounds
from exactdp.claims.statement import Value
from exactdp.mechanisms.dataset import Neighbors
from exactdp.numbers.epsilon import LogRational, PrivacyLevel
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.amplification import CURVE_BITS
from exactdp.privacy.composition.composed import ComposedProfile
from exactdp.privacy.engine import DataSet
from exactdp.privacy.planner import engine_of

_WIDTHS: Final = ("1/8", "1/100", "1/1000", "1/100000")
"""Relative widths of the brackets that are tried; claims that are not at the truth are decided by the first ones."""
_FIRST_LEVELS: Final = 32
"""Levels of the first lattice: a curve of so many is checked in moments."""
_FINER: Final = (1, 4, 16, 64)
"""How much finer than the first lattice the others are."""
_MAX_LEVELS: Final = 4096
"""Most levels of a curve; the checker compares all shifts at each."""
_SPARE_BITS: Final = 64
"""Bits that the roundings of the checker's sums may take, beside those that are counted."""
_EXTRA_BITS: Final = 64
"""Bits by which laws are enclosed more closely than their curves are stated."""
_MAX_CURVE_BITS: Final = 2**10
"""Most relative bits of an enclosed delta of a curve; they are rounded up to the precision of the curve."""
_ROOT_BITS: Final = 20
"""How closely the share of eps that falls to one run is found; any pair that is worst near it will do."""
_SLACKS: Final = (Fraction(1, 50), Fraction(1, 500))
"""Shares by which the bounds of a curve by blankets are raised: the first is checked in moments at each level."""
_SHARE: Final = 16
"""The part of the gap between the claim and the truth that the mass beyond a curve may take."""


@dataclass(frozen=True)
class RunWitnesses:
    """One mechanism of a claim, and how often it is run."""

    pairs: Pairs
    times: int

    @cached_property
    def is_listed(self) -> bool:
        """Whether the checker lists the weights exactly."""
        mechanism = self.pairs.mechanism
        return isinstance(mechanism, ShuffledView) or is_listed(drawn_from(mechanism.law), by_steps=True)

    def horizon(self, share: Fraction) -> Fraction:
        """Return an eps beyond which the mechanism's delta exceeds its limit by at most ``share``."""
        limit = self.pairs.profile.delta(eps=LogRational(None)).hi
        eps = self.pairs.profile.epsilon(min(Fraction(1), limit + share))
        if isinstance(eps, LogRational):
            eps = eps.enclose()
        return eps.hi

    @cached_property
    def has_blankets(self) -> bool:
        """Whether each level of a curve needs a witness of its own, because the checker does not list the views."""
        view = self.pairs.mechanism
        if not isinstance(view, ShuffledView):
            return False
        if not isinstance(view.randomizer, Table) or engine_of(self.pairs.source).is_bracket:
            return True
        return not self.pairs.profile.is_exact and view.neighbors is Neighbors.REPLACE_ONE

    def curve_witness(self, curve: list[int], rho: Fraction, precision: int) -> JsonObject | None:
        """Return what shows a curve to the checker; None if a level has no blanket that does."""
        view = self.pairs.mechanism
        if not (isinstance(view, ShuffledView) and self.has_blankets):
            return self.bits(precision)
        levels = []
        for delta, power in zip(curve, powers_below(rho), strict=False):
            level = PrivacyLevel(Fraction(power, 1 << LATTICE_BITS))
            blanket = next(BracketWitnesses(view, level, Fraction(delta, 1 << precision)).proofs(), None)
            if blanket is None:
                return None
            levels.append(blanket)
        return {"levels": levels}

    def bits(self, precision: int) -> dict[str, str]:
        return {} if self.is_listed else {"bits": str(precision + _EXTRA_BITS)}

    def curve(self, rho: Fraction, horizon: Fraction, precision: int, slack: Fraction) -> list[int]:
        """Return upper bounds of delta at the powers of rho up to e^horizon, in units of 2^-precision; ``slack`` is the
        share by which bounds by a blanket are raised, so that a lattice can show them."""
        bounds: list[int] = []
        for power in powers_below(rho):
            exp_eps = Fraction(power, 1 << LATTICE_BITS)
            delta = self._delta(exp_eps, precision, slack)
            bounds.append(min(1 << precision, ceil(delta * (1 << precision))))
            if len(bounds) > _MAX_LEVELS or LogRational(exp_eps).enclose().lo >= horizon:
                return bounds
        return bounds

    def _delta(self, exp_eps: Fraction, precision: int, slack: Fraction) -> Fraction:
        if self.has_blankets:
            view = self.pairs.mechanism
            assert isinstance(view, ShuffledView)
            upper = BracketWitnesses(view, PrivacyLevel(exp_eps), Fraction(0)).upper(exp_eps, CURVE_BITS)
            return upper * (1 + slack) + Fraction(1, 1 << precision)
        if self.is_listed and self.pairs.profile.is_exact:
            return self.pairs.profile.exact_delta(exp_eps=exp_eps)
        delta = self.pairs.profile.delta(exp_eps=exp_eps, relative_bits=min(precision, _MAX_CURVE_BITS))
        assert isinstance(delta, Interval)
        return delta.hi + Fraction(1, 1 << precision)

    def pair_at(self, exp_eps: Fraction, precision: int, *, swapped: bool) -> JsonObject | None:
        """Return the pair that is worst at e^eps, or that in the other order, as a witness; None if none is known."""
        view = self.pairs.mechanism
        if isinstance(view, ShuffledView) and self.has_blankets:
            return BracketWitnesses(view, PrivacyLevel(exp_eps), Fraction(0)).likelihoods(swapped=swapped)
        first, second = self.worst(exp_eps)
        pair = (second, first) if swapped else (first, second)
        return {**view.witness(*pair), **self.bits(precision)}

    def worst(self, exp_eps: Fraction) -> _Pair:
        """Return the pair that is worst at e^eps."""
        engine = self.pairs.engine
        return engine.bound(Real(exp_eps), None if engine.is_exact else DEFAULT_RELATIVE_BITS).pair


_Pair = tuple[DataSet, DataSet]


def compared_with(composed: ComposedProfile, level: PrivacyLevel, delta: Fraction) -> tuple[int | None, Value]:
    """Return the sign of the composed delta minus the claimed one, None if it stays open, and the last bracket."""
    exp_eps = level.exp_eps
    if composed.is_exact and exp_eps is not None:
        return compared(lambda _: composed.delta(exp_eps=exp_eps), delta)
    return compared(lambda width: composed.delta(**level.keywords, relative_width=width), delta, accuracies=_WIDTHS)


@dataclass(frozen=True)
class Search:
    """The search for a witness, given the gap between the claimed delta and the true one."""

    level: PrivacyLevel
    delta: Fraction
    runs: list[RunWitnesses]
    gap: Fraction

    @cached_property
    def times(self) -> int:
        """All runs."""
        return sum(run.times for run in self.runs)

    @cached_property
    def horizons(self) -> list[Fraction]:
        """For each mechanism the eps up to which its curve matters."""
        return [run.horizon(self.gap / (_SHARE * self.times)) for run in self.runs]

    @cached_property
    def terms(self) -> int | None:
        """Terms of the Taylor series of e^eps that leave next to nothing of it; None if e^eps is rational."""
        eps = self.level.eps
        return None if eps is None else series_terms(eps)

    @cached_property
    def exp_eps(self) -> Fraction:
        """The e^eps of the claim, or the partial sum of its series that the checker takes."""
        if self.level.eps is None or self.terms is None:
            return self.level.exp_eps or Fraction(1)
        return taylor_bounds(self.level.eps, self.terms)[0]

    def lattice(self, rho: Fraction) -> dict[str, str]:
        """Return what a witness says of its lattice."""
        terms = {} if self.terms is None else {"terms": str(self.terms)}
        return {**terms, "ratio": write_rational(rho), "precision": str(self.precision(rho))}

    def precision(self, rho: Fraction) -> int:
        """Return bits that keep what is rounded far below the gap: a bend of a curve is rounded by 1 / (rho - 1)."""
        magnitude = self.gap.denominator.bit_length() - self.gap.numerator.bit_length() if self.gap else 0
        fineness = max(0, ceil(1 / (rho - 1)).bit_length())
        bits = max(0, magnitude) + 2 * fineness + self.times.bit_length() + _SPARE_BITS
        return min(MAX_PRECISION - _EXTRA_BITS, bits)

    def ratios(self) -> Iterator[Fraction]:
        """Yield the ratio that all losses are multiples of, if they are two; then lattices of 32, 128, ... levels."""
        largest = {run.pairs.profile.epsilon(0) for run in self.runs if run.pairs.profile.is_exact}
        only = largest.pop() if len(largest) == 1 else None
        if isinstance(only, LogRational) and not only.is_infinite and only.argument > 1:
            yield only.argument
        horizon = max(self.horizons)
        steps = max(1, ceil(_FIRST_LEVELS / horizon)) if horizon else 1
        yield from (1 + Fraction(1, steps * finer) for finer in _FINER)

    def proofs(self) -> Iterator[JsonObject]:
        """Yield curves on finer and finer lattices, as far as the checker's sums say that they will do."""
        raised = _SLACKS if any(run.has_blankets for run in self.runs) else _SLACKS[:1]
        for rho, slack in product(self.ratios(), raised):
            precision = self.precision(rho)
            curves = [
                run.curve(rho, horizon, precision, slack) for run, horizon in zip(self.runs, self.horizons, strict=True)
            ]
            if max(map(len, curves)) > _MAX_LEVELS:
                return
            if self._is_enough(curves, rho, precision):
                shown_by = [
                    run.curve_witness(curve, rho, precision) for run, curve in zip(self.runs, curves, strict=True)
                ]
                if None not in shown_by:
                    listed: list[JsonObject] = [
                        {"deltas": write_integers(curve), "witness": witness or {}}
                        for curve, witness in zip(curves, shown_by, strict=True)
                    ]
                    yield {**self.lattice(rho), "curves": listed}

    def _is_enough(self, curves: list[list[int]], rho: Fraction, precision: int) -> bool:
        """Whether the checker's bound for these curves is at most delta."""
        work = Work()
        times = partial(Losses.times, bits=precision, work=work)
        every = Losses(0, [1 << precision], 0)
        try:
            for run, curve in zip(self.runs, curves, strict=True):
                losses = Losses.of_curve(curve, rho, precision, work)
                every = times(every, self_composed(losses, run.times, times))
            return every.divergence(self.exp_eps, rho, precision, work) <= self.delta
        except budget.MalformedCertificateError:
            return False

    def refutations(self, orders: Sequence[Sequence[bool]] = ()) -> Iterator[JsonObject]:
        """Yield pairs that are worst at one run's share of eps, or at 0, on finer and finer lattices.

        Args:
            orders: of the pairs of all mechanisms, which of them are swapped; by default none, or all.
        """
        levels = dict.fromkeys((_root(self.exp_eps, self.times), Fraction(1)))
        chosen = list(product(orders or [[swapped] * len(self.runs) for swapped in (False, True)], levels))
        for rho in self.ratios():
            precision, seen = self.precision(rho), list[list[JsonObject | None]]()
            for order, level in chosen:
                pairs = [
                    run.pair_at(level, precision, swapped=swapped)
                    for run, swapped in zip(self.runs, order, strict=True)
                ]
                if None not in pairs and pairs not in seen:
                    seen.append(pairs)
                    yield {**self.lattice(rho), "pairs": [pair or {} for pair in pairs]}


def _root(exp_eps: Fraction, times: int) -> Fraction:
    """Return a number near the root of e^eps."""
    unit = 1 << _ROOT_BITS
    low, high = unit, unit * max(1, ceil(exp_eps))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if Fraction(middle, unit) ** times <= exp_eps else (low, middle)
    return Fraction(low, unit)
