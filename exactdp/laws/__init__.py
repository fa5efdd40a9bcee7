"""What a distribution is: finite and exact, a lattice law of any size, or the continuous Laplace law."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from exactdp.laws.registry import CONTINUOUS, FAMILIES

if TYPE_CHECKING:
    from exactdp.laws.finite import Law as Law
    from exactdp.laws.lattice import LatticeLaw as LatticeLaw
    from exactdp.laws.registry import *  # noqa: F403  the laws of the registry, by name

_HOMES: Final = {"Law": "exactdp.laws.finite", "LatticeLaw": "exactdp.laws.lattice"} | {
    name: module for module, name in (family.home.split(":") for family in (FAMILIES | CONTINUOUS).values())
}
"""Public name -> the module that it is loaded from on first use: who reads the registry alone loads no law."""

if not TYPE_CHECKING:  # a type checker sees what is imported above, and no other name
    __all__ = sorted(_HOMES)

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_HOMES[name]), name)

    def __dir__() -> list[str]:
        return __all__
