"""Classes of users: the users of each run a randomizer of their own, and one shuffler shows all messages.

Who belongs to which class is public and does not change: versions of a client, users who chose their eps0, a known
share of users who answer at random. A neighbour replaces the input of one user, who stays in his class. All classes
read the same inputs, and a data set is one mapping, input -> number of users, for each class.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from itertools import product
from typing import Any, Final, NoReturn

from exactdp.errors import InvalidDataSetError, InvalidValueError, TooLargeError
from exactdp.laws.finite import Law
from exactdp.mechanisms.absence_family import COUNTED, LISTED, Absence
from exactdp.mechanisms.analyzer import Analyzer
from exactdp.mechanisms.dataset import Neighbors, histogram, read_neighbors
from exactdp.mechanisms.family import INPUT, FamilyRandomizer, UserRandomizer
from exactdp.mechanisms.joint_classes import joint_kinds
from exactdp.mechanisms.randomizer import Communication, Randomizer
from exactdp.numbers.balls import compare_reals
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_integer
from exactdp.numbers.formats import about, short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.profile import PrivacyProfile
from exactdp.privacy.shuffle.scan import DEFAULT_LIMIT
from exactdp.privacy.user_classes import Classes, UserClasses
from exactdp.protocols.protocol import ShuffleProtocol, read_user_class

_MOST_CLASSES: Final = 16
"""Most classes of users."""

_MOST_PAIRS: Final = 10**7
"""Most pairs of outcomes that the law of a view adds up: some ten seconds."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class UserClassesProtocol(ShuffleProtocol):
    """What ``ShuffleProtocol`` makes of a sequence of pairs: a randomizer and the number of its users, for each class.

    >>> from exactdp import randomized_response
    >>> careful, plain = randomized_response(3, exp_eps0=2), randomized_response(3, exp_eps0=6)
    >>> both = ShuffleProtocol(((careful, 5000), (plain, 5000)))
    >>> both.privacy_profile().epsilon("1/1000000"), both.privacy_profile(user_class=0).epsilon("1/1000000")
    (Interval[0.07..., 0.07...], Interval[0.027..., 0.027...])
    """

    def __init__(
        self,
        randomizer: Sequence[tuple[UserRandomizer, int]],
        n: None = None,
        *,
        participation: Any = 1,
        absence: str = COUNTED,
        dummy: Any = None,
        analyzer: Analyzer | None = None,
    ) -> None:
        if n is not None:
            raise InvalidValueError(f"n={n!r} is given, and each class of users has its own. Leave it out.")
        if analyzer is not None:
            raise InvalidValueError(
                "an analyzer reads the messages of one randomizer. Leave it out for classes of users."
            )
        classes = _read_classes(randomizer)
        set_fields(self, randomizer=classes, users=sum(users for _, users in classes), analyzer=None)
        each = participation if isinstance(participation, list | tuple) else [participation] * len(classes)
        if len(each) != len(classes):
            raise InvalidValueError(
                f"participation has {len(each)} entries for {len(classes)} classes of users. Pass one for each, or one."
            )
        away = [Absence.read(one, q, absence, dummy) for (one, _), q in zip(classes, each, strict=True)]
        shares = tuple(one.participation for one in away)
        if absence == LISTED and min(shares) < 1:
            raise InvalidValueError(
                'absence="listed" is not judged for classes of users. Pass "counted" or "hidden", or one class.'
            )
        set_fields(self, participation=shares, absence=absence, dummy=tuple(one.dummy for one in away))
        joint_kinds([one for one, _ in self.classes])

    @property
    def classes(self) -> Classes:
        """What a user of each class sends, who may be away, and the number of users."""
        away = zip(self.randomizer, self.participation, self.dummy, strict=True)
        return tuple((Absence(q, self.absence, dummy).applied(one), users) for (one, users), q, dummy in away)

    @property
    def may_be_away(self) -> bool:
        """Whether a user of some class may be away."""
        return bool(min(self.participation) < 1)

    @property
    def absence_words(self) -> str:
        """Who may be away and what is seen of it, as the end of a sentence about n users; empty for nobody."""
        away = zip(self.participation, self.dummy, strict=True)
        each = [(place, Absence(q, self.absence, dummy)) for place, (q, dummy) in enumerate(away) if q < 1]
        return "; ".join(f"of class {place}, {one.words}" for place, one in each)

    def __repr__(self) -> str:
        shares = ", ".join(map(str, self.participation))
        away = f", participation=({shares}), absence={self.absence!r}" if self.may_be_away else ""
        return f"ShuffleProtocol({self.randomizer!r}{away})"

    @property
    def numeric_randomizer(self) -> NoReturn:
        """Refuse: there are several."""
        raise InvalidValueError(
            f"the protocol has {len(self.classes)} classes of users with a randomizer each, and this question is about "
            "one. Ask privacy_profile, law or sample, or the protocol of one class: ShuffleProtocol(randomizer, n)."
        )

    def privacy_profile(
        self,
        *,
        neighbors: Neighbors = Neighbors.REPLACE_ONE,
        limit: int = DEFAULT_LIMIT,
        user_class: int | None = None,
    ) -> PrivacyProfile:
        """Return the profile over all data sets that differ in the input of one user, who stays in his class.

        Args:
            neighbors: REPLACE_ONE; a class that a user leaves would tell it.
            limit: as of one randomizer, where all classes run the same.
            user_class: the class of the user who differs, from 0; by default the worst.

        The answer lies between two proved ends, and says which classes serve. A class whose messages are of another
        kind, or have nothing in common with the others, is left to itself.
        """
        if read_neighbors(neighbors) is not Neighbors.REPLACE_ONE:
            raise InvalidValueError(
                "neighbors=add-or-remove-one is not defined for classes of users: the numbers of users are public. "
                "Pass Neighbors.REPLACE_ONE."
            )
        place = read_user_class(user_class, len(self.classes))
        reach = as_integer(limit, name="limit", at_least=1)
        return PrivacyProfile(UserClasses(self.classes, place, self.absence_words, reach))

    def pair_profile(self, first: Any, second: Any) -> NoReturn:
        """Refuse: two ends are known over all data sets."""
        raise InvalidValueError(
            "one pair of data sets of several classes of users is not judged by itself. Ask privacy_profile()."
        )

    @property
    def local_epsilon(self) -> LogRational | Real:
        """The largest eps0 of a class."""
        return max((randomizer.local_epsilon() for randomizer, _ in self.classes), key=cmp_to_key(_compared))

    @property
    def records(self) -> tuple[Any, ...]:
        """What a user can hold."""
        return tuple(self.classes[0][0].inputs)

    @property
    def alphabet(self) -> tuple[Any, ...]:
        """The messages of all classes, in the order of their counts."""
        return tuple(
            dict.fromkeys(message for randomizer, _ in self.classes for message in randomizer.tabulated.alphabet)
        )

    def law(self, dataset: Any) -> Law:
        """Return the exact law of the view: count vectors over ``alphabet``.

        Args:
            dataset: for each class its users' inputs in any order, or input -> number of users.

        Raises:
            InvalidDataSetError: where that is no data set of these classes.
            TooLargeError: for more than 10^7 pairs of outcomes, or families without a table.
        """
        from exactdp.privacy.shuffle.view_law import view_law

        alphabet = self.alphabet
        weights, total = {(0,) * len(alphabet): 1}, 1
        for (randomizer, _), counts in zip(self.classes, self.counts(dataset), strict=True):
            law, places = view_law(randomizer.tabulated, counts), _places(randomizer.tabulated.alphabet, alphabet)
            if (pairs := len(weights) * len(law)) > _MOST_PAIRS:
                raise TooLargeError(
                    f"the law of {len(self.classes)} classes of users takes {about(pairs)} pairs of outcomes, more "
                    f"than the limit of {about(_MOST_PAIRS)}. Use fewer users."
                )
            joint: defaultdict[tuple[int, ...], int] = defaultdict(int)
            for (seen, weight), (more, other) in product(weights.items(), law.weights.items()):
                view = list(seen)
                for place, count in zip(places, more, strict=True):
                    view[place] += count
                joint[tuple(view)] += weight * other
            weights, total = joint, total * law.total
        return Law.from_weights(weights, total)

    def plan(self, dataset: Any, *, nearest: bool) -> Any:
        """Return what has to be drawn for one view: the counts of each class, added up.

        They are of messages; of families of one kind without a table, of the messages that support each input.
        """
        from exactdp.protocols.sampling.views import SumOfPlans, shuffled_plan

        parts: list[Any] = []
        kinds = {_supporting(randomizer) for randomizer, _ in self.classes}
        if len(kinds) == 1 and None not in kinds:
            for (randomizer, users), one in zip(self.classes, self._each(dataset), strict=True):
                parts.append((shuffled_plan(randomizer, one, users), range(len(randomizer.inputs))))
            return SumOfPlans(tuple(parts), len(self.records))
        for (randomizer, users), one in zip(self.classes, self._each(dataset), strict=True):
            places = _places(randomizer.tabulated.alphabet, self.alphabet)
            parts.append((shuffled_plan(randomizer.tabulated, one, users), places))
        return SumOfPlans(tuple(parts), len(self.alphabet))

    def communication(self) -> Communication:
        """Return what one user sends, of the class that sends most."""
        each = [randomizer.communication() for randomizer, _ in self.classes]
        return max(each, key=lambda one: (_high(one.messages), one.symbols))

    def counts(self, dataset: Any) -> list[tuple[int, ...]]:
        """Return for each class how many of its users hold each input."""
        return [
            histogram(one, randomizer.inputs, users=users)
            for one, (randomizer, users) in zip(self._each(dataset), self.classes, strict=True)
        ]

    @property
    def parts(self) -> tuple[ShuffleProtocol, ...]:
        """The protocol of each class, as if its users had a shuffler of their own: what is drawn is the sum of theirs.

        >>> from exactdp import randomized_response
        >>> both = ShuffleProtocol([(randomized_response(3, exp_eps0=e), 500) for e in (2, 6)])
        >>> [part.n for part in both.parts]
        [500, 500]
        """
        return tuple(ShuffleProtocol(randomizer, users) for randomizer, users in self.classes)

    def merged(self) -> tuple[list[ShuffleProtocol], list[int]]:
        """Return ``parts``, where users who run the same are one class, and which of them each class is in.

        Data sets of two such classes are those of one: a view does not tell who is of which.
        """
        runs = list(zip((one for one, _ in self.randomizer), self.participation, self.dummy, strict=True))
        users = dict.fromkeys(runs, 0)
        for run, (_, n) in zip(runs, self.randomizer, strict=True):
            users[run] += n
        found = []
        for (one, q, dummy), n in users.items():
            is_law = isinstance(one, Randomizer) and isinstance(dummy, tuple) and dummy[0] != INPUT
            law = dict(dummy) if is_law else dummy
            found.append(ShuffleProtocol(one, n, participation=q, absence=self.absence, dummy=law))
        return found, [list(users).index(run) for run in runs]

    def accuracy(self, beta: Exact, *, simultaneous: bool = False) -> Fraction | Interval:
        """Return the optimal accuracy where all classes run one randomizer, and refuse it elsewhere.

        Of k-ary responses with different eps0 no estimate of all holders is unbiased. Let its expectation be F, linear
        in the row of each user. Let one user of class 1 and one of class 2 differ, and write D for the law of one
        category less that of another, U for the uniform law: the mean of the rows of either class. A holder more
        counts for one: F(g1 D, R2) = 1 for every row R2, so F(D, U) = 1 / g1, g1 the gap of class 1. But the view does
        not tell whose D is, and F(D, U) = 1 / g2 too.
        """
        randomizers = {randomizer for randomizer, _ in self.classes}
        if len(randomizers) == 1:
            return ShuffleProtocol(randomizers.pop(), self.n).accuracy(beta)
        raise InvalidValueError(
            f"the protocol has {len(self.classes)} classes of users, and shuffled messages do not tell of which they "
            "are: no one error of an estimate of all users is known. Ask those of users of one class, shuffled by "
            "themselves: [part.accuracy(beta) for part in protocol.parts]."
        )

    def _each(self, dataset: Any) -> Sequence[Any]:
        """Return the data set of each class."""
        if isinstance(dataset, Mapping) or not isinstance(dataset, Sequence) or len(dataset) != len(self.classes):
            raise InvalidDataSetError(
                f"a data set of {len(self.classes)} classes of users is a sequence with one entry for each. Pass "
                "({input: users, ...}, ...)."
            )
        return dataset

    @property
    def table(self) -> None:
        """None: there are several."""
        return None


def _places(own: Sequence[Any], alphabet: Sequence[Any]) -> list[int]:
    """Return where the messages of one class are among those of all."""
    at = {message: place for place, message in enumerate(alphabet)}
    return [at[message] for message in own]


def _supporting(randomizer: UserRandomizer) -> Any:
    """Return which messages support inputs; None where they are listed, or support none."""
    family = randomizer.family and randomizer.family.original  # of those who may be away
    if family is None or family.has_small_table or family.at_least().support_chances is None:
        return None
    return type(family), family.message_space


def _high(messages: Fraction | Interval) -> Fraction:
    return messages if isinstance(messages, Fraction) else messages.hi


def _compared(one: LogRational | Real, other: LogRational | Real) -> int:
    """Return -1, 0 or 1 as an eps0 is below, at or above another one."""
    ends = [eps for eps in (one, other) if isinstance(eps, LogRational) and eps.is_infinite]
    if ends:
        return (one in ends) - (other in ends)
    return compare_reals(*(eps if isinstance(eps, Real) else Real.log(Real(eps.argument)) for eps in (one, other)))


def _read_classes(given: Sequence[Any]) -> Classes:
    if not 1 <= len(given) <= _MOST_CLASSES:
        raise InvalidValueError(f"{len(given)} classes of users are given. Pass 1 to {_MOST_CLASSES}.")
    classes = []
    for place, entry in enumerate(given):
        if not isinstance(entry, Sequence) or len(entry) != 2 or not isinstance(entry[0], UserRandomizer):
            raise InvalidValueError(
                f"class {place} is {short(repr(entry))}, no pair. Pass (randomizer, number of users) for each class."
            )
        randomizer, users = entry
        if randomizer.family is not None and randomizer.family.lower_families() != (randomizer,):
            raise InvalidValueError(f"class {place} runs {randomizer!r}, which stands for many randomizers. Pass one.")
        classes.append((randomizer, as_integer(users, name=f"the number of users of class {place}", at_least=1)))
    first = _input_set(classes[0][0])
    for place, (randomizer, _) in enumerate(classes):
        if _input_set(randomizer) != first:
            raise InvalidValueError(
                f"class {place} reads other inputs than class 0. Pass randomizers with the same inputs."
            )
    return tuple(classes)


def _input_set(randomizer: Randomizer | FamilyRandomizer) -> Any:
    """Return what the inputs are, in any order; a range of the families as it is, of real numbers the interval."""
    if (numbers := randomizer.density) is not None:
        return numbers.input_space
    inputs = randomizer.inputs
    return inputs if isinstance(inputs, range) and len(inputs) > 4096 else frozenset(inputs)
