"""The figures of the report, by name: what each shows, its data, and the page that it belongs to.

Each is computed once in a process, when it is first asked for, in some seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Final

import exactdp as xdp
from exactdp import bounds
from exactdp.mechanisms.clipped_discrete_laplace_family import ClippedDiscreteLaplace
from exactdp.mechanisms.family import FamilyRandomizer
from exactdp.mechanisms.hadamard_response_family import HadamardResponse
from exactdp.mechanisms.k_ary_family import KAryResponse
from exactdp.mechanisms.local_hashing_family import LocalHashing
from exactdp.mechanisms.subset_selection_family import SubsetSelection
from exactdp.mechanisms.unary_encoding_family import UnaryEncoding
from exactdp.report.figures.almost_central_picture import almost_central_error_picture, almost_central_privacy_picture
from exactdp.report.figures.amplification_curves import amplification_curves, amplification_picture
from exactdp.report.figures.calibration_curves import alpha_picture, calibration_curves, calibration_picture
from exactdp.report.figures.counting_noise import counting_curve_picture, counting_noise_picture, counting_slack_picture
from exactdp.report.figures.data import DataTable, number_words, write_data
from exactdp.report.figures.flooded_frequencies import flooded_frequencies, flooding_picture
from exactdp.report.figures.histogram_models import histogram_models_picture, histogram_users
from exactdp.report.figures.likelihood_ratios import smoothness_event, smoothness_picture
from exactdp.report.figures.mix_security import mix_security_picture, mix_users_picture
from exactdp.report.figures.picture import Picture, picture_form
from exactdp.report.figures.privacy_curve import (
    eps_grid,
    privacy_curve,
    privacy_curve_picture,
    tradeoff_curves,
    tradeoff_picture,
)
from exactdp.report.figures.promised_bars import promises_picture
from exactdp.report.figures.sampled_counts import equal_error_picture, threshold_picture
from exactdp.report.figures.style import LIGHT, Theme
from exactdp.report.figures.supports import gap_supports, supports_picture
from exactdp.report.figures.survey_picture import survey_picture
from exactdp.studies.calibration.equal_error import equal_error
from exactdp.studies.counterexamples.comparison import response_case
from exactdp.studies.survey.error_curves import BITS, HISTOGRAMS, SUMS, read_question
from exactdp.studies.survey.measured import survey


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the report.

    Args:
        protocol: the page that it belongs to: a protocol, or "survey".
        picture: computes the picture, once.
    """

    protocol: str
    picture: Callable[[], Picture] = field(repr=False)

    @property
    def title(self) -> str:
        """The finding, in one line."""
        return self.picture().title

    @property
    def caption(self) -> str:
        """What is to be seen, in words; also the text for readers who do not see it."""
        return self.picture().caption

    @property
    def data(self) -> DataTable:
        """The exact data that is drawn."""
        return self.picture().table

    def draw(self, path: str | Path, *, theme: Theme = LIGHT) -> None:
        """Write the figure into an SVG or PNG file; a wrong suffix is refused before anything is computed."""
        picture_form(path)
        self.picture().draw(path, theme=theme)

    def write_data(self, path: str | Path) -> None:
        """Write the data into a CSV or JSON file."""
        write_data(path, self.data)

    def svg(self) -> str:
        """Return the SVG element for a web page that has the rules of ``figure_css()``."""
        return self.picture().svg()


_EPS: Final = Fraction(1)
"""The largest eps of zsum's theorem."""
_DELTA: Final = Fraction(1, 10**6)
"""A delta that is usual in deployments."""
_BETA: Final = Fraction(1, 20)
"""The usual 95 %."""


def _zsum_curve() -> Picture:
    n = 10**6
    gamma = bounds.zsum_rounded_gamma(n, eps=_EPS, delta=_DELTA)
    law = xdp.Binomial(n, gamma)
    curve = privacy_curve(
        xdp.protocols.zsum(n, gamma=gamma).privacy_profile(),
        subject="zsum, n = 10⁶, with the theorem's noise for ε = 1 and δ = 10⁻⁶",
        eps=eps_grid(_EPS, 50),
        bounds={
            "theorem": lambda eps: bounds.published_zsum_delta(n, gamma=gamma, eps=eps),
            "Lemma 3": lambda eps: bounds.binomial_smoothness_bound(n, gamma=gamma, k=1, eps=eps).delta,
            "exact smoothness": lambda eps: xdp.smoothness_delta(law, k=1, eps=eps),
        },
    )
    return privacy_curve_picture(curve, name="zsum-curve")


def _response_curve() -> Picture:
    n, ratio = 1000, Fraction(3)
    curve = privacy_curve(
        response_case(n, 2, ratio).profile(),
        subject="binary randomized response with ε₀ = ln 3, n = 1000",
        eps=eps_grid(1, 30),
        bounds={
            "stronger clones": lambda eps: bounds.stronger_clones_delta(n, exp_eps0=ratio, eps=eps),
            "clones": lambda eps: bounds.clones_delta(n, exp_eps0=ratio, eps=eps),
            "Bennett blanket": lambda eps: bounds.bennett_blanket_delta(n, exp_eps0=ratio, eps=eps, k=2),
            "Hoeffding blanket": lambda eps: bounds.hoeffding_blanket_delta(n, exp_eps0=ratio, eps=eps, k=2),
        },
    )
    near, far = (curve.largest_factor(name) for name in ("stronger clones", "clones"))
    title = f"Stronger clones gives away up to {_factor(near)}, clones {_factor(far)}"
    return privacy_curve_picture(curve, name="response-curve", title=title)


def _factor(value: Fraction | None) -> str:
    assert value is not None
    return f"×{number_words(value, 2).replace('×', ' · ')}"


def _refuted_curve() -> Picture:
    n, k, ratio = 12, 4, Fraction(3)
    parameters = bounds.response_parameters(k, exp_eps0=ratio)
    curve = privacy_curve(
        response_case(n, k, ratio).profile(),
        subject="4-ary randomized response with ε₀ = ln 3, n = 12",
        eps=eps_grid("11/10", 33),
        bounds={
            "stronger clones": lambda eps: bounds.stronger_clones_delta(n, exp_eps0=ratio, eps=eps),
            "variation ratio": lambda eps: bounds.variation_ratio_delta(n, parameters, eps=eps),
            "Bennett blanket": lambda eps: bounds.bennett_blanket_delta(n, exp_eps0=ratio, eps=eps, k=k),
        },
    )
    return privacy_curve_picture(curve, name="response-curve-refuted")


def _zsum_tradeoff() -> Picture:
    n, promise = 300, bounds.PrivacyBound(_EPS, Fraction(1, 10))
    least = xdp.calibrate("zsum", n=n, eps=_EPS, delta="1/10").protocol
    curves = tradeoff_curves(
        {
            "least noise that is enough": least.privacy_profile().exact_tradeoff(),
            "the theorem's, γ = 1/2": xdp.protocols.zsum(n, gamma="1/2").privacy_profile().exact_tradeoff(),
        },
        {"theorem: ε = 1, δ = 1/10": promise},
        subject="zsum, n = 300",
    )
    return tradeoff_picture(curves, name="zsum-tradeoff", title="The theorem's noise hides far more than it promises")


def _calibration() -> Picture:
    eps = ("1/4", "3/8", "1/2", "3/4", 1)
    return calibration_picture(calibration_curves(10**5, eps=eps, delta=_DELTA, beta=_BETA))


_FLOODED_USERS: Final = (100, 300, 1000, 3000, 10**4, 3 * 10**4, 10**5)
"""From where everybody sends dozens of messages to where one dummy of each user is far too many."""
_MIXED_USERS: Final = (100, 300, 1000)
"""Where mixed dummies take a second; with more users one dummy is soon enough without a random answer."""


def _flooding() -> Picture:
    return flooding_picture(flooded_frequencies(100, eps=_EPS, delta=_DELTA, users=_FLOODED_USERS, mixed=_MIXED_USERS))


_SURVEYED: Final = {
    BITS: (
        "discrete Laplace, pure",
        "correlated counting, least noise",
        "one-sided counting, theorem",
        "one-sided counting, least noise",
        "zsum, theorem",
        "zsum, least noise",
        "randomized response, theorem",
        "randomized response, least noise",
        "local randomized response, pure",
    ),
    SUMS: (
        "discrete Laplace, pure",
        "almost central, theorem",
        "almost central, least noise",
        "one-sided counting, theorem",
        "one-sided counting, least noise",
        "Poisson counting, least noise",
        "clipped discrete Laplace, theorem",
        "clipped discrete Laplace, least noise",
        "local clipped discrete Laplace, pure",
    ),
    HISTOGRAMS: (
        "discrete Laplace, pure",
        "flooding, least noise",
        "histogram protocol, theorem",
        "histogram protocol, least noise",
        "k-ary response, theorem",
        "k-ary response, least noise",
        "local k-ary response, pure",
    ),
}
"""Task -> some of ``exactdp survey``, which draws all of it: the cheap ones of each model."""


_SURVEY_USERS: Final = (10**2, 10**5, 10**8)
"""From a class to a large country, in few steps: each number of users takes seconds."""


def _survey(task: str, name: str) -> Callable[[], Picture]:
    """Return how the picture of one task is computed."""

    def picture() -> Picture:
        question = read_question(10**4, eps="1/2", delta=_DELTA, beta=_BETA).at(10**4, with_privacy=False)
        only = [f"{task}: {curve}" for curve in _SURVEYED[task]]
        return survey_picture(survey(question, _SURVEY_USERS, only=only), task, name=name)

    return picture


_COUNTING_POWERS: Final = (2, 3, 4, 6, 8, 10, 12, 16, 20)
"""delta = 10 to minus these, from a test to a deployment."""
_MIX_USERS: Final = (19, 26, 36, 50, 70, 100, 140, 173, 174, 250, 360)
"""From the least n of the published number to twice the n at which it fails, with the last one at which it holds."""
_MIX_MESSAGES: Final = range(7, 17)
"""Around what 40 bits of security need; the bound for fewer messages takes seconds."""

_ALMOST_CENTRAL_POWERS: Final = (4, 6, 8, 10, 12, 16, 20)
"""As those of correlated counting, from where the least shape is above 1."""
_SHARES: Final = tuple(Fraction(k, 20) for k in (1, 2, 4, 6, 10, 14))
"""Of eps, for the noise that cancels: from nearly a curator's error to few messages."""


def _sampling_error() -> Picture:
    """The instance of the ledger's row, for which a curve below the other one is proved at every eps."""
    both = equal_error(40, alpha=16, beta="1/10", rate="1/2")
    return equal_error_picture(both, [Fraction(16 + k, 16) for k in range(33)])


def _histogram_models() -> Picture:
    asked = histogram_users(_BITS, eps=Fraction(1), delta=_DELTA, alpha=Fraction(1, 100), beta=Fraction(1, 10))
    return histogram_models_picture(asked)


_BITS: Final = (1, 2, 3, 5, 7, 10, 14, 20, 30, 50, 70, 100)
"""Of the number of bins, to words of 100 bits."""
_EXP_EPS0: Final = Fraction(7389, 1000)
"""eps0 of nearly 2."""


def _amplification(name: str, subject: str, family: Callable[[], FamilyRandomizer]) -> Callable[[], Picture]:
    """Return how the picture of eps against n of a family is computed."""
    return lambda: amplification_picture(
        amplification_curves(family(), subject=subject, delta=_DELTA), name=f"amplification-{name}"
    )


def _promises() -> Picture:
    """Of the README and the first page: what `exactdp epsilon` and `exactdp report` say of RAPPOR."""
    rappor = UnaryEncoding(1000, exp_eps0=7)
    curves = amplification_curves(
        rappor, subject="RAPPOR, 1000 choices", delta=Fraction(1, 10**8), users=(10**4, 10**5)
    )
    return promises_picture(curves, name="amplification-promises")


_AMPLIFIED: Final = {
    "bits": _amplification("bits", "Randomized response of bits", lambda: KAryResponse(2, exp_eps0=_EXP_EPS0)),
    "k-ary": _amplification("k-ary", "4-ary randomized response", lambda: KAryResponse(4, exp_eps0=_EXP_EPS0)),
    "unary-encoding": _amplification(
        "unary-encoding", "Unary encoding of 4 inputs", lambda: UnaryEncoding(4, exp_eps0=_EXP_EPS0)
    ),
    "subset-selection": _amplification(
        "subset-selection", "Subsets of 2 of 4 inputs", lambda: SubsetSelection(4, exp_eps0=_EXP_EPS0, size=2)
    ),
    "hadamard-response": _amplification(
        "hadamard-response", "Hadamard response of 4 inputs", lambda: HadamardResponse(4, exp_eps0=_EXP_EPS0)
    ),
    "local-hashing": _amplification(
        "local-hashing", "Local hashing of 4 inputs", lambda: LocalHashing(4, exp_eps0=_EXP_EPS0)
    ),
    "clipped-discrete-laplace": _amplification(
        "clipped-discrete-laplace",
        "Clipped discrete Laplace, 0 to 3",
        lambda: ClippedDiscreteLaplace(3, exp_eps0=_EXP_EPS0),
    ),
}
"""Family -> how its picture is computed; 4 inputs and one eps0 for all, so that the pictures can be compared."""

_PICTURES: Final[dict[str, tuple[str, Callable[[], Picture]]]] = {
    "zsum-curve": ("zsum", _zsum_curve),
    "zsum-tradeoff": ("zsum", _zsum_tradeoff),
    "alpha": ("zsum", alpha_picture),
    "smoothness": ("zsum", lambda: smoothness_picture(smoothness_event(200, gamma="1/4", alpha="1/2", k=1))),
    "calibration": ("zsum", _calibration),
    "flooding-error": ("flooding", _flooding),
    "response-curve": ("randomized-response", _response_curve),
    "response-curve-refuted": ("randomized-response", _refuted_curve),
    "gap-supports": ("gap", lambda: supports_picture(gap_supports(1, 2, 3))),
    "counting-curve": ("correlated-counting", lambda: counting_curve_picture(_EPS, _DELTA)),
    "counting-noise": ("correlated-counting", lambda: counting_noise_picture(_EPS, _COUNTING_POWERS)),
    "counting-slack": ("correlated-counting", lambda: counting_slack_picture(_EPS, _DELTA)),
    "mix-users": ("split-and-mix", lambda: mix_users_picture(_MIX_USERS)),
    "mix-messages": (
        "split-and-mix",
        lambda: mix_security_picture(10**4, modulus=2**32, sigma=40, messages=_MIX_MESSAGES),
    ),
    "almost-central-privacy": (
        "almost-central",
        lambda: almost_central_privacy_picture(_EPS, _ALMOST_CENTRAL_POWERS),
    ),
    "almost-central-error": (
        "almost-central",
        lambda: almost_central_error_picture(_EPS, _DELTA, _BETA, _SHARES),
    ),
    "sampling-threshold": (
        "sample-and-threshold",
        lambda: threshold_picture(_DELTA, alpha=Fraction(1, 4), exp_eps=Fraction(2)),
    ),
    "sampling-error": ("sample-and-threshold", _sampling_error),
    "histogram-models": ("stability-histogram", _histogram_models),
    "amplification-promises": ("amplification", _promises),
    **{f"amplification-{name}": ("amplification", picture) for name, picture in _AMPLIFIED.items()},
    "survey-bit-sums": ("survey", _survey(BITS, "survey-bit-sums")),
    "survey-bounded-sums": ("survey", _survey(SUMS, "survey-bounded-sums")),
    "survey-histograms": ("survey", _survey(HISTOGRAMS, "survey-histograms")),
}
"""Name -> the page that the figure belongs to, and how its picture is computed.

A protocol's pictures stand together, in the order of the pages. Those of a new protocol have one entry each here, which
names a page of :data:`exactdp.report.page.protocols.PROTOCOLS`.
"""

FIGURES: Final = {name: Figure(page, cache(picture)) for name, (page, picture) in _PICTURES.items()}
"""Name -> figure, in the order in which they are shown."""
