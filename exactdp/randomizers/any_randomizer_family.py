"""Every randomizer that is eps0-DP and sends one bundle of messages: what is known from e^eps0 alone.

*Upper end.* Let P and Q be the rows of the two inputs and E = e^eps0. Write A = (E P - Q)/(E - 1) and
B = (E Q - P)/(E - 1): laws, because P <= E Q and Q <= E P. Then P = (E A + B)/(E + 1), Q = (A + E B)/(E + 1), and every
row R of another user has R >= P/E and R >= Q/E, so R >= (P + Q)/(2E) = (A + B)/(2E). Tell the observer, for every
message made of A and B, which of the two it was: two labels, with P = (E, 1)/(E + 1), Q = (1, E)/(E + 1) and the
least probabilities (1, 1)/(2E). The bound by the blanket on these labels is the clones bound of 2021, and holds for
every such randomizer.

*Lower end.* k-ary response is eps0-DP: for k = 2 and 3 it says how much every such bound must be. A search found no
member that is less private: with three inputs, of which all others hold one, every extreme randomizer was tried, of
which each message is 1 or E times as likely under one input as under another. That is no proof: the ends are apart.

*Rounded e^eps0.* A randomizer that is eps0-DP is so at every larger eps0.

Source: FeldmanMcMillanTalwar2021, Theorem 3.2 (the clones, while the proof is this page's).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NoReturn

from exactdp.errors import InvalidValueError
from exactdp.frozen import set_fields
from exactdp.models.pair_table import PairTable
from exactdp.models.randomizer import Randomizer
from exactdp.numbers.exact import Exact
from exactdp.numbers.real import Real
from exactdp.privacy.epsilon import LogRational
from exactdp.randomizers.family import (
    ExpEps0,
    FamilyRandomizer,
    exact_eps0,
    rational_of,
    read_exp_eps0,
)
from exactdp.randomizers.k_ary_family import KAryResponse


@dataclass(frozen=True, slots=True, init=False)
class AnyRandomizer(FamilyRandomizer):
    """All eps0-DP randomizers as one value; the argument is that of ``any_randomizer``."""

    name: ClassVar[str] = "any-randomizer"

    exp_eps0: ExpEps0

    def __init__(self, *, exp_eps0: Exact | Real) -> None:
        set_fields(self, exp_eps0=read_exp_eps0(exp_eps0))

    @property
    def inputs(self) -> tuple[str, ...]:
        """Empty: a statement about every randomizer names no input."""
        return ()

    @property
    def message_space(self) -> tuple[str, int | None]:
        return "any number of", None

    def local_epsilon(self) -> LogRational | Real:
        return exact_eps0(self.exp_eps0)

    def pair_tables(self) -> tuple[PairTable, ...]:
        """Return the one table of two labels, ``"x"`` and ``"x'"``; no row of another user is known."""
        self.need_rational("its classes")
        ratio = rational_of(self.exp_eps0)
        own, other, least = ratio / (ratio + 1), 1 / (ratio + 1), 1 / (2 * ratio)
        return (PairTable.merged("x", "x'", (), [(own, other, least), (other, own, least)]),)

    def lower_families(self) -> tuple[FamilyRandomizer, ...]:
        """Return members whose answers are lower ends: k-ary response for k = 2 and 3, at the same e^eps0."""
        return tuple(KAryResponse(k, exp_eps0=self.exp_eps0) for k in (2, 3))

    def drawn(self, source: object) -> NoReturn:
        self._refuse_table()

    def table(self) -> Randomizer:
        self._refuse_table()

    def _table(self) -> Randomizer:
        self._refuse_table()

    def _refuse_table(self) -> NoReturn:
        raise InvalidValueError(
            f"any_randomizer(exp_eps0={self.exp_eps0}) stands for every randomizer of this eps0: it has no table "
            "and sends nothing. Ask for delta or eps, or pass one randomizer."
        )


def any_randomizer(*, exp_eps0: Exact | Real) -> AnyRandomizer:
    """Return what stands for every randomizer that is eps0-DP and sends one bundle of messages.

    Args:
        exp_eps0: E = e^eps0, exact and at least 1, or irrational as "exp(1/2)".

    Upper ends hold for each of them; lower ends are those of members, ``lower_families``.

    >>> [(str(c.first), str(c.least)) for c in any_randomizer(exp_eps0=3).pair_tables()[0].classes]
    [('3/4', '1/6'), ('1/4', '1/6')]

    Source: FeldmanMcMillanTalwar2021, Theorem 3.2.
    """
    return AnyRandomizer(exp_eps0=exp_eps0)
