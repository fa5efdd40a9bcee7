"""What a question is about, from its name: a randomizer file, a named protocol, or a noise law.

A name begins with ``@``, which may be left out: then a file of that name comes first, and stderr says so.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from exactdp import protocols
from exactdp.errors import InvalidValueError, TooLargeError, meant
from exactdp.mechanisms.family import MAX_INPUTS, FamilyRandomizer, small_table
from exactdp.mechanisms.k_ary_family import KAryResponse
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import short
from exactdp.protocols.naming.typed_noise import NoiseLaw, noise_names, read_noise

if TYPE_CHECKING:
    from exactdp.protocols.almost_central.almost_central_protocol import AlmostCentralSum
    from exactdp.protocols.counting.correlated_counting_protocol import CorrelatedCounting
    from exactdp.protocols.flooded.flooding_protocol import Flooding
    from exactdp.protocols.protocol import AdditiveProtocol, ShuffleProtocol
    from exactdp.protocols.thresholded.sample_and_threshold_protocol import SampleAndThreshold

TargetProtocol: TypeAlias = (
    "ShuffleProtocol | AdditiveProtocol | CorrelatedCounting | AlmostCentralSum | SampleAndThreshold | Flooding"
)
"""What a named protocol is for n users."""

OPTIONS: Final = {
    "--gamma": ("G", "Probability of a random answer, or of no dummy, in [0, 1]."),
    "--inputs": ("K", "Number of inputs of a randomizer; default 2 for @randomized-response."),
    "--top": ("T", "Of @clipped-discrete-laplace: the inputs are 0, ..., T."),
    "--exp-eps0": ("E", "e^eps0 of one user's messages, at least 1: 3, or exp(1/2)."),
    "--optimized": (None, "Of @unary-encoding: p = 1/2, f = 1/(E + 1)."),
    "--size": ("W", "Of @subset-selection: members of a subset."),
    "--buckets": ("G", "Of @local-hashing: number of buckets."),
    "--dummies": ("S", "Of @balls-into-bins and @mixed-dummies: uniform messages beside the own one."),
    "--mean": ("M", "Of @flooding: expected number of uniform messages of one user, above 0."),
    "--bins": ("D", "Number of bins of @histogram."),
    "--modulus": ("Q", "Of @split-and-mix: inputs and messages are integers modulo Q."),
    "--messages": ("M", "Of @split-and-mix: messages of one user."),
    "--r": (
        "R",
        "Shape of the noise: of @one-sided-counting above 0, @correlated-counting from 0, @almost-central from 1 on.",
    ),
    "--p": ("P", "Ratio of the noise of @one-sided-counting, in [0, 1)."),
    "--p1": ("P", "Of @correlated-counting: ratio of the noise of each count, in (0, 1): 1/2, or exp(-1/2)."),
    "--p2": ("P", "Of @correlated-counting: ratio of the noise of both counts, likewise."),
    "--rate": ("Q", "Of @sample-and-threshold: probability that a holder reports, in (0, 1]."),
    "--threshold": ("T", "Of @sample-and-threshold: the least count that is released, at least 1."),
    "--symbols": ("D", "Of @sample-and-threshold: number of symbols; default 1. The input 0 holds none."),
    "--bound": ("B", "Of @almost-central: the largest number of a user, at least 1."),
    "--for-eps": ("E", "Of @almost-central: the noise is the theorem's for this eps, above 0, and --for-delta."),
    "--for-delta": ("D", "Of @almost-central: likewise, in (0, 1]."),
}
"""Options of named protocols, with their metavariable, None for a flag, and help."""

_EXAMPLES: Final = {
    "--gamma": "1/8",
    "--exp-eps0": "3",
    "--inputs": "10",
    "--top": "10",
    "--dummies": "2",
    "--mean": "1/2",
    "--bins": "10",
    "--modulus": "5",
    "--messages": "3",
    "--r": "42",
    "--p": "9/10",
    "--p1": "1/2",
    "--p2": "9/10",
    "--rate": "1/8",
    "--threshold": "20",
    "--bound": "1",
    "--for-eps": "1",
    "--for-delta": "1e-6",
}
"""What a message shows for an option that is missing."""


@dataclass(frozen=True, slots=True)
class ProtocolTarget:
    """A protocol of any number of users, and what the user calls it.

    ``table`` builds the randomizer, or refuses to; None if a user's messages are no finite table, and the protocol is a
    count plus noise, two counts with correlated noise, or counts that are
    sampled and dropped.
    """

    name: str
    table: Callable[[], Randomizer] | None
    build: Callable[[Any], TargetProtocol]
    """Takes n, or of a shuffled randomizer the law of n."""
    family: FamilyRandomizer | None = None
    """What the randomizer is a member of, where it is known by its parameters."""

    def randomizer(self) -> Randomizer | None:
        """Return the table, or None if there is none in exact numbers or it is too large."""
        try:
            return None if self.table is None else self.table()
        except (TooLargeError, InvalidValueError):
            return None

    @classmethod
    def of(cls, name: str, randomizer: Randomizer) -> ProtocolTarget:
        """The target of one randomizer."""
        return cls(name, lambda: randomizer, lambda n: _shuffled(randomizer, n))

    @classmethod
    def of_family(cls, name: str, family: FamilyRandomizer) -> ProtocolTarget:
        """The target of a family: its table where that is small."""
        randomizer = small_table(family)
        return cls(name, family.table, lambda n: _shuffled(randomizer, n), family)


def _shuffled(randomizer: Randomizer | FamilyRandomizer, n: Any) -> ShuffleProtocol:
    from exactdp.protocols.protocol import ShuffleProtocol

    return ShuffleProtocol(randomizer, n)


# --- The named protocols --------------------------------------------------------------------------------------------


class _Named(NamedTuple):
    """A named protocol: the options that it needs and those that it may have, and how it is made of them."""

    needed: tuple[str, ...]
    further: tuple[str, ...]
    make: Callable[[str, dict[str, str]], ProtocolTarget]
    instead: Mapping[str, str] = {}
    """What may be given in place of an option that is needed."""

    @property
    def takes(self) -> tuple[str, ...]:
        """All options."""
        return (*self.needed, *self.instead.values(), *self.further)

    @property
    def usage(self) -> str:
        """The options as they are typed."""
        needed = [
            f"({_typed(option)} or {_typed(self.instead[option])})" if option in self.instead else _typed(option)
            for option in self.needed
        ]
        return " ".join([*needed, *(f"[{_typed(option)}]" for option in self.further)])

    def missing(self, given: Mapping[str, str]) -> str | None:
        """Return the first option that is needed and not given."""
        return next((o for o in self.needed if o not in given and self.instead.get(o) not in given), None)


def _typed(option: str) -> str:
    metavar = OPTIONS[option][0]
    return option if metavar is None else f"{option} {metavar}"


def _title(name: str, given: dict[str, str]) -> str:
    return " ".join([name, *(f"{option} {value}".rstrip() for option, value in given.items())])


def _table(randomizer: Callable[..., Randomizer]) -> Callable[[str, dict[str, str]], ProtocolTarget]:
    """Return how a protocol is made whose randomizer takes the options by their names."""

    def make(name: str, given: dict[str, str]) -> ProtocolTarget:
        values = {option.removeprefix("--"): value for option, value in given.items()}
        return ProtocolTarget.of(_title(name, given), randomizer(**values))

    return make


def _response(name: str, given: dict[str, str]) -> ProtocolTarget:
    size, gamma, exp_eps0 = given.get("--inputs", "2"), given.get("--gamma"), given.get("--exp-eps0")
    if gamma is not None and exp_eps0 is not None:
        raise InvalidValueError(f"{name} is given --gamma and --exp-eps0. Leave out one of them.")
    family = KAryResponse(_inputs(size), gamma=gamma, exp_eps0=exp_eps0)
    inputs = f" --inputs {family.k}" if name == "@randomized-response" else ""
    by = f"--gamma {gamma}" if exp_eps0 is None else f"--exp-eps0 {exp_eps0}"
    return ProtocolTarget.of_family(f"{name}{inputs} {by}", family)


def _inputs(text: str) -> int:
    inputs = as_integer(text, name="inputs", at_least=2)
    if inputs > MAX_INPUTS:
        raise TooLargeError(f"inputs={short(inputs)} is more than the limit of {MAX_INPUTS} inputs. Use fewer.")
    return inputs


def _published(name: str, given: dict[str, str]) -> ProtocolTarget:
    """Return a family of ``exactdp.randomizers``."""
    from exactdp.mechanisms.published import family_of

    if "--top" in given:
        inputs = as_integer(given["--top"], name="top", at_least=1) + 1
    else:
        inputs = _inputs(given["--inputs"])
    options = {name: given.get(f"--{name}") for name in ("size", "buckets", "dummies")}
    optimized = True if "--optimized" in given else None
    family = family_of(name[1:], inputs=inputs, exp_eps0=given.get("--exp-eps0"), optimized=optimized, **options)
    return ProtocolTarget.of_family(_title(name, given), family)


def _any(name: str, given: dict[str, str]) -> ProtocolTarget:
    from exactdp.mechanisms.any_randomizer_family import any_randomizer

    return ProtocolTarget.of_family(_title(name, given), any_randomizer(exp_eps0=given["--exp-eps0"]))


def _histogram(name: str, given: dict[str, str]) -> ProtocolTarget:
    bins, gamma = given["--bins"], given["--gamma"]
    size = protocols.histogram(1, as_integer(bins, name="bins"), gamma=gamma).bins  # refuses bad numbers at once
    return ProtocolTarget(
        f"{name} --gamma {gamma} --bins {bins}",
        lambda: protocols.histogram_randomizer(size, gamma=gamma),
        lambda n: protocols.histogram(n, size, gamma=gamma),
    )


def _flooding(name: str, given: dict[str, str]) -> ProtocolTarget:
    """Return flooding by Poisson numbers of messages."""
    from exactdp.laws.poisson import Poisson

    inputs, noise = _inputs(given["--inputs"]), Poisson(given["--mean"])

    def build(n: int) -> Flooding:
        return protocols.flooding(n, inputs, noise=noise, exp_eps0=given.get("--exp-eps0"))

    build(1)  # refuses bad numbers at once
    return ProtocolTarget(_title(name, given), None, build)


def _counted(
    protocol: Callable[..., TargetProtocol],
) -> Callable[[str, dict[str, str]], ProtocolTarget]:
    """Return how a protocol without a table is made that takes the options by their names."""

    def make(name: str, given: dict[str, str]) -> ProtocolTarget:
        values = {option.removeprefix("--"): value for option, value in given.items()}
        protocol(1, **values)  # refuses bad numbers at once
        return ProtocolTarget(_title(name, given), None, lambda n: protocol(n, **values))

    return make


def _sampled(name: str, given: dict[str, str]) -> ProtocolTarget:
    rate, options = given["--rate"], {"--symbols": "1", **given}
    threshold, symbols = (as_integer(options[f"--{counted}"], name=counted) for counted in ("threshold", "symbols"))

    def build(n: int) -> SampleAndThreshold:
        return protocols.sample_and_threshold(n, rate=rate, threshold=threshold, symbols=symbols)

    build(1)  # refuses bad numbers at once
    return ProtocolTarget(_title(name, given), None, build)


def _almost_central(name: str, given: dict[str, str]) -> ProtocolTarget:
    bound = as_integer(given["--bound"], name="bound", at_least=1)

    def build(n: int) -> TargetProtocol:
        eps, delta, r = given["--for-eps"], given["--for-delta"], given.get("--r")
        return protocols.almost_central_sum(n, bound=bound, eps=eps, delta=delta, r=r)

    build(1)  # refuses bad numbers at once
    return ProtocolTarget(_title(name, given), None, build)


def _split_and_mix(modulus: str, messages: str) -> Randomizer:
    return protocols.split_and_mix_randomizer(
        modulus=as_integer(modulus, name="modulus"), messages=as_integer(messages, name="messages")
    )


NAMED: Final = {
    "@randomized-response": _Named(("--gamma",), ("--inputs",), _response, {"--gamma": "--exp-eps0"}),
    "@unary-encoding": _Named(("--inputs", "--exp-eps0"), ("--optimized",), _published),
    "@subset-selection": _Named(("--inputs", "--exp-eps0"), ("--size",), _published),
    "@hadamard-response": _Named(("--inputs", "--exp-eps0"), (), _published),
    "@local-hashing": _Named(("--inputs", "--exp-eps0"), ("--buckets",), _published),
    "@clipped-discrete-laplace": _Named(("--top", "--exp-eps0"), (), _published),
    "@balls-into-bins": _Named(("--inputs", "--dummies"), (), _published),
    "@mixed-dummies": _Named(("--inputs", "--exp-eps0", "--dummies"), (), _published),
    "@any-randomizer": _Named(("--exp-eps0",), (), _any),
    "@binary-sum": _Named(("--gamma",), (), _response),
    "@zsum": _Named(("--gamma",), (), _table(lambda gamma: protocols.zsum_randomizer(gamma=gamma))),
    "@histogram": _Named(("--gamma", "--bins"), (), _histogram),
    "@flooding": _Named(("--inputs", "--mean"), ("--exp-eps0",), _flooding),
    "@one-sided-counting": _Named(
        ("--r", "--p"), (), _counted(lambda n, **given: protocols.one_sided_counting(n, **given))
    ),
    "@correlated-counting": _Named(
        ("--p1", "--p2", "--r"), (), _counted(lambda n, **given: protocols.correlated_counting(n, **given))
    ),
    "@almost-central": _Named(("--bound", "--for-eps", "--for-delta"), ("--r",), _almost_central),
    "@sample-and-threshold": _Named(("--rate", "--threshold"), ("--symbols",), _sampled),
    "@split-and-mix": _Named(("--modulus", "--messages"), (), _table(_split_and_mix)),
    "@complement": _Named((), (), _table(lambda: protocols.complement_randomizer())),
    "@gap": _Named((), (), _table(lambda: protocols.gap_randomizer())),
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
            f"{short(text)!r} names nothing. {meant(name, names)}Known: {_plain(NAMED)}; "
            "the laws that `exactdp --help` lists; files: no @."
        )
    if name not in names and not os.path.lexists(text) and (near := meant(f"@{name}", names)):
        raise InvalidValueError(f"{short(name)!r} is no file and no name. {near.rstrip()}")
    takes = NAMED[name].takes if name in NAMED else ()
    if superfluous := [option for option in OPTIONS if option in options and option not in takes]:
        owners = [name for name, named in NAMED.items() if superfluous[0] in named.takes]
        raise InvalidValueError(
            f"{superfluous[0]} has no meaning for {short(text)}. Leave it out: it belongs to {_listed(owners)}."
        )
    if name in laws:
        return read_noise(text)
    if name not in NAMED:
        return ProtocolTarget.of(text, Randomizer.from_file(text))
    if missing := NAMED[name].missing(options):
        example = " ".join(f"{option} {options.get(option, _EXAMPLES[option])}" for option in NAMED[name].needed)
        either = f" or {NAMED[name].instead[missing]}" if missing in NAMED[name].instead else ""
        raise InvalidValueError(
            f"{name} needs {missing}{either}. Write {name} {NAMED[name].usage}, for example {name} {example}."
        )
    return NAMED[name].make(name, options)


def _plain(names: Iterable[str]) -> str:
    """Return names without the @, which may be left out."""
    return ", ".join(name.removeprefix("@") for name in names)


def _spelled(text: str, names: Sequence[str]) -> str:
    """Return the text with the @ that may be left out of a name; a file of that name comes first."""
    return f"@{text}" if _lacks_its_sign(text, names) and not os.path.lexists(text) else text


def _lacks_its_sign(text: str, names: Sequence[str]) -> bool:
    return not text.startswith("@") and f"@{text.partition(':')[0]}" in names


def is_name_and_file(text: str) -> bool:
    """Whether a text without @ is a name, and is read as the file of this name that is there."""
    return _lacks_its_sign(text, (*NAMED, *noise_names())) and os.path.lexists(text)


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
