"""How many users take part, in parts: what is known at one number of users is used for a range of them.

Each user of each class takes part with probability q. Adding users to a shuffled view, or to several, is
post-processing: so what bounds the divergence from above for the fewest of a range bounds it for all of the range, and
what bounds it from below for the most does. Few numbers are listed one by one; of many, the classes of the others are
cut by one number each, beyond which only a small part of the probability lies.

Weights are rounded up above and down below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, product
from math import isqrt, prod
from typing import Final

from exactdp.laws.binomial import Binomial
from exactdp.numbers.dyadic import Dyadic

_LISTED: Final = 64
"""So many numbers of users, of all classes together, are listed one by one."""

_ABOVE: Final = (Fraction(-3), Fraction(-1), Fraction(1, 2))
"""Where the numbers of the own class are cut above, in standard deviations: what is left costs some 10^-4 of eps."""
_BELOW: Final = (Fraction(1, 2), Fraction(4))
"""Up to where they reach below."""
_OTHERS: Final = Fraction(-5, 2)
"""Where those of other classes are cut above."""

_FINER: Final = tuple(Fraction(z, 2) for z in (-12, -6, -3, -1, 1, 3, 6, 12))
"""Where shares of those who take part are told apart above, which costs no more questions."""
_COARSER: Final = (Fraction(-3), Fraction(-1), Fraction(3, 2))
"""And below, where each costs a polygon."""


@dataclass(frozen=True, slots=True)
class Part:
    """A range of numbers of users who take part, and what stands for it.

    Args:
        weight: its probability.
        users: of each class, as many as take part at least, above, or at most, below.
        least, most: between which the number of the own class lies.
    """

    weight: Fraction
    users: tuple[int, ...]
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Attendance:
    """How many users of each class take part, beside one of class ``place`` who may differ.

    ``is_certain``: that one does, and the others with ``share`` each; else he does like the others.
    """

    sizes: tuple[int, ...]
    place: int
    share: Fraction
    is_certain: bool

    def above(self, little: int) -> tuple[Part, ...]:
        """Return parts that bound from above; what they leave out has a probability of about 2^-little."""
        return self._listed() or tuple(_merged(_above(self, little)))

    def below(self, little: int) -> tuple[Part, ...]:
        """Return parts that bound from below, each above what ``above`` leaves out."""
        return self._listed() or tuple(_merged(_below(self, little)))

    def _listed(self) -> tuple[Part, ...]:
        """Return every number, where they are few; none where they are many."""
        laws, parts = [self.own, *self.others], list[Part]()
        if not self.is_listed:
            return ()
        for counts in product(*(range(law.n + 1) for law in laws)):
            own = counts[0] + self.is_certain
            weight = prod((law.exact_pmf(k) for law, k in zip(laws, counts, strict=True)), start=Fraction(1))
            if own:
                parts.append(Part(weight, self.joined(own, counts[1:]), own, own))
        return tuple(parts)

    @property
    def is_listed(self) -> bool:
        """Whether every number stands for itself."""
        return prod(law.n + 1 for law in (self.own, *self.others)) <= _LISTED

    def left_out(self, little: int) -> Fraction:
        """Return a number that the probability of what ``above`` leaves out does not exceed."""
        return Fraction(0) if self.is_listed else Fraction(len(self.sizes), 2**little)

    @property
    def own(self) -> Binomial:
        """The law of how many of the own class take part, less the one who does for certain."""
        return Binomial(self.sizes[self.place] - self.is_certain, self.share)

    @property
    def others(self) -> list[Binomial]:
        """The laws of how many of the other classes do."""
        return [Binomial(n, self.share) for place, n in enumerate(self.sizes) if place != self.place]

    def joined(self, own: int, others: Sequence[int]) -> tuple[int, ...]:
        """Return the numbers of all classes, in their order."""
        return (*others[: self.place], own, *others[self.place :])

    def own_at(self, place: Fraction) -> int:
        """Return the number of the own class so many standard deviations from its mean, at least 1."""
        return max(1, _at(self.own, place) + self.is_certain)

    def least(self, little: int) -> tuple[int, tuple[int, ...]]:
        """Return the least numbers, of the own and of other classes, that are not left out."""
        far = Fraction(1, 2**little)
        own = _quantile(self.own, far) + self.is_certain
        return max(1, own), tuple(_quantile(law, far) for law in self.others)

    def between(self, least: int, most: int, *, up: bool) -> Fraction:
        """Return the probability that the number of the own class is from ``least`` to ``most``, rounded."""
        low, high = least - self.is_certain, most - self.is_certain
        if 2 * low > 2 * self.own.mode:  # far above the mean, what lies beyond is small and known well
            far, near = _sf(self.own, high), _sf(self.own, low - 1)
            found = near[1] - far[0] if up else near[0] - far[1]
        else:
            far, near = _cdf(self.own, low - 1), _cdf(self.own, high)
            found = near[1] - far[0] if up else near[0] - far[1]
        return max(Fraction(0), found)


def _above(one: Attendance, little: int) -> Iterator[Part]:
    least, far = one.least(little)
    most = one.own.n + one.is_certain
    near = tuple(max(low, _at(law, _OTHERS)) for low, law in zip(far, one.others, strict=True))
    reach = prod((1 - _cdf(law, low - 1)[0] for law, low in zip(one.others, near, strict=True)), start=Fraction(1))
    cuts = [least, *(max(least, one.own_at(z)) for z in _ABOVE), most + 1]
    for start, stop in pairwise(cuts):
        for low, high in _ranges(one, start, stop, _FINER):
            yield Part(one.between(low, high, up=True) * reach, one.joined(start, near), low, high)
    if near != far:
        rest = sum((_cdf(law, low - 1)[1] for law, low in zip(one.others, near, strict=True)), Fraction(0))
        yield Part(min(Fraction(1), rest), one.joined(least, far), least, most)


def _below(one: Attendance, little: int) -> Iterator[Part]:
    least, far = one.least(little)
    before, start = Fraction(0), least
    for z in _BELOW:
        stop = min(one.own_at(z), one.own.n + one.is_certain)
        most = tuple(min(law.n, _at(law, z)) for law in one.others)
        ranges = zip(one.others, far, most, strict=True)
        chances = (max(Fraction(0), _cdf(law, high)[0] - _cdf(law, low - 1)[1]) for law, low, high in ranges)
        reach = prod(chances, start=Fraction(1))
        users = one.joined(stop, most)
        for low, high in _ranges(one, least, start, _COARSER):  # more of the others than before
            yield Part(one.between(low, high, up=False) * max(Fraction(0), reach - before), users, low, high)
        for low, high in _ranges(one, start, stop + 1, _COARSER):
            yield Part(one.between(low, high, up=False) * reach, users, low, high)
        before, start = reach, max(start, stop + 1)


def _ranges(one: Attendance, start: int, stop: int, cuts: Sequence[Fraction]) -> Iterator[tuple[int, int]]:
    """Yield finer ranges from ``start`` to before ``stop``: their first and last numbers."""
    if stop <= start:
        return
    inside = {start, *(cut for z in cuts if start < (cut := one.own_at(z)) < stop), stop}
    yield from ((low, high - 1) for low, high in pairwise(sorted(inside)))


def _merged(parts: Iterator[Part]) -> Iterator[Part]:
    """Yield the parts of some probability."""
    yield from (part for part in parts if part.weight)


def _at(law: Binomial, place: Fraction) -> int:
    deviation = isqrt(int(law.n * law.p * (1 - law.p) * 2**16))
    return min(law.n, max(0, int(law.n * law.p + place * deviation / 2**8)))


@lru_cache(maxsize=256)
def _quantile(law: Binomial, q: Fraction) -> int:
    return law.quantile(q)


@lru_cache(maxsize=1024)
def _cdf(law: Binomial, k: int) -> tuple[Fraction, Fraction]:
    if k < 0 or k >= law.n:
        return (Fraction(int(k >= 0)),) * 2
    found = law.cdf(k)
    return _short(found.lo, found.hi)


@lru_cache(maxsize=1024)
def _sf(law: Binomial, k: int) -> tuple[Fraction, Fraction]:
    if k < 0 or k >= law.n:
        return (Fraction(int(k < 0)),) * 2
    found = law.sf(k)
    return _short(found.lo, found.hi)


def _short(low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    return Dyadic.below(low, 64).fraction(), Dyadic.above(high, 64).fraction()
