"""Weights that are powers of one number with rational exponents, as the exponential mechanism has them.

The weight of an answer is B^q with a rational q, where B is e, or a rational number above 1 that is no power of a
rational number with an exponent of 2 or more. A sum of such powers with rational coefficients is told from 0 exactly:

* for B = e, powers of different exponents are linearly independent over the rational numbers (Lindemann and
  Weierstrass), also beside a factor e^x with a rational x: the sum is 0 if and only if the coefficients of each
  exponent sum to 0;
* for a rational B let D be a common denominator of the exponents. X^D - B is irreducible over the rational numbers, as
  B is positive and no p-th power for a prime p, so that 1, B^(1/D), ..., B^((D-1)/D) are linearly independent: with the
  whole part of each exponent moved into its coefficient, the same holds. A factor e^x with x != 0 is transcendental.

So every order that is asked for below is decided: balls at rising precision tell two numbers apart that differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from flint import arb, fmpz

from exactdp.numbers.balls import compare_reals, enclosed, precision, proved_sign, rational_ball, real_ball
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real


@dataclass(frozen=True, slots=True)
class ScoreWeights:
    """For each row the exponents of its weights; ``base`` None stands for e."""

    base: Fraction | None
    rows: tuple[tuple[Fraction, ...], ...]

    @property
    def is_rational(self) -> bool:
        """Whether all ratios of weights of a row are rational."""
        if self.base is None:
            return all(exponent == row[0] for row in self.rows for exponent in row)
        return all((exponent - row[0]).denominator == 1 for row in self.rows for exponent in row)

    def integers(self, row: int) -> tuple[int, ...]:
        """Return the weights of a row as integers, where all ratios are rational: of the least one p^0 q^k, B = p/q."""
        base = Fraction(1) if self.base is None else self.base
        steps = [int(exponent - min(self.rows[row])) for exponent in self.rows[row]]
        most = max(steps)
        return tuple(base.numerator**step * base.denominator ** (most - step) for step in steps)

    def enclose_share(self, row: int, answers: Sequence[int], relative_bits: int) -> Interval:
        """Enclose the probability of some answers, of which there is at least one."""

        def share() -> arb:
            probabilities = self._probabilities(row)
            return _sum(probabilities[answer] for answer in answers)

        return enclosed(share, relative_bits)

    def enclose_divergence(self, first: int, second: int, exp_eps: Real, relative_bits: int) -> Interval:
        """Enclose the sum of max(0, P - E Q) over all answers, P and Q the laws of two rows; exactly 0 where it is."""
        above = tuple(self._above(first, second, exp_eps))
        if not above:
            return Interval(Dyadic.of(0), Dyadic.of(0))

        def divergence() -> arb:
            p, q, level = self._probabilities(first), self._probabilities(second), real_ball(exp_eps)
            return _sum(p[answer] - level * q[answer] for answer in above)

        return enclosed(divergence, relative_bits)

    def _above(self, first: int, second: int, exp_eps: Real) -> Iterator[int]:
        """Yield the answers with P > E Q."""
        bits, open_answers = 64, list(range(len(self.rows[first])))
        is_first_look = True
        while open_answers:
            with precision(bits):
                p, q, level = self._probabilities(first), self._probabilities(second), real_ball(exp_eps)
                signs = {answer: proved_sign(p[answer] - level * q[answer]) for answer in open_answers}
            yield from (answer for answer, sign in signs.items() if sign > 0)
            open_answers = [answer for answer, sign in signs.items() if sign == 0]
            if is_first_look:
                open_answers = [answer for answer in open_answers if not self._is_tie(first, second, answer, exp_eps)]
            bits, is_first_look = 2 * bits, False

    def _is_tie(self, first: int, second: int, answer: int, exp_eps: Real) -> bool:
        """Whether P = E Q at an answer: w Z' - E w' Z is 0 for weights w and w' and sums Z and Z' of weights."""
        if self.base is not None and exp_eps.exponent:
            return False
        mine, theirs = self.rows[first], self.rows[second]
        total: Counter[Fraction] = Counter()
        for other, same in zip(theirs, mine, strict=True):
            self._add(total, mine[answer] + other, Fraction(1))
            self._add(total, theirs[answer] + same + exp_eps.exponent, -exp_eps.coefficient)
        return not any(total.values())

    def _add(self, total: Counter[Fraction], exponent: Fraction, coefficient: Fraction) -> None:
        """Add coefficient B^exponent to a sum, by independent powers (module docstring)."""
        whole = 0 if self.base is None else exponent.__floor__()
        total[exponent - whole] += coefficient * (1 if self.base is None else self.base**whole)  # type: ignore[assignment]

    def compare_power(self, exponent: Fraction, bound: Fraction) -> int:
        """Return -1, 0 or 1 as B^exponent is below, at or above a number > 0."""
        if self.base is None:
            return compare_reals(Real(1, exponent=exponent), bound)
        if exponent.denominator == 1:
            power = self.base**exponent.numerator
            return (power > bound) - (power < bound)
        return compare_reals(exponent * Real.log(self.base), Real.log(bound))  # irrational, so not a tie

    def _probabilities(self, row: int) -> list[arb]:
        """Return the law of a row at the current precision."""
        logarithm = arb(1) if self.base is None else rational_ball(self.base).log()
        top = max(self.rows[row])
        weights = [(rational_ball(exponent - top) * logarithm).exp() for exponent in self.rows[row]]
        total = _sum(weights)
        return [weight / total for weight in weights]


def _sum(balls: Iterable[arb]) -> arb:
    return sum(balls, arb(0))


def primitive_root(number: Fraction) -> tuple[Fraction, int]:
    """Return (c, m) with c^m = ``number`` for the largest m, for a rational number above 1.

    >>> primitive_root(Fraction(64, 729)**-1), primitive_root(Fraction(12))
    ((Fraction(3, 2), 6), (Fraction(12, 1), 1))
    """
    above, times_above = _integer_root(number.numerator)
    below, times_below = _integer_root(number.denominator)
    times = gcd(times_above, times_below)  # 1 is a power of everything, and has the exponent 0
    return Fraction(above ** (times_above // times), below ** (times_below // times) if times_below else 1), times


def _integer_root(number: int) -> tuple[int, int]:
    """Return (b, m) with b^m = ``number`` for the largest m; (1, 0) for 1."""
    if number == 1:
        return 1, 0
    for times in range(number.bit_length(), 1, -1):
        root = int(fmpz(number).root(times))
        if root > 1 and root**times == number:
            return root, times
    return number, 1
