"""Commands as they are typed, and their JSON, which keeps to the schema."""

import json
from importlib.resources import files
from typing import Any, Final

from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from exactdp.cli.main import cli

SCHEMA: Final = json.loads((files("exactdp.cli") / "output-1.schema.json").read_text(encoding="utf-8"))


def run(line: str) -> Result:
    """Run a command whose arguments have no blanks."""
    return CliRunner().invoke(cli, line.split())


def answered(line: str) -> Any:
    """Return what a command says in JSON, checked."""
    data = json.loads(run(f"{line} --format json").stdout)
    assert list(Draft202012Validator(SCHEMA).iter_errors(data)) == []
    return data
