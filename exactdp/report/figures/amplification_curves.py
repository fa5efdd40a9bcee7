"""eps of a shuffled randomizer at a delta against n: both proved ends, the exact eps where it is had, published bounds.

At each number of users the eps at delta lies between two ends: at every eps below the lower one some data set has a
larger delta, at the upper one none has. Where an exact engine takes no longer, its eps is beside them. The published
bounds are those for every randomizer with the same eps0; of one randomizer also its own blanket, which certificates
state and the upper end never exceeds; for a family whose parameters are published, also the variation ratio, which may
be below the lower end: then a data set refutes it.

The picture has the band between the two ends above, and how far off published bounds are below. Both panels have the
number of users on a logarithmic axis. In the lower one everything is divided by the lower end, or by the exact eps
where that is had: the band begins at 1, and a bound below 1 is refuted by a data set. Hue tells where a bound comes
from, dashes and markers which one it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exactdp.errors import HypothesisError, InvalidValueError, TooLargeError, UndecidedError
from exactdp.mechanisms.dataset import Neighbors
from exactdp.mechanisms.family import FamilyRandomizer, UserRandomizer
from exactdp.mechanisms.k_ary_family import KAryResponse
from exactdp.numbers.balls import log_interval
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_integer, as_probability
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.privacy.planner import CheckableShufflePairs, ShufflePairs, engine_of
from exactdp.privacy.profile import PrivacyProfile
from exactdp.report.figures.chart import Area, Axis, Chart, Line, Mark, Panel
from exactdp.report.figures.data import DataTable, check_rising, number_words, power_words
from exactdp.report.figures.picture import Picture
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

    Cost: some 0.8 s for each number of users.

    Source: BalleBellGasconNissim2019, Theorem 5.1 (the blanket).
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
    if randomizer.pairs_by != "every":  # of every randomizer the stronger clones are the blanket
        lines.append(("blanket", tuple(_blanket(randomizer, n, exp_eps0, delta) for n in users)))
    return tuple(lines)


def _blanket(randomizer: UserRandomizer, n: int, exp_eps0: Fraction, delta: Fraction) -> Interval:
    """Return what the bounds by blankets promise, at most eps0."""
    engine = CheckableShufflePairs(randomizer, n, Neighbors.REPLACE_ONE, only_blankets=True).amplification()
    try:
        high = engine.exp_eps_range(delta, _BITS).high
    except UndecidedError:
        high = None
    promised = exp_eps0 if high is None else min(high, exp_eps0)
    return _eps_between(promised, promised)


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


_HUES: Final = {"stronger clones": 1, "clones": 1, "variation ratio": 2, "blanket": 3, "Bennett": 3, "Hoeffding": 3}
"""Bound -> the series whose hue it has: for clones, for the variation ratio, for the blanket and its closed forms."""

_FORMS: Final = {"stronger clones": 1, "clones": 2, "variation ratio": 3, "blanket": 2, "Bennett": 4, "Hoeffding": 1}
"""Bound -> the series whose dashes it has: bounds of one hue have different ones."""
_MARKERS: Final = ("o", "s", "^", "D", "v")


def amplification_picture(curves: AmplificationCurves, *, name: str = "amplification") -> Picture:
    """Return the picture of eps against n; its title has both ends at the most users."""
    return Picture(name, _title(curves), _caption(curves), curves.table(), _chart(curves))


def _users(n: int) -> str:
    exponent = len(str(n)) - 1
    return power_words(exponent) if n == 10**exponent and n >= 10**3 else str(n)


def _between(point: AmplificationPoint) -> str:
    """Return eps, or both ends, of a point where they are known."""
    assert point.least is not None
    assert point.most is not None
    texts = number_words(point.least, 3, up=False), number_words(point.most, 3)
    return texts[0] if texts[0] == texts[1] else f"{texts[0]} to {texts[1]}"


def _title(curves: AmplificationCurves) -> str:
    last = [point for point in curves.points if point.is_drawn][-1]
    return f"{curves.subject}: ε is {_between(last)} at n\u00a0=\u00a0{_users(last.n)}"


def _caption(curves: AmplificationCurves) -> str:
    alone = "" if curves.exp_eps0 is None else f", e^ε₀ = {number_words(curves.exp_eps0, 4)}"
    wrong = [name for name, sizes in curves.refuted().items() if sizes]
    below = " Below: over the lower end." if curves.bounds else ""
    crosses = f" Crosses: a data set refutes {', '.join(wrong)}." if wrong else ""
    ends = ", between proved ends" if any(point.ends is not None for point in curves.points) else ""
    return f"ε at δ = {number_words(curves.delta)}{alone}{ends}.{below}{crosses}"


def _chart(curves: AmplificationCurves) -> Chart:
    """Return eps against n, and below it everything over the best lower end, each with its bounds."""
    users = [point.n for point in curves.points]
    x = Axis("number of users n", is_log=True)
    ends = [point.ends if point.ends is not None and point.ends.lo > 0 else None for point in curves.points]
    exact = [point.exact if point.exact is not None and point.exact.lo > 0 else None for point in curves.points]
    looks = {name: (_HUES[name], _FORMS[name], _MARKERS[_FORMS[name]]) for name, _ in curves.bounds}
    above: list[Mark] = [Line(users, values, name, *looks[name]) for name, values in curves.bounds]
    if any(both is not None for both in ends):
        above.append(Line(users, ends, "between proved ends", marker="", width=1.4, layer=4))
    if any(eps is not None for eps in exact):
        above.append(Line(users, exact, "exact", "ink", "none", "o", size=7, is_hollow=True, layer=5))
    upper = Panel(tuple(above), x, Axis("ε", is_log=True), height=2.7)
    if not curves.bounds:
        return Chart((upper,))
    known = [(k, point.least) for k, point in enumerate(curves.points) if point.least]
    at, unit = [users[k] for k, _ in known], [1] * len(known)
    over = [Fraction(1) if (both := curves.points[k].ends) is None else both.hi / least for k, least in known]
    below: list[Mark] = [Area(at, unit, over, alpha=0.25), Line(at, unit, marker="", width=1.4, layer=4)]
    below.append(Line(at, over, marker="", width=1.4, layer=4))
    for name, values in curves.bounds:
        ratios = [Interval.between(values[k].lo / low, values[k].hi / low, bits=2 * _BITS) for k, low in known]
        below.append(Line(at, ratios, "", *looks[name]))
        wrong = [(n, ratio) for n, ratio in zip(at, ratios, strict=True) if n in curves.refuted()[name]]
        if wrong:
            places, heights = zip(*wrong, strict=True)
            below.append(Line(places, heights, "refuted there", "ink", "none", "x", size=8, layer=6))
    lower = Panel(tuple(below), x, Axis("ε over the lower end", is_log=True, ticks="factors"), height=1.9)
    return Chart((upper, lower), is_shared=True)
