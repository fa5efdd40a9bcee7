"""Every randomizer that is eps0-DP and sends one bundle of messages: what is known from e^eps0 alone.

All users run one randomizer, with finitely many outcomes, that does not depend on what others send; they may run
different ones if all their rows together are one eps0-DP table.

*Upper end.* The stronger clones, at e^eps >= 1 (stronger_clones.stronger_clones, kernel-checked): two labels with the
rows (E, 1)/(E + 1) and (1, E)/(E + 1), E = e^eps0, beside others who draw each with probability 1/(E + 1), else none.
Where the rows P and Q are at the largest total variation distance, (E - 1)/(E + 1), or all other rows are mixtures of
them, the observer is told the labels: A = (E P - Q)/(E - 1) and B = (E Q - P)/(E - 1) are laws, because P <= E Q and
Q <= E P, and P = (E A + B)/(E + 1), while every row is at least (A + B)/(E + 1). Else he is told one of three, where P
is the larger, where Q is, and what both have; the bound by the blanket of these is no larger. The clones of 2021 have
1/(2E) in place of 1/(E + 1).

It is compared with the swap bound beside five extreme members (:mod:`exactdp.privacy.amplification.swap_bound`), which
from a few hundred users on is the smaller one and near the lower end.

*Lower end.* k-ary response is eps0-DP: for k = 2 and 3 it says how much every such bound must be. A search found no
member that is less private: with three inputs, of which all others hold one, every extreme randomizer was tried, of
which each message is 1 or E times as likely under one input as under another.

*Rounded e^eps0.* A randomizer that is eps0-DP is so at every larger eps0.

Source: FeldmanMcMillanTalwar2023, Theorem 3.2 (as printed in secondary sources, with a proof of this package).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NoReturn

from exactdp.errors import InvalidValueError
from exactdp.evidence.theorems import relies_on
from exactdp.mechanisms.family import ExpEps0, FamilyRandomizer, exact_eps0, rational_of, read_exp_eps0
from exactdp.mechanisms.k_ary_family import KAryResponse
from exactdp.mechanisms.pair_table import PairTable
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.real import Real


@dataclass(frozen=True, slots=True, init=False)
class AnyRandomizer(FamilyRandomizer):
    """All eps0-DP randomizers as one value; the argument is that of ``any_randomizer``."""

    name: ClassVar[str] = "any-randomizer"
    claim_fields: ClassVar[Mapping[str, str]] = {"exp_eps0": "exp_eps0"}

    exp_eps0: ExpEps0

    def __init__(self, *, exp_eps0: Exact | Real) -> None:
        set_fields(self, exp_eps0=read_exp_eps0(exp_eps0))

    @property
    def inputs(self) -> tuple[str, ...]:
        """Empty: a statement about every randomizer names no input."""
        return ()

    @property
    def input_space(self) -> str:
        return "any"

    @property
    def message_space(self) -> tuple[str, int | None]:
        return "any number of", None

    def local_epsilon(self) -> LogRational | Real:
        return exact_eps0(self.exp_eps0)

    @relies_on("stronger_clones.stronger_clones")
    def pair_tables(self) -> tuple[PairTable, ...]:
        """Return the one table of two labels, ``"x"`` and ``"x'"``; no row of another user is known."""
        self.need_rational("its classes")
        ratio = rational_of(self.exp_eps0)
        own, other = ratio / (ratio + 1), 1 / (ratio + 1)
        return (PairTable.merged("x", "x'", (), [(own, other, other), (other, own, other)]),)

    def extremes(self) -> tuple[tuple[tuple[Fraction, Fraction, Fraction], ...], ...]:
        """Return (P, Q, R) of each message of the five randomizers of which every split one is a mixture."""
        self.need_rational("its extreme members")
        one, ratio = Fraction(1), rational_of(self.exp_eps0)
        rays = (
            [(ratio, one, one), (one, ratio, ratio)],
            [(one, ratio, one), (ratio, one, ratio)],
            [(one, one, ratio), (ratio, ratio, one)],
            [(ratio, one, one), (one, ratio, one), (one, one, ratio)],
            [(one, ratio, ratio), (ratio, one, ratio), (ratio, ratio, one)],
        )
        return tuple(
            tuple((p / total, q / total, r / total) for p, q, r in messages)
            for messages in rays
            for total in [sum(p for p, _, _ in messages)]
        )

    @property
    def pairs_by(self) -> str:
        return "every"

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
    """Return what stands for every randomizer that is eps0-DP and sends one bundle of messages, one for all users.

    Args:
        exp_eps0: E = e^eps0, exact and at least 1, or irrational as "exp(1/2)".

    Upper ends hold for each of them; lower ends are those of members, ``lower_families``.

    >>> [(str(c.first), str(c.least)) for c in any_randomizer(exp_eps0=3).pair_tables()[0].classes]
    [('3/4', '1/4'), ('1/4', '1/4')]

    Source: FeldmanMcMillanTalwar2023, Theorem 3.2 (as printed in secondary sources).
    """
    return AnyRandomizer(exp_eps0=exp_eps0)
