"""``init``: a file to start from."""

from __future__ import annotations

import os
import shlex
from typing import Final

import click

from exactdp.atomic_file import write_whole
from exactdp.cli.failures import HOLDS
from exactdp.cli.output import printable
from exactdp.errors import InvalidFileError

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


@click.command("init")
@click.argument("path", default="randomizer.toml")
@click.option("--force", is_flag=True, help="Overwrite the file if it exists.")
def init_command(path: str, force: bool) -> int:
    """Write a commented randomizer file, PATH or randomizer.toml, that every command can read."""
    if path.lower().endswith(".json"):
        raise InvalidFileError(f"{path} would be read as JSON, and the template is TOML. Name a .toml file.")
    if os.path.lexists(path) and not os.path.isdir(path) and not force:
        raise InvalidFileError(f"{path} exists. Name another file, or overwrite it with --force.")
    quoted = shlex.quote(path)
    write_whole(path, TEMPLATE.replace("FILE", quoted) if path.isprintable() else TEMPLATE)
    print(f"wrote {printable(path)}\nnext: exactdp check {quoted}")
    return HOLDS
