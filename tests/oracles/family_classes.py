"""Classes of a family, compared with the table that lists every message."""

from fractions import Fraction

from exactdp.models.pair_table import PairTable, pair_table


def covers_every_pair(family) -> bool:
    """Whether the classes of the family are those of its table, for every ordered pair and every other input.

    Three things: each pair that the family names has, in the table, exactly its classes. Each ordered pair has those of
    one of these, for every other input that it may meet. Every row sums to 1, and the local eps is that of the table.
    """
    table, named = family.table(), family.pair_tables()
    assert table.local_epsilon() == family.local_epsilon()
    assert table.inputs == tuple(family.inputs)
    for pair in named:
        assert pair.others[:2] == (pair.first, pair.second)
        assert all(sum(c.others[place] for c in pair.classes) == 1 for place in range(len(pair.others)))
        assert pair_table(table, pair.first, pair.second, others=pair.others) == pair
    kinds = {frozenset(_between(pair, other) for other in pair.others) for pair in named}
    for first in table.inputs:
        for second in table.inputs:
            if first != second:
                whole = pair_table(table, first, second, others=table.inputs)
                met = frozenset(_between(whole, other) for other in table.inputs)
                assert met in kinds, f"({first}, {second}) meets others of a kind that no pair of the family names"
    return True


def _between(pair: PairTable, other) -> tuple[tuple[Fraction, ...], ...]:
    """The classes of the pair and one other input."""
    return tuple((c.first, c.second, c.least, *c.others) for c in pair.among((other,)).classes)
