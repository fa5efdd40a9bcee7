"""Histograms: the histogram protocol, families of one message each, dummies, and noise of a curator.

The estimate is that of one bin, whichever it is. Families of one message are shuffled with the largest e^eps0 that is
enough, with the one that the stronger clones allow to every randomizer, and without a shuffler at e^eps0 = e^eps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from exactdp.errors import HypothesisError, TooLargeError
from exactdp.laws.discrete_gaussian import DiscreteGaussian
from exactdp.laws.discrete_laplace import DiscreteLaplace
from exactdp.laws.finite import Law
from exactdp.laws.laplace import Laplace
from exactdp.mechanisms.analyzer import Analyzer
from exactdp.mechanisms.family import FamilyRandomizer, family_of
from exactdp.mechanisms.k_ary_family import KAryResponse
from exactdp.mechanisms.randomizer import Communication
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.response_theorem import response_gamma
from exactdp.protocols.accuracy.frequencies import FrequencyEstimate
from exactdp.protocols.accuracy.optimal import optimal_accuracy
from exactdp.protocols.one_parameter_families import Family
from exactdp.protocols.protocol import AdditiveProtocol, ShuffleProtocol
from exactdp.protocols.zsum_and_histogram.histogram_protocol import histogram
from exactdp.protocols.zsum_and_histogram.histogram_theorem import histogram_theorem_accuracy
from exactdp.protocols.zsum_and_histogram.zsum_theorem import zsum_rounded_gamma
from exactdp.studies.calibration.frequency_comparison import compare_frequencies
from exactdp.studies.survey.bounded_sums import ENOUGH, answer_of, below_exp, clones_exp_eps0, in_people, least_of
from exactdp.studies.survey.error_curves import (
    CENTRAL,
    HISTOGRAMS,
    LEAST,
    LOCAL,
    MESSAGES,
    ONE_MESSAGE,
    PUBLISHED,
    PURE,
    THEOREM,
    Answer,
    Curve,
    Number,
    Question,
)

_NOTHING: Final = Law({0: 1})
_HALF: Final = Fraction(1, 2)
_GRID_BITS: Final = 30
"""gamma is found to 2^-30 of the largest one that is tried."""
_MOST_DUMMIES: Final = 10**6
"""Dummies of a user that are tried: more are nobody's report."""


# --- A curator ------------------------------------------------------------------------------------------------------


def _central(question: Question, noise: DiscreteLaplace | DiscreteGaussian, **more: Any) -> Answer:
    """Return the answer of a curator who adds noise to every bin; a replaced record moves two of them."""
    protocol = AdditiveProtocol(noise, bins=question.inputs, analyzer=Analyzer({0: 1}))
    error = optimal_accuracy(protocol, beta=question.beta)
    return Answer(error, Communication(Fraction(1), 1, question.inputs), more.pop("parameters", {}), ENOUGH, **more)


def _discrete_laplace(question: Question) -> Answer:
    return _central(question, DiscreteLaplace(Real.exp(question.eps / 2)), pure=question.eps)


def _continuous_laplace(question: Question) -> Answer:
    error = optimal_accuracy(Laplace(2 / question.eps), beta=question.beta)
    return Answer(error, Communication(Fraction(1), 1, question.inputs), {}, ENOUGH, pure=question.eps)


def _discrete_gaussian(question: Question) -> Answer:
    bins = question.inputs
    family = Family(
        lambda s, n: AdditiveProtocol(DiscreteGaussian(s) if s else _NOTHING, bins=bins),
        "sigma_squared",
        (0, None),
        False,
    )
    sigma = least_of(question, family)
    noise = DiscreteGaussian(sigma)
    profile = AdditiveProtocol(noise, bins=bins).privacy_profile()
    return _central(question, noise, parameters={"sigma_squared": sigma}, profile=profile)


# --- The histogram protocol -----------------------------------------------------------------------------------------


def _published_gamma(question: Question) -> Fraction:
    """Return the theorem's gamma: the theorem promises twice the eps and the delta that it is asked for."""
    return zsum_rounded_gamma(question.n, eps=question.eps / 2, delta=question.delta / 2)


def _histogram_published(question: Question) -> Answer:
    try:
        promised = in_people(
            histogram_theorem_accuracy(question.n, eps=question.eps / 2, delta=question.delta / 2, beta=question.beta),
            question.n,
        )
    except HypothesisError:  # beta is below the theorem's
        promised = None
    return _histogram(question, _published_gamma(question), THEOREM, promised)


def _histogram(question: Question, gamma: Fraction, level: str, promised: Number | None) -> Answer:
    protocol = histogram(question.n, question.inputs, gamma=gamma)
    answer = answer_of(question, protocol, {"gamma": gamma}, level, promised=promised)
    return replace(answer, error=in_people(answer.error, question.n))


# --- One message ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OneMessage:
    """A family of one message each, with a way to choose its e^eps0."""

    kind: str
    exp_eps0: Callable[[OneMessage, Question], Fraction]
    level: str
    options: tuple[tuple[str, Any], ...] = ()
    shuffled: bool = True

    def family(self, question: Question, exp_eps0: Fraction) -> FamilyRandomizer:
        """Return the randomizer with this e^eps0."""
        return family_of(self.kind, inputs=question.inputs, exp_eps0=exp_eps0, **dict(self.options))

    def __call__(self, question: Question) -> Answer:
        exp_eps0 = self.exp_eps0(self, question)
        family = self.family(question, exp_eps0)
        error = FrequencyEstimate(family, question.n).optimal_accuracy(beta=question.beta)
        communication, parameters = family.communication(), {"exp_eps0": exp_eps0}
        if not self.shuffled:
            return Answer(error, communication, parameters, self.level, pure=question.eps)
        profile = ShuffleProtocol(family, question.n).privacy_profile()
        return Answer(error, communication, parameters, self.level, profile)


def _local_exp_eps0(asked: OneMessage, question: Question) -> Fraction:
    return below_exp(question.eps)


def _published_exp_eps0(asked: OneMessage, question: Question) -> Fraction:
    if asked.kind != "randomized-response":
        return clones_exp_eps0(question)
    gamma = response_gamma(question.n, question.inputs, eps=question.eps, delta=question.delta).hi
    exp_eps0 = KAryResponse(question.inputs, gamma=gamma).exp_eps0
    assert isinstance(exp_eps0, Fraction)
    return exp_eps0


_KINDS: Final = {
    "k-ary response": ("randomized-response", (), "k-ary response"),
    "unary encoding": ("unary-encoding", (), "unary encoding"),
    "optimized unary encoding": ("unary-encoding", (("optimized", True),), "unary encoding, optimized"),
    "subset selection": ("subset-selection", (), "subset selection"),
    "Hadamard response": ("hadamard-response", (), "Hadamard response"),
    "local hashing": ("local-hashing", (), "local hashing"),
}
"""System -> its name among the families, its options, and its row among those of the least noise."""


# --- The least noise ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Compared:
    """A row of :func:`exactdp.studies.calibration.frequency_comparison.compare_frequencies`, by its name there."""

    row: str

    def __call__(self, question: Question) -> Answer:
        asked: dict[str, Any] = {"eps": question.eps, "delta": question.delta, "beta": question.beta}
        (row,) = compare_frequencies(question.n, question.inputs, only=(self.row,), **asked)
        if row.error is None or row.communication is None or row.parameter is None:
            raise TooLargeError(row.reason)
        sent = row.communication
        communication = Communication(sent.messages, sent.most, 2**sent.bits)
        return Answer(row.error, communication, dict([row.parameter]), ENOUGH, delta=row.delta)


# --- The curves -----------------------------------------------------------------------------------------------------

HISTOGRAM_CURVES: Final = (
    Curve(HISTOGRAMS, CENTRAL, "discrete Laplace", PURE, _discrete_laplace),
    Curve(HISTOGRAMS, CENTRAL, "continuous Laplace", PURE, _continuous_laplace),
    Curve(HISTOGRAMS, CENTRAL, "discrete Gaussian", LEAST, _discrete_gaussian),
    Curve(HISTOGRAMS, MESSAGES, "histogram protocol", PUBLISHED, _histogram_published),
    Curve(HISTOGRAMS, MESSAGES, "histogram protocol", LEAST, Compared("histogram protocol")),
    Curve(HISTOGRAMS, MESSAGES, "balls into bins", LEAST, Compared("balls into bins")),
    Curve(HISTOGRAMS, MESSAGES, "mixed dummies", LEAST, Compared("mixed dummies")),
    Curve(HISTOGRAMS, MESSAGES, "flooding", LEAST, Compared("flooding")),
    Curve(HISTOGRAMS, MESSAGES, "mixed flooding", LEAST, Compared("mixed flooding")),
    *(
        curve
        for system, (kind, options, row) in _KINDS.items()
        for curve in (
            Curve(
                HISTOGRAMS,
                ONE_MESSAGE,
                system,
                PUBLISHED,
                OneMessage(kind, _published_exp_eps0, THEOREM, options),
            ),
            Curve(HISTOGRAMS, ONE_MESSAGE, system, LEAST, Compared(row)),
        )
    ),
    *(
        Curve(
            HISTOGRAMS,
            LOCAL,
            f"local {system}" if system != "local hashing" else "local hashing, unshuffled",
            PURE,
            OneMessage(kind, _local_exp_eps0, ENOUGH, options, shuffled=False),
        )
        for system, (kind, options, _) in _KINDS.items()
    ),
)
