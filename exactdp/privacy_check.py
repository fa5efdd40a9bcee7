"""A decision in one call: is this protocol (eps, delta)-DP?

The answer is True or False only where it is proved: by an exact delta, or by an enclosure of it on one side of the
target. Otherwise it is None, never a guess; the reason says what stands behind an answer, or what is in its way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, overload

from exactdp.engines.inverse import EnclosingEngine
from exactdp.engines.planner import engine_of
from exactdp.errors import InvalidValueError, TooLargeError, UndecidedError
from exactdp.kernel.tilted import ManyUsersError
from exactdp.models.neighbors import Neighbors
from exactdp.numbers.exact import Exact, as_probability
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.interval import Interval
from exactdp.numbers.notation import upper_decimal
from exactdp.patience import Progress, reported
from exactdp.privacy.epsilon import ExpEps, LogRational, read_exp_eps
from exactdp.profile import PrivacyProfile
from exactdp.protocol import AdditiveProtocol, ShuffleProtocol

__all__ = ["Decision", "is_private"]

_BITS: Final = (20, 64, 256, 1024)


@dataclass(frozen=True, slots=True)
class Decision:
    """An answer with its reason.

    Args:
        answer: True or False where it is proved, else None.
        reason: in one sentence.
        level: what stands behind the answer, a word of :mod:`exactdp.levels`: "exact", "enclosure" or "none".
        delta: the least delta at this eps, exact or enclosed; None where it could not be computed.
    """

    answer: bool | None
    reason: str
    level: str
    delta: Fraction | Interval | None = None


@overload
def is_private(
    protocol: ShuffleProtocol | AdditiveProtocol,
    *,
    eps: Exact | LogRational | None = None,
    exp_eps: Exact | None = None,
    delta: Exact,
    neighbors: Neighbors = Neighbors.REPLACE_ONE,
    reason: Literal[False] = False,
    progress: Progress | None = None,
) -> bool | None: ...
@overload
def is_private(
    protocol: ShuffleProtocol | AdditiveProtocol,
    *,
    eps: Exact | LogRational | None = None,
    exp_eps: Exact | None = None,
    delta: Exact,
    neighbors: Neighbors = Neighbors.REPLACE_ONE,
    reason: Literal[True],
    progress: Progress | None = None,
) -> Decision: ...


def is_private(
    protocol: ShuffleProtocol | AdditiveProtocol,
    *,
    eps: Exact | LogRational | None = None,
    exp_eps: Exact | None = None,
    delta: Exact,
    neighbors: Neighbors = Neighbors.REPLACE_ONE,
    reason: bool = False,
    progress: Progress | None = None,
) -> bool | Decision | None:
    """Return whether the protocol is (eps, delta)-DP: True or False where that is proved, None where it is open.

    Over all neighbouring data sets, both orders, of n users who follow the protocol.

    Args:
        protocol: a ShuffleProtocol or an AdditiveProtocol (a noise law: ``AdditiveProtocol(law)``).
        eps, exp_eps: one of eps >= 0 and e^eps >= 1.
        delta: in [0, 1].
        neighbors: the neighbouring relation.
        reason: with True a :class:`Decision` is returned, which has the answer, the reason, the level and delta.
        progress: told of finished pieces of work; see :mod:`exactdp.patience`.

    Raises:
        InvalidValueError: for bad arguments. Work that is too large is no error: the answer is None.

    >>> from exactdp import randomized_response, ShuffleProtocol
    >>> protocol = ShuffleProtocol(randomized_response(2, gamma="1/2"), 100)
    >>> is_private(protocol, eps=1, delta="1e-6"), is_private(protocol, eps="1/2", delta="1e-6")
    (True, False)
    >>> is_private(protocol, exp_eps=2, delta="1e-6", reason=True).reason
    'delta is 1.585614e-8 (52/60 digits), at most 0.000001.'

    Cost: as ``PrivacyProfile.delta``, at few bits first.
    """
    if not isinstance(protocol, ShuffleProtocol | AdditiveProtocol):
        raise InvalidValueError(
            f"protocol has the type {type(protocol).__name__}. Pass a ShuffleProtocol or an AdditiveProtocol; for a "
            "noise law AdditiveProtocol(law)."
        )
    if not isinstance(reason, bool):
        raise InvalidValueError(f"reason={reason!r} is no bool. Pass True or False.")
    target = as_probability(delta, name="delta")
    infinite = isinstance(eps, LogRational) and eps.is_infinite and exp_eps is None
    order = None if infinite else read_exp_eps(eps=eps, exp_eps=exp_eps)
    with reported(progress):
        try:
            found = _decided(protocol.privacy_profile(neighbors=neighbors), order, target)
        except (TooLargeError, UndecidedError) as error:
            found = Decision(None, str(error), "none")
    return found if reason else found.answer


def _decided(profile: PrivacyProfile, order: ExpEps | None, target: Fraction) -> Decision:
    """Decide by the exact delta where it is soon there, else by enclosures, else by the exact delta all the same."""
    engine = engine_of(profile.source)
    exp_eps = None if order is None or not engine.is_exact else order.exact
    if exp_eps is not None and not (isinstance(engine, EnclosingEngine) and engine.encloses_faster):
        return _exactly(profile, exp_eps, target)
    found: Interval | None = None
    for bits in _BITS[: 2 if exp_eps is not None else None]:
        found = _enclosed(lambda bits=bits: _delta(profile, order, bits), target)  # type: ignore[misc]
        if (sign := found.compare(target)) is not None or found.upper.compare(target) <= 0:
            holds = sign != 1
            return Decision(holds, f"delta is in {found}, {_side(holds, target)}.", "enclosure", found)
    if exp_eps is not None:
        return _exactly(profile, exp_eps, target)
    words = f"delta is in {found}, which does not tell it from {_decimal(target)}, at {_BITS[-1]} bits."
    return Decision(None, words, "none", found)


def _exactly(profile: PrivacyProfile, exp_eps: Fraction, target: Fraction) -> Decision:
    delta = profile.exact_delta(exp_eps=exp_eps)
    return Decision(delta <= target, f"delta is {delta}, {_side(delta <= target, target)}.", "exact", delta)


def _delta(profile: PrivacyProfile, order: ExpEps | None, bits: int) -> Interval:
    if order is None:
        return profile.delta(eps=LogRational(None), relative_bits=bits)
    if order.exact is not None:
        return profile.delta(exp_eps=order.exact, relative_bits=bits)
    assert order.eps is not None
    return profile.delta(eps=order.eps, relative_bits=bits)


def _enclosed(delta: Callable[[], Interval], target: Fraction) -> Interval:
    """Return an enclosure, or the bracket of one order of the data sets where that is proved to be above the target."""
    try:
        return delta()
    except ManyUsersError as error:
        if error.bracket.lower.compare(target) > 0:
            return error.bracket
        raise


def _side(holds: bool, target: Fraction) -> str:
    return f"{'at most' if holds else 'above'} {_decimal(target)}"


def _decimal(target: Fraction) -> str:
    """Return the target as a short decimal where it is one."""
    text = upper_decimal(target)
    return text if Fraction(text) == target else str(exact_answer(target))
