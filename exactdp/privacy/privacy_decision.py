"""Is this protocol private? A decision in one call: yes, no, or not decided, and why.

delta(eps) of a profile is compared with the delta that is asked about: exactly where both are fractions, else by
enclosing it more and more narrowly. Where e^eps is irrational and the profile exact, delta(eps) <= delta is the same as
eps(delta) <= eps, and eps(delta) has a rational e^eps, so that equality is decided as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, Protocol, TypeAlias, overload, runtime_checkable

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.mechanisms.dataset import Neighbors
from exactdp.numbers.balls import compare_reals
from exactdp.numbers.epsilon import LogRational, PrivacyLevel, read_privacy_level
from exactdp.numbers.exact import Exact, as_probability
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.attained import is_at_most
from exactdp.privacy.composition.composed import ComposedProfile
from exactdp.privacy.profile import PrivacyProfile
from exactdp.progress import Progress, progress_callback


@runtime_checkable
class Profiled(Protocol):
    """A protocol of the package: what has a privacy profile under a neighbouring relation."""

    def privacy_profile(self, *, neighbors: Neighbors = ...) -> PrivacyProfile:
        """Return the profile over all neighbouring data sets."""
        ...


Asked: TypeAlias = Profiled | PrivacyProfile | ComposedProfile

_BITS: Final = (53, 256, 1024, 4096)
"""Relative accuracies at which delta is enclosed, one after the other, until it is on one side."""
_END_BITS: Final = (20, 40)
"""The same for the two ends of a profile that is not tight: more bits do not bring them together."""
_WIDTHS: Final = (Fraction(1, 10**3), Fraction(1, 10**6), Fraction(1, 10**9))
"""The same for many runs together, whose interval has a relative width; each costs about ten times the one before."""


@dataclass(frozen=True, slots=True)
class PrivacyDecision:
    """Whether a protocol is (eps, delta)-DP: True, False, or None where it was not decided, and the reason in words.

    ``delta`` is the least delta at this eps as far as it was computed, None where it was refused. ``level`` says what
    stands behind the answer: "exact", "enclosure", or "none" where there is none.
    """

    is_private: bool | None
    reason: str
    delta: Fraction | Interval | None
    level: str


@overload
def is_private(
    protocol: Asked,
    *,
    delta: Exact,
    eps: Exact | LogRational | None = None,
    exp_eps: Exact | None = None,
    neighbors: Neighbors | None = None,
    reason: Literal[False] = False,
    progress: Progress | None = None,
) -> bool | None: ...
@overload
def is_private(
    protocol: Asked,
    *,
    delta: Exact,
    eps: Exact | LogRational | None = None,
    exp_eps: Exact | None = None,
    neighbors: Neighbors | None = None,
    reason: Literal[True],
    progress: Progress | None = None,
) -> PrivacyDecision: ...


def is_private(
    protocol: Asked,
    *,
    delta: Exact,
    eps: Exact | LogRational | None = None,
    exp_eps: Exact | None = None,
    neighbors: Neighbors | None = None,
    reason: bool = False,
    progress: Progress | None = None,
) -> bool | PrivacyDecision | None:
    """Return whether the protocol is (eps, delta)-DP: True, False, or None where that could not be decided.

    True means that delta(eps) <= ``delta`` is proved for all neighbouring data sets in both orders, False that some
    pair exceeds it; n counts the users who follow the protocol.

    Args:
        protocol: a ShuffleProtocol, an AdditiveProtocol, another value of ``exactdp.protocols``, or a profile: of one
            of these, of noise (``shift_profile``), or of many runs (``compose``).
        delta: in [0, 1], exact.
        eps: at least 0, a rational number or a LogRational.
        exp_eps: e^eps instead of ``eps``, exact, at least 1.
        neighbors: REPLACE_ONE unless said otherwise; not with a profile, which has its own.
        reason: whether to return a PrivacyDecision, with the reason, in place of its answer alone.
        progress: a callback for finished pieces of work; see :mod:`exactdp.progress`.

    Raises:
        InvalidValueError: for a value outside its range, eps and exp_eps both or neither.

    A size that no engine reaches is no error here: the answer is None, and the reason says what was refused.

    >>> from exactdp import ShuffleProtocol, is_private, randomized_response
    >>> protocol = ShuffleProtocol(randomized_response(2, gamma="1/2"), 10)
    >>> is_private(protocol, eps=1, delta="1/100"), is_private(protocol, eps="1/10", delta="1/100")
    (True, False)
    >>> is_private(protocol, exp_eps=2, delta="1/100", reason=True).reason
    'at e^eps = 2 the least delta is 19683/1048576, above 1/100.'

    Cost: as one or a few questions to ``PrivacyProfile.delta``; 1 ms in the example.
    """
    target, privacy_level = as_probability(delta, name="delta"), read_privacy_level(eps=eps, exp_eps=exp_eps)
    try:
        with progress_callback(progress):
            decision = _decide(_profile(protocol, neighbors), privacy_level, target)
    except TooLargeError as error:
        decision = PrivacyDecision(None, str(error), None, "none")
    return decision if reason else decision.is_private


def _profile(protocol: Asked, neighbors: Neighbors | None) -> PrivacyProfile | ComposedProfile:
    if isinstance(protocol, Profiled):
        return protocol.privacy_profile(neighbors=Neighbors.REPLACE_ONE if neighbors is None else neighbors)
    if not isinstance(protocol, PrivacyProfile | ComposedProfile):
        raise InvalidValueError(
            getattr(protocol, "needs_numbers", "")
            or f"protocol has the type {type(protocol).__name__}. Pass a ShuffleProtocol, an AdditiveProtocol or a "
            "profile: of noise, shift_profile(law) is one."
        )
    if neighbors is not None:
        raise InvalidValueError("neighbors is given with a profile, which has its own. Leave it out.")
    return protocol


def _decide(
    profile: PrivacyProfile | ComposedProfile, privacy_level: PrivacyLevel, target: Fraction
) -> PrivacyDecision:
    """Compare ever narrower values of delta with the target, until it is on one side."""
    exp_eps, eps = privacy_level.exp_eps, privacy_level.eps
    at = f"e^eps = {short(exp_eps)}" if exp_eps is not None else f"eps = {short(eps or Fraction(0))}"
    if isinstance(profile, PrivacyProfile) and not profile.is_tight:
        return _by_ends(profile, privacy_level, target, f"at {at} the least delta is in")
    for value in _values(profile, privacy_level):
        level = "exact" if isinstance(value, Fraction) else "enclosure"
        least = f"at {at} the least delta is {short(value) if isinstance(value, Fraction) else f'in {value}'}"
        if (holds := is_at_most(value, target)) is not None:
            return PrivacyDecision(holds, f"{least}, {'not ' if holds else ''}above {short(target)}.", value, level)
    if eps is not None and profile.is_exact:
        needed = profile.epsilon(target)
        assert isinstance(needed, LogRational)
        return _by_epsilon(needed, eps, target, value)
    return PrivacyDecision(None, f"{least}, and so is {short(target)}: the order is not decided.", value, "none")


def _by_ends(profile: PrivacyProfile, privacy_level: PrivacyLevel, target: Fraction, words: str) -> PrivacyDecision:
    """Compare the two proved ends of delta with the target."""
    for bits in _END_BITS:
        ends = profile.bracket(**privacy_level.keywords, relative_bits=bits)
        value = ends.delta
        if (holds := ends.is_at_most(target)) is not None:
            reason = f"{words} {value}, {'not ' if holds else ''}above {short(target)}."
            return PrivacyDecision(holds, reason, value, "enclosure")
        if ends.keeps_open(target):
            break
    why = "its two proved ends are not proved equal, and the order is not decided"
    return PrivacyDecision(None, f"{words} {value}, and so is {short(target)}: {why}.", value, "none")


def _values(profile: PrivacyProfile | ComposedProfile, privacy_level: PrivacyLevel) -> Iterator[Fraction | Interval]:
    """Yield delta at this level: the fraction alone, where there is one, else ever narrower intervals."""
    if privacy_level.exp_eps is not None and profile.is_exact:
        yield profile.delta(exp_eps=privacy_level.exp_eps)
    elif isinstance(profile, PrivacyProfile):
        yield from (profile.delta(**privacy_level.keywords, relative_bits=bits) for bits in _BITS)
    else:
        yield from (profile.delta(**privacy_level.keywords, relative_width=width) for width in _WIDTHS)


def _by_epsilon(least: LogRational, eps: Fraction, target: Fraction, value: Fraction | Interval) -> PrivacyDecision:
    """Decide delta(eps) <= target as eps(target) <= eps, which is exact."""
    holds = not least.is_infinite and compare_reals(Real.log(least.argument), eps) <= 0
    words = f"the least eps at delta = {short(target)} is {least}, {'not ' if holds else ''}above {short(eps)}."
    return PrivacyDecision(holds, words, value, "exact")
