"""The divergences of a sampled count with a threshold, for one number of holders after the other, in balls.

X is the number of successes among N trials of probability q, and what is released is X where X >= tau, else 0. With
P_N(t) = P[X = t], b = max(tau - 1, floor((N+1) rho)), rho = 1 - (1-q)/E, c = max(tau - 1, ceil((N+1) s) - 1) and
s = 1 - E (1-q),

    H_E(N+1 || N) = q P_N(b) - (E-1) P_N[X > b],    H_E(N || N+1) = max(0, E q P_N(c) - (E-1) P_N[X <= c]).

They are at most e^(-(N+1) KL(rho||q)) and (1/(1-q) - E) e^(-(N+1) KL(x||q)) with x = max((tau-1)/(N+1), s), for x < q.
docs/soundness.md proves both (*one holder more*, *many holders*).

Source: BharadwajCormode2022, section 3 (the protocol, while the formulas are this package's).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

from flint import arb

from exactdp.numbers.balls import floor_real, precision, proved_sign, rational_ball, real_ball
from exactdp.numbers.real import Real, as_real

_SCAN_BITS: Final = (128, 1024)
"""Accuracies of a scan over numbers of holders: what the second leaves open is a tie, or nearly one."""
_TAIL_BITS: Final = 128
"""Accuracy at which a tail bound is compared: it only chooses where a scan ends."""
_SHOWN: Final = 3
"""Numbers of holders that a scan names for each side: the worst ones."""

Place: TypeAlias = tuple[int, str]
"""A number N of holders, and the order: "more" is N + 1 against N, "fewer" N against N + 1."""


class Scan(NamedTuple):
    """What a scan has shown: the worst number of holders, its delta for reading, and what is above delta, or may be."""

    worst: int
    delta: str
    above: list[Place]
    open: list[Place]


@dataclass(frozen=True)
class SampledCounts:
    """Sampling with probability ``rate`` in (0, 1), a threshold of at least 1, and e^eps >= 1."""

    rate: Fraction
    threshold: int
    exp_eps: Real

    def scanned(self, end: int, delta: Fraction) -> Scan:
        """Compare both divergences with delta for all N from the threshold less 1 to before ``end``."""
        for bits in _SCAN_BITS:
            with precision(bits):
                losses = sorted(self._losses(end), key=lambda loss: loss[1].mid(), reverse=True)
                signs = [(place, proved_sign(loss - rational_ball(delta))) for place, loss in losses]
                (worst, _), shown = losses[0][0], losses[0][1].str(7, radius=False)
            above, ties = ([place for place, sign in signs if sign == wanted][:_SHOWN] for wanted in (1, 0))
            if above or not ties:
                break
        return Scan(worst, shown, above, ties)

    def is_harmless(self, trials: int, delta: Fraction) -> bool:
        """Whether tail bounds show, up to rounding, that no N + 1 from ``trials`` on has a divergence above delta."""
        with precision(_TAIL_BITS):
            rate, exp_eps = rational_ball(self.rate), real_ball(self.exp_eps)
            rho, s, gain = 1 - (1 - rate) / exp_eps, 1 - (1 - rate) * exp_eps, 1 / (1 - rate) - exp_eps
            tails = [(rho, arb(1))]
            if gain > 0:
                share = s.max(rational_ball(Fraction(self.threshold - 1, trials)))
                if not share < rate:
                    return False
                tails.append((share, gain))
            return all(trials * _divergence(x, rate) > (factor / rational_ball(delta)).log() for x, factor in tails)

    def _losses(self, end: int) -> list[tuple[Place, arb]]:
        """Return both divergences for each N, from those of the number before."""
        start, q, exp_eps = self.threshold - 1, rational_ball(self.rate), real_ball(self.exp_eps)
        stay = as_real(1 - self.rate, name="rate")
        rho, s = 1 - stay / self.exp_eps, 1 - stay * self.exp_eps
        losses: list[tuple[Place, arb]] = []
        places = [start, start]
        at, up_to = [q**start, q**start], [arb(1), arb(1)]  # P[X = place] and P[X <= place] among N
        for n in range(start, end):
            wanted = [floor_real(rho * (n + 1)), -floor_real(-(s * (n + 1))) - 1]
            for i, place in enumerate(places):
                if place < wanted[i]:
                    at[i] *= (n - place) * q / ((place + 1) * (1 - q))
                    up_to[i] += at[i]
                    places[i] += 1
            losses.append(((n, "more"), q * at[0] - (exp_eps - 1) * (1 - up_to[0])))
            losses.append(((n, "fewer"), arb(0).max(exp_eps * q * at[1] - (exp_eps - 1) * up_to[1])))
            for i, place in enumerate(places):
                up_to[i] -= q * at[i]
                at[i] *= (1 - q) * (n + 1) / (n + 1 - place)
        return losses


def _divergence(x: arb, q: arb) -> arb:
    """Return KL(x || q) of two coins, for x and q in (0, 1)."""
    return x * (x / q).log() + (1 - x) * ((1 - x) / (1 - q)).log()
