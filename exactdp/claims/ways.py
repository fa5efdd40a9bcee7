"""In which ways the checker can confirm a claim: of one statement about n users there may be claims of several kinds.

A shuffled randomizer is a table or a family with its parameters, and (eps, delta)-DP of it is a claim ``shuffle_dp`` of
either. They say the same by definition: the messages of a family's table are its messages, and a view has no labels.
What differs is the check, and with it the n and the delta that it reaches. Of one claim there may be several witnesses:
which of them is tried first is for the statement to say, in the order of this list.

``certify`` goes through these ways in their order, and ``exactdp check`` prints them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from exactdp.checker.limits import MAX_FAMILY_USERS, MAX_INPUTS, MAX_MESSAGES, MAX_SENT, MAX_USERS
from exactdp.claims.cost import FAST_WORK
from exactdp.claims.encoding import Table
from exactdp.claims.kinds.privacy import ShuffleDP, table_work
from exactdp.claims.kinds.two_messages import sends_one_of_two
from exactdp.claims.randomizer_specs import Family, RandomizerSpec
from exactdp.claims.statement import Statement
from exactdp.mechanisms.dataset import Neighbors
from exactdp.mechanisms.k_ary_family import KAryResponse
from exactdp.privacy.protocol_reach import largest_size

LISTED: Final = "all views listed"
COMPARED: Final = "all data sets of two messages compared"
BOUNDED: Final = "a bound or a test"
"""A blanket or a swap proves a delta above its bound of all pairs, a test refutes one below its bound of some pair."""
ENCLOSED: Final = "enclosed weights"


@dataclass(frozen=True, slots=True)
class Way:
    """A way in which a statement can have a certificate.

    Args:
        statement: what is claimed then: the statement itself, or one that says the same.
        method: what the checker does.
        work: a bound of its work in its own units; None where that depends on delta, or is too large.
        fits: whether the claim is within the limits of the checker.
    """

    statement: Statement
    method: str
    work: int | None
    fits: bool

    @property
    def largest(self) -> int | None:
        """The largest number of users up to which it is sure to fit; None beyond 10^6."""
        stated = self.statement
        if not isinstance(stated, ShuffleDP):
            return None
        if self.method == COMPARED:
            return largest_size(lambda n: _of_users(stated, n).compared is not None)
        if self.method == BOUNDED:
            is_table = isinstance(stated.mechanism.randomizer, Table) and _as_family(stated) is None
            return MAX_USERS if is_table else MAX_FAMILY_USERS
        return largest_size(lambda n: table_work(_of_users(stated, n).mechanism) is not None)


def ways(stated: Statement) -> tuple[Way, ...]:
    """Return the ways in which a statement can have a certificate, the first that is to be tried first.

    The statement is claimed as it stands unless its views would be listed for seconds, or another claim alone fits.
    """
    if not isinstance(stated, ShuffleDP):
        return (Way(stated, ENCLOSED, None, True),)
    found = list(_ways_of_view(stated))
    work = next((way.work for way in found if way.statement == stated and way.method == LISTED), None)
    if work is None:
        order = (BOUNDED, COMPARED, LISTED)
    else:
        order = (LISTED, BOUNDED, COMPARED) if work <= FAST_WORK else (COMPARED, LISTED, BOUNDED)
    return tuple(sorted(found, key=lambda way: (not way.fits, order.index(way.method))))


def equivalent_statements(stated: Statement) -> tuple[Statement, ...]:
    """Return the statement and those that say the same and may have a certificate, in the order of ``ways``."""
    same: list[Statement] = []
    for found in (*(way.statement for way in ways(stated) if way.fits), stated):
        if found not in same:
            same.append(found)
    return tuple(same)


def claim_name(stated: Statement) -> str:
    """Return what tells a claim from those that say the same: its kind, and what it holds of the randomizer."""
    if not isinstance(stated, ShuffleDP):
        return stated.kind
    randomizer = stated.mechanism.randomizer
    name = randomizer.encode().get("family")
    return f"{stated.kind} of the {'table' if name is None else f'family {name}'}"


def _ways_of_view(stated: ShuffleDP) -> Iterator[Way]:
    """Yield all ways for a shuffled randomizer; those that list views are about its table."""
    view = stated.mechanism
    is_plain = stated.least is None and view.neighbors is Neighbors.REPLACE_ONE
    table = _small_table(view.randomizer)
    listed = None if table is None else replace(stated, mechanism=replace(view, randomizer=table))
    work = None if listed is None else table_work(listed.mechanism)
    if table is not None and listed is not None:
        yield Way(listed, LISTED, work, work is not None)
        if is_plain and sends_one_of_two(table):
            compared = listed.compared
            yield Way(listed, COMPARED, None if compared is None else compared.work, compared is not None)
    family = _as_family(stated)
    if not is_plain or (table is None and isinstance(view.randomizer, Table) and family is None):
        return
    if family is not None and (family is view.randomizer or view.n > MAX_USERS):
        bounded = replace(stated, mechanism=replace(view, randomizer=family))
        yield Way(bounded, BOUNDED, None, view.n <= MAX_FAMILY_USERS)
    else:
        most = MAX_USERS if isinstance(view.randomizer, Table) else MAX_FAMILY_USERS
        yield Way(stated, BOUNDED, None, view.n <= most)


def _small_table(randomizer: RandomizerSpec) -> Table | None:
    """Return the table within the limits of the format; None where there is none."""
    if isinstance(randomizer, Family):
        family = randomizer.randomizer()
        if len(family.inputs) > MAX_INPUTS or not family.has_small_table:
            return None
        randomizer = Table.of(family.table())
    if not isinstance(randomizer, Table):
        return None
    sent = max((len(send) for row in randomizer.rows for send, _ in row), default=0)
    fits = len(randomizer.rows) <= MAX_INPUTS and randomizer.messages <= MAX_MESSAGES and sent <= MAX_SENT
    return randomizer if fits else None


def _as_family(stated: ShuffleDP) -> RandomizerSpec | None:
    """Return the family of which the randomizer is: a table that is k-ary response is recognized, whatever its labels.

    Its rows are those of k inputs that are sent as they are with probability p, and else, with probability q < p each,
    as one of the k - 1 other messages.
    """
    randomizer = stated.mechanism.randomizer
    if not isinstance(randomizer, Table):
        return randomizer
    size = len(randomizer.rows)
    rows = [{send: p for send, p in row if p} for row in randomizer.rows]
    if size != randomizer.messages or size < 2 or any(len(row) != size for row in rows):
        return None
    if any(len(send) != 1 for row in rows for send in row):
        return None
    own = [max(row, key=row.__getitem__) for row in rows]
    kept = {row[send] for row, send in zip(rows, own, strict=True)}
    others = {p for row, send in zip(rows, own, strict=True) for other, p in row.items() if other != send}
    if len(set(own)) != size or len(kept) != 1 or len(others) != 1 or kept == others:
        return None
    return Family(KAryResponse(size, exp_eps0=Fraction(kept.pop(), others.pop())))


def _of_users(stated: ShuffleDP, n: int) -> ShuffleDP:
    return replace(stated, mechanism=replace(stated.mechanism, n=n))
