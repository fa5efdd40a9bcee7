"""From what is typed to the values of the package. Numbers go as text to :mod:`exactdp.numbers`, and are read there."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from exactdp.cli.output import FORMATS, count, printable
from exactdp.cli.targets import OPTIONS, Noise, Target, read_target
from exactdp.errors import InvalidDataSetError, InvalidValueError, TooLargeError
from exactdp.models.dataset import write_dataset

if TYPE_CHECKING:
    from exactdp.models.neighbors import Neighbors
    from exactdp.privacy.epsilon import LogRational
    from exactdp.protocol import AdditiveProtocol, ShuffleProtocol

__all__ = [
    "NEIGHBORS",
    "Asked",
    "Order",
    "View",
    "accurate",
    "asked",
    "delivered",
    "leveled",
    "limited",
    "neighboring",
    "populated",
    "randomized",
    "read_bits",
    "read_bounded",
    "read_dataset",
    "read_limit",
    "read_neighbors",
    "read_population",
    "read_users",
    "refuse",
    "shifted",
    "unabridged",
]

F = TypeVar("F", bound=Callable[..., Any])

MAX_BITS: Final = 10_000
"""Most relative bits of an answer."""

NEIGHBORS: Final = ("replace-one", "add-or-remove-one")

_MOST_USERS: Final = 10**18
"""As in the theorems' tables; counts and their products stay within what engines size up."""

_ALSO: Final = {"--inputs": ("--categories",)}
"""Other spellings of an option."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question is about, as it was typed: None where an option is not given."""

    target: Target | Noise
    users: str | None
    neighbors: str | None
    limit: str | None
    shift: str | None


@dataclass(frozen=True, slots=True)
class Order:
    """The level of privacy that is asked about: e^eps exactly, or a rational eps != 0 whose e^eps is irrational."""

    exact: Fraction | None
    eps: Fraction | None
    name: str
    """Which option it came from: exp_eps or eps."""
    shown: str

    @classmethod
    def read(cls, eps: str | None, exp_eps: str | None) -> Order:
        """Return the order from exactly one of the two; ``eps`` may be ``ln(p/q)``, which is an exact e^eps."""
        from exactdp.numbers.formats import exact_text
        from exactdp.privacy.epsilon import LogRational, eps_json, read_exp_eps

        if (eps is None) == (exp_eps is None):
            given = "neither is given" if eps is None else "both are given"
            raise InvalidValueError(
                f"one of --eps and --exp-eps is needed, and {given}. Write --eps 1, or --exp-eps 2 for e^eps = 2."
            )
        if eps is not None and eps.startswith("ln(") and eps.endswith(")"):
            log = LogRational(eps[3:-1])
            return cls(log.argument, None, "eps", eps_json(log)["exact"] or "")
        level = read_exp_eps(eps=eps, exp_eps=exp_eps)
        if level.exact is None:
            assert level.eps is not None
            return cls(None, level.eps, "eps", exact_text(level.eps))
        return cls(level.exact, None, *(("eps", "0") if exp_eps is None else ("exp_eps", exact_text(level.exact))))

    @property
    def keywords(self) -> dict[str, Any]:
        """The order as claims and profiles take it."""
        if self.exact is not None:
            return {"exp_eps": self.exact}
        assert self.eps is not None
        return {"eps": self.eps}

    @property
    def for_theorems(self) -> Fraction | LogRational:
        """The eps as theorems take it."""
        from exactdp.privacy.epsilon import LogRational

        if self.exact is None or self.shown == "0":
            return self.eps or Fraction(0)
        return LogRational(self.exact)

    @property
    def text(self) -> str:
        """The order for reading."""
        from exactdp.numbers.formats import number_text
        from exactdp.privacy.epsilon import LogRational, eps_text

        if self.exact is None:
            assert self.eps is not None
            return f"eps = {number_text(self.eps)}"
        return f"e^eps = {number_text(self.exact)}, eps = {eps_text(LogRational(self.exact))}"


def randomized(command: F) -> F:
    """Add the argument RANDOMIZER and the options of named protocols; the command receives ``target``."""

    @wraps(command)
    def wrapped(randomizer: str, **rest: Any) -> Any:
        typed = {option: rest.pop(_parameter(option)) for option in OPTIONS}
        given = {option: value for option, value in typed.items() if value is not None}
        return command(target=read_target(randomizer, given), **rest)

    added: Any = _options(click.argument("randomizer"), *(_option(option) for option in OPTIONS))(wrapped)
    result: F = added
    return result


def _option(option: str) -> Callable[[Any], Any]:
    metavar, text = OPTIONS[option]
    return click.option(option, *_ALSO.get(option, ()), _parameter(option), metavar=metavar, help=text)


def _parameter(option: str) -> str:
    return option.removeprefix("--")


def asked(command: F) -> F:
    """Add what a question can be about: a randomizer of n users or a noise law; the command receives ``what``."""

    @wraps(command)
    def wrapped(
        target: Target | Noise,
        users: str | None,
        shift: str | None,
        neighbors: str | None,
        limit: str | None,
        **rest: Any,
    ) -> Any:
        return command(what=Asked(target, users, neighbors, limit, shift), **rest)

    added: Any = randomized(populated(shifted(neighboring(limited(wrapped)))))
    result: F = added
    return result


def populated(command: F) -> F:
    """Add ``-n/--users``; :func:`read_users` asks for it."""
    text = "Number of users who follow the protocol; every randomizer needs it."
    return click.option("-n", "--users", "users", metavar="N", help=text)(command)


def shifted(command: F) -> F:
    """Add ``--shift``; :class:`exactdp.cli.noise.NoisyQuery` reads it."""
    text = "Sensitivity of the query that a noise law hides; default 1."
    return click.option("--shift", metavar="S", help=text)(command)


def leveled(command: F) -> F:
    """Add ``--eps`` and ``--exp-eps``; :class:`Order` takes exactly one."""
    return _options(
        click.option("--eps", metavar="EPS", help="eps >= 0: a rational number, or ln(p/q)."),
        click.option("--exp-eps", metavar="E", help="e^eps >= 1, a rational number; the answer is exact if it can be."),
    )(command)


def neighboring(command: F) -> F:
    """Add ``--neighbors``."""
    return click.option(
        "--neighbors",
        type=click.Choice(NEIGHBORS),
        help=f"Which data sets are neighbours; default {NEIGHBORS[0]}. With add-or-remove-one the larger has n users.",
    )(command)


def limited(command: F) -> F:
    """Add ``--limit``."""
    return click.option(
        "--limit", metavar="WORK", help="Most pairs of data sets times outcomes to start on; default 100000000."
    )(command)


def accurate(command: F) -> F:
    """Add ``--relative-bits``; :func:`read_bits` reads it."""
    text = "Relative accuracy of an enclosure, 2^-BITS; default 53."
    return click.option("--relative-bits", metavar="BITS", help=text)(command)


def unabridged(command: F) -> F:
    """Add ``--exact``."""
    return click.option("--exact", is_flag=True, help="Exact fractions of any length, or none.")(command)


def delivered(command: F) -> F:
    """Add ``--format`` and ``-o/--output``."""
    return _options(
        click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True),
        click.option("-o", "--output", metavar="FILE", help="Write the answer into FILE instead of stdout."),
    )(command)


def _options(*decorators: Callable[[Any], Any]) -> Callable[[F], F]:
    def apply(command: F) -> F:
        decorated: Any = command
        for decorator in reversed(decorators):
            decorated = decorator(decorated)
        result: F = decorated
        return result

    return apply


def read_users(users: str | None, target: Target) -> int:
    """Return the number of users."""
    if users is None:
        raise InvalidValueError(
            f"{target.name} needs -n, the number of users who follow the protocol. Write -n 100, or --users 100."
        )
    return read_population(users)


def read_population(text: str) -> int:
    """Return a number of users that engines can count."""
    from exactdp.numbers.exact import as_integer

    return _counted(as_integer(text, name="n", at_least=1))


def _counted(n: int) -> int:
    from exactdp.numbers.exact import short

    if n > _MOST_USERS:
        raise TooLargeError(f"n={short(n)} is more than the limit of 10^18 users. Use a smaller n.")
    return n


def refuse(target: Target | Noise, given: dict[str, str | None]) -> None:
    """Refuse the options that are given and have no meaning for this kind of target."""
    from exactdp.numbers.exact import short

    owner = "randomizers" if isinstance(target, Noise) else "noise laws, such as @poisson:mu=10"
    for option, value in given.items():
        if value is not None:
            raise InvalidValueError(
                f"{option} has no meaning for {short(target.name)}. Leave it out: it belongs to {owner}."
            )


def read_bits(text: str) -> int:
    """Return a relative accuracy in bits."""
    return read_bounded(text, "relative_bits", MAX_BITS)


def read_bounded(text: str, name: str, limit: int) -> int:
    """Return an integer from 1 to ``limit``."""
    from exactdp.numbers.exact import as_integer, short

    value = as_integer(text, name=name, at_least=1)
    if value > limit:
        raise TooLargeError(f"{name}={short(value)} is more than the limit of {limit}. Use a smaller number.")
    return value


def read_neighbors(text: str | None) -> Neighbors:
    """Return the neighbouring relation."""
    from exactdp.models.neighbors import Neighbors

    return Neighbors(NEIGHBORS[0] if text is None else text)


def read_limit(text: str | None) -> int:
    """Return the limit of pairs times outcomes, or its default."""
    from exactdp.engines.scan import DEFAULT_LIMIT
    from exactdp.numbers.exact import as_integer

    return DEFAULT_LIMIT if text is None else as_integer(text, name="limit", at_least=1)


@dataclass(frozen=True, slots=True)
class View:
    """The view of one data set: the protocol, who holds what, and what the counts are of."""

    name: str
    n: int
    protocol: ShuffleProtocol | AdditiveProtocol
    people: dict[Any, int]
    messages: list[str]

    @classmethod
    def read(cls, target: Target, dataset: str, users: str | None) -> View:
        """Return the view; by default there are as many users as the data set has."""
        from exactdp.protocol import ShuffleProtocol

        one = target.build(1)
        is_table = isinstance(one, ShuffleProtocol)
        inputs = one.randomizer.inputs if isinstance(one, ShuffleProtocol) else one.records
        typed = read_dataset(dataset, inputs)
        if not sum(typed.values()):
            raise InvalidDataSetError("the data set is empty. Give at least one user: --dataset INPUT=COUNT.")
        n = _counted(sum(typed.values())) if users is None else read_users(users, target)
        alphabet = one.randomizer.alphabet if isinstance(one, ShuffleProtocol) else range(one.bins)
        people = {value: typed.get(value, 0) for value in (inputs if is_table else typed)}
        return cls(target.name, n, target.build(n), people, list(map(str, alphabet)))

    @property
    def held(self) -> dict[Any, int]:
        """The data set without the inputs that nobody holds."""
        return {value: users for value, users in self.people.items() if users}

    @property
    def title(self) -> str:
        """What is looked at, for reading."""
        return f"{printable(self.name)}, n = {self.n}, data set {write_dataset(self.held)}"

    @property
    def data(self) -> dict[str, Any]:
        """The fields that the JSON begins with."""
        return {
            "randomizer": self.name,
            "n": count(self.n),
            "n_counts": "users who follow the protocol",
            "dataset": {str(value): count(users) for value, users in self.held.items()},
        }


def read_dataset(text: str, inputs: tuple[Any, ...]) -> dict[Any, int]:
    """Return input -> number of users, from the text of :func:`exactdp.models.dataset.write_dataset`."""
    from exactdp.numbers.exact import as_integer

    by_label = {str(value): value for value in inputs}
    dataset: dict[Any, int] = {}
    for label, users in _json_entries(text) if text.lstrip().startswith("{") else _entries(text):
        if label not in by_label:
            known = ", ".join(list(by_label)[:8]) + (", ..." if len(by_label) > 8 else "")
            raise InvalidDataSetError(f"the data set holds the unknown input {label!r}. The inputs are {known}.")
        if by_label[label] in dataset:
            raise InvalidDataSetError(f"the data set names the input {label!r} twice. Add the two counts.")
        dataset[by_label[label]] = as_integer(users, name=f"count of {label!r}", at_least=0)
    return dataset


def _entries(text: str) -> list[tuple[str, str]]:
    entries = []
    for entry in text.split(","):
        label, equals, count = entry.rpartition("=")
        if not equals:
            raise InvalidDataSetError(f"the data set has the entry {entry!r} without a count. Write --dataset 0=3,1=2.")
        entries.append((label.strip(), count.strip()))
    return entries


def _json_entries(text: str) -> list[tuple[str, str]]:
    try:
        pairs = json.loads(text, object_pairs_hook=list, parse_int=str, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError) as error:
        raise InvalidDataSetError(f"the data set is not valid JSON: {error}. Write --dataset 0=3,1=2.") from None
    if not isinstance(pairs, list) or not all(isinstance(count, str) for _, count in pairs):
        raise InvalidDataSetError('the data set is no JSON object of counts. Write --dataset \'{"0": 3, "1": 2}\'.')
    return pairs
