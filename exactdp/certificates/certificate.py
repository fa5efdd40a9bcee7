"""A certificate as a value: a claim, a verdict on it, and the witness that lets the checker see it.

The file format is described in docs/certificates.md. A certificate says nothing that the checker believes: it is
``verify`` that re-checks it, and the checker alone that reads a file critically.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from exactdp.certificates import verify as checker
from exactdp.certificates.claim import Claim
from exactdp.errors import InvalidValueError, MalformedCertificateError, NotCheckableError
from exactdp.whole_file import write_whole

__all__ = ["Certificate", "Verdict", "canonical"]


class Verdict(Enum):
    """What is known of a claim. Not a truth value: compare with ``is``.

    >>> bool(Verdict.UNDECIDED)
    Traceback (most recent call last):
    exactdp.errors.InvalidValueError: a verdict is not a truth value. Compare it: verdict is Verdict.PROVED.
    """

    PROVED = "PROVED"
    REFUTED = "REFUTED"
    UNDECIDED = "UNDECIDED"

    def __bool__(self) -> bool:
        raise InvalidValueError("a verdict is not a truth value. Compare it: verdict is Verdict.PROVED.")


@dataclass(frozen=True, slots=True)
class Certificate:
    """A verdict on a claim, as ``certify`` makes it or ``load`` reads it.

    ``level`` says what stands behind the verdict: "certificate" where the standard-library checker can re-check it,
    "enclosure" where the engine decided at a size beyond the checker's limits, "none" where it is UNDECIDED. ``reason``
    says in words what was found. ``witness`` is canonical JSON, None unless the level is "certificate".
    """

    claim: Claim
    verdict: Verdict
    level: str
    reason: str
    witness: str | None = None

    def to_json(self) -> str:
        """Return the certificate as the checker reads it.

        Raises:
            NotCheckableError: where ``level`` is not "certificate".
        """
        if self.witness is None:
            raise NotCheckableError(
                f"the verdict {self.verdict.value} is at level={self.level!r}, which the checker cannot confirm: "
                f"{self.reason} Certify a smaller claim."
            )
        document = {
            "schema": checker.SCHEMA,
            "claim": self.claim.data,
            "claim_id": self.claim.digest(),
            "verdict": self.verdict.value,
            "witness": json.loads(self.witness),
        }
        fields = ",\n ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in document.items())
        return f"{{{fields}}}\n"

    def save(self, path: str | Path) -> None:
        """Write the certificate to a file; whatever happens, the file is the old one or the whole new one."""
        write_whole(path, self.to_json())

    @classmethod
    def load(cls, path: str | Path) -> Certificate:
        """Read a certificate from a file without checking it; ``verify`` checks.

        Raises:
            MalformedCertificateError: where the file is no certificate or cannot be read.
        """
        try:
            document = checker.read_document(checker.read_file(str(path)))
        except checker.MalformedCertificateError as error:
            raise MalformedCertificateError(f"{path}: {error}.") from None
        claim, verdict, witness = document["claim"], document["verdict"], document["witness"]
        if (
            not isinstance(claim, dict)
            or verdict not in ("PROVED", "REFUTED")
            or document["schema"] not in checker.SCHEMAS
        ):
            schemas = " or ".join(checker.SCHEMAS)
            raise MalformedCertificateError(f"{path} is no certificate of the schema {schemas}.")
        return cls(Claim.from_data(claim), Verdict(verdict), "certificate", "read from a file", canonical(witness))


def canonical(value: Any) -> str:
    """Return the canonical JSON of a value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
