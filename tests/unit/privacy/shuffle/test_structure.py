"""The reductions of a table lose no view: charts, mixtures, twins, choices that are visited."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product

from hypothesis import given
from hypothesis import strategies as st

from exactdp import Neighbors, Randomizer, randomized_response
from exactdp.numbers.packed import Packing
from exactdp.privacy.shuffle.products import SparsePacking, all_products, one_product
from exactdp.privacy.shuffle.structure import (
    Chart,
    Structure,
    coordinates_of,
    count_laws,
    non_increasing_count,
    slot_of,
    twin_classes,
)
from exactdp.testing import randomizers
from tests.expensive import one_in

VECTORS = st.integers(1, 3).flatmap(
    lambda d: st.lists(st.lists(st.integers(0, 4), min_size=d, max_size=d).map(tuple), min_size=1, max_size=6)
)


@one_in(2)
@given(VECTORS, st.integers(1, 3))
def test_charts_determine_every_sum(vectors, users):
    chart = Chart.of(vectors)
    for chosen in combinations_with_replacement(sorted(set(vectors)), users):
        total = tuple(map(sum, zip(*chosen, strict=True)))
        inner = tuple(sum(column) for column in zip(*map(chart.coordinates, chosen), strict=True))
        assert min(inner, default=0) >= 0
        assert chart.counts(inner, users) == total


@one_in(2)
@given(st.lists(st.integers(1, 6), min_size=0, max_size=4), st.data())
def test_slots(extents, data):
    vector = tuple(data.draw(st.integers(0, extent - 1)) for extent in extents)
    slot = slot_of(vector, extents)
    assert coordinates_of(slot, extents) == vector
    size = 1
    for extent in extents:
        size *= extent
    assert 0 <= slot < size


@one_in(2)
@given(randomizers())
def test_count_laws(randomizer):
    laws, denominator = count_laws(randomizer)
    for row, law in zip(randomizer.rows, laws, strict=True):
        expected = {}
        for send, p in row:
            key = tuple(send.count(m) for m in range(len(randomizer.alphabet)))
            expected[key] = expected.get(key, 0) + p
        assert {v: Fraction(w, denominator) for v, w in law.items()} == expected


def test_mixtures_and_equal_rows_are_dropped():
    rows = {
        "a": {(0,): "1"},
        "b": {(1,): "1"},
        "middle": {(0,): "1/3", (1,): "2/3"},
        "a again": {(0,): "1"},
    }
    structure = Structure.of(Randomizer(rows), Neighbors.REPLACE_ONE)
    assert [i for i, _ in structure.differing] == [0, 1]


def are_twins(laws, i, j):
    """By trying every renaming of the messages."""
    swap = {i: j, j: i}
    size = len(next(iter(laws[0])))
    return any(
        all(
            {tuple(v[m] for m in names): w for v, w in law.items()} == laws[swap.get(k, k)]
            for k, law in enumerate(laws)
        )
        for names in permutations(range(size))
    )


@one_in(2)
@given(randomizers(min_inputs=2, max_inputs=4))
def test_twins_are_twins(randomizer):
    laws, _ = count_laws(randomizer)
    classes = twin_classes(laws)
    for j, i in enumerate(classes):
        assert i <= j
        assert classes[i] == i
        assert i == j or are_twins(laws, i, j)


def test_all_inputs_of_randomized_response_are_twins():
    laws, _ = count_laws(randomized_response(4, gamma="1/2"))
    assert twin_classes(laws) == (0, 0, 0, 0)


@one_in(2)
@given(st.lists(st.integers(0, 2), min_size=1, max_size=4), st.integers(0, 6))
def test_every_choice_is_visited_once(labels, users):
    """All multiplicities, at least as many of the earlier of two laws with the same label, each with its product."""
    first = [labels.index(label) for label in labels]
    wanted = {
        counts
        for counts in product(range(users + 1), repeat=len(first))
        if sum(counts) == users
        and all(counts[i] >= counts[j] for j in range(len(first)) for i in range(j) if first[i] == first[j])
    }
    packing = Packing(slots=users * len(first) + 1, denominator=10, users=users, multiplier_bits=0)
    terms = [((0, 3), (k + 1, 7)) if k else ((0, 4), (1, 6)) for k in range(len(first))]
    for make in (packing.law, SparsePacking(10).law):
        laws = [make(t) for t in terms]
        visited = list(all_products(laws, users, first))
        assert Counter(counts for counts, _ in visited) == Counter(wanted)
        for counts, law in visited:
            expected = one_product(laws, counts, dimension=2)
            found, plain = (dict(x.weights()) if make == packing.law else x.slots for x in (law, expected))
            assert found == plain
    assert non_increasing_count(users, first) == len(wanted)


@given(randomizers(min_inputs=2, max_inputs=4), st.integers(1, 5), st.sampled_from(list(Neighbors)))
@one_in(2)
def test_the_bounds_of_the_work_are_bounds(randomizer, users, neighbors):
    structure = Structure.of(randomizer, neighbors)
    if not structure.pairs:
        return
    seen = 0
    for counts in product(range(users), repeat=len(structure.bystanders)):
        if sum(counts) == users - 1:
            pairs = structure.pairs_among(counts)
            assert len(pairs) <= structure.pair_bound(users)
            seen += len(pairs)
    assert seen > 0
