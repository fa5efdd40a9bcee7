"""Certificates of split and mix: near by the bound by components, apart by a pair of inputs."""

from fractions import Fraction

import pytest

from exactdp import Claim, certify, protocols
from exactdp.claims.certificate import Verdict
from exactdp.protocols.mixing.component_bound import split_and_mix_messages
from tests.unit.checker import oracle

F = Fraction


@pytest.mark.parametrize("sigma", [40, 80, 128])
def test_the_least_number_of_messages_is_certified(sigma: int) -> None:
    """For 10^4 users and 32 bits; one message less is open, since the bound says nothing below itself."""
    messages = split_and_mix_messages(10**4, modulus=2**32, sigma=sigma)
    claims = [
        Claim.split_and_mix(10**4, modulus=2**32, messages=m, distance=F(1, 2**sigma)) for m in (messages, messages - 1)
    ]
    enough, open_claim = map(certify, claims)
    assert (enough.verdict, enough.level) == (Verdict.PROVED, "certificate")
    assert open_claim.verdict is Verdict.UNDECIDED


def test_a_million_users_to_six_digits() -> None:
    bound = protocols.split_and_mix(10**6, modulus=2**32, messages=10).distance_bound(relative_bits=40)
    near = certify(Claim.split_and_mix(10**6, modulus=2**32, messages=10, distance=bound.hi * (1 + F(1, 10**9))))
    assert (near.verdict, near.level) == (Verdict.PROVED, "certificate")


def test_the_published_number_fails_in_the_worst_case() -> None:
    """sqrt(q (e/n)^(m-1)) for q = 2, m = 3: at n = 174 all zeros and all ones are further apart."""
    certificate = certify(Claim.split_and_mix(174, modulus=2, messages=3, distance="0.02209329"))
    assert (certificate.verdict, certificate.level) == (Verdict.REFUTED, "certificate")


@pytest.mark.parametrize(("n", "q"), [(2, 2), (3, 2), (3, 3), (2, 4)])
def test_few_users_on_either_side_of_the_worst_distance(n: int, q: int) -> None:
    worst = protocols.split_and_mix(n, modulus=q, messages=3).worst_pair().distance
    below = certify(Claim.split_and_mix(n, modulus=q, messages=3, distance=worst - F(1, 10**30)))
    assert (below.verdict, below.level) == (Verdict.REFUTED, "certificate")
    assert oracle.agrees(below.claim.data, "REFUTED", [])
    assert oracle.truth({**below.claim.data, "distance": str(F(worst))}, []) is True
    assert certify(Claim.split_and_mix(n, modulus=q, messages=3, distance=worst)).verdict is Verdict.UNDECIDED
    assert certify(Claim.split_and_mix(n, modulus=q, messages=3, distance=1)).verdict is Verdict.PROVED
