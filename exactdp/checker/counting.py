"""The claim counting_dp: two noisy counts, of messages +1 and -1, whose noise is correlated.

Trusted for: bounds of the divergences of two sums that differ by 1, on the side that the verdict needs.

It rests on these facts, with their theorems of the Coq kernel:

- correlated counts differ by one law and its shift: correlated_exactly.correlated_exactly
"""

from __future__ import annotations

from fractions import Fraction
from itertools import repeat
from typing import NamedTuple

from .budget import NOT_SHOWN, Work, rejected, size
from .divergences import Level
from .enclosed_laws import Ratios, Sides, walked
from .facts import CORRELATED, Facts
from .limits import MAX_PRECISION, MAX_SUMMANDS, MIN_PRECISION
from .noise_laws import Noise, WalkedNoise, summed, window
from .noise_privacy import bound_divergences
from .reading import Object, any_object, read_choice, read_integer, read_list, read_object, show
from .reals import Parameter


class SquaredGeometric(WalkedNoise):
    """P[t] is proportional to p1^(2t)."""

    def __init__(self, p1: Parameter) -> None:
        self.p1 = p1
        self.is_irrational = not p1.real.is_rational

    def sides(self, bits: int, work: Work) -> Sides:
        low, high, whole = self.p1.bounds(bits, work)
        work.spend(4, whole.bit_length(), whole.bit_length())
        return walked(Ratios(0, repeat((low * low, high * high, whole * whole)), ()), bits, work)


class Blurred(WalkedNoise):
    """W + G: what both counts show, and a geometric part."""

    def __init__(self, parts: list[WalkedNoise]) -> None:
        self.parts = parts
        self.is_irrational = any(part.is_irrational for part in parts)

    def enclosed(self, witness: Object, work: Work) -> tuple[int, Sides]:
        """With the bits of the products, which are as many as those of all parts together."""
        bits, sides = super().enclosed(witness, work)
        return bits * len(self.parts), sides

    def sides(self, bits: int, work: Work) -> Sides:
        reached = self.parts[0].sides(bits, work)
        for part in self.parts[1:]:
            reached = summed(window(reached, bits), window(part.sides(bits, work), bits), work)
        return reached


class Counting(NamedTuple):
    """U = S + G1 + W and V = G2 + W are (eps, delta)-DP where S, a sum of bits, changes by 1."""

    p1: Parameter
    noise: Blurred
    words: str
    level: Level

    @classmethod
    def read(cls, claim: Object, work: Work) -> Counting:
        name = "exp_eps" if "exp_eps" in claim else "eps"
        read_object(claim, "the claim", ["kind", "p1", "noise", name, "delta"])
        level, p1 = Level.read({**claim, "least": "none"}), Parameter.read(claim, "p1", 0, 1)
        laws: list[WalkedNoise] = []
        for part in read_list(claim["noise"], "noise", 1, MAX_SUMMANDS):
            read_choice(any_object(part, "the law").get("family"), "family", ["negative-binomial"])
            law = Noise.read(part, work)
            assert isinstance(law, WalkedNoise)
            laws.append(law)
        common, own = " + ".join(law.words for law in laws), f"Geometric({p1.real.words})"
        counts = f"sum of bits + {own} + W messages +1 and {own} + W messages -1, W ~ {common}, any number of users"
        return cls(p1, Blurred([*laws, SquaredGeometric(p1)]), f"{counts}, replace one: {level.words}", level)

    def prove(self, witness: Object, work: Work) -> Facts:
        if self.bound(witness, work, above=True) > self.level.delta:
            rejected(f"{NOT_SHOWN} delta = {show(self.level.delta)}")
        return self.facts

    def refute(self, witness: Object, work: Work) -> Facts:
        if self.bound(witness, work, above=False) <= self.level.delta:
            rejected(f"no divergence is shown to be above delta = {show(self.level.delta)}")
        return self.facts

    @property
    def facts(self) -> Facts:
        return [CORRELATED, *self.noise.enclosed_facts, *self.level.enclosed_facts]

    def bound(self, witness: Object, work: Work, above: bool) -> Fraction:
        """A bound of the larger one of the divergences of both orders, which fall as e^eps and as c and d grow."""
        read_object(witness, "the witness", ["bits"])
        bits = read_integer(witness["bits"], "bits", MIN_PRECISION, MAX_PRECISION)
        exp_eps = self.level.below(witness, work) if above else self.level.above(witness, work)
        low, high, whole = self.p1.bounds(bits, work)
        work.spend(32, size(exp_eps) + whole.bit_length(), size(exp_eps) + whole.bit_length())
        near, far = (Fraction(end, whole) for end in ((low, high) if above else (high, low)))
        c, d = exp_eps * near, exp_eps / far
        forward = bound_divergences(self.noise, 1, c, witness, work, above)["forward"]
        backward = bound_divergences(self.noise, 1, d, witness, work, above)["backward"]
        return max(forward, max(Fraction(0), 1 - c) + far * backward) / (1 + near)
