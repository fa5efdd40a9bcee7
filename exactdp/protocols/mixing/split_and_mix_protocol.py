"""Split and mix: sums modulo q, of which nothing but the sum is to be seen.

A user with the input x in {0, ..., q-1} sends m messages: m - 1 uniform residues modulo q, and the one that makes their
sum x. The view is the multiset of all nm messages, and its sum modulo q is the sum of the inputs. Alone the protocol is
not private, since it shows the sum exactly; it is *secure* if the views of two data sets with the same sum are hardly
told apart. With noise on the inputs the whole is private
(:meth:`SplitAndMix.with_noise`). Reals are sums of integers,
rounded, with q above n times the largest.

What is computed here is exact. At any n, and with its proof, the distance is bounded by the components of a random
graph, in :mod:`exactdp.protocols.mixing.component_bound`.

*Symmetry.* Adding c to every message adds m c to every input, and multiplying all by a unit of Z_q multiplies the
inputs: both are bijections of views. So the distances among the data sets with the sum s are those for s + n m c and
for u s, and one sum is enough for each divisor of gcd(n m, q).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import comb, factorial, gcd, prod
from typing import Any, Final

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.evidence.theorems import relies_on
from exactdp.laws.finite import Law
from exactdp.mechanisms.dataset import histogram, labelled
from exactdp.mechanisms.family import MAX_ENTRIES
from exactdp.mechanisms.randomizer import Communication, Randomizer
from exactdp.numbers.exact import as_integer
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import about, short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval
from exactdp.privacy.profile import PrivacyProfile
from exactdp.privacy.shuffle.view_law import view_law
from exactdp.protocols.interface import Protocol
from exactdp.protocols.mixing.component_bound import split_and_mix_distance
from exactdp.protocols.mixing.parity_views import parity_distance, worst_parity_distance
from exactdp.protocols.mixing.split_and_mix_privacy import NoisySplitAndMix, read_noisy_sum
from exactdp.protocols.protocol import DataSetLike

_MAX_LISTED: Final = 10**6
"""The largest modulus where residues are listed."""
_MAX_SCAN: Final = 2 * 10**7
"""Most pairs of data sets times outcomes of a view that are compared: some ten seconds."""


@dataclass(frozen=True, slots=True)
class WorstViews:
    """Two data sets with the same sum whose views are as far apart as any, and how far that is."""

    distance: Fraction
    first: dict[int, int]
    second: dict[int, int]

    def __post_init__(self) -> None:
        set_fields(self, distance=exact_answer(self.distance))


@dataclass(frozen=True, slots=True)
class ViewDistances:
    """Total variation distances over all data sets of one protocol.

    ``worst`` is the largest between two data sets with the same sum, attained by ``first`` and ``second``;
    ``simulator`` the largest from a view to the view of uniform inputs with this sum; ``average`` and
    ``average_simulator`` are the means of the two over uniform inputs, the second data set being uniform among those
    with the sum of the first.
    """

    worst: Fraction
    first: dict[int, int]
    second: dict[int, int]
    simulator: Fraction
    average: Fraction
    average_simulator: Fraction

    def __post_init__(self) -> None:
        for name in ("worst", "simulator", "average", "average_simulator"):
            set_fields(self, **{name: exact_answer(getattr(self, name))})


def split_and_mix_randomizer(*, modulus: int, messages: int) -> Randomizer:
    """Return one user of split and mix, as a table of q rows with q^(m-1) entries each.

    Args:
        modulus: q, at least 2.
        messages: m, at least 2; q^m is at most 65,536.

    >>> split_and_mix_randomizer(modulus=2, messages=2).table()[1]
    {(0, 1): Fraction(1, 2), (1, 0): Fraction(1, 2)}

    Source: IshaiKushilevitzOstrovskySahai2006.
    """
    order, number = _read(modulus, messages)
    if number > MAX_ENTRIES.bit_length() or order**number > MAX_ENTRIES:
        raise TooLargeError(
            f"modulus={short(order)} and messages={short(number)} make a table of more than {MAX_ENTRIES} entries. "
            "Use split_and_mix(n, ...), whose bounds and samples need no table."
        )
    shares = list(product(range(order), repeat=number - 1))
    weight = Fraction(1, len(shares))
    return Randomizer({x: {(*sent, (x - sum(sent)) % order): weight for sent in shares} for x in range(order)})


def split_and_mix(n: int, *, modulus: int, messages: int) -> SplitAndMix:
    """Return split and mix of n users over the integers modulo q.

    Args:
        n: number of users who follow the protocol, at least 1.
        modulus: q, at least 2.
        messages: m, messages of a user, at least 2.

    >>> protocol = split_and_mix(2, modulus=2, messages=3)
    >>> protocol.estimate([3, 3]), protocol.total_variation([0, 0], [1, 1]), protocol.total_variation([0, 0], [0, 1])
    (1, Fraction(1, 4), Fraction(1, 1))

    Source: IshaiKushilevitzOstrovskySahai2006; BalleBellGasconNissim2020.
    """
    return SplitAndMix(n, modulus, messages)


@dataclass(frozen=True, slots=True)
class SplitAndMix(Protocol):
    """Split and mix of n users; made by :func:`split_and_mix`."""

    is_profiled = False

    n: int
    modulus: int
    messages: int

    def __post_init__(self) -> None:
        order, number = _read(self.modulus, self.messages)
        set_fields(self, n=as_integer(self.n, name="n", at_least=1), modulus=order, messages=number)

    @property
    def randomizer(self) -> Randomizer:
        """One user as a table; TooLargeError for more than 65,536 entries."""
        return split_and_mix_randomizer(modulus=self.modulus, messages=self.messages)

    @property
    def inputs(self) -> range:
        """What a user's input can be, and what a message can be."""
        if self.modulus > _MAX_LISTED:
            raise TooLargeError(
                f"the residues of modulus={short(self.modulus)} are not listed, {_MAX_LISTED} is the limit. "
                "Ask for the bound, or use a smaller modulus."
            )
        return range(self.modulus)

    def plan(self, dataset: Any, *, nearest: bool) -> Any:
        """Return what has to be drawn for one view: every share."""
        from exactdp.protocols.mixing.shares import Shares
        from exactdp.protocols.sampling.views import user_counts

        return Shares.of(user_counts(dataset, self.inputs, self.n), self.messages)

    def law(self, dataset: DataSetLike) -> Law:
        """Return the exact law of the view: how often each residue was sent.

        Cost: 0.1 s for n = 4, q = 5, m = 3.

        >>> split_and_mix(1, modulus=2, messages=2).law([1]).prob((1, 1))
        Fraction(1, 1)
        """
        randomizer = self.randomizer
        places = [randomizer.alphabet.index(residue) for residue in self.inputs]
        return view_law(randomizer, self._counts(dataset)).map(lambda counts: tuple(counts[place] for place in places))

    def estimate(self, counts: Sequence[int] | Mapping[int, int]) -> int:
        """Return the sum of the inputs modulo q, from how often each residue was sent; it is always right."""
        if not isinstance(counts, Mapping):
            listed = counts.tolist() if hasattr(counts, "tolist") else list(counts)
            if len(listed) != self.modulus:
                raise InvalidValueError(
                    f"counts has {len(listed)} entries for modulus={short(self.modulus)}. Give one for each residue."
                )
            counts = dict(enumerate(listed))
        return self._sum(histogram(counts, self.inputs))

    def communication(self) -> Communication:
        """Return what one user sends: m residues modulo q, whatever his input.

        >>> split_and_mix(100, modulus=2**32, messages=10).communication().bits
        32
        """
        return Communication(Fraction(self.messages), self.messages, self.modulus)

    def total_variation(self, first: DataSetLike, second: DataSetLike) -> Fraction:
        """Return the total variation distance of the views of two data sets, exactly; 1 where the sums differ.

        Args:
            first, second: n inputs in any order, or input -> number of users.

        Cost: seconds at n = 10^4 for q = 2 and m = 3, and 0.2 s for n = 4, q = 5 and m = 3.
        """
        both = self._counts(first), self._counts(second)
        if self._sum(both[0]) != self._sum(both[1]):
            return exact_answer(Fraction(1))
        if self.modulus == 2:
            return exact_answer(parity_distance(self.n, self.messages, both[0][1], both[1][1]))
        return exact_answer(_distance(*(view_law(self.randomizer, counts) for counts in both)))

    def worst_pair(self) -> WorstViews:
        """Return two data sets with the same sum whose views are as far apart as any, exactly.

        For q = 2 most pairs are ruled out by a bound (:mod:`exactdp.protocols.mixing.parity_views`); else as
        :meth:`distances`.

        Cost: 40 ms for n = 174, q = 2 and m = 3.

        >>> split_and_mix(8, modulus=2, messages=4).worst_pair()
        WorstViews(distance=Fraction(22431, 1048576), first={0: 8}, second={1: 8})
        """
        if self.modulus > 2:
            scanned = self.distances()
            return WorstViews(scanned.worst, scanned.first, scanned.second)
        distance, few, many = worst_parity_distance(self.n, self.messages)
        first, second = (labelled((self.n - ones, ones), self.inputs) for ones in (few, many))
        return WorstViews(distance, first, second)

    def distances(self) -> ViewDistances:
        """Return the worst and the average distances over all data sets, exactly.

        Raises:
            TooLargeError: where there are too many pairs of data sets.

        Cost: 2 s for n = 4, q = 5 and m = 3.

        >>> split_and_mix(3, modulus=2, messages=3).distances().worst
        Fraction(9, 64)
        """
        self._check_scan()
        users, order, randomizer = self.n, self.modulus, self.randomizer
        worst, simulator, average, average_simulator = Fraction(-1), Fraction(0), Fraction(0), Fraction(0)
        pair: tuple[tuple[int, ...], ...] = ()
        for residue, share in self._sums():
            data_sets = [counts for counts in _data_sets(users, order) if self._sum(counts) == residue]
            laws = [view_law(randomizer, counts) for counts in data_sets]
            chances = [Fraction(_orderings(counts), order ** (users - 1)) for counts in data_sets]
            uniform = _mixture(laws, [_orderings(counts) for counts in data_sets])
            for i, law in enumerate(laws):
                to_uniform = _distance(law, uniform)
                simulator = max(simulator, to_uniform)
                average_simulator += share * chances[i] * to_uniform
                for j in range(i + 1):
                    distance = _distance(law, laws[j])
                    average += share * chances[i] * chances[j] * distance * (1 if i == j else 2)
                    if distance > worst:
                        worst, pair = distance, (data_sets[j], data_sets[i])
        first, second = (labelled(counts, self.inputs) for counts in pair)
        return ViewDistances(worst, first, second, simulator, average, average_simulator)

    def distance_bound(self, *, average: bool = False, simulator: bool = False, relative_bits: int = 20) -> Interval:
        """Enclose the bound by components, at any n: :func:`exactdp.bounds.split_and_mix_distance`.

        >>> split_and_mix(10**6, modulus=2**32, messages=10).distance_bound()
        Interval[8.8276971...e-22, 8.8276971...e-22]
        """
        return split_and_mix_distance(
            self.n,
            modulus=self.modulus,
            messages=self.messages,
            average=average,
            simulator=simulator,
            relative_bits=relative_bits,
        )

    @relies_on("simulator.simulator_bound", "noisy_sum.noisy_split_private")
    def with_noise(self, noisy_sum: PrivacyProfile) -> NoisySplitAndMix:
        """Return the protocol whose users add noise to their inputs, and its privacy as a whole.

        Args:
            noisy_sum: the privacy of the sum of the noisy inputs, such as :func:`exactdp.shift_profile` of the law of
                all users' noise together, for the largest change of one input.

        >>> from exactdp import DiscreteLaplace, shift_profile
        >>> noise = DiscreteLaplace("exp(1/100)")
        >>> whole = split_and_mix(10**4, modulus=2**32, messages=12).with_noise(shift_profile(noise, shift=100))
        >>> whole.delta(eps=1), float(whole.epsilon("1e-9")) < 1
        (Interval[8.9329042...e-18, 8.9329042...e-18], True)

        Source: BalleBellGasconNissim2020 (the noise, the theorem is exactdp.protocols.mixing.split_and_mix_privacy's).
        """
        return NoisySplitAndMix(read_noisy_sum(noisy_sum), self.distance_bound(simulator=True))

    def _counts(self, dataset: DataSetLike) -> tuple[int, ...]:
        return histogram(dataset, self.inputs, users=self.n)

    def _sum(self, counts: Sequence[int]) -> int:
        return sum(value * count for value, count in enumerate(counts)) % self.modulus

    def _sums(self) -> Iterator[tuple[int, Fraction]]:
        """Yield one sum of each class, with the probability of the class (module docstring)."""
        common = gcd(self.n * self.messages, self.modulus)
        classes: dict[int, list[int]] = {}
        for residue in range(self.modulus):
            classes.setdefault(gcd(residue, common), []).append(residue)
        return ((members[0], Fraction(len(members), self.modulus)) for members in classes.values())

    def _check_scan(self) -> None:
        """Refuse too many pairs of data sets, before any is looked at."""
        data_sets = comb(self.n + self.modulus - 1, self.n)
        outcomes = comb(self.n * self.messages + self.modulus - 1, self.modulus - 1)
        work = data_sets**2 * outcomes // self.modulus**2
        if work > _MAX_SCAN:
            raise TooLargeError(
                f"the data sets of n={short(self.n)} users with modulus={short(self.modulus)} need {about(work)} pairs "
                f"times outcomes, the limit is {_MAX_SCAN}. Ask for one pair, or for the bound at any number of users."
            )


def _data_sets(users: int, order: int) -> Iterator[tuple[int, ...]]:
    """Yield every data set, as how many users hold each residue."""
    for held in combinations_with_replacement(range(order), users):
        yield tuple(map(held.count, range(order)))


def _orderings(counts: Sequence[int]) -> int:
    return factorial(sum(counts)) // prod(map(factorial, counts))


def _mixture(laws: Sequence[Law], weights: Sequence[int]) -> Law:
    mixed: dict[Any, int] = {}
    for law, weight in zip(laws, weights, strict=True):
        for outcome, mass in law.weights.items():
            mixed[outcome] = mixed.get(outcome, 0) + weight * mass
    return Law.from_weights(mixed, sum(weights) * laws[0].total)


def _distance(first: Law, second: Law) -> Fraction:
    """Return the total variation distance, in integers; the totals may differ."""
    own, other = second.total, first.total
    excess = sum(
        max(0, weight * own - second.weights.get(outcome, 0) * other) for outcome, weight in first.weights.items()
    )
    return Fraction(excess, first.total * second.total)


def _read(modulus: object, messages: object) -> tuple[int, int]:
    return as_integer(modulus, name="modulus", at_least=2), as_integer(messages, name="messages", at_least=2)
