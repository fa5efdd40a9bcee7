"""The JSON of every command: as it is recorded, and as the schema that ships with the package says.

A record is written anew by `python tests/unit/cli/test_json.py NAME`; what it then holds is for a reader to judge.
"""

import json
import re
import sys
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from exactdp.cli.main import COMMANDS, cli
from exactdp.cli.options import OneOf
from exactdp.cli.output import SCHEMA, cell, count
from exactdp.evidence.levels import LEVELS
from tests.together import together

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "tests" / "unit" / "cli" / "golden"
CASES = {
    "accuracy": "accuracy zsum -n 20 --gamma 1/4 --beta 1/10",
    "audit": "audit tests/unit/cli/stores/audit.toml --curve 2 --solve n",
    "calibrate": "calibrate randomized-response -n 4 --eps 1 --delta 1/10 --grid 1/16",
    "accuracy-correlated-counting": "accuracy correlated-counting -n 20 --p1 exp(-1/2) --beta 1/10",
    "accuracy-split-and-mix": "accuracy split-and-mix -n 20 --levels 10 --eps 1 --beta 1/10",
    "calibrate-shares": "calibrate correlated-counting -n 20 --eps 1 --delta 1e-2 --grid 1/16 --share best",
    "slack-correlated-counting": "slack correlated-counting --eps 1/10 --delta 1/20 --relative-bits 20",
    "accuracy-family": "accuracy @unary-encoding:inputs=3,exp-eps0=9 --error 1/10 --beta 1/10 --simultaneous",
    "accuracy-file": "accuracy tests/unit/cli/stores/three-answers.toml -n 20 --beta 1/10",
    "accuracy-product": "accuracy @product:of=(krr:inputs=2,eps0=1;krr:inputs=3,exp-eps0=3) -n 20 --beta 1/10",
    "accuracy-number": "accuracy @piecewise:exp-eps0=4 -n 20 --beta 1/10",
    "accuracy-sample-and-threshold": "accuracy sample-and-threshold -n 20 --rate 1/2 --threshold 3 --beta 1/10",
    "calibrate-sample-and-threshold": "calibrate sample-and-threshold -n 20 --eps 1 --delta 1e-3 --threshold 3",
    "calibrate-correlated-counting": "calibrate correlated-counting -n 20 --eps 1 --delta 1e-6 --grid 1/16",
    "calibrate-explain": "calibrate randomized-response -n 4 --eps 1 --delta 1/10 --grid 1/16 --explain",
    "calibrate-flooding": "calibrate flooding --inputs 3 -n 20 --eps 1 --delta 1e-2 --grid 1/16",
    "calibrate-free-number": "calibrate @product:of=(krr:inputs=2,eps0=?;krr:inputs=2,eps0=1) -n 500 --eps 1 "
    "--delta 1e-3 --grid 1/16",
    "calibrate-noise": "calibrate discrete-gaussian --eps 1 --delta 1/10 --grid 1/4",
    "calibrate-randomizer": "calibrate unary-encoding --inputs 1000 -n 100000 --eps 1/2 --delta 1e-8",
    "certify": "certify @gap -n 3 --exp-eps 8/5 --delta 0",
    "certify-box": "certify examples/boxes/response_with_gamma.toml -n 2 --exp-eps 2 --delta 1-gamma/2",
    "certify-inequality": "certify --inequality x*(1-x)<=1/4 --where 0<=x --where x<=1",
    "certify-noise": "certify @binomial:n=2,p=1/2 --exp-eps 2 --delta 1/5 --times 2",
    "certify-uncertified": "certify @poisson:mu=1000 --eps 100 --delta 1e-6",
    "certify-explain": "certify @gap -n 3 --exp-eps 8/5 --delta 0 --explain",
    "check": "check @gap -n 5",
    "check-noise": "check @poisson:mu=10",
    "check-one-sided-counting": "check @one-sided-counting --r 3 --p 1/2 -n 5",
    "check-sample-and-threshold": "check @sample-and-threshold --rate 1/8 --threshold 3 --symbols 2 -n 5",
    "check-correlated-counting": "check @correlated-counting --p1 1/2 --p2 9/10 --r 3 -n 5",
    "check-classes": "check examples/classes/two_versions.toml",
    "epsilon-classes": "epsilon examples/classes/two_versions.toml --delta 1e-6",
    "choose": "choose --inputs 20 -n 100000 --eps 1 --delta 1e-6 --jobs 1 --only k-ary-response --only local-hashing",
    "compose": "compose @discrete-laplace:exp_eps=2 --times 3 --exp-eps 4 --with 2*@geometric:p=1/2",
    "compose-delta": "compose @zsum --gamma 1/2 -n 3 --times 2 --delta 1/2",
    "compose-cross-check": "compose @discrete-laplace:exp_eps=2 --times 2 --exp-eps 3 --cross-check",
    "curve": "curve @gap -n 3 --exp-eps-grid 1,2",
    "renyi": "renyi @discrete-gaussian:sigma_squared=100 --times 100 --order 3/2",
    "renyi-rho": "renyi @randomized-response:gamma=1/2 -n 5",
    "renyi-infinite": "renyi @poisson:mu=10 --order 2",
    "compose-explain": "compose @randomized-response --gamma 1/2 -n 3 --times 2 --exp-eps 2 --explain",
    "curve-explain": "curve @poisson:mu=10 --eps-to 1 --points 2 --explain",
    "curve-noise": "curve @binomial:n=3,p=1/2 --eps-to 1 --points 2",
    "delta": "delta @gap -n 3 --exp-eps 3/2",
    "delta-cross-check": "delta @gap -n 3 --eps 1/4 --cross-check",
    "delta-users": "delta @gap --users @binomial:n=3,p=1/2 --exp-eps 3/2",
    "delta-explain": "delta @gap -n 3 --exp-eps 3/2 --explain",
    "delta-noise": "delta @binomial:n=10,p=1/3 --eps 1 --shift 2",
    "epsilon": "epsilon @gap -n 3 --delta 1/100",
    "epsilon-cross-check": "epsilon @any-randomizer --exp-eps0 3 -n 100 --delta 1e-3 --cross-check",
    "epsilon-explain": "epsilon @any-randomizer --exp-eps0 3 -n 100 --delta 1e-3 --explain",
    "epsilon-never": "epsilon @zsum --gamma 1/2 -n 2 --delta 0",
    "epsilon-noise": "epsilon @poisson:mu=100 --delta 1e-3",
    "experiment": "experiment histogram-error --quick --size 60 --seed 1",
    "experiment-list": "experiment",
    "law": "law @zsum --gamma 1/2 --dataset 0=1,1=1",
    "law-noise": "law @binomial:n=2,p=1/2 --from 0 --to 2 --quantile 1/2",
    "protocols": "protocols",
    "protocols-name": "protocols oue",
    "prove": "prove complement-view gap-curve",
    "prove-list": "prove --list complement-view dp-ratio-printed",
    "refute": "refute eps0*sqrt(ln(1/delta)/n) -n 1..3 --exp-eps0 2,5 --delta 1/10 --no-sizes",
    "refute-sizes": "refute eps0 -n 2 --exp-eps0 2 --delta 1/10",
    "sample": "sample @zsum --gamma 1/4 --dataset 0=3,1=2 --size 2 --seed 1",
    "sample-estimates": "sample @unary-encoding:inputs=2,exp-eps0=9 --dataset 0=3,1=2 --size 2 --seed 1 --estimates",
    "sample-noise": "sample @binomial:n=9,p=1/2 --size 2 --seed 1",
    "search": "search variation-ratio-response",
    "search-compare": "search gaps-interior",
    "search-bounds": "search bounds-in-use --only aidotnet-program",
    "search-list": "search",
    "security": "security split-and-mix -n 1000 --modulus 1000 --messages 5",
    "security-messages": "security split-and-mix -n 10000 --modulus 4294967296 --sigma 40",
    "security-whole": "security split-and-mix -n 1000 --modulus 65536 --messages 9 "
    "--noise @discrete-laplace:exp_eps=2 --delta 1e-6",
    "slack": "slack zsum -n 2000 --eps 1 --delta 1e-3 --relative-bits 20",
    "survey": "survey -n 50,9000 --eps 1/2 --delta 1e-2 --inputs 4 --only zsum --only local",
    "sweep": "sweep tests/unit/cli/stores/sweep.toml -o tests/unit/cli/stores/sweep.sqlite",
    "sweep-show": "sweep show tests/unit/cli/stores/sweep.sqlite",
    "sweep-show-costs": "sweep show tests/unit/cli/stores/sweep.sqlite --costs --only n=5 --only delta=1/100",
    "verify": "verify tests/certificates/v2/correct/accuracy_count.json tests/unit/cli/golden/verify.json absent.json",
}
SLOW = {
    *("survey", "calibrate-shares", "calibrate-randomizer", "calibrate-free-number"),
    *("epsilon-cross-check", "epsilon-classes", "choose"),
}
"""Seconds each; what they print is in other tests too."""
NO_JSON = {"init", "report"}
VARYING = {"version", "versions", "numpy", "seconds", "numpy version", "python version"}
DRAWN = {"sampled_low", "sampled_high", "failures", "frequency", "answered"}


@cache
def printed(name: str) -> str:
    """What the command prints; it is run at the root, because paths are printed."""
    return CliRunner().invoke(cli, [*CASES[name].split(), "--format", "json"]).stdout


def said(name: str) -> Any:
    return json.loads(printed(name))


def lasting(value: Any) -> Any:
    """The data without what changes with the versions of packages and the time of day."""
    if isinstance(value, dict):
        return {key: "varies" if key in VARYING | DRAWN and inner else lasting(inner) for key, inner in value.items()}
    return [lasting(inner) for inner in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    found = json.loads((files("exactdp.cli") / "output-1.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(found)
    assert isinstance(found, dict)
    return found


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_every_command_has_a_record() -> None:
    assert {line.split()[0] for line in CASES.values()} == set(COMMANDS) - NO_JSON
    assert {path.stem for path in GOLDEN.iterdir()} == set(CASES)


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in CASES])
def test_the_json_is_the_recorded_one_and_follows_the_schema(name: str, schema: dict[str, Any]) -> None:
    data = said(name)
    assert list(Draft202012Validator(schema).iter_errors(data)) == []
    assert lasting(data) == json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("command", "argument"), [("calibrate", "family"), ("accuracy", "protocol"), ("slack", "theorem")]
)
def test_the_schema_knows_every_name_of_a_command(command: str, argument: str, schema: dict[str, Any]) -> None:
    named = cli.get_command(click.Context(cli), command)
    assert named is not None
    reader = next(one.type for one in named.params if one.name == argument)
    assert isinstance(reader, OneOf)
    assert set(schema["$defs"][command]["properties"][argument]["enum"]) - {None} == set(reader.choices)


@together("name", CASES)
def test_numbers_are_counts_and_answers_have_three_fields(name: str) -> None:
    """Without the schema: no float, no number as a truth value, a head, and levels of the closed list."""
    data = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    command = CASES[name].split()[0]
    if command in ("prove", "verify"):
        assert [entry["schema"] for entry in data] == [SCHEMA] * len(data)
    else:
        assert [data[key] for key in ("schema", "command")] == [SCHEMA, command]
        assert list(data)[:3] == ["schema", "version", "command"]
    for value in _inside(data):
        assert not isinstance(value, float)
        assert value not in ("yes", "no", "True", "False")
        assert not isinstance(value, int) or isinstance(value, bool) or abs(value) < 2**53
        if isinstance(value, dict) and "lo" in value:
            assert {"exact", "lo", "hi"} <= set(value)
        if isinstance(value, dict) and isinstance(value.get("level"), str):
            assert value["level"] in LEVELS


def _inside(value: Any) -> list[Any]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value, *(deeper for each in inner for deeper in _inside(each))]


@pytest.mark.parametrize(
    ("name", "path", "wrong"),
    [
        ("search", ("found",), "no"),
        ("delta", ("n",), "3"),
        ("delta", ("n",), 3.5),
        ("delta", ("n",), 2**53),
        ("delta", ("level",), "proved"),
        ("delta", ("delta", "exact"), 0.25),
        ("delta", ("delta",), {"exact": "1/4"}),
        ("delta", ("surplus",), "1"),
        ("delta", ("command",), "epsilon"),
        ("compose", ("tight",), "yes"),
        ("sample", ("draws",), [["1"]]),
        ("verify", (0, "status"), "GOOD"),
        ("prove", (0, "notes"), ["37"]),
        ("certify", ("schema",), "exactdp-output-2"),
    ],
)
def test_the_schema_refuses(name: str, path: tuple[Any, ...], wrong: Any, schema: dict[str, Any]) -> None:
    data = said(name)
    assert Draft202012Validator(schema).is_valid(data)
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = wrong
    assert not Draft202012Validator(schema).is_valid(data)


def test_the_page_describes_every_field_and_names_the_schema(schema: dict[str, Any]) -> None:
    page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    assert SCHEMA in page
    named = set(re.findall(r"`([a-z_0-9]+)`", page))
    fields = {key for value in _inside(schema) if isinstance(value, dict) for key in value.get("properties", ())}
    assert fields <= named | {"schema"}, sorted(fields - named)


def test_counts_and_cells() -> None:
    assert (count(2**53 - 1), count(2**53)) == (2**53 - 1, str(2**53))
    assert [cell(value) for value in (0, "", [], [1, True])] == ["0", "", "", "1; yes"]


if __name__ == "__main__":
    with pytest.MonkeyPatch.context() as monkeypatched:
        monkeypatched.chdir(ROOT)
        for each in sys.argv[1:]:
            text = json.dumps(lasting(said(each)), indent=1, ensure_ascii=True)
            (GOLDEN / f"{each}.json").write_text(text + "\n", encoding="utf-8")
