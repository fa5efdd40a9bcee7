"""Certificates that are checked part by part: the answer is that of the checker, asked at once."""

import json
from pathlib import Path
from typing import Any

import pytest

from exactdp.checker import documents, limits
from exactdp.checker.budget import CertificateRejectedError, MalformedCertificateError
from exactdp.checker.documents import opened, verify_text
from exactdp.checker.reading import canonical, read_document
from exactdp.claims import checks
from exactdp.claims.checks import checked, document, joined, parts

CORPUS = Path(__file__).parents[2] / "certificates"
MADE_OF_CLAIMS = [
    path
    for path in sorted(CORPUS.glob("v?/*/*.json"))
    if b'"conjunction"' in (read := path.read_bytes()) or b'"not"' in read
]


def _answer(check: Any, text: str) -> object:
    try:
        return check(text)
    except (CertificateRejectedError, MalformedCertificateError) as error:
        return type(error), str(error)


def test_every_file_of_the_corpus_is_answered_as_by_the_checker() -> None:
    assert len(MADE_OF_CLAIMS) > 60
    decided = 0
    for path in MADE_OF_CLAIMS:
        text = path.read_text("latin-1")
        said = _answer(verify_text, text)
        assert _answer(checks.check_text, text) == said, path.name
        decided += isinstance(said, documents.Result)
    assert decided > 20


CONJUNCTION = next(
    text
    for path in MADE_OF_CLAIMS
    if path.parent.name == "correct"
    and len(parts(opened(text := path.read_text("ascii")))) > 1
    and len(set(parts(opened(text)))) > 1
)


def test_parts_are_certificates_of_their_own() -> None:
    whole = read_document(CONJUNCTION)
    pieces = parts(opened(CONJUNCTION))
    assert [json.loads(piece)["claim"] for piece in pieces] == whole["claim"]["claims"]  # type: ignore[index,call-overload]
    assert {verify_text(piece).verdict for piece in pieces} == {"PROVED"}


def test_what_is_known_of_another_claim_proves_nothing() -> None:
    known = [checked(piece) for piece in parts(opened(CONJUNCTION))]
    assert joined(opened(CONJUNCTION), known, 1).result == verify_text(CONJUNCTION)
    other = next(said for said in known if said.result.claim_id != known[0].result.claim_id)
    refuted = known[0]._replace(result=known[0].result._replace(verdict="REFUTED"))
    for wrong in (other, refuted):
        with pytest.raises(CertificateRejectedError, match="another claim"):
            joined(opened(CONJUNCTION), [wrong, *known[1:]], 1)


def test_the_whole_costs_what_its_parts_cost() -> None:
    """So what is beyond the limit of the checker is beyond it part by part as well."""
    spent = joined(opened(CONJUNCTION), [checked(piece) for piece in parts(opened(CONJUNCTION))], 1).work
    at_once = opened(CONJUNCTION)
    before = at_once.work.left
    at_once.result()
    assert before - at_once.work.left == spent > 0
    known = [said._replace(work=limits.MAX_WORK // 2 + 1) for said in map(checked, parts(opened(CONJUNCTION)))]
    with pytest.raises(MalformedCertificateError, match="beyond MAX_WORK"):
        joined(opened(CONJUNCTION), known, 1)


def test_a_part_is_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    checked.cache_clear()
    for piece in parts(opened(CONJUNCTION)):
        checked(piece)

    def asked(self: documents.Document) -> Any:
        asked_of.append(type(self.statement).__name__)
        return result(self)

    result, asked_of = documents.Document.result, list[str]()
    monkeypatch.setattr(documents.Document, "result", asked)
    assert checked(canonical(read_document(CONJUNCTION))).result.verdict == "PROVED"
    assert asked_of == ["Conjunction"]


@pytest.mark.parametrize("verdict", ["PROVED", "REFUTED"])
def test_not_exchanges_the_verdicts(verdict: str) -> None:
    piece = read_document(parts(opened(CONJUNCTION))[0])
    text = canonical(document({"kind": "not", "claim": piece["claim"]}, verdict, piece["witness"]))  # type: ignore[arg-type]
    assert _answer(checks.check_text, text) == _answer(verify_text, text)
    assert isinstance(_answer(checks.check_text, text), documents.Result) is (verdict == "REFUTED")
