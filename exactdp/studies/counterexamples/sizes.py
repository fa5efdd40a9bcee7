"""Published bounds at real sizes: the eps that each promises at one delta, beside the two proved ends of the true one.

A case is n = 10^3 to 10^6 users of a family of randomizers, and a target delta. The true eps lies between the ends of
:meth:`exactdp.privacy.profile.PrivacyProfile.epsilon`: at the lower one some data set has a larger delta, at the upper
one none has. What a tool promises is the least e^eps at which its delta is at most the target, or e^eps itself where
the bound is of that form; never more than eps0, which holds without any theorem. It is enclosed between an e^eps at
which the published delta is proved to be above the target, and one at which it is proved not to be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from itertools import count, product
from typing import Any, Final

from exactdp.errors import HypothesisError, TooLargeError
from exactdp.mechanisms.any_randomizer_family import any_randomizer
from exactdp.mechanisms.clipped_discrete_laplace_family import ClippedDiscreteLaplace
from exactdp.mechanisms.family import FamilyRandomizer
from exactdp.mechanisms.hadamard_response_family import HadamardResponse
from exactdp.mechanisms.k_ary_family import KAryResponse
from exactdp.mechanisms.local_hashing_family import LocalHashing
from exactdp.mechanisms.subset_selection_family import SubsetSelection
from exactdp.mechanisms.unary_encoding_family import UnaryEncoding
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.numbers.formats import decimal_text, exact_text
from exactdp.numbers.interval import Interval, fraction_ends
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.bracket_inverse import exp_eps_of_end
from exactdp.studies.counterexamples.comparison import (
    AT_DELTA,
    AT_EPS,
    Bound,
    ComparedProtocol,
    Comparison,
    Grid,
    Promise,
    family_case,
    family_variation_ratio,
    in_a_row,
)
from exactdp.studies.counterexamples.promises import FORMULAS

_BITS: Final = 18
"""Accuracy of e^eps - 1: five digits, and bounds differ from the ends by a thousandth and more."""

_RATIO_DIGITS: Final = 4
_DIGITS: Final = 5
"""Of an eps in words, at least."""

_NOTHING: Final = Interval(Dyadic.of(0), Dyadic.of(0))
_CERTAIN: Final = Interval(Dyadic.of(1), Dyadic.of(1))
"""delta is 0 from eps0 on, and at most 1 at eps = 0, where the bounds from blankets say nothing."""


Ends = tuple[Fraction, Fraction]
"""Two numbers with an e^eps between them."""


def promised_exp_eps(bound: Bound, case: ComparedProtocol, delta: Fraction) -> Ends:
    """Return an e^eps at which the published delta is above a target, and one at which it is not; at most e^eps0.

    Raises:
        HypothesisError: where the bound says nothing about the case.
        TooLargeError: where its delta is out of reach at an e^eps that is asked.

    >>> from exactdp.studies.counterexamples.comparison import response_case
    >>> ends = promised_exp_eps(AT_EPS["stronger-clones"], response_case(1000, 2, Fraction(3)), Fraction(1, 10**6))
    >>> [decimal_text(end, 6, up=True) for end in ends]
    ['1.18328', '1.18328']
    """

    def end(exp_eps: Real, relative_bits: int) -> Interval:
        level = exp_eps.coefficient
        if level >= case.exp_eps0:
            return _NOTHING
        try:
            value = bound(case, level, relative_bits=relative_bits)
        except HypothesisError:
            if level > 1:
                raise
            value = _CERTAIN
        except TooLargeError:  # near eps0, where hardly anything is left: the exact number of few users
            value = bound(case, level)
        enclosed = value if isinstance(value, Interval) else Interval.around(value, relative_bits=relative_bits)
        return enclosed if level > 1 or not enclosed.lo > delta else _CERTAIN  # from where the search is the shortest

    low, high = exp_eps_of_end(end, delta, _BITS)
    return low, min(high, case.exp_eps0)


def _true_eps(case: ComparedProtocol, delta: Fraction) -> Interval:
    """Return the interval between the proved ends of eps at a delta."""
    eps = case.profile().epsilon(delta, relative_bits=_BITS)
    return eps.enclose() if isinstance(eps, LogRational) else eps


_OF_ANY: Final = ("clones", "stronger-clones", "hoeffding-blanket-generic", "bennett-blanket-generic")
"""Bounds for every eps0-DP randomizer: they know n and e^eps0 only."""

_CLOSED_OF_ANY: Final = ("clones-closed", "stronger-clones-closed", "stronger-clones-refined")
"""The same, of the form "eps at delta"."""

PromisedLevel = Callable[[ComparedProtocol, Fraction], Ends]


def level_of(promise: Promise) -> PromisedLevel:
    """Return from a case and a delta to the e^eps that somebody promises, whichever of the two he gives.

    A delta that is given need not fall with eps: the larger of the two e^eps is promised all the same.
    """
    if promise.gives_delta:
        return partial(promised_exp_eps, promise.bound or (lambda case, level, **bits: promise.says(case, level)))

    def level(case: ComparedProtocol, delta: Fraction) -> Ends:
        low, high = fraction_ends(promise.says(case, delta))
        return min(low, case.exp_eps0), min(high, case.exp_eps0)

    return level


def _promises(case: ComparedProtocol) -> dict[str, PromisedLevel]:
    """Return what is published about a randomizer, by name."""
    if case.k is not None:
        at_eps, at_delta = AT_EPS, tuple(AT_DELTA)
    else:
        family = case.randomizer.family
        own: dict[str, Bound] = {} if family is None else {f"variation-ratio-{family.name}": family_variation_ratio}
        at_eps, at_delta = {name: AT_EPS[name] for name in _OF_ANY} | own, _CLOSED_OF_ANY
    promises: dict[str, PromisedLevel] = {name: partial(promised_exp_eps, bound) for name, bound in at_eps.items()}
    return promises | {name: level_of(Promise.published(name)) for name in at_delta}


def compared_at(
    case: ComparedProtocol,
    delta: Fraction,
    kept: dict[object, Ends] | None = None,
    promises: Mapping[str, PromisedLevel] | None = None,
) -> Iterator[Comparison]:
    """Compare the eps of every bound that says something about a family with the true one, at one delta.

    ``promises`` stand in the place of those that are published. ``kept`` remembers what is promised to every
    randomizer with one e^eps0.
    """
    exact, known = _true_eps(case, delta), {} if kept is None else kept
    for name, promise in (_promises(case) if promises is None else promises).items():
        key = (name, case.n, case.exp_eps0, delta)
        with suppress(HypothesisError):
            low, high = ends = known[key] if key in known else promise(case, delta)
            if name in _OF_ANY:
                known[key] = ends
            eps = Interval(LogRational(low).enclose().lower, LogRational(high).enclose().upper)
            exp_eps = Interval.between(low, high, bits=DEFAULT_RELATIVE_BITS)
            yield Comparison(name, case.label, case.n, exp_eps, eps, exact, case, delta)


# --- Grids ----------------------------------------------------------------------------------------------------------

_USERS: Final = (10**3, 10**4, 10**5, 10**6)
_SIZES: Final = (2, 3, 4, 16, 100)
"""k of the responses."""
_RATIOS: Final = tuple(map(Fraction, ("7389/1000", "55")))
_LARGE_RATIOS: Final = (*_RATIOS, Fraction(3), Fraction(20))
_FAMILY_RATIOS: Final = tuple(map(Fraction, ("3", "7389/1000")))
_LARGE_FAMILY_RATIOS: Final = (*_FAMILY_RATIOS, Fraction(20), Fraction(55))
"""7389/1000 stands for e^2."""
_ANY_USERS: Final = (10**2, *_USERS, 10**7)
_ANY_RATIOS: Final = (Fraction(3, 2), Fraction(3), _FAMILY_RATIOS[1], Fraction(55))
_DELTAS: Final = (Fraction(1, 10**6),)
_LARGE_DELTAS: Final = (*_DELTAS, Fraction(1, 10**9))
_INPUTS: Final = 16
_TOP: Final = 4
"""The clipped Laplace sends 0 to 4."""


def _families(ratio: Fraction) -> tuple[FamilyRandomizer, ...]:
    return (
        UnaryEncoding(_INPUTS, exp_eps0=ratio),
        UnaryEncoding(_INPUTS, exp_eps0=ratio, optimized=True),
        SubsetSelection(_INPUTS, exp_eps0=ratio),
        HadamardResponse(_INPUTS - 1, exp_eps0=ratio),
        LocalHashing(_INPUTS, exp_eps0=ratio),
        ClippedDiscreteLaplace(_TOP, exp_eps0=ratio),
    )


def _at_size(family: FamilyRandomizer, n: int, delta: Fraction) -> Iterator[Comparison]:
    return compared_at(family_case(n, family), delta, _PROMISED)


def _at_size_of_any(family: FamilyRandomizer, n: int, delta: Fraction) -> Iterator[Comparison]:
    case, stored = family_case(n, family), {name: level_of(formula.promise) for name, formula in FORMULAS.items()}
    return compared_at(case, delta, promises=_promises(case) | stored)


_PROMISED: Final[dict[object, Ends]] = {}
"""What is promised to every randomizer, of the grids below."""


# --- Words ----------------------------------------------------------------------------------------------------------

_SHOWN_RATIO: Final = Fraction("7389/1000")
"""Of the cases with this e^eps0 it is said what each tool promises."""


def _in_words(compared: Sequence[Comparison]) -> list[str]:
    """Say what each tool promises where n is least and e^eps0 stands for e^2, and what each promises that is below."""
    end = f"n={_USERS[0]}, e^eps0={exact_text(_SHOWN_RATIO)}"
    cases: dict[str, list[Comparison]] = {}
    for comparison in compared:
        if comparison.label.endswith(end):
            cases.setdefault(_at(comparison), []).append(comparison)
    return [*map(_promised_in_words, cases.values()), *(_below_in_words(one) for one in compared if one.is_below)]


def _in_words_of_any(compared: Sequence[Comparison]) -> list[str]:
    """Say of each bound how loose it is at every size, and of each formula what it is."""
    lines = []
    for name in dict.fromkeys(one.bound for one in compared):
        shown = [one for one in compared if one.bound == name and one.case and one.case.exp_eps0 == _SHOWN_RATIO]
        ratios = ", ".join(f"{one.n}: {_ratio_text(one)}" for one in shown if one.delta == _DELTAS[0])
        lines.append(f"{name} at e^eps0={exact_text(_SHOWN_RATIO)}, n: {ratios or 'says nothing'}")
    for name, stored in FORMULAS.items():
        where = f", where {', '.join(stored.where)}" if stored.where else ""
        lines.append(f"{name} is eps = {stored.text}{where}")
    return lines


def _ratio_text(one: Comparison) -> str:
    return f"{decimal_text(one.ratio or Fraction(0), _RATIO_DIGITS, up=False)}{_verdict(one)}"


def _at(comparison: Comparison) -> str:
    return f"{comparison.label}, delta={exact_text(comparison.delta or Fraction(0))}"


def _promised_in_words(listed: Sequence[Comparison]) -> str:
    low, high = _eps_text(listed[0].exact)
    promises = (f"{one.bound} {_eps_text(one.published)[1]}{_verdict(one)}" for one in listed)
    return f"{_at(listed[0])}: eps lies from {low} to {high}; promised: {', '.join(promises)}"


def _below_in_words(one: Comparison) -> str:
    """Say what is promised and what is true in as many digits as tell them apart."""
    for digits in count(_DIGITS):
        promised, true = _eps_text(one.published, digits)[1], _eps_text(one.exact, digits)[0]
        if Fraction(promised) < Fraction(true):
            break
    return f"{_at(one)}: {one.bound} promises eps = {promised}; some data set has more than {true}"


def _verdict(comparison: Comparison) -> str:
    return " (below)" if comparison.is_below else "" if comparison.holds else " (between)"


def _eps_text(eps: Fraction | Interval, digits: int = _DIGITS) -> tuple[str, str]:
    low, high = fraction_ends(eps)
    return decimal_text(low, digits, up=False), decimal_text(high, digits, up=True)


def _grid(
    name: str,
    what: str,
    ratios: tuple[Iterable[Fraction], Iterable[Fraction]],
    families: Callable[[Fraction], Iterable[FamilyRandomizer]],
    at: Callable[..., Iterator[Comparison]] = _at_size,
    users: tuple[int, ...] = _USERS,
    in_words: Callable[[Sequence[Comparison]], list[str]] = _in_words,
) -> Grid:
    """Return a grid of the families of each e^eps0, with its small and its large ones."""

    def points(large: bool) -> Iterator[tuple[Any, ...]]:
        made = (family for ratio in ratios[large] for family in families(ratio))
        return product(made, users, _LARGE_DELTAS if large else _DELTAS)

    small, large = (
        f"{what}; n = {in_a_row(users)}; e^eps0 = {in_a_row(some)}; eps at delta = {in_a_row(deltas)}"
        for some, deltas in zip(ratios, (_DELTAS, _LARGE_DELTAS), strict=True)
    )
    return Grid(name, small, large, points, at, "published eps over the upper end of the true one", in_words)


_RESPONSES: Final = f"k-ary randomized response, k = {in_a_row(_SIZES)}"
_FAMILIES: Final = (
    f"unary encoding (symmetric, optimized), subset selection and local hashing of {_INPUTS} inputs, Hadamard response "
    f"of {_INPUTS - 1}, clipped discrete Laplace on 0 to {_TOP}"
)

_ANY: Final = "every eps0-DP randomizer together; published bounds, and formulas of theorems and of programs"

SIZE_GRIDS: Final = (
    _grid(
        "response-sizes",
        _RESPONSES,
        (_RATIOS, _LARGE_RATIOS),
        lambda ratio: [KAryResponse(k, exp_eps0=ratio) for k in _SIZES],
    ),
    _grid("family-sizes", _FAMILIES, (_FAMILY_RATIOS, _LARGE_FAMILY_RATIOS), _families),
    _grid(
        "any-sizes",
        _ANY,
        (_ANY_RATIOS, _ANY_RATIOS),
        lambda ratio: [any_randomizer(exp_eps0=ratio)],
        _at_size_of_any,
        _ANY_USERS,
        _in_words_of_any,
    ),
)
"""Every grid of real sizes, in the order in which they are run."""
