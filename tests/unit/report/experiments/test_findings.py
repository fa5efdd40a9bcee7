"""What the experiments find, at a fixed seed: drawn intervals meet exact numbers, and a wrong sampler is seen.

Each drawn interval misses with probability at most 10^-9 for a random seed, and no test here looks at more than 100.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactdp as xdp
from exactdp import protocols
from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.protocols.counting.correlated_counting_protocol import CorrelatedCounting
from exactdp.report.experiments import EXPERIMENTS
from exactdp.report.experiments.central_noise import CentralNoise
from exactdp.report.experiments.counting_error import CountingError, mean_deviations
from exactdp.report.experiments.drawn import Sampled, views
from exactdp.report.experiments.experiment import Finding, missing
from exactdp.report.experiments.histogram_error import HistogramError
from exactdp.report.experiments.response_error import LEVELS, ResponseError
from exactdp.report.experiments.three_models import Case, ModelError
from exactdp.report.experiments.view_distance import ViewDistance
from exactdp.report.experiments.zsum_error import EPS, ZsumError
from tests.oracles import shares
from tests.thinned import thinned

ONE = (Case("n", 2000, Fraction(1), Fraction(1, 10**6)),)
Run = Callable[[Any], Finding]


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_drawn_intervals_meet_the_exact_numbers(name: str):
    finding = EXPERIMENTS[name].run(seed=7, draws=1500, quick=True)
    assert finding.misses() == ()
    about = dict(finding.table().about)
    assert about["seed"] == "7"
    assert {"experiment", "numpy version", "python version"} <= set(about)
    assert all(comparison for point in finding.points for comparison in point.comparisons())


# --- Theorems and exact numbers -------------------------------------------------------------------------------------


def test_the_theorem_of_zsum_is_above_the_exact_error_at_every_beta_it_is_for():
    found = ZsumError.run(seed=1, draws=100)
    inside = [p for p in found.points if p.least is not None]
    assert len(inside) > 25
    for p in inside:
        assert p.theorem is not None
        assert p.closed_form is not None
        assert p.least is not None
        assert p.least_at_power is not None
        assert p.failure is not None
        assert p.least < p.least_at_power
        assert p.theorem > p.least_at_power
        assert p.closed_form > p.least
        assert p.failure <= found.beta
    outside = [p for p in found.points if p.note]
    assert {(p.eps, p.n) for p in outside} >= {(Fraction(1), 1000), (Fraction(1, 10), 10**5)}
    assert all(p.least is None and "the theorem needs n >= " in p.note for p in outside)


def test_the_error_of_zsum_in_users_does_not_grow_with_n():
    found = ZsumError.run(seed=1, draws=100, grid=tuple(product(EPS, (10**6, 10**7, 10**8, 10**9))))
    for eps in {p.eps for p in found.points}:
        levels = [p.least for p in found.points if p.eps == eps and p.least is not None]
        assert max(levels) <= min(levels) * Fraction(1001, 1000)


@pytest.fixture(scope="module")
def histograms() -> HistogramError:
    return HistogramError.run(seed=3, draws=1000)


@pytest.fixture(scope="module")
def three_histograms() -> HistogramError:
    return HistogramError.run(seed=3, draws=300, quick=True)


@pytest.mark.slow
def test_the_simultaneous_error_does_not_grow_with_d(histograms: HistogramError):
    many = [p for p in histograms.points if p.d >= 10**4]
    assert len(many) == 3
    assert len({p.least for p in many}) == 1  # not at all, from n / alpha bins on
    assert len({(p.theorem, p.closed_form, p.bins) for p in many}) == 1
    first, last = histograms.points[0].least, histograms.points[-1].least
    assert isinstance(first, xdp.Interval)
    assert isinstance(last, Fraction)
    assert last < first.lo * Fraction(11, 10)  # a tenth, from 2 bins to a million
    drawn = [(p.sampled.low, p.sampled.high) for p in histograms.points]
    assert all(low is not None and high is not None and low > 700 and high < 900 for low, high in drawn)


@pytest.mark.parametrize("drawn", ["three_histograms", pytest.param("histograms", marks=pytest.mark.slow)])
def test_the_theorem_of_the_histogram_is_above_the_exact_error(drawn: str, request: pytest.FixtureRequest):
    histograms: HistogramError = request.getfixturevalue(drawn)
    for p in histograms.points:
        assert p.theorem > p.closed_form
        assert p.closed_form > p.least
        assert p.answered == 0
        assert p.failure <= histograms.beta
    assert histograms.misses() == ()


@pytest.mark.slow
def test_hoeffding_is_above_the_exact_error_of_randomized_response_which_grows_as_the_root():
    found = ResponseError.run(seed=1, draws=100, grid=tuple(product(LEVELS, (10**3, 10**5, 10**7))))
    for p in found.points:
        assert p.hoeffding > p.least
        low = p.least.lo if isinstance(p.least, xdp.Interval) else p.least
        assert low <= p.level <= low * Fraction(11, 10) or not isinstance(p.least, xdp.Interval)
    levels = [p.level for p in found.points if p.exp_eps == 3]
    assert all(Fraction(97, 10) < b / a < Fraction(103, 10) for a, b in pairwise(levels))


@pytest.mark.slow
def test_the_union_bound_is_tight_for_one_count_and_within_three_percent_for_many():
    found = CentralNoise.run(seed=1, draws=100)
    beta = found.beta
    assert beta in found.points[0].laplace
    assert all(p.laplace <= beta and p.laplace > beta * Fraction(97, 100) for p in found.points[1:])
    assert any(p.geometric > beta for p in found.points)
    assert any(p.geometric < beta for p in found.points)
    assert all(p.laplace_radius <= p.radius for p in found.points[1:])


@pytest.mark.slow
def test_only_the_local_error_grows_with_n():
    delta = Fraction(1, 10**6)
    cases = tuple(Case("n", n, Fraction(1), delta) for n in (10**3, 10**6, 10**9))
    found = ModelError.run(seed=1, draws=2000, grid=cases)
    assert abs(found.slope("n", "local") - 0.5) < 0.01
    for model in ("zsum, theorem’s noise", "zsum, least noise", "central"):
        assert abs(found.slope("n", model)) < 0.01
    last = {p.model: p.error for p in found.points if p.n == 10**3 and p.error is not None}
    assert last["central"] < last["shuffled, least noise"] < last["zsum, least noise"] < last["local"]
    assert found.misses() == ()


# --- A wrong sampler is seen ----------------------------------------------------------------------------------------


def scaled(factor: Fraction) -> Callable[..., Any]:
    """Draw from the protocol with the noise parameter times the factor: gamma, f or eps."""

    def draw(protocol: Any, dataset: Any, **options: Any) -> Any:
        if isinstance(protocol, xdp.ShuffleProtocol):
            gamma = 2 * protocol.randomizer.table()[0][(1,)]
            other: Any = protocols.k_ary(protocol.n, 2, gamma=gamma * factor)
        elif isinstance(protocol, CorrelatedCounting):
            r = protocol.r * factor
            other = protocols.correlated_counting(protocol.n, p1=protocol.p1, p2=protocol.p2, r=r)
        elif isinstance(protocol.noise, xdp.Binomial):
            silent = 1 - protocol.noise.p
            noise = xdp.Binomial(protocol.noise.n, 1 - silent * factor)
            other = xdp.AdditiveProtocol(noise, bins=protocol.bins, n=protocol.n, analyzer=protocol.analyzer)
        else:
            noise = xdp.DiscreteLaplace(xdp.Real.exp(factor))
            other = xdp.AdditiveProtocol(noise, bins=protocol.bins)
        return views(other, dataset, **{**options, "nearest": True})

    return draw


def shifted(protocol: Any, dataset: Any, **options: Any) -> Any:
    return views(protocol, dataset, **options) + 20


WRONG = {
    "noise halved": scaled(Fraction(1, 2)),
    "p off by 1%": scaled(Fraction(101, 100)),
    "shifted": shifted,
}

RUNS: dict[str, Run] = {
    "zsum-error": lambda draw: ZsumError.run(seed=5, draws=200_000, grid=tuple((eps, 10**6) for eps in EPS), draw=draw),
    "histogram-error": lambda draw: HistogramError.run(seed=5, draws=10_000, grid=((100, 10**5),), draw=draw),
    "randomized-response": lambda draw: ResponseError.run(
        seed=5, draws=50_000, grid=tuple((level, 10**4) for level in LEVELS), draw=draw
    ),
    "central": lambda draw: CentralNoise.run(seed=5, draws=2_000_000, grid=(1,), draw=draw),
    "models": lambda draw: ModelError.run(seed=5, draws=300_000, grid=ONE, draw=draw),
}


@pytest.mark.parametrize("name", thinned(RUNS, every=2))
def test_the_right_sampler_passes_where_a_wrong_one_is_seen(name: str):
    assert RUNS[name](views).misses() == ()


@pytest.mark.parametrize("wrong", thinned(WRONG, every=3))
@pytest.mark.parametrize("name", RUNS)
def test_a_wrong_sampler_is_seen(name: str, wrong: str):
    assert RUNS[name](WRONG[wrong]).misses() != ()


@pytest.mark.parametrize("factor", [0.5, 1.01])
def test_wrong_laplace_noise_is_seen(factor: float):
    def laplace(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
        return factor * rng.laplace(size=shape)

    found = CentralNoise.run(seed=5, draws=2_000_000, grid=(1,), draw_laplace=laplace)
    assert [each.split(":")[0] for each in found.misses()] == ["k=1, Laplace"]


def test_a_shape_that_is_off_by_one_percent_is_seen():
    draw = scaled(Fraction(101, 100))
    missed = CountingError.run(seed=5, draws=50_000, grid=(10**6,), draw=draw).misses()
    assert missed
    assert all(sentence.startswith("messages") for sentence in missed)  # r is not in the error


def test_noise_that_does_not_cancel_is_seen():
    """The messages are right, and the error is not: G1 is drawn twice, and W goes into one count alone."""

    def draw(protocol: Any, dataset: Any, **options: Any) -> Any:
        seen = views(protocol, dataset, **options)
        return np.stack([seen.sum(axis=1) - seen[:, 1] + seen[:, 1] // 9, seen[:, 1] - seen[:, 1] // 9], axis=1)

    missed = CountingError.run(seed=5, draws=2000, grid=(10**6,), draw=draw).misses()
    assert missed
    assert all(sentence.startswith("P[") for sentence in missed)


def every_view(protocol: Any, dataset: Any, *, size: int, **_: Any) -> Any:
    """All views of a data set, each as often as it is likely, enumerated share by share."""
    q, m, n = protocol.modulus, protocol.messages, protocol.n
    assert size == q ** ((m - 1) * n)
    inputs = tuple(value for value, count in dataset.items() for _ in range(count))
    law = shares.view(inputs, q, m)
    rows = [
        [seen.count(value) for value in range(q)] for seen, chance in law.items() for _ in range(int(chance * size))
    ]
    return np.array(rows)


@pytest.mark.parametrize("place", [(2, 3, 2), (2, 2, 4), (3, 3, 2), (2, 3, 3)], ids=str)
def test_views_drawn_as_often_as_they_are_likely_are_exactly_as_far_apart(place: tuple[int, int, int]):
    q, m, n = place
    (point,) = ViewDistance.run(seed=1, draws=q ** ((m - 1) * n), grid=(place,), draw=every_view).points
    assert Fraction(point.first_seen - point.second_seen, point.draws) == point.distance


def test_shares_that_do_not_sum_to_the_input_are_seen():
    def independent(protocol: Any, dataset: Any, *, size: int, rng: np.random.Generator) -> Any:
        ones = rng.binomial(protocol.n * protocol.messages, 1 / 2, size)
        return np.stack([protocol.n * protocol.messages - ones, ones], axis=1)

    assert ViewDistance.run(seed=5, draws=3000, grid=((2, 3, 2),)).misses() == ()
    assert ViewDistance.run(seed=5, draws=3000, grid=((2, 3, 2),), draw=independent).misses() != ()


def test_the_mean_of_the_messages_is_as_near_as_its_deviations_say():
    """Against the law of T at one draw, listed far beyond any number that matters, in another arithmetic."""
    from mpmath import mp, mpf

    protocol = protocols.correlated_counting(5, p1="1/3", p2="1/2", r=2)
    below, above = mean_deviations(protocol, 1, risk=Fraction(1, 100))
    p1, p2, reach = mpf(1) / 3, mpf(1) / 2, 60
    both = [(1 - p1) ** 2 * p1**t * (t + 1) for t in range(reach)]
    common = [(1 - p2) ** 2 * p2**t * (t + 1) for t in range(reach)]
    law: dict[int, Any] = {}
    for g, w in product(range(reach), repeat=2):
        law[g + 2 * w] = law.get(g + 2 * w, 0) + both[g] * common[w]
    mean = sum(t * p for t, p in law.items())
    assert abs(mean - 5 * mpf(float(protocol.noise_messages))) < mpf(10) ** -12
    for width, sign, tilts in ((below, -1, range(5, 400, 5)), (above, 1, range(1, 34))):
        chance = sum(p for t, p in law.items() if sign * (t - mean) > float(width))
        assert chance <= mpf(1) / 200
        best = min(
            mp.log(200 * sum(p * mp.exp(sign * tilt * t / 100) for t, p in law.items())) * 100 / tilt - sign * mean
            for tilt in tilts
        )
        assert best <= float(width) * 1.01
        assert float(width) < 2 * best


def test_an_empty_bin_with_an_answer_is_a_miss():
    def draw(protocol: Any, dataset: Any, **options: Any) -> Any:
        seen = views(protocol, dataset, **options)
        seen[:, -1] = protocol.n + 1
        return seen

    found = HistogramError.run(seed=5, draws=100, grid=((2000, 10**4),), draw=draw)
    assert any("empty bins have an estimate other than 0" in each for each in found.misses())


def test_missing_compares_ends():
    half = Fraction(1, 2)
    assert missing("x", Sampled(half, None), Fraction(1)) == []
    assert missing("x", Sampled(half, None), Fraction(1, 4)) == ["x: drawn 0.5 to ..., exact 0.25"]
    assert missing("x", Sampled(None, half), 1) == ["x: drawn ... to 0.5, exact 1"]
    assert missing("x", xdp.Interval.around(half, relative_bits=9), xdp.Interval.around(half, relative_bits=9)) == []


# --- The page -------------------------------------------------------------------------------------------------------


def test_the_page_has_a_section_and_the_command_of_every_experiment():
    page = (Path(__file__).parents[4] / "docs" / "experiments.md").read_text(encoding="utf-8")
    for name in EXPERIMENTS:
        assert f"\n## {name}\n" in page
        assert f"\n    exactdp experiment {name} -o results\n" in page


# --- Arguments ------------------------------------------------------------------------------------------------------


def test_a_run_refuses_what_it_cannot_draw():
    experiment = EXPERIMENTS["central"]
    with pytest.raises(InvalidValueError, match="size=0 is below 1"):
        experiment.run(draws=0)
    with pytest.raises(TooLargeError, match="size=10000001 is more than the limit of 10000000"):
        experiment.run(draws=10**7 + 1)
    with pytest.raises(InvalidValueError, match="seed=-1 is below 0"):
        experiment.run(seed=-1)
    with pytest.raises(TooLargeError, match="seed=9223372036854775808 is more than the limit"):
        experiment.run(seed=2**63)


def test_the_watch_hears_of_every_point():
    heard: list[str] = []
    found = ZsumError.run(seed=1, draws=10, grid=tuple(product(EPS, (10**4, 10**5))), watch=heard.append)
    assert len(heard) == len(found.points)
    assert heard[0] == "eps=1, n=10000"
