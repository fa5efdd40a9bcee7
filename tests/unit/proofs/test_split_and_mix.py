"""The row of split and mix: its table is the views, and neither a smaller nor a larger distance is proved."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactdp as xdp
from exactdp.proofs import split_and_mix
from exactdp.proofs.split_and_mix import PUBLISHED, USERS, views
from exactdp.protocols.mixing.component_bound import component_colourings


@pytest.mark.parametrize("users", [1, 5, USERS])
def test_the_table_is_the_two_views(users):
    protocol = xdp.protocols.split_and_mix(users, modulus=2, messages=3)
    for x, row in views(users).table().items():
        law = protocol.law({x: users}).map(lambda counts: counts[1] if abs(2 * counts[1] - 3 * users) < 140 else "rare")
        assert {sent[0]: chance for sent, chance in row.items()} == dict(law.items())


def test_other_distances_are_refuted(monkeypatch):
    def verdict(published=PUBLISHED):
        monkeypatch.setattr(split_and_mix, "PUBLISHED", published)
        return xdp.certify(split_and_mix._average_case()).verdict

    assert verdict() is xdp.Verdict.PROVED
    assert verdict(published=PUBLISHED - Fraction(1, 10**7)) is xdp.Verdict.REFUTED  # below sqrt(2) e / n
    assert verdict(published=Fraction("0.02217")) is xdp.Verdict.REFUTED  # above the distance


@settings(max_examples=10)
@given(
    weights=st.lists(st.integers(1, 20), min_size=2, max_size=3),
    exp_eps=st.fractions(1, 4, max_denominator=6),
    messages=st.sampled_from([2, 3]),
)
def test_noise_before_the_split_is_as_private_as_the_row_says(weights, exp_eps, messages):
    """Two users with residues modulo q, all views listed, against the noisy sum and tau of the row, squared."""
    n, q = 2, len(weights)
    noise = [Fraction(w, sum(weights)) for w in weights]
    ends = {r: [u for u in product(range(q), repeat=messages) if sum(u) % q == r] for r in range(q)}
    rows = {x: {u: noise[(r - x) % q] / len(ends[r]) for r in range(q) for u in ends[r]} for x in range(q)}
    exact = xdp.ShuffleProtocol(xdp.Randomizer(rows), n).privacy_profile().delta(exp_eps=exp_eps)
    twice = [sum(noise[z] * noise[(r - z) % q] for z in range(q)) for r in range(q)]
    central = max(sum(max(Fraction(0), twice[(r - x) % q] - exp_eps * twice[r]) for r in range(q)) for x in range(1, q))
    squared = sum(component_colourings(n, modulus=c, messages=messages) / c - 1 for c in (q, 2)) / 2
    assert central <= exact
    assert ((exact - central) / (1 + exp_eps)) ** 2 <= squared
