"""Witnesses of claims about classes of users: swaps prove, and an event of message scores refutes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, combinations
from typing import Final

from exactdp.caching import cached_property
from exactdp.checker.budget import MalformedCertificateError, Work
from exactdp.checker.finite_laws import Randomizer
from exactdp.checker.neighboring_laws import ClassesView
from exactdp.claims.bracket_witnesses import coarser_scores, event_bits
from exactdp.claims.claimed_randomizers import UserClass
from exactdp.claims.encoding import JsonObject, Table, write_integer, write_integers
from exactdp.claims.exact_levels import level_ratio, level_terms
from exactdp.claims.swap_witnesses import StatedPair, SwapWitnesses, stated_pairs
from exactdp.mechanisms.randomizer import Row
from exactdp.numbers.epsilon import PrivacyLevel
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.classes_of_users import OneClass, WorstClass
from exactdp.privacy.amplification.guesses import excess_scores
from exactdp.privacy.amplification.input_pairs import mean_counts, score_law
from exactdp.privacy.amplification.lattice_bound import Scores, Threshold
from exactdp.privacy.amplification.swap_choices import guessed_size
from exactdp.privacy.engine import Engine

_END_BITS: Final = 20
"""Accuracy of the lower end that an event is to come near."""

_MOST_SCORE: Final = 64
"""Of a message."""

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
        used, pairs = list[tuple[int, ...]](), list[StatedPair]()
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

    def _beside(self, own: int, places: tuple[int, ...]) -> list[StatedPair]:
        """Return the pairs of a class beside the users of some."""
        with suppress(MalformedCertificateError):  # these tables do not share their messages
            around = replace(self.classes, differing=[own]).around([places], Work())
            return stated_pairs(around, has_blankets=False)
        return []

    def _are_usable(self, pairs: Sequence[StatedPair]) -> bool:
        """Whether there is a plan for each of some pairs."""
        return bool(pairs) and all(bound.plan(users, Real(self.ratio)) for bound, users in pairs)

    def _size(self, pairs: Iterable[StatedPair]) -> float:
        """Return about the logarithm of the largest bound."""
        return max(guessed_size(row, users, Real(self.ratio)) for bound, users in pairs for row in bound.rows)

    # --- Refutations ------------------------------------------------------------------------------------------------

    def refutations(self, engine: Engine) -> Iterator[JsonObject]:
        """Yield events of scores of messages beside the data set that attains the lower end, where all are tables."""
        tables = [one.randomizer for one in self.parts if isinstance(one.randomizer, Table)]
        shared = len({table.messages for table in tables}) == 1 and len(tables) == len(self.parts)
        if not (isinstance(engine, WorstClass) and shared):
            return
        engines = ((own, one) for own, one in engine.engines if isinstance(one, OneClass))
        found = [(one.lower_end(self.level.real, _END_BITS), own, one) for own, one in engines]
        (end, candidate), own, one = max(found, key=lambda each: each[0][0].lower)
        least = end.lower.fraction()
        if least <= self.delta:
            return
        counts, wide = one.data_sets(candidate)[0], len(one.labels)
        others = [[0] * len(table.rows) for table in tables]
        for place, each in enumerate(others):
            for label, many in zip(one.labels, counts[place * wide : (place + 1) * wide], strict=True):
                each[label] = many
        first, second = candidate.table.first, candidate.table.second
        others[own][first] -= 1
        rows, held = list(chain(*(table.rows for table in tables))), list(chain(*others))
        before = sum(len(table.rows) for table in tables[:own])
        event = _Event(rows, held, before + first, before + second, tables[own].messages)
        bits = event_bits(event.users, (least - self.delta) / least, least)
        for scores, (threshold, gain) in event.tried(self.level.real, level_ratio(self.level, above=True), bits):
            if gain > self.delta:
                yield {
                    "event": {
                        "user_class": write_integer(own),
                        "first": write_integer(first),
                        "second": write_integer(second),
                        "others": [write_integers(each) for each in others],
                        "scores": write_integers(scores),
                        "threshold": write_integer(threshold),
                        "bits": str(bits),
                    },
                    **level_terms(self.level),
                }
                return


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

    def tried(self, level: Real, ratio: Fraction, bits: int) -> Iterator[tuple[list[int], Threshold]]:
        """Yield scores of messages with the best threshold, finer and finer ones."""
        fine = self._scores(level)
        for scores in coarser_scores(fine, self._mixed([score_law(row, fine) for row in self.rows]), self.users):
            laws = [dict(score_law(row, scores)) for row in self.rows]
            best = Scores(laws, self.first, self.second, list(self.held), ratio, bits).best()
            yield [scores[m] for m in range(self.messages)], best

    def _scores(self, level: Real) -> dict[int, int]:
        """Return scores that tell the two rows apart: what no other user sends tells most."""
        means = [mean_counts(row) for row in self.rows]
        p, q, mean = means[self.first], means[self.second], self._mixed(means)
        scores = {m: _MOST_SCORE * ((p[m] > q[m]) - (p[m] < q[m])) for m in range(self.messages)}
        common = [m for m in scores if mean.get(m)]
        told = excess_scores([(p[m], q[m], mean[m]) for m in common], level, _MOST_SCORE)
        return scores | dict(zip(common, told, strict=True))

    def _mixed(self, laws: Iterable[Mapping[int, Fraction]]) -> dict[int, Fraction]:
        """Return the mean over the others."""
        mixed = dict[int, Fraction]()
        for law, many in zip(laws, self.held, strict=True):
            for key, value in law.items():
                mixed[key] = mixed.get(key, Fraction(0)) + Fraction(many, self.users) * value
        return mixed
