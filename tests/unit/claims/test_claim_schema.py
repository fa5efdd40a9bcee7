"""The JSON Schema of claims and certificates: it accepts what the checker verifies, and says no more than it knows."""

from __future__ import annotations

import json
import random
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

import exactdp as xdp
from exactdp import ShuffleProtocol
from exactdp.checker import claims, facts, families, noise_laws, reading, user_pairs
from exactdp.checker.budget import CertificateRejectedError, MalformedCertificateError
from exactdp.checker.documents import verify_text
from exactdp.checker.limits import MAX_FILE_BYTES
from exactdp.randomizers import UnaryEncoding, any_randomizer, laplace
from tests.thinned import thinned

CORPUS = Path(__file__).resolve().parents[2] / "certificates"
SCHEMA = json.loads((files("exactdp.certificates") / "claim-3.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
DEFS = SCHEMA["$defs"]


def listed(folder):
    """The files of a folder of every version that the schema is of, without the few that are long."""
    return sorted(path for path in CORPUS.glob(f"v[1-4]/{folder}/*.json") if path.stat().st_size < 2**16)


def document(path):
    """What a JSON reader makes of a file, or None where it is none."""
    try:
        return json.loads(path.read_bytes()[: MAX_FILE_BYTES + 1].decode("ascii"))
    except ValueError:
        return None


def is_verified(text):
    try:
        verify_text(text)
    except (CertificateRejectedError, MalformedCertificateError):
        return False
    return True


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    text = json.dumps(SCHEMA)
    assert [name for name in DEFS if f'"#/$defs/{name}"' not in text] == []


@pytest.mark.parametrize("third", thinned(range(3), every=3))
@pytest.mark.parametrize("version", ["v1", "v2", "v3", "v4"])
def test_every_verified_certificate_is_valid(version, third):
    paths = sorted(CORPUS.glob(f"{version}/correct/*.json"))
    assert len(paths) >= 50
    for path in paths[third::3]:
        data = json.loads(path.read_text("ascii"))
        assert list(VALIDATOR.iter_errors(data)) == [], path.name


@pytest.mark.slow
def test_what_is_refused_of_form():
    """Of 1027 malformed files of closed schemas 557; the others have the form, and a number, a length or a size that
    the checker refuses.

    Six files are refused that are read and rejected: three have a claim_id that is none, three a coefficient that is
    not positive.
    """
    refused = {
        folder: sum(data is None or not VALIDATOR.is_valid(data) for data in map(document, listed(folder)))
        for folder in ("malformed", "incorrect")
    }
    assert (refused, len(listed("malformed"))) == ({"malformed": 557, "incorrect": 6}, 1027)


def test_the_closed_lists_are_those_of_the_checker():
    def consts(name, key):
        return [entry["properties"][key]["const"] for entry in DEFS[name]["oneOf"]]

    assert DEFS["claim"]["properties"]["kind"]["enum"] == list(claims.KINDS)
    assert [rule["if"]["properties"]["kind"]["const"] for rule in DEFS["claim"]["allOf"]] == list(claims.KINDS)
    assert consts("law", "family") == list(noise_laws.FAMILIES)
    assert consts("family", "family") == [*families.SUPPORTS, families.LAPLACE, *user_pairs.COMPOSITES, "laplace"]
    assert DEFS["conjunction"]["properties"]["assuming"]["items"]["enum"] == list(facts.ASSUMED)
    reals = [next(iter(entry["properties"])) for entry in DEFS["real"]["anyOf"][1:]]
    assert sorted(reals) == sorted(reading.REALS)
    assert DEFS["certificate"]["properties"]["schema"]["enum"] == reading.SCHEMAS


def test_an_older_schema_has_what_the_checker_says_it_has():
    first, second, third = (DEFS[f"of_schema_{version}"] for version in (1, 2, 3))
    from_third = reading.THIRD_KEYS | reading.FOURTH_KEYS
    assert set(first["propertyNames"]["not"]["enum"]) == reading.SECOND_KEYS | from_third
    assert first["properties"] == {
        "kind": {"enum": reading.FIRST_KINDS},
        "family": {"enum": reading.FIRST_FAMILIES},
    }
    assert set(second["propertyNames"]["not"]["enum"]) == from_third
    assert second["properties"] == {
        "kind": {"not": {"enum": reading.THIRD_KINDS}},
        "family": {"not": {"enum": reading.THIRD_FAMILIES + reading.FOURTH_FAMILIES}},
    }
    assert set(third["propertyNames"]["not"]["enum"]) == reading.FOURTH_KEYS
    assert third["properties"] == {"family": {"not": {"enum": reading.FOURTH_FAMILIES}}}


FOURTH = [
    (ShuffleProtocol(UnaryEncoding(1000, exp_eps0=7), 10**5), {"exp_eps": "51/50", "delta": "2e-6"}),
    (ShuffleProtocol(any_randomizer(exp_eps0=7), 10**4), {"exp_eps": "11/10", "delta": "3e-6"}),
    (ShuffleProtocol(any_randomizer(exp_eps0=7), 10**4), {"exp_eps": "11/10", "delta": "2e-6"}),
    (ShuffleProtocol(laplace(exp_eps0=3), 10**4), {"exp_eps": "33/32", "delta": "5e-6"}),
    (
        ShuffleProtocol(UnaryEncoding(1000, exp_eps0=7), 10**5, participation="1/2", absence="listed"),
        {"eps": "1/50", "delta": "1e-4"},
    ),
    (ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 2000), {"exp_eps": "11/10", "delta": "1195e-9"}),
    (ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 2000), {"exp_eps": "11/10", "delta": "1194e-9"}),
    (
        ShuffleProtocol([(xdp.randomized_response(3, exp_eps0=e), 5000) for e in (2, 6)]),
        {"exp_eps": "11/10", "delta": "1e-2"},
    ),
]


@pytest.mark.parametrize(("protocol", "level"), FOURTH, ids=range(len(FOURTH)))
def test_what_the_fourth_schema_adds_is_valid_there_alone(protocol, level):
    data = json.loads(xdp.certify(xdp.Claim.shuffle_dp(protocol, **level)).to_json())
    assert data["schema"] == reading.SCHEMAS[3]
    assert list(VALIDATOR.iter_errors(data)) == []
    assert VALIDATOR.is_valid(data["claim"])
    for older in reading.SCHEMAS[:3]:
        assert not VALIDATOR.is_valid(data | {"schema": older})
    (name,) = data["witness"].keys() - {"terms"}
    witness = data["witness"][name]
    one_less = [{k: v for k, v in witness.items() if k != key} for key in witness.keys() - {"used"}]
    for changed in (witness | {"more": "1"}, *one_less):
        assert not VALIDATOR.is_valid(data | {"witness": data["witness"] | {name: changed}}), changed


def test_a_claim_that_python_writes_is_valid():
    noise = xdp.Claim.shift_dp(xdp.DiscreteLaplace(2), shift=1, exp_eps=2, delta=0)
    assert VALIDATOR.is_valid(json.loads(noise.to_json()))
    assert VALIDATOR.is_valid(json.loads(xdp.certify(noise).to_json()))
    for key, wrong in (
        ("shift", 1),
        ("shift", "01"),
        ("shift", "0"),
        ("delta", "1/1"),
        ("kind", "other"),
        ("more", ""),
    ):
        assert not VALIDATOR.is_valid(json.loads(noise.to_json()) | {key: wrong}), (key, wrong)


WRONG = ["", "1", "0", "-1", "2/1", "one", "none", [], ["1"], {}, {"exp": "1"}, {"more": "1"}, 1, True, None]


def places(data):
    """Every container of the data, with each of its keys."""
    if isinstance(data, dict | list):
        for key in list(data) if isinstance(data, dict) else range(len(data)):
            yield data, key
            yield from places(data[key])


def changed(text, rng):
    """A document with a value replaced, left out or added, and the id of the claim that it then has."""
    data = json.loads(text)
    holder, key = rng.choice(list(places(data)))
    wrong = rng.choice([*WRONG, "leave out", "one more"])
    if wrong == "leave out":
        del holder[key]
    elif wrong == "one more" and isinstance(holder, dict):
        holder[rng.choice(["terms", "bits", "shift", "more"])] = "1"
    else:
        holder[key] = wrong
    if "claim" in data and "claim_id" in data:
        data["claim_id"] = reading.sha256(data["claim"])
    return data


def test_what_the_schema_refuses_is_never_verified():
    """A value of a verified file is replaced, left out or added; some are valid still."""
    rng = random.Random(20)
    texts = [path.read_text("ascii") for path in listed("correct") if path.stat().st_size < 900]
    counted = {True: 0, False: 0}
    for text in rng.choices(texts, k=200):
        data = changed(text, rng)
        is_valid = VALIDATOR.is_valid(data)
        counted[is_valid] += 1
        assert is_valid or not is_verified(json.dumps(data)), data
    assert min(counted.values()) > 15
