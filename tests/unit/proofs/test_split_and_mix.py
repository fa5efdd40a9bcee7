"""The row of split and mix: its table is the views, and neither a smaller nor a larger distance is proved."""

from fractions import Fraction

import pytest

import exactdp as xdp
from exactdp.proofs import split_and_mix
from exactdp.proofs.split_and_mix import PUBLISHED, USERS, views


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
