"""The bare checker, loaded: the files of exactdp/checker/ joined into one, so that every name is in one place."""

from __future__ import annotations

import sys
import types
from functools import lru_cache
from pathlib import Path
from typing import Any

from exactdp import checker as package
from exactdp.claims.bare_checker import bare_checker

SOURCES = sorted(path for path in Path(package.__path__[0]).glob("*.py"))


def loaded(source: str, name: str = "bare_checker") -> Any:
    """A checker with this source."""
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(compile(source, name, "exec"), module.__dict__)
    return module


@lru_cache
def checker() -> Any:
    """The bare checker of this checkout."""
    return loaded(bare_checker())
