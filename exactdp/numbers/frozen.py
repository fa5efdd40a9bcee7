"""Frozen values: how a constructor sets the fields of an instance that nothing changes afterwards."""

from __future__ import annotations


def set_fields(instance: object, **values: object) -> None:
    """Set fields of a frozen dataclass; only its own constructor may."""
    for name, value in values.items():
        object.__setattr__(instance, name, value)
