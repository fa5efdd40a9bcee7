"""Claims for whole boxes of parameters: found, and checked from their text."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from exactdp import Claim, OpenClaim, ShuffleProtocol, Verdict, certify
from exactdp.checker.documents import verify_text
from exactdp.claims.checks import checked
from exactdp.symbolic import SymbolicRandomizer

TENTH, LARGE = Fraction(1, 10), Fraction(9, 10)
RESPONSE = SymbolicRandomizer(
    {x: {(y,): "1 - g/2" if x == y else "g/2" for y in range(2)} for x in range(2)}, {"g": (TENTH, LARGE)}
)
TURN_BOX = {"a": ("1/10", "1/3"), "b": ("1/10", "1/3")}
TURN = SymbolicRandomizer(
    {x: {(x,): "1 - a - b", ((x + 1) % 3,): "a", ((x + 2) % 3,): "b"} for x in range(3)}, TURN_BOX
)


def response_claim() -> Claim:
    """Binary randomized response, n = 10, e^eps = 2: the worst delta of the box, and 10^-12 more."""
    protocol = ShuffleProtocol(RESPONSE, 10)
    worst = ShuffleProtocol(RESPONSE.at(g=TENTH), 10).privacy_profile().delta(exp_eps=2)
    inner = OpenClaim.shuffle_dp(protocol, exp_eps=2, delta=worst + Fraction(1, 10**12))
    return Claim.for_all({"g": (TENTH, LARGE)}, inner)


def turn_claim() -> Claim:
    """Three messages, n = 4, two parameters: the worst delta of the box."""
    worst = ShuffleProtocol(TURN.at(a=TENTH, b=TENTH), 4).privacy_profile().delta(exp_eps=2)
    return Claim.for_all(TURN_BOX, OpenClaim.shuffle_dp(ShuffleProtocol(TURN, 4), exp_eps=2, delta=worst))


@pytest.mark.parametrize("make", [response_claim, turn_claim])
def test_found(benchmark: Any, make: Any) -> None:
    """PROVED with a certificate: 10 s for randomized response, 60 s for three messages."""
    claim = make()

    def found() -> Any:
        checked.cache_clear()
        return certify(claim)

    assert benchmark.pedantic(found, rounds=3).verdict is Verdict.PROVED


@pytest.mark.parametrize("make", [response_claim, turn_claim])
def test_checked(benchmark: Any, make: Any) -> None:
    """From the text: 2 s for randomized response."""
    text = certify(make()).to_json()
    assert benchmark(verify_text, text).verdict == "PROVED"
