"""Witnesses of claims about classes of users: swaps prove, and an event of message scores refutes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, combinations, product
from typing import Any, Final

from exactdp.caching import cached_property
from exactdp.checker.budget import MalformedCertificateError, Work
from exactdp.checker.dummies import NAMED
from exactdp.checker.finite_laws import Randomizer
from exactdp.checker.limits import MAX_FAIR_BITS
from exactdp.checker.neighboring_laws import ClassesView
from exactdp.claims.bracket_witnesses import coarser_scores, event_bits
from exactdp.claims.encoding import JsonObject, Table, write_integer, write_integers
from exactdp.claims.exact_levels import level_ratio, level_terms
from exactdp.claims.randomizer_specs import UserClass
from exactdp.claims.swap_witnesses import BoundedPair, SwapWitnesses, bounded_pairs
from exactdp.mechanisms.joint_classes import cuts_between
from exactdp.mechanisms.randomizer import Row
from exactdp.mechanisms.unary_encoding_family import IndependentBits
from exactdp.numbers.epsilon import PrivacyLevel
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.classes_of_users import OneClass, WorstClass
from exactdp.privacy.amplification.guesses import excess_scores
from exactdp.privacy.amplification.input_pairs import mean_counts, score_law
from exactdp.privacy.amplification.lattice_bound import Scores, Threshold
from exactdp.privacy.amplification.positive_part import mixture_of
from exactdp.privacy.amplification.swap_choices import guessed_size
from exactdp.privacy.engine import Engine

_END_BITS: Final = 20
"""Accuracy of the lower end that an event is to come near."""

_MOST_SCORE: Final = 64
"""Of a message."""

_MOST_RANKED: Final = 512
"""Of more choices of one input for each class only those with one and the same are ranked."""

_FEW: Final = 4
"""Of so many classes all sets are tried; of more each alone, all, and all but one."""


@dataclass(frozen=True)
class ClassWitnesses:
    """The swaps of a claim about classes of users: whose users are counted on is chosen for each class."""

    stated: JsonObject
    """The claim."""
    parts: Sequence[UserClass]
    level: PrivacyLevel
    delta: Fraction

    @cached_property
    def classes(self) -> ClassesView:
        """The users as the checker knows them."""
        return ClassesView.read(dict(self.stated), Work())

    # --- Proofs -----------------------------------------------------------------------------------------------------

    @cached_property
    def ratio(self) -> Fraction:
        """e^eps, or a number below it."""
        return level_ratio(self.level, above=False)

    def proofs(self) -> Iterator[JsonObject]:
        """Yield the swap bounds that show delta."""
        used, pairs = list[tuple[int, ...]](), list[BoundedPair]()
        for own in self.classes.differing:
            tried = ((places, self._beside(own, places)) for places in self._unions(own))
            usable = ((places, found) for places, found in tried if self._are_usable(found))
            sized = [(self._size(found), places, found) for places, found in usable]
            if not sized:
                return
            _, places, found = min(sized, key=lambda one: one[:2])
            used.append(places)
            pairs += found
        for swap in SwapWitnesses(pairs, self.ratio, self.delta).proofs():
            yield {"swap": {**swap, "used": [write_integers(places) for places in used]}, **level_terms(self.level)}

    def _unions(self, own: int) -> Iterator[tuple[int, ...]]:
        """Yield classes that may be counted on together: his own, and sets of tables."""
        yield (own,)
        tables = [place for place, (one, _) in enumerate(self.classes.classes) if isinstance(one, Randomizer)]
        if own in tables:
            few = range(1, len(tables) + 1) if len(tables) <= _FEW else {1, len(tables) - 1, len(tables)}
            yield from (places for size in few for places in combinations(tables, size) if places != (own,))

    def _beside(self, own: int, places: tuple[int, ...]) -> list[BoundedPair]:
        """Return the pairs of a class beside the users of some."""
        with suppress(MalformedCertificateError):  # these tables do not share their messages
            around = replace(self.classes, differing=[own]).around([places], Work())
            return bounded_pairs(around, has_blankets=False)
        return []

    def _are_usable(self, pairs: Sequence[BoundedPair]) -> bool:
        """Whether there is a plan for each of some pairs."""
        return bool(pairs) and all(bound.plan(users, Real(self.ratio)) for bound, users in pairs)

    def _size(self, pairs: Iterable[BoundedPair]) -> float:
        """Return about the logarithm of the largest bound."""
        return max(guessed_size(row, users, Real(self.ratio)) for bound, users in pairs for row in bound.rows)

    # --- Refutations ------------------------------------------------------------------------------------------------

    def refutations(self, engine: Engine) -> Iterator[JsonObject]:
        """Yield events of scores of messages: of tables beside the data set that attains the lower end, of families of
        one name beside about the best of those whose classes hold one input each."""
        if not isinstance(engine, WorstClass):
            return
        with suppress(MalformedCertificateError):  # of other families, and of too many bits
            found = self._of_families(engine) if self.classes.has_families else self._of_tables(engine)
            if found is None or found.least <= self.delta:
                return
            ratio, bits = level_ratio(self.level, above=True), self._bits(found.event.users, found.least)
            for scores, (threshold, gain) in found.event.tried(self.level.real, ratio, bits):
                if gain > self.delta:
                    yield {
                        "event": {
                            "user_class": write_integer(found.own),
                            "first": write_integer(found.first),
                            "second": write_integer(found.second),
                            "others": [write_integers(each) for each in found.others],
                            "scores": write_integers(scores),
                            "threshold": write_integer(threshold),
                            "bits": str(bits),
                            **({} if found.cuts is None else {"cuts": write_integers(found.cuts)}),
                        },
                        **level_terms(self.level),
                    }
                    return

    def _bits(self, users: int, least: Fraction) -> int:
        """Return a precision for an event of about a divergence."""
        return event_bits(users, (least - self.delta) / least, least)

    def _of_tables(self, engine: WorstClass) -> _DataSet | None:
        tables = [one.randomizer for one in self.parts if isinstance(one.randomizer, Table)]
        if len({table.messages for table in tables}) != 1 or len(tables) != len(self.parts):
            return None
        engines = ((own, one) for own, one in engine.engines if isinstance(one, OneClass))
        found = [(one.lower_end(self.level.real, _END_BITS), own, one) for own, one in engines]
        (end, candidate), own, one = max(found, key=lambda each: each[0][0].lower)
        counts, wide = one.data_sets(candidate)[0], len(one.labels)
        others = [[0] * len(table.rows) for table in tables]
        for place, each in enumerate(others):
            for label, many in zip(one.labels, counts[place * wide : (place + 1) * wide], strict=True):
                each[label] = many
        first, second = candidate.table.first, candidate.table.second
        others[own][first] -= 1
        return _DataSet([table.rows for table in tables], own, first, second, others, end.lower.fraction())

    def _of_families(self, engine: WorstClass) -> _DataSet | None:
        least, places = engine.lower(self.level.real, _END_BITS).lower.fraction(), range(len(self.classes.classes))
        if least <= self.delta:
            return None
        bits, found = self._bits(sum(n for _, n in self.classes.classes), least), dict[float, _DataSet]()
        for own in self.classes.differing:
            cuts = self._cuts(own)
            tables = [_rows(table) for table in self.classes.tested(tuple(cuts), bits, Work())]
            users, inputs = self.classes.users(own, places), range(len(tables[0]))
            listed = (
                product(inputs, repeat=len(places))
                if len(inputs) ** len(places) <= _MOST_RANKED
                else ((row,) * len(places) for row in inputs)
            )
            for held in listed:
                others = [[many * (row == at) for row in inputs] for at, many in zip(held, users, strict=True)]
                data_set = _DataSet(tables, own, 0, 1, others, least, cuts)
                found[data_set.event.size(self.level.real)] = data_set
        return found[max(found)]

    def _cuts(self, own: int) -> list[int]:
        """Return numbers of ones that tell unary encodings of one class from those of another; else none."""
        members: list[Any] = [one.randomizer.randomizer() for one in self.parts]
        bits = [one for one in members if isinstance(one, IndependentBits)]
        if len(bits) < len(members) or bits[own].d > MAX_FAIR_BITS:
            return []
        return cuts_between(bits, own, bits[own].d - min(NAMED, bits[own].d))


def _rows(table: Randomizer) -> list[Row]:
    """Return the rows of a table of the checker, of which no user sends several messages."""
    return [
        tuple(((sent.index(1),), Fraction(weight, table.denominator)) for sent, weight in row.items())
        for row in table.rows
    ]


@dataclass(frozen=True)
class _DataSet:
    """A data set, of which each class has so many others at each row of its own, and its divergence, about."""

    rows: Sequence[Sequence[Row]]
    own: int
    first: int
    second: int
    others: Sequence[Sequence[int]]
    least: Fraction
    cuts: Sequence[int] | None = None

    @cached_property
    def event(self) -> _Event:
        """What its scores are made of."""
        before, every = sum(map(len, self.rows[: self.own])), list(chain(*self.rows))
        messages = 1 + max(m for row in every for send, _ in row for m in send)
        return _Event(every, list(chain(*self.others)), before + self.first, before + self.second, messages)


@dataclass(frozen=True)
class _Event:
    """Rows of all classes, how many others have each, and the two rows of the user who differs."""

    rows: Sequence[Row]
    held: Sequence[int]
    first: int
    second: int
    messages: int

    @property
    def users(self) -> int:
        return sum(self.held)

    def size(self, level: Real) -> float:
        """Return about the logarithm of the divergence beside others who draw their class."""
        p, q, mean = self._means
        zero = Fraction(0)
        classes = ((p.get(m, zero), q.get(m, zero), mean.get(m, zero)) for m in range(self.messages))
        return guessed_size(mixture_of(sorted(classes)), self.users + 1, level)

    @property
    def _means(self) -> tuple[Mapping[int, Fraction], Mapping[int, Fraction], Mapping[int, Fraction]]:
        """The mean numbers of each message of the user who differs, twice, and of one of the others."""
        means = [mean_counts(row) for row in self.rows]
        return means[self.first], means[self.second], self._mixed(means)

    def tried(self, level: Real, ratio: Fraction, bits: int) -> Iterator[tuple[list[int], Threshold]]:
        """Yield scores of messages with the best threshold, finer and finer ones."""
        fine = self._scores(level)
        for scores in coarser_scores(fine, self._mixed([score_law(row, fine) for row in self.rows]), self.users):
            laws = [dict(score_law(row, scores)) for row in self.rows]
            best = Scores(laws, self.first, self.second, list(self.held), ratio, bits).best()
            yield [scores[m] for m in range(self.messages)], best

    def _scores(self, level: Real) -> dict[int, int]:
        """Return scores that tell the two rows apart: what no other user sends tells most."""
        p, q, mean = self._means
        scores = {m: _MOST_SCORE * ((p[m] > q[m]) - (p[m] < q[m])) for m in range(self.messages)}
        common = [m for m in scores if mean.get(m)]
        found = excess_scores([(p[m], q[m], mean[m]) for m in common], level, _MOST_SCORE)
        return scores | dict(zip(common, found, strict=True))

    def _mixed(self, laws: Iterable[Mapping[int, Fraction]]) -> dict[int, Fraction]:
        """Return the mean over the others."""
        mixed = dict[int, Fraction]()
        for law, many in zip(laws, self.held, strict=True):
            for key, value in law.items():
                mixed[key] = mixed.get(key, Fraction(0)) + Fraction(many, self.users) * value
        return mixed
