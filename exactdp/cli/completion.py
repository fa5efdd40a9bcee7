"""What a shell offers for the word that is being typed: commands and options are click's own, the rest is here.

A parameter is completed by what it is a name of: a randomizer or noise law, a proof, a search, a file. docs/terminal.md
says how a shell is told to ask.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, TypeAlias

import click
from click.shell_completion import CompletionItem

from exactdp.cli.options import OneOf

Completer: TypeAlias = Callable[[str], list[CompletionItem]]
"""From the beginning of a word to the words that are offered."""

_SUFFIXES: Final = (".toml", ".json")
"""Of randomizer files."""


def with_completion(command: click.Command) -> click.Command:
    """Give the parameters of a command, and of its own commands, what a shell offers for them."""
    for parameter in command.params:
        if (completer := completer_of(command.name or "", parameter)) is not None:
            asked = partial(_offered, completer)
            setattr(parameter, "shell_complete", asked)  # noqa: B010  one parameter, and not its class
    if isinstance(command, click.Group):  # the words after it are its own commands, or a file
        names = [name for name, inner in command.commands.items() if not inner.hidden]
        setattr(command, "shell_complete", partial(_offered, partial(_names_or_files, names)))  # noqa: B010
        for inner in command.commands.values():
            with_completion(inner)
    return command


def completer_of(command: str, parameter: click.Parameter) -> Completer | None:
    """Return what completes a parameter; None where click does, or where it is a number or free text."""
    if isinstance(parameter.callback, OneOf):
        return partial(_starting, parameter.callback.names)
    if parameter.name == "name":
        return {"search": _searches, "experiment": _experiments}.get(command)
    by_name = _BY_NAME.get(parameter.name or "")
    return by_name or _BY_METAVAR.get(parameter.metavar or "")


def _offered(completer: Completer, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    return completer(incomplete)


def _starting(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def _files(incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(incomplete, type="file")]


def _names_or_files(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [*_files(incomplete), *_starting(names, incomplete)]


def _folders(incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(incomplete, type="dir")]


def _targets(incomplete: str) -> list[CompletionItem]:
    """Offer named protocols and noise laws, with the @ or without it as it is typed, and randomizer files."""
    from exactdp.naming.targets import NAMED
    from exactdp.naming.typed_noise import noise_families

    names = [*NAMED, *(f"@{family.name}:{family.example}" for family in noise_families().values())]
    if incomplete.startswith("@"):
        return _starting(names, incomplete)
    named = _starting([name.removeprefix("@") for name in names], incomplete)
    return [*named, *_starting(_randomizer_files(incomplete), incomplete)] if named else _files(incomplete)


def _randomizer_files(incomplete: str) -> list[str]:
    folder = os.path.dirname(incomplete)
    try:
        found = sorted(os.listdir(folder or "."))
    except OSError:
        return []
    return [os.path.join(folder, name) for name in found if name.endswith(_SUFFIXES)]


def _laws(incomplete: str) -> list[CompletionItem]:
    from exactdp.naming.typed_noise import noise_families

    return _starting([f"@{family.name}:{family.example}" for family in noise_families().values()], incomplete)


def _counts(incomplete: str) -> list[CompletionItem]:
    """Offer the laws of how many take part, where a law is begun; a number has no completion."""
    from exactdp.laws.registry import FAMILIES

    laws = [f"@{family.name}:{family.example}" for family in FAMILIES.values()]
    return _starting(laws, incomplete) if incomplete.startswith("@") else []


def _proofs(incomplete: str) -> list[CompletionItem]:
    from exactdp.proofs import rows

    return [CompletionItem(row.id) for row in rows() if row.id.startswith(incomplete)]


def _topics(incomplete: str) -> list[CompletionItem]:
    from exactdp.proofs import rows

    return _starting(dict.fromkeys(row.topic for row in rows()), incomplete)


def _searches(incomplete: str) -> list[CompletionItem]:
    from exactdp.counterexamples.catalogue import SEARCHES
    from exactdp.counterexamples.grids import GRIDS

    return _starting([*SEARCHES, *(f"gaps-{grid.name}" for grid in GRIDS)], incomplete)


def _experiments(incomplete: str) -> list[CompletionItem]:
    from exactdp.report.experiments import EXPERIMENTS

    return _starting(EXPERIMENTS, incomplete)


def _kinds(incomplete: str) -> list[CompletionItem]:
    from exactdp.randomizers.published import KINDS

    return _starting(KINDS, incomplete)


_BY_NAME: Final[dict[str, Completer]] = {
    "randomizer": _targets,
    "ids": _proofs,
    "topic": _topics,
    "kind": _kinds,
    "users": _counts,
    "noise": _laws,
    "others": _laws,
    "path": _files,
    "files": _files,
    "spec": _files,
    "store": _files,
}
"""Name of a parameter -> what completes it."""
_BY_METAVAR: Final[dict[str, Completer]] = {"FILE": _files, "STORE": _files, "DIR": _folders}
"""What an option takes -> what completes it."""
