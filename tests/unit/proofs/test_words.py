"""The glossary of the ledger: its names are the development's, and a Prop that is read uses them."""

import re
from pathlib import Path

from exactdp.proofs.development import files, propositions
from exactdp.proofs.page import Name, names, words
from tests.together import together

COQ = Path(__file__).parents[3] / "proofs" / "coq"


def defined(name: str, file: str) -> bool:
    found = rf"^\s*(?:Definition|Fixpoint|Inductive) {name}\b"
    return re.search(found, (COQ / files()[file]).read_text("utf-8"), re.MULTILINE) is not None


@together("name", names(), ids=lambda name: name.name)
def test_a_name_is_defined_where_it_is_said(name: Name) -> None:
    assert defined(name.name, name.file)
    assert any(re.search(rf"\b{name.name}\b", stated.prop) for stated in propositions().values())
    for relative in re.findall(r"`(\w+)", name.means):
        assert any(defined(relative, path.stem) for path in COQ.glob("*/*.v") if path.parent.name != "rows"), relative


def test_a_name_that_is_nowhere_is_found() -> None:
    assert not defined("smoothed", "smooth")


def test_each_word_and_name_is_explained_once() -> None:
    for listed in ([word.word for word in words()], [name.name for name in names()]):
        assert len(set(listed)) == len(listed)
    assert all(means.endswith(".") for means in [word.means for word in words()] + [name.means for name in names()])
