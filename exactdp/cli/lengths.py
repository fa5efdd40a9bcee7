"""How long an exact answer would be, before it is computed: nobody reads a fraction of a million digits."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from exactdp.engines.lattice_shift import LatticeShift
    from exactdp.laws.lattice import LatticeLaw

__all__ = ["LONG_BITS", "answer_bits", "probability_bits"]

LONG_BITS: Final = 2**18
"""Answers with fractions of up to about so many bits, 79,000 digits, are exact; longer ones only on request."""


def probability_bits(law: LatticeLaw, k: int) -> int:
    """Return about how many bits the denominator of P[Y <= k] has, for a law with rational probabilities.

    >>> from exactdp.laws import Binomial, Geometric
    >>> probability_bits(Binomial(100, "1/8"), 50), probability_bits(Geometric("1/3"), 9)
    (400, 20)
    """
    from exactdp.laws import Binomial, BinomialSum, DiscreteLaplace, Geometric, NegativeBinomial

    if isinstance(law, Binomial):
        return law.n * _bits(law.p)
    if isinstance(law, BinomialSum):
        return law.n1 * _bits(law.p1) + law.n2 * _bits(law.p2)
    if isinstance(law, NegativeBinomial) and isinstance(law.p, Fraction) and isinstance(law.r, Fraction):
        return (max(k, 0) + law.r.__ceil__()) * _bits(law.p)
    if isinstance(law, Geometric) and isinstance(law.p, Fraction):
        return (max(k, 0) + 1) * _bits(law.p)
    if isinstance(law, DiscreteLaplace) and isinstance(law.exp_eps, Fraction):
        return (abs(k) + 1) * _bits(1 / law.exp_eps)
    return 1


def answer_bits(engine: LatticeShift, exp_eps: Fraction | None) -> int:
    """Return about how long the probabilities of the worst events at ``exp_eps`` (None: infinity) are."""
    from exactdp.numbers.real import Real
    from exactdp.privacy.half_lines import lower_event, upper_event

    law, shift = engine.law, engine.shift.by
    if law.low is not None and law.high is not None:
        return probability_bits(law, law.high)
    bound = None if exp_eps is None else Real(exp_eps)
    events = [event for find in (lower_event, upper_event) if (event := find(law, shift, bound)) is not None]
    ends = [end for event in events for end in (event.first, event.last) if end is not None]
    return max((probability_bits(law, k) for end in ends for k in (end, end - shift)), default=1)


def _bits(p: Fraction) -> int:
    return p.denominator.bit_length()
