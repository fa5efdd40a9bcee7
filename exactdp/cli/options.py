"""What can be typed after a command: groups of options, which commands take by :func:`options`.

The type of each reads what is typed (:mod:`exactdp.cli.values`), so that commands get values. What is written to say
how it was made holds the command as it was typed (:func:`typed_command`).
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial, wraps
from typing import Any, Final, TypeAlias, TypeVar

import click
from click.core import ParameterSource

import exactdp as xdp
from exactdp.cli.completion import targets
from exactdp.cli.failures import HOLDS
from exactdp.cli.output import FORMATS, MARKDOWN, Report, deliver
from exactdp.cli.values import (
    CERTIFICATE,
    COUNT,
    EXACT,
    FILE,
    FOLDER,
    LEVEL,
    NEIGHBORS,
    PARTICIPANTS,
    RELATIVE_BITS,
    USERS,
    WHOLE,
    Text,
    as_typed,
)
from exactdp.errors import InvalidValueError, meant
from exactdp.mechanisms.absence_family import WAYS
from exactdp.numbers.formats import short
from exactdp.protocols.named_protocols import ALIASES, ENTRIES, OPTIONS, Option
from exactdp.protocols.naming.free_numbers import FreeNumber, is_free
from exactdp.protocols.naming.name_grammar import name_of
from exactdp.protocols.naming.targets import (
    ClassesTarget,
    ProtocolTarget,
    given_by_name,
    is_name_and_file,
    known,
    read_classes,
    read_target,
    with_exp_eps0,
)
from exactdp.protocols.naming.typed_noise import NoiseLaw

Group: TypeAlias = Callable[[Any], Any] | Iterable[Callable[[Any], Any]]
"""One option, or several."""
Command = TypeVar("Command", bound=Callable[..., Any])


class OneOfFew(click.Choice[str]):
    """One of a few names, as click's; a slip of the hand is told from another word."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value not in self.choices and (near := meant(str(value), self.choices)):
            listed = ", ".join(map(repr, self.choices))
            self.fail(f"{value!r} is not one of {listed}. {near.rstrip()}", param, ctx)
        return super().convert(value, param, ctx)


class _Relation(OneOfFew):
    """A neighbouring relation."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return xdp.Neighbors(super().convert(value, param, ctx))


def option_of(read: Text | click.Choice[str], metavar: str, *names: str, **settings: Any) -> Callable[[Any], Any]:
    """Return an option that takes one value."""
    return click.option(*names, metavar=metavar, type=read, **settings)


def options(*groups: Group) -> Callable[[Command], Command]:
    """Return a decorator that gives a command the options, in the order in which its help lists them."""

    def apply(command: Command) -> Command:
        for option in reversed([option for group in groups for option in ([group] if callable(group) else group)]):
            command = option(command)
        return command

    return apply


_NO_FLAG: Final = Option("", "", ())
_ALSO: Final = {"--inputs": ("--categories",)}
"""Other spellings of an option."""


def target_option(name: str, read: Text | None = None, *, hidden: bool = False) -> Callable[[Any], Any]:
    """Return the option of a parameter of named protocols: text for the registry, unless a command reads it itself."""
    option = OPTIONS[name]
    names = (name, *_ALSO.get(name, ()), name.removeprefix("--").replace("-", "_"))
    is_flag, text = option.letter is None, option.help
    shown: dict[str, Any] = {"help": text, "is_flag": is_flag, "default": None, "hidden": hidden}
    return click.option(*names, metavar=option.letter, type=read, **shown)


target_options: Final = tuple(target_option(name, hidden=True) for name in OPTIONS)
"""The parameters of named protocols as options, as 0.2.0 had them; they are in no help, but in `exactdp protocols`."""
TARGET: Final = Text(targets)
target_arguments: Final = (click.argument("randomizer", type=TARGET), *target_options)
"""RANDOMIZER and the options of named protocols; :func:`typed_target` reads them together."""
randomizer_options: Final = tuple(
    map(target_option, ("--inputs", "--top", "--optimized", "--size", "--buckets", "--dummies"))
)
"""What published randomizers take beside e^eps0."""
drawn_arguments: Final = (
    click.argument("randomizer", type=TARGET),
    *(target_option(name, hidden=True) for name in OPTIONS if name != "--size"),
)
"""The same for ``sample``, whose --size is the number of draws."""

users_option: Final = partial(
    click.option,
    "-n",
    "--users",
    metavar="N",
    help="Number of users who follow the protocol, or the law of how many take part, among them for sure the user "
    "who differs: @binomial:n=1000,p=9/10.",
)
absence_options: Final = (
    option_of(EXACT, "Q", "--participation", help="How likely each user takes part; default 1."),
    option_of(OneOfFew(WAYS), "MODEL", "--absence", help="Who is away: counted, listed or hidden."),
    click.option("--dummy", metavar="D", help="Of hidden users: uniform, input:X, or a law."),
)
"""Who may be away; :func:`exactdp.protocols.naming.populations.with_absence` reads them."""
user_class_option: Final = option_of(WHOLE, "J", "--user-class", help="Class of who differs; default the worst.")
shift_option: Final = option_of(EXACT, "S", "--shift", help="Sensitivity that noise hides; default 1.")


def level_options(read: Text) -> tuple[Callable[[Any], Any], ...]:
    """Return the two options of a level of privacy, of which exactly one is to be given."""
    return (
        option_of(read, "EPS", "--eps", help="eps >= 0: a rational number, or ln(p/q)."),
        option_of(read, "E", "--exp-eps", help="e^eps >= 1, a rational number; the answer is exact if it can be."),
    )


privacy_level_options: Final = level_options(LEVEL)

neighbors_option: Final = option_of(
    _Relation(NEIGHBORS),
    "RELATION",
    "--neighbors",
    help="replace-one (default), add-or-remove-one, replace-by-zeros (@aggregate).",
)
limit_option: Final = option_of(
    COUNT, "WORK", "--limit", help="Most pairs of data sets times outcomes of an exact scan; default 100000000."
)
subject_arguments: Final = (
    *target_arguments,
    users_option(type=PARTICIPANTS),
    *absence_options,
    user_class_option,
    shift_option,
    neighbors_option,
    limit_option,
)
"""What a question can be about; :func:`exactdp.cli.subjects.read_subject` reads them."""

file_option: Final = partial(click.option, metavar="FILE", type=FILE)
folder_option: Final = partial(click.option, metavar="DIR", type=FOLDER)
certificate_option: Final = partial(click.option, "-o", "--output", "file", metavar="FILE", type=CERTIFICATE)
relative_bits_option: Final = option_of(
    RELATIVE_BITS, "BITS", "--relative-bits", help="Relative accuracy of an enclosure, 2^-BITS; default 53."
)
times_option: Final = partial(click.option, "--times", metavar="K", type=COUNT)
width_option: Final = partial(click.option, "--relative-width", metavar="W", type=EXACT)
exact_option: Final = click.option("--exact", is_flag=True, help="Exact fractions of any length, or none.")
cross_check_option: Final = click.option(
    "--cross-check",
    is_flag=True,
    help="Compute it again by sums in mpmath at twice the digits: status 1 where they differ, 3 out of their reach.",
)
explain_option: Final = click.option(
    "--explain", is_flag=True, help="Say in three sentences what was computed, by which engine and theorem."
)
format_option: Final = click.option("--format", "form", type=OneOfFew(FORMATS), default="text", show_default=True)
output_options: Final = (
    format_option,
    file_option("-o", "--output", help="Write the answer into FILE instead of stdout."),
)
dataset_options: Final = (
    click.option("--dataset", metavar="DATA", help="Users per input of a randomizer: 0=3,1=2."),
    option_of(USERS, "N", "-n", "--users", help="Number of users; by default, as many as the data set has."),
    *absence_options,
)
"""The view of one data set; :class:`exactdp.cli.dataset_view.DataSetView` reads them."""


def _answering(command: Callable[..., Report | None]) -> Callable[..., int]:
    """Deliver the answer that the command returns, if it has one, in the form and to the place that are asked for."""

    @wraps(command)
    def answering(*context: Any, form: str, output: str | None = None, **typed: Any) -> int:
        report = command(*context, **typed)
        return HOLDS if report is None else deliver(report, form=form, output=output)

    return answering


answer_format: Final = (format_option, _answering)
"""The command returns its answer, which goes to stdout; what its option -o writes, it writes itself."""
answer_options: Final = (*output_options, _answering)
"""The command returns its answer."""
table_options: Final = (
    click.option("--format", "form", type=OneOfFew((*FORMATS, MARKDOWN)), default="text", show_default=True),
    *answer_options[1:],
)
"""The same, where the answer is a table that a page may show."""


def named_target(text: str, given: dict[str, str] | None = None) -> ProtocolTarget | NoiseLaw:
    """Return what a text names, and say on stderr where it is a file and a name."""
    if is_name_and_file(text):
        print(f"{text} is read as the file of this name; @{text} is the name.", file=sys.stderr)
    return read_target(text, given)


def typed_target(typed: Mapping[str, Any]) -> ProtocolTarget | NoiseLaw:
    """Return what RANDOMIZER and the options of named protocols name, from the parameters of a command."""
    return named_target(typed["randomizer"] or "", _given(typed))


def typed_classes(typed: Mapping[str, Any], *, rational: bool = False) -> ClassesTarget | None:
    """Return the classes of users of a file that RANDOMIZER names; None where it names something else."""
    return read_classes(typed["randomizer"] or "", _given(typed), rational=rational)


def _given(typed: Mapping[str, Any]) -> dict[str, str]:
    asked = {option: typed.get(option.removeprefix("--").replace("-", "_")) for option in OPTIONS}
    return {option: "" if value is True else value for option, value in asked.items() if value is not None}


class OneOf(click.Choice[str]):
    """One of the names, with or without @, or another name of the same thing; with ``is_free`` also what leaves a
    number free, as it is typed.

    Parameters behind the name stay there; :func:`with_parameters` reads them.
    """

    def __init__(self, names: Iterable[str], also: Mapping[str, str], is_free: bool = False) -> None:
        super().__init__(names)
        self.also, self.is_free = also, is_free

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        name = name_of(value)
        if self.is_free and is_free(value):
            return value
        if name not in (*self.choices, *self.also) and (near := meant(name, self.choices)):
            self.fail(f"{value!r} is not known. {near.rstrip()}", param, ctx)
        chosen = super().convert(self.also.get(name, name), param, ctx)
        return chosen if ":" not in value and name not in ALIASES else f"@{value.removeprefix('@')}"


def one_of(names: Sequence[str], *, is_free: bool = False) -> OneOf:
    """Return a reader of an argument; the registry's other names of the same things are known too."""
    also = {entry.name: entry.calibrated_as for entry in ENTRIES.values() if entry.calibrated_as in names}
    also |= {alias: also.get(entry.name, entry.name) for alias, (entry, _) in ALIASES.items()}
    listed = {name: meaning for name, meaning in also.items() if meaning in names and name not in names}
    return OneOf(names, listed, is_free)


def free_number(text: str) -> FreeNumber | None:
    """Return what a name or a file leaves free; None where it is the name of a family."""
    return FreeNumber.read(text) if is_free(text) else None


def with_parameters(reader: OneOf, text: str, typed: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the name of an argument and what is typed, with the parameters that stand behind the name.

    A parameter is read as the option of the same name; a command that has no such option refuses it.
    """
    if not text.startswith("@"):
        return text, dict(typed)
    name, given = name_of(text), given_by_name(text)
    if "exp_eps0" in typed:
        given = with_exp_eps0(known(name)[0], given, rational=True)
    parameters = {one.name: one for one in click.get_current_context().command.params}
    read: dict[str, Any] = {}
    for key, value in given.items():
        option, is_flag = key.replace("-", "_"), OPTIONS.get(f"--{key}", _NO_FLAG).letter is None
        if option not in typed:
            raise InvalidValueError(f"@{name}: this command takes no {key}. Leave it out.")
        if typed[option] is not None:
            raise InvalidValueError(
                f"@{name} has the parameter {key} in the name and as the option --{key}. Leave out the option."
            )
        if is_flag and value not in ("true", "false"):
            raise InvalidValueError(f"{key}={short(value)} is not true or false. Write {key}=true.")
        read[option] = (value == "true" or None) if is_flag else parameters[option].type(value, parameters[option])
    return reader.also.get(name, name), {**typed, **read}


def typed_command(*written: str, changed: Mapping[str, str | None] | None = None) -> str:
    """Return the running command with what was typed, as a line for a shell.

    Args:
        changed: parameters with values of their own, typed or not; None leaves one out.
        written: parameters that name files to write. Their folders are left out: where a file was put is no part of
            how it was made.
    """
    context = click.get_current_context()
    words = ["exactdp", context.command.name or ""]
    for parameter in context.command.params:
        name = parameter.name or ""
        is_typed = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        texts = as_typed(name) if is_typed else []
        if changed is not None and name in changed:
            texts = [text for text in (changed[name],) if text is not None]
        for one in texts:
            option = max(parameter.opts, key=len) if isinstance(parameter, click.Option) else ""
            text = "" if getattr(parameter, "is_flag", False) else os.path.basename(one) if name in written else one
            words += filter(None, (option, text))
    return shlex.join(words)
