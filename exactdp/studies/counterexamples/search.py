"""The least exact counterexample to a statement, among small instances in a stated order.

A space is a product of axes: ranges of integers, lists of rational numbers between two ends, or finite lists of
anything. Its instances come by their *size*: first by the integers, in the order in which the axes are given, then by
the sum of the numerators and denominators of the rationals, then by the rationals themselves and by places in lists. So
"the least counterexample" has a meaning that does not depend on how it was looked for, and a search that finds none
says what it covered: every instance of the space.

The statement is a function that answers exactly, True where the instance satisfies it; InvalidValueError from it means
that the instance is outside the statement's hypotheses, and is skipped.

The grids on which published bounds are compared, stated before they are run
----------------------------------------------------------------------------

k-ary randomized response of few users at every e^eps0 and e^eps of a list; random tables, drawn by SHA-256 from a seed
that is part of the grid; two-message protocols of 200 users and more whose worst data set is neither end; the
parameters of the theorems that ask for many users; and families of randomizers of a thousand to a million users
(:mod:`exactdp.studies.counterexamples.sizes`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import gcd, prod
from typing import Any, Final, TypeVar

from exactdp.claims.certificate import Certificate, Verdict
from exactdp.claims.certify import certify
from exactdp.claims.claim import Claim
from exactdp.errors import HypothesisError, InvalidValueError, TooLargeError, UndecidedError
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_fraction, as_integer
from exactdp.numbers.formats import about, exact_text, short
from exactdp.numbers.interval import Interval
from exactdp.privacy.amplification.response_theorem import binary_sum_lambda, response_gamma
from exactdp.progress import Progress, progress_callback, with_progress
from exactdp.studies.counterexamples.comparison import (
    AT_DELTA,
    AT_EPS,
    SEED,
    Bound,
    ComparedProtocol,
    Comparison,
    Grid,
    Promise,
    at_threshold,
    in_a_row,
    random_case,
    response_case,
)
from exactdp.studies.counterexamples.sizes import SIZE_GRIDS

MAX_INSTANCES: Final = 10**7
"""Most instances of a space."""


@dataclass(frozen=True, slots=True)
class Rationals:
    """All rational numbers p/q from ``low`` to ``high`` with q at most ``max_denominator``; ends belong where closed.

    >>> [str(x) for x in Rationals(0, 1, 3)]
    ['1/2', '1/3', '2/3']
    """

    low: Exact
    high: Exact
    max_denominator: int
    low_is_closed: bool = False
    high_is_closed: bool = False

    def __post_init__(self) -> None:
        low, high = as_fraction(self.low, name="low"), as_fraction(self.high, name="high")
        if low > high:
            raise InvalidValueError(f"low={short(low)} is above high={short(high)}. Exchange them.")
        as_integer(self.max_denominator, name="max_denominator", at_least=1)

    def __iter__(self) -> Iterator[Fraction]:
        """Yield them by numerator plus denominator, then by value."""
        return iter(sorted(self.in_a_row(), key=lambda x: (_size(x), x)))

    def in_a_row(self) -> Iterator[Fraction]:
        low, high = as_fraction(self.low, name="low"), as_fraction(self.high, name="high")
        for q in range(1, self.max_denominator + 1):
            for p in range(-(-low.numerator * q // low.denominator), high.numerator * q // high.denominator + 1):
                if gcd(p, q) == 1:
                    x = Fraction(p, q)
                    if (x > low or self.low_is_closed) and (x < high or self.high_is_closed):
                        yield x


Axis = range | Rationals | Sequence[Any]


@dataclass(frozen=True, slots=True)
class Search:
    """What a search found: the least counterexample, or that there is none in the whole space.

    ``tried`` counts the instances that the statement answered, up to and with the counterexample; ``skipped`` those
    outside its hypotheses.
    """

    counterexample: Mapping[str, Any] | None
    tried: int
    skipped: int
    space: str

    @property
    def least(self) -> Mapping[str, Any]:
        """The counterexample; a search without one is an error."""
        if self.counterexample is None:
            raise InvalidValueError(f"there is no counterexample in {self.space}. Search a larger space.")
        return self.counterexample

    def at(self, *axes: str) -> tuple[Any, ...]:
        """Return the values of the counterexample on these axes; a search without one is an error."""
        return tuple(self.least[axis] for axis in axes)

    def __repr__(self) -> str:
        if self.counterexample is None:
            return f"Search(no counterexample in {self.space}: {self.tried} instances tried)"
        instance = ", ".join(f"{name}={value}" for name, value in self.counterexample.items())
        return f"Search({instance}: the first of {self.tried} instances in {self.space})"


def search(statement: Callable[..., bool], /, **axes: Axis) -> Search:
    """Return the least instance at which a statement fails.

    Args:
        statement: called with one value of each axis, by name; exact, True where it holds.
        axes: a ``range``, ``Rationals``, or a finite sequence, whose values are tried in its order.

    Raises:
        TooLargeError: for a space of more than 10^7 instances, before the first is tried.

    >>> search(lambda n, p: n * p * (1 - p) < 2, n=range(1, 20), p=Rationals(0, 1, 4))
    Search(n=8, p=1/2: the first of 36 instances in n in 1..19, p in (0, 1) with denominators up to 4)
    """
    if not axes:
        raise InvalidValueError("no axes given. Pass search(statement, n=range(1, 10), ...).")
    values = {name: list(axis) for name, axis in axes.items()}
    size = prod(map(len, values.values()))
    if size > MAX_INSTANCES:
        raise TooLargeError(f"the space has {about(size)} instances, the limit is {MAX_INSTANCES}. Use fewer.")
    words = ", ".join(f"{name} in {_shown(axis)}" for name, axis in axes.items())
    tried = skipped = 0
    for instance in with_progress(_ordered(axes, values), size):
        try:
            holds = statement(**instance)
        except InvalidValueError:
            skipped += 1
            continue
        tried += 1
        if not holds:
            return Search(instance, tried, skipped, words)
    return Search(None, tried, skipped, words)


def find_counterexample(
    bound: Callable[..., Claim], space: Mapping[str, Axis], *, progress: Progress | None = None
) -> Certificate | None:
    """Return the certificate that refutes a bound at its least instance; None where it holds on the whole space.

    Args:
        bound: called with one value of each axis, by name; returns the claim that the bound makes there.
            InvalidValueError from it means that the instance is outside the bound's hypotheses.
        space: name -> axis, as for ``search``.
        progress: a callback for the instances that are finished; see :mod:`exactdp.progress`.

    Raises:
        InvalidValueError: where no instance is within the bound's hypotheses, with what the last was refused for.
        UndecidedError: at an instance that can neither be proved nor refuted.
        TooLargeError: for a space of more than 10^7 instances.

    >>> from exactdp import ShuffleProtocol, randomized_response
    >>> def bound(n):
    ...     protocol = ShuffleProtocol(randomized_response(2, gamma="1/2"), n)
    ...     return Claim.shuffle_dp(protocol, exp_eps=2, delta=Fraction(1, 4 * n))
    >>> find_counterexample(bound, {"n": range(2, 10)}).reason
    'the pair [2, 0] against [1, 1] has delta 3/16.'

    Cost: of one ``certify`` for each instance.
    """
    refuted: list[Certificate] = []
    refusals: list[InvalidValueError] = []

    def holds(**instance: Any) -> bool:
        try:
            certificate = certify(bound(**instance))
        except InvalidValueError as error:
            refusals[:] = [error]
            raise
        if certificate.verdict is Verdict.UNDECIDED:
            at = ", ".join(f"{name}={value}" for name, value in instance.items())
            raise UndecidedError(f"the bound is undecided at {at}: {certificate.reason} Leave this instance out.")
        if certificate.verdict is Verdict.REFUTED:
            refuted.append(certificate)
        return not refuted

    with progress_callback(progress):
        found = search(holds, **space)
    if refusals and not found.tried:
        raise InvalidValueError(f"the bound speaks of no instance in {found.space}. Refused: {refusals[0]}")
    return refuted[0] if refuted else None


def _ordered(axes: Mapping[str, Axis], values: Mapping[str, list[Any]]) -> Iterator[dict[str, Any]]:
    """Yield all instances by size: integers first, then the rationals' sums, then what is left in the axes' order."""
    integers = [name for name, axis in axes.items() if isinstance(axis, range)]
    others = [name for name in axes if name not in integers]
    rationals = [name for name in others if isinstance(axes[name], Rationals)]
    rest = sorted(
        product(*(range(len(values[name])) for name in others)),
        key=lambda places: (_sum(rationals, others, values, places), places),
    )
    for chosen in product(*(values[name] for name in integers)):
        for places in rest:
            instance = dict(zip(integers, chosen, strict=True))
            instance |= {name: values[name][i] for name, i in zip(others, places, strict=True)}
            yield {name: instance[name] for name in axes}


def _sum(rationals: list[str], others: list[str], values: Mapping[str, list[Any]], places: tuple[int, ...]) -> int:
    return sum(_size(values[name][i]) for name, i in zip(others, places, strict=True) if name in rationals)


def _size(x: Fraction) -> int:
    return abs(x.numerator) + x.denominator


def _shown(axis: Axis) -> str:
    if isinstance(axis, range):
        step = f" in steps of {axis.step}" if axis.step != 1 else ""
        return f"{axis[0]}..{axis[-1]}{step}" if axis else "an empty range"
    if isinstance(axis, Rationals):
        low, high = short(as_fraction(axis.low, name="low")), short(as_fraction(axis.high, name="high"))
        ends = f"{'[' if axis.low_is_closed else '('}{low}, {high}{']' if axis.high_is_closed else ')'}"
        return f"{ends} with denominators up to {axis.max_denominator}"
    return f"{len(axis)} listed values"


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


def _responses(large: bool) -> Iterator[tuple[int, int, Fraction]]:
    for k, most in (_LARGE_USERS if large else _USERS).items():
        yield from product(range(1, most + 1), [k], _RATIOS)


def _at_response(n: int, k: int, ratio: Fraction) -> Iterator[Comparison]:
    case = response_case(n, k, ratio)
    return _at_levels(case, AT_EPS, case.levels(_PARTS))


def _at_table(index: int, n: int) -> Iterator[Comparison]:
    generic = {name: AT_EPS[name] for name in AT_EPS if name.endswith(("generic", "clones"))}
    case = random_case(n, index)
    return _at_levels(case, generic, case.levels(_TABLE_PARTS) if case.exp_eps0 > 1 else [])


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


def _at_interior(n: int, levels: Sequence[str]) -> Iterator[Comparison]:
    return _at_levels(response_case(n, 2, _INTERIOR_RATIO), AT_EPS, list(map(Fraction, levels)))


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


def _at_closed(n: int, ratio: Fraction) -> Iterator[Comparison]:
    case = response_case(n, 2, ratio)
    for delta, name in product(_DELTAS, AT_DELTA):
        with suppress(HypothesisError):
            yield Promise.published(name).compared(case, delta)


_LEVELS: Final = tuple(map(Fraction, ("6/5", "3/2", "2", "5/2")))


def _at_noise(n: int, level: Fraction, delta: Fraction) -> Iterator[Comparison]:
    """The noise that a theorem asks for, at the privacy that it is asked for."""
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


def _users_text(users: dict[int, int]) -> str:
    return "k-ary randomized response, " + ", ".join(f"k = {k} with 1 to {most} users" for k, most in users.items())


_AT: Final = f"e^eps0 = {in_a_row(_RATIOS)}; e^eps at {_PARTS} points from 1 to below e^eps0"
_DRAWN: Final = (
    f"random tables of 2 to 4 inputs and messages, from SHA-256 of {SEED!r}; {in_a_row(_TABLE_USERS)} users; e^eps at "
    f"{_TABLE_PARTS} points from 1 to below e^eps0"
)
_TARGETS: Final = f"delta = {in_a_row(_DELTAS)}"
_NOISY: Final = f"e^eps = {in_a_row(_LEVELS)}; {_TARGETS}"
_SAMPLED: Final = f"alpha = {in_a_row(_RATES)}; e^eps = {in_a_row(_LEVELS)}; all numbers of holders"


def _interior_text(interior: dict[int, tuple[str, ...]]) -> str:
    at = "; ".join(f"n = {n}, e^eps = {', '.join(orders)}" for n, orders in interior.items())
    return f"randomized response of bits, e^eps0 = {_INTERIOR_RATIO}, where the worst data set is no end: {at}"


def _bits_text(what: str, users: tuple[int, ...], at: str) -> str:
    return f"randomized response of bits{what}, n = {in_a_row(users)}; {at}"


GRIDS: Final = (
    Grid("responses", f"{_users_text(_USERS)}; {_AT}", f"{_users_text(_LARGE_USERS)}; {_AT}", _responses, _at_response),
    Grid(
        "tables",
        f"{_TABLES} {_DRAWN}",
        f"{_LARGE_TABLES} {_DRAWN}",
        lambda large: product(range(_LARGE_TABLES if large else _TABLES), _TABLE_USERS),
        _at_table,
    ),
    Grid(
        "interior",
        _interior_text(_INTERIOR),
        _interior_text(_LARGE_INTERIOR),
        lambda large: (_LARGE_INTERIOR if large else _INTERIOR).items(),
        _at_interior,
        in_words=_worst_pairs,
    ),
    Grid(
        "closed-forms",
        _bits_text("", _MANY, f"e^eps0 = {in_a_row(_BIT_RATIOS)}; {_TARGETS}"),
        _bits_text("", (*_MANY, *_MORE), f"e^eps0 = {in_a_row(_BIT_RATIOS)}; {_TARGETS}"),
        lambda large: product((*_MANY, *_MORE) if large else _MANY, _BIT_RATIOS),
        _at_closed,
    ),
    Grid(
        "noise",
        _bits_text(" with the theorem's noise", (*_MANY, *_MORE[:1]), _NOISY),
        _bits_text(" with the theorem's noise", (*_MANY, *_MORE), _NOISY),
        lambda large: product((*_MANY, *(_MORE if large else _MORE[:1])), _LEVELS, _DELTAS),
        _at_noise,
    ),
    Grid(
        "thresholds",
        f"sample and threshold, tau = 1 to {_THRESHOLD}, {_SAMPLED}",
        f"sample and threshold, tau = 1 to {_LARGE_THRESHOLD}, {_SAMPLED}",
        lambda large: product(range(1, (_LARGE_THRESHOLD if large else _THRESHOLD) + 1), _RATES, _LEVELS),
        at_threshold,
    ),
    *SIZE_GRIDS,
)
"""Every grid, in the order in which they are run."""
