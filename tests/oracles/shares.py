"""Split and mix by enumeration: all shares of all users, and all matchings of the random graph behind its bound.

Nothing here imports the package.
"""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import permutations, product

Inputs = tuple[int, ...]


@cache
def view(inputs: Inputs, order: int, messages: int, *, separate: bool = False) -> dict[tuple[int, ...], Fraction]:
    """The law of the sorted messages, or of the sorted j-th messages one after the other."""
    views: Counter[tuple[int, ...]] = Counter()
    for free in product(product(range(order), repeat=messages - 1), repeat=len(inputs)):
        sent = [(*shares, (x - sum(shares)) % order) for x, shares in zip(inputs, free, strict=True)]
        seen = tuple(value for column in zip(*sent, strict=True) for value in sorted(column))
        views[seen if separate else tuple(sorted(seen))] += 1
    return {seen: Fraction(count, order ** ((messages - 1) * len(inputs))) for seen, count in views.items()}


def same_sum(users: int, order: int, residue: int) -> list[Inputs]:
    return [inputs for inputs in product(range(order), repeat=users) if sum(inputs) % order == residue]


@cache
def simulated(users: int, order: int, messages: int, residue: int, *, separate: bool = False):
    """The view of uniform inputs with this sum."""
    members = same_sum(users, order, residue)
    mixed: Counter[tuple[int, ...]] = Counter()
    for inputs in members:
        for seen, chance in view(inputs, order, messages, separate=separate).items():
            mixed[seen] += chance / len(members)
    return dict(mixed)


def distance(first, second) -> Fraction:
    return sum((abs(first.get(y, 0) - second.get(y, 0)) for y in {**first, **second}), Fraction(0)) / 2


def chi_squared(inputs: Inputs, order: int, messages: int, *, separate: bool = False) -> Fraction:
    """chi^2 of the view against the simulated one."""
    base = simulated(len(inputs), order, messages, sum(inputs) % order, separate=separate)
    return sum(p**2 / base[y] for y, p in view(inputs, order, messages, separate=separate).items()) - 1


def colourings(users: int, order: int, messages: int, *, average: bool, separate: bool) -> Fraction:
    """E[q^C] over every matching of the stubs: m permutations, or one of all nm stubs."""
    if separate:
        choices = product(permutations(range(users)), repeat=messages)
        matchings = ([(i, p[i]) for p in chosen for i in range(users)] for chosen in choices)
    else:
        whole = permutations(range(users * messages))
        matchings = ([(i // messages, p[i] // messages) for i in range(users * messages)] for p in whole)
    total = count = 0
    for edges in matchings:
        total += order ** _components(users, [*edges, *((i, i) for i in range(users) if average)])
        count += 1
    return Fraction(total, count)


def _components(users: int, edges: list[tuple[int, int]]) -> int:
    label = list(range(2 * users))
    for left, right in edges:
        old, new = label[users + right], label[left]
        label = [new if value == old else value for value in label]
    return len(set(label))
