"""What a shell offers for the word that is being typed: commands and options are click's own, the rest is here.

The type of a parameter (:mod:`exactdp.cli.values`) says which function here completes it: by what it is a name of, a
randomizer or noise law, a proof, a search, a file. Behind a name its keys are offered, and then the options that have
a meaning for it. docs/terminal.md says how a shell is told to ask.
A person waits for each answer, so that nothing is loaded for it that takes a notable part of half a second.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from typing import ClassVar, Final, TypeAlias

import click
from click.shell_completion import BashComplete, CompletionItem, FishComplete, add_completion_class, split_arg_string

from exactdp.laws.registry import FAMILIES
from exactdp.mechanisms.documents import parse_toml
from exactdp.mechanisms.named_randomizers import EPS0, Entry
from exactdp.protocols.named_protocols import ALIASES, ENTRIES, LAWS, NAMES, find
from exactdp.protocols.naming.name_grammar import key_of, name_of

_READ_BY_BASH: Final = re.compile(r"[\s()*?&;|<>$'\"\\`]")
_WITH_BACKSLASH: Final = r"\\\g<0>"

Completer: TypeAlias = Callable[[str], list[CompletionItem]]
"""From the beginning of a word to the words that are offered."""

_SUFFIXES: Final = (".toml", ".json")
"""Of randomizer files."""


def with_completion(command: click.Command) -> click.Command:
    """Offer behind a RANDOMIZER of a command, and of its own commands, only the options that have a meaning for it."""
    if any(parameter.name == "randomizer" for parameter in command.params):
        setattr(command, "shell_complete", partial(_options, command))  # noqa: B010
    for inner in getattr(command, "commands", {}).values():
        with_completion(inner)
    return command


def _options(command: click.Command, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """Offer the options of a command, without those that have no meaning for what is typed."""
    offered = click.Command.shell_complete(command, ctx, incomplete)
    typed = ctx.params.get("randomizer")
    if not typed:
        return offered
    is_law = name_of(typed) in LAWS
    users = {"-n", "--users", "--participation", "--absence", "--dummy"}
    foreign = {*users, "--neighbors", "--limit", "--dataset"} if is_law else {"--shift"}
    if name_of(typed) in NAMES:
        foreign.add("--user-class")
    return [item for item in offered if item.value not in foreign]


def _starting(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def files(incomplete: str) -> list[CompletionItem]:
    """Leave files to the shell."""
    return [CompletionItem(incomplete, type="file")]


def folders(incomplete: str) -> list[CompletionItem]:
    """Leave folders to the shell."""
    return [CompletionItem(incomplete, type="dir")]


def targets(incomplete: str) -> list[CompletionItem]:
    """Offer names with an example of their parameters, with or without the @ as it is typed, and randomizer files."""
    if ":" in incomplete:
        return _keys(incomplete, ENTRIES)
    sign = "@" if incomplete.startswith("@") else ""
    begun = incomplete != sign
    aliases = [entry.example.replace(entry.name, alias, 1) for alias, (entry, _) in ALIASES.items() if begun]
    examples = [*(entry.example for entry in ENTRIES.values()), *aliases]
    named = _starting([f"{sign}{example.removeprefix('@')}" for example in examples], incomplete)
    if sign:
        return named
    return [*named, *_starting(_randomizer_files(incomplete), incomplete)] if named else files(incomplete)


def _keys(incomplete: str, known: Mapping[str, Entry]) -> list[CompletionItem]:
    """Offer the keys behind a name that are not given yet, each with an example of its value."""
    place = max(incomplete.rfind(sign) for sign in ":,") + 1
    found = find(name_of(incomplete))
    if found is None or found[0].name not in known or "(" in incomplete:
        return []
    entry, said = found
    given = {key_of(part.partition("=")[0]) for part in (*incomplete[:place].split(":", 1)[1].split(","), said)}
    parameters = [one for one in (*entry.parameters, EPS0) if one.name in entry.keys and key_of(one.name) not in given]
    return _starting([f"{incomplete[:place]}{one.name}={one.example}" for one in parameters], incomplete)


def _randomizer_files(incomplete: str) -> list[str]:
    folder = os.path.dirname(incomplete)
    try:
        found = sorted(os.listdir(folder or "."))
    except OSError:
        return []
    return [os.path.join(folder, name) for name in found if name.endswith(_SUFFIXES)]


def laws(incomplete: str, known: Mapping[str, Entry] = LAWS) -> list[CompletionItem]:
    """Offer noise laws; before one, K* may say how many."""
    times, star, law = incomplete.rpartition("*")
    offered = _keys(law, known) if ":" in law else _starting([entry.example for entry in known.values()], law)
    return [CompletionItem(f"{times}{star}{item.value}") for item in offered]


def counts(incomplete: str) -> list[CompletionItem]:
    """Offer the laws of how many take part, where a law is begun; a number has no completion."""
    return laws(incomplete, {name: LAWS[name] for name in FAMILIES}) if incomplete.startswith("@") else []


def rows() -> list[tuple[str, str]]:
    """Return id and topic of every row of the ledger, from the files that state them: the proofs are not loaded."""
    from importlib import resources

    found = []
    folder = resources.files("exactdp").joinpath("proofs", "rows")
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        stated = parse_toml(file.read_text(encoding="utf-8"))
        found += [(row["id"], row.get("topic", stated.get("topic", ""))) for row in stated["row"]]
    return found


def topics(incomplete: str) -> list[CompletionItem]:
    """Offer the topics of the ledger."""
    return _starting(dict.fromkeys(topic for _, topic in rows()), incomplete)


def named(names: Callable[[], Iterable[str]]) -> Completer:
    """Return what offers names that are listed when they are asked for, with @ or without."""
    return lambda incomplete: _starting(names(), incomplete.removeprefix("@"))


def at(place: str) -> Callable[[], Iterable[str]]:
    """Return what takes names from a module that is loaded only then, as "exactdp.report.experiments:NAMES"."""
    module, _, name = place.partition(":")

    def listed() -> Iterable[str]:
        found = getattr(import_module(module), name)
        names: Iterable[str] = found() if callable(found) else found
        return names

    return listed


@add_completion_class
class Bash(BashComplete):
    """Completion for bash, which breaks words at ``@``, ``:`` and ``=``, and replaces only what is behind the last.

    So the words are those of the whole line here, and what is offered leaves out what bash does not replace: its
    function gets as ``$2`` what it does. Characters that bash would read on its own are put behind a backslash.
    """

    source_template: ClassVar[str] = """\
%(complete_func)s() {
    local IFS=$'\\n' response completion type value
    response=$(env COMP_LINE="${COMP_LINE:0:COMP_POINT}" COMP_REPLACED="$2" %(complete_var)s=bash_complete $1)
    for completion in $response; do
        IFS=',' read -r type value <<< "$completion"
        case $type in
            dir) COMPREPLY=(); compopt -o dirnames ;;
            file) COMPREPLY=(); compopt -o default ;;
            plain) COMPREPLY+=("$value") ;;
        esac
    done
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the one that is typed, and this one."""
        line = os.environ["COMP_LINE"]
        words, incomplete = _split(line)
        _, self._kept = _split(line.removesuffix(os.environ["COMP_REPLACED"]))
        return words[1:], incomplete

    def format_completion(self, item: CompletionItem) -> str:
        """Return the kind of what is offered, and what bash is to put in the place of what it replaces."""
        value = item.value.removeprefix(self._kept)
        return f"{item.type},{_READ_BY_BASH.sub(_WITH_BACKSLASH, value) if item.type == 'plain' else value}"


@add_completion_class
class Fish(FishComplete):
    """Completion for fish, whose function is to split kind and value at the first comma only: laws have more."""

    source_template: ClassVar[str] = FishComplete.source_template.replace('string split ","', 'string split -m 1 ","')


def _split(line: str) -> tuple[list[str], str]:
    """Return the words of a line that are complete, and the one that is not, which may be empty."""
    words = split_arg_string(line)
    return (words, "") if not line or line[-1].isspace() else (words[:-1], words[-1])
