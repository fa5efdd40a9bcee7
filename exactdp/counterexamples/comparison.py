"""Published bounds beside the exact worst case: which hold, and what each gives away, over grids stated in advance.

A case is a protocol: a randomizer, its local e^eps0, and a number of users n. For a bound of the form "delta at eps", a
comparison is the bound and the exact delta, the largest over all neighbouring data sets in both orders; for one of the
form "eps at delta", it is the delta asked for and the exact delta at that eps. A bound is *below* where the exact delta
is proved to be larger: then some real pair of data sets refutes it.

The grids are fixed here, before any run: k-ary randomized response of few users at every e^eps0 and e^eps of a list;
random tables, drawn by SHA-256 from a seed that is part of the grid; two-message protocols of 200 users and more
whose worst data set is neither end; and the parameters of the theorems that ask for many users.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256
from typing import Final, TypeAlias, TypeVar

from exactdp.bounds.blanket import bennett_blanket_delta, hoeffding_blanket_delta
from exactdp.bounds.clones import (
    clones_delta,
    clones_exp_eps,
    stronger_clones_delta,
    stronger_clones_exp_eps,
    stronger_clones_refined_exp_eps,
)
from exactdp.bounds.response_theorem import binary_sum_delta, binary_sum_eps, binary_sum_lambda, response_gamma
from exactdp.bounds.sample_threshold import (
    published_sample_threshold_delta,
    refined_sample_threshold_delta,
    sample_threshold_worst,
)
from exactdp.bounds.variation_ratio import response_parameters, variation_ratio_delta, variation_ratio_exp_eps
from exactdp.errors import HypothesisError
from exactdp.kernel.balls import enclose_real
from exactdp.models.randomizer import Randomizer
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval, fraction_ends
from exactdp.numbers.real import Real
from exactdp.privacy.epsilon import LogRational
from exactdp.profile import PrivacyProfile
from exactdp.protocol import ShuffleProtocol

Number = TypeVar("Number", Fraction, Interval, Fraction | Interval)

_SEED: Final = "exactdp published bounds"
_GRID: Final = Fraction(1, 2**20)
"""Noise that a theorem asks for is rounded up to a multiple of it, and a theorem's e^eps down."""

_BITS: Final = 30
"""Accuracy of an enclosed delta that is compared: nine digits."""


@dataclass(frozen=True, slots=True)
class ComparedProtocol:
    """A protocol: n users of a randomizer that alone is eps0-DP; ``k`` where it is k-ary randomized response."""

    label: str
    randomizer: Randomizer
    n: int
    exp_eps0: Fraction
    k: int | None = None

    def profile(self) -> PrivacyProfile:
        """The exact privacy profile."""
        return ShuffleProtocol(self.randomizer, self.n).privacy_profile()

    def levels(self, parts: int) -> list[Fraction]:
        """e^eps at 1 + (e^eps0 - 1) j / parts for j = 0, ..., parts - 1."""
        return [1 + (self.exp_eps0 - 1) * Fraction(j, parts) for j in range(parts)]


Bound: TypeAlias = Callable[[ComparedProtocol, Fraction], Fraction | Interval]
"""From a case and e^eps to a published delta."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One bound and the exact number that it is claimed to bound."""

    bound: str
    label: str
    n: int | None
    exp_eps: Fraction | Interval
    published: Fraction | Interval
    exact: Fraction | Interval
    case: ComparedProtocol | None = field(default=None, compare=False, repr=False)

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
    below: int
    least_ratio: Fraction | None
    median_ratio: Fraction | None
    largest_ratio: Fraction | None
    largest_gap: Fraction
    first_below: Comparison | None


# --- Bounds ---------------------------------------------------------------------------------------------------------


def _at_eps_generic(bound: Callable[..., Fraction | Interval]) -> Bound:
    return lambda case, exp_eps: bound(case.n, exp_eps0=case.exp_eps0, exp_eps=exp_eps)


def _at_eps_response(bound: Callable[..., Fraction | Interval]) -> Bound:
    return lambda case, exp_eps: bound(case.n, exp_eps0=case.exp_eps0, exp_eps=exp_eps, k=_size(case))


def _size(case: ComparedProtocol) -> int:
    if case.k is None:
        raise HypothesisError(f"The bound needs k-ary randomized response, but the case is {case.label}. Pass another.")
    return case.k


def _variation_ratio(case: ComparedProtocol, exp_eps: Fraction) -> Fraction | Interval:
    return variation_ratio_delta(case.n, response_parameters(_size(case), exp_eps0=case.exp_eps0), exp_eps=exp_eps)


def _binary_sum(case: ComparedProtocol, exp_eps: Fraction) -> Interval:
    if _size(case) != 2:
        raise HypothesisError(f"The binary-sum bound needs bits, but k={case.k}. Pass k=2.")
    return binary_sum_delta(case.n, lam=case.n * 2 / (case.exp_eps0 + 1), exp_eps=exp_eps)


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
        yield from sha256(f"{_SEED}:{index}:{block}".encode()).digest()
        block += 1


# --- Grids ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Grid:
    """A grid, stated before it is run: ``comparisons(large)`` lists it, the larger one where ``large``."""

    name: str
    stated: str
    larger: str
    comparisons: Callable[[bool], Iterator[Comparison]] = field(repr=False)


_RATIOS: Final = tuple(map(Fraction, ("11/10", "3/2", "2", "3", "5", "10")))
_USERS: Final = {2: 30, 3: 9, 4: 6}
_LARGE_USERS: Final = {2: 100, 3: 15, 4: 9}
_PARTS: Final = 5
"""Levels e^eps of each case of randomized response."""
_TABLE_PARTS: Final = 3
"""Levels of each random table, which are many."""
_TABLES: Final = 800
"""Random tables of the small grid."""
_LARGE_TABLES: Final = 4000
"""Random tables of the large grid."""
_TABLE_USERS: Final = (2, 3, 4)


def _responses(large: bool) -> Iterator[Comparison]:
    for k, most in (_LARGE_USERS if large else _USERS).items():
        for n in range(1, most + 1):
            for ratio in _RATIOS:
                case = response_case(n, k, ratio)
                yield from _at_levels(case, AT_EPS, case.levels(_PARTS))


def _tables(large: bool) -> Iterator[Comparison]:
    generic = {name: AT_EPS[name] for name in AT_EPS if name.endswith(("generic", "clones"))}
    for index in range(_LARGE_TABLES if large else _TABLES):
        for n in _TABLE_USERS:
            case = random_case(n, index)
            if case.exp_eps0 > 1:
                yield from _at_levels(case, generic, case.levels(_TABLE_PARTS))


def _published(bounds: Mapping[str, Callable[..., Number]], *at: object) -> Iterator[tuple[str, Number]]:
    """Yield what each bound says there, if its hypotheses hold."""
    for name, bound in bounds.items():
        with suppress(HypothesisError):
            yield name, bound(*at)


def _at_levels(case: ComparedProtocol, bounds: dict[str, Bound], levels: Sequence[Fraction]) -> Iterator[Comparison]:
    profile = case.profile()
    for exp_eps in levels:
        exact = profile.exact_delta(exp_eps=exp_eps)
        for name, published in _published(bounds, case, exp_eps):
            yield Comparison(name, case.label, case.n, exp_eps, published, exact, case)


_INTERIOR: Final = {200: ("21/20", "26/25", "51/50"), 300: ("21/20", "26/25", "51/50"), 500: ("26/25", "51/50")}
_LARGE_INTERIOR: Final = {**_INTERIOR, 1000: ("51/50", "101/100"), 2000: ("101/100",)}
_INTERIOR_RATIO: Final = Fraction(49)
"""With f = 1/50 the worst data set is no end for e^eps below about e^((1-2f)^2 / (2 n f (1-f)))."""


def _interior(large: bool) -> Iterator[Comparison]:
    for n, levels in (_LARGE_INTERIOR if large else _INTERIOR).items():
        yield from _at_levels(response_case(n, 2, _INTERIOR_RATIO), AT_EPS, list(map(Fraction, levels)))


_MANY: Final = (50, 100, 200, 500)
_MORE: Final = (1000, 3000)
_DELTAS: Final = tuple(map(Fraction, ("1/2", "1/10", "1/100", "1/10000")))


_BIT_RATIOS: Final = (*sorted((*_RATIOS, Fraction("5/4"))), Fraction(19), Fraction(49))


def _closed(large: bool) -> Iterator[Comparison]:
    for n in (*_MANY, *_MORE) if large else _MANY:
        for ratio in _BIT_RATIOS:
            case = response_case(n, 2, ratio)
            for delta in _DELTAS:
                for name in AT_DELTA:
                    with suppress(HypothesisError):
                        yield at_target(name, case, delta)


def at_target(name: str, case: ComparedProtocol, delta: Fraction) -> Comparison:
    """Compare delta with the exact one at the e^eps of a bound, or raise HypothesisError.

    The exact one falls with e^eps, so that a little below bounds it from above.
    """
    exp_eps, profile = AT_DELTA[name](case, delta), case.profile()
    upper = profile.delta(exp_eps=max(Fraction(1), exp_eps.lo // _GRID * _GRID), relative_bits=_BITS)
    if upper.hi <= delta:
        return Comparison(name, case.label, case.n, exp_eps, delta, upper, case)
    lower = profile.delta(exp_eps=exp_eps.hi, relative_bits=_BITS)
    return Comparison(name, case.label, case.n, exp_eps, delta, Interval(lower.lower, upper.upper), case)


_LEVELS: Final = tuple(map(Fraction, ("6/5", "3/2", "2", "5/2")))


def _noise(large: bool) -> Iterator[Comparison]:
    """The noise that a theorem asks for, at the privacy that it is asked for."""
    for n in (*_MANY, *_MORE) if large else (*_MANY, *_MORE[:1]):
        for level in _LEVELS:
            for delta in _DELTAS:
                for name, gamma in _asked(n, LogRational(level), delta):
                    case = response_case(n, 2, (2 - gamma) / gamma)
                    exact = case.profile().delta(exp_eps=level, relative_bits=_BITS)
                    yield Comparison(name, case.label, n, level, delta, exact, case)


def _asked(n: int, eps: LogRational, delta: Fraction) -> Iterator[tuple[str, Fraction]]:
    """Yield gamma, the probability of a random bit, of each theorem that applies."""
    asked: dict[str, Callable[[], Fraction]] = {
        "binary-sum-lambda": lambda: binary_sum_lambda(n, eps=eps, delta=delta).hi / n,
        "response-gamma": lambda: response_gamma(n, 2, eps=eps, delta=delta).hi,
    }
    for name, gamma in _published(asked):
        yield name, min(1 - _GRID, -(-gamma // _GRID) * _GRID)


_RATES: Final = tuple(map(Fraction, ("1/10", "1/5", "3/10", "2/5", "1/2")))
_THRESHOLD: Final = 16
"""The largest threshold of the small grid."""
_LARGE_THRESHOLD: Final = 40
"""The largest threshold of the large grid."""


def _thresholds(large: bool) -> Iterator[Comparison]:
    for tau in range(1, (_LARGE_THRESHOLD if large else _THRESHOLD) + 1):
        for rate in _RATES:
            for exp_eps in _LEVELS:
                yield from at_threshold(tau, rate, exp_eps)


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


def _listed(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))


def _users_text(users: dict[int, int]) -> str:
    return "k-ary randomized response, " + ", ".join(f"k = {k} with 1 to {most} users" for k, most in users.items())


_AT: Final = f"e^eps0 = {_listed(_RATIOS)}; e^eps at {_PARTS} points from 1 to below e^eps0"
_DRAWN: Final = (
    f"random tables of 2 to 4 inputs and messages, from SHA-256 of {_SEED!r}; {_listed(_TABLE_USERS)} users; e^eps at "
    f"{_TABLE_PARTS} points from 1 to below e^eps0"
)
_TARGETS: Final = f"delta = {_listed(_DELTAS)}"
_NOISY: Final = f"e^eps = {_listed(_LEVELS)}; {_TARGETS}"
_SAMPLED: Final = f"alpha = {_listed(_RATES)}; e^eps = {_listed(_LEVELS)}; all numbers of holders"


def _interior_text(interior: dict[int, tuple[str, ...]]) -> str:
    at = "; ".join(f"n = {n}, e^eps = {', '.join(orders)}" for n, orders in interior.items())
    return f"randomized response of bits, e^eps0 = {_INTERIOR_RATIO}, where the worst data set is no end: {at}"


def _bits_text(what: str, users: tuple[int, ...], at: str) -> str:
    return f"randomized response of bits{what}, n = {_listed(users)}; {at}"


GRIDS: Final = (
    Grid("responses", f"{_users_text(_USERS)}; {_AT}", f"{_users_text(_LARGE_USERS)}; {_AT}", _responses),
    Grid("tables", f"{_TABLES} {_DRAWN}", f"{_LARGE_TABLES} {_DRAWN}", _tables),
    Grid("interior", _interior_text(_INTERIOR), _interior_text(_LARGE_INTERIOR), _interior),
    Grid(
        "closed-forms",
        _bits_text("", _MANY, f"e^eps0 = {_listed(_BIT_RATIOS)}; {_TARGETS}"),
        _bits_text("", (*_MANY, *_MORE), f"e^eps0 = {_listed(_BIT_RATIOS)}; {_TARGETS}"),
        _closed,
    ),
    Grid(
        "noise",
        _bits_text(" with the theorem's noise", (*_MANY, *_MORE[:1]), _NOISY),
        _bits_text(" with the theorem's noise", (*_MANY, *_MORE), _NOISY),
        _noise,
    ),
    Grid(
        "thresholds",
        f"sample and threshold, tau = 1 to {_THRESHOLD}, {_SAMPLED}",
        f"sample and threshold, tau = 1 to {_LARGE_THRESHOLD}, {_SAMPLED}",
        _thresholds,
    ),
)
"""Every grid, in the order in which they are run."""


def summaries(grid: Grid, comparisons: Iterable[Comparison]) -> tuple[Summary, ...]:
    """Return one summary for each bound of a grid."""
    by_bound: dict[str, list[Comparison]] = {}
    for comparison in comparisons:
        by_bound.setdefault(comparison.bound, []).append(comparison)
    return tuple(_summary(name, grid.name, listed) for name, listed in by_bound.items())


def _summary(name: str, grid: str, listed: Sequence[Comparison]) -> Summary:
    ratios = sorted(ratio for comparison in listed if (ratio := comparison.ratio) is not None)
    below = [comparison for comparison in listed if comparison.is_below]
    return Summary(
        name,
        grid,
        len(listed),
        sum(comparison.holds for comparison in listed),
        len(below),
        ratios[0] if ratios else None,
        ratios[len(ratios) // 2] if ratios else None,
        ratios[-1] if ratios else None,
        max(comparison.gap for comparison in listed),
        below[0] if below else None,
    )
