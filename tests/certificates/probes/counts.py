"""Noisy and sampled counts: divergences by brute force over two counts, or over all outcomes of few holders."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product
from math import comb, factorial
from typing import Any

from mpmath import mp, mpf

from tests.certificates.claims import counting, mixed, negative_binomial, sampled
from tests.certificates.probes.common import Checker, probe, refuses, refuses_beyond

LAST = 28  # outcomes of each part that are listed: what is left weighs less than 2^-20
HALVES = (Fraction(1, 2), [("2", "1/2")]), (Fraction(1, 4), [("1", "1/2"), ("1", "1/4")])


def divided(law: dict[Any, int], other: dict[Any, int], exp_eps: Fraction) -> Fraction:
    """The sum of max(0, p - E q), in the units of the weights."""
    excess = (p * exp_eps.denominator - exp_eps.numerator * other.get(place, 0) for place, p in law.items())
    return Fraction(sum(max(0, part) for part in excess), exp_eps.denominator)


def two_counts(p1: Fraction, shapes: list[tuple[str, str]], whole: int) -> dict[tuple[int, int], int]:
    """The weights of (U, V) for the sum 0, in units of 1/whole, each law listed up to LAST."""
    common = {0: Fraction(1)}
    for r, p in shapes:
        size, ratio = int(r), Fraction(p)
        part = {t: comb(size + t - 1, t) * ratio**t * (1 - ratio) ** size for t in range(LAST)}
        common = {
            t: sum((q * part[t - s] for s, q in common.items() if 0 <= t - s < LAST), Fraction(0)) for t in range(LAST)
        }
    own = [(1 - p1) * p1**g for g in range(LAST)]
    law: dict[tuple[int, int], int] = {}
    for (w, p), (g, q), (h, s) in product(common.items(), enumerate(own), enumerate(own)):
        if mass := int(p * q * s * whole):
            law[g + w, h + w] = law.get((g + w, h + w), 0) + mass
    return law


@probe
def both_orders_of_two_counts(checker: Checker) -> None:
    """Against all (U, V); and the bounds of few bits are around those of many."""
    whole = 2**60
    for p1, shapes in HALVES:
        law = two_counts(p1, shapes, whole)
        moved = {(u + 1, v): mass for (u, v), mass in law.items()}
        for exp_eps in map(Fraction, ("1", "3/2", "2", "5/2", "7")):
            noise = [negative_binomial(*shape) for shape in shapes]
            claim = counting(str(p1), *noise, exp_eps=str(exp_eps), delta="1")
            orders = [divided(law, moved, exp_eps) / whole, divided(moved, law, exp_eps) / whole]
            bounds = []
            for bits in ("24", "128"):
                work = checker.Work()
                read = checker.Counting.read(claim, work)
                bounds += [read.bound({"bits": bits}, work, above) for above in (False, True)]
            low, least, most, high = bounds[0], bounds[2], bounds[3], bounds[1]
            assert low <= least <= most <= high
            assert most - least < Fraction(1, 2**100)
            assert high - low < Fraction(1, 2**10)
            assert abs(max(orders) - least) < Fraction(1, 2**19), (p1, exp_eps)


@probe
def noise_in_parts(checker: Checker) -> None:
    """Laws of one ratio are one law; e^eps by its eps, and a real p1, are enclosed."""
    together, apart = (
        checker.Counting.read(counting("1/3", *noise, exp_eps="2"), checker.Work()).bound(
            {"bits": "96"}, checker.Work(), True
        )
        for noise in (
            [negative_binomial("7/2", "2/3")],
            [negative_binomial("1", "2/3"), negative_binomial("2", "2/3"), negative_binomial("1/2", "2/3")],
        )
    )
    assert abs(together - apart) < Fraction(1, 2**80)
    for above in (False, True):
        plain = checker.Counting.read(counting("1/2", eps="1"), checker.Work())
        real = checker.Counting.read(counting({"exp": {"log": "1/2"}}, eps="1"), checker.Work())
        exact, near = (read.bound({"bits": "96"}, checker.Work(), above) for read in (plain, real))
        assert abs(exact - near) < Fraction(1, 2**80)
    wide = plain.bound({"bits": "20"}, checker.Work(), True)
    assert plain.bound({"bits": "20"}, checker.Work(), False) < exact < wide


@probe
def words_of_counts(checker: Checker) -> None:
    read = checker.Counting.read(
        counting("1/3", negative_binomial("2", "1/2"), negative_binomial("3", "1/4")), checker.Work()
    )
    assert read.words == (
        "sum of bits + Geometric(1/3) + W messages +1 and Geometric(1/3) + W messages -1, W ~ NB(2, 1/2) + NB(3, 1/4), "
        "any number of users, replace one: (e^eps = 2, delta = 1/4)-DP, both orders"
    )
    assert read.noise.enclosed({"bits": "16"}, checker.Work())[0] == 3 * 16  # what a product is paid for
    many = 2**15_000  # more digits than Python writes
    for users, shown in (("9", "9"), (hex(many), "2.817960e4515 (15001 bits)")):
        sample = checker.SampleThreshold.read(sampled(users=users), checker.Work())
        assert sample.words == (
            "number of holders of an item, sampled with probability 1/4, dropped below 2, "
            f"at most {shown} holders, one more or fewer: (e^eps = 2, delta = 1/16)-DP, both orders"
        )


def released(rate: Fraction, tau: int, holders: int) -> dict[int, int]:
    """The law of what is released, in units of the rate's denominator to the power of the holders."""
    sent, kept = rate.numerator, rate.denominator - rate.numerator
    law = {t: comb(holders, t) * sent**t * kept ** (holders - t) for t in range(tau, holders + 1)}
    return {0: rate.denominator**holders - sum(law.values()), **law}


@probe
def losses_of_sampled_counts(checker: Checker) -> None:
    """Every number of holders, both orders, exactly."""
    rates, levels = map(Fraction, ("1/8", "1/2", "2/3", "9/10")), map(Fraction, ("1", "11/10", "3/2", "5"))
    for rate, exp_eps, tau in product(rates, levels, (1, 2, 3, 6)):
        claim = checker.SampleThreshold.read(sampled(str(rate), tau), checker.Work())
        reached = []
        for n, losses, total in claim.losses(14, exp_eps, checker.Work()):
            more, fewer = (
                {k: v * rate.denominator ** (14 - m) for k, v in released(rate, tau, m).items()} for m in (n + 1, n)
            )
            whole = rate.denominator**14
            exact = divided(more, fewer, exp_eps) / whole, divided(fewer, more, exp_eps) / whole
            assert tuple(Fraction(loss, total) for loss in losses) == exact, (rate, exp_eps, tau, n)
            reached.append(n)
        assert reached == list(range(tau - 1, 14))
    assert list(claim.losses(5, Fraction(2), checker.Work())) == []
    assert [n for n, _, _ in claim.losses(6, Fraction(2), checker.Work())] == [5]


@probe
def where_a_scan_may_end(checker: Checker) -> None:
    """The least number of trials whose tail bounds are at most delta, by mpmath."""
    for rate, tau, exp_eps, delta in (
        ("1/4", 2, "2", "1/16"),
        ("1/8", 20, "2", "1/1000000000"),
        ("2/3", 2, "3/2", "4/9"),
        ("2/3", 30, "3/2", "1/9"),
        ("9/10", 2, "2", "1"),
        ("3/4", 2, "4", "1/100"),
    ):
        claim = checker.SampleThreshold.read(sampled(rate, tau, exp_eps, delta), checker.Work())
        q, e, d = (mpf(Fraction(x).numerator) / Fraction(x).denominator for x in (rate, exp_eps, delta))

        def is_enough(trials: int, q: Any = q, e: Any = e, d: Any = d, tau: int = tau) -> bool:
            gain, tails = 1 / (1 - q) - e, [(1 - (1 - q) / e, mpf(1))]
            if gain > mpf(2) ** -100:
                tails.append((max(mpf(tau - 1) / trials, 1 - e * (1 - q)), gain))
            if any(share >= q for share, _ in tails[1:]):
                return False
            divergences = [(x * mp.log(x / q) + (1 - x) * mp.log((1 - x) / (1 - q)), f) for x, f in tails]
            return all(trials * divergence >= mp.log(factor / d) for divergence, factor in divergences)

        end = next(trials for trials in range(1, 1000) if is_enough(trials))
        ask = partial(claim.check_beyond, ratio=Fraction(exp_eps), work=checker.Work())
        assert refuses(checker, partial(ask, end)) == "nothing", (rate, end)
        if end > 1:
            assert refuses(checker, partial(ask, end - 1)) == "CertificateRejectedError", (rate, end)
    low, high = checker.log_fractions(Fraction(1, 3**200), 128, checker.Work())
    with mp.workdps(60):
        assert mpf(low.numerator) / low.denominator < -200 * mp.log(3) < mpf(high.numerator) / high.denominator
    assert high - low < Fraction(1, 2**100)
    assert checker.log_fractions(Fraction(1), 64, checker.Work())[0] <= 0


@probe
def limits_of_counts(checker: Checker) -> None:
    noise = {"noise": [negative_binomial("2", "1/2")] * 3}
    claim = checker.SampleThreshold.read(sampled("1/4", 2), checker.Work())
    cases = (
        ("MAX_SUMMANDS", 3, lambda: checker.Counting.read({**counting(), **noise}, checker.Work())),
        ("MAX_TOTAL_BITS", 9 * 3, lambda: list(claim.losses(9, Fraction(2), checker.Work()))),
        ("MAX_USERS", 9, lambda: checker.SampleThreshold.read(sampled("1/4", 9), checker.Work())),
        ("MAX_USERS", 9, lambda: claim.prove({"holders": "9"}, checker.Work())),
    )
    refuses_beyond(checker, cases)


def colourings(n: int, q: int, m: int) -> Fraction:
    """E[q^(C-1)] by all cuts of the points into labelled parts."""
    weights = [Fraction(factorial(m * k), factorial(k) ** 2) for k in range(n + 1)]
    ways = weights
    for _ in range(q - 1):
        ways = [sum((ways[k - j] * weights[j] for j in range(k + 1)), Fraction(0)) for k in range(n + 1)]
    return ways[n] / weights[n] / q


@probe
def colourings_of_components(checker: Checker) -> None:
    """Few points exactly; and of more of them bounds that are above the truth, and close to it."""
    for n, q, m in ((1, 3, 3), (2, 2, 3), (3, 4, 3), (5, 3, 5), (8, 2, 4), (13, 6, 3), (17, 2, 3)):
        exact = colourings(n, q, m) - 1
        for length in (3, 4, 5, 7, 8, 16):
            long = checker.Components(n, m, length, 200, checker.Work())
            assert long.is_long == (n > 2 * length + 1)
            try:
                bound = Fraction(long.excess(q), 2**200)
            except checker.CertificateRejectedError:
                assert length < 5
                continue
            assert 0 <= bound - exact < Fraction(1, 10**9 if not long.is_long else 20), (n, q, m, length)
    fine, rough = (
        Fraction(checker.Components(160, 4, 12, bits, checker.Work()).excess(9), 2**bits) for bits in (300, 90)
    )
    assert fine <= rough < fine * Fraction(3, 2)
    exact = Fraction(checker.Components(160, 4, 80, 300, checker.Work()).excess(9), 2**300)
    assert exact <= fine < exact * Fraction(100001, 100000)
    rho = checker.Components(30, 3, 8, 64, checker.Work()).splits(9, 3)
    weights = [Fraction(factorial(3 * k), factorial(k) ** 2) for k in range(10)]
    assert all(0 <= mass - 2**64 * weights[r] * weights[9 - r] / weights[9] < 2 for r, mass in enumerate(rho))


@probe
def rows_of_shares(checker: Checker) -> None:
    """Every choice of the shares that are free."""
    for q, m, n in ((2, 3, 4), (3, 4, 2), (5, 3, 1)):
        claim = checker.SplitAndMix.read(mixed(n, q, m, "1"), checker.Work())
        base = n * m + 1
        for element, row in enumerate(claim.rows(checker.Work())):
            law: dict[int, int] = {}
            for free in product(range(q), repeat=m - 1):
                shares = (*free, (element - sum(free)) % q)
                counts = sum(base**share for share in shares)
                law[counts] = law.get(counts, 0) + 1
            assert row == law
