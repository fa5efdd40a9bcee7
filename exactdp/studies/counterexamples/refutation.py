"""A promise put to the test: the least instance of a grid at which a randomizer exceeds it, certified; real sizes.

A promise says of n users of *every* eps0-DP randomizer in scope that they are (eps, delta)-DP. Its instances are the n,
e^eps0 and delta (or e^eps, where it gives delta) of a grid, and the randomizers in scope, which are given by name and
made with every e^eps0. They come by n, then e^eps0, then 1/delta. It is *refuted* at an instance where the lower proved
end of the exact delta, that of two actual data sets, is above what is promised, of which the upper end counts: at the
e^eps that is promised, or at the one that is asked. Every eps0-DP randomizer together is a scope too, the default.

At real sizes the promised eps is compared with the proved ends of the true one, at one delta. Where nothing is refuted,
the ratios say how loose the promise is: on the grid of delta to the exact one, at real sizes of eps to the upper end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from exactdp.claims.certificate import Certificate, Verdict
from exactdp.claims.certify import certify
from exactdp.claims.claim import Claim
from exactdp.errors import ExactDPError, HypothesisError, InvalidValueError
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.formats import decimal_text, number_text
from exactdp.numbers.interval import Interval, fraction_ends
from exactdp.protocols.naming.targets import read_randomizer
from exactdp.protocols.protocol import ShuffleProtocol
from exactdp.studies.counterexamples.catalogue import NamedSearch, run_search
from exactdp.studies.counterexamples.comparison import (
    ComparedProtocol,
    Comparison,
    Promise,
    Summary,
    family_case,
    summary,
)
from exactdp.studies.counterexamples.promises import PromisedRow
from exactdp.studies.counterexamples.search import Axis, Search
from exactdp.studies.counterexamples.sizes import compared_at, level_of

ANY: Final = ("@any-randomizer",)
"""Every eps0-DP randomizer: lower ends are attained by members, upper ends hold for all."""
RESPONSES: Final = tuple(f"@randomized-response:inputs={k}" for k in (2, 3, 4))
_SHORT: Final = {"any": ANY, "k-ary": RESPONSES}
_DIGITS: Final = 6


def _fractions(*texts: str) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, texts))


USERS: Final = (*range(1, 13), 15, 20, 25, 30, 40, 50, 75, 100)
EXP_EPS0: Final = _fractions("3/2", "2", "3", "5", "8", "20", "55")
DELTAS: Final = _fractions("1/10", "1/100", "1/1000", "1/10000", "1/1000000")
EXP_EPS: Final = _fractions("11/10", "5/4", "3/2", "2", "3", "5", "10")
"""The grid, unless another is given."""
SIZES: Final = (10**3, 10**4, 10**5, 10**6)
SIZE_EXP_EPS0: Final = _fractions("3", "7389/1000", "55")
SIZE_DELTA: Final = Fraction(1, 10**6)
"""Real sizes; 7389/1000 stands for e^2."""
_ROUNDINGS: Final = (12, 24, 48)
"""Bits to which what is promised is rounded up in a certificate, so long as that is refuted too."""


@dataclass(frozen=True, slots=True)
class Refutation:
    """What was found of a promise: the search on the grid, the least instance that refutes it, and real sizes."""

    promise: str
    stated: str
    """The grid."""
    search: Search
    grid: tuple[Comparison, ...] = field(repr=False)
    sizes: tuple[Comparison, ...] = field(repr=False)
    least: Comparison | None = field(repr=False)
    """The least instance that refutes it, of the grid, else of the real sizes."""
    certificate: Certificate | None = field(repr=False)
    """That the promise is exceeded there; None where nothing is refuted, or where it cannot be certified."""

    @property
    def is_refuted(self) -> bool:
        """Whether some randomizer in scope is proved to exceed the promise."""
        return self.least is not None

    @property
    def instance(self) -> Mapping[str, Any] | None:
        """The least instance by name."""
        if self.search.counterexample is not None or self.least is None or self.least.case is None:
            return self.search.counterexample
        case = self.least.case
        return {"n": case.n, "exp_eps0": case.exp_eps0, "delta": self.least.delta, "randomizer": case.label}

    @property
    def explanation(self) -> list[str]:
        """What is promised at the least instance, and what is true, in lines."""
        least = self.least
        if least is None:
            return []
        reason = [] if self.certificate is None else [self.certificate.reason]
        if least.delta is not None:
            promised, true = eps_end(least.published, up=True), eps_end(least.exact, up=False)
            return [f"promised eps {promised} at most; the true eps is {true} or more", *reason]
        if isinstance(least.exp_eps, Fraction):
            promised = f"promised delta {number_text(least.published)}"
        else:
            promised = f"promised eps {number_text(LogRational(least.exp_eps.hi).enclose())} at most"
        return [f"{promised}; there the exact delta is {number_text(least.exact)}", *reason]

    @property
    def looseness(self) -> Summary | None:
        """What the promise gives away on the grid: delta over the exact delta."""
        return summary(self.promise, "grid", self.grid) if self.grid else None

    @property
    def looseness_at_sizes(self) -> Summary | None:
        """What the promise gives away at real sizes: eps over the upper end of the true one."""
        return summary(self.promise, "real sizes", self.sizes) if self.sizes else None


def eps_end(eps: Fraction | Interval, *, up: bool) -> str:
    """Return an end of an eps, rounded to its side."""
    return decimal_text(fraction_ends(eps)[up], _DIGITS, up=up)


def scope_of(names: Iterable[str]) -> tuple[str, ...]:
    """Return the randomizers that are meant by names, of which some are short.

    >>> scope_of(["k-ary", "local-hashing:inputs=9"])[2:]
    ('@randomized-response:inputs=4', '@local-hashing:inputs=9')
    """
    full = [one for name in names for one in _SHORT.get(name, (name,))]
    return tuple(name if name.startswith("@") else f"@{name}" for name in full)


@lru_cache(maxsize=1024)
def case_of(name: str, n: int, exp_eps0: Fraction) -> ComparedProtocol:
    """Return n users of a randomizer that is named without its eps0.

    >>> case_of("@local-hashing:inputs=16", 1000, Fraction(3)).label
    'local-hashing d=16 buckets=4, n=1000, e^eps0=3'
    """
    family = read_randomizer(f"{name}{',' if ':' in name else ':'}exp-eps0={exp_eps0}").family
    if family is None:
        raise InvalidValueError(f"{name} is no family with an eps0. Name one, as @unary-encoding:inputs=16.")
    return replace(family_case(n, family), exp_eps0=exp_eps0)


def refute(
    promise: Promise,
    *,
    randomizers: Sequence[str] = ANY,
    users: Sequence[int] = USERS,
    exp_eps0: Sequence[Fraction] = EXP_EPS0,
    levels: Sequence[Fraction] | None = None,
    sizes: Sequence[int] = SIZES,
    at_sizes: Sequence[tuple[str, Fraction]] = (),
    watch: Callable[[int], None] | None = None,
) -> Refutation:
    """Search for the least instance at which a randomizer in scope exceeds a promise.

    Args:
        promise: what is promised of every randomizer in scope; :mod:`exactdp.studies.counterexamples.promises`.
        randomizers: names without eps0, as ``"@unary-encoding:inputs=16"``.
        users, exp_eps0, levels: the grid, each from the least on; levels of delta, from the largest on, or of e^eps.
        sizes: numbers of users at which the promised eps is compared with the true one.
        at_sizes: the randomizers of that comparison, each with its e^eps0; by default those in scope, with three.
        watch: told of the instances that are looked at.

    Raises:
        InvalidValueError: where nothing is promised at any instance, or a randomizer has no eps0 to be made with.

    >>> from exactdp.studies.counterexamples.promises import promised_by_formula
    >>> found = refute(promised_by_formula("eps0/n", "eps"), users=[1, 2], exp_eps0=[Fraction(2)], sizes=())
    >>> found.stated
    'n = 1, 2; exp_eps0 = 2; delta = 1/10, 1/100, 1/1000, 1/10000, 1/1000000; randomizer = @any-randomizer'
    >>> [str(value) for value in found.instance.values()], found.certificate.verdict.value
    (['2', '2', '1/10', '@any-randomizer'], 'REFUTED')

    Cost: of one bracket of delta for each instance at which less than eps0 is promised, 0.05 s for every randomizer.
    """
    for name in randomizers:  # what is no family is an error, not an instance without a promise
        case_of(name, 1, Fraction(2))
    at = "exp_eps" if promise.gives_delta else "delta"
    axes: dict[str, Axis] = {
        "n": tuple(users),
        "exp_eps0": tuple(exp_eps0),
        at: tuple(levels or (EXP_EPS if promise.gives_delta else DELTAS)),
        "randomizer": tuple(randomizers),
    }

    def compared(n: int, exp_eps0: Fraction, randomizer: str, **level: Fraction) -> Comparison:
        if promise.gives_delta and level[at] >= exp_eps0:
            raise HypothesisError("delta is 0 from eps0 on. Pass a smaller eps.")
        return promise.compared(case_of(randomizer, n, exp_eps0), level[at])

    stated = "; ".join(f"{name} = {listed(axis)}" for name, axis in axes.items())
    at_sizes = at_sizes or [(name, ratio) for ratio in SIZE_EXP_EPS0 for name in randomizers]
    return _judged(promise, stated, axes, compared, _at_sizes(promise, at_sizes, sizes), watch)


def refute_rows(
    rows: Sequence[PromisedRow],
    *,
    name: str,
    randomizers: Sequence[str] = ANY,
    watch: Callable[[int], None] | None = None,
) -> Refutation:
    """Search for the least row of a table at which a randomizer in scope exceeds what it promises."""

    def compared(promise: PromisedRow, randomizer: str) -> Comparison:
        return promise.promise.compared(case_of(randomizer, promise.n, promise.exp_eps0), promise.delta)

    table = Promise(name, False, lambda case, at: case.exp_eps0)
    axes = {"promise": tuple(rows), "randomizer": tuple(randomizers)}
    stated = f"the {len(rows)} rows of {name}; randomizer = {listed(randomizers)}"
    return _judged(table, stated, axes, compared, iter(()), watch)


def listed(values: Iterable[object]) -> str:
    """Return values in words: three or more integers in a row by their ends.

    >>> listed([1, 2, 3, 4, 6, Fraction(1, 2)])
    '1 to 4, 6, 1/2'
    """
    runs: list[list[object]] = []
    for value in values:
        last = runs[-1][-1] if runs else None
        if isinstance(value, int) and isinstance(last, int) and value == last + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)


def _at_sizes(promise: Promise, at_sizes: Sequence[tuple[str, Fraction]], sizes: Sequence[int]) -> Iterator[Comparison]:
    promised = {promise.name: level_of(promise)}
    for n in sizes:
        for randomizer, exp_eps0 in at_sizes:
            yield from compared_at(case_of(randomizer, n, exp_eps0), SIZE_DELTA, promises=promised)


def _judged(
    promise: Promise,
    stated: str,
    axes: Mapping[str, Axis],
    compared: Callable[..., Comparison],
    sizes: Iterator[Comparison],
    watch: Callable[[int], None] | None,
) -> Refutation:
    grid: list[Comparison] = []
    refusals = [""]

    def holds(**instance: Any) -> bool:
        try:
            grid.append(compared(**instance))
        except InvalidValueError as error:
            refusals[:] = [f" Refused: {error}"]
            raise
        return not grid[-1].is_below

    named = NamedSearch(promise.name, promise.name, axes, {}, holds, lambda **_: [])
    found = run_search(named, watch=watch)
    large = tuple(sizes)
    if not found.tried and not large:
        raise InvalidValueError(f"{promise.name} promises nothing at any instance of {stated}.{refusals[0]}")
    below = [one for one in (*grid[-1:], *large) if one.is_below]
    least = below[0] if below else None
    certificate = None if least is None else _certificate(promise, least)
    return Refutation(promise.name, stated, found, tuple(grid), large, least, certificate)


def _certificate(promise: Promise, least: Comparison) -> Certificate | None:
    """Return the certificate that what is promised, rounded up a little, is exceeded."""
    case = least.case
    assert case is not None
    protocol = ShuffleProtocol(case.randomizer, case.n)
    gives_delta = promise.gives_delta and least.delta is None
    said = fraction_ends(least.published if gives_delta else least.exp_eps)[1]
    for value in (*_rounded_up(said), said):
        if gives_delta:
            level, delta = fraction_ends(least.exp_eps)[1], value
        else:
            level, delta = max(Fraction(1), value), least.delta or fraction_ends(least.published)[1]
        try:
            certificate = certify(Claim.shuffle_dp(protocol, exp_eps=level, delta=delta))
        except ExactDPError:
            continue
        if certificate.verdict is Verdict.REFUTED and certificate.witness is not None:
            return certificate
    return None


def _rounded_up(value: Fraction) -> Iterator[Fraction]:
    """Yield short numbers above a number, nearer and nearer."""
    size = value.numerator.bit_length() - value.denominator.bit_length()
    for bits in _ROUNDINGS:
        scale = Fraction(2) ** (bits - size)
        yield -(-value * scale // 1) / scale
