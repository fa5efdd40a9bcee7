"""The least instance at which a published bound is false, and published bounds beside exact values on grids."""

from typing import Final

NAMES: Final = (
    "hoeffding-blanket",
    "hoeffding-blanket-generic",
    "bennett-blanket",
    "bennett-blanket-generic",
    "clones",
    "stronger-clones",
    "variation-ratio-response",
    "binary-sum-proved",
    "clones-tables",
    "stronger-clones-tables",
    "hoeffding-blanket-generic-tables",
    "bennett-blanket-generic-tables",
    "clones-closed",
    "stronger-clones-closed",
    "stronger-clones-refined",
    "variation-ratio-closed",
    "binary-sum-general",
    "sample-threshold",
    "sample-threshold-refined",
    "worst-data-set-is-an-end",
    "worst-data-set-is-unimodal",
    "smoothness-factor-as-printed",
    "split-and-mix-average-case",
    "gaps-responses",
    "gaps-tables",
    "gaps-interior",
    "gaps-closed-forms",
    "gaps-noise",
    "gaps-thresholds",
    "gaps-response-sizes",
    "gaps-family-sizes",
    "gaps-any-sizes",
)
"""The names of searches and of grids, which take longer to load than a person waits; a test compares them."""
