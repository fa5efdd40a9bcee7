"""The rows whose certificate the proved checker accepts: a record, which is made and compared where it is built.

``exactdp prove --certificates DIR`` writes the certificates, and ``python -m tests.certificates.accepted DIR`` asks the
proved checker about them.
"""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Final

RECORD: Final = Path(__file__).resolve().parent / "accepted.toml"
"""The record."""


@lru_cache(maxsize=1)
def accepted_by_proof() -> frozenset[str]:
    """Return the ids of these rows."""
    return frozenset(tomllib.loads(RECORD.read_text("utf-8"))["proved"])
