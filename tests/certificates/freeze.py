"""The corpora of released schemas stay as they are: ``python -m tests.certificates.freeze``, once, at a release.

It writes ``frozen.sha256``, a line for each file of the closed schemas, in the form of sha256sum:
``cd tests/certificates && sha256sum -c frozen.sha256``. A frozen file is never changed, moved or removed. A file may be
added beside them, for what a closed schema could always say, and is frozen by the next release.
"""

from __future__ import annotations

from hashlib import sha256

from tests.certificates.make_corpus import FOLDER, VERSIONS

RECORD = FOLDER / "frozen.sha256"
CLOSED = ("v1", "v2", "v3", "v4")
"""The versions that a release has closed: 0.2.0 the first three, 0.3.0 the fourth."""


def digests() -> dict[str, str]:
    """Return path below the folder of the corpora -> digest, of every file of the closed schemas."""
    paths = sorted(path for version in CLOSED for path in (FOLDER / version).rglob("*") if path.is_file())
    return {path.relative_to(FOLDER).as_posix(): sha256(path.read_bytes()).hexdigest() for path in paths}


def recorded() -> dict[str, str]:
    """Return what the record says, in the same form."""
    lines = RECORD.read_text(encoding="ascii").splitlines()
    return {name: digest for digest, name in (line.split("  ") for line in lines)}


if __name__ == "__main__":
    assert set(CLOSED) <= set(VERSIONS)
    RECORD.write_text(
        "".join(f"{digest}  {name}\n" for name, digest in digests().items()), encoding="ascii", newline="\n"
    )
