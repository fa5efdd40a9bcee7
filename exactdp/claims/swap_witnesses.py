"""Witnesses by the swap bound: for each ordered pair of inputs a plan that shows its divergence to be at most delta.

Where the blanket is the smaller bound, a plan without stages states it in the same form.

A plan is chosen in floats, and what it proves is seen in balls, as the engine does for an upper end
(:mod:`exactdp.privacy.amplification.swap_bound`); the checker goes the same way in integers.

Pairs far below delta share the plan of the largest one, for which the checker looks at no node.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, NamedTuple

from exactdp.checker.budget import MalformedCertificateError
from exactdp.checker.limits import MAX_NODES, MAX_PLANS
from exactdp.checker.pair_classes import Around
from exactdp.claims.encoding import Json, JsonObject, write_integer, write_integers, write_rational
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.bounds_of_pairs import log_size
from exactdp.privacy.amplification.guesses import binary_size, of_size
from exactdp.privacy.amplification.positive_part import Mixture, mixture_of
from exactdp.privacy.amplification.swap_bound import VertexBound, own_row, shown_by
from exactdp.privacy.amplification.swap_choices import Plan
from exactdp.privacy.amplification.tilted import Atom

_LEAST_BITS: Final = 64
_MOST_BITS: Final = 4096
"""Precisions of the format."""

_SPARE_BITS: Final = (64, 160)
"""By which roundings stay far below what separates delta from the bound, mostly, and where it is near."""


class BoundedPair(NamedTuple):
    """What the checker bounds an ordered pair of inputs by, and the users of whom it is known what they hold."""

    bound: VertexBound
    users: int


def bounded_pairs(pairs: Iterable[Around], *, has_blankets: bool = True) -> list[BoundedPair]:
    """Return what the checker bounds pairs of inputs by, in its order; nothing where it would take too long."""
    found = dict[VertexBound, VertexBound]()
    bounds = []
    with suppress(MalformedCertificateError):
        for pair in pairs:
            blanket = mixture_of(sorted(pair.blanket))
            gamma = sum((mass for _, _, mass in pair.blanket), Fraction(0))
            listed = sorted([(share, sorted(row)) for share, row in vertex] for vertex in pair.vertices)
            vertices = (tuple((share, mixture_of(row)) for share, row in vertex) for vertex in listed)
            stated = blanket if has_blankets else blanket.alone
            own = own_row(blanket, gamma) if pair.is_below else None
            bound = VertexBound.beside(stated, gamma, vertices, own=own, may_own=pair.is_of_one_row)
            bound = replace(bound, states_blanket=has_blankets)
            bounds.append(BoundedPair(found.setdefault(bound, bound), pair.others + 1))
        return bounds
    return []


@dataclass(frozen=True)
class SwapWitnesses:
    """The plans of one claim: pairs in the order of the checker."""

    pairs: Sequence[BoundedPair]
    ratio: Fraction
    delta: Fraction

    def proofs(self) -> Iterator[dict[str, Json]]:
        """Yield the swap bounds that show delta, with more and more bits."""
        if not (self.pairs and self.delta) or (chosen := self._chosen()) is None:
            return
        plans, places = chosen
        users = max(pair.users for pair in self.pairs)
        needed = self.delta.denominator.bit_length() - self.delta.numerator.bit_length() + 2 * users.bit_length()
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
        size = of_size(binary_size(Real(self.ratio)))
        left = sorted(dict.fromkeys(self.pairs), key=lambda pair: -log_size(pair.bound, pair.users, size))
        plans, taken = list[Plan](), dict[BoundedPair, int]()
        while left:
            if len(plans) == MAX_PLANS or (shown := self._shown(left)) is None:
                return None
            plan, found = shown
            taken |= dict.fromkeys(found, len(plans))
            plans.append(plan)
            left = [pair for pair in left if pair not in found]
        return plans, [taken[pair] for pair in self.pairs]

    def _shown(self, pairs: Sequence[BoundedPair]) -> tuple[Plan, set[BoundedPair]] | None:
        """Return a plan of a swap, or of a blanket, that shows the first pair, and all pairs that it shows."""
        first, users = pairs[0]
        alike = [pair for pair in pairs if pair.users == users]
        for swaps in (True, False)[: 1 + first.states_blanket]:
            bounds = [pair.bound if swaps else self._by_blanket(pair.bound) for pair in alike]
            plan = bounds[0].plan(users, Real(self.ratio))
            if plan is not None and plan.nodes <= MAX_NODES:
                shown = shown_by(plan, bounds, users, self.ratio, self.delta)
                found = {pair for pair, is_shown in zip(alike, shown, strict=True) if is_shown}
                if pairs[0] in found:
                    return plan if swaps else replace(plan, stages=()), found
        return None

    def _by_blanket(self, bound: VertexBound) -> VertexBound:
        """Return the bound by the blanket: where its values have a positive mean, that and their opposites."""
        given, ratio = bound.blanket, self.ratio
        mean = sum((atom.first - ratio * atom.second for atom in given.atoms), Fraction(0))
        if mean <= 0:
            return bound.by_blanket
        opposite = tuple(Atom(atom.weight, ratio * atom.second, atom.first / ratio) for atom in given.atoms)
        return replace(bound, blanket=Mixture((*given.charges, (mean, Fraction(0))), opposite)).by_blanket


def _written(plan: Plan) -> JsonObject:
    """Return a plan in the units of a certificate, in which its tilt is 1."""
    return {
        "tilt": write_rational(plan.tilt),
        "smoothing": write_rational(plan.smoothing * plan.tilt),
        "step": write_rational(plan.step / plan.tilt),
        "nodes": write_integer(plan.nodes),
        "own_stages" if plan.own else "stages": write_integers(plan.stages),
    }
