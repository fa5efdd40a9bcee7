"""Every `exactdp` command that a page shows, also where it is not run, is one that the command line takes."""

import re
import shlex
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import click

from exactdp.cli.main import cli
from tests.together import together
from tools.docs_site.stage import PAGES, ROOT

LEFT_OUT = {"CHANGELOG.md", "terminal.md"}
"""What was once, and half a word before Tab."""
SHOWN = sorted({path for pattern in ("README.md", *PAGES) for path in ROOT.glob(pattern) if path.name not in LEFT_OUT})
TYPED = re.compile(r"^(?:\$ | {4})(exactdp [^\n]*)$|`(exactdp [^`\n]*)`", re.MULTILINE)
IN_SH = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
"""A block that is typed as it stands."""
NO_WORD = re.compile(r"^(\.\.\.|[A-Z@…].*|)$")
"""What stands for something that the reader has."""


def shown(text: str) -> Iterator[str]:
    """The commands of a page, continued lines joined."""
    typed = IN_SH.sub(lambda block: re.sub("^", "$ ", block[1], flags=re.MULTILINE), text)
    for found in TYPED.finditer(re.sub(r"\\\n>?\s*", "", typed)):
        yield found[1] or found[2]


def wrong(words: str) -> str:
    """What the command line does not know of a command; nothing if it takes it."""
    parts = shlex.shlex(words, posix=True, punctuation_chars=True)
    parts.whitespace_split = True
    given = list(takewhile(lambda part: not set(part) & set("|<>;&"), parts))[1:]
    command: click.Command = cli
    while isinstance(command, click.Group) and given and not given[0].startswith("-"):
        if given[0] not in command.list_commands(click.Context(command)):
            break
        found = command.get_command(click.Context(command), given.pop(0))
        assert found is not None
        command = found
    if command is cli and given and not given[0].startswith("-") and not NO_WORD.match(given[0]):
        return f"no command {given[0]!r}"
    known = {"--help", *options_of(command)}
    options = [word.partition("=")[0] for word in given if re.match(r"--?[a-z]", word)]
    return ", ".join(f"no option {option!r}" for option in options if option not in known)


def options_of(command: click.Command) -> Iterator[str]:
    """The options of a command; of a group whose first word may be a file also those of its own commands."""
    for option in command.params:
        yield from (*option.opts, *option.secondary_opts)
    if isinstance(command, click.Group) and command is not cli:
        for below in command.commands.values():
            yield from options_of(below)


@together("path", SHOWN, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_command_that_is_shown_is_taken(path: Path) -> None:
    found = {command: wrong(command) for command in shown(path.read_text("utf-8"))}
    assert {command: fault for command, fault in found.items() if fault} == {}


def test_a_command_that_is_not_taken_is_seen() -> None:
    text = (
        "    exactdp dleta @gap -n 3\n\n$ exactdp delta @gap --user 3 | cat --all\n\n`exactdp sweep show --ony x=1`\n"
    )
    assert [wrong(command) for command in shown(text)] == [
        "no command 'dleta'",
        "no option '--user'",
        "no option '--ony'",
    ]
    assert wrong("exactdp") == wrong("exactdp --version") == wrong("exactdp delta ... --eps 1/4") == ""
