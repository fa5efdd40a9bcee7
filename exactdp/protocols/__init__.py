"""Published protocols, one file each: the randomizer, the analyzer, and the theorem that is claimed for it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from exactdp.protocols.aggregated.aggregate_protocol import Aggregate, aggregate
    from exactdp.protocols.almost_central.almost_central_protocol import (
        AlmostCentralRealSum,
        AlmostCentralSum,
        almost_central_real_sum,
        almost_central_sum,
    )
    from exactdp.protocols.counting.correlated_counting_protocol import (
        CorrelatedCounting,
        correlated_counting,
        correlated_counting_from_theorem,
    )
    from exactdp.protocols.counting.counting_protocol import (
        one_sided_counting,
        one_sided_counting_from_theorem,
        private_counting,
        private_counting_from_theorem,
    )
    from exactdp.protocols.flooded.flooding_protocol import Flooding, flooding
    from exactdp.protocols.flooded.flooding_theorem import flooding_from_theorem
    from exactdp.protocols.k_ary_protocol import (
        cheu_binary_sum,
        cheu_binary_sum_from_theorem,
        k_ary,
        randomized_response,
    )
    from exactdp.protocols.mixing.fixed_point_sum_protocol import (
        FixedPointSum,
        fixed_point_sum,
        fixed_point_sum_from_theorem,
    )
    from exactdp.protocols.mixing.split_and_mix_protocol import SplitAndMix, split_and_mix, split_and_mix_randomizer
    from exactdp.protocols.separating_protocols import complement, complement_randomizer, gap, gap_randomizer
    from exactdp.protocols.stable.stability_histogram_protocol import StabilityHistogram, stability_histogram
    from exactdp.protocols.thresholded.sample_and_threshold_protocol import (
        SampleAndThreshold,
        sample_and_threshold,
        sample_and_threshold_from_theorem,
    )
    from exactdp.protocols.zsum_and_histogram.histogram_protocol import (
        histogram,
        histogram_from_theorem,
        histogram_randomizer,
    )
    from exactdp.protocols.zsum_and_histogram.zsum_protocol import zsum, zsum_from_theorem, zsum_randomizer

_NAMES: Final = {
    "aggregated.aggregate_protocol": ("Aggregate", "aggregate"),
    "almost_central.almost_central_protocol": (
        "AlmostCentralRealSum",
        "AlmostCentralSum",
        "almost_central_real_sum",
        "almost_central_sum",
    ),
    "counting.correlated_counting_protocol": (
        "CorrelatedCounting",
        "correlated_counting",
        "correlated_counting_from_theorem",
    ),
    "counting.counting_protocol": (
        "one_sided_counting",
        "one_sided_counting_from_theorem",
        "private_counting",
        "private_counting_from_theorem",
    ),
    "mixing.fixed_point_sum_protocol": ("FixedPointSum", "fixed_point_sum", "fixed_point_sum_from_theorem"),
    "flooded.flooding_protocol": ("Flooding", "flooding"),
    "flooded.flooding_theorem": ("flooding_from_theorem",),
    "separating_protocols": ("complement", "complement_randomizer", "gap", "gap_randomizer"),
    "zsum_and_histogram.histogram_protocol": ("histogram", "histogram_from_theorem", "histogram_randomizer"),
    "k_ary_protocol": ("cheu_binary_sum", "cheu_binary_sum_from_theorem", "k_ary", "randomized_response"),
    "stable.stability_histogram_protocol": ("StabilityHistogram", "stability_histogram"),
    "thresholded.sample_and_threshold_protocol": (
        "SampleAndThreshold",
        "sample_and_threshold",
        "sample_and_threshold_from_theorem",
    ),
    "mixing.split_and_mix_protocol": ("SplitAndMix", "split_and_mix", "split_and_mix_randomizer"),
    "zsum_and_histogram.zsum_protocol": ("zsum", "zsum_from_theorem", "zsum_randomizer"),
}
_HOMES: Final = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
    "Aggregate",
    "AlmostCentralRealSum",
    "AlmostCentralSum",
    "CorrelatedCounting",
    "FixedPointSum",
    "Flooding",
    "SampleAndThreshold",
    "SplitAndMix",
    "StabilityHistogram",
    "aggregate",
    "almost_central_real_sum",
    "almost_central_sum",
    "cheu_binary_sum",
    "cheu_binary_sum_from_theorem",
    "complement",
    "complement_randomizer",
    "correlated_counting",
    "correlated_counting_from_theorem",
    "fixed_point_sum",
    "fixed_point_sum_from_theorem",
    "flooding",
    "flooding_from_theorem",
    "gap",
    "gap_randomizer",
    "histogram",
    "histogram_from_theorem",
    "histogram_randomizer",
    "k_ary",
    "one_sided_counting",
    "one_sided_counting_from_theorem",
    "private_counting",
    "private_counting_from_theorem",
    "randomized_response",
    "sample_and_threshold",
    "sample_and_threshold_from_theorem",
    "split_and_mix",
    "split_and_mix_randomizer",
    "stability_histogram",
    "zsum",
    "zsum_from_theorem",
    "zsum_randomizer",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
