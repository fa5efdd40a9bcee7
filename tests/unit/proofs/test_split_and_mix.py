"""The row of split and mix: its table is the views, and neither a smaller nor a larger distance is proved."""

from collections import defaultdict
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import nbinom

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
    """Two users with residues modulo q, all views listed, against the noisy sum and eta of the row, squared."""
    n, q = 2, len(weights)
    noise = [Fraction(w, sum(weights)) for w in weights]
    ends = {r: [u for u in product(range(q), repeat=messages) if sum(u) % q == r] for r in range(q)}
    rows = {x: {u: noise[(r - x) % q] / len(ends[r]) for r in range(q) for u in ends[r]} for x in range(q)}
    exact = xdp.ShuffleProtocol(xdp.Randomizer(rows), n).privacy_profile().delta(exp_eps=exp_eps)
    twice = [sum(noise[z] * noise[(r - z) % q] for z in range(q)) for r in range(q)]
    central = max(sum(max(Fraction(0), twice[(r - x) % q] - exp_eps * twice[r]) for r in range(q)) for x in range(1, q))
    squared = (component_colourings(n, modulus=q, messages=messages) / q - 1) / 4
    assert central <= exact
    assert ((exact - central) / (1 + exp_eps)) ** 2 <= squared


def shares_modulo(q, n, p):
    """The difference of two draws from NB(1/n, p), modulo q, in floats."""
    masses = nbinom.pmf(range(400), 1 / n, 1 - p)
    residues = [masses[r::q].sum() for r in range(q)]
    return [sum(residues[(r + h) % q] * residues[h] for h in range(q)) for r in range(q)]


@settings(max_examples=50)
@given(
    p=st.floats(0.1, 0.9),
    shape=st.sampled_from([(1, 7, 2, 2), (1, 12, 2, 3), (2, 6, 2, 1), (2, 3, 3, 1), (3, 5, 2, 1)]),
    where=st.tuples(st.floats(0, 0.999), st.floats(0, 0.999)),
)
def test_laplace_noise_before_the_split_is_as_private_and_errs_as_the_row_says(p, shape, where):
    n, q, messages, bound = shape
    noise = shares_modulo(q, n, p)
    words = {r: [u for u in product(range(q), repeat=messages) if sum(u) % q == r] for r in range(q)}

    def view(xs):
        law = {(): 1.0}
        for x in xs:
            own = [(u, noise[(r - x) % q] / len(words[r])) for r in range(q) for u in words[r]]
            step = defaultdict(float)
            for (seen, chance), (u, more) in product(law.items(), own):
                step[tuple(sorted(seen + u))] += chance * more
            law = step
        return law

    eta = ((component_colourings(n, modulus=q, messages=messages) / q - 1) / 4) ** Fraction(1, 2)
    exp_eps, views = p**-bound, [view([x] + [0] * (n - 1)) for x in (0, bound)]
    for first, second in (views, views[::-1]):
        delta = sum(max(0, chance - exp_eps * second[u]) for u, chance in first.items())
        assert delta <= (1 + exp_eps) * eta + 1e-9

    h = int(where[0] * (q - n * bound))
    last = min(h + 1, q - h - n * bound)
    k = 1 + int(where[1] * last)
    for xs in ([0] * n, [bound] * n):
        wrong = sum(c for u, c in view(xs).items() if abs((sum(u) + h) % q - h - sum(xs)) >= k)
        assert 2 * (p**k - p**last) / (1 + p) - 1e-9 <= wrong <= 2 * p**k / (1 + p) + 1e-9
