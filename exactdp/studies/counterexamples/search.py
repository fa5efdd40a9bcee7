"""The least exact counterexample to a statement, among small instances in a stated order.

A space is a product of axes: ranges of integers, lists of rational numbers between two ends, or finite lists of
anything. Its instances come by their *size*: first by the integers, in the order in which the axes are given, then by
the sum of the numerators and denominators of the rationals, then by the rationals themselves and by places in lists. So
"the least counterexample" has a meaning that does not depend on how it was looked for, and a search that finds none
says what it covered: every instance of the space.

The statement is a function that answers exactly, True where the instance satisfies it; InvalidValueError from it means
that the instance is outside the statement's hypotheses, and is skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import gcd, prod
from typing import Any, Final

from exactdp.claims.certificate import Certificate, Verdict
from exactdp.claims.certify import certify
from exactdp.claims.claim import Claim
from exactdp.errors import InvalidValueError, TooLargeError, UndecidedError
from exactdp.numbers.exact import Exact, as_fraction, as_integer
from exactdp.numbers.formats import about, short
from exactdp.progress import Progress, progress_callback, with_progress

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
        return iter(sorted(self._listed(), key=lambda x: (_size(x), x)))

    def _listed(self) -> Iterator[Fraction]:
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
        progress: told of the instances that are finished; see :mod:`exactdp.progress`.

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
