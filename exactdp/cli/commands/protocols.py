"""``protocols``: the names of randomizers, protocols and noise laws, and what each of them takes.

All is read from the registry, so that nothing else is loaded. The JSON is described in docs/json.md.
"""

from __future__ import annotations

import shlex
from typing import Any, Final

import click

from exactdp.cli.completion import named
from exactdp.cli.options import answer_options, options
from exactdp.cli.output import Fact, Report, answer, columns, records
from exactdp.cli.values import Text
from exactdp.mechanisms.named_randomizers import EPS0, EXP_EPS0, RANDOMIZERS, Entry, Parameter, Value
from exactdp.protocols.named_protocols import ENTRIES, LAWS, NAMES, PROTOCOLS
from exactdp.protocols.naming.name_grammar import name_of
from exactdp.protocols.naming.targets import known

_GROUPS: Final = {
    "randomizers, what one user runs:": RANDOMIZERS,
    "protocols:": PROTOCOLS,
    "noise laws:": LAWS,
}
"""Heading -> what stands below it."""
_MORE: Final = "`exactdp protocols NAME` says what one of them takes; the @ may be left out."


@click.command("protocols")
@click.argument("name", type=Text(named(lambda: NAMES)), required=False)
@options(answer_options)
def protocols_command(name: str | None) -> Report:
    """The names that can be asked about, or what one of them takes: parameters, theorem, page and an example.

    Behind a name stand its parameters, as @zsum:gamma=1/8, and what stands inside of another has parentheses and no @:
    '@repeat:times=3,of=(zsum:gamma=1/8)'. Of keys, - and _ are alike.
    """
    if name is None:
        listed = [_listed(entry) for entry in ENTRIES.values()]
        return Report(_list_lines, lambda: {"names": listed}, lambda: records(*listed))
    entry, _ = known(name_of(name))
    return _answer(entry)


def _listed(entry: Entry) -> dict[str, Any]:
    return {"name": entry.name, "kind": entry.kind, "statement": entry.summary, "example": entry.example}


def _list_lines() -> list[str]:
    names = [(f"  @{entry.name}", entry.summary) for entry in ENTRIES.values()]
    lines = dict(zip(ENTRIES, columns(names), strict=True))
    return [line for head, below in _GROUPS.items() for line in (head, *(lines[name] for name in below))] + [_MORE]


def example_line(entry: Entry) -> str:
    """Return a command about a name, as it is typed into a shell."""
    users = "" if entry.law else " -n 100"
    return f"exactdp delta {shlex.quote(entry.example)}{users} --eps 1"


def _shown(entry: Entry) -> tuple[Parameter, ...]:
    """Return the parameters, eps0 beside e^eps0."""
    both = [(one, EPS0) if one.name == EXP_EPS0.name else (one,) for one in entry.parameters]
    return tuple(one for ones in both for one in ones)


def _default(entry: Entry, one: Parameter) -> str:
    """Return what is taken without a parameter, or that it is needed, for reading."""
    if one is EPS0:
        return f"in place of {EXP_EPS0.name}"
    other = one.instead_of or entry.instead(one.name)
    return one.default or (f"this or {other}" if other else "needed")


def _options(entry: Entry) -> str:
    """Return the parameters as options, where all that are needed can be given so."""
    typed = [
        f"{one.option} {one.letter}" if one.value is not Value.FLAG else one.option
        for one in entry.parameters
        if one.has_option
    ]
    return " ".join(typed) if typed and all(one.has_option for one in entry.needed) and not entry.law else "none"


def _also(entry: Entry) -> list[str]:
    return [f"@{name} ({given})" if given else f"@{name}" for name, given in entry.aliases]


def _answer(entry: Entry) -> Report:
    """Return what a name stands for, with a row for each parameter; CSV has these, or the name alone."""
    name = entry.calibrated_as or entry.name
    calibrated = f"exactdp calibrate {name} looks for {entry.calibrated_by}" if entry.calibrated_by else "no"
    theorems = [path.replace(":", ".") for path in entry.theorems]
    return answer(
        Fact("name", entry.name, "name", f"@{entry.name}, a {entry.kind}", {"of": entry.name, "kind": entry.kind}),
        Fact("kind", entry.kind, cells={}),
        Fact(label="also" if entry.aliases else "", text=", ".join(_also(entry))),
        Fact("statement", entry.summary, "what", entry.summary, {}),
        Fact("example", entry.example, cells={}),
        Fact("aliases", [name for name, _ in entry.aliases], cells={}),
        Fact(label="theorem", text=", ".join(theorems)),
        Fact(label="page", text=entry.page),
        Fact(label="calibrated", text=calibrated),
        Fact(label="as options", text=_options(entry)),
        Fact(label="example", text=example_line(entry)),
        rows=[_row(entry, one) for one in _shown(entry)],
        listed="parameters",
        after=[
            Fact("theorems", theorems),
            Fact("page", entry.page),
            Fact("calibrated_by", entry.calibrated_by or None),
            Fact("shell", example_line(entry)),
        ],
    )


def _row(entry: Entry, one: Parameter) -> list[Fact]:
    """Return a parameter."""
    return [
        Fact("name", one.name, "parameter", f"{one.name}={one.letter}"),
        Fact("value", one.value.value, "value", one.value.value),
        Fact("default", one.default or None, "without it", _default(entry, one)),
        Fact("instead_of", EXP_EPS0.name if one is EPS0 else one.instead_of or None),
        Fact("example", one.example),
        Fact("statement", one.help, "meaning", one.help),
    ]
