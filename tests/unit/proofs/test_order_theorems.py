"""The theorems on the order of mean excesses and on the checker's lattice, each on concrete laws and protocols.

The values come from plain enumeration; the program on integers is also run by Coq, and gives what the checker computes.
"""

from __future__ import annotations

import re
import subprocess
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.checker.blanket import Lattice, least_values
from exactdp.checker.budget import Work
from exactdp.proofs import development
from exactdp.proofs.development import files
from exactdp.proofs.order import on_a_lattice
from tests.oracles.positive_parts import by_counts, by_powers, by_sequences, divergence
from tests.unit.proofs.changed_statements import build, needs_coq
from tests.unit.proofs.test_blanket_theorems import ORDER, ZEROS, columns, exact_delta, least

numbers = st.fractions(-4, 4, max_denominator=6)
laws = st.dictionaries(numbers, st.integers(1, 6), min_size=1, max_size=4).map(
    lambda weights: [(Fraction(w, sum(weights.values())), v) for v, w in weights.items()]
)
copies = st.integers(1, 5)


def spread(law, step):
    """On the multiples of the step, mean for mean."""
    placed = []
    for p, v in law:
        place, rest = divmod(v, step)
        placed += [(p * (1 - rest / step), place * step), (p * rest / step, (place + 1) * step)]
    return [(p, v) for p, v in placed if p]


@settings(max_examples=25)
@given(laws, copies)
def test_one_copy_more_lowers_the_mean_excess(law, n):
    assert by_counts(law, n + 1) <= by_counts(law, n)


@settings(max_examples=25)
@given(laws, copies)
def test_the_mean_excess_of_the_other_sign(law, n):
    mean = sum((p * v for p, v in law), Fraction(0))
    assert by_counts(law, n) == mean + by_counts([(p, -v) for p, v in law], n)


@settings(max_examples=25)
@given(laws, st.integers(1, 4), st.fractions(Fraction(1, 8), 3, max_denominator=8))
def test_a_lattice_raises_the_mean_excess_and_twice_its_step_raises_it_again(law, n, step):
    once = spread(law, step)
    assert by_powers(law, n) <= by_powers(once, n) <= by_powers(spread(once, 2 * step), n)


@pytest.mark.parametrize("users", [1, 2, 3])
def test_reference_bound_larger(users):
    """Half of the blanket, and the blanket without one of its messages, against the exact worst case."""
    blanket = least(ZEROS, ZEROS)
    smaller = [{m: w / 2 for m, w in blanket.items()}, *({**blanket, m: Fraction(0)} for m, w in blanket.items() if w)]
    for x, y in ((0, 1), (1, 0), (2, 0)):
        bound = divergence(columns(ZEROS, x, y, blanket), users, ORDER)
        assert all(bound <= divergence(columns(ZEROS, x, y, less), users, ORDER) for less in smaller)
        assert divergence(columns(ZEROS, x, y, blanket), users + 1, ORDER) <= bound


@pytest.mark.parametrize("order", [Fraction(1, 2), ORDER, Fraction(3)])
def test_least_values_exact(order):
    """The charge and the law of values, at means of either sign."""
    blanket = least(ZEROS, ZEROS)
    for x, y in ((0, 1), (1, 2), (2, 0)):
        classes = columns(ZEROS, x, y, blanket)
        charge, values = least_values(classes, order, Work())
        assert charge + by_sequences([(p, v) for v, p in values], 3) == divergence(classes, 3, order)


@pytest.mark.parametrize("users", [1, 3, 6])
def test_pair_bound_dp(users):
    """The checker's numbers for a table with messages that no blanket covers, against the exact engine."""
    blanket = least(ZEROS, ZEROS)
    pairs = [(x, y) for x in ZEROS for y in ZEROS if x != y]
    bounds = [on_a_lattice(columns(ZEROS, x, y, blanket), users, ORDER) for x, y in pairs]
    exact = [divergence(columns(ZEROS, x, y, blanket), users, ORDER) for x, y in pairs]
    assert all(bound >= value for bound, value in zip(bounds, exact, strict=True))
    assert exact_delta(ZEROS, users) <= max(exact) <= max(bounds)


INSTANCES = [
    (((Fraction(-2), Fraction(1, 2)), (Fraction(1, 3), Fraction(1, 2))), 1, Fraction(1, 4), 2**60, 64, 16),
    (((Fraction(-1), Fraction(2, 3)), (Fraction(3, 2), Fraction(1, 3))), 13, Fraction(1, 7), 2**61 + 5, 64, 16),
    (((Fraction(-5, 2), Fraction(3, 4)), (Fraction(2), Fraction(1, 4))), 100, Fraction(2, 9), 2**58, 80, 20),
    (((Fraction(-7), Fraction(9, 10)), (Fraction(11, 3), Fraction(1, 10))), 37, Fraction(1, 2), 2**62, 96, 17),
]
"""Values with masses, copies, step, tilt, bits, length: measures that are halved, cut and shortened."""


def by_checker(values, n, step, tilt, bits, length):
    return Lattice(bits, length, []).mean_positive_part(values, n, (step, tilt), Work())


@pytest.mark.parametrize("instance", INSTANCES, ids=lambda instance: f"n={instance[1]}")
def test_mean_positive_part_above(instance):
    values, n, *_ = instance
    assert by_powers([(p, v) for v, p in values], n) <= by_checker(*instance)


def pair(number):
    return f"({number.numerator}, {number.denominator})"


def evaluated(terms, imports, folder):
    """What Coq computes: each number is written as an upper and a lower part."""
    lines = ["From Coq Require Import List ZArith QArith.", f"From Exactdp Require Import {imports}."]
    lines += ["Import ListNotations.", *terms]
    (folder / "run.v").write_text("\n".join(lines))
    built = build(files()[name] for name in imports.split())
    command = ["coqc", "-q", "-w", "none", *development.search_path(built), "run.v"]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=True).stdout
    return [Fraction(int(up), int(down)) for up, down in re.findall(r"= \(?(-?\d+)\s*[,#]\s*(-?\d+)", said)]


@needs_coq
def test_the_program_of_the_development_computes_what_the_checker_computes(tmp_path):
    terms = []
    for values, n, step, tilt, bits, length in INSTANCES:
        atoms = "; ".join(f"({pair(v)}, {pair(p)})" for v, p in values)
        terms.append(f"Eval vm_compute in mean_positive_part {pair(step)} {bits} {length} [{atoms}]%Z {tilt} {n}.")
    assert evaluated(terms, "tilted_program", tmp_path) == [by_checker(*instance) for instance in INSTANCES]


@needs_coq
def test_the_number_of_a_pair_is_the_one_of_the_checker(tmp_path):
    """With messages that no blanket covers, and with a mean of either sign, where the law changes its sign."""
    blanket = least(ZEROS, ZEROS)
    terms, wanted = [], []
    for x, y, order, users in ((0, 1, ORDER, 3), (1, 2, Fraction(1, 2), 5), (0, 2, Fraction(1), 40)):
        classes = columns(ZEROS, x, y, blanket)
        listed = "; ".join("(" + ", ".join(f"{p.numerator} # {p.denominator}" for p in each) + ")" for each in classes)
        level = f"({order.numerator} # {order.denominator})"
        terms.append(f"Eval vm_compute in pair_bound (1, 8)%Z 64 16 (2 ^ 61)%Z {users} {level} [{listed}].")
        wanted.append(on_a_lattice(classes, users, order))
    assert evaluated(terms, "pair_bound", tmp_path) == wanted
