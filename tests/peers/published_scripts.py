"""Published programs for privacy amplification by shuffling, run from a folder; none of their code is in this tree.

The folder holds their repositories, each under the name below. They are programs in floats, which need SciPy.
"""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from importlib import import_module
from math import log
from pathlib import Path
from typing import Any, NamedTuple

import exactdp as xdp
from exactdp.randomizers import any_randomizer
from tests.peers.answers import Answer, Proved, one_number, rows, two_numbers

DELTA = "1/1000000"
HALVINGS = 20
"""Steps of their searches for eps."""


class Published(NamedTuple):
    """Where a program is from, and the commit that the page's numbers are of."""

    repository: str
    commit: str
    folder: str
    module: str


VARIATION_RATIO = Published(
    "https://github.com/wangsw/PrivacyAmplification",
    "34ca048932dc1f211d1d1a3b1e642088c4b8390a",
    "PrivacyAmplification",
    "unifiedamplification",
)
CLONES = Published(
    "https://github.com/apple/ml-shuffling-amplification",
    "993d285a546114bf8c70c33d053dca322a755707",
    "ml-shuffling-amplification",
    "computeamplification",
)
BLANKET = Published(
    "https://github.com/BorjaBalle/amplification-by-shuffling",
    "1778a0dd16405cb10d780d5f1878ed0b1fb76f2e",
    "amplification-by-shuffling",
    "shuffleddp.amplification_bounds",
)

ASKED = (
    (2, "3", 1000),
    (2, "3", 100_000),
    (4, "7389/1000", 1000),
    (10, "7389/1000", 100_000),
    (None, "exp(4)", 100_000),
)
"""Inputs of k-ary response (None: any randomizer that is eps0-DP), e^eps0, n."""


def loaded(folder: Path, published: Published, module: str | None = None) -> Any:
    """The module of a published program."""
    place = str(folder / published.folder)
    if not Path(place).is_dir():
        raise FileNotFoundError(f"{place} is not there: clone {published.repository} into it.")
    sys.path.insert(0, place)
    try:
        return import_module(module or published.module)
    finally:
        sys.path.remove(place)


def answers(folder: Path, k: int | None, eps0: float, n: int) -> Iterator[Answer]:
    delta = float(Fraction(DELTA))
    ratio = loaded(folder, VARIATION_RATIO)
    p, beta, q, _ = ratio.computeUBParameters(eps0, None if k is None else "krr", k)
    yield two_numbers(
        "variation ratio, its lower and upper number",
        lambda side: (ratio.amplificationUB if side else ratio.amplificationLB)(p, beta, q, q, n, delta, HALVINGS),
    )
    clones = loaded(folder, CLONES)
    step = max(1, n // 1000)
    yield two_numbers(
        "clones of 2021, its lower and upper number",
        lambda side: clones.numericalanalysis(n, eps0, delta, HALVINGS, step, side),
    )
    bounds, mechanisms = loaded(folder, BLANKET), loaded(folder, BLANKET, "shuffleddp.mechanisms")
    mechanism = mechanisms.LDPMechanism(eps0) if k is None else mechanisms.RRMechanism(eps0, k)
    for name in ("Hoeffding", "BennettExact"):
        ask: Callable[[], float] = lambda name=name: getattr(bounds, name)(mechanism).get_eps(eps0, n, delta)  # noqa: E731
        with contextlib.suppress(AssertionError):  # it has no eps below eps0
            yield one_number(f"blanket, {name.removesuffix('Exact')}", ask)


def script_rows(folder: Path) -> Iterator[tuple[str, ...]]:
    for k, exp_eps0, n in ASKED:
        randomizer = any_randomizer(exp_eps0=exp_eps0) if k is None else xdp.randomized_response(k, exp_eps0=exp_eps0)
        profile = xdp.ShuffleProtocol(randomizer, n).privacy_profile()
        proved = Proved.of(lambda profile=profile: profile.epsilon(DELTA))
        eps0 = 4.0 if exp_eps0 == "exp(4)" else log(Fraction(exp_eps0))
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            theirs = list(answers(folder, k, eps0, n))
        name = "any randomizer" if k is None else f"{k}-ary response"
        yield from rows(f"{name}, e^eps0 = {exp_eps0}, n = {n}", proved, theirs)
