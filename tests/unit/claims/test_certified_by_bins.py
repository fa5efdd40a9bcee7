"""Many bins certified by one: against the exact divergence of all views of few bins, and of the two that change."""

import json
from fractions import Fraction

import pytest

import exactdp as xdp
from exactdp.claims.target_claims import certified_by_bins, has_many_bins
from exactdp.mechanisms.dataset import Neighbors
from exactdp.protocols.naming.targets import read_target
from exactdp.protocols.zsum_and_histogram.histogram_protocol import histogram_randomizer
from tests.unit.cli.checked_answers import answered, run


def checked_verdict(certificate):
    return xdp.verify(certificate) if certificate.level == "certificate" else None


@pytest.mark.parametrize("exp_eps", [2, 4])
def test_what_is_certified_holds_of_all_views_of_three_bins(exp_eps):
    """The least delta that is certified, to a hundredth, is at least that of every pair of data sets."""
    truth = xdp.ShuffleProtocol(histogram_randomizer(3, gamma="1/2"), 3).privacy_profile().delta(exp_eps=exp_eps)
    protocol = xdp.protocols.histogram(3, 3, gamma="1/2")
    proved = [
        delta
        for delta in (truth * Fraction(k, 100) for k in range(90, 131, 5))
        if checked_verdict(certified_by_bins(protocol, {"exp_eps": exp_eps, "delta": delta})) is xdp.Verdict.PROVED
    ]
    assert proved
    assert min(proved) >= truth


def test_what_is_refuted_is_the_pair_that_a_user_moves():
    """The noise is not symmetric: two runs on one pair in one order tell more than a pair and its reverse, and the
    certificate refutes no more than the latter, whose divergence all bins have."""
    protocol = xdp.protocols.histogram(6, 50, gamma="1/3")
    noise = {k: protocol.noise.exact_pmf(k) for k in range(7)}
    both = xdp.Law({(a, b): p * q for a, p in noise.items() for b, q in noise.items()})
    moved = [both.map(lambda views, up=up: (views[0] + up, views[1] + 1 - up)) for up in (1, 0)]
    truth = xdp.hockey_stick_divergence(*moved, exp_eps=3)
    for share, verdict in ((Fraction(99, 100), xdp.Verdict.REFUTED), (Fraction(101, 100), None)):
        found = certified_by_bins(protocol, {"exp_eps": 3, "delta": truth * share})
        assert checked_verdict(found) is verdict or (verdict is None and found.verdict is xdp.Verdict.PROVED)
    found = certified_by_bins(protocol, {"exp_eps": 3, "delta": truth * Fraction(99, 100)})
    pairs = json.loads(found.to_json())["witness"]["pairs"]
    assert len(pairs) == 2
    assert pairs[0] != pairs[1]
    assert "in the other order" in found.reason


@pytest.mark.slow
def test_the_certificate_is_of_two_runs_of_a_bin():
    protocol = xdp.protocols.histogram(300, 50, gamma="1/2")
    delta = protocol.privacy_profile().delta(eps=1).hi
    found = certified_by_bins(protocol, {"eps": 1, "delta": delta * 2})
    assert (found.verdict, found.level) == (xdp.Verdict.PROVED, "certificate")
    assert xdp.verify(found) is xdp.Verdict.PROVED
    assert "a replaced user moves one up and one down" in found.reason
    assert found.claim == xdp.certify(found.claim).claim
    below = certified_by_bins(protocol, {"eps": 1, "delta": delta / 2})
    assert (below.verdict, below.level, xdp.verify(below)) == (xdp.Verdict.REFUTED, "certificate", xdp.Verdict.REFUTED)
    runs = certified_by_bins(protocol, {"eps": 1, "delta": delta / 2}, 2)
    assert (runs.verdict, runs.level) == (xdp.Verdict.UNDECIDED, "none")


def test_two_runs_of_different_users_would_be_one_bin_alone():
    """One run of a bin is too little: below the delta of two bins it is proved."""
    protocol = xdp.protocols.histogram(300, 50, gamma="1/2")
    delta = protocol.privacy_profile().delta(eps=1).lo / 2
    one = xdp.certify(xdp.Claim.shift_dp(protocol.noise, shift=1, eps=1, delta=delta))
    assert one.verdict is xdp.Verdict.PROVED


def test_which_protocols_have_many_bins():
    replaced, n = Neighbors.REPLACE_ONE, 1000
    many, three = (read_target(f"@histogram:bins={bins},gamma=1/2") for bins in (50, 3))
    assert has_many_bins(many, n, replaced)
    assert has_many_bins(three, n, replaced)
    assert not has_many_bins(three, 2, replaced)
    assert not has_many_bins(read_target("@zsum:gamma=1/2"), n, replaced)
    assert not has_many_bins(many, n, Neighbors.ADD_OR_REMOVE_ONE)


@pytest.mark.slow
def test_the_shell(tmp_path):
    line = "certify @histogram --bins 50 --gamma 1/2 -n 300 --eps 1"
    file = tmp_path / "bins.json"
    assert "PROVED" in run(f"{line} --delta 1/1000000 -o {file}").stdout
    assert xdp.verify(file) is xdp.Verdict.PROVED
    data = answered(f"{line} --delta 1/1000 --times 3".replace("--eps 1", "--eps 3"))
    assert (data["verdict"], data["level"], data["claim_kind"]) == ("PROVED", "certificate", "composed")
    refuted = answered(f"{line} --delta 1e-30")
    assert (refuted["verdict"], refuted["level"]) == ("REFUTED", "certificate")
