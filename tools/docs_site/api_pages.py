"""The API reference: a page for every package that hands names on, each name with its docstring.

The packages are found by their ``__all__``, so that a new name is on the site as soon as it is public.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from types import ModuleType
from typing import Any

import exactdp
from tools.docs_site.stage import Page


def api_pages() -> list[Page]:
    """Return the pages, exactdp itself first."""
    packages = [exactdp, *(import_module(name) for name in package_names())]
    return [_page(package) for package in packages if hasattr(package, "__all__")]


def package_names() -> list[str]:
    """Return the packages right below exactdp."""
    return sorted(found.name for found in pkgutil.iter_modules(exactdp.__path__, "exactdp.") if found.ispkg)


def _page(package: ModuleType) -> Page:
    name = package.__name__
    names = [public for public in package.__all__ if _is_here(package, public)]
    elsewhere = [public for public in package.__all__ if public not in names]
    lines = [name, "=" * len(name), "", f".. automodule:: {name}", "   :no-members:", ""]
    if elsewhere:
        also = ", ".join(f":py:obj:`{public} <exactdp.{public}>`" for public in elsewhere)
        lines += [f"Also here, by the same names as in :py:mod:`exactdp`: {also}.", ""]
    for public in names:
        lines += _entry(name, public, getattr(package, public))
    return Page(f"reference/{name}", name, "\n".join(lines) + "\n", suffix=".rst")


def _is_here(package: ModuleType, public: str) -> bool:
    """Whether this page describes a name: what exactdp itself hands on is described there alone."""
    if package is exactdp or public not in exactdp.__all__:
        return True
    return getattr(package, public) is not getattr(exactdp, public)


def _entry(package: str, public: str, value: Any) -> list[str]:
    if isinstance(value, ModuleType):
        return []
    if isinstance(value, type):
        return ["", f".. autoclass:: {package}.{public}", "   :members:", "   :undoc-members:", ""]
    if callable(value) and hasattr(value, "__name__"):
        return ["", f".. autofunction:: {package}.{public}", ""]
    return ["", f".. autodata:: {package}.{public}", ""]
