"""What a claim holds of a shuffle protocol: its randomizer as a table or a family, its users, the relation."""

from __future__ import annotations

from exactdp.claims.claimed_families import ClaimedRandomizer, claimed_family, is_claimed
from exactdp.claims.encoding import Table
from exactdp.errors import InvalidValueError
from exactdp.mechanisms.neighbors import Neighbors
from exactdp.numbers.formats import short
from exactdp.protocols.interface import Protocol


def stated_randomizer(protocol: Protocol) -> ClaimedRandomizer:
    """Return the protocol's randomizer as a claim about replacing an input holds it: a family by its parameters."""
    family = getattr(getattr(protocol, "randomizer", None), "family", None)  # what is passed may be anything
    if family is None or (not is_claimed(family) and family.has_small_table):
        return stated_table(protocol)
    return claimed_family(family)


def stated_table(protocol: Protocol) -> Table:
    """Return the table of the protocol's randomizer, or refuse what has none."""
    randomizer = getattr(protocol, "numeric_randomizer", None)
    if randomizer is None:
        raise InvalidValueError(
            f"protocol is a {type(protocol).__name__}, without a randomizer. Pass a ShuffleProtocol; for a count plus "
            "noise claim Claim.shift_dp(noise, shift=...)."
        )
    if (table := randomizer.listed()) is None:
        raise InvalidValueError(
            f"the randomizer {randomizer.name} has no table of at most 65536 entries, and this claim needs one: of "
            "a family it is claimed that it is (eps, delta)-DP for replace-one neighbours, with least=None. Use "
            "fewer inputs."
        )
    return Table.of(table)


def sends_one_of_two(table: Table) -> bool:
    """Whether every user sends exactly one of two messages."""
    return table.messages == 2 and all(len(send) == 1 for row in table.rows for send, _ in row)


def two_message_table(protocol: Protocol) -> Table:
    """Return the table of a randomizer that sends exactly one of two messages, or refuse another one."""
    table = stated_table(protocol)
    if not sends_one_of_two(table):
        raise InvalidValueError(
            f"the randomizer has {table.messages} messages, and some user sends none, several, or one of more than "
            "two: this claim is about exactly one of two messages. Pass it to Claim.shuffle_dp."
        )
    return table


def stated_users(protocol: Protocol) -> int:
    """Return the number of users, or refuse a random one."""
    users = getattr(protocol, "users", None)
    if not isinstance(users, int):
        raise InvalidValueError(
            f"n is random, by {short(repr(users))}, and no certificate speaks of that. Claim it for one n, "
            "with ShuffleProtocol(randomizer, 1000), or for every n from one on, with all_n_from=1000."
        )
    return users


def stated_relation(neighbors: object) -> Neighbors:
    """Return the neighbouring relation, or refuse what is none."""
    if not isinstance(neighbors, Neighbors):
        raise InvalidValueError(
            f"neighbors={neighbors!r} is no neighbouring relation. Pass Neighbors.REPLACE_ONE, say."
        )
    return neighbors
