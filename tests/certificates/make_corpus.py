"""Write the corpora of certificates: ``python -m tests.certificates.make_corpus [FOLDER]``.

One folder for each version of the schema, each from its own modules; a folder stays as it is when a newer schema
comes. Every checker of a schema must verify ``correct/`` (exit status 0), reject ``incorrect/`` (1: well-formed
certificates whose check fails) and refuse ``malformed/`` (2: not JSON of this format, not a certificate, or beyond a
limit). Each file of the last two is wrong in its own way and named after it. A test compares the folders with what this
script writes. Numbers are stated, not computed, but for privacy curves: tests/unit/checker/ recomputes them by
other means.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.certificates import (
    corpus_v1,
    corpus_v2,
    corpus_v2_composed,
    corpus_v2_edges,
    corpus_v2_incorrect,
    corpus_v2_malformed,
    corpus_v3,
    corpus_v3_blankets,
    corpus_v3_boxes,
    corpus_v3_composed,
    corpus_v3_counts,
    corpus_v3_mixing,
    corpus_v3_tests,
    corpus_v3_two_messages,
    corpus_v4,
    corpus_v4_densities,
)
from tests.certificates.claims import Case, document, write

FOLDER = Path(__file__).resolve().parent
VERSIONS = ("v1", "v2", "v3", "v4")
THIRD = (
    corpus_v3,
    corpus_v3_blankets,
    corpus_v3_tests,
    corpus_v3_composed,
    corpus_v3_counts,
    corpus_v3_mixing,
    corpus_v3_two_messages,
    corpus_v3_boxes,
)
FOURTH = (corpus_v4, corpus_v4_densities)


def sealed(folder: str, cases: dict[str, Case], schema: str) -> dict[str, bytes]:
    return {f"{folder}/{name}": write(document(*case, schema)).encode() for name, case in cases.items()}


def files(version: str) -> dict[str, bytes]:
    """Return one corpus: path below its folder -> content."""
    if version == "v1":
        schema, correct, wrong = corpus_v1.SCHEMA, corpus_v1.CORRECT, corpus_v1.WRONG
        malformed = corpus_v1.NO_CLAIM | corpus_v1.TOO_LARGE
        documents, texts = corpus_v1.broken_documents(), corpus_v1.broken_texts()
    elif version in ("v3", "v4"):
        corpora = THIRD if version == "v3" else FOURTH
        schema, correct, wrong, malformed, documents = corpora[0].SCHEMA, {}, {}, {}, {}
        for corpus in corpora:
            correct |= corpus.CORRECT
            wrong |= corpus.WRONG
            malformed |= corpus.NO_CLAIM
            documents |= corpus.broken_documents()
        texts = corpus_v3.broken_texts() if version == "v3" else {}
    else:
        schema, correct, wrong = (
            corpus_v2.SCHEMA,
            corpus_v2.CORRECT | corpus_v2_edges.CORRECT | corpus_v2_composed.CORRECT,
            corpus_v2_incorrect.WRONG | corpus_v2_edges.WRONG | corpus_v2_composed.WRONG,
        )
        malformed = corpus_v2_malformed.NO_CLAIM | corpus_v2_malformed.TOO_LARGE | corpus_v2_edges.NO_CLAIM
        malformed |= corpus_v2_composed.NO_CLAIM | corpus_v2_composed.TOO_LARGE
        documents = corpus_v2_malformed.broken_documents() | corpus_v2_composed.broken_documents()
        texts = corpus_v2_malformed.broken_texts()
    found = {name: write(value).encode() for name, value in documents.items()} | texts
    for folder, cases in (("correct", correct), ("incorrect", wrong), ("malformed", malformed)):
        found |= sealed(folder, cases, schema)
    return {f"{name}.json": content for name, content in sorted(found.items())}


def main(folder: Path) -> None:
    for version in VERSIONS:
        for name, content in files(version).items():
            path = folder / version / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
