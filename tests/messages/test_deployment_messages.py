"""Every refusal of a deployment's file, word for word: one line with the line number, the key, reason and repair."""

import os
import re
from pathlib import Path

import pytest

from exactdp import deployment
from exactdp.errors import InvalidFileError
from tests.messages import golden

VALID = """\
name = "Weeks"
delta = "1e-7"
unit = "person"

[budget]
eps = "1"

[[class]]
name = "v1"
n = 200_000

[[class]]
name = "v2"
n = 100_000

[participation]
model = "counted"
probability = "9/10"

[[question]]
name = "search engine"
randomizer = "rappor:inputs=20,eps0=2"

[[question]]
name = "start page"
randomizer = { v1 = "rappor:inputs=20,eps0=2", v2 = "krr:inputs=20,eps0=3/2" }

[[release]]
questions = ["search engine", "start page"]
as = "separate"
times = 52
"""


def prepare(folder: Path) -> None:
    """Write nothing: each question writes its own file."""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path("wrong.toml")


def said(change: str) -> str:
    """What is said of the valid file with other text, that with +, in the place of that with -; or without it."""
    lines = change.split("\n")
    right, wrong = ("\n".join(line[2:] for line in lines if line[0] == mark) for mark in "-+")
    right += "" if lines[-1][0] == "+" else "\n"
    assert right in VALID
    file = Path("wrong.toml")
    file.write_text(VALID.replace(right, wrong, 1), encoding="utf-8")
    with pytest.raises(InvalidFileError) as refused:
        deployment.read(file)
    message = str(refused.value).replace(f"{file.resolve().parent}{os.sep}", "")
    assert message.startswith("wrong.toml: ")
    assert re.search(r"\bline [1-9]", message)
    return message.removeprefix("wrong.toml: ")


@pytest.mark.usefixtures("file")
def test_refusals() -> None:
    assert golden.differences("deployment", said) == []


def test_valid(file: Path) -> None:
    file.write_text(VALID, encoding="utf-8")
    assert len(deployment.read(file).questions) == 2
    assert len(golden.entries("deployment")) >= 40


def test_the_line_is_that_of_the_key_wherever_it_stands(file: Path) -> None:
    """Behind lists of several lines, texts of several lines, keys in quotes, and tables in brackets of their own."""
    listed = VALID.replace('["search engine", "start page"]', '[\n  "search engine",\n  "start page", # ]\n]')
    quoted = listed.replace("times = 52", '"times" = 0').replace("unit", "# unit = [\nunit")
    file.write_text(quoted, encoding="utf-8")
    number = quoted.split("\n").index('"times" = 0') + 1
    with pytest.raises(InvalidFileError, match=f"line {number}, .*times"):
        deployment.read(file)
    table = VALID.replace(
        'randomizer = { v1 = "rappor:inputs=20,eps0=2", v2 = "krr:inputs=20,eps0=3/2" }',
        '[question.randomizer]\nv1 = "rappor:inputs=20,eps0=2"\nv2 = 7',
    )
    file.write_text(table, encoding="utf-8")
    number = table.split("\n").index("v2 = 7") + 1
    with pytest.raises(InvalidFileError, match=f"line {number}, .*randomizer.v2"):
        deployment.read(file)
