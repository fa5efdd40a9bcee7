"""k-ary randomized response: tell the truth, or with probability gamma a uniformly random symbol.

With E = e^eps0 a user keeps the input x with probability p = E / (E + k - 1) and sends each other symbol with
probability q = 1 / (E + k - 1). In other words: a message is uniform on {0, ..., k-1} with probability gamma = k q, the
weight of the uniform blanket, and the input otherwise; E = 1 + k (1 - gamma) / gamma, infinite for gamma = 0.

*Supports.* A message supports its own symbol; u is uniform on the symbols. The pair (0, 1) has the classes of the
messages 0 and 1, of another user's symbol 2, and of the k - 3 others. As k >= 2 every message is some input's lie: the
least probability is q throughout. For k = 2 there is no further symbol, for k = 3 no fourth.

*Rounded e^eps0.* With E' <= E, response at E' is response at E after each message is replaced, with a fixed
probability, by a uniformly random symbol.

Source: Warner1965, section 2 (k = 2); KairouzBonawitzRamage2016, section 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from exactdp.errors import InvalidValueError
from exactdp.evidence.theorems import relies_on
from exactdp.mechanisms.family import (
    Drawn,
    ExpEps0,
    FamilyRandomizer,
    SupportSource,
    exact_eps0,
    rational_of,
    read_exp_eps0,
    read_inputs,
    small_table,
)
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.mechanisms.support_family import Patterns, SupportFamily, sampled_bits
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_probability
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.real import Real


@dataclass(frozen=True, slots=True, init=False)
class KAryResponse(SupportFamily):
    """k-ary randomized response as a family; the arguments are those of ``randomized_response``.

    >>> [len(table.classes) for table in KAryResponse(10**6, exp_eps0=55).pair_tables()]
    [4]
    """

    name: ClassVar[str] = "k-ary"
    sends_numbers = True
    claim_fields: ClassVar[Mapping[str, str]] = {"inputs": "k", "exp_eps0": "exp_eps0"}

    k: int
    exp_eps0: ExpEps0 | None
    """e^eps0; None for infinity, where the input itself is sent."""

    def __init__(self, k: int, *, gamma: Exact | None = None, exp_eps0: Exact | Real | None = None) -> None:
        if (gamma is None) == (exp_eps0 is None):
            given = "neither" if gamma is None else "both"
            raise InvalidValueError(
                f"{given} of gamma and exp_eps0 given. Pass one: gamma=..., the weight of the uniform blanket, or "
                "exp_eps0=... for e^eps0."
            )
        size = read_inputs(k, name="k")
        if exp_eps0 is not None:
            value: ExpEps0 | None = read_exp_eps0(exp_eps0)
        else:
            blanket = as_probability(gamma, name="gamma")
            value = 1 + size * (1 - blanket) / blanket if blanket else None
        set_fields(self, k=size, exp_eps0=value)

    @property
    def title(self) -> str:
        """Randomized response."""
        return f"Randomized response, {self.input_space} choices"

    @property
    def inputs(self) -> range:
        return range(self.k)

    @property
    def message_space(self) -> tuple[str, int | None]:
        return str(self.k), self.k

    @property
    def lie(self) -> Fraction:
        """q: the probability of each other symbol."""
        self.need_rational("its law")
        return Fraction(0) if self.exp_eps0 is None else 1 / (rational_of(self.exp_eps0) + self.k - 1)

    @property
    def keep(self) -> Fraction:
        """p: the probability of the own symbol."""
        return 1 - (self.k - 1) * self.lie

    @property
    def gamma(self) -> Fraction:
        """k q: the weight of the uniform blanket."""
        return self.k * self.lie

    @property
    def densities(self) -> tuple[Fraction, Fraction]:
        return self.k * self.keep, self.gamma

    @property
    def everyone(self) -> Fraction:
        return Fraction(0)

    @relies_on("k_ary_classes.k_ary_blanket", "k_ary_classes.k_ary_others")
    def patterns(self, labels: Sequence[int]) -> Patterns:
        return sampled_bits(self.k, 1, len(labels))

    @property
    def response_size(self) -> int:
        return self.k

    @property
    def published_beta(self) -> Fraction:
        return self.keep - self.lie

    def local_epsilon(self) -> LogRational | Real:
        return LogRational(None) if self.exp_eps0 is None else exact_eps0(self.exp_eps0)

    def drawn(self, source: SupportSource[Drawn]) -> Drawn:
        return source.subsets(1, self.gamma)

    def _table(self) -> Randomizer:
        p, q = self.keep, self.lie
        return Randomizer({x: {(y,): p if y == x else q for y in self.inputs} for x in self.inputs})


def randomized_response(
    k: int, *, gamma: Exact | None = None, exp_eps0: Exact | Real | None = None
) -> Randomizer | FamilyRandomizer:
    """Return k-ary randomized response: P[y | x] = (1 - gamma) 1[y = x] + gamma / k.

    Args:
        k: number of inputs and of messages, 2 to 10^9; both are 0, ..., k-1.
        gamma: weight of the uniform blanket, exact, in [0, 1].
        exp_eps0: in place of gamma: e^eps0, exact and at least 1, or irrational as "exp(1/2)"; then the own symbol
            has the probability E / (E + k - 1), each other one 1 / (E + k - 1).

    Returns:
        A ``Randomizer``, exact, for k up to 256; beyond, or where exp_eps0 is irrational, the family
        ``KAryResponse`` with the same parameters.

    Raises:
        InvalidValueError: for neither or both of gamma and exp_eps0, and values out of range.

    >>> randomized_response(4, gamma="1/2").local_epsilon()
    LogRational('5')
    >>> randomized_response(4, exp_eps0=5) == randomized_response(4, gamma="1/2")
    True

    Source: Warner1965, section 2 (k = 2); KairouzBonawitzRamage2016, section 3.
    """
    return small_table(KAryResponse(k, gamma=gamma, exp_eps0=exp_eps0))
