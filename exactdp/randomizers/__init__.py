"""Published local randomizers, one file each: its table, or its classes where the message space is huge.

The functions return a ``Randomizer`` where the table has at most 65,536 entries, else the family; the classes are the
families themselves, for any size.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from exactdp.mechanisms.any_randomizer_family import AnyRandomizer, any_randomizer
    from exactdp.mechanisms.clipped_discrete_laplace_family import ClippedDiscreteLaplace, clipped_discrete_laplace
    from exactdp.mechanisms.duchi_family import DuchiRandomizer, duchi
    from exactdp.mechanisms.dummies_family import BallsIntoBins, MixedDummies, balls_into_bins, mixed_dummies
    from exactdp.mechanisms.family import FamilyRandomizer
    from exactdp.mechanisms.gaussian_family import GaussianRandomizer, gaussian
    from exactdp.mechanisms.hadamard_response_family import HadamardResponse, hadamard_response
    from exactdp.mechanisms.hybrid_family import HybridRandomizer, hybrid
    from exactdp.mechanisms.k_ary_family import KAryResponse, randomized_response
    from exactdp.mechanisms.laplace_family import LaplaceRandomizer, laplace
    from exactdp.mechanisms.local_hashing_family import LocalHashing, local_hashing
    from exactdp.mechanisms.piecewise_family import PiecewiseRandomizer, piecewise
    from exactdp.mechanisms.product_family import Product, product
    from exactdp.mechanisms.repetition import Repetition, repeat
    from exactdp.mechanisms.rounded_rows import RoundedRandomizer, from_density, from_floats
    from exactdp.mechanisms.staircase_family import StaircaseRandomizer, staircase
    from exactdp.mechanisms.subset_selection_family import SubsetSelection, subset_selection
    from exactdp.mechanisms.support_family import SupportFamily
    from exactdp.mechanisms.unary_encoding_family import UnaryEncoding, unary_encoding

_HOMES: Final = {
    "AnyRandomizer": "any_randomizer_family",
    "BallsIntoBins": "dummies_family",
    "ClippedDiscreteLaplace": "clipped_discrete_laplace_family",
    "DuchiRandomizer": "duchi_family",
    "FamilyRandomizer": "family",
    "GaussianRandomizer": "gaussian_family",
    "HadamardResponse": "hadamard_response_family",
    "HybridRandomizer": "hybrid_family",
    "KAryResponse": "k_ary_family",
    "LaplaceRandomizer": "laplace_family",
    "LocalHashing": "local_hashing_family",
    "MixedDummies": "dummies_family",
    "PiecewiseRandomizer": "piecewise_family",
    "Product": "product_family",
    "Repetition": "repetition",
    "RoundedRandomizer": "rounded_rows",
    "StaircaseRandomizer": "staircase_family",
    "SubsetSelection": "subset_selection_family",
    "SupportFamily": "support_family",
    "UnaryEncoding": "unary_encoding_family",
    "any_randomizer": "any_randomizer_family",
    "balls_into_bins": "dummies_family",
    "clipped_discrete_laplace": "clipped_discrete_laplace_family",
    "duchi": "duchi_family",
    "from_density": "rounded_rows",
    "from_floats": "rounded_rows",
    "gaussian": "gaussian_family",
    "hadamard_response": "hadamard_response_family",
    "hybrid": "hybrid_family",
    "laplace": "laplace_family",
    "local_hashing": "local_hashing_family",
    "mixed_dummies": "dummies_family",
    "piecewise": "piecewise_family",
    "product": "product_family",
    "randomized_response": "k_ary_family",
    "repeat": "repetition",
    "staircase": "staircase_family",
    "subset_selection": "subset_selection_family",
    "unary_encoding": "unary_encoding_family",
}

__all__ = [
    "AnyRandomizer",
    "BallsIntoBins",
    "ClippedDiscreteLaplace",
    "DuchiRandomizer",
    "FamilyRandomizer",
    "GaussianRandomizer",
    "HadamardResponse",
    "HybridRandomizer",
    "KAryResponse",
    "LaplaceRandomizer",
    "LocalHashing",
    "MixedDummies",
    "PiecewiseRandomizer",
    "Product",
    "Repetition",
    "RoundedRandomizer",
    "StaircaseRandomizer",
    "SubsetSelection",
    "SupportFamily",
    "UnaryEncoding",
    "any_randomizer",
    "balls_into_bins",
    "clipped_discrete_laplace",
    "duchi",
    "from_density",
    "from_floats",
    "gaussian",
    "hadamard_response",
    "hybrid",
    "laplace",
    "local_hashing",
    "mixed_dummies",
    "piecewise",
    "product",
    "randomized_response",
    "repeat",
    "staircase",
    "subset_selection",
    "unary_encoding",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"exactdp.mechanisms.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
