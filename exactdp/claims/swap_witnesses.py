"""Witnesses by the swap bound: for each ordered pair of inputs a plan that shows its divergence to be at most delta.

A plan is chosen in floats, and what it proves is seen in balls, as the engine does for an upper end
(:mod:`exactdp.privacy.amplification.swap_bound`); the checker goes the same way in integers. A certificate has no slot
of his own for the user who differs: among up to 2^16 users that costs less than 0.1 % of delta.

Pairs far below delta share the plan of the largest one, for which the checker looks at no node.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exactdp.checker.budget import MalformedCertificateError
from exactdp.checker.limits import MAX_NODES, MAX_PLANS
from exactdp.checker.pair_classes import Around
from exactdp.claims.encoding import JsonObject, write_integer, write_integers, write_rational
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.bounds_of_pairs import log_size
from exactdp.privacy.amplification.guesses import binary_size, of_size
from exactdp.privacy.amplification.positive_part import mixture_of
from exactdp.privacy.amplification.swap_bound import PairBound, VertexBound, shown_by
from exactdp.privacy.amplification.swap_choices import Plan

_LEAST_BITS: Final = 64
_MOST_BITS: Final = 4096
"""Precisions of the format."""

_SPARE_BITS: Final = (64, 160)
"""By which roundings stay far below what separates delta from the bound, mostly, and where it is near."""


def stated_bounds(pairs: Iterable[Around], *, has_blankets: bool = True) -> list[VertexBound]:
    """Return what the checker bounds pairs of inputs by, in its order; nothing where it would take too long."""
    found = dict[VertexBound, VertexBound]()
    bounds = []
    with suppress(MalformedCertificateError):
        for pair in pairs:
            blanket = mixture_of(sorted(pair.blanket))
            gamma = sum((mass for _, _, mass in pair.blanket), Fraction(0))
            listed = sorted([(share, sorted(row)) for share, row in vertex] for vertex in pair.vertices)
            vertices = (tuple((share, mixture_of(row)) for share, row in vertex) for vertex in listed)
            bound = VertexBound.beside(blanket if has_blankets else blanket.alone, gamma, vertices)
            bounds.append(found.setdefault(bound, bound))
        return bounds
    return []


@dataclass(frozen=True)
class SwapWitnesses:
    """The plans of one claim: pairs in the order of the checker, beside ``users`` - 1 others."""

    pairs: Sequence[PairBound]
    users: int
    ratio: Fraction
    delta: Fraction

    def proofs(self) -> Iterator[JsonObject]:
        """Yield the swap bounds that show delta, with more and more bits."""
        if not (self.pairs and self.delta) or (chosen := self._chosen()) is None:
            return
        plans, places = chosen
        needed = self.delta.denominator.bit_length() - self.delta.numerator.bit_length() + 2 * self.users.bit_length()
        for spare in _SPARE_BITS:
            bits = max(_LEAST_BITS, needed + spare)
            if bits <= _MOST_BITS:
                yield {
                    "bits": write_integer(bits),
                    "plans": list(map(_written, plans)),
                    "pairs": write_integers(places),
                }

    def _chosen(self) -> tuple[list[Plan], list[int]] | None:
        """Return plans, and which of them shows each pair; None where one has none."""
        level, size = Real(self.ratio), of_size(binary_size(Real(self.ratio)))
        left = sorted(dict.fromkeys(self.pairs), key=lambda pair: -log_size(pair, self.users, size))
        plans, taken = list[Plan](), dict[PairBound, int]()
        while left:
            plan = left[0].plan(self.users, level)
            if plan is None or plan.nodes > MAX_NODES or len(plans) == MAX_PLANS:
                return None
            found = dict(zip(left, shown_by(plan, left, self.users, self.ratio, self.delta), strict=True))
            if not found[left[0]]:
                return None
            taken |= dict.fromkeys((pair for pair, is_shown in found.items() if is_shown), len(plans))
            plans.append(plan)
            left = [pair for pair in left if not found[pair]]
        return plans, [taken[pair] for pair in self.pairs]


def _written(plan: Plan) -> JsonObject:
    """Return a plan in the units of a certificate, in which its tilt is 1."""
    return {
        "tilt": write_rational(plan.tilt),
        "smoothing": write_rational(plan.smoothing * plan.tilt),
        "step": write_rational(plan.step / plan.tilt),
        "nodes": write_integer(plan.nodes),
        "stages": write_integers(plan.stages),
    }
