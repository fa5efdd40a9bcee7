"""The stored certificates, proofs/certificates.json.gz: one of each row that has a claim, to be checked anew each time.

A line of the file is one row in the canonical spelling of JSON: id, claim, verdict, witness and the reason in words.
The lines are sorted by id, and the gzip stream holds no time, so equal certificates make equal bytes. ``exactdp prove
--update-ledger`` writes the file, and with it the id of each claim into the row's file (``with_claim_ids``).

Nothing in the file is believed. A row is decided by what the checker says of the certificate, whose claim must be the
row's: it has the id that stands in the row's file, and ``check`` states the claim and compares it too.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from exactdp import Certificate, Claim, Verdict
from exactdp.checker.reading import canonical
from exactdp.claims.checks import document
from exactdp.errors import InvalidFileError

if TYPE_CHECKING:
    from exactdp.proofs.ledger import ProofRow

FILE: Final = Path(__file__).resolve().parent / "certificates.json.gz"
"""In a checkout as in an installation."""
_REPAIR: Final = (
    "In a checkout `exactdp prove --update-ledger` states and certifies all rows anew, and writes the file."
)
_ROW: Final = re.compile(r"^\[\[row\]\]\nid = \"(?P<id>[^\"]+)\"\n(?:claim_id = \"[^\"]*\"\n)?", re.MULTILINE)
"""How a row begins in its file."""


@cache
def certificates() -> Mapping[str, Certificate]:
    """Return the stored certificates by the ids of their rows.

    >>> certificates()["complement-view"].verdict
    <Verdict.PROVED: 'PROVED'>
    """
    try:
        return read(FILE.read_bytes())
    except OSError as error:
        raise InvalidFileError(f"{FILE.name} of the proofs cannot be read: {error.strerror}. {_REPAIR}") from None


def read(data: bytes) -> dict[str, Certificate]:
    """Return the certificates of the bytes of such a file."""
    stored: dict[str, Certificate] = {}
    try:
        for line in gzip.decompress(data).decode("ascii").splitlines():
            entry = json.loads(line)
            claim, witness = Claim.from_data(entry["claim"]), canonical(entry["witness"])
            stored[entry["id"]] = Certificate(claim, Verdict(entry["verdict"]), "certificate", entry["reason"], witness)
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        reason = f"line {len(stored) + 1} or the file as a whole: {type(error).__name__}: {error}"
        raise InvalidFileError(f"{FILE.name} of the proofs is not as it was written, in {reason}. {_REPAIR}") from None
    return stored


def written(stored: Mapping[str, Certificate]) -> bytes:
    """Return the bytes of the file of these certificates."""
    lines = [
        canonical(
            {
                "id": name,
                "claim": certificate.claim.data,
                "verdict": certificate.verdict.value,
                "witness": json.loads(certificate.witness or "null"),
                "reason": certificate.reason,
            }
        )
        for name, certificate in sorted(stored.items())
    ]
    return gzip.compress("".join(f"{line}\n" for line in lines).encode("ascii"), mtime=0)


def certificate_of(row: ProofRow) -> Certificate:
    """Return the stored certificate of a row that has a claim, whose id is that of the row's file."""
    certificate = certificates().get(row.id)
    if certificate is None:
        raise InvalidFileError(f"row {row.id}: {FILE.name} holds no certificate of it. {_REPAIR}")
    if (digest := certificate.claim.digest()) != row.claim_id:
        raise InvalidFileError(
            f"row {row.id}: {FILE.name} holds a certificate of another claim, {digest}, than the row's file names, "
            f"claim_id={row.claim_id!r}. {_REPAIR}"
        )
    return certificate


def as_text(certificate: Certificate) -> str:
    """Return a certificate as the checker reads it, in the canonical spelling."""
    witness = json.loads(certificate.witness or "null")
    return canonical(document(certificate.claim.data, certificate.verdict.value, witness))


def difference(row: ProofRow, certificate: Certificate | None) -> str:
    """Say in what the certificate that was made anew of a row's claim is not the stored one; "" where it is."""
    if certificate is None or row.claim is None:
        return ""
    stored = certificates().get(row.id)
    if certificate.claim.digest() != row.claim_id or stored is None:
        return f"it states the claim {certificate.claim.digest()}, and its file names claim_id={row.claim_id!r}"
    return "" if stored == certificate else "its certificate, made anew, is not the stored one"


def compare_ids(rows: Iterable[ProofRow]) -> None:
    """Refuse a file that does not hold a certificate of each of all rows that have a claim, and no other."""
    claimed = {row.id: row for row in rows if row.claim is not None}
    for name in claimed.keys() | certificates().keys():
        if name not in claimed:
            raise InvalidFileError(
                f"{FILE.name} holds a certificate of {name!r}, which is no row with a claim. {_REPAIR}"
            )
        certificate_of(claimed[name])


def with_claim_ids(text: str, ids: Mapping[str, str]) -> str:
    """Return the text of a file of rows with the ids of the claims in their rows.

    >>> print(with_claim_ids('[[row]]\\nid = "a"\\nstatement = "It is."\\n', {"a": "d3"}), end="")
    [[row]]
    id = "a"
    claim_id = "d3"
    statement = "It is."
    """

    def beginning(match: re.Match[str]) -> str:
        name = match["id"]
        stated = f'claim_id = "{ids[name]}"\n' if name in ids else ""
        return f'[[row]]\nid = "{name}"\n{stated}'

    return _ROW.sub(beginning, text)
