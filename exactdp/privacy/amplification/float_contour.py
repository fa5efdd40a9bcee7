"""A contour of millions of nodes, summed in floating-point numbers, with a proved bound of what rounding changes.

The contour is that of :mod:`exactdp.privacy.amplification.tilted_contour`, where few bits are asked for: there a node
takes some microseconds, here about 50 nanoseconds.

The arithmetic is that of IEEE 754 in double precision, u = 2^-53: sums, products and quotients of real numbers alone,
with a relative error of at most u. (The elementary functions of a processor promise nothing, so that exponentials are
enclosed in balls and then rounded.) Products below 2^-1022 may be wrong by 2^-1074, which is charged as 2^-1000 for
each node. A product of complex numbers has a relative error of at most 4u: the errors of a c - b d and a d + b c are
at most (2u + u^2) (abs(a c) + abs(b d)) and the same of the other two products, and both of these sums are at most
abs(a + i b) abs(c + i d).

Node k of a block from ``start`` on has k = start + 64 i + j. *Its term* at z = lam + i k D is

    phi(k)^n e^(i t^2 lam D k) e^(-t^2 D^2 k^2 / 2) / (1 + i k D/lam)^2,    phi(k) = sum over v of w_v e^(i k D v),

w_v the tilted weights, which sum to 1; what is common to all nodes is left to the caller.

*phi.* Every ball that is rounded has a radius of at most 2^-64 of its size, or nothing is answered. So a rounded one
is wrong by (2 + 2^-11) u of its size at most, and by 2^-63 of it if what is cut off is kept as a second number. e^(i D
v (64 i + j)), as the product of the first numbers of two, plus two products with second numbers, is then wrong by (3 +
1/4) u; w_v e^(i k D v), a product of that and of a rounded ball of size w_v, by (3 + 1/4 + 2 + 4) u w_v, 2^-10 u w_v,
and terms of second order. Adding V of them adds u each, as the partial sums are at most 1 + 10u in size, up to terms
of second order. So phi is wrong by at most h = (10 + V) u.

*The power*, by squarings and products: if a^j has a relative error of (1 + 4u)^(j-1) - 1, and a^k too, so has a^(j+k).
Where the computed abs(phi) is at least c, phi is wrong by a factor between 1 - 2h/c and 1 + 2h/c, but in fact within
e^(-(1 + 1/64) h/c) and e^((1 + 1/64) h/c) as h < c/64; so its power is by one within e^(-w) and e^w, w = n (1 + 1/64)
(h/c + 4u). Elsewhere the true power and the computed one are both at most (c + 2h)^n e^(4un) <= c^n e^(n (2h/c + 4u))
<= 2 c^n, as n (h/c + u) < 2^-8.

*The rest.* e^(-2 a b s), s = t^2 D^2/2, is a power again, of a rounded number in (0, 1], by at most 4096 products: a
relative error of 2^13 u at most. The other factors, and the products of all, add less than 2^8 u, and adding 4096 real
numbers in any order adds 2^12 u of the sum of their magnitudes. All together is less than 2^14 u.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from flint import acb, arb
from numpy.typing import NDArray

from exactdp.caching import cached_property
from exactdp.errors import TooLargeError
from exactdp.privacy.amplification.tilted import CopySum, FewValues, squared
from exactdp.privacy.amplification.tilted_contour import Contour

_BLOCK: Final = 4096
"""Nodes of a block: its dozen lists stay in the processor's cache."""

_STEPS_OF_BLOCK: Final = 250
"""Microseconds that a block takes, for some values."""

_STEPS_OF_START: Final = 2**13
"""Microseconds that the tables of the first block take, for some values."""

_MOST_STEPS: Final = 2**22
"""Longer sums take more than some seconds."""

_GUARD_BITS: Final = 5
"""Bits by which the relative error of a term is less than the accuracy asked for: terms cancel."""

_SIDE: Final = 64
"""The root of that."""

_UNIT: Final = arb(2) ** -53
"""u."""

_OTHERS: Final = 2**14
"""The relative error of everything but the power, in u."""

_RADIUS: Final = arb(2) ** -64
"""Of a ball that is rounded, over its size."""

_UNDERFLOW: Final = arb(2) ** -1000
"""Far more than what is lost where a number is nearly 0."""

_MOST_ERROR: Final = arb(2) ** -8
"""Of n (h/c + u)."""

_MANY_COPIES: Final = 1000
"""From these on, c^n is as good as 0 for a c near 1."""

_SMALL_BITS: Final = 64
"""Of fewer copies c is so small that c^n is below 2^-64."""

Reals = NDArray[np.float64]
Complexes = NDArray[np.complex128]


@dataclass(frozen=True)
class FloatNodes:
    """The nodes of one contour."""

    law: FewValues
    """The values, and the tilted weights."""
    copies: int
    step: arb
    """D."""
    tilt: arb
    """lam."""
    smoothing: arb
    """t."""

    @property
    def error(self) -> arb:
        """The relative error of a term; infinite where the proof does not hold."""
        wrong = (10 + len(self.law.values)) * _UNIT / self._least
        if not self.copies * (wrong + _UNIT) < _MOST_ERROR:
            return arb.pos_inf()
        power = self.copies * (wrong + 4 * _UNIT) * 65 / 64
        return (power.exp() * (1 + _OTHERS * _UNIT) - 1).abs_upper()

    @property
    def _least(self) -> arb:
        """c."""
        return arb(7) / 8 if self.copies >= _MANY_COPIES else arb(2) ** (-_SMALL_BITS // self.copies)

    def are_narrow(self, node: int) -> bool:
        """Whether the balls of a node are narrow enough to be rounded."""
        terms = [acb(0, node * self.step * value).exp() for value in self.law.values]
        return all(_is_narrow(term.rad(), term.abs_lower()) for term in terms)

    def summed(self, start: int, nodes: int) -> acb:
        """Enclose the sum over a block's first ``nodes`` nodes, and as imaginary part that without the last factor."""
        power = self._power(start)[:nodes]
        damped = power * self._damping(start)[:nodes]
        slopes = _float(self.step / self.tilt) * np.arange(start, start + nodes, dtype=np.float64)
        inverse = 1 / (1 + slopes * slopes)
        reciprocal = inverse - 1j * (slopes * inverse)
        return acb(self._enclosed(damped * (reciprocal * reciprocal)), self._enclosed(damped))

    def _enclosed(self, terms: Complexes) -> arb:
        """Enclose the real part of a sum of terms."""
        size = arb(float((abs(terms.real) + abs(terms.imag)).sum())) * (1 + _OTHERS * _UNIT)
        small = len(terms) * (4 * self._least**self.copies + _UNDERFLOW)
        wrong = (self.error * size + small).abs_upper()
        return arb(float(terms.real.sum())) + (-wrong).union(wrong)

    def _power(self, start: int) -> Complexes:
        """phi^n e^(i t^2 lam D k)."""
        base = np.zeros(_BLOCK, dtype=np.complex128)
        for (value, weight), turns in zip(self.law.items, self._turns, strict=True):
            base += _rounded(weight * acb(0, start * self.step * value).exp()) * turns
        power = base
        for digit in bin(self.copies)[3:]:
            power = power * power
            if digit == "1":
                power = power * base
        return power * (_rounded(acb(0, start * self._drift).exp()) * self._drifts)

    @cached_property
    def _turns(self) -> list[Complexes]:
        """e^(i D v b) at the nodes b of the first block, for each value."""
        return [_circle(self.step * value) for value in self.law.values]

    @property
    def _drift(self) -> arb:
        return self.smoothing**2 * self.tilt * self.step

    @cached_property
    def _drifts(self) -> Complexes:
        return _circle(self._drift)

    def _damping(self, start: int) -> Reals:
        """e^(-s (start + b)^2)."""
        falls = np.full(_BLOCK, _real(-2 * start * self._fall))
        falls[0] = 1.0
        return _real(-(start**2) * self._fall) * np.multiply.accumulate(falls) * self._first_damping

    @property
    def _fall(self) -> arb:
        """s."""
        return (self.smoothing * self.step) ** 2 / 2

    @cached_property
    def _first_damping(self) -> Reals:
        return np.array([_real(-(node**2) * self._fall) for node in range(_BLOCK)])


def _is_narrow(radius: arb, size: arb) -> bool:
    """Whether a ball is so narrow that rounding it is all that matters."""
    return bool(radius <= _RADIUS * size)


def _float(ball: arb) -> float:
    """A positive number, rounded."""
    if not _is_narrow(ball.rad(), ball.abs_lower()):
        raise TooLargeError(f"a contour in floats needs narrower balls than {ball}.")
    return float(ball.mid())


def _real(exponent: arb) -> float:
    """e^x, rounded."""
    return _float(exponent.exp())


def _rounded(value: acb) -> complex:
    """A complex number, rounded."""
    if not _is_narrow(value.rad(), value.abs_lower()):
        raise TooLargeError(f"a contour in floats needs narrower balls than {value}.")
    return _nearest(value)


def _nearest(value: acb) -> complex:
    middle = value.mid()
    return complex(float(middle.real), float(middle.imag))


def _circle(angle: arb) -> Complexes:
    """e^(i angle b) for the nodes b of a block."""
    near, more = _split([acb(0, node * angle).exp() for node in range(_SIDE)])
    far, beyond = _split([acb(0, _SIDE * node * angle).exp() for node in range(_SIDE)])
    columns = far[:, np.newaxis], beyond[:, np.newaxis]
    return (columns[0] * near + (columns[0] * more + columns[1] * near)).reshape(-1)


def _split(values: Sequence[acb]) -> tuple[Complexes, Complexes]:
    """Numbers, rounded, and what was cut off."""
    first = [_rounded(value) for value in values]
    rest = [_nearest(value - acb(number)) for value, number in zip(values, first, strict=True)]
    return np.array(first), np.array(rest)


@dataclass(frozen=True)
class FloatContour(Contour):
    """A smoothed contour of which all nodes are summed."""

    @classmethod
    def chosen(cls, whole: CopySum, bits: int) -> FloatContour | None:
        """Return the contour for about so many bits; None where floats do not reach them."""
        try:
            contour = cls.of(whole, bits, on_lattice=False)
        except TooLargeError:
            return None
        is_precise = contour._nodes.error < arb(2) ** -(bits + _GUARD_BITS) and contour._nodes.are_narrow(contour.last)
        return contour if is_precise and contour.steps <= _MOST_STEPS else None

    @property
    def steps(self) -> int:
        """About how long it takes, in microseconds."""
        return _STEPS_OF_START + self.last // _BLOCK * _STEPS_OF_BLOCK

    def _sums(self) -> tuple[arb, arb]:
        """Return the sums over the nodes, of H(0) with its aliases and of at least f(0), what is left out enclosed."""
        starts = range(0, self.last + 1, _BLOCK)
        total = acb(-1, -1)  # node 0 counts once
        for start in starts:
            total += 2 * self._nodes.summed(start, min(_BLOCK, self.last + 1 - start))
        total *= (squared(self.smoothing * self.point.tilt) / 2).exp() / self.period
        left_out = self._last_part()
        value = total.real / squared(self.point.tilt)
        return value + (-left_out).union(left_out), total.imag + left_out / self.smoothing**2

    @cached_property
    def _nodes(self) -> FloatNodes:
        return FloatNodes(self.point.law, self.whole.copies, self._step, self.point.tilt, self.smoothing)
