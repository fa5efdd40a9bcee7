"""Optimal accuracy against exhaustive enumeration: every data set, every jump of the error law."""

from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement

import pytest

import exactdp as xdp
from exactdp import protocols
from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.protocols.accuracy.optimal import histogram_optimum, zsum_optimum
from exactdp.protocols.accuracy.response import CountModel, _Scan, response_accuracy_bound, response_bracket
from exactdp.protocols.zsum_and_histogram.zsum_theorem import zsum_accuracy
from tests.thinned import thinned
from tests.together import together

BETAS = ("1/1000", "1/50", "1/20", "1/4", "1/2", "3/4", "9/10", "99/100")


@cache
def zsum_errors(n: int, gamma: Fraction) -> list[dict[Fraction, Fraction]]:
    """For every true sum k, error of the estimated mean -> probability."""
    protocol = protocols.zsum(n, gamma=gamma)
    return [
        dict(protocol.estimate_law({0: n - k, 1: k}).map(lambda e, k=k: abs(e - Fraction(k, n))).items())
        for k in range(n + 1)
    ]


def least_error(law: dict[Fraction, Fraction], beta: Fraction) -> Fraction:
    beyond = Fraction(0)
    for error in sorted(law, reverse=True):
        beyond += law[error]
        if beyond > beta:
            return error
    return Fraction(0)


def tails(laws: list[dict[Fraction, Fraction]]) -> set[Fraction]:
    """Every probability of exceeding an error: the betas at which something is an equality."""
    return {sum((p for e, p in law.items() if e > error), Fraction(0)) for law in laws for error in law}


@pytest.mark.parametrize("n", thinned(range(1, 15), every=3))
@pytest.mark.parametrize("gamma", thinned([Fraction(1, 10), Fraction(1, 4), Fraction(2, 3)], every=3))
def test_zsum_is_the_worst_of_all_sums(n, gamma):
    laws = zsum_errors(n, gamma)
    betas = {Fraction(beta) for beta in BETAS} | set(sorted(tails(laws))[:: max(1, n // 2)])
    for beta in betas:
        assert zsum_optimum(n, gamma, beta) == max(least_error(law, beta) for law in laws), beta


@pytest.mark.parametrize("gamma", [0, "1/3", 1])
@pytest.mark.parametrize("beta", [0, "1/2", 1])
def test_zsum_at_the_edges(gamma, beta):
    laws = zsum_errors(7, Fraction(gamma))
    expected = max(least_error(law, Fraction(beta)) for law in laws)
    assert xdp.optimal_accuracy(protocols.zsum(7, gamma=gamma), beta=beta) == expected
    assert xdp.optimal_accuracy(protocols.histogram(7, 3, gamma=gamma), beta=beta) == expected


def test_zsum_of_a_billion_users_is_a_quantile():
    n, gamma, beta = 10**9, Fraction(1, 10**6), Fraction(1, 10**9)
    alpha = xdp.optimal_accuracy(protocols.zsum(n, gamma=gamma), beta=beta)
    law, t = xdp.Binomial(n, gamma), int(alpha * n)
    assert alpha == Fraction(t, n)
    assert law.sf(t) < beta
    assert law.sf(t - 1) > beta
    published = zsum_accuracy(n, gamma=gamma, beta=beta)
    assert alpha < published
    assert published < alpha * Fraction(11, 10)


@pytest.mark.parametrize(("n", "d"), thinned([(2, 2), (3, 3), (4, 2), (5, 4), (6, 3), (7, 2), (8, 3)], every=2))
@pytest.mark.parametrize("gamma", thinned([Fraction(1, 10), Fraction(1, 3), Fraction(1, 2)], every=3))
def test_all_bins_of_every_histogram(n, d, gamma):
    laws = zsum_errors(n, gamma)
    errors = sorted({error for law in laws for error in law})
    fine = [{a: sum((p for e, p in law.items() if e <= a), Fraction(0)) for a in errors} for law in laws]
    worst = dict.fromkeys(errors, Fraction(0))
    for ends in combinations_with_replacement(range(n + 1), d - 1):
        counts = [b - a for a, b in zip((0, *ends), (*ends, n), strict=True)]
        for a in errors:
            good = Fraction(1)
            for count in counts:
                good *= fine[count][a]
            worst[a] = max(worst[a], 1 - good)
    exact = 0
    for beta in {*map(Fraction, BETAS), *list(worst.values())[::3], Fraction(0), Fraction(1)}:
        truth = min((a for a in errors if worst[a] <= beta), default=None)
        truth = Fraction(0) if beta == 1 else truth
        found = xdp.optimal_accuracy(protocols.histogram(n, d, gamma=gamma), beta=beta, simultaneous=True)
        if isinstance(found, Fraction):
            exact += 1
            assert found == truth, beta
        else:
            assert truth in found, beta
    assert exact >= 3


def test_a_histogram_of_a_billion_bins():
    found = histogram_optimum(10**9, 10**9, Fraction(1, 10**6), Fraction(1, 20))
    assert found == Fraction(293, 250000000)
    few = histogram_optimum(10**9, 10, Fraction(1, 1000), Fraction(1, 10**6))
    assert isinstance(few, xdp.Interval)
    assert few.hi - few.lo < Fraction(1, 10**7)
    assert zsum_optimum(10**9, Fraction(1, 1000), Fraction(1, 10**6)) < few


def response_errors(n, likely, unlikely):
    weight = 1 / (likely - unlikely)
    laws = []
    for k in range(n + 1):
        law = xdp.BinomialSum(k, likely, n - k, unlikely).law()
        laws.append(dict(law.map(lambda y, k=k: abs((y - n * unlikely) * weight - k)).items()))
    return laws


@together("n", [1, 2, 3, 12])
@together(("k", "gamma"), [(2, "1/5"), (2, "1/2"), (2, "7/8"), (3, "1/2"), (5, "9/10")])
def test_randomized_response_against_every_data_set(n, k, gamma):
    unlikely = Fraction(gamma) / k
    laws = response_errors(n, 1 - Fraction(gamma) + unlikely, unlikely)
    for beta in {*map(Fraction, BETAS), Fraction(0), Fraction(1), *sorted(tails(laws))[:: 1 + 2 * n]}:
        found = xdp.optimal_accuracy(protocols.k_ary(n, k, gamma=gamma), beta=beta)
        assert found == max(least_error(law, beta) for law in laws), beta


@pytest.mark.parametrize(("n", "gamma"), thinned([(40, "1/5"), (300, "3/4"), (401, "1/3")], every=2))
@pytest.mark.parametrize("beta", ["1/20", "1e-30"])
def test_the_bracket_contains_the_exact_scan(n, gamma, beta):
    exact = xdp.optimal_accuracy(protocols.k_ary(n, 2, gamma=gamma), beta=beta)
    bracket = response_bracket(n, Fraction(gamma) / 2, Fraction(beta))
    assert isinstance(exact, Fraction)
    assert exact in bracket
    assert bracket.hi <= bracket.lo * Fraction(3, 2)


def test_the_worst_data_set_of_randomized_response_is_not_an_endpoint():
    n, flip, beta = 30, Fraction(1, 10), Fraction(3, 100)
    laws = response_errors(n, 1 - flip, flip)
    exact = xdp.optimal_accuracy(protocols.k_ary(n, 2, gamma="1/5"), beta=beta)
    assert exact > max(least_error(laws[0], beta), least_error(laws[n], beta))


def test_randomized_response_of_many_users_is_bracketed():
    found = xdp.optimal_accuracy(protocols.k_ary(10**6, 2, gamma="1/2"), beta="1e-6")
    assert isinstance(found, xdp.Interval)
    assert found.hi < found.lo * Fraction(107, 100)
    assert found.hi < response_accuracy_bound(10**6, Fraction(1, 4), Fraction(1, 10**6)).lo


@pytest.mark.parametrize("noise", [xdp.Poisson(10), xdp.DiscreteLaplace("3/2"), xdp.NegativeBinomial(3, "1/2")])
def test_other_noise_without_a_threshold(noise):
    analyzer = xdp.Analyzer({0: "1/5"}, offset="-1/3")
    alpha = xdp.optimal_accuracy(xdp.AdditiveProtocol(noise, analyzer=analyzer), beta="1/10")
    errors = {t: abs(Fraction(t, 5) - Fraction(1, 3)) for t in range(-60, 120)}
    beyond = sum(noise.pmf(t).hi for t, error in errors.items() if error > alpha)
    at = sum(noise.pmf(t).lo for t, error in errors.items() if error >= alpha)
    assert beyond < Fraction(1, 10) < at


ZSUM = protocols.zsum(5, gamma="1/2")
REFUSED = [
    (
        lambda: xdp.optimal_accuracy(ZSUM, beta=2),
        "beta=2 is outside [0, 1]. Pass a probability.",
    ),
    (
        lambda: xdp.optimal_accuracy(ZSUM, beta="1/2", simultaneous=True),
        "simultaneous=True is about the bins of a histogram. Leave it out for this protocol.",
    ),
    (
        lambda: xdp.optimal_accuracy(ZSUM, beta="1/2", simultaneous=1),
        "simultaneous=1 is no bool. Pass True or False.",
    ),
    (
        lambda: xdp.optimal_accuracy("zsum", beta="1/2"),
        "protocol has the type str. Pass protocols.zsum(...), protocols.histogram(...) or protocols.k_ary(...).",
    ),
    (
        lambda: xdp.optimal_accuracy(xdp.AdditiveProtocol(xdp.Poisson(3)), beta="1/2"),
        (
            "the protocol has no analyzer with one positive weight, of the message 0. "
            "Pass AdditiveProtocol(..., analyzer=Analyzer({0: weight}, offset=...)), or protocols.zsum(...)."
        ),
    ),
    (
        lambda: xdp.optimal_accuracy(
            xdp.AdditiveProtocol(xdp.Poisson(3), analyzer=xdp.Analyzer({0: 1}, zero_unless_above=2)), beta="1/2"
        ),
        (
            "the worst data set of this analyzer is not known: it has a threshold and is not zsum's, or the noise is a "
            "finite Law. Pass protocols.zsum(...), protocols.histogram(...), or lattice noise without a threshold."
        ),
    ),
    (
        lambda: xdp.optimal_accuracy(protocols.complement(3), beta="1/2"),
        (
            "the messages do not tell the inputs apart: the mean row of 1 is 1 times that of 0, so no estimate of "
            "frequencies is unbiased. Merge such inputs, or change a row."
        ),
    ),
    (
        lambda: xdp.optimal_accuracy(
            xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 3, analyzer=xdp.Analyzer({1: 1})), beta="1/2"
        ),
        (
            "the protocol is not randomized response with its unbiased estimate, so its worst data set is not known. "
            "Pass protocols.k_ary(n, k, gamma=...), protocols.zsum(...) or protocols.histogram(...)."
        ),
    ),
]


@pytest.mark.parametrize(("ask", "message"), REFUSED)
def test_what_is_refused(ask, message):
    with pytest.raises(InvalidValueError) as refused:
        ask()
    assert str(refused.value) == message


def test_what_is_too_large():
    with pytest.raises(TooLargeError, match="beta=0 asks for an error that Poisson"):
        xdp.optimal_accuracy(xdp.AdditiveProtocol(xdp.Poisson(3), analyzer=xdp.Analyzer({0: 1})), beta=0)


def test_only_zsum_is_judged_as_zsum():
    """The same noise and threshold with another weight is another estimate, whose worst data set is not known."""
    zsum = protocols.zsum(9, gamma="1/4")
    for analyzer in (
        xdp.Analyzer({0: Fraction(2, 9)}, offset=zsum.analyzer.offset, zero_unless_above=1),
        xdp.Analyzer({0: Fraction(1, 9)}, offset=zsum.analyzer.offset, zero_unless_above=2),
        xdp.Analyzer({0: Fraction(1, 9)}, offset=-1, zero_unless_above=1),
    ):
        other = xdp.AdditiveProtocol(zsum.noise, n=9, analyzer=analyzer)
        with pytest.raises(InvalidValueError, match="the worst data set of this analyzer is not known"):
            xdp.optimal_accuracy(other, beta="1/20")


def test_a_weight_of_zero_is_no_count():
    protocol = xdp.AdditiveProtocol(xdp.Binomial(9, "1/4"), analyzer=xdp.Analyzer({0: 0}))
    with pytest.raises(InvalidValueError, match="no analyzer with one positive weight"):
        xdp.optimal_accuracy(protocol, beta="1/20")


@pytest.mark.parametrize("k", [0, 1, 5, 20])
def test_what_rounding_may_hide_is_decided_exactly(k):
    """After k steps each of the masses may be low by 1 + k (1 - q) / (1 - 2q) units or less."""
    model = CountModel(20, Fraction(3, 4), Fraction(1, 4))
    beta, bits = Fraction(1, 20), 200
    scan = _Scan(model, beta, bits)
    hidden = (model.n + 1) * (1 + k * (1 - model.unlikely) / (1 - 2 * model.unlikely))
    total = (beta * 2**bits - hidden).__ceil__()
    assert scan._sign(total, k, lambda: beta + Fraction(1, 2**190)) == 1
    assert scan._sign(total, k, lambda: beta) == 0
    assert scan._sign(total - 2, k, lambda: beta + 1) == -1


def test_the_masses_of_the_scan_are_as_near_as_it_says():
    n, likely, unlikely, bits = 20, Fraction(3, 4), Fraction(1, 4), 200
    scan = _Scan(CountModel(n, likely, unlikely), Fraction(1, 20), bits)
    masses = scan._first()
    for k in range(n + 1):
        masses = scan._next(masses) if k else masses
        law = xdp.BinomialSum(k, likely, n - k, unlikely)
        hidden = 1 + k * (1 - unlikely) / (1 - 2 * unlikely)
        assert len(masses) == n + 1
        assert all(abs(mass - law.exact_pmf(t) * 2**bits) <= hidden for t, mass in enumerate(masses))
