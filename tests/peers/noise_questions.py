"""A count plus noise, released k times: exactdp, dp-accounting and OpenDP. Needs the extra `peers`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import log
from typing import Any

import opendp.prelude as opendp
from dp_accounting.pld import privacy_loss_distribution as pld
from scipy.stats import binom

import exactdp as xdp
from tests.peers.answers import Answer, Proved, one_number, rows, two_numbers

opendp.enable_features("contrib")

COUNT = opendp.atom_domain(T=int), opendp.absolute_distance(T=int)
TRIALS = 1000
GRID = 1e-4
"""The distance of losses of dp-accounting, its default."""
WIDTH = "1/10000"
"""What exactdp is asked for, of compositions, as a share of the answer."""


@dataclass(frozen=True)
class Noise:
    """One law, as each tool is told of it."""

    name: str
    law: xdp.DiscreteLaplace | xdp.DiscreteGaussian | xdp.Binomial
    peer: Callable[[bool], Any]
    measurement: Callable[[], Any] | None
    asked: tuple[tuple[int, str], ...]


def binomial_losses(is_upper: bool) -> Any:
    """dp-accounting has no binomial noise: it is given the two laws in floats."""
    first = {k: float(binom.logpmf(k, TRIALS, 0.5)) for k in range(TRIALS + 1)}
    second = {k + 1: value for k, value in first.items()}
    return pld.from_two_probability_mass_functions(
        second, first, pessimistic_estimate=is_upper, value_discretization_interval=GRID, symmetric=False
    )


NOISES = (
    Noise(
        "discrete Laplace noise, e^eps0 = 5/4",
        xdp.DiscreteLaplace("5/4"),
        lambda side: pld.from_discrete_laplace_mechanism(log(1.25), pessimistic_estimate=side),
        lambda: opendp.m.make_laplace(*COUNT, scale=1 / log(1.25)),
        ((1, "1/10"), (10, "1"), (100, "4")),
    ),
    Noise(
        "discrete Gaussian noise, sigma^2 = 100",
        xdp.DiscreteGaussian(100),
        lambda side: pld.from_discrete_gaussian_mechanism(10.0, pessimistic_estimate=side),
        lambda: opendp.m.make_gaussian(*COUNT, scale=10.0),
        ((1, "1/5"), (10, "1"), (100, "4")),
    ),
    Noise(
        f"binomial noise, {TRIALS} trials, p = 1/2",
        xdp.Binomial(TRIALS, "1/2"),
        binomial_losses,
        None,
        ((1, "1/5"), (10, "1"), (100, "4")),
    ),
)


def of_opendp(make: Callable[[], Any], times: int, eps: float) -> float:
    """By zero-concentrated DP, which is what it composes; of one run of pure DP its delta is 0 or 1."""
    runs = [make() for _ in range(times)]
    runs = [opendp.c.make_pureDP_to_zCDP(run) if "MaxDivergence" in str(run.output_measure) else run for run in runs]
    released = opendp.c.make_composition(runs) if times > 1 else runs[0]
    return float(opendp.c.make_zCDP_to_approxDP(released).map(1).delta(eps))


def of_dp_accounting(losses: Any, times: int, eps: float) -> float:
    return float((losses.self_compose(times) if times > 1 else losses).get_delta_for_epsilon(eps))


def answers(noise: Noise, times: int, eps: float) -> Iterator[Answer]:
    yield two_numbers("dp-accounting", lambda side: of_dp_accounting(noise.peer(side), times, eps))
    if noise.measurement is not None:
        make = noise.measurement
        yield one_number("OpenDP, by zCDP", lambda: of_opendp(make, times, eps))


def noise_rows() -> Iterator[tuple[str, ...]]:
    for noise in NOISES:
        profile = xdp.shift_profile(noise.law)
        for times, eps in noise.asked:
            how: dict[str, Any] = {} if times == 1 else {"relative_width": WIDTH}
            composed = profile if times == 1 else profile.compose(times)
            proved = Proved.of(lambda composed=composed, eps=eps, how=how: composed.delta(eps=eps, **how))
            runs = "once" if times == 1 else f"{times} times"
            yield from rows(f"{noise.name}, {runs}, eps = {eps}", proved, answers(noise, times, float(Fraction(eps))))
