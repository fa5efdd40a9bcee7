"""Published local randomizers, one file each: its table, or its classes where the message space is huge."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from exactdp.randomizers.family import FamilyRandomizer
    from exactdp.randomizers.k_ary_family import KAryResponse, randomized_response

_HOMES: Final = {
    "FamilyRandomizer": "family",
    "KAryResponse": "k_ary_family",
    "randomized_response": "k_ary_family",
}

__all__ = ["FamilyRandomizer", "KAryResponse", "randomized_response"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
