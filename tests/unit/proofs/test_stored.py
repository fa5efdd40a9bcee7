"""The file of stored certificates: what is in it, its bytes, and what is refused."""

import dataclasses
import gzip
import json
import re

import pytest

from exactdp.checker.limits import MAX_FILE_BYTES
from exactdp.errors import InvalidFileError
from exactdp.proofs import ledger, row, rows, stored


def test_every_row_with_a_claim_has_its_certificate() -> None:
    """That they state their claims is seen where they are decided, of the longest here."""
    stored.compare_ids(rows())
    ledger.compare_claim(row("variation-ratio-real-sizes"))


def test_the_bytes_are_those_of_the_certificates() -> None:
    data = stored.FILE.read_bytes()
    anew = stored.written(dict(reversed(stored.certificates().items())))
    assert data[4:8] == anew[4:8] == bytes(4)  # no time
    assert gzip.decompress(data) == gzip.decompress(anew)  # how they are packed is zlib's affair
    lines = gzip.decompress(data).decode("ascii").splitlines()
    entries = [json.loads(line) for line in lines]
    assert [json.dumps(entry, sort_keys=True, separators=(",", ":")) for entry in entries] == lines
    assert [entry["id"] for entry in entries] == sorted(each.id for each in rows() if each.claim is not None)
    assert max(len(one.to_json()) for one in stored.certificates().values()) < MAX_FILE_BYTES


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"no gzip", "BadGzipFile"),
        (stored.FILE.read_bytes()[:-10], "EOFError"),
        (gzip.compress(b"{}\n"), "line 1 or the file as a whole: KeyError"),
        (gzip.compress(b"[]\n"), "TypeError"),
        (gzip.compress(b"{\n"), "JSONDecodeError"),
        (gzip.compress("\u00e9".encode()), "UnicodeDecodeError"),
    ],
    ids=["no gzip", "its end is missing", "no keys", "a list", "no JSON", "no ASCII"],
)
def test_a_file_that_is_not_as_written_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(InvalidFileError, match=f"is not as it was written, in .*{re.escape(said)}.*--update-ledger"):
        stored.read(data)


def test_a_file_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "FILE", stored.FILE.with_name("nowhere.gz"))
    with pytest.raises(InvalidFileError, match=r"nowhere\.gz of the proofs cannot be read: No such file"):
        stored.certificates.__wrapped__()


def test_a_row_of_another_claim_has_no_certificate() -> None:
    mine = row("complement-view")
    with pytest.raises(InvalidFileError, match=r"of another claim, [0-9a-f]{64}, than .* claim_id='0'"):
        ledger.check(dataclasses.replace(mine, claim_id="0"))
    with pytest.raises(InvalidFileError, match="row complement-view: it states the claim "):
        ledger.check(dataclasses.replace(mine, claim=row("complement-local").claim))
    with pytest.raises(InvalidFileError, match=r"row no-such-row: certificates\.json\.gz holds no certificate of it"):
        ledger.check(dataclasses.replace(mine, id="no-such-row"))
