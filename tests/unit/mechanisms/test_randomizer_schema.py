"""The JSON Schema of randomizer files: it accepts what the reader accepts, and what it refuses the reader refuses."""

import copy
import json
import tomllib
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings

from exactdp import errors
from exactdp.protocols.naming.targets import read_classes, read_target
from exactdp.testing import randomizers

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = json.loads(files("exactdp.mechanisms").joinpath("randomizer-1.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
EXAMPLES = sorted(path for path in (ROOT / "examples").iterdir() if path.suffix in (".toml", ".json"))
EXAMPLES += sorted((ROOT / "examples" / "classes").iterdir())
PRODUCT = {"name": "two", "product": [{"of": ["krr:inputs=3,eps0=1", "krr:inputs=2,eps0=1"]}]}
CLASSES = {"class": [{"of": "krr:inputs=2,eps0=1", "users": 3, "participation": "1/2"}]}
PLAIN = {"row": [{"input": "a", "messages": [{"send": ["x"], "prob": "1/2"}, {"send": [], "prob": "0.5"}]}]}


def is_read(data, folder):
    path = folder / "randomizer.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    try:
        _ = read_classes(str(path)) or read_target(str(path))
    except errors.ExactDPError:
        return False
    return True


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_every_example_is_valid(path):
    text = path.read_text(encoding="utf-8")
    VALIDATOR.validate(json.loads(text) if path.suffix == ".json" else tomllib.loads(text))


@given(randomizers())
@settings(max_examples=20)
def test_every_table_is_valid(randomizer):
    rows = [
        {"input": str(x), "messages": [{"send": [str(m) for m in sent], "prob": str(p)} for sent, p in law.items()]}
        for x, law in randomizer.table().items()
    ]
    VALIDATOR.validate({"row": rows})


@pytest.mark.parametrize("number", ["1/4", "0.25", "25e-2", ".5", "1.", "+1/2", "01/02", 0, 1])
def test_numbers_that_are_read_are_valid(number, tmp_path):
    data = copy.deepcopy(PLAIN)
    rest = {"1/4": "3/4", "0.25": "3/4", "25e-2": "3/4", "1.": "0", 0: "1", 1: "0"}.get(number, "1/2")
    for entry, prob in zip(data["row"][0]["messages"], (number, rest), strict=True):
        entry["prob"] = prob
    assert is_read(data, tmp_path)
    VALIDATOR.validate(data)


def places(data):
    """Every container of the data, with each of its keys."""
    if isinstance(data, dict | list):
        for key in list(data) if isinstance(data, dict) else range(len(data)):
            yield data, key
            yield from places(data[key])


WRONG = [None, True, 3, 0.5, "", "1_0", "1/0", "nan", "½", "1/2\n", [], {}, ["x", 1], {"more": 1}]


def test_a_product_is_valid(tmp_path):
    VALIDATOR.validate(PRODUCT)
    assert is_read(PRODUCT, tmp_path)
    assert not VALIDATOR.is_valid(PRODUCT | PLAIN)
    assert not is_read(PRODUCT | PLAIN, tmp_path)


def test_classes_are_valid(tmp_path):
    VALIDATOR.validate(CLASSES)
    assert is_read(CLASSES, tmp_path)
    for other in (PLAIN, PRODUCT):
        assert not VALIDATOR.is_valid(CLASSES | other)
        assert not is_read(CLASSES | other, tmp_path)


@pytest.mark.parametrize(
    ("valid", "least"), [(PLAIN, 100), (PRODUCT, 50), (CLASSES, 60)], ids=["rows", "product", "classes"]
)
def test_what_the_schema_refuses_the_reader_refuses(valid, least, tmp_path):
    """Every value replaced by a wrong one, every key left out, a key too many: some are still valid, and then read."""
    refused = 0
    for k in range(sum(1 for _ in places(valid))):
        for wrong in [*WRONG, "leave out", "one more"]:
            data = copy.deepcopy(valid)
            holder, key = list(places(data))[k]
            if wrong == "leave out":
                del holder[key]
            elif wrong == "one more" and isinstance(holder, dict):
                holder["more"] = "x"
            else:
                holder[key] = wrong
            if not VALIDATOR.is_valid(data):
                refused += 1
                assert not is_read(data, tmp_path), data
    assert refused > least
