"""A protocol is added by one package: it is calibrated, surveyed, drawn, certified, completed and listed at once."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = Path(__file__).parent / "added_protocol"
ASKED = """
import sys
from exactdp import protocols
protocols.__path__.append({package!r})
from exactdp.cli.main import main
sys.argv = ["exactdp", *{arguments!r}]
sys.exit(main())
"""


SERVED = """
import json, sys
from exactdp import protocols
protocols.__path__.append({package!r})
from click.testing import CliRunner
from exactdp.cli.main import cli
for line in sys.stdin:
    done = CliRunner().invoke(cli, json.loads(line))
    print(json.dumps([done.exit_code, done.stdout]), flush=True)
"""
Ask = Callable[..., str]


def ask_anew(*arguments: str, **environment: str) -> str:
    """What the command prints once the package is there, in a process of its own."""
    code = ASKED.format(package=str(PACKAGE), arguments=list(arguments))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    """What the command prints once the package is there: one process answers all that is asked."""
    command = [sys.executable, "-c", SERVED.format(package=str(PACKAGE))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        asked, said = process.stdin, process.stdout

        def answer(*arguments: str) -> str:
            print(json.dumps(arguments), file=asked, flush=True)
            status, printed = json.loads(said.readline())
            assert status == 0
            return str(printed)

        yield answer
        asked.close()


NAMED = "@geometric-sum:p=1/2"


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (("delta", NAMED, "-n", "100", "--exp-eps", "1"), {"delta": {"exact": "1/3"}}),
        (("certify", NAMED, "-n", "100", "--exp-eps", "2", "--delta", "0"), {"verdict": "PROVED"}),
        (("accuracy", NAMED, "-n", "100", "--beta", "1/2"), {"alpha": {"exact": "1"}}),
        (
            ("calibrate", "geometric-sum", "-n", "100", "--exp-eps", "2", "--delta", "0", "--grid", "1/1048576"),
            {"parameter": {"exact": "1/2"}, "level": "certificate"},
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_questions_are_answered(ask: Ask, arguments: tuple[str, ...], answer: dict[str, object]) -> None:
    data = json.loads(ask(*arguments, "--format", "json"))
    for key, value in answer.items():
        found = data[key]
        assert found | value == found if isinstance(value, dict) else found == value, data


def test_views_are_drawn(ask: Ask) -> None:
    drawn = ask("sample", NAMED, "--dataset", "0=99,1=1", "--size", "5", "--seed", "1", "--format", "csv")
    assert len(drawn.splitlines()) == 6


def test_a_survey_has_both_rows(ask: Ask) -> None:
    data = json.loads(
        ask("survey", "--users", "1000", "--eps", "1", "--delta", "1e-6", "--only", "geometric sum", "--format", "json")
    )
    assert [(row["protocol"], row["noise"]) for row in data["rows"]] == [
        ("geometric sum", "theorem"),
        ("geometric sum", "least noise"),
    ]


def test_it_is_listed_and_completed(ask: Ask) -> None:
    assert "geometric-sum" in ask("protocols")
    assert "two-sided geometric noise" in ask("protocols", "geometric-sum")
    asked = {"COMP_LINE": "exactdp delta @geometric-su", "COMP_REPLACED": "@geometric-su"}
    assert "@geometric-sum" in ask_anew(_EXACTDP_COMPLETE="bash_complete", **asked)


def test_the_site_has_its_parameters() -> None:
    made = "from tools.docs_site.protocol_pages import names_page\nprint(names_page().text)"
    code = ASKED.split("from exactdp.cli")[0].format(package=str(PACKAGE)) + made
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert "## @geometric-sum" in done.stdout
    assert "- `p=P`: ratio of the noise, in (0, 1)" in done.stdout


def test_it_is_held_to_the_interface() -> None:
    asked = """
from tests.interfaces import test_protocols as every
protocol = every.member(every.MEMBERS["geometric-sum"])
for check in every.INTERFACE.values():
    check(protocol)
print(len(every.INTERFACE))
"""
    code = ASKED.split("from exactdp.cli")[0].format(package=str(PACKAGE)) + asked
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert int(done.stdout) > 5


def test_the_checker_and_the_claims_know_nothing_of_it() -> None:
    known = [path for room in ("checker", "claims") for path in (ROOT / "exactdp" / room).rglob("*.py")]
    assert known
    assert not any("geometric_sum" in path.read_text(encoding="utf-8") for path in known)
