"""What the scripts of a release share: the version, what the changelog says of it, floors, and fresh environments."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def project(root: Path = ROOT) -> dict[str, Any]:
    """The table [project] of pyproject.toml."""
    return dict(tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"])


def packages(folder: Path, version: str) -> list[Path]:
    """The files of a release in a folder, with their sums; ValueError where one is missing, changed or too many."""
    archives = f"exactdp-{version}-py3-none-any.whl", f"exactdp-{version}.tar.gz", f"exactdp-checker-{version}.py"
    expected = sorted((*archives, "SHA256SUMS"))
    found = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    if found != expected:
        raise ValueError(f"{folder} has not just {', '.join(expected)}. Run tools/build-packages into a new folder.")
    files = [folder / name for name in expected]
    lines = [f"{sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in files if path.name in archives]
    if (folder / "SHA256SUMS").read_text(encoding="ascii").splitlines() != lines:
        raise ValueError(f"{folder} has files that are not those of SHA256SUMS. Build the packages anew.")
    return files


def notes(version: str, changelog: str, place: str = "") -> str:
    """What the changelog says of a version, its links from a place on; ValueError where it says nothing with a date."""
    heading = re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d\n", changelog, re.MULTILINE)
    if heading is None:
        raise ValueError(f"CHANGELOG.md has no heading '## [{version}] - ' with a date. Give the release one.")
    said = re.split(r"^## ", changelog[heading.end() :], maxsplit=1, flags=re.MULTILINE)[0].strip()
    if not said:
        raise ValueError(f"CHANGELOG.md says nothing of {version}. Move there what stands under Unreleased.")
    return re.sub(r"\]\((?!https?:)", f"]({place}", f"{said}\n")


def floors(metadata: dict[str, Any], extras: Iterable[str]) -> dict[str, str]:
    """The least version of each package that the project and these extras need, extras of its own followed."""
    extras_left, seen, found = list(extras), set[str](), {}
    requirements = list(metadata["dependencies"])
    while extras_left:
        extra = extras_left.pop()
        if extra not in seen:
            seen.add(extra)
            for requirement in metadata["optional-dependencies"][extra]:
                own = re.fullmatch(rf"{metadata['name']}\[([a-z,]+)\]", requirement)
                extras_left += own[1].split(",") if own else []
                requirements += [] if own else [requirement]
    for requirement in requirements:
        name, floor = requirement.split(">=")
        if found.setdefault(name, floor) != floor:
            raise ValueError(f"pyproject.toml has two floors of {name}, {found[name]} and {floor}. Give it one.")
    return found


def missing(extra: str) -> list[str]:
    """The packages of the project and of an extra that the Python which runs this does not have."""
    return sorted(name for name in floors(project(), [extra]) if not _is_installed(name))


def _is_installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


def environment(folder: Path) -> Path:
    """Make a virtual environment in a folder, of the Python that runs this; return its Python."""
    run(sys.executable, "-m", "venv", folder)
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def run(*command: str | Path, at: Path = ROOT) -> str:
    """Run a command away from every other environment, its words on this terminal; end with it where it fails."""
    print("+", *command, flush=True)
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(
        [str(word) for word in command], cwd=at, env=clean, stdout=subprocess.PIPE, encoding="utf-8", errors="replace"
    )
    print(done.stdout, end="", flush=True)
    if done.returncode:
        sys.exit(f"error: exit status {done.returncode} of: {' '.join(str(word) for word in command)}")
    return done.stdout
