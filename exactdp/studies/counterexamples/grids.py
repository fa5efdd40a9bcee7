"""The grids on which published bounds are compared, stated before they are run.

k-ary randomized response of few users at every e^eps0 and e^eps of a list; random tables, drawn by SHA-256 from a seed
that is part of the grid; two-message protocols of 200 users and more whose worst data set is neither end; the
parameters of the theorems that ask for many users; and families of randomizers of a thousand to a million users
(:mod:`exactdp.studies.counterexamples.sizes`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Final, TypeVar

from exactdp.errors import HypothesisError
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.formats import exact_text
from exactdp.numbers.interval import Interval
from exactdp.privacy.amplification.response_theorem import binary_sum_lambda, response_gamma
from exactdp.studies.counterexamples.comparison import (
    AT_DELTA,
    AT_EPS,
    SEED,
    Bound,
    ComparedProtocol,
    Comparison,
    Grid,
    at_target,
    at_threshold,
    random_case,
    response_case,
)
from exactdp.studies.counterexamples.sizes import SIZE_GRIDS

Number = TypeVar("Number", Fraction, Interval, Fraction | Interval)

_GRID: Final = Fraction(1, 2**20)
"""Noise that a theorem asks for is rounded up to a multiple of it."""

_BITS: Final = 30
"""Accuracy of an enclosed delta that is compared: nine digits."""

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


def _worst_pairs(compared: Sequence[Comparison]) -> list[str]:
    """Return what the worst data sets are."""
    lines = []
    for comparison in {(comparison.label, comparison.exp_eps): comparison for comparison in compared}.values():
        if comparison.case is not None and isinstance(comparison.exp_eps, Fraction):
            pair = comparison.case.profile().worst_pair(exp_eps=comparison.exp_eps)
            at = f"{comparison.label}, e^eps={exact_text(comparison.exp_eps)}"
            lines.append(f"{at}: worst {pair.first} against {pair.second} (input: users)")
    return lines


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


def _listed(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))


def _users_text(users: dict[int, int]) -> str:
    return "k-ary randomized response, " + ", ".join(f"k = {k} with 1 to {most} users" for k, most in users.items())


_AT: Final = f"e^eps0 = {_listed(_RATIOS)}; e^eps at {_PARTS} points from 1 to below e^eps0"
_DRAWN: Final = (
    f"random tables of 2 to 4 inputs and messages, from SHA-256 of {SEED!r}; {_listed(_TABLE_USERS)} users; e^eps at "
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
    Grid("interior", _interior_text(_INTERIOR), _interior_text(_LARGE_INTERIOR), _interior, in_words=_worst_pairs),
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
    *SIZE_GRIDS,
)
"""Every grid, in the order in which they are run."""
