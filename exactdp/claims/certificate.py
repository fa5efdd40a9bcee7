"""A certificate as a value: a claim, a verdict on it, and the witness that lets the checker see it.

The file format is described in docs/certificates.md. A certificate says nothing that the checker believes: it is
``verify`` that re-checks it, and the checker alone that reads a file critically.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any, Final

from exactdp.checker import budget
from exactdp.checker.claims import read_claim
from exactdp.checker.documents import read_file
from exactdp.checker.reading import SCHEMAS, canonical, read_document
from exactdp.claims.checks import document
from exactdp.claims.claim import Claim
from exactdp.claims.encoding import Json
from exactdp.claims.kinds import BoxInequality, Inequality
from exactdp.claims.statement import Verdict
from exactdp.errors import CertificateRejectedError, MalformedCertificateError, NotCheckableError
from exactdp.files.atomic_file import write_whole
from exactdp.numbers.formats import short
from exactdp.numbers.notebook import MAX_ROWS, facts_html, text_latex

__all__ = ["Certificate", "Verdict", "document_text", "named"]

_BEHIND: Final = {
    "certificate": "certificate: exactdp.verify re-checks it with the standard library alone",
    "enclosure": "enclosure: decided by the engine, beyond the limits of the checker",
    "none": "none: neither side was proved",
}


@contextmanager
def named(name: object) -> Iterator[None]:
    """Raise what the checker raises inside as errors of this package, which name the file or the claim."""
    try:
        yield
    except budget.MalformedCertificateError as error:
        raise MalformedCertificateError(f"{name}: {error}.") from None
    except budget.CertificateRejectedError as error:
        raise CertificateRejectedError(f"{name}: {error}.") from None


def document_text(claim: Mapping[str, Json], verdict: Verdict, witness: Mapping[str, Json]) -> str:
    """Return a certificate as it is written into a file."""
    fields = document(claim, verdict.value, witness)
    listed = ",\n ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in fields.items())
    return f"{{{listed}}}\n"


@dataclass(frozen=True, slots=True)
class Certificate:
    """A verdict on a claim, as ``certify`` makes it or ``load`` reads it.

    ``level`` says what stands behind the verdict: "certificate" if the standard-library checker can re-check it,
    "enclosure" if the engine decided at a size beyond the checker's limits, "none" if it is UNDECIDED. ``reason``
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
            NotCheckableError: if ``level`` is not "certificate".
        """
        if self.witness is None:
            raise NotCheckableError(
                f"the verdict {self.verdict.value} is at level={self.level!r}, which the checker cannot confirm: "
                f"{self.reason} Certify a smaller claim."
            )
        return document_text(self.claim.data, self.verdict, json.loads(self.witness))

    def save(self, path: str | Path) -> None:
        """Write the certificate to a file; whatever happens, the file is the old one or the whole new one."""
        write_whole(path, self.to_json())

    @classmethod
    def load(cls, path: str | Path) -> Certificate:
        """Read a certificate from a file without checking it; ``verify`` checks.

        Raises:
            MalformedCertificateError: if the file is no certificate or cannot be read.
        """
        with named(path):
            read = read_document(read_file(str(path)))
        claim, verdict, witness = read["claim"], read["verdict"], read["witness"]
        if not isinstance(claim, dict) or verdict not in ("PROVED", "REFUTED") or read["schema"] not in SCHEMAS:
            raise MalformedCertificateError(f"{path} is no certificate of the schemas {SCHEMAS[0]} to {len(SCHEMAS)}.")
        return cls(Claim.from_data(claim), Verdict(verdict), "certificate", "read from a file", canonical(witness))

    def _repr_html_(self) -> str:
        """The certificate as a notebook shows it: the fields of its claim as they stand there, and nothing checked."""
        data = self.claim.data
        fields = {name: _field(value) for name, value in islice(data.items(), MAX_ROWS)}
        if len(data) > MAX_ROWS:
            fields["further fields"] = str(len(data) - MAX_ROWS)
        facts = {
            "verdict": self.verdict.value,
            "rests on": _BEHIND.get(self.level, self.level),
            "found": _printable(self.reason),
            **{f"claim: {_inner(name)}": shown for name, shown in fields.items()},
            "claim id": self.claim.digest(),
        }
        return facts_html("Certificate", {name: escape(fact) for name, fact in facts.items()})

    def _repr_latex_(self) -> str:
        """The verdict, the kind of claim and its privacy level, or its inequality, in LaTeX."""
        data = self.claim.data
        level = [
            f"{name} = {_number_latex(data[key])}" for key, name in _IN_LATEX.items() if isinstance(data.get(key), str)
        ]
        words = f"{self.verdict.value} ({self.level}): {_field(data.get('kind', 'no kind'))}"
        statement = r",\ ".join([text_latex(words), *level, *_inequality_latex(self.claim)])
        return f"${statement}$"


_IN_LATEX: Final = {"n": "n", "exp_eps": r"e^{\varepsilon}", "eps": r"\varepsilon", "delta": r"\delta"}
_MOST_TYPESET: Final = 2000
"""Characters of the claim of an inequality that is shown in LaTeX."""
_SHORT_NUMBER: Final = re.compile("(?P<top>-?[0-9]{1,12})(?:/(?P<bottom>[0-9]{1,12}))?")


def _inequality_latex(claim: Claim) -> list[str]:
    """Return an inequality in LaTeX, if this is a short one that the checker can read."""
    if claim.data.get("kind") not in ("inequality", "box_inequality") or len(claim.text) > _MOST_TYPESET:
        return []
    from exactdp.claims.claims_in_sympy import in_latex

    try:
        read_claim(claim.data, budget.Work())
    except (budget.MalformedCertificateError, budget.CertificateRejectedError):
        return []
    statement = claim.statement
    assert isinstance(statement, Inequality | BoxInequality)
    return [in_latex(statement)]


def _field(value: Any) -> str:
    """Return a field of a claim as text: words and numbers as they stand, of objects and lists what they hold."""
    if isinstance(value, dict):
        return ", ".join(f"{_inner(k)} {_inner(v)}" for k, v in islice(value.items(), MAX_ROWS))
    return _inner(value)


def _inner(value: Any) -> str:
    if isinstance(value, dict | list):
        return f"({len(value)} entries)"
    return _printable(short(str(value)))


def _printable(text: str) -> str:
    return text if text.isprintable() else repr(text)


def _number_latex(text: str) -> str:
    match = _SHORT_NUMBER.fullmatch(text)
    if match is None:
        return text_latex(_inner(text))
    return text if match["bottom"] is None else rf"\frac{{{match['top']}}}{{{match['bottom']}}}"
