"""Calibration against brute force on coarse grids, every point by exact deltas; and where delta is not monotone."""

import pickle
from fractions import Fraction
from functools import cache
from itertools import pairwise

import pytest

import exactdp as xdp
from exactdp import protocols
from exactdp.errors import InexactNumberError, InvalidValueError, UndecidedError
from exactdp.numbers.epsilon import PrivacyLevel, read_privacy_level
from exactdp.studies.calibration import grid_search as least
from exactdp.studies.calibration import zsum_safety
from exactdp.studies.calibration.grid_search import _Search, family_named
from exactdp.studies.calibration.zsum_safety import LocalMaxima
from tests.thinned import thinned
from tests.together import together

HALF = Fraction(1, 2)
ORDERS = [Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(5)]


@cache
def divergence(n: int, gamma: Fraction, exp_eps: Fraction, backward: bool = False) -> Fraction:
    """delta_1, the divergence of Bin(n, gamma) from itself plus one, or delta_2, the other order; from the weights."""
    p = 1 - gamma if backward else gamma
    weights = [xdp.Binomial(n, p).exact_pmf(t) for t in range(n + 1)]
    return sum(
        (max(Fraction(0), w - exp_eps * v) for w, v in zip([*weights, 0], [0, *weights], strict=True)), Fraction(0)
    )


def delta_of(n: int, gamma: Fraction, exp_eps: Fraction) -> Fraction:
    return max(divergence(n, gamma, exp_eps), divergence(n, gamma, exp_eps, True))


def local_maxima(n: int, ratio: Fraction) -> list[Fraction]:
    """The places of the local maxima of delta_1 and delta_2 on (0, 1/2], by the formulas of the theorem."""
    first = [ratio * a / (n - a + ratio * a) for a in range(1, n)]
    second = [c / (c + ratio * (n - c)) for c in range(1, n)]
    return [place for place in (*first, *second) if place <= HALF]


@pytest.mark.parametrize("ratio", thinned(ORDERS, every=2))
@pytest.mark.parametrize("n", thinned([11, 1, 5, 2], every=4))
def test_zsum_against_every_grid_point(n, ratio):
    grid, seen = Fraction(1, 48), set()
    values = [delta_of(n, i * grid, ratio) for i in range(25)]
    peaks = {place: delta_of(n, place, ratio) for place in local_maxima(n, ratio)}
    targets = {*values[1:], *peaks.values(), *((a + b) / 2 for a, b in pairwise(values))}
    for target in sorted(t for t in targets if values[-1] <= t < 1)[:: 3 + n // 4]:
        last = max(i for i, value in enumerate(values) if value > target)
        search = _Search(family_named("zsum", PrivacyLevel(ratio)), n, PrivacyLevel(ratio), target, grid)
        index, scope = search.run()
        assert index == last + 1, target
        between = all(value <= target for place, value in peaks.items() if place > index * grid)
        assert scope == (least._ZSUM_SCOPE if between else least._ZSUM_GRID_SCOPE)
        seen.add(between)
    assert True in seen


def test_zsum_is_not_monotone_at_two_users():
    """More silent users, less privacy: exactly, and found by the calibration, which goes beyond the first crossing."""
    n, ratio = 2, Fraction(3, 2)
    less, more = Fraction(37, 100), Fraction(2, 5)
    assert delta_of(n, less, ratio) == Fraction(1591, 4000)
    assert delta_of(n, more, ratio) == Fraction(2, 5)
    for gamma, value in ((less, Fraction(1591, 4000)), (more, Fraction(2, 5))):
        assert protocols.zsum(n, gamma=gamma).privacy_profile().delta(exp_eps=ratio) == value
    target = Fraction(399, 1000)
    claims = [xdp.Claim.shift_dp(protocols.zsum(n, gamma=g).noise, exp_eps=ratio, delta=target) for g in (less, more)]
    certificate = xdp.certify(xdp.Claim.conjunction(claims[0], xdp.Claim.negation(claims[1])))
    assert (certificate.verdict, xdp.verify(certificate)) == (xdp.Verdict.PROVED, xdp.Verdict.PROVED)
    found = xdp.calibrate("zsum", n=n, exp_eps=ratio, delta=target, grid="1/100")
    assert found.parameter > more > less  # 37/100 holds, but it is not safe
    assert (found.level, found.scope) == ("certificate", "and every larger value up to 1/2")
    coarse = xdp.calibrate("zsum", n=n, exp_eps=ratio, delta="3999/10000", grid="1/26")
    assert coarse.scope == "and every larger value of the grid up to 1/2, but not every value between them"


def test_zsum_is_not_monotone_at_20000_users():
    """delta rises by a millionth before a local maximum: a target in between needs more than the first crossing."""
    n, order = 20000, read_privacy_level(eps=1, exp_eps=None)
    top = LocalMaxima(n, order, False).place(12, 64)
    e = order.enclose(64).lo
    foot = 12 * e / (n - 11 + 12 * e)
    low, high = (protocols.zsum(n, gamma=g).privacy_profile().delta(eps=1, relative_bits=64) for g in (foot, top))
    assert low < high
    assert high.hi < low.lo * Fraction(1000003, 1000000)
    found = xdp.calibrate("zsum", n=n, eps=1, delta=(low.hi + high.lo) / 2)
    assert top < found.parameter < top + (top - foot)
    assert found.scope == "and every larger value up to 1/2"


@together("backward", [False, True])
@together("ratio", ORDERS)
@together("n", [2, 3, 7, 16])
def test_the_rises_are_bounded(n, ratio, backward):
    maxima = LocalMaxima(n, PrivacyLevel(ratio), backward)
    total = Fraction(0)
    for number in range(1, maxima.last + 1):
        top = maxima.place(number, 1)
        if backward:
            foot = number / (number + ratio * (n - number + 1))
        else:
            foot = ratio * number / (n - number + 1 + ratio * number)
        rise = divergence(n, top, ratio, backward) - divergence(n, foot, ratio, backward)
        assert 0 <= rise <= maxima.rise(number, number)
        total += rise
        assert total <= number * maxima.rise(1, number)
        middle = (foot + top) / 2  # rising from the foot to the top, and falling on both sides
        assert divergence(n, foot, ratio, backward) <= divergence(n, middle, ratio, backward)
        assert divergence(n, middle, ratio, backward) <= divergence(n, top, ratio, backward)
        assert divergence(n, foot * Fraction(999, 1000), ratio, backward) >= divergence(n, foot, ratio, backward)
        assert divergence(n, top * Fraction(1001, 1000), ratio, backward) <= divergence(n, top, ratio, backward)


def test_few_local_maxima_are_evaluated(monkeypatch):
    """The bound of the rises passes the others: thousands at n = 10^6, millions at n = 10^9."""
    asked = []
    evaluate = zsum_safety._evaluate
    monkeypatch.setattr(zsum_safety, "_evaluate", lambda *question: asked.append(question[1]) or evaluate(*question))
    found = xdp.calibrate(protocols.zsum, n=10**9, eps="1/10", delta="1e-9")
    assert found.scope == "and every larger value up to 1/2"
    assert LocalMaxima(10**9, read_privacy_level(eps="1/10", exp_eps=None), False).last > 10**8
    assert len(asked) < 60


@pytest.mark.parametrize("eps", ["1/10", "1", "3"])
def test_zsum_with_an_irrational_order(eps):
    n, target, grid = 2000, Fraction(1, 100), Fraction(1, 2**20)
    found = xdp.calibrate("zsum", n=n, eps=eps, delta=target, grid=grid)
    assert found.parameter / grid == int(found.parameter / grid)
    for gamma, holds in ((found.parameter, True), (found.parameter - grid, False), (HALF, True)):
        assert (protocols.zsum(n, gamma=gamma).privacy_profile().delta(eps=eps) <= target) is holds
    assert found.holds.claim == xdp.Claim.shift_dp(found.protocol.noise, eps=eps, delta=target)
    assert (xdp.verify(found.holds), xdp.verify(found.fails)) == (xdp.Verdict.PROVED, xdp.Verdict.REFUTED)
    assert pickle.loads(pickle.dumps(found)) == found


@pytest.mark.parametrize("ratio", [Fraction(3, 2), Fraction(3)])
@pytest.mark.parametrize("n", thinned([1, 2, 5, 9], every=2))
def test_randomized_response_against_every_grid_point(n, ratio):
    grid = Fraction(1, 40)
    values = [protocols.k_ary(n, 2, gamma=2 * i * grid).privacy_profile().delta(exp_eps=ratio) for i in range(20)] + [
        Fraction(0)
    ]
    assert values == sorted(values, reverse=True)
    for target in {*values[1:], *((a + b) / 2 for a, b in pairwise(values))}:
        index, scope = _Search(
            family_named("randomized-response", PrivacyLevel(ratio)), n, PrivacyLevel(ratio), target, grid
        ).run()
        assert index == min(i for i, value in enumerate(values) if value <= target)
        assert scope == "and every larger value up to 1/2"


def test_randomized_response_by_its_builders():
    found = xdp.calibrate(protocols.k_ary, n=30, eps=1, delta="1e-3", grid="1/1024")
    assert found == xdp.calibrate("randomized-response", n=30, eps=1, delta="1e-3", grid="1/1024")
    assert found.name == "flip"
    assert found.level == "certificate"
    assert xdp.calibrate(xdp.randomized_response, n=3, exp_eps=3, delta=0, grid="1/64").parameter == Fraction(1, 4)


def test_the_counting_protocol_against_every_grid_point():
    grid, target = Fraction(1, 4), Fraction(1, 100)
    found = xdp.calibrate("counting", eps=1, delta=target, grid=grid)
    p = xdp.Real.exp("-1/5")
    for i in range(1, 40):
        holds = xdp.shift_profile(xdp.NegativeBinomial(i * grid, p)).delta(eps=1) <= target
        assert holds is (i * grid >= found.parameter)
    assert (found.name, found.scope) == ("r", "and every larger value")
    assert found.parameter < 3 * (1 + xdp.Real.log(100).rest.terms[0].coefficient)
    assert xdp.calibrate(xdp.NegativeBinomial, exp_eps=2, delta="1/100", grid=grid).level == "certificate"


def test_the_discrete_gaussian_is_not_monotone():
    less, more = Fraction(17, 100), Fraction(1, 5)
    deltas = [xdp.shift_profile(xdp.DiscreteGaussian(s)).delta(exp_eps=20) for s in (less, more)]
    assert deltas[1] > deltas[0]
    between = (deltas[0].hi + deltas[1].lo) / 2
    claims = [xdp.Claim.shift_dp(xdp.DiscreteGaussian(s), exp_eps=20, delta=between) for s in (less, more)]
    certificate = xdp.certify(xdp.Claim.conjunction(claims[0], xdp.Claim.negation(claims[1])))
    assert (certificate.verdict, xdp.verify(certificate)) == (xdp.Verdict.PROVED, xdp.Verdict.PROVED)
    found = xdp.calibrate("discrete-gaussian", exp_eps=20, delta="1/20", grid="1/1000")
    assert found.scope == "local"
    beyond = xdp.shift_profile(xdp.DiscreteGaussian(more)).delta(exp_eps=20)
    assert (found.parameter < more and beyond > Fraction(1, 20)) or found.parameter > more
    assert xdp.calibrate(xdp.DiscreteGaussian, eps=1, delta="1e-6", grid="1/16").level == "certificate"


def test_a_family_of_ones_own():
    poisson = xdp.Family(lambda mu, n: xdp.AdditiveProtocol(xdp.Poisson(mu)), "mu", (1, None), True)
    found = xdp.calibrate(poisson, eps=1, delta="1e-3", grid="1/8")
    assert (found.name, found.scope, found.level) == ("mu", "and every larger value", "certificate")
    profiles = [xdp.shift_profile(xdp.Poisson(mu)) for mu in (found.parameter, found.parameter - Fraction(1, 8))]
    assert [profile.delta(eps=1) <= Fraction(1, 1000) for profile in profiles] == [True, False]
    bounded = xdp.Family(poisson.build, "mu", (20, 100), False)
    least_one = xdp.calibrate(bounded, eps=1, delta="1/2", grid=1)
    assert (least_one.parameter, least_one.fails, least_one.scope) == (20, None, "local")


@pytest.mark.parametrize(
    "family", ["zsum", "randomized-response", pytest.param("unary-encoding", marks=pytest.mark.slow)]
)
def test_without_certificates_the_value_is_the_same(family: str) -> None:
    asked = {"n": 30, "eps": 1, "delta": "1/10", "grid": "1/64"}
    if family == "unary-encoding":
        asked |= {"inputs": 4, "grid": "1/8"}
    full, quick = xdp.calibrate(family, **asked), xdp.calibrate(family, **asked, certificates=False)
    assert (quick.parameter, quick.fails_at, quick.scope) == (full.parameter, full.fails_at, full.scope)
    assert full.holds is not None
    assert (quick.holds, quick.fails, quick.tenth_more, quick.level) == (None, None, None, "enclosure")


def test_several_bins_are_judged_together_and_have_no_certificate() -> None:
    family = xdp.Family(lambda value, n: protocols.histogram(40, 3, gamma=value), "gamma", (0, "1/2"), False)
    answer = xdp.calibrate(family, n=40, exp_eps=3, delta="1/10", grid="1/256")
    assert (answer.holds, answer.scope, answer.level) == (None, "local", "enclosure")
    at = [
        protocols.histogram(40, 3, gamma=gamma).privacy_profile().exact_delta(exp_eps=3)
        for gamma in (answer.parameter, answer.parameter - Fraction(1, 256))
    ]
    assert at[0] <= Fraction(1, 10) < at[1]


@pytest.mark.parametrize("moved", [-1, 1])
def test_a_wrong_parameter_is_caught(moved, monkeypatch):
    crossing = least._crossing
    monkeypatch.setattr(least, "_crossing", lambda *question: crossing(*question) + moved)
    with pytest.raises(RuntimeError, match="or one step below, is"):
        xdp.calibrate("counting", eps=1, delta="1/100", grid="1/4")


def test_too_many_local_maxima(monkeypatch):
    monkeypatch.setattr(zsum_safety, "_MAX_EVALUATIONS", 1)
    found = xdp.calibrate("zsum", n=1000, eps=1, delta="1/100")
    assert found.scope == "local"


def test_a_local_maximum_at_the_target(monkeypatch):
    """At an irrational order a maximum within 2^-60 of the target is not decided with so few bits."""
    n, order = 2, read_privacy_level(eps="2/5", exp_eps=None)
    place = LocalMaxima(n, order, True).place(1, 200)
    peak = xdp.shift_profile(xdp.Binomial(n, place)).delta(eps="2/5", relative_bits=100)
    monkeypatch.setattr(zsum_safety, "_MARGINS", (60,))
    with pytest.raises(UndecidedError, match="delta at its local maximum near gamma="):
        zsum_safety._evaluate(LocalMaxima(n, order, True), 1, peak.hi)


@pytest.mark.parametrize("backward", [False, True])
def test_a_local_maximum_is_bounded_wherever_it_is(backward, monkeypatch):
    """At an irrational order its place is known to some bits: |dh/dg| <= n E times the last of them may be missing."""
    asked, place_of = [], LocalMaxima.place
    monkeypatch.setattr(
        LocalMaxima, "place", lambda maxima, number, bits: asked.append(bits) or place_of(maxima, number, bits)
    )
    maxima = LocalMaxima(50, read_privacy_level(eps="2/5", exp_eps=None), backward)
    place, bound, is_above = zsum_safety._evaluate(maxima, 10, Fraction(1, 2))
    at_place = xdp.shift_profile(xdp.Binomial(50, place)).delta(eps="2/5", relative_bits=100)
    assert not is_above
    assert bound >= at_place.lo + 50 * maxima._least / 2 ** asked[-1]


REFUSED = [
    (
        {"family": "zsum", "n": 5, "eps": 1, "delta": "1e-9"},
        "no gamma up to 1/2 is known to be enough: at 1/2 delta is about 0.1026. Use a larger n, eps or delta.",
    ),
    (
        {"family": "zsum", "eps": 1, "delta": "1e-9"},
        "zsum needs n, the number of users who follow the protocol. Pass n=1000.",
    ),
    (
        {"family": "counting", "n": 5, "eps": 1, "delta": "1e-9"},
        "n=5 has no meaning for counting: its noise does not depend on n. Leave it out.",
    ),
    (
        {"family": "laplace", "eps": 1, "delta": "1e-9"},
        (
            "family='laplace' is unknown. Pass a Family, or one of randomized-response, almost-central, "
            "correlated-counting, counting, sample-and-threshold, zsum, discrete-gaussian, balls-into-bins, flooding, "
            "histogram, unary-encoding, "
            "subset-selection, hadamard-response, local-hashing, clipped-discrete-laplace, mixed-dummies, "
            "any-randomizer, laplace-randomizer, piecewise, staircase, duchi, hybrid."
        ),
    ),
    (
        {"family": protocols.gap, "n": 3, "eps": 1, "delta": "1e-9"},
        (
            "gap makes a protocol of n=2 users, but n=3 is asked about. Pass a callable that makes a randomizer from "
            "e^eps0, or a protocol of the n that is asked about."
        ),
    ),
    ({"family": "zsum", "n": 5, "eps": 1, "delta": 1}, "delta=1 holds without any noise. Pass delta below 1."),
    ({"family": "zsum", "n": 5, "eps": 1, "delta": 2}, "delta=2 is outside [0, 1]. Pass a probability."),
    ({"family": "zsum", "n": 5, "eps": -1, "delta": 0}, "eps=-1 is below 0. Pass an eps of at least 0."),
    (
        {"family": "zsum", "n": 5, "delta": 0},
        "neither of eps and exp_eps given. Pass one: eps=..., or exp_eps=... for e^eps.",
    ),
    (
        {"family": "zsum", "n": 5, "eps": 1, "delta": "1/2", "grid": 0},
        "grid=0 is not above 0. Pass a step such as 1/1024.",
    ),
    (
        {"family": "zsum", "n": 5, "eps": 1, "delta": "1/2", "grid": "1/3"},
        "grid=1/3 does not divide the domain from 0 to 1/2. Pass a step such as 1/1024.",
    ),
    (
        {"family": xdp.Family(lambda value, n: (5, 3, value), "gamma", (0, 1), False)},
        (
            "the family builds a tuple, which is no protocol that is calibrated. Build a ShuffleProtocol or its "
            "randomizer, or an AdditiveProtocol."
        ),
    ),
    (
        {"family": "zsum", "n": 5, "eps": 1, "delta": "1/2", "certificates": "no"},
        "certificates='no' is no bool. Pass True or False.",
    ),
    (
        {
            "family": xdp.Family(lambda value, n: xdp.AdditiveProtocol(xdp.Geometric("1/4")), "x", (0, None), True),
            "grid": 1,
        },
        "no x up to 2^64 is enough for delta=1/10. Use a larger eps or delta.",
    ),
]


@pytest.mark.parametrize(("question", "message"), REFUSED)
def test_what_is_refused(question, message):
    question = {"eps": 1, "delta": "1/10", **question} if set(question) <= {"family", "grid"} else question
    with pytest.raises(InvalidValueError) as refused:
        xdp.calibrate(question.pop("family"), **question)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: xdp.Family("zsum", "mu", (0, 1), True),
            "build has the type str. Pass a function of the parameter and n that returns a protocol.",
        ),
        (
            lambda: xdp.Family(print, "mu", (0, 1), "yes"),
            "parameter is a name, monotone and weakens are bools. Pass Family(build, 'mu', domain, True).",
        ),
        (
            lambda: xdp.Family(print, "mu", (0,), True),
            "domain is no pair. Pass (least, largest), with None for no largest value.",
        ),
        (
            lambda: xdp.Family(print, "mu", (1, 1), True),
            "domain=(1, 1) is empty or begins below 0. Pass 0 <= least < largest.",
        ),
        (
            lambda: xdp.Family(print, "mu", (-1, None), True),
            "domain=(-1, None) is empty or begins below 0. Pass 0 <= least < largest.",
        ),
    ],
)
def test_what_is_no_family(make, message):
    with pytest.raises(InvalidValueError) as refused:
        make()
    assert str(refused.value) == message


def test_a_float_is_refused():
    with pytest.raises(InexactNumberError, match="grid="):
        xdp.calibrate("zsum", n=5, eps=1, delta="1/2", grid=0.25)


@pytest.mark.parametrize("n", [10**6, pytest.param(10**9, marks=pytest.mark.slow)])
def test_binary_randomized_response_of_a_million_and_a_billion_users(n):
    found = xdp.calibrate("randomized-response", n=n, eps="1/10", delta="1e-6")
    assert found.protocol.n == n
    assert found.protocol.privacy_profile().delta(eps="1/10") <= Fraction(1, 10**6)
    assert found.fails_at == found.parameter - found.grid
    assert found.is_least
    below = protocols.k_ary(n, 2, gamma=2 * found.fails_at)
    assert below.privacy_profile().delta(eps="1/10") > Fraction(1, 10**6)
    assert (found.holds.verdict, found.fails.verdict) == (xdp.Verdict.PROVED, xdp.Verdict.REFUTED)
    assert (found.level, found.scope) == ("enclosure", "and every larger value up to 1/2")
    # what a deployment needs: the flip probability, gamma, and the eps0 of one user
    assert found.gamma == 2 * found.parameter
    assert found.local_epsilon == xdp.LogRational((1 - found.parameter) / found.parameter)
    assert protocols.k_ary(n, 2, gamma=found.gamma) == found.protocol


def test_only_randomizers_have_an_eps0():
    counting = xdp.calibrate("counting", eps=1, delta="1/100", grid="1/4")
    assert (counting.gamma, counting.local_epsilon) == (None, None)
    zsum = xdp.calibrate("zsum", n=200, eps=1, delta="1/100", grid="1/1024")
    assert (zsum.gamma, zsum.local_epsilon) == (zsum.parameter, None)
