"""Sample and threshold: its published, refined and exact delta, and its curve beside that of randomized response.

Two pictures: the three deltas against the threshold, at the rate alpha (1 - e^-eps), whatever the number of users; and
delta against e^eps of sample and threshold and of randomized response, each with as much noise as one error allows.

Source: BharadwajCormode2022, section 3 (the published bound as printed in secondary sources).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import exactdp as xdp
from exactdp import bounds
from exactdp.report.figures.chart import Axis, Line, Note, Rule, lines_of, one_panel
from exactdp.report.figures.data import DataTable, number_words
from exactdp.report.figures.picture import Picture
from exactdp.studies.calibration.equal_error import EqualError

_BEYOND: Final = 3
"""Thresholds that are drawn beyond the published one."""


def threshold_deltas(thresholds: Sequence[int], *, alpha: Fraction, exp_eps: Fraction) -> DataTable:
    """Return delta at the rate alpha (1 - 1/e^eps): as published, refined, and exact for all numbers of holders.

    >>> table = threshold_deltas([20], alpha=Fraction(1, 4), exp_eps=Fraction(2))
    >>> [f"{float(delta):.2g}" for delta in table.rows[0][1:]]
    ['8.1e-06', '4.2e-09', '1.4e-11']

    Cost: 2 ms for each.

    Source: BharadwajCormode2022, section 3 (the published bound as printed in secondary sources).
    """
    rows = [
        (
            threshold,
            bounds.published_sample_threshold_delta(threshold, alpha=alpha),
            bounds.refined_sample_threshold_delta(threshold, alpha=alpha, exp_eps=exp_eps),
            bounds.sample_threshold_worst(threshold, alpha=alpha, exp_eps=exp_eps).delta,
        )
        for threshold in thresholds
    ]
    about = {"alpha": alpha, "exp_eps": exp_eps, "rate": alpha * (1 - 1 / exp_eps)}
    return DataTable.of(("threshold", "published", "refined", "exact"), rows, **about)


def threshold_picture(
    delta: Fraction, *, alpha: Fraction, exp_eps: Fraction, name: str = "sampling-threshold"
) -> Picture:
    """Return the picture of the three deltas against the threshold, and of the least one by each for ``delta``."""
    _, enough = bounds.sample_threshold_parameters(eps=xdp.LogRational(exp_eps), delta=delta, alpha=alpha)
    found = threshold_deltas(range(1, enough + _BEYOND + 1), alpha=alpha, exp_eps=exp_eps)
    table = DataTable(found.columns, found.rows, (*found.about, ("delta wanted", str(delta))))
    rate = dict(found.about)["rate"]
    looks = {"published": 1, "refined": 2, "exact": 0}
    least = {
        which: next(k for k, value in enumerate(table.numbers(which), 1) if value is not None and value <= delta)
        for which in looks
    }
    chart = one_panel(
        *lines_of(table, "threshold", *((which, which, color) for which, color in looks.items()), every=4),
        *(
            Line([least[which]], [table.numbers(which)[least[which] - 1]], color=color, size=9, layer=4)
            for which, color in looks.items()
        ),
        *(Note(k, delta, str(k), va="bottom", dx=3, dy=3) for k in least.values()),
        Rule(delta),
        x=Axis("threshold", ticks="whole"),
        y=Axis("δ of one count", is_log=True),
    )
    return Picture(
        name,
        f"For δ = {number_words(delta)} the published threshold is {least['published']}; {least['exact']} is enough",
        f"Sampling at the rate {rate}, e^ε = {number_words(exp_eps)}; the refined bound needs "
        f"{least['refined']}. The largest δ over all numbers of users and holders.",
        table,
        chart,
    )


def equal_error_picture(both: EqualError, exp_eps: Sequence[Fraction], *, name: str = "sampling-error") -> Picture:
    """Return the picture of both curves at the values of e^eps, and at the one from which randomized response has 0."""
    pure = (2 - both.gamma) / both.gamma
    curves = both.curves(sorted({*exp_eps, pure}))
    n, rate, threshold = both.sampled.n, both.sampled.rate, both.sampled.threshold
    below, least = sum(at.response < at.sampled for at in curves), rate**threshold
    title = (
        f"At equal error randomized response gives away less: 0 from e^ε = {number_words(pure, 3)} on"
        if below == len(curves)
        else f"At equal error randomized response gives away less at {below} of {len(curves)} values of ε"
    )
    about = {"n": n, "alpha": both.alpha, "beta": both.beta, "gamma": both.gamma, "rate": rate, "threshold": threshold}
    table = DataTable.of(("exp_eps", "response", "sampled"), curves, **about)
    last = curves[-1].exp_eps
    chart = one_panel(
        *lines_of(
            table, "exp_eps", ("sampled", "sample and threshold", 0), ("response", "randomized response", 1), every=6
        ),
        Rule(least, color="quiet"),
        Note(last, least, f"never below {number_words(least, 3, up=False)}", ha="right", va="top", dy=-4),
        x=Axis("e^ε"),
        y=Axis("δ", is_log=True),
    )
    return Picture(
        name,
        title,
        f"{n} users, each protocol with as much noise as an error of {number_words(both.alpha)} with probability "
        f"{number_words(1 - both.beta)} allows, on every data set.",
        table,
        chart,
    )
