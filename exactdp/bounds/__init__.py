"""Published bounds as numbers: one function for each theorem, with its hypotheses checked and its source named.

A bound is an enclosure or an exact number, and is returned only where every hypothesis holds; else a HypothesisError
names the one that fails. What the bounds give away is in :func:`zsum_slack`.
"""

from __future__ import annotations

from exactdp.bounds.counting_theorem import negative_binomial_mechanism, poisson_mechanism
from exactdp.bounds.histogram_theorem import (
    histogram_accuracy,
    histogram_expected_messages,
    histogram_most_messages,
    histogram_privacy_bound,
    histogram_theorem_accuracy,
)
from exactdp.bounds.hypotheses import PrivacyBound
from exactdp.bounds.slack import SlackRow, zsum_slack
from exactdp.bounds.smooth_theorems import SmoothnessBound, binomial_smoothness_bound, smooth_noise_bound
from exactdp.bounds.zsum_theorem import (
    least_tanh_integer,
    published_zsum_delta,
    refined_zsum_delta,
    refined_zsum_mu,
    tanh_constant,
    zsum_accuracy,
    zsum_constant,
    zsum_expected_messages,
    zsum_gamma,
    zsum_least_n,
    zsum_most_messages,
    zsum_mu,
    zsum_privacy_bound,
    zsum_rounded_gamma,
    zsum_theorem_accuracy,
    zsum_vacuity_bound,
)

__all__ = [
    "PrivacyBound",
    "SlackRow",
    "SmoothnessBound",
    "binomial_smoothness_bound",
    "histogram_accuracy",
    "histogram_expected_messages",
    "histogram_most_messages",
    "histogram_privacy_bound",
    "histogram_theorem_accuracy",
    "least_tanh_integer",
    "negative_binomial_mechanism",
    "poisson_mechanism",
    "published_zsum_delta",
    "refined_zsum_delta",
    "refined_zsum_mu",
    "smooth_noise_bound",
    "tanh_constant",
    "zsum_accuracy",
    "zsum_constant",
    "zsum_expected_messages",
    "zsum_gamma",
    "zsum_least_n",
    "zsum_most_messages",
    "zsum_mu",
    "zsum_privacy_bound",
    "zsum_rounded_gamma",
    "zsum_slack",
    "zsum_theorem_accuracy",
    "zsum_vacuity_bound",
]
