"""exactdp: the privacy of shuffle-model protocols, computed exactly and certified.

>>> import exactdp as xdp
>>> protocol = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), n=10)
>>> protocol.privacy_profile().delta(exp_eps=2)
Fraction(19683, 1048576)
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

    from exactdp import protocols
    from exactdp.claims.certificate import Certificate, Verdict
    from exactdp.claims.certify import certify, verify
    from exactdp.claims.claim import Claim, OpenClaim
    from exactdp.errors import ExactDPError
    from exactdp.laws.binomial import Binomial
    from exactdp.laws.binomial_sum import BinomialSum
    from exactdp.laws.discrete_gaussian import DiscreteGaussian
    from exactdp.laws.discrete_laplace import DiscreteLaplace
    from exactdp.laws.discrete_uniform import DiscreteUniform
    from exactdp.laws.finite import Law
    from exactdp.laws.laplace import Laplace
    from exactdp.laws.negative_binomial import Geometric, NegativeBinomial
    from exactdp.laws.poisson import Poisson
    from exactdp.mechanisms.analyzer import Analyzer
    from exactdp.mechanisms.dataset import Neighbors
    from exactdp.mechanisms.k_ary_family import randomized_response
    from exactdp.mechanisms.randomizer import Randomizer
    from exactdp.numbers.epsilon import LogRational
    from exactdp.numbers.exact import Exact
    from exactdp.numbers.exact_fraction import ExactFraction
    from exactdp.numbers.interval import Interval
    from exactdp.numbers.real import Real
    from exactdp.privacy.attained import Bracket, WorstPair
    from exactdp.privacy.composition.composed import ComposedProfile
    from exactdp.privacy.divergence import hockey_stick_divergence, total_variation_distance
    from exactdp.privacy.noise.query_sensitivity import Sensitivity, sensitivity
    from exactdp.privacy.privacy_decision import PrivacyDecision, is_private
    from exactdp.privacy.profile import PrivacyProfile, compose
    from exactdp.privacy.smoothness import smoothness_delta
    from exactdp.privacy.tradeoff import TradeoffBounds, TradeoffFunction
    from exactdp.protocols.accuracy.local_game import least_local_error
    from exactdp.protocols.accuracy.local_histograms import local_histogram_users
    from exactdp.protocols.accuracy.optimal import optimal_accuracy
    from exactdp.protocols.accuracy.overlapping_sums import local_lower_bound
    from exactdp.protocols.exponential.exponential_mechanism_protocol import ExponentialMechanism, exponential_mechanism
    from exactdp.protocols.one_parameter_families import Family
    from exactdp.protocols.protocol import AdditiveProtocol, ShuffleProtocol, shift_profile
    from exactdp.protocols.sampling.blocks import sample, sample_blocks
    from exactdp.reference.second_opinion import CrossCheck, cross_check
    from exactdp.studies.calibration.calibrated import Calibration
    from exactdp.studies.calibration.grid_search import calibrate
    from exactdp.studies.counterexamples.search import find_counterexample

__version__ = "0.3.0"

_NAMES: Final = {
    "protocols.accuracy.local_game": "least_local_error",
    "protocols.accuracy.optimal": "optimal_accuracy",
    "protocols.accuracy.local_histograms": "local_histogram_users",
    "protocols.accuracy.overlapping_sums": "local_lower_bound",
    "studies.calibration.calibrated": "Calibration",
    "protocols.one_parameter_families": "Family",
    "studies.calibration.grid_search": "calibrate",
    "claims.certificate": "Certificate Verdict",
    "claims.certify": "certify verify",
    "claims.claim": "Claim OpenClaim",
    "privacy.composition.composed": "ComposedProfile",
    "studies.counterexamples.search": "find_counterexample",
    "errors": "ExactDPError",
    "laws.binomial": "Binomial",
    "laws.binomial_sum": "BinomialSum",
    "laws.discrete_gaussian": "DiscreteGaussian",
    "laws.discrete_laplace": "DiscreteLaplace",
    "laws.discrete_uniform": "DiscreteUniform",
    "laws.finite": "Law",
    "laws.laplace": "Laplace",
    "laws.negative_binomial": "Geometric NegativeBinomial",
    "laws.poisson": "Poisson",
    "mechanisms.analyzer": "Analyzer",
    "mechanisms.dataset": "Neighbors",
    "privacy.noise.query_sensitivity": "Sensitivity sensitivity",
    "mechanisms.randomizer": "Randomizer",
    "numbers.exact": "Exact",
    "numbers.exact_fraction": "ExactFraction",
    "numbers.interval": "Interval",
    "numbers.real": "Real",
    "privacy.attained": "Bracket WorstPair",
    "privacy.divergence": "hockey_stick_divergence total_variation_distance",
    "numbers.epsilon": "LogRational",
    "privacy.smoothness": "smoothness_delta",
    "privacy.tradeoff": "TradeoffBounds TradeoffFunction",
    "privacy.privacy_decision": "PrivacyDecision is_private",
    "privacy.profile": "PrivacyProfile compose",
    "protocols.protocol": "AdditiveProtocol ShuffleProtocol shift_profile",
    "protocols.exponential.exponential_mechanism_protocol": "ExponentialMechanism exponential_mechanism",
    "mechanisms.k_ary_family": "randomized_response",
    "reference.second_opinion": "CrossCheck cross_check",
    "protocols.sampling.blocks": "sample sample_blocks",
}
"""Where each public name is defined."""
_HOMES: Final = {name: home for home, names in _NAMES.items() for name in names.split()}

__all__ = [
    "AdditiveProtocol",
    "Analyzer",
    "Binomial",
    "BinomialSum",
    "Bracket",
    "Calibration",
    "Certificate",
    "Claim",
    "ComposedProfile",
    "CrossCheck",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "DiscreteUniform",
    "Exact",
    "ExactDPError",
    "ExactFraction",
    "ExponentialMechanism",
    "Family",
    "Geometric",
    "Interval",
    "Laplace",
    "Law",
    "LogRational",
    "NegativeBinomial",
    "Neighbors",
    "OpenClaim",
    "Poisson",
    "PrivacyDecision",
    "PrivacyProfile",
    "Randomizer",
    "Real",
    "Sensitivity",
    "ShuffleProtocol",
    "TradeoffBounds",
    "TradeoffFunction",
    "Verdict",
    "WorstPair",
    "calibrate",
    "certify",
    "compose",
    "cross_check",
    "exponential_mechanism",
    "find_counterexample",
    "hockey_stick_divergence",
    "is_private",
    "least_local_error",
    "local_histogram_users",
    "local_lower_bound",
    "optimal_accuracy",
    "protocols",
    "randomized_response",
    "sample",
    "sample_blocks",
    "sensitivity",
    "shift_profile",
    "smoothness_delta",
    "total_variation_distance",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Import a public name from its home on first use, so that ``import exactdp`` itself loads nothing."""
    if name in ("protocols", "randomizers", "symbolic"):
        return import_module(f"exactdp.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'exactdp' has no attribute {name!r}")
    value = getattr(import_module(f"exactdp.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


class _OldPaths:
    """Finds what no other finder does: modules under the paths of earlier versions, by :mod:`exactdp.moved`."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if not name.startswith("exactdp."):
            return None
        found: ModuleSpec | None = import_module("exactdp.moved").spec_of(name)
        return found


sys.meta_path.append(_OldPaths)
