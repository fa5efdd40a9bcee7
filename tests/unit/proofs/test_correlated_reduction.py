"""The row of correlated counting: its table is the law of both counts, and another formula is refuted."""

from fractions import Fraction

import exactdp as xdp
from exactdp.proofs import correlated_reduction as row
from tests.oracles.two_counts import two_counts


def test_the_table_is_the_law_of_both_counts():
    law = two_counts(row.P1, [(1 - row.P2) * row.P2**w for w in range(row.CUT + 1)])
    assert row.both_counts(0) == law


def test_the_formula_is_that_of_the_engine():
    profile = xdp.protocols.correlated_counting(1, p1=row.P1, p2=row.P2, r=1).privacy_profile()
    assert abs(profile.delta(exp_eps=row.EXP_EPS, relative_bits=80).lo - row.one_number(row.EXP_EPS)) < Fraction(
        1, 10**20
    )


def test_another_formula_is_refuted(monkeypatch):
    assert xdp.certify(row._reduction()).verdict is xdp.Verdict.PROVED
    formula = row.one_number
    for factor in (1 + Fraction(1, 10**8), 1 - Fraction(1, 10**8)):
        monkeypatch.setattr(row, "one_number", lambda exp_eps, f=factor: f * formula(exp_eps))
        assert xdp.certify(row._reduction()).verdict is xdp.Verdict.REFUTED
