"""Decides claims about many runs together, and finds lattices on which the checker sees the same.

The engine brackets the composed delta (:mod:`exactdp.composition`). The checker composes privacy curves at the powers
of a rational ratio: finer and finer ratios are tried, and its own sums tell, before any curve is checked, whether one
will do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any, Final

from exactdp.certificates import verify as checker
from exactdp.certificates.certificate import Verdict
from exactdp.certificates.decision import Decision, confirmed, undecided
from exactdp.certificates.encoding import read_integer, read_noise, read_rational, write_integer, write_rational
from exactdp.certificates.neighbor_pairs import Pairs, shift_pairs, shuffle_pairs
from exactdp.certificates.noise_claims import claimed_level, is_listed
from exactdp.composition.composed import ComposedProfile
from exactdp.engines.planner import engine_of
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.epsilon import LogRational
from exactdp.profile import PrivacyProfile

__all__ = ["decide_composed"]

_WIDTHS: Final = ("1/8", "1/100", "1/1000", "1/100000")
_FIRST_LEVELS: Final = 32
_FINER: Final = (1, 4, 16, 64)
_MAX_LEVELS: Final = 4096
_SPARE_BITS: Final = 64
_EXTRA_BITS: Final = 64
_SHARE: Final = 16
"""The part of the gap between the claim and the truth that the mass beyond a curve may take."""


@dataclass(frozen=True)
class _Run:
    """One mechanism of a claim, and how often it is run."""

    pairs: Pairs
    times: int
    is_listed: bool

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> _Run:
        times = read_integer(data["times"])
        if "randomizer" in data:
            return cls(shuffle_pairs(data), times, True)
        return cls(shift_pairs(data), times, is_listed(read_noise(data["law"]), by_steps=True))

    @property
    def profile(self) -> PrivacyProfile:
        return PrivacyProfile(self.pairs.source)

    def reach(self, share: Fraction) -> Fraction:
        """Return an eps beyond which the mechanism's delta exceeds its limit by at most ``share``."""
        limit = self.profile.delta(eps=LogRational(None)).hi
        eps = self.profile.epsilon(min(Fraction(1), limit + share))
        if isinstance(eps, LogRational):
            eps = eps.enclose()
        return eps.hi

    def bits(self, precision: int) -> dict[str, str]:
        return {} if self.is_listed else {"bits": str(precision + _EXTRA_BITS)}

    def curve(self, rho: Fraction, reach: Fraction, precision: int) -> list[int]:
        """Return upper bounds of delta at the powers of rho up to e^reach, in units of 2^-precision."""
        found: list[int] = []
        for power in checker.powers_below(rho):
            exp_eps = Fraction(power, 1 << checker.LATTICE_BITS)
            delta = self._delta(exp_eps, precision)
            found.append(min(1 << precision, ceil(delta * (1 << precision))))
            if len(found) > _MAX_LEVELS or LogRational(exp_eps).enclose().lo >= reach:
                return found
        return found

    def _delta(self, exp_eps: Fraction, precision: int) -> Fraction:
        if self.is_listed and self.profile.is_exact:
            return self.profile.exact_delta(exp_eps=exp_eps)
        delta = self.profile.delta(exp_eps=exp_eps, relative_bits=min(precision, 2**10))
        assert isinstance(delta, Interval)
        return delta.hi + Fraction(1, 1 << precision)

    def worst(self, exp_eps: Fraction) -> dict[str, str]:
        """Return the pair that is worst at e^eps, as the checker is told of it."""
        engine = engine_of(self.pairs.source)
        enclosed = None if engine.is_exact else engine.enclosed(Real(exp_eps), DEFAULT_RELATIVE_BITS)
        event = enclosed or self.pairs.worst(exp_eps)
        return self.pairs.witness(event.first, event.second)


def decide_composed(data: Mapping[str, Any]) -> Decision:
    """Decide whether all runs together are (eps, delta)-DP, adaptively."""
    runs, delta = [_Run.read(run) for run in data["runs"]], read_rational(data["delta"])
    composed = ComposedProfile(tuple((run.pairs.source, run.times) for run in runs))
    sign, value = _compare(composed, data, delta)
    if sign is None:
        why = "are too close" if composed.is_tight else "are not told apart by the bounds of this notion"
        return undecided(f"The composed delta {value} and delta = {short(delta)} {why}.")
    gap = abs(delta - (value if isinstance(value, Fraction) else value.hi if sign <= 0 else value.lo))
    reason = f"The composed delta is {short(value) if isinstance(value, Fraction) else value}."
    if gap == 0 and delta > 0:
        return Decision(Verdict.PROVED, None, f"{reason} The checker's sums are rounded, and this is a tie.")
    if sign > 0:
        return confirmed(data, Verdict.REFUTED, reason, _refutations(data, runs, gap))
    return confirmed(data, Verdict.PROVED, reason, _proofs(data, runs, gap))


def _compare(
    composed: ComposedProfile, data: Mapping[str, Any], delta: Fraction
) -> tuple[int | None, Fraction | Interval]:
    """Return the sign of the composed delta minus the claimed one, None where it stays open, and the last bracket."""
    if composed.is_exact and "exp_eps" in data:
        exact = composed.delta(exp_eps=read_rational(data["exp_eps"]))
        assert isinstance(exact, Fraction)
        return (exact > delta) - (exact < delta), exact
    for width in _WIDTHS:
        value = composed.delta(**claimed_level(data), relative_width=width)
        sign = value.compare(delta)
        if sign is not None:
            return sign, value
    return None, value


def _proofs(data: Mapping[str, Any], runs: list[_Run], gap: Fraction) -> Iterator[dict[str, Any]]:
    """Curves on finer and finer lattices, as far as the checker's sums say that they will do."""
    times = sum(run.times for run in runs)
    delta = read_rational(data["delta"])
    reaches = [run.reach(gap / (_SHARE * times)) for run in runs]
    for rho in _ratios(runs, max(reaches)):
        precision = _precision(gap, rho, times)
        curves = [run.curve(rho, reach, precision) for run, reach in zip(runs, reaches, strict=True)]
        if max(map(len, curves)) > _MAX_LEVELS:
            return
        witness = {
            **_terms(data),
            "ratio": write_rational(rho),
            "precision": str(precision),
            "curves": [
                {"deltas": list(map(write_integer, curve)), "witness": run.bits(precision)}
                for run, curve in zip(runs, curves, strict=True)
            ],
        }
        if _is_enough(data, witness, runs, curves, rho, precision, delta):
            yield witness


def _is_enough(
    data: Mapping[str, Any],
    witness: dict[str, Any],
    runs: list[_Run],
    curves: list[list[int]],
    rho: Fraction,
    precision: int,
    delta: Fraction,
) -> bool:
    """Whether the checker's bound for these curves is at most delta."""
    work = checker.Work()
    times = partial(checker.Losses.times, bits=precision, work=work)
    every = checker.Losses(0, [1 << precision], 0)
    try:
        for run, curve in zip(runs, curves, strict=True):
            losses = checker.Losses.of_curve(curve, rho, precision, work)
            every = times(every, checker.power(losses, run.times, times))
        exp_eps = checker.Level.read({**data, "least": "none"}).below(witness, work)
        return every.divergence(exp_eps, rho, precision, work) <= delta
    except checker.MalformedCertificateError:
        return False


def _refutations(data: Mapping[str, Any], runs: list[_Run], gap: Fraction) -> Iterator[dict[str, Any]]:
    """Pairs that are worst at the share of eps that falls to one run, or at 0, on finer and finer lattices."""
    times = sum(run.times for run in runs)
    share = checker.Level.read({**data, "least": "none"}).below(dict(_terms(data)), checker.Work())
    levels = dict.fromkeys((_root(share, times), Fraction(1)))
    chosen = [[run.worst(level) for run in runs] for level in levels]
    chosen += [[_mirrored(pair) for pair in pairs] for pairs in chosen]
    reach = max(run.reach(gap / (_SHARE * times)) for run in runs)
    for rho in _ratios(runs, reach):
        precision = _precision(gap, rho, times)
        for pairs in {str(pairs): pairs for pairs in chosen}.values():
            yield {
                **_terms(data),
                "ratio": write_rational(rho),
                "precision": str(precision),
                "pairs": [{**pair, **run.bits(precision)} for run, pair in zip(runs, pairs, strict=True)],
            }


def _mirrored(pair: dict[str, Any]) -> dict[str, Any]:
    """The same two data sets in the other order."""
    if "order" in pair:
        return {**pair, "order": "forward" if pair["order"] == "backward" else "backward"}
    return {"first": pair["second"], "second": pair["first"]}


def _ratios(runs: list[_Run], reach: Fraction) -> Iterator[Fraction]:
    """The ratio that all losses are multiples of, where they are two; then lattices of 32, 128, ... levels."""
    largest = {run.profile.epsilon(0) for run in runs if run.profile.is_exact}
    only = largest.pop() if len(largest) == 1 else None
    if isinstance(only, LogRational) and not only.is_infinite and only.argument > 1:
        yield only.argument
    steps = max(1, ceil(_FIRST_LEVELS / reach)) if reach else 1
    yield from (1 + Fraction(1, steps * finer) for finer in _FINER)


def _precision(gap: Fraction, rho: Fraction, times: int) -> int:
    """Bits that keep what is rounded far below the gap: a bend of the curve is rounded by 1 / (rho - 1)."""
    magnitude = gap.denominator.bit_length() - gap.numerator.bit_length() if gap else 0
    fineness = max(0, ceil(1 / (rho - 1)).bit_length())
    return min(checker.MAX_PRECISION - _EXTRA_BITS, max(0, magnitude) + 2 * fineness + times.bit_length() + _SPARE_BITS)


def _terms(data: Mapping[str, Any]) -> dict[str, str]:
    """Terms of the Taylor series of e^eps that leave less than 2^-128 of it."""
    if "exp_eps" in data:
        return {}
    eps, term, terms = read_rational(data["eps"]), Fraction(1), 1
    while term * 2**128 > 1 or terms <= eps:
        term = Fraction(ceil(term * eps / terms * 2**192), 2**192)
        terms += 1
    return {"terms": str(terms)}


def _root(exp_eps: Fraction, times: int) -> Fraction:
    """Return a number near the root of e^eps."""
    bits = 1 << 20
    low, high = bits, bits * max(1, ceil(exp_eps))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if Fraction(middle, bits) ** times <= exp_eps else (low, middle)
    return Fraction(low, bits)
