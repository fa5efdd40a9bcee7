"""Searches by name: published bounds and statements from the literature, each over a space of small instances.

A search asks :func:`exactdp.studies.counterexamples.search.search` for the least instance at which a statement fails,
first by the number of users, then by the sum of numerators and denominators. Those of bounds compare the published
number with the exact worst case; those of false statements find the witness that proofs and tests use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, Final, TypeAlias

from exactdp.claims.statement import shown
from exactdp.errors import InvalidValueError, UndecidedError
from exactdp.numbers.formats import short
from exactdp.privacy.divergence import hockey_stick_divergence
from exactdp.protocols.mixing.component_bound import published_split_and_mix_distance
from exactdp.protocols.mixing.split_and_mix_protocol import split_and_mix
from exactdp.protocols.protocol import ShuffleProtocol
from exactdp.studies.counterexamples.comparison import (
    AT_DELTA,
    AT_EPS,
    Comparison,
    Promise,
    at_threshold,
    is_quoted,
    random_case,
    response_case,
)
from exactdp.studies.counterexamples.search import Axis, Rationals, Search, search

Axes: TypeAlias = Mapping[str, Axis]


@dataclass(frozen=True, slots=True)
class NamedSearch:
    """A statement, the space in which a counterexample is looked for, and how one is explained.

    ``holds`` answers exactly for one instance; ``explain`` says in lines what fails at it. ``more`` are the axes of the
    larger space, as far as they differ.
    """

    name: str
    statement: str
    axes: Axes = field(repr=False)
    more: Axes = field(repr=False)
    holds: Callable[..., bool] = field(repr=False)
    explain: Callable[..., list[str]] = field(repr=False)


def run_search(named: NamedSearch, *, large: bool = False, watch: Callable[[int], None] | None = None) -> Search:
    """Run a search, in its larger space where ``large``; ``watch`` is told how many instances have been looked at."""
    axes = {**named.axes, **named.more} if large else dict(named.axes)
    seen = 0

    def statement(**instance: Any) -> bool:
        nonlocal seen
        seen += 1
        if watch is not None:
            watch(seen)
        return named.holds(**instance)

    return search(statement, **axes)


# --- Bounds ---------------------------------------------------------------------------------------------------------


def _decided(comparison: Comparison) -> bool:
    """Whether the bound holds; UndecidedError where neither it nor its opposite is proved."""
    if comparison.holds or comparison.is_below:
        return comparison.holds
    raise UndecidedError(
        f"{comparison!r}: the two agree to the accuracy of the enclosures. Ask for more relative_bits."
    )


def _lines(comparison: Comparison) -> list[str]:
    exp_eps, published, exact = map(shown, (comparison.exp_eps, comparison.published, comparison.exact))
    lines = [f"{comparison.label}, e^eps={exp_eps}", f"published delta {published}, exact delta {exact}"]
    if comparison.case is not None and isinstance(comparison.exp_eps, Fraction):
        pair = comparison.case.profile().worst_pair(exp_eps=comparison.exp_eps)
        lines.append(f"attained by {pair.first} against {pair.second} (input: users)")
    return lines


def _expect_below(exp_eps: Fraction, exp_eps0: Fraction) -> None:
    if exp_eps >= exp_eps0:
        raise InvalidValueError("delta is 0 from eps0 on. Pass a smaller eps.")


def _of_responses(promise: Promise, n: int, k: int, exp_eps0: Fraction, exp_eps: Fraction) -> Comparison:
    _expect_below(exp_eps, exp_eps0)
    return promise.compared(response_case(n, k, exp_eps0), exp_eps, relative_bits=None)


def _of_tables(promise: Promise, n: int, table: int, part: int) -> Comparison:
    case = random_case(n, table)
    if case.exp_eps0 == 1:
        raise InvalidValueError("the rows are equal. Pass another table.")
    return promise.compared(case, 1 + (case.exp_eps0 - 1) * Fraction(part, 4), relative_bits=None)


def _of_closed_forms(promise: Promise, n: int, exp_eps0: Fraction, delta: Fraction) -> Comparison:
    return promise.compared(response_case(n, 2, exp_eps0), delta)


def _of_thresholds(bound: str, tau: int, alpha: Fraction, exp_eps: Fraction) -> Comparison:
    published, refined = at_threshold(tau, alpha, exp_eps)
    return published if bound == "sample-threshold" else refined


def _compared(name: str, statement: str, compare: Callable[..., Comparison], axes: Axes, more: Axes) -> NamedSearch:
    holds, explain = lambda **at: _decided(compare(**at)), lambda **at: _lines(compare(**at))
    return NamedSearch(name, statement, axes, more, holds, explain)


_RESPONSES: Final[Axes] = {
    "n": range(1, 7),
    "k": range(2, 5),
    "exp_eps0": Rationals(1, 4, 2, high_is_closed=True),
    "exp_eps": Rationals(1, 4, 4, low_is_closed=True),
}
_MORE_RESPONSES: Final[Axes] = {"n": range(1, 9), "exp_eps0": Rationals(1, 6, 3, high_is_closed=True)}
_TABLES: Final[Axes] = {"n": range(2, 5), "table": range(300), "part": range(4)}
_MORE_TABLES: Final[Axes] = {"table": range(2000)}
_CLOSED: Final[Axes] = {
    "n": range(50, 301, 50),
    "exp_eps0": Rationals(1, 4, 2, high_is_closed=True),
    "delta": tuple(map(Fraction, ("1/2", "1/10", "1/100", "1/10000"))),
}
_MORE_CLOSED: Final[Axes] = {"n": range(50, 601, 25), "exp_eps0": Rationals(1, 9, 2, high_is_closed=True)}
_THRESHOLDS: Final[Axes] = {
    "tau": range(1, 13),
    "alpha": Rationals(0, 1, 6),
    "exp_eps": Rationals(1, 3, 3, high_is_closed=True),
}
_MORE_THRESHOLDS: Final[Axes] = {"tau": range(1, 31), "alpha": Rationals(0, 1, 10)}


def _named(bound: str) -> str:
    return f"the {bound} bound" + (", as secondary sources quote it," if is_quoted(bound) else "")


def _bound_searches() -> Iterator[NamedSearch]:
    for bound in AT_EPS:
        statement = f"T{_named(bound)[1:]} is at least the exact delta of k-ary randomized response."
        yield _compared(bound, statement, partial(_of_responses, Promise.published(bound)), _RESPONSES, _MORE_RESPONSES)
    for bound in ("clones", "stronger-clones", "hoeffding-blanket-generic", "bennett-blanket-generic"):
        statement = f"The {bound} bound is at least the exact delta of random single-message tables."
        yield _compared(
            f"{bound}-tables", statement, partial(_of_tables, Promise.published(bound)), _TABLES, _MORE_TABLES
        )
    for bound in AT_DELTA:
        statement = f"At the eps of {_named(bound)} the exact delta of randomized response of bits is at most delta."
        yield _compared(bound, statement, partial(_of_closed_forms, Promise.published(bound)), _CLOSED, _MORE_CLOSED)
    for bound in ("sample-threshold", "sample-threshold-refined"):
        statement = f"The {bound} bound is at least the exact delta, for every number of holders."
        yield _compared(bound, statement, partial(_of_thresholds, bound), _THRESHOLDS, _MORE_THRESHOLDS)


# --- False statements -----------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _divergences(n: int, exp_eps0: Fraction, exp_eps: Fraction) -> tuple[Fraction, ...]:
    """Return, for m = 0, ..., n - 1 other users with the bit 1, the divergence of a user's bit 1 against 0."""
    _expect_below(exp_eps, exp_eps0)
    protocol = ShuffleProtocol(response_case(n, 2, exp_eps0).randomizer, n)
    laws = [protocol.law({0: n - ones, 1: ones}) for ones in range(n + 1)]
    return tuple(hockey_stick_divergence(laws[m + 1], laws[m], exp_eps=exp_eps) for m in range(n))


def _worst_is_an_end(n: int, exp_eps0: Fraction, exp_eps: Fraction) -> bool:
    values = _divergences(n, exp_eps0, exp_eps)
    return max(values) == max(values[0], values[-1])


def _is_unimodal(n: int, exp_eps0: Fraction, exp_eps: Fraction) -> bool:
    values = _divergences(n, exp_eps0, exp_eps)
    top = values.index(max(values))
    rising, falling = list(values[: top + 1]), list(values[top:])
    return rising == sorted(rising) and falling == sorted(falling, reverse=True)


def _explain_divergences(n: int, exp_eps0: Fraction, exp_eps: Fraction) -> list[str]:
    values = ", ".join(map(short, _divergences(n, exp_eps0, exp_eps)))
    return [f"divergence beside 0, ..., {n - 1} other ones: {values}"]


def _worst_ratio(n: int, gamma: Fraction, alpha: Fraction) -> Fraction:
    """Return the largest P[Y = y] / P[Y = y + 1] over the integers y with (1-a) mu + 1 <= y <= (1+a) mu - 1."""
    mean = n * gamma
    if alpha * mean < 2:
        raise InvalidValueError("Lemma 3 needs 1 <= alpha gamma n / 2. Pass a larger n.")
    top = ((1 + alpha) * mean - 1).__floor__()
    return (1 - gamma) / gamma * Fraction(top + 1, n - top)


def _explain_ratio(n: int, gamma: Fraction, alpha: Fraction) -> list[str]:
    return [f"the ratio is {_worst_ratio(n, gamma, alpha)}, more than 1 + alpha = {1 + alpha}"]


def _average_case_bounds_all(n: int) -> bool:
    """Whether the number published for uniform inputs bounds the distance of every two data sets of bits."""
    published = published_split_and_mix_distance(n, modulus=2, messages=3, average=True)
    protocol = split_and_mix(n, modulus=2, messages=3)
    return protocol.distance_bound().hi <= published.lo or bool(published >= protocol.worst_pair().distance)


def _explain_average_case(n: int) -> list[str]:
    worst = split_and_mix(n, modulus=2, messages=3).worst_pair()
    published = published_split_and_mix_distance(n, modulus=2, messages=3, average=True)
    return [
        f"published distance {shown(published)}, exact distance {worst.distance}",
        f"attained by {worst.first} against {worst.second} (input: users)",
    ]


_BITS: Final[Axes] = {
    "n": range(2, 9),
    "exp_eps0": Rationals(1, 6, 2, high_is_closed=True),
    "exp_eps": Rationals(1, 6, 4, low_is_closed=True),
}

_FALSE: Final = (
    NamedSearch(
        "worst-data-set-is-an-end",
        "In binary randomized response the worst other users all hold 0, or all hold 1.",
        _BITS,
        {"n": range(2, 13)},
        _worst_is_an_end,
        _explain_divergences,
    ),
    NamedSearch(
        "worst-data-set-is-unimodal",
        "In binary randomized response the divergence rises and then falls with the number of other ones.",
        _BITS,
        {"n": range(2, 13)},
        _is_unimodal,
        _explain_divergences,
    ),
    NamedSearch(
        "smoothness-factor-as-printed",
        "In Lemma 3, P[Y = y] / P[Y = y + 1] <= 1 + alpha on the good event, for Y ~ Bin(n, gamma).",
        {"n": range(1, 41), "gamma": Rationals(0, "1/2", 8, high_is_closed=True), "alpha": Rationals(0, 1, 8)},
        {"n": range(1, 101)},
        lambda **at: _worst_ratio(**at) <= 1 + at["alpha"],
        _explain_ratio,
    ),
    NamedSearch(
        "split-and-mix-average-case",
        "Split and mix of bits in m = 3 messages: the distance sqrt(2) e / n, published for uniform inputs, holds for "
        "all inputs with the same sum.",
        {"n": range(19, 201)},
        {"n": range(19, 301)},
        _average_case_bounds_all,
        _explain_average_case,
    ),
)

SEARCHES: Final[dict[str, NamedSearch]] = {named.name: named for named in (*_bound_searches(), *_FALSE)}
"""Name -> search, in the order in which they are listed."""
