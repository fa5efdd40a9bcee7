"""A certificate as a document and as a file: its schema, its id, its verdict, and the line that answers it.

Trusted for: the id is that of the claim which was checked, and the verdict is the one that was checked.
"""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from .budget import CertificateRejectedError, MalformedCertificateError, Work, malformed, rejected
from .claims import Statement, read_claim
from .limits import MAX_FILE_BYTES
from .reading import (
    FOURTH_SCHEMA,
    SCHEMAS,
    Object,
    any_object,
    first_schema,
    read_choice,
    read_document,
    read_text,
    refuse_constants,
    sha256,
)


class Result(NamedTuple):
    """What a verified certificate says, and the lemmas that this rests on."""

    verdict: str
    claim_id: str
    words: str
    facts: tuple[str, ...]


class Document(NamedTuple):
    """A certificate that has been read: what is left is to check its witness."""

    verdict: str
    claim: Object
    claim_id: str
    statement: Statement
    witness: Object
    work: Work

    def result(self) -> Result:
        check = self.statement.prove if self.verdict == "PROVED" else self.statement.refute
        facts = check(self.witness, self.work)
        return Result(self.verdict, self.claim_id, self.statement.words, tuple(dict.fromkeys(facts)))


def verify_text(text: str) -> Result:
    """Check one certificate, or raise CertificateRejectedError or MalformedCertificateError."""
    return opened(text).result()


def opened(text: str) -> Document:
    document = read_document(text)
    schema, first = read_choice(document["schema"], "schema", SCHEMAS), first_schema(document)
    if SCHEMAS.index(schema) < first:
        malformed(f"a document of the schema {schema} says what only {SCHEMAS[first]} can say")
    if SCHEMAS.index(schema) == FOURTH_SCHEMA > first:
        malformed(f"a document of the schema {schema} says nothing that needs it")
    verdict = read_choice(document["verdict"], "verdict", ["PROVED", "REFUTED"])
    work = Work()
    claim = any_object(document["claim"], "the claim")
    statement = read_claim(claim, work)
    witness = any_object(document["witness"], "the witness")
    claim_id = sha256(claim)
    if read_text(document["claim_id"], "claim_id") != claim_id:
        rejected("claim_id is not the sha256 of the claim")
    refuse_constants(text)
    return Document(verdict, claim, claim_id, statement, witness, work)


def read_file(path: str) -> str:
    """The text of a file, if it is one that ends, of which no more than the limit is read."""
    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            malformed("not a regular file")
        with open(path, "rb") as file:
            return file.read(MAX_FILE_BYTES + 1).decode("ascii")
    except OSError as error:
        malformed(f"cannot be read: {error.strerror}")
    except ValueError:  # not ASCII, or a path with a null character
        malformed("a certificate is ASCII without backslashes")


def verify_file(path: str) -> Result:
    """Check the certificate in a file."""
    return verify_text(read_file(path))


def report(path: str) -> tuple[int, str]:
    """The exit status and the line for one file."""
    try:
        result = verify_file(path)
    except CertificateRejectedError as error:
        return 1, f"REJECTED {path!a}: {error}"
    except MalformedCertificateError as error:
        return 2, f"MALFORMED {path!a}: {error}"
    except MemoryError:
        return 2, f"MALFORMED {path!a}: the check is too large: beyond the memory there is"
    facts = "; ".join(result.facts) or "arithmetic alone"
    return 0, f"{result.verdict} {result.claim_id[:12]} {result.words} [rests on: {facts}]"
