"""Unbiased linear estimates of frequencies, as data: what each message counts for, and the law of that for each user.

The estimate of how many of n users hold an input is the sum of what their messages count for, and of an offset for
each user. What one user counts for has the mean 1 if he holds the input, and 0 if not; so the estimate is unbiased on
every data set, and its error is a sum of n independent numbers S of mean 0. Their variances, their sizes and the ratios
E|S|^3 / E S^2 are all that bounds of the error ask (:mod:`exactdp.laws.tails`). The variance of the sum is linear
in the numbers of holders of each input, and so largest where all users hold one input.

*Supports.* A message that supports the input counts for 1 / (p* - q*), and each user for -q* / (p* - q*), as
:mod:`exactdp.mechanisms.support_family` has it. Who sends several independent messages counts for their sum.

*Tables.* Let f be the counts of a user's messages and a 1, with the mean A_x under input x. Weights w are unbiased for
v where A w = e_v. Of these, least squares takes those with the least mean of E_x (f w)^2 over all inputs x: as the
means of f w are given, that is the least variance where all inputs are held equally often. Of one message for each
user, with D the diagonal of the mean row, w = D^-1 A^T (A D^-1 A^T)^-1 e_v, a weighted pseudo-inverse of the table, and
the estimates of all inputs sum to n: D^-1 A^T times (1/k, ..., 1/k) is (1, ..., 1). They exist if and only if the rows
A_x are linearly independent.

Source: WangBlockiLiJha2017, section 3 (the estimator of supports, while that of tables is least squares).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, NamedTuple, TypeAlias

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.numbers.formats import short
from exactdp.numbers.rationals import reduced_rows

_Row: TypeAlias = Sequence[tuple[tuple[int, ...], Fraction]]

_MAX_TERMS: Final = 2 * 10**6
"""Most estimates times entries of a table: some ten seconds."""
_MAX_UNKNOWNS: Final = 200
"""Most messages and inputs of a table whose users send several messages: a system of equations without a shape."""


class Term(NamedTuple):
    """So many independent numbers of one law, centred: value -> probability."""

    times: int
    law: tuple[tuple[Fraction, Fraction], ...]

    @property
    def variance(self) -> Fraction:
        """The variance of one of them."""
        return sum((value**2 * p for value, p in self.law), Fraction(0))

    @property
    def most(self) -> Fraction:
        """How far one of them is from its mean at most."""
        return max(abs(value) for value, _ in self.law)

    @property
    def skew(self) -> Fraction:
        """E |S|^3 / E S^2, at most ``most``; 0 where the number is certain."""
        cubes = sum((abs(value) ** 3 * p for value, p in self.law), Fraction(0))
        return cubes / self.variance if cubes else Fraction(0)

    @classmethod
    def of(cls, law: Mapping[Fraction, Fraction], times: int = 1) -> Term:
        """Return independent numbers of a law, centred."""
        mean = sum((value * p for value, p in law.items()), Fraction(0))
        return cls(times, tuple((value - mean, p) for value, p in law.items() if p))


class Score(NamedTuple):
    """What a user counts for who holds an input, less its mean: a sum of independent terms."""

    held: str
    terms: tuple[Term, ...]

    @property
    def variance(self) -> Fraction:
        """Of what one user counts for."""
        return sum((term.times * term.variance for term in self.terms), Fraction(0))


@dataclass(frozen=True, slots=True)
class LinearEstimate:
    """The estimate of the number of holders of an input."""

    value: str
    """The input, in words where the estimates of others look alike."""
    weights: tuple[tuple[str, Fraction], ...]
    """What a message counts for, with the messages in words where they are many."""
    offset: Fraction
    """What each user counts for, whatever is sent."""
    scores: tuple[Score, ...]
    """Of each kind of input that users may hold."""

    @property
    def worst(self) -> Score:
        """The first score of the largest variance: the data set on which all users hold such an input is the worst."""
        return max(self.scores, key=lambda score: score.variance)

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms of all scores."""
        return tuple(term for score in self.scores for term in score.terms)

    @property
    def binary_chances(self) -> tuple[Fraction, Fraction] | None:
        """How likely holders, and others, send what counts for more, where one of two is sent; else None."""
        if any(len(score.terms) != 1 or score.terms[0].times != 1 for score in self.scores):
            return None
        gaps, chances = set[Fraction](), set[Fraction]()
        for score in self.scores:
            law = score.terms[0].law
            if len(law) != 2:
                return None
            (low, _), (high, chance) = sorted(law)
            gaps.add(high - low)
            chances.add(chance)
        likely, unlikely = max(chances), min(chances)
        return (likely, unlikely) if len(chances) == 2 and gaps == {1 / (likely - unlikely)} else None

    @classmethod
    def of_supports(
        cls, likely: Fraction, unlikely: Fraction, own: int, dummies: int, share: Fraction
    ) -> LinearEstimate:
        """Return the estimate of any input from the messages that support it (``SupportChances``)."""
        if likely == unlikely:
            raise InvalidValueError(
                "the messages do not tell the inputs apart: each supports every input with the same probability, so no "
                "estimate of their numbers is unbiased. Use a larger exp_eps0, or a smaller size."
            )
        unit = 1 / (own * (likely - unlikely))

        def score(held: str, chance: Fraction) -> Score:
            counts = [(chance, own), (share, dummies)]
            return Score(held, tuple(Term.of({unit: p, Fraction(0): 1 - p}, times) for p, times in counts if times))

        offset = -unit * (own * unlikely + dummies * share)
        scores = (score("the input", likely), score("another input", unlikely))
        return cls("any", (("that support the input", unit),), offset, scores)


def least_squares(inputs: Sequence[Any], alphabet: Sequence[Any], rows: Sequence[_Row]) -> tuple[LinearEstimate, ...]:
    """Return the estimates of all inputs of a table, with the least variance where all are held equally often.

    Args:
        inputs, alphabet: the labels of the rows, and of the messages.
        rows: the law of each input over tuples of places of messages.

    Raises:
        InvalidValueError: where rows are linearly dependent, so that no linear estimate is unbiased.
        TooLargeError: for large tables.

    >>> from exactdp.mechanisms.randomizer import Randomizer
    >>> flip = Randomizer({0: {(0,): "3/4", (1,): "1/4"}, 1: {(0,): "1/4", (1,): "3/4"}})
    >>> [[str(weight) for _, weight in estimate.weights] for estimate in flip.linear_estimates()]
    [['3/2', '-1/2'], ['-1/2', '3/2']]
    """
    entries = sum(map(len, rows))
    if len(inputs) * entries > _MAX_TERMS:
        raise TooLargeError(
            f"the estimates of {len(inputs)} inputs from {entries} probabilities are beyond the limit of {_MAX_TERMS}. "
            "Use a family of exactdp.randomizers, or fewer inputs."
        )
    features = [_features(row, len(alphabet)) for row in rows]
    means = [
        [sum((p * f[place] for f, p in row), Fraction(0)) for place in range(len(alphabet) + 1)] for row in features
    ]
    _check_independent(inputs, means)
    is_single = all(len(sent) == 1 for row in rows for sent, _ in row)
    solved = _of_one_message(means) if is_single else _of_several(features, means)
    return tuple(
        LinearEstimate(
            str(value),
            tuple(zip(map(str, alphabet), weights[:-1], strict=True)),
            weights[-1],
            tuple(Score(str(held), (Term.of(_law(row, weights)),)) for held, row in zip(inputs, features, strict=True)),
        )
        for value, weights in zip(inputs, solved, strict=True)
    )


_Features: TypeAlias = list[tuple[dict[int, int], Fraction]]
"""Of a row: the counts of messages, and a one in the last place, with their probability."""


class _Counts(dict[int, int]):
    def __missing__(self, key: int) -> int:
        return 0


def _features(row: _Row, messages: int) -> _Features:
    return [(_Counts({**{m: sent.count(m) for m in sent}, messages: 1}), p) for sent, p in row]


def _law(row: _Features, weights: Sequence[Fraction]) -> dict[Fraction, Fraction]:
    law: dict[Fraction, Fraction] = {}
    for counts, p in row:
        value = sum((weights[place] * times for place, times in counts.items()), Fraction(0))
        law[value] = law.get(value, Fraction(0)) + p
    return law


def _check_independent(inputs: Sequence[Any], means: list[list[Fraction]]) -> None:
    """Refuse rows of which one is a linear combination of those before."""
    rows, leading = reduced_rows(list(zip(*means, strict=True)))
    if dependent := [place for place in range(len(means)) if place not in leading]:
        parts = [(row[dependent[0]], inputs[place]) for row, place in zip(rows, leading, strict=True)]
        said = " + ".join(f"{short(part)} times that of {short(repr(value))}" for part, value in parts if part)
        raise InvalidValueError(
            f"the messages do not tell the inputs apart: the mean row of {short(repr(inputs[dependent[0]]))} is "
            f"{said}, so no estimate of frequencies is unbiased. Merge such inputs, or change a row."
        )


def _of_one_message(means: list[list[Fraction]]) -> list[list[Fraction]]:
    """Return D^-1 A^T (A D^-1 A^T)^-1, the weights of each input in a row, with an offset of 0."""
    size, messages = len(means), len(means[0]) - 1
    inverse = [1 / total if (total := sum((row[m] for row in means), Fraction(0))) else total for m in range(messages)]
    scaled = [[row[m] * inverse[m] for m in range(messages)] for row in means]
    gram = [[sum(map(_times, first, second), Fraction(0)) for second in means] for first in scaled]
    unit = [[Fraction(row == column) for column in range(size)] for row in range(size)]
    solved, _ = reduced_rows([[*row, *ones] for row, ones in zip(gram, unit, strict=True)])
    parts = [row[size:] for row in solved]  # symmetric
    return [
        [*(sum(map(_times, part, column), Fraction(0)) for column in zip(*scaled, strict=True)), Fraction(0)]
        for part in parts
    ]


def _times(first: Fraction, second: Fraction) -> Fraction:
    return first * second if first and second else Fraction(0)


def _of_several(features: list[_Features], means: list[list[Fraction]]) -> list[list[Fraction]]:
    """Return weights w with the least w S w for A w = e_v, by S w + A^T l = 0, where S is the mean of f f^T."""
    inputs, size = len(means), len(means[0])
    if inputs + size > _MAX_UNKNOWNS:
        raise TooLargeError(
            f"the estimates of {inputs} inputs from bundles of {size - 1} kinds of messages are beyond the limit of "
            f"{_MAX_UNKNOWNS} together. Use one message for each user, or fewer inputs."
        )
    square = [[Fraction(0)] * size for _ in range(size)]
    for row in features:
        for counts, p in row:
            for first, times in counts.items():
                for second, others in counts.items():
                    square[first][second] += p * times * others
    matrix = [[*line, *(row[place] for row in means), *[Fraction(0)] * inputs] for place, line in enumerate(square)] + [
        [*row, *[Fraction(0)] * inputs, *(Fraction(place == value) for value in range(inputs))]
        for place, row in enumerate(means)
    ]
    solved, leading = reduced_rows(matrix)
    weights = [[Fraction(0)] * size for _ in range(inputs)]
    for line, place in zip(solved, leading, strict=True):
        if place < size:  # weights that are free, of messages that are never sent, say, are 0
            for value in range(inputs):
                weights[value][place] = line[size + inputs + value]
    return weights
