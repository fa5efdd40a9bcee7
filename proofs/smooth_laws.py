"""Which laws are smooth, and at which eps for each unit of the shift.

Statement. A law D on the integers is (eps, delta, k)-smooth as in proofs/smooth_definition.py. The eps that a shift by
k needs for each unit depends on the tail of D:

1. With delta = 0, smooth for k = 1 is smooth for every k.
2. Two-sided geometric tails, D(y) proportional to a^abs(y): (eps, 0, k)-smooth for every k if and only if
   eps > ln(1/a). One eps serves all shifts.
3. Gaussian tails, D(y) proportional to e^(-y^2/(2s)): (eps, delta, k)-smooth if and only if P[Y >= s eps - k/2] <=
   delta. At a fixed delta the eps for each unit grows by 1/(2s) with each unit of k.
4. A law without mass below m: (eps, delta, k)-smooth only if P[Y < m + k] <= delta, whatever eps is. At a fixed delta
   there is a largest k. Poisson, negative binomial, one-sided geometric and binomial noise are such laws, and every
   law with finitely many outcomes is one from both sides.
5. So a law that ends on one side is never (eps, 0, k)-smooth.

Proof. 1: with delta = 0 no point with mass has a large ratio, so the next point has mass as well, and k ratios of
neighbours, each below e^eps, have a product below e^(k eps). 2: a step changes a mass by the factor 1/a at most, and
by just that from 0 to 1. 3: the logarithm of D(y) / D(y + k) is (2 y k + k^2) / (2 s). 4: the k lowest points go to
points without mass. 5: by 1, mass at one point would give mass to all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import floor
from typing import Final

from exactdp import Binomial, Claim, DiscreteGaussian, DiscreteLaplace, Geometric, NegativeBinomial, Poisson
from exactdp.claims.encoding import Noise
from exactdp.proofs.row_files import decides
from exactdp.proofs.smooth_definition import uniform
from exactdp.proofs.steps import implies, variables

_HUGE: Final = 10**6
"""An e^eps that stands for every one."""
_ENDING: Final[tuple[Noise, ...]] = (
    Poisson(25),
    Binomial(100, "1/2"),
    NegativeBinomial(3, "1/2"),
    Geometric("1/2"),
    uniform(4),
)
"""Laws that end on one side at least."""
_GRID: Final = Fraction(1, 100)
"""The step of the listed e^eps."""
_SHIFTS: Final = (1, 2, 4, 8, 16, 32, 64)
"""The k of the list."""
_DELTA: Final = Fraction(1, 100)
"""The delta of the list."""
PER_UNIT: Final[tuple[tuple[str, Noise, tuple[int | None, ...]], ...]] = (
    ("discrete Laplace, ratio 3/4", DiscreteLaplace("4/3"), (134,) * 7),
    ("discrete Gaussian, sigma^2 = 25", DiscreteGaussian(25), (165, 169, 176, 190, 223, 307, 582)),
    ("Bin(100, 1/2)", Binomial(100, "1/2"), (166, 170, 177, 194, 234, 384, None)),
    ("Poisson(25)", Poisson(25), (179, 186, 201, 245, None, None, None)),
)
"""A law of variance 24 or 25, and 100 e^eps for the shifts 1, 2, ..., 64; None where e^eps = 10^6 is not enough."""


def _in_words(hundredths: Sequence[int | None]) -> str:
    words = ["none" if number is None else f"{number // 100}.{number % 100:02}" for number in hundredths]
    return f"{words[0]} for each" if len(set(words)) == 1 else ", ".join(words)


NUMBERS: Final = {
    "shifts": _SHIFTS,
    "per_unit": "; ".join(f"{name}: {_in_words(hundredths)}" for name, _, hundredths in PER_UNIT),
}
"""The numbers that the rows quote."""


def per_unit(law: Noise, hundredths: Sequence[int | None]) -> Claim:
    """Return the claim that e^eps is as listed: it is enough there, and 1/100 less is not.

    >>> per_unit(DiscreteLaplace("4/3"), (134,)).kind
    'conjunction'
    """
    claims = []
    for k, hundredth in zip(_SHIFTS, hundredths, strict=False):
        if hundredth is None:
            claims.append(Claim.negation(Claim.smooth(law, k=k, exp_eps=_HUGE, delta=_DELTA)))
        else:
            enough, less = hundredth * _GRID, (hundredth - 1) * _GRID
            claims.append(Claim.smooth(law, k=k, exp_eps=enough, delta=_DELTA))
            claims.append(Claim.negation(Claim.smooth(law, k=k, exp_eps=less, delta=_DELTA)))
    return Claim.conjunction(*claims)


@decides("smooth-laws-per-unit")
def _per_unit() -> Claim:
    return Claim.conjunction(*(per_unit(law, hundredths) for _, law, hundredths in PER_UNIT))


@decides("smooth-laws-every-k")
def _every_k() -> Iterator[Claim]:
    """One more step: p, q, r are the masses of three points in a row of steps, b = e^(j eps), e = e^eps."""
    p, q, r, b, e = variables("p q r b e")
    law = DiscreteLaplace("4/3")
    yield implies(b > 0, p < b * q, q < e * r, then=p < b * e * r)
    yield implies(p > 0, b > 0, p < b * q, then=b * q > 0)
    yield from (Claim.smooth(law, k=k, exp_eps="134/100", delta=0) for k in (1, 64))


@decides("smooth-laws-geometric")
def _geometric() -> Iterator[Claim]:
    """a = 1/2 and a = 3/4, on both sides of e^eps = 1/a."""
    for base in (Fraction(2), Fraction(4, 3)):
        law = DiscreteLaplace(base)
        yield from (Claim.smooth(law, k=k, exp_eps=base + _GRID, delta=0) for k in (1, 64))
        yield from (Claim.negation(Claim.smooth(law, k=k, exp_eps=base, delta=0)) for k in (1, 64))


@decides("smooth-laws-gaussian")
def _gaussian() -> Iterator[Claim]:
    """sigma^2 = 25, eps = 19/50: for k = 8 the outcomes from 25 eps - k/2 = 11/2 on, for k = 16 those from 3/2."""
    law = DiscreteGaussian(25)
    for k, point in ((8, 6), (16, 2)):
        less = Fraction(floor(law.sf(point - 1).lo * 10**6), 10**6)
        more = less + Fraction(1, 10**6)
        yield Claim.tail(law, low=point, at_most=more)
        yield Claim.smooth(law, k=k, eps="19/50", delta=more)
        yield Claim.tail(law, low=point, at_least=less)
        yield Claim.negation(Claim.smooth(law, k=k, eps="19/50", delta=less))


@decides("smooth-laws-bounded")
def _bounded() -> Iterator[Claim]:
    """P[Poisson(25) < 16] is above 1/50, so that k = 16 is out of reach for delta = 1/50."""
    law, delta = Poisson(25), Fraction(1, 50)
    yield Claim.tail(law, high=15, at_least=delta)
    yield Claim.negation(Claim.smooth(law, k=16, exp_eps=_HUGE, delta=delta))


@decides("smooth-laws-never")
def _never() -> Claim:
    return Claim.conjunction(*(Claim.negation(Claim.smooth(law, k=1, exp_eps=_HUGE, delta=0)) for law in _ENDING))
