"""What outside scripts hold on to: names, signatures, and values that they have kept."""

import json
import pickle

import pytest

from tests.contract.values import NAMES, OTHER_NAMES, PICKLES, VALUES, names, public_classes


def test_the_public_names_and_signatures_are_those_on_record() -> None:
    """A new name is added by ``python -m tests.contract.values``; none that is there goes away or changes."""
    assert names() == json.loads(NAMES.read_text("utf-8"))


def test_every_public_class_has_a_kept_value() -> None:
    assert public_classes() == VALUES.keys()
    assert {path.stem for path in PICKLES.glob("*.pickle")} == VALUES.keys()


@pytest.mark.parametrize("name", VALUES)
def test_a_kept_value_is_the_same_value(name: str) -> None:
    kept, made = pickle.loads((PICKLES / f"{name}.pickle").read_bytes()), VALUES[name]()
    assert type(kept) is type(made)
    assert type(kept).__name__ == OTHER_NAMES.get(name, name).rpartition(".")[2]
    assert kept == made or name == "symbolic.SymbolicLaw"  # this one is told apart by identity
    assert repr(kept) == repr(made)
