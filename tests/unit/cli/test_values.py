"""What is typed is read once, by the type of its parameter, into a value of the package."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import click
import pytest
from click.testing import CliRunner

from exactdp.cli.main import COMMANDS, cli
from exactdp.cli.options import option_of, typed_command
from exactdp.cli.values import COUNT, EXACT, LEVEL, PARTICIPANTS, STORE, Text, Typed, TypedLevel, as_typed
from exactdp.errors import InvalidValueError
from exactdp.protocols.named_protocols import OPTIONS
from exactdp.protocols.naming.typed_noise import NoiseLaw

NUMBERS = {"N", "K", "D", "J", "EPS", "E", "W", "A", "B", "BITS", "WORK", "STEP", "N,N,...", "E,E,...", "LIST", "DRAWS"}
"""What options take that is a number, or numbers, by its metavar."""
TOGETHER = {("certify", "eps"), ("certify", "exp_eps"), ("certify", "delta"), ("report", "delta")}
"""Numbers that may be functions of parameters, or that a page reads."""
NO_NUMBER = {"dummy", "timeout"}


def parameters() -> Iterator[tuple[str, click.Parameter]]:
    """Yield the parameters of all commands, but for those of names, which the registry reads."""
    for name in COMMANDS:
        command = cli.get_command(None, name)  # type: ignore[arg-type]
        assert command is not None
        for one in (command, *getattr(command, "commands", {}).values()):
            own = (
                parameter for parameter in one.params if f"--{(parameter.name or '').replace('_', '-')}" not in OPTIONS
            )
            yield from ((name, parameter) for parameter in own)


def test_every_number_is_read_by_its_type() -> None:
    texts = {
        (command, one.name)
        for command, one in parameters()
        if one.metavar in NUMBERS and not isinstance(one.type, Typed) and one.name not in NO_NUMBER
    }
    assert texts == TOGETHER


def test_every_file_is_completed_as_one() -> None:
    for command, one in parameters():
        if one.metavar in ("FILE", "DIR", "STORE", "FOLDER"):
            kind = "dir" if one.metavar in ("DIR", "FOLDER") else "file"
            offered = one.shell_complete(None, "a")  # type: ignore[arg-type]
            assert [item.type for item in offered] == [kind], (command, one.name)


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (EXACT, "25e-2", Fraction(1, 4)),
        (COUNT, "1e3", 1000),
        (PARTICIPANTS, "100_000", 100_000),
        (STORE, "./-", "./-"),
        (Text(), "1-p", "1-p"),
    ],
)
def test_a_text_becomes_a_value(read: Text, text: str, value: object) -> None:
    assert read.convert(text, None, None) == value


def test_users_may_be_a_law() -> None:
    law = PARTICIPANTS.convert("binomial:n=3,p=1/2", None, None)
    assert isinstance(law, NoiseLaw)
    assert law.name == "@binomial:n=3,p=1/2"


def test_a_level_is_one_of_two_options() -> None:
    two = LEVEL.convert("2", click.Option(["--exp-eps"]), None)
    assert (two.exact, two.eps, two.shown) == (2, None, "2")
    log = LEVEL.convert("ln(2)", click.Option(["--eps"]), None)
    assert (log.exact, log.eps, log.shown) == (2, None, "ln(2)")
    assert TypedLevel.one_of(None, two) is two
    for both in ((None, None), (log, two)):
        with pytest.raises(InvalidValueError, match="one of --eps and --exp-eps is needed, and"):
            TypedLevel.one_of(*both)


def test_a_refusal_names_the_parameter() -> None:
    for name, said in (("--times", "times=0 is below 1"), ("--relative-width", "relative_width='x' is not a number")):
        read = COUNT if name == "--times" else EXACT
        with pytest.raises(InvalidValueError, match=said):
            read.convert("0" if read is COUNT else "x", click.Option([name]), None)


def test_what_was_typed_is_kept_beside_the_values() -> None:
    found: list[Any] = []

    @click.command("ask")
    @option_of(EXACT, "D", "--delta", multiple=True)
    @option_of(COUNT, "K", "--times", default="1")
    def ask(delta: tuple[Fraction, ...], times: int) -> None:
        found.extend([delta, times, as_typed("delta"), typed_command()])

    assert CliRunner().invoke(ask, ["--delta", "1e-1", "--delta", "0.50"]).exit_code == 0
    assert found == [
        (Fraction(1, 10), Fraction(1, 2)),
        1,
        ["1e-1", "0.50"],
        "exactdp ask --delta 1e-1 --delta 0.50",
    ]


def test_a_parameter_behind_a_name_is_read_as_the_option() -> None:
    said = [
        CliRunner().invoke(cli, ["accuracy", *line.split(), "-n", "9", "--beta", "1/2"])
        for line in ("zsum:gamma=3", "zsum --gamma 3")
    ]
    assert {one.exit_code for one in said} == {2}
    assert said[0].stderr == said[1].stderr == "error: gamma=3 is outside [0, 1]. Pass a probability.\n"
