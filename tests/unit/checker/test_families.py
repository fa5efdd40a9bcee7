"""The families of the checker beside those of the package, which were made apart: the same classes, at any size."""

from fractions import Fraction

import pytest

from exactdp.checker.budget import Work
from exactdp.checker.families import Family, read_family
from exactdp.checker.pair_classes import law_of_values
from exactdp.mechanisms.clipped_discrete_laplace_family import ClippedDiscreteLaplace
from exactdp.mechanisms.hadamard_response_family import HadamardResponse
from exactdp.mechanisms.k_ary_family import KAryResponse
from exactdp.mechanisms.local_hashing_family import LocalHashing
from exactdp.mechanisms.subset_selection_family import SubsetSelection
from exactdp.mechanisms.unary_encoding_family import UnaryEncoding
from tests.together import together

SIZES = (2, 3, 4, 7, 16, 10**6)


def families():
    """Each with what a claim has; 9/4 is a square, so that unary encoding is exact."""
    level = {"exp_eps0": "9/4"}
    for d in SIZES:
        inputs = {"inputs": str(d)}
        yield {"family": "k-ary", **inputs, **level}, KAryResponse(d, exp_eps0="9/4")
        yield {"family": "unary-encoding", **inputs, "one": "3/5", "other": "2/5"}, UnaryEncoding(d, exp_eps0="9/4")
        optimized = UnaryEncoding(d, exp_eps0="9/4", optimized=True)
        yield {"family": "unary-encoding", **inputs, "one": "1/2", "other": "4/13"}, optimized
        yield {"family": "hadamard", **inputs, **level}, HadamardResponse(d, exp_eps0="9/4")
        for w in {1, d // 2, d - 1}:
            subsets = SubsetSelection(d, exp_eps0="9/4", size=w)
            yield {"family": "subset-selection", **inputs, "size": str(w), **level}, subsets
        for g in (2, 5):
            hashes = LocalHashing(d, exp_eps0="9/4", buckets=g)
            yield {"family": "local-hashing", **inputs, "buckets": str(g), **level}, hashes


FAMILIES = list(families())


def law_of(classes, ratio):
    """The law of values without 0, to which a blanket gives what is left over."""
    charge, values = law_of_values(classes, ratio, Work())
    return charge, {value: masses for value, masses in values.items() if value}


@together(("claimed", "family"), FAMILIES, ids=[" ".join(claimed.values()) for claimed, _ in FAMILIES])
def test_the_classes_are_those_of_the_package(claimed, family):
    read = read_family(claimed, Work())
    assert isinstance(read, Family)
    for table in family.pair_tables():
        for ratio in (Fraction(1), Fraction(9, 8), Fraction(4)):
            least = [(c.first, c.second, c.least) for c in table.classes]
            assert law_of(read.blanket(), ratio) == law_of(least, ratio)
            for place, where in enumerate(["first", "second", "third"][: len(table.others)]):
                held = [(c.first, c.second, c.others[place]) for c in table.classes]
                if where == "third" and family.name.startswith("hadamard"):
                    where = "xor" if table.first + 1 ^ table.second + 1 == table.others[2] + 1 else "third"
                assert law_of(read.others(where), ratio) == law_of(held, ratio)


@pytest.mark.parametrize("top", [1, 2, 5])
def test_the_table_of_a_clipped_discrete_laplace_law(top):
    family = ClippedDiscreteLaplace(top, exp_eps0=11)
    read = read_family({"family": "clipped-discrete-laplace", "top": str(top), "ratio": str(family.ratio)}, Work())
    rows = [[Fraction(weight, read.denominator) for weight in row.values()] for row in read.rows]
    assert rows == list(family.rows())
