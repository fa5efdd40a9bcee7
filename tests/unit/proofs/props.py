"""Record which Props the statements of rows were compared with: ``python -m tests.unit.proofs.props [ID...]``.

For each of these rows, or all, whose Prop is not the recorded one, the statement and the Prop are printed, to be
compared by whoever runs this, and the digest of the Prop is written into the row's file in proofs/rows.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from exactdp import proofs
from exactdp.proofs.development import propositions

FOLDER = Path(proofs.__file__).parent / "rows"


def recorded(text: str, row: str, digest: str) -> str:
    """The text of a file of rows with this digest as the last line of the row; without one where it is empty."""
    parts = re.split(r"^(?=\[\[row\]\]$)", text, flags=re.MULTILINE)
    (place,) = [k for k, part in enumerate(parts) if re.search(rf'^id = "{row}"$', part, re.MULTILINE)]
    lines = re.sub(r"^prop = .*\n", "", parts[place], flags=re.MULTILINE)
    end = len(lines.rstrip("\n")) + 1
    parts[place] = lines[:end] + (f'prop = "{digest}"\n' if digest else "") + lines[end:]
    return "".join(parts)


def main(ids: Sequence[str]) -> None:
    """Print and record them."""
    stated = {row: each.digest for row, each in propositions().items()}
    for row in proofs.rows():
        if row.prop != (digest := stated.get(row.id, "")) and (not ids or row.id in ids):
            prop = propositions()[row.id].prop if digest else "none"
            sys.stdout.write(f"{row.id}: {row.statement}\n  for: {row.domain}\n{prop}\n\n")
            (path,) = [path for path in FOLDER.glob("*.toml") if f'\nid = "{row.id}"\n' in path.read_text("utf-8")]
            path.write_text(recorded(path.read_text("utf-8"), row.id, digest), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
