"""What a question is about, from its name: a randomizer file, a named protocol, or a noise law.

A name begins with ``@``, which may be left out: then a file of that name comes first, and stderr says so.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final, NamedTuple

import click

import exactdp as xdp
from exactdp.cli.typed_noise import NoiseLaw, noise_names, read_noise
from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import short
from exactdp.randomizers.k_ary_family import KAryResponse

OPTIONS: Final = {
    "--gamma": ("G", "Probability of a random answer, or of no dummy, in [0, 1]."),
    "--inputs": ("K", "Number of inputs of @randomized-response; default 2."),
    "--bins": ("D", "Number of bins of @histogram."),
    "--r": ("R", "Shape of the noise of @one-sided-counting, above 0."),
    "--p": ("P", "Ratio of the noise of @one-sided-counting, in [0, 1)."),
}
"""Options of named protocols, with their metavariable and help."""

_EXAMPLES: Final = {"--gamma": "1/8", "--bins": "10", "--r": "42", "--p": "9/10"}
"""What a message shows for an option that is missing."""
_MAX_INPUTS: Final = 100
"""The table has a probability for every pair of inputs."""


@dataclass(frozen=True, slots=True)
class ProtocolTarget:
    """A protocol of any number of users, and what the user calls it.

    ``table`` is the randomizer; None if a user's messages are no finite table, and the protocol is a count plus
    noise.
    """

    name: str
    table: Callable[[], xdp.Randomizer] | None
    build: Callable[[int], xdp.ShuffleProtocol | xdp.AdditiveProtocol]

    def randomizer(self) -> xdp.Randomizer | None:
        """Return the table, or None if there is none or it is too large."""
        try:
            return None if self.table is None else self.table()
        except TooLargeError:
            return None

    @classmethod
    def of(cls, name: str, randomizer: xdp.Randomizer) -> ProtocolTarget:
        """The target of one randomizer."""
        return cls(name, lambda: randomizer, lambda n: xdp.ShuffleProtocol(randomizer, n))


# --- The named protocols --------------------------------------------------------------------------------------------


class _Named(NamedTuple):
    """A named protocol: the options that it needs and those that it may have, and how it is made of them."""

    needed: tuple[str, ...]
    further: tuple[str, ...]
    make: Callable[[str, dict[str, str]], ProtocolTarget]

    @property
    def usage(self) -> str:
        """The options as they are typed."""
        needed = [f"{option} {OPTIONS[option][0]}" for option in self.needed]
        return " ".join([*needed, *(f"[{option} {OPTIONS[option][0]}]" for option in self.further)])


def _table(randomizer: Callable[..., xdp.Randomizer]) -> Callable[[str, dict[str, str]], ProtocolTarget]:
    """Return how a protocol is made whose randomizer takes the options by their names."""

    def make(name: str, given: dict[str, str]) -> ProtocolTarget:
        words = [name, *(f"{option} {value}" for option, value in given.items())]
        values = {option.removeprefix("--"): value for option, value in given.items()}
        return ProtocolTarget.of(" ".join(words), randomizer(**values))

    return make


def _response(name: str, given: dict[str, str]) -> ProtocolTarget:
    size, gamma = as_integer(given.get("--inputs", "2"), name="inputs", at_least=2), given["--gamma"]
    if size > _MAX_INPUTS:
        raise TooLargeError(f"inputs={short(size)} is more than the limit of {_MAX_INPUTS}. Use fewer inputs.")
    inputs = f" --inputs {size}" if name == "@randomized-response" else ""
    return ProtocolTarget.of(f"{name}{inputs} --gamma {gamma}", KAryResponse(size, gamma=gamma).table())


def _histogram(name: str, given: dict[str, str]) -> ProtocolTarget:
    bins, gamma = given["--bins"], given["--gamma"]
    size = xdp.protocols.histogram(1, as_integer(bins, name="bins"), gamma=gamma).bins  # refuses bad numbers at once
    return ProtocolTarget(
        f"{name} --gamma {gamma} --bins {bins}",
        lambda: xdp.protocols.histogram_randomizer(size, gamma=gamma),
        lambda n: xdp.protocols.histogram(n, size, gamma=gamma),
    )


def _counting(name: str, given: dict[str, str]) -> ProtocolTarget:
    r, p = given["--r"], given["--p"]
    xdp.protocols.private_counting(1, r=r, p=p)  # refuses bad numbers at once
    return ProtocolTarget(f"{name} --r {r} --p {p}", None, lambda n: xdp.protocols.private_counting(n, r=r, p=p))


NAMED: Final = {
    "@randomized-response": _Named(("--gamma",), ("--inputs",), _response),
    "@binary-sum": _Named(("--gamma",), (), _response),
    "@zsum": _Named(("--gamma",), (), _table(lambda gamma: xdp.protocols.zsum_randomizer(gamma=gamma))),
    "@histogram": _Named(("--gamma", "--bins"), (), _histogram),
    "@one-sided-counting": _Named(("--r", "--p"), (), _counting),
    "@complement": _Named((), (), _table(lambda: xdp.protocols.complement_randomizer())),
    "@gap": _Named((), (), _table(lambda: xdp.protocols.gap_randomizer())),
}
"""What is typed -> the protocol. @binary-sum is binary randomized response with G = lambda / n."""


def read_target(text: str, given: dict[str, str] | None = None) -> ProtocolTarget | NoiseLaw:
    """Return the randomizer of a file or of a named protocol with the options that are given, or a noise law."""
    laws = noise_names()
    names = (*NAMED, *laws)
    options, text = given or {}, _spelled(text, names)
    name, colon, _ = text.partition(":")
    if name in NAMED and colon:
        usage = f"{name} {NAMED[name].usage}".rstrip()
        raise InvalidValueError(f"{short(text)!r} gives {name} parameters after a colon. Write {usage}.")
    if text.startswith("@") and name not in names:
        raise InvalidValueError(
            f"{short(text)!r} is no named protocol and no noise law. The protocols are {', '.join(NAMED)}; "
            f"the laws are {', '.join(laws)}; a file has no @."
        )
    if name not in names and not os.path.lexists(text) and (near := get_close_matches(f"@{name}", names, n=1)):
        raise InvalidValueError(f"{short(name)!r} is no file and no name. Did you mean {near[0]}?")
    takes = (*NAMED[name].needed, *NAMED[name].further) if name in NAMED else ()
    if superfluous := [option for option in OPTIONS if option in options and option not in takes]:
        owners = [name for name, named in NAMED.items() if superfluous[0] in (*named.needed, *named.further)]
        raise InvalidValueError(
            f"{superfluous[0]} has no meaning for {short(text)}. Leave it out: it belongs to {_listed(owners)}."
        )
    if name in laws:
        return read_noise(text)
    if name not in NAMED:
        return ProtocolTarget.of(text, xdp.Randomizer.from_file(text))
    if missing := [option for option in NAMED[name].needed if option not in options]:
        example = " ".join(f"{option} {options.get(option, _EXAMPLES[option])}" for option in NAMED[name].needed)
        raise InvalidValueError(
            f"{name} needs {missing[0]}. Write {name} {NAMED[name].usage}, for example {name} {example}."
        )
    return NAMED[name].make(name, options)


def typed_target(typed: Mapping[str, str | None]) -> ProtocolTarget | NoiseLaw:
    """Return what RANDOMIZER and the options of named protocols name, from the parameters of a command."""
    given = {option: value for option in OPTIONS if (value := typed[option.removeprefix("--")]) is not None}
    return read_target(typed["randomizer"] or "", given)


def _spelled(text: str, names: Sequence[str]) -> str:
    """Return the text with the @ that may be left out of a name; a file of that name comes first."""
    if text.startswith("@") or f"@{text.partition(':')[0]}" not in names:
        return text
    if os.path.lexists(text):
        print(f"{text} is read as the file of this name; @{text} is the name.", file=sys.stderr)
        return text
    return f"@{text}"


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def one_of(names: Sequence[str], also: dict[str, str] | None = None) -> Callable[..., str]:
    """Return a reader of an argument: one of the names, with or without @, or another name of the same thing."""

    def read(ctx: click.Context, param: click.Parameter, value: str) -> str:
        name = value.removeprefix("@")
        chosen: str = click.Choice(names).convert((also or {}).get(name, name), param, ctx)
        return chosen

    return read
