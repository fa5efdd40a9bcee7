"""Users who take part by a coin each, and a public list of who does.

Each of n users, the one who differs too, takes part with probability q; the observer sees who does and the shuffled
messages of these. Where the user who differs is away the views are equal, and the list says that he is. So delta is the
positive part of the signed measure of the views in which he takes part: his message has the measure q (P - E Q), each
other user the row q R_v, and the rest 1 - q, "away", in which q (P - E Q) has no part.

*Upper end.* The blanket (:mod:`exactdp.privacy.amplification.amplification`) and the swap bound
(:mod:`exactdp.privacy.amplification.swap_bound`) are proved for any signed measure mu and any c below the rows: take
q (P - E Q) and q c. In both proofs the list is a function of what is published: whoever draws from c, or gives his
message away, takes part; so does the user who differs, in whose place he is; and all others are published with their
owners, or labelled, "away" or not. So it may be shown, and nothing else changes: away is where all of P, Q, c and L
are 0.

*Lower end.* If all others hold v and K of them take part, of mean (n - 1) q, the divergence is that of K + 1 users,
(1/(K+1)) E max(0, sum of K + 1 copies of L_v), and what R_v never sends. C(n-1, k)/(k+1) = C(n, k+1)/n turns q times
the mean over K into (1/n) E max(0, sum of Bin(n, q) copies): n copies of L_v with probability q, else 0. The view is
that of one data set, whoever takes part; others chosen anew for each K would be none. Of messages that are told by
scores, events count 0 for who is away. Where the bracket of k-ary response closes at n, it closes at every fewer users.

*Few users.* Of a small table every data set is compared, exactly: the divergence of one is q times the mean, over which
others take part, of that of the views of those who do. Beyond, q times the mean of the suprema over how many others
take part is an upper end, too, because the largest mean is at most the mean of the largest. It is taken where exact
engines know these, and it is the smaller one.

Source: BalleBellGasconNissim2019, Theorem 5.1 (the blanket).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, permutations, product
from math import comb, prod
from typing import ClassVar, Final

from exactdp.caching import cached_property
from exactdp.laws.binomial import Binomial
from exactdp.mechanisms.absence_family import LISTED, Participating
from exactdp.mechanisms.family import UserRandomizer
from exactdp.mechanisms.pair_table import Bundles
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.amplification import Amplification
from exactdp.privacy.amplification.input_pairs import FamilyPairs, InputPairs, ScoredCandidate, SpreadPairs, TablePairs
from exactdp.privacy.divergence import hockey_stick_divergence
from exactdp.privacy.engine import Bound, DataSet, Engine, Level
from exactdp.privacy.shuffle.random_users import ExactAt, enclosed_worst
from exactdp.privacy.shuffle.view_law import view_law

_MOST_COMPARED: Final = 2**10
"""Most data sets of the others times lists of them, up to exchanges, that are compared at one E."""
_FEW: Final = 64
"""Up to so many users exact engines are asked at every number of them."""
_BESIDE_A_LIST: Final = ", beside a list of who takes part (proved in exactdp.privacy.shuffle.listed_users)"
"""What proves the upper end, after what proves it where all take part."""
_COMPARED: Final = "exact: every data set and every list of who takes part"
_EXACT: Final = "exact engines at every number of users who take part"


@dataclass(frozen=True)
class ListedTable(TablePairs):
    """The pairs of a table, of whose users each takes part with one probability, and it is public who does."""

    participation: Fraction

    @cached_property
    def _bundles(self) -> Bundles:
        whole, q = Bundles.of(self.randomizer), self.participation
        rows = tuple(tuple(q.numerator * p for p in row) for row in (*whole.rows, whole.least))
        return replace(whole, rows=rows[:-1], least=rows[-1], scale=whole.scale * q.denominator)

    def _scored(self, *places: object) -> ScoredCandidate:
        """Return the candidate with scores of messages, of which who is away has none."""
        one, q = TablePairs._scored(self, *places), self.participation  # type: ignore[arg-type]
        scored = defaultdict[int, Fraction](Fraction, {0: 1 - q})
        for score, p in one.scored:
            scored[score] += q * p
        bundles = tuple((score, q * first, q * second) for score, first, second in one.bundles)
        return replace(one, bundles=bundles, scored=tuple(scored.items()))


def listed_pairs(randomizer: UserRandomizer, users: int, participation: Fraction) -> InputPairs:
    """Return the pairs of what so many users run, of whom each takes part with one probability, in public."""
    if (numbers := randomizer.density) is not None:
        from exactdp.mechanisms.density_absence_family import NumbersAway

        return SpreadPairs(NumbersAway(numbers, participation, is_public=True))
    if isinstance(randomizer, Randomizer) or randomizer.pairs_by != "classes" or randomizer.listed(users) is not None:
        return ListedTable(randomizer.tabulated, participation)
    return FamilyPairs(Participating(randomizer, participation, LISTED))


@dataclass(frozen=True)
class ListedUsers(Amplification):
    """Both ends of delta over all neighbouring data sets of users of whom it is public who takes part."""

    participation: Fraction = Fraction(1)
    exact_at: ExactAt = lambda users: None
    """The exact engine at one number of users who take part, where there is one."""

    name: ClassVar[str] = "amplification beside a list of who takes part"
    kernel_theorems = ()
    """The kernel has accepted both bounds for users who all take part."""
    upper, lower = Engine.upper, Engine.lower

    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> Bound[Interval]:
        """Return both ends, each enclosed to a relative width of 2**-relative_bits; None stands for infinity."""
        if exp_eps is not None and exp_eps.is_rational and (worst := _worst_of_all(self, exp_eps.coefficient)):
            delta = Interval.around(worst[0], relative_bits=relative_bits)
            return Bound(delta, delta, worst[1:], _COMPARED, Level.ENCLOSED)
        ends = Amplification.enclosed(self, exp_eps, relative_bits)
        ends = replace(ends, theorem=ends.theorem + _BESIDE_A_LIST)
        mean = _mean_of_worst(self, exp_eps, relative_bits)
        if mean is None or mean >= ends.upper.upper:
            return ends
        return replace(ends, upper=Interval(mean, mean), theorem=_EXACT, level=Level.TWO_ENDS)

    def upper_bound(self, exp_eps: Fraction, relative_bits: int) -> Dyadic:
        """Return a number at least delta."""
        mean = _mean_of_worst(self, Real(exp_eps), relative_bits)
        bound = Amplification.upper_bound(self, exp_eps, relative_bits)
        return bound if mean is None else min(mean, bound)


@lru_cache(maxsize=1024)
def _mean_of_worst(engine: ListedUsers, exp_eps: Real | None, bits: int) -> Dyadic | None:
    """Return q times the mean of the largest delta over how many take part, rounded up; None where it is not known."""
    if engine.users > _FEW:
        return None
    others, total = Binomial(engine.users - 1, engine.participation), Fraction(0)
    for users in range(1, engine.users + 1):
        exact = engine.exact_at(users)
        if exact is None:
            return None
        total += others.exact_pmf(users - 1) * enclosed_worst(exact, exp_eps, bits).delta.hi
    return Dyadic.above(engine.participation * total, 2 * _FEW)


@lru_cache(maxsize=1024)
def _worst_of_all(engine: ListedUsers, exp_eps: Fraction) -> tuple[Fraction, DataSet, DataSet] | None:
    """Return the largest delta over all data sets, and a pair that attains it; None where they are too many."""
    if not isinstance(engine.pairs, ListedTable):
        return None
    table, q, others = engine.pairs.randomizer, engine.participation, engine.users - 1
    kinds = len(table.inputs)
    if comb(others + kinds - 1, kinds - 1) * comb(others + kinds, kinds) > _MOST_COMPARED:
        return None
    chances = [q ** (there + 1) * (1 - q) ** (others - there) for there in range(others + 1)]
    worst: tuple[Fraction, DataSet, DataSet] | None = None
    for held in _counts(others, kinds):
        means = dict.fromkeys(permutations(range(kinds), 2), Fraction(0))
        for there in product(*(range(users + 1) for users in held)):
            weight = chances[sum(there)] * prod(map(comb, held, there))
            for pair in means:
                means[pair] += weight * _divergence(table, there, *pair, exp_eps)
        for (first, second), delta in means.items():
            if worst is None or delta > worst[0]:
                worst = delta, _with_one(held, first), _with_one(held, second)
    return worst


def _counts(users: int, kinds: int) -> Iterator[DataSet]:
    """Yield how many of so many users hold each input, in all ways."""
    inputs = range(kinds)
    return (tuple(map(held.count, inputs)) for held in combinations_with_replacement(inputs, users))


def _with_one(held: DataSet, own: int) -> DataSet:
    return tuple(users + (place == own) for place, users in enumerate(held))


@lru_cache(maxsize=2**12)
def _divergence(table: Randomizer, there: DataSet, first: int, second: int, exp_eps: Fraction) -> Fraction:
    """Return the divergence of the views of those who take part, of whom one differs."""
    laws = (view_law(table, _with_one(there, own)) for own in (first, second))
    return hockey_stick_divergence(*laws, exp_eps=exp_eps)
