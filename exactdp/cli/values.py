"""From what is typed to the values of the package: each is read once, by the type of its option or argument.

Numbers go as text to :mod:`exactdp.numbers`, and are read there. What depends on what else is typed, as a data set on
its randomizer, stays text here, and is read with that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import click

import exactdp as xdp
from exactdp.cli.completion import Completer, counts, files, folders, topics
from exactdp.cli.output import STDOUT, Fact
from exactdp.errors import InvalidFileError, InvalidValueError, TooLargeError
from exactdp.numbers.exact import as_fraction, as_integer, as_probability
from exactdp.numbers.formats import exact_text, number_text, short
from exactdp.protocols.naming.populations import read_population, read_users
from exactdp.protocols.naming.targets import ClassesTarget, ProtocolTarget
from exactdp.protocols.naming.typed_noise import NoiseLaw

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

BITS: Final = 53
"""Relative bits of an answer unless more are asked for, as in the library."""

MAX_BITS: Final = 10_000
"""Most relative bits of an answer."""

NEIGHBORS: Final = ("replace-one", "add-or-remove-one", "replace-by-zeros")
"""The values of exactdp.mechanisms.dataset.Neighbors, loaded where it is needed; the first is the default."""

_TEXTS: Final = f"{__name__}.texts"
"""Where a context keeps what was typed."""


class Text(click.ParamType):  # type: ignore[type-arg]  # it has none before click 8.5
    """Text as it is typed, and what a shell offers for it."""

    name = "text"

    def __init__(self, offers: Completer | None = None) -> None:
        self.offers = offers

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return what is offered."""
        return [] if self.offers is None else self.offers(incomplete)


class Typed(Text):
    """A value that is read from its text, under the name of its parameter."""

    def __init__(
        self, read: Callable[..., Any], name: str = "", *, offers: Completer | None = None, **limits: Any
    ) -> None:
        super().__init__(offers)
        self.read, self.called, self.limits = read, name, limits

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value, or refuse it with the sentence of the library; a shell that asks needs no values."""
        own = "" if param is None else param.name or ""
        if ctx is not None and ctx.resilient_parsing:
            return value
        if ctx is not None:
            ctx.meta.setdefault(_TEXTS, {}).setdefault(own, []).append(value)
        return self.read(value, name=self.called or own, **self.limits)


def as_typed(name: str) -> list[str]:
    """Return the texts of a parameter of the running command, in the order in which they are typed."""
    context = click.get_current_context()
    value = context.params.get(name)
    values = value if isinstance(value, tuple) else () if value is None else (value,)
    return context.meta.get(_TEXTS, {}).get(name) or list(map(str, values))


def read_bounded(text: str, name: str, limit: int) -> int:
    """Return an integer from 1 to ``limit``."""
    value = as_integer(text, name=name, at_least=1)
    if value > limit:
        raise TooLargeError(f"{name}={short(value)} is more than the limit of {limit}. Use a smaller number.")
    return value


def _file(file: str, name: str, refusal: str) -> str:
    """Return the name of a file, which cannot be stdout."""
    if file == STDOUT:
        raise InvalidFileError(refusal)
    return file


@dataclass(frozen=True, slots=True)
class TypedLevel:
    """The level of privacy that is asked about: e^eps exactly, or a rational eps != 0 whose e^eps is irrational."""

    exact: Fraction | None
    eps: Fraction | None
    name: str
    """Which option it came from: exp_eps or eps."""
    shown: str

    @classmethod
    def read(cls, text: str, name: str) -> TypedLevel:
        """Return the level of an eps or exp_eps, as ``name`` says; an eps may be ``ln(p/q)``, an exact e^eps."""
        from exactdp.numbers.epsilon import eps_json, read_privacy_level

        if name == "eps" and text.startswith("ln(") and text.endswith(")"):
            log = xdp.LogRational(text[3:-1])
            return cls(log.argument, None, name, eps_json(log)["exact"] or "")
        level = read_privacy_level(**{"eps": None, "exp_eps": None, name: text})
        shown = "0" if name == "eps" and level.eps is None else exact_text(level.eps or level.exp_eps or 0)
        return cls(level.exp_eps, level.eps, name, shown)

    @classmethod
    def one_of(cls, eps: TypedLevel | None, exp_eps: TypedLevel | None) -> TypedLevel:
        """Return the one of both options that is given, or refuse."""
        if (level := eps or exp_eps) is None or None not in (eps, exp_eps):
            given = "neither is given" if level is None else "both are given"
            raise InvalidValueError(
                f"one of --eps and --exp-eps is needed, and {given}. Write --eps 1, or --exp-eps 2 for e^eps = 2."
            )
        return level

    @property
    def keywords(self) -> dict[str, Any]:
        """The level as claims and profiles take it."""
        return {"exp_eps": self.exact} if self.eps is None else {"eps": self.eps}

    @property
    def for_theorems(self) -> Fraction | xdp.LogRational:
        """The eps as theorems take it."""
        if self.exact is None or self.shown == "0":
            return self.eps or Fraction(0)
        return xdp.LogRational(self.exact)

    @property
    def fact(self) -> Fact:
        """The level in an answer."""
        return Fact(self.name, self.shown, "privacy", self.text)

    @property
    def text(self) -> str:
        """The level for reading."""
        from exactdp.numbers.epsilon import eps_text

        if self.exact is not None:
            return f"e^eps = {number_text(self.exact)}, eps = {eps_text(xdp.LogRational(self.exact))}"
        return f"eps = {number_text(self.eps or Fraction(0))}"


EXACT: Final = Typed(as_fraction)
PROBABILITY: Final = Typed(as_probability)
WHOLE: Final = Typed(as_integer)
COUNT: Final = Typed(as_integer, at_least=1)
LEVEL: Final = Typed(TypedLevel.read)
USERS: Final = Typed(lambda text, name: read_population(text))
PARTICIPANTS: Final = Typed(lambda text, name: read_users(text), offers=counts)
"""A number of users, or the law of how many take part."""
RISING_USERS: Final = Typed(lambda text, name: tuple(map(read_population, text.split(","))))
RELATIVE_BITS: Final = Typed(read_bounded, limit=MAX_BITS)
FILE: Final = Text(files)
STORE: Final = Typed(
    _file, offers=files, refusal="- is no store: a store is read and written. Name a file; one of this name is ./-."
)
CERTIFICATE: Final = Typed(
    _file, offers=files, refusal="output=- is stdout, where the answer goes. Name a file for the certificate."
)
FOLDER: Final = Text(folders)
TOPIC: Final = Text(topics)


def needed(users: Any, target: ProtocolTarget) -> Any:
    """Return the number of users, or refuse a target that needs one."""
    if users is None:
        raise InvalidValueError(
            f"{target.name} needs -n, the number of users who follow the protocol. Write -n 100, or --users 100."
        )
    return users


def refuse(target: ProtocolTarget | ClassesTarget | NoiseLaw, given: Mapping[str, object]) -> None:
    """Refuse the options that are given and have no meaning for this kind of target."""
    owner = "randomizers" if isinstance(target, NoiseLaw) else "noise laws, such as @poisson:mu=10"
    refuse_given(given, f"for {short(target.name)}", f"Leave it out: it belongs to {owner}.")


def refuse_given(options: Mapping[str, object], where: str, repair: str = "Leave it out.") -> None:
    """Refuse the first of the options that is given, by its own name or that of its parameter."""
    for name, value in options.items():
        if value is not None and value is not False and value != ():
            option = name if name.startswith("-") or name.isupper() else f"--{name.replace('_', '-')}"
            raise InvalidValueError(f"{option} has no meaning {where}. {repair}")


def or_limit(limit: int | None) -> int:
    """Return the limit of pairs times outcomes, or its default."""
    from exactdp.protocols.protocol import DEFAULT_LIMIT

    return DEFAULT_LIMIT if limit is None else limit
