"""Reports that are real numbers, shuffled: Laplace and Gaussian noise on [0, 1], beside formulas and programs.

The rows of programs need a folder of their repositories (:mod:`tests.peers.published_scripts`); all others are computed
by exactdp. Two programs import what they can do without: CuPy, for which NumPy is taken, and a bar of progress.
"""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from importlib.util import find_spec
from math import exp, sqrt
from pathlib import Path
from types import ModuleType
from typing import Any

import exactdp as xdp
from exactdp import Interval
from exactdp.bounds import VariationRatio, stronger_clones_delta, variation_ratio_delta
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.real import Real
from exactdp.symbolic.formulas import read_formula
from tests.peers.answers import Answer, Proved, by, one_number, rows, two_numbers
from tests.peers.published_scripts import BLANKET, DELTA, Published, loaded

USERS = (10**3, 10**4, 10**5, 10**6)
FFT_USERS = USERS[:1]
"""Ten times as many take more than ten minutes."""
MOMENTS = 30
BITS = 16
STEPS = 32
"""Halvings of a search for eps."""
PROFILE = "erfc((eps/mu - mu/2)/sqrt(2))/2 - exp(eps)*erfc((eps/mu + mu/2)/sqrt(2))/2"
"""delta of Gaussian noise of deviation 1 at the distance mu."""

DECOMPOSITION = Published(
    "https://github.com/Optimal-amplification-bound/Decomposition-Based-Optimal-Bounds-for-Shuffle-DP",
    "d3b769dca7f9b225abd2f20500361c899baef108",
    "Decomposition-Based-Optimal-Bounds-for-Shuffle-DP",
    "amplification_bounds",
)
SHUFFLED_GAUSSIAN = Published(
    "https://github.com/spliew/shuffgauss",
    "aa82852aa73ad7ba3715147359ac428bba82824a",
    "shuffgauss",
    "shuffgauss",
)
RUN = ("blanket, Hoeffding", "blanket, Bennett", "decomposition by FFT", "moments of the shuffled Gaussian")
"""The tools that are programs of others."""


@dataclass(frozen=True)
class Reference(Answer):
    """A number that is no promise: a limit, or what something else needs."""

    def beside(self, ends: tuple[Fraction, Fraction]) -> str:
        number = Fraction(self.upper)
        if number < ends[0]:
            return f"no promise: the lower end is above it, {by(ends[0] / number)}"
        return "no promise: between the ends" if number < ends[1] else f"no promise: above, {by(number / ends[1])}"


def laplace_rows(folder: Path | None = None) -> Iterator[tuple[str, ...]]:
    randomizer = xdp.randomizers.laplace(exp_eps0="exp(1)")
    e = _near(exp(1))
    ratio = VariationRatio(e, _near(1 - exp(-0.5)), e)
    for n in USERS:
        answers = [
            one_number("stronger clones, of eps0", partial(_stronger_clones, n, e, 1.0)),
            one_number("variation ratio, as published", partial(_variation_ratio, n, ratio, 1.0)),
        ]
        if folder is not None:
            answers += _silently(_laplace_programs, folder, n)
        yield from rows(f"Laplace noise, eps0 = 1, n = {n}", Proved.of(partial(_proved, randomizer, n)), answers)


def _laplace_programs(folder: Path, n: int) -> Iterator[Answer]:
    delta = float(Fraction(DELTA))
    bounds, mechanisms = loaded(folder, BLANKET), loaded(folder, BLANKET, "shuffleddp.mechanisms")
    for tool, name in zip(RUN, ("Hoeffding", "BennettExact"), strict=False):
        yield one_number(tool, partial(getattr(bounds, name)(mechanisms.LaplaceMechanism(1.0)).get_eps, 1.0, n, delta))
    if n in FFT_USERS:
        import numpy

        sys.modules.setdefault("cupy", numpy)
        bounds, mechanisms = loaded(folder, DECOMPOSITION), loaded(folder, DECOMPOSITION, "mechanisms")

        def ask_side(side: bool) -> float:
            low, high = bounds.FFTLowerBound, bounds.FFTbound
            of = high(mechanisms.LaplaceMechanism(1.0)) if side else low(mechanisms.LaplaceLowerBound(1.0))
            return float(of.get_eps(1.0, n, delta))

        yield two_numbers(RUN[2], ask_side)


def gaussian_rows(folder: Path | None = None, users: tuple[int, ...] = USERS) -> Iterator[tuple[str, ...]]:
    randomizer = xdp.randomizers.gaussian(sigma=1, delta0="1e-12")
    eps0 = float(enclose_real(randomizer.local_epsilon(), relative_bits=24).hi)
    e = _near(exp(eps0))
    for n in users:
        personal = partial(_gaussian, sqrt(2 * (float(e) + 1) / (n - 1)), eps0)
        answers = [
            one_number("stronger clones, of eps0", partial(_stronger_clones, n, e, eps0)),
            one_number("personalised shuffling, of eps0", personal),
        ]
        if folder is not None:
            answers += _silently(_gaussian_programs, folder, n)
        for tool, square in (("Gaussian limit, others at one end", exp(1) - 1), ("central Gaussian, of all noise", 1)):
            limit = one_number(tool, partial(_gaussian, sqrt(square / n), eps0))
            answers.append(Reference(tool, limit.upper, None, limit.seconds))
        yield from rows(f"Gaussian noise, sigma = 1, n = {n}", Proved.of(partial(_proved, randomizer, n)), answers)


def _gaussian_programs(folder: Path, n: int) -> Iterator[Answer]:
    if "tqdm" not in sys.modules and not find_spec("tqdm"):
        sys.modules["tqdm"] = ModuleType("tqdm")
        sys.modules["tqdm"].tqdm = iter  # type: ignore[attr-defined]
    moments = loaded(folder, SHUFFLED_GAUSSIAN).ShuffGaussRDPtoDP(1.0, n, MOMENTS, verbose=False)

    def ask() -> float:
        moments.get_shuff()
        return float(moments.get_eps(float(Fraction(DELTA)), 1)[0])

    yield one_number(RUN[3], ask)


def own(lines: list[str]) -> list[str]:
    """The lines of a table without those of programs of others."""
    return [line for line in lines if line.split("|")[2].strip() not in RUN]


def _proved(randomizer: Any, n: int) -> Any:
    return xdp.ShuffleProtocol(randomizer, n).privacy_profile().epsilon(DELTA)


def _stronger_clones(n: int, e: Fraction, most: float) -> float:
    return _eps(lambda at: stronger_clones_delta(n, exp_eps0=e, exp_eps=at, relative_bits=BITS), most)


def _variation_ratio(n: int, ratio: VariationRatio, most: float) -> float:
    return _eps(lambda at: variation_ratio_delta(n, ratio, exp_eps=at, relative_bits=BITS), most)


def _near(number: float) -> Fraction:
    """A fraction of few digits within 10^-7 of a number: bounds of clones are slow to enclose with many."""
    return Fraction(number).limit_denominator(10**4)


def _eps(delta_at: Callable[[Fraction], Fraction | Interval], most: float) -> float:
    """The least eps up to ``most``, nearly, at whose exponential delta is at most DELTA; ``most`` holds anyway."""
    low, high = 0.0, most
    for _ in range(STEPS):
        middle = (low + high) / 2
        delta = delta_at(Fraction(exp(middle)))
        if (delta.hi if isinstance(delta, Interval) else delta) <= Fraction(DELTA):
            high = middle
        else:
            low = middle
    return high


def _gaussian(mu: float, most: float) -> float:
    """The least eps up to ``most`` of Gaussian noise of deviation 1 at the distance mu."""
    formula = read_formula(PROFILE, ("eps", "mu"))

    def delta(at: Fraction) -> Interval:
        value = formula.enclose({"eps": Real.log(at), "mu": Fraction(mu)})
        assert value is not None
        return value

    return _eps(delta, min(most, 8 * mu + mu * mu))  # beyond, delta is below 10^-14


def _silently(ask: Callable[[Path, int], Iterator[Answer]], folder: Path, n: int) -> list[Answer]:
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        return list(ask(folder, n))
