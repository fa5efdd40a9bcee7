"""What the checker says of certificates, so that nothing is checked twice, and several processes can check one.

A conjunction is proved by all of its parts, and ``not`` exchanges the two verdicts: ``parts`` cuts a certificate there
into certificates of its parts. What the checker has said of a part is kept, or comes from another process, and
``joined`` puts the parts together: the checker reads the whole, and its own class for the conjunction asks each part,
which answers what has been said of it and costs what it has cost. So words, facts, limits and errors are those of the
whole, checked at once.

Only the checker is imported here: a process that checks needs nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from time import perf_counter, perf_counter_ns
from typing import Any, Final, NamedTuple, TypeAlias, cast

from exactdp.caching import bounded_cache
from exactdp.checker.budget import CertificateRejectedError, MalformedCertificateError, Work, rejected
from exactdp.checker.claims import Conjunction, Negation
from exactdp.checker.documents import Document, Result, opened
from exactdp.checker.facts import Facts
from exactdp.checker.reading import SCHEMAS, Object, canonical, first_schema, read_document, sha256

_ENTRIES: Final = 4096
_BYTES: Final = 2**26
"""Checks that are kept, and the bytes of their certificates: those of the whole ledger."""
_ALONE: Final = 500_000_000
"""Nanoseconds that this process checks by itself: new ones are ready after about as many."""
_ERRORS: Final = (CertificateRejectedError, MalformedCertificateError)
_OTHER: Final = {"PROVED": "REFUTED", "REFUTED": "PROVED"}
"""What ``not`` makes of a verdict."""


class Checked(NamedTuple):
    """What the checker says of a certificate that it verifies, and the units of work that its witness has cost."""

    result: Result
    work: int
    size: int


def document(claim: Mapping[str, Any], verdict: str, witness: Mapping[str, Any]) -> dict[str, Any]:
    """Return a certificate as JSON data, of the first schema from the second on that can say it."""
    schema = SCHEMAS[max(1, first_schema({"claim": claim, "witness": witness}))]
    return {"schema": schema, "claim": claim, "claim_id": sha256(claim), "verdict": verdict, "witness": witness}


def _size(said: Checked) -> int:
    return said.size


def check_text(text: str) -> Result:
    """Return what the checker says of a certificate, or raise as it does."""
    return checked(canonical(read_document(text))).result


@bounded_cache(size=_size, entries=_ENTRIES, limit=_BYTES)
def checked(text: str) -> Checked:
    """Return the same of a certificate in its canonical spelling, with what it has cost; the last answers are kept."""
    whole = opened(text)
    return joined(whole, map(checked, parts(whole)), len(text))


def parts(whole: Document) -> list[str]:
    """Return the certificates of the parts of a claim that is made of claims, in order; none where it is not."""
    claim, verdict, witness = whole.claim, whole.verdict, whole.witness
    pieces: list[tuple[Any, str, Any]] = []
    if isinstance(whole.statement, Negation):
        pieces = [(claim["claim"], _OTHER[verdict], witness)]
    elif isinstance(whole.statement, Conjunction) and verdict == "PROVED":
        claims, witnesses = cast("list[Object]", claim["claims"]), witness.get("parts")
        if witness.keys() == {"parts"} and isinstance(witnesses, list) and len(witnesses) == len(claims):
            pieces = [(part, verdict, own) for part, own in zip(claims, witnesses, strict=True)]
    if not all(isinstance(own, dict) for _, _, own in pieces):
        return []  # then the whole is checked at once, and the checker says what is wrong
    return [canonical(document(*piece)) for piece in pieces]


def joined(whole: Document, said: Iterable[Checked], size: int) -> Checked:
    """Return what the checker says of a certificate of so many characters, of whose parts it has said this."""
    known, statement = list(said), whole.statement
    if known and isinstance(statement, Conjunction):
        claims = cast("list[Object]", whole.claim["claims"])
        statement = Conjunction(list(map(_Known, known, map(sha256, claims))), statement.assumed)
    elif known and isinstance(statement, Negation):
        statement = Negation(_Known(known[0], sha256(whole.claim["claim"])))
    before = whole.work.left
    result = whole._replace(statement=statement).result()
    return Checked(result, before - whole.work.left, size)


Attempt: TypeAlias = tuple["Checked | str", float]
"""What ``checked`` returns or why it raises, and the seconds that it takes."""


def answers(certificates: Sequence[str], others: Callable[[Sequence[str]], Iterator[Attempt]]) -> Iterator[Attempt]:
    """Yield an attempt for each certificate, in order.

    After half a second ``others`` check what is left, part by part: they yield in order what ``attempt`` returns.
    """
    cut = [_cut(text) for text in certificates]
    pieces = [piece for text, (_, own) in zip(certificates, cut, strict=True) for piece in own or [text]]
    attempts = _attempts(pieces, others)
    for text, (whole, own) in zip(certificates, cut, strict=True):
        said, seconds = zip(*islice(attempts, len(own) or 1), strict=True)
        yield said[0] if whole is None else _together(whole, said, len(text)), sum(seconds)


def _cut(text: str) -> tuple[Document | None, list[str]]:
    """Return a certificate that has parts, and these; nothing of one that is checked as it is."""
    try:
        whole = opened(text)
    except _ERRORS:
        return None, []  # whoever checks it says what is wrong
    own = parts(whole)
    return (whole, own) if own else (None, [])


def _attempts(texts: Sequence[str], others: Callable[[Sequence[str]], Iterator[Attempt]]) -> Iterator[Attempt]:
    began = perf_counter_ns()
    for place, text in enumerate(texts):
        if perf_counter_ns() - began > _ALONE:
            yield from others(texts[place:])
            return
        yield attempt(text)


def attempt(text: str) -> Attempt:
    """Check a certificate."""
    began = perf_counter()
    try:
        said: Checked | str = checked(text)
    except _ERRORS as error:
        said = str(error)
    return said, perf_counter() - began


def _together(whole: Document, said: Iterable[Checked | str], size: int) -> Checked | str:
    known: list[Checked] = []
    for one in said:
        if isinstance(one, str):
            return one
        known.append(one)
    try:
        return joined(whole, known, size)
    except _ERRORS as error:
        return str(error)


class _Known(NamedTuple):
    """A part of a claim, with this id, that answers what the checker has said of it."""

    said: Checked
    claim_id: str

    @property
    def words(self) -> str:
        return self.said.result.words

    def prove(self, witness: Object, work: Work) -> Facts:
        return self._answer("PROVED", work)

    def refute(self, witness: Object, work: Work) -> Facts:
        return self._answer("REFUTED", work)

    def _answer(self, verdict: str, work: Work) -> Facts:
        if (self.said.result.verdict, self.said.result.claim_id) != (verdict, self.claim_id):
            rejected("what is known of a part is about another claim")
        work.left -= self.said.work
        work.spend(0, 0)  # refuses where nothing is left
        return list(self.said.result.facts)
