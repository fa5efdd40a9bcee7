"""Secure aggregation in place of a shuffler: the view is the vector of the column sums of the users' bit vectors.

n users send d bits each, flipped independently (unary encoding: the bit of the own input is one with probability p,
every other with q < p), and only the sums are shown. Given the data the columns are independent counts of two-message
randomizers. What a replaced vector gives away, and what one that is replaced by zeros does, is proved in
:mod:`exactdp.protocols.aggregated.two_columns`. The estimate of the holders of an input is (sum - n q) / (p - q),
without bias, with the error of the same randomizer in the shuffle: its view holds the same sums.

If k-ary response is summed, each message as a unit vector, the sums are the histogram of the messages, and this is the
shuffled view: then the protocol is ``ShuffleProtocol``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any, Final

from exactdp.errors import InvalidDataSetError, InvalidValueError, TooLargeError
from exactdp.laws.binomial_sum import BinomialSum
from exactdp.laws.finite import Law
from exactdp.mechanisms.dataset import Neighbors, histogram, read_neighbors
from exactdp.mechanisms.family import FamilyRandomizer, UserRandomizer
from exactdp.mechanisms.randomizer import Communication, Randomizer
from exactdp.mechanisms.unary_encoding_family import StatedBits
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_integer
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.privacy.profile import PrivacyProfile
from exactdp.privacy.shuffle.scan import DEFAULT_LIMIT
from exactdp.protocols.aggregated.two_columns import ColumnPairs, OneColumnPairs, Vectors
from exactdp.protocols.interface import Protocol
from exactdp.protocols.protocol import DataSetLike, ShuffleProtocol

_MAX_OUTCOMES: Final = 10**6
"""Most outcomes of a joint law that is listed."""


@dataclass(frozen=True, slots=True)
class Aggregate(Protocol):
    """The column sums of n users' flipped bit vectors; made by :func:`aggregate`.

    Args:
        bits: the randomizer, by the number of inputs and the two probabilities of a one.
        n: number of users who follow the protocol.
    """

    bits: StatedBits
    n: int

    estimates_several = True

    @property
    def randomizer(self) -> FamilyRandomizer:
        """What each user runs."""
        return self.bits

    @property
    def records(self) -> range:
        """What a user can hold."""
        return self.bits.inputs

    @property
    def alphabet(self) -> range:
        """The columns, in the order of their sums: one for each input."""
        return self.bits.inputs

    @property
    def local_epsilon(self) -> LogRational:
        """The eps0 of one user's vector alone, if another one replaces it."""
        return self.bits.local_epsilon()

    @property
    def _vectors(self) -> Vectors:
        return Vectors(self.n, self.bits.d, self.bits.keep, self.bits.noise)

    @property
    def _shuffled(self) -> ShuffleProtocol:
        """The same users in the shuffle, whose view holds the sums and more."""
        return ShuffleProtocol(self.bits, self.n)

    def privacy_profile(
        self, *, neighbors: Neighbors = Neighbors.REPLACE_ONE, limit: int = DEFAULT_LIMIT
    ) -> PrivacyProfile:
        """Return the profile of the sums over all neighbouring data sets, both orders.

        Args:
            neighbors: REPLACE_ONE, where two columns move; or REPLACE_BY_ZEROS, where one vector is zeros, flipped like
                all others, in one of the data sets, and one column moves. With ADD_OR_REMOVE_ONE a vector less is added
                up, which moves all columns: that is refused.
            limit: most pairs of data sets times steps, up to which all are compared exactly, 50,000 at most.

        A replaced vector is exact to 36 users (157 for two inputs); beyond, delta lies between two proved ends,
        mostly 1 % apart, and eps is known to 0.1 %. Zeros are exact, or enclosed to any accuracy.

        >>> from exactdp.randomizers import UnaryEncoding
        >>> protocol = aggregate(UnaryEncoding(100, exp_eps0="exp(10)"), 10**5)
        >>> protocol.privacy_profile(neighbors=Neighbors.REPLACE_BY_ZEROS).epsilon("1e-9", relative_bits=40)
        Interval[0.2119526772, 0.2119526773]

        Cost: 1 to 2 s for eps of a replaced vector, 0.1 s of zeros; the number of columns does not matter.
        """
        most = as_integer(limit, name="limit", at_least=1)
        if neighbors is Neighbors.REPLACE_BY_ZEROS:
            return PrivacyProfile(OneColumnPairs.of(self._vectors, most))
        if read_neighbors(neighbors) is not Neighbors.REPLACE_ONE:
            raise InvalidValueError(
                f"neighbors={neighbors.value} moves all {short(self.bits.d)} columns, as one vector less is added up. "
                "Pass Neighbors.REPLACE_ONE, or Neighbors.REPLACE_BY_ZEROS for a vector of zeros."
            )
        return PrivacyProfile(ColumnPairs(self._vectors, most))

    @property
    def column(self) -> ShuffleProtocol:
        """One column as users of two messages: its replace-one neighbours are those of a vector that becomes zeros."""
        return ShuffleProtocol(OneColumnPairs.table_of(self._vectors), self.n)

    def reduction(self, neighbors: Any) -> tuple[Protocol, Any]:
        """Return the column where a vector becomes zeros; no claim states a replaced one."""
        return (self.column, Neighbors.REPLACE_ONE) if neighbors is Neighbors.REPLACE_BY_ZEROS else (self, neighbors)

    def column_law(self, holders: int) -> BinomialSum:
        """Return the law of the sum of a column whose input so many users hold.

        >>> from exactdp.randomizers import unary_encoding
        >>> aggregate(unary_encoding(3, exp_eps0=9), 4).column_law(1).mean
        Fraction(3, 2)
        """
        held = as_integer(holders, name="holders", at_least=0)
        if held > self.n:
            raise InvalidDataSetError(f"holders={short(held)} is more than n={short(self.n)} users. Pass at most n.")
        return BinomialSum(held, self.bits.keep, self.n - held, self.bits.noise)

    def law(self, dataset: DataSetLike) -> Law:
        """Return the law of all sums, a tuple with one for each column.

        >>> from exactdp.randomizers import unary_encoding
        >>> aggregate(unary_encoding(2, exp_eps0=9), 2).law([0, 1]).prob((1, 1))
        Fraction(25, 64)
        """
        held = histogram(dataset, self.records, users=self.n)
        columns = min(len(held), _MAX_OUTCOMES.bit_length())  # two outcomes of each of so many are too many
        if (self.n + 1) ** columns > _MAX_OUTCOMES:
            raise TooLargeError(
                f"the joint law of {short(self.bits.d)} columns has {short(self.n + 1)}^{short(self.bits.d)} outcomes, "
                f"more than the limit of {_MAX_OUTCOMES}. The columns are independent: ask column_law for one of them."
            )
        laws = [self.column_law(holders).law() for holders in held]
        weights = {
            tuple(total for total, _ in sums): prod(weight for _, weight in sums)
            for sums in product(*(law.weights.items() for law in laws))
        }
        return Law.from_weights(weights, prod(law.total for law in laws))

    def estimate(self, counts: Sequence[int] | Mapping[Any, int]) -> tuple[Fraction, ...]:
        """Return the estimated number of holders of each input from the column sums, in order or as input -> sum.

        >>> from exactdp.randomizers import unary_encoding
        >>> aggregate(unary_encoding(2, exp_eps0=9), 100).estimate([50, 40])
        (Fraction(50, 1), Fraction(30, 1))
        """
        if isinstance(counts, Mapping):
            values: Sequence[Any] = histogram(counts, self.records)
        else:
            values = counts.tolist() if hasattr(counts, "tolist") else counts
        if not isinstance(values, Sequence) or len(values) != self.bits.d:
            raise InvalidValueError(f"counts are not {short(self.bits.d)} sums. Give one for each column.")
        offset, unit = self.n * self.bits.noise, 1 / (self.bits.keep - self.bits.noise)
        return tuple(exact_answer((as_integer(value, name="a sum", at_least=0) - offset) * unit) for value in values)

    def accuracy(self, beta: Exact, *, simultaneous: bool = False) -> Fraction | Interval:
        """Return the optimal accuracy of the estimated holders of one input, as in the shuffle."""
        if simultaneous:
            raise InvalidValueError(
                "the largest error of all columns at once is not known for the worst data set. Ask for that of one, "
                "with simultaneous=False."
            )
        return self._shuffled.accuracy(beta)

    def plan(self, dataset: Any, *, nearest: bool) -> Any:
        """Return what has to be drawn for one view: the sum of each column."""
        from exactdp.protocols.sampling.views import shuffled_plan

        return shuffled_plan(self.bits, dataset, self.n)

    def of_each_user(self) -> tuple[Randomizer, int]:
        """Return the table that each user runs, and the number of users."""
        return self.bits.table(), self.n

    def released(self, counts: Any) -> Any:
        """Return the column sums of counted vectors."""
        from exactdp.protocols.sampling.views import column_sums

        return column_sums(counts, self.bits.table().alphabet)

    def communication(self) -> Communication:
        """Return what one user sends: one vector of bits."""
        return self.bits.communication()


def aggregate(randomizer: UserRandomizer, n: int) -> Aggregate | ShuffleProtocol:
    """Return n users of whose vectors only the sums are seen.

    Args:
        randomizer: unary encoding, as a family or a table whose messages are tuples of bits; or k-ary response, whose
            sums are the shuffled view: of it the ``ShuffleProtocol`` is returned.
        n: number of users who follow the protocol, at least 1.

    Flipping every bit with probability 1 / (e^eps0 + 1) is symmetric unary encoding of 2 eps0, as its eps0 is that of a
    replaced vector: ``UnaryEncoding(d, exp_eps0="exp(10)")`` for bits of eps0 = 5.

    Raises:
        InvalidValueError: for other randomizers.

    >>> from exactdp.randomizers import randomized_response, unary_encoding
    >>> aggregate(unary_encoding(2, exp_eps0=9), 10).privacy_profile().delta(exp_eps=2)
    Fraction(...)
    >>> aggregate(randomized_response(3, gamma="1/2"), 10)
    ShuffleProtocol(randomizer=Randomizer(3 inputs, 3 messages), n=10, analyzer=None)

    Source: ErlingssonPihurKorolova2014, section 2 (the vectors, while what sums of them give away is this package's).
    """
    users = as_integer(n, name="n", at_least=1)
    if not isinstance(randomizer, UserRandomizer):
        raise InvalidValueError(
            f"randomizer has the type {type(randomizer).__name__}. Pass unary_encoding(...), or a table of bit vectors."
        )
    family = randomizer.family
    if family is None:
        assert isinstance(randomizer, Randomizer)
        chances, is_k_ary = _bit_chances(randomizer), _is_k_ary(randomizer)
    else:
        is_k_ary = family.response_size is not None
        chances = None if is_k_ary else family.bit_chances
    if is_k_ary:
        return ShuffleProtocol(randomizer, users)
    if chances is None:
        raise InvalidValueError(
            f"randomizer={short(repr(randomizer))} sends no bits that are flipped independently, and its sums are not "
            "known. Pass unary_encoding(...), or k-ary response, or shuffle it: ShuffleProtocol(randomizer, n)."
        )
    keep, noise = chances
    if keep == noise:
        raise InvalidValueError("the bits tell nothing of the inputs: both probabilities are equal. Pass exp_eps0 > 1.")
    return Aggregate(StatedBits(len(randomizer.inputs), keep=keep, noise=noise), users)


def named_aggregate(n: int, *, randomizer: UserRandomizer) -> Aggregate | ShuffleProtocol:
    """Return :func:`aggregate`, as the table of names makes a protocol: n first."""
    return aggregate(randomizer, n)


def _bit_chances(table: Randomizer) -> tuple[Fraction, Fraction] | None:
    """Return p and q of a table in which the i-th input's vector has independent bits, the i-th one likelier."""
    d, vectors = len(table.inputs), table.alphabet
    if d < 2 or any(not isinstance(one, tuple) or len(one) != d or not {0, 1} >= set(one) for one in vectors):
        return None
    laws = [dict(row) for row in table.rows]
    keep, noise = (
        sum((p for send, p in table.rows[0] if len(send) == 1 and vectors[send[0]][column]), Fraction(0))
        for column in (0, 1)
    )
    if not 0 < noise < keep < 1 or len(vectors) != 2**d:
        return None
    for place, law in enumerate(laws):
        for index, vector in enumerate(vectors):
            chances = [keep if column == place else noise for column in range(d)]
            whole = prod((c if bit else 1 - c for bit, c in zip(vector, chances, strict=True)), start=Fraction(1))
            if law.get((index,), Fraction(0)) != whole:
                return None
    return keep, noise


def _is_k_ary(table: Randomizer) -> bool:
    """Whether the messages are the inputs, the own one of one probability and every other of another."""
    if set(table.inputs) != set(table.alphabet):
        return False
    rows = table.table()
    chances = {x: {send[0]: p for send, p in row.items() if len(send) == 1} for x, row in rows.items()}
    own = {row.get(x, Fraction(0)) for x, row in chances.items()}
    others = {row.get(y, Fraction(0)) for x, row in chances.items() for y in chances if y != x}
    whole = all(sum(row.values()) == 1 for row in chances.values())
    return whole and len(own) == 1 and len(others) == 1
