"""The rows of sums in almost one message: neither a smaller shape nor a smaller error is proved."""

from fractions import Fraction

import pytest

import exactdp as xdp
from exactdp.proofs import almost_central
from exactdp.protocols import AlmostCentralSum


def verdict(claims) -> xdp.Verdict:
    return xdp.certify(claims if isinstance(claims, xdp.Claim) else xdp.Claim.conjunction(*claims)).verdict


def test_less_noise_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert verdict(almost_central._bits()) is xdp.Verdict.PROVED
    (_, ratio), _ = almost_central.bits().common
    less = AlmostCentralSum(1, bound=1, p="1/2", common=[(3, ratio), (3, ratio)])
    monkeypatch.setattr(almost_central, "bits", lambda: less)
    assert verdict(almost_central._bits()) is xdp.Verdict.REFUTED


@pytest.mark.parametrize("error", [5, 7])
def test_another_error_is_refuted(monkeypatch: pytest.MonkeyPatch, error: int) -> None:
    assert verdict(almost_central._error()) is xdp.Verdict.PROVED
    monkeypatch.setattr(almost_central, "ERROR", error)
    assert verdict(almost_central._error()) is xdp.Verdict.REFUTED


def test_the_numbers_of_the_lemma() -> None:
    assert verdict(almost_central._lemma()) is xdp.Verdict.PROVED
    c, v = Fraction(1, 6) + Fraction(1, 27), 9
    q = (1 + c * v) / (1 + v)
    assert (c, q, q / c, c * v) == (Fraction(11, 54), Fraction(17, 60), Fraction(153, 110), Fraction(11, 6))
