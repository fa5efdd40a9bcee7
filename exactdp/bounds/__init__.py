"""Published bounds as numbers: one function for each theorem, with its hypotheses checked and its source named.

A bound is an enclosure or an exact number, and is returned only where every hypothesis holds; else a HypothesisError
names the one that fails. What the bounds give away is in :func:`zsum_slack` and :func:`correlated_counting_slack`.
"""

from __future__ import annotations

from exactdp.privacy.amplification.blanket import bennett_blanket_delta, hoeffding_blanket_delta
from exactdp.privacy.amplification.clones import (
    clones_delta,
    clones_exp_eps,
    stronger_clones_delta,
    stronger_clones_exp_eps,
    stronger_clones_refined_exp_eps,
)
from exactdp.privacy.amplification.response_theorem import (
    binary_sum_delta,
    binary_sum_eps,
    binary_sum_lambda,
    response_gamma,
)
from exactdp.privacy.amplification.variation_ratio import (
    VariationRatio,
    family_parameters,
    response_parameters,
    variation_ratio_delta,
    variation_ratio_exp_eps,
)
from exactdp.privacy.hypotheses import PrivacyBound
from exactdp.protocols.counting.counting_theorem import (
    CorrelatedNoise,
    correlated_counting_noise,
    correlated_counting_slack,
    negative_binomial_mechanism,
    poisson_mechanism,
)
from exactdp.protocols.mixing.component_bound import (
    component_colourings,
    published_split_and_mix_distance,
    published_split_and_mix_messages,
    split_and_mix_distance,
    split_and_mix_excess,
    split_and_mix_message_counts,
    split_and_mix_messages,
)
from exactdp.protocols.thresholded.waiting_times import (
    published_sample_threshold_delta,
    refined_sample_threshold_delta,
    sample_threshold_parameters,
    sample_threshold_worst,
)
from exactdp.protocols.zsum_and_histogram.histogram_theorem import (
    histogram_accuracy,
    histogram_expected_messages,
    histogram_most_messages,
    histogram_privacy_bound,
    histogram_theorem_accuracy,
)
from exactdp.protocols.zsum_and_histogram.slack import SlackRow, zsum_slack
from exactdp.protocols.zsum_and_histogram.smooth_theorems import (
    SmoothnessBound,
    binomial_smoothness_bound,
    smooth_noise_bound,
)
from exactdp.protocols.zsum_and_histogram.zsum_theorem import (
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
    "CorrelatedNoise",
    "PrivacyBound",
    "SlackRow",
    "SmoothnessBound",
    "VariationRatio",
    "bennett_blanket_delta",
    "binary_sum_delta",
    "binary_sum_eps",
    "binary_sum_lambda",
    "binomial_smoothness_bound",
    "clones_delta",
    "clones_exp_eps",
    "component_colourings",
    "correlated_counting_noise",
    "correlated_counting_slack",
    "family_parameters",
    "histogram_accuracy",
    "histogram_expected_messages",
    "histogram_most_messages",
    "histogram_privacy_bound",
    "histogram_theorem_accuracy",
    "hoeffding_blanket_delta",
    "least_tanh_integer",
    "negative_binomial_mechanism",
    "poisson_mechanism",
    "published_sample_threshold_delta",
    "published_split_and_mix_distance",
    "published_split_and_mix_messages",
    "published_zsum_delta",
    "refined_sample_threshold_delta",
    "refined_zsum_delta",
    "refined_zsum_mu",
    "response_gamma",
    "response_parameters",
    "sample_threshold_parameters",
    "sample_threshold_worst",
    "smooth_noise_bound",
    "split_and_mix_distance",
    "split_and_mix_excess",
    "split_and_mix_message_counts",
    "split_and_mix_messages",
    "stronger_clones_delta",
    "stronger_clones_exp_eps",
    "stronger_clones_refined_exp_eps",
    "tanh_constant",
    "variation_ratio_delta",
    "variation_ratio_exp_eps",
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
