"""The kinds of claims: for each a frozen class, whose fields are numbers, laws and tables and say how they are written.

A kind has three places: its class here, the function of :mod:`exactdp.claims.decide` that decides it, and its
room in the checker, which rebuilds it from the JSON and words it. The constructors of
:class:`exactdp.claims.claim.Claim` make the values and refuse what is no claim.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Final, TypeAlias

from exactdp.checker.reading import canonical
from exactdp.claims.encoding import (
    MECHANISM,
    Codec,
    Encoded,
    Json,
    JsonObject,
    Mechanism,
    NoiseLaw,
    ShiftedNoise,
    ShuffledView,
    Table,
    choice,
    merged,
    read_noise,
    read_rational,
    write_noise,
    write_rational,
)
from exactdp.laws.finite import Law
from exactdp.laws.negative_binomial import NegativeBinomial
from exactdp.numbers.epsilon import PrivacyLevel
from exactdp.numbers.real import Real
from exactdp.symbolic import handelman
from exactdp.symbolic.box import Box
from exactdp.symbolic.sums import ExpTerm


def _write_level(level: PrivacyLevel) -> JsonObject:
    return {name: write_rational(value) for name, value in level.keywords.items()}


def _read_level(data: Mapping[str, Any]) -> PrivacyLevel:
    if "exp_eps" in data:
        return PrivacyLevel(read_rational(data["exp_eps"]))
    return PrivacyLevel(None, read_rational(data["eps"]))


Level: TypeAlias = Annotated[PrivacyLevel, Codec(_write_level, _read_level, is_merged=True)]
"""e^eps, or a rational eps; written under the name of the one that is given."""
View: TypeAlias = Annotated[ShuffledView, merged(ShuffledView)]
Shifted: TypeAlias = Annotated[ShiftedNoise, merged(ShiftedNoise)]
Summand: TypeAlias = Annotated[NegativeBinomial, Codec(write_noise, read_noise)]
"""A part of the noise of correlated counts."""
Least: TypeAlias = Annotated[str | None, "none"]
"""What no smaller one will do for: "delta", "exp_eps" or nothing."""


_KINDS: Final[dict[str, type[Statement]]] = {}
"""Kind -> class; of the two classes of accuracy claims, that of shuffled views."""


class Statement(Encoded):
    """What a claim says; ``kind`` names it in the JSON."""

    __slots__ = ()
    kind: ClassVar[str]

    def __init_subclass__(cls, kind: str | None = None) -> None:
        """Register the kind. (A dataclass with slots is a second class, which takes over the kind of the first.)"""
        cls.kind = kind or cls.kind
        _KINDS[cls.kind] = cls

    def encode(self) -> dict[str, Json]:
        """Return the claim as JSON data."""
        return {"kind": self.kind, **Encoded.encode(self)}


# --- Privacy --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ShuffleDP(Statement, kind="shuffle_dp"):
    """The shuffled protocol is (eps, delta)-DP, for its number of users or for every number from it on."""

    mechanism: View
    all_n: Annotated[bool, choice({False: "this n", True: "all n from n"})] = field(metadata={"key": "scope"})
    level: Level
    delta: Fraction
    least: Least


@dataclass(frozen=True, slots=True)
class TwoMessageDP(Statement, kind="two_message_dp"):
    """The same, with one of two messages from each user and for replace-one neighbours: all views are compared."""

    randomizer: Table
    n: int
    all_n: Annotated[bool, choice({False: "this n", True: "all n from n"})] = field(metadata={"key": "scope"})
    level: Level
    delta: Fraction

    @property
    def extremes(self) -> tuple[Fraction, Fraction]:
        """The least and the greatest probability of message 1 over all inputs."""
        chances = [self.randomizer.count_law(x).get((0, 1), Fraction(0)) for x in range(len(self.randomizer.rows))]
        return min(chances), max(chances)


@dataclass(frozen=True, slots=True)
class NeverDP(Statement, kind="never_dp"):
    """For no finite eps and no delta below ``delta_below`` is the shuffled protocol (eps, delta)-DP."""

    mechanism: View
    delta_below: Fraction


@dataclass(frozen=True, slots=True)
class ShiftDP(Statement, kind="shift_dp"):
    """An integer query plus noise is (eps, delta)-DP."""

    mechanism: Shifted
    level: Level
    delta: Fraction
    least: Least


@dataclass(frozen=True, slots=True)
class Repeated(Encoded):
    """A mechanism that is run ``times`` times."""

    mechanism: Annotated[Mechanism, MECHANISM]
    times: int


@dataclass(frozen=True, slots=True)
class Composed(Statement, kind="composed"):
    """All runs together are (eps, delta)-DP, adaptively."""

    runs: tuple[Repeated, ...]
    level: Level
    delta: Fraction


@dataclass(frozen=True, slots=True)
class Smooth(Statement, kind="smooth"):
    """A law is (eps, delta, k)-smooth."""

    law: NoiseLaw
    k: int
    level: Level
    delta: Fraction


@dataclass(frozen=True, slots=True)
class CountingDP(Statement, kind="counting_dp"):
    """Private counting with messages +1 and -1, whose noise is correlated, is (eps, delta)-DP for any number of users.

    To the sum of the bits come G1 + W messages +1, and there are G2 + W messages -1: G1 and G2 are geometric with the
    ratio ``p1``, and W is the sum of the laws of ``noise``.
    """

    p1: Real
    noise: tuple[Summand, ...]
    level: Level
    delta: Fraction


@dataclass(frozen=True, slots=True)
class SampleThresholdDP(Statement, kind="sample_threshold_dp"):
    """A count of sampled holders, dropped below a threshold, is (eps, delta)-DP where one holder comes or goes.

    Whatever the number of holders is, or as long as there are at most ``users``.
    """

    rate: Fraction
    threshold: int
    users: Annotated[int | None, "any"]
    level: Level
    delta: Fraction


@dataclass(frozen=True, slots=True)
class SplitAndMix(Statement, kind="split_and_mix"):
    """The shuffled shares of any two inputs with one sum modulo ``modulus`` are within a total variation distance."""

    n: int
    modulus: int
    messages: int
    distance: Fraction


# --- Probabilities and laws -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tail(Statement, kind="tail"):
    """P[low <= Y <= high] is at most, or at least, a probability; None is no end."""

    law: NoiseLaw
    low: Annotated[int | None, "-infinity"] = field(metadata={"key": "from"})
    high: Annotated[int | None, "infinity"] = field(metadata={"key": "to"})
    is_upper: Annotated[bool, choice({True: "at most", False: "at least"})] = field(metadata={"key": "bound"})
    probability: Fraction


@dataclass(frozen=True, slots=True)
class Estimate(Encoded):
    """How an estimate follows from a sum, and that it errs by more than alpha with a probability of at most beta."""

    offset: Fraction
    zero_unless_above: Annotated[Fraction | None, "none"]
    alpha: Fraction
    beta: Fraction

    def is_wrong(self, total: Fraction, truth: Fraction) -> bool:
        """Whether the estimate from this sum errs by more than alpha."""
        is_zero = self.zero_unless_above is not None and total <= self.zero_unless_above
        return abs((Fraction(0) if is_zero else total + self.offset) - truth) > self.alpha


@dataclass(frozen=True, slots=True)
class CountAccuracy(Statement, kind="accuracy"):
    """An estimate from a noisy count is accurate, whatever the true count from ``least`` to ``most`` is."""

    law: NoiseLaw
    least: int
    most: int
    weight: Fraction
    estimate: Annotated[Estimate, merged(Estimate)]


@dataclass(frozen=True, slots=True)
class ViewAccuracy(Statement, kind="accuracy"):
    """An estimate from a shuffled view is accurate, for one data set or, if it is None, for every data set."""

    randomizer: Table
    n: int
    dataset: Annotated[tuple[int, ...] | None, "worst"]
    weights: tuple[Fraction, ...]
    values: tuple[Fraction, ...]
    estimate: Annotated[Estimate, merged(Estimate)]


@dataclass(frozen=True, slots=True)
class EqualLaws(Statement, kind="equal_laws"):
    """Two laws on the integers are the same."""

    first: NoiseLaw
    second: NoiseLaw


@dataclass(frozen=True, slots=True)
class AdditiveView(Statement, kind="additive_view"):
    """The number of messages of one type is the sum of the users' shifts plus n copies of a law, for every n."""

    randomizer: Table
    base: Law
    shifts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ZeroEstimate(Statement, kind="zero_estimate"):
    """If all users hold one input, an estimate that is 0 unless above a threshold is 0, for every n."""

    randomizer: Table
    weights: tuple[Fraction, ...]
    zero_unless_above: Fraction
    all_hold: int = field(metadata={"key": "input"})


# --- Inequalities ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Inequality(Statement, kind="inequality"):
    """For all real values of the variables: if all hypotheses hold, so does the conclusion."""

    variables: tuple[str, ...]
    hypotheses: tuple[handelman.Inequality, ...]
    conclusion: handelman.Inequality


@dataclass(frozen=True, slots=True)
class BoxInequality(Statement, kind="box_inequality"):
    """On the whole box, the sum of polynomial * e^exponent is at least 0, or above 0 if ``strict``."""

    variables: tuple[str, ...]
    box: Box
    terms: tuple[ExpTerm, ...]
    strict: bool


# --- Boxes of parameters --------------------------------------------------------------------------------------------


OpenPart: TypeAlias = Annotated[str, Codec(json.loads, canonical)]
"""A part of a claim with functions of parameters for numbers, as canonical JSON text: what is at a point is a claim."""


@dataclass(frozen=True, slots=True)
class ForAll(Statement, kind="for_all"):
    """A claim whose numbers are functions of parameters holds at every point of a box."""

    parameters: tuple[str, ...]
    box: Box
    claim: OpenPart


@dataclass(frozen=True, slots=True)
class Monotone(Statement, kind="monotone"):
    """The worst delta of a shuffled randomizer never rises, or never falls, with one of its parameters.

    For every n, either neighbouring relation and every e^eps, on a box of parameters.
    """

    parameters: tuple[str, ...]
    box: Box
    parameter: int
    falls: Annotated[bool, choice({True: "falls", False: "rises"})] = field(metadata={"key": "delta"})
    randomizer: OpenPart


# --- Claims about claims --------------------------------------------------------------------------------------------


def read_statement(data: Mapping[str, Any]) -> Statement:
    """Return the statement that is written so; nothing is checked."""
    kind = _KINDS[data["kind"]]
    return (CountAccuracy if kind is ViewAccuracy and "law" in data else kind).decode(data)


Part: TypeAlias = Annotated[Statement, Codec(lambda statement: statement.encode(), read_statement)]
"""A claim that another one holds."""


_ASSUMING: Final[Codec[tuple[str, ...]]] = Codec(
    lambda names: {"assuming": list(names)} if names else {},
    lambda data: tuple(data.get("assuming", ())),
    is_merged=True,
)


@dataclass(frozen=True, slots=True)
class Conjunction(Statement, kind="conjunction"):
    """All of these claims; ``assuming`` names the facts that lead from them to a theorem."""

    claims: tuple[Part, ...]
    assuming: Annotated[tuple[str, ...], _ASSUMING]


@dataclass(frozen=True, slots=True)
class Negation(Statement, kind="not"):
    """A claim is false."""

    claim: Part
