"""The claim split_and_mix: how far the views of inputs with one sum are apart, by the components of a random graph.

Trusted for: an upper bound of the mean number of colourings of the components, less 1; the views of a witness.

It rests on these facts, with their theorems of the Coq kernel:

- components bound how far split and mix is from its sum: components.components_bound
- most points fall into one component: most_points.long_excess
- the view is the multiset of messages: shuffler.shuffle_dp_iff_shuffled
- users with equal rows are interchangeable: equal_rows.equal_rows
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, factorial, prod
from typing import NamedTuple

from .budget import Work, malformed, rejected, size
from .divergences import compare_divergence
from .facts import COMPONENTS, EQUAL_ROWS, ONE_COMPONENT, THE_VIEW, Facts
from .finite_laws import Packed, law_of_users
from .limits import (
    MAX_BITS,
    MAX_COEFFICIENTS,
    MAX_MESSAGES,
    MAX_MODULUS_BITS,
    MAX_PRECISION,
    MAX_SHARES,
    MAX_SUMS,
    MAX_TOTAL_BITS,
    MAX_USERS,
    MAX_WALKED,
    MIN_PRECISION,
)
from .reading import Object, Vector, read_counts, read_integer, read_object, read_rational, show


class SplitAndMix(NamedTuple):
    """For n users of m shares in a group of order q, the views of any two inputs with one sum are within a distance."""

    n: int
    modulus: int
    messages: int
    distance: Fraction

    @classmethod
    def read(cls, claim: Object, work: Work) -> SplitAndMix:
        read_object(claim, "the claim", ["kind", "n", "modulus", "messages", "distance"])
        return cls(
            read_integer(claim["n"], "n", 1, MAX_WALKED),
            read_integer(claim["modulus"], "modulus", 2, 2**MAX_MODULUS_BITS),
            read_integer(claim["messages"], "messages", 3, MAX_SHARES),
            read_rational(claim["distance"], "distance", 0, 1),
        )

    @property
    def words(self) -> str:
        shares = f"{self.messages} shares of integers modulo {show(Fraction(self.modulus))}"
        near = f"the views of two inputs with one sum are within a distance of {show(self.distance)}"
        return f"split and mix of n = {self.n} users, {shares}: {near}"

    def prove(self, witness: Object, work: Work) -> Facts:
        read_object(witness, "the witness", ["length", "bits"])
        length = read_integer(witness["length"], "length", 2, MAX_COEFFICIENTS)
        bits = read_integer(witness["bits"], "bits", MIN_PRECISION, MAX_PRECISION)
        reached = self.n if self.n <= 2 * length + 1 else length + 1
        if self.messages * reached * (self.messages * reached).bit_length() > MAX_BITS:
            malformed(f"the check is too large: {reached} coefficients of more than {MAX_BITS} bits")
        structure = Components(self.n, self.messages, length, bits, work)
        twice = structure.excess(self.modulus) + structure.excess(2)
        work.spend(4, 2 * size(self.distance) + twice.bit_length(), 2 * size(self.distance))
        if twice * self.distance.denominator**2 > self.distance.numerator**2 << bits + 1:
            rejected(f"the components are not shown to be so few that the distance is at most {show(self.distance)}")
        return [COMPONENTS, *([ONE_COMPONENT] if structure.is_long else [])]

    def refute(self, witness: Object, work: Work) -> Facts:
        """By the views of two inputs with one sum, listed."""
        read_object(witness, "the witness", ["first", "second"])
        if self.modulus > MAX_MESSAGES or self.n > MAX_USERS:
            malformed(f"views are listed of a modulus up to {MAX_MESSAGES} and {MAX_USERS} users")
        inputs = [read_counts(witness[key], key, self.modulus) for key in ("first", "second")]
        sums = {sum(x * users for x, users in enumerate(histogram)) % self.modulus for histogram in inputs}
        if len(sums) > 1 or any(sum(histogram) != self.n for histogram in inputs):
            rejected("the data sets of the witness are not two of n users with one sum")
        bits = self.n * (self.messages - 1) * self.modulus.bit_length()
        if bits > MAX_TOTAL_BITS:
            malformed(f"the weights of the view have more than {MAX_TOTAL_BITS} bits")
        rows = self.rows(work)
        first, second = (law_of_users(rows, histogram, bits, work) for histogram in inputs)
        work.spend(16 + len(first), bits, size(self.distance))
        pairs = ((weight, second.get(outcome, 0)) for outcome, weight in first.items())
        total = self.modulus ** (self.n * (self.messages - 1))
        if compare_divergence(pairs, total, Fraction(1), self.distance)[0] <= 0:
            rejected("the views of the witness are not further apart than the distance")
        return [THE_VIEW, EQUAL_ROWS]

    def rows(self, work: Work) -> list[Packed]:
        """For each element the law of the counts of its shares, over modulus^(messages - 1)."""
        outcomes, base = comb(self.messages + self.modulus - 1, self.messages), self.n * self.messages + 1
        if outcomes > MAX_SUMS:
            malformed(f"the check is too large: a user has more than {MAX_SUMS} outcomes")
        work.spend(4 * outcomes, self.modulus * base.bit_length(), 64 + self.messages)
        rows: list[Packed] = [{} for _ in range(self.modulus)]
        for shares in combinations_with_replacement(range(self.modulus), self.messages):
            counts: Vector = tuple(shares.count(value) for value in set(shares))
            orders = factorial(self.messages) // prod(map(factorial, counts))
            rows[sum(shares) % self.modulus][sum(base**value for value in shares)] = orders
        return rows


class Components:
    """Upper bounds in units of 2^-bits: *components bound*, *most points fall into one component*."""

    def __init__(self, n: int, messages: int, length: int, bits: int, work: Work) -> None:
        self.n, self.messages, self.length, self.bits, self.work = n, messages, length, bits, work
        self.is_long = n > 2 * length + 1
        self.weights = [1]
        for k in range(length + 1 if self.is_long else n):
            up, down = self.step(k)
            self.weights.append(self.weights[-1] * up // down)

    def step(self, k: int) -> tuple[int, int]:
        """Of t_k = s_(k+1) / s_k the numerator and the denominator."""
        m = self.messages
        self.work.spend(m, m * (m * k + m).bit_length())
        return m * prod(range(m * k + 1, m * k + m)), k + 1

    def power(self, exponent: int, length: int) -> list[int]:
        """The coefficients of S^exponent up to this place."""
        powers = [1]
        for place in range(1, length + 1):
            total = 0
            for k in range(1, place + 1):
                weight, other = self.weights[k], powers[place - k]
                self.work.spend(1, weight.bit_length() + exponent.bit_length(), other.bit_length())
                total += (k * (exponent + 1) - place) * weight * other
            powers.append(total // place)
        return powers

    def excess(self, colours: int) -> int:
        """At least g(n, colours) - 1."""
        if not self.is_long:
            whole = colours * self.weights[self.n]
            self.work.spend(4, whole.bit_length() + self.bits, whole.bit_length())
            return quotient_up(self.power(colours, self.n)[self.n] - whole << self.bits, whole)
        n, length, others = self.n, self.length, colours - 1
        left, fewer = self.power(others, length), self.power(others - 1, length)
        rho, middle = self.splits(n, length + 1), (length - 1) // 2
        near = sum(quotient_up((n - r) * rho[r] * left[r], n * self.weights[r]) for r in range(1, length + 1))
        far = sum(quotient_up(r * rho[r], n) for r in range(1, length + 1))
        first, slope = self.recursion(length + 1, middle, fewer)
        rest = (1 << self.bits) - (others - 1) * slope
        if rest <= 0:
            rejected(f"{length} coefficients are too few to bound the others")
        bound = quotient_up(first << self.bits, rest)
        for r in range(middle + 1, length + 1):
            bound = max(bound, quotient_up(left[r] << self.bits, others * self.weights[r]))
        first, slope = self.recursion(n - length, middle, fewer)
        at_the_end = first + quotient_up((others - 1) * bound * slope, 1 << self.bits)
        return near + quotient_up(others * (far * at_the_end + n * rho[length + 1] * bound), 1 << self.bits)

    def recursion(self, points: int, middle: int, fewer: list[int]) -> tuple[int, int]:
        """A and W for so many points."""
        rho = self.splits(points, middle + 1)
        first = sum(quotient_up(rho[r] * fewer[r], self.weights[r]) for r in range(middle + 1))
        return first, sum(quotient_up(r * rho[r], points) for r in range(1, middle + 1)) + points * rho[middle + 1]

    def splits(self, points: int, last: int) -> list[int]:
        """rho(0), ..., rho(last) for so many points."""
        rho = [1 << self.bits]
        for r in range(last):
            (above, below), (over, under) = self.step(r), self.step(points - 1 - r)
            longest = above.bit_length() + over.bit_length()
            self.work.spend(32, 2 * self.bits + longest + self.weights[-1].bit_length(), longest + self.bits)
            rho.append(quotient_up(rho[-1] * above * under, below * over))
        return rho


def quotient_up(value: int, divisor: int) -> int:
    """The quotient, rounded up."""
    return -(-value // divisor)
