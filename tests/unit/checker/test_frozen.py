"""Releases closed the schemas, 0.3.0 the fourth: what each says is a closed list, and no file of a corpus changes."""

import json
from pathlib import Path

from exactdp.checker import reading
from exactdp.checker.claims import KINDS
from tests.certificates import freeze, make_corpus

ROOT = Path(__file__).resolve().parents[3]
THIRD = {
    "kinds": ["two_message_dp", "counting_dp", "sample_threshold_dp", "split_and_mix", "for_all", "monotone"],
    "families": [
        "discrete-uniform",
        "k-ary",
        "unary-encoding",
        "subset-selection",
        "hadamard",
        "local-hashing",
        "clipped-discrete-laplace",
    ],
    "keys": ["blanket", "event", "levels", "likelihood"],
}
FOURTH = {
    "families": ["any", "product", "participation", "laplace"],
    "keys": ["classes", "closed_bracket", "swap", "two_messages"],
}
OLDER = [
    "accuracy",
    "additive_view",
    "box_inequality",
    "composed",
    "conjunction",
    "equal_laws",
    "inequality",
    "never_dp",
    "not",
    "shift_dp",
    "shuffle_dp",
    "smooth",
    "tail",
    "zero_estimate",
]


def changed(recorded: dict[str, str], found: dict[str, str]) -> list[str]:
    """The frozen files that are other than they were, or gone."""
    return [name for name, digest in recorded.items() if found.get(name) != digest]


def test_no_file_of_a_closed_schema_has_changed() -> None:
    """Every file that the release had is there, byte for byte; where this fails, the change belongs to a new schema."""
    recorded = freeze.recorded()
    assert changed(recorded, freeze.digests()) == []
    for version, files in {"v1": 219, "v2": 644, "v3": 1006, "v4": 531}.items():
        assert sum(name.startswith(f"{version}/") for name in recorded) >= files


def test_a_change_and_a_loss_are_found_and_an_addition_is_none() -> None:
    record = {"v1/a.json": "1", "v2/b.json": "2"}
    assert changed(record, {**record, "v3/c.json": "3"}) == []
    assert changed(record, {"v1/a.json": "0", "v2/b.json": "2"}) == ["v1/a.json"]
    assert changed(record, {"v1/a.json": "1"}) == ["v2/b.json"]


def test_the_lists_of_the_closed_schemas_are_those_of_the_release() -> None:
    closed = reading.SCHEMAS[:4]
    assert closed == [f"exactdp-certificate-{number}" for number in (1, 2, 3, 4)]
    assert THIRD["kinds"] == reading.THIRD_KINDS
    assert THIRD["families"] == reading.THIRD_FAMILIES
    assert sorted(reading.THIRD_KEYS) == THIRD["keys"]
    assert FOURTH["families"] == reading.FOURTH_FAMILIES
    assert sorted(reading.FOURTH_KEYS) == FOURTH["keys"]
    if len(reading.SCHEMAS) == 4:  # a fifth brings kinds of its own
        assert sorted(KINDS) == sorted([*OLDER, *THIRD["kinds"]])


def test_each_closed_schema_has_its_corpus_and_says_its_name() -> None:
    for number, version in enumerate(freeze.CLOSED, start=1):
        assert version in make_corpus.VERSIONS
        said = {
            json.loads(path.read_text(encoding="ascii"))["schema"]
            for path in (freeze.FOLDER / version / "correct").glob("*.json")
        }
        assert said == {f"exactdp-certificate-{number}"}


def test_the_page_says_that_the_release_closed_them() -> None:
    page = " ".join((ROOT / "docs" / "certificates.md").read_text(encoding="utf-8").split())
    assert "Release 0.2.0 closed the third" in page
    assert all(f"`{word}`" in page for word in (*THIRD["kinds"], "discrete-uniform", *THIRD["keys"]))
