"""eps(delta) from brackets of the composed delta.

delta does not rise in eps. So where the lower end at an eps is above the target, eps(target) is not below it, and
where the upper end is not, it is not above it. An eps that neither end decides is between the two places where they
do, and each is then looked for on its own side."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Final, TypeAlias

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.privacy.attained import is_at_most
from exactdp.privacy.inverse import short_near
from exactdp.progress import report_progress

Bracketed: TypeAlias = Callable[[Fraction, Fraction], Interval]
"""From eps and a relative width to a bracket of delta."""

_COARSE: Final = Fraction(1, 4)
"""A bracket of this width decides most places before one of the width asked for is computed."""

_LARGEST: Final = 2**16
"""No larger eps is looked for."""

_BITS: Final = 40
"""Ends are rounded outward to so many bits, far below any width that is asked for."""


def searched_eps(
    bracketed: Bracketed, target: Fraction, width: Fraction, rough: Callable[[Fraction], Dyadic] | None = None
) -> LogRational | Interval:
    """Return eps(target), of relative width at most ``width`` where the brackets of delta close.

    ``rough`` gives an upper bound of delta that costs little, where there is one: it decides far from the target.
    """
    if target == 0:
        raise InvalidValueError(
            "delta=0 has no eps here: the composed losses are only enclosed. Add up the pure eps of the runs instead."
        )
    search = _Search(bracketed, target, width, rough)
    if search.is_enough(Fraction(0)):
        return LogRational(1)
    low, high = Fraction(0), Fraction(1)
    while (is_enough := search.is_enough(high)) is False:
        low, high = high, 2 * high
        if high > _LARGEST:
            raise TooLargeError(
                f"composition: eps at delta={short(target)} is above {_LARGEST}, the limit. Ask for a larger delta."
            )
    middle = high if is_enough is None else None
    while is_enough is None:  # an end where delta is certainly not above the target
        high *= 2
        is_enough = search.is_enough(high)
        if high > _LARGEST:
            raise TooLargeError(
                f"composition: no eps up to {_LARGEST} is enough for delta={short(target)}, as far as is proved. "
                "Ask for a larger delta."
            )
    undecided = None if middle is None else (middle, middle)
    while high - low > width / 2 * high:
        sides = [(low, high)] if undecided is None else [(low, undecided[0]), (undecided[1], high)]
        left, right = max(sides, key=_length)
        place = short_near((left + right) / 2, high - low, spare=8)
        if not low < place < high:
            break
        is_enough = search.is_enough(place)
        if is_enough:
            high = place
        elif is_enough is False:
            low = place
        else:
            undecided = (place, place) if undecided is None else (min(undecided[0], place), max(undecided[1], place))
        if undecided is not None and max(undecided[0] - low, high - undecided[1]) <= width / 8 * high:
            break
    return Interval(Dyadic.below(low, _BITS), Dyadic.above(high, _BITS))


def _length(side: tuple[Fraction, Fraction]) -> Fraction:
    return side[1] - side[0]


class _Search:
    """Decides delta(eps) <= target, by a coarse bracket first."""

    def __init__(
        self, bracketed: Bracketed, target: Fraction, width: Fraction, rough: Callable[[Fraction], Dyadic] | None
    ) -> None:
        self.bracketed, self.target, self.widths, self.rough = bracketed, target, (_COARSE, width), rough
        self.brackets = 0

    def is_enough(self, eps: Fraction) -> bool | None:
        """Whether delta is at most the target; None where that is not proved either way."""
        if self.rough is not None and self.rough(eps).compare(self.target) <= 0:
            return True
        for width in self.widths:
            delta = self.bracketed(eps, width)
            self.brackets += 1
            report_progress(self.brackets)
            if (is_enough := is_at_most(delta, self.target)) is not None:
                return is_enough
        return None
