"""Write limits.ml, the limits of the format for the reader of the proved checker, from exactdp/checker/limits.py.

``python proofs/checker/limits_ml.py`` writes it beside this file; with --check it says whether what stands there is it.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent


def limits() -> ModuleType:
    """The limits of the Python checker, without its package: they need nothing else."""
    path = HERE.parent.parent / "exactdp" / "checker" / "limits.py"
    spec = importlib.util.spec_from_file_location("checker_limits", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def written() -> str:
    """limits.ml as a text."""
    found = {name: value for name, value in vars(limits()).items() if name.isupper() and isinstance(value, int)}
    lines = ["(* The limits of the format, written by limits_ml.py from exactdp/checker/limits.py. *)", ""]
    lines += [f'let {name.lower()} = Integer.of_string "{value}"\n' for name, value in found.items()]
    return "\n".join(lines)


def main() -> int:
    place = HERE / "limits.ml"
    if "--check" in sys.argv[1:]:
        return 0 if place.read_text(encoding="ascii") == written() else 1
    place.write_text(written(), encoding="ascii")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
