"""eps of a shuffled randomizer at a delta against n: both proved ends, the exact eps where it is had, published bounds.

At each number of users the eps at delta lies between two ends: at every eps below the lower one some data set has a
larger delta, at the upper one none has. Where an exact engine takes no longer, its eps is beside them. The published
bounds are those for every randomizer with the same eps0; for a family whose parameters are published, also the
variation ratio, which may be below the lower end: then a data set refutes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exactdp.errors import HypothesisError, InvalidValueError, TooLargeError, UndecidedError
from exactdp.mechanisms.family import FamilyRandomizer, UserRandomizer
from exactdp.mechanisms.k_ary_family import KAryResponse
from exactdp.mechanisms.neighbors import Neighbors
from exactdp.numbers.balls import log_interval
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_integer, as_probability
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.privacy.planner import ShufflePairs, engine_of
from exactdp.privacy.profile import PrivacyProfile
from exactdp.report.figures.data import DataTable
from exactdp.report.figures.scale import check_rising
from exactdp.studies.counterexamples.comparison import AT_EPS, ComparedProtocol, family_variation_ratio
from exactdp.studies.counterexamples.sizes import promised_exp_eps

_BITS: Final = 13
"""Accuracy of each end, 10^-4: the width of a line in a picture."""

_EXACT_STEPS: Final = 10**6
"""Pairs times outcomes of an exact scan that takes no longer than the two ends."""

_OF_ANY: Final = {
    "stronger clones": AT_EPS["stronger-clones"],
    "clones": AT_EPS["clones"],
    "variation ratio": family_variation_ratio,
    "Bennett": AT_EPS["bennett-blanket-generic"],
    "Hoeffding": AT_EPS["hoeffding-blanket-generic"],
}
"""What is published about every randomizer with one eps0, and about families with parameters."""

_OF_RESPONSES: Final = {**_OF_ANY, "Bennett": AT_EPS["bennett-blanket"], "Hoeffding": AT_EPS["hoeffding-blanket"]}
"""The same, where the closed forms are those of k-ary response."""

USUAL_USERS: Final = (3, 10, 100, 10**3, 10**4, 10**5, 10**6)
"""From a handful, where exact engines reach, to a country."""


@dataclass(frozen=True, slots=True)
class AmplificationPoint:
    """One number of users.

    Args:
        n: number of users.
        ends: from the lower end of eps to the upper one; None where no finite eps is proved to be enough.
        exact: encloses eps, where an exact engine gives it.
    """

    n: int
    ends: Interval | None
    exact: Interval | None

    @property
    def least(self) -> Fraction | None:
        """A proved lower end of eps, the best that is known."""
        known = [value.lo for value in (self.ends, self.exact) if value is not None]
        return max(known, default=None)

    @property
    def is_drawn(self) -> bool:
        """Whether a positive eps is known."""
        return any(value is not None and value.lo > 0 for value in (self.ends, self.exact))

    @property
    def most(self) -> Fraction | None:
        """A proved upper end of eps, the best that is known."""
        known = [value.hi for value in (self.ends, self.exact) if value is not None]
        return min(known, default=None)


@dataclass(frozen=True, slots=True)
class AmplificationCurves:
    """eps at ``delta`` against n, and what published bounds promise.

    Args:
        subject: the randomizer with its parameters, in words.
        delta: the target.
        exp_eps0: e^eps0 of one user's messages, or a number at most 2^-64 of it above; None where it is infinite.
        points: for rising n.
        bounds: name -> the eps that the bound promises at each n.
    """

    subject: str
    delta: Fraction
    exp_eps0: Fraction | None
    points: tuple[AmplificationPoint, ...]
    bounds: tuple[tuple[str, tuple[Interval, ...]], ...]

    def refuted(self) -> dict[str, tuple[int, ...]]:
        """Return bound -> the n at which it promises less than the proved lower end."""
        ends = [(point.n, point.least) for point in self.points]
        return {
            name: tuple(n for (n, low), eps in zip(ends, values, strict=True) if low is not None and eps.hi < low)
            for name, values in self.bounds
        }

    def table(self) -> DataTable:
        """The curves as a table: n, both ends, the exact eps where it is had, and a column for each bound."""
        names = ("n", "lower_end", "upper_end", "exact", *(name for name, _ in self.bounds))
        rows = tuple(
            (p.n, *((None, None) if p.ends is None else (p.ends.lo, p.ends.hi)), p.exact, *published)
            for p, *published in zip(self.points, *(values for _, values in self.bounds), strict=True)
        )
        return DataTable(names, rows, (("randomizer", self.subject), ("delta", str(self.delta))))


def amplification_curves(
    randomizer: UserRandomizer, *, subject: str, delta: Exact, users: Sequence[int] = USUAL_USERS
) -> AmplificationCurves:
    """Return eps at ``delta`` of a shuffled randomizer between its two proved ends for each number of users.

    Args:
        randomizer: a table, or a family.
        subject: what it is, in words.
        delta: in (0, 1).
        users: rising numbers of users who follow the protocol, at least two.

    Returns:
        Ends to 10^-4; exact eps where a scan has at most 10^5 steps, or each user sends one of two messages.

    >>> from exactdp import randomized_response
    >>> curves = amplification_curves(
    ...     randomized_response(4, exp_eps0="7389/1000"), subject="4-ary", delta="1e-6", users=(2, 10)
    ... )
    >>> [(float(point.least), float(point.most)) for point in curves.points]
    [(1.9999..., 1.9999...), (1.9999..., 1.9999...)]
    >>> curves.refuted()["variation ratio"]
    (2, 10)

    Cost: some 0.4 s for each number of users.

    Source: BalleBellGasconNissim2019, Theorem 5.1 (upper ends).
    """
    target = as_probability(delta, name="delta")
    if not 0 < target < 1:
        raise InvalidValueError(f"delta={target} is not between 0 and 1. Pass for example 1e-6.")
    sizes = tuple(as_integer(n, name="users", at_least=1) for n in users)
    check_rising("users", sizes)
    points = tuple(AmplificationPoint(n, _ends(randomizer, n, target), _exact(randomizer, n, target)) for n in sizes)
    if not any(point.is_drawn for point in points):
        raise InvalidValueError(
            f"{subject}: at delta={short(target)} eps is 0, or proved to be no finite number, at every n. Ask for "
            "another delta, or other numbers of users."
        )
    exp_eps0 = _local_exp_eps(randomizer)
    lines = () if exp_eps0 is None or exp_eps0 == 1 else _published(randomizer, sizes, exp_eps0, target)
    return AmplificationCurves(subject, target, exp_eps0, points, lines)


def _published(
    randomizer: UserRandomizer, users: Sequence[int], exp_eps0: Fraction, delta: Fraction
) -> tuple[tuple[str, tuple[Interval, ...]], ...]:
    """Return the eps that published bounds promise at each n: those that say something about the randomizer."""
    family = _family(randomizer, exp_eps0)
    k = None if family is None else family.response_size
    cases = [ComparedProtocol(f"n={n}", family or randomizer, n, exp_eps0, k) for n in users]
    lines: list[tuple[str, tuple[Interval, ...]]] = []
    for name, bound in (_OF_RESPONSES if k else _OF_ANY).items():
        with suppress(HypothesisError, TooLargeError):
            lines.append((name, tuple(_eps_between(*promised_exp_eps(bound, case, delta)) for case in cases)))
    return tuple(lines)


def _ends(randomizer: UserRandomizer, n: int, delta: Fraction) -> Interval | None:
    engine = ShufflePairs(randomizer, n, Neighbors.REPLACE_ONE).amplification()
    try:
        found = engine.exp_eps_range(delta, _BITS)
    except UndecidedError:
        return None
    if found.high is None:
        return None
    return _eps_between(found.low, found.high)


def _eps_between(low: Fraction, high: Fraction) -> Interval:
    """Return the interval of eps between two numbers e^eps."""
    ends = [log_interval(end, relative_bits=2 * _BITS) for end in (low, high)]
    return Interval(ends[0].lower, ends[1].upper)


def _exact(randomizer: UserRandomizer, n: int, delta: Fraction) -> Interval | None:
    source = ShufflePairs(randomizer, n, Neighbors.REPLACE_ONE, _EXACT_STEPS)
    try:
        if not engine_of(source).is_tight:
            return None
        eps = PrivacyProfile(source).epsilon(delta, relative_bits=2 * _BITS)
    except TooLargeError:
        return None
    if isinstance(eps, Interval):
        return eps
    return None if eps.is_infinite else eps.enclose(relative_bits=2 * _BITS)


def _local_exp_eps(randomizer: UserRandomizer) -> Fraction | None:
    """Return e^eps0 of one user's messages, or a rational number just above; None if it is infinite."""
    eps0 = randomizer.at_least(64).local_epsilon()
    assert isinstance(eps0, LogRational)
    return None if eps0.is_infinite else eps0.argument


def _family(randomizer: UserRandomizer, exp_eps0: Fraction) -> FamilyRandomizer | None:
    """Return the family itself, or k-ary response where a table is the one of that family."""
    if (family := randomizer.family) is not None:
        return family.at_least(64)
    response = KAryResponse(len(randomizer.inputs), exp_eps0=exp_eps0)
    return response if response.has_small_table and response.table() == randomizer else None
