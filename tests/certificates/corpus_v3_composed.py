"""The corpus of the schema exactdp-certificate-3: composed runs of discrete Gaussian noise, of a uniform law and of the
clipped Laplace family.

Curves and divergences are computed here, by fractions: the weights of Gaussian noise to 70 digits, all others exactly.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from typing import Any

from tests.certificates.claims import (
    PROVED,
    REFUTED,
    Case,
    both,
    composed,
    curve,
    gaussian,
    negation,
    run,
    uniform,
    views,
)
from tests.certificates.corpus_v2 import BACKWARD, FORWARD, bits
from tests.certificates.corpus_v2_composed import (
    Curve,
    Law,
    above,
    below,
    bound,
    curves,
    deltas,
    divergence,
    neighbours,
    pairs,
    shifted,
    view,
)
from tests.certificates.corpus_v3_blankets import family

F = Fraction


def gaussian_weights(sigma_squared: int) -> Law:
    with localcontext() as context:
        context.prec = 70
        return {t: F((-Decimal(t * t) / (2 * sigma_squared)).exp()) for t in range(-60, 61)}


def clipped_laplace(top: int, r: Fraction) -> Any:
    """The table of the family."""

    def weight(x: int, y: int) -> Fraction:
        return r ** abs(x - y) / (1 + r) * (1 if y in (0, top) else 1 - r)

    inputs = range(top + 1)
    return {"rows": [[{"send": [y], "prob": str(weight(x, y))} for y in inputs] for x in inputs]}


def repeated(p: Law, q: Law, times: int) -> tuple[Law, Law]:
    """Independent runs of one pair."""
    everything = sorted({*p, *q})
    laws: list[Law] = [{}, {}]
    for outcomes in product(everything, repeat=times):
        for repeated_law, one in zip(laws, (p, q), strict=True):
            mass = F(1)
            for outcome in outcomes:
                mass *= one.get(outcome, F(0))
            repeated_law[outcomes] = mass
    return laws[0], laws[1]


GAUSSIAN, DIE = gaussian("4"), uniform(1, 6)
GAUSSIAN_PAIRS = shifted(gaussian_weights(4))
GAUSSIAN_CURVE: Curve = deltas(GAUSSIAN_PAIRS, "6/5", 12, 1)
GAUSSIAN_BOUND = bound("6/5", "3", (GAUSSIAN_CURVE, 3))
NEAR = {t: F(p) for t, p in GAUSSIAN_PAIRS[0][0].items() if abs(t) <= 20}
MOVED = {t: F(p) for t, p in GAUSSIAN_PAIRS[0][1].items() if abs(t) <= 20}
GAUSSIAN_TWICE = divergence(*repeated(NEAR, MOVED, 2), F(3))  # to what lies beyond 20
THRICE, TWICE = run(GAUSSIAN, 3), run(GAUSSIAN, 2)

LAPLACE = family("clipped-discrete-laplace", top=2, ratio="1/2")
TABLE = clipped_laplace(2, F(1, 2))
LAPLACE_CURVE: Curve = deltas(neighbours(TABLE, 2), "6/5", 9)
LAPLACE_BOUND = bound("6/5", "2", (LAPLACE_CURVE, 2))
ENDS = {"first": ["2", "0", "0"], "second": ["1", "0", "1"]}
LAPLACE_TWICE = divergence(*repeated(view(TABLE, (0, 0)), view(TABLE, (0, 2)), 2), F(2))
SUMS = {"event": {"first": "2", "second": "0", "others": ["1", "0", "0"], "scores": ["0", "1", "2"], "bits": "64"}}
RANDOM = {
    "likelihood": {
        "first": "0",
        "second": "2",
        "others": ["1/3", "1/3", "1/3"],
        "at": "2",
        "step": "1/64",
        "bits": "96",
        "length": "256",
        "cut": "8",
    }
}
CLIPPED = views(LAPLACE, 2, 2)

GAUSSIAN_CLAIM = composed(THRICE, exp_eps="3", delta=above(GAUSSIAN_BOUND))
GAUSSIAN_FALSE = composed(TWICE, exp_eps="3", delta=below(GAUSSIAN_TWICE * F(99, 100)))
LAPLACE_CLAIM = composed(CLIPPED, exp_eps="2", delta=above(LAPLACE_BOUND))
LAPLACE_FALSE = composed(CLIPPED, exp_eps="2", delta=below(LAPLACE_TWICE * F(99, 100)))
DICE_CLAIM = composed(run(DIE, 3, 2), exp_eps="100", delta="19/27")  # 1 - (2/3)^3: a die shows 1 or 2
WITH_GAUSSIAN = curves("6/5", curve(GAUSSIAN_CURVE, bits="64"))
WITH_CLIPPED = curves("6/5", curve(LAPLACE_CURVE))
BY_GAUSSIAN = pairs("51/50", bits(64, **FORWARD))


def two(order: str) -> Any:
    return pairs("3/2", {"shift": "2", "order": order})


CORRECT: dict[str, Case] = {
    "composed_bits_gaussian": (GAUSSIAN_CLAIM, PROVED, WITH_GAUSSIAN),
    "composed_refuted_bits_gaussian": (GAUSSIAN_FALSE, REFUTED, BY_GAUSSIAN),
    "composed_gaussian_not": (negation(GAUSSIAN_FALSE), PROVED, BY_GAUSSIAN),
    "composed_refuted_uniform": ({**DICE_CLAIM, "delta": "37/54"}, REFUTED, two("forward")),
    "composed_clipped_laplace": (LAPLACE_CLAIM, PROVED, WITH_CLIPPED),
    "composed_refuted_clipped_laplace": (LAPLACE_FALSE, REFUTED, pairs("51/50", ENDS)),
    "composed_refuted_clipped_laplace_sums": (
        composed(CLIPPED, exp_eps="2", delta="1/10"),
        REFUTED,
        pairs("51/50", SUMS),
    ),
    "composed_refuted_clipped_laplace_random": (
        composed(views(LAPLACE, 6, 2), exp_eps="2", delta="1/100"),
        REFUTED,
        pairs("51/50", RANDOM),
    ),
    "composed_refuted_gaussian_in_a_conjunction": (
        both(LAPLACE_CLAIM, GAUSSIAN_FALSE),
        REFUTED,
        {"part": "1", "witness": BY_GAUSSIAN},
    ),
}

WRONG: dict[str, Case] = {
    "composed_gaussian_delta_a_step_below_the_curve": (
        composed(THRICE, exp_eps="3", delta=below(GAUSSIAN_BOUND)),
        PROVED,
        WITH_GAUSSIAN,
    ),
    "composed_gaussian_of_less_variance": (
        composed(run(gaussian("39/10"), 3), exp_eps="3", delta=above(GAUSSIAN_BOUND)),
        PROVED,
        WITH_GAUSSIAN,
    ),
    "composed_gaussian_once_more": (
        composed(run(GAUSSIAN, 4), exp_eps="3", delta=above(GAUSSIAN_BOUND)),
        PROVED,
        WITH_GAUSSIAN,
    ),
    "composed_refuted_gaussian_above_the_divergence": (
        composed(TWICE, exp_eps="3", delta=above(GAUSSIAN_TWICE)),
        REFUTED,
        BY_GAUSSIAN,
    ),
    "composed_refuted_gaussian_by_a_true_claim": (GAUSSIAN_CLAIM, REFUTED, BY_GAUSSIAN),
    "composed_refuted_gaussian_once_less": (
        composed(run(GAUSSIAN, 1), exp_eps="3", delta=below(GAUSSIAN_TWICE * F(99, 100))),
        REFUTED,
        pairs("51/50", bits(64, **BACKWARD)),
    ),
    "composed_refuted_uniform_at_the_divergence": (DICE_CLAIM, REFUTED, two("backward")),
    "composed_clipped_laplace_delta_a_step_below_the_curve": (
        composed(CLIPPED, exp_eps="2", delta=below(LAPLACE_BOUND)),
        PROVED,
        WITH_CLIPPED,
    ),
    "composed_refuted_clipped_laplace_above_the_divergence": (
        composed(CLIPPED, exp_eps="2", delta=above(LAPLACE_TWICE)),
        REFUTED,
        pairs("51/50", ENDS),
    ),
}

NO_CLAIM: dict[str, Case] = {}


def broken_documents() -> dict[str, Any]:
    return {}
