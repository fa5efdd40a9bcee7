"""Where a page comes from: the commit of the source it was made with, the day, and the command that made it."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

from exactdp.errors import InvalidValueError

_EPOCH: Final = "SOURCE_DATE_EPOCH"
"""The variable of the environment that reproducible builds set: seconds since 1970."""
_PACKAGE: Final = Path(__file__).resolve().parents[2]
"""The folder of the package."""


@dataclass(frozen=True, slots=True)
class Made:
    """How a page was made, as its foot says it.

    Args:
        commit: of the source, in words; empty where it is not known.
        date: the day, in UTC, as 2026-11-23.
        command: as it was typed.
    """

    commit: str
    date: str
    command: str


def made_by(command: str) -> Made:
    """Return how a page is made that this command makes now.

    Raises:
        InvalidValueError: for a ``SOURCE_DATE_EPOCH`` in the environment that is no day.
    """
    return Made(commit_of_source(), day(os.environ), command)


def day(environment: os._Environ[str] | dict[str, str]) -> str:
    """Return the day in UTC: that of ``SOURCE_DATE_EPOCH`` where it is set, so that a page can be made again, or today.

    >>> day({"SOURCE_DATE_EPOCH": "1600000000"})
    '2020-09-13'
    """
    text = environment.get(_EPOCH, "")
    if not text:
        return datetime.now(UTC).date().isoformat()
    try:
        if not (text.isascii() and text.isdecimal()):
            raise ValueError
        return datetime.fromtimestamp(int(text), UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        raise InvalidValueError(
            f"{_EPOCH}={text[:40]!r} in the environment is no time. Set it to whole seconds since 1970, or unset it."
        ) from None


def commit_of_source(package: Path = _PACKAGE) -> str:
    """Return the commit that the package was made from, in words, or nothing where it is not known.

    In a checkout that git knows it is the commit of the checkout, with a word on what was changed since; of a package
    that pip installed from a repository it is the one that pip wrote down. A wheel or an archive does not say.
    """
    root = package.parent
    if not (root / ".git").exists():
        return _installed_commit(package)
    commit = _git(root, "rev-parse", "HEAD")
    if not commit:
        return ""
    return f"{commit}, with changes" if _git(root, "status", "--porcelain", "--", "exactdp", "proofs") else commit


def _git(root: Path, *words: str) -> str:
    """Return what git says of a checkout; nothing where there is no git, or where it refuses."""
    try:
        said = subprocess.run(
            ["git", "--no-optional-locks", "-C", os.fspath(root), *words],
            capture_output=True,
            encoding="utf-8",
            check=True,
            timeout=20,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return said.stdout.strip()


def _installed_commit(package: Path) -> str:
    """Return the commit in the record that pip writes of what it installs from a repository."""
    try:
        installed = distribution("exactdp")
        if Path(str(installed.locate_file("exactdp"))).resolve() != package:
            return ""  # the record is of another copy
        record = json.loads(installed.read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return ""
    return str(record.get("vcs_info", {}).get("commit_id", ""))
