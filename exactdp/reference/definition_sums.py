"""From the definition of a profile to the sums here that answer it, or to a sentence that says why none does.

Only definitions are read: tables, noise laws with their parameters, numbers of users, and which data sets are
neighbours. No engine is asked, except for the name of the pair that attains the lower end of an open bracket.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any, Final, TypeAlias

import mpmath

from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.laws.registry import family_of
from exactdp.mechanisms.dataset import Neighbors
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.real import Operation, Real
from exactdp.privacy.attained import WorstPair
from exactdp.privacy.composition.composed import ComposedProfile
from exactdp.privacy.planner import AdditivePairs, LaplacePairs, OneShufflePair, ShufflePairs, Source
from exactdp.privacy.profile import PrivacyProfile
from exactdp.protocols.thresholded.two_waiting_times import ThresholdPairs
from exactdp.reference import hockey_stick_sums, shuffled_counts, summed_laws
from exactdp.reference.hockey_stick_sums import (
    Ends,
    Event,
    Ratios,
    far_enough,
    laplace_shift,
    listing,
    number,
    shifted,
    two_counts,
    worst,
)
from exactdp.reference.summed_laws import Steps, SummedLaw

AtLevel: TypeAlias = Callable[[Any], Event]
"""e^eps -> the event of the largest divergence."""

_ALL_DATA_SETS: Final = "direct sums over all neighbouring data sets"
_NO_SUMS: Final = "no sums are written for {}"
_PRODUCTS: Final = 20_000
"""Most products of which the weights of a sum of two binomial counts are made: a second."""
_MOST_RUNS: Final = 200
"""Most runs of a composition, whose sums are nested."""
_EXTREME: Final = 10**15
"""Noise with a parameter beyond this, or as close to 0 or 1, costs more digits than the 25 to spare."""


class NotWritten(Exception):
    """There are no sums for this definition; the message says which."""


@dataclass(frozen=True, slots=True)
class Sums:
    """How an answer is computed again: at most ``upper`` and at least ``lower``, which are one where it is tight."""

    lower: AtLevel
    upper: AtLevel
    words: str

    @property
    def is_tight(self) -> bool:
        """Whether there is one number."""
        return self.lower is self.upper


def mpf_of(value: Fraction | int | Real) -> Any:
    """Return a number of the package at the working precision.

    >>> with mpmath.workdps(15):
    ...     print(mpf_of(3 * (1 + Real.log(100))))
    16.8155105579643
    """
    if not isinstance(value, Real):
        return number(value)
    factor = number(value.coefficient) * mpmath.exp(number(value.exponent))
    return factor if value.rest is None else factor * _operation(value.rest)


def _operation(operation: Operation) -> Any:
    first, *others = map(mpf_of, operation.terms)
    match operation.name:
        case "sum":
            return first + others[0]
        case "product":
            return first * others[0]
        case "power":
            return first ** int(others[0])
        case "inverse":
            return 1 / first
        case name:
            return getattr(mpmath, name)(first)


def summed_law(law: LatticeLaw, *, exact: bool = False) -> SummedLaw:
    """Return a noise law of the package as one of mpmath; NotWritten for the few that have none.

    With ``exact`` its rational parameters stay Fractions, and so do likelihood ratios.
    """
    family = family_of(law)
    if family is None or law.lattice is None:
        raise NotWritten(_NO_SUMS.format(f"the noise {law!r}"))
    given = {name: _parameter(getattr(law, name), exact=exact) for name in family.fields}
    if any(_is_extreme(value) for value in given.values()):
        raise NotWritten(_NO_SUMS.format(f"the noise {law!r}, of an extreme parameter"))
    match family.name:
        case "discrete-laplace":
            return summed_laws.discrete_laplace(1 / given["exp_eps"])
        case "binomial" if 0 < given["p"] < 1:
            return summed_laws.binomial(given["n"], given["p"])
        case "binomial-sum" if 0 < given["p1"] < 1 and 0 < given["p2"] < 1 and given["n1"] * given["n2"] <= _PRODUCTS:
            return summed_laws.binomial_sum(*given.values())
        case "negative-binomial" | "geometric" | "poisson" | "discrete-gaussian" | "discrete-uniform":
            make: Callable[..., SummedLaw] = getattr(summed_laws, family.name.replace("-", "_"))
            return make(*given.values())
    raise NotWritten(_NO_SUMS.format(f"the noise {law!r}"))


def _parameter(value: int | Fraction | Real, *, exact: bool) -> Any:
    """Return a parameter as mpmath's, an integer as it is, and with ``exact`` a rational one too."""
    if isinstance(value, Real):
        return value.coefficient if exact and value.is_rational else mpf_of(value)
    return value if exact or isinstance(value, int) else number(value)


def _is_extreme(value: Any) -> bool:
    distances = [abs(value), abs(value - 1)]
    return abs(value) > _EXTREME or any(0 < distance * _EXTREME < 1 for distance in distances)


def tail_of(law: LatticeLaw, name: str, k: int, steps: Steps) -> Any:
    """Return the ``name`` of a noise law at k: pmf, cdf or sf."""
    summed = summed_law(law)
    if name == "pmf":
        return summed.pmf(k)
    return summed.cdf(k, steps) if name == "cdf" else summed.sf(k, steps)


def sums_of(profile: PrivacyProfile | ComposedProfile, pair: WorstPair | str | None, steps: Steps) -> Sums:
    """Return the sums of a profile.

    Args:
        pair: of a profile that is known between two ends, what attains the lower one.

    Raises:
        NotWritten: where there are none.
    """
    if isinstance(profile, ComposedProfile):
        return _of_runs(profile, steps)
    if not profile.is_tight:
        return _of_ends(profile.source, pair, steps)
    event, words = _of_source(profile.source, steps)
    return Sums(event, event, words)


def _of_source(source: Source, steps: Steps) -> tuple[AtLevel, str]:
    match source:
        case ShufflePairs():
            return _of_users(source, steps), _ALL_DATA_SETS
        case OneShufflePair():
            table, both = _plain(source.table), (source.first, source.second)
            return lambda e: shuffled_counts.pair_worst(table, both, e, steps), "direct sums over both views"
        case AdditivePairs():
            return _of_noise(source, steps), "direct sums over the noise"
        case LaplacePairs():
            scale, shift = mpf_of(source.noise.scale), number(source.sensitivity)
            return lambda e: laplace_shift(scale, shift, e), "the two masses of a half-line"
        case ThresholdPairs() if not source.changes_two:
            n, rate, least = source.users, number(source.rate), source.threshold
            return lambda e: shuffled_counts.sampled_worst(n, rate, least, e, steps), "direct sums over all counts"
    raise NotWritten(_NO_SUMS.format(source.subject))


def _of_users(source: ShufflePairs, steps: Steps) -> AtLevel:
    """All neighbouring data sets of a table."""
    table, users = _plain(_table(source)), source.users
    removes = source.neighbors is Neighbors.ADD_OR_REMOVE_ONE
    letters = {send for row in table.values() for send in row}
    if not removes and len(table) == len(letters) == 2 and all(len(send) == 1 for send in letters):
        one = max(letters, key=repr)
        first, second = (row.get(one, mpmath.mpf(0)) for row in table.values())
        return lambda e: shuffled_counts.two_message_scan(first, second, users, e, steps)
    return lambda e: shuffled_counts.neighbors_worst(table, users, e, steps, removes=removes)


def _table(source: ShufflePairs) -> Randomizer:
    if (table := source.randomizer.listed()) is None:
        raise NotWritten(_NO_SUMS.format(f"{source.subject}, whose messages are too many to list"))
    return table


def _plain(randomizer: Randomizer) -> dict[Any, dict[tuple[Any, ...], Any]]:
    """Return a table with its probabilities at the working precision."""
    return {value: {send: number(p) for send, p in row.items()} for value, row in randomizer.table().items()}


def _of_noise(source: AdditivePairs, steps: Steps) -> AtLevel:
    """A count plus noise, at every shift; or two counts of which one falls and the other rises."""
    two = source.bins > 1 and source.neighbors is Neighbors.REPLACE_ONE
    shifts = range(1, 2 if source.bins > 1 else source.shift + 1)
    if source.noise.lattice is not None:
        shifts = shifts[-1:]  # of lattice noise the largest is the worst

    if isinstance(source.noise, Law):
        whole = {y: number(p) for y, p in source.noise.items()}
        return lambda e: _of_listed(whole, None, two, shifts, e, steps)
    law = summed_law(source.noise)
    ends = law.low, law.high
    return lambda e: far_enough(law, lambda listed: _of_listed(listed, ends, two, shifts, e, steps), e, steps)


def _of_listed(noise: dict[int, Any], ends: Ends | None, two: bool, shifts: range, e: Any, steps: Steps) -> Event:
    """The worst shift of noise, at an E; with ``ends`` it is listed in part."""
    if two:
        steps.take(len(noise) ** 2)
        return two_counts(noise, e, ends)
    steps.take(2 * len(noise) * len(shifts))
    return worst((shifted(noise, sign * shift, e, ends) for shift in shifts for sign in (1, -1)), e)


def _of_ends(source: Source, pair: WorstPair | str | None, steps: Steps) -> Sums:
    """An open bracket: the divergence of the pair that attains the lower end, and the bound by the blanket."""
    if not isinstance(source, ShufflePairs) or source.neighbors is not Neighbors.REPLACE_ONE:
        raise NotWritten(_NO_SUMS.format(source.subject))
    table = _table(source).table()
    rows = {value: {tuple(sorted(send, key=repr)): p for send, p in row.items()} for value, row in table.items()}
    named = _alone_among_equals(pair)
    if named is None or any(len(send) != 1 for row in table.values() for send in row):
        raise NotWritten("no sums are written for the pair of data sets that attains the lower end")
    first, second, others = (rows[value] for value in named)
    users = source.users
    return Sums(
        lambda e: hockey_stick_sums.against(first, second, others, users, e, steps),
        lambda e: hockey_stick_sums.blanket_bound(list(rows.values()), users, e, steps),
        "sums over the counts of each likelihood ratio: the pair that attains the lower end, and the blanket",
    )


def _alone_among_equals(pair: WorstPair | str | None) -> tuple[Any, Any, Any] | None:
    """Return the two inputs of the user who differs and the one of all others; None where they have several."""
    if not isinstance(pair, WorstPair):
        return None
    values = {**pair.first, **pair.second}
    common = {v: min(pair.first.get(v, 0), pair.second.get(v, 0)) for v in values}
    own = [next((v for v in values if side.get(v, 0) > common[v]), None) for side in (pair.first, pair.second)]
    others = [v for v, users in common.items() if users]
    return (own[0], own[1], others[0]) if len(others) == 1 and None not in own else None


# --- many runs --------------------------------------------------------------------------------------------------------


def _of_runs(profile: ComposedProfile, steps: Steps) -> Sums:
    """Runs of mechanisms whose likelihood ratios are rational."""
    if profile.times > _MOST_RUNS:
        raise NotWritten(_NO_SUMS.format(f"more than {_MOST_RUNS} runs"))
    parts = [(_ordered_pairs(source, steps), times) for source, times in profile.parts]
    missing = mpmath.mpf(10) ** (10 - mpmath.mp.dps) * profile.times

    def event(e: Any) -> Event:
        if profile.notion == "same data":
            found = hockey_stick_sums.same_data(*parts[0], e, steps)
        elif profile.notion == "non-adaptive":
            found = hockey_stick_sums.non_adaptive(parts, e, steps)
        else:
            runs = [pairs for pairs, times in parts for _ in range(times)]
            found = hockey_stick_sums.adaptive(runs, e, steps)
        return Event(found.first, found.second, missing * (1 + e))

    return Sums(event, event, f"direct sums over the outcomes of {profile.times} runs, {profile.notion}")


def _ordered_pairs(source: Source, steps: Steps) -> list[Ratios]:
    """Return the likelihood ratios of each ordered pair of laws of one run, equal ones once."""
    found: list[Ratios] = []
    for ratios in _all_ordered_pairs(source, steps):
        if ratios not in found:
            found.append(ratios)
    return found


def _all_ordered_pairs(source: Source, steps: Steps) -> list[Ratios]:
    match source:
        case ShufflePairs():
            removes = source.neighbors is Neighbors.ADD_OR_REMOVE_ONE
            pairs = shuffled_counts.all_pairs(_table(source).table(), source.users, steps, removes=removes)
            steps.take(sum(len(first) for first, _ in pairs))
            return [hockey_stick_sums.ratios(first, second) for first, second in pairs]
        case OneShufflePair():
            rows = shuffled_counts.codes(source.table.table(), max(map(sum, (source.first, source.second))))
            views = [shuffled_counts.view_law(rows, side, steps) for side in (source.first, source.second)]
            return [hockey_stick_sums.ratios(first, second) for first, second in permutations(views)]
        case AdditivePairs():
            return _noise_pairs(source, steps)
    raise NotWritten(_NO_SUMS.format(f"many runs of {source.subject}"))


def _noise_pairs(source: AdditivePairs, steps: Steps) -> list[Ratios]:
    one = [_shift_ratios(source.noise, sign * shift, steps) for shift in _shifts(source) for sign in (1, -1)]
    if source.bins == 1 or source.neighbors is not Neighbors.REPLACE_ONE:
        return one
    return [hockey_stick_sums.both(one[0], one[1])]  # one count falls, another rises


def _shifts(source: AdditivePairs) -> range:
    if source.bins > 1:
        return range(1, 2)
    return range(source.shift if source.noise.lattice is not None else 1, source.shift + 1)


def _shift_ratios(noise: Law | LatticeLaw, shift: int, steps: Steps) -> Ratios:
    """Return the likelihood ratios of noise against itself plus ``shift``."""
    if isinstance(noise, Law):
        law = dict(noise.items())
        return hockey_stick_sums.ratios(law, {t + shift: p for t, p in law.items()})
    summed = summed_law(noise, exact=True)
    listed = listing(summed, mpmath.mpf(10) ** -mpmath.mp.dps, steps)
    steps.take(len(listed) * abs(shift))
    ratios: Ratios = {}
    for t, mass in listed.items():
        ratio = summed.ratio(t - shift, t)
        if not isinstance(ratio, Fraction):
            raise NotWritten(f"no sums are written for many runs of {noise!r}: its likelihood ratios are irrational")
        p, q = ratios.get(ratio, (0, 0))
        ratios[ratio] = p + mass, q + mass * number(ratio)
    return ratios
