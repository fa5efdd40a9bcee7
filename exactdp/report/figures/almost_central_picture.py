"""Sums in almost one message: what the theorem's constants give away, the messages that they cost, and the error.

Of bits, where the view's divergence is enclosed to any accuracy; nothing here depends on the number of users, whose
shares add up to the same noise. Two pictures: the exact delta of the theorem's constants beside the delta that they
promise, with the noise messages of the theorem's shape and of the least one, against delta; and those messages against
the variance of the error over a curator's, along the share of eps that is left for the noise that cancels.

Source: GhaziKumarManurangsiPaghSinha2021, section 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import exactdp as xdp
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.numbers.interval import fraction_ends
from exactdp.numbers.real import Real
from exactdp.protocols.almost_central.almost_central_protocol import AlmostCentralSum
from exactdp.protocols.one_parameter_families import Family
from exactdp.report.figures.chart import Axis, Chart, Note, Panel, lines_of, one_panel
from exactdp.report.figures.counting_noise import against_delta
from exactdp.report.figures.data import DataTable, Number, number_words
from exactdp.report.figures.picture import Picture

_USERS: Final = 10**6
"""Any number: nothing that is drawn depends on it."""


@dataclass(frozen=True, slots=True)
class AlmostCentralPoint:
    """The theorem's constants for bits at one eps, delta and share, and the least shape that is enough instead.

    Args:
        delta: promised.
        share: of eps, for the noise that cancels.
        theorem: the protocol with the theorem's constants.
        least: the one with its ratios, and the least shape r, from 1 on, on the grid of ``calibrate``.
    """

    eps: Fraction
    delta: Fraction
    share: Fraction
    theorem: AlmostCentralSum
    least: AlmostCentralSum

    @property
    def exact(self) -> Number:
        """What the theorem's constants give away at eps."""
        return self.theorem.privacy_profile().delta(eps=self.eps)

    @property
    def messages(self) -> tuple[Number, Number]:
        """The expected noise messages of all users together: by the theorem, and with the least shape."""
        return _of_all(self.theorem), _of_all(self.least)

    @property
    def variance(self) -> xdp.Interval:
        """The variance of the error, which is the same for both, over a curator's."""
        return self.theorem.variance_over_central(eps=self.eps)


def _of_all(protocol: AlmostCentralSum) -> Number:
    mean = protocol.noise_messages
    if isinstance(mean, Fraction):
        return _USERS * mean
    return xdp.Interval.between(_USERS * mean.lo, _USERS * mean.hi, bits=DEFAULT_RELATIVE_BITS)


def almost_central_point(eps: Fraction, delta: Fraction, share: Fraction = Fraction(1, 2)) -> AlmostCentralPoint:
    """Return the theorem's constants for bits, and the least shape with its ratios.

    >>> point = almost_central_point(Fraction(1), Fraction(1, 10**6))
    >>> [round(float(messages)) for messages in point.messages], round(float(point.variance), 3)
    ([5494, 295], 4.255)

    Cost: 0.05 s.

    Source: GhaziKumarManurangsiPaghSinha2021, section 3.
    """

    def build(r: Fraction | None, n: int | None) -> AlmostCentralSum:
        return xdp.protocols.almost_central_sum(_USERS, bound=1, eps=eps, delta=delta, share=share, r=r)

    family = Family(build, "r", (1, None), True)
    least = xdp.calibrate(family, n=_USERS, eps=eps, delta=delta, certificates=False)
    return AlmostCentralPoint(eps, delta, share, build(None, None), build(least.parameter, None))


def curator_error(eps: Fraction, beta: Fraction) -> Fraction | xdp.Interval:
    """Return the error of a curator who adds discrete Laplace noise of e^eps to a sum of bits.

    >>> curator_error(Fraction(1), Fraction(1, 20))
    Fraction(3, 1)

    Source: GhoshRoughgardenSundararajan2012, section 2.
    """
    noise = xdp.DiscreteLaplace(Real.exp(Real(eps)))
    return xdp.optimal_accuracy(xdp.AdditiveProtocol(noise, analyzer=xdp.Analyzer({0: 1})), beta=beta)


# --- Pictures -------------------------------------------------------------------------------------------------------


def almost_central_privacy_picture(
    eps: Fraction, powers: Sequence[int], *, name: str = "almost-central-privacy"
) -> Picture:
    """Return the picture of exact and promised delta, and of the messages, for each delta = 10^-power."""
    points = [almost_central_point(eps, Fraction(1, 10**power)) for power in powers]
    rows = [(point.delta, point.exact, *point.messages) for point in points]
    names = ("delta", "exact_delta", "theorem_messages", "least_messages")
    table = DataTable.of(names, rows, eps=eps, bound=1, share="1/2")
    ratios = sorted(fraction_ends(theorem)[0] / fraction_ends(least)[1] for *_, theorem, least in rows)
    few, many = (number_words(ratio, 2, up=False) for ratio in (ratios[0], ratios[-1]))
    deltas = Panel(
        lines_of(table, "delta", ("delta", "promised", 1), ("exact_delta", "exact", 0)),
        Axis("δ, promised", is_log=True, is_falling=True),
        Axis("δ at the same ε", is_log=True),
        height=2.4,
    )
    return Picture(
        name,
        f"Almost central: the theorem takes {few} to {many} times the noise messages that are enough",
        f"Sum of bits in almost one message at ε = {number_words(eps)}, any number of users. With the least shape the "
        "error is the same.",
        table,
        Chart((deltas, *against_delta(table, {"noise messages of all users": "messages"}).panels)),
    )


def almost_central_error_picture(
    eps: Fraction, delta: Fraction, beta: Fraction, shares: Sequence[Fraction], *, name: str = "almost-central-error"
) -> Picture:
    """Return the picture of the messages against the variance over a curator's, for each share of eps."""
    points = [almost_central_point(eps, delta, share) for share in shares]
    central = curator_error(eps, beta)
    rows = [
        (point.share, point.variance, xdp.optimal_accuracy(point.theorem, beta=beta), *point.messages)
        for point in points
    ]
    names = ("share", "variance_over_central", "alpha", "theorem_messages", "least_messages")
    about = {"eps": eps, "delta": delta, "beta": beta, "alpha of a curator": central}
    table = DataTable.of(names, rows, **about)
    shown = [
        Note(
            point.variance,
            point.messages[0],
            str(point.share),
            va="bottom",
            dx=2,
            dy=4,
        )
        for k, point in enumerate(points)
    ]
    return Picture(
        name,
        f"{number_words(points[0].variance, 3)} times a curator’s variance, for "
        f"{number_words(points[0].messages[1], 3)} noise messages of all users",
        f"Sum of bits at ε = {number_words(eps)}, δ = {number_words(delta)}. Each point is the share of ε that "
        "the noise which cancels gets.",
        table,
        one_panel(
            *lines_of(
                table,
                "variance_over_central",
                ("theorem_messages", "theorem’s r", 1),
                ("least_messages", "least r", 0),
            ),
            *shown,
            x=Axis("variance of the error, 1 = a curator’s", is_log=True),
            y=Axis("noise messages of all users", is_log=True, high=2 * fraction_ends(points[0].messages[0])[1]),
        ),
    )
