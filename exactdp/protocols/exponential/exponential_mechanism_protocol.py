"""The exponential mechanism for a finite score table: better answers are likelier, by a factor that eps bounds.

On a data set x it answers r with a probability proportional to e^(eps u(x, r) / (2 Du)), where u(x, r) is the score of
r and Du, the sensitivity, bounds the change of u(x, r) over all r and all neighbours x.

**Privacy.** It is (eps, 0)-DP. Between neighbours each weight changes by a factor of at most e^(eps/2), and so does the
sum of all weights: each probability changes by at most e^eps. The least eps of a table is smaller, and is what
:meth:`ExponentialMechanism.privacy_profile` finds, as is delta at every eps below it.

**Utility.** On every data set the answer's score is at most OPT - (2 Du / eps) (ln m + c) with probability at most
e^-c, for m answers and OPT the largest score: each such answer has at most e^-c / m of the weight of a best one, and
there are at most m of them.

**Exactness.** With E = e^eps rational, the ratios of weights are E^(d / (2 Du)) with differences d of scores. They are
rational where E has the roots that are asked for: for integer scores and Du = 1 where E is a square. Then laws, delta
and eps are exact; else probabilities are enclosed, and every order of two of them is decided
(:mod:`exactdp.protocols.exponential.score_pairs`).

Source: McSherryTalwar2007; DworkRoth2014, Theorems 3.10 and 3.11.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import ceil
from typing import Any, Final

from exactdp.errors import InvalidDataSetError, InvalidValueError, TooLargeError, UndecidedError
from exactdp.evidence.theorems import relies_on
from exactdp.laws.finite import Law
from exactdp.mechanisms.dataset import Neighbors, read_neighbors
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.epsilon import LogRational, PrivacyLevel, read_privacy_level
from exactdp.numbers.exact import (
    DEFAULT_RELATIVE_BITS,
    Exact,
    as_fraction,
    as_integer,
    as_probability,
    as_relative_bits,
)
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import about, short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.profile import PrivacyProfile
from exactdp.privacy.shuffle.scan import DEFAULT_LIMIT
from exactdp.protocols.exponential.score_pairs import ScorePairs, ScoreWeights, primitive_root
from exactdp.protocols.interface import Protocol

MAX_WORK: Final = 10**6
"""Most pairs of data sets times answers: some seconds for one delta."""
MAX_WEIGHT_BITS: Final = 2**16
"""Weights that are further apart than 2 to this are refused: no such answer is ever given."""
_ROOT_BITS: Final = 2**12
"""Longest exp_eps: its roots are searched one by one."""
_DECIDING_BITS: Final = (64, 256, 1024, 4096)
"""Accuracies one after another; the first decides most probabilities."""


@dataclass(frozen=True, slots=True)
class Utility:
    """What the theorem says of the answer's score, and what is true.

    Args:
        loss: the score is at most OPT - loss with probability at most beta, on every data set.
        probability: that of such a score on the data set where it is likeliest: at most beta.
        dataset: this data set.
    """

    loss: Interval
    probability: Fraction | Interval
    dataset: Any


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ExponentialMechanism(Protocol):
    """The exponential mechanism of a finite score table; made by :func:`exponential_mechanism`.

    ``scores`` has a row for each of ``datasets``, in the order of ``answers``; ``pairs`` are the places of neighbours.
    """

    datasets: tuple[Any, ...]
    answers: tuple[Any, ...]
    scores: tuple[tuple[Fraction, ...], ...]
    pairs: tuple[tuple[int, int], ...]
    sensitivity: Fraction
    level: PrivacyLevel
    """The eps that is promised."""
    weights: ScoreWeights

    def __init__(
        self,
        table: Mapping[Any, Mapping[Any, Fraction]],
        pairs: tuple[tuple[int, int], ...],
        sensitivity: Fraction,
        level: PrivacyLevel,
    ) -> None:
        answers = tuple(next(iter(table.values())))
        scores = tuple(tuple(exact_answer(row[answer]) for answer in answers) for row in table.values())
        weights = _weights(scores, sensitivity, level)
        set_fields(
            self,
            datasets=tuple(table),
            answers=answers,
            scores=scores,
            pairs=pairs,
            sensitivity=exact_answer(sensitivity),
            level=level,
            weights=weights,
        )

    def __repr__(self) -> str:
        (promise,) = self.level.keywords.items()
        shown = f"sensitivity={short(self.sensitivity)}, {promise[0]}={short(promise[1])}"
        return f"ExponentialMechanism(data sets: {len(self.datasets)}, answers: {len(self.answers)}, {shown})"

    @property
    def is_exact(self) -> bool:
        """Whether all probabilities are rational."""
        return self.weights.is_rational

    def law(self, dataset: Any = None) -> Law:
        """Return the exact law of the answer; ``dataset`` may be left out where there is one.

        Raises:
            InvalidValueError: where probabilities are irrational; ``probability`` encloses them.
        """
        row = self._row(dataset)
        self._check_rational()
        weights = self.weights.integers(row)
        return Law.from_weights(dict(zip(self.answers, weights, strict=True)), sum(weights))

    def probability(
        self, answer: Any, dataset: Any = None, *, relative_bits: int = DEFAULT_RELATIVE_BITS
    ) -> Fraction | Interval:
        """Return the probability of an answer: exact where all are rational, else enclosed."""
        if answer not in self.answers:
            raise InvalidValueError(f"answer={answer!r} is not in the table. The answers are {_listed(self.answers)}.")
        return self._share(self._row(dataset), (self.answers.index(answer),), as_relative_bits(relative_bits))

    def _share(self, row: int, places: tuple[int, ...], bits: int) -> Fraction | Interval:
        """Return the probability of some answers."""
        if not places:
            return exact_answer(Fraction(0))
        if not self.is_exact:
            return self.weights.enclose_share(row, places, bits)
        weights = self.weights.integers(row)
        return exact_answer(Fraction(sum(weights[place] for place in places), sum(weights)))

    @property
    def randomizer(self) -> Randomizer:
        """The exact laws as a table: data set -> answer. With n = 1 its protocol takes claims, and ``sample`` draws it.

        >>> votes = {"x": {"Cristiano": 30, "Lionel": 29}, "y": {"Cristiano": 29, "Lionel": 30}}
        >>> exponential_mechanism(votes, exp_eps=4).randomizer.local_epsilon()
        LogRational('2')
        """
        self._check_rational()
        laws = (self.law(dataset) for dataset in self.datasets)
        return Randomizer(
            {x: {(r,): law.prob(r) for r in self.answers} for x, law in zip(self.datasets, laws, strict=True)}
        )

    def privacy_profile(
        self, *, neighbors: Neighbors = Neighbors.REPLACE_ONE, limit: int = DEFAULT_LIMIT
    ) -> PrivacyProfile:
        """Return the profile over the pairs of neighbouring data sets of the table, both orders.

        Which data sets are neighbours the table says; ``neighbors`` and ``limit`` are there because every protocol has
        them, and change nothing.

        Cost: of one delta 1 ms for a pair of exact laws of 100 answers, 5 ms where they are enclosed.
        """
        read_neighbors(neighbors)
        as_integer(limit, name="limit", at_least=1)
        if not self.pairs:
            raise InvalidValueError(
                "the table has no neighbours: one data set, or no pairs. Pass data set -> answer -> score for two data "
                "sets or more."
            )
        return PrivacyProfile(ScorePairs(self.weights, self.pairs, self.datasets))

    @relies_on("finite_exponential_mechanism.finite_exponential_useful")
    def utility(self, beta: Exact, *, relative_bits: int = DEFAULT_RELATIVE_BITS) -> Utility:
        """Return the loss (2 Du / eps) ln(m / beta) of the theorem, and how likely it is on the worst data set.

        Args:
            beta: above 0 and at most 1, exact.
            relative_bits: of the relative accuracy of what is enclosed.

        >>> one = exponential_mechanism({"Cristiano": 30, "Lionel": 29}, eps=2, sensitivity=1)
        >>> one.utility("1/20")
        Utility(loss=Interval[3.688879454, 3.688879455], probability=Fraction(0, 1), dataset=None)

        Source: DworkRoth2014, Theorem 3.11.
        """
        failure, bits = as_probability(beta, name="beta"), as_relative_bits(relative_bits)
        if failure == 0:
            raise InvalidValueError("beta=0 is not above 0: every answer has a probability. Pass beta above 0.")
        ratio = len(self.answers) / failure
        eps = Real(self.level.eps) if self.level.eps is not None else Real.log(self.level.exp_eps or 1)
        loss = enclose_real(2 * self.sensitivity * Real.log(ratio) / eps, relative_bits=bits)
        bad = [
            tuple(i for i, q in enumerate(row) if self.weights.compare_power(max(row) - q, ratio) >= 0)
            for row in self.weights.rows
        ]
        probabilities = [self._share(row, places, bits) for row, places in enumerate(bad)]
        worst = max(range(len(bad)), key=lambda row: _upper(probabilities[row]))
        return Utility(loss, probabilities[worst], self.datasets[worst])

    def plan(self, dataset: Any, *, nearest: bool) -> Any:
        """Refuse: no messages are sent."""
        raise InvalidValueError(
            "an exponential mechanism is no protocol of messages. Draw its exact law: "
            "ShuffleProtocol(mechanism.randomizer, 1)."
        )

    def accuracy(self, beta: Exact, *, simultaneous: bool = False) -> Fraction:
        """Return the least loss that the answer's score exceeds with probability at most beta on every data set.

        The loss is that of the best score over the answer's. It is a difference of two scores, so that it is exact.

        Raises:
            UndecidedError: where a probability and beta agree to 4096 bits.

        >>> exponential_mechanism({"a": 5, "b": 4, "c": 0}, exp_eps=4, sensitivity=1).accuracy("1/4")
        Fraction(1, 1)
        """
        failure = as_probability(beta, name="beta")
        return exact_answer(max(self._least_loss(row, failure) for row in range(len(self.datasets))))

    def _least_loss(self, row: int, beta: Fraction) -> Fraction:
        scores = self.scores[row]
        losses = [max(scores) - score for score in scores]
        known = sorted(set(losses))
        low, high = 0, len(known) - 1
        while low < high:  # the first loss that is exceeded with probability at most beta
            middle = (low + high) // 2
            beyond = tuple(place for place, loss in enumerate(losses) if loss > known[middle])
            low, high = (low, middle) if self._is_at_most(row, beyond, beta) else (middle + 1, high)
        return known[low]

    def _is_at_most(self, row: int, places: tuple[int, ...], beta: Fraction) -> bool:
        """Decide whether the probability of some answers is at most beta."""
        for bits in _DECIDING_BITS:
            share = self._share(row, places, bits)
            if isinstance(share, Fraction):
                return share <= beta
            if (order := share.compare(beta)) is not None:
                return order <= 0
        raise UndecidedError(
            f"a probability and beta={short(beta)} agree to {_DECIDING_BITS[-1]} bits. Use another beta."
        )

    def _row(self, dataset: Any) -> int:
        if dataset is None and len(self.datasets) == 1:
            return 0
        if not isinstance(dataset, Hashable) or dataset not in self.datasets:
            raise InvalidDataSetError(
                f"dataset={dataset!r} is not in the table. The data sets are {_listed(self.datasets)}."
            )
        return self.datasets.index(dataset)

    def _check_rational(self) -> None:
        if not self.is_exact:
            raise InvalidValueError(
                "the probabilities are irrational. Ask probability(answer, dataset), which encloses them, or pass an "
                "exp_eps whose power 1 / (2 sensitivity) is rational: exp_eps=4 for integer scores of sensitivity 1."
            )


@relies_on("finite_exponential_mechanism.finite_exponential_private")
def exponential_mechanism(
    scores: Mapping[Any, Any],
    *,
    eps: Exact | LogRational | None = None,
    exp_eps: Exact | None = None,
    sensitivity: Exact | None = None,
    pairs: Iterable[tuple[Any, Any]] | None = None,
) -> ExponentialMechanism:
    """Return the exponential mechanism of a finite score table.

    Args:
        scores: data set -> answer -> score, exact numbers, with the same answers for every data set; or answer -> score
            for one data set, whose name is then None.
        eps: what is promised, above 0: a rational number, or a LogRational.
        exp_eps: e^eps instead, exact, above 1: probabilities are then rational more often.
        sensitivity: the most by which a neighbour's score of an answer differs; by default the largest change in the
            table, over ``pairs``. For a table of one data set it must be given; else it is at least that change.
        pairs: which data sets are neighbours, by their names; by default every two.

    Returns:
        The mechanism: ``.law(dataset)`` and ``.probability(answer, dataset)``; ``.privacy_profile()``, which is exact
        where probabilities are rational and else enclosed; ``.utility(beta)``, ``.accuracy(beta)``, ``.randomizer``.

    Raises:
        TooLargeError: beyond 10^6 pairs times answers, and for scores so far apart that weights differ by 2^65536.

    >>> table = {"30 to 29": {"Cristiano": 30, "Lionel": 29}, "29 to 30": {"Cristiano": 29, "Lionel": 30}}
    >>> votes = exponential_mechanism(table, exp_eps=4)
    >>> votes.law("30 to 29").prob("Cristiano"), votes.privacy_profile().epsilon(0)
    (Fraction(2, 3), LogRational('2'))
    >>> votes.privacy_profile().delta(exp_eps="3/2"), exponential_mechanism(table, eps=1).privacy_profile().epsilon(0)
    (Fraction(1, 6), Interval[0.4999999999, 0.5000000001])

    Cost: O(answers) exact powers for each data set.

    Source: McSherryTalwar2007; DworkRoth2014, Definition 3.4.
    """
    level = read_privacy_level(eps=eps, exp_eps=exp_eps)
    if level.exp_eps == 1:
        raise InvalidValueError("eps=0 is not above 0: every answer would be equally likely. Pass eps above 0.")
    table = _read_table(scores)
    neighbors = _read_pairs(tuple(table), pairs)
    if (work := len(neighbors) * len(next(iter(table.values())))) > MAX_WORK:
        raise TooLargeError(
            f"the table has {about(work)} pairs of data sets times answers, more than the limit of {MAX_WORK}. "
            "Pass fewer pairs."
        )
    return ExponentialMechanism(table, neighbors, _read_sensitivity(sensitivity, table, neighbors), level)


def _read_table(scores: Mapping[Any, Any]) -> dict[Any, dict[Any, Fraction]]:
    """Return data set -> answer -> score."""
    if not isinstance(scores, Mapping):
        raise InvalidValueError(
            f"scores has the type {type(scores).__name__}. Pass data set -> answer -> score, or answer -> score."
        )
    are_rows = [isinstance(row, Mapping) for row in scores.values()]
    if any(are_rows) and not all(are_rows):
        raise InvalidValueError("scores has rows and numbers. Pass data set -> answer -> score, or answer -> score.")
    rows: Mapping[Any, Any] = scores if any(are_rows) else {None: scores}
    table = {
        x: {r: as_fraction(score, name=f"the score of {r!r}") for r, score in row.items()} for x, row in rows.items()
    }
    first, answers = next(iter(table.items()))
    if not answers:
        raise InvalidValueError("the table has no answers. Give a score for one answer or more.")
    for x, row in table.items():
        if row.keys() != answers.keys():
            other = next(iter(row.keys() ^ answers.keys()))
            raise InvalidValueError(
                f"the data sets {first!r} and {x!r} do not score the same answers: {other!r} is missing from one. "
                "Give every answer a score for every data set."
            )
    return table


def _read_pairs(datasets: tuple[Any, ...], pairs: Iterable[tuple[Any, Any]] | None) -> tuple[tuple[int, int], ...]:
    """Return the places of neighbouring data sets, each pair once."""
    if pairs is None:
        count = len(datasets)
        if count * (count - 1) // 2 > MAX_WORK:
            raise TooLargeError(f"{count} data sets make more pairs than the limit of {MAX_WORK}. Pass pairs=....")
        return tuple(combinations(range(count), 2))
    places = {dataset: place for place, dataset in enumerate(datasets)}
    neighbors: dict[tuple[int, int], None] = {}
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise InvalidValueError(f"pairs has the entry {pair!r}. Give two names of data sets for each.")
        if unknown := [x for x in pair if x not in places]:
            raise InvalidDataSetError(
                f"pairs names the unknown data set {unknown[0]!r}. The data sets are {_listed(datasets)}."
            )
        first, second = sorted((places[pair[0]], places[pair[1]]))
        if first != second:
            neighbors[first, second] = None
    return tuple(neighbors)


def _read_sensitivity(
    given: Exact | None, table: Mapping[Any, Mapping[Any, Fraction]], pairs: tuple[tuple[int, int], ...]
) -> Fraction:
    """Return the sensitivity: at least the largest change in the table, which it is unless given."""
    datasets = tuple(table)
    largest, where = Fraction(0), ""
    for first, second in pairs:
        mine, theirs = table[datasets[first]], table[datasets[second]]
        for answer, score in mine.items():
            if (change := abs(score - theirs[answer])) > largest:
                largest = change
                where = f"of {answer!r} between {datasets[first]!r} and {datasets[second]!r}"
    if given is None:
        if not largest:
            raise InvalidValueError("no score of the table changes between neighbours. Pass sensitivity=... as well.")
        return largest
    sensitivity = as_fraction(given, name="sensitivity")
    if sensitivity <= 0:
        raise InvalidValueError(f"sensitivity={short(sensitivity)} is not above 0. Pass the largest change of a score.")
    if sensitivity < largest:
        raise InvalidValueError(
            f"sensitivity={short(sensitivity)} is below {short(largest)}, the change of the score {where}. "
            f"Pass sensitivity={short(largest)}, or the pairs that are neighbours."
        )
    return sensitivity


def _weights(scores: tuple[tuple[Fraction, ...], ...], sensitivity: Fraction, level: PrivacyLevel) -> ScoreWeights:
    """Return the weights e^(eps u / (2 sensitivity)), as powers of e or of the root of a rational e^eps."""
    base: Fraction | None = None
    if level.eps is not None:
        times = level.eps
    else:
        assert level.exp_eps is not None
        longest = max(level.exp_eps.numerator.bit_length(), level.exp_eps.denominator.bit_length())
        if longest > _ROOT_BITS:
            raise TooLargeError(f"exp_eps has {longest} bits, more than the limit of {_ROOT_BITS}. Use a shorter one.")
        base, root = primitive_root(level.exp_eps)
        times = Fraction(root)
    rate = times / (2 * sensitivity)
    rows = tuple(tuple((score - max(row)) * rate for score in row) for row in scores)
    bits = 2 if base is None else max(base.numerator.bit_length(), base.denominator.bit_length())
    if (apart := ceil(-min(map(min, rows)) * bits)) > MAX_WEIGHT_BITS:
        raise TooLargeError(
            f"the scores are so far apart that weights have {about(apart)} bits, more than the limit of "
            f"{MAX_WEIGHT_BITS}. Use a smaller eps, or leave out answers that are never given."
        )
    return ScoreWeights(base, rows)


def _upper(probability: Fraction | Interval) -> Fraction:
    return probability.hi if isinstance(probability, Interval) else probability


def _listed(names: tuple[Any, ...]) -> str:
    return ", ".join(map(repr, names[:8])) + (", ..." if len(names) > 8 else "")
