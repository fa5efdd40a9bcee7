"""Classes of a family, compared with the table that lists every message."""

from collections import Counter
from math import gcd, lcm

from exactdp.mechanisms.pair_table import pair_table


def covers_every_pair(family) -> bool:
    """Whether the classes of the family are those of its table, for every ordered pair and every other input.

    Three things: each pair that the family names has, in the table, exactly its classes. Each ordered pair has those of
    one of these, for every other input that it may meet. Every row sums to 1, and the local eps is that of the table.
    """
    table, named = family.table(), family.pair_tables()
    assert table.local_epsilon() == family.local_epsilon()
    assert table.inputs == tuple(family.inputs)
    scale, rows = _integer_rows(table)
    kinds = set()
    for pair in named:
        assert pair.others[:2] == (pair.first, pair.second)
        assert all(sum(c.others[place] for c in pair.classes) == 1 for place in range(len(pair.others)))
        assert pair_table(table, pair.first, pair.second, others=pair.others) == pair
        first, second, least = (
            [int(getattr(c, name) * scale) for c in pair.classes] for name in ("first", "second", "least")
        )
        columns = zip(*(c.others for c in pair.classes), strict=True)
        others = [[int(p * scale) for p in column] for column in columns]
        kinds.add(frozenset(_merged(first, second, least, other) for other in others))
    smallest = list(map(min, zip(*rows, strict=True)))
    for i, first in enumerate(rows):
        for j, second in enumerate(rows):
            met = frozenset(_merged(first, second, smallest, other) for other in rows)
            assert i == j or met in kinds, f"({i}, {j}) meets others of a kind that no pair of the family names"
    return True


def _integer_rows(table):
    """A common denominator, and for each input the weights of all messages, in one order."""
    laws = list(table.table().values())
    messages = sorted({sent for law in laws for sent in law})
    scale = lcm(*(p.denominator for law in laws for p in law.values()))
    return scale, [[int(law.get(sent, 0) * scale) for sent in messages] for law in laws]


def _merged(*columns):
    """Ratio -> total, of the messages of each ratio."""
    found = Counter()
    for vector, times in Counter(zip(*columns, strict=True)).items():
        if common := gcd(*vector):
            found[tuple(entry // common for entry in vector)] += common * times
    return frozenset(found.items())
