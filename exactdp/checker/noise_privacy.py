"""The claims shift_dp and smooth: privacy of noise that is listed or enclosed, and its smoothness.

Trusted for: bounds of divergences and of smoothness events that lie on the side that the verdict needs.

It rests on these facts, with their theorems of the Coq kernel:

- a shift down is a shift up in the other order: shifts.shift_down, shifts.shifts_both_orders
- a longer shift moves a log-concave law further: longer_shift.longer_shift, longer_shift.longer_smooth,
  log_concave_laws.poisson_log_concave, log_concave_laws.negative_binomial_log_concave,
  log_concave_laws.discrete_laplace_log_concave, log_concave_laws.discrete_gaussian_log_concave,
  log_concave_laws.coins_log_concave, uniform_ends.uniform_log_concave
- a Lipschitz law is pure: lipschitz.lipschitz_private, lipschitz.discrete_laplace_lipschitz
- constant ratios are one outcome: steps.constant_ratios, steps_geometric.two_sided_steps,
  steps_one_sided.one_sided_steps
- a uniform law differs from itself at its ends: uniform_ends.uniform_law, uniform_ends.uniform_ends
- Taylor sums bound e^eps: exponential.taylor_sum_below_exp, exponential.exp_below_taylor_sum
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from .budget import NOT_SHOWN, Work, malformed, rejected, size
from .divergences import Level, level_keys
from .facts import LIPSCHITZ, LONGER, SHIFT_DOWN, TAYLOR, Facts
from .limits import MAX_SHIFT, SHARP_BITS
from .neighboring_laws import Shift
from .noise_laws import Noise, Place, enclosed_pairs, event_probability
from .privacy import Privacy
from .reading import Object, read_choice, read_integer, read_object, show
from .reals import Bounds


class ShiftPrivacy(NamedTuple):
    """Every shift of the noise by 1 to ``shift.most``, in both orders, has a divergence of at most delta."""

    shift: Shift
    level: Level

    @classmethod
    def read(cls, claim: Object, work: Work) -> ShiftPrivacy:
        read_object(claim, "the claim", ["kind", "law", "shift", *level_keys(claim)])
        shift = Shift(Noise.read(claim["law"], work), read_integer(claim["shift"], "shift", 1, MAX_SHIFT))
        return cls(shift, Level.read(claim))

    @property
    def words(self) -> str:
        return f"{self.shift.words}: {self.level.words}"

    def prove(self, witness: Object, work: Work) -> Facts:
        if "pure" in witness:
            return self.prove_pure(witness, work)
        if "bits" not in witness:
            return Privacy(self.shift, self.level).prove(witness, work)
        self.read_enclosed(witness, ["bits"])
        noise, ratio = self.shift.noise, self.level.below(witness, work)
        for shift in noise.worst_shifts(self.shift.most):
            for order, bound in bound_divergences(noise, shift, ratio, witness, work, above=True).items():
                if bound > self.level.delta:
                    rejected(f"{NOT_SHOWN} delta = {show(self.level.delta)} for shift {shift}, {order}")
        longest = [LONGER] if noise.is_log_concave else []
        return [SHIFT_DOWN, *longest, *noise.enclosed_facts, *self.level.enclosed_facts]

    def prove_pure(self, witness: Object, work: Work) -> Facts:
        """*A Lipschitz law is pure*: e^eps is at least exp_eps^most."""
        read_object(witness, "the witness", ["pure"])
        read_choice(witness["pure"], "pure", ["yes"])
        ratio, most, level = self.shift.noise.exp_eps, self.shift.most, self.level
        if ratio is None or level.least != "none":
            malformed("'pure' proves privacy of discrete Laplace laws, without 'least'")
        if ratio.is_rational and level.exp_eps is not None:
            is_pure = level.exp_eps >= work.power(ratio.number, most)
        elif ratio.name == "exp" and ratio.terms[0].is_rational and level.exp_eps is None:
            if ratio.terms[0].number <= 0:
                rejected("the exp_eps of the law is not above 1")
            is_pure = level.eps >= most * ratio.terms[0].number
        else:
            malformed("'pure' compares e^eps of rational eps, or rationals")
        if not is_pure:
            rejected("e^eps is below exp_eps^shift")
        return [LIPSCHITZ]

    def refute(self, witness: Object, work: Work) -> Facts:
        if "bits" not in witness:
            return Privacy(self.shift, self.level).refute(witness, work)
        self.read_enclosed(witness, ["shift", "order", "bits"])
        shift, order = self.shift.read_pair(witness)
        ratio = self.level.above(witness, work)
        bounds = bound_divergences(self.shift.noise, shift, ratio, witness, work, above=False)
        if bounds[order] <= self.level.delta:
            rejected(f"the divergence of the witness is not shown to be above delta = {show(self.level.delta)}")
        return [*self.shift.noise.enclosed_facts, *self.level.enclosed_facts]

    def read_enclosed(self, witness: Object, keys: Sequence[str]) -> None:
        read_object(witness, "the witness", keys)
        if self.level.least != "none":
            malformed("'least' is checked exactly: the witness has 'bits'")


def bound_divergences(
    noise: Noise, shift: int, ratio: Fraction, witness: Object, work: Work, above: bool
) -> dict[str, Fraction]:
    """H_E of Y against Y + shift and the other way round, both from above or both from below."""
    a, b = ratio.numerator, ratio.denominator
    forward = backward = total = 0
    for _, (p, p_high), (q, q_high) in enclosed_pairs(noise, shift, size(ratio), witness, work):
        if above:
            forward += max(0, b * p_high - a * q)
            backward += max(0, b * q_high - a * p)
            total += p
        else:
            forward += max(0, b * p - a * q_high)
            backward += max(0, b * q - a * p_high)
            total += p_high
    if total == 0:
        rejected("the precision does not show that any weight is positive")
    return {"forward": Fraction(forward, b * total), "backward": Fraction(backward, b * total)}


class Smooth(NamedTuple):
    """P[w(Y) / w(Y + k') >= e^(|k'| eps)] is at most delta for 1 <= |k'| <= k."""

    noise: Noise
    k: int
    level: Level

    @classmethod
    def read(cls, claim: Object, work: Work) -> Smooth:
        read_object(claim, "the claim", ["kind", "law", "k", "exp_eps" if "exp_eps" in claim else "eps", "delta"])
        level = Level.read({**claim, "least": "none"})
        return cls(Noise.read(claim["law"], work), read_integer(claim["k"], "k", 1, MAX_SHIFT), level)

    @property
    def words(self) -> str:
        return f"{self.noise.words} is ({self.level.parameter}, delta = {show(self.level.delta)}, k = {self.k})-smooth"

    def keys(self, witness: Object) -> list[str]:
        return ["bits"] if "bits" in witness else self.level.terms_keys

    def facts(self, witness: Object) -> Facts:
        if "bits" in witness:
            return [*self.noise.enclosed_facts, *self.level.enclosed_facts]
        return [*self.noise.moved_facts, *([TAYLOR] if self.level.exp_eps is None else [])]

    def prove(self, witness: Object, work: Work) -> Facts:
        read_object(witness, "the witness", self.keys(witness))
        ratio = self.level.below(witness, work)
        for shift in self.noise.worst_shifts(self.k):
            for by in (shift, -shift):
                if self.mass(by, work.power(ratio, shift), witness, work)[1] > self.level.delta:
                    rejected(f"{NOT_SHOWN} delta = {show(self.level.delta)} for k' = {by}")
        return [*([LONGER] if self.noise.is_log_concave else []), *self.facts(witness)]

    def refute(self, witness: Object, work: Work) -> Facts:
        read_object(witness, "the witness", ["by", *self.keys(witness)])
        by = read_integer(witness["by"], "by", -self.k, self.k)
        if by == 0:
            malformed("by is 0")
        ratio = work.power(self.level.above(witness, work), abs(by))
        if self.mass(by, ratio, witness, work)[0] <= self.level.delta:
            rejected(f"the event of the witness is not shown to be above delta = {show(self.level.delta)}")
        return self.facts(witness)

    def mass(self, by: int, ratio: Fraction, witness: Object, work: Work) -> tuple[Fraction, Fraction]:
        """Bounds of P[w(Y) >= ratio w(Y + by)]."""
        return event_probability(self.places(by, ratio, witness, work))

    def places(self, by: int, ratio: Fraction, witness: Object, work: Work) -> Iterator[tuple[Place, Bounds]]:
        """Every outcome of Y: whether w(Y) >= ratio w(Y + by), and its weight."""
        a, b = ratio.numerator, ratio.denominator
        for t, first, second in self.pairs(abs(by), size(ratio), witness, work):
            weight, other = (second, first) if by > 0 else (first, second)
            (low, high), (other_low, other_high) = weight, other
            if b * low >= a * other_high:
                yield "inside", weight
            elif b * high < a * other_low:
                yield "outside", weight
            elif t is not None and min(low, other_low) >> SHARP_BITS:
                yield self.exact_place(t, by, ratio, work), weight
            else:
                yield "open", weight

    def pairs(self, shift: int, bits: int, witness: Object, work: Work) -> Iterator[tuple[int | None, Bounds, Bounds]]:
        if "bits" in witness:
            yield from enclosed_pairs(self.noise, shift, bits, witness, work)
            return
        exact = self.noise.exact(shift, work)
        work.spend(4 * exact.outcomes, exact.bits, bits + exact.step)
        yield from ((None, (p, p), (q, q)) for p, q in exact.pairs(shift))

    def exact_place(self, t: int, by: int, ratio: Fraction, work: Work) -> Place:
        """The same by the exact ratio of w(t) and w(t - shift), where that is rational."""
        exact = Fraction(1)
        for i in range(1, abs(by) + 1):
            step = self.noise.ratio(t - i)
            if step is None:
                return "open"
            work.spend(64, size(exact) + size(step), size(step) + size(ratio))
            exact *= step
        is_inside = exact * ratio <= 1 if by > 0 else exact >= ratio
        return "inside" if is_inside else "outside"
