"""What the checker costs, and how long certificates are. Run: python -m pytest benchmarks --benchmark-only -n 0

Timed is the checker alone, on the text of a certificate, and the checker keeps nothing between two calls. Delta is
within a millionth of the least one, so that neither verdict is easy.
"""

from fractions import Fraction
from pathlib import Path
from random import Random
from time import process_time

import pytest

import exactdp as xdp
from exactdp.certificates import verify as checker
from exactdp.proofs import rows

MARGIN = Fraction(1, 10**6)
BYTES = 10_000

NOISE = [
    (10**4, "1/2", "1/20", 0.2),
    (10**4, "3/2000", "1", 0.2),
    (10**6, "1/2", "1/100", 1),
    (10**6, "3/2000", "1/5", 1),
    (10**9, "1/2", "1/1000", 20),
    (10**9, "3/2000", "1/100", 20),
]
"""n, p and eps of binomial noise with a shift of 1, and the target in seconds. zsum's noise has a p like 3/2000."""


def shift_certificate(n, p, eps, verdict):
    """A certificate whose delta is just above the least one, or just below it."""
    law = xdp.Binomial(n, p)
    worst = xdp.shift_profile(law).delta(eps=eps)
    delta = worst.hi * (1 + MARGIN) if verdict == "PROVED" else worst.lo * (1 - MARGIN)
    return xdp.certify(xdp.Claim.shift_dp(law, eps=eps, delta=delta))


def run(benchmark, certificate, verdict, target, rounds=5):
    """Time the checker on a short certificate that has this verdict."""
    text = certificate.to_json()
    result = benchmark.pedantic(checker.verify_text, args=(text,), rounds=rounds, iterations=1)
    assert (result.verdict, result.claim_id) == (verdict, certificate.claim.digest())
    assert benchmark.stats.stats.median < target
    assert len(text) < BYTES
    benchmark.extra_info["bytes"] = len(text)


@pytest.mark.parametrize("verdict", ["PROVED", "REFUTED"])
@pytest.mark.parametrize(("n", "p", "eps", "target"), NOISE)
def test_shift_of_binomial_noise(benchmark, n, p, eps, target, verdict):
    """Targets: 0.2 s at n = 10^4, 1 s at 10^6, 20 s at 10^9."""
    run(benchmark, shift_certificate(n, p, eps, verdict), verdict, target)


RUNS = [(10, "1", "1.8e-8", 2), (10, "3", "1e-51", 2), (1000, "30", "1e-45", 10)]
"""Runs, eps, a delta above the composed one, and the target in seconds."""


@pytest.mark.parametrize(("times", "eps", "delta", "target"), RUNS)
def test_composed_binomial_noise(benchmark, times, eps, delta, target):
    """Ten and 1000 runs of Bin(1000, 1/2), shift 1; the whole curve is checked at each power of the ratio."""
    certificate = xdp.certify(xdp.Claim.composed((xdp.Binomial(1000, "1/2"), times), eps=eps, delta=delta))
    text = certificate.to_json()
    result = benchmark.pedantic(checker.verify_text, args=(text,), rounds=3, iterations=1)
    assert result.verdict == "PROVED"
    assert benchmark.stats.stats.median < target
    benchmark.extra_info["bytes"] = len(text)


@pytest.mark.parametrize("verdict", ["PROVED", "REFUTED"])
@pytest.mark.parametrize(("n", "p", "eps"), [case[:3] for case in NOISE if case[0] == 10**9])
def test_memory_of_the_shift_of_binomial_noise(peak_megabytes, tmp_path, n, p, eps, verdict):
    """Target: under 100 MB, measured in a process of its own that loads the checker alone."""
    path = tmp_path / "claim.json"
    shift_certificate(n, p, eps, verdict).save(path)
    program = (
        "import sys\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "import verify\n"
        "assert verify.verify_file(sys.argv[2]).verdict == sys.argv[3]\n"
    )
    assert peak_megabytes(program, Path(checker.__file__).parent, path, verdict) < 100


LEVELS = [({"exp_eps": "3/2"}, "delta"), ({"exp_eps": "3/2"}, None), ({"eps": "1/2"}, None)]


@pytest.mark.parametrize(("level", "least"), LEVELS)
def test_binary_randomized_response_100_over_all_data_sets(benchmark, level, least):
    """Target: under 5 s, for the least delta as for one that is enough, and for an irrational e^eps."""
    protocol = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 100)
    value = protocol.privacy_profile().delta(**level)
    delta = value if isinstance(value, Fraction) else value.hi * (1 + MARGIN)
    certificate = xdp.certify(xdp.Claim.shuffle_dp(protocol, **level, delta=delta, least=least))
    run(benchmark, certificate, "PROVED", target=5)


ALL_DATA_SETS = [(2000, "1/2", 3), (2000, "123456/1000003", 3), (10**4, "1/2", 40), (10**4, "123456/1000003", 40)]
"""n, gamma, and the target in seconds."""


@pytest.mark.parametrize("verdict", ["PROVED", "REFUTED"])
@pytest.mark.parametrize(("n", "gamma", "target"), ALL_DATA_SETS)
def test_two_messages_over_all_data_sets(benchmark, n, gamma, target, verdict):
    """Targets: 3 s at n = 2000, 40 s at 10^4; also for the prover, which has the checker verify what it finds."""
    protocol = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma=gamma), n)
    worst = protocol.privacy_profile().delta(exp_eps="11/10", relative_bits=53)
    delta = worst.hi * (1 + MARGIN) if verdict == "PROVED" else worst.lo * (1 - MARGIN)
    claim = xdp.Claim.two_message_dp(protocol, exp_eps="11/10", delta=delta)
    start = process_time()
    certificate = xdp.certify(claim)
    assert process_time() - start < target
    run(benchmark, certificate, verdict, target, rounds=3)


ABOVE = Fraction(1, 100)
"""By which share delta is above the upper end, for a claim between the ends of the closed bracket."""
RESPONSE = Fraction(7389056, 10**6)
"""About e^2."""


def rappor(exp_eps0):
    """Basic RAPPOR of 1000 choices."""
    return xdp.randomizers.UnaryEncoding(1000, exp_eps0=exp_eps0)


def table(size):
    """A table of probabilities that have nothing in common."""
    draw = Random(5)
    rows = ([draw.randint(1, 20) for _ in range(size)] for _ in range(size))
    return xdp.Randomizer({x: {(m,): Fraction(p, sum(row)) for m, p in enumerate(row)} for x, row in enumerate(rows)})


RAPPOR_USERS = {10**5: "103/100", 10**6: "101/100", 10**9: "10003/10000"}
"""With an e^eps at which delta is from 1e-11 to 1e-8."""
SWAPS = {
    **{f"rappor-{n}": (lambda n=n: xdp.ShuffleProtocol(rappor(7), n), x, 5, 5) for n, x in RAPPOR_USERS.items()},
    "any": (lambda: xdp.ShuffleProtocol(xdp.randomizers.AnyRandomizer(exp_eps0=7), 10**4), "11/10", 2, 5),
    "table": (lambda: xdp.ShuffleProtocol(table(12), 3 * 10**5), "51/50", 10, 20),
    "product": (
        lambda: xdp.ShuffleProtocol(
            xdp.randomizers.product(*[xdp.randomizers.KAryResponse(20, exp_eps0=RESPONSE)] * 5), 3 * 10**5
        ),
        "59/50",
        20,
        60,
    ),
    "classes": (
        lambda: xdp.ShuffleProtocol(((rappor(3), 4 * 10**5), (rappor(7), 3 * 10**5), (rappor(50), 3 * 10**5))),
        "51/50",
        20,
        60,
    ),
}
"""The protocol, e^eps, and the targets in seconds: to make a certificate, and to check it."""


@pytest.mark.parametrize("name", SWAPS)
def test_certificate_of_the_closed_bracket(benchmark, name):
    """PROVED one percent above the upper end: RAPPOR of 1000 choices; every randomizer; a table of 12 x 12; five
    questions of 20 choices; three classes of RAPPOR."""
    build, exp_eps, made, checked = SWAPS[name]
    protocol = build()
    delta = protocol.privacy_profile().bracket(exp_eps=exp_eps).delta.upper.fraction() * (1 + ABOVE)
    start = process_time()
    certificate = xdp.certify(xdp.Claim.shuffle_dp(protocol, exp_eps=exp_eps, delta=delta))
    benchmark.extra_info["made"] = process_time() - start
    assert benchmark.extra_info["made"] < made
    run(benchmark, certificate, "PROVED", checked, rounds=3)


def test_gap_for_all_n(benchmark):
    """The least pure eps of R^gap for all n >= 4. Target: under 0.1 s."""
    (row,) = (row for row in rows() if row.id == "gap-all-n")
    run(benchmark, xdp.certify(row.claim()), "PROVED", target=0.1)


@pytest.mark.parametrize("row", [row for row in rows() if row.claim is not None], ids=lambda row: row.id)
def test_certificate_of_the_proof(benchmark, row):
    """Beside the claim the file has under 10 kB, unless the claim alone is larger, as of tables and whole curves."""
    certificate = xdp.certify(row.claim())
    text = certificate.to_json()
    result = benchmark.pedantic(checker.verify_text, args=(text,), rounds=1, iterations=1)
    assert result.verdict == certificate.verdict.value
    claim = len(certificate.claim.text)
    assert len(text) - claim < BYTES or claim > BYTES
    benchmark.extra_info |= {"claim_bytes": claim, "file_bytes": len(text)}
