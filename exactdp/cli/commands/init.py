"""``init``: a file to start from."""

from __future__ import annotations

import os
import shlex
from typing import Any, Final

import click

from exactdp.cli.completion import named
from exactdp.cli.failures import HOLDS
from exactdp.cli.options import one_of, option_of, options, target_option, with_parameters
from exactdp.cli.output import STDOUT, printable, write_out
from exactdp.cli.values import FILE, Text
from exactdp.errors import InvalidFileError, InvalidValueError, TooLargeError
from exactdp.files.atomic_file import write_whole
from exactdp.mechanisms.family import family_of
from exactdp.mechanisms.named_randomizers import FAMILIES
from exactdp.numbers.formats import exact_text
from exactdp.protocols.named_protocols import find
from exactdp.protocols.naming.name_grammar import name_of

TEMPLATE: Final = """\
# A randomizer: what each user runs. One [[row]] for each input a user can hold.
# Every row lists what is sent and with which exact probability; the probabilities of a row sum to 1.
#   send  the messages, as a list of texts: ["a"], several ["a", "b"], or [] for none
#   prob  an exact number as text: "1/4", "0.25" and "25e-2" are the same
#
# Questions to ask of this file:
#   exactdp check FILE
#   exactdp delta FILE --users 100 --exp-eps 2
#   exactdp epsilon FILE --users 100 --delta 1/1000000
#   exactdp certify FILE --users 10 --exp-eps 2 --delta 1/10 --output certificate.json

name = "an answer that is sometimes a coin, and sometimes silence"

[[row]]
input = "no"
messages = [
    {send = ["0"], prob = "1/2"},
    {send = ["1"], prob = "1/4"},
    {send = [], prob = "1/4"},
]

[[row]]
input = "yes"
messages = [
    {send = ["0"], prob = "1/4"},
    {send = ["1"], prob = "1/2"},
    {send = [], prob = "1/4"},
]
"""
"""A valid file that shows every form of a line; FILE stands for its name."""


_KIND: Final = one_of(tuple(FAMILIES))
_INPUTS: Final = "4"
_EXP_EPS0: Final = "3"
_MAX_ENTRIES: Final = 4096
"""A file to start from is one that people read."""


@click.command("init")
@click.argument("path", type=FILE, required=False)
@option_of(
    Text(named(lambda: FAMILIES)),
    "KIND",
    "--kind",
    help=f"A published randomizer: {', '.join(FAMILIES)}; or one with its parameters, as local-hashing:buckets=2.",
)
@click.option("--inputs", metavar="K", help=f"Number of inputs of a KIND; default {_INPUTS}.")
@click.option("--exp-eps0", metavar="E", help=f"e^eps0 of a KIND; default {_EXP_EPS0}.")
@options(map(target_option, ("--optimized", "--size", "--buckets", "--dummies")))
@click.option("--deployment", is_flag=True, help="Write a deployment for `exactdp audit` in the place of a randomizer.")
@click.option("--force", is_flag=True, help="Overwrite the file if it exists.")
def init_command(path: str | None, kind: str | None, deployment: bool, force: bool, **parameters: Any) -> int:
    """Write a commented randomizer file, PATH or randomizer.toml, that every command can read; - is standard output.

    With --kind it is the table of a published randomizer. With --deployment it is a deployment, PATH or
    deployment.toml, that `exactdp audit` reads.
    """
    text, command = TEMPLATE, "check"
    path = path or ("deployment.toml" if deployment else "randomizer.toml")
    if deployment:
        if given := [name for name, value in {"kind": kind, **parameters}.items() if value is not None]:
            raise InvalidValueError(
                f"--{given[0].replace('_', '-')} is about a randomizer, and --deployment writes a deployment. Leave "
                "out one of them."
            )
        from exactdp.studies.deployment.deployment_files import TEMPLATE as DEPLOYMENT

        text, command = DEPLOYMENT.replace("FOLDER", "audit"), "audit"
    elif kind is not None:
        text = _of_kind(kind, **parameters)
    elif given := [name for name, value in parameters.items() if value is not None]:
        raise InvalidValueError(
            f"--{given[0].replace('_', '-')} is about a published randomizer. Name it: --kind {next(iter(FAMILIES))}."
        )
    if path == STDOUT:
        write_out([text], path)
        return HOLDS
    if path.lower().endswith(".json"):
        raise InvalidFileError(f"{path} would be read as JSON, and the template is TOML. Name a .toml file.")
    if os.path.lexists(path) and not os.path.isdir(path) and not force:
        raise InvalidFileError(f"{path} exists. Name another file, or overwrite it with --force.")
    quoted = shlex.quote(path)
    write_whole(path, text.replace("FILE", quoted) if path.isprintable() else text)
    print(f"wrote {printable(path)}\nnext: exactdp {command} {quoted}")
    return HOLDS


def _of_kind(kind: str, inputs: str | None, exp_eps0: str | None, **further: Any) -> str:
    """Return the file of a published randomizer: the comment of the template, and the rows of the table."""
    typed: dict[str, Any] = {"inputs": inputs, "exp_eps0": exp_eps0, **further}
    kind, typed = with_parameters(_KIND, f"@{kind.removeprefix('@')}" if find(name_of(kind)) else kind, typed)
    if typed["exp_eps0"] is None and (kind not in FAMILIES or "exp-eps0" in FAMILIES[kind].by_name):
        typed["exp_eps0"] = _EXP_EPS0
    family = family_of(kind, **{**typed, "inputs": typed["inputs"] or _INPUTS})
    words, count = family.message_space
    if count is None or len(family.inputs) * count > _MAX_ENTRIES:
        raise TooLargeError(
            f"{kind} has {len(family.inputs)} inputs and {words} messages, more than the limit of {_MAX_ENTRIES} "
            "entries of a file to start from. Use fewer inputs, or Python: exactdp.randomizers."
        )
    listed = ", ".join(f"{name}={value}" for name, value in family.parameters.items())
    lines = [f'name = "{kind}, {listed}"']
    for value, row in family.table().table().items():
        sent = (f'    {{send = [{_labels(send)}], prob = "{exact_text(p)}"}},' for send, p in row.items())
        lines += ["", "[[row]]", f'input = "{value}"', "messages = [", *sent, "]"]
    return TEMPLATE[: TEMPLATE.index("name = ")] + "\n".join(lines) + "\n"


def _labels(send: tuple[object, ...]) -> str:
    """Return messages as texts in quotes: numbers as they are, tuples in brackets."""
    return ", ".join('"{}"'.format(repr(message).replace(" ", "")) for message in send)
