"""Every randomizer that is eps0-DP, or (eps0, delta0)-DP, and sends one bundle of messages: what eps0 and delta0 tell.

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

*With delta0* every randomizer with R_x(S) <= E R_v(S) + delta0 for all inputs x, v and sets S is meant. Both ends are
proved in :mod:`exactdp.privacy.amplification.approximate_pairs`: the upper one is that of eps0 and a charge of some
delta0, not n delta0, for the user who differs; the lower one is delta0 + (1 - delta0) times that of eps0, attained.

*Rounded e^eps0.* A randomizer that is eps0-DP is so at every larger eps0, with delta0 as well.

Source: FeldmanMcMillanTalwar2023, Theorem 3.2 (as printed in secondary sources, with a proof of this package).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, NoReturn

from exactdp.errors import InvalidValueError
from exactdp.evidence.theorems import relies_on
from exactdp.mechanisms.family import ExpEps0, FamilyRandomizer, Parameter, exact_eps0, rational_of, read_exp_eps0
from exactdp.mechanisms.k_ary_family import KAryResponse
from exactdp.mechanisms.pair_table import PairTable
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_fraction
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.real import Real


@dataclass(frozen=True, slots=True, init=False, repr=False)
class AnyRandomizer(FamilyRandomizer):
    """All (eps0, delta0)-DP randomizers as one value; the arguments are those of ``any_randomizer``."""

    name: ClassVar[str] = "any-randomizer"
    claim_fields: ClassVar[Mapping[str, str]] = {"exp_eps0": "exp_eps0"}

    exp_eps0: ExpEps0
    delta0: Fraction = Fraction(0)

    def __init__(self, *, exp_eps0: Exact | Real, delta0: Exact = 0) -> None:
        set_fields(self, exp_eps0=read_exp_eps0(exp_eps0), delta0=as_fraction(delta0, name="delta0"))
        if not 0 <= self.delta0 < 1:
            raise InvalidValueError(
                f"delta0={short(self.delta0)} is not from 0 to below 1. Pass the delta of one user's messages, for "
                "example delta0=1e-12, or none."
            )

    def __repr__(self) -> str:
        more = f", delta0={self.delta0!r}" if self.delta0 else ""
        return f"AnyRandomizer(exp_eps0={self.exp_eps0!r}{more})"

    def __setstate__(self, state: list[Any]) -> None:
        exp_eps0, *more = state  # before there was a delta0 it was not kept
        set_fields(self, exp_eps0=exp_eps0, delta0=more[0] if more else Fraction(0))

    @property
    def parameters(self) -> dict[str, Parameter]:
        given: dict[str, Parameter] = {"exp_eps0": self.exp_eps0}
        return {**given, "delta0": self.delta0} if self.delta0 else given

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
        return LogRational(None) if self.delta0 else exact_eps0(self.exp_eps0)

    @property
    def claim_refusal(self) -> str:
        if not self.delta0:
            return ""
        return (
            f"any-randomizer with delta0={short(self.delta0)}: a claim about every randomizer holds its e^eps0 and no "
            "delta0, so that there is no certificate. Ask for delta or eps, whose ends are proved without one, or "
            "claim it of one table."
        )

    @relies_on("stronger_clones.stronger_clones")
    def pair_tables(self) -> tuple[PairTable, ...]:
        """Return the one table of two labels, ``"x"`` and ``"x'"``; no row of another user is known.

        With delta0 it is that of one user alone, c = 0 (*One user* in
        :mod:`exactdp.privacy.amplification.approximate_pairs`).
        """
        self.need_rational("its classes")
        ratio, kept, zero = rational_of(self.exp_eps0), 1 - self.delta0, Fraction(0)
        own, other = kept * ratio / (ratio + 1), kept / (ratio + 1)
        if not self.delta0:
            return (PairTable.merged("x", "x'", (), [(own, other, other), (other, own, other)]),)
        alone = [(own, other, zero), (other, own, zero), (self.delta0, zero, zero), (zero, self.delta0, zero)]
        return (PairTable.merged("x", "x'", (), alone),)

    def extremes(self) -> tuple[tuple[tuple[Fraction, Fraction, Fraction], ...], ...]:
        """Return (P, Q, R) of each message of the five randomizers of which every split one of eps0 is a mixture."""
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
        return "almost every" if self.delta0 else "every"

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
        more = f", delta0={short(self.delta0)}" if self.delta0 else ""
        raise InvalidValueError(
            f"any_randomizer(exp_eps0={self.exp_eps0}{more}) stands for every randomizer of this eps0: it has no table "
            "and sends nothing. Ask for delta or eps, or pass one randomizer."
        )


def any_randomizer(*, exp_eps0: Exact | Real, delta0: Exact = 0) -> AnyRandomizer:
    """Return what stands for every randomizer that is (eps0, delta0)-DP and sends one bundle of messages, one for all
    users.

    Args:
        exp_eps0: E = e^eps0, exact and at least 1, or irrational as "exp(1/2)".
        delta0: exact, from 0 to below 1; 0, the default, stands for every randomizer that is eps0-DP.

    Upper ends hold for each of them; lower ends are attained by members: with delta0 = 0 by ``lower_families``, else by
    these where each input is also shown with probability delta0.

    >>> [(str(c.first), str(c.least)) for c in any_randomizer(exp_eps0=3).pair_tables()[0].classes]
    [('3/4', '1/4'), ('1/4', '1/4')]
    >>> any_randomizer(exp_eps0=3, delta0="1e-12")
    AnyRandomizer(exp_eps0=Fraction(3, 1), delta0=Fraction(1, 1000000000000))

    Source: FeldmanMcMillanTalwar2023, Theorem 3.2 (as printed in secondary sources).
    """
    return AnyRandomizer(exp_eps0=exp_eps0, delta0=delta0)
