"""Published bounds beside the exact worst case or its two proved ends: which hold, and what each gives away.

A case is a protocol: a randomizer, its local e^eps0, and a number of users n. For a bound of the form "delta at eps", a
comparison is the bound and the exact delta, the largest over all neighbouring data sets in both orders; for one of the
form "eps at delta", it is the delta asked for and the exact delta at that eps. Where only two ends of the exact number
are proved, it is the interval between them. A bound is *below* where the exact number is proved to be larger, which is
above the lower end: then some real pair of data sets refutes it. It *holds* where it is at least the upper end, and is
*between* where neither is proved.

The grids (:mod:`exactdp.studies.counterexamples.search`) are fixed before any run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache, partial
from hashlib import sha256
from itertools import chain
from typing import Any, Final, TypeAlias

from exactdp.errors import HypothesisError, InvalidValueError
from exactdp.mechanisms.family import FamilyRandomizer, UserRandomizer
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval, fraction_ends
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.blanket import bennett_blanket_delta, hoeffding_blanket_delta
from exactdp.privacy.amplification.clones import (
    clones_delta,
    clones_exp_eps,
    stronger_clones_delta,
    stronger_clones_exp_eps,
    stronger_clones_refined_exp_eps,
)
from exactdp.privacy.amplification.response_theorem import binary_sum_delta, binary_sum_eps
from exactdp.privacy.amplification.variation_ratio import (
    family_parameters,
    response_parameters,
    variation_ratio_delta,
    variation_ratio_exp_eps,
)
from exactdp.privacy.profile import PrivacyProfile
from exactdp.protocols.protocol import ShuffleProtocol
from exactdp.protocols.thresholded.waiting_times import (
    published_sample_threshold_delta,
    refined_sample_threshold_delta,
    sample_threshold_worst,
)
from exactdp.studies.study_workers import Study

SEED: Final = "exactdp published bounds"
"""Random tables are drawn from it."""

_GRID: Final = Fraction(1, 2**20)
"""A theorem's e^eps is rounded down to a multiple of it."""

_NOTHING: Final = Fraction(1, 2**60)
"""delta is at most (e^eps0 - e^eps) / (e^eps0 + 1) without any shuffler: below this, eps is eps0 to every reader."""

_BITS: Final = 30
"""Accuracy of an enclosed delta that is compared: nine digits."""


@dataclass(frozen=True, slots=True)
class ComparedProtocol:
    """A protocol: n users of a randomizer that alone is eps0-DP; ``k`` where it is k-ary randomized response."""

    label: str
    randomizer: UserRandomizer
    n: int
    exp_eps0: Fraction
    k: int | None = None

    def profile(self) -> PrivacyProfile:
        """The privacy profile: exact, or between two proved ends."""
        return ShuffleProtocol(self.randomizer, self.n).privacy_profile()

    def levels(self, parts: int) -> list[Fraction]:
        """e^eps at 1 + (e^eps0 - 1) j / parts for j = 0, ..., parts - 1."""
        return [1 + (self.exp_eps0 - 1) * Fraction(j, parts) for j in range(parts)]


Bound: TypeAlias = Callable[..., Fraction | Interval]
"""From a case and e^eps to a published delta: enclosed where ``relative_bits`` are given, else exact if it can be."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One bound and the exact number, or the interval between its proved ends, that it is claimed to bound."""

    bound: str
    label: str
    n: int | None
    exp_eps: Fraction | Interval
    published: Fraction | Interval
    exact: Fraction | Interval
    case: ComparedProtocol | None = field(default=None, compare=False, repr=False)
    delta: Fraction | None = None
    """Both numbers are eps at this delta; None: they are deltas at ``exp_eps``."""

    @property
    def is_below(self) -> bool:
        """Whether the published number is proved to be below the exact one."""
        return fraction_ends(self.exact)[0] > fraction_ends(self.published)[1]

    @property
    def holds(self) -> bool:
        """Whether the published number is proved to be at least the exact one."""
        return fraction_ends(self.exact)[1] <= fraction_ends(self.published)[0]

    @property
    def gap(self) -> Fraction:
        """A lower end of published minus exact."""
        return fraction_ends(self.published)[0] - fraction_ends(self.exact)[1]

    @property
    def ratio(self) -> Fraction | None:
        """A lower end of published over exact; None where the exact number is 0."""
        exact = fraction_ends(self.exact)[1]
        return fraction_ends(self.published)[0] / exact if exact else None


@dataclass(frozen=True, slots=True)
class Summary:
    """What one bound gives away on one grid; the ratios are published over exact, where exact is above 0."""

    bound: str
    grid: str
    compared: int
    held: int
    between: int
    below: int
    least_ratio: Fraction | None
    median_ratio: Fraction | None
    largest_ratio: Fraction | None
    largest_gap: Fraction
    first_below: Comparison | None


# --- Bounds ---------------------------------------------------------------------------------------------------------


def is_quoted(bound: str) -> bool:
    """Whether only what secondary sources quote of the bound was at hand."""
    return bound.startswith(("variation-ratio", "sequential"))


def _at_eps_generic(bound: Callable[..., Fraction | Interval]) -> Bound:
    return lambda case, exp_eps, **bits: bound(case.n, exp_eps0=case.exp_eps0, exp_eps=exp_eps, **bits)


def _at_eps_response(bound: Callable[..., Fraction | Interval]) -> Bound:
    return lambda case, exp_eps, **bits: bound(case.n, exp_eps0=case.exp_eps0, exp_eps=exp_eps, k=_size(case), **bits)


def _size(case: ComparedProtocol) -> int:
    if case.k is None:
        raise HypothesisError(f"The bound needs k-ary randomized response, but the case is {case.label}. Pass another.")
    return case.k


def _variation_ratio(case: ComparedProtocol, exp_eps: Fraction, **bits: int) -> Fraction | Interval:
    parameters = response_parameters(_size(case), exp_eps0=case.exp_eps0)
    return variation_ratio_delta(case.n, parameters, exp_eps=exp_eps, **bits)


def family_variation_ratio(case: ComparedProtocol, exp_eps: Fraction, **bits: int) -> Fraction | Interval:
    """Return the published delta with the parameters of the case's family; HypothesisError where none are published."""
    if (family := case.randomizer.family) is None:
        raise HypothesisError(f"The bound needs a family, but the case is {case.label}. Pass another.")
    return variation_ratio_delta(case.n, family_parameters(family), exp_eps=exp_eps, **bits)


def _binary_sum(case: ComparedProtocol, exp_eps: Fraction, **bits: int) -> Interval:
    if _size(case) != 2:
        raise HypothesisError(f"The binary-sum bound needs bits, but k={case.k}. Pass k=2.")
    return binary_sum_delta(case.n, lam=case.n * 2 / (case.exp_eps0 + 1), exp_eps=exp_eps, **bits)


AT_EPS: Final[dict[str, Bound]] = {
    "hoeffding-blanket": _at_eps_response(hoeffding_blanket_delta),
    "hoeffding-blanket-generic": _at_eps_generic(hoeffding_blanket_delta),
    "bennett-blanket": _at_eps_response(bennett_blanket_delta),
    "bennett-blanket-generic": _at_eps_generic(bennett_blanket_delta),
    "clones": _at_eps_generic(clones_delta),
    "stronger-clones": _at_eps_generic(stronger_clones_delta),
    "variation-ratio-response": _variation_ratio,
    "binary-sum-proved": _binary_sum,
}
"""Bounds of the form "delta at eps": name -> published delta of a case at e^eps; HypothesisError where none."""


def _variation_ratio_closed(case: ComparedProtocol, delta: Fraction) -> Interval:
    return variation_ratio_exp_eps(case.n, response_parameters(_size(case), exp_eps0=case.exp_eps0), delta=delta)


def _binary_sum_general(case: ComparedProtocol, delta: Fraction) -> Interval:
    """e^eps of the general formula."""
    if _size(case) != 2:
        raise HypothesisError(f"The binary-sum theorem needs bits, but k={case.k}. Pass k=2.")
    eps = binary_sum_eps(case.n, lam=case.n * 2 / (case.exp_eps0 + 1), delta=delta)
    ends = [enclose_real(Real.exp(end), relative_bits=DEFAULT_RELATIVE_BITS) for end in (eps.lo, eps.hi)]
    return Interval(ends[0].lower, ends[1].upper)


def _at_delta_generic(bound: Callable[..., Interval]) -> Callable[[ComparedProtocol, Fraction], Interval]:
    return lambda case, delta: bound(case.n, exp_eps0=case.exp_eps0, delta=delta)


AT_DELTA: Final[dict[str, Callable[[ComparedProtocol, Fraction], Interval]]] = {
    "clones-closed": _at_delta_generic(clones_exp_eps),
    "stronger-clones-closed": _at_delta_generic(stronger_clones_exp_eps),
    "stronger-clones-refined": _at_delta_generic(stronger_clones_refined_exp_eps),
    "variation-ratio-closed": _variation_ratio_closed,
    "binary-sum-general": _binary_sum_general,
}
"""Bounds of the form "eps at delta": name -> published e^eps of a case at delta; HypothesisError where none."""


# --- Cases ----------------------------------------------------------------------------------------------------------


def response_case(n: int, k: int, exp_eps0: Fraction) -> ComparedProtocol:
    """Return n users with k-ary randomized response of e^eps0 > 1.

    >>> response_case(2, 3, Fraction(2)).label
    '3-ary randomized response, n=2, e^eps0=2'
    """
    total = exp_eps0 + k - 1
    table = {x: {(y,): (exp_eps0 if x == y else Fraction(1)) / total for y in range(k)} for x in range(k)}
    label = f"{k}-ary randomized response, n={n}, e^eps0={short(exp_eps0)}"
    return ComparedProtocol(label, Randomizer(table), n, exp_eps0, k)


def family_case(n: int, family: FamilyRandomizer) -> ComparedProtocol:
    """Return n users of a family, with the exact e^eps0 of one message.

    >>> from exactdp.randomizers import LocalHashing
    >>> family_case(10**3, LocalHashing(16, exp_eps0=3)).label
    'local-hashing d=16 buckets=4, n=1000, e^eps0=3'
    """
    eps0 = family.local_epsilon()
    if not isinstance(eps0, LogRational):
        raise InvalidValueError(f"eps0={eps0} has an irrational e^eps0. Pass a family with a rational exp_eps0.")
    exp_eps0 = eps0.argument
    if (k := family.response_size) is not None:
        return replace(response_case(n, k, exp_eps0), randomizer=family)
    given = {name: value for name, value in family.parameters.items() if name != "exp_eps0" and value is not False}
    listed = [f"{name}={value}" for name, value in given.items()]
    label = f"{' '.join((family.name, *listed))}, n={n}, e^eps0={family.parameters['exp_eps0']}"
    return ComparedProtocol(label, family, n, exp_eps0)


def random_case(n: int, index: int) -> ComparedProtocol:
    """Return n users with the random table ``index``: 2 to 4 inputs and messages, weights 1 to 6, from SHA-256."""
    drawn = _bytes(index)
    inputs, messages = 2 + next(drawn) % 3, 2 + next(drawn) % 3
    table = {}
    for x in range(inputs):
        weights = [1 + next(drawn) % 6 for _ in range(messages)]
        table[x] = {(y,): Fraction(w, sum(weights)) for y, w in enumerate(weights)}
    randomizer = Randomizer(table)
    return ComparedProtocol(f"random table {index}, n={n}", randomizer, n, randomizer.local_epsilon().argument)


def _bytes(index: int) -> Iterator[int]:
    block = 0
    while True:
        yield from sha256(f"{SEED}:{index}:{block}".encode()).digest()
        block += 1


# --- One point ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Promise:
    """What somebody says of every case: delta at each e^eps, or e^eps at each delta; HypothesisError where nothing."""

    name: str
    gives_delta: bool
    says: Callable[[ComparedProtocol, Fraction], Fraction | Interval] = field(repr=False)
    bound: Bound | None = field(default=None, repr=False)
    """What is said, to the bits that are asked for."""

    @classmethod
    def published(cls, name: str) -> Promise:
        """Return the promise of a published bound."""
        is_at_eps = name in AT_EPS
        return cls(name, is_at_eps, lambda case, at: (AT_EPS if is_at_eps else AT_DELTA)[name](case, at))

    def compared(self, case: ComparedProtocol, at: Fraction, *, relative_bits: int | None = _BITS) -> Comparison:
        """Compare what is said at an e^eps, or at a delta, with the exact delta; None asks for a fraction.

        At the e^eps that is promised for a delta, that is the delta. The exact one falls with e^eps, so that a little
        below bounds it from above.
        """
        said = self.says(case, at)
        if self.gives_delta:
            return Comparison(self.name, case.label, case.n, at, said, _exact(case, at, relative_bits), case)
        low, high = fraction_ends(said)
        if (case.exp_eps0 - low) / (case.exp_eps0 + 1) <= min(at, _NOTHING):
            return Comparison(self.name, case.label, case.n, said, at, Fraction(0), case)
        upper = _exact(case, max(Fraction(1), low // _GRID * _GRID), _BITS)
        if fraction_ends(upper)[1] <= at:
            return Comparison(self.name, case.label, case.n, said, at, upper, case)
        lower = _exact(case, max(Fraction(1), high), _BITS)
        exact = Interval.between(fraction_ends(lower)[0], fraction_ends(upper)[1], bits=DEFAULT_RELATIVE_BITS)
        return Comparison(self.name, case.label, case.n, said, at, exact, case)


@lru_cache(maxsize=4096)
def _exact(case: ComparedProtocol, exp_eps: Fraction, relative_bits: int | None) -> Fraction | Interval:
    """Return delta, between its proved ends; what is said of one case by many is computed once."""
    profile = case.profile()
    if relative_bits is None:
        return profile.exact_delta(exp_eps=exp_eps)
    return profile.delta(exp_eps=exp_eps, relative_bits=relative_bits)


def at_threshold(tau: int, alpha: Fraction, exp_eps: Fraction) -> tuple[Comparison, Comparison]:
    """Compare both bounds of sample and threshold with the exact delta: first the published one, then the refined."""
    worst = sample_threshold_worst(tau, alpha=alpha, exp_eps=exp_eps)
    n = worst.holders + 1
    label = f"tau={tau}, alpha={short(alpha)}, {worst.holders} holders against {n}"
    published = published_sample_threshold_delta(tau, alpha=alpha)
    refined = refined_sample_threshold_delta(tau, alpha=alpha, exp_eps=exp_eps)
    return (
        Comparison("sample-threshold", label, n, exp_eps, published, worst.delta),
        Comparison("sample-threshold-refined", label, n, exp_eps, refined, worst.delta),
    )


# --- A grid ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Grid:
    """A grid, stated before it is run: ``points(large)`` lists it, the larger one where ``large``."""

    name: str
    stated: str
    larger: str
    points: Callable[[bool], Iterable[tuple[Any, ...]]] = field(repr=False)
    at: Callable[..., Iterable[Comparison]] = field(repr=False)
    """Compares at a point, the arguments: a function of a module, for processes."""
    ratio: str = "published over exact, where the exact number is above 0"
    """What the ratios are."""
    in_words: Callable[[Sequence[Comparison]], Sequence[str]] = field(default=lambda compared: (), repr=False)
    """What else is said of the comparisons, in lines."""

    def comparisons(self, large: bool, jobs: int = 1) -> Iterator[Comparison]:
        """Yield the comparisons at all points, in their order."""
        return chain.from_iterable(Study(list(self.points(large)), partial(_listed, self.at)).in_order(jobs))


def _listed(at: Callable[..., Iterable[Comparison]], point: tuple[Any, ...]) -> list[Comparison]:
    return list(at(*point))


def in_a_row(values: Iterable[object]) -> str:
    """Return values as a grid is stated."""
    return ", ".join(map(str, values))


def summaries(grid: Grid, comparisons: Iterable[Comparison]) -> tuple[Summary, ...]:
    """Return one summary for each bound of a grid."""
    by_bound: dict[str, list[Comparison]] = {}
    for comparison in comparisons:
        by_bound.setdefault(comparison.bound, []).append(comparison)
    return tuple(summary(name, grid.name, listed) for name, listed in by_bound.items())


def summary(name: str, grid: str, listed: Sequence[Comparison]) -> Summary:
    """Return what one bound gives away in some comparisons, at least one."""
    ratios = sorted(ratio for comparison in listed if (ratio := comparison.ratio) is not None)
    below = [comparison for comparison in listed if comparison.is_below]
    held = sum(comparison.holds for comparison in listed)
    return Summary(
        name,
        grid,
        len(listed),
        held,
        len(listed) - held - len(below),
        len(below),
        ratios[0] if ratios else None,
        ratios[len(ratios) // 2] if ratios else None,
        ratios[-1] if ratios else None,
        max(comparison.gap for comparison in listed),
        below[0] if below else None,
    )
